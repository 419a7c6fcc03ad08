//===- Internal.h - What the executor's files share --------------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   Memory.cpp     which addresses a kernel may touch; shared memory's history
//   Scheduler.cpp  who runs next
//   Barriers.cpp   of a block, of some of its threads, of the grid
//   Progress.cpp   whether anybody still changes anything; who fits on an SM
//   WarpOps.cpp    shuffles, votes and the like
//   Module.cpp     kernels by name; results
//   Cuda*.cpp      the CUDA runtime API for whole programs
//   Record.cpp     what launches leave in memory, and which lines ran
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_EXECUTOR_INTERNAL_H
#define CATT_TOOL_EXECUTOR_INTERNAL_H

#include "tool/executor/Executor.h"
#include <array>
#include <boost/context/detail/fcontext.hpp>
#include <map>
#include <memory>
#include <utility>

namespace catt::simt {

struct Warp;
struct Block;

/// An asynchronous copy on its way.
struct Fetch {
  void *To;
  const void *From;
  uint32_t Size, Loaded; ///< bytes; what is not loaded is zero
  Site *At;
  uint64_t Group = 0; ///< 0: of none yet
};

struct Thread {
  boost::context::detail::fcontext_t Context = nullptr;
  uint64_t StackLow = 0, StackHigh = 0;
  Dim Index;
  uint16_t Linear = 0;
  uint8_t Lane = 0;
  Warp *Owner = nullptr;
  // What it waits for.
  Site *At = nullptr;
  int Op = 0, Argument = 0, Width = 32;
  unsigned Mask = 0;
  uint64_t Value = 0, Answer = 0;
  // How long it has only watched memory, and since which change (Progress.cpp).
  uint64_t Watched = 0, SinceChange = 0;
  bool Watches = false;       ///< in this turn
  std::vector<Fetch> Fetches; ///< that it has not waited for
  uint64_t FetchGroups = 0;   ///< so many groups were closed
  // Loops that it is in.
  unsigned LoopBase = 0;
  struct {
    uint32_t Where = 0, Iteration = 0;
  } Loops[MaxTracedLoops];
};

/// Sets of lanes are bit masks. Each live lane is ready, in AtWarpOp, or waits
/// at the block's barrier.
struct Warp {
  Block *Owner = nullptr;
  Thread *Lanes = nullptr;
  unsigned Alive = 0, Ready = 0, AtWarpOp = 0;
  unsigned First = 0; ///< lane whose turn it is, if lanes run in order
  bool Queued = false;
  /// Vector clocks of the lanes: what lane I did before its time Seen[J][I]
  /// happened before what lane J does now. Only __syncwarp orders memory.
  std::array<std::array<uint32_t, 32>, 32> Seen = {};
};

/// The history of one byte of shared memory. Epochs rise with each barrier and
/// each new block, so nothing has to be cleared. The first byte of a word
/// speaks for all four until one of them is touched alone: then the word is
/// split.
struct SharedByte {
  /// What was done since the last barrier: by whom first, whether other warps
  /// did it too, and by whom last, at which time of that lane.
  struct Use {
    uint32_t Epoch = 0, Where = 0;
    uint16_t Thread = 0;
    bool OtherWarps = false;
    uint16_t LastThread = 0;
    uint32_t LastWhere = 0, LastTime = 0;
  };
  Use Write, Read, Atomic;
  bool Split = false;
};

/// PTX's barriers 0 to 15 with a count, and those of tiles.
struct NamedBarrier {
  unsigned Arrived = 0, Count = 0;
  std::vector<Thread *> Waiting;
};

struct Block {
  Dim Index;
  uint32_t Linear = 0;
  unsigned Slot = 0;
  std::vector<Thread> Threads;
  std::vector<Warp> Warps;
  unsigned Alive = 0;
  // The barrier that some threads have reached.
  unsigned Arrived = 0, TruePredicates = 0;
  Thread *FirstArrived = nullptr;
  std::map<unsigned, NamedBarrier> Named;
  // Shared memory.
  uint64_t SharedLow = 0, SharedHigh = 0;
  uint32_t FirstEpoch = 0, Epoch = 0;
  std::vector<SharedByte> History;
};

struct LaunchShape {
  Dim Grid, Block;
  size_t DynamicShared = 0;
};

/// Runs one launch; Findings and Trace go to R.
void runLaunch(const KernelEntry &K, const LaunchShape &S, void **Args,
               const Options &O, Result &R);
/// Runs host code whose launches take their options from O (CudaApi.cpp).
Result runHost(const std::function<void()> &Function, const Options &O);
std::string demangle(const char *Name);

//===-- The launch that runs ----------------------------------------------===//

struct Running {
  const KernelEntry *Kernel = nullptr;
  Options Opts;
  Result *Out = nullptr;
  Thread *Current = nullptr;
  const Site *Last = nullptr; ///< of an access or loop
  uint64_t Steps = 0, TurnEnds = 0;
  uint64_t UntilSwitch = 0;
  uint64_t TurnBegan = 0; ///< Steps when the current thread was resumed
  uint64_t Changes = 1;   ///< of memory, or of who can run
  uint64_t NextLook = 0;  ///< Steps, for Progress.cpp
  std::vector<Thread *> AtGrid = {}; ///< who waits at the grid's barrier
  uint64_t GridAlive = 0;     ///< threads of the grid that have not exited
  uint32_t DynamicShared = 0; ///< bytes that the launch asked for
  bool GaveWay = false;       ///< the current thread: others come first
  bool Stop = false; ///< a thread went where it must not; abandon the launch
};
extern Running Run;

/// Records a finding of the current thread, once per kind and pair of places.
void report(FindingKind K, const Site *Where, const Site *Other,
            std::string Message, const Thread *Who = nullptr);
/// Leaves the current thread for good and ends the launch.
[[noreturn]] void stopLaunch();
/// A scheduling point: maybe another thread runs now.
void schedulingPoint(const Site *Where);
/// Lets all others run before the current thread goes on.
void giveWay();
void makeReady(Warp &W, unsigned Lanes);
/// Leaves the current thread until it is ready and picked again.
void toMain();
uint32_t nextEpoch();
uint32_t siteId(Site *S);
Site *siteById(uint32_t Id);
void forgetSites(); ///< before the object that owns them goes
Place placeOf(const Site *S);
std::string str(const Dim &D);

//===-- Barriers ----------------------------------------------------------===//

/// Lets everyone through whom the end of a thread of B has released.
void openBarriers(Block &B);
void resetBarriers(Block &B);

//===-- Progress ----------------------------------------------------------===//

/// What one thread did since it was resumed is counted here.
void endTurn(Thread &T);
/// True if every thread that can run only watches memory, and each has looked
/// since the last change. Resident: all blocks that have begun.
bool isStuck(const std::vector<std::unique_ptr<Block>> &Resident);
/// An atomic is about to change Address: whether it does is seen later.
void expectChange(const void *Address, uint32_t Size);
/// Blocks of this shape that are on an SM at the same time: sm_90's limits.
unsigned blocksPerSm(const KernelInfo &K, const LaunchShape &S);
/// How many blocks interleave under the current options.
unsigned residentBlocks(const LaunchShape &S);

//===-- Warp operations ---------------------------------------------------===//

/// Completes T's operation if all live lanes of its mask have come to it.
bool tryToMeet(Warp &W, const Thread &T);
/// Answers lanes that ask for the active mask; false if there are none.
bool meetActive(Warp &W);

//===-- Memory ------------------------------------------------------------===//

/// Makes [P, P + Size) an allocation that is not the executor's own.
void registerMemory(void *P, uint64_t Size, bool Constant);
void unregisterMemory(void *P);
/// Sites remember allocations; before the object that owns them goes.
void forgetCachedAllocations();
/// True if [P, P + Size) lies in one allocation, or in none (host memory).
bool isCopyable(const void *P, uint64_t Size);
/// The allocation of host code that holds P: its first address and the one
/// behind it; both 0 if there is none.
std::pair<uint64_t, uint64_t> allocationAt(const void *P);
/// What an object in device memory is called, where it is, and its bytes.
using VisitObject =
    std::function<void(const std::string &Which, const void *P, uint64_t Size)>;
/// Allocations of host code, by their numbers, from 1.
void forEachAllocation(const VisitObject &Do);
/// Variables that host code knows, by their names.
void forEachVariable(const VisitObject &Do);
/// The shared memory of resident block Slot.
uint64_t sharedMemory(unsigned Slot);

//===-- Records -----------------------------------------------------------===//

/// Tells what a launch has left, where that is asked for.
void recordLaunch(const std::string &Kernel);
/// False of a launch that is a part of a grid (catt/slices.h), but the last:
/// what the parts leave together is what the program's launch left.
bool endsItsGrid(const std::string &Kernel, const LaunchShape &L,
                 void *const *Args);
/// At the end of a program; once.
void finishRecord();

/// What is registered while a module loads.
struct Registry {
  std::vector<const KernelEntry *> Kernels;
  std::vector<void *> Variables;
};
Registry &registry();

constexpr uint64_t MaxSharedBytes = 227 * 1024; ///< sm_90, per block
constexpr uint64_t StaticLimit = 48 * 1024;     ///< what ptxas takes

} // namespace catt::simt

#endif
