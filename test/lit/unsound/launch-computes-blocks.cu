// RUN: %eager --transforms=prefer-l1 %s 2>/dev/null | FileCheck %s
// What CUDA's own functions compute among a launch's arguments selects no
// device.

// CHECK: {{^ +}}rows<<<min(blocks, 3000), 128{{.*}}cattPreferL1(rows,
__global__ void rows(const float *A, float *y) {
  __shared__ float tile[768];
  tile[threadIdx.x % 32] = 1;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 4096; ++j)
    y[i * 6] += A[i / 2 * 4096 + j] * A[j];
}

void run(float *A, float *y, int blocks) {
  for (; blocks > 0; blocks -= 3000)
    rows<<<min(blocks, 3000), 128>>>(A, y);
}
