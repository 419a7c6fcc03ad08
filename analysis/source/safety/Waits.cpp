//===- Waits.cpp - Loops that wait for another thread ---------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/safety/Waits.h"
#include "analysis/source/safety/Counters.h"
#include "analysis/source/syntax/NodeParts.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace catt {
namespace {

/// Each answer is what may let an exit depend on other threads; null: nothing.
class ExitProof {
public:
  ExitProof(const FunctionBody &B, const LoopShape *L, CallFactsOf Facts)
      : B(B), L(L), Facts(Facts), Steps(B, L) {}

  /// A conjunct of the loop's own test: true as long as it goes on.
  const Stmt *ofTest(const Expr *E) {
    E = E->IgnoreParenImpCasts();
    if (auto *X = dyn_cast<BinaryOperator>(E); X && X->getOpcode() == BO_LAnd) {
      const Stmt *D = ofTest(X->getLHS());
      return D ? D : ofTest(X->getRHS());
    }
    return ofValue(E, /*AllowPlain=*/Steps.isCounted(E));
  }

  const Stmt *ofValue(const Expr *E, bool AllowPlain = false) {
    Seen.clear();
    SeenConditions.clear();
    Plain = AllowPlain;
    return value(E);
  }

  /// Why control comes to a jump out of the loop.
  const Stmt *ofJump(const ReachedJump &J) {
    Seen.clear();
    SeenConditions.clear();
    Plain = false;
    return control(J.Under);
  }

private:
  const FunctionBody &B;
  const LoopShape *L;
  CallFactsOf Facts;
  Counters Steps;
  llvm::DenseSet<const VarDecl *> Seen;
  llvm::DenseSet<const Guarded *> SeenConditions;
  bool Plain = false; ///< plain loads are harmless now

  const Stmt *plain(const Stmt *At) const { return Plain ? nullptr : At; }
  template <typename Range> const Stmt *any(Range &&Parts) {
    for (const Stmt *S : Parts)
      if (auto *E = dyn_cast_or_null<Expr>(S))
        if (const Stmt *D = value(E))
          return D;
    return nullptr;
  }

  //===-- Control --------------------------------------------------------===//

  /// The conditions inside the loop under which something runs.
  const Stmt *conditions(const Guarded *Under) {
    for (const Guarded *C = Under; C && !(L && C->Construct == L->Loop);
         C = C->Outer)
      if (C->Value && SeenConditions.insert(C).second)
        if (const Stmt *D = value(C->Value))
          return D;
    return nullptr;
  }

  /// The same, and the conditions of the jumps that may skip it.
  const Stmt *control(const Guarded *Under) {
    if (const Stmt *D = conditions(Under))
      return D;
    for (const ReachedJump &J : B.Jumps) {
      if (!L || !J.Under || !J.Under->isInside(L->Loop) || !J.Target)
        continue;
      bool Skips = J.Target == L->Loop ? J.Continues
                                       : !L->Inside->isInside(J.Target) &&
                                             Under && Under->isInside(J.Target);
      if (const Stmt *D = Skips ? conditions(J.Under) : nullptr)
        return D;
    }
    return nullptr;
  }

  const Stmt *variable(const VarDecl *V, const Expr *At) {
    if (V->getType().isVolatileQualified())
      return At;
    if (isConstantMemory(*V))
      return nullptr;
    if (!V->hasLocalStorage() || V->getType()->isReferenceType() ||
        !Steps.isOwn(V) || isChangedElsewhere(V))
      return plain(At);
    if (!Seen.insert(V).second || Steps.isCounter(V))
      return nullptr;
    auto It = B.Assignments.find(V);
    if (It != B.Assignments.end())
      for (const ReachedAssignment &A : It->second) {
        if (!Steps.isInLoop(A.Under))
          continue;
        if (!A.Value)
          return A.At;
        if (const Stmt *D = value(A.Value))
          return D;
        if (const Stmt *D = control(A.Under))
          return D;
      }
    return L ? nullptr : parameter(V);
  }

  /// A parameter of a function that calls itself takes those arguments.
  const Stmt *parameter(const VarDecl *V) {
    auto *P = dyn_cast<ParmVarDecl>(V);
    for (const ReachedEvent &E : B.Events) {
      auto *C = dyn_cast_or_null<CallExpr>(E.At);
      if (!P || E.Callee != B.Function || !C)
        continue;
      if (isa<CXXOperatorCallExpr>(C) ||
          P->getFunctionScopeIndex() >= C->getNumArgs())
        return E.At;
      if (const Stmt *D = value(C->getArg(P->getFunctionScopeIndex())))
        return D;
    }
    return nullptr;
  }

