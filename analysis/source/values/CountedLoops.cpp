//===- CountedLoops.cpp - Loops that count by a constant ------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/values/CountedLoops.h"
#include "analysis/source/safety/WrapSites.h"
#include "analysis/source/syntax/Accessors.h"
#include "analysis/source/syntax/Effects.h"
#include "analysis/source/syntax/NodeParts.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cstdlib>

using namespace clang;

namespace catt {

const VarDecl *variableRead(const Expr *E) {
  return namedVariable(E->IgnoreParenImpCasts());
}

/// It can stand behind `<` without parentheses.
static bool bindsTighter(const Expr &E) {
  const Expr *Inner = E.IgnoreImpCasts();
  auto *B = dyn_cast<BinaryOperator>(Inner);
  return B ? B->isAdditiveOp() || B->isMultiplicativeOp() || B->isShiftOp()
           : !isa<AbstractConditionalOperator>(Inner);
}

//===-- The header --------------------------------------------------------===//

CountedLoop::CountedLoop(const Stmt &Loop, const ASTContext &Context,
                         const LocalMentions &Locals, bool StoresNothing,
                         const Stmt *Around)
    : Loop(Loop), Parts(loopParts(Loop)), Context(Context), Locals(Locals),
      StoresNothing(StoresNothing), IsInside(Around),
      Whole(Around ? *Around : *Parts.Body) {
  auto *Body = dyn_cast<CompoundStmt>(Parts.Body);
  if (isa<WhileStmt, DoStmt>(Loop) && Body && !Body->body_empty())
    Parts.Inc = dyn_cast<Expr>(Body->body_back());
}

Refusal CountedLoop::notCounted(SourceLocation At, const char *Why) const {
  return {Reason::NotCounted, SourceText(Context).location(At), Why};
}

std::optional<Refusal> CountedLoop::read(RowLoop &Out) {
  if (std::optional<Refusal> Why = header())
    return Why;
  return text(Out);
}

std::optional<Refusal> CountedLoop::header() {
  if (countsDownInHeader())
    return std::nullopt;
  auto *Cond = dyn_cast_or_null<BinaryOperator>(Parts.Cond);
  if (!Cond || Parts.Variable ||
      !(Cond->isRelationalOp() || Cond->getOpcode() == BO_NE))
    return notCounted(Loop.getBeginLoc(), "its condition is no i < n");
  auto Compares = Cond->getOpcode();
  takeIterator(Cond->getLHS());
  Limit = Cond->getRHS();
  std::optional<int64_t> By = stepOf(Parts.Inc);
  if (!By && !(isa<ForStmt>(Loop) && Parts.Inc))
    InPlace = Iterator ? stepInPlace() : nullptr;
  if (InPlace) {
    By = 1;
  } else if (!By) { // n > i
    Compares = BinaryOperator::reverseComparisonOp(Compares);
    takeIterator(Cond->getRHS());
    Limit = Cond->getLHS();
    By = stepOf(Parts.Inc);
  }
  const bool IsUnequal = Compares == BO_NE;
  if (IsUnequal && By && std::abs(*By) != 1)
    return notCounted(Loop.getBeginLoc(), "its step may pass its limit");
  if (IsUnequal)
    Compares = By == 1 ? BO_LT : BO_GT;
  Reaches = Compares == BO_LE || Compares == BO_GE;
  if (!Iterator || !Iterator->hasLocalStorage() || (IsUnequal && Ahead) ||
      !(Iterator->getType()->isIntegerType() ||
        Iterator->getType()->isPointerType()) ||
      Iterator->getType().isVolatileQualified() ||
      Limit->getType()->isIntegerType() != Iterator->getType()->isIntegerType())
    return notCounted(Cond->getBeginLoc(), "its condition is no i < n");
  if (std::optional<Refusal> Why =
          direction(Compares == BO_LT || Compares == BO_LE, By))
    return Why;
  if (AheadBy && !isAheadPlainly(*Cond, Compares))
    return notCounted(Cond->getBeginLoc(), "its condition is no i < n");
  findLimitByName();
  if (!findFirst())
    return notCounted(Loop.getBeginLoc(), "where it starts is not plain");
  if (IsUnequal && !comesToLimit())
    return notCounted(Loop.getBeginLoc(), "it may start behind its limit");
  if (InPlace ? !moves(*Iterator, *InPlace)
              : Locals.Exposed.contains(Iterator) || changesIterator())
    return notCounted(Loop.getBeginLoc(), "its body changes the iterator");
  if (!LimitIsFromFirst && !stays(Limit))
    return notCounted(Limit->getBeginLoc(), "its limit may change");
  return std::nullopt;
}

/// `i`, or `i + 3`, but not `i + 3u`, which is compared as another type; of
/// `do ... while` also `++i`, by which it then counts.
void CountedLoop::takeIterator(const Expr *Side) {
  Ahead = 0, AheadBy = nullptr;
  auto *Counts = dyn_cast<UnaryOperator>(Side->IgnoreParenImpCasts());
  if (Parts.AtLeastOnce && Counts && Counts->isPrefix() &&
      Counts->isIncrementDecrementOp()) {
    Iterator = variableRead(Counts->getSubExpr());
    Parts.Inc = Counts;
    CountsInCondition = true;
    return;
  }
  Iterator = variableRead(Side);
  auto *Sum = dyn_cast<BinaryOperator>(Side->IgnoreParenImpCasts());
  if (Iterator || !Sum || Sum->getOpcode() != BO_Add)
    return;
  constexpr int64_t Most = 64; // elements that an iteration reads
  const std::optional<int64_t> More = constantValue(Sum->getRHS(), Context);
  if (!More) {
    AheadBy = Sum->getRHS();
    Iterator = variableRead(Sum->getLHS());
    return;
  }
  if (*More < 0 || *More > Most ||
      !Context.hasSameUnqualifiedType(
          Sum->getRHS()->IgnoreParenImpCasts()->getType(), Context.IntTy))
    return;
  Iterator = variableRead(Sum->getLHS());
  Ahead = *More;
}

/// `i + r < n` is `i < n - r` of signed numbers that do not overflow.
bool CountedLoop::isAheadPlainly(const BinaryOperator &Cond,
                                 BinaryOperatorKind Compares) const {
  auto IsAlike = [&](QualType T) {
    return Context.hasSameUnqualifiedType(T, Iterator->getType());
  };
  return (Compares == BO_LT || Compares == BO_LE) &&
         Cond.getOpcode() != BO_NE &&
         Iterator->getType()->isSignedIntegerType() &&
         IsAlike(Cond.getLHS()->getType()) &&
         IsAlike(Limit->IgnoreParenImpCasts()->getType()) &&
         IsAlike(AheadBy->IgnoreParenImpCasts()->getType()) &&
         bindsTighter(*Limit) && stays(AheadBy);
}

/// `i != n` ends at n. Behind it the loop would run until a signed number
/// overflows, or a pointer leaves its object, which no program may do; but an
/// unsigned number becomes 0 and goes on, and so does one that is compared as
/// another type: a `short` is narrowed again, -1 equals an unsigned number.
bool CountedLoop::comesToLimit() const {
  const QualType Own = Iterator->getType();
  if (Own->isPointerType())
    return true;
  const QualType Compared =
      cast<BinaryOperator>(Parts.Cond)->getLHS()->getType();
  return Context.hasSameUnqualifiedType(Own, Compared) &&
         (Own->isSignedIntegerType() ||
          (First && constantValue(First, Context) == 0));
}

/// Elsewhere than where it counts, or a part of the body leaves that out.
bool CountedLoop::changesIterator() const {
  if (isa<ForStmt>(Loop) || CountsInCondition)
    return mayModify(Parts.Body, *Iterator);
  bool LeavesOut = false;
  forEachStmt(Parts.Body,
              [&](const Stmt &S) { LeavesOut |= isa<ContinueStmt>(S); });
  return LeavesOut || llvm::any_of(Parts.Body->children(), [&](const Stmt *S) {
           return S != Parts.Inc && mayModify(S, *Iterator);
         });
}

/// Up by any constant, or down by one.
std::optional<Refusal> CountedLoop::direction(bool IsUp,
                                              std::optional<int64_t> By) {
  if (!By)
    return notCounted(Loop.getBeginLoc(), "its step is not constant");
  Step = *By;
  if (IsUp)
    return Step > 0 ? std::nullopt
                    : std::optional(notCounted(Loop.getBeginLoc(),
                                               "its step is not positive"));
  if (Step != -1 || Ahead)
    return notCounted(Loop.getBeginLoc(), "its step down is not 1");
  // Before its type begins an unsigned number becomes a large one.
  if (!Iterator->getType()->isSignedIntegerType() ||
      !Limit->getType()->isSignedIntegerType())
    return notCounted(Loop.getBeginLoc(), "it counts down without a sign");
  return std::nullopt;
}

/// `++p`, of another variable, or several of them.
static bool stepsAnother(const Expr &E, const VarDecl &Iterator) {
  auto *Two = dyn_cast<BinaryOperator>(E.IgnoreParens());
  if (Two && Two->getOpcode() == BO_Comma)
    return stepsAnother(*Two->getLHS(), Iterator) &&
           stepsAnother(*Two->getRHS(), Iterator);
  auto *U = dyn_cast<UnaryOperator>(E.IgnoreParens());
  const VarDecl *V = U && U->isIncrementDecrementOp()
                         ? variableRead(U->getSubExpr())
                         : nullptr;
  return V && V != &Iterator && V->hasLocalStorage() &&
         !V->getType()->isReferenceType() &&
         !V->getType().isVolatileQualified();
}

/// By which the iterator grows; none: it is not known.
std::optional<int64_t> CountedLoop::stepOf(const Expr *E) const {
  E = E && Iterator ? E->IgnoreParens() : nullptr;
  if (auto *Two = dyn_cast_or_null<BinaryOperator>(E);
      Two && Two->getOpcode() == BO_Comma) { // ++j, ++p
    for (auto [Own, Other] : {std::pair(Two->getLHS(), Two->getRHS()),
                              std::pair(Two->getRHS(), Two->getLHS())})
      if (std::optional<int64_t> By = stepOf(Own);
          By && stepsAnother(*Other, *Iterator))
        return By;
    return std::nullopt;
  }
  if (auto *U = dyn_cast_or_null<UnaryOperator>(E);
      U && U->isIncrementDecrementOp() &&
      variableRead(U->getSubExpr()) == Iterator)
    return U->isIncrementOp() ? 1 : -1;
  auto *A = dyn_cast_or_null<BinaryOperator>(E);
  if (!A || !A->isAssignmentOp() || variableRead(A->getLHS()) != Iterator)
    return std::nullopt;
  auto Kind = A->getOpcode();
  const Expr *Amount = A->getRHS();
  if (Kind == BO_Assign) { // i = i + 2
    auto *Sum = dyn_cast<BinaryOperator>(Amount->IgnoreParenImpCasts());
    if (!Sum || !Sum->isAdditiveOp() || variableRead(Sum->getLHS()) != Iterator)
      return std::nullopt;
    Kind = Sum->getOpcode() == BO_Add ? BO_AddAssign : BO_SubAssign;
    Amount = Sum->getRHS();
  }
  // More than a row has elements would not be a walk.
  constexpr int64_t Most = 1 << 16;
  std::optional<int64_t> By = constantValue(Amount, Context);
  if (!By || *By < -Most || *By > Most)
    return std::nullopt;
  if (Kind == BO_AddAssign)
    return By;
  return Kind == BO_SubAssign ? std::optional(-*By) : std::nullopt;
}

namespace {
/// Also looks into types: decltype(e).
class NameSearch : public RecursiveASTVisitor<NameSearch> {
public:
  explicit NameSearch(DeclarationName Name) : Name(Name) {}
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    return E->getDecl()->getDeclName() != Name;
  }

private:
  const DeclarationName Name;
};
} // namespace

