//===- Insensitive.cu - Loops that throttling cannot help ------*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a rewrite must leave as fast as it was: products by tiles and without,
// a stencil, particles in boxes, layers of a network, factorizations,
// histogram, reduction. Loops with a barrier inside have no split variants.
//
//===----------------------------------------------------------------------===//
#include "../Harness.h"

namespace {
using bench::Case;
using bench::Pool;

// C = A B, every operand from global memory: also each product of 2mm and 3mm.
template <int Warps>
__global__ void product(const float *A, const float *B, float *C, int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  BY_WARPS(Warps) {
    if (i < n && j < n) {
      float sum = 0;
      for (int k = 0; k < n; ++k)
        sum += A[i * n + k] * B[k * n + j];
      C[i * n + j] = sum;
    }
  }
}

__global__ void productTiled(const float *A, const float *B, float *C, int n) {
  __shared__ float a[16][17], b[16][17];
  const int x = threadIdx.x, y = threadIdx.y;
  const int j = blockIdx.x * 16 + x, i = blockIdx.y * 16 + y;
  float sum = 0;
  for (int t = 0; t < n; t += 16) {
    a[y][x] = A[i * n + t + x];
    b[y][x] = B[(t + y) * n + j];
    __syncthreads();
    for (int k = 0; k < 16; ++k)
      sum += a[y][k] * b[k][x];
    __syncthreads();
  }
  C[i * n + j] = sum;
}

// Gram-Schmidt: every later column loses its part along column q.
template <int Warps>
__global__ void orthogonalize(const float *q, const float *in, float *out,
                              int rows, int columns) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  BY_WARPS(Warps) {
    if (j < columns) {
      float r = 0;
      for (int i = 0; i < rows; ++i)
        r += q[i] * in[size_t(i) * columns + j];
      for (int i = 0; i < rows; ++i)
        out[size_t(i) * columns + j] = in[size_t(i) * columns + j] - q[i] * r;
    }
  }
}

// Seven points in three dimensions, a column of cells per thread.
template <int Warps>
__global__ void stencil(const float *in, float *out, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  BY_WARPS(Warps) {
    if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1)
      for (int z = 1; z < nz - 1; ++z) {
        const int at = (z * ny + y) * nx + x;
        out[at] = in[at] + 0.125f * (in[at - 1] + in[at + 1] + in[at - nx] +
                                     in[at + nx] + in[at - nx * ny] +
                                     in[at + nx * ny] - 6 * in[at]);
      }
  }
}

// Particles in boxes: each box against its neighbours in a ring, staged in
// shared memory.
__global__ void boxes(const float4 *particles, float *force, int numBoxes) {
  __shared__ float4 others[128];
  const int box = blockIdx.x, t = threadIdx.x;
  const float4 mine = particles[box * 128 + t];
  float sum = 0;
  for (int d = -4; d <= 4; ++d) {
    others[t] = particles[(box + d + numBoxes) % numBoxes * 128 + t];
    __syncthreads();
    for (int k = 0; k < 128; ++k) {
      const float x = mine.x - others[k].x, y = mine.y - others[k].y,
                  z = mine.z - others[k].z;
      sum += others[k].w * __expf(-0.5f * (x * x + y * y + z * z));
    }
    __syncthreads();
  }
  force[box * 128 + t] = sum;
}

// One layer of a network forward: 16 inputs x 16 units per block, summed by a
// tree in shared memory.
__global__ void layer(const float *input, const float *weights, float *partial,
                      int units) {
  __shared__ float products[16][16];
  const int x = threadIdx.x, y = threadIdx.y;
  const int unit = blockIdx.x * 16 + x, from = blockIdx.y * 16 + y;
  products[y][x] = weights[size_t(from) * units + unit] * input[from];
  __syncthreads();
  for (int s = 8; s > 0; s >>= 1) {
    if (y < s)
      products[y][x] += products[y + s][x];
    __syncthreads();
  }
  if (y == 0)
    partial[size_t(blockIdx.y) * units + unit] = products[0][x];
}

// LU by blocks, the update behind the panel: C = A - L U with tiles of 16.
__global__ void luUpdate(const float *in, float *out, int n) {
  __shared__ float l[16][16], u[16][16];
  const int x = threadIdx.x, y = threadIdx.y;
  const int j = (blockIdx.x + 1) * 16 + x, i = (blockIdx.y + 1) * 16 + y;
  l[y][x] = in[size_t(i) * n + x];
  u[y][x] = in[size_t(y) * n + j];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 16; ++k)
    sum += l[y][k] * u[k][x];
  out[size_t(i) * n + j] = in[size_t(i) * n + j] - sum;
}

