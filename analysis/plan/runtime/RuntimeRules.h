//===- RuntimeRules.h - What a loop does at every value ---------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   loops, accesses, setting -> profiles and plans of hundreds of values ->
//   rule
//       `-> key -> RuleMemo -------------------------------------------> rule
//
// A rule takes long to make and has no place of the text in it. An editor asks
// for it after each keystroke, of kernels most of which are as they were.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_RUNTIME_RUNTIMERULES_H
#define CATT_ANALYSIS_PLAN_RUNTIME_RUNTIMERULES_H

#include "analysis/plan/runtime/ProfileFamily.h"
#include "analysis/plan/runtime/RuntimeCases.h"
#include "analysis/plan/runtime/RuntimeInputs.h"

namespace catt {

/// What the loops that wait for the same inputs do.
struct RuntimeRule {
  struct OfLoop {
    unsigned Loop = 0;
    std::vector<RuntimeCase> Cases;
    /// Values of the inputs at which it is shown.
    std::map<std::string, int64_t> ShownAt;
  };
  bool Divides = false; ///< some loop, at one of a few values
  std::vector<OfLoop> Loops;
};

/// The rules that were made, by what they follow from.
class RuleMemo {
public:
  /// Open: the loops that wait for the inputs. Of a setting without decisions
  /// of the user.
  static std::string keyOf(const Setting &S, llvm::ArrayRef<std::string> Names,
                           llvm::ArrayRef<unsigned> Open);
  const RuntimeRule *find(const std::string &Key) const;
  void keep(std::string Key, RuntimeRule Rule);

private:
  std::map<std::string, RuntimeRule> Known;
};

/// The rule of loops that wait for one input, by every value of it.
RuntimeRule ruleOfOne(const Setting &S, const std::string &Name,
                      llvm::ArrayRef<unsigned> Open);

bool isSplit(const LoopPlan &P);
/// To divide is predicted to gain, but not enough.
bool gainsLittle(const LoopPlan &P);
/// Warps per group; those of a whole block where the loop is not split.
WarpBounds warpsOf(const Setting &S, const LoopPlan &P);

/// The profiles of the loops that matter, under the setting.
Profiles profilesOf(const Setting &S, const std::vector<bool> &Matters,
                    bool AlwaysWork);

} // namespace catt

#endif
