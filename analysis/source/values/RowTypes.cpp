//===- RowTypes.cpp - What elements of rows are called --------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/syntax/Effects.h"
#include "analysis/source/syntax/NodeParts.h"
#include "analysis/source/values/RowReads.h"

using namespace clang;

namespace catt {

/// The parameter of the function's own template that the type is; "" if it is
/// none, or is `const float`.
static llvm::StringRef parameterOf(QualType T, const FunctionDecl &F) {
  const FunctionTemplateDecl *Own = F.getPrimaryTemplate();
  auto *Instead = T->getAs<SubstTemplateTypeParmType>();
  return Own && Instead && !Instead->getReplacementType().hasQualifiers() &&
                 Instead->getAssociatedDecl()->getCanonicalDecl() ==
                     Own->getCanonicalDecl()
             ? identifierOf(Instead->getReplacedParameter())
             : "";
}

std::optional<std::string> RowReads::numberOf(const Expr &E) const {
  auto *Number = E.getType()->getAs<BuiltinType>();
  if (!Number || !Number->isArithmeticType() ||
      E.getType().isVolatileQualified() || Context.getTypeSize(Number) > 64)
    return std::nullopt;
  if (llvm::StringRef Name = parameterOf(E.getType(), F); !Name.empty())
    return Name.str();
  return E.getType().getCanonicalType().getUnqualifiedType().getAsString(
      Context.getPrintingPolicy());
}

/// Objects of whole words, whose type can be written anywhere.
std::optional<std::string> RowReads::objectOf(const Expr &E) const {
  constexpr int64_t Half = 2, Word = 4, MostBytes = 16;
  const QualType T = E.getType().getCanonicalType();
  const CXXRecordDecl *Record = T->getAsCXXRecordDecl();
  if (!Record || Record->isUnion() || T.isVolatileQualified() ||
      !(isNarrowFloat(T) || (T.isTriviallyCopyableType(Context) &&
                             Record->hasSimpleCopyAssignment())) ||
      !Record->getDeclContext()->getRedeclContext()->isFileContext())
    return std::nullopt;
  std::string Name =
      T.getUnqualifiedType().getAsString(Context.getPrintingPolicy());
  const int64_t Bytes = Context.getTypeSizeInChars(T).getQuantity(),
                Alignment = Context.getTypeAlignInChars(T).getQuantity();
  const bool IsHalf = Bytes == Half && Alignment == Half;
  if ((!IsHalf && (Bytes % Word || Alignment % Word)) || Bytes > MostBytes ||
      Name.find('(') != std::string::npos)
    return std::nullopt;
  return Name;
}

} // namespace catt
