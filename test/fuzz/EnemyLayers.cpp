//===- EnemyLayers.cpp - Disguises -----------------------------------------==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   $  what is disguised     @  a number that no other name ends in
//   ^  a pointer             `  what is read at a parameter p
//
// A row: its name, what stands at file scope, what stands before the statement,
// and what stands for $ then.
//
// Rows of one table are equal in meaning: whoever adds a way to say something
// in C++ adds a row. Globals may move to a system header.
//
//===----------------------------------------------------------------------===//

#include "test/fuzz/Enemy.h"

namespace catt::fuzz {

/// An int that differs between the threads of a block, between 0 and its size.
/// "threadIdx" becomes "blockIdx" in the twin, and so on.
const std::vector<Layer> &divergentSources() {
  static const std::vector<Layer> All = {
      {"plain", "", "", "int(threadIdx.x)"},
      {"backwards", "", "", "int(blockDim.x - 1 - threadIdx.x)"},
      {"warp", "", "", "int(threadIdx.x / 32 * 32)"},
      {"default-argument",
       "static __device__ int d@(int t = threadIdx.x) { return t; }", "",
       "d@()"},
      {"default-argument-of-member",
       "struct D@ { __device__ int at(int t = int(threadIdx.x)) const { return "
       "t; } };",
       "", "D@().at()"},
      {"constructor",
       "struct C@ { int i; __device__ C@() : i(threadIdx.x) {} };", "C@ c@;",
       "c@.i"},
      {"constructor-in-helper",
       "struct C@ { int i; __device__ C@() : i(threadIdx.x) {} };\n"
       "static __device__ int h@() { return C@().i; }",
       "", "h@()"},
      {"base-constructor",
       "struct B@ { int i; __device__ B@() : i(threadIdx.x) {} };\n"
       "struct C@ : B@ {};",
       "C@ c@;", "c@.i"},
      {"member-initializer",
       "struct M@ { int i = int(threadIdx.x); int k = 0; };", "M@ m@;", "m@.i"},
      {"member-initializer-braces", "struct M@ { int i = int(threadIdx.x); };",
       "auto m@ = M@{};", "m@.i"},
      {"binding-of-call",
       "struct P@ { int a, b; };\n"
       "static __device__ P@ p@() { return {int(threadIdx.x), 0}; }",
       "auto [x@, y@] = p@();", "x@"},
      {"binding-of-threadIdx", "", "auto [x@, y@, z@] = uint3(threadIdx);",
       "int(x@)"},
      {"copy", "", "uint3 t@ = threadIdx;", "int(t@.x)"},
      {"reference", "", "const auto &t@ = threadIdx;", "int(t@.x)"},
      {"pointer", "", "const uint3 c@ = threadIdx, *t@ = &c@;", "int(t@->x)"},
      {"dim3", "", "", "int(dim3(threadIdx).x)"},
      {"macro", "#define TID@ threadIdx", "", "int(TID@.x)"},
      {"static-member",
       "struct S@ { static __device__ int x() { return threadIdx.x; } };", "",
       "S@::x()"},
      {"conversion",
       "struct V@ { __device__ operator int() const { return threadIdx.x; } };",
       "", "(V@() + 0)"},
      {"lambda", "", "auto f@ = [] { return int(threadIdx.x); };", "f@()"},
      {"template",
       "template <int Q> static __device__ int t@() { return threadIdx.x + Q; "
       "}",
       "", "t@<0>()"},
      {"operator-call",
       "struct F@ { __device__ int operator()() const { return threadIdx.x; } "
       "};",
       "", "F@{}()"},
      {"group-rank", "", "",
       "int(cooperative_groups::this_thread_block().thread_rank())"},
      {"group-index", "", "",
       "int(cooperative_groups::this_thread_block().thread_index().x)"},
      {"asm", "", "unsigned t@; asm(\"mov.u32 %0, %%tid.x;\" : \"=r\"(t@));",
       "int(t@)"},
      {"asm-with-comment", "",
       "int t@; asm volatile(\"// number\\n\\tmov.u32 %0, %%tid.x;\" : "
       "\"=r\"(t@));",
       "t@"},
      {"asm-in-helper",
       "static __device__ int a@() { int t; asm(\"mov.u32 %0, %%tid.x;\" : "
       "\"=r\"(t)); "
       "return t; }",
       "", "a@()"},
      {"ballot", "", "",
       "(__popc(__ballot_sync(0xffffffffu, threadIdx.x % 2)) + int(threadIdx.x "
       "/ 32) * 32)"},
      {"shuffle", "", "", "__shfl_sync(0xffffffffu, int(threadIdx.x), 0)"},
      {"pack",
       "template <class... T> static __device__ int first@(int a, T...) { "
       "return a; }",
       "", "first@(int(threadIdx.x), 0, 1)"},
      {"data", "", "", "ro[threadIdx.x]"},
      {"data-in-helper",
       "static __device__ int l@(const int *p) { return p[threadIdx.x]; }", "",
       "l@(ro)"},
      {"ldg", "", "", "__ldg(ro + threadIdx.x)"},
  };
  return All;
}

/// Keep the value of an int from 0 to 127.
const std::vector<Layer> &valueLayers() {
  static const std::vector<Layer> All = {
      {"helper", "static __device__ int h@(int v) { return v; }", "", "h@($)"},
      {"helper-assigns",
       "static __device__ int h@(int v) { int w; w = v; return w; }", "",
       "h@($)"},
      {"template",
       "template <class T> static __device__ T t@(T v) { return v; }", "",
       "t@($)"},
      {"constructor", "struct C@ { int i; __device__ C@(int v) : i(v) {} };",
       "C@ c@{$};", "c@.i"},
      {"constructor-body",
       "struct C@ { int i; __device__ C@(int v) { i = v; } };", "C@ c@{$};",
       "c@.i"},
      {"delegating",
       "struct C@ { int i; __device__ C@(int v, int) : i(v) {} __device__ "
       "C@(int v) : "
       "C@(v, 0) {} };",
       "C@ c@{$};", "c@.i"},
      {"copy-constructor",
       "struct C@ { int i = 0; __device__ C@() {} __device__ C@(const C@ &o) : "
       "i(o.i) {} };",
       "C@ o@; o@.i = $; C@ c@ = o@;", "c@.i"},
      {"binding", "struct P@ { int a, b; };", "auto [x@, y@] = P@{$, 0};",
       "x@"},
      {"binding-reference", "struct P@ { int a, b; };",
       "P@ p@{0, 0}; auto &[x@, y@] = p@; y@ = $;", "p@.b"},
      {"binding-array", "", "int a@[2] = {0, $}; auto [x@, y@] = a@;", "y@"},
      {"conversion",
       "struct V@ { int v; __device__ operator int() const { return v; } };",
       "V@ v@{$};", "(v@ + 0)"},
      {"implicit-conversion",
       "struct V@ { int v; __device__ V@(int w) : v(w) {} };\n"
       "static __device__ int g@(V@ v) { return v.v; }",
       "", "g@($)"},
      {"operator-minus",
       "struct V@ { int v; };\n"
       "static __device__ int operator-(V@ a, V@ b) { return a.v - b.v; }",
       "", "(V@{$} - V@{0})"},
      {"operator-brackets",
       "struct V@ { int v; __device__ int &operator[](int) { return v; } };",
       "V@ v@{0}; v@[1] = $;", "v@[0]"},
      {"operator-arrow",
       "struct I@ { int v; }; struct V@ { I@ i; __device__ I@ *operator->() { "
       "return &i; } };",
       "V@ v@{{$}};", "v@->v"},
      {"operator-assign",
       "struct V@ { int v; __device__ V@ &operator=(int w) { v = w; return "
       "*this; } };",
       "V@ v@{0}; v@ = $;", "v@.v"},
      {"lvalue-choice", "", "int u@ = 0, w@ = 0; (n > 0 ? u@ : w@) = $;", "u@"},
      {"choice-of-references", "",
       "int u@ = 0, w@ = 0; int &r@ = n > 0 ? u@ : w@; r@ = $;", "u@"},
      {"choice-of-pointers", "",
       "int u@ = 0, w@ = 0; *(n > 0 ? &u@ : &w@) = $;", "u@"},
      {"comma-lvalue", "", "int u@ = 0, w@ = 0; (w@ = 1, u@) = $;", "u@"},
      {"assignment-lvalue", "", "int u@; (u@ = 0) = $;", "u@"},
      {"increment-lvalue", "", "int u@ = 0; ++u@ = $;", "u@"},
      {"reference", "", "int u@ = 0; int &r@ = u@; r@ = $;", "u@"},
      {"reference-to-reference", "",
       "int u@ = 0; int &q@ = u@; int &r@ = q@; r@ = $;", "u@"},
      {"pointer", "", "int u@ = 0; int *p@ = &u@; *p@ = $;", "u@"},
      {"pointer-to-pointer", "",
       "int u@ = 0; int *p@ = &u@, **q@ = &p@; **q@ = $;", "u@"},
      {"pointer-member", "struct S@ { int a, b; };",
       "S@ s@{}; int S@::*m@ = &S@::b; s@.*m@ = $;", "s@.b"},
      {"array", "", "int a@[4] = {}; a@[n & 3] = $;", "a@[n & 3]"},
      {"array-by-pointer", "", "int a@[4] = {}; int *p@ = a@; p@[2] = $;",
       "a@[2]"},
      {"array-reversed", "", "int a@[4] = {}; 2[a@] = $;", "a@[2]"},
      {"table", "", "int a@[128]; for (int q = 0; q < 128; ++q) a@[q] = q;",
       "a@[$]"},
      {"constant-table", "__constant__ int t@[8] = {0, 1, 2, 3, 4, 5, 6, 7};",
       "int v@ = $;", "(t@[v@ & 7] + 8 * t@[v@ >> 3 & 7] + 64 * t@[v@ >> 6])"},
      {"field", "struct S@ { int a, b; };", "S@ s@{}; s@.b = $;", "s@.b"},
      {"field-of-field", "struct S@ { struct { int a; } in; int b; };",
       "S@ s@{}; s@.in.a = $;", "s@.in.a"},
      {"whole-struct", "struct S@ { int a, b; };",
       "S@ s@{}, t@{0, $}; s@ = t@;", "s@.b"},
      {"aggregate-returned",
       "struct S@ { int a, b; }; static __device__ S@ s@(int v) { S@ s; s.a = "
       "0; s.b = v; return s; }",
       "", "s@($).b"},
      {"out-reference", "static __device__ void o@(int v, int &r) { r = v; }",
       "int u@ = 0; o@($, u@);", "u@"},
      {"out-pointer", "static __device__ void o@(int v, int *r) { *r = v; }",
       "int u@ = 0; o@($, &u@);", "u@"},
      {"out-struct",
       "struct S@ { int a; }; static __device__ void o@(int v, S@ &r) { r.a = "
       "v; }",
       "S@ s@{0}; o@($, s@);", "s@.a"},
      {"setter",
       "struct S@ { int a = 0; __device__ S@ &set(int v) { a = v; return "
       "*this; } };",
       "S@ s@; s@.set(1).set($);", "s@.a"},
      {"returned-reference", "static __device__ int &r@(int &v) { return v; }",
       "int u@ = 0; r@(u@) = $;", "u@"},
      {"lambda", "", "int v@ = $; auto f@ = [=] { return v@; };", "f@()"},
      {"lambda-argument", "", "auto f@ = [](int v) { return v; };", "f@($)"},
      {"lambda-generic", "", "auto f@ = [](auto v) { return v; };", "f@($)"},
      {"lambda-writes", "",
       "int u@ = 0; auto f@ = [&](int v) { u@ = v; }; f@($);", "u@"},
      {"lambda-init", "", "auto f@ = [v = $] { return v; };", "f@()"},
      {"lambda-init-reference", "",
       "int u@ = 0; [&r = u@](int v) { r = v; }($);", "u@"},
      {"lambda-nested", "", "int u@ = 0; [&] { [&] { u@ = $; }(); }();", "u@"},
      {"comma", "", "int u@ = 0, w@ = 0;", "(w@ = 1, u@ = $, u@)"},
      {"assigned-in-expression", "", "int u@ = 0; int q@ = (u@ = $);",
       "(u@ + q@ - q@)"},
      {"short-circuit", "", "int u@ = 0; bool b@ = n > 0 && ((u@ = $), true);",
       "(u@ + 0 * b@)"},
      {"choice", "", "", "(n > 0 ? $ : 0)"},
      {"compound", "", "int u@ = 0; u@ += $;", "u@"},
      {"increments", "", "int u@ = 0; for (int q@ = $; q@ > 0; --q@) u@++;",
       "u@"},
      {"counted", "", "int u@ = 0, v@ = $; while (u@ < v@) ++u@;", "u@"},
      {"loop-carried", "",
       "int u@ = 0, w@ = 0; for (int t = 0; t < 2; ++t) { w@ = u@; u@ = $; }",
       "w@"},
      {"branches", "",
       "int u@ = 0, v@ = $; if (v@ & 1) u@ = 1; if (v@ & 2) u@ += 2; u@ += v@ "
       "/ 4 * 4;",
       "u@"},
      {"switch", "",
       "int u@ = 0, v@ = $; switch (v@ & 1) { case 0: u@ = v@; break; default: "
       "u@ = v@; }",
       "u@"},
      {"fall-through", "",
       "int u@ = 0, v@ = $; switch (v@ & 1) { case 1: u@ = 1; default: u@ += "
       "v@ - (v@ & 1); }",
       "u@"},
      {"goto", "",
       "int u@ = 0, v@ = $; more@: if (u@ < v@) { ++u@; goto more@; }", "u@"},
      {"break", "",
       "int u@ = 0, v@ = $; for (;;) { if (u@ >= v@) break; ++u@; }", "u@"},
      {"continue", "",
       "int u@ = 0, v@ = $; for (int t = 0; t < 128; ++t) { if (t >= v@) "
       "continue; ++u@; }",
       "u@"},
      {"do", "", "int u@ = -1, v@ = $; do ++u@; while (u@ < v@);", "u@"},
      // Only control differs: each assigned number is the same for all threads.
      {"bits-if", "",
       "int u@ = 0, v@ = $; for (int q = 0; q < 8; ++q) if (v@ >> q & 1) u@ += "
       "1 << q;",
       "u@"},
      {"bits-else", "",
       "int u@ = 255, v@ = $; for (int q = 0; q < 8; ++q) if (v@ >> q & 1) ; "
       "else u@ -= 1 << q;",
       "u@"},
      {"bits-switch", "",
       "int u@ = 0, v@ = $; for (int q = 0; q < 8; ++q) switch (v@ >> q & 1) { "
       "case 1: u@ += 1 << q; }",
       "u@"},
      {"bits-switch-continue", "",
       "int u@ = 0, v@ = $; for (int q = 0; q < 8; ++q) { switch (v@ >> q & 1) "
       "{ case 0: continue; } u@ += 1 << q; }",
       "u@"},
      {"bits-choice", "",
       "int u@ = 0, v@ = $; for (int q = 0; q < 8; ++q) v@ >> q & 1 ? u@ += 1 "
       "<< q : 0;",
       "u@"},
      {"bits-or", "",
       "int u@ = 0, v@ = $; for (int q = 0; q < 8; ++q) (void)(!(v@ >> q & 1) "
       "|| (u@ += 1 << q));",
       "u@"},
      {"condition-variable", "", "int u@ = 0; if (int v = $) u@ = v;", "u@"},
      {"while-variable", "",
       "int u@ = 0, w@ = $; while (int v = w@) { u@ = v; w@ = 0; }", "u@"},
      {"switch-variable", "",
       "int u@ = 0; switch (int v = $) { case 0: break; default: u@ = v; }",
       "u@"},
      {"if-with-init", "", "int u@ = 0; if (int v = $; v > 0) u@ = v;", "u@"},
      {"range-for", "", "int a@[1] = {$}, u@ = 0; for (int v : a@) u@ = v;",
       "u@"},
      {"recursion",
       "static __device__ int r@(int v) { return v <= 0 ? 0 : 1 + r@(v - 1); }",
       "", "r@($)"},
      {"recursion-out",
       "static __device__ void r@(int v, int &o) { if (v > 0) { ++o; r@(v - 1, "
       "o); } }",
       "int u@ = 0; r@($, u@);", "u@"},
      {"macro", "#define M@(x) (x)", "", "M@($)"},
      {"macro-statement", "#define SET@(to, x) do { to = (x); } while (0)",
       "int u@ = 0; SET@(u@, $);", "u@"},
      {"destructor",
       "struct D@ { int &r; int v; __device__ ~D@() { r = v; } };",
       "int u@ = 0; { D@ d@{u@, $}; }", "u@"},
      {"virtual",
       "struct B@ { __device__ virtual int at(int) const { return 0; } };\n"
       "struct V@ : B@ { __device__ int at(int v) const override { return v; } "
       "};",
       "V@ v@; const B@ &b@ = v@;", "b@.at($)"},
      {"function-pointer", "static __device__ int h@(int v) { return v; }",
       "int (*f@)(int) = h@;", "f@($)"},
      {"function-parameter",
       "template <class F> static __device__ int c@(F f, int v) { return f(v); "
       "}",
       "", "c@([](int v) { return v; }, $)"},
      {"union", "union U@ { int a; unsigned b; };", "U@ u@; u@.a = $;",
       "int(u@.b)"},
      {"memcpy", "", "int v@ = $, u@ = 0; memcpy(&u@, &v@, sizeof u@);", "u@"},
      {"reinterpret", "",
       "int u@ = 0; reinterpret_cast<unsigned &>(u@) = unsigned($);", "u@"},
      {"c-cast", "", "int u@ = 0; *(unsigned *)&u@ = (unsigned)($);", "u@"},
      {"pointer-difference", "", "", "int((ro + $) - ro)"},
      {"float", "", "float g@ = float($);", "int(g@)"},
      {"min", "", "", "min($, 100000)"},
      {"asm", "", "int u@; asm(\"mov.s32 %0, %1;\" : \"=r\"(u@) : \"r\"($));",
       "u@"},
      {"asm-in-out", "",
       "int u@ = $; asm(\"add.s32 %0, %0, 0;\" : \"+r\"(u@));", "u@"},
      {"shuffle", "", "", "__shfl_sync(0xffffffffu, $, threadIdx.x & 31)"},
      {"volatile", "", "volatile int u@ = $;", "u@"},
      {"shared", "", "__shared__ int sh@[128]; sh@[threadIdx.x] = $;",
       "sh@[threadIdx.x]"},
      {"static-assert-free",
       "template <int Q> struct T@ { static __device__ int f(int v) { return v "
       "+ Q; } };",
       "", "T@<0>::f($)"},
      {"fold",
       "template <class... T> static __device__ int f@(T... v) { return (0 + "
       "... + v); }",
       "", "f@($, 0)"},
      {"if-constexpr",
       "template <bool B> static __device__ int f@(int v) { if constexpr (B) "
       "return v; else return 0; }",
       "", "f@<true>($)"},
      {"nested-struct-pointer", "struct S@ { int a; }; struct T@ { S@ *s; };",
       "S@ s@{0}; T@ t@{&s@}; t@.s->a = $;", "s@.a"},
      {"lambda-stored",
       "template <class F> struct L@ { F f; __device__ int run() { return f(); "
       "} };",
       "int v@ = $; auto l@ = [=] { return v@; }; L@<decltype(l@)> k@{l@};",
       "k@.run()"},
  };
  return All;
}

/// A statement, kept where it is said.
const std::vector<Layer> &statementLayers() {
  static const std::vector<Layer> All = {
      {"helper", "static __device__ void s@() { $; }", "", "s@()"},
      {"noinline", "static __device__ __noinline__ void s@() { $; }", "",
       "s@()"},
      {"helper-returns", "static __device__ int s@() { $; return 0; }", "",
       "(void)s@()"},
      {"template", "template <class T> static __device__ void s@(T) { $; }", "",
       "s@(1)"},
      {"template-member",
       "template <class T> struct S@ { template <int Q> static __device__ void "
       "go() { $; } };",
       "", "S@<int>::go<3>()"},
      {"member", "struct S@ { __device__ void go() const { $; } };", "",
       "S@().go()"},
      {"inherited",
       "struct B@ { __device__ void go() const { $; } }; struct S@ : B@ {};",
       "", "S@().go()"},
      {"constructor", "struct S@ { __device__ S@() { $; } };", "", "S@()"},
      {"constructor-of-member",
       "struct M@ { __device__ M@() { $; } }; struct S@ { M@ m; int v = 0; };",
       "", "(void)S@{}"},
      {"destructor", "struct S@ { __device__ ~S@() { $; } };", "", "S@{}"},
      {"destructor-of-local", "struct S@ { int v; __device__ ~S@() { $; } };",
       "", "{ S@ s@{0}; }"},
      {"destructor-of-base",
       "struct B@ { __device__ ~B@() { $; } }; struct S@ : B@ { int v; };", "",
       "{ S@ s@; s@.v = 0; }"},
      {"operator",
       "struct S@ { __device__ int operator+(int v) const { $; return v; } };",
       "", "(void)(S@() + 1)"},
      {"conversion",
       "struct S@ { __device__ operator bool() const { $; return false; } };",
       "", "(void)(S@() ? 1 : 0)"},
      {"subscript",
       "struct S@ { __device__ int operator[](int v) const { $; return v; } };",
       "", "(void)S@()[1]"},
      {"call-operator",
       "struct S@ { __device__ void operator()() const { $; } };", "",
       "S@()()"},
      {"default-argument",
       "static __device__ int b@() { $; return 0; }\n"
       "static __device__ int s@(int v = b@()) { return v; }",
       "", "(void)s@()"},
      {"member-initializer",
       "static __device__ int b@() { $; return 0; }\nstruct S@ { int v = b@(); "
       "};",
       "", "(void)S@{}"},
      {"initializer-list",
       "static __device__ int b@() { $; return 0; }\n"
       "struct S@ { int v; __device__ S@() : v(b@()) {} };",
       "", "S@()"},
      {"lambda", "", "auto f@ = [&] { $; };", "f@()"},
      {"lambda-in-place", "", "", "[&] { $; }()"},
      {"lambda-generic", "", "auto f@ = [&](auto) { $; };", "f@(1)"},
      {"lambda-passed",
       "template <class F> static __device__ void c@(F f) { f(); }", "",
       "c@([&] { $; })"},
      {"macro", "#define S@() do { $; } while (0)", "", "S@()"},
      {"condition", "static __device__ bool s@() { $; return true; }", "",
       "(void)(s@() ? 1 : 0)"},
      {"short-circuit", "static __device__ bool s@() { $; return true; }", "",
       "(void)(n > 0 && s@())"},
      {"choice", "static __device__ int s@() { $; return 1; }", "",
       "(void)(n > 0 ? s@() : 0)"},
      {"comma", "static __device__ void s@() { $; }", "", "s@(), (void)0"},
      {"switch", "", "",
       "switch (n > 0) { case 1: $; break; default: break; }"},
      {"loop", "", "", "for (int q@ = 0; q@ < 1; ++q@) { $; }"},
      {"do", "", "", "do { $; } while (n < 0)"},
      {"if", "", "", "if (n > 0) { $; }"},
      {"goto",
       "static __device__ void s@() { if (blockDim.x == 0) goto end; $; end:; "
       "}",
       "", "s@()"},
      {"recursion",
       "static __device__ void s@(int d) { if (d > 0) s@(d - 1); else { $; } }",
       "", "s@(2)"},
      {"function-pointer", "static __device__ void s@() { $; }",
       "void (*f@)() = s@;", "f@()"},
      {"virtual",
       "struct B@ { __device__ virtual void go() {} };\n"
       "struct S@ : B@ { __device__ void go() override { $; } };",
       "S@ s@; B@ &b@ = s@;", "b@.go()"},
      {"range-for",
       "struct S@ { int v[1] = {0}; __device__ int *begin() { $; return v; } "
       "__device__ int "
       "*end() { return v + 1; } };",
       "", "{ S@ r@; for (int v : r@) (void)v; }"},
      {"pack", "template <class... T> static __device__ void s@(T...) { $; }",
       "", "s@(1, 2)"},
      {"if-constexpr",
       "template <bool B> static __device__ void s@() { if constexpr (B) { $; "
       "} }",
       "", "s@<true>()"},
  };
  return All;
}

} // namespace catt::fuzz
