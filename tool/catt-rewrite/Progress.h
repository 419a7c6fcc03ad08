//===- Progress.h - Remarks and progress ------------------- -*- C++ -*--===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   results, as threads finish them --> standard error, in the order of the
//                                       command line
//
// On a terminal the last line is a bar; elsewhere each file begins with a plain
// line "[3/16] kernel.cu".
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_CATTREWRITE_PROGRESS_H
#define CATT_TOOL_CATTREWRITE_PROGRESS_H

#include "Job.h"
#include <mutex>
#include <optional>

namespace catt {

/// "[======>             ]  5/16 src/kernel.cu", cut to the columns there are.
std::string progressBar(size_t Done, size_t All, llvm::StringRef Name,
                        unsigned Columns);

class Progress {
public:
  Progress(const Options &O, std::vector<std::optional<JobResult>> &Results);

  /// Keeps a result, and prints what has become printable. For all threads.
  void finish(size_t Index, JobResult R);

private:
  bool several() const { return Results.size() > 1 && !O.Quiet; }
  void print(const JobResult &R);

  const Options &O;
  std::vector<std::optional<JobResult>> &Results;
  bool Terminal;
  TextOptions Text;
  std::mutex Mutex;
  size_t Done = 0, Next = 0;
};

} // namespace catt

#endif
