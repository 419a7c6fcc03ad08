//===- LaunchUses.cpp - Where functions name kernels ----------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/safety/LaunchUses.h"
#include "analysis/source/syntax/NodeParts.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

using namespace clang;

namespace catt {

const FunctionDecl *namedKernel(const Expr *E) {
  E = E->IgnoreParenCasts();
  if (auto *U = dyn_cast<UnaryOperator>(E); U && U->getOpcode() == UO_AddrOf)
    E = U->getSubExpr()->IgnoreParenCasts();
  auto *D = dyn_cast<DeclRefExpr>(E);
  auto *F = D ? dyn_cast<FunctionDecl>(D->getDecl()) : nullptr;
  return F && F->hasAttr<CUDAGlobalAttr>() ? F : nullptr;
}

namespace {

/// Calls that are told a kernel and launch nothing.
bool asksOnly(const FunctionDecl *F) {
  llvm::StringRef Name = identifierOf(F);
  // The last three are what transforms/LaunchEdit writes into a launch.
  return Name.starts_with("cudaFunc") || Name.starts_with("cudaOccupancy") ||
         Name == "cattShared" || Name == "cattSpill" || Name == "cattPreferL1";
}

/// The bodies of a lambda: one, or those that are instantiated.
std::vector<const FunctionDecl *> operatorsOf(const LambdaExpr &L) {
  FunctionTemplateDecl *T = L.getDependentCallOperator();
  if (!T)
    return {L.getCallOperator()};
  return {T->spec_begin(), T->spec_end()};
}

class UseCollector {
public:
  explicit UseCollector(LaunchUses &Out) : Out(Out) {}
  void function(const FunctionDecl &F);
  void finish();

private:
  LaunchUses &Out;
  unsigned Lambdas = 0; ///< around the place
  std::vector<const LambdaExpr *> Launching;
  llvm::DenseSet<const LambdaExpr *> CalledAtOnce;
  llvm::DenseMap<const LambdaExpr *, const VarDecl *> Names;
  llvm::DenseMap<const VarDecl *, unsigned> Mentioned, Called;

