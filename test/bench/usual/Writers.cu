//===- Writers.cu - The usual kernels: a row of a row -------*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows that are written: each thread makes a row of a row.
//
//===----------------------------------------------------------------------===//
#include "Usual.h"
#include <cfloat>
#include <cmath>

__global__ void softmax1(const float *in, float *out, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < rows) {
    float m = -FLT_MAX;
    for (int c = 0; c < cols; c++)
      m = fmaxf(m, in[r * cols + c]);
    float s = 0.0f;
    for (int c = 0; c < cols; c++) {
      out[r * cols + c] = expf(in[r * cols + c] - m);
      s += out[r * cols + c];
    }
    for (int c = 0; c < cols; c++)
      out[r * cols + c] /= s;
  }
}

__global__ void softmax2(const float *in, float *out, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  const float *x = in + r * cols;
  float *y = out + r * cols;
  float m = x[0];
  for (int c = 1; c < cols; ++c)
    if (x[c] > m)
      m = x[c];
  float s = 0;
  for (int c = 0; c < cols; ++c) {
    float e = __expf(x[c] - m);
    y[c] = e;
    s += e;
  }
  float inv = 1.0f / s;
  for (int c = 0; c < cols; ++c)
    y[c] *= inv;
}

__global__ void layernorm(const float *x, const float *gamma, const float *beta,
                          float *y, int N, int D, float eps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N)
    return;
  float mean = 0.f, var = 0.f;
  for (int d = 0; d < D; d++)
    mean += x[i * D + d];
  mean /= D;
  for (int d = 0; d < D; d++) {
    float t = x[i * D + d] - mean;
    var += t * t;
  }
  var /= D;
  float rstd = rsqrtf(var + eps);
  for (int d = 0; d < D; d++)
    y[i * D + d] = (x[i * D + d] - mean) * rstd * gamma[d] + beta[d];
}

__global__ void rmsnorm(float *x, const float *w, int N, int D) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N)
    return;
  float ss = 0.f;
  for (int d = 0; d < D; d++)
    ss += x[i * D + d] * x[i * D + d];
  ss = 1.0f / sqrtf(ss / D + 1e-5f);
  for (int d = 0; d < D; d++)
    x[i * D + d] = w[d] * (ss * x[i * D + d]);
}

__global__ void cumsum(const float *x, float *y, int N, int D) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N)
    return;
  float acc = 0;
  for (int d = 0; d < D; d++) {
    acc += x[i * D + d];
    y[i * D + d] = acc;
  }
}

__global__ void iir(const float *x, float *y, int n, int len, float a,
                    float b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float prev = 0;
  for (int t = 0; t < len; t++) {
    prev = a * x[i * len + t] + b * prev;
    y[i * len + t] = prev;
  }
}

__global__ void thomas(const float *a, const float *b, const float *c, float *d,
                       float *cp, int n, int len) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int o = i * len;
  cp[o] = c[o] / b[o];
  d[o] = d[o] / b[o];
  for (int k = 1; k < len; k++) {
    float m = 1.0f / (b[o + k] - a[o + k] * cp[o + k - 1]);
    cp[o + k] = c[o + k] * m;
    d[o + k] = (d[o + k] - a[o + k] * d[o + k - 1]) * m;
  }
  for (int k = len - 2; k >= 0; k--)
    d[o + k] -= cp[o + k] * d[o + k + 1];
}

__global__ void boxrow(const float *in, float *out, int w, int h, int r) {
  int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y >= h)
    return;
  float s = 0;
  for (int x = 0; x < r; x++)
    s += in[y * w + x];
  for (int x = 0; x < w; x++) {
    if (x + r < w)
      s += in[y * w + x + r];
    if (x - r - 1 >= 0)
      s -= in[y * w + x - r - 1];
    out[y * w + x] = s / (2 * r + 1);
  }
}

__global__ void normalize_rows(float *x, int n, int d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float *p = &x[i * d];
  float s = 0;
  for (int k = 0; k < d; k++)
    s += p[k] * p[k];
  s = sqrtf(s);
  for (int k = 0; k < d; k++)
    p[k] = p[k] / s;
}

