//===- host.h - CUDA's runtime API on the executor ---------------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of the CUDA runtime API that self-contained programs use. Everything
// happens at once and in the calling thread; streams and events are numbers.
// Values of the enumerators are those of the CUDA Runtime API reference.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_SIMT_HOST_H
#define CATT_SIMT_HOST_H

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorInvalidSymbol = 13,
  cudaErrorInvalidDevicePointer = 17,
  cudaErrorInvalidDeviceFunction = 98,
  cudaErrorInvalidDevice = 101,
  cudaErrorNotReady = 600,
  cudaErrorIllegalAddress = 700,
  cudaErrorLaunchOutOfResources = 701,
  cudaErrorLaunchTimeout = 702,
  cudaErrorLaunchFailure = 719,
  cudaErrorCooperativeLaunchTooLarge = 720,
  cudaErrorNotSupported = 801
};
typedef cudaError_t cudaError;
enum cudaMemcpyKind {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault
};
enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9
};
enum cudaSharedCarveout {
  cudaSharedmemCarveoutDefault = -1,
  cudaSharedmemCarveoutMaxL1 = 0,
  cudaSharedmemCarveoutMaxShared = 100
};
enum cudaFuncCache {
  cudaFuncCachePreferNone,
  cudaFuncCachePreferShared,
  cudaFuncCachePreferL1,
  cudaFuncCachePreferEqual
};
enum cudaLimit {
  cudaLimitStackSize,
  cudaLimitPrintfFifoSize,
  cudaLimitMallocHeapSize
};
enum cudaDeviceAttr {
  cudaDevAttrMaxThreadsPerBlock = 1,
  cudaDevAttrMaxSharedMemoryPerBlock = 8,
  cudaDevAttrWarpSize = 10,
  cudaDevAttrMaxRegistersPerBlock = 12,
  cudaDevAttrClockRate = 13,
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrL2CacheSize = 38,
  cudaDevAttrMaxThreadsPerMultiProcessor = 39,
  cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
  cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrComputeCapabilityMinor = 76,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97
};
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
enum cudaStreamCaptureStatus {
  cudaStreamCaptureStatusNone,
  cudaStreamCaptureStatusActive,
  cudaStreamCaptureStatusInvalidated
};
enum cudaStreamCaptureMode {
  cudaStreamCaptureModeGlobal,
  cudaStreamCaptureModeThreadLocal,
  cudaStreamCaptureModeRelaxed
};
struct cudaDeviceProp {
  char name[256];
  size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerBlockOptin,
      sharedMemPerMultiprocessor, reservedSharedMemPerBlock, totalConstMem;
  int major, minor, multiProcessorCount, warpSize, maxThreadsPerBlock,
      maxThreadsPerMultiProcessor, maxBlocksPerMultiProcessor, regsPerBlock,
      regsPerMultiprocessor, l2CacheSize, maxThreadsDim[3], maxGridSize[3],
      clockRate, memoryClockRate, memoryBusWidth, integrated, canMapHostMemory,
      concurrentKernels, deviceOverlap, asyncEngineCount, computeMode,
      ECCEnabled, unifiedAddressing, managedMemory, concurrentManagedAccess,
      pageableMemoryAccess, cooperativeLaunch, multiGpuBoardGroupID, pciBusID,
      pciDeviceID, pciDomainID, kernelExecTimeoutEnabled,
      streamPrioritiesSupported;
};
struct cudaFuncAttributes {
  size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion,
      maxDynamicSharedSizeBytes, preferredShmemCarveout;
};
enum cudaSharedMemConfig {
  cudaSharedMemBankSizeDefault,
  cudaSharedMemBankSizeFourByte,
  cudaSharedMemBankSizeEightByte
};
enum cudaMemoryType {
  cudaMemoryTypeUnregistered,
  cudaMemoryTypeHost,
  cudaMemoryTypeDevice,
  cudaMemoryTypeManaged
};
struct cudaPointerAttributes {
  cudaMemoryType type;
  int device;
  void *devicePointer, *hostPointer;
};
enum cudaDriverEntryPointQueryResult {
  cudaDriverEntryPointSuccess,
  cudaDriverEntryPointSymbolNotFound
};
enum cudaMemoryAdvise {
  cudaMemAdviseSetReadMostly = 1,
  cudaMemAdviseSetPreferredLocation = 3,
  cudaMemAdviseSetAccessedBy = 5
};
enum cudaComputeMode {
  cudaComputeModeDefault,
  cudaComputeModeProhibited = 2,
  cudaComputeModeExclusiveProcess
};
#define cudaCpuDeviceId (-1)
#define cudaDeviceScheduleAuto 0
#define cudaDeviceScheduleSpin 1
#define cudaDeviceScheduleYield 2
#define cudaDeviceScheduleBlockingSync 4
#define cudaDeviceMapHost 8
#define cudaHostRegisterDefault 0
#define cudaHostAllocPortable 1
#define cudaHostAllocWriteCombined 4
#define cudaHostAllocDefault 0
#define cudaHostAllocMapped 2
#define cudaMemAttachGlobal 1
#define cudaEventDefault 0
#define cudaEventBlockingSync 1
#define cudaEventDisableTiming 2
#define cudaEnableDefault 0
#define cudaStreamDefault 0
#define cudaStreamNonBlocking 1

