//===- CudaToolkit.h - Where CUDA's declarations come from ------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   --cuda-path > $CUDA_PATH > the command's nvcc > /usr/local/cuda > built in
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_FRONTEND_CUDATOOLKIT_H
#define CATT_ANALYSIS_FRONTEND_CUDATOOLKIT_H

#include "analysis/frontend/CudaFrontEnd.h"
#include "analysis/frontend/NvccFlags.h"

namespace catt {

/// Chooses between the toolkits of this machine and the built-in declarations
/// (empty Path). Error: Options name a directory that holds no toolkit.
llvm::Expected<Toolkit> findToolkit(const FrontEndOptions &Options,
                                    const ClangCommand &Command,
                                    llvm::vfs::FileSystem &Files);

/// The headers that nvcc includes before any that the command names. They are
/// named here, not by the driver: a toolkit that happens to be installed must
/// not change what the built-in ones give, and the toolkit's cuda.h must come
/// before a file of the project that has the same name and stands on its
/// include path.
std::vector<std::string> forcedHeaders(const Toolkit &Kit);

/// The other driver arguments for it. User is what the command says already:
/// its -std wins.
std::vector<std::string> toolkitArguments(const Toolkit &Kit,
                                          llvm::ArrayRef<std::string> User,
                                          llvm::vfs::FileSystem &Files);

/// clang's own headers: those of the LLVM that this was built with, else
/// beside the running program, as in an installed copy. Empty: not found.
std::string findResourceDir(llvm::vfs::FileSystem &Files);

} // namespace catt

#endif
