//===- TrialsFailureTest.cpp - Captures, errors and devices ---------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "test/tune/TrialsTesting.h"
#include <stdexcept>

namespace trials_test {

//===----------------------------------------------------------------------===//
// Captures
//===----------------------------------------------------------------------===//

TEST_F(Trials, CapturedLaunchesAreUntimed) {
  program([] {
    catt::Trials Of("k");
    Fake.Capturing = true;
    EXPECT_EQ(launches(20, Of, Worse), times(20, 'C'));
    EXPECT_EQ(Fake.EventCalls, 0);
    Fake.Capturing = false;
    EXPECT_EQ(launches(9, Of, Worse), InTurn + "O");
    const int Before = Fake.EventCalls;
    Fake.Capturing = true;
    EXPECT_EQ(launches(600, Of, Worse), times(600, 'O'));
    EXPECT_EQ(Fake.EventCalls, Before);
  });
}

TEST_F(Trials, ACaptureBetweenTrialsLosesNone) {
  program([] {
    catt::Trials Of("k");
    EXPECT_EQ(launches(5, Of, Worse), "COCOC");
    Fake.Capturing = true;
    EXPECT_EQ(launches(5, Of, Worse), "CCCCC");
    Fake.Capturing = false;
    EXPECT_EQ(launches(5, Of, Worse), "OCOOO");
  });
}

TEST_F(Trials, ACaptureElsewhereGoesOn) {
  program([] {
    catt::Trials Of("k");
    Fake.CapturingElsewhere = true;
    EXPECT_EQ(launches(9, Of, Better), InTurn + "C");
    EXPECT_EQ(Fake.CapturesEnded, 0);
  });
}

TEST_F(Trials, WhereNobodyKnowsNothingIsTimed) {
  program([] {
    catt::Trials Of("k");
    Fake.FailingCall = "cudaStreamIsCapturing";
    EXPECT_EQ(launches(20, Of, Better), times(20, 'C'));
    EXPECT_EQ(Fake.EventCalls, 0);
    EXPECT_EQ(FakeHere.Last, cudaSuccess);
    Fake.FailingCall = "";
    EXPECT_EQ(launches(9, Of, Better), InTurn + "C");
  });
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST_F(Trials, AfterAnEventThatFailsTheOriginalRuns) {
  for (const char *Call : {"cudaEventCreate", "cudaEventRecord",
                           "cudaEventQuery", "cudaEventElapsedTime"})
    for (int After : {0, 1, 2, 3, 5})
      program([=] {
        catt::Trials Of("k");
        Fake.FailingCall = Call;
        Fake.FailingAfter = After;
        std::string All;
        while (Fake.FailingAfter >= 0 && All.size() < 20) {
          All += launch(Of, Better);
          EXPECT_EQ(FakeHere.Last, cudaSuccess) << Call << After;
        }
        // A program of this kind needs four events in all.
        const bool MayFail =
            std::string(Call) != "cudaEventCreate" || After < 4;
        EXPECT_EQ(All.size() < 20, MayFail) << Call << After;
        Fake.FailingCall = "";
        const int Before = Fake.EventCalls;
        const char Then = MayFail ? 'O' : 'C';
        EXPECT_EQ(launches(600, Of, Better), times(600, Then)) << Call << After;
        if (MayFail) {
          EXPECT_EQ(Fake.EventCalls, Before) << Call << After;
        }
      });
}

TEST_F(Trials, TheLaunchWhoseFirstEventFailsIsTheOriginals) {
  for (const char *Call : {"cudaEventCreate", "cudaEventRecord"})
    program([=] {
      catt::Trials Of("k");
      Fake.FailingCall = Call;
      EXPECT_EQ(launch(Of, Better), 'O');
    });
}

TEST_F(Trials, AnEventThatFailsAfterTheChoiceEndsIt) {
  program([] {
    catt::Trials Of("k");
    EXPECT_EQ(launches(9, Of, Better), InTurn + "C");
    Fake.FailingCall = "cudaEventRecord";
    EXPECT_EQ(launches(400, Of, Better), times(255, 'C') + times(145, 'O'));
    EXPECT_EQ(FakeHere.Last, cudaSuccess);
  });
}

TEST_F(Trials, AnErrorThatTheProgramHasPendingStays) {
  program([] {
    catt::Trials Of("k");
    FakeHere.Last = cudaErrorInvalidConfiguration;
    Fake.FailingCall = "cudaEventCreate";
    EXPECT_EQ(launches(20, Of, Better), times(20, 'C'));
    EXPECT_EQ(FakeHere.Last, cudaErrorInvalidConfiguration);
    EXPECT_EQ(Fake.EventCalls, 0) << "one that fails would replace it";
    Fake.FailingCall = "";
    FakeHere.Last = cudaSuccess;
    EXPECT_EQ(launches(9, Of, Worse), InTurn + "O");
    FakeHere.Last = cudaErrorInvalidConfiguration;
    EXPECT_EQ(launches(600, Of, Worse), times(600, 'O'));
    EXPECT_EQ(FakeHere.Last, cudaErrorInvalidConfiguration);
  });
}

TEST_F(Trials, AChangedKernelThatFailsIsNotTriedAgain) {
  program([] {
    catt::Trials Of("k");
    EXPECT_EQ(launchFailing(Of), 'C');
    EXPECT_EQ(FakeHere.Last, cudaErrorInvalidConfiguration) << "the program's";
    FakeHere.Last = cudaSuccess;
    EXPECT_EQ(launches(20, Of, Better), times(20, 'O'));
    EXPECT_EQ(Fake.Records, 1);
  });
}

TEST_F(Trials, AChosenKernelThatFailsIsFoundWhereItIsTimed) {
  program([] {
    catt::Trials Of("k");
    launches(9 + 255, Of, Better);
    EXPECT_EQ(launchFailing(Of), 'C');
    FakeHere.Last = cudaSuccess;
    EXPECT_EQ(launches(20, Of, Better), times(20, 'O'));
  });
}

TEST_F(Trials, TheTimeOfAnOriginalThatFailsIsNotUsed) {
  // It would be nothing, and the original the faster one.
  program([] {
    catt::Trials Of("k");
    std::string All;
    for (int I = 0; I < 4; ++I) {
      All += launch(Of, Better);
      All += launchFailing(Of);
      EXPECT_EQ(FakeHere.Last, cudaErrorInvalidConfiguration);
      FakeHere.Last = cudaSuccess;
      All += launch(Of, Better);
    }
    EXPECT_EQ(All, "COOCOOCOOCOO");
    EXPECT_EQ(launch(Of, Better), 'C');
  });
  program([] {
    catt::Trials Of("k");
    launch(Of, Better);
    for (int I = 0; I < 50; ++I) {
      EXPECT_EQ(launchFailing(Of), 'O');
      FakeHere.Last = cudaSuccess;
    }
    EXPECT_EQ(launches(9, Of, Better), "OCOCOCOCC");
  });
}

TEST_F(Trials, ALaunchThatIsNotReachedIsNotUsed) {
  program([] {
    catt::Trials Of("k");
    launches(3, Of, Better);
    for (int I = 0; I < 10; ++I)
      try {
        catt::Trial Trial(Of, 1);
        throw std::runtime_error("an argument");
      } catch (const std::runtime_error &) {
        EXPECT_EQ(FakeHere.Last, cudaSuccess);
      }
    EXPECT_EQ(launches(6, Of, Better), "OCOCOC");
  });
}

TEST_F(Trials, ALaunchThatUnwindingMakesIsUsed) {
  program([] {
    catt::Trials Of("k");
    struct Launching {
      catt::Trials &Of;
      ~Launching() { launches(8, Of, Worse); }
    };
    try {
      const Launching AtTheEnd{Of};
      throw std::runtime_error("no matter");
    } catch (const std::runtime_error &) {
      EXPECT_EQ(launch(Of, Worse), 'O');
    }
  });
}

TEST_F(Trials, WithoutADeviceTheOriginalRuns) {
  program([] {
    catt::Trials Of("k");
    Fake.FailingCall = "cudaGetDevice";
    EXPECT_EQ(launches(20, Of, Better), times(20, 'O'));
    EXPECT_EQ(FakeHere.Last, cudaSuccess);
    EXPECT_EQ(Fake.EventCalls, 0);
  });
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

TEST_F(Trials, DevicesChooseForThemselves) {
  program([] {
    catt::Trials Of("k");
    for (int I = 0; I < 8; ++I)
      for (int Device : {0, 1, 63}) {
        FakeHere.Device = Device;
        EXPECT_EQ(launch(Of, Device ? Worse : Better), InTurn[I]);
      }
    FakeHere.Device = 0;
    EXPECT_EQ(launches(3, Of, Better), "CCC");
    FakeHere.Device = 63;
    EXPECT_EQ(launches(3, Of, Worse), "OOO");
    EXPECT_EQ(Fake.Open, 12);
  });
}

TEST_F(Trials, ADeviceThatFailsDoesNotEndTheOthers) {
  program([] {
    catt::Trials Of("k");
    FakeHere.Device = 1;
    Fake.FailingCall = "cudaEventRecord";
    launch(Of, Better);
    Fake.FailingCall = "";
    EXPECT_EQ(launches(3, Of, Better), "OOO");
    FakeHere.Device = 0;
    EXPECT_EQ(launches(9, Of, Better), InTurn + "C");
  });
}

} // namespace trials_test
