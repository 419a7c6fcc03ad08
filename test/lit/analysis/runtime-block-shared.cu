// RUN: not %eager --gpu=h200 --transforms=prefer-l1 --diff %s 2>/dev/null | FileCheck %s
// The carve-out follows the block size of each launch.

// RUN: rm -rf %t && mkdir %t && cp %s %t/a.cu && %eager -i --quiet %t/a.cu
// RUN: %eager --diff --quiet %t/a.cu
// RUN: %eager --revert -i --quiet %t/a.cu && cmp %s %t/a.cu
// CHECK: +static size_t cattPreferL1(K *kernel, size_t bytes, int percent) {
// CHECK: cattPreferL1(rows, 0, cattThreads(block) >= {{[0-9]+}} ? {{[0-9]+}}

__global__ void __launch_bounds__(256)
    rows(const float *A, const float *x, float *y) {
  __shared__ float tile[1536];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  float sum = 0;
  for (int j = 0; j < 4096; ++j)
    sum += A[i * 4096 + j] * tile[j % 1536];
  y[i] = sum;
}

void run(const float *A, const float *x, float *y, int block) {
  rows<<<(270336 + block - 1) / block, block>>>(A, x, y);
}
