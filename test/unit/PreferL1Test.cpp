//===- PreferL1Test.cpp - Tests of transforms/PreferL1 -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TransformTesting.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace catt {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

void prefer(Workbench &B, int64_t Percent, size_t Kernel = 0) {
  KernelPlan &Plan = B.plan(Kernel);
  Plan.CarveoutPercent = Percent;
  Plan.After = Plan.Before;
  Plan.After->CarveoutBytes = 28 * 1024;
  Plan.After->L1Bytes = 228 * 1024;
}

/// A kernel with one launch per marked span.
Workbench launched(llvm::StringRef Host, llvm::StringRef Callee = "k",
                   llvm::StringRef Name = "k") {
  Workbench B(
      ("__global__ void k(int n) {\n}\nvoid host(int n) {\n" + Host + "}\n")
          .str());
  size_t K = B.kernel(Name);
  for (size_t I = 0; I < B.Spans.size(); ++I)
    B.launch(K, I, Callee);
  prefer(B, 11);
  return B;
}

TEST(PreferL1, Positive) {
  Workbench B = launched("  [[k<<<1, 256>>>(n);]]\n");
  EXPECT_REWRITE(B, R"cu(__global__ void k(int n) {
}
// catt: prefer-l1(launch): how a launch divides L1 and shared memory
#ifndef CATT_PREFER_L1
#define CATT_PREFER_L1
template <class K>
static size_t cattPreferL1(K *kernel, size_t bytes, int percent) {
  (void)cudaFuncSetAttribute(
      kernel, cudaFuncAttributePreferredSharedMemoryCarveout, percent);
  return bytes;
}
#endif // catt: done
void host(int n) {
  k<<<1, 256/* catt: prefer-l1(11) */ , cattPreferL1(k, 0, 11) /* catt: done */ >>>(n);
}
)cu");
  ASSERT_EQ(B.edits().Done.size(), 1u);
  EXPECT_EQ(B.edits().Done[0].Summary,
            "asked for 11 % of the SM's memory as shared memory");
}

/// Calls in launches.
size_t calls(const std::string &Text) {
  return llvm::StringRef(Text).count("cattPreferL1(") -
         llvm::StringRef(Text).count("cattPreferL1(K ");
}

TEST(PreferL1, PositiveAnyPlace) {
  for (const char *Host :
       {"  if (n) [[k<<<1, 1>>>(n)]];\n",
        "  switch (n) {\n  case 1:\n    [[k<<<1, 1>>>(n)]];\n  }\n",
        "  do [[k<<<1, 1>>>(n)]]; while (--n);\n",
        "  for ([[k<<<1, 1>>>(n)]]; n; --n) ;\n", "  L: [[k<<<1, 1>>>(n)]];\n",
        "  cudaSetDevice(n), [[k<<<1, 1>>>(n)]];\n"}) {
    Workbench B = launched(Host);
    EXPECT_REWRITE(B, HasSubstr("k<<<1, 1/* catt: prefer-l1(11) */ , "
                                "cattPreferL1(k, 0, 11) /* catt: done */ "
                                ">>>(n)"));
  }
}

TEST(PreferL1, PositiveALaunchOfSeveralCallersOnce) {
  Workbench B = launched("  [[k<<<1, 1>>>(n);]]\n");
  B.launch(0, 0, "k");
  EXPECT_EQ(calls(B.checked()), 1u);
}

TEST(PreferL1, PositiveEveryLaunch) {
  Workbench B = launched("  [[k<<<1, 1>>>(n);]]\n  [[k<<<2, 2>>>(n);]]\n");
  EXPECT_EQ(calls(B.checked()), 2u);
}

