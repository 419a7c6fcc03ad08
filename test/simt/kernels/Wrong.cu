// Each kernel has one mistake, or is the correct twin of one that has.
// FindingsTest.cpp looks for the line that carries the mark "BAD <name>".
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda_runtime.h>

__global__ void divergentBarrier(int *A, int N) {
  if (threadIdx.x < N) {
    A[threadIdx.x] = 1;
    __syncthreads(); // BAD divergentBarrier
  }
  A[threadIdx.x] = 2;
  __syncthreads();
}
__global__ void divergentTripCount(int *A) {
  for (int I = 0; I < threadIdx.x / 32 + 1; ++I)
    __syncthreads();
  A[threadIdx.x] = 2;
  __syncthreads(); // BAD divergentTripCount
}
__global__ void barrierAfterExit(int *A, int N) {
  if (threadIdx.x >= N)
    return;
  A[threadIdx.x] = 1;
  __syncthreads(); // BAD barrierAfterExit
}

__global__ void missingLanes(int *A) {
  if (threadIdx.x < 16)
    A[threadIdx.x] = __shfl_sync(0xffffffffu, 1, 0); // BAD missingLanes
  else
    __syncthreads();
}
__global__ void waitsForNobody(int *Flag) {
  while (atomicAdd(Flag, 0) == 0) // BAD waitsForNobody
    ;
}
__global__ void notInMask(int *A) {
  A[threadIdx.x] = __ballot_sync(1u, 1); // BAD notInMask
}

__global__ void uninitialized(int *A) {
  __shared__ int S[64];
  if (threadIdx.x < 63)
    S[threadIdx.x] = 1;
  __syncthreads();
  A[threadIdx.x] = S[threadIdx.x]; // BAD uninitialized
}
__global__ void leftFromLastBlock(int *A) {
  extern __shared__ int S[];
  if (blockIdx.x == 0)
    S[threadIdx.x] = 1;
  __syncthreads();
  A[blockIdx.x * 64 + threadIdx.x] = S[threadIdx.x]; // BAD leftFromLastBlock
}

__global__ void tooFar(int *A, int N) {
  for (int I = threadIdx.x; I <= N; I += blockDim.x)
    A[I] = I; // BAD tooFar
}
__global__ void beforeBegin(const int *A, int *Out) {
  Out[threadIdx.x] = A[int(threadIdx.x) - 1]; // BAD beforeBegin
}
__global__ void nullPointer(const float4 *A, float4 *Out) {
  Out[threadIdx.x] = A[threadIdx.x]; // BAD nullPointer
}
__global__ void outsideShared(int *A) {
  __shared__ int S[32];
  S[threadIdx.x] = 1; // BAD outsideShared
  A[threadIdx.x] = S[threadIdx.x];
}
__global__ void misaligned(const char *A, float2 *Out) {
  Out[0] = *reinterpret_cast<const float2 *>(A + 4); // BAD misaligned
}
__constant__ int Coefficients[4];
__global__ void writesConstant() {
  const_cast<int *>(Coefficients)[threadIdx.x] = 1; // BAD writesConstant
}

__global__ void raceReadAfterWrite(int *A) {
  __shared__ int S[64];
  S[threadIdx.x] = threadIdx.x;         // BAD raceReadAfterWrite
  A[threadIdx.x] = S[threadIdx.x ^ 32]; // BAD raceReadAfterWrite
}
__global__ void raceWriteAfterRead(int *A) {
  __shared__ int S[64];
  S[threadIdx.x] = threadIdx.x;
  __syncthreads();
  int V = S[63 - threadIdx.x]; // BAD raceWriteAfterRead
  S[threadIdx.x] = V;          // BAD raceWriteAfterRead
  __syncthreads();
  A[threadIdx.x] = S[threadIdx.x];
}
__global__ void raceWriteWrite(int *A) {
  __shared__ int S;
  S = threadIdx.x; // BAD raceWriteWrite
  __syncthreads();
  A[threadIdx.x] = S;
}
__global__ void raceOfLanesAfterWrite(int *A) {
  __shared__ int S[64];
  S[threadIdx.x] = threadIdx.x;        // BAD raceOfLanesAfterWrite
  A[threadIdx.x] = S[threadIdx.x ^ 1]; // BAD raceOfLanesAfterWrite
}
__global__ void raceOfLanesAfterRead(int *A) {
  __shared__ int S[64];
  S[threadIdx.x] = threadIdx.x;
  __syncwarp();
  int V = S[threadIdx.x ^ 1]; // BAD raceOfLanesAfterRead
  S[threadIdx.x] = V;         // BAD raceOfLanesAfterRead
  __syncwarp();
  A[threadIdx.x] = S[threadIdx.x];
}
/// A shuffle orders no memory, and the other half has not been waited for.
__global__ void raceOfHalves(int *A) {
  __shared__ int S[64];
  S[threadIdx.x] = threadIdx.x; // BAD raceOfHalves
  __shfl_sync(0xffffffffu, 1, 0);
  __syncwarp(threadIdx.x % 32 < 16 ? 0xffffu : 0xffff0000u);
  A[threadIdx.x] = S[threadIdx.x ^ 16]; // BAD raceOfHalves
}
__global__ void raceWithAtomic(int *A) {
  __shared__ int S;
  if (threadIdx.x == 0)
    S = 0;          // BAD raceWithAtomic
  atomicAdd(&S, 1); // BAD raceWithAtomic
  __syncthreads();
  A[threadIdx.x] = S;
}

