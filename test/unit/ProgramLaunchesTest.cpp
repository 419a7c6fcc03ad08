//===- ProgramLaunchesTest.cpp - Launches for other units -*- C++ -*-------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/source/ProgramLaunches.h"
#include "SourceTesting.h"

using namespace catt;
using namespace catt::testing;

namespace {

constexpr llvm::StringLiteral Head = "#include <cuda_runtime.h>\n"
                                     "__global__ void k(float *A, int n);\n";
// Its parameters have other names than where it is declared.
constexpr llvm::StringLiteral Definition =
    "#include <cuda_runtime.h>\n"
    "__global__ void k(float *n, int size) { n[threadIdx.x] = size; }\n";

/// "_Z1kPfi 128 ?": the blocks that a unit launches each symbol with.
std::string launched(llvm::StringRef Code) {
  std::string Out;
  for (const auto &[Symbol, Launches] :
       kernelsOf(*parseSnippet((Head + Code).str()).Unit).Launches) {
    Out += (Out.empty() ? "" : "; ") + Symbol;
    for (const Launch &L : Launches)
      Out +=
          L.Block.count() ? " " + std::to_string(*L.Block.count()) : " unknown";
  }
  return Out;
}

/// What one unit launches, joined with the kernel of another.
Kernel joined(llvm::StringRef Launching, bool IsWhole,
              llvm::StringRef Defining = Definition) {
  Program P;
  P.Launches = kernelsOf(*parseSnippet((Head + Launching).str()).Unit).Launches;
  P.IsWhole = IsWhole;
  Kernel K = parseSnippet(Defining).kernel();
  addLaunches(P, K);
  return K;
}

TEST(ProgramLaunches, positiveDeclaredKernel) {
  EXPECT_EQ(launched("void f(float *A) { k<<<10, 128>>>(A, 1); }"),
            "_Z1kPfi 128");
}
TEST(ProgramLaunches, positiveOfAnInstance) {
  EXPECT_EQ(launched("template <class T> __global__ void t(T *A) {}\n"
                     "template <class T> void f(T *A) { t<<<10, 64>>>(A); }\n"
                     "void g(double *A) { f(A); }"),
            "_Z1tIdEvPT_ 64");
}
TEST(ProgramLaunches, positiveWhereItIsDefined) {
  auto Defined = kernelsOf(*parseSnippet(Definition.str()).Unit).Defined;
  ASSERT_EQ(Defined.size(), 1u);
  EXPECT_EQ(Defined.begin()->first, "_Z1kPfi");
  EXPECT_EQ(Defined.begin()->second.Line, 2u);
}
TEST(ProgramLaunches, negativeInternalLinkage) {
  EXPECT_EQ(launched("static __global__ void s(int *A) {}\n"
                     "void f(int *A) { s<<<10, 128>>>(A); }"),
            "");
}
TEST(ProgramLaunches, negativeWhatIsNamedOutsideFunctions) {
  EXPECT_EQ(launched("void (*table[])(float *, int) = {k};"),
            "_Z1kPfi unknown");
}
TEST(ProgramLaunches, negativeDefaultArgument) {
  EXPECT_EQ(launched("void f(void (*which)(float *, int) = k);"),
            "_Z1kPfi unknown");
}
TEST(ProgramLaunches, negativeInMemberOfObject) {
  EXPECT_EQ(launched("struct S { void (*which)(float *, int) = k; };"),
            "_Z1kPfi unknown");
}
TEST(ProgramLaunches, negativeOtherCall) {
  EXPECT_EQ(launched("void use(const void *);\n"
                     "void f() { use((const void *)k); }"),
            "_Z1kPfi unknown");
}

TEST(ProgramLaunches, positiveJoined) {
  Kernel K =
      joined("void f(float *A) { k<<<10, 128>>>(A, 7); }", /*IsWhole=*/false);
  ASSERT_EQ(K.Launches.size(), 1u);
  EXPECT_EQ(K.Launches[0].Block.count(), 128);
  EXPECT_EQ(K.Launches[0].Arguments,
            (std::map<std::string, int64_t>{{"size", 7}}));
  EXPECT_TRUE(K.Launches[0].IsElsewhere);
  EXPECT_FALSE(K.Launches[0].Written);
  EXPECT_FALSE(K.AllLaunchesVisible);
}
TEST(ProgramLaunches, positiveWhole) {
  EXPECT_TRUE(joined("", /*IsWhole=*/true).AllLaunchesVisible);
}
TEST(ProgramLaunches, positiveOwnLaunchCountsOnce) {
  const std::string Own =
      (Definition + "void f(float *A) { k<<<10, 128>>>(A, 7); }").str();
  Program P;
  P.Launches = kernelsOf(*parseSnippet(Own).Unit).Launches;
  Kernel K = parseSnippet(Own).kernel();
  addLaunches(P, K);
  ASSERT_EQ(K.Launches.size(), 1u);
  EXPECT_FALSE(K.Launches[0].IsElsewhere);
  EXPECT_TRUE(K.Launches[0].Written);
}
TEST(ProgramLaunches, negativeOverload) {
  EXPECT_TRUE(joined("void f(float *A) { k<<<10, 128>>>(A, 7); }",
                     /*IsWhole=*/false,
                     "#include <cuda_runtime.h>\n"
                     "__global__ void k(double *A, int n) { A[n] = n; }\n")
                  .Launches.empty());
}
TEST(ProgramLaunches, negativeStaticKernelOfTheSameName) {
  Kernel K = joined("void f(float *A) { k<<<10, 128>>>(A, 7); }",
                    /*IsWhole=*/true,
                    "#include <cuda_runtime.h>\n"
                    "static __global__ void k(float *A, int n) { A[n] = n; }\n"
                    "void g(float *A) { k<<<1, 32>>>(A, 7); }\n");
  ASSERT_EQ(K.Launches.size(), 1u);
  EXPECT_EQ(K.Launches[0].Block.count(), 32);
}
TEST(ProgramLaunches, negativeCooperative) {
  Kernel K = joined("void f(void **arguments) {\n"
                    "  cudaLaunchCooperativeKernel((const void *)k, 10, 128,\n"
                    "                              arguments, 0, 0);\n}",
                    /*IsWhole=*/true);
  ASSERT_FALSE(K.Refusals.empty());
  EXPECT_EQ(K.Refusals.back().Kind, Reason::CooperativeLaunch);
}
TEST(ProgramLaunches, negativeNamedInCxx) {
  Program P;
  P.IsWhole = true;
  P.NamedIn["k"] = {"/program/main.cpp", 7, 1};
  Kernel K = parseSnippet(Definition).kernel();
  addLaunches(P, K);
  ASSERT_EQ(K.Launches.size(), 1u);
  EXPECT_FALSE(K.Launches[0].Block.count());
}

} // namespace
