//===- IndexExpressions.cpp - Expression to AffineIndex ---------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The expressions of SymbolicWalk: each rvalue to a Value, each lvalue to a
// Place, each condition to affine guards, or to the reason why not.
//
//===----------------------------------------------------------------------===//

#include "analysis/source/walk/SymbolicWalk.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ParentMapContext.h"
#include "clang/AST/RecordLayout.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <utility>

using namespace clang;

namespace catt {

Value Value::unknown(Refusal Why) {
  Value V;
  V.Why = std::move(Why);
  return V;
}

Value Value::integer(AffineIndex I) {
  Value V;
  V.K = Kind::Integer;
  V.Integer = std::move(I);
  return V;
}

Value Value::pointer(PointerValue P) {
  Value V;
  V.K = Kind::Pointer;
  V.Pointer = std::move(P);
  return V;
}

bool operator==(const Value &A, const Value &B) {
  if (A.K != B.K || A.K == Value::Kind::Unknown)
    return false;
  if (A.isInteger())
    return A.Integer == B.Integer;
  if (A.isPointer())
    return A.Pointer.BaseId == B.Pointer.BaseId && A.Pointer.Offset &&
           B.Pointer.Offset && *A.Pointer.Offset == *B.Pointer.Offset;
  return A.Fields == B.Fields;
}

//===-- Small helpers ----------------------------------------------------===//

std::string SymbolicWalk::text(const Expr &E) const {
  CharSourceRange Range = Lexer::getAsCharRange(
      Context.getSourceManager().getExpansionRange(E.getSourceRange()),
      Context.getSourceManager(), Context.getLangOpts());
  // It is quoted in remarks.
  return onOneLine(Lexer::getSourceText(Range, Context.getSourceManager(),
                                        Context.getLangOpts()));
}

Location SymbolicWalk::location(SourceLocation L) const {
  return locationOf(L, Context);
}

Value SymbolicWalk::unknownAt(const Expr &E, llvm::StringRef Detail) {
  return Value::unknown(
      {Reason::Irregular, location(E.getBeginLoc()), Detail.str()});
}

unsigned SymbolicWalk::baseId(const void *Object, llvm::StringRef Path) {
  auto [It, New] =
      BaseIds.try_emplace({Object, Path.str()}, BaseIds.size() + 1);
  return It->second;
}

int64_t sizeOf(ASTContext &Context, QualType T) {
  if (T.isNull() || T->isDependentType() || T->isIncompleteType() ||
      T->isFunctionType())
    return 1;
  return Context.getTypeSizeInChars(T).getQuantity();
}

bool isIndexType(QualType T) { return T->isIntegralOrEnumerationType(); }

std::optional<int64_t> constantIndex(const Expr &E, const ASTContext &Context) {
  return isIndexType(E.getType()) ? constantValue(&E, Context) : std::nullopt;
}

/// Wrappers that change nothing of the value.
const Expr *strip(const Expr *E) {
  while (true) {
    E = E->IgnoreParens();
    if (auto *X = dyn_cast<FullExpr>(E))
      E = X->getSubExpr();
    else if (auto *X = dyn_cast<MaterializeTemporaryExpr>(E))
      E = X->getSubExpr();
    else if (auto *X = dyn_cast<CXXBindTemporaryExpr>(E))
      E = X->getSubExpr();
    else if (auto *X = dyn_cast<SubstNonTypeTemplateParmExpr>(E))
      E = X->getReplacement();
    else if (auto *X = dyn_cast<OpaqueValueExpr>(E); X && X->getSourceExpr())
      E = X->getSourceExpr();
    else if (auto *X = dyn_cast<CXXDefaultArgExpr>(E))
      E = X->getExpr();
    else if (auto *X = dyn_cast<CXXDefaultInitExpr>(E))
      E = X->getExpr();
    else
      return E;
  }
}

//===-- Thread coordinates -----------------------------------------------===//

static std::optional<Axis> axisOf(llvm::StringRef Field) {
  Field.consume_front("__fetch_builtin_");
  if (Field == "x")
    return Axis::X;
  if (Field == "y")
    return Axis::Y;
  if (Field == "z")
    return Axis::Z;
  return std::nullopt;
}

static std::optional<AffineIndex> coordinate(llvm::StringRef Object, Axis A) {
  if (Object == "threadIdx")
    return AffineIndex::threadIdx(A);
  if (Object == "blockIdx")
    return AffineIndex::blockIdx(A);
  if (Object == "blockDim")
    return AffineIndex::blockDim(A);
  if (Object == "gridDim")
    return AffineIndex::gridDim(A);
  return std::nullopt;
}

/// threadIdx.x as Clang's headers spell it (a property or a call of its
/// getter) and as the built-in declarations do (a field).
std::optional<Value> SymbolicWalk::evalThreadCoordinate(const Expr *E) {
  const Expr *Object = nullptr;
  llvm::StringRef Field;
  if (auto *P = dyn_cast<PseudoObjectExpr>(E))
    E = P->getSyntacticForm()->IgnoreParenImpCasts();
  if (auto *P = dyn_cast<MSPropertyRefExpr>(E)) {
    Object = P->getBaseExpr();
    Field = P->getPropertyDecl()->getName();
  } else if (auto *M = dyn_cast<MemberExpr>(E)) {
    Object = M->getBase();
    Field = identifierOf(M->getMemberDecl());
  } else if (auto *C = dyn_cast<CXXMemberCallExpr>(E)) {
    Object = C->getImplicitObjectArgument();
    Field = identifierOf(C->getMethodDecl());
  }
  if (!Object || Field.empty())
    return std::nullopt;
  const VarDecl *Var = namedVariable(strip(Object)->IgnoreParenImpCasts());
  std::optional<Axis> A = axisOf(Field);
  if (!Var || !A || !Var->hasGlobalStorage() ||
      !Var->getDeclName().isIdentifier())
    return std::nullopt;
  if (auto I = coordinate(Var->getName(), *A))
    return Value::integer(*I);
  if (Var->getName() == "warpSize")
    return Value::integer(WarpLanes);
  return std::nullopt;
}

//===-- Values -----------------------------------------------------------===//

Value SymbolicWalk::evalAsValue(const Expr *E) {
  const Expr *S = strip(E);
  if (S->isGLValue() && !isa<CallExpr>(S) && !isa<BinaryOperator>(S) &&
      !isa<PseudoObjectExpr>(S))
    return load(place(S), *S);
  return eval(S);
}

Value SymbolicWalk::eval(const Expr *E) {
  if (!E)
    return {};
  E = strip(E);
  if (!spend(*E))
    return {};
  if (E->isValueDependent() || E->isTypeDependent())
    return unknownAt(*E, "an uninstantiated template");
  if (auto V = evalThreadCoordinate(E))
    return *V;
  if (auto *L = dyn_cast<IntegerLiteral>(E))
    return Value::integer(L->getValue().getLimitedValue());
  if (auto *L = dyn_cast<CXXBoolLiteralExpr>(E))
    return Value::integer(L->getValue());
  if (auto *L = dyn_cast<CharacterLiteral>(E))
    return Value::integer(L->getValue());
  if (auto *C = dyn_cast<CastExpr>(E))
    return evalCast(C);
  if (auto *B = dyn_cast<BinaryOperator>(E))
    return evalBinary(B);
  if (auto *U = dyn_cast<UnaryOperator>(E))
    return evalUnary(U);
  if (auto *C = dyn_cast<AbstractConditionalOperator>(E))
    return evalConditional(C);
  if (auto *C = dyn_cast<CallExpr>(E))
    return evalCall(C);
  if (auto *C = dyn_cast<CXXConstructExpr>(E))
    return evalConstruct(C);
  if (auto *I = dyn_cast<InitListExpr>(E))
    return evalInitList(I);
  if (auto *P = dyn_cast<PseudoObjectExpr>(E))
    return P->getResultExpr() ? eval(P->getResultExpr()) : Value();
  if (isa<ImplicitValueInitExpr, CXXScalarValueInitExpr>(E) &&
      isIndexType(E->getType()))
    return Value::integer(0);
  if (auto *D = dyn_cast<DeclRefExpr>(E))
    if (auto *C = dyn_cast<EnumConstantDecl>(D->getDecl()))
      return Value::integer(C->getInitVal().getExtValue());
  if (auto *L = dyn_cast<LambdaExpr>(E)) {
    for (const LambdaCapture &C : L->captures())
      if (L->isInitCapture(&C))
        if (auto *V = dyn_cast<VarDecl>(C.getCapturedVar()))
          declare(V);
    return unknownAt(*E, "a lambda");
  }
  if (E->isGLValue())
    return load(place(E), *E);
  if (auto C = constantIndex(*E, Context))
    return Value::integer(*C);
  for (const Stmt *Child : E->children())
    if (auto *X = dyn_cast_or_null<Expr>(Child))
      eval(X);
  return unknownAt(*E, "'" + text(*E) + "'");
}

Value SymbolicWalk::evalCast(const CastExpr *E) {
  const Expr *Sub = E->getSubExpr();
  switch (E->getCastKind()) {
  case CK_LValueToRValue:
    if (auto V = evalThreadCoordinate(strip(Sub)))
      return *V;
    // c ? a : b of two objects is an object, of which one is loaded.
    if (auto *C = dyn_cast<AbstractConditionalOperator>(strip(Sub)))
      return evalConditional(C);
    return load(place(Sub), *strip(Sub));
  case CK_ArrayToPointerDecay: {
    if (isa<StringLiteral>(strip(Sub)))
      return unknownAt(*E, "a string");
    Place P = place(Sub);
    if (P.K == Place::Kind::Memory)
      return Value::pointer(P.Memory);
    return unknownAt(*E, "'" + text(*E) + "'");
  }
  case CK_IntegralCast:
  case CK_BooleanToSignedIntegral:
    return wrapped(evalAsValue(Sub), *E);
  case CK_NoOp:
  case CK_BitCast:
  case CK_AddressSpaceConversion:
  case CK_ConstructorConversion:
  case CK_UserDefinedConversion:
    return evalAsValue(Sub);
  case CK_DerivedToBase:
  case CK_UncheckedDerivedToBase: {
    Value V = evalAsValue(Sub); // members of two classes can share a name
    return V.K == Value::Kind::Record ? unknownAt(*E, "'" + text(*E) + "'") : V;
  }
  case CK_IntegralToBoolean: {
    Value V = eval(Sub);
    if (V.isInteger())
      if (auto C = V.Integer.constant())
        return Value::integer(*C != 0);
    return unknownAt(*E, "'" + text(*E) + "'");
  }
  case CK_FloatingToIntegral: {
    eval(Sub);
    if (auto C = constantValue(E, Context))
      return Value::integer(*C);
    return unknownAt(*E, "the conversion of a floating-point value");
  }
  default:
    if (Sub->isGLValue())
      place(Sub);
    else
      eval(Sub);
    return unknownAt(*E, "'" + text(*E) + "'");
  }
}

Value SymbolicWalk::evalUnary(const UnaryOperator *E) {
  const Expr *Sub = E->getSubExpr();
  if (E->isIncrementDecrementOp()) {
    Place P = place(Sub);
    // One reference that reads and writes: the read is recorded by the store.
    Value Old = load(P, *Sub, /*Record=*/false);
    Value New = evalArithmetic(E->isIncrementOp() ? BO_Add : BO_Sub, Old,
                               Value::integer(1), *Sub);
    store(P, New, *Sub, /*AlsoReads=*/true);
    return E->isPrefix() ? New : Old;
  }
  switch (E->getOpcode()) {
  case UO_Plus:
    return eval(Sub);
  case UO_Minus: {
    Value V = eval(Sub);
    return V.isInteger() ? wrapped(Value::integer(-V.Integer), *E)
                         : unknownAt(*E, "'" + text(*E) + "'");
  }
  case UO_Not: {
    Value V = eval(Sub); // ~x == -x - 1
    return V.isInteger() ? wrapped(Value::integer(-V.Integer - 1), *E)
                         : unknownAt(*E, "'" + text(*E) + "'");
  }
  case UO_AddrOf: {
    if (isa<DeclRefExpr>(strip(Sub)) &&
        isa<FunctionDecl>(cast<DeclRefExpr>(strip(Sub))->getDecl()))
      return unknownAt(*E, "the address of a function");
    Place P = place(Sub);
    if (P.K == Place::Kind::Memory)
      return Value::pointer(P.Memory);
    Value Unknown = unknownAt(*E, "the address of a local variable");
    if (P.K != Place::Kind::Variable)
      return Unknown;
    if (!Quiet) {
      Escaped[P.Variable] = true;
      Variables.erase(P.Variable);
    }
    // Somewhere in a variable of the thread, and in no array of another.
    return Value::pointer({P.Variable->getName().str(), baseId(P.Variable, ""),
                           AddressSpace::Local, std::nullopt, Unknown.Why});
  }
  case UO_Deref:
    return load(place(E), *E);
  default: // !x, __real and the like
    eval(Sub);
    return unknownAt(*E, "'" + text(*E) + "'");
  }
}

Value SymbolicWalk::evalBinary(const BinaryOperator *E) {
  if (E->getOpcode() == BO_Comma) {
    eval(E->getLHS());
    return eval(E->getRHS());
  }
  if (E->getOpcode() == BO_Assign) {
    Value R = evalAsValue(E->getRHS());
    store(place(E->getLHS()), R, *E->getLHS());
    return R;
  }
  if (auto *C = dyn_cast<CompoundAssignOperator>(E)) {
    Value R = evalAsValue(E->getRHS());
    Place P = place(E->getLHS());
    Value Old = load(P, *E->getLHS(), /*Record=*/false);
    Value New = evalArithmetic(
        BinaryOperator::getOpForCompoundAssignment(C->getOpcode()), Old, R,
        *E->getLHS());
    store(P, New, *E->getLHS(), /*AlsoReads=*/true);
    return New;
  }
  if (E->isLogicalOp()) {
    eval(E->getLHS());
    size_t Saved = Guards.size();
    pushCondition(conditionOf(E->getLHS(), E->getOpcode() == BO_LAnd));
    eval(E->getRHS());
    Guards.resize(Saved);
    forgetChanges(E->getRHS());
    return unknownAt(*E, "'" + text(*E) + "'");
  }
  Value L = evalAsValue(E->getLHS());
  Value R = evalAsValue(E->getRHS());
  return evalArithmetic(E->getOpcode(), L, R, *E);
}

Value SymbolicWalk::evalConditional(const AbstractConditionalOperator *E) {
  eval(E->getCond());
  Condition Yes = conditionOf(E->getCond(), true);
  size_t Saved = Guards.size();
  pushCondition(Yes);
  Value Then = evalAsValue(E->getTrueExpr());
  Guards.resize(Saved);
  forgetChanges(E->getTrueExpr());
  pushCondition(conditionOf(E->getCond(), false));
  Value Else = evalAsValue(E->getFalseExpr());
  Guards.resize(Saved);
  forgetChanges(E->getFalseExpr());
  if (Then == Else)
    return Then;
  if (Yes && Yes->empty())
    return Then;
  if (Yes && Yes->size() == 1) {
    const AffineIndex &C = Yes->front().Condition;
    if (auto Known = C.constant())
      return *Known >= 0 ? Then : Else;
    if (Then.isInteger() && Else.isInteger())
      return Value::integer(AffineIndex::select(C, Then.Integer, Else.Integer));
  }
  return unknownAt(*E, "'" + text(*E) + "'");
}

Value SymbolicWalk::evalConstruct(const CXXConstructExpr *E) {
  const CXXConstructorDecl *C = E->getConstructor();
  if (C->isCopyOrMoveConstructor() && C->isDefaulted() && E->getNumArgs() >= 1)
    return evalAsValue(E->getArg(0));
  const FunctionDecl *Def = Mentions::bodyOf(*C);
  bool Simple = Def && isa<CompoundStmt>(Def->getBody()) &&
                Uses.ofObject(*C) != VariableEffect::Escapes &&
                cast<CompoundStmt>(Def->getBody())->body_empty();
  if (!Simple) {
    for (const Expr *A : E->arguments())
      evalAsValue(A);
    return unknownAt(*E,
                     "an object of type '" + E->getType().getAsString() + "'");
  }
  for (auto [P, A] : llvm::zip(Def->parameters(), E->arguments())) {
    if (P->getType()->isReferenceType())
      References[P] = place(A);
    else
      Variables[P] = evalAsValue(A);
  }
  enter(*Def);
  Value V;
  V.K = Value::Kind::Record;
  for (const CXXCtorInitializer *I : cast<CXXConstructorDecl>(Def)->inits())
    if (I->isMemberInitializer())
      V.Fields[I->getMember()->getName().str()] = evalOfNewObject(I->getInit());
  return V;
}

/// `this` is the object that is being made, of which nothing is known yet.
Value SymbolicWalk::evalOfNewObject(const Expr *E) {
  if (Frames.empty())
    return evalAsValue(E);
  Place Outer = std::exchange(Frames.back().This, Place());
  Value V = evalAsValue(E);
  Frames.back().This = std::move(Outer);
  return V;
}

Value SymbolicWalk::evalInitList(const InitListExpr *E) {
  const auto *R = E->getType()->getAsRecordDecl();
  if (!R) {
    if (E->getNumInits() == 1 && !E->getType()->isArrayType())
      return evalAsValue(E->getInit(0));
    for (const Expr *I : E->inits())
      evalAsValue(I);
    if (E->getNumInits() == 0 && isIndexType(E->getType()))
      return Value::integer(0);
    return unknownAt(*E, "an array");
  }
  const auto *Class = dyn_cast<CXXRecordDecl>(R);
  if (R->isUnion() || (Class && Class->getNumBases() > 0)) {
    for (const Expr *I : E->inits()) // not one value for each field
      evalAsValue(I);
    return unknownAt(*E,
                     "an object of type '" + E->getType().getAsString() + "'");
  }
  Value V;
  V.K = Value::Kind::Record;
  auto Field = R->field_begin();
  for (const Expr *I : E->inits()) {
    if (Field == R->field_end())
      break;
    V.Fields[Field->getName().str()] =
        isa<CXXDefaultInitExpr>(I) ? evalOfNewObject(I) : evalAsValue(I);
    ++Field;
  }
  return V;
}

} // namespace catt
