#!/usr/bin/env python3
# ===- documentation.py - What is there is written down --------------------===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
#
#   transforms/*.cpp --> its line in Transforms.def, its page, its test, its line
#                        in CHANGELOG.md, --help
#   catt-rewrite --help -----> docs/command-line.md
#   docs/README.md --links--> every other page; every relative link resolves
#   headers ----> named in docs/design.md or in Transforms.def
#   sources ----> license, no file above 500 lines without a reason, no
#                 unfinished business
#
# usage: documentation.py <root of the sources> <catt-rewrite>
#
# ===----------------------------------------------------------------------===#
"""Checks that transforms, options and pages agree with each other."""

import pathlib
import re
import subprocess
import sys

LINE_LIMIT = 500
# Files that may be longer, and why they have to be.
LONG = {
    "analysis/frontend/NvccFlags.cpp":
        "one case for each row of nvcc's option table",
    "test/fuzz/RowWalks.cpp":
        "one draw for each way to write a walk over a row",
    "test/fuzz/Statements.cpp":
        "one case for each kind of statement that the generator writes",
    "test/unit/SpillSharedTest.cpp":
        "each text before and after is shown whole, refusals included",
    "test/unit/WarpIndependenceTest.cpp":
        "one row for each disguise of a wait or a barrier",
    "analysis/model/AffineIndex.cpp":
        "one value type and its algebra: each operation needs the others",
    "test/unit/CudaFrontEndTest.cpp":
        "every way to compile CUDA, and every declaration that is built in",
    "test/unit/FootprintTest.cpp":
        "each count stands beside the brute force that checks it",
    "test/unit/NvccFlagsTest.cpp":
        "one case for each flag of nvcc, in each of its forms",
    "test/unit/OccupancyTest.cpp":
        "NVIDIA's arithmetic is compared over all devices and resources",
    "test/unit/RowLoopsTest.cpp":
        "one case for each form of a loop over rows, and for what is none",
    "test/unit/StageRowsTest.cpp":
        "each text before and after is shown whole, refusals included",
    "test/unit/SplitWarpGroupsTest.cpp":
        "each text before and after is shown whole, refusals included",
    "test/unit/ThrottlePlanTest.cpp":
        "one case for each way to agree or to disagree about a plan",
}

LICENSE_LINE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
SOURCES = {".h", ".cpp", ".py"}
TOP_LEVEL = {"CMakeLists.txt", "CMakePresets.json", "README.md", "LICENSE",
             "CONTRIBUTING.md", "CHANGELOG.md", "dev", "tool", "analysis",
             "transforms", "test", "samples", "docs"}
# Put together here, so that this file does not hold what it looks for.
UNFINISHED = re.compile(r"\b(" + "|".join(
    ["TO" + "DO", "FIX" + "ME", "X" * 3, "HA" + "CK",
     "under " + "construction"]) + r")\b")

RULES = {"transforms", "listed", "file-name", "page", "page-sentence",
         "header-sentence", "sketch", "unit-test", "changelog", "help",
         "help-sentence", "option", "reachable", "link", "anchor", "license",
         "length", "stale-length", "unfinished", "top-level", "design"}


def squeeze(text):
    """Words with one blank between them, comment signs taken out."""
    return " ".join(re.sub(r"^[ \t]*//[/!]*", " ", text, flags=re.M).split())


