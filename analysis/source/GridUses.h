//===- GridUses.h - Who asks which block of the grid it is ------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   void body(uint3 blockIdx, dim3 gridDim, const float *A) {
//     int i = blockIdx.x * blockDim.x + threadIdx.x;
//
// A body whose parameters have the names of the built-in variables can be told
// that it is another block, of a larger grid, than the launch knows: so a grid
// runs in several launches. That must be all it can ask.
//
// Limits: named in the kernel's own text alone, not in its lambdas and not in
// functions that it calls; no assembly that reads %ctaid and the like. Blocks
// that wait for other blocks are refused elsewhere (Kernel::Waits).
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_GRIDUSES_H
#define CATT_ANALYSIS_SOURCE_GRIDUSES_H

#include "clang/AST/Decl.h"
#include <string>

namespace catt {

/// Why a part of the kernel's grid can be no launch of its own, in words:
/// "'offset' asks for blockIdx". Empty: it can.
std::string againstSlices(const clang::FunctionDecl &Kernel);

} // namespace catt

#endif
