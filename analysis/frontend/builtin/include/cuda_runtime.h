// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every CUDA file sees without including it, and what <cuda_runtime.h>
// names. Part of catt-rewrite's stand-in for a CUDA toolkit: declarations in
// its own words, written from the CUDA Runtime API reference; device math,
// warp and load intrinsics come from clang's own resource headers.
#pragma once
// Programs ask whether this header was seen by its guard.
#define __CUDA_RUNTIME_H__
#pragma GCC system_header

#include "host_defines.h"
// clang's headers ask for the version that they extend.
#include "cuda.h"

#include <__clang_cuda_math_forward_declares.h>
// libstdc++ offers __float128 unless it sees a CUDA compiler.
#define __CUDACC__
#include <assert.h>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <utility>

#include <__clang_cuda_builtin_vars.h>

#include "cuda_runtime_api.h"
#include "vector_functions.h"

#include <__clang_cuda_libdevice_declares.h>

#include <__clang_cuda_device_functions.h>
#include <__clang_cuda_math.h>

extern "C" {
__device__ int vprintf(const char *, const char *);
__device__ void free(void *) __attribute((nothrow));
__device__ void *malloc(size_t) __attribute((nothrow)) __attribute__((malloc));
__device__ int printf(const char *, ...);
__device__ void __assertfail(const char *Message, const char *File,
                             unsigned Line, const char *Function,
                             size_t CharSize);
__device__ static inline void __assert_fail(const char *Message,
                                            const char *File, unsigned Line,
                                            const char *Function) {
  __assertfail(Message, File, Line, Function, sizeof(char));
}
}
namespace std {
__device__ static inline void free(void *Ptr) { ::free(Ptr); }
__device__ static inline void *malloc(size_t Size) { return ::malloc(Size); }
} // namespace std

#define CATT_BUILTIN_VARIABLE(Name)                                            \
  __device__ inline __cuda_builtin_##Name##_t::operator dim3() const {         \
    return dim3(x, y, z);                                                      \
  }                                                                            \
  __device__ inline __cuda_builtin_##Name##_t::operator uint3() const {        \
    return uint3{x, y, z};                                                     \
  }
CATT_BUILTIN_VARIABLE(threadIdx)
CATT_BUILTIN_VARIABLE(blockIdx)
CATT_BUILTIN_VARIABLE(blockDim)
CATT_BUILTIN_VARIABLE(gridDim)
#undef CATT_BUILTIN_VARIABLE

#include <__clang_cuda_cmath.h>
// Asked by the next.
static inline __device__ unsigned __isShared(const void *P);
static inline __device__ size_t __cvta_generic_to_shared(const void *P);
#include <__clang_cuda_intrinsics.h>

#define CATT_DEVICE_MIN_MAX
#include "../shared/catt_cache_operators.h"
#include "../shared/catt_min_max.h"
#include "../shared/catt_nv_atomic.h"
#include "catt_device.h"
#include "catt_host_functions.h"
#include "catt_runtime_templates.h"
#include "catt_textures.h"
#include <new>
