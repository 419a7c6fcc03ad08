//===- Code.h - PTX as the register allocator sees it -----------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   ld.param.u64  %rd1, [k_param_0];     -           (the constant bank)
//   cvta.to.global.u64 %rd2, %rd1;       -           (the same value)
//   mov.u32       %r1, %tid.x;           v0 =
//   mul.wide.s32  %rd3, %r1, 4;          -           (part of the next one)
//   add.s64       %rd4, %rd2, %rd3;      v1 = v0     (IMAD.WIDE)
//   ld.global.f32 %f1, [%rd4];           v2 = v1
//
// PTX has a register for everything. Machine code has not: kernel parameters
// and immediates are operands, copies between address spaces are nothing, and
// an index is widened, scaled and added to its base in one instruction. Code is
// what is left. The machine instructions named are those that cuobjdump shows
// for sm_70 and later ("CUDA Binary Utilities", NVIDIA, instruction set).
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_REGISTERS_CODE_H
#define CATT_ANALYSIS_REGISTERS_CODE_H

#include "analysis/registers/Ptx.h"
#include <cstdint>
#include <vector>

namespace catt {

/// What has to be in registers at some time.
struct CodeValue {
  unsigned Words = 1;    ///< 32-bit registers; 0 for a predicate
  unsigned Register = 0; ///< of ptx::Function, one of those it stands for
};

/// Memory whose accesses must keep their order.
enum Space : uint8_t { Global = 1, Shared = 2, Local = 4, Anywhere = 7 };

struct Operation {
  /// By index into Code::Values.
  std::vector<unsigned> Defines, Uses;
  unsigned From = 0;        ///< of ptx::Function::Instructions
  unsigned Latency = 0;     ///< clocks until a use can start
  unsigned Temporaries = 0; ///< 32-bit registers needed only while it runs
  bool IsCopy = false;      ///< Defines[0] = Uses[0]
  bool IsLinear = false;    ///< adds or scales by constants
  bool IsStep = false;      ///< of those: adds a number that is in the text
  bool EndsBlock = false;   ///< a jump, a return
  bool Calls = false;       ///< by the ABI, of a function with a body elsewhere
  /// Memory that it reads and writes, as a set of Space. What cannot change
  /// while the kernel runs is not in it; a barrier has all of both.
  uint8_t Reads = 0, Writes = 0;
};

/// Operations [First, End) without a jump between them.
struct CodeBlock {
  unsigned First = 0, End = 0;
  std::vector<unsigned> Successors;
  unsigned Depth = 0; ///< loops around it
  bool Loops = false; ///< it is its own successor
  bool NoUnroll = false;
};

struct Code {
  std::vector<CodeValue> Values;
  std::vector<Operation> Operations;
  std::vector<CodeBlock> Blocks;
  std::vector<std::string> Notes; ///< "the call of f is not followed"
};

/// F without what machine code needs no register for.
Code lower(const ptx::Function &F);

} // namespace catt

#endif
