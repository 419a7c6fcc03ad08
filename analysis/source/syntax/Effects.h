//===- Effects.h - What a node of the syntax does to objects ----*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one answer to "what does this statement modify?". Each operand of a node
// that designates an object (a glvalue) is in one of two lists:
//
//   effectsOf(node)   the node does something to the object
//     x + 1             Read x                (the load below the +)
//     x += e, ++x       ReadWrite x
//     x = e             Write x, of the value e
//     f(x), &x          BindConst or Bind x; TakeAddress of x
//     int &r = x;       Bind x
//     [&] { x; }        Capture x
//     x, 1   (void)x    Discard x
//     asm("" : "=r"(x)) Write x
//   passesOn(node)    the node designates the same object, or a part of it
//     (x)  x.f  x[i]  c ? x : y  (x = e)
//
// A walk that asks each node of a function for its effects misses none: the
// switch over NodeRole has no default, and a kind of node that NodeKinds does
// not know has the effect Unknown on all its operands.
//
// Limits: what a called function does with what is bound to its parameters is
// left to the caller, as is what a lambda does with what it captures. Memory
// that a pointer points to is a place without a name: passesOn() ends there.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_SYNTAX_EFFECTS_H
#define CATT_ANALYSIS_SOURCE_SYNTAX_EFFECTS_H

#include "clang/AST/Decl.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace catt {

enum class Effect : uint8_t {
  Read,        ///< its value is loaded or copied
  Discard,     ///< named, and nothing is done
  Write,       ///< its value is replaced
  ReadWrite,   ///< its value is replaced by one that is computed from it
  BindConst,   ///< to a reference that cannot write
  Bind,        ///< to a reference that can
  TakeAddress, ///< also of an array that becomes a pointer
  Capture,     ///< by reference, in a lambda
  Unknown,     ///< by a kind of node that is not listed
};

/// What one node does to the object that an operand of it designates.
struct OperandEffect {
  Effect What = Effect::Unknown;
  const clang::Expr *Place = nullptr; ///< the operand, a glvalue
  /// What is stored, or goes into what is stored beside the old value (e of
  /// `x += e`); null: nothing that is written as an expression (`++x`).
  const clang::Expr *Value = nullptr;
  /// Bound by a call: the parameter; null for the object of a method.
  const clang::ParmVarDecl *Parameter = nullptr;
  bool writes() const {
    return What == Effect::Write || What == Effect::ReadWrite;
  }
};
using OperandEffects = llvm::SmallVector<OperandEffect, 4>;

/// Of the node itself, not of what stands in it.
OperandEffects effectsOf(const clang::Stmt &Node);
/// Of the initialization of a variable, on what it is initialized with.
OperandEffects effectsOf(const clang::VarDecl &V);

/// The operands that designate the same object as a glvalue does, or one that
/// has it as a part.
llvm::SmallVector<const clang::Expr *, 2> passesOn(const clang::Expr &Place);

/// The array that `x[i]` designates an element of; null if x is a pointer.
const clang::Expr *arrayOf(const clang::ArraySubscriptExpr &E);

/// Nothing is done in S to V or a part of it but to read it. A capture by
/// reference is more, an operand that is not evaluated is counted.
bool isOnlyRead(const clang::VarDecl &V, const clang::Stmt *S);
/// Something in S replaces the value of V or of a part of it, or takes an
/// address or a reference by which others can.
bool mayModify(const clang::Stmt *S, const clang::VarDecl &V);
/// The same where a lambda in S that captures V by reference changes it in its
/// body alone.
bool mayModifyOrInLambdas(const clang::Stmt *S, const clang::VarDecl &V);

/// `__half`, `const __nv_bfloat162 &`: a class of CUDA's headers for numbers,
/// which is copied by its bytes, whatever its constructors are.
bool isNarrowFloat(clang::QualType T);
/// A constructor that copies bytes, or leaves them as they are.
bool isTrivial(const clang::CXXConstructExpr &E);
/// What is read there; of an object that is handed over by value, its name.
const clang::Expr *withoutCopy(const clang::Expr *E);
/// `a = b` of a class, which copies bytes.
bool isTrivialAssignment(const clang::CallExpr &E);
/// `__half::operator float`: the number that a small object of a system header
/// stands for. It reads the object, and changes nothing.
bool convertsToNumber(const clang::FunctionDecl &F);
/// A member function that is const, or could be.
bool leavesObject(const clang::CXXMethodDecl &M);
/// The object that a call of a member function works on, else null.
const clang::Expr *objectOf(const clang::CallExpr &E);
/// The arguments that belong to parameters.
llvm::ArrayRef<const clang::Expr *> argumentsOf(const clang::CallExpr &E);

/// A reference (not one to const) through which others can be changed.
bool isMutableReference(clang::QualType T);

} // namespace catt

#endif
