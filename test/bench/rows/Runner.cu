//===- Runner.cu - Runs prepared kernels and their variants ----*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   run [--only NAME|NUMBER] [--reps 15] [--seconds 300] [-o results.json]
//       [--once]
//
// For each kernel: fills its arrays, runs each variant once and compares all
// memory with what the original left, bit for bit; then times the variants in
// turns, so that a drift of the clock meets them alike. The time of a variant
// is the median of its turns; short ones are launched several times in a turn.
// With --once nothing is timed: for a profiler, which looks at one launch each.
//
// A child process does the work. A variant that fails or hangs costs the child
// its life and is left out by the next one:
//
//   parent --cases left, variants to leave out--> child
//   parent <--"begin case variant", results------ child
//
//===----------------------------------------------------------------------===//
#include "Arrays.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <poll.h>
#include <set>
#include <signal.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

using rows::Case;
using rows::Named;

struct Options {
  const char *Only = "", *Out = "results.json";
  int Reps = 15;
  double Seconds = 300;
  bool Once = false;
};

constexpr size_t Alignment = 256, Gap = 1024;  // between arrays, in bytes
constexpr double HungSeconds = 20;             // without a word of the child
constexpr double TurnMs = 0.3, KernelMs = 400; // a turn at least; all of them
constexpr int MostLaunches = 10, LeastReps = 5;
constexpr int FirstLaunches =
    99;                     // behind compare()'s, of a variant that chooses
constexpr float LongMs = 2; // no launch to warm up before a turn

double now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

//===-- Memory ------------------------------------------------------------===//

/// What a call of the runtime said that ends the child.
[[noreturn]] void die(const char *What, cudaError_t Status) {
  std::printf("F %s: %s\n", What, cudaGetErrorString(Status));
  std::fflush(stdout);
  std::_Exit(1);
}

void check(cudaError_t Status, const char *What) {
  if (Status != cudaSuccess)
    die(What, Status);
}

/// Where the arrays of a case are, and words that all of it takes.
struct Layout {
  std::vector<size_t> At;
  size_t Bytes = 0;

  explicit Layout(const Case &C) {
    for (int I = 0; I < C.ArrayCount; ++I) {
      At.push_back(Bytes);
      Bytes += C.Arrays[I].Count * rows::elementOf(C.Arrays[I]).Bytes + Gap;
      Bytes = (Bytes + Alignment - 1) / Alignment * Alignment;
    }
  }
};

/// Device memory for the largest case, which all cases use.
class Pool {
public:
  Pool() {
    size_t Most = 0;
    for (int I = 0; I < rows::CaseCount; ++I)
      Most = std::max(Most, Layout(rows::Cases[I]).Bytes);
    check(cudaMalloc(&Base, Most), "memory");
    check(cudaMalloc(&Sum, sizeof *Sum), "memory");
  }

  std::vector<void *> arrays(const Layout &L) const {
    std::vector<void *> Out;
    for (size_t At : L.At)
      Out.push_back(Base + At);
    return Out;
  }

  /// Arrays as they begin, and the gaps between them.
  void fill(const Case &C, const Layout &L) const {
    check(cudaMemset(Base, 0x5a, L.Bytes), "fill");
    for (int I = 0; I < C.ArrayCount; ++I)
      rows::elementOf(C.Arrays[I])
          .Filled(Base + L.At[I], rows::fillingOf(C.Arrays[I], I));
    check(cudaDeviceSynchronize(), "fill");
  }

  unsigned long long digestOf(const Layout &L) const {
    unsigned long long Out = 0;
    check(cudaMemset(Sum, 0, sizeof *Sum), "digest");
    rows::digest<<<132 * 8, 256>>>(reinterpret_cast<const uint64_t *>(Base),
                                   L.Bytes / 8, Sum);
    check(cudaMemcpy(&Out, Sum, sizeof Out, cudaMemcpyDeviceToHost), "digest");
    return Out;
  }

private:
  char *Base = nullptr;
  unsigned long long *Sum = nullptr;
};

//===-- One case ----------------------------------------------------------===//

