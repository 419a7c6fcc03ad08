//===- CardTest.cpp - Tests of tool/config/Card ---------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/config/Card.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace catt {
namespace {

using ::testing::HasSubstr;

/// What catt-tune --calibrate writes, without the curves and rates that are not
/// read.
const std::string Good = R"json({
  "version": 1, "card": "NVIDIA A10", "capability": 86, "sms": 72,
  "l2_bytes": 6291456, "clock_mhz": 1695.0, "driver": 13000, "cuda": 13000,
  "rates": [
    {"name": "hit", "value": 33, "spread": 0.5, "unit": "cycles", "how": ""},
    {"name": "l2", "value": 210, "spread": 1},
    {"name": "dram", "value": 480, "spread": 9},
    {"name": "l2_sector_scattered", "value": 2.5, "spread": 0.01},
    {"name": "dram_sector_scattered", "value": 6, "spread": 0.1},
    {"name": "barrier", "value": 30, "spread": 0}],
  "curves": {"port_cycles_by_lines": [[1, 4.5], [32, 35]]}
})json";

std::string with(const std::string &Old, const std::string &New) {
  std::string Text = Good;
  const size_t At = Text.find(Old);
  EXPECT_NE(At, std::string::npos) << Old;
  return Text.replace(At, Old.size(), New);
}

std::string errorOf(const std::string &Text) {
  llvm::Expected<Device> D = parseCard(Text, "card.json");
  return D ? "" : llvm::toString(D.takeError());
}

TEST(Card, PositiveEveryRateThatIsUsed) {
  const Device D = llvm::cantFail(parseCard(Good, "card.json"));
  EXPECT_EQ(D.Name, "NVIDIA A10");
  EXPECT_EQ(D.Capability, 86u);
  EXPECT_EQ(D.SMs, 72);
  EXPECT_EQ(D.MaxWarpsPerSM, 48); // of its capability
  ASSERT_TRUE(D.Rates);
  EXPECT_EQ(D.Rates->Hit, 33);
  EXPECT_EQ(D.Rates->L2, 210);
  EXPECT_EQ(D.Rates->Dram, 480);
  EXPECT_EQ(D.Rates->L2Sector, 2.5);
  EXPECT_EQ(D.Rates->DramSector, 6);
  EXPECT_EQ(D.Rates->Barrier, 30);
  EXPECT_EQ(D.Rates->Port, 35);
  EXPECT_EQ(D.Rates->L2Bytes, 6 << 20);
}

TEST(Card, PositiveANameIsNoFile) {
  const Device D = llvm::cantFail(findCard("h200"));
  EXPECT_EQ(D.Name, "h200");
  EXPECT_FALSE(D.Rates);
}

TEST(Card, NegativeWhatIsMissingIsNamed) {
  EXPECT_EQ(errorOf(with("\"hit\"", "\"hot\"")),
            "'card.json' is no measured card: it has no rate 'hit'; "
            "catt-tune --calibrate writes one");
  for (auto [Old, New, Why] :
       {std::tuple("\"version\": 1", "\"version\": 2", "its version is not 1"),
        std::tuple("\"NVIDIA A10\"", "10", "it does not name its card"),
        std::tuple("72", "0", "'sms' is no number above 0"),
        std::tuple("6291456", "\"6 MiB\"", "'l2_bytes' is no number above 0"),
        std::tuple("210", "-210", "rate 'l2' is no number above 0"),
        std::tuple("480", "null", "rate 'dram' is no number above 0"),
        std::tuple("\"spread\": 9", "\"spread\": 121",
                   "rate 'dram' varied by more than a quarter"),
        std::tuple("port_cycles", "ports", "no curve 'port_cycles_by_lines'"),
        std::tuple("[32, 35]", "[32]", "no curve 'port_cycles_by_lines'"),
        std::tuple("[32, 35]", "[32, \"\"]", "no curve 'port_cycles_by_lines'"),
        std::tuple("\"rates\": [", "\"rates\": [[], 3, ", "")})
    EXPECT_THAT(errorOf(with(Old, New)), HasSubstr(Why)) << New;
}

TEST(Card, NegativeWhatIsNoCard) {
  EXPECT_THAT(errorOf(""), HasSubstr("'card.json' is no JSON: "));
  EXPECT_THAT(errorOf("{\"version\": 1"), HasSubstr("is no JSON: "));
  EXPECT_THAT(errorOf("[]"), HasSubstr("its version is not 1"));
  EXPECT_THAT(errorOf(with("\"capability\": 86", "\"capability\": 35")),
              HasSubstr("the oldest that is supported is 5.0"));
}

TEST(Card, NegativeAFileThatIsNotThere) {
  llvm::Expected<Device> D = findCard("/nowhere/card.json");
  ASSERT_FALSE(bool(D));
  EXPECT_THAT(llvm::toString(D.takeError()),
              HasSubstr("'/nowhere/card.json' cannot be read: "));
}

} // namespace
} // namespace catt
