//===- Reach.cpp - Everything that a function executes --------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/safety/Reach.h"
#include "analysis/source/safety/Assembly.h"
#include "analysis/source/safety/StatementKinds.def"
#include "analysis/source/syntax/Effects.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/ExprConcepts.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"

// A kind of statement that is in no list must not compile.
#pragma GCC diagnostic error "-Wswitch"

using namespace clang;

namespace catt {
namespace {

bool isKnownKind(const Stmt &S) {
  switch (S.getStmtClass()) {
  case Stmt::NoStmtClass:
    return false;
#define CATT_CASE(Kind) case Stmt::Kind##Class:
    CATT_KNOWN_STATEMENTS(CATT_CASE)
    return true;
    CATT_REFUSED_STATEMENTS(CATT_CASE)
    return false;
#undef CATT_CASE
  }
  return false;
}

bool isLocal(const VarDecl *V) {
  return V && V->hasLocalStorage() && !V->getType()->isReferenceType();
}

class Walk {
public:
  Walk(const FunctionDecl &F, FunctionBody &B)
      : F(F), Context(F.getASTContext()), B(B) {
    B.Function = &F;
    const SourceManager &SM = Context.getSourceManager();
    KeepsExtents = !SM.isInSystemHeader(SM.getExpansionLoc(F.getLocation()));
  }

  void run() {
    if (auto *C = dyn_cast<CXXConstructorDecl>(&F))
      for (const CXXCtorInitializer *I : C->inits())
        visit(I->getInit());
    visit(F.getBody());
    if (auto *D = dyn_cast<CXXDestructorDecl>(&F))
      destroyParts(*D->getParent());
  }

private:
  const FunctionDecl &F;
  ASTContext &Context;
  FunctionBody &B;
  const Guarded *Under = nullptr;
  unsigned Order = 0;
  bool KeepsExtents;
  std::vector<const Stmt *> BreakTargets, ContinueTargets;
  llvm::DenseSet<const LabelDecl *> Labels;
  llvm::DenseSet<const Expr *> Outputs; ///< `&x` that is an output of a call

  //===-- Events ---------------------------------------------------------===//

  void event(ReachedEvent::Kind What, const Stmt *At, std::string Text,
             const FunctionDecl *Callee = nullptr) {
    B.Events.push_back({What, At, Callee, std::move(Text), Order++});
  }
  void unknown(const Stmt *At, std::string Text) {
    event(ReachedEvent::Kind::Unknown, At, std::move(Text));
  }
  void reads(MemoryReads R) { B.Reads = std::max(B.Reads, R); }

  static bool isSkipped(const FunctionDecl *F) {
    if (const FunctionDecl *P = F->getTemplateInstantiationPattern();
        P && P->hasSkippedBody())
      return true;
    return llvm::any_of(F->redecls(), [](const FunctionDecl *R) {
      return R->hasSkippedBody();
    });
  }

  void callTo(const FunctionDecl *Callee, const Stmt *At) {
    if (const FunctionDecl *Definition = definitionOf(Callee))
      return event(ReachedEvent::Kind::Call, At, "", Definition);
    if (isSkipped(Callee))
      return event(ReachedEvent::Kind::SkippedBody, At,
                   "calls " + spelled(*Callee) +
                       "(), whose body in a system header was not read",
                   Callee);
    if (Callee->isTrivial() || Callee->isDefaulted() || Callee->isImplicit()) {
      // A destructor that nobody wrote destroys the parts.
      if (isa<CXXDestructorDecl>(Callee) && !Callee->isTrivial())
        event(ReachedEvent::Kind::Call, At, "", Callee);
      return;
    }
    if (Callee->isReplaceableGlobalAllocationFunction())
      return;
    unknown(At,
            "calls " + spelled(*Callee) + "(), whose body is not in this file");
  }

  void destroy(QualType T, const Stmt *At) {
    T = Context.getBaseElementType(T);
    auto *R = T->getAsCXXRecordDecl();
    if (!R || !R->hasDefinition() || R->hasTrivialDestructor())
      return;
    if (const CXXDestructorDecl *D = R->getDestructor())
      callTo(D, At);
    else
      unknown(At, "destroys a " + R->getNameAsString());
  }
  void destroyParts(const CXXRecordDecl &R) {
    for (const FieldDecl *Field : R.fields())
      destroy(Field->getType(), nullptr);
    for (const CXXBaseSpecifier &Base : R.bases())
      destroy(Base.getType(), nullptr);
    for (const CXXBaseSpecifier &Base : R.vbases())
      destroy(Base.getType(), nullptr);
  }

  //===-- Conditions, variables ------------------------------------------===//

