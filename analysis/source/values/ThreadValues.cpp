//===- ThreadValues.cpp - What a thread keeps in registers ----------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/values/ThreadValues.h"
#include "analysis/source/safety/HiddenNames.h"
#include "analysis/source/safety/PlainReads.h"
#include "analysis/source/syntax/NodeParts.h"
#include "analysis/source/values/ValueUses.h"
#include "analysis/source/walk/IndexFolding.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace catt {
namespace {

class Walker {
public:
  Walker(const FunctionDecl &F, llvm::ArrayRef<OnlyCalled> Own,
         const ASTContext &Context, Kernel &K)
      : Context(Context), SM(Context.getSourceManager()), Text(Context), K(K),
        Uses(F, Own, Context, K) {
    for (const Loop &L : K.Loops)
      Loops.insert({{L.Span.File, L.Span.Begin}, L.Id});
  }

  /// The body of a function of the kernel's own, whose callers were walked.
  void walk(const FunctionDecl &F, unsigned Into) {
    Function = Into;
    if (std::optional<unsigned> Call = Uses.enter(Into)) {
      const BodyStatement &At = K.Statements[*Call];
      InnermostLoop = At.Is ? At.Is : At.Loop;
    }
    if (auto *Body = dyn_cast<CompoundStmt>(F.getBody()))
      walkBlock(*Body);
    InnermostLoop.reset();
  }
  void run(const FunctionDecl &F, llvm::ArrayRef<OnlyCalled> Own) {
    walk(F, 0);
    for (const auto &[I, Each] : llvm::enumerate(Own))
      walk(*Each.Definition, I + 1);
    Uses.finish();
  }

private:
  //===-- Statements -----------------------------------------------------===//

  void walkBlock(const CompoundStmt &B) {
    const CompoundStmt *Outer = Block;
    unsigned OuterNumber = BlockNumber;
    Block = &B;
    BlockNumber = ++Blocks;
    for (const Stmt *S : B.body())
      walk(*S, /*Unbraced=*/false);
    Block = Outer;
    BlockNumber = OuterNumber;
  }

  /// The body of an if or a loop.
  void walkBody(const Stmt *S) {
    if (auto *B = dyn_cast_or_null<CompoundStmt>(S))
      walkBlock(*B);
    else if (S)
      walk(*S, /*Unbraced=*/true);
  }

  void walk(const Stmt &S, bool Unbraced) {
    if (auto *B = dyn_cast<CompoundStmt>(&S))
      return walkBlock(*B);
    if (auto *L = dyn_cast<LabelStmt>(&S)) {
      Uses.jump();
      return walk(*L->getSubStmt(), /*Unbraced=*/true);
    }
    if (auto *C = dyn_cast<SwitchCase>(&S))
      return walkBody(C->getSubStmt());
    auto *A = dyn_cast<AttributedStmt>(&S);
    const Stmt &Inner = A ? *A->getSubStmt() : S;
    if (isa<CompoundStmt, SwitchCase, LabelStmt>(Inner))
      return walk(Inner, Unbraced);
    if (isa<NullStmt>(Inner))
      return;
    std::optional<unsigned> Outer = Current, OuterLoop = InnermostLoop;
    Current = Uses.Statement = add(S, Inner, Unbraced);
    walkInside(Inner, A);
    Current = Outer;
    InnermostLoop = OuterLoop;
  }

  unsigned add(const Stmt &S, const Stmt &Inner, bool Unbraced) {
    BodyStatement B;
    B.Function = Function;
    B.Parent = Current;
    std::optional<Refusal> Why;
    if (std::optional<SourceSpan> Span = Text.span(S, S, Why))
      B.Span = *Span;
    FileID File = SM.getFileID(SM.getExpansionLoc(S.getBeginLoc()));
    B.OwnLines = !Why && Text.ownLines(Text.text(File), B.Span);
    B.Where = Text.location(Inner.getBeginLoc());
    B.End = Text.location(SM.getExpansionRange(Inner.getEndLoc()).getEnd());
    B.Block = BlockNumber;
    B.Loop = InnermostLoop;
    B.Is = loopOf(Inner);
    B.Unbraced = Unbraced;
    B.Declares = isa<DeclStmt>(Inner);
    B.Leaves = isa<ReturnStmt, BreakStmt, ContinueStmt, GotoStmt>(Inner);
    K.Statements.push_back(std::move(B));
    return K.Statements.size() - 1;
  }

  std::optional<unsigned> loopOf(const Stmt &S) const {
    if (!isLoop(&S))
      return std::nullopt;
    SourceLocation Begin = SM.getExpansionLoc(S.getBeginLoc());
    auto Entry = SM.getFileEntryRefForID(SM.getFileID(Begin));
    if (!Entry)
      return std::nullopt;
    auto It = Loops.find({Entry->getFileEntry().tryGetRealPathName().str(),
                          SM.getFileOffset(Begin)});
    return It == Loops.end() ? std::nullopt : std::optional(It->second);
  }

