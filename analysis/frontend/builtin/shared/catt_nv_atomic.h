// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nvcc's own atomic functions (CUDA C++ Programming Guide, "Atomic Functions",
// from CUDA 12.8 on). Order and scope are taken and not obeyed: they are not
// looked at.
#pragma once

enum {
  __NV_ATOMIC_RELAXED,
  __NV_ATOMIC_CONSUME,
  __NV_ATOMIC_ACQUIRE,
  __NV_ATOMIC_RELEASE,
  __NV_ATOMIC_ACQ_REL,
  __NV_ATOMIC_SEQ_CST
};
enum {
  __NV_THREAD_SCOPE_THREAD,
  __NV_THREAD_SCOPE_BLOCK,
  __NV_THREAD_SCOPE_CLUSTER,
  __NV_THREAD_SCOPE_DEVICE,
  __NV_THREAD_SCOPE_SYSTEM
};

#define CATT_NV_ATOMIC template <class T> static __device__ __forceinline__
#define CATT_ORDER int, int = __NV_THREAD_SCOPE_SYSTEM
CATT_NV_ATOMIC void __nv_atomic_load(const T *P, T *Out, CATT_ORDER) {
  __atomic_load(P, Out, __ATOMIC_RELAXED);
}
CATT_NV_ATOMIC T __nv_atomic_load_n(const T *P, CATT_ORDER) {
  return __atomic_load_n(P, __ATOMIC_RELAXED);
}
CATT_NV_ATOMIC void __nv_atomic_store(T *P, T *V, CATT_ORDER) {
  __atomic_store(P, V, __ATOMIC_RELAXED);
}
CATT_NV_ATOMIC void __nv_atomic_store_n(T *P, T V, CATT_ORDER) {
  __atomic_store_n(P, V, __ATOMIC_RELAXED);
}
CATT_NV_ATOMIC void __nv_atomic_exchange(T *P, T *V, T *Out, CATT_ORDER) {
  __atomic_exchange(P, V, Out, __ATOMIC_RELAXED);
}
CATT_NV_ATOMIC T __nv_atomic_exchange_n(T *P, T V, CATT_ORDER) {
  return __atomic_exchange_n(P, V, __ATOMIC_RELAXED);
}
CATT_NV_ATOMIC bool __nv_atomic_compare_exchange(T *P, T *Old, T *New, bool,
                                                 int, CATT_ORDER) {
  return __atomic_compare_exchange(P, Old, New, false, __ATOMIC_RELAXED,
                                   __ATOMIC_RELAXED);
}
CATT_NV_ATOMIC bool __nv_atomic_compare_exchange_n(T *P, T *Old, T New, bool,
                                                   int, CATT_ORDER) {
  return __atomic_compare_exchange_n(P, Old, New, false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED);
}
#define CATT_NV_FETCH(Name)                                                    \
  CATT_NV_ATOMIC T __nv_atomic_fetch_##Name(T *P, T V, CATT_ORDER) {           \
    return __atomic_fetch_##Name(P, V, __ATOMIC_RELAXED);                      \
  }                                                                            \
  CATT_NV_ATOMIC void __nv_atomic_##Name(T *P, T V, CATT_ORDER) {              \
    (void)__atomic_fetch_##Name(P, V, __ATOMIC_RELAXED);                       \
  }
CATT_NV_FETCH(add)
CATT_NV_FETCH(sub)
CATT_NV_FETCH(and)
CATT_NV_FETCH(or)
CATT_NV_FETCH(xor)
CATT_NV_FETCH(min)
CATT_NV_FETCH(max)
#undef CATT_NV_FETCH
#undef CATT_ORDER
#undef CATT_NV_ATOMIC
