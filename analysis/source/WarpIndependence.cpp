//===- WarpIndependence.cpp - May warps run one after another? -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/source/WarpIndependence.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace catt {
namespace {

llvm::StringRef nameOf(const NamedDecl *D) {
  return D && D->getDeclName().isIdentifier() ? D->getName()
                                              : llvm::StringRef();
}

/// The class a method belongs to, or the class of a function's first argument.
llvm::StringRef groupOf(const FunctionDecl &F, const CallExpr &E) {
  if (auto *M = dyn_cast<CXXMethodDecl>(&F))
    return nameOf(M->getParent());
  if (E.getNumArgs() > 0)
    if (auto *R = E.getArg(0)->getType()->getAsCXXRecordDecl())
      return nameOf(R);
  return {};
}

/// Groups that never reach beyond one warp.
bool isWarpGroup(llvm::StringRef Class) {
  return Class.starts_with("thread_block_tile") || Class == "coalesced_group";
}

bool isBlockBarrier(llvm::StringRef Name) {
  return Name.starts_with("__syncthreads") ||
         Name.starts_with("__barrier_sync") || Name.starts_with("__nvvm_bar") ||
         Name.starts_with("__nv_bar");
}

bool isWarpIntrinsic(llvm::StringRef Name) {
  return Name.starts_with("__shfl") || Name.starts_with("__any") ||
         Name.starts_with("__all") || Name.starts_with("__ballot") ||
         Name.starts_with("__match") || Name.starts_with("__reduce_") ||
         Name.starts_with("__activemask") || Name.starts_with("__syncwarp") ||
         Name.starts_with("__nvvm_shfl") || Name.starts_with("__nvvm_vote") ||
         Name.starts_with("__nvvm_match") || Name.starts_with("__nvvm_redux");
}

bool isAtomicCall(const CallExpr &E) {
  const FunctionDecl *F = E.getDirectCallee();
  if (!F)
    return false;
  llvm::StringRef Name = nameOf(F);
  llvm::StringRef Class = groupOf(*F, E);
  return Name.starts_with("atomic") || Name.starts_with("__nvvm_atom") ||
         Name.starts_with("__iAtomic") || Name.starts_with("__uAtomic") ||
         Name == "__ldcv" || Class == "atomic" || Class == "atomic_ref" ||
         Class == "__atomic_base";
}

/// Instructions that neither wait nor talk to other warps (PTX ISA).
bool isHarmlessAssembly(llvm::StringRef Text) {
  llvm::SmallVector<llvm::StringRef, 8> Instructions;
  Text.split(Instructions, ';');
  for (llvm::StringRef I : Instructions) {
    I = I.trim(" \t\n\r{}");
    if (I.starts_with("@"))
      I = I.substr(I.find_first_of(" \t")).trim();
    if (I.empty() || I.starts_with("//") || I.starts_with("."))
      continue;
    llvm::StringRef Name =
        I.take_until([](char C) { return C == '.' || C == ' '; });
    bool Harmless =
        llvm::StringSwitch<bool>(Name)
            .Cases({"mov", "cvt", "add", "sub", "mul", "mad", "fma"}, true)
            .Cases({"div", "rem", "min", "max", "abs", "neg", "and"}, true)
            .Cases({"or", "xor", "not", "shl", "shr", "shf", "lop3"}, true)
            .Cases({"prmt", "bfe", "bfi", "popc", "clz", "brev", "setp"}, true)
            .Cases({"selp", "set", "slct", "rcp", "sqrt", "rsqrt"}, true)
            .Cases({"sin", "cos", "ex2", "lg2", "tanh", "cvta"}, true)
            .Cases({"dp4a", "dp2a", "vadd", "addc", "madc", "subc"}, true)
            .Cases({"prefetch", "prefetchu", "mul24", "mad24"}, true)
            .Default(false);
    // Plain loads and stores; .acquire, .release and .volatile order warps.
    if ((Name == "ld" || Name == "st") && !I.contains(".acquire") &&
        !I.contains(".release") && !I.contains(".volatile") &&
        !I.contains(".relaxed"))
      Harmless = true;
    if (!Harmless)
      return false;
  }
  return true;
}

class Scan {
public:
  Scan(const ASTContext &Context) : Context(Context) {}

