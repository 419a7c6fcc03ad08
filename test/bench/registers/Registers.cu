//===- Registers.cu - The sweep over register caps -------------*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   registers --list                     the cases, one JSON object a line
//   registers DIR OUT RUNS PASSES CAP...   every case with the cubins of DIR
//
// DIR holds <file>.<cap>.cubin, the same PTX assembled under each cap; cap 0 is
// none. Appends one JSON object a line to OUT as it is measured. A point whose
// output differs from that of cap 0 by more than rounding is marked.
//
// Ends with 0, or with 1 where CUDA or a file failed (then OUT holds what was
// measured before).
//
//===----------------------------------------------------------------------===//
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <cuda_runtime.h>
#include <string>
#include <vector>

namespace {

struct Case {
  const char *Kernel, *File;
  int N;
  dim3 Grid, Block;
  size_t Outputs; // floats that are compared
};

constexpr size_t InFloats = size_t(1) << 27, OutFloats = size_t(1) << 27;

std::vector<Case> cases() {
  constexpr int M = 1 << 20, L = 160, W = 384;
  const auto Blocks = [](int Threads, int Size) {
    return dim3((Threads + Size - 1) / Size);
  };
  return {
      {"kinetics", "Points", 3 * M, Blocks(3 * M, 256), 256, 96u * M},
      {"lookup", "Points", 4 * M, Blocks(M, 256), 256, 20u * M},
      {"spline", "Points", 4 * M, Blocks(4 * M, 128), 128, 40u * M},
      {"blockColours", "Points", 2 * M, Blocks(2 * M, 192), 192, 4u * M},
      {"smallLu", "Points", M, Blocks(M, 128), 128, 9u * M},
      {"particles", "Points", M, Blocks(M / 4, 128), 128, 4u * M},
      {"lattice", "Grids", L, dim3(1, L, L), L, size_t(19) * L * L * L},
      {"waves", "Grids", W, dim3(W / 32, W / 8), dim3(32, 8),
       size_t(W) * W * W},
      {"flux", "Grids", 4 * M, Blocks(4 * M, 192), 192, 20u * M},
      {"recursive", "Grids", 1 << 18, Blocks(1 << 18, 128), 128,
       size_t(512) << 18},
  };
}

void check(bool Good, const char *What, const char *Why) {
  if (Good)
    return;
  std::fprintf(stderr, "registers: %s: %s\n", What, Why);
  std::exit(1);
}

void check(cudaError_t Status, const char *What) {
  check(Status == cudaSuccess, What, cudaGetErrorString(Status));
}

void check(CUresult Status, const char *What) {
  const char *Text = "unknown";
  if (Status != CUDA_SUCCESS)
    cuGetErrorString(Status, &Text);
  check(Status == CUDA_SUCCESS, What, Text);
}

__global__ void fill(float *Out, size_t Count) {
  const size_t Stride = size_t(gridDim.x) * blockDim.x;
  for (size_t K = size_t(blockIdx.x) * blockDim.x + threadIdx.x; K < Count;
       K += Stride) {
    unsigned H = unsigned(K) * 2654435761u;
    H ^= H >> 15;
    H *= 2246822519u;
    Out[K] = 0.5f + float(H >> 8) / float(1 << 24);
  }
}

// Counts what differs by more than rounding; not a number equals itself here.
__global__ void countDifferences(const float *A, const float *B, size_t Count,
                                 unsigned *Differences) {
  const size_t Stride = size_t(gridDim.x) * blockDim.x;
  unsigned Mine = 0;
  for (size_t K = size_t(blockIdx.x) * blockDim.x + threadIdx.x; K < Count;
       K += Stride) {
    const float Most = fmaxf(1.f, fmaxf(fabsf(A[K]), fabsf(B[K])));
    Mine += !(fabsf(A[K] - B[K]) <= 1e-3f * Most) && !(isnan(A[K]) && isnan(B[K]));
  }
  if (Mine)
    atomicAdd(Differences, Mine);
}

struct Memory {
  float *In, *Out, *Reference;
  unsigned *Differences;
};

int attribute(CUfunction F, CUfunction_attribute What) {
  int Value = 0;
  check(cuFuncGetAttribute(&Value, What, F), "cuFuncGetAttribute");
  return Value;
}

void measure(const Case &C, int Cap, CUfunction F, const Memory &M, int Runs,
             int Pass, std::FILE *To) {
  int N = C.N, Blocks = 0;
  void *Arguments[] = {(void *)&M.In, (void *)&M.Out, &N};
  const int Threads = int(C.Block.x * C.Block.y);
  check(cuOccupancyMaxActiveBlocksPerMultiprocessor(&Blocks, F, Threads, 0),
        C.Kernel);
  if (Blocks == 0)
    return; // this cap lets no block fit
  cudaEvent_t Start, Stop;
  check(cudaEventCreate(&Start), "event");
  check(cudaEventCreate(&Stop), "event");
  std::vector<float> Ms;
  for (int Run = 0; Run <= Runs; ++Run) { // the first warms up
    check(cudaMemset(M.Out, 0, C.Outputs * 4), "memset");
    check(cudaEventRecord(Start), "event");
    check(cuLaunchKernel(F, C.Grid.x, C.Grid.y, C.Grid.z, C.Block.x, C.Block.y,
                         1, 0, nullptr, Arguments, nullptr),
          C.Kernel);
    check(cudaEventRecord(Stop), "event");
    check(cudaEventSynchronize(Stop), C.Kernel);
    float Time = 0;
    check(cudaEventElapsedTime(&Time, Start, Stop), "event");
    if (Run)
      Ms.push_back(Time);
  }
  check(cudaEventDestroy(Start), "event");
  check(cudaEventDestroy(Stop), "event");
  if (Cap == 0)
    check(cudaMemcpy(M.Reference, M.Out, C.Outputs * 4,
                     cudaMemcpyDeviceToDevice),
          "copy");
  unsigned Differences = 0;
  check(cudaMemset(M.Differences, 0, 4), "memset");
  countDifferences<<<1024, 256>>>(M.Out, M.Reference, C.Outputs, M.Differences);
  check(cudaMemcpy(&Differences, M.Differences, 4, cudaMemcpyDeviceToHost),
        "comparison");
  std::sort(Ms.begin(), Ms.end());
  std::fprintf(To,
               "{\"case\": \"%s\", \"pass\": %d, \"cap\": %d, \"registers\": "
               "%d, \"local_bytes\": %d, \"blocks\": %d, \"equal\": %s, "
               "\"median_ms\": %.5f, \"least_ms\": %.5f}\n",
               C.Kernel, Pass, Cap, attribute(F, CU_FUNC_ATTRIBUTE_NUM_REGS),
               attribute(F, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES), Blocks,
               Differences ? "false" : "true", Ms[Ms.size() / 2], Ms[0]);
  std::fflush(To);
}

void list() {
  for (const Case &C : cases())
    std::printf("{\"case\": \"%s\", \"file\": \"%s\", \"n\": %d, \"grid\": "
                "[%u, %u, %u], \"block\": [%u, %u, %u]}\n",
                C.Kernel, C.File, C.N, C.Grid.x, C.Grid.y, C.Grid.z, C.Block.x,
                C.Block.y, C.Block.z);
}

void sweep(const std::string &Dir, std::FILE *To, int Runs, int Passes,
           const std::vector<int> &Caps) {
  Memory M = {};
  check(cudaMalloc(&M.In, InFloats * 4), "memory");
  check(cudaMalloc(&M.Out, OutFloats * 4), "memory");
  check(cudaMalloc(&M.Reference, OutFloats * 4), "memory");
  check(cudaMalloc(&M.Differences, 4), "memory");
  fill<<<4096, 256>>>(M.In, InFloats);
  check(cudaDeviceSynchronize(), "fill");
  for (int Pass = 1; Pass <= Passes; ++Pass)
    for (const Case &C : cases())
      for (int Cap : Caps) {
        const std::string Path =
            Dir + "/" + C.File + "." + std::to_string(Cap) + ".cubin";
        CUmodule Module;
        CUfunction F;
        check(cuModuleLoad(&Module, Path.c_str()), Path.c_str());
        check(cuModuleGetFunction(&F, Module, C.Kernel), C.Kernel);
        measure(C, Cap, F, M, Runs, Pass, To);
        check(cuModuleUnload(Module), Path.c_str());
      }
}

} // namespace

int main(int Count, char **Words) {
  if (Count == 2 && std::string(Words[1]) == "--list") {
    list();
    return 0;
  }
  if (Count < 6) {
    std::fprintf(stderr, "registers: usage: registers --list | registers DIR "
                         "OUT RUNS PASSES CAP...\n");
    return 2;
  }
  std::FILE *To = std::fopen(Words[2], "w");
  check(To != nullptr, Words[2], "cannot be written");
  std::vector<int> Caps;
  for (int K = 5; K < Count; ++K)
    Caps.push_back(std::atoi(Words[K]));
  sweep(Words[1], To, std::atoi(Words[3]), std::atoi(Words[4]), Caps);
  return std::fclose(To) ? 1 : 0;
}
