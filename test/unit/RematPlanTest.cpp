//===- RematPlanTest.cpp - Tests of plan/RematPlan ---------------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RematTesting.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace catt {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A value x with a use before the peak, and what comes behind it.
std::string around(const std::string &Definition,
                   const std::string &Behind = "A[x] += 1;\n") {
  return Definition +
         "\nA[x] = 1;\n"
         "for (int j = 0; j < n; ++j)\n"
         "  A[j] = j; // peak\n" +
         Behind;
}

//===-- Chosen ------------------------------------------------------------===//

TEST(RematPlan, PositiveBehindALoop) {
  EXPECT_EQ(Squeezed(around("int x = i * 3;")).plan(),
            "i before `A[x] += 1;` hides threadIdx\n"
            "x before `A[x] += 1;` hides i");
}

TEST(RematPlan, PositiveOncePerBlock) {
  EXPECT_THAT(Squeezed(around("int x = i * 3;", "A[x] += 1;\nA[x + 1] = 2;\n"
                                                "if (n) { A[x] = 4; }\n"))
                  .plan(),
              HasSubstr("x before `A[x] += 1;` hides i"));
}

TEST(RematPlan, PositiveBeforeALoopThatUsesIt) {
  EXPECT_THAT(Squeezed(around("int x = i * 3;",
                              "for (int m = 0; m < n; ++m)\n  A[x + m] = m;\n"))
                  .plan(),
              HasSubstr("x before `for (int m = 0; m < n; ++m)\n"
                        "  A[x + m] = m;` hides i"));
}

TEST(RematPlan, PositiveUsesThatComeAround) {
  Squeezed S("int x = i * 3;\n"
             "for (int j = 0; j < n; ++j) {\n"
             "  A[x + j] = 1;\n"
             "  A[j] = A[j + 1]; // peak\n"
             "  A[x] = 2;\n"
             "}\n");
  EXPECT_THAT(S.plan(), HasSubstr("x before `A[x + j] = 1;` `A[x] = 2;`"));
}

TEST(RematPlan, PositiveInsideAnIteration) {
  // What the next iteration reads is computed there.
  Squeezed S("for (int j = 0; j < n; ++j) {\n"
             "  int x = j * 3;\n"
             "  A[x + j] = 1;\n"
             "  A[j] = A[j + 1]; // peak\n"
             "  A[x] = 2;\n"
             "}\n");
  EXPECT_THAT(S.plan(), HasSubstr("x before `A[x] = 2;` hides j"));
}

TEST(RematPlan, PositiveEachBranch) {
  Squeezed S("int x = i * 3;\n"
             "A[x] = 1;\n"
             "if (n > 4) {\n"
             "  A[1] = A[2]; // peak\n"
             "  A[x] = 2;\n"
             "} else {\n"
             "  A[x] = 3;\n"
             "}\n");
  EXPECT_THAT(S.plan(), HasSubstr("x before `A[x] = 2;` `A[x] = 3;`"));
}

TEST(RematPlan, PositiveConstants) {
  EXPECT_THAT(Squeezed(around("const int x = i * 3;")).plan(),
              HasSubstr("x before `A[x] += 1;` hides i"));
}

TEST(RematPlan, PositiveTheLightestOperand) {
  EXPECT_THAT(Squeezed(around("int x = threadIdx.x + n;")).plan(),
              HasSubstr("x before `A[x] += 1;` hides n"));
  EXPECT_THAT(
      Squeezed("float *x = A + i;\n*x = 1;\nA[2] = A[3]; // peak\n*x = 2;\n")
          .plan(),
      HasSubstr("x before `*x = 2;` hides i"));
}

TEST(RematPlan, PositiveOperandsThatAreGoneAreComputedAgainToo) {
  // w is used nowhere behind the peak, but it is i + 1.
  Squeezed S(around("int w = i + 1; int x = w ^ 5;"));
  EXPECT_EQ(S.plan(99), "w before `A[x] += 1;` hides i\n"
                        "x before `A[x] += 1;` hides w");
}

TEST(RematPlan, PositiveAnOperandThatSeveralShareIsKept) {
  Squeezed S("int w = A[1]; int x = w ^ 5, y = w ^ 6, z = w ^ 7;\n"
             "A[x] = A[y] + A[z];\nA[1] = A[2]; // peak\n"
             "A[x] = A[y] + A[z];\n");
  std::string Plan = S.plan();
  for (const char *Name : {"x", "y", "z"})
    EXPECT_THAT(Plan, HasSubstr(std::string(Name) + " before `A[x] = A[y]"));
  // Two of them against one register: worth it; one: not.
  EXPECT_EQ(S.refusal("x"), std::nullopt);
}

