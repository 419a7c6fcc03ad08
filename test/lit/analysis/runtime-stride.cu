// RUN: %catt %s 2>&1 >/dev/null | FileCheck %s
// A stride that only the run knows is not zero and not one.

// RUN: %catt --assume=m=4096 %s 2>&1 >/dev/null | FileCheck --check-prefix=TOLD %s
// RUN: %catt --assume=m=1 %s 2>&1 >/dev/null | FileCheck --check-prefix=ONE %s
// CHECK: remark: loop over j: {{.*}}: split into 2 warp groups
// CHECK: note: decided at run time: from m = {{[1-9][0-9]*}} on, 4 warps at a time
// TOLD: remark: loop over j: {{.*}}: split into 2 warp groups
// ONE-NOT: remark:
// ONE: nothing to change

constexpr int N = 4096;

__global__ void rows(const float *A, const float *x, float *y, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int j = 0; j < N; ++j)
    sum += A[i * m + j] * x[j];
  y[i] = sum;
}

void run(const float *A, const float *x, float *y, int m) {
  rows<<<1056, 256>>>(A, x, y, m);
}
