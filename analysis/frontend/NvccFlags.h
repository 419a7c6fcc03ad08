//===- NvccFlags.h - nvcc's command line, in clang's words ------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   nvcc -arch=sm_90 -Xcompiler -fopenmp,-Wall -lineinfo -I inc -c a.cu -o a.o
//     |
//     v
//   clang++ -fopenmp -Wall -I inc                 (Arguments)
//   sm_90                                         (Architecture)
//
// nvcc and clang spell many things the same way and mean different ones by
// others: `-G` takes no value for nvcc and swallows the next word for clang,
// `-lineinfo` names a library for clang. So no nvcc flag is passed on unless
// this file knows what becomes of it, or clang's own option table knows it and
// nvcc would have handed it to the host compiler.
//
// What comes out is for a parse: outputs, dependencies, inputs, linking and
// code-generation steps are dropped.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_FRONTEND_NVCCFLAGS_H
#define CATT_ANALYSIS_FRONTEND_NVCCFLAGS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/VirtualFileSystem.h"
#include <optional>
#include <string>
#include <vector>

namespace catt {

/// A compile command that clang's driver understands.
struct ClangCommand {
  /// The compiler's name, then its flags; no inputs, no outputs, no language.
  std::vector<std::string> Arguments;
  /// For the user: what was approximated, "-use_fast_math: ...".
  std::vector<std::string> Notes;
  /// -maxrregcount: registers per thread.
  std::optional<int> MaxRegisters;
  /// What -Xptxas hands to the assembler, unwrapped.
  std::vector<std::string> PtxasOptions;
  /// The highest architecture asked for that clang knows, "sm_90"; or
  /// "native": that of the machine.
  std::optional<std::string> Architecture;
  /// The toolkit that the command itself names: --cuda-path, or the directory
  /// above nvcc's bin/.
  std::optional<std::string> CudaPath;
};

/// Translates one compile command of nvcc, or strips one of clang. Response
/// files are read from Files, relative to Directory. Pure otherwise: asks no
/// driver and starts nothing. Error: a response file that cannot be read, or a
/// flag whose value is missing.
llvm::Expected<ClangCommand>
translateNvcc(llvm::ArrayRef<std::string> CommandLine,
              llvm::StringRef Directory, llvm::vfs::FileSystem &Files);

} // namespace catt

#endif
