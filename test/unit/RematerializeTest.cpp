//===- RematerializeTest.cpp - Tests of transforms/Rematerialize -*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RematTesting.h"
#include "TransformTesting.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace catt {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A file whose kernel has a peak, and what becomes of it.
struct Bench : ReportBench {
  explicit Bench(llvm::StringRef Body, llvm::StringRef Before = "",
                 unsigned Target = 96)
      : S(Body, {}, Before), Target(Target) {
    add(S.kernel());
    R.MainFile = S.kernel().Span.File;
    R.Texts[R.MainFile] = S.P.Code;
    Rewriting.Transforms = {"rematerialize"};
  }

  void add(const Kernel &K) {
    KernelReport Report;
    Report.Source = K;
    Report.Remat = planRemat(K, S.Use, Target);
    R.Kernels.push_back(std::move(Report));
  }

  Squeezed S;
  unsigned Target = 96;

protected:
  bool parsesLike(const std::string &New) const override {
    parseSnippet(New); // expects no error
    return true;
  }
};

const char *Row = "int row = i * 3;\n"
                  "A[row] = 1;\n"
                  "A[1] = A[2]; // peak\n"
                  "A[row] += 2;\n";

//===-- Written -----------------------------------------------------------===//

TEST(Rematerialize, PositiveHidesACopyOfAnOperand) {
  Bench B(Row, "", 99);
  EXPECT_REWRITE(
      B, HasSubstr("A[1] = A[2]; // peak\n"
                   "// catt: rematerialize(row): 1 register less at the "
                   "peak\n"
                   "{\n"
                   "  auto cattHidden = i;\n"
                   "  asm volatile(\"\" : \"+r\"(cattHidden));\n"
                   "  {\n"
                   "    decltype(i) i = cattHidden;\n"
                   "    row = i * 3;\n"
                   "  }\n"
                   "} // catt: done\n"
                   "A[row] += 2;\n"));
}

TEST(Rematerialize, PositiveSaysWhatItDid) {
  Bench B(Row);
  ASSERT_EQ(B.edits().Done.size(), 1u);
  EXPECT_EQ(B.edits().Done[0].Summary,
            "computes 'i', 'row' again instead of keeping them");
}

TEST(Rematerialize, PositiveSpecialRegisters) {
  EXPECT_REWRITE(Bench(Row),
                 HasSubstr("  uint3 cattHidden = threadIdx;\n"
                           "  asm volatile(\"\" : \"+r\"(cattHidden.x));\n"
                           "  {\n"
                           "    const uint3 threadIdx = cattHidden;\n"
                           "    i = blockIdx.x * blockDim.x + threadIdx.x;\n"));
}

TEST(Rematerialize, PositiveConstraintOfTheType) {
  for (auto [Definition, Hidden] :
       {std::pair("long long a = n; int x = a + 1;", "\"+l\"(cattHidden)"),
        std::pair("short a = n; int x = a + 1;", "\"+h\"(cattHidden)"),
        std::pair("float a = n; float x = a + 1;", "\"+f\"(cattHidden)"),
        std::pair("double a = n; double x = -a;", "\"+d\"(cattHidden)"),
        std::pair("float *a = A; float *x = a + 1;", "\"+l\"(cattHidden)")}) {
    Bench B(std::string(Definition) +
            "\nauto q = x;\nA[1] = A[2]; // peak\nauto p = x; auto o = a;\n");
    EXPECT_REWRITE(B, HasSubstr(Hidden)) << Definition;
  }
}

TEST(Rematerialize, PositiveUnbracedStatementGetsBraces) {
  Bench B("int row = i * 3;\nA[row] = 1;\n"
          "if (n > 3)\n  A[1] = A[2]; // peak\nelse\n  A[row] += 2;\n",
          "", 99);
  EXPECT_REWRITE(B, HasSubstr("else\n  // catt: rematerialize(row)"));
}

TEST(Rematerialize, PositiveConstForTheRestOfItsBlock) {
  Bench B("const int row = i * 3;\nA[row] = 1;\nA[1] = A[2]; // peak\n"
          "int other = row + 1;\nA[other] = row;\n",
          "", 99);
  EXPECT_REWRITE(
      B, HasSubstr("// catt: rematerialize(row): 1 register less at the "
                   "peak\n"
                   "{\n"
                   "  auto cattHidden = i;\n"
                   "  asm volatile(\"\" : \"+r\"(cattHidden));\n"
                   "  decltype(i) i = cattHidden;\n"
                   "  decltype(row) row = i * 3;\n"
                   "  { // catt: begin\n"
                   "int other = row + 1;\nA[other] = row;\n"
                   "A[i] += n;\n"
                   "  } // catt: end\n"
                   "} // catt: done\n}\n"));
}

