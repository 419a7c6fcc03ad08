//===- RowObjectsTest.cpp - Rows in objects, and of objects ---------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RowsTesting.h"
#include <gmock/gmock.h>

namespace catt {
namespace {

using namespace testing;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// One text for each loop of a kernel that has items, and pixels.
std::vector<std::string> ofObjects(const std::string &Body,
                                   const std::string &Pixel = "float r, g, b;",
                                   const std::string &Before = "") {
  const Parsed P = parseSnippet(
      "struct Item { float w; float q[64]; const float *far; int n; };\n"
      "struct Pixel { " +
      Pixel + " };\n" + Before +
      "__global__ void k(const Item *__restrict__ A, Item *B,"
      " const Pixel *__restrict__ in, Pixel *out, float *__restrict__ y,"
      " const float *__restrict__ v, int m) {\n"
      "int i = blockIdx.x * blockDim.x + threadIdx.x;\nfloat s = 0;\n" +
      Body + "\ny[i] = s;\n}\n");
  std::vector<std::string> Out;
  for (const RowLoop &R : P.kernel("k").RowLoops)
    Out.push_back(shown(P, R));
  return Out;
}

//===-- Arrays in objects -------------------------------------------------===//

TEST(RowObjects, PositiveAnArrayOfAnObject) {
  auto Loops = [](const std::string &Before, const std::string &Row) {
    return ofObjects(Before + Usual + "  s += " + Row + ";");
  };
  for (const auto &[Before, Row] :
       std::vector<std::pair<std::string, std::string>>{
           {"", "A[i].q[j]"},
           {"const Item *p = A + i;\n", "p->q[j]"},
           {"const Item *p = A;\n", "p[i].q[j]"},
           {"const Item *p = A + i;\n", "(*p).q[j]"},
           {"const Item &p = A[i];\n", "p.q[j]"},
           {"const float *q = A[i].q;\n", "q[j]"},
           {"", "(A + i)->q[j]"}})
    EXPECT_THAT(Loops(Before, Row),
                ElementsAre("int j = 0; 0 to m by ++j reads float " + Row))
        << Before << Row;
}

TEST(RowObjects, PositiveAnArrayThatIsStoredTo) {
  EXPECT_THAT(ofObjects("Item *p = B + i;\n" + Usual + "  p->q[j] = v[j];"),
              ElementsAre(HasSubstr("writes float p->q[j]")));
  EXPECT_THAT(ofObjects("Item &p = B[i];\n" + Usual + "  p.q[j] *= 2;"),
              ElementsAre(HasSubstr("writes float p.q[j]")));
}

TEST(RowObjects, NegativeAnArrayOfOtherObjects) {
  for (const char *Body :
       {"const Item *p = A + i;\n@ { s += p->q[j]; ++p; }",
        "const Item *p = A + i;\n@ { s += p->q[j]; p = A + j; }",
        "const Item *p = A;\nauto f = [&] { ++p; };\n@ { s += p->q[j]; f(); }",
        "@ { const Item &p = A[j]; s += p.q[j]; }",
        "@ { const Item *p = A + j; s += p->q[j]; }", "@ s += A[j].q[j];",
        "@ s += A[i].far[j];", "const Item *p = A + i;\n@ s += p->far[j];",
        "const volatile Item *p = A + i;\n@ s += p->q[j];",
        "const Item p = A[i];\n@ s += p.q[j];"}) {
    const auto [Head, Tail] = llvm::StringRef(Body).split('@');
    for (const std::string &Loop : ofObjects((Head + Usual + Tail).str()))
      EXPECT_THAT(Loop, ::testing::AnyOf(HasSubstr("refused: "),
                                         ::testing::Not(HasSubstr("q[j]"))))
          << Body;
  }
}

/// A lane that runs no iteration may have no such object.
TEST(RowObjects, NegativeARowThatBeginsWhereAnObjectSays) {
  EXPECT_THAT(ofObjects("int c = i < m ? m : 0;\n"
                        "for (int j = 0; j < c; ++j)\n  s += v[A[i].n + j];"),
              IsEmpty());
}

//===-- Stores of objects -------------------------------------------------===//

TEST(RowObjects, PositiveStores) {
  for (const char *Value :
       {"Pixel{s, s * j, 1.0f}", "{s, s * j, 1.0f}", "Pixel()", "p"})
    EXPECT_THAT(ofObjects("Pixel p = {1, 2, 3};\n" + Usual +
                          "  out[i * m + j] = " + Value + ";"),
                ElementsAre("int j = 0; 0 to m by ++j writes Pixel "
                            "out[i * m + j]"))
        << Value;
  EXPECT_THAT(ofObjects("int at = i * m;\n" + Usual +
                        "{\n  Pixel p;\n  p.r = s;\n  p.g = p.b = j;\n"
                        "  out[at] = p;\n  ++at;\n}"),
              ElementsAre(HasSubstr("writes Pixel out[at]")));
  EXPECT_THAT(ofObjects("Pixel *p = out + i * m;\n" + Usual +
                        "  *p++ = Pixel{s, s, s};"),
              ElementsAre(HasSubstr("writes Pixel *p")));
}

TEST(RowObjects, PositiveCopies) {
  EXPECT_THAT(ofObjects(Usual + "  out[i * m + j] = in[i * m + j];"),
              ElementsAre("int j = 0; 0 to m by ++j reads Pixel in[i * m + j] "
                          "writes Pixel out[i * m + j]"));
}

TEST(RowObjects, NegativeStores) {
  auto Loops = [](const std::string &Body, const std::string &Pixel) {
    return ofObjects(Usual + "  " + Body, Pixel);
  };
  const std::string Store = "out[i * m + j] = ";
  for (const auto &[Body, Pixel] :
       std::vector<std::pair<std::string, std::string>>{
           {Store + "Pixel();", "float r; bool ok;"},     // padding
           {Store + "Pixel();", "short s; int i;"},       // in the middle
           {Store + "Pixel();", "int a : 3; int b : 9;"}, // bits
           {Store + "Pixel();", "float r[5];"},           // too large
           {Store + "Pixel();", "char r, g, b;"},         // no words
           {Store + "Pixel();", "struct { short s; int i; } x;"},
           {"out[i * m + j].r = s;", "float r, g, b;"}, // a part
           {"out[j * m + i] = Pixel();", "float r, g, b;"},
           {"if (s > j) " + Store + "Pixel();", "float r, g, b;"},
           {Store + "Pixel();",
            "float r; __device__ Pixel &operator=(const Pixel &p) { r = -p.r; "
            "return *this; }"}})
    for (const std::string &Loop : Loops(Body, Pixel))
      EXPECT_THAT(Loop, ::testing::AnyOf(HasSubstr("refused: "),
                                         ::testing::Not(HasSubstr("writes"))))
          << Body << " of " << Pixel;
  EXPECT_THAT(ofObjects(Usual + "{\n  Pixel p = out[i * m + j + 1];\n"
                                "  out[i * m + j] = p;\n}"),
              Each(HasSubstr("refused: ")));
}

} // namespace
} // namespace catt
