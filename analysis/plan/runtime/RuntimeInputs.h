//===- RuntimeInputs.h - What a footprint depends on ------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for (int j = 0; j < m; ++j)       input n: the stride between its lines
//     sum += A[i * n + j];            bound: m >= LeastTrips
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_RUNTIME_RUNTIMEINPUTS_H
#define CATT_ANALYSIS_PLAN_RUNTIME_RUNTIMEINPUTS_H

#include "analysis/plan/throttle/Setting.h"

namespace catt {

/// Integer parameters that a kernel can test.
using Inputs = std::vector<std::string>;

/// Iterations below which a loop whose trip count is known only at run time is
/// not divided.
constexpr int64_t LeastTrips = 64;

/// True if the loop has no footprint, for a reason that is known.
bool isOpen(const LoopProfile &P);

/// The inputs without which the loop has no footprint; empty if it has one, if
/// there are more than two, or others than integer parameters.
Inputs inputsOf(Setting S, LoopProfile P);

/// The bound under which a loop makes LeastTrips iterations, if its trip count
/// is one more input plus a constant.
std::optional<RuntimeBound> enoughTrips(const Setting &S, const Loop &L,
                                        const Inputs &Known);

/// By loop: whether its nest holds one of these.
std::vector<bool> nestsOf(const Kernel &K, llvm::ArrayRef<unsigned> Loops);

/// Whether the nests of these loops can be counted many times over, at large
/// values of the inputs: columns as long as such a value cannot.
bool isCheap(Setting S, llvm::ArrayRef<std::string> Inputs,
             llvm::ArrayRef<unsigned> Loops);

} // namespace catt

#endif
