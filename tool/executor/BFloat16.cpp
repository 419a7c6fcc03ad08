//===- BFloat16.cpp - Rounding to bfloat16 --------------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What clang calls for `__bf16(x)`, which libgcc has from GCC 13 on.
//
//===----------------------------------------------------------------------===//
#include <bit>
#include <cstdint>

/// The upper half of a float, rounded to nearest, ties to even.
static __bf16 rounded(uint32_t Bits) {
  const bool IsNaN = (Bits & 0x7fffffff) > 0x7f800000;
  Bits = IsNaN ? Bits | 0x400000 : Bits + 0x7fff + (Bits >> 16 & 1);
  return std::bit_cast<__bf16>(static_cast<uint16_t>(Bits >> 16));
}

extern "C" {
[[gnu::weak, gnu::visibility("default")]] __bf16 __truncsfbf2(float X);
[[gnu::weak, gnu::visibility("default")]] __bf16 __truncdfbf2(double X);

__bf16 __truncsfbf2(float X) { return rounded(std::bit_cast<uint32_t>(X)); }

__bf16 __truncdfbf2(double X) {
  const float Near = static_cast<float>(X);
  uint32_t Bits = std::bit_cast<uint32_t>(Near);
  // A tie of two bfloat16s that the double is not: one bit back to its side.
  const double Rest = X - static_cast<double>(Near);
  if ((Bits & 0xffff) == 0x8000 && Rest != 0)
    Bits += (Rest > 0) == (Near > 0) ? 1 : -1;
  return rounded(Bits);
}
}
