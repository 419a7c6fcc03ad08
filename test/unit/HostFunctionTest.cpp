//===- HostFunctionTest.cpp - Tests of transforms/HostFunction ------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transforms/HostFunction.h"
#include "SyntaxTesting.h"
#include "TransformTesting.h"
#include <gmock/gmock.h>

namespace catt {
namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::HasSubstr;

const std::vector<LaunchCase> Prefer = {{1, 0, 11}, {257, 0, 42}};
const std::vector<LaunchCase> Reserve = {{1, 0, {}}, {65, 16384, {}}};

/// A kernel launched once, by the configuration.
Workbench launched(const std::string &Configuration,
                   std::vector<LaunchCase> Cases,
                   const std::string &Before = "") {
  Workbench B("__global__ void k(int n) {\n}\n" + Before +
              "void host(int n, dim3 block) {\n  [[k" + Configuration +
              "(n);]]\n}\n");
  size_t K = B.kernel("k");
  Launch &L = B.launch(K, 0, "k");
  L.Text = Configuration;
  L.Block = {};
  unsigned End = B.text().find(">>>", B.Spans[0].Begin);
  L.SharedArgument = SourceSpan{FileName, End, End};
  B.plan(K).ByThreads = std::move(Cases);
  return B;
}

TEST(HostFunction, PositivePreferL1) {
  Workbench B = launched("<<<1, block>>>", Prefer);
  EXPECT_EQ(checked(B), R"cu(__global__ void k(int n) {
}
// catt: prefer-l1(2): by threads per block
static void cattPreferL1_k(dim3 block) {
  unsigned threads = block.x * block.y * block.z;
  (void)cudaFuncSetAttribute(k, cudaFuncAttributePreferredSharedMemoryCarveout,
                             threads >= 257 ? 42 : 11);
} // catt: done
void host(int n, dim3 block) {
  // catt: prefer-l1(2): by threads per block
  cattPreferL1_k(block); // catt: done
  k<<<1, block>>>(n);
}
)cu");
  for (bool Device : {false, true})
    EXPECT_TRUE(parsesAsCuda(B.rewritten(), Device));
}

TEST(HostFunction, PositiveReserve) {
  Workbench B = launched("<<<1, block>>>", Reserve);
  std::string New = checked(B);
  EXPECT_THAT(New, HasSubstr(R"cu(
static size_t cattReserve_k(dim3 block, size_t shared) {
  unsigned threads = block.x * block.y * block.z;
  shared += threads >= 65 ? 16384 : 0;
  if (shared > 49152)
    (void)cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               (int)shared);
  return shared;
} // catt: done
)cu"));
  EXPECT_THAT(New, HasSubstr(", cattReserve_k(block, 0)"));
}

TEST(HostFunction, PositiveReserveAddsToWhatTheLaunchAsksFor) {
  Workbench B = launched("<<<1, block, n * 4>>>", Reserve);
  Launch &L = B.R.Kernels[0].Source.Launches.back();
  unsigned At = B.text().find("n * 4");
  L.SharedArgument = SourceSpan{FileName, At, At + 5};
  B.R.Kernels[0].Source.StaticSharedBytes = 1024;
  std::string New = checked(B);
  EXPECT_THAT(New, HasSubstr("shared > 48128"));
  EXPECT_THAT(New, HasSubstr("cattReserve_k(block,  /* catt: begin */ n * 4 "
                             "/* catt: end */ )"));
}

TEST(HostFunction, PositiveBothAndBlocksOfOtherForms) {
  for (const char *Block :
       {"n", "n * 32", "dim3(n, 4)", "shape.block", "n > 3 ? 64 : 128"}) {
    Workbench B = launched("<<<1, " + std::string(Block) + ">>>",
                           {{1, 1024, 11}, {65, 2048, 20}});
    std::string New = checked(B);
    EXPECT_THAT(New, HasSubstr("cattPreferL1_k(" + std::string(Block) + ")"));
    EXPECT_THAT(New, HasSubstr("cattReserve_k(" + std::string(Block) + ", 0)"));
  }
}

