//===- RowLoopsTest.cpp - Tests of values/RowLoops ---------------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RowsTesting.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace catt {
namespace {

using namespace testing;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// The same where the body is that of a usual loop.
std::string inLoop(const std::string &Body, const std::string &Before = "") {
  return refusal(Usual + "{\n" + Body + "\n}", Before);
}

//===-- Found -------------------------------------------------------------===//

TEST(RowLoops, PositiveARow) {
  EXPECT_THAT(rows(Usual + "  s += A[i * m + j] * B[j];"),
              ElementsAre("int j = 0; 0 to m by ++j reads float A[i * m + j] "
                          "reads float B[j]"));
}

TEST(RowLoops, PositiveSpans) {
  Parsed P = parseRows("  " + Usual + "  s += A[i * m + j];");
  const RowLoop &R = P.kernel("k").RowLoops.at(0);
  EXPECT_EQ(P.text(R.Span), Usual + "  s += A[i * m + j];");
  EXPECT_EQ(P.text(R.Body), "s += A[i * m + j];");
  EXPECT_TRUE(R.OwnLines);
  EXPECT_EQ(P.kernel("k").Loops.at(R.Loop).Iterator, "j");
  EXPECT_EQ(R.Reads.at(0).ElementBytes, 4u);
  auto OwnLines = [](const std::string &Body) {
    return parseRows(Body).kernel("k").RowLoops.at(0).OwnLines;
  };
  const std::string Row = "  s += A[i * m + j];";
  EXPECT_TRUE(OwnLines(Usual + Row + " /* a */ /* b */ // c"));
  EXPECT_FALSE(OwnLines("s = 1; " + Usual + Row));
  EXPECT_FALSE(OwnLines(Usual + Row + " /* a */ s = 1;"));
  EXPECT_FALSE(OwnLines(Usual + Row + " /* a\n */"));
}

TEST(RowLoops, PositiveLimits) {
  for (const char *Limit :
       {"m", "64", "N", "m - 3", "blockDim.x", "m * 2", "i", "K", "rp[i + 1]"})
    EXPECT_THAT(rows("for (int j = 0; j < " + std::string(Limit) +
                         "; ++j)\n  s += A[i * m + j];",
                     "#define N 96\nconstexpr int K = 77;\n"),
                ElementsAre("int j = 0; 0 to " + std::string(Limit) +
                            " by ++j reads float A[i * m + j]"));
}

TEST(RowLoops, PositiveALimitBeforeTheIterator) {
  EXPECT_THAT(rows("for (int j = 0; m > j; ++j)\n  s += A[i * m + j];"),
              ElementsAre("int j = 0; 0 to m by ++j reads float A[i * m + j]"));
  Parsed P =
      parseRows("for (int j = m - 1; 0 <= j; --j)\n  s += A[i * m + j];");
  const RowLoop &R = P.kernel("k").RowLoops.at(0);
  EXPECT_TRUE(R.IsDown && R.Reaches && R.Limit == "0");
}

TEST(RowLoops, PositiveALimitWithANameOfItsOwn) {
  const std::string Before = "#define N 96\n";
  for (const auto &[Init, Text] :
       {std::pair{"int j = 0, e = m;", "int j = 0; 0 to m"},
        std::pair{"int e = rp[i + 1], j = rp[i];",
                  "int j = rp[i]; rp[i] to rp[i + 1]"},
        std::pair{"auto j = 2, e = m - 3;", "auto j = 2; 2 to m - 3"},
        std::pair{"int j = N, e = N;", "int j = N; N to N"}})
    EXPECT_THAT(
        rows("for (" + std::string(Init) + " j < e; ++j)\n  s += A[i * m + j];",
             Before),
        ElementsAre(std::string(Text) + " by ++j reads float "
                                        "A[i * m + j]"));
  EXPECT_THAT(rows("for (int j = m, e = 0; j > e; --j)\n"
                   "  s += A[i * m + j - 1];"),
              ElementsAre(HasSubstr("int j = m; m to 0 by --j")));
}

TEST(RowLoops, NegativeNamesOfLimitsThatAreMore) {
  for (const char *Header :
       {"int j = 0, e = m; j < e; ++j, --e", // changed
        "int j = 0, e = m, q = 3; j < e; ++j",
        "int e = m, j = e - 3; j < e; ++j", "int j = 0, e = s; j < e; ++j",
        "int j = 0, e = 3u * m; j < e; ++j",
        "int j = 0, e = 1 ? 96 : 3; j < e; ++j", "int j = 0, e(m); j < e; ++j",
        "int j(0), e = m; j < e; ++j", "int j = 0, e{m}; j < e; ++j",
        "int j = 0, &e = m; j < e; ++j", "int j, e = m; j < e; ++j",
        "int j = 0, e = f(); j < e; ++j", "int q = 0, e = m; j < e; ++j",
        "int e = m, m = 0; m < e; ++m", "int e = 8 * m, m = 2; m < e; ++m",
        "int j = 0, e = e; j < e; ++j"})
    EXPECT_EQ(refusal("int j = 0;\nfor (" + std::string(Header) +
                          ")\n  s += A[i * m + j];",
                      "__device__ int f();\n"),
              "not-counted")
        << Header;
  for (const char *Body : {"s += A[i * m + j] * e;", "s += A[i * m + j];\n--e;",
                           "int *p = &e;\n*p = 3;\ns += A[i * m + j];",
                           "decltype(e) q = 2;\ns += A[i * m + j] * q;",
                           "s += A[i * m + j] * sizeof(e);"})
    EXPECT_EQ(refusal("for (int j = 0, e = m; j < e; ++j) {\n" +
                      std::string(Body) + "\n}"),
              "not-counted")
        << Body;
  // The text of the header is not all in the file.
  for (const char *Init : {"NAME = 0, e = m", "TYPE j = 0, e = m", "int BOTH",
                           "int j FIRST, e = m"})
    EXPECT_EQ(refusal("for (" + std::string(Init) +
                          "; j < e; ++j)\n  s += A[i * m + j];",
                      "#define NAME int j\n#define TYPE int\n"
                      "#define BOTH j = 0, e = m\n#define FIRST = 0\n"),
              "in-macro")
        << Init;
}

TEST(RowLoops, PositiveSteps) {
  for (const char *Step :
       {"++j", "j++", "j += 1", "(++j)", "j = j + 1", "j = (j - -1)"})
    EXPECT_THAT(rows("for (int j = 1; j < m; " + std::string(Step) +
                     ")\n  s += A[i * m + j];"),
                ElementsAre("int j = 1; 1 to m by " + std::string(Step) +
                            " reads float A[i * m + j]"));
}

TEST(RowLoops, PositiveWiderSteps) {
  EXPECT_THAT(
      rows("for (int j = 0; j < m; j += 4)\n  s += A[i * m + j + 1] + "
           "A[i * m + j] + A[i * m + (j + 3)] + A[2 + (i * m + j)];"),
      ElementsAre("int j = 0; 0 to m by j += 4 reads float A[i * m + j] 4x +1 "
                  "+3 +2"));
  EXPECT_THAT(
      rows("for (int j = 0; j < m; j += 2)\n  s += A[i * m + j + 1];"),
      ElementsAre("int j = 0; 0 to m by j += 2 reads float A[i * m + j + 1]"));
  Parsed P = parseRows("for (int j = 0; j < m; j += 4)\n  s += A[i + j];");
  EXPECT_EQ(P.kernel("k").RowLoops.at(0).StepSize, 4);
}

TEST(RowLoops, PositiveSomeOfEachFewElements) {
  EXPECT_THAT(
      rows(Usual + "  s += A[2 * (i * m + j)] + A[1 + (i * m + j) * 2];"),
      ElementsAre("int j = 0; 0 to m by ++j reads float A[2 * (i * m + j)] "
                  "2x +1"));
  EXPECT_THAT(rows(Usual + "  s += A[i + 3 * j + 2] - A[i + j * 3];"),
              ElementsAre("int j = 0; 0 to m by ++j reads float A[i + j * 3] "
                          "2x +2"));
  Parsed P = parseRows(Usual + "  s += A[2 * (2 * j + i) + 1] + A[i + j];");
  const std::vector<RowRead> &Reads = P.kernel("k").RowLoops.at(0).Reads;
  ASSERT_EQ(Reads.size(), 2u);
  EXPECT_EQ(Reads[0].Stride, 4);
  EXPECT_EQ(Reads[1].Stride, 1);
}

TEST(RowLoops, NegativeStrides) {
  for (const char *Index :
       {"m * j", "j * j", "-2 * j", "0 * j", "32 * j", "2 * j + j",
        "2 * i + j * i", "i - 2 * j", "j / 2", "i + (2 * j) % m"})
    EXPECT_THAT(
        rows(Usual + "  s += A[" + std::string(Index) + "] + B[i * m + j];"),
        ElementsAre("int j = 0; 0 to m by ++j reads float B[i * m + j]"))
        << Index;
  // Walks from behind.
  EXPECT_THAT(rows("for (int j = m - 1; j >= 0; --j)\n  s += A[i + 2 * j];"),
              IsEmpty());
  // Two strides are two rows.
  EXPECT_THAT(rows(Usual + "  s += A[i + 2 * j] + A[i + 3 * j];"),
              ElementsAre("int j = 0; 0 to m by ++j reads float A[i + 2 * j] "
                          "reads float A[i + 3 * j]"));
}

TEST(RowLoops, PositiveDownwards) {
  for (const char *Header :
       {"int j = m - 1; j >= 0; --j", "int j = m - 1; j > -1; j--",
        "long long j = m; j >= 3; j -= 1"}) {
    Parsed P =
        parseRows("for (" + std::string(Header) + ")\n  s += A[i * m + j];");
    const RowLoop &R = P.kernel("k").RowLoops.at(0);
    EXPECT_TRUE(R.Refusals.empty() && R.IsDown) << Header;
    EXPECT_EQ(R.Reads.size(), 1u) << Header;
  }
}

TEST(RowLoops, PositiveAWindow) {
  EXPECT_THAT(
      rows("for (int j = 1; j < m - 1; ++j)\n"
           "  s += A[i * m + j - 1] + A[i * m + j] + A[i * m + j + 1];"),
      ElementsAre("int j = 1; 1 to m - 1 by ++j reads float "
                  "A[i * m + j - 1] 3x +1 +2"));
  EXPECT_THAT(rows("const float *row = A + i * m;\n" + Usual +
                   "  s += row[j + 2] - row[j];"),
              ElementsAre("int j = 0; 0 to m by ++j reads float row[j] 2x +2"));
}

TEST(RowLoops, NegativeElementsFarApart) {
  EXPECT_THAT(rows(Usual + "  s += A[i * m + j] + A[i * m + j + 64];"),
              ElementsAre("int j = 0; 0 to m by ++j reads float A[i * m + j] "
                          "reads float A[i * m + j + 64]"));
  // Of another row.
  EXPECT_THAT(rows(Usual + "  s += A[i * m + j] + A[i + j] + B[i * m + j];"),
              ElementsAre("int j = 0; 0 to m by ++j reads float A[i * m + j] "
                          "reads float A[i + j] reads float B[i * m + j]"));
  // Too few of what a tile holds.
  EXPECT_THAT(rows("for (int j = 0; j < m; j += 32)\n  s += A[i * m + j];"),
              IsEmpty());
}

TEST(RowLoops, PositiveIterators) {
  for (const char *Type : {"unsigned", "size_t", "long long", "short"})
    EXPECT_THAT(rows("for (" + std::string(Type) +
                     " j = 0; j < m; ++j)\n  s += A[i * m + j];"),
                ElementsAre(std::string(Type) +
                            " j = 0; 0 to m by ++j reads float A[i * m + j]"))
        << Type;
}

TEST(RowLoops, PositiveAnIteratorOfBefore) {
  EXPECT_THAT(
      rows("int j;\nfor (j = i % 2; j < m; ++j)\n  s += A[i * m + j];"),
      ElementsAre("j = i % 2; i % 2 to m by ++j reads float A[i * m + j]"));
}

TEST(RowLoops, PositiveSparseRows) {
  EXPECT_THAT(rows("int j;\nfor (j = rp[i]; j < rp[i + 1]; ++j)\n  s += A[j];"),
              ElementsAre("j = rp[i]; rp[i] to rp[i + 1] by ++j reads float "
                          "A[j]"));
}

TEST(RowLoops, PositiveAPointerOfTheKernel) {
  EXPECT_THAT(
      rows("const float *row = A + i * m;\n" + Usual + "  s += row[j];"),
      ElementsAre("int j = 0; 0 to m by ++j reads float row[j]"));
}

TEST(RowLoops, PositiveIndices) {
  for (const char *Index : {"j + i * m", "i * m + j - 3", "(i * m) + (j)",
                            "(size_t)i * m + j", "3 + (i * 4 + j)"})
    EXPECT_THAT(rows(Usual + "  s += A[" + Index + "];"),
                ElementsAre(HasSubstr("A[" + std::string(Index) + "]")));
}

TEST(RowLoops, PositiveOneReadInTwoPlaces) {
  EXPECT_THAT(
      rows(Usual + "{\n  s += A[i * m + j];\n  s += 2 * A[i * m + j];\n}"),
      ElementsAre(HasSubstr("A[i * m + j] 2x")));
}

TEST(RowLoops, PositiveTypes) {
  for (auto [Type, Name] : {std::pair("double", "double"),
                            {"int", "int"},
                            {"uint", "unsigned int"},
                            {"long long", "long long"},
                            {"unsigned char", "unsigned char"},
                            {"short", "short"},
                            {"bool", "bool"}})
    EXPECT_THAT(rows("const " + std::string(Type) + " *W = (const " + Type +
                         " *)A;\n" + Usual + "  s += W[i * m + j];",
                     "typedef unsigned int uint;\n"),
                ElementsAre(HasSubstr("reads " + std::string(Name) + " W")));
}

/// Objects of this type, of which `Use` says what becomes of one.
std::vector<std::string> objects(const std::string &Type,
                                 const std::string &Use) {
  return rows("const P *W = (const P *)A;\n" + Usual + "  s += " + Use + ";",
              Type + "\n__device__ float sum(P p) { return p.x + p.x; }\n");
}

TEST(RowLoops, PositiveMembersOfObjects) {
  const std::string P = "struct P { float x, y; int m; };";
  EXPECT_THAT(objects(P, "W[i * m + j].x"),
              ElementsAre("int j = 0; 0 to m by ++j reads P W[i * m + j]"));
  EXPECT_THAT(objects(P, "W[i * m + j].x * W[i * m + j].y + W[i * m + j].m"),
              ElementsAre(HasSubstr("reads P W[i * m + j] 3x")));
  EXPECT_THAT(objects(P, "W[i * m + j].x + W[i * m + j + 1].y"),
              ElementsAre(HasSubstr("reads P W[i * m + j] 2x +1")));
  EXPECT_THAT(objects("struct V { float x; };\nstruct P : V { V in; };",
                      "W[i * m + j].in.x + W[i * m + j].x"),
              ElementsAre(HasSubstr("reads P W[i * m + j] 2x")));
  EXPECT_THAT(objects("namespace n { typedef struct { double x; } T; }\n"
                      "using P = n::T;",
                      "W[i * m + j].x"),
              ElementsAre(HasSubstr("reads n::T W[i * m + j]")));
  EXPECT_THAT(objects("template <class T> struct V { T x; };\n"
                      "typedef V<float> P;",
                      "W[i * m + j].x"),
              ElementsAre(HasSubstr("reads V<float> W[i * m + j]")));
}

TEST(RowLoops, PositiveObjectsThatAreCopied) {
  EXPECT_THAT(objects("struct __align__(16) P { float x, y, z, w; };",
                      "sum(W[i * m + j])"),
              ElementsAre(HasSubstr("reads P W[i * m + j]")));
  EXPECT_THAT(rows("const float4 *W = (const float4 *)A;\n" + Usual +
                   "{\n  float4 v = W[i * m + j];\n  s += v.x + v.w;\n}"),
              ElementsAre(HasSubstr("reads float4 W[i * m + j]")));
}

TEST(RowLoops, PositiveObjectsOfTwoBytes) {
  EXPECT_THAT(objects("struct P { unsigned short x; };", "W[i * m + j].x"),
              ElementsAre(HasSubstr("reads P W[i * m + j]")));
}

TEST(RowLoops, NegativeObjects) {
  for (const char *Type :
       {"struct P { char x, y, z; };",          // no words
        "struct P { short x, y; };",            // that may lie between words
        "struct P { char x, y; };",             //
        "struct P { float x, y, z, w, v; };",   // long
        "struct P { volatile float x; };",      // not to be read ahead
        "struct P { const float x; };",         // cannot be assigned
        "union P { float x; int y; };",         //
        "namespace { struct P { float x; }; }", // has no name to be written
        "struct Q { struct P { float x; }; };\ntypedef Q::P P;",
        "struct P { float x;\n  __device__ P(const P &p) : x(p.x) {} };"})
    EXPECT_THAT(objects(Type, "W[i * m + j].x"), Each(Not(HasSubstr("reads"))))
        << Type;
  // What is not loaded.
  const std::string P = "struct P { float x; int y[2];\n"
                        "  __device__ float f() const { return x; } };";
  for (const char *Use : {"W[i * m + j].f()", "(&W[i * m + j])->x",
                          "W[i * m + j].y[1]", "sizeof W[i * m + j]"})
    EXPECT_THAT(objects(P, Use), Each(Not(HasSubstr("reads")))) << Use;
}

TEST(RowLoops, NegativeMembersThatAreStored) {
  EXPECT_THAT(rows("float2 *W = (float2 *)y;\n" + Usual +
                   "{\n  s += W[i * m + j].x;\n  W[i * m + j].y = s;\n}"),
              ElementsAre(HasSubstr("W[i * m + j] refused: may-alias")));
  EXPECT_THAT(rows("float2 *W = (float2 *)z;\n" + Usual +
                   "  W[i * m + j].y = B[i * m + j];"),
              Each(Not(HasSubstr("writes"))));
}

const char *Changing =
    "struct Rng { unsigned x;\n"
    "  __device__ float next() { x = x * 5 + 1; return (float)x; } };\n"
    "struct Best { float key[4]; int at; };\n"
    "__device__ void larger(float &l, float r) { l = l < r ? r : l; }\n"
    "template <class T> __device__ void swapIf(T &l, T &r, bool c) {\n"
    "  if (c) { T t = l; l = r; r = t; }\n}\n"
    "__device__ float next(unsigned *x) { return *x = *x * 5 + 1; }\n"
    "__device__ void put(Best *b, float v) {\n"
    "  for (int q = 0; q < 4; ++q) swapIf(b->key[q], v, b->key[q] < v);\n"
    "  b->at++;\n}\n"
    "template <int N> __device__ void push(float (&b)[N], float v) {\n"
    "  if (v < b[0]) return;\n  b[0] = v;\n}\n"
    "__device__ unsigned *kept;\n"
    "__device__ void keep(unsigned *x) { kept = x; }\n"
    "__device__ void wait(unsigned *x) { __syncthreads(); }\n"
    "__device__ void other(unsigned *x, unsigned *z) { x = z; *x = 1; }\n"
    "__device__ void ofGlobal(float &x) { x += *(float *)kept; }\n"
    "__device__ void scale(float &l, float r) { l = l * r; }\n";

TEST(RowLoops, PositiveCallsThatChangeVariablesOfTheKernel) {
  const std::string Own = "unsigned x = i;\nfloat b[4] = {};\nBest t = {};\n"
                          "Rng g = {3};\nfloat w = 0;\n";
  for (const char *Body :
       {"larger(s, A[i * m + j]);", "swapIf(b[0], b[1], A[i * m + j] > 2);",
        "s += A[i * m + j] - next(&x);", "put(&t, A[i * m + j]);",
        "push(b, A[i * m + j]);", "s += A[i * m + j] + g.next();",
        "float v = A[i * m + j];\nswapIf(s, v, v > s);",
        "t.key[j % 4] = A[i * m + j];\nlarger(t.key[0], t.key[1]);",
        "Best c = t;\nt = c;\ns += A[i * m + j];"})
    EXPECT_EQ(refusal(Own + Usual + "{\n" + Body + "\n}", Changing), "")
        << Body;
}

TEST(RowLoops, NegativeCallsThatChangeMore) {
  const std::string Own = "unsigned x = i;\n__shared__ float sh[4];\n"
                          "float w = 0, &r = y[i];\n";
  for (const char *Body :
       {"larger(y[j], A[i * m + j]);", "larger(sh[0], A[i * m + j]);",
        "larger(r, A[i * m + j]);", "keep(&x);", "wait(&x);",
        "other(&x, kept);", "ofGlobal(s);", "s += next(kept);"})
    EXPECT_EQ(refusal(Own + Usual + "{\ns += A[i * m + j];\n" + Body + "\n}",
                      Changing),
              "warps-communicate")
        << Body;
  // The product may be part of the next iteration's sum.
  EXPECT_EQ(
      refusal(Own + Usual + "{\ns += w;\nscale(w, A[i * m + j]);\n}", Changing),
      "may-contract");
  // What the loop counts with.
  EXPECT_EQ(refusal("unsigned j = 0;\nfor (; j < m; ++j) {\n"
                    "s += A[i * m + j];\nnext(&j);\n}",
                    Changing),
            "not-counted");
}

TEST(RowLoops, PositiveCallsThatCompute) {
  EXPECT_EQ(inLoop("s += fabsf(A[i * m + j]);"), "");
  EXPECT_EQ(inLoop("s += twice(A[i * m + j]);",
                   "__device__ float twice(float v) { return v + v; }\n"),
            "");
}

TEST(RowLoops, PositiveLeavesALoopInside) {
  EXPECT_EQ(inLoop("s += A[i * m + j];\n"
                   "for (int q = 0; q < 3; ++q) { if (q > j) break; s += q; }"),
            "");
}

TEST(RowLoops, PositiveTheLargestOfARow) {
  EXPECT_EQ(inLoop("s = fmaxf(s, A[i * m + j]);"), "");
  EXPECT_EQ(inLoop("float v = A[i * m + j];\ns = fmaxf(v, s);"), "");
}

//===-- Stores ------------------------------------------------------------===//

TEST(RowLoops, PositiveStoresAreCompared) {
  EXPECT_THAT(rows(Usual + "  y[i] += A[i * m + j];"),
              ElementsAre(HasSubstr("A[i * m + j] apart from y[i]")));
  EXPECT_THAT(rows(Usual + "  y[m + j] = A[i * m + j];"),
              ElementsAre(HasSubstr("A[i * m + j] apart from row y[m + j]")));
}

TEST(RowLoops, PositiveStoresThatMoveAreCompared) {
  for (const char *Store :
       {"y[2 * j]", "y[(m - j) * 3 + i]", "y[(long long)j * m]", "y[j - j]"})
    EXPECT_THAT(
        rows(Usual + "{\n  s += A[i * m + j];\n  " + Store + " = 1;\n}"),
        ElementsAre(
            HasSubstr("A[i * m + j] apart from row " + std::string(Store))));
}

TEST(RowLoops, PositiveNothingToCompareWhereOneIsRestricted) {
  EXPECT_THAT(rows(Usual + "  y[i] += B[i * m + j];"),
              ElementsAre("int j = 0; 0 to m by ++j reads float B[i * m + j]"));
  EXPECT_THAT(rows(Usual + "  z[i] += A[i * m + j];"),
              ElementsAre("int j = 0; 0 to m by ++j reads float A[i * m + j]"));
}

TEST(RowLoops, NegativeAStoreThroughTheSamePointer) {
  EXPECT_THAT(rows(Usual + "  y[i] += y[i * m + j];"),
              ElementsAre(HasSubstr("y[i * m + j] refused: may-alias")));
  EXPECT_THAT(rows(Usual + "  z[i] += z[i * m + j];"),
              ElementsAre(HasSubstr("z[i * m + j] refused: may-alias")));
}

TEST(RowLoops, NegativeAStoreSomewhere) {
  for (const char *Store :
       {"y[j * j]", "y[rp[j]]", "y[(int)s]", "y[-j]", "y[j / 2]"})
    EXPECT_THAT(
        rows(Usual + "{\n  s += A[i * m + j];\n  " + Store + " = 1;\n}"),
        ElementsAre(HasSubstr("A[i * m + j] refused: may-alias")))
        << Store;
  EXPECT_THAT(rows(Usual + "{\n  s += A[i * m + j];\n  *y = 1;\n}"),
              ElementsAre(HasSubstr("refused: may-alias")));
}

TEST(RowLoops, NegativeAStoreThroughWhatIsMadeOfARestrictRow) {
  for (const char *Store :
       {"float *w = z + 3;\n@w[j * 2] = 1;",
        "int *w = (int *)z;\n@w[j * 2] = 1;", "float &w = z[5];\n@w = 1;",
        "float *w = z;\n@*w++ = 1;",
        "struct { float *p; } w;\nw.p = z;\n@w.p[j] = 1;"}) {
    auto [Before, Body] = llvm::StringRef(Store).split('@');
    EXPECT_THAT(rows(Before.str() + Usual + "{\n  s += z[i * m + j];\n  " +
                     Body.str() + "\n}"),
                ElementsAre(HasSubstr("z[i * m + j] refused: may-alias")))
        << Store;
  }
}

TEST(RowLoops, NegativeAStoreThroughAPointerOfUnknownOrigin) {
  for (const char *Store : {"float *w[2] = {z, y};\n@w[m & 1][j * 2] = 1;",
                            "float *w; w = z; if (m) w = y;\n@w[j * j] = 1;"}) {
    auto [Before, Body] = llvm::StringRef(Store).split('@');
    EXPECT_THAT(rows(Before.str() + Usual + "{\n  s += z[i * m + j];\n  " +
                     Body.str() + "\n}"),
                ElementsAre(HasSubstr("z[i * m + j] refused: may-alias")))
        << Store;
  }
}

TEST(RowLoops, NegativeTwoStoresOfOneText) {
  EXPECT_THAT(rows(Usual + "{\n  s += A[i * m + j];\n  y[i] = 1;\n"
                           "  for (int i = 0; i < j; ++i)\n    y[i] = 2;\n}"),
              ElementsAre(HasSubstr("refused: may-alias"),
                          HasSubstr("0 to j by ++i writes float y[i]")));
}

TEST(RowLoops, PositiveWhatAMacroStandsForIsInParentheses) {
  EXPECT_THAT(rows("for (int j = S; j < N; ++j)\n  s += A[i * m + j];",
                   "#define N 128 << 1\n#define S 2 - 5\n"),
              ElementsAre("int j = S; (S) to (N) by ++j reads float "
                          "A[i * m + j]"));
}

TEST(RowLoops, NegativeAStoreThroughAPointerThatMoves) {
  EXPECT_THAT(rows("float *w = y;\n" + Usual +
                   "{\n  s += A[i * m + j];\n  w[0] = 1;\n  ++w;\n}"),
              ElementsAre(HasSubstr("refused: may-alias")));
}

TEST(RowLoops, NegativeALimitInMemoryThatMayChange) {
  EXPECT_EQ(refusal("for (int j = 0; j < rp[i]; ++j)\n  y[j] = A[i * m + j];"),
            "not-counted");
  EXPECT_EQ(refusal("__shared__ int own[256];\nint *p = own;\n"
                    "for (int j = 0; j < p[i]; ++j) {\n  own[i] = m - 1;\n"
                    "  s += A[i * m + j];\n}"),
            "not-counted");
  EXPECT_EQ(refusal("int own[2] = {};\nint *p = own;\n"
                    "for (int j = 0; j < p[i]; ++j) {\n  own[0] = m - 1;\n"
                    "  s += A[i * m + j];\n}"),
            "not-counted");
}

//===-- Headers -----------------------------------------------------------===//

TEST(RowLoops, NegativeHeaders) {
  for (const char *Header : {"for (int j = 0; j != m; j += 2)",
                             "for (int j = 0; j != m; j -= 2)",
                             "for (unsigned j = i; j != m; ++j)",
                             "for (unsigned j = 1; j != m; ++j)",
                             "for (unsigned j = m; j != 0; --j)",
                             "for (int j = 0; j == m; ++j)",
                             "for (int j = 0; j > m; ++j)",
                             "for (int j = 0; m < j; ++j)",
                             "for (int j{0}; j < m; ++j)",
                             "for (int j = 0; j < m; j += m)",
                             "for (int j = 0; j < m; j += 0)",
                             "for (int j = 0; j < m; j *= 2)",
                             "for (int j = 0; j < m; --j)",
                             "for (int j = m; j > 0; ++j)",
                             "for (int j = m; j > 0; j -= 2)",
                             "for (unsigned j = m; j > 0; --j)",
                             "for (int j = m; j > 1u; --j)",
                             "for (int j = 0; j < m; j = i + 1)",
                             "for (int j = 0; j < m; j = 1 - j)",
                             "for (int j = 0; j < m; j = j * 2)",
                             "for (int j = 0; j < m;)",
                             "for (int j = 0;; ++j)",
                             "for (int j = 0; j < m && s < 9; ++j)",
                             "for (int j = 0, q = 1; j < m; ++j)",
                             "for (int j = i, q = 1; j < m; j++)",
                             "for (float j = 0; j < m; ++j)",
                             "for (int j = 0; j < s; ++j)",
                             "for (int j = 0; j < m; ++i)",
                             "for (int j = 0; j < j + 1; ++j)",
                             "for (int j = 0; j < f(); ++j)",
                             "for (int j = f(); j < m; ++j)",
                             "for (volatile int j = 0; j < m; ++j)",
                             "for (int j = 0; j < m; ++j, *y = 3)",
                             "for (int j = 0; j < m; ++j, ++j)",
                             "for (int j = 0; j < m; ++j, i += 2)",
                             "for (int j = 0; j + 3 != m; ++j)",
                             "for (int j = 0; j - 3 < m; ++j)",
                             "for (int j = 0; 3 + j < m; ++j)",
                             "for (int j = 0; j + s < m; ++j)",
                             "for (unsigned j = 0; j + i < m; ++j)",
                             "for (int j = 0; j + i < (long)m; ++j)",
                             "for (int j = 0; j + 1L * i < m; ++j)",
                             "for (int j = 0; j + i != m; ++j)",
                             "for (int j = m; j + i > 0; --j)",
                             "for (int j = 0; j + 3u < m; ++j)",
                             "for (int j = 0; j + 3L < m; ++j)",
                             "for (int j = m; j + 1 > 0; --j)",
                             "int j = 0;\nfor (int q = 0; j < m; ++j)"})
    EXPECT_EQ(refusal(std::string(Header) + "\n  s += A[i * m + (int)j];",
                      "__device__ int f();\n"),
              "not-counted")
        << Header;
}

/// An index, a limit or a base that the header changes is none.
TEST(RowLoops, NegativeWhatTheHeaderChanges) {
  EXPECT_THAT(rows("for (int j = 0; j < m; ++j, ++i)\n  s += A[i * m + j];"),
              IsEmpty());
  EXPECT_EQ(refusal("for (int j = 0; j < m; ++j, --m)\n  s += A[i * 9 + j];"),
            "not-counted");
  EXPECT_THAT(rows("const float *p = A + i * m;\n"
                   "for (int j = 0; j < m; ++j, ++p)\n  s += p[j];"),
              IsEmpty());
}

TEST(RowLoops, PositiveSeveralAhead) {
  EXPECT_THAT(rows("int j = 0;\nfor (; j + 3 < m; j += 4)\n"
                   "  s += A[i * m + j] + A[i * m + j + 3];"),
              ElementsAre("; j to m by j += 4 reads float A[i * m + j] 2x +3"));
  Parsed P =
      parseRows("for (size_t j = 0; m >= j + 2; ++j) s += A[i * m + j];");
  const RowLoop &R = P.kernel("k").RowLoops.at(0);
  EXPECT_EQ(R.Ahead, 2);
  EXPECT_TRUE(R.Reaches);
}

TEST(RowLoops, PositiveARemainder) {
  EXPECT_EQ(refusal("int j = 0;\n"
                    "for (; j + 1 < m; j += 2)\n  s += A[i * m + j] * B[j] +"
                    " A[i * m + j + 1] * B[j + 1];\n"
                    "for (; j < m; ++j)\n  s += A[i * m + j] * B[j];"),
            "");
  for (const char *Between :
       {"j = 0;", "j -= 2;", "--j;", "int *q = &j; *q = 0;"})
    EXPECT_EQ(refusal("int j = 0;\n"
                      "for (; j < m; ++j)\n  s += A[i * m + j] * B[j];\n" +
                      std::string(Between) +
                      "\nfor (; j < m; ++j)\n  s += A[i * m + j] * B[j];"),
              Between[0] == 'i' ? "not-counted" : "may-contract")
        << Between;
}

TEST(RowLoops, PositivePointersThatMoveWithTheLoop) {
  const std::string Begins = "const float *p = A + i * m;\n";
  for (const char *Each : {"for (int j = 0; j < m; ++j)\n  s += *p++;",
                           "for (int j = m; j > 0; --j)\n  s += B[0];"})
    EXPECT_THAT(
        rows(Begins + Each),
        std::string(Each).find("*p") == std::string::npos
            ? ::testing::Matcher<std::vector<std::string>>(IsEmpty())
            : ElementsAre("int j = 0; 0 to m by ++j reads float *p +0"));
  Parsed P = parseRows(Begins + "for (int j = 0; j < m; ++j)\n  s += *p++;");
  const RowRead &Read = P.kernel("k").RowLoops.at(0).Reads.at(0);
  EXPECT_EQ(Read.Mover, "p");
  EXPECT_TRUE(Read.MovesInPlaces);
  for (const char *Each :
       {"for (int j = 0; j < m; ++j, ++p)\n  s += *p;",
        "for (int j = 0; j < m; ++j) {\n  s += *p;\n  ++p;\n}",
        "for (int j = 0; j < m; ++j) {\n  s += *p;\n  p += 1;\n}"}) {
    Parsed Other = parseRows(Begins + Each);
    const RowRead &Its = Other.kernel("k").RowLoops.at(0).Reads.at(0);
    EXPECT_EQ(Its.Text, "*p") << Each;
    EXPECT_FALSE(Its.MovesInPlaces) << Each;
  }
}

TEST(RowLoops, PositiveWhilesThatCountDown) {
  const std::string Begins = "const float *p = A + i * m;\nint n = m;\n";
  for (const char *While :
       {"while (n-- > 0)\n  s += *p++;", "while (n--)\n  s += *p++;",
        "while (n-- != 0) {\n  s += *p;\n  ++p;\n}"})
    EXPECT_THAT(rows(Begins + While),
                ElementsAre(HasSubstr("; n to 0 by --n reads float *p")))
        << While;
  EXPECT_THAT(rows("const float *p = A + i * m;\nfloat *q = y;\n"
                   "size_t n = m;\nwhile (n--)\n  *q++ = *p++;"),
              ElementsAre(AllOf(HasSubstr("reads float *p +0"),
                                HasSubstr("writes float *q +0"))));
}

TEST(RowLoops, NegativeWhilesThatCountDown) {
  const std::string Begins = "const float *p = A + i * m;\nint n = m;\n";
  for (const char *While :
       {"while (n-- > 0)\n  s += *p++ + n;",      // another n than in `for`
        "while (n-- > 0)\n  s += *p++;\ns += n;", // and behind it
        "while (n-- > 1)\n  s += *p++;", "while (--n > 0)\n  s += *p++;",
        "while (n-- >= 0)\n  s += *p++;", "while (n++ < 0)\n  s += *p++;",
        "n += 1;\nwhile (n-- > 0)\n  s += *p++;",
        "while (s > 1 && n-- > 0)\n  s += *p++;"})
    EXPECT_EQ(refusal(Begins + While), "not-counted") << While;
  // Rows go one way.
  EXPECT_THAT(rows("const float *p = A + i * m;\n"
                   "for (int n = m; n > 0; --n)\n  s += *p++ + B[i * m + n];"),
              ElementsAre("int n = m; m to 0 by --n reads float *p +0"));
}

TEST(RowLoops, PositivePointersThatCountInPlace) {
  const std::string Begins = "const float *p = A + i * m, *e = p + m;\n";
  for (const char *While :
       {"while (p != e)\n  s += *p++;", "while (p < e)\n  s += *p++;",
        "while (p < e) {\n  float v = *p++;\n  s += v - v * s;\n}",
        "for (; p < e;)\n  s += *p++;"})
    EXPECT_THAT(rows(Begins + While),
                ElementsAre(HasSubstr("; p to e by  reads float *p +0")))
        << While;
}

TEST(RowLoops, NegativePointersThatCountInPlace) {
  const std::string Begins = "const float *p = A + i * m, *e = p + m;\n";
  for (const char *While :
       {"while (p < e) {\n  s += *p++;\n  s += *p;\n}",
        "while (p < e) {\n  if (s > 3)\n    s += *p++;\n}",
        "while (p < e)\n  s += *p++ + *p++;", "while (p < e)\n  s += *++p;",
        "while (p < e) {\n  if (s > 9)\n    continue;\n  s += *p++;\n}",
        "while (p < e) {\n  s += *p++;\n  e = A;\n}",
        "while (e > p)\n  s += *p++;", "while (p > e)\n  s += *p--;"})
    EXPECT_EQ(refusal(Begins + While), "not-counted") << While;
}

TEST(RowLoops, PositiveIndicesThatMoveWithTheLoop) {
  for (const char *Body : {"s += A[at++];", "s += A[at];\n++at;",
                           "s += A[at] + B[at];\nat += 1;"}) {
    Parsed P = parseRows("int at = i * m;\n" + Usual + "{\n" + Body + "\n}");
    const RowRead &Read = P.kernel("k").RowLoops.at(0).Reads.at(0);
    EXPECT_EQ(Read.Text, "A[at]") << Body;
    EXPECT_EQ(Read.Mover, "at") << Body;
  }
}

/// 255 is followed by 0.
TEST(RowLoops, NegativeIndicesThatGoRound) {
  for (const char *Type : {"unsigned char", "short", "signed char"})
    EXPECT_THAT(rows(std::string("const float *row = A + i * m;\n") + Type +
                     " at = 0;\n" + Usual + "  s += row[at++];"),
                IsEmpty())
        << Type;
}

TEST(RowLoops, PositiveStoresThroughPointersThatMove) {
  EXPECT_THAT(
      rows("const float *p = A + i * m;\nfloat *q = y + i * m;\n" + Usual +
           "  *q++ = *p++;"),
      ElementsAre(AllOf(HasSubstr("reads float *p +0 apart from row *q"),
                        HasSubstr("writes float *q +0 apart from row "
                                  "*p"))));
  EXPECT_THAT(rows("float *q = y + i * m;\n" + Usual + "  *q++ *= 2;"),
              ElementsAre(HasSubstr("writes float *q +0")));
  EXPECT_THAT(rows("const float *p = A + i * m;\n" + Usual +
                   "{\n  s += *p++;\n  y[j] = s;\n}"),
              ElementsAre(HasSubstr("*p +0 apart from row y[j]")));
}

TEST(RowLoops, NegativePointersThatMoveOtherwise) {
  const std::string Begins = "const float *p = A + i * m;\n";
  for (const char *Body :
       {"s += *p++ + *p++;", "s += *++p;", "if (s > 3) s += *p++;",
        "s += *p++;\nif (s > 3) p = A;", "++p;\ns += *p;", "s += *p--;",
        "s += *p;\np += 2;", "s += *p;",
        "const float *p = A + i * m;\ns += *p++;",
        "if (s > 3) continue;\ns += *p++;", "s += *p++;\ns += *p;",
        "s += *p++;\ns -= p - A;", "const float **q = &p;\ns += *p++ + **q;"})
    EXPECT_THAT(rows(Begins + Usual + "{\n" + Body + "\n}"), IsEmpty()) << Body;
  EXPECT_THAT(rows(Begins + "for (int j = 0; j < m; j += 2)\n  s += *p++;"),
              IsEmpty());
}

TEST(RowLoops, PositiveReferencesToElements) {
  EXPECT_THAT(rows(Usual + "{\n  const float &v = A[i * m + j];\n"
                           "  s += v + v;\n}"),
              ElementsAre("int j = 0; 0 to m by ++j reads float A[i * m + j]"));
  EXPECT_THAT(rows(Usual + "{\n  auto &v = A[i * m + j];\n"
                           "  s += A[i * m + j + 1] - v;\n}"),
              ElementsAre("int j = 0; 0 to m by ++j reads float A[i * m + j] 2x"
                          " +1"));
}

TEST(RowLoops, NegativeReferencesToElements) {
  for (const char *Body :
       {"const float &v = A[i * m + j];\nif (s > 3) s += v;",
        "const float &v = A[i * m + j];\nconst float *p = &v;\ns += v + *p;",
        "const float &v = A[i * m + j];\nconst float &w = v;\ns += v + w;",
        "const float &v = A[i * m];\ns += v;",
        "const float v = s;\nconst float &w = v;\ns += w;"})
    EXPECT_THAT(rows(Usual + "{\n" + Body + "\n}"), IsEmpty()) << Body;
  EXPECT_THAT(rows(Usual + "{\n  float &v = y[i * m + j];\n  s += v;\n"
                           "  y[i * m + j] = s;\n}"),
              Each(HasSubstr("refused: may-alias")));
}

TEST(RowLoops, PositiveLoopsThatBeginWithWhatIsThere) {
  EXPECT_THAT(rows("int j = 3;\nfor (; j < m; ++j)\n  s += A[i * m + j];"),
              ElementsAre("; j to m by ++j reads float A[i * m + j]"));
  EXPECT_THAT(
      rows("int j = 0;\nwhile (j < m) {\n  s += A[i * m + j];\n  ++j;\n}"),
      ElementsAre("; j to m by  reads float A[i * m + j]"));
  EXPECT_THAT(rows("int j = m - 1;\nwhile (j >= 0) {\n  s += A[i * m + j];\n"
                   "  j -= 1;\n}"),
              ElementsAre("; j to 0 by  reads float A[i * m + j]"));
  EXPECT_THAT(rows("while (0 < m) {\n  s += A[i * 64 + m];\n  --m;\n}"),
              ElementsAre(HasSubstr("reads float A[i * 64 + m]")));
}

TEST(RowLoops, PositiveUntilTheLimit) {
  for (const char *Header :
       {"for (int j = 0; j != m; ++j)", "for (int j = 0; m != j; j++)",
        "for (unsigned j = 0; j != m; ++j)",
        "for (long long j = 0; j != m; ++j)",
        "for (size_t j = 0; j != m; j += 1)"})
    EXPECT_THAT(rows(std::string(Header) + "\n  s += A[i * m + j];"),
                ElementsAre(HasSubstr("0 to m by ")))
        << Header;
  EXPECT_THAT(rows("for (int j = m - 1; j != -1; --j)\n  s += A[i * m + j];"),
              ElementsAre(HasSubstr("m - 1 to -1 by --j")));
  EXPECT_THAT(rows("int j = i;\nwhile (j != m) {\n  s += A[i * m + j];\n"
                   "  ++j;\n}"),
              ElementsAre("; j to m by  reads float A[i * m + j]"));
  EXPECT_THAT(rows("const float *e = A + i * m + m;\n"
                   "for (const float *r = A + i * m; r != e; ++r)\n  s += *r;"),
              ElementsAre(HasSubstr("A + i * m to e by ++r")));
}

TEST(RowLoops, NegativeUntilALimitThatMayBePassed) {
  for (const char *Header : {"for (short j = 0; j != m; ++j)",
                             "for (signed char j = 3; j != m; ++j)",
                             "for (unsigned short j = 0; j != m; ++j)",
                             "for (int j = i - 9; j != (unsigned)m; ++j)",
                             "for (int j = 0; j != (long long)m; ++j)",
                             "for (unsigned j = 0; j != (long long)m; ++j)"})
    EXPECT_EQ(refusal(std::string(Header) + "\n  s += A[i * m + j];"),
              "not-counted")
        << Header;
  EXPECT_EQ(refusal("unsigned j = i;\nwhile (j != m) {\n"
                    "  s += A[i * m + j];\n  ++j;\n}"),
            "not-counted");
  EXPECT_EQ(refusal("const float *e = A + i * m;\n"
                    "for (const float *r = e + m; r != e; --r)\n  s += *r;"),
            "not-counted");
}

TEST(RowLoops, NegativeWhile) {
  auto Of = [](llvm::StringRef Loop, const std::string &Before = "") {
    auto [Head, Tail] = Loop.split('@');
    return refusal(("int j = 0;\n" + Head + "s += A[i * m + j]; " + Tail).str(),
                   Before);
  };
  for (const char *Loop :
       {"while (j < m) { ++j; @}", // counts first
        "while (j < m) { @++j; ++j; }",
        "while (j < m) { if (s > 3) continue; @++j; }",
        "while (j < m) { @if (s > 3) ++j; }", "while (j < m) { @j *= 2; }",
        "while (j != m) { ++j; @}", "while (j < m && s < 9) { @++j; }",
        "while (int q = m - j) { @++j; }", "while (j++ < m) { @}",
        "while (j < m) @", "while (true) { @++j; }", "while (j < m) { @++i; }"})
    EXPECT_EQ(Of(Loop), "not-counted") << Loop;
  EXPECT_EQ(Of("WHILE (j < m) { @++j; }", "#define WHILE while\n"), "in-macro");
}

TEST(RowLoops, NegativeARowThatStaysFromSomewhere) {
  // Where the row that stays begins is not known before the loop around.
  const Parsed P =
      parseRows("int j = 0;\nfor (int c = 0; c < m; ++c) {\n"
                "  for (; j < 64; ++j)\n    s += A[i * 64 + j];\n  j = 0;\n}");
  for (const RowLoop &Rows : P.kernel("k").RowLoops)
    for (const RowRead &Read : Rows.Reads)
      EXPECT_FALSE(Read.Walk.has_value());
}

TEST(RowLoops, PositivePointers) {
  const std::string Ends = "const float *p = A + i * m, *e = p + m;\n";
  EXPECT_THAT(rows(Ends + "for (; p < e; ++p)\n  s += *p;"),
              ElementsAre("; p to e by ++p reads float *p"));
  EXPECT_THAT(rows(Ends + "for (; p != e; ++p)\n  s += *p;"),
              ElementsAre("; p to e by ++p reads float *p"));
  EXPECT_THAT(rows(Ends + "while (p < e) {\n  s += *p - *(p + 1);\n  ++p;\n}"),
              ElementsAre("; p to e by  reads float *p 2x +1"));
  EXPECT_THAT(rows("for (const float *p = A + i * m; p < A + i * m + 64;"
                   " p += 2)\n  s += *p;"),
              ElementsAre("const float *p = A + i * m; A + i * m to "
                          "A + i * m + 64 by p += 2 reads float *p"));
}

TEST(RowLoops, NegativePointers) {
  const std::string Ends = "const float *p = A + i * m, *e = p + m;\n";
  for (const char *Loop :
       {"for (; p != e; p += 2)\n  s += *p;",
        "for (; p < e; p += m)\n  s += *p;", "for (; e > p; --e)\n  s += *e;",
        "for (; p < e; ++p)\n  s += *p++;",
        "for (; p < e; ++p)\n  e = A + i * m;",
        "for (const float **q = &p; p < e; ++p)\n  s += **q;",
        "for (; *p < 3; ++p)\n  s += *p;"})
    EXPECT_EQ(refusal(Ends + Loop), "not-counted") << Loop;
  for (const char *Body : {"s += *(const int *)p;", "s += p[0];",
                           "s += *(p + (p - e));", "if (s > 3) s += *p;"})
    EXPECT_THAT(rows(Ends + "for (; p < e; ++p)\n  " + Body), IsEmpty())
        << Body;
  EXPECT_THAT(rows("float *p = y + i * m, *e = p + m;\n"
                   "for (; p < e; ++p) {\n  s += *p;\n  *p = s;\n}"),
              ElementsAre(HasSubstr("refused: may-alias")));
}

TEST(RowLoops, NegativeOtherLoops) {
  EXPECT_THAT(rows("float own[4] = {};\nfor (float &v : own)\n  s += v;"),
              IsEmpty());
}

TEST(RowLoops, NegativeWhatIsChanged) {
  for (const char *Body :
       {"s += A[i * m + j];\nj += s > 3;", "s += A[i * m + j];\n--m;",
        "s += A[i * m + j];\nint *p = &j;\n*p = 3;",
        "s += A[i * m + j];\nint &r = j;\nr = 3;",
        "s += A[i * m + j];\nint *p = &m;\n*p = 3;",
        "s += A[i * m + j];\nset(j);"})
    EXPECT_EQ(inLoop(Body, "__device__ void set(int &v) { v = 3; }\n"),
              "not-counted")
        << Body;
  EXPECT_EQ(refusal("int w = m;\nint *p = &w;\nfor (int j = 0; j < w; ++j) {\n"
                    "  s += A[i * m + j];\n  *p = 1;\n}"),
            "not-counted");
}

TEST(RowLoops, NegativeABaseThatChanges) {
  EXPECT_THAT(rows("const float *row = A;\n" + Usual +
                   "{\n  s += row[j];\n  ++row;\n}"),
              IsEmpty());
  EXPECT_THAT(
      rows(Usual + "{\n  const float *row = A + i * m;\n  s += row[j];\n}"),
      IsEmpty());
  EXPECT_THAT(rows(Usual + "{\n  s += A[i * m + j];\n  ++i;\n}"), IsEmpty());
}

TEST(RowLoops, PositiveNamesThatMeanAnotherInside) {
  // Only the read of the i outside is one of the row.
  EXPECT_THAT(rows(Usual + "{\n  s += A[i * m + j];\n  {\n    int i = 0;\n"
                           "    s += A[i * m + j];\n  }\n}"),
              ElementsAre("int j = 0; 0 to m by ++j reads float A[i * m + j]"));
  EXPECT_THAT(rows(Usual + "{\n  float A[4] = {};\n  s += A[j];\n}"),
              IsEmpty());
}

TEST(RowLoops, NegativeIndicesThatDoNotWalk) {
  for (const char *Index :
       {"i * m", "j * m + i", "i * m - j", "j * j", "i * m + j + j",
        "(unsigned char)(j + i)", "rp[j] + i", "i * m + rp[i] + j", "j ^ i",
        "i * m + (int)s + j"})
    EXPECT_THAT(rows(Usual + "  s += A[" + Index + "];"),
                Each(Not(HasSubstr("float A[")))) // of rp[j], perhaps
        << Index;
}

//===-- Bodies ------------------------------------------------------------===//

TEST(RowLoops, NegativeJumps) {
  for (const char *Jump : {"break;", "return;", "goto out;"})
    EXPECT_EQ(refusal(Usual + "{\n  if (s > 100) " + Jump +
                      "\n  s += A[i * m + j];\n}\nout:"),
              "ends-early")
        << Jump;
}

TEST(RowLoops, PositiveContinue) {
  EXPECT_THAT(rows(Usual + "{\n  if (A[i * m + j] < 1)\n    continue;\n"
                           "  s += A[i * m + j] + B[i * m + j];\n}"),
              ElementsAre("int j = 0; 0 to m by ++j reads float A[i * m + j] "
                          "2x"));
}

TEST(RowLoops, PositiveABackslashInALiteral) {
  EXPECT_EQ(inLoop("char c = (char)A[i * m + j];\ns += c == '\\n';"), "");
}

TEST(RowLoops, NegativeBehindContinue) {
  for (const char *Body :
       {"if (j % 3)\n  continue;\ns += A[i * m + j];",
        "{\n  if (j % 3) {\n    s += 1;\n    continue;\n  }\n  s += 2;\n}\n"
        "s += A[i * m + j];",
        "if (j % 3)\n  s += 1;\nelse\n  continue;\ns += A[i * m + j];",
        "continue;\ns += A[i * m + j];"})
    EXPECT_THAT(rows(Usual + "{\n" + Body + "\n}"), IsEmpty()) << Body;
}

TEST(RowLoops, NegativeWhatWarpsDoTogether) {
  for (const char *Body :
       {"__syncthreads();", "__syncwarp();",
        "s += __shfl_xor_sync(0xffffffff, s, 1);", "s += __any_sync(~0u, j);",
        "atomicAdd(y, s);", "__nv_atomic_add(y, s, __NV_ATOMIC_RELAXED);",
        "__threadfence();", "s += unknown(j);", "s += byPointer(y);"})
    EXPECT_EQ(inLoop("s += A[i * m + j];\n" + std::string(Body),
                     "__device__ float unknown(int);\n"
                     "__device__ float byPointer(float *p) {\n"
                     "  *p = 1; return *p;\n}\n"),
              "warps-communicate")
        << Body;
}

TEST(RowLoops, NegativeAssembly) {
  EXPECT_EQ(inLoop("s += A[i * m + j];\nasm volatile(\"bar.sync 0;\");"),
            "inline-assembly");
}

TEST(RowLoops, NegativeVolatile) {
  EXPECT_EQ(refusal("const volatile float *V = A;\n" + Usual +
                    "  s += V[i * m + j];"),
            "warps-communicate");
}

TEST(RowLoops, NegativeBodiesThatAreNotPlain) {
  EXPECT_EQ(inLoop("auto f = [&] { return s; };\ns += A[i * m + j];"),
            "not-counted");
  EXPECT_EQ(inLoop("switch (j) { case 0: s += 1; }\ns += A[i * m + j];"),
            "not-counted");
  EXPECT_EQ(inLoop("static __shared__ float own[3];\ns += A[i * m + j];"),
            "not-counted");
  EXPECT_EQ(inLoop("struct Two { float a, b; };\ns += A[i * m + j];"),
            "not-counted");
  EXPECT_EQ(inLoop("float own[2] = {1, 2};\nfor (float v : own) s += v;\n"
                   "s += A[i * m + j];"),
            "not-counted");
}

TEST(RowLoops, NegativeAProductThatIsCarried) {
  for (const char *Body :
       {"float q = s;\ns = A[i * m + j] * 3;\ny[i] += q;",
        "y[j] = A[i * m + j] * 3;\ns += y[j - 1];",
        "float *w = y + 3;\nw[j] = A[i * m + j] * 3;\ns += y[j + 2];"})
    EXPECT_EQ(inLoop(Body), "may-contract") << Body;
  EXPECT_EQ(refusal("float q = 0;\n" + Usual +
                    "{\n  s += q;\n  q = A[i * m + j] * 3;\n}"),
            "may-contract");
}

TEST(RowLoops, PositiveAProductThatNoSumTakes) {
  for (const char *Body :
       {"s *= A[i * m + j];", "s = s * A[i * m + j];", "s = A[i * m + j] * 3;"})
    EXPECT_EQ(inLoop(Body), "") << Body;
}

TEST(RowLoops, PositiveAProductThatEachIterationBeginsWith) {
  auto Of = [](const std::string &Body) {
    return refusal("float t = 1;\n" + Usual + "{\n" + Body + "\n}");
  };
  EXPECT_EQ(Of("t *= A[i * m + j];\ny[j] += t;"), "");
  EXPECT_EQ(Of("t = B[j] * A[i * m + j];\ny[j] = t + 1;"), "");
  for (const char *Body :
       {"y[j] += t;\nt *= A[i * m + j];",        // of the last iteration
        "if (j) t *= A[i * m + j];\ny[j] += t;", // or it may be
        "t = t + A[i * m + j] * t;\nt *= 3;\ny[j] += t;",
        "float &r = t;\ny[j] += r;\nt = A[i * m + j] * 3;"})
    EXPECT_EQ(Of(Body), "may-contract") << Body;
}

TEST(RowLoops, ProductsBeforeALoopThatAddsToThem) {
  const std::string Add = "  s += A[i * m + j];";
  // Whoever compiles it does not know which iteration is the first.
  EXPECT_EQ(refusal("s = A[i] * 3;\n" + Usual + Add), "");
  EXPECT_EQ(
      refusal("s = A[i] * 3;\nfor (int j = 3; j < m - 1; j += 2)\n" + Add), "");
  EXPECT_EQ(refusal("s = A[i] * 3;\n" + Usual + "  s -= A[i * m + j];"), "");
  for (const char *Loop :
       {"for (int j = 0; j < 1024; ++j)\n", "for (int j = 0; j < m % 8; ++j)\n",
        "for (int j = 0; j < rp[0]; ++j)\n"})
    EXPECT_EQ(refusal("s = A[i] * 3;\n" + (Loop + Add)), "may-contract")
        << Loop;
  // Only what it adds to.
  EXPECT_EQ(
      refusal("float q = A[i] * 3;\n" + Usual + "  s += A[i * m + j] + q;"),
      "may-contract");
  EXPECT_EQ(refusal("s = A[i] * 3;\n" + Usual + "  s = A[i * m + j] + s;"),
            "may-contract");
  const std::string Helper =
      "__device__ void f(const float *A, float *y, int i,"
      " int m) {\nfloat s = A[i] * 3;\n" +
      Usual + Add + "\ny[i] = s;\n}\n";
  EXPECT_EQ(refusal("f(A, y, i, m);", Helper), "may-contract");
}

TEST(RowLoops, ProductsInMemoryThatOthersMayLoad) {
  const std::string Loop = "for (int j = 0; j < 1024; ++j)\n";
  EXPECT_EQ(refusal("y[i] = A[i] * 3;\n" + Loop + "  y[i] += A[i * m + j];"),
            "");
  // Nobody sees the first one: it needs not be stored, nor rounded.
  EXPECT_EQ(refusal("z[i] = A[i] * 3;\n" + Loop + "  z[i] += A[i * m + j];"),
            "may-contract");
  EXPECT_EQ(refusal("y[i] = A[i] * 3;\n" + Loop + "  y[i] += B[i * m + j];"),
            "may-contract");
  EXPECT_EQ(refusal("y[i] = A[i] * 3;\n" + Loop + "  y[i] += y[i * m + j];"),
            "may-contract");
}

TEST(RowLoops, NegativeAPlaceThatAConditionChooses) {
  const std::string Larger = "template <class T> __device__ const T "
                             "&larger(const T &l, const T &r) {\n"
                             "  return l < r ? r : l;\n}\n";
  EXPECT_THAT(
      rows(Usual + "  y[i * m + j] = larger(A[i * m + j], A[j]);", Larger),
      ElementsAre(HasSubstr("refused: may-alias")));
  EXPECT_THAT(rows(Usual + "  y[i * m + j] = (i ? A[i * m + j] : y[j]);"),
              ElementsAre(HasSubstr("refused: may-alias")));
  EXPECT_THAT(rows(Usual + "  (i ? y[j] : z[j]) = A[i * m + j];"),
              ElementsAre(HasSubstr("refused: may-alias")));
}

TEST(RowLoops, NegativeProductsThatIterationsShare) {
  for (const char *Body :
       {"s += A[i * m + j] * 3 - A[i * m + j + 1] * 3;",
        "float v = A[i * m + j], w = A[i * m + j + 1];\n"
        "s += v * v;\ns -= w * w;",
        "float d = A[i * m + j] - A[i * m + j + 1],"
        " e = A[i * m + j + 1] - A[i * m + j + 2];\ns += d * d + e * e;",
        "float v = A[i * m + j], w = A[i * m + j + 1];\n"
        "s += (j % 2 ? v : w) * 3;",
        "float v = A[i * m + j];\nif (j % 2) v = A[i * m + j + 1];\n"
        "s += v * v;",
        "s += expf(A[i * m + j]) + expf(A[i * m + j + 1]);",
        "s += A[i * m + j] * j - A[i * m + j + 1] * (j + 1);",
        "s += twice(A[i * m + j]) + A[i * m + j + 1];"})
    EXPECT_EQ(
        inLoop(Body, "__device__ float twice(float v) { return 2.1f * v; }\n"),
        "may-contract")
        << Body;
  EXPECT_EQ(refusal("float q = 1;\n" + Usual +
                    "{\n  s += q * 3 + A[i * m + j + 1] * 3;\n"
                    "  q = A[i * m + j];\n}"),
            "may-contract");
  EXPECT_EQ(inLoop("s += fabsf(A[i * m + j] * 3 - A[i * m + j + 1] * 3);"),
            "may-contract");
  for (const char *Body :
       {"s += A[i * m + j] - A[i * m + j + 1];",
        "s += fabsf(A[i * m + j] - A[i * m + j + 1]);",
        "s += A[i * m + j] * (B[2 * j] + B[2 * j + 1]);",
        "s += A[i * m + j] * (B[2 * j] + B[2 * j + 4]);",
        "float v = A[i * m + j];\n"
        "s += v * v + B[j] + B[j + 1];",
        "float d = A[i * m + j + 1] - A[i * m + j];\n"
        "s = 0.9f * s + d * d;",
        "float d = A[i * m + j + 1] - A[i * m + j];\n"
        "if (d < 0) s += d * d;",
        "s += B[j] * A[i * m + j] + B[j] * A[i * m + j + 1];",
        "s += A[i * m + j] * B[j] + A[j] * B[3];"})
    EXPECT_EQ(inLoop(Body), "") << Body;
  EXPECT_EQ(refusal("for (int j = 0; j < m; j += 2)\n"
                    "  s += A[i * m + j] * 3 - A[i * m + j + 1] * 3;"),
            "");
  EXPECT_EQ(refusal("for (int j = 0; j < m; j += 2)\n"
                    "  s += A[i * m + j] * 3 - A[i * m + j + 2] * 3;"),
            "may-contract");
}

TEST(RowLoops, PositiveProductsThatNoSumTakes) {
  for (const char *Body :
       {"float p = A[i * m + j] * 2;\ns += p;", "y[j] = A[i * m + j] * 2;",
        "s += A[i * m + j];\ny[j] = s;", "s /= A[i * m + j];",
        "y[j] = A[i * m + j] * 2;\ns = fmaxf(s, y[j] * y[j]);",
        "s = 0.5f * s + 2 * A[i * m + j];\ny[j] = s;"})
    EXPECT_EQ(inLoop(Body), "") << Body;
}

TEST(RowLoops, NegativeUnderACondition) {
  for (const char *Body :
       {"if (j % 3) s += A[i * m + j];", "s += j ? A[i * m + j] : 0;",
        "if (s > 1 && A[i * m + j] > 2) s += 1;",
        "if (float v = A[i * m + j]) s += v;",
        "if (s > 2) { if (A[i * m + j] > 1) s += 1; }",
        "s += j && A[i * m + j] > 1;", "s += j || A[i * m + j] > 1;"})
    EXPECT_THAT(rows(Usual + "{\n" + Body + "\n}"), IsEmpty()) << Body;
  EXPECT_EQ(inLoop("s += A[i * m + j] > 1 && j;"), "");
}

TEST(RowLoops, PositiveOnBothSidesOfABranch) {
  for (const char *Body :
       {"if (m > 9)\n  s += A[i * m + j];\nelse\n  s -= A[i * m + j];",
        "s += j % 2 ? A[i * m + j] : -A[i * m + j];",
        "if (m > 9) {\n  s += A[i * m + j];\n  continue;\n} else if (m > 3)\n"
        "  s -= A[i * m + j];\nelse\n  s = A[i * m + j];"})
    EXPECT_THAT(rows(Usual + "{\n" + Body + "\n}"),
                ElementsAre(HasSubstr("reads float A[i * m + j] ")))
        << Body;
}

TEST(RowLoops, NegativeOnOneSideOfABranch) {
  for (const char *Body :
       {"if (m > 9)\n  s += A[i * m + j];\nelse\n  s -= A[i * m + j + 1];",
        "if (m > 9)\n  s += A[i * m + j];\nelse if (m > 3)\n  s -= A[i * m + "
        "j];",
        "s += j % 2 ? A[i * m + j] : B[i * m + j];",
        "if (m > 9)\n  for (int q = 0; q < m; ++q)\n    s += A[i * m + j];\n"
        "else\n  s -= A[i * m + j];"})
    EXPECT_THAT(rows(Usual + "{\n" + Body + "\n}"), IsEmpty()) << Body;
}

TEST(RowLoops, PositiveInALoopThatIsSureToRun) {
  for (const char *Body :
       {"for (int q = 0; q < 2; ++q) s += A[i * m + j];",
        "for (unsigned q = 1; q < sizeof(double); q += 2) s += A[i * m + j];",
        "for (int q = 0; q < 2; ++q) {\n"
        "  for (int r = q; r < 4; ++r) s += r;\n  s += A[i * m + j];\n}"})
    EXPECT_THAT(rows(Usual + "{\n" + Body + "\n}"),
                ElementsAre(HasSubstr("reads float A[i * m + j]")))
        << Body;
}

TEST(RowLoops, NegativeInALoopThatMayNotRun) {
  for (const char *Body :
       {"for (int q = 0; q < m; ++q) s += A[i * m + j];",
        "for (int q = 2; q < 2; ++q) s += A[i * m + j];",
        "for (int q = i; q < 2; ++q) s += A[i * m + j];",
        "for (int q = 0; q < 2; ++q) { if (s > 2) break; s += A[i * m + j]; }",
        "for (int q = 0; q < 2; ++q) { if (q) continue; s += A[i * m + j]; }",
        "for (int q = 0; q < 2; ++q) if (s > 2) s += A[i * m + j];",
        "for (int q = 0; q < 2; ++q) s += A[i * m + q];",
        "for (int q = 0; s > 2; ++q) s += A[i * m + j];",
        "int q = 0; while (q++ < 2) s += A[i * m + j];"})
    EXPECT_THAT(rows(Usual + "{\n" + Body + "\n}"),
                Not(Contains(HasSubstr("reads float A[i * m + j]"))))
        << Body;
}

TEST(RowLoops, PositiveConditionsAreEvaluated) {
  for (const char *Body :
       {"if (A[i * m + j] > s) s = j;", "s += A[i * m + j] > 1 ? 2 : 3;",
        "if (A[i * m + j] > s && j) s += 1;",
        "if (j) s += 1; else s += 2;\nif (A[i * m + j] > 1) s += 1;"})
    EXPECT_THAT(rows(Usual + "{\n" + Body + "\n}"),
                ElementsAre(HasSubstr("reads float A[i * m + j]")))
        << Body;
}

TEST(RowLoops, PositiveBranchesReadWhatIsThere) {
  // The second is in the tile for the first; the third is in none.
  EXPECT_THAT(rows(Usual + "if (A[i * m + j] > s)\n  s = A[i * m + j];\n"
                           "else\n  s += B[i * m + j];"),
              ElementsAre("int j = 0; 0 to m by ++j reads float A[i * m + j] "
                          "2x"));
  EXPECT_THAT(rows(Usual + "if (A[i * m + j] > A[i * m + j + 2])\n"
                           "  s = A[i * m + j + 1] + A[i * m + j + 3];"),
              ElementsAre("int j = 0; 0 to m by ++j reads float A[i * m + j] "
                          "3x +2 +1"));
}

TEST(RowLoops, NegativeSharedMemory) {
  EXPECT_THAT(
      rows("__shared__ float own[99];\n" + Usual + "  s += own[i + j];"),
      IsEmpty());
}

//===-- Macros and other texts --------------------------------------------===//

TEST(RowLoops, NegativeMacros) {
  EXPECT_EQ(refusal("LOOP(j, m)\n  s += A[i * m + j];",
                    "#define LOOP(i, n) for (int i = 0; i < n; ++i)\n"),
            "in-macro");
  EXPECT_EQ(refusal(Usual + "{\n#ifdef X\n  s += 1;\n#else\n"
                            "  s += A[i * m + j];\n#endif\n}"),
            "in-macro");
  // Written in the macro, no other name can be written there.
  EXPECT_THAT(rows(Usual + "  s += A[AT];", "#define AT (i * m + j)\n"),
              IsEmpty());
  EXPECT_THAT(rows(Usual + "  s += A[AT(i)];", "#define AT(r) (r * m + j)\n"),
              IsEmpty());
  EXPECT_THAT(
      rows(Usual + "  s += A[AT(j)];", "#define AT(c) (i * m + c * c)\n"),
      IsEmpty());
  EXPECT_THAT(rows(Usual + "  s += SQUARE(A[i * m + j]);",
                   "#define SQUARE(x) ((x) * (x))\n"),
              IsEmpty());
  EXPECT_THAT(rows(Usual + "  s += A[i * m + J];", "#define J j\n"), IsEmpty());
  EXPECT_THAT(rows("ALL", "#define ALL for (int j = 0; j < m; ++j) s += "
                          "A[i * m + j];\n"),
              Not(ElementsAre(HasSubstr("reads"))));
}

TEST(RowLoops, PositiveIndicesOfMacros) {
  const std::string Macros = "#define AT(r, c) ((r) * m + (c))\n"
                             "#define OPEN(r, c) r * m + c\n"
                             "#define IN(r, c) A[(r) * m + (c)]\n"
                             "#define OUT(r, c) y[AT(r, c)]\n";
  const std::string Head = "int j = 0; 0 to m by ++j ";
  auto Of = [&](const std::string &Body) {
    return rows(Usual + "{\n" + Body + "\n}", Macros);
  };
  EXPECT_THAT(Of("s += A[AT(i, j)];"),
              ElementsAre(Head + "reads float A[AT(i, j)]"));
  EXPECT_THAT(Of("s += A[OPEN(i, j)];"),
              ElementsAre(Head + "reads float A[OPEN(i, j)]"));
  EXPECT_THAT(Of("s += IN(i, j);"), ElementsAre(Head + "reads float IN(i, j)"));
  EXPECT_THAT(Of("OUT(i, j) = IN(i, j);"),
              ElementsAre(Head +
                          "reads float IN(i, j) apart from row OUT(i, j) "
                          "writes float OUT(i, j) apart from row "
                          "IN(i, j)"));
  // Elements of one row.
  EXPECT_THAT(Of("s += A[AT(i, j)] - A[AT(i, j + 1)];"),
              ElementsAre(Head + "reads float A[AT(i, j)] 2x +1"));
}

TEST(RowLoops, PositiveElementsSpelledAsCallsOrSums) {
  const std::string Head = "int j = 0; 0 to m by ++j reads float ";
  auto Of = [&](const std::string &Element) {
    return rows(Usual + "  s += " + Element + ";");
  };
  EXPECT_THAT(Of("__ldg(&A[i * m + j])"),
              ElementsAre(HasSubstr(Head + "A[i * m + j]")));
  EXPECT_THAT(Of("__ldg(A + i * m + j)"),
              ElementsAre(HasSubstr(Head + "(A + i * m)[j]")));
  EXPECT_THAT(Of("*(A + (i * m + j))"),
              ElementsAre(HasSubstr(Head + "A[(i * m + j)]")));
  EXPECT_THAT(Of("A[i\n  *   m + j]"), ElementsAre(Head + "A[i * m + j] +0"));
  for (const char *Element : {"__ldg(A + j * m + i)", // no row
                              "__ldg(&A[i * m + j * j])", "*(A + i * m)",
                              "A[i // row\n * m + j]", "*(j + i * m + A)"})
    EXPECT_THAT(Of(Element), IsEmpty()) << Element;
}

TEST(RowLoops, NegativeHiddenNames) {
  EXPECT_NE(refusal("int threadIdx = 3;\ns += threadIdx;\n" + Usual +
                    "  s += A[i * m + j];"),
            "");
}

TEST(RowLoops, PositiveInstantiations) {
  Parsed P = parseSnippet(
      "template <class T> __global__ void k(const T *A, T *y, int m) {\n"
      "  int i = threadIdx.x;\n  T s = 0;\n  for (int j = 0; j < m; ++j)\n"
      "    s += A[i * m + j];\n  y[i] = s;\n}\n"
      "void host(float *f, double *d, char *c) {\n"
      "  k<<<1, 32>>>(f, f, 3); k<<<1, 32>>>(d, d, 3); k<<<1, 32>>>(c, c, 3);\n"
      "}\n");
  std::vector<std::string> Types;
  for (const Kernel &K : P.Kernels)
    for (const RowLoop &R : K.RowLoops)
      for (const RowRead &Read : R.Reads)
        Types.push_back(Read.Type);
  EXPECT_THAT(Types, ElementsAre("T", "T", "T"));
}

} // namespace
} // namespace catt
