//===- Record.cu - What a program copies, frees and launches ---*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linked into original and rewrite with ld's --wrap, so that neither's text has
// to change. Both then write the same lines if they computed the same bits:
//
//   cudaMalloc        poisons the memory: what is never written has one value
//   cudaMemcpy        to the host: "copy <bytes> <hash of the bytes>"
//   cudaFree          "free <bytes> <hash>", of every buffer up to 1 GiB:
//                     inputs that were overwritten show, and outputs that are
//                     never copied
//   kernel launches   counted; ask for the carve-out of $CATT_CARVEOUT first,
//                     so that both can run with the L1D that the plan is for
//
// The lines go to the file $CATT_RECORD. Without it nothing is hashed.
//
// Limits: launches come from any thread, other calls from one; memory from
// cudaMalloc alone. A program that uses others would show fewer lines, not
// wrong ones.
//
//===----------------------------------------------------------------------===//
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <map>
#include <mutex>
#include <vector>

extern "C" {
cudaError_t __real_cudaMalloc(void **, size_t);
cudaError_t __real_cudaFree(void *);
cudaError_t __real_cudaMemcpy(void *, const void *, size_t, cudaMemcpyKind);
cudaError_t __real_cudaLaunchKernel(const void *, dim3, dim3, void **, size_t,
                                    cudaStream_t);
#if CUDART_VERSION >= 13000
// What nvcc's <<<>>> calls from CUDA 13 on; before, it is cudaLaunchKernel.
cudaError_t __real___cudaLaunchKernel(cudaKernel_t, dim3, dim3, void **, size_t,
                                      cudaStream_t);
#endif
}

namespace {

constexpr size_t Largest = size_t(1) << 30;
std::map<void *, size_t> Buffers;
std::mutex LaunchMutex;
unsigned long long Launches;

std::FILE *record() {
  static std::FILE *File = [] {
    const char *Path = std::getenv("CATT_RECORD");
    return Path ? std::fopen(Path, "w") : nullptr;
  }();
  return File;
}

// FNV-1a over words of eight bytes, and over the bytes that are left.
uint64_t hashOf(const void *Data, size_t Bytes) {
  const char *At = static_cast<const char *>(Data);
  uint64_t Hash = 14695981039346656037u;
  for (; Bytes >= 8; Bytes -= 8, At += 8) {
    uint64_t Word;
    std::memcpy(&Word, At, 8);
    Hash = (Hash ^ Word) * 1099511628211u;
    Hash ^= Hash >> 29;
  }
  for (; Bytes; --Bytes, ++At)
    Hash = (Hash ^ static_cast<unsigned char>(*At)) * 1099511628211u;
  return Hash;
}

void note(const char *What, size_t Bytes, uint64_t Hash) {
  std::fprintf(record(), "%s %zu %016llx\n", What, Bytes,
               static_cast<unsigned long long>(Hash));
  std::fflush(record());
}

void beforeLaunch(const void *Kernel) {
  const std::lock_guard<std::mutex> Lock(LaunchMutex);
  if (const char *Percent = std::getenv("CATT_CARVEOUT"))
    (void)cudaFuncSetAttribute(Kernel,
                               cudaFuncAttributePreferredSharedMemoryCarveout,
                               std::atoi(Percent));
  if (record())
    note("launch", Launches++, 0);
}

} // namespace

extern "C" {

cudaError_t __wrap_cudaMalloc(void **Pointer, size_t Bytes) {
  const cudaError_t Status = __real_cudaMalloc(Pointer, Bytes);
  if (Status != cudaSuccess || !record())
    return Status;
  Buffers[*Pointer] = Bytes;
  return cudaMemset(*Pointer, 0xCD, Bytes);
}

cudaError_t __wrap_cudaFree(void *Pointer) {
  const auto It = Buffers.find(Pointer);
  if (record() && It != Buffers.end() && It->second <= Largest) {
    std::vector<char> Host(It->second);
    const cudaError_t Status = __real_cudaMemcpy(
        Host.data(), Pointer, Host.size(), cudaMemcpyDeviceToHost);
    if (Status != cudaSuccess)
      return Status;
    note("free", Host.size(), hashOf(Host.data(), Host.size()));
  }
  if (It != Buffers.end())
    Buffers.erase(It);
  return __real_cudaFree(Pointer);
}

cudaError_t __wrap_cudaMemcpy(void *To, const void *From, size_t Bytes,
                              cudaMemcpyKind Kind) {
  const cudaError_t Status = __real_cudaMemcpy(To, From, Bytes, Kind);
  if (Status == cudaSuccess && record() && Kind == cudaMemcpyDeviceToHost)
    note("copy", Bytes, hashOf(To, Bytes));
  return Status;
}

cudaError_t __wrap_cudaLaunchKernel(const void *Kernel, dim3 Grid, dim3 Block,
                                    void **Arguments, size_t Shared,
                                    cudaStream_t Stream) {
  beforeLaunch(Kernel);
  return __real_cudaLaunchKernel(Kernel, Grid, Block, Arguments, Shared,
                                 Stream);
}

#if CUDART_VERSION >= 13000
cudaError_t __wrap___cudaLaunchKernel(cudaKernel_t Kernel, dim3 Grid,
                                      dim3 Block, void **Arguments,
                                      size_t Shared, cudaStream_t Stream) {
  beforeLaunch(reinterpret_cast<const void *>(Kernel));
  return __real___cudaLaunchKernel(Kernel, Grid, Block, Arguments, Shared,
                                   Stream);
}
#endif
}
