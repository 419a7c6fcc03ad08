//===- TrialsFileTest.cpp - What CATT_TRIALS says, and keeps --------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "test/tune/TrialsTesting.h"

namespace trials_test {

//===----------------------------------------------------------------------===//
// CATT_TRIALS
//===----------------------------------------------------------------------===//

TEST_F(Trials, OffRunsTheOriginalWithoutACall) {
  ::setenv("CATT_TRIALS", "off", 1);
  program([] {
    catt::Trials Of("k");
    EXPECT_EQ(launches(1000, Of, Better), times(1000, 'O'));
    EXPECT_EQ(Fake.Calls, 0);
  });
  EXPECT_FALSE(std::filesystem::exists("off"));
}

TEST_F(Trials, WithoutAFileNothingIsRead) {
  for (const char *Value : {static_cast<const char *>(nullptr), ""}) {
    if (Value)
      ::setenv("CATT_TRIALS", Value, 1);
    program([] {
      Fake.FailingCall = "cudaGetDeviceProperties";
      catt::Trials Of("k");
      EXPECT_EQ(launches(9, Of, Better), InTurn + "C");
      EXPECT_EQ(Fake.FailingAfter, 0) << "not asked";
    });
    EXPECT_FALSE(std::filesystem::exists(".part"));
  }
}

TEST_F(Trials, ChoicesAreWrittenAtTheEnd) {
  keepChoices();
  program([] {
    static catt::Trials B("b.cu:of two words"), A("a.cu:k"), Few("c.cu:k");
    launches(9, B, {0.5F, 2});
    launches(5, Few, Better);
    for (int Device : {1, 0}) {
      FakeHere.Device = Device;
      for (int I = 0; I < 9; ++I)
        launch(A, {0.5F, 0.25F}, 1000);
    }
  });
  EXPECT_EQ(written(), "a.cu:k\tFake GPU 0\tchanged\t500000.000 250000.000\n"
                       "a.cu:k\tFake GPU 1\tchanged\t500000.000 250000.000\n"
                       "b.cu:of two words\tFake GPU 0\toriginal\t500000.000 "
                       "2000000.000\n");
}

TEST_F(Trials, ChoicesThatAreReadNeedNoTrials) {
  keepChoices();
  const std::string Text = "a\tFake GPU 0\tchanged\t2000000.000 1000000.000\n"
                           "b c\tFake GPU 0\toriginal\t1000000.000 "
                           "2000000.000\n";
  write(Text);
  program([] {
    catt::Trials A("a"), B("b c");
    EXPECT_EQ(launches(255, A, Better), times(255, 'C'));
    EXPECT_EQ(launches(255, B, Worse), times(255, 'O'));
    EXPECT_EQ(Fake.EventCalls, 0);
    launch(A, Better);
    EXPECT_EQ(Fake.Records, 2) << "the 256th";
  });
  EXPECT_EQ(written(), Text);
}

TEST_F(Trials, ACaptureKnowsWhatIsRead) {
  keepChoices();
  write("a\tFake GPU 0\toriginal\t1.000 2.000\n");
  program([] {
    catt::Trials A("a");
    Fake.Capturing = true;
    EXPECT_EQ(launches(5, A, Worse), "OOOOO");
    EXPECT_EQ(Fake.EventCalls, 0);
  });
}

TEST_F(Trials, AChoiceThatIsReadMayBeForgotten) {
  keepChoices();
  write("a\tFake GPU 0\tchanged\t2000000.000 1000000.000\n");
  program([] {
    catt::Trials A("a");
    EXPECT_EQ(launches(1023, A, {2, 3}), times(1023, 'C'));
    EXPECT_EQ(launches(9, A, {2, 3}), Soon + times(5, 'O'));
  });
  EXPECT_EQ(written(), "a\tFake GPU 0\toriginal\t2000000.000 3000000.000\n");
  write("a\tFake GPU 0\tchanged\t2000000.000 1000000.000\n");
  program([] {
    catt::Trials A("a");
    launches(1024, A, {2, 3});
  });
  EXPECT_EQ(written(), "") << "in trials again";
}

TEST_F(Trials, AnInstanceThatKnowsNothingLeavesTheLine) {
  keepChoices();
  program([] {
    catt::Trials Few("a"), Many("a"), AsFew("a");
    launches(5, Few, Better);
    launches(9, Many, Better);
    launches(5, AsFew, Better);
  });
  EXPECT_EQ(written(), "a\tFake GPU 0\tchanged\t1125000.000 1000000.000\n");
}

TEST_F(Trials, ChoicesOfOthersAreKept) {
  keepChoices();
  const std::string First = "a\tAnother GPU\tchanged\t2.000 1.000\n",
                    Third = "z\tFake GPU 0\toriginal\t2.000 3.000\n";
  write(Third + First);
  program([] {
    catt::Trials A("a");
    EXPECT_EQ(launches(9, A, Worse), InTurn + "O") << "of another device";
  });
  EXPECT_EQ(written(), First +
                           "a\tFake GPU 0\toriginal\t1000000.000 "
                           "1125000.000\n" +
                           Third);
}

TEST_F(Trials, AKernelThatFailsLosesItsLine) {
  keepChoices();
  write("a\tFake GPU 0\tchanged\t2000000.000 1000000.000\n");
  program([] {
    catt::Trials A("a");
    launches(255, A, Better);
    EXPECT_EQ(launchFailing(A), 'C');
  });
  EXPECT_EQ(written(), "");
}

TEST_F(Trials, DamagedLinesAreIgnored) {
  keepChoices();
  for (const char *Line : {"",
                           "\t",
                           "\t\t\t",
                           "a",
                           "a\tFake GPU 0",
                           "a\tFake GPU 0\t",
                           "a\tFake GPU 0\tchanged",
                           "a\tFake GPU 0\tchanged\t",
                           "a\tFake GPU 0\tchanged\t1.0",
                           "a\tFake GPU 0\tchanged\t1.0 x",
                           "a\tFake GPU 0\tchanged\t1,0 2,0",
                           "a\tFake GPU 0\tChanged\t1.0 2.0",
                           "a\tFake GPU 0\tchanged\t1.0 2.0 3.0",
                           "a\tFake GPU 0\t\t1.0 2.0",
                           "a\tFake GPU 0\tchanged\t1.0 2.0\r",
                           "a\tFake GPU 0\tchanged\tnan inf",
                           "a\tFake GPU 0\tchanged\t1.0 1e999",
                           "a changed\t1.0 2.0",
                           "Fake GPU 0\tchanged\t1.0 2.0",
                           "changed 1.0 2.0"}) {
    const std::string Good = "z\tFake GPU 0\toriginal\t2.000 3.000\n";
    write(std::string(Line) + "\n" + Good + Line);
    program([=] {
      catt::Trials A("a");
      EXPECT_EQ(launches(3, A, Worse), "COC") << Line;
    });
    EXPECT_EQ(written(), Good) << Line;
  }
}

TEST_F(Trials, BytesThatAreNoTextAreIgnored) {
  keepChoices();
  std::string Bytes;
  for (int I = 0; I < 100000; ++I)
    Bytes += static_cast<char>(I * 7919 / 13);
  write(Bytes);
  program([] {
    catt::Trials A("a");
    EXPECT_EQ(launches(9, A, Better), InTurn + "C");
  });
  EXPECT_EQ(written(), "a\tFake GPU 0\tchanged\t1125000.000 1000000.000\n");
}

TEST_F(Trials, WhatCannotBeReadIsNotReplaced) {
  keepChoices();
  std::filesystem::create_directory(Path);
  const auto Run = [] {
    catt::Trials A("a");
    EXPECT_EQ(launches(9, A, Better), InTurn + "C");
  };
  program(Run);
  EXPECT_TRUE(std::filesystem::is_directory(Path));
  EXPECT_FALSE(std::filesystem::exists(Path + ".part"));
  std::filesystem::remove(Path);
  std::filesystem::create_symlink(Path, Path); // ends nowhere
  program(Run);
  EXPECT_TRUE(std::filesystem::is_symlink(Path));
}

TEST_F(Trials, WhatCannotBeWrittenIsNoMatter) {
  ::setenv("CATT_TRIALS", (Path + "/no/such/file").c_str(), 1);
  program([] {
    catt::Trials A("a");
    EXPECT_EQ(launches(9, A, Better), InTurn + "C");
  });
  ::setenv("CATT_TRIALS", "/dev/full/x", 1);
  program([] {
    catt::Trials A("a");
    EXPECT_EQ(launches(9, A, Better), InTurn + "C");
  });
}

TEST_F(Trials, ADeviceWithoutANameIsNotWritten) {
  keepChoices();
  program([] {
    Fake.FailingCall = "cudaGetDeviceProperties";
    catt::Trials A("a");
    EXPECT_EQ(launches(9, A, Better), InTurn + "C");
    EXPECT_EQ(FakeHere.Last, cudaSuccess);
  });
  EXPECT_EQ(written(), "");
}

TEST_F(Trials, CommasOfALocaleAreNotWritten) {
  struct Comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  keepChoices();
  for (const std::string &First : {InTurn, times(8, 'C')})
    program([&] {
      std::locale::global(std::locale(std::locale::classic(), new Comma));
      catt::Trials A("a");
      EXPECT_EQ(launches(8, A, Better), First);
      EXPECT_EQ(launch(A, Better), 'C');
    });
  EXPECT_EQ(written(), "a\tFake GPU 0\tchanged\t1125000.000 1000000.000\n");
}

TEST_F(Trials, AProgramThatIsKilledWritesNothing) {
  keepChoices();
  EXPECT_EXIT(
      {
        catt::Trials A("a");
        launches(9, A, Better);
        ::_exit(0);
      },
      testing::ExitedWithCode(0), "");
  EXPECT_FALSE(std::filesystem::exists(Path));
}

} // namespace trials_test
