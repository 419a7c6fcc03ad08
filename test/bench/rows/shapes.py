# ===- shapes.py - How many rows, how long, by which threads ---------- ===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Draws the sizes of a kernel whose threads walk a row each.

  length     1 to 8192 elements, log-uniform
  rows       as many as a tenth of a wave of an H200 to 40 waves have threads,
             log-uniform between what takes long enough to be timed and what
             fits in memory and time
"""
import math
from dataclasses import dataclass

SMS, THREADS_PER_SM, BLOCKS_PER_SM = 132, 2048, 32  # H200

MOST_BYTES = 15 << 27  # of all arrays: 1.9 GiB
MOST_ELEMENTS = (1 << 31) - 1  # of an array: indices are int
# Launches take 0.02 to 20 ms as written. Row walks were measured at 4e10 loads
# of an element a second where every line is fetched again and again
# (shared/MODEL.md section 8), streams at the speed of memory.
MOST_LOADS, MOST_LOADED, LEAST_BYTES = 8e8, 3.2e9, 4e7
# A thread alone needs 15 ns and more for an element, whatever the others do.
LEAST_STEPS = 1300

FLAT_BLOCKS = {32: 3, 64: 9, 96: 2, 128: 20, 192: 4, 256: 36, 320: 1, 384: 2,
               512: 13, 1024: 10}
WIDE_BLOCKS = {(8, 8): 10, (16, 16): 40, (32, 8): 20, (32, 4): 8, (16, 8): 6,
               (32, 16): 4, (32, 32): 10, (8, 32): 2}


@dataclass
class Shape:
    length: int
    rows: int
    block: tuple  # x, y
    grid: tuple
    waves: float
    width: int = 0  # of two dimensions: rows = width * height


def pick(rng, weights):
    """A key, by its weight."""
    return rng.choices(list(weights), list(weights.values()))[0]


def log_uniform(rng, low, high):
    return math.exp(rng.uniform(math.log(low), math.log(high)))


def length(rng, least, most, multiple):
    """Log-uniform; half of them round numbers, as programs have them."""
    drawn = log_uniform(rng, least, most + 1)
    if rng.random() < 0.5:
        unit = rng.choice([2 ** round(math.log2(drawn)), 16, 10, 8])
        if drawn >= unit:
            drawn = round(drawn / unit) * unit
    return min(max(least, multiple, int(drawn) // multiple * multiple), most)


def wave(threads):
    """Threads that the GPU holds at once, in such blocks."""
    return SMS * min(BLOCKS_PER_SM, THREADS_PER_SM // threads) * threads


def row_count(rng, row, threads):
    """How many rows (threads of the grid)."""
    most = min(40 * wave(threads), MOST_BYTES // row.memory,
               MOST_ELEMENTS // row.elements, MOST_LOADS // row.loads,
               MOST_LOADED // row.loaded)
    least = wave(threads) / 10
    if row.steps < LEAST_STEPS:
        least = max(least, LEAST_BYTES / row.loaded)
    return int(log_uniform(rng, min(least, most), most))


@dataclass
class Row:
    """What one row (one thread) costs."""
    memory: int    # bytes of its own, in all arrays
    elements: int  # of the longest array
    loads: int     # of elements, by its thread
    loaded: int    # bytes of these
    steps: int     # iterations, one behind the other


def draw(rng, row, elements, wide, exact, strided):
    """wide: blocks of two dimensions; exact: no thread too many; strided: each
    thread takes several rows."""
    block = pick(rng, WIDE_BLOCKS) if wide else (pick(rng, FLAT_BLOCKS), 1)
    threads = block[0] * block[1]
    rows = row_count(rng, row, threads)
    per_thread = rng.choice([2, 3, 4, 8]) if strided else 1
    blocks = max(1, rows // threads // per_thread)
    if wide:
        across = max(1, round(math.sqrt(blocks * block[1] / block[0])
                              * rng.choice([0.5, 1, 2])))
        grid = (across, max(1, blocks // across))
        width, height = (grid[k] * block[k] for k in (0, 1))
        if not exact:
            width -= rng.randrange(block[0])
            height -= rng.randrange(block[1])
        rows = width * height
    else:
        grid, width = (blocks, 1), 0
        rows = blocks * threads * per_thread
        if not exact:
            rows -= rng.randrange(threads)
    return Shape(elements, rows, block, grid,
                 grid[0] * grid[1] * threads / wave(threads), width)
