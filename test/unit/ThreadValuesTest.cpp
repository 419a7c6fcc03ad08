//===- ThreadValuesTest.cpp - Tests of values/ThreadValues -------*- C++ -*-==//
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
using ::testing::IsEmpty;

//===-- Scalars -----------------------------------------------------------===//

TEST(ThreadValues, PositiveEventsInTheOrderOfTheText) {
  Parsed P = parseBody("float s = A[0];\n"
                       "for (int i = 0; i < n; ++i)\n  s += B[i];\n"
                       "y[0] = s;");
  EXPECT_EQ(events(P, "s"),
            "def float s = A[0]; | change s += B[i]; | use y[0] = s;");
  EXPECT_THAT(reasons(P, "s"), IsEmpty());
  EXPECT_EQ(value(P, "s").Type, "float");
  EXPECT_EQ(value(P, "s").ElementBytes, 4u);
  EXPECT_FALSE(value(P, "s").Only);
  EXPECT_THAT(reasons(P, "i"), ElementsAre(Reason::HeaderVariable));
}

TEST(ThreadValues, PositiveStatementsKnowWhatIsAroundThem) {
  Parsed P = parseBody("if (n)\n"
                       "  for (int i = 0; i < n; ++i) {\n"
                       "    y[i] = 0; break;\n  }\n"
                       "switch (n) { case 1: y[0] = 1; }");
  const Kernel &K = P.kernel("k");
  ASSERT_EQ(K.Statements.size(), 6u);
  EXPECT_EQ(K.Statements[1].Parent, 0u);
  EXPECT_TRUE(K.Statements[1].Unbraced);
  EXPECT_EQ(K.Statements[1].Is, 0u);
  EXPECT_EQ(K.Statements[1].Loop, std::nullopt);
  EXPECT_EQ(K.Statements[2].Loop, 0u);
  EXPECT_FALSE(K.Statements[2].Unbraced);
  EXPECT_FALSE(K.Statements[2].OwnLines);
  EXPECT_TRUE(K.Statements[3].Leaves);
  EXPECT_EQ(P.text(K.Statements[5].Span), "y[0] = 1;");
}

TEST(ThreadValues, PositiveAPragmaThatNamesAllIterationsUnrollsThem) {
  Parsed P = parseBody("constexpr int All = 40;\n"
                       "#pragma unroll 40\n"
                       "for (int i = 0; i < 40; ++i) y[i] = 0;\n"
                       "_Pragma(\"unroll\")\n"
                       "for (int i = 0; i < 40; ++i) y[i] = 0;\n"
                       "#pragma unroll All\n"
                       "for (int i = 0; i < All; ++i) y[i] = 0;\n"
                       "#pragma unroll 4\n"
                       "for (int i = 0; i < 40; ++i) y[i] = 0;\n"
                       "#pragma unroll 40\n"
                       "for (int i = 0; i < n; ++i) y[i] = 0;\n"
                       "for (int i = 0; i < 40; ++i) y[i] = 0;\n");
  std::vector<bool> Unrolled;
  for (const Loop &L : P.kernel("k").Loops)
    Unrolled.push_back(L.HasUnrollPragma);
  EXPECT_THAT(Unrolled, ElementsAre(true, true, true, false, false, false));
}

TEST(ThreadValues, PositiveHeadsNeedTheirValuesThroughout) {
  Parsed P =
      parseBody("int m = n * 2;\nfor (int i = 0; i < m; ++i)\n y[i] = 0;");
  EXPECT_THAT(events(P, "m"), ::testing::HasSubstr("| head use for (int i"));
}

TEST(ThreadValues, PositiveVectorsPointersAndSmallTypes) {
  Parsed P = parseBody("float4 v = make_float4(1, 2, 3, 4);\n"
                       "v.x = 2; const float *p = A + n; short c = n;\n"
                       "bool b = n > 0; float4 w;\n w = v;\n"
                       "y[0] = w.y + *p + c + b;");
  EXPECT_EQ(value(P, "v").Fields.size(), 4u);
  EXPECT_EQ(value(P, "v").ElementBytes, 16u);
  EXPECT_THAT(events(P, "v"), ::testing::HasSubstr("change v.x = 2;"));
  EXPECT_EQ(events(P, "w"), "def w = v; | use y[0] = w.y + *p + c + b;");
  EXPECT_EQ(value(P, "p").Type, "const float *");
  EXPECT_EQ(value(P, "c").ElementBytes, 2u);
  for (const char *Name : {"v", "p", "c", "b", "w"})
    EXPECT_THAT(reasons(P, Name), IsEmpty()) << Name;
}

