//===- RegistersTesting.h - Kernels in PTX ----------------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TEST_UNIT_REGISTERSTESTING_H
#define CATT_TEST_UNIT_REGISTERSTESTING_H

#include "analysis/registers/Code.h"
#include "analysis/registers/Ptx.h"
#include "gtest/gtest.h"

namespace catt::testing {

/// A module with one kernel k(p, n) of this body.
inline ptx::Module readKernel(llvm::StringRef Body, llvm::StringRef Head = "") {
  std::string Text = (Head +
                      "\n.visible .entry k(.param .u64 k_param_0, "
                      ".param .u32 k_param_1)\n{\n" +
                      Body + "\n}\n")
                         .str();
  auto M = ptx::readPtx(Text, "k.ptx");
  if (M)
    return std::move(*M);
  ADD_FAILURE() << llvm::toString(M.takeError());
  ptx::Module Empty;
  Empty.Functions.emplace_back();
  return Empty;
}

/// Why a text is not PTX; "" if it is.
inline std::string readError(llvm::StringRef Text) {
  auto M = ptx::readPtx(Text, "k.ptx");
  return M ? "" : llvm::toString(M.takeError());
}

inline Code lowerKernel(llvm::StringRef Body) {
  ptx::Module M = readKernel(Body);
  return lower(M.Functions.front());
}

} // namespace catt::testing

#endif
