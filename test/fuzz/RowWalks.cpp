//===- RowWalks.cpp - Kernels whose lanes walk rows ------------------------==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   1 to 3 loops   over rows of numbers of 1 to 8 bytes, or of objects of 8 to
//                  16; in guards, nests, divergent code; upwards by 1 to 4,
//                  downwards by 1
//   reads          of one element of a row in each iteration, or of neighbours;
//                  by an index, by a pointer that moves, by a reference, in a
//                  function, which others may call, or in a lambda
//   lengths        constant, of the run, of each thread, from memory
//   blocks         of one to three dimensions, with partial warps; of the run
//   launches       one or two, of one block or of two
//
// Whatever may run in tiles does (forceStages), whether it pays or not. What
// may not is here as well: stores through other pointers, reads under a
// condition, loops that are left early.
//
//===----------------------------------------------------------------------===//

#include "test/fuzz/KernelTree.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"
#include <algorithm>
#include <random>
#include <utility>

namespace catt::fuzz {
namespace {

class RowWalks {
public:
  RowWalks(uint64_t Seed, unsigned Id) : Random(Seed) {
    K.Seed = Seed;
    K.Id = Id;
    K.Rows = true;
    K.Groups = 2 + below(3);
    K.ForcedLoops = chance(40) ? 0 : Random();
  }

  GeneratedKernel kernel() {
    chooseLaunch();
    line("int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * "
         "threadIdx.z);");
    line("int i = blockIdx.x * (blockDim.x * blockDim.y * blockDim.z) + t;");
    line(Type + " s = 0;");
    if (chance(15))
      line("if (i >= n - " + std::to_string(below(9)) + ") {\n  out[i] = 7;\n" +
           "  return;\n}");
    if (!Restrict && chance(25)) {
      // An element of this thread's own row, by a way that nobody follows.
      Hidden = true;
      line(Type + " *hidden = (" + Type + " *)((size_t)A + sizeof(" + Element +
           ") * (i * " + std::to_string(Row) + " + " +
           std::to_string(below(Row)) + "));");
    } else if (chance(20))
      line("__shared__ " + Type + " own[1024];\nown[t] = A[i]" + member() +
           ";\n"
           "__syncthreads();\ns += own[t];");
    if (!Hidden && chance(20)) {
      Gathers = true;
      line("int g = lens[i] % n;");
    }
    if (ByLambda)
      line("auto load = [" + std::string(pick({"&", "="})) +
           "](int c) { return A[i * " + std::to_string(Row) + " + c]; };");
    for (unsigned Walks = 1 + below(3); Walks; --Walks)
      around(walk());
    line(chance(50) ? "out[i] = s;" : "out[i] += s;");
    arguments();
    return std::move(K);
  }

private:
  std::mt19937_64 Random;
  GeneratedKernel K;
  std::string Type = "float", Element = "float"; ///< of sums; of rows
  unsigned ElementBytes = 4;
  std::vector<std::string> Members; ///< ".x" of an element that is an object
  unsigned Row = 8, Threads = 32;   ///< elements of a row; threads of the grid
  bool Restrict = false, NamesElement = false, ByFunction = false;
  bool ByLambda = false; ///< "load" gives an element of the row
  bool ByRun = false; ///< only the run knows a row's length, launches tell it
  bool Gathers = false, Stores = false;
  bool Hidden = false; ///< a pointer into the rows that are read

  uint64_t below(uint64_t Limit) { return Random() % Limit; }
  bool chance(unsigned Percent) { return below(100) < Percent; }
  const char *pick(std::initializer_list<const char *> Of) {
    return *(Of.begin() + below(Of.size()));
  }

  void line(const std::string &Text) { K.Body.push_back(statement(Text)); }

