// RUN: %catt --report=json %s | FileCheck %s
// Each launch has the block of its own moment, or none is claimed.
// CHECK: "text": {{.*}}block
// CHECK: "block": [
// CHECK-NEXT: {{256|null}}
// CHECK: "text": {{.*}}block
// CHECK: "block": [
// CHECK-NEXT: {{64|null}}

constexpr int N = 4096;

__global__ void rows(const float *A, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float sum = 0.0f;
    for (int j = 0; j < N; ++j)
      sum += A[i * N + j] * x[j];
    y[i] = sum;
  }
}

void run(const float *A, const float *x, float *y, int n) {
  dim3 block(256);
  rows<<<1056, block>>>(A, x, y, n);
  block = dim3(64);
  rows<<<4224, block>>>(A, x, y, n);
}
