//===- HiddenState.h - What a kernel changes beside memory ------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   __device__ int total;
//   __global__ void add(int *p) { *p += 1; }                 ""
//   __global__ void sum(int *p) { atomicAdd(&total, *p); }   "it uses the
//                                                             variable 'total'"
//
// A kernel whose memory is copied and put back does the same again only if all
// that it changes lies behind its arguments. Looked through is everything that
// it reaches, branches that are never taken included.
//
// Limits: that pointers behind the arguments lead to all of it is for the run
// to find out. Constants count as no state unless they hold pointers.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_SAFETY_HIDDENSTATE_H
#define CATT_ANALYSIS_SOURCE_SAFETY_HIDDENSTATE_H

#include "analysis/source/safety/ReachedCode.h"

namespace catt {

/// As Kernel::HiddenState. The kernel must have a body.
std::string hiddenState(const clang::FunctionDecl &Kernel, ReachedCode &Code);

} // namespace catt

#endif
