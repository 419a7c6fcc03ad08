// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Complex numbers as pairs. Part of catt-rewrite's stand-in for a CUDA toolkit.
#pragma once
#include "cuda_runtime.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define CATT_COMPLEX(T, C, S)                                                  \
  static inline __host__ __device__ C make_cu##S##Complex(T X, T Y) {          \
    return C{X, Y};                                                            \
  }
CATT_COMPLEX(float, cuFloatComplex, Float)
CATT_COMPLEX(double, cuDoubleComplex, Double)
#undef CATT_COMPLEX
static inline __host__ __device__ cuComplex make_cuComplex(float X, float Y) {
  return cuComplex{X, Y};
}

#define CATT_COMPLEX(T, C, F)                                                  \
  static inline __host__ __device__ T cuCreal##F(C A) { return A.x; }          \
  static inline __host__ __device__ T cuCimag##F(C A) { return A.y; }          \
  static inline __host__ __device__ C cuConj##F(C A) { return C{A.x, -A.y}; }  \
  static inline __host__ __device__ C cuCadd##F(C A, C B) {                    \
    return C{A.x + B.x, A.y + B.y};                                            \
  }                                                                            \
  static inline __host__ __device__ C cuCsub##F(C A, C B) {                    \
    return C{A.x - B.x, A.y - B.y};                                            \
  }                                                                            \
  static inline __host__ __device__ C cuCmul##F(C A, C B) {                    \
    return C{A.x * B.x - A.y * B.y, A.x * B.y + A.y * B.x};                    \
  }                                                                            \
  static inline __host__ __device__ C cuCdiv##F(C A, C B) {                    \
    T S = B.x * B.x + B.y * B.y;                                               \
    return C{(A.x * B.x + A.y * B.y) / S, (A.y * B.x - A.x * B.y) / S};        \
  }                                                                            \
  static inline __host__ __device__ T cuCabs##F(C A) {                         \
    return sqrt(A.x * A.x + A.y * A.y);                                        \
  }                                                                            \
  static inline __host__ __device__ C cuCfma##F(C A, C B, C D) {               \
    return cuCadd##F(cuCmul##F(A, B), D);                                      \
  }
CATT_COMPLEX(float, cuFloatComplex, f)
CATT_COMPLEX(double, cuDoubleComplex, )
#undef CATT_COMPLEX
