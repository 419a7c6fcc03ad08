//===- SimulatedMemory.h - L1, and what is behind it ------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   load --> L1: lines of 4 sectors --> L2 --> DRAM    one sector at a time
//   each store ----------------------------> L2 --> DRAM
//
// A part of L1Simulation, which draws the rest and says where this is from.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_TIME_SIMULATEDMEMORY_H
#define CATT_ANALYSIS_TIME_SIMULATEDMEMORY_H

#include "analysis/model/Facts.h"
#include "analysis/time/L1Simulation.h"
#include "llvm/ADT/DenseMap.h"
#include <algorithm>
#include <queue>
#include <tuple>
#include <utility>

namespace catt {

template <typename T>
using EarliestFirst = std::priority_queue<T, std::vector<T>, std::greater<T>>;

/// L1, and what is behind it.
class SimulatedMemory {
public:
  SimulatedMemory(const SimulatedRun &Run, const SimulationRates &R)
      : R(R), Capacity(std::max<int64_t>(
                  1, int64_t(R.Usable * double(Run.L1Bytes)) / LineBytes)),
        L2Lines(uint64_t(R.L2Share * double(R.L2Bytes) / double(Run.SMs) /
                         LineBytes)),
        MostInFlight(std::max<double>(
            WarpLanes, std::min(R.InFlight, R.Flight * double(Capacity)))) {}

  SimulatedCost Cost;

  uint64_t draw() { // xorshift (Marsaglia 2003)
    Seed ^= Seed << 13;
    Seed ^= Seed >> 7;
    return Seed ^= Seed << 17;
  }

  /// The line's number here.
  uint32_t find(unsigned Base, int64_t Line) {
    uint64_t Key = uint64_t(Base + 1) << 44 ^ (uint64_t(Line) << 20 >> 20);
    auto [At, New] = Known.try_emplace(Key, uint32_t(Lines.size()));
    if (New)
      Lines.emplace_back();
    return At->second;
  }

  /// False: this access has touched the line before.
  bool touch(uint32_t Line, uint64_t Access) {
    return std::exchange(Lines[Line].Used, Access) != Access;
  }

  /// Start is moved to when there is room for it.
  void store(uint32_t Id, unsigned Sector, double &Start) {
    Start = std::max(Start, std::max(L2Free, DramFree) - R.Dram);
    ++Cost.SectorsStored;
    Line &L = Lines[Id];
    const uint8_t Bit = uint8_t(1u << Sector);
    const bool IsLost = comeToL2(L);
    L2Free = std::max(L2Free, Start) + R.StoredSector;
    if (IsLost)
      L.Written = 0;
    if (!(L.Written & Bit))
      DramFree =
          std::max(DramFree, Start) + (IsLost ? R.StoredAgain : R.DramSector);
    L.Written |= Bit;
  }

  /// When the sector is there. Start is moved to when there is room to ask.
  double load(uint32_t Line, unsigned Sector, double &Start, bool MayBeNew) {
    arriveUntil(Start);
    ++Cost.SectorsLoaded;
    const uint8_t Bit = uint8_t(1u << Sector);
    if (!((Lines[Line].Present | Lines[Line].Coming) & Bit))
      return fetch(Line, Sector, Start, MayBeNew);
    ++Cost.SectorsHit;
    double At = Start + R.Hit;
    return Lines[Line].Coming & Bit ? std::max(At, Lines[Line].ThereAt[Sector])
                                    : At;
  }

private:
  static constexpr int64_t SectorsOfLine = LineBytes / SectorBytes;
  static constexpr uint32_t Nowhere = UINT32_MAX;

  struct Line {
    double ThereAt[SectorsOfLine] = {};
    uint64_t Used = 0;        ///< by this access, at last
    uint64_t CameToL2 = 0;    ///< as so many-th; 0: never
    uint32_t Place = Nowhere; ///< in Resident
    /// A bit for each sector.
    uint8_t Present = 0, Coming = 0, Fetched = 0, Written = 0;
  };
  using Arrival = std::tuple<double, uint32_t, unsigned>; ///< line, sector

  const SimulationRates &R;
  const int64_t Capacity; ///< lines
  const uint64_t L2Lines;
  const double MostInFlight;
  llvm::DenseMap<uint64_t, uint32_t> Known;
  std::vector<Line> Lines;
  std::vector<uint32_t> Resident;
  EarliestFirst<Arrival> InFlight;
  double L2Free = 0, DramFree = 0;
  uint64_t LinesToL2 = 0;
  uint64_t Seed = 88172645463325252u;

  /// Whether L2 had the line and lost it.
  bool comeToL2(Line &L) {
    const bool IsLost = L.CameToL2 && LinesToL2 - L.CameToL2 > L2Lines;
    LinesToL2 += !L.CameToL2 || IsLost;
    L.CameToL2 = LinesToL2;
    return IsLost;
  }

  double fetch(uint32_t Id, unsigned Sector, double &Start, bool MayBeNew) {
    while (double(InFlight.size()) >= MostInFlight) {
      Start = std::max(Start, std::get<0>(InFlight.top()));
      arriveUntil(Start);
    }
    Line &L = Lines[Id];
    const uint8_t Bit = uint8_t(1u << Sector);
    const bool IsNew = !(L.Fetched & Bit);
    const bool IsLost = comeToL2(L);
    L2Free = std::max(L2Free, Start) + R.L2Sector;
    double There = L2Free + R.L2;
    if (IsNew ? MayBeNew : IsLost) {
      DramFree =
          std::max(DramFree, Start) + (IsNew ? R.DramSector : R.DramAgain);
      There = std::max(There, DramFree + R.Dram);
      ++Cost.SectorsFromDram;
    }
    place(Id);
    L.Fetched |= Bit;
    L.Coming |= Bit;
    L.ThereAt[Sector] = There;
    InFlight.emplace(There, Id, Sector);
    return There;
  }

  void arriveUntil(double Time) {
    while (!InFlight.empty() && std::get<0>(InFlight.top()) <= Time) {
      auto [There, Id, Sector] = InFlight.top();
      InFlight.pop();
      Lines[Id].Coming &= uint8_t(~(1u << Sector));
      if (Lines[Id].Place != Nowhere)
        Lines[Id].Present |= uint8_t(1u << Sector);
    }
  }

  void place(uint32_t Id) {
    if (Lines[Id].Place != Nowhere)
      return;
    if (int64_t(Resident.size()) < Capacity) {
      Lines[Id].Place = uint32_t(Resident.size());
      Resident.push_back(Id);
      return;
    }
    uint32_t Leaves = uint32_t(draw() % Resident.size());
    for (int64_t Draw = 1, Draws = int64_t(R.Draws); Draw < Draws; ++Draw) {
      uint32_t Other = uint32_t(draw() % Resident.size());
      if (Lines[Resident[Other]].Used < Lines[Resident[Leaves]].Used)
        Leaves = Other;
    }
    Line &Old = Lines[Resident[Leaves]];
    Old.Present = 0;
    Old.Place = Nowhere;
    Resident[Leaves] = Id;
    Lines[Id].Place = Leaves;
  }
};

} // namespace catt

#endif
