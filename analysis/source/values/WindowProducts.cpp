//===- WindowProducts.cpp - Products that two iterations share ------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/values/WindowProducts.h"
#include "analysis/source/safety/Contraction.h"
#include "analysis/source/safety/KnownMath.h"
#include "analysis/source/syntax/Accessors.h"
#include "analysis/source/syntax/NodeParts.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <map>
#include <set>

using namespace clang;

namespace catt {

namespace {
/// What a value is made of, in the iteration that computes it.
struct Makings {
  bool Known = true; ///< nothing else
  bool All = true;   ///< of all of these, whatever path was taken
  std::map<std::pair<unsigned, int64_t>, int64_t> Elements; ///< and their steps
  std::set<const VarDecl *> Carried; ///< variables with a value of their own
                                     ///< in each iteration

  void add(const Makings &Other) {
    Known &= Other.Known;
    All &= Other.All;
    Elements.insert(Other.Elements.begin(), Other.Elements.end());
    Carried.insert(Other.Carried.begin(), Other.Carried.end());
  }
  static Makings unknown() {
    Makings Out;
    Out.Known = false;
    return Out;
  }
};

class MakingsReader {
public:
  using ElementOf =
      llvm::function_ref<std::optional<WindowElement>(const Expr &)>;

  MakingsReader(const Stmt &Loop, const Stmt &Body, const LocalMentions &Locals,
                const ASTContext &Context, ElementOf Element)
      : Locals(Locals), Context(Context), Element(Element) {
    forEachStmt(&Body, [&](const Stmt &S) {
      if (auto *D = dyn_cast<DeclStmt>(&S))
        for (const Decl *Each : D->decls())
          if (auto *V = dyn_cast<VarDecl>(Each))
            Declared.insert(V);
    });
    forEachStmt(&Loop, [&](const Stmt &S) {
      if (auto *E = dyn_cast<Expr>(&S))
        if (const VarDecl *V = Locals.Writes.lookup(E))
          Writes[V].push_back(E);
    });
  }

  Makings of(const Expr *Given) {
    const Expr *E = Given->IgnoreParenImpCasts();
    if (!E->isValueDependent() && E->isEvaluatable(Context))
      return {};
    if (auto *D = dyn_cast<DeclRefExpr>(E)) {
      auto *V = dyn_cast<VarDecl>(D->getDecl());
      return V ? ofVariable(*V) : Makings::unknown();
    }
    if (std::optional<WindowElement> At = Element(*E))
      return ofElement(*At);
    if (auto *C = dyn_cast<ExplicitCastExpr>(E))
      return of(C->getSubExpr());
    if (auto *U = dyn_cast<UnaryOperator>(E);
        U && (U->isArithmeticOp() || U->getOpcode() == UO_LNot))
      return of(U->getSubExpr());
    if (auto *B = dyn_cast<BinaryOperator>(E);
        B && (!B->isAssignmentOp() || isa<CompoundAssignOperator>(B)) &&
        !B->isCommaOp() && !B->isPtrMemOp())
      return ofAll({B->getLHS(), B->getRHS()}, /*All=*/!B->isLogicalOp());
    if (auto *C = dyn_cast<ConditionalOperator>(E))
      return ofAll({C->getCond(), C->getTrueExpr(), C->getFalseExpr()},
                   /*All=*/false);
    if (auto *C = dyn_cast<CallExpr>(E); C && !isa<CXXMemberCallExpr>(E))
      if (const FunctionDecl *F = C->getDirectCallee();
          F && isKnownToCompute(*F))
        return ofAll(llvm::SmallVector<const Expr *>(C->arguments()), true);
    return Makings::unknown();
  }

private:
  Makings ofAll(llvm::ArrayRef<const Expr *> Parts, bool All) {
    Makings Out;
    Out.All = All;
    for (const Expr *Part : Parts)
      Out.add(of(Part));
    return Out;
  }

  static Makings ofElement(const WindowElement &At) {
    Makings Out;
    Out.All = At.IsOne;
    if (At.Step)
      Out.Elements[{At.Row, At.Bytes}] = At.Step;
    return Out;
  }

  Makings ofVariable(const VarDecl &V) {
    if (!V.isLocalVarDeclOrParm() || Locals.Exposed.contains(&V) ||
        V.getType()->isReferenceType())
      return Makings::unknown();
    auto Written = Writes.find(&V);
    const bool IsWritten = Written != Writes.end();
    if (!Open.insert(&V).second) // of its own
      return {};
    Makings Out;
    if (Declared.contains(&V)) {
      Out = V.getInit() ? of(V.getInit()) : Makings();
      if (IsWritten)
        for (const Expr *Write : Written->second)
          Out.add(ofWritten(*Write));
      Out.All &= !IsWritten;
      Out.Known &= V.getInit() || IsWritten;
    } else if (IsWritten) {
      Out = ofCarried(V, Written->second);
    }
    Open.erase(&V);
    return Out;
  }

