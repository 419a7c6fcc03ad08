// RUN: %exact %throttles %s 2>&1 >/dev/null | FileCheck %s
// 200 threads are 7 warps, the last with 8 lanes. 9 blocks per SM leave 240 KiB:
// y begins inside a line in most blocks: two lines a warp for it.

// CHECK: remark: loop over j: 63 warps with up to 67 lines each touch 458 KiB, L1D holds 240 KiB: split into {{[0-9]+}} warp groups

constexpr int N = 4096;

__global__ void rows(const float *A, const float *B, const float *x, float *y,
                     int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    for (int j = 0; j < N; ++j)
      y[i] += (A[i * N + j] + B[i * N + j]) * x[j];
  }
}

void run(const float *A, const float *B, const float *x, float *y, int n) {
  rows<<<1500, 200>>>(A, B, x, y, n);
}
