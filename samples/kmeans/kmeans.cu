//===- kmeans.cu - the nearest centre of every point -----------*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The assignment step of k-means. One thread walks the features of one point,
// stored row by row: the lanes of a warp are 34 floats apart, so the loop over
// features uses a line 32 times, and the loop over centres comes back to the
// same lines again. What has to live in the cache are all lines of a point, not
// only those of one iteration.
//
//   nvcc -O3 -arch=native kmeans.cu -o kmeans
//   ./kmeans [points] [centres]     default 819200 5
//
// All features are small integers, so that every distance is exact in float,
// and every point is compared for equality.
//
//===----------------------------------------------------------------------===//
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

const int NumFeatures = 34;
const int ThreadsPerBlock = 256;

__global__ void kmeans_assign(const float *points, const float *centres,
                              int *membership, int npoints, int ncentres) {
  const int point = blockIdx.x * blockDim.x + threadIdx.x;
  if (point < npoints) {
    int nearest = -1;
    float least = 3.0e38f;
    for (int i = 0; i < ncentres; i++) {
      float distance = 0.0f;
      // Unrolled 34 times the loop would take 56 registers, and leave room for
      // only 4 blocks per SM.
#pragma unroll 2
      for (int j = 0; j < NumFeatures; j++) {
        const float diff =
            points[point * NumFeatures + j] - centres[i * NumFeatures + j];
        distance += diff * diff;
      }
      if (distance < least) {
        least = distance;
        nearest = i;
      }
    }
    membership[point] = nearest;
  }
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

int main(int argc, char **argv) {
  const int npoints = argc > 1 ? std::atoi(argv[1]) : 819200;
  const int ncentres = argc > 2 ? std::atoi(argv[2]) : 5;
  if (npoints < 1 || npoints > 2147483647 / NumFeatures || ncentres < 1) {
    std::fprintf(stderr, "usage: kmeans [points, 1 to %d] [centres]\n",
                 2147483647 / NumFeatures);
    return 1;
  }

  std::vector<float> points(size_t(npoints) * NumFeatures);
  std::vector<float> centres(size_t(ncentres) * NumFeatures);
  for (size_t k = 0; k < points.size(); k++)
    points[k] = value(unsigned(k), 40);
  for (size_t k = 0; k < centres.size(); k++)
    centres[k] = value(unsigned(k) + 77777777, 40);
  float *dPoints = upload(points), *dCentres = upload(centres);
  int *dMembership;
  CUDA(cudaMalloc(&dMembership, npoints * sizeof(int)));

  cudaEvent_t start, stop;
  CUDA(cudaEventCreate(&start));
  CUDA(cudaEventCreate(&stop));
  const int numBlocks = (npoints + ThreadsPerBlock - 1) / ThreadsPerBlock;
  float ms = 0;
  for (int run = 0; run < 2; run++) { // the first one warms up
    CUDA(cudaMemset(dMembership, 0xff, npoints * sizeof(int)));
    CUDA(cudaEventRecord(start));
    kmeans_assign<<<numBlocks, ThreadsPerBlock>>>(
        dPoints, dCentres, dMembership, npoints, ncentres);
    CUDA(cudaEventRecord(stop));
    CUDA(cudaGetLastError());
    CUDA(cudaEventSynchronize(stop));
    CUDA(cudaEventElapsedTime(&ms, start, stop));
  }

  const std::vector<int> membership = download(dMembership, npoints);
  int wrong = 0;
  for (int p = 0; p < npoints; p++) {
    int nearest = -1;
    double least = 3.0e38;
    for (int i = 0; i < ncentres; i++) {
      double distance = 0;
      for (int j = 0; j < NumFeatures; j++) {
        const double diff = double(points[size_t(p) * NumFeatures + j]) -
                            centres[size_t(i) * NumFeatures + j];
        distance += diff * diff;
      }
      if (distance < least) {
        least = distance;
        nearest = i;
      }
    }
    wrong += membership[p] != nearest;
  }
  std::printf("kmeans: %d x %d, %.3f ms, %s\n", npoints, NumFeatures, ms,
              wrong ? "WRONG" : "OK");
  CUDA(cudaFree(dPoints));
  CUDA(cudaFree(dCentres));
  CUDA(cudaFree(dMembership));
  return wrong != 0;
}
