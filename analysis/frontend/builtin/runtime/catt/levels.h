// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds out in a program's own launches with how many blocks on an SM a kernel
// is fastest (C++17, host code; Orion, figures 8 and 9).
//
//   { static catt::Levels levels("flux.cu:flux", catt::Levels::First::More);
//     catt::Level level(levels, grid, block, bytes, stream, flux,
//                       {more<5>, more<6>});
//     level.kernel()<<<grid, block, level.shared(), stream>>>(A); }
//
//   blocks on an SM:   1   2   3  |  4  |  5   6
//                      `- fewer --'     `- more: copies with bounds
//          level:     -3  -2  -1     0     1   2
//
// The fastest so far and the next one are compared at a time, as catt/trials.h
// does it: from the kernel as it was in one direction until one is slower;
// where none there was faster, in the other one. All levels compute the same
// bits.
//
// Fewer blocks are 3/4, 1/2, 1/4 and 1/8 of those of before, by
// shared memory that nobody uses, in the smallest carve-out that holds it,
// which leaves the most L1. So nobody else may set the kernel's carve-out.
#pragma once
#include "trials.h"
#include <deque>
#include <initializer_list>
#include <optional>

namespace catt {

/// One launch in the text: what is known about its levels.
class Levels {
public:
  enum class First { More, Fewer };
  static constexpr double AsFast = 1.02; ///< of the time: goes on
  /// The name as of Trials; there are some for each step: "flux.cu:flux 0 to
  /// 1".
  Levels(const char *name, First first)
      : name(name), direction(first == First::More ? 1 : -1) {
    Choices::all();
  }

private:
  template <class K> friend class Level;
  struct Step {
    Step(const char *of, int from, int to)
        : from(from), to(to),
          name(std::string(of) + " " + std::to_string(from) + " to " +
               std::to_string(to)),
          trials(name.c_str(), Choice::Original) {}
    const int from, to;
    const std::string name;
    Trials trials;
  };
  /// What keeps blocks away: the carve-out, and bytes for each of them.
  struct Room {
    int percent = cudaSharedmemCarveoutDefault;
    std::size_t bytes = 0; ///< 0: there is none
  };
  struct Device {
    int at = 0, tried = 0; ///< the fastest level so far, and the last one
    int direction = 0;
    int threads = 0; ///< of a block of the first launch: copies may have fewer
    bool isKnown = false, isTrying = false, isDone = false;
    std::vector<int> fewer;         ///< blocks of the levels -1, -2, ...
    std::vector<const void *> more; ///< kernels of the levels 1, 2, ...
    std::map<std::array<std::size_t, 3>, Room> rooms;
    std::deque<Step> steps; ///< the last one is on trial, or was
  };
  const char *const name;
  const int direction;
  std::mutex mutex;
  std::map<int, Device> devices;

