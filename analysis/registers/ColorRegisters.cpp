//===- ColorRegisters.cpp - Spills under a cap ----------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/registers/ColorRegisters.h"
#include "analysis/model/RegisterUse.h"
#include "analysis/registers/Liveness.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <limits>

using llvm::BitVector;

namespace catt {

namespace {

/// The code after some values were spilled.
struct Spilling {
  Code C;
  std::vector<unsigned> Origin; ///< value -> the value given that it is part of
  std::vector<bool> Short;      ///< value: lives for one operation only
};

/// One round of coloring.
class Graph {
public:
  Graph(const Spilling &S, unsigned Available);
  /// The values that get no color. Sets Registers.
  std::vector<unsigned> color(unsigned &Registers);

private:
  void connect(unsigned A, unsigned B);
  void findEdges();
  void findCosts();
  unsigned roomTaken(unsigned Value, unsigned By) const;
  std::vector<unsigned> order();
  bool place(unsigned Value, std::vector<int> &Color) const;

  const Spilling &S;
  const Code &C;
  unsigned Available;
  std::vector<BitVector> Edges;
  std::vector<double> Costs;
};

} // namespace

Graph::Graph(const Spilling &S, unsigned Available)
    : S(S), C(S.C), Available(Available),
      Edges(C.Values.size(), BitVector(C.Values.size())),
      Costs(C.Values.size(), 0) {
  findEdges();
  findCosts();
}

void Graph::connect(unsigned A, unsigned B) {
  if (A == B || C.Values[A].Words == 0 || C.Values[B].Words == 0)
    return;
  Edges[A].set(B);
  Edges[B].set(A);
}

/// A definition meets everything that is live behind it; the source of a copy
/// may keep its register.
void Graph::findEdges() {
  Liveness L = computeLiveness(C);
  for (unsigned B = 0; B != C.Blocks.size(); ++B)
    walkBackwards(C, L, B, [&](unsigned I, const BitVector &Live) {
      const Operation &O = C.Operations[I];
      for (unsigned D : O.Defines) {
        for (unsigned V : Live.set_bits())
          if (!O.IsCopy || V != O.Uses.front())
            connect(D, V);
        for (unsigned V : O.Defines)
          connect(D, V);
      }
    });
}

/// Spill instructions, each weighed by the loops around it.
void Graph::findCosts() {
  for (const CodeBlock &B : C.Blocks) {
    double Weight = 1;
    for (unsigned D = 0; D < std::min(B.Depth, 6U); ++D)
      Weight *= LoopWeight;
    for (unsigned I = B.First; I != B.End; ++I) {
      for (unsigned V : C.Operations[I].Uses)
        Costs[V] += Weight * C.Values[V].Words;
      for (unsigned V : C.Operations[I].Defines)
        Costs[V] += Weight * C.Values[V].Words;
    }
  }
}

/// Registers that Value cannot take because of a neighbour, at worst.
unsigned Graph::roomTaken(unsigned Value, unsigned By) const {
  return std::max(C.Values[Value].Words, C.Values[By].Words);
}

/// The order in which values leave the graph; they are colored in reverse.
std::vector<unsigned> Graph::order() {
  std::vector<unsigned> Room(C.Values.size()), Left, Order;
  for (auto [V, Value] : llvm::enumerate(C.Values)) {
    if (Value.Words == 0)
      continue;
    Left.push_back(V);
    for (unsigned N : Edges[V].set_bits())
      Room[V] += roomTaken(V, N);
  }
  while (!Left.empty()) {
    auto Easy = llvm::find_if(Left, [&](unsigned V) {
      return Room[V] + C.Values[V].Words <= Available;
    });
    if (Easy == Left.end()) {
      auto Price = [&](unsigned V) {
        return S.Short[V] ? std::numeric_limits<double>::max()
                          : Costs[V] / (Room[V] + 1);
      };
      Easy = llvm::min_element(
          Left, [&](unsigned A, unsigned Z) { return Price(A) < Price(Z); });
    }
    unsigned V = *Easy;
    Left.erase(Easy);
    for (unsigned N : Edges[V].set_bits())
      Room[N] -= roomTaken(N, V);
    Order.push_back(V);
  }
  return Order;
}

/// The lowest aligned registers that no neighbour has.
bool Graph::place(unsigned Value, std::vector<int> &Color) const {
  BitVector Taken(Available);
  for (unsigned N : Edges[Value].set_bits())
    if (Color[N] >= 0)
      Taken.set(Color[N], Color[N] + C.Values[N].Words);
  unsigned Words = C.Values[Value].Words;
  unsigned Step = Words == 3 ? 4 : std::min(Words, 4U);
  for (unsigned At = 0; At + Words <= Available; At += Step)
    if (Taken.find_first_in(At, At + Words) == -1) {
      Color[Value] = static_cast<int>(At);
      return true;
    }
  return false;
}

std::vector<unsigned> Graph::color(unsigned &Registers) {
  std::vector<unsigned> Order = order(), Failed;
  std::vector<int> Color(C.Values.size(), -1);
  Registers = 0;
  for (unsigned V : llvm::reverse(Order)) {
    if (!place(V, Color))
      Failed.push_back(V);
    else
      Registers = std::max<unsigned>(Registers, Color[V] + C.Values[V].Words);
  }
  return Failed;
}

static unsigned shortValue(Spilling &S, unsigned Of) {
  unsigned New = S.C.Values.size();
  S.C.Values.push_back(S.C.Values[Of]);
  S.Origin.push_back(S.Origin[Of]);
  S.Short.push_back(true);
  return New;
}

/// Moves some values to the stack; counts the bytes.
static void spill(Spilling &S, const BitVector &Which, Allocation &Result) {
  Code Old = std::move(S.C);
  S.C = Code{Old.Values, {}, {}, Old.Notes};
  std::vector<Operation> &New = S.C.Operations;
  for (CodeBlock B : Old.Blocks) {
    unsigned First = New.size();
    double Weight = std::pow(10, std::min(B.Depth, 4U));
    for (unsigned I = B.First; I != B.End; ++I) {
      Operation O = Old.Operations[I];
      std::vector<Operation> Stores;
      for (unsigned &V : O.Uses)
        if (Which[V]) {
          Result.LoadBytes += 4 * Old.Values[V].Words;
          Result.WeightedAccesses += Weight * Old.Values[V].Words;
          V = shortValue(S, V);
          New.push_back({{V}, {}, O.From});
        }
      for (unsigned &V : O.Defines)
        if (Which[V]) {
          Result.StoreBytes += 4 * Old.Values[V].Words;
          Result.WeightedAccesses += Weight * Old.Values[V].Words;
          V = shortValue(S, V);
          Stores.push_back({{}, {V}, O.From});
        }
      O.IsCopy &= Stores.empty();
      New.push_back(std::move(O));
      llvm::append_range(New, std::move(Stores));
    }
    B.First = First;
    B.End = New.size();
    S.C.Blocks.push_back(std::move(B));
  }
  for (unsigned V : Which.set_bits()) // nothing reads or writes it any more
    S.C.Values[V].Words = 0;
}

/// C, with the temporaries of each operation as results that nobody reads.
static Spilling withTemporaries(const Code &C) {
  Spilling S{C, {}, std::vector<bool>(C.Values.size(), false)};
  for (Operation &O : S.C.Operations)
    for (unsigned T = 0; T != O.Temporaries; ++T) {
      O.Defines.push_back(S.C.Values.size());
      S.C.Values.push_back({});
      S.Short.push_back(true);
    }
  for (unsigned V = 0; V != S.C.Values.size(); ++V)
    S.Origin.push_back(V);
  return S;
}

Allocation colorRegisters(const Code &C, unsigned Available) {
  Allocation Result;
  Spilling S = withTemporaries(C);
  // Each round takes at least one of the values given out of the graph, so
  // there are no more rounds than values.
  for (;;) {
    std::vector<unsigned> Failed = Graph(S, Available).color(Result.Registers);
    BitVector Which(S.C.Values.size());
    for (unsigned V : Failed)
      if (!S.Short[V])
        Which.set(V);
    if (Which.none()) {
      Result.Complete = Failed.empty();
      break;
    }
    for (unsigned V : Which.set_bits()) {
      Result.Spilled.push_back(S.Origin[V]);
      Result.StackBytes += 4 * S.C.Values[V].Words;
    }
    spill(S, Which, Result);
  }
  llvm::sort(Result.Spilled);
  return Result;
}

} // namespace catt
