// Kernels that ExecutorTest.cpp runs; each returns what it saw in Out.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdint>
namespace cg = cooperative_groups;

//===-- Barriers ----------------------------------------------------------===//

__global__ void reverseBlock(int *Out) {
  __shared__ int Tile[96];
  int T = threadIdx.x;
  Tile[T] = T;
  __syncthreads();
  Out[blockIdx.x * blockDim.x + T] = Tile[blockDim.x - 1 - T];
}

__global__ void syncPredicates(int *Out) {
  int T = threadIdx.x;
  if (T >= 40) // exited threads do not count
    return;
  Out[T * 4 + 0] = __syncthreads_count(T % 3 == 0);
  Out[T * 4 + 1] = __syncthreads_and(T < 40);
  Out[T * 4 + 2] = __syncthreads_and(T < 39);
  Out[T * 4 + 3] = __syncthreads_or(T == 17) * 2 + __syncthreads_or(T == 50);
}

//===-- Warp operations ---------------------------------------------------===//

__global__ void shuffles(int *Out) {
  int L = threadIdx.x;
  Out[0 * 32 + L] = __shfl_sync(0xffffffffu, L * 10, 5);
  Out[1 * 32 + L] = __shfl_sync(0xffffffffu, L, L + 3, 8);
  Out[2 * 32 + L] = __shfl_up_sync(0xffffffffu, L, 2);
  Out[3 * 32 + L] = __shfl_down_sync(0xffffffffu, L, 3, 16);
  Out[4 * 32 + L] = __shfl_xor_sync(0xffffffffu, L, 9);
  double Wide = __shfl_down_sync(0xffffffffu, L + 0.5, 1);
  Out[5 * 32 + L] = int(Wide * 2);
}

__global__ void maskedWarp(int *Out) {
  int L = threadIdx.x;
  unsigned Half = L < 16 ? 0xffffu : 0xffff0000u;
  // Both halves are in different code at the same time.
  if (L < 16)
    Out[L] = __shfl_sync(Half, L, 15);
  else
    Out[L] = __shfl_sync(Half, L, 16);
  Out[32 + L] = __ballot_sync(Half, L & 1);
  Out[64 + L] = __any_sync(Half, L == 3) * 2 + __all_sync(Half, L >= 16);
  Out[96 + L] = __match_any_sync(Half, L % 4);
  int All;
  Out[128 + L] = __match_all_sync(Half, L / 16, &All) + All;
  Out[160 + L] = __match_all_sync(Half, L / 8, &All) + All;
  Out[192 + L] = __reduce_add_sync(Half, L) + __reduce_max_sync(Half, -L) +
                 __reduce_min_sync(Half, -L);
  Out[224 + L] = __reduce_or_sync(Half, 1u << L) ^
                 __reduce_and_sync(Half, unsigned(L)) ^
                 __reduce_xor_sync(Half, unsigned(L));
}

__global__ void warpNeighbours(int *Out) {
  __shared__ int Tile[64];
  int T = threadIdx.x;
  Tile[T] = T * T;
  __syncwarp();
  Out[T] = Tile[T ^ 1];
  if (T % 32 < 20) // the rest leaves; live lanes of the mask are enough
    Out[64 + T] = __ballot_sync(0xffffffffu, 1);
}

__global__ void activeMask(unsigned *Out) {
  int L = threadIdx.x;
  if (L % 3 == 0)
    Out[L] = __activemask();
  else
    Out[L] = 0;
}

//===-- Memory ------------------------------------------------------------===//

__global__ void dynamicShared(float *Out, int N) {
  extern __shared__ float Buffer[];
  __shared__ float Fixed[32];
  Fixed[threadIdx.x] = -1;
  Buffer[threadIdx.x + N] = threadIdx.x;
  __syncthreads();
  Out[threadIdx.x] = Buffer[N + (threadIdx.x + 1) % 32] + Fixed[threadIdx.x];
}

