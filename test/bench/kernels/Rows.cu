//===- Rows.cu - The linear algebra of the CATT paper ----------*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// gesummv, atax, mvt, bicg, mv: one thread per row (contended), one thread per
// column (not). syr2k, syrk: blocks of 32 x 8. Written from the definitions in
// the head of each kernel.
//
//===----------------------------------------------------------------------===//
#include "../Harness.h"

namespace {
using bench::Case;
using bench::Pool;

// y = alpha A x + beta B x, the number of columns compiled in.
template <typename T, int Columns, int Warps>
__global__ void gesummvFixed(const T *A, const T *B, const T *x, T *y, T *tmp,
                             int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  BY_WARPS(Warps) {
    if (i < n) {
      for (int j = 0; j < Columns; ++j) {
        tmp[i] += A[i * Columns + j] * x[j];
        y[i] += B[i * Columns + j] * x[j];
      }
      y[i] = T(2) * tmp[i] + T(3) * y[i];
    }
  }
}

// The same where only the caller knows the number of columns.
template <typename T, int Warps>
__global__ void gesummvAny(const T *A, const T *B, const T *x, T *y, T *tmp,
                           int n, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  BY_WARPS(Warps) {
    if (i < n) {
      for (int j = 0; j < columns; ++j) {
        tmp[i] += A[i * columns + j] * x[j];
        y[i] += B[i * columns + j] * x[j];
      }
      y[i] = T(2) * tmp[i] + T(3) * y[i];
    }
  }
}

// tmp = A x: the first phase of atax, mvt and bicg.
template <typename T, int Columns, int Warps>
__global__ void rowsFixed(const T *A, const T *x, T *tmp, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  BY_WARPS(Warps) {
    if (i < n)
      for (int j = 0; j < Columns; ++j)
        tmp[i] += A[i * Columns + j] * x[j];
  }
}

template <typename T, int Warps>
__global__ void rowsAny(const T *A, const T *x, T *tmp, int n, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  BY_WARPS(Warps) {
    if (i < n)
      for (int j = 0; j < columns; ++j)
        tmp[i] += A[i * columns + j] * x[j];
  }
}

// y = A^T tmp: the second phase.
template <typename T, int Warps>
__global__ void columnsAny(const T *A, const T *tmp, T *y, int rows,
                           int columns) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  BY_WARPS(Warps) {
    if (j < columns)
      for (int i = 0; i < rows; ++i)
        y[j] += A[size_t(i) * columns + j] * tmp[i];
  }
}

// y = A x with a sum in a register and pointers that cannot alias: the compiler
// may issue the loads of several iterations together.
template <typename T, int Warps>
__global__ void mv(const T *__restrict__ A, const T *__restrict__ x,
                   T *__restrict__ y, int n, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  T sum = 0;
  BY_WARPS(Warps) {
    if (i < n)
      for (int j = 0; j < columns; ++j)
        sum += A[i * columns + j] * x[j];
  }
  if (i < n)
    y[i] = sum;
}

// C += A B^T + B A^T, blocks of 32 x 8.
template <int Warps>
__global__ void syr2k(const float *a, const float *b, float *c, int n, int m) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  BY_WARPS(Warps) {
    if (i < n && j < n)
      for (int k = 0; k < m; ++k)
        c[i * n + j] +=
            a[i * m + k] * b[j * m + k] + b[i * m + k] * a[j * m + k];
  }
}

// C += A A^T with the second operand walked by columns, as the paper's
// insensitive group has it.
template <int Warps>
__global__ void syrk(const float *at, float *c, int n, int m) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  BY_WARPS(Warps) {
    if (i < n && j < n)
      for (int k = 0; k < m; ++k)
        c[i * n + j] += at[k * n + i] * at[k * n + j];
  }
}

template <typename T> const char *typeName();
template <> const char *typeName<float>() { return "float"; }
template <> const char *typeName<double>() { return "double"; }

template <typename T> const T *input(const Pool &P, size_t Elements) {
  return P.in<T>((sizeof(T) == 8 ? bench::DoubleAt : 0) + Elements * sizeof(T));
}

constexpr int Threads = 256;

/// One full wave of 8 blocks of 256 threads on every SM.
int wave(const Pool &P) { return P.SMs * 8 * Threads; }