/// The variable, or another one of its name.
static bool mentions(const Stmt &S, const VarDecl &V) {
  return !NameSearch(V.getDeclName()).TraverseStmt(const_cast<Stmt *>(&S));
}

static bool isDeclaredAs(const DeclStmt &D, const VarDecl &V) {
  return llvm::is_contained(D.decls(), &V) && V.getInit() &&
         V.getInitStyle() == VarDecl::CInit;
}

/// `const float *` of `float *`: both are compared in the same way.
static QualType withoutPointeeConst(QualType T) {
  return T->isPointerType() ? T->getPointeeType().getUnqualifiedType() : T;
}

/// `int i = first, e = n; i < e`: where nothing else reads e, it is another
/// name for n; so is `p + n` where the iterator p begins.
void CountedLoop::findLimitByName() {
  const VarDecl *Name = variableRead(Limit);
  auto *D = dyn_cast_or_null<DeclStmt>(Parts.Init);
  if (!Name || !D || !isDeclaredAs(*D, *Name) || !isDeclaredAs(*D, *Iterator) ||
      mentions(*Iterator->getInit(), *Name) || mentions(*Parts.Body, *Name) ||
      (Parts.Inc && mentions(*Parts.Inc, *Name)))
    return;
  // The comparison stays the same: of the same type, of the same operands. In
  // `int e = n, n = 0` one n is not the other.
  auto KeepsType = [&](const VarDecl &V) {
    return Context.hasSameUnqualifiedType(
        withoutPointeeConst(V.getInit()->IgnoreParenImpCasts()->getType()),
        withoutPointeeConst(V.getType()));
  };
  const Expr *Value = Name->getInit();
  const bool IsFromFirst = mentions(*Value, *Iterator);
  if (!bindsTighter(*Value) || mentions(*Value, *Name) || !KeepsType(*Name) ||
      (IsFromFirst &&
       (AheadBy || *D->decl_begin() != Iterator || !isLinear(Value) ||
        !KeepsType(*Iterator) || !atFirst(*Value))))
    return;
  Limit = Value;
  LimitName = Name;
  LimitIsFromFirst = IsFromFirst;
}

