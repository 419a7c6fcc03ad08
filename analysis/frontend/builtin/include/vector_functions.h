// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// make_float4 and the like. Part of catt-rewrite's stand-in for a CUDA toolkit.
#pragma once
#include "vector_types.h"

#define CATT_MAKE static inline __host__ __device__

CATT_MAKE char1 make_char1(signed char x) { return {x}; }
CATT_MAKE char2 make_char2(signed char x, signed char y) { return {x, y}; }
CATT_MAKE char3 make_char3(signed char x, signed char y, signed char z) {
  return {x, y, z};
}
CATT_MAKE char4 make_char4(signed char x, signed char y, signed char z,
                           signed char w) {
  return {x, y, z, w};
}
CATT_MAKE uchar1 make_uchar1(unsigned char x) { return {x}; }
CATT_MAKE uchar2 make_uchar2(unsigned char x, unsigned char y) {
  return {x, y};
}
CATT_MAKE uchar3 make_uchar3(unsigned char x, unsigned char y,
                             unsigned char z) {
  return {x, y, z};
}
CATT_MAKE uchar4 make_uchar4(unsigned char x, unsigned char y, unsigned char z,
                             unsigned char w) {
  return {x, y, z, w};
}
CATT_MAKE short1 make_short1(short x) { return {x}; }
CATT_MAKE short2 make_short2(short x, short y) { return {x, y}; }
CATT_MAKE short3 make_short3(short x, short y, short z) { return {x, y, z}; }
CATT_MAKE short4 make_short4(short x, short y, short z, short w) {
  return {x, y, z, w};
}
CATT_MAKE ushort1 make_ushort1(unsigned short x) { return {x}; }
CATT_MAKE ushort2 make_ushort2(unsigned short x, unsigned short y) {
  return {x, y};
}
CATT_MAKE ushort3 make_ushort3(unsigned short x, unsigned short y,
                               unsigned short z) {
  return {x, y, z};
}
CATT_MAKE ushort4 make_ushort4(unsigned short x, unsigned short y,
                               unsigned short z, unsigned short w) {
  return {x, y, z, w};
}
CATT_MAKE int1 make_int1(int x) { return {x}; }
CATT_MAKE int2 make_int2(int x, int y) { return {x, y}; }
CATT_MAKE int3 make_int3(int x, int y, int z) { return {x, y, z}; }
CATT_MAKE int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
CATT_MAKE uint1 make_uint1(unsigned int x) { return {x}; }
CATT_MAKE uint2 make_uint2(unsigned int x, unsigned int y) { return {x, y}; }
CATT_MAKE uint3 make_uint3(unsigned int x, unsigned int y, unsigned int z) {
  return {x, y, z};
}
CATT_MAKE uint4 make_uint4(unsigned int x, unsigned int y, unsigned int z,
                           unsigned int w) {
  return {x, y, z, w};
}
CATT_MAKE long1 make_long1(long int x) { return {x}; }
CATT_MAKE long2 make_long2(long int x, long int y) { return {x, y}; }
CATT_MAKE long3 make_long3(long int x, long int y, long int z) {
  return {x, y, z};
}
CATT_MAKE long4 make_long4(long int x, long int y, long int z, long int w) {
  return {x, y, z, w};
}
CATT_MAKE ulong1 make_ulong1(unsigned long int x) { return {x}; }
CATT_MAKE ulong2 make_ulong2(unsigned long int x, unsigned long int y) {
  return {x, y};
}
CATT_MAKE ulong3 make_ulong3(unsigned long int x, unsigned long int y,
                             unsigned long int z) {
  return {x, y, z};
}
CATT_MAKE ulong4 make_ulong4(unsigned long int x, unsigned long int y,
                             unsigned long int z, unsigned long int w) {
  return {x, y, z, w};
}
CATT_MAKE longlong1 make_longlong1(long long int x) { return {x}; }
CATT_MAKE longlong2 make_longlong2(long long int x, long long int y) {
  return {x, y};
}
CATT_MAKE longlong3 make_longlong3(long long int x, long long int y,
                                   long long int z) {
  return {x, y, z};
}
CATT_MAKE longlong4 make_longlong4(long long int x, long long int y,
                                   long long int z, long long int w) {
  return {x, y, z, w};
}
CATT_MAKE ulonglong1 make_ulonglong1(unsigned long long int x) { return {x}; }
CATT_MAKE ulonglong2 make_ulonglong2(unsigned long long int x,
                                     unsigned long long int y) {
  return {x, y};
}
CATT_MAKE ulonglong3 make_ulonglong3(unsigned long long int x,
                                     unsigned long long int y,
                                     unsigned long long int z) {
  return {x, y, z};
}
CATT_MAKE ulonglong4 make_ulonglong4(unsigned long long int x,
                                     unsigned long long int y,
                                     unsigned long long int z,
                                     unsigned long long int w) {
  return {x, y, z, w};
}
CATT_MAKE float1 make_float1(float x) { return {x}; }
CATT_MAKE float2 make_float2(float x, float y) { return {x, y}; }
CATT_MAKE float3 make_float3(float x, float y, float z) { return {x, y, z}; }
CATT_MAKE float4 make_float4(float x, float y, float z, float w) {
  return {x, y, z, w};
}
CATT_MAKE double1 make_double1(double x) { return {x}; }
CATT_MAKE double2 make_double2(double x, double y) { return {x, y}; }
CATT_MAKE double3 make_double3(double x, double y, double z) {
  return {x, y, z};
}
CATT_MAKE double4 make_double4(double x, double y, double z, double w) {
  return {x, y, z, w};
}

#undef CATT_MAKE
