//===- Contended.cpp - Kernels that the model decides about ----------------==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   1 to 3 walks along rows    in the kernel, in functions, with barriers
//   + registers                bounds; values that live across the walks
//   + shared memory            static, dynamic, of a size that the run knows
//   + 1 to 3 launches          other grids, other blocks, known or not
//
// Nothing is forced: the plan is the model's, and it is written whole or not.
//
//===----------------------------------------------------------------------===//

#include "test/fuzz/KernelTree.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include <random>

namespace catt::fuzz {
namespace {

constexpr unsigned MostThreads = 1024; ///< of a launch
/// What host code is called with: no constant where it launches.
constexpr unsigned N = 5;

class Contended {
public:
  Contended(uint64_t Seed, unsigned Id) : Random(Seed) {
    K.Seed = Seed;
    K.Id = Id;
    K.Style = LaunchStyle::Own;
    K.Forced = false;
    K.Decided = true;
  }

  GeneratedKernel kernel() {
    chooseLaunch();
    line("int t = threadIdx.y * blockDim.x + threadIdx.x;");
    line("int i = blockIdx.x * (blockDim.x * blockDim.y) + t;");
    line("unsigned s = 0;");
    shared();
    registers();
    for (unsigned Walks = 1 + below(3); Walks; --Walks)
      walk();
    line("out[i] += s" + Kept + ";");
    arguments();
    host();
    return std::move(K);
  }

private:
  std::mt19937_64 Random;
  GeneratedKernel K;
  unsigned Row = 8; ///< words
  unsigned Functions = 0;
  std::string Kept; ///< of values that live across the walks
  std::string Bytes;

  uint64_t below(uint64_t Limit) { return Random() % Limit; }
  bool chance(unsigned Percent) { return below(100) < Percent; }
  template <class T> T pick(std::initializer_list<T> Of) {
    return *(Of.begin() + below(Of.size()));
  }
  std::string id(const char *Stem) const { return Stem + std::to_string(K.Id); }

  void line(const std::string &Text) { K.Body.push_back(statement(Text)); }

  void chooseLaunch() {
    unsigned Threads = pick({32u, 64u, 96u, 128u, 128u, 256u, 256u, 512u});
    K.Block.X = Threads;
    if (Threads != 96 && chance(30)) {
      K.Block.X = pick({8u, 16u, 32u});
      K.Block.Y = Threads / K.Block.X;
    }
    K.Grid.X = 1 + below(std::min(8u, MostThreads / Threads));
    Row = pick({8u, 16u, 32u, 40u});
    std::string Largest = std::to_string(Threads);
    if (chance(20))
      K.Qualifiers = " __launch_bounds__(" + Largest + ")";
    else if (chance(20))
      K.Qualifiers = " __launch_bounds__(" + Largest + ", " +
                     std::to_string(1 + below(MostThreads / Threads)) + ")";
  }

  /// One element for each thread.
  void shared() {
    if (chance(25))
      line("__shared__ unsigned tile[" + std::to_string(512u << below(4)) +
           "];\ntile[t] = A[i];\n"
           "__syncthreads();\ns += tile[t];");
    if (chance(50))
      return;
    std::string Name = id("dyn");
    line("extern __shared__ unsigned " + Name + "[];\n" + Name +
         "[t] = A[i];\n__syncthreads();\ns ^= " + Name + "[t];");
    Bytes = pick<const char *>({"2048", "8192", "n * 1024", "n * 9000", "48000",
                                "bytes", "bytes + 4096"});
  }

  /// A store within each walk keeps their loads before it.
  void registers() {
    unsigned Count = pick({0u, 0u, 0u, 8u, 40u, 90u});
    if (!Count)
      return;
    std::string All;
    for (unsigned I = 0; I < Count; ++I) {
      std::string Name = "r" + std::to_string(I);
      All += (I ? ", " : "unsigned ") + Name + " = A[i + " + std::to_string(I) +
             "]";
      Kept += " ^ " + Name;
    }
    line(All + ";");
  }

