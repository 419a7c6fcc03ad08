//===- AccessorsTest.cpp - Functions that lead to elements ----------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/syntax/Accessors.h"
#include "SourceTesting.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace catt {
namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

//===-- The functions -----------------------------------------------------===//

/// "element" or "index", of the function f.
std::string kind(const std::string &Code) {
  const Parsed P = parseSnippet(Code);
  std::string Out;
  std::function<void(const clang::DeclContext &)> Look =
      [&](const clang::DeclContext &In) {
        for (const clang::Decl *D : In.decls()) {
          auto *F = llvm::dyn_cast<clang::FunctionDecl>(D);
          if (F && F->getNameAsString() == "f")
            Out = isAccessor(*F)        ? "element"
                  : isIndexFunction(*F) ? "index"
                                        : "none";
          if (auto *C = llvm::dyn_cast<clang::CXXRecordDecl>(D))
            Look(*C);
        }
      };
  Look(*P.Unit->ast().getTranslationUnitDecl());
  return Out;
}

std::string ofMember(const std::string &Function) {
  return kind("struct P { float x; };\nextern __device__ int total;\n"
              "__device__ int g(int i);\n"
              "struct M { float *d; P p; int c; float inside[4]; int *where;\n"
              "  volatile int v; int &r;\n  __device__ " +
              Function + " };\n");
}

TEST(Accessors, PositiveElements) {
  for (const char *Function :
       {"float &f(int i, int j) { return d[i * c + j]; }",
        "const float &f(int i) const { return *(d + i); }",
        "float &f() { return *d; }", "float &f(size_t i) { return (d)[+i]; }",
        "float f(int i) { return d[i]; }", "float f() const { return *d; }",
        "int f(int i) const { return where[i]; }",
        "float f(const M &m, int i) { return m.d[i]; }",
        "float &f(long i) { return d[(int)i - 1]; }"})
    EXPECT_EQ(ofMember(Function), "element") << Function;
  EXPECT_EQ(kind("__device__ float &f(float *p, int i) { return p[i]; }"),
            "element");
  EXPECT_EQ(kind("struct V { float *d; int n; };\n"
                 "__device__ float &f(V v, int i) { return v.d[v.n * i]; }"),
            "element");
}

TEST(Accessors, NegativeElements) {
  for (const char *Function :
       {"float &f(int i) { return inside[i]; }",    // a part of the object
        "float f(int i) { return inside[i]; }",     //
        "double f(int i) { return d[i]; }",         // converts it
        "float f(int i) { return d[i] + 1; }",      // computes
        "P *f(int i) { return (P *)&d[i]; }",       // loads nothing
        "float &f() { return *inside; }",           //
        "float &f() { return p.x; }",               //
        "float &f(int i) { return d[where[i]]; }",  // loads
        "float &f(int i) { return d[i / c]; }",     // divides
        "float &f(int i) { return d[g(i)]; }",      // who knows
        "float &f(int i) { return d[i += c]; }",    // changes something
        "float &f(int i) { return d[c++ + i]; }",   //
        "float &f(int i) { return d[total + i]; }", // may be changed
        "float &f(int i) { return d[v + i]; }",     //
        "float &f(int i) { return d[r + i]; }",     //
        "float &f(const int &i) { return d[i]; }",  //
        "float f(M &m, int i) { return m.d[i]; }",  //
        "virtual float &f(int i) { return d[i]; }", // may be another
        "float &f(int i) { ++c; return d[i]; }",    // does more
        "float &f(int i) { if (i < 0) asm(\"trap;\"); return d[i]; }",
        "float &f(int i) { return i < c ? d[i] : *d; }",
        "float &f(int i);"})
    EXPECT_EQ(ofMember(Function), "none") << Function;
}

TEST(Accessors, PositiveIndices) {
  for (const char *Function :
       {"int f() const { return c; }",
        "int f(int i, int j) { return i * c + j; }",
        "size_t f(size_t i) { return (i + 1) * -c - 2; }"})
    EXPECT_EQ(ofMember(Function), "index") << Function;
  EXPECT_EQ(kind("template <int N> struct M { int f(int i) { return i * N; } };"
                 "\ntemplate struct M<4>;"),
            "index");
}

TEST(Accessors, NegativeIndices) {
  for (const char *Function :
       {"float f(int i) { return i; }", "int f(int i) { return where[i] + 1; }",
        "int f(int i) { return i % c; }", "int f(int i) { return i << 2; }",
        "int f(int &i) { return i; }", "void f(int i) {}",
        "int f(int i) { int j = i; return j; }"})
    EXPECT_EQ(ofMember(Function), "none") << Function;
}

