//===- PtxArithmetic.h - PTX instructions on registers -----------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   "bfe.u32"  {a, position, length}  ->  IR
//
// Those alone whose result the PTX manual gives to the last bit: no .approx, no
// .ftz, no carry. A head that the table does not hold, modifiers included, is
// unknown.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_EXECUTOR_PTXARITHMETIC_H
#define CATT_TOOL_EXECUTOR_PTXARITHMETIC_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"

namespace catt::simt {

/// The type of ".u32"; null for one that is not known (".f16x2").
llvm::Type *ptxType(llvm::StringRef Name, llvm::LLVMContext &C);

/// The Nth operand as this type, or null.
using PtxOperand = llvm::function_ref<llvm::Value *(unsigned, llvm::Type *)>;

/// The result of an instruction with Count operands behind its destination, or
/// null if it is not known.
llvm::Value *ptxArithmetic(llvm::IRBuilder<> &B, llvm::StringRef Head,
                           unsigned Count, PtxOperand Operand);

} // namespace catt::simt

#endif
