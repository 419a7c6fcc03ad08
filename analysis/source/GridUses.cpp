//===- GridUses.cpp - Who asks which block of the grid it is --------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/GridUses.h"
#include "analysis/source/safety/KnownFunctions.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/Expr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;
using llvm::StringRef;

namespace catt {
namespace {

bool isGridName(const NamedDecl &D) {
  return D.getDeclName().isIdentifier() &&
         (D.getName() == "blockIdx" || D.getName() == "gridDim");
}

/// Everything that a kernel names, in the functions that it calls, too.
class GridWalk {
public:
  std::string Why;

  void kernel(const FunctionDecl &F) {
    for (const ParmVarDecl *P : F.parameters())
      declared(*P);
    Seen.insert(F.getCanonicalDecl());
    walk(F.getBody(), "");
  }

private:
  llvm::DenseSet<const FunctionDecl *> Seen;

  void refuse(std::string Said) {
    if (Why.empty())
      Why = std::move(Said);
  }

  void declared(const NamedDecl &D) {
    if (isGridName(D))
      refuse("'" + D.getNameAsString() + "' is the kernel's own");
  }

  /// In: "" in the kernel's own text, else who asks there.
  void walk(const Stmt *S, const std::string &In) {
    if (!S || !Why.empty())
      return;
    if (auto *P = dyn_cast<PseudoObjectExpr>(S)) // blockIdx.x, as it is written
      return walk(P->getSyntacticForm(), In);
    if (auto *O = dyn_cast<OpaqueValueExpr>(S)) // the object of that
      return walk(O->getSourceExpr(), In);
    if (auto *L = dyn_cast<LambdaExpr>(S)) {
      for (const Expr *Captured : L->capture_inits())
        walk(Captured, In);
      return walk(L->getBody(), "a lambda");
    }
    if (auto *D = dyn_cast<DeclStmt>(S))
      for (const Decl *Each : D->decls())
        if (auto *V = dyn_cast<VarDecl>(Each); V && In.empty())
          declared(*V);
    if (auto *A = dyn_cast<AsmStmt>(S))
      assembly(*A);
    else if (auto *E = dyn_cast<Expr>(S))
      named(*E, In);
    for (const Stmt *Child : S->children())
      walk(Child, In);
  }

  void assembly(const AsmStmt &S) {
    const auto *A = dyn_cast<GCCAsmStmt>(&S);
    const std::string Text = A ? A->getAsmString() : "%ctaid";
    if (StringRef(Text).contains("ctaid") || StringRef(Text).contains("grid"))
      refuse("assembly asks for the block or the grid");
  }

  void named(const Expr &E, const std::string &In) {
    if (auto *R = dyn_cast<DeclRefExpr>(&E)) {
      variable(*R, In);
      function(dyn_cast<FunctionDecl>(R->getDecl()));
    } else if (auto *M = dyn_cast<MemberExpr>(&E)) {
      function(dyn_cast<FunctionDecl>(M->getMemberDecl()));
    } else if (auto *C = dyn_cast<CXXConstructExpr>(&E)) {
      function(C->getConstructor());
      function(C->getConstructor()->getParent()->getDestructor());
    } else if (auto *D = dyn_cast<CXXDefaultArgExpr>(&E)) {
      walk(D->getExpr(), "a default argument");
    } else if (auto *D = dyn_cast<CXXDefaultInitExpr>(&E)) {
      walk(D->getExpr(), "a default initializer");
    }
  }

  void variable(const DeclRefExpr &R, const std::string &In) {
    const auto *V = dyn_cast<VarDecl>(R.getDecl());
    if (!V || !isGridName(*V) || V->isLocalVarDeclOrParm())
      return;
    if (!In.empty())
      refuse(In + " asks for " + V->getNameAsString());
    else if (R.getQualifier())
      refuse("'::" + V->getNameAsString() + "' would be the launch's own");
  }

  /// What it names, if its body is in sight.
  void function(const FunctionDecl *F) {
    if (!F || !Seen.insert(F->getCanonicalDecl()).second)
      return;
    const auto *Method = dyn_cast<CXXMethodDecl>(F);
    const std::string Name = Method && Method->getParent()->isLambda()
                                 ? "a lambda"
                                 : "'" + F->getNameAsString() + "'";
    const Known What = knownFunction(*F);
    if (What == Known::ReadsThread && !isClock(*F))
      return refuse(Name + " may ask for the block or the grid");
    if (What != Known::Unlisted || F->getBuiltinID() || F->isTrivial())
      return;
    const FunctionDecl *Definition = F->getDefinition();
    if (!Definition || Definition->hasSkippedBody())
      return refuse("the body of " + Name + " is not in sight");
    if (const auto *C = dyn_cast<CXXConstructorDecl>(Definition))
      for (const CXXCtorInitializer *Each : C->inits())
        walk(Each->getInit(), Name);
    walk(Definition->getBody(), Name);
  }

  static bool isClock(const FunctionDecl &F) {
    return F.getDeclName().isIdentifier() &&
           (F.getName().contains("clock") || F.getName() == "globaltimer");
  }
};

} // namespace

std::string againstSlices(const FunctionDecl &Kernel) {
  GridWalk W;
  W.kernel(Kernel);
  return W.Why;
}

} // namespace catt