  void chooseLaunch() {
    static constexpr Extents Blocks[] = {
        {32},    {33},    {48},      {64},       {96},      {100},
        {128},   {256},   {1},       {7},        {8, 8},    {16, 4},
        {3, 11}, {32, 4}, {4, 4, 3}, {16, 2, 2}, {5, 3, 2}, {64, 2}};
    K.Block = Blocks[below(std::size(Blocks))];
    K.Grid.X = 1 + below(3);
    Threads = K.Block.count() * K.Grid.X;
    chooseTypes();
    Row = 8 + below(chance(50) ? 20 : 70);
    Restrict = chance(50);
    NamesElement = chance(50);
    ByFunction = chance(50);
    ByLambda = Members.empty() && chance(20);
    ByRun = chance(25);
    Stores = chance(40);
    const bool Flat = K.Block.count() == K.Block.X;
    if (Flat && chance(25)) {
      K.BlockText = "threads" + std::to_string(K.Id);
      K.Globals.push_back("int " + K.BlockText + " = " +
                          std::to_string(K.Block.X) + ";");
    }
    if (chance(25)) {
      K.More = Again::NextLine;
      K.GridAgain.X = K.Grid.X;
      if (Flat && chance(60))
        K.BlockAgain = std::to_string(1 + below(K.Block.X));
    }
    if (chance(20))
      K.Qualifiers =
          " __launch_bounds__(" + std::to_string(K.Block.count()) + ")";
  }

  static unsigned bytesOf(llvm::StringRef Type) {
    return llvm::StringSwitch<unsigned>(Type)
        .Case("unsigned char", 1)
        .Case("short", 2)
        .Cases({"double", "long long"}, 8)
        .Default(4);
  }

  void chooseTypes() {
    Type = pick({"float", "float", "double", "double", "int", "unsigned",
                 "long long", "long long", "unsigned char", "short"});
    Element = Type;
    ElementBytes = bytesOf(Type);
    if (ElementBytes < 4 || chance(75))
      return;
    const unsigned Count = ElementBytes == 8 ? 2 : 2 + below(3);
    Element = "Object" + std::to_string(K.Id);
    std::string Fields;
    for (unsigned I = 0; I < Count; ++I) {
      Members.push_back(std::string(".") + "abcd"[I]);
      Fields += std::string(I ? ", " : " ") + "abcd"[I];
    }
    ElementBytes *= Count;
    const std::string Aligned =
        chance(50) && (ElementBytes & (ElementBytes - 1)) == 0
            ? " __align__(" + std::to_string(ElementBytes) + ")"
            : "";
    K.Globals.push_back("struct" + Aligned + " " + Element + " { " + Type +
                        Fields + "; };");
  }

  /// ".b" of an element that is an object.
  std::string member() {
    return Members.empty() ? "" : Members[below(Members.size())];
  }

  /// A number of the row of this thread.
  std::string element(const std::string &J) {
    return spelled(reference(J)) + member();
  }

  /// The element, perhaps without brackets.
  std::string spelled(const std::string &Element) {
    auto [Base, Index] = llvm::StringRef(Element).split('[');
    if (!Index.consume_back("]") || Base != "A" || chance(80))
      return Element;
    const std::string Sum = ("(A + (" + Index + "))").str();
    if (Hidden || !Members.empty() || chance(40))
      return "(*" + Sum + ")";
    return chance(50) ? "__ldg(&" + Element + ")" : "__ldg" + Sum;
  }

  void define(std::string Global) {
    if (!llvm::is_contained(K.Globals, Global))
      K.Globals.push_back(std::move(Global));
  }

  /// A macro for the index of an element, or for the element.
  std::string byMacro(const std::string &J) {
    const std::string Name = "AT" + std::to_string(K.Id),
                      Index = "(r) * " + std::to_string(Row) + " + (c)",
                      Arguments = "(i, " + J + ")";
    define("#define " + Name +
           (NamesElement ? "(r, c) A[" + Index + "]" : "(r, c) " + Index));
    return NamesElement ? Name + Arguments : "A[" + Name + Arguments + "]";
  }

