//===- L1SimulationTest.cpp - Warps that take turns at one L1 -------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/time/L1Simulation.h"
#include "SourceTesting.h"
#include "analysis/plan/throttle/NestTrace.h"
#include "analysis/plan/throttle/SecondOpinion.h"

using namespace catt;
using namespace catt::testing;

namespace {

/// One loop whose accesses move by so many bytes for each lane, warp, block and
/// iteration.
class Loop : public SimulatedNest {
public:
  struct Steps {
    int64_t Lane = 4, Warp = 128, Block = 1 << 20, Iteration = 4;
  };

  explicit Loop(int64_t Trips) {
    Loops.emplace_back();
    Loops.back().Trips = Trips;
    Loops.back().HoldsBack = true;
  }

  Loop &add(Steps By, bool Stores = false) {
    SimulatedAccess A;
    A.Base = unsigned(Accesses.size());
    A.Loads = !Stores;
    A.Stores = Stores;
    Loops.back().Items.push_back({false, A.Base});
    Accesses.push_back(A);
    All.push_back(By);
    return *this;
  }

  uint32_t lanes(unsigned Access, int64_t Block, unsigned Warp,
                 llvm::ArrayRef<int64_t> Iterations,
                 int64_t *Offsets) const override {
    const Steps &By = All[Access];
    for (int64_t Lane = 0; Lane != WarpLanes; ++Lane)
      Offsets[Lane] = By.Lane * Lane + By.Warp * Warp + By.Block * Block +
                      By.Iteration * Iterations.back();
    return ~0u;
  }
  std::optional<int64_t> stride(unsigned Access, unsigned) const override {
    if (IsBent)
      return std::nullopt;
    return All[Access].Iteration;
  }

