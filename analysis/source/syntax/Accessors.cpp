//===- Accessors.cpp - Functions that lead to elements --------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/syntax/Accessors.h"
#include "analysis/source/syntax/Effects.h"
#include "analysis/source/syntax/NodeParts.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace catt {

/// An object that a reference leads to; what is changed meanwhile is the
/// caller's matter, as for `this`.
static bool isReadObject(QualType T) {
  return T->isReferenceType() && T->getPointeeType()->isRecordType() &&
         T->getPointeeType().isConstQualified() &&
         !T->getPointeeType().isVolatileQualified();
}

/// A variable that a lambda has from the function around it, which nobody
/// changes.
static bool isFixedCapture(const DeclRefExpr &Name) {
  auto *V = dyn_cast<VarDecl>(Name.getDecl());
  auto *Around =
      V ? dyn_cast<FunctionDecl>(V->getParentFunctionOrMethod()) : nullptr;
  return Around && !V->isInitCapture() && !V->getType()->isReferenceType() &&
         !V->getType()->isArrayType() && !V->getType().isVolatileQualified() &&
         !mayModifyOrInLambdas(Around->getBody(), *V);
}

/// A parameter that is passed by value, or a member of one or of an object.
static bool isHandedOver(const Expr *E) {
  while (auto *M = dyn_cast<MemberExpr>(E->IgnoreParenImpCasts())) {
    const QualType T = M->getMemberDecl()->getType();
    if (!isa<FieldDecl>(M->getMemberDecl()) || T->isReferenceType() ||
        T->isArrayType() || T.isVolatileQualified())
      return false;
    E = M->getBase()->IgnoreParenImpCasts();
    if (isa<CXXThisExpr>(E))
      return true;
    if (M->isArrow())
      return false;
  }
  auto *D = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
  if (D && D->refersToEnclosingVariableOrCapture())
    return isFixedCapture(*D);
  auto *P = D ? dyn_cast<ParmVarDecl>(D->getDecl()) : nullptr;
  return P && !P->getType().isVolatileQualified() &&
         (!P->getType()->isReferenceType() || isReadObject(P->getType()));
}

/// Functions that call functions: `row(i)[j]`.
static constexpr unsigned MostCalls = 3;

static bool callIsArithmetic(const CallExpr &Call, unsigned Calls);

/// Arithmetic on what is handed over, by which nothing can go wrong.
static bool isArithmetic(const Expr *E, unsigned Calls = MostCalls) {
  E = E->IgnoreParenImpCasts();
  if (isa<IntegerLiteral, SubstNonTypeTemplateParmExpr>(E) || isHandedOver(E))
    return true;
  if (auto *C = dyn_cast<ExplicitCastExpr>(E))
    return C->getType()->isIntegerType() &&
           isArithmetic(C->getSubExpr(), Calls);
  if (auto *U = dyn_cast<UnaryOperator>(E))
    return U->isArithmeticOp() && isArithmetic(U->getSubExpr(), Calls);
  if (auto *C = dyn_cast<CallExpr>(E))
    return Calls && callIsArithmetic(*C, Calls - 1);
  auto *B = dyn_cast<BinaryOperator>(E);
  return B && (B->isAdditiveOp() || B->getOpcode() == BO_Mul) &&
         isArithmetic(B->getLHS(), Calls) && isArithmetic(B->getRHS(), Calls);
}

/// `p[i]`, `*p` or `*(p + i)`.
static bool isElement(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (auto *S = dyn_cast<ArraySubscriptExpr>(E))
    return S->getBase()->getType()->isPointerType() &&
           isArithmetic(S->getBase()) && isArithmetic(S->getIdx());
  auto *U = dyn_cast<UnaryOperator>(E);
  return U && U->getOpcode() == UO_Deref && isArithmetic(U->getSubExpr());
}

/// What a function returns that does nothing else; null for every other.
static const Expr *returnedBy(const FunctionDecl &F) {
  const FunctionDecl *Def = nullptr;
  auto *Body = dyn_cast_or_null<CompoundStmt>(F.getBody(Def));
  auto *Method = dyn_cast<CXXMethodDecl>(&F);
  const bool MayChangeCaptured =
      Method && Method->getParent()->isLambda() && !Method->isConst();
  if (!Body || Body->size() != 1 || (Method && Method->isVirtual()) ||
      MayChangeCaptured)
    return nullptr;
  auto *Return = dyn_cast<ReturnStmt>(Body->body_front());
  return Return ? Return->getRetValue() : nullptr;
}

