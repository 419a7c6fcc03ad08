//===- Grids.cu - Kernels over the cells of a grid -*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Register-hungry kernels written from published algorithms; parameters as in
// Points.cu, with n the cells along one axis of a cube unless said otherwise.
//
//===----------------------------------------------------------------------===//

// Lattice Boltzmann, 19 velocities in three dimensions, single relaxation time
// (Qian, d'Humieres, Lallemand 1992): pull, collide, store; periodic.
extern "C" __global__ void lattice(const float *in, float *out, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y,
            z = blockIdx.z;
  if (x >= n)
    return;
  constexpr int Dx[19] = {0, 1, -1, 0, 0, 0, 0,  1, -1, 1,
                          -1, 1, -1, 1, -1, 0, 0, 0, 0};
  constexpr int Dy[19] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1,
                          1, 0, 0, 0, 0, 1, -1, 1, -1};
  constexpr int Dz[19] = {0, 0, 0, 0, 0,  1, -1, 0,  0, 0,
                          0, 1, -1, -1, 1, 1, -1, -1, 1};
  float f[19], rho = 0, ux = 0, uy = 0, uz = 0;
#pragma unroll
  for (int k = 0; k < 19; ++k) {
    int px = x - Dx[k], py = y - Dy[k], pz = z - Dz[k];
    px += px < 0 ? n : px >= n ? -n : 0;
    py += py < 0 ? n : py >= n ? -n : 0;
    pz += pz < 0 ? n : pz >= n ? -n : 0;
    f[k] = in[((k * n + pz) * n + py) * n + px];
    rho += f[k];
    ux += Dx[k] * f[k];
    uy += Dy[k] * f[k];
    uz += Dz[k] * f[k];
  }
  const float inverse = 1 / rho;
  ux *= inverse;
  uy *= inverse;
  uz *= inverse;
  const float square = 1.5f * (ux * ux + uy * uy + uz * uz);
#pragma unroll
  for (int k = 0; k < 19; ++k) {
    const float weight = k == 0 ? 1.f / 3 : k < 7 ? 1.f / 18 : 1.f / 36;
    const float cu = 3 * (Dx[k] * ux + Dy[k] * uy + Dz[k] * uz);
    const float feq = weight * rho * (1 + cu + 0.5f * cu * cu - square);
    out[((k * n + z) * n + y) * n + x] = f[k] - 0.6f * (f[k] - feq);
  }
}

// Finite differences in time, of order 16 in space: the wave equation with a
// queue of 17 planes in the registers of each column of the grid.
extern "C" __global__ void waves(const float *in, float *out, int n) {
  constexpr int R = 8;
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < R || y < R || x >= n - R || y >= n - R)
    return;
  float c[R + 1], column[2 * R + 1];
#pragma unroll
  for (int k = 0; k <= R; ++k)
    c[k] = (k % 2 ? 1.f : -1.f) / (1 + k * k);
  const int plane = n * n;
  int at = y * n + x;
#pragma unroll
  for (int k = 0; k < 2 * R; ++k)
    column[k + 1] = in[k * plane + at];
  at += R * plane;
  for (int z = R; z < n - R; ++z, at += plane) {
#pragma unroll
    for (int k = 0; k < 2 * R; ++k)
      column[k] = column[k + 1];
    column[2 * R] = in[at + R * plane];
    float sum = 3 * c[0] * column[R];
#pragma unroll
    for (int k = 1; k <= R; ++k)
      sum += c[k] * (column[R - k] + column[R + k] + in[at - k] + in[at + k] +
                     in[at - k * n] + in[at + k * n]);
    out[at] = 2 * column[R] - out[at] + 0.1f * sum;
  }
}

// Fluxes of the three-dimensional Euler equations over the four faces of the
// cells of an unstructured mesh (finite volumes, density-based). n cells.
struct Flow {
  float d, mx, my, mz, e;
};

