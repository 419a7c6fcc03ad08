//===- Launches.cpp - Launches that are timed -----------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/tune/Launches.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include <set>
#include <tuple>

using namespace llvm;

namespace catt {
namespace {

/// Behind a string, a character or a comment that begins at I; else I.
size_t skipToken(StringRef Text, size_t I) {
  StringRef Rest = Text.drop_front(I);
  size_t End = StringRef::npos;
  if (Rest.starts_with("//"))
    End = Text.find('\n', I);
  else if (Rest.starts_with("/*"))
    End = Text.find("*/", I + 2) + 2;
  else if (Rest.starts_with("\"") || Rest.starts_with("'")) {
    for (End = I + 1; End < Text.size() && Text[End] != Text[I]; ++End)
      if (Text[End] == '\\')
        ++End;
    ++End;
  } else
    return I;
  return std::min(End, Text.size());
}

/// Where the first character of code at or behind I is.
size_t skipBlank(StringRef Text, size_t I) {
  while (I < Text.size()) {
    if (isSpace(Text[I]))
      ++I;
    else if (Text.substr(I).starts_with("//") ||
             Text.substr(I).starts_with("/*"))
      I = skipToken(Text, I);
    else
      break;
  }
  return I;
}

/// Behind the semicolon of a call whose arguments begin at I; or npos.
size_t endOfCall(StringRef Text, size_t I) {
  I = skipBlank(Text, I);
  if (I >= Text.size() || Text[I] != '(')
    return StringRef::npos;
  unsigned Depth = 0;
  while (I < Text.size()) {
    size_t Behind = skipToken(Text, I);
    if (Behind != I) {
      I = Behind;
      continue;
    }
    Depth += Text[I] == '(' ? 1 : Text[I] == ')' ? -1 : 0;
    ++I;
    if (Depth)
      continue;
    I = skipBlank(Text, I);
    return I < Text.size() && Text[I] == ';' ? I + 1 : StringRef::npos;
  }
  return StringRef::npos;
}

/// A name, a member or an element by constants and names: reading it twice is
/// as good as once.
bool isPlainStream(StringRef Text) {
  return all_of(Text,
                [](char C) {
                  return isAlnum(C) || StringRef("_.:[]> -").contains(C);
                }) &&
         !Text.contains("--");
}

/// What stands before the launch ends another statement, or holds this one.
bool beginsStatement(StringRef Before) {
  Before = Before.rtrim();
  return Before.ends_with("*/") || Before.ends_with("else") ||
         Before.ends_with("do") ||
         (!Before.empty() && StringRef("{};):").contains(Before.back())) ||
         Before.rsplit('\n').second.ltrim().starts_with("//") ||
         Before.rsplit('\n').second.ltrim().starts_with("#");
}

/// Empty if the launch can be timed; else why not.
std::string place(const Launch &L, const Report &Analysed, TimedLaunch &Out) {
  if (!L.Written)
    return "no <<<>>> in a file that can be edited";
  const LaunchText &W = *L.Written;
  auto Text = Analysed.Texts.find(W.Config.File);
  if (Text == Analysed.Texts.end() || W.Callee.End <= W.Callee.Begin)
    return "a macro holds the launch";
  StringRef All = Text->second;
  size_t End = endOfCall(All, W.Config.End);
  if (End == StringRef::npos ||
      !beginsStatement(All.take_front(W.Callee.Begin)))
    return "the launch is no statement of its own";
  Out.File = W.Config.File;
  Out.Begin = W.Callee.Begin;
  Out.End = unsigned(End);
  if (L.SharedArgument && L.SharedArgument->End > L.SharedArgument->Begin &&
      W.Config.End >= L.SharedArgument->End + 3)
    Out.Stream = All.slice(L.SharedArgument->End, W.Config.End - 3)
                     .ltrim(" \t\r\n,")
                     .rtrim()
                     .str();
  return isPlainStream(Out.Stream) ? "" : "its stream may not be read twice";
}

} // namespace

std::vector<TimedLaunch>
timedLaunches(const Report &Analysed,
              std::map<std::string, std::string> &Without) {
  std::map<std::pair<std::string, unsigned>, TimedLaunch> Found;
  for (const KernelReport &K : Analysed.Kernels) {
    const std::string &Name = K.Source.UnqualifiedName;
    if (K.Source.Launches.empty())
      Without.emplace(Name, "no launch of it is in sight");
    for (const Launch &L : K.Source.Launches) {
      TimedLaunch T;
      T.Kernel = Name;
      std::string Why = place(L, Analysed, T);
      if (!Why.empty())
        Without.emplace(Name, Why);
      else
        Found.try_emplace({T.File, T.Begin}, T);
    }
  }
  std::vector<TimedLaunch> All;
  for (auto &[Where, T] : Found)
    All.push_back(std::move(T));
  return All;
}

Expected<std::vector<TimedLaunch>>
shifted(std::vector<TimedLaunch> Launches,
        const clang::tooling::Replacements &Edits) {
  for (TimedLaunch &T : Launches) {
    int64_t Begin = T.Begin, End = T.End;
    for (const auto &R : Edits) {
      unsigned From = R.getOffset(), To = From + R.getLength();
      int64_t More = int64_t(R.getReplacementText().size()) - R.getLength();
      if ((From < T.Begin && To > T.Begin) || (From < T.End && To > T.End))
        return createStringError("an edit crosses the edge of a launch");
      if (From < T.Begin)
        Begin += More;
      if (From < T.End || To == T.End)
        End += More;
    }
    T.Begin = unsigned(Begin);
    T.End = unsigned(End);
  }
  return Launches;
}

std::string withTimedLaunches(StringRef Path, StringRef Text,
                              ArrayRef<TimedLaunch> Launches,
                              StringRef Header) {
  std::string Out =
      ("#include \"" + Header + "\"\n#line 1 \"" + Path + "\"\n").str();
  size_t Done = 0;
  for (const TimedLaunch &T : Launches) {
    Out += Text.slice(Done, T.Begin);
    Out += "{ catt::Timed cattTimed(\"" + T.Kernel + "\"";
    if (!T.Stream.empty())
      Out += ", " + T.Stream;
    Out += "); ";
    Out += Text.slice(T.Begin, T.End);
    // A comment that ends an edit may run to the end of the line.
    Out += StringRef(Out).rsplit('\n').second.contains("//") ? "\n}" : " }";
    Done = T.End;
  }
  return Out + Text.drop_front(Done).str();
}

Expected<std::pair<std::map<std::string, double>, int64_t>>
parseTimes(StringRef Text) {
  Expected<json::Value> Read = json::parse(Text);
  if (!Read)
    return Read.takeError();
  const json::Object *All = Read->getAsObject();
  const json::Object *Kernels = All ? All->getObject("kernels") : nullptr;
  if (!Kernels)
    return createStringError("there are no kernels in the file of times");
  if (int64_t N = All->getInteger("untimed").value_or(0))
    return createStringError(Twine(N) + " launches could not be timed");
  std::pair<std::map<std::string, double>, int64_t> Out;
  for (const auto &[Name, Value] : *Kernels) {
    const json::Object *K = Value.getAsObject();
    auto Total = K ? K->getNumber("total_ms") : std::nullopt;
    if (!Total)
      return createStringError("there is no total_ms of kernel '" + Name.str() +
                               "' in the file of times");
    Out.first[Name.str()] = *Total;
    Out.second += K->getInteger("launches").value_or(0);
  }
  return Out;
}

} // namespace catt
