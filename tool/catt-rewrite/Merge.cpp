//===- Merge.cpp - Edits of several sources ------------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Merge.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using clang::tooling::Replacement;
using clang::tooling::Replacements;

namespace catt {
namespace {

Error conflict(StringRef Path, StringRef A, StringRef B) {
  return createStringError(
      inconvertibleErrorCode(),
      "'" + Path + "' would be rewritten differently for '" + A +
          "' and for '" + B + "'; it is left alone, and nothing is written");
}

bool isAlike(const Replacement &A, const Replacement &B) {
  return A.getOffset() == B.getOffset() && A.getLength() == B.getLength() &&
         withoutReasons(A.getReplacementText()) ==
             withoutReasons(B.getReplacementText());
}

bool holds(const Replacements &All, const Replacement &E) {
  return any_of(All, [&](const Replacement &R) { return isAlike(R, E); });
}

const Replacements &editsOf(const JobResult &R, const std::string &Path) {
  static const Replacements None;
  auto It = R.Outcome.Changes.Files.find(Path);
  return It == R.Outcome.Changes.Files.end() ? None : It->second;
}

/// The lines of a file about whose kernels this source has decided: it shows a
/// launch of them, or the user tells one.
std::vector<LineRange> decidedLines(const JobResult &R,
                                    const std::string &Path) {
  std::vector<LineRange> Lines;
  if (R.Outcome.Analysed)
    for (const KernelReport &K : R.Outcome.Analysed->Kernels)
      if (K.Plan.LaunchIndex)
        copy_if(K.Source.Lines, std::back_inserter(Lines),
                [&](const LineRange &L) { return L.File == Path; });
  return Lines;
}

/// True if A wants a change where B has decided, and B does not want it.
bool isUnwanted(const JobResult &A, const JobResult &B,
                const std::string &Path) {
  std::vector<LineRange> Decided = decidedLines(B, Path);
  if (Decided.empty())
    return false;
  StringRef Text = A.OldTexts.at(Path);
  for (const Replacement &E : editsOf(A, Path)) {
    unsigned Line = Text.take_front(E.getOffset()).count('\n') + 1;
    if (any_of(Decided,
               [&](const LineRange &L) {
                 return L.First <= Line && Line <= L.Last;
               }) &&
        !holds(editsOf(B, Path), E))
      return true;
  }
  return false;
}

/// Adds another source's edits of the same file: those that are there already
/// are the same change, others must not touch them.
Error mergeInto(MergedFile &Known, const JobResult &R,
                const std::string &Path) {
  if (Known.Old != R.OldTexts.at(Path))
    return conflict(Path, Known.Source, R.Outcome.Name);
  for (const Replacement &E : editsOf(R, Path)) {
    if (holds(Known.Edits, E))
      continue;
    if (Error Overlap = Known.Edits.add(E)) {
      consumeError(std::move(Overlap));
      return conflict(Path, Known.Source, R.Outcome.Name);
    }
  }
  auto New = clang::tooling::applyAllReplacements(Known.Old, Known.Edits);
  if (!New)
    return New.takeError();
  Known.New = std::move(*New);
  return Error::success();
}

/// Every two sources that know a file, one of which changes it.
Error checkAgreement(ArrayRef<JobResult> Results) {
  for (const JobResult &A : Results)
    for (const auto &[Path, Edits] : A.Outcome.Changes.Files)
      for (const JobResult &B : Results)
        if (&A != &B && B.OldTexts.count(Path) && isUnwanted(A, B, Path))
          return &A < &B ? conflict(Path, A.Outcome.Name, B.Outcome.Name)
                         : conflict(Path, B.Outcome.Name, A.Outcome.Name);
  return Error::success();
}

} // namespace

Expected<MergedFiles> merge(ArrayRef<JobResult> Results) {
  if (Error E = checkAgreement(Results))
    return std::move(E);
  MergedFiles Files;
  for (const JobResult &R : Results)
    for (const auto &[Path, New] : R.NewTexts) {
      const Replacements &Edits = editsOf(R, Path);
      auto [It, IsNew] = Files.try_emplace(
          Path, MergedFile{R.Outcome.Name, R.OldTexts.at(Path), New, Edits});
      if (!IsNew && !Edits.empty())
        if (Error E = mergeInto(It->second, R, Path))
          return std::move(E);
    }
  return Files;
}

} // namespace catt
