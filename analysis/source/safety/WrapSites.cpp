//===- WrapSites.cpp - Where a loop over warp groups can go -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/source/safety/WrapSites.h"
#include "analysis/source/safety/HiddenNames.h"
#include "analysis/source/safety/SplitRounding.h"
#include "analysis/source/safety/TextAround.h"
#include "analysis/source/safety/WarpIndependence.h"
#include "analysis/source/syntax/NodeKinds.h"
#include "analysis/source/syntax/NodeParts.h"
#include "clang/AST/Attr.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace catt {

//===-- Text -------------------------------------------------------------===//

Location SourceText::location(SourceLocation L) const {
  return locationOf(L, Context);
}

llvm::StringRef SourceText::text(FileID File) const {
  return Context.getSourceManager().getBufferData(File);
}

/// True if the statement's range ends before a semicolon that belongs to it.
static bool needsSemicolon(const Stmt *S) {
  if (isLoop(S) && !isa<DoStmt>(S))
    return needsSemicolon(loopParts(*S).Body);
  if (auto *I = dyn_cast<IfStmt>(S))
    return needsSemicolon(I->getElse() ? I->getElse() : I->getThen());
  if (auto *A = dyn_cast<AttributedStmt>(S))
    return needsSemicolon(A->getSubStmt());
  return isa<Expr, DoStmt, ReturnStmt, BreakStmt, ContinueStmt, AsmStmt>(S);
}

/// #if and #endif pair up inside the text, and no #else belongs to an #if
/// before it: otherwise another configuration would see half of an edit.
static bool conditionalsPairUp(llvm::StringRef Text) {
  int Depth = 0;
  while (!Text.empty()) {
    auto [Line, Rest] = Text.split('\n');
    Text = Rest;
    Line = Line.ltrim();
    if (!Line.consume_front("#"))
      continue;
    Line = Line.ltrim();
    if (Line.starts_with("if"))
      ++Depth;
    else if (Line.starts_with("endif"))
      --Depth;
    else if ((Line.starts_with("el")) && Depth == 0)
      return false;
    if (Depth < 0)
      return false;
  }
  return Depth == 0;
}

/// [[attributes]] and __attribute__ stand before their statement. A pragma does
/// so too, on a line of its own; edits keep them together.
static SourceLocation beginOf(const Stmt &S) {
  auto *A = dyn_cast<AttributedStmt>(&S);
  if (!A)
    return S.getBeginLoc();
  bool Pragma = llvm::any_of(A->getAttrs(), [](const Attr *X) {
    return X->getSyntax() == AttributeCommonInfo::AS_Pragma;
  });
  return Pragma ? beginOf(*A->getSubStmt()) : A->getAttrLoc();
}

std::optional<SourceSpan> SourceText::span(const Stmt &First, const Stmt &Last,
                                           std::optional<Refusal> &Why) const {
  const SourceManager &SM = Context.getSourceManager();
  const LangOptions &LO = Context.getLangOpts();
  SourceLocation Begin = beginOf(First), End = Last.getEndLoc();
  auto Macro = [&](SourceLocation L) -> std::nullopt_t {
    Why = Refusal{Reason::InMacro, location(L),
                  "the macro " + Lexer::getImmediateMacroName(L, SM, LO).str()};
    return std::nullopt;
  };
  for (SourceLocation L : {Begin, End})
    if (L.isMacroID() && SM.isMacroArgExpansion(L))
      return Macro(L);
  CharSourceRange Range = Lexer::makeFileCharRange(
      CharSourceRange::getTokenRange(Begin, End), SM, LO);
  if (Range.isInvalid())
    return Macro(Begin.isMacroID() ? Begin : End);
  auto [File, Offset] = SM.getDecomposedLoc(Range.getBegin());
  unsigned Stop = SM.getFileOffset(Range.getEnd());
  llvm::StringRef All = text(File);
  if (SM.isInSystemHeader(Range.getBegin())) {
    Why = Refusal{Reason::InSystemHeader, location(Begin), ""};
    return std::nullopt;
  }
  OptionalFileEntryRef Entry = SM.getFileEntryRefForID(File);
  if (!Entry) {
    Why = Refusal{Reason::InSystemHeader, location(Begin), ""};
    return std::nullopt;
  }
  if (needsSemicolon(&Last) && !All.substr(Stop - 1).starts_with(";")) {
    auto Next =
        Lexer::findNextToken(Range.getEnd().getLocWithOffset(-1), SM, LO);
    if (Next && Next->is(tok::semi) &&
        SM.getFileID(Next->getLocation()) == File)
      Stop = SM.getFileOffset(Next->getEndLoc());
    else if (!All.substr(Stop).ltrim().starts_with(";"))
      return Macro(Begin.isMacroID() ? Begin : End);
  }
  // Edits see a pragma on its own line; one that a macro writes would be
  // separated from its loop.
  if (auto *A = dyn_cast<AttributedStmt>(&First))
    for (const Attr *X : A->getAttrs()) {
      if (X->getSyntax() != AttributeCommonInfo::AS_Pragma)
        continue;
      unsigned At = SM.getFileOffset(SM.getExpansionLoc(X->getLocation()));
      size_t Line = All.take_front(At).rfind('\n') + 1;
      if (!All.substr(Line).ltrim().starts_with("#")) {
        Why = Refusal{Reason::InMacro, location(Begin), "a _Pragma"};
        return std::nullopt;
      }
    }
  if (!conditionalsPairUp(All.slice(Offset, Stop))) {
    Why = Refusal{Reason::InMacro, location(Begin),
                  "a preprocessor conditional that begins or ends inside"};
    return std::nullopt;
  }
  return SourceSpan{Entry->getFileEntry().tryGetRealPathName().str(),
                    unsigned(Offset), Stop};
}

