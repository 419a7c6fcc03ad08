//===- ReplayingTest.cpp - Which launches may run again -------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/tune/Replaying.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace catt;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

constexpr char Where[] = "/snippet/a.cu";

/// A file with its launches, as a search has it.
AnalysedFile fileWith(const std::string &Text) {
  auto Held = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  Held->addFile(Where, 0, llvm::MemoryBuffer::getMemBufferCopy(Text));
  auto All = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(
      llvm::vfs::getRealFileSystem());
  All->pushOverlay(Held);
  JobInput In;
  In.Files = All;
  AnalysedFile F{Where,
                 {{"/snippet", Where, {"nvcc", Where}, ""}, "the test"},
                 {llvm::cantFail(findDevice("sm_80")), "--gpu"},
                 {},
                 {},
                 {}};
  F.O.BuiltInOnly = true;
  F.Job = runJob(Where, F.Command, F.Gpu, F.O, std::move(In));
  std::map<std::string, std::string> Without;
  F.Launches = timedLaunches(*F.Job.Outcome.Analysed, Without);
  EXPECT_THAT(Without, IsEmpty());
  return F;
}

/// Kernels that are not replayed, with the reason.
std::map<std::string, std::string> against(const std::string &Text,
                                           const std::string &Glob = "") {
  std::vector<AnalysedFile> Files{fileWith(Text)};
  Replaying Of;
  allowReplays(Files, Glob, Of);
  for (const TimedLaunch &T : Files[0].Launches)
    EXPECT_TRUE(!T.Replayed || !Of.Without.count(T.Kernel));
  return Of.Without;
}

/// Against a kernel `k` with this body, and what stands before it.
std::string againstBody(const std::string &Body,
                        const std::string &Before = "") {
  return against(Before + "__global__ void k(float *A, int n) {" + Body +
                 "}\nvoid host(float *A) { k<<<1, 32>>>(A, 3); }\n")["k"];
}

/// Against a launch of `k` in a function of A, p, n and s.
std::string againstLaunch(const std::string &Launch,
                          const std::string &Before = "") {
  return against(Before +
                 "__global__ void k(float *A, int n) { A[n] = 1; }\n"
                 "void host(float *A, float **p, int n, cudaStream_t s) { " +
                 Launch + " }\n")["k"];
}

std::string writtenWith(const std::string &Text) {
  std::vector<AnalysedFile> Files{fileWith(Text)};
  Replaying Of;
  allowReplays(Files, "", Of);
  return timedTexts({{Where, Text}}, Files[0].Launches, "/r.h").at(Where);
}

TEST(ReplayedTexts, TheLaunchStandsInALoop) {
  EXPECT_THAT(
      writtenWith("__global__ void k(float *A, int n) { A[n] = 1; }\n"
                  "void host(float *A, int n) {\n"
                  "  if (n) k<<<n, 32>>>(A + 4,\n    n / 2);\n}\n"),
      HasSubstr(
          "#include \"/r.h\"\n"
          "#line 1 \"/snippet/a.cu\"\n"
          "__global__ void k(float *A, int n) { A[n] = 1; }\n"
          "void host(float *A, int n) {\n"
          "  if (n) { for (catt::Replay cattReplay(\"k\", nullptr, A + 4, "
          "n / 2); cattReplay.next();) k<<<n, 32>>>(A + 4,\n    n / 2); }"
          "\n}\n"));
}

TEST(ReplayedTexts, StreamsAndNoArguments) {
  EXPECT_THAT(writtenWith("__global__ void k() {}\n"
                          "void host(cudaStream_t s) { k<<<1, 1, 0, s>>>(); }"),
              HasSubstr("{ for (catt::Replay cattReplay(\"k\", s); "
                        "cattReplay.next();) k<<<1, 1, 0, s>>>(); }"));
}

TEST(ReplayedTexts, WhatIsRefusedIsTimed) {
  EXPECT_THAT(writtenWith("__global__ void k(int n) {}\n"
                          "void host(int n) { k<<<1, 1>>>(n++); }"),
              HasSubstr("{ catt::Timed cattTimed(\"k\"); k<<<1, 1>>>(n++); }"));
}

TEST(Replayable, WhatOnlyComputes) {
  EXPECT_EQ(againstLaunch("k<<<(n + 31) / 32, dim3(32, 1)>>>(*p, n * 2);"), "");
  EXPECT_EQ(
      againstLaunch("k<<<blocks(n), 32>>>(&A[n], 3);",
                    "int blocks(int n) { int b = n; b /= 32; return b; }"),
      "");
  EXPECT_EQ(againstBody("for (int i = 0; i < n; ++i) A[i] += threadIdx.x;"),
            "");
  EXPECT_EQ(
      againstBody("__shared__ float s; s = n; __syncthreads(); A[0] = s;"), "");
  EXPECT_EQ(againstBody("atomicAdd(A, w[n]);", "__constant__ float w[9];\n"),
            "");
  EXPECT_EQ(
      againstBody("A[0] = t[n];", "__device__ const int t[2] = {1, 2};\n"), "");
  EXPECT_EQ(againstBody("A[0] = f(n);",
                        "__device__ int f(int n) { return n < 2 ? 1 : f(n - 1);"
                        " }\n"),
            "");
}

