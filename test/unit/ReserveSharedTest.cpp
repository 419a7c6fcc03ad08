//===- ReserveSharedTest.cpp - Tests of transforms/ReserveShared -*- C++ -*-==//
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
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Kernels are internal unless a test says otherwise.
void reserve(Workbench &B, int64_t Bytes, size_t Kernel = 0) {
  KernelPlan &Plan = B.plan(Kernel);
  B.R.Kernels[Kernel].Source.AllLaunchesVisible = true;
  Plan.ReserveSharedBytes = Bytes;
  Plan.After = Plan.Before;
  Plan.After->BlocksPerSM = 2;
}

//===-- Static ------------------------------------------------------------===//

TEST(ReserveShared, PositiveStatic) {
  Workbench B("__global__ void k(float *A) {\n  A[threadIdx.x] = 0;\n}\n");
  B.kernel("k");
  reserve(B, 24576);
  EXPECT_REWRITE(B, R"cu(__global__ void k(float *A) {
  // catt: reserve-shared(24576): 2 instead of 4 blocks per SM
  __shared__ char cattReserved[24576];
  asm volatile("" ::"l"(cattReserved)); // catt: done
  A[threadIdx.x] = 0;
}
)cu");
  ASSERT_EQ(B.edits().Done.size(), 1u);
  EXPECT_EQ(B.edits().Done[0].Summary, "reserved 24576 bytes of shared memory");
}

TEST(ReserveShared, PositivePlacesOfTheBrace) {
  for (auto [Code, Expected] :
       std::vector<std::pair<const char *, const char *>>{
           {"__global__ void k(int n)\n{ // x\n\n\twork();\n}\n",
            "{ // x\n\t// catt: reserve-shared(1000)"},
           {"__global__ void k(int n) { work(); }\n",
            "{/* catt: reserve-shared(1000) */ __shared__ char "
            "cattReserved[1000]; asm volatile(\"\" ::\"l\"(cattReserved)); "
            "/* catt: done */  work(); }"},
           {"__global__ void k(int n) {}\n", "/* catt: done */ }"},
           {"__global__ void k(int n) {\n}\n",
            "{\n  // catt: reserve-shared(1000)"},
           {"__global__ void k(int n) {\r\n  work();\r\n}\r\n",
            "cattReserved[1000];\r\n  asm"},
           {"__global__ void k(int n) { /* x\n */\n    work();\n}\n",
            " */\n    // catt: reserve-shared(1000)"}}) {
    Workbench B(Code);
    B.kernel("k");
    reserve(B, 1000);
    EXPECT_REWRITE(B, HasSubstr(Expected));
  }
}

TEST(ReserveShared, PositiveUpToTheStaticLimit) {
  Workbench B("__global__ void k(int n) {\n  work();\n}\n");
  B.R.Kernels.reserve(1);
  B.kernel("k");
  B.R.Kernels[0].Source.StaticSharedBytes = 48 * 1024 - 1000;
  reserve(B, 1000);
  EXPECT_REWRITE(B, HasSubstr("__shared__ char cattReserved[1000];"));
  reserve(B, 1001); // one more goes to the launch, and there is none
  EXPECT_REFUSED(B, Reason::LaunchNotEditable);
}

TEST(ReserveShared, PositiveNameThatIsFree) {
  Workbench B("__global__ void k(int cattReserved) {\n  work();\n}\n");
  B.kernel("k");
  reserve(B, 1000);
  EXPECT_REWRITE(B, HasSubstr("\"l\"(cattReserved2)"));
}

TEST(ReserveShared, PositiveBeforeTheGroupsOfTheFirstStatement) {
  Workbench B("__global__ void k(int n) {\n  [[work();]]\n}\n");
  B.split(B.kernel("k"), 0, 2, 4);
  reserve(B, 1000);
  std::string New = B.checked();
  EXPECT_LT(New.find("cattReserved"), New.find("cattGroup"));
}

//===-- Dynamic -----------------------------------------------------------===//

const char *Host = "template <class T> __global__ void k(T n) {\n"
                   "  work(n);\n}\n"
                   "void host(int n, int m) {\n"
                   "  [[k<int><<<1, 256[[]]>>>(n);]]\n"
                   "  [[k<int><<<1, 256, [[m * 4]]>>>(n);]]\n"
                   "}\n";

