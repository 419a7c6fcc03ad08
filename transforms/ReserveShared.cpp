//===- ReserveShared.cpp - Fewer resident blocks per SM ----------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transforms/ReserveShared.h"
#include "transforms/KernelUses.h"
#include "transforms/LaunchSites.h"
#include <algorithm>

namespace catt {

static int64_t bytesOf(const KernelReport &Kernel) {
  return Kernel.Plan.ReserveSharedBytes.value_or(0);
}

/// The most bytes that a launch with some block reserves.
static int64_t mostByBlock(const KernelReport &Kernel) {
  int64_t Most = 0;
  for (const LaunchCase &C : Kernel.Plan.ByThreads)
    Most = std::max(Most, C.ReserveBytes);
  return Most;
}

/// Whether the bytes fit beside the kernel's own as a static array. What a
/// launch gives counts too: without an attribute the static and the dynamic
/// bytes share one limit. A launch whose bytes are not known is raised itself,
/// and a kernel that another file may launch has such.
static bool isStatic(const KernelReport &Kernel, const Device &Gpu) {
  if (!Kernel.Source.AllLaunchesVisible)
    return false;
  int64_t Dynamic = 0;
  for (const Launch &L : Kernel.Source.Launches) {
    bool Given =
        L.SharedArgument && L.SharedArgument->Begin != L.SharedArgument->End;
    if (!L.DynamicSharedBytes && Given)
      return false;
    Dynamic = std::max(Dynamic, L.DynamicSharedBytes.value_or(0));
  }
  return Kernel.Source.StaticSharedBytes + Dynamic + bytesOf(Kernel) <=
         Gpu.SharedBytesPerBlock;
}

static bool standsAgainstReserving(Reason Why) {
  return standsAgainstEdits(Why) || Why == Reason::AlreadyRewritten ||
         Why == Reason::CooperativeLaunch || Why == Reason::WarpsCommunicate;
}

/// What stands against fewer resident blocks, of whatever form.
static void refuseKernel(const Kernel &Kernel, std::vector<Refusal> &Refusals) {
  llvm::copy_if(
      Kernel.Refusals, std::back_inserter(Refusals),
      [](const Refusal &R) { return standsAgainstReserving(R.Kind); });
  refuseFewerBlocks(Kernel, Refusals);
}

/// What stands against raising the dynamic shared memory of every launch.
static void refuseLaunches(const KernelReport &Kernel, const Device &Gpu,
                           std::vector<Refusal> &Refusals) {
  const catt::Kernel &K = Kernel.Source;
  for (const Launch *L : launchSites(K, Refusals)) {
    int64_t Bytes = K.StaticSharedBytes + bytesOf(Kernel) +
                    L->DynamicSharedBytes.value_or(0);
    if (!L->SharedArgument ||
        (!K.AllLaunchesVisible && L->Where.File != K.Where.File))
      Refusals.push_back({Reason::LaunchNotEditable, L->Where, L->Text});
    else if (Bytes >
             std::max(Gpu.SharedBytesPerBlock, Gpu.SharedBytesPerBlockOptIn))
      Refusals.push_back({Reason::NotEnoughShared, L->Where,
                          std::to_string(Bytes) + " bytes per block"});
  }
}

Transform::Preparation ReserveShared::prepare(const KernelReport &Kernel,
                                              const Device &Gpu) const {
  Preparation Out;
  Out.Wanted = bytesOf(Kernel) > 0 || mostByBlock(Kernel) > 0;
  if (!Out.Wanted)
    return Out;
  refuseKernel(Kernel.Source, Out.Refusals);
  if (Out.Refusals.empty() && !isStatic(Kernel, Gpu))
    refuseLaunches(Kernel, Gpu, Out.Refusals);
  return Out;
}

/// "2 instead of 4 blocks per SM"
static std::string reasonOf(const KernelPlan &Plan) {
  if (!Plan.Before || !Plan.After)
    return "";
  return std::to_string(Plan.After->BlocksPerSM) + " instead of " +
         std::to_string(Plan.Before->BlocksPerSM) + " blocks per SM";
}

static void reserveStatic(const KernelReport &Kernel, const TextMap &Texts,
                          Edits &Out) {
  const catt::Kernel &K = Kernel.Source;
  SourceSpan Body{K.Span.File, K.BodyBegin, K.BodyBegin};
  if (std::optional<Refusal> R = cannotEdit(Texts, Body, K.Where)) {
    Out.Refused.push_back(*R);
    return;
  }
  const std::string &Text = Texts.at(Body.File);
  const FileFacts &Facts = factsOf(Texts, Body.File, Out);
  if (Facts.MayBeMarked &&
      !findMarkers(Text, K.Span.Begin, K.Span.End).empty()) {
    Out.Refused.push_back({Reason::AlreadyRewritten, K.Where, ""});
    return;
  }
  std::string Name = freshName(Text, "cattReserved", Facts);
  std::string Bytes = std::to_string(bytesOf(Kernel));
  addBehindBrace(Texts, Body.File, Body.Begin,
                 {"reserve-shared",
                  Bytes,
                  reasonOf(Kernel.Plan),
                  {"__shared__ char " + Name + "[" + Bytes + "];",
                   "asm volatile(\"\" ::\"l\"(" + Name + "));"},
                  {}},
                 Out);
  Out.Done.push_back({"reserve-shared", K.Where,
                      "reserved " + Bytes + " bytes of shared memory"});
}

/// The bytes to add at one launch, as an expression.
static std::optional<std::string> bytesAt(const KernelReport &Kernel,
                                          const Launch &L) {
  if (int64_t Bytes = bytesOf(Kernel))
    return std::to_string(Bytes);
  return byThreads(L, Kernel.Plan.ByThreads,
                   [](const LaunchCase &C) { return C.ReserveBytes; });
}

static void reserveDynamic(const KernelReport &Kernel, const TextMap &Texts,
                           Edits &Out) {
  int64_t Bytes = bytesOf(Kernel);
  LaunchCall Call;
  Call.Transform = "reserve-shared";
  Call.Function = "cattShared";
  Call.CountsThreads = Bytes == 0;
  Call.Argument =
      std::to_string(Bytes ? Bytes : int64_t(Kernel.Plan.ByThreads.size()));
  CallSites Sites =
      callSites(Kernel.Source, Call, MaxDynamicShared, Texts, Out);
  for (const Launch *L : Sites.At)
    if (!bytesAt(Kernel, *L))
      Sites.Why = blockNotPlain(*L);
  if (Sites.Why) {
    Out.Refused.push_back(*Sites.Why);
    return;
  }
  std::string Summary =
      Bytes ? "reserved " + Call.Argument + " bytes of dynamic shared memory"
            : "reserved shared memory by threads per block";
  for (const Launch *L : Sites.At) {
    Call.Number = *bytesAt(Kernel, *L);
    addCall(Texts, *L, Call, Out);
    Out.Done.push_back({"reserve-shared", L->Where, Summary});
  }
}

llvm::Error ReserveShared::apply(const KernelReport &Kernel, const Device &Gpu,
                                 const TextMap &Texts, Edits &Out) const {
  if (Preparation P = prepare(Kernel, Gpu); !P.Wanted || !P.Refusals.empty())
    return llvm::Error::success();
  if (isThrottled(Kernel.Source, Texts, Out)) {
    Out.Refused.push_back({Reason::AlreadyRewritten, Kernel.Source.Where, ""});
  } else if (bytesOf(Kernel) && isStatic(Kernel, Gpu) &&
             !foreignUse(Kernel.Source, Texts, /*AnyUse=*/true)) {
    reserveStatic(Kernel, Texts, Out);
  } else {
    std::vector<Refusal> Against;
    refuseLaunches(Kernel, Gpu, Against);
    if (Against.empty())
      reserveDynamic(Kernel, Texts, Out);
    else
      Out.Refused.push_back(Against.front());
  }
  return llvm::Error::success();
}

bool ReserveShared::giveUp(KernelReport &Kernel, const Shortfall &) const {
  return std::exchange(Kernel.May.Reserve, false);
}

/// Bytes are reserved for all launches or none.
bool ReserveShared::hasThrottled(const catt::Kernel &Kernel,
                                 const TextMap &Texts, Edits &Facts) const {
  return isMarked(Kernel, {name()}, Texts, Facts) ||
         llvm::any_of(Kernel.Launches, [&](const Launch &L) {
           return isMarkedLaunch(L, name(), Texts);
         });
}

const Transform &theReserveShared(const TransformTraits &Traits) {
  static const ReserveShared Only(Traits);
  return Only;
}

} // namespace catt
