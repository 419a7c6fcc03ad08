// RUN: %catt %s 2>&1 >/dev/null | FileCheck %s
// Nothing launches the kernel: it decides by its own block size, and the user can
// tell more.

// RUN: %catt --launch=rows=1056:256 %s 2>&1 >/dev/null | FileCheck --check-prefix=TOLD %s
// CHECK-NOT: split into
// CHECK: remark: {{.*}}--launch={{.*}} [unknown-launch]
// TOLD: remark: loop over j: {{.*}}: split into 2 warp groups

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
