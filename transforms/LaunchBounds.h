//===- LaunchBounds.h - The registers that blocks leave a thread -*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bounds the registers of a kernel, so that more of its blocks share an SM.
// (CRAT section 4; CUDA C++ Programming Guide, "Launch Bounds".)
//
// Before:
//   static __global__ void kernel(const float *A, float *y, int n) {
//
// After:
//   static /* catt: launch-bounds(256, 3) */ __launch_bounds__(256, 3)
//       /* catt: done 7fd9c9 */ __global__ void kernel(const float *A, ...) {
//
// After, with --bounds=maxnreg:
//   static /* catt: launch-bounds(80) */ __maxnreg__(80)
//       /* catt: done a425d0 */ __global__ void kernel(const float *A, ...) {
//
// (each in one line). Bounds that are there keep their text: what --force
// changes is added to it, as `__launch_bounds__(256, 0 * (4) + 3)`.
//
// Limits. A launch with more threads than its bound fails at run time, so a
// launch bound is written only where every launch is known: refused are kernels
// that other files can name, kernels of headers, launches whose block folds to
// no constant, and any other use of the kernel's name (its address may be
// launched elsewhere). Launches of a template are counted by their text, so a
// template that is launched with several lists of arguments is refused too.
// Refused as well: bounds with fewer blocks per SM than there are now where the
// kernel waits for others or is launched together; a __global__ or bounds that
// a macro writes, bounds that only another declaration has, and instantiations
// that want different bounds.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TRANSFORMS_LAUNCHBOUNDS_H
#define CATT_TRANSFORMS_LAUNCHBOUNDS_H

#include "transforms/Transform.h"

namespace catt {

class LaunchBounds final : public Transform {
public:
  using Transform::Transform;
  llvm::StringRef summary() const override {
    return "Bounds the registers of a kernel, so that more of its blocks share "
           "an SM.";
  }
  Preparation prepare(const KernelReport &Kernel,
                      const Device &Gpu) const override;
  llvm::Error apply(const KernelReport &Kernel, const Device &Gpu,
                    const std::map<std::string, std::string> &Texts,
                    Edits &Out) const override;
};

} // namespace catt

#endif
