//===- EffectsTest.cpp - What a node of the syntax does to objects --------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each row is a statement and what it does to the locals x, y, a and s, node by
// node from the outside in. A name without an effect would be a hole: the last
// test counts them.
//
//===----------------------------------------------------------------------===//

#include "analysis/source/syntax/Effects.h"
#include "SourceTesting.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using namespace catt;
using namespace catt::testing;
using namespace clang;

namespace {

const char *spelling(Effect E) {
  switch (E) {
  case Effect::Read:
    return "reads";
  case Effect::Discard:
    return "discards";
  case Effect::Write:
    return "writes";
  case Effect::ReadWrite:
    return "changes";
  case Effect::BindConst:
    return "binds const";
  case Effect::Bind:
    return "binds";
  case Effect::TakeAddress:
    return "takes";
  case Effect::Capture:
    return "captures";
  case Effect::Unknown:
    return "unknown";
  }
  return "";
}

/// The effects on locals in a statement, and the names that have one.
struct Reader {
  std::vector<std::string> Effects;
  std::set<const DeclRefExpr *> Named, Reached;

  void designated(const Expr &Place, std::vector<std::string> &Out) {
    if (auto *D = dyn_cast<DeclRefExpr>(&Place)) {
      Reached.insert(D);
      if (D->getDecl()->getDeclContext()->isFunctionOrMethod())
        Out.push_back(D->getDecl()->getNameAsString());
    }
    for (const Expr *Operand : passesOn(Place))
      designated(*Operand, Out);
  }
  void read(const Stmt *S) {
    if (!S)
      return;
    for (const OperandEffect &E : effectsOf(*S)) {
      std::vector<std::string> Names;
      designated(*E.Place, Names);
      if (!Names.empty())
        Effects.push_back(std::string(spelling(E.What)) + " " +
                          llvm::join(Names, "|"));
    }
    auto *D = dyn_cast<DeclRefExpr>(S);
    if (D && isa<VarDecl>(D->getDecl()))
      Named.insert(D);
    if (auto *A = dyn_cast<ArraySubscriptExpr>(S); A && arrayOf(*A)) {
      read(arrayOf(*A));
      return read(A->getIdx());
    }
    for (const Stmt *Child : S->children())
      read(Child);
  }
};

struct Finder : RecursiveASTVisitor<Finder> {
  std::vector<const FunctionDecl *> Kernels;
  bool VisitFunctionDecl(FunctionDecl *F) {
    if (F->hasBody() && F->getNameAsString().front() == 'k')
      Kernels.push_back(F);
    return true;
  }
};

struct Row {
  const char *Statement;
  const char *Effects;
};

const Row Rows[] = {
    {"x = 1;", "discards x, writes x"},
    {"x = y;", "discards x, writes x, reads y"},
    {"x += y;", "discards x, changes x, reads y"},
    {"++x;", "discards x, changes x"},
    {"x--;", "changes x"},
    {"x;", "discards x"},
    {"(void)x;", "discards x"},
    {"x, y;", "discards y, discards x"},
    {"if (x) y = 1;", "discards y, reads x, writes y"},
    {"for (x = 0; x < 4; ++x) y++;",
     "discards x, discards x, writes x, reads x, changes x, changes y"},
    {"a[x] = y;", "discards a, writes a, reads x, reads y"},
    {"a[1]++;", "changes a"},
    {"s.f = s.b;", "discards s, writes s, reads s"},
    {"s.e[x] = 1;", "discards s, writes s, reads x"},
    {"(x ? x : y) = 1;", "discards x|y, writes x|y, reads x"},
    {"(x, y) = 1;", "discards y, writes y, discards x"},
    {"(x = 1) += 2;", "discards x, changes x, writes x"},
    // Copies of objects.
    {"s = q;", "discards s, writes s, reads q"},
    {"S t = s;", "reads s"},
    {"s = S{x, {y}};", "discards s, writes s, reads x, reads y"},
    // References and addresses.
    {"int &r = x;", "binds x"},
    {"const int &r = x;", "binds const x"},
    {"int &r = (x = 1);", "binds x, writes x"},
    {"auto &[f, e, b] = s;", "binds s"},
    {"int *p = &x;", "takes x"},
    {"int *p = &a[x];", "takes a, reads x"},
    {"int *p = a;", "takes a"},
    {"*a = 1;", "takes a"},
    {"R r{x};", "binds x"},
    {"C c(x);", "binds x"},
    {"D d(x);", "binds const x"},
    {"auto f = [&] { return x; };", "captures x, reads x"},
    {"auto f = [=] { return x; };", "reads x, reads x"},
    {"auto f = [&r = x] { return r; };", "captures x, reads r"},
    {"reinterpret_cast<float &>(x) = 1;", "unknown x"},
    // Calls.
    {"value(x);", "reads x"},
    {"change(x);", "binds x"},
    {"look(x);", "binds const x"},
    {"keep(&x);", "takes x"},
    {"s.get();", "binds const s"},
    {"s.set();", "binds s"},
    {"s + 1;", "binds const s"},
    {"s << 1;", "binds s"},
    {"s.shared();", "discards s"},
    {"void (*f)(int &) = change; f(x);", "binds x, reads f"},
    // What nobody has listed.
    {"asm(\"mov.u32 %0, 1;\" : \"=r\"(x));", "writes x"},
    {"asm(\"add.u32 %0, 1, 1;\" : \"+r\"(x) : \"r\"(y));",
     "changes x, reads y"},
    {"x ?: y;", "discards x|y, unknown x, reads x"},
    {"y = sizeof(x);", "discards y, writes y"},
};

const char *Before = R"(
struct S {
  int f, e[4], b;
  __device__ int get() const;
  __device__ void set();
  __device__ static int shared();
};
struct R { int &r; };
struct C { int &r; __device__ C(int &x) : r(x) {} };
struct D { int r; __device__ D(const int &x) : r(x) {} };
__device__ int operator+(const S &, int);
__device__ int operator<<(S &, int);
__device__ void value(int), change(int &), look(const int &), keep(int *);
)";

