//===- NvccFlags.cpp - nvcc's command line, in clang's words --------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   words --(response files)--> words --(nvcc's table)--> clang's flags
//                                 \--(clang's option table)--> kept or dropped
//
// nvcc takes long names with two dashes and short ones with one; here each is
// accepted with either. Values follow `=` or stand in the next word; a few
// one-letter names join them.
//
//===----------------------------------------------------------------------===//
#include "analysis/frontend/NvccFlags.h"
#include "analysis/frontend/NvccFlagTable.h"
#include "clang/Basic/Cuda.h"
#include "clang/Options/OptionUtils.h"
#include "clang/Options/Options.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/StringSaver.h"

using llvm::StringRef;
using llvm::Twine;

namespace catt {

namespace path = llvm::sys::path;
using nvcc::Act;
using nvcc::Flag;
using nvcc::Flags;
using nvcc::takesValue;

namespace {

/// Kinds that -Werror takes; without one it is the host compiler's flag.
constexpr StringRef ErrorKinds[] = {"all-warnings",
                                    "cross-execution-space-call",
                                    "reorder",
                                    "default-stream-launch",
                                    "missing-launch-bounds",
                                    "ext-lambda-captures-this",
                                    "deprecated-declarations"};

llvm::Error fail(const Twine &Message) {
  return llvm::createStringError(Message);
}

/// "a,b" at commas outside double quotes; a backslash protects what follows.
std::vector<std::string> splitList(StringRef List) {
  std::vector<std::string> Parts(1);
  bool Quoted = false;
  for (size_t I = 0; I < List.size(); ++I) {
    char C = List[I];
    if (C == '\\' && I + 1 < List.size() && List[I + 1] == ',') {
      Parts.back() += List[++I];
      continue;
    }
    if (C == '"')
      Quoted = !Quoted;
    if (C == ',' && !Quoted)
      Parts.emplace_back();
    else
      Parts.back() += C;
  }
  llvm::erase(Parts, "");
  return Parts;
}

/// 90, 'a' of "sm_90a" and "compute_90a"; 0 if it is neither.
std::pair<unsigned, StringRef> capability(StringRef Name) {
  unsigned Number = 0;
  if (!Name.consume_front("sm_") && !Name.consume_front("compute_") &&
      !Name.consume_front("lto_"))
    return {0, ""};
  if (Name.consumeInteger(10, Number))
    return {0, ""};
  return {Number, Name};
}

bool clangKnows(StringRef Sm) {
  clang::OffloadArch A = clang::StringToOffloadArch(Sm);
  return A != clang::OffloadArch::UNKNOWN && clang::IsNVIDIAOffloadArch(A);
}

/// The newest plain architecture that clang knows, not above Limit.
std::string newestKnown(unsigned Limit) {
  for (unsigned N = Limit; N >= 20; --N)
    if (std::string Sm = "sm_" + std::to_string(N); clangKnows(Sm))
      return Sm;
  return "";
}

class Translation {
public:
  Translation(llvm::vfs::FileSystem &Files, StringRef Directory)
      : Files(Files), Directory(Directory) {}

  llvm::Expected<ClangCommand> run(llvm::ArrayRef<std::string> CommandLine);

private:
  llvm::Error expand(llvm::ArrayRef<std::string> Words, unsigned Depth);
  llvm::Error readWords(StringRef File, unsigned Depth);
  llvm::Expected<bool> nvccFlag(size_t &I);
  llvm::Error apply(const Flag &F, StringRef Spelled, StringRef Value);
  void clangFlag(llvm::ArrayRef<const char *> Argv, unsigned &I);
  void joined(StringRef Spelling, StringRef List);
  void math(Act Does, StringRef Spelled, bool On);
  llvm::Error gencode(StringRef Spelled, StringRef Value);
  llvm::Error maxRegisters(StringRef Spelled, StringRef Value);
  void relocatableCode();
  void defaultStream(StringRef Value);
  void ptxas(StringRef List);
  void host(StringRef Value);
  void hostCompiler(StringRef Value);
  void architecture(StringRef Name);
  void chooseArchitecture();
  void emit(const Twine &Argument) { Out.Arguments.push_back(Argument.str()); }
  void note(const Twine &Text) {
    if (!llvm::is_contained(Out.Notes, Text.str()))
      Out.Notes.push_back(Text.str());
  }

