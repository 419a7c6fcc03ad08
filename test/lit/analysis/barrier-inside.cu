// RUN: %catt %s 2>&1 >/dev/null | FileCheck %s
// The program's own barrier stands inside the loop.
// CHECK-NOT: split into
// CHECK: left alone: {{.*}}__syncthreads{{.*}} [barrier-inside]

constexpr int N = 4096;

__global__ void rows(const float *A, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float tile[256];
  float sum = 0.0f;
  for (int j = 0; j < N; ++j) {
    tile[threadIdx.x] = A[i * N + j] * x[j];
    __syncthreads();
    sum += tile[threadIdx.x ^ 1];
    __syncthreads();
  }
  y[i] = sum;
}

void run(const float *A, const float *x, float *y, int n) {
  rows<<<1056, 256>>>(A, x, y, n);
}