  const Guarded *push(const Stmt *Construct, const Expr *Value) {
    const Guarded *Before = Under;
    B.Conditions.push_back({Under, Construct, Value});
    Under = &B.Conditions.back();
    return Before;
  }

  void assigned(const VarDecl *V, const Expr *Value, const Stmt *At) {
    if (V && V->hasLocalStorage())
      B.Assignments[V].push_back({Value, At, Under});
  }
  void assigned(const Expr *LValue, const Expr *Value, const Stmt *At) {
    if (const VarDecl *V = rootVariable(LValue))
      assigned(V, Value, At);
    else
      escapes(LValue); // `(a ? b : c) = d`
  }
  /// All variables that the lvalue may be.
  void escapes(const Expr *LValue) {
    if (const VarDecl *V = rootVariable(LValue)) {
      if (V->hasLocalStorage())
        B.Escaping.insert(V);
      return;
    }
    for (const Expr *Operand : passesOn(*LValue))
      escapes(Operand);
  }

  /// What the node does to its operands, which were visited.
  void apply(const Stmt &Node, const OperandEffect &E) {
    switch (E.What) {
    case Effect::Read:
      return reads(readsOf(E.Place));
    case Effect::Write:
      return assigned(E.Place, E.Value, &Node);
    case Effect::ReadWrite:
      return assigned(E.Place, cast<Expr>(&Node), &Node);
    case Effect::BindConst:
      return reads(readsOf(E.Place));
    case Effect::Bind:
    case Effect::Unknown:
      reads(readsOf(E.Place));
      return escapes(E.Place);
    case Effect::TakeAddress:
      return Outputs.contains(dyn_cast<Expr>(&Node)) ? void()
                                                     : escapes(E.Place);
    case Effect::Discard:
    case Effect::Capture: // the lambda's body decides
      return;
    }
  }
  void applyAll(const Stmt &Node) {
    for (const OperandEffect &E : effectsOf(Node))
      apply(Node, E);
  }
  /// Of a call or a construction. A function that is known writes what is bound
  /// to it, and keeps hold of nothing.
  void applyCall(const Expr &Call, const FunctionDecl &Callee, Known What) {
    bool IsOutput = What == Known::Computes || What == Known::WarpWide;
    for (const OperandEffect &E : effectsOf(Call)) {
      bool Object = !E.Parameter && What != Known::Unlisted;
      if (E.What == Effect::Bind && (IsOutput || Object)) {
        reads(readsOf(E.Place));
        if (!Object)
          assigned(E.Place, &Call, &Call);
      } else {
        apply(Call, E);
      }
      if (const VarDecl *V = rootVariable(E.Place); isLocal(V))
        if (E.What == Effect::BindConst || (Object && E.What == Effect::Bind))
          B.ConstBound.push_back({V, &Callee});
    }
  }

  //===-- Statements -----------------------------------------------------===//

  void visit(const Stmt *S) {
    if (!S)
      return;
    ++B.Steps;
    unsigned First = Order++;
    if (!isKnownKind(*S))
      unknown(S, std::string("has a ") + S->getStmtClassName() +
                     ", which is not known to be harmless");
    else if (auto *E = dyn_cast<Expr>(S))
      visitExpression(*E);
    else
      visitStatement(*S);
    // The others know more about what they do.
    if (!isa<CallExpr, CXXConstructExpr, DeclStmt, ReturnStmt, GCCAsmStmt>(S))
      applyAll(*S);
    if (KeepsExtents)
      B.Extents[S] = {First, Order};
  }
  void visitChildren(const Stmt &S) {
    for (const Stmt *Child : S.children())
      visit(Child);
  }

  void visitStatement(const Stmt &S) {
    if (auto *D = dyn_cast<DeclStmt>(&S))
      return visitDeclarations(*D);
    if (auto *I = dyn_cast<IfStmt>(&S))
      return visitIf(*I);
    if (auto *W = dyn_cast<SwitchStmt>(&S))
      return visitSwitch(*W);
    if (isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(&S))
      return visitLoop(S);
    if (auto *A = dyn_cast<GCCAsmStmt>(&S))
      return visitAssembly(*A);
    if (isa<BreakStmt, ContinueStmt, ReturnStmt, GotoStmt>(&S))
      return visitJump(S);
    if (auto *L = dyn_cast<LabelStmt>(&S))
      Labels.insert(L->getDecl());
    visitChildren(S); // blocks, labels, cases, attributes
  }

  void visitDeclarations(const DeclStmt &S) {
    for (const Decl *D : S.decls())
      if (auto *V = dyn_cast<VarDecl>(D))
        visitVariable(*V, S);
  }

