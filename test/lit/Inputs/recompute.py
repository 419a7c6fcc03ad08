#!/usr/bin/env python3
"""Computes the figures of every remark about a split loop anew.

    recompute.py REPORT.json TEXT

Footprints follow from the lines and the residency in the report, the groups
from the warps of a block. Ends with 1 where the text says another number.
"""

import json
import os
import sys

LINE_BYTES = 128


def kib(count):
    if count % 1024 == 0:
        return f"{count // 1024:,} KiB"
    return f"{count / 1024:,.1f} KiB"


def lines_of(level, warps):
    """Lines of a group of so many warps (see linesByWarps in the schema)."""
    larger = level["linesPerBlock"]
    for known in level["linesByWarps"]:
        if known["warps"] == warps:
            return known["lines"]
        if known["warps"] > warps:
            larger = known["lines"]
            break
    return min(larger, level["linesPerWarp"] * warps)


def footprint(level, warps, blocks):
    lines = lines_of(level, warps)
    shared = min(level["linesShared"], lines)
    return (lines * blocks - shared * (blocks - 1)) * LINE_BYTES


def expected(kernel, loop):
    """What the remark about a loop has to say."""
    before, after = kernel["before"], kernel["after"]
    level = loop["levels"][0]
    block, group = before["warpsPerBlock"], loop["warpsPerGroup"]
    groups = -(-block // group)
    assert loop["groups"] == groups, loop
    whole = footprint(level, block, before["blocksPerSM"])
    part = footprint(level, group, after["blocksPerSM"])
    resident = block * before["blocksPerSM"]
    active = group * after["blocksPerSM"]
    exact = resident * loop["linesPerWarp"] * LINE_BYTES == whole
    remark = f"loop over {loop['iterator']}: {resident} warps "
    remark += (
        f"x {loop['linesPerWarp']} lines = {kib(whole)}"
        if exact
        else f"with up to {loop['linesPerWarp']} lines each touch {kib(whole)}"
    )
    effect = f"expected effect: {active} warps at a time instead of {resident} "
    effect += f"touch {kib(part)}: "
    gain = loop["predictedGain"]
    return remark, effect, gain and f"(predicted: {gain:.1f} times as fast"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        report = json.load(file)
    with open(sys.argv[2], encoding="utf-8") as file:
        text = file.read().splitlines()
    compared = 0
    for file in report["files"]:
        for kernel in (file["report"] or {"kernels": []})["kernels"]:
            for loop in kernel["loops"]:
                if not loop["split"] or loop["groups"] < 2:
                    continue
                place = loop["location"]
                name = os.path.basename(place["file"])
                at = f"/{name}:{place['line']}:{place['column']}: "
                said = [line for line in text if at in line]
                remark, effect, gain = expected(kernel, loop)
                compared += 1
                for part in filter(None, (remark, effect, gain)):
                    if not any(part in line for line in said):
                        print(f"computed: {part}", "said:", *said, sep="\n")
                        sys.exit(1)
    print(f"{compared} remarks computed again")


main()
