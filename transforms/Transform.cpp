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
#include "transforms/LaunchCalls.h"
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
/// What one transform wants of one kernel.
struct KernelEdits {
  const KernelReport *Kernel;
  Edits Own;
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

static const Launch *launchAt(const Kernel &Kernel, const TextPlace &At) {
  for (const Launch &L : Kernel.Launches)
    if (L.Written && L.Written->Config.File == At.first &&
        L.Written->Config.Begin <= At.second &&
        At.second <= L.Written->Config.End)
      return &L;
  return nullptr;
}

/// Whether a place where one kernel is edited is the other one's too: the text
/// of the definition is, a launch only if it launches both.
static bool isShared(const TextPlace &At, const Kernel &Own,
                     const Kernel &Other) {
  return !launchAt(Own, At) || launchAt(Other, At);
}

static bool editsAlike(const KernelEdits &A, const KernelEdits &B) {
  for (const auto &[At, Pieces] : A.Own.Added) {
    if (!isShared(At, A.Kernel->Source, B.Kernel->Source))
      continue;
    auto Found = B.Own.Added.find(At);
    if (Found == B.Own.Added.end() ||
        withoutReasons(Found->second.text()) != withoutReasons(Pieces.text()))
      return false;
  }
  return true;
}

static void withdraw(KernelEdits &W, Refusal Why) {
  W.Own.Added.clear();
  W.Own.Done.clear();
  W.Own.Calls.clear();
  W.Own.Refused.push_back(std::move(Why));
}

/// Withdraws what instantiations of one template do not all want.
static void agree(std::vector<KernelEdits> &All) {
  std::map<TextPlace, std::vector<KernelEdits *>> ByDefinition;
  for (KernelEdits &W : All) {
    const SourceSpan &Span = W.Kernel->Source.Span;
    if (Span.Begin < Span.End)
      ByDefinition[{Span.File, Span.Begin}].push_back(&W);
  }
  for (auto &[Definition, Group] : ByDefinition) {
    const KernelEdits *One = nullptr, *Two = nullptr;
    for (const KernelEdits *A : Group)
      for (const KernelEdits *B : Group)
        if (!One && !editsAlike(*A, *B)) {
          One = std::min(A, B); // in the report's order
          Two = std::max(A, B);
        }
    if (!One)
      continue;
    Refusal Why{Reason::InstantiationsDiffer, One->Kernel->Source.Where,
                One->Kernel->Source.Name + " and " + Two->Kernel->Source.Name};
    for (KernelEdits *W : Group)
      withdraw(*W, Why);
  }
}

//===-- All kernels -------------------------------------------------------===//

static llvm::Expected<std::vector<KernelEdits>>
prepareAll(const Transform &T, const Report &Report,
           std::map<std::string, FileFacts> &Facts) {
  std::vector<KernelEdits> Out;
  for (const KernelReport &Kernel : Report.Kernels) {
    KernelEdits W{&Kernel, {}};
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
    Out.push_back(std::move(W));
  }
  return Out;
}

namespace {
/// The edits of the whole report, while they grow.
class Merger {
public:
  explicit Merger(Edits &Out) : Out(Out) {}

  void add(KernelEdits &W) {
    if (contradicts(W))
      withdraw(W, {Reason::CalledTwice, W.Kernel->Source.Where,
                   W.Kernel->Source.Name});
    for (const auto &[At, Pieces] : W.Own.Added)
      if (OfTransform[At].insert(withoutReasons(Pieces.text())).second)
        Out.Added[At].add(Pieces);
    llvm::append_range(Out.Calls, W.Own.Calls);
    for (const Applied &A : W.Own.Done)
      if (Done.insert({A.Transform, A.Where.File, A.Where.Line, A.Where.Column,
                       A.Summary})
              .second)
        Out.Done.push_back(A);
    for (const Refusal &R : W.Own.Refused)
      if (Refused
              .insert({R.Kind, R.Where.File, R.Where.Line, R.Where.Column,
                       R.Detail})
              .second)
        Out.Refused.push_back(R);
  }

  void nextTransform() { OfTransform.clear(); }

private:
  /// Whether another kernel wants other code in the same device function.
  bool contradicts(const KernelEdits &W) const {
    return llvm::any_of(W.Own.Added, [&](const auto &P) {
      auto Found = OfTransform.find(P.first);
      return Found != OfTransform.end() &&
             !Found->second.count(withoutReasons(P.second.text())) &&
             !launchAt(W.Kernel->Source, P.first);
    });
  }

  Edits &Out;
  std::map<TextPlace, std::set<std::string>> OfTransform;
  std::set<
      std::tuple<std::string, std::string, unsigned, unsigned, std::string>>
      Done;
  std::set<std::tuple<Reason, std::string, unsigned, unsigned, std::string>>
      Refused;
};
} // namespace

static Shortfall shortfall(const Transform &T, size_t Kernel,
                           const KernelEdits &W) {
  Shortfall Out{Kernel, T.name().str(), W.Own.Refused, {}};
  for (const Applied &A : W.Own.Done)
    Out.Done.push_back(A.Where);
  return Out;
}

llvm::Expected<Edits> rewrite(const Report &Report,
                              const RewriteOptions &Options) {
  auto Transforms = chosen(Options.Transforms);
  if (!Transforms)
    return Transforms.takeError();
  std::map<std::string, FileFacts> Facts;
  for (const auto &[File, Style] : Options.Styles)
    Facts[File].Style = Style;

  Edits Out;
  Merger Merge(Out);
  for (const Transform *T : *Transforms) {
    auto All = prepareAll(*T, Report, Facts);
    if (!All)
      return All.takeError();
    agree(*All);
    Merge.nextTransform();
    for (auto [I, W] : llvm::enumerate(*All)) {
      Merge.add(W);
      if (!W.Own.Refused.empty())
        Out.Shortfalls.push_back(shortfall(*T, I, W));
    }
  }
  Out.Facts = std::move(Facts);
  addLaunchFunctions(Report.Texts, Out);
  assemble(Out);
  return Out;
}

//===-- Edits -------------------------------------------------------------===//

void Insertion::close(unsigned Begin, std::string Text) {
  auto Next = llvm::find_if(Closings,
                            [&](const Closing &C) { return C.Begin <= Begin; });
  Closings.insert(Next, {Begin, std::move(Text)});
}

void Insertion::add(const Insertion &Other) {
  for (const Closing &C : llvm::reverse(Other.Closings))
    close(C.Begin, C.Text);
  llvm::append_range(Calls, Other.Calls);
  lead(Other.Lines);
  append(Other.Rest);
  touch(Other.Last);
}

void Insertion::call(std::string Head, std::string Open, std::string Close) {
  Calls.push_back({std::move(Head), std::move(Open), std::move(Close)});
}

std::string Insertion::text() const {
  std::string Out, Heads, Open, Close;
  for (const Closing &C : Closings)
    Out += C.Text;
  Out += Lines;
  for (const Call &C : Calls) {
    Heads += (Heads.empty() ? "" : ", ") + C.Head;
    Open += C.Open;
    Close.insert(0, C.Close);
  }
  if (!Calls.empty())
    Out += "/* catt: " + Heads + " */ , " + Open + "0" + Close +
           " /* catt: done */ ";
  return Out + Rest + Last;
}

void assemble(Edits &Edits) {
  for (const auto &[At, Pieces] : Edits.Added)
    llvm::cantFail(
        Edits.Files[At.first].add({At.first, At.second, 0, Pieces.text()}));
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
