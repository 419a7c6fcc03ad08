//===- ClangSession.cpp - One run of clang, kept alive --------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/frontend/ClangSession.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/DiagnosticAST.h"
#include "clang/Basic/DiagnosticSema.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Serialization/ASTReader.h"
#include "clang/Serialization/ASTWriter.h"

using namespace clang;

namespace catt {

static Diagnostic::Level severity(DiagnosticsEngine::Level Level) {
  switch (Level) {
  case DiagnosticsEngine::Fatal:
    return Diagnostic::Level::Fatal;
  case DiagnosticsEngine::Error:
    return Diagnostic::Level::Error;
  case DiagnosticsEngine::Warning:
    return Diagnostic::Level::Warning;
  default:
    return Diagnostic::Level::Note;
  }
}

/// Errors of clang that nvcc and gcc only warn of, or accept: a constructor of
/// a __shared__ object, `%name` instead of `%%name` in inline assembly, and an
/// initializer for an array of variable size.
static bool isAcceptedByNvcc(unsigned Id) {
  return Id == diag::err_shared_var_init ||
         Id == diag::err_asm_invalid_escape ||
         Id == diag::err_variable_object_no_init;
}

void DiagnosticCollector::HandleDiagnostic(DiagnosticsEngine::Level Level,
                                           const clang::Diagnostic &Info) {
  DiagnosticConsumer::HandleDiagnostic(Level, Info);
  if (Level == DiagnosticsEngine::Ignored || Level == DiagnosticsEngine::Remark)
    return;
  Diagnostic D;
  D.Severity = isAcceptedByNvcc(Info.getID()) ? Diagnostic::Level::Warning
                                              : severity(Level);
  llvm::SmallString<128> Text;
  Info.FormatDiagnostic(Text);
  D.Message = std::string(Text);
  if (Info.hasSourceManager() && Info.getLocation().isValid()) {
    const SourceManager &SM = Info.getSourceManager();
    PresumedLoc At = SM.getPresumedLoc(SM.getExpansionLoc(Info.getLocation()));
    if (At.isValid())
      D.Where = {At.getFilename(), At.getLine(), At.getColumn()};
  }
  Found.push_back(std::move(D));
}

/// True for what clang instantiates from a template that it also reports.
static bool isInstantiated(const Decl *D) {
  if (const auto *F = dyn_cast<FunctionDecl>(D))
    return F->getTemplateSpecializationKind() == TSK_ImplicitInstantiation;
  if (const auto *V = dyn_cast<VarDecl>(D))
    return V->getTemplateSpecializationKind() == TSK_ImplicitInstantiation;
  if (const auto *R = dyn_cast<CXXRecordDecl>(D))
    return R->getTemplateSpecializationKind() == TSK_ImplicitInstantiation;
  return false;
}

static bool isOfSystem(const Decl *D) {
  const SourceManager &SM = D->getASTContext().getSourceManager();
  return SM.isInSystemHeader(SM.getExpansionLoc(D->getLocation()));
}

/// True for what the main file includes, and not what precedes its first line.
static bool isIncluded(const Decl *D) {
  const SourceManager &SM = D->getASTContext().getSourceManager();
  FileID File = SM.getFileID(SM.getExpansionLoc(D->getLocation()));
  for (SourceLocation By = SM.getIncludeLoc(File); By.isValid();
       By = SM.getIncludeLoc(File))
    File = SM.getFileID(By);
  return File == SM.getMainFileID();
}

/// In a system header, and not a device function that is to be read.
static bool isSkipped(const Decl *D, SystemBodies Bodies) {
  if (!isOfSystem(D))
    return false;
  const FunctionDecl *F = D->getAsFunction();
  return !F || !F->hasAttr<CUDADeviceAttr>() ||
         (Bodies == SystemBodies::Included && !isIncluded(D));
}

static bool isUsers(const Decl *D) {
  SourceLocation At = D->getLocation();
  const SourceManager &SM = D->getASTContext().getSourceManager();
  return At.isValid() && !isOfSystem(D) &&
         !SM.isWrittenInBuiltinFile(SM.getExpansionLoc(At)) &&
         !isInstantiated(D);
}

namespace {
/// Lists the user's declarations at file level.
class UsersDeclarations : public ASTConsumer {
public:
  UsersDeclarations(std::vector<Decl *> &Into, SystemBodies Bodies)
      : Into(Into), Bodies(Bodies) {}
  bool HandleTopLevelDecl(DeclGroupRef Group) override {
    // Those of the preamble are reported too when they are read eagerly.
    for (Decl *D : Group)
      if (!D->isFromASTFile() && isUsers(D))
        Into.push_back(D);
    return true;
  }
  bool shouldSkipFunctionBody(Decl *D) override { return isSkipped(D, Bodies); }

private:
  std::vector<Decl *> &Into;
  SystemBodies Bodies;
};

class ParseAction : public ASTFrontendAction {
public:
  explicit ParseAction(SystemBodies Bodies) : Bodies(Bodies) {}
  std::vector<Decl *> Declarations;

protected:
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &,
                                                 StringRef) override {
    return std::make_unique<UsersDeclarations>(Declarations, Bodies);
  }

private:
  SystemBodies Bodies;
};

class PreambleDeclarations : public PreambleCallbacks {
public:
  explicit PreambleDeclarations(SystemBodies Bodies) : Bodies(Bodies) {}
  std::vector<LocalDeclID> Ids;
  void HandleTopLevelDecl(DeclGroupRef Group) override {
    for (Decl *D : Group)
      if (isUsers(D))
        Declarations.push_back(D);
  }
  bool shouldSkipFunctionBody(Decl *D) override { return isSkipped(D, Bodies); }
  void AfterPCHEmitted(ASTWriter &Writer) override {
    for (Decl *D : Declarations)
      Ids.push_back(Writer.getDeclID(D));
  }

private:
  std::vector<Decl *> Declarations;
  SystemBodies Bodies;
};
} // namespace

