//===- pf.cu - PF of the CATT paper's table 3 ------------------*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A particle filter on a video of 128 x 128 x 10, double. #1 holds 512 doubles
// (4 KiB) in shared memory and needs 33 to 40 registers: 3 blocks per SM. The
// other kernels reach the 4 blocks that 64 warps allow. The object is a disk of
// 69 pixels.
//
//===----------------------------------------------------------------------===//
#define THREADS 512
#define NUM_PARTICLES 204800
#define NUM_PIXELS 69
#define ROWS 128
#define FRAMES 10

__device__ double likelihoodSum(unsigned char *image, int *index, int pixels,
                                int particle) {
  double sum = 0.0;
  // #1, loop 2: one row of `index` per thread, and wherever it points.
  for (int k = 0; k < pixels; k++) {
    double p = image[index[particle * pixels + k]];
    sum += ((p - 100.0) * (p - 100.0) - (p - 228.0) * (p - 228.0)) / 50.0;
  }
  return sum;
}

// #1
__global__ void pf_likelihood(double *arrayX, double *arrayY, double *xj,
                              double *yj, int *index, int *offsets,
                              unsigned char *image, double *weights,
                              double *partialSums, int particles, int pixels,
                              int frame) {
  __shared__ double buffer[THREADS];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < particles) {
    arrayX[i] = xj[i] + 1.0;
    arrayY[i] = yj[i] - 2.0;
    // loop 1: one row of `index` per thread.
    for (int k = 0; k < pixels; k++) {
      int row = (int)(arrayX[i] + 0.5) + offsets[2 * k + 1];
      int column = (int)(arrayY[i] + 0.5) + offsets[2 * k];
      index[i * pixels + k] =
          abs(row * ROWS * FRAMES + column * FRAMES + frame);
      if (index[i * pixels + k] >= ROWS * ROWS * FRAMES)
        index[i * pixels + k] = 0;
    }
    double likelihood = likelihoodSum(image, index, pixels, i) / pixels;
    weights[i] = exp(likelihood) / particles;
  }
  buffer[threadIdx.x] = i < particles ? weights[i] : 0.0;
  __syncthreads();
  // loop 3: the sum of the block, in shared memory.
  for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s)
      buffer[threadIdx.x] += buffer[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    partialSums[blockIdx.x] = buffer[0];
}

// #2, loop 4: one thread sums the blocks.
__global__ void pf_sum(double *partialSums, int blocks) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) {
    double sum = 0.0;
    for (int x = 0; x < blocks; x++)
      sum += partialSums[x];
    partialSums[0] = sum;
  }
}

// #3, loop 5: one thread accumulates the normalized weights.
__global__ void pf_normalize(double *weights, double *partialSums, double *cdf,
                             double *u, double first, int particles) {
  __shared__ double sum;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0)
    sum = partialSums[0];
  __syncthreads();
  if (i < particles)
    weights[i] = weights[i] / sum;
  if (i == 0) {
    cdf[0] = weights[0];
    for (int x = 1; x < particles; x++)
      cdf[x] = weights[x] + cdf[x - 1];
  }
  if (i < particles)
    u[i] = first + i / (double)particles;
}

// #4, loop 6: each thread looks for its place in the cumulated weights.
__global__ void pf_find(double *arrayX, double *arrayY, double *cdf, double *u,
                        double *xj, double *yj, int particles) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < particles) {
    int found = particles - 1;
    for (int x = 0; x < particles; x++) {
      if (cdf[x] >= u[i]) {
        found = x;
        break;
      }
    }
    xj[i] = arrayX[found];
    yj[i] = arrayY[found];
  }
}

void pf(double *arrayX, double *arrayY, double *xj, double *yj, int *index,
        int *offsets, unsigned char *image, double *weights,
        double *partialSums, double *cdf, double *u) {
  const int blocks = (NUM_PARTICLES + THREADS - 1) / THREADS;
  pf_likelihood<<<blocks, THREADS>>>(arrayX, arrayY, xj, yj, index, offsets,
                                     image, weights, partialSums, NUM_PARTICLES,
                                     NUM_PIXELS, 1);
  pf_sum<<<blocks, THREADS>>>(partialSums, blocks);
  pf_normalize<<<blocks, THREADS>>>(weights, partialSums, cdf, u, 0.0,
                                    NUM_PARTICLES);
  pf_find<<<blocks, THREADS>>>(arrayX, arrayY, cdf, u, xj, yj, NUM_PARTICLES);
}
