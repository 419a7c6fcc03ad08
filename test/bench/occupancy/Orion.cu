//===- Orion.cu - Kernels of the kinds that Orion tuned --------*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nine kernels, eight of them after the algorithms of Orion's benchmarks (its
// table 2), each launched again and again, as solvers do: the host looks at one
// number behind each launch.
//
//   flux       Euler fluxes over the faces of an unstructured mesh
//   fit        two colors for each block of 4 x 4 pixels, along their main axis
//   wave       a 3D stencil of radius 4, marching along z
//   heat       a 2D stencil with power and three resistances
//   denoise    a mean of pixels weighted by how alike their surroundings are
//   recursive  a recursive filter down the columns of an image
//   diffuse    anisotropic diffusion: gradients, their variance, a coefficient
//   collide    forces of the particles in the 27 cells around each
//   follow     none of Orion's: each thread follows a list of numbers of its
//   own
//
//   nvcc -O3 -std=c++17 -arch=native Orion.cu -o orion; ./orion [launches]
//
// Prints the milliseconds of each kernel's launches, from first to last, and a
// checksum of its result, which is the same for equal bits.
//
//===----------------------------------------------------------------------===//
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

static void require(cudaError_t error) {
  if (error == cudaSuccess)
    return;
  std::fprintf(stderr, "orion: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

//===-- Kernels -----------------------------------------------------------===//

struct State {
  float d, x, y, z, e; // density, momentum, energy
};

__device__ static State stateOf(const float *u, int i, int n) {
  return {u[i], u[i + n], u[i + 2 * n], u[i + 3 * n], u[i + 4 * n]};
}
__device__ static float pressureOf(const State &s) {
  return 0.4f * (s.e - 0.5f * (s.x * s.x + s.y * s.y + s.z * s.z) / s.d);
}

__global__ void flux(const int *neighbor, const float *normal, const float *u,
                     float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const State own = stateOf(u, i, n);
  const float p = pressureOf(own), c = sqrtf(1.4f * p / own.d);
  float d = 0, x = 0, y = 0, z = 0, e = 0;
#pragma unroll
  for (int f = 0; f < 4; ++f) {
    const int j = neighbor[f * n + i];
    const float nx = normal[(3 * f) * n + i], ny = normal[(3 * f + 1) * n + i],
                nz = normal[(3 * f + 2) * n + i];
    const State s = stateOf(u, j, n);
    const float q = pressureOf(s), area = sqrtf(nx * nx + ny * ny + nz * nz);
    const float ownFlow = (own.x * nx + own.y * ny + own.z * nz) / own.d,
                itsFlow = (s.x * nx + s.y * ny + s.z * nz) / s.d;
    const float fast =
        0.5f * area *
        (c + sqrtf(1.4f * q / s.d) + fabsf(ownFlow) + fabsf(itsFlow));
    d += 0.5f * (own.d * ownFlow + s.d * itsFlow) + fast * (own.d - s.d);
    x += 0.5f * (own.x * ownFlow + s.x * itsFlow + (p + q) * nx) +
         fast * (own.x - s.x);
    y += 0.5f * (own.y * ownFlow + s.y * itsFlow + (p + q) * ny) +
         fast * (own.y - s.y);
    z += 0.5f * (own.z * ownFlow + s.z * itsFlow + (p + q) * nz) +
         fast * (own.z - s.z);
    e += 0.5f * ((own.e + p) * ownFlow + (s.e + q) * itsFlow) +
         fast * (own.e - s.e);
  }
  out[i] = d, out[i + n] = x, out[i + 2 * n] = y;
  out[i + 3 * n] = z, out[i + 4 * n] = e;
}

__global__ void fit(const float4 *pixels, float4 *colors, int blocks) {
  int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b >= blocks)
    return;
  float r[16], g[16], l[16], mr = 0, mg = 0, ml = 0;
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    const float4 p = pixels[i * blocks + b];
    r[i] = p.x, g[i] = p.y, l[i] = p.z;
    mr += p.x / 16, mg += p.y / 16, ml += p.z / 16;
  }
  float rr = 0, rg = 0, rl = 0, gg = 0, gl = 0, ll = 0;
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    const float a = r[i] - mr, c = g[i] - mg, d = l[i] - ml;
    rr += a * a, rg += a * c, rl += a * d, gg += c * c, gl += c * d;
    ll += d * d;
  }
  float vr = 1, vg = 1, vl = 1;
  for (int step = 0; step < 8; ++step) {
    const float a = rr * vr + rg * vg + rl * vl,
                c = rg * vr + gg * vg + gl * vl,
                d = rl * vr + gl * vg + ll * vl;
    const float most = fmaxf(fmaxf(fabsf(a), fabsf(c)), fabsf(d)) + 1e-9f;
    vr = a / most, vg = c / most, vl = d / most;
  }
  float low = 1e30f, high = -1e30f, error = 0;
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    const float t = (r[i] - mr) * vr + (g[i] - mg) * vg + (l[i] - ml) * vl;
    low = fminf(low, t), high = fmaxf(high, t);
  }
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    const float t = (r[i] - mr) * vr + (g[i] - mg) * vg + (l[i] - ml) * vl;
    const float near =
        low + rintf((t - low) / (high - low + 1e-9f) * 3) / 3 * (high - low);
    error += (t - near) * (t - near);
  }
  colors[b] = make_float4(mr + low * vr, mg + low * vg, ml + high * vl, error);
}

