//===- Search.cpp - Propose, write, measure, compare ----------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/optimize/Search.h"
#include "analysis/plan/variant/JointStrategy.h"
#include "llvm/ADT/STLExtras.h"

namespace catt {
namespace {

/// The text of a report.
struct Written {
  Edits Changes;
  std::map<std::string, std::string> Texts;
};

/// Of one text: what it has of each kernel, and what is asked about it.
struct Asked {
  std::vector<const Proposal *> Of; ///< as in Each; null: not asked about
  TextQuestion Question;
};

class Search {
public:
  Search(Report &R, std::vector<Searched> Each, const RewriteOptions &Rewriting,
         const TextMeasure &Measure)
      : R(R), Each(std::move(Each)), Rewriting(Rewriting), Measure(Measure),
        Trial(R) {}
  llvm::Error run();

private:
  /// Of each kernel.
  using Round = std::vector<std::vector<Proposal>>;
  llvm::Error ask(Round &Proposed);
  llvm::Expected<std::optional<Asked>> question(size_t Nth, Round &Proposed);
  llvm::Error settle();
  llvm::Expected<Written> write() const;
  bool shows(const Searched &S, const Variant &V, const Edits &Changes) const;
  Variant &tried(const Searched &S) { return Trial.Kernels[S.Kernel]; }

  Report &R;
  std::vector<Searched> Each;
  const RewriteOptions &Rewriting;
  const TextMeasure &Measure;
  Report Trial; ///< with what is tried now
};
} // namespace

llvm::Expected<Written> Search::write() const {
  llvm::Expected<Edits> Changes = rewrite(Trial, Rewriting);
  if (!Changes)
    return Changes.takeError();
  auto Texts = catt::apply(*Changes, R.Texts);
  if (!Texts)
    return Texts.takeError();
  return Written{std::move(*Changes), std::move(*Texts)};
}

/// Is something written of every part that the variant needs?
bool Search::shows(const Searched &S, const Variant &V,
                   const Edits &Changes) const {
  const Kernel &K = R.Kernels[S.Kernel].Source;
  return llvm::all_of(S.By->needs(V), [&](Part P) {
    return llvm::any_of(Changes.Done, [&](const Applied &A) {
      return A.By->writes(P) && A.Where == K.Where;
    });
  });
}

/// The text with the Nth proposal of each kernel; empty if none can be written.
/// A kernel that has no more stays as it was in the text before.
llvm::Expected<std::optional<Asked>> Search::question(size_t Nth,
                                                      Round &Proposed) {
  Asked Out{std::vector<const Proposal *>(Each.size()), {}};
  for (auto [S, All, Of] : llvm::zip_equal(Each, Proposed, Out.Of))
    if (Nth < All.size()) {
      Of = &All[Nth];
      tried(S) = Of->As;
    }
  llvm::Expected<Written> Text = write();
  if (!Text)
    return Text.takeError();
  for (auto [S, All, Of] : llvm::zip_equal(Each, Proposed, Out.Of))
    if (Of && shows(S, Of->As, Text->Changes)) {
      Out.Question.Caps[R.Kernels[S.Kernel].Source.Name] = Of->CapRegisters;
    } else if (Of) {
      S.By->refuse();
      Of = nullptr;
      All.erase(All.begin() + Nth,
                All.end()); // what was asked about before is still answered
    }
  if (Out.Question.Caps.empty())
    return std::nullopt;
  Out.Question.Texts = std::move(Text->Texts);
  return Out;
}

llvm::Error Search::ask(Round &Proposed) {
  std::vector<Asked> All;
  auto Most = [&] {
    size_t N = 0;
    for (const std::vector<Proposal> &Of : Proposed)
      N = std::max(N, Of.size());
    return N;
  };
  for (size_t Nth = 0; Nth < Most(); ++Nth) {
    llvm::Expected<std::optional<Asked>> Next = question(Nth, Proposed);
    if (!Next)
      return Next.takeError();
    if (*Next)
      All.push_back(std::move(**Next));
  }
  if (All.empty())
    return llvm::Error::success();
  std::vector<TextQuestion> Questions;
  for (Asked &A : All)
    Questions.push_back(std::move(A.Question));
  llvm::Expected<std::vector<TextAnswer>> Answers = Measure(Questions);
  if (!Answers)
    return Answers.takeError();
  if (Answers->size() != All.size())
    return llvm::createStringError("%zu questions have %zu answers", All.size(),
                                   Answers->size());
  for (const auto &[Answer, A] : llvm::zip_equal(*Answers, All))
    for (auto [S, Of] : llvm::zip_equal(Each, A.Of)) {
      auto Found = Answer.find(R.Kernels[S.Kernel].Source.Name);
      if (Of && Found != Answer.end())
        S.By->learn(Of->As, Found->second);
    }
  return llvm::Error::success();
}

/// Takes what each decides, as far as the text can be written so.
llvm::Error Search::settle() {
  std::vector<std::optional<Variant>> Decided;
  for (const Searched &S : Each) {
    Decided.push_back(S.By->decide());
    tried(S) = Decided.back() ? *Decided.back() : R.Kernels[S.Kernel];
  }
  llvm::Expected<Written> Text = write();
  if (!Text)
    return Text.takeError();
  for (auto [S, V] : llvm::zip_equal(Each, Decided))
    if (V && shows(S, *V, Text->Changes))
      static_cast<Variant &>(R.Kernels[S.Kernel]) = std::move(*V);
  return llvm::Error::success();
}

llvm::Error Search::run() {
  while (true) {
    Round Proposed;
    for (const Searched &S : Each)
      Proposed.push_back(S.By->propose());
    if (llvm::all_of(Proposed, [](const auto &Of) { return Of.empty(); }))
      return settle();
    if (llvm::Error E = ask(Proposed))
      return E;
  }
}

llvm::Error search(Report &R, std::vector<Searched> Each,
                   const RewriteOptions &Rewriting,
                   const TextMeasure &Measure) {
  if (Each.empty())
    return llvm::Error::success();
  return Search(R, std::move(Each), Rewriting, Measure).run();
}

//===-- What there is to look for -----------------------------------------===//

std::vector<Searched> searchesOf(const Report &R, const Means &OfFile) {
  std::vector<Searched> Out;
  for (const auto &[I, K] : llvm::enumerate(R.Kernels)) {
    const Means May = K.Own ? K.Own->May : OfFile;
    bool Again = May.Remat && K.Remat && !K.Remat->Values.empty();
    if (!K.Joint.empty())
      Out.push_back({I, std::make_unique<JointStrategy>(K.Source, *K.Pressure,
                                                        K.Joint, May)});
    else if (Again || (May.Spill && K.Spill))
      Out.push_back(
          {I, std::make_unique<PointStrategy>(K.Source, *K.Pressure, K, May)});
  }
  return Out;
}

} // namespace catt
