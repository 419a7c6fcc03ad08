# ===- launch.py - How many threads, in what blocks -------------------- ===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Draws the launch of a kernel that keeps many values.

  plan()       threads, blocks and rounds of the loop: half a wave to ten waves
               of an H200, 0.05 to 2 ms as far as a roofline can tell
  fitting()    the launch with blocks that can start with so many registers
"""
import math
import sys
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "rows"))
from shapes import log_uniform, pick

SMS, THREADS_PER_SM, REGISTERS_PER_SM = 132, 2048, 65536  # H200
FLOATS = 1 << 27  # of the input, and of the output: Sweep.h
LEAST_ROUNDS, MOST_ROUNDS = 4, 256
BLOCKS = {64: 8, 96: 5, 128: 24, 192: 8, 256: 30, 384: 5, 512: 13, 1024: 7}

# What an H200 was seen to do where nothing stands in the way: instructions of
# threads and bytes in a second. Below so many threads latencies are bare.
INSTRUCTIONS, BYTES, ENOUGH_THREADS = 1.2e13, 3e12, SMS * 640
LEAST_MS, MOST_MS = 0.06, 1.4


@dataclass(frozen=True)
class Work:
    """Of a thread: instructions and floats, once and for each round."""
    once: float = 0
    round: float = 0
    reads: int = 0         # coalesced: together they take n times as much
    round_reads: int = 0
    writes: int = 1
    round_writes: int = 0
    loops: bool = True


@dataclass(frozen=True)
class Launch:
    n: int
    block: int
    rounds: int

    @property
    def grid(self):
        return -(-self.n // self.block)


def fits(block, registers):
    return -(-registers // 8) * 8 * 32 * -(-block // 32) <= REGISTERS_PER_SM


def fitting(launch, registers):
    """Blocks are halved until one fits on an SM; all that are drawn can be."""
    block = launch.block
    while not fits(block, registers):
        block //= 2
    return replace(launch, block=block)


def milliseconds(work, n, rounds):
    instructions = work.once + rounds * work.round
    floats = work.reads + work.writes + rounds * (
        work.round_reads + work.round_writes)
    busy = min(1, n / ENOUGH_THREADS)
    return 1e3 * max(n * instructions / (INSTRUCTIONS * busy),
                     4 * n * floats / BYTES)


def most_threads(work, rounds):
    """That find room in the input and in the output."""
    return FLOATS // max(1, work.reads + rounds * work.round_reads,
                         work.writes + rounds * work.round_writes)


def plan(rng, work, registers, exact):
    """exact: n fills the grid, since no thread asks whether it is there."""
    block = pick(rng, BLOCKS)
    while not fits(block, registers):
        block //= 2
    per_block = -(-registers // 8) * 8 * block
    wave = SMS * block * min(REGISTERS_PER_SM // per_block,
                             THREADS_PER_SM // block)
    threads = wave * log_uniform(rng, 0.5, 10)
    target = log_uniform(rng, 1.3 * LEAST_MS, MOST_MS)
    choices = [r for r in range(LEAST_ROUNDS, MOST_ROUNDS + 1)
               if most_threads(work, r) >= wave / 2] if work.loops else [1]
    rounds = min(choices or [LEAST_ROUNDS], key=lambda r: abs(
        math.log(milliseconds(work, threads, r) / target)))
    while milliseconds(work, threads, rounds) < LEAST_MS and \
            threads < 9 * wave:
        threads *= 1.1
    while milliseconds(work, threads, rounds) > MOST_MS and threads > wave / 2:
        threads *= 0.9
    threads = max(wave / 2, min(10 * wave, threads))
    n = max(block, min(round(threads), most_threads(work, rounds)))
    return Launch(n // block * block if exact else n, block, rounds)
