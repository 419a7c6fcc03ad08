//===- Points.cu - Kernels whose threads work alone -*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Register-hungry kernels written from published algorithms; every array that a
// thread owns is indexed by constants after unrolling, so that it can stay in
// registers. All have the same parameters: inputs between 0.5 and 1.5, outputs,
// and the number of points.
//
//===----------------------------------------------------------------------===//

// Gas-phase kinetics (Arrhenius rates of elementary reactions A + B <-> C + D,
// mass action): production rates of 32 species by 48 reactions.
extern "C" __global__ void kinetics(const float *in, float *out, int n) {
  constexpr int Species = 32, Reactions = 48;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float c[Species], w[Species];
#pragma unroll
  for (int s = 0; s < Species; ++s) {
    c[s] = in[s * n + i];
    w[s] = 0;
  }
  const float t = 1000 * in[i], logT = __logf(t), invT = 1 / t;
#pragma unroll
  for (int r = 0; r < Reactions; ++r) {
    const int a = r * 7 % Species, b = (r * 11 + 3) % Species;
    const int p = (r * 5 + 1) % Species, q = (r * 13 + 2) % Species;
    const float kf =
        __expf(1.5f + 0.01f * r + (0.3f - 0.01f * r) * logT - 90.f * r * invT);
    const float kr = kf * __expf(-0.1f * (r % 9) - 40.f * (r % 5) * invT);
    const float rate = kf * c[a] * c[b] - kr * c[p] * c[q];
    w[a] -= rate;
    w[b] -= rate;
    w[p] += rate;
    w[q] += rate;
  }
#pragma unroll
  for (int s = 0; s < Species; ++s)
    out[s * n + i] = w[s];
}

// Macroscopic neutron cross sections (the look-up that Monte-Carlo transport
// spends its time in): a search in the energy grid of each nuclide of a
// material, interpolation of five reaction channels, weighted sum. A thread
// follows four particles side by side. n is four times the threads.
extern "C" __global__ void lookup(const float *in, float *out, int n) {
  constexpr int Nuclides = 24, Points = 4096, Channels = 5, Side = 4;
  const int threads = n / Side;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= threads)
    return;
  unsigned seed[Side];
  float macro[Side][Channels] = {};
#pragma unroll
  for (int p = 0; p < Side; ++p)
    seed[p] = (i * Side + p) * 2654435761u;
  for (int k = 0; k < Nuclides; ++k) {
    float e[Side];
    int low[Side];
#pragma unroll
    for (int p = 0; p < Side; ++p) {
      seed[p] = seed[p] * 1664525u + 1013904223u;
      e[p] = (seed[p] >> 8) * (1.f / (1 << 24)) * (Points - 1);
      low[p] = 0;
    }
    for (int step = Points / 2; step > 0; step /= 2) // value: its index and less
#pragma unroll
      for (int p = 0; p < Side; ++p) {
        const int middle = min(low[p] + step, Points - 1);
        if (middle + 0.25f * in[k * Points + middle] <= e[p])
          low[p] = middle;
      }
    const float density = in[k];
#pragma unroll
    for (int p = 0; p < Side; ++p) {
      const float *row =
          in + Nuclides * Points + (k * Points + low[p]) * Channels;
      const float f = e[p] - low[p];
#pragma unroll
      for (int x = 0; x < Channels; ++x)
        macro[p][x] += density * (row[x] + f * (row[x + Channels] - row[x]));
    }
  }
#pragma unroll
  for (int p = 0; p < Side; ++p)
#pragma unroll
    for (int x = 0; x < Channels; ++x)
      out[x * n + p * threads + i] = macro[p][x];
}

// Cubic B-spline in three dimensions: value, gradient and Hessian of the tensor
// product at a point of a periodic grid of 64 x 64 x 64 coefficients.
__device__ void splineWeights(float t, float a[4], float d[4], float h[4]) {
  const float s = 1 - t;
  a[0] = s * s * s / 6;
  a[1] = 2.f / 3 - t * t * (1 - t / 2);
  a[2] = 2.f / 3 - s * s * (1 - s / 2);
  a[3] = t * t * t / 6;
  d[0] = -s * s / 2;
  d[1] = t * (1.5f * t - 2);
  d[2] = -s * (1.5f * s - 2);
  d[3] = t * t / 2;
  h[0] = s;
  h[1] = 3 * t - 2;
  h[2] = 3 * s - 2;
  h[3] = t;
}

extern "C" __global__ void spline(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float x = 40 * in[i], y = 40 * in[i + n], z = 40 * in[i + 2 * n];
  const int ix = int(x), iy = int(y), iz = int(z);
  float a[4], da[4], ha[4], b[4], db[4], hb[4], c[4], dc[4], hc[4];
  splineWeights(x - ix, a, da, ha);
  splineWeights(y - iy, b, db, hb);
  splineWeights(z - iz, c, dc, hc);
  float v = 0, gx = 0, gy = 0, gz = 0, xx = 0, xy = 0, xz = 0, yy = 0, yz = 0,
        zz = 0;
#pragma unroll
  for (int p = 0; p < 4; ++p)
#pragma unroll
    for (int q = 0; q < 4; ++q) {
      const float *row = in + ((((ix + p) & 63) * 64 + ((iy + q) & 63)) << 6);
      float s = 0, ds = 0, hs = 0;
#pragma unroll
      for (int r = 0; r < 4; ++r) {
        const float value = row[(iz + r) & 63];
        s += value * c[r];
        ds += value * dc[r];
        hs += value * hc[r];
      }
      v += a[p] * b[q] * s;
      gx += da[p] * b[q] * s;
      gy += a[p] * db[q] * s;
      gz += a[p] * b[q] * ds;
      xx += ha[p] * b[q] * s;
      xy += da[p] * db[q] * s;
      xz += da[p] * b[q] * ds;
      yy += a[p] * hb[q] * s;
      yz += a[p] * db[q] * ds;
      zz += a[p] * b[q] * hs;
    }
  const float all[10] = {v, gx, gy, gz, xx, xy, xz, yy, yz, zz};
#pragma unroll
  for (int k = 0; k < 10; ++k)
    out[k * n + i] = all[k];
}

