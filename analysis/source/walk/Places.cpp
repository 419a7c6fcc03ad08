//===- Places.cpp - What an lvalue designates -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lvalues of SymbolicWalk: a variable of the walk, or bytes from an object
// in memory; and what loading from it and storing to it means.
//
//===----------------------------------------------------------------------===//

#include "analysis/source/walk/SymbolicWalk.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/RecordLayout.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace catt {

Place Place::variable(const VarDecl *V) {
  Place P;
  P.K = Kind::Variable;
  P.Variable = V;
  return P;
}

Place Place::memory(PointerValue Where) {
  Place P;
  P.K = Kind::Memory;
  P.Memory = std::move(Where);
  return P;
}

/// Where a pointer points to: an object of its own if that is not known.
PointerValue SymbolicWalk::pointee(const Value &V, const Expr &Pointer,
                                   const Expr &Use) {
  return V.isPointer()
             ? V.Pointer
             : PointerValue{text(Pointer), baseId(&Use, ""),
                            AddressSpace::Global, std::nullopt, V.Why};
}

Place SymbolicWalk::place(const Expr *E) {
  E = strip(E);
  Place Unknown;
  if (auto *D = dyn_cast<DeclRefExpr>(E)) {
    auto *V = dyn_cast<VarDecl>(D->getDecl());
    return V ? placeOfVariable(V, E) : Unknown;
  }
  if (auto *A = dyn_cast<ArraySubscriptExpr>(E)) {
    Value Base = evalAsValue(A->getBase());
    Value Index = evalAsValue(A->getIdx());
    Value Sum = evalArithmetic(BO_Add, Base, Index, *A->getBase());
    return Place::memory(pointee(Sum, *A->getBase(), *A));
  }
  if (auto *U = dyn_cast<UnaryOperator>(E); U && U->getOpcode() == UO_Deref) {
    Value V = eval(U->getSubExpr());
    return Place::memory(pointee(V, *U->getSubExpr(), *U));
  }
  if (auto *M = dyn_cast<MemberExpr>(E))
    return placeOfMember(M);
  if (auto *C = dyn_cast<CastExpr>(E))
    return place(C->getSubExpr());
  if (auto *C = dyn_cast<CallExpr>(E)) {
    const FunctionDecl *F = C->getDirectCallee();
    if (F && F->getReturnType()->isReferenceType() && !evalIntrinsic(C, *F))
      return callFunction(C, *F).P;
    if (!F)
      eval(E);
    return Unknown;
  }
  if (auto *B = dyn_cast<BinaryOperator>(E)) { // (a = b), (a, b)
    if (B->isAssignmentOp()) {
      eval(B);
      ++Quiet;
      Place P = place(B->getLHS());
      --Quiet;
      return P;
    }
    if (B->getOpcode() == BO_Comma) {
      eval(B->getLHS());
      return place(B->getRHS());
    }
    if (B->isPtrMemOp()) { // some member
      evalAsValue(B->getLHS());
      eval(B->getRHS());
      return Place::memory(pointee({}, *B, *B));
    }
  }
  if (auto *C = dyn_cast<AbstractConditionalOperator>(E); C && E->isGLValue()) {
    eval(C->getCond());
    const Place First = place(C->getTrueExpr()),
                Second = place(C->getFalseExpr());
    if (First.K == Place::Kind::Memory || Second.K == Place::Kind::Memory)
      return Place::memory(pointee({}, *E, *E)); // either, and so any
    return Unknown;
  }
  if (auto *U = dyn_cast<UnaryOperator>(E); U && U->isPrefix()) {
    eval(U);
    ++Quiet;
    Place P = place(U->getSubExpr());
    --Quiet;
    return P;
  }
  if (!E->isGLValue())
    eval(E);
  return Unknown;
}

