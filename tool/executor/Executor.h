//===- Executor.h - Runs CUDA kernels on the CPU, for tests ------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   launch -> blocks (some of them resident) -> warps -> threads, one fiber
//   each
//
// One thread runs at a time. It runs until it waits (barrier, warp operation),
// ends, or comes to a scheduling point (an atomic; each Nth access on request);
// then a seeded generator picks the next warp that can run. Every seed is one
// of the orders that CUDA allows, and equal seeds give equal runs. A thread
// that sleeps, or has run for long, gives way to all others, so that waiting
// for another thread in a loop ends under every seed. Waiting for a thread that
// cannot come is found (Progress.cpp): who does not stand at a barrier watches
// memory, and nobody changes any.
//
// Limits: lanes of a warp are not in lockstep (as CUDA allows from sm_70 on);
// races are looked for in shared memory only, within a warp with the last use
// alone, and a barrier of some threads counts there as one of all; an array on
// a thread's own stack is not bounds-checked; a thread has 256 KiB of stack;
// threads that wait by plain loads, or count while they wait, are only ended by
// the budget. Integer division by zero, which a device survives, is a crash
// here, named by the access before it.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_EXECUTOR_EXECUTOR_H
#define CATT_TOOL_EXECUTOR_EXECUTOR_H

#include "tool/executor/Abi.h"
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace catt::simt {

struct Dim {
  unsigned X = 1, Y = 1, Z = 1;
  uint64_t count() const { return uint64_t(X) * Y * Z; }
};

struct Result;

/// A launch that host code has made.
struct HostLaunch {
  std::string Kernel; ///< demangled, as Module::kernels() gives it
  Dim Grid, Block;
  void *const *Args; ///< as for cudaLaunchKernel, while the callback runs
};

struct Options {
  /// 0: blocks, warps and lanes in order, as long as none gives way; otherwise
  /// a random legal order.
  uint64_t Seed = 0;
  /// That interleave. 0: as many as shared memory and threads leave room for
  /// on SMs of sm_90, at most 64 in all.
  unsigned ResidentBlocks = 1;
  unsigned SMs = 4;
  bool Cooperative = false; ///< refused unless all blocks fit
  unsigned SwitchEvery = 0; ///< accesses between scheduling points, 0: never
  bool Trace = false;
  /// Before sm_70 a barrier waits for threads that have exited, for ever.
  bool ExitedThreadsBlock = false;
  /// Loop iterations and waits of one launch; more is "no progress".
  uint64_t Budget = 20'000'000'000;
  /// Called after each launch of host code; may take the trace out.
  std::function<void(const HostLaunch &, Result &)> AfterLaunch;
};

enum class FindingKind : uint8_t {
  BarrierDivergence, ///< threads of one block wait at different barriers
  BarrierAfterExit,  ///< only with Options::ExitedThreadsBlock
  Deadlock,          ///< no thread can run
  NoProgress,        ///< all wait for memory to change, or the budget ran out
  UninitializedShared,
  OutOfBounds, ///< outside of every allocation of this kernel
  Misaligned,
  ConstantWrite,
  Race,      ///< two threads, one shared byte, no barrier or __syncwarp between
  WarpMask,  ///< a lane calls a warp operation that its mask leaves out
  Crash,     ///< division by zero, stack overflow, __trap, assert
  BadLaunch, ///< refused with an error code before it began
};
const char *name(FindingKind K);

/// A place in the source, from 1.
struct Place {
  std::string File, Function;
  unsigned Line = 0, Column = 0;
};

struct Finding {
  FindingKind Kind;
  Place Where;
  std::optional<Place> Other; ///< the other access of a race, the other barrier
  Dim Block, Thread;          ///< the thread at Where
  std::string Kernel, Message;
  /// "file:line:column: error: message [kernel, block (x,y,z), thread (x,y,z)]"
  std::string str() const;
};

enum class Space : uint8_t { Global, Shared, Constant };

constexpr unsigned MaxTracedLoops = 6;

/// One access of one thread, in the order in which the executor ran them.
struct TraceRecord {
  uint64_t Address;
  uint32_t Size;
  uint32_t Where;  ///< index in Result::Places
  uint32_t Block;  ///< linear
  uint16_t Thread; ///< linear in its block
  AccessKind Kind; ///< Load, Store or Atomic
  Space In;
  uint8_t Depth; ///< loops around it, callers' included; outermost first:
  struct {
    uint32_t Where;     ///< the loop, index in Result::Places
    uint32_t Iteration; ///< from 0
  } Loops[MaxTracedLoops];
};

struct Result {
  int Error = 0; ///< cudaError_t
  std::vector<Finding> Findings;
  std::vector<Place> Places;
  std::vector<TraceRecord> Trace;
};

/// A shared object that the device and host view of a .cu file were linked to.
class Module {
public:
  Module() = default;
  Module(Module &&) noexcept;
  Module &operator=(Module &&) noexcept;
  ~Module(); ///< unloads it
  /// On failure the module is false and Error says why.
  static Module load(const std::string &Path, std::string &Error);
  explicit operator bool() const { return Handle; }
  /// Demangled, in alphabetical order: "scale<float>(float*, int)".
  std::vector<std::string> kernels() const;
  /// Runs a kernel. Name is what kernels() gives, or an unambiguous beginning
  /// of it up to '(' or '<', or the mangled name. Args as for cudaLaunchKernel.
  Result run(const std::string &Name, Dim Grid, Dim Block, size_t SharedBytes,
             const std::vector<void *> &Args, const Options &O = {}) const;
  /// Runs host code: an extern "C" function that takes a void **. Each of its
  /// launches runs with O; what they find, and the error that is left, is the
  /// result.
  Result call(const std::string &Function, void **Argument,
              const Options &O = {}) const;
  bool hasMain() const;
  /// The same for main(). Status gets what it returns.
  Result callMain(const std::vector<std::string> &Arguments, const Options &O,
                  int &Status) const;

private:
  void *Handle = nullptr;
  std::vector<const KernelEntry *> Kernels;
};

/// Device memory, aligned to 512 bytes, filled with 0xCB; host code may read
/// and write it. Equal sequences of calls after deviceReset() give equal
/// addresses.
void *deviceAlloc(size_t Size);
/// The same, filled with zeros; a page that nobody touches takes no memory.
void *deviceAllocZeros(size_t Size);
bool deviceFree(void *P);
void deviceReset(); ///< frees everything that was allocated

} // namespace catt::simt

#endif
