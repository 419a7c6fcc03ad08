# ===- ptx.py - PTX under caps, and what ptxas makes of it ------------- ===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""What is done with PTX by the suites whose points are caps.

  stairs()    the caps at which one more block fits on an SM
  bounded()   PTX with a cap
  entries()   PTX, kernel by kernel
  uses()      what ptxas -v says of each
"""
import re

REGISTERS_PER_SM, THREADS_PER_SM, LEAST_CAP = 65536, 2048, 32  # sm_90

ENTRY = re.compile(r"\.entry\s+(\w+)\s*\([^)]*\)\s*([^{]*)\{")


def stairs(threads, most=168):
    """The most registers of a thread, a multiple of 8, for each number of
    blocks that share an SM."""
    warps = -(-threads // 32)
    caps = {REGISTERS_PER_SM // (blocks * warps) // 256 * 8
            for blocks in range(1, THREADS_PER_SM // (32 * warps) + 1)}
    return sorted((c for c in caps if LEAST_CAP <= c <= most), reverse=True)


def bounded(ptx, threads, cap, pragma):
    """The PTX with a cap for every kernel that has no bounds of its own."""
    def bounds(match):
        if match[2].strip():
            return match[0]
        return (match[0][:-1] + f".maxntid {threads[match[1]]}, 1, 1\n"
                f".maxnreg {cap}\n{{"
                + ('\n.pragma "enable_smem_spilling";' if pragma else ""))
    return ENTRY.sub(bounds, ptx)


def entries(ptx):
    """{kernel: its PTX}."""
    starts = [m for m in ENTRY.finditer(ptx)]
    return {m[1]: ptx[m.start():ptx.index("\n}", m.end())] for m in starts}


def uses(said):
    """{kernel: registers, spilled bytes} of what ptxas -v says. (It subtracts
    what the pragma moved: ptxas 13.0 says "-8 bytes spill stores" at times.)"""
    found = re.findall(
        r"Function properties for (\w+)\n.*?(-?\d+) bytes spill stores, "
        r"(-?\d+) bytes spill loads\n.*?Used (\d+) registers(.*)", said)
    return {name: {"registers": int(registers),
                   "spill_bytes": max(0, int(stores) + int(loads))}
            for name, stores, loads, registers, _ in found}
