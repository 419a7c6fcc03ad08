// RUN: %exact %throttles %s 2>&1 >/dev/null | FileCheck %s
// A thread walks its own rows: 64 lines a warp and iteration, 64 warps; x is shared.

// CHECK: row-walk.cu:{{[0-9]+}}:5: remark: loop over j: 64 warps with up to 66 lines each touch {{52[0-9.]+|51[0-9.]+}} KiB, L1D holds 248 KiB: split into {{[2-8]}} warp groups [split-warp-groups]
// CHECK: note: lanes of '{{[AB]}}[i * N + j]' are 16,384 bytes apart: 32 lines where 1 would do; throttling is the remedy when the layout cannot change
// CHECK: note: expected effect: {{[0-9]+}} warps at a time instead of 64
// CHECK: row-walk.cu: 1 kernel, 1 loop beyond L1D, {{[0-9]+}} edits

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
  rows<<<1056, 256>>>(A, B, x, y, n);
}
