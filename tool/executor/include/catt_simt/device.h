//===- device.h - CUDA's device side on the executor -------------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a kernel finds without including anything. Functions that wait or that
// touch memory for the kernel end in a catt_simt_ call (Abi.h); the pass
// reports them where the user's code called them, because everything here is
// inlined and this directory is called catt_simt.
//
// Not here: half precision, textures, surfaces, asynchronous copies,
// device-side malloc and launches. A kernel that uses them does not compile.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_SIMT_DEVICE_H
#define CATT_SIMT_DEVICE_H

#ifdef __CUDA_ARCH__
#undef __CUDA_ARCH__
#define __CUDA_ARCH__ 900
#endif
#define __CUDACC__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define CUDART_VERSION 13000

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global, annotate("catt_kernel")))
#define __shared__ __attribute__((shared, annotate("catt_shared")))
#define __constant__ __attribute__((constant))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)                                                 \
  __attribute__((launch_bounds(__VA_ARGS__),                                   \
                 annotate("catt_bounds", __VA_ARGS__)))
#define __maxnreg__(...)
#define __cluster_dims__(...)
#define __grid_constant__

// clang-format off
// The C library is there on both sides, as with nvcc. What libstdc++'s <cmath>
// pulls in and declares for the host alone comes before it.
#include <bits/c++config.h>
#pragma clang force_cuda_host_device begin
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
#include <time.h>
#pragma clang force_cuda_host_device end
#include <bits/stl_algobase.h>
#include <limits>
#include <type_traits>
#pragma clang force_cuda_host_device begin
#include <cmath>
#include <math.h>
#pragma clang force_cuda_host_device end
#include <cfloat>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
// clang-format on

#define CATT_MEMBER __device__ __forceinline__
#define CATT_DEV static __device__ __forceinline__
#define CATT_BOTH static __host__ __device__ __forceinline__

//===-- Types and built-in variables --------------------------------------===//

#define CATT_VECTOR(T, N, A2, A4)                                              \
  struct N##1 { T x; };                                                        \
  struct __align__(A2) N##2 { T x, y; };                                       \
  struct N##3 { T x, y, z; };                                                  \
  struct __align__(A4) N##4 { T x, y, z, w; };                                 \
  CATT_BOTH N##1 make_##N##1(T x) { return {x}; }                              \
  CATT_BOTH N##2 make_##N##2(T x, T y) { return {x, y}; }                      \
  CATT_BOTH N##3 make_##N##3(T x, T y, T z) { return {x, y, z}; }              \
  CATT_BOTH N##4 make_##N##4(T x, T y, T z, T w) { return {x, y, z, w}; }
CATT_VECTOR(signed char, char, 2, 4)
CATT_VECTOR(unsigned char, uchar, 2, 4)
CATT_VECTOR(short, short, 4, 8)
CATT_VECTOR(unsigned short, ushort, 4, 8)
CATT_VECTOR(int, int, 8, 16)
CATT_VECTOR(unsigned, uint, 8, 16)
CATT_VECTOR(long, long, 16, 16)
CATT_VECTOR(unsigned long, ulong, 16, 16)
CATT_VECTOR(long long, longlong, 16, 16)
CATT_VECTOR(unsigned long long, ulonglong, 16, 16)
CATT_VECTOR(float, float, 8, 16)
CATT_VECTOR(double, double, 16, 16)
#undef CATT_VECTOR

struct dim3 {
  unsigned x, y, z;
  __host__ __device__ constexpr dim3(unsigned X = 1, unsigned Y = 1,
                                     unsigned Z = 1)
      : x(X), y(Y), z(Z) {}
  __host__ __device__ constexpr dim3(uint3 V) : x(V.x), y(V.y), z(V.z) {}
  __host__ __device__ constexpr operator uint3() const { return {x, y, z}; }
};