Workbench launched(llvm::StringRef Code = Host) {
  Workbench B(Code);
  size_t K = B.kernel("k<int>");
  for (size_t I = 0; I + 1 < B.Spans.size(); I += 2)
    B.launch(K, I, "k<int>", I + 1);
  reserve(B, 65536);
  return B;
}

/// Every launch gives these bytes.
void give(Workbench &B, int64_t Bytes) {
  for (Launch &L : B.R.Kernels[0].Source.Launches)
    L.DynamicSharedBytes = Bytes;
}

/// The functions that a rewritten file begins with, less those.
std::string withoutFunctions(const std::string &Text) {
  llvm::StringRef Rest = Text;
  std::string Out;
  for (size_t At; (At = Rest.find("// catt: reserve-shared(launch)")) !=
                  llvm::StringRef::npos;) {
    Out += Rest.take_front(At);
    Rest = Rest.drop_front(Rest.find("#endif // catt: done\n") + 21);
  }
  return Out + Rest.str();
}

TEST(ReserveShared, PositiveDynamic) {
  Workbench B = launched();
  std::string New = B.checked();
  EXPECT_EQ(withoutFunctions(New),
            R"cu(template <class T> __global__ void k(T n) {
  work(n);
}
void host(int n, int m) {
  k<int><<<1, 256/* catt: reserve-shared(65536) */ , cattShared(k<int>, 0, 65536) /* catt: done */ >>>(n);
  k<int><<<1, 256, /* catt: reserve-shared(65536) */ cattShared(k<int>, /* catt: begin */ m * 4 /* catt: end */ , 65536) /* catt: done */>>>(n);
}
)cu");
  EXPECT_EQ(llvm::StringRef(New).count("static size_t cattShared("), 1u);
  EXPECT_EQ(B.edits().Done.size(), 2u);
}

TEST(ReserveShared, PositiveWhatIsKnownOfTheBytesIsNotWritten) {
  Workbench B = launched();
  B.R.Kernels[0].Source.Launches[2].DynamicSharedBytes = 100;
  EXPECT_REWRITE(B, HasSubstr("m * 4 /* catt: end */ , 65536)"));
}

TEST(ReserveShared, PositiveStillParses) {
  Workbench B(R"cu(
template <class T> __global__ void k(T *p) { *p = 0; }
static __global__ void h(float *p) {
  *p = 0;
}
void host(int *p, float *q, int m) {
  [[k<int><<<1, 256[[]]>>>(p);]]
  if (m) { [[k<int><<<1, 256, [[m > 3 ? 4 : m]]>>>(p);]] }
  h<<<1, 1>>>(q);
}
)cu");
  size_t K = B.kernel("k<int>");
  B.launch(K, 0, "k<int>", 1);
  B.launch(K, 2, "k<int>", 3).DynamicSharedBytes = 4;
  reserve(B, 65536);
  B.kernel("h");
  reserve(B, 4096, 1);
  for (bool Device : {false, true})
    EXPECT_TRUE(parsesAsCuda(B.checked(), Device)) << B.rewritten();
}

TEST(ReserveShared, PositiveAnyArgument) {
  for (const char *Argument :
       {"m", "size()", "m++", "m = 4", "a[m] * 1", "m ? 1 : g(m)", "f<4, 5>(m)",
        "m /* bytes */", "[&] { return m; }()", "max(m, n)"}) {
    Workbench B = launched(("__global__ void k(int n) {\n}\nvoid host() {\n"
                            "  [[k<int><<<1, 2, [[" +
                            llvm::StringRef(Argument) + "]]>>>(n);]]\n}\n")
                               .str());
    EXPECT_REWRITE(B, HasSubstr("/* catt: begin */ " + std::string(Argument) +
                                " /* catt: end */ , 65536)"));
  }
}

TEST(ReserveShared, NegativeOneLaunchIsNotEditable) {
  for (int What = 0; What < 8; ++What) {
    Workbench B = launched();
    B.R.Kernels[0].Source.AllLaunchesVisible = What != 3;
    Launch &L = B.R.Kernels[0].Source.Launches[2];
    if (What == 0)
      L.Written.reset();
    else if (What == 1)
      L.SharedArgument.reset();
    else if (What == 2)
      L.Written->Config.File = L.SharedArgument->File = "/src/other.cu";
    else if (What == 3)
      L.Where.File = "/src/other.cu";
    else if (What == 4)
      L.Written->Kernel.clear();
    else if (What == 5)
      L.SharedArgument->Begin = L.SharedArgument->End = 3;
    else if (What == 6)
      L.Written->Obstacle = "a launch in device code";
    else
      L.Written->Tops.clear();
    EXPECT_REFUSED(B, Reason::LaunchNotEditable) << What;
  }
}

