//===- RegisterSources.h - Who says what registers a kernel takes -*- C++ -*-=//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   TranslationUnit --(clang's back end)--> PTX --(estimate)--> RegisterUse
//                          --ptx=<file> ----^                       ^
//                   --(nvcc, else as above)--> PTX --(ptxas)--------+ its
//                   points
//                                                                     win
// Where ptxas is asked, instructions are counted in the PTX that it was asked
// about. The values live at the peak come from clang's, which names them.
//
// Bounds that the PTX has (.maxntid, .minnctapersm, .maxnreg) are taken out
// first: what is asked for is the kernel under caps, and without one.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_REGISTERSOURCES_H
#define CATT_ANALYSIS_PLAN_REGISTERSOURCES_H

#include "analysis/plan/RegisterHints.h"

namespace catt {

struct RegisterSourceOptions {
  std::string Ptx;     ///< text of --ptx; empty: compiled from the source
  std::string PtxName; ///< its file, for messages
  bool AskPtxas = false;
  unsigned Jobs = 1; ///< processes of nvcc or ptxas at a time
};

RegisterSource registerSource(const RegisterSourceOptions &Options);

/// A file with other texts (by absolute path), and the kernels of it (by
/// Kernel::Name) that are asked about, each under its cap. Their own bounds
/// stay.
struct TextQuestion {
  std::map<std::string, std::string> Texts;
  std::map<std::string, unsigned> Caps;
};

/// What ptxas makes of the kernels.
using TextAnswer = std::map<std::string, RegisterPoint>;

/// Answers in the order of the questions.
using TextMeasure = std::function<llvm::Expected<std::vector<TextAnswer>>(
    llvm::ArrayRef<TextQuestion>)>;

/// Compiles and assembles texts in place of those of Unit, which must outlive
/// what is returned.
TextMeasure textMeasure(const TranslationUnit &Unit,
                        const RegisterSourceOptions &Options);

/// Compiles the file as it is, and with other texts, to machine code with nvcc,
/// and compares how each kernel rounds. Returns what differs, a sentence for
/// each kernel; empty: nothing. Error: there is no nvcc, it does not compile
/// one of them, or the texts are not of the main file alone.
llvm::Expected<std::vector<std::string>>
compareCode(const TranslationUnit &Unit,
            const std::map<std::string, std::string> &Texts, unsigned Jobs);

/// The PTX without the bounds of its kernels.
std::string withoutBounds(llvm::StringRef Ptx);

} // namespace catt

#endif
