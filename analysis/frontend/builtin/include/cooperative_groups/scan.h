// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans over a group: who takes part, not what comes out.
#pragma once
#include "reduce.h"

namespace cooperative_groups {
template <class G, class T>
__device__ T inclusive_scan(const G &Group, T Value) {
  Group.sync();
  return Value;
}
template <class G, class T, class F>
__device__ T inclusive_scan(const G &Group, T Value, F &&Combine) {
  Group.sync();
  return Combine(Value, Value);
}
template <class G, class T>
__device__ T exclusive_scan(const G &Group, T Value) {
  Group.sync();
  return Value;
}
template <class G, class T, class F>
__device__ T exclusive_scan(const G &Group, T Value, F &&Combine) {
  Group.sync();
  return Combine(Value, Value);
}
} // namespace cooperative_groups
