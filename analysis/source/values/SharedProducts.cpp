//===- SharedProducts.cpp - Products with several uses --------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/values/SharedProducts.h"
#include "analysis/source/safety/Contraction.h"
#include "analysis/source/syntax/NodeParts.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/PrettyPrinter.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace clang;

namespace catt {

//===-- What is read, and what is assigned --------------------------------===//

static void visitInlined(const Stmt &S, const InlinedFunctions &Inlined,
                         llvm::function_ref<void(const Stmt &)> Visit,
                         llvm::function_ref<void(const FunctionDecl &)> Enter,
                         InlinedFunctions &Seen) {
  forEachStmt(&S, [&](const Stmt &Each) {
    Visit(Each);
    auto *C = dyn_cast<CallExpr>(&Each);
    const FunctionDecl *F = C ? C->getDirectCallee() : nullptr;
    if (!F || !F->hasBody(F) || !Inlined.contains(F) || !Seen.insert(F).second)
      return;
    Enter(*F);
    visitInlined(*F->getBody(), Inlined, Visit, Enter, Seen);
  });
}

void forEachInlined(const Stmt &S, const InlinedFunctions &Inlined,
                    llvm::function_ref<void(const Stmt &)> Visit,
                    llvm::function_ref<void(const FunctionDecl &)> Enter) {
  InlinedFunctions Seen;
  visitInlined(S, Inlined, Visit, Enter, Seen);
}

/// What is named there, and by the functions that it calls.
void SharedProducts::addVariables(const Expr &E, Variables &Out) const {
  forEachInlined(E, Inlined, [&](const Stmt &Each) {
    if (auto *V = namedVariable(&Each); V && V->hasLocalStorage())
      Out.insert(V);
  });
}

static void addDeclared(const Stmt &S, const InlinedFunctions &Inlined,
                        SharedProducts::Variables &Out) {
  auto Declares = [&](const Stmt &Each) {
    if (auto *D = dyn_cast<DeclStmt>(&Each))
      for (const Decl *One : D->decls())
        if (auto *V = dyn_cast<VarDecl>(One))
          Out.insert(V);
  };
  forEachInlined(S, Inlined, Declares, [&](const FunctionDecl &F) {
    Out.insert(F.param_begin(), F.param_end());
  });
}

/// The variable that a statement assigns to by itself, if it does.
static const VarDecl *assignedBy(const Stmt &S) {
  if (auto *B = dyn_cast<BinaryOperator>(&S); B && B->isAssignmentOp())
    return variableOf(B->getLHS());
  if (auto *U = dyn_cast<UnaryOperator>(&S); U && U->isIncrementDecrementOp())
    return variableOf(U->getSubExpr());
  if (auto *O = dyn_cast<CXXOperatorCallExpr>(&S); O && O->isAssignmentOp())
    return variableOf(O->getArg(0));
  return nullptr;
}

SharedProducts::LoopFacts SharedProducts::factsOf(const Stmt &Loop) {
  LoopFacts F;
  addDeclared(Loop, Inlined, F.Declared);
  forEachInlined(Loop, Inlined, [&](const Stmt &S) {
    if (const VarDecl *V = assignedBy(S))
      F.Assigned.insert(V);
  });
  // Those of its own head last from one iteration to the next.
  Variables Head;
  if (auto *L = dyn_cast<ForStmt>(&Loop); L && L->getInit())
    addDeclared(*L->getInit(), {}, Head);
  if (auto *L = dyn_cast<CXXForRangeStmt>(&Loop)) {
    Head.insert(L->getLoopVariable());
    F.Assigned.insert(L->getLoopVariable());
  }
  for (const VarDecl *V : Head) {
    F.Declared.remove(V);
    OfLoops.insert(V);
  }
  return F;
}

//===-- Products that are one value ---------------------------------------===//

/// Whether E is a product, or may compute one inside: a call of a function
/// whose body the compiler sees.
static bool mayHoldProduct(const Expr &E, const ASTContext &Context) {
  auto *C = dyn_cast<CallExpr>(&E);
  const FunctionDecl *F = C ? C->getDirectCallee() : nullptr, *Body = nullptr;
  return isProduct(E, Context) ||
         (F && F->hasBody(Body) &&
          !Context.getSourceManager().isInSystemHeader(Body->getLocation()));
}

/// Whether the operands of E are factors, where it may be one itself.
static bool makesFactors(const Expr &E, bool IsFactor) {
  if (auto *B = dyn_cast<BinaryOperator>(&E))
    return B->getOpcode() == BO_Mul || B->getOpcode() == BO_Div;
  if (auto *U = dyn_cast<UnaryOperator>(&E))
    return IsFactor && U->getOpcode() == UO_Minus;
  return IsFactor && isa<CastExpr>(E);
}

bool SharedProducts::add(Product P) {
  const bool Factors = makesFactors(*P.E, !P.Whole);
  if (!mayHoldProduct(*P.E, Context))
    return Factors;
  Products.push_back(std::move(P));
  return Factors;
}

namespace {
/// Variables of loops are all alike, constants are their values.
class Alike : public PrinterHelper {
public:
  Alike(const ASTContext &Context,
        const llvm::DenseSet<const VarDecl *> &OfLoops,
        SharedProducts::DefinitionsOf Definitions)
      : Context(Context), OfLoops(OfLoops), Definitions(Definitions) {}

