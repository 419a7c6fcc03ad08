//===- Mentions.cpp - What code does to the variables it names ------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/walk/Mentions.h"
#include "analysis/source/syntax/Effects.h"
#include "analysis/source/syntax/NodeParts.h"
#include "analysis/source/walk/MentionReader.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace catt {
static bool isInSystemHeader(const Decl &D) {
  return D.getASTContext().getSourceManager().isInSystemHeader(D.getLocation());
}

/// std::min and its like: they read what they are given, and what they return
/// refers to it.
static bool onlyReads(const FunctionDecl &F) {
  return F.isInStdNamespace() &&
         llvm::StringSwitch<bool>(identifierOf(&F))
             .Cases({"min", "max", "clamp", "as_const"}, true)
             .Default(false);
}

//===-- All functions -----------------------------------------------------===//

bool isFixed(const VarDecl &V) {
  QualType T = V.getType();
  if (T->isReferenceType() || !T.isConstQualified() || T.isVolatileQualified())
    return false;
  const auto *R = T->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  return !R || (R->hasDefinition() && !R->hasMutableFields());
}

const FunctionDecl *Mentions::bodyOf(const FunctionDecl &F) {
  const FunctionDecl *Def = nullptr;
  if (!F.hasBody(Def) || Def->hasSkippedBody() || !Def->getBody() ||
      F.hasAttr<WeakAttr>() || Def->hasAttr<WeakAttr>())
    return nullptr;
  auto *M = dyn_cast<CXXMethodDecl>(Def);
  return M && M->isVirtual() ? nullptr : Def;
}

const FunctionMentions &Mentions::of(const FunctionDecl &Definition) {
  auto [It, New] = Known.try_emplace(&Definition);
  if (New) {
    Open.insert(&Definition);
    MentionReader(*this, Definition, It->second).run();
    Open.erase(&Definition);
  }
  return It->second;
}

/// What a callee does, where its body is the user's and can be seen. A library
/// leads to a thousand functions, and a chain of callers to a deep recursion.
const FunctionMentions *Mentions::seen(const FunctionDecl &F) {
  static constexpr size_t DeepestChain = 64;
  const FunctionDecl *Def = bodyOf(F);
  if (!Def || isInSystemHeader(*Def) || Open.contains(Def) ||
      Open.size() >= DeepestChain)
    return nullptr;
  return &of(*Def);
}

VariableEffect Mentions::ofParameter(const FunctionDecl &F, unsigned Index) {
  if (onlyReads(F))
    return VariableEffect::Reads;
  const FunctionMentions *Found = seen(F);
  if (!Found || Index >= F.getNumParams())
    return VariableEffect::Escapes;
  return Found->of(bodyOf(F)->getParamDecl(Index));
}

VariableEffect Mentions::ofObject(const CXXMethodDecl &M) {
  if (auto *C = dyn_cast<CXXConstructorDecl>(&M)) {
    if (C->isTrivial())
      return VariableEffect::Reads;
    // dim3's, for one: no base class, no statement, values for its members.
    auto *Def = dyn_cast_or_null<CXXConstructorDecl>(bodyOf(*C));
    auto *Body = Def ? dyn_cast<CompoundStmt>(Def->getBody()) : nullptr;
    if (Body && Body->body_empty() && isInSystemHeader(*Def))
      return Open.contains(Def) ? VariableEffect::Escapes : of(*Def).This;
  }
  if (convertsToNumber(M))
    return VariableEffect::Reads;
  const FunctionMentions *Found = seen(M);
  return Found ? Found->This : VariableEffect::Escapes;
}

} // namespace catt
