// RUN: %catt %s 2>&1 >/dev/null | FileCheck %s
// A comment at the kernel tells the launch.
// CHECK: remark: loop over j: {{.*}}: split into 2 warp groups [split-warp-groups]

constexpr int N = 4096;

// catt: launch(grid=1056, block=256)
__global__ void rows(const float *A, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float sum = 0.0f;
    for (int j = 0; j < N; ++j)
      sum += A[i * N + j] * x[j];
    y[i] = sum;
  }
}
