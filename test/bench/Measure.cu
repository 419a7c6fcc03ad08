//===- Measure.cu - Times of one way to run a loop -------------*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Differences.h"
#include "Fill.h"
#include "Measure.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <tuple>
#include <unistd.h>

using namespace bench;

namespace {

// Counts the blocks that are on an SM at the same time.
__global__ void countResident(int *Now, int *Peak) {
  if (threadIdx.x + threadIdx.y + threadIdx.z == 0) {
    unsigned SM;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(SM));
    atomicMax(&Peak[SM], atomicAdd(&Now[SM], 1) + 1);
    const long long Start = clock64();
    while (clock64() - Start < 100000) {
    }
    atomicSub(&Now[SM], 1);
  }
  __syncthreads();
}

// A chain through every line of a buffer, walked twice; cycles of the second.
__global__ void chase(unsigned *Next, int Lines, long long *Cycles,
                      unsigned *End) {
  unsigned At = 0;
  for (int K = 0; K < Lines; ++K)
    At = Next[At];
  const long long Start = clock64();
  for (int K = 0; K < Lines; ++K)
    At = Next[At];
  *Cycles = clock64() - Start;
  *End = At;
}

int limitOf(cudaDeviceAttr Attribute) {
  int Value = 0;
  CHECK(cudaDeviceGetAttribute(&Value, Attribute, 0));
  return Value;
}

/// Waits for an event; a launch that takes too long ends the process, as there
/// is no other way to be rid of it.
void await(cudaEvent_t Event, double Seconds) {
  const auto Start = std::chrono::steady_clock::now();
  while (true) {
    const cudaError_t Now = cudaEventQuery(Event);
    if (Now == cudaSuccess)
      return;
    if (Now != cudaErrorNotReady)
      CHECK(Now);
    const std::chrono::duration<double> Passed =
        std::chrono::steady_clock::now() - Start;
    if (Passed.count() > Seconds) {
      std::fprintf(stderr, "throttle: a launch took more than %g s\n", Seconds);
      std::fflush(nullptr);
      _exit(3);
    }
  }
}

unsigned threads(const Case &C) { return C.Block.x * C.Block.y * C.Block.z; }

/// Blocks that an SM was seen to hold with this block size, shared memory and
/// carve-out, if registers are no limit.
int blocksSeen(const Pool &P, unsigned Threads, int StaticBytes,
               const Point &At) {
  static std::map<std::tuple<unsigned, int, int>, int> Known;
  const int Bytes = At.DynamicBytes + StaticBytes;
  auto [It, New] =
      Known.try_emplace(std::make_tuple(Threads, Bytes, At.CarveOut), 0);
  if (!New)
    return It->second;
  configure((const void *)countResident, At.CarveOut, Bytes);
  constexpr int MostSMs = 1024;
  int *Counts;
  CHECK(cudaMalloc(&Counts, 2 * MostSMs * sizeof(int)));
  CHECK(cudaMemset(Counts, 0, 2 * MostSMs * sizeof(int)));
  countResident<<<P.SMs * 64, Threads, Bytes>>>(Counts, Counts + MostSMs);
  CHECK(cudaGetLastError());
  std::vector<int> Peaks(MostSMs);
  CHECK(cudaMemcpy(Peaks.data(), Counts + MostSMs, MostSMs * sizeof(int),
                   cudaMemcpyDeviceToHost));
  CHECK(cudaFree(Counts));
  return It->second = *std::max_element(Peaks.begin(), Peaks.end());
}

bool sameAs(const char *Reference, const Case &C, char *Scratch) {
  unsigned *Differences = reinterpret_cast<unsigned *>(Scratch);
  CHECK(cudaMemset(Differences, 0, 4));
  countDifferences<<<1024, 256>>>(reinterpret_cast<const unsigned *>(C.Output),
                                  reinterpret_cast<const unsigned *>(Reference),
                                  C.OutputBytes / 4, Differences);
  unsigned Count = 1;
  CHECK(cudaMemcpy(&Count, Differences, 4, cudaMemcpyDeviceToHost));
  return Count == 0;
}

