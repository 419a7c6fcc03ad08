//===- KnownMath.cpp - Functions of CUDA that only compute ----------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/source/safety/KnownMath.h"
#include "analysis/source/safety/KnownFunctions.h"
#include "analysis/source/syntax/Effects.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace catt {

static bool isOfSystem(const Decl &D) {
  const SourceManager &SM = D.getASTContext().getSourceManager();
  SourceLocation L = SM.getExpansionLoc(D.getLocation());
  return L.isInvalid() || SM.isInSystemHeader(L) ||
         SM.isWrittenInBuiltinFile(L);
}

/// Numbers by value, or by reference to const as std::min takes them.
static bool isNumber(QualType T) {
  if (T->isReferenceType()) {
    T = T->getPointeeType();
    if (!T.isConstQualified())
      return false;
  }
  return T->isArithmeticType() && !T.isVolatileQualified();
}

static bool isListed(llvm::StringRef Name) {
  // CUDA C++ Programming Guide, "Mathematical Functions": the names without
  // their suffix for float.
  static const llvm::StringSet<> Math = {
      "min",    "max",    "umin",      "umax",     "llmin",    "llmax",
      "ullmin", "ullmax", "abs",       "labs",     "llabs",    "fabs",
      "sqrt",   "rsqrt",  "cbrt",      "ceil",     "floor",    "trunc",
      "round",  "rint",   "nearbyint", "lround",   "llround",  "lrint",
      "llrint", "fmin",   "fmax",      "fma",      "fmod",     "remainder",
      "pow",    "exp",    "exp2",      "exp10",    "expm1",    "log",
      "log2",   "log10",  "log1p",     "sin",      "cos",      "tan",
      "asin",   "acos",   "atan",      "atan2",    "sinh",     "cosh",
      "tanh",   "erf",    "erfc",      "hypot",    "copysign", "fdim",
      "ldexp",  "isnan",  "isinf",     "isfinite", "signbit"};
  static const llvm::StringSet<> Intrinsics = {
      "__mul24",         "__umul24",        "__mulhi",
      "__umulhi",        "__mul64hi",       "__umul64hi",
      "__popc",          "__popcll",        "__clz",
      "__clzll",         "__ffs",           "__ffsll",
      "__brev",          "__brevll",        "__sinf",
      "__cosf",          "__tanf",          "__expf",
      "__exp10f",        "__logf",          "__log2f",
      "__log10f",        "__powf",          "__fdividef",
      "__saturatef",     "__int_as_float",  "__float_as_int",
      "__uint_as_float", "__float_as_uint", "__fmaf_rn",
      "__fadd_rn",       "__fmul_rn",       "__fsub_rn",
      "__fdiv_rn",       "__fsqrt_rn",      "__float2int_rn",
      "__float2int_rd",  "__float2int_ru",  "__float2int_rz",
      "__builtin_expect"};
  if (Math.contains(Name) || Intrinsics.contains(Name))
    return true;
  return Name.consume_back("f") && Math.contains(Name);
}

bool isOfNarrowFloats(const FunctionDecl &F) {
  auto IsValue = [](QualType T) { return isNumber(T) || isNarrowFloat(T); };
  auto *M = dyn_cast<CXXMethodDecl>(&F);
  const bool IsConversion = M && isa<CXXConversionDecl>(M) && M->isConst() &&
                            isNarrowFloat(M->getFunctionObjectParameterType());
  auto IsNarrow = [](const ParmVarDecl *P) {
    return isNarrowFloat(P->getType());
  };
  return (IsConversion || (!M && (isNarrowFloat(F.getReturnType()) ||
                                  llvm::any_of(F.parameters(), IsNarrow)))) &&
         IsValue(F.getReturnType()) && !F.isVariadic() &&
         llvm::all_of(
             F.parameters(),
             [&](const ParmVarDecl *P) { return IsValue(P->getType()); }) &&
         knownFunction(F) == Known::Computes;
}

bool isNarrowFloatUpdate(const FunctionDecl &F) {
  switch (F.getOverloadedOperator()) {
  case OO_PlusEqual:
  case OO_MinusEqual:
  case OO_StarEqual:
  case OO_SlashEqual:
    break;
  default:
    return false;
  }
  return F.getNumParams() == 2 &&
         isNarrowFloat(F.getParamDecl(0)->getType().getNonReferenceType()) &&
         isNarrowFloat(F.getParamDecl(1)->getType()) &&
         knownFunction(F) == Known::Computes;
}

bool isRoundedNarrowFloat(const CallExpr &C) {
  const FunctionDecl *F = C.getDirectCallee();
  if (!F || !isOfNarrowFloats(*F))
    return false;
  if (F->isOverloadedOperator()) {
    const OverloadedOperatorKind Kind = F->getOverloadedOperator();
    return Kind == OO_Slash ||
           ((Kind == OO_Plus || Kind == OO_Minus) && F->getNumParams() == 2);
  }
  if (isa<CXXConversionDecl>(F))
    return true;
  for (llvm::StringRef Head :
       {"__hadd", "__hsub", "__hfma", "__hdiv", "__h2div", "__hmul_rn",
        "__hmul2_rn", "__hmin", "__hmax", "__half2float", "__half22float2",
        "__bfloat162float", "__bfloat1622float2", "__low2float", "__high2float",
        "__float2", "__double2"})
    if (F->getName().starts_with(Head))
      return true;
  return false;
}

bool isKnownToCompute(const FunctionDecl &F) {
  if (isOfNarrowFloats(F))
    return true;
  if (!F.getDeclName().isIdentifier() || isa<CXXMethodDecl>(F) ||
      F.isVariadic())
    return false;
  const DeclContext *Scope = F.getDeclContext()->getRedeclContext();
  if (!Scope->isTranslationUnit() && !Scope->isStdNamespace())
    return false;
  // Every declaration is the system's: one by the user replaces the meaning.
  if (!llvm::all_of(F.redecls(),
                    [](const FunctionDecl *R) { return isOfSystem(*R); }))
    return false;
  return isListed(F.getName()) && isNumber(F.getReturnType()) &&
         llvm::all_of(F.parameters(), [](const ParmVarDecl *P) {
           return isNumber(P->getType());
         });
}

bool isLaunchVariable(const ValueDecl &D) {
  auto *V = dyn_cast<VarDecl>(&D);
  if (!V || !V->getDeclName().isIdentifier() ||
      !V->getDeclContext()->getRedeclContext()->isTranslationUnit() ||
      !isOfSystem(*V))
    return false;
  if (V->getName() == "warpSize")
    return V->getType().isConstQualified();
  bool Named = llvm::StringSwitch<bool>(V->getName())
                   .Cases({"blockIdx", "blockDim", "gridDim"}, true)
                   .Default(false);
  const CXXRecordDecl *R = V->getType()->getAsCXXRecordDecl();
  return Named && R && isOfSystem(*R) &&
         R->getName() == ("__cuda_builtin_" + V->getName() + "_t").str();
}

} // namespace catt
