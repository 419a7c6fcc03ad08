//===- Strategy.cpp - What to try on one kernel ---------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/variant/Strategy.h"

namespace catt {

Strategy::~Strategy() = default;

} // namespace catt