TEST(NotReplayable, LaunchesThatChangeSomething) {
  EXPECT_EQ(againstLaunch("k<<<1, 32>>>(A, n++);"),
            "a launch of it may not run twice: it changes 'n'");
  EXPECT_THAT(againstLaunch("k<<<n -= 1, 32>>>(A, 3);"),
              HasSubstr("it changes 'n'"));
  EXPECT_THAT(againstLaunch("(n++ ? k : k)<<<1, 32>>>(A, 3);"),
              HasSubstr("it changes 'n'"));
  EXPECT_THAT(againstLaunch("k<<<1, 32, n *= 2>>>(A, 3);"),
              HasSubstr("it changes 'n'"));
  EXPECT_THAT(againstLaunch("k<<<1, 32>>>(*p++, 3);"),
              HasSubstr("it changes 'p'"));
  EXPECT_THAT(againstLaunch("k<<<1, 32>>>(A, next());", "int next();\n"),
              HasSubstr("it calls next(), whose body is not in sight"));
  EXPECT_THAT(againstLaunch("k<<<1, 32>>>(A, next());",
                            "int all;\nint next() { return ++all; }\n"),
              HasSubstr("it changes 'all'"));
  EXPECT_THAT(againstLaunch("k<<<1, 32>>>(A, next(n));",
                            "int next(int &n) { return n += 2; }\n"),
              HasSubstr("it changes 'n'"));
  EXPECT_THAT(againstLaunch("k<<<1, 32>>>(A, next());",
                            "int next() { static int n; return n++; }\n"),
              HasSubstr("it changes 'n'"));
  EXPECT_THAT(againstLaunch("k<<<1, 32>>>(A, next(A));",
                            "int next(float *A) { A[0] = 3; return 1; }\n"),
              HasSubstr("it changes memory"));
  EXPECT_THAT(againstLaunch("k<<<1, 32>>>(A, f());",
                            "volatile int v;\nint f() { return v; }\n"),
              HasSubstr("it reads a volatile variable"));
  EXPECT_THAT(againstLaunch("int (*f)() = g; k<<<1, 32>>>(A, f());",
                            "int g() { return 1; }\n"),
              HasSubstr("a function through a pointer"));
  EXPECT_THAT(againstLaunch("k<<<1, 32>>>(new float[3], 1);"),
              HasSubstr("it takes memory by new"));
  EXPECT_THAT(againstLaunch("k<<<1, 32>>>(A, [](int m) { return m; }(n));"),
              HasSubstr("it is given a lambda that is written there"));
}

TEST(NotReplayable, ArgumentsThatCannotStandElsewhere) {
  const std::string Kernel =
      "struct M { float *A; int n; };\n"
      "__global__ void k(M m) { m.A[0] = m.n; }\nvoid host(float *A) { ";
  EXPECT_EQ(against(Kernel + "k<<<1, 1>>>({A, 3}); }")["k"],
            "a launch of it may not run twice: an argument in braces has no "
            "type of its own");
  EXPECT_EQ(againstLaunch("k<<<1, 32>>>(A, N(3));",
                          "struct N { int n; N(int n) : n(n) { "
                          "static_assert(sizeof(int) == 4, \"words\"); }\n"
                          "operator int() const { return n; } };\n"),
            "");
  EXPECT_EQ(against(Kernel + "k<<<1, 1>>>(M{A, 3}); }")["k"], "");
  EXPECT_THAT(againstLaunch("k<<<1, 32>>>(A, 3 // three\n + 1);"),
              HasSubstr("a macro or a comment cuts through an argument"));
}

TEST(NotReplayable, KernelsWithStateOfTheirOwn) {
  EXPECT_EQ(againstBody("atomicAdd(&total, n);", "__device__ int total;\n"),
            "it uses the variable 'total'");
  EXPECT_EQ(againstBody("A[0] = f();", "__device__ int total;\n"
                                       "__device__ int f() { return total++; "
                                       "}\n"),
            "it uses the variable 'total'");
  EXPECT_EQ(againstBody("A[0] = S::total;",
                        "struct S { static __device__ int total; };\n"),
            "it uses the variable 'total'");
  EXPECT_EQ(againstBody("*w.out = 1;", "struct W { int n; float *out; };\n"
                                       "__constant__ W w;\n"),
            "it follows pointers in the variable 'w'");
  EXPECT_EQ(againstBody("printf(\"%d\", n);"), "it calls printf()");
  EXPECT_EQ(
      againstBody("float *B = (float *)malloc(n); B[0] = 1; A[0] = B[0];"),
      "it calls malloc()");
  EXPECT_EQ(againstBody("float *B = new float[n]; A[0] = B[0];"),
            "it takes memory by new");
  EXPECT_THAT(againstBody("f(A);", "__device__ void f(float *);\n"),
              HasSubstr("it calls f(), whose body is not in this file"));
  EXPECT_THAT(againstBody("asm volatile(\"bogus.op;\");"),
              HasSubstr("it has inline assembly"));
}

