//===- ReachedCode.cpp - What a function brings with it -------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/safety/ReachedCode.h"
#include "analysis/source/syntax/NodeParts.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

using namespace clang;

namespace catt {

/// Statements of all reached functions together, and calls inside calls.
static constexpr unsigned MaxSteps = 2'000'000, MaxDepth = 200;

Reason reasonOf(ReachedEffect::Kind What) {
  switch (What) {
  case ReachedEffect::Kind::BlockBarrier:
    return Reason::BarrierInside;
  case ReachedEffect::Kind::Assembly:
    return Reason::InlineAssembly;
  case ReachedEffect::Kind::TooComplex:
    return Reason::TooComplex;
  case ReachedEffect::Kind::NamedBarrier:
  case ReachedEffect::Kind::Waits:
  case ReachedEffect::Kind::Loop:
  case ReachedEffect::Kind::Unknown:
  case ReachedEffect::Kind::WarpWide:
    return Reason::WarpsCommunicate;
  }
  llvm_unreachable("all kinds are covered");
}

static std::string placeOf(SourceLocation L, const ASTContext &Context) {
  Location P = locationOf(L, Context);
  return P.valid() ? " (" + llvm::sys::path::filename(P.File).str() + ":" +
                         std::to_string(P.Line) + ")"
                   : "";
}

static ReachedEffect found(const ReachedEvent &E) {
  using Kind = ReachedEvent::Kind;
  ReachedEffect F;
  F.At = E.At;
  F.Order = E.Order;
  F.Text = F.Deep = E.Text;
  if (E.At)
    F.Where = E.At->getBeginLoc();
  switch (E.What) {
  case Kind::BlockBarrier:
    F.What = ReachedEffect::Kind::BlockBarrier;
    F.Deep = "waits for the whole block";
    break;
  case Kind::NamedBarrier:
    F.What = ReachedEffect::Kind::NamedBarrier;
    F.Text += ", which waits for a part of the block";
    F.Deep = "waits for a part of the block";
    break;
  case Kind::Waits:
    F.What = ReachedEffect::Kind::Waits;
    F.Text += ", which waits";
    break;
  case Kind::Assembly:
    F.What = ReachedEffect::Kind::Assembly;
    F.Deep = "has " + E.Text;
    break;
  case Kind::WarpWide:
    F.What = ReachedEffect::Kind::WarpWide;
    break;
  case Kind::Call:
  case Kind::SkippedBody:
  case Kind::Unknown:
    F.What = ReachedEffect::Kind::Unknown;
    break;
  }
  return F;
}

const ReachedCode::Summary &ReachedCode::of(const FunctionDecl *Definition) {
  std::unique_ptr<Summary> &S = Known[Definition];
  if (S) {
    if (!S->Finished) // in a circle, or in itself
      S->Recursive = true;
    return *S;
  }
  S = std::make_unique<Summary>();
  Summary &Result = *S; // S moves when others are added
  Result.Body.Function = Definition;
  if (Steps > MaxSteps || Open.size() > MaxDepth) {
    ReachedEffect F;
    F.What = ReachedEffect::Kind::TooComplex;
    F.Text = F.Deep = "is too much to be looked through";
    F.Where = Definition->getLocation();
    Result.Findings.push_back(std::move(F));
  } else {
    Open.push_back(Definition);
    summarize(Result);
    Open.pop_back();
  }
  Result.Finished = true;
  return Result;
}

void ReachedCode::summarize(Summary &S) {
  readFunction(*S.Body.Function, S.Body);
  Steps += S.Body.Steps;
  CallFacts Facts{S.Body.Reads, S.Body.CastsAwayConst};
  for (const ReachedEvent &E : S.Body.Events) {
    if (E.What == ReachedEvent::Kind::SkippedBody && !S.Skipped)
      S.Skipped = E.Callee;
    if (E.What != ReachedEvent::Kind::Call) {
      S.Findings.push_back(found(E));
      if (E.What != ReachedEvent::Kind::BlockBarrier &&
          E.What != ReachedEvent::Kind::WarpWide)
        Facts.Reads = MemoryReads::Polled;
      continue;
    }
    addCall(S, E);
    const Summary &Callee = of(E.Callee);
    Facts.Reads = std::max(Facts.Reads, Callee.Facts.Reads);
    Facts.CastsAwayConst |= Callee.Facts.CastsAwayConst;
  }
  S.Facts = Facts;
  addWaits(S);
  llvm::stable_sort(S.Findings,
                    [](const ReachedEffect &A, const ReachedEffect &B) {
                      return A.Order < B.Order;
                    });
}

void ReachedCode::addCall(Summary &S, const ReachedEvent &E) {
  const Summary &Callee = of(E.Callee);
  const ASTContext &Context = E.Callee->getASTContext();
  if (!S.Skipped)
    S.Skipped = Callee.Skipped;
  if (!Callee.Finished && E.Callee != S.Body.Function) {
    ReachedEffect F;
    F.What = ReachedEffect::Kind::Loop;
    F.At = E.At;
    F.Order = E.Order;
    F.Deep = "comes back to itself in a circle of calls";
    F.Text = "calls " + spelled(*E.Callee) + ", which " + F.Deep;
    F.Where = E.Callee->getLocation();
    S.Findings.push_back(std::move(F));
    return;
  }
  if (!Callee.Finished)
    return; // see findRecursiveWait
  unsigned Kinds = 0;
  for (const ReachedEffect &Inner : Callee.Findings) {
    unsigned Bit = 1u << unsigned(Inner.What);
    if (Kinds & Bit)
      continue; // the first of each kind
    Kinds |= Bit;
    ReachedEffect F = Inner;
    F.At = E.At;
    F.Order = E.Order;
    if (F.Where.isInvalid())
      F.Where = E.Callee->getLocation();
    F.Text = "calls " + spelled(*E.Callee) + ", which " + F.Deep +
             placeOf(F.Where, Context);
    S.Findings.push_back(std::move(F));
  }
}

void ReachedCode::addWaits(Summary &S) {
  auto FactsOf = [&](const FunctionDecl *F) { return of(F).Facts; };
  std::vector<Wait> Waits = findWaits(S.Body, FactsOf);
  if (S.Recursive)
    if (std::optional<Wait> W = findRecursiveWait(S.Body, FactsOf))
      Waits.push_back(std::move(*W));
  for (Wait &W : Waits) {
    ReachedEffect F;
    F.What = ReachedEffect::Kind::Loop;
    F.At = W.Loop;
    F.Where = W.Loop->getBeginLoc();
    F.Text = W.Text;
    F.Deep = "waits: " + W.Text;
    if (auto It = S.Body.Extents.find(W.Loop); It != S.Body.Extents.end())
      F.Order = It->second.first;
    S.Findings.push_back(std::move(F));
  }
}

/// Calls F for each kernel below D that can be walked.
static bool anyKernel(const Decl *D,
                      llvm::function_ref<bool(const FunctionDecl &)> F) {
  if (auto *Function = dyn_cast<FunctionDecl>(D))
    return Function->hasAttr<CUDAGlobalAttr>() &&
           Function->doesThisDeclarationHaveABody() &&
           !Function->isDependentContext() && F(*Function);
  auto Any = [&](auto &&Range) {
    return llvm::any_of(Range, [&](const Decl *X) { return anyKernel(X, F); });
  };
  if (auto *T = dyn_cast<FunctionTemplateDecl>(D))
    return llvm::any_of(T->specializations(), [&](const FunctionDecl *S) {
      const FunctionDecl *Definition = definitionOf(S);
      return Definition && anyKernel(Definition, F);
    });
  if (auto *T = dyn_cast<ClassTemplateDecl>(D))
    return Any(T->specializations());
  if (isa<NamespaceDecl, LinkageSpecDecl, ExportDecl, CXXRecordDecl>(D))
    return Any(cast<DeclContext>(D)->decls());
  return false;
}

bool reachesSkippedBodies(const ASTContext &Context) {
  ReachedCode Code;
  auto Reaches = [&](const FunctionDecl &Kernel) {
    return Code.of(&Kernel).Skipped != nullptr;
  };
  return llvm::any_of(Context.getTraversalScope(),
                      [&](const Decl *D) { return anyKernel(D, Reaches); });
}

} // namespace catt
