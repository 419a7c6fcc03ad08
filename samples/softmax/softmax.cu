//===- softmax.cu - softmax of the rows of a matrix ------------*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// weights[i][j] = exp(scores[i][j]) / sum over k of exp(scores[i][k])
//
// Every thread walks one row three times: for its maximum, which is subtracted
// so that no exponential overflows, for the sum, and to divide by it:
//
//        j ->                       lanes of a warp stand one below the other,
//   i    s s s s s s s ...          a row apart: each load touches 32 cache
//   |    s s s s s s s ...          lines, and each store of the third walk 32
//   v    s s s s s s s ...          of another matrix.
//
//   nvcc -O3 -arch=native softmax.cu -o softmax
//   ./softmax [rows [columns]]      default 131072 1024
//
// Every weight is compared with one in double precision:
// |difference| <= 1e-4 * weight.
//
//===----------------------------------------------------------------------===//
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

constexpr int Block = 256;

__global__ void softmax(const float *scores, float *weights, int rows,
                        int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows) {
    float largest = -INFINITY;
    for (int j = 0; j < columns; j++)
      largest = fmaxf(largest, scores[i * columns + j]);
    float sum = 0;
    for (int j = 0; j < columns; j++)
      sum += expf(scores[i * columns + j] - largest);
    for (int j = 0; j < columns; j++)
      weights[i * columns + j] = expf(scores[i * columns + j] - largest) / sum;
  }
}

#define CUDA(call)                                                             \
  do {                                                                         \
    cudaError_t status = (call);                                               \
    if (status != cudaSuccess) {                                               \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,                  \
                   cudaGetErrorString(status));                                \
      std::exit(1);                                                            \
    }                                                                          \
  } while (0)

// A multiple of 1/4 in [-8, 8) that looks random and is the same everywhere.
static float score(unsigned k) {
  k *= 2654435761u;
  k ^= k >> 15;
  k *= 2246822519u;
  k ^= k >> 13;
  return (static_cast<int>(k % 64) - 32) / 4.0f;
}

// The matrix repeats a pattern of this many rows: the host needs to compute
// only so many, and still checks every row. A prime, so that it is out of step
// with blocks and warps.
constexpr int Period = 251;

static std::vector<double> expected(const float *row, int columns) {
  double largest = -INFINITY, sum = 0;
  for (int j = 0; j < columns; j++)
    largest = std::fmax(largest, row[j]);
  std::vector<double> weights(columns);
  for (int j = 0; j < columns; j++)
    sum += weights[j] = std::exp(row[j] - largest);
  for (double &weight : weights)
    weight /= sum;
  return weights;
}

int main(int argc, char **argv) {
  int rows = argc > 1 ? std::atoi(argv[1]) : 131072;
  int columns = argc > 2 ? std::atoi(argv[2]) : 1024;
  if (rows < 1 || columns < 1 || rows > 2147483647 / columns) {
    std::fprintf(stderr, "usage: softmax [rows [columns]], below 2^31 scores "
                         "together\n");
    return 1;
  }

  const size_t rowBytes = columns * sizeof(float), bytes = rows * rowBytes;
  std::vector<float> scores(size_t(Period) * columns);
  for (size_t k = 0; k < scores.size(); k++)
    scores[k] = score(unsigned(k));
  float *dScores, *dWeights;
  CUDA(cudaMalloc(&dScores, bytes));
  CUDA(cudaMalloc(&dWeights, bytes));
  for (int i = 0; i < rows; i += Period)
    CUDA(cudaMemcpy(dScores + size_t(i) * columns, scores.data(),
                    (rows - i < Period ? rows - i : Period) * rowBytes,
                    cudaMemcpyHostToDevice));

  cudaEvent_t start, stop;
  CUDA(cudaEventCreate(&start));
  CUDA(cudaEventCreate(&stop));
  float ms = 0;
  for (int run = 0; run < 2; run++) { // the first one warms up
    CUDA(cudaMemset(dWeights, 0, bytes));
    CUDA(cudaEventRecord(start));
    softmax<<<(rows + Block - 1) / Block, Block>>>(dScores, dWeights, rows,
                                                   columns);
    CUDA(cudaEventRecord(stop));
    CUDA(cudaGetLastError());
    CUDA(cudaEventSynchronize(stop));
    CUDA(cudaEventElapsedTime(&ms, start, stop));
  }
  std::vector<float> weights(size_t(rows) * columns);
  CUDA(cudaMemcpy(weights.data(), dWeights, bytes, cudaMemcpyDeviceToHost));

  long long wrong = 0;
  for (int r = 0; r < Period && r < rows; r++) {
    std::vector<double> right = expected(&scores[size_t(r) * columns], columns);
    for (int i = r; i < rows; i += Period)
      for (int j = 0; j < columns; j++) {
        double off = weights[size_t(i) * columns + j] - right[j];
        wrong += !(std::fabs(off) <= 1e-4 * right[j]);
      }
  }
  std::printf("softmax: %d x %d, %.3f ms, %s\n", rows, columns, ms,
              wrong ? "WRONG" : "OK");
  CUDA(cudaFree(dScores));
  CUDA(cudaFree(dWeights));
  return wrong != 0;
}
