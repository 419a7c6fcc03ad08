//===- Warnings.h - What a kernel asks for and does not get -----*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   __launch_bounds__(256, 8) with 40 KiB of shared memory: 5 blocks fit
//   k<<<grid, 1024>>> with 72 registers a thread: cannot be launched
//
// Limits: of launches in sight; of registers what was asked of ptxas, or, of an
// estimate, its lower end.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_WARNINGS_H
#define CATT_ANALYSIS_PLAN_WARNINGS_H

#include "analysis/device/Device.h"
#include "analysis/model/Kernel.h"

namespace catt {

/// bound-not-reached and may-not-launch, where they hold.
std::vector<Refusal> warningsOf(const Kernel &K, const Device &Gpu);

} // namespace catt

#endif