TEST(RematPlan, PositiveOperandsFirst) {
  // y is made of x: both again, x first, at the same place.
  Squeezed S(
      around("int x = i * 3; int y = x ^ 5;\nA[y] = 2;", "A[x + y] += 1;\n"));
  EXPECT_THAT(S.plan(), HasSubstr("x before `A[x + y] += 1;` hides i\n"
                                  "y before `A[x + y] += 1;` hides x"));
}

TEST(RematPlan, PositiveCheapestFirst) {
  Squeezed S("int x = i + 3, y = (i ^ 3) + (n & 7);\nA[x] = A[y];\n"
             "A[2] = A[3]; // peak\n"
             "A[x] = A[y];\n");
  EXPECT_EQ(S.plan(99), "x before `A[x] = A[y];` hides i");
}

TEST(RematPlan, PositiveMostPeaksFirst) {
  Squeezed S("int x = i + 3;\nA[x] = 1;\n"
             "A[2] = A[3]; // peak\n"
             "A[x] = 2;\n"
             "int y = (i ^ 3) + n;\nA[y] = 2;\n");
  S.Use.Peaks.clear();
  S.addPeak("// peak", 98);
  S.addPeak("A[y] = 2", 100);
  // Only the second peak is too high at 98; at 96 both are.
  EXPECT_EQ(S.plan(98), "i before `A[i] += n;` hides threadIdx");
  EXPECT_THAT(S.plan(96), HasSubstr("x before `A[x] = 2;`"));
}

TEST(RematPlan, PositiveKnowsWhatTheAssemblerSpills) {
  Squeezed S(around("int x = i * 3;"));
  S.Use.Caps = {{98, 98, 0, 0, 0, Origin::Measured}};
  EXPECT_EQ(S.plan(98), "no plan"); // MaxLive is 100, but nothing is spilled
  S.Use.Caps = {{104, 104, 4, 4, 8, Origin::Measured}};
  EXPECT_EQ(S.result(104)->Wanted, 1u);
  S.Use.Caps = {{98, 98, 40, 40, 40, Origin::Measured}};
  EXPECT_EQ(S.result(98)->Wanted, 10u);
  EXPECT_EQ(S.result(98)->Freed, 2u);
}

TEST(RematPlan, PositiveFloatingPointWithoutProducts) {
  Squeezed S("float x = i;\nA[0] = x;\nA[2] = A[3]; // peak\nA[1] = x;\n");
  EXPECT_THAT(S.plan(), HasSubstr("x before `A[1] = x;` hides i"));
}

TEST(RematPlan, PositiveProductsThatNothingFuses) {
  Squeezed S("float x = f * 3;\nA[0] = x;\nA[2] = A[3]; // peak\nA[1] = x;\n",
             {"-ffp-contract=off"});
  EXPECT_THAT(S.plan(), HasSubstr("x before `A[1] = x;` hides f"));
}

//===-- Not chosen --------------------------------------------------------===//

TEST(RematPlan, NegativeFewEnoughAlready) {
  EXPECT_EQ(Squeezed(around("int x = i * 3;")).plan(100), "no plan");
  Squeezed S(around("int x = i * 3;"));
  S.Use.Default.Registers = 90;
  EXPECT_EQ(S.plan(96), "no plan");
}

TEST(RematPlan, NegativeTouchedInThePeak) {
  for (const char *Body :
       {"int x = i * 3;\nA[x] = A[3]; // peak\nA[x] = 1;\n",
        "int x = i * 3;\nA[x] = 1;\nfor (int j = 0; j < x; ++j)\n"
        "  A[j] = 1; // peak\nA[x] = 1;\n",
        "int x = i * 3;\nA[x] = 1;\nA[1] = A[2]; // peak\nA[x] = 3;\n"
        "A[3] = A[4]; // peak\nA[x] = 1;\n"}) {
    std::string Plan = Squeezed(Body).plan();
    EXPECT_EQ(Plan.find("x before"), std::string::npos) << Body << Plan;
  }
}

TEST(RematPlan, NegativeNotAcrossThePeak) {
  for (const char *Body :
       {"int x = i * 3;\nA[x] = 1;\nA[1] = A[2]; // peak\n",
        "A[1] = A[2]; // peak\nint x = i * 3;\nA[x] = 1;\n",
        // The compiler computes it where it is used: nothing to gain.
        "int x = i * 3;\nA[1] = A[2]; // peak\nA[x] = 1;\n"}) {
    Squeezed S(Body);
    EXPECT_EQ(S.plan().find("x before"), std::string::npos) << Body;
    EXPECT_EQ(S.refusal("x"), std::nullopt) << Body;
  }
}

