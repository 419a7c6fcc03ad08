// A lambda that a library calls raises the block size: slots for 128 threads
// would overlap in a block of 512.
// REQUIRES: nvcc
// RUN: rm -rf %t && mkdir %t && cp %s %t/in.cu
// RUN: %bare --config=none --gpu=h200 --transforms=spill-shared --target-registers=32 %t/in.cu | cmp - %s
// RUN: %bare --config=none --gpu=h200 --transforms=spill-shared --target-registers=32 --report=text %t/in.cu | FileCheck %s
// CHECK: remark: kernel 'rows': the block size is not known
#include <algorithm>
#include <cuda_runtime.h>
#include <vector>

static __global__ void rows(const float *A, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v[40];
#pragma unroll
  for (int q = 0; q < 40; ++q)
    v[q] = A[(i + q * 3) % n];
  for (int r = 0; r < 8; ++r)
#pragma unroll
    for (int q = 0; q < 40; ++q)
      v[q] = v[q] * 0.5f + v[(q + 7) % 40] + A[r];
  float s = 0;
#pragma unroll
  for (int q = 0; q < 40; ++q)
    s += v[q];
  y[i] = s;
}

void run(float *A, float *y, int n, const std::vector<int> &Sizes) {
  int Block = 128;
  std::for_each(Sizes.begin(), Sizes.end(),
                [&](int S) { Block = std::max(Block, S); });
  rows<<<2, Block>>>(A, y, n);
}
