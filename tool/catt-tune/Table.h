//===- Table.h - The results of a search, for people ------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_CATTTUNE_TABLE_H
#define CATT_TOOL_CATTTUNE_TABLE_H

#include "tool/tune/Tuner.h"

namespace catt {

/// What is known of one variant.
struct TuneRow {
  std::string Variant;
  double Ms = 0;         ///< 0: there is no time
  std::string Gain;      ///< "1.25x"; empty: not measured
  std::string Predicted; ///< the same by the time model; empty: not known
  std::string Verdict;   ///< "best"
  bool IsBest = false;
};

struct TuneTable {
  std::string Title;         ///< "rows in a.cu"
  std::vector<TuneRow> Rows; ///< the first is the kernel as written
};

/// One for each kernel, in the order of the search.
std::vector<TuneTable> tablesOf(const TuneResult &R);

/// What is to be known of the times, a line each; may be empty.
std::string remarksOn(const TuneResult &R, Checking By);

/// How the search ended, a line each.
std::string endOf(const TuneResult &R);

/// "12.345"
std::string milliseconds(double Ms);

/// All of it as text, a table for each kernel.
std::string tableText(const TuneResult &R, Checking By);

} // namespace catt

#endif
