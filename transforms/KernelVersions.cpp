//===- KernelVersions.cpp - Two kernels with one body ---------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transforms/KernelVersions.h"
#include "analysis/plan/runtime/Agreement.h"
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

/// Why the launch cannot name another function that stands behind the kernel.
static StringRef cannotChoose(const Launch &L, const Kernel &K,
                              const FileContext &File) {
  if (!L.Written || L.Written->Config.File != K.Span.File)
    return "a launch is not in the kernel's file";
  if (!L.Written->Obstacle.empty())
    return L.Written->Obstacle;
  if (L.Written->Callee.File.empty() || !nameBefore(L, K))
    return "a launch does not name the kernel in its own words";
  if (L.Written->Callee.Begin <= K.Span.End ||
      !File.places().reaches(K.Head->Begin, L.Written->Callee.Begin))
    return "a launch does not stand behind the kernel in each way that the "
           "file is compiled";
  return "";
}

bool canBeFlagged(const RowLoop &Rows, const FileContext &File) {
  const std::optional<FlaggedCallee> &F = Rows.Flagged;
  return F && (F->TemplateBegin || isFirstOnLine(File.Text, F->Begin)) &&
         conditionalsBalanced(File.Text, F->Begin, Rows.Span.End) &&
         llvm::all_of(F->Calls, [&](const FlaggedCallee::Call &C) {
           return File.places().reaches(F->Begin, C.NameEnd);
         });
}

StringRef againstSecondKernel(const Context &C) {
  const Kernel &K = C.Kernel.Source;
  auto Found = C.Files.find(K.Span.File);
  if (!K.Head || Found == C.Files.end())
    return "no other function can have the kernel's body";
  const FileContext &File = Found->second;
  for (const LoopVersion &V : C.Kernel.Plan.Versions)
    if (K.RowLoops[V.Rows].InCallee && !K.RowLoops[V.Rows].InLambda &&
        !canBeFlagged(K.RowLoops[V.Rows], File))
      return "a loop of another function would be in both kernels";
  const StringRef Text = File.Text;
  const unsigned Begin = K.Head->Begin;
  const StringRef Head = Text.slice(Begin, K.BodyBegin);
  // As written, so that a second head can be written: no other macro says it.
  if (!Head.contains("__global__"))
    return "a macro says __global__";
  const bool Plain = Head.find_first_of("#\\") == StringRef::npos &&
                     !Head.contains("//") && !Head.contains("/*");
  if (!Plain || !behindLine(Text, K.BodyBegin) || !isFirstOnLine(Text, Begin) ||
      !conditionalsBalanced(File.Text, Begin, K.Span.End))
    return "comments, directives or other code stand in the kernel's head";
  for (const Launch &L : K.Launches)
    if (StringRef Why = cannotChoose(L, K, File);
        L.From != Origin::Told && !Why.empty())
      return Why;
  return "";
}

/// Whether the kernel with its versions may lack registers for a launch.
static bool needsBounds(const Context &C) {
  const Kernel &K = C.Kernel.Source;
  return (!C.Kernel.Plan.Versions.empty() ||
          llvm::any_of(C.Kernel.Plan.Loops, isDivided)) &&
         mayLackRegisters(K, C.Gpu, largestBlockInSight(K));
}

std::vector<FlaggedCallee> calleesOf(const Context &C) {
  std::vector<FlaggedCallee> Out;
  for (const LoopVersion &V : C.Kernel.Plan.Versions) {
    const std::optional<FlaggedCallee> &F =
        C.Kernel.Source.RowLoops[V.Rows].Flagged;
    if (F && llvm::none_of(Out, [&](const FlaggedCallee &Known) {
          return Known.Begin == F->Begin;
        }))
      Out.push_back(*F);
  }
  return Out;
}

