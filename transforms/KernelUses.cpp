//===- KernelUses.cpp - Where else a kernel is named ----------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transforms/KernelUses.h"
#include "llvm/ADT/STLExtras.h"
#include <set>
#include <tuple>
#include <utility>

using llvm::StringRef;

namespace catt {

//===-- The uses ----------------------------------------------------------===//

namespace {
/// What follows the name of a kernel in a text.
enum class Use : uint8_t { Declaration, Launch, Other };
} // namespace

static Use useAt(StringRef Behind) {
  Behind = Behind.ltrim();
  if (Behind.starts_with("<") && !Behind.starts_with("<<<")) {
    int Depth = 0;
    size_t I = 0;
    for (; I < Behind.size() && (I == 0 || Depth > 0); ++I)
      Depth += Behind[I] == '<' ? 1 : Behind[I] == '>' ? -1 : 0;
    Behind = Behind.drop_front(I).ltrim();
  }
  if (Behind.starts_with("<<<"))
    return Use::Launch;
  return Behind.starts_with("(") ? Use::Declaration : Use::Other;
}

/// The launches of the kernel that the analysis saw in this unit, by place: a
/// helper with two callers shows its launch twice.
static size_t launchesSeen(const Kernel &K) {
  std::set<std::tuple<std::string, unsigned, unsigned>> Places;
  for (const Launch &L : K.Launches)
    if (L.From != Origin::Told && !L.IsElsewhere)
      Places.insert({L.Where.File, L.Where.Line, L.Where.Column});
  return Places.size();
}

static bool isInLaunch(const Kernel &K, const std::string &File, unsigned At) {
  return llvm::any_of(K.Launches, [&](const Launch &L) {
    auto Holds = [&](const SourceSpan &S) {
      return S.File == File && S.Begin <= At && At < S.End;
    };
    return (L.Statement && Holds(*L.Statement)) ||
           (L.Written && Holds(L.Written->Config));
  });
}

/// Whether a call that is told a kernel neither launches it nor changes how
/// many of its blocks share an SM. Behind: what follows the kernel's name.
static bool onlyNames(StringRef Function, StringRef Behind) {
  return Function == "cudaFuncGetAttributes" ||
         (Function == "cudaFuncSetAttribute" &&
          Behind.split(';').first.contains(
              "cudaFuncAttributeMaxDynamicSharedMemorySize"));
}

std::optional<std::string> foreignUse(const Kernel &K,
                                      const FileContexts &Files, bool AnyUse) {
  size_t Launches = 0;
  bool Other = false;
  for (const auto &[File, In] : Files) {
    const std::string &Text = In.Text;
    std::vector<StringRef> Open; // what stands before each open parenthesis
    StringRef Before;
    forEachToken(
        Text, 0, [&](const clang::Token &T, unsigned Begin, unsigned End) {
          if (T.is(clang::tok::comment))
            return true;
          StringRef Word = StringRef(Text).slice(Begin, End);
          StringRef Last = std::exchange(Before, Word);
          if (T.is(clang::tok::l_paren))
            Open.push_back(Last);
          if (T.is(clang::tok::r_paren) && !Open.empty())
            Open.pop_back();
          if (Word != K.UnqualifiedName)
            return true;
          StringRef Behind = StringRef(Text).drop_front(End);
          Use What = useAt(Behind);
          Launches += What == Use::Launch;
          Other |= What == Use::Other && !isInLaunch(K, File, Begin) &&
                   (AnyUse || Open.empty() || !onlyNames(Open.back(), Behind));
          return !Other;
        });
  }
  if (Other)
    return "'" + K.UnqualifiedName + "' is used where nothing is launched";
  if (Launches > launchesSeen(K))
    return "'" + K.UnqualifiedName + "' is launched in " +
           std::to_string(Launches) + " places, and " +
           std::to_string(launchesSeen(K)) + " of them are known";
  return std::nullopt;
}

} // namespace catt