__global__ void ema(const float *price, float *out, int series, int T,
                    float alpha) {
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= series)
    return;
  const float *p = price + (size_t)s * T;
  float *o = out + (size_t)s * T;
  float e = p[0];
  o[0] = e;
  for (int t = 1; t < T; t++) {
    e = alpha * p[t] + (1.0f - alpha) * e;
    o[t] = e;
  }
}

__global__ void fillrows(float *o, const float *a, const float *b, int n,
                         int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  for (int k = 0; k < m; k++)
    o[i * m + k] = a[i] * b[k];
}

__global__ void axpyrows(float *y, const float *x, const float *al, int n,
                         int m) {
  int i = threadIdx.x + blockDim.x * blockIdx.x;
  if (i >= n)
    return;
  float a = al[i];
#pragma unroll 4
  for (int k = 0; k < m; ++k)
    y[i * m + k] += a * x[i * m + k];
}

__global__ void conv1d(const float *in, const float *w, float *out, int rows,
                       int len, int K) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  for (int t = 0; t + K <= len; t++) {
    float s = 0;
    for (int k = 0; k < K; k++)
      s += in[r * len + t + k] * w[k];
    out[r * len + t] = s;
  }
}

__global__ void suffix(float *x, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float s = 0;
  for (int k = m - 1; k >= 0; --k) {
    s += x[i * m + k];
    x[i * m + k] = s;
  }
}

__global__ void copyrows(const float *a, float *b, int n, int m, int lda,
                         int ldb) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  for (int k = 0; k < m; k++)
    b[i * ldb + k] = a[i * lda + k];
}

__global__ void relurows(float *a, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  for (int k = 0; k < m; k++)
    if (a[i * m + k] < 0)
      a[i * m + k] = 0;
}

namespace {
const Case Cases[] = {
    {"softmax1", [] { softmax1<<<Blocks, Threads>>>(In, Out, Rows, 1024); }},
    {"softmax2", [] { softmax2<<<Blocks, Threads>>>(In, Out, Rows, 1024); }},
    {"layernorm",
     [] { layernorm<<<Blocks, Threads>>>(In, X, Y, Out, Rows, 1024, 1e-5f); }},
    {"rmsnorm", [] { rmsnorm<<<Blocks, Threads>>>(Out, X, Rows, 1024); }},
    {"cumsum", [] { cumsum<<<Blocks, Threads>>>(In, Out, Rows, 1024); }},
    {"iir", [] { iir<<<Blocks, Threads>>>(In, Out, Rows, 1024, 0.5f, 0.25f); }},
    {"thomas",
     [] {
       thomas<<<Blocks, Threads>>>(In, In + 1000, In + 2000, Out, Other, Rows,
                                   512);
     }},
    {"boxrow", [] { boxrow<<<Blocks, Threads>>>(In, Out, 1024, Rows, 4); }},
    {"normalize_rows",
     [] { normalize_rows<<<Blocks, Threads>>>(Out, Rows, 1024); }},
    {"ema", [] { ema<<<Blocks, Threads>>>(In, Out, Rows, 1024, 0.1f); }},
    {"fillrows", [] { fillrows<<<Blocks, Threads>>>(Out, In, X, Rows, 1024); }},
    {"axpyrows", [] { axpyrows<<<Blocks, Threads>>>(Out, In, X, Rows, 1024); }},
    {"conv1d", [] { conv1d<<<Blocks, Threads>>>(In, X, Out, Rows, 1024, 5); }},
    {"suffix", [] { suffix<<<Blocks, Threads>>>(Out, Rows, 1024); }},
    {"copyrows",
     [] { copyrows<<<Blocks, Threads>>>(In, Out, Rows, 1024, 1024, 1024); }},
    {"relurows", [] { relurows<<<Blocks, Threads>>>(Out, Rows, 1024); }},
};
} // namespace

int main() { return measure(Cases, std::size(Cases)); }
