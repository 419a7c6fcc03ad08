// RUN: %exact %throttles %s 2>&1 >/dev/null | FileCheck %s
// 6 blocks with 33 KiB each leave 28 KiB of L1: fewer blocks or warps are better.

// CHECK: remark: loop over j: 48 warps with up to 34 lines each touch 198.1 KiB, L1D holds 28 KiB: {{split into|[0-9]+ blocks fewer}}

constexpr int N = 4096;

__global__ void rows(const float *A, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    extern __shared__ float tile[];
    tile[threadIdx.x] = 0.0f;
    for (int j = 0; j < N; ++j)
      y[i] += A[i * N + j] * x[j];
  }
}

void run(const float *A, const float *x, float *y, int n) {
  rows<<<1056, 256, 32 * 1024>>>(A, x, y, n);
}
