//===- StagePlan.cpp - Which rows are loaded by the warp together ---------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/stage/StagePlan.h"
#include "analysis/nest/Nest.h"
#include "analysis/plan/throttle/Prediction.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cstdlib>

namespace catt {

/// Measured on an H200: rows of 4 elements take 1.2 to 1.5 times as long with
/// tiles of 8 and 16, rows of 8 and 24 as long, rows of 32 0.4 to 0.7 times.
static constexpr int64_t MinTrips = 32;

static int64_t tileBytes(const RowLoop &Rows, const StagedLoop &Staged) {
  int64_t Bytes = 0;
  for (unsigned R : Staged.Reads)
    Bytes += int64_t(Rows.Reads[R].ElementBytes);
  return Bytes * Staged.Threads * (Staged.Columns + 1); // padded by one
}

/// Where only the run knows how long rows are, long ones: of short ones the
/// loop runs as it is.
static Setting withLongRows(const Setting &S) {
  constexpr int64_t Elements = 1024;
  Setting Out = S;
  Out.Counted = nullptr;
  for (const Parameter &P : S.K.Parameters)
    if (P.IsInteger)
      Out.Footprint.Parameters.insert({P.Name, Elements});
  return Out;
}

/// The reads of lanes that stand a line or more apart.
static std::vector<unsigned> rowsApart(const Setting &S, const RowLoop &Rows,
                                       std::vector<Refusal> &Refusals) {
  std::vector<unsigned> Out;
  for (const auto &[I, Read] : llvm::enumerate(Rows.Reads)) {
    std::optional<int64_t> Stride =
        laneStrideBytes(S.K.Accesses[Read.Access], S.Footprint);
    if (!Stride || std::abs(*Stride) < LineBytes)
      continue;
    if (Read.Why)
      Refusals.push_back(*Read.Why);
    else
      Out.push_back(I);
  }
  return Out;
}

Stages stagesFor(const Setting &S, const std::vector<LoopProfile> &Profiles) {
  Stages Out;
  int64_t Shared = S.K.StaticSharedBytes;
  if (!S.Throttle.Gpu.barrierCountsLiveThreads())
    return Out;
  const Setting Long = withLongRows(S);
  const bool IsKnown = Long.Footprint.Parameters == S.Footprint.Parameters;
  for (const auto &[I, Rows] : llvm::enumerate(S.K.RowLoops)) {
    const LoopProfile *Profile = profileOf(Profiles, Rows.Loop);
    if (!Profile || !isInnermost(S.K, Rows.Loop))
      continue;
    const LoopProfile Known = IsKnown ? *Profile : profileOf(Long, Rows.Loop);
    if (!Known.Work)
      continue;
    std::optional<int64_t> Trips = Known.Work->Iterations;
    if (Trips && *Trips < MinTrips)
      continue;
    if (!Rows.Refusals.empty()) {
      Out.Refusals.push_back(Rows.Refusals.front());
      continue;
    }
    StagedLoop Each;
    Each.Rows = I;
    Each.Reads = rowsApart(Long, Rows, Out.Refusals);
    if (Each.Reads.empty())
      continue;
    const std::optional<AffineIndex> &Count = S.K.Loops[Rows.Loop].TripCount;
    bool Enough = Count && Count->constant().value_or(0) >= MinTrips;
    Each.MinTrips = Enough ? 0 : MinTrips;
    Each.Threads = *S.Footprint.Block.count();
    for (int64_t Columns : {16, 8}) {
      Each.Columns = Columns;
      Each.SharedBytes = tileBytes(Rows, Each);
      if (Shared + Each.SharedBytes <= S.Throttle.Gpu.SharedBytesPerBlock)
        break;
    }
    if (Shared + Each.SharedBytes > S.Throttle.Gpu.SharedBytesPerBlock) {
      Out.Refusals.push_back(
          {Reason::NotEnoughShared, S.K.Loops[Rows.Loop].Where,
           llvm::utostr(Each.SharedBytes) + " bytes for tiles of 8 elements"});
      continue;
    }
    Shared += Each.SharedBytes;
    Out.Loops.push_back(std::move(Each));
  }
  return Out;
}

Kernel withStages(const Kernel &K, llvm::ArrayRef<StagedLoop> Staged) {
  Kernel With = K;
  for (const StagedLoop &Each : Staged) {
    const RowLoop &Rows = K.RowLoops[Each.Rows];
    With.StaticSharedBytes += Each.SharedBytes;
    for (unsigned R : Each.Reads)
      llvm::erase_if(With.Accesses, [&](const Access &A) {
        return A.Loop == Rows.Loop && A.Text == Rows.Reads[R].Text && A.Reads &&
               !A.Writes;
      });
  }
  return With;
}

std::string namesOf(const RowLoop &Rows, const StagedLoop &Staged) {
  std::vector<std::string> Names;
  for (unsigned R : Staged.Reads)
    Names.push_back(Rows.Reads[R].Text);
  std::string Last = Names.back();
  Names.pop_back();
  return Names.empty() ? Last : llvm::join(Names, ", ") + " and " + Last;
}

} // namespace catt
