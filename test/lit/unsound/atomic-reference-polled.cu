// REQUIRES: nvcc
// RUN: %bare --config=none --gpu=h200 --model=catt %s 2>&1 >/dev/null | FileCheck %s
// A load of cuda::atomic_ref that decides an exit.
// CHECK-NOT: split into
// CHECK: left alone: {{.*}}[warps-communicate]

#include <cuda/atomic>

constexpr int N = 4096;

__global__ void rows(const float *A, const float *x, float *y, int *flag) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  float sum = 0.0f;
  for (int j = 0; j < N; ++j) {
    sum += A[i * N + j] * x[j];
    cuda::atomic_ref<int, cuda::thread_scope_device> a(*flag);
    while (a.load(cuda::memory_order_acquire) == 0) {
    }
  }
  y[i] = sum;
}

void run(const float *A, const float *x, float *y, int *flag) {
  rows<<<1056, 256>>>(A, x, y, flag);
}