TEST(Rematerialize, PositiveSeveralConstsAndPlaces) {
  Bench B("const int x = i * 3, y = i ^ 5;\nA[x] = y;\nA[1] = A[2]; // peak\n"
          "A[x] = 2;\nif (n) {\n  A[y] = 3;\n}\nA[y] = 3;\n");
  std::string New = B.checked();
  EXPECT_THAT(New, HasSubstr("decltype(x) x = i * 3;"));
  EXPECT_THAT(New, HasSubstr("decltype(y) y = i ^ 5;"));
}

TEST(Rematerialize, PositiveConstInALoop) {
  Bench B(
      "const int x = i * 3;\nfor (int j = 0; j < n; ++j) {\n  A[x + j] = 1;\n"
      "  A[j] = A[j + 1]; // peak\n  if (j > 3)\n    A[x] = 2;\n}\n");
  EXPECT_NE(B.checked(), B.text());
}

TEST(Rematerialize, NegativeConstInALineBeforeALoopThatIsDivided) {
  Bench B("const int x = i * 3;\nif (n) {\n  A[x] = 1;\n"
          "  A[1] = A[2]; // peak\n  A[3] = 1; A[x] = 2;\n"
          "  for (int j = 0; j < n; ++j)\n    A[j] += A[x];\n}\n");
  EXPECT_REWRITE(B, HasSubstr("decltype(x) x = i * 3;"));
  LoopPlan Divided;
  Divided.Groups = 2;
  Divided.WarpsPerGroup = 4;
  B.R.Kernels[0].Plan.Loops = {Divided};
  EXPECT_EQ(B.rewritten().find("decltype(x)"), std::string::npos);
  EXPECT_THAT(B.refusals(), ::testing::Contains(Reason::LoopDeclaresResult));
}

TEST(Rematerialize, NegativeConstBeforeACaseLabel) {
  Bench B("const int x = i * 3;\nA[x] = 1;\nswitch (n) {\ncase 1:\n"
          "  A[1] = A[2]; // peak\n  A[x] = 2;\n  break;\ncase 2:\n"
          "  A[3] = 3;\n}\n");
  EXPECT_EQ(B.rewritten().find("decltype(x)"), std::string::npos);
  EXPECT_THAT(B.refusals(), ::testing::Contains(Reason::ConstObject));
}

TEST(Rematerialize, NegativeConstBeforeAConditional) {
  Bench B("const int x = i * 3;\nA[x] = 1;\nA[1] = A[2]; // peak\nA[x] = 2;\n"
          "#if 1\nA[3] = 1;\n#else\n{\n#endif\n");
  EXPECT_EQ(B.rewritten().find("decltype(x)"), std::string::npos);
}

TEST(Rematerialize, PositiveOnOneLine) {
  Bench B("int row = i * 3; A[row] = 1;\n"
          "/* peak: // peak */ A[1] = A[2]; int other = 4;\n"
          "{ A[row] += 2; } A[other] = 1;\n",
          "", 99);
  EXPECT_REWRITE(B, HasSubstr("{ /* catt: rematerialize(row) */ { auto "
                              "cattHidden = i;"));
}

TEST(Rematerialize, PositiveInitializerOverSeveralLines) {
  Bench B("int row = i * 3 +\n          n;\nA[row] = 1;\n"
          "A[1] = A[2]; // peak\nA[row] += 2;\n");
  EXPECT_REWRITE(B, HasSubstr("row = i * 3 + n;"));
}

TEST(Rematerialize, PositiveFreshName) {
  Bench B(std::string("int cattHidden = 4;\nA[cattHidden] = 1;\n") + Row);
  EXPECT_REWRITE(B, HasSubstr("auto cattHidden2 = i;"));
}

TEST(Rematerialize, PositiveAbovePragmas) {
  Bench B("int row = i * 3;\nA[row] = 1;\nA[1] = A[2]; // peak\n"
          "#pragma unroll\nfor (int m = 0; m < 4; ++m)\n  A[row + m] = m;\n");
  EXPECT_REWRITE(B, HasSubstr("} // catt: done\n#pragma unroll\n"));
}

TEST(Rematerialize, PositiveInstantiationsThatAgree) {
  const char *Code = "template <class T> __global__ void k(T *A, int n) {\n"
                     "int row = threadIdx.x * 3;\nA[row] = 1;\n"
                     "A[1] = A[2]; // peak\nA[row] += 2;\n}\n"
                     "void host(float *A, int *B) {\n"
                     "k<<<1, 32>>>(A, 1);\nk<<<1, 32>>>(B, 1);\n}\n";
  Parsed P = parseSnippet(Code);
  ASSERT_EQ(P.Kernels.size(), 2u);
  Bench B("");
  B.R.Kernels.clear();
  B.R.Texts[B.R.MainFile] = Code;
  B.S.Use.Peaks.clear();
  PressurePeak Peak;
  Peak.Registers = 100;
  Peak.Begin = Peak.End = {P.Kernels[0].Where.File, 4, 1};
  B.S.Use.Peaks.push_back(Peak);
  for (const Kernel &K : P.Kernels)
    B.add(K);
  std::string New = B.rewritten();
  EXPECT_NE(New.find("catt: rematerialize"), std::string::npos);
  EXPECT_EQ(New.find("catt: rematerialize"), New.rfind("catt: rematerialize"));
}

