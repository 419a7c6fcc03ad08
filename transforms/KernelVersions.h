//===- KernelVersions.h - Two kernels with one body -------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before:
//   __global__ void rows(const float *A, int m) {
//     ... loop ...
//   }
//   rows<<<grid, 256>>>(A, m);
//
// After:
//   template <bool cattLong>
//   static __device__ __forceinline__ void cattBody_rows(const float *A, int
//   m);
//
//   __global__ void rows(const float *A, int m) {
//     cattBody_rows<false>(A, m);
//   }
//   template <bool cattLong>
//   static __device__ __forceinline__ void cattBody_rows(const float *A, int m)
//   {
//     ... if (cattLong) its other version, else the loop ...
//   }
//   (m >= 32 ? cattRows_rows : rows)<<<grid, 256>>>(A, m);
//
// A kernel that holds two versions of a loop takes the registers of the one
// that needs more, whichever runs. Of two kernels each takes its own: nvcc 13.0
// makes of `rows` the machine code that it made before. Who else launches or
// names the kernel has it as it was. Where the other version may need more
// registers than a block has for each thread, __launch_bounds__ of its kernel
// keeps it from that.
//
// Where launches find out themselves which kernel is faster (TryLaunches.cpp)
// the second one is cattTried_rows, and holds whatever is planned. Where they
// run in parts of their grid there is one for both, and the body is told its
// block by parameters with the names of the built-in variables:
//
//   template <bool cattTried>
//   static __global__ void cattPart_rows(uint3 cattFirst, dim3 cattGrid,
//                                        const float *A, int m) {
//     cattBody_rows<cattTried>({blockIdx.x + cattFirst.x, ...}, cattGrid,
//                              A, m);
//   }
//
// Limits: what headOf() in analysis/source/KernelHeads.h finds; kernels whose
// opening brace ends its line; launches behind the kernel in its own file, in
// each way the file is compiled, that ask for no more than 48 KiB of dynamic
// shared memory themselves: more has to be allowed for each kernel.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TRANSFORMS_KERNELVERSIONS_H
#define CATT_TRANSFORMS_KERNELVERSIONS_H

#include "transforms/SourceEdit.h"

namespace catt {

/// The kernel that is launched instead of another, and what both are made of.
struct SecondKernel {
  const Kernel *Of = nullptr;
  std::string Flag; ///< "cattLong": true in the second kernel
  std::string Body; ///< "cattBody_rows"
  std::string Name; ///< "cattRows_rows"
  /// Functions that both call, with a flag of the same name.
  std::vector<FlaggedCallee> Callees;
  std::string Bounds; ///< "__launch_bounds__(1024)", if it may lack registers
  llvm::StringRef OfFirst; ///< what the first one is: "of short rows"
  std::string Trial;       ///< object that launches ask for the kernel, if so
  /// "cattBlocks": of a second kernel that is a template of this number, by
  /// which its bounds go: "cattMore_rows<5>". Its body needs no flag.
  std::string Blocks;
  /// Both run in parts of their grid, and the second one is a template of which
  /// is which: "cattPart_rows<true>", beside "cattPart_rows<false>".
  bool InSlices = false;

  /// As it is named at a launch: "ns::cattRows_rows".
  std::string at(const Launch &L) const;
  /// The same for a number of blocks.
  std::string at(const Launch &L, int64_t Number) const;
  /// What such a launch runs else: "ns::rows".
  std::string otherwiseAt(const Launch &L) const;
};

/// Whether the function that a loop stands in can be told which kernel calls
/// it.
bool canBeFlagged(const RowLoop &Rows, const FileContext &File);

/// The functions with loops that are written differently, once each.
std::vector<FlaggedCallee> calleesOf(const Context &C);

/// Makes the function a template of a flag, to which the kernel's calls give
/// this value. Where others call it, too, it is false for them.
void writeFlag(const FlaggedCallee &F, const std::string &Path,
               const std::string &Name, const std::string &Value,
               EditBuilder &Out);

/// Why the kernel's launches cannot choose between two kernels with its body,
/// in words; empty: they can.
llvm::StringRef againstSecondKernel(const Context &C);

/// Where launches of long rows alone ask for tiles, or find out what is faster.
/// std::nullopt if they all do the same, or if there can be none that every
/// launch can choose.
std::optional<SecondKernel> secondKernelOf(const Context &C);

/// Copies of a kernel, bounded for these threads and more blocks of them.
std::optional<SecondKernel> boundedKernelOf(const Context &C, int64_t Threads);

/// Divides the kernel; the launches are left to LaunchEdit.
void writeSecondKernel(const SecondKernel &Second, EditBuilder &Out);

} // namespace catt

#endif
