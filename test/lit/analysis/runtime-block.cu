// RUN: %exact %throttles --l1d=28 %s 2>&1 >/dev/null | FileCheck %s
// The block size is a variable of the host: the kernel decides by its own.

// RUN: not %exact %throttles --l1d=28 --diff %s 2>/dev/null | FileCheck --check-prefix=TEXT %s
// RUN: rm -rf %t && mkdir %t && cp %s %t/a.cu && %exact %throttles --l1d=28 -i --quiet %t/a.cu
// RUN: %exact %throttles --l1d=28 --diff --quiet %t/a.cu
// RUN: %exact --revert -i --quiet %t/a.cu && cmp %s %t/a.cu
// CHECK: remark: loop over j: {{.*}}: split into {{[0-9]+}} warp groups
// CHECK: note: decided at run time: from blockDim.x = {{[0-9]+}} on, where gridDim.x * blockDim.x >= 270336, {{.*}}
// TEXT: blockDim.x >= {{[0-9]+}}
// TEXT: gridDim.x * blockDim.x >= 270336

__global__ void rows(const float *A, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 4096; ++j)
    y[i] += A[i * 4096 + j] * x[j];
}

void run(const float *A, const float *x, float *y, int block) {
  rows<<<(270336 + block - 1) / block, block>>>(A, x, y);
}
