//===- ValueRules.cpp - How values come from values -----------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/source/safety/ValueRules.h"
#include "analysis/source/safety/KnownMath.h"
#include "analysis/source/syntax/NodeKinds.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace catt {

//===-- Facts about declarations -----------------------------------------===//

bool isUnchangedGlobal(const VarDecl &V) {
  if (isLaunchVariable(V))
    return true;
  if (V.hasLocalStorage() || V.hasAttr<CUDASharedAttr>() ||
      V.getTLSKind() != VarDecl::TLS_None || V.getType()->isReferenceType())
    return false;
  if (V.hasAttr<CUDAConstantAttr>() || V.isConstexpr())
    return true;
  const VarDecl *Definition = nullptr;
  return V.getType().isConstant(V.getASTContext()) &&
         V.getAnyInitializer(Definition) &&
         Definition->hasConstantInitialization();
}

bool isPlainObject(QualType T, const ASTContext &Context) {
  return !T->isReferenceType() && !T.isVolatileQualified() &&
         !Context.getBaseElementType(T).isVolatileQualified() &&
         !T->isAtomicType() && !T->isVariablyModifiedType() &&
         T.isDestructedType() == QualType::DK_none;
}

bool takesAValue(const ParmVarDecl &P) {
  QualType T = P.getType();
  if (T->isLValueReferenceType()) {
    T = T->getPointeeType();
    if (!T.isConstQualified())
      return false;
  }
  return isPlainObject(T, P.getASTContext());
}

const VarDecl *variableOf(const ValueDecl *D) {
  if (auto *B = dyn_cast<BindingDecl>(D))
    return dyn_cast_or_null<VarDecl>(B->getDecomposedDecl());
  return dyn_cast<VarDecl>(D);
}

const DeclRefExpr *rootName(const Expr *E) {
  while (E) {
    E = E->IgnoreParens();
    if (auto *D = dyn_cast<DeclRefExpr>(E)) {
      const VarDecl *V = variableOf(D->getDecl());
      return V && V->hasLocalStorage() && !V->getType()->isReferenceType()
                 ? D
                 : nullptr;
    }
    if (auto *M = dyn_cast<MemberExpr>(E)) {
      auto *F = dyn_cast<FieldDecl>(M->getMemberDecl());
      if (!F || F->getType()->isReferenceType() || M->isArrow())
        return nullptr;
      E = M->getBase();
    } else if (auto *A = dyn_cast<ArraySubscriptExpr>(E)) {
      E = arrayOf(*A);
    } else if (auto *C = dyn_cast<ImplicitCastExpr>(E);
               C && roleOf(C->getCastKind()) == CastRole::SamePlace) {
      E = C->getSubExpr();
    } else {
      return nullptr;
    }
  }
  return nullptr;
}

const VarDecl *rootOf(const Expr *Place) {
  const DeclRefExpr *Name = rootName(Place);
  return Name ? variableOf(Name->getDecl()) : nullptr;
}

//===-- Values -----------------------------------------------------------===//

/// blockIdx.x, in the form of clang's header for CUDA.
static bool isLaunchProperty(const PseudoObjectExpr &E) {
  auto *P = dyn_cast<MSPropertyRefExpr>(E.getSyntacticForm());
  const Expr *Base = P ? P->getBaseExpr()->IgnoreParens() : nullptr;
  if (auto *O = dyn_cast_or_null<OpaqueValueExpr>(Base))
    Base = O->getSourceExpr();
  auto *D = dyn_cast_or_null<DeclRefExpr>(Base ? Base->IgnoreParens() : Base);
  return D && isLaunchVariable(*D->getDecl());
}

