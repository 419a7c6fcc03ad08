// RUN: %catt %s 2>&1 >/dev/null | FileCheck %s
// The loop waits for another warp.
// CHECK-NOT: split into
// CHECK: left alone: {{.*}} [warps-communicate]

constexpr int N = 4096;

__global__ void rows(const float *A, const float *x, float *y, volatile int *flag) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int j = 0; j < N; ++j) {
    while (flag[j] == 0)
      ;
    sum += A[i * N + j] * x[j];
  }
  y[i] = sum;
}

void run(const float *A, const float *x, float *y, volatile int *flag) {
  rows<<<1056, 256>>>(A, x, y, flag);
}
