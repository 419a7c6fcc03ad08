//===- Nests.cu - The usual kernels: rows in nests --------*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows in nests of loops, in two-dimensional blocks, and where memory says.
//
//===----------------------------------------------------------------------===//
#include "Usual.h"
#include <cfloat>
#include <cmath>

__global__ void pairdist(const float *a, const float *b, float *d, int n, int m,
                         int dim) {
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && j < m) {
    float s = 0;
    for (int k = 0; k < dim; k++) {
      float t = a[i * dim + k] - b[j * dim + k];
      s += t * t;
    }
    d[i * m + j] = sqrtf(s);
  }
}

__global__ void linear_relu(const float *x, const float *W, const float *b,
                            float *y, int B, int I, int O) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx >= B * O)
    return;
  int bi = idx / O, o = idx % O;
  float acc = b[o];
  for (int k = 0; k < I; k++)
    acc += x[bi * I + k] * W[o * I + k];
  y[idx] = acc > 0 ? acc : 0;
}

__global__ void hist_row(const unsigned char *img, int *hist, int w, int h) {
  int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y >= h)
    return;
  for (int x = 0; x < w; x++)
    hist[y * 256 + img[y * w + x]]++;
}

__global__ void gmm(const float *x, const float *mu, const float *iv, float *ll,
                    int n, int K, int D) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  for (int k = 0; k < K; k++) {
    float s = 0;
    for (int d = 0; d < D; d++) {
      float t = x[i * D + d] - mu[k * D + d];
      s += t * t * iv[k * D + d];
    }
    ll[i * K + k] = -0.5f * s;
  }
}

__global__ void attn_scores(const float *Q, const float *K, float *S, int T,
                            int d, float scale) {
  int t = blockIdx.y * blockDim.y + threadIdx.y,
      s = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= T || s >= T)
    return;
  if (s > t) {
    S[t * T + s] = -INFINITY;
    return;
  }
  float acc = 0;
  for (int k = 0; k < d; ++k)
    acc += Q[t * d + k] * K[s * d + k];
  S[t * T + s] = acc * scale;
}

__global__ void embed_bag(const float *table, const int *ids, float *out,
                          int bags, int len, int dim) {
  int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b >= bags)
    return;
  for (int l = 0; l < len; l++) {
    int id = ids[b * len + l];
    for (int k = 0; k < dim; k++)
      out[b * dim + k] += table[id * dim + k];
  }
}

struct Particle {
  float x, y, z, m;
};
__global__ void nbr(const Particle *p, const int *nbrs, float *f, int n,
                    int k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float a = 0;
  for (int j = 0; j < k; j++) {
    Particle q = p[nbrs[i * k + j]];
    float dx = q.x - p[i].x;
    a += q.m * dx;
  }
  f[i] = a;
}

__global__ void csr(const int *rp, const int *ci, const float *v,
                    const float *x, float *y, int n) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < n) {
    float s = 0;
    for (int k = rp[r]; k < rp[r + 1]; k++)
      s += v[k] * x[ci[k]];
    y[r] = s;
  }
}

__global__ void ell(const int *ci, const float *v, const float *x, float *y,
                    int n, int w) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < n) {
    float s = 0;
    for (int k = 0; k < w; k++)
      s += v[r * w + k] * x[ci[r * w + k]];
    y[r] = s;
  }
}

__global__ void nt(const float *A, const float *B, float *C, size_t M, size_t N,
                   size_t K) {
  size_t row = blockIdx.y * blockDim.y + threadIdx.y,
         col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < M && col < N) {
    float acc = 0;
    for (size_t k = 0; k < K; k++)
      acc += A[row * K + k] * B[col * K + k];
    C[row * N + col] = acc;
  }
}

__global__ void mm_badmap(const float *A, const float *B, float *C, int N) {
  int row = blockIdx.x * blockDim.x + threadIdx.x,
      col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < N && col < N) {
    float s = 0;
    for (int k = 0; k < N; k++)
      s += A[row * N + k] * B[k * N + col];
    C[row * N + col] = s;
  }
}

__global__ void lcs(const char *a, const char *b, int *dp, int *out, int n,
                    int len) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int *row = dp + i * (len + 1);
  for (int k = 0; k <= len; k++)
    row[k] = 0;
  for (int x = 0; x < len; x++) {
    int diag = 0;
    for (int k = 0; k < len; k++) {
      int up = row[k + 1];
      row[k + 1] =
          a[i * len + x] == b[i * len + k] ? diag + 1 : max(row[k + 1], row[k]);
      diag = up;
    }
  }
  out[i] = row[len];
}

__global__ void knn(const float *ref, const float *q, int *nn, int nr, int nq,
                    int dim) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= nq)
    return;
  float best = 1e30f;
  int bi = -1;
  for (int r = 0; r < nr; r++) {
    float d = 0;
    for (int k = 0; k < dim; k++) {
      float t = q[i * dim + k] - ref[r * dim + k];
      d += t * t;
    }
    if (d < best) {
      best = d;
      bi = r;
    }
  }
  nn[i] = bi;
}