/// `row(i)` of the same object, or of one that is handed over. Whether what a
/// lambda captures stays the same would be asked of the function that calls.
static bool callIsArithmetic(const CallExpr &Call, unsigned Calls) {
  const FunctionDecl *F = Call.getDirectCallee();
  auto *Method = dyn_cast_or_null<CXXMethodDecl>(F);
  if (Method && Method->getParent()->isLambda())
    return false;
  const Expr *Returned = F ? returnedBy(*F) : nullptr, *Of = objectOf(Call);
  Of = Of ? Of->IgnoreParenImpCasts() : nullptr;
  return Returned &&
         (F->getReturnType()->isIntegerType() ||
          F->getReturnType()->isPointerType()) &&
         (!Of || isa<CXXThisExpr>(Of) || isHandedOver(Of)) &&
         isArithmetic(Returned, Calls) &&
         llvm::all_of(argumentsOf(Call), [&](const Expr *Given) {
           return isArithmetic(Given, Calls);
         });
}

bool loadsElement(const FunctionDecl &F) {
  auto *Load = dyn_cast_or_null<ImplicitCastExpr>(returnedBy(F));
  return Load && Load->getCastKind() == CK_LValueToRValue &&
         !Load->getSubExpr()->getType().isVolatileQualified() &&
         isElement(Load->getSubExpr());
}

bool isAccessor(const FunctionDecl &F) {
  const Expr *E = returnedBy(F);
  return loadsElement(F) ||
         (E && F.getReturnType()->isLValueReferenceType() && isElement(E));
}

/// `&x` or an array, rather than a pointer.
static bool isOwnAddress(const Expr *E) {
  E = E->IgnoreParens();
  while (auto *C = dyn_cast<CastExpr>(E)) {
    if (C->getCastKind() == CK_ArrayToPointerDecay)
      return true;
    E = C->getSubExpr()->IgnoreParens();
  }
  auto *U = dyn_cast<UnaryOperator>(E);
  return U && U->getOpcode() == UO_AddrOf;
}

bool givesElement(const CallExpr &Call) {
  const FunctionDecl *Callee = Call.getDirectCallee();
  return Callee && isAccessor(*Callee) &&
         llvm::none_of(Call.arguments(), isOwnAddress);
}

bool isIndexFunction(const FunctionDecl &F) {
  const Expr *E = returnedBy(F);
  return E && F.getReturnType()->isIntegerType() && isArithmetic(E);
}

//===-- An element as the caller would write it ---------------------------===//

namespace {

using Written = std::optional<std::string>;

/// Writes what an accessor returns with the arguments of a call.
class ElementWriter {
public:
  ElementWriter(const CallExpr &Call, const FunctionDecl &Caller,
                llvm::function_ref<Written(const Expr &)> TextOf)
      : Call(Call), Caller(Caller), Context(Caller.getASTContext()),
        TextOf(TextOf) {}

  /// Of E, which isElement or isArithmetic.
  Written write(const Expr *E) const {
    if (isOfTemplate(E))
      return std::nullopt;
    E = E->IgnoreParenImpCasts();
    if (isa<IntegerLiteral>(E))
      return printed(*E);
    if (isHandedOver(E))
      return handedOver(E);
    if (auto *S = dyn_cast<ArraySubscriptExpr>(E))
      return joined(operand(S->getBase()), "[", write(S->getIdx()), "]");
    if (auto *C = dyn_cast<ExplicitCastExpr>(E))
      return cast(C->getType(), operand(C->getSubExpr()));
    if (auto *U = dyn_cast<UnaryOperator>(E))
      return joined("", UnaryOperator::getOpcodeStr(U->getOpcode()).str(),
                    operand(U->getSubExpr()));
    auto *B = dyn_cast<BinaryOperator>(E);
    if (!B)
      return std::nullopt;
    const bool IsProduct = B->getOpcode() == BO_Mul;
    return joined(side(B->getLHS(), IsProduct, /*BindsProducts=*/false),
                  " " + B->getOpcodeStr().str() + " ",
                  side(B->getRHS(), /*BindsSums=*/true, IsProduct));
  }

private:
  /// An argument of a template: IgnoreParens would look through it.
  static bool isOfTemplate(const Expr *E) {
    while (isa<ImplicitCastExpr, ParenExpr>(E))
      E = llvm::cast<Expr>(*E->child_begin());
    return isa<SubstNonTypeTemplateParmExpr>(E);
  }

  static Written joined(const Written &Left, const std::string &Between,
                        const Written &Right, const char *End = "") {
    if (!Left || !Right)
      return std::nullopt;
    return *Left + Between + *Right + End;
  }

  std::string printed(const Expr &E) const {
    std::string Out;
    llvm::raw_string_ostream To(Out);
    E.printPretty(To, nullptr, Context.getPrintingPolicy());
    return Out;
  }

  /// Of a unary operator, a cast or a subscript: in parentheses where it needs
  /// them.
  Written operand(const Expr *E) const {
    E = E->IgnoreParenImpCasts();
    const Written Out = write(E);
    const bool IsName = isa<IntegerLiteral>(E) || isHandedOver(E);
    return IsName || !Out ? Out : "(" + *Out + ")";
  }

