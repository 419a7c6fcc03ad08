//===- KernelTree.h - Generated kernels as small trees -----------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   seed --generate()--> GeneratedKernel --print()--> CUDA source
//                              |  ^
//                              v  | while it still fails
//                           shrinkings()
//
// A kernel is a tree of statements whose leaves are text. Every statement can
// be taken out, and every loop or condition can be replaced by what it holds,
// and a valid kernel stays: variables are declared at the top, and no bound of
// an index relies on a condition around it.
//
// Why not rapidcheck's own values: a failure there is shrunk by running the
// property on one candidate after the other, in an order that the generator
// fixes, and its generators need RTTI, which LLVM and this project do without.
// Here a kernel depends on its own seed alone, so that a batch can be
// taken apart and one kernel be shrunk without its neighbours.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TEST_FUZZ_KERNELTREE_H
#define CATT_TEST_FUZZ_KERNELTREE_H

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace catt::fuzz {

struct Statement {
  enum class Kind : uint8_t { Text, Loop, If, Switch };
  Kind K = Kind::Text;
  std::vector<std::string> Lines;   ///< Text: what stays and goes together
  std::vector<std::string> Pragmas; ///< Loop: lines before the head
  std::string Before; ///< Loop: "int i = 0;", where the head declares nothing
  std::string Head;   ///< "for (...)", "while (...)", "do", "if (...)"
  std::string Step;   ///< Loop: last statement of the body
  std::string Tail;   ///< Loop: "while (...);" of a do
  std::string Flat;   ///< Loop: stands for the head once the level is gone
  std::vector<Statement> Body, Else;
  // Looks only.
  bool Braces = true;
  bool OneLine = false;
  std::string Comment; ///< before it, empty or complete
};

/// These lines, which stay and go together.
Statement statement(const std::string &Text);

struct Function {
  std::string Head; ///< "static __device__ unsigned f(int i)"
  std::vector<Statement> Body;
};

/// One argument of the launch.
struct Argument {
  std::string Name, Type;       ///< Type with %: "const int *__restrict__ %"
  std::optional<int64_t> Value; ///< of a scalar
  // Of a buffer.
  int64_t Bytes = 0;
  /// What each 4 bytes hold, repeated: i small integer, f small float, x index
  /// below Limit, 0 zero.
  std::string Fill = "i";
  int64_t Limit = 1;
  std::string Text = ""; ///< that the launch passes; empty: the value
};

struct Extents {
  unsigned X = 1, Y = 1, Z = 1;
  unsigned count() const { return X * Y * Z; }
};

/// How the host code launches the kernel once more.
enum class Again : uint8_t { No, NextLine, SameLine, Loop, Condition };

enum class LaunchStyle : uint8_t {
  Literals,
  Variables, ///< dim3 grid(...), block(...)
  Macro,
  Comment, ///< catt: launch(...), no host code
  None,    ///< nothing tells
  Own,     ///< GeneratedKernel::Host
};

struct GeneratedKernel {
  uint64_t Seed = 0;
  unsigned Id = 0; ///< ends every name at file scope
  std::vector<std::string> Globals;
  std::vector<Function> Functions;
  std::string Before;     ///< "template <int N> "
  std::string Qualifiers; ///< " __launch_bounds__(64)"
  std::string Instance;   ///< "<4>"
  std::vector<Argument> Arguments;
  std::vector<Statement> Body;
  Extents Grid, Block;
  LaunchStyle Style = LaunchStyle::Literals;
  int64_t DynamicBytes = 0; ///< shared memory that the launch gives
  std::string DynamicText;  ///< its third argument; empty: there is none
  Again More = Again::No;
  Extents GridAgain;         ///< not larger than Grid
  std::string BlockText;     ///< that the launch passes; empty: Block
  std::string BlockAgain;    ///< "64", not larger than Block; empty: the same
  std::string InstanceAgain; ///< "<2>"; empty: the same
  std::string Indent = "  ";
  bool BraceOnOwnLine = false;
  bool Crlf = false; ///< of the file that holds it
  // What the forced plan does with its loops.
  bool Forced = true;
  unsigned Groups = 2;
  uint64_t ForcedLoops = ~0ull; ///< bit mask over Loop::Id
  bool InnermostOnly = false;   ///< of those, loops that hold no other
  bool ByParameter = false;     ///< decide at run time where that is possible
  int64_t ReserveBytes = 0;     ///< 0: as the plan has it
  std::optional<int64_t> CarveoutPercent;
  bool Decided = false; ///< by the model, and nothing is forced
  bool Rows = false;    ///< its loops walk rows, which are staged
  // Of a kernel with a danger (Enemy.h).
  std::string Danger; ///< "guard: lvalue-choice"; empty: an ordinary kernel
  bool Twin = false;  ///< the same without the danger
  bool AllResident = false;        ///< its blocks wait for each other
  bool Contracts = false;          ///< products are to be fused with sums
  std::vector<std::string> Header; ///< what it finds in a system header
  std::vector<std::string> Host;   ///< instead of the printed launch

  std::string name() const { return "k" + std::to_string(Id); }
  /// As Module::run takes it.
  /// One with a danger is run by its host code alone.
  bool isEnemy() const { return !Danger.empty(); }
  std::string kind() const { return Danger.substr(0, Danger.find(':')); }
  std::string entry() const { return name() + Instance; }
  bool hasHostCode() const {
    return Style < LaunchStyle::Comment || Style == LaunchStyle::Own;
  }
  /// As Module::call takes it: launches it with the buffers of a void **.
  std::string hostEntry() const { return "host" + std::to_string(Id); }
};

/// A valid kernel; the same seed gives the same kernel.
GeneratedKernel generate(uint64_t Seed, unsigned Id);

/// One that the model decides about: its loops want more than an L1 holds.
GeneratedKernel generateContended(uint64_t Seed, unsigned Id);

/// One whose lanes walk rows.
GeneratedKernel generateRowWalks(uint64_t Seed, unsigned Id);

/// The text of the kernel, its helpers and its host code.
std::string printAlone(const GeneratedKernel &K);

/// The text of one file with these kernels. The line (from 1) on which each
/// begins goes to Lines.
std::string print(const std::vector<GeneratedKernel> &Kernels,
                  std::vector<unsigned> *Lines = nullptr);

/// Kernels that are a step simpler, the largest step first.
std::vector<GeneratedKernel> shrinkings(const GeneratedKernel &K);

} // namespace catt::fuzz

#endif
