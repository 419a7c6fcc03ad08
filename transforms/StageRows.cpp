//===- StageRows.cpp - Rows that the warp loads together ------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads and stores the rows that the lanes of a warp walk together, through
// shared memory.
//
// Before:
//   for (int j = 0; j < m; ++j)
//     s += A[i * m + j] * x[j];
//
// After:
//   // catt: stage-rows(32): the warp loads the rows of its lanes together
//   if (blockDim.x <= 256 && blockDim.y * blockDim.z == 1 && m >= 32 &&
//       __activemask() == 0xffffffff) {
//     __shared__ __align__(16) unsigned char cattTiles[33792];
//     float *const cattRow_A = (float *)(cattTiles + 132 * threadIdx.x);
//     const unsigned cattLanes = 0xffffffff;
//     for (int j = 0; __any_sync(cattLanes, j < m);) {
//       cattLoadRow<32, 132>(cattLanes, threadIdx.x, cattRow_A, &A[i * m + j],
//                            j < m ? m - j : 0);
//       for (const auto cattFrom = j; j < m && j - cattFrom < 32; ++j)
//         s += cattRow_A[j - cattFrom] * x[j];
//     }
//   } else { // catt: begin 3f2a1c
//   for (int j = 0; j < m; ++j)
//     s += A[i * m + j] * x[j];
//   } // catt: end
//   // catt: done 90be47
//
// Each lane runs its own iterations in their order, so that every sum keeps its
// bits. Whichever lanes come to the loop together are one group: they stay
// together until none of them has iterations left, and each has a row of the
// tile of its own, so that the lanes of another group do not disturb them. No
// barrier of the block is needed, so that the loop may stand in divergent code.
// Reading ahead is safe where analysis/source/values/RowLoops.h says so.
//
// All loops of a kernel use the same tiles: the lanes of a group leave one loop
// together, and each thread's row has its place whatever the loop. Tiles of
// more than 48 KiB are dynamic shared memory, which the launches ask for
// (LaunchEdit.h):
//     extern __shared__ __align__(16) unsigned char cattTiles_k[];
// A launch that has less of it, because it stands elsewhere or its device has
// no more, runs the loop as it was: cattDynamicShared() says so.
//
// Limits: those of analysis/plan/stage/StagePlan.h; loops that share a line
// with other code, or with comments or directives that a copy cannot keep.
// Refused are kernels whose blocks wait for each other, as the tiles may leave
// fewer of them on an SM, and those that use dynamic shared memory where a
// launch does not say how much.
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/stage/LongRows.h"
#include "transforms/KernelBounds.h"
#include "transforms/KernelUses.h"
#include "transforms/LaunchEdit.h"
#include "llvm/ADT/StringExtras.h"

using llvm::StringRef;

