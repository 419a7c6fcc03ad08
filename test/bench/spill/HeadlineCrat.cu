//===- HeadlineCrat.cu - The applications of CRAT's headline ---*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nine of the eleven applications that CRAT's table 3 calls sensitive to
// resources, each written anew from its published algorithm; cfd is `flux` and
// lbm is `lattice` of registers/Grids.cu. Parameters as in registers/Points.cu.
// A kernel with a barrier has no thread that leaves early: its grid is exact.
// Fermi has 21 registers for each thread that fits, an H200 32: so a thread of
// blackScholes, initRandom, differences, heatPyramid and stencilColumns does
// the work of several of theirs. The others have their grain.
//
//   blackScholes       BlackScholes     clusterFit      dxtc
//   initRandom         EstimatePi       differences     FDTD3d
//   heatPyramid        hotspot          invertMapping   kmeans
//   jaggedProduct      spmv             stencilColumns  stencil
//   facilityCost       streamcluster
//
//===----------------------------------------------------------------------===//

// The normal distribution function by a polynomial (Abramowitz and Stegun,
// 26.2.17).
static __device__ float normalBelow(float d) {
  const float k = 1.f / (1.f + 0.2316419f * fabsf(d));
  const float tail =
      0.39894228f * __expf(-0.5f * d * d) *
      (k * (0.31938153f +
            k * (-0.356563782f +
                 k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0 ? 1.f - tail : tail;
}

// Prices of European options (Black and Scholes 1973): a call and a put for
// each of n options. A thread has eight options.
extern "C" __global__ void blackScholes(const float *in, float *out, int n) {
  constexpr int Own = 8;
  constexpr float Rate = 0.02f, Volatility = 0.3f;
  const int threads = n / Own;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= threads)
    return;
  float price[Own], strike[Own], years[Own];
#pragma unroll
  for (int k = 0; k < Own; ++k) {
    price[k] = 20 * in[k * threads + i];
    strike[k] = 20 * in[n + k * threads + i];
    years[k] = 4 * in[2 * n + k * threads + i];
  }
#pragma unroll
  for (int k = 0; k < Own; ++k) {
    const float spread = Volatility * sqrtf(years[k]);
    const float d1 = (__logf(price[k] / strike[k]) +
                      (Rate + 0.5f * Volatility * Volatility) * years[k]) /
                     spread;
    const float below1 = normalBelow(d1), below2 = normalBelow(d1 - spread);
    const float worth = strike[k] * __expf(-Rate * years[k]);
    out[k * threads + i] = price[k] * below1 - worth * below2;
    out[n + k * threads + i] =
        worth * (1.f - below2) - price[k] * (1.f - below1);
  }
}

struct Colour {
  float r, g, b;
};

static __device__ float dot(Colour a, Colour b) {
  return a.r * b.r + a.g * b.g + a.b * b.b;
}

// The nearest colour of 5, 6 and 5 bits.
static __device__ Colour quantized(float r, float g, float b) {
  return {rintf(31 * __saturatef(r)) * (1.f / 31),
          rintf(63 * __saturatef(g)) * (1.f / 63),
          rintf(31 * __saturatef(b)) * (1.f / 31)};
}

// The direction in which 16 colours differ most: power iteration with their
// covariance.
static __device__ Colour principalAxis(const Colour *colours) {
  constexpr int Pixels = 16;
  Colour mean = {0, 0, 0};
  for (int k = 0; k < Pixels; ++k) {
    mean.r += colours[k].r / Pixels;
    mean.g += colours[k].g / Pixels;
    mean.b += colours[k].b / Pixels;
  }
  float rr = 0, rg = 0, rb = 0, gg = 0, gb = 0, bb = 0;
  for (int k = 0; k < Pixels; ++k) {
    const float r = colours[k].r - mean.r, g = colours[k].g - mean.g,
                b = colours[k].b - mean.b;
    rr += r * r;
    rg += r * g;
    rb += r * b;
    gg += g * g;
    gb += g * b;
    bb += b * b;
  }
  Colour axis = {1, 1, 1};
  for (int k = 0; k < 4; ++k) {
    const Colour next = {rr * axis.r + rg * axis.g + rb * axis.b,
                         rg * axis.r + gg * axis.g + gb * axis.b,
                         rb * axis.r + gb * axis.g + bb * axis.b};
    const float scale = rsqrtf(dot(next, next) + 1e-12f);
    axis = {next.r * scale, next.g * scale, next.b * scale};
  }
  return axis;
}

// Cluster fit (Brown 2006): 16 colours in the order of their principal axis are
// cut into four clusters in each of the 969 possible ways; the end points of
// each by least squares. 64 threads search for a tile's best. n tiles.
extern "C" __global__ void clusterFit(const float *in, float *out, int n) {
  constexpr int Pixels = 16, Team = 64, Tiles = 2, Ways = 969;
  __shared__ Colour given[Tiles][Pixels], sorted[Tiles][Pixels];
  __shared__ float along[Tiles][Pixels], errors[Tiles][Team];
  __shared__ int ways[Tiles][Team];
  const int lane = threadIdx.x % Team, mine = threadIdx.x / Team;
  const int tile = blockIdx.x * Tiles + mine;
  if (lane < Pixels) {
    const float *pixel = in + (tile * Pixels + lane) * 3;
    given[mine][lane] = {pixel[0] - 0.5f, pixel[1] - 0.5f, pixel[2] - 0.5f};
  }
  __syncthreads();
  if (lane < Pixels)
    along[mine][lane] = dot(given[mine][lane], principalAxis(given[mine]));
  __syncthreads();
  if (lane < Pixels) {
    const float here = along[mine][lane];
    int rank = 0;
    for (int k = 0; k < Pixels; ++k) {
      const float other = along[mine][k];
      rank += other < here || (other == here && k < lane);
    }
    sorted[mine][rank] = given[mine][lane];
  }
  __syncthreads();

  float least = 1e30f;
  int best = Ways;
  Colour bestA = {0, 0, 0}, bestB = {0, 0, 0};
  for (int way = lane; way < Ways; way += Team) {
    // way = C(third, 3) + C(second, 2) + first, the cuts being distinct.
    int third = 2, second = 1, rest = way;
    while ((third + 1) * third * (third - 1) / 6 <= rest)
      ++third;
    rest -= third * (third - 1) * (third - 2) / 6;
    while ((second + 1) * second / 2 <= rest)
      ++second;
    const int first = rest - second * (second - 1) / 2;
    float aa = 0, ab = 0, bb = 0;
    Colour ax = {0, 0, 0}, bx = {0, 0, 0};
#pragma unroll
    for (int k = 0; k < Pixels; ++k) {
      const Colour c = sorted[mine][k];
      const int cuts = (k >= first) + (k + 1 >= second) + (k + 2 >= third);
      const float b = cuts * (1.f / 3), a = 1.f - b;
      aa += a * a;
      ab += a * b;
      bb += b * b;
      ax = {ax.r + a * c.r, ax.g + a * c.g, ax.b + a * c.b};
      bx = {bx.r + b * c.r, bx.g + b * c.g, bx.b + b * c.b};
    }
    const float determinant = aa * bb - ab * ab;
    const float inverse = determinant > 1e-6f ? 1.f / determinant : 0.f;
    const Colour a = quantized((ax.r * bb - bx.r * ab) * inverse,
                               (ax.g * bb - bx.g * ab) * inverse,
                               (ax.b * bb - bx.b * ab) * inverse);
    const Colour b = quantized((bx.r * aa - ax.r * ab) * inverse,
                               (bx.g * aa - ax.g * ab) * inverse,
                               (bx.b * aa - ax.b * ab) * inverse);
    const float error = aa * dot(a, a) + bb * dot(b, b) +
                        2 * (ab * dot(a, b) - dot(a, ax) - dot(b, bx));
    if (error < least) {
      least = error;
      best = way;
      bestA = a;
      bestB = b;
    }
  }

  errors[mine][lane] = least;
  ways[mine][lane] = best;
  __syncthreads();
  for (int half = Team / 2; half > 0; half /= 2) {
    if (lane < half) {
      const float other = errors[mine][lane + half];
      const int way = ways[mine][lane + half];
      if (other < errors[mine][lane] ||
          (other == errors[mine][lane] && way < ways[mine][lane])) {
        errors[mine][lane] = other;
        ways[mine][lane] = way;
      }
    }
    __syncthreads();
  }
  if (ways[mine][0] == best) { // each way is one thread's
    const float all[7] = {float(best), bestA.r, bestA.g, bestA.b,
                          bestB.r,     bestB.g, bestB.b};
#pragma unroll
    for (int k = 0; k < 7; ++k)
      out[k * n + tile] = all[k];
  }
}

// Marsaglia's xorwow generator (2003), started at a far place of its sequence:
// its 160 bits times a matrix over two elements, for each two bits of the
// thread's number. The matrices are bits of the input. A thread has four
// generators of different seeds.
extern "C" __global__ void initRandom(const float *in, float *out, int n) {
  constexpr int Own = 4, Words = 5, Bits = 32, Digits = 9;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned v[Own][Words];
#pragma unroll
  for (int g = 0; g < Own; ++g)
#pragma unroll
    for (int w = 0; w < Words; ++w)
      v[g][w] = __float_as_uint(in[g * Words + w]) * 2654435761u;
  unsigned number = i;
#pragma unroll 1
  for (int digit = 0; digit < Digits; ++digit, number >>= 2) {
    const float *matrix = in + digit * Words * Bits * Words;
#pragma unroll 1
    for (int times = number & 3; times > 0; --times) {
      unsigned next[Own][Words] = {};
#pragma unroll
      for (int w = 0; w < Words; ++w)
#pragma unroll 2
        for (int bit = 0; bit < Bits; ++bit) {
          const float *row = matrix + (w * Bits + bit) * Words;
#pragma unroll
          for (int k = 0; k < Words; ++k) {
            const unsigned word = __float_as_uint(row[k]) * 2654435761u;
#pragma unroll
            for (int g = 0; g < Own; ++g)
              next[g][k] ^= v[g][w] >> bit & 1 ? word : 0;
          }
        }
#pragma unroll
      for (int g = 0; g < Own; ++g)
#pragma unroll
        for (int w = 0; w < Words; ++w)
          v[g][w] = next[g][w];
    }
  }
#pragma unroll
  for (int g = 0; g < Own; ++g) {
    const unsigned weyl = 6615241u + 362437u * (g * n + i);
#pragma unroll
    for (int w = 0; w < Words; ++w)
      out[(g * (Words + 1) + w) * n + i] = v[g][w] >> 8;
    out[(g * (Words + 1) + Words) * n + i] = (v[g][Words - 1] + weyl) >> 8;
  }
}

// Finite differences of order 8 in space: a tile of the plane in shared memory
// with its rim, the columns above and below in registers. A thread has two
// columns. The input is n cells and a rim wide, and so on; a block has
// n / gridDim.z planes.
extern "C" __global__ void differences(const float *in, float *out, int n) {
  constexpr int R = 4, Width = 32, Height = 16, Own = 2;
  __shared__ float tile[Height + 2 * R][Own * Width + 2 * R];
  constexpr float C[R + 1] = {-2.847f, 1.6f, -0.2f, 0.0254f, -0.0018f};
  const int tx = threadIdx.x + R, ty = threadIdx.y + R;
  const int x = blockIdx.x * Own * Width + threadIdx.x;
  const int y = blockIdx.y * Height + threadIdx.y;
  const int planes = n / gridDim.z, first = blockIdx.z * planes;
  const int pitch = n + 2 * R, plane = pitch * pitch;
  const float *at = in + first * plane + (y + R) * pitch + x + R;
  float column[Own][2 * R + 1];
#pragma unroll
  for (int k = 0; k < 2 * R; ++k)
#pragma unroll
    for (int c = 0; c < Own; ++c)
      column[c][k + 1] = at[k * plane + c * Width];
  at += R * plane;
  for (int z = first; z < first + planes; ++z, at += plane) {
#pragma unroll
    for (int c = 0; c < Own; ++c) {
#pragma unroll
      for (int k = 0; k < 2 * R; ++k)
        column[c][k] = column[c][k + 1];
      column[c][2 * R] = at[R * plane + c * Width];
    }
    __syncthreads();
#pragma unroll
    for (int c = 0; c < Own; ++c) {
      tile[ty][tx + c * Width] = column[c][R];
      if (threadIdx.y < R) {
        tile[threadIdx.y][tx + c * Width] = at[c * Width - R * pitch];
        tile[ty + Height][tx + c * Width] = at[c * Width + Height * pitch];
      }
    }
    if (threadIdx.x < R) {
      tile[ty][threadIdx.x] = at[-R];
      tile[ty][tx + Own * Width] = at[Own * Width];
    }
    __syncthreads();
#pragma unroll
    for (int c = 0; c < Own; ++c) {
      const int cell = tx + c * Width;
      float sum = 3 * C[0] * column[c][R];
#pragma unroll
      for (int k = 1; k <= R; ++k)
        sum += C[k] *
               (column[c][R - k] + column[c][R + k] + tile[ty - k][cell] +
                tile[ty + k][cell] + tile[ty][cell - k] + tile[ty][cell + k]);
      out[(z * n + y) * n + x + c * Width] = column[c][R] + 0.1f * sum;
    }
  }
}

// Temperature of a chip (Huang et al. 2006, a grid of thermal resistances):
// explicit Euler steps in double precision, of which a block takes three before
// it stores those cells that its rim has not spoilt. A thread has eight cells.
// n cells along each side.
extern "C" __global__ void heatPyramid(const float *in, float *out, int n) {
  constexpr int Width = 32, Rows = 8, Own = 8, Height = Own * Rows, Steps = 3;
  constexpr double Ambient = 0.8, InverseX = 0.12, InverseY = 0.1,
                   InverseZ = 0.05, Step = 0.4;
  __shared__ float cells[2][Height][Width];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = int(blockIdx.x) * (Width - 2 * Steps) - Steps + tx;
  const int y = int(blockIdx.y) * (Height - 2 * Steps) - Steps + ty;
  const int west = x > 0 ? tx - 1 : tx, east = x < n - 1 ? tx + 1 : tx;
  float power[Own];
  bool isRight[Own];
#pragma unroll
  for (int k = 0; k < Own; ++k) {
    const int row = y + k * Rows;
    isRight[k] = x >= 0 && x < n && row >= 0 && row < n;
    power[k] = isRight[k] ? in[(n + row) * n + x] : 0;
    cells[0][ty + k * Rows][tx] = isRight[k] ? in[row * n + x] : 0;
  }
  __syncthreads();
#pragma unroll
  for (int step = 0; step < Steps; ++step) {
    const auto &now = cells[step % 2];
    auto &then = cells[(step + 1) % 2];
#pragma unroll
    for (int k = 0; k < Own; ++k) {
      const int at = ty + k * Rows, row = y + k * Rows;
      isRight[k] = isRight[k] && tx > step && tx < Width - 1 - step &&
                   at > step && at < Height - 1 - step;
      if (!isRight[k])
        continue;
      const int north = row > 0 ? at - 1 : at,
                south = row < n - 1 ? at + 1 : at;
      const double t = now[at][tx];
      const double alongY = now[south][tx] + now[north][tx] - 2 * t;
      const double alongX = now[at][east] + now[at][west] - 2 * t;
      then[at][tx] = t + Step * (power[k] + alongY * InverseY +
                                 alongX * InverseX + (Ambient - t) * InverseZ);
    }
    __syncthreads();
  }
#pragma unroll
  for (int k = 0; k < Own; ++k)
    if (isRight[k])
      out[(y + k * Rows) * n + x] = cells[Steps % 2][ty + k * Rows][tx];
}

// The features of n points, point by point in the input, feature by feature in
// the output.
extern "C" __global__ void invertMapping(const float *in, float *out, int n) {
  constexpr int Features = 34;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
#pragma unroll 2
  for (int k = 0; k < Features; ++k)
    out[k * n + i] = in[i * Features + k];
}

// Sparse matrix times vector in jagged diagonals (Saad 1989): the rows are
// sorted by their length, the next element is fetched while one is added. n is
// a power of two.
extern "C" __global__ void jaggedProduct(const float *in, float *out, int n) {
  constexpr int Shortest = 8, Longest = 48;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float *values = in, *columns = in + Longest * n;
  const float *x = in + 2 * Longest * n;
  const int group = i / 32, groups = n / 32;
  const int length =
      Shortest + (Longest - Shortest) * (groups - group) / groups;
  int at = i, column = int((columns[at] - 0.5f) * n) & (n - 1);
  float value = values[at], factor = x[column], sum = 0;
  for (int k = 1; k < length; ++k) {
    at += n;
    column = int((columns[at] - 0.5f) * n) & (n - 1);
    const float nextValue = values[at], nextFactor = x[column];
    sum += value * factor;
    value = nextValue;
    factor = nextFactor;
  }
  sum += value * factor;
  out[(i * 40503) & (n - 1)] = sum; // the row's place before the sorting
}

// Jacobi's step for the heat equation, seven points: a plane of the tile in
// shared memory, four columns of cells for each thread. The input is n cells
// and a rim wide, and so on; a block has n / gridDim.z planes.
extern "C" __global__ void stencilColumns(const float *in, float *out, int n) {
  constexpr int Width = 32, Height = 4, Own = 4;
  __shared__ float tile[Height][Own * Width];
  constexpr float C0 = 0.4f, C1 = 0.1f;
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = blockIdx.x * Own * Width + tx, y = blockIdx.y * Height + ty;
  const int planes = n / gridDim.z, first = blockIdx.z * planes;
  const int pitch = n + 2, plane = pitch * pitch;
  const float *at = in + first * plane + (y + 1) * pitch + x + 1;
  float below[Own], here[Own], above[Own];
#pragma unroll
  for (int k = 0; k < Own; ++k) {
    below[k] = at[k * Width];
    here[k] = at[plane + k * Width];
  }
  for (int z = first; z < first + planes; ++z) {
    at += plane;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < Own; ++k) {
      tile[ty][tx + k * Width] = here[k];
      above[k] = at[plane + k * Width];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < Own; ++k) {
      const int c = tx + k * Width;
      const float west = c > 0 ? tile[ty][c - 1] : at[k * Width - 1];
      const float east =
          c < Own * Width - 1 ? tile[ty][c + 1] : at[k * Width + 1];
      const float north = ty > 0 ? tile[ty - 1][c] : at[k * Width - pitch];
      const float south =
          ty < Height - 1 ? tile[ty + 1][c] : at[k * Width + pitch];
      out[(z * n + y) * n + x + k * Width] =
          C0 * here[k] +
          C1 * (below[k] + above[k] + west + east + north + south);
      below[k] = here[k];
      here[k] = above[k];
    }
  }
}

// What a new centre would save (facility location, Charikar and Guha 1999):
// each of n points compares its weighted distance to the candidate with its
// cost now, and books what it gains with the centre that it would leave.
extern "C" __global__ void facilityCost(const float *in, float *out, int n) {
  constexpr int Dimensions = 32, Centres = 8;
  __shared__ float candidate[Dimensions];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < Dimensions)
    candidate[threadIdx.x] = in[threadIdx.x * n + n / 2];
  __syncthreads();
  if (i >= n)
    return;
  float distance = 0;
#pragma unroll 8
  for (int k = 0; k < Dimensions; ++k) {
    const float d = in[k * n + i] - candidate[k];
    distance += d * d;
  }
  const float weight = in[Dimensions * n + i];
  const float cost = 5.3f * in[(Dimensions + 1) * n + i];
  const int centre = int(in[(Dimensions + 2) * n + i] * Centres) % Centres;
  const float gain = weight * distance - cost;
  out[i] = gain < 0;
  if (gain < 0)
    out[(1 + centre) * n + i] = gain;
}
