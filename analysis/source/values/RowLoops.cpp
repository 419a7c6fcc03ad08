//===- RowLoops.cpp - Loops that can run in tiles -------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for statement --Header--> iterator, limit
//                 --body----> what may not stand in a tile
//                 --reads---> references that walk a row
//
//===----------------------------------------------------------------------===//
#include "analysis/source/values/RowLoops.h"
#include "analysis/nest/Nest.h"
#include "analysis/source/safety/HiddenNames.h"
#include "analysis/source/safety/LocalMentions.h"
#include "analysis/source/safety/SplitRounding.h"
#include "analysis/source/safety/WrapSites.h"
#include "analysis/source/syntax/Effects.h"
#include "analysis/source/syntax/NodeParts.h"
#include "analysis/source/values/TileBodies.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace catt {
namespace {

/// The variable that an expression reads and nothing else.
const VarDecl *variableRead(const Expr *E) {
  return namedVariable(E->IgnoreParenImpCasts());
}

/// One loop, and what is found out about it.
class Finder {
public:
  Finder(const FunctionDecl &F, const ForStmt &For, const ASTContext &Context,
         const LocalMentions &Locals, const Kernel &K, ComputeProof &Proof,
         RowLoop &Out)
      : F(F), For(For), Context(Context), SM(Context.getSourceManager()),
        Text(Context), Locals(Locals), K(K), Proof(Proof), Out(Out) {}

  void run() {
    if (!header() || !text())
      return;
    stores();
    if (auto Why = cannotRunInTiles(*For.getBody(), Context, Proof))
      Out.Refusals.push_back(std::move(*Why));
    plainStores();
    if (Out.Refusals.empty())
      reads(For.getBody());
    if (Out.Refusals.empty() &&
        llvm::any_of(Out.Reads, [](const RowRead &R) { return !R.Why; }))
      rounding();
  }

private:
  void refuse(Reason Kind, SourceLocation At, std::string Detail) {
    Out.Refusals.push_back({Kind, Text.location(At), std::move(Detail)});
  }

  /// Where an expression stands in the file: no macro, or the whole of one.
  CharSourceRange rangeOf(SourceRange Range) const {
    return Lexer::makeFileCharRange(CharSourceRange::getTokenRange(Range), SM,
                                    Context.getLangOpts());
  }

  std::optional<std::string> textOf(SourceRange Range) const {
    CharSourceRange Written = rangeOf(Range);
    if (Written.isInvalid())
      return std::nullopt;
    return Lexer::getSourceText(Written, SM, Context.getLangOpts()).str();
  }

  /// As an operand of a minus, what a macro stands for needs parentheses.
  std::optional<std::string> operandOf(const Expr &E) const {
    std::optional<std::string> Text = textOf(E.getSourceRange());
    const Expr *Inner = E.IgnoreImpCasts();
    if (Text && Inner->getBeginLoc().isMacroID() &&
        !isa<IntegerLiteral, ParenExpr, DeclRefExpr>(Inner))
      return "(" + *Text + ")";
    return Text;
  }

  std::optional<SourceSpan> spanOf(SourceRange Range) const {
    CharSourceRange Written = rangeOf(Range);
    if (Written.isInvalid())
      return std::nullopt;
    return SourceSpan{Out.Span.File, SM.getFileOffset(Written.getBegin()),
                      SM.getFileOffset(Written.getEnd())};
  }

  bool notCounted(SourceLocation At, const char *Why) {
    refuse(Reason::NotCounted, At, Why);
    return false;
  }

  bool header() {
    auto *Cond = dyn_cast_or_null<BinaryOperator>(For.getCond());
    if (!Cond || Cond->getOpcode() != BO_LT || For.getConditionVariable())
      return notCounted(For.getForLoc(), "its condition is no i < n");
    Iterator = variableRead(Cond->getLHS());
    Limit = Cond->getRHS();
    if (!Iterator || !Iterator->hasLocalStorage() ||
        !Iterator->getType()->isIntegerType() ||
        Iterator->getType().isVolatileQualified() ||
        !Limit->getType()->isIntegerType())
      return notCounted(Cond->getBeginLoc(), "its condition is no i < n");
    if (!stepsByOne(For.getInc()))
      return notCounted(For.getForLoc(), "its step is not 1");
    if (!first(For.getInit()))
      return notCounted(For.getForLoc(), "where it starts is not plain");
    if (Locals.Exposed.contains(Iterator) ||
        mayModify(For.getBody(), *Iterator))
      return notCounted(For.getForLoc(), "its body changes the iterator");
    if (!stays(Limit))
      return notCounted(Limit->getBeginLoc(), "its limit may change");
    return true;
  }