/// Dynamic shared memory and carve-out that leave At.Blocks blocks on an SM.
void holdDown(Point &At) {
  const int PerSM = limitOf(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  const int Optin = limitOf(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  const int Reserved = limitOf(cudaDevAttrReservedSharedMemoryPerBlock);
  constexpr int Granularity = 128, Small = 8 << 10;
  auto Filling = [&](int Bytes) {
    return Bytes / At.Blocks / Granularity * Granularity - Reserved;
  };
  if (At.Cache == L1d::Default)
    At.DynamicBytes =
        (PerSM / (At.Blocks + 1) / Granularity + 1) * Granularity - Reserved;
  else if (At.Cache == L1d::Least)
    At.DynamicBytes = Filling(PerSM);
  else {
    At.CarveOut = Small * 100 / PerSM;
    At.DynamicBytes = Filling(Small);
  }
  At.DynamicBytes = std::min(At.DynamicBytes, Optin);
}

/// The smallest carve-out, in per cent, that holds the shared memory of all
/// blocks: a smaller one would throttle by itself.
int leastCarveOut(int StaticBytes, int Blocks) {
  if (StaticBytes == 0)
    return 0;
  const int PerSM = limitOf(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  const int Reserved = limitOf(cudaDevAttrReservedSharedMemoryPerBlock);
  const int Wanted = (StaticBytes + Reserved) * Blocks;
  return std::min(100, (Wanted * 100 + PerSM - 1) / PerSM);
}

} // namespace

const char *bench::name(L1d Cache) {
  switch (Cache) {
  case L1d::Default:
    return "default";
  case L1d::Max:
    return "max";
  case L1d::Least:
    return "28";
  }
  return "";
}

void bench::configure(const void *Kernel, int CarveOut, int DynamicBytes) {
  CHECK(cudaFuncSetAttribute(
      Kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, DynamicBytes));
  CHECK(cudaFuncSetAttribute(
      Kernel, cudaFuncAttributePreferredSharedMemoryCarveout, CarveOut));
}

int bench::mostBlocks(const Case &C, const Pool &P) {
  int Blocks = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &Blocks, C.Variants.front().Kernel, threads(C), 0));
  const size_t Grid = size_t(C.Grid.x) * C.Grid.y * C.Grid.z;
  return int(std::min<size_t>(Blocks, (Grid + P.SMs - 1) / P.SMs));
}

std::vector<Point> bench::points(const Case &C, const Pool &P, L1d Cache) {
  std::vector<Point> All;
  const int Most = mostBlocks(C, P), Warps = int(threads(C) + 31) / 32;
  cudaFuncAttributes Attributes;
  CHECK(cudaFuncGetAttributes(&Attributes, C.Variants.front().Kernel));
  std::vector<int> Blocks = {Most};
  if (Attributes.sharedSizeBytes == 0)
    for (int B : {7, 6, 5, 4, 3, 2, 1})
      if (B < Most && (C.Group == "contended" || B == 4))
        Blocks.push_back(B);
  const int Least = leastCarveOut(int(Attributes.sharedSizeBytes), Most);
  for (int B : Blocks)
    for (const Variant &V : C.Variants) {
      // Of the other numbers of blocks only the two ends, to save time.
      const bool Rare = B < Most && B != 4 && B != 2 && B != 1;
      if (V.Warps >= Warps || (Rare && V.Warps > 1))
        continue;
      Point At{Cache, V, B, B < Most, -1, 0};
      if (Cache != L1d::Default)
        At.CarveOut = Cache == L1d::Max ? Least : 100;
      if (At.HeldDown)
        holdDown(At);
      All.push_back(At);
    }
  return All;
}

