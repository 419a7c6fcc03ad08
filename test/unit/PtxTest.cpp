//===- PtxTest.cpp - Reading PTX text -------------------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/registers/Ptx.h"
#include "RegistersTesting.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace catt;
using namespace catt::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace {

/// Names of the registers that instruction I of the first function defines.
std::vector<std::string> names(const ptx::Function &F,
                               const std::vector<unsigned> &Ids) {
  std::vector<std::string> Result;
  for (unsigned Id : Ids)
    Result.push_back(F.Registers[Id].Name);
  return Result;
}

std::vector<std::string> defined(const ptx::Module &M, unsigned I) {
  const ptx::Function &F = M.Functions.at(0);
  return names(F, F.Instructions.at(I).Defines);
}

std::vector<std::string> used(const ptx::Module &M, unsigned I) {
  const ptx::Function &F = M.Functions.at(0);
  return names(F, F.Instructions.at(I).Uses);
}

TEST(Ptx, RegistersOfEveryWidth) {
  ptx::Module M = readKernel(R"(
    .reg .pred %p<2>; .reg .b16 %rs<2>; .reg .f32 %f<2>; .reg .b64 %rd<2>;
    .reg .b128 %q; .reg .v4 .b32 %v;
    mov.b16 %rs1, 1; mov.f32 %f1, 0f3F800000; mov.u64 %rd1, 7;
    setp.eq.u64 %p1, %rd1, 7; mov.b128 %q, {%rd1, %rd1}; mov.v4.b32 %v, %v;)");
  std::map<std::string, unsigned> Words;
  for (const ptx::Register &R : M.Functions.at(0).Registers)
    Words[R.Name] = R.words();
  EXPECT_EQ(Words["%p1"], 0U);
  EXPECT_EQ(Words["%rs1"], 1U);
  EXPECT_EQ(Words["%f1"], 1U);
  EXPECT_EQ(Words["%rd1"], 2U);
  EXPECT_EQ(Words["%q"], 4U);
  EXPECT_EQ(Words["%v"], 4U);
}

ptx::Module modulesOf(llvm::ArrayRef<llvm::StringRef> Kernels) {
  std::string Text = ".version 8.0\n.target sm_90\n.address_size 64\n";
  for (llvm::StringRef Name : Kernels)
    Text += (".entry " + Name + "() { ret; }\n").str();
  return llvm::cantFail(ptx::readPtx(Text, "test"));
}

TEST(Ptx, KernelsThatNoOtherFileSeesHaveOtherNames) {
  // nvcc 13.0 and clang 22: static, static in a namespace, of a namespace
  // without a name, static and a template.
  ptx::Module M = modulesOf(
      {"_Z4rowsPKfPfii", "_ZN2ns1aEPf",
       "_ZN2ns38_GLOBAL__N__fe6b9ff8_8_names_cu__Z1hPf1bEPf", "_Z1sIfEvPT_"});
  for (auto [Clang, Index] :
       {std::pair("_ZL4rowsPKfPfii", 0), std::pair("_ZN2nsL1aEPf", 1),
        std::pair("_ZN2ns12_GLOBAL__N_11bEPf", 2), std::pair("_ZL1sIfEvPT_", 3),
        std::pair("_Z4rowsPKfPfii", 0)})
    EXPECT_EQ(M.findKernel(Clang), &M.Functions[Index]) << Clang;
  for (const char *Other : {"_ZL4rowsPKfPfi", "_ZN2nsL1bEPf", "rows", ""})
    EXPECT_EQ(M.findKernel(Other), nullptr) << Other;
  EXPECT_EQ(modulesOf({"_Z1kPf", "_ZL1kPf"}).findKernel("_ZN1kEPf"), nullptr)
      << "two of this name";
}

TEST(Ptx, VectorsAndPairsOfPredicatesAreDefined) {
  ptx::Module M = readKernel(R"(
    .reg .pred %p<3>; .reg .b32 %r<6>; .reg .b64 %rd<2>;
    mov.u64 %rd1, 0;
    ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1+16];
    setp.lt.s32 %p1|%p2, %r1, %r2;
    shfl.sync.down.b32 %r5|%p1, %r1, 1, 31, -1;
    st.global.v2.u32 [%rd1], {%r2, %r5};)");
  EXPECT_THAT(defined(M, 1), ElementsAre("%r1", "%r2", "%r3", "%r4"));
  EXPECT_THAT(used(M, 1), ElementsAre("%rd1"));
  EXPECT_THAT(defined(M, 2), ElementsAre("%p1", "%p2"));
  EXPECT_THAT(defined(M, 3), ElementsAre("%r5", "%p1"));
  EXPECT_THAT(defined(M, 4), IsEmpty());
  EXPECT_THAT(used(M, 4), ElementsAre("%rd1", "%r2", "%r5"));
}

