//===- Reductions.cu - The usual kernels: one value of a row ---*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows that are read: each thread makes one value of a row.
//
//===----------------------------------------------------------------------===//
#include "Usual.h"
#include <cfloat>
#include <cmath>

__global__ void argmax(const float *x, int *idx, int N, int D) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N)
    return;
  float best = x[i * D];
  int bi = 0;
  for (int d = 1; d < D; d++) {
    float v = x[i * D + d];
    if (v > best) {
      best = v;
      bi = d;
    }
  }
  idx[i] = bi;
}

__global__ void cross_entropy(const float *logits, const int *labels,
                              float *loss, int N, int C) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) {
    float m = logits[i * C];
    for (int c = 1; c < C; c++)
      m = max(m, logits[i * C + c]);
    float s = 0;
    for (int c = 0; c < C; c++)
      s += exp(logits[i * C + c] - m);
    loss[i] = log(s) + m - logits[i * C + labels[i]];
  }
}

__global__ void cosine(const float *q, const float *db, float *out, int n,
                       int dim) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float dot = 0, na = 0, nb = 0;
  for (int k = 0; k < dim; k++) {
    float a = q[k], b = db[(size_t)i * dim + k];
    dot += a * b;
    na += a * a;
    nb += b * b;
  }
  out[i] = dot / (sqrtf(na) * sqrtf(nb) + 1e-8f);
}

__global__ void matvec(const double *A, const double *x, double *y, int n) {
  int row = threadIdx.x + blockIdx.x * blockDim.x;
  if (row < n) {
    double sum = 0.0;
    for (int col = 0; col < n; col++)
      sum += A[row * n + col] * x[col];
    y[row] = sum;
  }
}

__global__ void rowstats(const float *x, float *mn, float *mx, float *av, int n,
                         int d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float lo = x[i * d], hi = x[i * d], s = 0;
  for (int k = 0; k < d; k++) {
    float v = x[i * d + k];
    lo = min(lo, v);
    hi = max(hi, v);
    s += v;
  }
  mn[i] = lo;
  mx[i] = hi;
  av[i] = s / d;
}

__global__ void strcount(const char *text, int *count, int lines, int len,
                         char c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= lines)
    return;
  int n = 0;
  for (int k = 0; k < len; k++)
    if (text[i * len + k] == c)
      n++;
  count[i] = n;
}

__global__ void trap(const double *f, double *area, int n, int m, double h) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double s = 0.5 * (f[i * m] + f[i * m + m - 1]);
  for (int k = 1; k < m - 1; k++)
    s += f[i * m + k];
  area[i] = s * h;
}

__global__ void cmatvec(const float2 *A, const float2 *x, float2 *y, int n) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= n)
    return;
  float re = 0, im = 0;
  for (int k = 0; k < n; k++) {
    float2 a = A[r * n + k], b = x[k];
    re += a.x * b.x - a.y * b.y;
    im += a.x * b.y + a.y * b.x;
  }
  y[r] = make_float2(re, im);
}

__global__ void hmatvec(const __half *A, const __half *x, __half *y, int n) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= n)
    return;
  float s = 0;
  for (int k = 0; k < n; k++)
    s += __half2float(A[r * n + k]) * __half2float(x[k]);
  y[r] = __float2half(s);
}

template <typename T>
__global__ void rowsum(const T *in, T *out, size_t rows, size_t cols) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows)
    return;
  T acc = 0;
  for (size_t j = 0; j < cols; j++)
    acc += in[i * cols + j];
  out[i] = acc;
}

__global__ void rownorm_gs(const float *x, float *o, int rows, int cols) {
  for (int r = blockIdx.x * blockDim.x + threadIdx.x; r < rows;
       r += gridDim.x * blockDim.x) {
    float s = 0;
    for (int c = 0; c < cols; c++)
      s += x[r * cols + c] * x[r * cols + c];
    o[r] = sqrtf(s);
  }
}

__global__ void dot4(const float4 *a, const float4 *b, float *o, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float s = 0;
  for (int k = 0; k < m; k++) {
    float4 u = a[i * m + k], v = b[i * m + k];
    s += u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
  }
  o[i] = s;
}

__device__ float sq(float v) { return v * v; }
__global__ void variance(const float *x, float *v, int n, int m) {
  int tid = blockIdx.x * blockDim.x + threadIdx.x;
  if (tid < n) {
    float mean = 0;
    for (int k = 0; k < m; k++)
      mean += x[tid * m + k];
    mean = mean / m;
    float a = 0;
    for (int k = 0; k < m; k++)
      a += sq(x[tid * m + k] - mean);
    v[tid] = a / (m - 1);
  }
}

__global__ void reduce_last(const float *x, float *o, int A, int B, int C) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx >= A * B)
    return;
  int a = idx / B, b = idx % B;
  float s = 0;
  for (int c = 0; c < C; c++)
    s += x[(a * B + b) * C + c];
  o[a * B + b] = s;
}

__global__ void findfirst(const int *x, int *o, int n, int m, int key) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  o[i] = -1;
  for (int k = 0; k < m; k++)
    if (x[i * m + k] == key) {
      o[i] = k;
      break;
    }
}

__global__ void asian(const float *z, float *pay, int paths, int steps,
                      float s0, float mu, float sg) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= paths)
    return;
  float s = s0, avg = 0;
  for (int t = 0; t < steps; t++) {
    s *= expf(mu + sg * z[p * steps + t]);
    avg += s;
  }
  pay[p] = fmaxf(avg / steps - 100.f, 0.f);
}

__global__ void horner(const float *coef, const float *x, float *y, int n,
                       int deg) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float r = 0;
  for (int k = deg; k >= 0; k--)
    r = r * x[i] + coef[i * (deg + 1) + k];
  y[i] = r;
}

