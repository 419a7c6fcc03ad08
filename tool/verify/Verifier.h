//===- Verifier.h - What --verify does --------------------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_VERIFY_VERIFIER_H
#define CATT_TOOL_VERIFY_VERIFIER_H

#include "tool/catt-rewrite/Run.h"

namespace catt {

/// Takes the files of a command line for one program and compares it with what
/// it is about to become; says what came of it on standard error. False: they
/// differ. Error: they cannot be compared.
llvm::Expected<bool> verifyProgram(const Options &O, llvm::ArrayRef<Task> Tasks,
                                   const MergedFiles &Files);

} // namespace catt

#endif
