//===- Pressure.cpp - What ptxas will report ------------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/registers/Pressure.h"
#include "analysis/registers/ColorRegisters.h"
#include "analysis/registers/InstructionCosts.h"
#include "analysis/registers/Schedule.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <map>

using llvm::BitVector;

namespace catt {

//===-- The number -------------------------------------------------------===//

/// A thread has 255 at most ("CUDA C++ Programming Guide", NVIDIA, table of
/// compute capabilities).
constexpr unsigned MostRegisters = 255;
/// What a kernel that calls by the ABI takes at least, printf included;
/// measured with ptxas 13.0.
constexpr unsigned CallRegisters = 24;

/// The most registers with which an SM holds all its threads, and the unit in
/// which registers are given to them (the same table).
constexpr unsigned FullOccupancy = 32, AllocationUnit = 8;

/// Registers of a cap that no value gets: the stack pointer, and what the
/// addresses and predicates of spilling take. Of 2, 3, 4 and 6 the one with
/// which the kernels that the weights were fitted on are told best
/// (accuracy.py).
constexpr unsigned ReservedRegisters = 3;

static unsigned largest(const std::vector<unsigned> &Of) {
  return Of.empty() ? 0 : *llvm::max_element(Of);
}

static unsigned acrossCalls(const Code &C, const Liveness &L) {
  unsigned Most = 0;
  for (unsigned B = 0; B != C.Blocks.size(); ++B)
    walkBackwards(C, L, B, [&](unsigned I, const BitVector &Live) {
      if (C.Operations[I].Calls)
        Most = std::max(Most, wordsOf(C, Live));
    });
  return Most;
}

PressureFeatures featuresOf(const Code &C) {
  Liveness L = computeLiveness(C);
  PressureFeatures F;
  F.MaxLive = largest(pressure(C, L));
  F.Ordered =
      std::min(F.MaxLive, largest(scheduledPressure(C, L, {24, 1, 64})));
  F.Batched = largest(scheduledPressure(C, L, {FullOccupancy, 4, 64}));
  F.Operations = C.Operations.size();
  F.AcrossCalls = acrossCalls(C, L);
  F.Calls =
      llvm::any_of(C.Operations, [](const Operation &O) { return O.Calls; });
  return F;
}

/// Weights of the measures; test/bench/registers/fit.py prints them.
constexpr double Constant = 5.71, OfOrdered = 0.54, OfBatched = 0.49;

/// ptxas takes what is free up to the next number of registers with which fewer
/// warps fit. Between these two that is FullOccupancy: 46 of the 205 kernels
/// that the weights were fitted on take it.
constexpr double FillsFrom = 27.5, FillsTo = 36;

static unsigned atStair(double Registers) {
  if (Registers < FillsFrom)
    return static_cast<unsigned>(std::max(std::lround(Registers), 4L));
  if (Registers <= FillsTo)
    return FullOccupancy;
  return static_cast<unsigned>(std::lround(Registers / AllocationUnit)) *
         AllocationUnit;
}

unsigned expectedRegisters(const PressureFeatures &F) {
  unsigned Registers =
      atStair(Constant + OfOrdered * F.Ordered + OfBatched * F.Batched);
  if (F.Calls)
    Registers = std::max(Registers, CallRegisters + F.AcrossCalls / 2);
  return std::min(Registers, MostRegisters);
}

//===-- Peaks ------------------------------------------------------------===//

namespace {

/// Finds where most is live, and what.
class PeakFinder {
public:
  PeakFinder(const ptx::Module &M, const ptx::Function &F, const Code &C,
             NameAt Name)
      : M(M), F(F), C(C), Name(Name), L(computeLiveness(C)),
        At(pressure(C, L)) {}
  std::vector<PressurePeak> find(unsigned Count);

private:
  Location placeOf(const ptx::Instruction &I) const;
  PressurePeak peak(unsigned Block, unsigned First, unsigned Last);
  LiveValue describe(unsigned Value, unsigned First, unsigned Last);
  void name(unsigned Value, LiveValue &V) const;

