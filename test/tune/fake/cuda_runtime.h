//===- cuda_runtime.h - As much of CUDA as times need -----------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TEST_TUNE_FAKE_CUDA_RUNTIME_H
#define CATT_TEST_TUNE_FAKE_CUDA_RUNTIME_H

// An event is the moment at which it was recorded, or at which the stream gets
// there; tests move the clock, and say which call fails.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <map>

enum cudaError_t {
  cudaSuccess,
  cudaErrorUnknown,
  cudaErrorNotReady,
  cudaErrorInvalidConfiguration,
  cudaErrorInvalidResourceHandle,
  cudaErrorMemoryAllocation
};
enum cudaMemoryType {
  cudaMemoryTypeUnregistered,
  cudaMemoryTypeHost,
  cudaMemoryTypeDevice,
  cudaMemoryTypeManaged
};
enum cudaMemcpyKind { cudaMemcpyDefault = 4 };
constexpr unsigned long long cudaEnableDefault = 0;
struct cudaPointerAttributes {
  cudaMemoryType type;
  int device;
};
enum cudaStreamCaptureStatus {
  cudaStreamCaptureStatusNone,
  cudaStreamCaptureStatusActive
};
enum cudaStreamCaptureMode {
  cudaStreamCaptureModeGlobal,
  cudaStreamCaptureModeThreadLocal,
  cudaStreamCaptureModeRelaxed
};
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned X = 1, unsigned Y = 1, unsigned Z = 1)
      : x(X), y(Y), z(Z) {}
};
struct uint3 {
  unsigned x, y, z;
};
enum cudaDeviceAttr {
  cudaDevAttrMultiProcessorCount,
  cudaDevAttrMaxThreadsPerMultiProcessor,
  cudaDevAttrMaxSharedMemoryPerBlockOptin,
  cudaDevAttrL2CacheSize
};
enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize,
  cudaFuncAttributePreferredSharedMemoryCarveout
};
enum { cudaSharedmemCarveoutDefault = -1 };
struct cudaFuncAttributes {
  std::size_t sharedSizeBytes = 0;
};
/// A kernel: how many of its blocks share an SM for want of registers.
struct FakeKernel {
  int Blocks = 1, Carveout = cudaSharedmemCarveoutDefault;
};
struct cudaDeviceProp {
  char name[256];
};
struct FakeEvent {
  float AtMs = -1;
  int Device = 0;
  FakeEvent *Before = nullptr;
};
/// The last one made: what is never destroyed stays in sight, as with CUDA.
inline std::atomic<FakeEvent *> FakeEvents = nullptr;
using cudaEvent_t = FakeEvent *;
using cudaStream_t = int *;

/// A number of all threads that orders nothing else between them: what is
/// tested has to.
template <class T> class FakeNumber {
  std::atomic<T> Value{0};

public:
  operator T() const { return Value.load(std::memory_order_relaxed); }
  FakeNumber &operator=(T To) {
    Value.store(To, std::memory_order_relaxed);
    return *this;
  }
  T operator+=(T More) {
    T Old = *this;
    while (!Value.compare_exchange_weak(Old, Old + More,
                                        std::memory_order_relaxed))
      ;
    return Old + More;
  }
  T operator++() { return *this += 1; }
  T operator--() { return *this += -1; }
};

struct FakeCuda {
  FakeNumber<float> NowMs;
  FakeNumber<float> BusyMs; ///< when all that is queued will be done
  bool Capturing = false, Failing = false;
  bool CapturingElsewhere = false; ///< a query ends that, where not relaxed
  const char *FailingCall = "";
  int FailingAfter = 0; ///< so many of these calls succeed before
  FakeNumber<int> Open, Waits, Resets, TooEarly;
  std::map<const void *, FakeKernel> Kernels;
  int SharedPerBlock = 227 << 10;
  FakeNumber<int> Calls, EventCalls, Records, CapturesEnded;
};
inline FakeCuda Fake;

/// What CUDA keeps for each thread.
struct FakeThread {
  cudaError_t Last = cudaSuccess;
  int Device = 0;
  cudaStreamCaptureMode Mode = cudaStreamCaptureModeGlobal;
};
inline thread_local FakeThread FakeHere;

inline cudaError_t fakeError(cudaError_t Error) {
  if (Error != cudaSuccess)
    FakeHere.Last = Error;
  return Error;
}
inline cudaError_t fakeCall(const char *Name) {
  ++Fake.Calls;
  if (std::strncmp(Name, "cudaEvent", 9) == 0)
    ++Fake.EventCalls;
  const bool Fails =
      std::strcmp(Name, Fake.FailingCall) == 0 && Fake.FailingAfter-- <= 0;
  return fakeError(Fails ? cudaErrorUnknown : cudaSuccess);
}

