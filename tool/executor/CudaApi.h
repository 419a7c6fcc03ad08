//===- CudaApi.h - What the runtime API's files share ------------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   CudaApi.cpp     launches, kernels, devices, streams, events
//   CudaMemory.cpp  memory
//   CudaErrors.cpp  what errors are called
//
// They are written against the executor's own header, as C++: attributes of
// CUDA are gone, the signatures are the ones that programs are compiled with.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_EXECUTOR_CUDAAPI_H
#define CATT_TOOL_EXECUTOR_CUDAAPI_H

#include "tool/executor/Internal.h"

// The names are CUDA's.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  dim3(unsigned X = 1, unsigned Y = 1, unsigned Z = 1) : x(X), y(Y), z(Z) {}
};
#include "catt_simt/host.h"
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

namespace catt::simt {

constexpr size_t DeviceBytes = 1ull << 34;
constexpr int L2Bytes = 50 << 20;

/// What a call returns: its own error, or that of a launch that has ended the
/// context.
cudaError_t done(cudaError_t E);

} // namespace catt::simt

#endif