TEST(RematPlan, NegativeCostly) {
  for (const char *Definition :
       {"int x = B[i];", "int x = i / n;", "int x = i % 10;",
        "int x = (i * 3 + 1) * 5 + (i & 7) * n - 2;", "int x = __popc(i);"})
    EXPECT_EQ(Squeezed(around(Definition)).refusal("x"), Reason::TooCostly)
        << Definition;
}

TEST(RematPlan, NegativeNotPure) {
  for (const char *Definition :
       {"int x = A[i];", "volatile int w = i; int x = w;",
        "int x = atomicAdd((int *)A, 1);",
        "__shared__ int s; int x = s + i;"}) {
    Squeezed S(around(Definition));
    EXPECT_EQ(S.plan().find("x before"), std::string::npos) << Definition;
    EXPECT_THAT(S.result()->Refusals, ::testing::Contains(::testing::Field(
                                          &Refusal::Kind, Reason::MayChange)))
        << Definition;
  }
}

TEST(RematPlan, NegativeSeveralDefinitions) {
  for (const char *Definition :
       {"int x = i * 3; x += 1;", "int x; x = i * 3;",
        "int x = i * 3; if (n) x = 4;", "int x = i * 3; ++x;"})
    EXPECT_EQ(Squeezed(around(Definition)).refusal("x"), Reason::Redefined)
        << Definition;
  EXPECT_EQ(Squeezed(around("int x = i * 3;", "A[x] = 1;\nx = 4;\nA[x] = 2;\n"))
                .refusal("x"),
            Reason::Redefined);
}

TEST(RematPlan, NegativeOperandsThatChange) {
  for (const char *Definition :
       {"int a = n; int x = a * 3; a = 4;", "int a = n; int x = a * 3; ++a;",
        "int x = n * 3; n = 4;"})
    EXPECT_EQ(Squeezed(around(Definition, "A[x] += n;\n")).refusal("x"),
              Reason::Redefined)
        << Definition;
  Squeezed Later("int a = n; int x = a * 3;\nA[x] = 1;\nA[1] = A[2]; // peak\n"
                 "a = 7;\nA[x] = a;\n");
  EXPECT_EQ(Later.refusal("x"), Reason::Redefined);
}

TEST(RematPlan, NegativeOperandsOfALoopOutlived) {
  // x holds what j was in the last iteration but one.
  Squeezed S("for (int j = 0; j < n; ++j) {\n"
             "  int x = j * 3;\n"
             "  A[x] = 1;\n"
             "  j += 1;\n"
             "  A[1] = A[2]; // peak\n"
             "  A[x] = j;\n"
             "}\n");
  EXPECT_EQ(S.refusal("x"), Reason::Redefined);
}

TEST(RematPlan, NegativeOperandsThatSomethingElseReaches) {
  EXPECT_THAT(Squeezed(around("int a = n; int *p = &a; int x = a * 3; *p = 4;",
                              "A[x] = a;\n"))
                  .result()
                  ->Refusals,
              ::testing::Contains(
                  ::testing::Field(&Refusal::Kind, Reason::AddressTaken)));
  EXPECT_EQ(Squeezed(around("int x = i * 3; int &r = x; r = 4;")).refusal("x"),
            Reason::AddressTaken);
}

TEST(RematPlan, NegativeOperandsThatAreGone) {
  EXPECT_EQ(Squeezed(around("int a = A[1]; int x = a * 3;")).refusal("x"),
            Reason::OperandsGone);
  // Used again, but before x is.
  EXPECT_EQ(
      Squeezed(around("int a = A[1]; int x = a * 3;", "A[a] = 2;\nA[x] = 3;\n"))
          .refusal("x"),
      Reason::OperandsGone);
}

TEST(RematPlan, NegativeNothingToHide) {
  EXPECT_EQ(Squeezed(around("int x = blockIdx.x * 4;")).refusal("x"),
            Reason::OperandsGone);
  EXPECT_EQ(Squeezed(around("char c = A[0]; int x = c + 1;", "A[x] = c;\n"))
                .refusal("x"),
            Reason::OperandsGone);
}

