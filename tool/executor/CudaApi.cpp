//===- CudaApi.cpp - The CUDA runtime API, on the executor -----------------==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For whole programs, steered by the environment:
//   CATT_SIMT_SEED=n     the schedule          CATT_SIMT_BLOCKS=n  resident
//   CATT_SIMT_SMS=n      of the device, for CATT_SIMT_BLOCKS=0: all that fit
//   CATT_SIMT_SWITCH=n   accesses between scheduling points
//   CATT_SIMT_BUDGET=n   steps of a launch     CATT_SIMT_SM=60     before Volta
//   CATT_SIMT_TRACE=f    appends each access:
//      launch block thread load|store|atomic global|shared|constant 0xaddress
//      size file:line:col [loop line:iteration,...]
//   CATT_SIMT_RECORD=f, CATT_SIMT_KEEP=n,which    see Record.cpp
// Findings go to standard error; a program with findings exits with status 86.
//
// It is written against the executor's own header, as C++: attributes of CUDA
// are gone, the signatures are the ones that programs are compiled with.
//
//===----------------------------------------------------------------------===//

#include "tool/executor/CudaApi.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <map>
#include <unistd.h>

// The names are CUDA's.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
using namespace catt::simt;
using Clock = std::chrono::steady_clock;

struct CUevent_st {
  Clock::time_point At;
};

namespace {

struct Kernel {
  const KernelEntry *Entry;
  size_t MaxDynamic; ///< the attribute; what is left of 48 KiB until it is set
  int Carveout = -1;
};
struct Symbol {
  void *Device;
  size_t Size;
  std::string Name;
};
struct Config {
  dim3 Grid, Block;
  size_t Shared;
  cudaStream_t Stream;
};

struct State {
  std::map<const void *, Kernel> Kernels; // by launch stub
  std::map<const void *, Symbol> Symbols; // by host shadow
  std::vector<Config> Configs;
  std::list<CUevent_st> Events; // a program may leave them to the driver
  cudaError_t Last = cudaSuccess, Sticky = cudaSuccess;
  cudaStreamCaptureMode CaptureMode = cudaStreamCaptureModeGlobal;
  unsigned Launches = 0;
  FILE *Trace = nullptr;
  Options Opts;
  Result *Collected = nullptr; ///< of runHost

  State() {
    Opts.Seed = number("CATT_SIMT_SEED", 0);
    Opts.ResidentBlocks = number("CATT_SIMT_BLOCKS", 1);
    Opts.SMs = number("CATT_SIMT_SMS", Opts.SMs);
    Opts.SwitchEvery = number("CATT_SIMT_SWITCH", 0);
    Opts.Budget = number("CATT_SIMT_BUDGET", Opts.Budget);
    Opts.ExitedThreadsBlock = number("CATT_SIMT_SM", 90) < 70;
    const char *Path = std::getenv("CATT_SIMT_TRACE");
    Opts.Trace = Path && (Trace = std::fopen(Path, "a"));
  }
  static uint64_t number(const char *Name, uint64_t Default) {
    const char *Text = std::getenv(Name);
    return Text ? std::strtoull(Text, nullptr, 0) : Default;
  }
};

State &state() {
  static State *S = new State; // outlives every destructor
  return *S;
}

void printTrace(const Result &R) {
  static const char *const Kinds[] = {"load", "store", "atomic"};
  static const char *const Spaces[] = {"global", "shared", "constant"};
  State &S = state();
  for (const TraceRecord &T : R.Trace) {
    const Place &P = R.Places[T.Where];
    std::fprintf(S.Trace, "%u %u %u %s %s 0x%llx %u %s:%u:%u", S.Launches,
                 T.Block, T.Thread, Kinds[T.Kind], Spaces[unsigned(T.In)],
                 (unsigned long long)T.Address, T.Size, P.File.c_str(), P.Line,
                 P.Column);
    for (unsigned I = 0; I < T.Depth; ++I)
      std::fprintf(S.Trace, "%c%u:%u", I ? ',' : ' ',
                   R.Places[T.Loops[I].Where].Line, T.Loops[I].Iteration);
    std::fputc('\n', S.Trace);
  }
  std::fflush(S.Trace);
}

void printFindings(const Result &R) {
  if (R.Findings.empty())
    return;
  for (const Finding &F : R.Findings)
    std::fprintf(stderr, "%s\n", F.str().c_str());
  static bool Registered = false;
  if (!std::exchange(Registered, true))
    std::atexit([] {
      std::fflush(nullptr);
      finishRecord();
      _exit(86);
    });
}

/// What the driver would refuse.
cudaError_t checkLaunch(const Kernel &K, const LaunchShape &L) {
  const Dim &B = L.Block, &G = L.Grid;
  if (B.count() == 0 || G.count() == 0 || B.X > 1024 || B.Y > 1024 ||
      B.Z > 64 || B.count() > 1024 || G.X > 2147483647u || G.Y > 65535 ||
      G.Z > 65535)
    return cudaErrorInvalidConfiguration;
  if (K.Entry->Info->MaxThreads && B.count() > K.Entry->Info->MaxThreads)
    return cudaErrorInvalidValue;
  if (K.Entry->Info->StaticShared > StaticLimit ||
      L.DynamicShared > K.MaxDynamic)
    return cudaErrorInvalidValue;
  return cudaSuccess;
}

Kernel *find(const void *Stub) {
  auto It = state().Kernels.find(Stub);
  return It == state().Kernels.end() ? nullptr : &It->second;
}

} // namespace

