#!/usr/bin/env python3
# ===- draw_layers.py - Who may know whom, as a picture ---------------------===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Draws the modules of layering.py and their arrows.

  draw_layers.py FILE.svg           writes the picture
  draw_layers.py --check FILE.svg   fails if it is not that of today

A module lies above all that it stands on. An arrow that follows from others is
left out.
"""
import argparse
import sys
from pathlib import Path

from layering import ARROWS, below

WIDTH, HEIGHT, ROW, GAP, MARGIN = 118, 30, 64, 14, 20
PASS = 10  # of an arrow that passes between two modules
PASSES = 8  # over all levels, until nothing moves
STYLE = """<style>
  rect { fill: #eef3fa; stroke: #4a6a94; rx: 5 }
  text { font: 13px sans-serif; fill: #16263a; text-anchor: middle }
  path { fill: none; stroke: #7c8a9c; stroke-width: 1.2; marker-end: url(#tip) }
  @media (prefers-color-scheme: dark) {
    rect { fill: #22303f; stroke: #8fb0d8 } text { fill: #e6edf5 }
  }
</style>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7"
  markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" style="fill: #7c8a9c;
  stroke: none; marker-end: none"/></marker></defs>"""


def direct(module):
    """What it stands on by no other way."""
    return sorted(lower for lower in ARROWS[module]
                  if not any(lower in below(other)
                             for other in ARROWS[module] - {lower}))


def levels_of(modules):
    """By level, 0 below; an arrow that passes a level has a place there, too."""
    level = {}
    for module in sorted(modules, key=lambda m: (len(below(m)), m)):
        level[module] = 1 + max((level[m] for m in ARROWS[module]), default=-1)
    rows = [[] for _ in range(max(level.values()) + 1)]
    for module in sorted(modules):
        rows[level[module]].append(module)
    ways = {}
    for module in modules:
        for lower in direct(module):
            passes = [(module, lower, at)
                      for at in range(level[module] - 1, level[lower], -1)]
            for place in passes:
                rows[place[2]].append(place)
            ways[module, lower] = [module, *passes, lower]
    return rows, list(ways.values())


def arrange(rows, ways):
    """Centres along x, every node near to its neighbours above and below."""
    near = {node: [] for row in rows for node in row}
    for way in ways:
        for upper, lower in zip(way, way[1:]):
            near[upper].append(lower)
            near[lower].append(upper)
    centre = {node: 0 for node in near}
    for _ in range(PASSES):
        for row in [*reversed(rows), *rows]:
            row.sort(key=lambda node: (sum(centre[n] for n in near[node])
                                       / max(len(near[node]), 1), str(node)))
            widths = [WIDTH if isinstance(node, str) else PASS for node in row]
            x = -(sum(widths) + GAP * (len(row) - 1)) / 2
            for node, width in zip(row, widths):
                centre[node] = x + width / 2
                x += width + GAP
    return centre


def draw():
    modules = [m for m in ARROWS if ARROWS[m] or
               any(m in lower for lower in ARROWS.values())]
    rows, ways = levels_of(modules)
    centre = arrange(rows, ways)
    left = min(centre[m] for m in modules) - WIDTH / 2 - MARGIN
    across = 2 * -left
    down = (len(rows) - 1) * ROW + HEIGHT + 2 * MARGIN
    top = {node: MARGIN + (len(rows) - 1 - level) * ROW
           for level, row in enumerate(rows) for node in row}
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{across:g}" '
           f'height="{down}" viewBox="0 0 {across:g} {down}" role="img" '
           'aria-label="The modules, each above those that it stands on">',
           STYLE]
    for way in ways:
        path = ""
        for upper, lower in zip(way, way[1:]):
            x, y = centre[upper] - left, top[upper] + HEIGHT
            to_x, to_y = centre[lower] - left, top[lower]
            bend = (to_y - y) / 2
            path += (f"{'L' if path else 'M'}{x:g} {y:g}C{x:g} {y + bend:g} "
                     f"{to_x:g} {to_y - bend:g} {to_x:g} {to_y:g}")
        out.append(f'<path d="{path}"/>')
    for module in sorted(modules):
        x, y = centre[module] - left, top[module]
        out.append(f'<rect x="{x - WIDTH / 2:g}" y="{y:g}" width="{WIDTH}" '
                   f'height="{HEIGHT}"/><text x="{x:g}" '
                   f'y="{y + HEIGHT / 2 + 4.5:g}">{module}</text>')
    return "\n".join([*out, "</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("picture", type=Path)
    arguments = parser.parse_args()
    if not arguments.check:
        arguments.picture.write_text(draw())
    elif arguments.picture.read_text() != draw():
        sys.exit(f"{arguments.picture}: not today's; run "
                 f"test/house/draw_layers.py {arguments.picture}")


if __name__ == "__main__":
    main()
