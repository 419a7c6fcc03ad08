//===- Calls.cu - Many values live across calls -*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ten kernels that keep values across calls of functions which are not inlined,
// two to five functions deep, the kernel counted. Parameters as in
// registers/Points.cu.
//
//===----------------------------------------------------------------------===//

// Horner's scheme: eight coefficients at a time.
static __device__ __noinline__ float horner(float a, float b, float c, float d,
                                            float e, float f, float g, float h,
                                            float x) {
  return ((((((a * x + b) * x + c) * x + d) * x + e) * x + f) * x + g) * x + h;
}

// Seven polynomials of degree 7, at 32 points.
extern "C" __global__ void callHorner(const float *in, float *out, int n) {
  constexpr int Polynomials = 7, Terms = 8, Steps = 32;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float c[Polynomials][Terms], sum[Polynomials];
#pragma unroll
  for (int p = 0; p < Polynomials; ++p) {
    sum[p] = 0;
#pragma unroll
    for (int k = 0; k < Terms; ++k)
      c[p][k] = in[(p * Terms + k) * n + i];
  }
#pragma unroll 1
  for (int step = 0; step < Steps; ++step) {
    const float x = 0.4f * in[step];
#pragma unroll
    for (int p = 0; p < Polynomials; ++p)
      sum[p] += horner(c[p][0], c[p][1], c[p][2], c[p][3], c[p][4], c[p][5],
                       c[p][6], c[p][7], x);
  }
#pragma unroll
  for (int p = 0; p < Polynomials; ++p)
    out[p * n + i] = sum[p];
}

static __device__ __noinline__ float window(float x) {
  return __expf(-x * x) + 0.25f;
}

static __device__ __noinline__ float integrand(float a, float x) {
  return window(a * x) / (1.f + a + x);
}

// 48 integrals over a parameter, by the midpoint rule.
extern "C" __global__ void callQuadrature(const float *in, float *out, int n) {
  constexpr int Integrals = 48, Nodes = 12;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float a[Integrals], sum[Integrals];
#pragma unroll
  for (int k = 0; k < Integrals; ++k) {
    a[k] = in[k * n + i];
    sum[k] = 0;
  }
#pragma unroll 1
  for (int node = 0; node < Nodes; ++node) {
    const float x = (node + 0.5f) / Nodes;
#pragma unroll
    for (int k = 0; k < Integrals; ++k)
      sum[k] += integrand(a[k], x);
  }
#pragma unroll
  for (int k = 0; k < Integrals; ++k)
    out[k * n + i] = sum[k];
}

static __device__ __noinline__ float kepler(float e, float anomaly,
                                            float mean) {
  return anomaly - e * __sinf(anomaly) - mean;
}

static __device__ __noinline__ float solveKepler(float e, float mean) {
  float anomaly = mean;
#pragma unroll 1
  for (int step = 0; step < 5; ++step)
    anomaly -= kepler(e, anomaly, mean) / (1.f - e * __cosf(anomaly));
  return anomaly;
}

// Kepler's equation for 40 orbits, and the largest anomaly.
extern "C" __global__ void callKepler(const float *in, float *out, int n) {
  constexpr int Orbits = 40;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float mean[Orbits], found[Orbits];
#pragma unroll
  for (int k = 0; k < Orbits; ++k)
    mean[k] = in[k * n + i];
  float largest = 0;
#pragma unroll
  for (int k = 0; k < Orbits; ++k) {
    found[k] = solveKepler(0.3f, mean[k]);
    largest = fmaxf(largest, found[k]);
  }
#pragma unroll
  for (int k = 0; k < Orbits; ++k)
    out[k * n + i] = found[k] / largest + mean[k];
}

static __device__ __noinline__ float fifth(float x) { return rsqrtf(x + 1.f); }
static __device__ __noinline__ float fourth(float x) {
  return fifth(x) + fifth(x + 0.5f);
}
static __device__ __noinline__ float third(float x) {
  return fourth(x) / (1.f + x);
}
static __device__ __noinline__ float second(float x) {
  return third(x) + 0.25f * third(0.5f * x);
}

// 64 values that wait for a loop of calls, five functions deep.
extern "C" __global__ void callDeep(const float *in, float *out, int n) {
  constexpr int Values = 64, Steps = 24;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float v[Values];
#pragma unroll
  for (int k = 0; k < Values; ++k)
    v[k] = in[k * n + i];
  float s = 0;
#pragma unroll 1
  for (int step = 0; step < Steps; ++step)
    s += second(in[step * n + i]);
#pragma unroll
  for (int k = 0; k < Values; ++k)
    out[k * n + i] = v[k] + s;
}

static __device__ __noinline__ float inverseCube(float x, float y, float z) {
  const float square = x * x + (y * y + (z * z + 0.01f));
  return rsqrtf(square) / square;
}

// What 20 bodies pull at a point, and where each was.
extern "C" __global__ void callBodies(const float *in, float *out, int n) {
  constexpr int Bodies = 20;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float x[Bodies], y[Bodies], z[Bodies], pull[Bodies];
#pragma unroll
  for (int k = 0; k < Bodies; ++k) {
    x[k] = in[k * n + i];
    y[k] = in[(k + Bodies) * n + i];
    z[k] = in[(k + 2 * Bodies) * n + i];
    pull[k] = 0;
  }
#pragma unroll 1
  for (int step = 0; step < 8; ++step) {
    const float at = in[step];
#pragma unroll
    for (int k = 0; k < Bodies; ++k)
      pull[k] += inverseCube(x[k] - at, y[k] - at, z[k] - at);
  }
#pragma unroll
  for (int k = 0; k < Bodies; ++k)
    out[k * n + i] = pull[k] + fmaxf(x[k], fmaxf(y[k], z[k]));
}

