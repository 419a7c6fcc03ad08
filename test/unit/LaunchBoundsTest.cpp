//===- LaunchBoundsTest.cpp - Tests of transforms/LaunchBounds ---*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TransformTesting.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace catt {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A kernel k, launched in the marked spans with blocks of 256, that is to have
/// 80 registers.
Workbench bounded(llvm::StringRef Code, llvm::StringRef Name = "k") {
  Workbench B(Code);
  size_t K = B.kernel(Name);
  for (size_t I = 0; I < B.Spans.size(); ++I)
    B.launch(K, I, Name);
  RegisterPlan Plan;
  Plan.Bounds = BoundsPlan{BoundsForm::LaunchBounds, 256, 3, 80};
  B.R.Kernels[K].Registers = Plan;
  B.Rewriting.Transforms = {"launch-bounds"};
  return B;
}

BoundsPlan &bounds(Workbench &B) { return *B.R.Kernels[0].Registers->Bounds; }

/// The kernel has these bounds already, and they are to be changed.
void exists(Workbench &B, int64_t MaxThreads,
            std::optional<int64_t> MinBlocks) {
  B.R.Kernels[0].Source.MaxThreads = MaxThreads;
  B.R.Kernels[0].Source.MinBlocks = MinBlocks;
  bounds(B).Replaces = bounds(B).Force = true;
}

const char *Static = "static __global__ void k(float *A) { A[0] = 1; }\n"
                     "void host(float *A) { [[k<<<9, 256>>>(A);]] }\n";

//===-- Written -----------------------------------------------------------===//

TEST(LaunchBounds, Positive) {
  Workbench B = bounded(Static);
  EXPECT_REWRITE(B, HasSubstr("static /* catt: launch-bounds(256, 3) */ "
                              "__launch_bounds__(256, 3) /* catt: done */ "
                              "__global__ void k(float *A) {"));
  ASSERT_EQ(B.edits().Done.size(), 1u);
  EXPECT_EQ(B.edits().Done[0].Summary,
            "bounded to 80 registers by __launch_bounds__(256, 3)");
}

TEST(LaunchBounds, PositiveMaxnreg) {
  Workbench B = bounded(Static);
  bounds(B).Form = BoundsForm::MaxRegisters;
  EXPECT_REWRITE(B, HasSubstr("/* catt: launch-bounds(80) */ __maxnreg__(80) "
                              "/* catt: done */ __global__"));
}

TEST(LaunchBounds, PositiveShapesOfTheDeclaration) {
  for (const char *Code :
       {"__global__ void k(float *A) { A[0] = 1; }\n",
        "template <class T> __global__ void k(T *A) { A[0] = 1; }\n",
        "template <class T>\n__global__ /* x */ void\nk(T *A)\n{\n}\n",
        "extern \"C\" __global__ void k(float *A) { A[0] = 1; }\n",
        "int x;\r\n// what it does\r\n__global__ void k(int A) {\r\n}\r\n",
        "__global__ void k(float *A);\n__global__ void k(float *A) {}\n"}) {
    Workbench B = bounded(Code);
    EXPECT_REWRITE(B, HasSubstr("__launch_bounds__(256, 3) /* catt: "
                                "done */ __global__"))
        << Code;
  }
}

TEST(LaunchBounds, PositiveDefinitionBehindADeclaration) {
  Workbench B = bounded("__global__ void k(int n);\n"
                        "void host() { [[k<<<1, 256>>>(1);]] }\n"
                        "__global__ void k(int n) { work(); }\n");
  // The workbench finds the declaration first: the definition is the kernel.
  size_t At = B.text().rfind("__global__");
  B.R.Kernels[0].Source.Span.Begin = At;
  B.R.Kernels[0].Source.BodyBegin = B.text().rfind('{') + 1;
  std::string New = B.checked();
  EXPECT_THAT(New, HasSubstr("__global__ void k(int n);\n"));
  EXPECT_GT(New.find("__launch_bounds__"), New.find("host"));
}

