//===- MovableValues.h - Which values can wait in memory --------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   float s = A[i];          Around: stored before the statements between
//   --- store s              which and the next use the pressure peaks, loaded
//   for (...) { peak }       behind them (TLP-RM section 2.3: live across the
//   --- load s               peak, not touched inside it)
//   y[i] = s;
//
//   for (...) {              Touched: used where the pressure peaks. Stored
//     --- load v[j]          behind every definition, loaded before every use
//     v[j] = v[j] * b;       that the statement before has not, so that it is
//                            in a register for few statements
//     --- store v[j]         (pointers are not: what is behind them would wait)
//   }
//
// Either way a load gives the variable the value that it has: it may stand
// anywhere, and runs where control passes or does not. What it is good for is
// that the compiler need not keep the register in between.
//
// Values are matched with the PTX's liveness by their names and scopes.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_SPILL_MOVABLEVALUES_H
#define CATT_ANALYSIS_PLAN_SPILL_MOVABLEVALUES_H

#include "analysis/model/RegisterUse.h"
#include <cstddef>

namespace catt {

/// Where a value is stored to its slot, or loaded from it.
struct SpillPoint {
  unsigned Statement = 0; ///< index in Kernel::Statements
  bool Load = false;      ///< else a store
  bool Behind = false;    ///< else before the statement
  /// Of an array: as in ValueEvent; both empty for the whole of it.
  std::string Element, Index;
  std::optional<int64_t> ConstantIndex;
};

/// A value that can wait in memory while the pressure peaks.
struct MovableValue {
  size_t Value = 0;               ///< index in Kernel::Values
  bool Around = false;            ///< else Touched
  std::vector<SpillPoint> Points; ///< in the order of the text
  int64_t Elements = 1;           ///< that can be moved each by itself
  unsigned Registers = 1;         ///< of one element, 32 bits each
  unsigned Fields = 1;            ///< of one element, each moved by itself
  /// Loads and stores of one element, each weighted by the iterations of the
  /// loops around it: their number where it is constant, else 10.
  double Accesses = 0;
};

/// Every value that may free registers where the pressure peaks: those of the
/// peak that runs most often, with the fewest accesses for each register first;
/// then those of the next one that are not among them.
std::vector<MovableValue> movableValues(const Kernel &K,
                                        const RegisterUse &Use);

/// Unrolled completely, as far as can be told: a constant number of iterations,
/// and a pragma, or few of them and no loop inside that stays one. A loop that
/// is unrolled in part stays one.
bool isUnrolled(const Kernel &K, const Loop &L);

/// How often a statement runs: the product over the loops around it.
double timesRun(const Kernel &K, const BodyStatement &S);

/// How often the accesses run, in the mean, of what a compiler spills that
/// lacks so many registers at the busiest peak, once loops are unrolled: the
/// values that are used in the fewest loops (Chaitin 1982), and in these.
double timesSpilled(const Kernel &K, const RegisterUse &Use, int64_t Registers);

} // namespace catt

#endif
