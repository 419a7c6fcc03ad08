//===- StagePlanTesting.h - Kernels that walk rows ---------------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   EXPECT_THAT(staged(kernel("4096")), ElementsAre("A[i * 4096 + j] in 32"));
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TEST_UNIT_STAGEPLANTESTING_H
#define CATT_TEST_UNIT_STAGEPLANTESTING_H

#include "PlanTesting.h"
#include "analysis/plan/Decide.h"
#include "analysis/plan/stage/LongRows.h"
#include "analysis/plan/stage/StagePlan.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace catt::testing {

inline AnalysisOptions staging(Values Assumed = {}) {
  AnalysisOptions Options = options(std::nullopt, std::move(Assumed));
  Options.May.Stage = true;
  return Options;
}

/// Walks rows of so many elements: the body is that of the loop.
inline std::string kernel(const std::string &Trips,
                          const std::string &Block = "256",
                          const std::string &Body = "s += A[i * 4096 + j];",
                          const std::string &Type = "float") {
  return "__global__ void __launch_bounds__(1024) k(const " + Type +
         " *A, const " + Type + " *B, " + Type +
         " *y, int n, int m) {\n"
         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  " +
         Type + " s = 0;\n  for (int j = 0; j < " + Trips + "; ++j) {\n" +
         Body + "\n  }\n  y[i] = s;\n}\nvoid host(" + Type +
         " *A, int m) { k<<<1056, " + Block + ">>>(A, A, A, m, m); }\n";
}

inline KernelPlan decided(const std::string &Code,
                          const AnalysisOptions &Options = staging()) {
  Parsed P = parseSnippet(Code);
  KernelReport Report;
  Report.Source = P.kernel("k");
  decide(Report, Options);
  return Report.Plan;
}

/// "A[i * 4096 + j] in 32", one text for each loop that is staged.
inline std::vector<std::string>
staged(const std::string &Code, const AnalysisOptions &Options = staging()) {
  Parsed P = parseSnippet(Code);
  std::vector<std::string> Out;
  for (const LoopVersion &Each : decided(Code, Options).Versions)
    Out.push_back(namesOf(P.kernel("k").RowLoops.at(Each.Rows), Each) + " in " +
                  std::to_string(Each.Columns));
  return Out;
}

inline std::vector<Reason> notStaged(const std::string &Code) {
  KernelPlan Plan = decided(Code);
  EXPECT_THAT(Plan.Versions, ::testing::IsEmpty());
  std::vector<Reason> Out;
  for (const Refusal &Why : Plan.NotStaged)
    Out.push_back(Why.Kind);
  return Out;
}

inline const std::string TwoRows = "s += A[i * 4096 + j] + B[i * 4096 + j];";

/// What the first launch asks before it asks for tiles.
inline std::optional<std::string> longRows(const std::string &Code) {
  Parsed P = parseSnippet(Code);
  const Kernel &K = P.kernel("k");
  return longRowsAt(K.Launches.at(0), K, decided(Code).Versions);
}

} // namespace catt::testing

#endif