TEST(HostFunction, PositiveScopeOfTheKernel) {
  Workbench B = launched("<<<1, block>>>", Prefer);
  B.R.Kernels[0].Source.Launches.back().Callee = "ns::k";
  EXPECT_THAT(checked(B), HasSubstr("  ns::cattPreferL1_k(block);"));
}

TEST(HostFunction, NegativeBlocksThatMayNotBeEvaluatedTwice) {
  for (const char *Block : {"next()", "n++", "n = 4", "dim3(f(n))", "a[n]",
                            "max(n, 32)", "[&] { return n; }()"}) {
    for (const std::vector<LaunchCase> &Cases : {Prefer, Reserve}) {
      Workbench B = launched("<<<1, " + std::string(Block) + ">>>", Cases);
      EXPECT_THAT(B.refusals(), Contains(Reason::LaunchNotEditable)) << Block;
      EXPECT_EQ(B.rewritten(), B.text());
    }
  }
}

TEST(HostFunction, NegativePlaces) {
  for (int What = 0; What < 6; ++What) {
    Workbench B = launched("<<<1, block>>>", Prefer);
    Kernel &K = B.R.Kernels[0].Source;
    Launch &L = K.Launches.back();
    if (What == 0)
      L.Statement.reset(); // a macro
    else if (What == 1)
      L.Statement->File = "/src/other.cu";
    else if (What == 2)
      L.Where.Column += 4; // inside of a larger statement
    else if (What == 3)
      L.Callee = "pointer";
    else if (What == 4)
      K.Name = "k<int>";
    else
      L.Text = "cudaLaunchKernel";
    EXPECT_THAT(B.refusals(), Contains(Reason::LaunchNotEditable)) << What;
    EXPECT_EQ(B.rewritten(), B.text()) << What;
  }
}

TEST(HostFunction, NegativeLaunchBeforeTheDefinition) {
  Workbench B("__global__ void k(int n);\nvoid host(int n) {\n"
              "  [[k<<<1, n>>>(n);]]\n}\n__global__ void k(int n) {\n}\n");
  size_t K = B.kernel("k");
  SourceSpan &Span = B.R.Kernels[K].Source.Span;
  Span.Begin = B.text().rfind("__global__");
  Span.End = B.text().size() - 1;
  Launch &L = B.launch(K, 0, "k");
  L.Text = "<<<1, n>>>";
  B.plan(K).ByThreads = Prefer;
  EXPECT_THAT(B.refusals(), Contains(Reason::LaunchNotEditable));
  EXPECT_EQ(B.rewritten(), B.text());
}

TEST(HostFunction, NegativeRewrittenBefore) {
  Workbench B = launched("<<<1, block>>>", Prefer,
                         "static void cattPreferL1_k(dim3 block) {}\n");
  EXPECT_THAT(B.refusals(), Contains(Reason::AlreadyRewritten));
  EXPECT_EQ(B.rewritten(), B.text());
}

TEST(HostFunction, NegativeSuppressedOrCooperative) {
  for (Reason Why : {Reason::Suppressed, Reason::BrokenCode}) {
    for (const std::vector<LaunchCase> &Cases : {Prefer, Reserve}) {
      Workbench B = launched("<<<1, block>>>", Cases);
      Location Where = B.R.Kernels[0].Source.Where;
      B.R.Kernels[0].Source.Refusals.push_back({Why, Where, ""});
      EXPECT_THAT(B.refusals(), Contains(Why));
      EXPECT_EQ(B.rewritten(), B.text());
    }
  }
  Workbench B = launched("<<<1, block>>>", Reserve);
  B.R.Kernels[0].Source.Launches.back().Cooperative = true;
  EXPECT_THAT(B.refusals(), Contains(Reason::CooperativeLaunch));
}

TEST(HostFunction, RevertRefusesWhatWasChangedByHand) {
  Workbench B = launched("<<<1, block>>>", Prefer);
  std::string New = B.rewritten();
  size_t At = New.find("unsigned threads");
  New.insert(At, "count();\n  ");
  EXPECT_THAT(reverted(New), HasSubstr("changed by hand"));
}

} // namespace
} // namespace catt
