//===- ReserveShared.cpp - Fewer resident blocks per SM ----------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transforms/ReserveShared.h"
#include "transforms/HostFunction.h"
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
/// bytes share one limit. A launch whose bytes are not known is raised itself.
static bool isStatic(const KernelReport &Kernel, const Device &Gpu) {
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
  llvm::copy_if(Kernel.Refusals, std::back_inserter(Refusals),
                [](const Refusal &R) { return standsAgainstReserving(R.Why); });
  // Who waits for somebody may wait for a block that is not resident then.
  llvm::append_range(Refusals, Kernel.Waits);
  for (const Launch &L : Kernel.Launches)
    if (L.Cooperative && Refusals.empty())
      Refusals.push_back({Reason::CooperativeLaunch, L.Where, L.Text});
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
  if (Out.Refusals.empty() && bytesOf(Kernel) > 0 && !isStatic(Kernel, Gpu))
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

static void reserveDynamic(const KernelReport &Kernel, const TextMap &Texts,
                           Edits &Out) {
  std::string Bytes = std::to_string(bytesOf(Kernel));
  SharedRaise More = {"reserve-shared", Bytes, reasonOf(Kernel.Plan),
                      bytesOf(Kernel)};
  if (std::optional<Refusal> R = cannotRaise(Kernel.Source, More, Texts)) {
    Out.Refused.push_back(*R);
    return;
  }
  for (const Launch *L : raiseShared(Kernel.Source, More, Texts, Out))
    Out.Done.push_back(
        {"reserve-shared", L->Where,
         "reserved " + Bytes + " bytes of dynamic shared memory"});
}

/// A function beside the kernel that each launch asks for its bytes.
static void reserveByBlock(const KernelReport &Kernel, const TextMap &Texts,
                           Edits &Out) {
  const catt::Kernel &K = Kernel.Source;
  std::vector<BlockSite> Sites = blockSites(K, Texts, Out.Refused);
  if (Sites.empty())
    return;
  std::string Function = "cattReserve_" + K.UnqualifiedName;
  if (isDeclared(Texts.at(K.Span.File), Function)) {
    Out.Refused.push_back({Reason::AlreadyRewritten, K.Where, ""});
    return;
  }
  for (const BlockSite &S : Sites)
    if (!S.At->SharedArgument) {
      Out.Refused.push_back(
          {Reason::LaunchNotEditable, S.At->Where, S.At->Text});
      return;
    }
  const std::vector<LaunchCase> &Cases = Kernel.Plan.ByThreads;
  std::string Reserve =
      byThreads(Cases, [](const LaunchCase &C) { return C.ReserveBytes; });
  // Beyond 48 KiB in all, a launch needs the attribute (CUDA C++ Programming
  // Guide, "Shared Memory", compute capability 7.x and later).
  int64_t Free = int64_t(48) * 1024 - K.StaticSharedBytes;
  addHostFunction(
      Texts, K, "reserve-shared",
      "static size_t " + Function + "(dim3 block, size_t shared)",
      {"shared += " + Reserve + ";",
       "if (shared > " + std::to_string(Free) + ")",
       setAttribute(K.UnqualifiedName, MaxDynamicShared, "(int)shared"),
       "return shared;"},
      Cases.size(), Out);
  for (const BlockSite &S : Sites) {
    const SourceSpan &Argument = *S.At->SharedArgument;
    std::string Call = S.Scope + Function + "(" + S.Block + ", ";
    Addition Inner{"reserve-shared",
                   std::to_string(Cases.size()),
                   "",
                   {", " + Call + "0)"},
                   {}};
    if (Argument.Begin != Argument.End) {
      Inner.Open = {Call};
      Inner.Close = {")"};
    }
    addInline(Argument, Inner, Out);
    Out.Done.push_back({"reserve-shared", S.At->Where,
                        "reserved shared memory by threads per block"});
  }
}

llvm::Error ReserveShared::apply(const KernelReport &Kernel, const Device &Gpu,
                                 const TextMap &Texts, Edits &Out) const {
  if (Preparation P = prepare(Kernel, Gpu); !P.Wanted || !P.Refusals.empty())
    return llvm::Error::success();
  if (isThrottled(Kernel.Source, Texts, Out))
    Out.Refused.push_back({Reason::AlreadyRewritten, Kernel.Source.Where, ""});
  else if (bytesOf(Kernel) == 0)
    reserveByBlock(Kernel, Texts, Out);
  else if (isStatic(Kernel, Gpu))
    reserveStatic(Kernel, Texts, Out);
  else
    reserveDynamic(Kernel, Texts, Out);
  return llvm::Error::success();
}

} // namespace catt
