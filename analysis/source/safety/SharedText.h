//===- SharedText.h - Files that are read more than once --------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   __global__ void a(...) {      __global__ void b(...) {
//   #include "body.inc"             if (i < n) {
//   }                               #include "body.inc"
//
// What is written into such a file is written into everything that includes it,
// and what is right in one place is a deadlock in the other. So it is left
// alone.
//
// Limits: other translation units are not seen; of those of one run, each has
// to want the same (tool/catt-rewrite/Merge.h).
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_SAFETY_SHAREDTEXT_H
#define CATT_ANALYSIS_SOURCE_SAFETY_SHAREDTEXT_H

#include "clang/AST/ASTContext.h"
#include <set>
#include <string>

namespace catt {

/// Absolute paths of the user's files that the parse read more than once.
std::set<std::string> filesReadTwice(const clang::ASTContext &Context);

} // namespace catt

#endif
