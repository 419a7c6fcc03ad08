//===- MovableValues.cpp - Which values can wait in memory ----------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/spill/MovableValues.h"
#include "analysis/nest/Nest.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <list>
#include <tuple>

namespace catt {

/// Iterations up to which compilers unroll a loop unasked.
static constexpr int64_t FewIterations = 32;

static std::optional<int64_t> constantTrips(const Loop &L) {
  return L.TripCount ? L.TripCount->constant() : std::nullopt;
}

bool isUnrolled(const Kernel &K, const Loop &L) {
  std::optional<int64_t> Trips = constantTrips(L);
  if (!Trips || L.HasUnrollPragma)
    return Trips.has_value();
  return *Trips <= FewIterations && llvm::all_of(K.Loops, [&](const Loop &In) {
    return In.Parent != L.Id || isUnrolled(K, In);
  });
}

static double iterations(const Loop &L) {
  std::optional<int64_t> Trips = constantTrips(L);
  return Trips ? double(std::max<int64_t>(*Trips, 1)) : LoopWeight;
}

double timesRun(const Kernel &K, const BodyStatement &S) {
  double Times = 1;
  for (std::optional<unsigned> L = S.Loop; L; L = K.Loops[*L].Parent)
    Times *= iterations(K.Loops[*L]);
  return Times;
}

//===-- Where the pressure peaks ------------------------------------------===//

static bool holds(const BodyStatement &S, const Location &L) {
  if (S.Where.File != L.File)
    return false;
  return std::tie(S.Where.Line, S.Where.Column) <= std::tie(L.Line, L.Column) &&
         std::tie(L.Line, L.Column) <= std::tie(S.End.Line, S.End.Column);
}

static bool calls(const BodyStatement &S, const Location &L) {
  return llvm::any_of(S.Calls, [&](const LineRange &R) {
    return R.File == L.File && R.First <= L.Line && L.Line <= R.Last;
  });
}

namespace {
/// One kernel with one of its peaks.
class Candidates {
public:
  Candidates(const Kernel &K, const PressurePeak &Peak)
      : K(K), Peak(Peak), AtPeak(K.Functions.size() + 1) {
    for (unsigned Function = 0; Function < AtPeak.size(); ++Function)
      findPeak(Function);
  }
  std::vector<MovableValue> find() const;
  double timesAtPeak() const { return timesInside(~0U); }
  double timesSpilled(int64_t Registers) const;

private:
  void findPeak(unsigned Function);
  double timesInside(unsigned Depth) const;
  bool isTouchedIn(const ThreadValue &V, unsigned Statement) const;
  bool inScope(const ThreadValue &V, unsigned Statement) const;
  bool isLiveAcross(const ThreadValue &V, unsigned First) const;
  bool isLive(const ThreadValue &V) const;
  bool isLiveAsCopy(size_t Value) const;
  std::optional<MovableValue> around(const ThreadValue &V) const;
  std::optional<MovableValue> touched(const ThreadValue &V) const;
  bool isIndex(const MovableValue &M) const;
  bool isAtHand(const ThreadValue &V, const ValueEvent &Use) const;
  bool isCounted(const ThreadValue &V) const;
  std::optional<MovableValue> weighed(size_t Value,
                                      std::optional<MovableValue> M) const;

  llvm::ArrayRef<unsigned> atPeak(const ThreadValue &V) const {
    return AtPeak[K.functionOf(V)];
  }

