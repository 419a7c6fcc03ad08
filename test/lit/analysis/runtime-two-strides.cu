// RUN: %exact %throttles --l1d=100 %s 2>&1 >/dev/null | FileCheck %s
// Two strides that only the run knows: the kernel tests both.

// RUN: not %exact %throttles --l1d=100 --diff %s 2>/dev/null | FileCheck --check-prefix=TEXT %s
// CHECK: remark: loop over j: {{.*}}: split into {{[0-9]+}} warp groups
// CHECK: note: decided at run time: from n = {{[0-9]+}} on, where m >= {{[0-9]+}},
// TEXT: n >= {{[0-9]+}} && m >= {{[0-9]+}}

__global__ void rows(const float *A, const float *B, float *y, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 1024; ++j)
    y[i] += A[i * n + j] * B[i * m + j];
}

void run(const float *A, const float *B, float *y, int n, int m) {
  rows<<<1056, 256>>>(A, B, y, n, m);
}
