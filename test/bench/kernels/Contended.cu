//===- Contended.cu - Loops whose lanes own their lines --------*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// k-means and the particle filter of the CATT paper, and loops of the kinds
// that public code has: attention scores, softmax, sparse rows, walks over
// arrays of structs, small matrices. In all of them a lane walks a stretch of
// memory of its own.
//
//===----------------------------------------------------------------------===//
#include "../Harness.h"

namespace {
using bench::Case;
using bench::Pool;

constexpr int Features = 34;

// The nearest of a few centres for each point; a point's features come back
// once per centre.
template <int Warps>
__global__ void kmeans(const float *points, const float *centres,
                       int *membership, int npoints, int ncentres) {
  const int point = blockIdx.x * blockDim.x + threadIdx.x;
  BY_WARPS(Warps) {
    if (point < npoints) {
      int nearest = -1;
      float least = 3.0e38f;
      for (int i = 0; i < ncentres; ++i) {
        float distance = 0;
#pragma unroll 2
        for (int j = 0; j < Features; ++j) {
          const float d =
              points[point * Features + j] - centres[i * Features + j];
          distance += d * d;
        }
        if (distance < least) {
          least = distance;
          nearest = i;
        }
      }
      membership[point] = nearest;
    }
  }
}

// Particle filter: indices of the pixels under each particle, then the
// likelihood over them. Two loops, throttled alike, as two sites.
template <int Warps>
__global__ void particles(const int *dx, const int *dy, int *index,
                          const unsigned char *pixels, float *weights, int n,
                          int numPixels, int width) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  BY_WARPS(Warps) {
    if (i < n)
      for (int k = 0; k < numPixels; ++k)
        index[i * numPixels + k] =
            (i % 61 + (dy[k] & 31)) * width + i % 127 + (dx[k] & 31);
  }
  BY_WARPS(Warps) {
    if (i < n) {
      float sum = 0;
      for (int k = 0; k < numPixels; ++k) {
        const float p = pixels[index[i * numPixels + k]];
        sum += (p - 100) * (p - 100) - (p - 228) * (p - 228);
      }
      weights[i] = sum / numPixels;
    }
  }
}

// score = q . key / sqrt(d): one key row per thread.
template <int Warps>
__global__ void scores(const float *q, const float *keys, float *score,
                       int numKeys, int d, float scale) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  BY_WARPS(Warps) {
    if (i < numKeys) {
      float sum = 0;
      for (int k = 0; k < d; ++k)
        sum += q[k] * keys[i * d + k];
      score[i] = sum * scale;
    }
  }
}

// Softmax, one row per thread: the largest, the sum, the quotients.
template <int Warps>
__global__ void softmax(const float *in, float *out, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float largest = -3.0e38f, sum = 0;
  BY_WARPS(Warps) {
    if (i < rows)
      for (int j = 0; j < columns; ++j)
        largest = fmaxf(largest, in[i * columns + j]);
  }
  BY_WARPS(Warps) {
    if (i < rows)
      for (int j = 0; j < columns; ++j) {
        const float e = __expf(in[i * columns + j] - largest);
        out[i * columns + j] = e;
        sum += e;
      }
  }
  BY_WARPS(Warps) {
    if (i < rows)
      for (int j = 0; j < columns; ++j)
        out[i * columns + j] /= sum;
  }
}

// y = A x, A in compressed sparse rows. Every row has `perRow` entries here, so
// that no array of row starts has to be made; it is loaded all the same.
template <int Warps>
__global__ void spmv(const int *starts, const int *columns, const float *values,
                     const float *x, float *y, int rows, int perRow, int mask) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  BY_WARPS(Warps) {
    if (i < rows) {
      float sum = 0;
      const int first = i * perRow + (starts[i] & 0);
      const int last = first + perRow + (starts[i + 1] & 0);
      for (int k = first; k < last; ++k)
        sum += values[k] * x[columns[k] & mask];
      y[i] = sum;
    }
  }
}

struct Body {
  float x, y, z, mass, vx, vy, vz, charge;
};

// Three fields of each of a thread's own structs.
template <int Warps>
__global__ void structs(const Body *bodies, float *energy, int n, int each) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  BY_WARPS(Warps) {
    if (i < n) {
      float e = 0;
      for (int k = 0; k < each; ++k) {
        const Body &b = bodies[i * each + k];
        e += b.mass * (b.vx * b.vx + b.vy * b.vy);
      }
      energy[i] = e;
    }
  }
}

// The fields of a struct of 64 floats per thread, summed several times over.
struct Wide {
  float field[64];
};

