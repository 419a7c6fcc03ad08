//===- LaunchSites.cpp - Launches where host code can be added ---*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transforms/LaunchSites.h"
#include "llvm/ADT/StringExtras.h"

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

} // namespace catt