extern "C" {
extern const __device__ uint3 threadIdx, blockIdx;
extern const __device__ dim3 blockDim, gridDim;
#ifdef __CUDA_ARCH__
__device__ __attribute__((used)) char catt_simt_device_view;
#endif
__device__ void *catt_simt_atomic(void *, unsigned Size, const void *Site);
__device__ int catt_simt_barrier(int Op, int Predicate, const void *Site);
__device__ void catt_simt_named(unsigned Id, unsigned Count, int Waits,
                                const void *Site);
__device__ void catt_simt_grid(const void *Site);
__device__ unsigned long catt_simt_warp(int Op, unsigned Mask, unsigned long V,
                                        int Argument, int Width,
                                        const void *Site);
}
constexpr int warpSize = 32;

//===-- Barriers and fences -----------------------------------------------===//

// clang knows these names as built-in functions of the real device: macros
// keep it from looking.
CATT_DEV void cattSyncthreads() { catt_simt_barrier(0, 0, nullptr); }
CATT_DEV int cattSyncCount(int P) { return catt_simt_barrier(1, P, nullptr); }
CATT_DEV int cattSyncAnd(int P) { return catt_simt_barrier(2, P, nullptr); }
CATT_DEV int cattSyncOr(int P) { return catt_simt_barrier(3, P, nullptr); }
#define __syncthreads() cattSyncthreads()
#define __syncthreads_count(P) cattSyncCount(P)
#define __syncthreads_and(P) cattSyncAnd(P)
#define __syncthreads_or(P) cattSyncOr(P)
CATT_DEV void __barrier_sync(unsigned Id) {
  catt_simt_named(Id, 0, 1, nullptr);
}
CATT_DEV void __barrier_sync_count(unsigned Id, unsigned Count) {
  catt_simt_named(Id, Count, 1, nullptr);
}
#define __threadfence() __atomic_signal_fence(__ATOMIC_SEQ_CST)
#define __threadfence_block() __atomic_signal_fence(__ATOMIC_SEQ_CST)
#define __threadfence_system() __atomic_signal_fence(__ATOMIC_SEQ_CST)
CATT_DEV void __nanosleep(unsigned) {
  catt_simt_atomic(nullptr, 0, nullptr); // lets others run
}
CATT_DEV void __trap() { __builtin_trap(); }

//===-- Warp operations ---------------------------------------------------===//

template <class T> CATT_DEV unsigned long cattBits(T V) {
  static_assert(sizeof(T) <= 8, "a warp moves at most 8 bytes a lane");
  unsigned long Bits = 0;
  __builtin_memcpy(&Bits, &V, sizeof(T));
  return Bits;
}
template <class T> CATT_DEV T cattFromBits(unsigned long Bits) {
  T V;
  __builtin_memcpy(&V, &Bits, sizeof(T));
  return V;
}
CATT_DEV void cattSyncwarp(unsigned Mask = 0xffffffffu) {
  catt_simt_warp(0, Mask, 0, 0, 32, nullptr);
}
#define __syncwarp(...) cattSyncwarp(__VA_ARGS__)
#define CATT_SHUFFLE(Name, Op)                                                 \
  template <class T>                                                           \
  CATT_DEV T Name(unsigned Mask, T V, int Argument, int Width = 32) {          \
    return cattFromBits<T>(                                                    \
        catt_simt_warp(Op, Mask, cattBits(V), Argument, Width, nullptr));      \
  }
