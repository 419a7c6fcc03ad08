//===- SharedProducts.h - Products with several uses ------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for (row ...)                        s += a * v;
//     for (k ...)                        ...
//       at += a * v[k];                  t += a * v;
//
// A compiler computes such a product once, and as it has many uses, or stands
// before the loop, fuses it with none of the sums (LLVM's NVPTX back end: four
// uses at most, all of them sums, in one basic block). If v is loaded before
// each statement, it is a new value each time, and so is the product: each is
// fused with its sum, and rounded differently.
//
// What is found is an upper bound: products are compared by their text, with
// all variables of loops alike and constants by value, and memory is taken to
// stay as it is. A parameter of a function that is inlined is its argument,
// where there is one; where there are several, each call has the same products.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_VALUES_SHAREDPRODUCTS_H
#define CATT_ANALYSIS_SOURCE_VALUES_SHAREDPRODUCTS_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"
#include <string>
#include <vector>

namespace catt {

/// An expression that may be a floating-point product, or a call that may
/// compute one.
struct Product {
  const clang::Expr *E;
  bool Whole; ///< it is no factor of another one
  unsigned Statement;
  std::vector<const clang::Stmt *> Loops; ///< around it
};

/// The definitions of functions that are read as if they stood where they are
/// called. None calls itself.
using InlinedFunctions = llvm::DenseSet<const clang::FunctionDecl *>;

/// Visits what is inside S, and inside the functions that it calls, once each.
void forEachInlined(
    const clang::Stmt &S, const InlinedFunctions &Inlined,
    llvm::function_ref<void(const clang::Stmt &)> Visit,
    llvm::function_ref<void(const clang::FunctionDecl &)> Enter =
        [](const clang::FunctionDecl &) {});

class SharedProducts {
public:
  using Variables = llvm::SetVector<const clang::VarDecl *>;
  /// What gives a variable its values: initializers and assignments; null:
  /// something else.
  using DefinitionsOf = llvm::function_ref<llvm::ArrayRef<const clang::Expr *>(
      const clang::VarDecl &)>;

  /// What a loop does to variables.
  struct LoopFacts {
    Variables Declared; ///< in its body
    llvm::DenseSet<const clang::VarDecl *> Assigned;
  };

  SharedProducts(const clang::ASTContext &Context,
                 const InlinedFunctions &Inlined)
      : Context(Context), Inlined(Inlined) {}
  /// Takes a product; what is none is passed over. Returns whether the operands
  /// are factors.
  bool add(Product P);
  /// Local variables that products are made of which several statements, or
  /// several iterations of a loop, share.
  Variables variables(DefinitionsOf Definitions);

private:
  LoopFacts factsOf(const clang::Stmt &Loop);
  llvm::DenseSet<const clang::VarDecl *>
  varying(const LoopFacts &F, DefinitionsOf Definitions) const;
  Variables ofIterations(const clang::Stmt &Loop, DefinitionsOf Definitions);
  std::string key(const clang::Expr &E, DefinitionsOf Definitions) const;
  void addVariables(const clang::Expr &E, Variables &Out) const;

  const clang::ASTContext &Context;
  const InlinedFunctions &Inlined;
  std::vector<Product> Products;
  llvm::DenseSet<const clang::VarDecl *> OfLoops; ///< declared in their heads
};

} // namespace catt

#endif
