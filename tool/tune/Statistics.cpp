//===- Statistics.cpp - Which times are better ----------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/tune/Statistics.h"
#include "llvm/ADT/STLExtras.h"
#include <vector>

namespace catt {

double median(llvm::ArrayRef<double> Values) {
  if (Values.empty())
    return 0;
  std::vector<double> Sorted(Values.begin(), Values.end());
  llvm::sort(Sorted);
  size_t N = Sorted.size();
  return (Sorted[(N - 1) / 2] + Sorted[N / 2]) / 2;
}

bool isClearlyLess(llvm::ArrayRef<double> New, llvm::ArrayRef<double> Old) {
  return !New.empty() && !Old.empty() &&
         *llvm::max_element(New) < *llvm::min_element(Old);
}

} // namespace catt
