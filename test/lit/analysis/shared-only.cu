// RUN: %exact %s 2>&1 >/dev/null | FileCheck %s
// Shared memory is not L1D's business.
// CHECK-NOT: remark:
// CHECK: nothing to change

constexpr int N = 4096;

__global__ void rows(const float *A, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float tile[1024];
  float sum = 0.0f;
  for (int j = 0; j < 1024; ++j)
    sum += tile[(threadIdx.x * 32 + j) % 1024];
  y[i] = sum;
}

void run(const float *A, const float *x, float *y, int n) {
  rows<<<1056, 256>>>(A, x, y, n);
}
