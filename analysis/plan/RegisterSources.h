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
//                   --(nvcc, else as above)--> PTX --(ptxas)--------'
//
// The points of ptxas replace those of the estimate. Where ptxas is asked,
// instructions are counted in the PTX that it was asked about. The values live
// at the peak come from clang's, which names them.
//
// Bounds that the PTX has (.maxntid, .minnctapersm, .maxnreg) are taken out
// first: what is asked for is the kernel under caps, and without one.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_REGISTERSOURCES_H
#define CATT_ANALYSIS_PLAN_REGISTERSOURCES_H

#include "analysis/frontend/DeviceCode.h"
#include "analysis/plan/Measure.h"
#include "analysis/plan/RegisterHints.h"

namespace catt {

/// What the assembler is asked about.
struct PtxText {
  std::string Text;
  std::string Name; ///< for messages
  std::string Note; ///< why this is not what a build would have
};

/// What a file was compiled to as it is. Of no use once one of its texts has
/// changed.
struct CompiledAsIs {
  std::optional<DeviceCode> ByClang;
  std::optional<PtxText> OfBuild; ///< what ptxas is asked about
};

struct RegisterSourceOptions {
  std::string Ptx;     ///< text of --ptx; empty: compiled from the source
  std::string PtxName; ///< its file, for messages
  bool AskPtxas = false;
  unsigned Jobs = 1; ///< processes of nvcc or ptxas at a time
  /// Compiled once for all questions that share it; null: for each.
  std::shared_ptr<CompiledAsIs> Known;
};

RegisterSource registerSource(const RegisterSourceOptions &Options);

/// Compiles texts, and assembles them with the toolkit's ptxas.
class PtxasMeasure final : public Measure {
public:
  /// Jobs: processes of nvcc or ptxas at a time.
  explicit PtxasMeasure(unsigned Jobs) : Jobs(Jobs) {}
  TextMeasure start(const TranslationUnit &Unit) const override;

private:
  unsigned Jobs;
};

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
