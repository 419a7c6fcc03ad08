//===- LineHull.cpp - Hull and stride of a set of addresses ---------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See LineHull.h. The only place where isl is used; its exceptions end here.
//
// Spaces: every set of points is in { [s0, ..., s(n-1)] }, one dimension for
// each slot; every index is a piecewise affine function on it, in bytes for
// offsets and in iterations for trip counts.
//
//===----------------------------------------------------------------------===//
#include "analysis/memory/LineHull.h"
#include "analysis/model/Kernel.h"
#include <isl/cpp.h>
#include <isl/options.h>
#include <memory>

namespace catt {

using Kind = Atom::Kind;

namespace {

struct FreeContext {
  void operator()(isl_ctx *C) const { isl_ctx_free(C); }
};

/// Up to so many, a hull is compared with its set: with 4 this takes some
/// milliseconds, with 7 from 0.1 s to more than minutes, which isl's quota does
/// not see. The kernels of the samples and tests have at most 4.
constexpr unsigned MostDivisions = 6;

/// Thrown where an index cannot be written as a piecewise affine function.
struct NotAffine {};

class HullBuilder {
public:
  HullBuilder(isl_ctx *C, const LineHullQuery &Query)
      : Context(C), Query(Query),
        Space(isl::manage(isl_space_set_alloc(C, 0, Query.Slots))) {}

  std::optional<LineHull> build() {
    isl::set Points = domain();
    if (Points.is_empty())
      return LineHull{0, 1, 0, true};
    // { [s] -> [o] }, o in bytes.
    isl::map Address(function(Query.Offset).as_map());
    // { [o] }
    isl::set Offsets = Points.apply(Address);
    LineHull Hull;
    Hull.Lo = integer(Offsets.dim_min_val(0));
    int64_t Hi = integer(Offsets.dim_max_val(0));
    if (Hi > Hull.Lo) {
      Hull.Stride = std::max<int64_t>(integer(Offsets.stride(0)), 1);
      Hull.Count = (Hi - Hull.Lo) / Hull.Stride + 1;
    } else {
      Hull.Count = 1;
    }
    Hull.Exact = divisions(Offsets) <= MostDivisions && fills(Offsets, Hull);
    return Hull;
  }

private:
  isl::set parse(const std::string &Text) {
    return isl::set(isl::ctx(Context), Text);
  }

  static int64_t integer(const isl::val &V) {
    if (!V.is_int())
      throw NotAffine();
    return V.get_num_si();
  }

  /// { [s] : ranges, trip counts and guards }
  isl::set domain() {
    isl::set Points = isl::manage(isl_set_universe(Space.copy()));
    for (unsigned S = 0; S != Query.Slots; ++S) {
      Points = Points.intersect(slot(S).ge_set(number(Query.Ranges[S].Lo)));
      Points = Points.intersect(slot(S).le_set(number(Query.Ranges[S].Hi)));
    }
    for (const auto &[S, Trip] : Query.Trips)
      Points = Points.intersect(slot(S).lt_set(function(Trip)));
    for (const AffineIndex &Guard : Query.Guards)
      Points = Points.intersect(function(Guard).ge_set(number(0)));
    return Points.coalesce();
  }

  isl::pw_aff slot(unsigned S) {
    isl_local_space *Local = isl_local_space_from_space(Space.copy());
    return isl::manage(isl_pw_aff_from_aff(
        isl_aff_var_on_domain(Local, isl_dim_set, static_cast<int>(S))));
  }

  isl::pw_aff number(int64_t Value) {
    isl_local_space *Local = isl_local_space_from_space(Space.copy());
    return isl::manage(isl_pw_aff_from_aff(
        isl_aff_val_on_domain(Local, isl_val_int_from_si(Context, Value))));
  }

  isl::pw_aff function(const AffineIndex &Index) {
    isl::pw_aff Sum = number(0);
    for (const auto &[M, C] : Index.terms()) {
      if (M.size() > 1)
        throw NotAffine();
      isl::pw_aff Term = number(C);
      if (!M.empty())
        Term = atom(*M.front()).mul(Term);
      Sum = Sum.add(Term);
    }
    return Sum;
  }

  isl::pw_aff atom(const Atom &A) {
    if (A.K < Kind::Quotient) {
      std::optional<unsigned> S = Query.SlotOf(A);
      if (!S)
        throw NotAffine();
      return slot(*S);
    }
    isl::pw_aff First = function(A.Operands[0]);
    if (A.K == Kind::Select)
      return isl::manage(
          isl_pw_aff_cond(indicator(First.ge_set(number(0))).release(),
                          function(A.Operands[1]).release(),
                          function(A.Operands[2]).release()));
    isl::pw_aff Second = function(A.Operands[1]);
    if (A.K == Kind::Min)
      return First.min(Second);
    if (A.K == Kind::Max)
      return First.max(Second);
    if (A.Operands[1].constant().value_or(0) <= 0)
      throw NotAffine();
    return A.K == Kind::Quotient ? First.tdiv_q(Second) : First.tdiv_r(Second);
  }

  /// 1 on the set, 0 elsewhere.
  isl::pw_aff indicator(const isl::set &S) {
    return isl::manage(isl_set_indicator_function(S.copy()));
  }

  /// Integer divisions in all parts of a set.
  static unsigned divisions(const isl::set &S) {
    unsigned Sum = 0;
    S.foreach_basic_set([&](const isl::basic_set &B) {
      Sum += unsigned(isl_basic_set_dim(B.get(), isl_dim_div));
    });
    return Sum;
  }

  /// True if the offsets are the whole lattice, or touch all of its lines.
  bool fills(const isl::set &Offsets, const LineHull &Hull) {
    int64_t Last = Hull.Lo + Hull.Stride * (Hull.Count - 1);
    isl::set Lattice = parse("{ [o] : " + std::to_string(Hull.Lo) +
                             " <= o <= " + std::to_string(Last) + " and (o - " +
                             std::to_string(Hull.Lo) + ") mod " +
                             std::to_string(Hull.Stride) + " = 0 }");
    if (Lattice.is_subset(Offsets))
      return true;
    // { [o] -> [l] }: an access at byte o touches line l.
    isl::map Touches(isl::ctx(Context),
                     "{ [o] -> [l] : exists d : 0 <= d < " +
                         std::to_string(Query.SizeBytes) + " and " +
                         std::to_string(LineBytes) + "l <= o + d < " +
                         std::to_string(LineBytes) + "l + " +
                         std::to_string(LineBytes) + " }");
    return Lattice.apply(Touches).is_subset(Offsets.apply(Touches));
  }

  isl_ctx *Context;
  const LineHullQuery &Query;
  isl::space Space;
};

} // namespace

llvm::Expected<std::optional<LineHull>> lineHull(const LineHullQuery &Query) {
  std::unique_ptr<isl_ctx, FreeContext> Context(isl_ctx_alloc());
  isl_options_set_on_error(Context.get(), ISL_ON_ERROR_CONTINUE);
  isl_ctx_set_max_operations(Context.get(), Query.IslOperations);
  try {
    return HullBuilder(Context.get(), Query).build();
  } catch (const NotAffine &) {
    return std::nullopt;
  } catch (const isl::exception &E) {
    // What follows the end of the quota has other names, such as "NULL input".
    if (isl_ctx_last_error(Context.get()) == isl_error_quota)
      return std::nullopt;
    return llvm::createStringError("isl: %s", E.what());
  }
}

} // namespace catt