// Lanczos: the logarithm of the gamma function.
static __device__ __noinline__ float logGamma(float x) {
  const float t = x + 4.5f;
  const float series = 1.f + 76.18009f / x - 86.50532f / (x + 1.f) +
                       24.01409f / (x + 2.f) - 1.231739f / (x + 3.f);
  return (x - 0.5f) * __logf(t) - t + __logf(2.5066f * series);
}

static __device__ __noinline__ float logBeta(float a, float b) {
  return logGamma(a) + logGamma(b) - logGamma(a + b);
}

// Likelihoods of 24 pairs of parameters.
extern "C" __global__ void callBeta(const float *in, float *out, int n) {
  constexpr int Pairs = 24;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float a[Pairs], b[Pairs], sum = 0;
#pragma unroll
  for (int k = 0; k < Pairs; ++k) {
    a[k] = 1.f + in[k * n + i];
    b[k] = 1.f + in[(k + Pairs) * n + i];
  }
#pragma unroll
  for (int k = 0; k < Pairs; ++k)
    sum += logBeta(a[k], b[k]);
#pragma unroll
  for (int k = 0; k < Pairs; ++k)
    out[k * n + i] = fminf(a[k], b[k]) - sum;
}

static __device__ __noinline__ float minmod(float a, float b) {
  return a * b <= 0 ? 0 : fabsf(a) < fabsf(b) ? a : b;
}

static __device__ __noinline__ float slope(float left, float at, float right) {
  return minmod(at - left, right - at);
}

// Limited slopes of 72 cells, three sweeps.
extern "C" __global__ void callSlopes(const float *in, float *out, int n) {
  constexpr int Cells = 72;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float u[Cells];
#pragma unroll
  for (int k = 0; k < Cells; ++k)
    u[k] = in[k * n + i];
#pragma unroll 1
  for (int sweep = 0; sweep < 3; ++sweep) {
    float last = u[0];
#pragma unroll
    for (int k = 1; k + 1 < Cells; ++k) {
      const float here = u[k];
      u[k] += 0.2f * slope(last, here, u[k + 1]);
      last = here;
    }
  }
#pragma unroll
  for (int k = 0; k < Cells; ++k)
    out[k * n + i] = u[k];
}

static __device__ __noinline__ unsigned nextRandom(unsigned state) {
  state ^= state << 13;
  state ^= state >> 17;
  return state ^ state << 5;
}

static __device__ __noinline__ float normal(unsigned state) {
  const float u = (nextRandom(state) >> 8) * (1.f / (1 << 24)) + 1e-7f;
  const float v = (nextRandom(state + 1) >> 8) * (1.f / (1 << 24));
  return sqrtf(-2.f * __logf(u)) * __cosf(6.2831853f * v);
}

// Paths of 56 assets, and the best of each.
extern "C" __global__ void callPaths(const float *in, float *out, int n) {
  constexpr int Assets = 56, Steps = 6;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float price[Assets];
#pragma unroll
  for (int k = 0; k < Assets; ++k)
    price[k] = in[k * n + i];
#pragma unroll 1
  for (int step = 0; step < Steps; ++step)
#pragma unroll
    for (int k = 0; k < Assets; ++k)
      price[k] += 0.05f * normal((i * Steps + step) * 977u + k);
#pragma unroll
  for (int k = 0; k < Assets; ++k)
    out[k * n + i] = price[k];
}

static __device__ __noinline__ int below(const float *in, float x) {
  int low = 0;
#pragma unroll 1
  for (int step = 512; step > 0; step /= 2)
    if (low + step < 1024 &&
        0.001f * (low + step) + 0.0001f * in[low + step] <= x)
      low += step;
  return low;
}

static __device__ __noinline__ float lookUp(const float *in, float x) {
  const int at = below(in, x);
  return in[at] + (x - 0.001f * at) * (in[at + 1] - in[at]);
}

// A table at 44 places.
extern "C" __global__ void callTable(const float *in, float *out, int n) {
  constexpr int Places = 44;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float x[Places], y[Places];
#pragma unroll
  for (int k = 0; k < Places; ++k)
    x[k] = 0.6f * in[k * n + i];
#pragma unroll
  for (int k = 0; k < Places; ++k)
    y[k] = lookUp(in, x[k]);
#pragma unroll
  for (int k = 0; k < Places; ++k)
    out[k * n + i] = y[k] - x[k];
}

static __device__ __noinline__ float2 squared(float2 z) {
  return make_float2(z.x * z.x - z.y * z.y, 2 * z.x * z.y);
}

static __device__ __noinline__ float2 iterate(float2 z, float2 c) {
  const float2 s = squared(z);
  return make_float2(0.5f * s.x + 0.3f * c.x, 0.5f * s.y + 0.3f * c.y);
}

// 24 orbits of a quadratic map.
extern "C" __global__ void callOrbits(const float *in, float *out, int n) {
  constexpr int Orbits = 24, Steps = 12;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float2 z[Orbits], c[Orbits];
#pragma unroll
  for (int k = 0; k < Orbits; ++k) {
    z[k] = make_float2(0, 0);
    c[k] = make_float2(in[k * n + i] - 1, in[(k + Orbits) * n + i] - 1);
  }
#pragma unroll 1
  for (int step = 0; step < Steps; ++step)
#pragma unroll
    for (int k = 0; k < Orbits; ++k)
      z[k] = iterate(z[k], c[k]);
#pragma unroll
  for (int k = 0; k < Orbits; ++k)
    out[k * n + i] = z[k].x + z[k].y;
}
