// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions over a group: who takes part, not what comes out.
#pragma once
#include "../cooperative_groups.h"

namespace cooperative_groups {
#define CATT_OPERATOR(Name, Expression)                                        \
  template <class T> struct Name {                                             \
    __host__ __device__ T operator()(T A, T B) const { return Expression; }    \
  };
CATT_OPERATOR(plus, A + B)
CATT_OPERATOR(less, A < B ? A : B)
CATT_OPERATOR(greater, A > B ? A : B)
CATT_OPERATOR(bit_and, A &B)
CATT_OPERATOR(bit_or, A | B)
CATT_OPERATOR(bit_xor, A ^ B)
#undef CATT_OPERATOR

template <class G, class T, class F>
__device__ T reduce(const G &Group, T Value, F &&Combine) {
  Group.sync();
  return Combine(Value, Value);
}
template <class G, class T, class F>
__device__ void reduce_update_async(const G &Group, T &To, T Value,
                                    F &&Combine) {
  Group.sync();
  To = Combine(To, Value);
}
} // namespace cooperative_groups
