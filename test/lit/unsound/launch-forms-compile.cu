// REQUIRES: nvcc
// RUN: rm -rf %t && mkdir %t && cp %s %t/a.cu
// RUN: %eager --l1d=48 --transforms=reserve-shared,prefer-l1 -i --quiet %t/a.cu
// RUN: grep -v CHECK %t/a.cu | FileCheck %s
// RUN: %nvcc -std=c++17 -Werror all-warnings -Wno-deprecated-gpu-targets -cuda %t/a.cu -o %t/a.ii
// RUN: %eager --revert -i --quiet %t/a.cu && cmp %s %t/a.cu
// nvcc accepts the calls wherever a launch may stand: behind a case, within a
// comma expression, in a template, and of a kernel that is overloaded.

// CHECK-LABEL: void inSwitch(
// CHECK: case 0:
// CHECK-NEXT: chosen<<<1056, 256, {{.*}}cattShared(chosen, {{.*}} 1024 
// CHECK-LABEL: void inComma(
// CHECK: bytes = 4096 * n, sized<<<1056, 256, {{.*}}cattShared(sized, {{.*}} bytes 
// CHECK-LABEL: void inTemplate(
// CHECK: rows<T><<<1056, 256, {{.*}}cattShared(rows<T>, {{.*}} Bytes 
// CHECK-LABEL: void ofOverloads(
// CHECK: cattShared(static_cast<void (*)(const float *, float *, int)>(over), 
// CHECK: cattShared(static_cast<void (*)(const double *, double *, int)>(over), 

template <class T> __device__ void sums(const T *A, T *y, int n, T *tile) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  T sum = 0;
  for (int j = 0; j < 256; ++j) {
    sum += A[i % 512 * 256 + j] * A[j];
    __syncthreads();
  }
  tile[threadIdx.x] = sum;
  y[i % n] = tile[threadIdx.x];
}

template <class T> __global__ void rows(const T *A, T *y, int n) {
  extern __shared__ char tile[];
  sums(A, y, n, (T *)tile);
}
__global__ void chosen(const float *A, float *y, int n) {
  extern __shared__ char tile[];
  sums(A, y, n, (float *)tile);
}
__global__ void sized(const float *A, float *y, int n) {
  extern __shared__ char tile[];
  sums(A, y, n, (float *)tile);
}
__global__ void __launch_bounds__(256, 4)
    over(const float *A, float *y, int n) {
  extern __shared__ char tile[];
  sums(A, y, n, (float *)tile);
}
__global__ void __launch_bounds__(256, 4)
    over(const double *A, double *y, int n) {
  extern __shared__ char tile[];
  sums(A, y, n, (double *)tile);
}

void inSwitch(const float *A, float *y, int n, int variant) {
  switch (variant) {
  case 0:
    chosen<<<1056, 256, 1024>>>(A, y, n);
    break;
  default:
    break;
  }
}

void inComma(const float *A, float *y, int n) {
  size_t bytes = 1024;
  bytes = 4096 * n, sized<<<1056, 256, bytes>>>(A, y, n);
}

template <class T, int Bytes>
static void inTemplate(const T *A, T *y, int n) {
  rows<T><<<1056, 256, Bytes>>>(A, y, n);
}
void instantiations(const float *A, float *y, int n) {
  inTemplate<float, 1024>(A, y, n);
  inTemplate<float, 16384>(A, y, n);
}

void ofOverloads(const float *A, float *y, const double *B, double *z, int n) {
  over<<<1056, 256, 1024>>>(A, y, n);
  over<<<1056, 256, 2048>>>(B, z, n);
}
