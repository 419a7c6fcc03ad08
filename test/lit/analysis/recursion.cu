// RUN: not %catt --diff %s 2>/dev/null | FileCheck %s
// No barrier goes into a device function that calls itself: the statement of
// the kernel that calls it is wrapped.
// CHECK-NOT: {{^\+[^+]}}
// CHECK: {{^}} __global__ void rows
// CHECK: +{{.*}}cattGroup
// CHECK: {{^}}   y[i] = tree(A, x, i, n);
// CHECK: +{{.*}}__syncthreads();

constexpr int N = 4096;

__device__ float tree(const float *A, const float *x, int i, int depth) {
  float sum = 0.0f;
  for (int j = 0; j < N; ++j)
    sum += A[i * N + j] * x[j];
  return depth ? sum + tree(A, x, i + 1, depth - 1) : sum;
}

__global__ void rows(const float *A, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = tree(A, x, i, n);
}

void run(const float *A, const float *x, float *y, int n) {
  rows<<<1056, 256>>>(A, x, y, n);
}
