//===- Calls.cpp - Calls of a symbolic walk -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls in SymbolicWalk: CUDA's own functions by their meaning, the user's by
// walking into them, launches and all others by a hook.
//
//===----------------------------------------------------------------------===//

#include "analysis/source/syntax/Effects.h"
#include "analysis/source/walk/SymbolicWalk.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace catt {

/// Loads, stores and atomics that are spelled as calls.
std::optional<Value> SymbolicWalk::evalMemoryIntrinsic(const CallExpr *E,
                                                       llvm::StringRef Name) {
  bool Load = llvm::StringSwitch<bool>(Name)
                  .Cases({"__ldg", "__ldca", "__ldcs", "__ldlu"}, true)
                  .Cases({"__ldcg", "__ldcv"}, true)
                  .Default(false);
  bool Store = llvm::StringSwitch<bool>(Name)
                   .Cases({"__stwb", "__stcs", "__stcg", "__stwt"}, true)
                   .Default(false);
  bool Atomic =
      (Name.starts_with("atomic") || Name.starts_with("__nv_atomic_")) &&
      E->getNumArgs() >= 2 && E->getArg(0)->getType()->isPointerType();
  if ((!Load && !Store && !Atomic) || E->getNumArgs() < 1)
    return std::nullopt;
  Value Address = evalAsValue(E->getArg(0));
  for (unsigned I = 1; I < E->getNumArgs(); ++I)
    evalAsValue(E->getArg(I));
  MemoryUse Use;
  Use.Reads = Load || Atomic;
  Use.Writes = Store || Atomic;
  Use.Atomic = Atomic;
  // PTX ISA, "Cache operators": .cg, .cv and .wt do not use L1; atomics are
  // performed in L2.
  Use.ThroughL1 = !Atomic && Name != "__ldcg" && Name != "__ldcv" &&
                  Name != "__stcg" && Name != "__stwt";
  PointerValue P = pointee(Address, *E->getArg(0), *E);
  QualType T = E->getArg(0)->getType()->getPointeeType();
  if (!Quiet)
    onAccess(*E, P, T, Use);
  return unknownAt(*E, "'" + text(*E) + "', which is loaded from memory");
}

/// Functions whose meaning is known by name.
std::optional<Value> SymbolicWalk::evalIntrinsic(const CallExpr *E,
                                                 const FunctionDecl &F) {
  if (!F.getDeclName().isIdentifier())
    return std::nullopt;
  // A function of the user's that has such a name means what its body says.
  if (F.hasBody() &&
      !Context.getSourceManager().isInSystemHeader(F.getLocation()))
    return std::nullopt;
  llvm::StringRef Name = F.getName();
  if (auto V = evalMemoryIntrinsic(E, Name))
    return V;
  bool Min = Name == "min" || Name == "umin" || Name == "__nv_min";
  bool Max = Name == "max" || Name == "umax" || Name == "__nv_max";
  bool Mul = Name == "__mul24" || Name == "__umul24";
  if (!(Min || Max || Mul) || E->getNumArgs() != 2 ||
      !isIndexType(E->getType().getNonReferenceType()))
    return std::nullopt;
  Value A = evalAsValue(E->getArg(0)), B = evalAsValue(E->getArg(1));
  if (!A.isInteger() || !B.isInteger())
    return unknownAt(*E, "'" + text(*E) + "'");
  return Value::integer(Min   ? AffineIndex::min(A.Integer, B.Integer)
                        : Max ? AffineIndex::max(A.Integer, B.Integer)
                              : A.Integer * B.Integer);
}

/// cooperative_groups::thread_block::thread_rank() and its like.
static std::optional<AffineIndex> groupCoordinate(const CXXMethodDecl &M) {
  if (!M.getDeclName().isIdentifier() ||
      M.getParent()->getName() != "thread_block")
    return std::nullopt;
  if (M.getName() == "thread_rank")
    return AffineIndex::threadIdx(Axis::X) +
           AffineIndex::blockDim(Axis::X) *
               (AffineIndex::threadIdx(Axis::Y) +
                AffineIndex::blockDim(Axis::Y) *
                    AffineIndex::threadIdx(Axis::Z));
  return std::nullopt;
}

