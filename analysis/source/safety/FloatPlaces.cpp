//===- FloatPlaces.cpp - Floating-point values on their way ---------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/safety/FloatPlaces.h"
#include "analysis/source/safety/Contraction.h"
#include "analysis/source/safety/KnownMath.h"
#include "analysis/source/syntax/Accessors.h"
#include "analysis/source/syntax/Effects.h"
#include "analysis/source/syntax/NodeParts.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace catt {

//===-- Places ------------------------------------------------------------===//

static bool holdsFloat(QualType T, unsigned Depth = 0) {
  T = T.getNonReferenceType();
  while (T->isAnyPointerType() || T->isArrayType())
    T = T->isArrayType() ? QualType(T->getBaseElementTypeUnsafe(), 0)
                         : T->getPointeeType();
  if (isNarrowFloat(T)) // whatever CUDA's headers keep it in
    return true;
  if (auto *R = T->getAsCXXRecordDecl(); R && R->hasDefinition() && Depth < 4)
    return llvm::any_of(R->fields(),
                        [&](const FieldDecl *F) {
                          return holdsFloat(F->getType(), Depth + 1);
                        }) ||
           llvm::any_of(R->bases(), [&](const CXXBaseSpecifier &B) {
             return holdsFloat(B.getType(), Depth + 1);
           });
  return !T->isIntegralOrEnumerationType() && !T->isVoidType();
}

static bool isPointer(QualType T) { return T->isAnyPointerType(); }

void FloatPlaces::addArgument(const VarDecl &P) {
  if (holdsFloat(P.getType()) && !isPointer(P.getType()))
    define({&P, false}, nullptr, P.getLocation());
}

/// Pointers that are given another value than that of their initializers; steps
/// along what they point into are none.
void FloatPlaces::findReassigned(const Stmt &S) {
  forEachStmt(&S, [&](const Stmt &Each) {
    const Expr *Place = nullptr;
    if (auto *B = dyn_cast<BinaryOperator>(&Each);
        B && B->getOpcode() == BO_Assign)
      Place = B->getLHS();
    if (auto *U = dyn_cast<UnaryOperator>(&Each);
        U && U->getOpcode() == UO_AddrOf) {
      Place = U->getSubExpr();
      if (const VarDecl *V = variableOf(Place))
        Exposed.insert(V);
    }
    if (auto *V = Place ? namedVariable(Place->IgnoreParenCasts()) : nullptr)
      Reassigned.insert(V);
  });
}

bool FloatPlaces::mayBeOne(const FloatRoot &A, const FloatRoot &B) const {
  if (A.Of == B.Of) // *(C + n) is an element of an array C
    return A.Memory == B.Memory || A.Of->getType()->isArrayType();
  auto IsMemory = [&](const FloatRoot &R) {
    return R.Memory || R.Of->getType()->isArrayType() || Exposed.contains(R.Of);
  };
  return (!A.Of || !B.Of) && IsMemory(A) && IsMemory(B);
}

/// p of `p[i].x`, `*(p + i)` and `p->x`, and whether memory lies between.
FloatRoot FloatPlaces::rootOf(const Expr &Top) const {
  const Expr *E = &Top;
  bool Memory = false;
  for (;;) {
    E = E->IgnoreParenCasts();
    if (auto *M = dyn_cast<MemberExpr>(E)) {
      Memory |= M->isArrow();
      E = M->getBase();
    } else if (auto *S = dyn_cast<ArraySubscriptExpr>(E)) {
      E = S->getBase()->IgnoreParenImpCasts();
      Memory |= !E->getType()->isArrayType();
    } else if (auto *U = dyn_cast<UnaryOperator>(E);
               U && U->getOpcode() == UO_Deref) {
      Memory = true;
      E = U->getSubExpr();
    } else if (auto *B = dyn_cast<BinaryOperator>(E);
               B && B->isAdditiveOp() && B->getType()->isAnyPointerType()) {
      E = B->getLHS()->getType()->isAnyPointerType() ? B->getLHS()
                                                     : B->getRHS();
    } else {
      break;
    }
  }
  const VarDecl *V = namedVariable(E);
  if (!V)
    return {nullptr, true};
  // A reference is what it is bound to; a pointer points into what its
  // initializer points to.
  bool Indirect = V->getType()->isReferenceType() ||
                  (Memory && V->hasLocalStorage() && isPointer(V->getType()));
  if (!Indirect || (isa<ParmVarDecl>(V) && isPointer(V->getType())))
    return {V, Memory};
  if (isa<ParmVarDecl>(V) || !V->getInit() || Reassigned.contains(V))
    return {nullptr, true};
  FloatRoot Of = rootOf(*V->getInit());
  return {Of.Of, Of.Memory || isPointer(V->getType())};
}

