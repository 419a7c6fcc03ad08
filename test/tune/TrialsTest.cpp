//===- TrialsTest.cpp - Launches that choose, without a GPU ---------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "test/tune/TrialsTesting.h"
#include <thread>

namespace trials_test {

//===----------------------------------------------------------------------===//
// Which one is chosen
//===----------------------------------------------------------------------===//

TEST_F(Trials, TheChangedKernelIsTakenWhereItIsFaster) {
  program([] {
    catt::Trials Of("k");
    EXPECT_EQ(launches(12, Of, Better), InTurn + "CCCC");
  });
}

TEST_F(Trials, TheOriginalStaysWhereItIsFaster) {
  program([] {
    catt::Trials Of("k");
    EXPECT_EQ(launches(12, Of, Worse), InTurn + "OOOO");
  });
}

TEST_F(Trials, ATieKeepsTheOriginal) {
  program([] {
    catt::Trials Of("k"), Little("l"), Enough("m");
    EXPECT_EQ(launches(9, Of, {1, 1}), InTurn + "O");
    EXPECT_EQ(launches(9, Little, {1000, 992}), InTurn + "O");
    EXPECT_EQ(launches(9, Enough, {1000, 980}), InTurn + "C");
  });
}

TEST_F(Trials, TimesOfNothingKeepTheOriginal) {
  program([] {
    catt::Trials Of("k");
    EXPECT_EQ(launches(9, Of, {0, 0}), InTurn + "O");
  });
}

TEST_F(Trials, FirstTimesAreDropped) {
  // With them, the middle of the two slow and two fast ones would be slow.
  program([] {
    catt::Trials Of("k");
    launch(Of, {0, 100});
    launch(Of, {1, 0});
    launch(Of, {0, 100});
    launch(Of, {100, 0});
    EXPECT_EQ(launches(5, Of, Better), "COCOC");
  });
  program([] {
    catt::Trials Of("k");
    launch(Of, {0, 1});
    launch(Of, {100, 0});
    launch(Of, {0, 100});
    launch(Of, {100, 0});
    EXPECT_EQ(launches(5, Of, Worse), "COCOO");
  });
}

TEST_F(Trials, TwoPairsThatDifferClearlyDecide) {
  program([] {
    catt::Trials A("a"), B("b"), C("c"), D("d");
    EXPECT_EQ(launches(9, A, {2, 1}), Soon + times(5, 'C'));
    EXPECT_EQ(launches(9, B, MuchWorse), Soon + times(5, 'O'));
    // Which of them agrees does not matter.
    launches(2, C, {2, 1});
    EXPECT_EQ(launches(7, C, Worse), "COCOCOO");
    launches(2, D, Better);
    EXPECT_EQ(launches(7, D, {2, 1}), "COCOCOC");
  });
}

TEST_F(Trials, PairsThatContradictEachOtherDoNotDecide) {
  program([] {
    catt::Trials Of("k");
    launches(2, Of, {2, 1});
    launches(2, Of, MuchWorse);
    EXPECT_EQ(launches(5, Of, Worse), "COCOO");
  });
}

TEST_F(Trials, OneSlowTimeDoesNotDecide) {
  program([] {
    catt::Trials Of("k");
    launches(4, Of, Better);
    launch(Of, {0, 1000});
    EXPECT_EQ(launches(4, Of, Better), "OCOC");
  });
}

TEST_F(Trials, TimesArePerBlock) {
  program([] {
    catt::Trials Of("k"), Other("l");
    // Each launch is larger than the one before: the changed kernel would win.
    for (unsigned I = 8; I; --I)
      launch(Of, {10, 11}, dim3(I * I));
    EXPECT_EQ(launch(Of, {10, 11}), 'O');
    for (unsigned I = 1; I <= 8; ++I)
      launch(Other, {10, 9}, dim3(I % 2 ? 100 : 1, I, 2));
    EXPECT_EQ(launch(Other, {10, 9}), 'C');
  });
}

TEST_F(Trials, AGridWithoutBlocksIsNotTimed) {
  program([] {
    catt::Trials Of("k");
    for (dim3 Grid : {dim3(0), dim3(7, 0), dim3(7, 7, 0)})
      EXPECT_EQ(launch(Of, Better, Grid), 'O');
    EXPECT_EQ(Fake.Calls, 0);
    EXPECT_EQ(launches(9, Of, Better), InTurn + "C");
    EXPECT_EQ(launch(Of, Better, 0), 'O');
  });
}

TEST_F(Trials, AGridThatIsHugeIsCounted) {
  program([] {
    catt::Trials Of("k");
    for (int I = 0; I < 8; ++I) {
      catt::Trial Trial(Of, dim3(65536, 65536));
      Fake.NowMs += Trial.changed() ? 2 : 1;
    }
    EXPECT_EQ(launch(Of, Worse), 'O');
  });
}

TEST_F(Trials, WhatMayNotChangeIsNotTimed) {
  program([] {
    catt::Trials Of("k");
    for (int I = 0; I < 20; ++I)
      EXPECT_EQ(launch(Of, Better, 1, false), 'O');
    EXPECT_EQ(Fake.Calls, 0);
    EXPECT_EQ(launches(9, Of, Better), InTurn + "C");
    EXPECT_EQ(launch(Of, Better, 1, false), 'O');
    EXPECT_EQ(launch(Of, Better), 'C');
  });
}

TEST_F(Trials, EachLaunchInTheTextChoosesForItself) {
  program([] {
    catt::Trials One("k"), Two("k");
    for (int I = 0; I < 8; ++I) {
      launch(One, Better);
      launch(Two, Worse);
    }
    EXPECT_EQ(launch(One, Better), 'C');
    EXPECT_EQ(launch(Two, Worse), 'O');
  });
}

//===----------------------------------------------------------------------===//
// Programs that queue
//===----------------------------------------------------------------------===//

TEST_F(Trials, WhatIsQueuedIsReadWhenItIsDone) {
  program([] {
    catt::Trials Of("k");
    std::string All;
    for (int I = 0; I < 100; ++I)
      All += queue(Of, Better);
    EXPECT_EQ(All, "CO" + times(98, 'C'));
    EXPECT_EQ(Fake.Open, 4);
    EXPECT_EQ(Fake.Records, 4);
    EXPECT_EQ(FakeHere.Last, cudaSuccess) << "not ready is no error";
    Fake.NowMs = float(Fake.BusyMs);
    EXPECT_EQ(launches(300, Of, Better), "COCOCO" + times(294, 'C'));
    EXPECT_EQ(Fake.Open, 4);
    EXPECT_EQ(Fake.Records, 18) << "four pairs, and the 256th";
  });
}

TEST_F(Trials, UntilThereIsAChoiceTheLikelyOneRuns) {
  program([] {
    catt::Trials Of("k", catt::Choice::Original);
    std::string All;
    for (int I = 0; I < 100; ++I)
      All += queue(Of, Better);
    EXPECT_EQ(All, "CO" + times(98, 'O'));
    Fake.NowMs = float(Fake.BusyMs);
    EXPECT_EQ(launches(8, Of, Better), "COCOCOCC");
  });
}

TEST_F(Trials, WhatIsQueuedMayKeepTheOriginal) {
  program([] {
    catt::Trials Of("k");
    for (int I = 0; I < 100; ++I)
      queue(Of, Worse);
    Fake.NowMs = float(Fake.BusyMs);
    EXPECT_EQ(launches(9, Of, Worse), "COCOCOOOO");
  });
}

TEST_F(Trials, NoPairBeginsBeforeTheOneBeforeIsDone) {
  program([] {
    catt::Trials Of("k");
    std::string All;
    for (int I = 0; I < 8; ++I)
      All += queue(Of, MuchWorse); // done at 2, 3, 5, 7, ... ms
    EXPECT_EQ(All, "CO" + times(6, 'C'));
    Fake.NowMs = 2.5F;
    EXPECT_EQ(queue(Of, MuchWorse), 'C');
    EXPECT_EQ(Fake.Records, 4) << "half of the pair is read";
    Fake.NowMs = 3.5F;
    EXPECT_EQ(queue(Of, MuchWorse), 'C');
    EXPECT_EQ(queue(Of, MuchWorse), 'O');
    EXPECT_EQ(queue(Of, MuchWorse), 'C') << "not done";
    EXPECT_EQ(Fake.Records, 8);
    Fake.NowMs = float(Fake.BusyMs);
    EXPECT_EQ(queue(Of, MuchWorse), 'O');
  });
}

TEST_F(Trials, WhatFailsInTheQueueIsTriedAgain) {
  program([] {
    catt::Trials Of("k");
    queue(Of, Better);
    launchFailing(Of); // the original
    FakeHere.Last = cudaSuccess;
    std::string All;
    for (int I = 0; I < 10; ++I)
      All += queue(Of, Better);
    EXPECT_EQ(All, "O" + times(9, 'C'));
    EXPECT_LE(Fake.Open, 4);
    Fake.NowMs = float(Fake.BusyMs);
    EXPECT_EQ(launch(Of, Better), 'C');
    EXPECT_EQ(Fake.Records, 7);
  });
}

TEST_F(Trials, APlaceThatIsTakenIsWaitedFor) {
  program([] {
    catt::Trials Of("k");
    {
      catt::Trial A(Of, 1), B(Of, 1), C(Of, 1), D(Of, 1);
      EXPECT_TRUE(A.changed());
      EXPECT_FALSE(B.changed());
      EXPECT_TRUE(C.changed()) << "untimed";
      EXPECT_TRUE(D.changed());
    }
    EXPECT_EQ(Fake.Records, 4);
    EXPECT_EQ(launches(7, Of, Better), "COCOCOC");
    EXPECT_EQ(Fake.Open, 4);
  });
}

//===----------------------------------------------------------------------===//
// After the choice
//===----------------------------------------------------------------------===//

TEST_F(Trials, FewAreTimedAfterTheChoice) {
  program([] {
    catt::Trials Of("k");
    launches(9, Of, Better);
    const int Before = Fake.EventCalls;
    launches(255, Of, Better);
    EXPECT_EQ(Fake.EventCalls, Before);
    EXPECT_EQ(Fake.Records, 16);
    launch(Of, Better);
    EXPECT_EQ(Fake.Records, 18);
    launches(2560, Of, Better);
    EXPECT_EQ(Fake.Records, 38);
    EXPECT_LE(Fake.Open, 16);
  });
}

TEST_F(Trials, WhatIsChosenIsForgottenWhenItGetsSlow) {
  program([] {
    catt::Trials Of("k");
    launches(9, Of, Better);
    // The 256th, 512th and 768th are slow; the 1024th knows, and tries again.
    EXPECT_EQ(launches(1023, Of, {2, 3}), times(1023, 'C'));
    EXPECT_EQ(launches(12, Of, {2, 3}), Soon + times(8, 'O'));
    EXPECT_LE(Fake.Open, 4);
  });
}

TEST_F(Trials, WhatGetsSlowLateIsForgotten) {
  program([] {
    catt::Trials Of("k");
    launches(9, Of, Better);
    launches(25600, Of, Better);
    EXPECT_EQ(launches(1100, Of, {2, 3}).back(), 'O');
  });
}

TEST_F(Trials, AnOriginalThatGetsSlowIsForgotten) {
  program([] {
    catt::Trials Of("k");
    launches(9, Of, Worse);
    EXPECT_EQ(launches(1023, Of, {3, 2}), times(1023, 'O'));
    EXPECT_EQ(launches(12, Of, {3, 2}), Soon + times(8, 'C'));
  });
}

TEST_F(Trials, ALittleSlowerIsNotForgotten) {
  program([] {
    catt::Trials Of("k");
    launches(9, Of, Better);
    EXPECT_EQ(launches(5000, Of, {2, 1.2F}), times(5000, 'C'));
  });
}

TEST_F(Trials, OneThatIsSlowIsNotForgotten) {
  program([] {
    catt::Trials Of("k");
    launches(9, Of, Better);
    for (int I = 1; I < 5000; ++I)
      EXPECT_EQ(launch(Of, {2, I % 768 == 255 ? 100.0F : 1.0F}), 'C') << I;
  });
}

TEST_F(Trials, TrialsBeginAgainFourTimes) {
  program([] {
    catt::Trials Of("k");
    Costs Each = Better;
    int Again = 0;
    launches(9, Of, Each);
    for (int I = 0; I < 10; ++I) {
      Each = {Each.Original * 2, Each.Changed * 2};
      const std::string All = launches(1100, Of, Each);
      Again += All.find('O') != All.npos;
      EXPECT_EQ(All.back(), 'C');
    }
    EXPECT_EQ(Again, 4);
    const int Before = Fake.EventCalls;
    launches(2000, Of, Each);
    EXPECT_EQ(Fake.EventCalls, Before) << "nothing is asked any more";
  });
}

TEST_F(Trials, LateTimesOfAnEarlierChoiceAreNotUsed) {
  program([] {
    catt::Trials Of("k");
    launches(9, Of, Better);
    launches(767, Of, {2, 3});
    // The 768th and the 1024th are read together: the first of them ends what
    // the second, a very slow one, belongs to.
    for (int I = 768; I < 1024; ++I)
      queue(Of, {2, 3});
    queue(Of, {2, 9});
    Fake.NowMs = float(Fake.BusyMs);
    EXPECT_EQ(launches(255, Of, {2, 3}), times(255, 'C'));
    EXPECT_EQ(launches(2, Of, {2, 3}), "CO") << "new trials";
    EXPECT_EQ(launches(4, Of, {2, 1.9F}), "COCO");
    EXPECT_EQ(launches(2, Of, {2, 3}), "CO");
    EXPECT_EQ(launch(Of, Better), 'C') << "the median of 1.9, 1.9 and 3";
  });
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

TEST_F(Trials, ThreadsShareThem) {
  keepChoices();
  program([] {
    constexpr int Threads = 8, Each = 1000;
    static catt::Trials Of("k"), Other("l");
    std::atomic<int> Changed = 0, Original = 0;
    std::vector<std::thread> All;
    for (int I = 0; I < Threads; ++I)
      All.emplace_back([&, I] {
        FakeHere.Device = I % 2;
        for (int J = 0; J < Each; ++J)
          ++(launch(J % 3 ? Of : Other, {20, 1}) == 'C' ? Changed : Original);
        EXPECT_EQ(FakeHere.Last, cudaSuccess);
        EXPECT_EQ(FakeHere.Mode, cudaStreamCaptureModeGlobal);
      });
    for (std::thread &One : All)
      One.join();
    EXPECT_EQ(Changed + Original, Threads * Each);
    EXPECT_LE(Fake.Open, 4 * 16);
    EXPECT_EQ(Fake.Records % 2, 0);
  });
}

} // namespace trials_test