  bool stepsByOne(const Expr *E) const {
    E = E ? E->IgnoreParens() : nullptr;
    if (auto *U = dyn_cast_or_null<UnaryOperator>(E))
      return U->isIncrementOp() && variableRead(U->getSubExpr()) == Iterator;
    auto *A = dyn_cast_or_null<CompoundAssignOperator>(E);
    if (!A || A->getOpcode() != BO_AddAssign ||
        variableRead(A->getLHS()) != Iterator)
      return false;
    return constantValue(A->getRHS(), Context) == 1;
  }

  /// `int i = first` or `i = first`.
  bool first(const Stmt *Init) {
    if (auto *D = dyn_cast_or_null<DeclStmt>(Init)) {
      if (D->isSingleDecl() && D->getSingleDecl() == Iterator)
        First = Iterator->getInit();
    } else if (auto *A = dyn_cast_or_null<BinaryOperator>(Init)) {
      if (A->getOpcode() == BO_Assign && variableRead(A->getLHS()) == Iterator)
        First = A->getRHS();
    }
    return First && stays(First);
  }

  /// Evaluated anywhere in the loop or before it, it is the same.
  bool stays(const Expr *E) const {
    E = E->IgnoreParens();
    if (E->isPRValue() && constantValue(E, Context))
      return true;
    if (auto *C = dyn_cast<CastExpr>(E)) {
      CastKind Kind = C->getCastKind();
      if (Kind == CK_LValueToRValue)
        return staysInPlace(C->getSubExpr()->IgnoreParens());
      return (Kind == CK_IntegralCast || Kind == CK_NoOp) &&
             stays(C->getSubExpr());
    }
    if (auto *P = dyn_cast<PseudoObjectExpr>(E)) // threadIdx.x
      return P->getType()->isIntegerType();
    if (auto *U = dyn_cast<UnaryOperator>(E))
      return U->isArithmeticOp() && stays(U->getSubExpr());
    auto *B = dyn_cast<BinaryOperator>(E);
    return B && (B->isAdditiveOp() || B->isMultiplicativeOp()) &&
           stays(B->getLHS()) && stays(B->getRHS());
  }

  /// What is loaded from a place is the same.
  bool staysInPlace(const Expr *Place) const {
    if (Place->getType().isVolatileQualified())
      return false;
    while (auto *M = dyn_cast<MemberExpr>(Place)) {
      if (M->isArrow() || M->getMemberDecl()->getType()->isReferenceType())
        return false;
      Place = M->getBase()->IgnoreParens();
    }
    if (auto *V = variableRead(Place))
      return V != Iterator && V->hasLocalStorage() &&
             !V->getType()->isReferenceType() && !Locals.Exposed.contains(V) &&
             !isInside(For.getBody(), *V) && !mayModify(For.getBody(), *V);
    // Memory: only where the loop stores nothing.
    auto *S = dyn_cast<ArraySubscriptExpr>(Place);
    auto *Base = S ? variableRead(S->getBase()) : nullptr;
    return isa_and_nonnull<ParmVarDecl>(Base) && !storesAnything() &&
           Base->getType()->isPointerType() && stays(S->getBase()) &&
           stays(S->getIdx());
  }

  bool isInside(const Stmt *S, const VarDecl &V) const {
    return SM.isPointWithin(V.getLocation(), S->getBeginLoc(), S->getEndLoc());
  }

  bool isInLoop(const Access &A) const {
    return catt::isInside(K, A.Loop, Out.Loop);
  }

  bool storesAnything() const {
    return llvm::any_of(
        K.Accesses, [&](const Access &A) { return A.Writes && isInLoop(A); });
  }

  bool text() {
    auto Start = operandOf(*First), End = operandOf(*Limit),
         Inc = textOf(For.getInc()->getSourceRange()),
         Whole = textOf(For.getSourceRange());
    std::optional<SourceSpan> Body = spanOf(For.getBody()->getSourceRange());
    bool OfMacro = llvm::any_of(
        llvm::ArrayRef<SourceLocation>(
            {For.getForLoc(), For.getLParenLoc(), For.getRParenLoc(),
             For.getInit()->getBeginLoc(), For.getCond()->getBeginLoc()}),
        [](SourceLocation L) { return L.isMacroID(); });
    if (OfMacro || !Start || !End || !Inc || !Whole || !Body ||
        Whole->find_first_of("#\\") != std::string::npos) {
      refuse(Reason::InMacro, For.getForLoc(), "a macro or a directive in it");
      return false;
    }
    unsigned Open = SM.getFileOffset(For.getLParenLoc()) + 1,
             Cond = SM.getFileOffset(For.getCond()->getBeginLoc());
    Out.Init = SM.getBufferData(SM.getFileID(For.getForLoc()))
                   .slice(Open, Cond)
                   .trim()
                   .str();
    Out.Iterator = Iterator->getNameAsString();
    Out.Start = *Start;
    Out.Limit = *End;
    Out.Step = *Inc;
    Out.Body = *Body;
    Out.Body.End = Out.Span.End;
    return true;
  }

