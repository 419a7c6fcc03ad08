//===- DeviceCode.h - Kernels to PTX text -----------------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   TranslationUnit --(its flags and headers, at -O3)--> LLVM IR
//                   --(NVPTX back end, in process)-----> PTX with .loc lines
//
// The device code of a file as clang would compile it: no process is started
// and nothing is written. With a toolkit its device library is linked in;
// without one, math functions stay calls of functions that have no body.
//
// Limits: the file must compile with clang. clang and nvcc unroll and inline
// differently, so their PTX differs, mostly in large loops.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_FRONTEND_DEVICECODE_H
#define CATT_ANALYSIS_FRONTEND_DEVICECODE_H

#include "analysis/frontend/CudaFrontEnd.h"

namespace catt {

/// A variable, and a place whose instruction gives it a value.
struct VariablePlace {
  std::string File; ///< as .file has it
  unsigned Line = 0, Column = 0;
  std::string Name;
};

struct DeviceCode {
  std::string Ptx;
  /// Mangled name of each kernel -> Kernel::Name.
  std::map<std::string, std::string> Kernels;
  /// Sorted by file, line and column; one for each place.
  std::vector<VariablePlace> Variables;
  bool HasMathLibrary = false; ///< the toolkit's libdevice is linked in
};

/// Compiles Unit's file again, with bodies and back end, and with other texts
/// for some files (by absolute path). Error: clang finds an error in it, or has
/// no back end for its architecture.
llvm::Expected<DeviceCode>
compileToPtx(const TranslationUnit &Unit,
             const std::map<std::string, std::string> &Texts = {});

} // namespace catt

#endif
