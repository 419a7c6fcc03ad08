//===- Spill.cu - The sweep over ways to keep under a cap ------*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   spill --list               the cases of Cases.h, one JSON object a line
//   spill DIR CASE OUT RUNS PASSES [--blocks=K] [POINT...]
//                              one case, with the cubins of DIR
//
// DIR/cases has one line a case: kernel, n, grid (x y z), block (x y), floats
// that are compared. It may be that of another suite: nothing but --list looks
// at Cases.h.
//
// DIR/points has one line a point: case, name, file of machine code, bytes of
// dynamic shared memory. The first of a case is what the outputs of all others
// are compared with, bit by bit. With POINTs only these are run, and the first.
// With --blocks only the first K blocks of each dimension are launched, which
// is for tools that slow a kernel down (the outputs of the others stay zero).
// Appends one JSON object a line to OUT as it is measured. 0 RUNS is for ncu
// and compute-sanitizer: each point is launched once, and no time is taken.
//
// Ends with 0, or with 1 where CUDA or a file failed (then OUT holds what was
// measured before).
//
//===----------------------------------------------------------------------===//
#include "../Differences.h"
#include "../registers/Sweep.h"
#include "Cases.h"
#include <climits>
#include <fstream>
#include <set>

namespace {

using namespace sweep;

constexpr float SlowMs = 100; // above it, three timed runs are enough

struct Point {
  std::string Name, File;
  size_t DynamicBytes = 0;
};

/// The case, which points to Name.
Case caseOf(const std::string &Dir, const std::string &Name) {
  std::ifstream In(Dir + "/cases");
  check(In.good(), "cases", "cannot be read");
  std::string Kernel;
  Case C = {Name.c_str(), "", 0, {1}, {1}, 0};
  while (In >> Kernel >> C.N >> C.Grid.X >> C.Grid.Y >> C.Grid.Z >> C.Block.X >>
         C.Block.Y >> C.Outputs)
    if (Kernel == Name) {
      check(C.Outputs <= OutFloats, Name.c_str(), "writes too many floats");
      return C;
    }
  check(false, Name.c_str(), "is no case");
  return C;
}

std::vector<Point> pointsOf(const std::string &Dir, const std::string &Case) {
  std::ifstream In(Dir + "/points");
  check(In.good(), "points", "cannot be read");
  std::vector<Point> Out;
  std::string Of;
  Point P;
  while (In >> Of >> P.Name >> P.File >> P.DynamicBytes)
    if (Of == Case)
      Out.push_back(P);
  return Out;
}

unsigned differentWords(const Case &C, const Memory &M) {
  unsigned Differences = 0;
  check(cudaMemset(M.Differences, 0, 4), "memset");
  countDifferences<<<1024, 256>>>((const unsigned *)M.Out,
                                  (const unsigned *)M.Reference, C.Outputs,
                                  M.Differences);
  check(cudaMemcpy(&Differences, M.Differences, 4, cudaMemcpyDeviceToHost),
        "comparison");
  return Differences;
}

void measure(const Case &C, const Point &P, const std::string &Dir,
             const Memory &M, int Runs, int Pass, bool First, std::FILE *To) {
  const Machine Code(Dir + "/" + P.File, C.Kernel);
  CUfunction F = Code.function();
  if (P.DynamicBytes)
    check(cuFuncSetAttribute(F, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                             int(P.DynamicBytes)),
          P.Name.c_str());
  const int Blocks = blocksPerSM(C, F, P.DynamicBytes);
  if (Blocks == 0)
    return; // too many registers, or too much shared memory
  Times Ms = timeOf(C, F, M, Runs ? 1 : 0, P.DynamicBytes);
  if (Runs)
    Ms = timeOf(C, F, M, Ms.Median > SlowMs ? std::min(Runs, 3) : Runs,
                P.DynamicBytes);
  if (First)
    keepAsReference(C, M);
  const unsigned Different = differentWords(C, M);
  std::fprintf(
      To,
      "{\"point\": \"%s\", \"pass\": %d, \"registers\": %d, "
      "\"local_bytes\": %d, \"shared_bytes\": %zu, \"blocks\": %d, "
      "\"equal\": %s, \"different_words\": %u, \"median_ms\": %.5f, "
      "\"least_ms\": %.5f}\n",
      P.Name.c_str(), Pass, attribute(F, CU_FUNC_ATTRIBUTE_NUM_REGS),
      attribute(F, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES),
      attribute(F, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES) + P.DynamicBytes,
      Blocks, Different ? "false" : "true", Different, Ms.Median, Ms.Least);
  std::fflush(To);
}

int run(const std::string &Dir, const std::string &Name, std::FILE *To,
        int Runs, int Passes, unsigned Blocks,
        const std::set<std::string> &Only) {
  Case C = caseOf(Dir, Name);
  C.Grid = firstBlocks(C.Grid, Blocks);
  const std::vector<Point> Points = pointsOf(Dir, Name);
  check(!Points.empty(), Name.c_str(), "has no points");
  const Memory M = allocate();
  for (int Pass = 1; Pass <= Passes; ++Pass)
    for (const Point &P : Points)
      if (Only.empty() || &P == &Points[0] || Only.count(P.Name))
        measure(C, P, Dir, M, Runs, Pass, &P == &Points[0], To);
  return std::fclose(To) ? 1 : 0;
}

} // namespace

int main(int Count, char **Words) {
  if (Count == 2 && std::string(Words[1]) == "--list") {
    list(spillCases());
    return 0;
  }
  if (Count < 6) {
    std::fprintf(stderr, "spill: usage: spill --list | spill DIR CASE OUT RUNS "
                         "PASSES [--blocks=K] [POINT...]\n");
    return 2;
  }
  unsigned Blocks = UINT_MAX; // all
  const bool IsCut =
      Count > 6 && std::sscanf(Words[6], "--blocks=%u", &Blocks) == 1;
  std::FILE *To = std::fopen(Words[3], "a");
  check(To != nullptr, Words[3], "cannot be written");
  return run(Words[1], Words[2], To, std::atoi(Words[4]), std::atoi(Words[5]),
             Blocks, {Words + (IsCut ? 7 : 6), Words + Count});
}
