//===- SplitWarpGroupsTest.cpp - Tests of transforms/SplitWarpGroups -*- C++
//-*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SnippetBench.h"
#include "TransformTesting.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace catt {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

//===-- What is written ---------------------------------------------------===//

TEST(SplitWarpGroups, PositiveWholeStatement) {
  Workbench B(R"cu(
__global__ void k(const float *A, float *y, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  [[if (i < n) {
    float s = 0; // the row
    for (int j = 0; j < m; ++j)
      s += A[i * m + j];
    y[i] = s;
  }]]
}
)cu");
  B.split(B.kernel("k"), 0, 2, 4);
  EXPECT_REWRITE(B, R"cu(
__global__ void k(const float *A, float *y, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // catt: split-warp-groups(2): 4 of 8 warps at a time, 512 KiB of cache lines
  // for 208 KiB of L1D
  for (unsigned cattGroup = 0; cattGroup * 128 < blockDim.x; ++cattGroup) {
    if (threadIdx.x / 128 == cattGroup) { // catt: begin
  if (i < n) {
    float s = 0; // the row
    for (int j = 0; j < m; ++j)
      s += A[i * m + j];
    y[i] = s;
  }
    } // catt: end
    __syncthreads();
  } // catt: done
}
)cu");
  Edits E = B.edits();
  ASSERT_EQ(E.Done.size(), 1u);
  EXPECT_TRUE(E.Done[0].By->writes(Part::Groups));
  EXPECT_EQ(E.Done[0].Summary, "split into 2 warp groups of 4 warps");
  EXPECT_EQ(E.Done[0].Where.Line, 4u);
}

/// A kernel of one marked statement, split in 8 groups of 1 warp.
Workbench simple(llvm::StringRef Body = "  [[work();]]\n") {
  Workbench B(("__global__ void k(int n) {\n" + Body + "}\n").str());
  B.split(B.kernel("k"), 0, 8, 1);
  return B;
}

TEST(SplitWarpGroups, PositiveTwoDimensions) {
  Workbench B = simple();
  B.R.Kernels[0].Source.Launches[0].Block = {16, 16, 1};
  std::string New = B.checked();
  EXPECT_THAT(New, HasSubstr("cattGroup * 32 < blockDim.x * blockDim.y;"));
  EXPECT_THAT(New,
              HasSubstr("(threadIdx.x + blockDim.x * threadIdx.y) / 32 =="));
}

TEST(SplitWarpGroups, PositiveThreeDimensionsWhereNothingIsKnown) {
  for (int What = 0; What < 3; ++What) {
    Workbench B = simple();
    std::vector<Launch> &Launches = B.R.Kernels[0].Source.Launches;
    if (What == 0)
      Launches[0].Block = {8, 8, 4};
    else if (What == 1)
      Launches[0].Block.Z.reset();
    else
      Launches.clear();
    std::string New = B.checked();
    EXPECT_THAT(New, HasSubstr("blockDim.x * blockDim.y * blockDim.z;"));
    EXPECT_THAT(New, HasSubstr("(threadIdx.y + blockDim.y * threadIdx.z)"));
  }
}

TEST(SplitWarpGroups, PositiveWarpsThatWorkTogetherStayWhole) {
  // A launch with 2-D blocks elsewhere would divide warps by x alone.
  Workbench B = simple();
  B.R.Kernels[0].Source.Loops[0].Site->WarpSynchronous = true;
  EXPECT_REWRITE(B, HasSubstr("blockDim.x * blockDim.y * blockDim.z;"));
  B.R.Kernels[0].Source.AllLaunchesVisible = true;
  EXPECT_REWRITE(B, HasSubstr("cattGroup * 32 < blockDim.x;"));
}

TEST(SplitWarpGroups, PositiveOneOddLaunchDecidesTheForm) {
  Workbench B = simple();
  Launch Other = B.R.Kernels[0].Source.Launches[0];
  Other.Block = {32, 2, 1};
  B.R.Kernels[0].Source.Launches.push_back(Other);
  EXPECT_REWRITE(B, HasSubstr("blockDim.x * blockDim.y;"));
}

TEST(SplitWarpGroups, PositiveUnbracedBodyKeepsOneStatement) {
  Workbench B(R"cu(__global__ void k(int n) {
  if (n > 4)
    [[for (int j = 0; j < n; ++j)
      work(j);]]
  else
    rest();
}
)cu");
  B.split(B.kernel("k"), 0, 4, 2).Cases = {{"n", 8, 4}, {"n", 32, 2}};
  EXPECT_REWRITE(B, R"cu(__global__ void k(int n) {
  if (n > 4)
    // catt: split-warp-groups(4): by n, 512 KiB of cache lines for 208 KiB of
    // L1D
    {
      auto cattLoop = [&]() __attribute__((always_inline)) {
      // catt: begin
    for (int j = 0; j < n; ++j)
      work(j);
      }; // catt: end
      unsigned cattThreads = 1024;
      if (n >= 8)
        cattThreads = 128;
      if (n >= 32)
        cattThreads = 64;
      if (cattThreads >= blockDim.x) {
        cattLoop();
      } else {
        for (unsigned cattFirst = 0; cattFirst < blockDim.x;
             cattFirst += cattThreads) {
          if (threadIdx.x >= cattFirst && threadIdx.x < cattFirst + cattThreads)
            cattLoop();
          __syncthreads();
        }
      }
    } // catt: done
  else
    rest();
}
)cu");
  EXPECT_EQ(B.edits().Done[0].Summary, "split into up to 4 warp groups, by n");
}

TEST(SplitWarpGroups, PositiveNegativeBoundIsComparedAsSigned) {
  Workbench B("__global__ void k(long long n) {\n  [[work();]]\n}\n");
  B.split(B.kernel("k"), 0, 8, 1).Cases = {{"n", -5, 4}, {"n", 4294967296, 2}};
  EXPECT_REWRITE(B, HasSubstr("(long long)n >= -5"));
  EXPECT_REWRITE(B, HasSubstr("n >= 4294967296)"));
}

