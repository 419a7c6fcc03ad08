//===- TimingTest.cpp - Times of launches, without a GPU ------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/frontend/builtin/runtime/catt/timing.h"
#include "gtest/gtest.h"
#include <fstream>
#include <sstream>

namespace {

// Times are one for a program: each test runs in a process of its own.
class Timing : public testing::Test {
protected:
  std::string Path =
      testing::TempDir() + "catt-times-" +
      testing::UnitTest::GetInstance()->current_test_info()->name();

  void SetUp() override {
    std::remove(Path.c_str());
    ::setenv("CATT_TIMES", Path.c_str(), 1);
  }
  std::string written() const {
    std::ifstream In(Path);
    std::stringstream Text;
    Text << In.rdbuf();
    return Text.str();
  }
  /// Runs a program, as it were, and ends it.
  template <class F> void program(F Body) {
    EXPECT_EXIT(
        {
          Body();
          std::exit(0);
        },
        testing::ExitedWithCode(0), "");
  }
  static void launch(const char *Kernel, float Ms) {
    catt::Timed Timed(Kernel);
    Fake.NowMs += Ms;
  }
};

TEST_F(Timing, EachKernelHasItsOwn) {
  program([] {
    launch("a", 1);
    launch("b", 5);
    launch("a", 3);
    launch("a", 8);
  });
  EXPECT_EQ(written(),
            "{\"kernels\": {\"a\": {\"launches\": 3, \"total_ms\": 12.000000, "
            "\"median_ms\": 3.000000}, \"b\": {\"launches\": 1, \"total_ms\": "
            "5.000000, \"median_ms\": 5.000000}}, \"untimed\": 0}\n");
}

TEST_F(Timing, NothingWaitsBeforeTheEnd) {
  program([] {
    for (int I = 0; I < 1000; ++I)
      launch("a", 1);
    if (Fake.Waits)
      std::exit(1);
  });
}

TEST_F(Timing, EventsDoNotPileUp) {
  program([] {
    for (int I = 0; I < 10000; ++I)
      launch("a", 1);
    if (Fake.Open > int(2 * catt::Times::Capacity))
      std::exit(1);
  });
  EXPECT_NE(written().find("\"launches\": 10000"), std::string::npos);
}

TEST_F(Timing, CapturedLaunchesAreUntimed) {
  program([] {
    Fake.Capturing = true;
    launch("a", 1);
  });
  EXPECT_EQ(written(), "{\"kernels\": {}, \"untimed\": 1}\n");
}

TEST_F(Timing, EventsThatFailAreUntimed) {
  program([] {
    Fake.Failing = true;
    launch("a", 1);
  });
  EXPECT_EQ(written(), "{\"kernels\": {}, \"untimed\": 1}\n");
}

TEST_F(Timing, AResetReadsFirst) {
  program([] {
    launch("a", 2);
    cudaDeviceReset();
    if (Fake.Open || !Fake.Resets)
      std::exit(1);
  });
  EXPECT_NE(written().find("\"total_ms\": 2.0"), std::string::npos);
}

TEST_F(Timing, WithoutAFileNothingIsRecorded) {
  ::unsetenv("CATT_TIMES");
  program([] {
    launch("a", 2);
    if (Fake.Open)
      std::exit(1);
  });
  EXPECT_EQ(written(), "");
}

TEST_F(Timing, AProgramThatIsKilledWritesNothing) {
  EXPECT_EXIT(
      {
        launch("a", 2);
        ::_exit(0);
      },
      testing::ExitedWithCode(0), "");
  EXPECT_EQ(written(), "");
}

TEST_F(Timing, TheVariantIsThatOfItsKernel) {
  for (auto [Said, Number] : {std::pair{"k=3", 3},
                              {"k=12", 12},
                              {"k=", 0},
                              {"kk=3", 0},
                              {"k", 0},
                              {"3", 0},
                              {"", 0},
                              {static_cast<const char *>(nullptr), 0}})
    program([Said = Said, Number = Number] {
      Said ? ::setenv("CATT_VARIANT", Said, 1) : ::unsetenv("CATT_VARIANT");
      if (catt::variantOf("k") != Number || catt::variantOf("other") != 0)
        std::exit(1);
      ::setenv("CATT_VARIANT", "k=9", 1); // it is read once
      if (catt::variantOf("k") != Number)
        std::exit(1);
    });
}

} // namespace