  bool handledStmt(Stmt *S, raw_ostream &Out) override {
    auto *E = dyn_cast<Expr>(S);
    if (!E)
      return false;
    if (auto *P = dyn_cast<ParenExpr>(E)) {
      print(*P->IgnoreParens(), Out);
      return true;
    }
    const VarDecl *V = namedVariable(E);
    if (V && OfLoops.contains(V)) {
      Out << '#';
      return true;
    }
    if (auto *P = dyn_cast_or_null<ParmVarDecl>(V)) {
      llvm::ArrayRef<const Expr *> Arguments = Definitions(*P);
      if (Arguments.size() == 1 && Arguments.front()) {
        print(*Arguments.front()->IgnoreParenImpCasts(), Out);
        return true;
      }
    }
    Expr::EvalResult R;
    if (E->isValueDependent() || !E->getType()->isArithmeticType() ||
        !E->EvaluateAsRValue(R, Context) || R.HasSideEffects)
      return false;
    R.Val.printPretty(Out, Context, E->getType());
    return true;
  }

  void print(const Expr &E, raw_ostream &Out) {
    E.printPretty(Out, this, Context.getPrintingPolicy());
  }

private:
  const ASTContext &Context;
  const llvm::DenseSet<const VarDecl *> &OfLoops;
  SharedProducts::DefinitionsOf Definitions;
};
} // namespace

/// Equal for products that may be the same value.
std::string SharedProducts::key(const Expr &E,
                                DefinitionsOf Definitions) const {
  Alike Printer(Context, OfLoops, Definitions);
  auto Printed = [&](const Expr &Part) {
    std::string Text;
    llvm::raw_string_ostream Out(Text);
    Printer.print(*Part.IgnoreParens(), Out);
    return Text;
  };
  auto *B = dyn_cast<BinaryOperator>(&E);
  if (!B || B->getOpcode() == BO_Div)
    return Printed(E);
  std::string Left = Printed(*B->getLHS()), Right = Printed(*B->getRHS());
  if (Right < Left)
    std::swap(Left, Right);
  return Left + " * " + Right;
}

/// Variables that one iteration of a loop may find otherwise than another:
/// those that it assigns, and what its body makes of them.
llvm::DenseSet<const VarDecl *>
SharedProducts::varying(const LoopFacts &F, DefinitionsOf Definitions) const {
  llvm::DenseMap<const VarDecl *, llvm::SmallVector<const VarDecl *, 2>> MadeOf;
  for (const VarDecl *V : F.Declared)
    for (const Expr *E : Definitions(*V)) {
      Variables Read;
      if (E)
        addVariables(*E, Read);
      for (const VarDecl *From : Read)
        MadeOf[From].push_back(V);
    }
  Variables Out;
  for (const VarDecl *V : F.Assigned)
    if (!F.Declared.contains(V))
      Out.insert(V);
  for (size_t I = 0; I < Out.size(); ++I)
    for (const VarDecl *V : MadeOf.lookup(Out[I]))
      Out.insert(V);
  return {Out.begin(), Out.end()};
}

/// What the products are made of that every iteration of the loop may compute
/// alike: for a variable of its body, what that is made of, too.
SharedProducts::Variables
SharedProducts::ofIterations(const Stmt &Loop, DefinitionsOf Definitions) {
  const LoopFacts F = factsOf(Loop);
  const llvm::DenseSet<const VarDecl *> Varying = varying(F, Definitions);
  Variables Out;
  for (const Product &P : Products) {
    if (!P.Whole || !llvm::is_contained(P.Loops, &Loop))
      continue;
    Variables Read;
    addVariables(*P.E, Read);
    if (llvm::none_of(Read,
                      [&](const VarDecl *V) { return Varying.contains(V); }))
      Out.insert(Read.begin(), Read.end());
  }
  for (size_t I = 0; I < Out.size(); ++I)
    if (const VarDecl *V = Out[I]; F.Declared.contains(V))
      for (const Expr *E : Definitions(*V))
        if (E)
          addVariables(*E, Out);
  return Out;
}

SharedProducts::Variables SharedProducts::variables(DefinitionsOf Definitions) {
  Variables Out;
  llvm::SetVector<const Stmt *> Loops;
  for (const Product &P : Products)
    Loops.insert(P.Loops.begin(), P.Loops.end());
  for (const Stmt *Loop : Loops) {
    Variables Shared = ofIterations(*Loop, Definitions);
    Out.insert(Shared.begin(), Shared.end());
  }
  // All loops are known now, and so are their variables.
  std::map<std::string, std::vector<const Product *>> ByKey;
  for (const Product &P : Products)
    ByKey[key(*P.E, Definitions)].push_back(&P);
  for (const auto &[Key, Equal] : ByKey)
    if (llvm::any_of(Equal, [](const Product *P) { return P->Whole; }) &&
        llvm::any_of(Equal, [&](const Product *P) {
          return P->Statement != Equal.front()->Statement;
        }))
      addVariables(*Equal.front()->E, Out);
  return Out;
}

} // namespace catt