//===-- Rows that they lead to --------------------------------------------===//

/// "A(i, j)", for each row that can be read in tiles.
std::vector<std::string> rows(const std::string &Loop,
                              const std::string &Members = "") {
  const Parsed P = parseSnippet(
      "struct Mat {\n  float *d;\n  int c;\n"
      "  __device__ float &operator()(int i, int j) const {\n"
      "    return d[i * c + j];\n  }\n"
      "  __device__ int columns() const { return c; }\n" +
      Members +
      "};\n"
      "__device__ int at(int i, int j, int m) { return i * m + j; }\n"
      "__global__ void k(Mat A, Mat B, float *y, int n, int m) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  float s = 0;\n" +
      Loop + "\n  y[i] = s;\n}\n");
  std::vector<std::string> Out;
  for (const RowLoop &Rows : P.kernel().RowLoops)
    for (const RowRead &Read : Rows.Reads)
      if (Rows.Refusals.empty())
        Out.push_back(Read.Text +
                      (Read.Halo ? " +" + std::to_string(Read.Halo) : "") +
                      (Read.Why ? " refused" : ""));
  return Out;
}

const std::string Usual = "for (int j = 0; j < m; ++j)\n";

TEST(Accessors, PositiveRows) {
  EXPECT_THAT(rows(Usual + "s += A(i, j);"), ElementsAre("A(i, j)"));
  EXPECT_THAT(rows(Usual + "s += A(i, j) - A(i, j + 1);"),
              ElementsAre("A(i, j) +1"));
  EXPECT_THAT(rows(Usual + "s += A(i, j) - A(i + 1, j);"),
              ElementsAre("A(i, j)", "A(i + 1, j)"));
  EXPECT_THAT(rows(Usual + "s += A(i, j) - B(i, j);"),
              ElementsAre("A(i, j)", "B(i, j)"));
  EXPECT_THAT(rows("for (int j = 0; j < A.columns(); ++j)\ns += A(i, j);"),
              ElementsAre("A(i, j)"));
  EXPECT_THAT(rows(Usual + "s += y[at(i, j, m)];"),
              ElementsAre("y[at(i, j, m)]"));
  EXPECT_THAT(rows("Mat C{y + i * m, 0};\n" + Usual + "s += C(0, j);"),
              ElementsAre("C(0, j)"));
  EXPECT_THAT(rows(Usual + "s += A.row(i)(0, j);",
                   "__device__ Mat row(int i) { return {d + i * c, c}; }\n"),
              IsEmpty()); // of an object that has no name
}

TEST(Accessors, PositiveRowsOfFunctionsThatAreNotConst) {
  const std::string Member =
      "__device__ float &e(int i, int j) { return d[i * c + j]; }\n";
  EXPECT_THAT(rows(Usual + "s += A.e(i, j);", Member),
              ElementsAre("A.e(i, j)"));
  EXPECT_THAT(rows("for (int j = 0; j < A.c; ++j)\ns += A.e(i, j);", Member),
              ElementsAre("A.e(i, j)"));
}

TEST(Accessors, NegativeRows) {
  for (const char *Body : {
           "s += A(j, i);",               // no row
           "s += A(i, j * j);",           // no steps alike
           "s += A(j, j);",               // moves by more
           "s += A(i, j); A.c += 1;",     // another row then
           "s += A(i, j); A = B;",        //
           "s += A(i, j); i += 1;",       //
           "if (s > 3) s += A(i, j);",    // perhaps not
           "s += y[at(j, i, m)];",        // no row
           "s += y[at(i, i, j)];",        //
           "s += (&A)->operator()(i, j);" // through a pointer
       })
    EXPECT_THAT(rows(Usual + "{ " + Body + " }"), IsEmpty()) << Body;
}

//===-- Rows that they load -----------------------------------------------===//

const std::string Load =
    "__device__ float load(int i, int j) const { return d[i * c + j]; }\n";

/// With functions of file scope beside them.
std::vector<std::string> rowsOf(const std::string &Functions,
                                const std::string &Body,
                                const std::string &Before = "") {
  const Parsed P = parseSnippet(
      "struct Mat { float *d; int c; };\n" + Functions +
      "\n__global__ void k(Mat M, const float *A, float *y, unsigned u, int m) "
      "{\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  float s = 0;\n" +
      Before + Usual + Body + "\n  y[i] = s;\n}\n");
  std::vector<std::string> Out;
  for (const RowLoop &Rows : P.kernel().RowLoops)
    for (const RowRead &Read : Rows.Reads)
      if (Rows.Refusals.empty())
        Out.push_back(Read.Text + (Read.Why ? " refused" : ""));
  return Out;
}

