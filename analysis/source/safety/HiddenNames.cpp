//===- HiddenNames.cpp - Does a name still mean CUDA's? -------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/safety/HiddenNames.h"
#include "analysis/source/safety/WrapSites.h"
#include "analysis/source/syntax/NodeParts.h"
#include "clang/AST/CXXInheritance.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;

namespace catt {
namespace {

class Finder {
public:
  explicit Finder(const ASTContext &Context) : Context(Context) {
    for (llvm::StringRef Name :
         {"threadIdx", "blockDim", "gridDim", "__syncthreads"})
      Names.insert(&Context.Idents.get(Name));
  }

  std::optional<Refusal> findMacro(const FunctionDecl &F);
  std::optional<Refusal> find(const FunctionDecl &F, const Stmt *At);

private:
  bool isOurs(const NamedDecl &D) const {
    return Names.contains(D.getIdentifier());
  }
  void note(const NamedDecl &D) {
    if (!Found && isOurs(D) && !isCudas(D))
      Found = &D;
  }
  bool isCudas(const NamedDecl &D) const;
  void noteBlock(const Decl &D);
  bool noteUpTo(const Stmt &S, const Stmt *At);
  void noteWithin(const Stmt &S);
  void noteTemplate(const TemplateParameterList *Parameters);
  void noteContexts(const FunctionDecl &F);
  void lookUp(const DeclContext &In);
  void lookUpBases(const CXXRecordDecl &R);

