//===- Compile.h - From a .cu file to code for the executor ------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   a.cu   --clang++, device view + Pass.cpp--> object \  link
//          --clang++, host view + Pass.cpp----> object  >------> program or .so
//   b.cpp  --clang++--------------------------> object /
//
// The files' texts are not touched. Results are kept in a folder, under a hash
// of the texts, the arguments and the executor; files that they include are
// compared as well, system headers are not.
//
// The plugin, the library that results are linked to, and the headers that
// stand in for CUDA's lie in ../lib/catt/executor, from the program that runs.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_EXECUTOR_COMPILE_H
#define CATT_TOOL_EXECUTOR_COMPILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <map>
#include <string>
#include <vector>

namespace catt::simt {

enum class Output { Program, SharedObject };

/// A source file: CUDA by its suffix .cu, else C++ for the host alone.
struct Source {
  std::string File;
  std::vector<std::string> Arguments = {}; ///< to clang: -I, -D, -std=c++20
  std::string Directory = {};              ///< that relative ones start from
};

struct CompileOptions {
  std::string Directory;                   ///< where results are kept
  std::vector<std::string> Arguments = {}; ///< to clang, for every source
  /// Texts that stand for those on the disk, by absolute path.
  std::map<std::string, std::string> Texts = {};
};

/// The path of the program or shared object that the sources were compiled and
/// linked to. The error is what clang or the linker printed.
llvm::Expected<std::string> compile(llvm::ArrayRef<Source> Sources, Output Kind,
                                    const CompileOptions &O);

} // namespace catt::simt

#endif