Parsed parseRows() {
  std::string Code = Before;
  for (size_t I = 0; I < std::size(Rows); ++I)
    Code += "__global__ void k" + std::to_string(I) +
            "() { int x = 0, y = 1, a[4]; S s, q; { " + Rows[I].Statement +
            " } }\n";
  return parseSnippet(Code, {"-std=c++17", "-Wno-everything"});
}

std::vector<Reader> readRows(const Parsed &P) {
  Finder F;
  F.TraverseDecl(P.Unit->ast().getTranslationUnitDecl());
  std::vector<Reader> Out(F.Kernels.size());
  for (size_t I = 0; I < Out.size(); ++I)
    Out[I].read(cast<CompoundStmt>(F.Kernels[I]->getBody())->body_back());
  return Out;
}

TEST(Effects, positiveEachNodeSaysWhatItDoes) {
  Parsed P = parseRows();
  std::vector<Reader> Found = readRows(P);
  ASSERT_EQ(Found.size(), std::size(Rows));
  for (size_t I = 0; I < Found.size(); ++I)
    EXPECT_EQ(llvm::join(Found[I].Effects, ", "), Rows[I].Effects)
        << Rows[I].Statement;
}

TEST(Effects, negativeNoNameIsWithoutAnEffect) {
  Parsed P = parseRows();
  for (const Reader &R : readRows(P))
    for (const DeclRefExpr *D : R.Named) {
      bool Evaluated = D->isNonOdrUse() != NOUR_Unevaluated;
      EXPECT_EQ(R.Reached.count(D) == 1, Evaluated)
          << D->getDecl()->getNameAsString();
    }
}

TEST(Effects, onlyReadAndMayModify) {
  const std::pair<const char *, bool> Bodies[] = {
      {"int y = x + 1; y = x; (void)(y & x);", true},
      {"x += 1;", false},
      {"int &r = x;", false},
      {"[&] { ++x; };", false},
      {"(x ? x : x) = 1;", false},
      {"int a[2]; a[x] = 1;", true},
  };
  std::string Code;
  for (auto &[Body, Reads] : Bodies)
    Code += "namespace n { __global__ void k() { int x = 0; {" +
            std::string(Body) + "} }\n";
  Code += std::string(std::size(Bodies), '}');
  Parsed P = parseSnippet(Code, {"-Wno-everything"});
  Finder F;
  F.TraverseDecl(P.Unit->ast().getTranslationUnitDecl());
  ASSERT_EQ(F.Kernels.size(), std::size(Bodies));
  for (size_t I = 0; I < std::size(Bodies); ++I) {
    auto *Body = cast<CompoundStmt>(F.Kernels[I]->getBody());
    auto *First = cast<DeclStmt>(Body->body_front());
    auto &V = *cast<VarDecl>(*First->decl_begin());
    EXPECT_EQ(isOnlyRead(V, Body), Bodies[I].second) << Bodies[I].first;
    EXPECT_EQ(mayModify(Body, V), !Bodies[I].second) << Bodies[I].first;
  }
}

TEST(Effects, positiveAConstReferenceIsNoReadAndModifiesNothing) {
  Parsed P = parseSnippet("__device__ void look(const int &);"
                          "__global__ void k() { int x = 0; look(x); }");
  Finder F;
  F.TraverseDecl(P.Unit->ast().getTranslationUnitDecl());
  auto *Body = cast<CompoundStmt>(F.Kernels.front()->getBody());
  auto &V = *cast<VarDecl>(*cast<DeclStmt>(Body->body_front())->decl_begin());
  EXPECT_FALSE(isOnlyRead(V, Body));
  EXPECT_FALSE(mayModify(Body, V));
}

} // namespace
