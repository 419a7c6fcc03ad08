//===- Sweep.h - Kernels of a sweep, timed under every cap -----*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the sweeps over machine code share: each is one program, included once.
//
//   Memory     input, output and what the output is compared with
//   Machine    a cubin's kernel, loaded while it lives
//   timeOf()   one launch to warm up, then Runs that are timed (milliseconds)
//   fill()     inputs between 0.5 and 1.5
//
// What is timed stands in Cases.h.
//
// Errors: any that CUDA reports ends the program with 1 and a line that says
// what failed.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_BENCH_SWEEP_H
#define CATT_BENCH_SWEEP_H

#include "Cases.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <cuda_runtime.h>
#include <string>
#include <vector>

namespace sweep {

constexpr size_t OutFloats = size_t(1) << 27; // the most of a case

inline void check(bool Good, const char *What, const char *Why) {
  if (Good)
    return;
  std::fprintf(stderr, "sweep: %s: %s\n", What, Why);
  std::exit(1);
}

inline void check(cudaError_t Status, const char *What) {
  check(Status == cudaSuccess, What, cudaGetErrorString(Status));
}

inline void check(CUresult Status, const char *What) {
  const char *Text = "unknown";
  if (Status != CUDA_SUCCESS)
    cuGetErrorString(Status, &Text);
  check(Status == CUDA_SUCCESS, What, Text);
}

__global__ void fill(float *Out, size_t Count) {
  const size_t Stride = size_t(gridDim.x) * blockDim.x;
  for (size_t K = size_t(blockIdx.x) * blockDim.x + threadIdx.x; K < Count;
       K += Stride)
    Out[K] = inputAt(K);
}

struct Memory {
  float *In, *Out, *Reference;
  unsigned *Differences;
};

/// Allocates and fills what every case reads and writes.
inline Memory allocate() {
  Memory M = {};
  check(cudaMalloc(&M.In, InFloats * 4), "memory");
  check(cudaMalloc(&M.Out, OutFloats * 4), "memory");
  check(cudaMalloc(&M.Reference, OutFloats * 4), "memory");
  check(cudaMalloc(&M.Differences, 4), "memory");
  fill<<<4096, 256>>>(M.In, InFloats);
  check(cudaDeviceSynchronize(), "fill");
  return M;
}

inline int attribute(CUfunction F, CUfunction_attribute What) {
  int Value = 0;
  check(cuFuncGetAttribute(&Value, What, F), "cuFuncGetAttribute");
  return Value;
}

/// A kernel of a cubin, loaded while this lives.
class Machine {
public:
  Machine(const std::string &Path, const char *Kernel) {
    check(cuModuleLoad(&Module, Path.c_str()), Path.c_str());
    check(cuModuleGetFunction(&Function, Module, Kernel), Kernel);
  }
  ~Machine() { cuModuleUnload(Module); }
  Machine(const Machine &) = delete;
  Machine &operator=(const Machine &) = delete;
  CUfunction function() const { return Function; }

private:
  CUmodule Module;
  CUfunction Function;
};

/// Milliseconds of the timed runs; 0 if there were none.
struct Times {
  float Median, Least;
};

inline Times timeOf(const Case &C, CUfunction F, const Memory &M, int Runs,
                    size_t DynamicBytes = 0) {
  int N = C.N;
  void *Arguments[] = {(void *)&M.In, (void *)&M.Out, &N};
  cudaEvent_t Start, Stop;
  check(cudaEventCreate(&Start), "event");
  check(cudaEventCreate(&Stop), "event");
  std::vector<float> Ms;
  for (int Run = 0; Run <= Runs; ++Run) { // the first warms up
    check(cudaMemset(M.Out, 0, C.Outputs * 4), "memset");
    check(cudaEventRecord(Start), "event");
    check(cuLaunchKernel(F, C.Grid.X, C.Grid.Y, C.Grid.Z, C.Block.X, C.Block.Y,
                         1, DynamicBytes, nullptr, Arguments, nullptr),
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
  if (Ms.empty())
    return {0, 0};
  std::sort(Ms.begin(), Ms.end());
  return {Ms[Ms.size() / 2], Ms[0]};
}

/// Makes the output that later ones are compared with.
inline void keepAsReference(const Case &C, const Memory &M) {
  check(cudaMemcpy(M.Reference, M.Out, C.Outputs * 4, cudaMemcpyDeviceToDevice),
        "copy");
}

/// Blocks that share an SM; 0 if not even one fits.
inline int blocksPerSM(const Case &C, CUfunction F, size_t DynamicBytes = 0) {
  int Blocks = 0;
  check(cuOccupancyMaxActiveBlocksPerMultiprocessor(
            &Blocks, F, int(C.Block.X * C.Block.Y), DynamicBytes),
        C.Kernel);
  return Blocks;
}

} // namespace sweep

#endif
