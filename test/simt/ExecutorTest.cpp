//===- ExecutorTest.cpp - What CUDA promises, on the executor --------------==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every test runs kernels/Semantics.cu under several schedules. Expectations
// are computed here, in plain C++, from the CUDA programming guide's
// definitions.
//
//===----------------------------------------------------------------------===//

#include "test/simt/Testing.h"
#include <fstream>
#include <numeric>
#include <set>

using namespace catt::simt;

namespace {

Result run(const char *Kernel, Dim Grid, Dim Block,
           const std::vector<void *> &Args, const Options &O,
           size_t Shared = 0) {
  Result R = kernels("Semantics.cu").run(Kernel, Grid, Block, Shared, Args, O);
  EXPECT_EQ(R.Error, 0);
  EXPECT_EQ(all(R.Findings), "");
  return R;
}

//===-- Barriers ----------------------------------------------------------===//

TEST(Executor, barrierSeparatesWritesFromReads) {
  for (const Options &O : schedules())
    for (unsigned Threads : {1u, 31u, 33u, 96u}) {
      Buffer<int> Out(Threads * 3, -1);
      run("reverseBlock", {3}, {Threads}, {Out.arg()}, O);
      for (unsigned I = 0; I < Threads * 3; ++I)
        EXPECT_EQ(Out[I], int(Threads - 1 - I % Threads));
    }
}

TEST(Executor, barrierPredicatesCountThreadsThatHaveNotExited) {
  for (const Options &O : schedules()) {
    Buffer<int> Out(160, -1);
    run("syncPredicates", {1}, {100}, {Out.arg()}, O);
    for (int T = 0; T < 40; ++T) {
      EXPECT_EQ(Out[T * 4 + 0], 14); // multiples of 3 below 40
      EXPECT_EQ(Out[T * 4 + 1], 1);
      EXPECT_EQ(Out[T * 4 + 2], 0);
      EXPECT_EQ(Out[T * 4 + 3], 2);
    }
  }
}

TEST(Executor, fetchesEndWhenTheyAreWaitedFor) {
  for (const Options &O : schedules()) {
    Buffer<int> In(64, 0), Out(128, -7);
    for (int I = 0; I < 64; ++I)
      In.data()[I] = 10 * I;
    run("fetches", {1}, {64}, {In.arg(), Out.arg()}, O);
    for (int I = 0; I < 64; ++I) {
      EXPECT_EQ(Out[I], 10 * (I ^ 1));
      EXPECT_EQ(Out[64 + I], -1);
    }
  }
}

//===-- Warp operations ---------------------------------------------------===//

TEST(Executor, shufflesStayInTheirSegment) {
  for (const Options &O : schedules()) {
    Buffer<int> Out(192, -1);
    run("shuffles", {1}, {32}, {Out.arg()}, O);
    for (int L = 0; L < 32; ++L) {
      EXPECT_EQ(Out[L], 50);
      EXPECT_EQ(Out[32 + L], L / 8 * 8 + (L + 3) % 8);
      EXPECT_EQ(Out[64 + L], L < 2 ? L : L - 2);
      EXPECT_EQ(Out[96 + L], L % 16 < 13 ? L + 3 : L);
      EXPECT_EQ(Out[128 + L], L ^ 9);
      EXPECT_EQ(Out[160 + L], L < 31 ? 2 * L + 3 : 2 * L + 1);
    }
  }
}

TEST(Executor, masksSeparateHalvesOfAWarp) {
  for (const Options &O : schedules()) {
    Buffer<int> Out(256, -1);
    run("maskedWarp", {1}, {32}, {Out.arg()}, O);
    for (int L = 0; L < 32; ++L) {
      bool Low = L < 16;
      unsigned Half = Low ? 0xffffu : 0xffff0000u;
      EXPECT_EQ(Out[L], Low ? 15 : 16);
      EXPECT_EQ(unsigned(Out[32 + L]), 0xaaaaaaaau & Half);
      EXPECT_EQ(Out[64 + L], Low ? 2 : 1);
      EXPECT_EQ(unsigned(Out[96 + L]), (0x11111111u << L % 4) & Half);
      EXPECT_EQ(unsigned(Out[128 + L]), Half + 1);
      EXPECT_EQ(Out[160 + L], 0);
      int First = Low ? 0 : 16;
      EXPECT_EQ(Out[192 + L], 16 * First + 120 - First - (First + 15));
      // or, and, exclusive or of 16 consecutive numbers from 0 or 16
      EXPECT_EQ(unsigned(Out[224 + L]), Half ^ (Low ? 0u : 16u) ^ 0u);
    }
  }
}

TEST(Executor, syncwarpOrdersLanesAndExitedLanesAreNotWaitedFor) {
  for (const Options &O : schedules()) {
    Buffer<int> Out(128, 0);
    run("warpNeighbours", {1}, {64}, {Out.arg()}, O);
    for (int T = 0; T < 64; ++T) {
      EXPECT_EQ(Out[T], (T ^ 1) * (T ^ 1));
      EXPECT_EQ(Out[64 + T], T % 32 < 20 ? (1 << 20) - 1 : 0);
    }
  }
}

TEST(Executor, activeMaskIsTheConvergedLanes) {
  for (const Options &O : schedules()) {
    Buffer<unsigned> Out(32, 7);
    run("activeMask", {1}, {32}, {Out.arg()}, O);
    for (int L = 0; L < 32; ++L)
      EXPECT_EQ(Out[L], L % 3 ? 0u : 0x49249249u);
  }
}

//===-- Memory ------------------------------------------------------------===//

TEST(Executor, staticAndDynamicSharedMemoryAreApart) {
  for (const Options &O : schedules())
    for (int N : {0, 7}) {
      Buffer<float> Out(32, 0);
      run("dynamicShared", {2}, {32}, {Out.arg(), &N}, O, (32 + N) * 4);
      for (int T = 0; T < 32; ++T)
        EXPECT_EQ(Out[T], float((T + 1) % 32 - 1));
    }
}

TEST(Executor, sharedMemoryOfFunctionsThatOnlyATableNames) {
  for (const Options &O : schedules()) {
    Buffer<int> Out(32, 0);
    run("sharedBehindATable", {1}, {32}, {Out.arg()}, O);
    for (int T = 0; T < 32; ++T)
      EXPECT_EQ(Out[T], T - 100 * ((T + 1) % 32));
  }
}

TEST(Executor, sharedStructsMayHavePadding) {
  for (const Options &O : schedules()) {
    Buffer<int> Out(32, 0);
    run("sharedKinds", {1}, {32}, {Out.arg()}, O, 32 * 16);
    for (int T = 0; T < 32; ++T)
      EXPECT_EQ(Out[T], (31 - T) * 1000 + 'a' + (31 - T) % 26);
  }
}

TEST(Executor, atomicsOnGlobalAndSharedMemory) {
  for (const Options &O : schedules()) {
    Buffer<int> G(std::vector<int>{0, -1, 1, 0, 0});
    Buffer<float> F(1, 1.0f);
    Buffer<unsigned> U(std::vector<unsigned>{0, 0, 0});
    Buffer<unsigned long long> L(1, 0);
    run("atomics", {3}, {50}, {G.arg(), F.arg(), U.arg(), L.arg()}, O);
    EXPECT_EQ(G.get(), (std::vector<int>{150, 149, -149, -300, 7}));
    EXPECT_EQ(F[0], 76.0f);
    EXPECT_EQ(U.get(), (std::vector<unsigned>{~0u, 150 % 10, 0}));
    EXPECT_EQ(L[0], 150ull << 33);
  }
}

TEST(Executor, spinLockMakesProgress) {
  for (const Options &O : schedules()) {
    Buffer<int> Lock(1, 0), Count(1, 0);
    run("spinLock", {2}, {64}, {Lock.arg(), Count.arg()}, O);
    EXPECT_EQ(Count[0], 128);
  }
}

TEST(Executor, waitingForALaterWarpMakesProgress) {
  for (const Options &O : schedules())
    for (const char *Kernel : {"sleepUntilCalled", "spinUntilCalled"}) {
      Buffer<int> Turn(1, 0), Order(4, -1);
      run(Kernel, {1}, {128}, {Turn.arg(), Order.arg()}, O);
      EXPECT_EQ(Order.get(), (std::vector<int>{3, 2, 1, 0})) << Kernel;
    }
}

TEST(Executor, loadsWithCacheHintsAndVectorTypes) {
  std::vector<float> In(34);
  std::iota(In.begin(), In.end(), 0.0f);
  for (const Options &O : schedules()) {
    Buffer<float> A(In), Out(32, 0);
    std::vector<float> Quads(128);
    for (int I = 0; I < 128; ++I)
      Quads[I] = I % 4 == 3 ? 100 * (I / 4) : -1;
    Buffer<float> V(Quads);
    run("cachedLoads", {1}, {32}, {A.arg(), V.arg(), Out.arg()}, O);
    for (int T = 0; T < 32; ++T)
      EXPECT_EQ(Out[T], 3 * T + 3 + 100 * T);
  }
}

TEST(Executor, deviceVariablesKeepTheirValue) {
  Buffer<int> Out(32, 0);
  run("variables", {1}, {32}, {Out.arg()}, {});
  int First = Out[0] / 100;
  for (int T = 0; T < 32; ++T)
    EXPECT_EQ(Out[T], First * 100 + 7 + T % 3);
  run("variables", {1}, {32}, {Out.arg()}, {});
  EXPECT_EQ(Out[0] / 100, First + 1);
}

//===-- Language ----------------------------------------------------------===//

TEST(Executor, templatesLambdasRecursionLocalArrays) {
  for (const Options &O : schedules()) {
    Buffer<int> I(32, 0);
    Buffer<double> D(32, 0);
    int Add[3] = {1, 10, 5}, ScaleI = 3;
    double ScaleD = 0.25;
    run("language<int>", {1}, {32}, {I.arg(), Add, &ScaleI}, O);
    run("language<double>", {1}, {32}, {D.arg(), Add, &ScaleD}, O);
    for (int T = 0; T < 32; ++T) {
      // Local[(k + t) % 5] = k, so Local[t % 5] = 0.
      EXPECT_EQ(I[T], 64 + 3 + 1 + 50 + 13);
      EXPECT_EQ(D[T], 64.25 + 1 + 50 + 13);
    }
  }
}

TEST(Executor, parametersOfEveryPassingConvention) {
  struct {
    char A, B, C;
  } S = {1, 2, 3};
  struct {
    float F;
    double D;
  } M = {0.5f, 0.25};
  struct {
    int V[12];
  } L = {};
  L.V[11] = 1000;
  float F[3] = {1, 2, 3};
  char C = 4;
  long long W = 1ll << 40;
  bool B = true;
  Buffer<double> Out(12, 0);
  run("parameters", {1}, {12}, {&S, &M, &L, F, &C, &W, &B, Out.arg()}, {});
  for (int T = 0; T < 12; ++T)
    EXPECT_EQ(Out[T], 321 + 0.75 + 1000 + (T == 11) + 6 + 4 + double(W) + 1);
}

TEST(Executor, threeDimensionalShapes) {
  for (const Options &O : schedules())
    for (Dim Block : {Dim{4, 3, 5}, Dim{1, 1, 33}, Dim{7, 1, 2}}) {
      Dim Grid{2, 3, 2};
      Buffer<unsigned> Out(Grid.count() * Block.count(), 0);
      run("shape", Grid, Block, {Out.arg()}, O);
      for (unsigned I = 0; I < Grid.count() * Block.count(); ++I)
        EXPECT_EQ(Out[I], I / Block.count() * 1000 + I % Block.count());
    }
}

TEST(Executor, cooperativeGroups) {
  for (const Options &O : schedules()) {
    Buffer<int> Out(192, 0);
    run("groups", {1}, {64}, {Out.arg()}, O);
    for (int T = 0; T < 64; ++T) {
      int Other = 7 - T / 8;
      EXPECT_EQ(Out[T], 64 * Other + 28);
      EXPECT_EQ(Out[64 + T], (T % 8 < 7 ? T + 1 : T) * 256 + 7);
      EXPECT_EQ(Out[128 + T], T % 2 ? 1600 + T % 32 / 2 : 0);
    }
  }
}

//===-- Launches ----------------------------------------------------------===//

TEST(Executor, adviceToTheAssemblerIsLeftOut) {
  Buffer<unsigned> Out(32, 0);
  run("advised", {1}, {32}, {Out.arg()}, {});
  EXPECT_EQ(Out[31], 31u);
}

TEST(Executor, kernelsHaveTheirNames) {
  std::vector<std::string> Names = kernels("Semantics.cu").kernels();
  EXPECT_NE(std::find(Names.begin(), Names.end(), "reverseBlock(int*)"),
            Names.end());
  EXPECT_TRUE(std::is_sorted(Names.begin(), Names.end()));
}

TEST(Executor, unknownAndAmbiguousNamesAreRefused) {
  for (const char *Name : {"reverse", "language", ""}) {
    Result R = kernels("Semantics.cu").run(Name, {1}, {1}, 0, {});
    EXPECT_NE(R.Error, 0);
    ASSERT_EQ(R.Findings.size(), 1u);
    EXPECT_EQ(R.Findings[0].Kind, FindingKind::BadLaunch);
  }
}

TEST(Executor, moreStaticSharedMemoryThanPtxasTakesIsRefused) {
  Buffer<int> Out(1);
  int *To = Out.data();
  const std::vector<void *> Args = {static_cast<void *>(&To)};
  const Module &M = kernels("Semantics.cu");
  EXPECT_EQ(M.run("staticLimit", {1}, {1}, 0, Args).Error, 0);
  Result R = M.run("overStaticLimit", {1}, {1}, 0, Args);
  EXPECT_NE(R.Error, 0);
  ASSERT_EQ(R.Findings.size(), 1u);
  EXPECT_EQ(R.Findings[0].Message,
            "more static shared memory than ptxas takes");
}

TEST(Executor, hostCodeLaunches) {
  const Module &M = kernels("Semantics.cu");
  for (const Options &O : schedules()) {
    Buffer<unsigned> Out(20, 7);
    void *Buffers[] = {Out.data()};
    Result R = M.call("launchShapes", Buffers, O);
    EXPECT_EQ(R.Error, 0);
    EXPECT_EQ(all(R.Findings), "");
    for (unsigned I = 0; I < 20; ++I)
      EXPECT_EQ(Out[I], (I < 8 ? I : I - 8) / 4 * 1000 + I % 4);
  }
  // What is refused shows, and does not stay.
  Buffer<unsigned> Out(20, 7);
  void *Buffers[] = {Out.data()};
  EXPECT_EQ(M.call("launchTooMany", Buffers).Error, 9);
  EXPECT_EQ(M.call("launchShapes", Buffers).Error, 0);
  EXPECT_EQ(M.call("launchNothing", Buffers).Findings[0].Kind,
            FindingKind::BadLaunch);
}

TEST(Executor, tracesOfSeveralLaunchesFollowEachOther) {
  Options O;
  O.Trace = true;
  Buffer<unsigned> Out(20, 7);
  void *Buffers[] = {Out.data()};
  Result R = kernels("Semantics.cu").call("launchShapes", Buffers, O);
  ASSERT_EQ(R.Trace.size(), 20u);
  for (size_t I = 0; I < 20; ++I) {
    EXPECT_EQ(R.Trace[I].Address, Out.address() + 4 * I);
    EXPECT_EQ(R.Places.at(R.Trace[I].Where).Function, "shape");
  }
}

TEST(Executor, seedsGiveDifferentOrdersAndEqualSeedsTheSame) {
  auto Trace = [](uint64_t Seed) {
    deviceReset();
    Buffer<int> Out(96 * 4, 0);
    Options O;
    O.Seed = Seed;
    O.ResidentBlocks = 2;
    O.Trace = true;
    Result R = run("reverseBlock", {4}, {96}, {Out.arg()}, O);
    std::vector<uint64_t> Order;
    for (const TraceRecord &T : R.Trace)
      Order.push_back(T.Address);
    return Order;
  };
  EXPECT_EQ(Trace(3), Trace(3));
  EXPECT_NE(Trace(3), Trace(4));
  EXPECT_EQ(Trace(3).size(), 4u * 96 * 3);
}

TEST(Executor, modulesComeAndGo) {
  auto Path = compile({{CATT_SIMT_KERNELS "/Bench.cu", {}}},
                      Output::SharedObject, {CATT_SIMT_CACHE});
  ASSERT_TRUE(bool(Path));
  std::string Error;
  int N = 3;
  Buffer<float> A(96, 2), Out(32, 0);
  for (int I = 0; I < 3; ++I) {
    Module M = Module::load(*Path, Error);
    ASSERT_TRUE(bool(M)) << Error;
    Module Moved = std::move(M);
    Result R = Moved.run("sumRows", {1}, {32}, 0, {A.arg(), Out.arg(), &N});
    EXPECT_EQ(all(R.Findings), "");
    EXPECT_EQ(Out[31], 6);
    Buffer<int> Both(32, 0); // while both are loaded
    run("shape", {1}, {32}, {Both.arg()}, {});
    EXPECT_EQ(Both[31], 31);
  }
  EXPECT_FALSE(bool(Module::load("/nonexistent.so", Error)));
  EXPECT_NE(Error, "");
}

TEST(Executor, zerosAreThereAfterAResetToo) {
  for (int I = 0; I < 2; ++I) {
    constexpr size_t Count = 1 << 20;
    auto *Words = static_cast<unsigned *>(deviceAllocZeros(Count * 4));
    for (size_t K = 0; K < Count; K += 1023) {
      EXPECT_EQ(Words[K], 0u);
      Words[K] = 1;
    }
    EXPECT_EQ(*static_cast<unsigned *>(deviceAlloc(4)), 0xCBCBCBCB);
    deviceReset();
  }
}

TEST(Executor, compileErrorsAreClangs) {
  auto Path = compile({{CATT_SIMT_KERNELS "/Broken.cu", {}}},
                      Output::SharedObject, {CATT_SIMT_CACHE});
  ASSERT_FALSE(bool(Path));
  std::string Text = toString(Path.takeError());
  EXPECT_NE(Text.find("Broken.cu:3:46: error:"), std::string::npos) << Text;
}

TEST(Executor, assemblyThatIsNotUnderstoodIsNamedWhereItStands) {
  const char *File = CATT_SIMT_KERNELS "/Unknown.cu";
  auto Path = compile({{File, {"-ferror-limit=0"}}}, Output::SharedObject,
                      {CATT_SIMT_CACHE});
  ASSERT_FALSE(bool(Path));
  std::string Text = toString(Path.takeError()), Line;
  std::ifstream In(File);
  std::set<std::string> Expected;
  for (int Number = 1; std::getline(In, Line); ++Number) {
    size_t Bad = Line.find(" // BAD ");
    // What a macro brings is where that is used.
    std::string At = Line.find("asm(") == 2 ? ":7: " : ":3: ";
    if (Line.find("  APART(") == 0)
      Line = "ex2.approx.f32 %0, %0";
    else if (Bad != std::string::npos && Line[0] == ' ')
      Line = Line.substr(Bad + 8);
    else
      continue;
    std::string Error = "Unknown.cu:";
    Error += std::to_string(Number);
    Error += At;
    Error += "error: catt-run does not know the PTX instruction '";
    Error += Line;
    Error += "'\n";
    Expected.insert(Error);
  }
  EXPECT_GT(Expected.size(), 30u);
  for (const std::string &E : Expected)
    EXPECT_NE(Text.find(E), std::string::npos) << E << Text;
  size_t Errors = 0;
  for (size_t At = 0; (At = Text.find("error: ", At)) != std::string::npos;
       ++At)
    ++Errors;
  EXPECT_EQ(Errors, Expected.size()) << Text;
}

} // namespace
