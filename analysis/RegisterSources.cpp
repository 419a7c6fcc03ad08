//===- RegisterSources.cpp - Who says what registers a kernel takes -------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/RegisterSources.h"
#include "analysis/InstructionCount.h"
#include "analysis/registers/Nvcc.h"
#include "analysis/registers/Pressure.h"
#include "analysis/registers/Ptxas.h"
#include "analysis/source/DeviceCode.h"
#include "analysis/source/NvccCommand.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"
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

namespace {
/// What the assembler was asked about, and its answer.
struct Assembled {
  std::string Ptx;
  ptx::Module Module;
  PtxasAnswer Points;
  std::string Note; ///< why this is not what a build would have
};
} // namespace

using TextMap = std::map<std::string, std::string>;

/// The file as nvcc compiles it, with its text in Texts if that has one; where
/// there is no nvcc, or it does not accept the file, Otherwise with a note.
static std::string ptxOfBuild(const TranslationUnit &Unit, const TextMap &Texts,
                              const std::string &Ptxas, std::string Otherwise,
                              std::string &Note) {
  NvccOptions O;
  O.Program = nvccBeside(Ptxas);
  if (O.Program.empty()) {
    Note = "ptxas was asked about clang's code: there is no nvcc beside it";
    return Otherwise;
  }
  O.Architecture = Unit.architecture();
  O.Flags = flagsForNvcc(Unit);
  O.Directory = llvm::sys::path::parent_path(Unit.mainFile());
  auto OnDisk = Unit.files()->getBufferForFile(Unit.mainFile());
  StringRef Text = OnDisk ? (*OnDisk)->getBuffer() : "";
  if (auto New = Texts.find(Unit.mainFile()); New != Texts.end())
    Text = New->second;
  llvm::Expected<std::string> Ptx = compileWithNvcc(Text, O);
  if (Ptx)
    return std::move(*Ptx);
  Note =
      "ptxas was asked about clang's code: " + llvm::toString(Ptx.takeError());
  return Otherwise;
}

/// Asks about Question; where that is clang's code, about nvcc's instead.
static llvm::Expected<Assembled>
assemble(const TranslationUnit &Unit, const TextMap &Texts,
         const std::string &Question, bool OfClang, bool WithBounds,
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
  Assembled A;
  A.Ptx = withoutDebug(
      OfClang ? ptxOfBuild(Unit, Texts, P.Program, Question, A.Note)
              : Question);
  if (!WithBounds)
    A.Ptx = withoutBounds(A.Ptx);
  llvm::Expected<ptx::Module> Module = ptx::readPtx(A.Ptx, "nvcc's PTX");
  if (!Module)
    return Module.takeError();
  A.Module = std::move(*Module);
  llvm::Expected<PtxasAnswer> Points =
      askPtxas(A.Ptx, std::vector<unsigned>(All.begin(), All.end()), P);
  if (!Points)
    return Points.takeError();
  A.Points = std::move(*Points);
  return A;
}

/// The kernel that clang names Mangled. nvcc puts words of its own before the
/// name of a kernel that no other file sees.
static const ptx::Function *kernelOf(const ptx::Module &M,
                                     const std::string &Mangled) {
  if (const ptx::Function *F = M.find(Mangled))
    return F;
  const ptx::Function *Found = nullptr;
  for (const ptx::Function &F : M.Functions)
    if (F.IsEntry && StringRef(F.Name).ends_with(Mangled)) {
      if (Found)
        return nullptr;
      Found = &F;
    }
  return Found;
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
  std::optional<Assembled> Measured;
  if (Options.AskPtxas) {
    llvm::Expected<Assembled> A = assemble(Unit, {}, Ptx, !Given,
                                           /*WithBounds=*/false, Caps, Options);
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
    RegisterUse Use = estimateRegisters(*Module, *F, P, Named);
    if (const ptx::Function *Own =
            Measured ? kernelOf(Measured->Module, Mangled) : nullptr) {
      prefer(Measured->Points[Own->Name], Use);
      F = Own;
    }
    if (Measured && !Measured->Note.empty())
      Use.Notes.push_back(Measured->Note);
    std::vector<unsigned> Registers = {Use.Default.Registers};
    for (const RegisterPoint &Point : Use.Caps)
      Registers.push_back(Point.Registers);
    Out[Name] = {std::move(Use), countInstructions(*F, Registers)};
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
  llvm::Expected<Assembled> Measured =
      assemble(Unit, Texts, Code->Ptx, /*OfClang=*/true, /*WithBounds=*/true,
               All, Options);
  if (!Measured)
    return Measured.takeError();
  std::map<std::string, RegisterPoint> Out;
  for (const auto &[Mangled, Name] : Code->Kernels) {
    const ptx::Function *F = kernelOf(Measured->Module, Mangled);
    auto Cap = Caps.find(Name);
    if (!F || Cap == Caps.end())
      continue;
    for (const RegisterPoint &P : Measured->Points[F->Name])
      if (Cap->second == P.CapRegisters)
        Out[Name] = P;
  }
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
