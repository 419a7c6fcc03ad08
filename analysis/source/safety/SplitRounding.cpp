//===- SplitRounding.cpp - Does a split keep a product apart? -------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   function --FloatPlaces--> what defines and what uses each place, and where
//            --spread------> places whose value may be an unrounded product
//            --refusal-----> the first one that crosses
//
//===----------------------------------------------------------------------===//
#include "analysis/source/safety/SplitRounding.h"
#include "analysis/source/safety/Contraction.h"
#include "analysis/source/safety/FloatPlaces.h"
#include "analysis/source/safety/WrapSites.h"
#include "analysis/source/syntax/Effects.h"
#include "analysis/source/syntax/NodeParts.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace clang;

namespace catt {
namespace {

class Crossings {
public:
  /// Loop: what is wrapped, if it is one.
  Crossings(FloatPlaces &Known, const FunctionDecl &F,
            const ASTContext &Context, Wrapping Kind = Wrapping::Statements,
            const Stmt *Loop = nullptr)
      : Known(Known), Function(*F.getBody()), Context(Context), Kind(Kind),
        Loop(Loop) {}
  std::optional<Refusal> refusal();
  std::optional<Refusal>
  carriedProduct(const Stmt &Loop,
                 llvm::function_ref<bool(llvm::ArrayRef<const Expr *>)> AreOwn,
                 const LocalMentions &Locals);

private:
  bool mayBeProduct(const FloatDefinition &D) const;
  template <typename FlowsT>
  const FloatDefinition *productInSum(const FloatRoot &R, const FloatPlace &P,
                                      FlowsT Flows) const;
  bool isStoredForOthers(const FloatRoot &R) const;
  bool isRunningSum(const FloatRoot &R, const FloatUse &U) const;
  std::optional<Refusal> crossingProduct(const FloatRoot &R,
                                         const FloatPlace &P) const;
  bool beginsAnew(const FloatRoot &R, const Stmt &Loop,
                  const LocalMentions &Locals) const;
  std::optional<Refusal> foldedProduct(const FloatRoot &R,
                                       const FloatPlace &P) const;
  bool isFoldedAfter(const FloatRoot &R, bool Scaled,
                     std::set<std::pair<FloatRoot, bool>> &Seen) const;
  bool isOfLaterIteration(const FloatProduct &P) const;
  std::optional<Refusal> sharedProduct() const;
  std::vector<const Expr *> accessesOf(const FloatRoot &R,
                                       const Stmt &Loop) const;
  Refusal refuse(SourceLocation At, std::string Detail) const {
    return {Reason::MayContract, SourceText(Context).location(At),
            std::move(Detail)};
  }

