// RUN: %catt %s -- -isystem %inputs/system 2>&1 >/dev/null | FileCheck %s
// A function of a system header is read, not taken for harmless.
// CHECK-NOT: split into
// CHECK: left alone: {{.*}}calls library::total, which waits for the whole block (meet.h:7){{.*}}[barrier-inside]

#include <meet.h>

constexpr int N = 4096;

__global__ void rows(const float *A, const float *x, float *y, int *flag) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  float sum = 0.0f;
  for (int j = 0; j < N; ++j) {
    sum += A[i * N + j] * x[j];
    __shared__ float box;
    sum = library::total(&box, sum);
  }
  y[i] = sum;
}

void run(const float *A, const float *x, float *y, int *flag) {
  rows<<<1056, 256>>>(A, x, y, flag);
}