extern "C" {
cudaError_t cudaMalloc(void **P, size_t Size);
cudaError_t cudaMallocManaged(void **P, size_t Size, unsigned Flags = 1);
cudaError_t cudaMallocHost(void **P, size_t Size, unsigned Flags = 0);
cudaError_t cudaMallocPitch(void **P, size_t *Pitch, size_t Width, size_t Rows);
cudaError_t cudaHostAlloc(void **P, size_t Size, unsigned Flags = 0);
cudaError_t cudaFree(void *P);
cudaError_t cudaFreeHost(void *P);
cudaError_t cudaMallocAsync(void **P, size_t Size, cudaStream_t = 0);
cudaError_t cudaFreeAsync(void *P, cudaStream_t = 0);
cudaError_t cudaMemGetInfo(size_t *Free, size_t *Total);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *, const void *);
cudaError_t
cudaGetDriverEntryPointByVersion(const char *Name, void **Function,
                                 unsigned Version, unsigned long long Flags,
                                 cudaDriverEntryPointQueryResult * = nullptr);
cudaError_t cudaMemcpy(void *To, const void *From, size_t, cudaMemcpyKind);
cudaError_t cudaMemcpyAsync(void *To, const void *From, size_t, cudaMemcpyKind,
                            cudaStream_t = 0);
cudaError_t cudaMemcpy2D(void *To, size_t ToPitch, const void *From,
                         size_t FromPitch, size_t Width, size_t Rows,
                         cudaMemcpyKind);
cudaError_t cudaMemcpy2DAsync(void *To, size_t ToPitch, const void *From,
                              size_t FromPitch, size_t Width, size_t Rows,
                              cudaMemcpyKind, cudaStream_t = 0);
cudaError_t cudaMemset(void *P, int Value, size_t Size);
cudaError_t cudaMemset2D(void *P, size_t Pitch, int Value, size_t Width,
                         size_t Rows);
