//===- Formula.h - An index compiled for evaluation --------------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// AffineIndex is made for algebra; a Formula is the same polynomial over
// numbered slots, made to be evaluated for every thread of a block:
//
//   16384*threadIdx.x + 4*i2 + (i2 / 8)   =>   16384*s[0] + 4*s[4] + (s[4] / 8)
//
// Evaluation does not check for overflow or division by zero: `range` does
// that once for all values of the slots, and must have succeeded before.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_MEMORY_FORMULA_H
#define CATT_ANALYSIS_MEMORY_FORMULA_H

#include "analysis/model/AffineIndex.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace catt {

class Formula {
public:
  static constexpr unsigned MaxSlots = 32;
  /// The values [Lo, Hi].
  struct Range {
    int64_t Lo = 0, Hi = 0;
  };

  Formula() = default; ///< the constant 0
  /// std::nullopt if SlotOf does not know a leaf, or the index is undefined.
  static std::optional<Formula>
  compile(const AffineIndex &Index,
          llvm::function_ref<std::optional<unsigned>(const Atom &)> SlotOf);

  int64_t operator()(const int64_t *Slots) const;
  /// Bounds on the value, exact if the formula is linear; std::nullopt if some
  /// part of it may leave 62 bits or divide by zero.
  std::optional<Range> range(llvm::ArrayRef<Range> Slots) const;

  /// About how many additions one evaluation takes.
  unsigned cost() const;

  bool mentions(unsigned Slot) const { return Mentioned >> Slot & 1; }
  /// Bit S is set if slot S is mentioned.
  uint32_t mentioned() const { return Mentioned; }
  /// True if the value is c * slot + (what does not depend on the slot).
  bool isLinearIn(unsigned Slot) const { return !(Bent >> Slot & 1); }
  bool isLinear() const { return Bent == 0; }
  /// That c, 0 if the slot is not mentioned.
  int64_t stride(unsigned Slot) const;

private:
  friend class FormulaCompiler;
  struct Factor {
    Atom::Kind Function = Atom::Kind::Iterator; ///< a function, or a slot
    unsigned Slot = 0;
    std::vector<Formula> Operands;
  };
  struct Product {
    int64_t Coefficient = 0;
    std::vector<Factor> Factors;
  };

  static int64_t value(const Factor &F, const int64_t *Slots);
  static std::optional<Range> range(const Factor &F,
                                    llvm::ArrayRef<Range> Slots);

  int64_t Constant = 0;
  llvm::SmallVector<std::pair<unsigned, int64_t>, 6> Linear; ///< slot, c
  std::vector<Product> Products; ///< all other terms
  uint32_t Mentioned = 0, Bent = 0;
};

} // namespace catt

#endif