TEST(SplitWarpGroups, PositivePragmaStaysWithItsLoop) {
  Workbench B = simple("#pragma unroll 4\n  [[for (;;) work();]]\n");
  EXPECT_REWRITE(B, HasSubstr("// catt: begin\n"
                              "#pragma unroll 4\n  for (;;) work();\n"));
  Workbench C = simple("  _Pragma(\"unroll\") [[for (;;) work();]]\n");
  EXPECT_REWRITE(C,
                 HasSubstr("/* catt: begin */ _Pragma(\"unroll\") for (;;)"));
}

TEST(SplitWarpGroups, PositiveInline) {
  Workbench B = simple("  a(); [[b();]] c();\n");
  B.loop(0).Site->OwnLines = false;
  EXPECT_REWRITE(
      B,
      "__global__ void k(int n) {\n"
      "  a(); /* catt: split-warp-groups(8) */ for (unsigned cattGroup = 0; "
      "cattGroup * 32 < blockDim.x; ++cattGroup) { if (threadIdx.x / 32 == "
      "cattGroup) { /* catt: begin */ b(); /* catt: end */ } __syncthreads(); "
      "} /* catt: done */ c();\n}\n");
}

TEST(SplitWarpGroups, PositiveSharedLineIsSeenInTheText) {
  // OwnLines says otherwise; the text is right.
  for (const char *Body :
       {"  a(); [[b();]]\n", "  [[b();]] c();\n", "  /* x */ [[b();]]\n",
        "  /* x\n */ [[b();]]\n", "  [[b();]] /* x\n */ c();\n",
        "  [[b();]] \\\n c();\n"}) {
    Workbench B = simple(Body);
    EXPECT_REWRITE(B, HasSubstr("/* catt: begin */ b(); /* catt: end */"))
        << Body;
  }
}

TEST(SplitWarpGroups, PositiveTrailingComments) {
  for (const char *Body :
       {"  [[b();]] // x\n", "  [[b();]] // x \\\n y\n", "  [[b();]] /* x */\n",
        "  [[b();]] /* x\n y */ // z\n"}) {
    Workbench B = simple(Body);
    std::string Kept = Body;
    Kept = "// catt: begin\n  " + Kept.substr(4);
    Kept.erase(Kept.find("]]"), 2);
    EXPECT_REWRITE(B, HasSubstr(Kept + "    } // catt: end\n"));
  }
}

TEST(SplitWarpGroups, PositiveRawStringsAndMacrosInside) {
  Workbench B = simple("  [[s = R\"(\n) \n// catt: done\n#else\n)\";\n"
                       "  FOR_EACH(i) work(i);]]\n");
  EXPECT_REWRITE(B, HasSubstr("// catt: begin\n  s = R\"(\n) \n"));
}

TEST(SplitWarpGroups, PositiveBalancedConditionals) {
  Workbench B = simple("  [[a();\n#if X\n  b();\n#else\n  c();\n#endif\n"
                       "  d();]]\n");
  EXPECT_REWRITE(B, HasSubstr("  d();\n    } // catt: end\n"));
}

TEST(SplitWarpGroups, PositiveLineEndingsAndByteOrderMark) {
  Workbench B("\xEF\xBB\xBF__global__ void k(int n) {\r\n  [[w();]]\r\n}");
  B.split(B.kernel("k"), 0, 8, 1);
  std::string New = B.checked();
  EXPECT_THAT(New, HasSubstr("++cattGroup) {\r\n    if ("));
  EXPECT_EQ(llvm::StringRef(New).count('\n'),
            llvm::StringRef(New).count("\r\n"));
  EXPECT_TRUE(llvm::StringRef(New).starts_with("\xEF\xBB\xBF__global__"));
  EXPECT_TRUE(llvm::StringRef(New).ends_with("// catt: done\r\n}"));
}

TEST(SplitWarpGroups, PositiveTabsAndWideIndentation) {
  Workbench B("__global__ void k(int n)\n{\n\t[[w();]]\n}\n");
  B.split(B.kernel("k"), 0, 8, 1);
  EXPECT_REWRITE(B, HasSubstr("\n\tfor (unsigned cattGroup = 0; "));
  EXPECT_REWRITE(B, HasSubstr("\n\t\tif (threadIdx.x / 32"));
  Workbench C("__global__ void k(int n) {\n    [[w();]]\n}\n");
  C.split(C.kernel("k"), 0, 8, 1);
  EXPECT_REWRITE(C, HasSubstr("\n        if (threadIdx.x / 32"));
}

TEST(SplitWarpGroups, PositiveOwnStyle) {
  for (const char *Name : {"LLVM", "Google", "Microsoft", "GNU", "WebKit",
                           "Mozilla", "Chromium"}) {
    clang::format::FormatStyle Style;
    ASSERT_TRUE(clang::format::getPredefinedStyle(
        Name, clang::format::FormatStyle::LK_Cpp, &Style));
    Workbench B = simple();
    B.R.Kernels[0].Source.Launches.clear(); // the longest form
    B.Rewriting.How.Styles[FileName] = Style;
    std::string New = B.checked();
    EXPECT_THAT(New, HasSubstr("\n  work();\n")) << Name;
    EXPECT_THAT(New, Not(HasSubstr("cattEnclosed"))) << Name;
    if (Style.ColumnLimit) {
      llvm::SmallVector<llvm::StringRef> Lines;
      llvm::StringRef(New).split(Lines, '\n');
      for (llvm::StringRef Line : Lines)
        EXPECT_LE(Line.size(), Style.ColumnLimit) << Name;
    }
    // Reformatting the whole file does not lose what revert needs.
    clang::tooling::Range All(0, New.size());
    std::string Again = llvm::cantFail(clang::tooling::applyAllReplacements(
        New, clang::format::reformat(Style, New, All)));
    EXPECT_THAT(reverted(Again), Not(HasSubstr("catt"))) << Name;
  }
}

TEST(SplitWarpGroups, PositiveBraceOnItsOwnLine) {
  Workbench B = simple();
  B.Rewriting.How.Styles[FileName] =
      clang::format::getMicrosoftStyle(clang::format::FormatStyle::LK_Cpp);
  EXPECT_REWRITE(B, HasSubstr("++cattGroup)\n  {\n      if (threadIdx.x "
                              "/ 32 == cattGroup)\n      { // catt: "
                              "begin\n  work();\n      } // catt: end\n"));
}

