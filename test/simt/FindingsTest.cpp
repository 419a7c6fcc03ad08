//===- FindingsTest.cpp - The executor finds what is wrong -----------------==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// kernels/Wrong.cu marks the lines of its mistakes; each must be found on a
// marked line under every schedule, and the correct twins must stay silent.
//
//===----------------------------------------------------------------------===//

#include "test/simt/Testing.h"
#include "llvm/Support/MemoryBuffer.h"
#include <set>

using namespace catt::simt;

namespace {

/// Lines of Wrong.cu that carry the mark of a kernel.
std::set<unsigned> marked(const std::string &Kernel) {
  auto Buffer = llvm::MemoryBuffer::getFile(CATT_SIMT_KERNELS "/Wrong.cu");
  llvm::SmallVector<llvm::StringRef> Lines;
  (*Buffer)->getBuffer().split(Lines, '\n');
  std::set<unsigned> Result;
  for (unsigned I = 0; I < Lines.size(); ++I)
    if (Lines[I].rtrim().ends_with("// BAD " + Kernel))
      Result.insert(I + 1);
  return Result;
}

class Findings : public testing::Test {
protected:
  static Result run(const char *Kernel, Dim Grid, Dim Block,
                    const std::vector<void *> &Args, Options O,
                    size_t Shared = 0) {
    O.Budget = 200000;
    return kernels("Wrong.cu").run(Kernel, Grid, Block, Shared, Args, O);
  }

