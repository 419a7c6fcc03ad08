// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies device memory, says what has changed since, and puts it back (C++17,
// host code, 64 bits, CUDA 11.3 or newer).
//
//   word of an argument --> allocation that it points into --> words in there
//      --> ...                            all of them are copied
//
// The copy is on the device where there is room, else on the host. Behind what
// is put back goes as much as L2 does not hold, so that it is cold.
//
// Limits: found are allocations of the current device into which an aligned
// word of the arguments points, or one in an allocation of up to 1 MiB that is
// found. Memory of the host and of other devices is refused. Nothing else may
// use the memory meanwhile. Pages of managed memory are on the device
// afterwards.
#pragma once
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <string>
#include <vector>

namespace catt {

/// Copies of the allocations that words point into.
class Saved {
public:
  using Word = unsigned long long; ///< also what the driver calls an address
  static constexpr std::size_t Followed = 1 << 20;      ///< bytes
  static constexpr std::size_t Chunk = 4 << 20;         ///< bytes
  static constexpr std::size_t MostOnHost = 8ULL << 30; ///< bytes
  static constexpr std::size_t MostParts = 4096;
  std::string why; ///< they cannot be saved
  std::size_t bytes = 0;

  void fail(const char *text) { why = why.empty() ? text : why; }

  /// Finds all allocations, and copies them.
  void save(const std::vector<Word> &words) {
    if (cudaGetDevice(&device) != cudaSuccess || !findRange())
      return fail("the driver does not say where allocations begin");
    look(words);
    for (std::size_t i = 0; i < parts.size() && why.empty(); ++i)
      if (parts[i].size <= Followed) {
        std::vector<Word> inside(parts[i].size / 8);
        if (copy(inside.data(), parts[i].at, inside.size() * 8))
          look(inside);
      }
    if (why.empty() && makeRoom())
      for (const Part &part : parts)
        copy(room + part.offset, part.at, part.size);
  }
  /// A hash of what has changed since. First: only that is put back from then.
  Word changes(bool first) {
    Word hash = 0;
    const std::size_t most = std::min(Chunk, bytes) / 8;
    std::vector<Word> now(most), then(most);
    for (Part &part : parts)
      for (std::size_t at = 0; at < part.size && why.empty(); at += Chunk) {
        const std::size_t size = std::min(Chunk, part.size - at);
        now[(size - 1) / 8] = then[(size - 1) / 8] = 0;
        if (!copy(now.data(), part.at + at, size) ||
            !copy(then.data(), room + part.offset + at, size) ||
            std::memcmp(now.data(), then.data(), size) == 0)
          continue;
        part.changed |= first;
        for (std::size_t i = 0; i < (size + 7) / 8; ++i)
          if (now[i] != then[i])
            for (Word word : {Word(part.offset + at + i * 8), now[i]}) {
              hash = (hash ^ word) * 0x9E3779B97F4A7C15;
              hash ^= hash >> 32;
            }
      }
    return hash;
  }
  void putBack(cudaStream_t stream) {
    for (const Part &part : parts)
      if (part.changed &&
          cudaMemcpyAsync(part.at, room + part.offset, part.size,
                          cudaMemcpyDefault, stream) != cudaSuccess)
        fail("memory cannot be put back");
    // L2 holds none of it then, and the device is busy while the host launches.
    if (scratch &&
        cudaMemsetAsync(scratch, 0, 2 * std::size_t(l2), stream) != cudaSuccess)
      fail("memory cannot be put back");
  }
  ~Saved() {
    cudaFree(scratch);
    if (onDevice)
      cudaFree(room);
    else
      std::free(room);
  }
  Saved() = default;
  Saved(const Saved &) = delete;

private:
  struct Part {
    char *at;
    std::size_t size, offset;
    bool changed;
  };
  /// cuMemGetAddressRange, without a library to link.
  using Range = int (*)(Word *, std::size_t *, Word);
  std::vector<Part> parts; ///< in the order in which they are found
  char *room = nullptr;
  bool onDevice = false;
  void *scratch = nullptr; ///< of twice the size of L2; null: no room
  int l2 = 0;              ///< bytes
  int device = 0;
  Range range = nullptr;

  bool copy(void *to, const void *from, std::size_t size) {
    if (cudaMemcpy(to, from, size, cudaMemcpyDefault) != cudaSuccess)
      fail("memory cannot be copied");
    return why.empty();
  }
  bool findRange() {
    void *found = nullptr;
#if CUDART_VERSION >= 12050
    cudaGetDriverEntryPointByVersion("cuMemGetAddressRange", &found, 12000,
                                     cudaEnableDefault);
#else
    cudaGetDriverEntryPoint("cuMemGetAddressRange", &found, cudaEnableDefault);
#endif
    range = reinterpret_cast<Range>(found);
    return range != nullptr;
  }
  /// Adds the allocations that are new.
  void look(const std::vector<Word> &words) {
    for (Word word : words) {
      cudaPointerAttributes is;
      if (word >> 32 == 0 || word >> 48 != 0 || holds(word))
        continue; // no address
      if (cudaPointerGetAttributes(&is, reinterpret_cast<void *>(word)) !=
              cudaSuccess ||
          is.type == cudaMemoryTypeUnregistered)
        continue;
      if (is.type == cudaMemoryTypeHost)
        return fail("an argument leads to memory of the host");
      Word begin = 0;
      std::size_t size = 0;
      if (is.type == cudaMemoryTypeDevice && is.device != device)
        return fail("an argument leads to memory of another device");
      if (range(&begin, &size, word) != 0 || size == 0)
        return fail("the driver does not know an allocation");
      if (parts.size() == MostParts)
        return fail("the arguments lead to more than 4096 allocations");
      parts.push_back({reinterpret_cast<char *>(begin), size, bytes, false});
      bytes += (size + 255) / 256 * 256;
    }
  }
  bool holds(Word word) const {
    for (const Part &part : parts)
      if (word - reinterpret_cast<Word>(part.at) < part.size)
        return true;
    return false;
  }
  /// A part of the device stays free: a kernel may need memory of its own.
  void *allocate(std::size_t size) const {
    std::size_t free = 0, all = 0;
    void *made = nullptr;
    if (cudaMemGetInfo(&free, &all) != cudaSuccess || size + all / 16 > free ||
        cudaMalloc(&made, size) != cudaSuccess)
      return nullptr;
    return made;
  }
  bool makeRoom() {
    if (bytes == 0)
      return true;
    room = static_cast<char *>(allocate(bytes));
    onDevice = room != nullptr;
    if (!onDevice && bytes <= MostOnHost)
      room = static_cast<char *>(std::malloc(bytes));
    if (!room) {
      fail("there is no room for a copy of its memory");
      return false;
    }
    if (cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, device) ==
            cudaSuccess &&
        l2 > 0)
      scratch = allocate(2 * std::size_t(l2));
    return true;
  }
};

} // namespace catt
