//===- SearchTest.cpp - Tests of Search, spilling and computing again -----===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The assembler is a function here, which reads in the text what was moved.
//
//===----------------------------------------------------------------------===//
#include "tool/optimize/Search.h"
#include "SpillTesting.h"
#include <gmock/gmock.h>

namespace catt {
namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// What an assembler says that spills Bytes(registers moved).
struct Assembler {
  std::function<unsigned(int64_t)> Bytes;
  std::vector<size_t> Asked = {}; ///< questions of each call
  std::vector<int64_t> Moved = {};

  TextMeasure measure() {
    return [this](llvm::ArrayRef<TextQuestion> Questions) {
      Asked.push_back(Questions.size());
      std::vector<TextAnswer> Out;
      for (const TextQuestion &Q : Questions) {
        Moved.push_back(movedIn(Q.Texts));
        Out.emplace_back();
        for (const auto &[Name, Cap] : Q.Caps)
          Out.back()[Name] = {Cap, Cap, 0, Bytes(Moved.back())};
      }
      return llvm::Expected<std::vector<TextAnswer>>(std::move(Out));
    };
  }
};

SharedSpill improved(SpillBench &B, Assembler &A) {
  EXPECT_FALSE(bool(search(B.R, searchesOf(B.R, {.Spill = true}),
                           {{"spill-shared"}, {}}, A.measure())));
  return B.spill();
}

TEST(SpillSearch, KeepsTheAmountThatSpillsLeast) {
  SpillBench B(manyValues(), 32);
  Assembler A{
      [](int64_t Moved) { return unsigned(std::abs(Moved - 17)) * 40; }};
  SharedSpill S = improved(B, A);
  EXPECT_EQ(S.MovedRegisters, 17) << "between the eighths";
  EXPECT_EQ(S.From, Origin::Measured);
  EXPECT_THAT(S.Refusals, IsEmpty());
  EXPECT_EQ(S.Steps[bestStep(S)].MovedRegisters, 17);
}

TEST(SpillSearch, AsksTogetherAndComesToAnEnd) {
  SpillBench B(manyValues(), 32);
  // More is always better: there is no best amount to settle at.
  Assembler A{[](int64_t Moved) { return unsigned(4000 - Moved * 40); }};
  SharedSpill S = improved(B, A);
  EXPECT_THAT(A.Asked, ElementsAre(4, 1, 1)) << "nothing is asked twice";
  EXPECT_EQ(S.MovedRegisters, 27) << "what leaves the blocks resident";
}

TEST(SpillSearch, NegativeNothingIsBetterThanLocalMemory) {
  SpillBench B(manyValues(), 32);
  Assembler A{[](int64_t) { return 4U; }};
  SharedSpill S = improved(B, A);
  EXPECT_THAT(S.Moved, IsEmpty());
  ASSERT_EQ(S.Refusals.size(), 1u);
  EXPECT_EQ(S.Refusals[0].Kind, Reason::CannotReachTarget);
}

TEST(SpillSearch, AsksForThePragmaWhereNothingCanBeMoved) {
  std::string Code = spillKernel("  const float s = 1;\n"
                                 "  for (int i = 0; i < n; ++i)\n"
                                 "    y[i] = 1; // PEAK\n  y[0] = s;");
  auto Settled = [&](unsigned WithPragma, bool HasPragma) {
    SpillBench B(Code);
    B.R.Kernels[0].Spill->HasPragma = HasPragma;
    EXPECT_FALSE(bool(
        search(B.R, searchesOf(B.R, {.Spill = true}), {{"spill-shared"}, {}},
               [&](llvm::ArrayRef<TextQuestion> Questions) {
                 std::vector<TextAnswer> Out;
                 for (const TextQuestion &Q : Questions)
                   Out.push_back(
                       {{"k", {16, 16, 0, Q.Texts.empty() ? 40 : WithPragma}}});
                 return llvm::Expected<std::vector<TextAnswer>>(std::move(Out));
               })));
    return B.spill();
  };
  EXPECT_TRUE(Settled(0, true).Pragma);
  EXPECT_THAT(Settled(0, true).Refusals, IsEmpty());
  for (const SharedSpill &S : {Settled(40, true), Settled(0, false)}) {
    EXPECT_FALSE(S.Pragma);
    ASSERT_EQ(S.Refusals.size(), 1u);
    EXPECT_EQ(S.Refusals[0].Kind, Reason::CannotReachTarget);
  }
}

TEST(SpillSearch, NegativeAnErrorLeavesTheEstimate) {
  SpillBench B(manyValues(), 32);
  int64_t Before = B.spill().MovedRegisters;
  llvm::Error E =
      search(B.R, searchesOf(B.R, {.Spill = true}), {{"spill-shared"}, {}},
             [](llvm::ArrayRef<TextQuestion>)
                 -> llvm::Expected<std::vector<TextAnswer>> {
               return llvm::createStringError("no assembler");
             });
  EXPECT_EQ(llvm::toString(std::move(E)), "no assembler");
  EXPECT_EQ(B.spill().MovedRegisters, Before);
  EXPECT_EQ(B.spill().From, Origin::Estimated);
}

TEST(SpillSearch, NegativeAnswersThatAreMissing) {
  SpillBench B(manyValues(), 32);
  int64_t Before = B.spill().MovedRegisters;
  llvm::Error E =
      search(B.R, searchesOf(B.R, {.Spill = true}), {{"spill-shared"}, {}},
             [](llvm::ArrayRef<TextQuestion>) {
               return llvm::Expected<std::vector<TextAnswer>>(
                   std::vector<TextAnswer>(1));
             });
  EXPECT_EQ(llvm::toString(std::move(E)), "4 questions have 1 answers");
  EXPECT_EQ(B.spill().MovedRegisters, Before);
  EXPECT_EQ(B.spill().From, Origin::Estimated);
}

TEST(SpillSearch, NegativeATextThatCannotChange) {
  SpillBench B("#define threadIdx threadIdx\n" + manyValues(), 32);
  int64_t Before = B.spill().MovedRegisters;
  Assembler A{[](int64_t) { return 4U; }};
  SharedSpill S = improved(B, A);
  EXPECT_THAT(A.Moved, Each(0)) << "no text that would be the same";
  EXPECT_EQ(S.MovedRegisters, Before) << "the refusal comes from rewriting";
}

TEST(SpillSearch, NegativeTheReportIsNoScratchpad) {
  SpillBench B(manyValues(), 32);
  int64_t Before = B.spill().MovedRegisters;
  Assembler A{
      [](int64_t Moved) { return unsigned(std::abs(Moved - 17)) * 40; }};
  TextMeasure Measure = A.measure();
  EXPECT_FALSE(
      bool(search(B.R, searchesOf(B.R, {.Spill = true}), {{"spill-shared"}, {}},
                  [&](llvm::ArrayRef<TextQuestion> Questions) {
                    EXPECT_EQ(B.spill().MovedRegisters, Before);
                    EXPECT_EQ(B.spill().Steps.size(), 0u);
                    return Measure(Questions);
                  })));
  EXPECT_NE(B.spill().MovedRegisters, Before);
}

TEST(SpillSearch, PositiveKernelsAreAskedTogetherAndDecideAlone) {
  // The same kernel again, under another name.
  std::string Other = manyValues();
  Other.replace(Other.find(" k("), 3, " m(");
  Other.replace(Other.find("{ k<<<"), 6, "{ m<<<");
  Other.replace(Other.find("host"), 4, "most");
  SpillBench B(manyValues() + Other, 32);
  KernelReport M;
  M.Source = B.P.kernel("m");
  for (const ThreadValue &V : M.Source.Values)
    B.Use.Peaks[1].Live.push_back(
        {V.Variable, V.Where, 1, true, UsedInAllLoops});
  M.Pressure = B.Use;
  M.Spill = planSpill(M.Source, B.Use, 16, B.Options);
  B.R.Kernels.push_back(M);
  std::vector<size_t> Asked; // kernels of each text
  auto Spilled = [](int64_t Moved, int64_t Best) {
    return RegisterPoint{16, 16, 0, unsigned(std::abs(Moved - Best)) * 40};
  };
  EXPECT_FALSE(bool(search(
      B.R, searchesOf(B.R, {.Spill = true}), {{"spill-shared"}, {}},
      [&](llvm::ArrayRef<TextQuestion> Questions) {
        std::vector<TextAnswer> Out;
        for (const TextQuestion &Q : Questions) {
          Asked.push_back(Q.Caps.size());
          auto Text = Q.Texts.find(B.R.MainFile);
          llvm::StringRef Whole;
          if (Text != Q.Texts.end())
            Whole = Text->second;
          auto [K, Rest] = Whole.split(" m(");
          Out.emplace_back();
          for (auto [Name, Part, Best] :
               {std::tuple("k", K, 17), std::tuple("m", Rest, 99)})
            if (Q.Caps.count(Name))
              Out.back()[Name] = Spilled(movedIn({{"", Part.str()}}), Best);
        }
        return llvm::Expected<std::vector<TextAnswer>>(std::move(Out));
      })));
  ASSERT_FALSE(Asked.empty());
  EXPECT_EQ(Asked.front(), 2u) << "one text, two kernels";
  EXPECT_THAT(Asked, Contains(1u)) << "one of them is at its end first";
  EXPECT_EQ(B.R.Kernels[0].Spill->MovedRegisters, 17);
  EXPECT_EQ(B.R.Kernels[1].Spill->MovedRegisters, 27) << "all that fits";
}

//===-- Computing again ---------------------------------------------------===//

/// Values that are computed again in a rewritten text.
size_t hidden(const std::map<std::string, std::string> &Texts) {
  size_t Values = 0;
  for (const auto &[File, Text] : Texts)
    Values += llvm::StringRef(Text).count("asm volatile");
  return Values;
}

/// Four rows are used again behind the loop.
const char *const Rows = "static __global__ void k(float *A, int n) {\n"
                         "  int i = threadIdx.x;\n"
                         "  int a = i * 3, b = i * 5;\n"
                         "  int c = i * 7, d = i * 9;\n"
                         "  A[a] = A[b] = A[c] = A[d] = 0;\n"
                         "  for (int j = 0; j < n; ++j)\n"
                         "    A[j] = 1;\n"
                         "  A[a] = 1;\n  A[b] = 2;\n  A[c] = 3;\n  A[d] = i;\n"
                         "}\nvoid host(float *A) { k<<<1, 32>>>(A, 1); }\n";

/// A report whose kernel k computes what it can again behind its loop.
struct RematBench {
  explicit RematBench(const std::string &Code = Rows) : P(parseSnippet(Code)) {
    R.MainFile = "/snippet/kernel.cu";
    R.Texts[R.MainFile] = Code;
    KernelReport K;
    K.Source = P.kernel("k");
    PressurePeak Peak;
    Peak.Begin = Peak.End = {R.MainFile, 7, 5};
    for (const ThreadValue &V : K.Source.Values)
      Peak.Live.push_back({V.Name, V.Where, 1, false, 1});
    K.Pressure.emplace();
    K.Pressure->Default.Registers = 40;
    K.Pressure->Peaks = {Peak};
    K.Remat = planRemat(K.Source, *K.Pressure, 32, 4);
    R.Kernels.push_back(std::move(K));
  }
  RematPlan &plan() { return *R.Kernels[0].Remat; }
  llvm::Error improve(llvm::function_ref<unsigned(size_t Values)> Bytes) {
    return search(R, searchesOf(R, {.Remat = true}), {{"rematerialize"}, {}},
                  [&](llvm::ArrayRef<TextQuestion> All) {
                    std::vector<TextAnswer> Out;
                    for (const TextQuestion &Q : All) {
                      Asked.push_back(hidden(Q.Texts));
                      Out.push_back({{"k", {32, 32, 0, Bytes(Asked.back())}}});
                    }
                    return llvm::Expected<std::vector<TextAnswer>>(
                        std::move(Out));
                  });
  }

