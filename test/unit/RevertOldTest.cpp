//===- RevertOldTest.cpp - Tests of transforms/RevertOld -*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RewrittenTesting.h"
#include "TransformTesting.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace catt {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string Wrapped = "a;\n"
                            "// catt: split-warp-groups(2): why\n"
                            "for (unsigned cattGroup = 0; cattGroup * 128 < "
                            "blockDim.x; ++cattGroup) {\n"
                            "  if (threadIdx.x / 128 == cattGroup) { "
                            "// catt: begin\n"
                            "work();\n"
                            "  } // catt: end\n"
                            "  __syncthreads();\n"
                            "} // catt: done\n"
                            "b;\n";

std::string with(std::string Text, llvm::StringRef Old, llvm::StringRef New) {
  size_t At = Text.find(Old.str());
  EXPECT_NE(At, std::string::npos) << Old.str();
  return Text.replace(At, Old.size(), New.str());
}

TEST(RevertOld, PositiveWrap) {
  EXPECT_EQ(reverted(Wrapped), "a;\nwork();\nb;\n");
}

TEST(RevertOld, PositiveSizeChosenByTheRun) {
  std::string InTheHead =
      with(Wrapped, "cattGroup = 0;",
           "cattGroup = 0, cattThreads = n >= 32 ? 64 : n >= 8 ? 128 : 1024;");
  EXPECT_EQ(reverted(InTheHead), "a;\nwork();\nb;\n"); // as of version 0.1
  std::string Before =
      with(Wrapped, "for (unsigned cattG",
           "{\nunsigned cattThreads = 1024;\nif (n >= 8 && m >= 4)\n"
           "  cattThreads = 128;\nif (n >= 32)\n  cattThreads = 64;\n"
           "for (unsigned cattG");
  Before = with(Before, "  __syncthreads();\n",
                "  if (cattThreads < blockDim.x)\n__syncthreads();\n}\n");
  EXPECT_EQ(reverted(Before), "a;\nwork();\nb;\n");
}

TEST(RevertOld, NegativeSizeChosenByHand) {
  std::string Text = with(Wrapped, "for (unsigned cattG",
                          "{\nunsigned cattThreads = mine();\n"
                          "for (unsigned cattG");
  EXPECT_THAT(reverted(Text), StartsWith("error: /src/k.cu:2:"));
}

TEST(RevertOld, PositiveReformatted) {
  std::string Text = with(Wrapped, "; cattGroup *", ";\n     cattGroup *");
  Text = with(Text, "(2): why\n", "(2):\n// why\n");
  Text = with(Text, "++cattGroup) {", "++cattGroup)\n{");
  Text = with(Text, "threadIdx.x / 128", "threadIdx.x/128");
  EXPECT_EQ(reverted(Text), "a;\nwork();\nb;\n");
}

TEST(RevertOld, PositiveChangedNumberIsStillOurs) {
  EXPECT_EQ(reverted(with(with(Wrapped, "* 128", "* 64"), "/ 128", "/ 64")),
            "a;\nwork();\nb;\n");
}

TEST(RevertOld, PositiveEditedBodyStays) {
  EXPECT_EQ(reverted(with(Wrapped, "work();", "work();\nmore();")),
            "a;\nwork();\nmore();\nb;\n");
}

TEST(RevertOld, PositiveKeepsUserDirectives) {
  EXPECT_EQ(reverted("// catt: off\n" + Wrapped + "// catt: on\n"),
            "// catt: off\na;\nwork();\nb;\n// catt: on\n");
}

TEST(RevertOld, PositiveLastLineWithoutNewline) {
  std::string Text = Wrapped.substr(0, Wrapped.size() - 4); // up to "done"
  EXPECT_EQ(reverted(Text), "a;\nwork();\n");
}

/// Each way to damage one piece is an error that names file and line.
struct Damage {
  const char *Old, *New, *Where;
};

class DamagedOldMarkers : public ::testing::TestWithParam<Damage> {};

TEST_P(DamagedOldMarkers, NegativeIsAnError) {
  const Damage &D = GetParam();
  std::string Message = reverted(with(Wrapped, D.Old, D.New));
  EXPECT_THAT(Message, StartsWith("error: " + std::string(D.Where)));
  EXPECT_THAT(Message, HasSubstr("restore the lines"));
}

