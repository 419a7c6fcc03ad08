//===- VerifyTest.cpp - A program and its rewrite, side by side -----------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/verify/Verify.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace catt;
using namespace llvm;
using testing::HasSubstr;

namespace {

constexpr const char *Kernel = R"(
__global__ void twice(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = 2 * x[i];
}
)";

constexpr const char *Host = R"(
#include <cstdio>
#include <cstdlib>
void run(const float *x, float *y, int n);
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 100;
  float *x, *y;
  cudaMallocManaged(&x, n * 4);
  cudaMallocManaged(&y, n * 4);
  for (int i = 0; i < n; ++i)
    x[i] = i, y[i] = 0;
  run(x, y, n);
  cudaDeviceSynchronize();
  printf("%g\n%g\n", y[0], y[n - 1]);
  return 0;
}
)";

constexpr const char *Launch = R"(
void run(const float *x, float *y, int n) {
  twice<<<(n + 63) / 64, 64>>>(x, y, n);
}
)";

/// The whole program in one file.
std::string whole() { return std::string(Kernel) + Launch + Host; }

/// The text with New for the first Old, which must be there.
std::string replaced(std::string Text, const std::string &Old,
                     const std::string &New) {
  const size_t At = Text.find(Old);
  EXPECT_NE(At, std::string::npos) << Old;
  return At == std::string::npos ? Text : Text.replace(At, Old.size(), New);
}

/// A program whose threads add to one element, in an order that is theirs.
std::string adding(const std::string &Text = whole()) {
  return replaced(Text, "y[i] = 2 * x[i]", "atomicAdd(&y[1], 1.0f / (i + 1))");
}

/// A folder with the files of a program, which is where programs run.
class Verify : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("verify", Folder));
    ASSERT_FALSE(sys::fs::current_path(Before));
    ASSERT_FALSE(sys::fs::set_current_path(Folder));
    // As the system names it.
    ASSERT_FALSE(sys::fs::current_path(Folder));
  }
  void TearDown() override {
    (void)sys::fs::set_current_path(Before);
    (void)sys::fs::remove_directories(Folder);
  }

  std::string write(const std::string &Name, const std::string &Text) {
    std::string Path = (Folder + "/" + Name).str();
    std::error_code EC;
    raw_fd_ostream Out(Path, EC);
    Out << Text;
    EXPECT_FALSE(EC);
    return Path;
  }

  /// Name holds Text, in which Old becomes New.
  void add(const std::string &Name, const std::string &Text,
           const std::string &Old = "", const std::string &New = "") {
    O.Sources.push_back({write(Name, Text)});
    if (Old.empty())
      return;
    size_t At = Text.find(Old);
    ASSERT_NE(At, std::string::npos);
    EditedFile &F = Files[O.Sources.back().File];
    F.Old = F.New = Text;
    F.New.replace(At, Old.size(), New);
    cantFail(F.Edits.add(clang::tooling::Replacement(O.Sources.back().File, At,
                                                     Old.size(), New)));
  }
  /// The whole program in one file.
  void one(const std::string &Old, const std::string &New) {
    add("a.cu", whole(), Old, New);
  }

  /// "equal", "differs" or "error", and all that was said.
  std::string verified() {
    auto V = verifyOnExecutor(O, Files);
    return text(V);
  }
  static std::string text(Expected<Verification> &V) {
    if (!V)
      return "error: " + toString(V.takeError());
    std::string Text = V->Equal ? "equal" : "differs";
    for (const std::string &Line : V->Said)
      Text += ": " + Line;
    return Text;
  }

  SmallString<128> Folder, Before;
  VerifyOptions O;
  EditedFiles Files;
};

TEST_F(Verify, equalPrograms) {
  one("2 * x[i]", "x[i] + x[i]");
  EXPECT_EQ(verified(),
            "equal: 1 launch leaves the same memory under 3 schedules, and "
            "what is printed is the same; of 1 added line that touches memory "
            "1 ran");
}

TEST_F(Verify, memoryThatIsNotPrinted) {
  one("2 * x[i]", "i == 7 ? 15 : 2 * x[i]");
  EXPECT_EQ(verified(),
            "differs: launch 1, of 'twice(float const*, float*, int)', leaves "
            "another allocation 2: 1 of 400 bytes differ, first at byte 28: "
            "00007041 instead of 00006041 (schedule 0)");
}

TEST_F(Verify, variablesOfTheDevice) {
  add("a.cu", std::string("__device__ int seen;") + Kernel + Launch + Host,
      "y[i] =", "seen = 1, y[i] =");
  EXPECT_THAT(verified(), HasSubstr("leaves another variable 'seen'"));
}

TEST_F(Verify, otherOutput) {
  one("%g\\n%g", "%g\\n%g.");
  EXPECT_EQ(verified(),
            "differs: it prints '198.' where '198' was printed (schedule 0)");
}

