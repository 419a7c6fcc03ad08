//===- cuda_runtime.h - As much of CUDA as times need -----------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TEST_TUNE_FAKE_CUDA_RUNTIME_H
#define CATT_TEST_TUNE_FAKE_CUDA_RUNTIME_H

// An event is the moment at which it was recorded; tests move the clock.
#include <cstddef>

enum cudaError_t { cudaSuccess, cudaErrorUnknown };
enum cudaStreamCaptureStatus {
  cudaStreamCaptureStatusNone,
  cudaStreamCaptureStatusActive
};
struct FakeEvent {
  float AtMs = -1;
};
using cudaEvent_t = FakeEvent *;
using cudaStream_t = int *;

struct FakeCuda {
  float NowMs = 0;
  bool Capturing = false, Failing = false;
  int Open = 0, Waits = 0, Resets = 0;
};
inline FakeCuda Fake;

inline cudaError_t cudaEventCreate(cudaEvent_t *E) {
  if (Fake.Failing)
    return cudaErrorUnknown;
  *E = new FakeEvent;
  ++Fake.Open;
  return cudaSuccess;
}
inline cudaError_t cudaEventDestroy(cudaEvent_t E) {
  delete E;
  --Fake.Open;
  return cudaSuccess;
}
inline cudaError_t cudaEventRecord(cudaEvent_t E, cudaStream_t) {
  E->AtMs = Fake.NowMs;
  return cudaSuccess;
}
inline cudaError_t cudaEventSynchronize(cudaEvent_t) {
  ++Fake.Waits;
  return cudaSuccess;
}
inline cudaError_t cudaEventElapsedTime(float *Ms, cudaEvent_t From,
                                        cudaEvent_t To) {
  *Ms = To->AtMs - From->AtMs;
  return cudaSuccess;
}
inline cudaError_t cudaStreamIsCapturing(cudaStream_t,
                                         cudaStreamCaptureStatus *Status) {
  *Status = Fake.Capturing ? cudaStreamCaptureStatusActive
                           : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
inline cudaError_t cudaDeviceReset() {
  ++Fake.Resets;
  return cudaSuccess;
}

#endif
