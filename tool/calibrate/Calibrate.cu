//===- Calibrate.cu - Measures the rates of a GPU -------------*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   Latency.cuh, Rates.cuh --> a median and a spread per rate --> card.json
//
// usage: calibrate <card.json>. What it measures is printed as it begins. Exit
// 2, with one sentence, where there is no GPU, too little memory, or the file
// cannot be written. `catt-tune --calibrate` holds these sources, builds and
// runs them.
//
// Limits: every loop has a fixed number of rounds, so it ends. Another program
// on the GPU shows in the spreads, and is not looked for. Not measured: the
// first touch of DRAM rows, the size of L2, banks of L1.
//
//===----------------------------------------------------------------------===//
#include "Latency.cuh"
#include "Rates.cuh"
#include <string>

namespace {

struct Card {
  std::string Rates, Curves;

  void rate(const char *Name, Sample S, const char *Unit, const char *How) {
    char Text[512];
    std::snprintf(Text, sizeof(Text),
                  "%s    {\"name\": \"%s\", \"value\": %.4g, \"spread\": %.3g, "
                  "\"unit\": \"%s\",\n     \"how\": \"%s\"}",
                  Rates.empty() ? "" : ",\n", Name, S.Value, S.Spread, Unit,
                  How);
    Rates += Text;
  }
  void curve(const char *Name,
             const std::vector<std::pair<double, double>> &Points) {
    Curves +=
        std::string(Curves.empty() ? "" : ",\n") + "    \"" + Name + "\": [";
    char Text[64];
    for (size_t I = 0; I < Points.size(); ++I) {
      std::snprintf(Text, sizeof(Text), "%s[%.4g, %.4g]", I ? ", " : "",
                    Points[I].first, Points[I].second);
      Curves += Text;
    }
    Curves += "]";
  }
};

void tell(const char *What) {
  std::printf("calibrate: %s\n", What);
  std::fflush(stdout);
}

/// One long kernel, so that its start weighs nothing.
double clockMHz() {
  constexpr int Rounds = 1 << 20;
  Buffer<long long> Cycles(1);
  cudaEvent_t Begin, End;
  check(cudaEventCreate(&Begin), "make an event");
  check(cudaEventCreate(&End), "make an event");
  double MHz =
      sample([&] {
        check(cudaEventRecord(Begin), "record an event");
        waitAtBarriers<Rounds><<<1, 256>>>(Cycles.Data);
        check(cudaEventRecord(End), "record an event");
        double Taken = medianOf(Cycles, 1);
        float Milliseconds = 0;
        check(cudaEventElapsedTime(&Milliseconds, Begin, End), "read a clock");
        return Taken / (Milliseconds * 1e3);
      }).Value;
  cudaEventDestroy(Begin);
  cudaEventDestroy(End);
  return MHz;
}

/// Latencies, and the largest circle of lines that L1 keeps.
void measureLatencies(Card &C) {
  Buffer<unsigned> Evict(size_t(64) << 20);
  Sample Hit = latency(128, 128, nullptr);
  Sample L2 = latency(32768, 32768, nullptr);
  Sample Far = latency(size_t(2) << 20, 0, &Evict);
  C.rate("hit", Hit, "cycles", "one thread follows pointers inside 16 KiB");
  C.rate("l2", L2, "cycles", "one thread follows pointers inside 4 MiB");
  C.rate("dram", Far, "cycles",
         "one thread follows pointers inside 256 MiB, after L2 was emptied");
  check(cudaFuncSetAttribute(followPointers,
                             cudaFuncAttributePreferredSharedMemoryCarveout, 0),
        "take a carve-out");
  size_t Usable = 0;
  for (size_t KiB = 8; KiB <= 256; KiB += 4)
    if (cyclicHits(KiB * 8, Hit.Value, L2.Value) >= 0.99)
      Usable = KiB * 8;
  C.rate("l1_usable", {double(Usable) * 128, 2048}, "bytes",
         "the largest circle of lines of which 99 % hit, in steps of 4 KiB, at "
         "carve-out 0");
  std::vector<std::pair<double, double>> Points;
  for (double Times : {1.0, 1.05, 1.1, 1.25, 1.5, 2.0})
    Points.push_back(
        {Times, cyclicHits(size_t(Usable * Times), Hit.Value, L2.Value)});
  if (Usable)
    C.curve("l1_cyclic", Points);
}

void measureSectors(Card &C, Buffer<float> &Data, int SMs) {
  size_t InL2 = size_t(4) << 20, All = Data.Size;
  auto Lines = [&](size_t Words, bool Writes, int Used) {
    return sectorCost<float4>(Data, Words, Writes, Used);
  };
  auto Sectors = [&](size_t Words, bool Writes, int Used) {
    return sectorCost<float>(Data, Words, Writes, Used);
  };
  C.rate("l2_sector_coalesced_alone", Lines(InL2, false, 1), "cycles",
         "one SM reads lines of 16 MiB");
  C.rate("l2_sector_scattered_alone", Sectors(InL2, false, 1), "cycles",
         "one SM reads sectors of 16 MiB");
  C.rate("l2_sector_coalesced", Lines(InL2, false, SMs), "cycles",
         "all SMs read lines of 16 MiB");
  C.rate("l2_sector_scattered", Sectors(InL2, false, SMs), "cycles",
         "all SMs read sectors of 16 MiB");
  C.rate("store_sector_coalesced", Lines(InL2, true, SMs), "cycles",
         "all SMs write lines of 16 MiB");
  C.rate("store_sector_scattered", Sectors(InL2, true, SMs), "cycles",
         "all SMs write a word of each sector, in 16 MiB");
  C.rate("dram_sector_scattered", Sectors(All, false, SMs), "cycles",
         "all SMs read one sector of lines all over 2 GiB");
  C.rate("dram_sector_coalesced", Lines(All, false, SMs), "cycles",
         "all SMs read lines that were not read lately");
}

bool write(const char *Path, const Card &C, const cudaDeviceProp &Gpu,
           double MHz) {
  int Driver = 0, Runtime = 0;
  check(cudaDriverGetVersion(&Driver), "say its driver");
  check(cudaRuntimeGetVersion(&Runtime), "say its runtime");
  std::FILE *File = std::fopen(Path, "w");
  if (!File)
    return false;
  bool Good =
      std::fprintf(File,
                   "{\n  \"version\": 1,\n  \"card\": \"%s\",\n"
                   "  \"capability\": %d,\n  \"sms\": %d,\n"
                   "  \"l2_bytes\": %d,\n"
                   "  \"clock_mhz\": %.1f,\n  \"driver\": %d,\n"
                   "  \"cuda\": %d,\n  \"rates\": [\n%s\n  ],\n"
                   "  \"curves\": {\n%s\n  }\n}\n",
                   Gpu.name, Gpu.major * 10 + Gpu.minor,
                   Gpu.multiProcessorCount, Gpu.l2CacheSize, MHz, Driver,
                   Runtime, C.Rates.c_str(), C.Curves.c_str()) > 0;
  return std::fclose(File) == 0 && Good;
}

} // namespace

