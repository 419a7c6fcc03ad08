//===- NestTrace.h - A loop nest as the simulation runs it ------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   Kernel + launch --> SimulatedNest: the accesses of a loop and of those
//                       inside, in the order of the text, with their addresses
//
// What a loop does not move the compiler loads before it and stores behind it,
// unless a store may change it; what is written twice with the same offset is
// one access. Both are left out. Members of an aligned object are one access,
// and what only this loop stores to, at one place, is not loaded again. Rows
// that begin where data says begin anywhere. Trip counts are those of LoopWork,
// and 256 for an outermost loop where it is not known. Guards are looked at in
// the middle of all loops; those that depend on what is not known are taken to
// hold. Offsets that are not known, but the same for all threads, count as
// multiples of a line.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_THROTTLE_NESTTRACE_H
#define CATT_ANALYSIS_PLAN_THROTTLE_NESTTRACE_H

#include "analysis/memory/Footprint.h"
#include "analysis/time/L1Simulation.h"
#include <memory>

namespace catt {

/// The loop and those inside it, or all of the kernel, for as long as K and
/// Options live; around it is one that runs once. nullptr: the block is not
/// known, lanes are apart by what is not, or something is updated atomically.
std::unique_ptr<SimulatedNest> traceOf(const Kernel &K,
                                       std::optional<unsigned> Loop,
                                       const FootprintOptions &Options);

/// What is simulated at a time: all of the kernel (std::nullopt), as what a
/// loop brings into L1 may be there for the next one; or, where that is too
/// long to be run, its outermost loops. All: its trace.
std::vector<std::optional<unsigned>> partsToSimulate(const Kernel &K,
                                                     const SimulatedNest *All,
                                                     const SimulatedRun &Run);

/// Only the data say how often a loop runs, or what an access touches: how long
/// the nest takes is a guess.
bool dataDecides(const Kernel &K, const SimulatedNest &Nest);

} // namespace catt

#endif