cudaError_t cudaMemsetAsync(void *P, int Value, size_t Size, cudaStream_t = 0);
cudaError_t cattSymbolAddress(void **P, size_t *Size, const void *Shadow);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaDeviceReset();
cudaError_t cudaSetDevice(int);
cudaError_t cudaGetDevice(int *);
cudaError_t cudaGetDeviceCount(int *);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *, int);
cudaError_t cudaDeviceGetAttribute(int *, cudaDeviceAttr, int);
cudaError_t cudaDeviceSetLimit(cudaLimit, size_t);
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache);
cudaError_t cudaDriverGetVersion(int *);
cudaError_t cudaRuntimeGetVersion(int *);
cudaError_t cudaStreamCreate(cudaStream_t *);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *, unsigned);
cudaError_t cudaStreamDestroy(cudaStream_t);
cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned = 0);
cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus *);
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *);
cudaError_t cudaEventCreate(cudaEvent_t *);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *, unsigned);
cudaError_t cudaEventDestroy(cudaEvent_t);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = 0);
cudaError_t cudaEventQuery(cudaEvent_t);
cudaError_t cudaEventSynchronize(cudaEvent_t);
cudaError_t cudaEventElapsedTime(float *Milliseconds, cudaEvent_t, cudaEvent_t);
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
cudaError_t cudaStreamQuery(cudaStream_t);
const char *cudaGetErrorString(cudaError_t);
const char *cudaGetErrorName(cudaError_t);
cudaError_t cudaLaunchKernel(const void *, dim3 Grid, dim3 Block, void **Args,
                             size_t Shared = 0, cudaStream_t = 0);
cudaError_t cudaLaunchCooperativeKernel(const void *, dim3, dim3, void **,
                                        size_t = 0, cudaStream_t = 0);
cudaError_t cattFuncSetAttribute(const void *, cudaFuncAttribute, int);
cudaError_t cattFuncGetAttributes(cudaFuncAttributes *, const void *);
cudaError_t cattMaxActiveBlocks(int *Blocks, const void *, int Threads,
                                size_t Shared);
unsigned __cudaPushCallConfiguration(dim3 Grid, dim3 Block, size_t Shared = 0,
                                     cudaStream_t = 0);
}

// What has no effect here, or the same as something else.
inline cudaError_t cudaStreamCreateWithPriority(cudaStream_t *S, unsigned F,
                                                int) {
  return cudaStreamCreateWithFlags(S, F);
}
inline cudaError_t cudaEventRecordWithFlags(cudaEvent_t E, cudaStream_t S = 0,
                                            unsigned = 0) {
  return cudaEventRecord(E, S);
}
inline cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
  return cudaSuccess;
}
inline cudaError_t cudaSetDeviceFlags(unsigned) { return cudaSuccess; }
inline cudaError_t cudaDeviceGetStreamPriorityRange(int *Least, int *Greatest) {
  return *Least = *Greatest = 0, cudaSuccess;
}
inline cudaError_t cudaMemPrefetchAsync(const void *, size_t, int,
                                        cudaStream_t = 0) {
  return cudaSuccess;
}
inline cudaError_t cudaMemAdvise(const void *, size_t, cudaMemoryAdvise, int) {
  return cudaSuccess;
}
inline cudaError_t cudaHostRegister(void *, size_t, unsigned) {
  return cudaSuccess;
}
inline cudaError_t cudaHostUnregister(void *) { return cudaSuccess; }
inline cudaError_t cudaDeviceCanAccessPeer(int *Can, int, int) {
  return *Can = 0, cudaSuccess;
}
inline cudaError_t cudaProfilerStart() { return cudaSuccess; }
inline cudaError_t cudaProfilerStop() { return cudaSuccess; }
inline cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
inline cudaError_t cudaThreadExit() { return cudaDeviceReset(); }

