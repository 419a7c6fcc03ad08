//===- RematCandidates.cpp - Values that can be computed again ------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/remat/RematCandidates.h"
#include "analysis/model/RegisterUse.h"
#include "analysis/nest/Nest.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"
#include <algorithm>

using llvm::StringRef;

namespace catt {
namespace {

/// A load from local memory waits for longer than these take.
constexpr unsigned MostOperations = 6;
constexpr uint64_t MostCost = 1000000000;

//===-- Statements --------------------------------------------------------===//

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

//===-- Types -------------------------------------------------------------===//

/// As inline assembly calls a type of so many bytes (0: not known).
char constraintOf(StringRef Type, unsigned Bytes = 0) {
  Type.consume_front("const ");
  if (Type.ends_with("*"))
    return 'l';
  if (Type == "long" || Type == "unsigned long")
    return Bytes == 8 ? 'l' : Bytes == 4 ? 'r' : 0;
  return llvm::StringSwitch<char>(Type)
      .Cases({"int", "unsigned int", "unsigned", "int32_t", "uint32_t"}, 'r')
      .Cases({"long long", "unsigned long long", "int64_t"}, 'l')
      .Cases({"uint64_t", "size_t", "ptrdiff_t"}, 'l')
      .Cases({"short", "unsigned short", "int16_t", "uint16_t"}, 'h')
      .Case("float", 'f')
      .Case("double", 'd')
      .Default(0);
}

/// Scalars, vectors and halves.
bool isFloating(StringRef Type) {
  return Type.contains("float") || Type.contains("double") ||
         Type.contains("half");
}

/// Lighter operands first.
int rankOf(char Constraint, bool IsPointer) {
  if (IsPointer)
    return 9;
  return StringRef("rlhfd").find(Constraint);
}

/// "threadIdx.x + 1" reads a special register, whose copy can be hidden too.
constexpr int SpecialRank = 5, NoRank = 10;

} // namespace

std::optional<RematRegion> regionOf(const Kernel &K, const PressurePeak &Peak) {
  const std::string &File = Peak.Begin.File;
  unsigned Begin = std::min(Peak.Begin.Line, Peak.End.Line);
  unsigned End = std::max(Peak.Begin.Line, Peak.End.Line);
  RematRegion R{&Peak, 0, 0, std::vector<bool>(K.Statements.size()), 0};
  std::vector<bool> Covered(K.Statements.size()); // by a statement inside
  bool Any = false;
  for (unsigned I = K.Statements.size(); I-- > 0;) {
    const BodyStatement &S = K.Statements[I];
    if (S.Function != 0)
      continue; // what it calls stands for it
    bool Own =
        S.Where.File == File && S.Where.Line <= End && Begin <= S.End.Line;
    bool Called = llvm::any_of(S.Calls, [&](const LineRange &L) {
      return L.File == File && L.First <= End && Begin <= L.Last;
    });
    if (!Own && !Called && !Covered[I])
      continue;
    if (!Covered[I]) {
      R.First = I;
      R.Last = Any ? R.Last : I;
      Any = true;
    }
    R.Holds[I] = true;
    if (S.Parent)
      Covered[*S.Parent] = true;
  }
  return Any ? std::optional(R) : std::nullopt;
}

//===-- Where -------------------------------------------------------------===//

/// Whether a use before the region in the text comes behind it too, in the next
/// iteration of a loop that the variable outlives.
bool RematCandidates::comesAround(const ThreadValue &V, const RematRegion &R,
                                  unsigned Use) const {
  return llvm::any_of(loopsAround(K, Use), [&](unsigned L) {
    return R.Holds[L] && !isStatementInside(K, V.Declaration, L);
  });
}

/// The largest statement around a use that does not hold the region.
unsigned RematCandidates::topOf(const RematRegion &R, unsigned Use) const {
  unsigned S = Use;
  while (K.Statements[S].Parent && !R.Holds[*K.Statements[S].Parent])
    S = *K.Statements[S].Parent;
  return S;
}

bool RematCandidates::leads(unsigned Earlier, unsigned Later) const {
  const BodyStatement &E = K.Statements[Earlier], &L = K.Statements[Later];
  return Earlier < Later && E.Block == L.Block && E.Parent == L.Parent &&
         !E.Unbraced && !L.Unbraced &&
         llvm::none_of(
             Regions,
             [&](const RematRegion &R) {
               return Earlier <= R.First && R.First < Later;
             });
}

/// Condition 2: the statements before which the value is needed again, if it is
/// live across the region and untouched inside.
std::vector<unsigned> RematCandidates::needsBehind(const ThreadValue &V,
                                                   const RematRegion &R) const {
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
    if (E.Statement > R.Last || comesAround(V, R, E.Statement))
      Out.push_back(topOf(R, E.Statement));
  }
  return Out;
}

