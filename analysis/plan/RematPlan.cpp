//===- RematPlan.cpp - Which values are computed again --------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/RematPlan.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"
#include <algorithm>
#include <tuple>

using llvm::StringRef;

namespace catt {
namespace {

constexpr unsigned MostOperations =
    6; ///< a load from local memory waits longer
constexpr uint64_t LoopWeight = 10;

//===-- Statements --------------------------------------------------------===//

bool isWithin(const Kernel &K, unsigned Statement, unsigned Ancestor) {
  std::optional<unsigned> S = Statement;
  while (S && *S != Ancestor)
    S = K.Statements[*S].Parent;
  return S.has_value();
}

/// The loop statements around a statement, itself included.
std::vector<unsigned> loopsAround(const Kernel &K, unsigned Statement) {
  std::vector<unsigned> Out;
  for (std::optional<unsigned> S = Statement; S; S = K.Statements[*S].Parent)
    if (K.Statements[*S].Is)
      Out.push_back(*S);
  return Out;
}

/// The bytes where a variable can be named: those of its declaration's block,
/// or of the loop (or the like) whose head declares it.
SourceSpan scopeOf(const Kernel &K, const ThreadValue &V) {
  const BodyStatement &S = K.Statements[V.Declaration];
  return S.Declares ? V.Scope : S.Span;
}

bool contains(const SourceSpan &Span, unsigned Offset) {
  return Span.Begin <= Offset && Offset < Span.End;
}

/// A peak of pressure, as statements.
struct Region {
  const PressurePeak *Peak = nullptr;
  unsigned First = 0, Last = 0; ///< the innermost ones that it touches
  std::vector<bool> Holds;      ///< those that hold a part of it
  unsigned Excess = 0;          ///< registers too many
};

std::optional<Region> regionOf(const Kernel &K, const PressurePeak &Peak) {
  unsigned Begin = std::min(Peak.Begin.Line, Peak.End.Line);
  unsigned End = std::max(Peak.Begin.Line, Peak.End.Line);
  Region R{&Peak, 0, 0, std::vector<bool>(K.Statements.size()), 0};
  std::vector<bool> Covered(K.Statements.size()); ///< by a statement inside
  bool Any = false;
  for (unsigned I = K.Statements.size(); I-- > 0;) {
    const BodyStatement &S = K.Statements[I];
    if (S.Where.File != Peak.Begin.File || S.Where.Line > End ||
        S.End.Line < Begin)
      continue;
    if (!Covered[I]) {
      R.First = I;
      R.Last = Any ? R.Last : I;
      Any = true;
    }
    R.Holds[I] = true;
    if (S.Parent)
      Covered[*S.Parent] = R.Holds[*S.Parent] = true;
  }
  return Any ? std::optional(R) : std::nullopt;
}

//===-- Types -------------------------------------------------------------===//

char constraintOf(StringRef Type) {
  Type.consume_front("const ");
  if (Type.ends_with("*"))
    return 'l';
  return llvm::StringSwitch<char>(Type)
      .Cases({"int", "unsigned int", "unsigned", "int32_t", "uint32_t"}, 'r')
      .Cases({"long long", "unsigned long long", "int64_t", "uint64_t"}, 'l')
      .Cases({"short", "unsigned short", "int16_t", "uint16_t"}, 'h')
      .Case("float", 'f')
      .Case("double", 'd')
      .Default(0);
}

/// Lighter operands first.
int rankOf(char Constraint, bool IsPointer) {
  if (IsPointer)
    return 9;
  return StringRef("rlhfd").find(Constraint);
}

/// "threadIdx.x + 1" reads a special register, whose copy can be hidden too.
constexpr int SpecialRank = 5;

//===-- One value ---------------------------------------------------------===//

/// A value that could be computed again.
struct Candidate {
  Recomputation What;
  std::vector<unsigned> Operands; ///< indices in Kernel::Values
  std::vector<unsigned> Covers;   ///< indices of regions
  std::vector<unsigned> Freed;    ///< registers, for each of them
};

class Chooser {
public:
  Chooser(const Kernel &K, std::vector<Region> Regions, RematPlan &Out)
      : K(K), Regions(std::move(Regions)), Out(Out) {}

  void run() {
    for (unsigned I = 0; I < K.Values.size(); ++I)
      consider(I);
    while (const Candidate *Best = best())
      take(*Best);
    llvm::sort(Out.Values, [](const Recomputation &A, const Recomputation &B) {
      return A.Value < B.Value;
    });
  }

private:
  /// Whether a use before the region in the text comes behind it too, in the
  /// next iteration of a loop that the variable outlives.
  bool comesAround(const ThreadValue &V, const Region &R, unsigned Use) const {
    return llvm::any_of(loopsAround(K, Use), [&](unsigned L) {
      return R.Holds[L] && !isWithin(K, V.Declaration, L);
    });
  }

