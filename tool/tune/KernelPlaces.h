//===- KernelPlaces.h - Where a kernel is named -----------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   __global__ void k(float *A);                          a declaration
//   void host(float *A) { if (A) k<<<1, 32>>>(A); }       a launch
//                                ~~~~~~~~~~~~~~~~
//   template <class T> ... / extern "C" __global__ void k(float *A) { ... }
//   ~~~~~~~~~~~~~~~~~~     ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
//                                                         the definition
//
// A copy of the kernel under another name can stand behind each of the first
// and the last, and be launched instead, if that is all there is. The kernel's
// name in any other place is a reason not to: the copy might need the same
// attribute, or instantiation, or be taken for the kernel.
//
// Limits: what is in front of the name is spelled out, not by macros. Files
// that are not in the texts are not looked through.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_TUNE_KERNELPLACES_H
#define CATT_TOOL_TUNE_KERNELPLACES_H

#include "tool/tune/Launches.h"

namespace catt {

struct KernelPlaces {
  std::string Kernel; ///< unqualified
  /// From what it begins with, on the start of its line if nothing stands
  /// before it there, to behind the brace.
  SourceSpan Definition;
  std::vector<SourceSpan> Declarations; ///< likewise, to behind the semicolon
  std::vector<SourceSpan> Launches;     ///< statements, by place
};

/// Of the kernels of one file, those with this name. Error: why there can be no
/// copies, as a clause: "it is named in /dir/a.cu:12, too".
llvm::Expected<KernelPlaces> placesOf(llvm::StringRef Kernel,
                                      const Report &Analysed,
                                      llvm::ArrayRef<TimedLaunch> Launches,
                                      const FileTexts &Texts);

/// The text with what is named after the kernel named after its copy instead:
/// "k" becomes "k_catt2", "cattRows_k" becomes "cattRows_k_catt2".
std::string renamed(const std::string &Text, llvm::StringRef Kernel,
                    unsigned Copy);

} // namespace catt

#endif
