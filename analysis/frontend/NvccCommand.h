//===- NvccCommand.h - A parse, in nvcc's words -----------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   compile command --(NvccFlags)--> clang's invocation --> flags for nvcc
//
// The way back: whatever compiler the command was written for, nvcc is to see
// the same macros, headers and language. Headers that belong to a compiler (its
// own, the system's, the toolkit's) are left to nvcc.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_FRONTEND_NVCCCOMMAND_H
#define CATT_ANALYSIS_FRONTEND_NVCCCOMMAND_H

#include "analysis/frontend/CudaFrontEnd.h"

namespace catt {

/// "-std=c++17", "-DN=4", "-Iinclude": for nvcc, in the order of clang's.
std::vector<std::string> flagsForNvcc(const TranslationUnit &Unit);

} // namespace catt

#endif
