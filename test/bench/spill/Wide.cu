//===- Wide.cu - Many values live through a loop -*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// 96 floats that a loop reads and writes, in one array and in twelve; launched
// in blocks of 256. Parameters as in registers/Points.cu. The same by hand, with
// some of the values in shared memory: WideByHand.cu.
//
//===----------------------------------------------------------------------===//

extern "C" __global__ void wide(const float *in, float *out, int n) {
  constexpr int Values = 96, Steps = 64;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float v[Values];
#pragma unroll
  for (int k = 0; k < Values; ++k)
    v[k] = in[k * n + i];
  for (int step = 0; step < Steps; ++step) {
    const float x = 0.5f * in[step];
#pragma unroll
    for (int k = 0; k < Values; ++k)
      v[k] = v[k] * x + v[(k + 7) % Values];
  }
#pragma unroll
  for (int k = 0; k < Values; ++k)
    out[k * n + i] = v[k];
}

// Twelve polynomials of degree 7, each mixed with the next one.
extern "C" __global__ void wideRows(const float *in, float *out, int n) {
  constexpr int Terms = 8, Steps = 64;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float a[Terms], b[Terms], c[Terms], d[Terms], e[Terms], f[Terms], g[Terms],
      h[Terms], p[Terms], q[Terms], r[Terms], s[Terms];
#pragma unroll
  for (int k = 0; k < Terms; ++k) {
    a[k] = in[k * n + i];
    b[k] = in[(k + 8) * n + i];
    c[k] = in[(k + 16) * n + i];
    d[k] = in[(k + 24) * n + i];
    e[k] = in[(k + 32) * n + i];
    f[k] = in[(k + 40) * n + i];
    g[k] = in[(k + 48) * n + i];
    h[k] = in[(k + 56) * n + i];
    p[k] = in[(k + 64) * n + i];
    q[k] = in[(k + 72) * n + i];
    r[k] = in[(k + 80) * n + i];
    s[k] = in[(k + 88) * n + i];
  }
  for (int step = 0; step < Steps; ++step) {
    const float x = 0.5f * in[step];
#pragma unroll
    for (int k = 0; k < Terms; ++k) {
      a[k] = a[k] * x + b[k];
      b[k] = b[k] * x + c[k];
      c[k] = c[k] * x + d[k];
      d[k] = d[k] * x + e[k];
      e[k] = e[k] * x + f[k];
      f[k] = f[k] * x + g[k];
      g[k] = g[k] * x + h[k];
      h[k] = h[k] * x + p[k];
      p[k] = p[k] * x + q[k];
      q[k] = q[k] * x + r[k];
      r[k] = r[k] * x + s[k];
      s[k] = s[k] * x + a[(k + 1) % Terms];
    }
  }
#pragma unroll
  for (int k = 0; k < Terms; ++k) {
    out[k * n + i] = a[k];
    out[(k + 8) * n + i] = b[k];
    out[(k + 16) * n + i] = c[k];
    out[(k + 24) * n + i] = d[k];
    out[(k + 32) * n + i] = e[k];
    out[(k + 40) * n + i] = f[k];
    out[(k + 48) * n + i] = g[k];
    out[(k + 56) * n + i] = h[k];
    out[(k + 64) * n + i] = p[k];
    out[(k + 72) * n + i] = q[k];
    out[(k + 80) * n + i] = r[k];
    out[(k + 88) * n + i] = s[k];
  }
}
