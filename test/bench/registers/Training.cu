//===- Training.cu - Kernels that the estimate of registers is fitted on --===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Textbook kernels in several sizes each, so that small and large pressure,
// loops that can and cannot be unrolled, 32 and 64 bits, shared memory, calls
// and slow arithmetic all occur. They are compiled, never run.
//
//===----------------------------------------------------------------------===//
#include <cstdio>

__device__ static int globalIndex() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

template <class T> __global__ void fill(T *out, T value, int n) {
  int i = globalIndex();
  if (i < n)
    out[i] = value;
}

template <class T> __global__ void axpy(int n, T a, const T *x, T *y) {
  int i = globalIndex();
  if (i < n)
    y[i] = a * x[i] + y[i];
}

template <class T> __global__ void strided(const T *in, T *out, int n) {
  for (int i = globalIndex(); i < n; i += gridDim.x * blockDim.x)
    out[i] = in[i];
}

template <class T>
__global__ void rowSums(const T *__restrict__ a, T *out, int n) {
  int i = globalIndex();
  T sum = 0;
  for (int j = 0; j < n; ++j)
    sum += a[i * n + j];
  out[i] = sum;
}

template <class T>
__global__ void columnSums(const T *a, const T *x, T *out, int rows, int n) {
  int j = globalIndex();
  if (j >= n)
    return;
  out[j] = 0;
  for (int i = 0; i < rows; ++i)
    out[j] += a[i * n + j] * x[i];
}

template <class T, int Tile>
__global__ void product(const T *a, const T *b, T *c, int n) {
  int row = (blockIdx.y * blockDim.y + threadIdx.y) * Tile;
  int column = (blockIdx.x * blockDim.x + threadIdx.x) * Tile;
  T sum[Tile][Tile] = {};
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < Tile; ++i)
      for (int j = 0; j < Tile; ++j)
        sum[i][j] += a[(row + i) * n + k] * b[k * n + column + j];
  for (int i = 0; i < Tile; ++i)
    for (int j = 0; j < Tile; ++j)
      c[(row + i) * n + column + j] = sum[i][j];
}