bool ValueRules::value(const Expr *E) {
  if (!E)
    return true;
  if (E->isGLValue())
    return place(E);
  if (!step() || E->isTypeDependent() || E->isValueDependent() ||
      E->containsErrors())
    return false;
  switch (roleOf(*E)) {
  case NodeRole::Constant: {
    auto *Trait = dyn_cast<UnaryExprOrTypeTraitExpr>(E);
    return !Trait || !Trait->getTypeOfArgument()->isVariablyModifiedType();
  }
  case NodeRole::Wrapper: {
    auto *C = dyn_cast<ConstantExpr>(E);
    if (C && C->hasAPValueResult() && C->getType()->isArithmeticType())
      return true;
    const Expr *Inside = wrappedIn(*E);
    return Inside && value(Inside);
  }
  case NodeRole::Name:
    return roleOf(cast<DeclRefExpr>(E)->getDecl()->getKind()) ==
           DeclRole::Constant;
  case NodeRole::Member: {
    auto *M = cast<MemberExpr>(E);
    return isa<EnumConstantDecl>(M->getMemberDecl()) && value(M->getBase());
  }
  case NodeRole::Cast:
    return castValue(*cast<CastExpr>(E));
  case NodeRole::Unary:
    return unary(*cast<UnaryOperator>(E));
  case NodeRole::Binary:
    return binary(*cast<BinaryOperator>(E));
  case NodeRole::Conditional: {
    auto *C = cast<ConditionalOperator>(E);
    return value(C->getCond()) && value(C->getTrueExpr()) &&
           value(C->getFalseExpr());
  }
  case NodeRole::DefaultedConditional: {
    auto *C = cast<BinaryConditionalOperator>(E);
    return value(C->getCommon()) && value(C->getFalseExpr());
  }
  case NodeRole::Call:
  case NodeRole::MemberCall:
  case NodeRole::OperatorCall:
    return call(*cast<CallExpr>(E));
  case NodeRole::Construct:
    return construct(*cast<CXXConstructExpr>(E));
  case NodeRole::InitList:
    return list(*E);
  case NodeRole::Property:
    return isLaunchProperty(*cast<PseudoObjectExpr>(E));
  default: // what is not listed is refused
    return false;
  }
}

bool ValueRules::castValue(const CastExpr &E) {
  const Expr *Operand = E.getSubExpr();
  switch (roleOf(E.getCastKind())) {
  case CastRole::Load:
  case CastRole::SamePlace:
  case CastRole::Converts:
  case CastRole::Calls:
  case CastRole::Drops:
    return value(Operand);
  default: // an address, or what is not listed
    return false;
  }
}

bool ValueRules::unary(const UnaryOperator &E) {
  switch (roleOf(E.getOpcode())) {
  case OperatorRole::Computes:
  case OperatorRole::Transparent:
    return value(E.getSubExpr());
  case OperatorRole::Assigns:
    return written(*E.getSubExpr());
  case OperatorRole::Dereference:
    return E.isGLValue() && pointee(*E.getSubExpr());
  default: // what is not listed is refused
    return false;
  }
}

bool ValueRules::binary(const BinaryOperator &E) {
  switch (roleOf(E.getOpcode())) {
  case OperatorRole::Computes:
  case OperatorRole::Logical:
  case OperatorRole::Comma:
    return value(E.getLHS()) && value(E.getRHS());
  case OperatorRole::Assigns:
    return written(*E.getLHS()) && value(E.getRHS());
  default: // what is not listed is refused
    return false;
  }
}

bool ValueRules::list(const Expr &E) {
  if (auto *P = dyn_cast<CXXParenListInitExpr>(&E))
    return !P->getArrayFiller() &&
           llvm::all_of(P->getInitExprs(),
                        [&](const Expr *I) { return value(I); });
  auto *L = cast<InitListExpr>(&E);
  if (!L->isSemanticForm())
    L = L->getSemanticForm();
  if (L->hasArrayFiller() && !value(L->getArrayFiller()))
    return false;
  return llvm::all_of(L->inits(), [&](const Expr *I) { return value(I); });
}

//===-- Calls ------------------------------------------------------------===//

bool ValueRules::callComputes(const CallExpr &E) {
  const FunctionDecl *F = E.getDirectCallee();
  if (!F || F->isVariadic() || argumentsOf(E).size() != F->getNumParams())
    return false;
  if (auto *M = dyn_cast<CXXMethodDecl>(F)) {
    if (M->isVirtual() || M->isExplicitObjectMemberFunction())
      return false;
    if (!M->isStatic()) {
      const Expr *Object = objectOf(E);
      if (!Object || !Object->isGLValue() ||
          !(M->isConst() || mayChangeArguments()))
        return false;
      // dim3(blockIdx), by the header's own conversion.
      auto *D = dyn_cast<DeclRefExpr>(Object->IgnoreParens());
      if (D && isLaunchVariable(*D->getDecl()) && isa<CXXConversionDecl>(M))
        return true;
    }
  }
  return isKnownToCompute(*F) || computes(*F);
}

