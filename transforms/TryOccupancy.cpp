//===- TryOccupancy.cpp - Launches find out how many blocks ---------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lets the launches of a kernel find out with how many blocks on an SM it is
// fastest. (Orion, section 3.4, figures 8 and 9.)
//
// Before:
//   __global__ void flux(const float *A, float *y, int n) {
//     ...
//   }
//   flux<<<grid, 256, 0, stream>>>(A, y, n);
//
// After:
//   static __device__ __forceinline__ void cattBody_flux(...);
//   template <int cattBlocks>
//   static __global__ void __launch_bounds__(256, cattBlocks)
//       cattMore_flux(const float *A, float *y, int n) {
//     cattBody_flux(A, y, n);
//   }
//   __global__ void flux(const float *A, float *y, int n) {
//     cattBody_flux(A, y, n);
//   }
//   ...
//   {
//     static catt::Levels cattLevels("flux.cu:flux",
//     catt::Levels::First::More); catt::Level cattLevel(cattLevels, grid, 256,
//     0, stream, flux,
//                           {cattMore_flux<5>, cattMore_flux<6>});
//     cattLevel.kernel()<<<grid, 256, cattLevel.shared(), stream>>>(A, y, n);
//   }
//
// More blocks need fewer registers, which the compiler has to know: a copy for
// each number. Fewer need nothing but shared memory that nobody uses. Each
// thread does the same in all of them, so that it does not matter which runs.
//
// Limits. No copies, so that fewer blocks alone are tried: where registers or
// blocks are not known, the kernel has bounds of its own, or no other one can
// have its body (KernelVersions.h). Refused: kernels that wait for other blocks
// or warps, or are launched together; that are used where nothing is launched,
// as by who sets their attributes; launches that are no statements of their own
// or whose configuration may not be read twice.
//
//===----------------------------------------------------------------------===//
#include "transforms/FilePlaces.h"
#include "transforms/KernelUses.h"
#include "transforms/LaunchEdit.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using llvm::StringRef;