Case rowCase(const Pool &P, const char *Benchmark, const char *Loop,
             const char *Type, size_t TypeBytes, int Matrices, int Columns) {
  Case C;
  C.Benchmark = Benchmark;
  C.Loop = Loop;
  C.Group = "contended";
  C.Type = Type;
  C.Grid = dim3(wave(P) / Threads);
  C.Block = dim3(Threads);
  C.Known.Trips = Columns;
  C.Known.OwnLinesPerWarp = 32.0 * Matrices;
  // The matrices' lines, one of x, and one or two of each sum.
  C.Known.LinesPerWarp = 32.0 * Matrices + 1 + Matrices * double(TypeBytes) / 4;
  C.Known.IterationsPerLine = 128.0 / TypeBytes;
  C.Known.Loads = 3 * Matrices;
  C.Known.Stores = Matrices;
  C.Known.Flops = 2 * Matrices;
  C.Known.Bytes = double(wave(P)) * Columns * TypeBytes * Matrices;
  return C;
}

template <typename T, int Columns>
void addGesummv(std::vector<Case> &Cases, const Pool &P) {
  const int n = wave(P);
  const T *A = input<T>(P, 0), *B = input<T>(P, size_t(n) * Columns);
  T *y = P.out<T>(), *tmp = y + n;
  for (bool Runtime : {false, true}) {
    std::string Name = std::string("gesummv-") + typeName<T>() +
                       (Runtime ? "-runtime" : "-fixed");
    Case C =
        rowCase(P, Name.c_str(), "j", typeName<T>(), sizeof(T), 2, Columns);
    C.RuntimeSize = Runtime;
    C.Output = y;
    C.OutputBytes = 2 * size_t(n) * sizeof(T);
    C.arguments(A, B, A, y, tmp, n);
    if (Runtime) {
      C.Kernel = std::string("gesummvAny<") + typeName<T>() + ", 0>";
      C.arguments(Columns);
      C.Variants = {
          {0, (void *)gesummvAny<T, 0>}, {6, (void *)gesummvAny<T, 6>},
          {4, (void *)gesummvAny<T, 4>}, {3, (void *)gesummvAny<T, 3>},
          {2, (void *)gesummvAny<T, 2>}, {1, (void *)gesummvAny<T, 1>}};
    } else {
      C.Kernel = std::string("gesummvFixed<") + typeName<T>() + ", " +
                 std::to_string(Columns) + ", 0>";
      C.Variants = {{0, (void *)gesummvFixed<T, Columns, 0>},
                    {6, (void *)gesummvFixed<T, Columns, 6>},
                    {4, (void *)gesummvFixed<T, Columns, 4>},
                    {3, (void *)gesummvFixed<T, Columns, 3>},
                    {2, (void *)gesummvFixed<T, Columns, 2>},
                    {1, (void *)gesummvFixed<T, Columns, 1>}};
    }
    Cases.push_back(C);
  }
}

template <typename T, int Columns>
void addRowsFixed(std::vector<Case> &Cases, const Pool &P, const char *Name) {
  const int n = wave(P);
  T *tmp = P.out<T>();
  Case C = rowCase(P, Name, "rows", typeName<T>(), sizeof(T), 1, Columns);
  C.Output = tmp;
  C.OutputBytes = size_t(n) * sizeof(T);
  C.arguments(input<T>(P, 0), input<T>(P, 0), tmp, n);
  C.Kernel = std::string("rowsFixed<") + typeName<T>() + ", " +
             std::to_string(Columns) + ", 0>";
  C.Variants = {{0, (void *)rowsFixed<T, Columns, 0>},
                {6, (void *)rowsFixed<T, Columns, 6>},
                {4, (void *)rowsFixed<T, Columns, 4>},
                {3, (void *)rowsFixed<T, Columns, 3>},
                {2, (void *)rowsFixed<T, Columns, 2>},
                {1, (void *)rowsFixed<T, Columns, 1>}};
  Cases.push_back(C);
}

template <typename T>
void addRowsAny(std::vector<Case> &Cases, const Pool &P, const char *Name,
                int Columns) {
  const int n = wave(P);
  T *tmp = P.out<T>();
  Case C = rowCase(P, Name, "rows", typeName<T>(), sizeof(T), 1, Columns);
  C.RuntimeSize = true;
  C.Output = tmp;
  C.OutputBytes = size_t(n) * sizeof(T);
  C.arguments(input<T>(P, 0), input<T>(P, 0), tmp, n, Columns);
  C.Kernel = std::string("rowsAny<") + typeName<T>() + ", 0>";
  C.Variants = {{0, (void *)rowsAny<T, 0>}, {6, (void *)rowsAny<T, 6>},
                {4, (void *)rowsAny<T, 4>}, {3, (void *)rowsAny<T, 3>},
                {2, (void *)rowsAny<T, 2>}, {1, (void *)rowsAny<T, 1>}};
  Cases.push_back(C);
}