TEST(LaunchBounds, PositiveIsSyntacticallyWhole) {
  Workbench B = bounded(Static);
  std::string Code = B.checked();
  EXPECT_TRUE(parsesAsCuda(Code, true));
  EXPECT_TRUE(parsesAsCuda(Code, false));
}

TEST(LaunchBounds, PositiveForceAddsTheSecondBound) {
  Workbench B = bounded("__global__ void __launch_bounds__(256) k(int n) {}\n");
  exists(B, 256, std::nullopt);
  EXPECT_REWRITE(
      B, HasSubstr("__launch_bounds__(256/* catt: launch-bounds(256, 3) "
                   "*/ , 3 /* catt: done */ ) k(int n)"));
}

TEST(LaunchBounds, PositiveForceOverridesBothBounds) {
  Workbench B = bounded("__launch_bounds__(N(1, 2), sizeof(int)) "
                        "__global__ void k(int n) {}\n");
  B.R.Kernels[0].Source.Span.Begin = 0;
  exists(B, 512, 4);
  std::string New = B.checked();
  EXPECT_THAT(New, HasSubstr("0 * ( /* catt: begin */ N(1, 2) /* catt: end */ "
                             ") + 256 /* catt: done */"));
  EXPECT_THAT(New, HasSubstr("0 * ( /* catt: begin */ sizeof(int) /* catt: "
                             "end */ ) + 3 /* catt: done */"));
}

TEST(LaunchBounds, PositiveForceLeavesWhatIsRight) {
  Workbench B =
      bounded("__global__ void __launch_bounds__(256, 4) k(int) {}\n");
  exists(B, 256, 4);
  EXPECT_REWRITE(B, HasSubstr("__launch_bounds__(256, /* catt"));
}

TEST(LaunchBounds, PositiveInstantiationsThatAgree) {
  Workbench B =
      bounded("template <class T> __global__ void k(T n) {}\n", "k<int>");
  B.R.Kernels.push_back(B.R.Kernels[0]);
  B.R.Kernels[1].Source.Name = "k<float>";
  EXPECT_EQ(B.checked().find("__launch_bounds__"),
            B.checked().rfind("__launch_bounds__"));
}

//===-- Refused -----------------------------------------------------------===//

TEST(LaunchBounds, NegativeFewerBlocksOfAKernelThatWaits) {
  for (BoundsForm Form : {BoundsForm::LaunchBounds, BoundsForm::MaxRegisters})
    for (int64_t Now : {2, 3, 4}) {
      Workbench B = bounded(Static);
      RegisterPlan &Plan = *B.R.Kernels[0].Registers;
      Plan.Bounds->Form = Form;
      Plan.Points.resize(1);
      Plan.Points[0].Blocks = 3;
      Plan.Before.BlocksPerSM = Now;
      EXPECT_NE(B.checked(), B.text());
      B.R.Kernels[0].Source.Waits.push_back(
          {Reason::WarpsCommunicate, {}, "flag"});
      if (Now <= 3)
        EXPECT_NE(B.checked(), B.text()) << "as many blocks as before, or more";
      else
        EXPECT_REFUSED(B, Reason::WarpsCommunicate);
      EXPECT_EQ(B.rewritten() == B.text(), Now > 3);
    }
}

TEST(LaunchBounds, NegativeNotByDefault) {
  Workbench B = bounded(Static);
  B.Rewriting.Transforms.clear();
  EXPECT_EQ(B.rewritten(), B.text());
  EXPECT_THAT(B.refusals(), IsEmpty());
  B.Rewriting.Transforms = {"all"};
  EXPECT_NE(B.checked(), B.text());
}

TEST(LaunchBounds, NegativeNothingPlanned) {
  Workbench B = bounded(Static);
  B.R.Kernels[0].Registers->Bounds.reset();
  EXPECT_EQ(B.rewritten(), B.text());
  B.R.Kernels[0].Registers.reset();
  EXPECT_EQ(B.rewritten(), B.text());
  EXPECT_THAT(B.refusals(), IsEmpty());
}

