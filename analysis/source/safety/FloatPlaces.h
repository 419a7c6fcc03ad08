//===- FloatPlaces.h - Floating-point values on their way -----------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   float p = a * b;   defines p before, by a product
//   if (i < n)
//     s += p;          uses p in what is wrapped, for a sum, into s
//
// What is known of every variable that may hold a floating-point value, and of
// the memory that a parameter points to.
//
// Limits: memory accessed through a reassigned local pointer, or through the
// result of a call, is one place without a name.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_SAFETY_FLOATPLACES_H
#define CATT_ANALYSIS_SOURCE_SAFETY_FLOATPLACES_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace catt {

/// Where something stands, seen from the statements that are wrapped.
enum class Side : uint8_t { Before, Wrapped, After };

/// A variable, or the memory that it points to. No variable: memory that is
/// accessed in any other way.
struct FloatRoot {
  const clang::VarDecl *Of = nullptr;
  bool Memory = false;
  /// In the order of the text, so that messages are the same in every run.
  bool operator<(const FloatRoot &R) const { return key() < R.key(); }

private:
  std::tuple<unsigned, std::string, bool> key() const {
    return {Of ? Of->getLocation().getRawEncoding() : 0,
            Of ? Of->getNameAsString() : "", Memory};
  }
};

struct FloatDefinition {
  Side Where;
  const clang::Expr
      *From; ///< an initializer or an assignment; null: something else
  clang::SourceLocation At;
  bool Finished = false; ///< From is null, and yet it is no product
};

struct FloatUse {
  Side Where;
  bool Finished = false;         ///< no sum takes what is read there
  bool Copied = false;           ///< it is all that is assigned to Into
  bool Added = false;            ///< it is what `s += x` adds to
  bool Summed = false;           ///< a sum is made of it in the same expression
  bool Scaled = false;           ///< a product with a constant
  bool ScaledSum = false;        ///< that product, and then a sum of it
  std::optional<FloatRoot> Into; ///< what the expression is assigned to
};

struct FloatPlace {
  std::vector<FloatDefinition> Definitions;
  std::vector<FloatUse> Uses;
  bool IsProduct = false;
};

/// An operand-wise comparable product, and where it stands.
struct FloatProduct {
  std::string Left, Right;
  Side Where;
  const clang::Expr *Of;
};

/// Collects them in one walk over a function.
class FloatPlaces {
public:
  FloatPlaces(llvm::ArrayRef<const clang::Stmt *> Wrapped,
              const clang::ASTContext &Context)
      : Wrapped(Wrapped), Context(Context) {}

  /// MayRepeat: the whole body may run again.
  void collect(const clang::Stmt &Body, bool MayRepeat) {
    IsRepeated = MayRepeat;
    findReassigned(Body);
    walk(Body);
  }
  /// A parameter whose argument may be a product.
  void addArgument(const clang::VarDecl &P);

  /// Whether a value that is defined on one side can get to the other.
  bool flows(Side From, Side To) const {
    return From != To && (From < To || IsRepeated);
  }
  /// Whether both may be one place: memory of which only one name is known may
  /// be any memory.
  bool mayBeOne(const FloatRoot &A, const FloatRoot &B) const;
  /// Whether no sum takes what is read there, nor what it is copied to.
  bool isFinished(const FloatUse &U) const;
  /// Whether a definition may leave an unrounded product. Copies: as in
  /// mayBeProduct.
  bool
  mayBeProductHere(const clang::Expr *From,
                   llvm::SmallVectorImpl<const clang::VarDecl *> &Copies) const;
  /// Sets IsProduct of every place that a product, or a copy of one, defines.
  void spreadProducts();
  /// p of `p[i].x`, `*(p + i)` and `p->x`.
  FloatRoot rootOf(const clang::Expr &E) const;
  bool isConstant(const clang::Expr &E) const {
    return !E.isValueDependent() && E.isEvaluatable(Context);
  }

  std::map<FloatRoot, FloatPlace> Places;
  std::vector<FloatProduct> Products;

private:
  void walk(const clang::Stmt &S);
  void visit(const clang::Stmt &S);
  void visitAssignment(const clang::BinaryOperator &B);
  void visitCall(const clang::CallExpr &C);
  static bool refersToFloats(const clang::Expr &Argument);
  FloatRoot referredTo(const clang::Expr &Argument) const;
  void findReassigned(const clang::Stmt &S);
  bool isSeenElsewhere(const clang::DeclRefExpr &E) const;
  void climb(const clang::Expr &Value, FloatUse &U) const;
  void use(const clang::Expr &Read, const clang::Expr &Value);
  void addProduct(const clang::Expr &Of, const clang::Expr &First,
                  const clang::Expr &Second);
  bool isFinished(const FloatUse &U, std::set<FloatRoot> &Seen) const;
  void define(const FloatRoot &R, const clang::Expr *From,
              clang::SourceLocation At, bool Finished = false) {
    Places[R].Definitions.push_back({Here, From, At, Finished});
  }

  /// Copies: variables whose product the call may give back.
  bool
  returnsProduct(const clang::CallExpr &C,
                 llvm::SmallVectorImpl<const clang::VarDecl *> &Copies) const;
  bool returnsProductOf(const clang::FunctionDecl &Body, bool Arguments) const;
  /// A product; copies of what is given to it; neither.
  enum class Left : uint8_t { Product, Arguments, Finished };
  Left leftBy(const clang::CallExpr &C) const;
  bool leavesProductOf(const clang::FunctionDecl &Body, bool Arguments) const;
  void collectCallee(const clang::FunctionDecl &Body, bool Arguments,
                     unsigned CallDepth);

  llvm::ArrayRef<const clang::Stmt *> Wrapped;
  const clang::ASTContext &Context;
  static constexpr unsigned MaxDepth = 3; ///< calls that are read through
  unsigned Depth = 0;
  Side Here = Side::Before;
  bool IsRepeated = false; ///< what follows may run before, too
  llvm::DenseSet<const clang::VarDecl *> Reassigned; ///< pointers
  llvm::DenseSet<const clang::VarDecl *> Exposed;    ///< their address is taken
  llvm::SmallVector<const clang::Stmt *, 16> Above;  ///< around what is visited
};

} // namespace catt

#endif
