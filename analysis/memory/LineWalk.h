//===- LineWalk.h - The lines of one iteration of one loop level -*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One loop level of one kernel under one launch, compiled so that the lines of
// any warp in any iteration can be listed:
//
//   Access + launch + parameters + representative
//     | substitute, split off what is unknown     -> affine parts
//     | compile                                   -> Formula over slots
//     v
//   for each row of threads (equal y and z) of the warp
//     for each value of the dimensions that must be walked
//       the other dimensions are (stride, count) pairs  ->  intervals of lines
//
// A dimension (threadIdx.x or an inner iterator) need not be walked if the
// offset is linear in it and no guard or trip count mentions it. Its copies
// merge into one interval while stride - extent <= 128: then no line is
// skipped.
//
// Slots: 0-2 threadIdx, 3 the level's own iterator, 4.. the loops inside.
//
// Why not all in isl (CPU time, release build, one core of a server): the whole
// profile of a row walk (atax, 256 threads, 3 accesses: every warp, every group
// size, sectors, reuse) takes 0.04 ms here; isl takes 0.1 to 0.2 ms to count
// one such set of lines once (isl_set_count_val), and a profile has a set for
// each warp, each group and each iteration of the reuse window. A nest of 34 x
// 5 iterations under 1024 threads with 10 accesses takes 0.5 ms here. Where
// lanes and iterators are tied by guards, walking takes 35 ns a point: 10^6
// points are the limit, and 3 * 10^9 points of a guarded nest take isl 1.3 ms.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_MEMORY_LINEWALK_H
#define CATT_ANALYSIS_MEMORY_LINEWALK_H

#include "analysis/memory/Footprint.h"
#include "analysis/memory/Formula.h"
#include "analysis/memory/LineHull.h"
#include "analysis/memory/LineSet.h"

namespace catt {

/// Replaces block and grid dimensions, parameters, blockIdx where the grid has
/// one block along it, and threadIdx where the block has one thread along it.
AffineIndex underLaunch(const AffineIndex &Index,
                        const FootprintOptions &Options);

/// The name of the first parameter (or grid dimension) in the index, all of
/// which are unknown after underLaunch; empty if there is none.
std::string unknownName(const AffineIndex &Index);

/// True if the model counts the access in the level's loop.
bool isCounted(const Kernel &K, const Access &A, unsigned Level,
               const FootprintOptions &Options);

class LineWalk {
public:
  enum class Which : uint8_t {
    All,
    Shared,  ///< only what does not depend on blockIdx
    Regular, ///< all but irregular accesses
    Moving,  ///< of those, what depends on the level's iterator
    Still,   ///< of those, what does not
  };

  LineWalk(const Kernel &K, unsigned Level, const Representative &Rep,
           const FootprintOptions &Options);

  /// Why the level cannot be counted; set by the constructor or by `add`.
  const std::optional<Refusal> &unknown() const { return Unknown; }
  Origin from() const { return From; }
  int64_t warps() const { return (Threads + WarpLanes - 1) / WarpLanes; }
  /// Intervals that one iteration lists, at most.
  uint64_t steps() const { return Steps; }

