//===- Harness.h - One loop, every way to throttle it ----------*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A benchmark is a kernel template whose parameter is how many warps of a block
// run a loop at a time; 0 is the kernel as its author wrote it.
//
//   template <int Warps>
//   __global__ void rows(const float *A, float *y, int n) {
//     const int i = blockIdx.x * blockDim.x + threadIdx.x;
//     BY_WARPS(Warps) {
//       if (i < n)
//         for (int j = 0; j < Columns; ++j)
//           y[i] += A[i * Columns + j];
//     }
//   }
//
// BY_WARPS is what the transform split-warp-groups writes: a loop over groups
// of warps with a barrier behind each. With 0 it folds to nothing.
//
//   Case      what is measured: kernels, launch, arguments, and what is known
//             of the loop (Facts), for those who fit a model to the times
//   Point     one way to run it: warps at a time, blocks per SM, L1D setting
//   measure() Case x Point -> milliseconds of each run, and whether the output
//             is that of the original, bit for bit
//
// Limits: blocks per SM are held down by dynamic shared memory, so kernels with
// shared memory of their own are measured with all their blocks only.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_BENCH_HARNESS_H
#define CATT_BENCH_HARNESS_H

#include <cstddef>
#include <cstring>
#include <cuda_runtime.h>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace bench {

/// The number of this thread in its block, x fastest.
__device__ inline unsigned threadInBlock() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

template <int Warps> __device__ inline bool moreGroups(unsigned Group) {
  if constexpr (Warps == 0)
    return Group == 0;
  else
    return Group * Warps * 32 < blockDim.x * blockDim.y * blockDim.z;
}

template <int Warps> __device__ inline bool inGroup(unsigned Group) {
  if constexpr (Warps == 0)
    return true;
  else
    return threadInBlock() / (Warps * 32) == Group;
}

template <int Warps> __device__ inline void endGroup() {
  if constexpr (Warps != 0)
    __syncthreads();
}

#ifdef BENCH_PLAIN // what the tool is shown: loops as their author wrote them
#define BY_WARPS(Warps)
#else
#define BY_WARPS(Warps)                                                        \
  for (unsigned Group = 0; bench::moreGroups<Warps>(Group);                    \
       bench::endGroup<Warps>(), ++Group)                                      \
    if (bench::inGroup<Warps>(Group))
#endif

/// What is known of a loop without running it. All counts are per iteration of
/// the innermost loop unless they say otherwise.
struct Facts {
  /// Innermost iterations per thread and run of the loop; runs of it that walk
  /// the same lines again (2: everything is read twice).
  long long Trips = 0;
  int Rounds = 1;
  /// Distinct 128-byte lines that the loads of a warp touch, all accesses
  /// counted once; and how many of these lines are its own: neither used by
  /// other warps nor the same in the next iteration.
  double LinesPerWarp = 0;
  double OwnLinesPerWarp = 0;
  /// Iterations that a line serves before the warp is done with it.
  double IterationsPerLine = 1;
  int Loads = 0, Stores = 0, Flops = 0;
  /// Bytes that the launch must move from and to device memory, each once.
  double Bytes = 0;
  /// May the compiler issue the loads of several iterations together: no store
  /// in the loop could change what is loaded.
  bool CanBatch = false;
  /// Loads whose address depends on loaded data.
  int IrregularLoads = 0;
};

struct Variant {
  int Warps; // at a time; 0: the original
  const void *Kernel;
};

struct Case {
  std::string Benchmark, Loop;
  std::string Group;  // "contended", "insensitive" or "irregular"
  std::string Type;   // "float", "double", "int"
  std::string Kernel; // the original's name with template arguments
  bool RuntimeSize = false;
  dim3 Grid, Block;
  std::vector<Variant> Variants;
  std::vector<std::vector<char>> Arguments;
  /// Of the arguments, the integers; empty elsewhere.
  std::vector<std::optional<long long>> Integers;
  void *Output = nullptr;
  size_t OutputBytes = 0;
  Facts Known;

  std::string name() const { return Benchmark + "/" + Loop; }

  template <typename... Ts> void arguments(const Ts &...Values) {
    (void)std::initializer_list<int>{(addArgument(Values), 0)...};
  }

private:
  template <typename T> void addArgument(const T &Value) {
    std::vector<char> Bytes(sizeof(T));
    std::memcpy(Bytes.data(), &Value, sizeof(T));
    Arguments.push_back(std::move(Bytes));
    if constexpr (std::is_integral_v<T>)
      Integers.push_back((long long)Value);
    else
      Integers.push_back(std::nullopt);
  }
};

/// Device memory that all benchmarks share, filled once with small integers so
/// that sums are exact: In for inputs, Out for what kernels write (cleared
/// before each run).
struct Pool {
  char *In, *Out;
  size_t InBytes, OutBytes;
  int SMs;

  template <typename T> T *in(size_t ByteOffset = 0) const {
    return reinterpret_cast<T *>(In + ByteOffset);
  }
  template <typename T> T *out(size_t ByteOffset = 0) const {
    return reinterpret_cast<T *>(Out + ByteOffset);
  }
};

/// The halves of Pool::In: the first holds float, the second double values.
constexpr size_t FloatBytes = size_t(5) << 29;  // 2.5 GiB
constexpr size_t DoubleBytes = size_t(5) << 29; // 2.5 GiB
constexpr size_t IntBytes = size_t(1) << 28;    // 256 MiB, below 2^20
constexpr size_t DoubleAt = FloatBytes;
constexpr size_t IntAt = FloatBytes + DoubleBytes;
constexpr size_t OutBytes = size_t(3) << 29; // 1.5 GiB

void addRows(std::vector<Case> &Cases, const Pool &P);
void addContended(std::vector<Case> &Cases, const Pool &P);
void addInsensitive(std::vector<Case> &Cases, const Pool &P);
void addIrregular(std::vector<Case> &Cases, const Pool &P);

} // namespace bench

#endif // CATT_BENCH_HARNESS_H
