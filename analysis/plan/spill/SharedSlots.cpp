//===- SharedSlots.cpp - Where spilled values lie ---------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/spill/SharedSlots.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <numeric>

namespace catt {

/// Of a register, and of a bank of shared memory.
constexpr unsigned WordBytes = 4;

//===-- One function ------------------------------------------------------===//

/// Is the value live at this point? Points behind the end of its set are not.
static bool isLive(const SlotValue &V, unsigned Point) {
  return Point < V.LiveAt.size() && V.LiveAt.test(Point);
}

unsigned maxLiveBytes(llvm::ArrayRef<SlotValue> Values) {
  unsigned Most = 0, Points = 0;
  for (const SlotValue &V : Values)
    Points = std::max(Points, V.LiveAt.size());
  for (unsigned Point = 0; Point < Points; ++Point) {
    unsigned Bytes = 0;
    for (const SlotValue &V : Values)
      Bytes += isLive(V, Point) ? V.bytes() : 0;
    Most = std::max(Most, Bytes);
  }
  return Most;
}

namespace {
/// Bytes that are taken: [Begin, End).
struct Span {
  unsigned Begin = 0, End = 0;
  auto operator<=>(const Span &) const = default;
};
} // namespace

/// The lowest aligned offset with so many bytes free beside Taken.
static unsigned lowestFree(std::vector<Span> Taken, unsigned Bytes,
                           unsigned Align) {
  llvm::sort(Taken);
  unsigned Offset = 0;
  for (const Span &S : Taken) {
    if (Offset + Bytes <= S.Begin)
      break;
    Offset = std::max(Offset, unsigned(llvm::alignTo(S.End, Align)));
  }
  return Offset;
}

/// Places the values at these indices, in their order; returns the bytes used.
static unsigned placeInOrder(llvm::ArrayRef<SlotValue> Values,
                             llvm::ArrayRef<size_t> Order, unsigned MaxAlign,
                             std::vector<unsigned> &Offsets) {
  unsigned Used = 0;
  for (size_t N = 0; N < Order.size(); ++N) {
    const SlotValue &V = Values[Order[N]];
    std::vector<Span> Taken;
    for (size_t Other : Order.take_front(N))
      if (Values[Other].LiveAt.anyCommon(V.LiveAt))
        Taken.push_back(
            {Offsets[Other], Offsets[Other] + Values[Other].bytes()});
    unsigned Align = std::min(V.ElementBytes, MaxAlign);
    Offsets[Order[N]] = lowestFree(std::move(Taken), V.bytes(), Align);
    Used = std::max(Used, Offsets[Order[N]] + V.bytes());
  }
  return Used;
}

/// Places the values in the order in which they become live, or the largest
/// first, whichever takes less; returns the bytes used.
static unsigned placeAll(llvm::ArrayRef<SlotValue> Values,
                         std::vector<size_t> Order, unsigned MaxAlign,
                         std::vector<unsigned> &Offsets) {
  llvm::stable_sort(Order, [&](size_t A, size_t B) {
    return unsigned(Values[A].LiveAt.find_first()) <
           unsigned(Values[B].LiveAt.find_first());
  });
  unsigned Used = placeInOrder(Values, Order, MaxAlign, Offsets);
  llvm::stable_sort(Order, [&](size_t A, size_t B) {
    return Values[A].bytes() > Values[B].bytes();
  });
  std::vector<unsigned> LargestFirst = Offsets;
  unsigned UsedSo = placeInOrder(Values, Order, MaxAlign, LargestFirst);
  if (UsedSo >= Used)
    return Used;
  Offsets = std::move(LargestFirst);
  return UsedSo;
}

Slots colourSlots(llvm::ArrayRef<SlotValue> Values, SlotLayout Layout) {
  Slots S;
  S.Offsets.resize(Values.size());
  if (Layout == SlotLayout::Words) {
    std::vector<size_t> All(Values.size());
    std::iota(All.begin(), All.end(), 0);
    S.FrameBytes = placeAll(Values, std::move(All), WordBytes, S.Offsets);
  } else {
    // The widest first: then each width begins at a multiple of itself.
    for (unsigned Width : {16u, 8u, 4u, 2u, 1u}) {
      std::vector<size_t> OfWidth;
      for (size_t I = 0; I < Values.size(); ++I)
        if (Values[I].ElementBytes == Width)
          OfWidth.push_back(I);
      unsigned Used = placeAll(Values, OfWidth, Width, S.Offsets);
      for (size_t I : OfWidth)
        S.Offsets[I] += S.FrameBytes;
      S.FrameBytes += Used;
    }
  }
  S.FrameBytes = llvm::alignTo(S.FrameBytes, WordBytes);
  return S;
}

uint64_t blockByte(const SlotValue &V, unsigned Offset, unsigned Byte,
                   SlotLayout Layout, unsigned Thread, unsigned Threads) {
  if (Layout == SlotLayout::Words) {
    unsigned InFrame = Offset + Byte;
    return (uint64_t(InFrame / WordBytes) * Threads + Thread) * WordBytes +
           InFrame % WordBytes;
  }
  unsigned Within = Byte % V.ElementBytes;
  return uint64_t(Offset + Byte - Within) * Threads +
         uint64_t(Thread) * V.ElementBytes + Within;
}

//===-- Across calls ------------------------------------------------------===//

llvm::BitVector liveWords(const SlotFunction &F, const Slots &Frame,
                          unsigned Point) {
  llvm::BitVector Live(llvm::divideCeil(Frame.FrameBytes, WordBytes));
  for (size_t I = 0; I < F.Values.size(); ++I) {
    const SlotValue &V = F.Values[I];
    if (!isLive(V, Point) || V.bytes() == 0)
      continue;
    unsigned End = Frame.Offsets[I] + V.bytes();
    Live.set(Frame.Offsets[I] / WordBytes, llvm::divideCeil(End, WordBytes));
  }
  return Live;
}

namespace {
/// Depth-first search over calls.
class CallSearch {
public:
  explicit CallSearch(llvm::ArrayRef<SlotFunction> Functions)
      : Functions(Functions), States(Functions.size(), State::New) {}

