//===- EnemyLaunches.cpp - Launches that are tempting to edit --------------==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   launch-edit   something has to happen at a launch that stands where nothing
//                 can be put before it, or whose bytes are not what they seem
//   launch-fact   the block that is launched is not the one that was declared
//
//===----------------------------------------------------------------------===//

#include "test/fuzz/Enemy.h"
#include "llvm/ADT/StringRef.h"

namespace catt::fuzz {
namespace {

/// @: a number; L(b): a launch with b bytes; K(b): the same in a template.
struct HostForm {
  const char *Name, *Global, *Body;
};

const HostForm Edits[] = {
    {"switch", "", "switch (n) { case 5: L(1024); break; default: break; }"},
    {"switch-lines", "",
     "switch (n) {\n  case 5:\n    L(1024);\n    break;\n  default:\n    "
     "break;\n  }"},
    {"default", "", "switch (n) { default: L(1024); }"},
    {"two-cases", "",
     "switch (n) { case 4: case 5: L(2048); default: L(1024); }"},
    {"do", "", "size_t b = 1024; do L(b); while ((b *= 2) < 9000);"},
    {"for", "", "for (size_t b = 1024; b < 9000; b += 3000) L(b);"},
    {"for-init", "", "int q = 0; for (L(1024); q < 1; ++q) ;"},
    {"for-step", "", "for (size_t b = 1024; b < 9000; b *= 2, L(b)) ;"},
    {"while-head", "", "int q = 2; while (L(1024), --q > 0) ;"},
    {"if-head", "", "if (L(1024), n > 0) ++n;"},
    {"comma", "", "size_t b = 1024; b = 16384, L(b);"},
    {"comma-after", "", "size_t b = 1024; L(b), b = 20000; L(b);"},
    {"generic-lambda", "",
     "auto f = [&](auto q) { L(q); }; f(1024); f(16384);"},
    {"lambda", "", "auto f = [&](size_t q) { L(q); }; f(1024); f(16384);"},
    {"lambda-expression", "", "[&] { L(1024); }();"},
    {"template", "template <int Q> static void go@(PARAMS) { L(Q); }",
     "go@<1024>(ARGS); go@<16384>(ARGS);"},
    {"template-type",
     "template <class T> static void go@(PARAMS) { L(sizeof(T) * 512); }",
     "go@<int>(ARGS); go@<double>(ARGS);"},
    {"shadow", "", "size_t b = 1024; { size_t b = 8192; L(b); } L(b);"},
    {"reference", "", "size_t b = 1024; size_t &r = b; r = 8192; L(b);"},
    {"pointer", "", "size_t b = 1024; *&b = 8192; L(b);"},
    {"lambda-raises", "", "size_t b = 1024; [&] { b = 8192; }(); L(b);"},
    {"struct", "", "struct { size_t b = 1024; } c; c.b = 8192; L(c.b);"},
    {"branches", "", "if (n > 0) L(1024); else L(2048);"},
    {"else", "", "if (n < 0) L(1024); else L(2048);"},
    {"choice", "", "n > 0 ? (L(1024), 0) : 1;"},
    {"and", "", "(void)(n > 0 && (L(1024), true));"},
    {"label", "", "goto go@; go@: L(1024);"},
    {"label-loop", "", "int q = 0; again@: L(1024); if (++q < 2) goto again@;"},
    {"side-effect", "", "size_t b = 1024; L(b++); if (b != 1025) L(300000);"},
    {"side-effect-call",
     "static size_t b@;\nstatic size_t next@() { return b@ += 1024; }",
     "b@ = 0; L(next@()); if (next@() != 2048) L(300000);"},
    {"macro", "#define GO@(b) L(b)", "GO@(1024); GO@(2048);"},
    {"macro-do", "#define GO@(b) do { L(b); } while (0)",
     "if (n > 0) GO@(1024); else GO@(64 * 64);"},
    {"return", "", "return L(1024);"},
    {"return-lambda", "",
     "auto f = [&](int b) { return L(b); }; f(1024); f(4096);"},
    {"constructor", "struct Run@ { int v; Run@(PARAMS) : v((L(1024), 3)) {} };",
     "Run@ r(ARGS); n += r.v;"},
    {"constructor-body", "struct Run@ { Run@(PARAMS) { L(1024); } };",
     "Run@ r(ARGS); (void)r;"},
    {"member-of-template",
     "template <int Q> struct Run@ { static void go(PARAMS) { L(Q); } };",
     "Run@<1024>::go(ARGS); Run@<4096>::go(ARGS);"},
    {"initializer", "", "int v = (L(1024), 3); n += v;"},
    {"initializer-list", "",
     "int v[] = {(L(1024), 3), (L(2048), 4)}; n += v[0];"},
    {"argument", "static void take@(int) {}", "take@((L(1024), 3));"},
    {"range", "", "for (int b : {1024, 8192}) L(b);"},
    {"for-each", "",
     "int all[] = {1024, 8192}; std::for_each(all, all + 2, [&](int b) { L(b); "
     "});"},
    {"function", "",
     "std::function<void(int)> f = [&](int b) { L(b); }; f(1024); f(8192);"},
    {"device-comma", "", "cudaSetDevice(0), L(1024);"},
    {"device-if", "", "if (cudaSetDevice(0) == cudaSuccess) L(1024);"},
    {"device-and", "",
     "(void)(cudaSetDevice(0) == cudaSuccess && (L(1024), true));"},
    {"kernel-pointer", "",
     "auto *f = KERNEL; f<<<GRID, BLOCK, 1024>>>(REST(1024));"},
    {"kernel-parameter",
     "template <class F> static void with@(F f, PARAMS) { f<<<GRID, BLOCK, "
     "2048>>>(REST(2048)); }",
     "with@(KERNEL, ARGS);"},
    {"near-the-limit", "", "L(1024); L(48000);"},
    {"own-attribute", "",
     "cudaFuncSetAttribute(KERNEL, "
     "cudaFuncAttributeMaxDynamicSharedMemorySize, 60000); L(60000);"},
    {"own-attribute-later", "",
     "L(1024); cudaFuncSetAttribute(KERNEL, "
     "cudaFuncAttributeMaxDynamicSharedMemorySize, 60000); L(60000);"},
    {"api", "",
     "int w = 256; void *all[] = {&A, &out, &flags, &ro, &n, &w}; "
     "cudaLaunchKernel((const void *)KERNEL, dim3(GRID), dim3(BLOCK), all, "
     "1024, 0);"},
    {"if-constexpr",
     "template <bool B> static void go@(PARAMS) { if constexpr (B) L(1024); "
     "else L(2048); }",
     "go@<true>(ARGS); go@<false>(ARGS);"},
    {"nested-switch", "",
     "switch (n) { case 5: switch (n + 1) { case 6: L(1024); } break; default: "
     "L(3000); }"},
    {"switch-in-template",
     "template <int Q> static void go@(PARAMS) { switch (n) { case 5: L(Q); "
     "break; default: L(Q * 2); } }",
     "go@<1024>(ARGS); go@<4096>(ARGS);"},
    {"try", "", "try { L(1024); } catch (...) { L(2048); }"},
    {"declaration-in-if", "",
     "if (size_t b = 1024; n > 0) L(b); else L(b * 2);"},
    {"switch-variable", "", "switch (size_t b = 1024; n) { case 5: L(b); }"},
    {"grid-changes", "",
     "size_t b = 1024; dim3 g(GRID); for (; b < 9000; b *= 2) KERNEL<<<g, "
     "BLOCK, b>>>(REST(b));"},
};

const HostForm Facts[] = {
    {"for-each", "",
     "int sizes[] = {64, 128, 32}; int b = 64; std::for_each(sizes, sizes + 3, "
     "[&](int s) { b = std::max(b, s); }); B(b);"},
    {"lambda", "", "int b = 64; auto f = [&] { b = 128; }; f(); B(b);"},
    {"lambda-init", "", "int b = 64; [&r = b] { r = 128; }(); B(b);"},
    {"function", "",
     "int b = 64; std::function<void()> f = [&] { b = 128; }; f(); B(b);"},
    {"reference", "", "int b = 64; int &r = b; r = 128; B(b);"},
    {"reference-chain", "",
     "int b = 64; int &q = b; int &r = q; r *= 2; B(b);"},
    {"pointer", "", "int b = 64; int *p = &b; *p = 128; B(b);"},
    {"pointer-parameter", "static void set@(int *p) { *p = 128; }",
     "int b = 64; set@(&b); B(b);"},
    {"reference-parameter", "static void set@(int &p) { p = 128; }",
     "int b = 64; set@(b); B(b);"},
    {"binding", "struct P@ { int a, b; };",
     "P@ p{64, 1}; auto &[x, y] = p; x = 128; B(p.a);"},
    {"and", "", "int b = 128; (void)((n > 9) && (b = 64)); B(b);"},
    {"or", "", "int b = 128; (void)((n < 9) || (b = 64)); B(b);"},
    {"choice", "", "int b = 128; n > 9 ? (void)(b = 64) : (void)0; B(b);"},
    {"if-head", "", "int b = 128; if (n > 9 && (b = 64) && n) ++n; B(b);"},
    {"while-head", "", "int b = 128; while (n > 9 && (b = 64)) break; B(b);"},
    {"setters",
     "struct S@ { int b = 64; S@ &set(int v) { b = v; return *this; } };",
     "S@ s; s.set(64).set(n > 3 ? 128 : 64); B(s.b);"},
    {"pair", "struct S@ { int b = 64; };",
     "S@ s; auto p = std::make_pair(&s, 3); p.first->b = 128; B(s.b);"},
    {"range", "struct S@ { int b = 64; };",
     "S@ s[2]; for (auto &e : s) e.b = 128; B(s[0].b);"},
    {"swap", "", "int b = 64, c = 128; std::swap(b, c); B(b);"},
    {"exchange", "", "int b = 64; std::exchange(b, 128); B(b);"},
    {"global", "static int b@ = 64;\nstatic void set@() { b@ = 128; }",
     "set@(); B(b@);"},
    {"dim3-member", "", "dim3 d(64); d.x = 128; B(d);"},
    {"dim3-reference", "", "dim3 d(64); dim3 &r = d; r.x = 128; B(d);"},
    {"dim3-pointer", "", "dim3 d(64); unsigned *p = &d.x; *p *= 2; B(d);"},
    {"dim3-binding", "", "dim3 d(64); auto &[x, y, z] = d; x = 128; B(d);"},
    {"dim3-assigned", "",
     "dim3 d(64); d = n > 3 ? dim3(128) : dim3(64); B(d);"},
    {"doubled", "", "int b = 32; while (b < 100) b *= 2; B(b);"},
    {"switch", "",
     "int b = 64; switch (n) { case 5: b = 128; break; default: b = 32; } "
     "B(b);"},
    {"goto", "",
     "int b = 64; again@: if (b < 128) { b += 64; goto again@; } B(b);"},
    {"default-argument", "static int size@(int v = 128) { return v; }",
     "int b = 64; b = size@(); B(b);"},
    {"union", "",
     "union { int a; unsigned b; } u; u.a = 64; u.b = 128; B(u.a);"},
    {"array", "", "int b[2] = {64, 64}; b[n & 1] = 128; B(b[1]);"},
    {"memcpy", "", "int b = 64, c = 128; memcpy(&b, &c, sizeof b); B(b);"},
    {"two-sizes", "", "B(64); B(128);"},
    {"loop", "", "for (int b = 32; b <= 128; b *= 2) B(b);"},
    {"template", "template <int Q> static void go@(PARAMS) { B(Q); }",
     "go@<64>(ARGS); go@<128>(ARGS);"},
    {"conversion",
     "struct S@ { int b = 64; operator int() const { return b * 2; } };",
     "S@ s; B(int(s));"},
};

std::string replaced(std::string In, llvm::StringRef What, llvm::StringRef By) {
  for (size_t At = 0; (At = In.find(What.str(), At)) != std::string::npos;
       At += By.size())
    In.replace(At, What.size(), By.str());
  return In;
}

/// Replaces Name(argument) by what Make makes of the argument.
template <class F>
std::string calls(const std::string &In, const std::string &Name, F Make) {
  std::string Out;
  for (size_t I = 0; I < In.size();) {
    bool Here = In.compare(I, Name.size() + 1, Name + "(") == 0 &&
                (I == 0 || !(isalnum(In[I - 1]) || In[I - 1] == '_'));
    if (!Here) {
      Out += In[I++];
      continue;
    }
    size_t Begin = I + Name.size() + 1, End = Begin;
    for (int Depth = 1; Depth; ++End)
      Depth += (In[End] == '(') - (In[End] == ')');
    Out += Make(In.substr(Begin, End - 1 - Begin));
    I = End;
  }
  return Out;
}

constexpr llvm::StringLiteral Parameters =
    "const unsigned *A, unsigned *out, int *flags, const int *ro, int n";

} // namespace

void Enemy::plainLaunch() {
  std::string Id = std::to_string(K.Id);
  K.Host = {"void launch" + Id +
                "(const unsigned *A, unsigned *out, int *flags, const int "
                "*ro) {",
            "  k" + Id + "<<<" + std::to_string(K.Grid.X) + ", " +
                std::to_string(K.Block.X) + ">>>(A, out, flags, ro, 5);",
            "}"};
}

/// A loop that cannot be split, for whose sake blocks are taken away, in a
/// kernel that touches all its dynamic shared memory.
void Enemy::launchEdit() {
  K.Block.X = 64;
  K.Grid.X = 1 + below(2);
  K.ForcedLoops = 0;
  std::string Id = std::to_string(K.Id);
  bool Large = chance(80); // too large for an array in the kernel
  K.ReserveBytes = Large ? 50000 + 4 * below(2000) : 8000 + 4 * below(1000);
  line("extern __shared__ unsigned dyn" + Id + "[];");
  line("int i = blockIdx.x * blockDim.x + threadIdx.x;\nunsigned s = 0;");
  line("for (int j = 0; j < 8; ++j) {\n  s += A[i * 8 + j] * A[j];\n  "
       "__syncthreads();\n}");
  line("for (int w = threadIdx.x; w < words; w += blockDim.x)\n  dyn" + Id +
       "[w] = s;\n__syncthreads();\nout[i] += s + dyn" + Id +
       "[threadIdx.x % 64] + dyn" + Id + "[words - 1 - threadIdx.x];");
  const HostForm &F = Edits[below(std::size(Edits))];
  Trail = F.Name;
  std::string Globals = F.Global, Body = F.Body;
  if (K.Twin)
    Globals = "", Body = "{ L(1024); }", Trail += " twin";
  // A deduced argument, or an overload, in some.
  unsigned Which = below(4);
  if (Which == 0)
    K.Before = "template <class T> ";
  if (Which == 1)
    global("static __global__ void k" + Id +
           "(const double *A, double *out, int n) {\n  for (int j = 0; j < 8; "
           "++j) {\n    out[threadIdx.x] += A[j];\n    __syncthreads();\n  "
           "}\n}");
  std::string Kernel = "k" + Id + (Which == 0 ? "<const unsigned *>" : "");
  bool ByAddress = Body.find("KERNEL") != std::string::npos ||
                   Globals.find("KERNEL") != std::string::npos;
  if (ByAddress && Which == 1)
    Kernel = "((void (*)(const unsigned *, unsigned *, int *, const int *, "
             "int, int))k" +
             Id + ")";
  std::string Grid = std::to_string(K.Grid.X);
  auto Rest = [](const std::string &Bytes) {
    // Not the variable itself where it changes in the launch.
    bool Changes = Bytes.find("++") != std::string::npos ||
                   Bytes.find("next") != std::string::npos;
    return "A, out, flags, ro, n, int(" +
           (Changes ? std::string("1024") : "(" + Bytes + ")") + " / 4)";
  };
  auto Finish = [&](std::string Text) {
    Text = replaced(Text, "@", Id);
    Text = calls(Text, "L", [&](const std::string &B) {
      return "k" + Id + "<<<" + Grid + ", 64, " + B + ">>>(" + Rest(B) + ")";
    });
    Text = calls(Text, "REST", Rest);
    for (auto [From, To] :
         std::initializer_list<std::pair<llvm::StringRef, llvm::StringRef>>{
             {"KERNEL", Kernel},
             {"GRID", Grid},
             {"BLOCK", "64"},
             {"PARAMS", Parameters},
             {"ARGS", "A, out, flags, ro, n"}})
      Text = replaced(Text, From, To);
    return Text;
  };
  std::string Globs = Finish(Globals);
  if (!Globs.empty())
    K.Host.push_back(Globs);
  K.Host.push_back("static void run" + Id + "(" + Parameters.str() + ") {");
  K.Host.push_back("  " + Finish(Body));
  K.Host.push_back("}");
  K.Host.push_back("void launch" + Id +
                   "(const unsigned *A, unsigned *out, int *flags, const int "
                   "*ro) { run" +
                   Id + "(A, out, flags, ro, 5); }");
  Argument W;
  W.Name = "words", W.Type = "int %", W.Value = 256;
  K.Arguments.push_back(W); // moved behind the others by kernel()
}

/// Values that move to shared memory need the size of the block.
void Enemy::launchFact() {
  K.Block.X = 128;
  K.Grid.X = 2;
  K.ForcedLoops = 0;
  std::string Id = std::to_string(K.Id);
  line("int i = blockIdx.x * blockDim.x + threadIdx.x;");
  line("unsigned a = A[i] + i;\nunsigned b = A[i + 1] + i;\nunsigned c = A[i + "
       "2] + i * 3;\nunsigned d = A[i + 3] + i * 7;");
  line("unsigned v[6];\nfor (int q = 0; q < 6; ++q)\n  v[q] = A[i + q * 3];");
  line("for (int r = 0; r < 3; ++r)\n  for (int q = 0; q < 6; ++q)\n    v[q] = "
       "v[q] * 3 + v[(q + 2) % 6] + A[r];");
  line("unsigned s = 0;\nfor (int q = 0; q < 6; ++q)\n  s += v[q];");
  line("out[i] = s + a * 3 + b * 5 + c * 7 + d;");
  const HostForm &F = Facts[below(std::size(Facts))];
  Trail = F.Name;
  std::string Globals = F.Global, Body = F.Body;
  if (K.Twin)
    Globals = "", Body = "B(128);", Trail += " twin";
  auto Finish = [&](std::string Text) {
    Text = replaced(Text, "@", Id);
    Text = calls(Text, "B", [&](const std::string &B) {
      return "k" + Id + "<<<2, " + B + ">>>(A, out, flags, ro, n)";
    });
    Text = replaced(Text, "PARAMS", Parameters);
    return replaced(Text, "ARGS", "A, out, flags, ro, n");
  };
  if (!Globals.empty())
    K.Host.push_back(Finish(Globals));
  K.Host.push_back("void launch" + Id +
                   "(const unsigned *A, unsigned *out, int *flags, const int "
                   "*ro) {");
  K.Host.push_back("  int n = 5;");
  K.Host.push_back("  " + Finish(Body));
  K.Host.push_back("}");
}

} // namespace catt::fuzz
