//===- ValueParts.h - What of a struct is a value of its own ----*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   struct Pixel { float v[4]; int n; };
//   Pixel p[3];            parts: p[i].v[j] with extents 3, 4; p[i].n with 3
//   p[k].v[1] = 2;         designates p along .v, indices k, 1
//
// Only structs that are nothing but their members have parts: aggregates that
// are copied byte by byte. A union, a bit-field, a base, a mutable, volatile or
// const member, a constructor or a member's initializer takes all of them away.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_VALUES_VALUEPARTS_H
#define CATT_ANALYSIS_SOURCE_VALUES_VALUEPARTS_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/Expr.h"

namespace catt {

/// A scalar, a CUDA vector, or an array of them.
struct ValuePart {
  std::vector<const clang::FieldDecl *> Path; ///< empty: the whole variable
  std::vector<std::string> Pieces;            ///< as in ThreadValue
  std::vector<int64_t> Extents;
  clang::QualType Type;            ///< of one element, canonical
  std::vector<std::string> Fields; ///< of a CUDA vector
};

/// Fields of CUDA's vector types: built of 1 to 4 equal arithmetic fields that
/// are called x, y, z, w; else none.
std::vector<std::string> vectorFields(const clang::CXXRecordDecl &R);

/// A scalar of which a copy may wait in memory.
bool isPlainScalar(clang::QualType T);

/// The parts of a variable of a struct, or of an array of structs; none of
/// another one, and of structs that are more than their members.
std::vector<ValuePart> partsOf(const clang::VarDecl &D,
                               const clang::ASTContext &Context);

/// What an expression like p[k].v[1] names.
struct Designator {
  const clang::VarDecl *Variable = nullptr;
  const clang::DeclRefExpr *Name = nullptr; ///< of the variable
  std::vector<const clang::FieldDecl *> Path;
  std::vector<const clang::Expr *> Indices;
};

/// Empty unless it is a chain of members and elements of a variable.
std::optional<Designator> designated(const clang::Expr &E);

/// True if one path is a prefix of the other.
bool overlap(llvm::ArrayRef<const clang::FieldDecl *> A,
             llvm::ArrayRef<const clang::FieldDecl *> B);

} // namespace catt

#endif
