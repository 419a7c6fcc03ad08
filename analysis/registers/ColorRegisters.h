//===- ColorRegisters.h - Spills under a cap --------------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   Code --(who is live with whom)--> graph --(colors)--> registers
//                     ^                          |
//                     +---- spill what has no ---+
//
// Graph colouring by Chaitin ("Register allocation and spilling via graph
// coloring", 1982) as Briggs improved it ("Improvements to graph coloring
// register allocation", 1994), which CRAT section 5 uses to know spills under a
// cap: what is cheap to spill for the room that it takes goes to the bottom of
// the stack, and is spilled only if no color is left when it is popped. Values
// of two and four words take registers that are aligned to that. What is
// spilled lives from a load just before each use, and to a store just behind
// each definition. Temporaries of an expansion (a division in double precision)
// take registers beside what is live behind it.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_REGISTERS_COLORREGISTERS_H
#define CATT_ANALYSIS_REGISTERS_COLORREGISTERS_H

#include "analysis/registers/Code.h"

namespace catt {

struct Allocation {
  unsigned Registers = 0;  ///< the highest one taken, and one
  unsigned StoreBytes = 0; ///< of all store instructions, each counted once
  unsigned LoadBytes = 0;
  double WeightedAccesses = 0;   ///< of 4 bytes, 10 times for each loop around
  unsigned StackBytes = 0;       ///< one place for each value spilled
  std::vector<unsigned> Spilled; ///< values of the Code given, ascending
  bool Complete = true; ///< false: the cap is too small for single operations
};

/// Colors C with the given number of 32-bit registers.
Allocation colorRegisters(const Code &C, unsigned Available);

} // namespace catt

#endif
