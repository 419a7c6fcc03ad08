//===- FilePlaces.cpp - Where functions can be added to a file ------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transforms/FilePlaces.h"

using llvm::StringRef;

namespace catt {

void FilePlaces::directive(StringRef Name, unsigned Begin) {
  bool Ends = Name == "endif" || Name.starts_with("el");
  if (Ends)
    Branch = Parents[Branch];
  if (Name.starts_with("if") || Name.starts_with("el")) {
    Parents.push_back(Branch);
    Branch = Parents.size() - 1;
  }
  if (Ends || Name.starts_with("if"))
    Branches[Begin] = Branch;
}

namespace {
/// The comments directly above a declaration belong to it.
class Comments {
public:
  void add(StringRef Text, unsigned Begin, unsigned End) {
    bool Alone = Text.slice(lineStart(Text, Begin), Begin).trim().empty();
    if (!Alone)
      return;
    if (!touches(Text, Begin))
      Top = Begin;
    Last = End;
  }
  void clear() { Top.reset(); }
  unsigned above(StringRef Text, unsigned Begin) const {
    return lineStart(Text, touches(Text, Begin) ? *Top : Begin);
  }

private:
  bool touches(StringRef Text, unsigned Begin) const {
    return Top && Text.slice(Last, Begin).count('\n') <= 1;
  }
  std::optional<unsigned> Top;
  unsigned Last = 0;
};
} // namespace

/// "<a.h>", or "\"a.h\"": a header's name is no token outside of #include.
static StringRef headerAt(StringRef Text, unsigned Begin) {
  const StringRef Rest = Text.drop_front(Begin);
  const size_t End = Rest.find(Rest.front() == '<' ? '>' : '"', 1);
  return End == StringRef::npos ? "" : Rest.take_front(End + 1);
}

FilePlaces::FilePlaces(const std::string &Text) {
  Comments Above;
  bool InDirective = false, Ended = true;
  unsigned Words = 0, Hash = 0; // of the directive
  StringRef Name;
  forEachToken(Text, 0, [&](const clang::Token &T, unsigned B, unsigned E) {
    StringRef Word = StringRef(Text).slice(B, E);
    if (T.is(clang::tok::hash) && T.isAtStartOfLine()) {
      InDirective = true;
      Words = 0;
      Hash = B;
      return true;
    }
    if (T.isAtStartOfLine())
      InDirective = false;
    if (T.is(clang::tok::comment)) {
      if (!InDirective)
        Above.add(Text, B, E);
      return true;
    }
    if (InDirective) {
      if (Words == 0)
        directive(Name = Word, B);
      else if (Words == 1 && Name == "ifndef")
        Guards.insert({Word.str(), Hash});
      else if (Words == 1 && Name == "include")
        Includes.insert({headerAt(Text, B).str(), Hash});
      ++Words;
      Above.clear();
      // A pragma belongs to what follows, but for the one that has no effect.
      Ended = Name != "pragma" || (Words == 2 && Word == "once");
      return true;
    }
    if (Ended && StringRef(Text).slice(lineStart(Text, B), B).trim().empty())
      Starts[B] = Above.above(Text, B);
    Above.clear();
    Ended = T.isOneOf(clang::tok::semi, clang::tok::r_brace);
    return true;
  });
}

unsigned FilePlaces::branchAt(unsigned Offset) const {
  return std::prev(Branches.upper_bound(Offset))->second;
}

bool FilePlaces::reaches(unsigned From, unsigned To) const {
  unsigned Wanted = branchAt(From), Here = branchAt(To);
  while (Here != Wanted && Here != 0)
    Here = Parents[Here];
  return Here == Wanted;
}

std::optional<unsigned> FilePlaces::above(llvm::ArrayRef<unsigned> Tops,
                                          unsigned At) const {
  for (unsigned Top : Tops)
    if (auto Found = Starts.find(Top);
        Found != Starts.end() && Top < At && reaches(Found->second, At))
      return Found->second;
  return std::nullopt;
}

static std::set<unsigned>
placesOf(StringRef Name, const std::multimap<std::string, unsigned> &All) {
  std::set<unsigned> Out;
  auto [Begin, End] = All.equal_range(Name.str());
  for (auto I = Begin; I != End; ++I)
    Out.insert(I->second);
  return Out;
}

std::set<unsigned> FilePlaces::guards(StringRef Macro) const {
  return placesOf(Macro, Guards);
}

std::set<unsigned> FilePlaces::includes(StringRef Name) const {
  return placesOf(Name, Includes);
}

} // namespace catt
