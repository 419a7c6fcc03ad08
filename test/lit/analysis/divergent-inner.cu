// RUN: %catt %s 2>&1 >/dev/null | FileCheck %s
// The loop stands in one whose trip count differs from thread to thread, beside a
// barrier of the program: the wrapped statement lies between the two.

// RUN: not %catt --diff %s 2>/dev/null | FileCheck --check-prefix=DIFF %s
// CHECK: remark: loop over j: {{.*}}: split into 2 warp groups [split-warp-groups]
// DIFF: __syncthreads();
// DIFF: +{{.*}}for (unsigned
// DIFF: for (int m = 0;
// DIFF: +{{.*}}__syncthreads();

constexpr int N = 4096;

__global__ void rows(const float *A, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; ++k) {
    __syncthreads();
    for (int m = 0; m < (int)threadIdx.x % 7; ++m)
      for (int j = 0; j < N; ++j)
        y[i] += A[i * N + j] * x[j];
  }
}

void run(const float *A, const float *x, float *y, int n) {
  rows<<<1056, 256>>>(A, x, y, n);
}
