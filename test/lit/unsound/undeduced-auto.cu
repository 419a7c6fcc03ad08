// RUN: not %exact --config=none --diff %s 2>&1 | FileCheck %s
// A value whose type clang cannot deduce: the kernel is refused, and the other
// one is looked at all the same.
// CHECK: error: use of undeclared identifier 'missing'
// CHECK: remark: kernel 'broken': the kernel has use of undeclared identifier 'missing'; fix the error first [broken-code]
// CHECK-NOT: crashed
// CHECK: remark: kernel 'sound': {{.*}} [unknown-launch]
// CHECK-NOT: crashed

__global__ void broken(const float *A, float *y, int n) {
  auto t = missing();
  for (int j = 0; j < 64; ++j)
    y[threadIdx.x] += A[threadIdx.x * 64 + j] * t;
}

__global__ void sound(const float *A, float *y) {
  float sum = 0;
  for (int j = 0; j < 64; ++j)
    sum += A[threadIdx.x * 64 + j];
  y[threadIdx.x] = sum;
}
