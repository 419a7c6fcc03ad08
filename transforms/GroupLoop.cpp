//===- GroupLoop.cpp - The loop over the groups of a block ----------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transforms/GroupLoop.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Regex.h"

using llvm::StringRef;

namespace catt {

namespace {
/// Threads per group as CUDA text, for the last case that holds.
struct GroupThreads {
  std::string First; ///< an expression: all, if there are no Later
  /// Statements that assign to the variable with First's value.
  std::vector<std::string> Later;
};
} // namespace

/// `n >= 32`
static std::string boundText(StringRef Input, int64_t From) {
  // Against an unsigned parameter, a negative bound would turn into a huge one.
  return ((From < 0 ? "(long long)" : "") + Input + " >= " + llvm::Twine(From))
      .str();
}

/// Threads of a group: a number, or, where only the run knows the block size,
/// its part in whole warps.
static std::string threadsOf(const RuntimeCase &C, StringRef BlockSize) {
  if (C.Groups == 1)
    return std::to_string(WholeBlock * WarpLanes);
  if (C.Groups == 0)
    return std::to_string(C.WarpsPerGroup * WarpLanes);
  std::string Step = std::to_string(C.Groups * WarpLanes);
  return "(" + BlockSize.str() + " + " +
         std::to_string(C.Groups * WarpLanes - 1) + ") / " + Step + " * " +
         std::to_string(WarpLanes);
}

/// Name: of the variable; Whole: warps of a block. Where large values leave the
/// block whole, like small ones, they need no case of their own:
/// `n >= 8 && n < 4096`.
static GroupThreads threadsByCase(const GroupSize &Size, StringRef Name,
                                  StringRef BlockSize, int64_t Whole) {
  llvm::ArrayRef<RuntimeCase> Cases = Size.Cases;
  GroupThreads Out{std::to_string(Size.Below * WarpLanes), {}};
  if (Cases.empty())
    return Out;
  const RuntimeCase &Last = Cases.back();
  std::string Below;
  bool LastIsWhole =
      Last.Groups == 1 || (Last.Groups == 0 && Last.WarpsPerGroup >= Whole);
  if (Cases.size() == 2 && LastIsWhole && Size.Below >= Whole &&
      Last.Parameter == Cases[0].Parameter) {
    Cases = Cases.drop_back();
    Below = " && " + Last.Parameter + " < " + std::to_string(Last.From);
  }
  for (const RuntimeCase &C : Cases) {
    std::string Test = boundText(C.Parameter, C.From) + Below;
    for (const RuntimeBound &B : C.And)
      Test += " && " + boundText(B.Parameter, B.From);
    std::string Threads = threadsOf(C, BlockSize);
    if (Size.Cases.size() == 1 && C.And.empty())
      Out.First =
          (llvm::Twine(Test) + " ? " + Threads + " : " + Out.First).str();
    else
      Out.Later.push_back(
          ("if (" + Test + ") " + Name + " = " + Threads + ";").str());
  }
  return Out;
}

/// A group of a size that is known here: one division by a constant.
static void openFixed(Addition &Out, const Numbering &Number, int64_t Threads,
                      const FileContext &File) {
  const std::string Group = freshName(File, "cattGroup");
  const std::string Width = std::to_string(Threads);
  std::string Thread = Number.Thread;
  if (!Number.isFlat())
    Thread = "(" + Thread + ")";
  Out.Open = {"for (unsigned " + Group + " = 0; " + Group + " * " + Width +
                  " < " + Number.Size + "; ++" + Group + ") {",
              "if (" + Thread + " / " + Width + " == " + Group + ") {"};
}

namespace {
/// The variables that a group whose size the run decides needs, and the loop
/// over the groups as far as the statements that it runs.
class GroupsByCase {
public:
  GroupsByCase(const Numbering &Number, const GroupSize &Size, int64_t Warps,
               const FileContext &File)
      : Number(Number), Width(freshName(File, "cattThreads")),
        First(freshName(File, "cattFirst")),
        WholeUnless(Size.OnlyIf.empty() ? "" : "!" + Size.OnlyIf + " || "),
        Thread(Number.Thread),
        Threads(threadsByCase(Size, Width, Number.Size, Warps)) {
    if (!Number.isFlat())
      Thread = freshName(File, "cattThread");
  }