//===-- Arrays ------------------------------------------------------------===//

TEST(ThreadValues, PositiveArraysWhoseIndicesFold) {
  Parsed P =
      parseBody("float v[96];\n#pragma unroll\n"
                "for (int i = 0; i < 96; ++i)\n  v[i] = A[i];\n"
                "float m[2][3] = {0};\n"
                "for (int i = 0; i < 2; ++i)\n  m[i][(i + 1) % 3] += v[5];\n"
                "y[0] = m[1][2];");
  EXPECT_EQ(events(P, "v"), "def [i] v[i] = A[i]; | use [5] "
                            "m[i][(i + 1) % 3] += v[5];");
  EXPECT_EQ(value(P, "v").Events[1].ConstantIndex, 5);
  EXPECT_EQ(value(P, "m").elements(), 6);
  EXPECT_EQ(value(P, "m").Events[1].Index, "i * 3 + ((i + 1) % 3)");
  EXPECT_EQ(value(P, "m").Events[2].ConstantIndex, 5);
  EXPECT_THAT(reasons(P, "v"), IsEmpty());
  EXPECT_THAT(reasons(P, "m"), IsEmpty());
}

TEST(ThreadValues, NegativeArraysThatStayInMemory) {
  for (const char *Use :
       {"y[0] = v[n];", "for (int i = 0; i < n; ++i) y[i] = v[i];",
        "for (int i = 0; i < 400; ++i) y[i] = v[i % 8];",
        "\n#pragma unroll 1\nfor (int i = 0; i < 8; ++i) y[i] = v[i];",
        "\n#pragma unroll 2\nfor (int i = 0; i < 8; ++i) y[i] = v[i];",
        "for (int i = 0; i < 8; ++i) { y[i] = v[i]; i += n; }",
        "for (int i = 0; i < 8; ++i) { y[i] = v[i]; int &r = i; r += n; }",
        "for (int i = 0; i < 8; ++i) { y[i] = v[i]; [&] { i += n; }(); }"}) {
    Parsed P = parseBody("float v[8]; v[0] = 1;\n" + std::string(Use));
    EXPECT_THAT(reasons(P, "v"), ElementsAre(Reason::IndexVaries)) << Use;
  }
}

//===-- Refused -----------------------------------------------------------===//

TEST(ThreadValues, NegativeWhatSomethingElseMayReach) {
  for (const char *Use :
       {"float *p = &s; *p = 1;", "float &r = s; r = 1;", "change(s);",
        "auto f = [&] { s = 2; }; f();", "[&r = s] { r = 2; }();",
        "atomicAdd(&s, 1.0f);", "void (*f)(float &) = change; f(s);"}) {
    Parsed P = parseBody("float s = 1;\n" + std::string(Use) + "\ny[0] = s;",
                         "__device__ void change(float &x) { x = 1; }\n");
    EXPECT_THAT(reasons(P, "s"), ElementsAre(Reason::AddressTaken)) << Use;
  }
}

TEST(ThreadValues, NegativeProductsThatASumMayTakeIn) {
  // In memory they would be rounded; in registers they may be fused.
  for (const char *Product :
       {"float s = A[0] * A[1];", "float s = 1; s *= A[1];",
        "float s = -(A[0] * n);", "float s = n > 0 ? A[0] * A[1] : A[2];",
        "float s = A[0] * 3;", "float t = A[0] * A[1]; float s = t;",
        "float t[2]; t[0] = A[0]; t[1] = A[0] * n; float s = t[0];",
        "float s = own(A[0]);", "float s; s = A[1]; s = (n, A[0] * A[1]);"}) {
    Parsed P = parseBody(std::string(Product) + "\ny[0] = A[3] + s;",
                         "__device__ float own(float x) { return x * x; }\n");
    EXPECT_THAT(reasons(P, "s"), ElementsAre(Reason::MayContract)) << Product;
  }
}

TEST(ThreadValues, PositiveSumsLoadsAndIntegersAreFinished) {
  for (const char *Finished :
       {"float s = A[0] * A[1] + A[2];", "float s = A[0]; s += A[1] * A[2];",
        "float s = *A;", "int s = n * n;", "float s = n;",
        "float s = A[0] / A[1];", "float t = A[0]; float s = t;",
        "float s = n > 0 ? A[0] : 2.f * 3;"}) {
    Parsed P = parseBody(std::string(Finished) + "\ny[0] = A[3] + s;");
    EXPECT_THAT(reasons(P, "s"), IsEmpty()) << Finished;
  }
}

