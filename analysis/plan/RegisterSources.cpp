//===- RegisterSources.cpp - Who says what registers a kernel takes -------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/RegisterSources.h"
#include "analysis/frontend/NvccCommand.h"
#include "analysis/plan/occupancy/InstructionCount.h"
#include "analysis/registers/MachineCode.h"
#include "analysis/registers/Nvcc.h"
#include "analysis/registers/Pressure.h"
#include "analysis/registers/Ptxas.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Demangle/Demangle.h"
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

using TextMap = std::map<std::string, std::string>;

namespace {
/// What it was asked about, and its answer.
struct Assembled {
  ptx::Module Module;
  /// By mangled name, in the order of the caps.
  std::map<std::string, std::vector<RegisterPoint>> Points;
  std::string Note;
};

/// Clang's code of a file with other texts.
using Fallback = llvm::function_ref<llvm::Expected<std::string>(size_t Text)>;
} // namespace

static NvccOptions nvccFor(const TranslationUnit &Unit, unsigned Jobs) {
  NvccOptions O;
  O.Program = nvccBeside(findPtxas(Unit.toolkit().Path));
  O.Architecture = Unit.architecture();
  O.Flags = flagsForNvcc(Unit);
  O.Directory = llvm::sys::path::parent_path(Unit.mainFile());
  O.Jobs = Jobs;
  return O;
}

/// The main file in each of the texts, or as it is.
static std::vector<std::string> mainTexts(const TranslationUnit &Unit,
                                          llvm::ArrayRef<TextMap> Texts) {
  auto OnDisk = Unit.files()->getBufferForFile(Unit.mainFile());
  std::vector<std::string> Mains;
  for (const TextMap &Each : Texts) {
    auto New = Each.find(Unit.mainFile());
    Mains.push_back(New != Each.end() ? New->second
                    : OnDisk          ? (*OnDisk)->getBuffer().str()
                                      : "");
  }
  return Mains;
}

/// Texts of the file as nvcc compiles them; where there is no nvcc, or it does
/// not accept one, clang's code with a note.
static llvm::Expected<std::vector<PtxText>>
ptxOfBuild(const TranslationUnit &Unit, llvm::ArrayRef<TextMap> Texts,
           const RegisterSourceOptions &Options, Fallback Clangs) {
  const NvccOptions O = nvccFor(Unit, Options.Jobs);
  const std::vector<std::string> Mains = mainTexts(Unit, Texts);
  std::vector<NvccResult> Compiled(Texts.size(),
                                   {"", "there is no nvcc beside it"});
  if (!O.Program.empty())
    Compiled = compileWithNvcc(Mains, O);
  std::vector<PtxText> Out;
  for (size_t I = 0; I < Texts.size(); ++I) {
    if (Compiled[I].Error.empty()) {
      Out.push_back({std::move(Compiled[I].Ptx), "nvcc's PTX", ""});
      continue;
    }
    llvm::Expected<std::string> Ptx = Clangs(I);
    if (!Ptx)
      return Ptx.takeError();
    Out.push_back({std::move(*Ptx), "clang's PTX",
                   "ptxas was asked about clang's code: " + Compiled[I].Error});
  }
  return Out;
}

/// One question for each cap, about the kernels that want it.
static std::vector<PtxasQuestion>
questionsAbout(const PtxText &Ptx, const ptx::Module &Module,
               const RegisterCaps &CapsOfMangled) {
  std::map<unsigned, std::set<std::string>> Kernels; // by cap
  for (const auto &[Mangled, Caps] : CapsOfMangled)
    if (const ptx::Function *F = Module.findKernel(Mangled))
      for (unsigned Cap : Caps)
        Kernels[Cap].insert(F->Name);
  std::vector<PtxasQuestion> Out;
  for (const auto &[Cap, Names] : Kernels)
    Out.push_back({Ptx.Text, Cap, {Names.begin(), Names.end()}});
  return Out;
}

/// Asks about each text, all at once; the caps of each are by mangled name.
static llvm::Expected<std::vector<Assembled>>
assemble(const TranslationUnit &Unit, llvm::ArrayRef<PtxText> Texts,
         llvm::ArrayRef<RegisterCaps> Caps,
         const RegisterSourceOptions &Options) {
  PtxasOptions P;
  P.Program = findPtxas(Unit.toolkit().Path);
  P.Architecture = Unit.architecture();
  P.CacheDirectory = ptxasCacheDirectory();
  P.Jobs = Options.Jobs;
  std::vector<Assembled> Out;
  std::vector<PtxasQuestion> Questions;
  std::vector<size_t> Of; // the text of each question
  for (size_t I = 0; I < Texts.size(); ++I) {
    llvm::Expected<ptx::Module> Module =
        ptx::readPtx(Texts[I].Text, Texts[I].Name);
    if (!Module)
      return Module.takeError();
    llvm::append_range(Questions, questionsAbout(Texts[I], *Module, Caps[I]));
    Of.resize(Questions.size(), I);
    Out.push_back({std::move(*Module), {}, Texts[I].Note});
  }
  llvm::Expected<std::vector<PtxasAnswer>> Answers = askPtxas(Questions, P);
  if (!Answers)
    return Answers.takeError();
  for (auto [I, Answer] : llvm::zip(Of, *Answers))
    for (const auto &[Name, Point] : Answer)
      Out[I].Points[Name].push_back(Point);
  return Out;
}

