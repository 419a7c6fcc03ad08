//===- CompileLine.h - What a compiler is asked to do ------ -*- C++ -*--===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   catt-launch --gpu=h200 ccache nvcc -Iinc -c a.cu -o a.o
//               ^options   ^------ Words ------------------^
//                          Compiler: 1, Inputs: {"a.cu"}, Output: "a.o"
//
// Knows just enough of nvcc's and clang's command lines to exchange the source
// for another one and to find what is named after it. Whatever else is there is
// left as it is.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_CATTLAUNCH_COMPILELINE_H
#define CATT_TOOL_CATTLAUNCH_COMPILELINE_H

#include "llvm/ADT/ArrayRef.h"
#include <string>
#include <vector>

namespace catt {

struct CompileLine {
  std::vector<std::string> Words; ///< the command, launchers first
  size_t Compiler = 0;            ///< the word that is the compiler
  std::vector<size_t> Inputs;     ///< words that are CUDA sources
  std::string Output;             ///< of -o, or what the compiler would choose
  bool HasOutput = false;         ///< -o was given
  std::string Depfile;            ///< of -MF, or what the compiler would choose
  bool Preprocesses = false;      ///< -E
  bool ToStdout = false;          ///< -E without -o
  bool IsClang = false;
};

/// Splits argv, without the launcher's own name: leading words that begin with
/// '-' are options, the rest is the command.
std::vector<std::string> takeOptions(llvm::ArrayRef<const char *> Arguments,
                                     CompileLine &Out);

/// Fills everything but Words. False: there is nothing to rewrite here (a link,
/// another language, only dependencies), or no single name for the result.
bool understand(CompileLine &Line);

/// The command with another file for an input, whose own directory is still
/// the first in which "..." includes are looked for.
std::vector<std::string> withInputs(const CompileLine &Line,
                                    llvm::ArrayRef<std::string> Inputs);

/// The words of the compiler alone, without its inputs.
std::vector<std::string> flagsOf(const CompileLine &Line);

} // namespace catt

#endif
