// Arithmetic of cuda_fp16.h and cuda_bf16.h, which rounds to nearest once.
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void halves(const __half *A, float *Out, __half *Sum) {
  __half S = __float2half(0.f);
  for (int I = 0; I < 4; ++I)
    S += A[I] * A[I + 1];
  Out[0] = __half2float(S);
  // 1 + 2^-11 lies between two halves, and so does its square.
  Out[1] = __hmul(__float2half(1.0009765625f), __float2half(1.0009765625f));
  Out[2] = __hfma(__float2half(2048.f), __float2half(1.f), __float2half(1.f));
  Out[3] = __hadd_sat(A[3], A[3]);
  Out[4] = float(__hmax(A[0], A[1])) + float(-A[2]);
  const __half2 P = __hfma2(__halves2half2(A[0], A[1]), __float2half2_rn(2.f),
                            __halves2half2(A[2], A[3]));
  const float2 F = __half22float2(P);
  Out[5] = F.x * 100 + F.y;
  Out[6] = __shfl_xor_sync(0xffffffff, __float2half(float(threadIdx.x)), 1);
  atomicAdd(Sum, __float2half(1.f));
}

__global__ void brains(const float *A, float *Out) {
  __nv_bfloat16 S = __float2bfloat16(A[0]);
  Out[0] = __bfloat162float(S); // 1 + 2^-8: a tie, to even
  Out[1] = __bfloat162float(__float2bfloat16(A[1]));
  Out[2] = float(__nv_bfloat16(1.0 + 1.0 / 256 + 1e-12)); // a little above it
  S = S + __float2bfloat16(256.f);
  Out[3] = S;
  Out[4] = float(__float2bfloat16(A[2])) != float(__float2bfloat16(A[2]));
}

template <class T> T *managed(int N) {
  T *P;
  cudaMallocManaged(&P, N * sizeof(T));
  return P;
}

int main() {
  __half *A = managed<__half>(5), *Sum = managed<__half>(1);
  float *B = managed<float>(3), *Out = managed<float>(8);
  for (int I = 0; I < 5; ++I)
    A[I] = __float2half(I + 0.5f);
  *Sum = __float2half(0.f);
  halves<<<1, 32>>>(A, Out, Sum);
  cudaDeviceSynchronize();
  printf("%g %.10g %g %g %g %g, all %g\n", Out[0], Out[1], Out[2], Out[3],
         Out[4], Out[5], __half2float(*Sum));
  B[0] = 1 + 1.f / 256, B[1] = 1 + 3.f / 256, B[2] = __builtin_nanf("");
  brains<<<1, 1>>>(B, Out);
  cudaDeviceSynchronize();
  printf("%.10g %.10g %.10g %g %g\n", Out[0], Out[1], Out[2], Out[3], Out[4]);
}
