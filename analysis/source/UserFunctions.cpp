//===- UserFunctions.cpp - Functions that the user wrote ------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/UserFunctions.h"
#include "analysis/source/safety/LaunchUses.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/Mangle.h"

using namespace clang;

namespace catt {

static void collect(const FunctionDecl *F, UserFunctions &Out) {
  if (!F->doesThisDeclarationHaveABody())
    return;
  bool IsKernel = F->hasAttr<CUDAGlobalAttr>();
  if (IsKernel && !F->isDependentContext())
    Out.Kernels.push_back(F);
  else if (!IsKernel && !F->hasAttr<CUDADeviceAttr>())
    Out.Hosts.push_back(F);
}

static void collect(const FunctionTemplateDecl *T, UserFunctions &Out) {
  bool Instantiated = false;
  for (const FunctionDecl *S : T->specializations()) {
    const FunctionDecl *Def = nullptr;
    if (!S->hasBody(Def) || Def->isDependentContext())
      continue;
    Instantiated = true;
    if (S->hasAttr<CUDAGlobalAttr>())
      Out.Kernels.push_back(Def);
    else if (!S->hasAttr<CUDADeviceAttr>())
      Out.Hosts.push_back(Def);
  }
  const FunctionDecl *Pattern = T->getTemplatedDecl();
  if (!Instantiated && Pattern->hasAttr<CUDAGlobalAttr>() &&
      Pattern->doesThisDeclarationHaveABody())
    Out.Templates.push_back(Pattern);
}

/// Functions of one declaration and of what it contains.
static void collect(const Decl *D, UserFunctions &Out) {
  if (auto *F = dyn_cast<FunctionDecl>(D)) {
    collect(F, Out);
  } else if (auto *T = dyn_cast<FunctionTemplateDecl>(D)) {
    collect(T, Out);
  } else if (auto *T = dyn_cast<ClassTemplateDecl>(D)) {
    for (const Decl *S : T->specializations())
      collect(S, Out);
  } else if (auto *V = dyn_cast<VarDecl>(D)) {
    addLambdas(V->getInit(), Out.Hosts);
  } else if (auto *M = dyn_cast<FieldDecl>(D)) {
    addLambdas(M->getInClassInitializer(), Out.Hosts);
  } else if (isa<NamespaceDecl, LinkageSpecDecl, ExportDecl>(D) ||
             (isa<CXXRecordDecl>(D) &&
              !cast<CXXRecordDecl>(D)->isDependentContext())) {
    for (const Decl *Inside : cast<DeclContext>(D)->decls())
      collect(Inside, Out);
  }
}

UserFunctions userFunctions(const ASTContext &Context) {
  UserFunctions Out;
  for (const Decl *D : Context.getTraversalScope()) // the user's, no system's
    collect(D, Out);
  return Out;
}

std::string symbolOf(const FunctionDecl &Kernel) {
  if (!Kernel.isExternallyVisible() || Kernel.isDependentContext())
    return "";
  return ASTNameGenerator(Kernel.getASTContext()).getName(&Kernel);
}

} // namespace catt