  llvm::vfs::FileSystem &Files;
  StringRef Directory;
  bool Nvcc = true;
  std::vector<std::string> Words;
  /// Of -arch, -gencode; of -code, for commands that have no other.
  std::vector<std::string> Virtual, Real;
  ClangCommand Out;
};

//===-- Response files ---------------------------------------------------===//

llvm::Error Translation::readWords(StringRef File, unsigned Depth) {
  // Deeper means that a file includes itself.
  if (Depth > 16)
    return fail("response file '" + File + "' includes itself");
  llvm::SmallString<256> Path(File);
  if (path::is_relative(Path)) {
    Path = Directory;
    path::append(Path, File);
  }
  auto Text = Files.getBufferForFile(Path);
  if (!Text)
    return fail("cannot read response file '" + Path +
                "' of the command: " + Text.getError().message() +
                "; build the project once, or correct the compile command");
  llvm::BumpPtrAllocator Memory;
  llvm::StringSaver Saver(Memory);
  llvm::SmallVector<const char *, 64> Tokens;
  llvm::cl::TokenizeGNUCommandLine((*Text)->getBuffer(), Saver, Tokens);
  return expand(std::vector<std::string>(Tokens.begin(), Tokens.end()),
                Depth + 1);
}

/// The file names of `--options-file a,b` (or `=`), if Word is one.
static std::optional<StringRef> optionsFile(StringRef Word) {
  for (StringRef Name :
       {"--options-file", "-options-file", "-optf", "--optf"}) {
    StringRef Rest = Word;
    if (Rest.consume_front(Name) && (Rest.empty() || Rest.front() == '='))
      return Rest;
  }
  return std::nullopt;
}

llvm::Error Translation::expand(llvm::ArrayRef<std::string> In,
                                unsigned Depth) {
  for (size_t I = 0; I < In.size(); ++I) {
    StringRef Word = In[I];
    std::vector<std::string> Names;
    if (Word.size() > 1 && Word.front() == '@') {
      Names = {Word.drop_front().str()};
    } else if (auto Value = optionsFile(Word)) {
      if (Value->empty() && I + 1 == In.size())
        return fail("the compile command ends in '" + Word +
                    "', which needs a file name");
      Names =
          splitList(Value->empty() ? StringRef(In[++I]) : Value->drop_front());
    } else {
      Words.push_back(Word.str());
      continue;
    }
    for (const std::string &Name : Names)
      if (llvm::Error E = readWords(Name, Depth))
        return E;
  }
  return llvm::Error::success();
}

//===-- nvcc's flags -----------------------------------------------------===//

/// One-letter names that join their value, as in -Iinc and -O3.
static bool joins(StringRef Short) {
  return Short.size() == 1 && StringRef("IDULlOtm").contains(Short);
}

/// The flag that Word begins with; Value receives what follows in the word.
static const Flag *findFlag(StringRef Word, std::optional<StringRef> &Value) {
  StringRef Name = Word;
  if (!Name.consume_front("-") || Name.empty())
    return nullptr;
  bool TwoDashes = Name.consume_front("-");
  auto [Key, Rest] = Name.split('=');
  Value = std::nullopt;
  if (Key.size() != Name.size())
    Value = Rest;
  for (const Flag &F : Flags) {
    bool OneLetter = F.Short.size() == 1 && F.Long != F.Short;
    if (Key == F.Long || (Key == F.Short && !(OneLetter && TwoDashes))) {
      // `-keep=x` is no nvcc flag; `-Werror=x` is.
      if (Value && !takesValue(F.Does) && F.Does != Act::WarningsAsErrors)
        continue;
      return &F;
    }
  }
  if (TwoDashes)
    return nullptr;
  for (const Flag &F : Flags)
    if (joins(F.Short) && Name.starts_with(F.Short)) {
      // -m64 and -t4, but not -march=... or -traditional.
      bool Numeric = F.Short == "m" || F.Short == "t" || F.Short == "O";
      if (Numeric && !llvm::all_of(Name.drop_front(), llvm::isDigit))
        continue;
      Value = Name.drop_front();
      return &F;
    }
  return nullptr;
}

void Translation::architecture(StringRef Name) {
  StringRef Trimmed = Name.trim("[]\"' ");
  if (Trimmed == "all" || Trimmed == "all-major")
    Virtual.push_back(newestKnown(999));
  else if (Trimmed == "native")
    Virtual.push_back("native");
  else
    Virtual.push_back(Trimmed.str());
}

void Translation::chooseArchitecture() {
  std::vector<std::string> &Asked = Virtual.empty() ? Real : Virtual;
  std::pair<unsigned, StringRef> Best{0, ""};
  for (const std::string &Name : Asked) {
    auto Capability = capability(Name);
    std::string Sm =
        "sm_" + std::to_string(Capability.first) + Capability.second.str();
    if (Name == "native") {
      Out.Architecture = Name;
      return;
    }
    if (!clangKnows(Sm)) {
      std::string Instead = newestKnown(Capability.first);
      if (Instead.empty()) {
        note("'" + Name + "': no architecture that clang knows; ignored");
        continue;
      }
      note("'" + Twine(Name) + "': not known to clang; read as " + Instead);
      Capability = {capability(Instead).first, ""};
    }
    if (Capability > Best)
      Best = Capability;
  }
  if (Best.first)
    Out.Architecture = "sm_" + std::to_string(Best.first) + Best.second.str();
}

void Translation::hostCompiler(StringRef Value) {
  // "g++-12" and "/usr/bin/g++-12" name a version below /usr/lib/gcc,
  // "/opt/gcc/bin[/g++]" an installation.
  StringRef Name = path::filename(Value);
  StringRef Prefix = path::parent_path(path::parent_path(Value));
  if (Name == "bin" || Name == ".")
    Prefix = path::parent_path(Value);
  StringRef Version = Name.contains("g++") || Name.contains("gcc")
                          ? Name.rsplit('-').second
                          : StringRef();
  if (Prefix.empty() || Prefix == "/usr") {
    std::error_code E;
    for (llvm::vfs::directory_iterator T = Files.dir_begin("/usr/lib/gcc", E),
                                       End;
         !Version.empty() && !E && T != End; T.increment(E)) {
      std::string Dir = (T->path() + "/" + Version).str();
      if (Files.exists(Dir))
        return emit("--gcc-install-dir=" + Dir);
    }
    return;
  }
  if (Files.exists(Prefix + "/lib/gcc") || Files.exists(Prefix + "/lib64/gcc"))
    return emit("--gcc-toolchain=" + Prefix);
  note("-ccbin " + Value +
       ": no GCC installation is there; clang's own choice is used");
}

/// Unwraps what goes to the host compiler: nvcc splits at commas, and the
/// shell that it starts splits at spaces and takes the quotes away.
void Translation::host(StringRef Value) {
  llvm::BumpPtrAllocator Memory;
  llvm::StringSaver Saver(Memory);
  llvm::SmallVector<const char *, 16> Argv;
  for (const std::string &Part : splitList(Value))
    llvm::cl::TokenizeGNUCommandLine(Part, Saver, Argv);
  for (unsigned I = 0; I < Argv.size();)
    clangFlag(Argv, I);
}

void Translation::joined(StringRef Spelling, StringRef List) {
  // clang joins these two with their value only after a blank.
  bool Apart = Spelling == "-isystem" || Spelling == "-include";
  for (const std::string &Part : splitList(List)) {
    if (Apart)
      emit(Spelling);
    emit(Apart ? Part : Spelling + Part);
  }
}

void Translation::relocatableCode() {
  emit("-fgpu-rdc");
  emit("-D__CUDACC_RDC__");
}

void Translation::defaultStream(StringRef Value) {
  if (Value != "per-thread")
    return;
  emit("-fgpu-default-stream=per-thread");
  emit("-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
}

llvm::Error Translation::gencode(StringRef Spelled, StringRef Value) {
  // arch=compute_90,code=[sm_90,compute_90]: __CUDA_ARCH__ follows arch.
  StringRef Rest = Value.trim("\"'");
  if (!Rest.consume_front("arch="))
    return fail("'" + Spelled + " " + Value +
                "' of the compile command names no arch=");
  architecture(Rest.split(',').first);
  return llvm::Error::success();
}

llvm::Error Translation::maxRegisters(StringRef Spelled, StringRef Value) {
  int Count = 0;
  if (Value.getAsInteger(10, Count))
    return fail("'" + Spelled + " " + Value +
                "' of the compile command: no number of registers");
  Out.MaxRegisters = Count;
  return llvm::Error::success();
}

void Translation::ptxas(StringRef List) {
  for (const std::string &Part : splitList(List)) {
    llvm::SmallVector<StringRef, 4> Options;
    llvm::SplitString(Part, Options);
    for (StringRef Option : Options)
      Out.PtxasOptions.push_back(Option.str());
  }
}

/// Flags for the accuracy of floating point, which clang only approximates.
void Translation::math(Act Does, StringRef Spelled, bool On) {
  switch (Does) {
  case Act::FastMath:
    emit("-fgpu-approx-transcendentals");
    emit("-fgpu-flush-denormals-to-zero");
    emit("-ffp-contract=fast");
    emit("-freciprocal-math");
    return note(Spelled +
                ": approximated by clang's -fgpu-approx-transcendentals "
                "-fgpu-flush-denormals-to-zero -ffp-contract=fast "
                "-freciprocal-math");
  case Act::FlushDenormals:
    emit(On ? "-fgpu-flush-denormals-to-zero"
            : "-fno-gpu-flush-denormals-to-zero");
    return note(Spelled + ": approximated by clang's "
                          "-f[no-]gpu-flush-denormals-to-zero");
  case Act::FusedMultiplyAdd:
    emit(On ? "-ffp-contract=fast" : "-ffp-contract=off");
    return note(Spelled + ": approximated by clang's -ffp-contract");
  case Act::ApproximateDivision:
    if (On)
      return;
    emit("-freciprocal-math");
    return note(Spelled + "=false: approximated by clang's -freciprocal-math");
  default:
    if (!On)
      note(Spelled + "=false: clang has no such flag; ignored");
  }
}

llvm::Error Translation::apply(const Flag &F, StringRef Spelled,
                               StringRef Value) {
  switch (F.Does) {
  case Act::Drop:
  case Act::DropValue:
  case Act::WarningsAsErrors:
    break;
  case Act::Joined:
    joined(F.Gives, Value);
    break;
  case Act::Define:
    emit("-D" + F.Gives);
    break;
  case Act::Arch:
    architecture(Value);
    break;
  case Act::Code:
    llvm::append_range(Real, splitList(Value.trim("[]\"'")));
    break;
  case Act::Gencode:
    return gencode(Spelled, Value);
  case Act::Language:
    if (Value == "cu")
      Out.Arguments.insert(Out.Arguments.end(), {"-x", "cuda"});
    break;
  case Act::Host:
    host(Value);
    break;
  case Act::RelocatableIf:
  case Act::RelocatableCode:
    if (F.Does == Act::RelocatableCode || Value == "true")
      relocatableCode();
    break;
  case Act::DefaultStream:
    defaultStream(Value);
    break;
  case Act::FastMath:
  case Act::FlushDenormals:
  case Act::FusedMultiplyAdd:
  case Act::ApproximateDivision:
  case Act::ApproximateRoot:
    math(F.Does, Spelled, Value == "true");
    break;
  case Act::MaxRegisters:
    return maxRegisters(Spelled, Value);
  case Act::Ptxas:
    ptxas(Value);
    break;
  case Act::HostCompiler:
    hostCompiler(Value);
    break;
  case Act::Optimize:
    emit("-O" + Value);
    break;
  case Act::Standard:
    emit("-std=" + Value);
    break;
  }
  return llvm::Error::success();
}

/// Translates the flag at Words[I] and moves I past it; false: not nvcc's.
llvm::Expected<bool> Translation::nvccFlag(size_t &I) {
  StringRef Word = Words[I];
  std::optional<StringRef> Value;
  const Flag *F = findFlag(Word, Value);
  if (!F)
    return false;
  ++I;
  if (F->Does == Act::WarningsAsErrors && !Value && I < Words.size() &&
      llvm::is_contained(ErrorKinds, StringRef(Words[I]).split(',').first))
    ++I;
  if (takesValue(F->Does) && !Value) {
    if (I == Words.size())
      return fail("the compile command ends in '" + Word +
                  "', which needs a value");
    Value = Words[I++];
  }
  StringRef Spelled = Word.split('=').first;
  if (llvm::Error E = apply(*F, Spelled, Value.value_or("")))
    return std::move(E);
  return true;
}

//===-- clang's flags ----------------------------------------------------===//

/// Flags that make no sense for, or would break, a parse for one device.
static bool breaksParse(const llvm::opt::Option &O) {
  using namespace clang::options;
  if (O.matches(OPT_Link_Group) || O.matches(OPT_M_Group))
    return true;
  switch (O.getID()) {
  case OPT_o:
  case OPT_c:
  case OPT_S:
  case OPT_E:
  case OPT_x:
  case OPT_v:
  case OPT__HASH_HASH_HASH:
  case OPT_emit_llvm:
  case OPT_fsyntax_only:
  case OPT_save_temps_EQ:
  case OPT_l:
  case OPT_Wl_COMMA:
  case OPT_Xlinker:
  case OPT_include_pch:
  case OPT_fplugin_EQ:
  case OPT_offload_host_only:
  case OPT_offload_device_only:
  case OPT_offload_host_device:
  case OPT_no_offload_arch_EQ:
  case OPT_resource_dir_EQ:
    return true;
  default:
    return false;
  }
}

/// Keeps or drops the clang flag at Argv[I] and moves I past it.
void Translation::clangFlag(llvm::ArrayRef<const char *> Argv, unsigned &I) {
  unsigned Begin = I;
  llvm::opt::InputArgList Args(Argv.begin(), Argv.end());
  std::unique_ptr<llvm::opt::Arg> A = clang::getDriverOptTable().ParseOneArg(
      Args, I, llvm::opt::Visibility(clang::options::ClangOption));
  if (!A) { // its value is missing
    I = Argv.size();
    note("'" + Twine(Argv[Begin]) + "': its value is missing; ignored");
    return;
  }
  const llvm::opt::Option &O = A->getOption().getUnaliasedOption();
  if (O.getKind() == llvm::opt::Option::InputClass)
    return;
  if (O.getKind() == llvm::opt::Option::UnknownClass) {
    note("'" + Twine(Argv[Begin]) + "': not known to clang; ignored");
    return;
  }
  using namespace clang::options;
  if (O.getID() == OPT_cuda_path_EQ)
    Out.CudaPath = A->getValue();
  else if (O.getID() == OPT_offload_arch_EQ)
    for (const std::string &Name : splitList(A->getValue()))
      architecture(Name);
  else if (O.getID() == OPT_Xcuda_ptxas)
    Out.PtxasOptions.push_back(A->getValue());
  else if (!breaksParse(O))
    Out.Arguments.insert(Out.Arguments.end(), Argv.begin() + Begin,
                         Argv.begin() + I);
}

//===-- The command ------------------------------------------------------===//

/// "nvcc" of "/usr/local/cuda/bin/nvcc" and of "nvcc.exe".
static StringRef programName(StringRef Word) { return path::stem(Word); }

static bool isLauncher(StringRef Word) {
  return llvm::StringSwitch<bool>(programName(Word))
      .Cases({"ccache", "sccache", "distcc", "icecc", "catt-launch"}, true)
      .Default(false);
}

llvm::Expected<ClangCommand>
Translation::run(llvm::ArrayRef<std::string> CommandLine) {
  if (CommandLine.empty())
    return fail("the compile command is empty");
  while (CommandLine.size() > 1 && isLauncher(CommandLine.front()))
    CommandLine = CommandLine.drop_front();
  StringRef Compiler = CommandLine.front();
  StringRef Name = programName(Compiler);
  // "clang-tool" is what clang's tooling puts before bare flags.
  Nvcc = !Name.starts_with("clang") || Name == "clang-tool";
  if (Name == "nvcc" && path::has_parent_path(Compiler)) {
    llvm::SmallString<256> Real;
    if (Files.getRealPath(Compiler, Real))
      Real = Compiler;
    Out.CudaPath = path::parent_path(path::parent_path(Real)).str();
  }
  emit(Nvcc ? "clang++" : Compiler);
  if (llvm::Error E = expand(CommandLine.drop_front(), 0))
    return std::move(E);

  std::vector<const char *> Argv;
  for (const std::string &Word : Words)
    Argv.push_back(Word.c_str());
  for (size_t I = 0; I < Words.size();) {
    if (Words[I] == "--") // only inputs follow
      break;
    if (Nvcc) {
      auto Done = nvccFlag(I);
      if (!Done)
        return Done.takeError();
      if (*Done)
        continue;
    }
    unsigned At = I;
    clangFlag(Argv, At);
    I = At;
  }
  chooseArchitecture();
  return std::move(Out);
}

} // namespace

llvm::Expected<ClangCommand>
translateNvcc(llvm::ArrayRef<std::string> CommandLine, StringRef Directory,
              llvm::vfs::FileSystem &Files) {
  return Translation(Files, Directory).run(CommandLine);
}

} // namespace catt