Value SymbolicWalk::evalCall(const CallExpr *E) {
  if (auto *K = dyn_cast<CUDAKernelCallExpr>(E)) {
    const CallExpr *Config = K->getConfig();
    Value C[3];
    for (unsigned I = 0; I < 3 && I < Config->getNumArgs(); ++I)
      C[I] = evalAsValue(Config->getArg(I));
    std::vector<Value> Arguments;
    for (const Expr *A : K->arguments())
      Arguments.push_back(evalAsValue(A));
    if (!Quiet)
      onKernelCall(*K, C[0], C[1], C[2], Arguments);
    return {};
  }
  const FunctionDecl *F = E->getDirectCallee();
  if (!F) {
    eval(E->getCallee());
    for (const Expr *A : E->arguments())
      evalAsValue(A);
    return unknownAt(*E, "a call through a pointer");
  }
  if (auto V = evalIntrinsic(E, *F))
    return *V;
  if (auto *M = dyn_cast<CXXMethodDecl>(F))
    if (auto I = groupCoordinate(*M))
      return Value::integer(*I);
  Result R = callFunction(E, *F);
  // `a = b` loads b alone.
  if (!F->getReturnType()->isReferenceType() || isTrivialAssignment(*E))
    return R.V;
  return load(R.P, *E);
}

/// `const float &x` that is read only: x is a number that the caller loads.
bool SymbolicWalk::isTakenAsValue(const FunctionDecl &Def, unsigned I) {
  constexpr int64_t MostBytes = 16;
  const QualType T = Def.getParamDecl(I)->getType();
  if (!T->isLValueReferenceType() || !T->getPointeeType().isConstQualified() ||
      Def.getReturnType()->isReferenceType() ||
      Uses.ofParameter(Def, I) != VariableEffect::Reads)
    return false;
  const QualType Of = T->getPointeeType();
  return Of->isArithmeticType() ||
         (Of->isRecordType() && Of.isTriviallyCopyableType(Context) &&
          Context.getTypeSizeInChars(Of).getQuantity() <= MostBytes);
}

void SymbolicWalk::bindArguments(const CallExpr &E, const FunctionDecl &Def) {
  llvm::ArrayRef<const Expr *> Arguments = argumentsOf(E);
  for (unsigned I = 0; I < Def.getNumParams(); ++I) {
    const ParmVarDecl *P = Def.getParamDecl(I);
    if (I >= Arguments.size()) {
      Variables.erase(P);
      continue;
    }
    const Expr *A = Arguments[I];
    if (P->getType()->isReferenceType()) {
      Place To = strip(A)->isGLValue() ? place(A) : Place();
      const bool IsLoaded =
          To.K == Place::Kind::Memory && isTakenAsValue(Def, I);
      if (To.K != Place::Kind::Unknown && !IsLoaded) {
        References[P] = To;
        continue;
      }
      // A temporary, or an element: the reference names a value.
      References[P] = Place::variable(P);
      Variables[P] = evalAsValue(A);
    } else {
      Variables[P] = evalAsValue(A);
    }
  }
}

