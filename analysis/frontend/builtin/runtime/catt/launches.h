// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What launches call of kernels with tiles (catt/staged_rows.h).
#pragma once
#include <cuda_runtime.h>

/// The threads of a launch's block.
#ifndef CATT_THREADS
#define CATT_THREADS
static inline unsigned cattThreads(dim3 block) {
  return block.x * block.y * block.z;
}
#endif // CATT_THREADS
/// The dynamic shared memory of a launch that is to have more, allowed beyond
/// 48 KiB (CUDA C++ Programming Guide, "Shared Memory", compute
/// capability 7.x); the same as before where the device has not as much.
#ifndef CATT_SHARED
#define CATT_SHARED
template <class K>
static size_t cattShared(K *kernel, size_t bytes, size_t more) {
  int device = 0, most = 0;
  cudaFuncAttributes now;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                             device) != cudaSuccess ||
      cudaFuncGetAttributes(&now, kernel) != cudaSuccess)
    return bytes;
  size_t limit = most - now.sharedSizeBytes;
  if (bytes > limit || more > limit - bytes)
    return bytes;
  if (bytes + more > (size_t)now.maxDynamicSharedSizeBytes &&
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                           (int)limit) != cudaSuccess)
    return bytes;
  return bytes + more;
}
#endif // CATT_SHARED