  /// A function that gives the index of an element, or the element.
  std::string byFunction(const std::string &J) {
    const std::string Name = "at" + std::to_string(K.Id),
                      Index = "r * " + std::to_string(Row) + " + c";
    if (NamesElement) {
      const bool ByValue = Members.empty() && K.Id % 2;
      define("__device__ " +
             (ByValue ? Element + " " : "const " + Element + " &") + Name +
             "(const " + Element + " *p, " + (K.Id % 3 ? "int" : "size_t") +
             " r, int c) { return p[" + Index + "]; }");
      return Name + "(A, i, " + J + ")";
    }
    define("__device__ int " + Name + "(int r, int c) { return " + Index +
           "; }");
    return "A[" + Name + "(i, " + J + ")]";
  }

  std::string reference(const std::string &J) {
    std::string R = std::to_string(Row);
    if (Gathers && chance(50)) // the row that data says
      return "A[g * " + R + " + " + J + "]";
    switch (below(9)) {
    case 7:
    case 8:
      if (ByLambda)
        return "load(" + J + ")";
      return ByFunction ? byFunction(J) : byMacro(J);
    case 0:
      return "A[i * w + " + J + "]";
    case 1:
      return "A[" + J + " + " + R + " * i]";
    case 2:
      return "A[(size_t)i * " + R + " + " + J + "]";
    case 3:
      return "A[" + std::to_string(Row * Threads) + " + i * " + R + " + " + J +
             "]";
    case 4: // all lanes the same; what another one stores would be a race
      return Hidden ? "A[i * " + R + " + " + J + "]" : "A[" + J + "]";
    default:
      return "A[i * " + R + " + " + J + "]";
    }
  }

  std::string limit() {
    if (ByRun && chance(80))
      return "w";
    switch (below(8)) {
    case 0:
      return "w";
    case 1:
      return "w - i % 5";
    case 2:
      return "lens[i]";
    case 3:
      return "lens[i] / 2";
    case 4:
      return "w - (t & 3)";
    default:
      return std::to_string(Row);
    }
  }

  /// Several elements of one row, some of them not always.
  std::string neighbours(const std::string &J, unsigned Count) {
    const std::string Pattern = element("@"), Comparison = " > 3";
    auto At = [&](const std::string &Index) {
      auto [Head, Tail] = llvm::StringRef(Pattern).split('@');
      return (Head + Index + Tail).str();
    };
    std::string Out = "{\n";
    const bool Window = chance(40);
    for (unsigned I = 0; I < Count; ++I) {
      std::string E = At(I ? J + " + " + std::to_string(I) : J);
      if (Window && I && chance(30))
        Out += "  if (" + At(J) + Comparison + ")\n  ";
      Out += "  s " + std::string(pick({"+=", "+=", "-="})) + " " + E + ";\n";
    }
    return Out + "}";
  }

  /// What an element decides about.
  std::string branch(const std::string &J, const std::string &E,
                     const std::string &Other) {
    switch (below(7)) {
    case 5:
      return "if (" + J + " % 2)\n  s += " + E + ";\nelse\n  s -= " + E + ";";
    case 6:
      return "s += " + J + " % 3 ? " + E + " : " + Other + ";";
    case 0:
      return "if (" + E + " > 3)\n  s += " + Other + ";";
    case 1:
      return "if (" + E + " > s)\n  s = " + E + ";\nelse\n  s += " + J + ";";
    case 2:
      return "{\n  if (" + E + " < 3)\n    continue;\n  s += " + E + " + " +
             Other + ";\n}";
    case 3:
      return "s += " + E + " > 2 ? " + E + " : " + Other + ";";
    default:
      return "{\n  " + Type + " v = " + E + " * 2;\n  out[i] = v;\n" +
             "  if (v > 4)\n    continue;\n  s += v;\n}";
    }
  }

