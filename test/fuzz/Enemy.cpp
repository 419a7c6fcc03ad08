//===- Enemy.cpp - Dangers put into disguises ------------------------------==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   pick a danger --> its rows, one around the other --> file scope or header
//                                                   \-> lines of the kernel
//
//===----------------------------------------------------------------------===//

#include "test/fuzz/Enemy.h"
#include "llvm/ADT/StringRef.h"

namespace catt::fuzz {
namespace {

std::string replaced(std::string In, const std::string &What,
                     const std::string &By) {
  for (size_t At = 0; (At = In.find(What, At)) != std::string::npos;
       At += By.size())
    In.replace(At, What.size(), By);
  return In;
}

} // namespace

Enemy::Enemy(uint64_t Seed, unsigned Id) : Random(Seed) {
  K.Seed = Seed;
  K.Id = Id;
  K.Style = LaunchStyle::Own;
}

//===-- Disguises ---------------------------------------------------------===//

/// What differs between threads becomes what does not.
std::string Enemy::twinOf(std::string Text) const {
  if (!K.Twin)
    return Text;
  const char *const Pairs[][2] = {{"threadIdx", "blockIdx"},
                                  {"thread_rank", "group_index"},
                                  {"thread_index", "group_index"},
                                  {"group_index().x", "group_index()"},
                                  {"group_index()", "group_index().x"},
                                  {"%tid", "%ctaid"}};
  for (auto &P : Pairs)
    Text = replaced(Text, P[0], P[1]);
  return Text;
}

void Enemy::global(const std::string &Text) {
  if (Text.empty())
    return;
  for (llvm::StringRef Rest = Text; !Rest.empty();) {
    auto [Line, More] = Rest.split('\n');
    // A macro stays where it is used: the other text of a line may need it.
    (InHeader ? K.Header : K.Globals).push_back(Line.str());
    Rest = More;
  }
}

void Enemy::line(const std::string &Text) {
  Statement S;
  for (llvm::StringRef Rest = Text; !Rest.empty();) {
    auto [Line, More] = Rest.split('\n');
    S.Lines.push_back(Line.str());
    Rest = More;
  }
  if (!S.Lines.empty())
    K.Body.push_back(S);
}

void Enemy::local(const std::string &Text) { line(Text); }

/// Says Inner in the words of L; what it needs is declared on the way.
std::string Enemy::use(const Layer &L, const std::string &Inner,
                       const std::string &Pointer,
                       const std::string &AtParameter) {
  std::string Id = fresh();
  auto Fill = [&](const char *Pattern) {
    std::string Text = replaced(Pattern, "@", Id);
    Text = replaced(Text, "^", Pointer);
    Text = replaced(Text, "`", AtParameter);
    return replaced(Text, "$", Inner);
  };
  Trail += std::string(Trail.empty() ? "" : " ") + L.Name;
  global(Fill(L.Global));
  local(Fill(L.Local));
  return Fill(L.Text);
}

/// Source in so many disguises.
std::string Enemy::value(const std::string &Source, unsigned Layers) {
  std::string Text = Source;
  for (unsigned I = 0; I < Layers; ++I)
    Text = use(pick(valueLayers()), Text);
  return Text;
}

/// An int below the size of the block, which differs between its threads.
std::string Enemy::number() {
  Layer L = pick(divergentSources());
  std::string Global = twinOf(L.Global), Local = twinOf(L.Local),
              Text = twinOf(L.Text);
  if (K.Twin && chance(50)) {
    Global = Local = "";
    Text = pick<std::string>({"n", "int(gridDim.x)", "n * 2 - n", "3"});
  }
  L.Global = Global.c_str(), L.Local = Local.c_str(), L.Text = Text.c_str();
  std::string Source = use(L, "");
  return value(Source, 1 + below(3));
}

/// What is read at Pointer. At file scope no line may come before it.
std::string Enemy::reader(const std::string &Pointer, bool AtFileScope) {
  const Layer &R = pick(readers());
  std::string Text = use(R, "", "p");
  for (unsigned I = 0, N = below(3); I < N; ++I) {
    const Layer &L = pick(readerLayers());
    if (!*L.Local)
      Text = use(L, Text, "p");
  }
  for (unsigned Try = 0; Try < 8; ++Try) {
    const Layer &L = pick(readerLayers());
    if (llvm::StringRef(L.Name) == "none" || (AtFileScope && *L.Local))
      continue;
    return use(L, Text, Pointer);
  }
  return use(readerLayers()[1], Text, Pointer);
}

/// A statement that ends once the word at Pointer is not zero.
std::string Enemy::wait(const std::string &Pointer) {
  const Layer &W = pick(waits());
  bool Inside = llvm::StringRef(W.Global).contains('`');
  std::string There = Inside ? reader("p", true) : "";
  std::string Here = Inside ? "" : reader(Pointer, false);
  std::string Text = use(W, Here, Pointer, There);
  return "{ " + Text + " }";
}

/// A statement that waits for the whole block.
std::string Enemy::barrier() {
  const Layer &B = pick(barriers());
  if (llvm::StringRef(B.Name).starts_with("cub"))
    K.Block.X = 64;
  std::string Text = use(B, "");
  if (K.Twin)
    Text = pick<std::string>({"__threadfence_block()", "(void)0", "++quiet"});
  bool AtFileScope = Text != "++quiet";
  for (unsigned I = 0, N = below(3); I < N; ++I) {
    const Layer &L = pick(statementLayers());
    if (AtFileScope || !*L.Global) {
      // What is said at file scope sees no parameter and no variable.
      bool Global = llvm::StringRef(L.Global).contains('$');
      if (Global && !AtFileScope)
        continue;
      Text = use(L, Text);
      AtFileScope = AtFileScope && !*L.Local &&
                    !llvm::StringRef(L.Text).contains("n ") &&
                    !llvm::StringRef(L.Text).contains("[&]");
    }
  }
  return Text;
}

//===-- The temptation ----------------------------------------------------===//

/// Parameters, coordinates, and a sum over the block in two of three.
void Enemy::common() {
  K.Block.X = pick<unsigned>({64, 96, 128});
  K.Grid.X = 1 + below(2);
  K.Groups = 2 + below(3);
  line("int i = blockIdx.x * blockDim.x + threadIdx.x;");
  line("int warp = threadIdx.x / 32, lane = threadIdx.x % 32;");
  line("int *flag = flags + blockIdx.x * 16;");
  line("__shared__ unsigned total;\nif (threadIdx.x == 0)\n  total = 0;\n"
       "__syncthreads();");
}

/// Walks along row Row of A; leaves its sum in s and in out.
std::string Enemy::walk(const std::string &Row) { return walkWith(Row, ""); }

/// The same with a statement in the loop.
std::string Enemy::walkWith(const std::string &Row, const std::string &Extra) {
  std::string More = Extra.empty() ? "" : " " + Extra + ";";
  std::string Element = "A[" + Row + " * 8 + j]";
  std::string Id = fresh();
  switch (below(Extra.empty() ? 7 : 4)) {
  case 0:
    return "unsigned s = 0;\nfor (int j = 0; j < 4; ++j)\n  for (int k = 0; k "
           "< 2; ++k) {\n    s += A[" +
           Row + " * 8 + j * 2 + k] * A[j * 2 + k];" + More + "\n  }\nout[" +
           Row + "] = s;";
  case 1:
    return "unsigned s = 0;\nint j = 0;\nwhile (j < 8) {\n  s += " + Element +
           " * A[j];" + More + "\n  ++j;\n}\nout[" + Row + "] = s;";
  case 2:
    return "unsigned s = 0;\nfor (int j = 0; j < 8; ++j) {\n  out[" + Row +
           "] = s += " + Element + " * A[j];" + More + "\n}";
  case 3:
    return "unsigned s = 0;\nfor (int j = 0; j < 8; ++j) {\n  s += " + Element +
           " * A[j];" + More + "\n}\nout[" + Row + "] = s;";
  case 4:
    global("static __device__ unsigned row" + Id +
           "(const unsigned *A, int i) {\n  unsigned s = 0;\n  for (int j = 0; "
           "j < 8; ++j)\n    s += A[i * 8 + j] * A[j];\n  return s;\n}");
    return "unsigned s = row" + Id + "(A, " + Row + ");\nout[" + Row + "] = s;";
  case 5:
    return "unsigned s = 0;\nauto row" + Id +
           " = [&](int r) {\n  for (int j = 0; j < 8; ++j)\n    s += A[r * 8 + "
           "j] * A[j];\n};\nrow" +
           Id + "(" + Row + ");\nout[" + Row + "] = s;";
  default:
    return "unsigned s = 0;\nfor (int j = 0; j < 8; ++j)\n  s += " + Element +
           " * A[j];\nout[" + Row + "] = s;";
  }
}

/// The end of the kernel, its arguments and its launch.
void Enemy::end() {
  line("__syncthreads();\nif (threadIdx.x == 0)\n  out[gridDim.x * "
       "blockDim.x + blockIdx.x] += total;");
  if (K.Host.empty())
    plainLaunch();
}

GeneratedKernel Enemy::kernel() {
  K.Twin = below(3) == 0;
  InHeader = chance(35);
  using Make = void (Enemy::*)();
  // More of those that take more forms.
  static const std::pair<const char *, Make> Kinds[] = {
      {"guard", &Enemy::guard},
      {"guard", &Enemy::guard},
      {"guard", &Enemy::guard},
      {"guard", &Enemy::guard},
      {"block", &Enemy::block},
      {"block", &Enemy::block},
      {"polling", &Enemy::polling},
      {"polling", &Enemy::polling},
      {"chain", &Enemy::chain},
      {"lock", &Enemy::lock},
      {"named", &Enemy::named},
      {"grid", &Enemy::gridBarrier},
      {"names", &Enemy::names},
      {"rounding", &Enemy::rounding},
      {"types", &Enemy::types},
      {"launch-edit", &Enemy::launchEdit},
      {"launch-edit", &Enemy::launchEdit},
      {"launch-fact", &Enemy::launchFact}};
  auto [Name, How] = Kinds[below(std::size(Kinds))];
  (this->*How)();
  K.Danger = std::string(Name) + ": " + Trail;
  const int64_t Rows = int64_t(K.Grid.X) * 128;
  std::vector<Argument> More = std::move(K.Arguments);
  K.Arguments.clear();
  auto Buffer = [&](const char *Name, const char *Type, int64_t Words,
                    const char *Fill) {
    Argument A;
    A.Name = Name, A.Type = Type, A.Bytes = Words * 4, A.Fill = Fill;
    A.Limit = 64;
    K.Arguments.push_back(A);
  };
  Buffer("A", K.Before.empty() ? "const unsigned *%" : "T %", Rows * 8 + 64,
         "i");
  Buffer("out", "unsigned *%", Rows * 4 + 64, "0");
  Buffer("flags", "int *%", 16 * int64_t(K.Grid.X) + 64, "0");
  // Restrict, so that what it points to stays as it is.
  Buffer("ro", chance(50) ? "const int *%" : "const int *__restrict__ %",
         Rows + 64, "x");
  Argument N;
  N.Name = "n", N.Type = "int %", N.Value = 5;
  K.Arguments.push_back(N);
  K.Arguments.insert(K.Arguments.end(), More.begin(), More.end());
  return std::move(K);
}

GeneratedKernel generateEnemy(uint64_t Seed, unsigned Id) {
  return Enemy(Seed, Id).kernel();
}

} // namespace catt::fuzz