  Makings ofWritten(const Expr &Write) {
    if (auto *B = dyn_cast<BinaryOperator>(&Write))
      return isa<CompoundAssignOperator>(B) ? of(B) : of(B->getRHS());
    return isa<UnaryOperator>(Write) ? Makings() : Makings::unknown();
  }

  /// Of before the loop, and changed by it. What is computed from itself is a
  /// new value each time; what something else is assigned to, is that in the
  /// next iteration.
  Makings ofCarried(const VarDecl &V, llvm::ArrayRef<const Expr *> Written) {
    Makings Out;
    Out.Carried.insert(&V);
    for (const Expr *Write : Written) {
      const Makings Of = ofWritten(*Write);
      const bool IsConstant = Of.Elements.empty() && Of.Carried.empty();
      if (!Of.Known || (!mentions(*Write, V) && !IsConstant))
        return Makings::unknown();
      if (!Of.All)
        Out.add(Of);
    }
    return Out;
  }

  /// Assignments to V itself apart.
  static bool mentions(const Expr &Write, const VarDecl &V) {
    auto *B = dyn_cast<BinaryOperator>(&Write);
    if (!B || isa<CompoundAssignOperator>(B))
      return true;
    bool Found = false;
    forEachStmt(B->getRHS(), [&](const Stmt &S) {
      auto *D = dyn_cast<DeclRefExpr>(&S);
      Found |= D && D->getDecl() == &V;
    });
    return Found;
  }

  const LocalMentions &Locals;
  const ASTContext &Context;
  ElementOf Element;
  llvm::SmallPtrSet<const VarDecl *, 16> Declared, Open;
  std::map<const VarDecl *, std::vector<const Expr *>> Writes;
};
} // namespace

/// Whether one iteration's A may be another one's B.
static bool mayBeEqual(const Makings &A, const Makings &B) {
  if (!A.Known || !B.Known)
    return true;
  auto Shifts = [](const auto &Of, const auto &By) {
    int64_t Apart = By.first.second - Of.first.second;
    return Of.first.first == By.first.first && Apart % Of.second == 0
               ? std::optional(Apart / Of.second)
               : std::nullopt;
  };
  if (!A.All || !B.All)
    return llvm::any_of(A.Elements, [&](const auto &Of) {
      return llvm::any_of(B.Elements, [&](const auto &By) {
        return Shifts(Of, By).value_or(0) != 0;
      });
    });
  if (A.Elements.size() != B.Elements.size() || A.Carried != B.Carried ||
      A.Elements.empty())
    return false;
  // In their order, as rows and bytes are moved by the same.
  const auto First = Shifts(*A.Elements.begin(), *B.Elements.begin());
  return First.value_or(0) != 0 &&
         llvm::all_of(
             llvm::zip_equal(A.Elements, B.Elements), [&](const auto &Pair) {
               return Shifts(std::get<0>(Pair), std::get<1>(Pair)) == First;
             });
}

/// A call of which nobody knows what products it computes.
static bool callsUnknown(const Expr &E) {
  auto *C = dyn_cast<CallExpr>(&E);
  const FunctionDecl *Callee = C ? C->getDirectCallee() : nullptr;
  return C && !givesElement(*C) && !(Callee && isKnownToCompute(*Callee));
}

/// A call that gives one of its arguments, but for the sign.
static bool choosesArgument(const Expr &E) {
  auto *C = dyn_cast<CallExpr>(&E);
  const FunctionDecl *Callee = C ? C->getDirectCallee() : nullptr;
  llvm::StringRef Name = identifierOf(Callee);
  Name.consume_back("f");
  return Callee && isKnownToCompute(*Callee) &&
         llvm::is_contained({"fabs", "abs", "fmin", "fmax", "min", "max"},
                            Name);
}

bool iterationsShareProducts(const Stmt &Loop, const Stmt &Body,
                             const LocalMentions &Locals,
                             const ASTContext &Context,
                             MakingsReader::ElementOf ElementOf) {
  MakingsReader Reader(Loop, Body, Locals, Context, ElementOf);
  std::vector<Makings> Products;
  forEachStmt(&Body, [&](const Stmt &S) {
    auto *E = dyn_cast<Expr>(&S);
    if (E &&
        (callsUnknown(*E) || (isProduct(*E, Context) && !choosesArgument(*E))))
      Products.push_back(Reader.of(E));
  });
  return llvm::any_of(Products, [&](const Makings &A) {
    return llvm::any_of(Products,
                        [&](const Makings &B) { return mayBeEqual(A, B); });
  });
}

} // namespace catt
