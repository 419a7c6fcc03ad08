// RUN: %catt %s 2>&1 >/dev/null | FileCheck %s
// The barrier is in a function that the loop calls.
// CHECK-NOT: split into
// CHECK: left alone: {{.*}} [barrier-inside]

constexpr int N = 4096;

__device__ void step() { __syncthreads(); }

__global__ void rows(const float *A, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int j = 0; j < N; ++j) {
    sum += A[i * N + j] * x[j];
    step();
  }
  y[i] = sum;
}

void run(const float *A, const float *x, float *y, int n) {
  rows<<<1056, 256>>>(A, x, y, n);
}
