// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The runtime API's C++ overloads: typed pointers, kernels by name, symbols.
#pragma once

#define CATT_API static inline __host__
#define CATT_DUAL static inline __host__ __device__

template <class T> CATT_DUAL cudaError_t cudaMalloc(T **Ptr, size_t Size) {
  return ::cudaMalloc((void **)(void *)Ptr, Size);
}
template <class T>
CATT_API cudaError_t cudaMallocHost(T **Ptr, size_t Size,
                                    unsigned int Flags = 0) {
  return ::cudaHostAlloc((void **)(void *)Ptr, Size, Flags);
}
template <class T>
CATT_API cudaError_t cudaHostAlloc(T **Ptr, size_t Size, unsigned int Flags) {
  return ::cudaHostAlloc((void **)(void *)Ptr, Size, Flags);
}
template <class T>
CATT_API cudaError_t cudaMallocManaged(
    T **Ptr, size_t Size, unsigned int Flags = cudaMemAttachGlobal) {
  return ::cudaMallocManaged((void **)(void *)Ptr, Size, Flags);
}
template <class T>
CATT_API cudaError_t cudaMallocPitch(T **Ptr, size_t *Pitch, size_t Width,
                                     size_t Height) {
  return ::cudaMallocPitch((void **)(void *)Ptr, Pitch, Width, Height);
}
template <class T>
CATT_API cudaError_t cudaMallocAsync(T **Ptr, size_t Size,
                                     cudaStream_t Stream) {
  return ::cudaMallocAsync((void **)(void *)Ptr, Size, Stream);
}
template <class T>
CATT_API cudaError_t cudaHostGetDevicePointer(T **Device, void *Host,
                                              unsigned int Flags) {
  return ::cudaHostGetDevicePointer((void **)(void *)Device, Host, Flags);
}
CATT_API cudaError_t cudaEventCreate(cudaEvent_t *Event, unsigned int Flags) {
  return ::cudaEventCreateWithFlags(Event, Flags);
}

// Prefetch and advice took a device number up to CUDA 12, and take a location
// since.
CATT_API cudaError_t cudaMemPrefetchAsync(const void *, size_t, int,
                                          cudaStream_t = 0) {
  return cudaSuccess;
}
CATT_API cudaError_t cudaMemPrefetchAsync(const void *, size_t, cudaMemLocation,
                                          unsigned int, cudaStream_t = 0) {
  return cudaSuccess;
}
CATT_API cudaError_t cudaMemAdvise(const void *, size_t, cudaMemoryAdvise,
                                   int) {
  return cudaSuccess;
}
CATT_API cudaError_t cudaMemAdvise(const void *, size_t, cudaMemoryAdvise,
                                   cudaMemLocation) {
  return cudaSuccess;
}

// Symbols: the program names the variable, not its address.
template <class T>
cudaError_t cudaMemcpyToSymbol(const T &Symbol, const void *Source,
                               size_t Count, size_t Offset = 0,
                               cudaMemcpyKind Kind = cudaMemcpyHostToDevice);
template <class T>
cudaError_t cudaMemcpyFromSymbol(void *Destination, const T &Symbol,
                                 size_t Count, size_t Offset = 0,
                                 cudaMemcpyKind Kind = cudaMemcpyDeviceToHost);
template <class T>
cudaError_t cudaMemcpyToSymbolAsync(
    const T &Symbol, const void *Source, size_t Count, size_t Offset = 0,
    cudaMemcpyKind Kind = cudaMemcpyHostToDevice, cudaStream_t Stream = 0);
template <class T>
cudaError_t cudaMemcpyFromSymbolAsync(
    void *Destination, const T &Symbol, size_t Count, size_t Offset = 0,
    cudaMemcpyKind Kind = cudaMemcpyDeviceToHost, cudaStream_t Stream = 0);
template <class T>
cudaError_t cudaGetSymbolAddress(void **Ptr, const T &Symbol);
template <class T> cudaError_t cudaGetSymbolSize(size_t *Size, const T &Symbol);

// Kernels by name.
template <class T>
CATT_API cudaError_t cudaLaunchKernel(T *Func, dim3 Grid, dim3 Block,
                                      void **Args, size_t Shared = 0,
                                      cudaStream_t Stream = 0) {
  return ::cudaLaunchKernel((const void *)Func, Grid, Block, Args, Shared,
                            Stream);
}
template <class T>
CATT_API cudaError_t cudaLaunchCooperativeKernel(T *Func, dim3 Grid, dim3 Block,
                                                 void **Args, size_t Shared = 0,
                                                 cudaStream_t Stream = 0) {
  return ::cudaLaunchCooperativeKernel((const void *)Func, Grid, Block, Args,
                                       Shared, Stream);
}
template <class... Parameters, class... Arguments>
CATT_API cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *Config,
                                        void (*Kernel)(Parameters...),
                                        Arguments &&...) {
  return ::cudaLaunchKernelExC(Config, (const void *)Kernel, nullptr);
}
template <class T>
CATT_API cudaError_t cudaFuncSetCacheConfig(T *Func, cudaFuncCache Config) {
  return ::cudaFuncSetCacheConfig((const void *)Func, Config);
}
template <class T>
CATT_API cudaError_t cudaFuncSetSharedMemConfig(T *Func,
                                                cudaSharedMemConfig Config) {
  return ::cudaFuncSetSharedMemConfig((const void *)Func, Config);
}
template <class T>
CATT_API cudaError_t cudaFuncSetAttribute(T *Func, cudaFuncAttribute Attribute,
                                          int Value) {
  return ::cudaFuncSetAttribute((const void *)Func, Attribute, Value);
}
template <class T>
CATT_API cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *Attributes,
                                           T *Func) {
  return ::cudaFuncGetAttributes(Attributes, (const void *)Func);
}
template <class T>
CATT_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    int *Blocks, T Func, int BlockSize, size_t Shared) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      Blocks, (const void *)Func, BlockSize, Shared);
}
template <class T>
CATT_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *Blocks, T Func, int BlockSize, size_t Shared, unsigned int Flags) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      Blocks, (const void *)Func, BlockSize, Shared, Flags);
}
template <class T>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int *Grid, int *Block, T Func,
                                               size_t Shared = 0,
                                               int Limit = 0);
template <class T, class F>
cudaError_t
cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *Grid, int *Block, T Func,
                                               F SharedOfBlock, int Limit = 0);
template <class T>
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *Shared, T Func,
                                                      int Blocks,
                                                      int BlockSize);

// Graphs: the third to fifth argument changed with CUDA 12.
template <class... T>
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *Exec, cudaGraph_t Graph,
                                 T...);

// Small values.
CATT_API cudaExtent make_cudaExtent(size_t W, size_t H, size_t D) {
  return {W, H, D};
}
CATT_API cudaPos make_cudaPos(size_t X, size_t Y, size_t Z) {
  return {X, Y, Z};
}
CATT_API cudaPitchedPtr make_cudaPitchedPtr(void *Ptr, size_t Pitch, size_t X,
                                            size_t Y) {
  return {Ptr, Pitch, X, Y};
}
template <class T> cudaChannelFormatDesc cudaCreateChannelDesc();

#undef CATT_DUAL
#undef CATT_API
