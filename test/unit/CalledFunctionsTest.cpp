//===- CalledFunctionsTest.cpp - Tests of values/CalledFunctions -*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SourceTesting.h"
#include "analysis/model/Reasons.h"
#include "llvm/ADT/StringExtras.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace catt {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// "sum" for each loop of a function whose rows are the kernel's, "shared sum"
/// where others call it, "bare sum" where it cannot be told by whom.
std::vector<std::string> loops(const std::string &Functions,
                               const std::string &Body) {
  const Parsed P = parseSnippet(
      Functions +
      "__global__ void k(const float *A, const float *B, float *y, int m) {\n"
      "int i = blockIdx.x * blockDim.x + threadIdx.x;\nfloat s = 0;\n" +
      Body + "\ny[i] = s;\n}\n");
  const Kernel &K = P.kernel("k");
  std::vector<std::string> Out;
  for (const RowLoop &R : K.RowLoops)
    if (R.InCallee)
      Out.push_back((R.isShared() ? "shared "
                     : R.Flagged  ? ""
                                  : "bare ") +
                    K.Loops.at(R.Loop).Function +
                    (R.Refusals.empty()
                         ? ""
                         : " " + info(R.Refusals[0].Kind).Id.str() + " " +
                               R.Refusals[0].Detail));
  return Out;
}

/// A function that adds up a row, with these words in front.
std::string sumOf(const std::string &Words = "__device__ float",
                  const std::string &Pragma = "") {
  return Words + " sum(const float *row, int n) {\n  float s = 0;\n" + Pragma +
         "  for (int q = 0; q < n; ++q)\n    s += row[q];\n  return s;\n}\n";
}
const std::string CallsIt = "s = sum(A + i * m, m);";

TEST(CalledFunctions, PositiveOfTheKernelAlone) {
  EXPECT_THAT(loops(sumOf(), CallsIt), ElementsAre("sum"));
  EXPECT_THAT(loops(sumOf("static __device__ __noinline__ float"), CallsIt),
              ElementsAre("sum"));
  EXPECT_THAT(loops(sumOf() + "__device__ float twice(const float *row, int n) "
                              "{ return 2 * sum(row, n); }\n",
                    "s = twice(A + i * m, m);"),
              ElementsAre("bare sum"));
  const Parsed P = parseSnippet(
      "namespace {\n" + sumOf("__device__ float", "#pragma unroll 4\n") +
      "}\n__global__ void k(const float *A, float *y, int m) {\n"
      "  int i = threadIdx.x;\n  y[i] = sum(A + i * m, m);\n}\n");
  const RowLoop &R = P.kernel("k").RowLoops.at(0);
  EXPECT_TRUE(P.text(R.Span).starts_with("for (int q") ||
              P.text(R.Span).starts_with("#pragma"));
  EXPECT_EQ(R.Top, 0u); // of the namespace
}

TEST(CalledFunctions, PositiveOfAKernelTemplate) {
  const std::string Kernel =
      "template <class T> __global__ void k(const T *A, T *y, int m) {\n  "
      "y[threadIdx.x] = sum(A + threadIdx.x * m, m);\n}\n"
      "template __global__ void k<float>(const float *, float *, int);\n";
  Parsed P = parseSnippet(sumOf() + Kernel);
  EXPECT_EQ(P.kernel("k<float>").RowLoops.size(), 1u);
}

const std::string SumOfAny = "template <class T> __device__ T sum(const T *row,"
                             " int n) {\n  T s = 0;\n"
                             "  for (int q = 0; q < n; ++q)\n"
                             "    s += row[q];\n  return s;\n}\n";

TEST(CalledFunctions, PositiveATemplate) {
  EXPECT_THAT(loops(SumOfAny, CallsIt), ElementsAre("sum"));
  EXPECT_THAT(loops(SumOfAny, "s = sum<float>(A + i * m, m);"),
              ElementsAre("sum"));
  const Parsed P = parseSnippet(
      SumOfAny + "__global__ void k(const float *A, float *y, int m) {\n"
                 "  y[threadIdx.x] = sum<float>(A + threadIdx.x * m, m);\n}\n");
  const RowLoop &R = P.kernel("k").RowLoops.at(0);
  EXPECT_EQ(R.Reads.at(0).Type, "T");
  EXPECT_EQ(R.Flagged->TemplateBegin, std::string("template <").size());
  EXPECT_TRUE(R.Flagged->Calls.at(0).HasArguments);
}

const std::string SumOfRow = "template <class P> __device__ float sum(P *row,"
                             " int n) {\n  float s = 0;\n"
                             "  for (int q = 0; q < n; ++q)\n"
                             "    s += row[q];\n  return s;\n}\n";

/// Not `P`, which is `const float`.
TEST(CalledFunctions, PositiveATemplateOfWhatIsConst) {
  const Parsed P = parseSnippet(
      SumOfRow + "__global__ void k(const float *A, float *y, int m) {\n"
                 "  y[threadIdx.x] = sum(A + threadIdx.x * m, m);\n}\n");
  EXPECT_EQ(P.kernel("k").RowLoops.at(0).Reads.at(0).Type, "float");
}

TEST(CalledFunctions, NegativeATemplateOfWhatIsNoNumberElsewhere) {
  const std::string Other = "__global__ void other(float *A) { *A = ";
  EXPECT_THAT(loops(SumOfRow + Other + "sum(A, 3); }\n", CallsIt), IsEmpty());
  std::string OfConst = SumOfRow;
  OfConst.insert(OfConst.find("P *row"), "const ");
  EXPECT_THAT(
      loops(OfConst + Other + "sum(A, 3) + sum((int *)A, 3); }\n", CallsIt),
      ElementsAre("shared sum"));
  EXPECT_THAT(loops("struct Row { float x; __device__ operator float() const "
                    "{ return x; } };\n" +
                        OfConst + Other + "sum((Row *)A, 3); }\n",
                    CallsIt),
              IsEmpty());
}

