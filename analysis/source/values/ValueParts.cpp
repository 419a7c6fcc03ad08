//===- ValueParts.cpp - What of a struct is a value of its own ------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/values/ValueParts.h"
#include "analysis/source/syntax/NodeParts.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace catt {

/// A struct with more members is hardly kept in registers.
static constexpr size_t MostParts = 64;

bool isPlainScalar(QualType T) {
  if (auto *E = T->getAs<EnumType>(); E && !E->getDecl()->getIdentifier())
    return false; // arrays have to name it
  return (T->isArithmeticType() || T->isPointerType() || T->isEnumeralType()) &&
         !T->isBitIntType() && !T->isVectorType() && !T.isVolatileQualified();
}

/// A field that can be read and assigned by its name.
static bool isOpen(const FieldDecl &F) {
  return F.getIdentifier() && !F.isBitField() && !F.isMutable() &&
         F.getAccess() == AS_public && !F.getType().isVolatileQualified() &&
         !F.getType().isConstQualified();
}

std::vector<std::string> vectorFields(const CXXRecordDecl &R) {
  static constexpr llvm::StringRef Names[] = {"x", "y", "z", "w"};
  std::vector<std::string> Out;
  QualType First;
  for (const FieldDecl *F : R.fields()) {
    QualType T = F->getType().getCanonicalType();
    if (First.isNull())
      First = T;
    if (Out.size() == 4 || F->getName() != Names[Out.size()] || T != First ||
        !T->isArithmeticType() || !isOpen(*F))
      return {};
    Out.push_back(F->getNameAsString());
  }
  bool Plain = R.getNumBases() == 0 && !R.isUnion() &&
               R.hasTrivialDestructor() && R.hasTrivialCopyAssignment();
  return Plain ? Out : std::vector<std::string>();
}

static bool isNothingButItsMembers(const CXXRecordDecl &R) {
  return R.isAggregate() && R.isTriviallyCopyable() &&
         R.hasTrivialDefaultConstructor() && R.getNumBases() == 0 &&
         !R.isUnion() && !R.isLambda() && !R.field_empty();
}

/// The parts of an object of type T, which Outer designates. False: it has
/// none.
static bool split(QualType T, ValuePart Outer, const ASTContext &Context,
                  std::vector<ValuePart> &Out) {
  while (auto *A = Context.getAsConstantArrayType(T)) {
    Outer.Extents.push_back(A->getSize().getSExtValue());
    Outer.Pieces.emplace_back();
    T = A->getElementType();
  }
  if (T.isConstQualified() || T.isVolatileQualified())
    return false;
  Outer.Type = T.getCanonicalType();
  auto *R = Outer.Type->getAsCXXRecordDecl();
  if (R)
    Outer.Fields = vectorFields(*R);
  if (!R || !Outer.Fields.empty()) {
    Out.push_back(std::move(Outer));
    return Out.size() <= MostParts && (R || isPlainScalar(T));
  }
  return isNothingButItsMembers(*R) &&
         llvm::all_of(R->fields(), [&](const FieldDecl *F) {
           ValuePart Part = Outer;
           Part.Path.push_back(F);
           Part.Pieces.back() += "." + F->getNameAsString();
           return isOpen(*F) && split(F->getType(), Part, Context, Out);
         });
}

std::vector<ValuePart> partsOf(const VarDecl &D, const ASTContext &Context) {
  auto *R = Context.getBaseElementType(D.getType())->getAsCXXRecordDecl();
  if (!R || !R->hasDefinition() || isa<DecompositionDecl>(D) ||
      !vectorFields(*R).empty())
    return {};
  ValuePart Whole;
  Whole.Pieces.push_back(D.getNameAsString());
  QualType T = D.getType(); // whose const may be left out (ConstWords.h)
  if (!Context.getBaseElementType(T).isVolatileQualified())
    T = Context.getUnqualifiedArrayType(T);
  std::vector<ValuePart> Out;
  return split(T, Whole, Context, Out) ? Out : std::vector<ValuePart>();
}

std::optional<Designator> designated(const Expr &Top) {
  Designator D;
  const Expr *E = &Top;
  for (;;) {
    E = E->IgnoreParens();
    auto *C = dyn_cast<ImplicitCastExpr>(E);
    if (C && C->isGLValue() && C->getCastKind() == CK_NoOp) {
      E = C->getSubExpr();
    } else if (auto *M = dyn_cast<MemberExpr>(E)) {
      auto *F = dyn_cast<FieldDecl>(M->getMemberDecl());
      if (!F || M->isArrow())
        return std::nullopt;
      D.Path.insert(D.Path.begin(), F);
      E = M->getBase();
    } else if (auto *S = dyn_cast<ArraySubscriptExpr>(E)) {
      D.Indices.insert(D.Indices.begin(), S->getIdx());
      E = S->getBase()->IgnoreParenImpCasts();
      if (!E->getType()->isArrayType())
        return std::nullopt;
    } else {
      break;
    }
  }
  D.Name = dyn_cast<DeclRefExpr>(E);
  D.Variable = namedVariable(E);
  return D.Variable ? std::optional(D) : std::nullopt;
}

bool overlap(llvm::ArrayRef<const FieldDecl *> A,
             llvm::ArrayRef<const FieldDecl *> B) {
  size_t Common = std::min(A.size(), B.size());
  return A.take_front(Common) == B.take_front(Common);
}

} // namespace catt
