//===- Helpers.cu - Walks with functions, views and countdowns --*- CUDA -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What programs have around their walks: small functions that change what they
// are handed, views that are stored to, loops that count down in their
// condition, parts of an array for each thread, triangles, interleaved numbers.
//
//===----------------------------------------------------------------------===//
#include "Usual.h"

constexpr int Length = 128;

__device__ float square(float v) { return v * v; }

__global__ void znorm128(const float *raw, float *norm, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  const float *x = raw + (size_t)i * Length;
  float *y = norm + (size_t)i * Length;
  float mean = 0, var = 0;
  for (int j = 0; j < Length; ++j)
    mean += x[j];
  mean /= Length;
  for (int j = 0; j < Length; ++j)
    var += square(x[j] - mean);
  const float inv = 1.0f / sqrtf(var / Length + 1e-8f);
  for (int j = 0; j < Length; ++j)
    y[j] = (x[j] - mean) * inv;
}

__global__ void layernorm_saved(const float *x, const float *gamma,
                                const float *beta, float *y, float *mean,
                                float *rstd, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  const float *xr = x + (size_t)r * cols;
  float m = 0, v = 0;
  for (int c = 0; c < cols; c++)
    m += xr[c];
  m /= cols;
  for (int c = 0; c < cols; c++) {
    float d = xr[c] - m;
    v += d * d;
  }
  float s = rsqrtf(v / cols + 1e-5f);
  float *yr = y + (size_t)r * cols;
  for (int c = 0; c < cols; c++)
    yr[c] = (xr[c] - m) * s * gamma[c] + beta[c];
  mean[r] = m;
  rstd[r] = s;
}

template <class T> struct Table {
  T *data;
  int rows, cols;
  __device__ T *row(int r) const {
    return data + static_cast<size_t>(r) * cols;
  }
  __device__ T &operator()(int r, int c) const { return row(r)[c]; }
};

__global__ void unitrows(Table<const float> in, Table<float> out) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= in.rows)
    return;
  float norm = 0;
  for (int c = 0; c < in.cols; c++)
    norm += fabsf(in(r, c));
  const float inv = norm > 0 ? 1.0f / norm : 0.0f;
  for (int c = 0; c < in.cols; c++)
    out(r, c) = in(r, c) * inv;
}

struct Candidate {
  float dist;
  int index;
};

template <int K>
__device__ void push(Candidate (&best)[K], float d, int index) {
  if (d >= best[K - 1].dist)
    return;
  best[K - 1] = {d, index};
#pragma unroll
  for (int s = K - 1; s > 0; --s)
    if (best[s].dist < best[s - 1].dist) {
      Candidate other = best[s];
      best[s] = best[s - 1];
      best[s - 1] = other;
    }
}

__global__ void nearest8(const float *D, int *ids, int queries, int refs) {
  int q = blockIdx.x * blockDim.x + threadIdx.x;
  if (q >= queries)
    return;
  Candidate best[8];
  for (int k = 0; k < 8; ++k)
    best[k] = {1e30f, -1};
  const float *row = D + (size_t)q * refs;
  for (int r = 0; r < refs; ++r)
    push(best, row[r], r);
  for (int k = 0; k < 8; ++k)
    ids[q * 8 + k] = best[k].index;
}

template <class T> __device__ void swapIf(T &a, T &b, bool c) {
  if (c) {
    T t = a;
    a = b;
    b = t;
  }
}

__global__ void largest4(const float *A, float *out, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float top[4] = {-1, -1, -1, -1};
  for (int j = 0; j < m; j++) {
    float v = A[(size_t)i * m + j];
#pragma unroll
    for (int k = 0; k < 4; k++)
      swapIf(v, top[k], v > top[k]);
  }
  for (int k = 0; k < 4; k++)
    out[i * 4 + k] = top[k];
}

struct Lcg {
  unsigned state;
  __device__ unsigned next() { return state = state * 1664525u + 1013904223u; }
};

__global__ void thinned(const float *A, float *out, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Lcg random{(unsigned)i};
  float s = 0;
  for (int j = 0; j < m; j++) {
    float v = A[(size_t)i * m + j];
    if (random.next() >> 31)
      s += v;
  }
  out[i] = s;
}

__global__ void checksum(const unsigned char *data, int *sums, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const unsigned char *p = data + (size_t)i * m;
  int left = m;
  unsigned h = 2166136261u;
  while (left-- > 0)
    h = (h ^ *p++) * 16777619u;
  sums[i] = (int)h;
}

