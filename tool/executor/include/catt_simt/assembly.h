//===- assembly.h - What inline PTX needs in the source ----------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Addresses as instructions for one memory take them, and a mark before each
// asm statement of the device view. Included last: the marks are macros. An
// address in shared memory is one in the block's, from 0.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_SIMT_ASSEMBLY_H
#define CATT_SIMT_ASSEMBLY_H

CATT_DEV size_t __cvta_generic_to_shared(const void *P) {
  size_t Address;
  asm("cvta.to.shared.u64 %0, %1;" : "=l"(Address) : "l"(P));
  return Address;
}
CATT_DEV void *__cvta_shared_to_generic(size_t Address) {
  void *P;
  asm("cvta.shared.u64 %0, %1;" : "=l"(P) : "l"(Address));
  return P;
}
CATT_DEV size_t __cvta_generic_to_global(const void *P) { return size_t(P); }
CATT_DEV void *__cvta_global_to_generic(size_t P) { return (void *)P; }

#ifdef __CUDA_ARCH__
// AsmOperands.cpp reads what follows.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wkeyword-macro"
#define asm _Pragma("catt_simt_asm") asm
#define __asm _Pragma("catt_simt_asm") __asm
#define __asm__ _Pragma("catt_simt_asm") __asm__
#pragma clang diagnostic pop
#endif

#endif