template <int Warps>
__global__ void fields(const Wide *items, const float *factors, float *out,
                       int n, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  BY_WARPS(Warps) {
    if (i < n)
      for (int r = 0; r < rounds; ++r)
        for (int k = 0; k < 64; ++k)
          out[i] += items[i].field[k] * factors[(r * 64 + k) & 127];
  }
}

// C = A B for a batch of small matrices, one product per thread.
template <int D, int Warps>
__global__ void matrices(const float *a, const float *b, float *c, int batch) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  BY_WARPS(Warps) {
    if (i < batch)
      for (int row = 0; row < D; ++row)
#pragma unroll 1
        for (int column = 0; column < D; ++column) {
          float sum = 0;
          for (int k = 0; k < D; ++k)
            sum += a[i * D * D + row * D + k] * b[i * D * D + k * D + column];
          c[i * D * D + row * D + column] = sum;
        }
  }
}

constexpr int Threads = 256;

Case start(const char *Benchmark, const char *Loop, int Blocks, int PerBlock) {
  Case C;
  C.Benchmark = Benchmark;
  C.Loop = Loop;
  C.Group = "contended";
  C.Type = "float";
  C.RuntimeSize = true;
  C.Grid = dim3(Blocks);
  C.Block = dim3(PerBlock);
  return C;
}

void output(Case &C, void *Where, size_t Bytes) {
  C.Output = Where;
  C.OutputBytes = Bytes;
}

#define VARIANTS_8(Kernel)                                                     \
  {                                                                            \
    {0, (void *)Kernel<0>}, {6, (void *)Kernel<6>}, {4, (void *)Kernel<4>},    \
        {3, (void *)Kernel<3>}, {2, (void *)Kernel<2>}, {                      \
      1, (void *)Kernel<1>                                                     \
    }                                                                          \
  }

void addKmeans(std::vector<Case> &Cases, const Pool &P) {
  Case C = start("kmeans", "centres", P.SMs * 8 * 8, Threads);
  const int n = C.Grid.x * Threads, centres = 5;
  output(C, P.out<int>(), size_t(n) * 4);
  C.arguments(P.in<float>(), P.in<float>(size_t(n) * Features * 4),
              P.out<int>(), n, centres);
  // All 34 features of a lane have to live from one centre to the next: 34 of
  // each 128-byte row, so 32 lanes x 136 bytes are 34 lines.
  C.Known = {.Trips = Features,
             .Rounds = centres,
             .LinesPerWarp = 33,
             .OwnLinesPerWarp = 32,
             .IterationsPerLine = 32,
             .Loads = 2,
             .Flops = 3,
             .Bytes = double(n) * (Features * 4 + 4),
             .CanBatch = true};
  C.Kernel = "kmeans<0>";
  C.Variants = VARIANTS_8(kmeans);
  Cases.push_back(C);
}

void addParticles(std::vector<Case> &Cases, const Pool &P) {
  Case C = start("particles", "k", P.SMs * 4, 512);
  const int n = C.Grid.x * 512, pixels = 400, width = 512;
  float *weights = P.out<float>(size_t(n) * pixels * 4);
  output(C, weights, size_t(n) * 4);
  C.arguments(P.in<int>(bench::IntAt), P.in<int>(bench::IntAt + 4096),
              P.out<int>(), P.in<unsigned char>(bench::IntAt), weights, n,
              pixels, width);
  C.Known = {.Trips = pixels,
             .Rounds = 2,
             .LinesPerWarp = 64,
             .OwnLinesPerWarp = 32,
             .IterationsPerLine = 32,
             .Loads = 2,
             .Stores = 1,
             .Flops = 5,
             .Bytes = double(n) * pixels * 4 * 2,
             .IrregularLoads = 1};
  C.Kernel = "particles<0>";
  C.Variants = {{0, (void *)particles<0>},
                {8, (void *)particles<8>},
                {4, (void *)particles<4>},
                {2, (void *)particles<2>},
                {1, (void *)particles<1>}};
  Cases.push_back(C);
}

void addScores(std::vector<Case> &Cases, const Pool &P) {
  Case C = start("attention", "d", P.SMs * 8 * 8, Threads);
  const int n = C.Grid.x * Threads, d = 128;
  output(C, P.out<float>(), size_t(n) * 4);
  C.arguments(P.in<float>(), P.in<float>(4096), P.out<float>(), n, d, 0.125f);
  C.Known = {.Trips = d,
             .LinesPerWarp = 33,
             .OwnLinesPerWarp = 32,
             .IterationsPerLine = 32,
             .Loads = 2,
             .Flops = 2,
             .Bytes = double(n) * (d * 4 + 4),
             .CanBatch = true};
  C.Kernel = "scores<0>";
  C.Variants = VARIANTS_8(scores);
  Cases.push_back(C);
}

