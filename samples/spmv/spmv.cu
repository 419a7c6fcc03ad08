//===- spmv.cu - y = A x, A sparse and stored by rows ----------*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compressed sparse rows: the elements of row i stand at start[i] up to
// start[i + 1], without gaps. Every thread adds up one row:
//
//   value   a a a a | b b | c c c c c | d d d | ...
//           ^ lane 0  ^ 1   ^ lane 2    ^ 3
//
// Where a row begins and how long it is, memory says; x is read wherever the
// columns lead. What no analysis of the source can see is no reason to change
// anything: the loop is to be left alone.
//
//   nvcc -O3 -arch=native spmv.cu -o spmv
//   ./spmv [rows]                   default 1048576
//
// All inputs are small integers, so that every sum is exact in float in any
// order, and the result is compared for equality.
//
//===----------------------------------------------------------------------===//
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

constexpr int Block = 128;
constexpr int ShortestRow = 8, LongestRow = 71;

__global__ void spmv(const int *start, const int *column, const float *value,
                     const float *x, float *y, int rows) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows) {
    float sum = 0;
    for (int k = start[i]; k < start[i + 1]; k++)
      sum += value[k] * x[column[k]];
    y[i] = sum;
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

// Looks random and is the same everywhere.
static unsigned mixed(unsigned k) {
  k *= 2654435761u;
  k ^= k >> 15;
  k *= 2246822519u;
  k ^= k >> 13;
  return k;
}

// An integer in [-3, 3].
static float small(unsigned k) { return static_cast<float>(mixed(k) % 7) - 3; }

template <class T> static T *upload(const std::vector<T> &host) {
  T *device;
  CUDA(cudaMalloc(&device, host.size() * sizeof(T)));
  CUDA(cudaMemcpy(device, host.data(), host.size() * sizeof(T),
                  cudaMemcpyHostToDevice));
  return device;
}

int main(int argc, char **argv) {
  int rows = argc > 1 ? std::atoi(argv[1]) : 1048576;
  if (rows < 1 || rows > 2147483647 / LongestRow) {
    std::fprintf(stderr, "usage: spmv [rows, 1 to %d]\n",
                 2147483647 / LongestRow);
    return 1;
  }

  std::vector<int> start(rows + 1), column;
  std::vector<float> value, x(rows), y(rows);
  for (int i = 0; i < rows; i++)
    start[i + 1] = start[i] + ShortestRow +
                   int(mixed(i) % (LongestRow - ShortestRow + 1));
  column.resize(start[rows]);
  value.resize(start[rows]);
  for (int k = 0; k < start[rows]; k++) {
    column[k] = int(mixed(k + 12345u) % unsigned(rows));
    value[k] = small(k + 777u);
  }
  for (int i = 0; i < rows; i++)
    x[i] = small(i + 99u);
  int *dStart = upload(start), *dColumn = upload(column);
  float *dValue = upload(value), *dX = upload(x), *dY = upload(y);

  cudaEvent_t begin, end;
  CUDA(cudaEventCreate(&begin));
  CUDA(cudaEventCreate(&end));
  float ms = 0;
  for (int run = 0; run < 2; run++) { // the first one warms up
    CUDA(cudaMemset(dY, 0, rows * sizeof(float)));
    CUDA(cudaEventRecord(begin));
    spmv<<<(rows + Block - 1) / Block, Block>>>(dStart, dColumn, dValue, dX, dY,
                                                rows);
    CUDA(cudaEventRecord(end));
    CUDA(cudaGetLastError());
    CUDA(cudaEventSynchronize(end));
    CUDA(cudaEventElapsedTime(&ms, begin, end));
  }
  CUDA(cudaMemcpy(y.data(), dY, rows * sizeof(float), cudaMemcpyDeviceToHost));

  int wrong = 0;
  for (int i = 0; i < rows; i++) {
    double sum = 0;
    for (int k = start[i]; k < start[i + 1]; k++)
      sum += double(value[k]) * x[column[k]];
    wrong += y[i] != float(sum);
  }
  std::printf("spmv: %d rows, %d elements, %.3f ms, %s\n", rows, start[rows],
              ms, wrong ? "WRONG" : "OK");
  CUDA(cudaFree(dStart));
  CUDA(cudaFree(dColumn));
  CUDA(cudaFree(dValue));
  CUDA(cudaFree(dX));
  CUDA(cudaFree(dY));
  return wrong != 0;
}
