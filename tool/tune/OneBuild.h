//===- OneBuild.h - Variants of a kernel in one text ------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before, three texts, each built by itself:
//   __global__ void k(float *A) { ... }
//   k<<<g, b>>>(A);
//
//   __global__ void k(float *A) { +++ }
//   k<<<g, b>>>(A);
//
//   __global__ void k(float *A) { +++ }
//   k<<<g, b, cattShared(k, 0, 9)>>>(A);
//
// After, one text, run with CATT_VARIANT unset, k=1 and k=2:
//   __global__ void k(float *A) { ... }
//   __global__ void k_catt1(float *A) { +++ }
//   switch (catt::variantOf("k")) {
//   case 1: { k_catt1<<<g, b>>>(A); } break;
//   case 2: { k_catt1<<<g, b, cattShared(k_catt1, 0, 9)>>>(A); } break;
//   default: { k<<<g, b>>>(A); }
//   }
//
// Variants with one body have one copy, and those that differ at the launch
// alone none. What is added at file scope stands there once for all.
//
// A copy is compiled as the kernel is alone: it has the same text, attributes
// and linkage, in the same place. Limits: so it was with nvcc 13.0, whose
// decisions to inline a function do not depend on how many call it. A variant
// that changes something else, such as a function that the kernel calls, is no
// part of it. A launch of the kernel that is not in these files runs the kernel
// as it is written.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_TUNE_ONEBUILD_H
#define CATT_TOOL_TUNE_ONEBUILD_H

#include "tool/tune/KernelPlaces.h"

namespace catt {

struct OneBuild {
  FileTexts Texts;                   ///< of files that change
  std::vector<TimedLaunch> Launches; ///< in these texts
  /// By the variant's place among those given: n of CATT_VARIANT=k=n, from 1.
  std::map<size_t, unsigned> Numbers;
  std::map<size_t, std::string> Alone; ///< why others are not in it, a clause
};

/// Joins variants of the kernel. Plain: the files as they are, with Launches.
/// Error: there are not two that can stand side by side.
llvm::Expected<OneBuild> joined(llvm::ArrayRef<const WrittenVariant *> Variants,
                                const KernelPlaces &At, const FileTexts &Plain,
                                llvm::ArrayRef<TimedLaunch> Launches);

} // namespace catt

#endif
