// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arithmetic that cuda_fp16.h and cuda_bf16.h share, stamped out for one
// type: CATT_NARROW(T, T2, n, s) defines T with clang's arithmetic type n, its
// pair T2 (components x and y), and the functions whose names carry s.
#pragma once
#include "cuda_runtime.h"
#pragma GCC system_header

#define CATT_ND static inline __host__ __device__

#define CATT_NARROW_OPERATOR(T, N, Op)                                         \
  CATT_ND T operator Op(const T &A, const T &B) {                              \
    return T(float(A) Op float(B));                                            \
  }                                                                            \
  CATT_ND T &operator Op## = (T & A, const T &B) {                             \
    return A = T(float(A) Op float(B));                                        \
  }
#define CATT_NARROW_COMPARE(T, Op)                                             \
  CATT_ND bool operator Op(const T &A, const T &B) {                           \
    return float(A) Op float(B);                                               \
  }
#define CATT_PAIR_OPERATOR(T2, Op)                                             \
  CATT_ND T2 operator Op(const T2 &A, const T2 &B) {                           \
    return T2(A.x Op B.x, A.y Op B.y);                                         \
  }                                                                            \
  CATT_ND T2 &operator Op## = (T2 & A, const T2 &B) { return A = A Op B; }
// Two-operand intrinsics, scalar and pair, plain and rounded to nearest.
#define CATT_NARROW_BINARY(T, T2, Name, Op)                                    \
  CATT_ND T __h##Name(T A, T B) { return A Op B; }                             \
  CATT_ND T2 __h##Name##2(T2 A, T2 B) { return A Op B; }                       \
  CATT_ND T __h##Name##_rn(T A, T B) { return A Op B; }                        \
  CATT_ND T2 __h##Name##2_rn(T2 A, T2 B) { return A Op B; }                    \
  CATT_ND T __h##Name##_sat(T A, T B) { return cattSaturated(A Op B); }        \
  CATT_ND T2 __h##Name##2_sat(T2 A, T2 B) {                                    \
    return T2(cattSaturated(A.x Op B.x), cattSaturated(A.y Op B.y));           \
  }
#define CATT_NARROW_TEST(T, T2, Name, Op)                                      \
  CATT_ND bool __h##Name(T A, T B) { return A Op B; }                          \
  CATT_ND bool __hb##Name##2(T2 A, T2 B) { return A.x Op B.x && A.y Op B.y; }  \
  CATT_ND T2 __h##Name##2(T2 A, T2 B) {                                        \
    return T2(T(float(A.x Op B.x)), T(float(A.y Op B.y)));                     \
  }
#define CATT_NARROW_MATH(T, T2, Name, Function)                                \
  static inline __device__ T h##Name(T A) { return T(Function(float(A))); }    \
  static inline __device__ T2 h2##Name(T2 A) {                                 \
    return T2(h##Name(A.x), h##Name(A.y));                                     \
  }

