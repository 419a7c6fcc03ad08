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

int64_t mostInRegisters(const Loop &Walk, bool MayChange) {
  // Of 440 bytes where stores may change it. Else of 238 words (240 are left
  // beside the rest), unless nvcc has unrolled many iterations by 16.
  constexpr int64_t Bytes = 512, AllRegisters = 960;
  constexpr int64_t Many = 80, InPart = 16;
  const int64_t Trips =
      Walk.TripCount ? Walk.TripCount->constant().value_or(0) : 0;
  const bool InParts = Trips > Many && Trips % InPart == 0;
  return MayChange || InParts ? Bytes : AllRegisters;
}

/// Each thread walks a row of its own, which is the same in each iteration of
/// the loop Again: how long it is, in bytes; 0: it is none, or not known.
static int64_t bytesWalkedAgain(const Kernel &K, const Access &Row,
                                unsigned Again) {
  if (!Row.Reads || Row.Writes || Row.Space != AddressSpace::Global ||
      !Row.Loop || *Row.Loop == Again || !isInside(K, Row.Loop, Again) ||
      !Row.Offset || Row.Offset->isBlockUniform() ||
      !Row.Offset->mentionsIterator(*Row.Loop) ||
      Row.Offset->mentionsIterator(Again))
    return 0;
  const std::optional<AffineIndex> &Trips = K.Loops[*Row.Loop].TripCount;
  return Trips ? Trips->constant().value_or(0) * Row.SizeBytes : 0;
}

const Access *rowInRegisters(const Kernel &K, unsigned Loop) {
  for (const catt::Loop &Again : K.Loops) {
    const bool IsAbout =
        isInside(K, Again.Id, Loop) || isInside(K, Loop, Again.Id);
    const bool Stores = llvm::any_of(K.Accesses, [&](const Access &A) {
      return A.Writes && A.Space == AddressSpace::Global &&
             isInside(K, A.Loop, Again.Id);
    });
    if (!IsAbout || Stores)
      continue;
    for (const Access &Row : K.Accesses) {
      const int64_t Bytes = bytesWalkedAgain(K, Row, Again.Id);
      if (Bytes && !K.Loops[*Row.Loop].KeepsRolled &&
          Bytes <= mostInRegisters(K.Loops[*Row.Loop], /*MayChange=*/false))
        return &Row;
    }
  }
  return nullptr;
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