  void walkInside(const Stmt &S, const AttributedStmt *A) {
    if (auto *D = dyn_cast<DeclStmt>(&S))
      return walkDeclarations(*D);
    if (isa<GotoStmt, IndirectGotoStmt, GCCAsmStmt>(S) &&
        (!isa<GCCAsmStmt>(S) || cast<GCCAsmStmt>(S).isAsmGoto()))
      Uses.jump();
    if (auto *I = dyn_cast<IfStmt>(&S)) {
      head(I->getInit()), head(I->getConditionVariableDeclStmt());
      head(I->getCond());
      walkBody(I->getThen());
      return walkBody(I->getElse());
    }
    if (auto *W = dyn_cast<SwitchStmt>(&S)) {
      head(W->getInit()), head(W->getConditionVariableDeclStmt());
      head(W->getCond());
      SwitchBodies.insert(W->getBody());
      return walkBody(W->getBody());
    }
    if (isLoop(&S))
      return walkLoop(S, A);
    if (auto *Asm = dyn_cast<GCCAsmStmt>(&S))
      return walkAsm(*Asm);
    if (auto *E = dyn_cast<Expr>(&S))
      return Uses.visit(*E);
    for (const Stmt *Child : S.children()) // return and all other statements
      head(Child, false);
  }

  void walkLoop(const Stmt &S, const AttributedStmt *Pragma) {
    LoopParts P = loopParts(S);
    head(P.Init), head(P.Variable), head(P.Range);
    head(P.Cond), head(P.Inc);
    auto *F = dyn_cast<ForStmt>(&S);
    const VarDecl *Unrolled =
        F ? unrolledVariable(*F, Pragma, Context) : nullptr;
    if (K.Statements[*Current].Is)
      InnermostLoop = K.Statements[*Current].Is;
    if (Unrolled)
      Uses.Folding.insert(Unrolled);
    Uses.Loops.push_back(&S);
    walkBody(P.Body);
    Uses.Loops.pop_back();
    if (Unrolled)
      Uses.Folding.erase(Unrolled);
  }

  /// What runs as part of the current statement, but not in its body.
  void head(const Stmt *S, bool IsHead = true) {
    if (!S)
      return;
    bool Outer = Uses.InHead;
    Uses.InHead = IsHead;
    if (auto *D = dyn_cast<DeclStmt>(S))
      walkDeclarations(*D);
    else if (auto *E = dyn_cast<Expr>(S))
      Uses.visit(*E);
    else
      Uses.escapeAll(*S);
    Uses.InHead = Outer;
  }

  void walkAsm(const GCCAsmStmt &S) {
    for (const Expr *Input : S.inputs())
      Uses.visit(*Input);
    for (const OperandEffect &E : effectsOf(S))
      if (E.writes())
        Uses.place(*E.Place, E.What);
  }

  void walkDeclarations(const DeclStmt &S) {
    for (const Decl *D : S.decls()) {
      auto *V = dyn_cast<VarDecl>(D);
      if (auto *Named = dyn_cast<NamedDecl>(D))
        Uses.hide(*Named);
      if (!V)
        continue;
      if (V->getInit())
        Uses.visit(*V->getInit()); // a reference lets it escape
      if (!V->getType()->isReferenceType())
        Uses.declare(*V, *Block, /*InSwitch=*/SwitchBodies.contains(Block));
    }
  }

  const ASTContext &Context;
  const SourceManager &SM;
  SourceText Text;
  Kernel &K;
  ValueUses Uses;
  std::map<std::pair<std::string, unsigned>, unsigned> Loops; ///< by begin
  std::optional<unsigned> Current;       ///< the statement being walked
  std::optional<unsigned> InnermostLoop; ///< around it
  const CompoundStmt *Block = nullptr;
  llvm::DenseSet<const Stmt *> SwitchBodies;
  unsigned BlockNumber = 0, Blocks = 0;
  unsigned Function = 0; ///< as BodyStatement::Function
};

OwnFunction described(const FunctionDecl &F, const ASTContext &Context) {
  const SourceManager &SM = Context.getSourceManager();
  const SourceLocation Begin = SM.getExpansionLoc(F.getBeginLoc());
  OwnFunction Out;
  Out.Name = F.getNameAsString();
  Out.Where = locationOf(F.getLocation(), Context);
  Out.BodyBegin = placeOf(F).BodyBegin;
  if (auto Entry = SM.getFileEntryRefForID(SM.getFileID(Begin)))
    Out.Span = {Entry->getFileEntry().tryGetRealPathName().str(),
                SM.getFileOffset(Begin),
                SM.getFileOffset(SM.getExpansionLoc(F.getEndLoc())) + 1};
  return Out;
}

/// Slots and copies are numbered by threadIdx and blockDim.
void refuseHidden(const FunctionDecl &F, unsigned Function,
                  const ASTContext &Context, Kernel &K) {
  if (std::optional<Refusal> Hidden = hiddenByDeclaration(F, nullptr, Context))
    for (ThreadValue &V : K.Values)
      if (K.functionOf(V) == Function)
        V.Refusals.push_back(*Hidden);
}
} // namespace

void findThreadValues(const FunctionDecl &F, const ASTContext &Context,
                      FunctionUses &Names, Kernel &K) {
  if (!isa_and_nonnull<CompoundStmt>(F.getBody()))
    return;
  const std::vector<OnlyCalled> Own = onlyCalled(F, Names, K.ForeignFunctions);
  for (const OnlyCalled &Each : Own)
    K.Functions.push_back(described(*Each.Definition, Context));
  Walker(F, Own, Context, K).run(F, Own);
  refuseHidden(F, 0, Context, K);
  findPlainReads(F, Context, K);
  for (const auto &[I, Each] : llvm::enumerate(Own)) {
    refuseHidden(*Each.Definition, I + 1, Context, K);
    findPlainReads(*Each.Definition, Context, K);
  }
}

} // namespace catt
