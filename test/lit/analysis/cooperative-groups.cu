// RUN: %catt %s 2>&1 >/dev/null | FileCheck %s
// sync() of a thread block is a barrier under another name.
// CHECK-NOT: split into
// CHECK: left alone: {{.*}} [barrier-inside]

#include <cooperative_groups.h>
namespace cg = cooperative_groups;
constexpr int N = 4096;

__global__ void rows(const float *A, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  cg::thread_block block = cg::this_thread_block();
  float sum = 0.0f;
  for (int j = 0; j < N; ++j) {
    sum += A[i * N + j] * x[j];
    block.sync();
  }
  y[i] = sum;
}

void run(const float *A, const float *x, float *y, int n) {
  rows<<<1056, 256>>>(A, x, y, n);
}
