//===- km.cu - KM of the CATT paper's table 3 ------------------*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// k-means: 819200 points of 34 features, 5 centres. The points are stored row
// by row for both kernels, which is what the table's decision for #2 implies.
//
//===----------------------------------------------------------------------===//
#define NUM_POINTS 819200
#define NUM_FEATURES 34
#define NUM_CENTRES 5
#define THREADS 256

// #1, loop 1: transposes the points; reads by rows, writes by columns.
__global__ void km_transpose(float *points, float *columns) {
  int point = blockIdx.x * blockDim.x + threadIdx.x;
  if (point < NUM_POINTS) {
    for (int i = 0; i < NUM_FEATURES; i++)
      columns[point + NUM_POINTS * i] = points[point * NUM_FEATURES + i];
  }
}

// #2, loop 2: the nearest centre of each point.
__global__ void km_nearest(float *points, float *centres, int *membership) {
  int point = blockIdx.x * blockDim.x + threadIdx.x;
  if (point < NUM_POINTS) {
    int nearest = -1;
    float least = 3.0e38f;
    for (int i = 0; i < NUM_CENTRES; i++) {
      float distance = 0.0f;
      for (int j = 0; j < NUM_FEATURES; j++) {
        float diff =
            points[point * NUM_FEATURES + j] - centres[i * NUM_FEATURES + j];
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

void km(float *points, float *columns, float *centres, int *membership) {
  const int blocks = (NUM_POINTS + THREADS - 1) / THREADS;
  km_transpose<<<blocks, THREADS>>>(points, columns);
  km_nearest<<<blocks, THREADS>>>(points, centres, membership);
}
