// RUN: %catt %s 2>&1 >/dev/null | FileCheck %s
// References and copies of indices are looked through.
// CHECK: remark: loop over j: {{.*}}: split into 2 warp groups [split-warp-groups]

constexpr int N = 4096;

__global__ void rows(const float *A, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int &row = i;
  const float *__restrict__ a = A;
  int base = row * N;
  float sum = 0.0f;
  for (int j = 0; j < N; ++j) {
    const float &value = a[base + j];
    sum += value * x[j];
  }
  y[i] = sum;
}

void run(const float *A, const float *x, float *y, int n) {
  rows<<<1056, 256>>>(A, x, y, n);
}
