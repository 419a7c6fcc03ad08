//===- CudaFrontEndTest.cpp - CUDA C++ to a Clang AST ---------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Snippets go through the built-in declarations, so that no toolkit is needed;
// where one is installed, each well-formed snippet goes through it as well.
//
//===----------------------------------------------------------------------===//
#include "analysis/frontend/CudaFrontEnd.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Tooling/CompilationDatabase.h"
#include "llvm/Support/FileSystem.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace catt;
using llvm::StringRef;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

namespace {

using Strings = std::vector<std::string>;
using Parsed = llvm::Expected<std::unique_ptr<TranslationUnit>>;

/// A project in memory above the machine's headers.
struct Project {
  llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> Texts =
      llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  FrontEndOptions Options;
  Strings Flags;
  std::string Compiler = "nvcc";

  Project() { Options.BuiltInOnly = true; }
  void add(StringRef Path, StringRef Text) {
    Texts->addFile(Path, 0, llvm::MemoryBuffer::getMemBufferCopy(Text, Path));
  }
  Parsed parse(StringRef Path = "a.cu") {
    auto Files = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(
        llvm::vfs::getRealFileSystem());
    Files->pushOverlay(Texts);
    Strings Command = {Compiler};
    llvm::append_range(Command, Flags);
    Command.insert(Command.end(), {"-c", Path.str(), "-o", "a.o"});
    return catt::parse(
        clang::tooling::CompileCommand("/project", Path, Command, "a.o"),
        Options, Files);
  }
};

std::unique_ptr<TranslationUnit> take(Parsed TU) {
  if (TU)
    return std::move(*TU);
  ADD_FAILURE() << llvm::toString(TU.takeError());
  return nullptr;
}

std::unique_ptr<TranslationUnit> parseText(StringRef Text) {
  Project P;
  P.add("/project/a.cu", Text);
  return take(P.parse());
}

std::string errorOf(Parsed TU) {
  return TU ? "no error" : llvm::toString(TU.takeError());
}

Strings errors(const std::vector<Diagnostic> &Diagnostics) {
  Strings Texts;
  for (const Diagnostic &D : Diagnostics)
    if (D.Severity >= Diagnostic::Level::Error)
      Texts.push_back(std::to_string(D.Where.Line) + ": " + D.Message);
  return Texts;
}

Strings errors(const TranslationUnit &TU) { return errors(TU.diagnostics()); }

/// Kernels with bodies and launches, as others walk them.
struct Walk : clang::RecursiveASTVisitor<Walk> {
  Strings Kernels, Launches;
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool VisitFunctionDecl(clang::FunctionDecl *F) {
    if (F->hasAttr<clang::CUDAGlobalAttr>() && F->hasBody() &&
        !F->isDependentContext())
      Kernels.push_back(F->getNameAsString());
    return true;
  }
  bool VisitCUDAKernelCallExpr(clang::CUDAKernelCallExpr *Call) {
    if (auto *F = Call->getDirectCallee())
      Launches.push_back(F->getNameAsString());
    return true;
  }
};

Walk walk(const TranslationUnit &TU) {
  Walk W;
  W.TraverseAST(TU.ast());
  return W;
}

constexpr StringRef Saxpy = R"cuda(
__global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x[i] + y[i];
}
int main() {
  float *x, *y;
  cudaMalloc(&x, 4096);
  cudaMalloc((void **)&y, 4096);
  saxpy<<<(1024 + 255) / 256, 256>>>(1024, 2.f, x, y);
  return cudaDeviceSynchronize() != cudaSuccess;
}
)cuda";

//===-- Well-formed programs ---------------------------------------------===//

/// Parses with the built-in declarations and, where there is one, a toolkit.
class WellFormed
    : public testing::TestWithParam<std::pair<const char *, const char *>> {};

TEST_P(WellFormed, BuiltIn) {
  auto TU = parseText(GetParam().second);
  ASSERT_TRUE(TU);
  EXPECT_THAT(errors(*TU), IsEmpty());
  EXPECT_EQ(TU->toolkit().Path, "");
}

TEST_P(WellFormed, Toolkit) {
  if (!llvm::sys::fs::exists("/usr/local/cuda/include/cuda.h"))
    GTEST_SKIP() << "no CUDA toolkit";
  Project P;
  P.Options.BuiltInOnly = false;
  P.Options.CudaPath = "/usr/local/cuda";
  P.add("/project/a.cu", GetParam().second);
  auto TU = take(P.parse());
  ASSERT_TRUE(TU);
  EXPECT_THAT(errors(*TU), IsEmpty());
  EXPECT_EQ(TU->toolkit().Path, "/usr/local/cuda");
  EXPECT_NE(TU->toolkit().Version, "");
}

