//===- LongRows.cpp - Which launches have rows that are long -------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/stage/LongRows.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace catt {

std::string termOf(const std::string &Text) {
  bool Simple =
      llvm::all_of(Text, [](char C) { return llvm::isAlnum(C) || C == '_'; });
  return Simple ? Text : "(" + Text + ")";
}

/// What is behind `max(0, trips)`.
static AffineIndex withoutFloor(const AffineIndex &Trips) {
  if (Trips.terms().size() != 1)
    return Trips;
  const auto &[Atoms, Factor] = *Trips.terms().begin();
  if (Atoms.size() != 1 || Factor != 1 || Atoms[0]->K != Atom::Kind::Max)
    return Trips;
  const std::vector<AffineIndex> &Of = Atoms[0]->Operands;
  return Of[0].constant() == 0 ? Of[1] : Of[1].constant() == 0 ? Of[0] : Trips;
}

/// "m - first" and 32: a sum of parameters and a number is at least Least.
static std::optional<std::pair<std::string, int64_t>>
atLeast(const AffineIndex &Sum, int64_t Least, const LaunchText &Written) {
  std::string Out;
  for (const auto &[Atoms, Factor] : Sum.terms()) {
    if (Atoms.empty()) {
      Least -= Factor;
      continue;
    }
    const Atom &Only = *Atoms.front();
    if (Atoms.size() != 1 || Only.K != Atom::Kind::Parameter ||
        (Factor != 1 && Factor != -1))
      return std::nullopt;
    auto Argument = Written.PlainArguments.find(Only.Name);
    if (Argument == Written.PlainArguments.end())
      return std::nullopt;
    if (!Out.empty())
      Out += Factor > 0 ? " + " : " - ";
    else if (Factor < 0)
      Out += "-";
    Out += termOf(Argument->second);
  }
  if (Out.empty())
    return std::nullopt;
  return std::pair(std::move(Out), Least);
}

std::optional<std::string>
longRowsAt(const Launch &L, const Kernel &K,
           const std::vector<LoopVersion> &Versions) {
  if (!L.Written)
    return std::nullopt;
  std::vector<std::pair<std::string, int64_t>> Any;
  for (const LoopVersion &V : Versions) {
    if (V.Reads.empty())
      continue;
    const std::optional<AffineIndex> &Trips =
        K.Loops[K.RowLoops[V.Rows].Loop].TripCount;
    if (!V.MinTrips || !Trips)
      return std::nullopt;
    auto Long = atLeast(withoutFloor(*Trips), V.MinTrips, *L.Written);
    if (!Long)
      return std::nullopt;
    auto Same = llvm::find_if(
        Any, [&](const auto &Other) { return Other.first == Long->first; });
    if (Same == Any.end())
      Any.push_back(std::move(*Long));
    else
      Same->second = std::min(Same->second, Long->second);
  }
  std::vector<std::string> Texts;
  for (const auto &[Text, Least] : Any)
    Texts.push_back(Text + " >= " + std::to_string(Least));
  if (Texts.empty())
    return std::nullopt;
  return llvm::join(Texts, " || ");
}

} // namespace catt
