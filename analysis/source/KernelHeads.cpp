//===- KernelHeads.cpp - Kernels whose body can serve twice ---------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/KernelHeads.h"
#include "analysis/source/GridUses.h"
#include "analysis/source/values/CalledFunctions.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include "clang/AST/TypeLoc.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace catt {

/// A number, a pointer, or an object of such, which can be handed on in
/// registers: an array in it may have to lie in memory then.
static bool isHandedOn(QualType T, const ASTContext &Context) {
  const CXXRecordDecl *Record = T->getAsCXXRecordDecl();
  if (!Record || !Record->hasDefinition())
    return T->isScalarType();
  return !Record->isUnion() && T.isTriviallyCopyableType(Context) &&
         Record->hasSimpleCopyConstructor() && !T.isVolatileQualified() &&
         llvm::all_of(Record->bases(),
                      [&](const CXXBaseSpecifier &B) {
                        return isHandedOn(B.getType(), Context);
                      }) &&
         llvm::all_of(Record->fields(), [&](const FieldDecl *F) {
           return isHandedOn(F->getType(), Context);
         });
}

static bool isPlainParameter(const ParmVarDecl *P) {
  return !P->getName().empty() && !P->hasDefaultArg() &&
         isHandedOn(P->getType(), P->getASTContext()) && P->attrs().empty();
}

static bool hasDefault(const NamedDecl *P) {
  auto *Type = dyn_cast<TemplateTypeParmDecl>(P);
  auto *Value = dyn_cast<NonTypeTemplateParmDecl>(P);
  return !(Type && !Type->hasDefaultArgument()) &&
         !(Value && !Value->hasDefaultArgument());
}

/// Adds what is to be known of the parameters of a template. False: there can
/// be no other one with them.
static bool addTemplate(const TemplateParameterList &List,
                        const SourceManager &SM, KernelHead &Out) {
  const SourceLocation Open = List.getLAngleLoc(), Close = List.getRAngleLoc();
  if (Open.isMacroID() || Close.isMacroID() || List.getRequiresClause())
    return false;
  std::vector<std::string> Names;
  for (const NamedDecl *P : List) {
    if (P->getName().empty() || P->isParameterPack() || hasDefault(P))
      return false;
    Names.push_back(P->getName().str());
  }
  Out.TemplateBegin = SM.getFileOffset(Open) + 1;
  Out.TemplateEnd = SM.getFileOffset(Close);
  Out.TemplateArguments = llvm::join(Names, ", ");
  return true;
}

std::optional<KernelHead> headOf(const FunctionDecl &F) {
  const FunctionDecl *Pattern = F.getTemplateInstantiationPattern();
  const FunctionDecl &Written = Pattern ? *Pattern : F;
  const FunctionTemplateDecl *Template = Written.getDescribedFunctionTemplate();
  const FunctionTypeLoc Type = Written.getFunctionTypeLoc();
  const bool IsSpecial =
      F.getTemplateSpecializationKind() == TSK_ExplicitSpecialization;
  if (!Type || IsSpecial || bool(Pattern) != bool(Template) ||
      Written.getQualifier() || F.isExternC() || F.isVariadic() ||
      F.getStorageClass() == SC_Extern || !isAtNamespaceScope(Written))
    return std::nullopt;
  const SourceLocation Open = Type.getLParenLoc(), Close = Type.getRParenLoc();
  for (SourceLocation L : {Written.getLocation(), Open, Close})
    if (L.isInvalid() || L.isMacroID())
      return std::nullopt;
  if (!llvm::all_of(F.parameters(), isPlainParameter) ||
      isBoundToItsFunction(F.getBody()))
    return std::nullopt;
  const SourceManager &SM = F.getASTContext().getSourceManager();
  const Decl *Whole = Template ? cast<Decl>(Template) : &Written;
  KernelHead Out;
  Out.Begin = SM.getFileOffset(SM.getExpansionLoc(Whole->getBeginLoc()));
  Out.Name = SM.getFileOffset(Written.getLocation());
  Out.ParametersBegin = SM.getFileOffset(Open);
  Out.ParametersEnd = SM.getFileOffset(Close) + 1;
  if (Template && !addTemplate(*Template->getTemplateParameters(), SM, Out))
    return std::nullopt;
  Out.NoSlices = againstSlices(F);
  return Out;
}

std::string againstCopies(const FunctionDecl &F) {
  const FunctionDecl *Pattern = F.getTemplateInstantiationPattern();
  const FunctionDecl &Written = Pattern ? *Pattern : F;
  const Stmt *Body = F.getBody();
  if (Written.getDeclContext()->isRecord() ||
      Written.getLexicalDeclContext()->isRecord())
    return "a class holds it";
  if (F.getTemplateSpecializationKind() == TSK_ExplicitSpecialization)
    return "it is a specialization of a template";
  if (!Body || F.getLocation().isMacroID() || Body->getBeginLoc().isMacroID() ||
      Body->getEndLoc().isMacroID())
    return "a macro holds it";
  if (isBoundToItsFunction(Body))
    return "it has a static variable, or asks for its own name";
  return "";
}

} // namespace catt