/// What keeps a product a product: signs, casts between floating types.
static bool passesOn(const Stmt &S) {
  if (auto *U = dyn_cast<UnaryOperator>(&S))
    return U->getOpcode() == UO_Minus || U->getOpcode() == UO_Plus;
  if (auto *C = dyn_cast<CastExpr>(&S))
    return C->getType()->isFloatingType();
  return isa<ParenExpr>(S);
}

/// What takes no part in a fused operation as an addend.
static bool takesFinished(const Stmt &S) {
  if (auto *B = dyn_cast<BinaryOperator>(&S))
    return B->isComparisonOp() || B->getOpcode() == BO_Mul ||
           B->getOpcode() == BO_Div || B->getOpcode() == BO_MulAssign ||
           B->getOpcode() == BO_DivAssign;
  auto *C = dyn_cast<CastExpr>(&S);
  return C && !C->getType()->isFloatingType();
}

/// What becomes of a value in the expression that it is read in.
void FloatPlaces::climb(const Expr &Value, FloatUse &U) const {
  const Stmt *Below = &Value;
  for (const Stmt *S : llvm::reverse(Above)) {
    if (auto *B = dyn_cast<BinaryOperator>(S)) {
      const Expr &Other = Below == B->getLHS() ? *B->getRHS() : *B->getLHS();
      if (B->isComparisonOp())
        return;
      if (B->getOpcode() == BO_Mul || B->getOpcode() == BO_MulAssign)
        U.Scaled |= isConstant(Other) && !isPowerOfTwo(Other, Context);
      if ((B->getOpcode() == BO_Div || B->getOpcode() == BO_DivAssign) &&
          Below == B->getLHS())
        U.Scaled |= isConstant(Other) && mayMultiplyByInverse(*B, Context);
      if (B->isAdditiveOp() || B->getOpcode() == BO_AddAssign ||
          B->getOpcode() == BO_SubAssign) {
        U.Summed = true;
        U.ScaledSum |= U.Scaled;
      }
      if (B->isAssignmentOp())
        U.Into = rootOf(*B->getLHS());
    } else if (auto *D = dyn_cast<DeclStmt>(S)) {
      auto *V =
          D->isSingleDecl() ? dyn_cast<VarDecl>(D->getSingleDecl()) : nullptr;
      U.Into = V ? FloatRoot{V, false} : FloatRoot{nullptr, true};
    }
    if (!isa<Expr>(S))
      return;
    Below = S;
  }
}

/// Read: what designates the place. Value: what its value is, directly below
/// the top of Above.
void FloatPlaces::use(const Expr &Read, const Expr &Value) {
  FloatUse U;
  U.Where = Here;
  size_t I = Above.size();
  while (I > 0 && passesOn(*Above[I - 1]))
    --I;
  U.Finished = I > 0 && takesFinished(*Above[I - 1]);
  auto *To = I > 0 ? dyn_cast<BinaryOperator>(Above[I - 1]) : nullptr;
  U.Copied = I > 0 && ((To && To->getOpcode() == BO_Assign) ||
                       isa<DeclStmt>(Above[I - 1]));
  climb(Value, U);
  Places[rootOf(Read)].Uses.push_back(U);
}

