//===- ValuePartsTest.cpp - Tests of source/ValueParts -----------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ValueTesting.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace catt {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const char *Structs = "struct Inner { float u, v[4]; };\n"
                      "struct Pixel { float v[4]; int n; Inner in; };\n"
                      "__device__ float whole(Pixel p) { return p.v[0]; }\n"
                      "__device__ float look(const Pixel &p) { return 1; }\n"
                      "__device__ void change(Pixel &p) { p.n = 1; }\n"
                      "__device__ void point(float *p) { *p = 1; }\n";

Parsed parse(const std::string &Body, const std::string &Before = Structs) {
  return parseBody(Body, Before);
}

/// "p.v[2] p.n": the parts of the variables, with their extents.
std::string parts(const Parsed &P) {
  std::string Out;
  for (const ThreadValue &V : P.kernel("k").Values)
    if (V.isPart()) {
      Out += (Out.empty() ? "" : " ") + V.Name;
      for (int64_t E : V.Extents)
        Out += "[" + std::to_string(E) + "]";
    }
  return Out;
}

//===-- Parts -------------------------------------------------------------===//

TEST(ValueParts, PositiveEachScalarOrArrayOfThem) {
  Parsed P = parse("Pixel p; p.n = n; y[0] = p.n;");
  EXPECT_EQ(parts(P), "p.v[4] p.n p.in.u p.in.v[4]");
  EXPECT_EQ(value(P, "p.n").Type, "int");
  EXPECT_EQ(value(P, "p.in.v").Type, "float");
  EXPECT_EQ(value(P, "p.in.v").element({"2"}), "p.in.v[2]");
  EXPECT_THAT(reasons(P, "p.n"), IsEmpty());
  EXPECT_THAT(reasons(P, "p"), ElementsAre(Reason::TypeNotPlain));
  EXPECT_FALSE(value(P, "p.n").Only) << "nothing of it is computed again";
}

TEST(ValueParts, PositiveArraysOfStructs) {
  Parsed P = parse("Inner q[2][3];\n#pragma unroll\n"
                   "for (int i = 0; i < 3; ++i) q[1][i].v[i] = A[i];\n"
                   "y[0] = q[0][2].u;");
  EXPECT_EQ(parts(P), "q.u[2][3] q.v[2][3][4]");
  EXPECT_EQ(value(P, "q.v").Events[0].Element, "q[1][i].v[i]");
  EXPECT_EQ(value(P, "q.v").Events[0].Index, "(1 * 3 + i) * 4 + i");
  EXPECT_EQ(value(P, "q.u").Events[0].ConstantIndex, 2);
  EXPECT_EQ(value(P, "q.u").Events.size(), 1u);
  EXPECT_THAT(reasons(P, "q.v"), IsEmpty());
}

TEST(ValueParts, PositiveOnlyTheMemberThatIsNamed) {
  Parsed P = parse("Pixel p; p.v[1] = A[0];\np.in.u = 2;\n"
                   "y[0] = p.v[1] + p.in.u;");
  EXPECT_EQ(events(P, "p.v"),
            "def [1] p.v[1] = A[0]; | use [1] y[0] = p.v[1] + p.in.u;");
  EXPECT_EQ(events(P, "p.in.u"), "def p.in.u = 2; | use y[0] = p.v[1] + "
                                 "p.in.u;");
  EXPECT_EQ(events(P, "p.n"), "");
  EXPECT_EQ(events(P, "p"), "change p.v[1] = A[0]; | change p.in.u = 2; | "
                            "use y[0] = p.v[1] + p.in.u; | "
                            "use y[0] = p.v[1] + p.in.u;");
}

TEST(ValueParts, PositiveCopiesConcernEveryPart) {
  Parsed P = parse("Pixel p = {}, q;\nq = p;\nq.in = p.in;\n"
                   "y[0] = whole(q) < look(q);");
  EXPECT_EQ(events(P, "p.n"), "def Pixel p = {}, q; | use q = p;");
  EXPECT_EQ(events(P, "q.n"), "def q = p; | use y[0] = whole(q) < look(q); | "
                              "use y[0] = whole(q) < look(q);");
  EXPECT_EQ(events(P, "q.in.u"),
            "def q = p; | def q.in = p.in; | use y[0] = whole(q) < look(q); | "
            "use y[0] = whole(q) < look(q);");
  for (const char *Name : {"p.v", "p.n", "q.v", "q.n", "q.in.u", "q.in.v"})
    EXPECT_THAT(reasons(P, Name), IsEmpty()) << Name;
}

