# ===- forms.py - What kernels do with their rows ---------------------- ===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""The kinds of kernels, as registry.form notes them.

  ALL       row walks, and a few others beside them
  CORPUS    these and all others: a third of it walks no rows

Written from the published algorithms: linear algebra, statistics, softmax and
layer normalisation, k-means, sparse rows, embeddings, images of bytes, filters
and prefix sums.
"""
import registry
import reductions
import written
import nests

ALL = list(registry.ALL)
import others

CORPUS = list(registry.ALL)
KINDS = {"rows": ALL, "all": CORPUS}
MODULES = (reductions, written, nests, others)  # in the order of CORPUS
