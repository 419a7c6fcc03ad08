// RUN: rm -rf %t && mkdir %t && cp %s %t/a.cu
// RUN: %eager --transforms=prefer-l1 -i --quiet %t/a.cu
// RUN: grep -v CHECK %t/a.cu | FileCheck %s
// RUN: %eager --transforms=prefer-l1 --diff --quiet %t/a.cu
// RUN: %eager --revert -i --quiet %t/a.cu && cmp %s %t/a.cu
// The device is selected in the expression that launches.

// CHECK: cudaSetDevice(d), rows<<<3000, 128{{.*}} , cattPreferL1(rows, 0, 
// CHECK: {{^}}    rows<<<3000, 128{{.*}} , cattPreferL1(rows, 0, 

#include <cuda_runtime.h>
__global__ void rows(const float *A, float *y, int n) {
  __shared__ float tile[768];
  tile[threadIdx.x % 32] = 1;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 4096; ++j)
    y[i * 6] += A[i / 2 * 4096 + j] * A[j];
}

void run(float **A, float **y, int gpus) {
  for (int d = 0; d < gpus; ++d)
    cudaSetDevice(d), rows<<<3000, 128>>>(A[d], y[d], 3);
  if (cudaSetDevice(1) == cudaSuccess)
    rows<<<3000, 128>>>(A[1], y[1], 3);
}
