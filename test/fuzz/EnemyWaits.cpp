//===- EnemyWaits.cpp - Disguises of waits and barriers --------------------==//
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

/// An int that is read where ^ points to.
const std::vector<Layer> &readers() {
  static const std::vector<Layer> All = {
      {"volatile", "", "", "(*(volatile int *)(^))"},
      {"volatile-parameter",
       "static __device__ int r@(volatile int *p) { return *p; }", "", "r@(^)"},
      {"volatile-reference",
       "static __device__ int r@(volatile int &p) { return p; }", "",
       "r@(*(^))"},
      {"atomicAdd", "", "", "atomicAdd(^, 0)"},
      {"atomicOr", "", "", "atomicOr(^, 0)"},
      {"atomicCAS", "", "", "atomicCAS(^, 0, 0)"},
      {"atomicMax", "", "", "atomicMax(^, 0)"},
      {"ldcg", "", "", "__ldcg(^)"},
      {"ldcv", "", "", "__ldcv(^)"},
      {"asm-cg",
       "static __device__ int r@(int *p) { int v; asm "
       "volatile(\"ld.global.cg.s32 %0, [%1];\" : "
       "\"=r\"(v) : \"l\"(p) : \"memory\"); return v; }",
       "", "r@(^)"},
      {"asm-acquire",
       "static __device__ int r@(int *p) { int v; asm "
       "volatile(\"ld.acquire.gpu.global.s32 %0, "
       "[%1];\" : \"=r\"(v) : \"l\"(p) : \"memory\"); return v; }",
       "", "r@(^)"},
      {"atomic-ref", "", "",
       "cuda::atomic_ref<int, "
       "cuda::thread_scope_device>(*(^)).load(cuda::memory_order_acquire)"},
      {"atomic-ref-conversion", "", "",
       "(int)cuda::atomic_ref<int, cuda::thread_scope_device>(*(^))"},
      {"own-atomic",
       "struct A@ { volatile int *p; __device__ operator int() const { return "
       "*p; } };",
       "", "(A@{^} + 0)"},
  };
  return All;
}

/// The same, in disguise.
const std::vector<Layer> &readerLayers() {
  static const std::vector<Layer> All = {
      {"none", "", "", "$"},
      {"helper", "static __device__ int g@(int *p) { return $; }", "", "g@(^)"},
      {"template",
       "template <class T> static __device__ T g@(T *p) { return $; }", "",
       "g@(^)"},
      {"member",
       "struct G@ { int *p; __device__ int get() const { return $; } };", "",
       "G@{^}.get()"},
      {"conversion",
       "struct G@ { int *p; __device__ operator int() const { return $; } };",
       "", "(G@{^} + 0)"},
      {"bool",
       "struct G@ { int *p; __device__ explicit operator bool() const { return "
       "($) != 0; } };",
       "", "(G@{^} ? 1 : 0)"},
      {"out-reference",
       "static __device__ bool g@(int *p, int &o) { o = $; return true; }",
       "int o@ = 0;", "(g@(^, o@), o@)"},
      {"out-pointer", "static __device__ void g@(int *p, int *o) { *o = $; }",
       "int o@ = 0;", "(g@(^, &o@), o@)"},
      {"constructor", "struct G@ { int v; __device__ G@(int *p) : v($) {} };",
       "", "G@(^).v"},
      {"macro", "#define G@(p) ($)", "", "G@(^)"},
      {"comparison",
       "struct G@ { int *p; };\n"
       "static __device__ int operator*(G@ g) { int *p = g.p; return $; }",
       "", "(*G@{^})"},
      {"function-pointer", "static __device__ int g@(int *p) { return $; }",
       "int (*q@)(int *) = g@;", "q@(^)"},
  };
  return All;
}

