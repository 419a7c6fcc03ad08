//===- Trace.h - The oracle for footprints and for the L1 cache --*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   Result::Trace --select()--> touched lines and sectors   (what is predicted)
//                 \--warpRequests()--> simulateL1() --> hit rate
//
// The executor runs lanes one after another; a device issues one request for a
// warp. warpRequests() puts lanes together that do the same access in the same
// iteration. Limits: the order of accesses within one iteration is the order in
// which they first appear, so code that only later lanes reach comes last;
// loads below MaxTracedLoops loops are told apart by their order only.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TEST_SIMT_TRACE_H
#define CATT_TEST_SIMT_TRACE_H

#include "tool/executor/Executor.h"
#include <map>

namespace catt::simt {

//===-- Lines and sectors -------------------------------------------------===//

/// Iterations [First, Last] of the loops that begin on a source line.
struct Window {
  unsigned LoopLine = 0;
  uint32_t First = 0, Last = UINT32_MAX;
};

/// Which accesses; what is empty selects all.
struct Filter {
  Space In = Space::Global;
  std::vector<uint32_t> Blocks;
  std::optional<unsigned> Warp, Thread; ///< in its block
  std::optional<unsigned> Line, Column; ///< of the access, in the source
  std::vector<Window> Windows;          ///< all of them
  bool Loads = true, Stores = true;     ///< atomics are both
  /// Addresses [From, To): one buffer.
  uint64_t From = 0, To = UINT64_MAX;
};
bool selects(const Filter &F, const TraceRecord &T,
             const std::vector<Place> &Places);

/// Distinct numbers, ascending: address / 128 and address / 32.
struct Touched {
  std::vector<uint64_t> Lines, Sectors;
};
Touched touched(const Result &R, const Filter &F);

/// The blocks that an SM gets when blocks are dealt out in turn.
std::vector<uint32_t> blocksOfSM(uint32_t Blocks, unsigned SMs, unsigned SM);

//===-- The L1 cache ------------------------------------------------------===//

/// One instruction of one warp: line -> mask of its four sectors.
struct WarpRequest {
  std::map<uint64_t, uint8_t> Lines;
  bool Write = false; ///< stores and atomics
  uint32_t Where = 0; ///< index in Result::Places
};

/// Requests of each warp in program order, by (block, warp in the block).
using WarpRequests =
    std::map<std::pair<uint32_t, unsigned>, std::vector<WarpRequest>>;
WarpRequests warpRequests(const Result &R, const Filter &F = {});

enum class Replacement : uint8_t { LRU, Random };

/// A sectored cache of 128-byte lines; reads allocate, writes pass through.
struct CacheShape {
  uint64_t Bytes = 128 * 1024;
  unsigned Ways = 0; ///< 0: fully associative
  Replacement Policy = Replacement::LRU;
  uint64_t Seed = 1; ///< of Replacement::Random
};

enum class WarpOrder : uint8_t {
  RoundRobin,
  GreedyThenOldest, ///< the last warp if it can issue, else the oldest that can
};

struct SMShape {
  unsigned ResidentBlocks = 1; ///< T
  unsigned ActiveWarps = 0;    ///< K, the oldest unfinished; 0: all
  WarpOrder Order = WarpOrder::RoundRobin;
  unsigned MissSlots = 0; ///< turns for which a warp waits after a miss
};

struct CacheStats {
  uint64_t Requests = 0; ///< of warps that read
  uint64_t LookUps = 0;  ///< lines of those requests
  uint64_t Sectors = 0, SectorHits = 0;
  uint64_t WrittenSectors = 0;
  double hitRate() const {
    return Sectors ? double(SectorHits) / double(Sectors) : 0;
  }
};

/// Runs one SM that gets Blocks, in this order.
CacheStats simulateL1(const WarpRequests &W,
                      const std::vector<uint32_t> &Blocks, const CacheShape &C,
                      const SMShape &S);

} // namespace catt::simt

#endif