Result bench::measure(const Case &C, const Pool &P, const Point &At,
                      const Limits &L, char *Reference, bool MakeReference,
                      float BestMs) {
  Result R;
  configure(At.How.Kernel, At.CarveOut, At.DynamicBytes);
  cudaFuncAttributes Attributes;
  CHECK(cudaFuncGetAttributes(&Attributes, At.How.Kernel));
  R.Registers = Attributes.numRegs;
  Case Own = C;
  Own.Variants = {At.How};
  R.BlocksByRegisters = mostBlocks(Own, P);
  R.BlocksSeen =
      std::min(R.BlocksByRegisters,
               blocksSeen(P, threads(C), int(Attributes.sharedSizeBytes), At));

  std::vector<void *> Arguments;
  for (std::vector<char> &A : Own.Arguments)
    Arguments.push_back(A.data());
  cudaEvent_t Start, Stop;
  CHECK(cudaEventCreate(&Start));
  CHECK(cudaEventCreate(&Stop));
  for (int Run = 0; Run <= L.Runs && !R.Cut; ++Run) { // the first one warms up
    CHECK(cudaMemset(C.Output, 0, C.OutputBytes));
    CHECK(cudaEventRecord(Start));
    CHECK(cudaLaunchKernel(At.How.Kernel, C.Grid, C.Block, Arguments.data(),
                           At.DynamicBytes, nullptr));
    CHECK(cudaEventRecord(Stop));
    await(Stop, L.LaunchSeconds);
    float Ms = 0;
    CHECK(cudaEventElapsedTime(&Ms, Start, Stop));
    R.Cut = Run == 0 && BestMs > 0 && Ms > L.CutFactor * BestMs;
    if (Run > 0 || R.Cut || L.Runs == 0)
      R.Ms.push_back(Ms);
  }
  CHECK(cudaEventDestroy(Start));
  CHECK(cudaEventDestroy(Stop));
  if (MakeReference)
    CHECK(cudaMemcpy(Reference, C.Output, C.OutputBytes,
                     cudaMemcpyDeviceToDevice));
  R.Equal = sameAs(Reference, C, Reference + OutBytes);
  return R;
}

void bench::fill(const Pool &P) {
  fillNumbers<<<4096, 256>>>(P.in<float>(), FloatBytes / 4, 7, -3);
  fillNumbers<<<4096, 256>>>(P.in<double>(DoubleAt), DoubleBytes / 8, 7, -3);
  fillNumbers<<<4096, 256>>>(P.in<int>(IntAt), IntBytes / 4, 1 << 20, 0);
  CHECK(cudaDeviceSynchronize());
}

int bench::findL1KiB(int CarveOut, int DynamicBytes) {
  configure((const void *)chase, CarveOut, DynamicBytes);
  constexpr int Most = 320 << 10, Step = 4 << 10, LineWords = 32;
  unsigned *Next;
  long long *Cycles;
  CHECK(cudaMalloc(&Next, Most));
  CHECK(cudaMalloc(&Cycles, 16));
  int Largest = 0;
  for (int Bytes = Step; Bytes <= Most; Bytes += Step) {
    const int Lines = Bytes / 128;
    std::vector<unsigned> Chain(size_t(Lines) * LineWords);
    for (int K = 0; K < Lines; ++K)
      Chain[size_t(K) * LineWords] = unsigned((K + 1) % Lines) * LineWords;
    CHECK(cudaMemcpy(Next, Chain.data(), Bytes, cudaMemcpyHostToDevice));
    chase<<<1, 1, DynamicBytes>>>(Next, Lines, Cycles,
                                  reinterpret_cast<unsigned *>(Cycles + 1));
    long long Taken = 0;
    CHECK(cudaMemcpy(&Taken, Cycles, 8, cudaMemcpyDeviceToHost));
    // A hit takes about 40 cycles, a miss that L2 serves 200 and more. LRU or
    // not, up to the capacity nearly all of the second walk hits.
    if (Taken < 80LL * Lines)
      Largest = Bytes;
  }
  CHECK(cudaFree(Next));
  CHECK(cudaFree(Cycles));
  return Largest >> 10;
}