struct Kept {
  __device__ virtual int of(int T) {
    __shared__ int Own[32];
    Own[T] = -T;
    __syncthreads();
    return Own[(T + 1) % 32];
  }
};

__global__ void sharedBehindATable(int *Out) {
  __shared__ int Fixed[32];
  Fixed[threadIdx.x] = threadIdx.x;
  __syncthreads();
  Kept Here;
  Kept *volatile Any = &Here;
  Out[threadIdx.x] = 100 * Any->of(threadIdx.x) + Fixed[threadIdx.x];
}

struct Wide {
  double D;
  char C;
};
__global__ void sharedKinds(int *Out) {
  extern __shared__ __align__(16) unsigned char Bytes[];
  Wide *W = reinterpret_cast<Wide *>(Bytes);
  __shared__ char Letters[33];
  Letters[threadIdx.x] = 'a' + threadIdx.x % 26;
  W[threadIdx.x] = Wide{threadIdx.x * 0.5, 'x'};
  __syncthreads();
  Wide Copy = W[31 - threadIdx.x];
  Out[threadIdx.x] = int(Copy.D * 2) * 1000 + Letters[31 - threadIdx.x];
}

__global__ void atomics(int *G, float *F, unsigned *U, unsigned long long *L) {
  __shared__ int Sum;
  if (threadIdx.x == 0)
    Sum = 0;
  __syncthreads();
  atomicAdd(&Sum, 1);
  __syncthreads();
  if (threadIdx.x == 0)
    atomicAdd(&G[0], Sum);
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  atomicMax(&G[1], I);
  atomicMin(&G[2], -I);
  atomicOr(&U[0], 1u << threadIdx.x % 32);
  atomicInc(&U[1], 9);
  atomicXor(&U[2], 1u);
  atomicAdd(F, 0.5f);
  atomicAdd(L, 1ull << 33);
  atomicSub(&G[3], 2);
  atomicExch(&G[4], 7);
}

/// A lock, which only works if the executor lets others run in between.
__global__ void spinLock(int *Lock, int *Count) {
  bool Done = false;
  while (!Done)
    if (atomicCAS(Lock, 0, 1) == 0) {
      *Count = *Count + 1;
      __threadfence();
      atomicExch(Lock, 0);
      Done = true;
    }
}

/// Warps take turns, the last one first: each waits for one that runs later in
/// order.
__global__ void sleepUntilCalled(volatile int *Turn, int *Order) {
  int Last = blockDim.x / 32 - 1, W = threadIdx.x / 32;
  while (Turn[0] < Last - W)
    __nanosleep(20);
  __syncwarp();
  if (threadIdx.x % 32 == 0) {
    Order[Turn[0]] = W;
    Turn[0] = Turn[0] + 1;
  }
}
__global__ void spinUntilCalled(volatile int *Turn, int *Order) {
  int Last = blockDim.x / 32 - 1, W = threadIdx.x / 32;
  while (Turn[0] < Last - W)
    ;
  __syncwarp();
  if (threadIdx.x % 32 == 0) {
    Order[Turn[0]] = W;
    Turn[0] = Turn[0] + 1;
  }
}

__global__ void cachedLoads(const float *A, const float4 *V, float *Out) {
  int T = threadIdx.x;
  float4 Q = __ldg(&V[T]);
  __stcs(&Out[T], __ldg(&A[T]) + __ldcg(&A[T + 1]) + __ldcs(&A[T + 2]) + Q.w);
}

__constant__ int Table[4];
__device__ int Global = 5;
__device__ const int Fixed[3] = {7, 8, 9};
__global__ void variables(int *Out) {
  if (threadIdx.x == 0)
    Global = Global + 1;
  __syncthreads();
  Out[threadIdx.x] = Global * 100 + Fixed[threadIdx.x % 3] + Table[0];
}

//===-- Language ----------------------------------------------------------===//