std::optional<SecondKernel> secondKernelOf(const Context &C) {
  const Kernel &K = C.Kernel.Source;
  const KernelPlan &Plan = C.Kernel.Plan;
  if ((!Plan.Tiles.IfLong && !Plan.ByTrials) ||
      Plan.Tiles.DynamicOffset > C.Gpu.SharedBytesPerBlock ||
      !againstSecondKernel(C).empty())
    return std::nullopt;
  const FileContext &File = C.Files.at(K.Span.File);
  // Bounds that do not cover the launches stay the only ones.
  const bool Bound = needsBounds(C);
  if (Bound && readDeclaration(File.Text, K).Bounds)
    return std::nullopt;
  const bool InSlices = Plan.ByTrials && Plan.InSlices;
  auto Name = [&](StringRef Long, StringRef Tried) {
    return freshName(File, ((Plan.ByTrials ? Tried : Long)).str());
  };
  return SecondKernel{
      &K,
      Name("cattLong", "cattTried"),
      freshName(File, "cattBody_" + K.UnqualifiedName),
      Name("cattRows_" + K.UnqualifiedName,
           (InSlices ? "cattPart_" : "cattTried_") + K.UnqualifiedName),
      calleesOf(C),
      Bound ? boundsFor(C, largestBlockInSight(K)) : "",
      Plan.ByTrials ? "as it was written" : "of short rows",
      !Plan.ByTrials ? ""
                     : freshName(File, InSlices ? "cattSlices" : "cattTrial"),
      "",
      InSlices};
}

std::optional<SecondKernel> boundedKernelOf(const Context &C, int64_t Threads) {
  const Kernel &K = C.Kernel.Source;
  if (!againstSecondKernel(C).empty())
    return std::nullopt;
  const FileContext &File = C.Files.at(K.Span.File);
  const Declaration D = readDeclaration(File.Text, K);
  if (D.Bounds || D.HasMaxnreg)
    return std::nullopt;
  SecondKernel Out;
  Out.Of = &K;
  Out.Body = freshName(File, "cattBody_" + K.UnqualifiedName);
  Out.Name = freshName(File, "cattMore_" + K.UnqualifiedName);
  Out.Blocks = freshName(File, "cattBlocks");
  Out.Bounds =
      ("__launch_bounds__(" + llvm::Twine(Threads) + ", " + Out.Blocks + ")")
          .str();
  Out.OfFirst = "as it was written";
  return Out;
}

/// The launch's expression with another name; Flag: its first argument.
static std::string named(const Launch &L, const SecondKernel &Second,
                         StringRef Flag) {
  const StringRef Before = *nameBefore(L, *Second.Of);
  StringRef Behind =
      StringRef(L.Written->Kernel)
          .drop_front(Before.size() + Second.Of->UnqualifiedName.size());
  std::string Arguments = Behind.str();
  if (!Flag.empty())
    Arguments = "<" + Flag.str() +
                (Behind.consume_front("<") ? ", " + Behind.str() : ">");
  return (Before + Second.Name + Arguments).str();
}

std::string SecondKernel::at(const Launch &L) const {
  return named(L, *this, InSlices ? "true" : "");
}

std::string SecondKernel::at(const Launch &L, int64_t Number) const {
  return named(L, *this, std::to_string(Number));
}

