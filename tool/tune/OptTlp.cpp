//===- OptTlp.cpp - CRAT's profiled OptTLP --------------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/tune/OptTlp.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>

using namespace llvm;

namespace catt {

std::optional<OptTlp> optTlpOf(const TuneResult &R, const TunedKernel &K) {
  auto Original = R.OriginalMs.find(K.Best.Kernel);
  if (Original == R.OriginalMs.end())
    return std::nullopt;
  double Least = Original->second;
  std::optional<OptTlp> Found;
  for (const Tried &T : R.All) {
    const Recipe &P = T.What.How;
    if (P.Kernel != K.Best.Kernel || T.What.File != K.Source || !P.OptBlocks ||
        !T.What.Blocks || !T.Result || !T.Result->fine())
      continue;
    if (!Found)
      Found = OptTlp{*T.What.Blocks, *T.What.Blocks};
    if (T.Ms < Least) {
      Found->Blocks = std::min(*P.OptBlocks, *T.What.Blocks);
      Least = T.Ms;
    }
  }
  return Found;
}

std::string noteOn(const TunedKernel &K, const std::optional<OptTlp> &Found) {
  if (!Found)
    return formatv("OptTLP of '{0}' is not known: no text with fewer of its "
                   "blocks on an SM could be timed.",
                   K.Best.Kernel);
  return formatv("OptTLP of '{0}': {1} of {2} blocks on an SM.", K.Best.Kernel,
                 Found->Blocks, Found->AsWritten);
}

} // namespace catt
