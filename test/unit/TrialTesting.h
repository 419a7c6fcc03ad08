//===- TrialTesting.h - Kernels whose launches try ----------------*- C++
//-*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TEST_UNIT_TRIALTESTING_H
#define CATT_TEST_UNIT_TRIALTESTING_H

#include "StageTesting.h"

namespace catt::testing {

/// A kernel with this loop and what stands above it, and a host function with
/// this launch.
inline std::string
code(const std::string &Launch = "k<<<9, 256>>>(A, A, 3);",
     const std::string &Loop = "for (int j = 0; j < m; ++j)\n"
                               "    s += A[i * m + j];") {
  return "__global__ void k(const float *A, float *y, int m) {\n"
         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  float s = 0;\n  " +
         Loop +
         "\n  y[i] = s;\n}\n"
         "int next();\n"
         "static void host(float *A, int n, cudaStream_t on, cudaStream_t *all)"
         " {\n  " +
         Launch + "\n}\n";
}

inline std::string with(const std::string &Old, const std::string &New,
                        std::string Code = code()) {
  const size_t At = Code.find(Old);
  EXPECT_NE(At, std::string::npos) << Old;
  return Code.replace(At, Old.size(), New);
}

/// Kernel k, each of whose loops is to be run by four warps of a block at a
/// time, where that is faster.
struct TrialBench : SnippetBench {
  explicit TrialBench(const std::string &Code,
                      const char *Transform = "split-warp-groups")
      : SnippetBench(Code, Transform) {
    KernelReport &K = R.Kernels[0];
    K.Plan.ByTrials = true;
    for (unsigned I = 0; I < K.Source.Loops.size(); ++I) {
      LoopPlan &P = K.Plan.Loops.emplace_back();
      P.Loop = I;
      P.Groups = 2;
      P.WarpsPerGroup = 4;
      P.FootprintBytes = 512 * 1024;
    }
  }
};

/// What stands against the trial alone.
inline std::vector<std::string> against(const std::string &Code,
                                        bool InSlices = false) {
  TrialBench B(Code, "try-launches");
  B.R.Kernels[0].Plan.InSlices = InSlices;
  std::vector<std::string> Out;
  for (const Refusal &R : B.edits().Refused) {
    EXPECT_EQ(R.Kind, InSlices ? Reason::CannotSlice : Reason::CannotTry);
    Out.push_back(R.Detail);
  }
  return Out;
}

} // namespace catt::testing

#endif
