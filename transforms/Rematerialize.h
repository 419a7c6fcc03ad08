//===- Rematerialize.h - Values are computed again --------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes values again behind the place where registers are short, so that
// they need none there. (TLP-RM, section 2.2.)
//
// Before:
//   int row = i * pitch;
//   A[row] = 0;
//   for (...)
//     ...
//   A[row] += s;
//
// After:
//   int row = i * pitch;
//   A[row] = 0;
//   for (...)
//     ...
//   // catt: rematerialize(row): 1 register less at the peak
//   {
//     auto cattHidden = i;
//     asm volatile("" : "+r"(cattHidden));
//     {
//       decltype(i) i = cattHidden;
//       row = i * pitch;
//     }
//   } // catt: done bc9502
//   A[row] += s;
//
// After, if row is const:
//   // catt: rematerialize(row): 1 register less at the peak
//   {
//     auto cattHidden = i;
//     asm volatile("" : "+r"(cattHidden));
//     decltype(i) i = cattHidden;
//     decltype(row) row = i * pitch;
//     { // catt: begin 01bd5c
//   A[row] += s;
//   ... to the end of the block
//     } // catt: end
//   } // catt: done 2a7b53
//
// The empty asm makes a copy of one operand that the compiler knows nothing of:
// it takes no instruction, and without it the compiler would see that the value
// is the first one, and keep that one in a register. `volatile` keeps it where
// it stands: without it the compiler may merge two of them or move them out of
// a loop. There is no "memory" in it, so that no other access waits for it.
//
// Limits. The plan sees to it that the second result is the first one
// (RematPlan.h). Here, by the text: initializers with comments or directives,
// operands that something between the two places declares again, macros that
// are defined between them; for const values also labels and conditional
// directives in the rest of the block.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TRANSFORMS_REMATERIALIZE_H
#define CATT_TRANSFORMS_REMATERIALIZE_H

#include "transforms/Transform.h"

namespace catt {

class Rematerialize final : public Transform {
public:
  using Transform::Transform;
  llvm::StringRef summary() const override {
    return "Computes values again behind the place where registers are short, "
           "so that they need none there.";
  }
  Preparation prepare(const KernelReport &Kernel,
                      const Device &Gpu) const override;
  llvm::Error apply(const KernelReport &Kernel, const Device &Gpu,
                    const std::map<std::string, std::string> &Texts,
                    Edits &Out) const override;
};

} // namespace catt

#endif
