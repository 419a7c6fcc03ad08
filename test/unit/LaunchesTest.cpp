//===- LaunchesTest.cpp - Which shapes launches have -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SourceTesting.h"

using namespace catt;
using namespace catt::testing;

namespace {

std::string extent(std::optional<int64_t> E) {
  return E ? std::to_string(*E) : "?";
}
std::string shape(const Shape &S) {
  return extent(S.X) + "x" + extent(S.Y) + "x" + extent(S.Z);
}
std::string launches(const Kernel &K) {
  std::string Result;
  for (const Launch &L : K.Launches) {
    Result += Result.empty() ? "" : " ";
    Result += shape(L.Grid) + ":" + shape(L.Block);
    if (L.DynamicSharedBytes && *L.DynamicSharedBytes)
      Result += ":" + std::to_string(*L.DynamicSharedBytes);
  }
  return Result;
}
std::string launches(llvm::StringRef Host, llvm::StringRef Before = "") {
  return launches(
      parseSnippet(("#include <cuda_runtime.h>\n" + Before +
                    "\n__global__ void k(float *A, int n) {}\n" + Host + "\n")
                       .str())
          .kernel());
}

TEST(Launches, positiveLiterals) {
  EXPECT_EQ(launches("void f(float *A) { k<<<10, 256>>>(A, 1); }"),
            "10x1x1:256x1x1");
}
TEST(Launches, positiveMacro) {
  EXPECT_EQ(launches("void f(float *A) { k<<<N / B, B>>>(A, 1); }",
                     "#define N 1024\n#define B 128"),
            "8x1x1:128x1x1");
}
TEST(Launches, positiveConstexprAndRoundUp) {
  EXPECT_EQ(launches("constexpr int B = 96;\nvoid f(float *A) { k<<<(1000 + B "
                     "- 1) / B, B>>>(A, 1); }"),
            "11x1x1:96x1x1");
}
TEST(Launches, positiveGlobalConstant) {
  EXPECT_EQ(launches("const int Threads = 96;\nvoid f(float *A) { k<<<2, "
                     "Threads>>>(A, 1); }"),
            "2x1x1:96x1x1");
}
TEST(Launches, positiveVariableSetOnce) {
  EXPECT_EQ(launches("void f(float *A) { int threads = 192; int blocks = 40 * "
                     "2; k<<<blocks, threads>>>(A, 1); }"),
            "80x1x1:192x1x1");
}
TEST(Launches, positiveDim3) {
  EXPECT_EQ(
      launches(
          "void f(float *A) { dim3 b(32, 8), g(4, 5); k<<<g, b>>>(A, 1); }"),
      "4x5x1:32x8x1");
}
TEST(Launches, positiveDim3Braces) {
  EXPECT_EQ(
      launches("void f(float *A) { k<<<dim3{7}, dim3{16, 4, 2}>>>(A, 1); }"),
      "7x1x1:16x4x2");
}
TEST(Launches, positiveDim3Reassigned) {
  EXPECT_EQ(
      launches("void f(float *A) { dim3 b(64); k<<<1, b>>>(A, 1); b = "
               "dim3(128); k<<<1, b>>>(A, 1); b.x = 256; k<<<1, b>>>(A, 1); }"),
      "1x1x1:64x1x1 1x1x1:128x1x1 1x1x1:256x1x1");
}
TEST(Launches, positiveHelper) {
  EXPECT_EQ(launches("int up(int a, int b) { return (a + b - 1) / b; }\nvoid "
                     "f(float *A) { k<<<up(1000, 128), 128>>>(A, 1); }"),
            "8x1x1:128x1x1");
}
TEST(Launches, positiveDynamicShared) {
  EXPECT_EQ(
      launches("void f(float *A) { k<<<1, 64, 64 * sizeof(float)>>>(A, 1); }"),
      "1x1x1:64x1x1:256");
}
TEST(Launches, positiveCudaLaunchKernel) {
  EXPECT_EQ(
      launches("void f(float *A) { void *args[1]; cudaLaunchKernel((const void "
               "*)k, dim3(3), dim3(32), args, 0, 0); }"),
      "3x1x1:32x1x1");
}
TEST(Launches, positiveCooperative) {
  Parsed P = parseSnippet(
      "#include <cuda_runtime.h>\n__global__ void k(float *A) {}\n"
      "void f() { void *args[1]; cudaLaunchCooperativeKernel((void *)k, "
      "dim3(3), dim3(32), args, 0, 0); }\n");
  ASSERT_EQ(P.kernel().Launches.size(), 1u);
  EXPECT_TRUE(P.kernel().Launches[0].Cooperative);
}
TEST(Launches, positiveArguments) {
  Parsed P = parseSnippet(
      "__global__ void k(float *A, int n, int m) {}\n"
      "void f(float *A, int q) { k<<<1, 32>>>(A, 4 * 1024, q); }\n");
  const auto &A = P.kernel().Launches.at(0).Arguments;
  EXPECT_EQ(A.at("n"), 4096);
  EXPECT_EQ(A.count("m"), 0u);
}
TEST(Launches, positiveComment) {
  EXPECT_EQ(
      launches(parseSnippet("// catt: launch(grid=320, block=32x8, shared=64)\n"
                            "__global__ void k() {}\n")
                   .kernel()),
      "320x1x1:32x8x1:64");
}
TEST(Launches, positiveTemplate) {
  Parsed P = parseSnippet(
      "template <class T, int B> __global__ void k(T *A) {}\n"
      "template <int B> void f(float *A) { k<float, B><<<2, B>>>(A); }\n"
      "void g(float *A) { f<64>(A); f<128>(A); }\n");
  ASSERT_EQ(P.Kernels.size(), 2u);
  EXPECT_EQ(launches(P.kernel("k<float, 128>")), "2x1x1:128x1x1");
  EXPECT_EQ(launches(P.kernel("k<float, 64>")), "2x1x1:64x1x1");
}

TEST(Launches, positiveAChoiceOfKernels) {
  Parsed P = parseSnippet(
      "__global__ void a(int n) {}\n__global__ void b(int n) {}\n"
      "void f(int n) { (n > 9 ? a : n > 3 ? b : a)<<<n, 64>>>(7); }\n");
  for (const char *Name : {"a", "b"}) {
    const Kernel &K = P.kernel(Name);
    EXPECT_EQ(launches(K), "?x1x1:64x1x1") << Name;
    EXPECT_EQ(K.Launches[0].Arguments.at("n"), 7);
    ASSERT_TRUE(K.Launches[0].Written);
    EXPECT_EQ(K.Launches[0].Written->Obstacle,
              "a launch that chooses its kernel");
  }
}
TEST(Launches, positiveAnotherDeclarationWithOtherNames) {
  Parsed P = parseSnippet("__global__ void k(int, int size);\n"
                          "void f(int m) { k<<<1, 32>>>(7, m); }\n"
                          "__global__ void k(int n, int m) {}\n");
  const Launch &L = P.kernel().Launches.at(0);
  EXPECT_EQ(L.Arguments.at("n"), 7);
  EXPECT_EQ(L.Written->PlainArguments.at("m"), "m");
}
TEST(Launches, positiveTemplateArgumentsThatAreLeftOut) {
  Parsed P = parseSnippet("template <int B = 32> __global__ void k(int n) {}\n"
                          "void f() { k<<<1, 32>>>(7); }\n");
  EXPECT_EQ(P.kernel().Launches.at(0).Written->Kernel, "::k<32>");
}

TEST(Launches, positiveALambdaThatSomethingElseCalls) {
  Parsed P =
      parseSnippet("void each(void (*f)(int));\n"
                   "__global__ void k(int n) {}\n"
                   "void f() { each([](int n) { k<<<n, 64>>>(7); }); }\n");
  EXPECT_EQ(launches(P.kernel()), "?x1x1:64x1x1");
  EXPECT_TRUE(P.kernel().Launches.at(0).Written);
}
TEST(Launches, positiveMacrosThatAreReadTwice) {
  Parsed P = parseSnippet("#define B 64\n#define BLOCKS(n) ((n) + B - 1) / B\n"
                          "__global__ void k(int n) {}\n"
                          "void f(int n) { k<<<BLOCKS(n), B>>>(n / B); }\n");
  const LaunchText &W = *P.kernel().Launches.at(0).Written;
  EXPECT_EQ(W.PlainGrid, "BLOCKS(n)");
  EXPECT_EQ(W.PlainBlock, "B");
  EXPECT_EQ(W.PlainArguments.at("n"), "n / B");
}

TEST(Launches, sizesOfObjectsThatAreCopied) {
  Parsed P = parseSnippet(
      "struct Base { int hidden; };\n"
      "class M : Base {\npublic:\n  float *d; int rows, cols; short pitch;\n"
      "private:\n  int own;\n};\n"
      "M make();\n"
      "__global__ void k(M a, M b, M *c, M &d) {}\n"
      "void f(M m, M *p, M &r) { k<<<4, 32>>>(m, make(), p, r); }\n");
  const LaunchText &W = *P.kernel().Launches.at(0).Written;
  EXPECT_EQ(W.PlainArguments,
            (std::map<std::string, std::string>{{"a.rows", "m.rows"},
                                                {"a.cols", "m.cols"},
                                                {"a.pitch", "m.pitch"}}));
}

TEST(Launches, sizesOfObjectsThatAreMade) {
  auto Arguments = [](const std::string &Given) {
    Parsed P = parseSnippet("struct M { float *d; int rows; long cols; };\n"
                            "struct Derived : M { int n; };\n"
                            "__device__ __host__ int side(int);\n"
                            "__global__ void k(M a) {}\n"
                            "void f(float *A, int n, int m) { k<<<4, 32>>>(" +
                            Given + "); }\n");
    return P.kernel().Launches.at(0).Written->PlainArguments;
  };
  using Texts = std::map<std::string, std::string>;
  EXPECT_EQ(Arguments("M{A, n, m + 1}"),
            (Texts{{"a.rows", "n"}, {"a.cols", "m + 1"}}));
  EXPECT_EQ(Arguments("{A, n, m}"), (Texts{{"a.rows", "n"}, {"a.cols", "m"}}));
  EXPECT_EQ(Arguments("M{.d = A, .cols = 64}"), (Texts{{"a.cols", "64"}}));
  EXPECT_EQ(Arguments("M{A, n++, side(m)}"), Texts());
  EXPECT_EQ(Arguments("Derived{{A, n, m}, 4}"), Texts());
}

TEST(Launches, negativeTextsThatAreNotReadTwice) {
  for (const char *Launch : {"#define BOTH n / 2, n\nvoid f(int n) { k<<<BOTH",
                             "void f(int n) { k<<<n /*\n*/ // all\n / 2, n++",
                             "void f(int n) { k<<<n //\n / 2, n = 3"}) {
    Parsed P = parseSnippet("__global__ void k() {}\n" + std::string(Launch) +
                            ">>>(); }\n");
    const LaunchText &W = *P.kernel().Launches.at(0).Written;
    EXPECT_EQ(W.PlainGrid, "") << Launch;
    EXPECT_EQ(W.PlainBlock, "") << Launch;
  }
}
TEST(Launches, negativeAChoiceWithAVariable) {
  Parsed P = parseSnippet(
      "__global__ void a(int n) {}\n"
      "void f(int n, void (*b)(int)) { (n ? a : b)<<<n, 64>>>(7); }\n");
  EXPECT_EQ(launches(P.kernel()), "?x?x?:?x?x?");
}
TEST(Launches, negativeArgument) {
  EXPECT_EQ(
      launches("void f(float *A, int threads) { k<<<1, threads>>>(A, 1); }"),
      "1x1x1:?x1x1");
}
TEST(Launches, negativeAssignedTwice) {
  EXPECT_EQ(launches("bool c(); void f(float *A) { int t = 64; if (c()) t = "
                     "128; k<<<1, t>>>(A, 1); }"),
            "1x1x1:?x1x1");
}
TEST(Launches, negativeChangesInALoop) {
  EXPECT_EQ(launches("void f(float *A) { for (int t = 32; t < 512; t *= 2) "
                     "k<<<1, t>>>(A, 1); }"),
            "1x1x1:?x1x1");
}
TEST(Launches, negativeReadAtRunTime) {
  EXPECT_EQ(launches("int atoi(const char *); void f(float *A, char **v) { int "
                     "t = atoi(v[1]); k<<<t, t>>>(A, 1); }"),
            "?x1x1:?x1x1");
}
TEST(Launches, negativeCommentWithoutBlock) {
  Parsed P =
      parseSnippet("// catt: launch(grid=320)\n__global__ void k() {}\n");
  EXPECT_TRUE(P.kernel().Launches.empty());
  ASSERT_EQ(P.Problems.size(), 1u);
  EXPECT_EQ(P.Problems[0].Where.Line, 1u);
}
TEST(Launches, negativeNobodyLaunches) {
  EXPECT_EQ(launches("void f() {}"), "");
}

//===-- Sizes that something else may change
//-------------------------------===//

const char *Prelude = R"(
#include <cuda_runtime.h>
void hold(void *);
struct Box { int b = 128; };
struct Pair { Box *first; int second; };
struct Chain {
  int b;
  Chain() : b(64) {}
  Chain &threads(int v) { b = v; return *this; }
};
struct Base { int b = 64; };
struct Derived : Base { int b = 128; };
struct Keeps { Keeps(); int b = 128; };
struct Twice { int b; Twice(int x) : b(x) {} Twice(const Twice &o) : b(o.b * 4) {} };
struct Virtual { virtual void set(int &b) {} };
union Bytes { int b; char c[4]; };
struct Bits { unsigned b : 8; };
struct Assigns {
  int b = 128;
  void grow() { b = 512; }
  void later() { auto f = [this] { b = 512; }; f(); }
  void pointed() { (*this).b = 512; }
};
template <class F> void each(F f) { hold(&f); }
void take(int &);
void look(const int &);
void point(int *);
void box(Box &);
bool c();
int setjmp(int *);
void *memset(void *, int, __SIZE_TYPE__);
inline void setsIt(int &b) { b = 512; }
inline void passesOn(int &b) { take(b); }
inline void castsIt(const int &b) { const_cast<int &>(b) = 512; }
inline int &same(int &b) { return b; }
inline int next(int &b) { return b += 128; }
namespace mine { inline int max(int a, int b) { return a + b; } }
inline int early(int n) { for (int i = 0; i < n; ++i) if (c()) return 512; return 128; }
inline int local() { int b = 128; b = 512; return b; }
__attribute__((weak)) int weakSize() { return 128; }
static int global = 128;
int shared = 128;
extern const int elsewhere;
#define SET(x) (c() && ((x) = 512))
#define POKE(x) point(&(x))
)";