TEST(SplitWarpGroups, PositiveNamesThatAreFree) {
  Workbench B = simple("  int cattGroup = n, cattGroup2 = 0, cattFirst = 0;\n"
                       "  [[cattLoop(cattGroup, cattThreads);]]\n");
  EXPECT_REWRITE(B, HasSubstr("unsigned cattGroup3 = 0;"));
  B.plan(0).Loops[0].Cases = {{"n", 8, 4}};
  EXPECT_REWRITE(B, HasSubstr("auto cattLoop2 = [&]()"));
  EXPECT_REWRITE(B, HasSubstr("unsigned cattThreads2 = n >= 8 ? 128 : 1024;"));
  EXPECT_REWRITE(B, HasSubstr("for (unsigned cattFirst2 = 0;"));
}

TEST(SplitWarpGroups, PositiveNumberOfAThreadIsNamedWhereTheRunDecides) {
  Workbench B = simple();
  Launch Other = B.R.Kernels[0].Source.Launches[0];
  Other.Block = {32, 2, 1};
  B.R.Kernels[0].Source.Launches.push_back(Other);
  B.plan(0).Loops[0].Cases = {{"n", 8, 4}};
  EXPECT_REWRITE(
      B, HasSubstr("    const unsigned cattThread = threadIdx.x + blockDim.x * "
                   "threadIdx.y;\n"
                   "    unsigned cattThreads = n >= 8 ? 128 : 1024;\n"));
  EXPECT_REWRITE(B, HasSubstr("if (cattThread >= cattFirst && cattThread < "
                              "cattFirst + cattThreads)\n"));
  EXPECT_REWRITE(B, HasSubstr("if (cattThreads >= blockDim.x * blockDim.y) {"));
}

/// Statements that a lambda cannot hold stay in the kernel itself.
const char InPlace[] = "for (unsigned cattFirst = 0, cattThreads = n >= 8 ? "
                       "128 : 1024;\n"
                       "       cattFirst < blockDim.x; cattFirst += "
                       "cattThreads) {\n"
                       "    if (threadIdx.x >= cattFirst &&\n"
                       "        threadIdx.x < cattFirst + cattThreads) { // "
                       "catt: begin\n";

TEST(SplitWarpGroups, NegativeThreadsMayReturnBeforeOrInside) {
  Workbench B = simple();
  B.plan(0).Loops[0].Cases = {{"n", 8, 4}};
  B.R.Kernels[0].Source.Loops[0].Site->NeedsSm70 = true;
  EXPECT_REWRITE(B, HasSubstr(InPlace));
}

TEST(SplitWarpGroups, NegativeWhatALambdaCannotHoldOrCapture) {
  for (const char *Body : {"  [[{ __shared__ int s; work(s); }]]\n",
                           "  [[{ goto end; end: work(); }]]\n",
                           "  auto [a, b] = pair();\n  [[work(a, b);]]\n",
                           "  const auto &[a, b] = pair();\n  [[work(a);]]\n",
                           "  union { int a; float b; };\n  [[work(a);]]\n"}) {
    Workbench B = simple(Body);
    B.plan(0).Loops[0].Cases = {{"n", 8, 4}};
    EXPECT_REWRITE(B, HasSubstr(InPlace)) << Body;
  }
}

TEST(SplitWarpGroups, PositiveWordsLikeThoseThatALambdaCannotHold) {
  Workbench B = simple("  int unionized = 0, returned = 0;\n"
                       "  [[work(unionized, a[returned]);]]\n");
  B.plan(0).Loops[0].Cases = {{"n", 8, 4}};
  EXPECT_REWRITE(B, HasSubstr("auto cattLoop = [&]()"));
}

TEST(SplitWarpGroups, NegativeSiteInAFunctionThatAnotherSiteMayCall) {
  Workbench B(R"cu(__device__ void f(float *p) {
  [[for (int i = 0; i < 4; ++i) p[i] += 1;]]
}
__global__ void k(float *p) {
  [[for (int j = 0; j < 4; ++j) f(p);]]
}
)cu");
  size_t K = B.kernel("k");
  B.split(K, 0, 2, 4);
  B.R.Kernels[K].Source.Loops.back().Function = "f";
  B.split(K, 1, 2, 4);
  std::string New = B.checked();
  EXPECT_THAT(New, HasSubstr("void f(float *p) {\n  for (int i"));
  EXPECT_THAT(B.refusals(), ElementsAre(Reason::DivergentBarrier));
}

TEST(SplitWarpGroups, PositiveSeveralSites) {
  Workbench B("__global__ void k(int n) {\n  [[a();]]\n  [[b();]]\n}\n");
  size_t K = B.kernel("k");
  B.split(K, 1, 4, 2);
  B.split(K, 0, 2, 4);
  EXPECT_REWRITE(B, R"cu(__global__ void k(int n) {
  // catt: split-warp-groups(2): 4 of 8 warps at a time, 512 KiB of cache lines
  // for 208 KiB of L1D
  for (unsigned cattGroup = 0; cattGroup * 128 < blockDim.x; ++cattGroup) {
    if (threadIdx.x / 128 == cattGroup) { // catt: begin
  a();
    } // catt: end
    __syncthreads();
  } // catt: done
  // catt: split-warp-groups(4): 2 of 8 warps at a time, 512 KiB of cache lines
  // for 208 KiB of L1D
  for (unsigned cattGroup = 0; cattGroup * 64 < blockDim.x; ++cattGroup) {
    if (threadIdx.x / 64 == cattGroup) { // catt: begin
  b();
    } // catt: end
    __syncthreads();
  } // catt: done
}
)cu");
}

