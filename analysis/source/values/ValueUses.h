//===- ValueUses.h - What expressions do to variables -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   v[j] = s * w.x;      defines v at [j], uses s, uses w
//   f(&s);               s escapes: something else may read or write it
//   p.v[1] = q.n;        defines p.v at [1], uses q.n, and so p and q
//
// An expression that is not known lets every variable escape that it names.
//
//   y[i] = f(s);         the call of a function of the kernel's own: its
//                        parameter is s, and its body is read as if it stood
//                        here, in the loops that are around the call
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_VALUES_VALUEUSES_H
#define CATT_ANALYSIS_SOURCE_VALUES_VALUEUSES_H

#include "analysis/source/safety/WrapSites.h"
#include "analysis/source/syntax/Effects.h"
#include "analysis/source/values/CalledFunctions.h"
#include "analysis/source/values/ConstWords.h"
#include "analysis/source/values/SharedProducts.h"
#include "analysis/source/values/ValueParts.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace catt {

/// Adds a refusal unless V has one of its kind.
void refuse(ThreadValue &V, Reason Why, std::string Detail,
            const Location &Where);

/// Fills in Kernel::Values; ThreadValues walks the statements and calls it.
class ValueUses {
public:
  /// Own: the functions of the kernel, callers before what they call.
  ValueUses(const clang::FunctionDecl &F, llvm::ArrayRef<OnlyCalled> Own,
            const clang::ASTContext &Context, Kernel &K);

  /// What follows stands in the body of Own[Function - 1], whose callers have
  /// been visited. Returns the statement of its first call.
  std::optional<unsigned> enter(unsigned Function);

  /// What an expression does. Statement and InHead say where it stands.
  void visit(const clang::Expr &Top);
  /// What is done to the object that an expression designates: read, written,
  /// or else something that may keep its address.
  void place(const clang::Expr &Top, Effect What);
  /// The address of every variable that is named there may be kept.
  void escapeAll(const clang::Stmt &S);
  /// Something whose name means nothing else from here on: statements that
  /// would name an outer variable cannot be added.
  void hide(const clang::NamedDecl &D);
  /// A variable of a block, whose initializer was visited.
  void declare(const clang::VarDecl &D, const clang::CompoundStmt &Block,
               bool InSwitch);
  /// There is a goto or the like in the function.
  void jump() { Bodies[Function].HasJumps = true; }
  /// When all events are known.
  void finish();

  unsigned Statement = 0; ///< index in Kernel::Statements
  bool InHead = false;
  std::vector<const clang::Stmt *> Loops; ///< around the statement
  /// Variables of the unrolled loops around.
  llvm::DenseSet<const clang::VarDecl *> Folding;

private:
  /// Those of a variable in Kernel::Values: itself, then its parts.
  struct Values {
    size_t First = 0, Count = 0;
  };
  void add(ThreadValue V, const clang::VarDecl &D, ValuePart Of);
  ThreadValue valueOf(const ValuePart &Part, ThreadValue Outer) const;
  void visitOperator(const clang::CXXOperatorCallExpr &O);
  void visitCall(const clang::CallExpr &C);
  void give(const clang::CallExpr &C);
  void operand(const clang::Expr &E, llvm::ArrayRef<OperandEffect> Effects);
  void subscript(const clang::ArraySubscriptExpr &Outer, Effect What);
  void placeParts(const Designator &D, const Values &Of,
                  clang::SourceLocation Where, Effect What);
  void describeElement(ThreadValue &V,
                       llvm::ArrayRef<const clang::Expr *> Indices);
  void note(size_t Value, clang::SourceLocation Where, Effect What);
  void note(const clang::VarDecl &D, clang::SourceLocation Where, Effect What);
  llvm::ArrayRef<const clang::Expr *>
  definitionsOf(const clang::VarDecl &D) const;
  bool copies(const clang::Expr &E, llvm::SmallVectorImpl<size_t> &Out,
              llvm::DenseSet<const clang::VarDecl *> &Seen) const;
  void findProducts();
  void findRivals(const std::vector<bool> &Product);
  void findRivalResults(std::vector<const clang::Stmt *> Into);
  void findSharedProducts();
  void refuseUnseen();
  void findCopies();
  void addCalls(const clang::Stmt &S, std::vector<LineRange> &Calls) const;
  std::string textOf(const clang::Expr &E) const;

  /// The kernel, or a function of its own.
  struct Body {
    Body(const clang::FunctionDecl &F, size_t Named)
        : F(&F), Named(Named), Consts(F, F.getASTContext()) {}
    const clang::FunctionDecl *F;
    size_t Named; ///< how often it is called in the text
    ConstWords Consts;
    // Of its calls.
    size_t Calls = 0;
    bool RunsTwice = false;                 ///< or its caller does
    std::optional<unsigned> Statement;      ///< of the first one
    std::vector<const clang::Stmt *> Loops; ///< around any of them
    bool HasJumps = false;
  };

  const clang::ASTContext &Context;
  const clang::SourceManager &SM;
  SourceText Text;
  Kernel &K;
  unsigned Function = 0;    ///< as BodyStatement::Function
  std::vector<Body> Bodies; ///< by function
  InlinedFunctions Inlined;
  /// What parameters of the kernel's functions may be; null: something else.
  llvm::DenseMap<const clang::VarDecl *, std::vector<const clang::Expr *>>
      Given;
  llvm::DenseMap<const clang::VarDecl *, Values> Index;
  // Of each of Kernel::Values.
  std::vector<const clang::VarDecl *> Decls;
  std::vector<ValuePart> PartOf;
  /// By value: the assignments and initializers that define it; null: others.
  std::vector<std::vector<const clang::Expr *>> Definitions;
  const clang::Expr *Defining = nullptr; ///< the one that is being looked at
  SharedProducts Products;
  bool IsFactor = false; ///< of a product or a quotient
};

} // namespace catt

#endif
