//===- WarpOps.cpp - Where lanes of a warp meet ----------------------------==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lane waits until all live lanes of its mask have come to the same
// operation; then each gets its answer. Lanes that have exited are not waited
// for.
//
//===----------------------------------------------------------------------===//

#include "tool/executor/Internal.h"
#include <algorithm>

namespace catt::simt {

static bool isReduction(int Op) { return Op >= ReduceAdd && Op <= ReduceXor; }

static uint64_t reduce(int Op, uint32_t A, uint32_t B) {
  switch (Op) {
  case ReduceAdd:
    return A + B;
  case ReduceMinS:
    return uint32_t(std::min(int32_t(A), int32_t(B)));
  case ReduceMaxS:
    return uint32_t(std::max(int32_t(A), int32_t(B)));
  case ReduceMinU:
    return std::min(A, B);
  case ReduceMaxU:
    return std::max(A, B);
  case ReduceAnd:
    return A & B;
  case ReduceOr:
    return A | B;
  default:
    return A ^ B;
  }
}

/// The lane that a shuffle reads: PTX ISA, shfl.sync. Outside of the segment
/// it is the lane itself.
static int shuffleSource(const Thread &T) {
  int Width = T.Width, Lane = T.Lane, First = Lane & ~(Width - 1);
  int Last = First + Width - 1, From = Lane;
  switch (T.Op) {
  case Shfl:
    return First + (T.Argument & (Width - 1));
  case ShflUp:
    From = Lane - T.Argument;
    return From < First ? Lane : From;
  case ShflDown:
    From = Lane + T.Argument;
    break;
  case ShflXor:
    From = Lane ^ T.Argument;
    break;
  }
  return From > Last ? Lane : From;
}

/// What lane T gets when the lanes Group meet.
static uint64_t answer(const Warp &W, const Thread &T, unsigned Group) {
  if (T.Op >= Shfl && T.Op <= ShflXor) {
    int From = shuffleSource(T);
    return Group >> From & 1 ? W.Lanes[From].Value : T.Value;
  }
  if (T.Op == ActiveMask)
    return Group;
  uint64_t Result = 0;
  bool First = true;
  for (unsigned Left = Group; Left; Left &= Left - 1, First = false) {
    int L = __builtin_ctz(Left);
    uint64_t V = W.Lanes[L].Value;
    if (T.Op == Ballot)
      Result |= uint64_t(V != 0) << L;
    else if (T.Op == MatchAny || T.Op == MatchAll)
      Result |= uint64_t(V == T.Value) << L;
    else if (isReduction(T.Op))
      Result = First ? V : reduce(T.Op, Result, V);
  }
  if (T.Op == MatchAll)
    return Result == Group ? Group : 0;
  return Result;
}

/// What each of the lanes has done so far happened before what any of them does
/// from now on.
static void orderMemory(Warp &W, unsigned Group) {
  std::array<uint32_t, 32> Joined = {};
  for (unsigned Left = Group; Left; Left &= Left - 1)
    for (unsigned L = 0; L < 32; ++L)
      Joined[L] = std::max(Joined[L], W.Seen[__builtin_ctz(Left)][L]);
  for (unsigned Left = Group; Left; Left &= Left - 1)
    ++Joined[__builtin_ctz(Left)];
  for (unsigned Left = Group; Left; Left &= Left - 1)
    W.Seen[__builtin_ctz(Left)] = Joined;
}

static void meet(Warp &W, unsigned Group) {
  if (W.Lanes[__builtin_ctz(Group)].Op == WarpSync)
    orderMemory(W, Group);
  for (unsigned Left = Group; Left; Left &= Left - 1) {
    Thread &T = W.Lanes[__builtin_ctz(Left)];
    T.Answer = answer(W, T, Group);
  }
  for (unsigned Left = Group; Left; Left &= Left - 1)
    W.Lanes[__builtin_ctz(Left)].At = nullptr;
  W.AtWarpOp &= ~Group;
  makeReady(W, Group);
}

/// Completes T's operation if all live lanes of its mask have come to it.
bool tryToMeet(Warp &W, const Thread &T) {
  unsigned Group = T.Mask & W.Alive;
  if (T.Op == ActiveMask || (Group & ~W.AtWarpOp) != 0)
    return false;
  for (unsigned L = Group; L; L &= L - 1) {
    const Thread &O = W.Lanes[__builtin_ctz(L)];
    if (O.Op != T.Op || O.Mask != T.Mask)
      return false;
  }
  meet(W, Group);
  return true;
}

/// __activemask: the lanes that stand at the same place when no lane of the
/// warp can go on, the most convergent of the legal answers.
bool meetActive(Warp &W) {
  for (unsigned Left = W.AtWarpOp; Left; Left &= Left - 1) {
    const Thread &T = W.Lanes[__builtin_ctz(Left)];
    if (T.Op != ActiveMask)
      continue;
    unsigned Group = 0;
    for (unsigned L = Left; L; L &= L - 1) {
      const Thread &O = W.Lanes[__builtin_ctz(L)];
      if (O.Op == ActiveMask && O.At == T.At)
        Group |= 1u << O.Lane;
    }
    meet(W, Group);
    return true;
  }
  return false;
}

} // namespace catt::simt

using namespace catt::simt;

uint64_t catt_simt_warp(int Op, unsigned Mask, uint64_t Value, int Argument,
                        int Width, Site *Where) {
  Thread &T = *Run.Current;
  Warp &W = *T.Owner;
  if (Op == ActiveMask)
    Mask = 1u << T.Lane;
  if (!(Mask >> T.Lane & 1)) {
    report(FindingKind::WarpMask, Where, nullptr,
           "the mask of this warp operation leaves out the lane that calls it");
    stopLaunch();
  }
  T.At = Where;
  T.Op = Op;
  T.Mask = Mask;
  T.Value = Value;
  T.Argument = Argument;
  T.Width = Width;
  W.AtWarpOp |= 1u << T.Lane;
  tryToMeet(W, T);
  toMain();
  return Run.Current->Answer;
}
