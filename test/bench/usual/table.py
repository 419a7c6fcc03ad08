#!/usr/bin/env python3
# ===- table.py - Usual kernels as written and rewritten ----------------- ===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""table.py FILE: shows what DIR/run has written; ends with 1 if outputs differ."""
import math
import sys
from pathlib import Path

SIDES = "original", "rewritten"
SPREAD = 1.02  # between two runs of one program


def read(text):
    """{kernel: {side: the least time}}, and the kernels whose outputs differ."""
    times, digests = {}, {}
    for line in text.splitlines():
        side, name, ms, digest = line.split()
        least = times.setdefault(name, dict.fromkeys(SIDES, math.inf))
        least[side] = min(float(ms), least[side])
        digests.setdefault(name, set()).add(digest)
    return times, [name for name, found in digests.items() if len(found) > 1]


def show(times, different):
    rows = []
    gains = {name: least["original"] / least["rewritten"]
             for name, least in times.items()}
    for name, least in times.items():
        rows.append(f"{name:14}{least['original']:9.3f} ms"
                    f"{least['rewritten']:9.3f}{gains[name]:7.2f}"
                    + ("  outputs differ" if name in different else ""))
    mean = math.exp(sum(map(math.log, gains.values())) / len(gains))
    faster = sum(gain > SPREAD for gain in gains.values())
    slower = sum(gain < 1 / SPREAD for gain in gains.values())
    rows.append(f"{len(gains)} kernels, {faster} faster and {slower} slower by "
                f"more than 2 %; {mean:.3f} times as fast in the mean, "
                f"{min(gains.values()):.2f} at least; "
                f"{len(different) or 'no'} outputs differ")
    return "\n".join(rows)


if __name__ == "__main__":
    found, differ = read(Path(sys.argv[1]).read_text())
    print(show(found, differ))
    sys.exit(1 if differ else 0)
