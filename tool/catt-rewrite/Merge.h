//===- Merge.h - Edits of several sources ------------------ -*- C++ -*--===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   a.cu: edits of a.cu, k.cuh --+
//                                +--> one text for each file, or a conflict
//   b.cu: edits of b.cu, k.cuh --+
//
// A kernel in a header is rewritten as every source that launches it wants it,
// or not at all. A source that includes it and launches nothing of it has no
// say. Changes that differ only in the reasons in their comments are alike; the
// first source's comment is kept.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_CATTREWRITE_MERGE_H
#define CATT_TOOL_CATTREWRITE_MERGE_H

#include "Job.h"

namespace catt {

/// A file that changes.
struct MergedFile {
  std::string Source; ///< that asked for it first, as given
  std::string Old, New;
  clang::tooling::Replacements Edits;
};
using MergedFiles = std::map<std::string, MergedFile>; ///< by absolute path

/// Takes the edits of sources without a say out of the results. Error: two
/// sources want a file to change differently; it names both.
llvm::Expected<MergedFiles> merge(std::vector<JobResult> &Results);

} // namespace catt

#endif