  /// The largest statement around a use that does not hold the region.
  unsigned topOf(const Region &R, unsigned Use) const {
    unsigned S = Use;
    while (K.Statements[S].Parent && !R.Holds[*K.Statements[S].Parent])
      S = *K.Statements[S].Parent;
    return S;
  }

  /// A statement that the others of its block have to pass first.
  bool isLed(const Region &R, unsigned S,
             const std::vector<unsigned> &Before) const {
    std::optional<unsigned> Parent = K.Statements[S].Parent;
    if (Parent && !K.Statements[*Parent].Is)
      return false; // of an if, perhaps in its other branch
    return llvm::any_of(Before, [&](unsigned B) {
      return K.Statements[B].Parent == Parent && (B < R.First) == (S < R.First);
    });
  }

  /// Condition 2: the statements before which the value is needed again, if it
  /// is live across the region and untouched inside.
  std::vector<unsigned> needsBehind(const ThreadValue &V,
                                    const Region &R) const {
    SourceSpan Scope = scopeOf(K, V);
    for (unsigned S : {R.First, R.Last})
      if (!contains(Scope, K.Statements[S].Span.Begin) || S == V.Declaration)
        return {};
    std::vector<unsigned> Out;
    for (const ValueEvent &E : V.Events) {
      if (E.Statement == V.Declaration && E.Defines)
        continue;
      bool Between = E.Statement > R.First && E.Statement < R.Last;
      if (R.Holds[E.Statement] || Between)
        return {};
      if (E.Statement < R.First && !comesAround(V, R, E.Statement))
        continue;
      unsigned Top = topOf(R, E.Statement);
      if (!llvm::is_contained(Out, Top) && !isLed(R, Top, Out))
        Out.push_back(Top);
    }
    return Out;
  }

  /// What the value, or something that was made of it, takes in the region.
  unsigned registersIn(const ThreadValue &V, const Region &R) const {
    for (const LiveValue &L : R.Peak->Live)
      if (L.Name == V.Name)
        return L.TouchedInPeak ? 0 : L.Registers;
    bool UsedBefore = llvm::any_of(V.Events, [&](const ValueEvent &E) {
      return E.Uses && E.Statement < R.First;
    });
    return UsedBefore ? (V.ElementBytes + 3) / 4 : 0;
  }

  void consider(unsigned Index) {
    const ThreadValue &V = K.Values[Index];
    if (!V.Extents.empty())
      return;
    Candidate C;
    C.What.Value = Index;
    for (unsigned I = 0; I < Regions.size(); ++I) {
      std::vector<unsigned> Before = needsBehind(V, Regions[I]);
      unsigned Registers = registersIn(V, Regions[I]);
      if (Before.empty() || Registers == 0)
        continue;
      llvm::append_range(C.What.Before, Before);
      C.Covers.push_back(I);
      C.Freed.push_back(Registers);
    }
    if (C.Covers.empty())
      return;
    llvm::sort(C.What.Before);
    C.What.Before.erase(llvm::unique(C.What.Before), C.What.Before.end());
    std::optional<Refusal> Why = unfit(V);
    if (!Why)
      Why = bindOperands(V, C);
    if (Why) {
      Out.Refusals.push_back(std::move(*Why));
      return;
    }
    for (unsigned S : C.What.Before)
      C.What.Cost += V.Only->Operations * weightOf(S);
    Candidates.push_back(std::move(C));
  }

  uint64_t weightOf(unsigned Statement) const {
    uint64_t Weight = 1;
    std::optional<unsigned> L = K.Statements[Statement].Loop;
    for (; L && Weight < 1000000; L = K.Loops[*L].Parent)
      Weight *= LoopWeight;
    return Weight;
  }

  /// Conditions 1 and 4, and what makes a second result the same.
  std::optional<Refusal> unfit(const ThreadValue &V) const {
    for (const Refusal &R : V.Refusals)
      if (R.Why != Reason::InMacro && R.Why != Reason::IndexVaries)
        return R;
    std::string Name = "'" + V.Name + "'";
    if (!V.Only)
      return Refusal{Reason::Redefined, V.Where, Name + " is assigned again"};
    const Initializer &I = *V.Only;
    if (I.Span.File.empty())
      return Refusal{Reason::InMacro, V.Where, "the macro that gives " + Name};
    if (I.MayDiffer)
      return I.MayDiffer;
    if (I.MayContract)
      return I.MayContract;
    if (I.Loads)
      return Refusal{Reason::TooCostly, V.Where, "a load, for " + Name};
    if (I.Text.find_first_of("/%") != std::string::npos)
      return Refusal{Reason::TooCostly, V.Where, "a division, for " + Name};
    if (I.Operations > MostOperations)
      return Refusal{Reason::TooCostly, V.Where,
                     std::to_string(I.Operations) + " operations, for " + Name};
    return std::nullopt;
  }

