//===- BrokenCode.cpp - Functions that clang could not read ---------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See BrokenCode.h.
//
//===----------------------------------------------------------------------===//
#include "analysis/source/safety/BrokenCode.h"
#include "analysis/source/safety/WrapSites.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"

using namespace clang;

namespace catt {

//===-- Types ------------------------------------------------------------===//

using Records = llvm::SmallPtrSet<const CXXRecordDecl *, 8>;

static bool isSoundType(QualType T, bool NeedsLayout, Records &Seen);

/// Members and bases; a class that is seen again is being looked at.
static bool isSoundRecord(const CXXRecordDecl *R, bool NeedsLayout,
                          Records &Seen) {
  const CXXRecordDecl *Def = R->getDefinition();
  if (!Def)
    return !NeedsLayout && !R->isInvalidDecl();
  if (!Seen.insert(Def).second)
    return true;
  if (Def->isInvalidDecl() || Def->isDependentContext() ||
      !Def->isCompleteDefinition())
    return false;
  for (const CXXBaseSpecifier &B : Def->bases())
    if (!isSoundType(B.getType(), /*NeedsLayout=*/true, Seen))
      return false;
  for (const FieldDecl *F : Def->fields())
    if (F->isInvalidDecl() ||
        !isSoundType(F->getType(), /*NeedsLayout=*/
                     !isa<IncompleteArrayType>(F->getType().getCanonicalType()),
                     Seen))
      return false;
  return true;
}

/// Whatever the type is made of. The class of a pointee may be incomplete.
static bool isSoundType(QualType T, bool NeedsLayout, Records &Seen) {
  if (T.isNull() || T->containsErrors() || T->isDependentType() ||
      T->isUndeducedType())
    return false;
  if (QualType Pointee = T->getPointeeType(); !Pointee.isNull())
    return isSoundType(Pointee, /*NeedsLayout=*/false, Seen);
  if (const Type *Element = T->getArrayElementTypeNoTypeQual())
    return isSoundType(QualType(Element, 0), NeedsLayout, Seen) &&
           (!NeedsLayout || !T->isIncompleteType());
  if (const CXXRecordDecl *R = T->getAsCXXRecordDecl())
    return isSoundRecord(R, NeedsLayout, Seen);
  return !NeedsLayout || !T->isIncompleteType();
}

static bool isSound(QualType T) {
  Records Seen;
  return isSoundType(T, /*NeedsLayout=*/false, Seen);
}

bool hasLayout(QualType T) {
  Records Seen;
  return isSoundType(T, /*NeedsLayout=*/true, Seen);
}

//===-- The definition of one function -----------------------------------===//

namespace {

/// Looks for traces of errors, and for the functions that are named.
class Scan {
public:
  struct Trace {
    SourceLocation Where;
    std::string What;
  };

  void function(const FunctionDecl &F) {
    if (F.isInvalidDecl() || !isSound(F.getReturnType()))
      trace(F.getLocation(), "'" + F.getNameAsString() + "'");
    for (const ParmVarDecl *P : F.parameters())
      variable(*P);
    if (auto *C = dyn_cast<CXXConstructorDecl>(&F))
      for (const CXXCtorInitializer *I : C->inits())
        push(I->getInit());
    push(F.getBody());
    while (!Work.empty() && !Found)
      visit(Work.pop_back_val());
  }

  std::optional<Trace> Found;
  std::vector<const FunctionDecl *> Reaches;

private:
  void push(const Stmt *S) {
    if (S)
      Work.push_back(S);
  }

  void trace(SourceLocation Where, std::string What) {
    if (!Found)
      Found = {Where, std::move(What)};
  }