TEST(ValueParts, PositiveOneStructOfAnArray) {
  Parsed P = parse("Inner q[2] = {}, r;\nr = q[1];\nq[0] = r;\ny[0] = r.u;");
  EXPECT_EQ(events(P, "q.u"), "def Inner q[2] = {}, r; | use [1] r = q[1]; | "
                              "def [0] q[0] = r;");
  EXPECT_EQ(events(P, "q.v"), "def Inner q[2] = {}, r; | use r = q[1]; | "
                              "change q[0] = r;");
}

TEST(ValueParts, PositiveVectorsAreMovedAsTheyAre) {
  Parsed P = parse("Ray r; r.at = make_float4(1, 2, 3, 4); r.at.y = A[0];\n"
                   "r.to[1].x = 2;\ny[0] = r.at.x + r.to[1].x;",
                   "struct Ray { float4 at; float2 to[2]; };\n");
  EXPECT_EQ(parts(P), "r.at r.to[2]");
  EXPECT_EQ(value(P, "r.at").Fields.size(), 4u);
  EXPECT_THAT(events(P, "r.at"), ::testing::HasSubstr("change r.at.y = A[0];"));
  EXPECT_THAT(events(P, "r.to"),
              ::testing::HasSubstr("change [1] r.to[1].x = 2;"));
}

TEST(ValueParts, PositiveConstMethodsRead) {
  const char *Sum = "struct Sum { float a; int n;\n"
                    "  __device__ float get() const { return a; }\n"
                    "  __device__ void add() { a += 1; } };\n";
  Parsed P = parse("Sum s = {}; y[0] = s.get();", Sum);
  EXPECT_THAT(reasons(P, "s.a"), IsEmpty());
  Parsed Q = parse("Sum s = {}; s.add(); y[0] = s.a;", Sum);
  EXPECT_THAT(reasons(Q, "s.a"), ElementsAre(Reason::AddressTaken));
}

TEST(ValueParts, PositiveCopiesAreKnown) {
  Parsed P = parse("Pixel p = {}, q = p; float t = q.v[1]; y[0] = t + q.n;");
  auto Copies = [&](const char *Name) {
    std::string Out;
    for (size_t I : value(P, Name).Copies)
      Out += P.kernel("k").Values[I].Name + " ";
    return Out;
  };
  EXPECT_EQ(Copies("t"), "q q.v ");
  EXPECT_EQ(Copies("p.v"), "");
}

//===-- Refused -----------------------------------------------------------===//

TEST(ValueParts, NegativeStructsThatAreMoreThanTheirMembers) {
  for (const char *Type :
       {"struct S { int a : 3; float b; };", "union S { int a; float b; };",
        "struct S { int a; union { int c; float b; }; };",
        "struct S { float a; volatile float b; };",
        "struct S { float a; const int b = 1; };",
        "struct S { float a; int b = 1; };",
        "struct S { float a, b; __device__ S() : a(1) {} };",
        "struct S { float a; int b; __device__ ~S() {} };",
        "struct S { float a; __device__ S &operator=(const S &); };",
        "struct B { float c; }; struct S : B { float a; };",
        "class S { float b; public: float a; };",
        "struct S { float a; mutable float b; };",
        "struct S { float a; float &b; };",
        "struct S { float a; virtual __device__ void f() {} };", "struct S {};",
        "struct T { int a : 2; }; struct S { float a; T t; };"}) {
    Parsed P = parse("extern __device__ S make(); S s = make();\n"
                     "for (int i = 0; i < n; ++i) y[i] = 1;",
                     std::string(Type) + "\n");
    EXPECT_EQ(parts(P), "") << Type;
    EXPECT_THAT(reasons(P, "s"), ::testing::Contains(Reason::TypeNotPlain))
        << Type;
  }
}

TEST(ValueParts, NegativeFieldsOfAVectorAreAllOfOneType) {
  Parsed P = parse("V v; v.x = n; v.y = A[0]; y[0] = v.x + v.y;",
                   "struct V { int x; float y; };\n");
  EXPECT_THAT(value(P, "v").Fields, IsEmpty());
  EXPECT_EQ(parts(P), "v.x v.y");
}

