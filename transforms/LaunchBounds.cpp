//===- LaunchBounds.cpp - The registers that blocks leave a thread --------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bounds the registers of a kernel, so that more of its blocks share an SM.
// (CRAT section 4; CUDA C++ Programming Guide, "Launch Bounds".)
//
// Before:
//   static __global__ void kernel(const float *A, float *y, int n) {
//
// After:
//   static /* catt: launch-bounds(256, 3) */ __launch_bounds__(256, 3)
//       /* catt: done 7fd9c9 */ __global__ void kernel(const float *A, ...) {
//
// After, with --bounds=maxnreg:
//   static /* catt: launch-bounds(80) */ __maxnreg__(80)
//       /* catt: done a425d0 */ __global__ void kernel(const float *A, ...) {
//
// (each in one line). Bounds that are there keep their text: what --force
// changes is added to it, as `__launch_bounds__(256, 0 * (4) + 3)`.
//
// Limits. A launch with more threads than its bound fails at run time, so a
// launch bound is written only where every launch is known: refused are kernels
// that other files can name, kernels of headers, launches whose block folds to
// no constant, and any other use of the kernel's name (its address may be
// launched elsewhere). Launches of a template are counted by their text, so a
// template that is launched with several lists of arguments is refused too.
// Refused as well: bounds with fewer blocks per SM than there are now where the
// kernel waits for others or is launched together; a __global__ or bounds that
// a macro writes, bounds that only another declaration has, and instantiations
// that want different bounds.
//
//===----------------------------------------------------------------------===//
#include "transforms/KernelBounds.h"
#include "transforms/KernelUses.h"
#include "transforms/LaunchEdit.h"
#include "transforms/SourceEdit.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using llvm::StringRef;

namespace catt {

/// Whether the bounds ask for at least the blocks that the kernel has now. With
/// less than those it may get more registers than it takes without bounds.
static bool keepsBlocks(const RegisterPlan &Plan) {
  int64_t Now = Plan.Before.BlocksPerSM;
  return Plan.Bounds->Form == BoundsForm::LaunchBounds
             ? Plan.Bounds->MinBlocks >= Now
             : Plan.Chosen < Plan.Points.size() && Plan.chosen().Blocks >= Now;
}

/// Why the declaration cannot be changed, if so.
static std::optional<Refusal> obstacle(const Kernel &K, const BoundsPlan &B,
                                       const Declaration &D,
                                       StringRef Transform,
                                       const FileContexts &Files) {
  const std::string &Text = Files.at(K.Span.File).Text;
  if (!D.Global)
    return Refusal{Reason::InMacro, K.Where, "the macro that holds __global__"};
  SourceSpan Place{K.Span.File, *D.Global, *D.Global};
  for (const Marker &M : findMarkers(Text, K.Span.Begin, K.BodyBegin))
    if (M.Transform == Transform)
      return Refusal{Reason::AlreadyRewritten, K.Where, ""};
  if (markedBefore(Text, Place, Transform, ""))
    return Refusal{Reason::AlreadyRewritten, K.Where, ""};
  if (D.HasMaxnreg)
    return Refusal{Reason::BoundsExist, K.Where, "__maxnreg__"};
  bool Written = D.Bounds && !D.Bounds->Arguments.empty();
  if (B.Replaces && !Written)
    return Refusal{Reason::InMacro, K.Where,
                   "a macro, or another declaration, that holds the bounds"};
  if (!B.Replaces && D.Bounds)
    return Refusal{Reason::BoundsExist, K.Where, "__launch_bounds__"};
  if (B.Form == BoundsForm::LaunchBounds && !B.Force)
    if (std::optional<std::string> Foreign = foreignUse(K, Files))
      return Refusal{Reason::LaunchedElsewhere, K.Where, *Foreign};
  return std::nullopt;
}

namespace {
/// What goes into a declaration, and at which bytes of it.
struct PreparedBounds final : Prepared {
  void edit(EditBuilder &Out) const override {
    for (const auto &[Span, What] : All)
      Out.addInline(Span, What);
    Out.done(Where, Summary);
  }
  /// "0 * (" old ") + 3": another value, with the old text still there.
  void override(const SourceSpan &Old, const std::string &Head, int64_t Value) {
    All.push_back(
        {Old, {Head, "", {"0 * ("}, {") + " + std::to_string(Value)}}});
  }
  void change(const Kernel &K, const BoundsPlan &B, const BoundsText &Old,
              const std::string &Head) {
    if (K.MaxThreads != B.MaxThreads)
      override(Old.Arguments[0], Head, B.MaxThreads);
    if (Old.Arguments.size() == 1)
      All.push_back({{K.Span.File, Old.Close, Old.Close},
                     {Head, "", {", " + std::to_string(B.MinBlocks)}, {}}});
    else if (K.MinBlocks != B.MinBlocks)
      override(Old.Arguments[1], Head, B.MinBlocks);
  }
  std::vector<std::pair<SourceSpan, Addition>> All;
  Location Where;
  std::string Summary;
};

class LaunchBounds final : public Transform {
public:
  using Transform::Transform;
  llvm::StringRef summary() const override {
    return "Bounds the registers of a kernel, so that more of its blocks share "
           "an SM.";
  }
  Preparation prepare(const Context &C) const override;
};
} // namespace

Preparation LaunchBounds::prepare(const Context &C) const {
  const Kernel &K = C.Kernel.Source;
  if (!C.Kernel.Registers || !C.Kernel.Registers->Bounds)
    return {};
  std::vector<Refusal> Against = againstEdits(K);
  llvm::append_range(Against, C.Kernel.Registers->Refusals);
  if (!keepsBlocks(*C.Kernel.Registers))
    refuseFewerBlocks(K, Against);
  if (!Against.empty())
    return Against;
  const BoundsPlan &B = *C.Kernel.Registers->Bounds;
  SourceSpan Head{K.Span.File, K.Span.Begin, K.BodyBegin};
  if (std::optional<Refusal> Why = cannotEdit(C.Files, Head, K.Where))
    return *Why;
  Declaration D = readDeclaration(C.Files.at(K.Span.File).Text, K);
  if (std::optional<Refusal> Why = obstacle(K, B, D, name(), C.Files))
    return *Why;
  std::string Code = spelling(B);
  std::string Argument = StringRef(Code).split('(').second.drop_back().str();
  auto Out = std::make_unique<PreparedBounds>();
  if (B.Replaces)
    Out->change(K, B, *D.Bounds, Argument);
  else
    Out->All.push_back(
        {{K.Span.File, *D.Global, *D.Global}, {Argument, "", {Code}, {}}});
  Out->Where = K.Where;
  Out->Summary =
      "bounded to " + std::to_string(B.Registers) + " registers by " + Code;
  return Out;
}

const Transform &theLaunchBounds(const TransformTraits &Traits) {
  static const LaunchBounds Only(Traits);
  return Only;
}

} // namespace catt
