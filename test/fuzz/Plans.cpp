//===- Plans.cpp - What generated kernels are made to want ----------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/nest/Nest.h"
#include "analysis/plan/stage/LongRows.h"
#include "analysis/plan/stage/TileLayout.h"
#include "test/fuzz/Properties.h"
#include "llvm/ADT/STLExtras.h"

namespace catt::fuzz {

/// The parameter of a decision at run time: any integer that is passed.
static const Argument *anyParameter(const GeneratedKernel &K) {
  for (const Argument &A : K.Arguments)
    if (A.Value)
      return &A;
  return nullptr;
}

static bool isForced(const Loop &L, const Kernel &Source,
                     const GeneratedKernel &K) {
  if (!L.Site || !L.Refusals.empty() || !(K.ForcedLoops >> (L.Id % 64) & 1))
    return false;
  return !K.InnermostOnly ||
         llvm::none_of(Source.Loops,
                       [&](const Loop &Other) { return Other.Parent == L.Id; });
}

/// A plan splits no loop inside one that it splits. Within one function the
/// transform sees so much in the text, and is tested on that; a site in a
/// device function it takes on trust.
static bool isCoveredByCaller(const Loop &L, const Kernel &Source,
                              const GeneratedKernel &K) {
  for (std::optional<unsigned> P = L.Parent; P; P = Source.Loops[*P].Parent)
    if (Source.Loops[*P].Function != L.Function &&
        isForced(Source.Loops[*P], Source, K))
      return true;
  return false;
}

void forcePlan(KernelReport &Report, const GeneratedKernel &K) {
  if (K.ReserveBytes)
    Report.Plan.ReserveSharedBytes = K.ReserveBytes;
  if (K.CarveoutPercent)
    Report.Plan.CarveoutPercent = K.CarveoutPercent;
  int64_t Warps = (K.Block.count() + 31) / 32;
  for (const Loop &L : Report.Source.Loops) {
    if (!isForced(L, Report.Source, K) ||
        isCoveredByCaller(L, Report.Source, K))
      continue;
    LoopPlan *Plan = nullptr;
    for (LoopPlan &P : Report.Plan.Loops)
      if (P.Loop == L.Id)
        Plan = &P;
    if (!Plan)
      Plan = &Report.Plan.Loops.emplace_back();
    *Plan = LoopPlan();
    Plan->Loop = L.Id;
    Plan->WarpsPerGroup =
        std::max<int64_t>(1, (Warps + K.Groups - 1) / int64_t(K.Groups));
    Plan->Groups = std::max<int64_t>(2, (Warps + Plan->WarpsPerGroup - 1) /
                                            Plan->WarpsPerGroup);
    const Argument *A = anyParameter(K);
    if (K.ByParameter && A && Report.Source.Span.File == L.Site->Span.File &&
        L.Site->Span.Begin >= Report.Source.Span.Begin &&
        L.Site->Span.End <= Report.Source.Span.End)
      Plan->Cases = {
          {A->Name, *A->Value - 1, Plan->WarpsPerGroup + 1},
          {A->Name, *A->Value + int64_t(K.Groups % 2), Plan->WarpsPerGroup}};
  }
}

/// All values are live at one of the statements.
static RegisterUse pressure(const Kernel &Source, const GeneratedKernel &K) {
  RegisterUse Use;
  Use.Default.Registers = 255;
  for (uint64_t At : {K.Seed, K.Seed / 7}) {
    PressurePeak Peak;
    Peak.Begin = Peak.End =
        Source.Statements[At % Source.Statements.size()].Where;
    for (const ThreadValue &V : Source.Values)
      Peak.Live.push_back({V.Variable, V.Where, 1, false, 1});
    Use.Peaks.push_back(Peak);
  }
  return Use;
}

void forceRemat(KernelReport &Report, const GeneratedKernel &K) {
  if (!Report.Source.Statements.empty())
    Report.Remat = planRemat(Report.Source, pressure(Report.Source, K), 16, 8);
}

/// Any cap that some number of blocks has, as if ptxas had tried them all.
void forceBounds(KernelReport &Report, const GeneratedKernel &K,
                 const Device &Gpu) {
  Kernel Source = Report.Source;
  RegisterOptions Options;
  Options.Gpu = Gpu;
  Options.Target = 255; // then the grid may be small
  if (K.Seed % 5 == 0)
    Options.Form = BoundsForm::MaxRegisters;
  if (!K.isEnemy()) // the driver launches what the file launches
    Source.AllLaunchesVisible = true;
  const Launch *L = decidingLaunch(Source);
  if (!L || !K.BlockText.empty()) // which may be larger
    return;
  RegisterUse Use;
  Use.Default.Registers = 255;
  for (unsigned Cap : capsToAsk(Source, *L, Options)) {
    RegisterPoint Point;
    Point.CapRegisters = Point.Registers = Cap;
    Point.From = Origin::Measured;
    Use.Caps.push_back(Point);
  }
  if (!Use.Caps.empty())
    Options.Target = Use.Caps[K.Seed % Use.Caps.size()].Registers;
  Report.Registers =
      planRegisters(Source, Use, InstructionMix(), std::nullopt, Options);
}

static bool isInsideVersion(const KernelReport &Report, unsigned Loop) {
  return llvm::any_of(Report.Plan.Versions, [&](const LoopVersion &V) {
    return isInside(Report.Source, Loop, Report.Source.RowLoops[V.Rows].Loop);
  });
}

/// Every loop that can run in tiles does, and reads all that it may ahead; what
/// it adds up waits in registers, in some kernels that alone.
void forceStages(KernelReport &Report, const GeneratedKernel &K) {
  Report.Plan.Versions.clear();
  Report.Plan.NotStaged.clear();
  TileMemory &Tiles = Report.Plan.Tiles = {};
  Tiles.Threads = std::min<int64_t>(K.Block.count(), 1024);
  for (const auto &[I, Rows] : llvm::enumerate(Report.Source.RowLoops)) {
    const bool SumsAlone = !Rows.Sums.empty() && K.Seed / 24 % 3 == 0;
    const bool Stays = !isInnermost(Report.Source, Rows.Loop);
    LoopVersion Version;
    auto Fits = [&, &Rows = Rows](const RowRead &Read) {
      return !Read.Why && Read.Walk.has_value() == Stays &&
             (!Stays || Version.Reads.empty() ||
              walkAlike(*Read.Walk, *Rows.Reads[Version.Reads.front()].Walk));
    };
    for (const auto &[R, Read] : llvm::enumerate(Rows.Reads))
      if (!SumsAlone && Fits(Read))
        Version.Reads.push_back(R);
    for (const auto &[R, Sum] : llvm::enumerate(Rows.Sums))
      if (!Sum.Why && (SumsAlone || K.Seed / 12 % 2))
        Version.Sums.push_back(R);
    if (!Rows.Refusals.empty() ||
        (Version.Reads.empty() && Version.Sums.empty()) ||
        (Stays && (Version.Reads.empty() || K.Seed / 48 % 2)) ||
        isInsideVersion(Report, Rows.Loop))
      continue;
    Version.Rows = I;
    Version.Columns = K.Seed / 3 % 2 ? 8 : 16;
    if (Stays)
      Version.Columns *= 3;
    // A sum is loaded and stored whether the loop runs or not.
    Version.MinTrips = K.Seed / 6 % 4 * 7;
    // Rows that stay have room for so many elements.
    if (Stays || !Version.Sums.empty())
      Version.MinTrips = std::max<int64_t>(Version.MinTrips, 1);
    Tiles.ThreadBytes =
        std::max(Tiles.ThreadBytes,
                 int64_t(llvm::alignTo(threadBytes(Rows, Version), 16)));
    Report.Plan.Versions.push_back(Version);
  }
  keepOneText(Report.Source, Report.Plan.Versions);
  llvm::erase_if(Report.Plan.Versions, [](const LoopVersion &V) {
    return V.Reads.empty() && V.Sums.empty();
  });
  Tiles.IfLong = llvm::all_of(Report.Source.Launches, [&](const Launch &L) {
    return longRowsAt(L, Report.Source, Report.Plan.Versions).has_value();
  });
  Tiles.AnyBlock = !K.BlockText.empty() || !K.BlockAgain.empty();
  // What others may take of static shared memory.
  Tiles.IsDynamic =
      Tiles.IfLong || Tiles.AnyBlock || (8 << 10) + Tiles.bytes() > 48 << 10;
}

void forceSpill(KernelReport &Report, const GeneratedKernel &K,
                const Device &Gpu) {
  Kernel Source = Report.Source;
  if (Source.Statements.empty() || !K.BlockText.empty())
    return;
  Source.StaticSharedBytes += K.ReserveBytes; // by reserve-shared
  RegisterOptions Options;
  Options.Gpu = Gpu;
  Options.Force = true; // the driver launches what the file launches
  Source.AllLaunchesVisible = true;
  Options.MayRaiseShared = K.ReserveBytes == 0;
  if (K.Seed % 2)
    Options.Gpu.SharedBytesPerBlock = 1024; // most slots are then dynamic
  Report.Spill = planSpill(Source, pressure(Source, K), 16, Options);
}

} // namespace catt::fuzz