/// A header that the command includes stands behind nvcc's own.
void parseForced(const char *Header, const char *CudaPath) {
  Project P;
  P.Options.BuiltInOnly = !CudaPath;
  P.Options.CudaPath = CudaPath ? CudaPath : "";
  P.add("/project/compat.h", Header);
  P.add("/project/a.cu", Saxpy);
  P.Flags = {"-include", "/project/compat.h"};
  auto TU = take(P.parse());
  ASSERT_TRUE(TU);
  EXPECT_THAT(errors(*TU), IsEmpty()) << Header;
}

constexpr const char *ForcedHeaders[] = {
    "#include <cuda_runtime.h>\n",
    "__device__ inline float4 twice(float4 v) {\n"
    "  return make_float4(2 * v.x, __cosf(v.y), v.z, v.w);\n}\n"};

TEST(ForcedHeader, BuiltIn) {
  for (const char *Header : ForcedHeaders)
    parseForced(Header, nullptr);
}

TEST(ForcedHeader, Toolkit) {
  if (!llvm::sys::fs::exists("/usr/local/cuda/include/cuda.h"))
    GTEST_SKIP() << "no CUDA toolkit";
  for (const char *Header : ForcedHeaders)
    parseForced(Header, "/usr/local/cuda");
}

constexpr std::pair<const char *, const char *> Programs[] = {
    {"Saxpy", Saxpy.data()},
    {"Templates", R"cuda(
template <class T, int N> __device__ T sum(const T (&a)[N]) {
  T s = T();
  for (int i = 0; i < N; ++i) s += a[i];
  return s;
}
template <typename T, unsigned B> __global__ void
__launch_bounds__(B, 2) reduce(const T *__restrict__ in, T *out, int n) {
  __shared__ T tile[B];
  T mine[4] = {in[threadIdx.x], in[n], T(1), T(2)};
  tile[threadIdx.x] = sum(mine);
  __syncthreads();
  for (unsigned o = B / 2; o > 0; o >>= 1) {
    if (threadIdx.x < o) tile[threadIdx.x] += tile[threadIdx.x + o];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(out, tile[0]);
}
void run(const float *f, float *fo, const double *d, double *d_o) {
  reduce<float, 256><<<80, 256>>>(f, fo, 9);
  reduce<double, 96><<<dim3(3, 2), dim3(96, 1, 1), 0, 0>>>(d, d_o, 9);
}
)cuda"},
    {"Macros", R"cuda(
#include <cstdio>
#include <cstdlib>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { \
  fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); \
  exit(1); } } while (0)
