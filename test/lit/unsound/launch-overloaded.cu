// RUN: rm -rf %t && mkdir %t && cp %s %t/a.cu
// RUN: %exact --transforms=prefer-l1 --min-gain=5 -i --quiet %t/a.cu
// RUN: grep -v CHECK %t/a.cu | FileCheck %s
// RUN: %exact --transforms=prefer-l1 --min-gain=5 --diff --quiet %t/a.cu
// RUN: %exact --revert -i --quiet %t/a.cu && cmp %s %t/a.cu
// Which of two kernels is meant is said by a cast.

// CHECK: cattPreferL1(static_cast<void (*)(const float *, float *, int)>(over), 0, 
// CHECK: cattPreferL1(static_cast<void (*)(const double *, double *, int)>(over), 0, 

__global__ void __launch_bounds__(128, 16)
    over(const float *A, float *y, int n) {
  __shared__ float tile[768];
  tile[threadIdx.x % 32] = 1;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 4096; ++j)
    y[i * 6] += A[i / 2 * 4096 + j] * A[j];
}
__global__ void __launch_bounds__(128, 16)
    over(const double *A, double *y, int n) {
  __shared__ float tile[768];
  tile[threadIdx.x % 32] = 1;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 4096; ++j)
    y[i * 3] += A[i / 2 * 4096 + j] * A[j];
}

void run(float *A, float *y) {
  over<<<3000, 128>>>(A, y, 1);
  over<<<3000, 128>>>((double *)A, (double *)y, 1);
}