// The overloads that accept a typed pointer, a kernel or a symbol.
template <class T> cudaError_t cudaMalloc(T **P, size_t Size) {
  return cudaMalloc((void **)P, Size);
}
template <class T>
cudaError_t cudaMallocManaged(T **P, size_t Size, unsigned Flags = 1) {
  return cudaMallocManaged((void **)P, Size, Flags);
}
template <class T>
cudaError_t cudaMallocHost(T **P, size_t Size, unsigned Flags = 0) {
  return cudaMallocHost((void **)P, Size, Flags);
}
template <class T>
cudaError_t cudaHostAlloc(T **P, size_t Size, unsigned Flags = 0) {
  return cudaHostAlloc((void **)P, Size, Flags);
}
template <class T>
cudaError_t cudaMallocAsync(T **P, size_t Size, cudaStream_t S) {
  return cudaMallocAsync((void **)P, Size, S);
}
template <class T>
cudaError_t cudaMallocPitch(T **P, size_t *Pitch, size_t Width, size_t Rows) {
  return cudaMallocPitch((void **)P, Pitch, Width, Rows);
}
template <class T> cudaError_t cudaGetSymbolAddress(void **P, const T &Symbol) {
  return cattSymbolAddress(P, nullptr, (const void *)&Symbol);
}
template <class T>
cudaError_t cudaGetSymbolSize(size_t *Size, const T &Symbol) {
  return cattSymbolAddress(nullptr, Size, (const void *)&Symbol);
}
template <class T>
cudaError_t cudaMemcpyToSymbol(const T &Symbol, const void *From, size_t Size,
                               size_t Offset = 0,
                               cudaMemcpyKind Kind = cudaMemcpyHostToDevice) {
  void *To = nullptr;
  cudaError_t E = cattSymbolAddress(&To, nullptr, (const void *)&Symbol);
  return E ? E : cudaMemcpy((char *)To + Offset, From, Size, Kind);
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void *To, const T &Symbol, size_t Size,
                                 size_t Offset = 0,
                                 cudaMemcpyKind Kind = cudaMemcpyDeviceToHost) {
  void *From = nullptr;
  cudaError_t E = cattSymbolAddress(&From, nullptr, (const void *)&Symbol);
  return E ? E : cudaMemcpy(To, (char *)From + Offset, Size, Kind);
}
template <class T>
cudaError_t cudaMemcpyToSymbolAsync(
    const T &Symbol, const void *From, size_t Size, size_t Offset = 0,
    cudaMemcpyKind Kind = cudaMemcpyHostToDevice, cudaStream_t = 0) {
  return cudaMemcpyToSymbol(Symbol, From, Size, Offset, Kind);
}
template <class T>
cudaError_t cudaMemcpyFromSymbolAsync(
    void *To, const T &Symbol, size_t Size, size_t Offset = 0,
    cudaMemcpyKind Kind = cudaMemcpyDeviceToHost, cudaStream_t = 0) {
  return cudaMemcpyFromSymbol(To, Symbol, Size, Offset, Kind);
}
template <class T>
cudaError_t cudaHostGetDevicePointer(T **Device, void *Host, unsigned) {
  return *Device = static_cast<T *>(Host), cudaSuccess;
}
template <class F>
cudaError_t cudaLaunchKernel(F *Kernel, dim3 Grid, dim3 Block, void **Args,
                             size_t Shared = 0, cudaStream_t S = 0) {
  return cudaLaunchKernel((const void *)Kernel, Grid, Block, Args, Shared, S);
}
template <class F>
cudaError_t cudaFuncSetAttribute(F *Kernel, cudaFuncAttribute A, int Value) {
  return cattFuncSetAttribute((const void *)Kernel, A, Value);
}
template <class F>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *A, F *Kernel) {
  return cattFuncGetAttributes(A, (const void *)Kernel);
}
template <class F> cudaError_t cudaFuncSetCacheConfig(F *, cudaFuncCache) {
  return cudaSuccess;
}
template <class F>
cudaError_t cudaFuncSetSharedMemConfig(F *, cudaSharedMemConfig) {
  return cudaSuccess;
}
template <class F>
cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *Blocks, F *Kernel,
                                              int Threads, size_t Shared) {
  return cattMaxActiveBlocks(Blocks, (const void *)Kernel, Threads, Shared);
}
template <class F>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int *Grid, int *Block, F *Kernel,
                                               size_t Shared = 0,
                                               int Limit = 0) {
  cudaFuncAttributes A;
  int SMs = 0, Blocks = 0;
  cudaError_t E = cudaFuncGetAttributes(&A, Kernel);
  *Block = Limit && Limit < A.maxThreadsPerBlock ? Limit : A.maxThreadsPerBlock;
  E = E ? E : cudaDeviceGetAttribute(&SMs, cudaDevAttrMultiProcessorCount, 0);
  E = E ? E
        : cattMaxActiveBlocks(&Blocks, (const void *)Kernel, *Block, Shared);
  *Grid = SMs * Blocks;
  return E;
}

#endif
