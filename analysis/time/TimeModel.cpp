//===- TimeModel.cpp - What a choice costs and gains -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/time/TimeModel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <cmath>

namespace catt {

/// Iterations of a loop whose trip count is not known.
static constexpr double UnknownIterations = 256;
/// Iterations of an innermost loop that is unrolled as a whole.
static constexpr int64_t UnrolledWhole = 16;

namespace {
/// From the cards' data sheets.
struct DataSheet {
  const char *Card;
  double BytesPerSecond; ///< of DRAM
  double SMs;
  double Clock; ///< boost, in Hz
  double L2MiB;
};
} // namespace

static const DataSheet Sheets[] = {
    {"titan-v", 653e9, 80, 1.455e9, 4.5},  {"v100", 900e9, 80, 1.53e9, 6},
    {"t4", 320e9, 40, 1.59e9, 4},          {"a100", 1555e9, 108, 1.41e9, 40},
    {"rtx-3090", 936e9, 82, 1.695e9, 6},   {"l4", 300e9, 58, 2.04e9, 48},
    {"rtx-4090", 1008e9, 128, 2.52e9, 72}, {"h100", 3350e9, 132, 1.83e9, 50},
    {"h200", 4800e9, 132, 1.83e9, 50},     {"b200", 8000e9, 148, 1.85e9, 126},
};

static double bytesPerCycle(const DataSheet &S) {
  return S.BytesPerSecond / S.SMs / S.Clock;
}

const CardRates &fittedCard() {
  static const CardRates H200 = {.Hit = 32.04,
                                 .L2 = 280.6,
                                 .Dram = 657.7,
                                 .L2Sector = 1.559,
                                 .DramSector = 6.559,
                                 .Port = 8.019,
                                 .Barrier = 61.09,
                                 .L2Bytes = 62914560};
  return H200;
}

static const DataSheet *sheetOf(llvm::StringRef Card) {
  const auto *Found =
      llvm::find_if(Sheets, [&](const DataSheet &S) { return Card == S.Card; });
  return Found == std::end(Sheets) ? nullptr : Found;
}

static double bytesOfL2(const DataSheet &S) { return S.L2MiB * 1024 * 1024; }

static RateScale scaleOf(const CardRates &Card) {
  const CardRates &Fitted = fittedCard();
  RateScale S;
  S.Hit = Card.Hit / Fitted.Hit;
  S.L2 = Card.L2 / Fitted.L2;
  S.Dram = Card.Dram / Fitted.Dram;
  S.L2Sector = Card.L2Sector / Fitted.L2Sector;
  S.DramSector = Card.DramSector / Fitted.DramSector;
  S.Port = Card.Port / Fitted.Port;
  S.Barrier = Card.Barrier / Fitted.Barrier;
  // What data sheets say of L2 is what the constants go with.
  S.L2Bytes = int64_t(bytesOfL2(*sheetOf("h200")) * double(Card.L2Bytes) /
                      double(Fitted.L2Bytes));
  S.From = Origin::Measured;
  return S;
}

RateScale rateScale(const Device &Gpu) {
  if (Gpu.Rates)
    return scaleOf(*Gpu.Rates);
  RateScale S;
  const DataSheet *H200 = sheetOf("h200"), *Sheet = sheetOf(Gpu.Name);
  if (!Sheet)
    return S;
  S.L2Sector = S.DramSector = bytesPerCycle(*H200) / bytesPerCycle(*Sheet);
  S.L2Bytes = int64_t(bytesOfL2(*Sheet));
  if (Sheet == H200)
    S.From = Origin::Measured;
  return S;
}

MemoryRates memoryRates(const Device &Gpu) {
  const RateScale S = rateScale(Gpu);
  MemoryRates Rates;
  Rates.Line *= S.Port;
  Rates.Bank *= S.Port;
  Rates.Hit *= S.Hit;
  Rates.Miss *= S.L2;
  Rates.Sector *= S.L2Sector;
  Rates.Dram *= S.DramSector;
  Rates.Barrier *= S.Barrier;
  Rates.L2Bytes = S.L2Bytes;
  Rates.From = S.From;
  return Rates;
}

double lostShare(double FootprintBytes, double CacheBytes, double Slope) {
  if (FootprintBytes <= CacheBytes)
    return 0;
  return std::min(1.0, Slope * (1 - CacheBytes / FootprintBytes));
}

/// Of the touches of a level, each sector once per iteration, beyond `Base`
/// those that are lost. Where the compiler issues several iterations together,
/// only the first of them finds what the others used since the last time; the
/// rest follows at a small part of that distance.
static double lostOf(double Base, double All, double Together, double Far,
                     double Near) {
  if (All <= Base)
    return 0;
  double First = std::max(Base, All / Together);
  return Far * (First - Base) + Near * (All - First);
}

/// Iterations whose loads are in flight together. A short loop of known length
/// is unrolled as a whole.
static double together(const NestLevel &Level, const MemoryRates &Rates) {
  if (Level.Work.HoldsBack)
    return 1;
  const std::optional<int64_t> &Trips = Level.Work.Iterations;
  if (Level.Innermost && Trips && *Trips <= UnrolledWhole)
    return std::max(Rates.Unroll, double(*Trips));
  return Rates.Unroll;
}

/// The same for the loop that runs most often, where most loads stand.
static double together(const Running &How, const MemoryRates &Rates) {
  auto Most = llvm::max_element(
      How.Levels, [](auto &A, auto &B) { return A.Times < B.Times; });
  return together(*Most, Rates);
}

/// What a level touches in one iteration of the outermost loop, what each of
/// its own iterations touches again counted once.
static Lost touchedBy(const NestLevel &L) {
  return {L.Times * (L.Work.SectorsNew + L.Work.SectorsAgain),
          L.Times * (L.Work.LoadsNew + L.Work.LoadsAgain)};
}

/// Of these touches, those that the loop around counts as its own: the first in
/// each of its iterations. Several loops inside it share them in proportion.
static Lost countedAround(const Running &How, size_t Level) {
  if (Level == 0)
    return {How.Levels[0].Work.SectorsNew, How.Levels[0].Work.LoadsNew};
  size_t Around = How.Levels[Level].Around;
  Lost Own = touchedBy(How.Levels[Level]),
       Outer = touchedBy(How.Levels[Around]);
  Lost All;
  for (size_t I = 1; I < How.Levels.size(); ++I)
    if (How.Levels[I].Around == Around) {
      Lost Each = touchedBy(How.Levels[I]);
      All.Sectors += Each.Sectors;
      All.Loads += Each.Loads;
    }
  auto Part = [](double Of, double Mine, double Sum) {
    return Sum > 0 ? Of * Mine / Sum : 0;
  };
  return {Part(Outer.Sectors, Own.Sectors, All.Sectors),
          Part(Outer.Loads, Own.Loads, All.Loads)};
}

/// Bytes that all active warps touch while each executes one load, in the mean
/// over the loads of the loop.
static double bytesOfATurn(const Running &How, const LoopWork &Work) {
  double Lines = Work.Lookups / std::max(1.0, Work.Loads);
  return double(How.WarpsPerGroup * How.BlocksPerSM) * Lines * LineBytes;
}

static Lost lostBy(const Running &How, const MemoryRates &Rates) {
  const LoopWork &Outer = How.Levels.front().Work;
  double L1 = std::max(double(How.L1Bytes) - Rates.UnusedKiB * 1024,
                       double(How.L1Bytes) / 2);
  Lost Sum = {Outer.SectorsNew, Outer.LoadsNew};
  for (size_t I = 0; I < How.Levels.size(); ++I) {
    const NestLevel &L = How.Levels[I];
    double Bytes = double(L.FootprintBytes);
    double Far = lostShare(Bytes, L1, Rates.Slope);
    double Near = lostShare(Rates.Near * Bytes, L1, Rates.Slope);
    double Twice =
        lostShare(std::min(Bytes, bytesOfATurn(How, L.Work)), L1, Rates.Slope);
    double Together = L.Innermost ? together(L, Rates) : 1;
    Lost Base = countedAround(How, I), All = touchedBy(L);
    Sum.Sectors += lostOf(Base.Sectors, All.Sectors, Together, Far, Near) +
                   Twice * L.Times * L.Work.SectorsTwice;
    Sum.Loads += lostOf(Base.Loads, All.Loads, Together, Far, Near) +
                 Twice * L.Times * L.Work.LoadsTwice;
  }
  Sum.Loads = std::min(Sum.Loads, Outer.Loads);
  return Sum;
}

/// What all busy SMs keep L2 busy with: their footprints, but no more than the
/// loads that L1's lines let be in flight. A short loop of known length is
/// unrolled.
static double bytesInL2(const Running &How, double SMs,
                        const MemoryRates &Rates) {
  const LoopWork &Inner = How.Levels.back().Work;
  double Loads = std::max(1.0, Inner.Loads);
  if (How.Levels.size() > 1 && Inner.Iterations &&
      *Inner.Iterations <= UnrolledWhole)
    Loads *= double(*Inner.Iterations);
  return SMs * std::min(double(How.Levels.front().FootprintBytes),
                        Rates.Flight * double(How.L1Bytes) * Loads);
}

double cyclesPerIteration(const Running &How, const Device &Gpu,
                          const MemoryRates &Rates) {
  const LoopWork &Work = How.Levels.front().Work;
  Lost Below = lostBy(How, Rates);
  double Warps = double(How.WarpsPerGroup * How.BlocksPerSM);
  double Port = Work.Lookups * Rates.Line + Work.BankTurns * Rates.Bank;
  double Waits = (Work.Loads * Rates.Hit + Below.Loads * Rates.Miss) /
                 together(How, Rates);
  double Latency = (Waits + Port) / Warps;
  double Sectors = Below.Sectors + Work.SectorsStored;
  double Traffic = Sectors * Rates.Sector;
  if (Rates.L2Bytes && Gpu.SMs) {
    double L2 = double(*Rates.L2Bytes);
    double Busy = double(How.BusySMs.value_or(*Gpu.SMs));
    double Bytes = bytesInL2(How, Busy, Rates);
    Traffic *= 1 + Rates.Far * std::min(1.0, Bytes / L2);
    double LostInL2 = lostShare(Bytes, Rates.L2Share * L2, 1);
    Traffic += Rates.Dram * Busy / double(*Gpu.SMs) *
               (Work.SectorsNew / 2 + (Sectors - Work.SectorsNew) * LostInL2);
  }
  double Sum = 0;
  for (double Term : {Port, Traffic, Latency})
    Sum += std::pow(Term, Rates.Power);
  return std::pow(Sum, 1 / Rates.Power);
}

double cyclesPerWarp(const Running &How, const Device &Gpu,
                     const MemoryRates &Rates) {
  const LoopWork &Work = How.Levels.front().Work;
  double Iterations =
      Work.Iterations ? double(*Work.Iterations) : UnknownIterations;
  double Cycles = Iterations * cyclesPerIteration(How, Gpu, Rates);
  // Each group starts with a cold latency of its own.
  if (How.WarpsPerGroup < How.WarpsPerBlock)
    Cycles += (Rates.Barrier + Rates.Miss) /
              double(How.WarpsPerGroup * How.BlocksPerSM);
  return Cycles;
}

} // namespace catt
