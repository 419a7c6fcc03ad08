// RUN: %catt %s 2>&1 >/dev/null | FileCheck %s
// The loop around it depends on the thread: the wrapped statement is the outer loop.

// RUN: not %catt --diff %s 2>/dev/null | FileCheck --check-prefix=DIFF %s
// CHECK: remark: loop over {{.*}}: split into {{[0-9]+}} warp groups
// DIFF: +{{.*}}for (unsigned {{.*}}
// DIFF: for (int r = 

constexpr int N = 4096;

__global__ void rows(const float *A, const float *x, float *y, int n) {
  for (int r = blockIdx.x * blockDim.x + threadIdx.x; r < n;
       r += gridDim.x * blockDim.x) {
    float sum = 0.0f;
    for (int j = 0; j < N; ++j)
      sum += A[r * N + j] * x[j];
    y[r] = sum;
  }
}

void run(const float *A, const float *x, float *y) {
  rows<<<1056, 256>>>(A, x, y, 4 * 1056 * 256);
}