static llvm::Error checkPtxas(const TranslationUnit &Unit) {
  if (!findPtxas(Unit.toolkit().Path).empty())
    return llvm::Error::success();
  return llvm::createStringError(
      "--ptxas: there is no ptxas; give the toolkit with --cuda-path, or "
      "leave --ptxas out for an estimate");
}

/// What ptxas measured goes before what was estimated. It does not say where it
/// spills: as often as the estimate spills there, or where most is live.
static void prefer(const std::vector<RegisterPoint> &Measured,
                   RegisterUse &Use) {
  for (const RegisterPoint &P : Measured) {
    if (P.CapRegisters == 0)
      Use.Default = P;
    for (RegisterPoint &Old : Use.Caps)
      if (Old.CapRegisters == P.CapRegisters) {
        double Weight = Old.spills() ? Old.SpillWeight : Use.PeakWeight;
        Old = P;
        Old.SpillWeight = Weight;
      }
  }
}

/// What ptxas says of the kernels without their bounds, under their caps and
/// without one; of the PTX that was given, or of that of a build.
static llvm::Expected<Assembled>
assembleAsIs(const TranslationUnit &Unit, const DeviceCode &Code,
             const RegisterCaps &Caps, const RegisterSourceOptions &Options) {
  if (llvm::Error E = checkPtxas(Unit))
    return std::move(E);
  PtxText Ptx = {Options.Ptx, Options.PtxName, ""};
  if (Options.Ptx.empty()) {
    std::optional<PtxText> Own,
        &Known = Options.Known ? Options.Known->OfBuild : Own;
    if (!Known) {
      auto OfBuild = ptxOfBuild(Unit, TextMap(), Options,
                                [&](size_t) { return Code.Ptx; });
      if (!OfBuild)
        return OfBuild.takeError();
      Known = std::move(OfBuild->front());
    }
    Ptx = *Known;
  }
  Ptx.Text = withoutBounds(withoutDebug(Ptx.Text));
  RegisterCaps OfMangled;
  for (const auto &[Mangled, Name] : Code.Kernels)
    if (auto Asked = Caps.find(Name); Asked != Caps.end()) {
      OfMangled[Mangled] = Asked->second;
      OfMangled[Mangled].push_back(0);
    }
  auto All = assemble(Unit, Ptx, OfMangled, Options);
  if (!All)
    return All.takeError();
  return std::move(All->front());
}

