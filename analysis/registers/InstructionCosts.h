//===- InstructionCosts.h - What a PTX instruction expands to ---*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rough orders of magnitude, set by hand: they say what a scheduler would move
// first and what an expansion needs for a moment. None of them is measured; the
// weights in Pressure.cpp were fitted on top of them.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_REGISTERS_INSTRUCTIONCOSTS_H
#define CATT_ANALYSIS_REGISTERS_INSTRUCTIONCOSTS_H

#include "analysis/registers/Ptx.h"

namespace catt {

struct InstructionCost {
  unsigned Latency = 4;     ///< clocks until the result can be used
  unsigned Temporaries = 0; ///< 32-bit registers of its expansion
};

/// True for the functions of NVIDIA's device math library ("libdevice User's
/// Guide"), "__nv_sinf", which are called where no toolkit gives their bodies.
bool isMathFunction(llvm::StringRef Name);

/// Of one instruction. A call of a math function costs what its body needs.
InstructionCost costOf(const ptx::Instruction &I);

} // namespace catt

#endif
