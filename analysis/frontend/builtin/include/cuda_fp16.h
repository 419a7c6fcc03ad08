// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Half precision. Part of catt-rewrite's stand-in for a CUDA toolkit.
#pragma once
#include "catt_narrow_float.h"
#pragma GCC system_header

CATT_NARROW(__half, __half2, _Float16)
typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;
struct __half_raw {
  unsigned short x;
};
struct __half2_raw {
  unsigned short x, y;
};

CATT_ND __half __float2half(float A) { return __half(A); }
CATT_ND __half __float2half_rn(float A) { return __half(A); }
#ifndef CATT_SIMT_DEVICE_H // the executor rounds to nearest
CATT_ND __half __float2half_rz(float A) { return __half(A); }
CATT_ND __half __float2half_rd(float A) { return __half(A); }
CATT_ND __half __float2half_ru(float A) { return __half(A); }
#endif
CATT_ND __half __double2half(double A) { return __half(A); }
CATT_ND float __half2float(__half A) { return A; }
CATT_ND __half2 __float2half2_rn(float A) { return __half2(A, A); }
CATT_ND __half2 __floats2half2_rn(float A, float B) { return __half2(A, B); }
CATT_ND __half2 __float22half2_rn(float2 A) { return __half2(A.x, A.y); }
CATT_ND float2 __half22float2(__half2 A) { return float2{A.x, A.y}; }
CATT_ND __half2 __half2half2(__half A) { return __half2(A, A); }
CATT_ND __half2 __halves2half2(__half A, __half B) { return __half2(A, B); }
CATT_ND __half2 make_half2(__half A, __half B) { return __half2(A, B); }
CATT_ND __half __low2half(__half2 A) { return A.x; }
CATT_ND __half __high2half(__half2 A) { return A.y; }
CATT_ND __half2 __low2half2(__half2 A) { return __half2(A.x, A.x); }
CATT_ND __half2 __high2half2(__half2 A) { return __half2(A.y, A.y); }
CATT_ND __half2 __lowhigh2highlow(__half2 A) { return __half2(A.y, A.x); }
CATT_ND __half2 __lows2half2(__half2 A, __half2 B) { return __half2(A.x, B.x); }
CATT_ND __half2 __highs2half2(__half2 A, __half2 B) {
  return __half2(A.y, B.y);
}
CATT_ND __half __int2half_rn(int A) { return __half(A); }
CATT_ND __half __uint2half_rn(unsigned A) { return __half(A); }
CATT_ND int __half2int_rn(__half A) { return int(float(A)); }
CATT_ND int __half2int_rz(__half A) { return int(float(A)); }
CATT_ND unsigned __half2uint_rn(__half A) { return unsigned(float(A)); }
CATT_ND __half __ushort_as_half(unsigned short A) {
  return __builtin_bit_cast(__half, A);
}
CATT_ND unsigned short __half_as_ushort(__half A) {
  return __builtin_bit_cast(unsigned short, A);
}
CATT_ND __half __short_as_half(short A) {
  return __builtin_bit_cast(__half, A);
}
CATT_ND short __half_as_short(__half A) { return __builtin_bit_cast(short, A); }
