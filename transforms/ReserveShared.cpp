//===- ReserveShared.cpp - Fewer resident blocks per SM -------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reserves shared memory that nobody uses, so that fewer blocks of the kernel
// share an SM and its L1. (CATT section 4.3, figure 5; MODEL.md section 6.)
//
// Before:
//   __global__ void kernel(const float *A, float *y, int n) {
//     int i = blockIdx.x * blockDim.x + threadIdx.x;
//
// After, where nobody else can launch the kernel and all fits in 48 KiB of
// static shared memory:
//   static __global__ void kernel(const float *A, float *y, int n) {
//     // catt: reserve-shared(24576): 2 instead of 4 blocks per SM
//     __shared__ char cattReserved[24576];
//     asm volatile("" ::"l"(cattReserved)); // catt: done 5a2758
//     int i = blockIdx.x * blockDim.x + threadIdx.x;
//
// After, else, at each launch (LaunchEdit.h):
//   kernel<<<grid, 256, cattShared(kernel, 0, 65536)>>>(A, y, n);
//
// The paper keeps the array alive by a store. An empty asm that takes its
// address does the same for nothing: nvcc counts the bytes and issues no
// instruction for it.
//
// Where the device does not have the bytes, the launch takes what it had asked
// for itself. An error of the runtime's reaches the caller as one of the launch
// would, by the next cudaGetLastError.
//
// Limits. Refused: kernels launched cooperatively or that wait for other blocks
// or warps (fewer resident blocks could block them for ever), more than the
// device lets a block have, and kernels with a launch that cannot be edited: in
// a macro, in another file, of a kernel that cannot be named exactly, or whose
// other arguments call what may select another device.
//
//===----------------------------------------------------------------------===//
#include "transforms/KernelUses.h"
#include "transforms/LaunchEdit.h"
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

/// The static bytes of the kernel, with those that are added for tiles and for
/// values.
static int64_t staticBytes(const KernelReport &Kernel) {
  const TileMemory &Tiles = Kernel.Plan.Tiles;
  int64_t Bytes = Kernel.Source.StaticSharedBytes;
  if (!Tiles.IsDynamic)
    Bytes += Tiles.bytes();
  if (Kernel.Spill && !Kernel.Spill->isDynamic())
    Bytes += Kernel.Spill->sharedBytes();
  return Bytes;
}

/// Whether the bytes fit beside the others as a static array. What a
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
    if (!L.DynamicSharedBytes && (Given || L.IsElsewhere))
      return false;
    Dynamic = std::max(Dynamic, L.DynamicSharedBytes.value_or(0));
  }
  return staticBytes(Kernel) + Dynamic + bytesOf(Kernel) <=
         Gpu.SharedBytesPerBlock;
}

