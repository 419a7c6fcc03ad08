//===- KernelPlaces.cpp - Where a kernel is named -------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/tune/KernelPlaces.h"
#include "transforms/Markers.h"
#include "transforms/SourceEdit.h"
#include "clang/Lex/Token.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace catt {
namespace {

constexpr StringLiteral CopySuffix = "_catt";

/// A token that is no comment.
struct CodeWord {
  StringRef Text;
  unsigned Begin = 0, End = 0;
  StringRef Directive; ///< that holds it: "pragma"; empty: none
};

std::vector<CodeWord> wordsIn(const std::string &Text) {
  std::vector<CodeWord> All;
  bool IsDirective = false;
  StringRef Directive;
  forEachToken(Text, 0, [&](const clang::Token &T, unsigned B, unsigned E) {
    if (T.is(clang::tok::comment))
      return true;
    StringRef Here = StringRef(Text).slice(B, E);
    if (T.isAtStartOfLine()) {
      IsDirective = T.is(clang::tok::hash);
      Directive = IsDirective ? "#" : "";
    } else if (IsDirective && Directive == "#") {
      Directive = Here;
    }
    All.push_back({Here, B, E, Directive});
    return true;
  });
  return All;
}

using CodeWords = ArrayRef<CodeWord>;

StringRef textAt(CodeWords All, size_t I) {
  return I < All.size() && All[I].Directive.empty() ? All[I].Text : "";
}

/// Behind the bracket that closes the one at I; All.size() if none does.
size_t behindBracket(CodeWords All, size_t I) {
  size_t Depth = 0;
  for (; I < All.size(); ++I) {
    StringRef Here = textAt(All, I);
    if (Here == "(" || Here == "[" || Here == "{")
      ++Depth;
    else if ((Here == ")" || Here == "]" || Here == "}") && --Depth == 0)
      return I + 1;
    else if (Here.empty())
      break;
  }
  return All.size();
}

/// Behind the `>` of a parameter list that begins at I. Those in parentheses
/// do not count; All.size() where it is not clear.
size_t behindAngles(CodeWords All, size_t I) {
  int Depth = 0;
  while (I < All.size()) {
    StringRef Here = textAt(All, I);
    if (Here.empty() || Here == ";" || Here == "{")
      return All.size();
    if (Here == "(") {
      I = behindBracket(All, I);
      continue;
    }
    Depth += Here == "<" ? 1 : Here == ">" ? -1 : Here == ">>" ? -2 : 0;
    ++I;
    if (Depth <= 0)
      return Depth == 0 ? I : All.size();
  }
  return All.size();
}

/// Behind what may stand before a kernel's type or behind it.
size_t behindSpecifiers(CodeWords All, size_t I) {
  for (;;) {
    StringRef Here = textAt(All, I);
    if (is_contained({"static", "inline", "extern", "__global__", "\"C\""},
                     Here))
      ++I;
    else if (is_contained({"__launch_bounds__", "__maxnreg__", "__attribute__",
                           "__cluster_dims__"},
                          Here) &&
             textAt(All, I + 1) == "(")
      I = behindBracket(All, I + 1);
    else if (Here == "[" && textAt(All, I + 1) == "[")
      I = behindBracket(All, I);
    else if (Here == "template" && textAt(All, I + 1) == "<" &&
             textAt(All, I + 2) != ">")
      I = behindAngles(All, I + 1);
    else
      return I;
  }
}

/// The first of the words of the declaration that the word at I is in.
size_t firstOf(CodeWords All, size_t I) {
  while (I != 0 && All[I - 1].Directive.empty() &&
         !is_contained({";", "{", "}"}, All[I - 1].Text))
    --I;
  return I;
}

/// What declares a kernel by the name at I: its words, up to the parenthesis
/// that closes its parameters, and what follows.
struct Declared {
  size_t First = 0, Behind = 0; ///< indices
};
std::optional<Declared> declaredBy(CodeWords All, size_t I) {
  const size_t First = firstOf(All, I);
  const size_t Type = behindSpecifiers(All, First);
  const bool IsKernel =
      any_of(All.slice(First, I - First),
             [](const CodeWord &W) { return W.Text == "__global__"; });
  if (!IsKernel || textAt(All, Type) != "void" ||
      behindSpecifiers(All, Type + 1) != I || textAt(All, I + 1) != "(")
    return std::nullopt;
  return Declared{First, behindSpecifiers(All, behindBracket(All, I + 1))};
}

std::string placeName(const std::string &File, StringRef Text, unsigned At) {
  return File + ":" + std::to_string(Text.take_front(At).count('\n') + 1);
}

SourceSpan spanFrom(const std::string &File, const std::string &Text,
                    const CodeWord &First, unsigned End) {
  return {File,
          isFirstOnLine(Text, First.Begin) ? lineStart(Text, First.Begin)
                                           : First.Begin,
          End};
}

/// Reads one file after the other.
class PlaceReader {
public:
  PlaceReader(KernelPlaces &Out, SourceSpan Body)
      : Out(Out), Body(std::move(Body)) {}
  Error read(const std::string &File, const std::string &Text);
  Error end() const;

private:
  Error define(const std::string &Text, CodeWords All, size_t I);
  Error declare(const std::string &Text, CodeWords All, size_t I);

