//===- KernelBounds.h - The registers of a rewritten kernel ------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before:
//   __global__ void kernel(const float *A, float *y) {
//
// After:
//   // catt: stage-rows(bounds): any block that it had registers for still has
//   // them
//   __launch_bounds__(1024)
//   // catt: done 7fd9c9
//   __global__ void kernel(const float *A, float *y) {
//
// Another version of a loop takes registers. A block that could be launched
// before is to be launched afterwards, be it from a file that is not seen:
// where the kernel may lack registers then, the compiler is told how many the
// largest block has, by __maxnreg__ where the toolkit is known to have it.
// (CUDA C++ Programming Guide, "Launch Bounds" and "Maximum Number of Registers
// per Thread".)
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TRANSFORMS_KERNELBOUNDS_H
#define CATT_TRANSFORMS_KERNELBOUNDS_H

#include "transforms/LoopVersions.h"

namespace catt {

/// The bytes of the arguments of bounds that are there.
struct BoundsText {
  std::vector<SourceSpan> Arguments;
  unsigned Close = 0; ///< of the closing parenthesis
};

/// What the text of a kernel's declaration holds.
struct Declaration {
  std::optional<unsigned> Global; ///< of `__global__`
  std::optional<BoundsText> Bounds;
  bool HasMaxnreg = false;
};

Declaration readDeclaration(const std::string &Text, const Kernel &K);

/// What has a kernel compiled so that blocks of so many threads have its
/// registers: "__maxnreg__(64)" where the toolkit is known to have it, else
/// "__launch_bounds__(1024)".
std::string boundsFor(const Context &C, int64_t Threads);

/// Why the kernel cannot be compiled for blocks of so many threads, if so.
std::optional<Refusal> cannotBound(const Context &C, int64_t Threads);

/// Why not for the blocks that its launches may have once it holds these
/// versions, if so.
std::optional<Refusal> cannotBound(const Context &C,
                                   llvm::ArrayRef<VersionedLoop> Loops);

/// The bounds that these versions need; empty: none.
std::string boundsFor(const Context &C, llvm::ArrayRef<VersionedLoop> Loops);

/// Adds them to the kernel.
void writeBounds(const Kernel &K, const std::string &Bounds, EditBuilder &Out);

} // namespace catt

#endif
