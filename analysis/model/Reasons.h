//===- Reasons.h - Every reason to refuse or to leave alone ----*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   Refusal{InMacro, 12:3, "the macro FOR_EACH"}
//     | userText
//     v
//   "the loop comes from the macro FOR_EACH; write the loop out, or ..."
//
// One table row per Reason: an id for tools, a text for developers of this
// project, a sentence and a remedy for the user. docs/refusals.md is the same
// table, and test/unit/ReasonsTest.cpp compares the two.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_MODEL_REASONS_H
#define CATT_ANALYSIS_MODEL_REASONS_H

#include "analysis/model/Refusal.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace catt {

/// What kind of answer a reason is.
enum class ReasonKind : uint8_t {
  NothingToDo, ///< the code is fine as it is
  NotKnown,    ///< a number is missing that the user may be able to give
  NotWorthIt,  ///< possible, but it would not help
  NotSafe,     ///< an edit could change what the program does
  NotEditable, ///< the text cannot or must not be changed
  Warning,     ///< what the source asks for is not what it gets
};

struct ReasonInfo {
  Reason Why;
  ReasonKind Kind;
  llvm::StringRef Id;        ///< kebab-case, stable: "divergent-barrier"
  llvm::StringRef Developer; ///< which check says so
  /// A clause without a full stop. `{...}` is where Refusal::Detail goes, and
  /// holds what stands there if there is none.
  llvm::StringRef What;
  llvm::StringRef Remedy; ///< an imperative clause without a full stop
};

/// All reasons, in the order of the enumeration.
llvm::ArrayRef<ReasonInfo> allReasons();

const ReasonInfo &info(Reason Why);

/// The reason with this id, if there is one.
std::optional<Reason> findReason(llvm::StringRef Id);

/// "nothing-to-do" and so on.
llvm::StringRef name(ReasonKind Kind);

/// What is so, with the detail woven in; no full stop at the end.
std::string whatText(const Refusal &R);

/// What is so, and what the user can do about it: "what; remedy".
std::string userText(const Refusal &R);

} // namespace catt

#endif