def kebab(name):
    """SplitWarpGroups, PreferL1 -> split-warp-groups, prefer-l1."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()


def files_of(root):
    """Every file of ours: what git knows and does not ignore, else all."""
    git = subprocess.run(
        ["git", "-C", root, "ls-files", "-z", "--cached", "--others",
         "--exclude-standard"], capture_output=True, check=False)
    if git.returncode == 0:
        names = git.stdout.decode().split("\0")
    else:
        names = [p.relative_to(root).as_posix() for p in root.rglob("*")]
        skip = {".git", ".cache", "build", "node_modules", "__pycache__"}
        names = [n for n in names if not skip & set(n.split("/"))]
    return sorted(n for n in names if n and (root / n).is_file())


def slug(heading):
    """The anchor that GitHub makes of a heading."""
    heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    heading = re.sub(r"[^\w\- ]", "", heading.strip().lower())
    return heading.replace(" ", "-")


def without_code(markdown):
    """Fenced blocks and code spans hold no links and no headings."""
    markdown = re.sub(r"^[ \t]*(```|~~~).*?^[ \t]*\1[^\n]*$", "", markdown,
                      flags=re.M | re.S)
    return re.sub(r"`[^`\n]*`", "``", markdown)


class Checker:
    def __init__(self, root, help_text):
        self.root = pathlib.Path(root).resolve()
        self.help = help_text
        self.files = files_of(self.root)
        self.problems = []

    def report(self, path, rule, message):
        self.problems.append(f"{path}: {message} [{rule}]")

    def read(self, path):
        """Text of a file; empty if there is none."""
        file = self.root / path
        return (file.read_text(encoding="utf-8", errors="replace")
                if file.is_file() else "")

    # Transforms.

    def check_transforms(self):
        found = 0
        for path in self.files:
            if not re.fullmatch(r"transforms/[A-Z]\w*\.cpp", path):
                continue
            for match in re.finditer(
                    r"class (\w+)\s*(?:final)?\s*:\s*public Transform\b",
                    self.read(path)):
                found += 1
                self.check_transform(path, match.group(1))
        if not found:
            self.report("transforms", "transforms", "there is no transform")

    def check_transform(self, path, kind):
        text = self.read(path)
        line = re.search(rf'^TRANSFORM\({kind}, "([^"]*)"',
                         self.read("transforms/Transforms.def"), re.M)
        summary = re.search(r'\bsummary\(\)[^{]*\{\s*return((?:\s*"[^"]*")+)',
                            text)
        if not line:
            self.report("transforms/Transforms.def", "listed",
                        f"{kind} is not in the list")
            return
        name = line.group(1)
        if not summary or kebab(kind) != name:
            self.report(path, "file-name",
                        f"{kind} must be listed as \"{kebab(kind)}\" and return "
                        "one sentence as its summary")
            return
        sentence = "".join(re.findall(r'"([^"]*)"', summary.group(1)))
        if path != f"transforms/{kind}.cpp":
            self.report(path, "file-name", f"{kind} belongs into {kind}.cpp")
        head = text.split("#include")[0]
        if sentence not in squeeze(head):
            self.report(path, "header-sentence",
                        f"the header does not open with: {sentence}")
        if "// Before" not in head or "// After" not in head:
            self.report(path, "sketch", "no Before/After sketch")
        self.check_transform_papers(name, kind, sentence)

    def check_transform_papers(self, name, kind, sentence):
        page = f"docs/transforms/{name}.md"
        if page not in self.files:
            self.report(page, "page", f"{name} has no page")
        elif sentence not in squeeze(self.read(page)):
            self.report(page, "page-sentence", f"the page lacks: {sentence}")
        test = f"test/unit/{kind}Test.cpp"
        if not re.search(r"\bTEST(_[FP])?\(", self.read(test)):
            self.report(test, "unit-test", f"{name} has no tests")
        if not re.search(rf"^[-*] .*`{name}`", self.read("CHANGELOG.md"), re.M):
            self.report("CHANGELOG.md", "changelog", f"no line for `{name}`")
        if not re.search(rf"(?<![\w-]){name}(?![\w-])", self.help):
            self.report("catt-rewrite --help", "help", f"{name} is not there")
        elif sentence not in " ".join(self.help.split()):
            self.report("catt-rewrite --help", "help-sentence",
                        f"it lacks: {sentence}")

    # Options.

    def check_options(self):
        page = self.read("docs/command-line.md")
        options = re.findall(r"^\s+(--?[A-Za-z][\w-]*)", self.help, re.M)
        if not options:
            self.report("catt-rewrite --help", "option", "it lists no option")
        for option in sorted(set(options)):
            if not re.search(rf"(?<![\w-]){option}(?![\w-])", page):
                self.report("docs/command-line.md", "option",
                            f"{option} is not explained")

    # Pages.

    def links(self, path):
        """(target as written, path in the tree or None, anchor)."""
        text = without_code(self.read(path))
        written = re.findall(r"\]\(<?([^)>\s]+)>?(?:\s+\"[^\"]*\")?\)", text)
        written += re.findall(r"^\[[^\]]+\]:\s+<?([^>\s]+)", text, re.M)
        written += re.findall(r'<(?:img|a)\b[^>]*\b(?:src|href)="([^"]+)"', text)
        for target in written:
            if re.match(r"[a-z][a-z0-9+.-]*:", target):
                continue
            file, _, anchor = target.partition("#")
            there = ((self.root / path).parent / file).resolve() if file \
                else self.root / path
            inside = there.relative_to(self.root).as_posix() \
                if there.exists() and there.is_relative_to(self.root) else None
            yield target, inside, anchor

    def check_links(self):
        for path in self.files:
            if not path.endswith(".md") or "/Inputs/" in path:
                continue
            for target, inside, anchor in self.links(path):
                if inside is None:
                    self.report(path, "link", f"{target} leads nowhere")
                elif anchor and inside.endswith(".md"):
                    text = without_code(self.read(inside).replace("`", ""))
                    heads = re.findall(r"^#+\s+(.*?)\s*#*$", text, re.M)
                    names = {slug(h) for h in heads} | set(
                        re.findall(r'\b(?:id|name)="([^"]+)"', text))
                    if anchor not in names:
                        self.report(path, "anchor",
                                    f"{target}: no such heading")

    def check_reachable(self):
        start = "docs/README.md"
        seen, todo = {start}, [start]
        while todo:
            for _, inside, _ in self.links(todo.pop()):
                # A link to a folder shows all that is in it.
                found = {p for p in self.files if inside and (
                    p == inside or p.rpartition("/")[0] == inside)}
                for page in sorted(found - seen):
                    if page.endswith(".md"):
                        seen.add(page)
                        todo.append(page)
        if start not in self.files:
            self.report(start, "reachable", "there is no index")
        for path in self.files:
            if re.fullmatch(r"docs/.*\.md", path) and path not in seen:
                self.report(path, "reachable", f"no way from {start}")

    # Sources.

    def check_sources(self):
        for path in self.files:
            suffix = pathlib.PurePosixPath(path).suffix
            ours = re.match(r"(analysis|transforms|tool|test|\.ci)/|dev$", path)
            if not ours or "/Inputs/" in path:
                continue
            lines = self.read(path).split("\n")
            if UNFINISHED.search("\n".join(lines)):
                self.report(path, "unfinished", "it says that it is unfinished")
            if suffix not in SOURCES:
                continue
            # A header of a few lines that only forwards needs none.
            if len(lines) > 10 and not any(LICENSE_LINE in l
                                           for l in lines[:12]):
                self.report(path, "license", f"no line '{LICENSE_LINE}'")
            if len(lines) - 1 > LINE_LIMIT and path not in LONG:
                self.report(path, "length", f"{len(lines) - 1} lines; split it "
                            "or give a reason in test/house/documentation.py")
        for path in LONG:
            if self.read(path).count("\n") <= LINE_LIMIT:
                self.report(path, "stale-length", "listed as long, and is not")

    def check_design(self):
        """Every header has its line in the picture of the house."""
        page = self.read("docs/design.md")
        for path in self.files:
            if not re.fullmatch(r"(analysis|transforms|tool)/.*\.h", path) \
                    or "/builtin/" in path or "/runtime/" in path \
                    or path.startswith(("tool/executor/include/",
                                        "tool/executor/library/")):
                continue
            stem = pathlib.PurePosixPath(path).stem
            if not re.search(rf"\b{stem}\b", page):
                self.report(path, "design", "docs/design.md does not name it")

    def check_top_level(self):
        for name in sorted({p.split("/")[0] for p in self.files}):
            if not name.startswith(".") and name not in TOP_LEVEL:
                self.report(name, "top-level", "does not belong there")
        for name in sorted(TOP_LEVEL):
            if not (self.root / name).exists():
                self.report(name, "top-level", "is missing")

    def run(self):
        self.check_transforms()
        self.check_options()
        self.check_links()
        self.check_reachable()
        self.check_sources()
        self.check_design()
        self.check_top_level()
        return self.problems


def main(arguments):
    if len(arguments) != 3:
        sys.exit("usage: documentation.py <root of the sources> <catt-rewrite>")
    tool = subprocess.run([arguments[2], "--help"], capture_output=True,
                          text=True, check=True, stdin=subprocess.DEVNULL)
    checker = Checker(arguments[1], tool.stdout)
    problems = checker.run()
    for problem in problems:
        print(problem)
    print(f"documentation: {len(checker.files)} files, "
          f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