  /// What one iteration stores to a row of this thread.
  std::string stored(const std::string &J, const std::string &E) {
    const std::string To = "wide[i * " + std::to_string(Row) + " + " + J + "]";
    switch (below(19)) {
    case 16:
      return "if (" + To + " > 2)\n  " + To + " = 2;\nelse if (" + To +
             " < 1)\n  " + To + " = " + E + ";";
    case 17:
      return "{\n  " + Type + " v = " + To + ";\n  s += v;\n  if (" + E +
             " > v)\n    " + To + " = " + E + ";\n}";
    case 18:
      return "{\n  s += " + To + ";\n  if (" + E + " < 3)\n    continue;\n  " +
             To + " = " + E + ";\n}";
    case 0:
      return "{\n  s += " + E + ";\n  " + To + " = s;\n}";
    case 1:
      return "if (" + E + " > 3)\n  " + To + " = " + E + ";";
    case 2:
      return "{\n  " + To + " = " + E + ";\n  s += " + To + " * 2;\n}";
    case 3:
      return "{\n  if (" + J + " % 3)\n    continue;\n  " + To + " = " + E +
             ";\n}";
    case 4:
      return "s += " + To + ";";
    case 5:
      return "{\n  s += " + To + ";\n  " + To + " = s;\n}";
    case 6:
      return To + " = " + To + " > 3 ? " + To + " - 1 : " + E + ";";
    case 7:
      return "if (" + To + " < 3)\n  " + To + " += " + E + ";";
    case 8:
    case 9:
    case 10:
      return To + pick({" += ", " -= "}) + E + ";";
    default:
      return To + " = " + E + ";";
    }
  }

  /// The element has a name of its own.
  std::string byReference(const std::string &J) {
    const std::string V = "v" + member();
    return "{\n  const " + Element + " &v = " + reference(J) +
           ";\n  s += " + V + (chance(50) ? "" : " - " + V + " * 2") + ";\n" +
           (chance(30) ? "  if (s > 9)\n    s -= " + V + ";\n" : "") + "}";
  }

  /// A function changes a variable of the kernel's.
  std::string byChange(const std::string &E) {
    const std::string Name = "change" + std::to_string(K.Id) + "_" +
                             std::to_string(K.Globals.size());
    if (chance(50)) {
      define("__device__ void " + Name + "(" + Type + " &l, " + Type +
             " r) {\n  if (l < r)\n    l = r;\n  else\n    l -= 1;\n}");
      return Name + "(s, " + E + ");";
    }
    define("__device__ " + Type + " " + Name + "(" + Type + " *l, " + Type +
           " r) {\n  *l += r;\n  return *l > 9 ? r : (" + Type + ")2;\n}");
    return "{\n  " + Type + " u = 1;\n  s -= " + Name + "(&u, " + E +
           ");\n  s += u;\n}";
  }

  /// What one iteration does.
  std::string step(const std::string &J) {
    std::string E = element(J), Other = element(J);
    if (Hidden && chance(40))
      return "{\n  s += " + E + ";\n  hidden[0] " + pick({"=", "+=", "-="}) +
             (" " + J) + ";\n}";
    if (chance(25))
      return branch(J, E, Other);
    if (Stores && chance(60))
      return stored(J, E);
    switch (below(20)) {
    case 15:
      return byReference(J);
    case 16:
      return byChange(E);
    case 0:
      return "{\n  " + Type + " v = " + E +
             "; // the element\n  s += v * v;\n}";
    case 1:
      return "{\n  s += " + E + ";\n  s -= " + Other + ";\n}";
    case 2:
      return "s += " + E + " * " + Other + ";";
    case 3:
      return "s += " + J + " % 2 ? " + E + " : (" + Type + ")1;";
    case 4:
      return "if (" + J + " % 3)\n  s += " + E + ";";
    case 5:
      return "{\n  if (" + J + " % 4 == 1)\n    continue;\n  s += " + E +
             ";\n}";
    case 6:
      return "{\n  if (s > 100)\n    break;\n  s += " + E + ";\n}";
    case 7:
      return "out[i] += " + E + ";";
    case 8:
      return "{\n  s += " + E + ";\n  out[i] = s;\n}";
    case 9:
      return "s = s > " + E + " ? s : " + Other + ";";
    case 10:
      return "{\n  s += " + E +
             ";\n  for (int q = 0; q < 2; ++q)\n    s += " + Other + " + q;\n}";
    case 11:
      return "{\n  " + Type + " v = " + E +
             ";\n  s = v < s ? v : s;\n  s += " + E + ";\n}";
    case 12:
      return "{\n  out[i] += " + E + ";\n  if (" + J +
             " % 2)\n    out[i] -= " + Other + ";\n}";
    case 13:
      return "{\n  out[i] -= " + E + " * " + Other + ";\n  s += " + E + ";\n}";
    case 14:
      return "for (int q = 0; q < " + std::string(pick({"3", "2", "t % 3"})) +
             "; ++q)\n  s += " + E + " + q;";
    default:
      return "s += " + E + ";";
    }
  }