  /// What may be another value when a read of the loop is done ahead.
  void stores() {
    for (const Access &A : K.Accesses)
      if (isInLoop(A) && (A.Volatile || A.Atomic))
        return Out.Refusals.push_back(
            {Reason::WarpsCommunicate, A.Where, "'" + A.Text + "'"});
    if (std::optional<Refusal> Hidden = hiddenByDeclaration(F, &For, Context))
      Out.Refusals.push_back(*Hidden);
  }

  void rounding() {
    if (std::optional<Refusal> Why =
            splitMayRound(F, {&For}, /*InCallee=*/false, Context))
      Out.Refusals.push_back(*Why);
  }

  /// Reads that every iteration does: not under a condition, nor in a loop.
  void reads(const Stmt *S) {
    if (!S ||
        isa<IfStmt, ForStmt, WhileStmt, DoStmt, AbstractConditionalOperator>(S))
      return;
    if (auto *B = dyn_cast<BinaryOperator>(S); B && B->isLogicalOp())
      return reads(B->getLHS());
    if (auto *C = dyn_cast<CastExpr>(S);
        C && C->getCastKind() == CK_LValueToRValue)
      if (auto *E =
              dyn_cast<ArraySubscriptExpr>(C->getSubExpr()->IgnoreParens()))
        read(*E);
    for (const Stmt *Child : S->children())
      reads(Child);
  }

  void read(const ArraySubscriptExpr &E) {
    const VarDecl *Base = variableRead(E.getBase());
    auto *Number = E.getType()->getAs<BuiltinType>();
    if (!Base || !Base->getType()->isPointerType() || !Number ||
        E.getType().isVolatileQualified() || !walksRow(E.getIdx()) ||
        !stays(E.getBase()))
      return;
    std::optional<SourceSpan> Place = spanOf(E.getSourceRange());
    std::optional<std::string> Written = textOf(E.getSourceRange());
    if (!Place || !Number->isArithmeticType())
      return;
    if (auto Known = llvm::find_if(
            Out.Reads, [&](const RowRead &R) { return R.Text == *Written; });
        Known != Out.Reads.end()) {
      Known->Places.push_back(*Place);
      return;
    }
    Location At = Text.location(E.getBeginLoc());
    auto Found = llvm::find_if(K.Accesses, [&](const Access &A) {
      return A.Where == At && A.Text == *Written && A.Reads && !A.Writes &&
             A.Loop == Out.Loop;
    });
    if (Found == K.Accesses.end() || Found->Space != AddressSpace::Global ||
        !Found->ThroughL1 || (Found->SizeBytes != 4 && Found->SizeBytes != 8))
      return;
    RowRead R;
    R.Access = size_t(Found - K.Accesses.begin());
    R.Places = {*Place};
    R.Text = *Written;
    R.Type = E.getType().getCanonicalType().getUnqualifiedType().getAsString(
        Context.getPrintingPolicy());
    R.ElementBytes = Found->SizeBytes;
    compareStores(*Base, *Found, R);
    Out.Reads.push_back(std::move(R));
  }

  bool isPassed(llvm::StringRef Base) const {
    return llvm::any_of(K.Parameters, [&](const Parameter &P) {
      return P.IsPointer && P.IsFixed && P.Name == Base;
    });
  }

