//===- TransformTesting.h - Reports made by hand -----------------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Transforms are functions of a report and of texts, so their tests need no
// parser: a snippet marks the spans that the analysis would report.
//
//   Workbench B("__global__ void k(int n) {\n"
//               "  [[for (;;) step();]]\n"
//               "}\n");
//   B.split(B.kernel("k"), 0, /*Groups=*/2, /*Warps=*/4);
//   EXPECT_REWRITE(B, HasSubstr("cattGroup * 128 < blockDim.x"));
//   EXPECT_REFUSED(B, Reason::InMacro);
//
// Whatever is rewritten must parse where the snippet does, leave nothing to a
// second run, and give back the old bytes.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TEST_UNIT_TRANSFORMTESTING_H
#define CATT_TEST_UNIT_TRANSFORMTESTING_H

#include "SyntaxTesting.h"
#include "transforms/SourceEdit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <regex>
#include <string>
#include <vector>

namespace catt::testing {

constexpr const char *FileName = "/src/k.cu";

/// revert(), as a text that begins with "error: " if it fails.
inline std::string reverted(llvm::StringRef Text) {
  auto Out = revert(FileName, Text);
  return Out ? *Out : "error: " + llvm::toString(Out.takeError());
}

/// A rewritten text without the hashes of its markers, for tests that say what
/// is written and where.
inline std::string withoutHashes(const std::string &Text) {
  static const std::regex Hash("(catt: (?:begin|done)) [0-9a-f]{6}");
  return std::regex_replace(Text, Hash, "$1");
}

/// A report over one file, and what rewriting makes of it.
class ReportBench {
public:
  virtual ~ReportBench() = default;

  const std::string &text() const { return R.Texts.at(R.MainFile); }

  Edits edits() const { return llvm::cantFail(rewrite(R, Rewriting)); }

  /// The text after all transforms; the text itself if nothing changes.
  std::string rewritten() const { return textAfter(edits()); }

  /// The reasons of the refusals, in order.
  std::vector<Reason> refusals() const {
    std::vector<Reason> Out;
    for (const Refusal &Why : edits().Refused)
      Out.push_back(Why.Kind);
    return Out;
  }

  /// The reasons; fails if something is written all the same.
  std::vector<Reason> refusalsOfAll() const {
    EXPECT_EQ(rewritten(), text());
    return refusals();
  }

  /// The rewritten text, without hashes; fails if it does not parse, a second
  /// run has something to do, or revert does not give back the text.
  std::string checked() const {
    Edits First = edits();
    std::string New = textAfter(First);
    if (New == text())
      return New;
    EXPECT_TRUE(parsesLike(New)) << New;
    EXPECT_EQ(reverted(New), reverted(text())); // it may have older edits
    EXPECT_THAT(behind(First, New).Files, ::testing::IsEmpty())
        << "a second run changes this:\n"
        << New;
    return withoutHashes(New);
  }

  Report R;
  RewriteOptions Rewriting;

protected:
  /// Whether a text parses, or the one of the report does not either.
  virtual bool parsesLike(const std::string &New) const = 0;

private:
  std::string textAfter(const Edits &E) const {
    auto New = llvm::cantFail(catt::apply(E, R.Texts));
    return New.empty() ? text() : New.at(R.MainFile);
  }

