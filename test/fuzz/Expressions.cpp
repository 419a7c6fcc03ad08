//===- Expressions.cpp - Indices with their ranges, and values -------------==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   i * ld + (tx / 3) : 0 .. 1207        never negative, never beyond a limit
//
//===----------------------------------------------------------------------===//

#include "test/fuzz/KernelGenerator.h"
#include <algorithm>

namespace catt::fuzz {

/// Elements that no index goes beyond: a buffer stays under 256 KiB.
static constexpr int64_t MostElements = 12000;

static Reach weaker(Reach A, Reach B) { return std::max(A, B); }

Index Generator::constant(int64_t Low, int64_t High) {
  int64_t V = from(Low, High);
  return {std::to_string(V), V, V, Reach::Block, true};
}

/// A variable that is the same for at least AtLeast.
Index Generator::variable(const Place &P, Reach AtLeast) {
  std::vector<IndexVariable> Fitting;
  for (const IndexVariable &V : P.Visible)
    if (V.SameFor <= AtLeast)
      Fitting.push_back(V);
  if (Fitting.empty())
    return constant(0, 7);
  // Loop iterators, which come last, are what an index is about.
  size_t At = chance(40) ? Fitting.size() - 1 -
                               below(std::min<size_t>(2, Fitting.size()))
                         : below(Fitting.size());
  const IndexVariable &V = Fitting[At];
  return {V.Name, V.Low, V.High, V.SameFor, true};
}

/// One summand: a variable through `/`, `%`, shifts, min, a choice, a factor.
Index Generator::term(const Place &P, Reach AtLeast) {
  Index V = variable(P, AtLeast);
  int64_t C = pick<int64_t>({2, 3, 4, 5, 7, 8, 16, 31, 32, 33});
  std::string N = std::to_string(C);
  switch (below(14)) {
  case 0:
    return {V.Text + " / " + N, V.Low / C, V.High / C, V.SameFor, false};
  case 1:
    return {V.Text + " % " + N, 0, std::min(V.High, C - 1), V.SameFor, false};
  case 2:
    return {V.Text + " >> 2", V.Low >> 2, V.High >> 2, V.SameFor, false};
  case 3:
    return {V.Text + " & 7", 0, std::min<int64_t>(V.High, 7), V.SameFor, false};
  case 4:
    return {"(" + V.Text + " < " + N + " ? " + V.Text + " : " + N + ")",
            std::min(V.Low, C), std::min(V.High, C), V.SameFor, true};
  case 5:
    return {"min(int(" + V.Text + "), " + N + ")", std::min(V.Low, C),
            std::min(V.High, C), V.SameFor, true};
  case 6: // counted down
    return {"(" + std::to_string(V.High) + " - " + V.Text + ")", 0,
            V.High - V.Low, V.SameFor, true};
  case 7:
  case 8: { // a stride that is a parameter
    const IndexVariable &S = pick(Parameters);
    Index I = {V.Text + " * " + S.Name, V.Low * S.Low, V.High * S.High,
               V.SameFor, false};
    return I.High <= MostElements ? I : V;
  }
  case 9:
  case 10: {
    Index I = {V.Text + " * " + N, V.Low * C, V.High * C, V.SameFor, false};
    return I.High <= MostElements ? I : V;
  }
  case 11: {
    Index I = {V.Text + " << 5", V.Low << 5, V.High << 5, V.SameFor, false};
    return I.High <= MostElements ? I : V;
  }
  default:
    return V;
  }
}

/// The index modulo something, if it can be beyond Limit.
Index Generator::capped(Index I, int64_t Limit) {
  if (I.High <= Limit)
    return I;
  return {I.wrapped() + " % " + std::to_string(Limit + 1), 0, Limit, I.SameFor,
          false};
}

/// A sum of terms within [0, Limit].
Index Generator::index(const Place &P, int64_t Limit, Reach AtLeast) {
  Limit = std::min(Limit, MostElements);
  Index Sum = term(P, AtLeast);
  // `a >> 2 + b` would not be the sum.
  Sum.Text = Sum.wrapped(), Sum.Atomic = true;
  for (unsigned More = below(3); More; --More) {
    Index T = term(P, AtLeast);
    if (Sum.High + T.High > Limit)
      continue;
    Sum = {chance(50) ? Sum.Text + " + " + T.wrapped()
                      : T.wrapped() + " + " + Sum.Text,
           Sum.Low + T.Low, Sum.High + T.High, weaker(Sum.SameFor, T.SameFor),
           false};
  }
  if (chance(15) && Sum.High + 9 <= Limit) {
    int64_t C = from(1, 9);
    Sum = {Sum.Text + " + " + std::to_string(C), Sum.Low + C, Sum.High + C,
           Sum.SameFor, false};
  }
  if (chance(10) && HasIndexMacro) {
    Index Row = variable(P, AtLeast);
    if (Row.High * 9 + Sum.High <= Limit)
      Sum = {id("AT") + "(" + Row.Text + ", " + Sum.Text + ", 9)",
             Row.Low * 9 + Sum.Low, Row.High * 9 + Sum.High,
             weaker(Row.SameFor, Sum.SameFor), true};
  }
  return capped(Sum, Limit);
}

/// A buffer that is there already, or a new one.
Generator::Buffer &Generator::buffer() {
  using Shape = Buffer::Shape;
  if (Buffers.size() >= 4 || (!Buffers.empty() && chance(50)))
    return Buffers[below(Buffers.size())];
  Buffer B;
  B.Name = std::string(1, char('A' + Buffers.size()));
  B.Restrict = chance(40);
  switch (below(10)) {
  case 0:
    B.Element = "unsigned char", B.Bytes = 1;
    break;
  case 1:
    B.Element = "long long", B.Bytes = 8, B.Fill = "i0";
    break;
  case 2:
    B.Element = pick<std::string>({"int2", "uint4"});
    B.S = Shape::Vector, B.Bytes = B.Element == "int2" ? 8 : 16;
    break;
  case 3:
    B.Element = "float4", B.S = Shape::FloatVector, B.Bytes = 16, B.Fill = "f";
    break;
  case 4:
    B.Element = id("Item"), B.S = Shape::Struct, B.Bytes = 12, B.Fill = "ifi";
    HasStruct = true;
    break;
  case 5:
    B.Element = "int", B.S = Shape::Rows, B.Width = from(5, 40);
    B.Bytes = 4 * B.Width;
    break;
  case 6:
    B.Element = "int", B.S = Shape::Indices, B.Fill = "x";
    B.Limit = from(1, 600);
    break;
  case 7:
  case 8:
    B.Element = "float", B.S = Shape::Float, B.Fill = "f";
    break;
  default:
    B.Element = pick<std::string>({"int", "unsigned"});
  }
  if (B.Fill.empty())
    B.Fill = "i";
  Buffers.push_back(B);
  return Buffers.back();
}

/// B[At], in one of the ways to write it.
std::string Generator::element(const Buffer &B, const std::string &At) {
  switch (below(8)) {
  case 0:
    return "(*(" + B.Name + " + (" + At + ")))";
  case 1:
    if (B.S == Buffer::Shape::Scalar || B.S == Buffer::Shape::Float)
      return "__ldg(&" + B.Name + "[" + At + "])";
    break;
  case 2:
    if (B.S == Buffer::Shape::Scalar && chance(40))
      return "__ldcg(" + B.Name + " + (" + At + "))";
    break;
  }
  return B.Name + "[" + At + "]";
}

/// Something loaded, as an unsigned.
std::string Generator::load(const Place &P) {
  using Shape = Buffer::Shape;
  if (P.InFunction)
    return "unsigned(p[" + index(P, 2000).Text + "])";
  Buffer &B = buffer();
  if (B.S == Shape::Float || B.S == Shape::FloatVector)
    return "unsigned(" + floatLoad(P) + ")";
  Index At = index(P, B.S == Shape::Rows ? 300 : MostElements);
  B.Highest = std::max(B.Highest, At.High);
  std::string E = element(B, At.Text);
  switch (B.S) {
  case Shape::Vector:
    return "unsigned(" + E + pick<std::string>({".x", ".y"}) + ")";
  case Shape::Struct:
    return chance(50) ? "unsigned(" + E + ".a)"
                      : "unsigned(" + E + ".b[" +
                            index(P, 1, Reach::Thread).Text + "])";
  case Shape::Rows: {
    Index Column = index(P, B.Width - 1);
    return "unsigned(" + E + "[" + Column.Text + "])";
  }
  case Shape::Indices: {
    int64_t Limit = B.Limit;
    Buffer &Of = Buffers[below(Buffers.size())];
    if (Of.S != Shape::Scalar)
      return "unsigned(" + E + ")";
    Of.Highest = std::max(Of.Highest, Limit - 1);
    return "unsigned(" + Of.Name + "[" + E + "])";
  }
  default:
    return "unsigned(" + E + ")";
  }
}

/// Something loaded, as a float that is a small integer.
std::string Generator::floatLoad(const Place &P) {
  using Shape = Buffer::Shape;
  Buffer *B = nullptr;
  for (Buffer &Known : Buffers)
    if (Known.S == Shape::Float || Known.S == Shape::FloatVector)
      B = &Known;
  if (!B || P.InFunction)
    return "float(" + std::to_string(from(0, 9)) + ")";
  Index At = index(P, MostElements);
  B->Highest = std::max(B->Highest, At.High);
  std::string E = element(*B, At.Text);
  return B->S == Shape::Float ? E : E + pick<std::string>({".x", ".z", ".w"});
}

std::string Generator::value(const Place &P) {
  switch (below(7)) {
  case 0:
    return "unsigned(" + index(P, MostElements).Text + ")";
  case 1:
    return pick(Values) + " * " + std::to_string(from(2, 9)) + "u";
  case 2:
    return load(P) + " * " + load(P);
  case 3:
    return "(" + load(P) + " ^ " + pick(Values) + ")";
  default:
    return load(P);
  }
}

std::string Generator::condition(const Place &P, Reach SameFor) {
  Index V = variable(P, SameFor);
  std::string Middle = std::to_string((V.Low + V.High) / 2 + from(0, 1));
  if (SameFor == Reach::Thread && chance(25))
    return pick(Values) + " & " + std::to_string(1 << below(4));
  if (SameFor == Reach::Thread && chance(15))
    return load(P) + " > " + std::to_string(from(0, 6)) + "u";
  if (chance(30))
    return V.Text + " % 2 == " + std::to_string(below(2));
  return V.Text + pick<std::string>({" < ", " >= ", " != "}) + Middle;
}

} // namespace catt::fuzz