  KernelPlaces &Out;
  SourceSpan Body; ///< of the definition, by the analysis
  std::vector<SourceSpan> Launched;
};

Error PlaceReader::define(const std::string &Text, CodeWords All, size_t I) {
  std::optional<Declared> D = declaredBy(All, I);
  if (!D || textAt(All, D->Behind) != "{" || !Out.Definition.File.empty())
    return createStringError("its definition does not begin with plain words "
                             "and 'void " +
                             Twine(Out.Kernel) + "('");
  if (D->First != 0 && All[D->First - 1].Directive == "pragma")
    return createStringError("there is a #pragma before its definition");
  Out.Definition = spanFrom(Body.File, Text, All[D->First], Body.End);
  for (const CodeWord &W : All)
    if (W.Begin >= Out.Definition.Begin && W.End <= Body.End &&
        !is_contained({"", "#", "if", "ifdef", "ifndef", "else", "elif",
                       "endif", "pragma"},
                      W.Directive))
      return createStringError("there is a #" + W.Directive +
                               " in its definition");
  if (!conditionalsBalanced(Text, Out.Definition.Begin, Body.End))
    return createStringError("an #if cuts its definition in two");
  return Error::success();
}

Error PlaceReader::declare(const std::string &Text, CodeWords All, size_t I) {
  std::optional<Declared> D = declaredBy(All, I);
  if (!D || textAt(All, D->Behind) != ";" || !All[I].Directive.empty())
    return createStringError(
        "it is named in " + placeName(Body.File, Text, All[I].Begin) + ", too");
  Out.Declarations.push_back(
      spanFrom(Body.File, Text, All[D->First], All[D->Behind].End));
  return Error::success();
}

Error PlaceReader::read(const std::string &File, const std::string &Text) {
  if (!StringRef(Text).contains(Out.Kernel))
    return Error::success();
  const std::vector<CodeWord> Kept = wordsIn(Text);
  const CodeWords All = Kept;
  for (size_t I = 0; I != All.size(); ++I) {
    const CodeWord &W = All[I];
    if (W.Text.starts_with(Out.Kernel + CopySuffix.str()))
      return createStringError("'" + W.Text + "' is taken");
    if (W.Text != Out.Kernel)
      continue;
    auto In = [&](const SourceSpan &S) {
      return S.File == File && S.Begin <= W.Begin && W.End <= S.End;
    };
    if (auto L = find_if(Out.Launches, In); L != Out.Launches.end()) {
      if (is_contained(Launched, *L))
        return createStringError("a launch of it names it twice");
      Launched.push_back(*L);
    } else if (In(Body)) {
      if (Error E = define(Text, All, I))
        return E;
    } else if (File != Body.File) {
      return createStringError("it is named in " +
                               placeName(File, Text, W.Begin) + ", too");
    } else if (Error E = declare(Text, All, I)) {
      return E;
    }
  }
  for (const SourceSpan &L : Out.Launches)
    for (const CodeWord &W : All)
      if (L.File == File && L.Begin <= W.Begin && W.End <= L.End &&
          !W.Directive.empty())
        return createStringError("there is a directive in a launch of it");
  return Error::success();
}

Error PlaceReader::end() const {
  if (Out.Definition.File.empty())
    return createStringError("its definition is in no file that is edited");
  if (Launched.size() != Out.Launches.size())
    return createStringError("a launch of it does not name it");
  return Error::success();
}

} // namespace

Expected<KernelPlaces> placesOf(StringRef Kernel, const Report &Analysed,
                                ArrayRef<TimedLaunch> Launches,
                                const FileTexts &Texts) {
  KernelPlaces Out;
  Out.Kernel = Kernel.str();
  SourceSpan Body;
  for (const KernelReport &K : Analysed.Kernels) {
    if (K.Source.UnqualifiedName != Kernel)
      continue;
    if (!K.Source.NoCopy.empty())
      return createStringError(K.Source.NoCopy);
    if (!Body.File.empty() && Body != K.Source.Span)
      return createStringError("there are several kernels of this name");
    Body = K.Source.Span;
  }
  for (const TimedLaunch &L : Launches)
    if (L.Kernel == Kernel)
      Out.Launches.push_back({L.File, L.Begin, L.End});
  if (Out.Launches.empty())
    return createStringError("none of its launches is timed");
  PlaceReader R(Out, Body);
  for (const auto &[File, Text] : Texts)
    if (Error E = R.read(File, Text))
      return std::move(E);
  if (Error E = R.end())
    return std::move(E);
  return Out;
}

std::string renamed(const std::string &Text, StringRef Kernel, unsigned Copy) {
  const std::string Suffix = CopySuffix.str() + std::to_string(Copy);
  const std::string Derived = "_" + Kernel.str();
  std::string Out;
  size_t Done = 0;
  forEachToken(Text, 0, [&](const clang::Token &T, unsigned B, unsigned E) {
    StringRef Here = StringRef(Text).slice(B, E);
    if (T.is(clang::tok::raw_identifier) &&
        (Here == Kernel ||
         (Here.starts_with("catt") && Here.ends_with(Derived)))) {
      Out.append(Text, Done, E - Done).append(Suffix);
      Done = E;
    }
    return true;
  });
  return Out.append(Text, Done);
}

} // namespace catt
