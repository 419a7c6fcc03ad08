//===- WarpTimeline.h - One warp through machine code -----------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   LDG R4 [sets barrier 0]   t = 0, ready at 700
//   LDG R5 [sets barrier 0]   t = 2
//   FFMA   [waits for 0]      t = 702: both loads are waited for at once
//   BRA back                  the second round counts nine times
//
// A second clock runs beside this one, by which a load is ready after 40
// cycles, as if L1 held what it loads.
//
// ptxas writes into each instruction how many cycles the next one has to wait,
// which of six barriers a load sets, and which barriers an instruction waits
// for. So the code says how much of what it loads is under way together, where
// it spills, and what it does more than under another cap; PTX says none of it.
//
// An instruction runs in order of the text, whatever branches around it; what a
// loop holds counts ten times for each loop around (LoopWeight), the first
// round as it comes. Bits: stall 105 to 108, barriers set 110 to 115, barriers
// waited for 116 to 121; branches are relative to the next instruction, in
// bytes from bit 32 on up to sm_89, in words of which the lowest 8 bits stand
// at 16 from sm_90 on. Seen in what ptxas 13.0 makes for sm_75 to sm_120.
//
// A call runs the function that is called, as far as it is the program's.
//
// Limits: sm_70 and later. Slow paths of ptxas' own (divisions) are left out,
// and so is what other warps do; time/GridTime puts warps together.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_REGISTERS_WARPTIMELINE_H
#define CATT_ANALYSIS_REGISTERS_WARPTIMELINE_H

#include "analysis/model/RegisterUse.h"
#include "analysis/registers/MachineCode.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <map>
#include <optional>
#include <string>

namespace catt {

/// The code of a kernel, for "sm_90" and the like, with the functions in it
/// that it calls. Empty: another kind of machine, or too much to follow.
std::optional<WarpCost> costOfWarp(llvm::StringRef Code,
                                   llvm::StringRef Architecture,
                                   llvm::ArrayRef<CodeRange> Functions = {});

/// The same of each kernel of a cubin, by mangled name. Error: no object file.
llvm::Expected<std::map<std::string, WarpCost>>
costsOfWarps(llvm::StringRef Cubin, llvm::StringRef Architecture);

} // namespace catt

#endif
