// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// min and max without std::, as nvcc has them. In device code a toolkit brings
// them, and clang those of two int.
#pragma once

#define CATT_MIN_MAX_OF(WHERE, A, B, R)                                        \
  static inline WHERE R min(A X, B Y) { return R(X) < R(Y) ? R(X) : R(Y); }    \
  static inline WHERE R max(A X, B Y) { return R(X) < R(Y) ? R(Y) : R(X); }
#ifdef CATT_DEVICE_MIN_MAX
#define CATT_MIN_MAX(A, B, R)                                                  \
  CATT_MIN_MAX_OF(__host__, A, B, R)                                           \
  CATT_MIN_MAX_OF(__device__, A, B, R)
#else
#define CATT_MIN_MAX(A, B, R) CATT_MIN_MAX_OF(__host__, A, B, R)
#endif
typedef unsigned long catt_ul;
typedef long long catt_ll;
typedef unsigned long long catt_ull;
CATT_MIN_MAX_OF(__host__, int, int, int)
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
#undef CATT_MIN_MAX_OF