TEST(Ptx, AGuardedDefinitionKeepsTheOldValue) {
  ptx::Module M = readKernel(R"(
    .reg .pred %p; .reg .b32 %r<3>;
    mov.u32 %r1, 1; setp.eq.u32 %p, %r1, 2;
    @!%p add.u32 %r1, %r1, 3;)");
  EXPECT_THAT(defined(M, 2), ElementsAre("%r1"));
  EXPECT_THAT(used(M, 2), ElementsAre("%r1", "%r1", "%p"));
}

TEST(Ptx, BranchesMakeBlocks) {
  ptx::Module M = readKernel(R"(
    .reg .pred %p; .reg .b32 %r;
    mov.u32 %r, 0;
  $L_loop:
    add.u32 %r, %r, 1; setp.lt.u32 %p, %r, 9;
    @%p bra $L_loop;
    bra.uni $L_end;
  $L_never:
    trap;
  $L_end:
    ret;)");
  const std::vector<ptx::Block> &B = M.Functions.at(0).Blocks;
  ASSERT_EQ(B.size(), 5U);
  EXPECT_THAT(B[0].Successors, ElementsAre(1));
  EXPECT_THAT(B[1].Successors, ElementsAre(1, 2));
  EXPECT_THAT(B[2].Successors, ElementsAre(4));
  EXPECT_THAT(B[3].Successors, IsEmpty());
  EXPECT_THAT(B[4].Successors, IsEmpty());
}

TEST(Ptx, AJumpTableReachesEachLabel) {
  ptx::Module M = readKernel(R"(
    .reg .b32 %r;
    mov.u32 %r, %tid.x;
    ts: .branchtargets A, B, A;
    brx.idx %r, ts;
  A: ret;
  B: ret;)");
  EXPECT_THAT(M.Functions.at(0).Blocks.at(0).Successors, ElementsAre(1, 2));
  EXPECT_THAT(used(M, 1), ElementsAre("%r"));
}

TEST(Ptx, CallsAndInlineAssemblyHaveScopesOfTheirOwn) {
  ptx::Module M = readKernel(R"(
    .reg .b32 %r<3>; .reg .b64 %rd<2>;
    mov.u32 %r1, 5; mov.u64 %rd1, 0;
    { // callseq 0, 0
    .param .b64 param0; st.param.b64 [param0+0], %rd1;
    .param .b32 retval0;
    call.uni (retval0), vprintf, (param0);
    ld.param.b32 %r2, [retval0+0];
    }
    // begin inline asm
    { .reg .pred p; .reg .u32 %r1; mov.u32 %r1, 3; setp.ne.u32 p, %r1, 0; }
    // end inline asm
    st.global.u32 [%rd1], %r1;)");
  const ptx::Function &F = M.Functions.at(0);
  EXPECT_EQ(F.Instructions.at(3).Callee, "vprintf");
  // %r1 inside the braces is another register than the one outside.
  EXPECT_NE(F.Instructions.at(5).Defines, F.Instructions.at(0).Defines);
  EXPECT_EQ(F.Instructions.at(7).Uses.at(1),
            F.Instructions.at(0).Defines.at(0));
}

TEST(Ptx, LinesAndInlining) {
  ptx::Module M = readKernel(R"(
    .reg .b32 %r;
    .loc 1 12 7
    mov.u32 %r, 1;
    .loc 2 3 4, function_name $L__info, inlined_at 1 20 9
    mov.u32 %r, 2;)",
                             R"(.file 1 "/src/a.cu"
    .file 2 "/src" "b.h")");
  const ptx::Function &F = M.Functions.at(0);
  EXPECT_EQ(F.Instructions.at(0).At, (ptx::Mark{1, 12, 7}));
  EXPECT_EQ(F.Instructions.at(0).InlinedAt, ptx::Mark());
  EXPECT_EQ(F.Instructions.at(1).At, (ptx::Mark{2, 3, 4}));
  EXPECT_EQ(F.Instructions.at(1).InlinedAt, (ptx::Mark{1, 20, 9}));
  EXPECT_EQ(M.fileName(1), "/src/a.cu");
  EXPECT_EQ(M.fileName(2), "/src/b.h");
  EXPECT_EQ(M.fileName(3), "");
}

