//===- LaunchNames.cpp - How a launch's kernel is named -------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   k<<<g, b>>>(A)            k, if k alone means this kernel
//   k<<<g, b>>>(A)            ::ns::k<float, 4>, if its arguments are deduced
//   over<<<g, b>>>(A)         static_cast<void (*)(const float *)>(over)
//
// A name in an argument has no arguments of its own to be found or deduced by.
// In the text of a template only a name that is written in full is right for
// every instantiation.
//
//===----------------------------------------------------------------------===//
#include "analysis/source/LaunchTexts.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/QualTypeNames.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;
using llvm::StringRef;

namespace catt {

//===-- Types and values that can be spelled anywhere ---------------------===//

static PrintingPolicy policy(const ASTContext &Context) {
  PrintingPolicy P(Context.getPrintingPolicy());
  P.SuppressUnwrittenScope = true; // unnamed and inline namespaces
  P.SuppressTagKeyword = true;
  return P;
}

/// Whether the declaration has a name that every place in the file may use.
static bool isNameable(const NamedDecl &D) {
  if (!D.getDeclName() || D.getAccess() == AS_private ||
      D.getAccess() == AS_protected)
    return false;
  const DeclContext *Around = D.getDeclContext()->getRedeclContext();
  if (Around->isFileContext())
    return true;
  auto *Class = dyn_cast<CXXRecordDecl>(Around);
  return Class && !Class->isLambda() && isNameable(*Class);
}

static std::string spelled(const ASTContext &Context,
                           const TemplateArgument &A);

/// The type by its qualified name. Empty if it is of a kind that is not known
/// to have one.
static std::string spelled(const ASTContext &Context, QualType T) {
  T = T.getCanonicalType();
  QualType Inner = T;
  while (Inner->isPointerType() || Inner->isReferenceType())
    Inner = Inner->getPointeeType();
  if (auto *Tag = Inner->getAs<TagType>()) {
    const TagDecl *D = Tag->getDecl();
    if (!isNameable(*D))
      return "";
    if (auto *S = dyn_cast<ClassTemplateSpecializationDecl>(D))
      for (const TemplateArgument &A : S->getTemplateArgs().asArray())
        if (spelled(Context, A).empty())
          return "";
  } else if (!Inner->isBuiltinType()) {
    return "";
  }
  std::string Name = TypeName::getFullyQualifiedName(
      T, Context, policy(Context), /*WithGlobalNsPrefix=*/true);
  bool Plain = llvm::all_of(Name, [](char C) {
    return llvm::isAlnum(C) || StringRef("_:<>, *&-").contains(C);
  });
  return Plain ? Name : "";
}

static std::string spelled(const ASTContext &Context,
                           const TemplateArgument &A) {
  if (A.getKind() == TemplateArgument::Type)
    return spelled(Context, A.getAsType());
  if (A.getKind() != TemplateArgument::Integral)
    return "";
  QualType T = A.getIntegralType();
  std::string Number = llvm::toString(A.getAsIntegral(), 10);
  if (T->isBooleanType())
    return Number == "0" ? "false" : "true";
  if (T->isEnumeralType()) {
    std::string Name = spelled(Context, T);
    return Name.empty() ? "" : "static_cast<" + Name + ">(" + Number + ")";
  }
  return A.getAsIntegral().getActiveBits() > 63 && Number[0] != '-'
             ? Number + "ull"
             : Number;
}

//===-- Template arguments ------------------------------------------------===//

namespace {
/// Whether a template parameter occurs in a type.
class ParameterMentions : public RecursiveASTVisitor<ParameterMentions> {
public:
  explicit ParameterMentions(unsigned Index) : Index(Index) {}
  bool VisitTemplateTypeParmType(TemplateTypeParmType *T) {
    Found |= T->getIndex() == Index;
    return !Found;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    auto *P = dyn_cast<NonTypeTemplateParmDecl>(E->getDecl());
    Found |= P && P->getIndex() == Index;
    return !Found;
  }
  bool Found = false;

private:
  unsigned Index;
};
} // namespace

/// Whether no call can deduce the parameter, which has a default argument.
static bool isDefaulted(const FunctionTemplateDecl &Template, unsigned Index) {
  const NamedDecl *P = Template.getTemplateParameters()->getParam(Index);
  auto *Type = dyn_cast<TemplateTypeParmDecl>(P);
  auto *Value = dyn_cast<NonTypeTemplateParmDecl>(P);
  if (!(Type && Type->hasDefaultArgument()) &&
      !(Value && Value->hasDefaultArgument()))
    return false;
  ParameterMentions Visitor(Index);
  for (const ParmVarDecl *Parameter : Template.getTemplatedDecl()->parameters())
    Visitor.TraverseType(Parameter->getType());
  return !Visitor.Found;
}

/// Whether the first Written template arguments say which specialization.
static bool coversAll(const FunctionDecl &Kernel, unsigned Written) {
  const FunctionTemplateDecl *Template = Kernel.getPrimaryTemplate();
  const TemplateArgumentList *Given = Kernel.getTemplateSpecializationArgs();
  const TemplateParameterList *Parameters = Template->getTemplateParameters();
  for (unsigned I = 0; I < Parameters->size(); ++I) {
    if (Parameters->getParam(I)->isParameterPack()) {
      unsigned Explicit = Written > I ? Written - I : 0;
      return I + 1 == Parameters->size() &&
             Given->get(I).pack_size() == Explicit;
    }
    if (I >= Written && !isDefaulted(*Template, I))
      return false;
  }
  return true;
}

/// "<float, 4>", or empty.
static std::string allArguments(const ASTContext &Context,
                                const FunctionDecl &Kernel) {
  const TemplateParameterList *Parameters =
      Kernel.getPrimaryTemplate()->getTemplateParameters();
  std::vector<std::string> Out;
  llvm::ArrayRef<TemplateArgument> Given =
      Kernel.getTemplateSpecializationArgs()->asArray();
  for (size_t I = 0; I < Given.size(); ++I) {
    auto *Value = dyn_cast<NonTypeTemplateParmDecl>(Parameters->getParam(I));
    if (Value && Value->getType()->getContainedAutoType())
      return "";
    bool Pack = Given[I].getKind() == TemplateArgument::Pack;
    if (Pack && I + 1 != Given.size())
      return "";
    for (const TemplateArgument &A :
         Pack ? Given[I].getPackAsArray() : Given.slice(I, 1)) {
      Out.push_back(spelled(Context, A));
      if (Out.back().empty())
        return "";
    }
  }
  return "<" + llvm::join(Out, ", ") + ">";
}

//===-- The kernel --------------------------------------------------------===//

/// "::ns::k", or empty.
static std::string qualified(const ASTContext &Context,
                             const FunctionDecl &Kernel) {
  if (!Kernel.getDeclContext()->getRedeclContext()->isFileContext())
    return "";
  std::string Out = "::";
  llvm::raw_string_ostream Stream(Out);
  Kernel.printQualifiedName(Stream, policy(Context));
  return StringRef(Out).contains('(') ? "" : Out;
}

/// How many functions and templates the namespace has of that name.
static unsigned countInNamespace(const FunctionDecl &Kernel) {
  llvm::SmallPtrSet<const Decl *, 4> Different;
  const DeclContext *Around = Kernel.getDeclContext()->getRedeclContext();
  for (const NamedDecl *D : Around->lookup(Kernel.getDeclName()))
    Different.insert(D->getCanonicalDecl());
  return Different.size();
}

/// Whether the bare name finds the kernel, by the places around it alone.
static bool encloses(const FunctionDecl &Kernel, const DeclContext *Launch) {
  const DeclContext *D = Kernel.getDeclContext()->getRedeclContext();
  while (const auto *N = dyn_cast<NamespaceDecl>(D)) {
    if (!N->isAnonymousNamespace() && !N->isInline())
      break;
    D = N->getParent()->getRedeclContext();
  }
  return D->Encloses(Launch);
}

static std::string castTo(const ASTContext &Context, StringRef Name,
                          const FunctionDecl &Kernel) {
  std::vector<std::string> Types;
  for (const ParmVarDecl *P : Kernel.parameters()) {
    Types.push_back(spelled(Context, P->getType().getUnqualifiedType()));
    if (Types.back().empty())
      return "";
  }
  return ("static_cast<void (*)(" + llvm::join(Types, ", ") + ")>(" + Name +
          ")")
      .str();
}

std::string kernelExpression(const ASTContext &Context,
                             const LaunchTexts::Pattern &At, StringRef Callee,
                             const FunctionDecl &Kernel,
                             std::string &Obstacle) {
  bool Template = Kernel.getPrimaryTemplate() != nullptr;
  // A template's name alone is no function, whatever its defaults are.
  bool Exact =
      !Template || (At.Arguments > 0 && coversAll(Kernel, At.Arguments));
  bool Found = At.Qualified || encloses(Kernel, At.Around);
  bool Several = At.Overloaded || countInNamespace(Kernel) > 1;
  std::string Name = qualified(Context, Kernel);
  if (!At.IsFunction)
    Obstacle = "a launch through '" + Callee.str() + "', which is a variable";
  else if (Callee.empty())
    Obstacle = "a kernel whose name a macro writes";
  else if (Several && (Template || At.Shared))
    Obstacle = "'" + Callee.str() + "' is the name of several kernels";
  else if (!Exact && At.Shared)
    Obstacle = "the template arguments of '" + Callee.str() +
               "' are deduced in a template";
  if (!Obstacle.empty())
    return "";
  std::string Out;
  if (Several)
    Out = castTo(Context, Found ? Callee : StringRef(Name), Kernel);
  else if (Found && Exact)
    Out = Callee.str();
  else if (!Template)
    Out = Name;
  else if (std::string All = allArguments(Context, Kernel);
           !Name.empty() && !All.empty() && !At.Shared)
    Out = Name + All;
  if (Out.empty())
    Obstacle = "the kernel '" + Callee.str() +
               "', whose types or template arguments cannot be spelled";
  return Out;
}

} // namespace catt