#define KERNEL __global__ static void
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
KERNEL copy(const int *a, int *b) { b[INDEX] = a[INDEX]; }
void run(int *a, int *b) {
  copy<<<33, 97>>>(a, b);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(a, b, 4, cudaMemcpyDeviceToHost));
}
)cuda"},
    {"Runtime", R"cuda(
#include <cuda_runtime.h>
#include <device_launch_parameters.h>
#include <cstdio>
#include <vector>
__constant__ float weights[16];
__global__ void k(float *p) { extern __shared__ float s[]; p[0] = s[0]; }
int main() {
  std::vector<float> h(16);
  cudaMemcpyToSymbol(weights, h.data(), 64);
  cudaMemcpyToSymbol(weights, h.data(), 64, 0, cudaMemcpyHostToDevice);
  cudaStream_t s;
  cudaEvent_t e;
  cudaStreamCreate(&s);
  cudaEventCreate(&e);
  cudaEventRecord(e, s);
  float ms;
  cudaEventElapsedTime(&ms, e, e);
  cudaDeviceProp prop;
  cudaGetDeviceProperties(&prop, 0);
  printf("%s %d %zu\n", prop.name, prop.major, prop.sharedMemPerBlockOptin);
  cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 98304);
  cudaFuncSetCacheConfig(k, cudaFuncCachePreferL1);
  int blocks, grid, block;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, k, 128, 0);
  cudaOccupancyMaxPotentialBlockSize(&grid, &block, k);
  float *d, *m, *pitched, *pinned;
  size_t pitch;
  cudaMallocManaged(&m, 64);
  cudaMallocPitch(&pitched, &pitch, 64, 64);
  cudaHostAlloc(&pinned, 64, cudaHostAllocDefault);
  cudaMallocHost(&pinned, 64);
  cudaMallocAsync(&d, 64, s);
  cudaMemcpyAsync(d, h.data(), 64, cudaMemcpyHostToDevice, s);
  cudaMemset(d, 0, 64);
  void *args[] = {&d};
  cudaLaunchKernel((const void *)k, dim3(1), dim3(32), args, 0, s);
  cudaLaunchCooperativeKernel((void *)k, dim3(1), dim3(32), args, 0, s);
  k<<<1, 32, prop.sharedMemPerBlock, s>>>(d);
  return min(1, 2) + max(3u, 4u) + int(rsqrtf(4.f));
}
)cuda"},
    {"DeviceFunctions", R"cuda(
#include <assert.h>
#include <stdio.h>
struct View {
  float *data; int pitch;
  __device__ float &operator()(int r, int c) const { return data[r * pitch + c]; }
};
__global__ void k(View v, float *f, double *d, int *i, unsigned *u,
                  unsigned long long *ull, float4 *f4, const int2 *i2) {
  unsigned t = threadIdx.x;
  uint3 idx = threadIdx;
  dim3 dim = blockDim;
  f[t] = sqrtf(f[1]) + __fmaf_rn(f[1], f[2], f[3]) + __expf(f[4]) +
         rsqrtf(f[5]) + powf(f[6], 2.f) + fminf(f[7], f[8]) + sinf(f[9]) +
         __fdividef(f[1], f[2]) + __sinf(f[3]) + fabsf(f[4]) + sqrt(f[5]) +
         max(f[1], f[2]) + v(1, 2) + __int_as_float(3) + __saturatef(f[4]);
  static_assert(__is_same(decltype(max(f[1], f[2])), float), "");
  static_assert(__is_same(decltype(min(f[1], d[2])), double), "");
  static_assert(__is_same(decltype(min(u[1], i[2])), unsigned), "");
  d[t] = sin(d[1]) + fma(d[1], d[2], d[3]) + exp(d[4]) + pow(d[1], 2) +
         __dadd_rn(d[1], d[2]) + rsqrt(d[3]) + erf(d[1]) + cbrt(d[2]);
  atomicAdd(f, 1.f); atomicAdd(d, 1.0); atomicAdd(i, 1); atomicAdd(ull, 1ull);
  atomicMax(i, 3); atomicMin(u, 3u); atomicExch(f, 2.f); atomicCAS(i, 1, 2);
  atomicCAS(ull, 1ull, 2ull); atomicInc(u, 4u); atomicSub(i, 1);
  atomicOr(u, 1u); atomicXor(ull, 3ull); atomicAdd_block(i, 1);
  atomicAdd_system(u, 1u);
  __nv_atomic_fetch_add(f, 1.f, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_max(i, 3, __NV_ATOMIC_RELAXED);
  i[6] = __nv_atomic_load_n(i, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_BLOCK);
  int expected = 1;
  __nv_atomic_compare_exchange_n(i, &expected, 2, false, __NV_ATOMIC_ACQ_REL,
                                 __NV_ATOMIC_RELAXED);
  i[0] = __shfl_sync(~0u, i[1], 3) + __shfl_down_sync(~0u, i[1], 2, 16) +
         __any_sync(~0u, i[2]) + __ballot_sync(~0u, i[2]) + __activemask() +
         __popc(i[3]) + __clz(i[4]) + __ffs(i[5]) + __brev(i[6]) +
         __match_any_sync(~0u, i[3]) + __mul24(i[1], i[2]) + __umulhi(1u, 2u);
  f[1] = __shfl_xor_sync(~0u, f[2], 8) + __ldg(&f[3]) + __ldcg(&f[4]) +
         __ldca(&f[5]) + __ldcs(&f[6]);
  f4[0] = __ldg(&f4[1]);
  f4[2] = make_float4(f4[0].x, i2[1].x, 0, 1);
  __stcs(&f4[3], f4[4]);
  __stcg(&f[7], 1.f);
  __syncwarp(); __threadfence(); __threadfence_block(); __nanosleep(20);
  if (__syncthreads_count(t)) __syncthreads();
  __syncthreads_or(1);
  assert(t < dim.x && idx.x == t);
  printf("%u %lld\n", t, (long long)clock64());
  int *mine = new int[3];
  delete[] mine;
  free(malloc(8));
}
)cuda"},
    {"CooperativeGroups", R"cuda(
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void k(float *f) {
  cg::thread_block block = cg::this_thread_block();
  cg::grid_group grid = cg::this_grid();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  auto half = cg::tiled_partition<16>(warp);
  float s = 0;
  for (unsigned long long i = grid.thread_rank(); i < 99; i += grid.size())
    s += f[i];
  for (int o = warp.size() / 2; o > 0; o /= 2) s += warp.shfl_down(s, o);
  s += cg::reduce(warp, s, cg::plus<float>());
  block.sync(); warp.sync(); cg::sync(block); grid.sync();
  if (half.thread_rank() == 0) f[block.group_index().x] = s;
  cg::coalesced_group active = cg::coalesced_threads();
  f[1] += active.size();
}
)cuda"},
    {"NarrowFloats", R"cuda(
#include <cuda_bf16.h>
#include <cuda_fp16.h>
__global__ void k(half *h, half2 *p, __nv_bfloat16 *b, float *f) {
  h[0] = __hadd(h[1], h[2]) * h[3] + __float2half(1.f);
  h[4] += h[5];
  if (h[0] > h[1]) h[2] = -h[3];
  h[6] = __hfma(h[0], h[1], h[2]);
  h[7] = hexp(h[8]);
  p[0] = __hmul2(p[1], __float2half2_rn(2.f));
  p[1] = make_half2(h[0], h[1]);
  f[0] = __half2float(h[0]) + __low2float(p[1]) + __bfloat162float(b[0]);
  b[1] = b[2] + __float2bfloat16(2.f) * b[3];
  h[9] = __shfl_xor_sync(~0u, h[8], 3);
}
)cuda"},
    {"StandardLibrary", R"cuda(
#include <algorithm>
#include <cmath>
#include <complex>
#include <iostream>
#include <limits>
#include <map>
#include <string>
#include <vector>
__global__ void k(float *f, int n) {
  f[0] = std::min(n, 3) + std::max(f[1], f[2]) + std::sqrt(f[3]) +
         std::numeric_limits<float>::max();
}
int main() {
  std::map<std::string, std::vector<float>> m;
  m["a"].push_back(std::sqrt(2.0));
  std::cout << std::max(1, 2) << std::endl;
  k<<<1, 1>>>(m["a"].data(), 1);
}
)cuda"},
    {"Lambdas", R"cuda(
template <class F> __global__ void each(F f, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) f(i);
}
void run(float *p) {
  each<<<1, 64>>>([=] __device__(int i) { p[i] = i; }, 9);
}
)cuda"},
};

