// A program that uses much of the runtime API and checks itself.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

static int Failures = 0;
#define CHECK(Condition)                                                       \
  do {                                                                         \
    if (!(Condition)) {                                                        \
      std::printf("line %d: %s\n", __LINE__, #Condition);                      \
      ++Failures;                                                              \
    }                                                                          \
  } while (0)
#define OK(Call) CHECK((Call) == cudaSuccess)

__constant__ float Scale;
__device__ int Counter;
static __device__ int Hidden[4] = {1, 2, 3, 4};

__host__ __device__ int side() {
#ifdef __CUDA_ARCH__
  static_assert(__CUDA_ARCH__ >= 500, "the device view has an architecture");
  return 1;
#else
  return 2;
#endif
}

template <class T> __global__ void scale(T *A, int N) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    A[I] = A[I] * Scale + Hidden[I % 4];
  if (I == 0)
    Counter += side();
}
__global__ void __launch_bounds__(64, 2) bounded(int *A) { A[threadIdx.x] = 1; }
__global__ void dynamic(int *A, int Last) {
  extern __shared__ int S[];
  S[Last] = 5;
  A[0] = S[Last];
}
__global__ void both(int *A, int Last) {
  extern __shared__ int S[];
  __shared__ int Own[32];
  Own[threadIdx.x] = S[Last] = 6;
  A[0] = S[Last] + Own[0];
}
namespace {
__global__ void local(int *A) { A[threadIdx.x] = threadIdx.x; }
} // namespace
struct View {
  int *Data;
  int N;
};
__global__ void fill(View V) {
  for (int I = threadIdx.x; I < V.N; I += blockDim.x)
    V.Data[I] = I;
}
#define LAUNCH(Kernel, Grid, Block, ...) Kernel<<<Grid, Block>>>(__VA_ARGS__)

static void memory() {
  const int N = 100;
  std::vector<float> H(N, 2.0f);
  float *D = nullptr;
  OK(cudaMalloc(&D, N * sizeof(float)));
  CHECK(reinterpret_cast<size_t>(D) % 256 == 0);
  OK(cudaMemcpy(D, H.data(), N * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(D, H.data(), N * sizeof(float) + 1,
                   cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaSuccess);
  float S = 10;
  OK(cudaMemcpyToSymbol(Scale, &S, sizeof S));
  cudaEvent_t Start, Stop;
  OK(cudaEventCreate(&Start));
  OK(cudaEventCreate(&Stop));
  OK(cudaEventRecord(Start));
  scale<<<(N + 31) / 32, 32>>>(D, N);
  LAUNCH(scale<float>, dim3(4), dim3(32, 1), D, N);
  OK(cudaEventRecord(Stop));
  OK(cudaEventSynchronize(Stop));
  float Ms = -1;
  OK(cudaEventElapsedTime(&Ms, Start, Stop));
  CHECK(Ms >= 0);
  OK(cudaDeviceSynchronize());
  OK(cudaMemcpy(H.data(), D, N * sizeof(float), cudaMemcpyDeviceToHost));
  for (int I = 0; I < N; ++I)
    CHECK(H[I] == (20 + I % 4 + 1) * 10 + I % 4 + 1);
  int C = 0;
  OK(cudaMemcpyFromSymbol(&C, Counter, sizeof C));
  CHECK(C == 2);
  CHECK(side() == 2);
  OK(cudaFree(D));
  CHECK(cudaFree(D) == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  OK(cudaFree(nullptr));
}

static void launches() {
  int *A = nullptr;
  OK(cudaMallocManaged(&A, 128 * sizeof(int)));
  std::memset(A, 0, 128 * sizeof(int));
  bounded<<<1, 64>>>(A);
  OK(cudaGetLastError());
  bounded<<<1, 65>>>(A); // more than its bounds allow
  CHECK(cudaGetLastError() != cudaSuccess);
  CHECK(A[63] == 1 && A[64] == 0);
  local<<<1, 1025>>>(A);
  CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
  local<<<0, 32>>>(A);
  CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
  local<<<1, 32>>>(A);
  OK(cudaGetLastError());
  CHECK(A[31] == 31);
  size_t Much = 100 * 1024;
  dynamic<<<1, 1, Much>>>(A, Much / 4 - 1); // needs the attribute first
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  OK(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize,
                          Much));
  dynamic<<<1, 1, Much>>>(A, Much / 4 - 1);
  OK(cudaGetLastError());
  CHECK(A[0] == 5);
  CHECK(cudaFuncSetAttribute(dynamic,
                             cudaFuncAttributeMaxDynamicSharedMemorySize,
                             1 << 20) == cudaErrorInvalidValue);
  cudaGetLastError();
  size_t Usual = 48 * 1024; // the static part counts until the attribute is set
  both<<<1, 1, Usual>>>(A, Usual / 4 - 1);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  both<<<1, 1, Usual - 128>>>(A, 0);
  OK(cudaGetLastError());
  OK(cudaFuncSetAttribute(both, cudaFuncAttributeMaxDynamicSharedMemorySize,
                          Usual));
  both<<<1, 1, Usual>>>(A, Usual / 4 - 1);
  OK(cudaGetLastError());
  CHECK(A[0] == 12);
  OK(cudaFuncSetAttribute(local, cudaFuncAttributePreferredSharedMemoryCarveout,
                          cudaSharedmemCarveoutMaxL1));
  View V = {A, 100};
  fill<<<1, 32>>>(V);
  CHECK(A[99] == 99 && A[100] == 0);
  View W = {A + 1, 7};
  void *Args[] = {&W};
  OK(cudaLaunchKernel((void *)fill, dim3(1), dim3(32), Args, 0, 0));
  CHECK(A[1] == 0 && A[7] == 6 && A[8] == 8);
  OK(cudaFree(A));
}

int main(int argc, char **argv) {
  cudaDeviceProp P;
  OK(cudaGetDeviceProperties(&P, 0));
  CHECK(P.warpSize == 32 && P.major >= 5);
  CHECK(cudaSetDevice(3) == cudaErrorInvalidDevice);
  cudaGetLastError();
  memory();
  launches();
  std::printf("host API: %d failures, %d arguments\n", Failures, argc - 1);
  return Failures != 0;
}