static AddressSpace spaceOf(const VarDecl &V) {
  if (V.hasAttr<CUDASharedAttr>())
    return AddressSpace::Shared;
  if (V.hasAttr<CUDAConstantAttr>())
    return AddressSpace::Constant;
  if (V.hasAttr<CUDADeviceAttr>() || V.hasAttr<HIPManagedAttr>())
    return V.getType().isConstQualified() || V.isConstexpr()
               ? AddressSpace::Constant
               : AddressSpace::Global;
  return V.hasGlobalStorage() ? AddressSpace::Constant : AddressSpace::Local;
}

Place SymbolicWalk::placeOfVariable(const VarDecl *V, const Expr *E) {
  if (auto It = References.find(V); It != References.end())
    return It->second;
  if (V->getType()->isReferenceType())
    return Place::memory(
        {V->getName().str(), baseId(V, ""), AddressSpace::Global, std::nullopt,
         Refusal{Reason::Irregular, location(E->getBeginLoc()),
                 "the reference '" + V->getName().str() + "'"}});
  bool InMemory = V->getType()->isArrayType() || V->hasAttr<CUDASharedAttr>() ||
                  V->hasAttr<CUDAConstantAttr>() ||
                  V->hasAttr<CUDADeviceAttr>() || V->hasAttr<HIPManagedAttr>();
  // `const dim3 Block(256);` is a host's constant that clang lets a kernel
  // read.
  auto *Constant = V->getAttr<CUDAConstantAttr>();
  bool OfHost = V->isConstexpr() || (Constant && Constant->isImplicit() &&
                                     V->getType()->isRecordType());
  if (InMemory && !(OfHost && !V->getType()->isArrayType()))
    return Place::memory({V->getName().str(), baseId(V, ""), spaceOf(*V),
                          AffineIndex(0), std::nullopt});
  return Place::variable(V);
}

Place SymbolicWalk::placeOfField(Place Base, const FieldDecl *F,
                                 const Expr &E) {
  if (Base.K == Place::Kind::Variable) {
    Base.Path.push_back(F->getName().str());
    if (!F->getType()->isArrayType())
      return Base;
    // An array inside a local object.
    return Place::memory({Base.Variable->getName().str(),
                          baseId(Base.Variable, F->getName()),
                          AddressSpace::Local, AffineIndex(0), std::nullopt});
  }
  if (Base.K == Place::Kind::Memory && Base.Memory.Offset) {
    const ASTRecordLayout &Layout = Context.getASTRecordLayout(F->getParent());
    if (F->isBitField())
      return Base;
    *Base.Memory.Offset += int64_t(Layout.getFieldOffset(F->getFieldIndex()) /
                                   Context.getCharWidth());
  }
  return Base;
}

Place SymbolicWalk::placeOfMember(const MemberExpr *M) {
  auto *F = dyn_cast<FieldDecl>(M->getMemberDecl());
  if (!F) { // a static member
    auto *V = dyn_cast<VarDecl>(M->getMemberDecl());
    return V ? placeOfVariable(V, M) : Place();
  }
  const Expr *Object = strip(M->getBase());
  if (isa<CXXThisExpr>(Object->IgnoreParenImpCasts()))
    return placeOfField(Frames.empty() ? Place() : Frames.back().This, F, *M);
  if (!M->isArrow())
    return placeOfField(place(Object), F, *M);
  Value V = evalAsValue(Object);
  return placeOfField(Place::memory(pointee(V, *Object, *M)), F, *M);
}

/// An input of the program: integers are parameters, pointers are objects.
Value SymbolicWalk::inputValue(const VarDecl &V, QualType T, std::string Name,
                               llvm::StringRef Path) {
  if (isIndexType(T))
    return Value::integer(AffineIndex::parameter(std::move(Name)));
  if (T->isPointerType())
    return Value::pointer({std::move(Name), baseId(&V, Path),
                           AddressSpace::Global, AffineIndex(0), std::nullopt});
  if (const auto *R = T->getAsRecordDecl(); R && R->isCompleteDefinition()) {
    Value Record;
    Record.K = Value::Kind::Record;
    for (const FieldDecl *F : R->fields())
      Record.Fields[F->getName().str()] =
          inputValue(V, F->getType(), Name + "." + F->getName().str(),
                     (Path + "." + F->getName()).str());
    return Record;
  }
  return Value::unknown({Reason::Irregular, location(V.getLocation()),
                         "the value of '" + Name + "'"});
}

