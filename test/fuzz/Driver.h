//===- Driver.h - Batches in processes of their own --------------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   batch --fork--> failures --of the file, or a crash?--> each kernel
//   --fork--> failure of one kernel --shrink, fork each candidate--> smaller
//   kernel
//
// A process each, because a defect may crash or hang, and because Clang and the
// executor keep state. A child that takes too long is ended by its own alarm.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TEST_FUZZ_DRIVER_H
#define CATT_TEST_FUZZ_DRIVER_H

#include "test/fuzz/Properties.h"
#include <functional>

namespace catt::fuzz {

struct DriverOptions {
  std::string Directory; ///< for everything temporary
  unsigned Jobs = 1;
  unsigned Batch = 50; ///< kernels per file
  unsigned Schedules = 4;
  unsigned BatchSeconds = 300;
  unsigned KernelSeconds = 60; ///< for a kernel alone
  unsigned MaxDefects = 30;    ///< stop after so many
  bool OnlyOriginals = false;  ///< as BatchOptions has it
  bool Verify = false;         ///< as BatchOptions has it
  bool Adversarial = false;    ///< kernels with a danger (Enemy.h)
  bool Contended = false;      ///< kernels that the model decides about
  bool Rows = false;           ///< kernels whose lanes walk rows
  std::string Danger;          ///< of this kind only; empty: of all
  unsigned ShrinkSeconds = 90; ///< for shrinking one kernel; 0: do not
};

/// A kernel that fails, and how.
struct Defect {
  GeneratedKernel Kernel;
  Failure What;
};

struct Summary {
  uint64_t Kernels = 0;
  std::vector<Defect> Defects; ///< in the order of their seeds
  Counts Seen;
};

/// The seed of the I-th kernel of a run.
uint64_t kernelSeed(uint64_t Seed, uint64_t I);

/// The kernel of that seed, of the kind that is asked for.
GeneratedKernel make(uint64_t Seed, unsigned Id, const DriverOptions &Options);

/// Checks Count kernels from the First one on, fewer if too many fail; Progress
/// is called after each batch.
Summary checkAll(uint64_t Seed, uint64_t First, uint64_t Count,
                 const DriverOptions &Options,
                 const std::function<void(const Summary &)> &Progress);

/// Checks one kernel in a process of its own; Property is empty if all is well.
Failure checkAlone(const GeneratedKernel &K, const DriverOptions &Options);

/// A kernel that fails in the same way and is as small as time allows.
Defect shrunk(Defect D, const DriverOptions &Options);

} // namespace catt::fuzz

#endif
