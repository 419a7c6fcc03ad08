//===- Settings.h - What an option or a .catt file can say --- -*- C++ -*--===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   --gpu=h200, gpu: h200 --(setValue)--> Stated --+
//                                                  | overlay
//   Stated of the nearest .catt -------------------+--> Stated of one file
//
// A value is checked in one place, wherever it was said: the command line, a
// .catt file, an editor. Options.def lists the keys.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_CONFIG_SETTINGS_H
#define CATT_TOOL_CONFIG_SETTINGS_H

#include "analysis/Analysis.h"
#include "tool/config/OptionTable.h"
#include "transforms/Transform.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace catt {

/// How one file is to be read and rewritten.
struct Settings {
  std::optional<std::string> GpuName;
  std::optional<int64_t> L1Bytes;
  std::optional<int64_t> TileBytes;
  Model Counting = Model::Exact;
  std::optional<double> MinGain;       ///< absent: the analysis's default
  Decider By = Decider::Model;         ///< --decide
  std::vector<std::string> Transforms; ///< empty: those that are default
  Runtime From = Runtime::Inline;
  std::string KernelGlob = "*";
  std::map<std::string, std::vector<Launch>> Launches;
  std::map<std::string, int64_t> Assumed;
  std::string HeaderFilter;
  std::vector<MeasuredVariant> Measured; ///< of .catt files alone

  /// What asks for a look at registers, beside transforms and reports.
  std::optional<Selector> RegistersBy;    ///< --selector
  std::optional<int64_t> TargetRegisters; ///< --target-registers
  std::optional<int64_t> OptBlocks;       ///< --opt-tlp
  BoundsForm Bounds = BoundsForm::LaunchBounds;
  bool AskPtxas = false;
  bool VerifyCode = false;

  std::string BuildPath; ///< -p
  std::vector<std::string> ExtraArgs, ExtraArgsBefore;
  std::string CudaPath;
  bool BuiltInOnly = false;
};

/// Settings, and the keys of those that were said rather than left alone.
struct Stated {
  Settings Values;
  std::set<std::string> Keys;
};

/// Every key of a .catt file, in the order of the documentation.
llvm::ArrayRef<llvm::StringRef> settingKeys();

/// Checks a value and adds it; what may be said several times is appended.
/// Error: one sentence that begins with `Spelled`, the key as the user wrote it
/// ("--l1d", "l1d"). The key must be one of settingKeys().
llvm::Error setValue(Stated &Out, llvm::StringRef Key, llvm::StringRef Value,
                     const llvm::Twine &Spelled);

/// `Over` where it says something, `Under` elsewhere. Launches and assumptions
/// of one name replace those of the same name; extra arguments come behind.
Stated overlay(Stated Under, const Stated &Over);

/// The values as text, in a form that setValue takes, for every key that was
/// said: what comes once has one element.
std::map<std::string, std::vector<std::string>> asText(const Stated &Said);

/// A whole number with nothing around it, in [Low, High].
llvm::Expected<int64_t> wholeNumber(const llvm::Twine &Spelled,
                                    llvm::StringRef Text, int64_t Low,
                                    int64_t High);

/// "90s", "5m", "2h" or a number of seconds.
llvm::Expected<double> secondsOf(const llvm::Twine &Spelled,
                                 llvm::StringRef Text);

/// "gesummv=2112x1:32x8:16384" as kernel name and launch. Dimensions that are
/// not given are 1. Error: says what is wrong, and the form expected.
llvm::Expected<std::pair<std::string, Launch>>
parseLaunchOption(llvm::StringRef Spec, llvm::StringRef Spelled);

} // namespace catt

#endif
