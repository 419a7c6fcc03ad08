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

/// A line for each variant, and what came of the best.
std::string tableText(const TuneResult &R, Checking By);

} // namespace catt

#endif