TEST(ReserveShared, NegativeNoStaticArrayWhereOthersMayLaunch) {
  Workbench B = launched();
  give(B, 0);
  reserve(B, 1000);
  EXPECT_REWRITE(B, HasSubstr("cattReserved[1000]"));
  B.R.Kernels[0].Source.AllLaunchesVisible = false;
  EXPECT_REWRITE(B, HasSubstr("cattShared(k<int>, 0, 1000)"));
  // Nor where somebody has the kernel's address, or sets its limit.
  Workbench Named("static __global__ void k(int n) {\n}\nvoid host() {\n"
                  "  cudaFuncSetAttribute(k, "
                  "cudaFuncAttributeMaxDynamicSharedMemorySize, 232448);\n"
                  "  [[k<<<1, 256[[]]>>>(1);]]\n}\n");
  Named.launch(Named.kernel("k"), 0, "k", 1).DynamicSharedBytes = 0;
  reserve(Named, 1000);
  EXPECT_REWRITE(Named, HasSubstr("cattShared(k, 0, 1000)"));
}

TEST(ReserveShared, PositiveLaunchElsewhereOfAnInternalKernel) {
  Workbench B = launched();
  B.R.Kernels[0].Source.Launches[2].Where.File = "/src/other.cu";
  B.R.Kernels[0].Source.AllLaunchesVisible = true;
  EXPECT_NE(B.checked(), B.text());
}

TEST(ReserveShared, NegativeMoreThanTheDeviceHas) {
  Workbench B = launched();
  reserve(B, 163 * 1024);
  EXPECT_NE(B.checked(), B.text());
  reserve(B, 163 * 1024 + 1);
  EXPECT_THAT(B.refusals(),
              ElementsAre(Reason::NotEnoughShared, Reason::NotEnoughShared));
  EXPECT_EQ(B.rewritten(), B.text());
  reserve(B, 163 * 1024);
  B.R.Kernels[0].Source.Launches[1].DynamicSharedBytes = 1;
  EXPECT_REFUSED(B, Reason::NotEnoughShared);
}

TEST(ReserveShared, NegativeLaunchInDirective) {
  Workbench B = launched("__global__ void k(int n) {\n}\n"
                         "#define RUN [[k<int><<<1, 256[[]]>>>(n);]]\n");
  EXPECT_REFUSED(B, Reason::LaunchNotEditable);
}

//===-- Refusals of both --------------------------------------------------===//

class ReserveRefusal : public ::testing::TestWithParam<Reason> {};
INSTANTIATE_TEST_SUITE_P(
    ReserveShared, ReserveRefusal,
    ::testing::Values(Reason::Suppressed, Reason::BrokenCode,
                      Reason::NotInstantiated, Reason::InMacro,
                      Reason::InSystemHeader, Reason::OtherFile,
                      Reason::AlreadyRewritten, Reason::CooperativeLaunch,
                      Reason::WarpsCommunicate));

TEST_P(ReserveRefusal, NegativeOfTheKernel) {
  for (int64_t Bytes : {1000, 65536}) {
    Workbench B = launched();
    reserve(B, Bytes);
    B.R.Kernels[0].Source.Refusals.push_back({GetParam(), {}, ""});
    EXPECT_REFUSED(B, GetParam());
  }
}

TEST(ReserveShared, NegativeWaitsForOthers) {
  Workbench B("__global__ void k(int n) {\n  [[work();]]\n}\n");
  B.split(B.kernel("k"), 0, 1, 8);
  reserve(B, 1000);
  Kernel &K = B.R.Kernels[0].Source;
  K.Waits.push_back({Reason::WarpsCommunicate, {}, "flag"});
  EXPECT_REFUSED(B, Reason::WarpsCommunicate);
  K.Waits.clear();
  EXPECT_NE(B.checked(), B.text());
}

