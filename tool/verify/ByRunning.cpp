//===- ByRunning.cpp - Verification by the user's own commands ------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/verify/Verify.h"

using namespace llvm;

namespace catt {
namespace {

/// As catt-tune's, and beside it: what is kept there puts files back, too.
constexpr StringLiteral StateDirectory = ".catt-verify";

Expected<Verification> compare(State &Where, const TrialOptions &O,
                               const FileTexts &New) {
  Trials Each(Where, O);
  Expected<Trial> Old = Each.run({}, false);
  if (!Old)
    return Old.takeError();
  if (!Old->fine())
    return createStringError(
        "the program as written cannot be compared with: " + Old->Why +
        "; what it said is in " + StateDirectory);
  Expected<Trial> Changed = Each.run(New, false);
  if (!Changed)
    return Changed.takeError();
  if (Changed->End == Verdict::Stopped)
    return createStringError("interrupted");
  Verification V;
  V.Equal = Changed->fine();
  V.Said.push_back(V.Equal
                       ? "'" + O.Run + "' ends and prints as before, in " +
                             std::to_string(O.Runs) + " runs"
                       : "of the rewritten program " + Changed->Why +
                             "; what it said is in " + StateDirectory.str());
  return V;
}

} // namespace

Expected<Verification> verifyByRunning(const TrialOptions &O,
                                       const EditedFiles &Files) {
  Expected<State> Where = State::open(StateDirectory);
  if (!Where)
    return Where.takeError();
  Expected<std::vector<std::string>> Back = Where->recover();
  if (!Back)
    return Back.takeError();
  FileTexts Old, New;
  for (const auto &[Path, Each] : Files) {
    Old[Path] = Each.Old;
    New[Path] = Each.New;
  }
  if (Error E = Where->keep(Old))
    return std::move(E);
  Expected<Verification> V = compare(*Where, O, New);
  Error Restored = Where->replace({});
  if (!Restored)
    Restored = Where->finish();
  if (!Restored)
    return V;
  if (!V)
    return joinErrors(V.takeError(), std::move(Restored));
  return std::move(Restored);
}

} // namespace catt
