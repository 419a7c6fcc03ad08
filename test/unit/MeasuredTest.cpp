//===- MeasuredTest.cpp - Tests of kernels whose best variant is known ----===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/RegisterSources.h"
#include "tool/optimize/Optimize.h"
#include <gmock/gmock.h>

namespace catt {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char Path[] = "/snippet/kernel.cu";

std::string kernel(const std::string &Name) {
  return "__global__ void " + Name +
         "(const float *A, const float *x, float *y) {\n"
         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  for (int j = 0; j < 4096; ++j)\n"
         "    y[i] += A[i * 4096 + j] * x[j];\n"
         "}\n"
         "void launch_" +
         Name + "(float *A, float *y) { " + Name +
         "<<<320, 256>>>(A, A, y); }\n";
}

Outcome outcome(const std::string &Text, const OptimizeOptions &O) {
  auto Memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  Memory->addFile(Path, 0, llvm::MemoryBuffer::getMemBufferCopy(Text));
  auto Files = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(
      llvm::vfs::getRealFileSystem());
  Files->pushOverlay(Memory);
  return llvm::cantFail(
      optimize({"/snippet", Path, {"nvcc", Path}, ""}, Files, O));
}

OptimizeOptions options(std::vector<MeasuredVariant> Measured = {}) {
  OptimizeOptions O;
  O.Gpu = llvm::cantFail(findDevice("sm_80"));
  O.FrontEnd.BuiltInOnly = true;
  O.Measured.All = std::move(Measured);
  return O;
}

const KernelReport &named(const Outcome &Done, llvm::StringRef Name) {
  return *llvm::find_if(Done.Analysed.Kernels, [&](const KernelReport &K) {
    return K.Source.UnqualifiedName == Name;
  });
}

MeasuredVariant entry(const std::string &Text, llvm::StringRef Name,
                      const std::string &Variant) {
  OptimizeOptions O = options();
  O.Transforms = {"prefer-l1"}; // there is nothing to search
  Outcome Plain = outcome(Text, O);
  MeasuredVariant M = measurable(Plain.Analysed, named(Plain, Name).Source);
  M.Variant = Variant;
  return M;
}

/// One kernel and what launches it.
std::string partOf(const Outcome &Done, const std::string &Name) {
  auto New = Done.NewTexts.find(Path);
  if (New == Done.NewTexts.end())
    return "";
  llvm::StringRef Text = New->second;
  auto From = [&](const std::string &Begin, llvm::StringRef End) {
    size_t At = Text.find(Begin);
    return Text.slice(At, Text.find(End, At)).str();
  };
  return From("void " + Name + "(", "\n}\n") +
         From("void launch_" + Name + "(", "\n");
}

std::string hash(const std::string &Text) {
  return entry(Text, "rows", "").Text;
}

TEST(Measured, PositiveOneKernelByItAndTheOtherAsAlways) {
  const std::string Text = kernel("rows") + kernel("more");
  const Outcome Plain = outcome(Text, options());
  const Outcome Done = outcome(Text, options({entry(Text, "rows", "sums")}));
  EXPECT_THAT(partOf(Plain, "rows"), HasSubstr("cattLoadRow<"));
  EXPECT_THAT(partOf(Done, "rows"),
              AllOf(HasSubstr("catt: promote-accumulators"),
                    Not(HasSubstr("cattLoadRow<")),
                    Not(HasSubstr("catt: prefer-l1"))));
  EXPECT_EQ(partOf(Done, "more"), partOf(Plain, "more"));
  EXPECT_EQ(named(Done, "rows").Measured->WhyNot, "");
  EXPECT_FALSE(named(Done, "more").Measured.has_value());
}

TEST(Measured, PositiveWhatIsNoDefaultIsWrittenForThatKernelAlone) {
  const std::string Text = kernel("rows") + kernel("more");
  OptimizeOptions O = options({entry(Text, "rows", "groups-4-of-loop-0")});
  O.Transforms = {"promote-accumulators"};
  const Outcome Done = outcome(Text, O);
  EXPECT_THAT(partOf(Done, "rows"),
              AllOf(HasSubstr("catt: split-warp-groups"),
                    Not(HasSubstr("catt: promote-accumulators"))));
  EXPECT_THAT(partOf(Done, "more"),
              AllOf(HasSubstr("catt: promote-accumulators"),
                    Not(HasSubstr("catt: split-warp-groups"))));
}

TEST(Measured, PositiveOnlyItsOwnKernelAsksAboutRegisters) {
  const std::string Text = kernel("rows") + kernel("more");
  OptimizeOptions O = options({entry(Text, "rows", "registers-32")});
  RegisterCaps Asked;
  O.Measured.Registers =
      [&](const TranslationUnit &,
          const RegisterCaps &Caps) -> llvm::Expected<RegisterAnswers> {
    Asked.insert(Caps.begin(), Caps.end());
    return llvm::createStringError("nobody knows");
  };
  const Outcome Done = outcome(Text, O);
  EXPECT_EQ(Asked.size(), 1u);
  EXPECT_EQ(Asked.count("rows"), 1u);
  EXPECT_THAT(Done.Analysed.RegisterProblem, HasSubstr("nobody knows"));
  EXPECT_EQ(partOf(Done, "more"), partOf(outcome(Text, options()), "more"));
}

/// More values than 32 registers hold.
std::string heavy(const std::string &Name) {
  return "__global__ void " + Name +
         "(const float *A, float *y) {\n"
         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  float v[40];\n"
         "#pragma unroll\n"
         "  for (int k = 0; k < 40; ++k)\n"
         "    v[k] = A[i + k];\n"
         "  for (int j = 0; j < 64; ++j)\n"
         "#pragma unroll\n"
         "    for (int k = 0; k < 40; ++k)\n"
         "      v[k] = v[k] * v[(k + 7) % 40] + 1;\n"
         "#pragma unroll\n"
         "  for (int k = 0; k < 40; ++k)\n"
         "    y[i + k] = v[k];\n"
         "}\n"
         "void launch_" +
         Name + "(float *A, float *y) { " + Name + "<<<320, 256>>>(A, y); }\n";
}

TEST(Measured, PositiveRegistersOfItsOwnKernelAlone) {
  OptimizeOptions Tried = options();
  Tried.Transforms = {"launch-bounds"};
  Tried.Plan.Registers.Ask = registerSource({});
  Tried.Plan.Registers.Force = true; // by an estimate
  Tried.Plan.Registers.Target = 32;
  const std::string Alone = partOf(outcome(heavy("rows"), Tried), "rows");
  ASSERT_THAT(Alone, HasSubstr("v[40]"));

  const std::string Text = heavy("rows") + heavy("more");
  OptimizeOptions O = options({entry(Text, "rows", "registers-32")});
  O.Plan.Registers.Force = true;
  O.Measured.Registers = registerSource({});
  const Outcome Done = outcome(Text, O);
  EXPECT_EQ(partOf(Done, "rows"), Alone);
  EXPECT_TRUE(named(Done, "rows").Registers.has_value());
  EXPECT_FALSE(named(Done, "more").Registers.has_value());
  EXPECT_EQ(llvm::StringRef(Done.NewTexts.at(Path)).count("launch_bounds__("),
            1u);
}

TEST(Measured, PositiveAsWrittenSaysSo) {
  const std::string Text = kernel("rows");
  const Outcome Done =
      outcome(Text, options({entry(Text, "rows", AsWritten.str())}));
  EXPECT_TRUE(Done.NewTexts.empty());
  EXPECT_EQ(named(Done, "rows").Plan.Loops.at(0).Why->Kind,
            Reason::MeasuredAsWritten);
}

TEST(Measured, PositiveOfSeveralCardsThisOne) {
  const std::string Text = kernel("rows");
  MeasuredVariant Other = entry(Text, "rows", "tiles-32"),
                  Own = entry(Text, "rows", "sums");
  Other.Gpu = "h100";
  for (const auto &All : {std::vector{Other, Own}, std::vector{Own, Other}}) {
    const Outcome Done = outcome(Text, options(All));
    EXPECT_EQ(named(Done, "rows").Measured->Of.Variant, "sums");
    EXPECT_EQ(named(Done, "rows").Measured->WhyNot, "");
  }
}

TEST(Measured, NegativeWhatIsOldIsNotUsed) {
  const std::string Text = kernel("rows");
  const Outcome Plain = outcome(Text, options());
  const MeasuredVariant Right = entry(Text, "rows", "sums");
  std::vector<std::pair<MeasuredVariant, const char *>> Old(3, {Right, ""});
  Old[0].first.Gpu = "h100";
  Old[0].second = "this is planned for sm_80";
  Old[1].first.Text = "0123456789abcdef";
  Old[1].second = "the kernel's text is another one now";
  Old[2].first.Variant = "tiles-48";
  Old[2].second = "the kernel has no variant of this name";
  for (const auto &[Entry, Why] : Old) {
    const Outcome Done = outcome(Text, options({Entry}));
    EXPECT_EQ(named(Done, "rows").Measured->WhyNot, Why);
    EXPECT_FALSE(named(Done, "rows").Own.has_value());
    EXPECT_EQ(Done.NewTexts, Plain.NewTexts);
  }
}

TEST(Measured, NegativeOfAnotherFileOrKernelNothingIsSaid) {
  const std::string Text = kernel("rows");
  const MeasuredVariant Right = entry(Text, "rows", "sums");
  MeasuredVariant File = Right, Kernel = Right;
  File.File = "/snippet/other.cu";
  Kernel.Kernel = "more";
  const Outcome Done = outcome(Text, options({File, Kernel}));
  EXPECT_FALSE(named(Done, "rows").Measured.has_value());
}

TEST(Measured, NegativeAnotherToolkit) {
  Outcome Done = outcome(kernel("rows"), options());
  for (auto [Here, There, Why] : std::initializer_list<
           std::tuple<const char *, const char *, const char *>>{
           {"13.0", "13.0", ""},
           {"13.0", "", ""}, // unknown is no other one
           {"", "13.0", ""},
           {"13.0", "12.4", "it was CUDA 12.4 then, and is 13.0"}}) {
    Report R = Done.Analysed;
    R.Cuda = {llvm::StringRef(Here).empty() ? "" : "/cuda", Here};
    MeasuredOptions M;
    M.All = {measurable(R, R.Kernels.at(0).Source)};
    M.All[0].Variant = "sums";
    M.All[0].Toolkit = There;
    chooseMeasured(R, M, {}, {}, [](const std::string &Path) { return Path; });
    EXPECT_EQ(R.Kernels.at(0).Measured->WhyNot, Why);
  }
}

TEST(Measured, PositiveBlanksAndCommentsAreNoText) {
  std::string Text = kernel("rows");
  std::string Other = "// a file\n" + Text;
  Other.replace(Other.find("y[i] +="), 7, "y[i]  /* sum */\n +=");
  EXPECT_EQ(hash(Text), hash(Other));
  EXPECT_EQ(hash(Text).size(), 16u);
  EXPECT_EQ(hash(Text), hash(Text + kernel("more")));
}

TEST(Measured, NegativeAnyTokenIsText) {
  const std::string Text = kernel("rows");
  for (auto [Old, New] : {std::pair{"4096; ++j", "4095; ++j"},
                          {"float *y", "float *__restrict__ y"},
                          {"y[i] +=", "y[i] = y[i] +"}}) {
    std::string Other = Text;
    Other.replace(Other.find(Old), llvm::StringRef(Old).size(), New);
    EXPECT_NE(hash(Text), hash(Other)) << New;
  }
}

} // namespace
} // namespace catt
