//===- Enemy.h - Kernels with a danger in disguise ---------------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   a danger          the thread's number, a barrier, a wait, a launch ...
//    + disguises      helpers, members, bindings, macros, system headers ...
//    + a temptation   rows that are walked again and again
//   = a kernel, right as it is, that a careless rewrite breaks
//
// One in three is a twin: the same text without the danger, so that it can be
// seen how much is refused with it. Every original runs to its end under any
// schedule, with all blocks resident where they wait for each other.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TEST_FUZZ_ENEMY_H
#define CATT_TEST_FUZZ_ENEMY_H

#include "test/fuzz/KernelTree.h"
#include <random>

namespace catt::fuzz {

/// One way to say something (EnemyLayers.cpp).
struct Layer {
  const char *Name, *Global, *Local, *Text;
};
const std::vector<Layer> &divergentSources();
const std::vector<Layer> &valueLayers();
const std::vector<Layer> &statementLayers();
const std::vector<Layer> &readers();
const std::vector<Layer> &readerLayers();
const std::vector<Layer> &waits();
const std::vector<Layer> &barriers();

/// A valid kernel; the same seed gives the same kernel.
GeneratedKernel generateEnemy(uint64_t Seed, unsigned Id);

class Enemy {
public:
  Enemy(uint64_t Seed, unsigned Id);
  GeneratedKernel kernel();

private:
  uint64_t below(uint64_t N) { return Random() % N; }
  bool chance(unsigned Percent) { return below(100) < Percent; }
  template <class T> const T &pick(const std::vector<T> &V) {
    return V[below(V.size())];
  }
  std::string fresh() {
    return std::to_string(K.Id) + "_" + std::to_string(Fresh++);
  }

  // Enemy.cpp: disguises.
  std::string use(const Layer &L, const std::string &Inner,
                  const std::string &Pointer = "",
                  const std::string &AtParameter = "");
  std::string twinOf(std::string Text) const;
  void global(const std::string &Text);
  std::string value(const std::string &Source, unsigned Layers);
  std::string number();
  std::string reader(const std::string &Pointer, bool AtFileScope);
  std::string wait(const std::string &Pointer);
  std::string barrier();
  void local(const std::string &Text);
  void line(const std::string &Text);
  void common();

  // Enemy.cpp: the temptation.
  std::string walk(const std::string &Row);
  std::string walkWith(const std::string &Row, const std::string &Extra);
  void end();

  // EnemyKernels.cpp: the dangers.
  void guard();
  void block();
  void polling();
  void chain();
  void lock();
  void named();
  void gridBarrier();
  void names();
  void rounding();
  void types();

  // EnemyLaunches.cpp
  void plainLaunch();
  void launchEdit();
  void launchFact();

  std::mt19937_64 Random;
  GeneratedKernel K;
  unsigned Fresh = 0;
  bool InHeader = false;
  std::string Trail; ///< the names of the disguises
};

} // namespace catt::fuzz

#endif
