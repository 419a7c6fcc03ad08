//===- EditorSettings.h - What the editor asks for ----------- -*- C++ -*--===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   {"gpu": "h200", "minGain": 10}  -->  the Options of --gpu=h200
//   --min-gain=10
//
// The keys are those of a .catt file in camelCase (tool/config/Options.def),
// and tool/config checks their values; docs/editors.md lists them. What is
// unknown or makes no sense is left out and named. Empty values say nothing,
// because editors send their defaults.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_CATTLSP_EDITORSETTINGS_H
#define CATT_TOOL_CATTLSP_EDITORSETTINGS_H

#include "tool/catt-rewrite/Options.h"
#include "llvm/Support/JSON.h"
#include <chrono>
#include <string>
#include <vector>

namespace catt {

struct EditorSettings {
  Options Run;
  bool InlayHints = true;
  bool CodeLens = true;
  /// How long the text must rest before it is analysed.
  std::chrono::milliseconds Delay{100};
  /// One sentence for each setting that was left out.
  std::vector<std::string> Problems;
};

/// Reads an object of settings, or the object under its key "catt".
EditorSettings readSettings(const llvm::json::Value &V);

} // namespace catt

#endif
