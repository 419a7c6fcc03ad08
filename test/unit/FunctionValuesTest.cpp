//===- FunctionValuesTest.cpp - Values of a kernel's functions ---*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ValueTesting.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace catt {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A function with a value v, called by what follows.
const char *Head = "static __device__ float f(const float *p, float x, int m) ";
const std::string Plain = std::string(Head) +
                          "{\n  float v = p[m] + x;\n"
                          "  for (int j = 0; j < m; ++j) v += p[j];\n"
                          "  return v;\n}\n";
const char *Call = "y[0] = f(B, 1, n);";

bool hasValue(const Parsed &P, llvm::StringRef Name) {
  return llvm::any_of(P.kernel("k").Values,
                      [&](const ThreadValue &V) { return V.Name == Name; });
}

/// The details of why functions are not the kernel's.
std::vector<std::string> foreign(const Parsed &P) {
  std::vector<std::string> Out;
  for (const Refusal &R : P.kernel("k").ForeignFunctions)
    Out.push_back(R.Detail);
  return Out;
}

//===-- Whose functions ---------------------------------------------------===//

TEST(FunctionValues, PositiveOfAFunctionThatOneKernelCalls) {
  Parsed P =
      parseBody("float s = B[0];\n" + std::string(Call) + "\ny[1] = s;", Plain);
  const Kernel &K = P.kernel("k");
  ASSERT_EQ(K.Functions.size(), 1u);
  EXPECT_EQ(K.Functions[0].Name, "f");
  EXPECT_EQ(P.text(K.Functions[0].Span) + "\n", Plain);
  EXPECT_THAT(K.ForeignFunctions, IsEmpty());
  EXPECT_EQ(K.functionOf(value(P, "s")), 0u);
  EXPECT_EQ(K.functionOf(value(P, "v")), 1u);
  EXPECT_EQ(events(P, "v"), "def float v = p[m] + x; | change v += p[j]; | "
                            "use return v;");
  EXPECT_THAT(reasons(P, "v"), IsEmpty());
  EXPECT_THAT(reasons(P, "s"), IsEmpty());
}

TEST(FunctionValues, PositiveNamesOfOtherFunctionsAreOthers) {
  Parsed P =
      parseBody("float v = B[0];\n" + std::string(Call) + "\ny[1] = v;", Plain);
  for (const ThreadValue &V : P.kernel("k").Values)
    if (V.Name == "v")
      EXPECT_THAT(V.Refusals, IsEmpty()) << V.Where.Line;
}

TEST(FunctionValues, PositiveAFunctionThatAFunctionCalls) {
  Parsed P =
      parseBody("for (int i = 0; i < n; ++i)\n  y[i] = g(B + i, n);",
                Plain + "static __device__ float g(const float *q, int m) {\n"
                        "  float w = q[1];\n  float t = f(q, w, m);\n"
                        "  return t + w;\n}\n");
  const Kernel &K = P.kernel("k");
  ASSERT_EQ(K.Functions.size(), 2u);
  EXPECT_EQ(K.Functions[0].Name, "g") << "callers first";
  EXPECT_THAT(reasons(P, "w"), IsEmpty());
  EXPECT_EQ(K.Statements[value(P, "w").Declaration].Loop, 0u)
      << "the loop around the call";
}

TEST(FunctionValues, PositiveSeveralCallsThatAreInlined) {
  Parsed P = parseBody("y[0] = f(B, f(B, 1, 2), n);\n"
                       "if (n > 2) y[1] = f(B, 2, n);",
                       "static __device__ __forceinline__ " +
                           Plain.substr(strlen("static __device__ ")));
  EXPECT_EQ(P.kernel("k").Functions.size(), 1u);
  EXPECT_THAT(reasons(P, "v"), IsEmpty());
}

