// RUN: %catt %s 2>&1 >/dev/null | FileCheck %s
// An error in host code is said and does not hide the kernel.
// CHECK: error: use of undeclared identifier 'undeclared'
// Its registers are not known, as device code comes from whole files only.
// CHECK: remark: loop over j: {{.*}}between 32 and 255 of a thread{{.*}} [registers-estimated]

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
  rows<<<1056, 256>>>(A, x, y, n);
}

int broken() { return undeclared; }
