//===- Rows.h - Kernels and their variants in one program -------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   bundle_*.cu   kernels, each variant in a namespace of its own, a Variant
//   each table.cpp     Cases: which variants a kernel has, which arrays it
//   takes Runner.cu     runs them
//
// The first two are written by `bench`.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_BENCH_ROWS_H
#define CATT_BENCH_ROWS_H

#include <cstddef>

namespace rows {

struct Array {
  const char *Type, *Fill; ///< "float"; "values", "index:64", see Runner.cu
  size_t Count;
};

struct Variant {
  void (*Launch)(void *const *Arrays);
  const void *(*Kernel)();
};

/// A variant of a case; one whose text is that of another has no code.
struct Named {
  const char *Name, *SameAs; ///< or nullptr
  const Variant *Code;       ///< or nullptr
};

struct Case {
  const char *Name, *Facts; ///< members of a JSON object
  int Threads;              ///< of a block
  const Array *Arrays;
  int ArrayCount;
  const Named *Variants; ///< the original first
  int VariantCount;
};

extern const Case Cases[];
extern const int CaseCount;
extern const char *const BuiltWith;

} // namespace rows

#endif // CATT_BENCH_ROWS_H