#define CATT_NARROW(T, T2, N)                                                  \
  struct __attribute__((aligned(2))) T {                                       \
    T() = default;                                                             \
    __host__ __device__ constexpr T(float V) : Value(N(V)) {}                  \
    __host__ __device__ constexpr T(double V) : Value(N(V)) {}                 \
    __host__ __device__ constexpr T(int V) : Value(N(float(V))) {}             \
    __host__ __device__ constexpr T(unsigned V) : Value(N(float(V))) {}        \
    __host__ __device__ constexpr T(short V) : Value(N(float(V))) {}           \
    __host__ __device__ constexpr T(unsigned short V) : Value(N(float(V))) {}  \
    __host__ __device__ constexpr T(long long V) : Value(N(float(V))) {}       \
    __host__ __device__ constexpr T(unsigned long long V)                      \
        : Value(N(float(V))) {}                                                \
    __host__ __device__ constexpr operator float() const {                     \
      return float(Value);                                                     \
    }                                                                          \
    N Value;                                                                   \
  };                                                                           \
  struct __attribute__((aligned(4))) T2 {                                      \
    T2() = default;                                                            \
    __host__ __device__ constexpr T2(const T &X, const T &Y) : x(X), y(Y) {}   \
    T x, y;                                                                    \
  };                                                                           \
  CATT_NARROW_OPERATOR(T, N, +)                                                \
  CATT_NARROW_OPERATOR(T, N, -)                                                \
  CATT_NARROW_OPERATOR(T, N, *)                                                \
  CATT_NARROW_OPERATOR(T, N, /)                                                \
  CATT_NARROW_COMPARE(T, ==)                                                   \
  CATT_NARROW_COMPARE(T, !=)                                                   \
  CATT_NARROW_COMPARE(T, <)                                                    \
  CATT_NARROW_COMPARE(T, >)                                                    \
  CATT_NARROW_COMPARE(T, <=)                                                   \
  CATT_NARROW_COMPARE(T, >=)                                                   \
  CATT_ND T operator-(const T &A) { return T(-float(A)); }                     \
  CATT_ND T operator+(const T &A) { return A; }                                \
  CATT_PAIR_OPERATOR(T2, +)                                                    \
  CATT_PAIR_OPERATOR(T2, -)                                                    \
  CATT_PAIR_OPERATOR(T2, *)                                                    \
  CATT_PAIR_OPERATOR(T2, /)                                                    \
  CATT_ND T2 operator-(const T2 &A) { return T2(-A.x, -A.y); }                 \
  CATT_ND T cattSaturated(T A) {                                               \
    return T(float(A) > 1 ? 1.f : float(A) > 0 ? float(A) : 0.f);              \
  }                                                                            \
  CATT_NARROW_BINARY(T, T2, add, +)                                            \
  CATT_NARROW_BINARY(T, T2, sub, -)                                            \
  CATT_NARROW_BINARY(T, T2, mul, *)                                            \
  CATT_ND T __hdiv(T A, T B) { return A / B; }                                 \
  CATT_ND T2 __h2div(T2 A, T2 B) { return A / B; }                             \
  CATT_ND T __hneg(T A) { return -A; }                                         \
  CATT_ND T2 __hneg2(T2 A) { return -A; }                                      \
  CATT_ND T __habs(T A) { return T(float(A) < 0 ? -float(A) : float(A)); }     \
  CATT_ND T2 __habs2(T2 A) { return T2(__habs(A.x), __habs(A.y)); }            \
  CATT_ND T __hfma(T A, T B, T C) {                                            \
    return T(__builtin_fmaf(float(A), float(B), float(C)));                    \
  }                                                                            \
  CATT_ND T __hfma_relu(T A, T B, T C) {                                       \
    T R = __hfma(A, B, C);                                                     \
    return float(R) < 0 ? T(0.f) : R;                                          \
  }                                                                            \
  CATT_ND T2 __hfma2(T2 A, T2 B, T2 C) {                                       \
    return T2(__hfma(A.x, B.x, C.x), __hfma(A.y, B.y, C.y));                   \
  }                                                                            \
  CATT_ND T __hmin(T A, T B) { return A < B ? A : B; }                         \
  CATT_ND T __hmax(T A, T B) { return A < B ? B : A; }                         \
  CATT_ND T2 __hmin2(T2 A, T2 B) {                                             \
    return T2(__hmin(A.x, B.x), __hmin(A.y, B.y));                             \
  }                                                                            \
  CATT_ND T2 __hmax2(T2 A, T2 B) {                                             \
    return T2(__hmax(A.x, B.x), __hmax(A.y, B.y));                             \
  }                                                                            \
  CATT_ND bool __hisnan(T A) { return A != A; }                                \
  CATT_NARROW_TEST(T, T2, eq, ==)                                              \
  CATT_NARROW_TEST(T, T2, ne, !=)                                              \
  CATT_NARROW_TEST(T, T2, lt, <)                                               \
  CATT_NARROW_TEST(T, T2, le, <=)                                              \
  CATT_NARROW_TEST(T, T2, gt, >)                                               \
  CATT_NARROW_TEST(T, T2, ge, >=)                                              \
  CATT_NARROW_MATH(T, T2, sqrt, ::sqrtf)                                       \
  CATT_NARROW_MATH(T, T2, rsqrt, ::rsqrtf)                                     \
  CATT_NARROW_MATH(T, T2, exp, ::expf)                                         \
  CATT_NARROW_MATH(T, T2, exp2, ::exp2f)                                       \
  CATT_NARROW_MATH(T, T2, log, ::logf)                                         \
  CATT_NARROW_MATH(T, T2, log2, ::log2f)                                       \
  CATT_NARROW_MATH(T, T2, sin, ::sinf)                                         \
  CATT_NARROW_MATH(T, T2, cos, ::cosf)                                         \
  CATT_NARROW_MATH(T, T2, tanh, ::tanhf)                                       \
  CATT_NARROW_MATH(T, T2, floor, ::floorf)                                     \
  CATT_NARROW_MATH(T, T2, ceil, ::ceilf)                                       \
  CATT_NARROW_MATH(T, T2, rcp, 1.f /)                                          \
  CATT_ND float __low2float(T2 A) { return A.x; }                              \
  CATT_ND float __high2float(T2 A) { return A.y; }                             \
  CATT_NARROW_MEMORY(T, T2)

// The executor's templates load, add to and shuffle values of any type.
#ifdef CATT_SIMT_DEVICE_H
#define CATT_NARROW_MEMORY(T, T2)
#else
#define CATT_NARROW_MEMORY(T, T2)                                              \
  static inline __device__ T __ldg(const T *P) { return *P; }                  \
  static inline __device__ T2 __ldg(const T2 *P) { return *P; }                \
  static inline __device__ T atomicAdd(T *P, T V) {                            \
    T Old = *P;                                                                \
    *P = Old + V;                                                              \
    return Old;                                                                \
  }                                                                            \
  static inline __device__ T2 atomicAdd(T2 *P, T2 V) {                         \
    T2 Old = *P;                                                               \
    *P = Old + V;                                                              \
    return Old;                                                                \
  }                                                                            \
  CATT_NARROW_SHUFFLE(T, _sync, int)                                           \
  CATT_NARROW_SHUFFLE(T, _down_sync, unsigned)                                 \
  CATT_NARROW_SHUFFLE(T, _up_sync, unsigned)                                   \
  CATT_NARROW_SHUFFLE(T, _xor_sync, int)                                       \
  CATT_NARROW_SHUFFLE(T2, _sync, int)                                          \
  CATT_NARROW_SHUFFLE(T2, _down_sync, unsigned)                                \
  CATT_NARROW_SHUFFLE(T2, _up_sync, unsigned)                                  \
  CATT_NARROW_SHUFFLE(T2, _xor_sync, int)
#endif
#define CATT_NARROW_SHUFFLE(T, Name, Lane)                                     \
  static inline __device__ T __shfl##Name(unsigned Mask, T V, Lane L,          \
                                          int Width = 32) {                    \
    unsigned Bits = 0;                                                         \
    __builtin_memcpy(&Bits, &V, sizeof V);                                     \
    Bits = ::__shfl##Name(Mask, Bits, L, Width);                               \
    __builtin_memcpy(&V, &Bits, sizeof V);                                     \
    return V;                                                                  \
  }
