//===- Runner.cu - Times row walks and their rewrites ----------*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   run [-o staged.json] [--only CASE] [--runs 7] [--seconds 60] [--all-points]
//   run --list
//
// For each case: as plain text, under the best throttling of the stored sweep
// (--all-points: of all points with the driver's default L1, measured now), and
// as the tool wrote it. Before each the inputs are filled and all that kernels
// may write is cleared; afterwards all of it is compared with what the original
// left, bit for bit. A time is the median of so many launches behind one that
// warms up.
//
// Each case, and the copy that bandwidth is measured with, is a process of its
// own. One that fails, or takes more than its seconds, costs itself only.
//
//===----------------------------------------------------------------------===//
#include "../Differences.h"
#include "../Measure.h"
#include "Staged.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace bench;

namespace {

struct Options {
  std::string Only, Out = "staged.json";
  int Runs = 7;
  double Seconds = 60;
  bool AllPoints = false, List = false;
};

using Action = std::function<void()>;

//===-- Times -------------------------------------------------------------===//

/// The median of some runs, in milliseconds; `Before` is not timed.
float timeOf(int Runs, const Action &Before, const Action &Run) {
  cudaEvent_t Start, Stop;
  CHECK(cudaEventCreate(&Start));
  CHECK(cudaEventCreate(&Stop));
  std::vector<float> All;
  for (int I = 0; I <= Runs; ++I) { // the first one warms up
    Before();
    CHECK(cudaEventRecord(Start));
    Run();
    CHECK(cudaEventRecord(Stop));
    CHECK(cudaEventSynchronize(Stop));
    float Ms = 0;
    CHECK(cudaEventElapsedTime(&Ms, Start, Stop));
    if (I > 0)
      All.push_back(Ms);
  }
  CHECK(cudaEventDestroy(Start));
  CHECK(cudaEventDestroy(Stop));
  std::sort(All.begin(), All.end());
  return All[All.size() / 2];
}

__global__ void copyAll(const uint4 *From, uint4 *To) {
  const size_t K = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  To[K] = From[K];
}

/// The card, and the bytes per second of a copy of 2 GiB, read and written.
std::string machine(const Options &O) {
  cudaDeviceProp D;
  CHECK(cudaGetDeviceProperties(&D, 0));
  int Driver = 0;
  CHECK(cudaDriverGetVersion(&Driver));
  constexpr size_t Bytes = size_t(2) << 30;
  char *From, *To;
  CHECK(cudaMalloc(&From, Bytes));
  CHECK(cudaMalloc(&To, Bytes));
  CHECK(cudaMemset(From, 1, Bytes));
  const float ByRuntime = timeOf(
      O.Runs, [] {},
      [=] {
        CHECK(cudaMemcpyAsync(To, From, Bytes, cudaMemcpyDeviceToDevice));
      });
  const float ByKernel = timeOf(
      O.Runs, [] {},
      [=] {
        copyAll<<<unsigned(Bytes / 16 / 256), 256>>>(
            reinterpret_cast<const uint4 *>(From),
            reinterpret_cast<uint4 *>(To));
        CHECK(cudaGetLastError());
      });
  char Text[512];
  std::snprintf(
      Text, sizeof Text,
      "\"gpu\": \"%s\", \"sms\": %d, \"cuda_driver\": %d, "
      "\"built_with\": \"%s\", \"runs\": %d, \"copy_bytes_per_second\":"
      " {\"cudaMemcpyAsync\": %.5g, \"kernel\": %.5g}",
      D.name, D.multiProcessorCount, Driver, staged::BuiltWith, O.Runs,
      2e3 * Bytes / ByRuntime, 2e3 * Bytes / ByKernel);
  return Text;
}

//===-- One case ----------------------------------------------------------===//

Case caseOf(const staged::Prepared &Each, const Pool &P) {
  std::vector<Case> Cases;
  addRows(Cases, P);
  addContended(Cases, P);
  addInsensitive(Cases, P);
  addIrregular(Cases, P);
  for (const Case &C : Cases)
    if (C.name() == Each.Case)
      return C;
  std::fprintf(stderr, "run: the suite has no %s\n", Each.Case);
  std::exit(2);
}

class Comparison {
public:
  Comparison(const staged::Prepared &Each, const Options &O)
      : Each(Each), O(O) {
    P.SMs = staged::SMs;
    P.InBytes = IntAt + IntBytes;
    P.OutBytes = OutBytes;
    CHECK(cudaMalloc(&P.In, P.InBytes));
    CHECK(cudaMalloc(&P.Out, P.OutBytes));
    CHECK(cudaMalloc(&Reference, OutBytes));
    CHECK(cudaMalloc(&Differences, sizeof *Differences));
    C = caseOf(Each, P);
    for (std::vector<char> &A : C.Arguments)
      Arguments.push_back(A.data());
  }

