//===- OccupancyCalls.h - What host code asks of occupancy ------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   int blocks;
//   cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, k, 256, 0);
//   k<<<8 * multiprocessors, 256>>>(A);       blocks is read nowhere
//
// Limits: a result that is stored in a member or through a pointer counts as
// used, and so does one that something else may read.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_OCCUPANCYCALLS_H
#define CATT_ANALYSIS_SOURCE_OCCUPANCYCALLS_H

#include "analysis/model/Refusal.h"
#include "clang/AST/Decl.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include <vector>

namespace catt {

/// Calls whose results nobody reads, by the canonical declaration of the kernel
/// that they ask about.
llvm::DenseMap<const clang::FunctionDecl *, std::vector<Refusal>>
unusedOccupancy(llvm::ArrayRef<const clang::FunctionDecl *> Hosts);

} // namespace catt

#endif
