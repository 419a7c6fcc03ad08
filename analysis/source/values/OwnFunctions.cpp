//===- OwnFunctions.cpp - Functions that one kernel calls alone -----------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/values/OwnFunctions.h"
#include "analysis/source/syntax/NodeParts.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace catt {
namespace {

using Counted = llvm::DenseMap<const FunctionDecl *, unsigned>;

struct Counter : RecursiveASTVisitor<Counter> {
  explicit Counter(Counted &Out) : Out(Out) {}
  /// Of a template the text counts, and not each of its instantiations.
  bool TraverseFunctionDecl(FunctionDecl *F) {
    return F->isTemplateInstantiation() ||
           RecursiveASTVisitor::TraverseFunctionDecl(F);
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    count(E->getDecl());
    return true;
  }
  bool VisitOverloadExpr(OverloadExpr *E) { // of a template, not decided yet
    for (NamedDecl *D : E->decls())
      count(D->getUnderlyingDecl());
    return true;
  }
  void count(const NamedDecl *D) {
    if (auto *F = dyn_cast<FunctionDecl>(D))
      ++Out[F->getCanonicalDecl()];
  }
  Counted &Out;
};

/// Whether its body is compiled for the device alone, as it stands there, and
/// in this file alone.
bool isPlainDeviceFunction(const FunctionDecl &F) {
  const LangOptions &Language = F.getASTContext().getLangOpts();
  const SourceManager &SM = F.getASTContext().getSourceManager();
  return SM.isInMainFile(SM.getExpansionLoc(F.getLocation())) &&
         F.hasAttr<CUDADeviceAttr>() && !F.hasAttr<CUDAHostAttr>() &&
         !F.isConstexpr() && !F.isVariadic() && !isa<CXXMethodDecl>(F) &&
         F.getTemplatedKind() == FunctionDecl::TK_NonTemplate &&
         !(Language.GPURelocatableDeviceCode && F.isExternallyVisible());
}

} // namespace

unsigned FunctionUses::of(const FunctionDecl &F) {
  if (!Counts) {
    Counter Count(Counts.emplace());
    for (Decl *D : Context.getTraversalScope())
      Count.TraverseDecl(D);
  }
  return Counts->lookup(F.getCanonicalDecl());
}

std::vector<const FunctionDecl *> ownFunctions(const FunctionDecl &Kernel,
                                               FunctionUses &Uses) {
  std::vector<const FunctionDecl *> Out;
  auto Add = [&](const FunctionDecl &Caller) {
    forEachStmt(Caller.getBody(), [&](const Stmt &S) {
      auto *Call = dyn_cast<CallExpr>(&S);
      const FunctionDecl *Callee = Call ? Call->getDirectCallee() : nullptr;
      if (Callee && Callee->hasBody(Callee) && isPlainDeviceFunction(*Callee) &&
          Uses.of(*Callee) == 1)
        Out.push_back(Callee);
    });
  };
  Add(Kernel);
  for (size_t I = 0; I < Out.size(); ++I)
    Add(*Out[I]);
  return Out;
}

FunctionPlace placeOf(const FunctionDecl &F) {
  const SourceManager &SM = F.getASTContext().getSourceManager();
  auto Offset = [&](SourceLocation At) {
    return SM.getFileOffset(SM.getExpansionLoc(At));
  };
  const FunctionDecl *Written = F.getTemplateInstantiationPattern();
  const Decl *Top = Written ? Written : &F;
  if (auto *T = cast<FunctionDecl>(Top)->getDescribedFunctionTemplate())
    Top = T;
  while (!Top->getLexicalDeclContext()->isTranslationUnit())
    Top = cast<Decl>(Top->getLexicalDeclContext());
  return {Offset(Top->getBeginLoc()), Offset(F.getBody()->getBeginLoc()) + 1};
}

bool isBoundToItsFunction(const Stmt *S) {
  if (!S)
    return false;
  if (isa<PredefinedExpr, AddrLabelExpr>(S)) // __func__, &&label
    return true;
  if (auto *D = dyn_cast<DeclStmt>(S))
    for (const Decl *Each : D->decls())
      if (auto *V = dyn_cast<VarDecl>(Each);
          V && V->isStaticLocal() && !V->hasAttr<CUDASharedAttr>())
        return true;
  return llvm::any_of(S->children(), isBoundToItsFunction);
}

bool isAtNamespaceScope(const Decl &D) {
  const DeclContext *Around = D.getLexicalDeclContext();
  while (Around && isa<NamespaceDecl>(Around))
    Around = Around->getParent();
  return isa_and_nonnull<TranslationUnitDecl>(Around);
}

std::optional<FlaggedCallee> flaggedCallee(const FunctionDecl &Callee,
                                           const FunctionDecl &Kernel) {
  const SourceManager &SM = Callee.getASTContext().getSourceManager();
  const bool DeclaredOnce = Callee.getFirstDecl() == Callee.getMostRecentDecl();
  if (!DeclaredOnce || !Callee.getIdentifier() || Callee.isExternC() ||
      Callee.getStorageClass() == SC_Extern || !isAtNamespaceScope(Callee) ||
      isBoundToItsFunction(Callee.getBody()))
    return std::nullopt;
  const DeclRefExpr *Name = nullptr;
  forEachStmt(Kernel.getBody(), [&](const Stmt &S) {
    auto *E = dyn_cast<DeclRefExpr>(&S);
    if (E && E->getDecl()->getCanonicalDecl() == Callee.getCanonicalDecl())
      Name = E;
  });
  const SourceLocation Begin = SM.getExpansionLoc(Callee.getBeginLoc());
  if (!Name || Name->getLocation().isMacroID() ||
      Callee.getLocation().isMacroID() ||
      SM.getFileID(Name->getLocation()) != SM.getFileID(Begin))
    return std::nullopt;
  return FlaggedCallee{SM.getFileOffset(Begin),
                       SM.getFileOffset(Name->getLocation()) +
                           unsigned(Callee.getName().size())};
}

} // namespace catt
