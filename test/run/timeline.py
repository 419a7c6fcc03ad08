#!/usr/bin/env python3
# ===- timeline.py - Where host and device were at each launch -------------===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Draws what `launches stream ROWS LAUNCHES times.csv` wrote; needs python3.

  timeline.py out.svg "as written=old.csv" "with trials=new.csv" [--first N]

Each program has two lanes: the host's launches, and the device's kernels, each
from its beginning to its end. A launch that waited for a kernel would be as long
as it. Prints the medians and the longest of both; the first launch loads code.
"""
import argparse
import csv
import statistics
from xml.sax.saxutils import escape

LEFT, RIGHT, LANE, BAR = 110, 20, 26, 16
WIDTH = 900
HOST, DEVICE = "#e0a030", "#2b7bba"


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return [{name: float(value) for name, value in row.items()}
                for row in csv.DictReader(file)]


def describe(name, rows):
    lanes = []
    for lane in ("host", "device"):
        lengths = [row[f"{lane} end"] - row[f"{lane} begin"] for row in rows]
        lanes.append(f"{lane} {statistics.median(lengths):.1f} us (the first "
                     f"{lengths[0]:.1f}, the others at most "
                     f"{max(lengths[1:]):.1f})")
    return f"{name}: {len(rows)} launches, in the median " + ", ".join(lanes)


def picture(programs, first):
    span = max(row["device end"] for _, rows in programs for row in rows[:first])
    scale = (WIDTH - LEFT - RIGHT) / span
    out, y = [], 34
    for name, rows in programs:
        for lane, colour in (("host", HOST), ("device", DEVICE)):
            out.append(f'<text x="8" y="{y + 12}">'
                       f'{escape(name if lane == "host" else "")}</text>')
            out.append(f'<text x="{LEFT - 6}" y="{y + 12}" '
                       f'text-anchor="end">{lane}</text>')
            for row in rows[:first]:
                x = LEFT + row[f"{lane} begin"] * scale
                width = max((row[f"{lane} end"] - row[f"{lane} begin"]) * scale,
                            0.8)
                out.append(f'<rect x="{x:.2f}" y="{y}" width="{width:.2f}" '
                           f'height="{BAR}" fill="{colour}" stroke="white" '
                           'stroke-width="0.3"/>')
            y += LANE
        y += 12
    step = 10 ** len(str(int(span / 1000 / 4))) / 2 or 1
    at = 0.0
    while at * 1000 <= span:
        x = LEFT + at * 1000 * scale
        out.append(f'<line x1="{x:.1f}" y1="28" x2="{x:.1f}" y2="{y - 8}" '
                   'stroke="#cccccc" stroke-width="0.5"/>')
        out.append(f'<text x="{x:.1f}" y="{y + 8}" text-anchor="middle">'
                   f'{at:g}</text>')
        at += step
    title = f"the first {first} launches, in milliseconds"
    return "\n".join(
        [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" '
         f'height="{y + 20}" font-family="sans-serif" font-size="11">',
         f'<rect width="{WIDTH}" height="{y + 20}" fill="white"/>',
         f'<text x="{WIDTH / 2}" y="18" text-anchor="middle" '
         f'font-size="13">{title}</text>', *out, "</svg>", ""])


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("svg")
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--first", type=int, default=20)
    args = parser.parse_args()
    programs = []
    for program in args.programs:
        name, path = program.rsplit("=", 1)
        programs.append((name, read(path)))
        print(describe(*programs[-1]))
    with open(args.svg, "w", encoding="utf-8") as file:
        file.write(picture(programs, args.first))


if __name__ == "__main__":
    main()