/// `p + m` as `(a + i * m) + m`, where p is the iterator and begins there; none
/// where a macro or a comment is in it.
std::optional<std::string> CountedLoop::atFirst(const Expr &E) const {
  const Expr &Begins = *Iterator->getInit();
  const std::optional<SourceSpan> Whole = spanOf(E.getSourceRange(), "");
  std::optional<std::string> Start = textOf(Begins.getSourceRange());
  if (!Whole || !Start)
    return std::nullopt;
  if (!isa<DeclRefExpr, IntegerLiteral>(Begins.IgnoreImpCasts()))
    Start = "(" + *Start + ")";
  const SourceManager &SM = Context.getSourceManager();
  llvm::StringRef File = SM.getBufferData(SM.getFileID(Loop.getBeginLoc()));
  std::string Out;
  unsigned At = Whole->Begin;
  bool OfMacro = false;
  forEachStmt(&E, [&](const Stmt &S) {
    OfMacro |= S.getBeginLoc().isMacroID();
    if (OfMacro || namedVariable(&S) != Iterator)
      return;
    const unsigned Begin = SM.getFileOffset(S.getBeginLoc());
    Out += File.slice(At, Begin).str() + *Start;
    At = Begin + Iterator->getName().size();
  });
  Out += File.slice(At, Whole->End);
  return OfMacro || llvm::StringRef(Out).contains("//") ||
                 llvm::StringRef(Out).contains("/*")
             ? std::nullopt
             : std::optional(onOneLine(Out));
}

