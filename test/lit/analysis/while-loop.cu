// RUN: %catt %s 2>&1 >/dev/null | FileCheck %s
// A while loop counts by itself.
// CHECK: remark: loop{{( over j)?}}: {{.*}}: split into 2 warp groups

constexpr int N = 4096;

__global__ void rows(const float *A, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  int j = 0;
  while (j < N) {
    sum += A[i * N + j] * x[j];
    ++j;
  }
  y[i] = sum;
}

void run(const float *A, const float *x, float *y, int n) {
  rows<<<1056, 256>>>(A, x, y, n);
}