INSTANTIATE_TEST_SUITE_P(CudaFrontEnd, WellFormed, testing::ValuesIn(Programs),
                         [](const auto &Info) { return Info.param.first; });

//===-- What others rely on ----------------------------------------------===//

TEST(CudaFrontEnd, KernelsAndLaunchesAreVisible) {
  auto TU = parseText(Saxpy);
  ASSERT_TRUE(TU);
  EXPECT_THAT(walk(*TU).Kernels, ElementsAre("saxpy"));
  EXPECT_THAT(walk(*TU).Launches, ElementsAre("saxpy"));
  EXPECT_EQ(TU->mainFile(), "/project/a.cu");
  EXPECT_EQ(TU->architecture(), "sm_80");
}

TEST(CudaFrontEnd, InstantiationsAreVisibleOnce) {
  auto TU = parseText("template <int N> __global__ void k(int *p) { *p = N; }\n"
                      "void f(int *p) { k<1><<<1, 1>>>(p);"
                      "                 k<2><<<1, 1>>>(p); }\n");
  ASSERT_TRUE(TU);
  EXPECT_THAT(walk(*TU).Kernels, ElementsAre("k", "k"));
  EXPECT_THAT(walk(*TU).Launches, ElementsAre("k", "k"));
}

TEST(CudaFrontEnd, KernelsOfIncludedFilesAreVisible) {
  Project P;
  P.add("/project/k.cuh", "template <class T> __global__ void k(T *p) {"
                          " *p = 1; }\n__global__ void plain(int *p) {}\n");
  P.add("/project/a.cu", "#include \"k.cuh\"\n#include <vector>\n"
                         "void f(int *p) { k<<<1, 1>>>(p); }\n");
  for (bool Keep : {true, false}) {
    P.Options.KeepPreamble = Keep;
    auto TU = take(P.parse());
    ASSERT_TRUE(TU);
    EXPECT_THAT(errors(*TU), IsEmpty());
    EXPECT_THAT(walk(*TU).Kernels, ElementsAre("k", "plain"));
  }
}

TEST(CudaFrontEnd, KernelsOfSystemHeadersAreNot) {
  Project P;
  P.Flags = {"-isystem", "/ext"};
  P.add("/ext/lib.cuh", "__global__ void theirs(int *p) {}\n");
  P.add("/project/a.cu", "#include <lib.cuh>\n"
                         "__global__ void mine(int *p) {}\n");
  auto TU = take(P.parse());
  ASSERT_TRUE(TU);
  EXPECT_THAT(walk(*TU).Kernels, ElementsAre("mine"));
}

