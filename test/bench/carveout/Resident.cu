//===- Resident.cu - Blocks that share an SM beside reserved memory -------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   CATT_RESERVATIONS_WRITE=reservations.csv CATT_RESERVATIONS_GPU=h200 \
//     build/release/bin/catt-unit-device --gtest_filter='ReserveInCarveout.w*'
//   nvcc -arch=native -o resident Resident.cu
//   ./resident reservations.csv
//
// Each line is a block (threads, bytes of its own), the blocks that an SM is to
// hold, and what the tool reserves and asks for (bytes, percent). Three times
// as many blocks are launched, each of which counts itself on its SM and stays
// for 40 us. Prints what the SMs held where that is another number, and ends
// with 1 then.
//
//===----------------------------------------------------------------------===//
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

constexpr int MostSMs = 1024;
__device__ int present[MostSMs], most[MostSMs];

__device__ unsigned long long nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__global__ void stay(unsigned long long time) {
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  if (threadIdx.x == 0)
    atomicMax(&most[sm], atomicAdd(&present[sm], 1) + 1);
  const unsigned long long begin = nanoseconds();
  while (nanoseconds() - begin < time)
    ;
  __syncthreads();
  if (threadIdx.x == 0)
    atomicSub(&present[sm], 1);
}

static void check(cudaError_t status) {
  if (status == cudaSuccess)
    return;
  std::fprintf(stderr, "resident: %s\n", cudaGetErrorString(status));
  std::exit(2);
}

/// The most blocks that any SM has held.
static int held(int sms, int threads, int bytes, int blocks, int percent) {
  const std::vector<int> none(MostSMs);
  check(cudaMemcpyToSymbol(present, none.data(), sizeof(present)));
  check(cudaMemcpyToSymbol(most, none.data(), sizeof(most)));
  check(cudaFuncSetAttribute(
      stay, cudaFuncAttributePreferredSharedMemoryCarveout, percent));
  stay<<<sms * blocks * 3, threads, bytes>>>(40000);
  check(cudaDeviceSynchronize());
  std::vector<int> seen(MostSMs);
  check(cudaMemcpyFromSymbol(seen.data(), most, sizeof(most)));
  return *std::max_element(seen.begin(), seen.end());
}

int main(int count, char **arguments) {
  std::FILE *file = count == 2 ? std::fopen(arguments[1], "r") : nullptr;
  if (!file) {
    std::fprintf(stderr, "usage: resident <reservations.csv>\n");
    return 2;
  }
  int sms = 0, limit = 0;
  check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  check(cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                               0));
  check(cudaFuncSetAttribute(
      stay, cudaFuncAttributeMaxDynamicSharedMemorySize, limit));
  int threads, own, blocks, more, percent, lines = 0, others = 0;
  while (std::fscanf(file, "%d %d %d %d %d", &threads, &own, &blocks, &more,
                     &percent) == 5) {
    ++lines;
    const int seen = held(sms, threads, own + more, blocks, percent);
    if (seen == blocks)
      continue;
    ++others;
    std::printf("blocks of %d threads and %d bytes: %d on an SM, not %d, with "
                "%d bytes more and %d %%\n",
                threads, own, seen, blocks, more, percent);
  }
  std::printf("%d of %d as reserved\n", lines - others, lines);
  return others != 0;
}