TEST(ThreadValues, NegativeHeads) {
  for (const char *Use :
       {"while ((s = y[0]) > 0) y[1] = s;", "for (; s < 3; s += 1) y[1] = s;",
        "if ((s = y[0]) > 0) y[1] = s;"}) {
    Parsed P = parseBody("float s = 1;\n" + std::string(Use));
    EXPECT_THAT(reasons(P, "s"), ElementsAre(Reason::HeaderVariable)) << Use;
  }
}

TEST(ThreadValues, NegativeTypesMacrosConstAndGoto) {
  Parsed P = parseBody("Pair p; p.a = 1; volatile float v = 2;\n"
                       "const float c = 2; DECLARE(m) TWICE(t)\n"
                       "y[0] = p.a + v + c + m;",
                       "struct Pair { float a; int b; };\n"
                       "#define DECLARE(x) float x = 1;\n"
                       "#define TWICE(x) float x; x = 1; x = 2;\n");
  EXPECT_THAT(reasons(P, "p"), ElementsAre(Reason::TypeNotPlain));
  EXPECT_THAT(reasons(P, "v"), ElementsAre(Reason::TypeNotPlain));
  EXPECT_THAT(reasons(P, "c"), ElementsAre(Reason::ConstObject));
  EXPECT_THAT(reasons(P, "m"), ElementsAre(Reason::InMacro));
  EXPECT_THAT(reasons(P, "t"), ElementsAre(Reason::InMacro));
  Parsed Q = parseBody("float s = 1;\nagain: s += 1;\nif (s < n) goto again;\n"
                       "y[0] = s;");
  EXPECT_THAT(reasons(Q, "s"), ElementsAre(Reason::JumpInto));
}

/// The text of the word that c could do without, and where it stands.
std::string constWord(const Parsed &P) {
  const SourceSpan &Word = value(P, "c").ConstWord;
  return Word.File.empty() ? "none"
                           : P.text(Word) + " at " + std::to_string(Word.Begin);
}

const char *ConstHelpers =
    "struct Pair { float a, v[2]; };\n"
    "struct Counted {\n"
    "  float a;\n  __device__ Counted(float x) : a(x) {}\n};\n"
    "template <class T> struct Box { T a; };\n"
    "using Fixed = const float;\n"
    "#define READ_ONLY const\n"
    "#define THROUGH(x) x\n"
    "__device__ float plain(float x) { return x; }\n"
    "__device__ float other(float x) { return x; }\n"
    "__device__ float other(float &x) { return x += 1; }\n"
    "__device__ float look(const float &x) { return x; }\n"
    "__device__ float whole(Pair p) { return p.a; }\n"
    "__device__ float either(Pair p) { return p.a; }\n"
    "__device__ float either(Pair &p, int n = 2) { return p.a; }\n"
    "template <class T> __device__ float any(T &&x) { return x; }\n";

TEST(ThreadValues, PositiveConstThatNothingDependsOn) {
  for (const char *Body :
       {"const float c = A[0];\ny[0] = c * 2 + plain(c);",
        "float const c = A[0];\ny[0] = c;",
        "const auto c = A[n] + 1;\ny[0] = fmaxf(c, 0);",
        "const float /* const */ c = A[0], d = c;\ny[0] = c + d;",
        "const int c = threadIdx.x;\ny[c] = A[n + c];",
        "float *const c = A + n;\ny[0] = *c;",
        "const float c[2] = {A[0], A[1]};\ny[0] = c[1];",
        "const float4 c = make_float4(A[0], 1, 2, 3);\ny[0] = c.x;",
        "const Pair c = {A[0], {1, 2}};\ny[0] = c.a + c.v[1] + whole(c);",
        "const Pair c = {A[0], {1, 2}}; Pair d = c;\ny[0] = d.a;",
        "const int c = n < 3 ? 4 : n;\n{ const float d = A[c]; y[0] = d; }"}) {
    Parsed P = parseBody(Body, ConstHelpers);
    EXPECT_THAT(constWord(P), ::testing::StartsWith("const at ")) << Body;
    EXPECT_THAT(reasons(P, "c"),
                ::testing::Not(::testing::Contains(Reason::ConstObject)))
        << Body;
  }
  Parsed P =
      parseBody("const Pair c = {A[0], {1, 2}};\ny[0] = c.v[1];", ConstHelpers);
  EXPECT_THAT(reasons(P, "c.v"), IsEmpty());
  EXPECT_EQ(value(P, "c.a").ConstWord.Begin, value(P, "c").ConstWord.Begin);
}