TEST(CudaFrontEnd, AnyExtensionIsCuda) {
  Project P;
  for (StringRef Name : {"a.cuh", "a.cpp", "a.h", "a.cu", "a"}) {
    P.add(("/project/" + Name).str(), Saxpy);
    auto TU = take(P.parse(Name));
    ASSERT_TRUE(TU);
    EXPECT_THAT(walk(*TU).Kernels, ElementsAre("saxpy")) << Name.str();
  }
}

TEST(CudaFrontEnd, ArchitectureDecidesTheMacro) {
  Project P;
  P.add("/project/a.cu", "static_assert(__CUDA_ARCH__ == 900, \"\");");
  P.Options.Architecture = "sm_90";
  EXPECT_THAT(errors(*take(P.parse())), IsEmpty());
  P.Options.Architecture = "sm_75";
  EXPECT_THAT(errors(*take(P.parse())), ElementsAre(HasSubstr("static")));
}

TEST(CudaFrontEnd, ArchitectureOfTheCommandIfNoneIsGiven) {
  Project P;
  P.add("/project/a.cu", "static_assert(__CUDA_ARCH__ == 750, \"\");");
  P.Options.Architecture = "";
  P.Flags = {"-arch=sm_75"};
  auto TU = take(P.parse());
  ASSERT_TRUE(TU);
  EXPECT_EQ(TU->architecture(), "sm_75");
  EXPECT_THAT(errors(*TU), IsEmpty());
}

TEST(CudaFrontEnd, NativeWithoutAnAnswerIsSaidSo) {
  Project P;
  P.add("/project/a.cu", Saxpy);
  P.Options.Architecture = "";
  P.Flags = {"-arch=native"};
  auto TU = take(P.parse());
  ASSERT_TRUE(TU);
  EXPECT_EQ(TU->architecture(), "sm_80");
  EXPECT_THAT(TU->notes(), Contains(HasSubstr("-arch=native")));
}

TEST(CudaFrontEnd, HostFlagsDoNotDisturbTheDeviceParse) {
  Project P;
  P.add("/project/a.cu", Saxpy);
  P.Flags = {"-Xcompiler",
             "-march=native,-mavx2,-fopenmp,-pthread,-fPIC,-ffast-math,"
             "-fsanitize=address,-flto,-fno-strict-aliasing,-Wall,-g3,-O3,"
             "--coverage,-fvisibility=hidden,-mtune=generic,-fno-exceptions"};
  auto TU = take(P.parse());
  ASSERT_TRUE(TU);
  EXPECT_THAT(errors(*TU), IsEmpty());
  EXPECT_THAT(TU->notes(), IsEmpty());
}

TEST(CudaFrontEnd, AHeaderAsTheMainFile) {
  Project P;
  P.add("/project/k.cuh",
        "#ifndef K\n#define K\n#include <vector>\n" + Saxpy.str() + "#endif\n");
  auto TU = take(P.parse("k.cuh"));
  ASSERT_TRUE(TU);
  EXPECT_THAT(errors(*TU), IsEmpty());
  EXPECT_THAT(walk(*TU).Kernels, ElementsAre("saxpy"));
}

TEST(CudaFrontEnd, AProjectsOwnCudaHeader) {
  // Rodinia has a cuda.h of its own on its include path.
  for (bool BuiltIn : {true, false}) {
    Project P;
    P.Options.BuiltInOnly = BuiltIn;
    P.Flags = {"-Iutil"};
    P.add("/project/util/cuda.h", "void set_device(void);\n");
    P.add("/project/a.cu", "#include \"util/cuda.h\"\n" + Saxpy.str());
    auto TU = take(P.parse());
    ASSERT_TRUE(TU);
    EXPECT_THAT(errors(*TU), IsEmpty());
    EXPECT_THAT(walk(*TU).Kernels, ElementsAre("saxpy"));
  }
}

TEST(CudaFrontEnd, WhatOnlyClangCallsAnError) {
  auto TU = parseText("struct C { __device__ C() : n(1) {} int n; };\n"
                      "__global__ void k(int *p) {\n"
                      "  __shared__ C c;\n"
                      "  unsigned long long t;\n"
                      "  asm volatile(\"mov.u64 %0, %globaltimer;\" : "
                      "\"=l\"(t));\n  *p = t;\n}\n");
  ASSERT_TRUE(TU);
  EXPECT_THAT(errors(*TU), IsEmpty());
  EXPECT_EQ(TU->diagnostics().size(), 2u);
  EXPECT_THAT(walk(*TU).Kernels, ElementsAre("k"));
}