TEST(RematPlan, NegativeProducts) {
  for (const char *Definition :
       {"float x = f * 3;", "float x = f * f + 1;", "float x = -(f * f);",
        "float x = n ? f * 3 : 1;", "float x = (float)(f * 0.3);",
        "float x = i * f;"}) {
    Squeezed S(std::string(Definition) +
               "\nA[0] = x;\nA[2] = A[3]; // peak\nA[1] = x;\n");
    EXPECT_EQ(S.plan().find("x before"), std::string::npos) << Definition;
    EXPECT_THAT(S.result()->Refusals, ::testing::Contains(::testing::Field(
                                          &Refusal::Kind, Reason::MayContract)))
        << Definition;
  }
}

TEST(RematPlan, NegativeOperandsThatMayBeProducts) {
  // One more use of w would take its fusion with f away.
  Squeezed S("float w = f * 3;\nA[5] = w + f;\nfloat x = w + 1;\nA[0] = x;\n"
             "A[2] = A[3]; // peak\nA[1] = x;\nA[3] = w;\n");
  EXPECT_EQ(S.refusal("x"), Reason::MayContract);
}

TEST(RematPlan, NegativeOneOfTwoProductsThatAreAdded) {
  // Which of the two is fused depends on where x comes from.
  Squeezed S("float x = float(i & 7);\nA[0] = x;\nA[2] = A[3]; // peak\n"
             "A[1] = x * f + A[4] * 3;\n");
  EXPECT_EQ(S.refusal("x"), Reason::MayContract);
  Squeezed Alone("float x = float(i & 7);\nA[0] = x;\nA[2] = A[3]; // peak\n"
                 "A[1] = x * f + A[4];\n");
  EXPECT_NE(Alone.plan().find("x before"), std::string::npos);
}

TEST(RematPlan, NegativeJumps) {
  Squeezed S(around("int x = i * 3;\nif (n) goto out;", "A[x] = 1;\nout:\n"));
  EXPECT_THAT(S.plan(), IsEmpty());
}

TEST(RematPlan, NegativeMacros) {
  EXPECT_EQ(Squeezed(around("VALUE", "A[x] = 1;\n"), {},
                     "#define VALUE int x = i * 3;\n")
                .plan()
                .find("x before"),
            std::string::npos);
  EXPECT_THAT(
      Squeezed(around("int x = i * 3;", "USE(x)\n"), {},
               "#define USE(v) A[v] = 1;\n")
          .result()
          ->Refusals,
      ::testing::Contains(::testing::Field(&Refusal::Kind, Reason::InMacro)));
}

TEST(RematPlan, NegativeNamesThatMeanSomethingElse) {
  Squeezed S("int x = i * 3;\nA[x] = 1;\n{\nint i = 5;\nA[1] = A[2]; // peak\n"
             "A[x] = i;\n}\n");
  EXPECT_EQ(S.refusal("x"), Reason::Redefined);
}

TEST(RematPlan, NegativeArrays) {
  Squeezed S("int x[2] = {i, n};\nA[x[0]] = 1;\nA[2] = A[3]; // peak\n"
             "A[x[0]] = 2;\n");
  EXPECT_EQ(S.plan().find("x before"), std::string::npos);
}

TEST(RematPlan, NegativePeakInAnotherFunction) {
  Squeezed S("int x = i * 3;\nA[x] = 1;\nA[2] = A[3];\nA[x] = 2;\n");
  S.Use.Peaks = {{{"/snippet/kernel.cu", 900, 1},
                  {"/snippet/kernel.cu", 901, 1},
                  100,
                  {}}};
  ASSERT_EQ(S.result()->Refusals.size(), 1u);
  EXPECT_EQ(S.result()->Refusals[0].Kind, Reason::CannotReachTarget);
}

TEST(RematPlan, NegativePtxWithoutLines) {
  Squeezed S("int x = i * 3;\nA[x] = 1;\nA[2] = A[3];\nA[x] = 2;\n");
  S.Use.Peaks = {{{}, {}, 100, {}}};
  ASSERT_EQ(S.result()->Refusals.size(), 1u);
  EXPECT_THAT(S.result()->Refusals[0].Detail, HasSubstr("-lineinfo"));
}

TEST(RematPlan, NegativeNotTheRegistersOfThePeak) {
  Squeezed S(around("int x = i * 3;"));
  LiveValue Touched;
  Touched.Name = "x";
  Touched.Registers = 1;
  Touched.TouchedInPeak = true;
  S.Use.Peaks[0].Live = {Touched};
  EXPECT_EQ(S.plan().find("x before"), std::string::npos);
}

} // namespace
} // namespace catt
