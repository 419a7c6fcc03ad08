//===- RowReferencesTest.cpp - Elements that functions refer to -----------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SourceTesting.h"
#include "llvm/ADT/StringExtras.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace catt;
using namespace catt::testing;

namespace {

/// The rows of `s += Sum;` in a loop over A[i * m + j], or what refuses them.
std::string rowsOf(llvm::StringRef Type, llvm::StringRef Sum,
                   llvm::StringRef Before = "") {
  Parsed P =
      parseSnippet(("#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n" +
                    Before + "\n__global__ void k(const " + Type +
                    " *__restrict__ A, float *__restrict__ y, int n, int m) {\n"
                    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                    "  if (i >= n) return;\n  float s = 0;\n"
                    "  for (int j = 0; j < m; ++j)\n    s += " +
                    Sum + ";\n  y[i] = s;\n}\n")
                       .str());
  const Kernel &K = P.kernel("k");
  if (K.RowLoops.size() != 1)
    return "no rows";
  const RowLoop &Rows = K.RowLoops.front();
  std::vector<std::string> Out;
  for (const Refusal &R : Rows.Refusals)
    Out.push_back("refused: " + R.Detail);
  for (const RowRead &R : Rows.Reads)
    Out.push_back(R.Type + " " + K.Accesses[R.Access].Text);
  return llvm::join(Out, ", ");
}

TEST(RowReferences, PositiveConversionsOfNarrowFloats) {
  for (const char *Sum :
       {"(float)A[i * m + j]", "float(A[i * m + j])",
        "static_cast<float>(A[i * m + j])", "__half2float(A[i * m + j])"})
    EXPECT_EQ(rowsOf("__half", Sum), "__half A[i * m + j]") << Sum;
  EXPECT_EQ(rowsOf("__nv_bfloat16", "(float)A[i * m + j]"),
            "__nv_bfloat16 A[i * m + j]");
}

TEST(RowReferences, PositiveInFunctions) {
  for (const char *Function :
       {"float f(__half v) { return __half2float(v); }",
        "float f(__half v) { return (float)v * 2; }",
        "float f(const __half &v) { return __half2float(v); }",
        "float f(const __half &v) { return v; }",
        "float f(__half v) { return __hgt(v, v) ? 1.f : 0.f; }"})
    EXPECT_EQ(rowsOf("__half", "f(A[i * m + j])",
                     "__device__ " + std::string(Function)),
              "__half A[i * m + j]")
        << Function;
  EXPECT_EQ(rowsOf("float", "f(A[i * m + j])",
                   "__device__ float f(const float &v) { return v * 2 + 1; }"),
            "float A[i * m + j]");
}

TEST(RowReferences, NegativeFunctionsThatDoMore) {
  for (const char *Function :
       {"float f(const float &v) { return (&v)[1]; }",
        "float f(const float &v) { return const_cast<float &>(v) = 1; }",
        "const float &f(const float &v) { return v; }",
        "float f(float &v) { return v; }",
        "float f(const float &v) { __syncthreads(); return v; }",
        "float f(const float &v);"}) {
    std::string Said = rowsOf("float", "f(const_cast<float *>(A)[i * m + j])",
                              "__device__ " + std::string(Function));
    EXPECT_TRUE(Said == "no rows" || llvm::StringRef(Said).contains("refused"))
        << Function << ": " << Said;
  }
}

TEST(RowReferences, NegativeAMacroAndATemplateThatKeepsTheAddress) {
  EXPECT_EQ(rowsOf("float", "f(A[i * m + j])",
                   "template <class T> __device__ float f(const T &v) "
                   "{ const T *p = &v; return p[1]; }"),
            "refused: a call that does more than compute");
  EXPECT_EQ(rowsOf("float", "AT(A[i * m + j])", "#define AT(x) (*(&(x) + n))"),
            "no rows");
}

} // namespace