__device__ int deep(int N, volatile int *A) {
  volatile int Frame[64];
  Frame[N % 64] = A[0]; // BAD overflowsStack
  return N == 0 ? 0 : deep(N - 1, A) + Frame[N % 64];
}
__global__ void overflowsStack(int *A, int N) { A[1] = deep(N, A); }
__global__ void dividesByZero(int *A) {
  A[1] = 7 / A[0]; // BAD dividesByZero
}
__global__ void fails(int *A) {
  assert(A[threadIdx.x] == 0); // BAD fails
  A[threadIdx.x] = 1;
}

// What a loop that waits becomes when it is run group by group.
__global__ void groupWaitsForTheNext(int *Flag) {
  for (int Group = 0; Group < 2; ++Group) {
    if (threadIdx.x / 32 == 1 && Group == 1)
      atomicExch(Flag, 1);
    if (threadIdx.x / 32 == 0 && Group == 0)
      while (atomicAdd(Flag, 0) == 0) { // BAD groupWaitsForTheNext
      }
    __syncthreads();
  }
}
__global__ void tooFewAtNamedBarrier(int *A) {
  if (threadIdx.x < 32)
    asm volatile("bar.sync 1, 64;" ::: "memory"); // BAD tooFewAtNamedBarrier
  A[threadIdx.x] = 1;
}
__global__ void allBlocksMeet(int *A) {
  atomicAdd(A, 1);
  cooperative_groups::this_grid().sync(); // BAD allBlocksMeet
  if (threadIdx.x == 0)
    A[1 + blockIdx.x] = atomicAdd(A, 0);
}

// The correct twins, and what is close to wrong but is not.
__global__ void neighbouringBytes(char *A) {
  __shared__ char S[64];
  S[threadIdx.x % 2 * 32 + threadIdx.x / 2] = threadIdx.x;
  __syncthreads();
  A[threadIdx.x] = S[threadIdx.x];
}
__global__ void halvesMeet(int *A) {
  __shared__ int S;
  if (threadIdx.x < 32) {
    asm volatile("// for the others\n\tbar.sync 1, 64;" ::: "memory");
    A[threadIdx.x] = S;
    return;
  }
  if (threadIdx.x == 32)
    S = 7;
  asm volatile("bar.arrive 1, 64;" ::: "memory");
}
__global__ void waitsForAnother(int *A) {
  unsigned Number, Seen;
  asm("mov.u32 %0, %%tid.x;" : "=r"(Number));
  if (Number == 63)
    cuda::atomic_ref<int>(A[0]).store(5);
  if (Number != 0)
    return;
  do
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(Seen) : "l"(A));
  while (Seen == 0);
  A[1] = Seen;
}
__global__ void sameWarp(int *A) {
  __shared__ int S[64];
  S[threadIdx.x] = threadIdx.x;
  __syncwarp();
  A[threadIdx.x] = S[threadIdx.x ^ 1];
}
/// What lane 0 writes comes to lane 3 by two steps; all store one byte at once.
__global__ void lanesMeet(int *A) {
  __shared__ int S[64], Same[2];
  unsigned L = threadIdx.x % 32, First = threadIdx.x - L;
  S[threadIdx.x] = threadIdx.x;
  Same[threadIdx.x / 32] = 7;
  if (L < 2)
    __syncwarp(0x3);
  if (L >= 1 && L < 4)
    __syncwarp(0xe);
  if (L == 3)
    A[threadIdx.x] = S[First];
  __syncwarp();
  A[threadIdx.x] += Same[threadIdx.x / 32];
}
__global__ void uniformBarriers(int *A, int N) {
  __shared__ int S[64];
  for (int I = 0; I < N; ++I) {
    S[threadIdx.x] = I;
    __syncthreads();
    A[threadIdx.x] = S[63 - threadIdx.x];
    __syncthreads();
  }
}
__global__ void earlyExit(int *A, int N) {
  if (threadIdx.x >= N)
    return;
  A[threadIdx.x] = 1;
  __syncthreads();
}
