//===- DeviceCodeTest.cpp - From source text to registers -----------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/frontend/DeviceCode.h"
#include "SourceTesting.h"
#include "analysis/registers/Pressure.h"
#include "analysis/registers/Ptxas.h"
#include "gmock/gmock.h"

using namespace catt;
using namespace catt::testing;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/lsan_interface.h>
#define CATT_SANITIZED
#endif
#endif

namespace {

DeviceCode compile(llvm::StringRef Text) {
  Parsed P = parseSnippet(Text);
  if (!P.Unit)
    return {};
  auto Code = compileToPtx(*P.Unit);
  if (Code)
    return std::move(*Code);
  ADD_FAILURE() << llvm::toString(Code.takeError());
  return {};
}

ptx::Module read(const DeviceCode &Code) {
  auto M = ptx::readPtx(Code.Ptx, "kernel.ptx");
  if (M)
    return std::move(*M);
  ADD_FAILURE() << llvm::toString(M.takeError());
  return {};
}

constexpr llvm::StringRef Sum = R"cuda(
template <class T> __device__ T twice(T x) { return x + x; }
namespace ns {
template <class T> __global__ void sum(const T *a, T *out, int n) {
  T total = 0;
  int mine = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < n; ++j)
    total += twice(a[mine * n + j]);
  out[mine] = total;
}
} // namespace ns
void run(const float *f, float *g, const double *d, double *e) {
  ns::sum<<<8, 128>>>(f, g, 9);
  ns::sum<<<8, 128>>>(d, e, 9);
}
)cuda";

TEST(DeviceCode, KernelsHaveTheNamesOfTheReport) {
  DeviceCode Code = compile(Sum);
  ASSERT_EQ(Code.Kernels.size(), 2U);
  EXPECT_THAT(Code.Kernels,
              Contains(::testing::Pair(HasSubstr("sumIf"), "ns::sum<float>")));
  EXPECT_THAT(Code.Kernels,
              Contains(::testing::Pair(HasSubstr("sumId"), "ns::sum<double>")));
  Parsed P = parseSnippet(Sum);
  for (const Kernel &K : P.Kernels)
    EXPECT_THAT(Code.Kernels, Contains(::testing::Pair(::testing::_, K.Name)));
}

TEST(DeviceCode, DeviceFunctionsAreInlined) {
  ptx::Module M = read(compile(Sum));
  for (const ptx::Function &F : M.Functions)
    if (F.IsEntry)
      for (const ptx::Instruction &I : F.Instructions)
        EXPECT_EQ(I.Callee, "");
}

TEST(DeviceCode, InstructionsKnowTheirLineAndVariable) {
  DeviceCode Code = compile(Sum);
  ptx::Module M = read(Code);
  ASSERT_FALSE(M.Functions.empty());
  bool Line8 = false;
  for (const ptx::Instruction &I : M.Functions.back().Instructions)
    Line8 |= I.At.Line == 8 || I.InlinedAt.Line == 8;
  EXPECT_TRUE(Line8);
  EXPECT_THAT(Code.Variables, Contains(Field(&VariablePlace::Name, "mine")));
  EXPECT_THAT(Code.Variables, Contains(Field(&VariablePlace::Name, "total")));
}

TEST(DeviceCode, TwoRunsGiveTheSameText) {
  EXPECT_EQ(compile(Sum).Ptx, compile(Sum).Ptx);
}

TEST(DeviceCode, DoublesTakeMore) {
  DeviceCode Code = compile(Sum);
  ptx::Module M = read(Code);
  std::map<std::string, unsigned> Live;
  for (const ptx::Function &F : M.Functions)
    if (F.IsEntry)
      Live[Code.Kernels[F.Name]] = featuresOf(lower(F)).MaxLive;
  EXPECT_GT(Live["ns::sum<double>"], Live["ns::sum<float>"]);
  EXPECT_GT(Live["ns::sum<float>"], 3U);
}

TEST(DeviceCode, LaunchBoundsReachThePtx) {
  ptx::Module M = read(compile(R"cuda(
__global__ void __launch_bounds__(128, 3) k(int *p) { p[threadIdx.x] = 1; }
)cuda"));
  ASSERT_EQ(M.Functions.size(), 1U);
  EXPECT_EQ(M.Functions[0].MaxThreads, 128U);
  EXPECT_EQ(M.Functions[0].MinBlocks, 3U);
}

TEST(DeviceCode, WithoutAToolkitMathIsACallThatCosts) {
  DeviceCode Code = compile(R"cuda(
__global__ void k(float *p) { p[threadIdx.x] = sinf(p[threadIdx.x]); }
)cuda");
  EXPECT_FALSE(Code.HasMathLibrary);
  ptx::Module M = read(Code);
  const ptx::Function *K = M.find("_Z1kPf");
  ASSERT_NE(K, nullptr);
  EXPECT_THAT(Code.Ptx, HasSubstr("sin"));
  PressureFeatures F = featuresOf(lower(*K));
  EXPECT_FALSE(F.Calls);
  EXPECT_GE(F.MaxLive, 4U);
}

TEST(DeviceCode, MacrosAndInlineAssembly) {
  DeviceCode Code = compile(R"cuda(
#define KERNEL(name, T) __global__ void name(T *p) { \
  T x = p[threadIdx.x]; asm volatile("{ .reg .u32 t; mov.u32 t, %laneid; }"); \
  p[threadIdx.x] = x * x; }
KERNEL(first, int)
KERNEL(second, double)
)cuda");
  EXPECT_EQ(Code.Kernels.size(), 2U);
  EXPECT_EQ(read(Code).Functions.size(), 2U);
}

