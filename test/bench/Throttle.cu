//===- Throttle.cu - The exhaustive sweep over throttlings -----*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   throttle --list                        the cases, one JSON object a line
//   throttle --device                      the GPU, one JSON object
//   throttle [--cases=a,b] [--l1d=max,28] [--pass=1] [--runs=7] [--seconds=5]
//            [--points=CASE:L1D:WARPS:BLOCKS,...] --out=FILE
//
// --points names the points to run besides the originals (0 warps: all of
// them). Appends one JSON object a line to FILE: {"begin": case} before each
// case, each point as it is done, {"end": case} behind. Whoever reads the file
// sees what is finished, however this program ended: 0 all done, 1 CUDA failed,
// 2 wrong arguments, 3 a launch ran into its limit.
//
//===----------------------------------------------------------------------===//
#include "Measure.h"

#include <algorithm>
#include <cstdint>
#include <map>

using namespace bench;

namespace {

using Arguments = std::map<std::string, std::string>;

std::vector<std::string> split(const std::string &Text, char Separator) {
  std::vector<std::string> Parts(1);
  for (char C : Text)
    if (C == Separator)
      Parts.emplace_back();
    else
      Parts.back() += C;
  return Parts;
}

bool contains(const std::vector<std::string> &All, const std::string &One) {
  return std::find(All.begin(), All.end(), One) != All.end();
}

std::vector<Case> allCases(const Pool &P) {
  std::vector<Case> Cases;
  addRows(Cases, P);
  addContended(Cases, P);
  addInsensitive(Cases, P);
  addIrregular(Cases, P);
  return Cases;
}

const char *truth(bool Value) { return Value ? "true" : "false"; }

/// The arguments in order: numbers where they are integers, else null.
std::string integers(const Case &C) {
  std::string Text;
  for (const std::optional<long long> &I : C.Integers)
    Text += (Text.empty() ? "" : ", ") + (I ? std::to_string(*I) : "null");
  return "[" + Text + "]";
}

/// The pool whose cases are listed. Nothing is there: addresses tell how far
/// from its beginnings something lies.
constexpr std::uintptr_t ListedIn = std::uintptr_t(1) << 40,
                         ListedOut = std::uintptr_t(2) << 40;

/// "in + 4096", for an address of the listed pool.
std::string place(std::uintptr_t At) {
  return At < ListedOut ? "in + " + std::to_string(At - ListedIn)
                        : "out + " + std::to_string(At - ListedOut);
}

/// The arguments as C++: numbers, and places in the pool.
std::string values(const Case &C) {
  std::string Text;
  for (size_t I = 0; I < C.Arguments.size(); ++I) {
    const std::vector<char> &Bytes = C.Arguments[I];
    std::string Value;
    if (C.Integers[I]) {
      Value = std::to_string(*C.Integers[I]);
    } else if (Bytes.size() == sizeof(float)) {
      float Number = 0;
      std::memcpy(&Number, Bytes.data(), sizeof(Number));
      Value = std::to_string(Number) + "f";
    } else {
      std::uintptr_t Address = 0;
      std::memcpy(&Address, Bytes.data(), sizeof(Address));
      Value = place(Address);
    }
    Text += (I ? ", \"" : "\"") + Value + "\"";
  }
  return "[" + Text + "]";
}

void printCase(std::FILE *To, const Case &C) {
  const Facts &F = C.Known;
  std::fprintf(
      To,
      "{\"case\": \"%s\", \"benchmark\": \"%s\", \"loop\": \"%s\", "
      "\"kernel\": \"%s\", \"group\": \"%s\", \"type\": \"%s\", "
      "\"runtime_size\": %s, "
      "\"grid\": [%u, %u, %u], \"block\": [%u, %u, %u], \"trips\": %lld, "
      "\"rounds\": %d, \"lines_per_warp\": %g, \"own_lines_per_warp\": %g, "
      "\"iterations_per_line\": %g, \"loads\": %d, \"stores\": %d, "
      "\"flops\": %d, \"bytes\": %.0f, \"can_batch\": %s, "
      "\"irregular_loads\": %d, \"arguments\": %s, \"values\": %s, "
      "\"output\": \"%s\", \"output_bytes\": %zu}\n",
      C.name().c_str(), C.Benchmark.c_str(), C.Loop.c_str(), C.Kernel.c_str(),
      C.Group.c_str(), C.Type.c_str(), truth(C.RuntimeSize), C.Grid.x, C.Grid.y,
      C.Grid.z, C.Block.x, C.Block.y, C.Block.z, F.Trips, F.Rounds,
      F.LinesPerWarp, F.OwnLinesPerWarp, F.IterationsPerLine, F.Loads, F.Stores,
      F.Flops, F.Bytes, truth(F.CanBatch), F.IrregularLoads,
      integers(C).c_str(), values(C).c_str(),
      place(std::uintptr_t(C.Output)).c_str(), C.OutputBytes);
}

void printPoint(std::FILE *To, const Case &C, const Point &At, const Result &R,
                const std::string &Pass) {
  const int Warps = int(C.Block.x * C.Block.y * C.Block.z + 31) / 32;
  std::vector<float> Sorted = R.Ms;
  std::sort(Sorted.begin(), Sorted.end());
  std::fprintf(
      To,
      "{\"case\": \"%s\", \"pass\": %s, \"l1d\": \"%s\", \"warps\": %d, "
      "\"original\": %s, \"blocks\": %d, \"blocks_seen\": %d, "
      "\"blocks_by_registers\": %d, \"carveout\": %d, \"dynamic\": %d, "
      "\"registers\": %d, \"equal\": %s, \"cut\": %s, \"median_ms\": %.5f, "
      "\"ms\": [",
      C.name().c_str(), Pass.c_str(), name(At.Cache),
      At.How.Warps ? At.How.Warps : Warps,
      truth(At.How.Warps == 0 && !At.HeldDown), At.Blocks, R.BlocksSeen,
      R.BlocksByRegisters, At.CarveOut, At.DynamicBytes, R.Registers,
      truth(R.Equal), truth(R.Cut), Sorted[Sorted.size() / 2]);
  for (size_t I = 0; I < R.Ms.size(); ++I)
    std::fprintf(To, "%s%.5f", I ? ", " : "", R.Ms[I]);
  std::fprintf(To, "]}\n");
  std::fflush(To);
}

void printDevice() {
  cudaDeviceProp D;
  CHECK(cudaGetDeviceProperties(&D, 0));
  int Driver = 0, Runtime = 0;
  CHECK(cudaDriverGetVersion(&Driver));
  CHECK(cudaRuntimeGetVersion(&Runtime));
  std::printf("{\"gpu\": \"%s\", \"capability\": \"%d.%d\", \"sms\": %d, "
              "\"l2_bytes\": %d, \"shared_per_sm\": %zu, \"memory_bytes\": "
              "%zu, \"cuda_driver\": %d, \"cuda_runtime\": %d, "
              "\"l1_found_kib\": {",
              D.name, D.major, D.minor, D.multiProcessorCount, D.l2CacheSize,
              D.sharedMemPerMultiprocessor, D.totalGlobalMem, Driver, Runtime);
  const char *Separator = "";
  for (int CarveOut : {-1, 0, 3, 100}) {
    std::printf("%s\"%d\": %d", Separator, CarveOut, findL1KiB(CarveOut, 0));
    Separator = ", ";
  }
  std::printf("}}\n");
}

/// All points of one case at one setting, or the original and those that
/// --points names.
void sweep(const Case &C, const Pool &P, L1d Cache, const Limits &L,
           char *Reference, const Arguments &A, std::FILE *Out) {
  float Best = 0;
  bool First = true;
  const bool All = !A.count("points");
  const std::vector<std::string> Named =
      All ? std::vector<std::string>() : split(A.at("points"), ',');
  for (const Point &At : points(C, P, Cache)) {
    const std::string Key = C.name() + ":" + name(Cache) + ":" +
                            std::to_string(At.How.Warps) + ":" +
                            std::to_string(At.Blocks);
    if (!First && !All && !contains(Named, Key))
      continue;
    const Result R = measure(C, P, At, L, Reference, First, Best);
    First = false;
    printPoint(Out, C, At, R, A.at("pass"));
    const float Median = *std::min_element(R.Ms.begin(), R.Ms.end());
    Best = Best == 0 ? Median : std::min(Best, Median);
  }
}

int run(const Arguments &A) {
  Pool P;
  int *Nothing;
  CHECK(cudaMalloc(&Nothing, 4)); // makes the context
  CHECK(cudaDeviceGetAttribute(&P.SMs, cudaDevAttrMultiProcessorCount, 0));
  P.InBytes = IntAt + IntBytes;
  P.OutBytes = OutBytes;
  char *Reference;
  CHECK(cudaMalloc(&P.In, P.InBytes));
  CHECK(cudaMalloc(&P.Out, OutBytes));
  CHECK(cudaMalloc(&Reference, OutBytes + 4));
  fill(P);

  std::FILE *Out = std::fopen(A.at("out").c_str(), "a");
  if (!Out) {
    std::perror("throttle: --out");
    return 2;
  }
  Limits L;
  L.Runs = std::atoi(A.at("runs").c_str());
  L.LaunchSeconds = std::atof(A.at("seconds").c_str());
  const std::vector<std::string> Wanted = split(A.at("cases"), ',');
  const std::vector<std::string> Settings = split(A.at("l1d"), ',');
  for (const Case &C : allCases(P)) {
    if (A.at("cases") != "all" && !contains(Wanted, C.name()))
      continue;
    std::fprintf(Out, "{\"begin\": \"%s\"}\n", C.name().c_str());
    std::fflush(Out);
    for (L1d Cache : {L1d::Default, L1d::Max, L1d::Least})
      if (contains(Settings, name(Cache)))
        sweep(C, P, Cache, L, Reference, A, Out);
    std::fprintf(Out, "{\"end\": \"%s\"}\n", C.name().c_str());
    std::fflush(Out);
  }
  std::fclose(Out);
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  Arguments A = {{"cases", "all"},
                 {"l1d", "default,max,28"},
                 {"pass", "1"},
                 {"runs", "7"},
                 {"seconds", "5"}};
  for (int I = 1; I < argc; ++I) {
    const std::string Text = argv[I];
    const size_t Equals = Text.find('=');
    if (Text.rfind("--", 0) != 0) {
      std::fprintf(stderr, "throttle: what is '%s'?\n", argv[I]);
      return 2;
    }
    A[Text.substr(2, Equals - 2)] =
        Equals == std::string::npos ? "" : Text.substr(Equals + 1);
  }
  if (A.count("list")) {
    const Pool P = {reinterpret_cast<char *>(ListedIn),
                    reinterpret_cast<char *>(ListedOut), 0, 0, 132};
    for (const Case &C : allCases(P))
      printCase(stdout, C);
    return 0;
  }
  if (A.count("device")) {
    printDevice();
    return 0;
  }
  if (!A.count("out")) {
    std::fprintf(stderr, "throttle: --out=FILE, --list or --device\n");
    return 2;
  }
  return run(A);
}
