//===- WarpIndependenceTest.cpp - Nobody waits for nobody -------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tables of small kernels around one loop that could be split:
//
//   WORK    the loop      for (int j = 0; j < m; ++j) s += A[i * m + j];
//
// In the negatives something waits in it, before it or around it; in the
// positives everything is proved.
//
//===----------------------------------------------------------------------===//
#include "SourceTesting.h"
#include "analysis/source/safety/Assembly.h"
#include "gmock/gmock.h"

using namespace catt;
using namespace catt::testing;

namespace {

/// A kernel with the body, behind declarations; loops marked WORK are asked.
struct Case {
  const char *Name;
  const char *Before;
  const char *Body;
};

void PrintTo(const Case &C, std::ostream *OS) { *OS << C.Name; }

Parsed parseCase(const Case &C) {
  std::string Code = C.Before;
  Code += "\n#define WORK for (int j = 0; j < m; ++j) s += A[i * m + j];\n"
          "__global__ void k(const float *A, float *y, int *flag, "
          "const int *__restrict__ fixed, int n, int m) {\n"
          "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
          "  int warp = threadIdx.x / 32;\n  float s = 0;\n";
  std::string Body = C.Body;
  for (size_t At; (At = Body.find("WORK")) != std::string::npos;)
    Body.replace(At, 4, "for (int j = 0; j < m; ++j) s += A[i * m + j];");
  Code += Body + "\n  y[i] = s;\n}\n";
  // Rounding is another matter (SplitRoundingTest.cpp).
  return parseSnippet(Code, {"-ffp-contract=off"});
}

/// Loops of the kernel that read A, which WORK does.
bool hasSite(const Parsed &P) {
  for (const Loop &L : P.kernel("k").Loops)
    if (L.Iterator == "j" && L.Site)
      return true;
  return false;
}

std::string texts(const Parsed &P) {
  std::string All;
  for (const Loop &L : P.kernel("k").Loops)
    for (const Refusal &R : L.Refusals)
      All += R.Detail + "\n";
  return All;
}

class Waits : public ::testing::TestWithParam<Case> {};
TEST_P(Waits, refuses) {
  Parsed P = parseCase(GetParam());
  EXPECT_FALSE(hasSite(P));
  EXPECT_FALSE(P.kernel("k").Waits.empty());
}

class Independent : public ::testing::TestWithParam<Case> {};
TEST_P(Independent, hasASite) {
  Parsed P = parseCase(GetParam());
  EXPECT_TRUE(hasSite(P)) << texts(P);
}

std::string nameOf(const ::testing::TestParamInfo<Case> &I) {
  return I.param.Name;
}

const char Peek[] = "__device__ int peek(volatile int *p) { return *p; }";
const char Flag[] = "struct Flag { volatile int *p;\n"
                    "  __device__ operator bool() const { return *p != 0; }\n"
                    "  __device__ int get() const { return *p; }\n"
                    "  __device__ void read(int &out) const { out = *p; } };";
const char Guard[] =
    "struct Lock { int *p;\n"
    "  __device__ Lock(int *p) : p(p) { while (atomicCAS(p, 0, 1)) {} }\n"
    "  __device__ ~Lock() { atomicExch(p, 0); } };";

//===-- Before the loop
//----------------------------------------------------===//

INSTANTIATE_TEST_SUITE_P(
    before, Waits,
    ::testing::Values(
        Case{"spin", "", "while (atomicAdd(flag, 0) == 0) {} WORK"},
        Case{"spinOfOneLane", "",
             "if (warp == 0) while (atomicCAS(flag, 0, 1)) {} __syncwarp(); "
             "WORK"},
        Case{"volatileCast", "", "while (*(volatile int *)flag == 0) {} WORK"},
        Case{"helper", Peek, "while (peek(flag) == 0) {} WORK"},
        Case{"helperInHelper",
             "__device__ int a(volatile int *p) { return *p; }\n"
             "__device__ int b(int *p) { return a(p) + 1; }",
             "while (b(flag) == 1) {} WORK"},
        Case{"spinInHelper",
             "__device__ void w(int *p) { while (atomicAdd(p, 0) == 0) {} }",
             "w(flag); WORK"},
        Case{"doneUnderIf", "",
             "bool done = false; while (!done) { if (atomicAdd(flag, 0)) done "
             "= true; } WORK"},
        Case{"doneUnderAnd", "",
             "bool done = false; while (!done) "
             "{ atomicAdd(flag, 0) && (done = true); } WORK"},
        Case{"doneUnderConditional", "",
             "int done = 0; while (!done) { atomicAdd(flag, 0) ? done = 1 : 0; "
             "} WORK"},
        Case{"doneAfterContinue", "",
             "bool done = false; while (!done) { if (!atomicAdd(flag, 0)) "
             "continue; done = true; } WORK"},
        Case{"doneInSwitch", "",
             "bool done = false; while (!done) switch (atomicAdd(flag, 0)) { "
             "case 0: break; default: done = true; } WORK"},
        Case{"doneByInnerLoop", "",
             "bool done = false; while (!done) for (int t = 0; t < "
             "atomicAdd(flag, 0); ++t) done = true; WORK"},
        Case{"breakUnderIf", "",
             "for (;;) { if (atomicAdd(flag, 0)) break; } WORK"},
        Case{"breakInElse", "",
             "for (;;) { if (!atomicAdd(flag, 0)) {} else break; } WORK"},
        Case{"returnInHelperSwitch",
             "__device__ bool w(int *p) { for (;;) switch (atomicAdd(p, 0)) { "
             "case 0: break; default: return true; } }",
             "w(flag); WORK"},
        Case{"breakAfterContinue", "",
             "for (;;) { if (!atomicAdd(flag, 0)) continue; break; } WORK"},
        Case{"lambda", "",
             "auto ready = [=] { return *(volatile int *)flag != 0; }; while "
             "(!ready()) {} WORK"},
        Case{"lambdaByReference", "",
             "int v = 0; auto ready = [&] { return v; }; while (!ready()) v = "
             "atomicAdd(flag, 0); WORK"},
        Case{"lambdaThatAssigns", "",
             "int v = 0; auto read = [&] { v = *(volatile int *)flag; }; while "
             "(!v) read(); WORK"},
        Case{
            "lambdaGivenAway",
            "template <class F> __device__ void until(F f) { while (!f()) {} }",
            "until([=] { return *(volatile int *)flag; }); WORK"},
        Case{"lambdaWithInitCapture", "",
             "auto ready = [p = (volatile int *)flag] { return *p; }; while "
             "(!ready()) {} WORK"},
        Case{"conversion", Flag, "Flag f{flag}; while (!f) {} WORK"},
        Case{"method", Flag, "Flag f{flag}; while (!f.get()) {} WORK"},
        Case{"outReference", Flag,
             "Flag f{flag}; int v = 0; while (!v) f.read(v); WORK"},
        Case{"outPointer",
             "__device__ void read(volatile int *p, int *v) { *v = *p; }",
             "int v = 0; while (!v) read(flag, &v); WORK"},
        Case{"throughPointer", "",
             "int v = 0; int *q = &v; while (!v) *q = atomicAdd(flag, 0); "
             "WORK"},
        Case{"throughReference", "",
             "int v = 0; int &q = v; while (!v) q = atomicAdd(flag, 0); WORK"},
        Case{"assignedThroughAReferenceMember", "struct R { int &r; };",
             "int v = 0; R q{v}; while (!v) q.r = atomicAdd(flag, 0); WORK"},
        Case{"throughConditionalLvalue", "",
             "int v = 0, w = 0; while (!v) (n ? v : w) = atomicAdd(flag, 0); "
             "WORK"},
        Case{"throughConstCast",
             "__device__ void set(const int &v, int *p) "
             "{ const_cast<int &>(v) = atomicAdd(p, 0); }",
             "int v = 0; while (!v) set(v, flag); WORK"},
        Case{"volatileMember", "struct S { volatile int v; };",
             "S *q = (S *)flag; while (!q->v) {} WORK"},
        Case{"volatileStruct", "struct S { int v; };",
             "volatile S *q = (volatile S *)flag; while (!q->v) {} WORK"},
        Case{"unionMember", "union U { int v; float f; };",
             "U *q = (U *)flag; while (q->v == 0) {} WORK"},
        Case{"plainLoad", "", "while (flag[0] == 0) {} WORK"},
        Case{"plainLoadFenced", "",
             "while (flag[0] == 0) __threadfence(); WORK"},
        Case{"sharedFlag", "",
             "__shared__ int f; while (f == 0) __threadfence(); WORK"},
        Case{"deviceFlag", "__device__ int f;", "while (f == 0) {} WORK"},
        Case{"ldcg", "", "while (__ldcg(flag) == 0) {} WORK"},
        Case{"ldcv", "", "while (__ldcv(flag) == 0) {} WORK"},
        Case{"builtinAtomic", "",
             "while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == 0) {} WORK"},
        Case{"assembly", "",
             "int v; do { asm volatile(\"ld.global.cg.s32 %0, [%1];\" : "
             "\"=r\"(v) : \"l\"(flag)); } while (v == 0); WORK"},
        Case{"boundedSpin", "",
             "for (int t = 0; t < 1000 && atomicAdd(flag, 0) == 0; ++t) {} "
             "WORK"},
        Case{"boundedPlainSpin", "",
             "for (int t = 0; t < 1000 && !*flag; ++t) {} WORK"},
        Case{"boundedSpinWithBreak", "",
             "for (int t = 0; t < 1000; ++t) if (*flag) break; WORK"},
        Case{"boundedSpinAtAMaskedPlace", "",
             "for (int t = 0; t < 1000; ++t) if (flag[t & 1]) break; WORK"},
        Case{"boundedSpinAtZeroTimes", "",
             "int z = 0; for (int t = 0; t < 1000; ++t) if (flag[t * z]) "
             "break; WORK"},
        Case{"boundedSpinAtAByte", "",
             "for (int t = 0; t < 100000; ++t) if (flag[(unsigned char)t]) "
             "break; WORK"},
        Case{"boundedSpinBackwards", "",
             "for (int t = 0; t < 1000; ++t) { if (flag[t]) break; t -= 1; } "
             "WORK"},
        Case{"searchAgainAndAgain", "",
             "bool found = false; while (!found) for (int t = 0; t < n; ++t) "
             "if (flag[t]) found = true; WORK"},
        Case{"counterThatWaits", "",
             "for (int t = 0; t < *flag; t += n) {} WORK"},
        Case{"boundPolled", "",
             "for (int t = 0; t < *(volatile int *)flag; ++t) {} WORK"},
        Case{"notEqualToMemory", "",
             "for (int t = 0; t != flag[0]; ++t) {} WORK"},
        Case{"recursion",
             "__device__ void w(int *p) { if (*(volatile int *)p == 0) w(p); }",
             "w(flag); WORK"},
        Case{"recursionByArgument",
             "__device__ int w(int *p, int v) "
             "{ return v ? v : w(p, atomicAdd(p, 0)); }",
             "w(flag, 0); WORK"},
        Case{"mutualRecursion",
             "__device__ void b(int *p);\n"
             "__device__ void a(int *p) { if (atomicAdd(p, 0) == 0) b(p); }\n"
             "__device__ void b(int *p) { a(p); }",
             "a(flag); WORK"},
        Case{"gotoInHelper",
             "__device__ void w(int *p) { again: if (atomicAdd(p, 0) == 0) "
             "goto again; }",
             "w(flag); WORK"}),
    nameOf);

INSTANTIATE_TEST_SUITE_P(
    hidden, Waits,
    ::testing::Values(
        Case{"constructor", Guard, "Lock lock(flag); WORK"},
        Case{"temporary", Guard, "Lock{flag}; WORK"},
        Case{"destructor",
             "struct D { int *p; __device__ ~D() { while (atomicAdd(p, 0) == "
             "0) {} } };",
             "{ D d{flag}; } WORK"},
        Case{"destructorOfAMember",
             "struct D { int *p; __device__ ~D() { while (atomicAdd(p, 0) == "
             "0) {} } }; struct E { D d; };",
             "{ E e{{flag}}; } WORK"},
        Case{"destructorOfABase",
             "struct D { int *p; __device__ ~D() { while (atomicAdd(p, 0) == "
             "0) {} } }; struct E : D {};",
             "{ E e{{flag}}; } WORK"},
        Case{"inheritedConstructor",
             "struct D { __device__ D(int *p) { while (atomicAdd(p, 0) == 0) "
             "{} } }; struct E : D { using D::D; };",
             "E e(flag); WORK"},
        Case{"memberInitializer",
             "__device__ int w(int *p) { while (atomicAdd(p, 0) == 0) {} "
             "return 1; }\n"
             "struct D { int v; __device__ D(int *p) : v(w(p)) {} };",
             "D d(flag); WORK"},
        Case{"defaultMemberInitializer",
             "__device__ int f; __device__ int w() { while (atomicAdd(&f, 0) "
             "== 0) {} return 1; }\nstruct D { int v = w(); };",
             "D d; s += d.v; WORK"},
        Case{"defaultArgument",
             "__device__ int f; __device__ int w() { while (atomicAdd(&f, 0) "
             "== 0) {} return 1; }\n"
             "__device__ int id(int v = w()) { return v; }",
             "s += id(); WORK"},
        Case{"operatorCall",
             "struct V { int *p; };\n__device__ V operator+(V a, int) "
             "{ while (atomicAdd(a.p, 0) == 0) {} return a; }",
             "V v{flag}; v = v + 1; WORK"},
        Case{"rangeFor",
             "struct R { int *p; __device__ int *begin() { while "
             "(atomicAdd(p, 0) == 0) {} return p; } __device__ int *end() "
             "{ return p; } };",
             "for (int v : R{flag}) s += v; WORK"},
        Case{"arrayOfObjects", Guard, "Lock locks[2] = {flag, flag}; WORK"},
        Case{"macro", "#define WAIT(p) while (atomicAdd(p, 0) == 0) {}",
             "WAIT(flag) WORK"},
        Case{"templated",
             "template <class T> __device__ void w(T *p) { while "
             "(atomicAdd(p, T(0)) == T(0)) {} }",
             "w(flag); WORK"},
        Case{"templatedClass",
             "template <class T> struct W { T *p; __device__ void wait() { "
             "while (atomicAdd(p, T(0)) == T(0)) {} } };",
             "W<int>{flag}.wait(); WORK"},
        Case{"statementExpression", "",
             "s += ({ while (atomicAdd(flag, 0) == 0) {} 1; }); WORK"},
        Case{"inCondition", Peek,
             "if (peek(flag)) while (!peek(flag)) {} WORK"},
        Case{"aroundTheLoop", "", "while (atomicAdd(flag, 0) == 0) { WORK }"},
        Case{"laterInACommonLoop", "",
             "for (int t = 0; t < n; ++t) { WORK while (atomicAdd(flag, 0) == "
             "0) {} }"}),
    nameOf);

//===-- In the loop, and what is not known
//---------------------------------===//

INSTANTIATE_TEST_SUITE_P(
    inside, Waits,
    ::testing::Values(
        Case{"noBody", "__device__ void f(int *);", "f(flag); WORK"},
        Case{"functionPointer", "", "void (*f)() = nullptr; f(); WORK"},
        Case{"memberPointer", "struct S { __device__ void f() {} };",
             "auto f = &S::f; S o; (o.*f)(); WORK"},
        Case{"virtualCall", "struct S { __device__ virtual void f() {} };",
             "S *o = (S *)flag; o->f(); WORK"},
        Case{"ownFunctionOfCudasName",
             "namespace my { __device__ float sqrtf(int *p) { while "
             "(atomicAdd(p, 0) == 0) {} return 0; } }",
             "s += my::sqrtf(flag); WORK"},
        Case{"nanosleep", "", "__nanosleep(10); WORK"},
        Case{"namedBarrierByIntrinsic", "", "__barrier_sync(1); WORK"},
        Case{"namedBarrier", "", "asm volatile(\"bar.sync 1, 64;\"); WORK"},
        Case{"namedBarrierBehindAComment", "",
             "asm volatile(\"// x\\n\\tbar.sync 1, 64;\"); WORK"},
        Case{"namedBarrierInComments", "",
             "asm volatile(\"/* x */ bar.sync 1, 64; /* y */\"); WORK"},
        Case{"namedBarrierBehindAMove", "",
             "int v; asm volatile(\"mov.u32 %0, 1; barrier.sync 1, 64;\" : "
             "\"=r\"(v)); WORK"},
        Case{"branchInAssembly", "", "asm volatile(\"L: bra L;\"); WORK"},
        Case{"acquireInAssembly", "",
             "int v; asm volatile(\"ld.acquire.gpu.u32 %0, [%1];\" : \"=r\"(v) "
             ": \"l\"(flag)); WORK"},
        Case{"gridGroup", "#include <cooperative_groups.h>",
             "cooperative_groups::this_grid().sync(); WORK"},
        Case{"clusterGroup", "#include <cooperative_groups.h>",
             "cooperative_groups::this_cluster().sync(); WORK"},
        Case{"newKindOfStatement", "",
             "try_label: switch (n) { case 1: break; } if (n > 9) goto "
             "try_label; WORK"}),
    nameOf);

class Barrier : public ::testing::TestWithParam<Case> {};
TEST_P(Barrier, refusesInsideOnly) {
  Parsed P = parseCase(GetParam());
  EXPECT_FALSE(hasSite(P));
  EXPECT_TRUE(P.kernel("k").Waits.empty());
  EXPECT_EQ(P.kernel("k").Loops[0].Refusals[0].Kind, Reason::BarrierInside);
}
INSTANTIATE_TEST_SUITE_P(
    inside, Barrier,
    ::testing::Values(
        Case{"direct", "",
             "for (int j = 0; j < m; ++j) { s += A[j]; __syncthreads(); }"},
        Case{"or_", "",
             "for (int j = 0; j < m; ++j) s += __syncthreads_or(j);"},
        Case{"helper", "__device__ void f() { __syncthreads(); }",
             "for (int j = 0; j < m; ++j) { s += A[j]; f(); }"},
        Case{"destructor", "struct D { __device__ ~D() { __syncthreads(); } };",
             "for (int j = 0; j < m; ++j) { D d; s += A[j]; }"},
        Case{"temporary", "struct D { __device__ ~D() { __syncthreads(); } };",
             "for (int j = 0; j < m; ++j) { D(); s += A[j]; }"},
        Case{"defaultArgument",
             "__device__ int b() { __syncthreads(); return 0; }\n"
             "__device__ int f(int v = b()) { return v; }",
             "for (int j = 0; j < m; ++j) s += f();"},
        Case{"block", "#include <cooperative_groups.h>",
             "auto b = cooperative_groups::this_thread_block();\n"
             "for (int j = 0; j < m; ++j) { s += A[j]; b.sync(); }"},
        Case{"blockByFunction", "#include <cooperative_groups.h>",
             "auto b = cooperative_groups::this_thread_block();\n"
             "for (int j = 0; j < m; ++j) { s += A[j]; "
             "cooperative_groups::sync(b); }"},
        Case{"lambda", "",
             "auto f = [] { __syncthreads(); };\n"
             "for (int j = 0; j < m; ++j) { s += A[j]; f(); }"},
        Case{"macro", "#define MEET __syncthreads()",
             "for (int j = 0; j < m; ++j) { s += A[j]; MEET; }"}),
    nameOf);

TEST(WarpIndependence, negativeSaysWhatIsReached) {
  Parsed P = parseCase({"",
                        "__device__ void deep() { __syncthreads(); }\n"
                        "namespace my { struct S { static __device__ void "
                        "go() { deep(); } }; }",
                        "for (int j = 0; j < m; ++j) my::S::go();"});
  EXPECT_EQ(P.kernel("k").Loops[0].Refusals[0].Detail,
            "calls my::S::go, which waits for the whole block (kernel.cu:1)");
}
TEST(WarpIndependence, negativeSaysWhichMemory) {
  Parsed P = parseCase({"", "", "while (flag[3] == 0) {} WORK"});
  EXPECT_THAT(texts(P), ::testing::HasSubstr(
                            "before it, the exit of a loop depends on 'flag[3]'"
                            ", which another thread may change"));
}

//===-- Proved
//-------------------------------------------------------------===//

INSTANTIATE_TEST_SUITE_P(
    proved, Independent,
    ::testing::Values(
        Case{"plain", "", "WORK"},
        Case{"barrierBefore", "", "__syncthreads(); WORK"},
        Case{"barrierAround", "",
             "for (int t = 0; t < n; ++t) { WORK __syncthreads(); }"},
        Case{"waitBehind", "", "WORK while (atomicAdd(flag, 0) == 0) {}"},
        Case{"rowOfASparseMatrix", "",
             "for (int t = flag[i]; t < flag[i + 1]; ++t) s += y[t]; WORK"},
        Case{"rowByWarps", "",
             "for (int t = flag[i] + warp; t < flag[i + 1]; t += 32) s += "
             "y[t]; WORK"},
        Case{"search", "",
             "for (int t = 0; t < n; ++t) if (flag[t] >= m) { s = t; break; } "
             "WORK"},
        Case{"searchWithOffset", "",
             "int b = i * n; for (int t = 0; t < n; ++t) if (flag[b + t] > m) "
             "break; WORK"},
        Case{
            "readOnlySearch", "",
            "int lo = 0, hi = n; while (lo < hi) { int mid = (lo + hi) / 2; if "
            "(fixed[mid] < i) lo = mid + 1; else hi = mid; } WORK"},
        Case{"ldgSearch", "",
             "int v = n; while (v > 0) v = __ldg(fixed + v); WORK"},
        Case{"iteration", "",
             "float e = 1; int t = 0; while (e > 0.1f && t < n) { e = e * 0.5f "
             "+ sqrtf(e) * 0.1f; ++t; } WORK"},
        Case{"halving", "",
             "for (int t = blockDim.x / 2; t > 0; t >>= 1) s += t; WORK"},
        Case{"gridStride", "",
             "for (int t = i; t < n; t += blockDim.x * gridDim.x) y[t] = 0; "
             "WORK"},
        Case{"histogram", "",
             "for (int t = 0; t < n; ++t) atomicAdd(flag + t % 7, 1); WORK"},
        Case{"lastBlock", "",
             "bool last = atomicAdd(flag, 1) == n; if (last) s += 1; WORK"},
        Case{
            "shuffles", "",
            "for (int t = 16; t > 0; t /= 2) s += __shfl_down_sync(~0u, s, t); "
            "WORK"},
        Case{"warpGroup", "#include <cooperative_groups.h>",
             "auto w = cooperative_groups::tiled_partition<32>("
             "cooperative_groups::this_thread_block()); w.sync(); WORK"},
        Case{"math", "",
             "float a, b; sincosf(s, &a, &b); s += a * b + fmaxf(a, b); WORK"},
        Case{"helperThatComputes",
             "__device__ float f(float v, int n) { for (int t = 0; t < n; ++t) "
             "v = v * v; return v; }",
             "s = f(s, n); WORK"},
        Case{"recursionByItsArguments",
             "__device__ float f(int d) { return d > 0 ? 1 + f(d - 1) : 0; }",
             "s = f(n); WORK"},
        Case{"objects",
             "struct V { float x, y; __device__ V(float a) : x(a), y(a) {} "
             "__device__ V operator+(const V &o) const { V r(x + o.x); return "
             "r; } };",
             "V v(s); v = v + V(1); s = v.x; WORK"},
        Case{"lambda", "",
             "auto f = [&](int v) { return v * n; }; s += f(3); WORK"},
        Case{"onceOnly", "",
             "do { if (flag[0]) break; s += 1; } while (0); WORK"},
        Case{"assembly", "",
             "unsigned v; asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(v)); s += v; "
             "WORK"},
        Case{"print", "", "printf(\"%d\\n\", i); WORK"},
        Case{"clock", "",
             "long long t = clock64(); while (clock64() - t < 100) {} WORK"}),
    nameOf);

//===-- Assembly
//-----------------------------------------------------------===//

TEST(Assembly, positive) {
  for (const char *Text :
       {"", "mov.u32 %0, %1;", "// only a comment",
        "/* a */ add.s32 %0, %1, %2;",
        "{ .reg .pred p; setp.ne.u32 p, %1, 0; selp.u32 %0, 1, 0, p; }",
        "{\n\t.reg .pred %%p<2>;\n\t@%%p1 add.f32 %0, %0, %1;\n}",
        "ld.global.nc.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4 + 16];",
        "st.global.wt.f32 [%0], %1;", "lop3.b32 %0, %1, %2, %3, 0xe8;",
        "cvta.to.shared.u64 %0, %1;", "fence.acq_rel.gpu;", "membar.gl;",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0}, {%1}, {%2};",
        "shfl.sync.down.b32 %0|p, %1, %2, 31, -1;", "bar.warp.sync -1;",
        "prefetch.global.L2 [%0];",
        "cp.async.ca.shared.global.L2::128B [%0], [%1], 16;",
        "cp.async.wait_all;", "cp.async.wait_group 1;"})
    EXPECT_EQ(readAssembly(Text).Unknown, "") << Text;
}
TEST(Assembly, negative) {
  for (const char *Text : {"bar.sync 0;",
                           "// x\nbar.sync 1, 64;",
                           "/* */bar.sync 0;",
                           "mov.u32 %0, 1; bar.sync 0;",
                           "mov.u32 %0, 1;;barrier.arrive 1, 64;",
                           "{bar.sync 0;}",
                           "{{ bar.sync 0; }}",
                           "@p bar.sync 0;",
                           "@!%%p bra done;",
                           "done: ret;",
                           "exit;",
                           "trap;",
                           "nanosleep.u32 100;",
                           "cp.async.bulk.shared.global [%0], [%1], 16, [%2];",
                           "cp.async.mbarrier.arrive.shared.b64 [%0];",
                           "mbarrier.arrive.shared.b64 %0, [%1];",
                           "ld.volatile.global.u32 %0, [%1];",
                           "ld.acquire.gpu.u32 %0, [%1];",
                           "ld.relaxed.gpu.u32 %0, [%1];",
                           "st.release.gpu.u32 [%0], %1;",
                           "%0 %1, %2;",
                           "wgmma.fence;",
                           "griddepcontrol.wait;",
                           "call f;",
                           "foo.u32 %0;",
                           "/* open bar.sync 0;",
                           "mov.u32 %0, 1 bar.sync 0;:",
                           "barrier.cluster.wait;",
                           "// a\\\nbar.sync 0;",
                           "// a\rbar.sync 0;",
                           ".pragma \"nounroll\";"})
    EXPECT_NE(readAssembly(Text).Unknown, "") << Text;
}
TEST(Assembly, reads) {
  EXPECT_TRUE(readAssembly("ld.global.cg.s32 %0, [%1];").ReadsMemory);
  EXPECT_FALSE(readAssembly("ld.global.nc.s32 %0, [%1];").ReadsMemory);
  EXPECT_TRUE(readAssembly("vote.sync.all.pred %0, %1, -1;").WarpWide);
}

} // namespace