TEST(FunctionValues, NegativeFunctionsOfOthers) {
  const std::string Body = "{ float v = p[m] + x; return v; }\n";
  const std::string Rest = "float f(const float *p, float x, int m) " + Body;
  struct {
    std::string Before, Kernel, Why;
  } Cases[] = {
      {Plain + "__global__ void other(float *y) { y[0] = f(y, 1, 2); }\n", Call,
       "'f' is called in several places"},
      {"static __device__ __forceinline__ " + Rest +
           "__global__ void other(float *y) { y[0] = f(y, 1, 2); }\n",
       Call, "'f' is called by others than this kernel"},
      {Plain, "y[0] = f(B, 1, n) + f(B, 2, n);",
       "'f' is called in several places"},
      {Plain + "static __device__ float g(float *y) { return f(y, 1, 2); }\n",
       "y[0] = f(B, 1, n);", "'f' is called in several places"},
      {Plain + "__device__ float (*pointer)(const float *, float, int) = f;\n",
       Call, "'f' is named where it is not called"},
      {std::string(Head) + "{ float v = p[m]; return m ? v : f(p, v, m - 1); "
                           "}\n",
       "y[0] = f(B, 1, n);", "'f' is called in several places"},
      {"static __device__ float g(const float *, int);\n" + std::string(Head) +
           "{ float v = p[m]; return g(p, m) + v; }\n"
           "static __device__ float g(const float *p, int m) {\n"
           "  return m ? f(p, 1, m) : 0; }\n",
       "y[0] = g(B, n);", "'g' is called in several places"},
      {"static __host__ __device__ " + Rest, Call, "'f' is a template"},
      {"static constexpr __device__ " + Rest, Call, "'f' is a template"},
      {"template <class T> __device__ T f(const T *p, T x, int m) {\n"
       "  T v = p[m] + x; return v; }\n",
       "y[0] = f<float>(B, 1, n);", "'f' is a template"},
      {"struct S { __device__ " + Rest + "};\n", "S s; y[0] = s.f(B, 1, n);",
       "'f' is a template or a method"},
      {"#define BODY " + Body + Head + "BODY\n", Call,
       "the macro that defines 'f'"},
  };
  for (const auto &[Before, Kernel, Why] : Cases) {
    Parsed P = parseBody(Kernel, Before);
    EXPECT_THAT(P.kernel("k").Functions, IsEmpty()) << Before;
    EXPECT_FALSE(hasValue(P, "v")) << Before;
    EXPECT_THAT(foreign(P), ::testing::Contains(HasSubstr(Why))) << Before;
  }
}

TEST(FunctionValues, NegativeOfAKernelThatIsATemplate) {
  Parsed P = parseSnippet(Plain + "template <class T> __global__ void k(T *y) "
                                  "{ y[0] = f(y, 1, 2); }\n"
                                  "void host(float *y) { k<<<1, 32>>>(y); }\n");
  EXPECT_THAT(P.kernel("k").Functions, IsEmpty());
}

TEST(FunctionValues, NegativeWithLinksBetweenFiles) {
  const std::string Code =
      "__device__ float f(const float *p, int m) { float v = p[m]; return v; "
      "}\n__global__ void k(float *y) { y[0] = f(y, 1); }\n";
  EXPECT_FALSE(parseSnippet(Code).kernel("k").Functions.empty());
  EXPECT_TRUE(parseSnippet(Code, {"-fgpu-rdc"}).kernel("k").Functions.empty());
}

TEST(FunctionValues, NegativeCallsThatAreNotLookedAt) {
  for (const char *Body : {"auto g = [&] { return f(B, 1, n); };\ny[0] = g();",
                           "y[0] = sizeof(f(B, 1, n));"}) {
    Parsed P = parseBody(Body, Plain);
    EXPECT_TRUE(!hasValue(P, "v") ||
                llvm::is_contained(reasons(P, "v"), Reason::CalledElsewhere))
        << Body;
  }
}

