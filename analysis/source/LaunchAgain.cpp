//===- LaunchAgain.cpp - May a launch statement run twice? ----------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   k<<<blocks(n), 256>>>(v.data(), n);     yes: blocks() only computes
//   k<<<n, 256>>>(next(), p++);             no: "it calls next() ..."
//
// What is evaluated may change nothing but variables of functions that it
// calls. Calls are followed where a body is in sight. Of the standard library
// and thrust, functions are trusted that are given no reference to something
// that they could change.
//
// Limits: a const member function may change what it has a pointer to, and is
// trusted not to where it is the standard library's or thrust's.
//
//===----------------------------------------------------------------------===//
#include "analysis/source/LaunchTexts.h"
#include "analysis/source/safety/KnownFunctions.h"
#include "analysis/source/safety/Reach.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;

namespace catt {
namespace {

/// Looks for something that a second evaluation would do again, or otherwise.
class Repetition : public RecursiveASTVisitor<Repetition> {
public:
  explicit Repetition(const ASTContext &Context) : Context(Context) {}
  std::string Why;

  bool VisitUnaryOperator(UnaryOperator *E) {
    return !E->isIncrementDecrementOp() || changes(*E->getSubExpr());
  }
  bool VisitBinaryOperator(BinaryOperator *E) {
    return !E->isAssignmentOp() || changes(*E->getLHS());
  }
  bool VisitExpr(Expr *E) {
    return !E->getType().isVolatileQualified() ||
           stop("it reads a volatile variable");
  }
  /// Compilers compute it, and its text has no type.
  bool TraverseStaticAssertDecl(StaticAssertDecl *) { return true; }
  bool TraverseLambdaExpr(LambdaExpr *) {
    return stop("it is given a lambda that is written there");
  }
  bool VisitStmtExpr(StmtExpr *) { return stop("it holds statements"); }
  bool VisitAtomicExpr(AtomicExpr *) { return stop("it changes memory"); }
  bool VisitCXXNewExpr(CXXNewExpr *) { return stop("it takes memory by new"); }
  bool VisitCXXDeleteExpr(CXXDeleteExpr *) {
    return stop("it gives memory back");
  }
  bool VisitCXXDefaultArgExpr(CXXDefaultArgExpr *E) {
    return TraverseStmt(E->getExpr());
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *E) {
    return enter(*E->getConstructor());
  }
  bool VisitCallExpr(CallExpr *E) {
    const FunctionDecl *F = E->getDirectCallee();
    if (!F)
      return stop("it calls a function through a pointer");
    auto *M = dyn_cast<CXXMethodDecl>(F);
    if (M && M->isVirtual())
      return stop("it calls " + spelled(*F) + "(), which is virtual");
    return enter(*F);
  }

private:
  bool stop(std::string What) {
    if (Why.empty())
      Why = std::move(What);
    return false;
  }

  /// A variable of the function that is entered is new each time.
  bool changes(const Expr &Place) {
    const VarDecl *V = rootVariable(&Place);
    if (Depth != 0 && V && V->hasLocalStorage() &&
        !V->getType()->isReferenceType())
      return true;
    return stop(V ? "it changes '" + V->getNameAsString() + "'"
                  : "it changes memory");
  }

  bool isLibrary(const FunctionDecl &F) const {
    if (!Context.getSourceManager().isInSystemHeader(F.getLocation()))
      return false;
    const DeclContext *Outermost = nullptr;
    for (const DeclContext *D = F.getDeclContext(); !D->isTranslationUnit();
         D = D->getParent())
      Outermost = D;
    auto *N = dyn_cast_or_null<NamespaceDecl>(Outermost);
    return N && (N->getName() == "std" || N->getName() == "thrust");
  }

  /// Nothing but what an accessor or a function of values may do.
  static bool cannotChange(const FunctionDecl &F) {
    auto *M = dyn_cast<CXXMethodDecl>(&F);
    const bool IsAccessor =
        M &&
        (M->isConst() ||
         (F.getDeclName().isIdentifier() &&
          llvm::is_contained({"data", "get", "begin", "size"}, F.getName())) ||
         F.getOverloadedOperator() == OO_Subscript);
    if (M && !M->isStatic() && !IsAccessor && !isa<CXXConstructorDecl>(M))
      return false;
    return llvm::none_of(F.parameters(), [&](const ParmVarDecl *P) {
      QualType T = P->getType();
      return T->isReferenceType() && !T->getPointeeType().isConstQualified() &&
             F.getNameAsString() != "raw_pointer_cast";
    });
  }

  bool enter(const FunctionDecl &F) {
    if (F.isTrivial() || knownFunction(F) == Known::Computes ||
        (isLibrary(F) && cannotChange(F)))
      return true;
    const FunctionDecl *Body = nullptr;
    if (!F.hasBody(Body))
      return stop("it calls " + spelled(F) + "(), whose body is not in sight");
    if (!Seen.insert(Body).second)
      return true;
    if (Seen.size() > MostFunctions)
      return stop("it calls too many functions");
    ++Depth;
    bool GoOn = true;
    if (auto *C = dyn_cast<CXXConstructorDecl>(Body))
      for (const CXXCtorInitializer *I : C->inits())
        GoOn = GoOn && TraverseStmt(I->getInit());
    GoOn = GoOn && TraverseStmt(Body->getBody());
    --Depth;
    return GoOn;
  }

  static constexpr size_t MostFunctions = 256;
  const ASTContext &Context;
  unsigned Depth = 0; ///< of functions that are entered
  llvm::SmallPtrSet<const FunctionDecl *, 16> Seen;
};

} // namespace

std::string againstRunningAgain(const ASTContext &Context,
                                const CUDAKernelCallExpr &Launch) {
  Repetition Visitor(Context);
  auto Walk = [&](const Expr *E) {
    return Visitor.TraverseStmt(const_cast<Expr *>(E));
  };
  if (!Walk(Launch.getCallee()))
    return Visitor.Why;
  for (const Expr *E : Launch.getConfig()->arguments())
    if (!Walk(E))
      return Visitor.Why;
  for (const Expr *E : Launch.arguments()) {
    if (!Walk(E))
      return Visitor.Why;
    const Expr *Written = E->IgnoreParenImpCasts();
    if (isa<InitListExpr>(E->IgnoreImplicit()))
      return "an argument in braces has no type of its own";
    if (Written->getType()->isFunctionType() ||
        Written->getType()->isFunctionPointerType())
      return "it is given a function";
  }
  return "";
}

} // namespace catt