TEST(CudaFrontEnd, UnknownArchitectureIsAnError) {
  Project P;
  P.add("/project/a.cu", Saxpy);
  P.Options.Architecture = "sm_42";
  EXPECT_THAT(errorOf(P.parse()), HasSubstr("sm_42"));
}

TEST(CudaFrontEnd, FlagsOfTheCommandReachClang) {
  Project P;
  P.Flags = {"-DN=3,M", "--include-path=inc", "-use_fast_math", "-std=c++20"};
  P.add("/project/inc/b.h", "int b;");
  P.add("/project/a.cu", "#include \"b.h\"\n#ifndef M\n#error M\n#endif\n"
                         "static_assert(N == 3 && __cplusplus >= 202002L);");
  auto TU = take(P.parse());
  ASSERT_TRUE(TU);
  EXPECT_THAT(errors(*TU), IsEmpty());
  EXPECT_THAT(TU->notes(), Contains(HasSubstr("-use_fast_math: approx")));
}

TEST(CudaFrontEnd, BareFlagsOfTheCommandLine) {
  Project P;
  P.Compiler = "clang-tool";
  P.Flags = {"-DN", "-G", "-lineinfo"};
  P.add("/project/a.cu", "#ifndef N\n#error N\n#endif\n" + Saxpy.str());
  EXPECT_THAT(errors(*take(P.parse())), IsEmpty());
}

TEST(CudaFrontEnd, WarningsAreNotCollected) {
  auto TU = parseText("#warning hello\n__global__ void k() { int unused; }");
  ASSERT_TRUE(TU);
  EXPECT_THAT(TU->diagnostics(), IsEmpty());
}

//===-- Broken programs --------------------------------------------------===//

TEST(BrokenCode, InTheHostLeavesTheKernel) {
  auto TU = parseText("__global__ void k(int *p) { *p = 1; }\n"
                      "int main() {\n  unknown_function(3);\n"
                      "  k<<<1, 1>>>(nullptr);\n}\n");
  ASSERT_TRUE(TU);
  EXPECT_THAT(errors(*TU), ElementsAre(HasSubstr("3: use of undeclared")));
  EXPECT_THAT(walk(*TU).Kernels, ElementsAre("k"));
  EXPECT_THAT(walk(*TU).Launches, ElementsAre("k"));
}

TEST(BrokenCode, InTheKernelIsReportedThere) {
  auto TU = parseText("__global__ void k(int *p) {\n  *p = q;\n}\n");
  ASSERT_TRUE(TU);
  ASSERT_EQ(errors(*TU).size(), 1u);
  EXPECT_EQ(TU->diagnostics()[0].Where.File, "/project/a.cu");
  EXPECT_EQ(TU->diagnostics()[0].Where.Line, 2u);
  EXPECT_EQ(TU->diagnostics()[0].Where.Column, 8u);
}

TEST(BrokenCode, HostFunctionCalledByAKernel) {
  auto TU = parseText("void host();\n__global__ void k() {\n  host();\n}\n");
  ASSERT_TRUE(TU);
  EXPECT_THAT(errors(*TU), ElementsAre(HasSubstr("3: ")));
}

TEST(BrokenCode, MissingHeaderDoesNotEndTheParse) {
  auto TU = parseText("#include \"nowhere.h\"\n"
                      "__global__ void k(int *p) { *p = 1; }\n");
  ASSERT_TRUE(TU);
  EXPECT_THAT(errors(*TU), ElementsAre("1: 'nowhere.h' file not found"));
  EXPECT_THAT(walk(*TU).Kernels, ElementsAre("k"));
}

TEST(BrokenCode, MissingLibraryHeaderNamesTheToolkit) {
  for (StringRef Header : {"cublas_v2.h", "curand_kernel.h", "thrust/sort.h",
                           "cub/cub.cuh", "cuda/std/array", "mma.h"}) {
    auto TU = parseText(("#include <" + Header + ">\n").str());
    ASSERT_TRUE(TU);
    ASSERT_GE(TU->diagnostics().size(), 2u) << Header.str();
    EXPECT_THAT(TU->diagnostics()[0].Message, HasSubstr(Header.str()));
    EXPECT_EQ(TU->diagnostics()[1].Severity, Diagnostic::Level::Note);
    EXPECT_THAT(TU->diagnostics()[1].Message,
                AllOf(HasSubstr("CUDA toolkit"), HasSubstr("--cuda-path")));
  }
}

TEST(BrokenCode, MoreThanClangsUsualLimit) {
  std::string Text;
  for (int I = 0; I < 40; ++I)
    Text += "int v" + std::to_string(I) + " = w;\n";
  EXPECT_EQ(errors(*parseText(Text)).size(), 40u);
}

