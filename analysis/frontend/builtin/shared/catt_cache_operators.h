// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and stores with a cache operator that clang's intrinsics header lacks
// (it has __ldcg, __ldcs, __ldcv, __ldg and __stwt). Templates, so that a
// toolkit's own overloads win where it has them.
#pragma once
template <class T> static inline __attribute__((device)) T __ldca(const T *P) {
  return *P;
}
template <class T> static inline __attribute__((device)) T __ldlu(const T *P) {
  return *P;
}
template <class T> struct catt_identity {
  typedef T type;
};
#define CATT_STORE(Name)                                                       \
  template <class T>                                                           \
  static inline __attribute__((device)) void Name(                             \
      T *P, typename catt_identity<T>::type V) {                               \
    *P = V;                                                                    \
  }
CATT_STORE(__stwb)
CATT_STORE(__stcg)
CATT_STORE(__stcs)
#undef CATT_STORE