  bool IsBent = false;

private:
  std::vector<Steps> All;
};

/// Rows of 4 KiB, one for each lane.
constexpr Loop::Steps Row = {4096, 4096 * 32, 4096 * 256, 4};

SimulatedRun run(int64_t Warps, int64_t Group, int64_t Blocks,
                 int64_t L1KiB = 256) {
  SimulatedRun Run;
  Run.WarpsPerBlock = Warps;
  Run.WarpsPerGroup = Group;
  Run.BlocksPerSM = Blocks;
  Run.L1Bytes = L1KiB * 1024;
  Run.SMs = 132;
  return Run;
}

double hits(const SimulatedCost &Cost) {
  return Cost.SectorsHit / Cost.SectorsLoaded;
}

SimulatedCost costOf(const SimulatedNest &Nest, const SimulatedRun &Run,
                     const SimulationRates &Rates = {}) {
  return simulate(Nest, Run, Rates);
}

TEST(L1Simulation, RowThatStaysMissesOncePerSector) {
  // 8 floats of a sector: one miss, seven hits.
  EXPECT_NEAR(hits(costOf(Loop(256).add(Row), run(1, 1, 1))), 7 / 8., 0.001);
}

TEST(L1Simulation, RowsBeyondL1AreLostAndFewerWarpsKeepThem) {
  // Two rows: 64 warps touch 512 KiB, 8 of them 64.
  Loop Rows = Loop(256).add(Row).add(Row);
  SimulatedCost All = costOf(Rows, run(8, 8, 8));
  SimulatedCost Few = costOf(Rows, run(8, 1, 8));
  EXPECT_LT(hits(All), 0.3);
  EXPECT_NEAR(hits(Few), 7 / 8., 0.02);
  EXPECT_GT(All.CyclesPerWarp, 1.3 * Few.CyclesPerWarp);
}

TEST(L1Simulation, ColumnsGainNothingByFewerWarps) {
  // Each iteration is a line of its own: nothing comes back.
  Loop Columns = Loop(256).add({4, 128, 1024, 1 << 20});
  SimulatedCost All = costOf(Columns, run(8, 8, 8));
  SimulatedCost Few = costOf(Columns, run(8, 1, 8));
  EXPECT_EQ(hits(All), 0);
  EXPECT_GT(Few.CyclesPerWarp, All.CyclesPerWarp);
}

TEST(L1Simulation, WhatBlocksShareIsNotReadFromDram) {
  Loop Shared = Loop(64).add({4, 0, 0, 128});
  EXPECT_GT(costOf(Shared, run(1, 1, 1)).SectorsFromDram, 0);
  Shared.Accesses[0].IsShared = true;
  EXPECT_EQ(costOf(Shared, run(1, 1, 1)).SectorsFromDram, 0);
}

TEST(L1Simulation, SectorsOnTheirWayAreAskedForOnce) {
  // All warps read the same sector at once.
  Loop Same = Loop(1).add({0, 0, 0, 0});
  SimulatedCost Cost = costOf(Same, run(8, 8, 1));
  EXPECT_LE(Cost.SectorsLoaded - Cost.SectorsHit, 3); // one for each block
}

TEST(L1Simulation, LoadsWithoutStoresBetweenThemAreIssuedTogether) {
  // Of 256 loads of a row 32 miss either way; one after the other, the others
  // wait for L1, too.
  Loop Waits = Loop(256).add(Row), Together = Loop(256).add(Row);
  Together.Loops[0].HoldsBack = false;
  EXPECT_GT(costOf(Waits, run(1, 1, 1)).CyclesPerWarp,
            1.25 * costOf(Together, run(1, 1, 1)).CyclesPerWarp);
}

TEST(L1Simulation, StoresTakeTheirTurnsAndHitNothing) {
  SimulatedCost Cost = costOf(Loop(64).add(Row, /*Stores=*/true), run(1, 1, 1));
  EXPECT_EQ(Cost.SectorsLoaded, 0);
  EXPECT_GT(Cost.CyclesPerWarp, 64 * 32 * 0.2);
}

TEST(L1Simulation, StoresWaitForL2AndDram) {
  // 64 stores of 32 lanes each: to 32 sectors, or to 4.
  Loop Apart = Loop(64).add(Row, /*Stores=*/true),
       Together = Loop(64).add({4, 128, 128 * 8, 1 << 20}, /*Stores=*/true);
  EXPECT_GT(costOf(Apart, run(8, 8, 8)).CyclesPerWarp,
            2 * costOf(Together, run(8, 8, 8)).CyclesPerWarp);
}

TEST(L1Simulation, SectorsThatLeaveL2InPartComeBack) {
  // 1,024 stores of 4 bytes to each row: its sectors are whole before L2 needs
  // their place, or not.
  Loop Rows = Loop(1024).add(Row, /*Stores=*/true);
  SimulationRates Small, Large;
  Small.L2Bytes = 1 << 20;
  EXPECT_GT(simulate(Rows, run(4, 4, 4), Small).CyclesPerWarp,
            1.5 * simulate(Rows, run(4, 4, 4), Large).CyclesPerWarp);
}

TEST(L1Simulation, MostCrowdedBankHoldsUpThePort) {
  Loop Apart = Loop(256).add(Row), OneBank = Loop(256).add(Row);
  OneBank.Accesses[0].BankTurns = 32;
  EXPECT_GT(costOf(OneBank, run(8, 1, 8)).CyclesPerWarp,
            1.5 * costOf(Apart, run(8, 1, 8)).CyclesPerWarp);
}

TEST(L1Simulation, StridesThatAreNoNumberAreAskedForEachTime) {
  Loop Linear = Loop(64).add(Row), Bent = Loop(64).add(Row);
  Bent.IsBent = true;
  EXPECT_EQ(costOf(Linear, run(4, 2, 2)).CyclesPerWarp,
            costOf(Bent, run(4, 2, 2)).CyclesPerWarp);
}

TEST(L1Simulation, LongLoopsAreNotRunToTheirEnd) {
  // A part stands for the whole: ten times as long takes ten times as long.
  SimulatedRun Run = run(8, 8, 8);
  double Short = costOf(Loop(1'000'000).add(Row), Run).CyclesPerWarp;
  double Long = costOf(Loop(10'000'000).add(Row), Run).CyclesPerWarp;
  EXPECT_NEAR(Long / Short, 10, 0.1);
}

TEST(L1Simulation, SmallGridsLeaveTheirPlacesEmpty) {
  SimulatedRun Run = run(8, 8, 8), Small = Run;
  Small.GridBlocks = 132; // one on each SM: its rows stay
  Loop Rows = Loop(256).add(Row).add(Row);
  EXPECT_LT(hits(costOf(Rows, Run)), 0.3);
  EXPECT_GT(hits(costOf(Rows, Small)), 0.8);
}

TEST(L1Simulation, SaysTheSameTwice) {
  Loop Rows = Loop(512).add(Row).add(Row);
  EXPECT_EQ(costOf(Rows, run(8, 8, 8)).CyclesPerWarp,
            costOf(Rows, run(8, 8, 8)).CyclesPerWarp);
}

TEST(L1Simulation, NestsWithoutAccessesCostNothing) {
  EXPECT_EQ(costOf(Loop(1'000'000'000), run(8, 8, 8)).CyclesPerWarp, 0);
  EXPECT_EQ(costOf(Loop(0).add(Row), run(8, 8, 8)).CyclesPerWarp, 0);
  Loop None(4);
  None.Loops.clear();
  EXPECT_EQ(costOf(None, run(8, 8, 8)).CyclesPerWarp, 0);
}

//===-- From a kernel ----------------------------------------------------===//

FootprintOptions launch(int64_t Blocks, int64_t Threads) {
  FootprintOptions Options;
  Options.Grid = {Blocks, 1, 1};
  Options.Block = {Threads, 1, 1};
  return Options;
}

TEST(NestTrace, FollowsTheOrderOfTheText) {
  Parsed Found = parseSnippet(R"cpp(
__global__ void k(const float *A, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int c = 0; c < 5; ++c) {
    float s = x[c];
    for (int j = 0; j < 40; ++j)
      s += A[i * 40 + j];
    y[i * 5 + c] = s;
  }
})cpp");
  const Kernel &K = Found.kernel();
  FootprintOptions Options = launch(1000, 256);
  auto Nest = traceOf(K, 0, Options);
  ASSERT_TRUE(Nest);
  ASSERT_EQ(Nest->Loops.size(), 3u);
  EXPECT_EQ(Nest->Loops[0].Trips, 1);
  EXPECT_EQ(Nest->Loops[1].Trips, 5);
  EXPECT_EQ(Nest->Loops[2].Trips, 40);
  ASSERT_EQ(Nest->Accesses.size(), 3u);
  ASSERT_EQ(Nest->Loops[1].Items.size(), 3u);
  EXPECT_FALSE(Nest->Loops[1].Items[0].IsLoop);
  EXPECT_TRUE(Nest->Loops[1].Items[1].IsLoop);
  EXPECT_TRUE(Nest->Accesses[0].IsShared);
  EXPECT_FALSE(Nest->Accesses[1].IsShared);
  EXPECT_TRUE(Nest->Accesses[2].Stores);
  EXPECT_EQ(Nest->stride(1, 2), 4);
  int64_t Offsets[WarpLanes];
  EXPECT_EQ(Nest->lanes(1, 2, 1, {0, 0, 3}, Offsets), ~0u);
  EXPECT_EQ(Offsets[1], ((2 * 256 + 32 + 1) * 40 + 3) * 4);
}

TEST(NestTrace, GuardsThatAreNotKnownHold) {
  Parsed Found = parseSnippet(R"cpp(
__global__ void k(const float *A, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    for (int j = 0; j < 40; ++j)
      y[i * 40 + j] = A[i * 40 + j];
})cpp");
  FootprintOptions Options = launch(1000, 256);
  auto Lanes = [&](int64_t Block) {
    int64_t Offsets[WarpLanes];
    return traceOf(Found.kernel(), 0, Options)
        ->lanes(0, Block, 0, {0, 0}, Offsets);
  };
  EXPECT_EQ(Lanes(2), ~0u);
  Options.Parameters["n"] = 512;
  EXPECT_EQ(Lanes(2), 0u);
  EXPECT_EQ(Lanes(1), ~0u);
}

/// The trace of a kernel whose body this is, with blocks of 256.
struct Traced {
  explicit Traced(const std::string &Body, std::optional<unsigned> Loop = {})
      : Found(parseSnippet(
            "struct Body { float x, y, z, w; };\n"
            "__global__ void k(const float *A, const float4 *P, const Body *B, "
            "float *y, const int *idx) {\n"
            "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  float s = "
            "0;\n" +
            Body + "}\n")),
        Options(launch(1000, 256)),
        Nest(traceOf(Found.kernel(), Loop, Options)) {}

  Parsed Found;
  FootprintOptions Options;
  std::unique_ptr<SimulatedNest> Nest;
};

TEST(NestTrace, AllOfTheKernelWithItsLoopsInOrder) {
  Traced T("  s = A[i];\n"
           "  for (int j = 0; j < 9; ++j) s += A[i * 9 + j];\n"
           "  for (int j = 0; j < 9; ++j) s *= A[i * 9 + j];\n"
           "  y[i] = s;\n");
  ASSERT_TRUE(T.Nest);
  ASSERT_EQ(T.Nest->Loops[0].Items.size(), 4u);
  for (unsigned I = 0; I != 4; ++I)
    EXPECT_EQ(T.Nest->Loops[0].Items[I].IsLoop, I == 1 || I == 2) << I;
  EXPECT_EQ(T.Nest->Accesses.size(), 4u);
  Traced One("  for (int j = 0; j < 9; ++j) s += A[i * 9 + j];\n"
             "  y[i] = s;\n",
             0);
  EXPECT_EQ(One.Nest->Accesses.size(), 1u);
}

TEST(NestTrace, MembersOfAnAlignedObjectAreLoadedTogether) {
  Traced Aligned("  for (int j = 0; j < 9; ++j)\n"
                 "    s += P[i * 9 + j].y * P[i * 9 + j].x + P[i * 9 + j].w;\n"
                 "  y[i] = s;\n",
                 0);
  ASSERT_EQ(Aligned.Nest->Accesses.size(), 1u);
  EXPECT_EQ(Aligned.Nest->Accesses[0].Bytes, 16u);
  int64_t Offsets[WarpLanes];
  Aligned.Nest->lanes(0, 0, 0, {0, 0}, Offsets);
  EXPECT_EQ(Offsets[1], 9 * 16);
  Traced Words("  for (int j = 0; j < 9; ++j)\n"
               "    s += B[i * 9 + j].y * B[i * 9 + j].x + B[i * 9 + j].w;\n"
               "  y[i] = s;\n",
               0);
  EXPECT_EQ(Words.Nest->Accesses.size(), 3u);
}

TEST(NestTrace, WhatWasStoredIsNotLoadedAgain) {
  auto Loads = [](const std::string &Body) {
    Traced T("  for (int j = 0; j < 9; ++j) {\n" + Body + "  }\n", 0);
    return llvm::any_of(T.Nest->Accesses, [](const SimulatedAccess &A) {
      return A.Loads && A.Stores;
    });
  };
  EXPECT_FALSE(Loads("    y[i] += A[i * 9 + j];\n"));
  // Another store may be to it; another element each time.
  EXPECT_TRUE(Loads("    y[i] += A[i * 9 + j];\n    y[i + 9 * j] = s;\n"));
  EXPECT_TRUE(Loads("    y[i * 9 + j] += A[i * 9 + j];\n"));
}

TEST(NestTrace, RowsThatDataPlacesAreWalked) {
  Traced T("  int row = idx[i];\n"
           "  for (int j = 0; j < 9; ++j) s += A[row * 9 + j];\n"
           "  y[i] = s;\n",
           0);
  ASSERT_TRUE(T.Nest);
  const SimulatedAccess &Row = T.Nest->Accesses.back();
  EXPECT_FALSE(Row.Irregular);
  const unsigned At = unsigned(T.Nest->Accesses.size()) - 1;
  EXPECT_EQ(T.Nest->stride(At, 1), 4);
  int64_t First[WarpLanes], Third[WarpLanes];
  EXPECT_EQ(T.Nest->lanes(At, 0, 0, {0, 0}, First), ~0u);
  T.Nest->lanes(At, 0, 0, {0, 2}, Third);
  EXPECT_NE(First[1] - First[0], First[2] - First[1]);
  EXPECT_EQ(Third[5] - First[5], 8);
  EXPECT_FALSE(dataDecides(T.Found.kernel(), *T.Nest));
  // Of a loop around, each iteration has another row.
  Traced Around("  for (int c = 0; c < 4; ++c) {\n"
                "    int row = idx[i * 4 + c];\n"
                "    for (int j = 0; j < 9; ++j) s += A[row * 9 + j];\n  }\n"
                "  y[i] = s;\n",
                0);
  const unsigned Inner = unsigned(Around.Nest->Accesses.size()) - 1;
  EXPECT_EQ(Around.Nest->stride(Inner, 1), std::nullopt);
  EXPECT_EQ(Around.Nest->stride(Inner, 2), 4);
}

TEST(NestTrace, WhatIsNotSimulated) {
  EXPECT_FALSE(Traced("  atomicAdd(&y[i], s);\n").Nest);
  Traced Table("  for (int j = 0; j < 9; ++j) s += A[idx[i * 9 + j]];\n"
               "  y[i] = s;\n");
  EXPECT_TRUE(dataDecides(Table.Found.kernel(), *Table.Nest));
  Traced Search("  for (int j = 0; j < 9; ++j)\n"
                "    if (A[i * 9 + j] > 3) break;\n  y[i] = s;\n");
  EXPECT_TRUE(dataDecides(Search.Found.kernel(), *Search.Nest));
}

/// Rows of nine floats that two loops walk: the second one finds them in L1.
TEST(L1Simulation, LoopsFindWhatOthersLoaded) {
  Traced T("  for (int j = 0; j < 9; ++j) s += A[i * 9 + j];\n"
           "  for (int j = 0; j < 9; ++j) s *= A[i * 9 + j];\n"
           "  y[i] = s;\n");
  SimulatedRun Run;
  Run.WarpsPerBlock = Run.WarpsPerGroup = 8;
  Run.BlocksPerSM = 1;
  Run.L1Bytes = 200 * 1024;
  Run.SMs = 132;
  EXPECT_TRUE(runsWhole(*T.Nest, Run));
  const SimulatedCost Cost = simulate(*T.Nest, Run, {});
  // 36 bytes of each row, in 36 of 32 * 9 / 8 sectors, are asked for 18 times.
  EXPECT_LT(Cost.SectorsLoaded - Cost.SectorsHit, 0.1 * Cost.SectorsLoaded);
  Run.Budget = 1000;
  EXPECT_FALSE(runsWhole(*T.Nest, Run));
}

/// A split of the only kernel's outermost loop, and what it runs beside.
struct Question {
  Question(const std::string &Code, int64_t Grid, int64_t Threads,
           int64_t Blocks, int64_t L1Bytes, int64_t WarpsPerGroup)
      : Found(parseSnippet(Code)), Launch(launch(Grid, Threads)) {
    Options.Gpu = llvm::cantFail(findDevice("h200"));
    Options.Block.Threads = Threads;
    Options.Block.GridBlocks = Grid;
    Whole.WarpsPerGroup = Threads / WarpLanes;
    Whole.BlocksPerSM = Blocks;
    Whole.L1Bytes = L1Bytes;
    Split = Whole;
    Split.WarpsPerGroup = WarpsPerGroup;
  }

  std::optional<double> gain() {
    return simulatedGain(Found.kernel(), 0, Whole, Split, Launch, Options);
  }
  std::optional<Refusal> refused(double Predicted, bool HoldsBack) {
    auto Ask = [&](unsigned, const Candidate &, const Candidate &) {
      return gain();
    };
    return veto(Ask, Found.kernel(), Found.kernel().Loops[0], Whole, Split,
                Predicted, HoldsBack);
  }

  Parsed Found;
  FootprintOptions Launch;
  ThrottleOptions Options;
  Candidate Whole, Split;
};

/// Rows of 1,024 floats, of which L1 holds those of a third of the warps.
TEST(SecondOpinion, ASplitThatKeepsLinesIsMade) {
  Question Q(R"cpp(
__global__ void k(const float *A, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 1024; ++j)
    y[i] += A[i * 1024 + j] * x[j];
})cpp",
             1056, 256, /*Blocks=*/8, 100 * 1024, /*WarpsPerGroup=*/2);
  EXPECT_GT(Q.gain(), 1.5);
  EXPECT_FALSE(Q.refused(1.4, /*HoldsBack=*/false));
  EXPECT_FALSE(Q.refused(1.4, /*HoldsBack=*/true));
}

/// Rows of 253 floats that 9 rounds of a loop walk again, by 16 warps on an SM.
TEST(SecondOpinion, ASplitThatOnlySavesL2IsLeftOut) {
  Question Q(R"cpp(
__global__ void k(const float *A, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    for (int o = 0; o < 9; ++o) {
      float s = 0;
      for (int j = 0; j < 253; ++j)
        s += A[i * 253 + j] * x[o * 253 + j];
      y[i * 9 + o] = s;
    }
})cpp",
             78, 512, /*Blocks=*/1, 248 * 1024, /*WarpsPerGroup=*/6);
  EXPECT_LT(Q.gain(), 0.85); // measured: 0.80
  const std::optional<Refusal> Why = Q.refused(1.4, /*HoldsBack=*/true);
  ASSERT_TRUE(Why);
  EXPECT_EQ(Why->Kind, Reason::SmallGain);
  EXPECT_FALSE(Q.refused(4, /*HoldsBack=*/true));
  EXPECT_TRUE(Q.refused(4, /*HoldsBack=*/false));
  EXPECT_FALSE(veto(nullptr, Q.Found.kernel(), Q.Found.kernel().Loops[0],
                    Q.Whole, Q.Split, 1.4, /*HoldsBack=*/true));
  Q.Options.Gpu.SMs.reset(); // nothing can be said
  EXPECT_FALSE(Q.refused(1.4, /*HoldsBack=*/true));
}

