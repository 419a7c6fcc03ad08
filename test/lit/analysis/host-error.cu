// RUN: %catt %s 2>&1 >/dev/null | FileCheck %s
// An error in host code is said and does not hide the kernel.
// CHECK: error: use of undeclared identifier 'undeclared'
// CHECK: remark: loop over j: {{.*}}: split into 2 warp groups [split-warp-groups]

constexpr int N = 4096;

__global__ void rows(const float *A, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float sum = 0.0f;
    for (int j = 0; j < N; ++j)
      sum += A[i * N + j] * x[j];
    y[i] = sum;
  }
}

void run(const float *A, const float *x, float *y, int n) {
  rows<<<1056, 256>>>(A, x, y, n);
}

int broken() { return undeclared; }
