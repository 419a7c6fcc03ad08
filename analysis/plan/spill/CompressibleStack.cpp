//===- CompressibleStack.cpp - Frames that shrink for calls -----*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/spill/CompressibleStack.h"
#include "llvm/ADT/Sequence.h"
#include <limits>

namespace catt {

std::vector<CallInFrame> callsInFrame(const SlotFunction &F,
                                      const Slots &Frame) {
  std::vector<CallInFrame> Out;
  for (const SlotCall &C : F.Calls)
    Out.push_back({liveWords(F, Frame, C.Point), 0, C.Times});
  return Out;
}

std::vector<std::vector<int64_t>>
movementCosts(llvm::ArrayRef<CallInFrame> Calls, unsigned SlotCount) {
  std::vector<std::vector<int64_t>> W(SlotCount,
                                      std::vector<int64_t>(SlotCount));
  for (const CallInFrame &C : Calls)
    for (unsigned Slot : C.Live.set_bits())
      for (unsigned Place = C.height(); Place < SlotCount; ++Place)
        W[Slot][Place] += int64_t(C.Times);
  return W;
}

//===-- Kuhn and Munkres --------------------------------------------------===//

namespace {
/// Adds one row after the other to a minimal assignment of the rows so far.
/// RowPrice[r] + ColumnPrice[c] <= Costs[r][c], with equality where r has c.
class Assignment {
public:
  explicit Assignment(const std::vector<std::vector<int64_t>> &Costs)
      : Costs(Costs), Size(Costs.size()), RowPrice(Size), ColumnPrice(Size),
        RowOf(Size, None) {}

  /// Gives the row a column along the cheapest chain of changes.
  void add(unsigned Row) {
    Slack.assign(Size, std::numeric_limits<int64_t>::max());
    Previous.assign(Size, None);
    Reached.assign(Size, false);
    Pending = Row;
    unsigned Column = None;
    for (unsigned Reader = Row; Reader != None; Reader = RowOf[Column])
      Column = reachNext(Reader, Column);
    // Each column on the chain goes to the row before it.
    while (Column != None) {
      unsigned Before = Previous[Column];
      RowOf[Column] = Before == None ? Row : RowOf[Before];
      Column = Before;
    }
  }

  std::vector<unsigned> columns() const {
    std::vector<unsigned> Out(Size);
    for (unsigned Column = 0; Column < Size; ++Column)
      Out[RowOf[Column]] = Column;
    return Out;
  }

private:
  static constexpr unsigned None = ~0u;

  /// From Reader, whose column is From, to the column that is cheapest to reach
  /// next; prices change so that it costs nothing to take it.
  unsigned reachNext(unsigned Reader, unsigned From) {
    unsigned Next = None;
    for (unsigned C = 0; C < Size; ++C) {
      if (Reached[C])
        continue;
      int64_t Extra = Costs[Reader][C] - RowPrice[Reader] - ColumnPrice[C];
      if (Extra < Slack[C]) {
        Slack[C] = Extra;
        Previous[C] = From;
      }
      if (Next == None || Slack[C] < Slack[Next])
        Next = C;
    }
    changePrices(Slack[Next]);
    Reached[Next] = true;
    return Next;
  }

  void changePrices(int64_t By) {
    RowPrice[Pending] += By;
    for (unsigned C = 0; C < Size; ++C) {
      if (Reached[C]) {
        RowPrice[RowOf[C]] += By;
        ColumnPrice[C] -= By;
      } else {
        Slack[C] -= By;
      }
    }
  }

  const std::vector<std::vector<int64_t>> &Costs;
  unsigned Size;
  std::vector<int64_t> RowPrice, ColumnPrice, Slack;
  std::vector<unsigned> RowOf, Previous; ///< of columns: its row, its chain
  std::vector<bool> Reached;
  unsigned Pending = None; ///< the row that is being added
};
} // namespace

std::vector<unsigned>
minimalAssignment(const std::vector<std::vector<int64_t>> &Costs) {
  Assignment A(Costs);
  for (unsigned Row = 0; Row < Costs.size(); ++Row)
    A.add(Row);
  return A.columns();
}

//===-- Layouts -----------------------------------------------------------===//

static FrameLayout withMoves(const std::vector<std::vector<int64_t>> &Costs,
                             std::vector<unsigned> Places) {
  FrameLayout L{std::move(Places), 0};
  for (size_t Slot = 0; Slot < Costs.size(); ++Slot)
    L.Moves += uint64_t(Costs[Slot][L.Places[Slot]]);
  return L;
}

FrameLayout minimalMoves(llvm::ArrayRef<CallInFrame> Calls,
                         unsigned SlotCount) {
  auto Costs = movementCosts(Calls, SlotCount);
  return withMoves(Costs, minimalAssignment(Costs));
}

FrameLayout staticLayout(llvm::ArrayRef<CallInFrame> Calls,
                         unsigned SlotCount) {
  auto Places = llvm::seq<unsigned>(0, SlotCount);
  return withMoves(movementCosts(Calls, SlotCount),
                   {Places.begin(), Places.end()});
}

std::optional<Slots> relocate(const SlotFunction &F, Slots Frame,
                              llvm::ArrayRef<unsigned> Places) {
  constexpr unsigned WordBytes = 4;
  for (size_t I = 0; I < F.Values.size(); ++I) {
    unsigned &Offset = Frame.Offsets[I];
    unsigned InWord = Offset % WordBytes;
    if (InWord + F.Values[I].bytes() > WordBytes)
      return std::nullopt;
    Offset = Places[Offset / WordBytes] * WordBytes + InWord;
  }
  return Frame;
}

std::vector<SlotMove> movesBefore(const CallInFrame &Call,
                                  llvm::ArrayRef<unsigned> Places) {
  llvm::BitVector Occupied(Places.size());
  for (unsigned Slot : Call.Live.set_bits())
    Occupied.set(Places[Slot]);
  std::vector<SlotMove> Moves;
  int To = -1;
  for (unsigned From : Occupied.set_bits()) {
    if (From < Call.height())
      continue;
    To = Occupied.find_next_unset(To);
    Moves.push_back({From, unsigned(To)});
  }
  return Moves;
}

} // namespace catt
