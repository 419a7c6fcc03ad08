// RUN: %catt --l1d=16 %s 2>&1 >/dev/null | FileCheck %s
// 40 matrices: one warp of one block is too much for 16 KiB ... and for fewer blocks too.
// CHECK-NOT: split into
// CHECK: left alone: {{.*}} [cannot-fit]

constexpr int N = 4096;

__global__ void rows(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int j = 0; j < N; ++j)
    sum += A[i * N + j] + A[(i + 300000) * N + j] + A[(i + 600000) * N + j] +
           A[(i + 900000) * N + j] + A[(i + 1200000) * N + j];
  y[i] = sum;
}

void run(const float *A, float *y) { rows<<<1056, 256>>>(A, y); }
