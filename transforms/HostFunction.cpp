//===- HostFunction.cpp - Launch settings that follow the block --*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transforms/HostFunction.h"
#include "transforms/LaunchSites.h"
#include "llvm/ADT/StringExtras.h"

using llvm::StringRef;

namespace catt {

bool isPure(const std::string &Expression) {
  using namespace clang::tok;
  bool Pure = true;
  StringRef Last;
  forEachToken(
      Expression, 0, [&](const clang::Token &T, unsigned B, unsigned E) {
        StringRef Word = StringRef(Expression).slice(B, E);
        // What a name or a parenthesis stands before is called, but for these.
        if (T.is(l_paren) && !Last.empty() && Last != "sizeof" &&
            Last != "dim3")
          Pure &= !llvm::isAlnum(Last.back()) && Last.back() != '_' &&
                  Last != ")" && Last != ">";
        else
          Pure &= T.isOneOf(raw_identifier, numeric_constant, l_paren, r_paren,
                            plus, minus, star, slash, percent, period,
                            coloncolon, less, greater, lessequal, greaterequal,
                            equalequal, exclaimequal, question, colon, comma);
        Last = Word;
        return Pure;
      });
  return Pure;
}

/// The second of the arguments in `<<<grid, block, shared>>>`.
static std::string blockArgument(StringRef Configuration) {
  if (!Configuration.consume_front("<<<") || !Configuration.consume_back(">>>"))
    return "";
  std::string Text = Configuration.str();
  unsigned Depth = 0, Argument = 0, Begin = 0, End = Text.size();
  forEachToken(Text, 0, [&](const clang::Token &T, unsigned B, unsigned E) {
    using namespace clang::tok;
    if (T.isOneOf(l_paren, l_square, l_brace))
      ++Depth;
    if (T.isOneOf(r_paren, r_square, r_brace) && Depth > 0)
      --Depth;
    if (T.isNot(comma) || Depth > 0)
      return true;
    if (Argument++ == 0) {
      Begin = E;
      return true;
    }
    End = B;
    return false;
  });
  return Argument ? StringRef(Text).slice(Begin, End).trim().str() : "";
}

/// Whether the launch is the statement, not a part of one whose own
/// declarations its block may name.
static bool isWholeStatement(const Launch &L, StringRef Text) {
  StringRef Before = Text.take_front(L.Statement->Begin);
  unsigned Column = Before.size() - (Before.rfind('\n') + 1) + 1;
  return L.Where.Line == Before.count('\n') + 1 && L.Where.Column == Column;
}

std::vector<BlockSite> blockSites(const Kernel &Kernel, const TextMap &Texts,
                                  std::vector<Refusal> &Refusals) {
  std::vector<BlockSite> Sites;
  if (Kernel.Name.find('<') != std::string::npos) {
    Refusals.push_back({Reason::LaunchNotEditable, Kernel.Where,
                        "the launch of a template by a block size that only "
                        "the run knows"});
    return Sites;
  }
  for (const Launch *L : launchSites(Kernel, Refusals)) {
    if (std::optional<Refusal> R = cannotEditLaunch(Texts, *L)) {
      Refusals.push_back(*R);
      return {};
    }
    BlockSite Site{L, blockArgument(L->Text),
                   StringRef(L->Callee).trim().str()};
    Site.Scope.resize(Site.Scope.size() - Kernel.UnqualifiedName.size());
    bool Behind = L->Statement->File == Kernel.Span.File &&
                  L->Statement->Begin >= Kernel.Span.End;
    if (!Behind || Site.Block.empty() || !isPure(Site.Block) ||
        !isWholeStatement(*L, Texts.at(L->Statement->File))) {
      Refusals.push_back({Reason::LaunchNotEditable, L->Where, L->Text});
      return {};
    }
    Sites.push_back(std::move(Site));
  }
  return Sites;
}

bool isDeclared(const std::string &Text, StringRef Name) {
  bool Found = false;
  if (StringRef(Text).contains(Name))
    forEachToken(Text, 0, [&](const clang::Token &T, unsigned B, unsigned E) {
      Found = T.is(clang::tok::raw_identifier) &&
              StringRef(Text).slice(B, E) == Name;
      return !Found;
    });
  return Found;
}

std::string byThreads(llvm::ArrayRef<LaunchCase> Cases,
                      llvm::function_ref<int64_t(const LaunchCase &)> Value) {
  std::string Out;
  std::optional<int64_t> Last;
  for (const LaunchCase &C : Cases) {
    std::string Here = std::to_string(Value(C));
    if (!Last)
      Out = Here;
    else if (*Last != Value(C))
      Out.insert(0, "threads >= " + std::to_string(C.FromThreads) + " ? " +
                        Here + " : ");
    Last = Value(C);
  }
  return Out;
}

void addHostFunction(const TextMap &Texts, const Kernel &Kernel,
                     StringRef Transform, StringRef Head,
                     llvm::ArrayRef<std::string> Body, size_t Cases,
                     Edits &Out) {
  Addition What{
      Transform.str(),
      std::to_string(Cases),
      "by threads per block",
      {Head.str() + " {", "unsigned threads = block.x * block.y * block.z;"},
      {}};
  llvm::append_range(What.Open, Body);
  What.Open.push_back("}");
  addBehindDefinition(Texts, Kernel.Span, What, Out);
}

} // namespace catt