TEST(Ptx, LaunchBoundsAndLocalMemory) {
  auto M = ptx::readPtx(".version 8.0\n.target sm_90a\n.address_size 64\n"
                        ".extern .func helper (.param .b32 a);\n"
                        ".visible .entry k(.param .u64 k_param_0)\n"
                        ".maxntid 16, 8, 1\n.minnctapersm 2\n"
                        "{ .local .align 8 .b8 depot[40]; ret; }",
                        "k.ptx");
  ASSERT_TRUE(!!M) << llvm::toString(M.takeError());
  ASSERT_EQ(M->Functions.size(), 1U);
  EXPECT_EQ(M->Target, "sm_90a");
  EXPECT_TRUE(M->Functions[0].IsEntry);
  EXPECT_EQ(M->Functions[0].MaxThreads, 128U);
  EXPECT_EQ(M->Functions[0].MinBlocks, 2U);
  EXPECT_EQ(M->Functions[0].LocalBytes, 40U);
}

TEST(Ptx, ErrorsHaveALine) {
  EXPECT_THAT(readError(".entry k() {\n  mov.u32 %r1, 1;\n}"),
              HasSubstr("k.ptx:2: the register %r1 is not declared"));
  EXPECT_THAT(readError(".entry k() {\n  bra $nowhere;\n}"),
              HasSubstr("k.ptx:2: there is no label $nowhere"));
  EXPECT_THAT(readError(".entry k() {\n  ret;\n"),
              HasSubstr("the text ends inside the function k"));
  EXPECT_THAT(readError(".entry k() {\n .reg .b32 %r<;\n}"),
              HasSubstr("a range of registers has no count"));
  EXPECT_THAT(readError(".entry k() {\n .reg .b32 %r;\n add.u32 %r, [%r;\n}"),
              HasSubstr("k.ptx:3: an instruction ends inside an operand"));
  EXPECT_THAT(readError("int main() {}"), HasSubstr("'int' is no PTX"));
  EXPECT_THAT(readError(std::string("\0\xff", 2)), HasSubstr("k.ptx:1:"));
}

TEST(Ptx, ARangeTooLargeToStoreCostsNothing) {
  ptx::Module M =
      readKernel(".reg .b32 %r<4000000000>;\n mov.u32 %r3999999999, 1;");
  EXPECT_EQ(M.Functions.at(0).Registers.size(), 1U);
}

// Whatever is cut off, the answer is an error or a module, and no crash.
TEST(Ptx, EveryPrefixIsAnswered) {
  std::string Text = R"(.version 8.0
.target sm_80, debug
.file 1 "a.cu"
.global .align 4 .b8 table[4] = {1, 2, 3, 4};
.visible .entry k(.param .u64 k_param_0)
.maxntid 128, 1, 1
{
  .reg .pred %p<2>; .reg .b32 %r<9>; .reg .b64 %rd<9>;
  .loc 1 3 4, function_name $L, inlined_at 1 2 3
  ld.param.u64 %rd1, [k_param_0];
$L__1: .pragma "nounroll";
  ld.global.v2.u32 {%r1, %r2}, [%rd1+8]; // comment
  { .param .b32 p0; st.param.b32 [p0], %r1; call f, (p0); }
  @%p1 bra $L__1; /* more */
  ts: .branchtargets $L__1, $L__2;
  brx.idx %r1, ts;
$L__2: ret;
}
.section .debug { .b8 1 })";
  for (size_t End = 0; End <= Text.size(); ++End) {
    auto M = ptx::readPtx(Text.substr(0, End), "cut.ptx");
    if (!M)
      EXPECT_THAT(llvm::toString(M.takeError()), HasSubstr("cut.ptx:"));
  }
  // The whole text is a module.
  auto M = ptx::readPtx(Text, "whole.ptx");
  EXPECT_TRUE(!!M) << llvm::toString(M.takeError());
}

} // namespace
