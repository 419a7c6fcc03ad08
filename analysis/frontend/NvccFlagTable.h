//===- NvccFlagTable.h - The flags of nvcc ----------------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names and value forms follow `nvcc --help` of CUDA 13.0 and the manual "CUDA
// Compiler Driver NVCC", section 4.2.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_FRONTEND_NVCCFLAGTABLE_H
#define CATT_ANALYSIS_FRONTEND_NVCCFLAGTABLE_H

#include "llvm/ADT/StringRef.h"

namespace catt::nvcc {

using llvm::StringRef;

/// What becomes of an nvcc flag.
enum class Act : uint8_t {
  Drop,      ///< nothing
  DropValue, ///< nothing, nor of its value
  Joined,    ///< a list: one clang flag for each, its spelling in front
  Define,    ///< a macro that nvcc defines
  Arch,
  Code,
  Gencode,
  Language,
  Host, ///< for the host compiler: unwrapped
  RelocatableCode,
  RelocatableIf, ///< -rdc=true
  DefaultStream,
  FastMath,
  FlushDenormals,
  FusedMultiplyAdd,
  ApproximateDivision,
  ApproximateRoot,
  MaxRegisters,
  Ptxas,
  HostCompiler,
  Optimize,
  Standard,
  WarningsAsErrors,
};

struct Flag {
  StringRef Long, Short; ///< without dashes
  Act Does;
  StringRef Gives = ""; ///< clang's spelling, or the macro
};

/// True if the flag takes a value, after `=` or in the next word.
constexpr bool takesValue(Act A) {
  switch (A) {
  case Act::Drop:
  case Act::Define:
  case Act::RelocatableCode:
  case Act::FastMath:
  case Act::WarningsAsErrors:
    return false;
  default:
    return true;
  }
}

// One row for each flag: the lines stay lines.
// clang-format off
inline constexpr Flag Flags[] = {
    {"gpu-architecture", "arch", Act::Arch},
    {"gpu-code", "code", Act::Code},
    {"generate-code", "gencode", Act::Gencode},
    {"x", "x", Act::Language},
    {"compiler-options", "Xcompiler", Act::Host},
    {"expt-relaxed-constexpr", "expt-relaxed-constexpr", Act::Define, "__CUDACC_RELAXED_CONSTEXPR__"},
    {"extended-lambda", "extended-lambda", Act::Define, "__CUDACC_EXTENDED_LAMBDA__"},
    {"expt-extended-lambda", "expt-extended-lambda", Act::Define, "__CUDACC_EXTENDED_LAMBDA__"},
    {"extensible-whole-program", "ewp", Act::Define, "__CUDACC_EWP__"},
    {"device-debug", "G", Act::Define, "__CUDACC_DEBUG__"},
    {"relocatable-device-code", "rdc", Act::RelocatableIf},
    {"device-c", "dc", Act::RelocatableCode},
    {"device-w", "dw", Act::Drop},
    {"dlink-time-opt", "dlto", Act::RelocatableCode},
    {"default-stream", "default-stream", Act::DefaultStream},
    {"use_fast_math", "use_fast_math", Act::FastMath},
    {"ftz", "ftz", Act::FlushDenormals},
    {"fmad", "fmad", Act::FusedMultiplyAdd},
    {"prec-div", "prec-div", Act::ApproximateDivision},
    {"prec-sqrt", "prec-sqrt", Act::ApproximateRoot},
    {"maxrregcount", "maxrregcount", Act::MaxRegisters},
    {"ptxas-options", "Xptxas", Act::Ptxas},
    {"compiler-bindir", "ccbin", Act::HostCompiler},
    {"include-path", "I", Act::Joined, "-I"},
    {"system-include", "isystem", Act::Joined, "-isystem"},
    {"pre-include", "include", Act::Joined, "-include"},
    {"define-macro", "D", Act::Joined, "-D"},
    {"undefine-macro", "U", Act::Joined, "-U"},
    {"optimize", "O", Act::Optimize},
    {"std", "std", Act::Standard},
    {"Werror", "Werror", Act::WarningsAsErrors},

    {"output-file", "o", Act::DropValue},
    {"output-directory", "odir", Act::DropValue},
    {"library", "l", Act::DropValue},
    {"library-path", "L", Act::DropValue},
    {"machine", "m", Act::DropValue},
    {"linker-options", "Xlinker", Act::DropValue},
    {"archive-options", "Xarchive", Act::DropValue},
    {"nvlink-options", "Xnvlink", Act::DropValue},
    {"cudafe-options", "Xcudafe", Act::DropValue},
    {"fatbin-options", "Xfatbin", Act::DropValue},
    {"threads", "t", Act::DropValue},
    {"split-compile", "split-compile", Act::DropValue},
    {"split-compile-extended", "split-compile-extended", Act::DropValue},
    {"keep-dir", "keep-dir", Act::DropValue},
    {"diag-error", "diag-error", Act::DropValue},
    {"diag-suppress", "diag-suppress", Act::DropValue},
    {"diag-warn", "diag-warn", Act::DropValue},
    {"cudart", "cudart", Act::DropValue},
    {"cudadevrt", "cudadevrt", Act::DropValue},
    {"libdevice-directory", "ldir", Act::DropValue},
    {"target-directory", "target-dir", Act::DropValue},
    {"archiver-binary", "arbin", Act::DropValue},
    {"time", "time", Act::DropValue},
    {"fdevice-time-trace", "fdevice-time-trace", Act::DropValue},
    {"compress-mode", "compress-mode", Act::DropValue},
    {"opt-info", "opt-info", Act::DropValue},
    {"optimization-info", "opt-info", Act::DropValue},
    {"Ofast-compile", "Ofc", Act::DropValue},
    {"dopt", "dopt", Act::DropValue},
    {"entries", "e", Act::DropValue},
    {"dependency-output", "MF", Act::DropValue},
    {"dependency-target-name", "MT", Act::DropValue},
    {"dependency-target-name-quoted", "MQ", Act::DropValue},
    {"run-args", "run-args", Act::DropValue},
    {"input-drive-prefix", "idp", Act::DropValue},
    {"dependency-drive-prefix", "ddp", Act::DropValue},
    {"drive-prefix", "dp", Act::DropValue},
    {"qpp-config", "qpp-config", Act::DropValue},
    {"host-linker-script", "hls", Act::DropValue},
    {"brief-diagnostics", "brief-diag", Act::DropValue},
    {"jump-table-density", "jtd", Act::DropValue},
    {"device-stack-protector", "device-stack-protector", Act::DropValue},
    {"static-global-template-stub", "static-global-template-stub", Act::DropValue},
    {"device-entity-has-hidden-visibility", "device-entity-has-hidden-visibility", Act::DropValue},
    {"frandom-seed", "frandom-seed", Act::DropValue},
    {"sanitize", "sanitize", Act::DropValue},

    {"cuda", "cuda", Act::Drop},
    {"cubin", "cubin", Act::Drop},
    {"fatbin", "fatbin", Act::Drop},
    {"ptx", "ptx", Act::Drop},
    {"optix-ir", "optix-ir", Act::Drop},
    {"ltoir", "ltoir", Act::Drop},
    {"lto", "lto", Act::Drop},
    {"gen-opt-lto", "gen-opt-lto", Act::Drop},
    {"preprocess", "E", Act::Drop},
    {"compile", "c", Act::Drop},
    {"device-link", "dlink", Act::Drop},
    {"link", "link", Act::Drop},
    {"lib", "lib", Act::Drop},
    {"run", "run", Act::Drop},
    {"generate-dependencies", "M", Act::Drop},
    {"generate-nonsystem-dependencies", "MM", Act::Drop},
    {"generate-dependencies-with-compile", "MD", Act::Drop},
    {"generate-nonsystem-dependencies-with-compile", "MMD", Act::Drop},
    {"generate-dependency-targets", "MP", Act::Drop},
    {"objdir-as-tempdir", "objtemp", Act::Drop},
    {"profile", "pg", Act::Drop},
    {"debug", "g", Act::Drop},
    {"generate-line-info", "lineinfo", Act::Drop},
    {"m64", "m64", Act::Drop},
    {"shared", "shared", Act::Drop},
    {"no-host-device-initializer-list", "nohdinitlist", Act::Drop},
    {"no-host-device-move-forward", "nohdmoveforward", Act::Drop},
    {"allow-unsupported-compiler", "allow-unsupported-compiler", Act::Drop},
    {"forward-unknown-to-host-compiler", "forward-unknown-to-host-compiler", Act::Drop},
    {"forward-unknown-to-host-linker", "forward-unknown-to-host-linker", Act::Drop},
    {"forward-unknown-opts", "forward-unknown-opts", Act::Drop},
    {"dont-use-profile", "noprof", Act::Drop},
    {"use-local-env", "use-local-env", Act::Drop},
    {"force-cl-env-setup", "force-cl-env-setup", Act::Drop},
    {"dryrun", "dryrun", Act::Drop},
    {"verbose", "v", Act::Drop},
    {"fdevice-syntax-only", "fdevice-syntax-only", Act::Drop},
    {"keep", "keep", Act::Drop},
    {"save-temps", "save-temps", Act::Drop},
    {"clean-targets", "clean", Act::Drop},
    {"no-align-double", "no-align-double", Act::Drop},
    {"no-device-link", "nodlink", Act::Drop},
    {"extra-device-vectorization", "extra-device-vectorization", Act::Drop},
    {"disable-warnings", "w", Act::Drop},
    {"keep-device-functions", "keep-device-functions", Act::Drop},
    {"source-in-ptx", "src-in-ptx", Act::Drop},
    {"restrict", "restrict", Act::Drop},
    {"Wreorder", "Wreorder", Act::Drop},
    {"Wdefault-stream-launch", "Wdefault-stream-launch", Act::Drop},
    {"Wmissing-launch-bounds", "Wmissing-launch-bounds", Act::Drop},
    {"Wext-lambda-captures-this", "Wext-lambda-captures-this", Act::Drop},
    {"Wno-deprecated-gpu-targets", "Wno-deprecated-gpu-targets", Act::Drop},
    {"resource-usage", "res-usage", Act::Drop},
    {"no-compress", "no-compress", Act::Drop},
    {"compile-as-tools-patch", "astoolspatch", Act::Drop},
    {"list-gpu-code", "code-ls", Act::Drop},
    {"list-gpu-arch", "arch-ls", Act::Drop},
    {"display-error-number", "err-no", Act::Drop},
    {"no-display-error-number", "no-err-no", Act::Drop},
    {"augment-host-linker-script", "aug-hls", Act::Drop},
    {"relocatable-link", "r", Act::Drop},
    {"relocatable-ptx", "reloc-ptx", Act::Drop},
    {"jobserver", "jobserver", Act::Drop},
    {"stdpar", "stdpar", Act::Drop},
    {"help", "h", Act::Drop},
    {"version", "V", Act::Drop},
};
// clang-format on

} // namespace catt::nvcc

#endif
