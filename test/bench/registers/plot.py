#!/usr/bin/env python3
# ===- plot.py - Picture of a sweep over register caps --------------- ===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Draws a judged sweep as SVG; needs python3, nothing else.

  plot.py registers.json picture.svg

One panel per kernel: time relative to the compiler's own choice against the
registers of a thread (a point for each that some cap leads to; hollow where
values are spilled), with that choice, the tool's and the best marked.
"""
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from plot import svg, text  # noqa: E402

WIDTH, HEIGHT, TOP = 250, 150, 64
MARKS = {"default": ("#70757a", "without a cap"),
         "ours": ("#2b7bba", "the tool's choice"),
         "best": ("#3d9a50", "best of the sweep")}


def panel(case, x0, y0):
    points = sorted(case["points"], key=lambda p: p["registers"])
    default = next(p for p in points if p["cap"] == 0)
    least = min(p["median_ms"] for p in points)
    most = 2.0
    cap = case["choices"].get("model")
    marks = {"default": default,
             "ours": next((p for p in points if p["cap"] == cap), None),
             "best": next(p for p in points if p["median_ms"] == least)}

    def x(p):
        return x0 + 34 + (p["registers"] - 32) / (168 - 32) * (WIDTH - 60)

    def y(ratio):
        low = 0.7
        return y0 + HEIGHT - 30 - (min(ratio, most) - low) / (most - low) \
            * (HEIGHT - 52)

    body = [text(x0 + 34, y0 + 12, f"{case['case']}, {default['median_ms']:.3f}"
                 " ms", 11)]
    for tick in (1, 1.5, 2):
        body.append(f'<line x1="{x0 + 30}" x2="{x0 + WIDTH - 20}" '
                    f'y1="{y(tick):.1f}" y2="{y(tick):.1f}" '
                    f'stroke="{"#666" if tick == 1 else "#ddd"}"/>')
        body.append(text(x0 + 26, y(tick) + 3, tick, 9, "end"))
    for tick in (32, 64, 96, 128, 168):
        body.append(text(x({"registers": tick}), y0 + HEIGHT - 14, tick, 9,
                         "middle"))
    for p in points:
        ratio = p["median_ms"] / default["median_ms"]
        body.append(f'<circle cx="{x(p):.1f}" cy="{y(ratio):.1f}" r="2.5" '
                    f'fill="{"white" if p["local_bytes"] else "#444"}" '
                    'stroke="#444"/>')
    for radius, (name, p) in zip((5, 7.5, 10), marks.items()):
        if p:
            ratio = p["median_ms"] / default["median_ms"]
            body.append(f'<circle cx="{x(p):.1f}" cy="{y(ratio):.1f}" '
                        f'r="{radius}" fill="none" stroke-width="1.6" '
                        f'stroke="{MARKS[name][0]}"/>')
    return body


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sweep = json.loads(Path(sys.argv[1]).read_text())
    body = [text(12, 22, "Time relative to no cap, against registers per thread",
                 15),
            text(12, 38, f"{sweep['machine'].get('gpu', '')}, "
                 f"{sweep['machine']['built_with']}; lower is better; hollow: "
                 "some values are spilled; above 2 drawn at 2", 11)]
    at = 12
    for colour, name in MARKS.values():
        body.append(f'<circle cx="{at + 5}" cy="50" r="5" fill="none" '
                    f'stroke="{colour}" stroke-width="1.6"/>')
        body.append(text(at + 16, 54, name))
        at += 30 + 7 * len(name)
    for number, case in enumerate(sweep["cases"]):
        body += panel(case, number % 4 * WIDTH, TOP + number // 4 * HEIGHT)
    rows = (len(sweep["cases"]) + 3) // 4
    Path(sys.argv[2]).write_text(svg(4 * WIDTH, TOP + rows * HEIGHT, body))


if __name__ == "__main__":
    main()
