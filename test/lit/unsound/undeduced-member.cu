// RUN: not %exact --config=none --diff %s 2>&1 | FileCheck %s
// The result of a member that does not exist, waited for in a loop.
// CHECK: error: no member named 'arrive' in 'Barrier'
// CHECK: remark: kernel 'k': the kernel has no member named 'arrive' in 'Barrier'; fix the error first [broken-code]
// CHECK-NOT: crashed

struct Barrier {
  int v;
};

__global__ void k(const float *A, float *y) {
  __shared__ Barrier bar;
  float s = 0;
  for (int j = 0; j < 64; ++j) {
    s += A[threadIdx.x * 64 + j];
    auto token = bar.arrive();
    while (!bar.wait(token)) {
    }
  }
  y[threadIdx.x] = s;
}
