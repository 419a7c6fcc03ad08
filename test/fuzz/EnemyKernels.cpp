//===- EnemyKernels.cpp - Kernels that a careless rewrite breaks -----------==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   guard    the barriers of the groups stand where some threads do not come by
//   block    a barrier of the block stands inside one group
//   polling, chain, lock, named    a group waits for one that has not begun
//   grid     blocks are taken away from an SM, and others wait for them
//   names    what is added means something else where it is put
//
//===----------------------------------------------------------------------===//

#include "test/fuzz/Enemy.h"

namespace catt::fuzz {

void Enemy::guard() {
  common();
  std::string V = number();
  std::string T = pick<std::string>({"32", "40", "n * 8", "7", "n + 60"});
  if (K.Twin)
    T = "1000";
  std::string Sum = chance(66) ? "\natomicAdd(&total, s);" : "";
  std::string Id = fresh();
  std::string Body = "{\n" + walk("i") + Sum + "\n}";
  switch (below(20)) {
  case 0:
    return line("if (" + V + " >= " + T + ") {\n} else " + Body), end();
  case 1:
    line("int left" + Id + " = " + V + ";");
    return line("while (left" + Id + " < " + T + ") {\nleft" + Id +
                " += 1000;\n" + Body + "\n}"),
           end();
  case 2:
    return line("for (int r = " + V + "; r < " + T + "; r += 1000) " + Body),
           end();
  case 3:
    line("int left" + Id + " = " + V + ";");
    return line("do {\n" + Body + "\nleft" + Id + " += 1000;\n} while (left" +
                Id + " < 1000 + " + T + ");"),
           end();
  case 4:
    return line("switch (" + V + " < " + T + ") {\ncase 1: " + Body + "\n}"),
           end();
  case 5:
    return line("for (;;) {\nif (" + V + " >= " + T + ")\n  break;\n" + Body +
                "\nbreak;\n}"),
           end();
  case 6:
    line("if (" + V + " >= " + T + ")\n  goto skip" + Id + ";");
    return line(Body + "\nskip" + Id + ":;"), end();
  case 7:
    return line("if (int v = " + V + "; v < " + T + ") " + Body), end();
  case 8:
    return line("if (bool b = " + V + " < " + T + ") " + Body), end();
  case 9:
    line("int left" + Id + " = " + V + ";");
    return line("while (int more = left" + Id + " < " + T +
                " ? 1 : 0) {\nleft" + Id + " += 1000 + more;\n" + Body + "\n}"),
           end();
  case 10:
    global("static __device__ bool in" + Id +
           "(int v, int t) { return v < t; }");
    return line("if (in" + Id + "(" + V + ", " + T + ")) " + Body), end();
  case 11:
    line("auto body" + Id + " = [&] " + Body + ";");
    return line("if (" + V + " < " + T + ")\n  body" + Id + "();"), end();
  case 12:
    line("auto body" + Id + " = [&] " + Body + ";");
    return line("(void)(" + V + " < " + T + " && (body" + Id + "(), true));"),
           end();
  case 13:
    line("bool go" + Id + " = " + V + " < " + T + ";");
    return line("if (go" + Id + ") " + Body), end();
  case 14:
    line("int last" + Id + " = " + V + " / 20;");
    return line("for (int r = 0; r <= last" + Id + "; ++r) " + Body), end();
  case 15:
    line("int v" + Id + " = " + V + ";");
    return line("if (n > 0 && (v" + Id + " < " + T + " || n < 0)) " + Body),
           end();
  case 16:
    line("int v" + Id + " = " + V + ";");
    return line("for (int r = 0; r < 3; ++r) {\nif (r * 32 > v" + Id +
                ")\n  continue;\n" + Body + "\n}"),
           end();
  case 17:
    global("struct Odd" + Id +
           " { int v, t; __device__ operator bool() const "
           "{ return v < t; } };");
    return line("if (Odd" + Id + "{" + V + ", " + T + "}) " + Body), end();
  case 18:
    line("int v" + Id + " = " + V + ";");
    return line("switch (v" + Id + " / 32) {\ncase 0: " + Body +
                "\nbreak;\ndefault:\nbreak;\n}"),
           end();
  default:
    return line("if (" + V + " < " + T + ") " + Body), end();
  }
}

void Enemy::block() {
  common();
  line("int quiet = 0;\n__shared__ unsigned tile[128];");
  std::string B = barrier();
  bool Tile = chance(50) && !K.Twin;
  // Whoever reads a neighbour needs the barrier, and another one after it.
  std::string Step =
      Tile ? "tile[threadIdx.x] = s; " + B +
                 "; s += tile[(threadIdx.x + 1) % blockDim.x]; __syncthreads()"
           : B;
  if (Tile && chance(60)) // without one that is easily seen
    Step = "tile[threadIdx.x] = s; " + B +
           "; s += tile[(threadIdx.x + 1) % blockDim.x]; " + B;
  line(pick<std::string>({"", "if (n > 0) ", "for (int r = 0; r < 2; ++r) "}) +
       "{\n" + walkWith("i", Step) + "\natomicAdd(&total, s);\n}");
  line("out[i] += quiet * 0;");
  end();
}

void Enemy::polling() {
  common();
  unsigned Warps = K.Block.X / 32, From = below(Warps);
  if (chance(60))
    From = Warps - 1;
  std::string Wait = K.Twin ? "s += 0 * " + reader("(flag + 12)", false) + ";"
                            : wait("(flag)");
  std::string Meet =
      "if (warp == " + std::to_string(From) +
      ") {\n  if (lane == 0) {\n    atomicExch(flag + 8, int(s));\n"
      "    __threadfence();\n    atomicExch(flag, 1);\n  }\n} else {\n  " +
      Wait + "\n  __threadfence();\n  s += atomicAdd(flag + 8, 0);\n}";
  if (K.Twin) // nobody may see what is not waited for
    Meet = Wait;
  switch (below(3)) {
  case 0:
    line("{\n" + walk("i") + "\n" + Meet + "\nout[i] = s;\n}");
    break;
  case 1:
    line("if (i < " + std::to_string(K.Block.X * K.Grid.X) + ") {\n" +
         walk("i") + "\n" + Meet + "\nout[i] = s;\n}");
    break;
  default: // in the last step of the loop
    line("if (i < " + std::to_string(K.Block.X * K.Grid.X) +
         ") {\nunsigned s = 0;\nfor (int j = 0; j < 8; ++j) {\n  s += A[i * 8 "
         "+ j] * A[j];\n  if (j == 7) {\n" +
         Meet + "\n  }\n}\nout[i] = s;\n}");
  }
  end();
}

/// Each warp waits for its neighbour before the loop and lets the next one go
/// after it.
void Enemy::chain() {
  common();
  bool Up = chance(50);
  std::string Last = std::to_string(K.Block.X / 32 - 1);
  std::string Wait = K.Twin
                         ? "(void)" + reader("(flag + 15)", false) + ";"
                         : wait(Up ? "(flag + warp - 1)" : "(flag + warp + 1)");
  line("if (warp " + (Up ? std::string("> 0") : "< " + Last) + ") " + Wait +
       "\n__syncwarp();");
  std::string Give = "__syncwarp();\nif (lane == 0)\n  atomicExch(flag + warp, "
                     "1);";
  if (chance(30)) {
    std::string Id = fresh();
    global("static __device__ void give" + Id +
           "(int *p) { atomicExch(p, 1); }");
    Give = "__syncwarp();\nif (lane == 0)\n  give" + Id + "(flag + warp);";
  }
  line("{\n" + walk("i") + "\n}\n" + (K.Twin ? "" : Give));
  end();
}

void Enemy::lock() {
  common();
  std::string Id = fresh();
  std::string Take = "while (atomicCAS(^, 0, 1) != 0) {}";
  switch (below(5)) {
  case 0:
    Take = "while (atomicExch(^, 1) != 0) __nanosleep(20);";
    break;
  case 1:
    Take = "for (int old = 1; old != 0; old = atomicCAS(^, 0, 1)) ;";
    break;
  case 2:
    Take = "{ bool mine; do mine = atomicCAS(^, 0, 1) == 0; while (!mine); }";
    break;
  case 3:
    Take = "{ cuda::atomic_ref<int> a(*(^)); int e = 0; while "
           "(!a.compare_exchange_weak(e, 1)) e = 0; }";
    break;
  }
  if (K.Twin)
    Take = "atomicAdd(^, 1);";
  auto At = [](std::string Text, const std::string &P) {
    for (size_t I; (I = Text.find('^')) != std::string::npos;)
      Text.replace(I, 1, P);
    return Text;
  };
  std::string Body = "__syncwarp();\n{\n" + walk("i") +
                     "\natomicAdd(&total, s);\n}\n__threadfence();\n"
                     "__syncwarp();";
  std::string Give = "atomicExch(^, 0);";
  switch (below(4)) {
  case 0:
    line("if (lane == 0) " + At(Take, "flag") + "\n" + Body +
         "\nif (lane == 0)\n  " + At(Give, "flag"));
    break;
  case 1:
    global("static __device__ void take" + Id + "(int *p) { " + At(Take, "p") +
           " }");
    global("static __device__ void give" + Id + "(int *p) { " + At(Give, "p") +
           " }");
    line("if (lane == 0)\n  take" + Id + "(flag);\n" + Body +
         "\nif (lane == 0)\n  give" + Id + "(flag);");
    break;
  case 2:
    global("struct Hold" + Id + " { int *p; bool mine; __device__ Hold" + Id +
           "(int *q, bool m) : p(q), mine(m) { if (mine) " + At(Take, "p") +
           " } __device__ ~Hold" + Id + "() { if (mine) " + At(Give, "p") +
           " } };");
    line("{\nHold" + Id + " hold(flag, lane == 0);\n" + Body + "\n}");
    break;
  default:
    global("struct Lock" + Id + " { int *p; __device__ void lock() { " +
           At(Take, "p") + " } __device__ void unlock() { " + At(Give, "p") +
           " } };");
    line("Lock" + Id + " m{flag};\nif (lane == 0)\n  m.lock();\n" + Body +
         "\nif (lane == 0)\n  m.unlock();");
  }
  Trail += " lock";
  end();
}

/// Barriers of PTX, some warps at a time.
void Enemy::named() {
  common();
  std::string Half = std::to_string(K.Block.X / 64 * 32);
  std::string All = std::to_string(K.Block.X);
  auto Say = [&](const std::string &Ptx) {
    std::string Text =
        pick<std::string>({"asm volatile(\"" + Ptx + "\" ::: \"memory\")",
                           "asm volatile(\"// half of them\\n\\t" + Ptx + "\")",
                           "asm volatile(\"/* half */ " + Ptx + "\")"});
    if (K.Twin)
      Text = pick<std::string>({"asm volatile(\"\" ::: \"memory\")",
                                "asm volatile(\"// nothing\")",
                                "__threadfence_block()"});
    if (chance(60)) {
      const Layer &L = pick(statementLayers());
      Text = use(L, Text);
    }
    return Text;
  };
  switch (below(3)) {
  case 0: { // those below wait for what the others do after the loop
    std::string Sync = Say("bar.sync 2, " + All + ";");
    std::string Arrive = Say("bar.arrive 2, " + All + ";");
    line("if (threadIdx.x < " + Half + ") { " + Sync + "; }");
    line("{\n" + walk("i") + "\n}");
    line("if (threadIdx.x >= " + Half + ") { " + Arrive + "; }");
    break;
  }
  case 1: { // inside: one half, in each step
    std::string Sync = Say("bar.sync 1, " + Half + ";");
    line("if (threadIdx.x < " + Half + ") {\n" +
         walkWith("i", "{ " + Sync + "; }") + "\n}");
    break;
  }
  default: { // all of the block, behind a condition
    std::string Sync = Say("barrier.sync 3, " + All + ";");
    line("{\n" + walkWith("i", "if (j == 1) { " + Sync + "; }") + "\n}");
  }
  }
  Trail += " named";
  end();
}

void Enemy::gridBarrier() {
  common();
  K.Block.X = 128;
  K.Grid.X = 12 + below(5); // 16 are resident on the one SM
  K.AllResident = true;
  K.ReserveBytes = 20000 + 4 * below(6000);
  K.ForcedLoops = 0;
  line("{\nunsigned s = 0;\nfor (int j = 0; j < 8; ++j) {\n  s += A[i * 8 + j] "
       "* A[j];\n  __syncthreads();\n}\nout[i] = s;\n}");
  unsigned How = K.Twin ? 3 : below(3);
  if (How == 0 && chance(50)) {
    std::string S = "cooperative_groups::this_grid().sync()";
    if (chance(60))
      S = use(pick(statementLayers()), S);
    line(S + ";");
    Trail += " cooperative";
    std::string Id = std::to_string(K.Id);
    K.Host = {"void launch" + Id +
                  "(const unsigned *A, unsigned *out, int *flags, const int "
                  "*ro) {",
              "  int n = 5;", "  void *all[] = {&A, &out, &flags, &ro, &n};",
              "  cudaLaunchCooperativeKernel((const void *)k" + Id + ", dim3(" +
                  std::to_string(K.Grid.X) + "), dim3(128), all, 0, 0);",
              "}"};
  } else if (How <= 1) {
    std::string W = wait("(flags + 1)");
    line("__syncthreads();\nif (threadIdx.x == 0) {\n  __threadfence();\n  if "
         "(atomicAdd(flags, 1) == int(gridDim.x) - 1)\n    atomicExch(flags + "
         "1, 1);\n  " +
         W + "\n}\n__syncthreads();");
  } else if (How == 2) { // each block waits for the next one
    std::string W = wait("(flags + blockIdx.x + 1)");
    line("if (threadIdx.x == 0) {\n  if (blockIdx.x + 1 < gridDim.x) " + W +
         "\n  atomicExch(flags + blockIdx.x, 1);\n}\n__syncthreads();");
  } else {
    line("if (threadIdx.x == 0)\n  atomicAdd(flags, 1);\n__syncthreads();");
  }
  end();
}

/// Names, attributes and statements beside which nothing can be put.
void Enemy::names() {
  common();
  std::string Id = fresh();
  std::string Loop = "for (int j = 0; j < 8; ++j)\n  s += A[i * 8 + j] * A[j];";
  line("unsigned s = 0;");
  unsigned How = K.Twin ? 100 : below(12);
  switch (How) {
  case 0:
    global("struct Two" + Id + " { int a, b; };");
    line("{\nauto [threadIdx, blockDim] = Two" + Id + "{1, 2};\n" + Loop +
         "\ns += threadIdx + blockDim;\n}");
    break;
  case 1:
    line("{\nint blockDim = 3, threadIdx = 4;\n" + Loop +
         "\ns += threadIdx + blockDim;\n}");
    break;
  case 2:
    line("{\nuint3 threadIdx{0, 0, 0};\n" + Loop + "\ns += threadIdx.x;\n}");
    break;
  case 3:
    line("[[likely]] " + Loop);
    break;
  case 4:
    line("if (n > 0)\n  [[likely]] " + Loop);
    break;
  case 5:
    line("int cattGroup = 3;\n" + Loop + "\ns += cattGroup;");
    break;
  case 6:
    line("switch (n) {\n" + Loop + "\ncase 5:\n" + Loop + "\n}");
    break;
  case 7:
    line("if (n < 0)\n  goto here" + Id + ";\nhere" + Id + ":\n" + Loop);
    break;
  case 8:
    line("[&](int threadIdx) {\n" + Loop + "\ns += threadIdx;\n}(7);");
    break;
  case 9:
    line("_Pragma(\"unroll 2\") " + Loop);
    break;
  case 10:
    line("if (n > 100)\n  s = 1;\nelse\n  " + Loop);
    break;
  case 11:
    line("do " + Loop + " while (n < 0);");
    break;
  default:
    line(Loop);
  }
  Trail += " form-" + std::to_string(How);
  line("out[i] = s;\natomicAdd(&total, s);");
  end();
}

/// A product that nvcc fuses with the sum behind it, as long as nothing comes
/// between.
void Enemy::rounding() {
  common();
  K.Contracts = true;
  std::string Id = fresh();
  std::string Factors =
      "float x = float(A[i] + 3) / 7.0f, y = float(A[i + 1] + "
      "1) / 11.0f, z = float(A[i + 2] + 5) / 3.0f;";
  std::string Product = "float p = x * y;";
  unsigned How = below(6);
  switch (How) {
  case 0:
    global("static __device__ __forceinline__ float by" + Id +
           "(float a, float b) { return a * b; }");
    Product = "float p = by" + Id + "(x, y);";
    break;
  case 1:
    Product = "float p = x;\np *= y;";
    break;
  case 2:
    global("struct Two" + Id + " { float a, b; };");
    Product = "Two" + Id + " t{0, x * y};\nfloat p = t.b;";
    break;
  case 3:
    Product = "auto by = [=](float a) { return a * y; };\nfloat p = by(x);";
    break;
  case 4:
    global("struct F" + Id +
           " { float v; };\nstatic __device__ __forceinline__ F" + Id +
           " operator*(F" + Id + " a, F" + Id + " b) { return {a.v * b.v}; }");
    Product = "float p = (F" + Id + "{x} * F" + Id + "{y}).v;";
    break;
  }
  Trail += " product-" + std::to_string(How);
  std::string Sum = pick<std::string>(
      {"float s = p + z;", "float s = z;\ns += p;", "float s = z - p;"});
  std::string Loop = "for (int j = 0; j < 8; ++j)\n  s += float(A[i * 8 + j]);";
  std::string If = "if (i < " + std::to_string(K.Block.X * K.Grid.X) + ") {\n";
  std::string Result = "\nout[i] = __float_as_uint(s);\n}";
  if (K.Twin)
    line(If + Factors + "\n" + Product + "\n" + Sum + "\n" + Loop + Result);
  else
    line(Factors + "\n" + Product), line(If + Sum + "\n" + Loop + Result);
  end();
}

/// What asks for the type of a name, in statements before which a value is
/// computed again, or whose values live in shared memory.
void Enemy::types() {
  common();
  K.ForcedLoops = 0;
  std::string Id = fresh();
  line("const int cst = i * 7 + n;");
  line("unsigned v[4];\nfor (int q = 0; q < 4; ++q)\n  v[q] = A[i + q];");
  line("out[i] = A[cst & 255];");
  line("for (int r = 0; r < 3; ++r)\n  for (int q = 0; q < 4; ++q)\n    v[q] = "
       "v[q] * 3 + v[(q + 1) % 4] + A[r];");
  line("unsigned s = v[0] + v[1] * 3 + v[2] * 5 + v[3] * 7;");
  std::string Name = pick<std::string>({"i", "i", "cst", "n"});
  std::string Ask;
  unsigned How = K.Twin ? 100 : below(9);
  switch (How) {
  case 0:
    global("template <class T> struct Is" + Id +
           " { static constexpr int v = 0; };\ntemplate <> struct Is" + Id +
           "<int> { static constexpr int v = 1000; };");
    Ask = "out[i] += Is" + Id + "<decltype(" + Name + ")>::v;";
    break;
  case 1:
    Ask = "decltype(i) t = 0; t += 2; out[i] += t;";
    break;
  case 2:
    global("static __device__ int k" + Id +
           "(int &) { return 1; }\n"
           "static __device__ int k" +
           Id + "(const int &) { return 2; }");
    Ask = "out[i] += k" + Id + "(" + Name + ");";
    break;
  case 3:
    Ask = "auto f = [=]() mutable { i += 3; return i; }; out[i] += f();";
    break;
  case 4:
    Ask = "auto &r = i; r += 0; out[i] += r;";
    break;
  case 5:
    Ask = "int *p = &i; out[i] += *p;";
    break;
  case 6:
    global("template <class T> static __device__ int of" + Id +
           "(T &&) { return sizeof(T) + 10 * "
           "std::is_const<std::remove_reference_t<T>>::value; }");
    Ask = "out[i] += of" + Id + "(" + Name + ");";
    break;
  case 7:
    Ask = "if constexpr (std::is_same<decltype(" + Name +
          "), int>::value) out[i] += 1000;";
    break;
  case 8:
    Ask = "out[i] += sizeof(char[1 + std::is_const<decltype(" + Name +
          ")>::value]);";
    break;
  default:
    Ask = "out[i] += 3;";
  }
  Trail += " ask-" + std::to_string(How) + "-" + Name;
  line("out[i] += s + A[cst & 255];");
  line(Ask);
  line("out[i] += n + A[cst & 127];");
  if (chance(50))
    line("{ out[i] += A[cst & 63]; " + Ask + " }");
  end();
}

} // namespace catt::fuzz
