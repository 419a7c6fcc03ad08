//===- LaunchSites.cpp - Launches where host code can be added ---*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transforms/LaunchSites.h"
#include "transforms/HostFunction.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using llvm::StringRef;

namespace catt {

/// "gesummv" of "ns::gesummv<float>".
static StringRef unqualified(StringRef Callee) {
  StringRef Name = Callee.take_front(Callee.find('<')).rtrim();
  size_t Colon = Name.rfind(':');
  return Colon == StringRef::npos ? Name : Name.drop_front(Colon + 1).ltrim();
}

/// Whether text made of these bytes means the same anywhere: no lambdas, no
/// unnamed types.
static bool isSpellable(StringRef TemplateArguments) {
  return llvm::all_of(TemplateArguments, [](char C) {
    return llvm::isAlnum(C) || StringRef("_:<>, *&-").contains(C);
  });
}

std::string kernelArgument(const Kernel &Kernel, const Launch &Launch) {
  StringRef Callee = StringRef(Launch.Callee).trim();
  if (unqualified(Callee) != Kernel.UnqualifiedName)
    return "";
  StringRef Name = Kernel.Name;
  if (Callee.contains('<') || !Name.contains('<'))
    return Callee.str();
  // Deduced at the launch, but an argument gives nothing to deduce from.
  StringRef Arguments = Name.drop_front(Name.find('<'));
  return isSpellable(Arguments) ? (Callee + Arguments).str() : "";
}

std::vector<const Launch *> launchSites(const Kernel &Kernel,
                                        std::vector<Refusal> &Refusals) {
  std::vector<const Launch *> Sites;
  for (const Launch &L : Kernel.Launches) {
    if (L.From == Origin::Told)
      continue;
    std::string Obstacle;
    if (!L.Statement)
      Obstacle = L.Text;
    else if (kernelArgument(Kernel, L).empty())
      Obstacle = L.Text + " of " + L.Callee;
    else if (L.Statement->File == Kernel.Span.File &&
             L.Statement->Begin < Kernel.Span.End &&
             Kernel.Span.Begin < L.Statement->End)
      Obstacle = L.Text + " in device code";
    if (!Obstacle.empty()) {
      Refusals.push_back({Reason::LaunchNotEditable, L.Where, Obstacle});
      return {};
    }
    Sites.push_back(&L);
  }
  if (Sites.empty())
    Refusals.push_back({Reason::LaunchNotEditable, Kernel.Where,
                        "no launch of " + Kernel.Name + " in this file"});
  return Sites;
}

std::optional<Refusal> cannotEditLaunch(const TextMap &Texts,
                                        const Launch &Launch) {
  std::optional<Refusal> R = cannotEdit(Texts, *Launch.Statement, Launch.Where);
  if (R)
    R->Why = Reason::LaunchNotEditable;
  return R;
}

std::string setAttribute(StringRef Kernel, StringRef Attribute,
                         StringRef Value) {
  return ("(void)cudaFuncSetAttribute(" + Kernel + ", " + Attribute + ", " +
          Value + ");")
      .str();
}

bool hasAttribute(const TextMap &Texts, const Kernel &Kernel,
                  const Launch &Launch, StringRef Transform,
                  StringRef Attribute) {
  std::string Call =
      setAttribute(kernelArgument(Kernel, Launch), Attribute, "");
  StringRef Prefix = StringRef(Call).drop_back(StringRef(" );").size());
  return markedBefore(Texts.at(Launch.Statement->File), *Launch.Statement,
                      Transform, Prefix);
}

//===-- More dynamic shared memory ----------------------------------------===//

/// The dynamic bytes of a launch that asks for more, as an expression that
/// stands outside the launch. Empty if there is none.
static std::string totalBytes(const Launch &L, int64_t More,
                              const std::string &Text) {
  if (L.SharedArgument->Begin == L.SharedArgument->End)
    return std::to_string(More);
  if (L.DynamicSharedBytes)
    return std::to_string(*L.DynamicSharedBytes + More);
  std::string Old = Text.substr(
      L.SharedArgument->Begin, L.SharedArgument->End - L.SharedArgument->Begin);
  if (!isPure(Old))
    return "";
  return "(" + Old + ") + " + std::to_string(More);
}

/// What the text shows against raising one launch.
static std::optional<Refusal> cannotRaise(const Kernel &K, const Launch &L,
                                          const SharedRaise &More,
                                          const TextMap &Texts) {
  if (std::optional<Refusal> R = cannotEditLaunch(Texts, L))
    return R;
  if (hasAttribute(Texts, K, L, More.Transform, MaxDynamicShared))
    return Refusal{Reason::AlreadyRewritten, L.Where, ""};
  // A function with several callers shows its launch once for each.
  bool BytesDiffer = llvm::any_of(K.Launches, [&](const Launch &Other) {
    return Other.Statement && Other.Statement->File == L.Statement->File &&
           Other.Statement->Begin == L.Statement->Begin &&
           Other.DynamicSharedBytes != L.DynamicSharedBytes;
  });
  if (!L.SharedArgument || BytesDiffer ||
      L.SharedArgument->File != L.Statement->File ||
      L.SharedArgument->Begin < L.Statement->Begin ||
      L.Statement->End < L.SharedArgument->End ||
      totalBytes(L, More.Bytes, Texts.at(L.Statement->File)).empty())
    return Refusal{Reason::LaunchNotEditable, L.Where, L.Text};
  return std::nullopt;
}

std::optional<Refusal> cannotRaise(const Kernel &Kernel,
                                   const SharedRaise &More,
                                   const TextMap &Texts) {
  std::vector<Refusal> Refusals;
  for (const Launch *L : launchSites(Kernel, Refusals))
    if (std::optional<Refusal> R = cannotRaise(Kernel, *L, More, Texts))
      return R;
  return Refusals.empty() ? std::nullopt : std::optional(Refusals.front());
}

std::vector<const Launch *> raiseShared(const Kernel &Kernel,
                                        const SharedRaise &More,
                                        const TextMap &Texts, Edits &Out) {
  std::vector<Refusal> Prepared; // told by cannotRaise()
  std::vector<const Launch *> Sites = launchSites(Kernel, Prepared);
  std::string Bytes = std::to_string(More.Bytes);
  std::set<TextPlace> Raised;
  for (const Launch *L : Sites) {
    const SourceSpan &Argument = *L->SharedArgument;
    if (!Raised.insert({Argument.File, Argument.Begin}).second)
      continue;
    std::string Total = totalBytes(*L, More.Bytes, Texts.at(Argument.File));
    addBefore(
        Texts, *L->Statement,
        {More.Transform.str(),
         More.Argument,
         More.Reason,
         {setAttribute(kernelArgument(Kernel, *L), MaxDynamicShared, Total)},
         {}},
        Out);
    Addition Inner{More.Transform.str(), More.Argument, "", {", " + Bytes}, {}};
    if (Argument.Begin != Argument.End) {
      Inner.Open = {"("};
      Inner.Close = {") + " + Bytes};
    }
    addInline(Argument, Inner, Out);
  }
  return Sites;
}

} // namespace catt
