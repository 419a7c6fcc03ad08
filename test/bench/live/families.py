# ===- families.py - What kernels keep their values for ---------------- ===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""ALL: every family, as registry.family notes them.

Written from published algorithms and from what register allocation was studied
on: networks of sums, blocked products, dense solves, stencils with a queue of
planes, explicit steps of differential equations, Horner's scheme, and values
that wait for the end of a loop that does not touch them.
"""
import registry
import loops
import steps
import straight

MODULES = (straight, loops, steps)  # for what they register
ALL = registry.ALL
