//===- SplitRoundingTest.cpp - Products that barriers may not cut ----------==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SourceTesting.h"
#include "gmock/gmock.h"

using namespace catt;
using namespace catt::testing;

namespace {

/// "" if the first loop of the kernel may be wrapped, else what was found.
std::string found(llvm::StringRef Body, llvm::StringRef Before = "",
                  const std::vector<std::string> &Flags = {}) {
  Parsed P = parseSnippet((Before +
                           "\n__global__ void k(const float *A, const float "
                           "*B, float *y, int n, float a, float b) {\n"
                           "int i = blockIdx.x * blockDim.x + threadIdx.x;\n" +
                           Body + "\n}\n")
                              .str(),
                          Flags);
  const Loop &L = P.kernel("k").Loops[0];
  if (L.Site)
    return "";
  for (const Refusal &R : L.Refusals)
    if (R.Kind == Reason::MayContract)
      return R.Detail;
  return "another refusal";
}

constexpr const char *Loop = "for (int j = 0; j < n; ++j) y[i] += A[i + j];\n";
constexpr const char *Cut = ", which a barrier would keep from a sum";

std::string around(llvm::StringRef Before, llvm::StringRef Inside,
                   llvm::StringRef Behind = "") {
  return (Before + "\nif (i < n) {\n" + Inside + Loop + "}\n" + Behind).str();
}

TEST(SplitRounding, negativeProductBefore) {
  EXPECT_EQ(found(around("float p = B[i] * a;", "y[1] = p + b;")),
            std::string("a product in 'p'") + Cut);
  EXPECT_NE(found(around("float p = B[i] / 3.f;", "y[1] = b - p;"), "",
                  {"-freciprocal-math"}),
            "");
  EXPECT_NE(found(around("float p; p = -(B[i] * a);", "y[1] -= p;")), "");
  EXPECT_NE(found(around("float p = a; p *= b;", "y[1] = p + b;")), "");
  EXPECT_NE(found(around("double p = B[i] * a;", "y[1] = p + b;")), "");
  EXPECT_NE(found(around("float p[2] = {a * b, a};", "y[1] = p[0] + b;")), "");
  EXPECT_NE(found(around("float4 p; p.x = a * b;", "y[1] = p.x + b;")), "");
  EXPECT_NE(found(around("float p = i ? a : a * b;", "y[1] = p + b;")), "");
  EXPECT_NE(found(around("auto p = a * b; auto &r = p;", "y[1] = r + b;")), "");
}

TEST(SplitRounding, negativeThroughCopies) {
  EXPECT_NE(found(around("float p = a * b, q = p;", "y[1] = q + b;")), "");
  EXPECT_NE(found(around("float p = a * b;", "float q = p; y[1] = q + b;")),
            "");
  EXPECT_NE(found(around("float p = a * b;", "y[1] = p;")), "");
  EXPECT_NE(found(around("float p = a * b, q; q = -p;", "y[1] = q + b;")), "");
  // Memory of another name, which is loaded.
  for (const char *Behind :
       {"C[1] = p; y[1] = C[2] + b;", "C[1] = p; y[1] = *(C + n) + b;",
        "float *q = n ? C : y; C[1] = p; y[1] = q[2] + b;",
        "float *q = &D; D = p; y[1] = *q + b;"})
    EXPECT_NE(found(around("float p = a * b, C[4], D;", Behind)), "") << Behind;
}

TEST(SplitRounding, positiveProductsThatAreStored) {
  for (const char *Behind :
       {"float *C = (float *)A; C[1] = p;",
        "extern __shared__ float C[]; "
        "C[1] = -p;",
        "float q = p; float r = q; y[1] = r * 3.f;", "float C[4]; C[n] = p;"})
    EXPECT_EQ(found("float p = a * b;\nfloat s = 0;\n"
                    "for (int j = 0; j < n; ++j) s += B[j];\ny[i] = s;\n" +
                    std::string(Behind)),
              "")
        << Behind;
}

TEST(SplitRounding, positivePowersOfTwoAreExact) {
  for (const char *Product :
       {"a / 128", "a * 0.5f", "2 * a", "-4.f * a", "a / (1 << 5)", "a / 64.0"})
    EXPECT_EQ(found(around((llvm::Twine("float p = ") + Product + ";").str(),
                           "y[1] = p + b;")),
              "")
        << Product;
  EXPECT_EQ(found(around("float p = a; p /= 256; p *= 2;", "y[1] = p + b;")),
            "");
  for (const char *Product :
       {"a * 0.1f", "a * 0", "a / n * 3", "a * (n ? 2 : 4)", "2 * a * b"})
    EXPECT_NE(found(around((llvm::Twine("float p = ") + Product + ";").str(),
                           "y[1] = p + b;")),
              "")
        << Product;
}

TEST(SplitRounding, positiveQuotientsAreRounded) {
  for (const char *Quotient : {"a / 100", "-(a / 3.f)", "a / n", "100 / a"})
    EXPECT_EQ(found(around((llvm::Twine("float p = ") + Quotient + ";").str(),
                           "y[1] = p + b;")),
              "")
        << Quotient;
  EXPECT_EQ(found(around("float p = a; p /= 100;", "y[1] = p + b;")), "");
  // A variable that is 0 if the loop does not run.
  const std::string Mean = "float s = 0; for (int j = 0; j < n; ++j) s += A[j];"
                           " y[i] = s / 1000 + 1e-5f;";
  EXPECT_EQ(found(Mean), "");
  for (const char *Flag : {"-freciprocal-math", "-ffast-math"}) {
    EXPECT_NE(found(Mean, "", {Flag}), "") << Flag;
    EXPECT_NE(found(around("float p = a / 100;", "y[1] = p + b;"), "", {Flag}),
              "");
    EXPECT_NE(
        found(around("float p = a; p /= 9;", "y[1] = p + b;"), "", {Flag}), "");
    EXPECT_EQ(found(around("float p = a / 64;", "y[1] = p + b;"), "", {Flag}),
              "");
  }
  EXPECT_NE(found("float s = 0; for (int j = 0; j < n; ++j) s += A[j];"
                  " y[i] = s * 1e-3f + 1e-5f;"),
            "");
}

TEST(SplitRounding, negativeThroughFunctions) {
  const char *Helpers = "__device__ float mul(float a, float b) "
                        "{ return a * b; }\n"
                        "__device__ void put(float *p) { *p = *p * 3.1f; }\n"
                        "__device__ void set(float &p) { p = p * 3.1f; }\n"
                        "__device__ float add(const float &p) "
                        "{ return p + 1; }\n";
  EXPECT_NE(found(around("float p = mul(a, b);", "y[1] = p + b;"), Helpers),
            "");
  EXPECT_NE(found(around("float p = a; put(&p);", "y[1] = p + b;"), Helpers),
            "");
  EXPECT_NE(found(around("float p = a; set(p);", "y[1] = p + b;"), Helpers),
            "");
  EXPECT_NE(found(around("float p = a * b;", "y[1] = add(p);"), Helpers), "");
}

TEST(SplitRounding, whatAFunctionGivesBackOfItsArguments) {
  const char *Helpers =
      "template <class T> __device__ T same(T v) { return v; }\n"
      "template <class T> __device__ const T &larger(const T &l, const T &r) "
      "{ return l < r ? r : l; }\n"
      "__device__ float first(float4 v) { return v.x; }\n"
      "__device__ float unseen(float);\n";
  for (const char *Value :
       {"same(a * b)", "larger(a * b, a)", "same(same(a * b))",
        "first(make_float4(a * b, 0, 0, 0))", "unseen(a)"})
    EXPECT_NE(found(around((llvm::Twine("float p = ") + Value + ";").str(),
                           "y[1] = p + b;"),
                    Helpers),
              "")
        << Value;
  for (const char *Value : {"same(a)", "larger(a, B[i])", "max(B[i], a)",
                            "min(a * b, B[i])", "fmaxf(a * b, a)"})
    EXPECT_EQ(found(around((llvm::Twine("float p = ") + Value + ";").str(),
                           "y[1] = p + b;"),
                    Helpers),
              "")
        << Value;
}

TEST(SplitRounding, whatLambdasAndOperatorsGiveBack) {
  const char *Own = "struct V { float x; };\n"
                    "__device__ V operator+(V l, V r) "
                    "{ return {l.x + 3.f * r.x}; }\n"
                    "__device__ V operator*(V l, V r) "
                    "{ return {l.x * r.x}; }\n";
  EXPECT_EQ(found(around("auto f = [](float l, float r) { return l + 3.f * r; "
                         "}; float p = f(a, b);",
                         "y[1] = p + b;")),
            "");
  EXPECT_NE(found(around("auto f = [](float l, float r) { return l * r; }; "
                         "float p = f(a, b);",
                         "y[1] = p + b;")),
            "");
  EXPECT_EQ(found(around("V v{a}; V p = v + v;", "y[1] = p.x + b;"), Own), "");
  EXPECT_NE(found(around("V v{a}; V p = v * v;", "y[1] = p.x + b;"), Own), "");
  const char *Array =
      "struct W { float at[4]; __device__ float &operator[](int "
      "i) { return at[i]; } };\n";
  EXPECT_NE(found(around("W w; w[1] = a * b; float p = w[1];", "y[1] = p + b;"),
                  Array),
            "");
}

TEST(SplitRounding, negativeMemory) {
  EXPECT_EQ(found(around("y[i] = B[i] * a;", "y[i] += b;")),
            std::string("a product in what 'y' points to") + Cut);
  EXPECT_NE(found(around("float *q = y; *q = a * b;", "y[0] += b;")), "");
  EXPECT_NE(found(around("__shared__ float s[32]; s[1] = a * b;",
                         "y[0] = s[1] + b;")),
            "");
}

TEST(SplitRounding, negativeBehind) {
  EXPECT_NE(found(around("float p = 0;", "p = y[1] * a;", "y[1] = p + b;")),
            "");
  EXPECT_NE(found(around("", "y[2] = y[1] * a;", "y[2] += b;")), "");
  EXPECT_NE(found("float s = 0;\nfor (int j = 0; j < n; ++j) s += A[j];\n"
                  "y[i] = s * 3.f + b;"),
            "");
  EXPECT_NE(found("float s = 0;\nfor (int j = 0; j < n; ++j) s += A[j];\n"
                  "float t = s * 0.2f; y[i] = b - t;"),
            "");
}

TEST(SplitRounding, negativeSameProductTwice) {
  EXPECT_EQ(found(around("", "y[1] = a * b + 1;", "y[2] = b * a + 2;")),
            "the product of a and b, which stands on both sides of a barrier");
}

TEST(SplitRounding, negativeTemplatesAndMacros) {
  EXPECT_NE(found(around("float p = MUL(a, b);", "y[1] = ADD(p, b);"),
                  "#define MUL(x, y) (x) * (y)\n#define ADD(x, y) (x) + (y)"),
            "");
  EXPECT_NE(found(around("float p = mul(a, b);", "y[1] = p + b;"),
                  "template <class T> __device__ T mul(T a, T b) "
                  "{ return a * b; }"),
            "");
}

TEST(SplitRounding, positive) {
  EXPECT_EQ(found(around("", "y[1] = a * b + 1;")), "");
  EXPECT_EQ(found(around("float p = B[i], q = a + b;", "y[1] = p + q;")), "");
  EXPECT_EQ(found(around("float p = __ldg(B + i);", "y[1] = p + 1;")), "");
  EXPECT_EQ(found(around("float p = a * b;", "y[1] += B[i] * p;")), "");
  EXPECT_EQ(found(around("float p = a * b;", "if (p > 0) y[1] += B[i];")), "");
  EXPECT_EQ(found(around("int p = i * n;", "y[1] = p + b;")), "");
  EXPECT_EQ(found(around("", "", "y[1] = a * b + 1;")), "");
  EXPECT_EQ(found("float s = 0;\nfor (int j = 0; j < n; ++j) s += A[j];\n"
                  "y[i] = a * s + b * y[i];"),
            "");
  EXPECT_EQ(found("float s = 0;\nfor (int j = 0; j < n; ++j) s += A[j];\n"
                  "y[i] = s / 2.f;"),
            "");
  // What divides is no factor.
  EXPECT_EQ(found("float s = 0;\nfor (int j = 0; j < n; ++j) s += A[j];\n"
                  "y[i] = 2.f / s + b;"),
            "");
  EXPECT_EQ(found("float s = 0;\nfor (int j = 0; j < n; ++j) s += A[j];\n"
                  "float r = 1.f / sqrtf(s + a); y[i] = r * (b - s) + a;"),
            "");
  EXPECT_EQ(found(around("float p = rsqrtf(a);", "y[1] = p + b;")), "");
}

TEST(SplitRounding, positiveWithoutFusing) {
  EXPECT_EQ(found(around("float p = B[i] * a;", "y[1] = p + b;"), "",
                  {"-ffp-contract=off"}),
            "");
}

} // namespace
