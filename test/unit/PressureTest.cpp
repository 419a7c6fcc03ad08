//===- PressureTest.cpp - The estimate, its peaks and its notes -----------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/registers/Pressure.h"
#include "RegistersTesting.h"
#include "llvm/ADT/Twine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace catt;
using namespace catt::testing;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace {

std::string floatAt(unsigned I) { return "%f" + std::to_string(I); }
std::string placeAt(unsigned I) {
  return "[%rd3+" + std::to_string(4 * I) + "]";
}

/// Loads Count floats from line 10 on, and only then adds them up, to Sum.
std::string loadAndAdd(unsigned Count, std::string &Sum) {
  std::string Text = ".reg .b32 %r<2>; .reg .b64 %rd<4>;\n.reg .f32 %f<" +
                     std::to_string(3 * Count) +
                     ">;\nld.param.u64 %rd1, [k_param_0];\n"
                     "mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4;\n"
                     ".loc 1 4 3\nadd.s64 %rd3, %rd1, %rd2;\n";
  for (unsigned I = 0; I != Count; ++I)
    Text += (llvm::Twine(".loc 1 ") + llvm::Twine(10 + I) +
             " 5\nld.global.f32 " + floatAt(I) + ", " + placeAt(I) + ";\n")
                .str();
  Sum = floatAt(0);
  for (unsigned I = 1; I != Count; ++I) {
    std::string Next = floatAt(Count + I);
    Text += (llvm::Twine("add.f32 ") + Next + ", " + Sum + ", " + floatAt(I) +
             ";\n")
                .str();
    Sum = std::move(Next);
  }
  return Text;
}

/// A kernel that stores the sum of Count floats.
std::string wide(unsigned Count) {
  std::string Sum, Text = loadAndAdd(Count, Sum);
  return Text + "st.volatile.global.f32 [%rd3], " + Sum + ";\n";
}

/// A kernel that stores each of Count floats times their sum, so that all are
/// live at once in any order.
std::string wideTwice(unsigned Count) {
  std::string Sum, Text = loadAndAdd(Count, Sum);
  for (unsigned I = 0; I != Count; ++I) {
    std::string Product = floatAt(2 * Count + I);
    Text +=
        (llvm::Twine("mul.f32 ") + Product + ", " + Sum + ", " + floatAt(I) +
         ";\nst.global.f32 " + placeAt(I) + ", " + Product + ";\n")
            .str();
  }
  return Text;
}

constexpr llvm::StringRef File = ".file 1 \"/src/a.cu\"";

RegisterUse estimate(llvm::StringRef Body, std::vector<unsigned> Caps = {}) {
  ptx::Module M = readKernel(Body, File);
  PressureOptions Options;
  Options.Caps = std::move(Caps);
  return estimateRegisters(M, M.Functions.front(), Options,
                           [](const Location &At) {
                             return std::string(At.Line == 12   ? "third"
                                                : At.Line == 13 ? "fourth"
                                                                : "");
                           });
}

TEST(Pressure, PeaksNameWhatIsLiveThere) {
  RegisterUse Use = estimate(wide(20));
  EXPECT_EQ(Use.MaxLive, 22U);
  ASSERT_FALSE(Use.Peaks.empty());
  const PressurePeak &P = Use.Peaks.front();
  EXPECT_EQ(P.Registers, 22U);
  EXPECT_EQ(P.Begin.File, "/src/a.cu");
  EXPECT_THAT(P.Live, Contains(Field(&LiveValue::Name, "third")));
  EXPECT_THAT(P.Live, Contains(Field(&LiveValue::Name, "a value of line 10")));
  // The address: two registers, read by every load and by the store.
  auto Address = llvm::find_if(
      P.Live, [](const LiveValue &V) { return V.Registers == 2; });
  ASSERT_NE(Address, P.Live.end());
  EXPECT_EQ(Address->Where.Line, 4U);
  EXPECT_EQ(Address->UseWeight, 21U);
  EXPECT_TRUE(Address->TouchedInPeak);
}

/// The estimate for a kernel whose schedules take so many registers.
unsigned expected(unsigned Ordered, unsigned Batched) {
  PressureFeatures F;
  F.Ordered = Ordered;
  F.Batched = Batched;
  return expectedRegisters(F);
}

TEST(Pressure, SmallKernelsTakeWhatTheyNeed) {
  EXPECT_LT(expected(4, 4), expected(6, 6));
  EXPECT_LT(expected(15, 15), expected(16, 16));
}

TEST(Pressure, LargeKernelsTakeAllUpToAStair) {
  EXPECT_EQ(expected(20, 24), 32U); // 28 by the sum alone
  EXPECT_EQ(expected(28, 30), 32U); // 35
  EXPECT_EQ(expected(30, 34), 40U); // 39
  unsigned Last = 0;
  for (unsigned Live = 0; Live != 300; ++Live) {
    unsigned Registers = expected(Live, Live);
    EXPECT_GE(Registers, Last) << Live;
    EXPECT_TRUE(Registers < 28 || Registers % 8 == 0 || Registers == 255)
        << Registers;
    Last = Registers;
  }
  EXPECT_EQ(Last, 255U);
}

TEST(Pressure, WhatALoopCarriesHasTheNameThatTheLoopGivesIt) {
  RegisterUse Use =
      estimate(".reg .b32 %r<2>; .reg .f32 %f<7>; .reg .pred %p<2>;\n"
               ".reg .b64 %rd<2>;\nld.param.u64 %rd1, [k_param_0];\n"
               ".loc 1 13 3\nmov.f32 %f1, 0f00000000; mov.u32 %r1, 0;\n"
               "$L:\n.loc 1 10 5\nld.volatile.global.f32 %f2, [%rd1];\n"
               "ld.volatile.global.f32 %f3, [%rd1+4];\n"
               "ld.volatile.global.f32 %f4, [%rd1+8];\n"
               ".loc 1 11 5\nmul.f32 %f5, %f2, %f3;\n"
               "mul.f32 %f6, %f5, %f4;\n"
               ".loc 1 12 5\nadd.f32 %f1, %f1, %f6;\n"
               ".loc 1 5 3\nadd.s32 %r1, %r1, 1;\n"
               "setp.lt.s32 %p1, %r1, 100;\n@%p1 bra $L;\n"
               "st.global.f32 [%rd1], %f1;\n");
  ASSERT_FALSE(Use.Peaks.empty());
  // The constant stands in a line that computes another variable.
  EXPECT_THAT(Use.Peaks.front().Live,
              Contains(Field(&LiveValue::Name, "third")));
}

TEST(Pressure, MoreLiveValuesAreMoreRegisters) {
  unsigned Last = 0;
  for (unsigned Count : {20, 40, 80, 160}) {
    unsigned Registers = estimate(wideTwice(Count)).Default.Registers;
    EXPECT_GT(Registers, Last) << Count;
    EXPECT_GE(Registers, Count);
    Last = Registers;
  }
  EXPECT_EQ(estimate(wideTwice(400)).Default.Registers, 255U);
}

TEST(Pressure, ValuesReadOnceAreNotAllLiveAtOnce) {
  // A load can wait until its addition is near: ptxas 13.0 reports 30 registers
  // for 40 loads and for 400 (sm_80).
  for (unsigned Count : {80, 160, 400}) {
    RegisterUse Use = estimate(wide(Count));
    EXPECT_EQ(Use.MaxLive, Count + 2) << Count;
    EXPECT_LT(Use.Default.Registers, 40U) << Count;
  }
}

TEST(Pressure, ACapThatIsReachedSpillsNothing) {
  RegisterUse Use = estimate(wide(8), {64, 32});
  ASSERT_EQ(Use.Caps.size(), 2U);
  EXPECT_EQ(Use.Caps[0].CapRegisters, 32U);
  EXPECT_EQ(Use.Caps[0].Registers, Use.Default.Registers);
  EXPECT_EQ(Use.Caps[0].SpillStoreBytes, 0U);
  EXPECT_EQ(Use.Caps[1].SpillLoadBytes, 0U);
  EXPECT_EQ(Use.Caps[0].From, Origin::Estimated);
}

TEST(Pressure, ACallTakesWhatTheAbiTakes) {
  RegisterUse Use = estimate(R"(
    { .param .b32 p; st.param.b32 [p], 1;
      .param .b32 retval0; call.uni (retval0), vprintf, (p); })");
  EXPECT_GE(Use.Default.Registers, 24U);
  EXPECT_THAT(Use.Notes, Contains(HasSubstr("vprintf")));
}

TEST(Pressure, ACallThroughAPointerIsNoted) {
  RegisterUse Use = estimate(R"(
    .reg .b64 %rd;
    ld.global.u64 %rd, [table];
    proto: .callprototype _ ();
    call %rd, (), proto;)");
  EXPECT_THAT(Use.Notes, Contains(HasSubstr("through a pointer")));
}

TEST(Pressure, ACalleeInTheModuleIsCounted) {
  std::string Callee = ".visible .func big(.param .u64 big_param_0)\n{\n" +
                       wideTwice(60) + "ret;\n}\n";
  std::string Renamed = Callee;
  for (size_t At; (At = Renamed.find("k_param_0")) != std::string::npos;)
    Renamed.replace(At, 9, "big_param_0");
  ptx::Module M =
      readKernel("{ .param .b64 p; st.param.b64 [p], 0; call.uni big, (p); }",
                 File.str() + "\n" + Renamed);
  const ptx::Function *K = M.find("k");
  ASSERT_NE(K, nullptr);
  RegisterUse Use = estimateRegisters(
      M, *K, {}, [](const Location &) { return std::string(); });
  EXPECT_GT(Use.Default.Registers, 50U);
  EXPECT_THAT(Use.Notes, IsEmpty());
}

/// k keeps 40 values over a call of `big`, which needs 60 of its own.
ptx::Module keepingAcrossACall() {
  std::string Big = ".visible .func big(.param .u64 big_param_0)\n{\n" +
                    wideTwice(60) + "ret;\n}\n";
  for (size_t At; (At = Big.find("k_param_0")) != std::string::npos;)
    Big.replace(At, 9, "big_param_0");
  std::string Body = wideTwice(40);
  size_t Last = Body.rfind("ld.global");
  Body.insert(Body.find('\n', Last) + 1,
              "{ .param .b64 p; st.param.b64 [p], 0; call.uni big, (p); }\n");
  return readKernel(Body, File.str() + "\n" + Big);
}

TEST(Pressure, WhatTheCallerKeepsIsAddedToTheCallee) {
  ptx::Module M = keepingAcrossACall();
  auto Nameless = [](const Location &) { return std::string(); };
  PressureOptions O;
  O.Caps = {64, 255};
  RegisterUse Tree = estimateRegisters(M, *M.find("k"), O, Nameless);
  RegisterUse Alone = estimateRegisters(M, *M.find("big"), O, Nameless);
  EXPECT_GE(Tree.Default.Registers, Alone.Default.Registers + 20);
  EXPECT_GE(Tree.MaxLive, Alone.MaxLive + 20);
  EXPECT_GT(Tree.Caps[0].spilledBytes(), Alone.Caps[0].spilledBytes());
  EXPECT_EQ(Tree.Caps[1].spilledBytes(), 0U);
}

TEST(Pressure, RecursionEnds) {
  ptx::Module M =
      readKernel("{ call.uni again, (); }",
                 ".func again()\n{\n { call.uni again, (); }\n ret;\n}\n");
  RegisterUse Use = estimateRegisters(
      M, *M.find("k"), {}, [](const Location &) { return std::string(); });
  EXPECT_GE(Use.Default.Registers, 24U);
}

TEST(Pressure, AnEmptyKernelHasNoPeak) {
  RegisterUse Use = estimate("ret;", {32});
  EXPECT_EQ(Use.MaxLive, 0U);
  EXPECT_THAT(Use.Peaks, IsEmpty());
  EXPECT_GE(Use.Default.Registers, 1U);
  EXPECT_EQ(Use.Caps.size(), 1U);
}

} // namespace
