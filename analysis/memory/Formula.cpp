//===- Formula.cpp - An index compiled for evaluation ---------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Formula.h.
//
//===----------------------------------------------------------------------===//
#include "analysis/memory/Formula.h"
#include <algorithm>

namespace catt {

using Kind = Atom::Kind;
using SlotFunction = llvm::function_ref<std::optional<unsigned>(const Atom &)>;

//===-- Compilation ------------------------------------------------------===//

class FormulaCompiler {
public:
  explicit FormulaCompiler(SlotFunction SlotOf) : SlotOf(SlotOf) {}

  std::optional<Formula> compile(const AffineIndex &Index) {
    if (Index.isUndefined())
      return std::nullopt;
    Formula Result;
    for (const auto &[M, C] : Index.terms())
      if (!addTerm(Result, M, C))
        return std::nullopt;
    return Result;
  }

private:
  bool addTerm(Formula &To, const Monomial &M, int64_t Coefficient) {
    if (M.empty()) {
      To.Constant = Coefficient;
      return true;
    }
    Formula::Product Product;
    Product.Coefficient = Coefficient;
    uint32_t Mentioned = 0;
    for (const AtomRef &A : M) {
      std::optional<Formula::Factor> F = factor(*A, Mentioned);
      if (!F)
        return false;
      Product.Factors.push_back(std::move(*F));
    }
    To.Mentioned |= Mentioned;
    if (M.size() == 1 && M.front()->K < Kind::Quotient) {
      To.Linear.emplace_back(Product.Factors.front().Slot, Coefficient);
      return true;
    }
    To.Bent |= Mentioned;
    To.Products.push_back(std::move(Product));
    return true;
  }

  std::optional<Formula::Factor> factor(const Atom &A, uint32_t &Mentioned) {
    Formula::Factor F;
    if (A.K < Kind::Quotient) {
      std::optional<unsigned> Slot = SlotOf(A);
      if (!Slot || *Slot >= Formula::MaxSlots)
        return std::nullopt;
      F.Slot = *Slot;
      Mentioned |= 1u << *Slot;
      return F;
    }
    F.Function = A.K;
    for (const AffineIndex &Operand : A.Operands) {
      std::optional<Formula> Compiled = compile(Operand);
      if (!Compiled)
        return std::nullopt;
      Mentioned |= Compiled->Mentioned;
      F.Operands.push_back(std::move(*Compiled));
    }
    return F;
  }

  SlotFunction SlotOf;
};

std::optional<Formula> Formula::compile(const AffineIndex &Index,
                                        SlotFunction SlotOf) {
  return FormulaCompiler(SlotOf).compile(Index);
}

int64_t Formula::stride(unsigned Slot) const {
  for (const auto &[S, C] : Linear)
    if (S == Slot)
      return C;
  return 0;
}

//===-- Evaluation -------------------------------------------------------===//

int64_t Formula::value(const Factor &F, const int64_t *Slots) {
  if (F.Operands.empty())
    return Slots[F.Slot];
  int64_t First = F.Operands[0](Slots);
  switch (F.Function) {
  case Kind::Quotient:
    return First / F.Operands[1](Slots);
  case Kind::Remainder:
    return First % F.Operands[1](Slots);
  case Kind::Min:
    return std::min(First, F.Operands[1](Slots));
  case Kind::Max:
    return std::max(First, F.Operands[1](Slots));
  default:
    return F.Operands[First >= 0 ? 1 : 2](Slots);
  }
}

int64_t Formula::operator()(const int64_t *Slots) const {
  int64_t Sum = Constant;
  for (const auto &[Slot, C] : Linear)
    Sum += C * Slots[Slot];
  for (const Product &P : Products) {
    int64_t Value = P.Coefficient;
    for (const Factor &F : P.Factors)
      Value *= value(F, Slots);
    Sum += Value;
  }
  return Sum;
}

unsigned Formula::cost() const {
  unsigned Sum = 1 + Linear.size();
  for (const Product &P : Products)
    for (const Factor &F : P.Factors) {
      Sum += 4; // a division takes longer than a step through the vectors
      for (const Formula &Operand : F.Operands)
        Sum += Operand.cost();
    }
  return Sum;
}

//===-- Ranges -----------------------------------------------------------===//

using Range = Formula::Range;

/// The hull of the values, unless one is so large that sums of a thousand of
/// them could leave 64 bits.
static std::optional<Range> bounded(std::initializer_list<__int128> Values) {
  auto [Lo, Hi] = std::minmax(Values);
  constexpr __int128 Limit = __int128(1) << 52;
  if (Lo < -Limit || Hi > Limit)
    return std::nullopt;
  return Range{static_cast<int64_t>(Lo), static_cast<int64_t>(Hi)};
}

static std::optional<Range> times(Range A, Range B) {
  __int128 Lo = A.Lo, Hi = A.Hi;
  return bounded({Lo * B.Lo, Lo * B.Hi, Hi * B.Lo, Hi * B.Hi});
}

static std::optional<Range> quotientRange(Range A, Range B) {
  if (B.Lo <= 0 && B.Hi >= 0)
    return std::nullopt;
  return bounded({A.Lo / B.Lo, A.Lo / B.Hi, A.Hi / B.Lo, A.Hi / B.Hi});
}

static std::optional<Range> remainderRange(Range A, Range B) {
  if (B.Lo <= 0 && B.Hi >= 0)
    return std::nullopt;
  int64_t Largest = std::max(std::abs(B.Lo), std::abs(B.Hi)) - 1;
  return Range{A.Lo < 0 ? std::max(A.Lo, -Largest) : 0,
               A.Hi > 0 ? std::min(A.Hi, Largest) : 0};
}

std::optional<Range> Formula::range(const Factor &F,
                                    llvm::ArrayRef<Range> Slots) {
  if (F.Operands.empty())
    return Slots[F.Slot];
  llvm::SmallVector<Range, 3> Of;
  for (const Formula &Operand : F.Operands) {
    std::optional<Range> R = Operand.range(Slots);
    if (!R)
      return std::nullopt;
    Of.push_back(*R);
  }
  switch (F.Function) {
  case Kind::Quotient:
    return quotientRange(Of[0], Of[1]);
  case Kind::Remainder:
    return remainderRange(Of[0], Of[1]);
  case Kind::Min:
    return Range{std::min(Of[0].Lo, Of[1].Lo), std::min(Of[0].Hi, Of[1].Hi)};
  case Kind::Max:
    return Range{std::max(Of[0].Lo, Of[1].Lo), std::max(Of[0].Hi, Of[1].Hi)};
  default:
    return Range{std::min(Of[1].Lo, Of[2].Lo), std::max(Of[1].Hi, Of[2].Hi)};
  }
}

std::optional<Range> Formula::range(llvm::ArrayRef<Range> Slots) const {
  std::optional<Range> Sum = bounded({Constant});
  auto Add = [&Sum](std::optional<Range> R) {
    if (Sum && R)
      Sum = bounded({__int128(Sum->Lo) + R->Lo, __int128(Sum->Hi) + R->Hi});
    else
      Sum = std::nullopt;
  };
  for (const auto &[Slot, C] : Linear)
    Add(times({C, C}, Slots[Slot]));
  for (const Product &P : Products) {
    std::optional<Range> Value = bounded({P.Coefficient});
    for (const Factor &F : P.Factors) {
      std::optional<Range> Next = range(F, Slots);
      Value = Value && Next ? times(*Value, *Next) : std::nullopt;
    }
    Add(Value);
  }
  return Sum;
}

} // namespace catt