cudaError_t catt::simt::done(cudaError_t E) {
  State &S = state();
  E = S.Sticky ? S.Sticky : E;
  S.Last = E ? E : S.Last;
  return E;
}

//===-- Called by the code that clang generates ---------------------------===//

extern "C" void **__cudaRegisterFatBinary(void *) {
  static void *Handle;
  return &Handle;
}
extern "C" void __cudaRegisterFatBinaryEnd(void **) {}
extern "C" void __cudaUnregisterFatBinary(void **) {}

extern "C" int __cudaRegisterFunction(void **, const void *Stub, char *,
                                      const KernelEntry *Entry, int, void *,
                                      void *, void *, void *, int *) {
  size_t Static = Entry->Info->StaticShared;
  state().Kernels[Stub] = {Entry, StaticLimit - std::min(Static, StaticLimit)};
  registry().Kernels.push_back(Entry);
  return 0;
}

extern "C" void __cudaRegisterVar(void **, const void *Shadow, const char *Name,
                                  void *Device, int, size_t Size, int, int) {
  state().Symbols[Shadow] = {Device, Size, Name};
}

unsigned __cudaPushCallConfiguration(dim3 Grid, dim3 Block, size_t Shared,
                                     cudaStream_t Stream) {
  state().Configs.push_back({Grid, Block, Shared, Stream});
  return 0;
}

extern "C" cudaError_t __cudaPopCallConfiguration(dim3 *Grid, dim3 *Block,
                                                  size_t *Shared,
                                                  cudaStream_t *Stream) {
  Config C = state().Configs.back();
  state().Configs.pop_back();
  *Grid = C.Grid, *Block = C.Block, *Shared = C.Shared, *Stream = C.Stream;
  return cudaSuccess;
}

static cudaError_t launch(const void *Stub, dim3 Grid, dim3 Block, void **Args,
                          size_t Shared, bool Cooperative) {
  State &S = state();
  Kernel *K = find(Stub);
  if (!K)
    return done(cudaErrorInvalidDeviceFunction);
  LaunchShape L{{Grid.x, Grid.y, Grid.z}, {Block.x, Block.y, Block.z}, Shared};
  cudaError_t Refused = checkLaunch(*K, L);
  if (!Refused && Cooperative &&
      uint64_t(blocksPerSm(*K->Entry->Info, L)) * S.Opts.SMs < L.Grid.count())
    Refused = cudaErrorCooperativeLaunchTooLarge;
  if (Refused) {
    recordLaunch("refused " + demangle(K->Entry->Name));
    return done(Refused);
  }
  if (S.Sticky)
    return done(S.Sticky);
  Result Own, &R = S.Collected ? *S.Collected : Own;
  Options O = S.Opts;
  O.Cooperative = Cooperative;
  runLaunch(*K->Entry, L, Args, O, R);
  if (!S.Collected)
    printFindings(R);
  if (S.Trace)
    printTrace(R);
  if (S.Opts.AfterLaunch)
    S.Opts.AfterLaunch({demangle(K->Entry->Name), L.Grid, L.Block, Args}, R);
  if (endsItsGrid(demangle(K->Entry->Name), L, Args))
    recordLaunch(demangle(K->Entry->Name));
  ++S.Launches;
  S.Sticky = cudaError_t(R.Error); // as on a device: the context is lost
  return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void *Stub, dim3 Grid, dim3 Block,
                             void **Args, size_t Shared, cudaStream_t) {
  return launch(Stub, Grid, Block, Args, Shared, false);
}

