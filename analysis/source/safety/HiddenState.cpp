//===- HiddenState.cpp - What a kernel changes beside memory --------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/safety/HiddenState.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;
using llvm::StringRef;

namespace catt {
namespace {

/// Whether a value of the type can lead to memory.
bool holdsPointers(QualType T) {
  T = T.getCanonicalType();
  if (auto *A = dyn_cast<ArrayType>(T))
    return holdsPointers(A->getElementType());
  auto *Record = T->getAsCXXRecordDecl();
  if (!Record || !Record->hasDefinition())
    return T->isAnyPointerType() || T->isReferenceType() || Record != nullptr;
  for (const FieldDecl *F : Record->fields())
    if (holdsPointers(F->getType()))
      return true;
  for (const CXXBaseSpecifier &Base : Record->bases())
    if (holdsPointers(Base.getType()))
      return true;
  return false;
}

/// Looks for state in one function.
class StateWalk : public RecursiveASTVisitor<StateWalk> {
public:
  std::string Found;

  bool shouldVisitImplicitCode() const { return true; }

  bool VisitDeclRefExpr(DeclRefExpr *E) {
    return variable(dyn_cast<VarDecl>(E->getDecl()));
  }
  bool VisitMemberExpr(MemberExpr *E) { // a static member
    return variable(dyn_cast<VarDecl>(E->getMemberDecl()));
  }
  bool VisitCXXDefaultArgExpr(CXXDefaultArgExpr *E) {
    return TraverseStmt(E->getExpr());
  }
  bool VisitCXXDefaultInitExpr(CXXDefaultInitExpr *E) {
    return TraverseStmt(E->getExpr());
  }
  bool VisitCUDAKernelCallExpr(CUDAKernelCallExpr *) {
    return stop("it launches kernels");
  }
  bool VisitCXXNewExpr(CXXNewExpr *E) {
    return E->getNumPlacementArgs() || stop("it takes memory by new");
  }
  bool VisitCallExpr(CallExpr *E) {
    const FunctionDecl *F = E->getDirectCallee();
    if (!F || !F->getDeclName().isIdentifier())
      return true;
    const StringRef Name = F->getName();
    const Known What = knownFunction(*F);
    const std::string Call = "it calls " + Name.str() + "()";
    if (What == Known::TakesMemory)
      return stop(Call);
    if (What == Known::Output &&
        (Name.contains("print") || Name == "puts" || Name == "putchar"))
      return stop(Call);
    if (Name.starts_with("surf") && Name.contains("write"))
      return stop(Call);
    return true;
  }

private:
  bool stop(std::string What) {
    Found = std::move(What);
    return false;
  }
  bool variable(const VarDecl *V) {
    if (!V || V->hasLocalStorage() || V->hasAttr<CUDASharedAttr>())
      return true;
    const QualType T = V->getType();
    const bool IsConstant = isConstantMemory(*V);
    if (IsConstant && !holdsPointers(T))
      return true;
    return stop((IsConstant ? "it follows pointers in the variable '"
                            : "it uses the variable '") +
                V->getNameAsString() + "'");
  }
};

/// Of one function that is reached and, through it, of others.
std::string stateBelow(const FunctionDecl &F, ReachedCode &Code,
                       llvm::SmallPtrSetImpl<const FunctionDecl *> &Seen) {
  if (!Seen.insert(&F).second)
    return "";
  // The walk's own parts (variables, new) say more than that they are unknown.
  StateWalk Walk;
  Walk.TraverseDecl(const_cast<FunctionDecl *>(&F));
  if (!Walk.Found.empty())
    return Walk.Found;
  for (const ReachedEffect &E : Code.of(&F).Findings)
    if (E.What == ReachedEffect::Kind::TooComplex)
      return "it " + E.Deep;
  for (const ReachedEvent &E : Code.of(&F).Body.Events)
    switch (E.What) {
    case ReachedEvent::Kind::Call:
      if (std::string Below = stateBelow(*E.Callee, Code, Seen); !Below.empty())
        return Below;
      break;
    case ReachedEvent::Kind::Assembly:
      return "it has " + E.Text;
    case ReachedEvent::Kind::SkippedBody:
    case ReachedEvent::Kind::Unknown:
      return "it " + E.Text;
    case ReachedEvent::Kind::BlockBarrier:
    case ReachedEvent::Kind::NamedBarrier:
    case ReachedEvent::Kind::Waits:
    case ReachedEvent::Kind::WarpWide:
      break;
    }
  return "";
}

} // namespace

std::string hiddenState(const FunctionDecl &Kernel, ReachedCode &Code) {
  llvm::SmallPtrSet<const FunctionDecl *, 16> Seen;
  return stateBelow(Kernel, Code, Seen);
}

} // namespace catt