  FloatPlaces &Known;
  const Stmt &Function;
  const ASTContext &Context;
  const Wrapping Kind;
  const Stmt *const Loop;
};

} // namespace

static std::string nameOf(const FloatRoot &R) {
  if (!R.Of)
    return "memory";
  std::string Name = "'" + R.Of->getNameAsString() + "'";
  return R.Memory ? "what " + Name + " points to" : Name;
}

/// Itself, or as a copy of such a place.
bool Crossings::mayBeProduct(const FloatDefinition &D) const {
  llvm::SmallVector<const VarDecl *, 2> Copies;
  if (D.Finished)
    return false;
  return Known.mayBeProductHere(D.From, Copies) ||
         llvm::any_of(Copies, [&](const VarDecl *V) {
           auto Of = Known.Places.find({V, false});
           return Of != Known.Places.end() && Of->second.IsProduct;
         });
}

/// A product whose value a sum takes from the place, if there may be one.
template <typename FlowsT>
const FloatDefinition *Crossings::productInSum(const FloatRoot &R,
                                               const FloatPlace &P,
                                               FlowsT Flows) const {
  if (!P.IsProduct)
    return nullptr;
  for (const FloatDefinition &D : P.Definitions) {
    if (!mayBeProduct(D))
      continue;
    for (const auto &[Other, Used] : Known.Places) {
      if (Known.mayBeOne(Other, R) &&
          llvm::any_of(Used.Uses, [&](const FloatUse &U) {
            return Flows(D.Where, U) && !Known.isFinished(U);
          }))
        return &D;
    }
  }
  return nullptr;
}

/// The pointer of a parameter that may point to what others do, or null.
static const VarDecl *sharedPointer(const FloatRoot &R) {
  auto *P = dyn_cast_or_null<ParmVarDecl>(R.Of);
  return R.Memory && P && P->getType()->isPointerType() &&
                 !P->getType().isRestrictQualified()
             ? P
             : nullptr;
}

/// The loop loads what may be the product, before it stores another value
/// there.
bool Crossings::isStoredForOthers(const FloatRoot &R) const {
  const VarDecl *To = sharedPointer(R);
  return To && llvm::any_of(Known.Places, [&](const auto &Each) {
           const VarDecl *From = sharedPointer(Each.first);
           return From && From != To &&
                  Context.hasSameUnqualifiedType(
                      From->getType()->getPointeeType(),
                      To->getType()->getPointeeType()) &&
                  llvm::any_of(Each.second.Uses, [](const FloatUse &U) {
                    return U.Where == Side::Wrapped;
                  });
         });
}

/// What the loop adds to, in whichever iteration; and what that has become
/// behind it.
bool Crossings::isRunningSum(const FloatRoot &R, const FloatUse &U) const {
  auto IsAdded = [](const FloatUse &Each) {
    return Each.Added && Each.Where == Side::Wrapped;
  };
  if (!R.Of)
    return false;
  if (Kind == Wrapping::OpenLoop && !R.Memory && U.Where == Side::After) {
    auto Of = Known.Places.find(R);
    return Of != Known.Places.end() && llvm::any_of(Of->second.Uses, IsAdded);
  }
  return IsAdded(U) && (Kind == Wrapping::OpenLoop ||
                        (Kind == Wrapping::Loop && isStoredForOthers(R)));
}

std::optional<Refusal> Crossings::crossingProduct(const FloatRoot &R,
                                                  const FloatPlace &P) const {
  const FloatDefinition *D =
      productInSum(R, P, [&](Side From, const FloatUse &U) {
        return Known.flows(From, U.Where) &&
               (From == Side::Wrapped || !isRunningSum(R, U));
      });
  if (!D)
    return std::nullopt;
  return refuse(D->At, "a product in " + nameOf(R) +
                           ", which a barrier would keep from a sum");
}

/// Where the loop touches what the variable points to.
std::vector<const Expr *> Crossings::accessesOf(const FloatRoot &R,
                                                const Stmt &Loop) const {
  std::vector<const Expr *> Out;
  forEachStmt(loopParts(Loop).Body, [&](const Stmt &S) {
    auto *M = dyn_cast<MemberExpr>(&S);
    auto *U = dyn_cast<UnaryOperator>(&S);
    if (!isa<ArraySubscriptExpr>(S) && !(M && M->isArrow()) &&
        !(U && U->getOpcode() == UO_Deref))
      return;
    const FloatRoot Of = Known.rootOf(cast<Expr>(S));
    if (Of.Of == R.Of && Of.Memory)
      Out.push_back(cast<Expr>(&S));
  });
  return Out;
}

/// Whether the first thing that each iteration does with a variable is to give
/// it a value, for which its last one is a factor at most.
bool Crossings::beginsAnew(const FloatRoot &R, const Stmt &Loop,
                           const LocalMentions &Locals) const {
  auto Mentions = [&](const Stmt *S) {
    bool Any = false;
    forEachStmt(S,
                [&](const Stmt &Each) { Any |= namedVariable(&Each) == R.Of; });
    return Any;
  };
  auto *Body = dyn_cast<CompoundStmt>(loopParts(Loop).Body);
  if (!Body || !R.Of || R.Memory || !R.Of->hasLocalStorage() ||
      Locals.Exposed.contains(R.Of) || Mentions(loopParts(Loop).Cond) ||
      Mentions(loopParts(Loop).Inc))
    return false;
  auto First = llvm::find_if(Body->body(), Mentions);
  auto *B =
      First == Body->body_end() ? nullptr : dyn_cast<BinaryOperator>(*First);
  return B && namedVariable(B->getLHS()->IgnoreParens()) == R.Of &&
         !Mentions(B->getRHS()) &&
         (B->getOpcode() == BO_Assign || B->getOpcode() == BO_MulAssign ||
          B->getOpcode() == BO_DivAssign);
}

/// What is declared in the body begins anew with each iteration.
std::optional<Refusal> Crossings::carriedProduct(
    const Stmt &Loop,
    llvm::function_ref<bool(llvm::ArrayRef<const Expr *>)> AreOwn,
    const LocalMentions &Locals) {
  Known.spreadProducts();
  const SourceManager &SM = Context.getSourceManager();
  const bool LoadsAny = llvm::any_of(Known.Places, [](const auto &Each) {
    return !Each.first.Of && !Each.second.Uses.empty();
  });
  for (const auto &[R, P] : Known.Places) {
    if (R.Of && !R.Memory &&
        SM.isPointWithin(R.Of->getLocation(),
                         loopParts(Loop).Body->getBeginLoc(),
                         loopParts(Loop).Body->getEndLoc()))
      continue;
    if (R.Of && R.Memory && !LoadsAny && AreOwn(accessesOf(R, Loop)))
      continue;
    if (beginsAnew(R, Loop, Locals))
      continue;
    const FloatDefinition *D =
        productInSum(R, P, [](Side From, const FloatUse &U) {
          return From == Side::Wrapped && U.Where == Side::Wrapped;
        });
    if (D)
      return refuse(D->At, "a product in " + nameOf(R) +
                               " that the next iteration sees");
  }
  return std::nullopt;
}

/// Whether what is read there outside is multiplied by a constant, and then
/// part of a sum.
bool Crossings::isFoldedAfter(
    const FloatRoot &R, bool Scaled,
    std::set<std::pair<FloatRoot, bool>> &Seen) const {
  auto Found = Known.Places.find(R);
  if (Found == Known.Places.end() || !Seen.insert({R, Scaled}).second)
    return false;
  return llvm::any_of(Found->second.Uses, [&](const FloatUse &U) {
    if (U.Where == Side::Wrapped)
      return false;
    return U.ScaledSum || (Scaled && U.Summed) ||
           (U.Into && isFoldedAfter(*U.Into, Scaled || U.Scaled, Seen));
  });
}

/// `j = first`, `j -= 4`: anything but a step upwards.
static bool setsBack(const Stmt &S, const VarDecl &V,
                     const ASTContext &Context) {
  if (auto *B = dyn_cast<BinaryOperator>(&S); B && B->isAssignmentOp())
    return namedVariable(B->getLHS()->IgnoreParens()) == &V &&
           !(B->getOpcode() == BO_AddAssign &&
             constantValue(B->getRHS(), Context).value_or(0) > 0);
  auto *U = dyn_cast<UnaryOperator>(&S);
  return U && U->isDecrementOp() &&
         namedVariable(U->getSubExpr()->IgnoreParens()) == &V;
}

/// `&j`, `int &r = j`: others may change it.
static bool exposes(const Stmt &S, const VarDecl &V) {
  return llvm::any_of(effectsOf(S), [&](const OperandEffect &E) {
    return E.What != Effect::Read && E.What != Effect::Discard && !E.writes() &&
           namedVariable(E.Place->IgnoreParens()) == &V;
  });
}

/// What counts in the loop is of before it, and goes on behind it where the
/// loop stopped: `for (; j + 3 < n; j += 4) ...; for (; j < n; ++j) ...`.
static bool goesOn(const VarDecl &V, const Stmt &Loop, const Stmt &Function,
                   const ASTContext &Context) {
  const SourceManager &SM = Context.getSourceManager();
  const LoopParts Parts = loopParts(Loop);
  const SourceLocation Body = Parts.Body->getBeginLoc();
  bool Counts = false, Back = false;
  forEachStmt(Parts.Inc, [&](const Stmt &S) {
    Counts |= namedVariable(&S) == &V;
    Back |= setsBack(S, V, Context);
  });
  forEachStmt(&Function, [&](const Stmt &S) {
    Back |=
        exposes(S, V) || (SM.isBeforeInTranslationUnit(Body, S.getBeginLoc()) &&
                          setsBack(S, V, Context));
  });
  return Counts && !Back && V.hasLocalStorage() &&
         !V.getType()->isReferenceType() &&
         SM.isBeforeInTranslationUnit(V.getLocation(), Loop.getBeginLoc());
}

/// A product behind the loop is another one than each in it.
bool Crossings::isOfLaterIteration(const FloatProduct &P) const {
  if (!Loop || P.Where != Side::After)
    return false;
  bool Any = false;
  forEachStmt(P.Of, [&](const Stmt &S) {
    const VarDecl *V = namedVariable(&S);
    Any |= V && goesOn(*V, *Loop, Function, Context);
  });
  return Any;
}

/// Two equal products, of which a compiler makes one.
std::optional<Refusal> Crossings::sharedProduct() const {
  std::map<std::pair<std::string, std::string>, Side> First;
  for (const FloatProduct &P : Known.Products) {
    auto [It, IsNew] = First.try_emplace({P.Left, P.Right}, P.Where);
    if (!IsNew && It->second != P.Where &&
        !(It->second == Side::Wrapped && isOfLaterIteration(P)))
      return refuse(P.Of->getExprLoc(),
                    "the product of " + P.Left + " and " + P.Right +
                        ", which stands on both sides of a barrier");
  }
  return std::nullopt;
}

/// A variable that is constant if what is wrapped does nothing: its product
/// with a constant is then one too, and computed where the variable is.
std::optional<Refusal> Crossings::foldedProduct(const FloatRoot &R,
                                                const FloatPlace &P) const {
  auto IsConstant = [&](const FloatDefinition &D) {
    const Expr *E = D.From;
    if (auto *B = dyn_cast_or_null<BinaryOperator>(E))
      E = B->getOpcode() == BO_Assign ? B->getRHS() : nullptr;
    return E && D.Where != Side::Wrapped && Known.isConstant(*E);
  };
  auto Wrapped = llvm::find_if(P.Definitions, [](const FloatDefinition &D) {
    return D.Where == Side::Wrapped;
  });
  std::set<std::pair<FloatRoot, bool>> Seen;
  if (Wrapped == P.Definitions.end() ||
      llvm::none_of(P.Definitions, IsConstant) ||
      !isFoldedAfter(R, /*Scaled=*/false, Seen))
    return std::nullopt;
  return refuse(Wrapped->At, "a product of " + nameOf(R) +
                                 " and a constant, behind the barrier");
}

std::optional<Refusal> Crossings::refusal() {
  Known.spreadProducts();
  for (const auto &[R, P] : Known.Places) {
    if (std::optional<Refusal> Why = crossingProduct(R, P))
      return Why;
    if (std::optional<Refusal> Why = foldedProduct(R, P))
      return Why;
  }
  return sharedProduct();
}

/// Its parameters, and what a lambda captures.
static std::vector<const VarDecl *> givenTo(const FunctionDecl &F) {
  std::vector<const VarDecl *> Out(F.param_begin(), F.param_end());
  auto *Method = dyn_cast<CXXMethodDecl>(&F);
  if (Method && Method->getParent()->isLambda())
    for (const LambdaCapture &C : Method->getParent()->captures())
      if (C.capturesVariable())
        if (auto *V = dyn_cast<VarDecl>(C.getCapturedVar()))
          Out.push_back(V);
  return Out;
}

std::optional<Refusal> splitMayRound(const FunctionDecl &F,
                                     llvm::ArrayRef<const Stmt *> Wrapped,
                                     bool InCallee, const ASTContext &Context,
                                     Wrapping Kind) {
  if (!F.getBody() ||
      Context.getLangOpts().getDefaultFPContractMode() == LangOptions::FPM_Off)
    return std::nullopt;
  FloatPlaces Known(Wrapped, Context);
  if (InCallee)
    for (const VarDecl *V : givenTo(F))
      Known.addArgument(*V);
  Known.collect(*F.getBody(), /*MayRepeat=*/InCallee);
  const Stmt *Loop = Kind == Wrapping::Statements ? nullptr : Wrapped.front();
  return Crossings(Known, F, Context, Kind, Loop).refusal();
}

std::optional<Refusal> iterationsMayRound(
    const FunctionDecl &F, const Stmt &Loop,
    llvm::function_ref<bool(llvm::ArrayRef<const Expr *>)> AreOwn,
    const LocalMentions &Locals, const ASTContext &Context) {
  if (Context.getLangOpts().getDefaultFPContractMode() == LangOptions::FPM_Off)
    return std::nullopt;
  const Stmt *const Wrapped = &Loop;
  FloatPlaces Known(Wrapped, Context);
  Known.collect(*F.getBody(), /*MayRepeat=*/false);
  return Crossings(Known, F, Context).carriedProduct(Loop, AreOwn, Locals);
}

} // namespace catt