  /// The inside of a JSON object.
  std::string run() {
    const float Original = measure([&] { Each.Original(Arguments.data()); });
    CHECK(cudaMemcpy(Reference, P.Out, OutBytes, cudaMemcpyDeviceToDevice));
    // Before the points: a kernel that asks for no division of L1 and shared
    // memory may run with that of the kernel before it.
    const float Rewritten = measure([&] { Each.Rewritten(Arguments.data()); });
    const bool Equal = isEqual();
    Point Best = stored();
    float Throttled =
        measure(asPoint(Best.How, Best.DynamicBytes, Best.CarveOut));
    bool ThrottledEqual = isEqual();
    if (O.AllPoints)
      for (const Point &At : points(C, P, L1d::Default)) {
        const float Ms = measure(asPoint(At.How, At.DynamicBytes, At.CarveOut));
        ThrottledEqual = ThrottledEqual && isEqual();
        if (Ms < Throttled) {
          Throttled = Ms;
          Best = At;
        }
      }
    return shown(Original, Throttled, Best, ThrottledEqual, Rewritten, Equal);
  }

private:
  /// Launches the suite's own kernel.
  Action asPoint(const Variant &How, int DynamicBytes, int CarveOut) {
    configure(How.Kernel, CarveOut, DynamicBytes);
    return [=, this] {
      CHECK(cudaLaunchKernel(How.Kernel, C.Grid, C.Block, Arguments.data(),
                             DynamicBytes, nullptr));
    };
  }

  Point stored() const {
    Point At;
    At.DynamicBytes = Each.DynamicBytes;
    At.CarveOut = Each.CarveOut;
    for (const Variant &V : C.Variants)
      if (V.Warps == Each.Warps) {
        At.How = V;
        return At;
      }
    std::fprintf(stderr, "run: %s has no variant of %d warps\n", Each.Case,
                 Each.Warps);
    std::exit(2);
  }

  /// Milliseconds; what a last launch on fresh memory wrote is left in P.Out.
  float measure(const Action &Launch) {
    fill(P);
    const float Ms = timeOf(
        O.Runs, [&] { CHECK(cudaMemset(C.Output, 0, C.OutputBytes)); },
        [&] {
          Launch();
          CHECK(cudaGetLastError());
        });
    fill(P);
    CHECK(cudaMemset(P.Out, 0, OutBytes));
    Launch();
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    return Ms;
  }

  bool isEqual() const {
    CHECK(cudaMemset(Differences, 0, sizeof *Differences));
    countDifferences<<<1024, 256>>>(
        reinterpret_cast<const unsigned *>(P.Out),
        reinterpret_cast<const unsigned *>(Reference), OutBytes / 4,
        Differences);
    unsigned Count = 1;
    CHECK(
        cudaMemcpy(&Count, Differences, sizeof Count, cudaMemcpyDeviceToHost));
    return Count == 0;
  }

  std::string shown(float Original, float Throttled, const Point &Best,
                    bool ThrottledEqual, float Rewritten, bool Equal) const {
    auto Truth = [](bool Value) { return Value ? "true" : "false"; };
    char Text[512];
    std::snprintf(Text, sizeof Text,
                  "\"original_ms\": %.5f, \"throttled_ms\": %.5f, "
                  "\"rewritten_ms\": %.5f, \"equal\": %s, "
                  "\"throttled_equal\": %s, \"throttled\": {\"warps\": %d, "
                  "\"dynamic\": %d, \"all_points\": %s}",
                  Original, Throttled, Rewritten, Truth(Equal),
                  Truth(ThrottledEqual), Best.How.Warps, Best.DynamicBytes,
                  Truth(O.AllPoints));
    return Text;
  }

