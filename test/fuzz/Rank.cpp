//===- Rank.cpp - Candidates, predicted and played -------------------------==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   candidate (warps per group w, blocks T)
//     --footprint, lost share of the reuse (time/TimeModel)--> predicted
//     sectors
//     --L1 of the trace, T blocks, K = w * T active warps----> missed sectors
//
// What is predicted is the traffic, the part of the time model that a cache
// without a clock can judge. The L1 is LRU and fully associative.
//
//===----------------------------------------------------------------------===//

#include "test/fuzz/Rank.h"
#include "analysis/memory/Footprint.h"
#include "analysis/memory/LoopWork.h"
#include "analysis/plan/throttle/Candidates.h"
#include "analysis/time/TimeModel.h"
#include "test/simt/Trace.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

namespace catt::fuzz {

std::optional<double> kendall(const std::vector<double> &A,
                              const std::vector<double> &B) {
  int64_t Agree = 0, UntiedA = 0, UntiedB = 0;
  auto Sign = [](double X, double Y) { return int(X > Y) - int(X < Y); };
  for (size_t I = 0; I < A.size(); ++I)
    for (size_t J = I + 1; J < A.size(); ++J) {
      int InA = Sign(A[I], A[J]), InB = Sign(B[I], B[J]);
      Agree += InA * InB;
      UntiedA += InA != 0;
      UntiedB += InB != 0;
    }
  if (!UntiedA || !UntiedB)
    return std::nullopt;
  return double(Agree) / std::sqrt(double(UntiedA) * double(UntiedB));
}

namespace {

constexpr unsigned MaxBlocks = 4; ///< of the simulated SM

/// A loop of a launch, its requests and its candidates' predictions.
class LoopRank {
public:
  LoopRank(const Kernel &K, const Loop &L, const TracedLaunch &Launch,
           const simt::Result &Run)
      : K(K), L(L) {
    Options.Block = {Launch.Block.X, Launch.Block.Y, Launch.Block.Z};
    Options.Grid = {Launch.Grid.X, Launch.Grid.Y, Launch.Grid.Z};
    Options.Parameters = Launch.Integers;
    Warps = int64_t(Launch.Block.count() + 31) / 32;
    Blocks = std::min<uint64_t>(Launch.Grid.count(), MaxBlocks);
    simt::Filter F;
    F.Windows = {{L.Where.Line}};
    F.Blocks = simt::blocksOfSM(uint32_t(Launch.Grid.count()),
                                unsigned(Launch.Grid.count() / Blocks), 0);
    F.Blocks.resize(std::min<size_t>(F.Blocks.size(), 2 * MaxBlocks));
    Dealt = F.Blocks;
    Requests = simt::warpRequests(Run, F);
  }

  std::vector<std::string> rows() {
    std::vector<std::string> Rows;
    auto Profile = profileLoop(K, L.Id, Options);
    auto Work = loopWork(K, L.Id, Options);
    if (!Profile || !Work) {
      llvm::consumeError(Profile.takeError());
      llvm::consumeError(Work.takeError());
      return Rows;
    }
    if (Profile->Levels.empty() || !Profile->Levels.front().Reuse)
      return Rows;
    for (int64_t KiB : {4, 8, 16, 32, 64})
      if (std::optional<std::string> R =
              row(Profile->Levels.front(), *Work, KiB))
        Rows.push_back(*R);
    return Rows;
  }

private:
  std::optional<std::string> row(const LevelFootprint &Level,
                                 const LoopWork &Work, int64_t KiB) const {
    std::vector<double> Predicted, Played;
    bool Fits = false, Overflows = false;
    for (int64_t T = 1; T <= int64_t(Blocks); ++T)
      for (int64_t W : warpChoices(Warps, /*PaperRule=*/false)) {
        double Bytes = double(footprintBytes(Level, W, T, false));
        double Cache = double(KiB * 1024);
        (Bytes <= Cache ? Fits : Overflows) = true;
        Predicted.push_back(Work.SectorsNew +
                            Work.SectorsAgain *
                                lostShare(Bytes, Cache, MemoryRates().Slope));
        simt::CacheStats S =
            simt::simulateL1(Requests, Dealt, {uint64_t(KiB) * 1024},
                             {unsigned(T), unsigned(W * T)});
        Played.push_back(double(S.Sectors - S.SectorHits));
      }
    if (!Fits || !Overflows)
      return std::nullopt;
    std::optional<double> Tau = kendall(Predicted, Played);
    return llvm::formatv("| {0} | {1} | {2} | {3} | {4} |", K.UnqualifiedName,
                         L.Where.Line, KiB, Predicted.size(),
                         Tau ? llvm::formatv("{0:f2}", *Tau).str() : "ties")
        .str();
  }

  const Kernel &K;
  const Loop &L;
  FootprintOptions Options;
  int64_t Warps = 1;
  uint64_t Blocks = 1;
  std::vector<uint32_t> Dealt;
  simt::WarpRequests Requests;
};

} // namespace

std::vector<std::string> rankRows(const Kernel &K, const TracedLaunch &Launch,
                                  const simt::Result &Run) {
  std::vector<std::string> Rows;
  for (const Loop &L : K.Loops) {
    std::vector<std::string> More = LoopRank(K, L, Launch, Run).rows();
    Rows.insert(Rows.end(), More.begin(), More.end());
  }
  return Rows;
}

} // namespace catt::fuzz
