//===- WarpIndependence.cpp - May warps run one after another? -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/source/safety/WarpIndependence.h"
#include "analysis/source/syntax/NodeParts.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace catt {
namespace {

/// The orders [Begin, End) of one function.
struct Range {
  unsigned Begin = 0, End = 0;
  bool holds(unsigned Order) const { return Order >= Begin && Order < End; }
};

class Judge {
public:
  Judge(ReachedCode &Code, const ASTContext &Context)
      : Code(Code), Context(Context) {}
  WarpDependences Result;

  void run(const FunctionDecl &Kernel, llvm::ArrayRef<PathElement> Path,
           llvm::ArrayRef<const Stmt *> Statements) {
    refuseNamedBarriers(Kernel);
    const FunctionDecl *F = &Kernel;
    bool InLoop = false; // of a function that calls this one
    const Stmt *OutermostLoop = nullptr;
    for (const PathElement &E : Path) {
      if (E.Callee) {
        before(*F, rangeOf(*F, E.Call, E.Call), OutermostLoop, InLoop);
        InLoop |= OutermostLoop != nullptr;
        OutermostLoop = nullptr;
        F = E.Callee;
      } else if (isLoop(E.S) && !OutermostLoop &&
                 !llvm::is_contained(Statements, E.S)) {
        OutermostLoop = E.S;
      }
    }
    Range Site = rangeOf(*F, Statements.front(), Statements.back());
    before(*F, Site, OutermostLoop, InLoop);
    inside(*F, Site);
    for (const Stmt *S : Statements)
      visitJumps(S, /*InLoop=*/false, /*InSwitch=*/false);
  }

private:
  ReachedCode &Code;
  const ASTContext &Context;

  const std::vector<ReachedEffect> &findings(const FunctionDecl &F) {
    return Code.of(&F).Findings;
  }

  Range rangeOf(const FunctionDecl &F, const Stmt *First, const Stmt *Last) {
    auto &Extents = Code.of(&F).Body.Extents;
    auto A = Extents.find(First), B = Extents.find(Last);
    if (A == Extents.end() || B == Extents.end())
      return {0, ~0u}; // not seen: all of the function
    return {A->second.first, B->second.second};
  }

  void refuse(const ReachedEffect &F, const std::string &Prefix) {
    std::string Text = F.Text;
    if (F.What == ReachedEffect::Kind::BlockBarrier &&
        llvm::StringRef(Text).ends_with("()"))
      Text = "the call to " + Text.substr(Text.find(' ') + 1);
    SourceLocation At = F.At ? F.At->getBeginLoc() : F.Where;
    Refusal R{reasonOf(F.What), locationOf(At, Context), Prefix + Text};
    bool IsKnown = llvm::any_of(Result.Refusals, [&](const Refusal &Other) {
      return Other.Kind == R.Kind && Other.Where == R.Where;
    });
    if (!IsKnown)
      Result.Refusals.push_back(std::move(R));
  }

  void refuseNamedBarriers(const FunctionDecl &Kernel) {
    for (const ReachedEffect &F : findings(Kernel))
      if (F.What == ReachedEffect::Kind::NamedBarrier)
        return refuse(F, "");
  }

  /// What the threads may be waiting for when they come, or while others are
  /// inside.
  void before(const FunctionDecl &F, Range Site, const Stmt *OutermostLoop,
              bool InLoop) {
    unsigned End =
        OutermostLoop
            ? std::max(Site.Begin, rangeOf(F, OutermostLoop, OutermostLoop).End)
            : Site.Begin;
    for (const ReachedEffect &X : findings(F))
      if (mayWait(X.What) && !Site.holds(X.Order) && (InLoop || X.Order < End))
        return refuse(X, isAround(F, X, Site)   ? "around it, "
                         : X.Order < Site.Begin ? "before it, "
                                                : "in a loop around it, ");
  }

  bool isAround(const FunctionDecl &F, const ReachedEffect &X, Range Site) {
    return X.What == ReachedEffect::Kind::Loop && X.Order < Site.Begin &&
           rangeOf(F, X.At, X.At).End > Site.Begin;
  }

  void inside(const FunctionDecl &F, Range Site) {
    for (const ReachedEffect &X : findings(F))
      if (!Site.holds(X.Order))
        continue;
      else if (X.What == ReachedEffect::Kind::WarpWide)
        Result.UsesWarpIntrinsics = true;
      else
        refuse(X, "");
  }

  void visitJumps(const Stmt *S, bool InLoop, bool InSwitch) {
    if (!S || isa<LambdaExpr>(S))
      return;
    if (isa<ReturnStmt>(S))
      Result.HasReturn = true;
    if ((isa<BreakStmt>(S) && !InLoop && !InSwitch) ||
        (isa<ContinueStmt>(S) && !InLoop))
      Result.LeavesByJump = true;
    if (isa<GotoStmt, IndirectGotoStmt>(S))
      Result.Refusals.push_back({Reason::LeavesStatement,
                                 locationOf(S->getBeginLoc(), Context),
                                 "a goto"});
    if (isa<LabelStmt>(S))
      Result.Refusals.push_back(
          {Reason::JumpInto, locationOf(S->getBeginLoc(), Context), "a label"});
    if (isLoop(S)) {
      InLoop = true;
      InSwitch = false;
    }
    InSwitch |= isa<SwitchStmt>(S);
    for (const Stmt *Child : S->children())
      visitJumps(Child, InLoop, InSwitch);
  }
};

} // namespace

WarpDependences warpDependences(const FunctionDecl &Kernel,
                                llvm::ArrayRef<PathElement> Path,
                                llvm::ArrayRef<const Stmt *> Statements,
                                ReachedCode &Code, const ASTContext &Context) {
  Judge J(Code, Context);
  J.run(Kernel, Path, Statements);
  return std::move(J.Result);
}

std::vector<Refusal> waitsOf(const FunctionDecl &Kernel, ReachedCode &Code,
                             const ASTContext &Context) {
  std::vector<Refusal> Out;
  for (const ReachedEffect &F : Code.of(&Kernel).Findings)
    if (mayWait(F.What))
      Out.push_back({reasonOf(F.What),
                     locationOf(F.At ? F.At->getBeginLoc() : F.Where, Context),
                     F.Text});
  return Out;
}

} // namespace catt
