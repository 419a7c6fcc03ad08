#!/usr/bin/env python3
# ===- layering.py - Who may know whom -------------------------------------===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
#
#   tool -> optimize -> transforms -> Analysis -> plan -> throttle, spill, ...
#        -> {source, memory, registers, time} -> device -> model
#
# Reads the #include lines and a few telling names (comments and strings taken
# out) of analysis/, transforms/ and tool/, and fails on any arrow against
# ARROWS, which docs/design.md draws, and on circles: among the modules and
# among the files.
#
# usage: layering.py <root of the sources>
#
# ===----------------------------------------------------------------------===#
"""Checks the arrows between the modules."""

import pathlib
import re
import sys

SUFFIXES = {".h", ".cpp", ".cc", ".c", ".hpp", ".inc"}

# module -> those that it stands on. It may include these and what they stand on.
ARROWS = {
    "model": set(),
    "nest": {"model"},
    "device": {"model"},
    "time": {"device"},
    "memory": {"nest"},
    "registers": {"model"},
    "builtin": set(),  # CUDA declarations that travel in the tool
    "source/syntax": {"model"},
    "source/walk": {"source/syntax"},
    "source/safety": {"source/walk"},
    "source/values": {"source/safety", "nest"},
    "frontend": {"source/safety"},
    "source": {"frontend", "source/values", "nest"},
    "plan/strategies": {"time"},
    "Options": {"plan/strategies"},
    "plan/throttle": {"Options", "memory"},
    "plan/occupancy": {"plan/throttle", "registers"},
    "plan/runtime": {"plan/throttle"},
    "plan/stage": {"plan/throttle"},
    "plan/spill": {"plan/occupancy"},
    "plan/remat": {"nest"},
    "plan/variant": {"plan/spill", "plan/remat"},
    "Report": {"frontend", "plan/variant"},
    "plan": {"Report", "plan/runtime", "plan/stage"},
    "Analysis": {"plan", "source"},
    "transforms": {"Analysis"},
    "optimize": {"transforms"},
    "tool": {"optimize"},
}

# The first prefix that fits names the module.
MODULES = [
    ("analysis/frontend/builtin/Builtin.", "frontend"),
    ("analysis/frontend/builtin/", "builtin"),
    *((f"analysis/{name}/", name) for name in sorted(ARROWS, reverse=True)
      if name[0].islower()),
    *((f"analysis/{name}.", name) for name in ("Analysis", "Options", "Report")),
    ("transforms/", "transforms"),
    ("tool/optimize/", "optimize"),
    ("tool/", "tool"),
]

EVERY = set(ARROWS)
CLANG = {"frontend", "source", "source/syntax", "source/walk", "source/safety",
         "source/values"}


def below(module):
    """What a module may include beside itself; itself, too, in a circle."""
    found, left = set(), list(ARROWS[module])
    while left:
        if (next_module := left.pop()) not in found:
            found.add(next_module)
            left += ARROWS[next_module]
    return found


# rule -> (headers, the modules that may include them, what the rule says)
HEADERS = {
    "clang": (
        r"clang(-c|-tidy)?/",
        CLANG | {"transforms", "optimize", "tool"},
        "what is planned and counted knows no Clang"),
    "clang-ast": (
        r"clang/(AST|ASTMatchers|Analysis|CodeGen|Parse|Sema)/", CLANG,
        "only analysis/{frontend,source} know Clang's AST"),
    "edits": (
        r"clang/(Tooling/(Core|Refactoring|Inclusions)/|Rewrite/)",
        {"transforms", "optimize", "tool"}, "analysis never edits"),
    "isl": (
        r"isl/", {"memory"}, "only analysis/memory knows isl"),
    "own-headers": (
        r"(clang|llvm|isl|boost)/", EVERY - {"builtin"},
        "headers for CUDA programs need nothing but CUDA"),
}

# rule -> (names in the code, who may use them, what the rule says)
NAMES = {
    "processes": (
        r"llvm/Support/Program\.h|(?<![\w.>])(popen|system|v?fork|execv?[lpe]*|"
        r"posix_spawnp?)\s*\(|\bExecute(AndWait|NoWait)\s*\(",
        lambda path, module: module == "tool"
        or path.startswith(("analysis/registers/Processes.",
                            "analysis/registers/Ptxas.")),
        "only analysis/registers/{Processes,Ptxas} and tool start processes"),
    "writes": (
        r"\b(raw_fd_o?stream|writeToOutput|writeFileAtomically|ofstream|fstream"
        r"|fopen|FileOutputBuffer|openFileForWrite|openFileForReadWrite"
        r"|overwriteChangedFiles|TempFile|createUniqueFile|createTemporaryFile)"
        r"\b(?!\s*>)|(?<!\w)fs::(rename|remove|resize_file)\b",
        # nvcc and ptxas read their input from temporary files; what is measured
        # or tried writes that down, in the program that includes these headers.
        lambda path, module: module == "tool"
        or path in ("analysis/frontend/builtin/runtime/catt/replay.h",
                    "analysis/frontend/builtin/runtime/catt/timing.h",
                    "analysis/frontend/builtin/runtime/catt/trials.h")
        or path.startswith(("analysis/registers/Processes.",
                            "analysis/registers/Ptxas.")),
        "only tool writes files"),
}

