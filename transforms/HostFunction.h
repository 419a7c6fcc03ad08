//===- HostFunction.h - Launch settings that follow the block ----*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the block size is known only at the launch, what reserve-shared and
// prefer-l1 ask for is a function of it. It is written beside the kernel, and
// each launch calls it with its own block:
//
//   __global__ void rows(...) { ... }
//   // catt: prefer-l1(2): by threads per block
//   static void cattPreferL1_rows(dim3 block) {
//     unsigned threads = block.x * block.y * block.z;
//     (void)cudaFuncSetAttribute(
//         rows, cudaFuncAttributePreferredSharedMemoryCarveout,
//         threads >= 513 ? 42 : 11);
//   } // catt: done
//
// Errors of the calls inside are kept by the runtime for the next
// cudaGetLastError, as those of a launch are.
//
// Limits. Refused: templates (an instantiation has no function of its own to
// stand beside), a launch before the kernel's definition or in another file,
// and blocks given by an expression that may not be evaluated twice.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TRANSFORMS_HOSTFUNCTION_H
#define CATT_TRANSFORMS_HOSTFUNCTION_H

#include "transforms/SourceEdit.h"

namespace catt {

/// A launch and the expression that gives its block.
struct BlockSite {
  const Launch *At = nullptr;
  std::string Block; ///< "block", "dim3(n, 4)"
  std::string Scope; ///< what qualifies names beside the kernel: "ns::"
};

/// Every launch of the kernel with its block; empty, and a refusal, if one of
/// them cannot call a function beside the kernel.
std::vector<BlockSite> blockSites(const Kernel &Kernel, const TextMap &Texts,
                                  std::vector<Refusal> &Refusals);

/// Whether the text has the name, comments aside: the function was added
/// before.
bool isDeclared(const std::string &Text, llvm::StringRef Name);

/// `threads >= 513 ? 42 : 11`, by the cases.
std::string byThreads(llvm::ArrayRef<LaunchCase> Cases,
                      llvm::function_ref<int64_t(const LaunchCase &)> Value);

/// Adds a function behind the kernel's definition. Body: its statements.
void addHostFunction(const TextMap &Texts, const Kernel &Kernel,
                     llvm::StringRef Transform, llvm::StringRef Head,
                     llvm::ArrayRef<std::string> Body, size_t Cases,
                     Edits &Out);

/// Whether evaluating the expression twice does what once does: names, numbers,
/// arithmetic, comparisons, choices, sizeof and dim3, but nothing that could be
/// another call, and no assignment.
bool isPure(const std::string &Expression);

} // namespace catt

#endif
