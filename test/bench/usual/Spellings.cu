//===- Spellings.cu - The usual kernels: ways to write ---------*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums of rows, each written in another way.
//
//===----------------------------------------------------------------------===//
#include "Usual.h"
#include <cfloat>
#include <cmath>

__global__ void rowsum_while(const float *x, float *o, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  float s = 0;
  int c = 0;
  while (c < cols) {
    s += x[r * cols + c];
    c++;
  }
  o[r] = s;
}

__global__ void rowsum_ptr(const float *x, float *o, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  const float *p = x + r * cols, *e = p + cols;
  float s = 0;
  for (; p < e; ++p)
    s += *p;
  o[r] = s;
}

__global__ void mv2d(const float A[][Columns], const float *x, float *y,
                     int rows) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows)
    return;
  float s = 0;
  for (int j = 0; j < Columns; j++)
    s += A[i][j] * x[j];
  y[i] = s;
}

__device__ float Matrix[8192][Columns];
__global__ void rowmax(float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 8192)
    return;
  float m = Matrix[i][0];
  for (int j = 1; j < Columns; j++)
    m = fmaxf(m, Matrix[i][j]);
  y[i] = m;
}

__global__ void dotldg(const float *__restrict__ A, const float *__restrict__ x,
                       float *y, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float s = 0;
  for (int j = 0; j < m; j++)
    s += __ldg(&A[i * m + j]) * __ldg(x + j);
  y[i] = s;
}

#define IDX(i, j, ld) ((i) * (ld) + (j))
__global__ void macroidx(const float *A, float *y, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float s = 0;
  for (int j = 0; j < m; j++)
    s += A[IDX(i, j, m)];
  y[i] = s;
}

__global__ void unroll4(const float *A, const float *x, float *y, int n,
                        int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  for (int j = 0; j < m; j += 4) {
    s0 += A[i * m + j] * x[j];
    s1 += A[i * m + j + 1] * x[j + 1];
    s2 += A[i * m + j + 2] * x[j + 2];
    s3 += A[i * m + j + 3] * x[j + 3];
  }
  y[i] = s0 + s1 + s2 + s3;
}

__device__ float dot(const float *a, const float *b, int n) {
  float s = 0;
  for (int k = 0; k < n; k++)
    s += a[k] * b[k];
  return s;
}
__global__ void gram(const float *X, float *G, int n, int d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float xx = dot(X + i * d, X + i * d, d);
  float x0 = dot(X + i * d, X, d);
  G[i] = xx - 2 * x0;
}

__device__ float norm2(const float *a, int n) {
  float s = 0;
  for (int k = 0; k < n; k++)
    s += a[k] * a[k];
  return s;
}
__global__ void norms(const float *X, float *G, int n, int d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    G[i] = sqrtf(norm2(&X[i * d], d));
}

__global__ void vec4(const float *A, float *y, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float4 *p = reinterpret_cast<const float4 *>(A + (size_t)i * m);
  float s = 0;
  for (int j = 0; j < m / 4; j++) {
    float4 v = p[j];
    s += v.x + v.y + v.z + v.w;
  }
  y[i] = s;
}

__global__ void lam(const float *A, float *y, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  auto at = [&](int j) { return A[i * m + j]; };
  float s = 0;
  for (int j = 0; j < m; j++)
    s += at(j);
  y[i] = s;
}

__global__ void ptr_inc(const float *A, float *y, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float *p = A + (size_t)i * m;
  float s = 0;
  for (int j = 0; j < m; j++)
    s += *p++;
  y[i] = s;
}

__global__ void copy_ptr(const float *A, float *out, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float *p = A + (size_t)i * m;
  float *q = out + (size_t)i * m;
  for (int j = 0; j < m; j++)
    *q++ = 2 * *p++;
}

__global__ void index_inc(const float *A, const float *x, float *y, int n,
                          int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int at = i * m;
  float s = 0;
  for (int j = 0; j < m; j++, at++)
    s += A[at] * x[j];
  y[i] = s;
}

__global__ void byref(const float *A, float *y, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float s = 0;
  for (int j = 0; j < m; j++) {
    const float &v = A[i * m + j];
    s += v * v + v;
  }
  y[i] = s;
}

__global__ void remainder4(const float *A, const float *x, float *y, int n,
                           int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float s = 0;
  int j = 0;
  for (; j + 3 < m; j += 4)
    s += A[i * m + j] * x[j] + A[i * m + j + 1] * x[j + 1] +
         A[i * m + j + 2] * x[j + 2] + A[i * m + j + 3] * x[j + 3];
  for (; j < m; j++)
    s += A[i * m + j] * x[j];
  y[i] = s;
}

template <typename T> __device__ T total(const T *row, int n) {
  T s = 0;
  for (int k = 0; k < n; k++)
    s += row[k];
  return s;
}
__global__ void means(const float *X, float *y, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = total(X + (size_t)i * m, m) / m;
}
__global__ void differences(const float *X, const float *Z, float *y, int n,
                            int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = total(X + (size_t)i * m, m) - total(Z + (size_t)i * m, m);
}

