//===- AffineIndex.h - Integer expressions over threads and loops -*- C++ -*-=//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An index is a polynomial with integer coefficients over atoms:
//
//   A[i * n + j]   =>   4*n*threadIdx.x + 4*n*blockDim.x*blockIdx.x + 4*j'
//
// Atoms are thread coordinates, launch dimensions, loop iterators (counted
// 0, 1, 2, ... from the first iteration), kernel parameters, and the functions
// that real indices use: quotient and remainder by a constant, min, max, and a
// choice between two indices. Once the launch and the parameters are known
// (`substitute`), an index whose monomials hold one atom each is affine.
//
// A value that cannot be expressed is not an index: the front end says
// std::nullopt and why. There is no "unknown" atom that could pass for a
// number. What has no value at all is `isUndefined()`: a coefficient beyond 64
// bits, a division by zero, an expression of more than AffineIndex::SizeLimit
// parts. It absorbs whatever is computed with it, is not affine, is no
// constant, prints as "undefined", and evaluates to std::nullopt.
//
// Construction simplifies, and only where the result is the same for every
// launch that CUDA allows: 0 <= threadIdx < blockDim, 0 <= blockIdx < gridDim,
// iterators >= 0 and parameters of any sign. Quotients truncate towards zero,
// so most of their rules need a proof of signs, which intervals give. Where an
// expression would divide by zero, its simplified form may have a value.
//
// This file knows neither Clang nor isl.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_MODEL_AFFINEINDEX_H
#define CATT_ANALYSIS_MODEL_AFFINEINDEX_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace catt {

class AffineIndex;

enum class Axis : uint8_t { X, Y, Z };

/// What an index depends on.
struct Atom {
  enum class Kind : uint8_t {
    ThreadIdx, ///< threadIdx.Axis
    BlockIdx,  ///< blockIdx.Axis
    BlockDim,  ///< blockDim.Axis
    GridDim,   ///< gridDim.Axis
    Iterator,  ///< iteration number of Loop `Id`, from 0
    Parameter, ///< a kernel parameter (or other value that is the same for the
               ///< whole grid), by name
    Quotient,  ///< Operands[0] / Operands[1], C semantics (towards zero);
               ///< the divisor is a non-zero constant or free of threads
    Remainder, ///< Operands[0] % Operands[1], C semantics
    Min,       ///< min(Operands[0], Operands[1])
    Max,       ///< max(Operands[0], Operands[1])
    Select,    ///< Operands[0] >= 0 ? Operands[1] : Operands[2]
  };
  Kind K;
  Axis Dim = Axis::X;
  unsigned Id = 0;
  std::string Name; ///< Parameter: the name in the source
  std::vector<AffineIndex> Operands;
};

using AtomRef = std::shared_ptr<const Atom>;

/// A total order on atoms by structure, never by address.
int compare(const Atom &A, const Atom &B);

struct AtomLess {
  bool operator()(const AtomRef &A, const AtomRef &B) const {
    return compare(*A, *B) < 0;
  }
};

/// A product of atoms, sorted; empty for the constant term.
using Monomial = std::vector<AtomRef>;

struct MonomialLess {
  bool operator()(const Monomial &A, const Monomial &B) const;
};

/// A polynomial over atoms. Values are mathematical integers: the front end
/// assumes that index arithmetic does not wrap, as C++ does for signed types.
class AffineIndex {
public:
  AffineIndex(int64_t Constant = 0);
  static AffineIndex atom(Atom A);
  static AffineIndex threadIdx(Axis Dim);
  static AffineIndex blockIdx(Axis Dim);
  static AffineIndex blockDim(Axis Dim);
  static AffineIndex gridDim(Axis Dim);
  static AffineIndex iterator(unsigned LoopId);
  static AffineIndex parameter(std::string Name);
  static AffineIndex quotient(const AffineIndex &A, const AffineIndex &B);
  static AffineIndex remainder(const AffineIndex &A, const AffineIndex &B);
  static AffineIndex min(const AffineIndex &A, const AffineIndex &B);
  static AffineIndex max(const AffineIndex &A, const AffineIndex &B);
  /// Condition >= 0 ? Then : Else.
  static AffineIndex select(const AffineIndex &Condition,
                            const AffineIndex &Then, const AffineIndex &Else);

  const std::map<Monomial, int64_t, MonomialLess> &terms() const {
    return Terms;
  }
  /// More atoms than this, counted at every depth, make an index undefined.
  static constexpr unsigned SizeLimit = 1024;
  /// True if this can never have a value (see above). An undefined branch of a
  /// `select` does not make the select undefined.
  bool isUndefined() const;
  /// The value, where the index is a constant.
  std::optional<int64_t> constant() const;
  /// True if some atom, at any depth of operands, satisfies the predicate.
  bool mentions(llvm::function_ref<bool(const Atom &)> Predicate) const;
  bool mentions(Atom::Kind K) const;
  bool mentionsIterator(unsigned LoopId) const;
  /// True if the value is the same for all threads of a block (no threadIdx).
  bool isBlockUniform() const {
    return !isUndefined() && !mentions(Atom::Kind::ThreadIdx);
  }
  /// True if the value is >= 0 in every launch; false if that has no proof.
  bool isNonNegative() const;
  /// True if every monomial holds at most one atom and every divisor is a
  /// constant: isl can take it as it is.
  bool isAffine() const;

  /// Replaces each leaf atom for which the function has a value, and
  /// simplifies.
  AffineIndex substitute(
      llvm::function_ref<std::optional<AffineIndex>(const Atom &)> Value) const;
  /// The value, if the function knows every leaf atom that matters;
  /// std::nullopt otherwise, or on division by zero or overflow of 64 bits.
  std::optional<int64_t> evaluate(
      llvm::function_ref<std::optional<int64_t>(const Atom &)> Value) const;

  /// "4*n*threadIdx.x + 4*j", with iterators by the given names.
  std::string
  str(llvm::function_ref<std::string(unsigned LoopId)> IteratorName) const;
  std::string str() const;

  AffineIndex &operator+=(const AffineIndex &B);
  AffineIndex &operator-=(const AffineIndex &B);
  AffineIndex &operator*=(const AffineIndex &B);
  friend AffineIndex operator+(AffineIndex A, const AffineIndex &B) {
    return A += B;
  }
  friend AffineIndex operator-(AffineIndex A, const AffineIndex &B) {
    return A -= B;
  }
  friend AffineIndex operator*(AffineIndex A, const AffineIndex &B) {
    return A *= B;
  }
  friend AffineIndex operator-(const AffineIndex &A) {
    return AffineIndex(0) - A;
  }
  friend bool operator==(const AffineIndex &A, const AffineIndex &B) {
    return compare(A, B) == 0;
  }
  /// A total order by structure.
  friend int compare(const AffineIndex &A, const AffineIndex &B);

private:
  static AffineIndex undefined();
  static AffineIndex function(Atom::Kind K, std::vector<AffineIndex> Operands);
  bool addTerm(const Monomial &M, int64_t Coefficient);
  void foldQuotientsWithRemainders();

  std::map<Monomial, int64_t, MonomialLess> Terms;
};

} // namespace catt

#endif
