//===- Irregular.cu - Loops whose addresses are loaded ---------*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Breadth-first search, fluxes over an unstructured mesh, look-ups in a tree:
// lines that nobody can count without running them. Also correlation, whose
// lanes share lines in part, so that what a warp touches depends on the data's
// shape alone.
//
//===----------------------------------------------------------------------===//
#include "../Harness.h"

namespace {
using bench::Case;
using bench::Pool;

// One step of a breadth-first search: each node of the frontier (all of them
// here) marks its neighbours. Several threads may write the same value.
template <int Warps>
__global__ void expand(const int *edges, const int *depth, int *reached, int n,
                       int degree) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  BY_WARPS(Warps) {
    if (i < n)
      for (int k = 0; k < degree; ++k) {
        const int neighbour = edges[i * degree + k];
        if (depth[neighbour] > depth[i])
          reached[neighbour] = 1;
      }
  }
}

// The flux into each cell from its four neighbours, variables by columns.
template <int Warps>
__global__ void flux(const int *neighbours, const float *variables,
                     float *fluxes, int n, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  BY_WARPS(Warps) {
    if (i < n) {
      float density = 0, energy = 0;
      for (int k = 0; k < count; ++k) {
        const int other = neighbours[i + k * n];
        const float d = variables[other] - variables[i];
        const float x = variables[other + n], y = variables[other + 2 * n];
        density += d * (x + y);
        energy += d * (x * x + y * y) * variables[other + 3 * n];
      }
      fluxes[i] = density;
      fluxes[i + n] = energy;
    }
  }
}

// Look-ups in an implicit tree of 16 keys a node, one query per thread.
template <int Warps>
__global__ void lookUp(const int *keys, const int *queries, int *found, int n,
                       int levels) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  BY_WARPS(Warps) {
    if (i < n) {
      const int query = queries[i];
      int node = 0;
      for (int level = 0; level < levels; ++level) {
        int below = 0;
        for (int k = 0; k < 16; ++k)
          below += keys[node * 16 + k] < query;
        node = node * 16 + below % 16 + 1;
      }
      found[i] = node;
    }
  }
}

// Sums of products of one column with all later ones of a window.
template <int Warps>
__global__ void correlate(const float *data, float *sums, int columns, int rows,
                          int window) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  BY_WARPS(Warps) {
    if (j < columns)
      for (int other = j + 1; other <= j + window; ++other) {
        float sum = 0;
        for (int i = 0; i < rows; ++i)
          sum += data[i * columns + j] * data[i * columns + other % columns];
        sums[size_t(other - j - 1) * columns + j] = sum;
      }
  }
}

Case start(const Pool &P, const char *Benchmark, const char *Loop,
           const char *Kernel, int BlocksPerSM, size_t OutputBytes) {
  Case C;
  C.Benchmark = Benchmark;
  C.Loop = Loop;
  C.Kernel = Kernel;
  C.Group = "irregular";
  C.Type = "float";
  C.RuntimeSize = true;
  C.Grid = dim3(P.SMs * BlocksPerSM);
  C.Block = dim3(256);
  C.Output = P.out<float>();
  C.OutputBytes = OutputBytes;
  return C;
}

#define VARIANTS(Kernel)                                                       \
  {                                                                            \
    {0, (void *)Kernel<0>}, {4, (void *)Kernel<4>}, {2, (void *)Kernel<2>}, {  \
      1, (void *)Kernel<1>                                                     \
    }                                                                          \
  }

} // namespace

void bench::addIrregular(std::vector<Case> &Cases, const Pool &P) {
  const int Wave = P.SMs * 8 * 256, Nodes = 1 << 20;
  const int *Ints = P.in<int>(IntAt);

  Case B = start(P, "bfs", "k", "expand<0>", 8, Nodes * 4);
  B.Type = "int";
  B.arguments(Ints, Ints + 4096, P.out<int>(), Wave, 100);
  B.Known = {.Trips = 100,
             .LinesPerWarp = 96,
             .OwnLinesPerWarp = 32,
             .IterationsPerLine = 32,
             .Loads = 3,
             .Stores = 1,
             .Bytes = Wave * 400.0,
             .IrregularLoads = 1};
  B.Variants = VARIANTS(expand);
  Cases.push_back(B);

  // Neighbours are numbers below 2^20.
  const int Cells = Nodes, Faces = 32;
  Case F = start(P, "cfd", "k", "flux<0>", 8, Cells * 8);
  F.Grid = dim3(Cells / 256);
  F.arguments(Ints, P.in<float>(), P.out<float>(), Cells, Faces);
  F.Known = {.Trips = Faces,
             .LinesPerWarp = 130,
             .OwnLinesPerWarp = 1,
             .Loads = 6,
             .Flops = 8,
             .Bytes = Cells * (Faces * 4.0 + 24),
             .IrregularLoads = 4};
  F.Variants = VARIANTS(flux);
  Cases.push_back(F);

  Case T = start(P, "b+tree", "level", "lookUp<0>", 8 * 4, Wave * 16);
  T.Type = "int";
  T.arguments(Ints, Ints + 4096, P.out<int>(), Wave * 4, 5);
  T.Known = {.Trips = 16,
             .Rounds = 5,
             .LinesPerWarp = 32,
             .OwnLinesPerWarp = 32,
             .IterationsPerLine = 16,
             .Loads = 1,
             .Flops = 1,
             .Bytes = Wave * 32.0,
             .IrregularLoads = 1};
  T.Variants = VARIANTS(lookUp);
  Cases.push_back(T);

  const int Rows = 256, Window = 8;
  Case C =
      start(P, "corr", "rows", "correlate<0>", 8, size_t(Wave) * Window * 4);
  C.arguments(P.in<float>(), P.out<float>(), Wave, Rows, Window);
  C.Known = {.Trips = Rows,
             .Rounds = Window,
             .LinesPerWarp = 2,
             .OwnLinesPerWarp = 1,
             .Loads = 2,
             .Flops = 2,
             .Bytes = double(Wave) * Rows * 4};
  C.Group = "insensitive";
  C.Variants = VARIANTS(correlate);
  Cases.push_back(C);
}
