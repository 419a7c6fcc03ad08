//===- RowReads.cpp - The rows that a loop loads --------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/values/RowReads.h"
#include "analysis/source/syntax/NodeParts.h"
#include "analysis/source/values/TileBodies.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace catt {

static constexpr int64_t NarrowTile = 32;    ///< bytes, the least of StagePlan
static constexpr int64_t MostStepBytes = 64; ///< from iteration to iteration

std::optional<std::string>
RowReads::numberOf(const ArraySubscriptExpr &E) const {
  auto *Number = E.getType()->getAs<BuiltinType>();
  if (!Number || !Number->isArithmeticType() ||
      E.getType().isVolatileQualified())
    return std::nullopt;
  return E.getType().getCanonicalType().getUnqualifiedType().getAsString(
      Context.getPrintingPolicy());
}

const Access *RowReads::accessOf(const ArraySubscriptExpr &E,
                                 const std::string &Written, unsigned Loop,
                                 bool Reads, bool Writes) const {
  Location At = Text.location(E.getBeginLoc());
  auto Found = llvm::find_if(K.Accesses, [&](const Access &A) {
    return A.Where == At && A.Text == Written && A.Reads == Reads &&
           A.Writes == Writes && A.Loop == Loop &&
           A.Space == AddressSpace::Global;
  });
  return Found == K.Accesses.end() ? nullptr : &*Found;
}

/// The element that is loaded there; null if none is.
static const ArraySubscriptExpr *loadedBy(const Stmt &S) {
  auto *C = dyn_cast<CastExpr>(&S);
  return C && C->getCastKind() == CK_LValueToRValue
             ? dyn_cast<ArraySubscriptExpr>(C->getSubExpr()->IgnoreParens())
             : nullptr;
}

std::optional<RowLoad> RowReads::loadOf(const ArraySubscriptExpr &E,
                                        const RowWalker &Walker, bool Reads,
                                        bool Writes) const {
  const CountedLoop &By = Walker.By;
  std::optional<std::string> Type = numberOf(E);
  std::optional<SourceSpan> Place =
      By.spanOf(E.getSourceRange(), Out.Span.File);
  std::optional<std::string> Written = By.textOf(E.getSourceRange());
  std::optional<std::string> Base = By.textOf(E.getBase()->getSourceRange());
  if (!Type || !Place || !Written || !Base || !By.isPlain(E.getBase()))
    return std::nullopt;
  std::optional<RowIndex> Index = By.rowIndex(E.getIdx());
  const Access *A =
      Index ? accessOf(E, *Written, Walker.Loop, Reads, Writes) : nullptr;
  if (!A || !A->ThroughL1 || (A->SizeBytes != 4 && A->SizeBytes != 8) ||
      Walker.StepSize * A->SizeBytes > MostStepBytes)
    return std::nullopt;
  return RowLoad{A, *Type, *Written, *Base, *Place, *Index};
}

/// Elements behind the first one of a tile of the narrowest kind, so that
/// enough of it is left for the first elements of iterations.
static int64_t mostHalo(const RowWalker &Walker, unsigned ElementBytes) {
  return Walker.StepSize > 1 ? NarrowTile / ElementBytes - 1
                             : NarrowTile / 2 / ElementBytes;
}

void RowReads::find(const Stmt &Body, const RowWalker &Walker) {
  std::vector<RowLoad> Loads, Sorted;
  forEachAlways(&Body, [&](const Stmt &S) {
    if (const ArraySubscriptExpr *E = loadedBy(S))
      if (std::optional<RowLoad> L = loadOf(*E, Walker))
        Loads.push_back(std::move(*L));
  });
  unsigned Widest = 4;
  for (const RowLoad &L : Loads)
    Widest = std::max(Widest, L.A->SizeBytes);
  Sorted = Loads;
  llvm::stable_sort(Sorted, [](const RowLoad &L, const RowLoad &R) {
    return L.Index.Offset < R.Index.Offset;
  });
  // In the order of the text.
  for (const RowLoad &L : Loads)
    while (llvm::none_of(Out.Reads,
                         [&](const RowRead &R) { return holds(R, L, Walker); }))
      addRow(L, Sorted, Walker, mostHalo(Walker, Widest));
  forEachStmt(&Body, [&](const Stmt &S) {
    if (const ArraySubscriptExpr *E = loadedBy(S))
      if (std::optional<RowLoad> L = loadOf(*E, Walker))
        addPlace(*L, Walker);
  });
}

/// Whether an iteration that fetches what belongs to a read has the element.
bool RowReads::holds(const RowRead &R, const RowLoad &L,
                     const RowWalker &W) const {
  const RowLoad &First = rowOf(R).First;
  int64_t Behind = L.Index.Offset - First.Index.Offset;
  return R.Walk == W.Inside && First.isRowOf(L) && Behind >= 0 &&
         Behind <= R.Halo;
}

RowRead &RowReads::add(const RowLoad &First, const RowWalker &Walker) {
  RowRead R;
  R.Walk = Walker.Inside;
  R.Access = size_t(First.A - K.Accesses.data());
  R.Text = First.Text;
  R.Type = First.Type;
  R.ElementBytes = First.A->SizeBytes;
  Out.Reads.push_back(std::move(R));
  Rows.push_back({First, {}});
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
    R.Places.push_back(L.Place);
    Row &Of = rowOf(R);
    R.Offsets.push_back(L.Index.Offset - Of.First.Index.Offset);
    Of.Own.push_back(L.A);
    if (L.Text != R.Text && !llvm::is_contained(R.Others, L.Text))
      R.Others.push_back(L.Text);
    return;
  }
}

} // namespace catt
