//===- Replay.cu - Kernels launched once each -----------------*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   Replay [rows] [seconds before] [seconds behind]
//
//   products    y = the product of each row of A with x, added up in memory
//   doubles     each row of A in place: what it read is not there any more
//   pointed     rows that an array of pointers in device memory leads to
//   counted     sums by atomicAdd of integers, of which the order is not seen
//
// The host is busy for so long before the first launch and behind the last:
// with `catt-tune --replay` a variant runs without what is behind. All values
// are small integers, so that sums are exact in float in any order. It prints a
// sum over the results of each kernel, and whether it is right.
//
//===----------------------------------------------------------------------===//
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

constexpr int Columns = 1024, Block = 256;
constexpr int Period = 35; // rows, after which the matrix repeats

__global__ void products(const float *A, const float *x, float *y, int rows) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows)
    for (int j = 0; j < Columns; j++)
      y[i] += A[i * Columns + j] * x[j];
}

__global__ void doubles(float *A, int rows) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows)
    for (int j = 0; j < Columns; j++)
      A[i * Columns + j] = A[i * Columns + j] + A[i * Columns + j];
}

struct Lines {
  const float *const *line;
  int count;
};

__global__ void pointed(Lines lines, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < lines.count)
    for (int j = 0; j < Columns; j++)
      y[i] += lines.line[i][j] * x[j];
}

__global__ void counted(const float *A, const float *x, int *histogram,
                        int rows) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows) {
    float sum = 0;
    for (int j = 0; j < Columns; j++)
      sum += A[i * Columns + j] * x[j];
    atomicAdd(&histogram[i % Block], int(sum));
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

template <class T> T *onDevice(const std::vector<T> &values) {
  T *made = nullptr;
  CUDA(cudaMalloc(&made, values.size() * sizeof(T)));
  CUDA(cudaMemcpy(made, values.data(), values.size() * sizeof(T),
                  cudaMemcpyHostToDevice));
  return made;
}

template <class T> double sumOf(const T *device, size_t count) {
  std::vector<T> values(count);
  CUDA(cudaMemcpy(values.data(), device, count * sizeof(T),
                  cudaMemcpyDeviceToHost));
  double sum = 0;
  for (T value : values)
    sum += double(value);
  return sum;
}

void work(double seconds) {
  const auto begin = std::chrono::steady_clock::now();
  volatile unsigned state = 1;
  while (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
             .count() < seconds)
    state = state * 1664525u + 1013904223u;
}

int element(int row, int column) { return (row % Period + 3 * column) % 5; }
int factor(int column) { return column % 3; }

int check(const char *name, double is, double wanted) {
  const bool right = is == wanted;
  std::printf("%s %.0f %s\n", name, is, right ? "right" : "wrong");
  return right ? 0 : 1;
}

int main(int argc, char **argv) {
  const int rows = argc > 1 ? std::atoi(argv[1]) : 131072;
  const double before = argc > 2 ? std::atof(argv[2]) : 0;
  const double behind = argc > 3 ? std::atof(argv[3]) : 0;
  std::vector<float> values(size_t(rows) * Columns), factors(Columns);
  double all = 0, weighed = 0; // of the matrix; of it and x
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < Columns; ++j) {
      values[size_t(i) * Columns + j] = float(element(i, j));
      all += element(i, j);
      weighed += element(i, j) * factor(j);
    }
  for (int j = 0; j < Columns; ++j)
    factors[j] = float(factor(j));
  float *A = onDevice(values), *x = onDevice(factors);
  float *y = onDevice(std::vector<float>(rows));
  float *z = onDevice(std::vector<float>(rows));
  int *histogram = onDevice(std::vector<int>(Block));
  std::vector<const float *> starts(rows);
  for (int i = 0; i < rows; ++i)
    starts[i] = A + size_t(rows - 1 - i) * Columns;
  const float *const *line = onDevice(starts);
  work(before);

  const int grid = (rows + Block - 1) / Block;
  products<<<grid, Block>>>(A, x, y, rows);
  doubles<<<grid, Block>>>(A, rows);
  const Lines lines{line, rows};
  pointed<<<grid, Block>>>(lines, x, z);
  counted<<<grid, Block>>>(A, x, histogram, rows);
  CUDA(cudaGetLastError());
  CUDA(cudaDeviceSynchronize());

  int wrong = check("products", sumOf(y, rows), weighed);
  wrong += check("doubles", sumOf(A, values.size()), 2 * all);
  wrong += check("pointed", sumOf(z, rows), 2 * weighed);
  wrong += check("counted", sumOf(histogram, Block), 2 * weighed);
  work(behind);
  return wrong != 0;
}
