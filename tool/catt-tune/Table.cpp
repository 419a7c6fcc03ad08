//===- Table.cpp - The results of a search, for people --------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/catt-tune/Table.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace catt {
namespace {

std::string gain(double Old, double New) {
  return Old > 0 && New > 0 ? formatv("{0:F2}x", Old / New).str() : "";
}

std::string verdictOf(const Tried &T, bool IsBest) {
  if (!T.What.Refused.empty())
    return "refused: " + T.What.Refused;
  if (!T.SameAs.empty())
    return "the same text as " + T.SameAs;
  if (!T.Result)
    return "not tried";
  std::string Known = T.Result->Known ? " (from an earlier search)" : "";
  if (!T.Result->fine())
    return T.Result->Why + Known;
  return (IsBest ? "best" : "fine") + Known;
}

/// Names: characters of the column of names.
std::string line(size_t Names, const TuneRow &Row, StringRef Ms) {
  std::string Name = Row.Variant;
  Name.resize(std::max(Name.size(), Names), ' ');
  std::string Text = formatv("  {0} {1,12} {2,8} {3,10}  {4}", Name, Ms,
                             Row.Gain, Row.Predicted, Row.Verdict);
  return StringRef(Text).rtrim().str() + "\n";
}

size_t longestName(const TuneTable &Table) {
  size_t Longest = 24;
  for (const TuneRow &Row : Table.Rows)
    Longest = std::max(Longest, Row.Variant.size());
  return Longest;
}

} // namespace

std::string milliseconds(double Ms) { return formatv("{0:F3}", Ms).str(); }

std::string endOf(const TuneResult &R) {
  std::string Text;
  for (const std::string &Note : R.Notes)
    Text += Note + "\n";
  if (R.OutOfBudget)
    Text += "The budget ended before all variants were tried.\n";
  if (R.Interrupted)
    return Text + "Interrupted; what was tried is kept for the next search.\n";
  if (R.Winners.empty())
    return Text + "Nothing was faster than the original in each of its runs.\n";
  if (!R.Confirmed)
    return Text + "The best was not faster in a second comparison: nothing is "
                  "to be changed.\n";
  return Text + "Built and run in turns: " + milliseconds(R.ConfirmedOld) +
         " ms -> " + milliseconds(R.ConfirmedNew) + " ms, " +
         gain(R.ConfirmedOld, R.ConfirmedNew) + ", on " + R.Device + ".\n";
}

std::string remarksOn(const TuneResult &R, Checking By) {
  std::string Text;
  if (!R.Untimed.empty())
    Text += "Times are of whole runs: " + R.Untimed + ".\n";
  Text += remarksOn(R.Replays);
  if (By == Checking::None)
    Text += "Results were not checked (--no-check).\n";
  return Text;
}

std::vector<TuneTable> tablesOf(const TuneResult &R) {
  std::vector<TuneTable> All;
  for (const auto &[Index, T] : enumerate(R.All)) {
    auto Old = R.OriginalMs.find(T.What.How.Kernel);
    double OldMs = Old == R.OriginalMs.end() ? 0 : Old->second;
    std::string Title = T.What.How.Kernel + " in " + T.What.File;
    auto Table = find_if(
        All, [&](const TuneTable &Each) { return Each.Title == Title; });
    if (Table == All.end())
      Table = All.insert(
          All.end(), {Title, {{AsWritten.str(), OldMs, "", "", "", false}}});
    const bool IsBest = is_contained(R.Winners, Index);
    const bool Timed = T.Result && T.Result->fine();
    Table->Rows.push_back({T.What.How.Name, Timed ? T.Ms : 0,
                           Timed ? gain(OldMs, T.Ms) : "",
                           gain(T.What.PredictedGain.value_or(0), 1),
                           verdictOf(T, IsBest), IsBest});
  }
  return All;
}

std::string tableText(const TuneResult &R, Checking By) {
  std::string Text = remarksOn(R, By);
  for (const TuneTable &Table : tablesOf(R)) {
    const size_t Names = longestName(Table);
    Text += Table.Title + "\n" +
            line(Names, {"variant", 0, "gain", "predicted", "verdict"}, "ms");
    for (const TuneRow &Row : Table.Rows)
      Text += line(Names, Row, Row.Ms > 0 ? milliseconds(Row.Ms) : "");
  }
  return Text + endOf(R);
}

} // namespace catt