int main(int Count, char **Arguments) {
  if (Count != 2) {
    std::fprintf(stderr, "usage: calibrate <card.json>\n");
    return 2;
  }
  cudaDeviceProp Gpu;
  if (cudaError_t Error = cudaGetDeviceProperties(&Gpu, 0)) {
    std::fprintf(stderr,
                 "calibrate: no GPU can be used here: %s; run this where "
                 "nvidia-smi lists one\n",
                 cudaGetErrorString(Error));
    return 2;
  }
  Buffer<float> Data(size_t(512) << 20);
  Card C;
  tell("the clock");
  double MHz = clockMHz();
  tell("latencies, and how much L1 holds");
  measureLatencies(C);
  tell("sectors of L2 and of DRAM");
  measureSectors(C, Data, Gpu.multiProcessorCount);
  tell("barriers, and lines at the port of L1");
  C.rate("barrier", barrierCost(Gpu.multiProcessorCount), "cycles",
         "8 blocks of 256 threads on each SM wait for themselves");
  std::vector<std::pair<double, double>> Port;
  for (int Lines : {1, 2, 4, 8, 16, 32})
    Port.push_back({double(Lines), portCost(Data, Lines).Value});
  C.curve("port_cycles_by_lines", Port);
  if (write(Arguments[1], C, Gpu, MHz))
    return 0;
  std::fprintf(stderr,
               "calibrate: %s could not be written; name a file in a folder "
               "that is there\n",
               Arguments[1]);
  return 2;
}
