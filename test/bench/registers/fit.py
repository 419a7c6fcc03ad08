#!/usr/bin/env python3
# ===- fit.py - The weights of the estimate of registers -------------------===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
#
#   rows of accuracy.py --write --> weights for analysis/registers/Pressure.cpp
#
# Least absolute deviations, by iteratively reweighted least squares: a kernel
# that the model cannot describe pulls at the weights no more than any other.
#
# usage: fit.py <file that accuracy.py wrote>
#
# ===----------------------------------------------------------------------===#
"""Fits the weights of expectedRegisters()."""

import json
import pathlib
import sys

NAMES = ("Constant", "OfOrdered", "OfBatched")
ROUNDS = 40


def measures(row):
    return 1, row["ordered"], row["batched"]


def solve(matrix, right):
    """Gaussian elimination with pivots."""
    n = len(right)
    for i in range(n):
        pivot = max(range(i, n), key=lambda j: abs(matrix[j][i]))
        matrix[i], matrix[pivot] = matrix[pivot], matrix[i]
        right[i], right[pivot] = right[pivot], right[i]
        for j in range(i + 1, n):
            factor = matrix[j][i] / matrix[i][i]
            right[j] -= factor * right[i]
            for k in range(i, n):
                matrix[j][k] -= factor * matrix[i][k]
    result = [0.0] * n
    for i in reversed(range(n)):
        known = sum(matrix[i][k] * result[k] for k in range(i + 1, n))
        result[i] = (right[i] - known) / matrix[i][i]
    return result


def fit(rows):
    inputs = [measures(r) for r in rows]
    truth = [r["truth"] for r in rows]
    size, weights = len(NAMES), [1.0] * len(rows)
    result = [0.0] * size
    for _ in range(ROUNDS):
        matrix = [[sum(w * x[a] * x[b] for w, x in zip(weights, inputs)) +
                   (1e-3 if a == b else 0) for b in range(size)]
                  for a in range(size)]
        right = [sum(w * x[a] * t for w, x, t in zip(weights, inputs, truth))
                 for a in range(size)]
        result = solve(matrix, right)
        weights = [1 / max(1.0, abs(t - sum(map(lambda p, q: p * q, x, result))))
                   for x, t in zip(inputs, truth)]
    return result


def main(arguments):
    if len(arguments) != 2:
        sys.exit("usage: fit.py <file that accuracy.py wrote>")
    rows = json.loads(pathlib.Path(arguments[1]).read_text("utf-8"))["rows"]
    # What a call takes is a rule of its own.
    rows = [r for r in rows if not r["calls"]]
    for name, value in zip(NAMES, fit(rows)):
        print(f"{name} = {value:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
