// RUN: %exact --model=catt %s 2>&1 >/dev/null | FileCheck %s
// The message of a static_assert is a string without a type.
// CHECK: loop over j: {{.*}}: split into 2 warp groups [split-warp-groups]

constexpr int N = 4096;

__global__ void rows(const float *A, const float *x, float *y) {
  static_assert(N % 32 == 0, "a row is whole lines");
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < N; ++j)
    y[i] += A[i * N + j] * x[j];
}

void run(float *A, float *x, float *y) { rows<<<1056, 256>>>(A, x, y); }
