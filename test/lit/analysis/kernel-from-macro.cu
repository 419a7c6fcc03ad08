// RUN: %catt %s 2>&1 >/dev/null | FileCheck %s
// A kernel that a macro writes is not edited.
// CHECK-NOT: split into
// CHECK: remark: {{.*}}KERNEL{{.*}} [in-macro]

constexpr int N = 4096;

#define KERNEL(name)                                                           \
  __global__ void name(const float *A, const float *x, float *y, int n) {      \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                             \
    if (i < n)                                                                 \
      for (int j = 0; j < N; ++j)                                              \
        y[i] += A[i * N + j] * x[j];                                           \
  }
KERNEL(rows)

void run(const float *A, const float *x, float *y, int n) {
  rows<<<1056, 256>>>(A, x, y, n);
}
