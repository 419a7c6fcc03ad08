//===- RematTesting.h - Kernels with a peak of pressure ----------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A peak is the lines that say so:
//
//   Squeezed S("int row = i * n;\n"
//              "A[row] = 0;\n"
//              "for (int j = 0; j < n; ++j)\n"
//              "  s += B[j]; // peak\n"
//              "A[row] += s;\n");
//   S.plan(); // "row before `A[row] += s;` hides i"
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TEST_UNIT_REMATTESTING_H
#define CATT_TEST_UNIT_REMATTESTING_H

#include "SourceTesting.h"
#include "analysis/plan/remat/RematPlan.h"

namespace catt::testing {

/// A kernel k(float *A, const float *__restrict__ B, int n, float f) that knows
/// i, the number of its thread, and has 4 registers too many at its peaks.
class Squeezed {
public:
  explicit Squeezed(llvm::StringRef Body,
                    const std::vector<std::string> &Flags = {},
                    llvm::StringRef Before = "")
      : P(parseSnippet(
            (Before +
             "__global__ void k(float *A, const float *__restrict__ B, int n, "
             "float f) {\n"
             "int i = blockIdx.x * blockDim.x + threadIdx.x;\n" +
             "A[i] = f;\n" + Body + "A[i] += n;\n}\n")
                .str(),
            Flags)) {
    Use.MaxLive = 100;
    Use.Default.Registers = 100;
    addPeak("// peak", 100);
  }

  /// A peak at the lines that hold a text.
  void addPeak(llvm::StringRef Mark, unsigned Registers) {
    PressurePeak Peak;
    Peak.Registers = Registers;
    llvm::StringRef Rest = P.Code;
    for (unsigned Line = 1; !Rest.empty(); ++Line) {
      auto [Text, Below] = Rest.split('\n');
      Rest = Below;
      if (!Text.contains(Mark))
        continue;
      Location Here{kernel().Where.File, Line, 1};
      if (!Peak.Begin.valid())
        Peak.Begin = Here;
      Peak.End = Here;
    }
    if (Peak.Begin.valid())
      Use.Peaks.push_back(Peak);
  }

  const Kernel &kernel() const { return P.kernel("k"); }

  std::optional<RematPlan> result(unsigned Target = 96) const {
    return planRemat(kernel(), Use, Target);
  }

  /// "row before `A[row] += s;` hides i", one line for each value.
  std::string plan(unsigned Target = 96) const {
    std::optional<RematPlan> Plan = result(Target);
    std::string Out = Plan ? "" : "no plan";
    for (size_t I = 0; Plan && I < Plan->Values.size(); ++I) {
      const Recomputation &R = Plan->Values[I];
      Out += (I ? "\n" : "") + kernel().Values[R.Value].Name + " before";
      for (unsigned S : R.Before)
        Out += " `" + P.text(kernel().Statements[S].Span) + "`";
      Out += " hides " + R.Hidden.Name;
    }
    return Out;
  }

  /// Why the value stays, if it is a refusal that names it.
  std::optional<Reason> refusal(llvm::StringRef Name) const {
    std::optional<RematPlan> Plan = result();
    if (Plan)
      for (const Refusal &R : Plan->Refusals)
        if (llvm::StringRef(R.Detail).contains(("'" + Name + "'").str()))
          return R.Kind;
    return std::nullopt;
  }

  Parsed P;
  RegisterUse Use;
};

} // namespace catt::testing

#endif
