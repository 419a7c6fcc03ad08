//===- CalledFunctions.cpp - Functions whose loops are a kernel's ---------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/values/CalledFunctions.h"
#include "analysis/source/syntax/NodeParts.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SetVector.h"

using namespace clang;

namespace catt {
namespace {

/// What stands in the text: of an instantiation the template's function.
const FunctionDecl *writtenAs(const FunctionDecl &F) {
  const FunctionDecl *Written = F.getTemplateInstantiationPattern();
  return (Written ? Written : &F)->getCanonicalDecl();
}

using Counted = llvm::DenseMap<const FunctionDecl *, NamesOfFunction>;

struct NameCounter : RecursiveASTVisitor<NameCounter> {
  explicit NameCounter(Counted &Out) : Out(Out) {}
  /// Of a template the text counts, and not each of its instantiations.
  bool TraverseFunctionDecl(FunctionDecl *F) {
    return F->isTemplateInstantiation() ||
           RecursiveASTVisitor::TraverseFunctionDecl(F);
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    count(E->getDecl(), E->hasExplicitTemplateArgs());
    return true;
  }
  bool VisitOverloadExpr(OverloadExpr *E) { // of a template, not decided yet
    for (const NamedDecl *D : E->decls())
      count(D->getUnderlyingDecl(), E->hasExplicitTemplateArgs());
    return true;
  }
  bool VisitCallExpr(CallExpr *C) {
    const Expr *Callee = C->getCallee()->IgnoreParenImpCasts();
    if (auto *E = dyn_cast<DeclRefExpr>(Callee))
      called(E->getDecl());
    if (auto *E = dyn_cast<OverloadExpr>(Callee))
      for (const NamedDecl *D : E->decls())
        called(D->getUnderlyingDecl());
    return true;
  }
  NamesOfFunction *of(const NamedDecl *D) {
    if (auto *T = dyn_cast<FunctionTemplateDecl>(D))
      D = T->getTemplatedDecl();
    auto *F = dyn_cast<FunctionDecl>(D);
    return F ? &Out[writtenAs(*F)] : nullptr;
  }
  void count(const NamedDecl *D, bool HasArguments) {
    NamesOfFunction *Names = of(D);
    if (!Names)
      return;
    ++Names->All;
    Names->WithArguments += HasArguments;
  }
  void called(const NamedDecl *D) {
    if (NamesOfFunction *Names = of(D))
      ++Names->Calls;
  }
  Counted &Out;
};

/// Whether its body is compiled for the device alone, as it stands there, and
/// in this file alone.
bool isPlainDeviceFunction(const FunctionDecl &F) {
  const LangOptions &Language = F.getASTContext().getLangOpts();
  const SourceManager &SM = F.getASTContext().getSourceManager();
  const bool IsPlain =
      F.getTemplatedKind() == FunctionDecl::TK_NonTemplate ||
      F.getTemplateSpecializationKind() == TSK_ImplicitInstantiation;
  return SM.isInMainFile(SM.getExpansionLoc(F.getLocation())) &&
         F.hasAttr<CUDADeviceAttr>() && !F.hasAttr<CUDAHostAttr>() &&
         !F.isConstexpr() && !F.isVariadic() && !isa<CXXMethodDecl>(F) &&
         IsPlain &&
         !(Language.GPURelocatableDeviceCode && F.isExternallyVisible());
}

/// The calls of a function in the kernel's own body.
std::vector<const DeclRefExpr *> namesIn(const FunctionDecl &Kernel,
                                         const FunctionDecl &Callee) {
  std::vector<const DeclRefExpr *> Out;
  forEachStmt(Kernel.getBody(), [&](const Stmt &S) {
    auto *E = dyn_cast<DeclRefExpr>(&S);
    auto *F = E ? dyn_cast<FunctionDecl>(E->getDecl()) : nullptr;
    if (F && writtenAs(*F) == writtenAs(Callee))
      Out.push_back(E);
  });
  return Out;
}

/// `auto f = [...](...) { ... };`, if nothing is done with f but to call it.
std::optional<CalledFunction> calledLambda(const VarDecl &V,
                                           const FunctionDecl &Kernel) {
  auto *L = V.getInit() ? dyn_cast<LambdaExpr>(V.getInit()->IgnoreImplicit())
                        : nullptr;
  if (!L || L->isGenericLambda() || L->getBeginLoc().isMacroID() ||
      L->getBody()->getBeginLoc().isMacroID())
    return std::nullopt;
  CalledFunction Out{L->getCallOperator(), std::nullopt, 0, /*IsLambda=*/true};
  size_t Mentions = 0;
  forEachStmt(Kernel.getBody(), [&](const Stmt &S) {
    Mentions += namedVariable(&S) == &V;
    auto *Call = dyn_cast<CXXOperatorCallExpr>(&S);
    Out.Calls += Call && Call->getOperator() == OO_Call &&
                 namedVariable(Call->getArg(0)->IgnoreParenImpCasts()) == &V;
  });
  return Out.Calls && Out.Calls == Mentions ? std::optional(Out) : std::nullopt;
}

void addCalledLambdas(const FunctionDecl &Kernel,
                      std::vector<CalledFunction> &Out) {
  forEachStmt(Kernel.getBody(), [&](const Stmt &S) {
    if (auto *D = dyn_cast<DeclStmt>(&S))
      for (const Decl *Each : D->decls())
        if (auto *V = dyn_cast<VarDecl>(Each))
          if (std::optional<CalledFunction> Found = calledLambda(*V, Kernel))
            Out.push_back(*Found);
  });
}

/// Nothing but calls names its instantiations, which the compiler makes.
bool isOpenTemplate(const FunctionTemplateDecl &T) {
  return llvm::all_of(T.specializations(), [](const FunctionDecl *F) {
    return F->getTemplateSpecializationKind() == TSK_ImplicitInstantiation;
  });
}

/// What is written for one of its instantiations compiles for the others.
bool isOfNumbers(const FunctionTemplateDecl &T) {
  auto IsNumber = [](const TemplateArgument &A) {
    return A.getKind() == TemplateArgument::Integral ||
           (A.getKind() == TemplateArgument::Type &&
            A.getAsType()->isArithmeticType() &&
            !A.getAsType().hasQualifiers());
  };
  return llvm::all_of(T.specializations(), [&](const FunctionDecl *F) {
    return llvm::all_of(F->getTemplateSpecializationArgs()->asArray(),
                        IsNumber);
  });
}

/// std::nullopt if it cannot be a template of a flag, or is not called by the
/// kernel itself.
std::optional<FlaggedCallee> flaggedCallee(const FunctionDecl &Callee,
                                           const FunctionDecl &Kernel,
                                           const NamesOfFunction &Names) {
  const SourceManager &SM = Callee.getASTContext().getSourceManager();
  const FunctionTemplateDecl *Template = Callee.getPrimaryTemplate();
  const FunctionDecl &Written =
      Template ? *Template->getTemplatedDecl() : Callee;
  const bool DeclaredOnce =
      Written.getFirstDecl() == Written.getMostRecentDecl();
  if (!DeclaredOnce || !Callee.getIdentifier() || Callee.isExternC() ||
      Callee.getStorageClass() == SC_Extern || !isAtNamespaceScope(Written) ||
      isBoundToItsFunction(Callee.getBody()) ||
      Callee.getLocation().isMacroID() ||
      (Template && !isOpenTemplate(*Template)))
    return std::nullopt;
  FlaggedCallee Out;
  Out.IsShared = Names.All > 1;
  if (Template && Out.IsShared && !isOfNumbers(*Template))
    return std::nullopt;
  const SourceLocation Begin = SM.getExpansionLoc(Written.getBeginLoc());
  Out.Begin = SM.getFileOffset(Begin);
  if (Template) {
    const SourceLocation Less =
        Template->getTemplateParameters()->getLAngleLoc();
    if (Less.isInvalid() || Less.isMacroID())
      return std::nullopt;
    Out.TemplateBegin = SM.getFileOffset(Less) + 1;
  }
  unsigned WithArguments = 0;
  for (const DeclRefExpr *Name : namesIn(Kernel, Callee)) {
    const bool HasArguments = Name->hasExplicitTemplateArgs();
    const SourceLocation At =
        HasArguments ? Name->getLAngleLoc() : Name->getLocation();
    const unsigned Length = HasArguments ? 1 : Callee.getName().size();
    // Instantiations of one text may want different tiles.
    if (Name->getDecl()->getCanonicalDecl() != Callee.getCanonicalDecl() ||
        Name->getLocation().isMacroID() || At.isMacroID() ||
        SM.getFileID(At) != SM.getFileID(Begin))
      return std::nullopt;
    WithArguments += HasArguments;
    Out.Calls.push_back({SM.getFileOffset(At) + Length, HasArguments});
  }
  // A flag in front of the arguments of others would be one of these.
  if (Out.Calls.empty() || Names.Calls != Names.All ||
      Names.WithArguments != WithArguments)
    return std::nullopt;
  return Out;
}

} // namespace

NamesOfFunction FunctionUses::of(const FunctionDecl &F) {
  if (!Counts) {
    NameCounter Count(Counts.emplace());
    for (Decl *D : Context.getTraversalScope())
      Count.TraverseDecl(D);
  }
  return Counts->lookup(writtenAs(F));
}

std::vector<CalledFunction> calledFunctions(const FunctionDecl &Kernel,
                                            FunctionUses &Uses) {
  std::vector<CalledFunction> Out;
  auto Add = [&](const FunctionDecl &Caller) {
    forEachStmt(Caller.getBody(), [&](const Stmt &S) {
      auto *Call = dyn_cast<CallExpr>(&S);
      const FunctionDecl *Callee = Call ? Call->getDirectCallee() : nullptr;
      if (!Callee || !Callee->hasBody(Callee) ||
          !isPlainDeviceFunction(*Callee) ||
          llvm::any_of(Out, [&](const CalledFunction &Known) {
            return writtenAs(*Known.Definition) == writtenAs(*Callee);
          }))
        return;
      const NamesOfFunction Names = Uses.of(*Callee);
      std::optional<FlaggedCallee> Flagged =
          flaggedCallee(*Callee, Kernel, Names);
      const size_t Calls = Flagged ? Flagged->Calls.size() : 1;
      if (Names.All == 1 || (Flagged && &Caller == &Kernel))
        Out.push_back({Callee, std::move(Flagged), Calls});
    });
  };
  Add(Kernel);
  for (size_t I = 0; I < Out.size(); ++I)
    if (!Out[I].Flagged || !Out[I].Flagged->IsShared)
      Add(*Out[I].Definition);
  addCalledLambdas(Kernel, Out);
  return Out;
}

//===-- Functions of one kernel -------------------------------------------===//

/// The user's functions that a kernel reaches, in the order of their calls.
static std::vector<const FunctionDecl *> reachedBy(const FunctionDecl &Kernel) {
  const SourceManager &SM = Kernel.getASTContext().getSourceManager();
  llvm::SetVector<const FunctionDecl *> Out;
  auto Add = [&](const FunctionDecl &Caller) {
    forEachStmt(Caller.getBody(), [&](const Stmt &S) {
      auto *Call = dyn_cast<CallExpr>(&S);
      const FunctionDecl *F = Call ? Call->getDirectCallee() : nullptr;
      if (F && F->hasBody(F) && !SM.isInSystemHeader(F->getLocation()))
        Out.insert(F);
    });
  };
  Add(Kernel);
  for (size_t I = 0; I < Out.size(); ++I)
    Add(*Out[I]);
  return {Out.begin(), Out.end()};
}

/// Why the text of a function cannot be changed for one kernel, wherever it is
/// called; empty: it can.
static std::optional<Refusal> againstOwning(const FunctionDecl &F,
                                            const NamesOfFunction &Names) {
  const Location Where = locationOf(F.getLocation(), F.getASTContext());
  const std::string Name = "'" + F.getNameAsString() + "'";
  if (F.getLocation().isMacroID() || F.getBody()->getBeginLoc().isMacroID() ||
      F.getBody()->getEndLoc().isMacroID())
    return Refusal{Reason::InMacro, Where, "the macro that defines " + Name};
  if (!isPlainDeviceFunction(F) ||
      F.getTemplatedKind() != FunctionDecl::TK_NonTemplate)
    return Refusal{Reason::CalledElsewhere, Where,
                   Name + " is a template or a method, or not of the device "
                          "and this file alone"};
  if (Names.Calls != Names.All)
    return Refusal{Reason::CalledElsewhere, Where,
                   Name + " is named where it is not called"};
  if (Names.All > 1 && !F.hasAttr<AlwaysInlineAttr>())
    return Refusal{Reason::CalledElsewhere, Where,
                   Name + " is called in several places, and no "
                          "__forceinline__ says that it is inlined"};
  return std::nullopt;
}

std::vector<OnlyCalled> onlyCalled(const FunctionDecl &Kernel,
                                   FunctionUses &Uses,
                                   std::vector<Refusal> &Others) {
  std::vector<OnlyCalled> Out;
  std::vector<const FunctionDecl *> Left;
  for (const FunctionDecl *F : reachedBy(Kernel))
    if (std::optional<Refusal> Why = againstOwning(*F, Uses.of(*F)))
      Others.push_back(*Why);
    else
      Left.push_back(F);
  auto CallsIn = [](const FunctionDecl &Caller, const FunctionDecl &F) {
    return namesIn(Caller, F).size();
  };
  const SourceManager &SM = Kernel.getASTContext().getSourceManager();
  const bool MayOwn = !Kernel.isTemplateInstantiation() &&
                      SM.isInMainFile(SM.getExpansionLoc(Kernel.getLocation()));
  auto IsOwn = [&](const FunctionDecl *F) {
    size_t Calls = CallsIn(Kernel, *F);
    for (const OnlyCalled &Caller : Out)
      Calls += CallsIn(*Caller.Definition, *F);
    if (!MayOwn || Calls != Uses.of(*F).All)
      return false;
    Out.push_back({F, Calls});
    return true;
  };
  for (size_t Before = Left.size() + 1; Left.size() < Before;) {
    Before = Left.size();
    llvm::erase_if(Left, IsOwn);
  }
  for (const FunctionDecl *F : Left)
    Others.push_back({Reason::CalledElsewhere,
                      locationOf(F->getLocation(), F->getASTContext()),
                      "'" + F->getNameAsString() + "' is called by " +
                          (MayOwn ? "others than this kernel"
                                  : "a template, or in a header")});
  return Out;
}

FunctionPlace placeOf(const FunctionDecl &F) {
  const SourceManager &SM = F.getASTContext().getSourceManager();
  auto Offset = [&](SourceLocation At) {
    return SM.getFileOffset(SM.getExpansionLoc(At));
  };
  const FunctionDecl *Written = F.getTemplateInstantiationPattern();
  const Decl *Top = Written ? Written : &F;
  if (auto *T = cast<FunctionDecl>(Top)->getDescribedFunctionTemplate())
    Top = T;
  while (!Top->getLexicalDeclContext()->isTranslationUnit())
    Top = cast<Decl>(Top->getLexicalDeclContext());
  return {Offset(Top->getBeginLoc()), Offset(F.getBody()->getBeginLoc()) + 1};
}

bool isBoundToItsFunction(const Stmt *S) {
  if (!S)
    return false;
  if (isa<PredefinedExpr, AddrLabelExpr>(S)) // __func__, &&label
    return true;
  if (auto *D = dyn_cast<DeclStmt>(S))
    for (const Decl *Each : D->decls())
      if (auto *V = dyn_cast<VarDecl>(Each);
          V && V->isStaticLocal() && !V->hasAttr<CUDASharedAttr>())
        return true;
  return llvm::any_of(S->children(), isBoundToItsFunction);
}

bool isAtNamespaceScope(const Decl &D) {
  const DeclContext *Around = D.getLexicalDeclContext();
  while (Around && isa<NamespaceDecl>(Around))
    Around = Around->getParent();
  return isa_and_nonnull<TranslationUnitDecl>(Around);
}

} // namespace catt
