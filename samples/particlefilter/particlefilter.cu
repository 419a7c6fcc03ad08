//===- particlefilter.cu - how well particles explain an image -*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The likelihood step of a particle filter that tracks a disk through a video.
// Three loops with three needs: the first two walk one row of `index` per
// thread, as long as the disk has pixels (known only at run time); the third
// sums a block's weights in shared memory.
//
//   nvcc -O3 -arch=native particlefilter.cu -o particlefilter
//   ./particlefilter [particles]    default 262144
//
// Every particle is computed again on the host; indices for equality, weights
// and sums to 1e-9 of their value.
//
//===----------------------------------------------------------------------===//
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#define THREADS_PER_BLOCK 512

struct Video {
  int rows, columns, frames;
};

// The mean of ((p - 100)^2 - (p - 228)^2) / 50 over the pixels of one particle:
// large if they look like the object (228), small if like the background (100).
__device__ double likelihoodOf(const unsigned char *pixels, const int *index,
                               int numPixels, int particle) {
  double sum = 0.0;
  for (int k = 0; k < numPixels; k++) {
    const double p = pixels[index[particle * numPixels + k]];
    sum += ((p - 100.0) * (p - 100.0) - (p - 228.0) * (p - 228.0)) / 50.0;
  }
  return sum / numPixels;
}

