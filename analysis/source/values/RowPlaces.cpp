//===- RowPlaces.cpp - What a loop touches besides a row ------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/nest/Nest.h"
#include "analysis/source/syntax/Accessors.h"
#include "analysis/source/syntax/Effects.h"
#include "analysis/source/syntax/NodeParts.h"
#include "analysis/source/values/RowReads.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace catt {

/// Of a call that gives an element, whether it is another one in each
/// iteration; none if it is not known before the loop.
static std::optional<bool> movesWith(const CountedLoop &By, const CallExpr &C) {
  const Expr *Object = objectOf(C);
  if (!C.isLValue() || !givesElement(C) ||
      (Object && !By.isPlainObject(Object)))
    return std::nullopt;
  bool Moves = false;
  for (const Expr *A : argumentsOf(C)) {
    if (By.isPlain(A) || By.isPlainObject(A))
      continue;
    if (Moves || !By.isLinear(A))
      return std::nullopt;
    Moves = true;
  }
  return Moves;
}

void RowPlaces::find(const SourceText &Text) {
  auto Know = [&](const Expr &E, RowPlace Place) {
    if (std::optional<std::string> Written =
            Counted.textOf(E.getSourceRange())) {
      if (Place.Text.empty())
        Place.Text = *Written;
      const bool MovesByCall = isa<CallExpr>(E) && Place.Moves;
      Known.push_back({Text.location(E.getBeginLoc()), *Written,
                       add(std::move(Place)), MovesByCall});
    }
  };
  auto KnowMover = [&](const Expr &E, const RowElement &At) {
    Know(E, {At.textAtMover(Counted), /*Moves=*/true, /*IsMover=*/true});
  };
  forEachStmt(&Counted.body(), [&](const Stmt &S) {
    if (auto *U = dyn_cast<UnaryOperator>(&S); U && U->getOpcode() == UO_Deref)
      if (std::optional<RowElement> At = RowElement::movedOver(*U, Counted))
        return KnowMover(*U, *At);
    if (auto *C = dyn_cast<CallExpr>(&S))
      if (std::optional<bool> Moves = movesWith(Counted, *C))
        return Know(*C, {"", *Moves});
    auto *E = dyn_cast<ArraySubscriptExpr>(&S);
    if (!E || !Counted.isPlain(E->getBase()))
      return;
    if (Counted.isLinear(E->getIdx()))
      Know(*E, {"", /*Moves=*/!Counted.isPlain(E->getIdx())});
    else if (RowElement At = RowElement::of(*E, *E, Counted); At.Mover)
      KnowMover(*E, At);
  });
}

unsigned RowPlaces::add(RowPlace Place) {
  for (const auto &[I, P] : llvm::enumerate(Out.Places))
    if (P.Text == Place.Text)
      return I;
  Out.Places.push_back(std::move(Place));
  return Out.Places.size() - 1;
}

std::optional<unsigned> RowPlaces::placeOf(const Access &A) const {
  for (const KnownPlace &P : Known)
    if (P.Where == A.Where && P.Text == A.Text &&
        (!P.MovesByCall ||
         (A.Offset && bytesPerIteration(*A.Offset, Out.Loop))))
      return P.Index;
  return std::nullopt;
}

bool RowPlaces::isInLoop(const Access &A) const {
  return isInside(K, A.Loop, Out.Loop);
}

bool RowPlaces::isPassed(llvm::StringRef Base, bool Restrict) const {
  return llvm::any_of(K.Parameters, [&](const Parameter &P) {
    return P.IsPointer && P.IsFixed && P.Name == Base &&
           (P.IsRestrict || !Restrict);
  });
}

/// Whether an access is elsewhere by what the program says: no object that
/// changes is reached by a restricted parameter and by another one. What a
/// kernel is given points to global memory, also as a member of an object; a
/// pointer of which the walk does not know where it comes from has no offset.
bool RowPlaces::isElsewhere(const Access &A, const Access &Own) const {
  if (A.Space != AddressSpace::Global)
    return isPassed(Own.Base) || Own.Offset;
  return isPassed(Own.Base) &&
         (A.BaseId != Own.BaseId && A.Base != Own.Base && isPassed(A.Base) &&
          (isPassed(Own.Base, /*Restrict=*/true) ||
           isPassed(A.Base, /*Restrict=*/true)));
}

std::optional<Refusal>
RowPlaces::compare(const Access &Own, bool Same, std::vector<unsigned> &Apart,
                   llvm::function_ref<bool(const Access &)> Matters) const {
  for (const Access &A : K.Accesses) {
    if (!isInLoop(A) || !Matters(A) || isElsewhere(A, Own))
      continue;
    std::optional<unsigned> Place = placeOf(A);
    if (!Place || (!Same && A.BaseId == Own.BaseId))
      return Refusal{Reason::MayAlias, A.Where,
                     A.Text == Own.Text
                         ? "'" + A.Text + "', in another iteration"
                         : "'" + A.Text + "' and '" + Own.Text + "'"};
    if (!llvm::is_contained(Apart, *Place))
      Apart.push_back(*Place);
  }
  return std::nullopt;
}

} // namespace catt