TEST(PreferL1, PositiveTogetherWithAReserve) {
  Workbench B = launched("  [[k<<<1, 1>>>(n);]]\n");
  B.plan(0).ReserveSharedBytes = 65536;
  EXPECT_REWRITE(B,
                 HasSubstr("/* catt: reserve-shared(65536), prefer-l1(11) */ , "
                           "cattShared(k, cattPreferL1(k, 0, 11), 65536) "
                           "/* catt: done */ >>>"));
  Workbench C("__global__ void k(int n) {\n}\nvoid host(int n) {\n"
              "  [[k<<<1, 1, [[n]]>>>(n);]]\n}\n");
  C.launch(C.kernel("k"), 0, "k", 1);
  prefer(C, 11);
  C.plan(0).ReserveSharedBytes = 65536;
  EXPECT_REWRITE(C, HasSubstr("cattShared(k, /* catt: begin */ /* catt: "
                              "prefer-l1(11) */ cattPreferL1(k, /* catt: "
                              "begin */ n /* catt: end */ , 11)"));
}

TEST(PreferL1, PositiveArgumentsThatDirectivesChoose) {
  Workbench B("__global__ void k(int n) {\n}\nvoid host(int n) {\n"
              "  [[k<<<1,\n#if X\n  512\n#else\n  256\n#endif\n  , // bytes\n"
              "#if X\n  1\n#else\n  [[2]]\n#endif\n  >>>(n);]]\n}\n");
  B.launch(B.kernel("k"), 0, "k", 1);
  prefer(B, 11);
  std::string New = B.checked();
  EXPECT_THAT(New, HasSubstr("  ,/* catt: prefer-l1(11) */ cattPreferL1(k, "
                             "/* catt: begin */  // bytes\n#if X"));
  EXPECT_THAT(New, HasSubstr("#endif\n   /* catt: end */ , 11) /* catt: done "
                             "*/>>>(n);"));
}

TEST(PreferL1, NegativeDirectivesThatChooseHowManyArguments) {
  Workbench B("__global__ void k(int n) {\n}\nvoid host(int n) {\n"
              "  [[k<<<1, 2\n#if X\n  , 512\n#endif\n  >>>(n);]]\n}\n");
  B.launch(B.kernel("k"), 0, "k");
  prefer(B, 11);
  EXPECT_REFUSED(B, Reason::LaunchNotEditable);
}

TEST(PreferL1, NegativeAPartOfAnArgument) {
  for (const char *Arguments :
       {"1, 2, [[n]]...", "1, 2, ([[n]])", "[[n]]..."}) {
    Workbench B(("__global__ void k(int n) {\n}\nvoid host(int n) {\n  [[k<<<" +
                 llvm::StringRef(Arguments) + ">>>(n);]]\n}\n")
                    .str());
    B.launch(B.kernel("k"), 0, "k", 1);
    prefer(B, 11);
    EXPECT_REFUSED(B, Reason::LaunchNotEditable);
  }
}

TEST(PreferL1, NegativeTheNameIsTaken) {
  Workbench B = launched("  int cattPreferL1 = n; [[k<<<1, 1>>>(n);]]\n");
  EXPECT_REFUSED(B, Reason::LaunchNotEditable);
}

TEST(PreferL1, PositiveFunctionForEveryWayToCompile) {
  // Who compiles without A still has the function for the second launch.
  Workbench B("__global__ void k(int n) {\n}\n#if A\nvoid f(int n) {\n"
              "  [[k<<<1, 1>>>(n);]]\n}\n#endif\n\nvoid g(int n) {\n"
              "  [[k<<<1, 1>>>(n);]]\n}\n");
  size_t K = B.kernel("k");
  B.launch(K, 0, "k");
  B.launch(K, 1, "k");
  prefer(B, 11);
  std::string New = B.checked();
  EXPECT_GE(llvm::StringRef(New).count("#define CATT_PREFER_L1"), 1u);
  EXPECT_THAT(New, HasSubstr("#endif // catt: done\nvoid g("));
}

TEST(PreferL1, PositiveStillParses) {
  Workbench B(R"cu(
template <class T, int N> __global__ void k(T *p) { *p = N; }
void host(int *p) {
  [[k<int, 4><<<1, 256>>>(p);]]
  for (int i = 0; i < 4; ++i) { [[k<int, 4><<<1, i>>>(p);]] }
}
)cu");
  size_t K = B.kernel("k<int, 4>");
  B.launch(K, 0, "k<int, 4>");
  B.launch(K, 1, "k<int, 4>");
  prefer(B, 11);
  for (bool Device : {false, true})
    EXPECT_TRUE(parsesAsCuda(B.checked(), Device)) << B.rewritten();
}

