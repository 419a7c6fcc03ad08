//===- Properties.h - What holds for every kernel ----------------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   kernels --print--> one file --analyze, force splits, rewrite--> new file
//                        |  \--analysis: footprints, offsets--+      |
//                        v                                    v      v
//                     run, 4 schedules --------trace------> compare  run, 4
//                        |                                           |
//                        +------------ outputs, findings ------------+
//
// Text properties (deterministic, compiles, revert, idempotent) are of the
// file; the others are of one kernel. A property of the file that fails is
// looked for again in each kernel alone.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TEST_FUZZ_PROPERTIES_H
#define CATT_TEST_FUZZ_PROPERTIES_H

#include "analysis/Analysis.h"
#include "test/fuzz/KernelTree.h"
#include "test/fuzz/Oracle.h"
#include "tool/executor/Executor.h"
#include "transforms/Transform.h"

namespace catt::fuzz {

/// A property that does not hold.
struct Failure {
  static constexpr unsigned WholeFile = ~0u;
  unsigned Kernel = WholeFile; ///< index in the batch
  std::string
      Property; ///< "same-output"; begins with "valid-" if the generated
                ///< kernel itself is at fault (or parser or executor)
  std::string Detail;
};

struct BatchOptions {
  std::string Directory; ///< for sources and objects, of this batch alone
  unsigned Schedules = 4;
  bool OnlyOriginals = false; ///< whether the generated kernels are right
  bool Verify = false; ///< catt-rewrite --verify compares, and nobody else
};

/// Checks every property on kernels that share one file.
std::vector<Failure> checkBatch(const std::vector<GeneratedKernel> &Kernels,
                                const BatchOptions &Options, Counts &Seen);

//===-- Parts -------------------------------------------------------------===//

/// How a batch is analysed that begins with this kernel: an L1 so small, or
/// blocks so many on an SM, that loops are contended.
llvm::Expected<AnalysisOptions> analysisFor(const GeneratedKernel &First);

/// A kernel of which the report says two things about blocks on an SM, or "".
std::string differentResidencies(const Report &R, Counts &Seen);

/// A kernel with a rule of more than three arms, or "".
std::string longRule(const Report &R, Counts &Seen);

/// What a second run says of kernels that the first one changed, or "".
std::string saidAgain(const Report &First, const Edits &Done,
                      const Report &Second, Counts &Seen);

/// Changes the plan of a kernel so that every chosen loop with a site is split,
/// and its launches get the shared memory and the carve-out that were chosen.
void forcePlan(KernelReport &Report, const GeneratedKernel &K);

/// Moves values to shared memory as if all were live at one of the statements,
/// and all registers had to be freed.
void forceStages(KernelReport &Report, const GeneratedKernel &K);
void forceSpill(KernelReport &Report, const GeneratedKernel &K,
                const Device &Gpu);

/// Has values computed again as if their registers had to be freed.
void forceRemat(KernelReport &Report, const GeneratedKernel &K);

/// Bounds the registers of a kernel whose launches say enough.
void forceBounds(KernelReport &Report, const GeneratedKernel &K,
                 const Device &Gpu);

/// What clang is to compile a file with these kernels with. System: the folder
/// of what kernels with a danger find among the system's headers.
std::vector<std::string> flagsFor(const std::vector<GeneratedKernel> &Kernels,
                                  const std::string &System);

/// What --verify says against New in place of Old, the text of a file with
/// these kernels: first "verify", or "valid-verify" where Old is at fault; or
/// nothing.
std::pair<std::string, std::string>
verifyFile(const std::vector<GeneratedKernel> &Kernels, const std::string &Path,
           const std::string &System, const std::string &Old,
           const std::string &New);

/// Memory of one kernel's arguments, filled anew.
class Memory {
public:
  explicit Memory(const GeneratedKernel &K);
  std::vector<void *> arguments() { return Pointers; }
  /// The buffers alone, one after the other.
  void **buffers() { return Slots.data(); }
  /// First bytes, by name.
  std::map<std::string, uint64_t> addresses() const;
  /// All buffers, one after the other.
  std::string contents() const;

private:
  struct Buffer {
    std::string Name;
    char *Data;
    int64_t Bytes;
  };
  std::vector<Buffer> Buffers;
  std::vector<int64_t> Scalars;
  std::vector<void *> Slots, Pointers;
};

} // namespace catt::fuzz

#endif