struct Result {
  bool Ran = false, Equal = false;
  std::string Error;
  std::vector<float> Ms;
  float FirstMs = 0; ///< of one of FirstLaunches
  cudaFuncAttributes Attributes = {};
  int Blocks = 0;

  float median() {
    std::sort(Ms.begin(), Ms.end());
    return Ms.empty() ? 0 : Ms[Ms.size() / 2];
  }
};

class Clock {
public:
  Clock() {
    for (cudaEvent_t *E : {&Begin, &End})
      check(cudaEventCreateWithFlags(E, cudaEventBlockingSync), "event");
  }
  /// Milliseconds of one of several launches.
  float time(const Named &V, void *const *Arrays, int Launches) const {
    float Ms = 0;
    check(cudaEventRecord(Begin), "event");
    for (int I = 0; I < Launches; ++I)
      V.Code->Launch(Arrays);
    check(cudaEventRecord(End), "event");
    check(cudaEventSynchronize(End), "launch");
    check(cudaEventElapsedTime(&Ms, Begin, End), "event");
    return Ms / Launches;
  }

private:
  cudaEvent_t Begin, End;
};

void attributes(const Case &C, const Named &V, Result &R) {
  const void *Kernel = V.Code->Kernel();
  if (cudaFuncGetAttributes(&R.Attributes, Kernel) != cudaSuccess ||
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&R.Blocks, Kernel,
                                                    C.Threads, 0))
    cudaGetLastError();
}

/// Each variant once, on arrays as they begin.
void compare(const Case &C, const std::set<std::string> &Skip, const Pool &P,
             const Layout &L, std::vector<Result> &Results) {
  unsigned long long Expected = 0;
  const std::vector<void *> Arrays = P.arrays(L);
  for (int I = 0; I < C.VariantCount; ++I) {
    const Named &V = C.Variants[I];
    if (!V.Code || Skip.count(std::string(C.Name) + " " + V.Name))
      continue;
    std::printf("B %s %s\n", C.Name, V.Name);
    std::fflush(stdout);
    P.fill(C, L);
    V.Code->Launch(Arrays.data());
    if (cudaError_t Status = cudaGetLastError()) { // it was not even started
      Results[I].Error = cudaGetErrorString(Status);
      continue;
    }
    check(cudaDeviceSynchronize(), "launch");
    const unsigned long long Seen = P.digestOf(L);
    if (I == 0)
      Expected = Seen;
    Results[I].Equal = Seen == Expected;
    Results[I].Ran = true;
    attributes(C, V, Results[I]);
  }
}

void time(const Case &C, const Options &O, const Pool &P, const Layout &L,
          std::vector<Result> &Results) {
  static const Clock Timer;
  const std::vector<void *> Arrays = P.arrays(L);
  P.fill(C, L);
  double TurnOfAll = 0;
  std::vector<int> Launches(Results.size(), 1);
  for (int I = 0; I < C.VariantCount; ++I) {
    if (!Results[I].Ran)
      continue;
    if (!std::strcmp(C.Variants[I].Name, "tried"))
      Results[I].FirstMs =
          Timer.time(C.Variants[I], Arrays.data(), FirstLaunches);
    const float Ms = Timer.time(C.Variants[I], Arrays.data(), 1);
    Launches[I] = std::clamp(int(TurnMs / Ms) + 1, 1, MostLaunches);
    TurnOfAll += Ms * (Launches[I] + (Ms < LongMs));
  }
  const int Reps = std::clamp(int(KernelMs / TurnOfAll), LeastReps,
                              std::max(O.Reps, LeastReps));
  for (int Turn = 0; Turn < Reps; ++Turn)
    for (int Step = 0; Step < C.VariantCount; ++Step) {
      const int I = (Step + Turn) % C.VariantCount;
      if (!Results[I].Ran)
        continue;
      if (Results[I].Ms.empty() || Results[I].Ms.back() < LongMs)
        C.Variants[I].Code->Launch(Arrays.data());
      Results[I].Ms.push_back(
          Timer.time(C.Variants[I], Arrays.data(), Launches[I]));
    }
}

