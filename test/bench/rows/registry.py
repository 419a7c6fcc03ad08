# ===- registry.py - Which kinds of kernels there are ------------------ ===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Functions marked with @form write the body of a kernel of one kind.

A weight is roughly how often such loops were seen in public code among loops
whose lanes stand a row apart.
"""
from draft import Form

NUMBERS = {"float": 62, "double": 22, "int": 12, "short": 2,
           "unsigned char": 2}
REALS = {"float": 70, "double": 30}

ALL = []


def form(name, weight, group, types=None, arrays=None, least=1, most=8192,
         writes=0, passes=1, outer=0, headers=(), guards=(), addresses=(),
         may_be_wide=True, may_be_generic=True):
    def register(write):
        ALL.append(Form(name, weight, write, group, types or NUMBERS,
                        arrays or {1: 1}, least, most, writes, passes, outer,
                        headers, guards, addresses, may_be_wide,
                        may_be_generic))
        return write
    return register


UP = ("up",)
BY_ONE = ("up", "outside", "up-to-last", "down", "while")
