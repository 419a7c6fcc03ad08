//===- Launches.cu - A kernel launched as programs do ----------*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   Launches [stream|grow|streams|threads|graph] [rows] [launches]
//            [times.csv [pause]]
//
//   stream    100 launches, if nothing else is said, in one stream
//   grow      each with more rows than the one before
//   streams   in four streams, which run at the same time
//   threads   from four threads at once, each with a stream of its own
//   graph     captured, ten launches in a graph that is launched again
//
// times.csv, of stream alone: when the host began and ended each launch, and when
// the device did, in microseconds; timeline.py draws it. The host sleeps that many
// microseconds behind each.
//
// With -DCOLUMNS=4 a kernel takes less than its launch. What --decide=run makes
// of it has to print the same. All values are small integers, so that sums are
// exact in float in any order.
//
//===----------------------------------------------------------------------===//
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <map>
#include <string>
#include <thread>
#include <vector>

#ifndef COLUMNS
#define COLUMNS 1024
#endif
constexpr int Columns = COLUMNS, Block = 256, Streams = 4, InGraph = 10;
constexpr int Period = 35; // rows, after which the matrices repeat

// Each thread walks a row of A and one of B.
__global__ void rowSums(const float *A, const float *B, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float sum = 0;
    for (int j = 0; j < Columns; j++)
      sum += A[i * Columns + j] * B[i * Columns + j];
    y[i] += sum;
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

static int valueOfA(int i, int j) { return (i + j) % 5 - 2; }
static int valueOfB(int i, int j) { return (3 * i + j) % 7 - 3; }

static float *upload(int n, int (*value)(int, int)) {
  std::vector<float> rows(size_t(Period) * Columns);
  for (int i = 0; i < Period; i++)
    for (int j = 0; j < Columns; j++)
      rows[size_t(i) * Columns + j] = float(value(i, j));
  float *device;
  CUDA(cudaMalloc(&device, size_t(n) * Columns * sizeof(float)));
  for (int i = 0; i < n; i += Period) {
    size_t count = size_t(n - i < Period ? n - i : Period) * Columns;
    CUDA(cudaMemcpy(device + size_t(i) * Columns, rows.data(),
                    count * sizeof(float), cudaMemcpyHostToDevice));
  }
  return device;
}

using Clock = std::chrono::steady_clock;

// When host and device were at each launch.
class Timeline {
public:
  Timeline(int launches, int pause)
      : pause(pause), begin(launches), end(launches) {
    for (int i = 0; i < launches; i++) {
      CUDA(cudaEventCreate(&begin[i]));
      CUDA(cudaEventCreate(&end[i]));
    }
    CUDA(cudaEventCreate(&first));
    CUDA(cudaEventRecord(first));
    CUDA(cudaEventSynchronize(first));
    zero = Clock::now();
  }
  void before(int launch) {
    CUDA(cudaEventRecord(begin[launch]));
    host.push_back(now());
  }
  void after(int launch) {
    host.push_back(now());
    CUDA(cudaEventRecord(end[launch]));
    std::this_thread::sleep_for(std::chrono::microseconds(pause));
  }
  void write(const char *path) const {
    FILE *file = std::fopen(path, "w");
    std::fprintf(file, "launch,host begin,host end,device begin,device end\n");
    for (size_t i = 0; i < begin.size(); i++) {
      float from, to;
      CUDA(cudaEventElapsedTime(&from, first, begin[i]));
      CUDA(cudaEventElapsedTime(&to, first, end[i]));
      std::fprintf(file, "%zu,%.1f,%.1f,%.1f,%.1f\n", i, host[2 * i],
                   host[2 * i + 1], from * 1000, to * 1000);
    }
    std::fclose(file);
  }

private:
  double now() const {
    return std::chrono::duration<double, std::micro>(Clock::now() - zero)
        .count();
  }
  int pause; // us
  Clock::time_point zero;
  cudaEvent_t first;
  std::vector<cudaEvent_t> begin, end;
  std::vector<double> host; // begin and end of each
};

// Where the kernel reads and writes; y has n sums for each stream.
struct Data {
  const float *A, *B;
  float *y;
  int n, launches;
  cudaStream_t streams[Streams];
  Timeline *times = nullptr;
};

// How often a row of a stream's y gets its sum added.
using Times = int (*)(int row, const Data &d);

static int always(int, const Data &d) { return d.launches; }
static int inTurns(int, const Data &d) { return d.launches / Streams; }
static int rowsOf(int launch, const Data &d) {
  return int((long long)(d.n) * (launch + 1) / d.launches);
}
static int growing(int row, const Data &d) {
  int times = 0;
  for (int launch = 0; launch < d.launches; launch++)
    times += row < rowsOf(launch, d);
  return times;
}

static void inOneStream(const Data &d) {
  for (int launch = 0; launch < d.launches; launch++) {
    if (d.times)
      d.times->before(launch);
    rowSums<<<(d.n + Block - 1) / Block, Block>>>(d.A, d.B, d.y, d.n);
    if (d.times)
      d.times->after(launch);
  }
}

static void withMoreRows(const Data &d) {
  for (int launch = 0; launch < d.launches; launch++) {
    int rows = rowsOf(launch, d);
    if (rows > 0)
      rowSums<<<(rows + Block - 1) / Block, Block>>>(d.A, d.B, d.y, rows);
  }
}

static void inStreams(const Data &d) {
  for (int launch = 0; launch < d.launches; launch++) {
    int s = launch % Streams;
    rowSums<<<(d.n + Block - 1) / Block, Block, 0, d.streams[s]>>>(
        d.A, d.B, d.y + size_t(s) * d.n, d.n);
  }
}

static void fromThreads(const Data &d) {
  std::vector<std::thread> threads;
  for (int s = 0; s < Streams; s++)
    threads.emplace_back([&d, s] {
      for (int launch = 0; launch < d.launches / Streams; launch++)
        rowSums<<<(d.n + Block - 1) / Block, Block, 0, d.streams[s]>>>(
            d.A, d.B, d.y + size_t(s) * d.n, d.n);
    });
  for (std::thread &each : threads)
    each.join();
}

static void inAGraph(const Data &d) {
  cudaStream_t stream = d.streams[0];
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int launch = 0; launch < InGraph; launch++)
    rowSums<<<(d.n + Block - 1) / Block, Block, 0, stream>>>(d.A, d.B, d.y,
                                                             d.n);
  CUDA(cudaStreamEndCapture(stream, &graph));
  CUDA(cudaGraphInstantiate(&ready, graph, 0));
  for (int launch = 0; launch < d.launches / InGraph; launch++)
    CUDA(cudaGraphLaunch(ready, stream));
}