TEST(ValueParts, NegativeWhatSomethingElseMayReach) {
  for (const char *Use :
       {"Pixel *q = &p; q->n = 1;", "Pixel &q = p; q.n = 1;", "change(p);",
        "float *q = p.v; q[1] = 2;", "point(&p.in.u);", "point(p.in.v);",
        "int &q = p.n; q = 1;", "auto f = [&] { p.n = 2; }; f();",
        "float *q = &p.v[0]; q[5] = 1;", "for (float &q : p.v) q = 1;",
        "auto &[a, b, c] = p; b = 1;", "int Pixel::*m = &Pixel::n; p.*m = 1;",
        "Inner *q = &p.in; q->u = 1;"}) {
    Parsed P = parse("Pixel p = {};\n" + std::string(Use) + "\ny[0] = p.n;");
    for (const char *Name : {"p.v", "p.n", "p.in.u", "p.in.v"})
      EXPECT_THAT(reasons(P, Name), ::testing::Contains(Reason::AddressTaken))
          << Name << " " << Use;
  }
}

TEST(ValueParts, NegativeStructuredBindings) {
  Parsed P = parse("Pixel p = {}; auto [a, b, c] = p; b = 1; y[0] = b;\n"
                   "float2 f = make_float2(1, 2); auto [g, h] = f; y[1] = h;");
  EXPECT_EQ(parts(P), "p.v[4] p.n p.in.u p.in.v[4]") << "none of the bindings";
  EXPECT_THAT(reasons(P, ""), ElementsAre(Reason::TypeNotPlain));
}

TEST(ValueParts, NegativeIndicesThatVary) {
  Parsed P = parse("Pixel p = {}; p.v[n] = 1; y[0] = p.v[0] + p.n;");
  EXPECT_THAT(reasons(P, "p.v"), ElementsAre(Reason::IndexVaries));
  EXPECT_THAT(reasons(P, "p.n"), IsEmpty());
}

TEST(ValueParts, NegativeProductsConstHeadsMacrosAndGoto) {
  Parsed P = parse("Pixel p = {}; p.v[0] = A[0] * A[1]; p.in.u = A[0];\n"
                   "const Pixel c = {}; DECLARE(m)\n"
                   "for (Inner h = {}; h.u < 3; h.u += 1) y[1] = h.u;\n"
                   "y[0] = p.v[0] + A[2] + p.in.u + c.n + m.u;",
                   std::string(Structs) + "#define DECLARE(x) Inner x = {};\n");
  EXPECT_THAT(reasons(P, "p.v"), ElementsAre(Reason::MayContract));
  EXPECT_THAT(reasons(P, "p.in.u"), IsEmpty()) << "what the others hold";
  EXPECT_THAT(reasons(P, "m.u"), ElementsAre(Reason::InMacro));
  EXPECT_THAT(reasons(P, "h.u"), ElementsAre(Reason::HeaderVariable));
  EXPECT_THAT(reasons(P, "c.n"), ElementsAre(Reason::ConstObject));
  EXPECT_EQ(parts(P), "p.v[4] p.n p.in.u p.in.v[4] c.v[4] c.n c.in.u "
                      "c.in.v[4] m.u m.v[4] h.u h.v[4]");
  Parsed Q = parse("Inner s = {};\nagain: s.u += 1;\n"
                   "if (s.u < n) goto again;\ny[0] = s.u;");
  EXPECT_THAT(reasons(Q, "s.u"), ElementsAre(Reason::JumpInto));
}

TEST(ValueParts, NegativeProductsThatAreCopied) {
  Parsed P = parse("Inner p = {A[0] * A[1]}, q = p, r; r.u = A[2];\n"
                   "y[0] = q.u + r.u;");
  EXPECT_THAT(reasons(P, "p.u"), ElementsAre(Reason::MayContract));
  EXPECT_THAT(reasons(P, "q.u"), ElementsAre(Reason::MayContract));
  EXPECT_THAT(reasons(P, "r.u"), IsEmpty());
}

TEST(ValueParts, PositiveTemplatesOfStructs) {
  Parsed P = parseSnippet(
      "template <class T, int N> struct Box { T v[N]; };\n"
      "template <class T> __global__ void k(T *A) {\n"
      "  Box<T, 3> b = {}; b.v[1] = A[0]; A[1] = b.v[1] + b.v[2];\n}\n"
      "void host(double *A) { k<<<1, 32>>>(A); }\n");
  EXPECT_EQ(parts(P), "b.v[3]");
  EXPECT_EQ(value(P, "b.v").ElementBytes, 8u);
}

} // namespace
} // namespace catt
