// RUN: %catt %s 2>&1 >/dev/null | FileCheck %s
// Assembly may hold a barrier.
// CHECK-NOT: split into
// CHECK: left alone: {{.*}} [{{inline-assembly|barrier-inside}}]

constexpr int N = 4096;

__global__ void rows(const float *A, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int j = 0; j < N; ++j) {
    sum += A[i * N + j] * x[j];
    asm volatile("barrier.sync 1, 64;");
  }
  y[i] = sum;
}

void run(const float *A, const float *x, float *y, int n) {
  rows<<<1056, 256>>>(A, x, y, n);
}