TEST(Accessors, PositiveRowsByValue) {
  EXPECT_THAT(rows(Usual + "s += A.load(i, j);", Load),
              ElementsAre("A.d[i * A.c + j]"));
  EXPECT_THAT(rows(Usual + "s += A.load(i + 1, j) - B.load(0, j);", Load),
              ElementsAre("A.d[(i + 1) * A.c + j]", "B.d[0 * B.c + j]"));
  EXPECT_THAT(rows(Usual + "s += A.load(i, j) - A.load(i, j + 1);", Load),
              ElementsAre("A.d[i * A.c + j] +1"));
  EXPECT_THAT(rows(Usual + "{ s += A.load(i, j); y[j] = 3; }", Load),
              ElementsAre("A.d[i * A.c + j]", "y[j] refused"));
}

TEST(Accessors, PositiveTextsOfTheCaller) {
  const std::string Get =
      "__device__ float get(const float *p, int r, int c, int n) {\n"
      "  return p[r * n + c];\n}";
  EXPECT_THAT(rowsOf(Get, "s += get(A, i, j, m);"),
              ElementsAre("A[i * m + j]"));
  EXPECT_THAT(rowsOf(Get, "s += get(A + 4, i, j - 1, m + 2);"),
              ElementsAre("(A + 4)[i * (m + 2) + (j - 1)]"));
  EXPECT_THAT(rowsOf(Get, "s += get(A, u, j, m);"),
              ElementsAre("A[(int)u * m + j]")); // as the parameter is
  EXPECT_THAT(
      rowsOf("__device__ float get(const float *p, size_t r, size_t n) {\n"
             "  return *(p + (r - 2) * n + 1);\n}",
             "s += get(A, j, 1);"),
      ElementsAre("*(A + ((size_t)j - 2) * (size_t)1 + 1)"));
  EXPECT_THAT(rowsOf("__device__ float get(const float *p, unsigned r, "
                     "unsigned c) { return p[c + (r - 2) + 3 * (r * 4)]; }",
                     "s += get(A, u, unsigned(j));"),
              ElementsAre("A[(unsigned(j)) + (u - 2) + 3 * (u * 4)]"));
  EXPECT_THAT(rowsOf("__device__ float get(const Mat &m, int r, int c) {\n"
                     "  return m.d[r * m.c + c];\n}",
                     "s += get(M, i, j);"),
              ElementsAre("M.d[i * M.c + j]"));
  EXPECT_THAT(rowsOf("__device__ float get(Mat m, int r, int c) {\n"
                     "  return m.d[r * m.c + c];\n}",
                     "s += get(M, i, j);"),
              ElementsAre("M.d[i * M.c + j]"));
}

TEST(Accessors, PositiveLambdas) {
  EXPECT_THAT(rowsOf("", "s += at(j);",
                     "auto at = [&](int c) { return A[i * m + c]; };"),
              ElementsAre("A[i * m + j]"));
  EXPECT_THAT(rowsOf("", "s += at(j);",
                     "auto at = [=](int c) { return A[i * m + c]; };"),
              ElementsAre("A[i * m + j]"));
}

TEST(Accessors, NegativeLambdas) {
  for (const char *Lambda :
       {"auto at = [&](int c) { return A[i * m + c]; }; ++i;",
        "auto at = [&](int c) { return A[i * m + c]; }; int *q = &m;",
        "auto at = [=](int c) mutable { return A[i++ * m + c]; };",
        "auto at = [&](int c) { s += 1; return A[i * m + c]; };",
        "auto at = [p = A](int c) { return p[c]; };",
        "const float *p = y; auto at = [p = A](int c) { return p[c]; };",
        "auto at = [&](auto c) { return A[i * m + c]; };",
        "auto at = [&](int c) { return A[i * m + c]; }; { int A = 0; }"})
    EXPECT_THAT(rowsOf("", "s += at(j);", Lambda), IsEmpty()) << Lambda;
}

TEST(Accessors, NegativeLambdasOfAnotherFunction) {
  const Parsed P = parseSnippet(
      "template <class F>\n"
      "__device__ float sum(F at, const float *A, int i, int m) {\n"
      "  float s = 0;\n  for (int j = 0; j < m; ++j)\n    s += at(j);\n"
      "  return s;\n}\n"
      "__global__ void k(const float *A, float *y, int m) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  auto at = [&](int c) { return A[i * m + c]; };\n"
      "  y[i] = sum(at, y, 3, m);\n}\n");
  for (const RowLoop &Rows : P.kernel().RowLoops)
    EXPECT_THAT(Rows.Reads, IsEmpty());
}

