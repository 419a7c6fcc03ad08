// RUN: %catt %s 2>&1 >/dev/null | FileCheck %s
// Threads that leave for good do not count at a barrier, from sm_70 on.

// RUN: %bare --no-cuda --gpu=sm_61 %s 2>&1 >/dev/null | FileCheck --check-prefix=OLD %s
// CHECK: remark: loop over j: {{.*}}: split into 2 warp groups [split-warp-groups]
// OLD-NOT: split into
// OLD: left alone: {{.*}} [{{leaves-statement|threads-exited-early}}]

constexpr int N = 4096;

__global__ void rows(const float *A, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int j = 0; j < N; ++j) {
    sum += A[i * N + j] * x[j];
    if (sum > 1e6f)
      return;
  }
  y[i] = sum;
}

void run(const float *A, const float *x, float *y, int n) {
  rows<<<1056, 256>>>(A, x, y, n);
}