  void visitVariable(const VarDecl &V, const Stmt &At) {
    if (const Expr *Init = V.getInit()) {
      visit(Init);
      for (const OperandEffect &E : effectsOf(V))
        apply(At, E);
      assigned(&V, Init, &At);
    }
    if (V.hasLocalStorage() && !V.getType()->isDependentType())
      destroy(V.getType(), &At);
    if (auto *D = dyn_cast<DecompositionDecl>(&V))
      for (const BindingDecl *Binding : D->bindings())
        if (const VarDecl *Holding = Binding->getHoldingVar())
          visitVariable(*Holding, At);
  }

  void visitIf(const IfStmt &I) {
    visit(I.getInit());
    visit(I.getConditionVariableDeclStmt());
    visit(I.getCond());
    const Guarded *Before = push(&I, I.getCond());
    if (I.isConstexpr()) {
      if (auto Taken = I.getNondiscardedCase(Context))
        visit(*Taken);
      else
        visit(I.getThen()), visit(I.getElse());
    } else {
      visit(I.getThen());
      visit(I.getElse());
    }
    Under = Before;
  }

  void visitSwitch(const SwitchStmt &S) {
    visit(S.getInit());
    visit(S.getConditionVariableDeclStmt());
    visit(S.getCond());
    const Guarded *Before = push(&S, S.getCond());
    BreakTargets.push_back(&S);
    visit(S.getBody());
    BreakTargets.pop_back();
    Under = Before;
  }

  void visitLoop(const Stmt &S) {
    const Expr *Test = nullptr;
    const Stmt *Step = nullptr;
    llvm::SmallVector<const Stmt *, 4> Inside; // in any order
    if (auto *L = dyn_cast<ForStmt>(&S)) {
      visit(L->getInit());
      Test = L->getCond();
      Step = L->getInc();
      Inside = {L->getConditionVariableDeclStmt(), Test, L->getBody(), Step};
    } else if (auto *L = dyn_cast<WhileStmt>(&S)) {
      Test = L->getCond();
      Inside = {L->getConditionVariableDeclStmt(), Test, L->getBody()};
    } else if (auto *L = dyn_cast<DoStmt>(&S)) {
      Test = L->getCond();
      Inside = {L->getBody(), Test};
    } else if (auto *L = dyn_cast<CXXForRangeStmt>(&S)) {
      visit(L->getInit());
      visit(L->getRangeStmt());
      visit(L->getBeginStmt());
      visit(L->getEndStmt());
      Test = L->getCond();
      Step = L->getInc();
      Inside = {Test, L->getLoopVarStmt(), L->getBody(), Step};
    }
    const Guarded *Before = push(&S, Test);
    B.Loops.push_back({&S, Test, Step, Under});
    BreakTargets.push_back(&S);
    ContinueTargets.push_back(&S);
    for (const Stmt *Part : Inside)
      visit(Part);
    BreakTargets.pop_back();
    ContinueTargets.pop_back();
    Under = Before;
  }

  void visitJump(const Stmt &S) {
    ReachedJump J{&S, nullptr, false, Under};
    if (isa<BreakStmt>(S) && !BreakTargets.empty())
      J.Target = BreakTargets.back();
    if (isa<ContinueStmt>(S) && !ContinueTargets.empty()) {
      J.Target = ContinueTargets.back();
      J.Continues = true;
    }
    if (auto *R = dyn_cast<ReturnStmt>(&S)) {
      visit(R->getRetValue());
      for (const OperandEffect &E : effectsOf(S))
        if (E.What == Effect::Bind) // who calls reads it
          escapes(E.Place);
    }
    if (auto *G = dyn_cast<GotoStmt>(&S)) {
      B.HasGoto = true;
      B.HasBackwardGoto |= Labels.contains(G->getLabel());
    }
    B.Jumps.push_back(J);
  }

  void visitAssembly(const GCCAsmStmt &S) {
    AssemblyFacts Facts = readAssembly(S);
    visitChildren(S);
    if (!Facts.isHarmless())
      event(ReachedEvent::Kind::Assembly, &S,
            "inline assembly: " + Facts.Unknown);
    if (Facts.WarpWide)
      event(ReachedEvent::Kind::WarpWide, &S, "");
    if (Facts.ReadsMemory || !Facts.isHarmless())
      reads(MemoryReads::Polled);
    for (const Expr *Out : S.outputs()) {
      if (Facts.ReadsMemory || !Facts.isHarmless())
        assigned(Out, nullptr, &S);
      assigned(Out, Out, &S);
      for (const Expr *In : S.inputs())
        assigned(Out, In, &S);
    }
  }