void addSoftmax(std::vector<Case> &Cases, const Pool &P) {
  Case C = start("softmax", "rows", P.SMs * 8, Threads);
  const int n = C.Grid.x * Threads, columns = 1000;
  output(C, P.out<float>(), size_t(n) * columns * 4);
  C.arguments(P.in<float>(), P.out<float>(), n, columns);
  C.Known = {.Trips = columns,
             .Rounds = 3,
             .LinesPerWarp = 64,
             .OwnLinesPerWarp = 64,
             .IterationsPerLine = 32,
             .Loads = 1,
             .Stores = 1,
             .Flops = 2,
             .Bytes = double(n) * columns * 4 * 5};
  C.Kernel = "softmax<0>";
  C.Variants = VARIANTS_8(softmax);
  Cases.push_back(C);
}

void addSpmv(std::vector<Case> &Cases, const Pool &P) {
  Case C = start("spmv-csr", "k", P.SMs * 8, Threads);
  const int n = C.Grid.x * Threads, each = 200, mask = 0x3fff;
  output(C, P.out<float>(), size_t(n) * 4);
  C.arguments(P.in<int>(bench::IntAt), P.in<int>(bench::IntAt), P.in<float>(),
              P.in<float>(size_t(n) * each * 4), P.out<float>(), n, each, mask);
  C.Known = {.Trips = each,
             .LinesPerWarp = 96,
             .OwnLinesPerWarp = 64,
             .IterationsPerLine = 32,
             .Loads = 3,
             .Flops = 2,
             .Bytes = double(n) * each * 8,
             .IrregularLoads = 1};
  C.Kernel = "spmv<0>";
  C.Variants = VARIANTS_8(spmv);
  Cases.push_back(C);
}

void addStructs(std::vector<Case> &Cases, const Pool &P) {
  Case C = start("structs", "k", P.SMs * 8, Threads);
  const int n = C.Grid.x * Threads, each = 200;
  output(C, P.out<float>(), size_t(n) * 4);
  C.arguments(P.in<Body>(), P.out<float>(), n, each);
  C.Known = {.Trips = each,
             .LinesPerWarp = 32,
             .OwnLinesPerWarp = 32,
             .IterationsPerLine = 4,
             .Loads = 3,
             .Flops = 4,
             .Bytes = double(n) * each * 32,
             .CanBatch = true};
  C.Kernel = "structs<0>";
  C.Variants = VARIANTS_8(structs);
  Cases.push_back(C);

  Case W = start("fields", "rounds", P.SMs * 8 * 4, Threads);
  const int m = W.Grid.x * Threads, rounds = 8;
  output(W, P.out<float>(), size_t(m) * 4);
  W.arguments(P.in<Wide>(4096), P.in<float>(), P.out<float>(), m, rounds);
  W.Known = {.Trips = 64,
             .Rounds = rounds,
             .LinesPerWarp = 34,
             .OwnLinesPerWarp = 32,
             .IterationsPerLine = 32,
             .Loads = 3,
             .Stores = 1,
             .Flops = 2,
             .Bytes = double(m) * 256};
  W.Kernel = "fields<0>";
  W.Variants = VARIANTS_8(fields);
  Cases.push_back(W);
}

template <int Warps> constexpr auto matrices8 = matrices<8, Warps>;

void addMatrices(std::vector<Case> &Cases, const Pool &P) {
  Case C = start("small-matrices", "rows", P.SMs * 8 * 4, Threads);
  const int n = C.Grid.x * Threads;
  const size_t Bytes = size_t(n) * 64 * 4;
  C.RuntimeSize = false;
  output(C, P.out<float>(), Bytes);
  C.arguments(P.in<float>(), P.in<float>(Bytes), P.out<float>(), n);
  C.Known = {.Trips = 8,
             .Rounds = 64,
             .LinesPerWarp = 96,
             .OwnLinesPerWarp = 96,
             .IterationsPerLine = 4,
             .Loads = 2,
             .Flops = 2,
             .Bytes = 3.0 * Bytes};
  C.Kernel = "matrices<8, 0>";
  C.Variants = VARIANTS_8(matrices8);
  Cases.push_back(C);
}

} // namespace

void bench::addContended(std::vector<Case> &Cases, const Pool &P) {
  addKmeans(Cases, P);
  addParticles(Cases, P);
  addScores(Cases, P);
  addSoftmax(Cases, P);
  addSpmv(Cases, P);
  addStructs(Cases, P);
  addMatrices(Cases, P);
}
