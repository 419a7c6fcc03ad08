//===- Baseline.h - What every kernel takes, recorded --------- -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   PtxasEntry of a build --makeBaseline--> Baseline --writeBaseline--> JSON
//                                                    <-- readBaseline--
//
//   {"version": 1, "kernels": [
//   {"kernel":"_Z1kPf","arch":"sm_90","registers":32,"spillStores":0,
//    "spillLoads":0,"shared":256,"block":128,"blocksPerSM":16}
//   ]}
//
// A line for each kernel and architecture, sorted, so that a review shows what
// changed and nothing else. What is not known is left out.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_GATE_BASELINE_H
#define CATT_TOOL_GATE_BASELINE_H

#include "analysis/device/Device.h"
#include "analysis/model/Launch.h"
#include "analysis/registers/PtxasLog.h"
#include <map>

namespace catt {

/// One kernel under one architecture.
struct KernelRecord {
  int64_t Registers = 0;               ///< of one thread
  int64_t SpillStoreBytes = 0;         ///< per thread
  int64_t SpillLoadBytes = 0;          ///< per thread
  int64_t SharedBytes = 0;             ///< static, of one block
  std::optional<int64_t> Block;        ///< threads of the largest launch
  std::optional<int64_t> DynamicBytes; ///< shared memory of that launch
  std::optional<int64_t> BlocksPerSM;  ///< for Block; 0: it cannot run

  int64_t spilledBytes() const { return SpillStoreBytes + SpillLoadBytes; }
  bool operator==(const KernelRecord &) const = default;
};

struct KernelKey {
  std::string Symbol;       ///< as stableSymbol() gives it
  std::string Architecture; ///< "sm_90"
  auto operator<=>(const KernelKey &) const = default;
};

using Baseline = std::map<KernelKey, KernelRecord>;

/// The launches that are known, by the name of a kernel: "n::wide<64>",
/// "n::wide" or "wide". The first of these that is there counts.
using KnownLaunches = std::map<std::string, std::vector<Launch>>;

/// What was compiled several times counts with the larger of each number.
Baseline makeBaseline(llvm::ArrayRef<PtxasEntry> Entries,
                      const KnownLaunches &Launches);

/// Blocks per SM of a record with so many threads; empty where the GPU is not
/// known. 0: a block can never run.
std::optional<int64_t> blocksPerSM(const KernelRecord &K, int64_t Threads,
                                   llvm::StringRef Architecture);

/// Ends with a newline.
std::string writeBaseline(const Baseline &Kernels);

/// Error: one sentence, for what writeBaseline never wrote. Name is the file's.
llvm::Expected<Baseline> readBaseline(llvm::StringRef Text,
                                      llvm::StringRef Name);

} // namespace catt

#endif