__global__ void lamwalk(const float *A, const float *x, float *y, int n,
                        int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  auto dotWith = [&](const float *row) {
    float s = 0;
    for (int j = 0; j < m; j++)
      s += row[j] * x[j];
    return s;
  };
  y[i] = dotWith(A + (size_t)i * m);
}

struct View {
  const float *data;
  int rows, columns;
  __device__ float at(int r, int c) const {
    return data[(size_t)r * columns + c];
  }
};

__global__ void view_at(View A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= A.rows)
    return;
  float s = 0;
  for (int j = 0; j < A.columns; j++)
    s += A.at(i, j);
  y[i] = s;
}

__device__ float element(const float *A, int i, int j, int m) {
  return A[(size_t)i * m + j];
}

__global__ void spread(const float *A, float *y, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float mean = 0, sum = 0;
  for (int j = 0; j < m; j++)
    mean += element(A, i, j, m);
  mean /= m;
  for (int j = 0; j < m; j++)
    sum += (element(A, i, j, m) - mean) * (element(A, i, j, m) - mean);
  y[i] = sum / m;
}

__global__ void lam_at(const float *A, const float *x, float *y, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  auto at = [&](int j) { return A[(size_t)i * m + j]; };
  float s = 0;
  for (int j = 0; j < m; j++)
    s += at(j) * x[j];
  y[i] = s;
}

__global__ void mirror(float *A, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  for (int j = 0; j < m; j++)
    if (A[(size_t)i * m + j] > -1 && A[(size_t)i * m + j] < 1)
      A[(size_t)i * m + j] = -A[(size_t)i * m + j];
}

__global__ void softmax64(const float *A, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float *row = A + i * 64;
  float most = row[0], sum = 0;
  for (int j = 1; j < 64; j++)
    most = fmaxf(most, row[j]);
  for (int j = 0; j < 64; j++)
    sum += expf(row[j] - most);
  for (int j = 0; j < 64; j++)
    out[i * 64 + j] = expf(row[j] - most) / sum;
}

namespace {
const Case Cases[] = {
    {"rowsum_while",
     [] { rowsum_while<<<Blocks, Threads>>>(In, Out, Rows, 1024); }},
    {"rowsum_ptr",
     [] { rowsum_ptr<<<Blocks, Threads>>>(In, Out, Rows, 1024); }},
    {"mv2d",
     [] {
       mv2d<<<Blocks, Threads>>>((const float (*)[Columns])In, X, Out, Rows);
     }},
    {"rowmax", [] { rowmax<<<64, 128>>>(Out); }},
    {"dotldg", [] { dotldg<<<Blocks, Threads>>>(In, X, Out, Rows, 1024); }},
    {"macroidx", [] { macroidx<<<Blocks, Threads>>>(In, Out, Rows, 1024); }},
    {"unroll4", [] { unroll4<<<Blocks, Threads>>>(In, X, Out, Rows, 1024); }},
    {"gram", [] { gram<<<Blocks, Threads>>>(In, Out, Rows, 1024); }},
    {"norms", [] { norms<<<Blocks, Threads>>>(In, Out, Rows, 1024); }},
    {"vec4", [] { vec4<<<Blocks, Threads>>>(In, Out, Rows, 1024); }},
    {"lam", [] { lam<<<Blocks, Threads>>>(In, Out, Rows, 1024); }},
    {"ptr_inc", [] { ptr_inc<<<Blocks, Threads>>>(In, Out, Rows, 1024); }},
    {"copy_ptr", [] { copy_ptr<<<Blocks, Threads>>>(In, Out, Rows, 1024); }},
    {"index_inc",
     [] { index_inc<<<Blocks, Threads>>>(In, X, Out, Rows, 1024); }},
    {"byref", [] { byref<<<Blocks, Threads>>>(In, Out, Rows, 1024); }},
    {"remainder4",
     [] { remainder4<<<Blocks, Threads>>>(In, X, Out, Rows, 1024); }},
    {"means", [] { means<<<Blocks, Threads>>>(In, Out, Rows, 1024); }},
    {"differences",
     [] { differences<<<Blocks, Threads>>>(In, Other, Out, Rows, 1024); }},
    {"lamwalk", [] { lamwalk<<<Blocks, Threads>>>(In, X, Out, Rows, 1024); }},
    {"view_at",
     [] { view_at<<<Blocks, Threads>>>(View{In, Rows, 1024}, Out); }},
    {"spread", [] { spread<<<Blocks, Threads>>>(In, Out, Rows, 1024); }},
    {"lam_at", [] { lam_at<<<Blocks, Threads>>>(In, X, Out, Rows, 1024); }},
    {"mirror", [] { mirror<<<Blocks, Threads>>>(Out, Rows, 1024); }},
    {"softmax64", [] { softmax64<<<Blocks, Threads>>>(In, Out, Rows); }},
};
} // namespace

int main() { return measure(Cases, std::size(Cases)); }
