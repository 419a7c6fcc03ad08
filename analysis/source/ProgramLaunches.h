//===- ProgramLaunches.h - Launches for other units -------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   TranslationUnit --(kernelsOf)--> UnitKernels --(joined by the tool)-->
//   Program --(addLaunches)--> Kernel::Launches of every unit
//
// Limits: what is not instantiated is not read.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_PROGRAMLAUNCHES_H
#define CATT_ANALYSIS_SOURCE_PROGRAMLAUNCHES_H

#include "analysis/frontend/CudaFrontEnd.h"
#include "analysis/model/Kernel.h"
#include "analysis/model/Program.h"

namespace catt {

/// The kernels that other units can name: those that are defined here, and the
/// launches and other uses of all.
UnitKernels kernelsOf(const TranslationUnit &Unit);

/// Adds the launches of other units to the kernel's own. Cooperative ones
/// become refusals.
void addLaunches(const Program &From, Kernel &K);

} // namespace catt

#endif