__device__ Flow cell(const float *in, int n, int i) {
  return {in[i], in[n + i] - 1, in[2 * n + i] - 1, in[3 * n + i] - 1,
          4 * in[4 * n + i]};
}

extern "C" __global__ void flux(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const Flow a = cell(in, n, i);
  const float va = 1 / a.d, ux = a.mx * va, uy = a.my * va, uz = a.mz * va;
  const float pa = 0.4f * (a.e - 0.5f * a.d * (ux * ux + uy * uy + uz * uz));
  const float ca = sqrtf(1.4f * fabsf(pa) * va) +
                   sqrtf(ux * ux + uy * uy + uz * uz);
  Flow s = {0, 0, 0, 0, 0};
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int j = (i + (k * 1531 + 1) * (k % 2 ? -1 : 1) + n) % n;
    const float nx = in[(5 + k) * n + i] - 1, ny = in[(9 + k) * n + i] - 1,
                nz = in[(13 + k) * n + i] - 1;
    const Flow b = cell(in, n, j);
    const float vb = 1 / b.d, wx = b.mx * vb, wy = b.my * vb, wz = b.mz * vb;
    const float pb = 0.4f * (b.e - 0.5f * b.d * (wx * wx + wy * wy + wz * wz));
    const float cb = sqrtf(1.4f * fabsf(pb) * vb) +
                     sqrtf(wx * wx + wy * wy + wz * wz);
    const float area = sqrtf(nx * nx + ny * ny + nz * nz);
    const float damping = -0.1f * area * (ca + cb);
    const float ma = 0.5f * (nx * ux + ny * uy + nz * uz);
    const float mb = 0.5f * (nx * wx + ny * wy + nz * wz);
    const float p = 0.5f * (pa + pb);
    s.d += damping * (a.d - b.d) + ma * a.d + mb * b.d;
    s.mx += damping * (a.mx - b.mx) + ma * a.mx + mb * b.mx + p * nx;
    s.my += damping * (a.my - b.my) + ma * a.my + mb * b.my + p * ny;
    s.mz += damping * (a.mz - b.mz) + ma * a.mz + mb * b.mz + p * nz;
    s.e += damping * (a.e - b.e) + ma * (a.e + pa) + mb * (b.e + pb);
  }
  out[i] = s.d;
  out[n + i] = s.mx;
  out[2 * n + i] = s.my;
  out[3 * n + i] = s.mz;
  out[4 * n + i] = s.e;
}

// Recursive Gaussian filter of fourth order (Deriche 1993), causal and
// anticausal, along the columns of an image of four channels. n columns.
struct Pixel {
  float v[4];
};

extern "C" __global__ void recursive(const float *in, float *out, int n) {
  constexpr int Rows = 128;
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= n)
    return;
  constexpr float A[4] = {0.16f, 0.07f, -0.02f, 0.01f};
  constexpr float B[4] = {-1.1f, 0.45f, -0.09f, 0.008f};
  Pixel x1 = {}, x2 = {}, x3 = {}, y1 = {}, y2 = {}, y3 = {}, y4 = {};
  for (int pass = 0; pass < 2; ++pass) {
#pragma unroll 4
    for (int r = 0; r < Rows; ++r) {
      const int row = pass ? Rows - 1 - r : r;
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        const int at = (row * 4 + c) * n + x;
        const float v = in[at];
        const float y = A[0] * v + A[1] * x1.v[c] + A[2] * x2.v[c] +
                        A[3] * x3.v[c] - B[0] * y1.v[c] - B[1] * y2.v[c] -
                        B[2] * y3.v[c] - B[3] * y4.v[c];
        x3.v[c] = x2.v[c];
        x2.v[c] = x1.v[c];
        x1.v[c] = v;
        y4.v[c] = y3.v[c];
        y3.v[c] = y2.v[c];
        y2.v[c] = y1.v[c];
        y1.v[c] = y;
        out[at] = pass ? out[at] + y : y;
      }
    }
  }
}
