// RUN: not %exact --config=none --diff %s 2>&1 | FileCheck %s
// Errors in what a kernel reaches: a helper behind a helper, a constructor, a
// member of a class whose type is unknown.
// CHECK-DAG: kernel 'throughHelper': the kernel has 'inner', which has an error
// CHECK-DAG: kernel 'throughConstructor': the kernel has use of undeclared identifier 'absent'
// CHECK-DAG: kernel 'throughMember': the kernel has {{.*}} [broken-code]
// CHECK-DAG: kernel 'sound': {{.*}} [unknown-launch]
// CHECK-NOT: crashed

__device__ auto inner(float x) { return missing(x); }
template <class T> __device__ float outer(T x) { return inner(x); }
__global__ void throughHelper(const float *A, float *y) {
  for (int j = 0; j < 64; ++j)
    y[threadIdx.x] += outer(A[threadIdx.x * 64 + j]);
}

struct Sum {
  float v;
  __device__ Sum() { v = absent; }
};
__global__ void throughConstructor(const float *A, float *y) {
  for (int j = 0; j < 64; ++j) {
    Sum s;
    y[threadIdx.x] += A[threadIdx.x * 64 + j] + s.v;
  }
}

struct Row {
  Unknown cells[4];
  float sum;
};
__global__ void throughMember(const Row *rows, float *y) {
  for (int j = 0; j < 64; ++j)
    y[threadIdx.x] += rows[threadIdx.x * 64 + j].sum;
}

__global__ void sound(const float *A, float *y) {
  float sum = 0;
  for (int j = 0; j < 64; ++j)
    sum += A[threadIdx.x * 64 + j];
  y[threadIdx.x] = sum;
}
