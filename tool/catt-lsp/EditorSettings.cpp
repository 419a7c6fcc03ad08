//===- EditorSettings.cpp - What the editor asks for ----------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "EditorSettings.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace llvm;

namespace catt {
namespace {

/// What an editor calls "minGain"; "min-gain" is understood, too.
const OptionRow *findRow(StringRef Name) {
  const OptionRow *Found = find_if(allOptions(), [&](const OptionRow &Row) {
    return Row.By != KnownTo::CommandLine &&
           (editorName(Row) == Name || Row.Name == Name);
  });
  return Found == allOptions().end() ? nullptr : Found;
}

/// A value as an option would spell it; nothing for what has no such spelling.
std::optional<std::string> word(const json::Value &V) {
  if (std::optional<StringRef> Text = V.getAsString())
    return Text->str();
  if (std::optional<int64_t> N = V.getAsInteger())
    return std::to_string(*N);
  if (std::optional<bool> Flag = V.getAsBoolean())
    return *Flag ? "true" : "false";
  return std::nullopt;
}

bool saysNothing(const json::Value &V) {
  return V.getAsNull() || V.getAsString() == "" ||
         (V.getAsArray() && V.getAsArray()->empty()) ||
         (V.getAsObject() && V.getAsObject()->empty());
}

/// The words of a value, of a list's elements, of an object's "name=value".
std::optional<std::vector<std::string>> words(const json::Value &V) {
  std::vector<std::string> Out;
  if (const json::Array *All = V.getAsArray()) {
    for (const json::Value &One : *All) {
      std::optional<std::string> Word = word(One);
      if (!Word)
        return std::nullopt;
      Out.push_back(std::move(*Word));
    }
    return Out;
  }
  if (const json::Object *All = V.getAsObject()) {
    for (const auto &[Name, One] : *All) {
      std::optional<std::string> Word = word(One);
      if (!Word)
        return std::nullopt;
      Out.push_back(StringRef(Name).str() + "=" + *Word);
    }
    llvm::sort(Out);
    return Out;
  }
  if (std::optional<std::string> Word = word(V))
    return std::vector{*Word};
  return std::nullopt;
}

/// What only an editor can be told. Returns what is wrong, or nothing.
std::string readOwn(StringRef Name, const json::Value &V, EditorSettings &S) {
  if (Name == "delay") {
    std::optional<int64_t> N = V.getAsInteger();
    if (!N || *N < 0 || *N > 10'000)
      return "must be a whole number from 0 to 10000, in milliseconds";
    S.Delay = std::chrono::milliseconds(*N);
    return "";
  }
  std::optional<bool> Flag = V.getAsBoolean();
  if (!Flag)
    return "must be true or false";
  (Name == "code-lens" ? S.CodeLens : S.InlayHints) = *Flag;
  return "";
}

/// One setting. Returns a sentence if it is left out.
std::string readOne(StringRef Name, const json::Value &V, EditorSettings &S,
                    Stated &Said) {
  std::string Spelled = ("catt." + Name).str();
  const OptionRow *Row = findRow(Name);
  if (!Row)
    return "there is no setting " + Spelled;
  if (Row->By == KnownTo::Editor) {
    std::string Problem = readOwn(Row->Name, V, S);
    return Problem.empty() ? "" : Spelled + " " + Problem;
  }
  auto Words = words(V);
  if (!Words)
    return Spelled + " must be text, a number, or a list or object of such";
  Stated Before = Said;
  for (const std::string &Word : *Words)
    if (Error E = setValue(Said, Row->Name, Word, Spelled)) {
      Said = std::move(Before);
      return toString(std::move(E));
    }
  return "";
}

/// Settings of the client alone, which the server need not know.
bool isClients(StringRef Name) {
  return Name == "serverPath" || Name == "trace";
}

} // namespace

EditorSettings readSettings(const json::Value &V) {
  EditorSettings S;
  const json::Object *Given = V.getAsObject();
  if (Given && Given->getObject("catt"))
    Given = Given->getObject("catt");
  // In the order of the names, so that messages come in the same order.
  std::map<std::string, const json::Value *> All;
  if (Given)
    for (const auto &[Name, Value] : *Given)
      All[StringRef(Name).str()] = &Value;
  Stated Said;
  for (const auto &[Name, Value] : All) {
    if (isClients(Name) || saysNothing(*Value))
      continue;
    std::string Problem = readOne(Name, *Value, S, Said);
    if (!Problem.empty())
      S.Problems.push_back(std::move(Problem));
  }
  static_cast<Settings &>(S.Run) = std::move(Said.Values);
  S.Run.Said = std::move(Said.Keys);
  S.Run.Program = "catt-rewrite";
  return S;
}

} // namespace catt
