//===- RowReads.h - The rows that a loop loads ------------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for (int j = 0; j < m; ++j)      A[i * m + j] and A[i * m + j + 1]:
//     s += A[i * m + j] +            one row, with one element behind the first
//          A[i * m + j + 1];
//
//   for (int j = 0; j < m; ++j)      A[2 * j]: two elements further each time,
//     s += A[2 * j] - A[2 * j + 1];  with one element behind it
//
//   for (int c = 0; c < k; ++c)      P[i * d + j]: the same row for each c,
//     for (int j = 0; j < d; ++j)    with the loop over j as its Walk
//       s += P[i * d + j] * C[c * d + j];
//
//   for (int j = 0; j < m; ++j)      P[i * m + j]: an object of which members
//     s += P[i * m + j].mass;        are loaded, or all of it
//
//   for (int j = 0; j < m; ++j)      A[i * m + j], (B + i * m)[j], and C(i, j)
//     s += __ldg(&A[i * m + j]) +    of an object that gives references
//          *(B + i * m + j) + C(i, j);
//
//   for (int j = 0; j < m; ++j) {    v: A[i * m + j], where all that is done
//     const float &v = A[i * m + j]; with it is to load it
//     s += v * v + *p++;             *p++: the element that p points to
//   }
//
//   s = larger(s, A[i * m + j]);     what a function loads by reference to
//                                    const (RowArguments.h)
//
//   p->q[j], p.q[j], Y[i].q[j]       of an array in an object
//
// Limits: elements are numbers of 1 to 8 bytes, or trivial objects of up to
// 16. Whether the row may be loaded ahead of a store is RowPlaces' matter.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_VALUES_ROWREADS_H
#define CATT_ANALYSIS_SOURCE_VALUES_ROWREADS_H

#include "analysis/source/values/RowPlaces.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace catt {

/// The loop whose iterator walks rows: the loop itself, or one inside.
struct RowWalker {
  const CountedLoop &By;
  int64_t StepSize = 1;
  unsigned Loop = 0;
  std::optional<RowWalk> Inside;
};

/// An element as it is written: `A[i]`, `*(A + i)`, `__ldg(&A[i])`, `A(i)`,
/// `*p`, `*p++`.
struct RowElement {
  const clang::Expr *Base;    ///< null: Index leads to it, a call or a pointer
  const clang::Expr *Index;   ///< may be a call that gives the index
  const clang::Expr *Place;   ///< what an element of a tile stands for
  const clang::Expr *Touched; ///< what is loaded or stored: that, or a member
  const clang::Expr *Whole; ///< `A[i]`, `A(i)`, `*p`; null: `A + i` is written
  const clang::VarDecl *Mover = nullptr; ///< p, which moves with the loop
  bool MovesInPlace = false;             ///< `*p++`

  static RowElement of(const clang::ArraySubscriptExpr &E,
                       const clang::Expr &Touched, const CountedLoop &By);
  /// Of `*p` or `*p++`; none if p does not move with the loop.
  static std::optional<RowElement> movedOver(const clang::UnaryOperator &E,
                                             const CountedLoop &By);
  /// "*p", "A[at]".
  std::string textAtMover(const CountedLoop &By) const;
};

/// A load of an element of a row or of a member of it, or a store to one.
struct RowLoad {
  const Access *A = nullptr;
  std::string Type, Text, Base; ///< of the element
  unsigned Bytes = 0, Alignment = 0;
  SourceSpan Place;
  RowIndex Index;
  std::string Mover;         ///< as of RowRead
  bool MovesInPlace = false; ///< `*p++`
  bool ByReference = false;  ///< what is loaded has a name of its own
  bool OnBothSides = false;  ///< as of RowRead

  bool isRowOf(const RowLoad &Other) const {
    return Base == Other.Base && Type == Other.Type &&
           Index.isRowOf(Other.Index);
  }
};

/// What an access moves by with each iteration of a loop; 0: not known.
int64_t bytesPerIteration(const AffineIndex &Offset, unsigned Loop);

class RowReads {
public:
  /// Of a loop in F.
  RowReads(const clang::FunctionDecl &F, const Kernel &K,
           const RowPlaces &Places, RowLoop &Out)
      : F(F), Context(F.getASTContext()), Text(Context), K(K), Places(Places),
        Out(Out) {}

  const clang::ASTContext &context() const { return Context; }

  /// Adds the rows that every run of a body loads to Out.Reads.
  void find(const clang::Stmt &Body, const RowWalker &Walker);

  /// An element, of which all or a member is touched, in a row that the
  /// iterator walks; none where it is something else.
  std::optional<RowLoad> loadOf(const RowElement &E, const RowWalker &Walker,
                                bool Reads = true, bool Writes = false) const;

  /// Numbers whose type can be written anywhere.
  std::optional<std::string> numberOf(const clang::Expr &E) const;

  /// In the body of that loop itself; null if there is none.
  const Access *accessOf(const clang::Expr &E, const std::string &Written,
                         unsigned Loop, bool Reads, bool Writes) const;

  /// The first element of a row of Out.Reads.
  const RowLoad &firstOf(const RowRead &R) const {
    return Firsts.at(&R - Out.Reads.data());
  }
  /// Where it is loaded stands elsewhere than its place.
  bool isByReference(const RowRead &R) const {
    return Referenced.contains(&R - Out.Reads.data());
  }
  RowRead &add(const RowLoad &First, const RowWalker &Walker);
  size_t indexOf(const RowLoad &L) const {
    return size_t(L.A - K.Accesses.data());
  }

private:
  std::optional<std::string> objectOf(const clang::Expr &E) const;
  std::optional<std::string> textOf(const RowElement &E,
                                    const CountedLoop &By) const;
  void findReferences(const clang::Stmt &Body);
  std::optional<RowElement> elementLoadedBy(const clang::Stmt &S,
                                            const CountedLoop &By) const;
  std::optional<RowElement> elementIn(const clang::Expr *Touched,
                                      const CountedLoop &By) const;
  template <class F>
  void forEachLoad(const clang::Stmt &S, const RowWalker &W, F Visit) const;
  void addLoads(const clang::Stmt *S, const RowWalker &Walker,
                std::vector<RowLoad> &Out) const;
  bool holds(const RowRead &R, const RowLoad &L, const RowWalker &W) const;
  void addRow(const RowLoad &Of, llvm::ArrayRef<RowLoad> Sorted,
              const RowWalker &Walker, int64_t MostHalo);
  void addPlace(const RowLoad &L, const RowWalker &Walker);

  const clang::FunctionDecl &F;
  const clang::ASTContext &Context;
  SourceText Text;
  const Kernel &K;
  const RowPlaces &Places;
  RowLoop &Out;
  std::vector<RowLoad> Firsts; ///< of each of RowLoop::Reads
  bool ByMovers = false;       ///< the body has such elements
  /// Of a body: its references to elements, which are only loaded.
  llvm::DenseMap<const clang::VarDecl *, const clang::ArraySubscriptExpr *>
      References;
  llvm::SmallDenseSet<size_t> Referenced; ///< of RowLoop::Reads
};

} // namespace catt

#endif