TEST(BrokenCode, NothingButNoise) {
  EXPECT_THAT(errors(*parseText("}}} ((( <<< __global__ k")), Not(IsEmpty()));
}

//===-- check() ----------------------------------------------------------===//

Strings check(const TranslationUnit &TU, StringRef Text) {
  auto Found = TU.check({{"/project/a.cu", Text.str()}});
  if (!Found) {
    ADD_FAILURE() << llvm::toString(Found.takeError());
    return {};
  }
  for (const Diagnostic &D : *Found)
    EXPECT_GE(D.Severity, Diagnostic::Level::Error);
  return errors(*Found);
}

class Check : public testing::TestWithParam<bool> {
protected:
  void SetUp() override { P.Options.KeepPreamble = GetParam(); }
  Project P;
};

INSTANTIATE_TEST_SUITE_P(Preamble, Check, testing::Bool());

TEST_P(Check, SameTextAgain) {
  P.add("/project/a.cu", Saxpy);
  auto TU = take(P.parse());
  EXPECT_THAT(check(*TU, Saxpy), IsEmpty());
  EXPECT_THAT(check(*TU, Saxpy), IsEmpty());
}

TEST_P(Check, NewErrorAtItsPlaceInTheNewText) {
  P.add("/project/a.cu", "#include <vector>\n" + Saxpy.str());
  auto TU = take(P.parse());
  std::string Text = "#include <vector>\n" + Saxpy.str() + "\nint x = y;\n";
  EXPECT_THAT(check(*TU, Text),
              ElementsAre(AllOf(HasSubstr("16: "), HasSubstr("'y'"))));
  // The first parse's own messages stay as they are.
  EXPECT_THAT(errors(*TU), IsEmpty());
}

TEST_P(Check, OldErrorsOfThePreambleAreThereAgain) {
  std::string Text = "#include \"nowhere.h\"\n" + Saxpy.str();
  P.add("/project/a.cu", Text);
  auto TU = take(P.parse());
  EXPECT_THAT(check(*TU, Text), ElementsAre("1: 'nowhere.h' file not found"));
}

TEST_P(Check, ChangedPreamble) {
  P.add("/project/a.cu", "#include <vector>\n" + Saxpy.str());
  auto TU = take(P.parse());
  EXPECT_THAT(
      check(*TU, "#include <map>\nstd::map<int, int> m;\n" + Saxpy.str()),
      IsEmpty());
  EXPECT_THAT(check(*TU, "std::vector<int> v;\n"), Not(IsEmpty()));
}

TEST_P(Check, ChangedHeader) {
  P.add("/project/k.cuh", "inline int size() { return 1; }\n");
  P.add("/project/a.cu", "#include \"k.cuh\"\nint n = size();\n");
  auto TU = take(P.parse());
  EXPECT_THAT(errors(*TU), IsEmpty());
  auto Found = TU->check({{"/project/k.cuh", "inline int width();\n"}});
  ASSERT_TRUE(bool(Found));
  EXPECT_THAT(errors(*Found), ElementsAre(HasSubstr("2: ")));
}

TEST_P(Check, TheFirstAstSurvives) {
  P.add("/project/a.cu", Saxpy);
  auto TU = take(P.parse());
  check(*TU, "int x;\n");
  EXPECT_THAT(walk(*TU).Kernels, ElementsAre("saxpy"));
}

//===-- The preamble of an earlier parse ---------------------------------===//

/// Parses a text of two preamble lines twice, the second time with what the
/// first one kept, and says whether that was used.
struct Earlier : testing::Test {
  Project P;
  std::unique_ptr<TranslationUnit> First;

  void SetUp() override {
    P.add("/project/k.cuh",
          "inline __host__ __device__ int size() { return 1; }\n");
    P.add("/project/a.cu", "#include \"k.cuh\"\nint n = size();\n");
    First = take(P.parse());
    P.Options.Earlier = First->preamble();
    P.Texts = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
    P.add("/project/k.cuh",
          "inline __host__ __device__ int size() { return 1; }\n");
  }
  bool isUsed() {
    auto TU = take(P.parse());
    return TU && TU->preamble() == P.Options.Earlier;
  }
};

TEST_F(Earlier, IsUsedUnderAnotherRest) {
  ASSERT_TRUE(P.Options.Earlier);
  P.add("/project/a.cu",
        "#include \"k.cuh\"\n__global__ void f() { size(); }\n");
  First.reset(); // it outlives the parse that it came from
  auto TU = take(P.parse());
  EXPECT_EQ(TU->preamble(), P.Options.Earlier);
  EXPECT_THAT(errors(*TU), IsEmpty());
  EXPECT_THAT(walk(*TU).Kernels, ElementsAre("f"));
}