static llvm::Expected<RegisterAnswers>
answer(const TranslationUnit &Unit, const RegisterCaps &Caps,
       const RegisterSourceOptions &Options) {
  std::optional<DeviceCode> Own,
      &Code = Options.Known ? Options.Known->ByClang : Own;
  if (!Code) {
    llvm::Expected<DeviceCode> Compiled = compileToPtx(Unit);
    if (!Compiled)
      return Compiled.takeError();
    Code = std::move(*Compiled);
  }
  bool Given = !Options.Ptx.empty();
  std::string Ptx = withoutBounds(Given ? Options.Ptx : Code->Ptx);
  llvm::Expected<ptx::Module> Module =
      ptx::readPtx(Ptx, Given ? Options.PtxName : "clang's PTX");
  if (!Module)
    return Module.takeError();
  auto Named = [&](const Location &Where) { return variableAt(*Code, Where); };
  std::optional<Assembled> Measured;
  if (Options.AskPtxas) {
    llvm::Expected<Assembled> A = assembleAsIs(Unit, *Code, Caps, Options);
    if (!A)
      return A.takeError();
    Measured = std::move(*A);
  }
  RegisterAnswers Out;
  for (const auto &[Mangled, Name] : Code->Kernels) {
    const ptx::Function *F = Module->findKernel(Mangled);
    auto Asked = Caps.find(Name);
    if (!F || Asked == Caps.end())
      continue;
    PressureOptions P;
    P.Caps = Asked->second;
    RegisterUse Use = estimateRegisters(*Module, *F, P, Named);
    if (const ptx::Function *Own =
            Measured ? Measured->Module.findKernel(Mangled) : nullptr) {
      prefer(Measured->Points[Own->Name], Use);
      F = Own;
    } else if (Measured) {
      Use.Notes.push_back("ptxas was not asked: what the compiler made has no "
                          "kernel of this name");
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

/// Kernels: those of the unit, by mangled name; no text has others.
static llvm::Expected<std::vector<TextAnswer>>
measure(const TranslationUnit &Unit, const RegisterSourceOptions &Options,
        const TextMap &Kernels, llvm::ArrayRef<TextQuestion> Questions) {
  if (llvm::Error E = checkPtxas(Unit))
    return std::move(E);
  std::vector<TextMap> Files;
  std::vector<RegisterCaps> Caps;
  for (const TextQuestion &Q : Questions) {
    Files.push_back(Q.Texts);
    Caps.emplace_back();
    for (const auto &[Mangled, Name] : Kernels)
      if (auto Cap = Q.Caps.find(Name); Cap != Q.Caps.end())
        Caps.back()[Mangled] = {Cap->second};
  }
  auto Clangs = [&](size_t I) -> llvm::Expected<std::string> {
    llvm::Expected<DeviceCode> Code = compileToPtx(Unit, Files[I]);
    if (!Code)
      return Code.takeError();
    return std::move(Code->Ptx);
  };
  auto Texts = ptxOfBuild(Unit, Files, Options, Clangs);
  if (!Texts)
    return Texts.takeError();
  for (PtxText &Each : *Texts)
    Each.Text = withoutDebug(Each.Text);
  auto Measured = assemble(Unit, *Texts, Caps, Options);
  if (!Measured)
    return Measured.takeError();
  std::vector<TextAnswer> Out(Questions.size());
  for (auto [Answer, A, Asked] : llvm::zip(Out, *Measured, Caps))
    for (const auto &[Mangled, Cap] : Asked)
      if (const ptx::Function *F = A.Module.findKernel(Mangled))
        for (const RegisterPoint &P : A.Points[F->Name])
          Answer[Kernels.at(Mangled)] = P;
  return Out;
}

Measure::~Measure() = default;

TextMeasure PtxasMeasure::start(const TranslationUnit &Unit) const {
  RegisterSourceOptions Options;
  Options.AskPtxas = true;
  Options.Jobs = Jobs;
  // No edit adds a kernel or takes one away, so that clang need tell their
  // mangled names only once.
  auto Kernels = std::make_shared<std::optional<TextMap>>();
  return [&Unit, Options, Kernels](llvm::ArrayRef<TextQuestion> Questions)
             -> llvm::Expected<std::vector<TextAnswer>> {
    if (!*Kernels) {
      llvm::Expected<DeviceCode> Code = compileToPtx(Unit);
      if (!Code)
        return Code.takeError();
      *Kernels = std::move(Code->Kernels);
    }
    return measure(Unit, Options, **Kernels, Questions);
  };
}

RegisterSource registerSource(const RegisterSourceOptions &Options) {
  return [Options](const TranslationUnit &Unit, const RegisterCaps &Caps) {
    return answer(Unit, Caps, Options);
  };
}

//===-- Rounding ----------------------------------------------------------===//

/// What the two differ in, by function.
static std::vector<std::string>
differences(const std::map<std::string, OpcodeCounts> &Before,
            const std::map<std::string, OpcodeCounts> &After) {
  std::vector<std::string> Out;
  for (const auto &[Name, Counts] : Before)
    if (auto Now = After.find(Name); Now != After.end())
      if (std::string Why = roundingDifference(Counts, Now->second);
          !Why.empty())
        Out.push_back(llvm::demangle(Name) + ": " + Why);
  return Out;
}

llvm::Expected<std::vector<std::string>>
compareCode(const TranslationUnit &Unit, const TextMap &Texts, unsigned Jobs) {
  NvccOptions O = nvccFor(Unit, Jobs);
  O.MachineCode = true;
  unsigned Version = 0;
  llvm::StringRef Number = llvm::StringRef(O.Architecture);
  if (O.Program.empty())
    return llvm::createStringError("there is no nvcc; give the toolkit with "
                                   "--cuda-path, or leave --verify-code out");
  if (!Number.consume_front("sm_") || Number.consumeInteger(10, Version) ||
      Version < 70)
    return llvm::createStringError("the machine code of " + O.Architecture +
                                   " is not known, only that from sm_70 on");
  for (const auto &[Path, Text] : Texts)
    if (Path != Unit.mainFile())
      return llvm::createStringError(Path + " would change too, and nvcc reads "
                                            "headers as they are");
  std::vector<NvccResult> Made =
      compileWithNvcc(mainTexts(Unit, {TextMap(), Texts}), O);
  std::vector<std::map<std::string, OpcodeCounts>> Counts;
  for (const NvccResult &Each : Made) {
    if (!Each.Error.empty())
      return llvm::createStringError(Each.Error);
    auto Of = countFloatingPoint(Each.Ptx);
    if (!Of)
      return Of.takeError();
    Counts.push_back(std::move(*Of));
  }
  return differences(Counts.front(), Counts.back());
}

} // namespace catt
