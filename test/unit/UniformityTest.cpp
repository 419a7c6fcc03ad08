//===- UniformityTest.cpp - What all threads of a block do together -------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each line is a kernel's body, of which the last branch or loop is asked: do
// all threads that reach it go the same way?
//
//===----------------------------------------------------------------------===//

#include "analysis/source/safety/Uniformity.h"
#include "SourceTesting.h"
#include "clang/AST/RecursiveASTVisitor.h"

using namespace catt;
using namespace catt::testing;
using namespace clang;

namespace {

/// Finds the function k.
struct Finder : RecursiveASTVisitor<Finder> {
  const FunctionDecl *Kernel = nullptr;
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool VisitFunctionDecl(FunctionDecl *F) {
    if (F->getNameAsString() == "k" && F->hasBody() && !F->isDependentContext())
      Kernel = F;
    return true;
  }
};

struct Row {
  const char *Body;
  const char *Before = "";
};

const Row Uniform[] = {
    // What kernels do.
    {"if (n > 3) A[i] = 0;"},
    {"if (u < n) A[i] = 0;"},
    {"if (blockIdx.y == gridDim.y - 1 && blockDim.x > 32) A[i] = 0;"},
    {"if (warpSize == 32) A[i] = 0;"},
    {"for (int t = 0; t < n; ++t) A[i] += t;"},
    {"for (int t = 0, e = n / 16; t < e; t += 2, --e) A[i] += t;"},
    {"for (int s = blockDim.x / 2; s > 0; s >>= 1) A[i] += s;"},
    {"int t = 0; while (t < n) { A[i] += t; t++; }"},
    {"int t = n; do { A[i] += t; } while (--t > 0);"},
    {"int t = n; while (t--) A[i] = 0;"},
    {"int t = u; if (n > 1) t = 7; if (t > 3) A[i] = 0;"},
    {"int t = n > 1 ? u : m; if (t > 3) A[i] = 0;"},
    {"float x = n; x *= 0.5f; if (x > 1) A[i] = 0;"},
    {"if (min(n, m) > 3) A[i] = 0;"},
    {"if (max(0, u) > 3 && sqrtf(n) < 3.0f && abs(m) > 1) A[i] = 0;"},
    {"bool b = n > 3; if (!b) A[i] = 0;"},
    {"int a[4]; a[0] = n; a[u] = 1; if (a[n] > 3) A[i] = 0;"},
    {"int a[2] = {n, m}; if (a[1] > 3) A[i] = 0;"},
    {"for (int t = 0; t < n; ++t) { if (t == m) break; A[i] += t; }"},
    {"for (int t = 0; t < n; ++t) { if (A[i] > 0) return; A[i] += t; }"},
    {"for (int t = 0; t < n; ++t) for (int s = i; s < n; ++s) { if (s) break; "
     "}"},
    {"int v = 0; for (int t = 0; t < n; ++t) { v += t; } if (v) A[i] = 0;"},
    {"switch (n) { case 1: u = 4; break; default: u = 2; } if (u) A[i] = 0;"},
    // Memory that does not change.
    {"if (R[u] > 3) A[i] = 0;"},
    {"for (int t = R[u]; t < R[u + 1]; ++t) A[i] += t;"},
    {"if (C[n] > 3) A[i] = 0;", "__constant__ int C[4];"},
    {"if (C > 3) A[i] = 0;", "constexpr int C = 4;"},
    {"if (c.x[n] > 3) A[i] = 0;", "struct S { int x[4]; }; __constant__ S c;"},
    {"if (C[n] > 3) A[i] = 0;", "__device__ const int C[2] = {1, 2};"},
    // Functions that are seen to compute.
    {"if (up(n) > 3) A[i] = 0;",
     "__device__ int up(int n, int m = 32) { return (n + m - 1) / m * m; }"},
    {"if (log(n) > 3) A[i] = 0;",
     "namespace my { __device__ int log(int n) { int l = 0; while (n >>= 1) "
     "++l; return l; } } using my::log;"},
    {"if (sum(n) > 3) A[i] = 0;",
     "__device__ int sum(int n) { int a[3] = {n, 2, 3}, s = 0; for (int i = 0; "
     "i < 3; ++i) { if (a[i] == n) continue; s += a[i]; } return s; }"},
    {"if (least(n, u) > 3) A[i] = 0;",
     "template <class T> __device__ const T &least(const T &a, const T &b) { "
     "return b < a ? b : a; }"},
    {"if (area(blockDim) > 3) A[i] = 0;",
     "__device__ int area(dim3 d) { return d.x * d.y; }"},
    {"if (first() > 3) A[i] = 0;",
     "__device__ int first() { return blockIdx.x * blockDim.x; }"},
    // Objects.
    {"dim3 d(n, 2); if (d.x > 3 && d.z) A[i] = 0;"},
    {"Span s(n); if (s.size() > 3) A[i] = 0;",
     "struct Span { int b, e = 9; __device__ Span(int n) : b(n) {} __device__ "
     "int size() const { return e - b; } };"},
    {"Span s{n, m}; Span t = s; t.b += 1; if (t.b > 3) A[i] = 0;",
     "struct Span { int b, e; };"},
    {"Span s; s = Span{n, m}; if (s.b > 3) A[i] = 0;",
     "struct Span { int b, e; };"},
    {"if (Span(n).b > 3) A[i] = 0;",
     "struct Span { int b; __device__ Span(int n) { b = n; } };"},
    {"auto [b, e] = make(n); if (b < e) A[i] = 0;",
     "struct Span { int b, e; }; __device__ Span make(int n) { return {n, n + "
     "1}; }"},
    {"if (int v = n - 3) A[i] = v;"},
    {"if (int v = n - 3; v > u) A[i] = v;"},
    {"while (int more = n - u) { ++u; A[i] = more; }"},
    {"auto f = [=](int x) { A[x] = n; }; f(i); if (n > 3) A[i] = 0;"},
    {"if constexpr (sizeof(int) == 4) A[i] = 0;"},
    {"(void)u; if (u > sizeof(u)) A[i] = 0;"},
    {"#define ROWS (n / 2)\nif (ROWS > 3) A[i] = 0;"},
};

const Row Divergent[] = {
    // Where threads come from.
    {"if (threadIdx.x < 3) A[i] = 0;"},
    {"if (i < n) A[i] = 0;"},
    {"for (int t = threadIdx.x; t < n; ++t) A[i] += t;"},
    {"for (int t = 0; t < n; t += threadIdx.y + 1) A[i] += t;"},
    {"int t = clock(); if (t > 3) A[i] = 0;"},
    {"unsigned t; asm(\"mov.u32 %0, %%tid.x;\" : \"=r\"(t)); if (t) A[i] = "
     "0;"},
    {"int t = u; asm(\"mov.u32 %0, %%laneid;\" : \"+r\"(t)); if (t) A[i] = "
     "0;"},
    {"if (__shfl_sync(~0u, n, 1) > 3) A[i] = 0;"},
    {"if (__ballot_sync(~0u, n > 3)) A[i] = 0;"},
    {"if (__activemask() == ~0u) A[i] = 0;"},
    {"if (atomicAdd(lock, 1) == 0) A[i] = 0;"},
    {"if (__nvvm_read_ptx_sreg_tid_x() > 3) A[i] = 0;"},
    {"dim3 d = threadIdx; if (d.x > 3) A[i] = 0;"},
    {"#define blockIdx threadIdx\nif (blockIdx.x > 3) A[i] = 0;"},
    {"struct { int x; } blockIdx = {i}; if (blockIdx.x > 3) A[i] = 0;"},
    {"auto [blockDim, y] = P{i, 0}; if (blockDim > 3) A[i] = 0;",
     "struct P { int x, y; };"},
    {"if (my::blockIdx > 3) A[i] = 0;",
     "namespace my { __device__ int blockIdx; }"},
    // Memory.
    {"if (lock[0] > 3) A[i] = 0;"},
    {"if (*lock > 3) A[i] = 0;"},
    {"if (B[0] > 3) A[i] = 0;"},
    {"if (flag[0] > 3) A[i] = 0;"},
    {"if (R[i] > 3) A[i] = 0;"},
    {"R += i; if (R[0] > 3) A[i] = 0;"},
    {"R = lock; if (R[0] > 3) A[i] = 0;"},
    {"const int *r = R; if (r[0] > 3) A[i] = 0;"},
    {"const int *__restrict__ *p = &R; *p += i; if (R[0] > 3) A[i] = 0;"},
    {"__shared__ int s; s = n; if (s > 3) A[i] = 0;"},
    {"extern __shared__ int d[]; if (d[0] > 3) A[i] = 0;"},
    {"if (g > 3) A[i] = 0;", "__device__ int g;"},
    {"if (g > 3) A[i] = 0;", "__device__ const volatile int g = 4;"},
    {"if (*g > 3) A[i] = 0;", "__constant__ int *g;"},
    {"if (g[u] > 3) A[i] = 0;", "__constant__ int *g;"},
    {"if (S::g > 3) A[i] = 0;", "struct S { static __device__ int g; };"},
    {"if (s.g > 3) A[i] = 0;",
     "struct S { mutable int g; }; __device__ const S s = {1};"},
    {"volatile int v = n; if (v > 3) A[i] = 0;"},
    {"V v{n}; if (v.x > 3) A[i] = 0;", "struct V { volatile int x; };"},
    {"if (__ldg(B) > 3) A[i] = 0;"},
    {"if (\"abc\"[i] > 3) A[i] = 0;"},
    // Assignments.
    {"int v = u; if (i > 3) v = 7; if (v > 3) A[i] = 0;"},
    {"int v = u; i > 3 ? v = 7 : v = 8; if (v > 3) A[i] = 0;"},
    {"int v = u; i > 3 && (v = 7); if (v > 3) A[i] = 0;"},
    {"int v = u; i > 3 || ++v; if (v > 3) A[i] = 0;"},
    {"int v = u; v += i; if (v > 3) A[i] = 0;"},
    {"int w = u, v = u; (w > 3 ? v : w) = i; if (v > 3) A[i] = 0;"},
    {"int v = u; (v = u) = i; if (v > 3) A[i] = 0;"},
    {"int v = u; (n, v) = i; if (v > 3) A[i] = 0;"},
    {"int v = u; ++v += i; if (v > 3) A[i] = 0;"},
    {"int v = u; int &r = v; r = i; if (v > 3) A[i] = 0;"},
    {"int v = u; int &r = v, &s = r; s = i; if (s > 3) A[i] = 0;"},
    {"int v = u; auto &&r = v; r = i; if (v > 3) A[i] = 0;"},
    {"int v = u; int *p = &v; *p = i; if (v > 3) A[i] = 0;"},
    {"int a[2] = {u, u}; int *p = a; p[1] = i; if (a[1] > 3) A[i] = 0;"},
    {"int a[2] = {u, u}; *a = i; if (a[0] > 3) A[i] = 0;"},
    {"int a[4] = {}; a[i & 3] = 1; if (a[1]) A[i] = 0;"},
    {"int a[4] = {}; 1[a] = i; if (a[1]) A[i] = 0;"},
    {"int a[4] = {1, 2}; if (a[i & 3] > 1) A[i] = 0;"},
    {"int v = u; set(v); if (v > 3) A[i] = 0;",
     "__device__ void set(int &v) { v = threadIdx.x; }"},
    {"int v = u; set(&v); if (v > 3) A[i] = 0;",
     "__device__ void set(int *v) { *v = threadIdx.x; }"},
    {"int v = u; set(v); if (v > 3) A[i] = 0;",
     "__device__ void set(const int &v) { const_cast<int &>(v) = threadIdx.x; "
     "}"},
    {"int v = u; const_cast<int &>(id(v)) = i; if (v > 3) A[i] = 0;",
     "__device__ const int &id(const int &v) { return v; }"},
    {"int v = u; [&] { v = i; }(); if (v > 3) A[i] = 0;"},
    {"int v = u; [&v](auto x) { v = x; }(i); if (v > 3) A[i] = 0;"},
    {"int v = u; [&](auto x) { v = x; }(i); if (v > 3) A[i] = 0;"},
    {"int v = u; [&r = v] { r = threadIdx.x; }(); if (v > 3) A[i] = 0;"},
    {"auto f = [v = i] { return v; }; if (f() > 3) A[i] = 0;"},
    {"U v; v.f = 0; v.i = i; if (v.f > 3) A[i] = 0;",
     "union U { int i; float f; };"},
    {"float v = u; *reinterpret_cast<int *>(&v) = i; if (v > 3) A[i] = 0;"},
    {"float v = u; reinterpret_cast<int &>(v) = i; if (v > 3) A[i] = 0;"},
    {"F v{1, 2}; v.b = i; if (v.a > 3) A[i] = 0;",
     "struct F { int a : 4, b : 4; };"},
    {"P v{u, u}; int P::*p = &P::x; v.*p = i; if (v.x > 3) A[i] = 0;",
     "struct P { int x, y; };"},
    {"P v{u, u}; v = P{i, u}; if (v.x > 3) A[i] = 0;",
     "struct P { int x, y; };"},
    {"P v{u, u}; auto &[x, y] = v; x = i; if (v.x > 3) A[i] = 0;",
     "struct P { int x, y; };"},
    {"P v{u, u}; auto [x, y] = v; x = i; if (x > 3) A[i] = 0;",
     "struct P { int x, y; };"},
    {"P v{u, u}; new (&v) P{i, i}; if (v.x > 3) A[i] = 0;",
     "struct P { int x, y; };"},
    {"R_ v{u}; v.r = i; if (u > 3) A[i] = 0;", "struct R_ { int &r; };"},
    {"int a[2] = {u, u}; for (int &x : a) x = i; if (a[0]) A[i] = 0;"},
    // Objects and calls.
    {"Row r; if (r.i < n) A[i] = 0;",
     "struct Row { int i; __device__ Row() : i(threadIdx.x) {} };"},
    {"Row r; if (r.i < n) A[i] = 0;", "struct Row { int i = threadIdx.x; };"},
    {"Row r{}; if (r.i < n) A[i] = 0;", "struct Row { int i = threadIdx.x; };"},
    {"Row r; if (r.i < n) A[i] = 0;", "struct Base { int i; __device__ Base() "
                                      "{ i = threadIdx.x; } }; struct Row "
                                      ": Base {};"},
    {"Row r(n); Row s = r; if (s.i < n) A[i] = 0;",
     "struct Row { int i; __device__ Row(int n) : i(n) {} __device__ Row(const "
     "Row &) : i(threadIdx.x) {} };"},
    {"Row r(n); r.go(); if (r.i < n) A[i] = 0;",
     "struct Row { int i; __device__ Row(int n) : i(n) {} __device__ void go() "
     "{ i = threadIdx.x; } };"},
    {"Row r{n}; r += 3; if (r.i < n) A[i] = 0;",
     "struct Row { int i; __device__ void operator+=(int) { i = threadIdx.x; } "
     "};"},
    {"Row r{n}; if (r) A[i] = 0;",
     "struct Row { int i; __device__ operator bool() const { return "
     "threadIdx.x; } };"},
    {"if (Row{n} < 3) A[i] = 0;",
     "struct Row { int i; }; __device__ bool operator<(Row, int) { return "
     "threadIdx.x; }"},
    {"Row r{n}; if (r() > 3) A[i] = 0;",
     "struct Row { int i; __device__ int operator()() const { return "
     "threadIdx.x; } };"},
    {"if (3_t > 3) A[i] = 0;",
     "__device__ int operator\"\"_t(unsigned long long) { return threadIdx.x; "
     "}"},
    {"auto [row, col] = coords(); if (row < n) A[i] = 0;",
     "struct P { int x, y; }; __device__ P coords() { return "
     "{(int)threadIdx.x, "
     "0}; }"},
    {"if (gid() < n) A[i] = 0;",
     "__device__ int gid(int t = threadIdx.x) { return t; }"},
    {"if (gid() < n) A[i] = 0;",
     "struct T { int i; __device__ T() : i(threadIdx.x) {} }; __device__ int "
     "gid() { return T().i; }"},
    {"if (gid() < n) A[i] = 0;",
     "__device__ int gid() { return []{ return threadIdx.x; }(); }"},
    {"if (gid(n) < n) A[i] = 0;",
     "__device__ int gid(int n) { asm(\"mov.u32 %0, %%tid.x;\" : \"=r\"(n)); "
     "return n; }"},
    {"if (gid(A) < n) A[i] = 0;",
     "__device__ int gid(const float *p) { return *p; }"},
    {"if (gid() < n) A[i] = 0;",
     "__device__ int s; __device__ int gid() { return s; }"},
    {"if (gid() < n) A[i] = 0;",
     "__device__ int gid() { __shared__ int s; return s; }"},
    {"if (gid(n) < n) A[i] = 0;", "__device__ int gid(int n);"},
    {"if (gid(n) < n) A[i] = 0;",
     "__device__ int gid(int n) { return n ? gid(n - 1) : 0; }"},
    {"if (sqrtf(n, 1) < n) A[i] = 0;",
     "__device__ int sqrtf(int, int) { return threadIdx.x; }"},
    {"if (my::max(n, 1) < n) A[i] = 0;",
     "namespace my { __device__ int max(int, int); }"},
    {"int (*f)(int) = g; if (f(n) < n) A[i] = 0;",
     "__device__ int g(int n) { return n; }"},
    {"V v; if (v.f() < n) A[i] = 0;",
     "struct V { __device__ virtual int f() const { return 1; } };"},
    {"if (weak(n) < n) A[i] = 0;",
     "__attribute__((weak)) __device__ int weak(int n) { return n; }"},
    {"if (gid<int>() < n) A[i] = 0;",
     "template <class T> __device__ T gid() { return threadIdx.x; }"},
    {"D d{u}; if (d.i > 3) A[i] = 0;",
     "struct D { int i; __device__ ~D() { i = threadIdx.x; } };"},
    {"static int s; if (s > 3) A[i] = 0;"},
    // Control.
    {"if (int v = i) A[i] = v;"},
    {"if (int v = i; v > 3) A[i] = v;"},
    {"int left = threadIdx.x; while (int more = left < 100) left += 200 + "
     "more;"},
    {"for (int t = 0; int more = i - t; ++t) A[i] = more;"},
    {"for (int t = 0; t < n; ++t) { if (i > t) break; }"},
    {"for (int t = 0; t < n; ++t) { if (i > t) continue; A[i] = 0; }"},
    {"for (;;) { if (i > u++) break; }"},
    {"for (int t = 0; t < n; ++t) { switch (i) { case 1: continue; } }"},
    {"int v = 0; for (int t = i; t < n; ++t) ++v; if (v > 3) A[i] = 0;"},
    {"int v = 0; do { if (i > 3) break; v = 1; } while (0); if (v) A[i] = 0;"},
    {"switch (i) { case 1: u = 3; } if (u > 3) A[i] = 0;"},
    {"switch (n) { case 1: if (i > 3) break; u = 3; } if (u > 3) A[i] = 0;"},
    {"switch (i) { case 1: u = 3; case 2: break; } if (u > 3) A[i] = 0;"},
    {"if (u > 3 && i > 3) A[i] = 0;"},
    {"if (u > 3 ? i : u) A[i] = 0;"},
    {"if (i ?: u) A[i] = 0;"},
    {"if ((n, i)) A[i] = 0;"},
    {"if (({ i; })) A[i] = 0;"},
    {"again: if (n > 3) { if (i > 7) goto again; }"},
    {"if (i > 7) goto out; u = 4; out: ; if (u > 3) A[i] = 0;"},
    {"void *l = &&out; goto *l; out: ; if (u > 3) A[i] = 0;"},
    {"while (n) { ({ if (i) break; }); }"},
    {"[[likely]] if (i > 3) A[i] = 0; if (i) A[i] = 1;"},
};

/// Asks the rows, each a kernel in a namespace of its own: one parse for all.
void ask(llvm::ArrayRef<Row> Rows, bool Expected) {
  std::string Code;
  for (const Row &R : Rows)
    Code += "namespace r" + std::to_string(&R - Rows.data()) + " {\n" +
            R.Before +
            "\n__global__ void k(float *A, const float *B, const int "
            "*__restrict__ R, const int *__restrict__ Q, int n, int m, "
            "volatile int *flag, int *lock) {\nint i = blockIdx.x * "
            "blockDim.x + threadIdx.x;\nint u = blockIdx.x;\n" +
            R.Body + "\n}\n#undef blockIdx\n}\n";
  Parsed P = parseSnippet(Code);
  unsigned Row = 0;
  for (Decl *D : P.Unit->ast().getTraversalScope()) {
    Finder F;
    F.TraverseDecl(D);
    if (!F.Kernel)
      continue;
    const Stmt *Asked = nullptr;
    for (const Stmt *S : cast<CompoundStmt>(F.Kernel->getBody())->body()) {
      while (isa<LabelStmt, AttributedStmt>(S))
        S = *S->child_begin();
      if (isa<IfStmt, ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(S))
        Asked = S;
    }
    ASSERT_TRUE(Asked) << Rows[Row].Body;
    Uniformity U(*F.Kernel, /*IsKernel=*/true);
    EXPECT_EQ(U.insideIsUniform(Asked), Expected) << Rows[Row].Before << "\n"
                                                  << Rows[Row].Body;
    ++Row;
  }
  EXPECT_EQ(Row, Rows.size());
}

TEST(Uniformity, positiveWhatIsProved) { ask(Uniform, true); }
TEST(Uniformity, negativeWhatIsNot) { ask(Divergent, false); }

TEST(Uniformity, positiveOfACallee) {
  // The caller says which parameters differ.
  Parsed P = parseSnippet("__device__ void k(int a, int b) {\n"
                          "  if (a > 3) return;\n  if (b > 3) return;\n}\n");
  Finder F;
  for (Decl *D : P.Unit->ast().getTraversalScope())
    F.TraverseDecl(D);
  auto *Body = cast<CompoundStmt>(F.Kernel->getBody());
  Uniformity U(*F.Kernel, /*IsKernel=*/false, {F.Kernel->getParamDecl(1)});
  EXPECT_TRUE(U.insideIsUniform(Body->body_front()));
  EXPECT_FALSE(U.insideIsUniform(Body->body_back()));
  EXPECT_EQ(U.divergentReturns().size(), 1u);
}

TEST(Uniformity, negativeAReturnLeavesAllLoopsOfACallee) {
  Parsed P = parseSnippet("__device__ void k(int a, int n) {\n"
                          "  for (int t = 0; t < n; ++t)\n"
                          "    for (int s = 0; s < n; ++s)\n"
                          "      if (a > 3) return;\n}\n");
  Finder F;
  for (Decl *D : P.Unit->ast().getTraversalScope())
    F.TraverseDecl(D);
  auto *Outer = cast<CompoundStmt>(F.Kernel->getBody())->body_front();
  EXPECT_FALSE(Uniformity(*F.Kernel, false, {F.Kernel->getParamDecl(0)})
                   .insideIsUniform(Outer));
  EXPECT_TRUE(Uniformity(*F.Kernel, true, {F.Kernel->getParamDecl(0)})
                  .insideIsUniform(Outer));
}

TEST(Uniformity, negativeNamesWhatIsNotFollowed) {
  Parsed P = parseSnippet("__global__ void k(int n) {\n"
                          "  if (n > 3) goto out;\n  n = 4;\nout: ;\n}\n");
  Finder F;
  for (Decl *D : P.Unit->ast().getTraversalScope())
    F.TraverseDecl(D);
  Uniformity U(*F.Kernel, /*IsKernel=*/true);
  ASSERT_TRUE(U.unknown());
  EXPECT_EQ(U.unknownName(), "a goto");
}

} // namespace
