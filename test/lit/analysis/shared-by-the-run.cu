// RUN: %exact --l1d=64 --force=rows:j=1,4 %s 2>/dev/null | FileCheck %s
// RUN: not %exact --l1d=64 --diff %s 2>/dev/null | FileCheck --check-prefix=OWN %s
// The run knows the shared memory: what is added ends where a launch would
// fail that succeeded without it.

// CHECK: cudaDevAttrMaxSharedMemoryPerBlockOptin
// CHECK: rows<<<132 * 8, 256, {{.*}}cattShared(rows, {{.*}}shm

// OWN-NOT: {{^\+.*}}rows<<<{{.*}}(shm) +

#include <cstdlib>
#include <cuda_runtime.h>
__global__ void rows(const float *A, const float *x, float *y, int n) {
  extern __shared__ float s[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = 0;
  if (i < n) {
    for (int j = 0; j < 4096; ++j)
      y[i] += A[i * 4096 + j] * x[j];
  }
}

void run(const float *A, const float *x, float *y, int n, size_t shm) {
  cudaFuncSetAttribute(rows, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       (int)shm);
  rows<<<132 * 8, 256, shm>>>(A, x, y, n);
}
