//===- Transform.cpp - How transforms are run -----------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   kernels --prepare, edit--> edits of each kernel alone
//           --agree----------> those that all instantiations want alike
//           --merge----------> edits of the whole report
//
//===----------------------------------------------------------------------===//
#include "transforms/Transform.h"
#include "transforms/AddedFunctions.h"
#include "transforms/SourceEdit.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <set>
#include <tuple>

using llvm::StringRef;

namespace catt {

std::optional<Refusal> Shortfall::refusedAt(const Location &Where) const {
  if (llvm::is_contained(Done, Where))
    return std::nullopt;
  auto Own =
      llvm::find_if(Why, [&](const Refusal &R) { return R.Where == Where; });
  return Own == Why.end() ? Why.front() : *Own;
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

/// The launch whose arguments or whose kernel's name stand there.
static const Launch *launchAt(const Kernel &Kernel, const SourceSpan &At) {
  auto Within = [&](const SourceSpan &S) {
    return S.File == At.File && S.Begin <= At.Begin && At.End <= S.End;
  };
  for (const Launch &L : Kernel.Launches)
    if (L.Written && (Within(L.Written->Config) || Within(L.Written->Callee)))
      return &L;
  return nullptr;
}

/// Whether a place where one kernel is edited is the other one's too: the text
/// of the definition is, a launch only if it launches both.
static bool isShared(const SourceSpan &At, const Kernel &Own,
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

/// Whether a transform is to run over a kernel.
using Wanting =
    llvm::function_ref<bool(const Transform &, const KernelReport &)>;

static std::vector<KernelEdits> editsOf(const Transform &T,
                                        const Report &Report,
                                        const FileContexts &Files,
                                        Wanting Wants) {
  std::vector<KernelEdits> Out;
  for (const KernelReport &Kernel : Report.Kernels) {
    Preparation P;
    if (Wants(T, Kernel))
      P = T.prepare({Kernel, Report.Gpu, Report.Cuda, Files});
    KernelEdits W{&Kernel, {}};
    W.Own.Refused = std::move(P.Refusals);
    if (P.Found) {
      EditBuilder Builder(T, Files, W.Own);
      P.Found->edit(Builder);
    }
    assert((T.traits().EditsLaunches ||
            llvm::none_of(W.Own.Calls,
                          [](const AddedCall &C) {
                            return findFunction(C.Function)->ForLaunches;
                          })) &&
           "Transforms.def says that it edits no launches");
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
    else if (overlaps(W))
      withdraw(W, {Reason::EditsOverlap, W.Kernel->Source.Where,
                   "in " + W.Kernel->Source.Name});
    for (const auto &[At, Pieces] : W.Own.Added)
      if (OfTransform[At].insert(withoutReasons(Pieces.text())).second)
        Out.Added[At].add(Pieces);
    llvm::append_range(Out.Calls, W.Own.Calls);
    for (const Applied &A : W.Own.Done)
      if (Done.insert(
                  {A.By, A.Where.File, A.Where.Line, A.Where.Column, A.Summary})
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

  /// Whether what it replaces is changed by another transform, too, or the
  /// other way round.
  bool overlaps(const KernelEdits &W) const {
    auto IsNew = [&](const SourceSpan &At, const Insertion &Text) {
      auto Found = OfTransform.find(At);
      return Found == OfTransform.end() ||
             !Found->second.count(withoutReasons(Text.text()));
    };
    SourceSpan Last; // that replaces
    for (const auto &[At, Pieces] : W.Own.Added) {
      bool Inside = At.File == Last.File && At.Begin < Last.End;
      if (Inside || (IsNew(At, Pieces) && overlapsOther(Out, At)))
        return true;
      if (At.Begin < At.End)
        Last = At;
    }
    return false;
  }

  Edits &Out;
  std::map<SourceSpan, std::set<std::string>> OfTransform;
  std::set<std::tuple<const Transform *, std::string, unsigned, unsigned,
                      std::string>>
      Done;
  std::set<std::tuple<Reason, std::string, unsigned, unsigned, std::string>>
      Refused;
};
} // namespace

static Shortfall shortfall(const Transform &T, size_t Kernel,
                           const KernelEdits &W) {
  Shortfall Out{Kernel, &T, W.Own.Refused, {}};
  for (const Applied &A : W.Own.Done)
    Out.Done.push_back(A.Where);
  return Out;
}

static Edits rewrite(const Report &Report,
                     llvm::ArrayRef<const Transform *> Transforms,
                     const Writing &How, Wanting Wants) {
  FileContexts Files = contextsOf(Report.Texts, How.Styles);
  Edits Out;
  Merger Merge(Out);
  for (const Transform *T : Transforms) {
    std::vector<KernelEdits> All = editsOf(*T, Report, Files, Wants);
    agree(All);
    Merge.nextTransform();
    for (auto [I, W] : llvm::enumerate(All)) {
      Merge.add(W);
      if (!W.Own.Refused.empty())
        Out.Shortfalls.push_back(shortfall(*T, I, W));
    }
  }
  addFunctions(Files, How.From, Out);
  assemble(Out);
  return Out;
}

static bool isOwn(const Transform &T, const OwnOptions &Own) {
  return has(Own.Written, T.traits().Writes);
}

llvm::Expected<Edits> rewrite(const Report &Report,
                              const RewriteOptions &Options) {
  if (llvm::Error Unknown = checkNames(Options.Transforms))
    return std::move(Unknown);
  return rewrite(Report, chosenTransforms(Report, Options.Transforms),
                 Options.How, [&](const Transform &T, const KernelReport &K) {
                   return K.Own ? isOwn(T, *K.Own)
                                : isChosen(T, Options.Transforms);
                 });
}

Edits rewrite(const Report &Report,
              llvm::ArrayRef<const Transform *> Transforms,
              const Writing &How) {
  return rewrite(Report, Transforms, How,
                 [](const Transform &T, const KernelReport &K) {
                   return !K.Own || isOwn(T, *K.Own);
                 });
}

//===-- Edits -------------------------------------------------------------===//

bool overlapsOther(const Edits &Edits, const SourceSpan &Span) {
  // Of what is replaced nothing overlaps, so that one before may reach in.
  auto From = Edits.Added.lower_bound({Span.File, Span.Begin, 0});
  for (auto I = From; I != Edits.Added.end() && I->first.File == Span.File &&
                      I->first.Begin < Span.End;
       ++I)
    if (Span.Begin < I->first.End)
      return true;
  while (From != Edits.Added.begin()) {
    const SourceSpan &Before = std::prev(From)->first;
    if (Before.File != Span.File)
      return false;
    if (Before.Begin < Before.End)
      return Span.Begin < Before.End;
    --From;
  }
  return false;
}

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
    llvm::cantFail(Edits.Files[At.File].add(
        {At.File, At.Begin, At.End - At.Begin, sealed(Pieces.text())}));
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
