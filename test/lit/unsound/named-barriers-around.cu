// RUN: %catt %s 2>&1 >/dev/null | FileCheck %s
// Four warps wait for the other four to come out of the loop.
// CHECK-NOT: split into
// CHECK: left alone: {{.*}}before it{{.*}}[inline-assembly]

constexpr int N = 4096;

__global__ void rows(const float *A, const float *x, float *y, int *flag) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (warp < 4)
    asm volatile("bar.sync 2, 256;" ::: "memory");
  float sum = 0.0f;
  for (int j = 0; j < N; ++j) {
    sum += A[i * N + j] * x[j];
  }
  if (warp >= 4)
    asm volatile("bar.arrive 2, 256;" ::: "memory");
  y[i] = sum;
}

void run(const float *A, const float *x, float *y, int *flag) {
  rows<<<1056, 256>>>(A, x, y, flag);
}