bool FloatPlaces::isFinished(const FloatUse &U,
                             std::set<FloatRoot> &Seen) const {
  if (U.Finished)
    return true;
  if (!U.Copied || !U.Into)
    return false;
  if (!Seen.insert(*U.Into).second)
    return true; // it is looked at already
  return llvm::all_of(Places, [&](const auto &Each) {
    return !mayBeOne(Each.first, *U.Into) ||
           llvm::all_of(Each.second.Uses, [&](const FloatUse &Next) {
             return isFinished(Next, Seen);
           });
  });
}

bool FloatPlaces::isFinished(const FloatUse &U) const {
  std::set<FloatRoot> Seen;
  return isFinished(U, Seen);
}

/// Whether a visit of something above sees what happens to a variable: it is
/// read, or assigned.
bool FloatPlaces::isSeenElsewhere(const DeclRefExpr &E) const {
  const Stmt *Below = &E;
  for (const Stmt *S : llvm::reverse(Above)) {
    if (auto *C = dyn_cast<CastExpr>(S)) {
      if (C->getCastKind() == CK_LValueToRValue)
        return true;
    } else if (auto *B = dyn_cast<BinaryOperator>(S)) {
      return B->isAssignmentOp() && B->getLHS() == Below;
    } else if (auto *M = dyn_cast<MemberExpr>(S)) {
      if (M->isArrow())
        return false;
    } else if (isa<CXXConstructExpr>(S)) {
      return true;
    } else if (!isa<ParenExpr, ArraySubscriptExpr>(S)) {
      return false;
    }
    Below = S;
  }
  return false;
}

//===-- The walk ----------------------------------------------------------===//

void FloatPlaces::walk(const Stmt &S) {
  bool Enters = Here != Side::Wrapped && llvm::is_contained(Wrapped, &S);
  if (Enters) {
    Here = Side::Wrapped;
    IsRepeated |= llvm::any_of(Above, isLoop);
  }
  visit(S);
  Above.push_back(&S);
  for (const Stmt *Child : S.children())
    if (Child)
      walk(*Child);
  Above.pop_back();
  if (Enters)
    Here = Side::After;
}

void FloatPlaces::visit(const Stmt &S) {
  if (auto *D = dyn_cast<DeclStmt>(&S)) {
    for (const Decl *Each : D->decls())
      if (auto *V = dyn_cast<VarDecl>(Each);
          V && V->getInit() && holdsFloat(V->getType()) &&
          !isPointer(V->getType()) && !V->getType()->isReferenceType())
        define({V, false}, V->getInit(), V->getLocation());
    return;
  }
  if (auto *Asm = dyn_cast<AsmStmt>(&S))
    for (unsigned I = 0; I < Asm->getNumOutputs(); ++I)
      if (const Expr *Out = Asm->getOutputExpr(I); holdsFloat(Out->getType()))
        define(rootOf(*Out), nullptr, Out->getExprLoc());
  auto *E = dyn_cast<Expr>(&S);
  if (!E)
    return;
  if (auto *C = dyn_cast<CastExpr>(E);
      C && C->getCastKind() == CK_LValueToRValue &&
      !C->getType()->isIntegralOrEnumerationType() && !isPointer(C->getType()))
    use(*C->getSubExpr(), *C);
  if (auto *D = dyn_cast<DeclRefExpr>(E))
    if (auto *V = dyn_cast<VarDecl>(D->getDecl());
        V && holdsFloat(V->getType()) && !isPointer(V->getType()) &&
        !isSeenElsewhere(*D))
      use(*D, *D);
  if (auto *B = dyn_cast<BinaryOperator>(E)) {
    if (B->isAssignmentOp() && holdsFloat(B->getLHS()->getType()) &&
        !isPointer(B->getLHS()->getType()))
      visitAssignment(*B);
    if (isProduct(*B, Context))
      addProduct(*B, *B->getLHS(), *B->getRHS());
  }
  if (auto *C = dyn_cast<CXXConstructExpr>(E);
      C && C->getConstructor()->isCopyOrMoveConstructor())
    use(*C->getArg(0), *C);
  if (auto *C = dyn_cast<CallExpr>(E)) {
    if (C->getNumArgs() == 2 && isNarrowFloat(C->getType()) &&
        isProduct(*C, Context))
      addProduct(*C, *C->getArg(0), *C->getArg(1));
    visitCall(*C);
  }
}

