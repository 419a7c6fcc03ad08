// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds out within one launch which of two kernels is faster: parts of its grid
// are launched one by one until that is known, and then the rest (C++17, host
// code; Orion, section 3.4: kernel splitting).
//
//   { static catt::Trials trials("gesummv.cu:rows");
//     for (catt::Slices slices(trials, grid, block, stream); slices.next();)
//       (slices.changed() ? part<true> : part<false>)
//           <<<slices.grid(), block, 0, stream>>>(slices.first(),
//                                                 slices.whole(), A); }
//
//   grid: | changed | original | untimed | changed | ... | the rest |
//          `---- a pair -----'  runs while the host waits for the pair
//
// The host waits for pairs, and only where the stream had nothing to do: no
// longer than Patience in all. A launch is whole where the choice is known, the
// stream is busy or captured, or the grid is too small for Least parts.
#pragma once
#include "trials.h"
#include <chrono>
#include <optional>

namespace catt {

/// One launch, whole or in parts; a trial of each.
class Slices {
public:
  static constexpr unsigned Most = 64; ///< parts of a grid while it is tried
  static constexpr unsigned Least = 8; ///< parts; else the launch stays whole
  static constexpr unsigned Waves = 2; ///< blocks of a part: what all SMs hold
  static constexpr double ShortNs = 50e3; ///< parts that are done sooner: stop
  static constexpr std::chrono::milliseconds Patience{1000}; ///< of the host

  /// May: as of a Trial.
  Slices(Trials &of, dim3 grid, dim3 block, cudaStream_t stream = nullptr,
         bool may = true)
      : of(of), all(grid), stream(stream), may(may),
        isFaster(of.until == Choice::Changed), along(grid.z > 1   ? &dim3::z
                                                     : grid.y > 1 ? &dim3::y
                                                                  : &dim3::x) {
    if (may && !Choices::all().isOff && isIdle())
      step = stepFor(block);
  }
  Slices(const Slices &) = delete;

  /// Ends the part before, and begins the next one. False: all have run.
  bool next() {
    trial.reset();
    at += begun ? part.*along : 0;
    if (begun && at >= all.*along)
      return false;
    const bool goesOn = step && (!begun || needsMore());
    part = all;
    part.*along = all.*along - at;
    if (goesOn)
      part.*along = std::min(step, part.*along);
    ++begun;
    if (goesOn || !step || isChosen)
      isChanged = trial.emplace(of, part, stream, may).changed();
    else
      isChanged = isFaster; // the rest, of which no choice was made
    step = goesOn ? step : 0;
    return true;
  }
  bool changed() const { return isChanged; }
  /// The blocks of this part, from first() of the whole() grid on.
  dim3 grid() const { return part; }
  uint3 first() const {
    dim3 begin(0, 0, 0);
    begin.*along = at;
    return {begin.x, begin.y, begin.z};
  }
  dim3 whole() const { return all; }

private:
  using Extent = unsigned dim3::*;
  /// Whether the stream has nothing to do and may be asked.
  bool isIdle() const {
    const Quiet quiet;
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    return quiet.clean &&
           cudaStreamIsCapturing(stream, &capture) == cudaSuccess &&
           capture == cudaStreamCaptureStatusNone &&
           cudaStreamQuery(stream) == cudaSuccess;
  }
  /// Of the grid's slowest extent; 0: it is too small, or a choice is known.
  unsigned stepFor(dim3 block) {
    const Quiet quiet;
    int sms = 0, threads = 0;
    const double blocks = double(all.x) * all.y * all.z;
    const unsigned size = block.x * block.y * block.z, extent = all.*along;
    if (cudaGetDevice(&id) != cudaSuccess ||
        of.knownOn(id).first != Choice::Open || blocks == 0 || size == 0 ||
        cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, id) !=
            cudaSuccess ||
        cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor,
                               id) != cudaSuccess)
      return 0;
    const double wave = double(sms) * std::max(1U, threads / size);
    const double least = std::max(1.0, Waves * wave / (blocks / extent));
    const double fits = double(extent) / Least;
    const unsigned usual = (extent + Most - 1) / Most;
    return least > fits ? 0 : std::max(usual, unsigned(least));
  }
  /// Whether another part is to be tried. Waits, where a pair and what runs
  /// meanwhile were launched, for the pair.
  bool needsMore() {
    constexpr unsigned Pair = 3; // and what runs meanwhile
    const auto end = std::chrono::steady_clock::now() + patience;
    const auto left = [&] { return end - std::chrono::steady_clock::now(); };
    while (true) {
      const bool isWaiting = look() && begun % Pair == 0;
      if (isWaiting && left().count() > 0)
        continue;
      patience = left();
      return !isWaiting && !isChosen && !isShort;
    }
  }
  /// Reads what is done. Whether some of it is not.
  bool look() {
    const Quiet quiet;
    std::lock_guard<std::mutex> lock(of.mutex);
    Trials::Device &device = of.devices[id];
    of.read(device);
    isChosen = device.choice != Choice::Open;
    const auto &[original, changed] = device.times;
    if (isChosen)
      return false;
    if (std::min(original.size(), changed.size()) > 1) { // loaded before
      isFaster = changed.back() < Trials::Worth * original.back();
      isShort =
          std::min(original.back(), changed.back()) * blocksOfPart() < ShortNs;
    }
    for (const Trials::Place &place : device.places)
      if (place.use != Trials::Place::Free)
        return true;
    return false;
  }
  double blocksOfPart() const { return double(part.x) * part.y * part.z; }

  Trials &of;
  const dim3 all;
  dim3 part;
  const cudaStream_t stream;
  const bool may;
  bool isChanged = false, isChosen = false, isShort = false;
  bool isFaster;      ///< the changed kernel, as far as is known
  const Extent along; ///< that changes slowest
  unsigned step = 0;  ///< of parts; 0: the rest is one
  unsigned at = 0, begun = 0;
  int id = 0;
  std::chrono::steady_clock::duration patience = Patience;
  std::optional<Trial> trial;
};

} // namespace catt
