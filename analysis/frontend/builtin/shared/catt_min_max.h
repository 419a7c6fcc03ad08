// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// min and max without std:: in host code, as nvcc has them. Device code has
// clang's overloads.
#pragma once

#define CATT_MIN_MAX(A, B, R)                                                  \
  static inline __host__ R min(A X, B Y) { return R(X) < R(Y) ? R(X) : R(Y); } \
  static inline __host__ R max(A X, B Y) { return R(X) < R(Y) ? R(Y) : R(X); }
typedef unsigned long catt_ul;
typedef long long catt_ll;
typedef unsigned long long catt_ull;
CATT_MIN_MAX(int, int, int)
CATT_MIN_MAX(unsigned, unsigned, unsigned)
CATT_MIN_MAX(int, unsigned, unsigned)
CATT_MIN_MAX(unsigned, int, unsigned)
CATT_MIN_MAX(long, long, long)
CATT_MIN_MAX(catt_ul, catt_ul, catt_ul)
CATT_MIN_MAX(long, catt_ul, catt_ul)
CATT_MIN_MAX(catt_ul, long, catt_ul)
CATT_MIN_MAX(catt_ll, catt_ll, catt_ll)
CATT_MIN_MAX(catt_ull, catt_ull, catt_ull)
CATT_MIN_MAX(catt_ll, catt_ull, catt_ull)
CATT_MIN_MAX(catt_ull, catt_ll, catt_ull)
CATT_MIN_MAX(float, float, float)
CATT_MIN_MAX(double, double, double)
CATT_MIN_MAX(float, double, double)
CATT_MIN_MAX(double, float, double)
#undef CATT_MIN_MAX