  bool isChangedElsewhere(const VarDecl *V) const {
    if (B.Escaping.contains(V))
      return true;
    for (auto &[Bound, Callee] : B.ConstBound)
      if (Bound == V)
        if (const FunctionDecl *D = definitionOf(Callee);
            D && Facts(D).CastsAwayConst)
          return true;
    return false;
  }

  //===-- Values ---------------------------------------------------------===//

  const Stmt *value(const Expr *E) {
    E = E->IgnoreParens();
    if (isa<UnaryExprOrTypeTraitExpr, CXXNoexceptExpr, TypeTraitExpr,
            OffsetOfExpr, SizeOfPackExpr>(E))
      return nullptr;
    if (E->isGLValue())
      return load(E);
    if (auto *C = dyn_cast<CastExpr>(E)) {
      if (C->getCastKind() == CK_LValueToRValue)
        return load(C->getSubExpr());
      if (C->getCastKind() == CK_ArrayToPointerDecay ||
          C->getCastKind() == CK_FunctionToPointerDecay)
        return address(C->getSubExpr());
      return value(C->getSubExpr());
    }
    if (auto *U = dyn_cast<UnaryOperator>(E); U && U->getOpcode() == UO_AddrOf)
      return address(U->getSubExpr());
    if (auto *C = dyn_cast<CallExpr>(E))
      return call(*C);
    if (auto *C = dyn_cast<CXXConstructExpr>(E))
      return construct(*C);
    return special(E);
  }

  const Stmt *special(const Expr *E) {
    if (auto *P = dyn_cast<PseudoObjectExpr>(E))
      return any(P->semantics());
    if (auto *O = dyn_cast<OpaqueValueExpr>(E))
      return O->getSourceExpr() ? value(O->getSourceExpr()) : nullptr;
    if (auto *A = dyn_cast<CXXDefaultArgExpr>(E))
      return value(A->getExpr());
    if (auto *I = dyn_cast<CXXDefaultInitExpr>(E))
      return value(I->getExpr());
    if (auto *L = dyn_cast<LambdaExpr>(E))
      return any(L->capture_inits());
    if (auto *R = dyn_cast<CXXRewrittenBinaryOperator>(E))
      return value(R->getSemanticForm());
    if (isa<AtomicExpr, StmtExpr, CXXNewExpr, CXXInheritedCtorInitExpr>(E))
      return E;
    return any(E->children());
  }

  /// The value of `&E`: what it is computed from.
  const Stmt *address(const Expr *E) {
    E = E->IgnoreParens();
    if (auto *A = dyn_cast<ArraySubscriptExpr>(E)) {
      const Stmt *D = value(A->getIdx());
      return D ? D : value(A->getBase());
    }
    if (auto *M = dyn_cast<MemberExpr>(E))
      return M->isArrow() ? value(M->getBase()) : address(M->getBase());
    if (auto *U = dyn_cast<UnaryOperator>(E); U && U->getOpcode() == UO_Deref)
      return value(U->getSubExpr());
    if (isa<DeclRefExpr, StringLiteral, PredefinedExpr>(E))
      return nullptr;
    if (auto *C = dyn_cast<CastExpr>(E); C && C->isGLValue())
      return address(C->getSubExpr());
    return value(E);
  }

  const Stmt *load(const Expr *E) {
    E = E->IgnoreParens();
    if (readsOf(E) == MemoryReads::Polled)
      return E;
    if (isa<StringLiteral, PredefinedExpr>(E))
      return nullptr;
    if (auto *D = dyn_cast<DeclRefExpr>(E))
      return name(*D);
    if (auto *M = dyn_cast<MemberExpr>(E))
      return member(*M);
    if (isa<ArraySubscriptExpr>(E) || isDereference(E))
      return element(E);
    if (auto *M = dyn_cast<MaterializeTemporaryExpr>(E))
      return value(M->getSubExpr());
    if (auto *C = dyn_cast<CastExpr>(E))
      return C->getSubExpr()->isGLValue() ? load(C->getSubExpr())
                                          : value(C->getSubExpr());
    if (isa<AbstractConditionalOperator, BinaryOperator, UnaryOperator,
            ExtVectorElementExpr, ExprWithCleanups, PseudoObjectExpr,
            OpaqueValueExpr, SubstNonTypeTemplateParmExpr, ConstantExpr,
            MSPropertyRefExpr, CXXDefaultArgExpr, CXXDefaultInitExpr>(E))
      return special(E);
    if (auto *C = dyn_cast<CallExpr>(E)) {
      const Stmt *D = call(*C);
      return D ? D : plain(E);
    }
    return plain(E);
  }

