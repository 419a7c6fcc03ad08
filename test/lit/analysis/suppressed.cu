// RUN: %catt %s 2>&1 >/dev/null | FileCheck %s
// // catt: off and NOLINT leave kernels alone.

// RUN: %catt --report=text %s | FileCheck --check-prefix=ALL %s
// CHECK-NOT: split
// CHECK: 2 kernels, 0 loops beyond L1D
// ALL: rows{{.*}} [suppressed]
// ALL: loop over j: {{.*}} [suppressed]

constexpr int N = 4096;

// catt: off
__global__ void rows(const float *A, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float sum = 0.0f;
    for (int j = 0; j < N; ++j)
      sum += A[i * N + j] * x[j];
    y[i] = sum;
  }
}
// catt: on

__global__ void others(const float *A, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float sum = 0.0f;
    // NOLINTNEXTLINE(catt-*)
    for (int j = 0; j < N; ++j)
      sum += A[i * N + j] * x[j];
    y[i] = sum;
  }
}

void run(const float *A, const float *x, float *y, int n) {
  rows<<<1056, 256>>>(A, x, y, n);
  others<<<1056, 256>>>(A, x, y, n);
}
