//===- RowReads.cpp - The rows that a loop loads --------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/values/RowReads.h"
#include "analysis/nest/Nest.h"
#include "analysis/source/safety/KnownFunctions.h"
#include "analysis/source/syntax/Accessors.h"
#include "analysis/source/syntax/Effects.h"
#include "analysis/source/syntax/NodeParts.h"
#include "analysis/source/values/RowArguments.h"
#include "analysis/source/values/TileBodies.h"
#include "clang/AST/Attr.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace catt {

static constexpr int64_t NarrowTile = 32;    ///< bytes, the least of StagePlan
static constexpr int64_t MostStepBytes = 64; ///< from iteration to iteration

const Access *RowReads::accessOf(const Expr &E, const std::string &Written,
                                 unsigned Loop, bool Reads, bool Writes) const {
  Location At = Text.location(E.getBeginLoc());
  auto Found = llvm::find_if(K.Accesses, [&](const Access &A) {
    return A.Where == At && A.Text == Written && A.Reads == Reads &&
           A.Writes == Writes && isInside(K, A.Loop, Loop) &&
           A.Space == AddressSpace::Global;
  });
  return Found == K.Accesses.end() ? nullptr : &*Found;
}

/// What is loaded there: an element or a member of one, or an object that is
/// copied; null if nothing is.
static const Expr *loadedBy(const Stmt &S) {
  if (auto *C = dyn_cast<CXXOperatorCallExpr>(&S))
    return isTrivialAssignment(*C) ? C->getArg(1)->IgnoreParenImpCasts()
                                   : nullptr;
  return loadedOrCopied(S);
}

static std::vector<const Expr *> placesReadBy(const Stmt &S) {
  auto *C = dyn_cast<CallExpr>(&S);
  return C ? placesLoadedBy(*C) : std::vector<const Expr *>();
}

/// What it is all or a member of; null if that is not known.
static const Expr *wholeOf(const Expr *E) {
  while (auto *M = dyn_cast_or_null<MemberExpr>(E)) {
    if (M->isArrow() || !isa<FieldDecl>(M->getMemberDecl()) ||
        M->getMemberDecl()->getType()->isReferenceType())
      return nullptr;
    E = M->getBase()->IgnoreParenImpCasts();
  }
  return E;
}

/// `const float &v = A[i];`
void RowReads::findReferences(const Stmt &Body) {
  llvm::DenseMap<const VarDecl *, int> Others; // than loads
  forEachStmt(&Body, [&](const Stmt &S) {
    if (const VarDecl *V = namedVariable(&S))
      ++Others[V];
    if (const Expr *Loaded = wholeOf(loadedBy(S)))
      if (const VarDecl *V = namedVariable(Loaded))
        --Others[V];
    for (const Expr *E : placesReadBy(S))
      if (const VarDecl *V = namedVariable(wholeOf(E)))
        --Others[V];
    auto *D = dyn_cast<DeclStmt>(&S);
    auto *V = D && D->isSingleDecl() ? dyn_cast<VarDecl>(D->getSingleDecl())
                                     : nullptr;
    if (V && V->getType()->isLValueReferenceType() && V->hasInit())
      if (auto *E = dyn_cast<ArraySubscriptExpr>(V->getInit()->IgnoreParens()))
        References[V] = E;
  });
  for (const auto &[V, Count] : Others)
    if (Count)
      References.erase(V);
}

/// p of `p` and of `p++`, if it moves with the loop behind what is evaluated.
static const VarDecl *moverOf(const Expr *E, const Expr &Before,
                              const CountedLoop &By) {
  E = E->IgnoreParenImpCasts();
  auto *U = dyn_cast<UnaryOperator>(E);
  const VarDecl *V =
      variableRead(U && U->getOpcode() == UO_PostInc ? U->getSubExpr() : E);
  return V && By.moves(*V, Before) ? V : nullptr;
}

