//===- Liveness.cpp - What is in registers, and when ----------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/registers/Liveness.h"
#include "llvm/ADT/STLExtras.h"

using llvm::BitVector;

namespace catt {

Liveness computeLiveness(const Code &C) {
  unsigned N = C.Values.size();
  Liveness L;
  L.In.assign(C.Blocks.size(), BitVector(N));
  L.Out = L.In;
  std::vector<BitVector> Reads = L.In, Writes = L.In;
  for (auto [B, Block] : llvm::enumerate(C.Blocks))
    for (unsigned I = Block.First; I != Block.End; ++I) {
      for (unsigned V : C.Operations[I].Uses)
        if (!Writes[B][V])
          Reads[B].set(V);
      for (unsigned V : C.Operations[I].Defines)
        Writes[B].set(V);
    }
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (unsigned B = C.Blocks.size(); B-- != 0;) {
      for (unsigned To : C.Blocks[B].Successors)
        L.Out[B] |= L.In[To];
      BitVector In = L.Out[B];
      In.reset(Writes[B]);
      In |= Reads[B];
      if (In != L.In[B]) {
        L.In[B] = std::move(In);
        Changed = true;
      }
    }
  }
  return L;
}

void walkBackwards(
    const Code &C, const Liveness &L, unsigned B,
    llvm::function_ref<void(unsigned, const BitVector &)> Visit) {
  BitVector Live = L.Out[B];
  for (unsigned I = C.Blocks[B].End; I-- != C.Blocks[B].First;) {
    Visit(I, Live);
    for (unsigned V : C.Operations[I].Defines)
      Live.reset(V);
    for (unsigned V : C.Operations[I].Uses)
      Live.set(V);
  }
}

unsigned wordsOf(const Code &C, const BitVector &Set) {
  unsigned Words = 0;
  for (unsigned V : Set.set_bits())
    Words += C.Values[V].Words;
  return Words;
}

std::vector<unsigned> pressure(const Code &C, const Liveness &L) {
  std::vector<unsigned> At(C.Operations.size());
  BitVector Live(C.Values.size());
  for (unsigned B = 0; B != C.Blocks.size(); ++B) {
    Live = L.Out[B];
    unsigned Words = wordsOf(C, Live);
    for (unsigned I = C.Blocks[B].End; I-- != C.Blocks[B].First;) {
      const Operation &O = C.Operations[I];
      for (unsigned V : O.Defines) // a result needs its register even if unread
        if (!Live[V]) {
          Live.set(V);
          Words += C.Values[V].Words;
        }
      unsigned Behind = Words;
      for (unsigned V : O.Defines) {
        Live.reset(V);
        Words -= C.Values[V].Words;
      }
      for (unsigned V : O.Uses)
        if (!Live[V]) {
          Live.set(V);
          Words += C.Values[V].Words;
        }
      At[I] = std::max(Behind, Words) + O.Temporaries;
    }
  }
  return At;
}

unsigned maxLive(const Code &C) {
  std::vector<unsigned> At = pressure(C, computeLiveness(C));
  return At.empty() ? 0 : *llvm::max_element(At);
}

} // namespace catt
