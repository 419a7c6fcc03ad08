//===- Measured.cpp - Kernels whose best variant is known -----------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/optimize/Measured.h"
#include "transforms/Markers.h"
#include "transforms/Transform.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace catt {
namespace {

/// Where the kernel begins, or what this tool has added around its first token.
unsigned beginOf(const std::string &File, const SourceSpan &Span) {
  unsigned Begin = Span.Begin;
  for (const Marker &M : findMarkers(File, 0, Span.Begin))
    if (M.K == Marker::Kind::Head)
      Begin = M.Begin;
    else if (M.K == Marker::Kind::Done)
      Begin = Span.Begin;
  return Begin;
}

/// The kernel's own text, without what this tool has added to it.
std::string originalText(const std::string &File, const SourceSpan &Span) {
  const unsigned Begin = beginOf(File, Span);
  std::string Text = File.substr(Begin, Span.End - Begin);
  Expected<std::string> Old = revert(Span.File, Text);
  if (Old)
    return *Old;
  consumeError(Old.takeError()); // damaged by hand: another text
  return Text;
}

/// Of the tokens of all kernels of this name; empty: their text is not known.
std::string hashOfText(const Report &R, const Kernel &K) {
  auto File = R.Texts.find(K.Span.File);
  if (File == R.Texts.end())
    return "";
  std::map<unsigned, std::string> Tokens; // by place: instances share one
  for (const KernelReport &Each : R.Kernels) {
    const SourceSpan &Span = Each.Source.Span;
    if (Each.Source.UnqualifiedName != K.UnqualifiedName ||
        Span.File != K.Span.File || Tokens.count(Span.Begin))
      continue;
    std::string Text = originalText(File->second, Span);
    Tokens[Span.Begin] = tokensOf(Text, 0, Text.size());
  }
  std::string All;
  for (const auto &[Begin, Text] : Tokens)
    All += Text;
  return utohexstr(xxh3_64bits(All), /*LowerCase=*/true, /*Width=*/16);
}

/// The entry for a kernel: that of this card, if there are several.
const MeasuredVariant *entryFor(const MeasuredVariant &Here,
                                ArrayRef<MeasuredVariant> All, RealPath Real) {
  auto IsHere = [&](const std::string &File) {
    return File == Here.File || Real(File) == Real(Here.File);
  };
  const MeasuredVariant *Found = nullptr;
  for (const MeasuredVariant &Each : All)
    if (Each.Kernel == Here.Kernel && IsHere(Each.File) &&
        (!Found || Each.Gpu == Here.Gpu))
      Found = &Each;
  return Found;
}

/// What is another one than where it was measured; or empty.
std::string whatIsOther(const MeasuredVariant &Here,
                        const MeasuredVariant &There) {
  if (Here.Gpu != There.Gpu)
    return "this is planned for " + Here.Gpu;
  if (!Here.Toolkit.empty() && !There.Toolkit.empty() &&
      Here.Toolkit != There.Toolkit)
    return "it was CUDA " + There.Toolkit + " then, and is " + Here.Toolkit;
  if (Here.Text != There.Text)
    return "the kernel's text is another one now";
  return "";
}

} // namespace

MeasuredVariant measurable(const Report &R, const Kernel &K) {
  MeasuredVariant Out;
  Out.Kernel = K.UnqualifiedName;
  Out.File = K.Span.File;
  Out.Gpu = R.Gpu.Name;
  Out.Toolkit = R.Cuda.Path.empty() ? "" : R.Cuda.Version;
  Out.Text = hashOfText(R, K);
  return Out;
}

void chooseMeasured(Report &R, const MeasuredOptions &Measured,
                    const AnalysisOptions &OfFile,
                    ArrayRef<std::string> Transforms, RealPath Real) {
  for (KernelReport &K : R.Kernels) {
    const MeasuredVariant Here = measurable(R, K.Source);
    const MeasuredVariant *There = entryFor(Here, Measured.All, Real);
    if (!There)
      continue;
    std::string Other = whatIsOther(Here, *There);
    std::optional<Recipe> How = findRecipe(K.Source, There->Variant);
    const bool Stays = There->Variant == AsWritten;
    if (Other.empty() && !How && !Stays)
      Other = "the kernel has no variant of this name";
    K.Measured = MeasuredChoice{*There, Other};
    if (!Other.empty())
      continue;
    K.Own = Stays ? ownOptionsAsWritten(OfFile)
                  : ownOptions(*How, OfFile, Transforms, Measured.Registers);
  }
}

} // namespace catt
