//===- KernelNames.h - Symbols of kernels, for people --------- -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   _ZN35_GLOBAL__N__3eb51ca4_4_a_cu__Z1ffPf6hiddenEPf
//     --stableSymbol--> the same with 00000000 for the hash
//     --readableName--> (anonymous namespace)::hidden(float*)
//
// nvcc puts a hash of the file's text into the names of what only one file
// sees, so that every edit renames it.
//
// Limits: two files with the same name and the same first symbol, in two
// directories, share a stable symbol.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_REGISTERS_KERNELNAMES_H
#define CATT_ANALYSIS_REGISTERS_KERNELNAMES_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace catt {

/// The symbol without what changes with the text of its file.
std::string stableSymbol(llvm::StringRef Symbol);

/// As it is written in the source, with its parameters; what is no mangled name
/// stays as it is.
std::string readableName(llvm::StringRef Symbol);

/// The same without result and parameters: "space::wide<64>".
std::string functionName(llvm::StringRef Symbol);

/// And without template arguments: "space::wide".
std::string bareName(llvm::StringRef Symbol);

} // namespace catt

#endif