  /// Asks for a carve-out, in percent, where the kernel does not have it: all
  /// launches of a program may be at levels of their own.
  static bool carve(const void *kernel, int id, int percent) {
    static std::mutex mutex;
    static std::map<std::pair<const void *, int>, int> carved;
    std::lock_guard<std::mutex> lock(mutex);
    int &now = carved.try_emplace({kernel, id}, cudaSharedmemCarveoutDefault)
                   .first->second;
    if (now != percent &&
        cudaFuncSetAttribute(kernel,
                             cudaFuncAttributePreferredSharedMemoryCarveout,
                             percent) != cudaSuccess)
      return false;
    now = percent;
    return true;
  }
  /// Goes on from what is decided; null: there never was another level.
  template <class F> Step *next(Device &device, F exists) const {
    while (!device.isDone && !device.isTrying) {
      device.tried += device.direction;
      device.isTrying = exists(device.tried);
      if (device.isTrying)
        device.steps.emplace_back(name, device.at, device.tried);
      else
        turn(device);
    }
    return device.steps.empty() ? nullptr : &device.steps.back();
  }
  /// Takes what the step on trial has shown. One that is as fast is none, but
  /// what lies behind it may be faster.
  void learn(Device &device, int id) const {
    if (!device.isTrying)
      return;
    const auto [choice, time] = device.steps.back().trials.knownOn(id);
    if (choice == Choice::Open)
      return;
    device.isTrying = false;
    if (choice == Choice::Changed)
      device.at = device.tried;
    else if (choice == Choice::Off)
      device.isDone = true;
    else if (time > AsFast)
      turn(device);
  }
  /// Where one direction helps nothing, the other one may.
  void turn(Device &device) const {
    device.isDone = device.at != 0 || device.direction != direction;
    device.direction = -device.direction;
    device.tried = 0;
  }
};

/// One launch: says which kernel runs, and with how much shared memory.
template <class K> class Level {
public:
  /// Bytes: what the launch asks for itself. More: copies of the kernel, each
  /// bounded for more blocks than the one before.
  Level(Levels &of, dim3 grid, dim3 block, std::size_t bytes,
        cudaStream_t stream, K *kernel, std::initializer_list<K *> more = {})
      : chosen(kernel), all(bytes) {
    const Quiet quiet;
    int id = 0;
    if (!quiet.clean || Choices::all().isOff ||
        cudaGetDevice(&id) != cudaSuccess)
      return;
    std::unique_lock<std::mutex> lock(of.mutex);
    Launch here{(const void *)kernel, int(block.x * block.y * block.z), bytes,
                id, of.devices[id]};
    if (!here.device.isKnown)
      here.look(of.direction, {more.begin(), more.end()});
    of.learn(here.device, id);
    Levels::Step *const step =
        of.next(here.device, [&](int level) { return here.exists(level); });
    if (!step)
      return;
    trial.emplace(step->trials, grid, stream);
    const int level = trial->changed() ? step->to : step->from;
    if (level <= 0)
      all += here.carve(level);
    else if (here.threads <= here.device.threads)
      chosen = (K *)here.device.more[level - 1];
  }
  K *kernel() const { return chosen; }
  std::size_t shared() const { return all; }

private:
  /// The kernel as it was, at this launch.
  struct Launch {
    const void *const kernel;
    const int threads;
    const std::size_t own; ///< bytes
    const int id;
    Levels::Device &device;

    int resident(const void *of, std::size_t bytes) const {
      int blocks = 0;
      return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, of, threads,
                                                           bytes) == cudaSuccess
                 ? blocks
                 : 0;
    }
    void look(int direction, std::vector<K *> copies) {
      device.isKnown = true;
      device.direction = direction;
      device.threads = threads;
      int blocks = resident(kernel, own);
      for (const int part :
           {blocks * 3 / 4, blocks / 2, blocks / 4, blocks / 8})
        if (part > 0 &&
            part < (device.fewer.empty() ? blocks : device.fewer.back()))
          device.fewer.push_back(part);
      for (K *const copy : copies)
        if (const int more = resident((const void *)copy, own); more > blocks) {
          device.more.push_back((const void *)copy);
          blocks = more;
        }
    }
    bool exists(int level) {
      return level > 0 ? std::size_t(level) <= device.more.size()
                       : std::size_t(-level) <= device.fewer.size() &&
                             room(device.fewer[-level - 1]).bytes > 0;
    }
    /// Bytes that each block has to ask for; sets the carve-out they are in.
    std::size_t carve(int level) {
      const Levels::Room room =
          level < 0 ? this->room(device.fewer[-level - 1]) : Levels::Room();
      Levels::carve(kernel, id, room.percent);
      return room.bytes;
    }
    const Levels::Room &room(int blocks) {
      const auto [at, isNew] = device.rooms.try_emplace(
          {std::size_t(blocks), std::size_t(threads), own});
      if (isNew)
        at->second = find(blocks);
      return at->second;
    }
    /// The smallest carve-out in which so many blocks have room, and no more.
    Levels::Room find(int blocks) {
      int most = 0;
      cudaFuncAttributes now;
      if (cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                 id) != cudaSuccess ||
          cudaFuncGetAttributes(&now, kernel) != cudaSuccess ||
          std::size_t(most) <= now.sharedSizeBytes + own)
        return {};
      const int limit = most - int(now.sharedSizeBytes);
      if (cudaFuncSetAttribute(kernel,
                               cudaFuncAttributeMaxDynamicSharedMemorySize,
                               limit) != cudaSuccess)
        return {};
      for (const int percent : {4, 8, 15, 30, 45, 60, 75, 100}) {
        if (!Levels::carve(kernel, id, percent))
          return {};
        constexpr std::size_t Grain = 256;
        std::size_t few = 0, many = limit - own; // for more blocks, for these
        while (many - few > Grain) {
          const std::size_t middle = few + (many - few) / 2;
          (resident(kernel, own + middle) > blocks ? few : many) = middle;
        }
        if (resident(kernel, own + many) == blocks)
          return {percent, many};
      }
      return {};
    }
  };
  K *chosen;
  std::size_t all;
  std::optional<Trial> trial;
};

} // namespace catt
