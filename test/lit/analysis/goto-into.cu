// RUN: %catt %s 2>&1 >/dev/null | FileCheck %s
// A jump into the loop cannot be wrapped.
// CHECK-NOT: split into
// CHECK: {{jump-into|nothing to change}}

constexpr int N = 4096;

__global__ void rows(const float *A, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  int j = 0;
  if (n > 5)
    goto middle;
  for (; j < N; ++j) {
    sum += A[i * N + j] * x[j];
  middle:
    sum += 1.0f;
  }
  y[i] = sum;
}

void run(const float *A, const float *x, float *y, int n) {
  rows<<<1056, 256>>>(A, x, y, n);
}
