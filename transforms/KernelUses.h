//===- KernelUses.h - Where else a kernel is named --------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   k<<<grid, 256>>>(x);              a launch that the analysis saw
//   cudaFuncGetAttributes(&a, k);     launches nothing
//   cudaLaunchKernel(k, ...);         a foreign use: with what block?
//
// What holds for every launch in sight holds for every launch only if the
// kernel's name is used nowhere else.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TRANSFORMS_KERNELUSES_H
#define CATT_TRANSFORMS_KERNELUSES_H

#include "transforms/SourceEdit.h"

namespace catt {

/// A use of the kernel's name that is no launch that was seen, if there is one.
/// Those that only ask or allow are none, unless AnyUse says so.
std::optional<std::string>
foreignUse(const Kernel &K, const FileContexts &Files, bool AnyUse = false);

} // namespace catt

#endif