  void read(const Stmt *S, const CallExpr *Around);
  void readCall(const CallExpr *C);
  void readLambda(const LambdaExpr *L);
  void readDeclarations(const DeclStmt *S);
  size_t found() const { return Out.Launches.size() + Out.Others.size(); }
};

void UseCollector::function(const FunctionDecl &F) {
  if (auto *C = dyn_cast<CXXConstructorDecl>(&F))
    for (const CXXCtorInitializer *I : C->inits())
      read(I->getInit(), nullptr);
  read(F.getBody(), nullptr);
}

void UseCollector::readLambda(const LambdaExpr *L) {
  size_t Before = found();
  for (const Expr *Init : L->capture_inits())
    read(Init, nullptr);
  ++Lambdas;
  for (const FunctionDecl *F : operatorsOf(*L))
    read(F->getBody(), nullptr);
  --Lambdas;
  if (found() > Before)
    Launching.push_back(L);
}

void UseCollector::readDeclarations(const DeclStmt *S) {
  for (const Decl *D : S->decls()) {
    if (auto *V = dyn_cast<VarDecl>(D); V && V->getInit())
      if (auto *L = dyn_cast<LambdaExpr>(V->getInit()->IgnoreImplicit()))
        Names[L] = V;
    auto *Class = dyn_cast<CXXRecordDecl>(D);
    if (!Class || Class->isDependentContext())
      continue;
    for (const CXXMethodDecl *M : Class->methods()) {
      size_t Before = found();
      function(*M);
      if (found() > Before)
        Out.CalledByOthers.push_back(M);
    }
  }
}

void UseCollector::readCall(const CallExpr *C) {
  const FunctionDecl *F = C->getDirectCallee();
  auto *Chevrons = dyn_cast<CUDAKernelCallExpr>(C);
  if (Chevrons)
    read(Chevrons->getConfig(), C);
  const bool Kernel = !launchedKernels(*C).empty();
  if (Kernel)
    Out.Launches.push_back(C);
  if (!Kernel || !Chevrons)
    read(C->getCallee(), C);
  for (unsigned I = 0; I < C->getNumArgs(); ++I)
    if (!Kernel || Chevrons || I > 0)
      read(C->getArg(I), C);
  if (!isa<CXXOperatorCallExpr>(C) || Lambdas > 0 || C->getNumArgs() == 0)
    return;
  auto *Method = dyn_cast_or_null<CXXMethodDecl>(F);
  if (!Method || !Method->getParent()->isLambda() ||
      cast<CXXOperatorCallExpr>(C)->getOperator() != OO_Call)
    return;
  const Expr *Object = C->getArg(0)->IgnoreImplicit()->IgnoreParenImpCasts();
  if (auto *L = dyn_cast<LambdaExpr>(Object))
    CalledAtOnce.insert(L);
  else if (const VarDecl *V = namedVariable(Object))
    ++Called[V];
}

void UseCollector::read(const Stmt *S, const CallExpr *Around) {
  if (!S)
    return;
  if (auto *C = dyn_cast<CallExpr>(S))
    return readCall(C);
  if (auto *L = dyn_cast<LambdaExpr>(S))
    return readLambda(L);
  if (auto *D = dyn_cast<DeclStmt>(S))
    readDeclarations(D);
  if (const VarDecl *V = namedVariable(S))
    ++Mentioned[V];
  if (auto *D = dyn_cast<DeclRefExpr>(S))
    if (const FunctionDecl *Kernel = namedKernel(D))
      if (!Around || !asksOnly(Around->getDirectCallee()))
        Out.Others.push_back({Kernel, Around ? cast<Expr>(Around) : D});
  for (const Stmt *Child : S->children())
    read(Child, Around);
}

void UseCollector::finish() {
  for (const LambdaExpr *L : Launching) {
    const VarDecl *Name = Names.lookup(L);
    bool OnlyHere = CalledAtOnce.contains(L) ||
                    (Name && Mentioned.lookup(Name) == Called.lookup(Name));
    if (!OnlyHere)
      for (const FunctionDecl *F : operatorsOf(*L))
        Out.CalledByOthers.push_back(F);
  }
}

} // namespace

/// Nothing where one of those that may be chosen is not named.
static bool addNamed(const Expr *E,
                     llvm::SmallVectorImpl<const FunctionDecl *> &Out) {
  E = E->IgnoreParenImpCasts();
  if (auto *Choice = dyn_cast<ConditionalOperator>(E))
    return addNamed(Choice->getTrueExpr(), Out) &&
           addNamed(Choice->getFalseExpr(), Out);
  const FunctionDecl *Kernel = namedKernel(E);
  if (Kernel)
    Out.push_back(Kernel);
  return Kernel;
}

llvm::SmallVector<const FunctionDecl *, 1>
launchedKernels(const CallExpr &Call) {
  const FunctionDecl *F = Call.getDirectCallee();
  const bool Launches = identifierOf(F) == "cudaLaunchKernel" ||
                        identifierOf(F) == "cudaLaunchCooperativeKernel";
  llvm::SmallVector<const FunctionDecl *, 1> Out;
  if (isa<CUDAKernelCallExpr>(Call)) {
    if (F)
      Out.push_back(F);
    else if (!addNamed(Call.getCallee(), Out))
      Out.clear();
  } else if (Launches && Call.getNumArgs() >= 5) {
    if (const FunctionDecl *Kernel = namedKernel(Call.getArg(0)))
      Out.push_back(Kernel);
  }
  return Out;
}

LaunchUses findLaunchUses(const FunctionDecl &F) {
  LaunchUses Out;
  UseCollector C(Out);
  C.function(F);
  C.finish();
  return Out;
}

void addLambdas(const Stmt *Init, std::vector<const FunctionDecl *> &Out) {
  if (!Init)
    return;
  if (auto *L = dyn_cast<LambdaExpr>(Init)) {
    for (const FunctionDecl *F : operatorsOf(*L))
      if (F->getBody() && !F->isDependentContext())
        Out.push_back(F);
    return;
  }
  for (const Stmt *Child : Init->children())
    addLambdas(Child, Out);
}

} // namespace catt