constexpr int Radius = 4;

__global__ void wave(const float *in, const float *before, float *out, int nx,
                     int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x,
            y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < Radius || y < Radius || x >= nx - Radius || y >= ny - Radius)
    return;
  const size_t plane = (size_t)nx * ny;
  size_t at = (size_t)y * nx + x;
  float column[2 * Radius + 1];
#pragma unroll
  for (int k = 0; k < 2 * Radius; ++k)
    column[k + 1] = in[at + k * plane];
  at += Radius * plane;
  for (int z = Radius; z < nz - Radius; ++z, at += plane) {
#pragma unroll
    for (int k = 0; k < 2 * Radius; ++k)
      column[k] = column[k + 1];
    column[2 * Radius] = in[at + Radius * plane];
    float sum = -0.7f * column[Radius];
#pragma unroll
    for (int k = 1; k <= Radius; ++k)
      sum += 0.1f / k *
             (column[Radius - k] + column[Radius + k] + in[at - k] +
              in[at + k] + in[at - k * nx] + in[at + k * nx]);
    out[at] = 2 * column[Radius] - before[at] + 0.01f * sum;
  }
}

__global__ void heat(const float *t, const float *power, float *out, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x,
            y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n)
    return;
  const int west = max(x - 1, 0), east = min(x + 1, n - 1),
            north = max(y - 1, 0), south = min(y + 1, n - 1);
  const float here = t[y * n + x];
  out[y * n + x] =
      here + 0.1f * (power[y * n + x] +
                     (t[south * n + x] + t[north * n + x] - 2 * here) * 0.3f +
                     (t[y * n + east] + t[y * n + west] - 2 * here) * 0.2f +
                     (80 - here) * 0.01f);
}

__global__ void denoise(const float4 *image, float4 *out, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x,
            y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n)
    return;
  auto at = [&](int i, int j) {
    return image[min(max(j, 0), n - 1) * n + min(max(i, 0), n - 1)];
  };
  float sum = 0;
  float4 mean = {0, 0, 0, 0};
  for (int j = -3; j <= 3; ++j)
    for (int i = -3; i <= 3; ++i) {
      float unlike = 0;
#pragma unroll
      for (int k = -1; k <= 1; ++k) {
        const float4 a = at(x + k, y), b = at(x + i + k, y + j);
        unlike += (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) +
                  (a.z - b.z) * (a.z - b.z);
      }
      const float weight = __expf(-0.5f * unlike - 0.05f * (i * i + j * j));
      const float4 p = at(x + i, y + j);
      sum += weight;
      mean.x += weight * p.x, mean.y += weight * p.y, mean.z += weight * p.z;
    }
  out[y * n + x] = make_float4(mean.x / sum, mean.y / sum, mean.z / sum, sum);
}