  void visit(const Stmt *S) {
    if (auto *E = dyn_cast<Expr>(S))
      expression(*E);
    if (auto *D = dyn_cast<DeclStmt>(S))
      for (const Decl *Each : D->decls())
        if (auto *V = dyn_cast<VarDecl>(Each))
          variable(*V);
    if (auto *L = dyn_cast<LambdaExpr>(S); L && L->isGenericLambda()) {
      for (const Expr *Init : L->capture_inits())
        push(Init);
      return; // its body is a template; what is called is an instance of it
    }
    // In the order of the text: the last one pushed is looked at first.
    llvm::SmallVector<const Stmt *, 8> Children(S->children());
    for (const Stmt *Child : llvm::reverse(Children))
      push(Child);
  }

  void expression(const Expr &E) {
    if (E.containsErrors() || E.isTypeDependent() || E.isValueDependent())
      return trace(innermost(E)->getBeginLoc(), "code that has no meaning");
    if (!isSoundCached(E.getType()))
      return trace(E.getBeginLoc(),
                   "a value of type '" + E.getType().getAsString() + "'");
    if (auto *D = dyn_cast<DeclRefExpr>(&E))
      reach(dyn_cast<FunctionDecl>(D->getDecl()));
    else if (auto *M = dyn_cast<MemberExpr>(&E))
      reach(dyn_cast<FunctionDecl>(M->getMemberDecl()));
    else if (auto *C = dyn_cast<CXXConstructExpr>(&E))
      reach(C->getConstructor());
    else if (auto *A = dyn_cast<CXXDefaultArgExpr>(&E))
      push(A->getExpr());
    else if (auto *I = dyn_cast<CXXDefaultInitExpr>(&E))
      I->getExpr()
          ? push(I->getExpr())
          : trace(I->getBeginLoc(), "'" + I->getField()->getNameAsString() +
                                        "', whose default is missing");
  }

  /// Errors spread from the operands to what is made of them.
  static const Expr *innermost(const Expr &E) {
    for (const Stmt *Child : E.children())
      if (auto *Of = dyn_cast_or_null<Expr>(Child);
          Of && (Of->containsErrors() || Of->isTypeDependent()))
        return innermost(*Of);
    return &E;
  }

  void variable(const VarDecl &V) {
    if (!isSoundCached(V.getType()))
      return trace(V.getLocation(),
                   "'" + V.getNameAsString() + "', whose type is not known");
    if (const CXXRecordDecl *R = V.getType()->getAsCXXRecordDecl())
      if (R->hasDefinition())
        reach(R->getDestructor());
  }

  void reach(const FunctionDecl *F) {
    const FunctionDecl *Def = nullptr;
    if (F && F->isInvalidDecl())
      return trace(F->getLocation(), "'" + F->getNameAsString() + "'");
    if (F && F->hasBody(Def) && !Def->isDependentContext() &&
        SeenFunctions.insert(Def).second)
      Reaches.push_back(Def);
  }

  bool isSoundCached(QualType T) {
    const Type *Canonical = T.isNull() ? nullptr : T.getTypePtr();
    if (SoundTypes.contains(Canonical))
      return true;
    if (!isSound(T))
      return false;
    SoundTypes.insert(Canonical);
    return true;
  }

