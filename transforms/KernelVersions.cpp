//===- KernelVersions.cpp - Two kernels with one body ---------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transforms/KernelVersions.h"
#include "analysis/plan/throttle/Candidates.h"
#include "transforms/FilePlaces.h"
#include "transforms/KernelBounds.h"
#include "transforms/Layout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using llvm::StringRef;

namespace catt {

//===-- Whether there can be one ------------------------------------------===//

/// What stands before the kernel's own name in its expression at a launch.
static std::optional<StringRef> nameBefore(const Launch &L, const Kernel &K) {
  StringRef Before = StringRef(L.Written->Kernel).split('<').first;
  if (!Before.consume_back(K.UnqualifiedName) ||
      !(Before.empty() || Before.ends_with("::")))
    return std::nullopt;
  return Before;
}

/// Whether the launch can name another function that stands behind the kernel.
static bool canChoose(const Launch &L, const Kernel &K,
                      const FileContext &File) {
  if (!L.Written || L.Written->Config.File != K.Span.File ||
      L.Written->Callee.File.empty())
    return false;
  return nameBefore(L, K).has_value() && L.Written->Callee.Begin > K.Span.End &&
         File.places().reaches(K.Head->Begin, L.Written->Callee.Begin);
}

std::optional<SecondKernel> secondKernelOf(const Context &C) {
  const Kernel &K = C.Kernel.Source;
  const TileMemory &Tiles = C.Kernel.Plan.Tiles;
  auto Found = C.Files.find(K.Span.File);
  if (!Tiles.IfLong || Tiles.DynamicOffset > C.Gpu.SharedBytesPerBlock ||
      !K.Head || Found == C.Files.end())
    return std::nullopt;
  const FileContext &File = Found->second;
  const StringRef Text = File.Text;
  const unsigned Begin = K.Head->Begin;
  const StringRef Head = Text.slice(Begin, K.BodyBegin);
  // As written, so that a second head can be written: no other macro says it.
  if (!Head.contains("__global__"))
    return std::nullopt;
  const bool Plain = Head.find_first_of("#\\") == StringRef::npos &&
                     !Head.contains("//") && !Head.contains("/*");
  if (!Plain || !behindLine(Text, K.BodyBegin) || !isFirstOnLine(Text, Begin) ||
      !conditionalsBalanced(File.Text, Begin, K.Span.End))
    return std::nullopt;
  for (const Launch &L : K.Launches)
    if (L.From != Origin::Told && !canChoose(L, K, File))
      return std::nullopt;
  // Bounds that do not cover the launches stay the only ones.
  const int64_t Largest = largestBlockInSight(K);
  const bool Bound = mayLackRegisters(K, C.Gpu, Largest);
  if (Bound && readDeclaration(File.Text, K).Bounds)
    return std::nullopt;
  return SecondKernel{&K, freshName(File, "cattLong"),
                      freshName(File, "cattBody_" + K.UnqualifiedName),
                      freshName(File, "cattRows_" + K.UnqualifiedName),
                      Bound ? boundsFor(C, Largest) : ""};
}

std::string SecondKernel::at(const Launch &L) const {
  const StringRef Expression = L.Written->Kernel, Before = *nameBefore(L, *Of);
  return (Before + Name +
          Expression.drop_front(Before.size() + Of->UnqualifiedName.size()))
      .str();
}

//===-- The text ----------------------------------------------------------===//

/// "static __global__ void ": what stands before the kernel's name, for a
/// kernel that only this file knows.
static std::string specifiersOf(const Kernel &K, StringRef Text) {
  StringRef Before = Text.slice(K.Span.Begin, K.Head->Name);
  llvm::SmallVector<StringRef> Words;
  llvm::SplitString(Before, Words);
  return (llvm::is_contained(Words, "static") ? "" : "static ") + Before.str();
}

/// "cattBody_rows<true>(A, m);"
static std::string callOf(const SecondKernel &Second, StringRef Flag) {
  std::vector<std::string> Names;
  for (const Parameter &P : Second.Of->Parameters)
    Names.push_back(P.Name);
  const std::string &More = Second.Of->Head->TemplateArguments;
  return Second.Body + "<" + Flag.str() + (More.empty() ? "" : ", ") + More +
         ">(" + llvm::join(Names, ", ") + ");";
}

void writeSecondKernel(const SecondKernel &Second, EditBuilder &Out) {
  const Kernel &K = *Second.Of;
  const KernelHead &Head = *K.Head;
  const FileContext &File = Out.files().at(K.Span.File);
  const StringRef Text = File.Text, Indent = indentation(Text, Head.Begin);
  const unsigned Body = *behindLine(Text, K.BodyBegin);
  const size_t First = Text.find_first_not_of(" \t\r\n", Body);
  const clang::format::FormatStyle Style =
      File.Style ? *File.Style : surroundingStyle(Text, First);
  auto Slice = [&](unsigned Begin, unsigned End) {
    std::string Part = Text.slice(Begin, End).str();
    llvm::erase(Part, '\r');
    return Part;
  };
  const std::string Parameters =
      Slice(Head.ParametersBegin, Head.ParametersEnd);
  const std::string More = Slice(Head.TemplateBegin, Head.TemplateEnd);
  const std::string Shared =
      laidOut("template <bool " + Second.Flag + (More.empty() ? "" : ", ") +
                  More + ">\nstatic __device__ __forceinline__ void " +
                  Second.Body + Parameters + ";",
              Indent, Style);
  auto Add = [&](unsigned At, StringRef Reason, std::string Lines) {
    Out.edits().Added[{K.Span.File, At, At}].lead(linesAsTheyAre(
        Out.transform(), {"kernels", Reason.str(), {std::move(Lines)}, {}},
        File.LineEnding));
  };
  const std::optional<unsigned> Above =
      K.Top == Head.Begin ? File.places().above({K.Top}, K.BodyBegin)
                          : std::nullopt; // in a namespace
  Add(Above.value_or(lineStart(Text, Head.Begin)), "two kernels with one body",
      Shared + "\n" +
          laidOut((More.empty() ? "" : "template <" + More + ">\n") +
                      specifiersOf(K, Text) + Second.Bounds +
                      (Second.Bounds.empty() ? "" : " ") + Second.Name +
                      Parameters + " {\n" + callOf(Second, "true") + "\n}",
                  Indent, Style));
  Add(Body, "of short rows",
      (indentation(Text, First) + callOf(Second, "false") + "\n" + Indent +
       "}\n" + StringRef(Shared).drop_back(1) + " {")
          .str());
}

} // namespace catt