TEST(SplitWarpGroups, PositiveOneSiteOfTwoLoops) {
  for (bool Swap : {false, true}) {
    Workbench B("__global__ void k(int n) {\n  [[a(); b();]]\n}\n");
    size_t K = B.kernel("k");
    B.split(K, 0, Swap ? 4 : 2, Swap ? 2 : 4);
    B.split(K, 0, Swap ? 2 : 4, Swap ? 4 : 2);
    std::string New = B.checked();
    EXPECT_THAT(New, HasSubstr("cattGroup * 64 <"));
    EXPECT_EQ(llvm::StringRef(New).count("// catt: begin"), 1u);
  }
}

TEST(SplitWarpGroups, PositiveOneSiteWithCasesTakesTheSmallerEverywhere) {
  for (bool Swap : {false, true}) {
    Workbench B("__global__ void k(int n) {\n  [[a(); b();]]\n}\n");
    size_t K = B.kernel("k");
    std::vector<RuntimeCase> One = {{"n", 8, 4}};
    std::vector<RuntimeCase> Two = {{"n", 16, 6}, {"n", 32, 1}};
    B.split(K, 0, 4, 0).Cases = Swap ? Two : One;
    B.split(K, 0, 4, 0).Cases = Swap ? One : Two;
    auto Text = [&] { return llvm::join(llvm::split(B.checked(), ' '), ""); };
    EXPECT_THAT(Text(), HasSubstr("if(n>=8)\ncattThreads=128;\n"
                                  "if(n>=32)\ncattThreads=32;\n"));
    // More than three arms would be too long: that of the smallest groups.
    (Swap ? B.plan(K).Loops[1] : B.plan(K).Loops[0]).Cases = {{"n", 4, 7},
                                                              {"n", 8, 4}};
    EXPECT_THAT(Text(), HasSubstr("if(n>=16)\ncattThreads=192;\n"
                                  "if(n>=32)\ncattThreads=32;\n"));
    B.plan(K).Loops[0].Cases.clear();
    B.plan(K).Loops[0].WarpsPerGroup = 3;
    B.plan(K).Loops[1].Cases = Two;
    EXPECT_REWRITE(B, HasSubstr(": 96;"));
  }
}

TEST(SplitWarpGroups, PositiveOneSiteWithTwoParameters) {
  Workbench B("__global__ void k(int n, int m) {\n  [[a(); b();]]\n}\n");
  size_t K = B.kernel("k");
  B.split(K, 0, 2, 0).Cases = {{"n", 8, 4}};
  B.split(K, 0, 8, 0).Cases = {{"m", 8, 1}};
  EXPECT_REWRITE(B, HasSubstr("m >= 8 ? 32 : 1024;"));
}

TEST(SplitWarpGroups, PositiveOuterSiteWins) {
  Workbench B(
      "__global__ void k(int n) {\n  [[a();\n  [[b();]]\n  c();]]\n}\n");
  size_t K = B.kernel("k");
  B.split(K, 1, 8, 1);
  B.split(K, 0, 2, 4);
  EXPECT_EQ(llvm::StringRef(B.checked()).count("// catt: begin"), 1u);
  EXPECT_REWRITE(B, HasSubstr("cattGroup * 128 <"));
  EXPECT_THAT(B.refusals(), IsEmpty());
}

TEST(SplitWarpGroups, PositiveDeviceFunction) {
  Workbench B("void launch(dim3 gridDim, dim3 blockDim);\n"
              "void host() { dim3 blockDim(256); }\n"
              "__device__ void f(int n) {\n  [[w();]]\n}\n"
              "__global__ void k(int n) {\n  f(n);\n}\n");
  size_t K = B.kernel("k");
  B.split(K, 0, 8, 1);
  B.loop(K).Function = "f";
  EXPECT_REWRITE(B, HasSubstr("f(int n) {\n  // catt: split"));
  EXPECT_THAT(B.refusals(), IsEmpty());
}

//===-- What it does ------------------------------------------------------===//

/// Runs the loop that was written, at compile time: every thread of every block
/// visits the body once, all meet the same number of barriers, and a group has
/// no more threads than it may and no part of a warp.
std::string simulation(Workbench &B, const char *Blocks, unsigned Threads) {
  std::string Code = B.rewritten();
  size_t Head = Code.find("__global__ void k(int n)");
  Code.replace(Head, strlen("__global__ void k(int n)"),
               "constexpr Seen k(D threadIdx, D blockDim, int n)");
  return R"cc(
struct D { unsigned x, y, z; };
struct Seen { unsigned Visits, Group, Barriers; };
#define __syncthreads() ++S.Barriers
)cc" + Code +
         R"cc(
constexpr bool check(D B, int n) {
  unsigned InGroup[1025] = {}, Last = 0;
  for (unsigned z = 0, L = 0; z < B.z; ++z)
    for (unsigned y = 0; y < B.y; ++y)
      for (unsigned x = 0; x < B.x; ++x, ++L) {
        Seen S = k({x, y, z}, B, n);
        if (S.Visits != 1 || S.Barriers != k({0, 0, 0}, B, n).Barriers ||
            ++InGroup[S.Group] > )cc" +
         std::to_string(Threads) + R"cc( || (L % 32 && S.Group != Last))
          return false;
        Last = S.Group;
      }
  return true;
}
constexpr D Blocks[] = )cc" +
         Blocks + R"cc(;
constexpr bool all(int n) {
  for (D B : Blocks)
    if (!check(B, n))
      return false;
  return true;
}
)cc";
}

bool runs(const std::string &Code) {
  return parses(Code, {"-xc++", "-fconstexpr-steps=500000000"}, "k.cc");
}

const char *Body = "  Seen S{0, 0, 0};\n"
                   "  [[S.Visits++; S.Group = S.Barriers;]]\n  return S;\n";

TEST(SplitWarpGroupsRun, PositiveEveryThreadOnceInOneDimension) {
  for (int64_t Warps : {1, 3, 4, 32}) {
    Workbench B = simple(Body);
    B.plan(0).Loops[0].WarpsPerGroup = Warps;
    EXPECT_TRUE(runs(simulation(B,
                                "{{1, 1, 1}, {31, 1, 1}, {32, 1, 1}, {33, 1, "
                                "1}, {100, 1, 1}, {256, 1, 1}, {1000, 1, 1}}",
                                Warps * 32) +
                     "static_assert(all(0));\n"));
  }
}

