# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks #line directives: every line of the original is still there, under its
own number. usage: check_lines.py <original> <with directives>"""
import re
import sys

old = open(sys.argv[1], encoding="utf-8").read().split("\n")
found = set()
number = 0
for line in open(sys.argv[2], encoding="utf-8").read().split("\n"):
    directive = re.match(r"#line (\d+) ", line)
    if directive:
        number = int(directive.group(1)) - 1
        continue
    number += 1
    if number <= len(old) and old[number - 1] == line:
        found.add(number)
lost = [n for n in range(1, len(old) + 1) if n not in found]
for n in lost:
    print(f"line {n} is not where it was: {old[n - 1]}")
sys.exit(bool(lost))
