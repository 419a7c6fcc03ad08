// RUN: %eager --config=none --l1d=48 %s 2>&1 >/dev/null | FileCheck %s
// The blocks wait for each other: none is taken away from an SM.
// CHECK-NOT: reserved
// CHECK: warps may wait for each other{{.*}}'peek(count)'{{.*}}[warps-communicate]
// CHECK: nothing to change

__device__ int peek(int *p) { return atomicAdd(p, 0); }

__global__ void rows(const float *A, float *y, int *count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int j = 0; j < 256; ++j) {
    s += A[i % 512 * 256 + j] * A[j];
    __syncthreads();
  }
  y[i] = s;
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(count, 1);
    while (peek(count) < gridDim.x) {
    }
  }
  __syncthreads();
  y[i] += y[(i + 4096) % (1056 * 256)];
}

void run(const float *A, float *y, int *count, int n) {
  rows<<<1056, 256>>>(A, y, count, n);
}
