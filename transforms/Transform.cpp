//===- Transform.cpp - Every transform, and how they are run -----*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   kernels --prepare, apply--> edits of each kernel alone
//           --agree-----------> those that all instantiations want alike
//           --merge-----------> edits of the whole report
//
//===----------------------------------------------------------------------===//
#include "transforms/Transform.h"
#include "transforms/LaunchBounds.h"
#include "transforms/PreferL1.h"
#include "transforms/Rematerialize.h"
#include "transforms/ReserveShared.h"
#include "transforms/SourceEdit.h"
#include "transforms/SpillShared.h"
#include "transforms/SplitWarpGroups.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <set>
#include <tuple>

using llvm::StringRef;

namespace catt {

llvm::ArrayRef<const Transform *> allTransforms() {
  // What is declared first in a kernel comes before what wraps its statements,
  // and what stands around single statements before what wraps several.
  static const ReserveShared Reserve;
  static const PreferL1 Prefer;
  static const Rematerialize Recompute;
  static const SplitWarpGroups Split;
  static const LaunchBounds Bounds;
  static const SpillShared Spill;
  static const Transform *const All[] = {&Reserve,   &Prefer, &Spill,
                                         &Recompute, &Split,  &Bounds};
  return All;
}

static llvm::Expected<std::vector<const Transform *>>
chosen(const std::vector<std::string> &Names) {
  std::set<const Transform *> Wanted;
  std::string Known;
  for (const Transform *T : allTransforms())
    Known += (Known.empty() ? "" : ", ") + T->name().str();
  for (const std::string &Name : Names) {
    bool Found = Name == "all";
    for (const Transform *T : allTransforms())
      if (Name == T->name() || Name == "all") {
        Wanted.insert(T);
        Found = true;
      }
    if (!Found)
      return llvm::createStringError("unknown transform '" + llvm::Twine(Name) +
                                     "'; the transforms are " + Known +
                                     ", or all");
  }
  std::vector<const Transform *> Ordered;
  for (const Transform *T : allTransforms())
    if (Names.empty() ? T->isDefault() : Wanted.count(T))
      Ordered.push_back(T);
  return Ordered;
}

//===-- Instantiations of one template ------------------------------------===//

namespace {
using Place = std::pair<std::string, unsigned>; ///< file, offset
using Insertions = std::map<Place, std::string>;

/// What one transform wants of one kernel.
struct Wish {
  const KernelReport *Kernel;
  Edits Own;
  Insertions Places;
};
} // namespace

std::string withoutReasons(StringRef Text) {
  std::string Out;
  bool InHead = false;
  while (!Text.empty()) {
    auto [Line, Rest] = Text.split('\n');
    Text = Rest;
    bool IsComment = Line.ltrim().starts_with("//");
    bool IsHead = Line.ltrim().starts_with("// catt: ");
    if (InHead && IsComment && !IsHead)
      continue;
    InHead = IsHead;
    Out += IsHead ? Line.split("): ").first.rtrim(")\r").str() : Line.str();
    Out += '\n';
  }
  return Out;
}

static const Launch *launchAt(const Kernel &Kernel, const Place &At,
                              const TextMap &Texts) {
  for (const Launch &L : Kernel.Launches)
    if (L.Statement && L.Statement->File == At.first && Texts.count(At.first) &&
        topOf(Texts.at(At.first), L.Statement->Begin) <= At.second &&
        At.second <= L.Statement->End)
      return &L;
  return nullptr;
}

/// Whether a place where one kernel is edited is the other one's too: the text
/// of the definition is, a launch only if it launches both.
static bool isShared(const Place &At, const Kernel &Own, const Kernel &Other,
                     const TextMap &Texts) {
  const Launch *Site = launchAt(Own, At, Texts);
  return !Site || llvm::any_of(Other.Launches, [&](const Launch &L) {
    return L.Statement && L.Statement->File == At.first &&
           L.Statement->Begin == Site->Statement->Begin;
  });
}

static bool wantsAlike(const Wish &A, const Wish &B, const TextMap &Texts) {
  for (const auto &[At, Text] : A.Places) {
    if (!isShared(At, A.Kernel->Source, B.Kernel->Source, Texts))
      continue;
    auto Found = B.Places.find(At);
    if (Found == B.Places.end() ||
        withoutReasons(Found->second) != withoutReasons(Text))
      return false;
  }
  return true;
}

static void withdraw(Wish &W, Refusal Why) {
  W.Places.clear();
  W.Own.Done.clear();
  W.Own.Refused.push_back(std::move(Why));
}

/// Withdraws what instantiations of one template do not all want.
static void agree(std::vector<Wish> &Wishes, const TextMap &Texts) {
  std::map<Place, std::vector<Wish *>> ByDefinition;
  for (Wish &W : Wishes) {
    const SourceSpan &Span = W.Kernel->Source.Span;
    if (Span.Begin < Span.End)
      ByDefinition[{Span.File, Span.Begin}].push_back(&W);
  }
  for (auto &[Definition, Group] : ByDefinition) {
    const Wish *One = nullptr, *Two = nullptr;
    for (const Wish *A : Group)
      for (const Wish *B : Group)
        if (!One && !wantsAlike(*A, *B, Texts)) {
          One = std::min(A, B); // in the report's order
          Two = std::max(A, B);
        }
    if (!One)
      continue;
    Refusal Why{Reason::InstantiationsDiffer, One->Kernel->Source.Where,
                One->Kernel->Source.Name + " and " + Two->Kernel->Source.Name};
    for (Wish *W : Group)
      withdraw(*W, Why);
  }
}

//===-- All kernels -------------------------------------------------------===//

static llvm::Expected<std::vector<Wish>>
wishesOf(const Transform &T, const Report &Report,
         std::map<std::string, FileFacts> &Facts) {
  std::vector<Wish> Out;
  for (const KernelReport &Kernel : Report.Kernels) {
    Wish W{&Kernel, {}, {}};
    Transform::Preparation P = T.prepare(Kernel, Report.Gpu);
    if (P.Wanted) {
      std::swap(W.Own.Facts, Facts);
      llvm::Error Failed = T.apply(Kernel, Report.Gpu, Report.Texts, W.Own);
      std::swap(W.Own.Facts, Facts);
      if (Failed)
        return std::move(Failed);
      llvm::append_range(P.Refusals, W.Own.Refused);
      W.Own.Refused = std::move(P.Refusals);
    }
    for (const auto &[File, Replacements] : W.Own.Files)
      for (const clang::tooling::Replacement &R : Replacements)
        W.Places[{File, R.getOffset()}] = R.getReplacementText().str();
    Out.push_back(std::move(W));
  }
  return Out;
}

namespace {
/// What is inserted at one place: first what ends enclosed texts, the innermost
/// first, then all else in the order of the transforms.
class Gathered {
public:
  /// Closings: as in Edits, of this text.
  void add(StringRef Text, llvm::ArrayRef<std::pair<unsigned, size_t>> Ended) {
    for (const auto &[Begin, Length] : Ended) {
      unsigned B = Begin;
      auto Next =
          llvm::find_if(Closings, [B](const auto &C) { return C.first <= B; });
      Closings.insert(Next, {Begin, Text.take_front(Length).str()});
      Text = Text.drop_front(Length);
    }
    Rest += Text;
  }
  std::string text() const {
    std::string Out;
    for (const auto &[Begin, Text] : Closings)
      Out += Text;
    return Out + Rest;
  }

private:
  std::vector<std::pair<unsigned, std::string>> Closings; ///< where each begins
  std::string Rest;
};

/// The edits of the whole report, while they grow.
class Merger {
public:
  Merger(const TextMap &Texts, Edits &Out) : Texts(Texts), Out(Out) {}