/// What the value, or something that was made of it, takes in the region.
unsigned RematCandidates::registersIn(const ThreadValue &V,
                                      const RematRegion &R) const {
  for (const LiveValue &L : R.Peak->Live)
    if (L.Name == V.Name)
      return L.TouchedInPeak ? 0 : L.Registers;
  bool UsedBefore = llvm::any_of(V.Events, [&](const ValueEvent &E) {
    return E.Uses && E.Statement < R.First;
  });
  return UsedBefore ? (V.ElementBytes + 3) / 4 : 0;
}

//===-- Whether -----------------------------------------------------------===//

/// Conditions 1 and 4, and what makes a second result the same.
std::optional<Refusal> RematCandidates::unfit(const ThreadValue &V) const {
  for (const Refusal &R : V.Refusals)
    if (R.Kind != Reason::InMacro && R.Kind != Reason::IndexVaries &&
        R.Kind != Reason::ConstObject)
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

/// The variable that a name means where V is declared.
std::optional<unsigned> RematCandidates::findOperand(const ThreadValue &V,
                                                     StringRef Name) const {
  std::optional<unsigned> Found;
  for (unsigned I = 0; I < K.Values.size(); ++I) {
    const ThreadValue &W = K.Values[I];
    if (W.Name == Name && &W != &V && contains(scopeOf(K, W), V.Scope.Begin) &&
        (!Found || scopeOf(K, W).Begin >= scopeOf(K, K.Values[*Found]).Begin))
      Found = I;
  }
  return Found;
}

/// Whether the name means another variable before a statement.
bool RematCandidates::isHidden(const ThreadValue &V, unsigned Before) const {
  unsigned Begin = scopeOf(K, V).Begin;
  return llvm::any_of(K.Values, [&](const ThreadValue &U) {
    SourceSpan Scope = scopeOf(K, U);
    return &U != &V && U.Name == V.Name && Scope.Begin > Begin &&
           contains(Scope, K.Statements[Before].Span.Begin);
  });
}

/// Whether something behind the statement uses the variable anyway.
bool RematCandidates::isUsedBehind(const ThreadValue &W,
                                   unsigned Statement) const {
  std::vector<unsigned> Loops = loopsAround(K, Statement);
  return llvm::any_of(W.Events, [&](const ValueEvent &E) {
    if (!E.Uses)
      return false;
    return E.Statement >= Statement || llvm::any_of(Loops, [&](unsigned L) {
             bool Outlives =
                 W.Declaration == L || !isStatementInside(K, W.Declaration, L);
             return Outlives && isStatementInside(K, E.Statement, L);
           });
  });
}

/// What stands against an operand that is a variable: another value, or one
/// more use of what may be a product.
std::optional<Refusal>
RematCandidates::unfitOperand(const ThreadValue &V, const ThreadValue &W,
                              const std::vector<unsigned> &Before) const {
  std::string Name = "'" + W.Name + "', which '" + V.Name + "' needs";
  for (const Refusal &R : W.Refusals)
    if (R.Kind == Reason::AddressTaken || R.Kind == Reason::JumpInto)
      return R;
  if (!W.Extents.empty())
    return Refusal{Reason::Redefined, V.Where, "the array " + Name};
  for (const ValueEvent &E : W.Events)
    if (E.Defines && E.Statement != W.Declaration &&
        contains(V.Scope, K.Statements[E.Statement].Span.Begin))
      return Refusal{Reason::Redefined, E.Where, Name};
  if (isFloating(W.Type) && !StringRef(W.Type).ends_with("*") &&
      (!W.Only || W.Only->MayContract))
    return Refusal{Reason::MayContract, V.Where, Name};
  for (unsigned S : Before)
    if (isHidden(W, S))
      return Refusal{Reason::Redefined, K.Statements[S].Where,
                     "another " + Name};
  return std::nullopt;
}

/// Condition 3, and the operand to hide.
std::optional<Refusal> RematCandidates::bindOperands(const ThreadValue &V,
                                                     RematCandidate &C) const {
  for (unsigned S : C.What.Before)
    if (K.Statements[S].Span.File.empty())
      return Refusal{Reason::InMacro, K.Statements[S].Where,
                     "the macro around the next use of '" + V.Name + "'"};
    else if (isHidden(V, S))
      return Refusal{Reason::Redefined, K.Statements[S].Where,
                     "another '" + V.Name + "'"};
  int Rank = NoRank;
  auto Offer = [&](StringRef Name, char Constraint, int R) {
    if (Constraint && R < Rank) {
      C.What.Hidden = {Name.str(), Constraint};
      Rank = R;
    }
  };
  for (const std::string &Name : V.Only->Reads) {
    if (std::optional<unsigned> W = findOperand(V, Name)) {
      const ThreadValue &Operand = K.Values[*W];
      if (auto Why = unfitOperand(V, Operand, C.What.Before))
        return Why;
      char Constraint = constraintOf(Operand.Type, Operand.ElementBytes);
      Offer(Name, Constraint,
            rankOf(Constraint, StringRef(Operand.Type).ends_with("*")));
      C.Operands.push_back(*W);
      if (!llvm::all_of(C.What.Before,
                        [&](unsigned S) { return isUsedBehind(Operand, S); }))
        C.Missing.push_back(*W);
      continue;
    }
    auto P = llvm::find_if(K.Parameters,
                           [&](const Parameter &P) { return P.Name == Name; });
    if (P == K.Parameters.end() || !P->IsFixed)
      return Refusal{Reason::Redefined, V.Where,
                     "'" + Name + "', which '" + V.Name + "' needs"};
    char Constraint = P->IsPointer ? 'l' : constraintOf(P->Type);
    Offer(Name, Constraint, rankOf(Constraint, P->IsPointer));
  }
  if (StringRef(V.Only->Text).contains("threadIdx."))
    Offer("threadIdx", 'r', SpecialRank);
  if (Rank == NoRank)
    return Refusal{Reason::OperandsGone, V.Where,
                   "'" + V.Name + "' has no operand that can be hidden"};
  return std::nullopt;
}

//===-- Candidates --------------------------------------------------------===//

uint64_t RematCandidates::costOf(unsigned Value,
                                 const std::vector<unsigned> &Before) const {
  uint64_t Cost = 0;
  for (unsigned S : Before) {
    uint64_t Times = K.Values[Value].Only->Operations;
    std::optional<unsigned> L = K.Statements[S].Loop;
    for (; L && Times < MostCost; L = K.Loops[*L].Parent)
      Times *= LoopWeight;
    Cost += Times;
  }
  return Cost;
}

std::optional<RematCandidate>
RematCandidates::helper(unsigned Value,
                        const std::vector<unsigned> &Before) const {
  const ThreadValue &V = K.Values[Value];
  RematCandidate C;
  C.What.Value = Value;
  C.What.Before = Before;
  if (!V.Extents.empty() || unfit(V) || bindOperands(V, C))
    return std::nullopt;
  C.What.Cost = costOf(Value, Before);
  return C;
}

std::vector<RematCandidate>
RematCandidates::find(std::vector<Refusal> &Refusals) const {
  std::vector<RematCandidate> Out;
  for (unsigned Value = 0; Value < K.Values.size(); ++Value) {
    const ThreadValue &V = K.Values[Value];
    if (!V.Extents.empty() || V.isPart() || K.functionOf(V) != 0 ||
        llvm::any_of(V.Refusals, [](const Refusal &R) {
          return R.Kind == Reason::TypeNotPlain;
        }))
      continue;
    RematCandidate C;
    C.What.Value = Value;
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
      continue;
    llvm::sort(C.What.Before);
    std::vector<unsigned> All;
    std::swap(All, C.What.Before);
    for (unsigned S : All)
      if (llvm::none_of(C.What.Before,
                        [&](unsigned E) { return E == S || leads(E, S); }))
        C.What.Before.push_back(S);
    std::optional<Refusal> Why = unfit(V);
    if (!Why)
      Why = bindOperands(V, C);
    if (Why) {
      Refusals.push_back(std::move(*Why));
      continue;
    }
    C.What.Cost = costOf(Value, C.What.Before);
    Out.push_back(std::move(C));
  }
  return Out;
}

} // namespace catt
