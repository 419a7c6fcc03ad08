//===- Straight.cu - Register-hungry kernels without a loop ----*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each thread loads some fifty values, works on them and stores the result:
// kernels that the rule for a cap together with its spills (JointStrategy) was
// not made from. Parameters as in registers/Points.cu; n threads.
//
//===----------------------------------------------------------------------===//

/// The eight-point discrete cosine transform, type II, not scaled.
__device__ static void cosineTransform(float *v, int stride) {
  constexpr float C[8] = {1,           0.98078528f, 0.92387953f, 0.83146961f,
                          0.70710678f, 0.55557023f, 0.38268343f, 0.19509032f};
  float sum[4], difference[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    sum[k] = v[k * stride] + v[(7 - k) * stride];
    difference[k] = v[k * stride] - v[(7 - k) * stride];
  }
  const float even = sum[0] + sum[3], middle = sum[1] + sum[2];
  const float outer = sum[0] - sum[3], inner = sum[1] - sum[2];
  v[0] = even + middle;
  v[4 * stride] = (even - middle) * C[4];
  v[2 * stride] = outer * C[2] + inner * C[6];
  v[6 * stride] = outer * C[6] - inner * C[2];
  v[1 * stride] = difference[0] * C[1] + difference[1] * C[3] +
                  difference[2] * C[5] + difference[3] * C[7];
  v[3 * stride] = difference[0] * C[3] - difference[1] * C[7] -
                  difference[2] * C[1] - difference[3] * C[5];
  v[5 * stride] = difference[0] * C[5] - difference[1] * C[1] +
                  difference[2] * C[7] + difference[3] * C[3];
  v[7 * stride] = difference[0] * C[7] - difference[1] * C[5] +
                  difference[2] * C[3] - difference[3] * C[1];
}

// The cosine transform of a tile of 8 x 8 pixels.
extern "C" __global__ void cosines(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float tile[64];
#pragma unroll
  for (int k = 0; k < 64; ++k)
    tile[k] = in[k * n + i];
#pragma unroll
  for (int row = 0; row < 8; ++row)
    cosineTransform(tile + row * 8, 1);
#pragma unroll
  for (int column = 0; column < 8; ++column)
    cosineTransform(tile + column, 8);
#pragma unroll
  for (int k = 0; k < 64; ++k)
    out[k * n + i] = tile[k];
}

// Octiles of 64 samples, by Batcher's bitonic sort.
extern "C" __global__ void ranks(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float v[64];
#pragma unroll
  for (int k = 0; k < 64; ++k)
    v[k] = in[k * n + i];
#pragma unroll
  for (int size = 2; size <= 64; size *= 2)
#pragma unroll
    for (int apart = size / 2; apart >= 1; apart /= 2)
#pragma unroll
      for (int k = 0; k < 64; ++k)
        if (!(k & apart)) {
          const float low = fminf(v[k], v[k + apart]);
          const float high = fmaxf(v[k], v[k + apart]);
          v[k] = k & size ? high : low;
          v[k + apart] = k & size ? low : high;
        }
#pragma unroll
  for (int k = 0; k < 8; ++k)
    out[k * n + i] = v[k * 8 + 4];
}

// The power spectrum of 32 complex samples: Cooley and Tukey, decimated in
// frequency; the powers stay in the order of reversed bits.
extern "C" __global__ void spectrum(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  constexpr float Cosine[16] = {1,
                                0.98078528f,
                                0.92387953f,
                                0.83146961f,
                                0.70710678f,
                                0.55557023f,
                                0.38268343f,
                                0.19509032f,
                                0,
                                -0.19509032f,
                                -0.38268343f,
                                -0.55557023f,
                                -0.70710678f,
                                -0.83146961f,
                                -0.92387953f,
                                -0.98078528f};
  constexpr float Sine[16] = {
      0,           0.19509032f, 0.38268343f, 0.55557023f,
      0.70710678f, 0.83146961f, 0.92387953f, 0.98078528f,
      1,           0.98078528f, 0.92387953f, 0.83146961f,
      0.70710678f, 0.55557023f, 0.38268343f, 0.19509032f};
  float re[32], im[32];
#pragma unroll
  for (int k = 0; k < 32; ++k) {
    re[k] = in[2 * k * n + i];
    im[k] = in[(2 * k + 1) * n + i];
  }
#pragma unroll
  for (int half = 16; half >= 1; half /= 2)
#pragma unroll
    for (int k = 0; k < 32; ++k)
      if (!(k & half)) {
        const int turn = (k & (half - 1)) * (16 / half);
        const float x = re[k] - re[k + half], y = im[k] - im[k + half];
        re[k] += re[k + half];
        im[k] += im[k + half];
        re[k + half] = x * Cosine[turn] + y * Sine[turn];
        im[k + half] = y * Cosine[turn] - x * Sine[turn];
      }
#pragma unroll
  for (int k = 0; k < 32; ++k)
    out[k * n + i] = re[k] * re[k] + im[k] * im[k];
}

