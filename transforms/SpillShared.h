//===- SpillShared.h - Values that wait in shared memory --------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps values in shared memory where registers are short. (CRAT section 5;
// TLP-RM section 2.3; the layout is slot-major, against bank conflicts.)
//
// Before:
//   __global__ void k(const float *A, float *y, int n) {
//     float s = A[threadIdx.x];
//     for (...) { ... }
//     y[threadIdx.x] = s;
//   }
//
// After:
//   __global__ void k(const float *A, float *y, int n) {
//     // catt: spill-shared(1): 1 register of each thread in shared memory
//     __shared__ __align__(8) unsigned char cattSpill[1024];
//     // catt: done 72ffa0
//     float s = A[threadIdx.x];
//     // catt: spill-shared(s)
//     volatile decltype(s) *const cattSpill_s =
//         (volatile decltype(s) *)(cattSpill + 0) + threadIdx.x;
//     // catt: done d6989a
//     // catt: spill-shared(s)
//     *cattSpill_s = s;
//     // catt: done f04cae
//     for (...) { ... }
//     // catt: spill-shared(s)
//     s = *cattSpill_s;
//     // catt: done 5060be
//     y[threadIdx.x] = s;
//   }
//
// A load gives a variable the value that it has, so it is right wherever it
// stands and whoever runs it; volatile keeps the compiler from finding that
// out, and nothing stronger is needed: no thread looks at another's slots.
// Where ptxas does it better itself, the plan asks for that instead:
//   asm volatile(".pragma \"enable_smem_spilling\";");
//
// A value that is const loses the word, which becomes a comment, where the code
// means the same without (ConstWords.h):
//   /* catt: hides const */ float s = A[threadIdx.x];
//
// Limits. As for launch bounds, every launch must be known, or the kernel must
// bound its threads: a larger block would have no slots. The array is static up
// to 48 KiB with what the kernel has. Beyond, where every launch can be edited,
// it is dynamic, and the launches ask for it (LaunchCalls.h):
//     extern __shared__ __align__(8) unsigned char cattSpill_k[];
// Values are those of the kernel's own body. Refused are kernels whose threads
// may wait for others, and cooperative ones: a launch with smaller blocks than
// the largest, or another device, may have fewer blocks per SM with the slots.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TRANSFORMS_SPILLSHARED_H
#define CATT_TRANSFORMS_SPILLSHARED_H

#include "transforms/Transform.h"

namespace catt {

class SpillShared final : public Transform {
public:
  using Transform::Transform;
  llvm::StringRef summary() const override {
    return "Keeps values in shared memory where registers are short.";
  }
  Preparation prepare(const KernelReport &Kernel,
                      const Device &Gpu) const override;
  llvm::Error apply(const KernelReport &Kernel, const Device &Gpu,
                    const std::map<std::string, std::string> &Texts,
                    Edits &Out) const override;
};

} // namespace catt

#endif
