// REQUIRES: nvcc
// RUN: %bare --config=none --gpu=h200 --model=catt %s 2>&1 >/dev/null | FileCheck %s
// An mbarrier waits for all who arrive at it.
// CHECK-NOT: split into
// CHECK: left alone: {{.*}}[warps-communicate]

#include <cuda_pipeline.h>

constexpr int N = 4096;

__global__ void rows(const float *A, const float *x, float *y, int *flag) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  __shared__ __mbarrier_t bar;
  if (threadIdx.x == 0)
    __mbarrier_init(&bar, 256);
  __syncthreads();
  float sum = 0.0f;
  for (int j = 0; j < N; ++j) {
    sum += A[i * N + j] * x[j];
    auto token = __mbarrier_arrive(&bar);
    while (!__mbarrier_test_wait(&bar, token)) {
    }
  }
  y[i] = sum;
}

void run(const float *A, const float *x, float *y, int *flag) {
  rows<<<1056, 256>>>(A, x, y, flag);
}