std::string quoted(const std::string &Text) {
  std::string Out = "\"";
  for (char Each : Text) {
    if (Each == '"' || Each == '\\')
      Out += '\\';
    Out += Each < ' ' ? ' ' : Each;
  }
  return Out + '"';
}

std::string shown(const Named &V, const Result &Mine, Result &Measured) {
  std::string Out = "{\"variant\": " + quoted(V.Name);
  if (V.SameAs)
    Out += ", \"same_as\": " + quoted(V.SameAs);
  if (!Mine.Error.empty())
    Out += ", \"error\": " + quoted(Mine.Error);
  char Text[256];
  if (!Measured.Ms.empty()) {
    const float Median = Measured.median(); // sorts
    std::snprintf(Text, sizeof Text, ", \"ms\": %.6g, \"least_ms\": %.6g", Median,
                  Measured.Ms.front());
    Out += Text;
  }
  if (Measured.Ran) {
    std::snprintf(
        Text, sizeof Text,
        ", \"equal\": %s, "
        "\"registers\": %d, \"local_bytes\": %zu, "
        "\"shared_bytes\": %zu, \"blocks\": %d",
        Measured.Equal ? "true" : "false",
        Measured.Attributes.numRegs, Measured.Attributes.localSizeBytes,
        Measured.Attributes.sharedSizeBytes, Measured.Blocks);
    Out += Text;
  }
  if (Measured.FirstMs > 0)
    Out += ", \"first_ms\": " + std::to_string(Measured.FirstMs);
  return Out + "}";
}

std::string shown(const Case &C, const std::set<std::string> &Skip,
                  std::vector<Result> &Results) {
  std::string Out =
      "{\"name\": " + quoted(C.Name) + ", " + C.Facts + ", \"variants\": [";
  for (int I = 0; I < C.VariantCount; ++I) {
    int From = I;
    for (int K = 0; K < C.VariantCount; ++K)
      if (C.Variants[I].SameAs &&
          !std::strcmp(C.Variants[I].SameAs, C.Variants[K].Name))
        From = K;
    if (Skip.count(std::string(C.Name) + " " + C.Variants[I].Name))
      Results[I].Error = "it failed or hung";
    Out += (I ? ", " : "") + shown(C.Variants[I], Results[I], Results[From]);
  }
  return Out + "]}";
}

//===-- Child and parent --------------------------------------------------===//

/// Runs the cases of a list; what it says goes to standard output.
[[noreturn]] void child(const std::vector<int> &Todo,
                        const std::set<std::string> &Skip, const Options &O) {
  check(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync), "device");
  cudaDeviceProp Device;
  int Driver = 0;
  check(cudaGetDeviceProperties(&Device, 0), "device");
  check(cudaDriverGetVersion(&Driver), "device");
  std::printf("M {\"gpu\": %s, \"driver_api\": %d, \"built_with\": %s}\n",
              quoted(Device.name).c_str(), Driver,
              quoted(rows::BuiltWith).c_str());
  const Pool P;
  for (int Each : Todo) {
    const Case &C = rows::Cases[Each];
    const Layout L(C);
    std::vector<Result> Results(C.VariantCount);
    compare(C, Skip, P, L, Results);
    if (!O.Once)
      time(C, O, P, L, Results);
    std::printf("R %s\n", shown(C, Skip, Results).c_str());
    std::fflush(stdout);
  }
  std::_Exit(0);
}

class Parent {
public:
  explicit Parent(const Options &O) : O(O), Deadline(now() + O.Seconds) {
    for (int I = 0; I < rows::CaseCount; ++I) {
      const std::string Name = rows::Cases[I].Name, Only = O.Only;
      if (Only.empty() || Only == Name ||
          std::atoi(Only.c_str()) == std::atoi(Name.c_str() + 1) &&
              Only.find_first_not_of("0123456789") == std::string::npos)
        Todo.push_back(I);
    }
  }

  /// Whether every case came to its end.
  bool run() {
    const size_t All = Todo.size();
    while (!Todo.empty() && now() < Deadline && Lost < 20)
      oneChild();
    if (!Todo.empty())
      std::fprintf(stderr, "run: %zu of %zu kernels were not measured\n",
                   Todo.size(), All);
    return All && Todo.empty();
  }

