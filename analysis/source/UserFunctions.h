//===- UserFunctions.h - Functions that the user wrote ----------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of a whole translation unit, its headers included; those of the system's
// headers are nobody's to change, and launch no kernel of the user's.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_USERFUNCTIONS_H
#define CATT_ANALYSIS_SOURCE_USERFUNCTIONS_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include <string>
#include <vector>

namespace catt {

struct UserFunctions {
  std::vector<const clang::FunctionDecl *> Kernels; ///< definitions
  /// Kernels never instantiated.
  std::vector<const clang::FunctionDecl *> Templates;
  std::vector<const clang::FunctionDecl *> Hosts;
};

UserFunctions userFunctions(const clang::ASTContext &Context);

/// The name by which other units know a kernel: mangled. Empty: they do not.
std::string symbolOf(const clang::FunctionDecl &Kernel);

} // namespace catt

#endif
