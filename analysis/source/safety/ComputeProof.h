//===- ComputeProof.h - Functions that only compute -------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function whose body has nothing but arithmetic on its parameters, its own
// locals and constants gives equal results for equal arguments, whatever its
// control flow, and changes nothing outside:
//
//   int up(int n, int m = 32) { return (n + m - 1) / m * m; }    proved
//   Row(int n) : first(n), last(up(n)) {}                        proved
//   int rows() const { return last - first; }                    proved
//   int mine() { return threadIdx.x; }                           not
//   int loaded(const int *p) { return *p; }                      not
//
// Where a call may change what its arguments refer to, which whoever calls
// knows to be variables of its own:
//
//   void swapIf(int &a, int &b) { if (a > b) { int t = a; a = b; b = t; } }
//   unsigned next(unsigned *state) { return *state = *state * 69069 + 1; }
//
// Limits: memory through a pointer, globals that can change, `this` other than
// as the object of a const function or of a constructor, references that can
// write, addresses, lambdas, assembly, virtual calls, recursion, destructors
// that do something and bodies that were not parsed end the proof. So does
// work of more than 20,000 steps.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_SAFETY_COMPUTEPROOF_H
#define CATT_ANALYSIS_SOURCE_SAFETY_COMPUTEPROOF_H

#include "analysis/source/safety/ValueRules.h"
#include "llvm/ADT/DenseMap.h"

namespace catt {

enum class Changes : uint8_t { Nothing, Arguments };

class ComputeProof final : private ValueRules {
public:
  explicit ComputeProof(Changes May = Changes::Nothing) : May(May) {}

  /// The function, member function or constructor only computes, and takes
  /// all its parameters by value or by reference to const. With
  /// Changes::Arguments: it changes nothing but what its parameters refer or
  /// point to, and its object, and keeps no pointer to them.
  bool computes(const clang::FunctionDecl &F) override;
  using ValueRules::callComputes;

private:
  bool variable(const clang::VarDecl &V) override;
  bool written(const clang::Expr &Place) override;
  bool object() override { return InMember; }
  bool pointee(const clang::Expr &Pointer) override;
  bool mayChangeArguments() const override { return May == Changes::Arguments; }
  bool step() override { return ++Steps < MaxSteps; }

  bool prove(const clang::FunctionDecl &F);
  bool initializers(const clang::CXXConstructorDecl &C);
  bool statement(const clang::Stmt *S);
  bool loop(const clang::Stmt &S);
  bool declaration(const clang::Decl &D);

  const Changes May;
  static constexpr unsigned MaxSteps = 20000;
  enum class State : uint8_t { Open, Proved, Refused };
  llvm::DenseMap<const clang::FunctionDecl *, State> Known;
  bool InMember = false, InConstructor = false;
  unsigned Steps = 0, Depth = 0;
};

} // namespace catt

#endif
