//===- CudaMemory.cpp - The CUDA runtime API: memory -----------------------==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tool/executor/CudaApi.h"
#include <cstring>

using namespace catt::simt;

// The names are CUDA's.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)

cudaError_t cudaMalloc(void **P, size_t Size) {
  *P = Size ? deviceAlloc(Size) : nullptr;
  return done(Size && !*P ? cudaErrorMemoryAllocation : cudaSuccess);
}
cudaError_t cudaMallocManaged(void **P, size_t Size, unsigned) {
  return cudaMalloc(P, Size);
}
cudaError_t cudaMallocHost(void **P, size_t Size, unsigned) {
  return cudaMalloc(P, Size);
}
cudaError_t cudaHostAlloc(void **P, size_t Size, unsigned) {
  return cudaMalloc(P, Size);
}
cudaError_t cudaMallocAsync(void **P, size_t Size, cudaStream_t) {
  return cudaMalloc(P, Size);
}
cudaError_t cudaMallocPitch(void **P, size_t *Pitch, size_t Width,
                            size_t Rows) {
  *Pitch = (Width + 511) / 512 * 512;
  return cudaMalloc(P, *Pitch * Rows);
}
cudaError_t cudaFree(void *P) {
  return done(!P || deviceFree(P) ? cudaSuccess : cudaErrorInvalidValue);
}
cudaError_t cudaFreeHost(void *P) { return cudaFree(P); }
cudaError_t cudaFreeAsync(void *P, cudaStream_t) { return cudaFree(P); }
cudaError_t cudaMemGetInfo(size_t *Free, size_t *Total) {
  *Free = *Total = DeviceBytes;
  return done(cudaSuccess);
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *Is, const void *P) {
  auto *Given = const_cast<void *>(P);
  const bool IsDevice = allocationAt(P).second != 0;
  *Is = {IsDevice ? cudaMemoryTypeDevice : cudaMemoryTypeUnregistered, 0,
         IsDevice ? Given : nullptr, IsDevice ? nullptr : Given};
  return done(cudaSuccess);
}

/// cuMemGetAddressRange of the driver.
static int addressRange(unsigned long long *Begin, size_t *Size,
                        unsigned long long P) {
  auto [From, To] = allocationAt(reinterpret_cast<const void *>(P));
  *Begin = From;
  *Size = To - From;
  constexpr int NotFound = 500;
  return To ? 0 : NotFound;
}
cudaError_t
cudaGetDriverEntryPointByVersion(const char *Name, void **Function, unsigned,
                                 unsigned long long,
                                 cudaDriverEntryPointQueryResult *Result) {
  const bool IsKnown = std::strcmp(Name, "cuMemGetAddressRange") == 0;
  *Function = IsKnown ? reinterpret_cast<void *>(addressRange) : nullptr;
  if (Result)
    *Result = IsKnown ? cudaDriverEntryPointSuccess
                      : cudaDriverEntryPointSymbolNotFound;
  return done(cudaSuccess);
}

cudaError_t cudaMemcpy(void *To, const void *From, size_t Size,
                       cudaMemcpyKind) {
  if (!isCopyable(To, Size) || !isCopyable(From, Size))
    return done(cudaErrorInvalidValue);
  std::memmove(To, From, Size);
  return done(cudaSuccess);
}
cudaError_t cudaMemcpyAsync(void *To, const void *From, size_t Size,
                            cudaMemcpyKind Kind, cudaStream_t) {
  return cudaMemcpy(To, From, Size, Kind);
}
cudaError_t cudaMemcpy2D(void *To, size_t ToPitch, const void *From,
                         size_t FromPitch, size_t Width, size_t Rows,
                         cudaMemcpyKind Kind) {
  for (size_t I = 0; I < Rows; ++I)
    if (cudaError_t E = cudaMemcpy(
            static_cast<char *>(To) + I * ToPitch,
            static_cast<const char *>(From) + I * FromPitch, Width, Kind))
      return E;
  return done(cudaSuccess);
}
cudaError_t cudaMemcpy2DAsync(void *To, size_t ToPitch, const void *From,
                              size_t FromPitch, size_t Width, size_t Rows,
                              cudaMemcpyKind Kind, cudaStream_t) {
  return cudaMemcpy2D(To, ToPitch, From, FromPitch, Width, Rows, Kind);
}
cudaError_t cudaMemset(void *P, int Value, size_t Size) {
  if (!isCopyable(P, Size))
    return done(cudaErrorInvalidValue);
  std::memset(P, Value, Size);
  return done(cudaSuccess);
}
cudaError_t cudaMemset2D(void *P, size_t Pitch, int Value, size_t Width,
                         size_t Rows) {
  for (size_t I = 0; I < Rows; ++I)
    if (cudaError_t E =
            cudaMemset(static_cast<char *>(P) + I * Pitch, Value, Width))
      return E;
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void *P, int Value, size_t Size, cudaStream_t) {
  return cudaMemset(P, Value, Size);
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
