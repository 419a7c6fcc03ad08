//===- Nest.cpp - What stands inside what ---------------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/nest/Nest.h"
#include "llvm/ADT/STLExtras.h"

namespace catt {

/// Of loops, or of statements.
template <typename T>
static bool reaches(const std::vector<T> &All, std::optional<unsigned> Inner,
                    unsigned Outer) {
  while (Inner && *Inner != Outer)
    Inner = All[*Inner].Parent;
  return Inner.has_value();
}

bool isInside(const Kernel &K, std::optional<unsigned> Inner, unsigned Outer) {
  return reaches(K.Loops, Inner, Outer);
}

bool isInnermost(const Kernel &K, unsigned Loop) {
  return llvm::none_of(K.Loops,
                       [&](const auto &L) { return L.Parent == Loop; });
}

bool staysRolled(const Loop &L) {
  // nvcc 13.0 was seen to unroll 144 iterations of 2 instructions and 72 of 4,
  // not 160 and 80. What it leaves, ptxas may unroll: up to 71 iterations,
  // where nvcc has not unrolled them by 4.
  constexpr int64_t MostUnrolled = 300, MostByPtxas = 72, InPart = 4;
  const std::optional<int64_t> Trips =
      L.TripCount ? L.TripCount->constant() : std::nullopt;
  return L.KeepsRolled || (!L.HasUnrollPragma && Trips &&
                           (*Trips % InPart == 0 || *Trips > MostByPtxas) &&
                           *Trips * L.LeastInstructions > MostUnrolled);
}

bool isUnrolledWhole(const Kernel &K, unsigned Loop) {
  constexpr int64_t FewIterations = 16; // unrolled whatever they do
  const catt::Loop &L = K.Loops[Loop];
  const std::optional<int64_t> Trips =
      L.TripCount ? L.TripCount->constant() : std::nullopt;
  return Trips && isInnermost(K, Loop) && !staysRolled(L) &&
         (*Trips <= FewIterations || L.LeastInstructions);
}

unsigned outermost(const Kernel &K, unsigned Loop) {
  while (K.Loops[Loop].Parent)
    Loop = *K.Loops[Loop].Parent;
  return Loop;
}

const Access *irregularIn(const Kernel &K, unsigned Loop) {
  for (const Access &A : K.Accesses)
    if (A.Irregularity && A.Space == AddressSpace::Global &&
        isInside(K, A.Loop, Loop))
      return &A;
  return nullptr;
}

const Access *decidedByData(const Kernel &K, unsigned Loop) {
  const Access *First = nullptr;
  for (const Access &A : K.Accesses) {
    if (A.Space != AddressSpace::Global || !A.ThroughL1 || !A.Offset ||
        !isInside(K, A.Loop, Loop) || !A.Offset->mentionsIterator(*A.Loop))
      continue;
    if (A.GuardsKnown)
      return nullptr;
    if (!First)
      First = &A;
  }
  return First;
}

bool isStatementInside(const Kernel &K, unsigned Inner, unsigned Outer) {
  return reaches(K.Statements, Inner, Outer);
}

} // namespace catt
