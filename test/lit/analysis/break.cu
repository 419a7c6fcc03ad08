// RUN: %catt %s 2>&1 >/dev/null | FileCheck %s
// A break that stays inside the wrapped statement does no harm.
// CHECK: remark: loop over j: {{.*}}: split into 2 warp groups [split-warp-groups]

constexpr int N = 4096;

__global__ void rows(const float *A, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int j = 0; j < N; ++j) {
    sum += A[i * N + j] * x[j];
    if (sum > 1e6f)
      break;
  }
  y[i] = sum;
}

void run(const float *A, const float *x, float *y, int n) {
  rows<<<1056, 256>>>(A, x, y, n);
}
