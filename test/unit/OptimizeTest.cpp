//===- OptimizeTest.cpp - Tests of the library that programs call ---------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/optimize/Optimize.h"
#include "llvm/ADT/STLExtras.h"
#include <gmock/gmock.h>

namespace catt {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Every warp walks 32 rows: with all warps they do not fit into L1.
const char Rows[] = "__global__ void rows(const float *A, const float *B,\n"
                    "                     float *y) {\n"
                    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                    "  float s = 0;\n"
                    "  for (int j = 0; j < 4096; ++j)\n"
                    "    s += A[i * 4096 + j] * B[i * 4096 + j];\n"
                    "  y[i] = s;\n"
                    "}\n"
                    "void host(float *A, float *y) {\n"
                    "  rows<<<1024, 256>>>(A, A, y);\n"
                    "}\n";

/// The file /snippet/kernel.cu, which no disk has.
struct Bench {
  explicit Bench(llvm::StringRef Code)
      : Files(llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(
            llvm::vfs::getRealFileSystem())),
        Memory(llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>()) {
    add("/snippet/kernel.cu", Code);
    Files->pushOverlay(Memory);
    O.Gpu = llvm::cantFail(findDevice("sm_70"));
    O.GpuOrigin = "the test";
    O.FrontEnd.BuiltInOnly = true;
    O.Plan.MinGain = 0.15; // what is done is asked here, not whether it pays
  }
  void add(llvm::StringRef Path, llvm::StringRef Text) {
    Memory->addFile(Path, 0, llvm::MemoryBuffer::getMemBufferCopy(Text));
  }
  llvm::Expected<Outcome> run(const Measure *By = nullptr) {
    clang::tooling::CompileCommand Command("/snippet", Words.back(), Words, "");
    return optimize(Command, Files, O, By);
  }
  Outcome outcome(const Measure *By = nullptr) {
    return llvm::cantFail(run(By));
  }
  /// Of a file that comes to no report.
  Obstacle obstacle() {
    llvm::Expected<Outcome> Done = run();
    EXPECT_FALSE(bool(Done));
    Obstacle Out;
    llvm::handleAllErrors(Done.takeError(),
                          [&](const ObstacleError &E) { Out = E.Why; });
    return Out;
  }

