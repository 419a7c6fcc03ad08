#!/usr/bin/env python3
# ===- mutations.py - Every mutation breaks what it says -------------------===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
#
#   test/fuzz/mutations/*.patch --each hunk--> stands in the sources, once
#                               --first line--> its row in docs/verification.md
#
# A patch whose surroundings have changed may still apply, somewhere else. What
# a mutation does to the program only test/fuzz/mutate.sh can show.
#
# usage: mutations.py <root of the sources>
#
# ===----------------------------------------------------------------------===#
"""Checks that patches apply exactly and that the table of them is complete."""

import pathlib
import re
import sys

PAGE = "docs/verification.md"
HEAD = re.compile(r"[A-Za-z].*\.\n(Danger: [a-z-]+\n)?\n(?=--- a/)")
ROW = re.compile(r"^\| ([a-z0-9-]+) \| (.*?) \|", re.MULTILINE)
COUNT = re.compile(r"`test/fuzz/mutations/` holds (\d+) patches")


def hunks(text):
    """(file, the lines it expects there) for each hunk of a patch."""
    found, file = [], None
    for line in text.splitlines():
        if line.startswith("+++ b/"):
            file = line[len("+++ b/"):]
        elif line.startswith("@@"):
            found.append((file, []))
        elif found and line[:1] in (" ", "-") and not line.startswith("--- "):
            found[-1][1].append(line[1:])
    return [(file, "".join(line + "\n" for line in lines))
            for file, lines in found]


def check_patch(root, text):
    """What is wrong with one patch."""
    if not HEAD.match(text):
        yield "begins with no sentence and an empty line"
    all_hunks = hunks(text)
    if not all_hunks:
        yield "changes nothing"
    for file, lines in all_hunks:
        path = root / file
        there = path.read_text(encoding="utf-8") if path.is_file() else ""
        times = ("\n" + there).count("\n" + lines)
        if times != 1:
            yield (f"what it changes stands {times} times in {file}: "
                   "make the patch again")


def check(root):
    """All problems of the tree, one line each."""
    problems = []
    patches = {p.stem: p.read_text(encoding="utf-8")
               for p in sorted((root / "test/fuzz/mutations").glob("*.patch"))}
    page = (root / PAGE).read_text(encoding="utf-8")
    rows = dict(ROW.findall(page))
    for name, text in patches.items():
        problems += [f"{name}.patch: {what}" for what in check_patch(root, text)]
        if rows.get(name) != text.split("\n", 1)[0]:
            problems.append(f"{PAGE}: no row says of {name} what its patch says")
    table = page.partition("| mutation |")[2].partition("\n\n")[0]
    for name, _ in ROW.findall(table):
        if name not in patches:
            problems.append(f"{PAGE}: there is no mutation {name}")
    if COUNT.findall(page) != [str(len(patches))]:
        problems.append(f"{PAGE}: does not say that there are {len(patches)} "
                        "patches")
    return problems


def main(arguments):
    if len(arguments) != 2:
        sys.exit("usage: mutations.py <root of the sources>")
    problems = check(pathlib.Path(arguments[1]))
    for problem in problems:
        print(problem)
    print(f"mutations: {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
