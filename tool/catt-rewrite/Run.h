//===- Run.h - From files to results ------------------------- -*- C++ -*--===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for each file, in parallel:  command -> parse -> analyze -> rewrite ->
//   check then, once:    merge edits -> conflicts? -> --verify -> output
//
// Results are collected before anything is written. If one file fails, no file
// is replaced (with --keep-going: the others are). Remarks come in the order of
// the command line, whatever thread finishes first.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_CATTREWRITE_RUN_H
#define CATT_TOOL_CATTREWRITE_RUN_H

#include "Merge.h"
#include "Tasks.h"
#include <functional>

namespace catt {

/// --verify: compares the program with what it is about to become. False: they
/// differ, as was said. Error: they cannot be compared.
using Verifier = std::function<llvm::Expected<bool>(
    const Options &, llvm::ArrayRef<Task>, const MergedFiles &)>;

/// Does what the options ask for; returns the exit code.
int run(const Options &O, const Verifier &Verify);

} // namespace catt

#endif