  const ptx::Module &M;
  const ptx::Function &F;
  const Code &C;
  NameAt Name;
  Liveness L;
  std::vector<unsigned> At;
};

} // namespace

/// Where people would look: the user's line rather than a library's.
Location PeakFinder::placeOf(const ptx::Instruction &I) const {
  bool FromElsewhere = I.InlinedAt.Line != 0 && I.InlinedAt.File != I.At.File;
  const ptx::Mark &Mark = FromElsewhere ? I.InlinedAt : I.At;
  return {M.fileName(Mark.File), Mark.Line, Mark.Column};
}

/// Named by the first definition that computes it and belongs to a variable:
/// what a loop carries begins as a constant, whose line is that of whatever
/// stands before it.
void PeakFinder::name(unsigned Value, LiveValue &V) const {
  for (bool Computed : {true, false})
    for (const Operation &O : C.Operations) {
      if (!llvm::is_contained(O.Defines, Value) ||
          Computed != (!O.IsCopy && !O.Uses.empty()))
        continue;
      Location Where = placeOf(F.Instructions[O.From]);
      V.Name = Name(Where);
      if (!V.Where.valid() || !V.Name.empty())
        V.Where = Where;
      if (!V.Name.empty())
        return;
    }
  V.Name = V.Where.valid() ? "a value of line " + std::to_string(V.Where.Line)
                           : F.Registers[C.Values[Value].Register].Name;
}

LiveValue PeakFinder::describe(unsigned Value, unsigned First, unsigned Last) {
  LiveValue V;
  V.Registers = C.Values[Value].Words;
  name(Value, V);
  for (const CodeBlock &B : C.Blocks)
    for (unsigned I = B.First; I != B.End; ++I) {
      const Operation &O = C.Operations[I];
      bool Reads = llvm::is_contained(O.Uses, Value);
      if (Reads)
        V.UseWeight +=
            static_cast<unsigned>(std::pow(LoopWeight, std::min(B.Depth, 4U)));
      if (I >= First && I <= Last)
        V.TouchedInPeak |= Reads || llvm::is_contained(O.Defines, Value);
    }
  return V;
}

PressurePeak PeakFinder::peak(unsigned Block, unsigned First, unsigned Last) {
  PressurePeak P;
  // Copies and the like may have no line, or line 0.
  for (unsigned I = First; I <= Last && P.Begin.Line == 0; ++I)
    P.Begin = placeOf(F.Instructions[C.Operations[I].From]);
  for (unsigned I = Last + 1; I-- > First && P.End.Line == 0;)
    P.End = placeOf(F.Instructions[C.Operations[I].From]);
  unsigned Top = First;
  for (unsigned I = First; I <= Last; ++I)
    if (At[I] > At[Top])
      Top = I;
  P.Registers = At[Top];
  walkBackwards(C, L, Block, [&](unsigned I, const BitVector &Live) {
    if (I != Top)
      return;
    BitVector There = Live;
    for (unsigned V : C.Operations[I].Defines)
      There.set(V);
    for (unsigned V : There.set_bits())
      if (C.Values[V].Words != 0)
        P.Live.push_back(describe(V, First, Last));
  });
  return P;
}

/// The operations around the highest pressure that stay within an eighth of it,
/// then the same for the other blocks.
std::vector<PressurePeak> PeakFinder::find(unsigned Count) {
  std::vector<std::pair<unsigned, unsigned>> Tops; // operation, block
  for (auto [Number, B] : llvm::enumerate(C.Blocks)) {
    if (B.First == B.End)
      continue;
    auto Top = std::max_element(At.begin() + B.First, At.begin() + B.End);
    Tops.emplace_back(Top - At.begin(), Number);
  }
  llvm::stable_sort(Tops,
                    [&](auto A, auto Z) { return At[A.first] > At[Z.first]; });
  std::vector<PressurePeak> Peaks;
  for (auto [Top, Number] : Tops) {
    if (Peaks.size() == Count || At[Top] == 0 ||
        At[Top] * 8 < At[Tops[0].first] * 7)
      break;
    const CodeBlock &B = C.Blocks[Number];
    unsigned First = Top, Last = Top;
    while (First != B.First && At[First - 1] * 8 >= At[Top] * 7)
      --First;
    while (Last + 1 != B.End && At[Last + 1] * 8 >= At[Top] * 7)
      ++Last;
    Peaks.push_back(peak(Number, First, Last));
  }
  return Peaks;
}

//===-- Together ---------------------------------------------------------===//

namespace {

/// A function in a kernel's call tree, the kernel first.
struct Called {
  Code C;
  PressureFeatures Own;
  /// Registers that the callers keep for themselves while it runs, on the chain
  /// of calls that keeps most.
  unsigned Kept = 0;
};

/// Orion's inter-procedural MaxLive: what is live while a function runs is its
/// own and what each of its callers needs behind the call.
class CallTree {
public:
  CallTree(const ptx::Module &M, std::vector<std::string> &Notes)
      : M(M), Notes(Notes) {}
  void add(const ptx::Function &F, unsigned Kept);

  std::map<std::string, Called> Functions;

private:
  const ptx::Module &M;
  std::vector<std::string> &Notes;
  std::vector<std::string> Path;