  /// What a second run does where the first one has left everything.
  Edits behind(const Edits &First, const std::string &New) const {
    Report Second = R;
    Second.Texts[R.MainFile] = New;
    const auto &Changes = First.Files.at(R.MainFile);
    auto Move = [&](SourceSpan &S) {
      bool Empty = S.Begin == S.End;
      S.Begin = Changes.getShiftedCodePosition(S.Begin);
      S.End = Empty ? S.Begin : Changes.getShiftedCodePosition(S.End - 1) + 1;
    };
    for (KernelReport &K : Second.Kernels) {
      Move(K.Source.Span);
      // What is added behind the brace is in the body.
      K.Source.BodyBegin =
          Changes.getShiftedCodePosition(K.Source.BodyBegin - 1) + 1;
      if (std::optional<KernelHead> &H = K.Source.Head)
        for (unsigned *At :
             {&H->Begin, &H->Name, &H->ParametersBegin, &H->ParametersEnd})
          *At = Changes.getShiftedCodePosition(*At);
      for (Loop &L : K.Source.Loops) {
        Move(L.Span);
        if (L.Site)
          Move(L.Site->Span);
      }
      for (BodyStatement &S : K.Source.Statements)
        Move(S.Span);
      for (Launch &L : K.Source.Launches) {
        for (auto *S : {&L.Statement, &L.SharedArgument})
          if (*S)
            Move(**S);
        if (!L.Written)
          continue;
        Move(L.Written->Config);
        Move(L.Written->Callee);
        Move(L.Written->Alone);
        for (unsigned &Top : L.Written->Tops)
          Top = Changes.getShiftedCodePosition(Top);
      }
    }
    return llvm::cantFail(rewrite(Second, Rewriting));
  }
};

/// Expects a text, or what a matcher says of it, from a bench, and that it
/// parses, is left alone by a second run, and reverts.
#define EXPECT_REWRITE(Bench, ...) EXPECT_THAT((Bench).checked(), __VA_ARGS__)

/// Expects that a bench's text stays as it is, for this one reason.
#define EXPECT_REFUSED(Bench, Why)                                             \
  EXPECT_THAT((Bench).refusalsOfAll(), ::testing::ElementsAre(Why))

/// A report over one file, made from a snippet with marked spans. Marks nest;
/// spans are numbered by where they begin.
class Workbench final : public ReportBench {
public:
  explicit Workbench(llvm::StringRef Snippet) {
    std::string Text;
    std::vector<size_t> Open;
    while (!Snippet.empty()) {
      if (Snippet.consume_front("[[")) {
        Open.push_back(Spans.size());
        Spans.push_back({FileName, unsigned(Text.size()), 0});
      } else if (!Open.empty() && Snippet.consume_front("]]")) {
        Spans[Open.back()].End = Text.size();
        Open.pop_back();
      } else {
        Text += Snippet.front();
        Snippet = Snippet.drop_front();
      }
    }
    R.MainFile = FileName;
    R.Texts[FileName] = Text;
    R.Gpu.Capability = 80;
    R.Gpu.SharedBytesPerBlockOptIn = 163 * 1024;
  }

  /// Adds the kernel that the text defines under this name; its blocks have 256
  /// threads, of which nothing is launched yet.
  size_t kernel(llvm::StringRef Name) {
    llvm::StringRef Text = this->text();
    llvm::StringRef Plain = Name.take_front(Name.find('<'));
    size_t At = Text.find((Plain + "(").str());
    size_t Begin = Text.take_front(At).rfind("__global__");
    size_t Brace = Text.find('{', At);
    size_t End = Brace + 1;
    for (int Depth = 1; Depth > 0 && End < Text.size(); ++End)
      Depth += Text[End] == '{' ? 1 : Text[End] == '}' ? -1 : 0;
    KernelReport K;
    K.Source.Name = Name.str();
    K.Source.UnqualifiedName = Plain.str();
    K.Source.Where = where(At);
    K.Source.Span = {FileName, unsigned(Begin), unsigned(End)};
    K.Source.BodyBegin = Brace + 1;
    K.Plan.Before = Residency();
    K.Plan.Before->WarpsPerBlock = 8;
    K.Plan.Before->BlocksPerSM = 4;
    K.Plan.Before->L1Bytes = 208 * 1024;
    Launch Told;
    Told.From = Origin::Told;
    Told.Block = {256, 1, 1};
    K.Source.Launches.push_back(Told);
    R.Kernels.push_back(K);
    return R.Kernels.size() - 1;
  }

  /// Adds a loop at a span, to be split.
  LoopPlan &split(size_t Kernel, size_t Span, int64_t Groups, int64_t Warps) {
    KernelReport &K = R.Kernels[Kernel];
    Loop L;
    L.Id = K.Source.Loops.size();
    L.Where = where(Spans[Span].Begin);
    L.Span = Spans[Span];
    L.Header = "for";
    L.Function = K.Source.UnqualifiedName;
    WrapSite Site;
    Site.Span = Spans[Span];
    Site.Where = L.Where;
    L.Site = Site;
    K.Source.Loops.push_back(L);
    LoopPlan Plan;
    Plan.Loop = L.Id;
    Plan.Groups = Groups;
    Plan.WarpsPerGroup = Warps;
    Plan.FootprintBytes = 512 * 1024;
    K.Plan.Loops.push_back(Plan);
    return K.Plan.Loops.back();
  }

