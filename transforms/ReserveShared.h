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
// After, up to 48 KiB of static shared memory in all:
//   __global__ void kernel(const float *A, float *y, int n) {
//     // catt: reserve-shared(24576): 2 instead of 4 blocks per SM
//     __shared__ char cattReserved[24576];
//     asm volatile("" ::"l"(cattReserved)); // catt: done
//     int i = blockIdx.x * blockDim.x + threadIdx.x;
//
// After, beyond, at each launch:
//   // catt: reserve-shared(65536): 2 instead of 4 blocks per SM
//   (void)cudaFuncSetAttribute(
//       kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
//   // catt: done
//   kernel<<<grid, 256/* catt: reserve-shared(65536) */ , 65536 /* catt: done
//   */
//          >>>(A, y, n);
//
// The paper keeps the array alive by a store. An empty asm that takes its
// address does the same for nothing: nvcc counts the bytes and issues no
// instruction for it.
//
// An error of cudaFuncSetAttribute reaches the caller as one of the launch
// would: the runtime keeps it for the next cudaGetLastError, and a launch that
// succeeds does not clear it.
//
// Limits. Refused: kernels launched cooperatively or that wait for other blocks
// or warps (fewer resident blocks could block them for ever), more than the
// device lets a block have, and, beyond 48 KiB, kernels with a launch that
// cannot be edited: in a macro, in another file, in a place where no statement
// can precede it, or with a shared-memory argument that is not safe to evaluate
// twice.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TRANSFORMS_RESERVESHARED_H
#define CATT_TRANSFORMS_RESERVESHARED_H

#include "transforms/Transform.h"

namespace catt {

class ReserveShared final : public Transform {
public:
  llvm::StringRef name() const override { return "reserve-shared"; }
  llvm::StringRef summary() const override {
    return "Reserves shared memory that nobody uses, so that fewer blocks of "
           "the kernel share an SM and its L1.";
  }
  Preparation prepare(const KernelReport &Kernel,
                      const Device &Gpu) const override;
  llvm::Error apply(const KernelReport &Kernel, const Device &Gpu,
                    const std::map<std::string, std::string> &Texts,
                    Edits &Out) const override;
};

} // namespace catt

#endif