  WarpDependences Result;

  void run(llvm::ArrayRef<const Stmt *> Statements) {
    for (const Stmt *S : Statements)
      visit(S, /*InLoop=*/false, /*InSwitch=*/false, /*OwnFunction=*/true);
    // What decides a loop's exit is only known when all assignments were seen.
    bool More;
    do {
      More = false;
      for (auto &[V, From] : Assignments)
        if (From && isPolled(From))
          More |= Polled.insert(V).second;
    } while (More);
    for (auto &[Loop, Cond] : Exits)
      checkExit(*Loop, *Cond);
  }

private:
  const ASTContext &Context;
  llvm::DenseSet<const FunctionDecl *> Seen;
  std::vector<std::pair<const VarDecl *, const Expr *>> Assignments;
  llvm::DenseSet<const VarDecl *> Polled;
  std::vector<std::pair<const Stmt *, const Expr *>> Exits;

  Location at(SourceLocation L) const {
    PresumedLoc P = Context.getSourceManager().getPresumedLoc(
        Context.getSourceManager().getExpansionLoc(L),
        /*UseLineDirectives=*/false);
    if (P.isInvalid())
      return {};
    return {P.getFilename(), P.getLine(), P.getColumn()};
  }
  void refuse(Reason Why, const Stmt &S, std::string Detail) {
    Result.Refusals.push_back({Why, at(S.getBeginLoc()), std::move(Detail)});
  }

  /// The expression reads what another warp may be about to write.
  bool isPolled(const Stmt *S) const {
    if (!S)
      return false;
    if (auto *C = dyn_cast<CallExpr>(S); C && isAtomicCall(*C))
      return true;
    if (isa<AtomicExpr>(S))
      return true;
    if (auto *C = dyn_cast<CastExpr>(S);
        C && C->getCastKind() == CK_LValueToRValue &&
        C->getSubExpr()->getType().isVolatileQualified())
      return true;
    if (auto *D = dyn_cast<DeclRefExpr>(S))
      if (auto *V = dyn_cast<VarDecl>(D->getDecl()); V && Polled.contains(V))
        return true;
    return llvm::any_of(S->children(),
                        [&](const Stmt *C) { return isPolled(C); });
  }

  static bool readsMemory(const Stmt *S) {
    if (!S)
      return false;
    if (isa<ArraySubscriptExpr>(S))
      return true;
    if (auto *U = dyn_cast<UnaryOperator>(S); U && U->getOpcode() == UO_Deref)
      return true;
    if (auto *D = dyn_cast<DeclRefExpr>(S))
      if (auto *V = dyn_cast<VarDecl>(D->getDecl());
          V && (V->hasAttr<CUDASharedAttr>() || V->hasAttr<CUDADeviceAttr>()))
        return true;
    return llvm::any_of(S->children(), readsMemory);
  }

  static void variablesOf(const Stmt *S,
                          llvm::SmallPtrSetImpl<const VarDecl *> &Out) {
    if (!S)
      return;
    if (auto *D = dyn_cast<DeclRefExpr>(S))
      if (auto *V = dyn_cast<VarDecl>(D->getDecl()))
        Out.insert(V);
    for (const Stmt *Child : S->children())
      variablesOf(Child, Out);
  }