/// The nearest of eight centres: Row is read for each, Behind each.
static bool isLeftToRegisters(const std::string &Trips, const std::string &Row,
                              const std::string &Behind) {
  Question Q("__global__ void k(const float *A, const float *x, int *y, int n) "
             "{\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
             "  int at = 0;\n  float least = 3e38f;\n"
             "  for (int c = 0; c < 8; ++c) {\n    float d = 0;\n"
             "    for (int j = 0; j < " +
                 Trips + "; ++j)\n      d += fabsf(" + Row +
                 " - x[c * 240 + j]);\n"
                 "    if (d < least) { least = d; at = c; }\n" +
                 Behind + "  }\n  y[i] = at;\n}\n",
             5411, 128, /*Blocks=*/16, 240 * 1024, /*WarpsPerGroup=*/1);
  const std::optional<Refusal> Why = Q.refused(9, /*HoldsBack=*/true);
  return Why && Why->Detail == "'" + Row + "' may be in registers";
}

TEST(SecondOpinion, RowsThatMayBeInRegisters) {
  EXPECT_TRUE(isLeftToRegisters("119", "A[i * 119 + j]", ""));
  EXPECT_TRUE(isLeftToRegisters("238", "A[i * 240 + j]", ""));
  // Too long; unrolled in parts; not known; shared by all; another row.
  EXPECT_FALSE(isLeftToRegisters("245", "A[i * 245 + j]", ""));
  EXPECT_FALSE(isLeftToRegisters("160", "A[i * 160 + j]", ""));
  EXPECT_FALSE(isLeftToRegisters("n", "A[i * 119 + j]", ""));
  EXPECT_FALSE(isLeftToRegisters("119", "A[j]", ""));
  EXPECT_FALSE(isLeftToRegisters("119", "A[i * 952 + c * 119 + j]", ""));
  // A store may change it.
  EXPECT_FALSE(isLeftToRegisters("119", "A[i * 119 + j]", "y[i] = c;\n"));
}

} // namespace
