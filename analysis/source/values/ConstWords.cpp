//===- ConstWords.cpp - Variables that need not be const ------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/values/ConstWords.h"
#include "analysis/source/syntax/Effects.h"
#include "analysis/source/values/ValueParts.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace catt {

//===-- Uses --------------------------------------------------------------===//

/// Copies an object whose class leaves that to the compiler.
static bool isPlainCopy(const CXXConstructExpr &E) {
  const CXXConstructorDecl &C = *E.getConstructor();
  return C.isCopyConstructor() && C.isTrivial() &&
         !C.getParent()->hasUserDeclaredConstructor();
}

/// Whether a function would take a variable itself as an argument, unless it is
/// const.
static bool takesVariable(const NamedDecl &D, unsigned Argument) {
  const FunctionDecl *F = D.getUnderlyingDecl()->getAsFunction();
  if (!F || Argument >= F->getNumParams())
    return false;
  return isMutableReference(F->getParamDecl(Argument)->getType());
}

namespace {
class ConstUses : public RecursiveASTVisitor<ConstUses> {
public:
  bool VisitDeclStmt(DeclStmt *S) {
    for (const Decl *D : S->decls())
      if (auto *V = dyn_cast<VarDecl>(D))
        Statements[V] = S;
    return true;
  }
  bool VisitImplicitCastExpr(ImplicitCastExpr *E) {
    if (E->getCastKind() == CK_LValueToRValue)
      read(*E->getSubExpr());
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *E) {
    if (isPlainCopy(*E))
      read(*E->getArg(0));
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    if (auto *V = dyn_cast<VarDecl>(E->getDecl()); V && !Reads.contains(E))
      Kept.insert(V);
    return true;
  }
  bool VisitLambdaExpr(LambdaExpr *E) {
    for (const LambdaCapture &C : E->captures())
      if (C.capturesVariable())
        if (auto *V = dyn_cast<VarDecl>(C.getCapturedVar()))
          Kept.insert(V);
    return true;
  }
  bool VisitCallExpr(CallExpr *E) {
    const FunctionDecl *F = E->getDirectCallee();
    // The first argument of a member operator is no parameter.
    unsigned First =
        isa_and_nonnull<CXXMethodDecl>(F) && isa<CXXOperatorCallExpr>(E);
    for (unsigned I = First; F && I < E->getNumArgs(); ++I)
      keepIfOverloaded(*F, *E->getArg(I), I - First);
    return true;
  }

  llvm::DenseMap<const VarDecl *, const DeclStmt *> Statements;
  llvm::DenseSet<const VarDecl *> Kept;

private:
  void read(const Expr &E) {
    if (std::optional<Designator> D = designated(E))
      Reads.insert(D->Name);
  }
  void keepIfOverloaded(const FunctionDecl &F, const Expr &Argument,
                        unsigned Number) {
    const Expr *Read = Argument.IgnoreParenImpCasts();
    if (auto *C = dyn_cast<CXXConstructExpr>(Read); C && isPlainCopy(*C))
      Read = C->getArg(0);
    std::optional<Designator> Of = designated(*Read);
    if (Of &&
        llvm::any_of(
            F.getDeclContext()->getRedeclContext()->lookup(F.getDeclName()),
            [&](const NamedDecl *D) { return takesVariable(*D, Number); }))
      Kept.insert(Of->Variable);
  }

  llvm::DenseSet<const DeclRefExpr *> Reads; ///< visited before the names
};
} // namespace

ConstWords::ConstWords(const FunctionDecl &F, const ASTContext &Context)
    : Context(Context) {
  ConstUses Uses;
  Uses.TraverseStmt(F.getBody());
  Statements = std::move(Uses.Statements);
  Kept = std::move(Uses.Kept);
}

//===-- The word ----------------------------------------------------------===//

bool ConstWords::isNeeded(const VarDecl &D, bool Alone) const {
  QualType T = Context.getBaseElementType(D.getType());
  // Of several variables, `*p` has its const from another word than `x`.
  return !T.isConstQualified() || (!Alone && T->isPointerType()) ||
         Kept.contains(&D) || !D.getInit() || D.isConstexpr() ||
         D.getInit()->isValueDependent() ||
         D.getInit()->isConstantInitializer(const_cast<ASTContext &>(Context),
                                            /*ForRef=*/false);
}

std::optional<SourceSpan> ConstWords::of(const VarDecl &D,
                                         const SourceSpan &Statement) const {
  const DeclStmt *S = Statements.lookup(&D);
  if (!S || Statement.File.empty())
    return std::nullopt;
  for (const Decl *Other : S->decls()) {
    auto *V = dyn_cast<VarDecl>(Other);
    if (!V || isNeeded(*V, S->isSingleDecl()))
      return std::nullopt;
  }
  const SourceManager &SM = Context.getSourceManager();
  SourceLocation Begin = S->getBeginLoc(),
                 Name = (*S->decl_begin())->getLocation();
  if (Begin.isMacroID() || Name.isMacroID() ||
      SM.getFileID(Begin) != SM.getFileID(Name))
    return std::nullopt; // partly in another file
  std::optional<SourceSpan> Found;
  FileID File = SM.getFileID(Begin);
  StringRef All = SM.getBufferData(File);
  Lexer Raw(SM.getLocForStartOfFile(File), Context.getLangOpts(), All.data(),
            All.data() + SM.getFileOffset(Begin), All.data() + All.size());
  Token T;
  for (Raw.LexFromRawLexer(T); T.getLocation() < Name; Raw.LexFromRawLexer(T)) {
    if (T.isOneOf(tok::eof, tok::hash))
      return std::nullopt;
    if (T.isNot(tok::raw_identifier) || T.getRawIdentifier() != "const")
      continue;
    unsigned At = SM.getFileOffset(T.getLocation());
    if (Found || T.needsCleaning() || At < Statement.Begin ||
        At >= Statement.End)
      return std::nullopt;
    Found = {Statement.File, At, At + T.getLength()};
  }
  return Found;
}

} // namespace catt
