//===- PlainReads.cpp - Where a name does nothing but read ----------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/safety/PlainReads.h"
#include "analysis/source/safety/WrapSites.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseSet.h"
#include <set>

using namespace clang;

namespace catt {
namespace {

class ReadCollector : public RecursiveASTVisitor<ReadCollector> {
public:
  ReadCollector(const FunctionDecl &F, const ASTContext &Context)
      : Context(Context), SM(Context.getSourceManager()),
        File(SM.getFileID(SM.getExpansionLoc(F.getLocation()))) {}

  bool VisitImplicitCastExpr(ImplicitCastExpr *E) {
    if (E->getCastKind() == CK_LValueToRValue && Unseen == 0)
      if (const DeclRefExpr *D = named(*E->getSubExpr()))
        Reads.insert(D);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    if (isa<ValueDecl>(E->getDecl()))
      note(*E);
    return true;
  }
  // What a lambda names it captures, and operands that are not evaluated show
  // types only.
  bool TraverseLambdaExpr(LambdaExpr *E) {
    return hidden([&] { return RecursiveASTVisitor::TraverseLambdaExpr(E); });
  }
  bool TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *E) {
    return hidden([&] {
      return RecursiveASTVisitor::TraverseUnaryExprOrTypeTraitExpr(E);
    });
  }
  bool TraverseCXXNoexceptExpr(CXXNoexceptExpr *E) {
    return hidden(
        [&] { return RecursiveASTVisitor::TraverseCXXNoexceptExpr(E); });
  }
  bool TraverseCXXTypeidExpr(CXXTypeidExpr *E) {
    return hidden(
        [&] { return RecursiveASTVisitor::TraverseCXXTypeidExpr(E); });
  }
  bool TraverseTypeLoc(TypeLoc T, bool TraverseQualifier = true) {
    return hidden([&] {
      return RecursiveASTVisitor::TraverseTypeLoc(T, TraverseQualifier);
    });
  }
  bool TraverseConstantExpr(ConstantExpr *E) {
    return hidden([&] { return RecursiveASTVisitor::TraverseConstantExpr(E); });
  }

  void finish(Kernel &K) {
    for (unsigned At : Others)
      Plain.erase(At);
    llvm::append_range(K.PlainReads, Plain);
    llvm::sort(K.PlainReads);
    llvm::append_range(K.MacroMentions, InMacros);
  }

private:
  template <typename CallT> bool hidden(CallT Call) {
    ++Unseen;
    bool Goes = Call();
    --Unseen;
    return Goes;
  }
  /// The variable that is read, or a member of which is.
  static const DeclRefExpr *named(const Expr &Place) {
    const Expr *E = Place.IgnoreParens();
    while (auto *M = dyn_cast<MemberExpr>(E)) {
      if (M->isArrow())
        return nullptr;
      E = M->getBase()->IgnoreParenNoopCasts(
          const_cast<ASTContext &>(M->getMemberDecl()->getASTContext()));
    }
    return dyn_cast<DeclRefExpr>(E);
  }
  void note(const DeclRefExpr &E) {
    auto *V = dyn_cast<VarDecl>(E.getDecl());
    bool IsRead = Unseen == 0 && Reads.contains(&E) && V &&
                  !V->isUsableInConstantExpressions(Context);
    SourceLocation Spelled = SM.getSpellingLoc(E.getLocation());
    bool OwnText =
        SM.getFileID(Spelled) == File &&
        (E.getLocation().isFileID() || SM.isMacroArgExpansion(E.getLocation()));
    if (OwnText) {
      (IsRead ? Plain : Others).insert(SM.getFileOffset(Spelled));
    } else if (!IsRead) {
      SourceLocation Where = SM.getExpansionLoc(E.getLocation());
      bool Here = SM.getFileID(Where) == File;
      InMacros.push_back({E.getDecl()->getNameAsString(),
                          Here ? SM.getFileOffset(Where) : 0, Here,
                          SourceText(Context).location(E.getLocation())});
    }
  }

  const ASTContext &Context;
  const SourceManager &SM;
  FileID File;
  unsigned Unseen = 0; ///< constructs around that see more than a value
  llvm::DenseSet<const DeclRefExpr *> Reads; ///< visited before the names
  std::set<unsigned> Plain, Others;
  std::vector<Mention> InMacros;
};

} // namespace

void findPlainReads(const FunctionDecl &F, const ASTContext &Context,
                    Kernel &K) {
  ReadCollector C(F, Context);
  C.TraverseStmt(F.getBody());
  C.finish(K);
}

} // namespace catt
