//===- LineWalk.cpp - The lines of one iteration of one loop level --------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The second half of LineWalk.h's picture: from formulas to lines.
//
//===----------------------------------------------------------------------===//
#include "analysis/memory/LineWalk.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <utility>

namespace catt {

/// The warp's threads, x fastest, cut where x starts again.
llvm::SmallVector<LineWalk::Row, 1> LineWalk::rows(int64_t Warp) const {
  llvm::SmallVector<Row, 1> Result;
  int64_t First = Warp * WarpLanes;
  int64_t End = std::min(First + WarpLanes, Threads);
  while (First < End) {
    int64_t X = First % BlockSize[0], Line = First / BlockSize[0];
    int64_t Count = std::min(BlockSize[0] - X, End - First);
    Result.push_back({X, Count, Line % BlockSize[1], Line / BlockSize[1]});
    First += Count;
  }
  return Result;
}

/// Takes strided boxes of bytes apart into intervals of lines.
struct LineWalk::Emission {
  LineSet &To;
  int64_t Granularity;
  uint32_t Base = 0;
  int64_t SizeBytes = 0;
  llvm::SmallVector<Strided, 8> Boxes; ///< by ascending |Stride| when emitted
  size_t Compact = 1 << 16;            ///< intervals that call for merging
  uint64_t Spent = 0;                  ///< operations

  void box(int64_t Begin) {
    int64_t Last = SizeBytes - 1;
    unsigned Next = 0;
    for (; Next != Boxes.size(); ++Next) {
      const Strided &S = Boxes[Next];
      if (std::abs(S.Stride) - Last > Granularity && S.Count > 1)
        break;
      if (S.Stride < 0)
        Begin += S.Stride * (S.Count - 1);
      Last += std::abs(S.Stride) * (S.Count - 1);
    }
    copies(Next, Begin, Last);
  }

