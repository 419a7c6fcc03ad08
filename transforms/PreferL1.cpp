//===- PreferL1.cpp - The carve-out that leaves L1 its room ---------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asks, at each launch, for no more shared memory than the kernel needs, so
// that the rest of the SM's memory is L1. (CATT section 4.1; MODEL.md
// section 2.)
//
// Before:
//   kernel<<<grid, 256>>>(A, y, n);
//
// After:
//   kernel<<<grid, 256, cattPreferL1(kernel, 0, 11)>>>(A, y, n);
//
// The percentage is a hint: the driver may choose another carve-out, and the
// program computes the same. An error reaches the caller as one of the launch
// would, through the next cudaGetLastError.
//
// Limits. Refused: kernels with no launch in sight, and kernels one of whose
// launches cannot be edited (the setting stays with the kernel, so that setting
// it at some launches would make the others depend on the order). A launch
// through a variable that holds the kernel is one that cannot be edited. So are
// kernels that wait for others, or are launched together: on another device, or
// for a launch with more shared memory, the carve-out may hold fewer blocks.
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/stage/LongRows.h"
#include "transforms/LaunchEdit.h"
#include "llvm/ADT/STLExtras.h"

namespace catt {

/// Instead of a percentage (CUDA Runtime API, cudaSharedmemCarveoutDefault).
static constexpr int64_t DriversChoice = -1;

/// The percentage follows the block of each launch.
static bool followsBlock(const KernelReport &Kernel) {
  return llvm::any_of(Kernel.Plan.ByThreads, [](const LaunchCase &C) {
    return C.CarveoutPercent.has_value();
  });
}

static std::string summaryOf(const KernelPlan &Plan) {
  if (!Plan.CarveoutPercent)
    return "asked for shared memory by threads per block";
  return "asked for " + std::to_string(*Plan.CarveoutPercent) +
         " % of the SM's memory as shared memory";
}

namespace {
class PreferL1 final : public Transform {
public:
  using Transform::Transform;
  llvm::StringRef summary() const override {
    return "Asks, at each launch, for no more shared memory than the "
           "kernel needs, so that the rest of the SM's memory is L1.";
  }
  Preparation prepare(const Context &C) const override;
  bool giveUp(KernelReport &Kernel, const Shortfall &Refused) const override;
  bool hasThrottled(const Kernel &Kernel,
                    const FileContexts &Files) const override;
};
} // namespace

Preparation PreferL1::prepare(const Context &C) const {
  const catt::Kernel &K = C.Kernel.Source;
  const KernelPlan &Plan = C.Kernel.Plan;
  if (!Plan.CarveoutPercent && !followsBlock(C.Kernel))
    return {};
  std::vector<Refusal> Against;
  for (const Refusal &R : K.Refusals)
    if (R.Kind == Reason::Suppressed || R.Kind == Reason::BrokenCode)
      Against.push_back(R);
  // The percentage is of what the device has, and each launch needs its own.
  refuseFewerBlocks(K, Against);
  if (Against.empty())
    launchSites(K, Against);
  if (!Against.empty())
    return Against;
  if (isThrottled(K, C.Files))
    return Refusal{Reason::AlreadyRewritten, K.Where, ""};
  LaunchCall Call("cattPreferL1", Plan.CarveoutPercent, Plan.ByThreads,
                  [](const LaunchCase &Case) {
                    return Case.CarveoutPercent.value_or(DriversChoice);
                  });
  Call.Summary = summaryOf(Plan);
  Call.Second = secondKernelOf(C); // the plan is that of the one with tiles
  if (!Plan.Tiles.IfLong || Call.Second)
    return prepareLaunches(C, name(), std::move(Call));
  // A launch of short rows asks for no tiles, and has L1 for itself.
  Call.Otherwise = DriversChoice;
  return prepareLaunches(C, name(), std::move(Call), [&](const Launch &L) {
    return longRowsAt(L, K, Plan.Versions);
  });
}

bool PreferL1::giveUp(KernelReport &Kernel, const Shortfall &) const {
  return std::exchange(Kernel.May.Carveout, false);
}

/// A new launch may still have to ask for the carve-out of the others.
bool PreferL1::hasThrottled(const catt::Kernel &Kernel,
                            const FileContexts &Files) const {
  return !Kernel.Launches.empty() &&
         llvm::all_of(Kernel.Launches, [&](const Launch &L) {
           return isMarkedLaunch(L, name(), Files);
         });
}

const Transform &thePreferL1(const TransformTraits &Traits) {
  static const PreferL1 Only(Traits);
  return Only;
}

} // namespace catt
