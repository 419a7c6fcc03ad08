//===- InstructionCountTest.cpp - Tests of what a warp executes -----------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/occupancy/InstructionCount.h"
#include "llvm/Support/FormatVariadic.h"
#include <gmock/gmock.h>

namespace catt {
namespace {

using namespace testing;

InstructionMix mixOf(llvm::StringRef Body) {
  std::string Text = (".version 8.0\n.target sm_80\n.address_size 64\n"
                      ".visible .entry k(.param .u64 p)\n{\n"
                      ".reg .f32 %f<9>;\n.reg .b64 %rd<9>;\n.reg .b32 %r<9>;\n"
                      ".reg .pred %p<3>;\nld.param.u64 %rd1, [p];\n" +
                      Body + "ret;\n}\n")
                         .str();
  ptx::Module M = llvm::cantFail(ptx::readPtx(Text, "test"));
  EXPECT_EQ(M.Functions.size(), 1u);
  return countInstructions(M.Functions.at(0));
}

TEST(InstructionCount, LoadsThatAreWaitedForTogether) {
  InstructionMix Mix = mixOf("ld.global.f32 %f1, [%rd1];\n"
                             "ld.global.nc.f32 %f2, [%rd1+4];\n"
                             "add.f32 %f3, %f1, %f2;\n"
                             "st.global.f32 [%rd1], %f3;\n");
  EXPECT_EQ(Mix.OffChip, 3);
  EXPECT_EQ(Mix.Waits, 1);
}

TEST(InstructionCount, LoadsThatAreWaitedForOneByOne) {
  InstructionMix Mix = mixOf("ld.global.f32 %f1, [%rd1];\n"
                             "mul.f32 %f2, %f1, %f1;\n"
                             "ld.global.f32 %f3, [%rd1+4];\n"
                             "fma.rn.f32 %f4, %f3, %f3, %f2;\n"
                             "st.global.f32 [%rd1], %f4;\n");
  EXPECT_EQ(Mix.Waits, 2);
}

TEST(InstructionCount, WaitsDependOnRegisters) {
  std::string Text = ".version 8.0\n.target sm_80\n.address_size 64\n"
                     ".visible .entry k(.param .u64 p)\n{\n"
                     ".reg .f32 %f<40>;\n.reg .b64 %rd<2>;\n"
                     "ld.param.u64 %rd1, [p];\n";
  for (int I = 0; I != 32; ++I)
    Text += llvm::formatv("ld.global.f32 %f{0}, [%rd1+{1}];\n", I, 4 * I);
  for (int I = 1; I != 32; ++I)
    Text += llvm::formatv("add.f32 %f0, %f0, %f{0};\n", I);
  Text += "st.global.f32 [%rd1], %f0;\nret;\n}\n";
  ptx::Module M = llvm::cantFail(ptx::readPtx(Text, "test"));
  InstructionMix Mix = countInstructions(M.Functions.at(0), {64, 24});
  EXPECT_EQ(Mix.waits(64), 1);
  EXPECT_GT(Mix.waits(24), 1);
  EXPECT_EQ(Mix.waits(40), Mix.waits(24)); // the most that is known below
  EXPECT_EQ(Mix.waits(16), Mix.Waits);
}

TEST(InstructionCount, AddressesOfLaterLoadsTakeNoRegisters) {
  std::string Text =
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry k(.param .u64 p, .param .u32 n)\n{\n"
      ".reg .f32 %f<40>;\n.reg .b64 %rd<80>;\n.reg .b32 %r<40>;\n"
      "ld.param.u64 %rd40, [p];\nld.param.u32 %r0, [n];\n";
  for (int I = 0; I != 32; ++I)
    Text += llvm::formatv("mad.lo.s32 %r{1}, %r{0}, %r0, 1;\n"
                          "mad.wide.s32 %rd{0}, %r{1}, 4, %rd40;\n"
                          "ld.global.f32 %f{0}, [%rd{0}];\n",
                          I, I + 1);
  for (int I = 1; I != 32; ++I)
    Text += llvm::formatv("add.f32 %f0, %f0, %f{0};\n", I);
  Text += "st.global.f32 [%rd40], %f0;\nret;\n}\n";
  ptx::Module M = llvm::cantFail(ptx::readPtx(Text, "test"));
  EXPECT_EQ(countInstructions(M.Functions.at(0), {56}).waits(56), 1);
}

TEST(InstructionCount, LoopsCountTenTimes) {
  const char *Once = "ld.global.f32 %f1, [%rd1];\n"
                     "st.global.f32 [%rd1+8], %f1;\n";
  InstructionMix Straight = mixOf(Once);
  InstructionMix Loop =
      mixOf((llvm::Twine("$L:\n") + Once +
             "ld.global.u32 %r1, [%rd1];\nsetp.ne.s32 %p1, %r1, 0;\n"
             "@%p1 bra $L;\n")
                .str());
  EXPECT_EQ(Straight.OffChip, 2);
  EXPECT_EQ(Loop.OffChip, 30);
}

TEST(InstructionCount, StreamsAndChains) {
  const char *Stream = "$L:\nld.global.f32 %f1, [%rd1];\n"
                       "add.s64 %rd1, %rd1, 512;\n"
                       "add.f32 %f2, %f2, %f1;\n"
                       "setp.ne.s64 %p1, %rd1, 0;\n@%p1 bra $L;\n"
                       "st.global.f32 [%rd1], %f2;\n";
  EXPECT_TRUE(mixOf(Stream).streams());
  const char *Chain = "$L:\nld.global.u64 %rd1, [%rd1];\n"
                      "setp.ne.s64 %p1, %rd1, 0;\n@%p1 bra $L;\n";
  InstructionMix Mix = mixOf(Chain);
  EXPECT_FALSE(Mix.streams());
  EXPECT_EQ(Mix.DependentAccesses, Mix.LoopAccesses);
  // Without a loop nothing streams.
  EXPECT_FALSE(mixOf("ld.global.f32 %f1, [%rd1];\n"
                     "st.global.f32 [%rd1], %f1;\n")
                   .streams());
}

TEST(InstructionCount, NegativeOnChip) {
  InstructionMix Mix = mixOf("ld.shared.f32 %f1, [%rd1];\n"
                             "ld.const.f32 %f2, [%rd1];\n"
                             "add.f32 %f3, %f1, %f2;\n"
                             "st.shared.f32 [%rd1], %f3;\n");
  EXPECT_EQ(Mix.OffChip, 0);
  EXPECT_EQ(Mix.Waits, 0);
  EXPECT_GT(Mix.Compute, 0);
}

TEST(InstructionCount, DependentInstructionsComeLater) {
  InstructionMix Chain = mixOf("ld.shared.f32 %f1, [%rd1];\n"
                               "add.f32 %f2, %f1, %f1;\n"
                               "add.f32 %f3, %f2, %f2;\n"
                               "add.f32 %f4, %f3, %f3;\n"
                               "st.shared.f32 [%rd1], %f4;\n");
  InstructionMix Apart = mixOf("ld.shared.f32 %f1, [%rd1];\n"
                               "ld.shared.f32 %f2, [%rd1+4];\n"
                               "add.f32 %f3, %f1, %f1;\n"
                               "add.f32 %f4, %f2, %f2;\n"
                               "st.shared.f32 [%rd1], %f3;\n"
                               "st.shared.f32 [%rd1+4], %f4;\n");
  EXPECT_GT(Chain.DispatchInterval, Apart.DispatchInterval);
  EXPECT_GE(Apart.DispatchInterval, 1);
}

} // namespace
} // namespace catt
