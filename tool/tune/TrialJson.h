//===- TrialJson.h - Trials as JSON -----------------------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_TUNE_TRIALJSON_H
#define CATT_TOOL_TUNE_TRIALJSON_H

#include "tool/tune/Trial.h"
#include "llvm/Support/JSON.h"

namespace catt {

llvm::json::Value trialToJson(const Trial &T);

/// Nothing if it is not one.
std::optional<Trial> trialFromJson(const llvm::json::Value &V);

/// A variant and what came of it, for an export.
struct TriedVariant {
  Recipe How;
  Trial Result;
  std::optional<double> PredictedGain; ///< as WrittenVariant's
};

/// The variants of one kernel as Kernel Tuner's cache file, schema version
/// 1.0.0 (kernel_tuner/schema/cache/1.0.0/schema.json of that project). Its
/// keys are whole numbers: the variant's own, its groups, blocks taken away,
/// bytes of a tile and registers, with 0 for what is not set. "name" says it in
/// words, "predicted_gain" is there where it is known, and "time" is
/// "RuntimeFailedConfig" or "CompilationFailedConfig" where a trial failed, as
/// there.
std::string kernelTunerCache(llvm::StringRef Device, llvm::StringRef Kernel,
                             llvm::ArrayRef<TriedVariant> Variants);

} // namespace catt

#endif