  //===-- Operands --------------------------------------------------------===//

  /// The variable that a name means where V is declared.
  std::optional<unsigned> findOperand(const ThreadValue &V,
                                      StringRef Name) const {
    std::optional<unsigned> Found;
    for (unsigned I = 0; I < K.Values.size(); ++I) {
      const ThreadValue &W = K.Values[I];
      if (W.Name == Name && &W != &V &&
          contains(scopeOf(K, W), V.Scope.Begin) &&
          (!Found || scopeOf(K, W).Begin >= scopeOf(K, K.Values[*Found]).Begin))
        Found = I;
    }
    return Found;
  }

  /// Whether the name means another variable before a statement.
  bool isHidden(const ThreadValue &V, unsigned Before) const {
    unsigned Begin = scopeOf(K, V).Begin;
    return llvm::any_of(K.Values, [&](const ThreadValue &U) {
      SourceSpan Scope = scopeOf(K, U);
      return &U != &V && U.Name == V.Name && Scope.Begin > Begin &&
             contains(Scope, K.Statements[Before].Span.Begin);
    });
  }

  /// Whether something behind the statement uses the variable anyway.
  bool isUsedBehind(const ThreadValue &W, unsigned Statement) const {
    std::vector<unsigned> Loops = loopsAround(K, Statement);
    return llvm::any_of(W.Events, [&](const ValueEvent &E) {
      if (!E.Uses)
        return false;
      return E.Statement >= Statement || llvm::any_of(Loops, [&](unsigned L) {
               bool Outlives =
                   W.Declaration == L || !isWithin(K, W.Declaration, L);
               return Outlives && isWithin(K, E.Statement, L);
             });
    });
  }

  /// Condition 3, for one operand that is a variable.
  std::optional<Refusal> unfitOperand(const ThreadValue &V,
                                      const ThreadValue &W,
                                      const std::vector<unsigned> &Before) {
    std::string Name = "'" + W.Name + "', which '" + V.Name + "' needs";
    for (const Refusal &R : W.Refusals)
      if (R.Why == Reason::AddressTaken || R.Why == Reason::JumpInto)
        return R;
    if (!W.Extents.empty())
      return Refusal{Reason::Redefined, V.Where, "the array " + Name};
    for (const ValueEvent &E : W.Events)
      if (E.Defines && E.Statement != W.Declaration &&
          K.Statements[E.Statement].Span.Begin >= V.Scope.Begin &&
          K.Statements[E.Statement].Span.Begin < V.Scope.End)
        return Refusal{Reason::Redefined, E.Where, Name};
    bool IsFloating =
        constraintOf(W.Type) == 'f' || constraintOf(W.Type) == 'd';
    if (IsFloating && (!W.Only || W.Only->MayContract))
      return Refusal{Reason::MayContract, V.Where, Name};
    for (unsigned S : Before) {
      if (isHidden(W, S))
        return Refusal{Reason::Redefined, K.Statements[S].Where,
                       "another " + Name};
      if (!isUsedBehind(W, S))
        return Refusal{Reason::OperandsGone, V.Where, Name};
    }
    return std::nullopt;
  }

  std::optional<Refusal> bindOperands(const ThreadValue &V, Candidate &C) {
    int Rank = 100;
    auto Offer = [&](StringRef Name, char Constraint, int R) {
      if (Constraint && R < Rank) {
        C.What.Hidden = {Name.str(), Constraint};
        Rank = R;
      }
    };
    for (unsigned S : C.What.Before)
      if (K.Statements[S].Span.File.empty())
        return Refusal{Reason::InMacro, K.Statements[S].Where,
                       "the macro around the next use of '" + V.Name + "'"};
      else if (isHidden(V, S))
        return Refusal{Reason::Redefined, K.Statements[S].Where,
                       "another '" + V.Name + "'"};
    for (const std::string &Name : V.Only->Reads) {
      if (std::optional<unsigned> W = findOperand(V, Name)) {
        const ThreadValue &Operand = K.Values[*W];
        if (auto Why = unfitOperand(V, Operand, C.What.Before))
          return Why;
        char Constraint = constraintOf(Operand.Type);
        Offer(Name, Constraint,
              rankOf(Constraint, StringRef(Operand.Type).ends_with("*")));
        C.Operands.push_back(*W);
        continue;
      }
      auto P = llvm::find_if(
          K.Parameters, [&](const Parameter &P) { return P.Name == Name; });
      if (P == K.Parameters.end() || !P->IsFixed)
        return Refusal{Reason::Redefined, V.Where,
                       "'" + Name + "', which '" + V.Name + "' needs"};
      char Constraint = P->IsPointer ? 'l' : constraintOf(P->Type);
      Offer(Name, Constraint, rankOf(Constraint, P->IsPointer));
    }
    if (StringRef(V.Only->Text).contains("threadIdx"))
      Offer("threadIdx", 'r', SpecialRank);
    if (Rank == 100)
      return Refusal{Reason::OperandsGone, V.Where,
                     "'" + V.Name + "' has no operand that can be hidden"};
    return std::nullopt;
  }

