// RUN: %catt %s 2>&1 >/dev/null | FileCheck %s
// Blocks of a cooperative launch wait for each other.
// CHECK-NOT: split into
// CHECK: [cooperative-launch]

constexpr int N = 4096;

__global__ void rows(const float *A, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float sum = 0.0f;
    for (int j = 0; j < N; ++j)
      sum += A[i * N + j] * x[j];
    y[i] = sum;
  }
}

void run(const float *A, const float *x, float *y, int n) {
  void *arguments[] = {&A, &x, &y, &n};
  cudaLaunchCooperativeKernel((void *)rows, dim3(528), dim3(256), arguments, 0,
                              0);
}
