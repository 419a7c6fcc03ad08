// RUN: %exact --config=none %s 2>&1 >/dev/null | FileCheck %s
// What a host function with an error says of a launch is not believed: the
// block size may have been set by what is missing.
// CHECK: error: use of undeclared identifier 'choose'
// CHECK: remark: kernel 'rows': {{.*}} [unknown-launch]
// CHECK-NOT: split into

__global__ void rows(const float *A, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int j = 0; j < 4096; ++j)
    sum += A[i * 4096 + j] * x[j];
  y[i] = sum + threadIdx.y;
}

void run(const float *A, const float *x, float *y) {
  dim3 block(256, 2);
  choose(block);
  rows<<<1056, block>>>(A, x, y);
}