  llvm::IntrusiveRefCntPtr<llvm::vfs::OverlayFileSystem> Files;
  llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> Memory;
  std::vector<std::string> Words = {"nvcc", "/snippet/kernel.cu"};
  OptimizeOptions O;
};

TEST(Optimize, PositiveNewTextsOfAFileThatNoDiskHas) {
  Outcome Done = Bench(Rows).outcome();
  EXPECT_FALSE(Done.Against.has_value());
  ASSERT_EQ(Done.NewTexts.size(), 1u);
  EXPECT_THAT(Done.NewTexts.at("/snippet/kernel.cu"),
              HasSubstr("catt: split-warp-groups"));
  EXPECT_EQ(Done.Analysed.Texts.at("/snippet/kernel.cu"), Rows);
  EXPECT_EQ(Done.Analysed.GpuOrigin, "the test");
  EXPECT_THAT(Done.Read, Contains("/snippet/kernel.cu"));
}

TEST(Optimize, PositiveASecondRunFindsNothing) {
  std::string Once = Bench(Rows).outcome().NewTexts.at("/snippet/kernel.cu");
  EXPECT_THAT(Bench(Once).outcome().NewTexts, IsEmpty());
}

TEST(Optimize, PositiveLaunchesFindOutWhatIsFaster) {
  Bench B(Rows);
  B.O.By = Decider::Run;
  Outcome Done = B.outcome();
  ASSERT_EQ(Done.NewTexts.size(), 1u);
  EXPECT_THAT(
      Done.NewTexts.begin()->second,
      AllOf(HasSubstr("#include <catt/trials.h>"),
            HasSubstr("(cattTrial.changed() ? cattTried_rows : rows)")));
  Bench Again(Done.NewTexts.begin()->second);
  Again.O.By = Decider::Run;
  EXPECT_THAT(Again.outcome().NewTexts, IsEmpty());
}

TEST(Optimize, PositiveADoubtfulGainIsTriedFromTheOriginalOn) {
  for (auto [MinGain, IsDoubtful] :
       {std::pair<std::optional<double>, bool>(std::nullopt, true),
        std::pair<std::optional<double>, bool>(0.05, false)}) {
    Bench B(Rows);
    B.O.By = Decider::Run;
    B.O.Transforms = {"split-warp-groups"};
    B.O.Plan.MinGain = MinGain;
    Outcome Done = B.outcome();
    const KernelReport &K = Done.Analysed.Kernels.at(0);
    const double Gain = K.Plan.Loops.at(0).PredictedGain.value_or(0);
    ASSERT_THAT(Gain, AllOf(testing::Gt(1.05), testing::Lt(1.8)));
    EXPECT_EQ(K.Plan.IsDoubtful, IsDoubtful);
  }
}

TEST(Optimize, NegativeWhereNoneCanTheModelDecides) {
  std::string Code = Rows;
  Code.replace(Code.find("  rows<<<"), 2, "  (void)0, ");
  Bench B(Code), Model(Code);
  B.O.By = Decider::Run;
  B.O.Plan.MinGain.reset();
  Model.O.Plan.MinGain.reset();
  EXPECT_EQ(B.outcome().NewTexts, Model.outcome().NewTexts);
}

TEST(Optimize, PositiveTheGpuOfTheCommandBeforeTheDefault) {
  Bench B(Rows);
  B.O.Gpu.reset();
  EXPECT_EQ(B.outcome().Analysed.GpuOrigin, "default");
  B.Words.insert(B.Words.begin() + 1, "-arch=sm_90");
  Outcome Done = B.outcome();
  EXPECT_EQ(Done.Analysed.GpuOrigin, "the compile command");
  EXPECT_EQ(Done.Analysed.Gpu.architecture(), "sm_90");
}

TEST(Optimize, PositiveFormatOfTheFileSystemGiven) {
  Bench B(Rows);
  B.add("/snippet/.clang-format", "IndentWidth: 7\nUseTab: Never\n");
  EXPECT_THAT(B.outcome().NewTexts.at("/snippet/kernel.cu"),
              HasSubstr("\n       "));
}

TEST(Optimize, NegativeNothingToDo) {
  Bench B(Rows);
  B.O.Transforms = {"rematerialize"};
  Outcome Done = B.outcome();
  EXPECT_FALSE(Done.Against.has_value());
  EXPECT_THAT(Done.NewTexts, IsEmpty());
}

TEST(Optimize, NegativeErrorsInTheFile) {
  Bench B(std::string(Rows) + "__global__ void k() { undeclared(); }\n");
  B.O.Name = "kernel.cu";
  Outcome Done = B.outcome();
  ASSERT_TRUE(Done.Against.has_value());
  EXPECT_EQ(Done.Against->What, Obstacle::Kind::Input);
  EXPECT_EQ(Done.Against->Message,
            "'kernel.cu': kernel 'k' has errors (above); nothing was changed");
  EXPECT_THAT(Done.NewTexts, IsEmpty());
  EXPECT_THAT(Done.Changes.Files, IsEmpty());
  EXPECT_FALSE(Done.Analysed.Diagnostics.empty());
}

TEST(Optimize, NegativeAFileThatIsNotThere) {
  Bench B(Rows);
  B.Words = {"nvcc", "/snippet/gone.cu"};
  Obstacle Why = B.obstacle();
  EXPECT_EQ(Why.What, Obstacle::Kind::Input);
  EXPECT_THAT(Why.Message, HasSubstr("gone.cu"));
}

TEST(Optimize, NegativeAChoiceThatCannotBe) {
  Bench B(Rows);
  ForcedChoice F;
  F.Text = "rows:k=2", F.Kernel = "rows", F.Loop = "k", F.Groups = 2;
  B.O.Plan.Forced = {F};
  Obstacle Why = B.obstacle();
  EXPECT_EQ(Why.What, Obstacle::Kind::Choice);
  EXPECT_THAT(Why.Message, HasSubstr("rows:k=2"));
}

TEST(Optimize, NegativeAChoiceThatIsNotWritten) {
  Bench B(Rows);
  ForcedChoice F;
  F.Text = "rows:j=2", F.Kernel = "rows", F.Loop = "j", F.Groups = 2;
  B.O.Plan.Forced = {F};
  B.O.Transforms = {"launch-bounds"};
  Outcome Done = B.outcome();
  ASSERT_TRUE(Done.Against.has_value());
  EXPECT_EQ(Done.Against->What, Obstacle::Kind::Choice);
  EXPECT_THAT(Done.NewTexts, IsEmpty());
}

TEST(Optimize, NegativeAnUnknownTransform) {
  Bench B(Rows);
  B.O.Transforms = {"no-such-transform"};
  Outcome Done = B.outcome();
  ASSERT_TRUE(Done.Against.has_value());
  EXPECT_THAT(Done.Against->Message, HasSubstr("no-such-transform"));
}

//===-- Measuring ---------------------------------------------------------===//

/// Wants 40 registers, whatever the text is; or cannot tell.
class Told final : public Measure {
public:
  explicit Told(bool Fails) : Fails(Fails) {}
  TextMeasure start(const TranslationUnit &) const override {
    return [this](llvm::ArrayRef<TextQuestion> Questions)
               -> llvm::Expected<std::vector<TextAnswer>> {
      Asked += Questions.size();
      if (Fails)
        return llvm::createStringError("out of order");
      std::vector<TextAnswer> Out;
      for (const TextQuestion &Q : Questions) {
        Out.emplace_back();
        for (const auto &[Name, Cap] : Q.Caps)
          Out.back()[Name] = {Cap, Cap, 0, 8 * unsigned(Out.size())};
      }
      return Out;
    };
  }
  mutable size_t Asked = 0;

private:
  bool Fails;
};

/// A kernel that keeps 60 values in registers, of which 40 are to be left.
Bench hungry() {
  Bench B("static __global__ void k(const float *A, float *y, int n) {\n"
          "  float v[60];\n"
          "#pragma unroll\n"
          "  for (int i = 0; i < 60; ++i) v[i] = A[i];\n"
          "  for (int i = 0; i < n; ++i) y[i] = A[i];\n"
          "#pragma unroll\n"
          "  for (int i = 0; i < 60; ++i) y[n + i] = v[i];\n"
          "}\n"
          "void host(float *A) { k<<<9999, 256>>>(A, A, 3); }\n");
  B.O.Transforms = {"spill-shared"};
  B.O.Plan.Registers.Target = 40;
  B.O.Plan.Registers.Ask =
      [](const TranslationUnit &,
         const RegisterCaps &Caps) -> llvm::Expected<RegisterAnswers> {
    RegisterAnswers Out;
    for (const auto &[Name, Each] : Caps) {
      RegisterUse &Use = Out[Name].Use;
      Use.Default.Registers = 80;
      PressurePeak Peak;
      Peak.Begin = Peak.End = {"/snippet/kernel.cu", 5, 31};
      Peak.Live = {{"v", {"/snippet/kernel.cu", 2, 9}, 60, true, 0}};
      Use.Peaks = {Peak};
      for (unsigned Cap : Each)
        Use.Caps.push_back({Cap, std::min(Cap, 80U), Cap < 80 ? 80 - Cap : 0});
    }
    return Out;
  };
  return B;
}

TEST(Optimize, PositiveAMeasureIsAsked) {
  Told T(false);
  Outcome Done = hungry().outcome(&T);
  EXPECT_GT(T.Asked, 0u);
  ASSERT_TRUE(Done.Analysed.Kernels[0].Spill.has_value());
  EXPECT_EQ(Done.Analysed.Kernels[0].Spill->From, Origin::Measured);
}

TEST(Optimize, NegativeWithoutAMeasureEstimatesDecide) {
  Outcome Done = hungry().outcome();
  ASSERT_TRUE(Done.Analysed.Kernels[0].Spill.has_value());
  EXPECT_EQ(Done.Analysed.Kernels[0].Spill->From, Origin::Estimated);
  EXPECT_THAT(Done.Analysed.Notes, IsEmpty());
}

TEST(Optimize, NegativeAMeasureThatFailsIsANote) {
  Told T(true);
  Outcome Done = hungry().outcome(&T);
  EXPECT_FALSE(Done.Against.has_value());
  EXPECT_THAT(Done.Analysed.Notes,
              ElementsAre(AllOf(HasSubstr("decided by an estimate"),
                                HasSubstr("out of order"))));
  EXPECT_EQ(Done.Analysed.Kernels[0].Spill->From, Origin::Estimated);
}

} // namespace
} // namespace catt
