//===- cfd.cu - fluxes of the Euler equations, unstructured ----*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The step of a finite-volume solver that takes nearly all of its time: each
// thread sums the fluxes through the four faces of its cell. Own data are
// stored column by column and coalesce; the neighbours' are wherever the mesh
// says. No line is used again by a later iteration that the source shows, and
// what it does not show is no reason to take threads away.
//
//   nvcc -O3 -arch=native cfd.cu -o cfd
//   ./cfd [cells]                   default 232536
//
// Every seventh cell is computed again on the host:
// |difference| <= 1e-4 * (1 + |value|).
//
//===----------------------------------------------------------------------===//
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

constexpr int BlockLength = 192;
constexpr int NumFaces = 4;
constexpr int NumVariables = 5;
enum { Density, MomentumX, MomentumY, MomentumZ, Energy };
enum { Wall = -1, FarField = -2 };

constexpr float Gamma = 1.4f;
constexpr float Smoothing = 0.2f;

// What a cell holds, and what follows from it.
struct State {
  float density, energy, pressure, speed, sound;
  float3 momentum;
};

__host__ __device__ inline State makeState(float density, float3 momentum,
                                           float energy) {
  State s;
  s.density = density;
  s.momentum = momentum;
  s.energy = energy;
  const float square = (momentum.x * momentum.x + momentum.y * momentum.y +
                        momentum.z * momentum.z) /
                       (density * density);
  s.pressure = (Gamma - 1.0f) * (energy - 0.5f * density * square);
  s.speed = sqrtf(square);
  s.sound = sqrtf(Gamma * s.pressure / density);
  return s;
}

// The undisturbed flow, along x at 0.6 of the speed of sound.
__host__ __device__ inline State farField() {
  return makeState(1.4f, make_float3(0.84f, 0.0f, 0.0f), 2.752f);
}

// Adds half of what the flow of one side carries through the face `n`.
__host__ __device__ inline void addConvection(float *flux, const State &s,
                                              float3 n) {
  const float through =
      0.5f * (s.momentum.x * n.x + s.momentum.y * n.y + s.momentum.z * n.z) /
      s.density;
  flux[Density] += through * s.density;
  flux[MomentumX] += through * s.momentum.x + 0.5f * s.pressure * n.x;
  flux[MomentumY] += through * s.momentum.y + 0.5f * s.pressure * n.y;
  flux[MomentumZ] += through * s.momentum.z + 0.5f * s.pressure * n.z;
  flux[Energy] += through * (s.energy + s.pressure);
}

// Artificial viscosity: pulls the two sides together.
__host__ __device__ inline void addViscosity(float *flux, const State &a,
                                             const State &b, float3 n) {
  const float area = sqrtf(n.x * n.x + n.y * n.y + n.z * n.z);
  const float factor =
      -0.5f * Smoothing * area * (a.speed + b.speed + a.sound + b.sound);
  flux[Density] += factor * (a.density - b.density);
  flux[MomentumX] += factor * (a.momentum.x - b.momentum.x);
  flux[MomentumY] += factor * (a.momentum.y - b.momentum.y);
  flux[MomentumZ] += factor * (a.momentum.z - b.momentum.z);
  flux[Energy] += factor * (a.energy - b.energy);
}

__host__ __device__ inline State load(const float *variables, int cell,
                                      int stride) {
  return makeState(variables[cell + Density * stride],
                   make_float3(variables[cell + MomentumX * stride],
                               variables[cell + MomentumY * stride],
                               variables[cell + MomentumZ * stride]),
                   variables[cell + Energy * stride]);
}

// `stride` is the number of cells, rounded up to whole blocks.
__global__ void cfd_flux(const int *neighbours, const float *normals,
                         const float *variables, float *fluxes, int stride) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  const State own = load(variables, i, stride);
  float flux[NumVariables] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f};

#pragma unroll
  for (int j = 0; j < NumFaces; j++) {
    const int nb = neighbours[i + j * stride];
    const float3 normal = make_float3(normals[i + (j + 0 * NumFaces) * stride],
                                      normals[i + (j + 1 * NumFaces) * stride],
                                      normals[i + (j + 2 * NumFaces) * stride]);
    if (nb >= 0) {
      const State other = load(variables, nb, stride);
      addViscosity(flux, own, other, normal);
      addConvection(flux, own, normal);
      addConvection(flux, other, normal);
    } else if (nb == Wall) {
      flux[MomentumX] += normal.x * own.pressure;
      flux[MomentumY] += normal.y * own.pressure;
      flux[MomentumZ] += normal.z * own.pressure;
    } else if (nb == FarField) {
      addConvection(flux, own, normal);
      addConvection(flux, farField(), normal);
    }
  }

  fluxes[i + Density * stride] = flux[Density];
  fluxes[i + MomentumX * stride] = flux[MomentumX];
  fluxes[i + MomentumY * stride] = flux[MomentumY];
  fluxes[i + MomentumZ * stride] = flux[MomentumZ];
  fluxes[i + Energy * stride] = flux[Energy];
}

#define CUDA(call)                                                             \
  do {                                                                         \
    cudaError_t status = (call);                                               \
    if (status != cudaSuccess) {                                               \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,                  \
                   cudaGetErrorString(status));                                \
      std::exit(1);                                                            \
    }                                                                          \
  } while (0)

// An integer in [-range, range] that looks random and is the same everywhere.
static float value(unsigned k, int range) {
  k *= 2654435761u;
  k ^= k >> 15;
  k *= 2246822519u;
  k ^= k >> 13;
  return static_cast<float>(static_cast<int>(k % (2 * range + 1)) - range);
}