  const ASTContext &Context;
  llvm::SmallPtrSet<const IdentifierInfo *, 4> Names;
  llvm::SmallPtrSet<const DeclContext *, 8> Asked;
  const NamedDecl *Found = nullptr;
};

/// Visits what a block-scope statement declares, bindings and enumerators
/// included, and the names that using directives bring.
class EachName : public RecursiveASTVisitor<EachName> {
public:
  explicit EachName(llvm::function_ref<void(const NamedDecl &)> Call)
      : Call(Call) {}
  bool shouldVisitTemplateInstantiations() const { return false; }
  bool VisitNamedDecl(NamedDecl *D) {
    Call(*D);
    return true;
  }
  bool VisitLambdaExpr(LambdaExpr *E) {
    for (const LambdaCapture &C : E->captures())
      if (C.capturesVariable())
        Call(*C.getCapturedVar());
    return true;
  }

private:
  llvm::function_ref<void(const NamedDecl &)> Call;
};

} // namespace

/// Declared by CUDA: in a header of the toolkit, or in the built-in ones, at
/// the top level; or a function of the compiler's own, which clang declares
/// where it is first used.
bool Finder::isCudas(const NamedDecl &D) const {
  const NamedDecl *Under = D.getUnderlyingDecl();
  if (auto *F = dyn_cast<FunctionDecl>(Under);
      F && F->getBuiltinID() != 0 && !F->isDefined())
    return true;
  const SourceManager &SM = Context.getSourceManager();
  return Under->getDeclContext()->getRedeclContext()->isTranslationUnit() &&
         (Under->getLocation().isInvalid() ||
          SM.isInSystemHeader(SM.getExpansionLoc(Under->getLocation())));
}

void Finder::noteBlock(const Decl &D) {
  if (auto *U = dyn_cast<UsingDirectiveDecl>(&D))
    lookUp(*U->getNominatedNamespace());
  EachName([&](const NamedDecl &Each) {
    if (!isa<LabelDecl, FieldDecl>(Each)) // found in no block
      note(Each);
  }).TraverseDecl(const_cast<Decl *>(&D));
}

void Finder::noteWithin(const Stmt &S) {
  forEachStmt(&S, [&](const Stmt &Each) {
    if (auto *D = dyn_cast<DeclStmt>(&Each))
      llvm::for_each(D->decls(), [&](const Decl *X) { noteBlock(*X); });
  });
}

/// Notes what the statements around At declare before it. True if At is S, or
/// stands inside.
bool Finder::noteUpTo(const Stmt &S, const Stmt *At) {
  if (&S == At)
    return true;
  llvm::SmallVector<const Stmt *, 8> Before;
  for (const Stmt *Child : S.children()) {
    if (!Child)
      continue;
    if (noteUpTo(*Child, At)) {
      for (const Stmt *Each : Before)
        if (auto *D = dyn_cast<DeclStmt>(Each))
          for (const Decl *One : D->decls())
            noteBlock(*One);
      if (auto *L = dyn_cast<LambdaExpr>(&S))
        for (const ParmVarDecl *P : L->getCallOperator()->parameters())
          note(*P);
      return true;
    }
    Before.push_back(Child);
  }
  return false;
}

void Finder::noteTemplate(const TemplateParameterList *Parameters) {
  if (Parameters)
    for (const NamedDecl *P : *Parameters)
      note(*P);
}

void Finder::lookUpBases(const CXXRecordDecl &R) {
  for (const CXXBaseSpecifier &B : R.bases()) {
    const CXXRecordDecl *Base = B.getType()->getAsCXXRecordDecl();
    if (Base && Base->hasDefinition())
      lookUp(*Base->getDefinition());
  }
}

void Finder::lookUp(const DeclContext &In) {
  if (!Asked.insert(In.getPrimaryContext()).second)
    return;
  for (const IdentifierInfo *Name : Names)
    for (const NamedDecl *D : In.getPrimaryContext()->lookup(Name))
      note(*D);
  if (auto *R = dyn_cast<CXXRecordDecl>(&In))
    if (R->hasDefinition())
      lookUpBases(*R);
  if (In.isFileContext())
    for (const UsingDirectiveDecl *U :
         In.getPrimaryContext()->using_directives())
      lookUp(*U->getNominatedNamespace());
}

/// The function's own names, and what is around it: of the template too, whose
/// parameters its instantiations no longer have.
void Finder::noteContexts(const FunctionDecl &F) {
  for (const ParmVarDecl *P : F.parameters())
    note(*P);
  if (const FunctionTemplateDecl *T = F.getDescribedFunctionTemplate())
    noteTemplate(T->getTemplateParameters());
  for (const DeclContext *C = F.getDeclContext(); C; C = C->getParent()) {
    lookUp(*C);
    auto *R = dyn_cast<CXXRecordDecl>(C);
    if (!R)
      continue;
    if (const ClassTemplateDecl *T = R->getDescribedClassTemplate())
      noteTemplate(T->getTemplateParameters());
    if (auto *P = dyn_cast<ClassTemplatePartialSpecializationDecl>(R))
      noteTemplate(P->getTemplateParameters());
  }
  for (const DeclContext *C = F.getLexicalDeclContext(); C; C = C->getParent())
    lookUp(*C);
}

std::optional<Refusal> Finder::findMacro(const FunctionDecl &F) {
  for (const IdentifierInfo *Name : Names)
    if (Name->hadMacroDefinition())
      return Refusal{Reason::InMacro,
                     SourceText(Context).location(F.getLocation()),
                     ("the macro " + Name->getName()).str()};
  return std::nullopt;
}

std::optional<Refusal> Finder::find(const FunctionDecl &F, const Stmt *At) {
  if (At)
    noteUpTo(*F.getBody(), At);
  else
    noteWithin(*F.getBody());
  noteContexts(F);
  if (const FunctionDecl *Pattern = F.getTemplateInstantiationPattern())
    noteContexts(*Pattern);
  if (!Found)
    return std::nullopt;
  return Refusal{
      Reason::InMacro, SourceText(Context).location(Found->getLocation()),
      "the declaration that hides CUDA's " + Found->getNameAsString()};
}

std::optional<Refusal> hiddenCudaName(const FunctionDecl &F, const Stmt *At,
                                      const ASTContext &Context) {
  if (!F.getBody())
    return std::nullopt;
  Finder Names(Context);
  std::optional<Refusal> Macro = Names.findMacro(F);
  return Macro ? Macro : Names.find(F, At);
}

std::optional<Refusal> hiddenByDeclaration(const FunctionDecl &F,
                                           const Stmt *At,
                                           const ASTContext &Context) {
  return F.getBody() ? Finder(Context).find(F, At) : std::nullopt;
}

} // namespace catt
