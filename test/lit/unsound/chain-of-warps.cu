// RUN: %catt %s 2>&1 >/dev/null | FileCheck %s
// Each warp waits for the one before it.
// CHECK-NOT: split into
// CHECK: left alone: {{.*}}before it{{.*}}[warps-communicate]

constexpr int N = 4096;

__global__ void rows(const float *A, const float *x, float *y, int *flag) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (warp > 0)
    while (atomicAdd(flag + warp - 1, 0) == 0) {
    }
  __syncwarp();
  float sum = 0.0f;
  for (int j = 0; j < N; ++j) {
    sum += A[i * N + j] * x[j];
  }
  __syncwarp();
  if (lane == 0)
    atomicExch(flag + warp, 1);
  y[i] = sum;
}

void run(const float *A, const float *x, float *y, int *flag) {
  rows<<<1056, 256>>>(A, x, y, flag);
}