  //===-- Expressions ----------------------------------------------------===//

  void visitExpression(const Expr &E) {
    if (auto *C = dyn_cast<CallExpr>(&E))
      return visitCall(*C);
    if (auto *B = dyn_cast<BinaryOperator>(&E))
      return visitBinary(*B);
    if (auto *C = dyn_cast<CastExpr>(&E))
      return visitCast(*C);
    if (auto *A = dyn_cast<ArraySubscriptExpr>(&E))
      return visitSubscript(*A);
    if (auto *C = dyn_cast<AbstractConditionalOperator>(&E))
      return visitConditional(*C);
    if (isa<CXXConstructExpr, CXXInheritedCtorInitExpr, CXXBindTemporaryExpr,
            CXXNewExpr, CXXDeleteExpr, LambdaExpr, CXXDefaultArgExpr,
            CXXDefaultInitExpr>(&E))
      return visitObject(E);
    visitOther(E);
  }

  void visitObject(const Expr &E) {
    if (auto *C = dyn_cast<CXXConstructExpr>(&E))
      return visitConstruct(*C);
    if (auto *C = dyn_cast<CXXInheritedCtorInitExpr>(&E))
      return callTo(C->getConstructor(), &E);
    if (auto *D = dyn_cast<CXXDefaultArgExpr>(&E))
      return visit(D->getExpr());
    if (auto *D = dyn_cast<CXXDefaultInitExpr>(&E))
      return visit(D->getExpr());
    if (auto *L = dyn_cast<LambdaExpr>(&E))
      return visitLambda(*L);
    visitChildren(E);
    if (isa<CXXBindTemporaryExpr>(E))
      destroy(E.getType(), &E);
    if (auto *N = dyn_cast<CXXNewExpr>(&E); N && N->getOperatorNew())
      if (!N->getOperatorNew()->isReservedGlobalPlacementOperator())
        callTo(N->getOperatorNew(), &E);
    if (auto *D = dyn_cast<CXXDeleteExpr>(&E)) {
      auto *R = D->getDestroyedType().isNull()
                    ? nullptr
                    : D->getDestroyedType()->getAsCXXRecordDecl();
      if (R && R->getDestructor() && R->getDestructor()->isVirtual())
        unknown(&E, "deletes through a virtual destructor");
      else if (R)
        destroy(D->getDestroyedType(), &E);
      if (D->getOperatorDelete())
        callTo(D->getOperatorDelete(), &E);
    }
  }

  void visitConstruct(const CXXConstructExpr &E) {
    const CXXConstructorDecl *C = E.getConstructor();
    visitChildren(E);
    applyCall(E, *C, Known::Unlisted);
    if (!C->isTrivial() && knownFunction(*C) == Known::Unlisted)
      callTo(C, &E);
  }

  void visitLambda(const LambdaExpr &L) {
    for (const Expr *Init : L.capture_inits())
      visit(Init);
    for (const LambdaCapture &C : L.captures()) {
      if (!C.capturesVariable() || C.getCaptureKind() != LCK_ByRef)
        continue;
      auto *V = dyn_cast<VarDecl>(C.getCapturedVar());
      if (V && V->isInitCapture())
        escapes(V->getInit());
      else if (V && !isOnlyRead(*V, L.getBody()))
        B.Escaping.insert(V);
    }
  }

  void visitBinary(const BinaryOperator &E) {
    if (E.isLogicalOp()) {
      visit(E.getLHS());
      const Guarded *Before = push(&E, E.getLHS());
      visit(E.getRHS());
      Under = Before;
      return;
    }
    visitChildren(E);
  }

  static bool dropsConst(const CastExpr &C) {
    QualType From = C.getSubExpr()->getType(), To = C.getType();
    if (From->isPointerType() && To->isPointerType()) {
      From = From->getPointeeType();
      To = To->getPointeeType();
    } else if (!C.isGLValue()) {
      return false;
    }
    return From.isConstQualified() && !To.isConstQualified();
  }

  void visitCast(const CastExpr &E) {
    B.CastsAwayConst |= dropsConst(E);
    visitChildren(E);
  }

  void visitSubscript(const ArraySubscriptExpr &E) {
    const Expr *Array = arrayOf(E);
    visit(Array ? Array : E.getBase());
    visit(E.getIdx());
  }

  void visitConditional(const AbstractConditionalOperator &E) {
    auto *Elvis = dyn_cast<BinaryConditionalOperator>(&E);
    visit(Elvis ? Elvis->getCommon() : E.getCond());
    const Guarded *Before = push(&E, E.getCond());
    if (!Elvis)
      visit(E.getTrueExpr());
    visit(E.getFalseExpr());
    Under = Before;
  }

