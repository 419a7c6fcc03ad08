//===- ReplayTest.cpp - Launches that run again, without a GPU ------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/frontend/builtin/runtime/catt/replay.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <fstream>
#include <functional>
#include <iostream>
#include <sstream>

using testing::HasSubstr;

namespace {

template <class T> T *allocate(std::size_t Count) {
  void *Made = nullptr;
  cudaMalloc(&Made, Count * sizeof(T));
  return static_cast<T *>(Made);
}

/// What a kernel is given by value, as a struct of the user's.
struct List {
  int Length;
  long **Rows;
};

// What is replayed is one for a program: each test runs in a process of its
// own.
class Replaying : public testing::Test {
protected:
  std::string Path =
      testing::TempDir() + "catt-replays-" +
      testing::UnitTest::GetInstance()->current_test_info()->name();
  std::string TimesPath = Path + "-times";

  void SetUp() override {
    std::remove(Path.c_str());
    std::remove(TimesPath.c_str());
    ::setenv("CATT_REPLAY", "k=1", 1);
    ::setenv("CATT_REPLAYS", Path.c_str(), 1);
    ::setenv("CATT_TIMES", TimesPath.c_str(), 1);
    ::unsetenv("CATT_REPLAY_ONLY");
  }
  static std::string textOf(const std::string &Of) {
    std::ifstream In(Of);
    std::stringstream Text;
    Text << In.rdbuf();
    return Text.str();
  }
  std::string written() const { return textOf(Path); }
  std::string times() const { return textOf(TimesPath); }
  /// What stands behind "left".
  std::string left() const {
    const std::string All = written(), Key = "\"left\": \"";
    const std::size_t At = All.find(Key);
    return At == All.npos ? "" : All.substr(At + Key.size(), 16);
  }
  /// Runs a program, as it were, and ends it by what it returns.
  static void program(const std::function<int()> &Body, int Code = 0) {
    EXPECT_EXIT(std::exit(Body()), testing::ExitedWithCode(Code), "");
  }
  /// A launch of a kernel that takes so long. Returns how often it ran.
  template <class Kernel, class... Arguments>
  static int launch(const char *Name, float Ms, Kernel Body,
                    Arguments... Given) {
    int Runs = 0;
    for (catt::Replay Replay(Name, nullptr, Given...); Replay.next(); ++Runs) {
      Body(Given...);
      Fake.NowMs += Ms;
    }
    return Runs;
  }
};

TEST_F(Replaying, MemoryIsPutBackBeforeEachAndNotBehindTheLast) {
  program([] {
    long *A = allocate<long>(3);
    const int Runs = launch("k", 1, [](long *At) { At[1] += 5; }, A);
    return Runs == 51 && A[0] == 0 && A[1] == 5 && A[2] == 0 ? 0 : 1;
  });
  EXPECT_THAT(written(), HasSubstr("{\"launches\": [{\"kernel\": \"k\", "
                                   "\"ms\": [1.000000, 1.000000"));
  EXPECT_THAT(written(), HasSubstr("\"bytes\": 256"));
  EXPECT_THAT(written(), HasSubstr("\"why\": \"\""));
  EXPECT_THAT(times(), HasSubstr("\"kernels\": {}, \"untimed\": 0"));
}

TEST_F(Replaying, LongLaunchesRunLessOften) {
  program([] {
    long *A = allocate<long>(1);
    auto Body = [](long *At) { ++*At; };
    if (launch("k", 200, Body, A) != 8 || launch("k", 5000, Body, A) != 4)
      return 1;
    return *A == 2 ? 0 : 2;
  });
}

TEST_F(Replaying, TheFirstTimeIsDropped) {
  program([] {
    long *A = allocate<long>(1);
    float Ms = 5000;
    launch(
        "k", 0,
        [&](long *At) {
          Fake.NowMs += Ms;
          Ms = 4000;
          ++*At;
        },
        A);
    return 0;
  });
  EXPECT_THAT(written(), HasSubstr("[4000.000000, 4000.000000, 4000.000000]"));
}

TEST_F(Replaying, WhatPointersInSmallAllocationsLeadToIsPutBack) {
  program([] {
    long **Rows = allocate<long *>(2);
    Rows[0] = allocate<long>(4);
    Rows[1] = allocate<long>(4) + 3; // somewhere in it
    launch(
        "k", 100,
        [](List L) {
          for (int I = 0; I < L.Length; ++I)
            ++*L.Rows[I];
        },
        List{2, Rows});
    return *Rows[0] == 1 && *Rows[1] == 1 ? 0 : 1;
  });
  EXPECT_THAT(written(), HasSubstr("\"bytes\": 768"));
  EXPECT_THAT(written(), HasSubstr("\"why\": \"\""));
}

TEST_F(Replaying, WhatIsNotChangedIsNotPutBack) {
  program([] {
    long *A = allocate<long>(1000), *B = allocate<long>(1);
    launch("k", 5000, [](const long *, long *At) { ++*At; }, A, B);
    return FakeDevice.CopiedAsync == 3 * sizeof(long) ? 0 : 1;
  });
}

TEST_F(Replaying, L2IsColdWhereThereIsRoom) {
  auto Flushes = [](int L2) {
    FakeDevice.L2 = L2;
    FakeDevice.Flushes = 0;
    launch("k", 5000, [](long *At) { ++*At; }, allocate<long>(1));
    return FakeDevice.Flushes;
  };
  program([=] {
    if (Flushes(1 << 20) != 3 || Flushes(1 << 29) != 0 || Flushes(0) != 0)
      return 1;
    Fake.FailingCall = "cudaDeviceGetAttribute";
    return Flushes(1 << 20) == 0 && FakeDevice.Blocks.size() == 4 ? 0 : 2;
  });
}

TEST_F(Replaying, WithoutRoomOnTheDeviceTheCopyIsOnTheHost) {
  program([] {
    long *A = allocate<long>(1000);
    FakeDevice.Free = 1000;
    launch("k", 5000, [](long *At) { ++At[999]; }, A);
    return A[999] == 1 && FakeDevice.Free == 1000 ? 0 : 1;
  });
  EXPECT_THAT(written(), HasSubstr("\"why\": \"\""));
}

TEST_F(Replaying, WhatIsLeftHasAHash) {
  auto Runs = [&](long Value, std::size_t Where, long Around) {
    program([=] {
      long *A = allocate<long>(1 << 20);
      A[5] = Around;
      launch("k", 5000, [=](long *At) { At[Where] = Value; }, A);
      return 0;
    });
    return left();
  };
  const std::string One = Runs(3, 7, 0);
  EXPECT_EQ(One.size(), 16u);
  EXPECT_EQ(Runs(3, 7, 0), One);
  EXPECT_EQ(Runs(3, 7, 9), One); // what it does not change does not count
  EXPECT_NE(Runs(4, 7, 0), One);
  EXPECT_NE(Runs(3, 8, 0), One);
  EXPECT_NE(Runs(3, 1 << 19, 0), Runs(3, (1 << 19) + 1, 0));
  EXPECT_EQ(Runs(0, 7, 0), "0000000000000000");
}

TEST_F(Replaying, OthersAreTimedOnce) {
  program([] {
    long *A = allocate<long>(1);
    return launch("other", 5, [](long *At) { ++*At; }, A) == 1 ? 0 : 1;
  });
  EXPECT_THAT(times(), HasSubstr("\"other\": {\"launches\": 1"));
  EXPECT_EQ(written(), "");
}

TEST_F(Replaying, TheProgramEndsBehindTheLast) {
  ::setenv("CATT_REPLAY", "k=2,m=1", 1);
  ::setenv("CATT_REPLAY_ONLY", "1", 1);
  program([] {
    long *A = allocate<long>(1);
    auto Body = [](long *At) { ++*At; };
    launch("m", 500, Body, A);
    launch("k", 500, Body, A);
    std::cout << "half of it\n";
    launch("k", 500, Body, A);
    return 7;
  });
  const std::string All = written();
  EXPECT_LT(All.find("\"m\""), All.find("\"k\""));
  EXPECT_NE(All.find("\"k\""), All.rfind("\"k\""));
}

TEST_F(Replaying, WithFewerLaunchesTheProgramGoesOn) {
  ::setenv("CATT_REPLAY", "k=2", 1);
  ::setenv("CATT_REPLAY_ONLY", "1", 1);
  program(
      [] {
        launch("k", 500, [](long *At) { ++*At; }, allocate<long>(1));
        return 7;
      },
      7);
}

//===-- Launches that run once after all ----------------------------------===//

class NotReplayed : public Replaying {
protected:
  /// Runs it once, as it were, and times that.
  void once(const std::function<void()> &Before, const std::string &Why,
            bool Timed = true) {
    program([=] {
      long *A = allocate<long>(64);
      Before();
      const int Runs = launch("k", 5, [](long *At) { ++*At; }, A);
      return Runs == 1 && *A == 1 ? 0 : 1;
    });
    EXPECT_THAT(written(), HasSubstr("\"ms\": [], "));
    EXPECT_THAT(written(), HasSubstr("\"why\": \"" + Why + "\""));
    EXPECT_THAT(times(), HasSubstr(Timed ? "\"k\": {\"launches\": 1"
                                         : "\"untimed\": 1"));
  }
  static void failing(const char *Call, int After = 0) {
    Fake.FailingCall = Call;
    Fake.FailingAfter = After;
  }
  static FakeBlock &block() { return FakeDevice.Blocks.begin()->second; }
};

TEST_F(NotReplayed, MemoryOfTheHost) {
  once([] { block().Type = cudaMemoryTypeHost; },
       "an argument leads to memory of the host");
}
TEST_F(NotReplayed, MemoryOfAnotherDevice) {
  once([] { block().Device = 1; },
       "an argument leads to memory of another device");
}
TEST_F(NotReplayed, WithoutTheDriversAnswer) {
  once([] { failing("cudaGetDevice"); },
       "the driver does not say where allocations begin");
}
TEST_F(NotReplayed, MemoryThatCannotBeCopied) {
  once([] { failing("cudaMemcpy"); }, "memory cannot be copied");
}
TEST_F(NotReplayed, WhileItsStreamIsCaptured) {
  once([] { Fake.Capturing = true; }, "its stream is being captured", false);
}
TEST_F(NotReplayed, AnEventThatFails) {
  once([] { failing("cudaEventCreate", 1); }, "an event fails", false);
}
TEST_F(NotReplayed, ErrorsOfTheProgramStay) {
  program([] {
    FakeHere.Last = cudaErrorUnknown;
    const int Runs = launch("k", 5, [](long *At) { ++*At; }, allocate<long>(1));
    return Runs == 1 && cudaGetLastError() == cudaErrorUnknown ? 0 : 1;
  });
  EXPECT_THAT(written(), HasSubstr("there was an error before it"));
}
TEST_F(NotReplayed, OurErrorsDoNot) {
  program([] {
    long *A = allocate<long>(1);
    failing("cudaMemcpy");
    launch("k", 5, [](long *At) { ++*At; }, A);
    return cudaPeekAtLastError() == cudaSuccess ? 0 : 1;
  });
}

//===-- Launches that turn out to be no good ------------------------------===//

TEST_F(Replaying, ALaunchThatFailsIsNotRepeated) {
  program([] {
    auto Body = [](long *) { FakeHere.Last = cudaErrorInvalidConfiguration; };
    const int Runs = launch("k", 5, Body, allocate<long>(1));
    return Runs == 1 && cudaGetLastError() == cudaErrorInvalidConfiguration ? 0
                                                                            : 1;
  });
  EXPECT_THAT(written(), HasSubstr("\"ms\": [], "));
  EXPECT_THAT(written(), HasSubstr("its launch fails"));
}

TEST_F(Replaying, StateThatIsNotPutBackIsFound) {
  program([] {
    long Hidden = 0;
    launch("k", 500, [&](long *At) { *At = ++Hidden; }, allocate<long>(1));
    return 0;
  });
  EXPECT_THAT(written(), HasSubstr("\"ms\": [], "));
  EXPECT_THAT(written(), HasSubstr("launched again, it leaves something else"));
}

TEST_F(Replaying, MemoryThatCannotBePutBackEndsIt) {
  program([] {
    long *A = allocate<long>(1);
    Fake.FailingCall = "cudaMemcpyAsync";
    return launch("k", 500, [](long *At) { ++*At; }, A) == 1 ? 0 : 1;
  });
  EXPECT_THAT(written(), HasSubstr("memory cannot be put back"));
}

TEST_F(Replaying, NothingStaysOpen) {
  program([] {
    long *A = allocate<long>(1);
    for (int I = 0; I < 10; ++I)
      launch("k", 500, [](long *At) { ++*At; }, A);
    return Fake.Open == 0 && FakeDevice.Blocks.size() == 1 ? 0 : 1;
  });
}

} // namespace
