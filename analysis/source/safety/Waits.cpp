//===- Waits.cpp - Loops that wait for another thread ---------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/safety/Waits.h"
#include "analysis/source/safety/Counters.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace catt {
namespace {

/// What makes an exit depend on other threads.
struct Doubt {
  const Stmt *At;
};
using MaybeDoubt = std::optional<Doubt>;

class ExitProof {
public:
  ExitProof(const FunctionBody &B, const LoopShape *L, CallFactsOf Facts)
      : B(B), L(L), Facts(Facts), Steps(B, L) {}

  /// A conjunct of the loop's own test: true as long as it goes on.
  MaybeDoubt ofTest(const Expr *E) {
    E = E->IgnoreParenImpCasts();
    if (auto *X = dyn_cast<BinaryOperator>(E); X && X->getOpcode() == BO_LAnd) {
      MaybeDoubt D = ofTest(X->getLHS());
      return D ? D : ofTest(X->getRHS());
    }
    return ofValue(E, /*AllowPlain=*/Steps.isCounted(E));
  }

  MaybeDoubt ofValue(const Expr *E, bool AllowPlain = false) {
    Seen.clear();
    SeenConditions.clear();
    Plain = AllowPlain;
    return value(E);
  }

  /// Why control comes to a jump out of the loop.
  MaybeDoubt ofJump(const ReachedJump &J) {
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

  MaybeDoubt plain(const Stmt *At) const {
    return Plain ? MaybeDoubt() : Doubt{At};
  }
  template <typename Range> MaybeDoubt any(Range &&Parts) {
    for (const Stmt *S : Parts)
      if (auto *E = dyn_cast_or_null<Expr>(S))
        if (MaybeDoubt D = value(E))
          return D;
    return std::nullopt;
  }

  //===-- Control --------------------------------------------------------===//

  /// The conditions inside the loop under which something runs, and those of
  /// the jumps that may skip it.
  MaybeDoubt control(const Guarded *Under) {
    for (const Guarded *C = Under; C; C = C->Outer) {
      if (L && C->Construct == L->Loop)
        break;
      if (C->Value && SeenConditions.insert(C).second)
        if (MaybeDoubt D = value(C->Value))
          return D;
    }
    for (const ReachedJump &J : B.Jumps) {
      if (!L || !J.Under || !J.Under->isInside(L->Loop) || !J.Target)
        continue;
      bool Skips = J.Target == L->Loop ? J.Continues
                                       : !L->Inside->isInside(J.Target) &&
                                             Under && Under->isInside(J.Target);
      if (!Skips)
        continue;
      for (const Guarded *C = J.Under; C && C->Construct != L->Loop;
           C = C->Outer)
        if (C->Value && SeenConditions.insert(C).second)
          if (MaybeDoubt D = value(C->Value))
            return D;
    }
    return std::nullopt;
  }

  MaybeDoubt variable(const VarDecl *V, const Expr *At) {
    if (V->getType().isVolatileQualified())
      return Doubt{At};
    if (isConstantMemory(*V))
      return std::nullopt;
    if (!V->hasLocalStorage() || V->getType()->isReferenceType() ||
        !Steps.isOwn(V) || isChangedElsewhere(V))
      return plain(At);
    if (!Seen.insert(V).second || Steps.isCounter(V))
      return std::nullopt;
    auto It = B.Assignments.find(V);
    if (It != B.Assignments.end())
      for (const ReachedAssignment &A : It->second) {
        if (!Steps.isInLoop(A.Under))
          continue;
        if (!A.Value)
          return Doubt{A.At};
        if (MaybeDoubt D = value(A.Value))
          return D;
        if (MaybeDoubt D = control(A.Under))
          return D;
      }
    return L ? MaybeDoubt() : parameter(V);
  }

  /// A parameter of a function that calls itself takes those arguments.
  MaybeDoubt parameter(const VarDecl *V) {
    auto *P = dyn_cast<ParmVarDecl>(V);
    for (const ReachedEvent &E : B.Events) {
      auto *C = dyn_cast_or_null<CallExpr>(E.At);
      if (!P || E.Callee != B.Function || !C)
        continue;
      if (isa<CXXOperatorCallExpr>(C) ||
          P->getFunctionScopeIndex() >= C->getNumArgs())
        return Doubt{E.At};
      if (MaybeDoubt D = value(C->getArg(P->getFunctionScopeIndex())))
        return D;
    }
    return std::nullopt;
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

  MaybeDoubt value(const Expr *E) {
    E = E->IgnoreParens();
    if (isa<UnaryExprOrTypeTraitExpr, CXXNoexceptExpr, TypeTraitExpr,
            OffsetOfExpr, SizeOfPackExpr>(E))
      return std::nullopt;
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

  MaybeDoubt special(const Expr *E) {
    if (auto *P = dyn_cast<PseudoObjectExpr>(E))
      return any(P->semantics());
    if (auto *O = dyn_cast<OpaqueValueExpr>(E))
      return O->getSourceExpr() ? value(O->getSourceExpr()) : MaybeDoubt();
    if (auto *A = dyn_cast<CXXDefaultArgExpr>(E))
      return value(A->getExpr());
    if (auto *I = dyn_cast<CXXDefaultInitExpr>(E))
      return value(I->getExpr());
    if (auto *L = dyn_cast<LambdaExpr>(E))
      return any(L->capture_inits());
    if (auto *R = dyn_cast<CXXRewrittenBinaryOperator>(E))
      return value(R->getSemanticForm());
    if (isa<AtomicExpr, StmtExpr, CXXNewExpr, CXXInheritedCtorInitExpr>(E))
      return Doubt{E};
    return any(E->children());
  }

  /// The value of `&E`: what it is computed from.
  MaybeDoubt address(const Expr *E) {
    E = E->IgnoreParens();
    if (auto *A = dyn_cast<ArraySubscriptExpr>(E)) {
      MaybeDoubt D = value(A->getIdx());
      return D ? D : value(A->getBase());
    }
    if (auto *M = dyn_cast<MemberExpr>(E))
      return M->isArrow() ? value(M->getBase()) : address(M->getBase());
    if (auto *U = dyn_cast<UnaryOperator>(E); U && U->getOpcode() == UO_Deref)
      return value(U->getSubExpr());
    if (isa<DeclRefExpr, StringLiteral, PredefinedExpr>(E))
      return std::nullopt;
    if (auto *C = dyn_cast<CastExpr>(E); C && C->isGLValue())
      return address(C->getSubExpr());
    return value(E);
  }

  MaybeDoubt load(const Expr *E) {
    E = E->IgnoreParens();
    if (readsOf(E) == MemoryReads::Polled)
      return Doubt{E};
    if (isa<StringLiteral, PredefinedExpr>(E))
      return std::nullopt;
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
      MaybeDoubt D = call(*C);
      return D ? D : plain(E);
    }
    return plain(E);
  }

  static bool isDereference(const Expr *E) {
    auto *U = dyn_cast<UnaryOperator>(E);
    return U && U->getOpcode() == UO_Deref;
  }

  MaybeDoubt name(const DeclRefExpr &D) {
    if (auto *Binding = dyn_cast<BindingDecl>(D.getDecl())) {
      if (const VarDecl *V = Binding->getHoldingVar())
        return variable(V, &D);
      return Binding->getBinding() ? load(Binding->getBinding())
                                   : MaybeDoubt(Doubt{&D});
    }
    auto *V = dyn_cast<VarDecl>(D.getDecl());
    return V ? variable(V, &D) : MaybeDoubt();
  }

  MaybeDoubt member(const MemberExpr &M) {
    if (auto *V = dyn_cast<VarDecl>(M.getMemberDecl()))
      return variable(V, &M);
    if (M.getMemberDecl()->getType()->isReferenceType())
      return plain(&M);
    if (!M.isArrow())
      return value(M.getBase());
    MaybeDoubt D = value(M.getBase());
    return D ? D : plain(&M);
  }

  /// a[i], *p
  MaybeDoubt element(const Expr *E) {
    if (Steps.moves(E))
      return std::nullopt;
    const Expr *Base = nullptr;
    if (auto *A = dyn_cast<ArraySubscriptExpr>(E)) {
      if (MaybeDoubt D = value(A->getIdx()))
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
    if (MaybeDoubt D = value(Base))
      return D;
    return isReadOnly(Base) ? MaybeDoubt() : plain(E);
  }

  /// p, p + i of a read-only parameter that always points to the same object.
  bool isReadOnly(const Expr *Pointer) const {
    const Expr *E = Pointer->IgnoreParenImpCasts();
    if (auto *X = dyn_cast<BinaryOperator>(E); X && X->isAdditiveOp())
      return isReadOnly(X->getLHS()->getType()->isPointerType() ? X->getLHS()
                                                                : X->getRHS());
    auto *D = dyn_cast<DeclRefExpr>(E);
    auto *V = D ? dyn_cast<VarDecl>(D->getDecl()) : nullptr;
    return V && isReadOnlyPointer(*V) && !B.Assignments.contains(V) &&
           !B.Escaping.contains(V);
  }

  //===-- Calls ----------------------------------------------------------===//

  MaybeDoubt construct(const CXXConstructExpr &E) {
    if (MaybeDoubt D = any(E.arguments()))
      return D;
    const CXXConstructorDecl *C = E.getConstructor();
    if (C->isTrivial() || knownFunction(*C) == Known::Computes)
      return std::nullopt;
    return function(definitionOf(C), &E);
  }

  MaybeDoubt function(const FunctionDecl *Definition, const Expr *At) {
    MemoryReads R = Definition ? Facts(Definition).Reads : MemoryReads::Polled;
    return R == MemoryReads::None    ? MaybeDoubt()
           : R == MemoryReads::Plain ? plain(At)
                                     : MaybeDoubt(Doubt{At});
  }

  MaybeDoubt call(const CallExpr &E) {
    if (isa<CXXPseudoDestructorExpr>(E.getCallee()->IgnoreParens()))
      return std::nullopt;
    const FunctionDecl *Callee = E.getDirectCallee();
    if (!Callee)
      return Doubt{&E};
    if (MaybeDoubt D = any(E.arguments()))
      return D;
    auto *Method = dyn_cast<CXXMethodDecl>(Callee);
    if (auto *C = dyn_cast<CXXMemberCallExpr>(&E);
        C && Method && Method->isInstance() &&
        knownFunction(*Callee) == Known::Unlisted)
      if (MaybeDoubt D = object(*C->getImplicitObjectArgument()))
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
      return std::nullopt;
    case Known::PollingLoad:
    case Known::Atomic:
    case Known::NamedBarrier:
    case Known::Waits:
    case Known::TakesMemory:
      return Doubt{&E};
    case Known::Unlisted:
      break;
    }
    if (Method && Method->getParent()->isLambda())
      if (MaybeDoubt D = captures(*Method->getParent(), &E))
        return D;
    if (Callee->isTrivial())
      return std::nullopt;
    return function(definitionOf(Callee), &E);
  }

  /// What a method reads of its object.
  MaybeDoubt object(const Expr &E) {
    if (E.isGLValue())
      return load(&E);
    MaybeDoubt D = value(&E);
    return D || !E.getType()->isPointerType() ? D : plain(&E);
  }

  /// The variables that a lambda reads through references.
  MaybeDoubt captures(const CXXRecordDecl &Lambda, const Expr *At) {
    for (const LambdaCapture &C : Lambda.captures())
      if (C.capturesVariable() && C.getCaptureKind() == LCK_ByRef) {
        auto *V = dyn_cast<VarDecl>(C.getCapturedVar());
        MaybeDoubt D = V && !V->isInitCapture() ? variable(V, At) : plain(At);
        if (D)
          return D;
      } else if (C.capturesThis()) {
        if (MaybeDoubt D = plain(At))
          return D;
      }
    return std::nullopt;
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

Wait waitAt(const Stmt *Loop, const Doubt &D, const ASTContext &Context) {
  return {Loop, "the exit of a loop depends on " + textOf(*D.At, Context) +
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
    MaybeDoubt D;
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
    if (MaybeDoubt D = C.Value ? Proof.ofValue(C.Value) : MaybeDoubt()) {
      Wait W = waitAt(B.Function->getBody(), *D, Context);
      W.Text = "it calls itself as long as " + textOf(*D->At, Context) +
               " says, which another thread may change";
      return W;
    }
  return std::nullopt;
}

} // namespace catt
