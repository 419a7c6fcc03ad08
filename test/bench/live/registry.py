# ===- registry.py - Which kinds of kernels there are ------------------ ===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Functions marked with @family write the body of a kernel of one kind."""
from dataclasses import dataclass

FLOATS = {"float": 1}
REALS = {"float": 80, "double": 20}


@dataclass
class Family:
    name: str
    weight: int
    write: object  # Draft -> lines
    types: dict    # of its values
    least: int     # live values, in registers
    most: int


ALL = []


def family(name, weight, types=None, least=40, most=255):
    def register(write):
        ALL.append(Family(name, weight, write, types or FLOATS, least, most))
        return write
    return register
