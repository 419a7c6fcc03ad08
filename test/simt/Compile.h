//===- Compile.h - From a .cu file to code for the executor ------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   file.cu --clang++, device view + Pass.cpp--> object \  link
//           --clang++, host view + Pass.cpp----> object /------> program or .so
//
// The file's text is not touched. Results are kept in a folder of the build
// tree, under a hash of the text, the arguments and the executor; files that it
// includes are compared as well, system headers are not.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TEST_SIMT_COMPILE_H
#define CATT_TEST_SIMT_COMPILE_H

#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace catt::simt {

enum class Output { Program, SharedObject };

struct CompileOptions {
  std::vector<std::string> Arguments; ///< to clang: -I, -D, -std=c++20 ...
  std::string CacheDirectory;         ///< empty: the build tree's
};

/// The path of the program or shared object that File was compiled to. The
/// error is what clang or the linker printed.
llvm::Expected<std::string> compile(const std::string &File, Output Kind,
                                    const CompileOptions &O = {});

} // namespace catt::simt

#endif