inline cudaError_t cudaPeekAtLastError() {
  ++Fake.Calls;
  return FakeHere.Last;
}
inline cudaError_t cudaGetLastError() {
  ++Fake.Calls;
  const cudaError_t Last = FakeHere.Last;
  FakeHere.Last = cudaSuccess;
  return Last;
}
inline cudaError_t cudaGetDevice(int *Device) {
  *Device = FakeHere.Device;
  return fakeCall("cudaGetDevice");
}
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp *P, int Device) {
  std::snprintf(P->name, sizeof P->name, "Fake GPU %d", Device);
  return fakeCall("cudaGetDeviceProperties");
}
inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *, const void *) {
  return fakeCall("cudaFuncGetAttributes");
}
inline cudaError_t cudaFuncSetAttribute(const void *Kernel,
                                        cudaFuncAttribute Which, int Value) {
  if (cudaError_t Error = fakeCall("cudaFuncSetAttribute"))
    return Error;
  if (Which == cudaFuncAttributePreferredSharedMemoryCarveout)
    Fake.Kernels[Kernel].Carveout = Value;
  return cudaSuccess;
}
/// An SM has 228 KiB of shared memory, or as many percent of it, of which a
/// block takes 1 KiB more than it asks for.
inline cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *Blocks, const void *Kernel,
                                              int, std::size_t Bytes) {
  const FakeKernel &K = Fake.Kernels[Kernel];
  const int Percent = K.Carveout < 0 ? 100 : K.Carveout;
  const std::size_t All = std::size_t(228 << 10) * Percent / 100;
  *Blocks = std::min(K.Blocks, std::max(1, int(All / (Bytes + 1024))));
  return fakeCall("cudaOccupancyMaxActiveBlocksPerMultiprocessor");
}

inline cudaError_t cudaEventCreate(cudaEvent_t *E) {
  if (Fake.Failing)
    return fakeError(cudaErrorUnknown);
  if (cudaError_t Error = fakeCall("cudaEventCreate"))
    return Error;
  *E = new FakeEvent{-1, FakeHere.Device};
  (*E)->Before = FakeEvents.exchange(*E, std::memory_order_relaxed);
  ++Fake.Open;
  return cudaSuccess;
}
inline cudaError_t cudaEventDestroy(cudaEvent_t E) {
  delete E;
  --Fake.Open;
  return cudaSuccess;
}
inline cudaError_t cudaEventRecord(cudaEvent_t E, cudaStream_t) {
  if (cudaError_t Error = fakeCall("cudaEventRecord"))
    return Error;
  if (E->Device != FakeHere.Device)
    return fakeError(cudaErrorInvalidResourceHandle);
  ++Fake.Records;
  E->AtMs = std::max<float>(Fake.NowMs, Fake.BusyMs);
  return cudaSuccess;
}
inline cudaError_t cudaEventSynchronize(cudaEvent_t) {
  ++Fake.Waits;
  return cudaSuccess;
}
/// What asks about an event ends captures that forbid it.
inline cudaError_t fakeQuestion(const char *Call) {
  if (Fake.CapturingElsewhere && FakeHere.Mode != cudaStreamCaptureModeRelaxed)
    ++Fake.CapturesEnded;
  return fakeCall(Call);
}
/// Leaves its answer behind as some versions of CUDA do.
inline cudaError_t cudaEventQuery(cudaEvent_t E) {
  if (cudaError_t Error = fakeQuestion("cudaEventQuery"))
    return Error;
  return fakeError(E->AtMs > Fake.NowMs ? cudaErrorNotReady : cudaSuccess);
}
/// Of events that are not done: an error that compute-sanitizer reports.
inline cudaError_t cudaEventElapsedTime(float *Ms, cudaEvent_t From,
                                        cudaEvent_t To) {
  *Ms = To->AtMs - From->AtMs;
  if (cudaError_t Error = fakeQuestion("cudaEventElapsedTime"))
    return Error;
  if (To->AtMs <= Fake.NowMs)
    return cudaSuccess;
  ++Fake.TooEarly;
  return fakeError(cudaErrorNotReady);
}
inline cudaError_t cudaStreamIsCapturing(cudaStream_t,
                                         cudaStreamCaptureStatus *Status) {
  *Status = Fake.Capturing ? cudaStreamCaptureStatusActive
                           : cudaStreamCaptureStatusNone;
  return fakeCall("cudaStreamIsCapturing");
}
inline cudaError_t cudaStreamQuery(cudaStream_t) {
  if (cudaError_t Error = fakeQuestion("cudaStreamQuery"))
    return Error;
  return fakeError(Fake.BusyMs > Fake.NowMs ? cudaErrorNotReady : cudaSuccess);
}
inline cudaError_t
cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *Mode) {
  std::swap(*Mode, FakeHere.Mode);
  return fakeCall("cudaThreadExchangeStreamCaptureMode");
}
inline cudaError_t cudaDeviceReset() {
  ++Fake.Resets;
  return cudaSuccess;
}
inline cudaError_t cudaDeviceSynchronize() {
  return fakeCall("cudaDeviceSynchronize");
}

