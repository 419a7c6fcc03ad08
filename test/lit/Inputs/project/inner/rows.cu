#include "size.h"
__global__ void rows(const float *A, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float sum = 0.0f;
    for (int j = 0; j < N; ++j)
      sum += A[i * N + j] * x[j];
    y[i] = sum;
  }
}
int columns() {
  rows<<<1056, 256>>>(nullptr, nullptr, nullptr, 0);
  return N;
}
