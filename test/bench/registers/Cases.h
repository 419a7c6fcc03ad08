//===- Cases.h - The kernels of Points.cu and Grids.cu -----------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain C++, for the sweeps on a GPU and for the executor alike.
//
//   Case             a kernel (in, out, n), its launch, the floats it writes
//   registerCases()  all of the suite registers
//   firstBlocks()    a grid, cut down
//   inputAt()        what every case reads
//   list()           cases as the preparing scripts read them
//
//===----------------------------------------------------------------------===//
#ifndef CATT_BENCH_CASES_H
#define CATT_BENCH_CASES_H

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <vector>

#ifdef __CUDACC__
#define CATT_HOST_DEVICE __host__ __device__
#else
#define CATT_HOST_DEVICE
#endif

namespace sweep {

/// Blocks of a grid, or threads of a block.
struct Extent {
  unsigned X, Y = 1, Z = 1;
};

struct Case {
  const char *Kernel, *File; ///< File: its stem
  int N;
  Extent Grid, Block;
  size_t Outputs; ///< floats that are compared
};

/// What a launch of at most `Most` blocks in each dimension leaves of a grid.
inline Extent firstBlocks(const Extent &Grid, unsigned Most) {
  return {std::min(Grid.X, Most), std::min(Grid.Y, Most),
          std::min(Grid.Z, Most)};
}

constexpr size_t InFloats = size_t(1) << 27;

/// Element K of the input: between 0.5 and 1.5, the same on every machine.
CATT_HOST_DEVICE inline float inputAt(size_t K) {
  unsigned H = unsigned(K) * 2654435761u;
  H ^= H >> 15;
  H *= 2246822519u;
  return 0.5f + float(H >> 8) / float(1 << 24);
}

/// The register-hungry kernels of Points.cu and Grids.cu.
inline std::vector<Case> registerCases() {
  constexpr unsigned M = 1 << 20, L = 160, W = 384;
  const auto Blocks = [](unsigned Threads, unsigned Size) {
    return Extent{(Threads + Size - 1) / Size};
  };
  return {
      {"kinetics", "Points", 3 * M, Blocks(3 * M, 256), {256}, 96u * M},
      {"lookup", "Points", 4 * M, Blocks(M, 256), {256}, 20u * M},
      {"spline", "Points", 4 * M, Blocks(4 * M, 128), {128}, 40u * M},
      {"blockColours", "Points", 2 * M, Blocks(2 * M, 192), {192}, 4u * M},
      {"smallLu", "Points", M, Blocks(M, 128), {128}, 9u * M},
      {"particles", "Points", M, Blocks(M / 4, 128), {128}, 4u * M},
      {"lattice", "Grids", L, {1, L, L}, {L}, size_t(19) * L * L * L},
      {"waves", "Grids", W, {W / 32, W / 8}, {32, 8}, size_t(W) * W * W},
      {"flux", "Grids", 4 * M, Blocks(4 * M, 192), {192}, 20u * M},
      {"recursive",
       "Grids",
       1 << 18,
       Blocks(1 << 18, 128),
       {128},
       size_t(512) << 18},
  };
}

/// The cases, one JSON object a line.
inline void list(const std::vector<Case> &Cases) {
  for (const Case &C : Cases)
    std::printf("{\"case\": \"%s\", \"file\": \"%s\", \"n\": %d, \"grid\": "
                "[%u, %u, %u], \"block\": [%u, %u, %u], \"outputs\": %zu}\n",
                C.Kernel, C.File, C.N, C.Grid.X, C.Grid.Y, C.Grid.Z, C.Block.X,
                C.Block.Y, C.Block.Z, C.Outputs);
}

} // namespace sweep

#endif