TEST(FunctionValues, NegativeAsInAKernel) {
  struct {
    const char *Body;
    Reason Why;
  } Cases[] = {
      {"{ float v = p[m]; atomicAdd(&v, 1); return v; }", Reason::AddressTaken},
      {"{ float v = p[m]; float &w = v; w += 1; return v; }",
       Reason::AddressTaken},
      {"{ const float v = p[m]; const float &w = v; return w; }",
       Reason::ConstObject},
      {"{ volatile float v = p[m]; return v; }", Reason::TypeNotPlain},
      {"{ float v = p[m] * x; return v; }", Reason::MayContract},
      {"{ float v = x; return v; }", Reason::MayContract},
      {"{ for (float v = 0; v < 9; v += 1) x += p[m]; return x; }",
       Reason::HeaderVariable},
      {"{ float v[9]; v[0] = 1; v[m] = 2; return v[m + 1]; }",
       Reason::IndexVaries},
      {"{ float v = p[m]; if (m) goto end; v = p[0] + 1;\nend: return v; }",
       Reason::JumpInto},
      {"{ float v = p[m]; { float v = 1; x += v; } return v + x; }",
       Reason::Redefined},
      {"{ int threadIdx = 1; float v = p[m + threadIdx]; return v; }",
       Reason::InMacro}};
  for (const auto &[Body, Why] : Cases) {
    Parsed P = parseBody("float s = B[1] * B[2];\ny[0] = f(B, s, n);",
                         std::string(Head) + Body + "\n");
    EXPECT_THAT(reasons(P, "v"), ::testing::Contains(Why)) << Body;
  }
}

//===-- Rounding ----------------------------------------------------------===//

TEST(FunctionValues, PositiveAnArgumentThatIsNoProduct) {
  Parsed P =
      parseBody("y[0] = f(B, B[1], n);",
                std::string(Head) + "{ float v = x; return v + p[m]; }\n");
  EXPECT_THAT(reasons(P, "v"), IsEmpty());
}

TEST(FunctionValues, PositiveProductsThatVary) {
  // Each iteration of the kernel's loop has another value of v.
  Parsed P = parseBody("float s = 0;\nfor (int i = 0; i < n; ++i)\n"
                       "  s += f(B + i, B[0], i);\ny[0] = s;",
                       std::string(Head) +
                           "{ float v = p[m]; return v * x + p[0]; }\n");
  EXPECT_THAT(reasons(P, "v"), IsEmpty());
}

TEST(FunctionValues, NegativeProductsThatManyIterationsShare) {
  Parsed P = parseBody("float s = 0;\nfor (int i = 0; i < n; ++i)\n"
                       "  s += f(B, B[0], n);\ny[0] = s;",
                       std::string(Head) +
                           "{ float v = p[m]; return v * x + p[0]; }\n");
  EXPECT_THAT(reasons(P, "v"), ElementsAre(Reason::MayContract));
}

TEST(FunctionValues, NegativeProductsThatSeveralCallsShare) {
  Parsed P = parseBody("y[0] = f(B, 1, n);\ny[1] = f(B, 1, n);",
                       "static __device__ __forceinline__ float f(const float "
                       "*p, float x, int m) "
                       "{ float v = p[m]; return v * x + p[0]; }\n");
  EXPECT_THAT(reasons(P, "v"), ElementsAre(Reason::MayContract));
}

TEST(FunctionValues, NegativeProductsOfAFunctionWhoseCallerRunsTwice) {
  Parsed P = parseBody(
      "y[0] = g(B, n);\ny[1] = g(B, n);",
      std::string(Head) + "{ float v = p[m]; return v * x + p[0]; }\n" +
          "static __device__ __forceinline__ float g(const float *q, int m) "
          "{ return f(q, 1, m); }\n");
  EXPECT_THAT(reasons(P, "v"), ElementsAre(Reason::MayContract));
}