cudaError_t cudaLaunchCooperativeKernel(const void *Stub, dim3 Grid, dim3 Block,
                                        void **Args, size_t Shared,
                                        cudaStream_t) {
  return launch(Stub, Grid, Block, Args, Shared, true);
}

void catt::simt::forEachVariable(const VisitObject &Do) {
  std::map<std::string, const Symbol *> ByName;
  for (const auto &[Shadow, Each] : state().Symbols)
    ByName[Each.Name] = &Each;
  for (const auto &[Name, Each] : ByName)
    Do(Name, Each->Device, Each->Size);
}

Result catt::simt::runHost(const std::function<void()> &Function,
                           const Options &O) {
  Result R;
  State &S = state();
  S.Collected = &R;
  S.Sticky = S.Last = cudaSuccess;
  Options Before = std::exchange(S.Opts, O);
  Function();
  R.Error = cudaGetLastError();
  S.Opts = Before;
  S.Collected = nullptr;
  S.Sticky = cudaSuccess;
  return R;
}

cudaError_t cattSymbolAddress(void **P, size_t *Size, const void *Shadow) {
  auto It = state().Symbols.find(Shadow);
  if (It == state().Symbols.end())
    return done(cudaErrorInvalidSymbol);
  if (P)
    *P = It->second.Device;
  if (Size)
    *Size = It->second.Size;
  return done(cudaSuccess);
}

//===-- Kernels -----------------------------------------------------------===//

cudaError_t cattFuncSetAttribute(const void *Stub, cudaFuncAttribute A,
                                 int Value) {
  Kernel *K = find(Stub);
  if (!K)
    return done(cudaErrorInvalidDeviceFunction);
  if (A == cudaFuncAttributePreferredSharedMemoryCarveout) {
    K->Carveout = Value;
    return done(Value < -1 || Value > 100 ? cudaErrorInvalidValue
                                          : cudaSuccess);
  }
  if (Value < 0 || Value + K->Entry->Info->StaticShared > MaxSharedBytes)
    return done(cudaErrorInvalidValue);
  K->MaxDynamic = Value;
  return done(cudaSuccess);
}
cudaError_t cattFuncGetAttributes(cudaFuncAttributes *A, const void *Stub) {
  Kernel *K = find(Stub);
  if (!K)
    return done(cudaErrorInvalidDeviceFunction);
  *A = {};
  A->sharedSizeBytes = K->Entry->Info->StaticShared;
  unsigned Max = K->Entry->Info->MaxThreads;
  A->maxThreadsPerBlock = Max ? Max : 1024;
  A->maxDynamicSharedSizeBytes = K->MaxDynamic;
  A->preferredShmemCarveout = K->Carveout;
  A->numRegs = 32; // the executor has none; programs only print it
  return done(cudaSuccess);
}
cudaError_t cattMaxActiveBlocks(int *Blocks, const void *Stub, int Threads,
                                size_t Shared) {
  Kernel *K = find(Stub);
  if (!K || Threads <= 0)
    return done(cudaErrorInvalidValue);
  *Blocks = int(
      blocksPerSm(*K->Entry->Info, {{}, {unsigned(Threads), 1, 1}, Shared}));
  return done(cudaSuccess);
}

//===-- Device ------------------------------------------------------------===//

