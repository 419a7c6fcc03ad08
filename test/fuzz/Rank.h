//===- Rank.h - Candidates, predicted and played -----------------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TEST_FUZZ_RANK_H
#define CATT_TEST_FUZZ_RANK_H

#include "test/fuzz/Oracle.h"

namespace catt::fuzz {

/// Kendall's tau-b of two rankings of the same things: 1 equal, -1 opposite.
/// std::nullopt if one of them ranks nothing.
std::optional<double> kendall(const std::vector<double> &A,
                              const std::vector<double> &B);

/// For each loop that uses lines again, and each size of L1 that some of its
/// candidates fit and some do not: "| kernel | loop | KiB | candidates | tau
/// |".
std::vector<std::string> rankRows(const Kernel &K, const TracedLaunch &Launch,
                                  const simt::Result &Run);

} // namespace catt::fuzz

#endif
