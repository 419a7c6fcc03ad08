// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a launch several times where the program runs it once, and times each
// (C++17, host code, 64 bits, CUDA 11.3 or newer).
//
//   for (catt::Replay replay("k", stream, A, n); replay.next();)
//     k<<<grid, block, 0, stream>>>(A, n);
//      save what the arguments lead to | launch | put it back, launch | ...
//
// $CATT_REPLAY="k=2,m=1": which kernels, and how many launches of each there
// are; others are timed as by timing.h. $CATT_REPLAYS is the file of results:
//   {"launches": [{"kernel": "k", "ms": [1.2, 1.1, ...], "bytes": 4096,
//     "left": "0123456789abcdef", "why": ""}]}
// left: a hash of all words that the launch changed. With $CATT_REPLAY_ONLY the
// program ends behind the last of these launches, without destructors.
//
// The first launch loads the kernel's code and its time is dropped. There are 7
// to 50 others, until they took 1 s; 3, if they take 10 s. What is put back is
// what the first one changed, on the device where there is room. That the last
// one changed the same to the same is checked; the program goes on with it.
//
// Limits: those of saved.h. Launches of other threads of the host must not run
// meanwhile. L2 is cold each time, as it may not be in the program.
#pragma once
#include "saved.h"
#include "timing.h"
#include <cstring>
#include <memory>
#include <optional>

namespace catt {

/// The kernels that are replayed, and the file of results.
class Replays {
public:
  static Replays &all() {
    static Replays one;
    return one;
  }
  std::mutex turn; ///< of the launch that is replayed
  bool wants(const char *kernel) const { return open.count(kernel) != 0; }

  struct Result {
    const char *kernel;
    std::vector<float> ms;
    Saved::Word bytes, left;
    std::string why; ///< there are no times
  };
  void add(Result result) {
    std::lock_guard<std::mutex> lock(mutex);
    long &more = open[result.kernel];
    more -= more > 0;
    results.push_back(std::move(result));
    write();
    bool isLast = std::getenv("CATT_REPLAY_ONLY") != nullptr;
    for (const auto &[kernel, count] : open)
      isLast = isLast && count == 0;
    if (!isLast)
      return;
    std::fflush(nullptr);
    std::_Exit(0);
  }

private:
  std::mutex mutex;
  std::map<std::string, long> open; ///< launches that are to come
  std::vector<Result> results;

  Replays() {
    const char *text = std::getenv("CATT_REPLAY");
    std::string rest = text ? text : "";
    while (!rest.empty()) {
      const std::string one = rest.substr(0, rest.find(','));
      rest.erase(0, one.size() + 1);
      const std::size_t end = one.find('=');
      if (end != one.npos)
        open[one.substr(0, end)] = std::atol(one.c_str() + end + 1);
    }
  }
  /// In one step: who looks sees all of it or nothing.
  void write() const {
    const char *path = std::getenv("CATT_REPLAYS");
    const std::string part = std::string(path ? path : "") + ".part";
    std::FILE *file = path ? std::fopen(part.c_str(), "w") : nullptr;
    if (!file)
      return;
    std::fprintf(file, "{\"launches\": [");
    for (const Result &each : results) {
      std::fprintf(file, "%s{\"kernel\": \"%s\", \"ms\": [",
                   &each == results.data() ? "" : ",\n ", each.kernel);
      for (const float &ms : each.ms)
        std::fprintf(file, "%s%.6f", &ms == each.ms.data() ? "" : ", ", ms);
      std::fprintf(file,
                   "], \"bytes\": %llu, \"left\": \"%016llx\", \"why\": "
                   "\"%s\"}",
                   each.bytes, each.left, each.why.c_str());
    }
    std::fprintf(file, "]}\n");
    if (std::fclose(file) == 0)
      std::rename(part.c_str(), path);
  }
};

/// One launch of the program, which runs as often as `next` says true.
class Replay {
public:
  template <class... Arguments>
  Replay(const char *kernel, cudaStream_t stream, Arguments... arguments)
      : kernel(kernel), stream(stream) {
    Times::all(); // the file of times says that there are none
    if (Replays::all().wants(kernel))
      (take(std::addressof(arguments), sizeof arguments), ...);
  }
  Replay(const Replay &) = delete;
  bool next() {
    if (timed)
      return finish();
    if (saved) {
      measure();
      if (!saved->why.empty() || enough())
        return finish();
      saved->putBack(stream);
      if (saved->why.empty() && cudaEventRecord(begin, stream) == cudaSuccess)
        return true;
      saved->fail("an event fails");
      return finish();
    }
    if (!Replays::all().wants(kernel) || !prepare())
      timed.emplace(kernel, stream);
    return true;
  }

private:
  const char *kernel;
  cudaStream_t stream;
  cudaEvent_t begin = nullptr, end = nullptr;
  std::unique_lock<std::mutex> turn;
  std::vector<Saved::Word> words; ///< of the arguments
  std::optional<Saved> saved;     ///< where it is replayed
  std::optional<Timed> timed;     ///< where it runs once
  bool ran = false;
  Saved::Word left = 0;
  std::vector<float> times; ///< milliseconds

  void take(const void *argument, std::size_t size) {
    Saved::Word word;
    for (std::size_t at = 0; at + sizeof word <= size; at += sizeof word) {
      std::memcpy(&word, static_cast<const char *>(argument) + at, sizeof word);
      words.push_back(word);
    }
  }
  bool prepare() {
    turn = std::unique_lock<std::mutex>(Replays::all().turn);
    saved.emplace();
    if (cudaPeekAtLastError() != cudaSuccess) {
      saved->fail("there was an error before it");
      return false; // that the program has to see
    }
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    if (cudaStreamIsCapturing(stream, &status) != cudaSuccess ||
        status != cudaStreamCaptureStatusNone)
      saved->fail("its stream is being captured");
    else if (cudaDeviceSynchronize() != cudaSuccess ||
             cudaEventCreate(&begin) != cudaSuccess ||
             cudaEventCreate(&end) != cudaSuccess)
      saved->fail("an event fails");
    else
      saved->save(words);
    if (saved->why.empty() && cudaEventRecord(begin, stream) != cudaSuccess)
      saved->fail("an event fails");
    cudaGetLastError();
    return saved->why.empty();
  }
  void measure() {
    float ms = 0;
    if (cudaPeekAtLastError() != cudaSuccess ||
        cudaEventRecord(end, stream) != cudaSuccess ||
        cudaEventSynchronize(end) != cudaSuccess ||
        cudaEventElapsedTime(&ms, begin, end) != cudaSuccess)
      return saved->fail("its launch fails");
    if (ran)
      times.push_back(ms);
    else
      left = saved->changes(true);
    ran = true;
  }
  bool enough() const {
    float sum = 0; // milliseconds
    for (const float ms : times)
      sum += ms;
    return times.size() >= 50 || (times.size() >= 7 && sum >= 1e3F) ||
           (times.size() >= 3 && sum >= 1e4F);
  }
  bool finish() {
    timed.reset();
    if (!saved)
      return false;
    if (saved->why.empty() && saved->changes(false) != left)
      saved->fail("launched again, it leaves something else");
    if (begin)
      cudaEventDestroy(begin);
    if (end)
      cudaEventDestroy(end);
    if (!saved->why.empty())
      times.clear();
    Replays::Result result{kernel, times, saved->bytes, left, saved->why};
    saved.reset();
    Replays::all().add(std::move(result));
    return false;
  }
};

} // namespace catt
