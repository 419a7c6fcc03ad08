//===- Ptxas.h - What the real assembler says -------------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   PTX, cap --(`ptxas -v -maxrregcount= --entry`)--> RegisterPoint of each
//                                                     kernel asked about
//                     ^ its messages, kept in $XDG_CACHE_HOME/catt/ptxas
//
// Where a toolkit is installed nothing need be estimated. A file of the cache
// is named by the SHA-256 of the PTX, the cap, the kernels, the architecture
// and the assembler, so that it never has to be thrown away.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_REGISTERS_PTXAS_H
#define CATT_ANALYSIS_REGISTERS_PTXAS_H

#include "analysis/model/RegisterUse.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <map>

namespace catt {

struct PtxasOptions {
  std::string Program;        ///< path of ptxas
  std::string Architecture;   ///< "sm_80"
  std::string CacheDirectory; ///< empty: nothing is kept
  unsigned Jobs = 1;          ///< processes at a time
  unsigned TimeoutSeconds = 120;
};

/// One run of the assembler.
struct PtxasQuestion {
  llvm::StringRef Ptx;
  unsigned Cap = 0;                      ///< 0: none
  std::vector<std::string> Kernels = {}; ///< mangled names; empty: all
};

/// Points of kernels, by mangled name.
using PtxasAnswer = std::map<std::string, RegisterPoint>;

/// ptxas of a toolkit, of $CUDA_PATH, or of the PATH; empty if there is none.
std::string findPtxas(llvm::StringRef ToolkitPath);

/// $XDG_CACHE_HOME/catt/ptxas, else ~/.cache/catt/ptxas; empty without a home.
std::string ptxasCacheDirectory();

/// Answers in the order of the questions. Error: ptxas cannot be run, is not
/// done in time, or does not accept a text; its first message is in it.
llvm::Expected<std::vector<PtxasAnswer>>
askPtxas(llvm::ArrayRef<PtxasQuestion> Questions, const PtxasOptions &Options);

/// Reads the messages of `ptxas -v`, and what was kept behind them of the
/// machine code. Kernels without a line that says what they use are left out.
PtxasAnswer readPtxasMessages(llvm::StringRef Text, unsigned Cap);

} // namespace catt

#endif
