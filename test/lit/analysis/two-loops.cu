// RUN: %exact %throttles %s 2>&1 >/dev/null | FileCheck %s
// Each loop of a kernel gets its own factor.
// CHECK: remark: loop over j: {{.*}} with up to 65 lines each touch 512.1 KiB
// CHECK: remark: loop over k: {{.*}} with up to 129 lines each touch 1,024.1 KiB

constexpr int N = 4096;

__global__ void rows(const float *A, const float *B, const float *C, const float *D,
                     const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int j = 0; j < N; ++j)
    sum += (A[i * N + j] + B[i * N + j]) * x[j];
  y[i] = sum;
  for (int k = 0; k < N; ++k)
    sum += (A[i * N + k] + B[i * N + k] + C[i * N + k] + D[i * N + k]) * x[k];
  y[i] += sum;
}

void run(const float *A, const float *B, const float *C, const float *D,
         const float *x, float *y) {
  rows<<<1056, 256>>>(A, B, C, D, x, y);
}
