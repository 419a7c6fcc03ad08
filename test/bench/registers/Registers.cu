//===- Registers.cu - The sweep over register caps -------------*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   registers --list                     the cases, one JSON object a line
//   registers DIR OUT RUNS PASSES CAP...   every case with the cubins of DIR
//
// DIR holds <file>.<cap>.cubin, the same PTX assembled under each cap; cap 0 is
// none. Appends one JSON object a line to OUT as it is measured. A point whose
// output differs from that of cap 0 by more than rounding is marked.
//
// Ends with 0, or with 1 where CUDA or a file failed (then OUT holds what was
// measured before).
//
//===----------------------------------------------------------------------===//
#include "Sweep.h"

namespace {

using namespace sweep;

// Counts what differs by more than rounding; not a number equals itself here.
__global__ void countDifferences(const float *A, const float *B, size_t Count,
                                 unsigned *Differences) {
  const size_t Stride = size_t(gridDim.x) * blockDim.x;
  unsigned Mine = 0;
  for (size_t K = size_t(blockIdx.x) * blockDim.x + threadIdx.x; K < Count;
       K += Stride) {
    const float Most = fmaxf(1.f, fmaxf(fabsf(A[K]), fabsf(B[K])));
    Mine += !(fabsf(A[K] - B[K]) <= 1e-3f * Most) && !(isnan(A[K]) && isnan(B[K]));
  }
  if (Mine)
    atomicAdd(Differences, Mine);
}

void measure(const Case &C, int Cap, CUfunction F, const Memory &M, int Runs,
             int Pass, std::FILE *To) {
  const int Blocks = blocksPerSM(C, F);
  if (Blocks == 0)
    return; // this cap lets no block fit
  const Times Ms = timeOf(C, F, M, Runs);
  if (Cap == 0)
    keepAsReference(C, M);
  unsigned Differences = 0;
  check(cudaMemset(M.Differences, 0, 4), "memset");
  countDifferences<<<1024, 256>>>(M.Out, M.Reference, C.Outputs, M.Differences);
  check(cudaMemcpy(&Differences, M.Differences, 4, cudaMemcpyDeviceToHost),
        "comparison");
  std::fprintf(To,
               "{\"case\": \"%s\", \"pass\": %d, \"cap\": %d, \"registers\": "
               "%d, \"local_bytes\": %d, \"blocks\": %d, \"equal\": %s, "
               "\"median_ms\": %.5f, \"least_ms\": %.5f}\n",
               C.Kernel, Pass, Cap, attribute(F, CU_FUNC_ATTRIBUTE_NUM_REGS),
               attribute(F, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES), Blocks,
               Differences ? "false" : "true", Ms.Median, Ms.Least);
  std::fflush(To);
}

void sweepCaps(const std::string &Dir, std::FILE *To, int Runs, int Passes,
               const std::vector<int> &Caps) {
  const Memory M = allocate();
  for (int Pass = 1; Pass <= Passes; ++Pass)
    for (const Case &C : registerCases())
      for (int Cap : Caps) {
        const Machine Code(
            Dir + "/" + C.File + "." + std::to_string(Cap) + ".cubin",
            C.Kernel);
        measure(C, Cap, Code.function(), M, Runs, Pass, To);
      }
}

} // namespace

int main(int Count, char **Words) {
  if (Count == 2 && std::string(Words[1]) == "--list") {
    list(registerCases());
    return 0;
  }
  if (Count < 6) {
    std::fprintf(stderr, "registers: usage: registers --list | registers DIR "
                         "OUT RUNS PASSES CAP...\n");
    return 2;
  }
  std::FILE *To = std::fopen(Words[2], "w");
  check(To != nullptr, Words[2], "cannot be written");
  std::vector<int> Caps;
  for (int K = 5; K < Count; ++K)
    Caps.push_back(std::atoi(Words[K]));
  sweepCaps(Words[1], To, std::atoi(Words[3]), std::atoi(Words[4]), Caps);
  return std::fclose(To) ? 1 : 0;
}
