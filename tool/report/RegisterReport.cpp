//===- RegisterReport.cpp - Registers and blocks, for people --------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   100 registers, 2 blocks of 256 threads per SM (limited by registers);
//       proposed: 80 registers, 3 blocks: __launch_bounds__(256, 3)
//   what the compiler makes of each cap: 100 registers, 2 blocks; 80 ...
//   tpsc would take 80 registers: TPSC 0.0 is the least
//
//===----------------------------------------------------------------------===//
#include "Rendering.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace catt {

/// "80 registers, 3 blocks, 48 bytes spilled"
static std::string describe(const DesignPoint &P) {
  std::string Text = counted(P.Compiled.Registers, "register") + ", " +
                     counted(P.Blocks, "block");
  if (P.spills())
    Text +=
        ", " + counted(P.Compiled.spilledBytes(), "byte") + " moved by spills";
  return Text;
}

/// "20 registers of each thread in shared memory or computed again"
static std::string describe(const Relief &By) {
  return counted(By.Registers, "register") + " of each thread " +
         (By.Recomputed == 0       ? "in shared memory"
          : By.SharedAccesses == 0 ? "computed again"
                                   : "in shared memory or computed again");
}

/// The step that was taken, if one was tried.
static const SpillStep *taken(const KernelReport &K) {
  if (!K.Spill || K.Spill->Moved.empty())
    return nullptr;
  auto Step = llvm::find_if(K.Spill->Steps, [&](const SpillStep &S) {
    return !S.Pragma && S.MovedRegisters == K.Spill->MovedRegisters;
  });
  return Step == K.Spill->Steps.end() ? nullptr : &*Step;
}

/// The proposed point: with values moved, as the assembler said of that.
static std::string proposed(const KernelReport &K) {
  DesignPoint P = K.Registers->chosen();
  if (auto Found = K.Registers->Relieved.find(K.Registers->Chosen);
      Found != K.Registers->Relieved.end())
    return describe(Found->second) + ", " + describe(Found->second.By);
  const SpillStep *Step = taken(K);
  if (!Step)
    return describe(P);
  P.Compiled = Step->Compiled;
  return describe(P) + ", " + counted(Step->MovedRegisters, "register") +
         " of each thread in shared memory";
}

static std::string headline(const KernelReport &K) {
  const RegisterPlan &P = *K.Registers;
  std::string Text =
      formatv("{0} of {1} threads per SM (limited by {2})", describe(P.Current),
              P.Deciding.Block.count().value_or(0),
              toString(P.Before.LimitedBy))
          .str();
  if (!P.Bounds)
    return Text + "; no other number of registers is proposed";
  return Text + "; proposed: " + proposed(K) + ": " + spelling(*P.Bounds);
}

static std::string stairs(const RegisterPlan &P) {
  std::string Text;
  for (const DesignPoint &Each : P.Points)
    Text += (Text.empty() ? "" : "; ") + describe(Each);
  if (P.In.OptBlocks)
    Text +=
        formatv(" (L1 is best used by {0})", counted(*P.In.OptBlocks, "block"))
            .str();
  return "what the compiler makes of each cap: " + Text;
}

/// What trials made of points that spill; empty: nothing.
static std::string relievedPoints(const RegisterPlan &P) {
  std::string Text;
  for (const auto &[Point, Of] : P.Relieved)
    Text += (Text.empty() ? "tried: " : "; ") + describe(Of) + ", " +
            describe(Of.By);
  return Text;
}

static std::string choiceOf(const RegisterPlan &P, const Selector &By,
                            const Selection &S) {
  std::string Text = By.Name.str();
  Text +=
      S.Point == 0
          ? " would change nothing"
          : formatv(" would take {0}",
                    counted(P.Points[S.Point].Compiled.Registers, "register"))
                .str();
  return Text + ": " + S.Why;
}

/// What --target-registers has chosen.
static std::string targetText(const RegisterPlan &P) {
  std::string Text = formatv("--target-registers={0} decides: {1}", *P.Target,
                             describe(P.chosen()))
                         .str();
  if (int64_t(P.chosen().Compiled.Registers) > *P.Target)
    Text += "; with fewer, no further block would share an SM";
  return Text;
}

/// "'sum' (2 registers), 'x' (1 register)": the first of the values.
static std::string named(ArrayRef<LiveValue> Values) {
  constexpr size_t Most = 5;
  std::string Text;
  for (const LiveValue &V : Values.take_front(Most))
    Text += (Text.empty() ? "'" : ", '") + V.Name + "' (" +
            counted(V.Registers, "register") + ")";
  if (Values.size() > Most)
    Text += formatv(" and {0} more", Values.size() - Most).str();
  return Text;
}

/// "33 registers moved to 33 KiB of shared memory: 80 registers, ..."
static std::string describe(const SpillStep &S) {
  std::string Text = S.Pragma ? "with enable_smem_spilling"
                     : S.MovedRegisters == 0
                         ? "as it is"
                         : counted(S.MovedRegisters, "register") + " moved";
  return formatv("{0}: {1}, {2} moved by spills, {3}", Text,
                 counted(S.Compiled.Registers, "register"),
                 counted(S.Compiled.spilledBytes(), "byte"),
                 S.Cycles
                     ? formatv("{0:F0} cycles for a block", *S.Cycles).str()
                     : formatv("cost {0:F0}", S.Cost).str())
      .str();
}