TEST(ThreadValues, NegativeConstThatTheCodeDependsOn) {
  for (const char *Body : {
           "const float c = 2;\ny[0] = c;", // the compiler knows it
           "const int c = 4;\nfloat v[c]; v[0] = 1; y[0] = v[0];",
           "constexpr int c = 4;\ny[0] = c;",
           "const float c = A[0];\nconst float &r = c; y[0] = r;",
           "const float c = A[0];\ndecltype(c) d = 1; y[0] = d + c;",
           "const float c = A[0];\nauto f = [=] { return c; }; y[0] = f();",
           "const float c = A[0];\ny[0] = other(c);",
           "const float c = A[0];\ny[0] = any(c);",
           "const Pair c = {A[0], {1, 2}};\ny[0] = either(c);",
           "const float c = A[0];\ny[0] = look(c);",
           "const float c = A[0];\ny[0] = sizeof(c) + c;",
           "const float c = A[0];\nconst float *p = &c; y[0] = *p;",
           "const float c = A[0], d = 3;\ny[0] = c + d;",
           "const float c = A[0], &r = A[1];\ny[0] = c + r;",
           "const float c = A[0], *p = A;\ny[0] = c + *p;",
           "const float *const c = A + n;\ny[0] = *c;",
           "const Box<const float> c = {A[0]};\ny[0] = c.a;",
           "const Counted c(A[0]);\nCounted d = c; y[0] = d.a;",
           "Fixed c = A[0];\ny[0] = c;",
           "READ_ONLY float c = A[0];\ny[0] = c;",
           "THROUGH(const float c = A[0];)\ny[0] = c;",
           "const float THROUGH(c) = A[0];\ny[0] = c;",
       }) {
    Parsed P = parseBody(Body, ConstHelpers);
    EXPECT_EQ(constWord(P), "none") << Body;
    EXPECT_THAT(reasons(P, "c"), ::testing::Contains(Reason::ConstObject))
        << Body;
  }
}

TEST(ThreadValues, NegativeSharedAndStaticAreNoValues) {
  Parsed P = parseBody("__shared__ float s[32]; s[threadIdx.x] = 1;\n"
                       "y[0] = s[3];");
  EXPECT_THAT(P.kernel("k").Values, IsEmpty());
}

//===-- Initializers ------------------------------------------------------===//

TEST(ThreadValues, PositiveInitializersThatMayBeEvaluatedAgain) {
  Parsed P = parseBody("int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                       "float a = 2.0f * n + sqrtf(1.0f * i), b = B[i] * a;\n"
                       "y[i] = a + b;");
  const auto &I = value(P, "i").Only, &A = value(P, "a").Only,
             &B = value(P, "b").Only;
  ASSERT_TRUE(I && A && B);
  EXPECT_EQ(I->Text, "blockIdx.x * blockDim.x + threadIdx.x");
  EXPECT_EQ(I->Operations, 5u);
  EXPECT_THAT(I->Reads, IsEmpty());
  EXPECT_THAT(A->Reads, ElementsAre("i", "n"));
  EXPECT_THAT(B->Reads, ElementsAre("B", "a", "i"));
  EXPECT_EQ(B->Loads, 1u);
  EXPECT_FALSE(I->MayDiffer || A->MayDiffer || B->MayDiffer);
}

TEST(ThreadValues, NegativeInitializersThatMayDiffer) {
  for (const char *Init :
       {"A[n]", "*A + 1", "clock()", "atomicAdd(A, 1.0f)", "f(n)", "n++",
        "__shfl_sync(-1u, n, 0)", "*(volatile float *)A"}) {
    Parsed P = parseBody("float x = " + std::string(Init) + ";\ny[0] = x;",
                         "__device__ float f(int x) { return x; }\n");
    ASSERT_TRUE(value(P, "x").Only) << Init;
    ASSERT_TRUE(value(P, "x").Only->MayDiffer) << Init;
    EXPECT_EQ(value(P, "x").Only->MayDiffer->Kind, Reason::MayChange) << Init;
  }
  EXPECT_FALSE(value(parseBody("float x = 1;\nx = 2;\ny[0] = x;"), "x").Only);
  EXPECT_FALSE(value(parseBody("float x;\nx = 2;\ny[0] = x;"), "x").Only);
}

} // namespace
} // namespace catt