/// `int i = first`, `i = first`, or nothing.
bool CountedLoop::findFirst() {
  const Stmt *Init = Parts.Init;
  if (!Init)
    return !IsInside;
  if (auto *D = dyn_cast<DeclStmt>(Init)) {
    if (llvm::is_contained(D->decls(), Iterator) &&
        Iterator->getInitStyle() == VarDecl::CInit &&
        llvm::all_of(D->decls(), [&](const Decl *Of) {
          return Of == Iterator || Of == LimitName;
        }))
      First = Iterator->getInit();
  } else if (auto *A = dyn_cast<BinaryOperator>(Init)) {
    if (A->getOpcode() == BO_Assign && variableRead(A->getLHS()) == Iterator)
      First = A->getRHS();
  }
  return First && stays(First);
}

//===-- The text ----------------------------------------------------------===//

/// Where an expression stands in the file: no macro, or the whole of one.
CharSourceRange CountedLoop::rangeOf(SourceRange Range) const {
  return Lexer::makeFileCharRange(CharSourceRange::getTokenRange(Range),
                                  Context.getSourceManager(),
                                  Context.getLangOpts());
}

std::optional<std::string> CountedLoop::textOf(SourceRange Range) const {
  CharSourceRange Written = rangeOf(Range);
  if (Written.isInvalid())
    return std::nullopt;
  llvm::StringRef Text = Lexer::getSourceText(
      Written, Context.getSourceManager(), Context.getLangOpts());
  return Text.contains("//") ? Text.str() : onOneLine(Text);
}

/// As an operand of a minus, what a macro stands for needs parentheses.
std::optional<std::string> CountedLoop::operandOf(const Expr &E) const {
  std::optional<std::string> Text = textOf(E.getSourceRange());
  const Expr *Inner = E.IgnoreImpCasts();
  if (Text && Inner->getBeginLoc().isMacroID() &&
      !isa<IntegerLiteral, ParenExpr, DeclRefExpr>(Inner))
    return "(" + *Text + ")";
  return Text;
}

std::optional<SourceSpan> CountedLoop::spanOf(SourceRange Range,
                                              const std::string &File) const {
  const SourceManager &SM = Context.getSourceManager();
  CharSourceRange Written = rangeOf(Range);
  if (Written.isInvalid())
    return std::nullopt;
  return SourceSpan{File, SM.getFileOffset(Written.getBegin()),
                    SM.getFileOffset(Written.getEnd())};
}