namespace catt {
namespace {

/// One launch that is to find its level.
struct LeveledLaunch {
  const Launch *At;
  SourceSpan Shared; ///< its third argument; empty where it is to be
};

struct PreparedLevels final : Prepared {
  void edit(EditBuilder &Out) const override;
  std::string levelOf(const LeveledLaunch &L) const;
  const KernelReport *Of = nullptr;
  std::optional<SecondKernel> Copies;
  std::vector<LeveledLaunch> Sites;
  std::string Levels, Level; ///< names
};

class TryOccupancy final : public Transform {
public:
  using Transform::Transform;
  StringRef summary() const override {
    return "Lets the launches of a kernel find out with how many blocks on an "
           "SM it is fastest.";
  }
  Preparation prepare(const Context &C) const override;
};

} // namespace

/// Why the launch cannot find its level, in words; empty: it can.
static StringRef against(const Launch &L) {
  const LaunchText &W = *L.Written;
  if (W.Alone.File.empty() || W.Callee.File.empty())
    return "a launch is no statement of its own";
  if (W.PlainGrid.empty() || W.PlainBlock.empty() || !W.PlainShared ||
      !W.PlainStream)
    return "what a launch is configured with may not be read twice";
  return "";
}

Preparation TryOccupancy::prepare(const Context &C) const {
  const Kernel &K = C.Kernel.Source;
  if (!C.Kernel.Levels)
    return {};
  auto Not = [](const Location &Where, const llvm::Twine &Why) {
    return Refusal{Reason::CannotTry, Where, Why.str()};
  };
  std::vector<Refusal> Refusals = againstEdits(K);
  refuseFewerBlocks(K, Refusals);
  if (!Refusals.empty())
    return Refusals;
  if (std::optional<std::string> Use = foreignUse(K, C.Files, /*AnyUse=*/true))
    return Not(K.Where, *Use);
  auto Found = std::make_unique<PreparedLevels>();
  Found->Of = &C.Kernel;
  for (const Launch *L : launchSites(K, Refusals)) {
    const SourceSpan &Config = L->Written->Config;
    if (cannotEdit(C.Files, Config, L->Where))
      return Not(L->Where, "a launch stands where nothing can be added");
    const FileContext &File = C.Files.at(Config.File);
    if (isInsideAddition(File.Text, Config))
      return Refusal{Reason::AlreadyRewritten, L->Where, ""};
    if (StringRef Why = against(*L); !Why.empty())
      return Not(L->Where, Why);
    std::optional<SourceSpan> Shared = sharedArgument(File.Text, *L);
    if (!Shared)
      return Not(L->Where, "the arguments do not stand there one by one");
    if (!File.places().above(L->Written->Tops, Config.Begin))
      return Not(L->Where, "no header can stand above it in this file");
    Found->Sites.push_back({L, *Shared});
    Found->Levels = freshName(File, "cattLevels");
    Found->Level = freshName(File, "cattLevel");
  }
  if (!Refusals.empty())
    return Not(Refusals.front().Where, Refusals.front().Detail);
  if (!C.Kernel.Levels->MoreBlocks.empty())
    Found->Copies = boundedKernelOf(C, C.Kernel.Levels->Threads);
  return Found;
}

//===-- The text ----------------------------------------------------------===//

/// "catt::Level cattLevel(cattLevels, grid, 256, 0, stream, flux);"
std::string PreparedLevels::levelOf(const LeveledLaunch &L) const {
  const LaunchText &W = *L.At->Written;
  auto Or = [](const std::string &Text, const char *None) {
    return Text.empty() ? None : Text;
  };
  std::vector<std::string> More;
  if (Copies)
    for (int64_t Blocks : Of->Levels->MoreBlocks)
      More.push_back(Copies->at(*L.At, Blocks));
  return "catt::Level " + Level + "(" + Levels + ", " + W.PlainGrid + ", " +
         W.PlainBlock + ", " + Or(*W.PlainShared, "0") + ", " +
         Or(*W.PlainStream, "nullptr") + ", " + W.Kernel +
         (More.empty() ? "" : ", {" + llvm::join(More, ", ") + "}") + ");";
}

void PreparedLevels::edit(EditBuilder &Out) const {
  const Kernel &K = Of->Source;
  if (Copies)
    writeSecondKernel(*Copies, Out);
  for (auto [I, S] : llvm::enumerate(Sites)) {
    const LaunchText &W = *S.At->Written;
    const std::string &Text = Out.files().at(W.Config.File).Text;
    const bool OwnLines = isFirstOnLine(Text, W.Alone.Begin) &&
                          behindLine(Text, W.Alone.End).has_value();
    const std::string Name =
        (llvm::sys::path::filename(K.Span.File) + ":" + K.UnqualifiedName +
         (I ? "#" + std::to_string(I + 1) : ""))
            .str();
    Out.wrapStatements(
        W.Alone, OwnLines,
        {"level",
         "as many blocks on an SM as are fastest",
         {"{",
          "static catt::Levels " + Levels + "(\"" + Name +
              "\", catt::Levels::First::" +
              (Of->Levels->MoreFirst && Copies ? "More" : "Fewer") + ");",
          levelOf(S)},
         {"}"}});
    Out.replace(W.Callee, {"level", "", {Level + ".kernel()"}, {}});
    if (S.Shared.Begin == S.Shared.End)
      Out.addInline(S.Shared, {"level", "", {", " + Level + ".shared()"}, {}});
    else
      Out.replace(S.Shared, {"level", "", {Level + ".shared()"}, {}});
    Out.edits().Calls.push_back({"catt::Level", &Out.transform(), W.Config.File,
                                 W.Config.Begin, W.Tops});
    Out.done(S.At->Where, "finds out with how many blocks on an SM the kernel "
                          "is fastest");
  }
}

const Transform &theTryOccupancy(const TransformTraits &Traits) {
  static const TryOccupancy Only(Traits);
  return Only;
}

} // namespace catt
