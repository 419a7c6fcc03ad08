//===- LaunchEditTest.cpp - Tests of transforms/LaunchEdit ----------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transforms/LaunchEdit.h"
#include "TransformTesting.h"
#include <gmock/gmock.h>

namespace catt {
namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::HasSubstr;

const std::vector<LaunchCase> Prefer = {{1, 0, 11}, {257, 0, 42}};
const std::vector<LaunchCase> Reserve = {{1, 0, {}}, {65, 16384, {}}};

/// A kernel launched once, with a block that only the run knows.
Workbench launched(const std::string &Block, std::vector<LaunchCase> Cases,
                   const std::string &Before = "") {
  Workbench B("__global__ void k(int n) {\n}\n" + Before +
              "void host(int n, dim3 block) {\n  [[k<<<1, " + Block +
              ">>>(n);]]\n}\n");
  size_t K = B.kernel("k");
  Launch &L = B.launch(K, 0, "k");
  L.Block = {};
  L.Written->PlainBlock = Block;
  B.plan(K).ByThreads = std::move(Cases);
  return B;
}

TEST(LaunchEdit, PositiveByThreads) {
  Workbench B = launched("block", Prefer);
  EXPECT_REWRITE(B, HasSubstr("cattPreferL1(k, 0, cattThreads(block) >= "
                              "257 ? 42 : 11) /* catt: done */ >>>"));
  Workbench C = launched("dim3(n, 4)", Reserve);
  EXPECT_REWRITE(C, HasSubstr("cattShared(k, 0, cattThreads(dim3(n, 4)) "
                              ">= 65 ? 16384 : 0)"));
  for (bool Device : {false, true}) {
    EXPECT_TRUE(parsesAsCuda(B.rewritten(), Device)) << B.rewritten();
    EXPECT_TRUE(parsesAsCuda(C.rewritten(), Device)) << C.rewritten();
  }
}

TEST(LaunchEdit, PositiveBothByThreads) {
  Workbench B = launched("n", {{1, 1024, 11}, {65, 2048, 20}});
  EXPECT_REWRITE(
      B, HasSubstr("cattShared(k, cattPreferL1(k, 0, cattThreads(n) >= 65 "
                   "? 20 : 11), cattThreads(n) >= 65 ? 2048 : 1024)"));
}

TEST(LaunchEdit, NegativeBlocksThatMayNotBeEvaluatedTwice) {
  for (const std::vector<LaunchCase> &Cases : {Prefer, Reserve}) {
    Workbench B = launched("next()", Cases);
    B.R.Kernels[0].Source.Launches.back().Written->PlainBlock.clear();
    EXPECT_THAT(B.refusals(), Contains(Reason::LaunchNotEditable));
    EXPECT_EQ(B.rewritten(), B.text());
  }
}

TEST(LaunchEdit, NegativeBlocksThatRevertWouldNotKnow) {
  for (const char *Block : {"dim3{4}", "n /* x */", "n // x\n"}) {
    Workbench B = launched(Block, Prefer);
    EXPECT_THAT(B.refusals(), Contains(Reason::LaunchNotEditable)) << Block;
  }
}

TEST(LaunchEdit, NegativeSuppressedOrCooperative) {
  for (Reason Why : {Reason::Suppressed, Reason::BrokenCode})
    for (const std::vector<LaunchCase> &Cases : {Prefer, Reserve}) {
      Workbench B = launched("block", Cases);
      Location Where = B.R.Kernels[0].Source.Where;
      B.R.Kernels[0].Source.Refusals.push_back({Why, Where, ""});
      EXPECT_THAT(B.refusals(), Contains(Why));
      EXPECT_EQ(B.rewritten(), B.text());
    }
  Workbench B = launched("block", Reserve);
  B.R.Kernels[0].Source.Launches.back().Cooperative = true;
  EXPECT_THAT(B.refusals(), Contains(Reason::CooperativeLaunch));
}

TEST(LaunchEdit, PositiveAboveWhatBelongsToTheDeclaration) {
  Workbench B = launched("n", Prefer, "int x;\n\n// Hosts\n// all.\n");
  EXPECT_REWRITE(
      B, HasSubstr("#endif // catt: done\n// Hosts\n// all.\nvoid host"));
}

TEST(LaunchEdit, NegativeNoPlaceAbove) {
  // A declaration behind an attribute, a pragma or an unfinished macro.
  for (const char *Before : {"[[nodiscard]]\n", "#pragma omp declare simd\n",
                             "PREFIX(x)\n", "template <class T>\n"}) {
    Workbench B = launched("n", Prefer, Before);
    B.R.Kernels[0].Source.Launches.back().Written->Tops.resize(1);
    EXPECT_THAT(B.refusals(), Contains(Reason::LaunchNotEditable)) << Before;
  }
}

TEST(LaunchEdit, RevertRefusesWhatWasChangedByHand) {
  Workbench B = launched("block", Prefer);
  std::string New = B.rewritten();
  New.insert(New.find("return bytes"), "count();\n  ");
  EXPECT_THAT(reverted(New), HasSubstr("changed by hand"));
}

TEST(LaunchEdit, RevertOfVersion01) {
  // What 0.1 wrote goes as it came.
  EXPECT_EQ(
      reverted(
          "// catt: prefer-l1(2): by threads per block\n"
          "static void cattPreferL1_k(dim3 block) {\n"
          "  unsigned threads = block.x * block.y * block.z;\n"
          "  (void)cudaFuncSetAttribute(k, c, threads >= 257 ? 4 : 1);\n"
          "} // catt: done\nvoid host() {\n"
          "  // catt: prefer-l1(2): by threads per block\n"
          "  cattPreferL1_k(block); // catt: done\n"
          "  k<<<1, block/* catt: reserve-shared(9) */ , 9 /* catt: done */ "
          ">>>(n);\n"
          "  k<<<1, 2, /* catt: reserve-shared(9) */ ( /* catt: begin */ n"
          " /* catt: end */ ) + 9 /* catt: done */>>>(n);\n}\n"),
      "void host() {\n  k<<<1, block>>>(n);\n  k<<<1, 2, n>>>(n);\n}\n");
}

} // namespace
} // namespace catt