  void copies(unsigned Next, int64_t Begin, int64_t Last) {
    if (Next + 1 < Boxes.size()) {
      for (int64_t I = 0; I != Boxes[Next].Count; ++I)
        copies(Next + 1, Begin + I * Boxes[Next].Stride, Last);
      return;
    }
    Strided Along = {0, 1};
    if (Next != Boxes.size())
      Along = Boxes[Next];
    Spent += 4 * Along.Count;
    // Right shifts round down, also below zero.
    unsigned Shift = llvm::Log2_64(Granularity);
    for (int64_t I = 0; I != Along.Count; ++I, Begin += Along.Stride)
      To.add({Base, Begin >> Shift, (Begin + Last) >> Shift});
    if (To.intervals().size() > Compact) {
      To.normalize();
      Compact = std::max<size_t>(Compact, 2 * To.intervals().size());
    }
  }
};
static_assert(LineBytes == 1 << 7 && SectorBytes == 1 << 5);

bool LineWalk::isIn(const Reference &R, Which Subset) {
  switch (Subset) {
  case Which::All:
    return true;
  case Which::Shared:
    return !R.Irregular && R.Shared;
  case Which::Regular:
    return !R.Irregular;
  case Which::Moving:
    return !R.Irregular && R.Moving;
  case Which::Still:
    return !R.Irregular && !R.Moving;
  }
  return false;
}

/// Rows, slots and boxes of one warp, before anything is listed; and one
/// question to isl, of some milliseconds.
static constexpr uint64_t OperationsPerWarp = 16, OperationsPerHull = 200000;

llvm::Error LineWalk::add(LineSet &To, WarpRange Warps, int64_t Iteration,
                          int64_t Granularity, Which Subset) {
  SlotValues V{};
  V[SlotOfLoop.at(Level)] = Iteration;
  // Reference by reference, so that what is added tends to be in order.
  for (const Reference &R : References) {
    if (!isIn(R, Subset))
      continue;
    if (isOutOfQuota())
      return llvm::Error::success();
    Emission Out{
        To, Granularity, baseOf(R, Iteration), R.Source->SizeBytes, {}};
    for (int64_t W = Warps.First; W != Warps.End; ++W) {
      Options.spend(std::exchange(Out.Spent, 0) + OperationsPerWarp);
      if (isOutOfQuota())
        return llvm::Error::success();
      if (R.Irregular)
        addIrregular(R, W, V, Out);
      else if (!R.ByHull)
        for (const Row &At : rows(W))
          walk(R, At, V, Out);
      else
        for (const Row &At : rows(W))
          if (llvm::Error E = addByHull(R, Iteration, At, Out))
            return E;
    }
    Options.spend(Out.Spent);
  }
  return llvm::Error::success();
}

/// True once the quota is spent: then the level stays uncounted.
bool LineWalk::isOutOfQuota() {
  if (Options.isSpent() && !Unknown)
    Unknown = Refusal{Reason::TooComplex, K.Loops[Level].Where,
                      K.Loops[Level].Header};
  return Options.isSpent();
}

/// The n-th line of a base of its own for the n-th warp, if a thread is active.
void LineWalk::addIrregular(const Reference &R, int64_t Warp, SlotValues &V,
                            Emission &Out) const {
  LineSet Any;
  Emission Probe{Any, LineBytes, 0, 1, {}};
  for (const Row &At : rows(Warp))
    walk(R, At, V, Probe);
  Out.SizeBytes = LineBytes;
  Out.Boxes.clear();
  if (!Any.intervals().empty())
    Out.box(Warp * LineBytes);
}

static bool hold(const std::vector<Formula> &Guards, const int64_t *V) {
  return llvm::all_of(Guards, [V](const Formula &G) { return G(V) >= 0; });
}

/// One row by walking.
void LineWalk::walk(const Reference &R, const Row &At, SlotValues &V,
                    Emission &Out) const {
  V[1] = At.Y;
  V[2] = At.Z;
  if (!hold(R.Guards, V.data()))
    return;
  Out.Boxes.assign(R.Order.size(), {});
  for (auto [Box, Dim] : llvm::zip_equal(Out.Boxes, R.Order))
    Box.Stride = R.Dims[Dim].Stride;
  walkFrom(R, 0, At, V, Out);
}

/// Gives values to the dimensions from Depth on, and emits at the end.
void LineWalk::walkFrom(const Reference &R, unsigned Depth, const Row &At,
                        SlotValues &V, Emission &Out) const {
  if (Depth == R.Dims.size()) {
    Out.Spent += R.OffsetCost;
    return Out.box(R.Offset(V.data()));
  }
  const Dimension &D = R.Dims[Depth];
  bool Lanes = D.Slot == 0;
  int64_t Begin = Lanes ? At.X : 0;
  int64_t Count = Lanes ? At.Count : D.Trip(V.data());
  if (Count <= 0)
    return;
  if (D.Boxed) {
    V[D.Slot] = Begin;
    Out.Boxes[D.Place].Count = Count;
    return walkFrom(R, Depth + 1, At, V, Out);
  }
  Out.Spent += Count * D.GuardCost;
  for (int64_t I = Begin; I != Begin + Count; ++I) {
    V[D.Slot] = I;
    if (hold(D.Guards, V.data()))
      walkFrom(R, Depth + 1, At, V, Out);
  }
}

/// Copies of a sparse hull that are listed for one row; beyond, the level is
/// too complex. Four times the lines of the largest L1 there is (256 KiB).
static constexpr int64_t MostCopies = 8192;

/// One row by isl. A row's threads are part of the set that isl sees only if
/// they cannot be boxed; otherwise the hull of one thread is repeated.
llvm::Error LineWalk::addByHull(const Reference &R, int64_t Iteration,
                                const Row &At, Emission &Out) {
  if (Unknown)
    return llvm::Error::success();
  Out.Spent += OperationsPerHull;
  LineHullQuery Query;
  Query.Offset = R.OffsetIndex;
  Query.SizeBytes = R.Source->SizeBytes;
  Query.Slots = Ranges.size();
  Query.Ranges = Ranges;
  const Dimension &Lanes =
      *llvm::find_if(R.Dims, [](const Dimension &D) { return D.Slot == 0; });
  int64_t LastX = Lanes.Boxed ? At.X : At.X + At.Count - 1;
  Query.Ranges[0] = {At.X, LastX};
  Query.Ranges[1] = {At.Y, At.Y};
  Query.Ranges[2] = {At.Z, At.Z};
  Query.Ranges[SlotOfLoop.at(Level)] = {Iteration, Iteration};
  Query.Trips = R.TripIndices;
  Query.Guards = R.GuardIndices;
  auto SlotOf = [this](const Atom &A) { return slotOf(A); };
  Query.SlotOf = SlotOf;
  Query.IslOperations = Options.IslOperations;

  llvm::Expected<std::optional<LineHull>> Hull = lineHull(Query);
  if (!Hull)
    return Hull.takeError();
  bool Sparse = *Hull && (*Hull)->Stride - R.Source->SizeBytes + 1 > LineBytes;
  if (!*Hull || (Sparse && (*Hull)->Count > MostCopies)) {
    Unknown = refusal(Reason::TooComplex, *R.Source, R.Source->Text);
    return llvm::Error::success();
  }
  if ((*Hull)->Count == 0)
    return llvm::Error::success();
  if (!(*Hull)->Exact)
    From = Origin::Estimated;
  Out.Boxes = {{(*Hull)->Stride, (*Hull)->Count}};
  if (Lanes.Boxed)
    Out.Boxes.push_back({Lanes.Stride, At.Count});
  llvm::sort(Out.Boxes, [](const Strided &A, const Strided &B) {
    return std::abs(A.Stride) < std::abs(B.Stride);
  });
  Out.box((*Hull)->Lo);
  return llvm::Error::success();
}

} // namespace catt