  llvm::SmallVector<const Stmt *, 64> Work;
  llvm::SmallPtrSet<const FunctionDecl *, 16> SeenFunctions;
  llvm::SmallPtrSet<const Type *, 16> SoundTypes;
};

} // namespace

//===-- All functions ----------------------------------------------------===//

BrokenCode::BrokenCode(const ASTContext &Context,
                       const std::vector<Diagnostic> &Diagnostics)
    : Context(Context), Possible(Context.getDiagnostics().hasErrorOccurred()) {
  for (const Diagnostic &D : Diagnostics)
    if (isError(D))
      Errors.push_back(D);
  // What was only warned of for nvcc's sake leaves traces, too.
  Possible |= !Diagnostics.empty();
  if (Possible)
    for (const Decl *D : Context.getTraversalScope())
      collectNames(D);
}

/// Names of what is invalid, or has an error within its lines.
void BrokenCode::collectNames(const Decl *D) {
  if (auto *T = dyn_cast<TemplateDecl>(D); T && T->getTemplatedDecl())
    return collectNames(T->getTemplatedDecl());
  auto *Named = dyn_cast<NamedDecl>(D);
  auto *F = dyn_cast<FunctionDecl>(D);
  bool IsBroken = D->isInvalidDecl() || (F && diagnosticIn(*F));
  if (auto *V = dyn_cast<ValueDecl>(D))
    IsBroken |= V->getType()->containsErrors();
  if (IsBroken && Named && Named->getDeclName().isIdentifier() &&
      !Named->getName().empty())
    Names.insert(Named->getName());
  if (auto *Inside = dyn_cast<DeclContext>(D); Inside && !F)
    for (const Decl *Each : Inside->decls())
      if (!Each->isImplicit())
        collectNames(Each);
}

/// The first of the names in the text of the function, after its own.
std::optional<Refusal> BrokenCode::namedIn(const FunctionDecl &F) const {
  if (Names.empty())
    return std::nullopt;
  const SourceManager &SM = Context.getSourceManager();
  SourceLocation At = SM.getExpansionLoc(F.getBeginLoc()),
                 End = SM.getExpansionLoc(F.getEndLoc());
  SourceLocation Own = SM.getExpansionLoc(F.getLocation());
  while (SM.isBeforeInTranslationUnit(At, End)) {
    std::optional<Token> Next =
        Lexer::findNextToken(At, SM, Context.getLangOpts());
    if (!Next || !Next->isAnyIdentifier()) {
      if (!Next || Next->is(tok::eof))
        return std::nullopt;
    } else if (Next->getLocation() != Own &&
               Names.contains(Next->getRawIdentifier())) {
      return Refusal{
          Reason::BrokenCode, SourceText(Context).location(Next->getLocation()),
          "'" + Next->getRawIdentifier().str() + "', which has an error"};
    }
    At = Next->getLocation();
  }
  return std::nullopt;
}

const Diagnostic *BrokenCode::diagnosticIn(const FunctionDecl &F) const {
  if (Errors.empty())
    return nullptr;
  SourceText Text(Context);
  Location Begin = Text.location(F.getBeginLoc());
  Location End = Text.location(F.getEndLoc());
  for (const Diagnostic &D : Errors)
    if (D.Where.File == Begin.File && Begin.Line <= D.Where.Line &&
        D.Where.Line <= End.Line && Begin.File == End.File)
      return &D;
  return nullptr;
}

const BrokenCode::Known &BrokenCode::look(const FunctionDecl &Definition) {
  std::unique_ptr<Known> &Slot = Memo[&Definition];
  if (Slot)
    return *Slot;
  Slot = std::make_unique<Known>();
  if (!Possible)
    return *Slot;
  Scan Of;
  Of.function(Definition);
  Slot->Reaches = std::move(Of.Reaches);
  if (const Diagnostic *D = diagnosticIn(Definition))
    Slot->Why = Refusal{Reason::BrokenCode, D->Where, D->Message};
  else if (Of.Found)
    Slot->Why =
        Refusal{Reason::BrokenCode,
                SourceText(Context).location(Of.Found->Where), Of.Found->What};
  else
    Slot->Why = namedIn(Definition);
  return *Slot;
}

const std::optional<Refusal> &BrokenCode::error(const FunctionDecl &F) {
  return look(F).Why;
}

std::optional<Refusal> BrokenCode::reached(const FunctionDecl &F) {
  llvm::SmallPtrSet<const FunctionDecl *, 16> Seen = {&F};
  llvm::SmallVector<const FunctionDecl *, 16> Work = {&F};
  while (!Work.empty()) {
    const Known &Here = look(*Work.pop_back_val());
    if (Here.Why)
      return Here.Why;
    for (const FunctionDecl *Next : Here.Reaches)
      if (Seen.insert(Next).second)
        Work.push_back(Next);
  }
  return std::nullopt;
}

} // namespace catt