TEST(PreferL1, NegativeNotWanted) {
  Workbench B = launched("  [[k<<<1, 1>>>(n);]]\n");
  B.plan(0).CarveoutPercent.reset();
  B.R.Kernels[0].Source.Refusals.push_back({Reason::Suppressed, {}, ""});
  EXPECT_EQ(B.rewritten(), B.text());
  EXPECT_THAT(B.refusals(), IsEmpty());
}

TEST(PreferL1, NegativeNoLaunchInSight) {
  Workbench B = launched("");
  EXPECT_REFUSED(B, Reason::LaunchNotEditable);
}

TEST(PreferL1, NegativeOneLaunchIsNotEditable) {
  for (int What = 0; What < 6; ++What) {
    Workbench B = launched("  [[k<<<1, 1>>>(n);]]\n  [[k<<<2, 2>>>(n);]]\n");
    Launch &L = B.R.Kernels[0].Source.Launches[2];
    if (What == 0)
      L.Written.reset(); // cudaLaunchKernel
    else if (What == 1)
      L.Written->Config.File = "/src/other.cu";
    else if (What == 2)
      L.Written->Config.End = 1 << 20;
    else if (What == 3)
      L.Written->Obstacle = "a launch that a macro writes";
    else if (What == 4)
      L.Written->Kernel.clear(); // a lambda's, a variable's
    else
      L.SharedArgument.reset();
    EXPECT_REFUSED(B, Reason::LaunchNotEditable) << What;
  }
}

TEST(PreferL1, NegativeInDirective) {
  Workbench B = launched("#define RUN \\\n  [[k<<<1, 1>>>(n);]]\n");
  EXPECT_REFUSED(B, Reason::LaunchNotEditable);
}

TEST(PreferL1, NegativeWaitsForOthers) {
  for (int What = 0; What < 3; ++What) {
    Workbench B = launched("  [[k<<<1, 256>>>(n);]]\n");
    Kernel &K = B.R.Kernels[0].Source;
    Refusal Why = {Reason::WarpsCommunicate, {}, "flag"};
    if (What == 0)
      K.Waits.push_back(Why);
    else if (What == 1)
      K.Loops.emplace_back().Refusals.push_back(Why);
    else
      K.Launches.back().Cooperative = true;
    EXPECT_REFUSED(B, What == 2 ? Reason::CooperativeLaunch : Why.Kind);
  }
}

TEST(PreferL1, NegativeSuppressedOrBroken) {
  for (Reason Why : {Reason::Suppressed, Reason::BrokenCode}) {
    Workbench B = launched("  [[k<<<1, 1>>>(n);]]\n");
    B.R.Kernels[0].Source.Refusals.push_back({Why, {}, ""});
    EXPECT_REFUSED(B, Why);
  }
}

TEST(PreferL1, PositiveWhatOnlyMattersInsideTheKernel) {
  for (Reason Why : {Reason::BarrierInside, Reason::InMacro,
                     Reason::CooperativeLaunch, Reason::OtherFile}) {
    Workbench B = launched("  [[k<<<1, 1>>>(n);]]\n");
    B.R.Kernels[0].Source.Refusals.push_back({Why, {}, ""});
    EXPECT_NE(B.checked(), B.text());
  }
}

/// The rewritten text with its launches marked again.
Workbench again(Workbench &First) {
  std::string New = First.rewritten();
  for (size_t At = New.find("k<<<"); At != std::string::npos;
       At = New.find("k<<<", At + 8)) {
    New.insert(New.find(';', At) + 1, "]]");
    New.insert(At, "[[");
  }
  Workbench B(New);
  size_t K = B.kernel("k");
  for (size_t I = 0; I < B.Spans.size(); ++I)
    B.launch(K, I, "k");
  prefer(B, 50);
  return B;
}