  const Kernel &K;
  const PressurePeak &Peak;
  /// Statements around it, outermost first; by BodyStatement::Function.
  std::vector<std::vector<unsigned>> AtPeak;
};
} // namespace

/// The innermost statement of a function that holds both ends of the peak, and
/// those around it; where an end stands in a function that was inlined, its
/// call.
void Candidates::findPeak(unsigned Function) {
  auto Holds = [&](const BodyStatement &S, const Location &L) {
    return S.Function == Function && (holds(S, L) || calls(S, L));
  };
  std::optional<unsigned> Innermost;
  for (unsigned I = 0; I < K.Statements.size(); ++I)
    if (Holds(K.Statements[I], Peak.Begin) &&
        (Holds(K.Statements[I], Peak.End) || !Innermost))
      Innermost = I;
  for (; Innermost; Innermost = K.Statements[*Innermost].Parent)
    AtPeak[Function].insert(AtPeak[Function].begin(), *Innermost);
}

bool Candidates::isTouchedIn(const ThreadValue &V, unsigned Statement) const {
  return llvm::any_of(V.Events, [&](const ValueEvent &E) {
    return isStatementInside(K, E.Statement, Statement);
  });
}

bool Candidates::inScope(const ThreadValue &V, unsigned Statement) const {
  const SourceSpan &S = K.Statements[Statement].Span;
  return S.File == V.Scope.File && V.Scope.Begin <= S.Begin &&
         S.End <= V.Scope.End;
}

/// Defined before the statement, and used behind it or in an iteration of a
/// loop around both.
bool Candidates::isLiveAcross(const ThreadValue &V, unsigned First) const {
  const SourceSpan &At = K.Statements[First].Span;
  bool Defined = false, Used = false;
  for (const ValueEvent &E : V.Events) {
    const SourceSpan &S = K.Statements[E.Statement].Span;
    Defined |= E.Defines && S.Begin < At.Begin;
    Used |= E.Uses && S.Begin >= At.End;
  }
  for (unsigned Outer : atPeak(V))
    if (K.Statements[Outer].Is && Outer != First &&
        isStatementInside(K, First, Outer) && inScope(V, Outer))
      Used |= llvm::any_of(V.Events, [&](const ValueEvent &E) {
        return E.Uses && isStatementInside(K, E.Statement, Outer);
      });
  return Defined && Used;
}

/// Whether the values that are live at the peak have one of this variable's.
bool Candidates::isLive(const ThreadValue &V) const {
  return llvm::any_of(Peak.Live, [&](const LiveValue &L) {
    return L.Name == V.Variable && L.Where.File == V.Where.File &&
           V.Where.Line <= L.Where.Line && L.Where.Line <= V.ScopeEnd.Line;
  });
}

/// Or one of what was assigned to it as it is.
bool Candidates::isLiveAsCopy(size_t Value) const {
  const llvm::ArrayRef<unsigned> Around = atPeak(K.Values[Value]);
  if (Around.empty() || !inScope(K.Values[Value], Around.back()))
    return false;
  std::vector<size_t> Same = {Value};
  for (size_t I = 0; I < Same.size(); ++I) {
    if (isLive(K.Values[Same[I]]))
      return true;
    for (size_t From : K.Values[Same[I]].Copies)
      if (!llvm::is_contained(Same, From))
        Same.push_back(From);
  }
  return false;
}

static bool canBeSplit(const ThreadValue &V, const BodyStatement &S) {
  return !S.Span.File.empty() && !(S.Declares && S.Unbraced) &&
         S.Span.File == V.Scope.File;
}

/// Stored before the outermost statement around the peak that does not touch
/// it, and loaded behind the last of those that follow and do not either.
std::optional<MovableValue> Candidates::around(const ThreadValue &V) const {
  for (unsigned First : atPeak(V)) {
    if (isTouchedIn(V, First) || !inScope(V, First) ||
        !canBeSplit(V, K.Statements[First]))
      continue;
    if (!isLiveAcross(V, First))
      return std::nullopt;
    unsigned Last = First;
    for (unsigned I = First + 1; I < K.Statements.size(); ++I) {
      if (isStatementInside(K, I, Last))
        continue;
      // What stands in a block of its own is in no statement.
      if (K.Statements[I].Block != K.Statements[First].Block ||
          K.Statements[First].Unbraced || isTouchedIn(V, I) ||
          !canBeSplit(V, K.Statements[I]) || K.Statements[I].Leaves)
        break;
      Last = I;
    }
    MovableValue M;
    M.Around = true;
    M.Points.push_back({First, false, false, "", "", std::nullopt});
    M.Points.push_back({Last, true, true, "", "", std::nullopt});
    return M;
  }
  return std::nullopt;
}

/// Two uses in one statement take one load.
static void addTo(std::vector<SpillPoint> &Points, const SpillPoint &P) {
  if (llvm::none_of(Points, [&](const SpillPoint &Q) {
        return Q.Statement == P.Statement && Q.Load == P.Load &&
               Q.Index == P.Index;
      }))
    Points.push_back(P);
}

/// The statement before loads or defines it too: nothing between the two could
/// use the register.
bool Candidates::isAtHand(const ThreadValue &V, const ValueEvent &Use) const {
  if (Use.Statement == 0)
    return false;
  const BodyStatement &Here = K.Statements[Use.Statement];
  const BodyStatement &Before = K.Statements[Use.Statement - 1];
  return Here.Block == Before.Block && Here.Parent == Before.Parent &&
         !Before.Is && !Before.Leaves &&
         llvm::any_of(V.Events, [&](const ValueEvent &E) {
           return E.Statement == Use.Statement - 1 && E.Index == Use.Index;
         });
}

/// Whoever follows a pointer would wait for its load first.
static bool isPointer(const ThreadValue &V) {
  return llvm::StringRef(V.Type).ends_with("*");
}

std::optional<MovableValue> Candidates::touched(const ThreadValue &V) const {
  const llvm::ArrayRef<unsigned> Around = atPeak(V);
  if (isPointer(V) || Around.empty() || !isTouchedIn(V, Around.front()))
    return std::nullopt;
  MovableValue M;
  for (const ValueEvent &E : V.Events) {
    const BodyStatement &S = K.Statements[E.Statement];
    if (!canBeSplit(V, S))
      return std::nullopt;
    // Needed in a register for as long as the loop around the peak runs.
    if (E.InHead && S.Is && llvm::is_contained(Around, E.Statement))
      return std::nullopt;
    SpillPoint P{E.Statement, true, false, E.Element, E.Index, E.ConstantIndex};
    // `float a = 1, b = a;`: there is no slot yet.
    if (E.Uses && E.Statement != V.Declaration && !isAtHand(V, E))
      addTo(M.Points, P);
    P.Load = false, P.Behind = true;
    if (E.Defines && !S.Leaves)
      addTo(M.Points, P);
  }
  return M;
}

/// Longer arrays are in memory anyway.
static constexpr int64_t MostElements = 255;

bool Candidates::isCounted(const ThreadValue &V) const {
  return V.Refusals.empty() && V.elements() > 0 &&
         V.elements() <= MostElements && !V.Events.empty();
}

/// With what it costs to move it; empty if there is no place to.
std::optional<MovableValue>
Candidates::weighed(size_t Value, std::optional<MovableValue> M) const {
  if (!M || M->Points.empty())
    return std::nullopt;
  const ThreadValue &V = K.Values[Value];
  M->Value = Value;
  M->Elements = V.elements();
  M->Registers = std::max(1U, (V.ElementBytes + 3) / 4);
  M->Fields = std::max<size_t>(V.Fields.size(), 1);
  for (const SpillPoint &P : M->Points) {
    double Times = timesRun(K, K.Statements[P.Statement]) * M->Fields;
    // An index that varies with unrolled loops meets each element in turn.
    M->Accesses += P.Index.empty() ? Times : Times / double(M->Elements);
  }
  return M;
}

/// An integer that is used at the peak: mostly addresses are made of it, of
/// which a compiler keeps the sum. Moving it may cost a register instead of
/// freeing one.
bool Candidates::isIndex(const MovableValue &M) const {
  const ThreadValue &V = K.Values[M.Value];
  llvm::StringRef Type = V.Type;
  return !M.Around && V.Extents.empty() && V.Fields.empty() &&
         Type != "float" && Type != "double"; // a pointer is not moved so
}

std::vector<MovableValue> Candidates::find() const {
  std::vector<MovableValue> Found;
  for (size_t I = 0; I < K.Values.size(); ++I) {
    const ThreadValue &V = K.Values[I];
    if (!isCounted(V) || !(isLive(V) || isLiveAsCopy(I)))
      continue;
    // Around one statement of a loop, or wherever the loop touches it: what
    // takes fewer accesses.
    std::optional<MovableValue> M = weighed(I, around(V));
    std::optional<MovableValue> Touched = weighed(I, touched(V));
    if (Touched && (!M || Touched->Accesses < M->Accesses))
      M = std::move(Touched);
    if (!M)
      continue;
    Found.push_back(std::move(*M));
  }
  llvm::stable_sort(Found, [&](const MovableValue &A, const MovableValue &B) {
    if (isIndex(A) != isIndex(B))
      return isIndex(B);
    return A.Accesses * B.Registers < B.Accesses * A.Registers;
  });
  return Found;
}

/// How often the outermost so many loops around the peak run together. Those
/// that are unrolled are none.
double Candidates::timesInside(unsigned Depth) const {
  if (AtPeak.front().empty())
    return 1;
  const BodyStatement &S = K.Statements[AtPeak.front().back()];
  std::vector<double> Trips; // innermost first
  for (std::optional<unsigned> L = S.Is ? S.Is : S.Loop; L;
       L = K.Loops[*L].Parent)
    if (!isUnrolled(K, K.Loops[*L]))
      Trips.push_back(iterations(K.Loops[*L]));
  double Times = 1;
  for (; !Trips.empty() && Depth > 0; --Depth, Trips.pop_back())
    Times *= Trips.back();
  return Times;
}

/// Loops around the innermost instruction that reads the value.
static unsigned depthOf(const LiveValue &V) {
  unsigned Depth = 0;
  for (unsigned Weight = V.UseWeight; Weight >= LoopWeight;
       Weight /= LoopWeight)
    ++Depth;
  return Depth;
}

double Candidates::timesSpilled(int64_t Registers) const {
  std::vector<const LiveValue *> Cheapest;
  for (const LiveValue &V : Peak.Live)
    Cheapest.push_back(&V);
  llvm::stable_sort(Cheapest, [](const LiveValue *A, const LiveValue *B) {
    return depthOf(*A) < depthOf(*B);
  });
  double Sum = 0;
  int64_t Taken = 0;
  for (const LiveValue *V : Cheapest) {
    if (Taken >= Registers)
      break;
    Sum += V->Registers * timesInside(depthOf(*V));
    Taken += V->Registers;
  }
  return Taken ? Sum / double(Taken) : timesAtPeak();
}

/// The peaks, which are about equally high; the one that runs most often first.
static std::list<Candidates> busiestFirst(const Kernel &K,
                                          const RegisterUse &Use) {
  std::list<Candidates> All;
  for (const PressurePeak &P : Use.Peaks)
    All.emplace_back(K, P);
  All.sort([](const Candidates &A, const Candidates &B) {
    return A.timesAtPeak() > B.timesAtPeak();
  });
  return All;
}

double timesSpilled(const Kernel &K, const RegisterUse &Use,
                    int64_t Registers) {
  std::list<Candidates> All = busiestFirst(K, Use);
  return All.empty() ? 1 : All.front().timesSpilled(Registers);
}

std::vector<MovableValue> movableValues(const Kernel &K,
                                        const RegisterUse &Use) {
  std::vector<MovableValue> Found;
  for (const Candidates &C : busiestFirst(K, Use))
    for (MovableValue &M : C.find())
      if (llvm::none_of(Found, [&](const MovableValue &Earlier) {
            return Earlier.Value == M.Value;
          }))
        Found.push_back(std::move(M));
  return Found;
}

} // namespace catt
