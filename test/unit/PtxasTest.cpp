//===- PtxasTest.cpp - Reading and asking the assembler -------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/registers/Ptxas.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace catt;
using ::testing::HasSubstr;

namespace {

constexpr llvm::StringRef Messages =
    R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z1kPf' for 'sm_80'
ptxas info    : Function properties for _Z1kPf
    32 bytes stack frame, 24 bytes spill stores, 28 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 368 bytes cmem[0]
ptxas info    : Function properties for helper
    8 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Compiling entry function '_Z1mPd' for 'sm_80'
ptxas info    : Function properties for _Z1mPd
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 10 registers, used 0 barriers
)";

TEST(Ptxas, ReadsEachKernel) {
  auto Points = readPtxasMessages(Messages, 32);
  ASSERT_EQ(Points.size(), 2U);
  const RegisterPoint &K = Points["_Z1kPf"];
  EXPECT_EQ(K.CapRegisters, 32U);
  EXPECT_EQ(K.Registers, 32U);
  EXPECT_EQ(K.StackBytes, 32U);
  EXPECT_EQ(K.SpillStoreBytes, 24U);
  EXPECT_EQ(K.SpillLoadBytes, 28U);
  EXPECT_EQ(K.From, Origin::Measured);
  EXPECT_EQ(Points["_Z1mPd"].Registers, 10U);
  EXPECT_EQ(Points["_Z1mPd"].SpillStoreBytes, 0U);
}

/// As ptxas 13.0 prints it: both kernels call leaf, the second through mid.
constexpr llvm::StringRef CallTrees =
    R"(ptxas info    : Compiling entry function 'k1' for 'sm_90'
ptxas info    : Function properties for k1
    64 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 48 registers, used 0 barriers, 96 bytes cumulative stack size
ptxas info    : Compile time = 332.300 ms
ptxas info    : Function properties for leaf
    0 bytes stack frame, 104 bytes spill stores, 108 bytes spill loads
ptxas info    : Compiling entry function 'k2' for 'sm_90'
ptxas info    : Function properties for k2
    64 bytes stack frame, 1 bytes spill stores, 2 bytes spill loads
ptxas info    : Used 47 registers, used 0 barriers, 64 bytes cumulative stack size
ptxas info    : Function properties for mid
    0 bytes stack frame, 8 bytes spill stores, 0 bytes spill loads
ptxas info    : Function properties for leaf
    0 bytes stack frame, 88 bytes spill stores, 100 bytes spill loads
)";

TEST(Ptxas, CalleesSpillForTheirKernel) {
  auto Points = readPtxasMessages(CallTrees, 48);
  ASSERT_EQ(Points.size(), 2U) << "functions are no kernels";
  EXPECT_EQ(Points["k1"].SpillStoreBytes, 104U);
  EXPECT_EQ(Points["k1"].SpillLoadBytes, 108U);
  EXPECT_EQ(Points["k1"].StackBytes, 96U);
  EXPECT_EQ(Points["k2"].Registers, 47U);
  EXPECT_EQ(Points["k2"].SpillStoreBytes, 97U);
  EXPECT_EQ(Points["k2"].SpillLoadBytes, 102U);
}

TEST(Ptxas, NegativeAFunctionBeforeAnyKernelIsNobodys) {
  auto Points = readPtxasMessages(
      "ptxas info    : Function properties for f\n"
      "    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads\n" +
          CallTrees.str(),
      0);
  ASSERT_EQ(Points.size(), 2U);
  EXPECT_EQ(Points["k1"].SpillStoreBytes, 104U);
}

TEST(Ptxas, ReadsTheCostThatIsKeptBehindTheMessages) {
  auto Points =
      readPtxasMessages(Messages.str() + "catt: warp _Z1kPf 700.5 12 3 2 0 40\n"
                                         "catt: warp other 1 1 1 1 1 1\n",
                        32);
  ASSERT_EQ(Points.size(), 2U);
  ASSERT_TRUE(Points["_Z1kPf"].Warp.has_value());
  EXPECT_EQ(Points["_Z1kPf"].Warp->Cycles, 700.5);
  EXPECT_EQ(Points["_Z1kPf"].Warp->Issued, 12);
  EXPECT_EQ(Points["_Z1kPf"].Warp->Global, 3);
  EXPECT_EQ(Points["_Z1kPf"].Warp->Local, 2);
  EXPECT_EQ(Points["_Z1kPf"].Warp->CyclesInL1, 40);
  EXPECT_FALSE(Points["_Z1mPd"].Warp.has_value());
}

TEST(Ptxas, NegativeACostThatIsCutOffIsNone) {
  for (const char *Line : {"catt: warp _Z1kPf 700.5 12\n", "catt: warp _Z1kPf",
                           "catt: warp _Z1kPf a b c d e\n"})
    EXPECT_FALSE(
        readPtxasMessages(Messages.str() + Line, 32)["_Z1kPf"].Warp.has_value())
        << Line;
}

TEST(Ptxas, WhatIsNoMessageGivesNothing) {
  EXPECT_TRUE(readPtxasMessages("", 0).empty());
  EXPECT_TRUE(
      readPtxasMessages("Used registers\nUsed 5 registers\n", 0).empty());
  EXPECT_TRUE(
      readPtxasMessages("Compiling entry function 'k' for 'sm_80'", 0).empty());
}