/// Statements that end once what is read at ^ is not zero.
const std::vector<Layer> &waits() {
  static const std::vector<Layer> All = {
      {"while", "", "", "while ($ == 0) {}"},
      {"while-sleeping", "", "", "while ($ == 0) __nanosleep(20);"},
      {"while-variable", "", "", "while (int v = $ == 0) (void)v;"},
      {"do", "", "", "int w@; do { w@ = $; } while (w@ == 0);"},
      {"for", "", "", "for (; $ == 0;) ;"},
      {"for-variable", "", "", "for (int w@ = 0; w@ == 0; w@ = $) ;"},
      {"break", "", "", "for (;;) { if ($ != 0) break; }"},
      {"done-variable", "", "",
       "bool d@ = false; while (!d@) { if ($ != 0) d@ = true; }"},
      {"counted", "", "", "int t@ = 0; while ($ == 0) ++t@;"},
      {"bounded", "", "",
       "for (int t@ = 0; t@ < 1000000000 && $ == 0; ++t@) ;"},
      {"bounded-behind", "", "",
       "int t@ = 0; while ($ == 0 && t@ < 1000000000) ++t@;"},
      {"goto", "", "", "again@: if ($ == 0) goto again@;"},
      {"lambda", "", "", "auto r@ = [&] { return $ != 0; }; while (!r@()) {}"},
      {"lambda-waits", "", "", "[&] { while ($ == 0) {} }();"},
      {"helper", "static __device__ void w@(int *p) { while (` == 0) {} }", "",
       "w@(^);"},
      {"helper-returns",
       "static __device__ bool w@(int *p) { for (;;) if (` != 0) return true; "
       "}",
       "", "(void)w@(^);"},
      {"helper-switch",
       "static __device__ bool w@(int *p) { for (;;) switch (`) { case 0: "
       "break; default: return "
       "true; } }",
       "", "if (!w@(^)) return;"},
      {"switch-continue", "", "",
       "for (bool m@ = true; m@;) switch ($) { case 0: continue; default: m@ = "
       "false; }"},
      {"member",
       "struct W@ { int *p; __device__ void wait() const { while (` == 0) {} } "
       "};",
       "", "W@{^}.wait();"},
      {"constructor",
       "struct W@ { __device__ W@(int *p) { while (` == 0) {} } };", "",
       "W@ u@(^);"},
      {"destructor",
       "struct W@ { int *p; __device__ ~W@() { while (` == 0) {} } };", "",
       "{ W@ u@{^}; }"},
      {"template",
       "template <class P> static __device__ void w@(P p) { while (` == 0) {} "
       "}",
       "", "w@(^);"},
      {"recursion",
       "static __device__ void w@(int *p, int d) { if (d > 0) return w@(p, d - "
       "1); while (` == 0) "
       "{} }",
       "", "w@(^, 2);"},
      {"in-blocks", "", "",
       "while (true) { int t@ = 0; for (int q@ = 0; q@ < 4; ++q@) t@ |= $; if "
       "(t@) break; }"},
      {"wait-of-atomic", "", "",
       "cuda::atomic_ref<int, cuda::thread_scope_device>(*(^)).wait(0);"},
  };
  return All;
}

/// A block's barrier. The twin says "__threadfence_block()".
const std::vector<Layer> &barriers() {
  static const std::vector<Layer> All = {
      {"syncthreads", "", "", "__syncthreads()"},
      {"syncthreads-or", "", "", "(void)__syncthreads_or(1)"},
      {"syncthreads-count", "", "", "(void)__syncthreads_count(1)"},
      {"syncthreads-and", "", "", "(void)__syncthreads_and(1)"},
      {"group", "", "", "cooperative_groups::this_thread_block().sync()"},
      {"group-sync", "", "",
       "cooperative_groups::sync(cooperative_groups::this_thread_block())"},
      {"asm-0", "", "", "asm volatile(\"bar.sync 0;\" ::: \"memory\")"},
      {"asm-commented", "", "",
       "asm volatile(\"// nothing\\n\\tbar.sync 0;\")"},
      {"asm-block-comment", "", "",
       "asm volatile(\"/* nothing */ barrier.sync 0;\")"},
      {"asm-named", "", "",
       "asm volatile(\"bar.sync 1, %0;\" :: \"r\"(blockDim.x))"},
      {"cub-reduce",
       "static __device__ void b@() { using R = cub::BlockReduce<int, 64>; "
       "__shared__ typename "
       "R::TempStorage t[2]; (void)R(t[0]).Sum(1); (void)R(t[1]).Sum(1); }",
       "", "b@()"},
  };
  return All;
}

} // namespace catt::fuzz