CATT_SHUFFLE(__shfl_sync, 1)
CATT_SHUFFLE(__shfl_up_sync, 2)
CATT_SHUFFLE(__shfl_down_sync, 3)
CATT_SHUFFLE(__shfl_xor_sync, 4)
#undef CATT_SHUFFLE
CATT_DEV unsigned __ballot_sync(unsigned Mask, int P) {
  return catt_simt_warp(5, Mask, P != 0, 0, 32, nullptr);
}
// Both vote over the lanes that take part: those whose bit comes back from
// one of the two ballots.
CATT_DEV int __any_sync(unsigned Mask, int P) {
  return catt_simt_warp(5, Mask, P != 0, 0, 32, nullptr) != 0;
}
CATT_DEV int __all_sync(unsigned Mask, int P) {
  return catt_simt_warp(5, Mask, P == 0, 0, 32, nullptr) == 0;
}
CATT_DEV unsigned __activemask() {
  return catt_simt_warp(16, 0, 0, 0, 32, nullptr);
}
template <class T> CATT_DEV unsigned __match_any_sync(unsigned Mask, T V) {
  return catt_simt_warp(6, Mask, cattBits(V), 0, 32, nullptr);
}
template <class T>
CATT_DEV unsigned __match_all_sync(unsigned Mask, T V, int *Pred) {
  unsigned Same = catt_simt_warp(7, Mask, cattBits(V), 0, 32, nullptr);
  *Pred = Same != 0;
  return Same;
}
CATT_DEV unsigned __reduce_add_sync(unsigned Mask, unsigned V) {
  return catt_simt_warp(8, Mask, V, 0, 32, nullptr);
}
CATT_DEV int __reduce_add_sync(unsigned Mask, int V) {
  return catt_simt_warp(8, Mask, unsigned(V), 0, 32, nullptr);
}
CATT_DEV int __reduce_min_sync(unsigned Mask, int V) {
  return catt_simt_warp(9, Mask, unsigned(V), 0, 32, nullptr);
}
CATT_DEV int __reduce_max_sync(unsigned Mask, int V) {
  return catt_simt_warp(10, Mask, unsigned(V), 0, 32, nullptr);
}
CATT_DEV unsigned __reduce_min_sync(unsigned Mask, unsigned V) {
  return catt_simt_warp(11, Mask, V, 0, 32, nullptr);
}
CATT_DEV unsigned __reduce_max_sync(unsigned Mask, unsigned V) {
  return catt_simt_warp(12, Mask, V, 0, 32, nullptr);
}
CATT_DEV unsigned __reduce_and_sync(unsigned Mask, unsigned V) {
  return catt_simt_warp(13, Mask, V, 0, 32, nullptr);
}
CATT_DEV unsigned __reduce_or_sync(unsigned Mask, unsigned V) {
  return catt_simt_warp(14, Mask, V, 0, 32, nullptr);
}
CATT_DEV unsigned __reduce_xor_sync(unsigned Mask, unsigned V) {
  return catt_simt_warp(15, Mask, V, 0, 32, nullptr);
}

//===-- Atomics -----------------------------------------------------------===//

// One thread runs at a time and switches only in catt_simt_ calls, so what
// follows the call is atomic.
template <class T, class F> CATT_DEV T cattAtomic(T *P, F New) {
  T *Q = static_cast<T *>(catt_simt_atomic(P, sizeof(T), nullptr));
  T Old = *Q;
  *Q = New(Old);
  return Old;
}
template <class T> struct CattSame {
  using Type = T;
};
#define CATT_ATOMIC(Name, New)                                                 \
  template <class T> CATT_DEV T Name(T *P, typename CattSame<T>::Type V) {     \
    return cattAtomic(P, [=](T Old) -> T { return New; });                     \
  }                                                                            \
  template <class T>                                                           \
  CATT_DEV T Name##_block(T *P, typename CattSame<T>::Type V) {                \
    return Name(P, V);                                                         \
  }                                                                            \
  template <class T>                                                           \
  CATT_DEV T Name##_system(T *P, typename CattSame<T>::Type V) {               \
    return Name(P, V);                                                         \
  }
CATT_ATOMIC(atomicAdd, Old + V)
CATT_ATOMIC(atomicSub, Old - V)
CATT_ATOMIC(atomicExch, V)
CATT_ATOMIC(atomicMin, V < Old ? V : Old)
CATT_ATOMIC(atomicMax, Old < V ? V : Old)
CATT_ATOMIC(atomicAnd, Old &V)
CATT_ATOMIC(atomicOr, Old | V)
CATT_ATOMIC(atomicXor, Old ^ V)
CATT_ATOMIC(atomicInc, Old >= V ? 0 : Old + 1)
CATT_ATOMIC(atomicDec, Old == 0 || Old > V ? V : Old - 1)
#undef CATT_ATOMIC
template <class T>
CATT_DEV T atomicCAS(T *P, typename CattSame<T>::Type Expected,
                     typename CattSame<T>::Type V) {
  return cattAtomic(P, [=](T Old) { return Old == Expected ? V : Old; });
}
template <class T>
CATT_DEV T atomicCAS_block(T *P, typename CattSame<T>::Type Expected,
                           typename CattSame<T>::Type V) {
  return atomicCAS(P, Expected, V);
}
template <class T>
CATT_DEV T atomicCAS_system(T *P, typename CattSame<T>::Type Expected,
                            typename CattSame<T>::Type V) {
  return atomicCAS(P, Expected, V);
}