  static bool isDereference(const Expr *E) {
    auto *U = dyn_cast<UnaryOperator>(E);
    return U && U->getOpcode() == UO_Deref;
  }

  const Stmt *name(const DeclRefExpr &D) {
    if (auto *Binding = dyn_cast<BindingDecl>(D.getDecl())) {
      if (const VarDecl *V = Binding->getHoldingVar())
        return variable(V, &D);
      return Binding->getBinding() ? load(Binding->getBinding()) : &D;
    }
    auto *V = dyn_cast<VarDecl>(D.getDecl());
    return V ? variable(V, &D) : nullptr;
  }

  const Stmt *member(const MemberExpr &M) {
    if (auto *V = dyn_cast<VarDecl>(M.getMemberDecl()))
      return variable(V, &M);
    if (M.getMemberDecl()->getType()->isReferenceType())
      return plain(&M);
    if (!M.isArrow())
      return value(M.getBase());
    const Stmt *D = value(M.getBase());
    return D ? D : plain(&M);
  }

  /// a[i], *p
  const Stmt *element(const Expr *E) {
    if (Steps.moves(E))
      return nullptr;
    const Expr *Base = nullptr;
    if (auto *A = dyn_cast<ArraySubscriptExpr>(E)) {
      if (const Stmt *D = value(A->getIdx()))
        return D;
      Base = A->getBase()->IgnoreParens();
    } else {
      Base = cast<UnaryOperator>(E)->getSubExpr()->IgnoreParens();
    }
    if (auto *C = dyn_cast<CastExpr>(Base);
        C && C->getCastKind() == CK_ArrayToPointerDecay)
      return load(C->getSubExpr()); // of an array: its own kind of memory
    if (Base->isGLValue())
      return load(Base); // of a vector
    if (const Stmt *D = value(Base))
      return D;
    return isReadOnly(Base) ? nullptr : plain(E);
  }

  /// p, p + i of a read-only parameter that always points to the same object.
  bool isReadOnly(const Expr *Pointer) const {
    const Expr *E = Pointer->IgnoreParenImpCasts();
    if (auto *X = dyn_cast<BinaryOperator>(E); X && X->isAdditiveOp())
      return isReadOnly(X->getLHS()->getType()->isPointerType() ? X->getLHS()
                                                                : X->getRHS());
    const VarDecl *V = namedVariable(E);
    return V && isReadOnlyPointer(*V) && !B.Assignments.contains(V) &&
           !B.Escaping.contains(V);
  }

  //===-- Calls ----------------------------------------------------------===//

  const Stmt *construct(const CXXConstructExpr &E) {
    if (const Stmt *D = any(E.arguments()))
      return D;
    const CXXConstructorDecl *C = E.getConstructor();
    if (C->isTrivial() || knownFunction(*C) == Known::Computes)
      return nullptr;
    return function(definitionOf(C), &E);
  }

  const Stmt *function(const FunctionDecl *Definition, const Expr *At) {
    MemoryReads R = Definition ? Facts(Definition).Reads : MemoryReads::Polled;
    return R == MemoryReads::None    ? nullptr
           : R == MemoryReads::Plain ? plain(At)
                                     : At;
  }

