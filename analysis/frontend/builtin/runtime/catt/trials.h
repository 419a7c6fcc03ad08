// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds out in a program's own launches which of two kernels is faster, an
// original or a changed one that computes the same bits (C++17, host code).
//
//   { static catt::Trials trials("gesummv.cu:rows");
//     catt::Trial trial(trials, grid, stream);
//     (trial.changed() ? tried : rows)<<<grid, block, 0, stream>>>(A); }
//      event | changed | event | original | event, read when later launches
//      come: nothing waits for it; then the next pair. Two that agree on 25 %
//      of difference, or four, choose the one with less median time per block.
//
// CATT_TRIALS=off: always the original. CATT_TRIALS=<file> keeps choices there:
//   launch <tab> device <tab> changed|original <tab> ns original, ns changed
//
// Limits: other streams are in the times; below 10 us they are noise. Grids
// that alternate as the kernels do mislead. cudaDeviceReset() is not expected.
#pragma once
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <exception>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

namespace catt {
enum class Choice { Open, Original, Changed, Off };
/// The choices of all launches, and the file that keeps them.
struct Choices {
  struct Line {
    Choice choice = Choice::Open;  ///< Open and Off are not written
    std::array<double, 2> ns = {}; ///< medians per block: original, changed
  };
  static constexpr const char *words[] = {"original", "changed"};
  std::mutex mutex;
  std::string path;
  bool isOff;
  std::map<std::string, Line> lines; ///< by "launch <tab> device"
  /// One for the program; all Trials begin after it and end before it.
  static Choices &all() {
    static Choices one;
    return one;
  }
  Choices() {
    if (const char *name = std::getenv("CATT_TRIALS"))
      path = name;
    isOff = path == "off";
    std::ifstream file(path);
    if (isOff || (!file && errno != ENOENT))
      path.clear(); // what cannot be read is not replaced
    for (std::string all, word; std::getline(file, all);) {
      const std::size_t end = all.find('\t', all.find('\t') + 1);
      std::istringstream text(all.substr(end + 1));
      text.imbue(std::locale::classic());
      Line line;
      if (end != all.npos && text >> word >> line.ns[0] >> line.ns[1] &&
          text.eof() && (word == words[0] || word == words[1])) {
        line.choice = word == words[1] ? Choice::Changed : Choice::Original;
        lines[all.substr(0, end)] = line;
      }
    }
  }
  /// Read at first and written at exit; null where nothing is kept.
  Line *line(const char *launch, int id) {
    cudaDeviceProp device;
    if (path.empty() || cudaGetDeviceProperties(&device, id) != cudaSuccess)
      return nullptr;
    std::lock_guard<std::mutex> lock(mutex);
    return &lines[launch + ("\t" + std::string(device.name))];
  }
  /// Writes in one step: who looks sees all of it or nothing.
  ~Choices() {
    if (path.empty())
      return;
    const std::string part = path + ".part";
    std::ofstream file(part);
    file.imbue(std::locale::classic());
    file.precision(3);
    for (const auto &[key, line] : lines)
      if (line.choice == Choice::Changed || line.choice == Choice::Original)
        file << key << '\t' << words[line.choice == Choice::Changed] << '\t'
             << std::fixed << line.ns[0] << ' ' << line.ns[1] << '\n';
    file.close();
    if (!file || std::rename(part.c_str(), path.c_str()) != 0)
      std::remove(part.c_str());
  }
};
/// Our errors stay here, and queries do not end another stream's capture.
struct Quiet {
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  const bool clean = cudaPeekAtLastError() == cudaSuccess;
  Quiet() { cudaThreadExchangeStreamCaptureMode(&mode); }
  ~Quiet() {
    cudaThreadExchangeStreamCaptureMode(&mode);
    if (clean)
      cudaGetLastError();
  }
};
/// One launch in the text: what is known about its two kernels.
class Trials {
public:
  static constexpr std::size_t Runs = 3;  ///< times a choice needs of each
  static constexpr double Clear = 1.25;   ///< as two pairs agree: no more runs
  static constexpr double Worth = 0.99;   ///< of original's time: changed taken
  static constexpr unsigned Again = 256;  ///< each so many launches: a new time
  static constexpr double Drift = 1.25;   ///< of chosen one's time: try again
  static constexpr unsigned Restarts = 4; ///< then the choice stays
  /// The name, without tab or newline, is the launch's in the file. Until: what
  /// runs, untimed, before there is a choice.
  explicit Trials(const char *name, Choice until = Choice::Changed)
      : name(name), until(until) {
    Choices::all();
  }
  ~Trials() {
    for (const auto &[id, device] : devices)
      if (device.line && (device.round || device.choice != Choice::Open))
        *device.line = {device.choice, device.ns};
  }
  /// What is known, and the changed kernel's time in the original's.
  std::pair<Choice, double> knownOn(int id) {
    std::lock_guard<std::mutex> lock(mutex);
    if (!devices.count(id))
      return {Choice::Open, 1};
    return {devices[id].choice, devices[id].ns[1] / devices[id].ns[0]};
  }

private:
  friend class Slices;
  friend class Trial;
  /// A launch in trial. While Begun it belongs to its Trial.
  struct Place {
    enum { Free, Begun, Ended } use = Free;
    unsigned round = 0;
    double blocks = 1;
    cudaEvent_t begin = nullptr, end = nullptr;
  };
  struct Device {
    Choices::Line *line = nullptr;
    Choice choice = Choice::Open;
    unsigned chosen = 0;           ///< launches since the choice
    Place places[2];               ///< here and below: original, changed
    unsigned round = 0;            ///< even: trials; odd: after their choice
    std::array<double, 2> ns = {}; ///< medians that the choice is from
    std::array<std::size_t, 2> launched = {}; ///< in this round
    std::array<std::vector<double>, 2> times; ///< in this round, ns per block
  };
  const char *const name;
  const Choice until;
  std::mutex mutex;
  std::map<int, Device> devices;
  /// Says which kernel runs, and gives a place if it is to be timed.
  Place *begin(int id, cudaStream_t stream, double blocks, bool clean,
               bool &changed) {
    std::lock_guard<std::mutex> lock(mutex);
    const auto [at, isNew] = devices.try_emplace(id);
    Device &device = at->second;
    if (isNew && (device.line = Choices::all().line(name, id)) &&
        device.line->choice != Choice::Open) {
      device.ns = device.line->ns;
      next(device, device.line->choice);
    }
    const auto isOpen = [&] { return device.choice == Choice::Open; };
    const auto runsChanged = [&] {
      return (isOpen() ? until : device.choice) == Choice::Changed;
    };
    changed = runsChanged();
    const bool wasOpen = isOpen();
    // A call of ours that fails would replace an error the program has to see.
    if (!clean || device.choice == Choice::Off ||
        (!wasOpen && ++device.chosen % Again != 0))
      return nullptr;
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    if (cudaStreamIsCapturing(stream, &capture) != cudaSuccess ||
        capture != cudaStreamCaptureStatusNone)
      return nullptr;
    read(device);
    changed = runsChanged();
    const bool turn =
        isOpen() ? device.launched[1] <= device.launched[0] : changed;
    Place &place = device.places[turn];
    if (device.round > 2 * Restarts || place.use != Place::Free ||
        (isOpen() ? turn && device.times[0].size() < device.launched[1]
                  : wasOpen || device.choice == Choice::Off))
      return nullptr; // no time is needed, or a pair is on its way
    changed = turn;
    ++device.launched[turn];
    place = {Place::Begun, device.round, blocks, place.begin, place.end};
    return &place;
  }
  /// Timed: both events are recorded. Off: the original from now on.
  void end(int id, bool changed, bool timed, bool off) {
    std::lock_guard<std::mutex> lock(mutex);
    Device &device = devices[id];
    Place &place = device.places[changed];
    place.use = timed ? Place::Ended : Place::Free;
    if (off)
      device.choice = Choice::Off;
    if (!timed && place.round == device.round)
      --device.launched[changed];
  }
  /// Takes the times of what is done, and chooses where they suffice.
  void read(Device &device) {
    for (const bool isChanged : {false, true}) {
      Place &place = device.places[isChanged];
      const auto done = place.use == Place::Ended ? cudaEventQuery(place.end)
                                                  : cudaErrorNotReady;
      if (done == cudaErrorNotReady)
        continue;
      float ms = 0;
      if (done != cudaSuccess ||
          cudaEventElapsedTime(&ms, place.begin, place.end) != cudaSuccess)
        return void(device.choice = Choice::Off);
      place.use = Place::Free;
      if (place.round != device.round)
        continue;
      auto &times = device.times[isChanged];
      times.push_back(ms * 1e6 / place.blocks);
      if (device.choice != Choice::Open) {
        if (times.size() >= Runs &&
            median(times, 0) > Drift * device.ns[isChanged])
          next(device, Choice::Open);
        else if (times.size() >= Runs)
          times.erase(times.begin());
      } else if (suffice(device)) {
        // The first of each found its code and its data nowhere.
        device.ns = {median(device.times[0], 1), median(device.times[1], 1)};
        const bool isLess = device.ns[1] < Worth * device.ns[0];
        next(device, isLess ? Choice::Changed : Choice::Original);
      }
    }
  }
  /// Whether there are four pairs, or two that agree, the first included.
  static bool suffice(const Device &device) {
    const auto &[original, changed] = device.times;
    const std::size_t pairs = std::min(original.size(), changed.size());
    if (pairs != 2)
      return pairs > Runs;
    const double a = changed[0] / original[0], b = changed[1] / original[1];
    return std::max(a, b) * Clear < 1 || std::min(a, b) > Clear;
  }
  void next(Device &device, Choice now) {
    ++device.round;
    device.launched = {};
    device.times = {};
    device.chosen = 0;
    device.choice = now;
  }
  static double median(std::vector<double> times, std::size_t from) {
    std::sort(times.begin() + from, times.end());
    return times[(from + times.size()) / 2];
  }
};

/// One launch: says which kernel runs; timed where needed.
class Trial {
public:
  /// May: the changed kernel may run at all; without it nothing is recorded.
  Trial(Trials &of, dim3 grid, cudaStream_t stream = nullptr, bool may = true)
      : of(of), stream(stream) {
    const double blocks = double(grid.x) * grid.y * grid.z;
    if (Choices::all().isOff || !may || blocks == 0)
      return;
    const Quiet quiet;
    if (cudaGetDevice(&id) == cudaSuccess)
      place = of.begin(id, stream, blocks, quiet.clean, isChanged);
    if (!place ||
        ((place->end || (cudaEventCreate(&place->begin) == cudaSuccess &&
                         cudaEventCreate(&place->end) == cudaSuccess)) &&
         cudaEventRecord(place->begin, stream) == cudaSuccess))
      return;
    of.end(id, isChanged, false, true);
    place = nullptr;
    isChanged = false;
  }
  ~Trial() {
    if (!place)
      return;
    const Quiet quiet;
    const bool ran = quiet.clean && std::uncaught_exceptions() == thrown;
    const bool done = ran && cudaEventRecord(place->end, stream) == cudaSuccess;
    of.end(id, isChanged, done, ran ? !done : !quiet.clean && isChanged);
  }
  Trial(const Trial &) = delete;
  bool changed() const { return isChanged; }

private:
  Trials &of;
  cudaStream_t stream;
  Trials::Place *place = nullptr;
  int id = 0, thrown = std::uncaught_exceptions();
  bool isChanged = false;
};
} // namespace catt