TEST_F(Verify, anotherExitCode) {
  one("return 0", "return 3");
  EXPECT_THAT(verified(), HasSubstr("differs: the rewritten program ends with "
                                    "exit code 3, and as written with exit "
                                    "code 0"));
}

TEST_F(Verify, aMistakeThatWasNotThere) {
  one("y[i] = 2 * x[i];", "{ __shared__ float s[64]; s[63 - threadIdx.x] = 0; "
                          "s[threadIdx.x] = 1; y[i] = 2 * x[i]; }");
  EXPECT_THAT(verified(), HasSubstr("differs: the rewritten program has a "
                                    "mistake: "));
  EXPECT_THAT(verified(), HasSubstr("race on shared memory"));
}

TEST_F(Verify, aMistakeThatWasThere) {
  add("a.cu", replaced(whole(), "2 * x[i]", "x[i] + x[i + 1 - i / 99 * 0 + 0]"),
      "x[i] +", "+x[i] +");
  std::string Said = verified();
  EXPECT_THAT(Said, HasSubstr("equal: as written it has a mistake of its own"));
  EXPECT_THAT(Said, HasSubstr("out-of-bounds"));
}

TEST_F(Verify, moreLaunches) {
  one("  twice<<<", "  twice<<<1, 1>>>(x, y, 0);\n  twice<<<");
  EXPECT_THAT(verified(), HasSubstr("differs: "));
}

TEST_F(Verify, aProgramThatDoesNotEnd) {
  one("  run(x, y, n);", "  for (volatile int k = 0; k < 1;)\n    ;");
  O.LimitSeconds = 2;
  EXPECT_THAT(verified(), HasSubstr("takes more than 2 s"));
}

TEST_F(Verify, anOriginalThatCrashes) {
  one("2 * x[i]", "x[i] + x[i]");
  O.Arguments = "100; kill -SEGV $$";
  EXPECT_THAT(verified(), HasSubstr("error: the program as written ends by "
                                    "signal 11"));
}

TEST_F(Verify, whatDoesNotCompile) {
  one("2 * x[i]", "2 * z[i]");
  EXPECT_THAT(verified(), HasSubstr("error: the program as rewritten cannot be "
                                    "compiled for the executor: "));
  EXPECT_THAT(verified(), HasSubstr("undeclared identifier 'z'"));
  O.Sources.clear();
  Files.clear();
  add("b.cu", "#include <cufft.h>\n" + whole(), "2 *", "2 * ");
  EXPECT_THAT(verified(), HasSubstr("error: the program as written cannot be "
                                    "compiled for the executor: "));
}

TEST_F(Verify, aProgramThatLaunchesNothing) {
  add("a.cu", replaced(whole(), "  run(x, y, n);", ""), "2 * x[i]",
      "x[i] + x[i]");
  EXPECT_EQ(verified(),
            "error: the program launches no kernel on the executor: what it is "
            "given by --arguments may be wrong; it prints '0'");
}

TEST_F(Verify, launchesThatAreRefused) {
  add("a.cu",
      replaced(whole(), "  twice<<<",
               "  twice<<<0, 64>>>(x, y, n);\n  twice<<<"),
      "2 * x[i]", "x[i] + x[i]");
  EXPECT_THAT(verified(), HasSubstr("equal: 2 launches leave the same memory"));
  EXPECT_THAT(verified(), HasSubstr(": 1 launch was refused, as written, too"));
}

TEST_F(Verify, aPartOfAProgram) {
  add("a.cu", std::string(Kernel) + Launch, "2 * x[i]", "x[i] + x[i]");
  EXPECT_EQ(verified(), "error: the files have no main(); name all files of "
                        "the program");
}

TEST_F(Verify, severalFiles) {
  add("a.cu", std::string(Kernel) + Launch, "2 * x[i]", "x[i] + x[i]");
  add("main.cpp", std::string("#include <cuda_runtime.h>\n") + Host);
  EXPECT_THAT(verified(), HasSubstr("equal: 1 launch"));
}

TEST_F(Verify, staticKernelsOfOneName) {
  const std::string Static =
      replaced(Kernel, "__global__", "static __global__");
  const std::string Other = replaced(Static, "2 * x[i]", "3 * x[i]");
  const std::string Second = replaced(Launch, "run", "again");
  const std::string Main =
      "void again(const float *x, float *y, int n);" +
      replaced(Host, "run(x, y, n);", "run(x, y, n);\n  again(y, x, n);");
  add("a.cu", Static + Launch + Main, "2 * x[i]", "x[i] + x[i]");
  add("b.cu", Other + Second);
  EXPECT_THAT(verified(), HasSubstr("equal: 2 launches"));
  Files.clear();
  O.Sources.clear();
  add("a.cu", Static + Launch + Main);
  add("b.cu", Other + Second, "3 * x[i]", "4 * x[i]");
  EXPECT_THAT(verified(), HasSubstr("launch 2, of 'twice(float const*, float*, "
                                    "int)', leaves another allocation 1"));
}

