//===- MachineCode.h - Floating-point instructions of a cubin ---*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   cubin (ELF) --.text.<kernel>, 16 bytes each--> FADD, FMUL, FFMA, DADD, ...
//
// What nvcc fuses is decided by ptxas, behind the PTX, so the machine code is
// counted. A toolkit may come without a disassembler; the instructions that are
// asked about are known by nine bits.
//
// Limits: sm_70 and later, whose instructions are 16 bytes long. Two halves in
// one register are added, multiplied and fused by one instruction from sm_80
// on (HFMA2), so that these cannot be told apart and are not counted.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_REGISTERS_MACHINECODE_H
#define CATT_ANALYSIS_REGISTERS_MACHINECODE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace catt {

/// Instructions of one width in one function: "FADD", "FMUL", "FFMA".
using OpcodeCounts = std::map<std::string, unsigned>;

/// The machine code of each function, by mangled name; borrows from the cubin.
/// Error: no object file.
llvm::Expected<std::map<std::string, llvm::StringRef>>
functionsOf(llvm::StringRef Cubin);

/// The kernel whose function a symbol is, which it calls and which is not
/// inlined: k of "$k$_Z4leaff". Empty: another symbol; of a part of ptxas' own,
/// too ("$__internal_0_$__cuda_sm20_sqrt_rn_f32_slowpath").
llvm::StringRef callerOf(llvm::StringRef Symbol);

/// Where a function that a kernel calls stands in the kernel's code, in bytes.
struct CodeRange {
  uint64_t Begin = 0, End = 0;
};

/// The functions that kernels call, by kernel. Error: no object file.
llvm::Expected<std::map<std::string, std::vector<CodeRange>>>
calledFunctions(llvm::StringRef Cubin);

/// Counts by function, by mangled name. Error: no object file of a GPU.
llvm::Expected<std::map<std::string, OpcodeCounts>>
countFloatingPoint(llvm::StringRef Cubin);

/// What the second code rounds otherwise than the first, as far as counts show
/// it: "FMUL 0 -> 1, FFMA 2 -> 0". Empty: nothing. A loop that is unrolled
/// another time has more of each kind; so counts differ only where one kind
/// comes or goes, or where one grows and another one shrinks.
std::string roundingDifference(const OpcodeCounts &Before,
                               const OpcodeCounts &After);

} // namespace catt

#endif
