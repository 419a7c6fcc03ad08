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

/// The lines of a file that belong to some of a source's kernels.
std::vector<LineRange>
linesOf(const JobResult &R, const std::string &Path,
        function_ref<bool(const KernelReport &)> Counts) {
  std::vector<LineRange> Lines;
  if (R.Outcome.Analysed)
    for (const KernelReport &K : R.Outcome.Analysed->Kernels)
      if (Counts(K))
        copy_if(K.Source.Lines, std::back_inserter(Lines),
                [&](const LineRange &L) { return L.File == Path; });
  return Lines;
}

/// The source shows a launch of the kernel, or the user tells one.
bool isDecided(const KernelReport &K) { return K.Plan.LaunchIndex.has_value(); }

/// Nothing is known of how the kernel is launched: what it does about that, it
/// does at run time, and gives way where another source knows more.
bool isSilent(const KernelReport &K) {
  return !isDecided(K) && K.Source.Launches.empty();
}

bool holdsLine(ArrayRef<LineRange> Lines, StringRef Text, unsigned Offset) {
  unsigned Line = Text.take_front(Offset).count('\n') + 1;
  return any_of(Lines, [&](const LineRange &L) {
    return L.First <= Line && Line <= L.Last;
  });
}

/// Takes out the edits about kernels that one source is silent of and another
/// has decided about.
Error dropUndecided(std::vector<JobResult> &Results) {
  for (JobResult &R : Results)
    for (auto &[Path, Edits] : R.Outcome.Changes.Files) {
      std::vector<LineRange> Silent = linesOf(R, Path, isSilent), Decided;
      for (const JobResult &Other : Results)
        append_range(Decided, linesOf(Other, Path, isDecided));
      const std::string &Text = R.OldTexts.at(Path);
      Replacements Kept;
      for (const Replacement &E : Edits)
        if (!holdsLine(Silent, Text, E.getOffset()) ||
            !holdsLine(Decided, Text, E.getOffset()))
          if (Error Overlap = Kept.add(E))
            return Overlap;
      if (Kept.size() == Edits.size())
        continue;
      auto New = clang::tooling::applyAllReplacements(Text, Kept);
      if (!New)
        return New.takeError();
      R.NewTexts[Path] = std::move(*New);
      Edits = std::move(Kept);
    }
  return Error::success();
}

/// True if A wants a change where B has decided, and B does not want it.
bool isUnwanted(const JobResult &A, const JobResult &B,
                const std::string &Path) {
  std::vector<LineRange> Decided = linesOf(B, Path, isDecided);
  const std::string &Text = A.OldTexts.at(Path);
  return any_of(editsOf(A, Path), [&](const Replacement &E) {
    return holdsLine(Decided, Text, E.getOffset()) &&
           !holds(editsOf(B, Path), E);
  });
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

Expected<MergedFiles> merge(std::vector<JobResult> &Results) {
  if (Error E = dropUndecided(Results))
    return std::move(E);
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
