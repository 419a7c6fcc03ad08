//===- Reach.h - Everything that a function executes ------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   function --(one walk over what it executes)--> FunctionBody
//      events        calls, barriers, assembly, what is not known; in order
//      loops, exits, assignments, each with the conditions over it
//
// What is executed and is no child in clang's AST is walked too: destructors,
// member initializers, default arguments and initializers, inherited
// constructors, bindings of a tuple. A lambda is executed where it is called.
// A kind of statement that NodeKinds.def does not mark as followed is an event
// of its own, named by its kind.
//
// Limits: calls through pointers, virtual calls, exceptions, coroutines, OpenMP
// and the like are not followed; they are Unknown, which refuses. The
// destructor of a variable counts as run at its declaration, which is earlier
// than it is and so refuses no less.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_SAFETY_REACH_H
#define CATT_ANALYSIS_SOURCE_SAFETY_REACH_H

#include "analysis/source/safety/KnownFunctions.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <deque>
#include <string>
#include <vector>

namespace catt {

/// Why a statement runs: Value was true or false, inside Construct (a loop, an
/// if, a switch, a && ...). A list from the innermost condition outwards.
struct Guarded {
  const Guarded *Outer = nullptr;
  const clang::Stmt *Construct = nullptr;
  const clang::Expr *Value = nullptr; ///< null: none (`for (;;)`)
  bool isInside(const clang::Stmt *Loop) const {
    for (const Guarded *C = this; C; C = C->Outer)
      if (C->Construct == Loop)
        return true;
    return false;
  }
};

struct ReachedAssignment {
  const clang::Expr *Value = nullptr; ///< null: not known
  const clang::Stmt *At = nullptr;
  const Guarded *Under = nullptr;
};

/// break, continue, return, goto.
struct ReachedJump {
  const clang::Stmt *At = nullptr;
  const clang::Stmt *Target = nullptr; ///< a loop or switch; null: farther
  bool Continues = false;
  const Guarded *Under = nullptr;
};

struct LoopShape {
  const clang::Stmt *Loop = nullptr;
  const clang::Expr *Test = nullptr;
  const clang::Stmt *Step = nullptr; ///< the for's increment
  const Guarded *Inside = nullptr;   ///< of the statements in its body
};

struct ReachedEvent {
  enum class Kind : uint8_t {
    Call,         ///< of Callee, whose body can be read
    SkippedBody,  ///< of Callee, whose body the parser skipped
    BlockBarrier, ///< the whole block meets
    NamedBarrier, ///< a part of the block meets
    Waits,        ///< for time, copies, other blocks
    Assembly,     ///< not understood
    Unknown,      ///< not known to be harmless
    WarpWide,     ///< shuffles, votes
  };
  Kind What = Kind::Unknown;
  const clang::Stmt *At = nullptr; ///< null: at the function's own place
  const clang::FunctionDecl *Callee = nullptr;
  std::string Text; ///< "calls f(), whose body is not in this file"
  unsigned Order = 0;
};

/// Uses of memory that decide what a function returns, worst last.
enum class MemoryReads : uint8_t { None, Plain, Polled };

struct FunctionBody {
  const clang::FunctionDecl *Function = nullptr;
  std::vector<ReachedEvent> Events; ///< in the order of execution
  std::vector<LoopShape> Loops;
  std::vector<ReachedJump> Jumps;
  llvm::DenseMap<const clang::VarDecl *, std::vector<ReachedAssignment>>
      Assignments;
  /// Something else may read or write them.
  llvm::DenseSet<const clang::VarDecl *> Escaping;
  /// Bound to a const reference of a called function.
  std::vector<std::pair<const clang::VarDecl *, const clang::FunctionDecl *>>
      ConstBound;
  bool HasGoto = false, HasBackwardGoto = false;
  bool CastsAwayConst = false;
  /// Of what it computes with; what a parameter's reference or `this` names
  /// directly is read by the caller.
  MemoryReads Reads = MemoryReads::None;
  /// Statement -> the orders of what is executed in it.
  llvm::DenseMap<const clang::Stmt *, std::pair<unsigned, unsigned>> Extents;
  unsigned Steps = 0; ///< nodes that were walked
  std::deque<Guarded> Conditions;
};

/// Definition must have a body, and no dependent types.
void readFunction(const clang::FunctionDecl &Definition, FunctionBody &Out);

/// The variable that an lvalue is a part of, without going through a pointer or
/// a reference; null if it is none.
const clang::VarDecl *rootVariable(const clang::Expr *LValue);

/// How the load of LValue can change: None for a function's own variables,
/// constants, and what its caller reads for it.
MemoryReads readsOf(const clang::Expr *LValue);

/// The function that runs: the definition of F, or null.
const clang::FunctionDecl *definitionOf(const clang::FunctionDecl *F);

/// The name that a user knows it by: "cub::BlockReduce::Sum", "step".
std::string spelled(const clang::FunctionDecl &F);

/// Its memory stays as it is for the launch: constant memory, constants.
bool isConstantMemory(const clang::VarDecl &V);
/// A kernel's `const T *__restrict__` parameter.
bool isReadOnlyPointer(const clang::VarDecl &V);

} // namespace catt

#endif