struct Way {
  void (*run)(const Data &);
  Times times;
  int streams; // that have sums
};

static const std::map<std::string, Way> Ways = {
    {"stream", {inOneStream, always, 1}},
    {"grow", {withMoreRows, growing, 1}},
    {"streams", {inStreams, inTurns, Streams}},
    {"threads", {fromThreads, inTurns, Streams}},
    {"graph", {inAGraph, always, 1}},
};

static int wrongSums(const Data &d, const Way &way) {
  std::vector<int> sums(Period);
  for (int i = 0; i < Period; i++)
    for (int j = 0; j < Columns; j++)
      sums[i] += valueOfA(i, j) * valueOfB(i, j);
  std::vector<float> y(size_t(d.n) * Streams);
  CUDA(cudaMemcpy(y.data(), d.y, y.size() * sizeof(float),
                  cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int s = 0; s < Streams; s++)
    for (int i = 0; i < d.n; i++) {
      int times = s < way.streams ? way.times(i, d) : 0;
      wrong += y[size_t(s) * d.n + i] != float(times * sums[i % Period]);
    }
  return wrong;
}

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "stream";
  int n = argc > 2 ? std::atoi(argv[2]) : 135168;
  int launches = argc > 3 ? std::atoi(argv[3]) : 100;
  auto way = Ways.find(name);
  if (way == Ways.end() || n < 1 || n > 2147483647 / Columns || launches < 1 ||
      launches % (Streams * InGraph / 2) != 0) {
    std::fprintf(stderr, "usage: Launches [stream|grow|streams|threads|graph] "
                         "[rows] [launches, a multiple of 20] [times.csv "
                         "[pause]]\n");
    return 2;
  }
  float *A = upload(n, valueOfA), *B = upload(n, valueOfB), *y;
  CUDA(cudaMalloc(&y, size_t(n) * Streams * sizeof(float)));
  CUDA(cudaMemset(y, 0, size_t(n) * Streams * sizeof(float)));
  Data d = {A, B, y, n, launches, {}};
  for (cudaStream_t &each : d.streams)
    CUDA(cudaStreamCreate(&each));

  CUDA(cudaDeviceSynchronize());
  Timeline times(argc > 4 ? launches : 0, argc > 5 ? std::atoi(argv[5]) : 0);
  d.times = argc > 4 ? &times : nullptr;
  auto begin = Clock::now();
  way->second.run(d);
  CUDA(cudaGetLastError());
  CUDA(cudaDeviceSynchronize());
  double ms =
      std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  if (d.times)
    times.write(argv[4]);

  int wrong = wrongSums(d, way->second);
  std::printf("%s: %d x %d, %.3f ms, %s\n", name, n, Columns, ms,
              wrong ? "WRONG" : "OK");
  CUDA(cudaFree(A));
  CUDA(cudaFree(B));
  CUDA(cudaFree(y));
  return wrong != 0;
}
