//===- cfd.cu - CFD of the CATT paper's table 3 ----------------*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An unstructured solver of the Euler equations: 232536 cells in blocks of 192,
// four faces and five variables a cell, variables stored column by column.
//
//===----------------------------------------------------------------------===//
#define BLOCK 192
#define CELLS 232536
#define STRIDE ((CELLS + BLOCK - 1) / BLOCK * BLOCK)
#define FACES 4
#define VARIABLES 5
#define GAMMA 1.4f

__constant__ float farField[VARIABLES];

__device__ float pressureOf(float density, float3 momentum, float energy) {
  float square = momentum.x * momentum.x + momentum.y * momentum.y +
                 momentum.z * momentum.z;
  return (GAMMA - 1.0f) * (energy - 0.5f * square / density);
}

// #1, loop 1
__global__ void cfd_initialize(float *variables) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  for (int j = 0; j < VARIABLES; j++)
    variables[i + j * STRIDE] = farField[j];
}

// #2: no loop.
__global__ void cfd_step_factor(float *variables, float *areas,
                                float *stepFactors) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  float density = variables[i];
  float3 momentum =
      make_float3(variables[i + 1 * STRIDE], variables[i + 2 * STRIDE],
                  variables[i + 3 * STRIDE]);
  float energy = variables[i + 4 * STRIDE];
  float pressure = pressureOf(density, momentum, energy);
  float speed = sqrtf(momentum.x * momentum.x + momentum.y * momentum.y +
                      momentum.z * momentum.z) /
                density;
  float sound = sqrtf(GAMMA * pressure / density);
  stepFactors[i] = 0.5f / (sqrtf(areas[i]) * (speed + sound));
}

// #3, loop 2: the faces of a cell. Its own columns coalesce; the neighbours'
// variables are wherever the mesh says.
__global__ void cfd_flux(int *neighbours, float *normals, float *variables,
                         float *fluxes) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  float density = variables[i];
  float3 momentum =
      make_float3(variables[i + 1 * STRIDE], variables[i + 2 * STRIDE],
                  variables[i + 3 * STRIDE]);
  float energy = variables[i + 4 * STRIDE];
  float pressure = pressureOf(density, momentum, energy);
  float fluxDensity = 0.0f, fluxEnergy = 0.0f;
  float3 fluxMomentum = make_float3(0.0f, 0.0f, 0.0f);

  for (int j = 0; j < FACES; j++) {
    int nb = neighbours[i + j * STRIDE];
    float nx = normals[i + (j + 0 * FACES) * STRIDE];
    float ny = normals[i + (j + 1 * FACES) * STRIDE];
    float nz = normals[i + (j + 2 * FACES) * STRIDE];
    if (nb >= 0) {
      float densityNb = variables[nb];
      float3 momentumNb =
          make_float3(variables[nb + 1 * STRIDE], variables[nb + 2 * STRIDE],
                      variables[nb + 3 * STRIDE]);
      float energyNb = variables[nb + 4 * STRIDE];
      float pressureNb = pressureOf(densityNb, momentumNb, energyNb);
      float own = 0.5f * (momentum.x * nx + momentum.y * ny + momentum.z * nz) /
                  density;
      float other =
          0.5f * (momentumNb.x * nx + momentumNb.y * ny + momentumNb.z * nz) /
          densityNb;
      float mean = 0.5f * (pressure + pressureNb);
      fluxDensity += own * density + other * densityNb;
      fluxEnergy += own * (energy + pressure) + other * (energyNb + pressureNb);
      fluxMomentum.x += own * momentum.x + other * momentumNb.x + mean * nx;
      fluxMomentum.y += own * momentum.y + other * momentumNb.y + mean * ny;
      fluxMomentum.z += own * momentum.z + other * momentumNb.z + mean * nz;
    } else { // a wall
      fluxMomentum.x += nx * pressure;
      fluxMomentum.y += ny * pressure;
      fluxMomentum.z += nz * pressure;
    }
  }

  fluxes[i] = fluxDensity;
  fluxes[i + 1 * STRIDE] = fluxMomentum.x;
  fluxes[i + 2 * STRIDE] = fluxMomentum.y;
  fluxes[i + 3 * STRIDE] = fluxMomentum.z;
  fluxes[i + 4 * STRIDE] = fluxEnergy;
}

// #4: no loop.
__global__ void cfd_time_step(int step, float *old, float *variables,
                              float *stepFactors, float *fluxes) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  float factor = stepFactors[i] / (float)(4 - step);
  variables[i] = old[i] + factor * fluxes[i];
  variables[i + 1 * STRIDE] =
      old[i + 1 * STRIDE] + factor * fluxes[i + 1 * STRIDE];
  variables[i + 2 * STRIDE] =
      old[i + 2 * STRIDE] + factor * fluxes[i + 2 * STRIDE];
  variables[i + 3 * STRIDE] =
      old[i + 3 * STRIDE] + factor * fluxes[i + 3 * STRIDE];
  variables[i + 4 * STRIDE] =
      old[i + 4 * STRIDE] + factor * fluxes[i + 4 * STRIDE];
}

void cfd(int *neighbours, float *normals, float *variables, float *old,
         float *areas, float *stepFactors, float *fluxes) {
  dim3 grid(STRIDE / BLOCK), block(BLOCK);
  cfd_initialize<<<grid, block>>>(variables);
  cfd_step_factor<<<grid, block>>>(variables, areas, stepFactors);
  for (int step = 0; step < 3; step++) {
    cfd_flux<<<grid, block>>>(neighbours, normals, variables, fluxes);
    cfd_time_step<<<grid, block>>>(step, old, variables, stepFactors, fluxes);
  }
}