//===-- Loads and stores with cache hints ---------------------------------===//

// Vectors have no volatile copy: each word is a load of its own.
template <class T, bool IsScalar = std::is_scalar<T>::value> struct CattLoad {
  CATT_MEMBER static T from(const T *P) { return *P; }
  CATT_MEMBER static T from(const volatile T *P) {
    T V;
    for (unsigned I = 0; I < sizeof(T) / 4; ++I)
      reinterpret_cast<unsigned *>(&V)[I] =
          reinterpret_cast<const volatile unsigned *>(P)[I];
    return V;
  }
};
template <class T> struct CattLoad<T, true> {
  CATT_MEMBER static T from(const T *P) { return *P; }
  CATT_MEMBER static T from(const volatile T *P) { return *P; }
};
#define CATT_LOAD(Name, Volatile)                                              \
  template <class T> CATT_DEV T Name(const T *P) {                             \
    return CattLoad<T>::from(static_cast<const Volatile T *>(P));              \
  }
#define CATT_STORE(Name)                                                       \
  template <class T> CATT_DEV void Name(T *P, typename CattSame<T>::Type V) {  \
    *P = V;                                                                    \
  }
// clang-format off
CATT_LOAD(__ldg, ) CATT_LOAD(__ldca, ) CATT_LOAD(__ldcs, ) CATT_LOAD(__ldlu, )
// These two are asked for what others wrote.
CATT_LOAD(__ldcg, volatile) CATT_LOAD(__ldcv, volatile)
CATT_STORE(__stwb) CATT_STORE(__stcg) CATT_STORE(__stcs) CATT_STORE(__stwt)
// clang-format on
#undef CATT_LOAD
#undef CATT_STORE

//===-- Arithmetic --------------------------------------------------------===//

#define CATT_MINMAX(T)                                                         \
  CATT_BOTH T min(T A, T B) { return B < A ? B : A; }                          \
  CATT_BOTH T max(T A, T B) { return A < B ? B : A; }
    // clang-format off