  /// The first finding of a kind; fails if there is none on a marked line.
  static Finding expect(FindingKind K, const char *Kernel, const Result &R) {
    std::set<unsigned> Lines = marked(Kernel);
    EXPECT_FALSE(Lines.empty());
    for (const Finding &F : R.Findings) {
      EXPECT_TRUE(Lines.count(F.Where.Line)) << F.str();
      if (F.Kind == K)
        return F;
    }
    ADD_FAILURE() << "no " << name(K) << " in " << Kernel << ", but:\n"
                  << all(R.Findings);
    return {};
  }
};

//===-- Waiting -----------------------------------------------------------===//

TEST_F(Findings, threadsAtDifferentBarriers) {
  Buffer<int> A(64, 0);
  int N = 40;
  for (const Options &O : schedules()) {
    Result R = run("divergentBarrier", {1}, {64}, {A.arg(), &N}, O);
    ASSERT_FALSE(R.Findings.empty());
    const Finding &F = R.Findings[0];
    EXPECT_EQ(F.Kind, FindingKind::BarrierDivergence);
    unsigned Bad = *marked("divergentBarrier").begin();
    ASSERT_TRUE(F.Other.has_value());
    EXPECT_TRUE(F.Where.Line == Bad || F.Other->Line == Bad) << F.str();
    EXPECT_NE(F.Where.Line, F.Other->Line);
    EXPECT_NE(F.str().find("Wrong.cu:"), std::string::npos);
    EXPECT_EQ(F.Where.Line == Bad, F.Thread.X < 40) << F.str();
  }
}

TEST_F(Findings, noDivergenceIfTheGuardIsUniform) {
  Buffer<int> A(64, 0);
  for (int N : {0, 64})
    for (const Options &O : schedules())
      EXPECT_EQ(
          all(run("divergentBarrier", {2}, {64}, {A.arg(), &N}, O).Findings),
          "");
}

TEST_F(Findings, loopsOfDifferentLengthAroundABarrier) {
  Buffer<int> A(64, 0);
  for (const Options &O : schedules()) {
    Result R = run("divergentTripCount", {1}, {64}, {A.arg()}, O);
    ASSERT_FALSE(R.Findings.empty());
    EXPECT_EQ(R.Findings[0].Kind, FindingKind::BarrierDivergence);
  }
}

TEST_F(Findings, exitedThreadsMatterOnlyBeforeVolta) {
  Buffer<int> A(64, 0);
  int N = 40;
  for (Options O : schedules()) {
    EXPECT_EQ(
        all(run("barrierAfterExit", {1}, {64}, {A.arg(), &N}, O).Findings), "");
    O.ExitedThreadsBlock = true;
    expect(FindingKind::BarrierAfterExit, "barrierAfterExit",
           run("barrierAfterExit", {1}, {64}, {A.arg(), &N}, O));
  }
}

TEST_F(Findings, deadlockOfAWarpOperation) {
  Buffer<int> A(32, 0);
  for (const Options &O : schedules()) {
    Result R = run("missingLanes", {1}, {32}, {A.arg()}, O);
    Finding F = expect(FindingKind::Deadlock, "missingLanes", R);
    EXPECT_LT(F.Thread.X, 16u);
    EXPECT_NE(R.Error, 0);
  }
}

TEST_F(Findings, pollingForNobody) {
  Buffer<int> Flag(1, 0);
  for (const Options &O : schedules())
    expect(FindingKind::NoProgress, "waitsForNobody",
           run("waitsForNobody", {1}, {32}, {Flag.arg()}, O));
}

TEST_F(Findings, waitingForWhoCannotCome) {
  Buffer<int> Flag(1, 0);
  for (const Options &O : schedules()) { // long before the budget is used up
    Result R = kernels("Wrong.cu")
                   .run("groupWaitsForTheNext", {1}, {64}, 0, {Flag.arg()}, O);
    Finding F = expect(FindingKind::NoProgress, "groupWaitsForTheNext", R);
    EXPECT_NE(F.Message.find("nobody changes"), std::string::npos) << F.str();
  }
}

TEST_F(Findings, deadlockOfANamedBarrier) {
  Buffer<int> A(64, 0);
  for (const Options &O : schedules())
    expect(FindingKind::Deadlock, "tooFewAtNamedBarrier",
           run("tooFewAtNamedBarrier", {1}, {64}, {A.arg()}, O));
}

TEST_F(Findings, deadlockOfAGridOfWhichAPartIsResident) {
  Buffer<int> A(64, 0);
  for (Options O : schedules()) {
    O.ResidentBlocks = 2;
    expect(FindingKind::Deadlock, "allBlocksMeet",
           run("allBlocksMeet", {3}, {32}, {A.arg()}, O));
    O.ResidentBlocks = 0; // as many as fit: all, or, of this shared memory, two
    O.SMs = 1;
    EXPECT_EQ(all(run("allBlocksMeet", {3}, {32}, {A.arg()}, O).Findings), "");
    expect(FindingKind::Deadlock, "allBlocksMeet",
           run("allBlocksMeet", {3}, {32}, {A.arg()}, O, 100 * 1024));
  }
}

TEST_F(Findings, laneOutsideOfItsMask) {
  Buffer<int> A(32, 0);
  for (const Options &O : schedules()) {
    Finding F = expect(FindingKind::WarpMask, "notInMask",
                       run("notInMask", {1}, {32}, {A.arg()}, O));
    EXPECT_NE(F.Thread.X, 0u);
  }
}

//===-- Memory ------------------------------------------------------------===//

TEST_F(Findings, sharedMemoryThatNobodyWrote) {
  Buffer<int> A(64, 0);
  for (const Options &O : schedules()) {
    Finding F = expect(FindingKind::UninitializedShared, "uninitialized",
                       run("uninitialized", {1}, {64}, {A.arg()}, O));
    EXPECT_EQ(F.Thread.X, 63u);
  }
}

TEST_F(Findings, sharedMemoryOfThePreviousBlock) {
  Buffer<int> A(128, 0);
  for (const Options &O : schedules()) {
    Finding F = expect(FindingKind::UninitializedShared, "leftFromLastBlock",
                       run("leftFromLastBlock", {2}, {64}, {A.arg()}, O, 256));
    EXPECT_EQ(F.Block.X, 1u);
    EXPECT_EQ(A[0], 1);
    EXPECT_NE(A[64], 1) << "block 1 must not see what block 0 wrote";
  }
}

TEST_F(Findings, outOfBounds) {
  Buffer<int> A(64, 0), Out(64, 0);
  int N = 64, Less = 63;
  void *Null = nullptr;
  for (const Options &O : schedules()) {
    Finding F = expect(FindingKind::OutOfBounds, "tooFar",
                       run("tooFar", {1}, {32}, {A.arg(), &N}, O));
    EXPECT_EQ(F.Thread.X, 0u);
    EXPECT_NE(F.Message.find("at byte 256 of an allocation of 256 bytes"),
              std::string::npos)
        << F.Message;
    EXPECT_EQ(all(run("tooFar", {1}, {32}, {A.arg(), &Less}, O).Findings), "");
    F = expect(FindingKind::OutOfBounds, "beforeBegin",
               run("beforeBegin", {1}, {32}, {A.arg(), Out.arg()}, O));
    EXPECT_EQ(F.Thread.X, 0u);
    expect(FindingKind::OutOfBounds, "nullPointer",
           run("nullPointer", {1}, {4}, {static_cast<void *>(&Null), Out.arg()},
               O));
    F = expect(FindingKind::OutOfBounds, "outsideShared",
               run("outsideShared", {1}, {64}, {A.arg()}, O));
    EXPECT_GE(F.Thread.X, 32u);
  }
}

TEST_F(Findings, freedMemory) {
  Buffer<int> Out(64, 0);
  void *Gone = deviceAlloc(256);
  ASSERT_TRUE(deviceFree(Gone));
  EXPECT_FALSE(deviceFree(Gone));
  Gone = static_cast<char *>(Gone) + 4;
  expect(FindingKind::OutOfBounds, "beforeBegin",
         run("beforeBegin", {1}, {32}, {static_cast<void *>(&Gone), Out.arg()},
             {}));
}

TEST_F(Findings, misalignedVector) {
  Buffer<char> A(64, 0);
  Buffer<double> Out(4, 0);
  expect(FindingKind::Misaligned, "misaligned",
         run("misaligned", {1}, {1}, {A.arg(), Out.arg()}, {}));
}

TEST_F(Findings, writeToConstantMemory) {
  expect(FindingKind::ConstantWrite, "writesConstant",
         run("writesConstant", {1}, {4}, {}, {}));
}

//===-- Crashes -----------------------------------------------------------===//

TEST_F(Findings, crashesEndTheLaunchOnly) {
  Buffer<int> A(64, 0);
  int Much = 1 << 24, Little = 10;
  for (const Options &O : schedules()) {
    expect(FindingKind::Crash, "dividesByZero",
           run("dividesByZero", {1}, {32}, {A.arg()}, O));
    expect(FindingKind::Crash, "overflowsStack",
           run("overflowsStack", {1}, {2}, {A.arg(), &Much}, O));
    EXPECT_EQ(
        all(run("overflowsStack", {1}, {2}, {A.arg(), &Little}, O).Findings),
        "");
    EXPECT_EQ(all(run("fails", {1}, {64}, {A.arg()}, O).Findings), "");
    A.data()[40] = 1;
    Finding F = expect(FindingKind::Crash, "fails",
                       run("fails", {1}, {64}, {A.arg()}, O));
    for (int I = 0; I < 64; ++I)
      A.data()[I] = 0;
  }
}

//===-- Races -------------------------------------------------------------===//

TEST_F(Findings, racesBetweenWarps) {
  Buffer<int> A(64, 0);
  for (const Options &O : schedules())
    for (const char *Kernel : {"raceReadAfterWrite", "raceWriteAfterRead",
                               "raceWriteWrite", "raceWithAtomic"}) {
      Finding F = expect(FindingKind::Race, Kernel,
                         run(Kernel, {2}, {64}, {A.arg()}, O));
      ASSERT_TRUE(F.Other.has_value());
      EXPECT_TRUE(marked(Kernel).count(F.Other->Line)) << F.str();
    }
}

TEST_F(Findings, racesWithinAWarp) {
  Buffer<int> A(64, 0);
  for (const Options &O : schedules())
    for (const char *Kernel :
         {"raceOfLanesAfterWrite", "raceOfLanesAfterRead", "raceOfHalves"}) {
      Finding F = expect(FindingKind::Race, Kernel,
                         run(Kernel, {2}, {64}, {A.arg()}, O));
      ASSERT_TRUE(F.Other.has_value());
      EXPECT_TRUE(marked(Kernel).count(F.Other->Line)) << F.str();
    }
}

TEST_F(Findings, noRacesWhereThereAreNone) {
  Buffer<int> A(64, 0);
  int N = 5, Half = 40;
  for (const Options &O : schedules()) {
    EXPECT_EQ(all(run("neighbouringBytes", {2}, {64}, {A.arg()}, O).Findings),
              "");
    EXPECT_EQ(all(run("halvesMeet", {2}, {64}, {A.arg()}, O).Findings), "");
    Buffer<int> Flags(2, 0);
    EXPECT_EQ(all(run("waitsForAnother", {1}, {64}, {Flags.arg()}, O).Findings),
              "");
    EXPECT_EQ(Flags[1], 5);
    EXPECT_EQ(all(run("sameWarp", {2}, {64}, {A.arg()}, O).Findings), "");
    EXPECT_EQ(all(run("lanesMeet", {2}, {64}, {A.arg()}, O).Findings), "");
    EXPECT_EQ(all(run("uniformBarriers", {3}, {64}, {A.arg(), &N}, O).Findings),
              "");
    EXPECT_EQ(all(run("earlyExit", {2}, {64}, {A.arg(), &Half}, O).Findings),
              "");
  }
}

TEST_F(Findings, oneFindingForOnePlace) {
  Buffer<int> A(64, 0);
  Result R = run("raceWriteWrite", {5}, {64}, {A.arg()}, {});
  EXPECT_EQ(R.Findings.size(), 1u) << all(R.Findings);
  EXPECT_EQ(R.Findings[0].Block.X, 0u);
}

} // namespace
