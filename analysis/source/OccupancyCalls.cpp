//===- OccupancyCalls.cpp - What host code asks of occupancy --------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/OccupancyCalls.h"
#include "analysis/source/safety/LaunchUses.h"
#include "analysis/source/safety/WrapSites.h"
#include "analysis/source/syntax/NodeParts.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace catt {
namespace {

/// x of `&x`, a local variable; else null.
const VarDecl *addressed(const Expr *E) {
  auto *Of = dyn_cast<UnaryOperator>(E->IgnoreParenCasts());
  if (!Of || Of->getOpcode() != UO_AddrOf)
    return nullptr;
  auto *Name = dyn_cast<DeclRefExpr>(Of->getSubExpr()->IgnoreParens());
  auto *V = Name ? dyn_cast<VarDecl>(Name->getDecl()) : nullptr;
  return V && V->hasLocalStorage() && !V->getType()->isReferenceType()
             ? V
             : nullptr;
}

/// How many leading arguments of a call take results; 0: it is another call.
unsigned resultsOf(const FunctionDecl &F) {
  llvm::StringRef Name = identifierOf(&F);
  if (!Name.consume_front("cudaOccupancy"))
    return 0;
  return Name.starts_with("MaxPotential") ? 2 : 1;
}

/// The calls of a function, and how often it names each variable.
class AskingCalls : public RecursiveASTVisitor<AskingCalls> {
public:
  std::vector<const CallExpr *> Asking;
  llvm::DenseMap<const ValueDecl *, unsigned> Named;

  bool VisitCallExpr(CallExpr *C) {
    const FunctionDecl *F = C->getDirectCallee();
    if (F && resultsOf(*F) && C->getNumArgs() > resultsOf(*F))
      Asking.push_back(C);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    ++Named[E->getDecl()];
    return true;
  }
};

} // namespace

llvm::DenseMap<const FunctionDecl *, std::vector<Refusal>>
unusedOccupancy(llvm::ArrayRef<const FunctionDecl *> Hosts) {
  llvm::DenseMap<const FunctionDecl *, std::vector<Refusal>> Out;
  for (const FunctionDecl *F : Hosts) {
    AskingCalls In;
    In.TraverseStmt(F->getBody());
    llvm::DenseMap<const ValueDecl *, unsigned> Stored;
    for (const CallExpr *C : In.Asking)
      for (unsigned I = 0; I < resultsOf(*C->getDirectCallee()); ++I)
        ++Stored[addressed(C->getArg(I))];
    for (const CallExpr *C : In.Asking) {
      const FunctionDecl &Callee = *C->getDirectCallee();
      const FunctionDecl *Kernel = namedKernel(C->getArg(resultsOf(Callee)));
      auto IsUnread = [&](const Expr *Result) {
        const VarDecl *V = addressed(Result);
        return V && In.Named[V] == Stored[V];
      };
      if (!Kernel ||
          !llvm::all_of(llvm::ArrayRef(C->getArgs(), resultsOf(Callee)),
                        IsUnread))
        continue;
      Out[Kernel->getCanonicalDecl()].push_back(
          {Reason::OccupancyUnused,
           SourceText(F->getASTContext()).location(C->getBeginLoc()),
           Callee.getName().str() + "() stores what nothing reads"});
    }
  }
  return Out;
}

} // namespace catt
