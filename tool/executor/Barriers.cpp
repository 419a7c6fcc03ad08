//===- Barriers.cpp - Of a block, of some threads, of the grid -------------==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   __syncthreads     all live threads of the block, at one place
//   bar.sync id, n    n arrivals at barrier id, from any places; bar.arrive
//                     arrives without waiting
//   grid              all live threads of the grid: never, unless all blocks
//                     are resident
//
//===----------------------------------------------------------------------===//

#include "tool/executor/Internal.h"

using namespace catt::simt;

namespace catt::simt {
namespace {

int predicateResult(int Op, const Block &B) {
  switch (Op) {
  case BarrierCount:
    return B.TruePredicates;
  case BarrierAnd:
    return B.TruePredicates == B.Arrived;
  case BarrierOr:
    return B.TruePredicates != 0;
  }
  return 0;
}

void release(Thread &T) {
  T.At = nullptr;
  makeReady(*T.Owner, 1u << T.Lane);
}

/// Lets everyone through if all live threads of the block have arrived.
void openBarrier(Block &B) {
  if (B.Arrived == 0 || B.Arrived < B.Alive)
    return;
  if (Run.Opts.ExitedThreadsBlock && B.Alive < B.Threads.size())
    report(FindingKind::BarrierAfterExit, B.FirstArrived->At, nullptr,
           "some threads of the block have exited before this barrier",
           B.FirstArrived);
  B.Epoch = nextEpoch();
  ++Run.Changes;
  for (Warp &W : B.Warps) {
    for (unsigned Left = W.Alive; Left; Left &= Left - 1) {
      Thread &T = W.Lanes[__builtin_ctz(Left)];
      T.Answer = predicateResult(T.Op, B);
      T.At = nullptr;
    }
    makeReady(W, W.Alive);
  }
  B.Arrived = B.TruePredicates = 0;
}

void openNamed(Block &B, NamedBarrier &N) {
  if (N.Arrived == 0 || N.Arrived < (N.Count ? N.Count : B.Alive))
    return;
  B.Epoch = nextEpoch();
  ++Run.Changes;
  for (Thread *T : std::exchange(N.Waiting, {}))
    release(*T);
  N.Arrived = 0;
}

void openGrid() {
  if (Run.AtGrid.empty() || Run.AtGrid.size() < Run.GridAlive)
    return;
  ++Run.Changes;
  for (Thread *T : std::exchange(Run.AtGrid, {})) {
    Block &B = *T->Owner->Owner;
    if (T->Linear == B.Threads.front().Linear)
      B.Epoch = nextEpoch();
    release(*T);
  }
}

} // namespace

void openBarriers(Block &B) {
  openBarrier(B);
  for (auto &[Id, N] : B.Named)
    openNamed(B, N);
  openGrid();
}

void resetBarriers(Block &B) {
  B.Arrived = B.TruePredicates = 0;
  B.Named.clear();
}

} // namespace catt::simt

//===-- Called by kernels -------------------------------------------------===//

int catt_simt_barrier(int Op, int Predicate, Site *Where) {
  Thread &T = *Run.Current;
  Block &B = *T.Owner->Owner;
  T.At = Where;
  T.Op = Op;
  if (B.Arrived == 0)
    B.FirstArrived = &T;
  else if (B.FirstArrived->At != Where)
    report(FindingKind::BarrierDivergence, Where, B.FirstArrived->At,
           "barrier divergence: thread " + str(B.FirstArrived->Index) +
               " of this block waits at another barrier");
  ++B.Arrived;
  B.TruePredicates += Predicate != 0;
  openBarrier(B);
  toMain();
  return Run.Current->Answer;
}

uint32_t catt_simt_dynamic_bytes(Site *) { return Run.DynamicShared; }

void catt_simt_named(unsigned Id, unsigned Count, int Waits, Site *Where) {
  Thread &T = *Run.Current;
  Block &B = *T.Owner->Owner;
  if (Id == 0 && Waits && (Count == 0 || Count == B.Threads.size())) {
    catt_simt_barrier(BarrierPlain, 0, Where); // __syncthreads by another name
    return;
  }
  NamedBarrier &N = B.Named[Id];
  N.Count = Count;
  ++N.Arrived;
  if (!Waits) {
    ++Run.Changes;
    openNamed(B, N);
    return;
  }
  T.At = Where;
  N.Waiting.push_back(&T);
  openNamed(B, N);
  toMain();
}

void catt_simt_grid(Site *Where) {
  Thread &T = *Run.Current;
  T.At = Where;
  Run.AtGrid.push_back(&T);
  openGrid();
  toMain();
}