RULES = {"arrow", "circle", "unknown-module", "unresolved", *HEADERS, *NAMES}

TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"([^()\\\s]{0,16})\(.*?\)\1"'
    r"""|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.S)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.M)


def module_of(path):
    for prefix, module in MODULES:
        if path.startswith(prefix):
            return module
    return None


def blank(text, strings):
    """Comments, and strings if asked, become blanks; line numbers stay."""
    def replace(match):
        token = match.group(0)
        if not token.startswith("/") and not strings:
            return token
        return re.sub(r"[^\n]", " ", token)
    return TOKEN.sub(replace, text)


class Checker:
    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.problems = []
        self.files = 0
        self.includes = {}
        self.path = self.module = ""

    def report(self, text, offset, rule, message):
        line = text.count("\n", 0, offset) + 1
        self.problems.append(f"{self.path}:{line}: {message} [{rule}]")

    def target(self, name):
        """The path in the tree that a quoted name stands for, or None."""
        beside = self.root / self.path
        near = (beside.parent / name).resolve()
        if near.exists() and near.is_relative_to(self.root.resolve()):
            return near.relative_to(self.root.resolve()).as_posix()
        if re.match(r"(analysis|transforms|tool|test|samples)/", name):
            return name
        return None

    def check_own(self, text, match, name):
        target = self.target(name)
        if target is None:
            return
        if not (self.root / target).exists():
            self.report(text, match.start(), "unresolved",
                        f"there is no {target}")
        self.includes.setdefault(self.path, []).append(target)
        known = module_of(target)
        if known is None:
            self.report(text, match.start(), "arrow",
                        f"{self.module} may not know {target}")
        elif known != self.module and known not in below(self.module):
            self.report(text, match.start(), "arrow",
                        f"{self.module} may not know {known} ({target})")

    def check_circles(self):
        """Files that include each other, each circle once."""
        done = set()

        def visit(path, way):
            if path in way:
                circle = way[way.index(path):] + [path]
                self.problems.append(
                    f"{path}:1: {' -> '.join(circle)} [circle]")
            elif path not in done:
                for target in self.includes.get(path, []):
                    visit(target, [*way, path])
                done.add(path)

        for path in sorted(self.includes):
            visit(path, [])

    def check_file(self, path):
        self.path = path
        self.module = module_of(path)
        text = (self.root / path).read_text(encoding="utf-8")
        if self.module is None:
            self.report(text, 0, "unknown-module",
                        "no module of docs/design.md holds this file")
            return
        self.files += 1
        code = blank(text, strings=False)
        for match in INCLUDE.finditer(code):
            name = match.group(2)
            self.check_own(text, match, name)
            for rule, (headers, allowed, message) in HEADERS.items():
                if re.match(headers, name) and self.module not in allowed:
                    self.report(text, match.start(), rule,
                                f"{message}, and {self.module} includes "
                                f"{name}")
        # The names of headers count, other strings do not.
        bare = blank(text, strings=True)
        for rule, (names, allowed, message) in NAMES.items():
            if allowed(path, self.module):
                continue
            found = [(m.start(), m.group(2)) for m in INCLUDE.finditer(code)
                     if re.search(names, m.group(2))]
            found += [(m.start(), m.group(0)) for m in re.finditer(names, bare)
                      if not bare[bare.rfind("\n", 0, m.start()) + 1:
                                  m.start()].lstrip().startswith("#")]
            for offset, name in found:
                self.report(text, offset, rule, f"{message}: {name.strip()}")

    def run(self):
        for top in ("analysis", "transforms", "tool"):
            for path in sorted((self.root / top).rglob("*")):
                inside = path.relative_to(self.root)
                if (path.suffix in SUFFIXES and path.is_file()
                        and "node_modules" not in inside.parts):
                    self.check_file(inside.as_posix())
        self.check_circles()
        return self.problems


def main(arguments):
    if len(arguments) != 2:
        sys.exit("usage: layering.py <root of the sources>")
    checker = Checker(arguments[1])
    problems = checker.run()
    problems += [f"{module} stands on itself [circle]" for module in ARROWS
                 if module in below(module)]
    if checker.files == 0:
        problems.append(f"{arguments[1]}: no sources to check")
    for problem in problems:
        print(problem)
    print(f"layering: {checker.files} files, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
