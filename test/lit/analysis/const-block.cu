// RUN: %catt --report=text %s | FileCheck %s
// A block that is a constant at file scope is known.

// CHECK: launched as <<<Grid, Block>>>: blocks of 256, grid of 1056:

constexpr int N = 4096;
const dim3 Grid(1056), Block(256);

__global__ void rows(const float *A, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int j = 0; j < N; ++j)
    sum += A[i * N + j] * x[j];
  y[i] = sum;
}

void run(const float *A, const float *x, float *y) {
  rows<<<Grid, Block>>>(A, x, y);
}
