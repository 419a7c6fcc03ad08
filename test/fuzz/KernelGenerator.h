//===- KernelGenerator.h - Random valid CUDA kernels -------------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   Generator: arguments, variables, launch      KernelGenerator.cpp
//     statements: loops, conditions, barriers    Statements.cpp
//       expressions, each with its range         Expressions.cpp
//
// What makes a kernel valid under every schedule:
//   - each index carries its range over all threads, and buffers are as large
//     as the largest index that was made for them;
//   - outputs are written by one thread each, or by integer atomics whose
//     result is not used; arithmetic is unsigned, or exact in float;
//   - a barrier, a tile or a warp operation stands only where all threads (of
//     the block, of the warp) come by; variables that decide so are never
//     assigned from a thread's own;
//   - a kernel whose threads may return early has barriers but no shared tiles.
//
// Limits: no textures, inline assembly, cooperative groups, or half precision
// (the executor has none of them).
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TEST_FUZZ_KERNELGENERATOR_H
#define CATT_TEST_FUZZ_KERNELGENERATOR_H

#include "test/fuzz/KernelTree.h"
#include <random>

namespace catt::fuzz {

/// Who comes by a statement together.
enum class Reach : uint8_t { Block, Warp, Thread };

/// An integer expression and its least and greatest value over all threads.
struct Index {
  std::string Text;
  int64_t Low = 0, High = 0;
  Reach SameFor = Reach::Thread;
  bool Atomic = true; ///< needs no parentheses
  std::string wrapped() const { return Atomic ? Text : "(" + Text + ")"; }
};

struct IndexVariable {
  std::string Name;
  int64_t Low = 0, High = 0;
  Reach SameFor = Reach::Thread;
  std::string Assign; ///< not empty: statements may give it a new value
};

/// Where a statement is made.
struct Place {
  Reach By = Reach::Block;
  unsigned Loops = 0;                         ///< around it
  int64_t Trips = 1;                          ///< how often it runs, at most
  bool MayBreak = false, MayContinue = false; ///< of the innermost loop,
  Reach LoopBy = Reach::Thread; ///< which these run together: and so they leave
  bool InFunction = false;
  std::vector<IndexVariable> Visible;
};

class Generator {
public:
  Generator(uint64_t Seed, unsigned Id);
  GeneratedKernel kernel();

private:
  // Chance. Not the standard distributions: they differ between libraries.
  uint64_t below(uint64_t N) { return Random() % N; }
  int64_t from(int64_t Low, int64_t High) {
    return Low + int64_t(below(High - Low + 1));
  }
  bool chance(unsigned Percent) { return below(100) < Percent; }
  template <class T> const T &pick(const std::vector<T> &V) {
    return V[below(V.size())];
  }
  std::string id(const char *Stem) { return Stem + std::to_string(K.Id); }
  std::string fresh(const char *Stem) { return Stem + std::to_string(Fresh++); }

  // KernelGenerator.cpp
  void chooseLaunch();
  void chooseParameters();
  void chooseLooks();
  void coordinates(Place &P);
  void variables(Place &P);
  std::string linearThread() const;
  void output(std::vector<Statement> &Body);
  void finishBuffers();
  void chooseTemplate();
  void chooseLaunches();

  // Expressions.cpp
  Index constant(int64_t Low, int64_t High);
  Index variable(const Place &P, Reach AtLeast);
  Index term(const Place &P, Reach AtLeast);
  Index index(const Place &P, int64_t Limit, Reach AtLeast = Reach::Thread);
  Index capped(Index I, int64_t Limit);
  std::string load(const Place &P);
  std::string floatLoad(const Place &P);
  std::string value(const Place &P);
  std::string condition(const Place &P, Reach SameFor);
  struct Buffer;
  Buffer &buffer();
  std::string element(const Buffer &B, const std::string &At);

  // Statements.cpp
  std::vector<Statement> statements(Place &P, unsigned Count);
  Statement statement(Place &P);
  Statement text(std::vector<std::string> Lines);
  Statement assignment(Place &P);
  Statement loop(Place &P);
  Statement movingPointer(Place &P);
  Statement localArray(Place &P);
  Statement records(Place &P);
  Statement lambda(Place &P);
  Statement jump(Place &P);
  Statement branch(Place &P);
  Statement tile(Place &P);
  Statement sharedCounter(Place &P);
  Statement barrier();
  Statement warpOperation();
  Statement atomic(Place &P);
  Statement call(Place &P);
  Statement turns();
  Statement partialOutput(Place &P);
  Statement leave(Place &P);
  Statement assignVariable(Place &P);
  void decorate(Statement &S);
  Index ownTripCount(const Place &P, Reach By);
  Index tripCount(const Place &P, Reach By);
  void countingHead(Statement &S, const Index &Trips, IndexVariable &I,
                    bool &MayContinue);

  /// A buffer that kernels read.
  struct Buffer {
    std::string Name, Element, Fill;
    unsigned Bytes = 4;
    enum class Shape : uint8_t {
      Scalar,
      Float,
      Vector,
      FloatVector,
      Struct,
      Rows,
      Indices
    } S = Shape::Scalar;
    int64_t Width = 1; ///< Rows: elements of one
    int64_t Limit = 1; ///< Indices: values are below
    int64_t Highest = 0;
    bool Restrict = false;
  };

  std::mt19937_64 Random;
  GeneratedKernel K;
  unsigned Fresh = 0;
  std::vector<Buffer> Buffers;
  std::vector<IndexVariable> Parameters; ///< of the kernel, integers
  std::vector<std::string> Values;       ///< unsigned variables
  std::vector<IndexVariable> Assignable; ///< see IndexVariable::Assign
  int64_t Threads = 1, AllThreads = 1;
  int64_t CounterCells = 0, PartialCells = 0;
  bool MayReturn = false;
  bool HasTurns = false, HasFloat = false, HasStruct = false, HasRecord = false;
  bool HasLoopMacro = false, HasIndexMacro = false, HasSyncFunction = false;
  unsigned Tiles = 0;
};

} // namespace catt::fuzz

#endif