TEST(DeviceCode, OnlyAssemblyWithOperandsEscapesPercent) {
  DeviceCode Code = compile(R"cuda(
__global__ void k(unsigned *p) {
  unsigned lane;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  p[lane] = 1;
}
)cuda");
  EXPECT_THAT(Code.Ptx, HasSubstr(", %laneid;"));
  EXPECT_EQ(read(Code).Functions.size(), 1U);
  // Without operands both percent signs stay, and are no PTX: so says ptxas of
  // what nvcc makes of it, too.
  Code = compile(R"cuda(
__global__ void k(unsigned *p) {
  asm volatile("{ .reg .u32 t; mov.u32 t, %%laneid; }");
}
)cuda");
  auto M = ptx::readPtx(Code.Ptx, "kernel.ptx");
  ASSERT_FALSE(!!M);
  EXPECT_THAT(llvm::toString(M.takeError()),
              HasSubstr("the register %%laneid is not declared"));
}

TEST(DeviceCode, AFileWithoutKernelsIsEmptyNotAnError) {
  DeviceCode Code = compile("int host(int a) { return a; }\n");
  EXPECT_THAT(Code.Kernels, IsEmpty());
  EXPECT_THAT(read(Code).Functions, IsEmpty());
}

TEST(DeviceCode, WhatIsInlinedFromAnotherFileStandsAtTheCall) {
  DeviceCode Code =
      compile("#line 1 \"/snippet/other.cuh\"\n"
              "__device__ float half(float x) { return x * 0.5f + x * x; }\n"
              "__device__ float quarter(float x) { return half(half(x)); }\n"
              "#line 1 \"/snippet/kernel.cu\"\n"
              "__global__ void k(float *p) {\n  p[1] = quarter(p[0]);\n}\n");
  ptx::Module M = read(Code);
  const ptx::Function *F = M.find("_Z1kPf");
  ASSERT_TRUE(F);
  EXPECT_GT(F->Instructions.size(), 5U);
  for (const ptx::Instruction &I : F->Instructions)
    EXPECT_THAT(M.fileName(I.At.File), Not(HasSubstr("other.cuh")));
}

TEST(DeviceCode, ATemplateThatNobodyUsesHasNoCode) {
  DeviceCode Code =
      compile("template <class T> __global__ void k(T *p) { p[0] = T(); }\n");
  EXPECT_THAT(Code.Kernels, IsEmpty());
}

TEST(DeviceCode, ABodyThatDoesNotCompileIsAnError) {
#ifdef CATT_SANITIZED
  // clang never frees the debug information of code that it gives up.
  __lsan::ScopedDisabler Leaks;
#endif
  // The parse reports it too; here what counts is that no code comes out.
  clang::tooling::CompileCommand Command;
  auto Memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  Memory->addFile("/snippet/kernel.cu", 0,
                  llvm::MemoryBuffer::getMemBuffer(
                      "__global__ void k(int *p) {\n  p[0] = nothing;\n}\n"));
  auto Files = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(
      llvm::vfs::getRealFileSystem());
  Files->pushOverlay(Memory);
  Command.Directory = "/snippet";
  Command.Filename = "/snippet/kernel.cu";
  Command.CommandLine = {"clang++", "/snippet/kernel.cu"};
  FrontEndOptions Options;
  Options.BuiltInOnly = true;
  auto Unit = parse(Command, Options, Files);
  ASSERT_TRUE(!!Unit) << llvm::toString(Unit.takeError());
  auto Code = compileToPtx(**Unit);
  ASSERT_FALSE(!!Code);
  EXPECT_THAT(llvm::toString(Code.takeError()),
              HasSubstr("kernel.cu:2:10: use of undeclared identifier"));
}

TEST(DeviceCode, PtxasAcceptsIt) {
  PtxasOptions Options;
  Options.Program = findPtxas("/usr/local/cuda");
  if (Options.Program.empty())
    GTEST_SKIP() << "no ptxas on this machine";
  Options.Architecture = "sm_80";
  std::string Ptx = compile(Sum).Ptx;
  auto Answer = askPtxas({{Ptx}}, Options);
  ASSERT_TRUE(!!Answer) << llvm::toString(Answer.takeError());
  EXPECT_EQ(Answer->front().size(), 2U);
}

} // namespace