  static bool changes(const Stmt *S,
                      const llvm::SmallPtrSetImpl<const VarDecl *> &Variables) {
    if (!S)
      return false;
    const Expr *Target = nullptr;
    if (auto *B = dyn_cast<BinaryOperator>(S); B && B->isAssignmentOp())
      Target = B->getLHS();
    if (auto *U = dyn_cast<UnaryOperator>(S);
        U && (U->isIncrementDecrementOp() || U->getOpcode() == UO_AddrOf))
      Target = U->getSubExpr();
    if (Target)
      if (auto *D = dyn_cast<DeclRefExpr>(Target->IgnoreParenImpCasts()))
        if (auto *V = dyn_cast<VarDecl>(D->getDecl());
            V && Variables.contains(V))
          return true;
    if (auto *C = dyn_cast<CallExpr>(S)) // by reference
      for (const Expr *A : C->arguments())
        if (A->isGLValue())
          if (auto *D = dyn_cast<DeclRefExpr>(A->IgnoreParenImpCasts()))
            if (auto *V = dyn_cast<VarDecl>(D->getDecl());
                V && Variables.contains(V))
              return true;
    return llvm::any_of(S->children(),
                        [&](const Stmt *C) { return changes(C, Variables); });
  }

  void checkExit(const Stmt &Loop, const Expr &Cond) {
    if (isPolled(&Cond))
      return refuse(Reason::WarpsCommunicate, Cond,
                    "a loop whose exit depends on a volatile or atomic read");
    if (!readsMemory(&Cond))
      return;
    // `while (flag[0] == 0) {}`: nothing of its own changes the condition.
    llvm::SmallPtrSet<const VarDecl *, 8> Variables;
    variablesOf(&Cond, Variables);
    if (!changes(&Loop, Variables))
      refuse(Reason::WarpsCommunicate, Cond,
             "a loop that waits for a value in memory");
  }

  void visitCall(const CallExpr &E) {
    const FunctionDecl *F = E.getDirectCallee(), *Def = nullptr;
    if (!F)
      return isa<CXXPseudoDestructorExpr>(E.getCallee())
                 ? void()
                 : refuse(Reason::WarpsCommunicate, E,
                          "a call through a pointer");
    llvm::StringRef Name = nameOf(F), Class = groupOf(*F, E);
    std::string Quoted = "the call to " + F->getNameAsString() + "()";
    if (isWarpIntrinsic(Name) || isWarpGroup(Class))
      Result.UsesWarpIntrinsics = true;
    if (isBlockBarrier(Name))
      return refuse(Reason::BarrierInside, E, Quoted);
    if (Name == "__nanosleep" || Name.starts_with("__nvvm_nanosleep"))
      return refuse(Reason::WarpsCommunicate, E, Quoted);
    bool Waits = llvm::StringSwitch<bool>(Name)
                     .Cases({"sync", "barrier_arrive", "barrier_wait"}, true)
                     .Cases({"arrive", "arrive_and_wait", "wait"}, true)
                     .Cases({"memcpy_async", "wait_prior"}, true)
                     .Cases({"producer_acquire", "producer_commit"}, true)
                     .Cases({"consumer_wait", "consumer_release"}, true)
                     .Default(Name.starts_with("__pipeline_") ||
                              Name.starts_with("__nvvm_cp_async") ||
                              Name.starts_with("__nvvm_mbarrier"));
    if (Waits && !isWarpGroup(Class))
      return refuse(Reason::BarrierInside, E, Quoted);
    if (isWarpGroup(Class))
      return;
    if (auto *M = dyn_cast<CXXMethodDecl>(F); M && M->isVirtual())
      return refuse(Reason::WarpsCommunicate, E, "a virtual call");
    if (F->hasBody(Def)) {
      if (Seen.insert(Def->getCanonicalDecl()).second)
        visit(Def->getBody(), false, false, /*OwnFunction=*/false);
      return;
    }
    // CUDA's own functions without a body here compute; the others were named
    // above.
    if (F->getBuiltinID() || F->isDefaulted() || F->isTrivial() ||
        Context.getSourceManager().isInSystemHeader(F->getLocation()) ||
        !F->getLocation().isValid())
      return;
    refuse(Reason::WarpsCommunicate, E,
           Quoted + ", whose body is not in this file,");
  }

