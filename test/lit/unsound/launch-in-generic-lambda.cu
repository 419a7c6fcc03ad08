// RUN: rm -rf %t && mkdir %t && cp %s %t/a.cu
// RUN: %eager --l1d=48 --transforms=reserve-shared,prefer-l1 -i --quiet %t/a.cu
// RUN: grep -v CHECK %t/a.cu | FileCheck %s
// RUN: %eager --l1d=48 --transforms=reserve-shared,prefer-l1 --diff --quiet %t/a.cu
// RUN: %eager --revert -i --quiet %t/a.cu && cmp %s %t/a.cu
// Each call of the lambda asks for its own bytes.

// CHECK: rows<<<1056, 256, {{.*}}cattShared(rows, {{.*}} bytes 

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

void run(const float *A, float *y, int n) {
  auto go = [&](auto bytes) { rows<<<1056, 256, bytes>>>(A, y, n); };
  go(1024);
  go(16384);
}
