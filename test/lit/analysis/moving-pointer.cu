// RUN: %catt %s 2>&1 >/dev/null | FileCheck %s
// The pointer walks the row.
// CHECK: remark: loop over j: {{.*}}: split into 2 warp groups [split-warp-groups]

constexpr int N = 4096;

__global__ void rows(const float *A, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float *p = A + i * N;
  float sum = 0.0f;
  for (int j = 0; j < N; ++j)
    sum += *p++ * x[j];
  y[i] = sum;
}

void run(const float *A, const float *x, float *y, int n) {
  rows<<<1056, 256>>>(A, x, y, n);
}