  /// The warps [First, End).
  struct WarpRange {
    int64_t First = 0, End = 0;
  };
  /// Adds the lines (Granularity = LineBytes) or sectors (SectorBytes) or other
  /// powers of two warps in one iteration of the level; the set must be
  /// normalized after. Error: a defect of isl.
  llvm::Error add(LineSet &To, WarpRange Warps, int64_t Iteration,
                  int64_t Granularity, Which Subset = Which::All);

private:
  using SlotValues = std::array<int64_t, Formula::MaxSlots>;
  /// A walked or boxed dimension.
  struct Dimension {
    unsigned Slot = 0;
    Formula Trip; ///< iterators only
    bool Boxed = false;
    int64_t Stride = 0;          ///< boxed only, in bytes
    unsigned Place = 0;          ///< boxed only, in Order
    std::vector<Formula> Guards; ///< known to hold or not once it has a value
    unsigned GuardCost = 1;      ///< of one value of the dimension
  };
  struct Reference {
    const Access *Source = nullptr;
    uint32_t Base = 0;
    bool Irregular = false, Shared = false, Moving = false, ByHull = false;
    AffineIndex Shift; ///< unknown, the same for all threads; see baseOf
    Formula Offset;
    unsigned OffsetCost = 1;     ///< of one evaluation
    std::vector<Formula> Guards; ///< that mention no dimension below
    std::vector<Dimension> Dims; ///< the loops inside and threadIdx.x
    std::vector<unsigned> Order; ///< boxed dimensions by ascending |stride|
    /// For isl: the same as indices.
    AffineIndex OffsetIndex;
    std::vector<AffineIndex> GuardIndices;
    std::vector<std::pair<unsigned, AffineIndex>> TripIndices; ///< by slot
  };
  struct Strided {
    int64_t Stride = 0, Count = 1;
  };
  /// Threads of a warp with the same threadIdx.y and z.
  struct Row {
    int64_t X = 0, Count = 0, Y = 0, Z = 0;
  };
  struct Emission;

  std::optional<Refusal> addReference(const Access &A);
  std::optional<Refusal> addLoops(Reference &R);
  std::optional<Refusal> addOffset(Reference &R);
  std::optional<Refusal> addGuards(Reference &R, bool &Never);
  std::optional<Refusal> addGuard(Reference &R, const AffineIndex &Condition,
                                  bool &Never);
  void placeGuard(Reference &R, Formula Compiled);
  void chooseBoxes(Reference &R);
  uint64_t stepsOf(const Reference &R) const;
  AffineIndex atRepresentative(const AffineIndex &Index) const;
  std::optional<unsigned> slotOf(const Atom &A) const;
  std::optional<Formula> compile(const AffineIndex &Index) const;
  uint32_t baseOf(const Reference &R, int64_t Iteration);
  uint32_t baseFor(unsigned BaseId, const AffineIndex &Shift);
  Refusal refusal(Reason Why, const Access &A, std::string Detail) const;
  bool isOutOfQuota();

  static bool isIn(const Reference &R, Which Subset);
  llvm::SmallVector<Row, 1> rows(int64_t Warp) const;
  void walk(const Reference &R, const Row &At, SlotValues &V,
            Emission &Out) const;
  void walkFrom(const Reference &R, unsigned Depth, const Row &At,
                SlotValues &V, Emission &Out) const;
  void addIrregular(const Reference &R, int64_t Warp, SlotValues &V,
                    Emission &Out) const;
  llvm::Error addByHull(const Reference &R, int64_t Iteration, const Row &At,
                        Emission &Out);

  const Kernel &K;
  const FootprintOptions &Options;
  const Representative &Rep;
  unsigned Level;
  std::array<int64_t, 3> BlockSize = {1, 1, 1};
  int64_t Threads = 0;
  std::map<unsigned, unsigned> SlotOfLoop;
  std::vector<Formula::Range> Ranges; ///< of the slots
  std::vector<Reference> References;
  std::map<std::pair<unsigned, AffineIndex>, uint32_t,
           bool (*)(const std::pair<unsigned, AffineIndex> &,
                    const std::pair<unsigned, AffineIndex> &)>
      Bases;
  uint32_t NextBase = 0;
  uint64_t Steps = 0;
  Origin From = Origin::Proved;
  std::optional<Refusal> Unknown;
};

/// The lines or sectors of all warps of the block in one iteration.
llvm::Expected<LineSet> linesOfBlock(LineWalk &Walk, int64_t Iteration,
                                     int64_t Granularity,
                                     LineWalk::Which Subset);

/// The first iteration of the window that is searched for reuse, and how many
/// there are: ReuseWindow, fewer if the loop has fewer or if they would take
/// more than WalkLimit of these steps each, but then at least 2.
std::pair<int64_t, int64_t> reuseWindow(uint64_t Steps, unsigned Level,
                                        const Representative &Rep,
                                        const FootprintOptions &Options);

llvm::Error unknownLoop(unsigned LoopId);

} // namespace catt

#endif