// Counts of bytes; a thread's words are a grid apart.
template <int Warps>
__global__ void histogram(const unsigned *words, unsigned *bins, int n) {
  __shared__ unsigned counts[256];
  counts[threadIdx.x] = 0;
  __syncthreads();
  const int stride = gridDim.x * blockDim.x;
  BY_WARPS(Warps) {
    for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += stride) {
      const unsigned word = words[k] * 2654435761u;
      atomicAdd(&counts[word & 255], 1u);
      atomicAdd(&counts[word >> 8 & 255], 1u);
      atomicAdd(&counts[word >> 16 & 255], 1u);
      atomicAdd(&counts[word >> 24], 1u);
    }
  }
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], counts[threadIdx.x]);
}

template <int Warps>
__global__ void reduction(const float *in, float *sums, size_t n) {
  __shared__ float buffer[256];
  float sum = 0;
  const size_t stride = size_t(gridDim.x) * blockDim.x;
  BY_WARPS(Warps) {
    for (size_t k = size_t(blockIdx.x) * blockDim.x + threadIdx.x; k < n;
         k += stride)
      sum += in[k];
  }
  buffer[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned s = 128; s > 0; s >>= 1) {
    if (threadIdx.x < s)
      buffer[threadIdx.x] += buffer[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    sums[blockIdx.x] = buffer[0];
}

Case start(const char *Benchmark, const char *Loop, dim3 Grid, dim3 Block,
           void *Output, size_t OutputBytes) {
  Case C;
  C.Benchmark = Benchmark;
  C.Loop = Loop;
  C.Group = "insensitive";
  C.Type = "float";
  C.RuntimeSize = true;
  C.Grid = Grid;
  C.Block = Block;
  C.Output = Output;
  C.OutputBytes = OutputBytes;
  return C;
}

#define VARIANTS_3(Kernel)                                                     \
  {                                                                            \
    {0, (void *)Kernel<0>}, {4, (void *)Kernel<4>}, { 2, (void *)Kernel<2> }   \
  }

void addProducts(std::vector<Case> &Cases, const Pool &P) {
  const int n = 2048;
  const size_t Bytes = size_t(n) * n * 4;
  float *out = P.out<float>();
  const float *A = P.in<float>(), *B = P.in<float>(Bytes);
  Case C = start("gemm", "k", dim3(n / 32, n / 8), dim3(32, 8), out, Bytes);
  C.arguments(A, B, out, n);
  C.Known = {.Trips = n,
             .LinesPerWarp = 2,
             .OwnLinesPerWarp = 0,
             .Loads = 2,
             .Flops = 2,
             .Bytes = 3.0 * Bytes,
             .CanBatch = true};
  C.Kernel = "product<0>";
  C.Variants = VARIANTS_3(product);
  Cases.push_back(C);

  // Square blocks: each warp has two rows of A and half a line of B, twice.
  Case M = start("2mm", "k", dim3(n / 16, n / 16), dim3(16, 16), out, Bytes);
  M.arguments(B, A, out, n);
  M.Known = C.Known;
  M.Known.LinesPerWarp = 3;
  M.Kernel = "product<0>";
  M.Variants = VARIANTS_3(product);
  Cases.push_back(M);

  // Wide blocks: each warp has one row of A and one line of B.
  Case W = start("3mm", "k", dim3(n / 128, n / 2), dim3(128, 2), out, Bytes);
  W.arguments(A, B, out, n);
  W.Known = C.Known;
  W.Kernel = "product<0>";
  W.Variants = VARIANTS_3(product);
  Cases.push_back(W);

  Case T =
      start("gemm-tiled", "t", dim3(n / 16, n / 16), dim3(16, 16), out, Bytes);
  T.arguments(A, B, out, n);
  T.Known = C.Known;
  T.Known.Trips = n / 16;
  T.Kernel = "productTiled";
  T.Variants = {{0, (void *)productTiled}};
  Cases.push_back(T);
}

void addGrids(std::vector<Case> &Cases, const Pool &P) {
  const int columns = P.SMs * 8 * 256, rows = 512;
  const size_t Bytes = size_t(rows) * columns * 4;
  Case G = start("gram-schmidt", "rows", dim3(P.SMs * 8), dim3(256),
                 P.out<float>(), Bytes);
  G.arguments(P.in<float>(Bytes), P.in<float>(), P.out<float>(), rows, columns);
  G.Known = {.Trips = rows,
             .Rounds = 2,
             .LinesPerWarp = 2,
             .OwnLinesPerWarp = 1,
             .Loads = 2,
             .Stores = 1,
             .Flops = 2,
             .Bytes = 3.0 * Bytes};
  G.Kernel = "orthogonalize<0>";
  G.Variants = VARIANTS_3(orthogonalize);
  Cases.push_back(G);

  const int nx = 1024, ny = 1024, nz = 192;
  const size_t Cells = size_t(nx) * ny * nz * 4;
  Case S = start("stencil", "z", dim3(nx / 32, ny / 8), dim3(32, 8),
                 P.out<float>(), Cells);
  S.arguments(P.in<float>(), P.out<float>(), nx, ny, nz);
  S.Known = {.Trips = nz - 2,
             .LinesPerWarp = 7,
             .OwnLinesPerWarp = 1,
             .Loads = 7,
             .Stores = 1,
             .Flops = 9,
             .Bytes = 2.0 * Cells};
  S.Kernel = "stencil<0>";
  S.Variants = VARIANTS_3(stencil);
  Cases.push_back(S);
}

void addShared(std::vector<Case> &Cases, const Pool &P) {
  const int numBoxes = P.SMs * 16 * 4;
  Case B = start("boxes", "k", dim3(numBoxes), dim3(128), P.out<float>(),
                 size_t(numBoxes) * 128 * 4);
  B.arguments(P.in<float4>(), P.out<float>(), numBoxes);
  B.Known = {.Trips = 9 * 128,
             .Loads = 0,
             .Flops = 10,
             .Bytes = numBoxes * 128 * 20.0};
  B.Kernel = "boxes";
  B.Variants = {{0, (void *)boxes}};
  Cases.push_back(B);

  const int units = 16384, inputs = 16384;
  const size_t Sums = size_t(inputs / 16) * units * 4;
  Case L = start("layer", "s", dim3(units / 16, inputs / 16), dim3(16, 16),
                 P.out<float>(), Sums);
  L.arguments(P.in<float>(), P.in<float>(4096), P.out<float>(), units);
  L.Known = {.Trips = 1,
             .LinesPerWarp = 3,
             .Loads = 2,
             .Stores = 1,
             .Flops = 2,
             .Bytes = double(units) * inputs * 4};
  L.Kernel = "layer";
  L.Variants = {{0, (void *)layer}};
  Cases.push_back(L);

  const int n = 16384;
  Case U = start("lu-update", "k", dim3(n / 16 - 1, n / 16 - 1), dim3(16, 16),
                 P.out<float>(), size_t(n) * n * 4);
  U.arguments(P.in<float>(), P.out<float>(), n);
  U.Known = {.Trips = 16,
             .LinesPerWarp = 6,
             .Loads = 0,
             .Flops = 2,
             .Bytes = 2.0 * n * n * 4};
  U.Kernel = "luUpdate";
  U.Variants = {{0, (void *)luUpdate}};
  Cases.push_back(U);
}

void addSums(std::vector<Case> &Cases, const Pool &P) {
  const int words = 1 << 26;
  Case H = start("histogram", "k", dim3(P.SMs * 8), dim3(256),
                 P.out<unsigned>(), 1024);
  H.Type = "int";
  H.arguments(P.in<unsigned>(bench::IntAt), P.out<unsigned>(), words);
  H.Known = {.Trips = words / (P.SMs * 8 * 256),
             .LinesPerWarp = 1,
             .OwnLinesPerWarp = 1,
             .Loads = 1,
             .Bytes = words * 4.0};
  H.Kernel = "histogram<0>";
  H.Variants = VARIANTS_3(histogram);
  Cases.push_back(H);

  const size_t n = size_t(1) << 29;
  Case R = start("reduction", "k", dim3(P.SMs * 8), dim3(256), P.out<float>(),
                 size_t(P.SMs) * 8 * 4);
  R.arguments(P.in<float>(), P.out<float>(), n);
  R.Known = {.Trips = (long long)(n / (P.SMs * 8 * 256)),
             .LinesPerWarp = 1,
             .OwnLinesPerWarp = 1,
             .Loads = 1,
             .Flops = 1,
             .Bytes = n * 4.0,
             .CanBatch = true};
  R.Kernel = "reduction<0>";
  R.Variants = VARIANTS_3(reduction);
  Cases.push_back(R);
}

} // namespace

void bench::addInsensitive(std::vector<Case> &Cases, const Pool &P) {
  addProducts(Cases, P);
  addGrids(Cases, P);
  addShared(Cases, P);
  addSums(Cases, P);
}
