//===- Memory.cpp - The buffers of a generated kernel ----------------------==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "test/fuzz/Properties.h"
#include <cstring>

namespace catt::fuzz {

Memory::Memory(const GeneratedKernel &K) {
  Scalars.reserve(K.Arguments.size());
  Slots.reserve(K.Arguments.size());
  simt::deviceReset();
  uint32_t State = uint32_t(K.Seed) | 1;
  for (const Argument &A : K.Arguments) {
    if (A.Value) { // little endian: the low bytes are the shorter types
      Scalars.push_back(*A.Value);
      Pointers.push_back(&Scalars.back());
      continue;
    }
    Buffer B = {A.Name, static_cast<char *>(simt::deviceAlloc(A.Bytes)),
                A.Bytes};
    for (int64_t At = 0; At < A.Bytes; At += 4) {
      State = State * 1664525u + 1013904223u;
      char Kind = A.Fill[At / 4 % A.Fill.size()];
      uint32_t Value = Kind == 'x'   ? State % uint32_t(A.Limit)
                       : Kind == '0' ? 0
                                     : State >> 16 & 7;
      float F = float(Value);
      const void *From = &Value;
      if (Kind == 'f')
        From = &F;
      std::memcpy(B.Data + At, From, std::min<int64_t>(4, A.Bytes - At));
    }
    Buffers.push_back(B);
    Slots.push_back(B.Data);
    Pointers.push_back(static_cast<void *>(&Slots.back()));
  }
}

std::map<std::string, uint64_t> Memory::addresses() const {
  std::map<std::string, uint64_t> All;
  for (const Buffer &B : Buffers)
    All[B.Name] = reinterpret_cast<uint64_t>(B.Data);
  return All;
}

std::string Memory::contents() const {
  std::string All;
  for (const Buffer &B : Buffers)
    All.append(B.Data, B.Bytes);
  return All;
}

} // namespace catt::fuzz