/// `s += x` uses s for a sum, `s *= x` for a product.
void FloatPlaces::visitAssignment(const BinaryOperator &B) {
  const FloatRoot To = rootOf(*B.getLHS());
  define(To, &B, B.getExprLoc());
  if (!B.isCompoundAssignmentOp())
    return;
  FloatUse U;
  U.Where = Here;
  U.Finished = takesFinished(B);
  U.Summed = !U.Finished;
  U.Added = B.getOpcode() == BO_AddAssign || B.getOpcode() == BO_SubAssign;
  U.Scaled =
      U.Finished && isConstant(*B.getRHS()) &&
      (B.getOpcode() == BO_DivAssign ? mayMultiplyByInverse(B, Context)
                                     : !isPowerOfTwo(*B.getRHS(), Context));
  U.Into = To;
  Places[To].Uses.push_back(U);
}

/// Functions whose results, and what they store through pointers, are no
/// products: loads, shuffles, atomics, roots, and arithmetic that CUDA rounds
/// as it is written.
static bool isRounded(const CallExpr &C) {
  const FunctionDecl *F = C.getDirectCallee();
  if (isRoundedNarrowFloat(C))
    return true;
  if (!F || !F->getIdentifier())
    return false;
  llvm::StringRef Name = F->getName();
  for (llvm::StringRef Head :
       {"__ld", "__shfl", "atomic", "__fmul_r", "__fadd_r", "__fsub_r",
        "__fmaf_r", "__fsqrt_r", "__fdiv_r", "__dmul_r", "__dadd_r", "__dsub_r",
        "__fma_r", "__dsqrt_r", "__ddiv_r"})
    if (Name.starts_with(Head))
      return true;
  if (Name == "rsqrtf") // a double's ends with operations that are not known
    return isKnownToCompute(*F);
  for (llvm::StringRef Root : {"sqrt", "floor", "ceil", "trunc", "rint",
                               "round", "fmax", "fmin", "fma"})
    if (Name == Root || Name == (Root + "f").str())
      return true;
  if (Name == "min" || Name == "max")
    return isKnownToCompute(*F);
  return F->getName() == "printf" || F->getName().starts_with("__sync");
}

bool FloatPlaces::mayBeProductHere(
    const Expr *E, llvm::SmallVectorImpl<const VarDecl *> &Copies) const {
  if (!E)
    return true;
  const Expr *Value = E->IgnoreParenImpCasts();
  if (auto *B = dyn_cast<BinaryOperator>(Value);
      B && B->getOpcode() == BO_Assign)
    Value = B->getRHS()->IgnoreParenImpCasts();
  // What an operator refers to may be a variable that waits in a register.
  auto *O = dyn_cast<CXXOperatorCallExpr>(Value);
  if (auto *C = dyn_cast<CallExpr>(Value); C && !(O && O->isGLValue()))
    return !isRounded(*C) &&
           ((isNarrowFloat(C->getType()) && isProduct(*C, Context)) ||
            returnsProduct(*C, Copies));
  return mayBeProduct(*E, Context, Copies);
}

void FloatPlaces::spreadProducts() {
  std::map<FloatRoot, std::vector<FloatRoot>> CopyOf;
  for (auto &[R, P] : Places)
    for (const FloatDefinition &D : P.Definitions) {
      llvm::SmallVector<const VarDecl *, 2> Copies;
      P.IsProduct |= !D.Finished && mayBeProductHere(D.From, Copies);
      for (const VarDecl *V : Copies)
        CopyOf[R].push_back({V, false});
    }
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (auto &[R, From] : CopyOf)
      if (FloatPlace &P = Places[R]; !P.IsProduct)
        Changed |= P.IsProduct = llvm::any_of(
            From, [&](const FloatRoot &Of) { return Places[Of].IsProduct; });
  }
}

