//===- CountedLoops.h - Loops that count by a constant ----------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for (int j = first; j < limit; ++j)   first and limit are the same
//     ... A[i * m + j] ...                whenever they are evaluated, and so
//                                         are A, i and m
//
//   while (j < limit) {                   begins with what j is before it
//     ... A[i * m + j] ...
//     ++j;
//   }
//
//   for (; j + 3 < m; j += 4)             with four elements at a time
//     ... A[i * m + j + 3] ...
//
//   do { ... } while (++j < m);           the first iteration is not asked for:
//                                         `j < m` has to hold before it
//
//   for (...; j + r < m; ++j)             the limit is m - r, if signed
//
//   for (T *p = a + i * m, *e = p + m;    e is a + i * m + m
//        p != e; ++p)
//
//   for (...; ++j, ++p)                   p and at move with j
//     ... *p + A[at++] ...
//
// Limits: `<` and `<=` with a constant step, `>` and `>=` with a step of -1 and
// signed numbers, `!=` with a step of 1 or -1 where the loop is known to come
// to its limit; one iterator of an integer type, or upwards a pointer, that
// the body does not change. The limit may have a name of its own beside the
// iterator, as in `int j = 0, e = m`. What a macro stands for is taken as a
// whole.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_VALUES_COUNTEDLOOPS_H
#define CATT_ANALYSIS_SOURCE_VALUES_COUNTEDLOOPS_H

#include "analysis/model/RowLoop.h"
#include "analysis/source/safety/LocalMentions.h"
#include "analysis/source/syntax/NodeParts.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Stmt.h"
#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/DenseMap.h"

namespace catt {

/// "2 * (i * m + j) + 1", where j is the iterator: Stride 2, Rest "+2*i * m",
/// Offset 1. Indices of one Stride and Rest differ by their offsets.
struct RowIndex {
  int64_t Stride = 1;
  std::string Rest;
  int64_t Offset = 0;

  bool isRowOf(const RowIndex &Other) const {
    return Stride == Other.Stride && Rest == Other.Rest;
  }
};

/// The variable that an expression reads and nothing else; null if none.
const clang::VarDecl *variableRead(const clang::Expr *E);

/// A loop of a function, and what stays the same while it runs, or while the
/// loop Around it does.
class CountedLoop {
public:
  /// StoresNothing: to global memory, while it runs.
  CountedLoop(const clang::Stmt &Loop, const clang::ASTContext &Context,
              const LocalMentions &Locals, bool StoresNothing,
              const clang::Stmt *Around = nullptr);

  /// Fills in the header and the body of Out, whose Span is known. Why it is
  /// no such loop, or cannot be written again, if so.
  std::optional<Refusal> read(RowLoop &Out);

  const clang::Stmt &body() const { return *Parts.Body; }

  /// Evaluated anywhere in the loop or before it, it is the same.
  bool stays(const clang::Expr *E) const;
  /// That, and read from no memory: a thread that runs no iteration can
  /// evaluate it, too.
  bool isPlain(const clang::Expr *E) const;
  /// An object that the loop leaves as it is.
  bool isPlainObject(const clang::Expr *E) const;
  /// The iterator is a pointer: `for (; p < end; ++p)`.
  bool isByPointer() const { return Iterator->getType()->isPointerType(); }
  /// By what an index, or a pointer, grows where the iterator does by 1; none
  /// if anything else in the loop changes it.
  std::optional<int64_t> strideOf(const clang::Expr *E) const;
  /// Of an index that walks a row; none of others.
  std::optional<RowIndex> rowIndex(const clang::Expr *E) const;
  /// A pointer or an index of before the loop moves by one with each iteration,
  /// after what is evaluated here: `*p++`, or `*p` and `++p` behind it or in
  /// the header.
  bool moves(const clang::VarDecl &Mover, const clang::Expr &Before) const;
  /// It grows or falls by the same amount with each iteration: what it has in
  /// the first and the last one bounds it.
  bool isLinear(const clang::Expr *E) const;

  /// As written, or where a macro wrote it, printed. To compare with others.
  std::string nameOf(const clang::Expr &E) const;
  /// As written: no macro, or the whole of one.
  std::optional<std::string> textOf(clang::SourceRange Range) const;
  std::optional<SourceSpan> spanOf(clang::SourceRange Range,
                                   const std::string &File) const;

private:
  std::optional<Refusal> header();
  std::optional<Refusal> text(RowLoop &Out) const;
  Refusal notCounted(clang::SourceLocation At, const char *Why) const;
  clang::CharSourceRange rangeOf(clang::SourceRange Range) const;
  std::optional<std::string> operandOf(const clang::Expr &E) const;
  bool isInText(const clang::Expr &E) const;
  const clang::Expr *withoutCasts(const clang::Expr *E) const;
  std::optional<int64_t> stepOf(const clang::Expr *E) const;
  bool countsDownInHeader();
  const clang::Expr *stepInPlace() const;
  void takeIterator(const clang::Expr *Side);
  std::optional<Refusal> direction(bool IsUp, std::optional<int64_t> By);
  void addTerms(const clang::Expr *E, int64_t Factor,
                std::vector<std::string> &Terms, int64_t &Offset) const;
  bool isAheadPlainly(const clang::BinaryOperator &Cond,
                      clang::BinaryOperatorKind Compares) const;
  std::optional<std::string> limitText() const;
  void findLimitByName();
  std::optional<std::string> atFirst(const clang::Expr &E) const;
  bool findFirst();
  bool changesIterator() const;
  bool comesToLimit() const;
  std::optional<std::string> initText() const;
  bool isLeft(const clang::VarDecl &V) const;
  bool staysInPlace(const clang::Expr *Place) const;
  bool liesStill(const clang::Expr *Array) const;
  bool isInside(const clang::VarDecl &V) const;

  const clang::Stmt &Loop;
  /// Of a while loop, Inc is the last statement of its body, or `++j` of `do
  /// ... while (++j < m)`.
  LoopParts Parts;
  const clang::ASTContext &Context;
  const LocalMentions &Locals;
  const bool StoresNothing;
  const bool IsInside;      ///< of the loop Around
  const clang::Stmt &Whole; ///< what has to leave alone what stays the same
  const clang::VarDecl *Iterator = nullptr;
  const clang::Expr *Limit = nullptr;
  const clang::Expr *First = nullptr; ///< null: what the iterator is before
  const clang::VarDecl *LimitName = nullptr; ///< e in `int j = 0, e = m`
  bool LimitIsFromFirst = false;             ///< `int j = first, e = j + m`
  bool CountsInCondition = false;            ///< `do ... while (++j < m)`
  bool Reaches = false;                      ///< `<=`
  int64_t Step = 1, Ahead = 0;
  const clang::Expr *AheadBy = nullptr; ///< r of `j + r < m`
  bool IsCountdown = false; ///< `while (n-- > 0)`, and nothing else reads n
  const clang::Expr *InPlace = nullptr; ///< `p++` of `*p++`, which counts
  mutable llvm::DenseMap<const clang::VarDecl *, bool> Left; ///< see isLeft
};

} // namespace catt

#endif