TEST(ReserveShared, NegativeALoopSaysThatItWaits) {
  for (Reason Why : {Reason::WarpsCommunicate, Reason::CooperativeLaunch}) {
    Workbench B("__global__ void k(int n) {\n  [[work();]]\n}\n");
    B.split(B.kernel("k"), 0, 1, 8);
    reserve(B, 1000);
    B.loop(0).Refusals.push_back({Why, {}, "flag"});
    EXPECT_REFUSED(B, Why) << "though Waits is empty";
  }
}

TEST(ReserveShared, NegativeOnlyPartOfAnArgument) {
  // What the analysis shows of the third argument is not all of it.
  Workbench B = launched("__global__ void k(int n) {\n}\nvoid host() {\n"
                         "  [[k<int><<<1, 2, [[a[m]] ]>>>(n);]]\n}\n");
  EXPECT_REFUSED(B, Reason::LaunchNotEditable);
}

TEST(ReserveShared, PositiveBarriersDoNotMatter) {
  Workbench B("__global__ void k(int n) {\n  [[work();]]\n}\n");
  B.split(B.kernel("k"), 0, 1, 8);
  reserve(B, 1000);
  B.loop(0).Refusals.push_back({Reason::BarrierInside, {}, ""});
  EXPECT_REWRITE(B, HasSubstr("cattReserved"));
}

TEST(ReserveShared, NegativeCooperativeLaunch) {
  Workbench B = launched();
  B.R.Kernels[0].Source.Launches[1].Cooperative = true;
  reserve(B, 1000);
  EXPECT_REFUSED(B, Reason::CooperativeLaunch);
}

TEST(ReserveShared, NegativeNotWanted) {
  Workbench B = launched();
  B.R.Kernels[0].Source.Refusals.push_back({Reason::Suppressed, {}, ""});
  for (int64_t Bytes : {0, -4}) {
    reserve(B, Bytes);
    EXPECT_THAT(B.refusals(), IsEmpty());
    EXPECT_EQ(B.rewritten(), B.text());
  }
}

TEST(ReserveShared, NegativeKernelInAnotherFile) {
  Workbench B = launched();
  give(B, 0);
  reserve(B, 1000);
  B.R.Kernels[0].Source.Span.File = "/src/other.h";
  EXPECT_REFUSED(B, Reason::OtherFile);
}

TEST(ReserveShared, NegativeKernelInDirective) {
  Workbench B("#define K __global__ void k(int n) { \\\n  work(); \\\n}\nK\n");
  B.kernel("k");
  reserve(B, 1000);
  EXPECT_REFUSED(B, Reason::InMacro);
}

TEST(ReserveShared, NegativeAlreadyRewritten) {
  for (int64_t Bytes : {1000, 65536}) {
    Workbench B = launched();
    give(B, 0);
    reserve(B, Bytes);
    std::string New = B.rewritten();
    ASSERT_NE(New, B.text());
    // The second run sees the same launches, at their new places.
    Workbench C(New);
    size_t K = C.kernel("k<int>");
    size_t Begin = New.find("k<int><<<");
    unsigned Argument = New.find(">>>", Begin);
    unsigned End = New.find(';', Argument) + 1;
    C.Spans = {{FileName, unsigned(Begin), End},
               {FileName, Argument, Argument}};
    C.launch(K, 0, "k<int>", 1);
    reserve(C, Bytes);
    EXPECT_EQ(C.rewritten(), New);
    EXPECT_REFUSED(C, Reason::AlreadyRewritten);
  }
}

TEST(ReserveShared, NegativeTheCallsOfAnEarlierRunAreNoLaunches) {
  Workbench B = launched();
  std::string New = B.rewritten();
  Workbench C(New);
  size_t K = C.kernel("k<int>");
  unsigned Begin = New.find("k<int><<<"), Argument = New.find(">>>", Begin);
  unsigned End = New.find(';', Argument) + 1;
  C.Spans = {{FileName, Begin, End}, {FileName, Argument, Argument}};
  Launch &Given = C.launch(K, 0, "k<int>", 1);
  Given.Text = "<<<1, 256, cattShared(k<int>, 0, 65536)>>>";
  Launch Named; // what the call does with the kernel is not known otherwise
  Named.Where = Given.Where;
  Named.Text = "cattShared(k<int>, 0, 65536)";
  C.R.Kernels[K].Source.Launches.push_back(Named);
  reserve(C, 65536);
  EXPECT_REFUSED(C, Reason::AlreadyRewritten);
  EXPECT_EQ(C.rewritten(), New);
  for (const char *Other :
       {"mine(k<int>, 0)", "cattShared", "go(cattShared(k))"}) {
    C.R.Kernels[K].Source.Launches.back().Text = Other;
    EXPECT_REFUSED(C, Reason::LaunchNotEditable) << Other;
  }
}

