// RUN: %catt %s 2>&1 >/dev/null | FileCheck %s
// Both instantiations want the same edit.
// CHECK: remark: loop over j: {{.*}}: split into 2 warp groups
// CHECK: note: in 'rows<{{float|double}}>'
// CHECK: 2 kernels, 1 loop beyond L1D

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

void run(const float *A, const float *x, float *y, const double *B,
         const double *u, double *v, int n) {
  rows<float><<<1056, 256>>>(A, x, y, n);
  rows<<<1056, 256>>>(B, u, v, n);
}