  /// The row is walked by a function, perhaps a template; others may call it.
  std::string inFunction() {
    const std::string Name =
        "walk" + std::to_string(K.Id) + "_" + std::to_string(K.Globals.size());
    const bool Any = chance(40);
    const std::string Own = Any ? "T" : Element;
    define((Any ? "template <class T>\n" : "") +
           ("__device__ " + Type + " " + Name + "(const " + Own + " *row, " +
            Type + " s, int to) {\n  for (int c = " + pick({"0", "1"}) +
            "; c < to; ++c)\n    s += row[c]" + member() +
            ";\n  return s;\n}"));
    if (chance(30))
      define("__device__ " + Type + " other" + Name + "(const " + Element +
             " *row) { return " + Name + "(row, 1, 2); }");
    auto Call = [&](const std::string &From) {
      return "s = " + Name +
             (Any && chance(30) ? "<" + Element + ">" : std::string()) +
             "(A + " + From + "i * " + std::to_string(Row) + ", s, " + limit() +
             ");";
    };
    const std::string Once = Call("");
    return chance(40) ? "{\n  " + Once + "\n  " +
                            Call(std::to_string(Row * Threads) + " + ") + "\n}"
                      : Once;
  }

  /// The row is walked by a lambda.
  std::string inLambda() {
    const std::string Name = "f" + std::to_string(K.Body.size());
    std::string Out = "{\n  auto " + Name + " = [" + pick({"&", "="}) +
                      "](const " + Element + " *row) {\n    " + Type +
                      " u = 0;\n    for (int c = 0; c < " + limit() +
                      "; ++c)\n      u += row[c]" + member() +
                      ";\n    return u;\n  };\n";
    for (unsigned Calls = 1 + below(2); Calls; --Calls)
      Out += "  s += " + Name + "(A + i * " + std::to_string(Row) + " + " +
             std::to_string(Calls - 1) + ");\n";
    return Out + "}";
  }