/// `v = w` of a class; and a function of the user's that is handed a place may
/// leave a product in it.
void FloatPlaces::visitCall(const CallExpr &C) {
  auto *O = dyn_cast<CXXOperatorCallExpr>(&C);
  if (O && O->isAssignmentOp()) {
    const OverloadedOperatorKind Kind = O->getOperator();
    define(rootOf(*O->getArg(0)), Kind == OO_Equal ? O->getArg(1) : nullptr,
           O->getExprLoc(),
           (Kind == OO_PlusEqual || Kind == OO_MinusEqual ||
            Kind == OO_SlashEqual) &&
               isNarrowFloat(O->getType()));
    return;
  }
  const FunctionDecl *F = C.getDirectCallee();
  if (isRounded(C) || givesElement(C) || (F && isOfNarrowFloats(*F)))
    return;
  auto IsRead = [&](unsigned I) {
    if (!F || O || I >= F->getNumParams())
      return false;
    const QualType T = F->getParamDecl(I)->getType();
    return T->isReferenceType() && T->getPointeeType().isConstQualified() &&
           !isPointer(T->getPointeeType());
  };
  llvm::SmallVector<const Expr *, 4> Handed;
  for (unsigned I = 0; I < C.getNumArgs(); ++I)
    if (!IsRead(I) && refersToFloats(*C.getArg(I)))
      Handed.push_back(C.getArg(I));
  auto *Method = dyn_cast_or_null<CXXMethodDecl>(F);
  const Expr *Object = O ? nullptr : objectOf(C);
  if (Object && !(Method && Method->isConst()) && refersToFloats(*Object))
    Handed.push_back(Object);
  if (Handed.empty())
    return;
  const Left What = leftBy(C);
  for (const Expr *Place : Handed) {
    const FloatRoot To = referredTo(*Place);
    if (What != Left::Arguments)
      define(To, nullptr, Place->getExprLoc(), What == Left::Finished);
    else
      for (const Expr *Argument : C.arguments())
        define(To, Argument, Place->getExprLoc());
  }
}

/// The callee may assign to what a pointer or a reference refers to.
bool FloatPlaces::refersToFloats(const Expr &Argument) {
  const QualType T = Argument.IgnoreParenImpCasts()->getType();
  const bool Indirect =
      isPointer(T)
          ? !T->getPointeeType().isConstQualified()
          : T->isArrayType() || (Argument.isGLValue() && !T.isConstQualified());
  return Indirect && holdsFloat(T);
}

FloatRoot FloatPlaces::referredTo(const Expr &Argument) const {
  const Expr *A = Argument.IgnoreParenImpCasts();
  auto *Address = dyn_cast<UnaryOperator>(A);
  if (Address && Address->getOpcode() == UO_AddrOf)
    return rootOf(*Address->getSubExpr());
  return isPointer(A->getType()) ? FloatRoot{rootOf(*A).Of, true} : rootOf(*A);
}

void FloatPlaces::addProduct(const Expr &Of, const Expr &First,
                             const Expr &Second) {
  auto Printed = [&](const Expr &Part) {
    std::string Text;
    llvm::raw_string_ostream Out(Text);
    Part.IgnoreParenImpCasts()->printPretty(Out, nullptr,
                                            Context.getPrintingPolicy());
    return Text;
  };
  std::string Left = Printed(First), Right = Printed(Second);
  auto *B = dyn_cast<BinaryOperator>(&Of);
  if (!(B && B->getOpcode() == BO_Div) && Right < Left)
    std::swap(Left, Right);
  Products.push_back({Left, Right, Here, &Of});
}

} // namespace catt
