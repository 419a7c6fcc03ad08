//===- WrapSites.h - Where a loop over warp groups can go -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   __global__ void k(...) {
//     int i = ...;
//     if (i >= n) return;          // some threads exit: fine from sm_70 on
//     if (i % 2) {                 // divergent: no barrier inside ...
//       for (...) ...;             // <- the loop
//     }                            // ... so the site is this whole `if`
//     y[i] = s;
//   }
//
// From the loop outwards, the first statement that all (non-exited) threads of
// the block reach together, inside which no warp waits for another, and whose
// text stands in a file that can be edited. If that statement declares a
// variable, the site goes on to the end of its block.
//
// Limits: inside a switch, after a goto or a label, and in the condition of a
// loop there is no site. A device function is entered only if it is called at
// one place, from a uniform statement, and it cannot be called from outside the
// file.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_SAFETY_WRAPSITES_H
#define CATT_ANALYSIS_SOURCE_SAFETY_WRAPSITES_H

#include "analysis/source/safety/Uniformity.h"
#include "analysis/source/walk/SymbolicWalk.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

namespace catt {

class ReachedCode;

struct SiteResult {
  std::optional<WrapSite> Site;
  std::vector<Refusal> Refusals; ///< of the innermost candidate, if no site
};

/// Text of one file as it was parsed, and where a range of it stands.
class SourceText {
public:
  explicit SourceText(const clang::ASTContext &Context) : Context(Context) {}
  Location location(clang::SourceLocation L) const;
  /// The bytes of the statements, with the semicolon after the last one and
  /// the pragmas before the first; or why they cannot be edited.
  std::optional<SourceSpan> span(const clang::Stmt &First,
                                 const clang::Stmt &Last,
                                 std::optional<Refusal> &Why) const;
  llvm::StringRef text(clang::FileID File) const;
  /// Nothing else stands on the first and the last line of the span.
  bool ownLines(llvm::StringRef Text, const SourceSpan &Span) const;

private:
  const clang::ASTContext &Context;
};

class WrapSites {
public:
  WrapSites(const clang::ASTContext &Context, const clang::FunctionDecl &Kernel,
            ReachedCode &Code);

  /// The site for the loop at the end of the path. `Loops` holds the loops
  /// around it: index into the path, and id.
  SiteResult find(llvm::ArrayRef<PathElement> Path,
                  llvm::ArrayRef<std::pair<size_t, unsigned>> Loops);

private:
  struct Candidate {
    const clang::Stmt *Parent;
    const clang::Stmt *Statement;
    size_t PathIndex;
    bool InCallee;
    bool NeedsSm70;
    const clang::FunctionDecl *Function; ///< whose text holds it
  };
  std::vector<Candidate> candidates(llvm::ArrayRef<PathElement> Path);
  SiteResult tryCandidate(const Candidate &C, llvm::ArrayRef<PathElement> Path);
  bool canEnter(const PathElement &Call, const clang::Stmt *From) const;
  const Uniformity &uniformity(const clang::FunctionDecl &F,
                               const clang::CallExpr *Call,
                               const Uniformity *Caller);

  const clang::ASTContext &Context;
  const clang::FunctionDecl &Kernel;
  ReachedCode &Code;
  SourceText Text;
  llvm::DenseMap<
      std::pair<const clang::FunctionDecl *, const clang::CallExpr *>,
      std::unique_ptr<Uniformity>>
      Known;
  std::string NotFollowed; ///< why the last path has no candidate
};

} // namespace catt

#endif
