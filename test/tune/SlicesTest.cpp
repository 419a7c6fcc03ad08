//===- SlicesTest.cpp - Tests of catt/slices.h ----------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/frontend/builtin/runtime/catt/slices.h"
#include "TrialsTesting.h"

namespace trials_test {
namespace {

/// The fake GPU has 4 SMs of 2,048 threads: 32 blocks of 256 fill it, and a
/// part has 64 of them or more.
constexpr unsigned Threads = 256, Part = 64;

/// One launch: "CO": parts that ran the changed kernel, and the original.
struct Launched {
  std::string Kernels;
  std::vector<unsigned> Sizes;
  unsigned Blocks = 0;
};

/// Ms: of a block. Each part is done when the next one is launched.
Launched launchParts(catt::Trials &Of, dim3 Grid, Costs Ms, bool May = true) {
  Launched Out;
  unsigned At = 0;
  for (catt::Slices S(Of, Grid, Threads, nullptr, May); S.next();) {
    const dim3 Here = S.grid();
    const uint3 First = S.first();
    EXPECT_EQ(S.whole().x, Grid.x);
    EXPECT_EQ(Grid.z > 1 ? First.z : Grid.y > 1 ? First.y : First.x, At);
    At += Grid.z > 1 ? Here.z : Grid.y > 1 ? Here.y : Here.x;
    const unsigned Blocks = Here.x * Here.y * Here.z;
    Out.Kernels += S.changed() ? 'C' : 'O';
    Out.Sizes.push_back(Blocks);
    Out.Blocks += Blocks;
    Fake.NowMs += (S.changed() ? Ms.Changed : Ms.Original) * float(Blocks);
  }
  return Out;
}

using Slices = Trials;

TEST_F(Slices, PositiveTwoPairsThatAgree) {
  program([] {
    catt::Trials Of("k");
    const Launched L = launchParts(Of, 6400, MuchWorse);
    EXPECT_EQ(L.Kernels, "COCO" + times(1, 'O'));
    EXPECT_EQ(L.Sizes, (std::vector<unsigned>{100, 100, 100, 100, 6000}));
    EXPECT_EQ(L.Blocks, 6400U);
  });
}

TEST_F(Slices, PositiveFourPairsWhereTheDifferenceIsSmall) {
  program([] {
    catt::Trials Of("k");
    const Launched L = launchParts(Of, 6400, Better);
    EXPECT_EQ(L.Kernels, InTurn + 'C'); // and the rest
    EXPECT_EQ(L.Blocks, 6400U);
  });
}

TEST_F(Slices, PositiveTheSlowestExtentIsDivided) {
  for (const dim3 Grid : {dim3(64, 64), dim3(8, 8, 64), dim3(4096, 1, 1)})
    program([&] {
      catt::Trials Of("k");
      const Launched L = launchParts(Of, Grid, MuchWorse);
      EXPECT_EQ(L.Sizes.front(), Part);
      EXPECT_EQ(L.Blocks, 4096U);
    });
}

TEST_F(Slices, PositiveTheNextLaunchKnows) {
  program([] {
    catt::Trials Of("k");
    launchParts(Of, 6400, MuchWorse);
    EXPECT_EQ(launchParts(Of, 6400, MuchWorse).Kernels, "O");
  });
}

TEST_F(Slices, PositiveAChoiceOfTheFile) {
  write("k\tFake GPU 0\toriginal\t1.0 2.0\n");
  keepChoices();
  program([] {
    catt::Trials Of("k");
    EXPECT_EQ(launchParts(Of, 6400, Better).Kernels, "OO");
  });
}

//===-- Launches that stay whole ------------------------------------------===//

TEST_F(Slices, NegativeTooSmallAGrid) {
  for (const dim3 Grid :
       {dim3(1), dim3(Part * 8 - 1), dim3(4096, 7), dim3(4096, 4, 2), dim3(0)})
    program([&] {
      catt::Trials Of("k");
      EXPECT_EQ(launchParts(Of, Grid, MuchWorse).Sizes.size(), 1U);
    });
}

TEST_F(Slices, NegativeAStreamThatIsBusy) {
  program([] {
    catt::Trials Of("k");
    Fake.BusyMs = 1000;
    EXPECT_EQ(launchParts(Of, 6400, MuchWorse).Sizes.size(), 1U);
  });
}

TEST_F(Slices, NegativeAStreamThatIsCaptured) {
  program([] {
    catt::Trials Of("k");
    Fake.Capturing = true;
    EXPECT_EQ(launchParts(Of, 6400, MuchWorse).Kernels, "C");
    EXPECT_EQ(Fake.EventCalls, 0);
  });
}

TEST_F(Slices, NegativeTheChangedKernelMayNotRun) {
  program([] {
    catt::Trials Of("k");
    EXPECT_EQ(launchParts(Of, 6400, Better, /*May=*/false).Kernels, "O");
  });
}

TEST_F(Slices, NegativeSwitchedOff) {
  ::setenv("CATT_TRIALS", "off", 1);
  program([] {
    catt::Trials Of("k");
    EXPECT_EQ(launchParts(Of, 6400, Better).Kernels, "O");
  });
}

TEST_F(Slices, NegativeAnErrorOfBefore) {
  program([] {
    catt::Trials Of("k");
    FakeHere.Last = cudaErrorInvalidConfiguration;
    EXPECT_EQ(launchParts(Of, 6400, Better).Sizes.size(), 1U);
    EXPECT_EQ(FakeHere.Last, cudaErrorInvalidConfiguration);
  });
}

//===-- Launches that go on as one ----------------------------------------===//

TEST_F(Slices, NegativePartsThatAreDoneTooSoon) {
  program([] {
    catt::Trials Of("k");
    // 1 us each; the first of each kernel tells little.
    const Launched L = launchParts(Of, 6400, {1.125e-5F, 1e-5F});
    EXPECT_EQ(L.Kernels, "COCOC");
    EXPECT_EQ(L.Blocks, 6400U);
  });
}

TEST_F(Slices, NegativeCallsThatFail) {
  for (const char *Call :
       {"cudaEventCreate", "cudaEventRecord", "cudaEventQuery",
        "cudaEventElapsedTime", "cudaGetDevice", "cudaDeviceGetAttribute",
        "cudaStreamIsCapturing", "cudaStreamQuery"})
    program([&] {
      Fake.FailingCall = Call;
      catt::Trials Of("k");
      EXPECT_EQ(launchParts(Of, 6400, MuchWorse).Blocks, 6400U) << Call;
      EXPECT_EQ(FakeHere.Last, cudaSuccess) << Call;
    });
}

} // namespace
} // namespace trials_test
