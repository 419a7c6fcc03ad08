//===- Rows.cpp - Rows in tiles, for people -------------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Rows.h"
#include "analysis/plan/stage/StagePlan.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace catt {
namespace {

/// How one row of a loop lies in memory, and what one access of a warp takes.
struct RowLayout {
  const RowRead &Row;
  std::optional<int64_t> LaneStrideBytes; ///< to the row of the next lane
  int64_t Columns;                        ///< of a tile
  int64_t rowsAtOnce() const { return WarpLanes / Columns; }
  int64_t bytesOfRow() const { return Columns * Row.ElementBytes; }
  StringRef verb() const { return Row.IsRead ? "load" : "store"; }
};

/// The row that the plan without tiles names, else the first one.
RowLayout layoutOf(const Snapshot &S, const KernelReport &K,
                   const LoopVersion &V) {
  const RowLoop &Rows = K.Source.RowLoops[V.Rows];
  const KernelReport *Alone = withoutTiles(S, K);
  // Of rows that stay, one is loaded at a time.
  const int64_t Columns =
      Rows.Reads[V.Reads.front()].Walk ? int64_t(WarpLanes) : V.Columns;
  if (Alone)
    for (const LoopPlan &P : Alone->Plan.Loops)
      for (unsigned R : V.Reads)
        if (P.Loop == walkerOf(Rows, Rows.Reads[R]) &&
            P.Reference == Rows.Reads[R].Text)
          return {Rows.Reads[R], P.LaneStrideBytes, Columns};
  return {Rows.Reads[V.Reads.front()], std::nullopt, Columns};
}

/// Lines of one access as the loop is written: rows are a line or more apart,
/// as far as is known.
std::string linesNow(const RowLayout &L) {
  return (L.LaneStrideBytes ? "" : "up to ") + counted(WarpLanes, "line");
}

/// Lines of one access to a tile; rows that begin inside a line have one more.
std::string linesTogether(const RowLayout &L) {
  const int64_t Lines =
      L.rowsAtOnce() * divideCeil(L.bytesOfRow(), uint64_t(LineBytes));
  if (L.LaneStrideBytes && *L.LaneStrideBytes % L.bytesOfRow() == 0)
    return counted(Lines, "line");
  return std::to_string(Lines) + (L.rowsAtOnce() == 1 ? " or " : " to ") +
         counted(Lines + L.rowsAtOnce(), "line");
}

std::string headline(const RowLayout &L) {
  std::string Text = L.Row.Text + ": " + counted(L.Row.ElementBytes, "byte");
  Text += " each, ";
  Text += L.LaneStrideBytes
              ? formatv("lanes {0:N} bytes apart", std::abs(*L.LaneStrideBytes))
                    .str()
              : "a row for each lane";
  return Text + "; # is one " + L.verb().str();
}

} // namespace

const KernelReport *withoutTiles(const Snapshot &S, const KernelReport &K) {
  for (const KernelReport &Each : S.Result.WithoutTiles)
    if (Each.Source.Where == K.Source.Where &&
        Each.Source.Name == K.Source.Name)
      return &Each;
  return nullptr;
}

const LoopVersion *tiledVersion(const KernelReport &K, unsigned Loop) {
  for (const LoopVersion &V : K.Plan.Versions)
    if (!V.Reads.empty() && K.Source.RowLoops[V.Rows].Loop == Loop)
      return &V;
  return nullptr;
}

std::string linesText(const Snapshot &S, const KernelReport &K,
                      const LoopVersion &V) {
  const RowLayout L = layoutOf(S, K, V);
  StringRef Now = L.LaneStrideBytes ? "" : "up to ";
  return formatv("{0} per {1} instead of {2}{3}", linesTogether(L), L.verb(),
                 Now, WarpLanes)
      .str();
}

std::string rowsPicture(const Snapshot &S, const KernelReport &K,
                        const LoopVersion &V) {
  const RowLayout L = layoutOf(S, K, V);
  const std::string Now = "as written: " + linesNow(L),
                    Together = "rows together: " + linesTogether(L);
  const size_t Cells = std::max(LineBytes / L.Row.ElementBytes, L.Columns);
  auto Row = [&](StringRef Name, StringRef Left, StringRef Right) {
    return formatv("{0,-9}{1}   {2}\n", Name,
                   left_justify(Left, std::max(Cells, Now.size())), Right)
        .str();
  };
  auto Lane = [&](int64_t I) {
    std::string One(Cells, '.'), Tile(Cells, '.');
    One[0] = '#';
    if (I < L.rowsAtOnce())
      Tile.replace(0, L.Columns, L.Columns, '#');
    return Row(formatv("lane {0,2}", I).str(), One, Tile);
  };
  std::string Text =
      headline(L) + "\n" + Row("", Now, Together) + Lane(0) + Lane(1) +
      " ...\n" + Lane(WarpLanes - 1) +
      formatv("         {0} bytes of each row; a cache line has {1}\n",
              Cells * L.Row.ElementBytes, LineBytes)
          .str();
  if (V.Reads.size() > 1)
    Text += "         of " + counted(V.Reads.size(), "row") +
            " in tiles, this is one\n";
  return Text;
}

} // namespace catt