__global__ void recursive(const float4 *in, float4 *out, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= n)
    return;
  float4 a = {0, 0, 0, 0}, b = a, last = a;
  for (int y = 0; y < n; ++y) {
    const float4 p = in[y * n + x];
    const float4 q = {0.3f * p.x + 0.1f * last.x + 0.9f * a.x - 0.3f * b.x,
                      0.3f * p.y + 0.1f * last.y + 0.9f * a.y - 0.3f * b.y,
                      0.3f * p.z + 0.1f * last.z + 0.9f * a.z - 0.3f * b.z,
                      0.3f * p.w + 0.1f * last.w + 0.9f * a.w - 0.3f * b.w};
    out[y * n + x] = q;
    b = a, a = q, last = p;
  }
}

__global__ void diffuse(const float *image, float *out, int n, float q0) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x,
            y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n)
    return;
  const float here = image[y * n + x],
              north = image[max(y - 1, 0) * n + x] - here,
              south = image[min(y + 1, n - 1) * n + x] - here,
              west = image[y * n + max(x - 1, 0)] - here,
              east = image[y * n + min(x + 1, n - 1)] - here;
  const float g2 = (north * north + south * south + west * west + east * east) /
                   (here * here);
  const float l = (north + south + west + east) / here;
  const float den = 1 + 0.25f * l;
  const float q2 = (0.5f * g2 - l * l / 16) / (den * den);
  const float c = 1 / (1 + (q2 - q0) / (q0 * (1 + q0)));
  out[y * n + x] =
      here + 0.05f * fminf(fmaxf(c, 0), 1) * (north + south + west + east);
}

__global__ void collide(const float4 *place, const float4 *speed,
                        const int *begin, const int *sorted, float4 *force,
                        int n, int cells) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float4 p = place[i], v = speed[i];
  float fx = 0, fy = 0, fz = 0;
  const int cx = (int)p.x, cy = (int)p.y, cz = (int)p.z;
  for (int dz = -1; dz <= 1; ++dz)
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) {
        const int cell =
            (((cz + dz) & (cells - 1)) * cells + ((cy + dy) & (cells - 1))) *
                cells +
            ((cx + dx) & (cells - 1));
        for (int k = begin[cell]; k < begin[cell + 1]; ++k) {
          const int j = sorted[k];
          const float4 q = place[j], w = speed[j];
          const float x = q.x - p.x, y = q.y - p.y, z = q.z - p.z;
          const float far = sqrtf(x * x + y * y + z * z + 1e-6f);
          if (far >= 1 || j == i)
            continue;
          const float push = 0.5f * (far - 1) / far,
                      drag = 0.1f *
                             ((w.x - v.x) * x + (w.y - v.y) * y +
                              (w.z - v.z) * z) /
                             far;
          fx += (push + drag) * x, fy += (push + drag) * y;
          fz += (push + drag) * z;
        }
      }
  force[i] = make_float4(fx, fy, fz, 0);
}

__global__ void follow(const int *list, const float *values, float *out, int n,
                       int length) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0;
  for (int k = 0; k < length; ++k)
    sum += values[list[i * length + k]];
  out[i] = sum;
}

//===-- What they run on --------------------------------------------------===//

/// The same numbers in each run, between 0 and 1.
struct Numbers {
  unsigned state = 1;
  float next() {
    state = state * 1664525u + 1013904223u;
    return (float)(state >> 8) / (1 << 24);
  }
};

template <class T> static T *upload(const std::vector<T> &values) {
  T *device;
  require(cudaMalloc(&device, values.size() * sizeof(T)));
  require(cudaMemcpy(device, values.data(), values.size() * sizeof(T),
                     cudaMemcpyHostToDevice));
  return device;
}

static float *numbers(size_t count, float from, float to) {
  Numbers each;
  std::vector<float> values(count);
  for (float &v : values)
    v = from + (to - from) * each.next();
  return upload(values);
}

