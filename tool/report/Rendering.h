//===- Rendering.h - One outcome, rendered in several ways --- -*- C++ -*--===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   Report + Edits --> FileOutcome --+--> text remarks   (TextReport.cpp)
//                                    +--> JSON           (JsonReport.cpp)
//                                    +--> Findings --+--> SARIF (Sarif.cpp)
//                                       +--> LLVM's remarks (OptRemarks.cpp)
//
// All renderings show the same object, so what an editor, a script and a reader
// see cannot differ. Pure: strings in, strings out.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_REPORT_RENDERING_H
#define CATT_TOOL_REPORT_RENDERING_H

#include "analysis/Analysis.h"
#include "analysis/device/Occupancy.h"
#include "transforms/Transform.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace catt {

/// The edits that one thing done stands for, alone.
struct Fix {
  const Transform *By;
  Location Where; ///< as in Applied
  std::map<std::string, clang::tooling::Replacements> Files;
};

/// What became of one source file.
struct FileOutcome {
  std::string Name;               ///< as given on the command line
  std::string CommandFrom;        ///< where the compile flags came from
  std::optional<Report> Analysed; ///< absent: it could not be parsed
  Edits Changes;
  std::vector<Fix> Fixes; ///< for renderings that offer each change by itself
  std::string Error;      ///< one sentence; empty if all went well
};

struct TextOptions {
  bool Color = false;
  /// Every kernel and loop, with GPU, headers and flags on top. Otherwise only
  /// loops that overflow the L1 data cache, or might.
  bool Everything = false;
  std::string Root; ///< paths below this directory are shown relative to it
};

/// Remarks in the style of a compiler, the summary line last.
std::string renderText(const FileOutcome &File, const TextOptions &Options);

/// A remark before it is rendered.
struct Finding {
  std::string Id; ///< a transform or a reason, what stands in the brackets
  Location Where;
  Location Site;        ///< where a transform would act, if elsewhere
  std::string Function; ///< the kernel
  std::string Message;  ///< without the brackets
  std::vector<std::pair<Location, std::string>> Notes;
  bool Contended = false; ///< a loop that overflows the L1 data cache
  bool Warns = false;     ///< of ReasonKind::Warning
};

/// What renderText would say of the kernels.
std::vector<Finding> findings(const FileOutcome &File,
                              const TextOptions &Options = TextOptions());

/// The change that a finding tells of, if it was made.
const Applied *appliedFor(const FileOutcome &File, const Finding &F);

/// What the plan of the registers says, for people: lines without a place, the
/// first of which is the headline. Empty if registers were not looked at.
std::vector<std::string> registerLines(const KernelReport &K);

/// The bound that is met only by spilling, as one sentence.
std::string forcedSpillText(const ForcedSpill &F);

/// Per kernel the cap and the bounds that the plan proposes, as comments and
/// options of nvcc, for builds that must not change their sources.
std::string renderFlags(llvm::ArrayRef<FileOutcome> Files);

/// The document that docs/schema/report.schema.json describes.
std::string renderJson(llvm::ArrayRef<FileOutcome> Files);

/// True if the loop overflows the L1 data cache under the deciding launch.
bool isContended(const KernelPlan &Plan, const LoopPlan &Loop);

/// The number of contended loops of a report, without those that a comment
/// suppresses or that were rewritten before; loops that several instantiations
/// or call paths share count once.
unsigned countContended(const Report &Report);

/// True if a place is that of the loop, or of the statements around it that a
/// transform would wrap.
bool isAt(const Location &Where, const Loop &L);

/// What was written of a part for this loop, if anything was.
const Applied *findApplied(const Edits &Edits, const Loop &Loop, Part Written);

/// "h200 (sm_90), from --gpu": what was planned for, and why.
std::string gpuText(const Report &R);

/// "predicted: 3.0 times as fast, give or take 20 %"; empty where the time
/// model was not asked.
std::string predictedText(const LoopPlan &Plan);

/// "predicted: 2.6 times as fast with tiles, 1.3 to 5.2 in nine of ten cases";
/// empty where the kernel has none, or they cannot be predicted.
std::string predictedText(const KernelPlan &Plan);

/// "264 KiB" where it is a whole number of them, else "100 bytes".
std::string bytes(int64_t N);

/// "measured on h200, 2026-11-29: 6.52 times as fast, 40 launches (tiles-64)",
/// or that it is not used, and why.
std::string measuredText(const MeasuredChoice &M);

/// "1 block", "2 blocks".
std::string counted(int64_t N, llvm::StringRef Noun);

/// "256", "16x16", with ? for what is not known.
std::string shape(const Shape &S);

/// "loop over j".
std::string loopName(const Loop &L);

llvm::StringRef toString(Origin From);
llvm::StringRef toString(Diagnostic::Level Severity);

} // namespace catt

#endif