__global__ void likelihood(double *x, double *y, const double *lastX,
                           const double *lastY, const int *offsets, int *index,
                           const unsigned char *pixels, double *weights,
                           double *partialSums, int numParticles, int numPixels,
                           int frame, Video video) {
  __shared__ double buffer[THREADS_PER_BLOCK];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < numParticles) {
    x[i] = lastX[i] + 1.0; // the object moves by (1, -2) a frame
    y[i] = lastY[i] - 2.0;
    for (int k = 0; k < numPixels; k++) {
      const int row = int(floor(x[i] + 0.5)) + offsets[2 * k + 1];
      const int column = int(floor(y[i] + 0.5)) + offsets[2 * k];
      index[i * numPixels + k] =
          (row * video.columns + column) * video.frames + frame;
      if (row < 0 || row >= video.rows || column < 0 || column >= video.columns)
        index[i * numPixels + k] = 0;
    }
    weights[i] = exp(likelihoodOf(pixels, index, numPixels, i)) / numParticles;
  }

  buffer[threadIdx.x] = i < numParticles ? weights[i] : 0.0;
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s)
      buffer[threadIdx.x] += buffer[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    partialSums[blockIdx.x] = buffer[0];
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

// (column, row) of the pixels of a disk around (0, 0).
static std::vector<int> disk(int radius) {
  std::vector<int> offsets;
  for (int r = -radius; r <= radius; r++)
    for (int c = -radius; c <= radius; c++)
      if (r * r + c * c < radius * radius) {
        offsets.push_back(c);
        offsets.push_back(r);
      }
  return offsets;
}

// A bright disk on a dark ground, with noise, moving by (1, -2) a frame.
static std::vector<unsigned char> film(const Video &video) {
  std::vector<unsigned char> pixels;
  for (int r = 0; r < video.rows; r++)
    for (int c = 0; c < video.columns; c++)
      for (int f = 0; f < video.frames; f++) {
        const int dr = r - video.rows / 2 - f,
                  dc = c - video.columns / 2 + 2 * f;
        const float noise = value(unsigned(pixels.size()), 20);
        pixels.push_back(
            (unsigned char)((dr * dr + dc * dc < 25 ? 228 : 100) + noise));
      }
  return pixels;
}

static bool close(double got, double expected) {
  return std::fabs(got - expected) <= 1e-9 * std::fabs(expected);
}

int main(int argc, char **argv) {
  const int numParticles = argc > 1 ? std::atoi(argv[1]) : 262144;
  if (numParticles < 1 || numParticles > 20000000) {
    std::fprintf(stderr, "usage: particlefilter [particles, 1 to 20000000]\n");
    return 1;
  }

  const Video video{128, 128, 10};
  const int frame = 1;
  const std::vector<unsigned char> pixels = film(video);
  const std::vector<int> offsets = disk(5);
  const int numPixels = int(offsets.size() / 2);
  std::vector<double> lastX(numParticles), lastY(numParticles);
  for (int i = 0; i < numParticles; i++) {
    lastX[i] = video.rows / 2 + value(i, 280) / 4; // some lie outside
    lastY[i] = video.columns / 2 + value(i + 77777777, 280) / 4;
  }

  const int numBlocks =
      (numParticles + THREADS_PER_BLOCK - 1) / THREADS_PER_BLOCK;
  double *dLastX = upload(lastX), *dLastY = upload(lastY);
  int *dOffsets = upload(offsets), *dIndex;
  unsigned char *dPixels = upload(pixels);
  double *dX, *dY, *dWeights, *dSums;
  CUDA(cudaMalloc(&dX, numParticles * sizeof(double)));
  CUDA(cudaMalloc(&dY, numParticles * sizeof(double)));
  CUDA(cudaMalloc(&dWeights, numParticles * sizeof(double)));
  CUDA(cudaMalloc(&dSums, numBlocks * sizeof(double)));
  CUDA(cudaMalloc(&dIndex, size_t(numParticles) * numPixels * sizeof(int)));

  cudaEvent_t start, stop;
  CUDA(cudaEventCreate(&start));
  CUDA(cudaEventCreate(&stop));
  float ms = 0;
  for (int run = 0; run < 2; run++) { // the first one warms up
    CUDA(cudaEventRecord(start));
    likelihood<<<numBlocks, THREADS_PER_BLOCK>>>(
        dX, dY, dLastX, dLastY, dOffsets, dIndex, dPixels, dWeights, dSums,
        numParticles, numPixels, frame, video);
    CUDA(cudaEventRecord(stop));
    CUDA(cudaGetLastError());
    CUDA(cudaEventSynchronize(stop));
    CUDA(cudaEventElapsedTime(&ms, start, stop));
  }

  const std::vector<int> index =
      download(dIndex, size_t(numParticles) * numPixels);
  const std::vector<double> weights = download(dWeights, numParticles);
  const std::vector<double> sums = download(dSums, numBlocks);
  std::vector<double> expectedSums(numBlocks, 0.0);
  int wrong = 0;
  for (int i = 0; i < numParticles; i++) {
    double sum = 0;
    for (int k = 0; k < numPixels; k++) {
      const int r = int(std::floor(lastX[i] + 1.5)) + offsets[2 * k + 1];
      const int c = int(std::floor(lastY[i] - 1.5)) + offsets[2 * k];
      const bool inside =
          r >= 0 && r < video.rows && c >= 0 && c < video.columns;
      const int at =
          inside ? (r * video.columns + c) * video.frames + frame : 0;
      wrong += index[size_t(i) * numPixels + k] != at;
      const double p = pixels[at];
      sum += (256 * p - 41984) / 50; // (p - 100)^2 - (p - 228)^2, expanded
    }
    const double weight = std::exp(sum / numPixels) / numParticles;
    wrong += !close(weights[i], weight);
    expectedSums[i / THREADS_PER_BLOCK] += weight;
  }
  for (int b = 0; b < numBlocks; b++)
    wrong += !close(sums[b], expectedSums[b]);
  std::printf("particlefilter: %d x %d, %.3f ms, %s\n", numParticles, numPixels,
              ms, wrong ? "WRONG" : "OK");
  for (double *pointer : {dLastX, dLastY, dX, dY, dWeights, dSums})
    CUDA(cudaFree(pointer));
  CUDA(cudaFree(dOffsets));
  CUDA(cudaFree(dIndex));
  CUDA(cudaFree(dPixels));
  return wrong != 0;
}
