// What the language allows around kernels and launches; checks itself.
#include <algorithm>
#include <cmath>
#include <cuda_runtime.h>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

static int Failures = 0;
static void check(bool Right, const char *What) {
  if (!Right)
    std::cout << "wrong: " << What << "\n";
  Failures += !Right;
}

namespace outer {
namespace {
template <typename T, int Size = 64>
__global__ void __launch_bounds__(Size)
    tiles(T *__restrict__ A, const T *__restrict__ B, size_t N) {
  __shared__ T Tile[4][Size + 1];
  volatile __shared__ int Flag;
  __shared__ struct {
    int A;
    float B[3];
  } Record;
  if (threadIdx.x == 0) {
    Flag = 3;
    Record.A = 1;
    Record.B[2] = 4;
  }
  Tile[1][threadIdx.x] = B[threadIdx.x];
  __syncthreads();
  switch (threadIdx.x % 3) {
  case 0:
    A[threadIdx.x] = Tile[1][Size - 1 - threadIdx.x];
    break;
  case 1:
    A[threadIdx.x] = Flag;
    break;
  default:
    A[threadIdx.x] = Record.B[2] + Record.A;
  }
}
} // namespace
template <class T> void launchTiles(T *A, const T *B, size_t N) {
  tiles<T><<<1, 64>>>(A, B, N);
}
} // namespace outer

template <class F> __global__ void apply(float *A, F Function, int N) {
  for (int I = blockIdx.x * blockDim.x + threadIdx.x; I < N;
       I += gridDim.x * blockDim.x)
    A[I] = Function(A[I]);
}
struct Times {
  float Factor;
  __device__ float operator()(float X) const { return X * Factor; }
};
__global__ void addOne(float *A, int N) {
  if (threadIdx.x < N)
    A[threadIdx.x] += 1;
}
typedef void (*KernelPointer)(float *, int);
#define RUN(Kernel, ...)                                                       \
  do {                                                                         \
    Kernel<<<dim3(1), dim3(32)>>>(__VA_ARGS__);                                \
  } while (0)

union Pun {
  int I;
  float F;
};
struct Bits {
  unsigned A : 5, B : 11;
};
__global__ void mixture(int *Out, Bits *B, double *D) {
  Pun P;
  P.F = 1;
  Out[0] = P.I;
  B->B = 77;
  B->A = 3;
  Out[1] = B->A + B->B;
  D[0] = pow(2.0, 10) + exp(0.0) + fabs(-3.0) + fmod(7.0, 4.0) + cbrt(27.0);
  int I = 0;
again:
  if (I < 5) {
    ++I;
    goto again;
  }
  Out[2] = I + std::max(I, 2) + std::abs(-2) + int(std::sqrt(16.0f));
  Out[3] = __popc(0xff) + __clz(1) + __ffs(8);
  int4 W = {1, 2, 3, 4};
  Out[4] = W.w + make_uchar4(1, 2, 3, 4).z;
  float S, C;
  sincosf(1, &S, &C);
  D[1] = S * S + C * C;
}

static void launches(float *A) {
  for (int I = 0; I < 64; ++I)
    A[I] = I;
  float Scale = 3;
  cudaStream_t Stream;
  cudaStreamCreate(&Stream);
  apply<<<2, 32, 0, Stream>>>(
      A, [=] __device__(float X) { return X * Scale + 1; }, 64);
  apply<<<2, 32>>>(A, Times{2}, 64);
  apply<<<2, 32>>>(A, [] __host__ __device__(float X) { return -X; }, 64);
  KernelPointer Pointer = addOne;
  Pointer<<<1, 32>>>(A, 10);
  auto Other = &addOne;
  (*Other)<<<1, 32>>>(A, 10);
  RUN(addOne, A, 5);
  int N = 4;
  void *Args[] = {&A, &N};
  cudaLaunchKernel((const void *)Pointer, 1, 32, Args, 0, Stream);
  for (int I = 0; I < 64; ++I)
    check(A[I] == -(I * 3 + 1) * 2 + 2 * (I < 10) + (I < 5) + (I < 4), "A");
}

int main() {
  float *A = nullptr, *B = nullptr;
  cudaMallocManaged(&A, 64 * sizeof(float));
  cudaMallocManaged(&B, 64 * sizeof(float));
  for (int I = 0; I < 64; ++I)
    B[I] = I;
  outer::launchTiles(A, B, 64);
  for (int I = 0; I < 64; ++I)
    check(A[I] == (I % 3 == 0 ? 63 - I : I % 3 == 1 ? 3 : 5), "tiles");
  launches(A);
  int *Out;
  Bits *Flags;
  double *D;
  cudaMallocManaged(&Out, 5 * sizeof(int));
  cudaMallocManaged(&Flags, sizeof(Bits));
  cudaMallocManaged(&D, 2 * sizeof(double));
  mixture<<<1, 1>>>(Out, Flags, D);
  check(cudaDeviceSynchronize() == cudaSuccess, "status");
  const int Expected[] = {0x3f800000, 80, 16, 43, 7};
  check(std::equal(Out, Out + 5, Expected), "mixture");
  check(D[0] == 1034 && std::fabs(D[1] - 1) < 1e-6, "math");
  std::cout << "language: " << Failures << " failures\n";
  return Failures != 0;
}
