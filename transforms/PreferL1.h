//===- PreferL1.h - The carve-out that leaves L1 its room --------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asks, at each launch, for no more shared memory than the kernel needs, so
// that the rest of the SM's memory is L1. (CATT section 4.1; MODEL.md
// section 2.)
//
// Before:
//   kernel<<<grid, 256>>>(A, y, n);
//
// After:
//   kernel<<<grid, 256, cattPreferL1(kernel, 0, 11)>>>(A, y, n);
//
// The percentage is a hint: the driver may choose another carve-out, and the
// program computes the same. An error reaches the caller as one of the launch
// would, through the next cudaGetLastError.
//
// Limits. Refused: kernels with no launch in sight, and kernels one of whose
// launches cannot be edited (the setting stays with the kernel, so that setting
// it at some launches would make the others depend on the order). A launch
// through a variable that holds the kernel is one that cannot be edited. So are
// kernels that wait for others, or are launched together: on another device, or
// for a launch with more shared memory, the carve-out may hold fewer blocks.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TRANSFORMS_PREFERL1_H
#define CATT_TRANSFORMS_PREFERL1_H

#include "transforms/Transform.h"

namespace catt {

class PreferL1 final : public Transform {
public:
  using Transform::Transform;
  llvm::StringRef summary() const override {
    return "Asks, at each launch, for no more shared memory than the "
           "kernel needs, so that the rest of the SM's memory is L1.";
  }
  Preparation prepare(const KernelReport &Kernel,
                      const Device &Gpu) const override;
  llvm::Error apply(const KernelReport &Kernel, const Device &Gpu,
                    const std::map<std::string, std::string> &Texts,
                    Edits &Out) const override;
  bool giveUp(KernelReport &Kernel, const Shortfall &Refused) const override;
  bool hasThrottled(const Kernel &Kernel,
                    const std::map<std::string, std::string> &Texts,
                    Edits &Facts) const override;
};

} // namespace catt

#endif