TEST(Accessors, NegativeRowsByValue) {
  // Not the caller's to name.
  EXPECT_THAT(rows(Usual + "s += A.load(i, j);",
                   Load + "private: float *e; public: __device__ float &f() { "
                          "return *e; }"),
              ElementsAre("A.d[i * A.c + j]"));
  EXPECT_THAT(rows(Usual + "s += A.hidden(i, j);",
                   "__device__ float hidden(int i, int j) const { return e[i * "
                   "c + j]; }\nprivate: float *e;\n"),
              IsEmpty());
  // Other in each instantiation.
  EXPECT_THAT(
      rowsOf("template <int N> __device__ float get(const float *p, int "
             "r, int c) { return p[r * N + c]; }",
             "s += get<64>(A, i, j);"),
      IsEmpty());
  EXPECT_THAT(
      rowsOf("template <class T> __device__ float get(const float *p, T "
             "r, T c, T n) { return p[r * n + c]; }",
             "s += get<long>(A, i, j, m);"),
      IsEmpty());
  // Another element with the next iteration, or none.
  EXPECT_THAT(rowsOf("__device__ float get(const float *p, int c) { return p[2 "
                     "* c]; }",
                     "s += get(A, j);"),
              IsEmpty());
  EXPECT_THAT(
      rowsOf("__device__ float get(const float *p, int c) { return p[c]; "
             "}",
             "s += get(A, j++);"),
      IsEmpty());
  // The caller's variable may be a product that is not in memory.
  EXPECT_THAT(rowsOf("__device__ float get(const float *p) { return *p; }",
                     "{ float t = s * s; s += get(&t) + A[j]; }"),
              IsEmpty());
}

TEST(Accessors, PositiveStoresBesideRows) { // compared at run time
  EXPECT_THAT(rows(Usual + "{ s += A(i, j); B(i, j) = 3; }"),
              ElementsAre("A(i, j)", "B(i, j)"));
  EXPECT_THAT(rows(Usual + "{ s += A(i, j); y[j] = 3; }"),
              ElementsAre("A(i, j)", "y[j]"));
  EXPECT_THAT(rows(Usual + "B(i, j) *= 3;"), ElementsAre("B(i, j)"));
}

TEST(Accessors, NegativeStoresBesideRows) {
  // Nobody can say before the loop where they go.
  EXPECT_THAT(rows(Usual + "{ s += A(i, j); B(i, (int)y[j]) = 3; }"),
              Contains("A(i, j) refused"));
  EXPECT_THAT(rows(Usual + "{ s += A(i, j); B(j, j * i) = 3; }"),
              Contains("A(i, j) refused"));
  EXPECT_THAT(rows(Usual + "{ s += A(i, j); A.c += 1; B(i, j) = 3; }"),
              Each(::testing::HasSubstr("refused")));
}

TEST(Accessors, RowsOfFunctionsThatCallFunctions) {
  auto Of = [](const std::string &Row, const std::string &Element) {
    return kind("struct M { float *d; float **rows; int c;\n"
                "  __device__ int first(int i) const { return i * c; }\n"
                "  __device__ float *row(int i) const { " +
                Row + " }\n  __device__ float &f(int i, int j) const { " +
                Element + " }\n};\n");
  };
  EXPECT_EQ(Of("return d + i * c;", "return row(i)[j];"), "element");
  EXPECT_EQ(Of("return d + first(i);", "return *(row(i) + j);"), "element");
  EXPECT_EQ(Of("return rows[i];", "return row(i)[j];"), "none");
  EXPECT_EQ(Of("return row(i - 1);", "return row(i)[j];"), "none");
  EXPECT_EQ(Of("return d + i++ * c;", "return row(i)[j];"), "none");
  EXPECT_EQ(Of("return d + i;", "return row(int(d[i]))[j];"), "none");
  EXPECT_EQ(Of("if (i) return d; return d + c;", "return row(i)[j];"), "none");
}

/// Which would ask, of what the lambda captures, about the call itself.
TEST(Accessors, NegativeLambdasThatAreMembers) {
  EXPECT_THAT(rowsOf("template <class F> struct L { F f; __device__ int run() "
                     "const { return f(); } };\n"
                     "template <class F> __device__ float get(const float *p, "
                     "const L<F> &l, int c) { return p[l.f() + c]; }",
                     "s += get(A, k, j) + A[k.run() + j];",
                     "int v = i; auto l = [=] { return v; }; L<decltype(l)> "
                     "k{l};"),
              IsEmpty());
}

} // namespace
} // namespace catt