__global__ void mlp(const float *x, const float *w1, const float *w2, float *o,
                    int n, int in, int hid) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float out = 0;
  for (int h = 0; h < hid; h++) {
    float s = 0;
    for (int k = 0; k < in; k++)
      s += x[i * in + k] * w1[h * in + k];
    out += tanhf(s) * w2[h];
  }
  o[i] = out;
}

__global__ void bmm(const float *A, const float *B, float *C, int batch,
                    int n) {
  int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b >= batch)
    return;
  const float *a = A + b * n * n, *bb = B + b * n * n;
  float *c = C + b * n * n;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float s = 0;
      for (int k = 0; k < n; k++)
        s += a[i * n + k] * bb[k * n + j];
      c[i * n + j] = s;
    }
}

__global__ void fwdsub(const float *L, float *b, int batch, int n) {
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= batch)
    return;
  for (int i = 0; i < n; i++) {
    float acc = b[s * n + i];
    for (int j = 0; j < i; j++)
      acc -= L[(s * n + i) * n + j] * b[s * n + j];
    b[s * n + i] = acc / L[(s * n + i) * n + i];
  }
}

struct Mat {
  float *d;
  int r, c;
  __device__ float &operator()(int i, int j) const { return d[i * c + j]; }
  __device__ float at(int i, int j) const { return d[i * c + j]; }
};
__global__ void matview(Mat A, Mat B, Mat C) {
  int i = blockIdx.y * blockDim.y + threadIdx.y,
      j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= C.r || j >= C.c)
    return;
  float s = 0;
  for (int k = 0; k < A.c; k++)
    s += A(i, k) * B(j, k);
  C(i, j) = s;
}

__global__ void multi(const float *A, const float *W, float *Y, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float acc[4] = {0, 0, 0, 0};
  for (int j = 0; j < m; j++)
    for (int o = 0; o < 4; o++)
      acc[o] += A[i * m + j] * W[o * m + j];
  for (int o = 0; o < 4; o++)
    Y[i * 4 + o] = acc[o];
}

__global__ void quad(const float *A, const float *x, float *o, int n, int d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float s = 0;
  for (int r = 0; r < d; r++) {
    float t = 0;
    for (int c = 0; c < d; c++)
      t += A[r * d + c] * x[i * d + c];
    s += t * x[i * d + r];
  }
  o[i] = s;
}

namespace {
const Case Cases[] = {
    {"pairdist",
     [] {
       pairdist<<<dim3(256, 256), dim3(16, 16)>>>(In, In + 4096 * 128, Out,
                                                  4096, 4096, 128);
     }},
    {"linear_relu",
     [] {
       linear_relu<<<16384, 256>>>(In, In + 5000000, X, Out, 4096, 1024, 1024);
     }},
    {"hist_row", [] { hist_row<<<64, 256>>>(Bytes, Ints, 8192, 16384); }},
    {"gmm", [] { gmm<<<Blocks, Threads>>>(In, X, Y, Out, Rows, 16, 64); }},
    {"attn_scores",
     [] {
       attn_scores<<<dim3(256, 256), dim3(16, 16)>>>(In, In + 5000000, Out,
                                                     4096, 64, 0.125f);
     }},
    {"embed_bag",
     [] { embed_bag<<<Blocks, Threads>>>(In, Ids, Out, Rows, 32, 64); }},
    {"nbr",
     [] { nbr<<<Blocks, Threads>>>((Particle *)In, Ids, Out, Rows, 64); }},
    {"csr",
     [] { csr<<<Blocks, Threads>>>(RowStarts, Ids, In, In, Out, Rows); }},
    {"ell", [] { ell<<<Blocks, Threads>>>(Ids, In, In, Out, Rows, 64); }},
    {"nt",
     [] {
       nt<<<dim3(64, 64), dim3(32, 32)>>>(In, In + 5000000, Out, 2048, 2048,
                                          2048);
     }},
    {"mm_badmap",
     [] {
       mm_badmap<<<dim3(64, 64), dim3(32, 32)>>>(In, In + 5000000, Out, 2048);
     }},
    {"lcs",
     [] {
       lcs<<<Blocks, Threads>>>((char *)In, (char *)In + 20000000, (int *)Out,
                                Ints, Rows, 128);
     }},
    {"knn", [] { knn<<<64, 256>>>(In, In + 5000000, Ints, 4096, 16384, 32); }},
    {"mlp", [] { mlp<<<Blocks, Threads>>>(In, X, Y, Out, Rows, 64, 128); }},
    {"bmm", [] { bmm<<<Blocks, Threads>>>(In, Other, Out, Rows, 16); }},
    {"fwdsub", [] { fwdsub<<<64, 256>>>(In, Out, 16384, 64); }},
    {"matview",
     [] {
       matview<<<dim3(128, 128), dim3(16, 16)>>>(Mat{In, 2048, 512},
                                                 Mat{In + 5000000, 2048, 512},
                                                 Mat{Out, 2048, 2048});
     }},
    {"multi", [] { multi<<<Blocks, Threads>>>(In, X, Out, Rows, 1024); }},
    {"quad", [] { quad<<<Blocks, Threads>>>(Y, In, Out, Rows, 64); }},
};
} // namespace

int main() { return measure(Cases, std::size(Cases)); }
