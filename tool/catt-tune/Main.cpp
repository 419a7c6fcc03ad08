//===- Main.cpp - catt-tune, the search on a machine with a GPU -----------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   argv --> Options --> tune() --> table, diff or new sources, settings,
//   export
//                    \-> calibrate() --> card.json
//
//===----------------------------------------------------------------------===//
#include "tool/catt-rewrite/Output.h"
#include "tool/catt-tune/Options.h"
#include "tool/catt-tune/Page.h"
#include "tool/catt-tune/SettingsOut.h"
#include "tool/report/Paths.h"
#include "tool/tune/TrialJson.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace catt;

namespace {

constexpr int ExitInterrupted = 130; ///< as shells say of SIGINT

int fail(Error E, int Code) {
  errs() << "catt-tune: error: " << toString(std::move(E)) << "\n";
  return Code;
}

/// One file for each kernel: "out.json", or with several "out.KERNEL.json".
Error writeExports(const TuneResult &R, const std::string &File) {
  std::map<std::string, std::vector<TriedVariant>> Kernels;
  for (const Tried &T : R.All) {
    if (!T.Result)
      continue;
    std::vector<TriedVariant> &Of = Kernels[T.What.How.Kernel];
    if (Of.empty() && R.Original) {
      Recipe None;
      None.Name = AsWritten.str();
      Of.push_back({None, *R.Original, std::nullopt});
    }
    Of.push_back({T.What.How, *T.Result, T.What.PredictedGain});
  }
  for (const auto &[Kernel, Variants] : Kernels) {
    SmallString<128> Path(File);
    if (Kernels.size() > 1)
      sys::path::replace_extension(Path,
                                   Kernel + sys::path::extension(File).str());
    if (Error E = writeFile(Path, kernelTunerCache(R.Device, Kernel, Variants)))
      return E;
  }
  return Error::success();
}

Error writeBest(const TuneResult &R, TuneOutput How) {
  std::vector<Replaced> All;
  for (const auto &[Path, New] : R.Best) {
    if (How == TuneOutput::Diff)
      outs() << unifiedDiff(relativeTo(workingDirectory(), Path),
                            R.Old.at(Path), New);
    All.push_back({Path, R.Old.at(Path), New});
  }
  return How == TuneOutput::InPlace ? replaceFiles(All) : Error::success();
}

} // namespace

int main(int Argc, const char **Argv) {
  InitLLVM Init(Argc, Argv);
  setBugReportMsg("catt-tune crashed: this is its own defect.\n");
  Expected<TuneCommandLine> C = parseTuneOptions(Argc, Argv);
  if (!C)
    return fail(C.takeError(), ExitUsage);
  if (!C->Answer.empty()) {
    outs() << C->Answer;
    return ExitFine;
  }
  auto Say = [&](const std::string &Line) {
    if (!C->Quiet)
      errs() << "catt-tune: " << Line << "\n";
  };
  if (C->Calibration) {
    Expected<std::string> Card = calibrate(*C->Calibration, Say);
    if (!Card)
      return fail(Card.takeError(), ExitInput);
    outs() << "Wrote " << C->Calibration->Card << ": " << *Card << ".\n";
    return ExitFine;
  }
  if (C->Settings)
    if (Error E = checkForSettings(C->Tune.Rewriting))
      return fail(std::move(E), ExitInput);
  watchForInterrupts();
  Expected<TuneResult> R = tune(C->Tune, Say);
  if (!R)
    return fail(R.takeError(), ExitInput);
  outs() << tableText(*R, C->Tune.Trying.By);
  if (!C->Export.empty())
    if (Error E = writeExports(*R, C->Export))
      return fail(std::move(E), ExitInput);
  if (!C->Page.empty())
    if (Error E = writeFile(C->Page, pageHtml(*R, C->Tune.Trying.By)))
      return fail(std::move(E), ExitInput);
  if (R->Interrupted)
    return ExitInterrupted;
  if (C->Settings) {
    Expected<std::string> Said = writeSettings(*R, C->Tune.Rewriting);
    if (!Said)
      return fail(Said.takeError(), ExitInput);
    outs() << *Said;
  }
  if (!R->Confirmed)
    return ExitPending;
  if (Error E = writeBest(*R, C->Output))
    return fail(std::move(E), ExitInput);
  return ExitFine;
}