/// What stands against raising the dynamic shared memory of every launch.
static void refuseLaunches(const KernelReport &Kernel, const Device &Gpu,
                           std::vector<Refusal> &Refusals) {
  const catt::Kernel &K = Kernel.Source;
  for (const Launch *L : launchSites(K, Refusals)) {
    int64_t Bytes = staticBytes(Kernel) + bytesOf(Kernel) +
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

/// "2 instead of 4 blocks per SM"
static std::string reasonOf(const KernelPlan &Plan) {
  if (!Plan.Before || !Plan.After)
    return "";
  return std::to_string(Plan.After->BlocksPerSM) + " instead of " +
         std::to_string(Plan.Before->BlocksPerSM) + " blocks per SM";
}

namespace {
/// An array in the kernel.
struct PreparedArray final : Prepared {
  explicit PreparedArray(const KernelReport &Kernel) : Kernel(Kernel) {}
  void edit(EditBuilder &Out) const override {
    const catt::Kernel &K = Kernel.Source;
    std::string Name = freshName(Out.files().at(K.Span.File), "cattReserved");
    std::string Bytes = std::to_string(bytesOf(Kernel));
    Out.addBehindBrace(K.Span.File, K.BodyBegin,
                       {Bytes,
                        reasonOf(Kernel.Plan),
                        {"__shared__ char " + Name + "[" + Bytes + "];",
                         "asm volatile(\"\" ::\"l\"(" + Name + "));"},
                        {}});
    Out.done(K.Where, "reserved " + Bytes + " bytes of shared memory");
  }
  const KernelReport &Kernel;
};
} // namespace

static Preparation prepareStatic(const Context &C) {
  const Kernel &K = C.Kernel.Source;
  SourceSpan Body{K.Span.File, K.BodyBegin, K.BodyBegin};
  if (std::optional<Refusal> R = cannotEdit(C.Files, Body, K.Where))
    return *R;
  const FileContext &File = C.Files.at(Body.File);
  if (File.MayBeMarked &&
      !findMarkers(File.Text, K.Span.Begin, K.Span.End).empty())
    return Refusal{Reason::AlreadyRewritten, K.Where, ""};
  return std::make_unique<PreparedArray>(C.Kernel);
}

static Preparation prepareDynamic(const Context &C, llvm::StringRef Transform) {
  std::optional<int64_t> Bytes;
  if (int64_t ForAll = bytesOf(C.Kernel))
    Bytes = ForAll;
  LaunchCall Call("cattShared", Bytes, C.Kernel.Plan.ByThreads,
                  [](const LaunchCase &Case) { return Case.ReserveBytes; });
  Call.Summary =
      Bytes ? "reserved " + Call.Argument + " bytes of dynamic shared memory"
            : "reserved shared memory by threads per block";
  return prepareLaunches(C, Transform, std::move(Call));
}

namespace {
class ReserveShared final : public Transform {
public:
  using Transform::Transform;
  llvm::StringRef summary() const override {
    return "Reserves shared memory that nobody uses, so that fewer blocks of "
           "the kernel share an SM and its L1.";
  }
  Preparation prepare(const Context &C) const override;
  bool giveUp(KernelReport &Kernel, const Shortfall &Refused) const override;
  bool hasThrottled(const Kernel &Kernel,
                    const FileContexts &Files) const override;
};
} // namespace

Preparation ReserveShared::prepare(const Context &C) const {
  const KernelReport &Kernel = C.Kernel;
  if (bytesOf(Kernel) <= 0 && mostByBlock(Kernel) <= 0)
    return {};
  const bool Static = isStatic(Kernel, C.Gpu);
  std::vector<Refusal> Against = againstEdits(
      Kernel.Source, {Reason::AlreadyRewritten, Reason::CooperativeLaunch,
                      Reason::WarpsCommunicate});
  refuseFewerBlocks(Kernel.Source, Against);
  if (Against.empty() && !Static)
    refuseLaunches(Kernel, C.Gpu, Against);
  if (!Against.empty())
    return Against;
  if (isThrottled(Kernel.Source, C.Files))
    return Refusal{Reason::AlreadyRewritten, Kernel.Source.Where, ""};
  if (bytesOf(Kernel) && Static &&
      !foreignUse(Kernel.Source, C.Files, /*AnyUse=*/true))
    return prepareStatic(C);
  if (Static)
    refuseLaunches(Kernel, C.Gpu, Against);
  if (!Against.empty())
    return Against.front();
  return prepareDynamic(C, name());
}

bool ReserveShared::giveUp(KernelReport &Kernel, const Shortfall &) const {
  return std::exchange(Kernel.May.Reserve, false);
}

/// Bytes are reserved for all launches or none.
bool ReserveShared::hasThrottled(const catt::Kernel &Kernel,
                                 const FileContexts &Files) const {
  return isMarked(Kernel, name(), Files) ||
         llvm::any_of(Kernel.Launches, [&](const Launch &L) {
           return isMarkedLaunch(L, name(), Files);
         });
}

const Transform &theReserveShared(const TransformTraits &Traits) {
  static const ReserveShared Only(Traits);
  return Only;
}

} // namespace catt