  void walk() {
    std::string Rows = std::to_string(Row);
    std::string Head = "for (int j = 0; j < " +
                       (chance(30) ? std::string("w") : Rows) + "; ++j)";
    std::string At = "A[i * " + Rows + " + j]";
    if (chance(30))
      At += " * A[" + std::to_string(MostThreads * Row) + " + i * " + Rows +
            " + j]";
    switch (below(6)) {
    case 0: // The block waits for its threads in each step.
      return line(Head + " {\n  s += " + At + ";\n  __syncthreads();\n}");
    case 1: {
      if (!Functions || chance(50))
        K.Globals.push_back(
            "static __device__ unsigned row" + std::to_string(K.Id) + "_" +
            std::to_string(Functions++) +
            "(const unsigned *A, int i, int w) {\n  unsigned s = 0;\n  " +
            Head + "\n    s += " + At + ";\n  return s;\n}");
      return line("s += row" + std::to_string(K.Id) + "_" +
                  std::to_string(Functions - 1) + "(A, i, w);");
    }
    case 2:
      return line("if (i < w * 64) {\n  " + Head + "\n    out[i] += " + At +
                  " * A[j];\n}");
    case 3:
      return line("for (int k = 0; k < 2; ++k)\n  " + Head +
                  "\n    s += " + At + " + k;");
    default:
      return line(Head + "\n  out[i] += " + At + " * A[j];");
    }
  }

  void arguments() {
    Argument A, Out, W;
    A.Name = "A", A.Type = "const unsigned *%";
    A.Bytes = 4 * (2 * int64_t(MostThreads) * Row + 1024);
    Out.Name = "out", Out.Type = "unsigned *%", Out.Fill = "0";
    Out.Bytes = 4 * MostThreads;
    W.Name = "w", W.Type = "int %", W.Value = Row;
    K.Arguments = {A, Out, W};
  }

  /// Of a block with so many parts of the rows of threads.
  std::string blockText(unsigned Parts) const {
    std::string X = std::to_string(K.Block.X / (K.Block.Y == 1 ? Parts : 1));
    if (K.Block.Y == 1)
      return X;
    return "dim3(" + X + ", " +
           std::to_string(std::max(1u, K.Block.Y / Parts)) + ")";
  }

  /// The value, which is none that the host code shows.
  static std::string byRun(unsigned Value) {
    return "n * " + std::to_string(Value) + " / " + std::to_string(N);
  }

  std::string launch(const std::string &Grid, const std::string &Block) const {
    return id("k") + "<<<" + Grid + ", " + Block +
           (Bytes.empty() ? "" : ", " + Bytes) + ">>>(A, out, " +
           std::to_string(Row) + ");";
  }

  void host() {
    std::string Grid = std::to_string(K.Grid.X);
    std::string ByRun = byRun(K.Grid.X);
    std::string Block = blockText(1), Half = blockText(2);
    std::string BlockByRun = byRun(K.Block.X);
    if (K.Block.Y != 1)
      BlockByRun = "dim3(" +
                   (chance(50) ? byRun(K.Block.X) : std::to_string(K.Block.X)) +
                   ", " + byRun(K.Block.Y) + ")";
    std::vector<std::string> Body;
    if (llvm::StringRef(Bytes).contains("bytes"))
      Body.push_back("size_t bytes = n * 2048;");
    if (!Bytes.empty())
      Body.push_back("cudaFuncSetAttribute(" + id("k") +
                     ", cudaFuncAttributeMaxDynamicSharedMemorySize, 60000);");
    switch (below(7)) {
    case 0:
      Body.push_back(launch(ByRun, Block));
      break;
    case 1:
      Body.push_back(launch(ByRun, BlockByRun));
      break;
    case 2:
      Body.push_back(launch(Grid, Block));
      Body.push_back(launch("1", Block));
      break;
    case 3:
      Body.push_back(launch(Grid, Block));
      Body.push_back(launch(Grid, Half));
      break;
    case 4:
      Body.push_back(launch("1", Half));
      Body.push_back(launch(ByRun, Block));
      Body.push_back(launch(Grid, Block));
      break;
    default:
      Body.push_back(launch(Grid, Block));
    }
    std::string Take = "(const unsigned *A, unsigned *out";
    K.Host = {"static void run" + std::to_string(K.Id) + Take + ", int n) {"};
    for (const std::string &L : Body)
      K.Host.push_back("  " + L);
    K.Host.insert(K.Host.end(),
                  {"}", "void launch" + std::to_string(K.Id) + Take + ") {",
                   "  run" + std::to_string(K.Id) + "(A, out, " +
                       std::to_string(N) + ");",
                   "}"});
  }
};

} // namespace

GeneratedKernel generateContended(uint64_t Seed, unsigned Id) {
  return Contended(Seed, Id).kernel();
}

} // namespace catt::fuzz