RowElement RowElement::of(const ArraySubscriptExpr &E, const Expr &Touched,
                          const CountedLoop &By) {
  const VarDecl *Mover = moverOf(E.getIdx(), E, By);
  return {E.getBase(),
          E.getIdx(),
          &E,
          &Touched,
          &E,
          Mover,
          Mover && isa<UnaryOperator>(E.getIdx()->IgnoreParenImpCasts())};
}

std::optional<RowElement> RowElement::movedOver(const UnaryOperator &E,
                                                const CountedLoop &By) {
  const Expr *At = E.getSubExpr();
  const VarDecl *Mover = moverOf(At, E, By);
  if (!Mover)
    return std::nullopt;
  return RowElement{nullptr,
                    At,
                    &E,
                    &E,
                    &E,
                    Mover,
                    isa<UnaryOperator>(At->IgnoreParenImpCasts())};
}

std::string RowElement::textAtMover(const CountedLoop &By) const {
  const std::string Name = Mover->getNameAsString();
  return Base ? By.nameOf(*Base) + "[" + Name + "]" : "*" + Name;
}

/// `&A[i]` or `A + i`, whose element Place is.
static std::optional<RowElement> elementAt(const Expr *Address,
                                           const Expr &Place) {
  Address = Address->IgnoreParenImpCasts();
  if (auto *U = dyn_cast<UnaryOperator>(Address);
      U && U->getOpcode() == UO_AddrOf)
    if (auto *E = dyn_cast<ArraySubscriptExpr>(U->getSubExpr()->IgnoreParens()))
      return RowElement{E->getBase(), E->getIdx(), &Place, &Place, E};
  if (auto *B = dyn_cast<BinaryOperator>(Address);
      B && B->getOpcode() == BO_Add &&
      B->getLHS()->getType()->isAnyPointerType())
    return RowElement{B->getLHS(), B->getRHS(), &Place, &Place, nullptr};
  return std::nullopt;
}

/// The argument of a call that leads to an element which alone the loop
/// changes; null if there is no such one.
static const Expr *changingArgument(const CallExpr &C, bool GivesElement,
                                    const CountedLoop &By) {
  const FunctionDecl *Callee = C.getDirectCallee();
  const Expr *Object = objectOf(C), *Index = nullptr;
  if (!Callee || !(GivesElement ? givesElement(C) : isIndexFunction(*Callee)) ||
      (Object && !By.isPlainObject(Object)))
    return nullptr;
  for (const Expr *A : argumentsOf(C)) {
    if (By.isPlain(A) || By.isPlainObject(A))
      continue;
    if (Index)
      return nullptr;
    Index = A;
  }
  return Index;
}

/// What a statement loads, if that is an element of an array or a part of one.
std::optional<RowElement>
RowReads::elementLoadedBy(const Stmt &S, const CountedLoop &By) const {
  if (auto *C = dyn_cast<CallExpr>(&S); C && !isTrivialAssignment(*C)) {
    const FunctionDecl *Callee = C->getDirectCallee();
    if (Callee && loadsElement(*Callee))
      return RowElement{nullptr, C, C, C, C};
    return Callee && C->getNumArgs() == 1 &&
                   knownFunction(*Callee) == Known::ReadOnlyLoad
               ? elementAt(C->getArg(0), *C)
               : std::nullopt;
  }
  return elementIn(loadedBy(S), By);
}