bool SourceText::ownLines(llvm::StringRef All, const SourceSpan &Span) const {
  size_t LineStart = All.rfind('\n', Span.Begin) + 1;
  if (Span.Begin > 0 && All[Span.Begin] == '\n')
    return false;
  if (!All.slice(LineStart, Span.Begin).trim().empty())
    return false;
  llvm::StringRef Rest =
      All.substr(Span.End).take_until([](char C) { return C == '\n'; });
  Rest = Rest.trim();
  while (Rest.starts_with("/*")) {
    const size_t Close = Rest.find("*/", 2);
    if (Close == llvm::StringRef::npos)
      return false;
    Rest = Rest.drop_front(Close + 2).ltrim();
  }
  return (Rest.empty() || Rest.starts_with("//")) && !Rest.ends_with("\\");
}

//===-- Candidates -------------------------------------------------------===//

WrapSites::WrapSites(const ASTContext &Context, const FunctionDecl &Kernel,
                     ReachedCode &Code)
    : Context(Context), Kernel(Kernel), Code(Code), Text(Context) {}

const Uniformity &WrapSites::uniformity(const FunctionDecl &F,
                                        const CallExpr *Call,
                                        const Uniformity *Caller) {
  std::unique_ptr<Uniformity> &U = Known[{&F, Call}];
  if (U)
    return *U;
  llvm::DenseSet<const VarDecl *> Divergent;
  if (Call)
    for (unsigned I = 0; I < F.getNumParams(); ++I) {
      const ParmVarDecl *P = F.getParamDecl(I);
      if (P->getType()->isReferenceType() || I >= Call->getNumArgs() ||
          !Caller->isUniform(Call->getArg(I)))
        Divergent.insert(P);
    }
  U = std::make_unique<Uniformity>(F, /*IsKernel=*/!Call, std::move(Divergent));
  return *U;
}

namespace {
/// Counts where a function is named, by place in the text: the instantiations
/// of a template name it at one place.
class ReferenceCounter : public RecursiveASTVisitor<ReferenceCounter> {
public:
  ReferenceCounter(const FunctionDecl &F) : Wanted(pattern(F)) {}
  bool shouldVisitTemplateInstantiations() const { return true; }
  static const FunctionDecl *pattern(const FunctionDecl &F) {
    const FunctionDecl *P = F.getTemplateInstantiationPattern();
    return (P ? P : &F)->getCanonicalDecl();
  }
  void note(const Decl *D, SourceLocation L) {
    if (auto *F = dyn_cast_or_null<FunctionDecl>(D))
      if (pattern(*F) == Wanted)
        Places.insert(L.getRawEncoding());
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    note(E->getDecl(), E->getLocation());
    return true;
  }
  bool VisitMemberExpr(MemberExpr *E) {
    note(E->getMemberDecl(), E->getMemberLoc());
    return true;
  }
  // A template that is never instantiated may call it too.
  bool VisitOverloadExpr(OverloadExpr *E) {
    for (const NamedDecl *D : E->decls())
      note(D->getUnderlyingDecl()->getAsFunction(), E->getNameLoc());
    return true;
  }
  llvm::DenseSet<unsigned> Places;

private:
  const FunctionDecl *Wanted;
};
} // namespace

