//===- StageTesting.h - Kernels planned with tiles ---------------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   StageBench B(kernel(Usual), /*Columns=*/16);
//   EXPECT_REWRITE(B, HasSubstr("cattLoadRow<16, 68>"));
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TEST_UNIT_STAGETESTING_H
#define CATT_TEST_UNIT_STAGETESTING_H

#include "SnippetBench.h"
#include "analysis/plan/stage/TileLayout.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace catt::testing {

/// A snippet whose kernel k runs every loop that it can in tiles, or with rows
/// that stay.
struct StageBench : SnippetBench {
  explicit StageBench(const std::string &Code, int64_t Columns = 16,
                      int64_t MinTrips = 0, bool Sums = false,
                      bool Stays = false)
      : SnippetBench(Code, "stage-rows") {
    KernelReport &K = R.Kernels[0];
    for (unsigned I = 0; I < K.Source.RowLoops.size(); ++I) {
      const RowLoop &Rows = K.Source.RowLoops[I];
      LoopVersion Plan{I, {}, {}, Columns, MinTrips};
      for (unsigned Read = 0; Read < Rows.Reads.size(); ++Read)
        if (!Rows.Reads[Read].Why && Rows.Reads[Read].Walk.has_value() == Stays)
          Plan.Reads.push_back(Read);
      for (unsigned Sum = 0; Sums && Sum < Rows.Sums.size(); ++Sum)
        if (!Rows.Sums[Sum].Why)
          Plan.Sums.push_back(Sum);
      if (!Rows.Refusals.empty() || Plan.Reads.empty())
        continue;
      K.Plan.Tiles.ThreadBytes =
          std::max(K.Plan.Tiles.ThreadBytes, threadBytes(Rows, Plan));
      K.Plan.Versions.push_back(Plan);
    }
    K.Plan.Tiles.Threads = 256;
    EXPECT_THAT(K.Plan.Versions, ::testing::Not(::testing::IsEmpty())) << Code;
  }
};

/// A kernel with this loop, launched with blocks of this shape.
inline std::string kernel(const std::string &Loop,
                          const std::string &Block = "256") {
  return "__global__ void k(const float *A, const float *__restrict__ B, "
         "float *y, int m) {\n"
         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  float s = 0;\n" +
         Loop + "  y[i] = s;\n}\nstatic void host(float *A) {\n  k<<<9, " +
         Block + ">>>(A, A, A, 3);\n}\n";
}

inline const std::string Usual = "  for (int j = 0; j < m; ++j)\n"
                                 "    s += A[i * m + j];\n";

/// Launched with this length, and asked for tiles if that is long.
inline StageBench launchedWith(const std::string &Length,
                               std::string Code = kernel(Usual)) {
  Code.replace(Code.find(", 3);"), 5, ", " + Length + ");");
  Code.replace(Code.find("host(float *A)"), 14, "host(float *A, int n)");
  StageBench B(Code, 16, 32);
  B.R.Kernels[0].Plan.Tiles.IsDynamic = B.R.Kernels[0].Plan.Tiles.IfLong = true;
  return B;
}

} // namespace catt::testing

#endif
