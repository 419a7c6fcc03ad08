//===- bfs.cu - breadth-first search, level by level -----------*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread per node; a node of the current level offers its neighbours the
// next one. Which lines that touches depends on the graph, which no analysis of
// the source can see. What is not known is no reason to take threads away: the
// loop is to be left alone.
//
//   nvcc -O3 -arch=native bfs.cu -o bfs
//   ./bfs [nodes]                   default 1048576
//
// The distance of every node is compared with a search on the host.
//
//===----------------------------------------------------------------------===//
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#define MAX_THREADS_PER_BLOCK 512

struct Node {
  int firstEdge;
  int numEdges;
};

// Expands the nodes in `frontier`. Several threads may offer one node the same
// distance at once: all of them write the same value.
__global__ void bfs_expand(const Node *nodes, const int *edges, char *frontier,
                           char *next, const char *visited, int *distance,
                           int numNodes) {
  int id = blockIdx.x * MAX_THREADS_PER_BLOCK + threadIdx.x;
  if (id < numNodes && frontier[id]) {
    frontier[id] = 0;
    const Node node = nodes[id];
    for (int e = node.firstEdge; e < node.firstEdge + node.numEdges; e++) {
      int neighbour = edges[e];
      if (!visited[neighbour]) {
        distance[neighbour] = distance[id] + 1;
        next[neighbour] = 1;
      }
    }
  }
}

// Makes the nodes in `next` the frontier, and says whether there are any.
__global__ void bfs_advance(char *frontier, char *next, char *visited,
                            int *again, int numNodes) {
  int id = blockIdx.x * MAX_THREADS_PER_BLOCK + threadIdx.x;
  if (id < numNodes && next[id]) {
    frontier[id] = 1;
    visited[id] = 1;
    next[id] = 0;
    *again = 1;
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

static unsigned hash(unsigned k) {
  k *= 2654435761u;
  k ^= k >> 15;
  k *= 2246822519u;
  return k ^ (k >> 13);
}

struct Graph {
  std::vector<Node> nodes;
  std::vector<int> edges;
};

// Two to seven edges a node, most of them to anywhere.
static Graph makeGraph(int numNodes) {
  Graph graph;
  for (int i = 0; i < numNodes; i++) {
    const int numEdges = 2 + int(hash(i) % 6);
    graph.nodes.push_back({int(graph.edges.size()), numEdges});
    graph.edges.push_back((i + 1) % numNodes); // so that all can be reached
    for (int e = 1; e < numEdges; e++)
      graph.edges.push_back(int(hash(i * 8 + e + 77777777) % numNodes));
  }
  return graph;
}

static std::vector<int> search(const Graph &graph) {
  std::vector<int> distance(graph.nodes.size(), -1), queue{0};
  distance[0] = 0;
  for (size_t at = 0; at < queue.size(); at++) {
    const Node node = graph.nodes[queue[at]];
    for (int e = node.firstEdge; e < node.firstEdge + node.numEdges; e++)
      if (distance[graph.edges[e]] < 0) {
        distance[graph.edges[e]] = distance[queue[at]] + 1;
        queue.push_back(graph.edges[e]);
      }
  }
  return distance;
}

int main(int argc, char **argv) {
  const int numNodes = argc > 1 ? std::atoi(argv[1]) : 1048576;
  if (numNodes < 1 || numNodes > 200000000) {
    std::fprintf(stderr, "usage: bfs [nodes, 1 to 200000000]\n");
    return 1;
  }

  const Graph graph = makeGraph(numNodes);
  std::vector<char> first(numNodes, 0);
  first[0] = 1;
  std::vector<int> initial(numNodes, -1);
  initial[0] = 0;
  Node *dNodes = upload(graph.nodes);
  int *dEdges = upload(graph.edges), *dDistance = upload(initial), *dAgain;
  char *dFrontier = upload(first), *dVisited = upload(first), *dNext;
  CUDA(cudaMalloc(&dAgain, sizeof(int)));
  CUDA(cudaMalloc(&dNext, numNodes));
  CUDA(cudaMemset(dNext, 0, numNodes));

  int numOfBlocks = 1;
  int numOfThreads = numNodes;
  if (numNodes > MAX_THREADS_PER_BLOCK) {
    numOfBlocks =
        (numNodes + MAX_THREADS_PER_BLOCK - 1) / MAX_THREADS_PER_BLOCK;
    numOfThreads = MAX_THREADS_PER_BLOCK;
  }
  dim3 grid(numOfBlocks, 1, 1);
  dim3 threads(numOfThreads, 1, 1);

  cudaEvent_t start, stop;
  CUDA(cudaEventCreate(&start));
  CUDA(cudaEventCreate(&stop));
  CUDA(cudaEventRecord(start));
  int again, levels = 0;
  do {
    CUDA(cudaMemset(dAgain, 0, sizeof(int)));
    bfs_expand<<<grid, threads, 0>>>(dNodes, dEdges, dFrontier, dNext, dVisited,
                                     dDistance, numNodes);
    bfs_advance<<<grid, threads, 0>>>(dFrontier, dNext, dVisited, dAgain,
                                      numNodes);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(&again, dAgain, sizeof(int), cudaMemcpyDeviceToHost));
    levels++;
  } while (again);
  CUDA(cudaEventRecord(stop));
  CUDA(cudaEventSynchronize(stop));
  float ms = 0;
  CUDA(cudaEventElapsedTime(&ms, start, stop));

  const bool ok = download(dDistance, numNodes) == search(graph);
  std::printf("bfs: %d x %d, %.3f ms, %s (%d levels)\n", numNodes,
              int(graph.edges.size()), ms, ok ? "OK" : "WRONG", levels);
  CUDA(cudaFree(dNodes));
  CUDA(cudaFree(dEdges));
  CUDA(cudaFree(dDistance));
  CUDA(cudaFree(dFrontier));
  CUDA(cudaFree(dVisited));
  CUDA(cudaFree(dNext));
  CUDA(cudaFree(dAgain));
  return ok ? 0 : 1;
}
