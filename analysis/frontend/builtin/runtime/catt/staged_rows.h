// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What loops and launches call that stage-rows has rewritten.
#pragma once
#include <catt/launches.h>
#include <cuda_runtime.h>

/// Loads up to CattColumns elements of the row of each lane to its own place in
/// shared memory, CattBytes from that of the thread before; the lanes are those
/// of one warp that are there. All are on the way at a time, those of 4 bytes
/// and more in no registers (PTX ISA, "cp.async", from sm_80 on); of rows that
/// end, as few as the longest needs. Barriers keep them apart from the reads.
/// Where lanes are missing, each loads its own row.
#ifndef CATT_LOAD_ROW
#define CATT_LOAD_ROW
template <int CattColumns, int CattBytes, class CattType>
static __device__ void cattLoadRow(unsigned lanes, unsigned thread,
                                   CattType *own, const CattType *row,
                                   long long count) {
  const int lane = thread % 32;
  const int wanted = count < CattColumns ? (int)count : CattColumns;
  char *const tile = (char *)own - lane * CattBytes;
  const auto rowOf = [&](int from) {
    return (const CattType *)__shfl_sync(lanes, (unsigned long long)row, from);
  };
  const auto fetch = [&](int from, int column, const CattType *source) {
    char *const to = tile + from * CattBytes + column * sizeof(CattType);
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    constexpr int bytes = alignof(CattType) < 16 ? alignof(CattType) : 16;
    const char *const begin = (const char *)(source + column);
    for (int i = 0; bytes >= 4 && i < (int)sizeof(CattType); i += bytes)
      asm volatile("{ .reg .u64 to; cvta.to.shared.u64 to, %0;"
                   " cp.async.ca.shared.global [to], [%1], %2; }" ::"l"(to + i),
                   "l"(begin + i), "n"(bytes < 4 ? 4 : bytes)
                   : "memory");
    if (bytes >= 4)
      return;
#endif
    *(CattType *)to = source[column];
  };
  __syncwarp(lanes);
  if (lanes == 0xffffffff && __all_sync(lanes, wanted == CattColumns)) {
#pragma unroll 4
    for (int i = 0; i < CattColumns; ++i) {
      const int from = (lane + 32 * i) / CattColumns;
      fetch(from, lane % CattColumns, rowOf(from));
    }
  } else if (lanes == 0xffffffff) {
    int width = CattColumns;
    while (width > 1 && __all_sync(lanes, wanted <= width / 2))
      width /= 2;
    const int shift = __ffs(width) - 1, column = lane & (width - 1);
#pragma unroll 4
    for (int i = 0; i < width; ++i) {
      const int from = (lane + 32 * i) >> shift;
      const CattType *const source = rowOf(from);
      if (column < __shfl_sync(lanes, wanted, from))
        fetch(from, column, source);
    }
  } else {
#pragma unroll 4
    for (int column = 0; column < wanted; ++column)
      fetch(lane, column, row);
  }
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
  __syncwarp(lanes);
}
#endif // CATT_LOAD_ROW
/// The other way: the lanes together store what each has written to its row.
#ifndef CATT_STORE_ROW
#define CATT_STORE_ROW
template <int CattColumns, int CattBytes, class CattType>
static __device__ void cattStoreRow(unsigned lanes, unsigned thread,
                                    const CattType *own, CattType *row,
                                    long long count) {
  const int lane = thread % 32, mine = (int)count;
  const char *const tile = (const char *)own - lane * CattBytes;
  const auto rowOf = [&](int from) {
    return (CattType *)__shfl_sync(lanes, (unsigned long long)row, from);
  };
  __syncwarp(lanes);
  if (lanes == 0xffffffff) {
    const int column = lane % CattColumns;
#pragma unroll 4
    for (int i = 0; i < CattColumns; ++i) {
      const int from = (lane + 32 * i) / CattColumns;
      CattType *const to = rowOf(from);
      if (column < __shfl_sync(lanes, mine, from))
        to[column] = ((const CattType *)(tile + from * CattBytes))[column];
    }
  } else {
    for (int column = 0; column < mine; ++column)
      row[column] = own[column];
  }
  __syncwarp(lanes);
}
#endif // CATT_STORE_ROW
/// Whether what lies between a and b is apart from what lies between c and d.
#ifndef CATT_APART
#define CATT_APART
template <class CattType, class CattOther>
static __device__ bool cattApart(const CattType *a, const CattType *b,
                                 const CattOther *c, const CattOther *d) {
  return (const char *)((a < b ? b : a) + 1) <= (const char *)(c < d ? c : d) ||
         (const char *)((c < d ? d : c) + 1) <= (const char *)(a < b ? a : b);
}
#endif // CATT_APART
/// What the launch has asked for, in bytes (PTX ISA, "Special Registers").
#ifndef CATT_DYNAMIC_SHARED
#define CATT_DYNAMIC_SHARED
static inline __device__ unsigned cattDynamicShared() {
  unsigned bytes;
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
  return bytes;
}
#endif // CATT_DYNAMIC_SHARED
