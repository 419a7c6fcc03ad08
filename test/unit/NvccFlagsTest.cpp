//===- NvccFlagsTest.cpp - nvcc's command line, in clang's words ----------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One test for each row of the table in docs/cuda-support.md, then one for each
// flag that clang would misread in silence. `flags("-G x")` is what becomes of
// the command `nvcc -G x -c a.cu -o a.o`, without the compiler's name.
//
//===----------------------------------------------------------------------===//
#include "analysis/frontend/NvccFlags.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/StringSaver.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace catt;
using llvm::StringRef;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

namespace {

using Strings = std::vector<std::string>;

Strings words(StringRef Text) {
  llvm::BumpPtrAllocator Memory;
  llvm::StringSaver Saver(Memory);
  llvm::SmallVector<const char *, 16> Tokens;
  llvm::cl::TokenizeGNUCommandLine(Text, Saver, Tokens);
  return Strings(Tokens.begin(), Tokens.end());
}

/// Files that commands can name.
llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> files() {
  auto Files = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  auto Add = [&](StringRef Path, StringRef Text) {
    Files->addFile(Path, 0, llvm::MemoryBuffer::getMemBufferCopy(Text));
  };
  Add("/build/a.rsp", "-Iinc -DFROM=\"a b\"");
  Add("/build/sub/b.rsp", "-DB");
  Add("/build/outer.rsp", "@sub/b.rsp -DOUTER");
  Add("/build/loop.rsp", "@loop.rsp");
  Add("/usr/lib/gcc/x86_64-linux-gnu/12/include/omp.h", "");
  Add("/opt/gcc-13/lib/gcc/x86_64-linux-gnu/13/include/omp.h", "");
  return Files;
}

llvm::Expected<ClangCommand> translate(StringRef Command) {
  auto Files = files();
  return translateNvcc(words(Command), "/build", *Files);
}

ClangCommand nvcc(StringRef Flags) {
  auto C = translate(("nvcc " + Flags + " -c a.cu -o a.o").str());
  if (!C) {
    ADD_FAILURE() << llvm::toString(C.takeError());
    return ClangCommand();
  }
  return *C;
}

Strings flags(StringRef Flags) {
  Strings A = nvcc(Flags).Arguments;
  A.erase(A.begin());
  return A;
}

std::string architecture(StringRef Flags) {
  return nvcc(Flags).Architecture.value_or("none");
}

std::string errorOf(StringRef Command) {
  auto C = translate(Command);
  return C ? "no error" : llvm::toString(C.takeError());
}

//===-- Architecture -----------------------------------------------------===//

TEST(NvccArchitecture, OneNameInEachForm) {
  EXPECT_EQ(architecture("-arch sm_90"), "sm_90");
  EXPECT_EQ(architecture("-arch=sm_90"), "sm_90");
  EXPECT_EQ(architecture("--gpu-architecture sm_86"), "sm_86");
  EXPECT_EQ(architecture("--gpu-architecture=compute_86"), "sm_86");
  EXPECT_THAT(flags("-arch=sm_90 -code=sm_90"), IsEmpty());
}

TEST(NvccArchitecture, GencodeForms) {
  EXPECT_EQ(architecture("-gencode arch=compute_80,code=sm_80"), "sm_80");
  EXPECT_EQ(architecture("-gencode=arch=compute_80,code=sm_80"), "sm_80");
  EXPECT_EQ(architecture("--generate-code arch=compute_80,code=sm_80"),
            "sm_80");
  EXPECT_EQ(architecture("--generate-code=arch=compute_80,code=[compute_80,"
                         "sm_80]"),
            "sm_80");
  EXPECT_EQ(architecture("'-gencode=arch=compute_80,code=\"sm_80,sm_86\"'"),
            "sm_80");
  EXPECT_THAT(flags("-gencode arch=compute_80,code=[sm_80,compute_80]"),
              IsEmpty());
}

TEST(NvccArchitecture, HighestOfSeveral) {
  EXPECT_EQ(architecture("-gencode arch=compute_90,code=sm_90 "
                         "-gencode arch=compute_75,code=sm_75"),
            "sm_90");
  EXPECT_EQ(architecture("-gencode arch=compute_90,code=sm_90 "
                         "-gencode arch=compute_90a,code=sm_90a"),
            "sm_90a");
  EXPECT_EQ(architecture("-gencode arch=compute_100,code=sm_100 "
                         "-gencode arch=compute_90,code=sm_90"),
            "sm_100");
}

TEST(NvccArchitecture, VirtualDecidesNotReal) {
  // __CUDA_ARCH__ is 750 in this code, wherever it runs.
  EXPECT_EQ(architecture("-arch=compute_75 -code=sm_80,sm_86"), "sm_75");
  EXPECT_EQ(architecture("-gencode arch=compute_75,code=sm_90"), "sm_75");
}

TEST(NvccArchitecture, CodeAloneCounts) {
  EXPECT_EQ(architecture("-code=sm_80,sm_86"), "sm_86");
  EXPECT_EQ(architecture("--gpu-code sm_80"), "sm_80");
}

TEST(NvccArchitecture, Native) {
  EXPECT_EQ(architecture("-arch=native"), "native");
  EXPECT_EQ(architecture("-arch native"), "native");
}

TEST(NvccArchitecture, AllIsTheHighestThatClangKnows) {
  std::string All = architecture("-arch=all");
  EXPECT_EQ(All, architecture("-arch=all-major"));
  EXPECT_EQ(All.rfind("sm_1", 0), 0u) << All; // sm_1xx
}

TEST(NvccArchitecture, UnknownFallsBackAndSaysSo) {
  ClangCommand C = nvcc("-arch=sm_99");
  EXPECT_EQ(C.Architecture, "sm_90");
  EXPECT_THAT(C.Notes, ElementsAre(HasSubstr("'sm_99'")));
}

TEST(NvccArchitecture, NonsenseIsIgnoredAndSaidSo) {
  ClangCommand C = nvcc("-arch=turing");
  EXPECT_EQ(C.Architecture, std::nullopt);
  EXPECT_THAT(C.Notes, ElementsAre(HasSubstr("'turing'")));
}

TEST(NvccArchitecture, NoneAsked) { EXPECT_EQ(architecture("-O3"), "none"); }

//===-- Response files ---------------------------------------------------===//

TEST(NvccResponseFiles, EachForm) {
  Strings Expected = {"-Iinc", "-DFROM=a b"};
  for (StringRef Form :
       {"--options-file a.rsp", "--options-file=a.rsp", "-optf a.rsp",
        "-optf=a.rsp", "@a.rsp", "@/build/a.rsp"})
    EXPECT_EQ(flags(Form), Expected) << Form.str();
}

TEST(NvccResponseFiles, Lists) {
  EXPECT_THAT(flags("--options-file a.rsp,sub/b.rsp"),
              ElementsAre("-Iinc", "-DFROM=a b", "-DB"));
}

TEST(NvccResponseFiles, NestedOnesAreRelativeToTheCommand) {
  EXPECT_THAT(flags("@outer.rsp"), ElementsAre("-DB", "-DOUTER"));
}

TEST(NvccResponseFiles, MissingIsAnErrorThatNamesIt) {
  EXPECT_THAT(errorOf("nvcc --options-file none.rsp -c a.cu"),
              AllOf(HasSubstr("/build/none.rsp"), HasSubstr("response file")));
}

TEST(NvccResponseFiles, EndlessIsAnError) {
  EXPECT_THAT(errorOf("nvcc @loop.rsp"), HasSubstr("includes itself"));
}

TEST(NvccResponseFiles, NameMissing) {
  EXPECT_THAT(errorOf("nvcc a.cu --options-file"), HasSubstr("file name"));
}

//===-- Translated -------------------------------------------------------===//

TEST(NvccFlags, Language) {
  EXPECT_THAT(flags("-x cu"), ElementsAre("-x", "cuda"));
  EXPECT_THAT(flags("-x=cu"), ElementsAre("-x", "cuda"));
  EXPECT_THAT(flags("--x cu"), ElementsAre("-x", "cuda"));
  EXPECT_THAT(flags("-x c++"), IsEmpty());
}

TEST(NvccFlags, HostFlagsAreUnwrapped) {
  Strings Expected = {"-fPIC", "-DA"};
  for (StringRef Form :
       {"-Xcompiler -fPIC,-DA", "-Xcompiler=-fPIC,-DA",
        "--compiler-options -fPIC,-DA", "--compiler-options=-fPIC,-DA",
        "-Xcompiler '-fPIC -DA'", "-Xcompiler -fPIC -Xcompiler -DA"})
    EXPECT_EQ(flags(Form), Expected) << Form.str();
}

TEST(NvccFlags, HostFlagsWithCommas) {
  EXPECT_THAT(flags("-Xcompiler '\"-DX=a,b\",-DY'"),
              ElementsAre("-DX=a,b", "-DY"));
  EXPECT_THAT(flags("-Xcompiler '-DX=a\\\\,b'"), ElementsAre("-DX=a,b"));
}

TEST(NvccFlags, HostFlagsThatBreakAParseAreDropped) {
  EXPECT_THAT(flags("-Xcompiler -c,-o,x.o,-MD,-MF,x.d,-lm"), IsEmpty());
}

TEST(NvccFlags, HostFlagsThatClangDoesNotKnow) {
  ClangCommand C = nvcc("-Xcompiler -fgcc-only-thing");
  EXPECT_THAT(C.Arguments, ElementsAre("clang++"));
  EXPECT_THAT(C.Notes, ElementsAre(HasSubstr("'-fgcc-only-thing'")));
}

TEST(NvccFlags, Macros) {
  for (StringRef Form : {"--expt-relaxed-constexpr", "-expt-relaxed-constexpr"})
    EXPECT_THAT(flags(Form), ElementsAre("-D__CUDACC_RELAXED_CONSTEXPR__"));
  for (StringRef Form : {"--extended-lambda", "-extended-lambda",
                         "--expt-extended-lambda", "-expt-extended-lambda"})
    EXPECT_THAT(flags(Form), ElementsAre("-D__CUDACC_EXTENDED_LAMBDA__"));
  for (StringRef Form : {"-ewp", "--extensible-whole-program"})
    EXPECT_THAT(flags(Form), ElementsAre("-D__CUDACC_EWP__"));
  for (StringRef Form : {"-G", "--device-debug"})
    EXPECT_THAT(flags(Form), ElementsAre("-D__CUDACC_DEBUG__"));
}

TEST(NvccFlags, RelocatableCode) {
  for (StringRef Form :
       {"-rdc=true", "-rdc true", "--relocatable-device-code=true",
        "--relocatable-device-code true", "-dc", "--device-c", "-dlto",
        "--dlink-time-opt"})
    EXPECT_THAT(flags(Form), ElementsAre("-fgpu-rdc", "-D__CUDACC_RDC__"))
        << Form.str();
  EXPECT_THAT(flags("-rdc=false"), IsEmpty());
}

TEST(NvccFlags, DefaultStream) {
  for (StringRef Form :
       {"-default-stream per-thread", "--default-stream=per-thread"})
    EXPECT_THAT(flags(Form),
                ElementsAre("-fgpu-default-stream=per-thread",
                            "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1"));
  EXPECT_THAT(flags("-default-stream=legacy"), IsEmpty());
  EXPECT_THAT(flags("--default-stream null"), IsEmpty());
}

TEST(NvccFlags, FastMathIsApproximatedAndSaidSo) {
  for (StringRef Form : {"-use_fast_math", "--use_fast_math"}) {
    ClangCommand C = nvcc(Form);
    EXPECT_THAT(C.Arguments,
                ElementsAre("clang++", "-fgpu-approx-transcendentals",
                            "-fgpu-flush-denormals-to-zero",
                            "-ffp-contract=fast", "-freciprocal-math"));
    EXPECT_THAT(C.Notes, ElementsAre(HasSubstr("use_fast_math: approx")));
  }
}

TEST(NvccFlags, FloatingPointModes) {
  EXPECT_THAT(flags("-ftz=true"), ElementsAre("-fgpu-flush-denormals-to-zero"));
  EXPECT_THAT(flags("--ftz false"),
              ElementsAre("-fno-gpu-flush-denormals-to-zero"));
  EXPECT_THAT(flags("-fmad=false"), ElementsAre("-ffp-contract=off"));
  EXPECT_THAT(flags("--fmad true"), ElementsAre("-ffp-contract=fast"));
  EXPECT_THAT(nvcc("-fmad=false").Notes, ElementsAre(HasSubstr("-fmad")));
  EXPECT_THAT(nvcc("-prec-div=false --prec-sqrt=false").Notes,
              ElementsAre(HasSubstr("prec-div"), HasSubstr("prec-sqrt")));
  EXPECT_THAT(flags("-prec-div=false"), ElementsAre("-freciprocal-math"));
  EXPECT_THAT(flags("-prec-sqrt=false"), IsEmpty());
  EXPECT_THAT(nvcc("-prec-div=true").Notes, IsEmpty());
  EXPECT_THAT(flags("-prec-div=true"), IsEmpty());
}

TEST(NvccFlags, Registers) {
  for (StringRef Form : {"-maxrregcount 48", "-maxrregcount=48",
                         "--maxrregcount 48", "--maxrregcount=48"}) {
    ClangCommand C = nvcc(Form);
    EXPECT_EQ(C.MaxRegisters, 48) << Form.str();
    EXPECT_THAT(C.Arguments, ElementsAre("clang++"));
  }
  EXPECT_EQ(nvcc("-O3").MaxRegisters, std::nullopt);
  EXPECT_THAT(errorOf("nvcc -maxrregcount many a.cu"), HasSubstr("'-maxrreg"));
}

TEST(NvccFlags, Ptxas) {
  for (StringRef Form : {"-Xptxas -v,-O2", "-Xptxas=-v,-O2",
                         "--ptxas-options -v,-O2", "--ptxas-options=-v,-O2",
                         "-Xptxas '-v -O2'", "-Xptxas -v -Xptxas -O2"}) {
    ClangCommand C = nvcc(Form);
    EXPECT_THAT(C.PtxasOptions, ElementsAre("-v", "-O2")) << Form.str();
    EXPECT_THAT(C.Arguments, ElementsAre("clang++"));
  }
}

TEST(NvccFlags, IncludesAndMacros) {
  for (StringRef Form : {"-I a,b", "-Ia,b", "-I=a,b", "--include-path a,b",
                         "--include-path=a,b", "-I a -I b"})
    EXPECT_THAT(flags(Form), ElementsAre("-Ia", "-Ib")) << Form.str();
  for (StringRef Form : {"-isystem a,b", "-isystem=a,b", "--system-include a,b",
                         "--system-include=a,b"})
    EXPECT_THAT(flags(Form), ElementsAre("-isystem", "a", "-isystem", "b"))
        << Form.str();
  for (StringRef Form : {"-include a.h,b.h", "-include=a.h,b.h",
                         "--pre-include a.h,b.h", "--pre-include=a.h,b.h"})
    EXPECT_THAT(flags(Form), ElementsAre("-include", "a.h", "-include", "b.h"))
        << Form.str();
  for (StringRef Form : {"-D A,B=1", "-DA,B=1", "-D=A,B=1",
                         "--define-macro A,B=1", "--define-macro=A,B=1"})
    EXPECT_THAT(flags(Form), ElementsAre("-DA", "-DB=1")) << Form.str();
  for (StringRef Form : {"-U A,B", "-UA,B", "-U=A,B", "--undefine-macro A,B",
                         "--undefine-macro=A,B"})
    EXPECT_THAT(flags(Form), ElementsAre("-UA", "-UB")) << Form.str();
}

TEST(NvccFlags, QuotedCommasStayTogether) {
  EXPECT_THAT(flags("'-DF=\"a,b\"'"), ElementsAre("-DF=\"a,b\""));
  EXPECT_THAT(flags("'-DA=\\\\,x'"), ElementsAre("-DA=,x"));
}

TEST(NvccFlags, ToolkitOfTheCompiler) {
  auto C = translate("/opt/cuda-12.4/bin/nvcc -c a.cu");
  ASSERT_TRUE(bool(C));
  EXPECT_EQ(C->CudaPath, "/opt/cuda-12.4");
  EXPECT_EQ(nvcc("").CudaPath, std::nullopt);
}

TEST(NvccFlags, LaunchersAreSteppedOver) {
  auto C = translate("/usr/bin/ccache /opt/cuda/bin/nvcc -lineinfo -c a.cu");
  ASSERT_TRUE(bool(C));
  EXPECT_EQ(C->CudaPath, "/opt/cuda");
  EXPECT_THAT(C->Arguments, ElementsAre("clang++"));
}

TEST(NvccFlags, HostCompiler) {
  for (StringRef Form :
       {"-ccbin g++-12", "-ccbin=/usr/bin/g++-12", "--compiler-bindir=gcc-12"})
    EXPECT_THAT(
        flags(Form),
        ElementsAre("--gcc-install-dir=/usr/lib/gcc/x86_64-linux-gnu/12"))
        << Form.str();
  for (StringRef Form :
       {"-ccbin /opt/gcc-13/bin", "-ccbin /opt/gcc-13/bin/g++"})
    EXPECT_THAT(flags(Form), ElementsAre("--gcc-toolchain=/opt/gcc-13"))
        << Form.str();
  EXPECT_THAT(flags("-ccbin g++"), IsEmpty());
  EXPECT_THAT(flags("-ccbin g++-99"), IsEmpty());
  EXPECT_THAT(nvcc("-ccbin /none/bin/g++").Notes,
              ElementsAre(HasSubstr("-ccbin /none/bin/g++")));
}

TEST(NvccFlags, Standard) {
  for (StringRef Form :
       {"-std=c++14", "-std c++14", "--std=c++14", "--std c++14"})
    EXPECT_THAT(flags(Form), ElementsAre("-std=c++14")) << Form.str();
}

TEST(NvccFlags, Optimization) {
  for (StringRef Form : {"-O3", "-O 3", "--optimize 3", "--optimize=3"})
    EXPECT_THAT(flags(Form), ElementsAre("-O3")) << Form.str();
}

//===-- Dropped ----------------------------------------------------------===//

class DroppedWithValue : public testing::TestWithParam<const char *> {};

TEST_P(DroppedWithValue, InBothForms) {
  std::string Flag = GetParam();
  // The word behind a flag that forgets its value would be an input or a
  // flag of its own.
  EXPECT_THAT(flags(Flag + " -DVALUE -DKEPT"), ElementsAre("-DKEPT"));
  EXPECT_THAT(flags(Flag + "=-DVALUE -DKEPT"), ElementsAre("-DKEPT"));
  EXPECT_THAT(nvcc(Flag + " value").Notes, IsEmpty());
  EXPECT_THAT(errorOf("nvcc a.cu " + Flag),
              HasSubstr("'" + Flag + "', which needs a value"));
}

INSTANTIATE_TEST_SUITE_P(
    Nvcc, DroppedWithValue,
    testing::Values(
        "-Xcudafe", "-Xfatbin", "-Xnvlink", "--nvlink-options", "-Xlinker",
        "--linker-options", "-Xarchive", "--archive-options", "-t", "--threads",
        "-split-compile", "--split-compile", "-keep-dir", "--keep-dir",
        "-diag-suppress", "--diag-suppress", "-diag-error", "--diag-error",
        "-diag-warn", "--diag-warn", "-cudart", "--cudart", "-cudadevrt",
        "--cudadevrt", "-time", "--time", "-odir", "--output-directory",
        "-compress-mode", "--compress-mode", "-o", "--output-file", "-MF",
        "--dependency-output", "-MT", "--dependency-target-name", "-MQ", "-l",
        "--library", "-L", "--library-path", "-m", "--machine", "-ldir",
        "-target-dir", "-arbin", "-opt-info", "-e", "--entries", "-dopt",
        "-Ofc", "-run-args", "-jtd", "-brief-diag", "-frandom-seed",
        "-sanitize", "-fdevice-time-trace"));

class DroppedPlain : public testing::TestWithParam<const char *> {};

TEST_P(DroppedPlain, LeavesTheNextWord) {
  std::string Flag = GetParam();
  EXPECT_THAT(flags(Flag + " -DNEXT"), ElementsAre("-DNEXT"));
  EXPECT_THAT(nvcc(Flag).Notes, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Nvcc, DroppedPlain,
    testing::Values(
        "-forward-unknown-to-host-compiler", "-forward-unknown-to-host-linker",
        "--forward-unknown-opts", "-allow-unsupported-compiler", "-lineinfo",
        "--generate-line-info", "-restrict", "--restrict", "-keep", "--keep",
        "-save-temps", "--save-temps", "-res-usage", "--resource-usage",
        "-src-in-ptx", "--source-in-ptx", "-ptx", "--ptx", "-cubin", "--cubin",
        "-fatbin", "--fatbin", "-dryrun", "--dryrun",
        "-extra-device-vectorization", "-nohdinitlist", "-no-compress",
        "--no-compress", "-stdpar", "-Wreorder", "-Wdefault-stream-launch",
        "-Wmissing-launch-bounds", "-Wext-lambda-captures-this",
        "-Wno-deprecated-gpu-targets", "-c", "--compile", "-E", "-M", "-MM",
        "-MD", "-MMD", "-MP", "-dlink", "-lib", "-link", "-run", "-shared",
        "-g", "--debug", "-pg", "-w", "-v", "-m64", "-lpthread", "-L/x", "-t4",
        "-noprof", "-clean", "-cuda", "--cuda", "-dw", "-err-no", "-V"));

TEST(NvccFlags, WarningsAsErrors) {
  EXPECT_THAT(flags("-Werror all-warnings -DNEXT"), ElementsAre("-DNEXT"));
  EXPECT_THAT(flags("-Werror=cross-execution-space-call -DNEXT"),
              ElementsAre("-DNEXT"));
  EXPECT_THAT(flags("-Werror reorder,default-stream-launch -DNEXT"),
              ElementsAre("-DNEXT"));
  // The host compiler's flag of the same name takes no value.
  EXPECT_THAT(flags("-Werror -DNEXT"), ElementsAre("-DNEXT"));
}

TEST(NvccFlags, UnknownToBothIsDroppedWithANote) {
  ClangCommand C = nvcc("--a-flag-of-tomorrow -DNEXT");
  EXPECT_THAT(C.Arguments, ElementsAre("clang++", "-DNEXT"));
  EXPECT_THAT(C.Notes, ElementsAre(HasSubstr("--a-flag-of-tomorrow")));
}

TEST(NvccFlags, InputsAreDropped) {
  EXPECT_THAT(flags("b.cu lib.a c.o -- d.cu"), IsEmpty());
}

//===-- What clang would misread in silence ------------------------------===//

TEST(NvccMisreadings, UseFastMathIsNoUndefinedSymbol) {
  EXPECT_THAT(flags("-use_fast_math"),
              Not(testing::Contains("-use_fast_math")));
}

TEST(NvccMisreadings, LineinfoIsNoLibrary) {
  EXPECT_THAT(flags("-lineinfo"), IsEmpty());
}

TEST(NvccMisreadings, DebugSwallowsNothing) {
  EXPECT_THAT(flags("-G -DNEXT"), ElementsAre("-D__CUDACC_DEBUG__", "-DNEXT"));
}

TEST(NvccMisreadings, IncludePathIsNoForcedInclude) {
  EXPECT_THAT(flags("--include-path=P"), ElementsAre("-IP"));
}

TEST(NvccMisreadings, EqualsIsNoSysroot) {
  EXPECT_THAT(flags("-I=inc"), ElementsAre("-Iinc"));
}

TEST(NvccMisreadings, EqualsIsNoMacroName) {
  EXPECT_THAT(flags("-D=X"), ElementsAre("-DX"));
  EXPECT_THAT(flags("-U=X"), ElementsAre("-UX"));
}

TEST(NvccMisreadings, TargetDirectoryIsNoTarget) {
  EXPECT_THAT(flags("-target-dir x86_64-linux"), IsEmpty());
}

TEST(NvccMisreadings, TimeTakesAFile) {
  EXPECT_THAT(flags("-time -DFILE"), IsEmpty());
}

TEST(NvccMisreadings, ExtensibleWholeProgramIsNoEntry) {
  // clang: -e wp, an entry point.
  EXPECT_THAT(flags("-ewp"), ElementsAre("-D__CUDACC_EWP__"));
}

TEST(NvccMisreadings, DeviceCodeIsNoDumpOption) {
  // clang: -d with letters dumps the preprocessor's state.
  EXPECT_THAT(flags("-dc"), ElementsAre("-fgpu-rdc", "-D__CUDACC_RDC__"));
  EXPECT_THAT(flags("-dw"), IsEmpty());
}

TEST(NvccMisreadings, MachineIsNoArchitectureFlag) {
  EXPECT_THAT(flags("-m 64"), IsEmpty());
  EXPECT_THAT(flags("-march=native"), ElementsAre("-march=native"));
}

TEST(NvccMisreadings, OutputInAnyForm) {
  EXPECT_THAT(flags("-o=x.o -odir=/tmp"), IsEmpty());
}

//===-- clang's commands -------------------------------------------------===//

Strings clang(StringRef Command) {
  auto C = translate(Command);
  if (!C) {
    ADD_FAILURE() << llvm::toString(C.takeError());
    return {};
  }
  return C->Arguments;
}

TEST(ClangCommands, PassUnchanged) {
  EXPECT_THAT(clang("/usr/bin/clang++-22 -std=gnu++20 -I inc -DA -O2 "
                    "-fgpu-rdc -Werror -iquote q a.cu"),
              ElementsAre("/usr/bin/clang++-22", "-std=gnu++20", "-I", "inc",
                          "-DA", "-O2", "-fgpu-rdc", "-Werror", "-iquote",
                          "q"));
}

TEST(ClangCommands, LoseWhatBreaksADeviceParse) {
  EXPECT_THAT(
      clang("clang++ -x cuda -c a.cu -o a.o -MD -MF a.d -MT a.o -MMD -MP "
            "--cuda-device-only --cuda-host-only -S -emit-llvm -lcudart "
            "-L/x -Wl,-rpath -Xlinker y -v -save-temps -fsyntax-only -DKEPT"),
      ElementsAre("clang++", "-DKEPT"));
}

TEST(ClangCommands, ArchitectureListsAndToolkit) {
  auto C = translate("clang++ --cuda-gpu-arch=sm_70 --offload-arch=sm_90,sm_80 "
                     "--cuda-path=/opt/cuda -Xcuda-ptxas -v a.cu");
  ASSERT_TRUE(bool(C));
  EXPECT_EQ(C->Architecture, "sm_90");
  EXPECT_EQ(C->CudaPath, "/opt/cuda");
  EXPECT_THAT(C->PtxasOptions, ElementsAre("-v"));
  EXPECT_THAT(C->Arguments, ElementsAre("clang++"));
}

TEST(ClangCommands, NvccNamesMeanWhatTheyMeanToClang) {
  // clang's -G takes a value.
  EXPECT_THAT(clang("clang++ -Ia,b a.cu"), ElementsAre("clang++", "-Ia,b"));
}

TEST(ClangCommands, BareFlagsTakeBothDialects) {
  EXPECT_THAT(clang("clang-tool -G -lineinfo -DX -iquote q -I a a.cu"),
              ElementsAre("clang++", "-D__CUDACC_DEBUG__", "-DX", "-iquote",
                          "q", "-Ia"));
}

//===-- Commands as build systems write them -----------------------------===//

TEST(BuildSystems, CMakeNinja) {
  auto C = translate(
      "/usr/local/cuda/bin/nvcc -forward-unknown-to-host-compiler "
      "-DAPP_EXPORTS -I/src/include -isystem=/ext -O3 -DNDEBUG -std=c++17 "
      "\"--generate-code=arch=compute_80,code=[compute_80,sm_80]\" "
      "\"--generate-code=arch=compute_90,code=[compute_90,sm_90]\" "
      "-Xcompiler=-fPIC -Wall -MD -MT a.o -MF a.o.d -x cu -rdc=true -c "
      "/src/a.cu -o a.o");
  ASSERT_TRUE(bool(C));
  EXPECT_THAT(C->Arguments,
              ElementsAre("clang++", "-DAPP_EXPORTS", "-I/src/include",
                          "-isystem", "/ext", "-O3", "-DNDEBUG", "-std=c++17",
                          "-fPIC", "-Wall", "-x", "cuda", "-fgpu-rdc",
                          "-D__CUDACC_RDC__"));
  EXPECT_EQ(C->Architecture, "sm_90");
  EXPECT_EQ(C->CudaPath, "/usr/local/cuda");
  EXPECT_THAT(C->Notes, IsEmpty());
}

TEST(BuildSystems, CMakeMakefiles) {
  auto C = translate("nvcc -forward-unknown-to-host-compiler --options-file "
                     "a.rsp -arch=native -x cu -c /src/a.cu -o a.o");
  ASSERT_TRUE(bool(C));
  EXPECT_THAT(C->Arguments,
              ElementsAre("clang++", "-Iinc", "-DFROM=a b", "-x", "cuda"));
  EXPECT_EQ(C->Architecture, "native");
}

TEST(BuildSystems, EmptyCommand) {
  auto Files = files();
  auto C = translateNvcc({}, "/build", *Files);
  ASSERT_FALSE(bool(C));
  EXPECT_THAT(llvm::toString(C.takeError()), HasSubstr("empty"));
}

} // namespace