  /// A pointer to the row moves with the iterator.
  std::string byMovingPointer() {
    const std::string Member = member(), First = pick({"0", "1"}),
                      Before =
                          "{\n  const " + Element + " *p = A + i * " +
                          std::to_string(Row) + " + " + First + ";\n  " + Type +
                          " *q = wide + i * " + std::to_string(Row) +
                          ";\n  for (int j = " + First + "; j < " + limit();
    auto Countdown = [&](const std::string &Loop) {
      return "{\n  const " + Element + " *p = A + i * " + std::to_string(Row) +
             " + " + First + ";\n  " + Type + " *q = wide + i * " +
             std::to_string(Row) + ";\n  int left = " + limit() + ";\n  " +
             Loop + "\n  s += q - wide;\n}";
    };
    switch (below(9)) {
    case 5:
      return Countdown("while (left-- > 0)\n    s += (*p++)" + Member + ";");
    case 6:
      return Countdown("while (left-- > 0)\n    *q++ " +
                       std::string(pick({"=", "+="})) + " (*p++)" + Member +
                       ";");
    case 7:
      return Countdown("for (int n = left; n > 0; --n)\n    s += (*p++)" +
                       Member + " - n;");
    case 8:
      return Countdown("const " + Element +
                       " *const e = p + left;\n  while (p " +
                       std::string(pick({"<", "!="})) + " e) {\n    " + Type +
                       " v = (*p++)" + Member +
                       ";\n    if (v > 5)\n      continue;\n    s += v;\n"
                       "  }\n  s += p - A;");
    case 0:
      return Before + "; ++j)\n    s += (*p++)" + Member +
             ";\n  s += p - A;\n}";
    case 1:
      return Before + "; ++j, ++p)\n    s += (*p)" + Member + " - j;\n}";
    case 2: // what it points to when it has moved
      return Before + "; ++j) {\n    s += (*p++)" + Member +
             ";\n    if (s > 9)\n      s -= (*p)" + Member + ";\n  }\n}";
    case 3:
      return Before + "; ++j) {\n    *q++ " + pick({"=", "+="}) + " (*p++)" +
             Member + ";\n    s += j;\n  }\n}";
    default:
      return Before + "; ++j) {\n    s += (*p)" + Member +
             ";\n    ++p;\n  }\n}";
    }
  }

  /// An index of the row moves with the iterator.
  std::string byMovingIndex() {
    const std::string Member = member(),
                      Before = "{\n  int at = i * " + std::to_string(Row) +
                               ";\n  for (int j = 0; j < " + limit() + "; ";
    switch (below(4)) {
    case 0:
      return Before + "++j)\n    s += A[at++]" + Member + ";\n}";
    case 1:
      return Before + "++j, ++at)\n    wide[at] = A[at]" + Member + ";\n}";
    case 2:
      return Before + "++j)\n    s += A[at++]" + Member + " + at;\n}";
    default:
      return Before + "++j) {\n    s += A[at]" + Member +
             ";\n    at += 1;\n  }\n" + "  s += at;\n}";
    }
  }

  /// Some of each few elements: real parts, imaginary parts.
  std::string byStride() {
    const unsigned By = 2 + below(3);
    const std::string S = std::to_string(By), Limit = limit();
    const std::string Rows = std::to_string(Row),
                      Parts = std::to_string(Row / By);
    const std::string Begins[] = {
        "i * " + Rows + " + " + S + " * j",
        "j * " + S + " + i * " + Rows,
        S + " * (i * " + Parts + " + j)",
        "(j + i * " + Parts + ") * " + S,
    };
    const std::string &Begin = Begins[below(4)];
    const std::string Member = member();
    std::string Out = "for (int j = " + std::string(pick({"0", "0", "1"})) +
                      "; j < (" + Limit + ") / " + S +
                      "; j += " + pick({"1", "1", "2"}) + ") {\n";
    const unsigned Count = 1 + below(By);
    for (unsigned I = 0; I < Count; ++I) {
      Out += "  s " + std::string(pick({"+=", "-="})) + " A[" + Begin;
      Out += (I ? " + " + std::to_string(I) : std::string()) + "]";
      Out += Member + ";\n";
    }
    if (chance(20)) // a row beside it
      Out += "  s += " + element("j") + ";\n";
    return Out + "}";
  }

  /// Several elements at a time, and what they leave one by one.
  std::string ahead() {
    const unsigned By = 2 + below(3);
    const std::string Limit = limit(), E = element("@"),
                      Iterator = pick({"int", "unsigned", "long long"});
    auto At = [&](unsigned Offset) {
      const std::string J = Offset ? "j + " + std::to_string(Offset) : "j";
      auto [Head, Tail] = llvm::StringRef(E).split('@');
      return (Head + J + Tail).str();
    };
    std::string Out = "{\n  " + Iterator + " j = 0;\n  for (; j + " +
                      (chance(50) ? std::to_string(By - 1) + " < "
                                  : std::to_string(By) + " <= ") +
                      Limit + "; j += " + std::to_string(By) + ") {\n";
    for (unsigned I = 0; I < By; ++I)
      Out += "    s += " + At(I) + ";\n";
    return Out + "  }\n  for (; j < " + Limit + "; ++j)\n    s += " + At(0) +
           ";\n}";
  }

