//===- ProgramsTest.cpp - Whole programs on the executor -------------------==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs catt-run as a user does: programs/*.cu here, and the samples with the
// small sizes of samples/README.md.
//
//===----------------------------------------------------------------------===//

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include <gtest/gtest.h>
#include <set>

using namespace llvm;

namespace {

struct Outcome {
  int Status;
  std::string Out, Error;
};

std::string read(StringRef Path) {
  auto Buffer = MemoryBuffer::getFile(Path);
  return Buffer ? (*Buffer)->getBuffer().str() : "";
}

SmallString<128> temporary() {
  SmallString<128> Path;
  EXPECT_FALSE(sys::fs::createTemporaryFile("simt", "txt", Path));
  return Path;
}

Outcome simt(std::vector<std::string> Args) {
  SmallString<128> Out = temporary(), Err = temporary();
  FileRemover RemoveOut(Out), RemoveErr(Err);
  std::vector<StringRef> All = {CATT_SIMT_TOOL, "--keep=" CATT_SIMT_CACHE};
  All.insert(All.end(), Args.begin(), Args.end());
  std::optional<StringRef> Redirects[] = {std::nullopt, Out.str(), Err.str()};
  int Status =
      sys::ExecuteAndWait(CATT_SIMT_TOOL, All, std::nullopt, Redirects, 300);
  return {Status, read(Out), read(Err)};
}

std::string program(const char *Name) {
  return std::string(CATT_SIMT_PROGRAMS "/") + Name;
}

TEST(Programs, hostApi) {
  Outcome R = simt({program("HostApi.cu"), "--", "a", "--b"});
  EXPECT_EQ(R.Out, "host API: 0 failures, 2 arguments\n");
  EXPECT_EQ(R.Error, "");
  EXPECT_EQ(R.Status, 0);
  // A second run comes from the cache, and several schedules agree.
  R = simt({"--seeds=4", "--blocks=2", "--switch=3", program("HostApi.cu")});
  EXPECT_EQ(R.Out, "host API: 0 failures, 0 arguments\n");
  EXPECT_EQ(R.Status, 0);
}

TEST(Programs, launchesAreReplayed) {
  SmallString<128> Path = temporary();
  FileRemover Remove(Path);
  Outcome R = simt({program("Replays.cu"), "--", Path.str().str()});
  // Five lists, their array and the sum, each 256 bytes.
  EXPECT_NE(R.Out.find("15 5, often\n\"bytes\": 1792, \"left\": "),
            std::string::npos)
      << R.Out;
  EXPECT_NE(R.Out.find("\"why\": \"\"},\n\"bytes\": 256, "), std::string::npos)
      << R.Out;
  EXPECT_NE(R.Out.find("\"why\": \"launched again, it leaves something else\""),
            std::string::npos)
      << R.Out;
  EXPECT_EQ(R.Error, "");
  EXPECT_EQ(R.Status, 0);
}

TEST(Programs, languageOfEveryStandard) {
  for (const char *Standard : {"c++11", "c++14", "c++20"}) {
    Outcome R = simt({"--seed=2", std::string("--Xcompiler=-std=") + Standard,
                      program("Language.cu")});
    EXPECT_EQ(R.Out, "language: 0 failures\n") << Standard;
    EXPECT_EQ(R.Error, "") << Standard;
    EXPECT_EQ(R.Status, 0) << Standard;
  }
}

TEST(Programs, operandsOfAssemblyHaveEveryLetter) {
  for (const char *Standard : {"c++11", "c++20"}) {
    Outcome R = simt({std::string("--Xcompiler=-std=") + Standard,
                      program("AsmLetters.cu")});
    EXPECT_EQ(R.Out, "f 2.5 5, d 1.25 -2.25, h -2, q 1099511627777, "
                     "l 1099511627789, r 5, host 2\n");
    EXPECT_EQ(R.Error, "");
    EXPECT_EQ(R.Status, 0);
  }
}

TEST(Programs, narrowFloatsAreRoundedOnce) {
  Outcome R = simt({program("NarrowFloats.cu")});
  EXPECT_EQ(R.Out, "29 1.001953125 2048 1 -1 356.5, all 32\n"
                   "1 1.015625 1.0078125 256 1\n");
  EXPECT_EQ(R.Error, "");
  EXPECT_EQ(R.Status, 0);
}

TEST(Programs, assemblyMeansWhatItSays) {
  Outcome R = simt({"--seeds=3", program("Ptx.cu")});
  EXPECT_EQ(R.Out, "PTX: 0 failures, 2016, 63, swapped: 1\n");
  EXPECT_EQ(R.Error, "");
  EXPECT_EQ(R.Status, 0);
}

TEST(Programs, kernelsPrint) {
  Outcome R = simt({program("Printf.cu")});
  EXPECT_EQ(R.Out, "thread 1 of speak: 0.25\nthread 3 of speak: 0.75\n"
                   "thread 5 of speak: 1.25\ndone\n");
  EXPECT_EQ(R.Error, "");
  EXPECT_EQ(R.Status, 0);
}

TEST(Programs, findingsDecideTheStatus) {
  Outcome R = simt({program("Racy.cu")});
  EXPECT_EQ(R.Status, 86);
  EXPECT_EQ(R.Out, "done\n");
  EXPECT_NE(R.Error.find("Racy.cu:8:7: error: race on shared memory"),
            std::string::npos)
      << R.Error;
}

TEST(Programs, illegalAddressStays) {
  Outcome R = simt({program("Crash.cu")});
  EXPECT_EQ(R.Status, 86);
  EXPECT_EQ(R.Out, "cudaErrorIllegalAddress, 1\n");
  EXPECT_NE(R.Error.find("Crash.cu:3:45: error: write of 4 bytes outside"),
            std::string::npos)
      << R.Error;
}

TEST(Programs, schedulesAreCompared) {
  Outcome R = simt({"--seeds=8", program("Schedules.cu")});
  EXPECT_EQ(R.Status, 3);
  EXPECT_EQ(R.Out, "0\n"); // seed 0 is in order
  EXPECT_NE(R.Error.find("prints something else"), std::string::npos);
  EXPECT_EQ(simt({"--seed=5", program("Schedules.cu")}).Status, 0);
}

TEST(Programs, traceOfAProgram) {
  SmallString<128> Path = temporary();
  FileRemover Remove(Path);
  Outcome R = simt({"--trace=" + Path.str().str(), program("Schedules.cu")});
  EXPECT_EQ(R.Status, 0);
  std::string Text = read(Path);
  EXPECT_EQ(StringRef(Text).count('\n'), 32u);
  EXPECT_TRUE(
      StringRef(Text).starts_with("0 0 0 atomic global 0x200000000000 4 "))
      << Text;
  EXPECT_NE(Text.find("Schedules.cu:5:5\n"), std::string::npos);
}

TEST(Programs, whatDoesNotCompileIsSaid) {
  Outcome R = simt({CATT_SIMT_KERNELS "/Broken.cu"});
  EXPECT_EQ(R.Status, 2);
  EXPECT_NE(R.Error.find("no member named 'q'"), std::string::npos);
  EXPECT_EQ(simt({program("NoSuchFile.cu")}).Status, 2);
}

//===-- Samples -----------------------------------------------------------===//

/// Sample, its arguments, its macros: the small sizes of samples/README.md.
struct Sample {
  const char *Name, *Arguments, *Macros;
};

void PrintTo(const Sample &S, std::ostream *O) { *O << S.Name; }

const Sample Samples[] = {
    {"gesummv", "512", "-DM=256"},
    {"atax", "", "-DNX=1200 -DNY=300"},
    {"bicg", "512 256", ""},
    {"mvt", "", "-DN=600"},
    {"syr2k", "", "-DN=100 -DM=50"},
    {"corr", "", "-DM=80 -DN=60"},
    {"kmeans", "3000", ""},
    {"softmax", "600 80", ""},
    {"spmv", "3000", ""},
    {"bfs", "5000", ""},
    {"cfd", "5000", ""},
    {"particlefilter", "1000", ""},
    {"gemm", "70", ""},
    {"stencil", "40", ""},
    {"reduction", "100000", ""},
    {"histogram", "50000", ""},
};

class OnSamples : public testing::TestWithParam<Sample> {};

TEST_P(OnSamples, isRightWithoutAnyFinding) {
  const Sample &S = GetParam();
  for (const char *Seed : {"--seed=0", "--seed=7"}) {
    std::vector<std::string> Args = {Seed, "--blocks=3", "--switch=1000"};
    SmallVector<StringRef> Macros, Words;
    SplitString(S.Macros, Macros);
    for (StringRef M : Macros)
      Args.push_back("--Xcompiler=" + M.str());
    Args.push_back(CATT_SIMT_SAMPLES "/" + std::string(S.Name) + "/" + S.Name +
                   ".cu");
    SplitString(S.Arguments, Words);
    if (!Words.empty())
      Args.push_back("--");
    Args.insert(Args.end(), Words.begin(), Words.end());
    Outcome R = simt(Args);
    EXPECT_EQ(R.Status, 0) << R.Out << R.Error;
    EXPECT_EQ(R.Error, "");
    EXPECT_NE(R.Out.find("OK"), std::string::npos) << R.Out;
  }
}

INSTANTIATE_TEST_SUITE_P(All, OnSamples, testing::ValuesIn(Samples),
                         [](const auto &I) { return I.param.Name; });

} // namespace
