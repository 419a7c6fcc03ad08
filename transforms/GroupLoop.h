//===- GroupLoop.h - The loop over the groups of a block --------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   2 warps a group --> for (unsigned cattGroup = 0; cattGroup * 64 <
//   blockDim.x;
//                            ++cattGroup) {
//                         if (threadIdx.x / 64 == cattGroup) {
//                         }
//                         __syncthreads();
//                       }
//
//   by n            --> {
//                         auto cattLoop =
//                             [&]() __attribute__((always_inline)) {
//                         };
//                         unsigned cattThreads = n >= 8 ? 128 : 1024;
//                         if (cattThreads >= blockDim.x) {
//                           cattLoop();
//                         } else {
//                           for (unsigned cattFirst = 0; cattFirst <
//                           blockDim.x;
//                                cattFirst += cattThreads) {
//                             if (threadIdx.x >= cattFirst &&
//                                 threadIdx.x < cattFirst + cattThreads)
//                               cattLoop();
//                             __syncthreads();
//                           }
//                         }
//                       }
//
//   the same, of statements that must stay in the function itself
//                   --> for (unsigned cattFirst = 0,
//                                     cattThreads = n >= 8 ? 128 : 1024;
//                            cattFirst < blockDim.x; cattFirst += cattThreads)
//                            {
//                         if (threadIdx.x >= cattFirst &&
//                             threadIdx.x < cattFirst + cattThreads) {
//                         }
//                         if (cattThreads < blockDim.x)
//                           __syncthreads();
//                       }
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TRANSFORMS_GROUPLOOP_H
#define CATT_TRANSFORMS_GROUPLOOP_H

#include "transforms/GroupSize.h"
#include "transforms/SourceEdit.h"

namespace catt {

/// The linear number of a thread and the size of its block, as CUDA text.
struct Numbering {
  const char *Thread, *Size;
  /// True if a coordinate is the number.
  bool isFlat() const { return llvm::StringRef(Thread) == "threadIdx.x"; }
};

/// The statements can be the body of a lambda: no thread returns from them, and
/// they use nothing that a lambda cannot capture (before C++20: what a
/// structured binding declares; variables of an anonymous union) or declare.
bool canBeNamed(const WrapSite &Site, const FileContext &File);

/// Warps: of a block. Where Size.OnlyIf is given the statements must be able to
/// have a name. CanBeNamed: the statements can be the body of a lambda.
/// Sets what opens and closes; names are new to the file.
Addition loopOverGroups(const GroupSize &Size, const Numbering &Number,
                        int64_t Warps, bool CanBeNamed,
                        const FileContext &File);

} // namespace catt

#endif