  /// The row is walked by a pointer.
  std::string byPointer() {
    const std::string Begin = "A + i * " + std::to_string(Row) + " + ",
                      Inc = pick({"++p", "p++", "p += 1", "p += 2"}),
                      Body = "s += (*p)" + member() +
                             (chance(30) ? " - (*(p + 1))" + member() : "") +
                             ";";
    const std::string First = pick({"0", "1", "t % 3"}), Limit = limit();
    const bool Meets = Inc != "p += 2" && First == "0" &&
                       Limit.find('-') == std::string::npos && chance(30);
    const std::string End = chance(30) ? "p + (" + Limit + ")" : Begin + Limit;
    const std::string Header = "for (const " + Element + " *p = " + Begin +
                               First + ", *end = " + End + "; p " +
                               (Meets ? "!=" : "<") + " end; " + Inc + ")";
    if (chance(40))
      return byWhile(Header, Body);
    return Header + "\n  " + Body;
  }

  std::string walk() {
    if (chance(8))
      return byPointer();
    // What these read of the next thread's row, that one may store to.
    const bool ReadsAlone = !Hidden && (!Stores || chance(30));
    if (ReadsAlone && chance(12))
      return chance(70) ? inFunction() : inLambda();
    if (ReadsAlone && chance(9))
      return chance(60) ? byMovingPointer() : byMovingIndex();
    if (ReadsAlone && chance(8))
      return byStride();
    if (ReadsAlone && chance(7))
      return ahead();
    std::string J = pick({"j", "j", "k"});
    std::string Iterator =
        pick({"int", "int", "int", "unsigned", "size_t", "long long", "short"});
    std::string First = pick({"0", "0", "0", "1", "t % 3", "i % 2"});
    std::string Step = pick({"++", "++", " += 1"});
    std::string Inc = Step == "++" && chance(50) ? "++" + J : J + Step;
    const unsigned By = chance(25) ? 2 + below(3) : 1;
    if (By > 1)
      Inc = J + " += " + std::to_string(By);
    const bool Reaches = chance(10);
    std::string Limit = limit(), Named;
    const bool Meets = By == 1 && First == "0" &&
                       Limit.find('-') == std::string::npos && chance(15);
    const char *Compares = Reaches ? " <= " : Meets ? " != " : " < ";
    if (By == 1 && Step != "++") // with a name of its own
      Named = ", end = " + std::exchange(Limit, "end");
    std::string Text = "for (" + Iterator + " " + J + " = " + First + Named +
                       "; " + J + Compares + Limit + "; " + Inc + ")\n";
    if (chance(15))
      Text = "for (" + std::string(pick({"int ", "long long ", "short "})) + J +
             " = " + limit() + " - 1; " + J +
             (First == "1" ? " > 0" : " >= " + First) + "; " +
             pick({"--@", "@--", "@ -= 1"}) + ")\n";
    std::replace(Text.begin(), Text.end(), '@', J[0]);
    std::string Body = step(J);
    // Beyond the own row another thread's begins.
    if (Reaches && (Hidden || Body.find("wide[") != std::string::npos))
      Body = "s += (" + Type + ")" + J + ";";
    else if (!Hidden && chance(By > 1 ? 60 : 15))
      Body = neighbours(J, By > 1 ? By : 2 + below(2));
    if (chance(15) && Body.find("continue") == std::string::npos)
      return byWhile(Text, Body);
    llvm::SmallVector<llvm::StringRef> Lines;
    llvm::StringRef(Body).split(Lines, '\n');
    for (llvm::StringRef L : Lines)
      Text += (Lines.size() > 1 ? "" : "  ") + L.str() + "\n";
    return llvm::StringRef(Text).rtrim().str();
  }