template <typename T>
void addColumns(std::vector<Case> &Cases, const Pool &P, const char *Name,
                int Rows) {
  const int n = wave(P);
  T *y = P.out<T>();
  Case C = rowCase(P, Name, "columns", typeName<T>(), sizeof(T), 1, Rows);
  C.Group = "insensitive";
  C.RuntimeSize = true;
  C.Output = y;
  C.OutputBytes = size_t(n) * sizeof(T);
  C.arguments(input<T>(P, 0), input<T>(P, 0), y, Rows, n);
  C.Known.OwnLinesPerWarp = sizeof(T) / 4.0;
  C.Known.LinesPerWarp = 2 * sizeof(T) / 4.0 + 1;
  C.Known.IterationsPerLine = 1;
  C.Kernel = std::string("columnsAny<") + typeName<T>() + ", 0>";
  C.Variants = {{0, (void *)columnsAny<T, 0>},
                {4, (void *)columnsAny<T, 4>},
                {2, (void *)columnsAny<T, 2>}};
  Cases.push_back(C);
}

template <typename T>
void addMv(std::vector<Case> &Cases, const Pool &P, const char *Name,
           int Columns) {
  const int n = wave(P);
  T *y = P.out<T>();
  Case C = rowCase(P, Name, "j", typeName<T>(), sizeof(T), 1, Columns);
  C.RuntimeSize = true;
  C.Output = y;
  C.OutputBytes = size_t(n) * sizeof(T);
  C.arguments(input<T>(P, 0), input<T>(P, 0), y, n, Columns);
  C.Known.LinesPerWarp = 33;
  C.Known.Loads = 2;
  C.Known.Stores = 0;
  C.Known.CanBatch = true;
  C.Kernel = std::string("mv<") + typeName<T>() + ", 0>";
  C.Variants = {{0, (void *)mv<T, 0>}, {6, (void *)mv<T, 6>},
                {4, (void *)mv<T, 4>}, {3, (void *)mv<T, 3>},
                {2, (void *)mv<T, 2>}, {1, (void *)mv<T, 1>}};
  Cases.push_back(C);
}

void addSyr(std::vector<Case> &Cases, const Pool &P) {
  const int n = 1536, m = 1024;
  float *c = P.out<float>();
  Case C;
  C.Type = "float";
  C.RuntimeSize = true;
  C.Grid = dim3(n / 32, n / 8);
  C.Block = dim3(32, 8);
  C.Output = c;
  C.OutputBytes = size_t(n) * n * sizeof(float);
  Case S = C;

  C.Benchmark = "syr2k";
  C.Loop = "k";
  C.Group = "contended";
  C.arguments(P.in<float>(), P.in<float>(size_t(n) * m * 4), c, n, m);
  // The 64 lines of the columns' rows are the block's, not one warp's.
  C.Known = {.Trips = m,
             .LinesPerWarp = 67,
             .OwnLinesPerWarp = 2,
             .IterationsPerLine = 32,
             .Loads = 5,
             .Stores = 1,
             .Flops = 4,
             .Bytes = 2.0 * n * m * 4 + 2.0 * n * n * 4};
  C.Kernel = "syr2k<0>";
  C.Variants = {{0, (void *)syr2k<0>},
                {4, (void *)syr2k<4>},
                {3, (void *)syr2k<3>},
                {2, (void *)syr2k<2>},
                {1, (void *)syr2k<1>}};
  Cases.push_back(C);

  S.Benchmark = "syrk";
  S.Loop = "k";
  S.Group = "insensitive";
  S.arguments(P.in<float>(), c, n, m);
  S.Known = {.Trips = m,
             .LinesPerWarp = 3,
             .OwnLinesPerWarp = 0,
             .IterationsPerLine = 1,
             .Loads = 3,
             .Stores = 1,
             .Flops = 2,
             .Bytes = 1.0 * n * m * 4 + 2.0 * n * n * 4};
  S.Kernel = "syrk<0>";
  S.Variants = {
      {0, (void *)syrk<0>}, {4, (void *)syrk<4>}, {2, (void *)syrk<2>}};
  Cases.push_back(S);
}

} // namespace

void bench::addRows(std::vector<Case> &Cases, const Pool &P) {
  addGesummv<float, 1024>(Cases, P);
  addGesummv<double, 512>(Cases, P);
  addRowsFixed<float, 2048>(Cases, P, "atax-float");
  addColumns<float>(Cases, P, "atax-float", 2048);
  addRowsFixed<double, 1024>(Cases, P, "atax-double");
  addColumns<double>(Cases, P, "atax-double", 1024);
  addRowsFixed<float, 1200>(Cases, P, "mvt");
  addColumns<float>(Cases, P, "mvt", 1200);
  addRowsAny<float>(Cases, P, "bicg", 1000);
  addColumns<float>(Cases, P, "bicg", 1000);
  addMv<float>(Cases, P, "mv-float", 1500);
  addMv<double>(Cases, P, "mv-double", 1000);
  addSyr(Cases, P);
}
