// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Times launches of kernels by CUDA events (C++17, host code).
//
//   { catt::Timed timed("k", stream); k<<<grid, block, 0, stream>>>(...); }
//      event | launch | event                          nothing waits
//   at exit, and before cudaDeviceReset():
//      $CATT_TIMES = {"kernels": {"k": {"launches": 1, "total_ms": 0.5,
//                     "median_ms": 0.5}}, "untimed": 0}
//
// A program that launches several variants of a kernel asks variantOf() which.
//
// Elapsed times are read at the end, or half of them when Capacity launches are
// open. Without CATT_TIMES in the environment nothing is recorded.
//
// Limits: of several processes the last one to end writes the file, and one
// that ends by _exit or a signal writes none. A launch into a stream that is
// being captured, and one whose events fail, counts as untimed. What other
// streams do meanwhile is in the time, too.
#pragma once
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace catt {

class Times {
public:
  /// Launches that may be open before the older half is read.
  static constexpr std::size_t Capacity = 1024;

  /// One for the program, made by the first launch: it goes before CUDA does.
  static Times &all() {
    static Times one;
    return one;
  }
  bool wanted() const { return !path.empty(); }

  /// Both events of a launch; the program may have failed between.
  void add(const char *kernel, cudaEvent_t begin, cudaEvent_t end) {
    std::lock_guard<std::mutex> lock(mutex);
    open.push_back({kernel, begin, end});
    if (open.size() >= Capacity)
      read(Capacity / 2);
  }
  void addUntimed() {
    std::lock_guard<std::mutex> lock(mutex);
    ++untimed;
  }
  /// Waits for all that is open, and writes the file.
  void finish() {
    std::lock_guard<std::mutex> lock(mutex);
    read(open.size());
    if (wanted())
      write();
  }
  ~Times() { finish(); }

private:
  struct Launch {
    const char *kernel;
    cudaEvent_t begin, end;
  };
  std::mutex mutex;
  std::deque<Launch> open;
  std::map<std::string, std::vector<float>> done; ///< milliseconds
  unsigned long long untimed = 0;
  std::string path;

  Times() {
    if (const char *name = std::getenv("CATT_TIMES"))
      path = name;
  }

  void read(std::size_t count) {
    for (; count; --count) {
      const Launch launch = open.front();
      open.pop_front();
      float ms = 0;
      if (cudaEventSynchronize(launch.end) == cudaSuccess &&
          cudaEventElapsedTime(&ms, launch.begin, launch.end) == cudaSuccess)
        done[launch.kernel].push_back(ms);
      else
        ++untimed;
      cudaEventDestroy(launch.begin);
      cudaEventDestroy(launch.end);
    }
  }

  /// In one step: who looks sees all of it or nothing.
  void write() {
    const std::string part = path + ".part";
    std::FILE *file = std::fopen(part.c_str(), "w");
    if (!file)
      return;
    std::fprintf(file, "{\"kernels\": {");
    const char *between = "";
    for (auto &[kernel, each] : done) {
      double total = 0;
      for (float ms : each)
        total += ms;
      std::vector<float> sorted = each;
      std::sort(sorted.begin(), sorted.end());
      const std::size_t n = sorted.size();
      std::fprintf(file,
                   "%s\"%s\": {\"launches\": %zu, \"total_ms\": %.6f, "
                   "\"median_ms\": %.6f}",
                   between, kernel.c_str(), n, total,
                   (sorted[(n - 1) / 2] + sorted[n / 2]) / 2.0);
      between = ", ";
    }
    std::fprintf(file, "}, \"untimed\": %llu}\n", untimed);
    if (std::fclose(file) == 0)
      std::rename(part.c_str(), path.c_str());
  }
};

/// Records an event where it begins and one where it ends.
class Timed {
public:
  explicit Timed(const char *kernel, cudaStream_t stream = nullptr)
      : kernel(kernel), stream(stream) {
    if (!Times::all().wanted())
      return;
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    started = cudaStreamIsCapturing(stream, &status) == cudaSuccess &&
              status == cudaStreamCaptureStatusNone &&
              cudaEventCreate(&begin) == cudaSuccess &&
              cudaEventCreate(&end) == cudaSuccess &&
              cudaEventRecord(begin, stream) == cudaSuccess;
    if (!started)
      Times::all().addUntimed();
  }
  ~Timed() {
    if (!started)
      return;
    if (cudaEventRecord(end, stream) == cudaSuccess)
      Times::all().add(kernel, begin, end);
    else
      Times::all().addUntimed();
  }
  Timed(const Timed &) = delete;
  Timed &operator=(const Timed &) = delete;

private:
  const char *kernel;
  cudaStream_t stream;
  cudaEvent_t begin = nullptr, end = nullptr;
  bool started = false;
};

/// The number n of $CATT_VARIANT = "k=n" for this kernel: which of the launches
/// runs that the program has for it. 0 without one.
inline int variantOf(const char *kernel) {
  struct Chosen {
    std::string kernel;
    int number = 0;
    Chosen() {
      const char *said = std::getenv("CATT_VARIANT");
      const char *equals = said ? std::strrchr(said, '=') : nullptr;
      if (!equals)
        return;
      kernel.assign(said, equals);
      number = std::atoi(equals + 1);
    }
  };
  static const Chosen chosen;
  return chosen.kernel == kernel ? chosen.number : 0;
}

/// The events of a device do not survive its reset.
inline cudaError_t resetWhenRead() {
  Times::all().finish();
  return cudaDeviceReset();
}

} // namespace catt
#define cudaDeviceReset() catt::resetWhenRead()
