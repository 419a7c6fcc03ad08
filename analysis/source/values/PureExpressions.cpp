//===- PureExpressions.cpp - May an expression be evaluated again? --------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/values/PureExpressions.h"
#include "analysis/source/safety/WrapSites.h"
#include "analysis/source/syntax/Effects.h"
#include "analysis/source/syntax/NodeParts.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace catt {
namespace {

/// threadIdx, blockIdx, blockDim, gridDim, warpSize.
bool isSpecialRegister(const Decl *D) {
  llvm::StringRef Name = identifierOf(dyn_cast_or_null<NamedDecl>(D));
  return Name == "threadIdx" || Name == "blockIdx" || Name == "blockDim" ||
         Name == "gridDim" || Name == "warpSize";
}

/// CUDA's arithmetic: CUDA Math API, "Mathematical Functions" and
/// "Intrinsics", without what talks to other threads.
bool isArithmeticFunction(llvm::StringRef Name) {
  for (llvm::StringRef Prefix :
       {"__fadd_",        "__fsub_",       "__fmul_",     "__fmaf_",
        "__fdiv_",        "__frcp_",       "__fsqrt_",    "__frsqrt_",
        "__dadd_",        "__dsub_",       "__dmul_",     "__fma_",
        "__ddiv_",        "__drcp_",       "__dsqrt_",    "__float2",
        "__double2",      "__int2",        "__uint2",     "__ll2",
        "__ull2",         "__int_as_",     "__uint_as_",  "__float_as_",
        "__longlong_as_", "__double_as_",  "__hiloint2",  "__mul24",
        "__umul",         "__mulhi",       "__popc",      "__clz",
        "__ffs",          "__brev",        "__byte_perm", "__sad",
        "__usad",         "__funnelshift_"})
    if (Name.starts_with(Prefix))
      return true;
  if (!Name.consume_front("__"))
    Name.consume_back("f");
  else if (!Name.consume_back("f"))
    return false;
  return llvm::StringSwitch<bool>(Name)
      .Cases({"sqrt", "rsqrt", "cbrt", "rcbrt", "hypot", "exp", "exp2"}, true)
      .Cases({"exp10", "expm1", "log", "log2", "log10", "log1p", "pow"}, true)
      .Cases({"sin", "cos", "tan", "sinpi", "cospi", "asin", "acos"}, true)
      .Cases({"atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh"}, true)
      .Cases({"atanh", "erf", "erfc", "fabs", "abs", "labs", "llabs"}, true)
      .Cases({"floor", "ceil", "trunc", "round", "rint", "nearbyint"}, true)
      .Cases({"fmod", "remainder", "fmin", "fmax", "min", "max"}, true)
      .Cases({"umin", "umax", "copysign", "fma", "fdim", "ldexp"}, true)
      .Cases({"fdivide", "saturate", "isnan", "isinf", "isfinite"}, true)
      .Default(false);
}

class InitializerReader {
public:
  InitializerReader(const ASTContext &Context, Initializer &Out)
      : Context(Context), Text(Context), Out(Out) {}

  void read(const Expr &Top) {
    const Expr *E = Top.IgnoreParens();
    if (E->isValueDependent() || isConstant(*E))
      return;
    if (auto *P = dyn_cast<PseudoObjectExpr>(E))
      return readPseudo(*P);
    if (auto *C = dyn_cast<CastExpr>(E))
      return readCast(*C);
    if (auto *C = dyn_cast<CallExpr>(E))
      return readCall(*C);
    if (auto *D = dyn_cast<DeclRefExpr>(E))
      return readName(*D);
    if (auto *M = dyn_cast<MemberExpr>(E))
      return readMember(*M);
    if (auto *B = dyn_cast<BinaryOperator>(E)) {
      if (B->isAssignmentOp())
        differ(*E, "an assignment");
      Out.Operations += B->getOpcode() != BO_Comma;
    } else if (auto *U = dyn_cast<UnaryOperator>(E)) {
      if (U->isIncrementDecrementOp())
        differ(*E, "an assignment");
      Out.Operations += U->isArithmeticOp() && U->getOpcode() != UO_Plus;
    } else if (!isa<ConditionalOperator, ArraySubscriptExpr, InitListExpr,
                    MaterializeTemporaryExpr, ExprWithCleanups,
                    CXXConstructExpr>(E)) {
      return differ(*E, "'" + textOf(*E) + "'");
    }
    readChildren(*E);
  }

private:
  bool isConstant(const Expr &E) const {
    Expr::EvalResult R;
    return E.isPRValue() && !E.getType()->isRecordType() &&
           E.EvaluateAsRValue(R, Context) && !R.HasSideEffects;
  }

  void readChildren(const Stmt &S) {
    for (const Stmt *Child : S.children())
      if (auto *E = dyn_cast_or_null<Expr>(Child))
        read(*E);
  }

  void readPseudo(const PseudoObjectExpr &P) {
    const Expr *Syntax = P.getSyntacticForm();
    if (auto *M = dyn_cast<MSPropertyRefExpr>(Syntax->IgnoreParenImpCasts()))
      if (auto *D = dyn_cast<DeclRefExpr>(
              strip(M->getBaseExpr())->IgnoreParenImpCasts());
          D && isSpecialRegister(D->getDecl())) {
        ++Out.Operations;
        return;
      }
    differ(P, "'" + textOf(P) + "'");
  }

