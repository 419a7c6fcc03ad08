//===- HeadlineTlpRm.cu - Kernels of TLP-RM's headline ---------*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The six of the nine kernels of figures 10 and 11 of You and Tsai that their
// text names, each written anew from its published algorithm. Parameters as in
// registers/Points.cu. A kernel with a barrier has no thread that leaves early:
// its grid is exact. Their kernels had a register or two more than the 16 that
// a GTX 285 has for each thread that fits. An H200 has 32, so a thread of
// twisters, productTiles and bicubicImage does the work of several of theirs.
//
//   twisters         RandomGPU             productTiles       matrixMul
//   bitonicBlocks    bitonicSortShared     spectrumProduct spProcess2D_kernel
//   bitonicTurns     bitonicSortShared1    bicubicImage d_renderFastBicubic
//
//===----------------------------------------------------------------------===//

// Twisted generalized feedback shift registers of period 2^607 - 1 (Matsumoto
// and Nishimura 1998; a matrix and masks of its own for each of n generators).
// A thread has two generators.
extern "C" __global__ void twisters(const float *in, float *out, int n) {
  constexpr int Own = 2, Words = 19, Middle = 9, Rounds = 16;
  const int threads = n / Own;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= threads)
    return;
  unsigned matrix[Own], maskB[Own], maskC[Own], state[Own][Words];
#pragma unroll
  for (int g = 0; g < Own; ++g) {
    const float *own = in + g * threads + i;
    matrix[g] = __float_as_uint(own[0]) * 2654435761u | 1u << 31;
    maskB[g] = __float_as_uint(own[n]) * 2246822519u;
    maskC[g] = __float_as_uint(own[2 * n]) * 3266489917u;
    state[g][0] = __float_as_uint(own[3 * n]);
#pragma unroll
    for (int k = 1; k < Words; ++k)
      state[g][k] = 1812433253u * (state[g][k - 1] ^ state[g][k - 1] >> 30) + k;
  }
#pragma unroll 1
  for (int round = 0; round < Rounds; ++round)
#pragma unroll
    for (int k = 0; k < Words; ++k)
#pragma unroll
      for (int g = 0; g < Own; ++g) {
        const unsigned next = state[g][(k + 1) % Words];
        const unsigned both = (state[g][k] & ~1u) | (next & 1u);
        state[g][k] = state[g][(k + Middle) % Words] ^ both >> 1 ^
                      (both & 1u ? matrix[g] : 0u);
        unsigned x = state[g][k];
        x ^= x >> 12;
        x ^= x << 7 & maskB[g];
        x ^= x << 15 & maskC[g];
        x ^= x >> 18;
        out[(round * Words + k) * n + g * threads + i] =
            (x >> 8) * (1.f / (1 << 24));
      }
}

// The product of two n x n matrices by tiles in shared memory; a thread has two
// by four elements.
extern "C" __global__ void productTiles(const float *in, float *out, int n) {
  constexpr int Side = 16, OwnY = 4, OwnX = 2;
  __shared__ float a[OwnY * Side][Side], b[Side][OwnX * Side];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = blockIdx.x * OwnX * Side + tx;
  const int y = blockIdx.y * OwnY * Side + ty;
  float sum[OwnY][OwnX] = {};
  for (int first = 0; first < n; first += Side) {
#pragma unroll
    for (int r = 0; r < OwnY * Side; r += Side)
      a[ty + r][tx] = in[(y + r) * n + first + tx];
#pragma unroll
    for (int c = 0; c < OwnX * Side; c += Side)
      b[ty][tx + c] = in[(n + first + ty) * n + x + c];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < Side; ++k)
#pragma unroll
      for (int r = 0; r < OwnY; ++r)
#pragma unroll
        for (int c = 0; c < OwnX; ++c)
          sum[r][c] += a[ty + r * Side][k] * b[k][tx + c * Side];
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < OwnY; ++r)
#pragma unroll
    for (int c = 0; c < OwnX; ++c)
      out[(y + r * Side) * n + x + c * Side] = sum[r][c];
}

// Puts two pairs of key and value into order.
static __device__ void arrange(float &keyA, float &valueA, float &keyB,
                               float &valueB, bool isUp) {
  if ((keyA > keyB) == isUp) {
    const float key = keyA, value = valueA;
    keyA = keyB;
    valueA = valueB;
    keyB = key;
    valueB = value;
  }
}

constexpr int SortedPairs = 1024, SortingThreads = 512;

// One step of Batcher's bitonic sort (1968): pairs of `stride` apart, in
// sequences of `size` that go up and down in turns; those of the last size go
// up if isUp.
static __device__ void sortStep(float *keys, float *values, int size,
                                int stride, bool isUp) {
#pragma unroll
  for (int k = 0; k < SortedPairs / 2; k += SortingThreads) {
    const int t = threadIdx.x + k, at = 2 * t - (t & (stride - 1));
    arrange(keys[at], values[at], keys[at + stride], values[at + stride],
            size == SortedPairs ? isUp : (t & size / 2) == 0);
  }
}

static __device__ void sortBlock(const float *in, float *out, int n,
                                 bool isUp) {
  __shared__ float keys[SortedPairs], values[SortedPairs];
  const int t = threadIdx.x, i = blockIdx.x * SortedPairs + t;
#pragma unroll
  for (int k = 0; k < SortedPairs; k += SortingThreads) {
    keys[t + k] = in[i + k];
    values[t + k] = in[n + i + k];
  }
  for (int size = 2; size <= SortedPairs; size *= 2)
    for (int stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      sortStep(keys, values, size, stride, isUp);
    }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < SortedPairs; k += SortingThreads) {
    out[i + k] = keys[t + k];
    out[n + i + k] = values[t + k];
  }
}

