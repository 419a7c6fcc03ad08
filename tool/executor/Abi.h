//===- Abi.h - Between instrumented code and the executor --------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   kernel.cu --clang, CUDA device view, x86--> Pass.cpp --> kernels + Sites
//   kernel.cu --clang, CUDA host view, x86----> Pass.cpp --> main + KernelEntry
//                                                               |
//                               libcatt_simt.so <-- the calls below
//
// Pass.cpp writes these structs into the object, the executor reads them: the
// layouts must agree with the ones that Pass.cpp builds.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_EXECUTOR_ABI_H
#define CATT_TOOL_EXECUTOR_ABI_H

#include <cstdint>

namespace catt::simt {

enum AccessKind : uint32_t { Load, Store, Atomic, Copy, LoopHead, Sync };

/// One place in the source that the executor is told of.
struct Site {
  const char *File;
  const char *Function;
  uint32_t Line, Column;
  AccessKind Kind;
  uint32_t Size;  ///< bytes of a Load, Store or Atomic
  uint32_t Depth; ///< loops of this function around it (LoopHead: with itself)
  uint32_t Align; ///< bytes that the address must be a multiple of
  // The executor's own: the allocation touched last, and a small number.
  uint64_t Low, High;
  uint32_t Id;
  uint32_t Constant; ///< that allocation is constant memory
  uint32_t Watches;  ///< a volatile or atomic load: may wait for another thread
  uint32_t Ran;      ///< it was come to
};

/// What the device view knows of a kernel.
struct KernelInfo {
  uint32_t StaticShared; ///< bytes
  uint32_t MaxThreads;   ///< of __launch_bounds__, 0: none
};

/// What the host view registers for a kernel.
struct KernelEntry {
  const char *Name; ///< mangled, as the device view has it
  void (*Call)(void **Args);
  const KernelInfo *Info;
};

enum BarrierOp : int { BarrierPlain, BarrierCount, BarrierAnd, BarrierOr };

enum WarpOp : int {
  WarpSync,
  Shfl,
  ShflUp,
  ShflDown,
  ShflXor,
  Ballot,
  MatchAny,
  MatchAll,
  ReduceAdd,
  ReduceMinS,
  ReduceMaxS,
  ReduceMinU,
  ReduceMaxU,
  ReduceAnd,
  ReduceOr,
  ReduceXor,
  ActiveMask
};

} // namespace catt::simt

extern "C" {
/// Before each load or store of fixed size, and before each copy.
void catt_simt_access(const void *Address, catt::simt::Site *Where);
void catt_simt_range(const void *Address, uint64_t Size, uint32_t Kind,
                     catt::simt::Site *Where);
/// At the head of each loop; Entry is false when it comes from inside.
void catt_simt_loop(catt::simt::Site *Where, bool Entry);
/// Around a call from inside a loop: the callee's loops are nested deeper.
void catt_simt_depth(int Delta);
/// Called from include/catt_simt/device.h; the pass fills in the site.
void *catt_simt_atomic(void *Address, uint32_t Size, catt::simt::Site *Where);
int catt_simt_barrier(int Op, int Predicate, catt::simt::Site *Where);
/// PTX's bar.sync (Waits) or bar.arrive: barrier Id of this block opens when
/// Count threads have come, or all live ones if Count is 0.
void catt_simt_named(unsigned Id, unsigned Count, int Waits,
                     catt::simt::Site *Where);
/// PTX's cp.async: Size bytes of shared memory, of which Loaded come from
/// global memory and the rest is zero. They are there when the thread has
/// waited for them, and not before.
void catt_simt_fetch(void *To, const void *From, uint32_t Size, uint32_t Loaded,
                     catt::simt::Site *Where);
/// cp.async.commit_group.
void catt_simt_fetch_group(catt::simt::Site *Where);
/// Waits until no more than the last Groups groups are on the way; -1: until
/// nothing is.
void catt_simt_fetched(uint32_t Groups, catt::simt::Site *Where);
/// PTX's %dynamic_smem_size.
uint32_t catt_simt_dynamic_bytes(catt::simt::Site *Where);
/// A barrier of all threads of the grid; its blocks must all be resident.
void catt_simt_grid(catt::simt::Site *Where);
uint64_t catt_simt_warp(int Op, unsigned Mask, uint64_t Value, int Argument,
                        int Width, catt::simt::Site *Where);
/// From constructors of the object: a variable or literal of device code.
void catt_simt_variable(void *Address, uint64_t Size, bool Constant);
/// The same: all sites of a program or shared object.
void catt_simt_sites(catt::simt::Site *First, catt::simt::Site *Last);
}

#endif