TEST(SplitWarpGroupsRun, PositiveEveryThreadOnceInThreeDimensions) {
  const char *Blocks = "{{1, 1, 1}, {7, 5, 3}, {16, 16, 1}, {33, 2, 4}, {8, 8, "
                       "8}, {1, 64, 1}, {1, 1, 64}, {256, 1, 1}}";
  for (int64_t Warps : {1, 2, 3}) {
    Workbench B = simple(Body);
    B.R.Kernels[0].Source.Launches.clear();
    B.plan(0).Loops[0].WarpsPerGroup = Warps;
    EXPECT_TRUE(
        runs(simulation(B, Blocks, Warps * 32) + "static_assert(all(0));\n"));
  }
}

TEST(SplitWarpGroupsRun, PositiveUnknownShapesOfTheShortFormRunOnce) {
  // Written for known 1-D launches, then launched otherwise: threads still run
  // once; only the size of the groups is not what was wanted.
  Workbench B = simple(Body);
  std::string Code = simulation(B, "{{7, 5, 3}, {64, 4, 1}, {33, 2, 2}}", 1024);
  size_t At = Code.find(" || (L % 32");
  Code.erase(At, Code.find(")\n", At) - At);
  EXPECT_TRUE(runs(Code + "static_assert(all(0));\n"));
}

TEST(SplitWarpGroupsRun, PositiveCases) {
  for (auto [N, Threads] : std::vector<std::pair<int, int>>{
           {-3, 1024}, {7, 1024}, {8, 128}, {31, 128}, {32, 64}, {4096, 64}}) {
    Workbench B = simple(Body);
    B.plan(0).Loops[0].Cases = {{"n", 8, 4}, {"n", 32, 2}};
    std::string Code =
        simulation(B, "{{1024, 1, 1}, {250, 1, 1}, {65, 1, 1}}", Threads);
    EXPECT_TRUE(runs(Code + "static_assert(all(" + std::to_string(N) +
                     "));\nstatic_assert(k({0, 0, 0}, {1024, 1, 1}, " +
                     std::to_string(N) + ").Barriers == " +
                     std::to_string(Threads == 1024 ? 0 : 1024 / Threads) +
                     ");\n"));
  }
}

TEST(SplitWarpGroupsRun, NegativeTheSimulationSeesAWrongLoop) {
  for (auto [Old, New] : std::vector<std::pair<const char *, const char *>>{
           {"cattGroup * 32 < blockDim.x", "cattGroup * 33 < blockDim.x"},
           {"threadIdx.x / 32", "threadIdx.x / 16"},
           {"threadIdx.x / 32", "threadIdx.x % 8"},
           {"    } // catt: end\n    __syncthreads();",
            "    __syncthreads();\n    } // catt: end"}}) {
    Workbench B = simple(Body);
    std::string Code = simulation(B, "{{33, 1, 1}, {256, 1, 1}}", 32);
    size_t At = Code.find(Old);
    ASSERT_NE(At, std::string::npos) << Old;
    Code.replace(At, strlen(Old), New);
    EXPECT_FALSE(runs(Code + "static_assert(all(0));\n")) << New;
  }
}

TEST(SplitWarpGroups, PositiveStillParses) {
  Workbench B(R"cu(
template <class T> __global__ void k(const T *A, T *y, unsigned n) {
  T s = 0;
  if (n)
    [[for (unsigned j = 0; j < n; ++j) s += A[j];]]
  [[for (unsigned j = 0; j < n; ++j)
    s += A[n * threadIdx.x + j];]] // a row
  a: [[for (;;) break;]] y[0] = s;
}
template __global__ void k(const float *, float *, unsigned);
)cu");
  size_t K = B.kernel("k");
  B.split(K, 0, 2, 4).Cases = {{"n", -1, 8}, {"n", 64, 4}, {"n", 1 << 30, 1}};
  B.split(K, 1, 2, 4);
  B.split(K, 2, 2, 4);
  for (bool Device : {false, true}) {
    std::string New =
        "#pragma clang diagnostic ignored \"-Wunused-label\"\n" + B.checked();
    EXPECT_TRUE(parsesAsCuda(New, Device)) << New;
  }
}

//===-- Templates ---------------------------------------------------------===//

/// Two instantiations of one kernel with the same loop.
Workbench twoInstantiations() {
  Workbench B("template <class T> __global__ void k(int n) {\n"
              "  [[a();]]\n  [[b();]]\n}\n");
  B.split(B.kernel("k<float>"), 0, 2, 4);
  B.split(B.kernel("k<double>"), 0, 2, 4);
  return B;
}

TEST(SplitWarpGroups, PositiveEqualInstantiationsMerge) {
  Workbench B = twoInstantiations();
  B.plan(1).Loops[0].FootprintBytes *= 2; // only the reason differs
  EXPECT_EQ(llvm::StringRef(B.checked()).count("// catt: begin"), 1u);
  EXPECT_THAT(B.refusals(), IsEmpty());
  EXPECT_EQ(B.edits().Done.size(), 1u);
}

TEST(SplitWarpGroups, NegativeInstantiationsDiffer) {
  for (int What = 0; What < 4; ++What) {
    Workbench B = twoInstantiations();
    if (What == 0) // another size
      B.plan(1).Loops[0].WarpsPerGroup = 2;
    else if (What == 1) // one does not want it
      B.plan(1).Loops[0].Why = Refusal{Reason::Fits, {}, ""};
    else if (What == 2) // one more loop
      B.split(0, 1, 2, 4);
    else // another form
      B.R.Kernels[1].Source.Launches[0].Block = {16, 16, 1};
    EXPECT_EQ(B.rewritten(), B.text()) << What;
    EXPECT_REFUSED(B, Reason::InstantiationsDiffer);
    EXPECT_EQ(B.edits().Refused[0].Detail, "k<float> and k<double>");
    EXPECT_THAT(B.edits().Done, IsEmpty());
  }
}