std::string SecondKernel::otherwiseAt(const Launch &L) const {
  return InSlices ? named(L, *this, "false") : L.Written->Kernel;
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

/// What is not empty of both, with a comma between.
static std::string listOf(StringRef First, StringRef More) {
  return (First + (First.empty() || More.empty() ? "" : ", ") + More).str();
}

/// "template <bool cattLong, class T>\n"; empty: it is none.
static std::string templateOf(StringRef First, StringRef More) {
  const std::string Parameters = listOf(First, More);
  return Parameters.empty() ? "" : "template <" + Parameters + ">\n";
}

/// "bool cattLong": the flag of the body; empty: it has none.
static std::string flagOf(const SecondKernel &Second) {
  return Second.Flag.empty() ? "" : "bool " + Second.Flag;
}

/// "cattBody_rows<true>(A, m);"
static std::string callOf(const SecondKernel &Second, StringRef Flag,
                          std::vector<std::string> Names = {}) {
  for (const Parameter &P : Second.Of->Parameters)
    Names.push_back(P.Name);
  const std::string Arguments =
      listOf(Flag, Second.Of->Head->TemplateArguments);
  return Second.Body + (Arguments.empty() ? "" : "<" + Arguments + ">") + "(" +
         llvm::join(Names, ", ") + ");";
}

void writeFlag(const FlaggedCallee &F, const std::string &Path,
               const std::string &Name, const std::string &Value,
               EditBuilder &Out) {
  const std::string Flag = "bool " + Name + (F.IsShared ? " = false" : "");
  auto AddInline = [&](unsigned At, const std::string &Text) {
    Out.addInline({Path, At, At}, {"kernels", "", {Text}, {}});
  };
  if (F.TemplateBegin)
    AddInline(F.TemplateBegin, Flag + ", ");
  else
    Out.addBefore({Path, F.Begin, F.Begin},
                  {"kernels",
                   F.IsShared ? "its calls choose" : "called by both",
                   {"template <" + Flag + ">"},
                   {}});
  for (const FlaggedCallee::Call &C : F.Calls)
    AddInline(C.NameEnd, C.HasArguments ? Value + ", " : "<" + Value + ">");
}

/// "(uint3 first, dim3 grid, const float *A)": parameters before the others.
static std::string withParameters(const std::string &Before, const Kernel &K,
                                  StringRef Written) {
  return ("(" + llvm::Twine(Before) +
          (K.Parameters.empty() ? ")" : ", " + Written.drop_front()))
      .str();
}

/// The whole second kernel, of a template with these parameters.
static std::string secondOf(const SecondKernel &Second, const FileContext &File,
                            StringRef More, StringRef Parameters) {
  const Kernel &K = *Second.Of;
  const StringRef Text = File.Text;
  const std::string Start = specifiersOf(K, Text) + Second.Bounds +
                            (Second.Bounds.empty() ? "" : " ") + Second.Name;
  if (!Second.InSlices)
    return templateOf(Second.Blocks.empty() ? "" : "int " + Second.Blocks,
                      More) +
           Start + Parameters.str() + " {\n" +
           callOf(Second, Second.Flag.empty() ? "" : "true") + "\n}";
  const std::string First = freshName(File, "cattFirst"),
                    Grid = freshName(File, "cattGrid");
  std::string Block;
  for (const char *Each : {"x", "y", "z"})
    Block +=
        (Block.empty() ? "" : ", ") +
        ("blockIdx." + llvm::Twine(Each) + " + " + First + "." + Each).str();
  return templateOf(flagOf(Second), More) + Start +
         withParameters("uint3 " + First + ", dim3 " + Grid, K, Parameters) +
         " {\n" + callOf(Second, Second.Flag, {"{" + Block + "}", Grid}) +
         "\n}";
}

void writeSecondKernel(const SecondKernel &Second, EditBuilder &Out) {
  for (const FlaggedCallee &F : Second.Callees)
    writeFlag(F, Second.Of->Span.File, Second.Flag, Second.Flag, Out);
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
  const std::string Written = Slice(Head.ParametersBegin, Head.ParametersEnd);
  const std::string Parameters =
      Second.InSlices
          ? withParameters("uint3 blockIdx, dim3 gridDim", K, Written)
          : Written;
  const std::string More = Slice(Head.TemplateBegin, Head.TemplateEnd);
  const std::string Shared =
      laidOut(templateOf(flagOf(Second), More) +
                  "static __device__ __forceinline__ void " + Second.Body +
                  Parameters + ";",
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
          laidOut(secondOf(Second, File, More, Written), Indent, Style));
  std::vector<std::string> Own;
  if (Second.InSlices)
    Own = {"blockIdx", "gridDim"};
  Add(Body, Second.OfFirst,
      (indentation(Text, First) +
       callOf(Second, Second.Flag.empty() ? "" : "false", Own) + "\n" + Indent +
       "}\n" + StringRef(Shared).drop_back(1) + " {")
          .str());
}

} // namespace catt
