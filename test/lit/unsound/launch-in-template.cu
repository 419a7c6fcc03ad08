// RUN: rm -rf %t && mkdir %t && cp %s %t/a.cu
// RUN: %eager --l1d=48 --transforms=reserve-shared,prefer-l1 -i --quiet %t/a.cu
// RUN: grep -v CHECK %t/a.cu | FileCheck %s
// RUN: %eager --l1d=48 --transforms=reserve-shared,prefer-l1 --diff --quiet %t/a.cu
// RUN: %eager --revert -i --quiet %t/a.cu && cmp %s %t/a.cu
// Each instantiation asks for its own bytes.

// CHECK: #endif // catt: done
// CHECK-NEXT: template <int Bytes> static void go
// CHECK-NEXT: rows<<<1056, 256, {{.*}}cattShared(rows, {{.*}} Bytes 

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

template <int Bytes> static void go(const float *A, float *y, int n) {
  rows<<<1056, 256, Bytes>>>(A, y, n);
}
void run(const float *A, float *y, int n) {
  go<1024>(A, y, n);
  go<16384>(A, y, n);
}
