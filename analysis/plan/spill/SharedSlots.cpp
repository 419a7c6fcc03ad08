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

namespace catt {

namespace {
/// Bytes that are taken: [Begin, End).
struct Span {
  unsigned Begin = 0, End = 0;
  auto operator<=>(const Span &) const = default;
};
} // namespace

/// The lowest offset with so many bytes free beside Taken.
static unsigned lowestFree(std::vector<Span> Taken, unsigned Bytes) {
  llvm::sort(Taken);
  unsigned Offset = 0;
  for (const Span &S : Taken) {
    if (Offset + Bytes <= S.Begin)
      break;
    Offset = std::max(Offset, S.End);
  }
  return Offset;
}

/// Places the values at these indices, all of one width, in their order;
/// returns the bytes used.
static unsigned placeInOrder(llvm::ArrayRef<SlotValue> Values,
                             llvm::ArrayRef<size_t> Order,
                             std::vector<unsigned> &Offsets) {
  unsigned Used = 0;
  for (size_t N = 0; N < Order.size(); ++N) {
    const SlotValue &V = Values[Order[N]];
    std::vector<Span> Taken;
    for (size_t Other : Order.take_front(N))
      if (Values[Other].LiveAt.anyCommon(V.LiveAt))
        Taken.push_back(
            {Offsets[Other], Offsets[Other] + Values[Other].bytes()});
    Offsets[Order[N]] = lowestFree(std::move(Taken), V.bytes());
    Used = std::max(Used, Offsets[Order[N]] + V.bytes());
  }
  return Used;
}

/// Places the values in the order in which they become live, or the largest
/// first, whichever takes less; returns the bytes used.
static unsigned placeAll(llvm::ArrayRef<SlotValue> Values,
                         std::vector<size_t> Order,
                         std::vector<unsigned> &Offsets) {
  llvm::stable_sort(Order, [&](size_t A, size_t B) {
    return unsigned(Values[A].LiveAt.find_first()) <
           unsigned(Values[B].LiveAt.find_first());
  });
  unsigned Used = placeInOrder(Values, Order, Offsets);
  llvm::stable_sort(Order, [&](size_t A, size_t B) {
    return Values[A].bytes() > Values[B].bytes();
  });
  std::vector<unsigned> LargestFirst = Offsets;
  unsigned UsedSo = placeInOrder(Values, Order, LargestFirst);
  if (UsedSo >= Used)
    return Used;
  Offsets = std::move(LargestFirst);
  return UsedSo;
}

Slots colourSlots(llvm::ArrayRef<SlotValue> Values) {
  Slots S;
  S.Offsets.resize(Values.size());
  // The widest first: then each width begins at a multiple of itself.
  for (unsigned Width : {16u, 8u, 4u, 2u, 1u}) {
    std::vector<size_t> OfWidth;
    for (size_t I = 0; I < Values.size(); ++I)
      if (Values[I].ElementBytes == Width)
        OfWidth.push_back(I);
    unsigned Used = placeAll(Values, OfWidth, S.Offsets);
    for (size_t I : OfWidth)
      S.Offsets[I] += S.FrameBytes;
    S.FrameBytes += Used;
  }
  S.FrameBytes = llvm::alignTo(S.FrameBytes, 4);
  return S;
}

} // namespace catt