__global__ void smooth_end(const float *A, float *out, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float *p = A + (size_t)i * m;
  const float *end = p + m;
  float s = 0;
  while (p != end)
    s = 0.5f * s + *p++;
  out[i] = s;
}

__global__ void parts(const float *A, float *out, int n, int part) {
  int job = blockIdx.x * blockDim.x + threadIdx.x;
  int from = job * part;
  if (from >= n)
    return;
  int to = min(from + part, n);
  float s = 0;
  for (int k = from; k < to; ++k)
    s += A[k];
  out[job] = s;
}

__global__ void interleaved(const float *z, float *out, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float re = 0, im = 0;
  for (int j = 0; j < m; j++) {
    re += z[2 * ((size_t)i * m + j)];
    im -= z[2 * ((size_t)i * m + j) + 1];
  }
  out[2 * i] = re;
  out[2 * i + 1] = im;
}

__global__ void records96(const unsigned char *records, int *hashes, int n) {
  const int stride = gridDim.x * blockDim.x;
  for (int r = blockIdx.x * blockDim.x + threadIdx.x; r < n; r += stride) {
    unsigned h = 2166136261u;
    for (int b = 0; b < 96; ++b)
      h = (h ^ records[(size_t)r * 96 + b]) * 16777619u;
    hashes[r] = (int)h;
  }
}

__global__ void averages(const float *A, float *out, int n, int m, float fast,
                         float slow) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  auto toward = [](float last, float x, float k) {
    return last + k * (x - last);
  };
  float f = A[(size_t)i * m], s = f;
  for (int j = 0; j < m; ++j) {
    float x = A[(size_t)i * m + j];
    f = toward(f, x, fast);
    s = toward(s, x, slow);
    out[(size_t)i * m + j] = f - s;
  }
}

__global__ void trmv_lower(const float *L, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float s = 0;
  for (int j = 0; j <= i; j++)
    s += L[(size_t)i * n + j] * x[j];
  y[i] = s;
}

__constant__ unsigned Steps[256];

__global__ void crc_constant(const unsigned char *data, int *sums, int n,
                             int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned c = ~0u;
  for (int j = 0; j < m; ++j)
    c = Steps[(c ^ data[(size_t)i * m + j]) & 255] ^ (c >> 8);
  sums[i] = (int)~c;
}

namespace {
const Case Cases[] = {
    {"znorm128", [] { znorm128<<<Blocks, Threads>>>(In, Out, Rows); }},
    {"layernorm_saved",
     [] {
       layernorm_saved<<<Blocks, Threads>>>(In, X, Y, Out, (float *)DoubleOut,
                                            (float *)Ints, Rows, 1000);
     }},
    {"unitrows",
     [] {
       unitrows<<<Blocks, Threads>>>(Table<const float>{In, Rows, 1000},
                                     Table<float>{Out, Rows, 1000});
     }},
    {"nearest8", [] { nearest8<<<Blocks, Threads>>>(In, Ints, Rows, 1000); }},
    {"largest4", [] { largest4<<<Blocks, Threads>>>(In, Out, Rows, 1000); }},
    {"thinned", [] { thinned<<<Blocks, Threads>>>(In, Out, Rows, 1000); }},
    {"checksum",
     [] { checksum<<<Blocks, Threads>>>(Bytes, Ints, Rows, 2000); }},
    {"smooth_end",
     [] { smooth_end<<<Blocks, Threads>>>(In, Out, Rows, 1000); }},
    {"parts", [] { parts<<<Blocks, Threads>>>(In, Out, Rows * 999, 1000); }},
    {"interleaved",
     [] { interleaved<<<Blocks, Threads>>>(In, Out, Rows, 500); }},
    {"records96", [] { records96<<<2640, 128>>>(Bytes, Ints, 2 * Rows * 8); }},
    {"averages",
     [] { averages<<<Blocks, Threads>>>(In, Out, Rows, 1000, 0.2f, 0.05f); }},
    {"trmv_lower", [] { trmv_lower<<<10000 / 250, 250>>>(In, X, Out, 10000); }},
    {"crc_constant",
     [] { crc_constant<<<Blocks, Threads>>>(Bytes, Ints, Rows, 2000); }},
};
} // namespace

int main() { return measure(Cases, std::size(Cases)); }