TEST(LaunchBounds, NegativeRefusalsOfThePlan) {
  Workbench B = bounded(Static);
  B.R.Kernels[0].Registers->Refusals.push_back(
      {Reason::RegistersEstimated, {}, ""});
  EXPECT_REFUSED(B, Reason::RegistersEstimated);
}

TEST(LaunchBounds, NegativeRefusalsOfTheKernel) {
  for (Reason Why : {Reason::Suppressed, Reason::BrokenCode, Reason::InMacro,
                     Reason::NotInstantiated, Reason::InSystemHeader}) {
    Workbench B = bounded(Static);
    B.R.Kernels[0].Source.Refusals.push_back({Why, {}, ""});
    EXPECT_REFUSED(B, Why);
  }
  // What concerns loops does not concern registers.
  Workbench B = bounded(Static);
  B.R.Kernels[0].Source.Refusals.push_back({Reason::CooperativeLaunch, {}, ""});
  EXPECT_NE(B.checked(), B.text());
}

TEST(LaunchBounds, NegativeTwice) {
  // The kernel as it is found in the new text: from its first specifier on, or
  // from __global__, behind what was written.
  Workbench B = bounded(bounded(Static).rewritten());
  EXPECT_REFUSED(B, Reason::AlreadyRewritten);
  B.R.Kernels[0].Source.Span.Begin = B.text().find("static");
  EXPECT_REFUSED(B, Reason::AlreadyRewritten);
  Workbench Forced =
      bounded("__global__ void __launch_bounds__(256) k(int n) {}\n");
  exists(Forced, 256, std::nullopt);
  Workbench Again = bounded(Forced.rewritten());
  exists(Again, 256, 3);
  EXPECT_REFUSED(Again, Reason::AlreadyRewritten);
}

TEST(LaunchBounds, NegativeGlobalFromAMacro) {
  Workbench B("#define KERNEL __global__ void\nKERNEL k(int n) {}\n");
  KernelReport K;
  K.Source.Name = K.Source.UnqualifiedName = "k";
  size_t At = B.text().rfind("KERNEL");
  K.Source.Where = B.where(At);
  K.Source.Span = {FileName, unsigned(At), unsigned(B.text().size())};
  K.Source.BodyBegin = B.text().find('{') + 1;
  K.Registers = RegisterPlan();
  K.Registers->Bounds = BoundsPlan{BoundsForm::LaunchBounds, 256, 3, 80};
  B.R.Kernels.push_back(K);
  B.Rewriting.Transforms = {"launch-bounds"};
  EXPECT_REFUSED(B, Reason::InMacro);
}

TEST(LaunchBounds, NegativeDeclarationCutByAConditional) {
  Workbench B = bounded("__global__ void\n#ifdef A\nk(int n)\n#else\n"
                        "k(float n)\n#endif\n{ work(); }\n");
  B.R.Kernels[0].Source.BodyBegin = B.text().find('{') + 1;
  B.R.Kernels[0].Source.Span.Begin = B.text().find("k(");
  EXPECT_REFUSED(B, Reason::InMacro);
}

TEST(LaunchBounds, NegativeOtherUses) {
  for (const char *Host :
       {"auto *p = k;\n", "void host() { run(&k, 3); }\n",
        "void host() { [[k<<<9, 256>>>(1);]] k<<<9, 1024>>>(1); }\n",
        "template <class T> void host() { k<<<9, T::Size>>>(1); }\n",
        "#define LAUNCH(b) k<<<9, b>>>(1)\n",
        "void host() { cudaLaunchKernel((void *)k, 1, 1, 0, 0, 0); }\n",
        "void host() { cudaFuncSetAttribute(pick(k), 9, 0); }\n",
        ("void host() { cudaFuncSetAttribute(k, "
         "cudaFuncAttributePreferredSharedMemoryCarveout, 0); }\n"),
        "void host() { cudaFuncGetAttributes; run(k); }\n"}) {
    Workbench B = bounded(
        (llvm::Twine("static __global__ void k(int n) {}\n") + Host).str());
    EXPECT_REFUSED(B, Reason::LaunchedElsewhere);
    bounds(B).Force = true;
    EXPECT_NE(B.checked(), B.text());
    bounds(B).Force = false;
    bounds(B).Form = BoundsForm::MaxRegisters; // fails no launch
    EXPECT_NE(B.checked(), B.text());
  }
}

