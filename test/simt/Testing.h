//===- Testing.h - What the executor's tests share ---------------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TEST_SIMT_TESTING_H
#define CATT_TEST_SIMT_TESTING_H

#include "tool/executor/Compile.h"
#include "tool/executor/Executor.h"
#include <cstring>
#include <gtest/gtest.h>

namespace catt::simt {

/// Device memory that holds a copy of a vector and comes back as one.
template <class T> class Buffer {
public:
  explicit Buffer(std::vector<T> V)
      : Size(V.size()), Data(static_cast<T *>(deviceAlloc(Size * sizeof(T)))) {
    std::memcpy(Data, V.data(), Size * sizeof(T));
  }
  explicit Buffer(size_t N, T V = T()) : Buffer(std::vector<T>(N, V)) {}
  ~Buffer() { deviceFree(Data); }
  Buffer(const Buffer &) = delete;
  void *arg() { return static_cast<void *>(&Data); } ///< as a kernel's argument
  T *data() { return Data; }
  T operator[](size_t I) const { return Data[I]; }
  std::vector<T> get() const { return {Data, Data + Size}; }
  uint64_t address() const { return reinterpret_cast<uint64_t>(Data); }

private:
  size_t Size;
  T *Data;
};

/// Compiles and loads one of test/simt/kernels, once per process.
inline Module &kernels(const char *File) {
  static std::string Loaded;
  static Module M;
  if (Loaded == File)
    return M;
  auto Path = compile({{std::string(CATT_SIMT_KERNELS "/") + File, {}}},
                      Output::SharedObject, {CATT_SIMT_CACHE});
  std::string Error;
  if (!Path) {
    ADD_FAILURE() << toString(Path.takeError());
    std::abort();
  }
  M = Module::load(*Path, Error);
  EXPECT_TRUE(bool(M)) << Error;
  Loaded = File;
  return M;
}

inline std::string all(const std::vector<Finding> &Findings) {
  std::string Text;
  for (const Finding &F : Findings)
    Text += F.str() + "\n";
  return Text;
}

/// The orders that every semantic test runs under.
inline std::vector<Options> schedules() {
  std::vector<Options> All;
  for (uint64_t Seed : {0, 1, 2, 3, 4}) {
    Options O;
    O.Seed = Seed;
    O.ResidentBlocks = Seed % 3 + 1;
    O.SwitchEvery = Seed < 2 ? 0 : Seed;
    All.push_back(O);
  }
  return All;
}

} // namespace catt::simt

#endif
