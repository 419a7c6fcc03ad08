//===- ReasonsTest.cpp - Reasons, their texts, their page -----------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/model/Reasons.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <set>

using namespace catt;
using namespace llvm;
using testing::HasSubstr;

namespace {

TEST(Reasons, everyReasonHasARowInOrder) {
  unsigned Next = 0;
  for (const ReasonInfo &R : allReasons()) {
    EXPECT_EQ(unsigned(R.Why), Next++);
    EXPECT_EQ(&info(R.Why), &R);
    EXPECT_EQ(findReason(R.Id), R.Why);
  }
}

TEST(Reasons, textsAreWellFormed) {
  std::set<StringRef> Ids;
  for (const ReasonInfo &R : allReasons()) {
    SCOPED_TRACE(R.Id.str());
    EXPECT_TRUE(Ids.insert(R.Id).second);
    EXPECT_FALSE(R.Id.empty());
    EXPECT_EQ(R.Id.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"),
              StringRef::npos);
    // One place for the detail, so that it is never lost.
    EXPECT_EQ(R.What.count('{'), 1u);
    EXPECT_EQ(R.What.count('}'), 1u);
    for (StringRef Text : {R.Developer, R.What, R.Remedy}) {
      EXPECT_FALSE(Text.empty());
      EXPECT_FALSE(Text.ends_with("."));
      EXPECT_FALSE(Text.contains('|')); // would break the table of the page
      EXPECT_FALSE(Text.contains("  "));
    }
  }
}

TEST(Reasons, positiveDetailIsWovenIn) {
  EXPECT_EQ(whatText({Reason::InMacro, {}, "the macro FOR_EACH"}),
            "the macro FOR_EACH stands in the way of the edit");
  EXPECT_THAT(
      userText({Reason::BarrierInside, {}, "the call to __syncthreads()"}),
      HasSubstr("(the call to __syncthreads()); nothing can be done"));
}

TEST(Reasons, negativeWithoutDetailThereIsAStandIn) {
  EXPECT_EQ(whatText({Reason::InMacro, {}, ""}),
            "a macro stands in the way of the edit");
  for (const ReasonInfo &R : allReasons()) {
    std::string Text = userText({R.Why, {}, ""});
    EXPECT_EQ(Text.find_first_of("{}"), std::string::npos) << Text;
    EXPECT_THAT(Text, HasSubstr("; " + R.Remedy.str()));
  }
}

TEST(Reasons, negativeBracesInTheDetailAreText) {
  EXPECT_EQ(whatText({Reason::InMacro, {}, "the macro { BEGIN }"}),
            "the macro { BEGIN } stands in the way of the edit");
}

TEST(Reasons, negativeUnknownIds) {
  for (StringRef Id : {"", "divergent", "Divergent-Barrier", "divergentbarrier",
                       "divergent-barrier "})
    EXPECT_FALSE(findReason(Id)) << Id.str();
}

/// A row of docs/refusals.md.
std::string pageRow(const ReasonInfo &R) {
  Refusal Bare{R.Why, {}, ""};
  return ("| `" + R.Id + "` | " + name(R.Kind) + " | " + whatText(Bare) +
          " | " + R.Remedy + " | " + R.Developer + " |")
      .str();
}

TEST(Reasons, pageAndTableAgree) {
  auto Page = MemoryBuffer::getFile(CATT_SOURCE_DIR "/docs/refusals.md");
  ASSERT_TRUE(bool(Page));
  std::vector<std::string> Rows;
  for (StringRef Line : split((*Page)->getBuffer(), '\n'))
    if (Line.starts_with("| `"))
      Rows.push_back(Line.str());
  std::vector<std::string> Expected;
  for (const ReasonInfo &R : allReasons())
    Expected.push_back(pageRow(R));
  EXPECT_EQ(Rows, Expected) << "the table of docs/refusals.md should read:\n"
                            << join(Expected, "\n");
}

} // namespace
