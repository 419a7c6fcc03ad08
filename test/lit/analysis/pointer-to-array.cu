// RUN: %catt %s 2>&1 >/dev/null | FileCheck %s
// A row type of 4096 floats.
// CHECK: remark: loop over j: {{.*}}: split into 2 warp groups [split-warp-groups]

constexpr int N = 4096;

__global__ void rows(const float (*A)[N], const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int j = 0; j < N; ++j)
    sum += A[i][j] * x[j];
  y[i] = sum;
}

void run(const float (*A)[N], const float *x, float *y, int n) {
  rows<<<1056, 256>>>(A, x, y, n);
}
