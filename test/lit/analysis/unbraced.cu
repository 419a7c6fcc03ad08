// RUN: %catt %s 2>&1 >/dev/null | FileCheck %s
// An unbraced body: the statement to wrap is the whole if.
// CHECK: remark: loop over j: {{.*}}: split into 2 warp groups [split-warp-groups]

constexpr int N = 4096;

__global__ void rows(const float *A, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    for (int j = 0; j < N; ++j)
      y[i] += A[i * N + j] * x[j];
}

void run(const float *A, const float *x, float *y, int n) {
  rows<<<1056, 256>>>(A, x, y, n);
}