  /// Of a binary operator, grouped as it was: types of other widths wrap
  /// elsewhere.
  Written side(const Expr *E, bool BindsSums, bool BindsProducts) const {
    auto *B = dyn_cast<BinaryOperator>(E->IgnoreParenImpCasts());
    const Written Out = write(E);
    const bool IsBound = B && (B->isAdditiveOp() ? BindsSums : BindsProducts);
    return IsBound && Out ? "(" + *Out + ")" : Out;
  }

  Written cast(QualType To, const Written &Of) const {
    To = To.getUnqualifiedType();
    if (To->getAs<SubstTemplateTypeParmType>() || !Of)
      return std::nullopt;
    return "(" + To.getAsString(Context.getPrintingPolicy()) + ")" + *Of;
  }

  /// A parameter, or a member of one or of the object.
  Written handedOver(const Expr *E) const {
    E = E->IgnoreParenImpCasts();
    if (auto *M = dyn_cast<MemberExpr>(E)) {
      if (M->getMemberDecl()->getAccess() != AS_public)
        return std::nullopt;
      const Expr *Of = M->getBase()->IgnoreParenImpCasts();
      const Written Base = isa<CXXThisExpr>(Of) ? object() : handedOver(Of);
      return joined(Base, ".", M->getMemberDecl()->getNameAsString());
    }
    auto *Name = llvm::cast<DeclRefExpr>(E);
    if (Name->refersToEnclosingVariableOrCapture())
      return captured(*llvm::cast<VarDecl>(Name->getDecl()));
    auto *P = dyn_cast<ParmVarDecl>(Name->getDecl());
    llvm::ArrayRef<const Expr *> Given = argumentsOf(Call);
    const unsigned I = P->getFunctionScopeIndex();
    return I < Given.size() ? argument(*Given[I], P->getType()) : std::nullopt;
  }

  /// The caller's own variable, if its name says so everywhere.
  Written captured(const VarDecl &V) const {
    bool IsHidden = V.getParentFunctionOrMethod() != &Caller;
    forEachStmt(Caller.getBody(), [&](const Stmt &S) {
      if (auto *Declares = dyn_cast<DeclStmt>(&S))
        for (const Decl *D : Declares->decls())
          IsHidden |=
              D != &V && isa<NamedDecl>(D) &&
              llvm::cast<NamedDecl>(D)->getIdentifier() == V.getIdentifier();
    });
    return IsHidden ? std::nullopt : Written(V.getNameAsString());
  }

  Written object() const {
    const Expr *Of = objectOf(Call);
    return Of ? named(*Of->IgnoreParenImpCasts()) : std::nullopt;
  }

  /// What is handed over as a parameter of that type.
  Written argument(const Expr &Given, QualType As) const {
    const Expr &E = *withoutCopy(&Given);
    if (E.getType()->isRecordType())
      return named(E);
    const bool IsSame = Context.hasSameUnqualifiedType(E.getType(), As);
    if (As->isPointerType() && !IsSame && !pointsToSame(E.getType(), As))
      return std::nullopt;
    const Written Text = inParentheses(E);
    return IsSame || As->isPointerType() ? Text : cast(As, Text);
  }

  bool pointsToSame(QualType A, QualType B) const {
    return (A->isPointerType() || A->isArrayType()) &&
           Context.hasSameUnqualifiedType(
               QualType(A->getPointeeOrArrayElementType(), 0),
               B->getPointeeType());
  }

  /// `A`, `s.A`, `threadIdx.x`, `1`; else in parentheses.
  Written inParentheses(const Expr &E) const {
    const Written Text = TextOf(E);
    const bool IsName = !E.getBeginLoc().isMacroID() &&
                        isa<DeclRefExpr, MemberExpr, IntegerLiteral>(E);
    return IsName || !Text ? Text : "(" + *Text + ")";
  }

  /// Of an object: only by its name.
  Written named(const Expr &E) const {
    return isa<DeclRefExpr, MemberExpr>(E) && !E.getType()->isPointerType()
               ? TextOf(E)
               : std::nullopt;
  }

  const CallExpr &Call;
  const FunctionDecl &Caller;
  const ASTContext &Context;
  llvm::function_ref<Written(const Expr &)> TextOf;
};

} // namespace

std::optional<std::string> elementText(
    const CallExpr &Call, const FunctionDecl &Caller,
    llvm::function_ref<std::optional<std::string>(const Expr &)> TextOf) {
  const FunctionDecl *Callee = Call.getDirectCallee();
  if (!Callee || !isAccessor(*Callee))
    return std::nullopt;
  return ElementWriter(Call, Caller, TextOf).write(returnedBy(*Callee));
}

} // namespace catt