TEST(ReserveShared, NegativeRewrittenByVersion01) {
  Workbench B("__global__ void k(int n) {\n}\nvoid host(int n) {\n"
              "  // catt: reserve-shared(65536)\n"
              "  (void)cudaFuncSetAttribute(k,\n      cudaFuncAttribute"
              "MaxDynamicSharedMemorySize, 65536); // catt: done\n"
              "  [[k<<<1, 256/* catt: reserve-shared(65536) */ , [[65536]] "
              "/* catt: done */ >>>(n);]]\n}\n");
  B.launch(B.kernel("k"), 0, "k", 1);
  reserve(B, 65536);
  EXPECT_REFUSED(B, Reason::AlreadyRewritten);
}

TEST(ReserveShared, NegativeNoStaticArrayBesideWhatLaunchesGive) {
  // Static and dynamic bytes share 48 KiB until an attribute is set.
  for (auto [Given, IsStatic] :
       {std::pair(0, true), {1024, true}, {1025, false}}) {
    Workbench B = launched();
    give(B, Given);
    reserve(B, 47 * 1024);
    EXPECT_EQ(llvm::StringRef(B.checked()).contains("__shared__ char"),
              IsStatic)
        << Given;
  }
  Workbench Unknown = launched(); // m * 4
  reserve(Unknown, 1000);
  EXPECT_REWRITE(Unknown, Not(HasSubstr("__shared__ char")));
}

TEST(ReserveShared, NegativeNoStaticArrayBesideTiles) {
  for (auto [Threads, IsDynamic, IsStatic] :
       {std::tuple(128, false, true), std::tuple(129, false, false),
        std::tuple(129, true, true)}) {
    Workbench B = launched();
    give(B, 0);
    reserve(B, 48 * 1024 - 128 * 260);
    TileMemory &Tiles = B.R.Kernels[0].Plan.Tiles;
    Tiles.ThreadBytes = 260;
    Tiles.Threads = Threads;
    Tiles.IsDynamic = IsDynamic;
    EXPECT_EQ(llvm::StringRef(B.checked()).contains("__shared__ char"),
              IsStatic)
        << Threads;
  }
}

TEST(ReserveShared, NegativeTheStaticReserveFillsTheLimit) {
  constexpr int64_t Limit = 48 * 1024;
  Workbench B = launched();
  give(B, 0);
  reserve(B, Limit);
  std::string New = B.rewritten();
  ASSERT_THAT(New, HasSubstr("__shared__ char cattReserved[49152];"));
  // The second run counts the array as the kernel's own.
  Workbench C(New);
  size_t K = C.kernel("k<int>");
  C.R.Kernels[K].Source.StaticSharedBytes = Limit;
  unsigned Begin = New.find("k<int><<<"), Argument = New.find(">>>", Begin);
  unsigned End = New.find(';', Argument) + 1;
  C.Spans = {{FileName, Begin, End}, {FileName, Argument, Argument}};
  C.launch(K, 0, "k<int>", 1);
  reserve(C, Limit);
  EXPECT_EQ(C.rewritten(), New);
  EXPECT_REFUSED(C, Reason::AlreadyRewritten);
}

TEST(ReserveShared, NegativeInstantiationsDiffer) {
  Workbench B("template <class T> __global__ void k(T n) {\n  work();\n}\n");
  B.kernel("k<int>");
  B.kernel("k<float>");
  reserve(B, 1000, 0);
  reserve(B, 2000, 1);
  EXPECT_REFUSED(B, Reason::InstantiationsDiffer);
  reserve(B, 1000, 1);
  EXPECT_EQ(llvm::StringRef(B.checked()).count("__shared__"), 1u);
  EXPECT_THAT(B.refusals(), IsEmpty());
}

} // namespace
} // namespace catt
