//===- PreferL1.cpp - The carve-out that leaves L1 its room ------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transforms/PreferL1.h"
#include "transforms/LaunchSites.h"
#include "llvm/ADT/STLExtras.h"

using llvm::StringRef;

namespace catt {

static constexpr StringRef Attribute =
    "cudaFuncAttributePreferredSharedMemoryCarveout";

/// What stands against editing any launch, whatever the form.
static void refuseKernel(const KernelReport &Kernel,
                         std::vector<Refusal> &Refusals) {
  for (const Refusal &R : Kernel.Source.Refusals)
    if (R.Kind == Reason::Suppressed || R.Kind == Reason::BrokenCode)
      Refusals.push_back(R);
  // The percentage is of what the device has, and each launch needs its own.
  refuseFewerBlocks(Kernel.Source, Refusals);
}

/// The percentage follows the block of each launch.
static bool followsBlock(const KernelReport &Kernel) {
  return llvm::any_of(Kernel.Plan.ByThreads, [](const LaunchCase &C) {
    return C.CarveoutPercent.has_value();
  });
}

Transform::Preparation PreferL1::prepare(const KernelReport &Kernel,
                                         const Device &Gpu) const {
  Preparation Out;
  Out.Wanted = Kernel.Plan.CarveoutPercent || followsBlock(Kernel);
  if (!Out.Wanted)
    return Out;
  refuseKernel(Kernel, Out.Refusals);
  if (Out.Refusals.empty())
    launchSites(Kernel.Source, Out.Refusals);
  return Out;
}

/// The percentage at one launch, as an expression.
static std::optional<std::string> percentAt(const KernelPlan &Plan,
                                            const Launch &L) {
  if (Plan.CarveoutPercent)
    return std::to_string(*Plan.CarveoutPercent);
  // -1: the driver's choice (CUDA Runtime API, cudaSharedmemCarveoutDefault).
  return byThreads(L, Plan.ByThreads, [](const LaunchCase &C) {
    return C.CarveoutPercent.value_or(-1);
  });
}

static std::string summaryOf(const KernelPlan &Plan) {
  if (!Plan.CarveoutPercent)
    return "asked for shared memory by threads per block";
  return "asked for " + std::to_string(*Plan.CarveoutPercent) +
         " % of the SM's memory as shared memory";
}

llvm::Error PreferL1::apply(const KernelReport &Kernel, const Device &Gpu,
                            const TextMap &Texts, Edits &Out) const {
  if (Preparation P = prepare(Kernel, Gpu); !P.Wanted || !P.Refusals.empty())
    return llvm::Error::success(); // told by prepare()
  if (isThrottled(Kernel.Source, Texts, Out)) {
    Out.Refused.push_back({Reason::AlreadyRewritten, Kernel.Source.Where, ""});
    return llvm::Error::success();
  }
  const KernelPlan &Plan = Kernel.Plan;
  LaunchCall Call;
  Call.Transform = name();
  Call.Function = "cattPreferL1";
  Call.CountsThreads = !Plan.CarveoutPercent;
  Call.Argument = std::to_string(
      Plan.CarveoutPercent.value_or(int64_t(Plan.ByThreads.size())));
  CallSites Sites = callSites(Kernel.Source, Call, Attribute, Texts, Out);
  for (const Launch *L : Sites.At)
    if (!percentAt(Plan, *L))
      Sites.Why = blockNotPlain(*L);
  if (Sites.Why) {
    Out.Refused.push_back(*Sites.Why);
    return llvm::Error::success();
  }
  for (const Launch *L : Sites.At) {
    Call.Number = *percentAt(Plan, *L);
    addCall(Texts, *L, Call, Out);
    Out.Done.push_back({name().str(), L->Where, summaryOf(Plan)});
  }
  return llvm::Error::success();
}

bool PreferL1::giveUp(KernelReport &Kernel, const Shortfall &) const {
  return std::exchange(Kernel.May.PreferL1, false);
}

/// A new launch may still have to ask for the carve-out of the others.
bool PreferL1::hasThrottled(const catt::Kernel &Kernel, const TextMap &Texts,
                            Edits &) const {
  return !Kernel.Launches.empty() &&
         llvm::all_of(Kernel.Launches, [&](const Launch &L) {
           return isMarkedLaunch(L, name(), Texts);
         });
}

const Transform &thePreferL1(const TransformTraits &Traits) {
  static const PreferL1 Only(Traits);
  return Only;
}

} // namespace catt