static std::string chosenSpill(const KernelReport &K) {
  const SharedSpill &S = *K.Spill;
  std::string Text =
      formatv("to meet {0} registers instead of {1}: ", S.CapRegisters,
              S.Needed)
          .str();
  if (S.Pragma)
    return Text + "ptxas spills to shared memory (enable_smem_spilling)";
  if (S.Moved.empty())
    return Text + "no value is moved to shared memory";
  std::string Names;
  for (const MovedValue &M : S.Moved) {
    const ThreadValue &V = K.Source.Values[M.Of.Value];
    Names += (Names.empty() ? "'" : ", '") + V.Name + "'";
    if (!V.Extents.empty())
      Names +=
          formatv(" ({0} of {1} elements)", M.Elements, V.elements()).str();
  }
  return Text + formatv("{0} in {1} of shared memory per block", Names,
                        counted(S.sharedBytes(), "byte"))
                    .str();
}

static void addSpillLines(const KernelReport &K,
                          std::vector<std::string> &Lines) {
  if (!K.Spill)
    return;
  Lines.push_back(chosenSpill(K));
  for (const SpillStep &S : K.Spill->Steps)
    Lines.push_back("  tried " + describe(S));
  if (K.Spill->From != Origin::Measured)
    Lines.push_back("which values are moved is an estimate; --ptxas tries "
                    "several amounts");
}

static void addRematLines(const KernelReport &K,
                          std::vector<std::string> &Lines) {
  if (!K.Remat)
    return;
  const RematPlan &P = *K.Remat;
  if (!P.Values.empty())
    Lines.push_back(formatv("{0} can be computed again, for about {1} of the "
                            "{2} registers that {3} lack",
                            counted(P.Values.size(), "value"), P.Freed,
                            P.Wanted, P.TargetRegisters)
                        .str());
  for (const RematStep &S : P.Steps)
    Lines.push_back(formatv("  tried {0}: {1}, {2} moved by spills",
                            counted(S.Values, "value"),
                            counted(S.Compiled.Registers, "register"),
                            counted(S.Compiled.spilledBytes(), "byte"))
                        .str());
}

std::vector<std::string> registerLines(const KernelReport &K) {
  if (!K.Registers)
    return {};
  const RegisterPlan &P = *K.Registers;
  std::vector<std::string> Lines = {headline(K), stairs(P)};
  if (!P.Relieved.empty())
    Lines.push_back(relievedPoints(P));
  if (P.Target)
    Lines.push_back(targetText(P));
  for (const auto &[By, S] : zip_equal(allSelectors(), P.Selections))
    Lines.push_back((By == P.By && !P.Target ? "decided by " : "") +
                    choiceOf(P, By, S));
  if (K.Pressure && !K.Pressure->Peaks.empty()) {
    const PressurePeak &Peak = K.Pressure->Peaks.front();
    Lines.push_back(formatv("most registers are live at line {0}: {1}",
                            Peak.Begin.Line, named(Peak.Live))
                        .str());
  }
  addRematLines(K, Lines);
  addSpillLines(K, Lines);
  Lines.push_back(P.Current.Compiled.From == Origin::Measured
                      ? "register numbers are those of ptxas"
                      : "register numbers are an estimate; --ptxas asks the "
                        "assembler");
  if (K.Pressure)
    Lines.insert(Lines.end(), K.Pressure->Notes.begin(),
                 K.Pressure->Notes.end());
  return Lines;
}

std::string forcedSpillText(const ForcedSpill &F) {
  std::string Text =
      formatv("{0} is met only by spilling: {1} stored and {2} loaded per "
              "thread, where {3} registers would do without",
              F.Bound, counted(F.Under.SpillStoreBytes, "byte"),
              counted(F.Under.SpillLoadBytes, "byte"), F.Needed)
          .str();
  if (!F.Values.empty())
    Text += "; live where most registers are, and not used there: " +
            named(F.Values);
  return Text + (F.Instead.empty() ? "; no looser bound of this kind avoids it"
                                   : "; " + F.Instead + " spills nothing");
}

/// nvcc takes one cap for all kernels of a file: the largest that any of them
/// needs, and only if every kernel asks for one.
static std::optional<int64_t> commonCap(const Report &R) {
  std::optional<int64_t> Cap;
  for (const KernelReport &K : R.Kernels) {
    if (!K.Registers || !K.Registers->Bounds)
      return std::nullopt;
    Cap = std::max(Cap.value_or(0), K.Registers->Bounds->Registers);
  }
  return Cap;
}

std::string renderFlags(ArrayRef<FileOutcome> Files) {
  std::string Text;
  raw_string_ostream OS(Text);
  for (const FileOutcome &F : Files) {
    if (!F.Analysed)
      continue;
    for (const KernelReport &K : F.Analysed->Kernels) {
      OS << "# " << F.Name << ": " << K.Source.Name << ": ";
      if (!K.Registers)
        OS << "registers are not known\n";
      else if (!K.Registers->Bounds)
        OS << "as it is (" << describe(K.Registers->Current) << ")\n";
      else
        OS << spelling(*K.Registers->Bounds)
           << " or -maxrregcount=" << K.Registers->Bounds->Registers << " ("
           << describe(K.Registers->chosen()) << ", now "
           << describe(K.Registers->Current) << ")\n";
    }
    if (std::optional<int64_t> Cap = commonCap(*F.Analysed))
      OS << F.Name << ": -maxrregcount=" << *Cap << "\n";
  }
  return Text;
}

} // namespace catt