  void add(Wish &W) {
    if (contradicts(W))
      withdraw(W, {Reason::CalledTwice, W.Kernel->Source.Where,
                   W.Kernel->Source.Name});
    for (const auto &[At, Text] : W.Places)
      if (OfTransform[At].insert(withoutReasons(Text)).second)
        All[At].add(Text, W.Own.Closings[At]);
    for (const Applied &A : W.Own.Done)
      if (Done.insert({A.Transform, A.Where.File, A.Where.Line, A.Where.Column,
                       A.Summary})
              .second)
        Out.Done.push_back(A);
    for (const Refusal &R : W.Own.Refused)
      if (Refused
              .insert(
                  {R.Why, R.Where.File, R.Where.Line, R.Where.Column, R.Detail})
              .second)
        Out.Refused.push_back(R);
  }

  void nextTransform() { OfTransform.clear(); }

  void finish() {
    for (const auto &[At, Pieces] : All)
      insert(Out, At.first, At.second, Pieces.text());
  }

private:
  /// Whether another kernel wants other code in the same device function.
  bool contradicts(const Wish &W) const {
    return llvm::any_of(W.Places, [&](const auto &P) {
      auto Found = OfTransform.find(P.first);
      return Found != OfTransform.end() &&
             !Found->second.count(withoutReasons(P.second)) &&
             !launchAt(W.Kernel->Source, P.first, Texts);
    });
  }

  const TextMap &Texts;
  Edits &Out;
  std::map<Place, Gathered> All;
  std::map<Place, std::set<std::string>> OfTransform;
  std::set<
      std::tuple<std::string, std::string, unsigned, unsigned, std::string>>
      Done;
  std::set<std::tuple<Reason, std::string, unsigned, unsigned, std::string>>
      Refused;
};
} // namespace

llvm::Expected<Edits> rewrite(const Report &Report,
                              const RewriteOptions &Options) {
  auto Transforms = chosen(Options.Transforms);
  if (!Transforms)
    return Transforms.takeError();
  std::map<std::string, FileFacts> Facts;
  for (const auto &[File, Style] : Options.Styles)
    Facts[File].Style = Style;

  Edits Out;
  Merger Merge(Report.Texts, Out);
  for (const Transform *T : *Transforms) {
    auto Wishes = wishesOf(*T, Report, Facts);
    if (!Wishes)
      return Wishes.takeError();
    agree(*Wishes, Report.Texts);
    Merge.nextTransform();
    for (Wish &W : *Wishes)
      Merge.add(W);
  }
  Merge.finish();
  Out.Facts = std::move(Facts);
  return Out;
}

llvm::Expected<std::map<std::string, std::string>>
apply(const Edits &Edits, const std::map<std::string, std::string> &Texts) {
  std::map<std::string, std::string> Out;
  for (const auto &[File, Replacements] : Edits.Files) {
    if (Replacements.empty())
      continue;
    auto Found = Texts.find(File);
    if (Found == Texts.end())
      return llvm::createStringError("edits for " + File +
                                     ", whose text is not known");
    auto New =
        clang::tooling::applyAllReplacements(Found->second, Replacements);
    if (!New)
      return New.takeError();
    Out[File] = std::move(*New);
  }
  return Out;
}

} // namespace catt