  /// What the loop stores where the row may be: Apart, or a refusal.
  void compareStores(const VarDecl &Base, const Access &Row, RowRead &R) {
    bool Own = isa<ParmVarDecl>(Base) &&
               llvm::any_of(K.Parameters, [&](const Parameter &P) {
                 return P.Name == Base.getName() && P.IsRestrict && P.IsFixed;
               });
    // What the launch passes points to global memory.
    const bool Passed = isPassed(Row.Base);
    for (const Access &A : K.Accesses) {
      if (!A.Writes || !isInLoop(A) ||
          (Passed && A.Space != AddressSpace::Global) ||
          (Own && A.Base != Row.Base && isPassed(A.Base)))
        continue;
      auto Plain = llvm::find_if(Plains, [&](const PlainStore &S) {
        return S.Where == A.Where && Out.Stores[S.Index].Text == A.Text;
      });
      if (A.BaseId == Row.BaseId || Plain == Plains.end()) {
        R.Why = Refusal{Reason::MayAlias, A.Where,
                        "'" + A.Text + "' and '" + Row.Text + "'"};
        return;
      }
      if (!llvm::is_contained(R.Apart, Plain->Index))
        R.Apart.push_back(Plain->Index);
    }
  }

  /// Stores to elements whose place is known before the loop.
  void plainStores() {
    forEachStmt(For.getBody(), [&](const Stmt &S) {
      for (const OperandEffect &X : effectsOf(S))
        if (auto *E = dyn_cast<ArraySubscriptExpr>(X.Place->IgnoreParens());
            E && X.writes())
          plainStore(*E);
    });
  }

  void plainStore(const ArraySubscriptExpr &E) {
    std::optional<std::string> Written = textOf(E.getSourceRange());
    bool Walks = walksRow(E.getIdx());
    if (!Written || !variableRead(E.getBase()) || !stays(E.getBase()) ||
        (!Walks && !plain(E.getIdx())))
      return;
    Plains.push_back(
        {Text.location(E.getBeginLoc()), unsigned(Out.Stores.size())});
    Out.Stores.push_back({*Written, Walks});
  }

  /// The index grows by 1 with the iterator, and by nothing else in the loop.
  bool walksRow(const Expr *E) const {
    E = E->IgnoreParens();
    if (auto *C = dyn_cast<CastExpr>(E)) {
      if (C->getCastKind() == CK_LValueToRValue)
        return variableRead(C) == Iterator && !C->getBeginLoc().isMacroID();
      return C->getCastKind() == CK_IntegralCast &&
             Context.getTypeSize(C->getType()) >=
                 Context.getTypeSize(C->getSubExpr()->getType()) &&
             walksRow(C->getSubExpr());
    }
    auto *B = dyn_cast<BinaryOperator>(E);
    if (!B)
      return false;
    if (B->getOpcode() == BO_Add)
      return (walksRow(B->getLHS()) && plain(B->getRHS())) ||
             (plain(B->getLHS()) && walksRow(B->getRHS()));
    return B->getOpcode() == BO_Sub && walksRow(B->getLHS()) &&
           plain(B->getRHS());
  }

  /// The same in the whole loop, and read from no memory: a lane that runs no
  /// iteration evaluates it, too.
  bool plain(const Expr *E) const { return stays(E) && !loads(E); }
  static bool loads(const Expr *E) {
    bool Any = false;
    forEachStmt(E, [&](const Stmt &S) { Any |= isa<ArraySubscriptExpr>(S); });
    return Any;
  }

  const FunctionDecl &F;
  const ForStmt &For;
  const ASTContext &Context;
  const SourceManager &SM;
  SourceText Text;
  const LocalMentions &Locals;
  const Kernel &K;
  ComputeProof &Proof;
  RowLoop &Out;
  struct PlainStore {
    Location Where;
    unsigned Index; ///< of RowLoop::Stores
  };
  std::vector<PlainStore> Plains;
  const VarDecl *Iterator = nullptr;
  const Expr *Limit = nullptr, *First = nullptr;
};

} // namespace

void findRowLoops(const FunctionDecl &F, const ASTContext &Context, Kernel &K) {
  if (llvm::none_of(K.Statements,
                    [](const BodyStatement &S) { return S.Is.has_value(); }))
    return;
  ComputeProof Proof;
  const LocalMentions Locals = mentionsIn(*F.getBody(), Proof);
  forEachStmt(F.getBody(), [&](const Stmt &Each) {
    auto *For = dyn_cast<ForStmt>(&Each);
    if (!For)
      return;
    Location At = locationOf(For->getForLoc(), Context);
    auto Is = llvm::find_if(K.Statements, [&](const BodyStatement &S) {
      return S.Is && S.Where == At && !S.Span.File.empty();
    });
    if (Is == K.Statements.end())
      return;
    RowLoop R;
    R.Loop = *Is->Is;
    R.Span = Is->Span;
    R.OwnLines = Is->OwnLines;
    Finder(F, *For, Context, Locals, K, Proof, R).run();
    if (!R.Refusals.empty() || !R.Reads.empty())
      K.RowLoops.push_back(std::move(R));
  });
}

} // namespace catt
