# ===- text.py - Lines of a program ----------------------------------- ===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Breaks and indents what draft.py writes, much as clang-format would."""
import re


def wrapped(head, items, tail):
    """head, items with commas, tail: on as many lines as they take."""
    lines, line = [], head
    for k, item in enumerate(items):
        piece = item + (", " if k + 1 < len(items) else tail)
        if len(line) + len(piece.rstrip()) > 80 and line != head:
            lines.append(line.rstrip())
            line = "    "
        line += piece
    return "\n".join([*lines, line if items else head + tail])


def indented(lines):
    """Lines of a function, each by the braces around it."""
    out, depth, extra = [], 1, 0
    for line in lines:
        line = line.strip()
        if line.startswith("#"):
            out.append(line)
            continue
        depth -= line.startswith("}")
        out.append("  " * (depth + extra) + line)
        depth += line.count("{") - line.count("}") + line.startswith("}")
        is_head = re.match(r"(for|if|while|else)\b", line) and \
            line[-1] not in ";{}"
        extra = extra + 1 if is_head else 0
    return out