/// A directive, or a part of one, that a copy might not keep.
static bool hasDirective(llvm::StringRef Text) {
  llvm::SmallVector<llvm::StringRef> Lines;
  Text.split(Lines, '\n');
  return llvm::any_of(Lines, [](llvm::StringRef Line) {
    Line = Line.trim();
    return (Line.starts_with("#") && !Line.starts_with("#pragma unroll")) ||
           Line.ends_with("\\");
  });
}

/// "int j = 0;", without the name of the limit; ";" if nothing is there.
std::optional<std::string> CountedLoop::initText() const {
  if (!Parts.Init)
    return ";";
  const SourceManager &SM = Context.getSourceManager();
  llvm::StringRef File = SM.getBufferData(SM.getFileID(Loop.getBeginLoc()));
  auto FromOpen = [&](SourceLocation End) {
    unsigned Open = SM.getFileOffset(cast<ForStmt>(Loop).getLParenLoc()) + 1;
    return File.slice(Open, SM.getFileOffset(End)).trim().str();
  };
  if (!LimitName)
    return FromOpen(Parts.Cond->getBeginLoc());
  const Decl *Leading = *cast<DeclStmt>(Parts.Init)->decl_begin();
  std::optional<std::string> Declared =
      textOf({Iterator->getLocation(), Iterator->getEndLoc()});
  if (!Declared || Leading->getLocation().isMacroID())
    return std::nullopt;
  return FromOpen(Leading->getLocation()) + " " + *Declared + ";";
}

/// "m", or "m - (r)" of `j + r < m`.
std::optional<std::string> CountedLoop::limitText() const {
  std::optional<std::string> Text = operandOf(*Limit);
  const std::optional<std::string> Less =
      AheadBy ? operandOf(*AheadBy) : std::optional<std::string>("");
  if (!Text || !Less)
    return std::nullopt;
  if (!AheadBy)
    return Text;
  const bool IsName = isa<DeclRefExpr>(AheadBy->IgnoreImpCasts());
  const std::string By = IsName ? *Less : "(" + *Less + ")";
  auto *B = dyn_cast<BinaryOperator>(Limit->IgnoreImpCasts());
  return (B && B->isShiftOp() ? "(" + *Text + ")" : *Text) + " - " + By;
}

std::optional<Refusal> CountedLoop::text(RowLoop &Out) const {
  auto *For = dyn_cast<ForStmt>(&Loop);
  auto *Do = dyn_cast<DoStmt>(&Loop);
  auto Init = initText(),
       End = IsCountdown        ? std::string("0")
             : LimitIsFromFirst ? atFirst(*Limit)
                                : limitText(),
       Start = First ? operandOf(*First) : Iterator->getNameAsString(),
       Inc = IsCountdown ? "--" + Iterator->getNameAsString()
             : (For || CountsInCondition) && !InPlace
                 ? textOf(Parts.Inc->getSourceRange())
                 : "";
  const CharSourceRange Whole = rangeOf(Loop.getSourceRange());
  std::optional<SourceSpan> Body =
      spanOf(Parts.Body->getSourceRange(), Out.Span.File);
  auto IsOfMacro = [](SourceLocation L) { return L.isMacroID(); };
  const bool OfMacro =
      IsOfMacro(Loop.getBeginLoc()) || IsOfMacro(Parts.Cond->getBeginLoc()) ||
      (Parts.Init && IsOfMacro(Parts.Init->getBeginLoc())) ||
      (Do && IsOfMacro(Do->getWhileLoc())) ||
      (For &&
       (IsOfMacro(For->getLParenLoc()) || IsOfMacro(For->getRParenLoc())));
  if (OfMacro || !Init || !Start || !End || !Inc || !Body ||
      Whole.isInvalid() ||
      hasDirective(Lexer::getSourceText(Whole, Context.getSourceManager(),
                                        Context.getLangOpts())))
    return Refusal{Reason::InMacro,
                   SourceText(Context).location(Loop.getBeginLoc()),
                   "a macro or a directive in it"};
  Out.Init = *Init;
  Out.Iterator = Iterator->getNameAsString();
  Out.Start = *Start;
  Out.Limit = *End;
  Out.Reaches = Reaches;
  Out.Ahead = Ahead;
  Out.StepSize = std::abs(Step);
  Out.IsDown = Step < 0;
  Out.Step = *Inc;
  Out.Body = *Body;
  Out.Body.End =
      Do ? Context.getSourceManager().getFileOffset(Do->getWhileLoc())
         : Out.Span.End;
  Out.AtLeastOnce = Parts.AtLeastOnce;
  return std::nullopt;
}

} // namespace catt
