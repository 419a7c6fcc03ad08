//===- LaunchBounds.cpp - The registers that blocks leave a thread --------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transforms/LaunchBounds.h"
#include "transforms/KernelUses.h"
#include "transforms/LaunchSites.h"
#include "transforms/SourceEdit.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using llvm::StringRef;

namespace catt {

//===-- The declaration ---------------------------------------------------===//

namespace {
/// The bytes of the arguments of bounds that are there.
struct BoundsText {
  std::vector<SourceSpan> Arguments;
  unsigned Close = 0; ///< of the closing parenthesis
};

/// What the text of a kernel's declaration holds.
struct Declaration {
  std::optional<unsigned> Global; ///< of `__global__`
  std::optional<BoundsText> Bounds;
  bool HasMaxnreg = false;
};

/// Reads the arguments of the bounds token by token.
class BoundsReader {
public:
  BoundsReader(const std::string &File, Declaration &Out)
      : File(File), Out(Out) {}

  /// True once the closing parenthesis was read.
  bool read(const clang::Token &T, unsigned Begin, unsigned End) {
    using namespace clang::tok;
    if (T.is(comment))
      return false;
    if (T.is(l_paren) && Depth++ == 0) {
      Out.Bounds = BoundsText();
      return false;
    }
    if (T.is(r_paren) && --Depth == 0) {
      finishArgument();
      Out.Bounds->Close = Begin;
      return true;
    }
    if (T.is(comma) && Depth == 1)
      finishArgument();
    else if (First == Last)
      First = Begin, Last = End;
    else
      Last = End;
    return false;
  }

private:
  void finishArgument() {
    if (First != Last)
      Out.Bounds->Arguments.push_back({File, First, Last});
    First = Last = 0;
  }

  const std::string &File;
  Declaration &Out;
  int Depth = 0;
  unsigned First = 0, Last = 0;
};
} // namespace

static Declaration readDeclaration(const std::string &Text, const Kernel &K) {
  Declaration D;
  std::optional<BoundsReader> Reader;
  forEachToken(Text, K.Span.Begin,
               [&](const clang::Token &T, unsigned Begin, unsigned End) {
                 if (Begin + 1 >= K.BodyBegin)
                   return false;
                 StringRef Word = StringRef(Text).slice(Begin, End);
                 if (Reader) {
                   if (Reader->read(T, Begin, End))
                     Reader.reset();
                 } else if (Word == "__launch_bounds__") {
                   Reader.emplace(K.Span.File, D);
                 } else if (Word == "__global__" && !D.Global) {
                   D.Global = Begin;
                 }
                 D.HasMaxnreg |= Word == "__maxnreg__";
                 return true;
               });
  return D;
}

//===-- The transform -----------------------------------------------------===//

/// Whether the bounds ask for at least the blocks that the kernel has now. With
/// less than those it may get more registers than it takes without bounds.
static bool keepsBlocks(const RegisterPlan &Plan) {
  int64_t Now = Plan.Before.BlocksPerSM;
  return Plan.Bounds->Form == BoundsForm::LaunchBounds
             ? Plan.Bounds->MinBlocks >= Now
             : Plan.Chosen < Plan.Points.size() && Plan.chosen().Blocks >= Now;
}

Transform::Preparation LaunchBounds::prepare(const KernelReport &Kernel,
                                             const Device &Gpu) const {
  Preparation Out;
  Out.Wanted = Kernel.Registers && Kernel.Registers->Bounds;
  if (!Out.Wanted)
    return Out;
  llvm::copy_if(Kernel.Source.Refusals, std::back_inserter(Out.Refusals),
                [](const Refusal &R) { return standsAgainstEdits(R.Kind); });
  llvm::append_range(Out.Refusals, Kernel.Registers->Refusals);
  if (!keepsBlocks(*Kernel.Registers))
    refuseFewerBlocks(Kernel.Source, Out.Refusals);
  return Out;
}

/// Why the declaration cannot be changed, if so.
static std::optional<Refusal> obstacle(const Kernel &K, const BoundsPlan &B,
                                       const Declaration &D,
                                       const TextMap &Texts) {
  const std::string &Text = Texts.at(K.Span.File);
  if (!D.Global)
    return Refusal{Reason::InMacro, K.Where, "the macro that holds __global__"};
  SourceSpan Place{K.Span.File, *D.Global, *D.Global};
  for (const Marker &M : findMarkers(Text, K.Span.Begin, K.BodyBegin))
    if (M.Transform == "launch-bounds")
      return Refusal{Reason::AlreadyRewritten, K.Where, ""};
  if (markedBefore(Text, Place, "launch-bounds", ""))
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
    if (std::optional<std::string> Foreign = foreignUse(K, Texts))
      return Refusal{Reason::LaunchedElsewhere, K.Where, *Foreign};
  return std::nullopt;
}

/// "0 * (" old ") + 3": another value, with the old text still there.
static void override(const SourceSpan &Argument, int64_t Value,
                     const std::string &Head, Edits &Out) {
  addInline(
      Argument,
      {"launch-bounds", Head, "", {"0 * ("}, {") + " + std::to_string(Value)}},
      Out);
}

static void changeBounds(const Kernel &K, const BoundsPlan &B,
                         const BoundsText &Old, const std::string &Head,
                         Edits &Out) {
  if (K.MaxThreads != B.MaxThreads)
    override(Old.Arguments[0], B.MaxThreads, Head, Out);
  if (Old.Arguments.size() == 1)
    addInline(
        {K.Span.File, Old.Close, Old.Close},
        {"launch-bounds", Head, "", {", " + std::to_string(B.MinBlocks)}, {}},
        Out);
  else if (K.MinBlocks != B.MinBlocks)
    override(Old.Arguments[1], B.MinBlocks, Head, Out);
}

llvm::Error LaunchBounds::apply(const KernelReport &Kernel, const Device &Gpu,
                                const TextMap &Texts, Edits &Out) const {
  if (Preparation P = prepare(Kernel, Gpu); !P.Wanted || !P.Refusals.empty())
    return llvm::Error::success();
  const catt::Kernel &K = Kernel.Source;
  const BoundsPlan &B = *Kernel.Registers->Bounds;
  SourceSpan Head{K.Span.File, K.Span.Begin, K.BodyBegin};
  std::optional<Refusal> Why = cannotEdit(Texts, Head, K.Where);
  Declaration D;
  if (!Why) {
    D = readDeclaration(Texts.at(K.Span.File), K);
    Why = obstacle(K, B, D, Texts);
  }
  if (Why) {
    Out.Refused.push_back(*Why);
    return llvm::Error::success();
  }
  std::string Code = spelling(B);
  std::string Argument = StringRef(Code).split('(').second.drop_back().str();
  if (B.Replaces)
    changeBounds(K, B, *D.Bounds, Argument, Out);
  else
    addInline({K.Span.File, *D.Global, *D.Global},
              {name().str(), Argument, "", {Code}, {}}, Out);
  Out.Done.push_back(
      {name().str(), K.Where,
       "bounded to " + std::to_string(B.Registers) + " registers by " + Code});
  return llvm::Error::success();
}

const Transform &theLaunchBounds(const TransformTraits &Traits) {
  static const LaunchBounds Only(Traits);
  return Only;
}

} // namespace catt