namespace catt {

/// What stands against more shared memory for each block: it may leave fewer
/// of them on an SM, or be more than a launch in sight or elsewhere can have.
static std::optional<Refusal> cannotTakeShared(const Context &C) {
  const Kernel &K = C.Kernel.Source;
  std::vector<Refusal> Waiting;
  refuseFewerBlocks(K, Waiting);
  if (!Waiting.empty())
    return Waiting.front();
  const TileMemory &Tiles = C.Kernel.Plan.Tiles;
  const bool Spills = C.Kernel.Spill && !C.Kernel.Spill->Moved.empty();
  int64_t Bytes = K.StaticSharedBytes + Tiles.bytes();
  if (Spills)
    Bytes += C.Kernel.Spill->sharedBytes();
  if (Spills && (Tiles.IsDynamic || Bytes > C.Gpu.SharedBytesPerBlock ||
                 C.Kernel.Spill->isDynamic()))
    return Refusal{Reason::NotEnoughShared, K.Where,
                   std::to_string(Bytes) + " bytes with its slots and tiles"};
  if (!K.UsesDynamicShared)
    return std::nullopt;
  for (const Launch &L : K.Launches)
    if (!L.DynamicSharedBytes)
      return Refusal{Reason::NotEnoughShared, L.Where,
                     "dynamic shared memory that only the run knows"};
  if (std::optional<std::string> Foreign = foreignUse(K, C.Files))
    return Refusal{Reason::LaunchedElsewhere, K.Where, *Foreign};
  return std::nullopt;
}

static bool hasTiles(const LoopVersion &V) { return !V.Reads.empty(); }

namespace {
struct PreparedStages final : Prepared {
  void edit(EditBuilder &Out) const override;
  std::vector<VersionedLoop> Loops;
  std::optional<LaunchEdit> Launches; ///< where the tiles are dynamic
  std::optional<SecondKernel> Second; ///< where launches choose
  bool WritesSecond = false;          ///< and not try-launches
  std::string Bounds;                 ///< of the kernel, where there is one
  /// Functions that others call, too, where there is no second kernel.
  std::vector<FlaggedCallee> Shared;
  std::string SharedFlag = "";
};

class StageRows final : public Transform {
public:
  using Transform::Transform;
  StringRef summary() const override {
    return "Loads and stores the rows that the lanes of a warp walk together, "
           "through shared memory.";
  }
  Preparation prepare(const Context &C) const override;
  bool giveUp(KernelReport &Kernel, const Shortfall &Refused) const override;
  bool hasThrottled(const Kernel &Kernel,
                    const FileContexts &Files) const override {
    // Of two kernels with one body, one calls what is marked.
    return isMarked(Kernel, name(), Files) || hasRewrittenLoop(Kernel, Files);
  }
};
} // namespace

static std::string rows(size_t Count) {
  return std::to_string(Count) + (Count == 1 ? " row" : " rows");
}

/// Puts the version of a loop into words and into the text.
static void stage(const VersionedLoop &V, EditBuilder &Out) {
  size_t Loaded = 0, Stored = 0;
  for (unsigned R : V.Version.Reads) {
    Loaded += V.Rows.Reads[R].IsRead;
    Stored += V.Rows.Reads[R].IsWritten;
  }
  llvm::SmallVector<std::string, 2> What, Verbs;
  if (Loaded)
    Verbs.push_back("loads"), What.push_back("loads " + rows(Loaded));
  if (Stored)
    Verbs.push_back("stores"), What.push_back("stores " + rows(Stored));
  writeVersion(V,
               "the warp " + llvm::join(Verbs, " and ") +
                   " the rows of its lanes together",
               Out);
  Out.done(V.K.Loops[V.Rows.Loop].Where,
           llvm::join(What, " and ") + " of each lane in tiles of " +
               std::to_string(V.Version.Columns) + " elements");
}

void PreparedStages::edit(EditBuilder &Out) const {
  const VersionedLoop &First = Loops.front();
  if (First.SharesTiles)
    Out.addBehindBrace(First.Rows.Span.File, First.Rows.BodyBegin,
                       {"tiles",
                        "a row of each thread in shared memory",
                        {tileDeclaration(First)},
                        {}});
  for (const VersionedLoop &V : Loops)
    stage(V, Out);
  for (const FlaggedCallee &F : Shared)
    writeFlag(F, First.Rows.Span.File, SharedFlag, "true", Out);
  if (!Second)
    writeBounds(First.K, Bounds, Out);
  else if (WritesSecond)
    writeSecondKernel(*Second, Out);
  if (Launches)
    Launches->edit(Out);
}

/// What every launch has to ask for, where the tiles are dynamic.
static LaunchEdit launchesOf(const Context &C, StringRef Transform,
                             const std::optional<SecondKernel> &Second) {
  const TileMemory &Tiles = C.Kernel.Plan.Tiles;
  LaunchCall More("cattShared",
                  Tiles.DynamicOffset + (Tiles.AnyBlock ? 0 : Tiles.bytes()),
                  {}, {});
  More.LessOwn = true;
  More.PerThread = Tiles.AnyBlock ? Tiles.ThreadBytes : 0;
  More.Argument = "tiles";
  More.Second = Second;
  auto IfLong = [&C](const Launch &L) {
    return longRowsAt(L, C.Kernel.Source, C.Kernel.Plan.Versions);
  };
  auto IfTried = [&Second](const Launch &) -> std::optional<std::string> {
    return Second->Trial + ".changed()";
  };
  LaunchCondition When = nullptr;
  if (Second && C.Kernel.Plan.ByTrials)
    When = IfTried;
  else if (Tiles.IfLong)
    When = IfLong;
  return {C, Transform, std::move(More), When};
}

Preparation StageRows::prepare(const Context &C) const {
  Preparation Out;
  Out.Refusals = C.Kernel.Plan.NotStaged;
  const Kernel &K = C.Kernel.Source;
  const TileMemory &Tiles = C.Kernel.Plan.Tiles;
  if (llvm::none_of(C.Kernel.Plan.Versions, hasTiles))
    return Out;
  if (std::optional<Refusal> R = cannotTakeShared(C)) {
    Out.Refusals.push_back(std::move(*R));
    return Out;
  }
  auto Found = std::make_unique<PreparedStages>();
  for (const LoopVersion &Version : C.Kernel.Plan.Versions) {
    if (!hasTiles(Version))
      continue;
    const RowLoop &Rows = K.RowLoops[Version.Rows];
    // One text for all calls of its function.
    if (llvm::any_of(Found->Loops, [&](const VersionedLoop &V) {
          return V.Rows.isTextOf(Rows);
        }))
      continue;
    // Static tiles are declared in one function, for all its loops.
    const bool Hidden = !Tiles.IsDynamic && !Found->Loops.empty() &&
                        Found->Loops.front().Rows.BodyBegin != Rows.BodyBegin;
    if (std::optional<Refusal> R = cannotVersion(C, Rows))
      Out.Refusals.push_back(std::move(*R));
    else if (Rows.isShared() && !canBeFlagged(Rows, C.Files.at(Rows.Span.File)))
      Out.Refusals.push_back({Reason::CalledTwice, K.Loops[Rows.Loop].Where,
                              "and it can be no template"});
    else if (Hidden)
      Out.Refusals.push_back({Reason::InMacro, K.Loops[Rows.Loop].Where,
                              "a loop with tiles in another function"});
    else
      Found->Loops.push_back(
          versionOf(K, Version, Tiles, C.Files.at(Rows.Span.File)));
  }
  if (Found->Loops.empty())
    return Out;
  Found->Second = secondKernelOf(C);
  Found->WritesSecond = !C.Kernel.Plan.ByTrials;
  if (!Found->Second) {
    if (std::optional<Refusal> R = cannotBound(C, Found->Loops)) {
      Out.Refusals.push_back(std::move(*R));
      return Out;
    }
    Found->Bounds = boundsFor(C, Found->Loops);
    for (const FlaggedCallee &F : calleesOf(C))
      if (F.IsShared)
        Found->Shared.push_back(F);
    Found->SharedFlag =
        freshName(C.Files.at(Found->Loops.front().Rows.Span.File), "cattRows");
  }
  for (VersionedLoop &V : Found->Loops) {
    V.SharesTiles = Found->Loops.size() > 1 && !Tiles.IsDynamic;
    V.OnlyIf = Found->Second       ? Found->Second->Flag
               : V.Rows.isShared() ? Found->SharedFlag
                                   : "";
  }
  if (Tiles.IsDynamic)
    Found->Launches.emplace(launchesOf(C, name(), Found->Second));
  if (Found->Launches && Found->Launches->Why) {
    Out.Refusals.push_back(*Found->Launches->Why);
    return Out;
  }
  Out.Found = std::move(Found);
  return Out;
}

/// Loops whose rows are planned in tiles and were not written so. Where it is
/// the launches that cannot ask for tiles, smaller ones may do.
bool StageRows::giveUp(KernelReport &Kernel, const Shortfall &Refused) const {
  bool Any = false;
  for (const LoopVersion &Version : Kernel.Plan.Versions) {
    if (!hasTiles(Version))
      continue;
    RowLoop &Rows = Kernel.Source.RowLoops[Version.Rows];
    std::optional<Refusal> Why =
        Refused.refusedAt(Kernel.Source.Loops[Rows.Loop].Where);
    if (!Why)
      continue;
    Any = true;
    if (Kernel.Plan.Tiles.IsDynamic && Why->Kind == Reason::LaunchNotEditable)
      Kernel.May.LaunchTiles = false;
    else
      Rows.NotInTiles = std::move(*Why);
  }
  return Any;
}

const Transform &theStageRows(const TransformTraits &Traits) {
  static const StageRows Only(Traits);
  return Only;
}

} // namespace catt
