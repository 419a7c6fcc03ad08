//===- Effects.cpp - What a node of the syntax does to objects ------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/syntax/Effects.h"
#include "analysis/source/syntax/Accessors.h"
#include "analysis/source/syntax/NodeKinds.h"
#include "analysis/source/syntax/NodeParts.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/ErrorHandling.h"

#pragma GCC diagnostic error "-Wswitch"

using namespace clang;

namespace catt {

//===-- Calls ------------------------------------------------------------===//

bool isNarrowFloat(QualType T) {
  const CXXRecordDecl *R = T.getNonReferenceType()->getAsCXXRecordDecl();
  return R && R->getIdentifier() &&
         R->getASTContext().getSourceManager().isInSystemHeader(
             R->getLocation()) &&
         llvm::StringSwitch<bool>(R->getName())
             .Cases({"__half", "__half2", "__nv_bfloat16", "__nv_bfloat162"},
                    true)
             .Default(false) &&
         (!T->isReferenceType() || T->getPointeeType().isConstQualified());
}

bool isTrivial(const CXXConstructExpr &E) {
  const CXXConstructorDecl &C = *E.getConstructor();
  return (C.isTrivial() || isNarrowFloat(E.getType())) &&
         (C.isDefaultConstructor() ||
          (C.isCopyOrMoveConstructor() && E.getNumArgs() == 1));
}

const Expr *withoutCopy(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  auto *C = dyn_cast<CXXConstructExpr>(E);
  return C && isTrivial(*C) && C->getNumArgs() == 1
             ? C->getArg(0)->IgnoreParenImpCasts()
             : E;
}

bool isTrivialAssignment(const CallExpr &E) {
  auto *M = dyn_cast_or_null<CXXMethodDecl>(E.getDirectCallee());
  return M && isa<CXXOperatorCallExpr>(E) &&
         (M->isTrivial() || isNarrowFloat(E.getType())) &&
         (M->isCopyAssignmentOperator() || M->isMoveAssignmentOperator());
}

bool convertsToNumber(const FunctionDecl &F) {
  constexpr int64_t MostBytes = 16;
  auto *M = dyn_cast<CXXConversionDecl>(&F);
  if (!M || !M->isConst() || M->isVolatile() || M->isVirtual() ||
      !M->getReturnType()->isArithmeticType())
    return false;
  const ASTContext &Context = F.getASTContext();
  const QualType T = Context.getCanonicalTagType(M->getParent());
  return Context.getSourceManager().isInSystemHeader(F.getLocation()) &&
         T.isTriviallyCopyableType(Context) &&
         Context.getTypeSizeInChars(T).getQuantity() <= MostBytes;
}

bool leavesObject(const CXXMethodDecl &M) {
  return M.isConst() || isAccessor(M) || isIndexFunction(M);
}

const Expr *objectOf(const CallExpr &E) {
  if (auto *M = dyn_cast<CXXMemberCallExpr>(&E))
    return M->getImplicitObjectArgument();
  auto *M = dyn_cast_or_null<CXXMethodDecl>(E.getDirectCallee());
  return M && isa<CXXOperatorCallExpr>(E) && !M->isStatic() ? E.getArg(0)
                                                            : nullptr;
}

llvm::ArrayRef<const Expr *> argumentsOf(const CallExpr &E) {
  llvm::ArrayRef<const Expr *> All(E.getArgs(), E.getNumArgs());
  bool First = isa<CXXOperatorCallExpr>(E) && objectOf(E);
  return All.drop_front(First ? 1 : 0);
}

bool isMutableReference(QualType T) {
  return T->isReferenceType() && !T->getPointeeType().isConstQualified();
}

//===-- Effects ----------------------------------------------------------===//

namespace {

class Collector {
public:
  OperandEffects Found;

  void add(Effect What, const Stmt *Operand, const Expr *Value = nullptr,
           const ParmVarDecl *Parameter = nullptr) {
    auto *E = dyn_cast_or_null<Expr>(Operand);
    if (E && E->isGLValue())
      Found.push_back({What, E, Value, Parameter});
  }
  template <typename RangeT> void addAll(Effect What, RangeT &&Operands) {
    for (const Stmt *S : Operands)
      add(What, S);
  }

