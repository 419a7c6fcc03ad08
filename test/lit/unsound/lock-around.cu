// RUN: %catt %s 2>&1 >/dev/null | FileCheck %s
// A lock taken before the loop and given after it.
// CHECK-NOT: split into
// CHECK: left alone: {{.*}}before it{{.*}}[warps-communicate]

constexpr int N = 4096;

__global__ void rows(const float *A, const float *x, float *y, int *flag) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (lane == 0)
    while (atomicCAS(flag, 0, 1) != 0) {
    }
  __syncwarp();
  float sum = 0.0f;
  for (int j = 0; j < N; ++j) {
    sum += A[i * N + j] * x[j];
  }
  __syncwarp();
  if (lane == 0)
    atomicExch(flag, 0);
  y[i] = sum;
}

void run(const float *A, const float *x, float *y, int *flag) {
  rows<<<1056, 256>>>(A, x, y, flag);
}
