//===- NvccTest.cpp - Tests of Nvcc and NvccCommand -----------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/registers/Nvcc.h"
#include "SourceTesting.h"
#include "analysis/frontend/NvccCommand.h"
#include "analysis/registers/Ptxas.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "gmock/gmock.h"
#include <sys/stat.h>

using namespace catt;
using namespace catt::testing;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

namespace {

const char *Kernel = "__global__ void k(float *p) { p[threadIdx.x] = N; }\n";

//===-- The flags ---------------------------------------------------------===//

TEST(NvccCommand, MacrosAndLanguage) {
  Parsed P = parseSnippet(Kernel, {"-std=gnu++14", "-DN=4", "-UM"});
  std::vector<std::string> Flags = flagsForNvcc(*P.Unit);
  EXPECT_THAT(Flags, ElementsAre("-std=c++14", "-DN=4", "-UM"));
}

TEST(NvccCommand, HeadersOfTheUserOnly) {
  Parsed P = parseSnippet(
      Kernel, {"-DN=1", "-I.", "-isystem", "/snippet", "-I", "/no/such/place"});
  std::vector<std::string> Flags = flagsForNvcc(*P.Unit);
  EXPECT_THAT(Flags, Contains("-I"));
  EXPECT_THAT(Flags, Contains("-isystem"));
  EXPECT_THAT(Flags, Not(Contains(HasSubstr("/no/such/place"))));
  EXPECT_THAT(Flags, Not(Contains(HasSubstr("builtin"))));
  EXPECT_THAT(Flags, Not(Contains(StartsWith("/usr/include"))));
  EXPECT_THAT(Flags, Not(Contains(HasSubstr("clang"))));
}

TEST(NvccCommand, WhatNvccTranslatedComesBack) {
  Parsed P = parseSnippet(
      Kernel,
      {"-DN=1", "-use_fast_math", "--expt-relaxed-constexpr", "-rdc=true"},
      "nvcc");
  EXPECT_THAT(flagsForNvcc(*P.Unit),
              ElementsAre(StartsWith("-std=c++"), "-DN=1", "-use_fast_math"));
}

TEST(NvccCommand, ContractionThatIsOff) {
  Parsed P = parseSnippet(Kernel, {"-DN=1", "-fmad=false"}, "nvcc");
  EXPECT_THAT(flagsForNvcc(*P.Unit), Contains("-fmad=false"));
}

TEST(NvccCommand, NegativeALanguageThatNvccDoesNotKnow) {
  Parsed P = parseSnippet(Kernel, {"-DN=1", "-std=c++23"});
  EXPECT_THAT(flagsForNvcc(*P.Unit), Contains("-std=c++20"));
}

//===-- The compiler ------------------------------------------------------===//

/// A shell script in place of nvcc, in a directory of its own. The PTX is the
/// word behind -o.
class FakeNvcc : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("catt-nvcc", Directory));
    llvm::SmallString<128> Path(Directory);
    llvm::sys::path::append(Path, "nvcc");
    Options.Program = std::string(Path);
    Options.Architecture = "sm_90";
    Options.Flags = {"-DN=4"};
  }
  void TearDown() override {
    (void)llvm::sys::fs::remove_directories(Directory);
  }
  void write(llvm::StringRef Last) {
    std::error_code E;
    llvm::raw_fd_ostream OS(Options.Program, E);
    OS << "#!/bin/sh\nall=\"$*\"\n"
          "while [ $# -gt 2 ]; do in=$1; shift; done\n"
       << Last << "\n";
    OS.close();
    ASSERT_FALSE(llvm::sys::fs::setPermissions(Options.Program,
                                               llvm::sys::fs::owner_all));
  }
  llvm::SmallString<128> Directory;
  NvccOptions Options;
};

TEST_F(FakeNvcc, GetsTheTextAndTheFlags) {
  write("{ echo \"$all\"; cat \"$in\"; } > \"$2\"");
  auto [Ptx, Error] = compileWithNvcc({"the text"}, Options).front();
  ASSERT_EQ(Error, "");
  EXPECT_THAT(Ptx, HasSubstr("-arch=sm_90"));
  EXPECT_THAT(Ptx, HasSubstr("-DN=4"));
  EXPECT_THAT(Ptx, HasSubstr("the text"));
}

TEST_F(FakeNvcc, SeveralTextsKeepTheirOrder) {
  // Each waits for the one behind it: nothing is done unless all run at once.
  write("n=$(cat \"$in\")\n"
        "[ $n = 3 ] || cat \"${0%/*}/$((n + 1))\" >/dev/null\n"
        "[ $n = 1 ] || echo >\"${0%/*}/$n\"\n"
        "[ $n != 2 ] || exit 1\n"
        "echo $n > \"$2\"");
  Options.Jobs = 3;
  Options.TimeoutSeconds = 20;
  for (const char *Name : {"/1", "/2", "/3"})
    ASSERT_EQ(mkfifo((Directory + Name).str().c_str(), 0600), 0);
  std::vector<NvccResult> All = compileWithNvcc({"1", "2", "3"}, Options);
  ASSERT_EQ(All.size(), 3u);
  EXPECT_EQ(All[0].Ptx, "1\n");
  EXPECT_THAT(All[1].Error, HasSubstr("no message"));
  EXPECT_EQ(All[2].Ptx, "3\n");
}

TEST_F(FakeNvcc, NegativeSaysWhatNvccSays) {
  write("echo 'a note'; echo 'k.cu(3): error: what is this'; exit 2");
  auto [Ptx, Error] = compileWithNvcc({"the text"}, Options).front();
  EXPECT_THAT(Error, HasSubstr("k.cu(3): error: what is this"));
}

TEST_F(FakeNvcc, NegativeWithoutAProgram) {
  Options.Program = "/no/such/nvcc";
  auto [Ptx, Error] = compileWithNvcc({"the text"}, Options).front();
  EXPECT_THAT(Error, HasSubstr("/no/such/nvcc"));
  EXPECT_EQ(nvccBeside("/no/such/ptxas"), "");
}

TEST(Nvcc, TheRealOneCompilesAKernel) {
  NvccOptions Options;
  Options.Program = nvccBeside(findPtxas("/usr/local/cuda"));
  if (Options.Program.empty())
    GTEST_SKIP() << "no nvcc on this machine";
  Options.Architecture = "sm_80";
  Parsed P = parseSnippet(Kernel, {"-DN=4"});
  Options.Flags = flagsForNvcc(*P.Unit);
  auto [Ptx, Error] = compileWithNvcc({Kernel}, Options).front();
  ASSERT_EQ(Error, "");
  EXPECT_THAT(Ptx, HasSubstr(".entry _Z1kPf"));
}

} // namespace
