// RUN: %catt %s 2>&1 >/dev/null | FileCheck %s
// The loop is in a device function with one caller.
// CHECK: remark: loop over j: {{.*}}: split into 2 warp groups [split-warp-groups]

constexpr int N = 4096;

__device__ float dot(const float *row, const float *x) {
  float sum = 0.0f;
  for (int j = 0; j < N; ++j)
    sum += row[j] * x[j];
  return sum;
}

__global__ void rows(const float *A, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = dot(A + i * N, x);
  y[i] = sum;
}

void run(const float *A, const float *x, float *y, int n) {
  rows<<<1056, 256>>>(A, x, y, n);
}
