//===- DeviceCode.cpp - Kernels to PTX text -------------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/frontend/DeviceCode.h"
#include "analysis/frontend/ClangSession.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/CodeGen/CodeGenAction.h"
#include "clang/CodeGen/ModuleBuilder.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include <mutex>

using namespace clang;
using llvm::StringRef;

namespace catt {

namespace {
/// Optimizes the module, and names its kernels while the AST is there.
class OptimizeAction : public EmitLLVMOnlyAction {
public:
  explicit OptimizeAction(llvm::LLVMContext &Context)
      : EmitLLVMOnlyAction(&Context) {}
  std::unique_ptr<llvm::Module> Optimized;
  std::map<std::string, std::string> Kernels;

protected:
  void EndSourceFileAction() override {
    EmitLLVMOnlyAction::EndSourceFileAction();
    Optimized = takeModule();
    if (!Optimized)
      return;
    for (const llvm::Function &F : *Optimized)
      if (F.getCallingConv() == llvm::CallingConv::PTX_Kernel &&
          !F.isDeclaration())
        Kernels[F.getName().str()] = sourceName(F.getName());
  }

private:
  /// As Kernel::Name has it: "ns::gesummv<float>".
  std::string sourceName(StringRef Mangled) {
    const auto *F = dyn_cast_or_null<FunctionDecl>(
        getCodeGenerator()->GetDeclForMangledName(Mangled));
    if (!F)
      return Mangled.str();
    std::string Name;
    llvm::raw_string_ostream OS(Name);
    F->getNameForDiagnostic(OS, F->getASTContext().getPrintingPolicy(),
                            /*Qualified=*/true);
    return Name;
  }
};
} // namespace

/// What the analysis does not need and code has to have.
static std::shared_ptr<CompilerInvocation> forCode(const TranslationUnit &Unit,
                                                   bool &HasMathLibrary) {
  auto Invocation = std::make_shared<CompilerInvocation>(Unit.invocation());
  Invocation->getFrontendOpts().SkipFunctionBodies = false;
  CodeGenOptions &Options = Invocation->getCodeGenOpts();
  Options.OptimizationLevel = 3;
  Options.setInlining(CodeGenOptions::NormalInlining);
  Options.UnrollLoops = true;
  Options.setDebugInfo(llvm::codegenoptions::LimitedDebugInfo);
  Options.DwarfVersion = 2; // what PTX can say
  // -O0 in the command would mark every function as not to be optimized.
  Options.DisableO0ImplyOptNone = true;
  // The driver lets the AST go early; kernels are named by it at the end.
  Options.ClearASTBeforeBackend = false;
  Options.DisableFree = false;
  Options.Argv0 = nullptr; // of a command line that is gone
  std::string Library = Unit.toolkit().Path + "/nvvm/libdevice/libdevice.10.bc";
  // The driver asks for an old PTX where it does not know the toolkit, and the
  // back end refuses one that is older than the GPU.
  for (std::vector<std::string> *Features :
       {&Invocation->getTargetOpts().Features,
        &Invocation->getTargetOpts().FeaturesAsWritten}) {
    llvm::erase_if(*Features,
                   [](StringRef F) { return F.starts_with("+ptx"); });
    Features->push_back("+ptx88");
  }
  HasMathLibrary =
      !Unit.toolkit().Path.empty() && Unit.files()->exists(Library);
  if (HasMathLibrary)
    Options.LinkBitcodeFiles.push_back({Library, /*PropagateAttrs=*/true,
                                        /*Internalize=*/true,
                                        llvm::Linker::LinkOnlyNeeded});
  return Invocation;
}

static std::string pathOf(const llvm::DILocation &At) {
  llvm::SmallString<128> Path(At.getDirectory());
  if (llvm::sys::path::is_absolute(At.getFilename()))
    Path.clear();
  llvm::sys::path::append(Path, At.getFilename());
  return std::string(Path);
}

/// What was inlined from another file counts as of the call: a statement of the
/// user's file rather than a line of a library.
static void placeInOwnFile(llvm::Module &M) {
  for (llvm::Function &F : M)
    for (llvm::Instruction &I : llvm::instructions(F)) {
      const llvm::DILocation *At = I.getDebugLoc().get();
      const llvm::DISubprogram *Own = F.getSubprogram();
      while (At && Own && At->getFile() != Own->getFile() && At->getInlinedAt())
        At = At->getInlinedAt();
      if (At != I.getDebugLoc().get())
        I.setDebugLoc(At);
    }
}

/// Where instructions compute the values of variables.
static std::vector<VariablePlace> variablesOf(llvm::Module &M) {
  std::map<std::tuple<std::string, unsigned, unsigned>, std::string> Found;
  for (llvm::Function &F : M)
    for (llvm::Instruction &I : llvm::instructions(F))
      for (const llvm::DbgVariableRecord &R :
           llvm::filterDbgVars(I.getDbgRecordRange())) {
        if (R.getNumVariableLocationOps() != 1)
          continue;
        auto *Value =
            dyn_cast_or_null<llvm::Instruction>(R.getVariableLocationOp(0));
        const llvm::DILocation *At =
            Value ? Value->getDebugLoc().get() : nullptr;
        if (At && At->getLine() != 0)
          Found.try_emplace({pathOf(*At), At->getLine(), At->getColumn()},
                            R.getVariable()->getName().str());
      }
  std::vector<VariablePlace> Places;
  for (const auto &[Key, Name] : Found)
    Places.push_back(
        {std::get<0>(Key), std::get<1>(Key), std::get<2>(Key), Name});
  return Places;
}

static llvm::Expected<std::string> emit(llvm::Module &M,
                                        const TargetOptions &Options) {
  std::string Why;
  const llvm::Target *T =
      llvm::TargetRegistry::lookupTarget(M.getTargetTriple(), Why);
  if (!T)
    return llvm::createStringError("this build has no back end for GPUs: " +
                                   Why);
  std::unique_ptr<llvm::TargetMachine> Machine(T->createTargetMachine(
      M.getTargetTriple(), Options.CPU, llvm::join(Options.Features, ","),
      llvm::TargetOptions(), std::nullopt, std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
  llvm::SmallString<0> Text;
  llvm::raw_svector_ostream OS(Text);
  llvm::legacy::PassManager Passes;
  if (!Machine || Machine->addPassesToEmitFile(
                      Passes, OS, nullptr, llvm::CodeGenFileType::AssemblyFile))
    return llvm::createStringError("clang's back end cannot print PTX for " +
                                   Options.CPU);
  Passes.run(M);
  return std::string(Text);
}

/// The first error, as a sentence.
static llvm::Error whyNot(const std::vector<Diagnostic> &Found) {
  for (const Diagnostic &D : Found)
    if (isError(D))
      return llvm::createStringError(
          llvm::Twine(D.Where.File) + ":" + llvm::Twine(D.Where.Line) + ":" +
          llvm::Twine(D.Where.Column) + ": " + D.Message +
          "; registers are known only of code that compiles");
  return llvm::createStringError("clang made no device code of this file");
}

/// The optimizer asks the back end too: what inlining and unrolling are worth.
static void initializeBackEnd() {
  static std::once_flag Once;
  std::call_once(Once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
}

using TextMap = std::map<std::string, std::string>;

static llvm::Error compile(const TranslationUnit &Unit, const TextMap &Texts,
                           DeviceCode &Result) {
  initializeBackEnd();
  DiagnosticCollector Collector;
  CompilerInstance Clang(forCode(Unit, Result.HasMathLibrary));
  Clang.setVirtualFileSystem(Unit.filesWith(Texts));
  Clang.createDiagnostics(&Collector, /*ShouldOwnClient=*/false);
  Clang.setVerboseOutputStream(std::make_unique<llvm::raw_null_ostream>());
  if (!Clang.createTarget())
    return llvm::createStringError("clang cannot compile for " +
                                   Unit.architecture());
  llvm::LLVMContext Context;
  OptimizeAction Action(Context);
  if (!Clang.ExecuteAction(Action) || !Action.Optimized)
    return whyNot(Collector.Found);
  llvm::Module &M = *Action.Optimized;
  Result.Kernels = std::move(Action.Kernels);
  placeInOwnFile(M);
  Result.Variables = variablesOf(M);
  llvm::stripNonLineTableDebugInfo(M); // leaves .file and .loc
  auto Ptx = emit(M, Clang.getTargetOpts());
  if (!Ptx)
    return Ptx.takeError();
  Result.Ptx = std::move(*Ptx);
  return llvm::Error::success();
}

llvm::Expected<DeviceCode> compileToPtx(const TranslationUnit &Unit,
                                        const TextMap &Texts) {
  // Code generation that ends at an error never frees its metadata, and no
  // edit of ours mends what was wrong before.
  if (llvm::any_of(Unit.diagnostics(), isError))
    return whyNot(Unit.diagnostics());
  DeviceCode Result;
  llvm::Error E = llvm::Error::success();
  // A back end ends the process over code that it cannot select.
  llvm::CrashRecoveryContext::Enable();
  llvm::CrashRecoveryContext Recovery;
  bool Survived = Recovery.RunSafely([&] {
    llvm::consumeError(std::move(E));
    E = compile(Unit, Texts, Result);
  });
  if (E)
    return std::move(E);
  if (!Survived)
    return llvm::createStringError("clang's back end gave up on " +
                                   Unit.mainFile() +
                                   "; give PTX of nvcc instead");
  return Result;
}

} // namespace catt