INSTANTIATE_TEST_SUITE_P(
    RevertOld, DamagedOldMarkers,
    ::testing::Values(
        Damage{"// catt: split-warp-groups(2): why\n", "", "/src/k.cu:3:"},
        Damage{" // catt: begin", "", "/src/k.cu:2:"},
        Damage{" // catt: begin", " // catt: begun", "/src/k.cu:2:"},
        Damage{" // catt: end", "", "/src/k.cu:8:"},
        Damage{" // catt: done", "", "/src/k.cu:6:"},
        Damage{"  } // catt: end\n  __syncthreads();\n} // catt: done\n", "",
               "/src/k.cu:2:"},
        Damage{"  __syncthreads();\n", "", "/src/k.cu:6:"},
        Damage{"__syncthreads();\n", "__syncthreads(); mine();\n",
               "/src/k.cu:6:"},
        Damage{"__syncthreads();\n", "// mine\n__syncthreads();\n",
               "/src/k.cu:6:"},
        Damage{"++cattGroup) {\n", "++cattGroup) { mine();\n", "/src/k.cu:2:"},
        Damage{"++cattGroup) {\n", "++cattGroup) { // mine\n", "/src/k.cu:2:"},
        Damage{"why\n", "why\n/* mine */\n", "/src/k.cu:2:"},
        Damage{"// catt: split-warp", "mine(); // catt: split-warp",
               "/src/k.cu:2:"},
        Damage{"  } // catt: end", "mine(); } // catt: end", "/src/k.cu:6:"},
        Damage{"// catt: done", "/* catt: done */", "/src/k.cu:6:"},
        Damage{"split-warp-groups(2)", "prefer-l1(2)", "/src/k.cu:2:"},
        Damage{"a;\n", "// catt: end\na;\n", "/src/k.cu:1:"},
        Damage{"b;\n", "// catt: done\nb;\n", "/src/k.cu:9:"},
        Damage{"b;\n", "// catt: prefer-l1(1)\n", "/src/k.cu:9:"}));

TEST(RevertOld, NegativeInlineSettingChangedByHand) {
  EXPECT_THAT(reverted("/* catt: prefer-l1(5) */ mine(); /* catt: done */ x;"),
              StartsWith("error: /src/k.cu:1:"));
}

//===-- What was written before there were hashes -------------------------===//

TEST(RevertOld, PositiveEveryTransform) {
  unsigned Count = 0;
  for (const auto &[New, Old] : rewrittenWithoutHashes()) {
    EXPECT_EQ(reverted(New), Old);
    ++Count;
  }
  EXPECT_GE(Count, 16u);
}

TEST(RevertOld, NegativeEveryTransformChangedByHand) {
  for (const auto &[New, Old] : rewrittenWithoutHashes()) {
    size_t Done = New.rfind("catt: done") - 3;
    std::string Changed = New.substr(0, Done) + " mine(); " + New.substr(Done);
    EXPECT_THAT(reverted(Changed), StartsWith("error: /src/k.cu:")) << Changed;
  }
}

/// Launches as version 0.1 changed them: a statement before, a sum as argument.
struct Launched {
  const char *New, *Old;
};

TEST(RevertOld, PositiveLaunchesOfVersion01) {
  const Launched All[] = {
      {"// catt: prefer-l1(11): why\n(void)cudaFuncSetAttribute(k, "
       "cudaFuncAttributePreferredSharedMemoryCarveout,\n  11); // catt: done\n"
       "k<<<1, 2>>>();\n",
       "k<<<1, 2>>>();\n"},
      {"/* catt: reserve-shared(9) */ (void)cudaFuncSetAttribute(k, A, 9); "
       "/* catt: done */ k<<<1, 2, /* catt: reserve-shared(9) */ ( "
       "/* catt: begin */ n /* catt: end */ ) + 9 /* catt: done */>>>();",
       "k<<<1, 2, n>>>();"},
      {"k<<<1, 2/* catt: reserve-shared(9) */ , 9 /* catt: done */ >>>();",
       "k<<<1, 2>>>();"},
      {"k<<<1, 2/* catt: reserve-shared(9) */ , N::cattReserve_k(2, 0) "
       "/* catt: done */ >>>();",
       "k<<<1, 2>>>();"},
      {"k<<<1, 2, /* catt: reserve-shared(9) */ cattReserve_k(2, "
       "/* catt: begin */ n /* catt: end */ ) /* catt: done */>>>();",
       "k<<<1, 2, n>>>();"},
      {"// catt: reserve-shared(9)\nstatic size_t cattReserve_k(dim3 block, "
       "size_t shared) {\nunsigned threads = block.x;\nshared += threads > 9 ? "
       "9 : 0;\nif (shared > 48)\n(void)cudaFuncSetAttribute(k, A, shared);\n"
       "return shared;\n} // catt: done\nx;",
       "x;"},
      {"// catt: prefer-l1(2)\nstatic void cattPreferL1_k(dim3 block) {\n"
       "unsigned threads = block.x;\n(void)cudaFuncSetAttribute(k, A, "
       "threads);\n} // catt: done\n/* catt: prefer-l1(2) */ "
       "cattPreferL1_k(2); /* catt: done */ k<<<1, 2>>>();",
       "k<<<1, 2>>>();"},
  };
  for (const Launched &L : All)
    EXPECT_EQ(reverted(L.New), L.Old);
}

} // namespace
} // namespace catt