/// The call is evaluated whenever the statement is, and once.
static bool alwaysEvaluates(const Stmt *S, const Stmt *Call) {
  if (!S)
    return false;
  if (S == Call)
    return true;
  auto Any = [&](auto &&Parts) {
    return llvm::any_of(
        Parts, [&](const Stmt *P) { return alwaysEvaluates(P, Call); });
  };
  switch (roleOf(*S)) {
  case NodeRole::Wrapper: // a default argument stands elsewhere
    return isa<FullExpr, ParenExpr, CXXRewrittenBinaryOperator>(S) &&
           alwaysEvaluates(wrappedIn(*cast<Expr>(S)), Call);
  case NodeRole::Binary: {
    auto *B = cast<BinaryOperator>(S);
    return alwaysEvaluates(B->getLHS(), Call) ||
           (!B->isLogicalOp() && alwaysEvaluates(B->getRHS(), Call));
  }
  case NodeRole::Conditional:
    return alwaysEvaluates(cast<ConditionalOperator>(S)->getCond(), Call);
  case NodeRole::DefaultedConditional:
    return alwaysEvaluates(cast<BinaryConditionalOperator>(S)->getCommon(),
                           Call);
  case NodeRole::Declaration:
    return llvm::any_of(cast<DeclStmt>(S)->decls(), [&](const Decl *D) {
      auto *V = dyn_cast<VarDecl>(D);
      return V && V->hasLocalStorage() && alwaysEvaluates(V->getInit(), Call);
    });
  case NodeRole::Temporary:
  case NodeRole::Member:
  case NodeRole::Subscript:
  case NodeRole::Cast:
  case NodeRole::Unary:
  case NodeRole::Call:
  case NodeRole::MemberCall:
  case NodeRole::OperatorCall:
  case NodeRole::Construct:
  case NodeRole::InitList:
  case NodeRole::Return:
    return Any(S->children());
  default: // what is not listed is refused
    return false;
  }
}

bool WrapSites::canEnter(const PathElement &Call, const Stmt *From) const {
  const FunctionDecl &F = *Call.Callee;
  const SourceManager &SM = Context.getSourceManager();
  bool OnlyHere = SM.isInMainFile(SM.getExpansionLoc(F.getLocation())) &&
                  (!Context.getLangOpts().GPURelocatableDeviceCode ||
                   !F.isExternallyVisible());
  if (!OnlyHere || isa<CXXMethodDecl>(F) ||
      !isa_and_nonnull<Expr, DeclStmt, ReturnStmt>(From) ||
      !alwaysEvaluates(From, Call.Call))
    return false;
  ReferenceCounter Counter(F);
  for (Decl *D : Context.getTraversalScope()) // the user's declarations
    Counter.TraverseDecl(D);
  return Counter.Places.size() == 1;
}

/// Child is run whenever control enters the statement's inside.
static bool isBodyOf(const Stmt *Parent, const Stmt *Child) {
  if (auto *I = dyn_cast<IfStmt>(Parent))
    return Child == I->getThen() || Child == I->getElse();
  if (isLoop(Parent))
    return Child == loopParts(*Parent).Body;
  return isa<CompoundStmt>(Parent);
}

std::vector<WrapSites::Candidate>
WrapSites::candidates(llvm::ArrayRef<PathElement> Path) {
  std::vector<Candidate> Result;
  const Uniformity *U = &uniformity(Kernel, nullptr, nullptr);
  const SourceManager &SM = Context.getSourceManager();
  bool InCallee = false, NeedsSm70 = false;
  const FunctionDecl *Function = &Kernel;
  const Stmt *Parent = nullptr;
  const Stmt *OutermostLoop = nullptr; // of this function, around us
  for (size_t I = 0; I < Path.size() && !U->unknown(); ++I) {
    if (const FunctionDecl *Callee = Path[I].Callee) {
      if (!canEnter(Path[I], Parent))
        break;
      U = &uniformity(*Callee, Path[I].Call, U);
      InCallee = true;
      Function = Callee->getDefinition() ? Callee->getDefinition() : Callee;
      Parent = OutermostLoop = nullptr;
      continue;
    }
    const Stmt *S = Path[I].S;
    if (Parent && !isa<AttributedStmt>(Parent) && !isBodyOf(Parent, S))
      break; // in a condition, an increment, a case, an expression
    if (Parent && isa<SwitchStmt, SwitchCase, LabelStmt>(S) &&
        !isa<SwitchStmt>(S))
      break;
    bool Position = Parent && !isa<CompoundStmt>(S) && isBodyOf(Parent, S);
    if (Position) {
      // Did threads leave before, or in an earlier iteration of a loop around?
      auto IsBefore = [&](const Stmt *R) {
        const Stmt *Until = OutermostLoop ? OutermostLoop : S;
        return SM.isBeforeInTranslationUnit(R->getBeginLoc(),
                                            Until->getEndLoc());
      };
      bool Left = llvm::any_of(U->divergentReturns(), IsBefore);
      if (InCallee && Left)
        break;
      NeedsSm70 |= Left || llvm::any_of(U->exits(), IsBefore);
      Result.push_back({Parent, S, I, InCallee, NeedsSm70, Function});
    }
    bool Inside = isa<Expr, DeclStmt, ReturnStmt>(S) || U->insideIsUniform(S);
    if (!Inside)
      break;
    if (!OutermostLoop && isLoop(S))
      OutermostLoop = S;
    Parent = S;
  }
  if (const Stmt *Unknown = U->unknown())
    NotFollowed = U->unknownName() + " in line " +
                  std::to_string(Text.location(Unknown->getBeginLoc()).Line);
  return Result;
}