  /// The loop with this header, written with while, or with nothing in front.
  std::string byWhile(llvm::StringRef Header, const std::string &Body) {
    Header.consume_front("for (");
    auto [Init, Rest] = Header.rtrim().drop_back().split("; ");
    auto [Cond, Inc] = Rest.split("; ");
    const std::string First = ("{\n  " + Init + ";\n").str();
    if (chance(30))
      return First +
             indented(("for (; " + Cond + "; " + Inc + ") {\n").str() +
                      indented(Body) + "}") +
             "}";
    if (chance(30)) {
      // Once at least, and then in the own row, and not beyond what ends it.
      const bool Asks = chance(50) || Cond.contains("!=") ||
                        Cond.contains('>') ||
                        Body.find("wide[") != std::string::npos;
      return First +
             indented((Asks ? "if (" + Cond + ")\n  do {\n" : "do {\n").str() +
                      indented(Body) +
                      ("  " + Inc + ";\n} while (" + Cond + ");").str()) +
             "}";
    }
    return First +
           indented(("while (" + Cond + ") {\n").str() + indented(Body) +
                    ("  " + Inc + ";\n}").str()) +
           "}";
  }

  static std::string indented(const std::string &Text) {
    std::string Out;
    llvm::SmallVector<llvm::StringRef> Lines;
    llvm::StringRef(Text).split(Lines, '\n');
    for (llvm::StringRef L : Lines)
      Out += ("  " + L + "\n").str();
    return Out;
  }

  void around(const std::string &Walk) {
    switch (below(9)) {
    case 0:
      return line("if (i < n - 3) {\n" + indented(Walk) + "}");
    case 1:
      return line("if (i % 3 != 1)\n" + indented(Walk) + "else\n  s += 1;");
    case 2:
      return line("for (int r = 0; r < 2; ++r) {\n" + indented(Walk) +
                  "  s += r;\n}");
    case 3:
      return line("for (int r = 0; r < i % 3; ++r) {\n" + indented(Walk) + "}");
    case 4:
      return line("if (t % 2) {\n" + indented(Walk) + "} else {\n" +
                  indented(Walk) + "}");
    case 5:
      return line("{\n  int r = t % 4;\n  while (r-- > 0) {\n" +
                  indented(indented(Walk)) + "  }\n}");
    default:
      return line(Walk);
    }
  }

  void arguments() {
    std::string Keyword = Restrict ? "__restrict__ " : "";
    const unsigned Bytes = bytesOf(Type);
    Argument A, Lens, Out, Wide, N, W;
    A.Name = "A", A.Type = "const " + Element + " *" + Keyword + "%";
    A.Bytes = int64_t(ElementBytes) * (2 * Row * Threads + 1024);
    A.Fill = Type == "float" ? "f" : "i";
    Lens.Name = "lens", Lens.Type = "const int *" + Keyword + "%";
    Lens.Bytes = 4 * int64_t(Threads);
    Lens.Fill = "x", Lens.Limit = Row;
    Out.Name = "out", Out.Type = Type + " *" + Keyword + "%", Out.Fill = "0";
    Out.Bytes = int64_t(Bytes) * Threads;
    Wide = Out, Wide.Name = "wide", Wide.Bytes = Bytes * Row * Threads;
    N.Name = "n", N.Type = "int %", N.Value = Threads;
    W.Name = "w", W.Type = "int %", W.Value = Row;
    if (ByRun) {
      W.Text = "width" + std::to_string(K.Id);
      K.Globals.push_back("int " + W.Text + " = " + std::to_string(Row) + ";");
    }
    K.Arguments = {A, Lens, Out, Wide, N, W};
  }
};

} // namespace

GeneratedKernel generateRowWalks(uint64_t Seed, unsigned Id) {
  return RowWalks(Seed, Id).kernel();
}

} // namespace catt::fuzz