template <int Side>
__global__ void productShared(const float *a, const float *b, float *c, int n) {
  __shared__ float left[Side][Side], right[Side][Side];
  int row = blockIdx.y * Side + threadIdx.y;
  int column = blockIdx.x * Side + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < n / Side; ++t) {
    left[threadIdx.y][threadIdx.x] = a[row * n + t * Side + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = b[(t * Side + threadIdx.y) * n + column];
    __syncthreads();
    for (int k = 0; k < Side; ++k)
      sum += left[threadIdx.y][k] * right[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

template <class T, int Radius>
__global__ void stencil(const T *in, T *out, int n, T a, T b) {
  int i = globalIndex();
  if (i < Radius || i >= n - Radius)
    return;
  T sum = a * in[i];
  for (int r = 1; r <= Radius; ++r)
    sum += b * (in[i - r] + in[i + r]);
  out[i] = sum;
}

template <class T>
__global__ void stencil3(const T *in, T *out, int nx, int ny, int nz) {
  int x = globalIndex(), y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
    return;
  T below = in[y * nx + x], here = in[(ny + y) * nx + x];
  for (int z = 1; z < nz - 1; ++z) {
    int at = (z * ny + y) * nx + x;
    T above = in[at + nx * ny];
    out[at] = below + above + in[at - 1] + in[at + 1] + in[at - nx] +
              in[at + nx] - 6 * here;
    below = here;
    here = above;
  }
}

template <class T, int Count>
__global__ void accumulators(const T *in, T *out, int n) {
  T sum[Count] = {};
  for (int j = globalIndex(); j < n; j += Count)
#pragma unroll
    for (int k = 0; k < Count; ++k)
      sum[k] = sum[k] * in[j + k] + T(k + 1);
  for (int k = 0; k < Count; ++k)
    out[globalIndex() * Count + k] = sum[k];
}

template <class T, int N> __global__ void factorize(T *matrices) {
  T a[N][N];
  T *mine = matrices + globalIndex() * N * N;
  for (int i = 0; i < N * N; ++i)
    a[i / N][i % N] = mine[i];
#pragma unroll
  for (int k = 0; k < N; ++k)
#pragma unroll
    for (int i = k + 1; i < N; ++i) {
      a[i][k] /= a[k][k];
#pragma unroll
      for (int j = k + 1; j < N; ++j)
        a[i][j] -= a[i][k] * a[k][j];
    }
  for (int i = 0; i < N * N; ++i)
    mine[i] = a[i / N][i % N];
}

template <class T, int N> __global__ void sortSmall(T *data) {
  T v[N];
  for (int i = 0; i < N; ++i)
    v[i] = data[globalIndex() * N + i];
#pragma unroll
  for (int round = 0; round < N; ++round)
#pragma unroll
    for (int i = round % 2; i + 1 < N; i += 2) {
      T low = min(v[i], v[i + 1]), high = max(v[i], v[i + 1]);
      v[i] = low;
      v[i + 1] = high;
    }
  for (int i = 0; i < N; ++i)
    data[globalIndex() * N + i] = v[i];
}

template <class T>
__global__ void bodies(const T *p, T *force, int n, T softening) {
  int i = globalIndex();
  T x = p[4 * i], y = p[4 * i + 1], z = p[4 * i + 2];
  T fx = 0, fy = 0, fz = 0;
  for (int j = 0; j < n; ++j) {
    T dx = p[4 * j] - x, dy = p[4 * j + 1] - y, dz = p[4 * j + 2] - z;
    T near = rsqrt(dx * dx + dy * dy + dz * dz + softening);
    T strength = p[4 * j + 3] * near * near * near;
    fx += dx * strength;
    fy += dy * strength;
    fz += dz * strength;
  }
  force[3 * i] = fx;
  force[3 * i + 1] = fy;
  force[3 * i + 2] = fz;
}

__global__ void bodies4(const float4 *p, float4 *force, int n) {
  float4 me = p[globalIndex()], sum = {0, 0, 0, 0};
  for (int j = 0; j < n; ++j) {
    float4 o = p[j];
    float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z;
    float s = o.w / (sqrtf(dx * dx + dy * dy + dz * dz) + 1);
    sum.x += dx * s;
    sum.y += dy * s;
    sum.z += dz * s;
  }
  force[globalIndex()] = sum;
}

template <class T> __global__ void reduce(const T *in, T *out, int n) {
  __shared__ T part[256];
  T sum = 0;
  for (int i = globalIndex(); i < n; i += gridDim.x * blockDim.x)
    sum += in[i];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (threadIdx.x < s)
      part[threadIdx.x] += part[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    out[blockIdx.x] = part[0];
}

__global__ void histogram(const unsigned *in, unsigned *bins, int n) {
  __shared__ unsigned mine[256];
  mine[threadIdx.x] = 0;
  __syncthreads();
  for (int i = globalIndex(); i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&mine[in[i] & 255], 1);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

__global__ void breadthFirst(const int *start, const int *edges, int *level,
                             int depth, int n, bool *more) {
  int v = globalIndex();
  if (v >= n || level[v] != depth)
    return;
  for (int e = start[v]; e < start[v + 1]; ++e)
    if (level[edges[e]] < 0) {
      level[edges[e]] = depth + 1;
      *more = true;
    }
}

template <class T>
__global__ void sparse(const int *start, const int *column, const T *value,
                       const T *x, T *y, int n) {
  int row = globalIndex();
  if (row >= n)
    return;
  T sum = 0;
  for (int k = start[row]; k < start[row + 1]; ++k)
    sum += value[k] * x[column[k]];
  y[row] = sum;
}

template <class T> __global__ void escape(int *out, int width, int limit) {
  int px = globalIndex(), py = blockIdx.y;
  T cx = T(px) / width * 3 - 2, cy = T(py) / width * 2 - 1, x = 0, y = 0;
  int k = 0;
  for (; k < limit && x * x + y * y < 4; ++k) {
    T next = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = next;
  }
  out[py * width + px] = k;
}

template <class T>
__global__ void optionPrice(const T *s, const T *x, const T *t, T *call, T *put,
                            T rate, T volatility, int n) {
  for (int i = globalIndex(); i < n; i += gridDim.x * blockDim.x) {
    T root = sqrt(t[i]);
    T d1 = (log(s[i] / x[i]) + (rate + volatility * volatility / 2) * t[i]) /
           (volatility * root);
    T d2 = d1 - volatility * root;
    T c1 = normcdf(d1), c2 = normcdf(d2), discount = exp(-rate * t[i]);
    call[i] = s[i] * c1 - x[i] * discount * c2;
    put[i] = x[i] * discount * (1 - c2) - s[i] * (1 - c1);
  }
}

template <class T> __global__ void waves(T *out, T time, int width) {
  int x = globalIndex(), y = blockIdx.y * blockDim.y + threadIdx.y;
  T u = x / T(width), v = y / T(width);
  out[y * width + x] = sin(u * 4 + time) * cos(v * 4 + time) + pow(u, v);
}

template <class T> __global__ void transpose(const T *in, T *out, int n) {
  __shared__ T tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

template <int Taps>
__global__ void filter(const float *in, const float *weight, float *out) {
  float window[Taps];
  for (int k = 0; k < Taps; ++k)
    window[k] = in[globalIndex() + k];
  for (int i = 0; i < 1024; ++i) {
    float sum = 0;
#pragma unroll
    for (int k = 0; k < Taps; ++k)
      sum += window[k] * weight[k];
    out[globalIndex() + i] = sum;
#pragma unroll
    for (int k = 0; k + 1 < Taps; ++k)
      window[k] = window[k + 1];
    window[Taps - 1] = in[globalIndex() + Taps + i];
  }
}

template <int Words>
__global__ void copyWide(const int4 *in, int4 *out, int n) {
  int4 v[Words];
  for (int i = globalIndex(); i < n; i += gridDim.x * blockDim.x) {
#pragma unroll
    for (int k = 0; k < Words; ++k)
      v[k] = in[i * Words + k];
#pragma unroll
    for (int k = 0; k < Words; ++k)
      out[i * Words + k] = v[k];
  }
}

template <int Rounds> __global__ void mix(unsigned *state) {
  unsigned s[8];
  for (int k = 0; k < 8; ++k)
    s[k] = state[globalIndex() * 8 + k];
#pragma unroll
  for (int r = 0; r < Rounds; ++r)
#pragma unroll
    for (int k = 0; k < 8; ++k)
      s[k] = (s[k] << 7 ^ s[(k + 1) % 8] >> 3) + s[(k + 5) % 8] * 69069u;
  for (int k = 0; k < 8; ++k)
    state[globalIndex() * 8 + k] = s[k];
}

__global__ void tells(const int *in, int n) {
  int i = globalIndex();
  if (i < n && in[i] < 0)
    printf("%d: %d\n", i, in[i]);
}

__global__ void divides(const long long *a, const int *b, long long *out,
                        int n) {
  int i = globalIndex();
  out[i] = a[i] / b[i] + a[i] % n;
}

template <class T>
__global__ void flux(const T *v, const int *neighbour, const T *normal, T *out,
                     int n) {
  int i = globalIndex();
  T density = v[i], mx = v[n + i], my = v[2 * n + i], mz = v[3 * n + i];
  T energy = v[4 * n + i], sum[5] = {};
  for (int j = 0; j < 4; ++j) {
    int o = neighbour[j * n + i];
    T nx = normal[(j * 3) * n + i], ny = normal[(j * 3 + 1) * n + i];
    T nz = normal[(j * 3 + 2) * n + i];
    if (o >= 0) {
      T d = v[o], ox = v[n + o], oy = v[2 * n + o], oz = v[3 * n + o];
      T e = v[4 * n + o];
      T speed = sqrt((ox * ox + oy * oy + oz * oz) / (d * d));
      T pressure = T(0.4) * (e - d * speed * speed / 2);
      T factor = sqrt(nx * nx + ny * ny + nz * nz) * speed;
      sum[0] += factor * (density - d) + nx * (mx + ox) + ny * (my + oy);
      sum[1] += factor * (mx - ox) + nx * pressure;
      sum[2] += factor * (my - oy) + ny * pressure;
      sum[3] += factor * (mz - oz) + nz * pressure;
      sum[4] += factor * (energy - e) + nz * (mz + oz);
    } else {
      sum[1] += nx * energy;
      sum[2] += ny * energy;
      sum[3] += nz * energy;
    }
  }
  for (int k = 0; k < 5; ++k)
    out[k * n + i] = sum[k];
}

template <class T, int Species> __global__ void rates(const T *y, T *dy, T t) {
  T c[Species], d[Species] = {};
  for (int k = 0; k < Species; ++k)
    c[k] = y[k * gridDim.x * blockDim.x + globalIndex()];
#pragma unroll
  for (int k = 0; k < Species; ++k)
#pragma unroll
    for (int l = k + 1; l < Species; l += 2) {
      T rate = exp(t * T(k - l)) * c[k] * c[l];
      d[k] -= rate;
      d[l] -= rate;
      d[(k + l) % Species] += 2 * rate;
    }
  for (int k = 0; k < Species; ++k)
    dy[k * gridDim.x * blockDim.x + globalIndex()] = d[k];
}

template __global__ void fill(int *, int, int);
template __global__ void fill(double *, double, int);
template __global__ void axpy(int, float, const float *, float *);
template __global__ void axpy(int, double, const double *, double *);
template __global__ void strided(const char *, char *, int);
template __global__ void strided(const float *, float *, int);
template __global__ void strided(const double *, double *, int);
template __global__ void strided(const float4 *, float4 *, int);
template __global__ void rowSums(const float *__restrict__, float *, int);
template __global__ void rowSums(const double *__restrict__, double *, int);
template __global__ void columnSums(const float *, const float *, float *, int,
                                    int);
template __global__ void columnSums(const double *, const double *, double *,
                                    int, int);
template __global__ void product<float, 1>(const float *, const float *,
                                           float *, int);
template __global__ void product<float, 2>(const float *, const float *,
                                           float *, int);
template __global__ void product<float, 4>(const float *, const float *,
                                           float *, int);
template __global__ void product<float, 6>(const float *, const float *,
                                           float *, int);
template __global__ void product<float, 8>(const float *, const float *,
                                           float *, int);
template __global__ void product<double, 1>(const double *, const double *,
                                            double *, int);
template __global__ void product<double, 3>(const double *, const double *,
                                            double *, int);
template __global__ void product<double, 5>(const double *, const double *,
                                            double *, int);
template __global__ void productShared<16>(const float *, const float *,
                                           float *, int);
template __global__ void productShared<32>(const float *, const float *,
                                           float *, int);
template __global__ void stencil<float, 1>(const float *, float *, int, float,
                                           float);
template __global__ void stencil<float, 4>(const float *, float *, int, float,
                                           float);
template __global__ void stencil<double, 2>(const double *, double *, int,
                                            double, double);
template __global__ void stencil<double, 8>(const double *, double *, int,
                                            double, double);
template __global__ void stencil3(const float *, float *, int, int, int);
template __global__ void stencil3(const double *, double *, int, int, int);
template __global__ void accumulators<float, 4>(const float *, float *, int);
template __global__ void accumulators<float, 12>(const float *, float *, int);
template __global__ void accumulators<float, 24>(const float *, float *, int);
template __global__ void accumulators<float, 40>(const float *, float *, int);
template __global__ void accumulators<float, 64>(const float *, float *, int);
template __global__ void accumulators<double, 8>(const double *, double *, int);
template __global__ void accumulators<double, 20>(const double *, double *,
                                                  int);
template __global__ void accumulators<double, 44>(const double *, double *,
                                                  int);
template __global__ void factorize<float, 2>(float *);
template __global__ void factorize<float, 4>(float *);
template __global__ void factorize<float, 6>(float *);
template __global__ void factorize<float, 8>(float *);
template __global__ void factorize<double, 3>(double *);
template __global__ void factorize<double, 5>(double *);
template __global__ void sortSmall<int, 6>(int *);
template __global__ void sortSmall<int, 16>(int *);
template __global__ void sortSmall<float, 24>(float *);
template __global__ void sortSmall<float, 48>(float *);
template __global__ void sortSmall<double, 12>(double *);
template __global__ void sortSmall<double, 30>(double *);
template __global__ void bodies(const float *, float *, int, float);
template __global__ void bodies(const double *, double *, int, double);
template __global__ void reduce(const float *, float *, int);
template __global__ void reduce(const double *, double *, int);
template __global__ void sparse(const int *, const int *, const float *,
                                const float *, float *, int);
template __global__ void sparse(const int *, const int *, const double *,
                                const double *, double *, int);
template __global__ void escape<float>(int *, int, int);
template __global__ void escape<double>(int *, int, int);
template __global__ void optionPrice(const float *, const float *,
                                     const float *, float *, float *, float,
                                     float, int);
template __global__ void optionPrice(const double *, const double *,
                                     const double *, double *, double *, double,
                                     double, int);
template __global__ void waves(float *, float, int);
template __global__ void waves(double *, double, int);
template __global__ void transpose(const float *, float *, int);
template __global__ void transpose(const double *, double *, int);
template __global__ void filter<8>(const float *, const float *, float *);
template __global__ void filter<20>(const float *, const float *, float *);
template __global__ void filter<56>(const float *, const float *, float *);
template __global__ void copyWide<1>(const int4 *, int4 *, int);
template __global__ void copyWide<4>(const int4 *, int4 *, int);
template __global__ void copyWide<10>(const int4 *, int4 *, int);
template __global__ void mix<2>(unsigned *);
template __global__ void mix<12>(unsigned *);
template __global__ void flux(const float *, const int *, const float *,
                              float *, int);
template __global__ void flux(const double *, const int *, const double *,
                              double *, int);
template __global__ void rates<float, 6>(const float *, float *, float);
template __global__ void rates<float, 16>(const float *, float *, float);
template __global__ void rates<double, 10>(const double *, double *, double);