// Keccak-f[1600] over a state of 25 lanes; its 24 rounds stay a loop.
extern "C" __global__ void sponge(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  constexpr int Rotation[24] = {1,  3,  6,  10, 15, 21, 28, 36, 45, 55, 2,  14,
                                27, 41, 56, 8,  25, 43, 62, 18, 39, 61, 20, 44};
  constexpr int Lane[24] = {10, 7,  11, 17, 18, 3, 5,  16, 8,  21, 24, 4,
                            15, 23, 19, 13, 12, 2, 20, 14, 22, 9,  6,  1};
  unsigned long long a[25];
#pragma unroll
  for (int k = 0; k < 25; ++k)
    a[k] = (unsigned long long)__float_as_uint(in[2 * k * n + i]) << 32 |
           __float_as_uint(in[(2 * k + 1) * n + i]);
  unsigned char lfsr = 1;
#pragma unroll 1
  for (int round = 0; round < 24; ++round) {
    unsigned long long parity[5];
#pragma unroll
    for (int x = 0; x < 5; ++x)
      parity[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
#pragma unroll
    for (int x = 0; x < 5; ++x) {
      const unsigned long long next = parity[(x + 1) % 5];
      const unsigned long long change =
          parity[(x + 4) % 5] ^ (next << 1 | next >> 63);
#pragma unroll
      for (int y = 0; y < 25; y += 5)
        a[x + y] ^= change;
    }
    unsigned long long moved = a[1];
#pragma unroll
    for (int k = 0; k < 24; ++k) {
      const unsigned long long kept = a[Lane[k]];
      a[Lane[k]] = moved << Rotation[k] | moved >> (64 - Rotation[k]);
      moved = kept;
    }
#pragma unroll
    for (int y = 0; y < 25; y += 5) {
      const unsigned long long first = a[y], second = a[y + 1];
#pragma unroll
      for (int x = 0; x < 3; ++x)
        a[y + x] ^= ~a[y + x + 1] & a[y + x + 2];
      a[y + 3] ^= ~a[y + 4] & first;
      a[y + 4] ^= ~first & second;
    }
#pragma unroll
    for (int bit = 0; bit < 7; ++bit) {
      if (lfsr & 1)
        a[0] ^= 1ull << ((1 << bit) - 1);
      lfsr = lfsr << 1 ^ (lfsr & 0x80 ? 0x71 : 0);
    }
  }
#pragma unroll
  for (int k = 0; k < 4; ++k)
    out[k * n + i] = float(a[k] >> 40);
}

// The box around a bicubic Bezier patch, sampled at 5 x 5 points.
extern "C" __global__ void patches(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float p[3][16], low[3], high[3];
#pragma unroll
  for (int d = 0; d < 3; ++d) {
    low[d] = 1e30f;
    high[d] = -1e30f;
#pragma unroll
    for (int k = 0; k < 16; ++k)
      p[d][k] = in[(d * 16 + k) * n + i];
  }
#pragma unroll
  for (int row = 0; row < 5; ++row)
#pragma unroll
    for (int column = 0; column < 5; ++column) {
      const float u = row * 0.25f, v = column * 0.25f;
      const float bu[4] = {(1 - u) * (1 - u) * (1 - u),
                           3 * u * (1 - u) * (1 - u), 3 * u * u * (1 - u),
                           u * u * u};
      const float bv[4] = {(1 - v) * (1 - v) * (1 - v),
                           3 * v * (1 - v) * (1 - v), 3 * v * v * (1 - v),
                           v * v * v};
#pragma unroll
      for (int d = 0; d < 3; ++d) {
        float at = 0;
#pragma unroll
        for (int k = 0; k < 16; ++k)
          at += bu[k / 4] * bv[k % 4] * p[d][k];
        low[d] = fminf(low[d], at);
        high[d] = fmaxf(high[d], at);
      }
    }
#pragma unroll
  for (int d = 0; d < 3; ++d) {
    out[d * n + i] = low[d];
    out[(3 + d) * n + i] = high[d];
  }
}
