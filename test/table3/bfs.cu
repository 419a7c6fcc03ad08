//===- bfs.cu - BFS of the CATT paper's table 3 ----------------*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Breadth-first search of a graph of 128 Ki nodes.
//
//===----------------------------------------------------------------------===//
#define NUM_NODES 131072
#define MAX_THREADS_PER_BLOCK 512

struct Node {
  int firstEdge;
  int numEdges;
};

// #1, loop 1: offers the next distance to the neighbours of the frontier.
__global__ void bfs_kernel1(Node *nodes, int *edges, bool *frontier, bool *next,
                            bool *visited, int *distance) {
  int id = blockIdx.x * MAX_THREADS_PER_BLOCK + threadIdx.x;
  if (id < NUM_NODES && frontier[id]) {
    frontier[id] = false;
    Node node = nodes[id];
    for (int e = node.firstEdge; e < node.firstEdge + node.numEdges; e++) {
      int neighbour = edges[e];
      if (!visited[neighbour]) {
        distance[neighbour] = distance[id] + 1;
        next[neighbour] = true;
      }
    }
  }
}

// #2: no loop.
__global__ void bfs_kernel2(bool *frontier, bool *next, bool *visited,
                            bool *again) {
  int id = blockIdx.x * MAX_THREADS_PER_BLOCK + threadIdx.x;
  if (id < NUM_NODES && next[id]) {
    frontier[id] = true;
    visited[id] = true;
    next[id] = false;
    *again = true;
  }
}

void bfs(Node *nodes, int *edges, bool *frontier, bool *next, bool *visited,
         int *distance, bool *again) {
  dim3 grid((NUM_NODES + MAX_THREADS_PER_BLOCK - 1) / MAX_THREADS_PER_BLOCK);
  dim3 block(MAX_THREADS_PER_BLOCK);
  bfs_kernel1<<<grid, block, 0>>>(nodes, edges, frontier, next, visited,
                                  distance);
  bfs_kernel2<<<grid, block, 0>>>(frontier, next, visited, again);
}