template <typename T> static T *upload(const std::vector<T> &host) {
  T *device;
  CUDA(cudaMalloc(&device, host.size() * sizeof(T)));
  CUDA(cudaMemcpy(device, host.data(), host.size() * sizeof(T),
                  cudaMemcpyHostToDevice));
  return device;
}

template <typename T>
static std::vector<T> download(const T *device, size_t count) {
  std::vector<T> host(count);
  CUDA(cudaMemcpy(host.data(), device, count * sizeof(T),
                  cudaMemcpyDeviceToHost));
  return host;
}

struct Mesh {
  int cells, stride;
  std::vector<int> neighbours;
  std::vector<float> normals, variables;
};

static Mesh makeMesh(int cells) {
  const int stride = (cells + BlockLength - 1) / BlockLength * BlockLength;
  Mesh mesh{cells, stride, {}, {}, {}};
  mesh.neighbours.assign(size_t(stride) * NumFaces, Wall);
  mesh.normals.assign(size_t(stride) * NumFaces * 3, 0.0f);
  mesh.variables.assign(size_t(stride) * NumVariables, 1.0f);
  for (int i = 0; i < stride; i++) {
    for (int j = 0; j < NumFaces; j++) {
      // Mostly cells close by, as a numbered mesh has them; some boundary.
      const int to = i + int(value(i * 4 + j, 300));
      const bool far = value(i + 5555, 1) > 0;
      mesh.neighbours[i + size_t(j) * stride] = to >= 0 && to < cells ? to
                                                : far ? int(FarField)
                                                      : int(Wall);
      for (int d = 0; d < 3; d++)
        mesh.normals[i + (j + size_t(d) * NumFaces) * stride] =
            value(i * 12 + j * 3 + d, 10) / 64;
    }
    mesh.variables[i + size_t(Density) * stride] =
        1.4f + value(i + 1000000, 10) / 64;
    for (int d = 0; d < 3; d++)
      mesh.variables[i + size_t(MomentumX + d) * stride] =
          value(i * 3 + d + 2000000, 10) / 32;
    mesh.variables[i + size_t(Energy) * stride] =
        2.75f + value(i + 3000000, 10) / 32;
  }
  return mesh;
}

static void fluxOnHost(const Mesh &mesh, int i, float *flux) {
  const State own = load(mesh.variables.data(), i, mesh.stride);
  for (int j = 0; j < NumFaces; j++) {
    const int nb = mesh.neighbours[i + size_t(j) * mesh.stride];
    float n[3];
    for (int d = 0; d < 3; d++)
      n[d] = mesh.normals[i + (j + size_t(d) * NumFaces) * mesh.stride];
    if (nb == Wall) {
      for (int d = 0; d < 3; d++)
        flux[MomentumX + d] += n[d] * own.pressure;
      continue;
    }
    const State other = nb == FarField
                            ? farField()
                            : load(mesh.variables.data(), nb, mesh.stride);
    addConvection(flux, own, make_float3(n[0], n[1], n[2]));
    addConvection(flux, other, make_float3(n[0], n[1], n[2]));
    if (nb != FarField)
      addViscosity(flux, own, other, make_float3(n[0], n[1], n[2]));
  }
}

int main(int argc, char **argv) {
  const int cells = argc > 1 ? std::atoi(argv[1]) : 232536;
  if (cells < 1 || cells > 100000000) {
    std::fprintf(stderr, "usage: cfd [cells, 1 to 100000000]\n");
    return 1;
  }

  const Mesh mesh = makeMesh(cells);
  const int stride = mesh.stride;
  int *dNeighbours = upload(mesh.neighbours);
  float *dNormals = upload(mesh.normals), *dVariables = upload(mesh.variables);
  float *dFluxes;
  CUDA(cudaMalloc(&dFluxes, size_t(stride) * NumVariables * sizeof(float)));

  cudaEvent_t start, stop;
  CUDA(cudaEventCreate(&start));
  CUDA(cudaEventCreate(&stop));
  float ms = 0;
  for (int run = 0; run < 2; run++) { // the first one warms up
    dim3 Dg(stride / BlockLength), Db(BlockLength);
    CUDA(cudaEventRecord(start));
    cfd_flux<<<Dg, Db>>>(dNeighbours, dNormals, dVariables, dFluxes, stride);
    CUDA(cudaEventRecord(stop));
    CUDA(cudaGetLastError());
    CUDA(cudaEventSynchronize(stop));
    CUDA(cudaEventElapsedTime(&ms, start, stop));
  }

  const std::vector<float> fluxes =
      download(dFluxes, size_t(stride) * NumVariables);
  int wrong = 0;
  for (int i = 0; i < cells; i += 7) {
    float expected[NumVariables] = {};
    fluxOnHost(mesh, i, expected);
    for (int v = 0; v < NumVariables; v++) {
      const float got = fluxes[i + size_t(v) * stride];
      wrong += !(std::fabs(got - expected[v]) <=
                 1e-4f * (1 + std::fabs(expected[v])));
    }
  }
  std::printf("cfd: %d x %d, %.3f ms, %s\n", cells, NumFaces, ms,
              wrong ? "WRONG" : "OK");
  CUDA(cudaFree(dNeighbours));
  CUDA(cudaFree(dNormals));
  CUDA(cudaFree(dVariables));
  CUDA(cudaFree(dFluxes));
  return wrong != 0;
}
