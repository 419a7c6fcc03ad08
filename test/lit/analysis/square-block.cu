// RUN: %exact %throttles %s 2>&1 >/dev/null | FileCheck %s
// 16 rows serve all warps of a block: distinct lines fit where the paper's sum
// does not.

// RUN: %catt %throttles %s 2>&1 >/dev/null | FileCheck --check-prefix=CATT %s
// CHECK-NOT: split into
// CHECK: 0 loops beyond L1D
// CATT: remark: loop over k: 64 warps x 64 lines = 512 KiB, L1D holds 248 KiB: split into 4 warp groups

constexpr int N = 4096;

__global__ void rows(const float *A, const float *B, const float *C,
                     const float *D, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < N; ++k)
    sum += A[i * N + k] + B[i * N + k] + C[i * N + k] + D[i * N + k];
  y[(blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x] = sum;
}

void run(const float *A, const float *B, const float *C, const float *D,
         float *y) {
  rows<<<1056, dim3(16, 16)>>>(A, B, C, D, y);
}
