#!/usr/bin/env python3
# ===- carveout.py - The carve-outs that a driver takes --------------------===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""The carve-outs that a driver takes, as test/unit/data/carveouts.csv has them.

    nvcc -arch=native -o carveout Carveout.cu
    ncu --csv --metrics launch__shared_mem_config_size ./carveout 1 600 >log
    carveout.py log >carveouts.csv

One line for each launch: threads, static, dynamic bytes, registers, blocks of
the grid, percent asked for (-1: nothing), bytes of the carve-out.
"""

import csv
import sys


def main():
    with open(sys.argv[1], encoding="utf-8") as log:
        lines = log.read().splitlines()
    launches = [line for line in lines if line.count(",") == 5 and '"' not in line]
    measured = [
        row["Metric Value"].replace(",", "")
        for row in csv.DictReader(line for line in lines if line.startswith('"'))
    ]
    if len(launches) != len(measured):
        sys.exit(f"{len(launches)} launches, {len(measured)} measured")
    print("threads,static,dynamic,registers,grid,percent,carveout")
    for launch, size in zip(launches, measured):
        print(f"{launch},{size}")


main()
