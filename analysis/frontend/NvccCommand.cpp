//===- NvccCommand.cpp - A parse, in nvcc's words -------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/frontend/NvccCommand.h"
#include "analysis/frontend/builtin/Builtin.h"
#include "clang/Basic/LangStandard.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Lex/HeaderSearchOptions.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;
using llvm::StringRef;

namespace catt {

/// Defined by nvcc itself, or by what stands in for it here.
static bool isOfCompiler(StringRef Macro) {
  return Macro.starts_with("__CUDA") || Macro.starts_with("__NV") ||
         Macro.starts_with("CUDA_API_PER_THREAD") ||
         Macro.starts_with("__CLANG");
}

static bool isOfSystem(StringRef Directory, const TranslationUnit &Unit) {
  StringRef Toolkit = Unit.toolkit().Path;
  return (!Toolkit.empty() && Directory.starts_with(Toolkit)) ||
         Directory.contains("/lib/clang/") || Directory.contains("/llvm-") ||
         Directory.contains("/lib/gcc/") ||
         Directory.contains("cuda_wrappers") ||
         Directory.starts_with(builtinRoot()) ||
         Directory.starts_with("/usr/include") ||
         Directory.starts_with("/usr/local/include") ||
         !Unit.files()->exists(Directory);
}

static std::string language(const CompilerInvocation &From) {
  LangStandard::Kind Kind = From.getLangOpts().LangStd;
  if (Kind == LangStandard::lang_unspecified)
    return "-std=c++17";
  StringRef Name = LangStandard::getLangStandardForKind(Kind).getName();
  Name = Name.substr(Name.find("++") + 2); // gnu++17 is c++17 for nvcc
  // The newest that nvcc 13.0 knows.
  return ("-std=c++" + (Name.starts_with("23") || Name.starts_with("2b") ||
                                Name.starts_with("26") || Name.starts_with("2c")
                            ? StringRef("20")
                            : Name))
      .str();
}

static std::string absolute(StringRef Path, const TranslationUnit &Unit) {
  llvm::SmallString<128> Whole(Path);
  (void)Unit.files()->makeAbsolute(Whole); // stays relative without one
  return std::string(Whole);
}

std::vector<std::string> flagsForNvcc(const TranslationUnit &Unit) {
  const CompilerInvocation &From = Unit.invocation();
  std::vector<std::string> Flags = {language(From)};
  for (const auto &[Macro, IsUndefined] : From.getPreprocessorOpts().Macros)
    if (!isOfCompiler(Macro))
      Flags.push_back((IsUndefined ? "-U" : "-D") + Macro);
  for (const HeaderSearchOptions::Entry &E :
       From.getHeaderSearchOpts().UserEntries) {
    if (isOfSystem(E.Path, Unit))
      continue;
    Flags.push_back(E.Group == frontend::System ? "-isystem" : "-I");
    Flags.push_back(absolute(E.Path, Unit));
  }
  for (const std::string &Header : From.getPreprocessorOpts().Includes)
    if (Unit.files()->exists(Header) && !isOfSystem(Header, Unit)) {
      Flags.push_back("-include");
      Flags.push_back(absolute(Header, Unit));
    }
  if (From.getLangOpts().GPUDeviceApproxTranscendentals)
    Flags.push_back("-use_fast_math");
  else if (From.getLangOpts().AllowRecip)
    Flags.push_back("-prec-div=false");
  if (From.getLangOpts().getDefaultFPContractMode() == LangOptions::FPM_Off)
    Flags.push_back("-fmad=false");
  return Flags;
}

} // namespace catt
