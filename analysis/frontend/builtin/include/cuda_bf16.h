// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bfloat16. Part of catt-rewrite's stand-in for a CUDA toolkit.
#pragma once
#include "catt_narrow_float.h"
#pragma GCC system_header

CATT_NARROW(__nv_bfloat16, __nv_bfloat162, __bf16)
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
struct __nv_bfloat16_raw {
  unsigned short x;
};

CATT_ND __nv_bfloat16 __float2bfloat16(float A) { return __nv_bfloat16(A); }
CATT_ND __nv_bfloat16 __float2bfloat16_rn(float A) { return __nv_bfloat16(A); }
CATT_ND __nv_bfloat16 __double2bfloat16(double A) { return __nv_bfloat16(A); }
CATT_ND float __bfloat162float(__nv_bfloat16 A) { return A; }
CATT_ND __nv_bfloat162 __float2bfloat162_rn(float A) {
  return __nv_bfloat162(A, A);
}
CATT_ND __nv_bfloat162 __floats2bfloat162_rn(float A, float B) {
  return __nv_bfloat162(A, B);
}
CATT_ND __nv_bfloat162 __float22bfloat162_rn(float2 A) {
  return __nv_bfloat162(A.x, A.y);
}
CATT_ND float2 __bfloat1622float2(__nv_bfloat162 A) { return float2{A.x, A.y}; }
CATT_ND __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 A) {
  return __nv_bfloat162(A, A);
}
CATT_ND __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 A, __nv_bfloat16 B) {
  return __nv_bfloat162(A, B);
}
CATT_ND __nv_bfloat162 make_bfloat162(__nv_bfloat16 A, __nv_bfloat16 B) {
  return __nv_bfloat162(A, B);
}
CATT_ND __nv_bfloat16 __low2bfloat16(__nv_bfloat162 A) { return A.x; }
CATT_ND __nv_bfloat16 __high2bfloat16(__nv_bfloat162 A) { return A.y; }
CATT_ND __nv_bfloat16 __int2bfloat16_rn(int A) { return __nv_bfloat16(A); }
CATT_ND __nv_bfloat16 __ushort_as_bfloat16(unsigned short A) {
  return __builtin_bit_cast(__nv_bfloat16, A);
}
CATT_ND unsigned short __bfloat16_as_ushort(__nv_bfloat16 A) {
  return __builtin_bit_cast(unsigned short, A);
}
