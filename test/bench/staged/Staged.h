//===- Staged.h - What a prepared comparison consists of -------*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   bench writes -> two units per case: the text before and after the tool,
//                   with its launch, which takes the case's arguments
//                -> the table of all cases
//   Runner.cu    -> runs the table
//
//===----------------------------------------------------------------------===//
#ifndef CATT_BENCH_STAGED_H
#define CATT_BENCH_STAGED_H

namespace staged {

/// An argument of a launch, of the type that the kernel wants.
struct Value {
  const void *At;
  template <typename T> operator T() const {
    return *static_cast<const T *>(At);
  }
};

inline Value argument(void *const *Values, int Number) {
  return {Values[Number]};
}

struct Prepared {
  const char *Case;  // its name in the suite
  const char *Facts; // the inside of a JSON object, for the results
  /// The best point of the sweep: warps of a block at a time (0: all of them),
  /// dynamic shared memory, carve-out.
  int Warps, DynamicBytes, CarveOut;
  /// Launch the plain text, and what the tool made of it.
  void (*Original)(void *const *Values);
  void (*Rewritten)(void *const *Values);
};

extern const Prepared Table[];
extern const int TableSize;
/// The sizes of the cases are those for a card of so many SMs.
extern const int SMs;
extern const char *const BuiltWith;

} // namespace staged

#endif // CATT_BENCH_STAGED_H
