//===- SplitRounding.h - Does a split keep a product apart? -----*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   float p = a * b;          a product                      before
//   ------------------------------------------ barrier
//   if (i < n) s = p + c;     and the sum that uses it       wrapped
//   ------------------------------------------ barrier
//   y[i] = 2 * s + c;         what is wrapped decides s      after
//
// nvcc fuses a product with its sum wherever it likes within what it can see at
// once, and a barrier ends that. Seen with nvcc 13.0 for sm_90, as the opcodes
// of the machine code: FFMA turns into FMUL and FADD where a product and its
// sum stand on two sides of a barrier (in a variable, in memory through one
// pointer, or as two equal products of which the compiler makes one), and the
// other way round where a variable that is constant if a loop does not run is
// multiplied by a constant after that loop (the compiler then multiplies
// inside). So what crosses has to be a finished value: one that was loaded,
// summed, converted, or is used as a factor or in a comparison only.
//
// What a loop adds to is rounded before it: `s = a * b; for (...) s += x` adds
// to s in whichever iteration comes, unless a compiler takes the first one out
// of the loop, which it does (seen with nvcc 13.0, with 32 to 4096 iterations)
// where it knows how many there are. And a product that is stored for other
// loads to see is finished: it has two uses, so that no sum takes it.
//
// Limits: what is stored through one pointer and loaded through another is
// taken to be rounded in memory, because a compiler cannot tell that both are
// one place. Every other expression that is not known counts as a product.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_SAFETY_SPLITROUNDING_H
#define CATT_ANALYSIS_SOURCE_SAFETY_SPLITROUNDING_H

#include "analysis/model/Refusal.h"
#include "analysis/source/safety/LocalMentions.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace catt {

/// What is wrapped: any statements; one loop; or one loop of which compilers do
/// not know how often it runs, so that its first iteration is one of many.
enum class Wrapping : uint8_t { Statements, Loop, OpenLoop };

/// Why barriers around these statements of F might change how something is
/// rounded, if so. InCallee: F is not the kernel, so that its arguments may be
/// products.
std::optional<Refusal>
splitMayRound(const clang::FunctionDecl &F,
              llvm::ArrayRef<const clang::Stmt *> Wrapped, bool InCallee,
              const clang::ASTContext &Context,
              Wrapping Kind = Wrapping::Statements);

/// Why a boundary between any two iterations of a loop of F might: an unrounded
/// product gets from one to the next, in a variable of outside or in memory.
/// AreOwn: these accesses are one element in each iteration, and another one in
/// every other.
std::optional<Refusal> iterationsMayRound(
    const clang::FunctionDecl &F, const clang::Stmt &Loop,
    llvm::function_ref<bool(llvm::ArrayRef<const clang::Expr *>)> AreOwn,
    const LocalMentions &Locals, const clang::ASTContext &Context);

} // namespace catt

#endif