/// Launches of one kernel: the host looks at a result behind each.
template <class F>
static void run(const char *name, float *result, size_t count, int launches,
                F launch) {
  require(cudaDeviceSynchronize());
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < launches; ++i) {
    launch();
    float one;
    require(cudaMemcpy(&one, result, sizeof one, cudaMemcpyDeviceToHost));
  }
  const std::chrono::duration<double, std::milli> ms =
      std::chrono::steady_clock::now() - begin;
  std::vector<unsigned> bits(count);
  require(cudaMemcpy(bits.data(), result, count * sizeof(float),
                     cudaMemcpyDeviceToHost));
  unsigned sum = 0;
  for (unsigned each : bits)
    sum = sum * 31 + each;
  std::printf("%s %.3f ms %08x\n", name, ms.count(), sum);
}

int main(int argc, char **argv) {
  const int launches = argc > 1 ? std::atoi(argv[1]) : 200;
  const int side = 2048;
  const dim3 tiles(side / 32, side / 8);
  float *out = numbers((size_t)side * side * 4, 0, 1);
  float *image = numbers((size_t)side * side * 4, 1, 2);
  {
    const int n = 1 << 20;
    Numbers each;
    std::vector<int> neighbors(4 * n);
    for (int i = 0; i < 4 * n; ++i)
      neighbors[i] = (i % n + (int)(each.next() * 4096) - 2048 + n) % n;
    int *neighbor = upload(neighbors);
    float *normal = numbers(12 * n, -1, 1), *u = numbers(5 * n, 1, 2);
    run("flux", out, 5 * n, launches,
        [&] { flux<<<n / 192 + 1, 192>>>(neighbor, normal, u, out, n); });
  }
  {
    const int blocks = side * side / 16;
    run("fit", out, 4 * blocks, launches, [&] {
      fit<<<blocks / 64, 64>>>((const float4 *)image, (float4 *)out, blocks);
    });
  }
  {
    const int nx = 512, ny = 512, nz = 64;
    float *in = numbers(nx * ny * nz, 0, 1),
          *before = numbers(nx * ny * nz, 0, 1);
    run("wave", out, nx * ny * nz, launches, [&] {
      wave<<<dim3(nx / 32, ny / 8), dim3(32, 8)>>>(in, before, out, nx, ny, nz);
    });
  }
  {
    float *power = numbers(side * side, 0, 1);
    run("heat", out, side * side, launches,
        [&] { heat<<<tiles, dim3(32, 8)>>>(image, power, out, side); });
  }
  run("denoise", out, 4 * side * side, launches, [&] {
    denoise<<<tiles, dim3(32, 8)>>>((const float4 *)image, (float4 *)out, side);
  });
  run("recursive", out, 4 * side * side, launches, [&] {
    recursive<<<side / 64, 64>>>((const float4 *)image, (float4 *)out, side);
  });
  run("diffuse", out, side * side, launches,
      [&] { diffuse<<<tiles, dim3(32, 8)>>>(image, out, side, 0.05f); });
  {
    const int n = 1 << 18, cells = 64;
    Numbers each;
    std::vector<float4> places(n), speeds(n);
    std::vector<std::vector<int>> in(cells * cells * cells);
    for (int i = 0; i < n; ++i) {
      places[i] = make_float4(each.next() * cells, each.next() * cells,
                              each.next() * cells, 0);
      speeds[i] = make_float4(each.next(), each.next(), each.next(), 0);
      in[((int)places[i].z * cells + (int)places[i].y) * cells +
         (int)places[i].x]
          .push_back(i);
    }
    std::vector<int> begins{0}, order;
    for (const std::vector<int> &cell : in) {
      order.insert(order.end(), cell.begin(), cell.end());
      begins.push_back((int)order.size());
    }
    float4 *place = upload(places), *speed = upload(speeds);
    int *begin = upload(begins), *sorted = upload(order);
    run("collide", out, 4 * n, launches, [&] {
      collide<<<n / 256, 256>>>(place, speed, begin, sorted, (float4 *)out, n,
                                cells);
    });
  }
  {
    const int n = 1 << 18, length = 128;
    Numbers each;
    std::vector<int> list((size_t)n * length);
    for (size_t k = 0; k < list.size(); ++k)
      list[k] = (int)((k * 7 + (int)(each.next() * 64)) % list.size());
    int *numbered = upload(list);
    float *values = numbers(list.size(), 0, 1);
    run("follow", out, n, launches,
        [&] { follow<<<n / 256, 256>>>(numbered, values, out, n, length); });
  }
}