  bool write() const {
    FILE *Out = std::fopen(O.Out, "w");
    if (!Out)
      return false;
    std::fprintf(Out, "{\"machine\": %s,\n \"kernels\": [",
                 Machine.empty() ? "{}" : Machine.c_str());
    for (size_t I = 0; I < Results.size(); ++I)
      std::fprintf(Out, "%s\n  %s", I ? "," : "", Results[I].c_str());
    std::fprintf(Out, "\n]}\n");
    return std::fclose(Out) == 0;
  }

private:
  /// Starts a child and listens until it ends; leaves out what it died of.
  void oneChild() {
    int Pipe[2];
    if (pipe(Pipe) != 0)
      std::exit(2);
    std::fflush(nullptr);
    const pid_t Pid = fork();
    if (Pid == 0) {
      close(Pipe[0]);
      dup2(Pipe[1], 1);
      child(Todo, Skip, O);
    }
    close(Pipe[1]);
    Running.clear();
    Said.clear();
    const bool Stopped = !listen(Pipe[0]);
    close(Pipe[0]);
    if (Stopped)
      kill(Pid, SIGKILL);
    int Status = 0;
    waitpid(Pid, &Status, 0);
    if (now() >= Deadline || (!Stopped && WIFEXITED(Status) && !Status))
      return;
    ++Lost;
    std::fprintf(stderr, "run: %s %s %s\n", Running.c_str(),
                 Stopped ? "hung" : "failed", Said.c_str());
    if (Running.empty()) // no device, or not enough memory
      Lost = 20;
    else
      Skip.insert(Running);
  }

  /// False: it said nothing for too long.
  bool listen(int From) {
    std::string Text;
    for (;;) {
      pollfd Poll = {From, POLLIN, 0};
      const double Left = std::min(HungSeconds, Deadline - now());
      if (Left <= 0 || poll(&Poll, 1, int(Left * 1000) + 1) <= 0)
        return false;
      char Bytes[4096];
      const ssize_t Count = read(From, Bytes, sizeof Bytes);
      if (Count <= 0)
        return true;
      Text.append(Bytes, size_t(Count));
      for (size_t End; (End = Text.find('\n')) != std::string::npos;
           Text.erase(0, End + 1))
        line(Text.substr(0, End));
    }
  }

  void line(const std::string &Text) {
    const std::string Rest = Text.size() > 2 ? Text.substr(2) : "";
    if (Text[0] == 'B')
      Running = Rest;
    else if (Text[0] == 'F')
      Said = Rest;
    else if (Text[0] == 'M')
      Machine = Rest;
    else if (Text[0] == 'R') {
      Results.push_back(Rest);
      Todo.erase(Todo.begin());
      if (Results.size() % 10 == 0 || Todo.empty())
        std::fprintf(stderr, "run: %zu kernels, %zu left\n", Results.size(),
                     Todo.size());
    }
  }

  const Options &O;
  const double Deadline;
  std::vector<int> Todo;
  std::set<std::string> Skip; // "k0017 chosen"
  std::vector<std::string> Results;
  std::string Machine, Running, Said;
  int Lost = 0;
};

} // namespace

int main(int Count, char **Words) {
  Options O;
  for (int I = 1; I < Count; ++I) {
    const std::string Word = Words[I];
    if (Word == "--once") {
      O.Once = true;
      continue;
    }
    const char *Value = I + 1 < Count ? Words[++I] : nullptr;
    if (Value && Word == "--only")
      O.Only = Value;
    else if (Value && Word == "--reps")
      O.Reps = std::atoi(Value);
    else if (Value && Word == "--seconds")
      O.Seconds = std::atof(Value);
    else if (Value && Word == "-o")
      O.Out = Value;
    else {
      std::fprintf(stderr, "usage: run [--only NAME] [--reps 15] "
                           "[--seconds 300] [-o results.json] [--once]\n");
      return 2;
    }
  }
  Parent P(O);
  const bool Whole = P.run();
  return P.write() && Whole ? 0 : 1;
}
