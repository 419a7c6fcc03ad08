// RUN: %catt %s 2>&1 >/dev/null | FileCheck %s
// A spin lock inside the loop.
// CHECK-NOT: split into
// CHECK: left alone: {{.*}} [warps-communicate]

constexpr int N = 4096;

__global__ void rows(const float *A, const float *x, float *y, int *lock) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < N; ++j) {
    while (atomicCAS(lock, 0, 1) != 0)
      ;
    y[0] += A[i * N + j] * x[j];
    atomicExch(lock, 0);
  }
}

void run(const float *A, const float *x, float *y, int *lock) {
  rows<<<1056, 256>>>(A, x, y, lock);
}
