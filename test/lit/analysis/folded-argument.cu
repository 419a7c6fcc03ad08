// RUN: %catt %s 2>&1 >/dev/null | FileCheck %s
// The launch passes a constant for the stride.
// CHECK: remark: loop over j: {{.*}}: split into 2 warp groups

#define COLUMNS (1 << 12)

__global__ void rows(const float *A, const float *x, float *y, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int j = 0; j < m; ++j)
    sum += A[i * m + j] * x[j];
  y[i] = sum;
}

void run(const float *A, const float *x, float *y) {
  const int threads = 256;
  int rowCount = 1056 * 256;
  rows<<<(rowCount + threads - 1) / threads, threads>>>(A, x, y, COLUMNS);
}