TEST(CalledFunctions, PositiveThatOthersCall) {
  const std::string Other = "__global__ void other(float *A) { *A = ";
  EXPECT_THAT(loops(sumOf() + Other + "sum(A, 3); }\n", CallsIt),
              ElementsAre("shared sum"));
  EXPECT_THAT(
      loops(SumOfAny + Other + "sum(A, 3) + sum((int *)A, 3); }\n", CallsIt),
      ElementsAre("shared sum"));
  EXPECT_THAT(loops(sumOf() + "template <class T> __device__ float of(T t) "
                              "{ return sum(t, 1); }\n",
                    CallsIt),
              ElementsAre("shared sum"));
  EXPECT_THAT(loops(sumOf(), CallsIt + "\ns += sum(B + i * m, m);"),
              ElementsAre("shared sum", "shared sum"));
}

//===-- Lambdas -----------------------------------------------------------===//

std::string lambda(const std::string &Capture = "&",
                   const std::string &Body = "t += a[j];") {
  return "auto f = [" + Capture +
         "](const float *a) {\n  float t = 0;\n"
         "  for (int j = 0; j < m; ++j) {\n    " +
         Body + "\n  }\n  return t;\n};\n";
}

TEST(CalledFunctions, PositiveLambdas) {
  for (const char *Capture : {"&", "=", "m", "&m"})
    EXPECT_THAT(loops("", lambda(Capture) + "s = f(A + i * m);"),
                ElementsAre("bare operator()"))
        << Capture;
  EXPECT_THAT(loops("", lambda() + "s = f(A + i * m) - f(B + i * m);"),
              ElementsAre("bare operator()", "bare operator()"));
}

TEST(CalledFunctions, NegativeLambdas) {
  for (const char *Body : {"t += a[j];\n--m;", "s += a[j];"})
    EXPECT_THAT(loops("", lambda("&", Body) + "s = f(A + i * m);"), IsEmpty())
        << Body;
  for (const std::string &Use :
       {std::string("auto g = f;\ns = g(A + i * m);"),
        std::string("s = f(A + i * m);\nm = 3;"),
        std::string("int *q = &m;\ns = f(A + i * *q);"),
        std::string("int &q = m;\ns = f(A + i * q);")})
    EXPECT_THAT(loops("", lambda() + Use), IsEmpty()) << Use;
  EXPECT_THAT(loops("", "auto f = [&](auto a) {\n  float t = 0;\n"
                        "  for (int j = 0; j < m; ++j)\n    t += a[j];\n"
                        "  return t;\n};\ns = f(A + i * m);"),
              IsEmpty());
  EXPECT_THAT(loops("#define LAMBDA " +
                        llvm::join(llvm::split(lambda(), '\n'), " ") + "\n",
                    "LAMBDA\ns = f(A + i * m);"),
              IsEmpty());
}

//===-- What is none ------------------------------------------------------===//

TEST(CalledFunctions, NegativeNamedOtherwise) {
  const std::string Other = "__global__ void other(float *A) { *A = ";
  for (const std::string &Code :
       {sumOf() + "__device__ float (*pointer)(const float *, int) = sum;\n",
        sumOf() + Other + "sum(A, 3) + sizeof(&sum); }\n",
        SumOfAny + Other + "sum<float>(A, 3); }\n",
        SumOfAny + "template <> __device__ float sum(const float *row, int n) "
                   "{ return *row; }\n",
        SumOfAny + "template __device__ float sum(const float *row, int n);\n",
        "__device__ float sum(const float *row, int n);\n" + sumOf() + Other +
            "sum(A, 3); }\n",
        sumOf("__host__ __device__ float"), sumOf("__device__ constexpr float"),
        "struct Sum {\n" + sumOf() + "};\n#define sum Sum().sum\n"})
    EXPECT_THAT(loops(Code, CallsIt), IsEmpty()) << Code;
}

/// The kernel's own calls, and those of what it calls.
TEST(CalledFunctions, NegativeCalledInTwoWays) {
  const std::string Half = "__device__ float half(const float *row, int n) {"
                           " return sum(row, n) / 2; }\n";
  EXPECT_THAT(loops(sumOf() + Half, CallsIt + "\ns += half(B + i * m, m);"),
              IsEmpty());
  EXPECT_THAT(loops(SumOfAny, CallsIt + "\ns += sum((int *)B + i * m, m);"),
              IsEmpty());
  EXPECT_THAT(loops(sumOf() + "__device__ float many(const float *row, int n) {"
                              " return n ? sum(row, n) + many(row, n - 1) : 0;"
                              " }\n",
                    "s = many(A + i * m, m);"),
              IsEmpty());
}

TEST(CalledFunctions, NegativeMacros) {
  std::string Macro = "#define SUM " + sumOf();
  for (size_t At = 0; (At = Macro.find('\n', At)) + 1 < Macro.size(); At += 2)
    Macro.insert(At, "\\");
  EXPECT_THAT(loops(Macro + "SUM\n", CallsIt), IsEmpty());
  EXPECT_THAT(loops(sumOf() + "#define ADD sum\n",
                    "s = ADD(A + i * m, m) + sum(B + i * m, m);"),
              IsEmpty());
}

} // namespace
} // namespace catt
