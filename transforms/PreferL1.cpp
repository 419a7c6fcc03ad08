//===- PreferL1.cpp - The carve-out that leaves L1 its room ------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transforms/PreferL1.h"
#include "transforms/HostFunction.h"
#include "transforms/LaunchSites.h"
#include "llvm/ADT/STLExtras.h"
#include <set>
#include <utility>

using llvm::StringRef;

namespace catt {

static constexpr StringRef Attribute =
    "cudaFuncAttributePreferredSharedMemoryCarveout";

/// What stands against editing any launch, whatever the form.
static void refuseKernel(const KernelReport &Kernel,
                         std::vector<Refusal> &Refusals) {
  for (const Refusal &R : Kernel.Source.Refusals)
    if (R.Why == Reason::Suppressed || R.Why == Reason::BrokenCode)
      Refusals.push_back(R);
}

/// The percentage follows the block of each launch.
static bool followsBlock(const KernelReport &Kernel) {
  return llvm::any_of(Kernel.Plan.ByThreads, [](const LaunchCase &C) {
    return C.CarveoutPercent.has_value();
  });
}

static std::vector<const Launch *> sites(const KernelReport &Kernel,
                                         std::vector<Refusal> &Refusals) {
  refuseKernel(Kernel, Refusals);
  if (!Refusals.empty() || !Kernel.Plan.CarveoutPercent)
    return {};
  return launchSites(Kernel.Source, Refusals);
}

Transform::Preparation PreferL1::prepare(const KernelReport &Kernel,
                                         const Device &Gpu) const {
  Preparation Out;
  Out.Wanted = Kernel.Plan.CarveoutPercent || followsBlock(Kernel);
  if (Kernel.Plan.CarveoutPercent)
    sites(Kernel, Out.Refusals);
  else if (Out.Wanted)
    refuseKernel(Kernel, Out.Refusals);
  return Out;
}

/// A function beside the kernel, and a call of it before each launch.
static void preferByBlock(const KernelReport &Kernel, StringRef Name,
                          const TextMap &Texts, Edits &Out) {
  const catt::Kernel &K = Kernel.Source;
  std::vector<Refusal> Against;
  refuseKernel(Kernel, Against);
  if (!Against.empty())
    return; // told by prepare()
  std::vector<BlockSite> Sites = blockSites(K, Texts, Out.Refused);
  if (Sites.empty())
    return;
  std::string Function = "cattPreferL1_" + K.UnqualifiedName;
  if (isDeclared(Texts.at(K.Span.File), Function)) {
    Out.Refused.push_back({Reason::AlreadyRewritten, K.Where, ""});
    return;
  }
  const std::vector<LaunchCase> &Cases = Kernel.Plan.ByThreads;
  // -1: the driver's choice (CUDA Runtime API, cudaSharedmemCarveoutDefault).
  std::string Percent = byThreads(Cases, [](const LaunchCase &C) {
    return C.CarveoutPercent.value_or(-1);
  });
  addHostFunction(Texts, K, Name, "static void " + Function + "(dim3 block)",
                  {setAttribute(K.UnqualifiedName, Attribute, Percent)},
                  Cases.size(), Out);
  for (const BlockSite &S : Sites) {
    addBefore(Texts, *S.At->Statement,
              {Name.str(),
               std::to_string(Cases.size()),
               "by threads per block",
               {S.Scope + Function + "(" + S.Block + ");"},
               {}},
              Out);
    Out.Done.push_back({Name.str(), S.At->Where,
                        "asked for shared memory by threads per block"});
  }
}

/// "28 KiB of shared memory, 228 KiB of L1D"
static std::string reasonOf(const KernelPlan &Plan) {
  if (!Plan.After)
    return "";
  return std::to_string(Plan.After->CarveoutBytes / 1024) +
         " KiB of shared memory, " +
         std::to_string(Plan.After->L1Bytes / 1024) + " KiB of L1D";
}

llvm::Error PreferL1::apply(const KernelReport &Kernel, const Device &Gpu,
                            const TextMap &Texts, Edits &Out) const {
  if (isThrottled(Kernel.Source, Texts, Out)) {
    Out.Refused.push_back({Reason::AlreadyRewritten, Kernel.Source.Where, ""});
    return llvm::Error::success();
  }
  if (!Kernel.Plan.CarveoutPercent) {
    preferByBlock(Kernel, name(), Texts, Out);
    return llvm::Error::success();
  }
  std::vector<Refusal> Prepared; // told by prepare()
  std::vector<const Launch *> Sites = sites(Kernel, Prepared);
  for (const Launch *L : Sites)
    if (std::optional<Refusal> R = cannotEditLaunch(Texts, *L)) {
      Out.Refused.push_back(*R);
      return llvm::Error::success();
    }

  std::string Percent = std::to_string(*Kernel.Plan.CarveoutPercent);
  std::set<std::pair<unsigned, std::string>> Seen; // one call per statement
  bool Added = false;
  for (const Launch *L : Sites) {
    std::string Callee = kernelArgument(Kernel.Source, *L);
    if (!Seen.insert({L->Statement->Begin, L->Statement->File + Callee})
             .second ||
        hasAttribute(Texts, Kernel.Source, *L, name(), Attribute))
      continue;
    addBefore(Texts, *L->Statement,
              {name().str(),
               Percent,
               reasonOf(Kernel.Plan),
               {setAttribute(Callee, Attribute, Percent)},
               {}},
              Out);
    Out.Done.push_back(
        {name().str(), L->Where,
         "asked for " + Percent + " % of the SM's memory as shared memory"});
    Added = true;
  }
  if (!Added && !Sites.empty())
    Out.Refused.push_back({Reason::AlreadyRewritten, Sites.front()->Where, ""});
  return llvm::Error::success();
}

} // namespace catt
