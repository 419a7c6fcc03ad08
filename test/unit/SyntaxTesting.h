//===- SyntaxTesting.h - Does rewritten CUDA still parse? --------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses with the clang that the tool is built on, in process, with a few
// declarations in place of CUDA's headers.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TEST_UNIT_SYNTAXTESTING_H
#define CATT_TEST_UNIT_SYNTAXTESTING_H

#include "clang/Frontend/FrontendActions.h"
#include "clang/Tooling/Tooling.h"
#include <string>

namespace catt::testing {

/// Quiet: says nothing of what is wrong.
inline bool parses(const std::string &Code, std::vector<std::string> Flags,
                   const char *File, bool Quiet = false) {
  Flags.insert(Flags.end(), {"-std=c++17", "-fsyntax-only", "-Werror",
                             "-Wno-unused-value", "-Wno-unknown-cuda-version"});
  if (!Quiet)
    return clang::tooling::runToolOnCodeWithArgs(
        std::make_unique<clang::SyntaxOnlyAction>(), Code, Flags, File);
  clang::IgnoringDiagConsumer Nobody;
  auto Unit = clang::tooling::buildASTFromCodeWithArgs(
      Code, Flags, File, "quiet",
      std::make_shared<clang::PCHContainerOperations>(),
      clang::tooling::getClangStripDependencyFileAdjuster(), {}, &Nobody);
  return Unit && !Unit->getDiagnostics().hasErrorOccurred();
}

/// Parses CUDA, device or host side.
inline bool parsesAsCuda(const std::string &Code, bool Device,
                         bool Quiet = false) {
  static const std::string Prelude = R"(
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __maxnreg__(registers)
struct dim3 {
  unsigned x, y, z;
  __host__ __device__ dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1)
      : x(x), y(y), z(z) {}
};
struct uint3 { unsigned x, y, z; };
extern const __device__ __attribute__((weak)) uint3 threadIdx, blockIdx;
extern const __device__ __attribute__((weak)) uint3 blockDim, gridDim;
__device__ void __syncthreads();
extern "C" int cudaConfigureCall(dim3, dim3, unsigned long = 0, void * = 0);
extern "C" unsigned __cudaPushCallConfiguration(dim3, dim3, unsigned long = 0,
                                                void * = 0);
extern "C" int cudaLaunchKernel(const void *, dim3, dim3, void **,
                                unsigned long, void *);
enum cudaError_t { cudaSuccess };
enum cudaDeviceAttr { cudaDevAttrMaxSharedMemoryPerBlockOptin = 97 };
struct cudaFuncAttributes {
  unsigned long sharedSizeBytes;
  int maxDynamicSharedSizeBytes, preferredShmemCarveout;
};
typedef unsigned long size_t;
extern "C" cudaError_t cudaGetDevice(int *);
extern "C" cudaError_t cudaDeviceGetAttribute(int *, cudaDeviceAttr, int);
template <class T>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *, T *Kernel);
enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9
};
template <class T>
cudaError_t cudaFuncSetAttribute(T *Kernel, cudaFuncAttribute, int);
#line 1
)";
  return parses(Prelude + Code,
                {"-xcuda", Device ? "--cuda-device-only" : "--cuda-host-only",
                 "-nocudainc", "-nocudalib", "--cuda-gpu-arch=sm_80"},
                "k.cu", Quiet);
}

} // namespace catt::testing

#endif
