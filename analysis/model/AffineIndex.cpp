//===- AffineIndex.cpp - Integer expressions over threads and loops -------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arithmetic, in four parts: order and size of atoms; intervals, which
// prove signs; the polynomial ring; the functions / % min max select with
// their simplifications.
//
// "Undefined" is the term 1/0, a quotient that no other rule can produce: it
// needs no flag beside the terms, compares equal to itself, and no consumer can
// read a number out of it.
//
//===----------------------------------------------------------------------===//
#include "analysis/model/AffineIndex.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>

namespace catt {

using Kind = Atom::Kind;
using TermMap = std::map<Monomial, int64_t, MonomialLess>;

static bool isLeaf(const Atom &A) { return A.K < Kind::Quotient; }

//===-- Order and size ---------------------------------------------------===//

int compare(const Atom &A, const Atom &B) {
  if (&A == &B)
    return 0;
  if (A.K != B.K)
    return A.K < B.K ? -1 : 1;
  if (A.Dim != B.Dim)
    return A.Dim < B.Dim ? -1 : 1;
  if (A.Id != B.Id)
    return A.Id < B.Id ? -1 : 1;
  if (int Order = A.Name.compare(B.Name))
    return Order;
  if (A.Operands.size() != B.Operands.size())
    return A.Operands.size() < B.Operands.size() ? -1 : 1;
  for (size_t I = 0; I != A.Operands.size(); ++I)
    if (int Order = compare(A.Operands[I], B.Operands[I]))
      return Order;
  return 0;
}

static int compare(const Monomial &A, const Monomial &B) {
  for (size_t I = 0, E = std::min(A.size(), B.size()); I != E; ++I)
    if (int Order = compare(*A[I], *B[I]))
      return Order;
  return A.size() == B.size() ? 0 : A.size() < B.size() ? -1 : 1;
}

bool MonomialLess::operator()(const Monomial &A, const Monomial &B) const {
  return compare(A, B) < 0;
}

int compare(const AffineIndex &A, const AffineIndex &B) {
  auto I = A.Terms.begin(), J = B.Terms.begin();
  for (; I != A.Terms.end() && J != B.Terms.end(); ++I, ++J) {
    if (int Order = compare(I->first, J->first))
      return Order;
    if (I->second != J->second)
      return I->second < J->second ? -1 : 1;
  }
  if (I == A.Terms.end())
    return J == B.Terms.end() ? 0 : -1;
  return 1;
}

/// Adds the number of terms and atoms of A at every depth to Size; gives up
/// (with a value above the limit) as soon as the limit is passed.
static void addSize(const AffineIndex &A, unsigned &Size) {
  for (const auto &[M, C] : A.terms()) {
    Size += 1 + M.size();
    for (const AtomRef &Part : M)
      for (const AffineIndex &Operand : Part->Operands)
        if (Size <= AffineIndex::SizeLimit)
          addSize(Operand, Size);
  }
}

//===-- Intervals --------------------------------------------------------===//

namespace {
/// The integers [Lo, Hi]. An end at the limit of int64_t is unbounded, so that
/// arithmetic that leaves 64 bits stays sound.
struct Interval {
  static constexpr int64_t Max = std::numeric_limits<int64_t>::max();
  static constexpr int64_t Min = std::numeric_limits<int64_t>::min();
  int64_t Lo = Min, Hi = Max;
};
} // namespace

static int64_t clamp(__int128 V) {
  return V > Interval::Max   ? Interval::Max
         : V < Interval::Min ? Interval::Min
                             : static_cast<int64_t>(V);
}

static bool unbounded(int64_t End) {
  return End == Interval::Max || End == Interval::Min;
}

/// A bound times a bound; 0 times unbounded is 0, as all values are finite.
static int64_t timesBound(int64_t A, int64_t B) {
  if (A == 0 || B == 0)
    return 0;
  if (unbounded(A) || unbounded(B))
    return (A < 0) == (B < 0) ? Interval::Max : Interval::Min;
  return clamp(static_cast<__int128>(A) * B);
}

static Interval operator*(Interval A, Interval B) {
  auto [Lo, Hi] = std::minmax({timesBound(A.Lo, B.Lo), timesBound(A.Lo, B.Hi),
                               timesBound(A.Hi, B.Lo), timesBound(A.Hi, B.Hi)});
  return {Lo, Hi};
}

static Interval operator+(Interval A, Interval B) {
  Interval Sum;
  if (A.Lo != Interval::Min && B.Lo != Interval::Min)
    Sum.Lo = clamp(static_cast<__int128>(A.Lo) + B.Lo);
  if (A.Hi != Interval::Max && B.Hi != Interval::Max)
    Sum.Hi = clamp(static_cast<__int128>(A.Hi) + B.Hi);
  return Sum;
}

static Interval hull(Interval A, Interval B) {
  return {std::min(A.Lo, B.Lo), std::max(A.Hi, B.Hi)};
}

/// The largest magnitude in the interval.
static int64_t magnitude(Interval A) {
  if (A.Lo == Interval::Min || A.Hi == Interval::Max)
    return Interval::Max;
  return std::max(std::abs(A.Lo), std::abs(A.Hi));
}

static int64_t overBound(int64_t Bound, int64_t Divisor) {
  if (unbounded(Bound))
    return Divisor == Interval::Max ? (Bound < 0 ? -1 : 1) * Interval::Max
                                    : Bound;
  return Bound / Divisor;
}

/// Truncating division: monotone in A for a fixed positive divisor, and never
/// larger in magnitude than A.
static Interval rangeOfQuotient(Interval A, Interval B) {
  if (B.Lo > 0)
    return {std::min(overBound(A.Lo, B.Lo), overBound(A.Lo, B.Hi)),
            std::max(overBound(A.Hi, B.Lo), overBound(A.Hi, B.Hi))};
  int64_t M = magnitude(A);
  return M == Interval::Max ? Interval() : Interval{-M, M};
}

/// The remainder has the dividend's sign and is smaller than the divisor.
static Interval rangeOfRemainder(Interval A, Interval B) {
  int64_t M = magnitude(B);
  if (M != Interval::Max)
    M = std::max<int64_t>(M - 1, 0);
  Interval R = {std::max(A.Lo, M == Interval::Max ? Interval::Min : -M),
                std::min(A.Hi, M)};
  return {std::min<int64_t>(R.Lo, 0), std::max<int64_t>(R.Hi, 0)};
}

static Interval range(const AffineIndex &A);

/// Limits of launches: CUDA C++ Programming Guide, "Technical Specifications
/// per Compute Capability" (blocks of 1024 x 1024 x 64 threads, grids of
/// 2^31-1 x 65535 x 65535 blocks, the same for every capability from 5.0 on).
static int64_t launchLimit(const Atom &A) {
  if (A.K == Kind::ThreadIdx || A.K == Kind::BlockDim)
    return A.Dim == Axis::Z ? 64 : 1024;
  return A.Dim == Axis::X ? 2147483647 : 65535;
}

static Interval range(const Atom &A) {
  switch (A.K) {
  case Kind::ThreadIdx:
  case Kind::BlockIdx:
    return {0, launchLimit(A) - 1};
  case Kind::BlockDim:
  case Kind::GridDim:
    return {1, launchLimit(A)};
  case Kind::Iterator:
    return {0, Interval::Max};
  case Kind::Parameter:
    return {};
  case Kind::Quotient:
    return rangeOfQuotient(range(A.Operands[0]), range(A.Operands[1]));
  case Kind::Remainder:
    return rangeOfRemainder(range(A.Operands[0]), range(A.Operands[1]));
  case Kind::Select:
    return hull(range(A.Operands[1]), range(A.Operands[2]));
  case Kind::Min:
  case Kind::Max:
    break;
  }
  Interval B = range(A.Operands[0]), C = range(A.Operands[1]);
  if (A.K == Kind::Min)
    return {std::min(B.Lo, C.Lo), std::min(B.Hi, C.Hi)};
  return {std::max(B.Lo, C.Lo), std::max(B.Hi, C.Hi)};
}

static Interval range(const AffineIndex &A) {
  Interval Sum = {0, 0};
  for (const auto &[M, C] : A.terms()) {
    Interval Product = {C, C};
    for (const AtomRef &Part : M)
      Product = Product * range(*Part);
    Sum = Sum + Product;
  }
  return Sum;
}

/// The same value with blockDim = threadIdx + 1 + s and gridDim = blockIdx + 1
/// + s, s >= 0: then intervals see that threadIdx.x - blockDim.x is negative.
/// The slack s is an iterator that no loop has.
static AffineIndex tieDimensions(const AffineIndex &A) {
  constexpr unsigned FirstSlack = ~0u - 8;
  AffineIndex Result;
  for (const auto &[M, C] : A.terms()) {
    AffineIndex Product = C;
    for (const AtomRef &Part : M) {
      unsigned Slack = FirstSlack + static_cast<unsigned>(Part->Dim);
      if (Part->K == Kind::BlockDim)
        Product *= AffineIndex::threadIdx(Part->Dim) + 1 +
                   AffineIndex::iterator(Slack);
      else if (Part->K == Kind::GridDim)
        Product *= AffineIndex::blockIdx(Part->Dim) + 1 +
                   AffineIndex::iterator(Slack + 3);
      else
        Product *= AffineIndex::atom(*Part);
    }
    Result += Product;
  }
  return Result;
}

static bool mentionsDimensions(const AffineIndex &A) {
  for (const auto &[M, C] : A.terms())
    for (const AtomRef &Part : M)
      if (Part->K == Kind::BlockDim || Part->K == Kind::GridDim)
        return true;
  return false;
}

static bool provedNonNegative(const AffineIndex &A) {
  if (A.isUndefined())
    return false;
  if (range(A).Lo >= 0)
    return true;
  if (!mentionsDimensions(A))
    return false;
  AffineIndex Tied = tieDimensions(A);
  return !Tied.isUndefined() && range(Tied).Lo >= 0;
}

bool AffineIndex::isNonNegative() const { return provedNonNegative(*this); }

static bool provedLess(const AffineIndex &A, const AffineIndex &B) {
  return provedNonNegative(B - A - 1);
}

//===-- The ring ---------------------------------------------------------===//

AffineIndex::AffineIndex(int64_t Constant) {
  if (Constant != 0)
    Terms.emplace(Monomial(), Constant);
}

AffineIndex AffineIndex::atom(Atom A) {
  AffineIndex Result;
  Result.Terms.emplace(Monomial{std::make_shared<const Atom>(std::move(A))}, 1);
  return Result;
}

AffineIndex AffineIndex::function(Atom::Kind K,
                                  std::vector<AffineIndex> Operands) {
  unsigned Size = 0;
  for (const AffineIndex &Operand : Operands)
    addSize(Operand, Size);
  if (Size > SizeLimit)
    return undefined();
  return atom({K, Axis::X, 0, {}, std::move(Operands)});
}

AffineIndex AffineIndex::undefined() {
  return atom({Kind::Quotient, Axis::X, 0, {}, {AffineIndex(1), 0}});
}

bool AffineIndex::isUndefined() const {
  if (Terms.size() != 1 || Terms.begin()->first.size() != 1)
    return false;
  const Atom &A = *Terms.begin()->first.front();
  return A.K == Kind::Quotient && A.Operands[1].Terms.empty();
}

AffineIndex AffineIndex::threadIdx(Axis Dim) {
  return atom({Kind::ThreadIdx, Dim, 0, {}, {}});
}
AffineIndex AffineIndex::blockIdx(Axis Dim) {
  return atom({Kind::BlockIdx, Dim, 0, {}, {}});
}
AffineIndex AffineIndex::blockDim(Axis Dim) {
  return atom({Kind::BlockDim, Dim, 0, {}, {}});
}
AffineIndex AffineIndex::gridDim(Axis Dim) {
  return atom({Kind::GridDim, Dim, 0, {}, {}});
}
AffineIndex AffineIndex::iterator(unsigned LoopId) {
  return atom({Kind::Iterator, Axis::X, LoopId, {}, {}});
}
AffineIndex AffineIndex::parameter(std::string Name) {
  return atom({Kind::Parameter, Axis::X, 0, std::move(Name), {}});
}

/// Adds one term; false if its coefficient leaves 64 bits.
bool AffineIndex::addTerm(const Monomial &M, int64_t Coefficient) {
  auto [Place, New] = Terms.try_emplace(M, Coefficient);
  if (!New &&
      __builtin_add_overflow(Place->second, Coefficient, &Place->second))
    return false;
  if (Place->second == 0)
    Terms.erase(Place);
  return true;
}

AffineIndex &AffineIndex::operator+=(const AffineIndex &B) {
  if (isUndefined() || B.isUndefined())
    return *this = undefined();
  if (&B == this)
    return *this *= 2;
  for (const auto &[M, C] : B.Terms)
    if (!addTerm(M, C))
      return *this = undefined();
  foldQuotientsWithRemainders();
  return Terms.size() > SizeLimit ? *this = undefined() : *this;
}

AffineIndex &AffineIndex::operator-=(const AffineIndex &B) {
  return *this += B * AffineIndex(-1);
}

AffineIndex &AffineIndex::operator*=(const AffineIndex &B) {
  if (isUndefined() || B.isUndefined() ||
      Terms.size() * B.Terms.size() > SizeLimit)
    return *this = undefined();
  AffineIndex Product;
  for (const auto &[M, C] : Terms)
    for (const auto &[N, D] : B.Terms) {
      Monomial Both;
      Both.reserve(M.size() + N.size());
      std::merge(M.begin(), M.end(), N.begin(), N.end(),
                 std::back_inserter(Both), AtomLess());
      int64_t Coefficient;
      if (Both.size() > SizeLimit ||
          __builtin_mul_overflow(C, D, &Coefficient) ||
          !Product.addTerm(Both, Coefficient))
        return *this = undefined();
    }
  Product.foldQuotientsWithRemainders();
  return *this = std::move(Product);
}

/// M without one occurrence of each atom of Part; std::nullopt if one is
/// missing. Both are sorted.
static std::optional<Monomial> without(const Monomial &M,
                                       const Monomial &Part) {
  if (!std::includes(M.begin(), M.end(), Part.begin(), Part.end(), AtomLess()))
    return std::nullopt;
  Monomial Rest;
  std::set_difference(M.begin(), M.end(), Part.begin(), Part.end(),
                      std::back_inserter(Rest), AtomLess());
  return Rest;
}

static Monomial withAtoms(Monomial M, const Monomial &Part) {
  for (const AtomRef &A : Part)
    M.insert(std::upper_bound(M.begin(), M.end(), A, AtomLess()), A);
  return M;
}

/// k * (a % b) + k * b * (a / b) = k * a, for a divisor of one term: what is
/// left where a program splits an index into row and column and joins them.
void AffineIndex::foldQuotientsWithRemainders() {
  for (auto I = Terms.begin(); I != Terms.end(); ++I) {
    const auto &[M, C] = *I;
    for (const AtomRef &A : M) {
      if (A->K != Kind::Remainder || A->Operands[1].Terms.size() != 1)
        continue;
      const auto &[Divisor, Scale] = *A->Operands[1].Terms.begin();
      AtomRef Quotient = std::make_shared<const Atom>(
          Atom{Kind::Quotient, Axis::X, 0, {}, A->Operands});
      Monomial Rest = *without(M, {A});
      auto Partner =
          Terms.find(withAtoms(withAtoms(Rest, Divisor), {Quotient}));
      int64_t Wanted;
      if (Partner == Terms.end() || __builtin_mul_overflow(C, Scale, &Wanted) ||
          Partner->second != Wanted)
        continue;
      AffineIndex Joined;
      Joined.Terms.emplace(Rest, C);
      Joined *= A->Operands[0];
      Terms.erase(Partner);
      Terms.erase(I);
      *this += Joined; // folds again what this may have made possible
      return;
    }
  }
}

//===-- Functions --------------------------------------------------------===//

static std::optional<int64_t> divide(int64_t A, int64_t B) {
  if (B == 0 || (B == -1 && A == Interval::Min))
    return std::nullopt;
  return A / B;
}

static std::optional<int64_t> modulo(int64_t A, int64_t B) {
  if (B == 0)
    return std::nullopt;
  return B == -1 ? 0 : A % B;
}

/// The greatest common divisor of the coefficients; 0 for the index 0, 1 if
/// there is one that cannot be negated.
static int64_t content(const AffineIndex &A) {
  int64_t G = 0;
  for (const auto &[M, C] : A.terms()) {
    if (C == Interval::Min)
      return 1;
    G = std::gcd(G, C);
  }
  return G;
}

static AffineIndex term(const Monomial &M, int64_t C) {
  AffineIndex Result = C;
  for (const AtomRef &Part : M)
    Result *= AffineIndex::atom(*Part);
  return Result;
}

static AffineIndex dividedBy(const AffineIndex &A, int64_t Factor) {
  AffineIndex Result;
  for (const auto &[M, C] : A.terms())
    Result += term(M, C / Factor);
  return Result;
}

namespace {
/// Value = Divisor * Whole + Rest.
struct Split {
  AffineIndex Whole, Rest;
};
} // namespace

/// Takes out of A the terms that are multiples of the divisor, if that is one
/// term, and the multiple inside A's constant, if the divisor is a constant.
static Split split(const AffineIndex &A, const AffineIndex &Divisor) {
  Split Result;
  if (Divisor.terms().size() != 1) {
    Result.Rest = A;
    return Result;
  }
  const auto &[By, Scale] = *Divisor.terms().begin();
  for (const auto &[M, C] : A.terms()) {
    std::optional<Monomial> Left = without(M, By);
    std::optional<int64_t> Times = divide(C, Scale);
    if (!Left || !Times || (C % Scale != 0 && !M.empty())) {
      Result.Rest += term(M, C);
      continue;
    }
    Result.Whole += term(*Left, *Times);
    Result.Rest += C % Scale;
  }
  return Result;
}

/// True if division of A = Divisor * Whole + Rest may be done part by part:
/// nothing is left over, or neither A nor the rest is negative.
static bool splits(const AffineIndex &A, const AffineIndex &Divisor,
                   const Split &Parts) {
  if (Parts.Whole.terms().empty())
    return false;
  return Parts.Rest.terms().empty() ||
         (provedLess(0, Divisor) && provedNonNegative(A) &&
          provedNonNegative(Parts.Rest));
}

/// True if |A| < B is known.
static bool provedSmaller(const AffineIndex &A, const AffineIndex &B) {
  return provedLess(A, B) && (provedNonNegative(A) || provedLess(-A, B));
}

/// The atom of the given kind that A is, with a constant positive divisor.
static const Atom *isDivision(const AffineIndex &A, Kind K) {
  if (A.terms().size() != 1 || A.terms().begin()->second != 1 ||
      A.terms().begin()->first.size() != 1)
    return nullptr;
  const Atom &Part = *A.terms().begin()->first.front();
  return Part.K == K && Part.Operands[1].constant().value_or(0) > 0 ? &Part
                                                                    : nullptr;
}

AffineIndex AffineIndex::quotient(const AffineIndex &A, const AffineIndex &B) {
  if (A.isUndefined() || B.isUndefined() || B == 0)
    return undefined();
  std::optional<int64_t> ByConstant = B.constant();
  if (A.constant() && ByConstant) {
    std::optional<int64_t> Value = divide(*A.constant(), *ByConstant);
    return Value ? AffineIndex(*Value) : undefined();
  }
  if (A == 0 || ByConstant == 1)
    return A;
  if (A == B)
    return 1;
  if (ByConstant && *ByConstant < 0 && *ByConstant != Interval::Min)
    return -quotient(A, -B);
  if (int64_t G = std::gcd(content(A), content(B)); G > 1)
    return quotient(dividedBy(A, G), dividedBy(B, G));
  if (Split Parts = split(A, B); splits(A, B, Parts))
    return Parts.Whole + quotient(Parts.Rest, B);
  if (provedSmaller(A, B))
    return 0;
  // (x / a) / b = x / (a * b), for every sign of x.
  if (const Atom *Inner = isDivision(A, Kind::Quotient); Inner && ByConstant) {
    AffineIndex Divisor = Inner->Operands[1] * B;
    if (!Divisor.isUndefined())
      return quotient(Inner->Operands[0], Divisor);
  }
  return function(Kind::Quotient, {A, B});
}

AffineIndex AffineIndex::remainder(const AffineIndex &A, const AffineIndex &B) {
  if (A.isUndefined() || B.isUndefined() || B == 0)
    return undefined();
  std::optional<int64_t> ByConstant = B.constant();
  if (A.constant() && ByConstant)
    return *modulo(*A.constant(), *ByConstant);
  if (A == 0 || A == B || ByConstant == 1)
    return 0;
  if (ByConstant && *ByConstant < 0 && *ByConstant != Interval::Min)
    return remainder(A, -B);
  if (int64_t G = std::gcd(content(A), content(B)); G > 1)
    return remainder(dividedBy(A, G), dividedBy(B, G)) * G;
  if (Split Parts = split(A, B); splits(A, B, Parts))
    return remainder(Parts.Rest, B);
  if (provedSmaller(A, B))
    return A;
  // (x % m) % b = x % b if b divides m, for every sign of x.
  if (const Atom *Inner = isDivision(A, Kind::Remainder);
      Inner && ByConstant && *Inner->Operands[1].constant() % *ByConstant == 0)
    return remainder(Inner->Operands[0], B);
  return function(Kind::Remainder, {A, B});
}

AffineIndex AffineIndex::min(const AffineIndex &A, const AffineIndex &B) {
  if (A.isUndefined() || B.isUndefined())
    return undefined();
  if (provedNonNegative(B - A))
    return A;
  if (provedNonNegative(A - B))
    return B;
  return compare(A, B) < 0 ? function(Kind::Min, {A, B})
                           : function(Kind::Min, {B, A});
}

AffineIndex AffineIndex::max(const AffineIndex &A, const AffineIndex &B) {
  if (A.isUndefined() || B.isUndefined())
    return undefined();
  if (provedNonNegative(A - B))
    return A;
  if (provedNonNegative(B - A))
    return B;
  return compare(A, B) < 0 ? function(Kind::Max, {A, B})
                           : function(Kind::Max, {B, A});
}

AffineIndex AffineIndex::select(const AffineIndex &Condition,
                                const AffineIndex &Then,
                                const AffineIndex &Else) {
  if (Condition.isUndefined())
    return undefined();
  if (Then == Else || provedNonNegative(Condition))
    return Then;
  if (provedLess(Condition, 0))
    return Else;
  if (!Then.isUndefined() && !Else.isUndefined()) {
    const AffineIndex More = Else - Then; // `if (n > 8) n = 8;`
    if (Condition == More || Condition == More - AffineIndex(1))
      return min(Then, Else);
    if (Condition == -More || Condition == -More - AffineIndex(1))
      return max(Then, Else);
  }
  return function(Kind::Select, {Condition, Then, Else});
}

//===-- Questions --------------------------------------------------------===//

std::optional<int64_t> AffineIndex::constant() const {
  if (Terms.empty())
    return 0;
  if (Terms.size() == 1 && Terms.begin()->first.empty())
    return Terms.begin()->second;
  return std::nullopt;
}

bool AffineIndex::mentions(
    llvm::function_ref<bool(const Atom &)> Predicate) const {
  for (const auto &[M, C] : Terms)
    for (const AtomRef &A : M)
      if (Predicate(*A) ||
          llvm::any_of(A->Operands, [&](const AffineIndex &Operand) {
            return Operand.mentions(Predicate);
          }))
        return true;
  return false;
}

bool AffineIndex::mentions(Atom::Kind K) const {
  return mentions([K](const Atom &A) { return A.K == K; });
}

bool AffineIndex::mentionsIterator(unsigned LoopId) const {
  return mentions([LoopId](const Atom &A) {
    return A.K == Kind::Iterator && A.Id == LoopId;
  });
}

bool AffineIndex::isAffine() const {
  for (const auto &[M, C] : Terms) {
    if (M.size() > 1)
      return false;
    for (const AtomRef &A : M) {
      if (!llvm::all_of(A->Operands, [](const AffineIndex &Operand) {
            return Operand.isAffine();
          }))
        return false;
      if ((A->K == Kind::Quotient || A->K == Kind::Remainder) &&
          A->Operands[1].constant().value_or(0) == 0)
        return false;
    }
  }
  return true;
}

AffineIndex AffineIndex::substitute(
    llvm::function_ref<std::optional<AffineIndex>(const Atom &)> Value) const {
  auto Replaced = [&](const AtomRef &A) -> AffineIndex {
    if (isLeaf(*A)) {
      if (std::optional<AffineIndex> New = Value(*A))
        return *New;
      return atom(*A);
    }
    std::vector<AffineIndex> New;
    for (const AffineIndex &Operand : A->Operands)
      New.push_back(Operand.substitute(Value));
    switch (A->K) {
    case Kind::Quotient:
      return quotient(New[0], New[1]);
    case Kind::Remainder:
      return remainder(New[0], New[1]);
    case Kind::Min:
      return min(New[0], New[1]);
    case Kind::Max:
      return max(New[0], New[1]);
    default:
      return select(New[0], New[1], New[2]);
    }
  };
  AffineIndex Result;
  for (const auto &[M, C] : Terms) {
    AffineIndex Product = C;
    for (const AtomRef &A : M)
      Product *= Replaced(A);
    Result += Product;
  }
  return Result;
}

using LeafValue = llvm::function_ref<std::optional<int64_t>(const Atom &)>;

static std::optional<int64_t> evaluateAtom(const Atom &A, LeafValue Value) {
  if (isLeaf(A))
    return Value(A);
  std::optional<int64_t> First = A.Operands[0].evaluate(Value);
  if (!First)
    return std::nullopt;
  if (A.K == Kind::Select)
    return A.Operands[*First >= 0 ? 1 : 2].evaluate(Value);
  std::optional<int64_t> Second = A.Operands[1].evaluate(Value);
  if (!Second)
    return std::nullopt;
  switch (A.K) {
  case Kind::Quotient:
    return divide(*First, *Second);
  case Kind::Remainder:
    return modulo(*First, *Second);
  case Kind::Min:
    return std::min(*First, *Second);
  default:
    return std::max(*First, *Second);
  }
}

std::optional<int64_t> AffineIndex::evaluate(LeafValue Value) const {
  __int128 Sum = 0; // of at most SizeLimit 64-bit products
  for (const auto &[M, C] : Terms) {
    int64_t Product = C;
    for (const AtomRef &A : M) {
      std::optional<int64_t> Factor = evaluateAtom(*A, Value);
      if (!Factor || __builtin_mul_overflow(Product, *Factor, &Product))
        return std::nullopt;
    }
    Sum += Product;
  }
  if (Sum > Interval::Max || Sum < Interval::Min)
    return std::nullopt;
  return static_cast<int64_t>(Sum);
}

//===-- Printing ---------------------------------------------------------===//

using IteratorNames = llvm::function_ref<std::string(unsigned)>;

static std::string print(const AffineIndex &A, IteratorNames Name);

/// As an operand of / and %: in parentheses unless it is one atom or number.
static std::string printOperand(const AffineIndex &A, IteratorNames Name) {
  std::string Text = print(A, Name);
  bool OneWord = Text.find_first_of(" *-") == std::string::npos;
  return OneWord ? Text : "(" + Text + ")";
}

static std::string print(const Atom &A, IteratorNames Name) {
  std::string Dim = A.Dim == Axis::X ? ".x" : A.Dim == Axis::Y ? ".y" : ".z";
  switch (A.K) {
  case Kind::ThreadIdx:
    return "threadIdx" + Dim;
  case Kind::BlockIdx:
    return "blockIdx" + Dim;
  case Kind::BlockDim:
    return "blockDim" + Dim;
  case Kind::GridDim:
    return "gridDim" + Dim;
  case Kind::Iterator:
    return Name(A.Id);
  case Kind::Parameter:
    return A.Name;
  case Kind::Quotient:
    if (A.Operands[1] == 0)
      return "undefined";
    return "(" + printOperand(A.Operands[0], Name) + " / " +
           printOperand(A.Operands[1], Name) + ")";
  case Kind::Remainder:
    return "(" + printOperand(A.Operands[0], Name) + " % " +
           printOperand(A.Operands[1], Name) + ")";
  case Kind::Min:
  case Kind::Max:
    return (A.K == Kind::Min ? "min(" : "max(") + print(A.Operands[0], Name) +
           ", " + print(A.Operands[1], Name) + ")";
  case Kind::Select:
    return "(" + print(A.Operands[0], Name) + " >= 0 ? " +
           print(A.Operands[1], Name) + " : " + print(A.Operands[2], Name) +
           ")";
  }
  return {};
}

/// Parameters and dimensions come first: "4*n*threadIdx.x".
static unsigned printRank(const AtomRef &A) {
  return A->K == Kind::Parameter  ? 0
         : A->K == Kind::BlockDim ? 1
         : A->K == Kind::GridDim  ? 2
                                  : 3;
}

static std::string printFactors(Monomial M, uint64_t Coefficient,
                                IteratorNames Name) {
  llvm::sort(M, [](const AtomRef &A, const AtomRef &B) {
    return printRank(A) != printRank(B) ? printRank(A) < printRank(B)
                                        : compare(*A, *B) < 0;
  });
  std::string Text;
  if (Coefficient != 1 || M.empty())
    Text = std::to_string(Coefficient);
  for (const AtomRef &A : M)
    Text += (Text.empty() ? "" : "*") + print(*A, Name);
  return Text;
}

static std::string print(const AffineIndex &A, IteratorNames Name) {
  std::string Text;
  auto Append = [&](const Monomial &M, int64_t C) {
    if (!Text.empty())
      Text += C < 0 ? " - " : " + ";
    else if (C < 0)
      Text += "-";
    uint64_t Magnitude = C < 0 ? -static_cast<uint64_t>(C) : C;
    Text += printFactors(M, Magnitude, Name);
  };
  for (const auto &[M, C] : A.terms())
    if (!M.empty())
      Append(M, C);
  if (A.terms().contains(Monomial())) // the constant, last
    Append({}, A.terms().at(Monomial()));
  return Text.empty() ? "0" : Text;
}

std::string AffineIndex::str(
    llvm::function_ref<std::string(unsigned LoopId)> IteratorName) const {
  return print(*this, IteratorName);
}

std::string AffineIndex::str() const {
  return str([](unsigned LoopId) { return "i" + std::to_string(LoopId); });
}

} // namespace catt
