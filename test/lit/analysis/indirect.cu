// RUN: %exact %s 2>&1 >/dev/null | FileCheck %s
// What loaded data decides is never a reason to throttle.

// RUN: %exact --report=text %s | FileCheck --check-prefix=ALL %s
// CHECK-NOT: remark:
// CHECK: nothing to change
// ALL: remark: loop over j: {{.*}} [{{irregular|fits}}]

constexpr int N = 4096;

__global__ void rows(const float *A, const int *column, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int j = 0; j < N; ++j)
    sum += A[column[j] * N + column[i]];
  y[i] = sum;
}

void run(const float *A, const int *column, float *y) {
  rows<<<1056, 256>>>(A, column, y);
}