TEST(NotReplayable, OneLaunchOfSeveralIsEnough) {
  auto Why =
      against("__global__ void k(int n) {}\n__global__ void m(int n) {}\n"
              "void host(int n) { k<<<1, 1>>>(n++); k<<<1, 1>>>(n); "
              "m<<<1, 1>>>(n); }");
  EXPECT_EQ(Why.size(), 1u);
  EXPECT_EQ(Why.count("k"), 1u);
}

TEST(NotReplayable, WhatIsNotNamedHasNoReason) {
  EXPECT_THAT(against("__global__ void k(int n) {}\n"
                      "void host(int n) { k<<<1, 1>>>(n++); }",
                      "other"),
              IsEmpty());
}

//===-- The file of results -----------------------------------------------===//

constexpr char TwoReplays[] =
    R"({"launches": [
      {"kernel": "k", "ms": [1, 2, 3, 4, 5, 6], "bytes": 4, "left": "a",
       "why": ""},
      {"kernel": "m", "ms": [7], "bytes": 4, "left": "c", "why": ""},
      {"kernel": "k", "ms": [10, 20, 30, 40, 50, 60, 70], "bytes": 4,
       "left": "b", "why": ""}]})";

TEST(ReplayResults, ReplaysAreDealtOutToGroups) {
  auto All = parseReplays(TwoReplays);
  ASSERT_TRUE(bool(All));
  ReplayedKernels Of = replayedKernels(*All, {{"k", 2}, {"m", 1}}, 3);
  // 1 and 4 with 10, 40 and 70; 2 and 5 with 20 and 50; 3 and 6 with 30 and 60.
  EXPECT_THAT(Of.Ms["k"], ElementsAre(42.5, 38.5, 49.5));
  EXPECT_THAT(Of.Ms["m"], ElementsAre(7));
  EXPECT_THAT(Of.Left["k"], ElementsAre("a", "b"));
  EXPECT_EQ(Of.Times["k"], 13);
  EXPECT_THAT(Of.Why, IsEmpty());
  EXPECT_THAT(replayedKernels(*All, {{"k", 2}}, 1).Ms["k"], ElementsAre(43.5));
}

TEST(ReplayResults, AnotherNumberOfLaunchesIsNoResult) {
  auto All = parseReplays(TwoReplays);
  ASSERT_TRUE(bool(All));
  ReplayedKernels Of =
      replayedKernels(*All, {{"k", 3}, {"m", 1}, {"other", 1}}, 3);
  EXPECT_EQ(Of.Why["k"], "it was launched 2 times where it was 3 times");
  EXPECT_EQ(Of.Why["other"], "it was launched 0 times where it was 1 times");
  EXPECT_EQ(Of.Ms.size(), 1u);
}

TEST(ReplayResults, OneThatFailedIsNone) {
  auto All = parseReplays(
      R"({"launches": [{"kernel": "k", "ms": [1], "left": "a", "why": ""},
          {"kernel": "k", "ms": [], "left": "0", "why": "so it is"},
          {"kernel": "m", "ms": [], "left": "0", "why": ""}]})");
  ASSERT_TRUE(bool(All));
  ReplayedKernels Of = replayedKernels(*All, {{"k", 2}, {"m", 1}}, 3);
  EXPECT_EQ(Of.Why["k"], "so it is");
  EXPECT_EQ(Of.Why["m"], "it has no times");
  EXPECT_THAT(Of.Ms, IsEmpty());
}

TEST(ReplayResults, OtherFilesAreRefused) {
  for (
      const char *Bad :
      {"", "[]", "{}", R"({"launches": 3})", R"({"launches": [3]})",
       R"({"launches": [{"kernel": "k", "ms": [1], "left": "a"}]})",
       R"({"launches": [{"kernel": "k", "ms": 1, "left": "", "why": ""}]})",
       R"({"launches": [{"kernel": "k", "ms": ["1"], "left": "", "why": ""}]})",
       R"({"launches": [{"ms": [1], "left": "", "why": ""}]})"}) {
    auto All = parseReplays(Bad);
    EXPECT_FALSE(bool(All)) << Bad;
    llvm::consumeError(All.takeError());
  }
}

TEST(ReplayResults, WhatIsAskedFor) {
  EXPECT_EQ(replayOrder({{"m", 1}, {"k", 2}}), "k=2,m=1");
  EXPECT_EQ(replayOrder({}), "");
}

TEST(ReplayResults, AreSaid) {
  Replaying Of;
  EXPECT_EQ(remarksOn(Of), "");
  Of.Launches = {{"k", 1}, {"m", 2}};
  Of.Without["n"] = "it prints";
  EXPECT_EQ(remarksOn(Of), "Replayed alone: k (1 launch), m (2 launches).\n"
                           "Kernel 'n' is not replayed: it prints.\n");
}

} // namespace
