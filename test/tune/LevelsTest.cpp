//===- LevelsTest.cpp - Tests of catt/levels.h ----------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/frontend/builtin/runtime/catt/levels.h"
#include "TrialsTesting.h"

namespace trials_test {
namespace {

using catt::Level;
using First = catt::Levels::First;

/// The kernel as it was, of which 8 blocks of 256 threads share an SM, and
/// copies of which 9 and 10 do.
void kernel(float *) {}
void nine(float *) {}
void ten(float *) {}

/// What a block takes, in ms, by how many share its SM.
using Curve = std::map<int, float>;
const Curve LessIsBetter{{8, 8}, {6, 7}, {4, 6}, {2, 5}, {1, 4.5F}},
    InTheMiddle{{8, 8}, {6, 8.05F}, {4, 6}, {2, 7}, {1, 9}, {9, 9}, {10, 9}},
    MoreIsBetter{{8, 8}, {6, 9}, {9, 7}, {10, 6}},
    NineIsBest{{8, 8}, {6, 9}, {9, 7}, {10, 7.5F}},
    AsItWas{{8, 8}, {6, 9}, {9, 9}, {10, 7}};

/// As many launches; those of the last one's SM.
int launches(int Count, catt::Levels &Of, const Curve &Ms,
             std::size_t Own = 0) {
  int Blocks = 0;
  for (int I = 0; I < Count; ++I) {
    Level Here(Of, 4, 256, Own, nullptr, kernel, {nine, ten});
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &Blocks, (const void *)Here.kernel(), 256, Here.shared());
    const auto Found = Ms.find(Blocks);
    EXPECT_NE(Found, Ms.end()) << Blocks;
    Fake.NowMs += 4 * (Found == Ms.end() ? 1 : Found->second);
  }
  return Blocks;
}

class Levels : public Trials {
protected:
  void SetUp() override {
    Trials::SetUp();
    Fake.Kernels = {{(const void *)kernel, {8}},
                    {(const void *)nine, {9}},
                    {(const void *)ten, {10}}};
  }
};
constexpr int Enough = 60;

TEST_F(Levels, PositiveFewerAndFewer) {
  program([] {
    catt::Levels Of("k", First::Fewer);
    EXPECT_EQ(launches(Enough, Of, LessIsBetter), 1);
  });
}

TEST_F(Levels, PositiveBehindALevelThatIsAsFast) {
  program([] {
    catt::Levels Of("k", First::Fewer);
    EXPECT_EQ(launches(Enough, Of, InTheMiddle), 4);
  });
}

TEST_F(Levels, PositiveMore) {
  program([] {
    catt::Levels Of("k", First::More);
    EXPECT_EQ(launches(Enough, Of, MoreIsBetter), 10);
    catt::Levels Other("k2", First::More);
    EXPECT_EQ(launches(Enough, Other, NineIsBest), 9);
  });
}

TEST_F(Levels, PositiveTheOtherDirection) {
  program([] {
    catt::Levels Of("k", First::Fewer);
    EXPECT_EQ(launches(Enough, Of, MoreIsBetter), 10);
    catt::Levels Other("k2", First::More);
    EXPECT_EQ(launches(Enough, Other, InTheMiddle), 4);
  });
}

TEST_F(Levels, PositiveAsItWas) {
  program([] {
    for (First Which : {First::More, First::Fewer}) {
      catt::Levels Of("k", Which);
      EXPECT_EQ(launches(Enough, Of, AsItWas), 8);
      const int Records = Fake.Records;
      launches(200, Of, AsItWas);
      EXPECT_EQ(Fake.Records, Records); // nothing is timed any more
    }
  });
}

TEST_F(Levels, PositiveTheSmallestCarveOut) {
  program([] {
    catt::Levels Of("k", First::Fewer);
    launches(Enough, Of, LessIsBetter);
    EXPECT_EQ(Fake.Kernels[(const void *)kernel].Carveout, 4);
    EXPECT_EQ(Fake.Kernels[(const void *)nine].Carveout, -1);
  });
}

TEST_F(Levels, PositiveTheCarveOutAsItWasAgain) {
  program([] {
    catt::Levels Of("k", First::Fewer);
    launches(Enough, Of, AsItWas);
    EXPECT_EQ(Fake.Kernels[(const void *)kernel].Carveout, -1);
  });
}

TEST_F(Levels, PositiveBesideItsOwnSharedMemory) {
  program([] {
    catt::Levels Of("k", First::Fewer);
    EXPECT_EQ(launches(Enough, Of, LessIsBetter, /*Own=*/20000), 1);
    Level Last(Of, 4, 256, 20000, nullptr, kernel);
    EXPECT_GT(Last.shared(), 20000U);
  });
}

TEST_F(Levels, PositiveChoicesOfTheFile) {
  keepChoices();
  program([] {
    catt::Levels Of("k", First::Fewer);
    EXPECT_EQ(launches(Enough, Of, InTheMiddle), 4);
  });
  program([] {
    catt::Levels Of("k", First::Fewer);
    launches(8, Of, InTheMiddle); // one for each step
    const int Records = Fake.Records;
    EXPECT_EQ(launches(8, Of, InTheMiddle), 4);
    EXPECT_EQ(Fake.Records, Records);
  });
}

TEST_F(Levels, PositiveLargerBlocksThanTheBoundsAreFor) {
  program([] {
    catt::Levels Of("k", First::More);
    launches(Enough, Of, MoreIsBetter);
    for (int Threads : {128, 256, 257}) {
      Level Here(Of, 4, Threads, 0, nullptr, kernel, {nine, ten});
      EXPECT_EQ(Here.kernel(), Threads <= 256 ? ten : kernel) << Threads;
    }
  });
}

//===-- Where nothing is tried --------------------------------------------===//

TEST_F(Levels, NegativeSwitchedOff) {
  ::setenv("CATT_TRIALS", "off", 1);
  program([] {
    catt::Levels Of("k", First::Fewer);
    EXPECT_EQ(launches(Enough, Of, LessIsBetter), 8);
    EXPECT_EQ(Fake.EventCalls, 0);
  });
}

TEST_F(Levels, NegativeCapturing) {
  program([] {
    catt::Levels Of("k", First::Fewer);
    Fake.Capturing = true;
    EXPECT_EQ(launches(Enough, Of, LessIsBetter), 8);
    EXPECT_EQ(Fake.EventCalls, 0);
  });
}

TEST_F(Levels, NegativeOneBlockAndNoCopyWithMore) {
  program([] {
    Fake.Kernels = {{(const void *)kernel, {1}},
                    {(const void *)nine, {1}},
                    {(const void *)ten, {1}}};
    catt::Levels Of("k", First::More);
    EXPECT_EQ(launches(Enough, Of, LessIsBetter), 1);
    EXPECT_EQ(Fake.EventCalls, 0);
  });
}

TEST_F(Levels, NegativeNoRoomForSharedMemory) {
  program([] {
    Fake.SharedPerBlock = 0;
    catt::Levels Of("k", First::Fewer);
    EXPECT_EQ(launches(Enough, Of, AsItWas), 8);
  });
}

TEST_F(Levels, NegativeAnErrorOfBefore) {
  program([] {
    catt::Levels Of("k", First::Fewer);
    FakeHere.Last = cudaErrorInvalidConfiguration;
    EXPECT_EQ(launches(1, Of, LessIsBetter), 8);
    EXPECT_EQ(FakeHere.Last, cudaErrorInvalidConfiguration);
  });
}

TEST_F(Levels, NegativeCallsThatFail) {
  for (const char *Call :
       {"cudaEventCreate", "cudaEventRecord", "cudaEventElapsedTime",
        "cudaGetDevice", "cudaFuncSetAttribute", "cudaFuncGetAttributes",
        "cudaDeviceGetAttribute"})
    program([&] {
      Fake.FailingCall = Call;
      catt::Levels Of("k", First::Fewer);
      Level Here(Of, 4, 256, 0, nullptr, kernel);
      EXPECT_EQ(Here.kernel(), kernel) << Call;
      EXPECT_EQ(FakeHere.Last, cudaSuccess) << Call;
    });
}

} // namespace
} // namespace trials_test
