//===- SpillTesting.h - Kernels whose values are moved ----------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TEST_UNIT_SPILLTESTING_H
#define CATT_TEST_UNIT_SPILLTESTING_H

#include "SnippetBench.h"
#include "transforms/Transform.h"

namespace catt::testing {

/// LiveValue::UseWeight of a value that the innermost loop reads.
constexpr unsigned UsedInAllLoops = 1000;

/// A snippet whose kernel k is to move values: all that have a name (of these)
/// are live in the lines that say PEAK, and so many registers are to be freed.
struct SpillBench : SnippetBench {
  explicit SpillBench(const std::string &Code, int64_t Registers = 255,
                      const std::vector<std::string> &Names = {})
      : SnippetBench(Code, "spill-shared") {
    KernelReport &K = R.Kernels[0];
    Use.Default.Registers = 16 + Registers - 1; // and one for the address
    llvm::StringRef Text = Code;
    for (size_t Mark = Text.find("PEAK"); Mark != llvm::StringRef::npos;
         Mark = Text.find("PEAK", Mark + 1)) {
      size_t Line = Text.take_front(Mark).rfind('\n') + 1;
      size_t At = Text.find_first_not_of(' ', Line);
      PressurePeak Peak;
      Peak.Begin = {R.MainFile, unsigned(Text.take_front(At).count('\n') + 1),
                    unsigned(At - Line + 1)};
      Peak.End = Peak.Begin;
      for (const ThreadValue &V : K.Source.Values)
        if (Names.empty() || llvm::is_contained(Names, V.Name))
          Peak.Live.push_back({V.Variable, V.Where, 1, true, UsedInAllLoops});
      Use.Peaks.push_back(Peak);
    }
    Options.Gpu = R.Gpu;
    K.Pressure = Use;
    K.Spill = planSpill(K.Source, Use, 16, Options);
  }

  const SharedSpill &spill() const { return *R.Kernels[0].Spill; }

  RegisterUse Use;
  RegisterOptions Options;
};

/// Registers that the marker of a rewritten text says; 0: it has none.
inline int64_t movedIn(const std::map<std::string, std::string> &Texts) {
  int64_t Count = 0;
  for (const auto &[File, Text] : Texts) {
    auto [Before, At] = llvm::StringRef(Text).split("catt: spill-shared(");
    if (!At.empty())
      EXPECT_FALSE(At.split(')').first.getAsInteger(10, Count)) << Text;
  }
  return Count;
}

/// A kernel with this body, launched with this configuration.
inline std::string
spillKernel(const std::string &Body,
            const std::string &Launch = "<<<9999, 256>>>",
            const std::string &Head = "static __global__ void") {
  return Head + " k(const float *A, float *y, int n) {\n" + Body +
         "\n}\nvoid host(float *A) { k" + Launch + "(A, A, 3); }\n";
}

/// More than 48 KiB of values for blocks of 1024 threads.
inline std::string
longArray(const std::string &Launch,
          const std::string &Head = "static __global__ void") {
  return spillKernel("  float v[200];\n#pragma unroll\n"
                     "  for (int i = 0; i < 200; ++i) v[i] = A[i];\n"
                     "  for (int i = 0; i < n; ++i)\n    y[i] = 1; // PEAK\n"
                     "#pragma unroll\n"
                     "  for (int i = 0; i < 200; ++i) y[i] = v[i];",
                     Launch, Head);
}

/// 40 values that a loop does not touch.
inline std::string
manyValues(const std::string &Launch = "<<<9999, 256>>>",
           const std::string &Head = "static __global__ void") {
  return spillKernel("  float v[40];\n#pragma unroll\n"
                     "  for (int i = 0; i < 40; ++i)\n    v[i] = A[i];\n"
                     "  for (int i = 0; i < n; ++i)\n"
                     "    y[i] = A[i]; // PEAK\n"
                     "#pragma unroll\n  for (int i = 0; i < 40; ++i)\n"
                     "    y[n + i] = v[i];",
                     Launch, Head);
}

} // namespace catt::testing

#endif