/// An element of an array, or a part of one; Touched may be null.
std::optional<RowElement> RowReads::elementIn(const Expr *Touched,
                                              const CountedLoop &By) const {
  if (auto *U = dyn_cast_or_null<UnaryOperator>(Touched);
      U && U->getOpcode() == UO_Deref) {
    if (By.isByPointer() && By.strideOf(U->getSubExpr())) // *p
      return RowElement{nullptr, U->getSubExpr(), U, U, U};
    std::optional<RowElement> Moved = RowElement::movedOver(*U, By);
    return Moved ? Moved : elementAt(U->getSubExpr(), *U);
  }
  if (auto *C = dyn_cast_or_null<CallExpr>(Touched))
    return RowElement{nullptr, C, C, C, C};
  const Expr *Whole = wholeOf(Touched);
  const ArraySubscriptExpr *E = dyn_cast_or_null<ArraySubscriptExpr>(Whole);
  if (!E)
    E = References.lookup(namedVariable(Whole));
  return E ? std::optional(RowElement::of(*E, *Touched, By)) : std::nullopt;
}

template <class F>
void RowReads::forEachLoad(const Stmt &S, const RowWalker &Walker,
                           F Visit) const {
  auto Load = [&](const std::optional<RowElement> &E) {
    if (std::optional<RowLoad> L = E ? loadOf(*E, Walker) : std::nullopt)
      Visit(std::move(*L));
  };
  Load(elementLoadedBy(S, Walker.By));
  for (const Expr *Touched : placesReadBy(S))
    Load(elementIn(Touched, Walker.By));
}

/// "A[i * m + j]"
std::optional<std::string> RowReads::textOf(const RowElement &E,
                                            const CountedLoop &By) const {
  if (E.Mover)
    return E.textAtMover(By);
  auto *Call = dyn_cast_or_null<CallExpr>(E.Whole);
  if (Call && Call->isPRValue())
    return elementText(*Call, F, [&](const Expr &Of) {
      return By.textOf(Of.getSourceRange());
    });
  if (E.Whole)
    return By.textOf(E.Whole->getSourceRange());
  std::optional<std::string> Base = By.textOf(E.Base->getSourceRange()),
                             Index = By.textOf(E.Index->getSourceRange());
  if (!Base || !Index)
    return std::nullopt;
  return (variableRead(E.Base) ? *Base : "(" + *Base + ")") + "[" + *Index +
         "]";
}

int64_t bytesPerIteration(const AffineIndex &Offset, unsigned Loop) {
  AffineIndex Next =
      Offset.substitute([&](const Atom &A) -> std::optional<AffineIndex> {
        if (A.K != Atom::Kind::Iterator || A.Id != Loop)
          return std::nullopt;
        return AffineIndex::iterator(A.Id) + AffineIndex(1);
      });
  return (Next - Offset).constant().value_or(0);
}

/// As far as the walk through a function that leads to the element has told.
static bool growsBy(int64_t Bytes, const Access &A, const RowWalker &Walker) {
  return A.Offset && bytesPerIteration(*A.Offset, Walker.Loop) == Bytes;
}

/// What a row is called beside its index.
static std::string rowName(const RowElement &E, const CallExpr *Through,
                           const Expr *Index, const CountedLoop &By) {
  std::string Out = E.Base ? By.nameOf(*E.Base) : "";
  if (E.Mover)
    Out += " " + E.Mover->getNameAsString();
  if (!Through)
    return Out;
  Out += " " + Through->getDirectCallee()->getQualifiedNameAsString();
  for (const Expr *A : Through->arguments())
    Out += A == Index ? ", " : ", " + By.nameOf(*A);
  return Out;
}