bool ValueRules::call(const CallExpr &E) {
  if (isTrivialAssignment(E))
    return written(*E.getArg(0)) && value(E.getArg(1));
  const Expr *Object = objectOf(E);
  return callComputes(E) && (!Object || place(Object)) &&
         llvm::all_of(argumentsOf(E), [&](const Expr *A) { return value(A); });
}

bool ValueRules::construct(const CXXConstructExpr &E) {
  return isPlainObject(E.getType(), E.getConstructor()->getASTContext()) &&
         (isTrivial(E) || computes(*E.getConstructor())) &&
         llvm::all_of(E.arguments(), [&](const Expr *A) { return value(A); });
}

//===-- Places -----------------------------------------------------------===//

bool ValueRules::place(const Expr *E) {
  if (!step() || E->isTypeDependent() || E->isValueDependent() ||
      E->containsErrors() || E->getType().isVolatileQualified() ||
      E->getType()->isAtomicType())
    return false;
  switch (roleOf(*E)) {
  case NodeRole::Wrapper: {
    const Expr *Inside = wrappedIn(*E);
    return Inside && place(Inside);
  }
  case NodeRole::Temporary:
    return E->getType().isDestructedType() == QualType::DK_none &&
           value(cast<MaterializeTemporaryExpr>(E)->getSubExpr());
  case NodeRole::Name:
    return name(*cast<DeclRefExpr>(E));
  case NodeRole::Member:
    return member(*cast<MemberExpr>(E));
  case NodeRole::Subscript:
    return subscript(*cast<ArraySubscriptExpr>(E));
  case NodeRole::Cast:
    return roleOf(cast<CastExpr>(E)->getCastKind()) == CastRole::SamePlace &&
           place(cast<CastExpr>(E)->getSubExpr());
  case NodeRole::Unary:
    return unary(*cast<UnaryOperator>(E));
  case NodeRole::Binary:
    return binary(*cast<BinaryOperator>(E));
  case NodeRole::Conditional: {
    auto *C = cast<ConditionalOperator>(E);
    return value(C->getCond()) && value(C->getTrueExpr()) &&
           value(C->getFalseExpr());
  }
  case NodeRole::Call:
  case NodeRole::MemberCall:
  case NodeRole::OperatorCall:
    return call(*cast<CallExpr>(E));
  default: // what is not listed is refused
    return false;
  }
}

bool ValueRules::name(const DeclRefExpr &E) {
  if (E.refersToEnclosingVariableOrCapture())
    return false;
  switch (roleOf(E.getDecl()->getKind())) {
  case DeclRole::Variable: {
    const VarDecl &V = *cast<VarDecl>(E.getDecl());
    return V.hasLocalStorage() ? variable(V) : isUnchangedGlobal(V);
  }
  case DeclRole::Binding: {
    auto *B = cast<BindingDecl>(E.getDecl());
    return B->getBinding() && !B->getHoldingVar() && place(B->getBinding());
  }
  default: // what is not listed is refused
    return false;
  }
}

bool ValueRules::member(const MemberExpr &E) {
  if (auto *V = dyn_cast<VarDecl>(E.getMemberDecl()))
    return isUnchangedGlobal(*V);
  auto *F = dyn_cast<FieldDecl>(E.getMemberDecl());
  if (!F || F->getType()->isReferenceType() || F->isMutable())
    return false;
  const Expr *Base = E.getBase()->IgnoreParenImpCasts();
  if (E.isArrow())
    return isa<CXXThisExpr>(Base) ? object() : pointee(*Base);
  return value(E.getBase());
}

bool ValueRules::subscript(const ArraySubscriptExpr &E) {
  const Expr *Base = E.getBase()->IgnoreParens();
  if (!value(E.getIdx()) || !Base->getType()->isPointerType())
    return false;
  if (const Expr *Array = arrayOf(E))
    return place(Array);
  return pointee(*Base);
}

} // namespace catt
