//===- LaunchSites.cpp - The launches of a kernel in the text ----*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transforms/LaunchSites.h"
#include <set>

using llvm::StringRef;

namespace catt {

/// Why the launch cannot be edited, as far as the analysis knows.
static std::optional<std::string> obstacle(const Launch &L) {
  if (!L.Written)
    return L.Text;
  if (!L.Written->Obstacle.empty())
    return (L.Text.empty() ? "" : L.Text + ": ") + L.Written->Obstacle;
  if (L.Written->Kernel.empty())
    return L.Text + " of " + L.Callee;
  return std::nullopt;
}

/// Whether it is a use of the kernel in the arguments of one of its launches,
/// where an earlier run has put it.
static bool isOwnCall(const Kernel &Kernel, const Launch &Use) {
  auto [Function, Behind] = StringRef(Use.Text).split('(');
  if (Use.Written || Behind.empty() || !isLaunchFunctionName(Function))
    return false;
  return llvm::any_of(Kernel.Launches, [&, Name = Function](const Launch &L) {
    return L.Written && L.Where.File == Use.Where.File &&
           StringRef(L.Text).contains((Name + "(").str());
  });
}

void refuseFewerBlocks(const Kernel &Kernel, std::vector<Refusal> &Refusals) {
  if (!Refusals.empty())
    return;
  Refusals = Kernel.Waits;
  // What the loops and launches say is part of that, and is asked again: there
  // is no way out of a deadlock.
  for (const Loop &L : Kernel.Loops)
    for (const Refusal &R : L.Refusals)
      if (Refusals.empty() && (R.Kind == Reason::WarpsCommunicate ||
                               R.Kind == Reason::CooperativeLaunch))
        Refusals.push_back(R);
  for (const Launch &L : Kernel.Launches)
    if (Refusals.empty() && L.Cooperative)
      Refusals.push_back({Reason::CooperativeLaunch, L.Where, L.Text});
}

std::vector<const Launch *> launchSites(const Kernel &Kernel,
                                        std::vector<Refusal> &Refusals) {
  std::vector<const Launch *> Sites;
  std::set<TextPlace> Seen; // a helper with two callers shows its launch twice
  for (const Launch &L : Kernel.Launches) {
    if (L.From == Origin::Told || isOwnCall(Kernel, L))
      continue;
    if (std::optional<std::string> Obstacle = obstacle(L)) {
      Refusals.push_back({Reason::LaunchNotEditable, L.Where, *Obstacle});
      return {};
    }
    if (Seen.insert({L.Written->Config.File, L.Written->Config.Begin}).second)
      Sites.push_back(&L);
  }
  if (Sites.empty())
    Refusals.push_back({Reason::LaunchNotEditable, Kernel.Where,
                        "no launch of " + Kernel.Name + " in this file"});
  return Sites;
}

/// Whether version 0.1 has set the attribute in a statement before the launch.
static bool hasStatement(const TextMap &Texts, const Launch &L,
                         const LaunchCall &Call, StringRef Attribute) {
  auto Text = Texts.find(L.Statement ? L.Statement->File : "");
  std::string Needle =
      ("(void)cudaFuncSetAttribute(" + L.Written->Kernel + ", " + Attribute)
          .str();
  return Text != Texts.end() &&
         (markedBefore(Text->second, *L.Statement, Call.Transform, Needle) ||
          markedBefore(Text->second, *L.Statement, Call.Transform,
                       "cattPreferL1_"));
}

CallSites callSites(const Kernel &Kernel, const LaunchCall &Call,
                    StringRef Attribute, const TextMap &Texts, Edits &Out) {
  std::vector<Refusal> Refusals;
  CallSites Sites;
  std::optional<Refusal> Before;
  for (const Launch *L : launchSites(Kernel, Refusals)) {
    std::optional<Refusal> Why = cannotCall(Texts, *L, Call, Out);
    if (!Why && hasStatement(Texts, *L, Call, Attribute))
      Why = Refusal{Reason::AlreadyRewritten, L->Where, ""};
    if (!Why) {
      Sites.At.push_back(L);
    } else if (Why->Kind == Reason::AlreadyRewritten) {
      Before = Before ? Before : Why;
    } else {
      return {{}, Why};
    }
  }
  if (!Refusals.empty())
    return {{}, Refusals.front()};
  if (Sites.At.empty())
    Sites.Why = Before;
  return Sites;
}

} // namespace catt
