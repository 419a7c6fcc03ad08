// A block of two dimensions that only the run knows: what is decided for a
// number of threads holds for blocks of 8 to 64 columns.
//
// RUN: not %exact --l1d=28 --diff %s 2>/dev/null | FileCheck %s
// RUN: rm -rf %t && mkdir %t && cp %s %t/a.cu && %exact --l1d=28 -i --quiet %t/a.cu
// RUN: %exact --l1d=28 --diff --quiet %t/a.cu
// RUN: %exact --revert -i --quiet %t/a.cu && cmp %s %t/a.cu
//
// CHECK: unsigned {{cattT}}hreads = 1024;
// CHECK-NEXT: if (blockDim.x * blockDim.y >= {{[0-9]+}} && n >= {{[0-9]+}} &&
// CHECK-NEXT: gridDim.x * gridDim.y * gridDim.z * blockDim.x * blockDim.y >= 270336)
// CHECK-NEXT: {{cattT}}hreads = (blockDim.x * blockDim.y * blockDim.z + {{[0-9]+}}) / {{[0-9]+}} * 32;

__global__ void product(const float *A, const float *x, float *C, int n) {
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 4096; ++k)
    C[i * 1024 + j] += A[(i * 1024 + j) * n + k] * x[k];
}

void run(const float *A, const float *x, float *C, int n, dim3 grid,
         dim3 block) {
  product<<<grid, block>>>(A, x, C, n);
}
