//===- Bench.cpp - How fast the executor is --------------------------------==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// catt-simt-bench [least million steps a second]: a step is one iteration of a
// loop of one thread, with the accesses in it. Exits with 1 if the simple loop
// is slower than asked for.
//
//===----------------------------------------------------------------------===//

#include "tool/executor/Compile.h"
#include "tool/executor/Executor.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <ctime>

using namespace catt::simt;

/// Million steps a second of a launch that makes Steps of them; best of three.
static double measure(const Module &M, const char *Kernel, Dim Grid, Dim Block,
                      const std::vector<void *> &Args, double Steps,
                      const Options &O = {}) {
  double Best = 0;
  for (int I = 0; I < 3; ++I) {
    std::clock_t Begin = std::clock(); // of this process, not of the machine
    Result R = M.run(Kernel, Grid, Block, 0, Args, O);
    double T = double(std::clock() - Begin) / CLOCKS_PER_SEC;
    if (!R.Findings.empty())
      llvm::errs() << R.Findings[0].str() << '\n';
    Best = std::max(Best, Steps / T / 1e6);
  }
  return Best;
}

int main(int argc, char **argv) {
  auto Path = compile({{CATT_SIMT_KERNELS "/Bench.cu", {}}},
                      Output::SharedObject, {CATT_SIMT_CACHE});
  if (!Path) {
    llvm::errs() << toString(Path.takeError());
    return 2;
  }
  std::string Error;
  Module M = Module::load(*Path, Error);
  if (!M) {
    llvm::errs() << Error << '\n';
    return 2;
  }
  int N = 2048, Blocks = 16, Threads = 256;
  double Steps = double(N) * Blocks * Threads;
  void *A = deviceAlloc(size_t(N) * Threads * Blocks * 4);
  void *B = deviceAlloc(size_t(Threads) * Blocks * 4);
  std::vector<void *> Args = {static_cast<void *>(&A), static_cast<void *>(&B),
                              &N};
  Dim Grid{unsigned(Blocks)}, Block{unsigned(Threads)};
  Options Random, Interleaved;
  Random.Seed = 1;
  Interleaved.Seed = 1;
  Interleaved.ResidentBlocks = 4;
  Interleaved.SwitchEvery = 100;
  double Simple = measure(M, "sumRows", Grid, Block, Args, Steps);
  llvm::outs() << "Million steps a second on one core\n";
  auto Print = [](const char *What, double Speed) {
    llvm::outs() << llvm::format("  %-44s %8.1f\n", What, Speed);
  };
  Print("sum += A[i * n + j]", Simple);
  Print("the same, random warps",
        measure(M, "sumRows", Grid, Block, Args, Steps, Random));
  Print("the same, 4 blocks, switching each 100",
        measure(M, "sumRows", Grid, Block, Args, Steps, Interleaved));
  Print("shared memory, two accesses",
        measure(M, "sharedLoop", Grid, Block, Args, Steps));
  Print("one barrier each", measure(M, "barriers", Grid, Block, Args, Steps));
  Print("one shuffle each", measure(M, "shuffles", Grid, Block, Args, Steps));
  return argc > 1 && Simple < std::strtod(argv[1], nullptr);
}
