// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of elements of 1 or 2 bytes, by the words that they lie in.
#pragma once
#include <catt/staged_rows.h>

/// Where in its own place a row begins, so that its words are words there, too:
///
///   memory   . a b c | d e f g | h i . .
///   own        a b c | d e f g | h i
///              ^       ^ the place
///
/// What it has before its first whole word, at most 3 bytes, is in front of the
/// place. An own that was returned before serves as well. It is an offset from
/// own: of a pointer made of a number compilers do not know that it points into
/// shared memory, and into no array of the thread.
#ifndef CATT_ALIKE
#define CATT_ALIKE
template <class CattType>
static __device__ CattType *cattAlike(CattType *own, const CattType *row) {
  const size_t up = -(size_t)own % 4, front = -(size_t)row % 4;
  return (CattType *)((char *)own + up - front);
}
#endif // CATT_ALIKE
/// Loads as cattLoadRow does: the lanes together what of a row lies in whole
/// words, and each lane for itself what is left at its ends. Returns where the
/// row begins. CattBytes has room for a word more.
#ifndef CATT_LOAD_WORDS
#define CATT_LOAD_WORDS
template <int CattColumns, int CattBytes, class CattType>
static __device__ CattType *cattLoadWords(unsigned lanes, unsigned thread,
                                          CattType *own, const CattType *row,
                                          long long count) {
  constexpr int each = 4 / sizeof(CattType);
  own = cattAlike(own, row);
  const int wanted = count < CattColumns ? (int)count : CattColumns;
  const int first = (-(size_t)own % 4) / sizeof(CattType);
  const long long words = count > first ? (count - first) / each : 0;
  cattLoadRow<CattColumns / each, CattBytes>(
      lanes, thread, (unsigned *)(own + first), (const unsigned *)(row + first),
      words);
  for (int i = 0; i < first && i < wanted; ++i)
    own[i] = row[i];
  for (long long i = first + words * each; i < wanted; ++i)
    own[i] = row[i];
  return own;
}
#endif // CATT_LOAD_WORDS
/// The other way, for rows that begin where cattAlike says.
#ifndef CATT_STORE_WORDS
#define CATT_STORE_WORDS
template <int CattColumns, int CattBytes, class CattType>
static __device__ void cattStoreWords(unsigned lanes, unsigned thread,
                                      const CattType *own, CattType *row,
                                      long long count) {
  constexpr int each = 4 / sizeof(CattType);
  const int first = (-(size_t)own % 4) / sizeof(CattType);
  const int words = count > first ? ((int)count - first) / each : 0;
  cattStoreRow<CattColumns / each, CattBytes>(lanes, thread,
                                              (const unsigned *)(own + first),
                                              (unsigned *)(row + first), words);
  for (int i = 0; i < first && i < count; ++i)
    row[i] = own[i];
  for (int i = first + words * each; i < count; ++i)
    row[i] = own[i];
}
#endif // CATT_STORE_WORDS
