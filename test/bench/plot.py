#!/usr/bin/env python3
# ===- plot.py - Pictures of a sweep --------------------------------------===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Draws the results of a throttle sweep as SVG; needs python3, nothing else.

  plot.py throttle.json DIR [staged.json]

Writes DIR/<name>-bars-<L1D>.svg (each loop: original, the paper's rule, the
tool's choice, best of the sweep; lower is better) and
DIR/<name>-sweep-<L1D>.svg (time against active warps per SM, a curve per number
of resident blocks, with the choices marked, as figure 9 of the CATT paper).
With what test/bench/staged measured, the bars of the driver's default L1 have one
more for the loops whose rows go through tiles: their time over that of the
original in the same run.
A choice that the sweep did not measure is drawn at the measured point nearest
to its number of active warps, and marked with an asterisk in the table that is
printed.
"""
import json
import math
import sys
from pathlib import Path
from xml.sax.saxutils import escape

SETTINGS = ("default", "max", "28")
TITLES = {"default": "driver's default L1D", "max": "largest L1D (248 KiB)",
          "28": "L1D of 28 KiB"}
COLOURS = {"original": "#9aa5b1", "paper": "#e0a030", "ours": "#2b7bba",
           "best": "#3d9a50", "staged": "#b04a8a"}
NAMES = {"original": "original", "paper": "paper's rule", "ours": "tool's choice",
         "best": "best of sweep", "staged": "rows in tiles"}
SERIES = ("original", "paper", "ours", "best", "staged")
CURVES = ["#2b7bba", "#e0a030", "#3d9a50", "#b04a8a", "#c0504d", "#70757a",
          "#8c6d31", "#17a2a2"]


def points_at(case, l1d):
    return [p for p in case["points"] if p["l1d"] == l1d]


def original(points):
    return next((p for p in points if p["original"]), None)


def find(points, choice):
    """(the measured point of a choice, measured exactly so?)."""
    if not choice or choice["warps"] is None or choice["blocks"] is None:
        return None, False
    if choice.get("original"):
        return original(points), True
    exact = [p for p in points if (p["warps"], p["blocks_seen"]) ==
             (choice["warps"], choice["blocks"])]
    if exact:
        return exact[0], True
    wanted = choice["warps"] * choice["blocks"]
    return min(points, key=lambda p: (abs(math.log(active(p) / wanted)),
                                      p["median_ms"])), False


def active(point):
    """Warps of the loop that an SM runs at a time."""
    return point["warps"] * max(1, point["blocks_seen"])


def chosen(case, l1d):
    """{series: (point, measured exactly?)} of one case at one setting."""
    points = points_at(case, l1d)
    base = original(points)
    if not base:
        return None
    # The tool asks for the largest L1D where the driver would choose.
    ask = case.get("choices", {}).get("max" if l1d == "default" else l1d, {})
    result = {"original": (base, True),
              "best": (min(points, key=lambda p: p["median_ms"]), True)}
    for series, model in (("paper", "catt"), ("ours", "exact")):
        point, exact = find(points, ask.get(model))
        if point:
            result[series] = (point, exact)
    return result


def add_staged(cases, compared):
    """case["staged"]: the time of rows in tiles, relative to the original."""
    times = {c["case"]: c["rewritten_ms"] / c["original_ms"]
             for c in compared["cases"]
             if "stage-rows" in c["did"] and "rewritten_ms" in c}
    for case in cases:
        if case["case"] in times:
            case["staged"] = times[case["case"]]


def ratios_of(case, l1d):
    """{series: time relative to the original}; "staged" has the default L1 only."""
    row = chosen(case, l1d)
    base = row["original"][0]["median_ms"]
    ratios = {name: point["median_ms"] / base for name, (point, _) in row.items()}
    if "staged" in case and l1d == "default":
        ratios["staged"] = case["staged"]
    return ratios


def text(x, y, words, size=11, anchor="start", extra=""):
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" '
            f'text-anchor="{anchor}" {extra}>{escape(str(words))}</text>')


def svg(width, height, body):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" '
            f'height="{height}" viewBox="0 0 {width} {height}" '
            'font-family="sans-serif" fill="#222">\n'
            f'<rect width="{width}" height="{height}" fill="white"/>\n'
            + "\n".join(body) + "\n</svg>\n")


def legend(x, y, series):
    parts = []
    for name in series:
        parts.append(f'<rect x="{x}" y="{y - 9}" width="10" height="10" '
                     f'fill="{COLOURS[name]}"/>')
        parts.append(text(x + 14, y, NAMES[name]))
        x += 26 + 7 * len(NAMES[name])
    return parts


def bars(cases, l1d, machine):
    """Horizontal bars: time relative to the original, cut off at 2."""
    rows = [(c, chosen(c, l1d)) for c in cases]
    rows = [(c, r) for c, r in rows if r]
    series = [name for name in SERIES
              if any(name in ratios_of(c, l1d) for c, _ in rows)]
    left, scale, bar, top = 190, 260, 9, 64
    height = top + len(rows) * (bar * len(series) + 10) + 30
    body = [text(12, 22, f"Time relative to the original, {TITLES[l1d]}", 15),
            text(12, 38, f"{machine.get('gpu', '')}, lower is better"
                 + (f"; rows in tiles: {machine['staged']}, over the original "
                    "there" if "staged" in series else ""), 11),
            *legend(left, 54, series)]
    for tick in (0, 0.5, 1, 1.5, 2):
        x = left + tick * scale
        body.append(f'<line x1="{x}" y1="{top}" x2="{x}" y2="{height - 26}" '
                    f'stroke="{"#666" if tick == 1 else "#ddd"}"/>')
        body.append(text(x, height - 12, tick, 10, "middle"))
    y = top + 6
    for case, row in rows:
        base = row["original"][0]["median_ms"]
        body.append(text(left - 6, y + 22, case["case"], 10.5, "end"))
        body.append(text(left - 6, y + 34, f"{base:.2f} ms", 9, "end",
                         'fill="#777"'))
        ratios = ratios_of(case, l1d)
        for name in series:
            if name in ratios:
                ratio = ratios[name]
                body.append(f'<rect x="{left}" y="{y}" '
                            f'width="{min(2, ratio) * scale:.1f}" '
                            f'height="{bar - 1}" fill="{COLOURS[name]}"/>')
                body.append(text(left + min(2, ratio) * scale + 3, y + 8,
                                 f"{ratio:.2f}", 8))
            y += bar
        y += 10
    return svg(left + 2 * scale + 60, height, body)


def curve(case, l1d, x0, y0, width, height):
    """One small picture: milliseconds against active warps, both logarithmic."""
    points = points_at(case, l1d)
    marks = chosen(case, l1d)
    times = [p["median_ms"] for p in points]
    low, high = math.log(min(times) * 0.9), math.log(max(times) * 1.1)
    most = max(active(p) for p in points)

    def place(point):
        x = x0 + width * math.log2(active(point)) / max(1, math.log2(most))
        y = y0 + height * (high - math.log(point["median_ms"])) / (high - low)
        return x, y

    body = [text(x0, y0 - 6, case["case"], 11),
            f'<rect x="{x0}" y="{y0}" width="{width}" height="{height}" '
            'fill="none" stroke="#bbb"/>']
    for value in (min(times), max(times)):
        y = y0 + height * (high - math.log(value)) / (high - low)
        body.append(text(x0 - 4, y + 3, f"{value:.2f}", 9, "end"))
    warps = 1
    while warps <= most:
        x = x0 + width * math.log2(warps) / max(1, math.log2(most))
        body.append(text(x, y0 + height + 12, warps, 9, "middle"))
        warps *= 4
    for index, blocks in enumerate(sorted({p["blocks_seen"] for p in points},
                                          reverse=True)):
        row = {}
        for point in points:  # the first has no shared memory reserved
            if point["blocks_seen"] == blocks:
                row.setdefault(point["warps"], point)
        row = sorted(row.values(), key=active)
        colour = CURVES[index % len(CURVES)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in map(place, row))
        if len(row) > 2:  # of some numbers only the two ends were measured
            body.append(f'<polyline points="{path}" fill="none" '
                        f'stroke="{colour}" stroke-width="1.3"/>')
        body += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2" fill="{colour}"/>'
                 for x, y in map(place, row)]
        body.append(text(x0 + width + 3, y0 + 10 + 11 * index, f"{blocks}", 9,
                         extra=f'fill="{colour}"'))
    for name, radius in (("original", 9), ("paper", 7.5), ("ours", 6),
                         ("best", 4.5)):
        if name in marks:
            x, y = place(marks[name][0])
            body.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" '
                        f'fill="none" stroke="{COLOURS[name]}" '
                        'stroke-width="2"/>')
    return body


def sweep(cases, l1d, machine):
    cases = [c for c in cases if chosen(c, l1d)]
    across, width, height, gap = 4, 190, 120, 62
    rows = (len(cases) + across - 1) // across
    body = [text(12, 22, f"Milliseconds against active warps per SM, "
                 f"{TITLES[l1d]}", 15),
            text(12, 38, f"{machine.get('gpu', '')}; a curve per number of "
                 "blocks per SM (right of each picture); rings:", 11),
            *legend(540, 38, ("original", "paper", "ours", "best"))]
    for index, case in enumerate(cases):
        body += curve(case, l1d, 50 + (width + gap) * (index % across),
                      70 + (height + gap - 14) * (index // across), width, height)
    return svg(50 + across * (width + gap), 70 + rows * (height + gap - 14), body)


def geometric(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else 0


def summary(cases):
    """Geometric means: time over best, and speed-up over the original."""
    print(f"{'group':13}{'L1D':>9}{'loops':>6}{'ours/best':>11}{'worst':>7}"
          f"{'paper/best':>12}{'ours gains':>12}{'best gains':>12}")
    for group in ("contended", "insensitive"):
        for l1d in SETTINGS:
            rows = [r for c in cases if c["group"] == group
                    for r in [chosen(c, l1d)] if r]
            if not rows:
                continue

            def ratios(a, b):
                return [r[a][0]["median_ms"] / r[b][0]["median_ms"]
                        for r in rows if a in r and b in r]
            ours = ratios("ours", "best")
            print(f"{group:13}{l1d:>9}{len(rows):6}{geometric(ours):11.3f}"
                  f"{max(ours, default=0):7.2f}"
                  f"{geometric(ratios('paper', 'best')):12.3f}"
                  f"{geometric(ratios('original', 'ours')):12.3f}"
                  f"{geometric(ratios('original', 'best')):12.3f}")
    missing = [f"{c['case']} at {l1d} ({s})" for c in cases for l1d in SETTINGS
               for s, (_, exact) in (chosen(c, l1d) or {}).items() if not exact]
    if missing:
        print("* nearest measured point taken for: " + ", ".join(missing))


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    result = json.loads(Path(sys.argv[1]).read_text())
    directory, name = Path(sys.argv[2]), Path(sys.argv[1]).stem
    directory.mkdir(parents=True, exist_ok=True)
    cases = [c for c in result["cases"] if c["points"]]
    if len(sys.argv) == 4:
        compared = json.loads(Path(sys.argv[3]).read_text())
        add_staged(cases, compared)
        result["machine"]["staged"] = compared["machine"]["gpu"]
    contended = [c for c in cases if c["group"] == "contended"]
    for l1d in SETTINGS:
        if any(points_at(c, l1d) for c in cases):
            (directory / f"{name}-bars-{l1d}.svg").write_text(
                bars(cases, l1d, result["machine"]))
        if any(points_at(c, l1d) for c in contended):
            (directory / f"{name}-sweep-{l1d}.svg").write_text(
                sweep(contended, l1d, result["machine"]))
    summary(cases)


if __name__ == "__main__":
    main()
