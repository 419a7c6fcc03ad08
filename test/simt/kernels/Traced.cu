// Kernels whose lines TraceTest.cpp counts by hand.
#include <cuda_runtime.h>

// Lane t walks through row t: 32 lines a warp and iteration when N >= 32.
__global__ void rows(const float *A, float *Out, int N) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  float Sum = 0;
  for (int J = 0; J < N; ++J)
    Sum += A[I * N + J]; // ROWS
  Out[I] = Sum;
}

__device__ float inner(const float *A, int N) {
  float Sum = 0;
  for (int K = 0; K < N; ++K)
    Sum += A[K]; // INNER
  return Sum;
}
__global__ void nested(const float *A, float *Out, int N, int M) {
  float Sum = 0;
  for (int I = 0; I < N; ++I) { // OUTER
    if (I % 2 == threadIdx.x % 2)
      continue;
    Sum += inner(A + I * M, M);
  }
  int J = 0;
  do { // WHILE
    Sum += A[J];
    if (J == 5)
      break;
  } while (++J < N);
  Out[threadIdx.x] = Sum;
}

// Every warp reads its own 4 KiB again and again.
__global__ void reuse(const float *A, float *Out, int Rounds) {
  int W = (blockIdx.x * blockDim.x + threadIdx.x) / 32, L = threadIdx.x % 32;
  float Sum = 0;
  for (int R = 0; R < Rounds; ++R)
    for (int I = 0; I < 32; ++I)
      Sum += A[W * 1024 + I * 32 + L];
  Out[blockIdx.x * blockDim.x + threadIdx.x] = Sum;
}

__global__ void wide(const float4 *A, double *B, char *C) {
  float4 V = A[threadIdx.x];
  B[threadIdx.x] = V.x;
  atomicAdd(reinterpret_cast<int *>(C) + threadIdx.x * 64, 1);
}
