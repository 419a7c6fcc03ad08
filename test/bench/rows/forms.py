# ===- forms.py - What kernels do with their rows ---------------------- ===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""ALL: every kind of kernel, as registry.form notes them.

Written from the published algorithms: linear algebra, statistics, softmax and
layer normalisation, k-means, sparse rows, embeddings, images of bytes, filters
and prefix sums.
"""
import registry
import reductions
import written
import nests

MODULES = (reductions, written, nests)  # in the order of ALL
ALL = registry.ALL