/// What an object at file scope that never changes was initialised with, if all
/// of the place that is asked for is constant.
std::optional<Value> SymbolicWalk::constantRecord(const VarDecl &V,
                                                  const Place &P) {
  const Expr *Init = V.getAnyInitializer();
  if (!V.isFileVarDecl() || !V.getType().isConstQualified() || !Init ||
      !V.getType()->isRecordType() || Init->isValueDependent() || !isFixed(V))
    return std::nullopt;
  ++Quiet;
  Value Known = evalAsValue(Init);
  --Quiet;
  const Value *At = &Known;
  for (const std::string &Field : P.Path) {
    auto F = At->Fields.find(Field);
    if (At->K != Value::Kind::Record || F == At->Fields.end())
      return std::nullopt;
    At = &F->second;
  }
  auto IsConstant = [](const Value &Of) {
    return Of.isInteger() && Of.Integer.constant();
  };
  bool All = At->K == Value::Kind::Record
                 ? llvm::all_of(At->Fields,
                                [&](auto &F) { return IsConstant(F.second); })
                 : IsConstant(*At);
  return All ? std::optional(*At) : std::nullopt;
}

Value SymbolicWalk::load(const Place &P, const Expr &E, bool Record) {
  if (P.K == Place::Kind::Memory) {
    // `const int Threads = 256;` is a constant wherever it is kept.
    if (P.Memory.Space == AddressSpace::Constant)
      if (auto C = constantIndex(E, Context))
        return Value::integer(*C);
    if (Record && !Quiet)
      onAccess(E, P.Memory, E.getType(), {.Reads = true});
    if (P.Memory.Space == AddressSpace::Constant && P.Memory.Offset &&
        P.Memory.Offset->constant() && isIndexType(E.getType()))
      return Value::integer(AffineIndex::parameter(text(E)));
    return unknownAt(E, "'" + text(E) + "', which is loaded from memory");
  }
  if (P.K != Place::Kind::Variable)
    return unknownAt(E, "'" + text(E) + "'");
  const VarDecl *V = P.Variable;
  if (!isLost(V)) {
    if (auto It = Variables.find(V); It != Variables.end()) {
      const Value *Current = &It->second;
      for (const std::string &Field : P.Path) {
        auto F = Current->Fields.find(Field);
        if (Current->K != Value::Kind::Record || F == Current->Fields.end())
          return Current->Why ? Value::unknown(*Current->Why)
                              : unknownAt(E, "'" + text(E) + "'");
        Current = &F->second;
      }
      return *Current;
    }
    // A constant of the program, `const dim3 Block(32, 8);` among them.
    if (std::optional<Value> Constant = constantRecord(*V, P))
      return *Constant;
    if (auto C = constantIndex(E, Context))
      return Value::integer(*C);
  }
  return unknownAt(E, "the value of '" + text(E) + "'");
}

void SymbolicWalk::store(const Place &P, const Value &V, const Expr &E,
                         bool AlsoReads) {
  if (P.K == Place::Kind::Memory && !Quiet)
    onAccess(E, P.Memory, E.getType(), {.Reads = AlsoReads, .Writes = true});
  if (P.K != Place::Kind::Variable || isLost(P.Variable))
    return;
  if (Quiet && !isOfQuietCall(P.Variable)) { // not run, or run twice
    Variables.erase(P.Variable);
    return;
  }
  Value *Current = &Variables[P.Variable];
  for (const std::string &Field : P.Path) {
    if (Current->K != Value::Kind::Record) {
      *Current = Value();
      Current->K = Value::Kind::Record;
    }
    Current = &Current->Fields[Field];
  }
  *Current = wrapped(V, E);
}

} // namespace catt