TEST(SplitWarpGroups, NegativeTwoKernelsWantOtherGroupsOfOneFunction) {
  Workbench B("__device__ void f(int n) {\n  [[w();]]\n}\n"
              "__global__ void k(int n) { f(n); }\n"
              "__global__ void h(int n) { f(n); }\n");
  B.split(B.kernel("k"), 0, 8, 1);
  B.split(B.kernel("h"), 0, 4, 2);
  EXPECT_THAT(B.refusals(), ElementsAre(Reason::CalledTwice));
  EXPECT_EQ(llvm::StringRef(B.checked()).count("// catt: begin"), 1u);
  B.plan(1).Loops[0] = B.plan(0).Loops[0];
  EXPECT_THAT(B.refusals(), IsEmpty());
  EXPECT_EQ(llvm::StringRef(B.checked()).count("// catt: begin"), 1u);
}

//===-- Refusals ----------------------------------------------------------===//

const Reason Blocking[] = {
    Reason::NotInstantiated,    Reason::DivergentBarrier,
    Reason::BarrierInside,      Reason::WarpsCommunicate,
    Reason::LeavesStatement,    Reason::JumpInto,
    Reason::InlineAssembly,     Reason::CooperativeLaunch,
    Reason::ThreadsExitedEarly, Reason::InMacro,
    Reason::InSystemHeader,     Reason::OtherFile,
    Reason::CalledTwice,        Reason::InstantiationsDiffer,
    Reason::Suppressed,         Reason::AlreadyRewritten,
    Reason::BrokenCode,         Reason::LoopDeclaresResult};

class SplitRefusal : public ::testing::TestWithParam<Reason> {};
INSTANTIATE_TEST_SUITE_P(SplitWarpGroups, SplitRefusal,
                         ::testing::ValuesIn(Blocking));

TEST_P(SplitRefusal, NegativeOfTheLoop) {
  Workbench B = simple();
  B.loop(0).Refusals.push_back({GetParam(), B.where(30), "x"});
  EXPECT_EQ(B.rewritten(), B.text());
  EXPECT_REFUSED(B, GetParam());
}

TEST_P(SplitRefusal, NegativeOfTheKernel) {
  Workbench B("__global__ void k(int n) {\n  [[a();]]\n  [[b();]]\n}\n");
  size_t K = B.kernel("k");
  B.split(K, 0, 2, 4);
  B.split(K, 1, 2, 4);
  B.R.Kernels[0].Source.Refusals.push_back({GetParam(), B.where(30), "x"});
  EXPECT_EQ(B.rewritten(), B.text());
  EXPECT_REFUSED(B, GetParam()); // once
}

TEST_P(SplitRefusal, NegativeOfOneLoopLeavesTheOther) {
  Workbench B("__global__ void k(int n) {\n  [[a();]]\n  [[b();]]\n}\n");
  size_t K = B.kernel("k");
  B.split(K, 0, 2, 4);
  B.split(K, 1, 2, 4);
  B.loop(K, 0).Refusals.push_back({GetParam(), B.where(30), "x"});
  EXPECT_REWRITE(B, HasSubstr("{\n  a();\n  // catt: split"));
  EXPECT_THAT(B.refusals(), ElementsAre(GetParam()));
}

TEST(SplitWarpGroups, PositiveReasonsThatDoNotMatter) {
  for (Reason Why : {Reason::LaunchNotEditable, Reason::NotEnoughShared,
                     Reason::Irregular, Reason::UnknownTripCount}) {
    Workbench B = simple();
    B.loop(0).Refusals.push_back({Why, {}, ""});
    B.R.Kernels[0].Source.Refusals.push_back({Why, {}, ""});
    EXPECT_REWRITE(B, HasSubstr("// catt: begin"));
  }
}

TEST(SplitWarpGroups, NegativeNotWanted) {
  Workbench B = simple();
  B.loop(0).Refusals.push_back({Reason::BarrierInside, {}, ""});
  B.plan(0).Loops[0].Groups = 1;
  EXPECT_EQ(B.rewritten(), B.text());
  EXPECT_THAT(B.refusals(), IsEmpty()); // nobody asked
  B.plan(0).Loops[0].Groups = 2;
  B.plan(0).Loops[0].Why = Refusal{Reason::SmallGain, {}, ""};
  EXPECT_THAT(B.refusals(), IsEmpty());
  B.plan(0).Loops[0].Why.reset();
  B.plan(0).Loops[0].Loop = 7; // no such loop
  EXPECT_THAT(B.refusals(), IsEmpty());
  EXPECT_EQ(B.rewritten(), B.text());
}

TEST(SplitWarpGroups, NegativeNoSite) {
  Workbench B = simple();
  B.loop(0).Site.reset();
  EXPECT_REFUSED(B, Reason::DivergentBarrier);
}

TEST(SplitWarpGroups, NegativeExitedThreadsBeforeSm70) {
  Workbench B = simple();
  B.loop(0).Site->NeedsSm70 = true;
  B.R.Gpu.Capability = 61;
  EXPECT_REFUSED(B, Reason::ThreadsExitedEarly);
  B.R.Gpu.Capability = 70;
  EXPECT_THAT(B.refusals(), IsEmpty());
  B.R.Gpu.Capability = 61;
  B.loop(0).Site->NeedsSm70 = false;
  EXPECT_THAT(B.refusals(), IsEmpty());
}

TEST(SplitWarpGroups, NegativeCooperativeLaunch) {
  Workbench B = simple();
  B.R.Kernels[0].Source.Launches[0].Cooperative = true;
  EXPECT_REFUSED(B, Reason::CooperativeLaunch);
}

TEST(SplitWarpGroups, NegativeOtherFile) {
  Workbench B = simple();
  B.loop(0).Site->Span.File = "/src/other.h";
  EXPECT_REFUSED(B, Reason::OtherFile);
  B.loop(0).Site->Span = {FileName, 10, 100000};
  EXPECT_REFUSED(B, Reason::OtherFile);
}

TEST(SplitWarpGroups, NegativeInDirective) {
  Workbench B("#define BODY \\\n  [[w();]] \\\n\n"
              "__global__ void k(int n) { BODY }\n");
  B.split(B.kernel("k"), 0, 8, 1);
  EXPECT_REFUSED(B, Reason::InMacro);
}

