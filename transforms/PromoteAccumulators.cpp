//===- PromoteAccumulators.cpp - Sums that wait in registers --------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps what a loop adds up in memory in registers while it runs.
//
// Before:
//   for (int j = 0; j < m; ++j)
//     y[i] += A[j * n + i] * x[j];
//
// After:
//   // catt: promote-accumulators(1): what the loop adds up stays in registers
//   if (m >= 32 && cattApart(&y[i], 1, &x[0], m)) {
//     float cattSum_y = y[i];
//     for (int j = 0; j < m; ++j)
//       cattSum_y += A[j * n + i] * x[j];
//     y[i] = cattSum_y;
//     __syncwarp(__activemask());
//   } else { // catt: begin 3f2a1c
//   for (int j = 0; j < m; ++j)
//     y[i] += A[j * n + i] * x[j];
//   } // catt: end
//   // catt: done 90be47
//
// A compiler cannot do this where y may be what the loop reads; a program that
// compares the addresses can. Each addition is done as before, in the same
// order and type, and the loop runs at least once, so that y[i] is loaded and
// stored where it was before. The barrier of the warp keeps the compiler from
// handing the sum on to what follows, which would be fused otherwise.
//
// Where the rows of the loop are loaded in tiles, stage-rows writes the sums.
//
// Limits: those of RowSum in analysis/source/values/RowLoops.h; what the loop
// touches must be known before it, or be of a __restrict__ parameter. A sum
// that belongs to one is left to the compiler, which promotes it itself.
//
//===----------------------------------------------------------------------===//
#include "transforms/KernelBounds.h"
#include "transforms/KernelVersions.h"

using llvm::StringRef;

namespace catt {
namespace {
struct PreparedSums final : Prepared {
  void edit(EditBuilder &Out) const override {
    for (const VersionedLoop &V : Loops) {
      writeVersion(V, "what the loop adds up stays in registers", Out);
      const size_t Count = V.SumNames.size();
      Out.done(V.K.Loops[V.Rows.Loop].Where,
               "keeps " + std::to_string(Count) +
                   (Count == 1 ? " sum" : " sums") + " in registers");
    }
    writeBounds(Loops.front().K, Bounds, Out);
  }
  std::vector<VersionedLoop> Loops;
  std::string Bounds;
};

class PromoteAccumulators final : public Transform {
public:
  using Transform::Transform;
  StringRef summary() const override {
    return "Keeps what a loop adds up in memory in registers while it runs.";
  }
  Preparation prepare(const Context &C) const override;
  bool giveUp(KernelReport &Kernel, const Shortfall &Refused) const override;
};
} // namespace

static bool hasSumsAlone(const LoopVersion &V) { return V.Reads.empty(); }

/// stage-rows does, where the kernel holds tiles itself.
static bool isBoundForTiles(const Context &C) {
  return llvm::any_of(C.Kernel.Plan.Versions,
                      [](const LoopVersion &V) {
                        return !hasSumsAlone(V) && V.BoundThreads;
                      }) &&
         !secondKernelOf(C);
}

Preparation PromoteAccumulators::prepare(const Context &C) const {
  Preparation Out;
  const Kernel &K = C.Kernel.Source;
  auto Found = std::make_unique<PreparedSums>();
  for (const LoopVersion &Version : C.Kernel.Plan.Versions) {
    if (!hasSumsAlone(Version))
      continue;
    const RowLoop &Rows = K.RowLoops[Version.Rows];
    if (std::optional<Refusal> R = cannotVersion(C, Rows))
      Out.Refusals.push_back(std::move(*R));
    else
      Found->Loops.push_back(versionOf(K, Version, C.Kernel.Plan.Tiles,
                                       C.Files.at(Rows.Span.File)));
  }
  if (Found->Loops.empty())
    return Out;
  const std::optional<SecondKernel> Tried =
      C.Kernel.Plan.ByTrials ? secondKernelOf(C) : std::nullopt;
  std::optional<Refusal> Not;
  if (Tried) {
    for (VersionedLoop &V : Found->Loops)
      V.OnlyIf = Tried->Flag;
  } else if (Not = cannotBound(C, Found->Loops); !Not && !isBoundForTiles(C)) {
    Found->Bounds = boundsFor(C, Found->Loops);
  }
  if (Not)
    Out.Refusals.push_back(std::move(*Not));
  else
    Out.Found = std::move(Found);
  return Out;
}

bool PromoteAccumulators::giveUp(KernelReport &Kernel,
                                 const Shortfall &Refused) const {
  bool Any = false;
  for (const LoopVersion &Version : Kernel.Plan.Versions) {
    RowLoop &Rows = Kernel.Source.RowLoops[Version.Rows];
    std::optional<Refusal> Why =
        Refused.refusedAt(Kernel.Source.Loops[Rows.Loop].Where);
    if (!Why || !hasSumsAlone(Version))
      continue;
    for (RowSum &Sum : Rows.Sums)
      Sum.Why = *Why;
    Any = true;
  }
  return Any;
}

const Transform &thePromoteAccumulators(const TransformTraits &Traits) {
  static const PromoteAccumulators Only(Traits);
  return Only;
}

} // namespace catt