CATT_MINMAX(int) CATT_MINMAX(unsigned) CATT_MINMAX(long)
CATT_MINMAX(unsigned long) CATT_MINMAX(long long) CATT_MINMAX(unsigned long long)
// clang-format on
#undef CATT_MINMAX

                CATT_BOTH float min(float A, float B) {
  return fminf(A, B);
}
CATT_BOTH float max(float A, float B) { return fmaxf(A, B); }
CATT_BOTH double min(double A, double B) { return fmin(A, B); }
CATT_BOTH double max(double A, double B) { return fmax(A, B); }
CATT_BOTH float rsqrtf(float X) { return 1.0f / sqrtf(X); }
CATT_BOTH double rsqrt(double X) { return 1.0 / sqrt(X); }
CATT_BOTH void sincospif(float X, float *S, float *C) {
  *S = sinf(X * float(M_PI)), *C = cosf(X * float(M_PI));
}
CATT_DEV float __saturatef(float X) { return X < 0 ? 0 : X > 1 ? 1 : X; }
CATT_DEV float fdividef(float A, float B) { return A / B; }
CATT_DEV float __fdividef(float A, float B) { return A / B; }
CATT_DEV float __fmaf_rn(float A, float B, float C) { return fmaf(A, B, C); }
CATT_DEV double __fma_rn(double A, double B, double C) { return fma(A, B, C); }
CATT_DEV float __fadd_rn(float A, float B) { return A + B; }
CATT_DEV float __fmul_rn(float A, float B) { return A * B; }
CATT_DEV float __fsub_rn(float A, float B) { return A - B; }
CATT_DEV float __fdiv_rn(float A, float B) { return A / B; }
CATT_DEV double __dadd_rn(double A, double B) { return A + B; }
CATT_DEV double __dsub_rn(double A, double B) { return A - B; }
CATT_DEV double __dmul_rn(double A, double B) { return A * B; }
CATT_DEV double __ddiv_rn(double A, double B) { return A / B; }
CATT_DEV double __dsqrt_rn(double A) { return sqrt(A); }
CATT_DEV double __drcp_rn(double A) { return 1.0 / A; }
CATT_DEV float __frsqrt_rn(float A) { return 1.0f / sqrtf(A); }
CATT_BOTH float norm3df(float A, float B, float C) {
  return sqrtf(A * A + B * B + C * C);
}
CATT_BOTH double norm3d(double A, double B, double C) {
  return sqrt(A * A + B * B + C * C);
}
CATT_BOTH float rnorm3df(float A, float B, float C) {
  return 1.0f / norm3df(A, B, C);
}
CATT_BOTH double rnorm3d(double A, double B, double C) {
  return 1.0 / norm3d(A, B, C);
}
CATT_BOTH float rhypotf(float A, float B) { return 1.0f / hypotf(A, B); }
CATT_BOTH double rhypot(double A, double B) { return 1.0 / hypot(A, B); }
CATT_BOTH float sinpif(float X) { return sinf(X * float(M_PI)); }
CATT_BOTH float cospif(float X) { return cosf(X * float(M_PI)); }
CATT_BOTH double sinpi(double X) { return sin(X * M_PI); }
CATT_BOTH double cospi(double X) { return cos(X * M_PI); }
CATT_BOTH float normcdff(float X) { return 0.5f * erfcf(-X * 0.70710678f); }
CATT_BOTH double normcdf(double X) {
  return 0.5 * erfc(-X * 0.70710678118654752);
}
CATT_DEV void cattSinCos(float X, float *S, float *C) {
  *S = sinf(X), *C = cosf(X);
}
CATT_DEV float __fsqrt_rn(float A) { return sqrtf(A); }
CATT_DEV float __frcp_rn(float A) { return 1.0f / A; }
CATT_DEV float cattExp(float X) { return expf(X); }
CATT_DEV float cattExp10(float X) { return powf(10.0f, X); }
CATT_DEV float cattLog(float X) { return logf(X); }
CATT_DEV float cattLog2(float X) { return log2f(X); }
CATT_DEV float cattLog10(float X) { return log10f(X); }
CATT_DEV float cattSin(float X) { return sinf(X); }
CATT_DEV float cattCos(float X) { return cosf(X); }
CATT_DEV float cattTan(float X) { return tanf(X); }
CATT_DEV float cattPow(float X, float Y) { return powf(X, Y); }
// The C library declares these names for itself.
#define __expf cattExp
#define __exp10f cattExp10
#define __logf cattLog
#define __log2f cattLog2
#define __log10f cattLog10
#define __sinf cattSin
#define __cosf cattCos
#define __tanf cattTan
#define __powf cattPow
#define __sincosf cattSinCos
CATT_DEV int __popc(unsigned X) { return __builtin_popcount(X); }
CATT_DEV int __popcll(unsigned long long X) { return __builtin_popcountll(X); }
CATT_DEV int __clz(int X) { return X ? __builtin_clz(X) : 32; }
CATT_DEV int __clzll(long long X) { return X ? __builtin_clzll(X) : 64; }
CATT_DEV int __ffs(int X) { return __builtin_ffs(X); }
CATT_DEV int __ffsll(long long X) { return __builtin_ffsll(X); }
CATT_DEV unsigned __brev(unsigned X) { return __builtin_bitreverse32(X); }
CATT_DEV unsigned long long __brevll(unsigned long long X) {
  return __builtin_bitreverse64(X);
}
CATT_DEV int __mul24(int A, int B) { return (A << 8 >> 8) * (B << 8 >> 8); }
CATT_DEV unsigned __umul24(unsigned A, unsigned B) {
  return (A & 0xffffffu) * (B & 0xffffffu);
}
CATT_DEV int __mulhi(int A, int B) { return (long long)A * B >> 32; }
CATT_DEV unsigned __umulhi(unsigned A, unsigned B) {
  return (unsigned long long)A * B >> 32;
}
CATT_DEV unsigned long long __umul64hi(unsigned long long A,
                                       unsigned long long B) {
  return (unsigned __int128)A * B >> 64;
}
CATT_DEV unsigned __sad(int A, int B, unsigned C) {
  return (A < B ? B - A : A - B) + C;
}
CATT_DEV unsigned __byte_perm(unsigned A, unsigned B, unsigned S) {
  unsigned long long Both = (unsigned long long)B << 32 | A;
  unsigned R = 0;
  for (int I = 0; I < 4; ++I)
    R |= unsigned(Both >> (S >> 4 * I & 7) * 8 & 0xff) << 8 * I;
  return R;
}
CATT_DEV unsigned __funnelshift_l(unsigned Lo, unsigned Hi, unsigned S) {
  return S & 31 ? Hi << (S & 31) | Lo >> (32 - (S & 31)) : Hi;
}
CATT_DEV unsigned __funnelshift_r(unsigned Lo, unsigned Hi, unsigned S) {
  return S & 31 ? Hi << (32 - (S & 31)) | Lo >> (S & 31) : Lo;
}
CATT_DEV int __float_as_int(float X) { return __builtin_bit_cast(int, X); }
CATT_DEV unsigned __float_as_uint(float X) {
  return __builtin_bit_cast(unsigned, X);
}
CATT_DEV float __int_as_float(int X) { return __builtin_bit_cast(float, X); }
CATT_DEV float __uint_as_float(unsigned X) {
  return __builtin_bit_cast(float, X);
}
CATT_DEV long long __double_as_longlong(double X) {
  return __builtin_bit_cast(long long, X);
}
CATT_DEV double __longlong_as_double(long long X) {
  return __builtin_bit_cast(double, X);
}
CATT_DEV int __float2int_rn(float X) { return int(rintf(X)); }
CATT_DEV int __float2int_rz(float X) { return int(X); }
CATT_DEV int __float2int_rd(float X) { return int(floorf(X)); }
CATT_DEV int __float2int_ru(float X) { return int(ceilf(X)); }
CATT_DEV unsigned __float2uint_rn(float X) { return unsigned(rintf(X)); }
CATT_DEV unsigned __float2uint_rz(float X) { return unsigned(X); }
CATT_DEV float __int2float_rn(int X) { return float(X); }
CATT_DEV float __uint2float_rn(unsigned X) { return float(X); }
CATT_DEV int __double2int_rn(double X) { return int(rint(X)); }
CATT_DEV int __double2int_rz(double X) { return int(X); }
CATT_DEV int __double2int_rd(double X) { return int(floor(X)); }
CATT_DEV int __double2int_ru(double X) { return int(ceil(X)); }
CATT_DEV double __int2double_rn(int X) { return X; }
CATT_DEV float __double2float_rn(double X) { return float(X); }
CATT_DEV int __double2hiint(double X) {
  return int(__builtin_bit_cast(long long, X) >> 32);
}
CATT_DEV int __double2loint(double X) {
  return int(__builtin_bit_cast(long long, X));
}
CATT_DEV double __hiloint2double(int Hi, int Lo) {
  return __builtin_bit_cast(double, (long long)Hi << 32 | (unsigned)Lo);
}
CATT_DEV int __dp4a(int A, int B, int C) {
  for (int I = 0; I < 32; I += 8)
    C += int((signed char)(A >> I)) * int((signed char)(B >> I));
  return C;
}
CATT_DEV unsigned __dp4a(unsigned A, unsigned B, unsigned C) {
  for (int I = 0; I < 32; I += 8)
    C += (A >> I & 255) * (B >> I & 255);
  return C;
}

CATT_DEV long long clock64() { return clock(); }

#include "catt_simt/host.h"
// Last: its marks are macros.
#include "catt_simt/assembly.h"

#endif
