// REQUIRES: nvcc
// RUN: %bare --config=none --gpu=h200 --model=catt %s 2>&1 >/dev/null | FileCheck %s
// The temporaries take turns, so no __syncthreads() is in sight: the reduction
// itself waits for the block.
// CHECK-NOT: split into
// CHECK: left alone: {{.*}}calls {{.*}}cub{{.*}}waits for the whole block ({{.*}}){{.*}}[barrier-inside]

#include <cub/cub.cuh>

constexpr int N = 4096;

__global__ void rows(const float *A, const float *x, float *y, int *flag) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  float sum = 0.0f;
  for (int j = 0; j < N; ++j) {
    sum += A[i * N + j] * x[j];
    using Reduce = cub::BlockReduce<float, 256>;
    __shared__ typename Reduce::TempStorage Space[2];
    sum = Reduce(Space[j & 1]).Sum(sum);
  }
  y[i] = sum;
}

void run(const float *A, const float *x, float *y, int *flag) {
  rows<<<1056, 256>>>(A, x, y, flag);
}
