//===- Record.h - What a program left on the executor -----------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   launch k(float*)                   launch k(float*)
//   memory 1 4096 9e3779b97f4a7c15     memory 1 4096 9e3779b97f4a7c15
//   memory 2 4096 0c83fb6d91ea3b9f     memory 2 4096 51a7d0f3c2e84b60
//                                             `-- launch 0, allocation 2
//
// tool/executor/Record.cpp writes it.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_VERIFY_RECORD_H
#define CATT_TOOL_VERIFY_RECORD_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace catt {

struct RecordedMemory {
  uint64_t Bytes = 0;
  std::string Hash;
  bool operator==(const RecordedMemory &) const = default;
};

struct RecordedLaunch {
  std::string Kernel;
  /// By the number of an allocation, or the name of a variable.
  std::map<std::string, RecordedMemory> Memory;
};

struct Record {
  std::vector<RecordedLaunch> Launches;
  /// File and line of device code that touches memory or begins a loop; true:
  /// a thread came to it.
  std::map<std::pair<std::string, unsigned>, bool> Lines;
};

Record readRecord(llvm::StringRef Text);

/// The first memory in which two records differ.
struct Difference {
  size_t Launch = 0;
  std::string Which; ///< empty: one of them has no such launch
};

/// What several runs of one program left. What they do not agree on says
/// nothing about another program.
class Agreed {
public:
  void add(Record R);
  std::optional<Difference> compare(const Record &Other) const;
  const std::vector<RecordedLaunch> &launches() const { return First.Launches; }
  /// What is not compared, over all launches.
  const std::set<std::pair<size_t, std::string>> &unsteady() const {
    return Unsteady;
  }

private:
  Record First;
  bool Any = false, SameLaunches = true;
  std::set<std::pair<size_t, std::string>> Unsteady;
};

} // namespace catt

#endif
