//===- KernelGenerator.cpp - Random valid CUDA kernels ---------------------==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   launch -> parameters -> coordinates -> variables -> statements -> outputs
//
//===----------------------------------------------------------------------===//

#include "test/fuzz/KernelGenerator.h"
#include <algorithm>

namespace catt::fuzz {

Generator::Generator(uint64_t Seed, unsigned Id) : Random(Seed) {
  K.Seed = Seed;
  K.Id = Id;
}

void Generator::chooseLaunch() {
  if (chance(60))
    K.Block = pick<Extents>({{32, 1, 1},
                             {64, 1, 1},
                             {96, 1, 1},
                             {128, 1, 1},
                             {256, 1, 1},
                             {40, 1, 1},
                             {33, 1, 1},
                             {100, 1, 1},
                             {200, 1, 1},
                             {65, 1, 1}});
  else if (chance(60))
    K.Block = pick<Extents>({{8, 8, 1},
                             {16, 4, 1},
                             {32, 4, 1},
                             {40, 3, 1},
                             {5, 7, 1},
                             {10, 10, 1},
                             {16, 16, 1},
                             {64, 2, 1},
                             {1, 70, 1},
                             {33, 2, 1}});
  else
    K.Block = pick<Extents>({{4, 4, 4},
                             {8, 4, 3},
                             {3, 5, 7},
                             {32, 2, 2},
                             {1, 1, 64},
                             {16, 1, 5},
                             {2, 33, 2}});
  K.Grid = pick<Extents>({{1, 1, 1},
                          {2, 1, 1},
                          {3, 1, 1},
                          {4, 1, 1},
                          {2, 2, 1},
                          {1, 3, 1},
                          {1, 2, 2}});
  Threads = K.Block.count();
  AllThreads = Threads * K.Grid.count();
  K.Style = LaunchStyle(pick<int>({0, 0, 0, 1, 1, 2, 3, 4}));
}

void Generator::chooseParameters() {
  auto Add = [&](const char *Name, int64_t Value) {
    std::string Type =
        pick<std::string>({"int %", "int %", "int %", "const int %",
                           "unsigned %", "long long %"});
    K.Arguments.push_back({Name, Type, Value, 0, "", 1});
    Parameters.push_back({Name, Value, Value, Reach::Block, ""});
  };
  Add("n", from(1, AllThreads));
  Add("m", from(0, 6));
  if (chance(60))
    Add("ld", from(1, 130));
  if (chance(30))
    Add("st", from(1, 4));
}

void Generator::chooseLooks() {
  K.Indent = pick<std::string>({"  ", "  ", "    ", "\t"});
  K.BraceOnOwnLine = chance(25);
  K.Crlf = chance(15);
  K.Forced = chance(75);
  K.Groups = unsigned(from(2, 9));
  if (chance(50))
    K.ForcedLoops = Random();
  K.InnermostOnly = chance(40);
  K.ByParameter = chance(20);
}

/// The linear number of a thread in its block.
std::string Generator::linearThread() const {
  if (K.Block.X == Threads)
    return "threadIdx.x";
  std::string XY = "threadIdx.x + blockDim.x * threadIdx.y";
  if (K.Block.Z == 1)
    return XY;
  return XY + " + blockDim.x * blockDim.y * threadIdx.z";
}

void Generator::coordinates(Place &P) {
  auto Add = [&](const std::string &Name, const std::string &Value,
                 int64_t High, Reach SameFor) {
    K.Body.push_back(text({"const int " + Name + " = " + Value + ";"}));
    P.Visible.push_back({Name, 0, High, SameFor, ""});
  };
  std::string Count = std::to_string(Threads);
  std::string Block = K.Grid.X == K.Grid.count()
                          ? "blockIdx.x"
                          : "(blockIdx.x + gridDim.x * (blockIdx.y + "
                            "gridDim.y * blockIdx.z))";
  Add("lin", linearThread(), Threads - 1, Reach::Thread);
  if (K.Block.X == Threads && K.Grid.X == K.Grid.count() && chance(70))
    Add("gid", "blockIdx.x * blockDim.x + threadIdx.x", AllThreads - 1,
        Reach::Thread);
  else
    Add("gid", Block + " * " + Count + " + lin", AllThreads - 1, Reach::Thread);
  if (chance(50))
    Add("warp", "lin / 32", (Threads - 1) / 32, Reach::Warp);
  if (chance(60))
    Add("x", "blockIdx.x * blockDim.x + threadIdx.x", K.Grid.X * K.Block.X - 1,
        Reach::Thread);
  if (K.Block.Y > 1)
    Add("y", "blockIdx.y * blockDim.y + threadIdx.y", K.Grid.Y * K.Block.Y - 1,
        Reach::Thread);
  P.Visible.push_back(
      {"int(threadIdx.x)", 0, K.Block.X - 1, Reach::Thread, ""});
  if (K.Block.Z > 1)
    P.Visible.push_back(
        {"int(threadIdx.z)", 0, K.Block.Z - 1, Reach::Thread, ""});
  P.Visible.push_back({"int(blockIdx.x)", 0, K.Grid.X - 1, Reach::Block, ""});
  for (const IndexVariable &V : Parameters)
    P.Visible.push_back(V);
}

/// Unsigned sums, and bounds that statements may change.
void Generator::variables(Place &P) {
  for (unsigned I = 0, N = unsigned(from(1, 3)); I < N; ++I) {
    std::string Name = "v" + std::to_string(I);
    K.Body.push_back(
        text({"unsigned " + Name + " = " +
              (chance(50) ? std::to_string(from(0, 9)) : "gid + 1u") + ";"}));
    Values.push_back(Name);
  }
  if ((HasFloat = chance(50)))
    K.Body.push_back(text({"float f0 = 0;"}));
  if ((HasRecord = chance(40))) {
    K.Body.push_back(
        text({id("Record") + " rec0 = {}, rec1 = {" +
              std::to_string(from(0, 9)) + ", {unsigned(gid)}};"}));
    for (const char *Part :
         {"rec0.n", "rec0.v[2]", "rec1.v[0]", "rec1.in[1].b"})
      Values.push_back(Part);
  }
  auto Add = [&](const char *Name, Reach SameFor) {
    IndexVariable V{Name, from(0, 1), 0, SameFor, "yes"};
    V.High = V.Low + from(1, 5);
    K.Body.push_back(text({std::string("int ") + Name + " = " +
                           std::to_string(from(V.Low, V.High)) + ";"}));
    P.Visible.push_back(V);
    Assignable.push_back(V);
  };
  if (chance(50)) {
    Add("own", Reach::Thread);
    if (chance(60)) { // constants only, and yet it differs
      Assignable[0].Assign = P.Visible.back().Assign = "constant";
      K.Body.push_back(text({"if (lin % 3 == 1) own = " +
                             std::to_string(Assignable[0].High) + ";"}));
    }
  }
  if (chance(40))
    Add("same", Reach::Block);
  if (chance(15))
    Add("ofWarp", Reach::Warp);
}

void Generator::chooseTemplate() {
  if (chance(18)) {
    int64_t N = from(1, 5), Other = chance(50) ? from(1, 5) : N;
    K.Before = "template <int N> ";
    K.Instance = "<" + std::to_string(N) + ">";
    if (Other != N) {
      K.InstanceAgain = "<" + std::to_string(Other) + ">";
      K.More =
          pick<Again>({Again::NextLine, Again::SameLine, Again::Condition});
    }
    Parameters.push_back(
        {"N", std::min(N, Other), std::max(N, Other), Reach::Block, ""});
    // Nothing instantiates it otherwise.
    K.Style = pick<LaunchStyle>(
        {LaunchStyle::Literals, LaunchStyle::Variables, LaunchStyle::Macro});
  } else if (chance(15)) {
    K.Before = "static ";
    if (K.Style >= LaunchStyle::Comment)
      K.Style = LaunchStyle::Literals;
  } else if (chance(8)) {
    K.Before = "extern \"C\" ";
  }
  if (chance(15))
    K.Qualifiers = " __launch_bounds__(" + std::to_string(Threads) + ")";
}

/// What the host code does beside the first launch, and what is asked of the
/// transforms that edit it.
void Generator::chooseLaunches() {
  if (K.More == Again::No && chance(25))
    K.More = pick<Again>(
        {Again::NextLine, Again::SameLine, Again::Loop, Again::Condition});
  K.GridAgain = K.Grid;
  if (chance(40))
    K.GridAgain.X = unsigned(from(1, K.Grid.X));
  if (K.DynamicBytes || chance(10)) {
    std::string Bytes = std::to_string(K.DynamicBytes);
    K.DynamicText = pick<std::string>(
        {Bytes, "bytes", Bytes + " * sizeof(char)", "(" + Bytes + ")"});
  }
  // The first ones fit into a static array, the last ones do not.
  if (chance(25))
    K.ReserveBytes =
        pick<int64_t>({1024, 4096, 20000, 49152, 49168, 65536, 100000});
  if (chance(25))
    K.CarveoutPercent = from(0, 100);
}

void Generator::output(std::vector<Statement> &Body) {
  std::string Sum = Values[0];
  for (size_t I = 1; I < Values.size(); ++I)
    Sum += " + " + std::to_string(2 * I + 1) + "u * " + Values[I];
  if (HasFloat)
    Sum += " + unsigned(f0)";
  Body.push_back(text({"out[gid] = " + Sum + ";"}));
}

void Generator::finishBuffers() {
  std::vector<Argument> All;
  for (const Buffer &B : Buffers) {
    std::string Type =
        "const " + B.Element + " *" + (B.Restrict ? "__restrict__ %" : "%");
    if (B.S == Buffer::Shape::Rows)
      Type = "const int (*%)[" + std::to_string(B.Width) + "]";
    All.push_back({B.Name, Type, std::nullopt, (B.Highest + 1) * B.Bytes,
                   B.Fill, B.Limit});
  }
  All.push_back({"out", "unsigned *%", std::nullopt, AllThreads * 4, "i", 1});
  if (CounterCells)
    All.push_back(
        {"counters", "unsigned *%", std::nullopt, CounterCells * 4, "0", 1});
  if (PartialCells)
    All.push_back(
        {"partial", "unsigned *%", std::nullopt, PartialCells * 4, "i", 1});
  if (HasTurns)
    All.push_back(
        {"flags", "int *%", std::nullopt, int64_t(K.Grid.count()) * 4, "0", 1});
  All.insert(chance(80) ? All.end() : All.begin(), K.Arguments.begin(),
             K.Arguments.end());
  K.Arguments = All;
}

GeneratedKernel Generator::kernel() {
  chooseLaunch();
  chooseParameters();
  chooseTemplate();
  chooseLooks();
  HasIndexMacro = chance(40);
  Place P;
  coordinates(P);
  variables(P);
  MayReturn = chance(35);
  std::vector<Statement> Body;
  unsigned Count = unsigned(from(2, 5));
  Statement Guard;
  Guard.K = Statement::Kind::If;
  Guard.Head = "if (gid < n)";
  if (MayReturn && chance(70)) {
    Body.push_back(text({chance(50) ? "if (gid >= n) return;"
                                    : "if (!(gid < n && lin != 3)) return;"}));
    decorate(Body.back());
  } else if (!MayReturn && chance(35)) {
    P.By = Reach::Thread;
    Guard.Body = statements(P, Count);
    P.By = Reach::Block;
    Count = unsigned(below(2));
    decorate(Guard);
    Body.push_back(Guard);
  }
  for (Statement &S : statements(P, Count))
    Body.push_back(S);
  if (!MayReturn && !HasTurns && Threads > 32 && chance(15))
    Body.insert(Body.begin() + long(below(Body.size() + 1)), turns());
  output(Body);
  K.Body.insert(K.Body.end(), Body.begin(), Body.end());
  chooseLaunches();
  finishBuffers();
  if (HasStruct)
    K.Globals.push_back("struct " + id("Item") +
                        " { int a; float f; short b[2]; };");
  if (HasRecord) {
    K.Globals.push_back("struct " + id("Pair") + " { unsigned a, b; };");
    K.Globals.push_back("struct " + id("Record") + " { unsigned n, v[4]; " +
                        id("Pair") + " in[2]; };");
  }
  if (HasLoopMacro)
    K.Globals.push_back("#define " + id("LOOP") +
                        "(i, n) for (int i = 0; i < (n); ++i)");
  if (HasIndexMacro)
    K.Globals.push_back("#define " + id("AT") + "(i, j, w) ((i) * (w) + (j))");
  if (HasSyncFunction)
    K.Globals.push_back("static __device__ void " + id("meet") +
                        "() { __syncthreads(); }");
  return K;
}

GeneratedKernel generate(uint64_t Seed, unsigned Id) {
  return Generator(Seed, Id).kernel();
}

} // namespace catt::fuzz