  Loop &loop(size_t Kernel, size_t I = 0) {
    return R.Kernels[Kernel].Source.Loops[I];
  }

  /// Adds the launch whose statement is a span; the third argument is what a
  /// span inside it marks.
  Launch &launch(size_t Kernel, size_t Statement, llvm::StringRef Callee,
                 std::optional<size_t> Shared = std::nullopt) {
    Launch L;
    L.Where = where(Spans[Statement].Begin);
    L.Block = {256, 1, 1};
    L.Text = "<<<...>>>";
    L.Callee = Callee.str();
    L.Statement = Spans[Statement];
    if (Shared)
      L.SharedArgument = Spans[*Shared];
    L.Written = written(Spans[Statement], Callee);
    if (!Shared && !L.Written->Config.File.empty())
      L.SharedArgument = SourceSpan{FileName, L.Written->Config.End - 3,
                                    L.Written->Config.End - 3};
    R.Kernels[Kernel].Source.Launches.push_back(L);
    return R.Kernels[Kernel].Source.Launches.back();
  }

  /// The `<<<>>>` of a statement, as the analysis would show it.
  LaunchText written(const SourceSpan &Statement, llvm::StringRef Callee) {
    llvm::StringRef Text = this->text();
    LaunchText Out;
    size_t Open = Text.find("<<<", Statement.Begin);
    size_t Close = Text.find(">>>", Open);
    if (Close == llvm::StringRef::npos)
      return Out;
    Out.Config = {FileName, unsigned(Open), unsigned(Close + 3)};
    Out.Kernel = Callee.str();
    for (size_t At = Open; At != llvm::StringRef::npos && At > 0;) {
      At = Text.rfind('\n', At - 1);
      size_t Line = At == llvm::StringRef::npos ? 0 : At + 1;
      if (llvm::isAlpha(Text[Line]))
        Out.Tops.push_back(Line);
    }
    return Out;
  }

  KernelPlan &plan(size_t Kernel) { return R.Kernels[Kernel].Plan; }

  Location where(size_t Offset) const {
    llvm::StringRef Before = llvm::StringRef(text()).take_front(Offset);
    Location L;
    L.File = FileName;
    L.Line = Before.count('\n') + 1;
    L.Column = Offset - (Before.rfind('\n') + 1) + 1;
    return L;
  }

  std::vector<SourceSpan> Spans;

protected:
  bool parsesLike(const std::string &New) const override {
    std::string Calls; // what snippets call without saying what it is
    for (std::string Name : {"a", "b", "c", "d", "v", "w", "work", "rest"})
      Calls += "template <class... T> __device__ int " + Name + "(T...);";
    Calls += "\n#line 1\n";
    auto Parses = [&](const std::string &Text) {
      return parsesAsCuda(Calls + Text, /*Device=*/true, /*Quiet=*/true);
    };
    return !Parses(text()) || Parses(New);
  }
};

/// A transform that wants nothing, for edits that are made by hand.
class Named final : public Transform {
public:
  explicit Named(llvm::StringRef Name)
      : Transform({Name, Part::Groups, TransformTraits::Scope::Kernel, false,
                   false, false}) {}
  llvm::StringRef summary() const override { return "Nothing."; }
  Preparation prepare(const Context &) const override { return {}; }
};

/// A text, and edits that are made of it by hand.
struct Edited {
  explicit Edited(std::string Text) : Texts({{FileName, std::move(Text)}}) {}
  void insert(unsigned Offset, llvm::StringRef Added) {
    Out.Added[{FileName, Offset, Offset}].append(Added);
  }
  std::string text() {
    assemble(Out);
    return llvm::cantFail(catt::apply(Out, Texts)).at(FileName);
  }

  std::map<std::string, std::string> Texts;
  FileContexts Files = contextsOf(Texts);
  Edits Out;
  Named By{"stage-rows"};
  EditBuilder Builder{By, Files, Out};
};

} // namespace catt::testing

#endif