// Each block sorts 1024 of n pairs of key and value.
extern "C" __global__ void bitonicBlocks(const float *in, float *out, int n) {
  sortBlock(in, out, n, true);
}

// The same as the first step towards a longer sort: even blocks sort upwards,
// odd ones downwards.
extern "C" __global__ void bitonicTurns(const float *in, float *out, int n) {
  sortBlock(in, out, n, blockIdx.x % 2 == 0);
}

static __device__ float2 times(float2 a, float2 b) {
  return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// Two frequencies of a real signal from two of the complex one that it was
// packed into (twiddle: the turn between its even and its odd samples).
static __device__ void unpack(float2 &a, float2 &b, float2 twiddle) {
  const float2 even = make_float2(0.5f * (a.x + b.x), 0.5f * (a.y - b.y));
  const float2 odd = make_float2(0.5f * (a.y + b.y), 0.5f * (b.x - a.x));
  const float2 turned = times(odd, twiddle);
  a = make_float2(even.x + turned.x, even.y + turned.y);
  b = make_float2(even.x - turned.x, turned.y - even.y);
}

// The other way.
static __device__ void pack(float2 &a, float2 &b, float2 twiddle) {
  const float2 even = make_float2(0.5f * (a.x + b.x), 0.5f * (a.y - b.y));
  const float2 half = make_float2(0.5f * (a.x - b.x), 0.5f * (a.y + b.y));
  const float2 odd = times(half, make_float2(twiddle.x, -twiddle.y));
  a = make_float2(even.x - odd.y, even.y + odd.x);
  b = make_float2(even.x + odd.y, odd.x - even.y);
}

// Convolution of two real images of n rows and 2 n columns, in the frequencies
// of the n x n complex ones that they are packed into: unpack both, multiply,
// pack. A thread has a frequency and its mirror image. The columns 0 and n / 2
// are their own mirror images, and share the threads of one.
extern "C" __global__ void spectrumProduct(const float *in, float *out, int n) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y;
  if (column >= n / 2)
    return;
  const float2 *data = reinterpret_cast<const float2 *>(in);
  const float2 *filter = data + n * n;
  float2 *product = reinterpret_cast<float2 *>(out);
  const bool isSecond = column == 0 && row > n / 2;
  const int pairs = column == 0 && row % (n / 2) == 0 ? 2 : 1;
  for (int pair = 0; pair < pairs; ++pair) {
    const int x = isSecond || pair ? n / 2 : column;
    const int y = isSecond ? row - n / 2 : row;
    const int at = y * n + x, mirror = (n - y) % n * n + (n - x) % n;
    const float angle = -3.14159265f * x / n;
    const float2 twiddle = make_float2(__cosf(angle), __sinf(angle));
    float2 a = data[at], b = data[mirror];
    float2 c = filter[at], d = filter[mirror];
    unpack(a, b, twiddle);
    unpack(c, d, twiddle);
    a = times(a, c);
    b = times(b, d);
    pack(a, b, twiddle);
    product[at] = a;
    product[mirror] = b;
  }
}

// From a to b.
static __device__ float4 mix(float4 a, float4 b, float t) {
  return make_float4(a.x + t * (b.x - a.x), a.y + t * (b.y - a.y),
                     a.z + t * (b.z - a.z), a.w + t * (b.w - a.w));
}

// An image of four channels between its pixels, linear in both directions; n x
// n pixels, clamped.
static __device__ float4 between(const float4 *in, int n, float x, float y) {
  const float left = floorf(x), top = floorf(y);
  const float fx = x - left, fy = y - top;
  const int x0 = min(max(int(left), 0), n - 1), x1 = min(x0 + 1, n - 1);
  const int y0 = min(max(int(top), 0), n - 1), y1 = min(y0 + 1, n - 1);
  return mix(mix(in[y0 * n + x0], in[y0 * n + x1], fx),
             mix(in[y1 * n + x0], in[y1 * n + x1], fx), fy);
}

// The four weights of a cubic B-spline, two and two: their sums, and where
// between two pixels a linear look-up weighs them alike.
struct Taps {
  float high, atLow, atHigh; // high: the latter sum; the former is 1 - high
};

static __device__ Taps tapsAt(float t) {
  const float s = 1 - t, square = t * t, cube = square * t;
  const float w0 = s * s * s / 6, w1 = (4 - 6 * square + 3 * cube) / 6;
  const float w3 = cube / 6, low = w0 + w1, high = 1 - low;
  return {high, w1 / low - 1, w3 / high + 1};
}

// Bicubic magnification of an image by four linear look-ups (Sigg and Hadwiger
// 2005).
extern "C" __global__ void bicubicImage(const float *in, float *out, int n) {
  const int px = blockIdx.x * blockDim.x + threadIdx.x;
  const int py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= n || py >= n)
    return;
  const float4 *image = reinterpret_cast<const float4 *>(in);
  const float centre = 0.5f * n, scale = 0.4f * in[0];
  const float x = (px - centre) * scale + centre - 0.5f;
  const float y = (py - centre) * scale + centre - 0.5f;
  const float left = floorf(x), top = floorf(y);
  const Taps h = tapsAt(x - left), v = tapsAt(y - top);
  const float4 upper =
      mix(between(image, n, left + h.atLow, top + v.atLow),
          between(image, n, left + h.atHigh, top + v.atLow), h.high);
  const float4 lower =
      mix(between(image, n, left + h.atLow, top + v.atHigh),
          between(image, n, left + h.atHigh, top + v.atHigh), h.high);
  reinterpret_cast<float4 *>(out)[py * n + px] = mix(upper, lower, v.high);
}