TEST(LaunchBounds, PositiveCallsThatOnlyNameTheKernel) {
  for (const char *Call :
       {"cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, "
        "0);",
        "cudaFuncGetAttributes(&a, (const void *)k);",
        "cudaFuncGetAttributes /* why */ (&a, k);"}) {
    Workbench B = bounded("static __global__ void k(int n) {}\n"
                          "void host() {\n  " +
                          std::string(Call) + "\n  [[k<<<9, 256>>>(1);]]\n}\n");
    EXPECT_NE(B.checked(), B.text()) << Call;
  }
}

TEST(LaunchBounds, NegativeTemplateLaunchedWithOtherArguments) {
  Workbench B = bounded("template <class T> static __global__ void k(T n) {}\n"
                        "void host() {\n  [[k<int><<<1, 256>>>(1);]]\n"
                        "  k<double><<<1, 512>>>(1);\n}\n",
                        "k<int>");
  EXPECT_REFUSED(B, Reason::LaunchedElsewhere);
}

TEST(LaunchBounds, PositiveLaunchThroughTheRuntime) {
  Workbench B = bounded(
      "static __global__ void k(int n) {}\n"
      "void host() { [[cudaLaunchKernel((void *)k, 1, 256, 0, 0, 0);]] }\n");
  EXPECT_NE(B.checked(), B.text());
}

TEST(LaunchBounds, NegativeNamesInCommentsAndStringsAreNoUses) {
  Workbench B = bounded("static __global__ void k(int n) {} // k, and &k\n"
                        "const char *Name = \"k\";\n"
                        "void host() { [[k<<<9, 256>>>(1);]] }\n");
  EXPECT_THAT(B.refusals(), IsEmpty());
  EXPECT_NE(B.checked(), B.text());
}

TEST(LaunchBounds, NegativeMaxnregThatIsThere) {
  Workbench B = bounded("__global__ __maxnreg__(64) void k(int n) {}\n");
  EXPECT_REFUSED(B, Reason::BoundsExist);
  bounds(B).Form = BoundsForm::MaxRegisters;
  EXPECT_REFUSED(B, Reason::BoundsExist);
}

TEST(LaunchBounds, NegativeBoundsThatTheAnalysisDidNotSee) {
  Workbench B = bounded("__global__ __launch_bounds__(T) void k(int n) {}\n");
  EXPECT_REFUSED(B, Reason::BoundsExist);
}

TEST(LaunchBounds, NegativeBoundsOfAMacroOrAnotherDeclaration) {
  Workbench B = bounded("__global__ BOUNDS void k(int n) {}\n");
  exists(B, 256, 4);
  EXPECT_REFUSED(B, Reason::InMacro);
}

TEST(LaunchBounds, NegativeInstantiationsThatDiffer) {
  Workbench B =
      bounded("template <class T> __global__ void k(T n) {}\n", "k<int>");
  B.R.Kernels.push_back(B.R.Kernels[0]);
  B.R.Kernels[1].Source.Name = "k<float>";
  B.R.Kernels[1].Registers->Bounds->MinBlocks = 4;
  EXPECT_REFUSED(B, Reason::InstantiationsDiffer);
}

TEST(LaunchBounds, NegativeRevertOfBoundsChangedByHand) {
  Workbench B = bounded(Static);
  std::string New = B.rewritten();
  size_t At = New.find("__launch_bounds__(256, 3)");
  New.replace(At, 25, "__launch_bounds__(THREADS)");
  EXPECT_THAT(reverted(New), HasSubstr("changed by hand"));
}

} // namespace
} // namespace catt