  /// False: a function was met that is still being visited.
  bool visit(unsigned F) {
    if (States[F] != State::New)
      return States[F] == State::Done;
    States[F] = State::Open;
    for (const SlotCall &C : Functions[F].Calls)
      if (!visit(C.Callee))
        return false;
    States[F] = State::Done;
    PostOrder.push_back(F);
    return true;
  }

  std::vector<unsigned> PostOrder;

private:
  enum class State : uint8_t { New, Open, Done };
  llvm::ArrayRef<SlotFunction> Functions;
  std::vector<State> States;
};
} // namespace

std::optional<std::vector<unsigned>>
callOrder(llvm::ArrayRef<SlotFunction> Functions, unsigned Kernel) {
  CallSearch Search(Functions);
  if (!Search.visit(Kernel))
    return std::nullopt;
  std::reverse(Search.PostOrder.begin(), Search.PostOrder.end());
  return std::move(Search.PostOrder);
}

/// Bytes of the caller's frame that a callee must leave alone.
static unsigned keptBytes(const SlotFunction &Caller, const Slots &Frame,
                          const SlotCall &Call, StackDiscipline How) {
  if (How == StackDiscipline::Traditional)
    return Frame.FrameBytes;
  llvm::BitVector Live = liveWords(Caller, Frame, Call.Point);
  unsigned Words = How == StackDiscipline::MovingStack
                       ? Live.count()
                       : unsigned(Live.find_last() + 1);
  return Words * WordBytes;
}

std::optional<StackPlan> placeFrames(llvm::ArrayRef<SlotFunction> Functions,
                                     llvm::ArrayRef<Slots> Frames,
                                     unsigned Kernel, StackDiscipline How) {
  std::optional<std::vector<unsigned>> Order = callOrder(Functions, Kernel);
  if (!Order)
    return std::nullopt;
  StackPlan Plan;
  Plan.Bases.resize(Functions.size());
  for (unsigned F : *Order) {
    Plan.Bytes = std::max(Plan.Bytes, Plan.Bases[F] + Frames[F].FrameBytes);
    for (const SlotCall &C : Functions[F].Calls)
      Plan.Bases[C.Callee] =
          std::max(Plan.Bases[C.Callee],
                   Plan.Bases[F] + keptBytes(Functions[F], Frames[F], C, How));
  }
  return Plan;
}

} // namespace catt