TEST(FunctionValues, NegativeAProductThatTheCallerHasToo) {
  // x of the function is h of the kernel, and w is g.
  Parsed P = parseBody("float h = B[0], g = B[n];\ny[1] = h * g + 1;\n"
                       "y[0] = f(h, g);",
                       "static __device__ float f(float x, float w) "
                       "{ return x * w + 2; }\n");
  EXPECT_THAT(reasons(P, "h"), ElementsAre(Reason::MayContract));
}

TEST(FunctionValues, NegativeAResultInASumOfTwoProducts) {
  const std::string Function =
      std::string(Head) + "{ float v = p[m]; return v + p[0]; }\n";
  for (const char *Body :
       {"y[0] = f(B, 1, n) * B[0] + B[1] * B[2];",
        "float t = f(B, 1, n);\nfloat u = t + 1;\ny[0] = u * B[0] + B[1] * "
        "B[2];",
        "float t = 0;\nif (n) t = f(B, 1, n);\ny[0] = B[1] * B[2] - t * t;"}) {
    Parsed P = parseBody(Body, Function);
    EXPECT_THAT(reasons(P, "v"), ElementsAre(Reason::MayContract)) << Body;
  }
  Parsed P = parseBody("y[0] = f(B, 1, n) * B[0] + B[1];", Function);
  EXPECT_THAT(reasons(P, "v"), IsEmpty()) << "one product";
}

TEST(FunctionValues, NegativeAResultByReference) {
  Parsed P = parseBody("float t;\nf(B, t, n);\ny[0] = t * B[0] + B[1] * B[2];",
                       "static __device__ void f(const float *p, float &out, "
                       "int m) { float v = p[m]; out = v + 1; }\n");
  EXPECT_THAT(reasons(P, "v"), ElementsAre(Reason::MayContract));
}

TEST(FunctionValues, NegativeAnArgumentOfASumOfTwoProducts) {
  Parsed P = parseBody("float h = B[0];\ny[0] = f(B, h, n);",
                       std::string(Head) +
                           "{ float v = p[m]; return x * p[1] + v * p[2]; }\n");
  EXPECT_THAT(reasons(P, "v"), ElementsAre(Reason::MayContract));
  EXPECT_THAT(reasons(P, "h"), ElementsAre(Reason::MayContract))
      << "it is x there";
}

TEST(FunctionValues, NegativeIntoAFunctionThatAddsProducts) {
  const std::string Add = "__host__ __device__ float add(float a, float b) "
                          "{ return a + b; }\n",
                    Half = "__host__ __device__ float half(float a) "
                           "{ return a + 1; }\n";
  const std::string Function =
      std::string(Head) + "{ float v = p[m]; return add(v, p[0]); }\n";
  Parsed P = parseBody(Call, Add + Function);
  EXPECT_THAT(reasons(P, "v"), ElementsAre(Reason::MayContract));
  P = parseBody(Call, Half + std::string(Head) +
                          "{ float v = p[m]; return half(v); }\n");
  EXPECT_THAT(reasons(P, "v"), IsEmpty());
}

/// What a template does is not looked at as the kernel's own: its arguments
/// are.
TEST(FunctionValues, NegativeAnArgumentOfAFunctionThatAddsProducts) {
  auto Reasons = [](const std::string &Qualifier, const std::string &Result) {
    Parsed P = parseBody(
        "float h = B[0];\ny[0] = f(B, h, n);",
        "template <typename T> static __device__ " + Qualifier +
            "T f(const float *p, T x, int m) { return " + Result + "; }\n");
    return reasons(P, "h");
  };
  EXPECT_THAT(Reasons("", "x * p[1] + p[2] * p[m]"),
              ElementsAre(Reason::MayContract));
  EXPECT_THAT(Reasons("", "x * p[1] + p[2]"), IsEmpty()) << "one product";
  EXPECT_THAT(Reasons("__noinline__ ", "x * p[1] + p[2] * p[m]"), IsEmpty())
      << "it is handed over in a register";
}

} // namespace
} // namespace catt