cudaError_t cudaDeviceSynchronize() { return done(cudaSuccess); }
cudaError_t cudaDeviceReset() {
  deviceReset();
  state().Sticky = state().Last = cudaSuccess;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int D) {
  return done(D ? cudaErrorInvalidDevice : cudaSuccess);
}
cudaError_t cudaGetDevice(int *D) { return *D = 0, done(cudaSuccess); }
cudaError_t cudaGetDeviceCount(int *N) { return *N = 1, done(cudaSuccess); }
cudaError_t cudaDeviceSetLimit(cudaLimit, size_t) { return done(cudaSuccess); }
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) {
  return done(cudaSuccess);
}
cudaError_t cudaDriverGetVersion(int *V) { return *V = 13000, cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int *V) { return *V = 13000, cudaSuccess; }

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *P, int) {
  *P = {};
  std::strcpy(P->name, "catt-run executor");
  P->totalGlobalMem = DeviceBytes;
  P->sharedMemPerBlock = StaticLimit;
  P->sharedMemPerBlockOptin = MaxSharedBytes;
  P->sharedMemPerMultiprocessor = 228 * 1024;
  P->reservedSharedMemPerBlock = 1024;
  P->totalConstMem = 64 * 1024;
  P->major = 9;
  P->multiProcessorCount = int(state().Opts.SMs);
  P->warpSize = 32;
  P->maxThreadsPerBlock = 1024;
  P->maxThreadsPerMultiProcessor = 2048;
  P->maxBlocksPerMultiProcessor = 32;
  P->regsPerBlock = P->regsPerMultiprocessor = 65536;
  P->clockRate = 1980000, P->memoryClockRate = 3201000; // kHz
  P->memoryBusWidth = 6144;
  P->concurrentKernels = P->canMapHostMemory = P->unifiedAddressing = 1;
  P->managedMemory = P->cooperativeLaunch = 1;
  P->l2CacheSize = L2Bytes;
  const int Threads[] = {1024, 1024, 64}, Grid[] = {2147483647, 65535, 65535};
  std::copy_n(Threads, 3, P->maxThreadsDim);
  std::copy_n(Grid, 3, P->maxGridSize);
  return done(cudaSuccess);
}
cudaError_t cudaDeviceGetAttribute(int *Value, cudaDeviceAttr A, int) {
  switch (A) {
  case cudaDevAttrMaxThreadsPerBlock:
    *Value = 1024;
    break;
  case cudaDevAttrMaxSharedMemoryPerBlock:
    *Value = StaticLimit;
    break;
  case cudaDevAttrWarpSize:
    *Value = 32;
    break;
  case cudaDevAttrMaxRegistersPerBlock:
    *Value = 65536;
    break;
  case cudaDevAttrClockRate:
    *Value = 1980000; // kHz
    break;
  case cudaDevAttrL2CacheSize:
    *Value = L2Bytes;
    break;
  case cudaDevAttrMaxThreadsPerMultiProcessor:
    *Value = 2048;
    break;
  case cudaDevAttrMultiProcessorCount:
    *Value = int(state().Opts.SMs);
    break;
  case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
    *Value = 228 * 1024;
    break;
  case cudaDevAttrComputeCapabilityMajor:
    *Value = 9;
    break;
  case cudaDevAttrComputeCapabilityMinor:
    *Value = 0;
    break;
  case cudaDevAttrMaxSharedMemoryPerBlockOptin:
    *Value = MaxSharedBytes;
    break;
  default:
    return done(cudaErrorInvalidValue);
  }
  return done(cudaSuccess);
}

//===-- Streams, events, errors -------------------------------------------===//

cudaError_t cudaStreamCreate(cudaStream_t *S) { return *S = 0, cudaSuccess; }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *S, unsigned) {
  return cudaStreamCreate(S);
}
cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamQuery(cudaStream_t) { return done(cudaSuccess); }
cudaError_t cudaStreamSynchronize(cudaStream_t) { return done(cudaSuccess); }
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) {
  return done(cudaSuccess);
}
cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus *S) {
  return *S = cudaStreamCaptureStatusNone, done(cudaSuccess);
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *Mode) {
  std::swap(state().CaptureMode, *Mode);
  return done(cudaSuccess);
}
cudaError_t cudaEventCreate(cudaEvent_t *E) {
  return *E = &state().Events.emplace_back(), done(cudaSuccess);
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *E, unsigned) {
  return cudaEventCreate(E);
}
cudaError_t cudaEventDestroy(cudaEvent_t E) {
  state().Events.remove_if([E](const CUevent_st &Each) { return &Each == E; });
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t E, cudaStream_t) {
  return E->At = Clock::now(), done(cudaSuccess);
}
cudaError_t cudaEventQuery(cudaEvent_t) { return done(cudaSuccess); }
cudaError_t cudaEventSynchronize(cudaEvent_t) { return done(cudaSuccess); }
cudaError_t cudaEventElapsedTime(float *Ms, cudaEvent_t A, cudaEvent_t B) {
  *Ms = std::chrono::duration<float, std::milli>(B->At - A->At).count();
  return done(cudaSuccess);
}
cudaError_t cudaPeekAtLastError() {
  return state().Sticky ? state().Sticky : state().Last;
}
cudaError_t cudaGetLastError() {
  cudaError_t E = cudaPeekAtLastError();
  return state().Last = cudaSuccess, E;
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