  void visitExits(const Stmt &Loop, const Stmt *S) {
    if (!S || isa<LambdaExpr>(S))
      return;
    if (auto *I = dyn_cast<IfStmt>(S))
      if (mayLeave(I->getThen()) || mayLeave(I->getElse()))
        Exits.push_back({&Loop, I->getCond()});
    for (const Stmt *Child : S->children())
      visitExits(Loop, Child);
  }

  static bool mayLeave(const Stmt *S) {
    return S && (isa<BreakStmt, ReturnStmt, GotoStmt>(S) ||
                 llvm::any_of(S->children(), mayLeave));
  }

  void visitLoop(const Stmt &S) {
    const Expr *Cond = nullptr;
    if (auto *F = dyn_cast<ForStmt>(&S))
      Cond = F->getCond();
    else if (auto *W = dyn_cast<WhileStmt>(&S))
      Cond = W->getCond();
    else if (auto *D = dyn_cast<DoStmt>(&S))
      Cond = D->getCond();
    if (Cond)
      Exits.push_back({&S, Cond});
    visitExits(S, &S);
  }

  void visit(const Stmt *S, bool InLoop, bool InSwitch, bool OwnFunction) {
    if (!S)
      return;
    if (auto *C = dyn_cast<CallExpr>(S))
      visitCall(*C);
    if (auto *C = dyn_cast<CXXConstructExpr>(S)) {
      const FunctionDecl *Def = nullptr;
      if (C->getConstructor()->hasBody(Def) &&
          Seen.insert(Def->getCanonicalDecl()).second)
        visit(Def->getBody(), false, false, false);
    }
    if (auto *A = dyn_cast<AsmStmt>(S)) {
      auto *G = dyn_cast<GCCAsmStmt>(A);
      if (!G || G->isAsmGoto() || !isHarmlessAssembly(G->getAsmString()))
        refuse(Reason::InlineAssembly, *S, "inline assembly");
    }
    if (auto *B = dyn_cast<BinaryOperator>(S); B && B->isAssignmentOp()) {
      if (auto *D = dyn_cast<DeclRefExpr>(B->getLHS()->IgnoreParenImpCasts()))
        if (auto *V = dyn_cast<VarDecl>(D->getDecl()))
          Assignments.push_back({V, B->getRHS()});
    }
    if (auto *D = dyn_cast<DeclStmt>(S))
      for (const Decl *X : D->decls())
        if (auto *V = dyn_cast<VarDecl>(X); V && V->getInit()) {
          Assignments.push_back({V, V->getInit()});
        }
    if (isa<ReturnStmt>(S) && OwnFunction)
      Result.HasReturn = true;
    if ((isa<BreakStmt>(S) && !InLoop && !InSwitch) ||
        (isa<ContinueStmt>(S) && !InLoop))
      Result.LeavesByJump = true;
    if (isa<GotoStmt, IndirectGotoStmt>(S))
      refuse(Reason::LeavesStatement, *S, "a goto");
    if (isa<LabelStmt>(S))
      refuse(Reason::JumpInto, *S, "a label");
    if (isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(S)) {
      visitLoop(*S);
      InLoop = true;
      InSwitch = false;
    }
    if (isa<SwitchStmt>(S))
      InSwitch = true;
    if (auto *L = dyn_cast<LambdaExpr>(S))
      return visit(L->getBody(), false, false, false);
    for (const Stmt *Child : S->children())
      visit(Child, InLoop, InSwitch, OwnFunction);
  }
};

} // namespace

WarpDependences warpDependences(llvm::ArrayRef<const Stmt *> Statements,
                                const ASTContext &Context) {
  Scan S(Context);
  S.run(Statements);
  return std::move(S.Result);
}

} // namespace catt
