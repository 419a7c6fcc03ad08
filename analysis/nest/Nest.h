//===- Nest.h - What stands inside what -------------------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for (i ...)          loop 0       isInside(K, 2, 0), isInnermost(K, 2)
//     for (j ...)        loop 1       outermost(K, 2) is 0
//       for (k ...)      loop 2
//     if (...)           statement 5  isStatementInside(K, 6, 5)
//       x = y;           statement 6
//
// The one place that follows the parents of a kernel's loops and statements.
// Limits: a loop of a device function has the loops around the call as its
// parents; statements are those of the kernel's own body alone.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_NEST_NEST_H
#define CATT_ANALYSIS_NEST_NEST_H

#include "analysis/model/Kernel.h"

namespace catt {

/// True if loop Inner is Outer or inside it. No loop is inside none.
bool isInside(const Kernel &K, std::optional<unsigned> Inner, unsigned Outer);

/// True if no loop stands inside it.
bool isInnermost(const Kernel &K, unsigned Loop);

/// No compiler unrolls the loop whole: what its iterations load cannot stay in
/// registers.
bool staysRolled(const Loop &L);

/// The longest row, in bytes, that a loop around one that walks it may find in
/// registers. MayChange: by stores.
int64_t mostInRegisters(const Loop &Walk, bool MayChange);

/// A row that the loop, or one inside or around it, reads again and again from
/// registers where a compiler unrolls its walk: nothing stores to it; null if
/// there is none.
const Access *rowInRegisters(const Kernel &K, unsigned Loop);

/// An innermost loop that compilers unroll whole, so that the loads of all its
/// iterations can be issued together.
bool isUnrolledWhole(const Kernel &K, unsigned Loop);

/// The loop that is inside no other and has this one inside, or is it.
unsigned outermost(const Kernel &K, unsigned Loop);

/// A reference of the loop, or of one inside, whose index is not known; null:
/// none.
const Access *irregularIn(const Kernel &K, unsigned Loop);

/// A reference of them that walks memory, if of all that do data decides which
/// threads make it, or how often; null: none.
const Access *decidedByData(const Kernel &K, unsigned Loop);

/// True if statement Inner is Outer or inside it.
bool isStatementInside(const Kernel &K, unsigned Inner, unsigned Outer);

} // namespace catt

#endif
