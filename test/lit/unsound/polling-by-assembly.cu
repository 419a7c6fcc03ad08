// RUN: %catt %s 2>&1 >/dev/null | FileCheck %s
// The flag is read by an instruction.
// CHECK-NOT: split into
// CHECK: left alone: {{.*}}[warps-communicate]

constexpr int N = 4096;

__global__ void rows(const float *A, const float *x, float *y, int *flag) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  float sum = 0.0f;
  for (int j = 0; j < N; ++j) {
    sum += A[i * N + j] * x[j];
    int v;
    do {
      asm volatile("ld.global.cg.s32 %0, [%1];" : "=r"(v) : "l"(flag));
    } while (v == 0);
  }
  y[i] = sum;
}

void run(const float *A, const float *x, float *y, int *flag) {
  rows<<<1056, 256>>>(A, x, y, flag);
}
