//===- RowStores.cpp - Stores to the rows of a loop -----------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/values/RowStores.h"
#include "analysis/source/syntax/Accessors.h"
#include "analysis/source/syntax/Effects.h"

using namespace clang;

namespace catt {

/// Bytes that an assignment may leave as they are, and a tile does not.
static bool hasPadding(QualType T, const ASTContext &Context) {
  const RecordDecl *Record = T->getAsRecordDecl();
  if (const ArrayType *Array = Context.getAsArrayType(T))
    return hasPadding(Array->getElementType(), Context);
  if (!Record)
    return false;
  auto *Class = dyn_cast<CXXRecordDecl>(Record);
  if (Class && (Class->getNumBases() || Class->isEmpty()))
    return true; // as far as is known here
  CharUnits Bytes;
  for (const FieldDecl *Field : Record->fields()) {
    if (Field->isBitField() || hasPadding(Field->getType(), Context))
      return true;
    Bytes += Context.getTypeSizeInChars(Field->getType());
  }
  return Bytes != Context.getTypeSizeInChars(T);
}

/// What an assignment assigns to; null for everything else.
static const Expr *valueStoredBy(const Stmt &S) {
  if (auto *B = dyn_cast<BinaryOperator>(&S))
    return B->isAssignmentOp() ? B->getLHS()->IgnoreParens() : nullptr;
  auto *C = dyn_cast<CXXOperatorCallExpr>(&S);
  return C && isTrivialAssignment(*C) ? C->getArg(0)->IgnoreParens() : nullptr;
}

static std::optional<RowElement> elementOf(const Expr &Place,
                                           const CountedLoop &By) {
  if (auto *E = dyn_cast<ArraySubscriptExpr>(&Place))
    return RowElement::of(*E, *E, By);
  if (auto *C = dyn_cast<CallExpr>(&Place))
    return givesElement(*C) ? std::optional(RowElement{nullptr, C, C, C, C})
                            : std::nullopt;
  auto *U = dyn_cast<UnaryOperator>(&Place);
  return U && U->getOpcode() == UO_Deref ? RowElement::movedOver(*U, By)
                                         : std::nullopt;
}

std::optional<RowStore> rowStoreOf(const Stmt &S, const RowReads &Rows,
                                   const RowWalker &Walker,
                                   const std::string &File) {
  const Expr *To = valueStoredBy(S);
  const std::optional<RowElement> E =
      To ? elementOf(*To, Walker.By) : std::nullopt;
  if (!E || hasPadding(To->getType(), Rows.context()))
    return std::nullopt;
  std::optional<RowLoad> Of = Rows.loadOf(
      *E, Walker, /*Reads=*/isa<CompoundAssignOperator>(S), /*Writes=*/true);
  std::optional<SourceSpan> Whole = Walker.By.spanOf(S.getSourceRange(), File);
  return Of && Whole ? std::optional(RowStore{std::move(*Of), *Whole})
                     : std::nullopt;
}

} // namespace catt