  const Stmt *call(const CallExpr &E) {
    if (isa<CXXPseudoDestructorExpr>(E.getCallee()->IgnoreParens()))
      return nullptr;
    const FunctionDecl *Callee = E.getDirectCallee();
    if (!Callee)
      return &E;
    if (const Stmt *D = any(E.arguments()))
      return D;
    auto *Method = dyn_cast<CXXMethodDecl>(Callee);
    if (auto *C = dyn_cast<CXXMemberCallExpr>(&E);
        C && Method && Method->isInstance() &&
        knownFunction(*Callee) == Known::Unlisted)
      if (const Stmt *D = object(*C->getImplicitObjectArgument()))
        return D;
    switch (knownFunction(*Callee)) {
    case Known::Computes:
    case Known::ReadsThread:
    case Known::ReadOnlyLoad:
    case Known::Store:
    case Known::WarpWide:
    case Known::Fence:
    case Known::Output:
    case Known::BlockBarrier:
      return nullptr;
    case Known::PollingLoad:
    case Known::Atomic:
    case Known::NamedBarrier:
    case Known::Waits:
    case Known::TakesMemory:
      return &E;
    case Known::Unlisted:
      break;
    }
    if (Method && Method->getParent()->isLambda())
      if (const Stmt *D = captures(*Method->getParent(), &E))
        return D;
    if (Callee->isTrivial())
      return nullptr;
    return function(definitionOf(Callee), &E);
  }

  /// What a method reads of its object.
  const Stmt *object(const Expr &E) {
    if (E.isGLValue())
      return load(&E);
    const Stmt *D = value(&E);
    return D || !E.getType()->isPointerType() ? D : plain(&E);
  }

  /// The variables that a lambda reads through references.
  const Stmt *captures(const CXXRecordDecl &Lambda, const Expr *At) {
    for (const LambdaCapture &C : Lambda.captures())
      if (C.capturesVariable() && C.getCaptureKind() == LCK_ByRef) {
        auto *V = dyn_cast<VarDecl>(C.getCapturedVar());
        const Stmt *D = V && !V->isInitCapture() ? variable(V, At) : plain(At);
        if (D)
          return D;
      } else if (C.capturesThis()) {
        if (const Stmt *D = plain(At))
          return D;
      }
    return nullptr;
  }
};

std::string textOf(const Stmt &S, const ASTContext &Context) {
  const SourceManager &SM = Context.getSourceManager();
  auto Range = SM.getExpansionRange(S.getSourceRange());
  llvm::StringRef Text =
      Lexer::getSourceText(Range, SM, Context.getLangOpts()).trim();
  if (Text.empty() || Text.size() > 60 || Text.contains('\n'))
    return "memory";
  return "'" + Text.str() + "'";
}

Wait waitAt(const Stmt *Loop, const Stmt &At, const ASTContext &Context) {
  return {Loop, "the exit of a loop depends on " + textOf(At, Context) +
                    ", which another thread may change"};
}

/// `do { ... } while (0)` is no loop.
bool neverRepeats(const LoopShape &L, const ASTContext &Context) {
  bool Result = true;
  return L.Test && !L.Test->isValueDependent() &&
         L.Test->EvaluateAsBooleanCondition(Result, Context) && !Result;
}

} // namespace

std::vector<Wait> findWaits(const FunctionBody &B, CallFactsOf Facts) {
  const ASTContext &Context = B.Function->getASTContext();
  std::vector<Wait> Found;
  if (B.HasBackwardGoto)
    Found.push_back({B.Function->getBody(), "a loop is made with goto"});
  for (const LoopShape &L : B.Loops) {
    if (neverRepeats(L, Context))
      continue;
    ExitProof Proof(B, &L, Facts);
    const Stmt *D = nullptr;
    if (L.Test)
      D = Proof.ofTest(L.Test);
    for (const ReachedJump &J : B.Jumps) {
      if (D)
        break;
      bool Inside = J.Under && J.Under->isInside(L.Loop);
      bool Leaves = !J.Target || (J.Target == L.Loop && !J.Continues) ||
                    (J.Target != L.Loop && L.Inside->isInside(J.Target));
      if (Inside && Leaves)
        D = Proof.ofJump(J);
    }
    if (D)
      Found.push_back(waitAt(L.Loop, *D, Context));
  }
  return Found;
}

std::optional<Wait> findRecursiveWait(const FunctionBody &B,
                                      CallFactsOf Facts) {
  const ASTContext &Context = B.Function->getASTContext();
  ExitProof Proof(B, nullptr, Facts);
  for (const Guarded &C : B.Conditions)
    if (const Stmt *D = C.Value ? Proof.ofValue(C.Value) : nullptr) {
      Wait W = waitAt(B.Function->getBody(), *D, Context);
      W.Text = "it calls itself as long as " + textOf(*D, Context) +
               " says, which another thread may change";
      return W;
    }
  return std::nullopt;
}

} // namespace catt