__global__ void q8(const signed char *A, const signed char *x, int *y, int n,
                   int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int s = 0;
  for (int j = 0; j < m; j++)
    s += (int)A[i * m + j] * (int)x[j];
  y[i] = s;
}

__global__ void welford(const float *x, float *mean, float *var, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float mu = 0, M2 = 0;
  for (int k = 0; k < m; k++) {
    float v = x[i * m + k], d = v - mu;
    mu += d / (k + 1);
    M2 += d * (v - mu);
  }
  mean[i] = mu;
  var[i] = M2 / m;
}

__global__ void top2(const float *x, float *o, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float a = -1e30f, b = -1e30f;
  for (int k = 0; k < m; k++) {
    float v = x[i * m + k];
    if (v > a) {
      b = a;
      a = v;
    } else if (v > b)
      b = v;
  }
  o[2 * i] = a;
  o[2 * i + 1] = b;
}

__global__ void bn(const float *x, float *mean, int NC, int HW) {
  int nc = blockIdx.x * blockDim.x + threadIdx.x;
  if (nc >= NC)
    return;
  const float *p = x + (long)nc * HW;
  float s = 0;
  for (int k = 0; k < HW; k++)
    s += p[k];
  mean[nc] = s / HW;
}

__global__ void gap(const float *x, float *o, int NC, int H, int W) {
  int nc = blockIdx.x * blockDim.x + threadIdx.x;
  if (nc >= NC)
    return;
  float s = 0;
  for (int h = 0; h < H; h++)
    for (int w = 0; w < W; w++)
      s += x[(nc * H + h) * W + w];
  o[nc] = s / (H * W);
}

__global__ void hamming(const unsigned *a, const unsigned *b, int *d, int n,
                        int w) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int c = 0;
  for (int k = 0; k < w; k++)
    c += __popc(a[i * w + k] ^ b[k]);
  d[i] = c;
}

__global__ void rhash(const unsigned char *s, unsigned *h, int n, int len) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned v = 5381;
  for (int k = 0; k < len; k++)
    v = v * 33 + s[i * len + k];
  h[i] = v;
}

namespace {
const Case Cases[] = {
    {"argmax", [] { argmax<<<Blocks, Threads>>>(In, Ints, Rows, 1024); }},
    {"cross_entropy",
     [] { cross_entropy<<<Blocks, Threads>>>(In, Labels, Out, Rows, 1024); }},
    {"cosine", [] { cosine<<<Blocks, Threads>>>(X, In, Out, Rows, 1024); }},
    {"matvec", [] { matvec<<<64, 256>>>(Doubles, DoubleX, DoubleOut, 16384); }},
    {"rowstats",
     [] {
       rowstats<<<Blocks, Threads>>>(In, Out, Out + Rows, Out + 2 * Rows, Rows,
                                     1024);
     }},
    {"strcount",
     [] {
       strcount<<<Blocks, Threads>>>((const char *)In, Ints, Rows, 1024, 3);
     }},
    {"trap",
     [] { trap<<<Blocks, Threads>>>(Doubles, DoubleOut, Rows, 1024, 0.1); }},
    {"cmatvec",
     [] {
       cmatvec<<<64, 256>>>((float2 *)In, (float2 *)X, (float2 *)Out, 8192);
     }},
    {"hmatvec",
     [] {
       hmatvec<<<64, 256>>>((__half *)Halves, (__half *)Halves, (__half *)Out,
                            16384);
     }},
    {"rowsum_f",
     [] { rowsum<float><<<Blocks, Threads>>>(In, Out, Rows, 1024); }},
    {"rowsum_d",
     [] {
       rowsum<double><<<Blocks, Threads>>>(Doubles, DoubleOut, Rows, 512);
     }},
    {"rownorm_gs", [] { rownorm_gs<<<264, 256>>>(In, Out, Rows, 1024); }},
    {"dot4",
     [] {
       dot4<<<Blocks, Threads>>>((float4 *)In, (float4 *)Other, Out, Rows, 128);
     }},
    {"variance", [] { variance<<<Blocks, Threads>>>(In, Out, Rows, 1024); }},
    {"reduce_last", [] { reduce_last<<<512, 256>>>(In, Out, 256, 512, 1024); }},
    {"findfirst",
     [] { findfirst<<<Blocks, Threads>>>((int *)In, Ints, Rows, 1024, 3); }},
    {"asian",
     [] {
       asian<<<Blocks, Threads>>>(In, Out, Rows, 252, 100.f, 0.001f, 0.02f);
     }},
    {"horner", [] { horner<<<Blocks, Threads>>>(In, X, Out, Rows, 63); }},
    {"q8",
     [] {
       q8<<<Blocks, Threads>>>((const signed char *)In, (const signed char *)X,
                               Ints, Rows, 1024);
     }},
    {"welford",
     [] { welford<<<Blocks, Threads>>>(In, Out, Out + Rows, Rows, 1024); }},
    {"top2", [] { top2<<<Blocks, Threads>>>(In, Out, Rows, 1024); }},
    {"bn", [] { bn<<<Blocks, Threads>>>(In, Out, Rows, 784); }},
    {"gap", [] { gap<<<Blocks, Threads>>>(In, Out, Rows, 28, 28); }},
    {"hamming",
     [] {
       hamming<<<Blocks, Threads>>>((const unsigned *)In, (const unsigned *)X,
                                    Ints, Rows, 64);
     }},
    {"rhash",
     [] {
       rhash<<<Blocks, Threads>>>((const unsigned char *)In, (unsigned *)Ints,
                                  Rows, 128);
     }},
};
} // namespace

int main() { return measure(Cases, std::size(Cases)); }
