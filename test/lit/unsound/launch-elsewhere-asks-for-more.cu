// RUN: rm -rf %t && mkdir %t && cp %s %t/a.cu
// RUN: %exact --force=rows:j=1,2 -i --quiet %t/a.cu
// RUN: grep -v CHECK %t/a.cu | FileCheck %s
// RUN: not %exact --force=rows:j=1,2 --diff --quiet %t/a.cu 2>&1 | FileCheck --check-prefix=TWICE %s
// RUN: %exact --revert -i --quiet %t/a.cu && cmp %s %t/a.cu
// TWICE: no blocks of kernel 'rows' can be taken away: it was rewritten before
// No static array where another file may launch with 40,000 bytes.

// CHECK-NOT: __shared__ char
// CHECK: rows<<<1056, 256, {{.*}}cattShared(rows, 

__global__ void rows(const float *A, float *y, int n) {
  extern __shared__ float tile[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < 256; ++j) {
    sum += A[i % 512 * 256 + j] * A[j];
    __syncthreads();
  }
  tile[threadIdx.x] = sum;
  y[i] = tile[threadIdx.x];
}

void small(const float *A, float *y, int n) {
  rows<<<1056, 256, 1024>>>(A, y, n);
}
extern void big(const float *A, float *y, int n, size_t bytes);
