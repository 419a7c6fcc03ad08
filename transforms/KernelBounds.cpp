//===- KernelBounds.cpp - The registers of a rewritten kernel -------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transforms/KernelBounds.h"
#include "analysis/device/Occupancy.h"
#include "analysis/plan/RegisterHints.h"
#include "transforms/KernelUses.h"
#include "llvm/ADT/STLExtras.h"

using llvm::StringRef;

namespace catt {

//===-- The declaration ---------------------------------------------------===//

namespace {
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

Declaration readDeclaration(const std::string &Text, const Kernel &K) {
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

//===-- Versions of loops -------------------------------------------------===//

/// Threads of a block that the kernel must be compiled for; 0: it is.
static int64_t threadsFor(llvm::ArrayRef<VersionedLoop> Loops) {
  int64_t Threads = 0;
  for (const VersionedLoop &V : Loops)
    Threads = std::max(Threads, V.Version.BoundThreads);
  return Threads;
}

std::optional<Refusal> cannotBound(const Context &C,
                                   llvm::ArrayRef<VersionedLoop> Loops) {
  const Kernel &K = C.Kernel.Source;
  if (K.AllLaunchesVisible && !K.MaxThreads)
    if (std::optional<std::string> Foreign = foreignUse(K, C.Files))
      return Refusal{Reason::LaunchedElsewhere, K.Where, *Foreign};
  const int64_t Threads = threadsFor(Loops);
  return Threads ? cannotBound(C, Threads) : std::nullopt;
}

std::optional<Refusal> cannotBound(const Context &C, int64_t Threads) {
  const Kernel &K = C.Kernel.Source;
  const SourceSpan Head{K.Span.File, K.Span.Begin, K.BodyBegin};
  if (std::optional<Refusal> Why = cannotEdit(C.Files, Head, K.Where))
    return Why;
  const Declaration D = readDeclaration(C.Files.at(K.Span.File).Text, K);
  if (!D.Global)
    return Refusal{Reason::InMacro, K.Where, "the macro that holds __global__"};
  if (D.Bounds || D.HasMaxnreg ||
      (C.Kernel.Registers && C.Kernel.Registers->Bounds))
    return Refusal{Reason::BoundsExist, K.Where,
                   D.HasMaxnreg ? "__maxnreg__" : "__launch_bounds__"};
  return std::nullopt;
}

std::string boundsFor(const Context &C, int64_t Threads) {
  // Both keep the registers; launch bounds let nvcc 13.0 also choose other code
  // (llm.c's softmax with tiles took 1.3 times as long on an H100).
  if (hasMaxnreg(C.Cuda).value_or(false))
    return "__maxnreg__(" +
           std::to_string(registersForBlocks(C.Gpu, Threads, /*Blocks=*/1)) +
           ")";
  return "__launch_bounds__(" + std::to_string(Threads) + ")";
}

std::string boundsFor(const Context &C, llvm::ArrayRef<VersionedLoop> Loops) {
  const int64_t Threads = threadsFor(Loops);
  return Threads ? boundsFor(C, Threads) : "";
}

void writeBounds(const Kernel &K, const std::string &Bounds, EditBuilder &Out) {
  if (Bounds.empty())
    return;
  const std::string &File = K.Span.File;
  const unsigned At = *readDeclaration(Out.files().at(File).Text, K).Global;
  Out.addBefore({File, At, At},
                {"bounds",
                 "any block that it had registers for still has them",
                 {Bounds},
                 {}});
  Out.done(K.Where, "keeps the registers of its largest block by " + Bounds);
}

} // namespace catt