TEST_F(Earlier, IsNotUsedUnderAnotherPreamble) {
  P.add("/project/a.cu", "#include \"k.cuh\"\n#define N 2\nint n = N;\n");
  EXPECT_FALSE(isUsed());
}

TEST_F(Earlier, IsNotUsedWithOtherFlags) {
  P.add("/project/a.cu", "#include \"k.cuh\"\nint n = size();\n");
  P.Flags = {"-DN=2"};
  EXPECT_FALSE(isUsed());
  P.Flags = {};
  P.Options.Architecture = "sm_90";
  EXPECT_FALSE(isUsed());
}

TEST_F(Earlier, IsNotUsedAfterAHeaderChanged) {
  P.Texts = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  P.add("/project/k.cuh", "inline int width() { return 1; }\n");
  P.add("/project/a.cu", "#include \"k.cuh\"\nint n = size();\n");
  auto TU = take(P.parse());
  EXPECT_NE(TU->preamble(), P.Options.Earlier);
  EXPECT_THAT(errors(*TU), ElementsAre(HasSubstr("2: ")));
}

//===-- Files that cannot be parsed --------------------------------------===//

TEST(BadInput, Missing) {
  Project P;
  EXPECT_THAT(errorOf(P.parse("none.cu")),
              AllOf(HasSubstr("cannot read 'none.cu'"),
                    HasSubstr("No such file"), HasSubstr("check the path")));
}

TEST(BadInput, Directory) {
  Project P;
  P.add("/project/dir.cu/x", "");
  EXPECT_THAT(errorOf(P.parse("dir.cu")),
              AllOf(HasSubstr("'dir.cu'"), HasSubstr("is a directory")));
}

TEST(BadInput, EmptyOrBlank) {
  Project P;
  P.add("/project/a.cu", "");
  EXPECT_THAT(errorOf(P.parse()), HasSubstr("'a.cu' is empty"));
  P.add("/project/b.cu", " \n\t\n");
  EXPECT_THAT(errorOf(P.parse("b.cu")), HasSubstr("'b.cu' is empty"));
}

TEST(BadInput, Binary) {
  Project P;
  P.add("/project/a.cu", StringRef("\x7f"
                                   "ELF\0\1",
                                   6));
  EXPECT_THAT(errorOf(P.parse()),
              AllOf(HasSubstr("'a.cu' is not text"), HasSubstr("byte 4")));
}

TEST(BadInput, Utf16) {
  Project P;
  P.add("/project/a.cu", StringRef("\xff\xfe_\0", 4));
  EXPECT_THAT(errorOf(P.parse()), HasSubstr("UTF-8"));
}

TEST(BadInput, OtherLanguages) {
  Project P;
  for (StringRef Name : {"a.py", "a.ptx", "a.txt", "a.o", "a.cl"}) {
    P.add(("/project/" + Name).str(), "x = 1\n");
    EXPECT_THAT(errorOf(P.parse(Name)), HasSubstr("is not CUDA C++"));
  }
}

TEST(BadInput, CudaPathWithoutAToolkit) {
  Project P;
  P.add("/project/a.cu", Saxpy);
  P.Options.BuiltInOnly = false;
  P.Options.CudaPath = "/nowhere";
  EXPECT_THAT(
      errorOf(P.parse()),
      AllOf(HasSubstr("no CUDA toolkit in '/nowhere'"), HasSubstr("built-in")));
}

TEST(BadInput, ResponseFileOfTheCommand) {
  Project P;
  P.add("/project/a.cu", Saxpy);
  P.Flags = {"--options-file", "none.rsp"};
  EXPECT_THAT(errorOf(P.parse()), HasSubstr("/project/none.rsp"));
}

TEST(GoodInput, Utf8MarkAndCarriageReturns) {
  auto TU = parseText("\xef\xbb\xbf#include <cmath>\r\n"
                      "__global__ void k(float *p) {\r\n  *p = 1;\r\n}\r\n");
  ASSERT_TRUE(TU);
  EXPECT_THAT(errors(*TU), IsEmpty());
}

TEST(GoodInput, NoFinalNewline) {
  EXPECT_THAT(errors(*parseText("__global__ void k() {}")), IsEmpty());
}

TEST(GoodInput, WorkingDirectoriesDoNotMix) {
  llvm::SmallString<128> Before, After;
  ASSERT_FALSE(llvm::sys::fs::current_path(Before));
  parseText(Saxpy);
  ASSERT_FALSE(llvm::sys::fs::current_path(After));
  EXPECT_EQ(Before, After);
}

} // namespace
