//===- TimeModel.cpp - What a choice costs and gains -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/plan/TimeModel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>

namespace catt {

/// Iterations of a loop whose trip count is not known.
static constexpr double UnknownIterations = 256;

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

MemoryRates memoryRates(const Device &Gpu) {
  MemoryRates Rates;
  auto Find = [](llvm::StringRef Card) {
    return llvm::find_if(Sheets,
                         [&](const DataSheet &S) { return Card == S.Card; });
  };
  const DataSheet *Fitted = Find("h200"), *Sheet = Find(Gpu.Name);
  if (Sheet == std::end(Sheets))
    return Rates;
  Rates.Sector *= bytesPerCycle(*Fitted) / bytesPerCycle(*Sheet);
  Rates.L2Bytes = int64_t(Sheet->L2MiB * 1024 * 1024);
  if (Sheet == Fitted)
    Rates.From = Origin::Measured;
  return Rates;
}

double lostShare(double FootprintBytes, double CacheBytes) {
  if (FootprintBytes <= CacheBytes)
    return 0;
  return std::min(1.0, 3 * (1 - CacheBytes / FootprintBytes));
}

/// L1 that the sweep behaves as if it had: 21 KiB do not stay in 28 KiB, but
/// 68 KiB do in 92 KiB.
static double usableL1(int64_t L1Bytes) {
  constexpr int64_t NeverFilled = int64_t(10) * 1024;
  return double(std::max<int64_t>(L1Bytes - NeverFilled, L1Bytes / 2));
}

double cyclesPerIteration(const Running &How, const Device &Gpu,
                          const MemoryRates &Rates) {
  const NestLevel &Outer = How.Levels.front();
  double Batch = Outer.Work.Stores ? 1 : Rates.Batch;
  double Missed = Outer.Work.SectorsNew, Missing = Outer.Work.LoadsNew;
  for (const NestLevel &L : How.Levels) {
    double Lost =
        L.Times * lostShare(double(L.FootprintBytes), usableL1(How.L1Bytes));
    double Touched = L.Work.SectorsNew + L.Work.SectorsAgain;
    Missed += Lost * std::max(0.0, Touched / Batch - L.Work.SectorsNew);
    double Loads = L.Work.LoadsNew + L.Work.LoadsAgain;
    Missing += Lost * std::max(0.0, Loads / Batch - L.Work.LoadsNew);
  }
  double Sector = Rates.Sector;
  // Where nothing is stored, the sweeps show gains and losses alike.
  if (Rates.L2Bytes && Gpu.SMs && Outer.Work.Stores)
    Sector *=
        1 + 0.6 * lostShare(double(Outer.FootprintBytes) * double(*Gpu.SMs),
                            0.4 * double(Rates.L2Bytes));
  double Loads = Outer.Work.Loads;
  double Latency =
      (Loads * Rates.Hit / Batch + std::min(Missing, Loads) * Rates.Miss) /
      double(How.WarpsPerGroup * How.BlocksPerSM);
  return std::max(
      {Outer.Work.Lookups * Rates.Lookup, Missed * Sector, Latency});
}

double cyclesPerWarp(const Running &How, const Device &Gpu,
                     const MemoryRates &Rates) {
  const LoopWork &Work = How.Levels.front().Work;
  double Iterations =
      Work.Iterations ? double(*Work.Iterations) : UnknownIterations;
  double Cycles = Iterations * cyclesPerIteration(How, Gpu, Rates);
  int64_t Groups =
      (How.WarpsPerBlock + How.WarpsPerGroup - 1) / How.WarpsPerGroup;
  if (Groups > 1) // each group starts with a cold latency of its own
    Cycles += double(Groups) * (Rates.Barrier + Rates.Miss) /
              double(How.WarpsPerBlock * How.BlocksPerSM);
  return Cycles;
}

} // namespace catt
