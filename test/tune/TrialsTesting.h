//===- TrialsTesting.h - Programs that launch, as it were -------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TEST_TUNE_TRIALSTESTING_H
#define CATT_TEST_TUNE_TRIALSTESTING_H

#include "analysis/frontend/builtin/runtime/catt/trials.h"
#include "gtest/gtest.h"
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>

namespace trials_test {

/// What each kernel takes, in ms for a block.
struct Costs {
  float Original, Changed;
};
constexpr Costs Better{1.125F, 1}, Worse{1, 1.125F}, MuchWorse{1, 2};

/// A launch whose kernel is done when it returns: C or O, as it was chosen.
inline char launch(catt::Trials &Of, Costs Each, dim3 Grid = 1,
                   bool May = true) {
  catt::Trial Trial(Of, Grid, nullptr, May);
  Fake.NowMs += (Trial.changed() ? Each.Changed : Each.Original) *
                float(Grid.x * Grid.y * Grid.z);
  return Trial.changed() ? 'C' : 'O';
}
inline std::string launches(int Count, catt::Trials &Of, Costs Each) {
  std::string All;
  for (int I = 0; I < Count; ++I)
    All += launch(Of, Each);
  return All;
}
/// A launch that only queues its kernel.
inline char queue(catt::Trials &Of, Costs Each) {
  catt::Trial Trial(Of, 1);
  Fake.BusyMs = std::max<float>(Fake.NowMs, Fake.BusyMs) +
                (Trial.changed() ? Each.Changed : Each.Original);
  return Trial.changed() ? 'C' : 'O';
}
/// A launch after which the program finds an error.
inline char launchFailing(catt::Trials &Of) {
  catt::Trial Trial(Of, 1);
  FakeHere.Last = cudaErrorInvalidConfiguration;
  return Trial.changed() ? 'C' : 'O';
}
inline std::string times(std::size_t Count, char Each) {
  return std::string(Count, Each);
}
/// Four pairs, where they do not differ clearly, or two.
inline const std::string InTurn = "COCOCOCO", Soon = "COCO";

// The file and its choices are one for a program: each test runs in a process
// of its own, and some in several.
class Trials : public testing::Test {
protected:
  std::string Path =
      testing::TempDir() + "catt-trials-" +
      testing::UnitTest::GetInstance()->current_test_info()->name();

  void SetUp() override {
    std::filesystem::remove_all(Path);
    ::unsetenv("CATT_TRIALS");
  }
  void TearDown() override {
    std::filesystem::remove_all(Path);
    EXPECT_FALSE(std::filesystem::exists(Path + ".part"));
  }
  void keepChoices() const { ::setenv("CATT_TRIALS", Path.c_str(), 1); }
  void write(const std::string &Text) const { std::ofstream(Path) << Text; }
  std::string written() const {
    std::ifstream In(Path);
    std::stringstream Text;
    Text << In.rdbuf();
    return Text.str();
  }
  /// Runs a program, as it were, and ends it.
  static void program(const std::function<void()> &Body) {
    EXPECT_EXIT(toTheEnd(Body), testing::ExitedWithCode(0), "");
  }

private:
  /// What fails in there is told here alone.
  static void toTheEnd(const std::function<void()> &Body) {
    const testing::TestResult &All =
        *testing::UnitTest::GetInstance()->current_test_info()->result();
    const int Before = All.total_part_count();
    Body();
    EXPECT_EQ(FakeHere.Mode, cudaStreamCaptureModeGlobal);
    EXPECT_EQ(Fake.Waits, 0);
    EXPECT_EQ(Fake.TooEarly, 0);
    for (int I = Before; I < All.total_part_count(); ++I)
      std::cerr << All.GetTestPartResult(I).line_number() << ": "
                << All.GetTestPartResult(I).message() << '\n';
    std::exit(All.total_part_count() > Before);
  }
};

} // namespace trials_test

#endif