TEST(Ptxas, AProgramThatIsNotThereIsAnError) {
  PtxasOptions Options;
  Options.Program = "/no/such/ptxas";
  Options.Architecture = "sm_80";
  auto Answer = askPtxas({{".version 8.0"}}, Options);
  ASSERT_FALSE(!!Answer);
  EXPECT_THAT(llvm::toString(Answer.takeError()), HasSubstr("/no/such/ptxas"));
}

/// A shell script in place of ptxas, in a directory of its own.
class FakePtxas : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("catt-ptxas", Directory));
    Options.Program = at("ptxas");
    Options.Architecture = "sm_80";
    Options.CacheDirectory = at("cache");
  }
  void TearDown() override {
    (void)llvm::sys::fs::remove_directories(Directory);
  }
  std::string at(llvm::StringRef Name) {
    llvm::SmallString<128> Path(Directory);
    llvm::sys::path::append(Path, Name);
    return std::string(Path);
  }
  /// A ptxas that says that k takes as many registers as its cap, or 40, and
  /// counts its calls in the file `calls`.
  void write(llvm::StringRef Last) {
    std::error_code E;
    llvm::raw_fd_ostream OS(Options.Program, E);
    OS << "#!/bin/sh\n"
       << "echo x >> " << at("calls") << "\n"
       << "n=40\n"
       << "for a in \"$@\"; do case $a in -maxrregcount=*) n=${a#*=};; esac; "
          "done\n"
       << "echo \"Compiling entry function 'k' for 'sm_80'\" >&2\n"
       << "echo \"ptxas info    : Used $n registers\" >&2\n"
       << Last << "\n";
    OS.close();
    ASSERT_FALSE(llvm::sys::fs::setPermissions(Options.Program,
                                               llvm::sys::fs::owner_all));
  }
  uint64_t calls() {
    uint64_t Size = 0;
    return llvm::sys::fs::file_size(at("calls"), Size) ? 0 : Size / 2;
  }
  llvm::SmallString<128> Directory;
  PtxasOptions Options;
};

TEST_F(FakePtxas, IsAskedOnceForEachCap) {
  write("exit 0");
  Options.Jobs = 2;
  for (int Round = 0; Round != 2; ++Round) {
    auto Answer = askPtxas({{"text"}, {"text", 32}, {"text", 64}}, Options);
    ASSERT_TRUE(!!Answer) << llvm::toString(Answer.takeError());
    ASSERT_EQ(Answer->size(), 3U);
    EXPECT_EQ((*Answer)[0]["k"].Registers, 40U);
    EXPECT_EQ((*Answer)[1]["k"].Registers, 32U);
    EXPECT_EQ((*Answer)[2]["k"].CapRegisters, 64U);
  }
  EXPECT_EQ(calls(), 3U);
}

TEST_F(FakePtxas, OfSomeKernelsOnly) {
  write("case \"$*\" in *'--entry k,l'*) exit 0;; esac; exit 1");
  EXPECT_TRUE(!!askPtxas({{"text", 32, {"k", "l"}}}, Options));
  auto Others = askPtxas({{"text", 32, {"l"}}}, Options);
  EXPECT_FALSE(!!Others) << "an answer about other kernels was kept for it";
  llvm::consumeError(Others.takeError());
}

TEST_F(FakePtxas, AnotherTextOrArchitectureIsAskedAgain) {
  write("exit 0");
  auto First = askPtxas({{"text"}}, Options);
  auto Second = askPtxas({{"another text"}}, Options);
  Options.Architecture = "sm_90";
  auto Third = askPtxas({{"text"}}, Options);
  ASSERT_TRUE(First && Second && Third);
  EXPECT_EQ(calls(), 3U);
}

TEST_F(FakePtxas, WithoutACacheEveryQuestionIsAsked) {
  write("exit 0");
  Options.CacheDirectory.clear();
  auto First = askPtxas({{"text"}}, Options);
  auto Second = askPtxas({{"text"}}, Options);
  ASSERT_TRUE(First && Second);
  EXPECT_EQ(calls(), 2U);
}

TEST_F(FakePtxas, AFailureIsNotKept) {
  write("echo 'ptxas fatal   : Unresolved extern function' >&2; exit 1");
  for (int Round = 0; Round != 2; ++Round) {
    auto Answer = askPtxas({{"text"}}, Options);
    ASSERT_FALSE(!!Answer);
    EXPECT_THAT(llvm::toString(Answer.takeError()),
                HasSubstr("Unresolved extern function"));
  }
  EXPECT_EQ(calls(), 2U);
}

TEST(Ptxas, TheRealOneKnowsAnEmptyKernel) {
  PtxasOptions Options;
  Options.Program = findPtxas("/usr/local/cuda");
  if (Options.Program.empty())
    GTEST_SKIP() << "no ptxas on this machine";
  Options.Architecture = "sm_80";
  const char *Ptx = ".version 7.0\n.target sm_80\n.address_size 64\n"
                    ".visible .entry k() { ret; }\n"
                    ".visible .entry l() { ret; }\n";
  auto Answer = askPtxas({{Ptx}, {Ptx, 32, {"k"}}}, Options);
  ASSERT_TRUE(!!Answer) << llvm::toString(Answer.takeError());
  ASSERT_EQ((*Answer)[0].size(), 2U);
  EXPECT_GT((*Answer)[0]["l"].Registers, 0U);
  ASSERT_EQ((*Answer)[1].size(), 1U);
  EXPECT_EQ((*Answer)[1]["k"].CapRegisters, 32U);
}

} // namespace
