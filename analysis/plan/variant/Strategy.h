//===- Strategy.h - What to try on one kernel -------------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   propose --> candidates --(Search: write, measure)--> learn, for each
//      ^------------------------------------------------- and again
//   propose: nothing --> decide --> the variant to take, or none
//
// A strategy proposes and compares; it writes no text and asks nobody. Search
// (tool/optimize) does, for all kernels of a file at once, whatever each of
// them is looking for.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_VARIANT_STRATEGY_H
#define CATT_ANALYSIS_PLAN_VARIANT_STRATEGY_H

#include "analysis/model/Part.h"
#include "analysis/plan/variant/Variant.h"

namespace catt {

/// A variant, and the cap on registers under which it is to be compiled.
struct Proposal {
  Variant As;
  unsigned CapRegisters = 0;
};

class Strategy {
public:
  virtual ~Strategy() = default;
  /// What is to be measured next: all that is known by now, so that it can be
  /// asked about at once. Empty: the search is over; it stays so.
  virtual std::vector<Proposal> propose() = 0;
  /// The parts of which something must have been written, or the text is not
  /// that of the variant.
  virtual std::vector<Part> needs(const Variant &V) const = 0;
  /// The text of a proposal could not be written; it is not measured.
  virtual void refuse() = 0;
  /// What a proposal was measured to take.
  virtual void learn(const Variant &V, const RegisterPoint &Compiled) = 0;
  /// Empty: the kernel stays as it was planned.
  virtual std::optional<Variant> decide() = 0;
};

} // namespace catt

#endif