//===-- Sites ------------------------------------------------------------===//

SiteResult WrapSites::tryCandidate(const Candidate &C,
                                   llvm::ArrayRef<PathElement> Path) {
  SiteResult Result;
  // What the statement declares must stay visible: take all that follows.
  llvm::SmallVector<const Stmt *, 8> Statements = {C.Statement};
  if (isa<DeclStmt>(C.Statement)) {
    auto *Block = dyn_cast<CompoundStmt>(C.Parent);
    if (!Block) {
      Result.Refusals.push_back({Reason::LoopDeclaresResult,
                                 Text.location(C.Statement->getBeginLoc()),
                                 ""});
      return Result;
    }
    auto At = llvm::find(Block->body(), C.Statement);
    Statements.assign(At, Block->body_end());
  }
  WarpDependences D = warpDependences(Kernel, Path.take_front(C.PathIndex),
                                      Statements, Code, Context);
  Result.Refusals = D.Refusals;
  auto Refuse = [&](Reason R, std::string Detail) {
    Result.Refusals.push_back(
        {R, Text.location(C.Statement->getBeginLoc()), std::move(Detail)});
  };
  if (D.LeavesByJump)
    Refuse(Reason::LeavesStatement, "a break or continue");
  if (D.HasReturn && C.InCallee)
    Refuse(Reason::LeavesStatement, "a return");
  std::optional<Refusal> Why;
  auto Span = Text.span(*Statements.front(), *Statements.back(), Why);
  if (Why)
    Result.Refusals.push_back(*Why);
  else if (auto Before = cannotPrecede(*C.Function, *C.Parent, *C.Statement,
                                       *Span, Context))
    Result.Refusals.push_back(*Before);
  if (auto Hidden = hiddenCudaName(*C.Function, Statements.front(), Context))
    Result.Refusals.push_back(*Hidden);
  if (Result.Refusals.empty())
    if (auto Rounds =
            splitMayRound(*C.Function, Statements, C.InCallee, Context))
      Result.Refusals.push_back(*Rounds);
  if (!Result.Refusals.empty())
    return Result;
  WrapSite Site;
  Site.Span = *Span;
  const SourceManager &SM = Context.getSourceManager();
  SourceLocation Begin = SM.getFileLoc(Statements.front()->getBeginLoc());
  Site.Where = Text.location(Begin);
  Site.OwnLines = Text.ownLines(Text.text(SM.getFileID(Begin)), *Span);
  Site.NeedsSm70 = C.NeedsSm70 || D.HasReturn;
  Site.WarpSynchronous = D.UsesWarpIntrinsics;
  Result.Site = std::move(Site);
  return Result;
}

SiteResult WrapSites::find(llvm::ArrayRef<PathElement> Path,
                           llvm::ArrayRef<std::pair<size_t, unsigned>> Loops) {
  SiteResult First;
  std::vector<Candidate> All = candidates(Path);
  for (const Candidate &C : llvm::reverse(All)) {
    SiteResult R = tryCandidate(C, Path);
    if (R.Site) {
      for (auto [Index, Id] : Loops)
        if (Index < C.PathIndex)
          R.Site->RepeatedBy.push_back(Id);
      return R;
    }
    if (First.Refusals.empty())
      First = std::move(R);
  }
  if (First.Refusals.empty()) {
    const Stmt *Loop = Path.back().S;
    First.Refusals.push_back({Reason::DivergentBarrier,
                              Text.location(Loop->getBeginLoc()), NotFollowed});
  }
  return First;
}

} // namespace catt