//===-- Left alone --------------------------------------------------------===//

TEST(Rematerialize, NegativeNoPlan) {
  Bench B(Row);
  B.R.Kernels[0].Remat.reset();
  EXPECT_THAT(B.edits().Files, IsEmpty());
  EXPECT_THAT(B.refusals(), IsEmpty());
}

TEST(Rematerialize, NegativeRefusalsOfThePlanAreTold) {
  EXPECT_THAT(Bench("int x = A[1];\nA[x] = 1;\nA[1] = A[2]; // peak\nA[x] = 2;")
                  .refusals(),
              ::testing::Contains(Reason::MayChange));
}

TEST(Rematerialize, NegativeKernelThatMayNotBeEdited) {
  Bench B(Row);
  B.R.Kernels[0].Source.Refusals.push_back(
      {Reason::Suppressed, B.S.kernel().Where, ""});
  EXPECT_THAT(B.edits().Files, IsEmpty());
  EXPECT_REFUSED(B, Reason::Suppressed);
}

TEST(Rematerialize, NegativeMarkedAlready) {
  Bench B(Row);
  std::string New = B.rewritten();
  Bench Second(Row);
  Second.R.Texts[B.R.MainFile] = New;
  Second.R.Kernels[0].Source.Span.End += New.size() - B.S.P.Code.size();
  EXPECT_REFUSED(Second, Reason::AlreadyRewritten);
}

TEST(Rematerialize, NegativeReferenceOfTheSameName) {
  for (const char *Hides : {"float &i = A[3];", "auto &&i = A[3];",
                            "__shared__ int i;", "static __device__ int i;"}) {
    Bench B(std::string("int row = i * 3;\nA[row] = 1;\n{\n") + Hides +
            "\nA[1] = A[2]; // peak\nA[row] = i;\n}\n");
    EXPECT_EQ(B.rewritten().find("row = i"), B.S.P.Code.find("row = i"))
        << Hides;
    EXPECT_EQ(B.rewritten().rfind("row = i * 3"), B.S.P.Code.find("row = i"))
        << Hides;
    EXPECT_THAT(B.refusals(), ::testing::Contains(Reason::Redefined)) << Hides;
  }
}

TEST(Rematerialize, NegativeStructuredBinding) {
  Bench B("int row = n * 3;\nA[row] = 1;\nint pair[2] = {1, 2};\n"
          "A[1] = A[2]; // peak\n{\nauto [m, o] = pair;\nA[row] = m + o;\n}\n");
  EXPECT_THAT(B.refusals(), ::testing::Contains(Reason::Redefined));
}

TEST(Rematerialize, NegativeMacroThatChanges) {
  Bench B("int row = i * W;\nA[row] = 1;\nA[1] = A[2]; // peak\n"
          "#undef W\n#define W 4\nA[row] = W;\n",
          "#define W 3\n");
  EXPECT_THAT(B.refusals(), ::testing::Contains(Reason::InMacro));
  EXPECT_EQ(B.rewritten().find("rematerialize(row"), std::string::npos);
}

TEST(Rematerialize, NegativeCommentInTheInitializer) {
  Bench B("int row = i * 3 + // the third\n n;\nA[row] = 1;\n"
          "A[1] = A[2]; // peak\nA[row] = 2;\n");
  EXPECT_EQ(B.rewritten().find("rematerialize(row"), std::string::npos);
}

TEST(Rematerialize, NegativeCutByAConditional) {
  Bench B("int row = i * 3;\nA[row] = 1;\nA[1] = A[2]; // peak\n"
          "A[row]\n#if 1\n += 2;\n#else\n += 3;\n#endif\n");
  EXPECT_EQ(B.rewritten().find("rematerialize(row"), std::string::npos);
  EXPECT_THAT(B.refusals(), ::testing::Not(IsEmpty()));
}

TEST(Rematerialize, NegativeInMacroBody) {
  Bench B("BODY\n", "#define BODY int row = i * 3; A[row] = 1; A[1] = A[2]; "
                    "A[row] = 2;\n");
  EXPECT_THAT(B.edits().Files, IsEmpty());
}

} // namespace
} // namespace catt