TEST(PreferL1, NegativeAlreadyRewritten) {
  for (const char *Host : {"  [[k<<<1, 1>>>(n);]]\n  [[k<<<2, 2>>>(n);]]\n",
                           "  f(); [[k<<<1, 1>>>(n);]]\n",
                           "  [[k<<<1, 1>>>(n);]] [[k<<<2, 2>>>(n);]]\n"}) {
    Workbench B = launched(Host);
    Workbench C = again(B);
    EXPECT_EQ(C.text(), B.rewritten());
    EXPECT_EQ(C.rewritten(), C.text());
    EXPECT_REFUSED(C, Reason::AlreadyRewritten);
  }
}

TEST(PreferL1, NegativeTheKernelWasThrottledByAnEarlierRun) {
  // What the groups gain is not seen again: another carve-out might seem best.
  std::string Text =
      "__global__ void k(int n) {\n"
      "  // catt: split-warp-groups(2)\n"
      "  for (unsigned cattGroup = 0; cattGroup < 2; ++cattGroup) {\n"
      "    if (threadIdx.x / 32 == cattGroup) { // catt: begin\n"
      "  for (int i = 0; i < n; ++i) ;\n"
      "    } // catt: end\n    __syncthreads();\n  } // catt: done\n}\n"
      "void host(int n) {\n  [[k<<<1, 1>>>(n);]]\n}\n";
  Workbench B(Text);
  B.launch(B.kernel("k"), 0, "k");
  prefer(B, 11);
  EXPECT_THAT(B.edits().Files, IsEmpty());
  EXPECT_REFUSED(B, Reason::AlreadyRewritten);
}

TEST(PreferL1, PositiveNewLaunchOfARewrittenKernel) {
  Workbench B = launched("  [[k<<<1, 1>>>(n);]]\n");
  Workbench C = again(B);
  std::string Text = C.text();
  Text.insert(Text.rfind('}'), "  [[k<<<3, 3>>>(n);]]\n");
  Text.insert(Text.find("k<<<1"), "[[");
  Text.insert(Text.find(';', Text.find("k<<<1")) + 1, "]]");
  Workbench D(Text);
  size_t K = D.kernel("k");
  D.launch(K, 0, "k");
  D.launch(K, 1, "k");
  prefer(D, 11);
  EXPECT_EQ(calls(D.rewritten()), 2u);
  EXPECT_THAT(D.refusals(), IsEmpty());
}

TEST(PreferL1, PositiveInstantiationsWithTheirOwnLaunches) {
  Workbench B("template <class T> __global__ void k(T n) {\n}\n"
              "void host() {\n  [[k<int><<<1, 1>>>(1);]]\n"
              "  [[k<float><<<1, 1>>>(1);]]\n}\n");
  B.launch(B.kernel("k<int>"), 0, "k<int>");
  B.launch(B.kernel("k<float>"), 1, "k<float>");
  prefer(B, 11, 0);
  EXPECT_EQ(calls(B.checked()), 1u);
  prefer(B, 50, 1);
  EXPECT_EQ(calls(B.checked()), 2u);
  EXPECT_THAT(B.refusals(), IsEmpty());
}

TEST(PreferL1, NegativeInstantiationsShareALaunch) {
  Workbench B(
      "template <class T> __global__ void k(T n) {\n}\n"
      "template <class T> void host() {\n  [[k<T><<<1, 1>>>(1);]]\n}\n");
  B.launch(B.kernel("k<int>"), 0, "k<T>");
  B.launch(B.kernel("k<float>"), 0, "k<T>");
  prefer(B, 11, 0);
  EXPECT_REFUSED(B, Reason::InstantiationsDiffer);
  prefer(B, 50, 1);
  EXPECT_REFUSED(B, Reason::InstantiationsDiffer);
  prefer(B, 11, 1);
  EXPECT_THAT(B.refusals(), IsEmpty());
  EXPECT_EQ(calls(B.checked()), 1u);
}

} // namespace
} // namespace catt
