// RUN: %exact --diff %s 2>&1 | FileCheck --allow-empty %s
// A carve-out is asked for where a loop gains by it: neither where no loop is
// contended, nor where the reserve that it was planned with is refused.

// CHECK-NOT: {{^\+}}
// CHECK-NOT: [prefer-l1]

// No loop is contended.
__global__ void smooth(const float *x, float *y) {
  __shared__ float tile[1024];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = x[i];
  __syncthreads();
  for (int j = 0; j < 16; ++j)
    y[i] += tile[(threadIdx.x + j) % 256];
}

// Fewer blocks would help, but the launch stands in a macro.
__global__ void waits(const float *A, float *y) {
  __shared__ float tile[1024];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < 4096; ++j) {
    sum += A[i * 4096 + j] * A[j];
    __syncthreads();
  }
  tile[threadIdx.x] = sum;
  y[i] = tile[threadIdx.x];
}
#define LAUNCH(kernel) kernel<<<1056, 256>>>

void run(const float *A, float *y) {
  smooth<<<1056, 256>>>(A, y);
  LAUNCH(waits)(A, y);
}
