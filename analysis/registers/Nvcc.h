//===- Nvcc.h - The PTX that a build would have -----------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   texts of a .cu file, flags --(nvcc -ptx, several at a time)--> PTX
//
// clang and nvcc unroll, hoist and inline differently: a kernel that takes 56
// registers from one takes 90 from the other. Where ptxas is asked, it is asked
// about the code that nvcc makes, if there is an nvcc.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_REGISTERS_NVCC_H
#define CATT_ANALYSIS_REGISTERS_NVCC_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace catt {

struct NvccOptions {
  std::string Program;            ///< path of nvcc
  std::string Architecture;       ///< "sm_80"
  std::vector<std::string> Flags; ///< includes, macros, language
  std::string Directory;          ///< of the file: searched for "headers"
  unsigned Jobs = 1;              ///< processes at a time
  unsigned TimeoutSeconds = 300;
  bool MachineCode = false; ///< a cubin instead of PTX
};

struct NvccResult {
  std::string Ptx;   ///< or the bytes of the cubin
  std::string Error; ///< why there is none: it cannot be run, is not done in
                     ///< time, or does not accept the text
};

/// The nvcc beside a ptxas; empty if there is none.
std::string nvccBeside(llvm::StringRef Ptxas);

/// Compiles each text of a file to PTX, optimized.
std::vector<NvccResult> compileWithNvcc(llvm::ArrayRef<std::string> Texts,
                                        const NvccOptions &Options);

} // namespace catt

#endif