  const staged::Prepared &Each;
  const Options &O;
  Pool P = {};
  Case C;
  char *Reference = nullptr;
  unsigned *Differences = nullptr;
  std::vector<void *> Arguments;
};

//===-- Processes ---------------------------------------------------------===//

double now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

/// All that a process writes; false if it took too long.
bool readAll(int From, double Seconds, std::string &Text) {
  const double Deadline = now() + Seconds;
  for (;;) {
    pollfd Poll = {From, POLLIN, 0};
    const double Left = Deadline - now();
    if (Left <= 0 || poll(&Poll, 1, int(Left * 1000) + 1) <= 0)
      return false;
    char Bytes[4096];
    const ssize_t Count = read(From, Bytes, sizeof Bytes);
    if (Count <= 0)
      return true;
    Text.append(Bytes, size_t(Count));
  }
}

/// What the work says, done by a process of its own; "" and Why if it fails.
std::string apart(const std::function<std::string()> &Work, double Seconds,
                  std::string &Why) {
  int Pipe[2];
  if (pipe(Pipe) != 0)
    std::exit(2);
  std::fflush(nullptr);
  const pid_t Pid = fork();
  if (Pid == 0) {
    close(Pipe[0]);
    const std::string Text = Work();
    const bool Whole =
        write(Pipe[1], Text.data(), Text.size()) == ssize_t(Text.size());
    _exit(Whole ? 0 : 1);
  }
  close(Pipe[1]);
  std::string Text;
  const bool Ended = readAll(Pipe[0], Seconds, Text);
  close(Pipe[0]);
  if (!Ended)
    kill(Pid, SIGKILL);
  int Status = 0;
  waitpid(Pid, &Status, 0);
  if (Ended && WIFEXITED(Status) && WEXITSTATUS(Status) == 0)
    return Text;
  Why = Ended ? "it failed" : "it took too long";
  return "";
}

bool store(const Options &O, const std::string &Machine,
           const std::string &Rows) {
  FILE *Out = std::fopen(O.Out.c_str(), "w");
  if (!Out) {
    std::perror("run: -o");
    return false;
  }
  std::fprintf(Out, "{\"machine\": {%s},\n \"cases\": [%s]}\n", Machine.c_str(),
               Rows.c_str());
  return std::fclose(Out) == 0;
}

/// What is done is stored as it comes.
int runAll(const Options &O) {
  std::string Why;
  const std::string Machine = apart([&] { return machine(O); }, O.Seconds, Why);
  if (Machine.empty()) {
    std::fprintf(stderr, "run: no GPU that can be used: %s\n", Why.c_str());
    return 1;
  }
  std::string Rows;
  bool Good = true;
  for (int I = 0; I < staged::TableSize; ++I) {
    const staged::Prepared &Each = staged::Table[I];
    if (!O.Only.empty() && O.Only != Each.Case)
      continue;
    const std::string Found =
        apart([&] { return Comparison(Each, O).run(); }, O.Seconds, Why);
    Good = Good && !Found.empty();
    const std::string Said =
        Found.empty() ? "\"error\": \"" + Why + "\"" : Found;
    std::fprintf(stderr, "run: %s: %s\n", Each.Case, Said.c_str());
    Rows += (Rows.empty() ? "\n  {" : ",\n  {") + std::string(Each.Facts) +
            ",\n   " + Said + "}";
    Good = store(O, Machine, Rows) && Good;
  }
  return Good && !Rows.empty() ? 0 : 1;
}

/// Whether each case is in the suite; no GPU is needed.
int list() {
  const Pool Nowhere = {nullptr, nullptr, 0, 0, staged::SMs};
  for (int I = 0; I < staged::TableSize; ++I) {
    const Case C = caseOf(staged::Table[I], Nowhere);
    std::printf("{%s, \"grid\": [%u, %u, %u], \"block\": [%u, %u, %u]}\n",
                staged::Table[I].Facts, C.Grid.x, C.Grid.y, C.Grid.z, C.Block.x,
                C.Block.y, C.Block.z);
  }
  return 0;
}

} // namespace

int main(int Count, char **Words) {
  Options O;
  for (int I = 1; I < Count; ++I) {
    const std::string Word = Words[I];
    const bool More = I + 1 < Count;
    if (Word == "--list")
      O.List = true;
    else if (Word == "--all-points")
      O.AllPoints = true;
    else if (More && Word == "--only")
      O.Only = Words[++I];
    else if (More && Word == "--runs")
      O.Runs = std::max(1, std::atoi(Words[++I]));
    else if (More && Word == "--seconds")
      O.Seconds = std::atof(Words[++I]);
    else if (More && Word == "-o")
      O.Out = Words[++I];
    else {
      std::fprintf(stderr,
                   "usage: run [-o staged.json] [--only CASE] [--runs 7] "
                   "[--seconds 60] [--all-points] [--list]\n");
      return 2;
    }
  }
  return O.List ? list() : runAll(O);
}