std::optional<RowLoad> RowReads::loadOf(const RowElement &E,
                                        const RowWalker &Walker, bool Reads,
                                        bool Writes) const {
  const CountedLoop &By = Walker.By;
  std::optional<std::string> Type = numberOf(*E.Place),
                             Whole = By.textOf(E.Touched->getSourceRange()),
                             Written = textOf(E, By);
  if (!Type)
    Type = objectOf(*E.Place);
  std::optional<SourceSpan> Place =
      By.spanOf(E.Place->getSourceRange(), Out.Span.File);
  if (!Type || !Whole || !Place || !Written || (E.Base && !By.isPlain(E.Base)))
    return std::nullopt;
  const QualType T = E.Place->getType();
  const unsigned Bytes = Context.getTypeSizeInChars(T).getQuantity(),
                 Alignment = Context.getTypeAlignInChars(T).getQuantity();
  auto *Through = dyn_cast<CallExpr>(E.Index->IgnoreParenImpCasts());
  const Expr *Moving =
      Through ? changingArgument(*Through, /*GivesElement=*/!E.Base, By)
              : E.Index;
  std::optional<RowIndex> Index = E.Mover  ? RowIndex()
                                  : Moving ? By.rowIndex(Moving)
                                           : std::nullopt;
  const Access *A =
      Index ? accessOf(*E.Touched, *Whole, Walker.Loop, Reads, Writes)
            : nullptr;
  if (!A || !A->ThroughL1)
    return std::nullopt;
  const int64_t StepBytes = Walker.StepSize * Index->Stride * Bytes;
  const bool LeavesOut =
      Index->Stride > 1 && (Writes || Walker.Inside || Out.IsDown);
  // A tile of a loop that counts down begins with the last iteration, or, of
  // rows that go upwards all the same, with the first.
  const bool IsOtherWay = Out.IsDown && ByMovers != (E.Mover != nullptr);
  if (LeavesOut || IsOtherWay || StepBytes > MostStepBytes ||
      ((Through || !E.Base || E.Mover) && !growsBy(StepBytes, *A, Walker)))
    return std::nullopt;
  return RowLoad{A,
                 *Type,
                 *Written,
                 rowName(E, Through, Moving, By),
                 Bytes,
                 Alignment,
                 *Place,
                 *Index,
                 E.Mover ? E.Mover->getNameAsString() : "",
                 E.MovesInPlace,
                 namedVariable(wholeOf(E.Touched)) != nullptr,
                 /*OnBothSides=*/false};
}

/// Elements behind the first one of a tile of the narrowest kind, so that
/// enough of it is left for the first elements of iterations.
static int64_t mostHalo(int64_t StepSize, unsigned ElementBytes) {
  return StepSize > 1 ? NarrowTile / ElementBytes - 1
                      : NarrowTile / 2 / ElementBytes;
}

/// What follows if the condition holds, and what if not; null: nothing does.
static std::pair<const Stmt *, const Stmt *> sidesOf(const Stmt &S) {
  if (auto *I = dyn_cast<IfStmt>(&S))
    return {I->getThen(), I->getElse()};
  if (auto *C = dyn_cast<ConditionalOperator>(&S))
    return {C->getTrueExpr(), C->getFalseExpr()};
  return {};
}

/// Of a statement that is run: what it loads whichever side of a branch it
/// takes.
void RowReads::addLoads(const Stmt *S, const RowWalker &Walker,
                        std::vector<RowLoad> &Out) const {
  forEachAlways(
      S,
      [&](const Stmt &Each) {
        forEachLoad(Each, Walker,
                    [&](RowLoad L) { Out.push_back(std::move(L)); });
        const auto [Then, Else] = sidesOf(Each);
        if (!Then || !Else)
          return;
        std::vector<RowLoad> Left, Right;
        addLoads(Then, Walker, Left);
        addLoads(Else, Walker, Right);
        for (RowLoad &L : Left) {
          L.OnBothSides = llvm::any_of(Right, [&](const RowLoad &R) {
            return L.isRowOf(R) && L.Index.Offset == R.Index.Offset;
          });
          if (L.OnBothSides)
            Out.push_back(std::move(L));
        }
      },
      &Context);
}