  const ptx::Function *bodyOf(const std::string &Callee);
};

} // namespace

const ptx::Function *CallTree::bodyOf(const std::string &Callee) {
  const ptx::Function *F = M.find(Callee);
  std::string Note =
      "the body of " + Callee + " is not there; its registers are not counted";
  if (!F && !isMathFunction(Callee) && !llvm::is_contained(Notes, Note))
    Notes.push_back(Note);
  return F;
}

/// A function that calls itself is counted once.
void CallTree::add(const ptx::Function &F, unsigned Kept) {
  auto [At, New] = Functions.try_emplace(F.Name);
  Called &Here = At->second;
  if (New) {
    Here.C = lower(F);
    Here.Own = featuresOf(Here.C);
  } else if (Kept <= Here.Kept) {
    return;
  }
  Here.Kept = Kept;
  Path.push_back(F.Name);
  unsigned Behind = std::min(Kept + Here.Own.AcrossCalls, MostRegisters);
  for (const ptx::Instruction &I : F.Instructions) {
    if (I.Callee.empty() || llvm::is_contained(Path, I.Callee))
      continue;
    if (const ptx::Function *Callee = bodyOf(I.Callee))
      add(*Callee, Behind);
  }
  Path.pop_back();
}

/// Of the order of the text and one that wants few registers, what spills less.
static RegisterPoint underCap(const Code &C, unsigned Cap, unsigned Default,
                              unsigned Overhead) {
  RegisterPoint P;
  P.CapRegisters = Cap;
  P.Registers = std::min(Cap, Default);
  if (Default <= Cap)
    return P;
  unsigned Available = Cap > Overhead + 4 ? Cap - Overhead : 4;
  Liveness L = computeLiveness(C);
  Allocation A = colorRegisters(C, Available);
  Allocation B = colorRegisters(reordered(C, L, Available), Available);
  const Allocation &Less =
      B.StoreBytes + B.LoadBytes < A.StoreBytes + A.LoadBytes ? B : A;
  P.SpillStoreBytes = Less.StoreBytes;
  P.SpillLoadBytes = Less.LoadBytes;
  P.StackBytes = Less.StackBytes;
  if (P.spills())
    P.SpillWeight = Less.WeightedAccesses * 4 / P.spilledBytes();
  return P;
}

/// What the whole tree spills: each function has what its callers leave.
static RegisterPoint underCap(const CallTree &Tree, unsigned Cap,
                              unsigned Default) {
  RegisterPoint Sum;
  Sum.CapRegisters = Cap;
  Sum.Registers = std::min(Cap, Default);
  if (Default <= Cap)
    return Sum;
  double Weighted = 0;
  for (const auto &[Name, F] : Tree.Functions) {
    unsigned Left = Cap > F.Kept ? Cap - F.Kept : 1;
    RegisterPoint P =
        underCap(F.C, Left, expectedRegisters(F.Own), ReservedRegisters);
    Sum.SpillStoreBytes += P.SpillStoreBytes;
    Sum.SpillLoadBytes += P.SpillLoadBytes;
    Sum.StackBytes += P.StackBytes;
    Weighted += P.SpillWeight * P.spilledBytes();
  }
  if (Sum.spills())
    Sum.SpillWeight = Weighted / Sum.spilledBytes();
  return Sum;
}

/// How often the operation runs at which most is live.
static double peakWeight(const Code &C) {
  std::vector<unsigned> At = pressure(C, computeLiveness(C));
  unsigned Top = llvm::max_element(At) - At.begin();
  for (const CodeBlock &B : C.Blocks)
    if (B.First <= Top && Top < B.End)
      return std::pow(LoopWeight, std::min(B.Depth, 4U));
  return 1;
}

RegisterUse estimateRegisters(const ptx::Module &M, const ptx::Function &F,
                              const PressureOptions &Options, NameAt Name) {
  RegisterUse Use;
  CallTree Tree(M, Use.Notes);
  Tree.add(F, 0);
  const Code &C = Tree.Functions.at(F.Name).C;
  Use.Notes.insert(Use.Notes.begin(), C.Notes.begin(), C.Notes.end());
  for (const auto &[Callee, Each] : Tree.Functions) {
    unsigned Registers = Each.Kept + expectedRegisters(Each.Own);
    Use.Default.Registers =
        std::max(Use.Default.Registers, std::min(Registers, MostRegisters));
    if (Each.Kept + Each.Own.MaxLive <= Use.MaxLive)
      continue;
    Use.MaxLive = Each.Kept + Each.Own.MaxLive;
    Use.PeakWeight = peakWeight(Each.C);
  }
  Use.Default.StackBytes = F.LocalBytes;
  Use.Peaks = PeakFinder(M, F, C, Name).find(Options.Peaks);
  std::vector<unsigned> Caps = Options.Caps;
  llvm::sort(Caps);
  for (unsigned Cap : Caps)
    Use.Caps.push_back(underCap(Tree, Cap, Use.Default.Registers));
  return Use;
}

} // namespace catt
