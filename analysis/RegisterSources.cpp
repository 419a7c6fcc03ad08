//===- RegisterSources.cpp - Who says what registers a kernel takes -------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/RegisterSources.h"
#include "analysis/InstructionCount.h"
#include "analysis/registers/Pressure.h"
#include "analysis/registers/Ptxas.h"
#include "analysis/source/DeviceCode.h"
#include "llvm/ADT/STLExtras.h"
#include <set>
#include <tuple>

using llvm::StringRef;

namespace catt {

std::string withoutBounds(StringRef Ptx) {
  std::string Out;
  while (!Ptx.empty()) {
    auto [Line, Rest] = Ptx.split('\n');
    StringRef Word = Line.ltrim();
    bool Bound = Word.starts_with(".maxntid") ||
                 Word.starts_with(".minnctapersm") ||
                 Word.starts_with(".maxnreg");
    Out += Bound ? "" : Line; // line numbers stay
    Out += '\n';
    Ptx = Rest;
  }
  return Out;
}

/// The variable that the instruction at a place gives a value to.
static std::string variableAt(const DeviceCode &Code, const Location &Where) {
  auto Key = std::tie(Where.File, Where.Line, Where.Column);
  auto It = llvm::lower_bound(Code.Variables, Key,
                              [](const VariablePlace &V, const auto &K) {
                                return std::tie(V.File, V.Line, V.Column) < K;
                              });
  if (It == Code.Variables.end() ||
      std::tie(It->File, It->Line, It->Column) != Key)
    return "";
  return It->Name;
}

/// PTX that says it has debug information spills more (564 instead of 420 bytes
/// for 96 values under a cap of 80), and may not ask for enable_smem_spilling.
static std::string withoutDebug(StringRef Ptx) {
  auto [Before, Rest] = Ptx.split("\n.target ");
  auto [Target, After] = Rest.split('\n');
  if (!Target.consume_back(", debug"))
    return Ptx.str();
  return (Before + "\n.target " + Target + "\n" + After).str();
}

static llvm::Expected<PtxasAnswer>
assemble(const TranslationUnit &Unit, const std::string &Ptx,
         const RegisterCaps &Caps, const RegisterSourceOptions &Options) {
  PtxasOptions P;
  P.Program = findPtxas(Unit.toolkit().Path);
  if (P.Program.empty())
    return llvm::createStringError(
        "--ptxas: there is no ptxas; give the toolkit with --cuda-path, or "
        "leave --ptxas out for an estimate");
  P.Architecture = Unit.architecture();
  P.CacheDirectory = ptxasCacheDirectory();
  P.Jobs = Options.Jobs;
  std::set<unsigned> All = {0};
  for (const auto &[Name, Each] : Caps)
    All.insert(Each.begin(), Each.end());
  return askPtxas(withoutDebug(Ptx),
                  std::vector<unsigned>(All.begin(), All.end()), P);
}

/// What ptxas measured goes before what was estimated.
static void prefer(const std::vector<RegisterPoint> &Measured,
                   RegisterUse &Use) {
  for (const RegisterPoint &P : Measured) {
    if (P.CapRegisters == 0)
      Use.Default = P;
    for (RegisterPoint &Old : Use.Caps)
      if (Old.CapRegisters == P.CapRegisters)
        Old = P;
  }
}

static llvm::Expected<RegisterAnswers>
answer(const TranslationUnit &Unit, const RegisterCaps &Caps,
       const RegisterSourceOptions &Options) {
  llvm::Expected<DeviceCode> Code = compileToPtx(Unit);
  if (!Code)
    return Code.takeError();
  bool Given = !Options.Ptx.empty();
  std::string Ptx = withoutBounds(Given ? Options.Ptx : Code->Ptx);
  llvm::Expected<ptx::Module> Module =
      ptx::readPtx(Ptx, Given ? Options.PtxName : "clang's PTX");
  if (!Module)
    return Module.takeError();
  auto Named = [&](const Location &Where) { return variableAt(*Code, Where); };
  PtxasAnswer Measured;
  if (Options.AskPtxas) {
    llvm::Expected<PtxasAnswer> A = assemble(Unit, Ptx, Caps, Options);
    if (!A)
      return A.takeError();
    Measured = std::move(*A);
  }
  RegisterAnswers Out;
  for (const auto &[Mangled, Name] : Code->Kernels) {
    const ptx::Function *F = Module->find(Mangled);
    auto Asked = Caps.find(Name);
    if (!F || Asked == Caps.end())
      continue;
    PressureOptions P;
    P.Caps = Asked->second;
    RegisterAnswer A{estimateRegisters(*Module, *F, P, Named),
                     countInstructions(*F)};
    if (auto M = Measured.find(Mangled); M != Measured.end())
      prefer(M->second, A.Use);
    Out[Name] = std::move(A);
  }
  return Out;
}

static llvm::Expected<std::map<std::string, RegisterPoint>>
measure(const TranslationUnit &Unit, const RegisterSourceOptions &Options,
        const std::map<std::string, std::string> &Texts,
        const std::map<std::string, unsigned> &Caps) {
  llvm::Expected<DeviceCode> Code = compileToPtx(Unit, Texts);
  if (!Code)
    return Code.takeError();
  RegisterCaps All;
  for (const auto &[Name, Cap] : Caps)
    All[Name] = {Cap};
  llvm::Expected<PtxasAnswer> Measured =
      assemble(Unit, Code->Ptx, All, Options);
  if (!Measured)
    return Measured.takeError();
  std::map<std::string, RegisterPoint> Out;
  for (const auto &[Mangled, Points] : *Measured)
    if (auto Name = Code->Kernels.find(Mangled); Name != Code->Kernels.end())
      for (const RegisterPoint &P : Points)
        if (auto Cap = Caps.find(Name->second);
            Cap != Caps.end() && Cap->second == P.CapRegisters)
          Out[Name->second] = P;
  return Out;
}

TextMeasure textMeasure(const TranslationUnit &Unit,
                        const RegisterSourceOptions &Options) {
  return [&Unit, Options](const std::map<std::string, std::string> &Texts,
                          const std::map<std::string, unsigned> &Caps) {
    return measure(Unit, Options, Texts, Caps);
  };
}

RegisterSource registerSource(const RegisterSourceOptions &Options) {
  return [Options](const TranslationUnit &Unit, const RegisterCaps &Caps) {
    return answer(Unit, Caps, Options);
  };
}

} // namespace catt