void RowReads::find(const Stmt &Body, const RowWalker &Walker) {
  findReferences(Body);
  forEachStmt(&Body, [&](const Stmt &S) {
    auto *U = dyn_cast<UnaryOperator>(&S);
    auto *A = dyn_cast<ArraySubscriptExpr>(&S);
    ByMovers |= (U && U->getOpcode() == UO_Deref &&
                 RowElement::movedOver(*U, Walker.By)) ||
                (A && RowElement::of(*A, *A, Walker.By).Mover);
  });
  std::vector<RowLoad> Loads, Sorted;
  addLoads(&Body, Walker, Loads);
  unsigned Widest = 4;
  for (const RowLoad &L : Loads)
    Widest = std::max(Widest, L.Bytes);
  Sorted = Loads;
  llvm::stable_sort(Sorted, [](const RowLoad &L, const RowLoad &R) {
    return L.Index.Offset < R.Index.Offset;
  });
  // In the order of the text.
  for (const RowLoad &L : Loads)
    while (llvm::none_of(Out.Reads,
                         [&](const RowRead &R) { return holds(R, L, Walker); }))
      addRow(L, Sorted, Walker,
             mostHalo(Walker.StepSize * L.Index.Stride, Widest));
  forEachStmt(&Body, [&](const Stmt &S) {
    forEachLoad(S, Walker, [&](const RowLoad &L) { addPlace(L, Walker); });
  });
}

/// Whether an iteration that fetches what belongs to a read has the element.
bool RowReads::holds(const RowRead &R, const RowLoad &L,
                     const RowWalker &W) const {
  const RowLoad &First = firstOf(R);
  int64_t Behind = L.Index.Offset - First.Index.Offset;
  return R.Walk == W.Inside && First.isRowOf(L) && Behind >= 0 &&
         Behind <= R.Halo;
}

RowRead &RowReads::add(const RowLoad &First, const RowWalker &Walker) {
  RowRead R;
  R.Walk = Walker.Inside;
  R.Access = indexOf(First);
  R.Text = First.Text;
  R.Mover = First.Mover;
  R.OnBothSides = First.OnBothSides;
  R.Type = First.Type;
  R.Stride = First.Index.Stride;
  R.ElementBytes = First.Bytes;
  R.Alignment = First.Alignment;
  Out.Reads.push_back(std::move(R));
  Firsts.push_back(First);
  return Out.Reads.back();
}

/// The next loads of a row that have no tile yet, as far as one tile goes.
void RowReads::addRow(const RowLoad &Of, llvm::ArrayRef<RowLoad> Sorted,
                      const RowWalker &Walker, int64_t MostHalo) {
  unsigned Halo = 0;
  const RowLoad *First = nullptr;
  for (const RowLoad &L : Sorted) {
    if (!L.isRowOf(Of) || llvm::any_of(Out.Reads, [&](const RowRead &Known) {
          return holds(Known, L, Walker);
        }))
      continue;
    First = First ? First : &L;
    int64_t Behind = L.Index.Offset - First->Index.Offset;
    if (Behind > MostHalo)
      break;
    Halo = Behind;
  }
  RowRead &R = add(*First, Walker);
  R.Halo = Halo;
  R.Why = Places.compare(*First->A, /*Same=*/false, R.Apart,
                         [](const Access &Other) { return Other.Writes; });
}

/// A place whose element is in a tile, whether every iteration comes to it or
/// not.
void RowReads::addPlace(const RowLoad &L, const RowWalker &Walker) {
  for (RowRead &R : Out.Reads) {
    if (!holds(R, L, Walker))
      continue;
    R.Own.push_back(indexOf(L));
    R.MovesInPlaces |= L.MovesInPlace;
    if (L.ByReference)
      Referenced.insert(&R - Out.Reads.data());
    // The place of a reference stands before what loads it.
    auto At = llvm::find_if(R.Places, [&](const SourceSpan &Place) {
      return Place.Begin >= L.Place.Begin;
    });
    if (At != R.Places.end() && At->Begin == L.Place.Begin)
      return;
    R.Offsets.insert(R.Offsets.begin() + (At - R.Places.begin()),
                     L.Index.Offset - firstOf(R).Index.Offset);
    R.Places.insert(At, L.Place);
    return;
  }
}

} // namespace catt
