//===- InstructionCosts.cpp - What a PTX instruction expands to -----------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/registers/InstructionCosts.h"
#include "llvm/ADT/StringSwitch.h"

using llvm::StringRef;

namespace catt {

static InstructionCost ofLoad(const ptx::Instruction &I) {
  if (I.has("param"))
    return {4, 0};
  if (I.has("shared"))
    return {25, 0};
  return {400, 0};
}

bool isMathFunction(StringRef Name) { return Name.starts_with("__nv_"); }

static InstructionCost ofMath(StringRef Name) { return {100, 8}; }

InstructionCost costOf(const ptx::Instruction &I) {
  StringRef Base = I.base();
  if (isMathFunction(I.Callee))
    return ofMath(I.Callee);
  if (Base == "ld")
    return ofLoad(I);
  bool Double = I.has("f64");
  bool Exact = I.has("rn") || I.has("rz") || I.has("ru") || I.has("rd");
  bool Wide = I.has("s64") || I.has("u64");
  if (Base == "div" || Base == "rem") {
    if (Double)
      return {200, 14};
    if (I.has("f32"))
      return {Exact ? 60U : 30U, Exact ? 6U : 2U};
    return {Wide ? 300U : 80U, Wide ? 16U : 5U};
  }
  if (Base == "sqrt" || Base == "rcp" || Base == "rsqrt")
    return {Double ? 150U : 40U, Double ? 12U : Exact ? 5U : 1U};
  return llvm::StringSwitch<InstructionCost>(Base)
      .Cases({"tex", "tld4", "suld", "atom"}, {400, 0})
      .Cases({"sin", "cos", "ex2", "lg2", "tanh"}, {20, 1})
      .Cases({"shfl", "vote", "match"}, {25, 0})
      .Default({Double ? 8U : 4U, 0});
}

} // namespace catt
