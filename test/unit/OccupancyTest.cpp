//===- OccupancyTest.cpp - Resident blocks against NVIDIA's own arithmetic -==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The oracle is cuda_occupancy.h of the CUDA toolkit. Where it was found when
// this program was built, random configurations over all capabilities are
// compared with it:
//
//   CATT_OCCUPANCY_CONFIGS=200000 catt-unit-device   as many (default: 20000)
//   CATT_OCCUPANCY_WRITE=test/unit/data/occupancy.csv catt-unit-device
//                                                    writes the table anew
//   CATT_RESERVATIONS_WRITE=reservations.csv CATT_RESERVATIONS_GPU=h200
//     catt-unit-device     reservations to be tried on that GPU, by
//                          test/bench/carveout/Resident.cu
//
// The table holds what the oracle said, and is compared everywhere.
//
//===----------------------------------------------------------------------===//
#include "analysis/device/Occupancy.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <cstdlib>
#include <random>
#ifdef CATT_CUDA_OCCUPANCY
#include <cuda_occupancy.h>
#endif

using namespace catt;
using namespace llvm;
using testing::HasSubstr;

namespace {

Device gpu(StringRef Name) { return cantFail(findDevice(Name)); }

BlockResources block(int64_t Threads, int64_t Registers = 0, int64_t Static = 0,
                     int64_t Dynamic = 0) {
  BlockResources B;
  B.Threads = Threads;
  if (Registers != 0) // not known
    B.RegistersPerThread = Registers;
  B.StaticSharedBytes = Static;
  B.DynamicSharedBytes = Dynamic;
  return B;
}

int64_t blocksOf(const Device &D, const BlockResources &B) {
  Expected<Residency> R = residency(D, B);
  if (R)
    return R->BlocksPerSM;
  consumeError(R.takeError());
  return 0;
}

std::string errorOf(const Device &D, const BlockResources &B) {
  Expected<Residency> R = residency(D, B);
  EXPECT_FALSE(bool(R));
  return R ? "" : toString(R.takeError());
}

//===-- Random configurations --------------------------------------------===//

/// Draws that are the same with every standard library.
class Draw {
public:
  explicit Draw(uint64_t Seed) : Engine(Seed) {}
  int64_t upTo(int64_t Most) { return int64_t(Engine() % uint64_t(Most + 1)); }
  bool oneIn(int64_t N) { return upTo(N - 1) == 0; }

private:
  std::mt19937_64 Engine;
};

/// Anything that a launch can ask for, and a little more, with the boundaries
/// of the limits more often than chance would.
std::pair<const Device *, BlockResources> drawConfiguration(Draw &D) {
  ArrayRef<Device> All = allDevices();
  const Device &Gpu = All[D.upTo(All.size() - 1)];
  BlockResources B;
  B.Threads = D.oneIn(2) ? 32 * (1 + D.upTo(32)) : 1 + D.upTo(1100);
  B.RegistersPerThread = D.upTo(D.oneIn(3) ? 260 : 64);
  if (D.oneIn(4))
    B.RegistersPerThread = 8 * D.upTo(D.oneIn(3) ? 33 : 8);
  int64_t Static = Gpu.SharedBytesPerBlock;
  if (!D.oneIn(3))
    B.StaticSharedBytes = D.upTo(D.oneIn(2) ? Static : 4096);
  if (D.oneIn(16))
    B.StaticSharedBytes = Static - D.upTo(2);
  if (!D.oneIn(3))
    B.DynamicSharedBytes = D.upTo(D.oneIn(3) ? 240 * 1024 : 16384);
  if (D.oneIn(4)) { // at the edge of admitting so many blocks
    int64_t Each = Gpu.SharedBytesPerSM / (1 + D.upTo(33)) -
                   Gpu.SharedBytesReserved - B.StaticSharedBytes;
    B.DynamicSharedBytes = std::max<int64_t>(0, Each - 2 + D.upTo(4));
  }
  if (D.oneIn(3))
    B.CarveoutPercent = D.upTo(100);
  return {&Gpu, B};
}

/// One row of the table: the limits, and the blocks that are resident.
std::string row(const Device &D, const BlockResources &B, int64_t Warps,
                int64_t Blocks, std::optional<int64_t> Registers,
                std::optional<int64_t> Shared, int64_t Resident) {
  auto Text = [](std::optional<int64_t> V) {
    return V ? std::to_string(*V) : std::string("-");
  };
  return formatv("{0},{1},{2},{3},{4},{5},{6},{7},{8},{9},{10}", D.Name,
                 B.Threads, B.RegistersPerThread.value_or(0),
                 B.StaticSharedBytes, B.DynamicSharedBytes,
                 Text(B.CarveoutPercent), Warps, Blocks, Text(Registers),
                 Text(Shared), Resident);
}

std::string ourRow(const Device &D, const BlockResources &B) {
  BlockLimits L = cantFail(blockLimits(D, B));
  return row(D, B, L.Warps, L.Blocks, L.Registers, L.SharedMemory,
             blocksOf(D, B));
}

//===-- The oracle -------------------------------------------------------===//

#ifdef CATT_CUDA_OCCUPANCY
std::pair<cudaOccResult, std::string> askOracle(const Device &D,
                                                const BlockResources &B) {
  cudaOccDeviceProp P;
  P.computeMajor = D.Capability / 10;
  P.computeMinor = D.Capability % 10;
  P.maxThreadsPerBlock = D.MaxThreadsPerBlock;
  P.maxThreadsPerMultiprocessor = D.MaxThreadsPerSM;
  P.regsPerBlock = D.RegistersPerBlock;
  P.regsPerMultiprocessor = D.RegistersPerSM;
  P.warpSize = 32;
  P.sharedMemPerBlock = D.SharedBytesPerBlock;
  P.sharedMemPerMultiprocessor = D.SharedBytesPerSM;
  P.numSms = D.SMs.value_or(1);
  P.sharedMemPerBlockOptin = D.SharedBytesPerBlockOptIn;
  P.reservedSharedMemPerBlock = D.SharedBytesReserved;
  cudaOccFuncAttributes A;
  A.maxThreadsPerBlock = D.MaxThreadsPerBlock;
  A.numRegs = B.RegistersPerThread.value_or(0);
  A.sharedSizeBytes = B.StaticSharedBytes;
  A.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  A.maxDynamicSharedSizeBytes = B.DynamicSharedBytes;
  A.numBlockBarriers = 1;
  cudaOccDeviceState S;
  S.carveoutConfig = B.CarveoutPercent.value_or(SHAREDMEM_CARVEOUT_DEFAULT);
  cudaOccResult R;
  EXPECT_EQ(cudaOccMaxActiveBlocksPerMultiprocessor(&R, &P, &A, &S, B.Threads,
                                                    B.DynamicSharedBytes),
            CUDA_OCC_SUCCESS);
  auto Limit = [](int Value) -> std::optional<int64_t> {
    if (Value == INT_MAX)
      return std::nullopt;
    return Value;
  };
  return {R, row(D, B, R.blockLimitWarps, R.blockLimitBlocks,
                 Limit(R.blockLimitRegs), Limit(R.blockLimitSharedMem),
                 R.activeBlocksPerMultiprocessor)};
}

unsigned factorOf(Limiter L) {
  switch (L) {
  case Limiter::Warps:
    return OCC_LIMIT_WARPS;
  case Limiter::Blocks:
    return OCC_LIMIT_BLOCKS;
  case Limiter::Registers:
    return OCC_LIMIT_REGISTERS;
  case Limiter::SharedMemory:
    return OCC_LIMIT_SHARED_MEMORY;
  case Limiter::Grid:
    break;
  }
  return 0;
}

TEST(OccupancyOracle, equalToCudaOccupancyHeader) {
  int64_t Count = 20000;
  if (const char *Wanted = std::getenv("CATT_OCCUPANCY_CONFIGS"))
    ASSERT_TRUE(to_integer(Wanted, Count) && Count > 0)
        << "CATT_OCCUPANCY_CONFIGS is no number";
  Draw D(1);
  int64_t Resident = 0;
  for (int64_t I = 0; I < Count; ++I) {
    auto [Gpu, B] = drawConfiguration(D);
    auto [Oracle, Row] = askOracle(*Gpu, B);
    ASSERT_EQ(ourRow(*Gpu, B), Row) << "configuration " << I;
    Expected<Residency> R = residency(*Gpu, B);
    if (!R) {
      consumeError(R.takeError());
      continue;
    }
    ++Resident;
    // Barriers never limit with one per block.
    unsigned Factors = Oracle.limitingFactors & 0xf;
    unsigned Ours = 0;
    for (Limiter L : cantFail(blockLimits(*Gpu, B)).limiters())
      Ours |= factorOf(L);
    ASSERT_EQ(Ours, Factors) << Row;
    ASSERT_TRUE(factorOf(R->LimitedBy) & Factors) << Row;
    ASSERT_EQ(size_t(allocatedSharedBytes(*Gpu, B)),
              Oracle.allocatedSharedMemPerBlock)
        << Row;
  }
  // The comparison would mean little if most configurations could not run.
  EXPECT_GT(Resident * 2, Count);
  RecordProperty("configurations", int(Count));
  RecordProperty("resident", int(Resident));
}

TEST(OccupancyOracle, writesTheTableOnDemand) {
  const char *Path = std::getenv("CATT_OCCUPANCY_WRITE");
  if (!Path)
    return;
  std::error_code EC;
  raw_fd_ostream Out(Path, EC);
  ASSERT_FALSE(EC) << EC.message();
  Out << "gpu,threads,registers,static,dynamic,carveout,limit_warps,"
         "limit_blocks,limit_registers,limit_shared,resident\n";
  Draw D(2);
  for (int I = 0; I < 2000; ++I) {
    auto [Gpu, B] = drawConfiguration(D);
    Out << askOracle(*Gpu, B).second << '\n';
  }
}
#endif

TEST(OccupancyOracle, equalToTheCommittedTable) {
  auto Table =
      MemoryBuffer::getFile(CATT_SOURCE_DIR "/test/unit/data/occupancy.csv");
  ASSERT_TRUE(bool(Table));
  SmallVector<StringRef> Lines;
  (*Table)->getBuffer().split(Lines, '\n', -1, /*KeepEmpty=*/false);
  ASSERT_GT(Lines.size(), 2000u);
  for (StringRef Line : drop_begin(Lines)) {
    SmallVector<StringRef> Cell;
    Line.split(Cell, ',');
    ASSERT_EQ(Cell.size(), 11u) << Line.str();
    auto Number = [&](unsigned I) {
      int64_t V = 0;
      EXPECT_FALSE(Cell[I].getAsInteger(10, V)) << Line.str();
      return V;
    };
    BlockResources B = block(Number(1), Number(2), Number(3), Number(4));
    if (Cell[5] != "-")
      B.CarveoutPercent = Number(5);
    ASSERT_EQ(ourRow(gpu(Cell[0]), B), Line.str());
  }
}

//===-- Worked examples --------------------------------------------------===//

TEST(Occupancy, positiveAtaxOnTitanV) {
  // CATT figure 4: 80 * 4 blocks of 256 threads; table 3: (8, 4).
  BlockResources B = block(256, 32);
  B.GridBlocks = 320;
  Residency R = cantFail(residency(gpu("titan-v"), B));
  EXPECT_EQ(R.WarpsPerBlock, 8);
  EXPECT_EQ(R.BlocksPerSM, 4);
  EXPECT_EQ(R.LimitedBy, Limiter::Grid);
  EXPECT_EQ(R.CarveoutBytes, 0);
  EXPECT_EQ(R.L1Bytes, 128 * 1024);
  EXPECT_EQ(R.From, Origin::Proved);
  EXPECT_EQ(R.activeWarps(), 32);
}

TEST(Occupancy, positiveFigure5HalvesTheBlocks) {
  // 48 KiB of static shared memory per block leave two blocks on 96 KiB.
  BlockResources B = block(256, 32, 48 * 1024);
  B.GridBlocks = 320;
  Residency R = cantFail(residency(gpu("titan-v"), B));
  EXPECT_EQ(R.BlocksPerSM, 2);
  EXPECT_EQ(R.LimitedBy, Limiter::SharedMemory);
  EXPECT_EQ(R.L1Bytes, 32 * 1024);
}

TEST(Occupancy, positiveReservedSharedMemoryTakesL1) {
  // Eight blocks with nothing of their own hold 8 KiB on an H200.
  Residency R = cantFail(residency(gpu("h200"), block(256, 32)));
  EXPECT_EQ(R.BlocksPerSM, 8);
  EXPECT_EQ(R.CarveoutBytes, 8 * 1024);
  EXPECT_EQ(R.L1Bytes, 248 * 1024);
}

TEST(Occupancy, positiveCarveoutIsHonoured) {
  BlockResources B = block(256, 32);
  B.CarveoutPercent = 100;
  EXPECT_EQ(cantFail(residency(gpu("h200"), B)).L1Bytes, 28 * 1024);
  B.CarveoutPercent = 0;
  B.StaticSharedBytes = 20 * 1024;
  // One block does not fit into nothing, so the driver takes the next size.
  Residency R = cantFail(residency(gpu("h200"), B));
  EXPECT_EQ(R.CarveoutBytes, 32 * 1024);
  EXPECT_EQ(R.BlocksPerSM, 1);
}

TEST(Occupancy, positiveL1IsApartBeforeVolta) {
  Residency R = cantFail(residency(gpu("sm_61"), block(256, 32, 40 * 1024)));
  EXPECT_EQ(R.L1Bytes, 48 * 1024);
  EXPECT_EQ(R.CarveoutBytes, 96 * 1024);
}

TEST(Occupancy, unknownIsAnUpperBound) {
  BlockResources B = block(256, 0);
  B.GridBlocks = 100000;
  EXPECT_EQ(cantFail(residency(gpu("h200"), B)).From, Origin::Estimated);
  B.RegistersPerThread = 32;
  EXPECT_EQ(cantFail(residency(gpu("h200"), B)).From, Origin::Proved);
  // Without a card nobody knows over how many SMs the grid is spread.
  EXPECT_EQ(cantFail(residency(gpu("sm_90"), B)).From, Origin::Estimated);
  B.GridBlocks.reset();
  EXPECT_EQ(cantFail(residency(gpu("h200"), B)).From, Origin::Estimated);
}

TEST(Occupancy, oddBlocksRoundUpToWarps) {
  EXPECT_EQ(cantFail(residency(gpu("h200"), block(33))).WarpsPerBlock, 2);
  EXPECT_EQ(cantFail(residency(gpu("h200"), block(1))).WarpsPerBlock, 1);
  EXPECT_EQ(blocksOf(gpu("h200"), block(1)), 32);
  EXPECT_EQ(blocksOf(gpu("h200"), block(96)), 21);
  EXPECT_EQ(blocksOf(gpu("sm_86"), block(1024)), 1);
}

//===-- What cannot run --------------------------------------------------===//

TEST(Occupancy, negativeBlocksThatNeverRun) {
  Device H = gpu("h200");
  EXPECT_EQ(errorOf(H, block(1025)),
            "a block of 1025 threads can never run on h200: the limit is 1024 "
            "threads");
  EXPECT_EQ(errorOf(H, block(512, 200)),
            "a block of 512 threads with 200 registers each can never run on "
            "h200: it takes 102400 registers and the limit is 65536");
  EXPECT_EQ(errorOf(H, block(32, 257)),
            "257 registers per thread can never run on h200: the limit is 255");
  EXPECT_EQ(errorOf(H, block(32, 0, 49153)),
            "a block with 49153 bytes of static shared memory can never run on "
            "h200: the limit is 49152 bytes, and more has to be dynamic");
  EXPECT_EQ(errorOf(H, block(32, 0, 1, 227 * 1024)),
            "a block with 232449 bytes of shared memory can never run on h200: "
            "the limit is 232448 bytes");
  // The largest that runs.
  EXPECT_EQ(blocksOf(H, block(32, 0, 0, 227 * 1024)), 1);
  EXPECT_EQ(blocksOf(H, block(256, 255)), 1);
}

TEST(Occupancy, negativeGp100RefusesWhatItsSiblingsCannotRun) {
  // 22 warps of 2,816 registers fit in two partitions, and not when they are
  // rounded up to the 24 of four.
  EXPECT_THAT(errorOf(gpu("sm_60"), block(704, 88)),
              HasSubstr("it takes 67584 registers and the limit is 65536"));
  EXPECT_EQ(blocksOf(gpu("sm_60"), block(704, 80)), 1);
}

TEST(Occupancy, negativeNoOptInBeforeVolta) {
  EXPECT_THAT(errorOf(gpu("sm_61"), block(32, 0, 0, 49153)),
              HasSubstr("the limit is 49152 bytes"));
}

TEST(Occupancy, negativeNonsense) {
  Device H = gpu("h200");
  EXPECT_THAT(errorOf(H, block(0)), HasSubstr("0 threads"));
  EXPECT_THAT(errorOf(H, block(-32)), HasSubstr("-32 threads"));
  EXPECT_THAT(errorOf(H, block(32, -1)), HasSubstr("negative"));
  EXPECT_THAT(errorOf(H, block(32, 0, -1)), HasSubstr("negative"));
  EXPECT_THAT(errorOf(H, block(32, 0, 0, -1)), HasSubstr("negative"));
  BlockResources B = block(32);
  B.GridBlocks = 0;
  EXPECT_THAT(errorOf(H, B), HasSubstr("grid of 0 blocks"));
  B = block(32);
  B.CarveoutPercent = 101;
  EXPECT_THAT(errorOf(H, B), HasSubstr("101 percent"));
  B.CarveoutPercent = -1;
  EXPECT_THAT(errorOf(H, B), HasSubstr("-1 percent"));
}

//===-- Registers, carve-outs, reservations ------------------------------===//

TEST(RegistersForBlocks, isTheMostThatFits) {
  EXPECT_EQ(registersForBlocks(gpu("h200"), 256, 8), 32);
  EXPECT_EQ(registersForBlocks(gpu("h200"), 256, 1), 255);
  EXPECT_EQ(registersForBlocks(gpu("sm_53"), 1024, 1), 32);
  for (const Device &D : allDevices())
    for (int64_t Threads : {1, 32, 96, 192, 250, 1024})
      for (int64_t Blocks = 1; Blocks <= 32; ++Blocks) {
        int64_t R = registersForBlocks(D, Threads, Blocks);
        auto Limit = [&](int64_t Registers) {
          return *cantFail(blockLimits(D, block(Threads, Registers))).Registers;
        };
        if (R > 0)
          EXPECT_GE(Limit(R), Blocks) << D.Name;
        if (R < D.MaxRegistersPerThread)
          EXPECT_LT(Limit(R + 1), Blocks) << D.Name;
      }
}

TEST(RegistersForBlocks, negativeNothingFits) {
  EXPECT_EQ(registersForBlocks(gpu("h200"), 1024, 9), 0);
  EXPECT_EQ(registersForBlocks(gpu("h200"), 0, 1), 0);
  EXPECT_EQ(registersForBlocks(gpu("h200"), 256, 0), 0);
  EXPECT_EQ(registersForBlocks(gpu("h200"), -1, -1), 0);
}

TEST(Carveout, percentGetsTheSmallestThatIsLargeEnough) {
  Draw D(5);
  for (int I = 0; I < 2000; ++I) {
    auto [Gpu, B] = drawConfiguration(D);
    int64_t Wanted = D.upTo(Gpu->SharedBytesPerSM);
    if (!Gpu->UnifiedL1 || allocatedSharedBytes(*Gpu, B) > Wanted)
      continue;
    int64_t Percent = carveoutPercent(*Gpu, B, Wanted);
    int64_t Asked = carveoutAsked(*Gpu, B, Percent);
    EXPECT_GE(Asked, Wanted);
    for (int64_t Other = 0; Other <= 100; ++Other)
      if (int64_t Size = carveoutAsked(*Gpu, B, Other); Size >= Wanted)
        EXPECT_TRUE(Asked < Size || (Asked == Size && Percent >= Other));
  }
}

TEST(Carveout, positiveSmallBlocksAskForLess) {
  // 3 % of 228 KiB hold 54 blocks of 128 bytes; with the 1 KiB that the system
  // reserves for each they take 60.75 KiB.
  EXPECT_EQ(carveoutAsked(gpu("h200"), block(64, 0, 128), 3), 64 * 1024);
  EXPECT_EQ(carveoutAsked(gpu("h200"), block(64), 3), 8 * 1024);
  EXPECT_EQ(carveoutPercent(gpu("h200"), block(64, 0, 128), 9 * 1024), 1);
}

/// Launches on an H200 and the carve-outs that they got.
TEST(Carveout, equalToTheMeasured) {
  auto Table =
      MemoryBuffer::getFile(CATT_SOURCE_DIR "/test/unit/data/carveouts.csv");
  ASSERT_TRUE(bool(Table));
  SmallVector<StringRef> Lines;
  (*Table)->getBuffer().split(Lines, '\n', -1, /*KeepEmpty=*/false);
  ASSERT_GT(Lines.size(), 1400u);
  unsigned Missed = 0;
  for (StringRef Line : drop_begin(Lines)) {
    SmallVector<StringRef> Cell;
    Line.split(Cell, ',');
    ASSERT_EQ(Cell.size(), 7u) << Line.str();
    auto Number = [&](unsigned I) {
      int64_t V = 0;
      EXPECT_FALSE(Cell[I].getAsInteger(10, V)) << Line.str();
      return V;
    };
    BlockResources B = block(Number(0), Number(3), Number(1), Number(2));
    if (B.StaticSharedBytes + B.DynamicSharedBytes == 0)
      continue; // L1 is what the driver leaves then
    B.GridBlocks = Number(4);
    int64_t Ours = Number(5) < 0
                       ? cantFail(residency(gpu("h200"), B)).CarveoutBytes
                       : carveoutAsked(gpu("h200"), B, Number(5));
    Missed += Ours != Number(6);
  }
  // Five blocks of 928 threads, for which the driver leaves room for four, and
  // two of 128 threads with up to 128 bytes, which get 32 KiB, not 64.
  EXPECT_LE(Missed, 7u);
}

TEST(Carveout, negativeBeyondTheLargest) {
  EXPECT_FALSE(carveoutFor(gpu("h200"), 228 * 1024 + 1));
  EXPECT_EQ(carveoutFor(gpu("t4"), 0), 32 * 1024);
}

TEST(ReserveShared, positiveLimitsTheBlocks) {
  BlockResources B = block(256, 32);
  std::optional<Reservation> R = reserveShared(gpu("titan-v"), B, 7);
  ASSERT_TRUE(R);
  // 96 KiB / 8 blocks = 12 KiB, and one unit more.
  EXPECT_EQ(R->Bytes, 12 * 1024 + 256);
  EXPECT_EQ(R->After.BlocksPerSM, 7);
  EXPECT_EQ(R->After.L1Bytes, 32 * 1024);
}

TEST(ReserveShared, negativeNoLegalAmount) {
  // One block would need more than half of 96 KiB, and a block has 48.
  EXPECT_FALSE(reserveShared(gpu("sm_61"), block(256), 1));
  EXPECT_FALSE(reserveShared(gpu("h200"), block(256), 0));
  EXPECT_FALSE(reserveShared(gpu("h200"), block(1025), 1));
}

TEST(ReserveInCarveout, positiveLeavesNearlyAllOfL1) {
  std::optional<Reservation> R = reserveInCarveout(gpu("h200"), block(256), 2);
  ASSERT_TRUE(R);
  EXPECT_EQ(R->Bytes, 3 * 1024); // and 1 KiB that the system reserves
  EXPECT_EQ(R->CarveoutPercent, 3);
  EXPECT_EQ(R->After.BlocksPerSM, 2);
  EXPECT_EQ(R->After.L1Bytes, 248 * 1024);
  // 8 KiB would hold five blocks of 1.5 KiB.
  BlockResources B = block(256);
  B.StaticSharedBytes = 512;
  R = reserveInCarveout(gpu("h200"), B, 4);
  ASSERT_TRUE(R);
  EXPECT_EQ(R->Bytes, 512);
  EXPECT_EQ(R->After.CarveoutBytes, 8 * 1024);
}

TEST(ReserveInCarveout, positiveTheNextOneWhereItsOwnAreTooMany) {
  BlockResources B = block(256);
  B.DynamicSharedBytes = 6 * 1024;
  std::optional<Reservation> R = reserveInCarveout(gpu("h200"), B, 2);
  ASSERT_TRUE(R);
  EXPECT_EQ(R->After.CarveoutBytes, 16 * 1024);
  EXPECT_EQ(R->Bytes, 1024);
}

TEST(ReserveInCarveout, negativeNoneThatHoldsJustSoMany) {
  EXPECT_FALSE(reserveInCarveout(gpu("sm_61"), block(256), 2)); // L1 is apart
  EXPECT_FALSE(reserveInCarveout(gpu("h200"), block(256), 0));
  EXPECT_FALSE(reserveInCarveout(gpu("h200"), block(256), 9)); // threads: 8
  EXPECT_FALSE(reserveInCarveout(gpu("h200"), block(1025), 1));
  BlockResources B = block(256);
  B.DynamicSharedBytes = 227 * 1024; // all that a block may have
  EXPECT_FALSE(reserveInCarveout(gpu("h200"), B, 1));
}

TEST(ReserveInCarveout, holdsJustSoManyOnRandomLaunches) {
  Draw D(5);
  int Found = 0;
  for (int I = 0; I < 5000; ++I) {
    auto [Gpu, B] = drawConfiguration(D);
    B.CarveoutPercent.reset();
    int64_t Now = blocksOf(*Gpu, B);
    if (Now < 2)
      continue;
    int64_t Wanted = 1 + D.upTo(Now - 2);
    std::optional<Reservation> R = reserveInCarveout(*Gpu, B, Wanted);
    if (!R)
      continue;
    ++Found;
    SCOPED_TRACE(ourRow(*Gpu, B) + " to " + std::to_string(Wanted));
    ASSERT_GT(R->Bytes, 0);
    ASSERT_EQ(R->Bytes % 4, 0);
    B.DynamicSharedBytes += R->Bytes;
    B.CarveoutPercent = R->CarveoutPercent;
    ASSERT_EQ(blocksOf(*Gpu, B), Wanted);
    // The driver's rule as measured agrees with that of the toolkit's header.
    ASSERT_EQ(carveoutAsked(*Gpu, B, *R->CarveoutPercent),
              R->After.CarveoutBytes);
    ASSERT_EQ(R->After.CarveoutBytes / allocatedSharedBytes(*Gpu, B), Wanted);
  }
  EXPECT_GT(Found, 500);
}

TEST(ReserveInCarveout, writesReservationsOnDemand) {
  const char *Path = std::getenv("CATT_RESERVATIONS_WRITE");
  const char *Name = std::getenv("CATT_RESERVATIONS_GPU");
  if (!Path || !Name)
    return;
  const Device Gpu = gpu(Name);
  std::error_code EC;
  raw_fd_ostream Out(Path, EC);
  ASSERT_FALSE(EC) << EC.message();
  Draw D(6);
  for (int Written = 0; Written < 400;) {
    BlockResources B = block(32 * (1 + D.upTo(31)), 16);
    B.DynamicSharedBytes = D.oneIn(3) ? 0 : 4 * D.upTo(D.oneIn(2) ? 512 : 6000);
    int64_t Now = blocksOf(Gpu, B);
    int64_t Wanted = 1 + D.upTo(std::max<int64_t>(Now - 2, 0));
    std::optional<Reservation> R = reserveInCarveout(Gpu, B, Wanted);
    if (!R || Now < 2)
      continue;
    Out << formatv("{0} {1} {2} {3} {4}\n", B.Threads, B.DynamicSharedBytes,
                   Wanted, R->Bytes, *R->CarveoutPercent);
    ++Written;
  }
}

TEST(ReserveShared, isMinimalOnRandomLaunches) {
  Draw D(4);
  for (int I = 0; I < 5000; ++I) {
    auto [Gpu, B] = drawConfiguration(D);
    B.CarveoutPercent.reset();
    int64_t Now = blocksOf(*Gpu, B);
    if (Now < 2)
      continue;
    int64_t Wanted = 1 + D.upTo(Now - 2);
    std::optional<Reservation> R = reserveShared(*Gpu, B, Wanted);
    if (!R)
      continue;
    SCOPED_TRACE(ourRow(*Gpu, B) + " to " + std::to_string(Wanted));
    ASSERT_LE(R->After.BlocksPerSM, Wanted);
    ASSERT_GT(R->Bytes, 0);
    ASSERT_EQ(R->Bytes % 4, 0);
    B.DynamicSharedBytes += R->Bytes;
    ASSERT_EQ(blocksOf(*Gpu, B), R->After.BlocksPerSM);
    B.DynamicSharedBytes -= std::min(R->Bytes, Gpu->SharedAllocationUnit);
    ASSERT_GT(blocksOf(*Gpu, B), Wanted);
  }
}

} // namespace
