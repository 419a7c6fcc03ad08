// A product and the sum that nvcc fuses it with must not come to stand on two
// sides of a barrier. `split` may be rewritten in each case, the others not.
// RUN: split-file %s %t
// RUN: for f in variable behind memory twice scaled unrolled helper macro template; do %eager %throttles --l1d=28 %t/$f.cu >/dev/null 2>%t/out; grep -q 'left alone.*\[may-contract\]' %t/out && ! grep -q 'split into' %t/out || { echo $f; cat %t/out; exit 1; }; done
// RUN: for f in variable behind memory twice scaled unrolled helper macro template; do %eager %throttles --l1d=28 %t/$f.cu -- -ffp-contract=off >/dev/null 2>%t.err; grep -q 'split into' %t.err || { echo off $f; exit 1; }; done
// RUN: for f in inside factor summed loaded rounded; do %eager %throttles --l1d=28 %t/$f.cu >/dev/null 2>%t.err; grep -q 'split into' %t.err || { echo $f; exit 1; }; done
// RUN: %eager %throttles --l1d=28 %t/variable.cu 2>&1 >/dev/null | FileCheck %s
// CHECK: a product in 'p', which a barrier would keep from a sum

//--- variable.cu
__global__ void k(const float *A, const float *B, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float p = B[i + 2] * B[i];
  if (i < n) {
    float s = p + B[i];
    for (int j = 0; j < 4096; ++j)
      s += A[i * 4096 + j];
    y[i] = s;
  }
}
void run() { k<<<1056, 256>>>(0, 0, 0, 1056 * 256); }

//--- behind.cu
__global__ void k(const float *A, const float *B, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float q = 0;
  if (i < n) {
    float s = 0;
    for (int j = 0; j < 4096; ++j)
      s += A[i * 4096 + j];
    q = s * B[i];
  }
  y[i] = q + B[i + 1];
}
void run() { k<<<1056, 256>>>(0, 0, 0, 1056 * 256); }

//--- memory.cu
__global__ void k(const float *A, const float *B, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = B[i] * B[i + 1];
  if (i < n) {
    y[i] += B[i + 2];
    for (int j = 0; j < 4096; ++j)
      y[i + 1] += A[i * 4096 + j];
  }
}
void run() { k<<<1056, 256>>>(0, 0, 0, 1056 * 256); }

//--- twice.cu
__global__ void k(const float *A, const float *B, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = B[i], b = B[i + 1];
  if (i < n) {
    for (int j = 0; j < 4096; ++j)
      y[i] += A[i * 4096 + j];
    y[i + 1] = a * b + 1.f;
  }
  y[i + 6] = b * a + B[7];
}
void run() { k<<<1056, 256>>>(0, 0, 0, 1056 * 256); }

//--- scaled.cu
__global__ void k(const float *A, const float *B, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int j = 0; j < n; ++j)
    s += A[i * 4096 + j];
  float part = s * 0.3f;
  y[i] = part + B[i];
}
void run() { k<<<1056, 256>>>(0, 0, 0, 4096); }

//--- unrolled.cu
__global__ void k(const float *A, const float *B, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = B[i] * B[i + 1];
  for (int j = 0; j < 4096; ++j)
    s += A[i * 4096 + j];
  y[i] = s;
}
void run() { k<<<1056, 256>>>(0, 0, 0, 4096); }

//--- helper.cu
__device__ float product(float a, float b) { return a * b; }
__global__ void k(const float *A, const float *B, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float p = product(B[i + 2], B[i]);
  if (i < n) {
    float s = B[i] - p;
    for (int j = 0; j < 4096; ++j)
      s += A[i * 4096 + j];
    y[i] = s;
  }
}
void run() { k<<<1056, 256>>>(0, 0, 0, 1056 * 256); }

//--- macro.cu
#define TIMES(a, b) (a) * (b)
#define PLUS(a, b) ((a) + (b))
__global__ void k(const float *A, const float *B, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float p = -TIMES(B[i + 2], B[i]);
  const float copy = p;
  if (i < n) {
    float s = PLUS(copy, B[i]);
    for (int j = 0; j < 4096; ++j)
      s += A[i * 4096 + j];
    y[i] = s;
  }
}
void run() { k<<<1056, 256>>>(0, 0, 0, 1056 * 256); }

//--- template.cu
template <class T>
__global__ void k(const T *A, const T *B, T *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  T p = B[i + 2] * B[i];
  if (i < n) {
    T s = p + B[i];
    for (int j = 0; j < 4096; ++j)
      s += A[i * 4096 + j];
    y[i] = s;
  }
}
void run() { k<float><<<1056, 256>>>(0, 0, 0, 1056 * 256); }

//--- inside.cu
__global__ void k(const float *A, const float *B, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float s = B[i + 2] * B[i] + B[i];
    for (int j = 0; j < 4096; ++j)
      s += A[i * 4096 + j] * B[j];
    y[i] = s * 2.f + 1.f;
  }
}
void run() { k<<<1056, 256>>>(0, 0, 0, 1056 * 256); }

//--- factor.cu
__global__ void k(const float *A, const float *B, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float p = B[i + 2] * B[i];
  if (i < n) {
    float s = 0;
    for (int j = 0; j < 4096; ++j)
      s += A[i * 4096 + j] * p;
    y[i] = s;
  }
}
void run() { k<<<1056, 256>>>(0, 0, 0, 1056 * 256); }

//--- summed.cu
__global__ void k(const float *A, const float *B, float *y, float a, float b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int j = 0; j < 4096; ++j)
    s += A[i * 4096 + j] * B[j];
  y[i] = a * s + b * y[i];
}
void run() { k<<<1056, 256>>>(0, 0, 0, 1, 2); }

//--- loaded.cu
__global__ void k(const float *A, const float *B, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float p = B[i], q = __ldg(&B[i + 1]);
  if (i < n) {
    float s = p + q;
    for (int j = 0; j < 4096; ++j)
      s += A[i * 4096 + j];
    y[i] = s;
  }
}
void run() { k<<<1056, 256>>>(0, 0, 0, 1056 * 256); }

//--- rounded.cu
__global__ void k(const float *A, const float *B, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float p = __fmul_rn(B[i + 2], B[i]);
  if (i < n) {
    float s = p + B[i];
    for (int j = 0; j < 4096; ++j)
      s += A[i * 4096 + j];
    y[i] = s;
  }
}
void run() { k<<<1056, 256>>>(0, 0, 0, 1056 * 256); }