  //===-- The choice ------------------------------------------------------===//

  const Candidate *taken(unsigned Value) const {
    for (const Candidate *C : Taken)
      if (C->What.Value == Value)
        return C;
    return nullptr;
  }

  /// Whether an operand that is computed again too is so before each place
  /// where the other one is.
  static bool isReady(const Candidate &Operand, const Candidate &Of) {
    return llvm::all_of(Of.What.Before, [&](unsigned S) {
      return llvm::is_contained(Operand.What.Before, S);
    });
  }

  bool goesWith(const Candidate &C) const {
    for (unsigned W : C.Operands)
      if (const Candidate *Operand = taken(W); Operand && !isReady(*Operand, C))
        return false;
    return llvm::all_of(Taken, [&](const Candidate *Other) {
      return !llvm::is_contained(Other->Operands, C.What.Value) ||
             isReady(C, *Other);
    });
  }

  /// Most peaks that are still too high, then least cost per register, then the
  /// order of the text.
  const Candidate *best() const {
    const Candidate *Best = nullptr;
    std::tuple<int64_t, double> BestKey;
    for (const Candidate &C : Candidates) {
      if (taken(C.What.Value) || !goesWith(C))
        continue;
      int64_t High = 0;
      unsigned Freed = 0;
      for (size_t I = 0; I < C.Covers.size(); ++I)
        if (Regions[C.Covers[I]].Excess) {
          ++High;
          Freed = std::max(Freed, C.Freed[I]);
        }
      if (High == 0)
        continue;
      std::tuple Key{-High, double(C.What.Cost) / Freed};
      if (!Best || Key < BestKey) {
        Best = &C;
        BestKey = Key;
      }
    }
    return Best;
  }

  void take(const Candidate &C) {
    Taken.push_back(&C);
    Recomputation What = C.What;
    for (size_t I = 0; I < C.Covers.size(); ++I) {
      unsigned &Excess = Regions[C.Covers[I]].Excess;
      Excess -= std::min(Excess, C.Freed[I]);
      What.Registers = std::max(What.Registers, C.Freed[I]);
    }
    Out.Freed = Out.Wanted;
    for (const Region &R : Regions)
      Out.Freed =
          std::min(Out.Freed, Out.Wanted - std::min(Out.Wanted, R.Excess));
    Out.Values.push_back(std::move(What));
  }

  const Kernel &K;
  std::vector<Region> Regions;
  RematPlan &Out;
  std::vector<Candidate> Candidates;
  std::vector<const Candidate *> Taken;
};

/// Registers that have to go: what the assembler spills at the target, where
/// it was asked; else what is live at once beyond it.
unsigned wantedRegisters(const RegisterUse &Use, unsigned Target) {
  unsigned Live = Use.MaxLive > Target ? Use.MaxLive - Target : 0;
  for (const RegisterPoint &P : Use.Caps)
    if (P.CapRegisters == Target)
      return P.SpillStoreBytes + P.SpillLoadBytes == 0
                 ? 0
                 : std::max({1U, Live, (P.SpillStoreBytes + 3) / 4});
  return Use.Default.Registers <= Target ? 0 : Live;
}
} // namespace

std::optional<RematPlan> planRemat(const Kernel &K, const RegisterUse &Use,
                                   unsigned Target) {
  RematPlan Out;
  Out.TargetRegisters = Target;
  Out.Wanted = wantedRegisters(Use, Target);
  if (Out.Wanted == 0)
    return std::nullopt;
  std::vector<Region> Regions;
  unsigned Highest = 0;
  for (const PressurePeak &P : Use.Peaks)
    Highest = std::max(Highest, P.Registers);
  for (const PressurePeak &P : Use.Peaks)
    if (P.Registers + Out.Wanted > Highest)
      if (std::optional<Region> R = regionOf(K, P)) {
        R->Excess = P.Registers + Out.Wanted - Highest;
        Regions.push_back(std::move(*R));
      }
  if (Regions.empty())
    Out.Refusals.push_back({Reason::CannotReachTarget, K.Where,
                            "the peak is in no statement of the kernel"});
  Chooser(K, std::move(Regions), Out).run();
  if (Out.Values.empty() && Out.Refusals.empty())
    Out.Refusals.push_back({Reason::CannotReachTarget, K.Where, ""});
  return Out;
}

} // namespace catt
