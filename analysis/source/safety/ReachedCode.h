//===- ReachedCode.h - What a function brings with it -----------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   FunctionBody (Reach) + waiting loops (Waits) + the same of all callees
//      --> findings, one of each kind for each call, in the order of execution
//
// A finding stands at a statement of its function and says what is reached in
// the end: "calls cub::BlockReduce::Sum, which waits for the whole block
// (block_reduce.cuh:123)".
//
// Limits: the walk has a quota of statements for one translation unit; the
// rest is found to be too complex, which refuses. Functions that call
// each other in a circle count as waiting.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_SAFETY_REACHEDCODE_H
#define CATT_ANALYSIS_SOURCE_SAFETY_REACHEDCODE_H

#include "analysis/model/Kernel.h"
#include "analysis/source/safety/Waits.h"
#include <map>
#include <memory>

namespace catt {

struct ReachedEffect {
  enum class Kind : uint8_t {
    BlockBarrier,
    NamedBarrier,
    Waits, ///< for time, copies, other blocks
    Loop,  ///< a loop or recursion that waits for another thread
    Assembly,
    Unknown,
    TooComplex,
    WarpWide,
  };
  Kind What = Kind::Unknown;
  const clang::Stmt *At = nullptr; ///< in the function that it was asked of
  unsigned Order = 0;              ///< as FunctionBody::Extents
  std::string Text;                ///< what is found, as the user is told
  std::string Deep;                ///< the same after "calls f, which"
  clang::SourceLocation Where;     ///< of what Deep says
};

/// Threads may wait for others there, or it is not known that they do not.
inline bool mayWait(ReachedEffect::Kind What) {
  return What != ReachedEffect::Kind::BlockBarrier &&
         What != ReachedEffect::Kind::WarpWide;
}
Reason reasonOf(ReachedEffect::Kind What);

class ReachedCode {
public:
  struct Summary {
    FunctionBody Body;
    std::vector<ReachedEffect> Findings; ///< by Order
    CallFacts Facts;
    bool Recursive = false;
    bool Finished = false;
    /// A function of a system header whose body was not parsed; null: none.
    const clang::FunctionDecl *Skipped = nullptr;
  };
  /// Of the definition of a function.
  const Summary &of(const clang::FunctionDecl *Definition);

private:
  std::map<const clang::FunctionDecl *, std::unique_ptr<Summary>> Known;
  std::vector<const clang::FunctionDecl *> Open; ///< being summarized
  unsigned Steps = 0;

  void summarize(Summary &S);
  void addCall(Summary &S, const ReachedEvent &E);
  void addWaits(Summary &S);
};

/// A kernel of the user reaches a function whose body the parser skipped and
/// which is not known by name.
bool reachesSkippedBodies(const clang::ASTContext &Context);

} // namespace catt

#endif
