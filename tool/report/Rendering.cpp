//===- Rendering.cpp - What the renderings share --------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Rendering.h"
#include "tool/optimize/Recipes.h"
#include "llvm/Support/FormatVariadic.h"
#include <set>
#include <tuple>

using namespace llvm;

namespace catt {

bool isContended(const KernelPlan &Plan, const LoopPlan &Loop) {
  if (!Plan.Before || Loop.FootprintBytes <= Plan.Before->L1Bytes)
    return false;
  if (!Loop.Why)
    return true;
  // It may fit because blocks are taken away.
  if (Loop.Why->Kind == Reason::Fits)
    return Plan.BlocksRemoved > 0;
  return Loop.Why->Kind != Reason::CoveredByOther &&
         Loop.Why->Kind != Reason::NoReuse &&
         Loop.Why->Kind != Reason::NoGlobalAccess;
}

/// Contended, and the user knows: by their own comment, or by this tool's.
static bool isSettled(const LoopPlan &Loop) {
  return Loop.Why && (Loop.Why->Kind == Reason::Suppressed ||
                      Loop.Why->Kind == Reason::AlreadyRewritten);
}

unsigned countContended(const Report &Report) {
  std::set<std::tuple<std::string, unsigned, unsigned>> Places;
  for (const KernelReport &K : Report.Kernels)
    for (const LoopPlan &L : K.Plan.Loops)
      if (isContended(K.Plan, L) && !isSettled(L)) {
        const Location &Where = K.Source.Loops[L.Loop].Where;
        Places.insert({Where.File, Where.Line, Where.Column});
      }
  return Places.size();
}

bool isAt(const Location &Where, const Loop &L) {
  return Where == L.Where || (L.Site && Where == L.Site->Where);
}

const Applied *findApplied(const Edits &Edits, const Loop &Loop, Part Written) {
  for (const Applied &A : Edits.Done)
    if (A.By->writes(Written) && isAt(A.Where, Loop))
      return &A;
  return nullptr;
}

const Applied *appliedFor(const FileOutcome &File, const Finding &F) {
  for (const Applied &A : File.Changes.Done)
    if (A.By->name() == F.Id && (A.Where == F.Where || A.Where == F.Site))
      return &A;
  return nullptr;
}

std::string gpuText(const Report &R) {
  StringRef Why = R.GpuOrigin == "default"
                      ? "the default: no --gpu, and nvidia-smi did not answer"
                      : StringRef(R.GpuOrigin);
  return R.Gpu.Name + " (" + R.Gpu.architecture() + "), from " + Why.str();
}

std::string predictedText(const LoopPlan &Plan) {
  if (!Plan.PredictedGain)
    return "";
  return formatv("predicted{2}: {0:f1} times as fast, give or take {1:f0} %",
                 *Plan.PredictedGain, 100 * Plan.GainError,
                 Plan.RatesOfAnother ? " by rates of another card" : "")
      .str();
}

std::string predictedText(const KernelPlan &Plan) {
  if (!Plan.ByTiles)
    return "";
  const PredictedGain &By = *Plan.ByTiles;
  return formatv("predicted{3}{4}: {0:f1} times as fast with tiles, {1:f1} to "
                 "{2:f1} in nine of ten cases",
                 By.Gain, By.Least, By.Most,
                 By.OfLongRows ? " for rows of 1,024 elements" : "",
                 By.RatesOfAnother ? " by rates of another card" : "")
      .str();
}

std::string measuredText(const MeasuredChoice &M) {
  const MeasuredVariant &Of = M.Of;
  std::string Text = "measured on " + Of.Gpu + ", " + Of.Date;
  if (!M.WhyNot.empty())
    return Text + ", and not used: " + M.WhyNot + "; run catt-tune again (" +
           Of.Variant + ")";
  Text += Of.Variant == AsWritten
              ? ": nothing was faster"
              : formatv(": {0:F2} times as fast", Of.Gain).str();
  if (!Of.Launches)
    Text += ", by whole runs";
  else
    Text += formatv(", {0:N} {1}", *Of.Launches,
                    *Of.Launches == 1 ? "launch" : "launches");
  return Text + " (" + Of.Variant + ")";
}

std::string bytes(int64_t N) {
  if (N >= 1024 && N % 1024 == 0)
    return formatv("{0:N} KiB", N / 1024).str();
  if (N >= int64_t(10) * 1024) {
    int64_t Tenths = (N * 10 + 512) / 1024;
    return formatv("{0:N}.{1} KiB", Tenths / 10, Tenths % 10).str();
  }
  return formatv("{0:N} bytes", N).str();
}

std::string counted(int64_t N, StringRef Noun) {
  return formatv("{0:N} {1}{2}", N, Noun, N == 1 ? "" : "s").str();
}

std::string shape(const Shape &S) {
  auto One = [](const std::optional<int64_t> &N) {
    return N ? std::to_string(*N) : std::string("?");
  };
  std::string Text = One(S.X);
  if (S.Y != 1 || S.Z != 1)
    Text += "x" + One(S.Y);
  if (S.Z != 1)
    Text += "x" + One(S.Z);
  return Text;
}

std::string loopName(const Loop &L) {
  return L.Iterator.empty() ? "loop" : "loop over " + L.Iterator;
}

StringRef toString(Origin From) {
  switch (From) {
  case Origin::Proved:
    return "proved";
  case Origin::Estimated:
    return "estimated";
  case Origin::Measured:
    return "measured";
  case Origin::Told:
    return "told";
  }
  return "";
}

StringRef toString(Diagnostic::Level Severity) {
  switch (Severity) {
  case Diagnostic::Level::Note:
    return "note";
  case Diagnostic::Level::Warning:
    return "warning";
  case Diagnostic::Level::Error:
    return "error";
  case Diagnostic::Level::Fatal:
    return "fatal error";
  }
  return "";
}

} // namespace catt