// Block compression of colours in the manner of DXT1: covariance of 16 pixels,
// its principal axis by power iteration, end points, nearest of four colours.
extern "C" __global__ void blockColours(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float p[16][3], mean[3] = {};
#pragma unroll
  for (int k = 0; k < 16; ++k)
#pragma unroll
    for (int d = 0; d < 3; ++d) {
      p[k][d] = in[(k * 3 + d) * n + i];
      mean[d] += p[k][d] / 16;
    }
  float xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;
#pragma unroll
  for (int k = 0; k < 16; ++k) {
    const float x = p[k][0] - mean[0], y = p[k][1] - mean[1],
                z = p[k][2] - mean[2];
    xx += x * x;
    xy += x * y;
    xz += x * z;
    yy += y * y;
    yz += y * z;
    zz += z * z;
  }
  float ax = 1, ay = 1, az = 1;
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const float x = xx * ax + xy * ay + xz * az;
    const float y = xy * ax + yy * ay + yz * az;
    const float z = xz * ax + yz * ay + zz * az;
    const float scale = rsqrtf(x * x + y * y + z * z + 1e-12f);
    ax = x * scale;
    ay = y * scale;
    az = z * scale;
  }
  float low = 1e30f, high = -1e30f, at[16];
#pragma unroll
  for (int k = 0; k < 16; ++k) {
    at[k] = p[k][0] * ax + p[k][1] * ay + p[k][2] * az;
    low = fminf(low, at[k]);
    high = fmaxf(high, at[k]);
  }
  unsigned indices = 0;
  float error = 0;
  const float step = 3 / fmaxf(high - low, 1e-6f);
#pragma unroll
  for (int k = 0; k < 16; ++k) {
    const int nearest = int((at[k] - low) * step + 0.5f);
    const float t = low + nearest / step - at[k];
    const float x = p[k][0] - mean[0] - t * ax, y = p[k][1] - mean[1] - t * ay,
                z = p[k][2] - mean[2] - t * az;
    error += x * x + y * y + z * z;
    indices |= unsigned(nearest & 3) << (2 * k);
  }
  out[i] = error;
  out[n + i] = float(indices >> 8);
}

// LU factorization without pivoting of one 9 x 9 matrix per thread, and the
// solution of one system with it.
extern "C" __global__ void smallLu(const float *in, float *out, int n) {
  constexpr int N = 9;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float a[N][N], b[N];
#pragma unroll
  for (int r = 0; r < N; ++r) {
#pragma unroll
    for (int c = 0; c < N; ++c)
      a[r][c] = in[(r * N + c) * n + i] + (r == c ? N : 0);
    b[r] = in[r * n + i];
  }
#pragma unroll
  for (int k = 0; k < N; ++k) {
    const float inverse = 1 / a[k][k];
#pragma unroll
    for (int r = k + 1; r < N; ++r) {
      a[r][k] *= inverse;
      b[r] -= a[r][k] * b[k];
#pragma unroll
      for (int c = k + 1; c < N; ++c)
        a[r][c] -= a[r][k] * a[k][c];
    }
  }
#pragma unroll
  for (int r = N - 1; r >= 0; --r) {
#pragma unroll
    for (int c = r + 1; c < N; ++c)
      b[r] -= a[r][c] * b[c];
    b[r] /= a[r][r];
    out[r * n + i] = b[r];
  }
}

// Particles in boxes: potential and force on each particle from those of its
// own and neighbouring boxes (a row of 27), with a screened interaction. A
// thread has four particles of its box.
extern "C" __global__ void particles(const float *in, float *out, int n) {
  constexpr int PerBox = 128, Neighbours = 27, Own = 4;
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n / Own)
    return;
  const int box = t / (PerBox / Own), boxes = n / PerBox;
  const int first = box * PerBox + t % (PerBox / Own);
  float x[Own], y[Own], z[Own], q[Own];
  float v[Own] = {}, fx[Own] = {}, fy[Own] = {}, fz[Own] = {};
#pragma unroll
  for (int p = 0; p < Own; ++p) {
    const int i = first + p * (PerBox / Own);
    x[p] = in[i];
    y[p] = in[n + i];
    z[p] = in[2 * n + i];
    q[p] = in[3 * n + i];
  }
  for (int k = 0; k < Neighbours; ++k) {
    int other = box + k - Neighbours / 2;
    other += other < 0 ? boxes : other >= boxes ? -boxes : 0;
#pragma unroll 4
    for (int j = other * PerBox; j < (other + 1) * PerBox; ++j) {
      const float ox = in[j], oy = in[n + j], oz = in[2 * n + j];
      const float oq = in[3 * n + j];
#pragma unroll
      for (int p = 0; p < Own; ++p) {
        const float dx = x[p] - ox, dy = y[p] - oy, dz = z[p] - oz;
        const float r2 = dx * dx + dy * dy + dz * dz;
        const float u = q[p] * oq * __expf(-0.5f * r2);
        v[p] += u;
        fx[p] += u * dx;
        fy[p] += u * dy;
        fz[p] += u * dz;
      }
    }
  }
#pragma unroll
  for (int p = 0; p < Own; ++p) {
    const int i = first + p * (PerBox / Own);
    out[i] = v[p];
    out[n + i] = fx[p];
    out[2 * n + i] = fy[p];
    out[3 * n + i] = fz[p];
  }
}
