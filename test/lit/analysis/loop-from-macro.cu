// RUN: %catt %s 2>&1 >/dev/null | FileCheck %s
// Edits stay outside the macro, or the refusal names it.
// CHECK: remark: loop over j: {{.*(split into 2 warp groups|FOR_ALL)}}

#define FOR_ALL(j, n) for (int j = 0; j < (n); ++j)
constexpr int N = 4096;

__global__ void rows(const float *A, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  FOR_ALL(j, N)
    sum += A[i * N + j] * x[j];
  y[i] = sum;
}

void run(const float *A, const float *x, float *y, int n) {
  rows<<<1056, 256>>>(A, x, y, n);
}
