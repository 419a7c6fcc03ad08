//===- Features.h - What an editor shows of one file --------- -*- C++ -*--===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   Snapshot --+--> diagnostics     what the text report says  (Shown.cpp)
//              +--> hover, inlay hints, code lenses            (Shown.cpp)
//              +--> code actions, each with its edits          (Actions.cpp)
//
// Pure functions of one analysed text, in the JSON of the Language Server
// Protocol 3.17. Messages come from tool/report and edits from transforms/, so
// that an editor and the command line cannot differ.
//
// The edits of all actions together were parsed and found free of new errors;
// one action has a part of them and is not parsed again.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_CATTLSP_FEATURES_H
#define CATT_TOOL_CATTLSP_FEATURES_H

#include "Text.h"
#include "tool/catt-rewrite/Job.h"
#include "llvm/Support/JSON.h"
#include <optional>
#include <string>
#include <vector>

namespace catt {

/// One text of one document, analysed.
struct Snapshot {
  Snapshot(std::string Uri, std::string Path, int64_t Version,
           std::string GivenText, JobResult GivenResult,
           std::vector<std::string> Transforms);
  Snapshot(const Snapshot &) = delete;
  Snapshot &operator=(const Snapshot &) = delete;

  const std::string Uri, Path;
  const int64_t Version;
  const std::string Text;
  const TextPositions Positions;
  const JobResult Result;
  const std::vector<std::string> Transforms; ///< chosen; empty: all
  const Report NoKernels; ///< the report, if there is one, without its kernels
};

/// What the editor can take.
struct ClientAbilities {
  bool DisabledActions = false; ///< codeAction.disabledSupport
  bool VersionedEdits = false;  ///< workspaceEdit.documentChanges
  bool RelatedPlaces = false;   ///< publishDiagnostics.relatedInformation
  bool Progress = false;        ///< window.workDoneProgress
  bool ApplyEdit = false;       ///< workspace.applyEdit
  bool RefreshHints = false;    ///< workspace.inlayHint.refreshSupport
  bool RefreshLenses = false;   ///< workspace.codeLens.refreshSupport
};

ClientAbilities readAbilities(const llvm::json::Value &Capabilities);

constexpr llvm::StringLiteral ActionKind = "refactor.rewrite.catt";
constexpr llvm::StringLiteral ShowReport = "catt.showReport";
constexpr llvm::StringLiteral ApplyKernel = "catt.applyKernel";
constexpr llvm::StringLiteral ApplyFile = "catt.applyFile";

llvm::json::Array diagnostics(const Snapshot &S, const ClientAbilities &Can);

/// A Hover, or null.
llvm::json::Value hover(const Snapshot &S, llvm::lsp::Position At);

llvm::json::Array inlayHints(const Snapshot &S, llvm::lsp::Range Within);

llvm::json::Array codeLenses(const Snapshot &S);

/// The actions for a range; Only filters by kind where it is not empty.
llvm::json::Array codeActions(const Snapshot &S, llvm::lsp::Range Range,
                              const std::vector<std::string> &Only,
                              const ClientAbilities &Can);

/// The text report of the file, or of the kernel whose name is on a line (from
/// 0) if there is one.
std::string report(const Snapshot &S, std::optional<int64_t> Line);

/// A WorkspaceEdit with all edits of the file, or of the kernel whose name is
/// on that line; nothing if there is nothing to edit.
std::optional<llvm::json::Value> allEdits(const Snapshot &S,
                                          std::optional<int64_t> Line,
                                          const ClientAbilities &Can);

/// The report without the kernels of other definitions.
Report onlyKernel(const Snapshot &S, const Location &Definition);

} // namespace catt

#endif