TEST(SplitWarpGroups, NegativeConditionalCutsTheSite) {
  for (const char *Body :
       {"#ifdef X\n  [[for (;;)\n#else\n  while (n)\n#endif\n  w();]]\n",
        "  [[w();\n#if X\n  v();]]\n#endif\n",
        "#if X\n  [[w();\n#endif\n  v();]]\n"}) {
    Workbench B = simple(Body);
    EXPECT_REFUSED(B, Reason::InMacro) << Body;
  }
}

TEST(SplitWarpGroups, NegativeBuiltinsHidden) {
  for (const char *Code :
       {"#define blockDim dim3(32)\n__global__ void k(int n) {\n  "
        "[[w();]]\n}\n",
        "# define threadIdx x\n__global__ void k(int n) {\n  [[w();]]\n}\n",
        "#define __syncthreads() f()\n"
        "__global__ void k(int n) {\n  [[w();]]\n}\n",
        "__global__ void k(dim3 blockDim) {\n  [[w();]]\n}\n",
        "__global__ void k(int n) {\n  uint3 threadIdx = f();\n  [[w();]]\n}\n",
        "__global__ void k(int n) {\n  int threadIdx;\n  { }\n  [[w();]]\n}\n",
        "__global__ void k(int n) {\n  const dim3 &blockDim(f());\n"
        "  { [[w();]] }\n}\n",
        "__global__ void k(int n) {\n  auto blockDim{f()};\n  [[w();]]\n}\n",
        "__global__ void k(int n) {\n  for (int threadIdx : a)\n"
        "    [[w();]]\n}\n"}) {
    Workbench B(Code);
    B.split(B.kernel("k"), 0, 8, 1);
    EXPECT_REFUSED(B, Reason::InMacro) << Code;
  }
}

TEST(SplitWarpGroups, PositiveBuiltinsHiddenElsewhere) {
  for (const char *Code :
       {"void h() { dim3 blockDim(4); }\n"
        "__global__ void k(int n) {\n  [[w();]]\n}\n",
        "__global__ void k(int n) {\n  { int threadIdx; }\n  [[w();]]\n}\n",
        "__global__ void k(int n) {\n  f(threadIdx, blockDim); int i = "
        "n & threadIdx.x; i *= threadIdx.x; auto t = threadIdx;\n"
        "  [[w();]]\n}\n",
        "// #define blockDim\n__global__ void k(int n) {\n  [[w();]]\n"
        "  int threadIdx;\n}\n"}) {
    Workbench B(Code);
    B.split(B.kernel("k"), 0, 8, 1);
    EXPECT_REWRITE(B, HasSubstr("// catt: begin")) << Code;
  }
}

TEST(SplitWarpGroups, NegativeParameterIsNotSeen) {
  Workbench B("__device__ void f(int m) {\n  [[w();]]\n}\n"
              "__global__ void k(int n) {\n  f(n);\n}\n");
  B.split(B.kernel("k"), 0, 8, 1).Cases = {{"n", 8, 4}};
  B.loop(0).Function = "f";
  EXPECT_REFUSED(B, Reason::UnknownStride);
  EXPECT_EQ(B.edits().Refused[0].Detail, "n, which f does not see");
  EXPECT_EQ(B.rewritten(), B.text());
}

TEST(SplitWarpGroups, NegativePartialOverlap) {
  Workbench B("__global__ void k(int n) {\n  [[a();\n  b();]]\n  c();\n}\n");
  size_t K = B.kernel("k");
  B.split(K, 0, 2, 4);
  B.split(K, 0, 2, 4);
  B.loop(K, 1).Site->Span.Begin += 4;
  B.loop(K, 1).Site->Span.End += 7;
  EXPECT_THAT(B.refusals(), ElementsAre(Reason::DivergentBarrier));
  EXPECT_EQ(llvm::StringRef(B.checked()).count("// catt: begin"), 1u);
}

//===-- A second run ------------------------------------------------------===//

/// Marks text in the rewritten file and asks for another split there.
void expectUnchanged(Workbench &First, llvm::StringRef From,
                     llvm::StringRef To) {
  std::string New = First.rewritten();
  size_t Begin = New.find(From.str());
  size_t End = New.find(To.str(), Begin) + To.size();
  ASSERT_NE(Begin, std::string::npos);
  ASSERT_GT(End, Begin);
  std::string Marked = New;
  Marked.insert(End, "]]");
  Marked.insert(Begin, "[[");
  Workbench Second(Marked);
  ASSERT_EQ(Second.text(), New);
  Second.split(Second.kernel("k"), 0, 2, 4);
  EXPECT_EQ(Second.rewritten(), New);
  EXPECT_THAT(Second.refusals(), ElementsAre(Reason::AlreadyRewritten));
}

TEST(SplitWarpGroups, NegativeAlreadyRewritten) {
  for (bool OwnLines : {true, false}) {
    Workbench B = simple("  [[work();]]\n  other();\n");
    B.loop(0).Site->OwnLines = OwnLines;
    expectUnchanged(B, "work();", "work();");
    expectUnchanged(B, "for (unsigned", OwnLines ? "\n  }" : "(); }");
    expectUnchanged(B, "other();", "other();"); // the kernel as a whole
  }
}

TEST(SplitWarpGroups, NegativeAlreadyRewrittenDeviceFunction) {
  Workbench B("__device__ void f(int n) {\n  [[w();]]\n}\n"
              "__device__ void g(int n) {\n  v();\n}\n"
              "__global__ void k(int n) {\n  f(n);\n}\n");
  B.split(B.kernel("k"), 0, 8, 1);
  expectUnchanged(B, "w();", "w();");
  expectUnchanged(B, "for (unsigned", "\n  }");
  // The kernel's own split stays the only one.
  Workbench C("__device__ void f(int n) {\n  w();\n}\n"
              "__global__ void k(int n) {\n  [[f(n);]]\n}\n");
  C.split(C.kernel("k"), 0, 8, 1);
  expectUnchanged(C, "w();", "w();");
}