  void visitOther(const Expr &E) {
    if (isa<UnaryExprOrTypeTraitExpr, CXXNoexceptExpr, TypeTraitExpr,
            OffsetOfExpr, ConceptSpecializationExpr, RequiresExpr,
            SizeOfPackExpr, ArrayTypeTraitExpr, ExpressionTraitExpr>(E))
      return; // not evaluated
    if (isa<AtomicExpr>(E))
      reads(MemoryReads::Polled);
    if (auto *P = dyn_cast<PseudoObjectExpr>(&E)) {
      for (const Expr *Part : P->semantics())
        visit(Part);
      return;
    }
    if (auto *O = dyn_cast<OpaqueValueExpr>(&E))
      return visit(O->getSourceExpr());
    if (auto *A = dyn_cast<ArrayInitLoopExpr>(&E)) {
      visit(A->getCommonExpr()->getSourceExpr());
      return visit(A->getSubExpr());
    }
    if (auto *I = dyn_cast<InitListExpr>(&E)) {
      if (I->getSemanticForm())
        I = I->getSemanticForm();
      if (I->hasArrayFiller())
        visit(I->getArrayFiller());
      return visitChildren(*I);
    }
    if (auto *R = dyn_cast<CXXRewrittenBinaryOperator>(&E))
      return visit(R->getSemanticForm());
    if (auto *G = dyn_cast<GenericSelectionExpr>(&E))
      return visit(G->getResultExpr());
    if (auto *C = dyn_cast<ChooseExpr>(&E))
      return visit(C->getChosenSubExpr());
    visitChildren(E);
  }

  //===-- Calls ----------------------------------------------------------===//

  static bool isVirtualCall(const CallExpr &E, const FunctionDecl &Callee) {
    auto *M = dyn_cast<CXXMethodDecl>(&Callee);
    if (!M || !M->isVirtual() || M->hasAttr<FinalAttr>() ||
        M->getParent()->hasAttr<FinalAttr>())
      return false;
    auto *Member = dyn_cast<MemberExpr>(E.getCallee()->IgnoreParens());
    return !Member || !Member->hasQualifier();
  }

  void visitCall(const CallExpr &E) {
    const FunctionDecl *Callee = E.getDirectCallee();
    if (!Callee) {
      visitChildren(E);
      applyAll(E);
      if (!isa<CXXPseudoDestructorExpr>(E.getCallee()->IgnoreParens()))
        unknown(&E, "calls through a pointer");
      return;
    }
    Known What = knownFunction(*Callee);
    visitArguments(E, *Callee, What);
    if (isVirtualCall(E, *Callee))
      return unknown(&E, "calls " + spelled(*Callee) + "(), which is virtual");
    visitKnown(E, *Callee, What);
  }

  void visitArguments(const CallExpr &E, const FunctionDecl &Callee,
                      Known What) {
    bool IsOutput = What == Known::Computes || What == Known::WarpWide;
    if (auto *M = dyn_cast<MemberExpr>(E.getCallee()->IgnoreParens()))
      visit(M->getBase());
    for (const Expr *A : E.arguments()) {
      if (auto *U = dyn_cast<UnaryOperator>(A->IgnoreParenImpCasts());
          U && U->getOpcode() == UO_AddrOf && IsOutput) {
        Outputs.insert(U);
        assigned(U->getSubExpr(), &E, &E);
      }
      visit(A);
    }
    applyCall(E, Callee, What);
  }

  void visitKnown(const CallExpr &E, const FunctionDecl &Callee, Known What) {
    std::string Text = "calls " + spelled(Callee) + "()";
    switch (What) {
    case Known::Unlisted:
      return callTo(&Callee, &E);
    case Known::PollingLoad:
    case Known::Atomic:
      return reads(MemoryReads::Polled);
    case Known::WarpWide:
      return event(ReachedEvent::Kind::WarpWide, &E, Text);
    case Known::BlockBarrier:
      return event(ReachedEvent::Kind::BlockBarrier, &E, Text);
    case Known::NamedBarrier:
      return event(ReachedEvent::Kind::NamedBarrier, &E, Text);
    case Known::Waits:
      return event(ReachedEvent::Kind::Waits, &E, Text);
    case Known::Computes:
    case Known::ReadsThread:
    case Known::ReadOnlyLoad:
    case Known::Store:
    case Known::Fence:
    case Known::Output:
    case Known::TakesMemory:
      return;
    }
  }
};

} // namespace

void readFunction(const FunctionDecl &Definition, FunctionBody &Out) {
  Walk(Definition, Out).run();
}

} // namespace catt
