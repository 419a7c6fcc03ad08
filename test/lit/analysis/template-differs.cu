// RUN: %catt %s 2>&1 >/dev/null | FileCheck %s
// One instantiation walks rows, the other columns: one text cannot serve both.
// CHECK-NOT: split into
// CHECK: [instantiations-differ]

constexpr int N = 4096;

template <int Row, int Step>
__global__ void walk(const float *A, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int j = 0; j < N; ++j)
    sum += A[i * Row + j * Step] * x[j];
  y[i] = sum;
}

void run(const float *A, const float *x, float *y) {
  walk<N, 1><<<1056, 256>>>(A, x, y);
  walk<1, N><<<1056, 256>>>(A, x, y);
}