TEST(SplitWarpGroups, NegativeAnotherDeviceFunctionOfARewrittenKernel) {
  Workbench First("__device__ void f(int n) {\n  [[w();]]\n}\n"
                  "__device__ void g(int n) {\n  v();\n}\n"
                  "__global__ void k(int n) {\n  f(n);\n  g(n);\n}\n");
  First.split(First.kernel("k"), 0, 8, 1);
  std::string New = First.rewritten();
  std::string Marked = New;
  Marked.replace(Marked.find("v();"), 4, "[[v();]]");
  Marked.replace(Marked.find("w();"), 4, "[[w();]]");
  Workbench Second(Marked);
  size_t K = Second.kernel("k");
  Second.split(K, 0, 8, 1); // what the first run has split
  Second.R.Kernels[K].Plan.Loops.clear();
  Second.split(K, 1, 8, 1);
  EXPECT_EQ(Second.rewritten(), New);
  EXPECT_REFUSED(Second, Reason::AlreadyRewritten);
}

TEST(SplitWarpGroups, PositiveAnotherKernelOfARewrittenFile) {
  Workbench B = simple();
  std::string New = B.rewritten();
  Workbench C(New + "__global__ void h(int n) {\n  [[v();]]\n}\n");
  C.split(C.kernel("h"), 0, 8, 1);
  EXPECT_REWRITE(C, HasSubstr("unsigned cattGroup2 = 0;"));
  EXPECT_EQ(reverted(C.rewritten()),
            B.text() + "__global__ void h(int n) {\n  v();\n}\n");
}

TEST(SplitWarpGroups, PositiveMarkersInStringsAreNone) {
  Workbench B = simple("  s = R\"(\n// catt: split-warp-groups(2)\n)\";\n"
                       "  // catt: launch(grid=1, block=2)\n  [[work();]]\n");
  EXPECT_REWRITE(B, HasSubstr("// catt: begin\n  work();"));
}

//===-- Choosing transforms -----------------------------------------------===//

TEST(Rewrite, NegativeUnknownTransform) {
  Workbench B = simple();
  B.Rewriting.Transforms = {"split-warp-groups", "split-warps"};
  auto E = rewrite(B.R, B.Rewriting);
  ASSERT_FALSE(E);
  EXPECT_EQ(llvm::toString(E.takeError()),
            "unknown transform 'split-warps'; the transforms are "
            "reserve-shared, prefer-l1, spill-shared, rematerialize, "
            "split-warp-groups, stage-rows, promote-accumulators, "
            "try-launches, try-occupancy, "
            "launch-bounds, or all");
}

TEST(Rewrite, PositiveChosen) {
  Workbench B = simple();
  B.Rewriting.Transforms = {"all"};
  EXPECT_NE(B.checked(), B.text());
  B.Rewriting.Transforms = {"split-warp-groups", "split-warp-groups"};
  EXPECT_NE(B.checked(), B.text());
  B.Rewriting.Transforms = {"prefer-l1"};
  EXPECT_EQ(B.rewritten(), B.text());
}

TEST(Rewrite, NegativeEmptyReport) {
  Workbench B("int x;\n");
  EXPECT_EQ(B.rewritten(), "int x;\n");
  EXPECT_THAT(B.edits().Files, IsEmpty());
}

//===-- Registers of the largest block ------------------------------------===//

/// Kernel k with these words in front, whose loop is run by four warps at a
/// time; launched with blocks of so many threads.
SnippetBench largeBlocks(const std::string &Threads,
                         const std::string &Words = "__global__ void") {
  SnippetBench B(Words +
                     " k(const float *A, float *y, int m) {\n"
                     "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                     "  float s = 0;\n"
                     "  for (int j = 0; j < m; ++j)\n"
                     "    s += A[i * m + j];\n"
                     "  y[i] = s;\n}\n"
                     "void host(float *A) { k<<<9, " +
                     Threads + ">>>(A, A, 3); }\n",
                 "split-warp-groups");
  LoopPlan &P = B.R.Kernels[0].Plan.Loops.emplace_back();
  P.Groups = 2;
  P.WarpsPerGroup = 4;
  P.FootprintBytes = 512 * 1024;
  B.R.Kernels[0].Source.Registers =
      RegisterRange{40, 30, 50, Origin::Estimated};
  return B;
}

TEST(SplitWarpGroups, PositiveLargeBlocksKeepTheirRegisters) {
  SnippetBench B = largeBlocks("512");
  EXPECT_REWRITE(B, HasSubstr("\n__launch_bounds__(1024) // catt: done\n"));
  B.R.Cuda = {"/usr/local/cuda", "13.0"};
  EXPECT_REWRITE(B, HasSubstr("\n__maxnreg__(64) // catt: done\n"));
  SnippetBench Static = largeBlocks("512", "static __global__ void");
  EXPECT_REWRITE(Static, HasSubstr("__launch_bounds__(512) /* catt: done */"));
  // Blocks of 1,024 threads have 64 for each, and cannot be launched as it is.
  B = largeBlocks("512");
  B.R.Kernels[0].Source.Registers =
      RegisterRange{90, 80, 100, Origin::Estimated};
  EXPECT_REWRITE(B, HasSubstr("\n__launch_bounds__(512) // catt: done\n"));
}

TEST(SplitWarpGroups, PositiveBlocksThatLackNoRegisters) {
  for (const char *Words :
       {"__global__ void", "__global__ void __launch_bounds__(1024)"}) {
    SnippetBench B = largeBlocks(
        llvm::StringRef(Words).contains("bounds") ? "512" : "256", Words);
    EXPECT_REWRITE(B, Not(HasSubstr("split-warp-groups(bounds)")));
  }
}

TEST(SplitWarpGroups, NegativeBoundsThatCannotBeWritten) {
  SnippetBench B = largeBlocks("512", "__global__ void __launch_bounds__(256)");
  EXPECT_THAT(B.edits().Refused, ElementsAre(::testing::Field(
                                     &Refusal::Kind, Reason::BoundsExist)));
  SnippetBench Macro =
      largeBlocks("512", "#define KERNEL __global__ void\nKERNEL");
  EXPECT_THAT(Macro.edits().Refused,
              ElementsAre(::testing::Field(&Refusal::Kind, Reason::InMacro)));
}

} // namespace
} // namespace catt
