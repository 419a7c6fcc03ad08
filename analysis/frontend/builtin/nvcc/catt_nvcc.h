// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What nvcc provides and clang does not, on top of a real CUDA toolkit. It
// comes behind clang's own CUDA wrapper.
#pragma once
#pragma GCC system_header

// nvcc's runtime header brings these in; clang's wrapper does not.
#include <assert.h>
#include <new>
#include <stdio.h>
#include <time.h>
#include <utility>

// nvcc defines these before the first line; clang's CUDA mode never.
#ifndef __CUDACC_VER_MAJOR__
#define __CUDACC_VER_MAJOR__ (CUDA_VERSION / 1000)
#define __CUDACC_VER_MINOR__ (CUDA_VERSION % 1000 / 10)
#define __CUDACC_VER_BUILD__ 0
#endif

#include "../shared/catt_cache_operators.h"
#include "../shared/catt_min_max.h"
#include "../shared/catt_nv_atomic.h"

// Names that CUDA 13 has removed and that older programs still use.
#if CUDART_VERSION >= 13000
// A program may define them itself, the usual way to go on compiling.
#ifndef cudaThreadSynchronize
static inline cudaError_t cudaThreadSynchronize(void) {
  return cudaDeviceSynchronize();
}
#endif
#ifndef cudaThreadExit
static inline cudaError_t cudaThreadExit(void) { return cudaDeviceReset(); }
#endif
#ifndef cudaThreadSetLimit
static inline cudaError_t cudaThreadSetLimit(cudaLimit Limit, size_t Value) {
  return cudaDeviceSetLimit(Limit, Value);
}
#endif
#ifndef cudaThreadSetCacheConfig
static inline cudaError_t cudaThreadSetCacheConfig(cudaFuncCache Config) {
  return cudaDeviceSetCacheConfig(Config);
}
#endif
#endif