  void readCast(const CastExpr &C) {
    if (C.getCastKind() != CK_LValueToRValue) {
      bool Computes = C.getCastKind() == CK_IntegralToFloating ||
                      C.getCastKind() == CK_FloatingToIntegral ||
                      C.getCastKind() == CK_FloatingCast;
      Out.Operations += Computes;
      return read(*C.getSubExpr());
    }
    load(*C.getSubExpr()->IgnoreParens());
  }

  /// A value is read from where E designates.
  void load(const Expr &E) {
    if (E.getType().isVolatileQualified())
      return differ(E, "the volatile '" + textOf(E) + "'");
    const Expr *Object = &E;
    while (auto *M = dyn_cast<MemberExpr>(Object)) {
      if (M->isArrow())
        break;
      Object = M->getBase()->IgnoreParens();
    }
    if (auto *D = dyn_cast<DeclRefExpr>(Object))
      return readName(*D);
    if (isa<PseudoObjectExpr>(Object))
      return read(*Object);
    const Expr *Base = nullptr;
    if (auto *S = dyn_cast<ArraySubscriptExpr>(Object)) {
      Base = S->getBase();
      read(*S->getIdx());
    } else if (auto *U = dyn_cast<UnaryOperator>(Object);
               U && U->getOpcode() == UO_Deref) {
      Base = U->getSubExpr();
    }
    if (!Base || !neverChanges(*Base))
      return differ(E, "the load '" + textOf(E) + "'");
    ++Out.Loads;
    read(*Base);
  }

  /// Memory that no thread writes while the kernel runs.
  bool neverChanges(const Expr &Pointer) const {
    const Expr *E = Pointer.IgnoreParenImpCasts();
    if (auto *B = dyn_cast<BinaryOperator>(E);
        B && B->isAdditiveOp() && B->getType()->isPointerType())
      return neverChanges(B->getLHS()->getType()->isPointerType()
                              ? *B->getLHS()
                              : *B->getRHS());
    const VarDecl *V = namedVariable(E);
    if (!V)
      return false;
    if (V->hasAttr<CUDAConstantAttr>())
      return true;
    return isa<ParmVarDecl>(V) && V->getType()->isPointerType() &&
           V->getType().isRestrictQualified() &&
           V->getType()->getPointeeType().isConstQualified() &&
           !V->getType()->getPointeeType().isVolatileQualified();
  }

  void readName(const DeclRefExpr &D) {
    if (isSpecialRegister(D.getDecl())) {
      ++Out.Operations;
      return;
    }
    if (isa<EnumConstantDecl>(D.getDecl()))
      return;
    auto *V = dyn_cast<VarDecl>(D.getDecl());
    if (V && V->hasAttr<CUDAConstantAttr>()) {
      ++Out.Loads;
      return;
    }
    bool Own = V && (isa<ParmVarDecl>(V) || V->hasLocalStorage()) &&
               !V->getType()->isReferenceType();
    if (!Own || V->getType().isVolatileQualified())
      return differ(D, "'" + textOf(D) + "'");
    Out.Reads.push_back(V->getNameAsString());
  }

  void readMember(const MemberExpr &M) {
    if (M.isArrow())
      return differ(M, "the load '" + textOf(M) + "'");
    read(*M.getBase());
  }

  void readCall(const CallExpr &C) {
    const FunctionDecl *F = C.getDirectCallee();
    llvm::StringRef Name = identifierOf(F);
    if (Name == "__ldg" && C.getNumArgs() == 1) {
      ++Out.Loads;
      return readChildren(C);
    }
    bool ByValue = F && llvm::none_of(F->parameters(), [](ParmVarDecl *P) {
                     return P->getType()->isAnyPointerType() ||
                            isMutableReference(P->getType());
                   });
    bool OfSystem =
        F && Context.getSourceManager().isInSystemHeader(F->getLocation());
    bool Pure =
        F && (F->hasAttr<ConstAttr>() ||
              ((OfSystem || F->getBuiltinID()) && isArithmeticFunction(Name)));
    if (!ByValue || !Pure)
      return differ(C, "the call '" + textOf(C) + "'");
    Out.Operations += 8;
    for (const Expr *A : C.arguments())
      read(*A);
  }

  void differ(const Expr &E, std::string Detail) {
    if (!Out.MayDiffer)
      Out.MayDiffer = Refusal{Reason::MayChange, Text.location(E.getBeginLoc()),
                              std::move(Detail)};
  }

  std::string textOf(const Expr &E) const {
    const SourceManager &SM = Context.getSourceManager();
    return Lexer::getSourceText(SM.getExpansionRange(E.getSourceRange()), SM,
                                Context.getLangOpts())
        .str();
  }

  const ASTContext &Context;
  SourceText Text;
  Initializer &Out;
};
} // namespace

Initializer describeInitializer(const Expr &E, const ASTContext &Context) {
  Initializer Out;
  const SourceManager &SM = Context.getSourceManager();
  CharSourceRange Range = Lexer::makeFileCharRange(
      CharSourceRange::getTokenRange(E.getSourceRange()), SM,
      Context.getLangOpts());
  if (Range.isValid()) {
    Out.Text = Lexer::getSourceText(Range, SM, Context.getLangOpts()).str();
    FileID File = SM.getFileID(Range.getBegin());
    if (auto Entry = SM.getFileEntryRefForID(File))
      Out.Span = {Entry->getFileEntry().tryGetRealPathName().str(),
                  SM.getFileOffset(Range.getBegin()),
                  SM.getFileOffset(Range.getEnd())};
  }
  InitializerReader(Context, Out).read(E);
  llvm::sort(Out.Reads);
  Out.Reads.erase(llvm::unique(Out.Reads), Out.Reads.end());
  return Out;
}

} // namespace catt
