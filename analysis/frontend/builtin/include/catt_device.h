// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomics, and the device functions that clang's headers leave to the toolkit.
#pragma once

#define CATT_DEVICE static inline __device__

// Read-modify-write, in the three scopes. CUDA C++ Programming Guide, "Atomic
// Functions": which operation takes which type.
#define CATT_ATOMIC(Name, Type, Impl)                                          \
  CATT_DEVICE Type atomic##Name(Type *P, Type V) { return __##Impl(P, V); }    \
  CATT_DEVICE Type atomic##Name##_block(Type *P, Type V) {                     \
    return __##Impl##_block(P, V);                                             \
  }                                                                            \
  CATT_DEVICE Type atomic##Name##_system(Type *P, Type V) {                    \
    return __##Impl##_system(P, V);                                            \
  }
typedef unsigned long long catt_ull;
CATT_ATOMIC(Add, int, iAtomicAdd)
CATT_ATOMIC(Add, unsigned, uAtomicAdd)
CATT_ATOMIC(Add, catt_ull, ullAtomicAdd)
CATT_ATOMIC(Add, float, fAtomicAdd)
CATT_ATOMIC(Add, double, dAtomicAdd)
CATT_ATOMIC(Exch, int, iAtomicExch)
CATT_ATOMIC(Exch, unsigned, uAtomicExch)
CATT_ATOMIC(Exch, catt_ull, ullAtomicExch)
CATT_ATOMIC(Exch, float, fAtomicExch)
CATT_ATOMIC(Min, int, iAtomicMin)
CATT_ATOMIC(Min, unsigned, uAtomicMin)
CATT_ATOMIC(Min, long long, illAtomicMin)
CATT_ATOMIC(Min, catt_ull, ullAtomicMin)
CATT_ATOMIC(Max, int, iAtomicMax)
CATT_ATOMIC(Max, unsigned, uAtomicMax)
CATT_ATOMIC(Max, long long, illAtomicMax)
CATT_ATOMIC(Max, catt_ull, ullAtomicMax)
CATT_ATOMIC(Inc, unsigned, uAtomicInc)
CATT_ATOMIC(Dec, unsigned, uAtomicDec)
CATT_ATOMIC(And, int, iAtomicAnd)
CATT_ATOMIC(And, unsigned, uAtomicAnd)
CATT_ATOMIC(And, catt_ull, ullAtomicAnd)
CATT_ATOMIC(Or, int, iAtomicOr)
CATT_ATOMIC(Or, unsigned, uAtomicOr)
CATT_ATOMIC(Or, catt_ull, ullAtomicOr)
CATT_ATOMIC(Xor, int, iAtomicXor)
CATT_ATOMIC(Xor, unsigned, uAtomicXor)
CATT_ATOMIC(Xor, catt_ull, ullAtomicXor)
#undef CATT_ATOMIC

#define CATT_ATOMIC_SUB(Type, Impl)                                            \
  CATT_DEVICE Type atomicSub(Type *P, Type V) { return Impl(P, -V); }          \
  CATT_DEVICE Type atomicSub_block(Type *P, Type V) {                          \
    return Impl##_block(P, -V);                                                \
  }                                                                            \
  CATT_DEVICE Type atomicSub_system(Type *P, Type V) {                         \
    return Impl##_system(P, -V);                                               \
  }
CATT_ATOMIC_SUB(int, __iAtomicAdd)
CATT_ATOMIC_SUB(unsigned, __uAtomicAdd)
#undef CATT_ATOMIC_SUB

#define CATT_ATOMIC_CAS(Type)                                                  \
  CATT_DEVICE Type atomicCAS(Type *P, Type Old, Type New) {                    \
    __atomic_compare_exchange_n(P, &Old, New, false, __ATOMIC_RELAXED,         \
                                __ATOMIC_RELAXED);                             \
    return Old;                                                                \
  }                                                                            \
  CATT_DEVICE Type atomicCAS_block(Type *P, Type Old, Type New) {              \
    return atomicCAS(P, Old, New);                                             \
  }                                                                            \
  CATT_DEVICE Type atomicCAS_system(Type *P, Type Old, Type New) {             \
    return atomicCAS(P, Old, New);                                             \
  }
CATT_ATOMIC_CAS(int)
CATT_ATOMIC_CAS(unsigned)
CATT_ATOMIC_CAS(catt_ull)
CATT_ATOMIC_CAS(unsigned short)
#undef CATT_ATOMIC_CAS

// Which memory a pointer points into.
CATT_DEVICE unsigned __isGlobal(const void *P) {
  return __nvvm_isspacep_global(P);
}
CATT_DEVICE unsigned __isShared(const void *P) {
  return __nvvm_isspacep_shared(P);
}
CATT_DEVICE unsigned __isConstant(const void *P) {
  return __nvvm_isspacep_const(P);
}
CATT_DEVICE unsigned __isLocal(const void *P) {
  return __nvvm_isspacep_local(P);
}

// Addresses within one kind of memory. CUDA C++ Programming Guide, "Address
// Space Conversion Functions".
CATT_DEVICE size_t __cvta_generic_to_global(const void *P) {
  return __nv_cvta_generic_to_global_impl(P);
}
CATT_DEVICE size_t __cvta_generic_to_shared(const void *P) {
  return __nv_cvta_generic_to_shared_impl(P);
}
CATT_DEVICE size_t __cvta_generic_to_constant(const void *P) {
  return __nv_cvta_generic_to_constant_impl(P);
}
CATT_DEVICE size_t __cvta_generic_to_local(const void *P) {
  return __nv_cvta_generic_to_local_impl(P);
}

CATT_DEVICE void __nanosleep(unsigned Nanoseconds) {
  asm volatile("nanosleep.u32 %0;" ::"r"(Nanoseconds));
}
CATT_DEVICE long long globaltimer(void) {
  long long T;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(T));
  return T;
}

// Dot products and reductions of sm_61 and sm_80.
CATT_DEVICE int __dp4a(int A, int B, int C) {
  for (int I = 0; I < 4; ++I)
    C += int((signed char)(A >> 8 * I)) * int((signed char)(B >> 8 * I));
  return C;
}
CATT_DEVICE unsigned __dp4a(unsigned A, unsigned B, unsigned C) {
  for (int I = 0; I < 4; ++I)
    C += (A >> 8 * I & 255u) * (B >> 8 * I & 255u);
  return C;
}

#undef CATT_DEVICE
