//===- Options.h - What a plan is to go by ----------------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_OPTIONS_H
#define CATT_ANALYSIS_OPTIONS_H

#include "analysis/device/Device.h"
#include "analysis/model/Launch.h"
#include "analysis/model/Part.h"
#include "analysis/model/Plan.h"
#include "analysis/model/Program.h"
#include "analysis/model/RegisterUse.h"
#include "analysis/plan/strategies/Selectors.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace catt {

class CountingQuota;
class ProfileMemo;
class RuleMemo;
struct Report;
class TranslationUnit;
struct CompiledAsIs;

enum class Model : uint8_t {
  Exact, ///< distinct lines, counted by isl (MODEL.md section 4)
  Catt,  ///< the paper's equations 5 to 9, as printed
};

/// What is known of one kernel's machine code.
struct RegisterAnswer {
  RegisterUse Use;
  InstructionMix Mix;
};

/// Kernel::Name -> what is asked, or what is known.
using RegisterCaps = std::map<std::string, std::vector<unsigned>>;
using RegisterAnswers = std::map<std::string, RegisterAnswer>;

/// Answers for the kernels of a file at the caps asked for; kernels that it
/// knows nothing of are left out. Error: nothing can be said of the file.
using RegisterSource = std::function<llvm::Expected<RegisterAnswers>(
    const TranslationUnit &, const RegisterCaps &)>;

struct RegisterHintOptions {
  RegisterSource Ask; ///< empty: registers are not looked at
  Selector By = Selector::Model;
  BoundsForm Form = BoundsForm::LaunchBounds;
  bool Force = false;
  std::optional<int64_t> Target; ///< --target-registers
};

/// What one kernel is planned and written by, in place of what its file is.
struct OwnOptions {
  Means May;                     ///< of its plan
  Means Written;                 ///< the parts that transforms may write
  bool AsWritten = false;        ///< nothing is to be done
  RegisterHintOptions Registers; ///< without an Ask: who is asked of the file
  std::vector<ForcedChoice> Forced;
  std::optional<int64_t> TileBytes, OptBlocks;
};

struct AnalysisOptions {
  Device Gpu;
  std::optional<int64_t> L1Bytes; ///< --l1d: instead of what residency leaves
  Model Counting = Model::Exact;
  std::string KernelGlob = "*"; ///< on Kernel::Name or its unqualified name
  /// --launch: kernel name to launches that the user tells.
  std::map<std::string, std::vector<Launch>> Told;
  /// What other units launch.
  Program Elsewhere;
  /// --assume: values of kernel parameters.
  std::map<std::string, int64_t> Assumed;
  /// --min-gain: smallest predicted gain, 0.05 is 5 %; absent: as each plan has
  /// it by default.
  std::optional<double> MinGain;
  /// --ptxas, --ptx, --selector and what else concerns registers.
  RegisterHintOptions Registers;
  /// Of former analyses of the same texts, which this one adds to; null: the
  /// file is compiled wherever its registers matter (RegisterSources.h).
  std::shared_ptr<CompiledAsIs> Compiled;
  std::vector<ForcedChoice> Forced; ///< --force
  /// --opt-tlp: at most so many blocks of each kernel on an SM, in place of
  /// what the time model finds (CRAT section 4.2, OptTLP as profiled).
  std::optional<int64_t> OptBlocks;
  /// Kernels in other files than the main file are reported, and may be edited
  /// if their path matches (extended regular expression; empty: main file
  /// only).
  std::string HeaderFilter;
  Means May; ///< of the transforms that are selected
  /// --tile-bytes: bytes of a row in a tile, for every loop that can have
  /// tiles; absent: what pays.
  std::optional<int64_t> TileBytes;
  /// Loops are divided though data decides which threads run them: launches
  /// find out whether it pays.
  bool MayGuess = false;
  /// Called with every kernel that was found, before anything is decided: fills
  /// in KernelReport::Own where a kernel has options of its own. May be empty.
  std::function<void(Report &)> Choose;
  /// What counting for the file may take, filled in by analyze().
  CountingQuota *Quota = nullptr;
  /// What is known already of the kernel that is decided.
  ProfileMemo *Counted = nullptr;
  /// Rules of the run that were made before, of any kernel, and those that are
  /// made now; null: each is made where it is asked for.
  RuleMemo *Rules = nullptr;
};

} // namespace catt

#endif
