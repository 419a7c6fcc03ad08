//===- Arithmetic.cpp - Operators and conditions -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the operators of C++ do to the values of SymbolicWalk, and conditions as
// affine guards.
//
//===----------------------------------------------------------------------===//

#include "analysis/source/walk/SymbolicWalk.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace clang;

namespace catt {

/// A constant as the type of the expression holds it: unsigned char and its
/// like wrap. Other values are assumed to fit.
Value SymbolicWalk::wrapped(Value V, const Expr &E) {
  QualType T = E.getType().getNonReferenceType();
  std::optional<int64_t> C =
      V.isInteger() ? V.Integer.constant() : std::nullopt;
  if (!C || !isIndexType(T) || T->isDependentType())
    return V;
  if (T->isBooleanType())
    return Value::integer(*C != 0);
  unsigned Bits = Context.getIntWidth(T);
  bool Signed = T->isSignedIntegerOrEnumerationType();
  if (Bits > 64 || (Bits == 64 && !Signed && *C < 0))
    return unknownAt(E, "'" + text(E) + "'");
  if (Bits == 64)
    return V;
  return Value::integer(
      Signed ? llvm::SignExtend64(uint64_t(*C), Bits)
             : int64_t(uint64_t(*C) & llvm::maskTrailingOnes<uint64_t>(Bits)));
}

/// C++ on two constants; std::nullopt where it would overflow or has none.
static std::optional<int64_t> fold(BinaryOperatorKind Op, int64_t A,
                                   int64_t B) {
  int64_t R = 0;
  switch (Op) {
  case BO_Add:
    return llvm::AddOverflow(A, B, R) ? std::nullopt : std::optional(R);
  case BO_Sub:
    return llvm::SubOverflow(A, B, R) ? std::nullopt : std::optional(R);
  case BO_Mul:
    return llvm::MulOverflow(A, B, R) ? std::nullopt : std::optional(R);
  case BO_Div:
  case BO_Rem:
    if (B == 0 || (A == INT64_MIN && B == -1))
      return std::nullopt;
    return Op == BO_Div ? A / B : A % B; // towards zero
  default:
    return std::nullopt;
  }
}

/// floor(I / Divisor) for a positive divisor; C division rounds towards zero.
static AffineIndex floorQuotient(const AffineIndex &I, int64_t Divisor) {
  AffineIndex Q = AffineIndex::quotient(I, Divisor);
  if (I.isNonNegative())
    return Q;
  return AffineIndex::select(
      I, Q, -AffineIndex::quotient(-I + (Divisor - 1), Divisor));
}

Value SymbolicWalk::evalShift(BinaryOperatorKind Op, const AffineIndex &L,
                              const AffineIndex &R, const Expr &E) {
  std::optional<int64_t> By = R.constant();
  if (!By || *By < 0 || *By > 40)
    return unknownAt(E, "'" + text(E) + "', a shift by a variable amount");
  int64_t Factor = int64_t(1) << *By;
  if (Op == BO_Shl)
    return Value::integer(L * Factor);
  return Value::integer(floorQuotient(L, Factor));
}

/// All coefficients are multiples of the factor.
static bool isMultipleOf(const AffineIndex &I, int64_t Factor) {
  return llvm::all_of(I.terms(),
                      [&](auto &Term) { return Term.second % Factor == 0; });
}

/// A power of two above every value of the index; 0 if none is known.
static int64_t powerOfTwoAbove(const AffineIndex &I) {
  if (auto C = I.constant())
    return *C >= 0 ? int64_t(llvm::PowerOf2Ceil(*C + 1)) : 0;
  if (I.terms().size() != 1)
    return 0;
  auto &[Atoms, Coefficient] = *I.terms().begin();
  if (Atoms.size() != 1 || Coefficient != 1 ||
      Atoms[0]->K != Atom::Kind::Remainder || !I.isNonNegative())
    return 0;
  auto Divisor = Atoms[0]->Operands[1].constant();
  return Divisor && *Divisor > 0 ? int64_t(llvm::PowerOf2Ceil(*Divisor)) : 0;
}

Value SymbolicWalk::evalBitwise(BinaryOperatorKind Op, const AffineIndex &L,
                                const AffineIndex &R, const Expr &E) {
  if (auto A = L.constant(), B = R.constant(); A && B)
    return Value::integer(Op == BO_And  ? (*A & *B)
                          : Op == BO_Or ? (*A | *B)
                                        : (*A ^ *B));
  if (Op == BO_And) {
    const AffineIndex &Other = R.constant() ? L : R;
    std::optional<int64_t> Mask = R.constant() ? R.constant() : L.constant();
    if (Mask && *Mask >= 0 && llvm::isPowerOf2_64(*Mask + 1)) // x mod 2^k
      return Value::integer(Other.isNonNegative()
                                ? AffineIndex::remainder(Other, *Mask + 1)
                                : Other - floorQuotient(Other, *Mask + 1) *
                                              (*Mask + 1));
    if (Mask && *Mask < 0 && llvm::isPowerOf2_64(-*Mask)) // x rounded down
      return Value::integer(floorQuotient(Other, -*Mask) * -*Mask);
  }
  // Disjoint bits: a | b and a ^ b are a + b.
  if (Op == BO_Or || Op == BO_Xor)
    for (auto [High, Low] : {std::pair(&L, &R), std::pair(&R, &L)})
      if (int64_t Above = powerOfTwoAbove(*Low);
          Above && isMultipleOf(*High, Above))
        return Value::integer(L + R);
  return unknownAt(E, "'" + text(E) + "'");
}

/// A pointer to elements of Size bytes, moved by R elements.
static std::optional<Value> movePointer(BinaryOperatorKind Op, const Value &L,
                                        const Value &R, int64_t Size) {
  if (!L.isPointer())
    return std::nullopt;
  Value V = L;
  if (R.isInteger() && (Op == BO_Add || Op == BO_Sub)) {
    if (V.Pointer.Offset)
      *V.Pointer.Offset +=
          Op == BO_Add ? R.Integer * Size : -(R.Integer * Size);
    return V;
  }
  if (R.isInteger() || Op == BO_Sub)
    return std::nullopt;
  V.Pointer.Offset.reset(); // somewhere in the same object
  V.Pointer.Why = R.Why;
  return V;
}

Value SymbolicWalk::evalArithmetic(BinaryOperatorKind Op, const Value &L,
                                   const Value &R, const Expr &E) {
  if (L.isInteger() && R.isPointer() && Op == BO_Add)
    return evalArithmetic(Op, R, L, E);
  QualType Pointee = E.getType().getNonReferenceType()->getPointeeType();
  if (auto V = movePointer(Op, L, R, sizeOf(Context, Pointee)))
    return *V;
  if (!L.isInteger() || !R.isInteger()) {
    const Value &Bad = L.isInteger() ? R : L;
    return Bad.Why ? Value::unknown(*Bad.Why)
                   : unknownAt(E, "'" + text(E) + "'");
  }
  const AffineIndex &A = L.Integer, &B = R.Integer;
  bool Folds = Op == BO_Add || Op == BO_Sub || Op == BO_Mul || Op == BO_Div ||
               Op == BO_Rem;
  if (auto X = A.constant(), Y = B.constant(); X && Y && Folds) {
    std::optional<int64_t> Both = fold(Op, *X, *Y);
    return Both ? wrapped(Value::integer(*Both), E)
                : unknownAt(E, "'" + text(E) + "'");
  }
  auto Truth = [&](const AffineIndex &NonNegative) {
    return Value::integer(AffineIndex::select(NonNegative, 1, 0));
  };
  switch (Op) {
  case BO_Add:
    return Value::integer(A + B);
  case BO_Sub:
    return Value::integer(A - B);
  case BO_Mul:
    return Value::integer(A * B);
  case BO_Div:
  case BO_Rem: {
    auto Divisor = B.constant();
    if ((Divisor && *Divisor == 0) || !B.isBlockUniform())
      return unknownAt(E, "a division by '" + B.str() + "'");
    return Value::integer(Op == BO_Div ? AffineIndex::quotient(A, B)
                                       : AffineIndex::remainder(A, B));
  }
  case BO_Shl:
  case BO_Shr:
    return wrapped(evalShift(Op, A, B, E), E);
  case BO_And:
  case BO_Or:
  case BO_Xor:
    return wrapped(evalBitwise(Op, A, B, E), E);
  case BO_LT:
    return Truth(B - A - 1);
  case BO_LE:
    return Truth(B - A);
  case BO_GT:
    return Truth(A - B - 1);
  case BO_GE:
    return Truth(A - B);
  default:
    return unknownAt(E, "'" + text(E) + "'");
  }
}

//===-- Conditions -------------------------------------------------------===//

Condition SymbolicWalk::comparison(BinaryOperatorKind Op, const AffineIndex &L,
                                   const AffineIndex &R, bool Truth) {
  if (!Truth)
    Op = BinaryOperator::negateComparisonOp(Op);
  switch (Op) {
  case BO_LT:
    return std::vector<Guard>{{R - L - 1}};
  case BO_LE:
    return std::vector<Guard>{{R - L}};
  case BO_GT:
    return std::vector<Guard>{{L - R - 1}};
  case BO_GE:
    return std::vector<Guard>{{L - R}};
  case BO_EQ:
    return std::vector<Guard>{{L - R}, {R - L}};
  default:
    return std::nullopt;
  }
}

/// The elements from one pointer to another one into the same object.
std::optional<AffineIndex> SymbolicWalk::elementsBetween(const Value &From,
                                                         const Value &To,
                                                         QualType Pointer) {
  const QualType Element = Pointer->getPointeeType();
  if (!From.isPointer() || !To.isPointer() || Element.isNull() ||
      Element->isIncompleteType() || Element->isDependentType() ||
      From.Pointer.BaseId != To.Pointer.BaseId || !From.Pointer.Offset ||
      !To.Pointer.Offset)
    return std::nullopt;
  const AffineIndex Bytes = *To.Pointer.Offset - *From.Pointer.Offset,
                    Size = Context.getTypeSizeInChars(Element).getQuantity(),
                    Elements = AffineIndex::quotient(Bytes, Size);
  return Elements * Size == Bytes ? std::optional(Elements) : std::nullopt;
}

/// The guards under which a condition is true (or false). Evaluates quietly:
/// the caller has evaluated the condition once for what it accesses.
Condition SymbolicWalk::conditionOf(const Expr *E, bool Truth) {
  E = strip(E)->IgnoreParenImpCasts();
  if (changesSomething(E)) // evaluated twice, it could give two values
    return std::nullopt;
  if (auto *U = dyn_cast<UnaryOperator>(E); U && U->getOpcode() == UO_LNot)
    return conditionOf(U->getSubExpr(), !Truth);
  auto *B = dyn_cast<BinaryOperator>(E);
  if (B && B->isLogicalOp()) {
    Condition L = conditionOf(B->getLHS(), Truth);
    Condition R = conditionOf(B->getRHS(), Truth);
    // Both must hold for "a && b" and for "!(a || b)"; the other two are
    // disjunctions.
    if ((B->getOpcode() == BO_LAnd) != Truth || !L || !R)
      return std::nullopt;
    L->insert(L->end(), R->begin(), R->end());
    return L;
  }
  ++Quiet;
  Condition Result;
  if (B && B->isComparisonOp()) {
    Value L = evalAsValue(B->getLHS()), R = evalAsValue(B->getRHS());
    if (L.isInteger() && R.isInteger())
      Result = comparison(B->getOpcode(), L.Integer, R.Integer, Truth);
    else if (auto N = elementsBetween(L, R, B->getLHS()->getType()))
      Result = comparison(B->getOpcode(), 0, *N, Truth);
  } else if (isIndexType(E->getType())) {
    Value V = evalAsValue(E);
    if (V.isInteger()) {
      if (auto C = V.Integer.constant())
        Result = std::vector<Guard>{{AffineIndex((*C != 0) == Truth ? 0 : -1)}};
      else
        Result = comparison(BO_NE, V.Integer, 0, Truth);
    }
  }
  --Quiet;
  return Result;
}

} // namespace catt
