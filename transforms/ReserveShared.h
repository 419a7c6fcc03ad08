//===- ReserveShared.h - Fewer resident blocks per SM ------------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reserves shared memory that nobody uses, so that fewer blocks of the kernel
// share an SM and its L1. (CATT section 4.3, figure 5; MODEL.md section 6.)
//
// Before:
//   __global__ void kernel(const float *A, float *y, int n) {
//     int i = blockIdx.x * blockDim.x + threadIdx.x;
//
// After, where nobody else can launch the kernel and all fits in 48 KiB of
// static shared memory:
//   static __global__ void kernel(const float *A, float *y, int n) {
//     // catt: reserve-shared(24576): 2 instead of 4 blocks per SM
//     __shared__ char cattReserved[24576];
//     asm volatile("" ::"l"(cattReserved)); // catt: done 5a2758
//     int i = blockIdx.x * blockDim.x + threadIdx.x;
//
// After, else, at each launch (LaunchCalls.h):
//   kernel<<<grid, 256, cattShared(kernel, 0, 65536)>>>(A, y, n);
//
// The paper keeps the array alive by a store. An empty asm that takes its
// address does the same for nothing: nvcc counts the bytes and issues no
// instruction for it.
//
// Where the device does not have the bytes, the launch takes what it had asked
// for itself. An error of the runtime's reaches the caller as one of the launch
// would, by the next cudaGetLastError.
//
// Limits. Refused: kernels launched cooperatively or that wait for other blocks
// or warps (fewer resident blocks could block them for ever), more than the
// device lets a block have, and kernels with a launch that cannot be edited: in
// a macro, in another file, of a kernel that cannot be named exactly, or whose
// other arguments call what may select another device.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TRANSFORMS_RESERVESHARED_H
#define CATT_TRANSFORMS_RESERVESHARED_H

#include "transforms/Transform.h"

namespace catt {

class ReserveShared final : public Transform {
public:
  using Transform::Transform;
  llvm::StringRef summary() const override {
    return "Reserves shared memory that nobody uses, so that fewer blocks of "
           "the kernel share an SM and its L1.";
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