/// The launches of one kernel each for many bodies, parsed at once. `K` stands
/// for the kernel's name.
std::vector<std::string> launchesOfBodies(llvm::ArrayRef<const char *> Bodies) {
  std::string Code = Prelude;
  for (size_t I = 0; I < Bodies.size(); ++I) {
    std::string N = std::to_string(I), Body = Bodies[I];
    for (size_t At; (At = Body.find("K<<<")) != std::string::npos;)
      Body.replace(At, 1, "kernel" + N);
    for (size_t At; (At = Body.find("KERNEL")) != std::string::npos;)
      Body.replace(At, 6, "kernel" + N);
    Code += "static __global__ void kernel";
    Code += N;
    Code += "(float *A) {}\nvoid f";
    Code += N;
    Code += "(float *A, int argc) {\n";
    Code += Body;
    Code += "\n}\n";
  }
  Parsed P = parseSnippet(Code, {"-std=c++20"});
  std::vector<std::string> Result;
  for (size_t I = 0; I < Bodies.size(); ++I)
    Result.push_back(launches(P.kernel("kernel" + std::to_string(I))));
  return Result;
}

TEST(Launches, negativeSomethingElseMayChangeTheSize) {
  // Some of them take two lines.
  // NOLINTBEGIN(bugprone-suspicious-missing-comma)
  const char *Bodies[] = {
      // Lambdas.
      "int b = 128; each([&](int s) { b = s; }); K<<<1, b>>>(A);",
      "int b = 128; each([&b](int s) { b += s; }); K<<<1, b>>>(A);",
      "int b = 128; each([&](auto s) { b = s; }); K<<<1, b>>>(A);",
      "int b = 128; each([&] { each([&] { b = 512; }); }); K<<<1, b>>>(A);",
      "int b = 128; each([p = &b] { *p = 512; }); K<<<1, b>>>(A);",
      "int b = 128; each([&r = b] { r = 512; }); K<<<1, b>>>(A);",
      "int b = 128; auto f = [=] { K<<<1, b>>>(A); }; b = 512; f();",
      "int b = 128; auto f = [=]() mutable { b = 512; K<<<1, b>>>(A); }; f();",
      "auto f = [x = 128, A]() mutable { K<<<1, x>>>(A); x = 512; }; f(); f();",
      "auto f = [&](int b) { K<<<1, b>>>(A); }; f(128); each(f);",
      "auto f = [&](int b) { K<<<1, b>>>(A); }; f(128); auto g = f; each(g);",
      "auto f = [&](int b) { K<<<1, b>>>(A); }; f(128); each([&] { f(512); });",
      "each([&](int b) { K<<<1, b>>>(A); });",
      "each([x = 128, A]() mutable { K<<<1, x>>>(A); x = 512; });",
      "int b = 128; each([=]() mutable { K<<<1, b>>>(A); b = 512; });",
      "each([A] { static int x = 128; K<<<1, x>>>(A); x = 512; });",
      "int b = 128; each([&] { b = 256; each(0); K<<<1, b>>>(A); });",
      // References, pointers and addresses.
      "int b = 128; take(b); K<<<1, b>>>(A);",
      "int b = 128; look(b); K<<<1, b>>>(A);",
      "int b = 128; point(&b); K<<<1, b>>>(A);",
      "int b = 128; POKE(b); K<<<1, b>>>(A);",
      "int b = 128; int *p = &b; *p = 512; K<<<1, b>>>(A);",
      "int b = 128; passesOn(b); K<<<1, b>>>(A);",
      "int b = 128; same(b) = 512; K<<<1, b>>>(A);",
      "int b = 128; Virtual *v = nullptr; v->set(b); K<<<1, b>>>(A);",
      "int b = 128; void (*f)(int &) = take; f(b); K<<<1, b>>>(A);",
      "int b = 128, d = 64; int &r = c() ? b : d; r = 512; K<<<1, b>>>(A);",
      "int b = 128, d = 64; (c() ? b : d) = 512; K<<<1, b>>>(A);",
      "int b = 128; int &r = (c(), b); take(r); K<<<1, b>>>(A);",
      "int b = 128; int &r = b; int &q = r; take(q); K<<<1, b>>>(A);",
      "int b = 128; int &&r = static_cast<int &&>(b); take(r); K<<<1, b>>>(A);",
      "int b = 128; int *p[] = {&b}; for (int *q : p) *q = 1; K<<<1, b>>>(A);",
      "int b = 128; memset(&b, 1, 2); K<<<1, b>>>(A);",
      "dim3 b(128); memset(&b, 1, 2); K<<<1, b>>>(A);",
      "dim3 b(128); take((int &)b.x); K<<<1, b>>>(A);",
      "dim3 b(128); auto &[x, y, z] = b; x = 512; K<<<1, b>>>(A);",
      "struct R { int &r; }; int b = 128; R r{b}; r.r = 512; K<<<1, b>>>(A);",
      "struct R { int &r; R(int &x) : r(x) {} ~R() { r = 512; } }; int b = "
      "128; { R r(b); } K<<<1, b>>>(A);",
      // Objects.
      "Box x; box(x); K<<<1, x.b>>>(A);",
      "Box x; Pair p{&x, 3}; p.first->b = 512; K<<<1, x.b>>>(A);",
      "Box x[2]; for (auto &e : x) e.b = 512; K<<<1, x[0].b>>>(A);",
      "Chain x; x.threads(64).threads(argc > 3 ? 512 : 128); K<<<1, x.b>>>(A);",
      "Derived x; K<<<1, static_cast<Base &>(x).b>>>(A);",
      "Derived x; x.Base::b = 512; K<<<1, x.Base::b>>>(A);",
      "Keeps x; K<<<1, x.b>>>(A);",
      "Bytes u; u.b = 128; u.c[1] = 2; K<<<1, u.b>>>(A);",
      "Bits x; x.b = 300; K<<<1, x.b>>>(A);",
      "Assigns x; x.later(); K<<<1, x.b>>>(A);",
      "Assigns x; x.pointed(); K<<<1, x.b>>>(A);",
      "Assigns x; for (int i = 0; i < argc; ++i) x.grow(); K<<<1, x.b>>>(A);",
      // What may run or not.
      "int b = 512; (argc > 1) && (b = 128); K<<<1, b>>>(A);",
      "int b = 512; (argc <= 1) || (b = 128); K<<<1, b>>>(A);",
      "int b = 128; SET(b); K<<<1, b>>>(A);",
      "int b = 512; argc > 1 ? (void)(b = 128) : (void)0; K<<<1, b>>>(A);",
      "int b = 512, n = 1; if (argc > 1 && (b = 128) && n) ++n; "
      "K<<<1, b>>>(A);",
      "int b = 512; while (argc > 1 && (b = 128)) break; K<<<1, b>>>(A);",
      "int b = 512; for (; c(); b = 128) ; K<<<1, b>>>(A);",
      "int b = 512; do { if (c()) break; b = 128; } while (0); K<<<1, b>>>(A);",
      "int b = 512; switch (argc) { case 1: b = 128; } K<<<1, b>>>(A);",
      "int b = 512; switch (argc) { if (0) { case 1: b = 128; } "
      "K<<<1, b>>>(A); }",
      "int b = 512; switch (int x = c() && (b = 128); x) { default:; } "
      "K<<<1, b>>>(A);",
      "int b = 128; L: K<<<1, b>>>(A); if (c()) { b = 512; goto L; }",
      "int b = 128; if (c()) goto L; b = 512; L: K<<<1, b>>>(A);",
      "int b = 512; try { c(); b = 128; c(); } catch (...) {} K<<<1, b>>>(A);",
      "int b = 128; int j[9]; if (setjmp(j)) b = 512; K<<<1, b>>>(A);",
      "int b = 512; int x = ({ c() ? (b = 128) : 0; }); K<<<1, b>>>(A);",
      "int b = 128; b ?: (b = 512); (b += 1) ?: 2; K<<<1, b>>>(A);",
      "int b = 128; for (int i = 0; i < 4; ++i) (void)sizeof(b++), take(b); "
      "K<<<1, b>>>(A);",
      // Values that others hold.
      "global = 128; c(); K<<<1, global>>>(A);",
      "shared = 128; K<<<1, shared>>>(A);",
      "K<<<1, elsewhere>>>(A);",
      "static int b = 128; K<<<1, b>>>(A); b = 512;",
      "thread_local int b = 128; K<<<1, b>>>(A);",
      "volatile int b = 128; K<<<1, b>>>(A);",
      "int b = 128; asm(\"\" : \"+r\"(b)); K<<<1, b>>>(A);",
      "int b = 128; asm(\"\" : : \"m\"(b) : \"memory\"); K<<<1, b>>>(A);",
      "K<<<1, weakSize()>>>(A);",
      "K<<<1, early(argc)>>>(A);",
      // Launches that nothing shows.
      "K<<<1, 128>>>(A); auto p = KERNEL; p<<<1, 512>>>(A);",
      "K<<<1, 128>>>(A), each(KERNEL);",
      "K<<<1, 128>>>(A); struct S { void go(float *A, int b) { "
      "K<<<1, b>>>(A); } };",
      "K<<<1, 128>>>(A); return; K<<<1, argc>>>(A);",
  };
  // NOLINTEND(bugprone-suspicious-missing-comma)
  auto Found = launchesOfBodies(Bodies);
  for (size_t I = 0; I < Found.size(); ++I)
    EXPECT_NE(Found[I].find('?'), std::string::npos)
        << Bodies[I] << "\n  " << Found[I];
}

