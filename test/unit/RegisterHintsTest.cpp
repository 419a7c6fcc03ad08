//===- RegisterHintsTest.cpp - Tests of RegisterHints and its sources -----===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SourceTesting.h"
#include "analysis/Analysis.h"
#include "analysis/model/Reasons.h"
#include "analysis/plan/RegisterSources.h"
#include <gmock/gmock.h>

namespace catt {
namespace {

using namespace testing;
using ::testing::ElementsAre;

TEST(RegisterSources, BoundsAreTakenOutLineByLine) {
  EXPECT_EQ(withoutBounds(".entry k()\n.maxntid 256, 1, 1\n\t.minnctapersm 3\n"
                          ".maxnreg 64\n{\n}\n"),
            ".entry k()\n\n\n\n{\n}\n");
  EXPECT_EQ(withoutBounds(""), "");
}

//===-- Planning ----------------------------------------------------------===//

RegisterPoint point(unsigned Cap, unsigned Registers, unsigned Spilled) {
  RegisterPoint P;
  P.CapRegisters = Cap;
  P.Registers = Registers;
  P.SpillStoreBytes = P.SpillLoadBytes = Spilled;
  P.From = Origin::Measured;
  return P;
}

/// 100 registers are needed, 80 are enough; the kernel waits for memory.
RegisterSource hungry(RegisterCaps *Asked = nullptr) {
  return [Asked](const TranslationUnit &,
                 const RegisterCaps &Caps) -> llvm::Expected<RegisterAnswers> {
    if (Asked)
      *Asked = Caps;
    RegisterAnswers Out;
    for (const auto &[Name, Each] : Caps) {
      RegisterAnswer &A = Out[Name];
      A.Use.Default = point(0, 100, 0);
      for (unsigned Cap : Each)
        A.Use.Caps.push_back(
            point(Cap, std::min(Cap, 100u), Cap < 80 ? 80 - Cap : 0));
      A.Mix = InstructionMix{200, 10, 10, 4};
    }
    return Out;
  };
}

Report analysed(const Parsed &P, RegisterSource Ask) {
  AnalysisOptions O;
  O.Gpu = llvm::cantFail(findDevice("h200"));
  O.Registers.Ask = std::move(Ask);
  return llvm::cantFail(analyze(*P.Unit, O));
}

const char *Hungry =
    "static __global__ void k(float *A) { A[threadIdx.x] = 1; }"
    "\nvoid host(float *A) { k<<<9999, 256>>>(A); }\n";

TEST(RegisterHints, PositiveKernelWithoutALoop) {
  Parsed P = parseSnippet(Hungry);
  RegisterCaps Asked;
  Report R = analysed(P, hungry(&Asked));
  EXPECT_THAT(Asked.at("k"), ElementsAre(32, 40, 48, 64, 80, 128, 255));
  ASSERT_EQ(R.Kernels.size(), 1u);
  ASSERT_TRUE(R.Kernels[0].Registers.has_value());
  ASSERT_TRUE(R.Kernels[0].Registers->Bounds.has_value());
  EXPECT_EQ(spelling(*R.Kernels[0].Registers->Bounds),
            "__launch_bounds__(256, 3)");
  EXPECT_TRUE(R.Kernels[0].Registers->Refusals.empty());
}

TEST(RegisterHints, WhichToolkitsHaveWhat) {
  for (const auto &[Version, Pragma, Maxnreg] : {std::tuple("13.0", true, true),
                                                 {"14.2", true, true},
                                                 {"12.9", false, true},
                                                 {"12.4", false, true},
                                                 {"12.3", false, false},
                                                 {"11.8", false, false}}) {
    const Toolkit Cuda{"/usr/local/cuda", Version};
    EXPECT_EQ(hasSpillPragma(Cuda), Pragma) << Version;
    EXPECT_EQ(hasMaxnreg(Cuda), Maxnreg) << Version;
  }
  EXPECT_FALSE(hasSpillPragma({}));
  EXPECT_EQ(hasMaxnreg({}), std::nullopt) << "whoever compiles has another";
}

TEST(RegisterHints, NegativeNobodyIsAsked) {
  Parsed P = parseSnippet(Hungry);
  Report R = analysed(P, {});
  EXPECT_FALSE(R.Kernels[0].Registers.has_value());
  EXPECT_FALSE(R.Kernels[0].Pressure.has_value());
}

TEST(RegisterHints, NegativeExternalLinkage) {
  Parsed P = parseSnippet("__global__ void k(float *A) { A[0] = 1; }\n"
                          "void host(float *A) { k<<<9999, 256>>>(A); }\n");
  Report R = analysed(P, hungry());
  ASSERT_EQ(R.Kernels[0].Registers->Refusals.size(), 1u);
  EXPECT_EQ(R.Kernels[0].Registers->Refusals[0].Kind,
            Reason::LaunchedElsewhere);
}

TEST(RegisterHints, NegativeToldLaunchDoesNotHideALargerOne) {
  Parsed P = parseSnippet("// catt: launch(grid=9999, block=128)\n"
                          "static __global__ void k(float *A) { A[0] = 1; }\n"
                          "void host(float *A) { k<<<9999, 256>>>(A); }\n");
  Report R = analysed(P, hungry());
  EXPECT_EQ(R.Kernels[0].Registers->Bounds->MaxThreads, 256);
}

TEST(RegisterHints, NegativeBlockOfTheArguments) {
  Parsed P = parseSnippet("static __global__ void k(float *A) { A[0] = 1; }\n"
                          "void host(float *A, int b) {\n"
                          "  k<<<9999, 256>>>(A);\n  k<<<9, b>>>(A);\n}\n");
  Report R = analysed(P, hungry());
  ASSERT_FALSE(R.Kernels[0].Registers->Refusals.empty());
  EXPECT_EQ(R.Kernels[0].Registers->Refusals[0].Kind,
            Reason::LaunchedElsewhere);
}

TEST(RegisterHints, PositiveFlagMetOnlyBySpilling) {
  Parsed P = parseSnippet(Hungry, {"-maxrregcount=64"}, "nvcc");
  Report R = analysed(P, hungry());
  ASSERT_TRUE(R.Kernels[0].Registers->Forced.has_value());
  EXPECT_EQ(R.Kernels[0].Registers->Forced->Bound, "-maxrregcount=64");
  EXPECT_EQ(R.Kernels[0].Registers->Forced->Instead, "-maxrregcount=80");
}

TEST(RegisterHints, NegativeFlagOfNvccForClang) {
  Parsed P = parseSnippet(Hungry, {"-maxrregcount=64"}, "clang++");
  Report R = analysed(P, hungry());
  EXPECT_FALSE(R.Kernels[0].Registers->Forced.has_value());
  EXPECT_THAT(P.Unit->notes(), ElementsAre("'-maxrregcount=64': not known to "
                                           "clang; ignored"));
}

TEST(RegisterHints, PositiveBoundsMetOnlyBySpilling) {
  Parsed P = parseSnippet(
      "static __global__ void __launch_bounds__(256, 4) k(float *A) {}\n"
      "void host(float *A) { k<<<9999, 256>>>(A); }\n");
  Report R = analysed(P, hungry());
  ASSERT_TRUE(R.Kernels[0].Registers->Forced.has_value());
  EXPECT_EQ(R.Kernels[0].Registers->Forced->Instead,
            "__launch_bounds__(256, 3)");
}

TEST(RegisterHints, NegativeSourceThatFails) {
  Parsed P = parseSnippet(Hungry);
  Report R =
      analysed(P,
               [](const TranslationUnit &,
                  const RegisterCaps &) -> llvm::Expected<RegisterAnswers> {
                 return llvm::createStringError("there is no ptxas");
               });
  EXPECT_FALSE(R.Kernels[0].Registers.has_value());
  EXPECT_EQ(R.RegisterProblem, "registers: there is no ptxas");
}

TEST(RegisterHints, NegativeNoLaunchIsKnown) {
  Parsed P = parseSnippet("__global__ void k(float *A) { A[0] = 1; }\n");
  Report R = analysed(P, hungry());
  EXPECT_FALSE(R.Kernels[0].Registers.has_value());
}

//===-- Registers limit the blocks of a plan ------------------------------===//

/// Every kernel takes so many registers, whatever the cap.
RegisterSource taking(unsigned Registers, Origin From, int *Asked = nullptr) {
  return [=](const TranslationUnit &,
             const RegisterCaps &Caps) -> llvm::Expected<RegisterAnswers> {
    RegisterAnswers Out;
    for (const auto &[Name, Each] : Caps) {
      RegisterUse &Use = Out[Name].Use;
      Use.Default = point(0, Registers, 0);
      Use.Default.From = From;
      for (unsigned Cap : Each) {
        Use.Caps.push_back(point(Cap, std::min(Cap, Registers), 0));
        Use.Caps.back().From = From;
      }
      if (Asked)
        ++*Asked;
    }
    return Out;
  };
}

/// Each thread walks its own rows: 8 blocks of 8 warps overflow the L1 of an
/// H200, of 3 they fit.
std::string walk(llvm::StringRef Launch,
                 llvm::StringRef Head = "__global__ void") {
  return ("constexpr int N = 4096;\n" + Head +
          " rows(const float *A, const float *B, const float *x, float *y) {\n"
          "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
          "  for (int j = 0; j < N; ++j)\n"
          "    y[i] += A[i * N + j] * x[j] + B[i * N + j];\n}\n"
          "void run(const float *A, const float *B, const float *x, float *y,\n"
          "         int n, int b) {\n  rows" +
          Launch + "(A, B, x, y);\n}\n")
      .str();
}

const char *Full = "<<<132 * 8, 256>>>";

TEST(RegisterLimits, PositiveFewRegistersLeaveThePlanAsItWas) {
  Parsed P = parseSnippet(walk(Full));
  Report R = analysed(P, taking(32, Origin::Measured));
  const KernelPlan &Plan = R.Kernels.at(0).Plan;
  EXPECT_EQ(Plan.Before->BlocksPerSM, 8);
  EXPECT_GT(Plan.Loops.at(0).Groups, 1);
}

TEST(RegisterLimits, NegativeWhatIsResidentFits) {
  Parsed P = parseSnippet(walk(Full));
  Report R = analysed(P, taking(138, Origin::Measured));
  const KernelReport &K = R.Kernels.at(0);
  EXPECT_EQ(K.Plan.Before->BlocksPerSM, 1);
  EXPECT_EQ(K.Plan.Before->LimitedBy, Limiter::Registers);
  EXPECT_EQ(K.Plan.Loops.at(0).Groups, 1);
  EXPECT_EQ(K.Plan.Loops.at(0).Why->Kind, Reason::Fits);
  EXPECT_EQ(K.Registers->Before.BlocksPerSM, K.Plan.Before->BlocksPerSM);
}

TEST(RegisterLimits, NegativeByThePapersRule) {
  Parsed P = parseSnippet(walk(Full));
  AnalysisOptions O;
  O.Gpu = llvm::cantFail(findDevice("h200"));
  O.Counting = Model::Catt;
  O.Registers.Ask = taking(138, Origin::Measured);
  Report R = llvm::cantFail(analyze(*P.Unit, O));
  EXPECT_EQ(R.Kernels.at(0).Plan.Before->BlocksPerSM, 1);
  EXPECT_EQ(R.Kernels.at(0).Plan.Loops.at(0).Groups, 1);
}

TEST(RegisterLimits, NegativeTheEndsOfAnEstimateDisagree) {
  // 56 estimated are 44 to 70: 5 blocks or 3.
  Parsed P = parseSnippet(walk(Full));
  Report R = analysed(P, taking(56, Origin::Estimated));
  const KernelReport &K = R.Kernels.at(0);
  EXPECT_EQ(K.Source.Registers->Least, 44);
  EXPECT_EQ(K.Source.Registers->Most, 70);
  EXPECT_EQ(K.Plan.Before->BlocksPerSM, 4);
  EXPECT_EQ(K.Plan.Before->From, Origin::Estimated);
  const LoopPlan &L = K.Plan.Loops.at(0);
  EXPECT_EQ(L.Groups, 1);
  ASSERT_TRUE(L.Why.has_value());
  EXPECT_EQ(L.Why->Kind, Reason::RegistersEstimated);
  EXPECT_THAT(userText(*L.Why), ::testing::HasSubstr("--ptxas"));
  EXPECT_THAT(userText(*L.Why), ::testing::HasSubstr("44 and 70"));
}

TEST(RegisterLimits, PositiveTheSameNumbersToldByPtxasDecide) {
  Parsed P = parseSnippet(walk(Full));
  EXPECT_GT(
      analysed(P, taking(48, Origin::Measured)).Kernels[0].Plan.Loops[0].Groups,
      1);
  EXPECT_EQ(
      analysed(P, taking(70, Origin::Measured)).Kernels[0].Plan.Loops[0].Groups,
      1);
}

TEST(RegisterLimits, PositiveAnEstimateBelowTheStairLimitsNothing) {
  Parsed P = parseSnippet(walk(Full));
  Report R = analysed(P, taking(26, Origin::Estimated));
  EXPECT_EQ(R.Kernels[0].Source.Registers->Most, 32);
  EXPECT_EQ(R.Kernels[0].Plan.Before->BlocksPerSM, 8);
  EXPECT_GT(R.Kernels[0].Plan.Loops[0].Groups, 1);
}

TEST(RegisterLimits, PositiveOwnBoundsCount) {
  // Without its bound it would take 138, and one block would be resident.
  for (const char *Head : {"__global__ void __launch_bounds__(256, 8)",
                           "__global__ __maxnreg__(32) void",
                           "__global__ __maxnreg__ ( 32 ) void"}) {
    Parsed P = parseSnippet(walk(Full, Head));
    Report R = analysed(P, taking(138, Origin::Measured));
    EXPECT_EQ(R.Kernels.at(0).Plan.Before->BlocksPerSM, 8) << Head;
    EXPECT_GT(R.Kernels.at(0).Plan.Loops.at(0).Groups, 1) << Head;
  }
  Parsed P = parseSnippet(walk(Full), {"-maxrregcount=32"}, "nvcc");
  Report R = analysed(P, taking(138, Origin::Measured));
  EXPECT_EQ(R.Kernels.at(0).Plan.Before->BlocksPerSM, 8);
}

TEST(RegisterLimits, NegativeABoundThatCannotBeRead) {
  Parsed P = parseSnippet("#define MANY 32\n" +
                          walk(Full, "__global__ __maxnreg__(MANY) void"));
  Report R = analysed(P, taking(138, Origin::Measured));
  EXPECT_EQ(R.Kernels.at(0).Source.Registers->Least, 16);
  EXPECT_EQ(R.Kernels.at(0).Source.Registers->Most, 138);
  EXPECT_EQ(R.Kernels.at(0).Plan.Loops.at(0).Groups, 1);
}

TEST(RegisterLimits, NegativeBlocksOfEverySize) {
  for (auto [Registers, Divided] : {std::pair(32u, true), {200u, false}}) {
    Parsed P = parseSnippet(walk("<<<n, b>>>"));
    Report R = analysed(P, taking(Registers, Origin::Measured));
    EXPECT_EQ(!R.Kernels.at(0).Plan.Loops.empty() &&
                  !R.Kernels.at(0).Plan.Loops.at(0).Cases.empty(),
              Divided)
        << Registers;
  }
}

TEST(RegisterLimits, NegativeAGridThatTheRunKnows) {
  Parsed P = parseSnippet(walk("<<<n, 256>>>"));
  Report R = analysed(P, taking(138, Origin::Measured));
  EXPECT_EQ(R.Kernels.at(0).Plan.Loops.at(0).Groups, 1);
  EXPECT_TRUE(R.Kernels.at(0).Plan.Loops.at(0).Cases.empty());
}

TEST(RegisterLimits, NegativeTemplatesAndMacros) {
  Parsed P = parseSnippet(
      "#define ROWS(T) template <int N> __global__ void rows(const T *A, const "
      "T *B, T *y) {\\\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\\\n"
      "  for (int j = 0; j < N; ++j) y[i] += A[i * N + j] + B[i * N + j]; }\n"
      "ROWS(float)\n"
      "void run(const float *A, const float *B, float *y) {\n"
      "  rows<4096><<<1056, 256>>>(A, B, y);\n"
      "  rows<2048><<<1056, 256>>>(A, B, y);\n}\n");
  Report R = analysed(P, taking(138, Origin::Measured));
  ASSERT_EQ(R.Kernels.size(), 2u);
  for (const KernelReport &K : R.Kernels)
    EXPECT_EQ(K.Plan.Before->BlocksPerSM, 1) << K.Source.Name;
}

TEST(RegisterLimits, NegativeAnEstimateNeverSaysThatALaunchFails) {
  Parsed P = parseSnippet(walk("<<<132, 1024>>>"));
  Report R = analysed(P, taking(200, Origin::Estimated));
  ASSERT_TRUE(R.Kernels.at(0).Plan.Before.has_value());
  EXPECT_EQ(R.Kernels.at(0).Plan.Before->BlocksPerSM, 1);
  Report Measured = analysed(P, taking(200, Origin::Measured));
  ASSERT_FALSE(Measured.Kernels.at(0).Plan.Refusals.empty());
  EXPECT_EQ(Measured.Kernels.at(0).Plan.Refusals[0].Kind,
            Reason::NeverResident);
}

TEST(RegisterLimits, PositiveWithoutAnAskTheEstimateIsAskedWhereItMatters) {
  Parsed P = parseSnippet(walk(Full));
  Report R = analysed(P, {});
  ASSERT_TRUE(R.Kernels.at(0).Source.Registers.has_value());
  EXPECT_EQ(R.Kernels.at(0).Source.Registers->From, Origin::Estimated);
  EXPECT_GT(R.Kernels.at(0).Plan.Loops.at(0).Groups, 1);
  EXPECT_FALSE(R.Kernels.at(0).Registers.has_value());
}

TEST(RegisterLimits, NegativeNothingIsCompiledWhereNothingContends) {
  Parsed P = parseSnippet(walk("<<<132, 64>>>"));
  Report R = analysed(P, {});
  EXPECT_FALSE(R.Kernels.at(0).Source.Registers.has_value());
}

TEST(RegisterLimits, NegativeAKernelThatNobodyKnowsMayTakeAnything) {
  Parsed P = parseSnippet(walk(Full));
  Report R = analysed(P, [](const TranslationUnit &, const RegisterCaps &) {
    return llvm::Expected<RegisterAnswers>(RegisterAnswers());
  });
  const KernelReport &K = R.Kernels.at(0);
  EXPECT_EQ(K.Source.Registers->Least, 32);
  EXPECT_EQ(K.Source.Registers->Most, 255);
  EXPECT_EQ(K.Plan.Loops.at(0).Why->Kind, Reason::RegistersEstimated);
}

TEST(RegisterLimits, NegativeTwoKernelsOfOneName) {
  Parsed P = parseSnippet(
      walk(Full) + "__global__ void rows(float *y) { y[threadIdx.x] = 1; }\n");
  Report R = analysed(P, taking(32, Origin::Measured));
  EXPECT_EQ(R.Kernels.at(0).Source.Registers->Most, 255);
}

TEST(RegisterLimits, PositiveDecidedAgainUnderTheCapThatIsWritten) {
  // 100 registers leave 2 blocks, and all fits; 80 admit a third.
  Parsed P = parseSnippet(walk(Full, "static __global__ void"));
  AnalysisOptions O;
  O.Gpu = llvm::cantFail(findDevice("h200"));
  O.Registers.Ask = hungry();
  O.Registers.Target = 80;
  EXPECT_EQ(
      llvm::cantFail(analyze(*P.Unit, O)).Kernels[0].Plan.Before->BlocksPerSM,
      2);
  O.May.Bounds = true;
  Report R = llvm::cantFail(analyze(*P.Unit, O));
  ASSERT_TRUE(R.Kernels[0].Registers->Bounds.has_value());
  EXPECT_EQ(R.Kernels[0].Registers->chosen().Blocks, 3);
  EXPECT_EQ(R.Kernels[0].Plan.Before->BlocksPerSM, 3);
}

TEST(RegisterLimits, PositiveCapsKnowTheL1ThatTheUserTells) {
  Parsed P = parseSnippet(walk(Full, "static __global__ void"));
  AnalysisOptions O;
  O.Gpu = llvm::cantFail(findDevice("h200"));
  O.Registers.Ask = taking(32, Origin::Measured);
  auto OptBlocks = [&] {
    Report R = llvm::cantFail(analyze(*P.Unit, O));
    return R.Kernels[0].Registers->In.OptBlocks.value_or(99);
  };
  int64_t Roomy = OptBlocks();
  O.L1Bytes = 64 << 10;
  EXPECT_LT(OptBlocks(), Roomy);
  O.OptBlocks = 1;
  EXPECT_EQ(OptBlocks(), 1) << "and what was measured";
}

} // namespace
} // namespace catt