/// Memory of the device is the host's, by where it begins.
struct FakeBlock {
  std::size_t Bytes = 0;
  cudaMemoryType Type = cudaMemoryTypeDevice;
  int Device = 0;
};
struct FakeMemory {
  std::map<char *, FakeBlock> Blocks;
  std::size_t Free = std::size_t(1) << 30;
  std::size_t CopiedAsync = 0; ///< bytes
  int L2 = 0, Flushes = 0;
  FakeBlock *find(const void *Inside, char *&Begin) {
    auto At =
        Blocks.upper_bound(static_cast<char *>(const_cast<void *>(Inside)));
    if (At == Blocks.begin())
      return nullptr;
    Begin = (--At)->first;
    return static_cast<const char *>(Inside) < Begin + At->second.Bytes
               ? &At->second
               : nullptr;
  }
};
/// As with CUDA, what a program does not free is there until it has ended.
inline FakeMemory &FakeDevice = *new FakeMemory;

inline cudaError_t cudaMalloc(void **Made, std::size_t Bytes) {
  if (Bytes > FakeDevice.Free)
    return fakeError(cudaErrorMemoryAllocation);
  char *Begin = new char[Bytes]();
  FakeDevice.Blocks[Begin] = {Bytes};
  FakeDevice.Free -= Bytes;
  *Made = Begin;
  return fakeCall("cudaMalloc");
}
inline cudaError_t cudaFree(void *Begin) {
  auto At = FakeDevice.Blocks.find(static_cast<char *>(Begin));
  if (At == FakeDevice.Blocks.end())
    return cudaSuccess;
  FakeDevice.Free += At->second.Bytes;
  FakeDevice.Blocks.erase(At);
  delete[] static_cast<char *>(Begin);
  return cudaSuccess;
}
inline cudaError_t cudaMemGetInfo(std::size_t *Free, std::size_t *All) {
  *Free = FakeDevice.Free;
  *All = std::size_t(1) << 30;
  return fakeCall("cudaMemGetInfo");
}
inline cudaError_t cudaMemcpy(void *To, const void *From, std::size_t Bytes,
                              cudaMemcpyKind) {
  std::memcpy(To, From, Bytes);
  return fakeCall("cudaMemcpy");
}
inline cudaError_t cudaMemcpyAsync(void *To, const void *From,
                                   std::size_t Bytes, cudaMemcpyKind,
                                   cudaStream_t) {
  std::memcpy(To, From, Bytes);
  FakeDevice.CopiedAsync += Bytes;
  return fakeCall("cudaMemcpyAsync");
}
inline cudaError_t cudaMemsetAsync(void *To, int Value, std::size_t Bytes,
                                   cudaStream_t) {
  std::memset(To, Value, Bytes);
  ++FakeDevice.Flushes;
  return fakeCall("cudaMemsetAsync");
}
inline cudaError_t cudaDeviceGetAttribute(int *Value, cudaDeviceAttr Which,
                                          int) {
  const int Values[] = {4, 2048, Fake.SharedPerBlock, FakeDevice.L2};
  *Value = Values[Which];
  return fakeCall("cudaDeviceGetAttribute");
}
inline cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *Is,
                                            const void *Pointer) {
  char *Begin = nullptr;
  const FakeBlock *Block = FakeDevice.find(Pointer, Begin);
  *Is = Block ? cudaPointerAttributes{Block->Type, Block->Device}
              : cudaPointerAttributes{cudaMemoryTypeUnregistered, 0};
  return fakeCall("cudaPointerGetAttributes");
}
inline int fakeAddressRange(unsigned long long *Begin, std::size_t *Bytes,
                            unsigned long long Inside) {
  char *At = nullptr;
  const FakeBlock *Block =
      FakeDevice.find(reinterpret_cast<const void *>(Inside), At);
  *Begin = reinterpret_cast<unsigned long long>(At);
  *Bytes = Block ? Block->Bytes : 0;
  return Block ? 0 : 1;
}
inline cudaError_t cudaGetDriverEntryPoint(const char *Name, void **Found,
                                           unsigned long long) {
  const bool IsKnown = std::strcmp(Name, "cuMemGetAddressRange") == 0;
  *Found = IsKnown ? reinterpret_cast<void *>(fakeAddressRange) : nullptr;
  return fakeCall("cudaGetDriverEntryPoint");
}

#endif
