//===- RematPlan.h - Which values are computed again ------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   int row = i * pitch;        row is live across the loop
//   A[row] = 0;
//   for (...) ...               the peak, which does not touch row
//   A[row] += s;                <- row = i * pitch before this statement
//
// A pure function over the variables of a kernel (their statements and uses)
// and its peaks of register pressure (32-bit registers of one thread). TLP-RM,
// You and Tsai, section 2.2: of the values that
//
//   1. take no long instruction to compute,
//   2. are live across the whole peak (and not touched inside),
//   3. whose operands are live behind the peak all the same,
//   4. have one definition,
//
// algorithm 1 takes those that cover most of the peaks that are too high, until
// none is. Where several do, those that cost least: operations, ten times as
// many for each loop around.
//
// A peak stands at lines, a value at statements. A value is computed again
// before the first statement behind the peak that uses it; in a loop around the
// peak also before the first one of the loop, which the next iteration reaches.
// That is always right, whatever the peak is: the value is the one that the
// variable has. What makes it so: operands with one definition (or none in the
// scope of the value), pure initializers, no products that the compiler may
// round in another way (MayContract).
//
// One operand is hidden from the compiler, which would otherwise keep the first
// result. The lightest is an integer; a pointer is the last choice, because
// the compiler then no longer knows what it points to.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_REMAT_REMATPLAN_H
#define CATT_ANALYSIS_PLAN_REMAT_REMATPLAN_H

#include "analysis/model/Kernel.h"
#include "analysis/model/RegisterUse.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace catt {

/// An operand as inline assembly takes it.
struct HiddenOperand {
  std::string Name;    ///< "i"; "threadIdx" for the special registers
  char Constraint = 0; ///< 'r' 32 bits, 'l' 64, 'h' 16, 'f' float, 'd' double
  bool operator==(const HiddenOperand &) const = default;
};

/// A value that is computed again before some statements.
struct Recomputation {
  unsigned Value = 0;           ///< index in Kernel::Values
  std::vector<unsigned> Before; ///< indices in Kernel::Statements, ascending
  HiddenOperand Hidden;
  unsigned Registers = 0; ///< that it frees at a peak, an estimate
  uint64_t Cost = 0;      ///< operations, ten times as many per loop around
};

/// A number of values that was tried, and what the assembler made of it.
struct RematStep {
  size_t Values = 0;
  RegisterPoint Compiled;
};

struct RematPlan {
  unsigned TargetRegisters = 0;
  unsigned Wanted = 0;               ///< registers too many at the highest peak
  unsigned Freed = 0;                ///< of those
  std::vector<Recomputation> Values; ///< in the order of their declarations
  std::vector<RematStep> Steps;      ///< empty: an estimate decided
  std::vector<Refusal> Refusals;     ///< why values that are live there stay
};

/// The values to compute again so that the kernel needs no more than Target
/// registers. Empty where it does so already. Wanted: registers to free,
/// instead of what the target lacks.
std::optional<RematPlan> planRemat(const Kernel &K, const RegisterUse &Use,
                                   unsigned Target,
                                   std::optional<unsigned> Wanted = {});

} // namespace catt

#endif