  /// The statements stand in the loop. A block that stays whole waits for
  /// nothing.
  void around(Addition &Out) const {
    std::string Init = "unsigned " + First + " = 0";
    if (Number.isFlat() && Threads.Later.empty()) {
      Init += ", " + Width + " = " + Threads.First;
    } else {
      // A block, so that all is one statement and can take the place of one.
      Out.Open = {"{"};
      declare(Out.Open);
      Out.Close.push_back("}");
    }
    Out.Close[1] = "if (" + Width + " < " + Number.Size + ") " + Out.Close[1];
    Out.Open.push_back(loop(Init));
    Out.Open.push_back("if (" + isOwn() + ") {");
  }

  /// The statements stand before the loop, and have a name: a block that stays
  /// whole runs them as they are, and is compiled so.
  void behind(Addition &Out, const FileContext &File) const {
    const std::string Name = freshName(File, "cattLoop");
    Out.Open = {"{",
                "auto " + Name + " = [&]() __attribute__((always_inline)) {"};
    Out.Close = {"};"};
    declare(Out.Close);
    llvm::append_values(
        Out.Close, "if (" + WholeUnless + Width + " >= " + Number.Size + ") {",
        Name + "();", std::string("} else {"),
        loop("unsigned " + First + " = 0"),
        "if (" + isOwn() + ") " + Name + "();", std::string("__syncthreads();"),
        std::string("}"), std::string("}"), std::string("}"));
  }

private:
  const Numbering &Number;
  const std::string Width, First, WholeUnless;
  std::string Thread;
  const GroupThreads Threads;

  void declare(std::vector<std::string> &To) const {
    if (!Number.isFlat())
      To.push_back("const unsigned " + Thread + " = " + Number.Thread + ";");
    To.push_back("unsigned " + Width + " = " + Threads.First + ";");
    llvm::append_range(To, Threads.Later);
  }
  std::string loop(const std::string &Init) const {
    return "for (" + Init + "; " + First + " < " + Number.Size + "; " + First +
           " += " + Width + ") {";
  }
  /// Comparisons, because a division by what only the run knows costs more
  /// than a short loop takes.
  std::string isOwn() const {
    return Thread + " >= " + First + " && " + Thread + " < " + First + " + " +
           Width;
  }
};
} // namespace

bool canBeNamed(const WrapSite &Site, const FileContext &File) {
  static const llvm::Regex CannotCapture(
      R"((^|[^A-Za-z0-9_])(auto[ \t\n]*(const)?[ \t\n]*&?&?[ \t\n]*\[|union[^A-Za-z0-9_]))");
  static const llvm::Regex CannotHold(
      "(^|[^A-Za-z0-9_])(return|goto|__shared__|co_[a-z]+)"
      "([^A-Za-z0-9_]|$)");
  StringRef Text(File.Text);
  return !Site.NeedsSm70 && !CannotCapture.match(Text) &&
         !CannotHold.match(Text.slice(Site.Span.Begin, Site.Span.End));
}

Addition loopOverGroups(const GroupSize &Size, const Numbering &Number,
                        int64_t Warps, bool CanBeNamed,
                        const FileContext &File) {
  Addition Out;
  Out.Close = {"}", "__syncthreads();", "}"};
  if (Size.Cases.empty() && Size.OnlyIf.empty())
    openFixed(Out, Number, Size.Below * WarpLanes, File);
  else if (GroupsByCase Groups(Number, Size, Warps, File); CanBeNamed)
    Groups.behind(Out, File);
  else
    Groups.around(Out);
  return Out;
}

} // namespace catt
