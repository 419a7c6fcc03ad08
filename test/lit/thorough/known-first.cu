// A file with more kernels than can be counted for every block size: those
// whose launch is known do not pay for the others.
//
// RUN: %eager %throttles %s 2>&1 >/dev/null | FileCheck %s
//
// CHECK-DAG: its loops take too long to count for every block size

template <int Columns>
__global__ void anyBlock(const float *A, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < n; ++j)
    for (int k = 0; k < 512; ++k)
      y[i] += A[i * Columns + k] * x[j];
}

template <int N> void *some() {
  if constexpr (N == 0)
    return nullptr;
  else
    return some<N - 1>() ? (void *)anyBlock<100 + N> : nullptr;
}
void *all() { return some<120>(); }

__global__ void known(const float *A, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK-DAG: [[#@LINE+1]]:3: remark: loop over j: {{.*}} split into 2 warp groups
  for (int j = 0; j < 1024; ++j)
    y[i] += A[i * 1024 + j] * x[j];
}

void run(const float *A, const float *x, float *y) {
  known<<<1056, 256>>>(A, x, y);
}