TEST_F(Verify, headersAndFlags) {
  write("kernel.cuh", Kernel);
  add("a.cu", std::string("#include \"kernel.cuh\"\n") + Launch + Host);
  O.Sources.back().Arguments = {"-DUNUSED", "-std=c++20"};
  std::string Path = (Folder + "/kernel.cuh").str();
  EditedFile &F = Files[Path];
  F.Old = F.New = Kernel;
  size_t At = F.Old.find("2 * x[i]");
  F.New.replace(At, 8, "3 * x[i]");
  cantFail(F.Edits.add(clang::tooling::Replacement(Path, At, 8, "3 * x[i]")));
  EXPECT_THAT(verified(), HasSubstr("leaves another allocation 2"));
}

TEST_F(Verify, linesThatDidNotRun) {
  one("y[i] = 2 * x[i];", "\n    if (n > 1000)\n      y[i] = x[i] + x[i];\n"
                          "    else\n      y[i] = 2 * x[i];");
  EXPECT_THAT(verified(),
              HasSubstr("of 2 added lines that touch memory 1 ran"));
  O.Sources.clear();
  Files.clear();
  one("int i = blockIdx", "if (n > 1000)\n    y[0] = 0;\n  int i = blockIdx");
  EXPECT_THAT(verified(), HasSubstr("a.cu:3: what was added here, in the new "
                                    "text, did not run"));
  O.Arguments = "2000";
  EXPECT_THAT(verified(), HasSubstr("1 added line that touches memory 1 ran"));
}

TEST_F(Verify, whatTheOrderOfThreadsDecides) {
  add("a.cu", adding(), "1.0f / (i + 1)", "1.0f / (1 + i)");
  std::string Said = verified();
  EXPECT_THAT(Said, HasSubstr("equal: "));
  EXPECT_THAT(Said, HasSubstr("1 times memory was not compared"));
}

TEST_F(Verify, outputThatTheOrderOfThreadsDecides) {
  add("a.cu", adding(), "%g\\n%g\\n", "%g\\n%g .\\n");
  std::string Said = verified();
  EXPECT_THAT(Said, HasSubstr("error: it prints "));
  EXPECT_THAT(
      Said, HasSubstr("; that may be because the program as written depends on "
                      "the order of its threads, first allocation 2 behind "
                      "launch 1, of 'twice(float const*, float*, int)'"));
}

TEST_F(Verify, memoryBesideWhatTheOrderOfThreadsDecides) {
  add("a.cu", adding("__device__ int seen;" + whole()), "atomicAdd(",
      "seen = 1, atomicAdd(");
  std::string Said = verified();
  EXPECT_THAT(Said, HasSubstr("error: launch 1, of "));
  EXPECT_THAT(Said, HasSubstr("leaves another variable 'seen'"));
  EXPECT_THAT(Said, HasSubstr("depends on the order of its threads"));
}

TEST_F(Verify, timesMayDiffer) {
  add("a.cu",
      replaced("#include <time.h>\n" + whole(), "return 0",
               "timespec t; clock_gettime(CLOCK_MONOTONIC, &t); "
               "printf(\"took %ld ms\\n\", long(t.tv_nsec)); return 0"),
      "2 * x[i]", "x[i] + x[i]");
  EXPECT_THAT(verified(), HasSubstr("equal: "));
}

//===-- By the user's own commands ----------------------------------------===//

TEST_F(Verify, byCommands) {
  one("2 * x[i]", "3 * x[i]");
  TrialOptions T;
  T.Build = "cp a.cu built";
  T.Run = "grep -c twice built";
  auto V = verifyByRunning(T, Files);
  EXPECT_EQ(
      text(V),
      "equal: 'grep -c twice built' ends and prints as before, in 3 runs");
  T.Run = "grep x.i. built";
  V = verifyByRunning(T, Files);
  EXPECT_THAT(text(V), HasSubstr("differs: of the rewritten program its output "
                                 "is not that of the original"));
  T.Build = "grep 2...x a.cu && cp a.cu built";
  V = verifyByRunning(T, Files);
  EXPECT_THAT(text(V), HasSubstr("differs: of the rewritten program the build "
                                 "ended with exit code 1"));
  T.Build = "false";
  V = verifyByRunning(T, Files);
  EXPECT_THAT(text(V), HasSubstr("error: the program as written cannot be "
                                 "compared with: the build ended"));
  // The file is what it was, whatever came of it.
  auto Now = MemoryBuffer::getFile(O.Sources[0].File);
  ASSERT_TRUE(bool(Now));
  EXPECT_EQ((*Now)->getBuffer(), Files.begin()->second.Old);
}

} // namespace
