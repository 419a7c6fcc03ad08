// RUN: %catt %s 2>&1 >/dev/null | FileCheck %s
// Nothing is known of a template that nobody uses.
// CHECK-NOT: split into
// CHECK: [not-instantiated]

constexpr int N = 4096;

template <typename T>
__global__ void rows(const T *A, const T *x, T *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    T sum = 0;
    for (int j = 0; j < N; ++j)
      sum += A[i * N + j] * x[j];
    y[i] = sum;
  }
}