std::optional<Preamble> Preamble::build(const CompilerInvocation &Invocation,
                                        const llvm::MemoryBuffer &Text,
                                        FilesRef Files, SystemBodies Bodies) {
  DiagnosticCollector Collector;
  DiagnosticOptions Options = Invocation.getDiagnosticOpts();
  auto Engine = CompilerInstance::createDiagnostics(*Files, Options, &Collector,
                                                    /*ShouldOwnClient=*/false);
  Engine->setFatalsAsError(true);
  PreambleDeclarations Declarations(Bodies);
  PreambleBounds Bounds = ComputePreambleBounds(Invocation.getLangOpts(),
                                                Text.getMemBufferRef(), 0);
  auto Code = PrecompiledPreamble::Build(
      Invocation, &Text, Bounds, Engine, Files,
      std::make_shared<PCHContainerOperations>(), /*StoreInMemory=*/true,
      /*StoragePath=*/"", Declarations);
  if (!Code)
    return std::nullopt;
  return Preamble{std::move(*Code), Invocation.getCC1CommandLine(), Bodies,
                  std::move(Collector.Found), std::move(Declarations.Ids)};
}

bool Preamble::fits(const CompilerInvocation &Invocation,
                    const llvm::MemoryBuffer &Text,
                    llvm::vfs::FileSystem &Files, SystemBodies Wanted) const {
  PreambleBounds Bounds = ComputePreambleBounds(Invocation.getLangOpts(),
                                                Text.getMemBufferRef(), 0);
  return Bodies >= Wanted && Invocation.getCC1CommandLine() == Flags &&
         Code.CanReuse(Invocation, Text, Bounds, Files);
}

/// The declarations of the preamble, now those of this AST.
static std::vector<Decl *> realize(const Preamble &P, CompilerInstance &Clang) {
  std::vector<Decl *> Declarations;
  llvm::IntrusiveRefCntPtr<ASTReader> Reader = Clang.getASTReader();
  if (!Reader)
    return Declarations;
  serialization::ModuleFile &File =
      Reader->getModuleManager().getPrimaryModule();
  for (LocalDeclID Id : P.Declarations)
    if (Decl *D = Reader->GetLocalDecl(File, Id))
      Declarations.push_back(D);
  return Declarations;
}

static llvm::Error cannot(const llvm::Twine &What) {
  return llvm::createStringError("clang cannot " + What);
}

llvm::Expected<std::unique_ptr<Session>>
Session::run(const CompilerInvocation &Pristine,
             std::unique_ptr<llvm::MemoryBuffer> Text, FilesRef Files,
             const Preamble *P, SystemBodies Bodies) {
  auto S = std::make_unique<Session>();
  S->Text = std::move(Text);
  auto Invocation = std::make_shared<CompilerInvocation>(Pristine);
  bool Fits = P && P->fits(*Invocation, *S->Text, *Files, Bodies);
  Invocation->getPreprocessorOpts().RetainRemappedFileBuffers = true;
  if (Fits) {
    P->Code.AddImplicitPreamble(*Invocation, Files, S->Text.get());
  } else {
    P = nullptr;
    Invocation->getPreprocessorOpts().addRemappedFile(
        Invocation->getFrontendOpts().Inputs[0].getFile(), S->Text.get());
  }
  S->Clang = std::make_unique<CompilerInstance>(std::move(Invocation));
  CompilerInstance &Clang = *S->Clang;
  Clang.setVirtualFileSystem(Files);
  Clang.createDiagnostics(&S->Collector, /*ShouldOwnClient=*/false);
  Clang.getDiagnostics().setFatalsAsError(true);
  if (!Clang.createTarget())
    return cannot("compile for this architecture");
  if (P)
    S->Collector.Found = P->Diagnostics;
  auto Action = std::make_unique<ParseAction>(Bodies);
  ParseAction &Parse = *Action;
  if (!Action->BeginSourceFile(Clang, Clang.getFrontendOpts().Inputs[0]))
    return cannot("start the parse");
  S->Action = std::move(Action);
  if (llvm::Error E = Parse.Execute())
    return std::move(E);
  std::vector<Decl *> Scope;
  if (P)
    Scope = realize(*P, Clang);
  llvm::append_range(Scope, Parse.Declarations);
  Clang.getASTContext().setTraversalScope(Scope);
  return S;
}

Session::~Session() {
  if (Action)
    Action->EndSourceFile();
}

} // namespace catt