template <class T, int N> __device__ T power(T X) {
  T R = 1;
#pragma unroll
  for (int I = 0; I < N; ++I)
    R *= X;
  return R;
}
__device__ int fibonacci(int N) {
  return N < 2 ? N : fibonacci(N - 1) + fibonacci(N - 2);
}
template <class T> __global__ void language(T *Out, int3 Add, T Scale) {
  auto Square = [=](T X) { return X * X + Scale; };
  int Local[5];
  for (int I = 0; I < 5; ++I)
    Local[(I + threadIdx.x) % 5] = I;
  Out[threadIdx.x] = Square(power<T, 3>(2)) + Local[threadIdx.x % 5] + Add.x +
                     Add.y * Add.z + fibonacci(7);
}
template __global__ void language<int>(int *, int3, int);
template __global__ void language<double>(double *, int3, double);

struct Small {
  char A, B, C;
};
struct Mixed {
  float F;
  double D;
};
struct Large {
  int V[12];
};
__global__ void parameters(Small S, Mixed M, Large L, float3 F, char C,
                           long long W, bool B, double *Out) {
  Large Copy = L;
  Copy.V[threadIdx.x] += 1;
  Out[threadIdx.x] = S.A + S.B * 10 + S.C * 100 + M.F + M.D + Copy.V[11] + F.x +
                     F.y + F.z + C + W + B;
}

__global__ void shape(unsigned *Out) {
  unsigned B = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  unsigned T =
      (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  Out[B * blockDim.x * blockDim.y * blockDim.z + T] = B * 1000 + T;
}

__global__ void advised(unsigned *Out) {
  asm volatile(".pragma \"enable_smem_spilling\";");
  Out[threadIdx.x] = threadIdx.x;
}

extern "C" void launchShapes(void **All) {
  unsigned *Out = (unsigned *)All[0];
  shape<<<2, 4>>>(Out);
  shape<<<dim3(1, 3), 4>>>(Out + 8);
}
extern "C" void launchTooMany(void **All) {
  shape<<<1, 2000>>>((unsigned *)All[0]);
}

__global__ void groups(int *Out) {
  cg::thread_block Block = cg::this_thread_block();
  auto Tile = cg::tiled_partition<8>(Block);
  __shared__ int Sums[8];
  int Sum = cg::reduce(Tile, int(Block.thread_rank()), cg::plus<int>());
  if (Tile.thread_rank() == 0)
    Sums[Tile.meta_group_rank()] = Sum;
  Block.sync();
  Out[threadIdx.x] = Sums[7 - Tile.meta_group_rank()];
  Out[64 + threadIdx.x] = Tile.shfl_down(int(threadIdx.x), 1) * 256 +
                          Tile.ballot(Tile.thread_rank() < 3);
  if (threadIdx.x % 2) {
    cg::coalesced_group Odd = cg::coalesced_threads();
    Out[128 + threadIdx.x] = Odd.size() * 100 + Odd.thread_rank();
  }
}

/// What is fetched is there when it was waited for.
__global__ void fetches(const int *In, int *Out) {
  __shared__ int S[64];
  S[threadIdx.x] = -1;
  asm volatile("{ .reg .u64 to; cvta.to.shared.u64 to, %0;"
               " cp.async.ca.shared.global [to], [%1], %2; }" ::"l"(
                   &S[threadIdx.x]),
               "l"(In + threadIdx.x), "n"(sizeof(int))
               : "memory");
  Out[64 + threadIdx.x] = S[threadIdx.x];
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncwarp();
  Out[threadIdx.x] = S[threadIdx.x ^ 1];
}

// 48 KiB, and an int more than that.
template <int Ints> __device__ void fill(int *Out) {
  __shared__ int Data[Ints];
  Data[Ints - 1] = Ints;
  *Out = Data[Ints - 1];
}
__global__ void staticLimit(int *Out) { fill<12288>(Out); }
__global__ void overStaticLimit(int *Out) { fill<12289>(Out); }