TEST(Launches, positiveEveryPathGivesTheSize) {
  const std::pair<const char *, const char *> Bodies[] = {
      {"dim3 b(64); K<<<1, b>>>(A); b.x = 128; K<<<1, b>>>(A);",
       "1x1x1:64x1x1 1x1x1:128x1x1"},
      {"int b = c() ? 128 : 128; K<<<1, b>>>(A);", "1x1x1:128x1x1"},
      {"int b; if (c()) b = 64; else b = 64; K<<<1, b>>>(A);", "1x1x1:64x1x1"},
      {"constexpr int b = 1 << 7; const int d = b; K<<<1, d>>>(A);",
       "1x1x1:128x1x1"},
      {"enum { B = 96 }; K<<<1, B>>>(A);", "1x1x1:96x1x1"},
      {"static const int b = 96; K<<<1, b>>>(A);", "1x1x1:96x1x1"},
      {"Box x; K<<<1, x.b>>>(A);", "1x1x1:128x1x1"},
      {"Box x; x.b = 64; Box y = x; K<<<1, y.b>>>(A);", "1x1x1:64x1x1"},
      {"struct P { const int b = 96; }; P p; K<<<1, p.b>>>(A);",
       "1x1x1:96x1x1"},
      {"Assigns x; x.grow(); K<<<1, x.b>>>(A);", "1x1x1:512x1x1"},
      {"int b = 128; setsIt(b); K<<<1, b>>>(A);", "1x1x1:512x1x1"},
      {"int b = 128; castsIt(b); K<<<1, b>>>(A);", "1x1x1:512x1x1"},
      {"Twice x(128); Twice y = x; K<<<1, y.b>>>(A);", "1x1x1:512x1x1"},
      {"int b = 128; int &r = b; r = 64; K<<<1, b>>>(A);", "1x1x1:64x1x1"},
      {"int b = 128; auto f = [&] { K<<<1, b>>>(A); }; f();", "1x1x1:128x1x1"},
      {"auto f = [&](int b) { K<<<1, b>>>(A); }; f(64); f(128);",
       "1x1x1:64x1x1 1x1x1:128x1x1"},
      {"int b = 128; each([=] { return b; }); K<<<1, b>>>(A);",
       "1x1x1:128x1x1"},
      {"int b = 32; for (int i = 0; i < 3; ++i) b += 32; K<<<1, b>>>(A);",
       "1x1x1:128x1x1"},
      {"unsigned char b = 255; b += 65; K<<<1, b>>>(A);", "1x1x1:64x1x1"},
      {"K<<<1, mine::max(64, 32)>>>(A);", "1x1x1:96x1x1"},
      {"int b = next(*new int(1)) > 0 ? 64 : 64; K<<<1, b>>>(A);",
       "1x1x1:64x1x1"},
      {"if (local() > 256) K<<<1, local()>>>(A);", "1x1x1:512x1x1"},
      {"int b = 128; if (next(b) > 300) b = 1; K<<<1, b>>>(A);", "?"},
      {"cudaFuncAttributes a; cudaFuncGetAttributes(&a, KERNEL); "
       "K<<<1, 64>>>(A);",
       "1x1x1:64x1x1"},
      {"int b = 128; switch (argc) { case 1: b = 64; K<<<1, b>>>(A); break; }",
       "1x1x1:64x1x1"},
      {"int n = 1000, b = 128; K<<<(n + b - 1) / b, b>>>(A);", "8x1x1:128x1x1"},
  };
  std::vector<const char *> Code;
  for (auto &[Body, Expected] : Bodies)
    Code.push_back(Body);
  auto Found = launchesOfBodies(Code);
  for (size_t I = 0; I < Found.size(); ++I)
    if (llvm::StringRef(Bodies[I].second) == "?")
      EXPECT_NE(Found[I].find('?'), std::string::npos) << Bodies[I].first;
    else
      EXPECT_EQ(Found[I], Bodies[I].second) << Bodies[I].first;
}

} // namespace
