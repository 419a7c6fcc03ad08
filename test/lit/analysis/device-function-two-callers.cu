// RUN: not %catt --diff %s 2>/dev/null | FileCheck %s
// A change of the function would change both kernels: the statements of the one
// that contends are wrapped.
// CHECK-NOT: {{^\+[^+]}}
// CHECK: {{^}} __global__ void rows
// CHECK: +{{.*}}cattGroup
// CHECK: {{^}}   float sum = dot(A + i * N, x);
// CHECK: {{^}}   y[i] = sum;
// CHECK: +{{.*}}__syncthreads();
// CHECK-NOT: __syncthreads();

constexpr int N = 4096;

__device__ float dot(const float *row, const float *x) {
  float sum = 0.0f;
  for (int j = 0; j < N; ++j)
    sum += row[j] * x[j];
  return sum;
}

__global__ void rows(const float *A, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = dot(A + i * N, x);
  y[i] = sum;
}

__global__ void columns(const float *A, const float *x, float *y) {
  float sum = dot(A, x);
  y[threadIdx.x] = sum;
}

void run(const float *A, const float *x, float *y, int n) {
  rows<<<1056, 256>>>(A, x, y, n);
  columns<<<1, 32>>>(A, x, y);
}
