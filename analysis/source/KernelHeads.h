//===- KernelHeads.h - Kernels whose body can serve twice -------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   static __global__ void rows(const float *A, int m) { ... }
//                          ^    ^~~~~~~~~~~~~~~~~~~~~~ Parameters
//                          Name
//
// A function that is called by two kernels can hold the body of a kernel if it
// means the same there: no variable of its own outlives a launch, and it does
// not ask what function it is in.
//
// againstCopies() asks less: whether the whole definition can stand there once
// more, under another name.
//
// Limits of a head: functions at file or namespace scope without C linkage;
// parameters that are numbers or pointers. All parameters, those of a template
// too, have names and no default arguments; the name and the parentheses are no
// macro's.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_KERNELHEADS_H
#define CATT_ANALYSIS_SOURCE_KERNELHEADS_H

#include "analysis/model/Kernel.h"
#include "clang/AST/Decl.h"

namespace catt {

/// std::nullopt if another function cannot have the body of this definition.
std::optional<KernelHead> headOf(const clang::FunctionDecl &F);

/// As Kernel::NoCopy.
std::string againstCopies(const clang::FunctionDecl &F);

} // namespace catt

#endif
