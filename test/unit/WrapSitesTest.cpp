//===- WrapSitesTest.cpp - Where warp groups can go, and where not -*- C++
//-*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SourceTesting.h"
#include "gmock/gmock.h"

using namespace catt;
using namespace catt::testing;

namespace {

std::string first(const Parsed &P, unsigned LoopId) {
  const Loop &L = P.kernel().Loops[LoopId];
  if (L.Site) {
    std::string Text = P.text(L.Site->Span);
    return Text.substr(0, Text.find('\n'));
  }
  std::string Reasons = "refused";
  for (const Refusal &R : L.Refusals)
    Reasons += " " + std::to_string(int(R.Kind)) + ":" + R.Detail;
  return Reasons;
}

/// The first line of the site of a loop in a kernel body.
std::string site(llvm::StringRef Body, unsigned LoopId = 0,
                 llvm::StringRef Before = "") {
  return first(parseSnippet((Before +
                             "\n__global__ void k(float *A, float *x, int n, "
                             "int m, volatile int *flag, int *lock) {\n"
                             "int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "int u = blockIdx.x;\n" +
                             Body + "\n}\n")
                                .str()),
               LoopId);
}

std::vector<Reason> refusals(llvm::StringRef Body, unsigned LoopId = 0,
                             llvm::StringRef Before = "") {
  Parsed P = parseSnippet((Before +
                           "\n__global__ void k(float *A, float *x, int n, "
                           "int m, volatile int *flag, int *lock) {\n"
                           "int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                           "int u = blockIdx.x;\n" +
                           Body + "\n}\n")
                              .str());
  std::vector<Reason> Result;
  const Loop &L = P.kernel().Loops[LoopId];
  EXPECT_FALSE(L.Site) << first(P, LoopId);
  for (const Refusal &R : L.Refusals)
    Result.push_back(R.Kind);
  return Result;
}

using ::testing::Contains;

TEST(WrapSites, positiveTheLoopItself) {
  EXPECT_EQ(site("for (int j = 0; j < m; ++j) A[i * m + j] = 0;"),
            "for (int j = 0; j < m; ++j) A[i * m + j] = 0;");
}
TEST(WrapSites, positiveOutsideTheGuard) {
  EXPECT_EQ(
      site("if (i < n) {\n for (int j = 0; j < m; ++j) A[i * m + j] = 0;\n}"),
      "if (i < n) {");
}
TEST(WrapSites, positiveInsideAUniformGuard) {
  EXPECT_EQ(
      site("if (u < n) {\n for (int j = 0; j < m; ++j) A[i * m + j] = 0;\n}"),
      "for (int j = 0; j < m; ++j) A[i * m + j] = 0;");
}
TEST(WrapSites, positiveAfterAReturn) {
  Parsed P =
      parseSnippet("__global__ void k(float *A, int n, int m) {\n"
                   "  int i = threadIdx.x;\n  if (i >= n) return;\n"
                   "  for (int j = 0; j < m; ++j) A[i * m + j] = 0;\n}\n");
  ASSERT_TRUE(P.kernel().Loops[0].Site);
  EXPECT_TRUE(P.kernel().Loops[0].Site->NeedsSm70);
}
TEST(WrapSites, positiveAfterAUniformReturn) {
  Parsed P =
      parseSnippet("__global__ void k(float *A, int n, int m) {\n"
                   "  int i = threadIdx.x;\n  if (blockIdx.x >= n) return;\n"
                   "  for (int j = 0; j < m; ++j) A[i * m + j] = 0;\n}\n");
  ASSERT_TRUE(P.kernel().Loops[0].Site);
  EXPECT_FALSE(P.kernel().Loops[0].Site->NeedsSm70);
}
TEST(WrapSites, positiveReturnInside) {
  Parsed P = parseSnippet(
      "__global__ void k(float *A, int n, int m) {\n"
      "  int i = threadIdx.x;\n"
      "  for (int j = 0; j < m; ++j) if (A[i * m + j] > 0) return;\n}\n");
  ASSERT_TRUE(P.kernel().Loops[0].Site);
  EXPECT_TRUE(P.kernel().Loops[0].Site->NeedsSm70);
}
TEST(WrapSites, positivePragmaIsLeftToTheEdit) {
  EXPECT_EQ(
      site("#pragma unroll 4\nfor (int j = 0; j < m; ++j) A[i * m + j] = 0;"),
      "for (int j = 0; j < m; ++j) A[i * m + j] = 0;");
}
TEST(WrapSites, positiveUnbracedBodyKeepsItsSemicolon) {
  Parsed P = parseSnippet("__global__ void k(float *A, int m) {\n"
                          "  if (threadIdx.x < 3)\n"
                          "    for (int j = 0; j < m; ++j)\n"
                          "      A[j] += 1 ;\n}\n");
  ASSERT_TRUE(P.kernel().Loops[0].Site);
  EXPECT_EQ(P.text(P.kernel().Loops[0].Site->Span).back(), ';');
}
TEST(WrapSites, positiveUniformOuterLoop) {
  Parsed P = parseSnippet(
      "__global__ void k(float *A, int n, int m) {\n"
      "  for (int t = 0; t < n; ++t)\n"
      "    for (int j = 0; j < m; ++j) A[threadIdx.x * m + j] = 0;\n}\n");
  ASSERT_TRUE(P.kernel().Loops[1].Site);
  EXPECT_THAT(P.kernel().Loops[1].Site->RepeatedBy, ::testing::ElementsAre(0u));
}
TEST(WrapSites, positiveDivergentOuterLoopIsWrappedWhole) {
  EXPECT_EQ(site("for (int t = threadIdx.x; t < n; t += blockDim.x)\n"
                 "  for (int j = 0; j < m; ++j) A[t * m + j] = 0;",
                 1),
            "for (int t = threadIdx.x; t < n; t += blockDim.x)");
}
TEST(WrapSites, positiveCallThatHoldsTheLoop) {
  EXPECT_EQ(site("x[i] = dot(A + i * m, m);", 0,
                 "__device__ float dot(const float *a, int m) {\n"
                 "  float s = 0;\n  for (int j = 0; j < m; ++j) s += a[j];\n"
                 "  return s;\n}"),
            "for (int j = 0; j < m; ++j) s += a[j];");
}
TEST(WrapSites, positiveCallTwiceIsWrappedInTheKernel) {
  EXPECT_EQ(site("x[i] = dot(A + i * m, m);\nx[i] += dot(A, m);", 0,
                 "__device__ float dot(const float *a, int m) {\n"
                 "  float s = 0;\n  for (int j = 0; j < m; ++j) s += a[j];\n"
                 "  return s;\n}"),
            "x[i] = dot(A + i * m, m);");
}
TEST(WrapSites, positiveDeclarationTakesTheRest) {
  Parsed P = parseSnippet("__device__ float dot(const float *a, int m) {\n"
                          "  float s = 0;\n  for (int j = 0; j < m; ++j) s += "
                          "a[j];\n  return s;\n}\n"
                          "__global__ void k(float *A, float *x, int m) {\n"
                          "  float s = dot(A + threadIdx.x * m, m);\n"
                          "  float t = dot(A, m);\n"
                          "  x[threadIdx.x] = s + t;\n}\n");
  ASSERT_TRUE(P.kernel().Loops[0].Site);
  std::string Text = P.text(P.kernel().Loops[0].Site->Span);
  EXPECT_THAT(Text, ::testing::StartsWith("float s ="));
  EXPECT_THAT(Text, ::testing::EndsWith("x[threadIdx.x] = s + t;"));
}
TEST(WrapSites, positiveWholeMacro) {
  EXPECT_EQ(
      site("CLEAR(A);", 0,
           "#define CLEAR(P) for (int j = 0; j < m; ++j) P[i * m + j] = 0"),
      "CLEAR(A);");
}
TEST(WrapSites, positiveDataDependentLoop) {
  EXPECT_EQ(site("for (int j = lock[i]; j < lock[i + 1]; ++j) x[i] += A[j];"),
            "for (int j = lock[i]; j < lock[i + 1]; ++j) x[i] += A[j];");
}
TEST(WrapSites, positiveTile) {
  EXPECT_EQ(site("for (int j = 0; j < m; ++j) x[i] += __shfl_down_sync(~0u, "
                 "A[i * m + j], 1);"),
            "for (int j = 0; j < m; ++j) x[i] += __shfl_down_sync(~0u, A[i * m "
            "+ j], 1);");
}
TEST(WrapSites, positiveShuffleKeepsWarpsWhole) {
  Parsed P = parseSnippet(
      "__global__ void k(float *A, int m) {\n"
      "  for (int j = 0; j < m; ++j)\n"
      "    A[threadIdx.x * m + j] = __shfl_xor_sync(~0u, A[j], 1);\n}\n");
  ASSERT_TRUE(P.kernel().Loops[0].Site);
  EXPECT_TRUE(P.kernel().Loops[0].Site->WarpSynchronous);
}

TEST(WrapSites, negativeBarrierInside) {
  EXPECT_THAT(
      refusals("for (int j = 0; j < m; ++j) { A[i] = 0; __syncthreads(); }"),
      Contains(Reason::BarrierInside));
}
TEST(WrapSites, negativeBarrierInACallee) {
  EXPECT_THAT(refusals("for (int j = 0; j < m; ++j) step(A, i);", 0,
                       "__device__ void step(float *A, int i) { A[i] = 0; "
                       "__syncthreads(); }"),
              Contains(Reason::BarrierInside));
}
TEST(WrapSites, negativeBarrierInATemplateCallee) {
  EXPECT_THAT(refusals("for (int j = 0; j < m; ++j) step<4>(A, i);", 0,
                       "template <int N> __device__ void step(float *A, int i) "
                       "{ A[i] = N; __syncthreads(); }"),
              Contains(Reason::BarrierInside));
}
TEST(WrapSites, negativeCountingBarrier) {
  EXPECT_THAT(
      refusals(
          "for (int j = 0; j < m; ++j) A[i] += __syncthreads_count(j > i);"),
      Contains(Reason::BarrierInside));
}
TEST(WrapSites, negativePolling) {
  EXPECT_THAT(refusals("while (flag[0] == 0) {}"),
              Contains(Reason::WarpsCommunicate));
}
TEST(WrapSites, negativePollingThroughAVariable) {
  EXPECT_THAT(refusals("int f; do { f = flag[0]; x[i] = f; } while (f == 0);"),
              Contains(Reason::WarpsCommunicate));
}
TEST(WrapSites, negativePollingPlainMemory) {
  EXPECT_THAT(refusals("while (lock[0] == 0) { __threadfence(); }"),
              Contains(Reason::WarpsCommunicate));
}
TEST(WrapSites, negativePollingByBreak) {
  EXPECT_THAT(refusals("for (;;) { if (flag[1]) break; }"),
              Contains(Reason::WarpsCommunicate));
}
TEST(WrapSites, negativeLock) {
  EXPECT_THAT(refusals("while (atomicCAS(lock, 0, 1) != 0) {}\nA[0] += 1; "
                       "atomicExch(lock, 0);"),
              Contains(Reason::WarpsCommunicate));
}
TEST(WrapSites, negativeWorkQueue) {
  EXPECT_THAT(refusals("int t; while ((t = atomicAdd(lock, 1)) < n) A[t] = 0;"),
              Contains(Reason::WarpsCommunicate));
}
TEST(WrapSites, negativeSleep) {
  EXPECT_THAT(
      refusals("for (int j = 0; j < m; ++j) { A[i] = j; __nanosleep(10); }"),
      Contains(Reason::WarpsCommunicate));
}
TEST(WrapSites, negativeAssembly) {
  EXPECT_THAT(refusals("for (int j = 0; j < m; ++j) { A[i] = j; asm "
                       "volatile(\"bar.sync 1, 64;\"); }"),
              Contains(Reason::InlineAssembly));
}
TEST(WrapSites, positiveHarmlessAssembly) {
  EXPECT_EQ(
      site("for (int j = 0; j < m; ++j) asm(\"add.s32 %0, %0, 1;\" : "
           "\"+r\"(u));"),
      "for (int j = 0; j < m; ++j) asm(\"add.s32 %0, %0, 1;\" : \"+r\"(u));");
}
TEST(WrapSites, negativePragmaFromAMacro) {
  EXPECT_THAT(refusals("UNROLL for (int j = 0; j < m; ++j) A[i * m + j] = 0;",
                       0, "#define UNROLL _Pragma(\"unroll 4\")"),
              Contains(Reason::InMacro));
}
TEST(WrapSites, negativeGoto) {
  EXPECT_FALSE(refusals("for (int j = 0; j < m; ++j) { if (A[j] > 0) goto out; "
                        "}\nout: A[0] = 1;")
                   .empty());
}
TEST(WrapSites, negativeJumpBack) {
  EXPECT_FALSE(refusals("again: for (int j = 0; j < m; ++j) A[j] += 1;\nif "
                        "(A[0] < 3) goto again;")
                   .empty());
}
TEST(WrapSites, negativeContinueOfAnOuterLoopMovesTheSiteOut) {
  EXPECT_EQ(site("for (int t = 0; t < n; ++t) {\n"
                 "  if (m > 3) { for (int j = 0; j < m; ++j) A[i * m + j] = 0; "
                 "continue; }\n"
                 "  x[t] = 0;\n}",
                 1),
            "for (int j = 0; j < m; ++j) A[i * m + j] = 0;");
}
TEST(WrapSites, negativeABreakAmongWhatFollowsADeclaration) {
  // The declaration would take the break into the site with it.
  const char *Sum = "__device__ float sum(const float *a, int i, int m) {\n"
                    "  if (i > 7) return 0;\n"
                    "  float s = 0;\n"
                    "  for (int j = 0; j < m; ++j) s += a[i * m + j];\n"
                    "  return s;\n}";
  EXPECT_EQ(site("for (int t = 0; t < n; ++t) {\n"
                 "  float v = sum(A, i, m);\n  x[i] += v;\n}",
                 1, Sum),
            "float v = sum(A, i, m);");
  for (const char *Leave : {"break", "continue"})
    EXPECT_EQ(site("for (int t = 0; t < n; ++t) {\n"
                   "  float v = sum(A, i, m);\n  x[i] += v;\n"
                   "  if (t == m) " +
                       std::string(Leave) + ";\n  x[i] *= 2;\n}",
                   1, Sum),
              "for (int t = 0; t < n; ++t) {")
        << Leave;
}
TEST(WrapSites, negativeDivergentContinueMovesTheSiteOut) {
  EXPECT_EQ(site("for (int t = 0; t < n; ++t) {\n"
                 "  if (A[i] > 3) continue;\n"
                 "  for (int j = 0; j < m; ++j) A[i * m + j] = 0;\n}",
                 1),
            "for (int t = 0; t < n; ++t) {");
}
TEST(WrapSites, negativeSwitchIsTakenWhole) {
  EXPECT_EQ(site("switch (n) {\ncase 1:\n  for (int j = 0; j < m; ++j) A[i * m "
                 "+ j] = 0;\n  break;\n}"),
            "switch (n) {");
}
TEST(WrapSites, negativePartOfAMacro) {
  EXPECT_THAT(refusals("BOTH(A);", 0,
                       "#define BOTH(P) P[i] = 0; for (int j = 0; j < m; ++j) "
                       "P[i * m + j] = 0"),
              Contains(Reason::InMacro));
}
TEST(WrapSites, negativeMacroArgument) {
  EXPECT_THAT(refusals("TWICE(for (int j = 0; j < m; ++j) A[i * m + j] = 0;)",
                       0, "#define TWICE(S) S S"),
              Contains(Reason::InMacro));
}
TEST(WrapSites, negativeConditionalCompilation) {
  EXPECT_THAT(refusals("#if 1\nfor (int j = 0; j < m; ++j) {\n#else\nfor (int "
                       "j = 0; j < n; ++j) {\n#endif\n A[i * m + j] = 0;\n}"),
              Contains(Reason::InMacro));
}
TEST(WrapSites, negativeReturnInACalleeMovesTheSiteOut) {
  EXPECT_EQ(site("clear(A, i, m);", 0,
                 "__device__ void clear(float *a, int i, int m) {\n"
                 "  if (i > 7) return;\n"
                 "  for (int j = 0; j < m; ++j) a[i * m + j] = 0;\n}"),
            "clear(A, i, m);");
}
TEST(WrapSites, negativeConditionalCallMovesTheSiteOut) {
  EXPECT_EQ(site("x[i] = i > 3 ? dot(A, m) : 0;", 0,
                 "__device__ float dot(const float *a, int m) {\n"
                 "  float s = 0;\n  for (int j = 0; j < m; ++j) s += a[j];\n"
                 "  return s;\n}"),
            "x[i] = i > 3 ? dot(A, m) : 0;");
}
TEST(WrapSites, negativeUnknownFunction) {
  EXPECT_THAT(refusals("for (int j = 0; j < m; ++j) elsewhere(A, j);", 0,
                       "__device__ void elsewhere(float *, int);"),
              Contains(Reason::WarpsCommunicate));
}
TEST(WrapSites, negativeCooperativeGroup) {
  EXPECT_THAT(refusals("auto b = cooperative_groups::this_thread_block();\n"
                       "for (int j = 0; j < m; ++j) { A[i] = j; b.sync(); }",
                       0, "#include <cooperative_groups.h>"),
              Contains(Reason::BarrierInside));
}
TEST(WrapSites, positiveWarpTile) {
  EXPECT_EQ(site("auto t = "
                 "cooperative_groups::tiled_partition<32>(cooperative_groups::"
                 "this_thread_block());\n"
                 "for (int j = 0; j < m; ++j) { A[i] = j; t.sync(); }",
                 0, "#include <cooperative_groups.h>"),
            "for (int j = 0; j < m; ++j) { A[i] = j; t.sync(); }");
}
TEST(Kernels, positiveManyNestedCallsInAReturn) {
  std::string Code = "__device__ int f0(int x) { return x + 1; }\n";
  for (int I = 1; I < 12; ++I)
    Code += "__device__ int f" + std::to_string(I) + "(int x) { return f" +
            std::to_string(I - 1) + "(x) + f" + std::to_string(I - 1) +
            "(x + 1); }\n";
  Parsed P = parseSnippet(
      Code + "__global__ void k(float *A) { A[f9(threadIdx.x)] = 1; }\n");
  EXPECT_EQ(offsetOf(P.kernel(), "A[f9(threadIdx.x)]"),
            "2048*threadIdx.x + 11264");
}
TEST(Kernels, negativeTemplateWithDependentSharedMemory) {
  Parsed P =
      parseSnippet("template <class T> __global__ void k(T *A) {\n"
                   "  __shared__ T tile[32];\n  tile[threadIdx.x] = A[0];\n"
                   "  for (int j = 0; j < 4; ++j) A[j] = tile[j];\n}\n");
  ASSERT_EQ(P.Kernels.size(), 1u);
  ASSERT_EQ(P.kernel().Refusals.size(), 1u);
  EXPECT_EQ(P.kernel().Refusals[0].Kind, Reason::NotInstantiated);
}
TEST(WrapSites, negativeLoadedConditionIsDivergent) {
  EXPECT_EQ(site("if (lock[0] > 3) {\n  for (int j = 0; j < m; ++j) A[i * m + "
                 "j] = 0;\n}"),
            "if (lock[0] > 3) {");
}
TEST(WrapSites, negativeReassignedConditionIsDivergent) {
  EXPECT_EQ(site("int v = u; if (i > 3) v = 7;\nif (v > 3) {\n  for (int j = "
                 "0; j < m; ++j) A[i * m + j] = 0;\n}"),
            "if (v > 3) {");
}

} // namespace