  void statement(const Stmt &S);
  void convert(const CastExpr &E);
  void unary(const UnaryOperator &E);
  void binary(const BinaryOperator &E);
  void member(const MemberExpr &E);
  void subscript(const ArraySubscriptExpr &E);
  void call(const CallExpr &E);
  void construct(const CXXConstructExpr &E);
  void variable(const VarDecl &V);
  void declare(const DeclStmt &S);
  void loop(const Stmt &S);
  void returned(const Expr *Value);
  void assembly(const GCCAsmStmt &S);

private:
  void bind(const FunctionDecl *F, llvm::ArrayRef<const Expr *> Arguments);
};

} // namespace

void Collector::convert(const CastExpr &E) {
  const Expr *Operand = E.getSubExpr();
  switch (roleOf(E.getCastKind())) {
  case CastRole::Load:
    return add(Effect::Read, Operand);
  case CastRole::Drops:
    return add(Effect::Discard, Operand);
  case CastRole::Decay:
    return add(Effect::TakeAddress, Operand);
  case CastRole::SamePlace:
  case CastRole::Calls:
    return E.isGLValue() ? void() : add(Effect::Unknown, Operand);
  case CastRole::Converts:
  case CastRole::Unknown: // the same bytes as another type, perhaps
    return add(Effect::Unknown, Operand);
  }
  llvm_unreachable("all roles are listed");
}

void Collector::unary(const UnaryOperator &E) {
  if (E.getOpcode() == UO_AddrOf)
    return add(Effect::TakeAddress, E.getSubExpr());
  switch (roleOf(E.getOpcode())) {
  case OperatorRole::Assigns:
    return add(Effect::ReadWrite, E.getSubExpr());
  case OperatorRole::Transparent:
    return; // passes it on
  case OperatorRole::Computes:
  case OperatorRole::Dereference:
  case OperatorRole::Logical:
  case OperatorRole::Comma:
  case OperatorRole::Unknown:
    return add(Effect::Unknown, E.getSubExpr());
  }
  llvm_unreachable("all roles are listed");
}

void Collector::binary(const BinaryOperator &E) {
  switch (roleOf(E.getOpcode())) {
  case OperatorRole::Assigns:
    add(E.isCompoundAssignmentOp() ? Effect::ReadWrite : Effect::Write,
        E.getLHS(), E.getRHS());
    return add(Effect::Unknown, E.getRHS());
  case OperatorRole::Comma:
    return add(Effect::Discard, E.getLHS()); // and passes the other on
  case OperatorRole::Computes:
  case OperatorRole::Logical:
  case OperatorRole::Dereference:
  case OperatorRole::Transparent:
  case OperatorRole::Unknown:
    return addAll(Effect::Unknown, E.children());
  }
  llvm_unreachable("all roles are listed");
}

/// A method's object belongs to the call.
void Collector::member(const MemberExpr &E) {
  if (E.isArrow())
    return;
  if (auto *F = dyn_cast<FieldDecl>(E.getMemberDecl()))
    return F->getType()->isReferenceType() ? add(Effect::Read, E.getBase())
                                           : void();
  auto *M = dyn_cast<CXXMethodDecl>(E.getMemberDecl());
  if (!M || M->isStatic())
    add(Effect::Discard, E.getBase());
}

void Collector::subscript(const ArraySubscriptExpr &E) {
  if (!arrayOf(E)) // of a vector type
    add(Effect::Unknown, E.getBase());
}

void Collector::bind(const FunctionDecl *F,
                     llvm::ArrayRef<const Expr *> Arguments) {
  for (unsigned I = 0; I < Arguments.size(); ++I) {
    const ParmVarDecl *P =
        F && I < F->getNumParams() ? F->getParamDecl(I) : nullptr;
    bool Const = P && P->getType()->isReferenceType() &&
                 !isMutableReference(P->getType());
    add(Const ? Effect::BindConst : Effect::Bind, Arguments[I], nullptr, P);
  }
}

void Collector::call(const CallExpr &E) {
  if (isTrivialAssignment(E)) {
    add(Effect::Write, E.getArg(0), E.getArg(1));
    return add(Effect::Read, E.getArg(1));
  }
  const FunctionDecl *F = E.getDirectCallee();
  auto *M = dyn_cast_or_null<CXXMethodDecl>(F);
  // Their objects are arguments.
  if (M && (M->isExplicitObjectMemberFunction() ||
            (isa<CXXOperatorCallExpr>(E) && M->isStatic())))
    return addAll(Effect::Bind, E.arguments());
  add(M && leavesObject(*M) ? Effect::BindConst : Effect::Bind, objectOf(E));
  bind(F, argumentsOf(E));
}

void Collector::construct(const CXXConstructExpr &E) {
  if (isTrivial(E))
    return addAll(Effect::Read, E.arguments());
  bind(E.getConstructor(), {E.getArgs(), E.getNumArgs()});
}

void Collector::variable(const VarDecl &V) {
  QualType T = V.getType();
  add(isMutableReference(T)  ? Effect::Bind
      : T->isReferenceType() ? Effect::BindConst
                             : Effect::Unknown,
      V.getInit());
}

void Collector::declare(const DeclStmt &S) {
  for (const Decl *D : S.decls()) {
    if (auto *V = dyn_cast<VarDecl>(D))
      variable(*V);
    if (auto *All = dyn_cast<DecompositionDecl>(D))
      for (const BindingDecl *B : All->bindings())
        if (const VarDecl *Holding = B->getHoldingVar())
          variable(*Holding);
  }
}

void Collector::loop(const Stmt &S) {
  LoopParts P = loopParts(S); // the condition is a value
  for (const Stmt *Part : {P.Init, static_cast<const Stmt *>(P.Inc), P.Body})
    add(Effect::Discard, Part);
}

void Collector::returned(const Expr *Value) {
  bool Const = Value && Value->getType().isConstQualified();
  add(Const ? Effect::BindConst : Effect::Bind, Value);
}

void Collector::assembly(const GCCAsmStmt &S) {
  for (unsigned I = 0; I < S.getNumOutputs(); ++I)
    add(S.isOutputPlusConstraint(I) ? Effect::ReadWrite : Effect::Write,
        S.getOutputExpr(I));
  addAll(Effect::TakeAddress, S.inputs());
}

void Collector::statement(const Stmt &S) {
  switch (roleOf(S)) {
  case NodeRole::Constant: // evaluates none of its operands
  case NodeRole::Name:
  case NodeRole::This:
  case NodeRole::Wrapper:
  case NodeRole::Temporary:
  case NodeRole::Conditional:
  case NodeRole::Property: // what it does is written out in its semantic form
  case NodeRole::StatementExpression:
  case NodeRole::Nothing:
  case NodeRole::Break:
  case NodeRole::Continue:
    return;
  case NodeRole::Member:
    return member(*cast<MemberExpr>(&S));
  case NodeRole::Subscript:
    return subscript(*cast<ArraySubscriptExpr>(&S));
  case NodeRole::Cast:
    return convert(*cast<CastExpr>(&S));
  case NodeRole::Unary:
    return unary(*cast<UnaryOperator>(&S));
  case NodeRole::Binary:
    return binary(*cast<BinaryOperator>(&S));
  case NodeRole::DefaultedConditional: // named once and used twice
    return add(Effect::Unknown,
               cast<BinaryConditionalOperator>(&S)->getCommon());
  case NodeRole::Call:
  case NodeRole::MemberCall:
  case NodeRole::OperatorCall:
    return call(*cast<CallExpr>(&S));
  case NodeRole::Construct:
    return construct(*cast<CXXConstructExpr>(&S));
  case NodeRole::InitList: // a member that is a reference
    return addAll(Effect::Bind, S.children());
  case NodeRole::Lambda:
    return addAll(Effect::Capture, cast<LambdaExpr>(&S)->capture_inits());
  case NodeRole::Declaration:
    return declare(*cast<DeclStmt>(&S));
  case NodeRole::Return:
    return returned(cast<ReturnStmt>(&S)->getRetValue());
  case NodeRole::Loop:
    return loop(S);
  case NodeRole::Assembly:
    return assembly(*cast<GCCAsmStmt>(&S));
  case NodeRole::Block:
  case NodeRole::Attributed:
  case NodeRole::Branch: // conditions are values
  case NodeRole::Switch:
  case NodeRole::Case:
  case NodeRole::RangeLoop:
    return addAll(Effect::Discard, S.children());
  case NodeRole::UnknownControl:
    return addAll(isa<LabelStmt>(S) ? Effect::Discard : Effect::Unknown,
                  S.children());
  case NodeRole::UnknownExpr:
    return addAll(Effect::Unknown, S.children());
  }
  llvm_unreachable("all roles are listed");
}

OperandEffects effectsOf(const Stmt &Node) {
  Collector C;
  C.statement(Node);
  return std::move(C.Found);
}

OperandEffects effectsOf(const VarDecl &V) {
  Collector C;
  C.variable(V);
  return std::move(C.Found);
}

//===-- Places -----------------------------------------------------------===//

const Expr *arrayOf(const ArraySubscriptExpr &E) {
  auto *Decay = dyn_cast<ImplicitCastExpr>(E.getBase()->IgnoreParens());
  return Decay && Decay->getCastKind() == CK_ArrayToPointerDecay
             ? Decay->getSubExpr()
             : nullptr;
}

llvm::SmallVector<const Expr *, 2> passesOn(const Expr &Place) {
  if (!Place.isGLValue())
    return {};
  llvm::SmallVector<const Expr *, 2> Operands;
  switch (roleOf(Place)) {
  case NodeRole::Wrapper:
    Operands = {wrappedIn(Place)};
    break;
  case NodeRole::Member: {
    auto &M = *cast<MemberExpr>(&Place);
    auto *F = dyn_cast<FieldDecl>(M.getMemberDecl());
    if (F && !F->getType()->isReferenceType() && !M.isArrow())
      Operands = {M.getBase()};
    break;
  }
  case NodeRole::Subscript:
    Operands = {arrayOf(*cast<ArraySubscriptExpr>(&Place))};
    break;
  case NodeRole::Cast: {
    CastRole Role = roleOf(cast<CastExpr>(&Place)->getCastKind());
    if (Role == CastRole::SamePlace || Role == CastRole::Calls)
      Operands = {cast<CastExpr>(&Place)->getSubExpr()};
    break;
  }
  case NodeRole::Unary: {
    auto &U = *cast<UnaryOperator>(&Place);
    if (U.isIncrementDecrementOp() || U.getOpcode() == UO_Extension)
      Operands = {U.getSubExpr()};
    break;
  }
  case NodeRole::Binary: {
    auto &B = *cast<BinaryOperator>(&Place);
    if (B.isAssignmentOp())
      Operands = {B.getLHS()};
    else if (B.getOpcode() == BO_Comma)
      Operands = {B.getRHS()};
    break;
  }
  case NodeRole::Conditional:
  case NodeRole::DefaultedConditional: {
    auto &C = *cast<AbstractConditionalOperator>(&Place);
    Operands = {C.getTrueExpr(), C.getFalseExpr()};
    break;
  }
  case NodeRole::OperatorCall:
    if (isTrivialAssignment(*cast<CallExpr>(&Place)))
      Operands = {cast<CallExpr>(&Place)->getArg(0)};
    break;
  default: // effectsOf() says what the node does to its operands
    break;
  }
  llvm::erase_if(Operands, [](const Expr *E) { return !E || !E->isGLValue(); });
  return Operands;
}

//===-- Statements -------------------------------------------------------===//

static bool modifies(Effect What) {
  switch (What) {
  case Effect::Read:
  case Effect::Discard:
  case Effect::BindConst:
    return false;
  case Effect::Write:
  case Effect::ReadWrite:
  case Effect::Bind:
  case Effect::TakeAddress:
  case Effect::Capture:
  case Effect::Unknown:
    return true;
  }
  llvm_unreachable("all effects are listed");
}

static bool mayBe(const Expr &Place, const VarDecl &V) {
  return namedVariable(&Place) == &V ||
         llvm::any_of(passesOn(Place),
                      [&](const Expr *E) { return mayBe(*E, V); });
}

static bool mayModify(const Stmt *S, const VarDecl &V, bool ReadsLambdas) {
  if (!S)
    return false;
  auto *L = dyn_cast<LambdaExpr>(S);
  if (L && ReadsLambdas)
    return mayModify(L->getBody(), V, ReadsLambdas);
  bool Here = llvm::any_of(effectsOf(*S), [&](const OperandEffect &E) {
    return modifies(E.What) && mayBe(*E.Place, V);
  });
  return Here || llvm::any_of(S->children(), [&](const Stmt *Child) {
           return mayModify(Child, V, ReadsLambdas);
         });
}

bool mayModify(const Stmt *S, const VarDecl &V) {
  return mayModify(S, V, /*ReadsLambdas=*/false);
}

bool mayModifyOrInLambdas(const Stmt *S, const VarDecl &V) {
  return mayModify(S, V, /*ReadsLambdas=*/true);
}

/// The place is V or a field of it.
static bool isPartOf(const Expr *Place, const VarDecl &V) {
  while (isa<ParenExpr, MemberExpr, ImplicitCastExpr>(Place)) {
    llvm::SmallVector<const Expr *, 2> Next = passesOn(*Place);
    if (Next.empty())
      return false;
    Place = Next.front();
  }
  return namedVariable(Place) == &V;
}

bool isOnlyRead(const VarDecl &V, const Stmt *S) {
  if (!S)
    return true;
  if (namedVariable(S) == &V)
    return false;
  llvm::SmallVector<const Stmt *, 2> Read;
  for (const OperandEffect &E : effectsOf(*S))
    if (E.What == Effect::Read && isPartOf(E.Place, V))
      Read.push_back(E.Place);
  return llvm::all_of(S->children(), [&](const Stmt *Child) {
    return llvm::is_contained(Read, Child) || isOnlyRead(V, Child);
  });
}

} // namespace catt