  Parsed P;
  Report R;
  std::vector<size_t> Asked; ///< values that were computed again
};

TEST(RematSearch, KeepsTheNumberThatSpillsLeast) {
  RematBench B;
  ASSERT_EQ(B.plan().Values.size(), 4u);
  EXPECT_FALSE(bool(B.improve([](size_t N) { return N == 2 ? 8 : 16; })));
  EXPECT_EQ(B.plan().Values.size(), 2u);
  EXPECT_THAT(B.Asked, ElementsAre(0, 4, 2, 1));
  EXPECT_EQ(B.plan().Steps.size(), 4u);
}

TEST(RematSearch, NegativeWhatSpillsAsMuchIsDropped) {
  RematBench B;
  EXPECT_FALSE(bool(B.improve([](size_t) { return 16; })));
  EXPECT_THAT(B.plan().Values, IsEmpty());
  ASSERT_EQ(B.plan().Refusals.size(), 1u);
  EXPECT_EQ(B.plan().Refusals[0].Kind, Reason::CannotReachTarget);
}

TEST(RematSearch, NegativeAnAssemblerThatSpillsNothingCannotTell) {
  RematBench B;
  EXPECT_FALSE(bool(B.improve([](size_t) { return 0; })));
  EXPECT_EQ(B.plan().Values.size(), 4u) << "the estimate stays";
}

TEST(RematSearch, NegativeAnErrorLeavesTheEstimate) {
  RematBench B;
  llvm::Error E =
      search(B.R, searchesOf(B.R, {.Remat = true}), {{"rematerialize"}, {}},
             [](llvm::ArrayRef<TextQuestion>)
                 -> llvm::Expected<std::vector<TextAnswer>> {
               return llvm::createStringError("no assembler");
             });
  EXPECT_EQ(llvm::toString(std::move(E)), "no assembler");
  EXPECT_EQ(B.plan().Values.size(), 4u);
}

//===-- Computing again, then moving -------------------------------------===//

/// The same kernel, of which what is loaded can be moved, too.
struct BothBench : RematBench {
  explicit BothBench(const std::string &Kernel) : RematBench(Kernel) {
    RegisterOptions Options;
    Options.Gpu = R.Gpu = llvm::cantFail(findDevice("h200"));
    R.Kernels[0].Pressure->Default.Registers = 60;
    R.Kernels[0].Spill =
        planSpill(R.Kernels[0].Source, *R.Kernels[0].Pressure, 32, Options);
  }
  /// Bytes that are spilled where so many values are computed again, and so
  /// many registers moved.
  llvm::Error improve(llvm::function_ref<unsigned(size_t, int64_t)> Bytes) {
    return search(
        R, searchesOf(R, {.Spill = true, .Remat = true}),
        {{"rematerialize", "spill-shared"}, {}},
        [&](llvm::ArrayRef<TextQuestion> All) {
          std::vector<TextAnswer> Out;
          for (const TextQuestion &Q : All) {
            Asked.push_back(hidden(Q.Texts));
            Moved.push_back(movedIn(Q.Texts));
            Out.push_back(
                {{"k", {32, 32, 0, Bytes(Asked.back(), Moved.back())}}});
          }
          return llvm::Expected<std::vector<TextAnswer>>(std::move(Out));
        });
  }
  const SharedSpill *spill() const {
    return R.Kernels[0].Spill ? &*R.Kernels[0].Spill : nullptr;
  }
  std::vector<int64_t> Moved;
};

const char *const Both = "static __global__ void k(float *A, int n) {\n"
                         "  int i = threadIdx.x;\n"
                         "  int a = i * 3, b = i * 5;\n"
                         "  float s = A[i], t = A[a], u = A[b];\n"
                         "  A[a] = A[b] = 0;\n"
                         "  for (int j = 0; j < n; ++j)\n"
                         "    A[j] = 1;\n"
                         "  A[a] = s;\n  A[b] = t;\n  A[n] = u;\n"
                         "}\nvoid host(float *A) { k<<<9999, 32>>>(A, 1); }\n";

TEST(PointSearch, PositiveWhatIsComputedAgainIsNotMoved) {
  BothBench B(Both);
  const size_t Planned = B.plan().Values.size();
  ASSERT_GE(Planned, 2u);
  EXPECT_FALSE(bool(B.improve([](size_t Again, int64_t Moved) {
    return 800 - 80 * Again - 80 * Moved;
  })));
  EXPECT_EQ(B.plan().Values.size(), Planned);
  ASSERT_NE(B.spill(), nullptr);
  EXPECT_EQ(B.spill()->MovedRegisters, 3) << "s, t and u";
  for (const MovedValue &M : B.spill()->Moved)
    for (const Recomputation &R : B.plan().Values)
      EXPECT_NE(M.Of.Value, R.Value);
  EXPECT_EQ(B.Moved.front(), 0) << "computing again comes first";
  EXPECT_EQ(B.Asked.back(), Planned) << "and stays when values are moved";
}

TEST(PointSearch, NegativeNothingIsMovedWhereComputingAgainIsEnough) {
  BothBench B(Both);
  EXPECT_FALSE(bool(
      B.improve([](size_t Again, int64_t) { return Again == 2 ? 0 : 16; })));
  EXPECT_EQ(B.plan().Values.size(), 2u);
  EXPECT_EQ(B.spill(), nullptr);
  EXPECT_THAT(B.Moved, Each(0));
}

TEST(PointSearch, NegativeWhatDoesNotHelpIsMovedInstead) {
  BothBench B(Both);
  EXPECT_FALSE(bool(B.improve(
      [](size_t, int64_t Moved) { return unsigned(800 - 80 * Moved); })));
  EXPECT_THAT(B.plan().Values, IsEmpty());
  ASSERT_NE(B.spill(), nullptr);
  EXPECT_GT(B.spill()->MovedRegisters, 3);
}

} // namespace
} // namespace catt
