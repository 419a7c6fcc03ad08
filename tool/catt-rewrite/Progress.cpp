//===- Progress.cpp - Remarks and progress -------------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Progress.h"
#include "Output.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace catt {

std::string progressBar(size_t Done, size_t All, StringRef Name,
                        unsigned Columns) {
  constexpr size_t Width = 20;
  size_t Full = Width * Done / All;
  std::string Bar(Full, '=');
  if (Full < Width)
    Bar += '>';
  Bar.resize(Width, ' ');
  std::string Text = "[" + Bar + "] " + std::to_string(Done) + "/" +
                     std::to_string(All) + " " + Name.str();
  // A line that wraps could not be taken back.
  if (Columns > 1 && Text.size() >= Columns)
    Text.resize(Columns - 1);
  return Text;
}

Progress::Progress(const Options &O,
                   std::vector<std::optional<JobResult>> &Results)
    : O(O), Results(Results), Terminal(sys::Process::StandardErrIsDisplayed()) {
  Text.Color = Terminal && sys::Process::StandardErrHasColors();
  Text.Root = workingDirectory();
}

void Progress::finish(size_t Index, JobResult R) {
  std::lock_guard<std::mutex> Lock(Mutex);
  Results[Index] = std::move(R);
  ++Done;
  if (Terminal && several())
    errs() << "\r\033[K";
  for (; Next < Results.size() && Results[Next]; ++Next)
    print(*Results[Next]);
  if (Terminal && several() && Done != Results.size())
    errs() << progressBar(Done, Results.size(), O.Files[Index],
                          sys::Process::StandardErrColumns());
}

void Progress::print(const JobResult &R) {
  if (!Terminal && several())
    errs() << "[" << Next + 1 << "/" << Results.size() << "] " << R.Outcome.Name
           << "\n";
  if (!O.Quiet && O.Report == ReportKind::Remarks) {
    errs() << renderText(R.Outcome, Text);
    return;
  }
  // Errors are said even if everything else is not.
  if (!R.Outcome.Error.empty())
    complain(R.Outcome.Error);
}

} // namespace catt
