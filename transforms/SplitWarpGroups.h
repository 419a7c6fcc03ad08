//===- SplitWarpGroups.h - Run a loop by groups of warps ---------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a loop by a few warps of each block at a time, so that their cache lines
// fit in L1. (CATT section 4.3, figure 4; MODEL.md section 6.)
//
// Before:
//   if (i < n) {
//     for (int j = 0; j < m; ++j)
//       sum += A[i * m + j] * x[j];
//     y[i] = sum;
//   }
//
// After, for blocks of 8 warps in 2 groups:
//   // catt: split-warp-groups(2): 4 of 8 warps at a time, ...
//   for (unsigned cattGroup = 0; cattGroup * 128 < blockDim.x; ++cattGroup) {
//     if (threadIdx.x / 128 == cattGroup) { // catt: begin 41f7c7
//   if (i < n) {
//     for (int j = 0; j < m; ++j)
//       sum += A[i * m + j] * x[j];
//     y[i] = sum;
//   }
//     } // catt: end
//     __syncthreads();
//   } // catt: done 14e55f
//
// Where the run decides, between more than two sizes:
//   // catt: split-warp-groups(4): by n, ...
//   {
//     unsigned cattThreads = 1024;
//     if (n >= 8)
//       cattThreads = 128;
//     if (n >= 32)
//       cattThreads = 64;
//     for (unsigned cattGroup = 0; cattGroup * cattThreads < blockDim.x;
//          ++cattGroup) {
//       if (threadIdx.x / cattThreads == cattGroup) { // catt: begin a5b218
//   ...
//       } // catt: end
//       if (cattThreads < blockDim.x)
//         __syncthreads();
//     }
//   } // catt: done b7ee12
//
// Right for every launch, not only for those that were seen. Let L be the
// linear number of a thread in its block, S the size of the block and w the
// threads per group. L / w is one number in [0, ceil(S / w)), and the loop
// visits each of these once: every thread runs the statements exactly once. The
// trip count depends on blockDim alone, or also on what a run-time case tests,
// which is the same for the whole grid; so all threads reach each barrier, also
// where S is no multiple of 32 or of w. A case that leaves the block whole has
// no barrier (`if (cattThreads < blockDim.x)`). Any function of the thread with
// values in that range will do, so where every known launch has Y = Z = 1,
// threadIdx.x and blockDim.x stand for L and S; a launch that is not known then
// still computes the same, only in other groups.
//
// The paper's figure copies the body once per group and puts the barrier inside
// the guard, where half a block may not reach it. Here there is one body, and
// the site that the analysis found lies outside the guard.
//
// Limits. The analysis vouches for the site: whole statements that all threads
// which have not exited reach together, no barrier or wait for other warps
// inside, and a run-time case's parameter that is neither shadowed nor written
// before. Refused here: files that may not be edited, directives and
// conditionals that cut the site, blockDim, threadIdx or __syncthreads declared
// anew, text that carries a marker already, and, before sm_70, barriers that
// threads which have exited would never reach.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TRANSFORMS_SPLITWARPGROUPS_H
#define CATT_TRANSFORMS_SPLITWARPGROUPS_H

#include "transforms/Transform.h"

namespace catt {

class SplitWarpGroups final : public Transform {
public:
  using Transform::Transform;
  llvm::StringRef summary() const override {
    return "Runs a loop by a few warps of each block at a time, so that their "
           "cache lines fit in L1.";
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
  std::string foundAround(const std::string &Text,
                          const SourceSpan &Loop) const override;
};

} // namespace catt

#endif
