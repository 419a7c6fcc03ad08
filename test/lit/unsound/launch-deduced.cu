// RUN: rm -rf %t && mkdir %t && cp %s %t/a.cu
// RUN: %eager --transforms=prefer-l1 -i --quiet %t/a.cu
// RUN: grep -v CHECK %t/a.cu | FileCheck %s
// RUN: %eager --transforms=prefer-l1 --diff --quiet %t/a.cu
// RUN: %eager --revert -i --quiet %t/a.cu && cmp %s %t/a.cu
// The template arguments that a launch deduces are written.

// CHECK: cattPreferL1(::rows<float, 1, int, float>, 0, 

template <class T, int U = 1, class... R>
__global__ void rows(const T *A, T *y, int n, R... rest) {
  __shared__ float tile[768];
  tile[threadIdx.x % 32] = 1;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 4096; ++j)
    y[i * 6] += A[i / 2 * 4096 + j] * A[j];
}

void run(float *A, float *y) {
  rows<<<3000, 128>>>(A, y, 1, 2, 3.0f);
}
