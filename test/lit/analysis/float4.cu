// RUN: %catt %s 2>&1 >/dev/null | FileCheck %s
// 16 bytes an element, 16 KiB a row.
// CHECK: remark: loop over j: {{.*}}: split into 2 warp groups [split-warp-groups]

constexpr int N = 4096;

__global__ void rows(const float4 *A, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int j = 0; j < N / 4; ++j) {
    float4 a = A[i * (N / 4) + j];
    sum += (a.x + a.y + a.z + a.w) * x[j];
  }
  y[i] = sum;
}

void run(const float4 *A, const float *x, float *y, int n) {
  rows<<<1056, 256>>>(A, x, y, n);
}