/// A call that is not walked into: what it is given by reference changes.
SymbolicWalk::Result SymbolicWalk::callUnseen(const CallExpr *E,
                                              const FunctionDecl &F) {
  auto *Method = dyn_cast<CXXMethodDecl>(&F);
  bool OperatorOnObject = isa<CXXOperatorCallExpr>(E) && objectOf(*E);
  std::vector<Value> Arguments;
  for (unsigned I = 0; I < E->getNumArgs(); ++I) {
    unsigned Parameter = I - OperatorOnObject;
    const Expr *A = E->getArg(I);
    VariableEffect Does = OperatorOnObject && I == 0 ? Uses.ofObject(*Method)
                          : Parameter < F.getNumParams()
                              ? Uses.ofParameter(F, Parameter)
                              : VariableEffect::Reads;
    bool ByReference = !(OperatorOnObject && I == 0) &&
                       Parameter < F.getNumParams() &&
                       isMutableReference(F.getParamDecl(Parameter)->getType());
    if (A->isGLValue() && ByReference) {
      store(place(A), unknownAt(*A, "'" + text(*A) + "'"), *A,
            /*AlsoReads=*/true);
      continue;
    }
    Arguments.push_back(evalAsValue(A));
    if (A->isGLValue() && Does != VariableEffect::Reads)
      forgetChanges(A);
  }
  if (auto *C = dyn_cast<CXXMemberCallExpr>(E)) {
    const Expr *Object = C->getImplicitObjectArgument();
    if (Uses.ofObject(*Method) != VariableEffect::Reads)
      forgetChanges(Object);
    else if (convertsToNumber(F) && Object->isGLValue())
      evalAsValue(Object);
  }
  if (!Quiet)
    onCall(*E, &F, Arguments);
  if (auto C = constantIndex(*E, Context))
    return {Value::integer(*C), {}};
  return {unknownAt(*E, "the result of '" + F.getNameAsString() + "'"), {}};
}

/// The object of a call that is walked into.
Place SymbolicWalk::thisOf(const CallExpr &E, const FunctionDecl &F) {
  if (isa<CXXOperatorCallExpr>(E) && objectOf(E)) {
    Place Object = place(E.getArg(0));
    // In a lambda, `this` is that of the function around it.
    return cast<CXXMethodDecl>(F).getParent()->isLambda() ? Place() : Object;
  }
  if (!isa<CXXMemberCallExpr>(E))
    return {};
  const Expr *Object = strip(objectOf(E));
  if (isa<CXXThisExpr>(Object->IgnoreParenImpCasts()))
    return Frames.empty() ? Place() : Frames.back().This;
  if (!Object->getType()->isPointerType())
    return place(Object);
  Value V = evalAsValue(Object);
  return V.isPointer() ? Place::memory(V.Pointer) : Place();
}

SymbolicWalk::Result SymbolicWalk::callFunction(const CallExpr *E,
                                                const FunctionDecl &F) {
  const FunctionDecl *Def = Mentions::bodyOf(F);
  if (isTrivialAssignment(*E)) {
    Value R = evalAsValue(E->getArg(1));
    Place P = place(E->getArg(0));
    store(P, R, *E->getArg(0));
    return {R, P};
  }
  bool Recursive = llvm::any_of(Frames, [&](const Frame &Fr) {
    return Fr.Function->getCanonicalDecl() == F.getCanonicalDecl();
  });
  bool Enter = Def && !Recursive && Frames.size() < 16 && entersCall(F) &&
               !convertsToNumber(F);
  if (Enter && ++CallsWalked > MostCalls) {
    Enter = false;
    if (CallsWalked == MostCalls + 1)
      onTooManyCalls(*E);
  }
  if (!Enter)
    return callUnseen(E, F);
  Frame New{Def, {}, {}, thisOf(*E, F), Quiet > 0};
  enter(*Def);
  bindArguments(*E, *Def);
  Frames.push_back(std::move(New));
  Path.push_back({nullptr, Def, E});
  size_t SavedGuards = Guards.size();
  walk(Def->getBody());
  Guards.resize(SavedGuards);
  Path.pop_back();
  Frame Done = std::move(Frames.back());
  Frames.pop_back();
  Result R{unknownAt(*E, "the result of '" + F.getNameAsString() + "'"), {}};
  if (!Done.Returned.empty() &&
      llvm::all_of(Done.Returned, [&](const Value &V) {
        return Done.Returned.size() == 1 || V == Done.Returned.front();
      }))
    R.V = Done.Returned.front();
  if (Done.ReturnedPlaces.size() == 1)
    R.P = Done.ReturnedPlaces.front();
  return R;
}

} // namespace catt
