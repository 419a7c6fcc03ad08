//===- RowLoops.cpp - Loops that can run in tiles -------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   loop          --CountedLoop--> iterator, limit
//                 --body---------> what may not stand in a tile
//                 --RowPlaces----> elements that are known before the loop
//                 --RowReads-----> references that walk a row, or that a loop
//                                  inside walks while the row stays
//                 --writes-------> those that store to one
//                 --sums---------> elements that are only added to
//
//===----------------------------------------------------------------------===//
#include "analysis/source/values/RowLoops.h"
#include "analysis/nest/Nest.h"
#include "analysis/source/safety/HiddenNames.h"
#include "analysis/source/safety/SplitRounding.h"
#include "analysis/source/safety/WrapSites.h"
#include "analysis/source/syntax/Accessors.h"
#include "analysis/source/syntax/Effects.h"
#include "analysis/source/syntax/NodeParts.h"
#include "analysis/source/values/CountedLoops.h"
#include "analysis/source/values/RowPlaces.h"
#include "analysis/source/values/RowReads.h"
#include "analysis/source/values/RowStores.h"
#include "analysis/source/values/TileBodies.h"
#include "analysis/source/values/WindowProducts.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <set>
#include <utility>

using namespace clang;

namespace catt {
namespace {

/// The operand of `x += e` and `x -= e` that is x; null for everything else.
const Expr *addedTo(const Stmt &S) {
  auto *A = dyn_cast<CompoundAssignOperator>(&S);
  return A && (A->getOpcode() == BO_AddAssign || A->getOpcode() == BO_SubAssign)
             ? A->getLHS()->IgnoreParens()
             : nullptr;
}

/// One loop, and what is found out about it.
class RowLoopFinder {
public:
  RowLoopFinder(const FunctionDecl &F, const Stmt &Loop,
                const ASTContext &Context, const LocalMentions &Locals,
                const Kernel &K, ComputeProof &Proof, RowLoop &Out)
      : F(F), Whole(Loop), Context(Context), Text(Context), K(K), Proof(Proof),
        Out(Out), Counted(Loop, Context, Locals, !storesAnything()),
        Locals(Locals), Places(K, Counted, Out), Rows(F, K, Places, Out) {}

  void run() {
    if (std::optional<Refusal> Why = Counted.read(Out))
      return Out.Refusals.push_back(std::move(*Why));
    communication();
    if (auto Why = cannotRunInTiles(Counted.body(), Context, Proof))
      Out.Refusals.push_back(std::move(*Why));
    // A compiler may fuse a product with a sum of the next iteration, and no
    // longer where a tile ends.
    auto AreOwn = [&](llvm::ArrayRef<const Expr *> Accesses) {
      return areOneElement(Accesses);
    };
    if (auto Why = iterationsMayRound(F, Whole, AreOwn, Locals, Context))
      Out.Refusals.push_back(std::move(*Why));
    if (!Out.Refusals.empty())
      return;
    Places.find(Text);
    Rows.find(Counted.body(), itself());
    rowsThatStay();
    if (Out.StepSize == 1)
      writes(&Counted.body());
    sums(&Counted.body());
    auto Usable = [](const auto &R) { return !R.Why; };
    if (llvm::any_of(Out.Reads, Usable) || llvm::any_of(Out.Sums, Usable))
      rounding();
  }

private:
  RowWalker itself() const {
    return {Counted, Out.StepSize, Out.Loop, std::nullopt};
  }

  bool storesAnything() const {
    return llvm::any_of(K.Accesses, [&](const Access &A) {
      return A.Writes && isInside(K, A.Loop, Out.Loop);
    });
  }

  /// What may be another value when a read of the loop is done ahead.
  void communication() {
    for (const Access &A : K.Accesses)
      if (Places.isInLoop(A) && (A.Volatile || A.Atomic))
        return Out.Refusals.push_back(
            {Reason::WarpsCommunicate, A.Where, "'" + A.Text + "'"});
    if (std::optional<Refusal> Hidden = hiddenByDeclaration(F, &Whole, Context))
      Out.Refusals.push_back(*Hidden);
  }

  /// Reads of the loop, by where their elements lie.
  std::vector<std::pair<const Access *, WindowElement>> windowElements() const {
    std::vector<std::pair<const Access *, WindowElement>> Seen;
    for (const Access &A : K.Accesses) {
      if (!Places.isInLoop(A) || !A.Reads || !A.Offset)
        continue;
      WindowElement Here{unsigned(Seen.size()), 0,
                         bytesPerIteration(*A.Offset, Out.Loop),
                         A.Loop == Out.Loop};
      for (const auto &[B, At] : Seen) // the first of each row is at 0
        if (auto Apart = (*A.Offset - *B->Offset).constant();
            A.BaseId == B->BaseId && Apart && At.Bytes == 0) {
          Here.Row = At.Row;
          Here.Bytes = *Apart;
          break;
        }
      Seen.push_back({&A, Here});
    }
    return Seen;
  }

  /// Two iterations may load one element, in two places of the body, and both
  /// compute the same product of it.
  std::optional<Refusal> sharedProduct() const {
    const auto Elements = windowElements();
    auto ElementOf = [&](const Expr &E) -> std::optional<WindowElement> {
      const std::optional<std::string> Written =
          E.isLValue() ? Counted.textOf(E.getSourceRange()) : std::nullopt;
      for (const auto &[A, At] : Elements)
        if (A->Text == Written && A->Where == Text.location(E.getBeginLoc()))
          return At;
      return std::nullopt;
    };
    for (const auto &[A, OfA] : Elements)
      for (const auto &[B, OfB] : Elements) {
        const int64_t Apart = OfB.Bytes - OfA.Bytes;
        if (OfA.Row != OfB.Row || !OfA.Step || !Apart || Apart % OfA.Step)
          continue;
        if (!iterationsShareProducts(Whole, Counted.body(), Locals, Context,
                                     ElementOf))
          return std::nullopt; // whichever elements they share
        return Refusal{Reason::MayContract, B->Where,
                       "products of '" + B->Text + "', which is '" + A->Text +
                           "' of another iteration"};
      }
    return std::nullopt;
  }

  /// Whether these are one element of a row, named in one way.
  bool areOneElement(llvm::ArrayRef<const Expr *> Accesses) const {
    std::set<std::tuple<std::string, int64_t, std::string, int64_t>> Elements;
    for (const Expr *Each : Accesses) {
      auto *E = dyn_cast<ArraySubscriptExpr>(Each);
      std::optional<RowIndex> Index = E && Counted.isPlain(E->getBase())
                                          ? Counted.rowIndex(E->getIdx())
                                          : std::nullopt;
      std::optional<std::string> Base =
          Index ? Counted.textOf(E->getBase()->getSourceRange()) : std::nullopt;
      if (!Base)
        return false;
      Elements.insert({*Base, Index->Stride, Index->Rest, Index->Offset});
    }
    return Elements.size() == 1;
  }

  /// Compilers cannot know how often a loop runs if arguments decide it; that
  /// `do ... while` runs once, they do.
  Wrapping wrapping() const {
    const Loop &L = K.Loops[Out.Loop];
    // (n - first + step - 1) / step, and 0 at least.
    auto IsOther = [](const Atom &A) {
      return A.K != Atom::Kind::Parameter && A.K != Atom::Kind::Quotient &&
             A.K != Atom::Kind::Max;
    };
    const bool IsOpen = !Out.AtLeastOnce && L.TripCount &&
                        !L.TripCount->constant() &&
                        !L.TripCount->mentions(IsOther);
    return Out.InCallee ? Wrapping::Statements
           : IsOpen     ? Wrapping::OpenLoop
                        : Wrapping::Loop;
  }

  void rounding() {
    if (std::optional<Refusal> Why = sharedProduct())
      return Out.Refusals.push_back(*Why);
    if (std::optional<Refusal> Why =
            splitMayRound(F, {&Whole}, Out.InCallee, Context, wrapping()))
      Out.Refusals.push_back(*Why);
  }

  //===-- Reads -----------------------------------------------------------===//

  /// Rows that stay while the loop runs: every iteration walks them in a loop
  /// of its own.
  void rowsThatStay() {
    forEachAlways(&Counted.body(), [&](const Stmt &S) {
      if (auto *Inside = dyn_cast<ForStmt>(&S))
        rowsThatStay(*Inside);
    });
  }

  void rowsThatStay(const ForStmt &Inside) {
    const Location At = locationOf(Inside.getForLoc(), Context);
    auto Is = llvm::find_if(K.Loops, [&](const Loop &L) {
      return L.Where == At && L.Parent == Out.Loop;
    });
    RowLoop Header;
    Header.Span = Out.Span;
    CountedLoop Walks(Inside, Context, Locals, !storesAnything(), &Whole);
    if (Is == K.Loops.end() || Walks.read(Header) ||
        cannotRunInTiles(*Inside.getBody(), Context, Proof))
      return;
    Header.Loop = Is->Id;
    Rows.find(*Inside.getBody(),
              {Walks, Header.StepSize, Header.Loop, RowWalk(Header)});
  }

  //===-- Stores ----------------------------------------------------------===//

  void writes(const Stmt *Body) {
    llvm::SmallPtrSet<const Stmt *, 8> Always;
    forEachAlways(Body, [&](const Stmt &S) {
      Always.insert(&S);
      if (std::optional<RowStore> To = storeOf(S))
        write(*To);
    });
    forEachStmt(Body, [&](const Stmt &S) {
      if (!Always.contains(&S))
        if (std::optional<RowStore> To = storeOf(S))
          writeSometimes(*To);
    });
  }

  std::optional<RowStore> storeOf(const Stmt &S) const {
    return rowStoreOf(S, Rows, itself(), Out.Span.File);
  }

  void write(const RowStore &S) {
    auto InPlace = llvm::find_if(Out.Reads, [&](const RowRead &R) {
      return !R.IsWritten && isInPlace(R, S);
    });
    if (InPlace == Out.Reads.end()) {
      Rows.add(S.To, itself()).IsRead = S.To.A->Reads;
      InPlace = std::prev(Out.Reads.end());
    }
    // What is loaded only behind the store is in the tile by then.
    InPlace->IsRead &= S.To.A->Reads ||
                       llvm::any_of(InPlace->Places, [&](const SourceSpan &P) {
                         return P.Begin < S.Whole.End;
                       });
    add(S, *InPlace);
  }

  /// Where every iteration loads the element, a tile can be stored as a whole:
  /// nobody else may change it meanwhile.
  void writeSometimes(const RowStore &S) {
    auto InPlace = llvm::find_if(Out.Reads, [&](const RowRead &R) {
      return (!R.IsWritten || R.IsWrittenSometimes) && R.IsRead &&
             isInPlace(R, S);
    });
    if (InPlace == Out.Reads.end())
      return;
    InPlace->IsWrittenSometimes = true;
    add(S, *InPlace);
  }

  void add(const RowStore &S, RowRead &R) {
    R.Own.push_back(Rows.indexOf(S.To));
    auto Behind = llvm::lower_bound(
        R.Places, S.To.Place, [](const SourceSpan &L, const SourceSpan &R) {
          return L.Begin < R.Begin;
        });
    R.Places.insert(Behind, S.To.Place);
    R.Offsets.push_back(0);
    R.IsWritten = true;
    R.MovesInPlaces |= S.To.MovesInPlace;
    R.Apart.clear();
    R.Why = Places.compare(
        *S.To.A, /*Same=*/false, R.Apart, [&](const Access &Other) {
          return !llvm::is_contained(R.Own, size_t(&Other - K.Accesses.data()));
        });
  }

  /// Whether a store goes to the element that every iteration loads. What is
  /// loaded afterwards might be fused with the product that was stored, which a
  /// store to another array in between prevents in global memory alone.
  bool isInPlace(const RowRead &R, const RowStore &S) const {
    const RowLoad &First = Rows.firstOf(R);
    auto IsBefore = [&](const SourceSpan &Place) {
      return Place.Begin < S.Whole.End;
    };
    return !R.Walk && !R.Halo && First.isRowOf(S.To) &&
           !Rows.isByReference(R) && First.Index.Offset == S.To.Index.Offset &&
           (llvm::all_of(R.Places, IsBefore) || isOnlyStore(*S.To.A));
  }

  bool isOnlyStore(const Access &To) const {
    return llvm::none_of(K.Accesses, [&](const Access &A) {
      return A.Writes && &A != &To && Places.isInLoop(A);
    });
  }

  //===-- Sums ------------------------------------------------------------===//

  void sums(const Stmt *Body) {
    forEachAlways(Body, [&](const Stmt &S) {
      if (auto *E = dyn_cast_or_null<ArraySubscriptExpr>(addedTo(S)))
        sum(*E);
    });
  }

  void sum(const ArraySubscriptExpr &E) {
    std::optional<std::string> Type = Rows.numberOf(E);
    std::optional<std::string> Written = Counted.textOf(E.getSourceRange());
    if (!Type || !Written || !Counted.isPlain(E.getBase()) ||
        !Counted.isPlain(E.getIdx()) ||
        llvm::any_of(Out.Sums,
                     [&](const RowSum &R) { return R.Text == *Written; }))
      return;
    const Access *A = Rows.accessOf(E, *Written, Out.Loop, /*Reads=*/true,
                                    /*Writes=*/true);
    // The compiler keeps those of restricted pointers in registers itself.
    if (!A || Places.isPassed(A->Base, /*Restrict=*/true))
      return;
    RowSum R;
    R.Text = *Written;
    R.Type = *Type;
    R.Place = Places.add({*Written});
    if (!onlyAdds(*Written, R.Places))
      return;
    R.Why =
        Places.compare(*A, /*Same=*/true, R.Apart, [&](const Access &Other) {
          return Places.placeOf(Other) != R.Place;
        });
    Out.Sums.push_back(std::move(R));
  }

  /// Whether each mention of a reference is what something is added to, and
  /// where these are.
  bool onlyAdds(const std::string &Written, std::vector<SourceSpan> &At) const {
    bool All = true;
    unsigned Mentions = 0;
    forEachStmt(&Counted.body(), [&](const Stmt &S) {
      auto *E = dyn_cast<ArraySubscriptExpr>(&S);
      if (E && Counted.textOf(E->getSourceRange()) == Written) {
        ++Mentions; // what is declared inside may have the same names
        All &= Counted.isPlain(E->getBase()) && Counted.isPlain(E->getIdx());
      }
      const Expr *To = addedTo(S);
      if (!To || Counted.textOf(To->getSourceRange()) != Written)
        return;
      if (auto Span = Counted.spanOf(To->getSourceRange(), Out.Span.File))
        At.push_back(*Span);
    });
    return All && Mentions == At.size();
  }

  const FunctionDecl &F;
  const Stmt &Whole; // the loop
  const ASTContext &Context;
  SourceText Text;
  const Kernel &K;
  ComputeProof &Proof;
  RowLoop &Out;
  CountedLoop Counted;
  const LocalMentions &Locals;
  RowPlaces Places;
  RowReads Rows;
};

} // namespace

/// The loop of a callee at a statement, which may hold a pragma's loop, once
/// for each call; none: it is called in other ways, or its text is not its own.
static std::vector<RowLoop> inCallee(const Stmt &S, const Stmt &Loop,
                                     const ASTContext &Context, const Kernel &K,
                                     size_t Calls) {
  const SourceManager &SM = Context.getSourceManager();
  const SourceText Text(Context);
  const Location At = Text.location(Loop.getBeginLoc());
  std::optional<Refusal> Why;
  std::optional<SourceSpan> Span = Text.span(S, S, Why);
  if (!Span || Why)
    return {};
  RowLoop R;
  R.Span = *Span;
  const FileID File = SM.getFileID(SM.getExpansionLoc(S.getBeginLoc()));
  R.OwnLines = Text.ownLines(Text.text(File), *Span);
  R.InCallee = true;
  std::vector<RowLoop> Out;
  for (const catt::Loop &L : K.Loops)
    if (L.Where == At) {
      R.Loop = L.Id;
      Out.push_back(R);
    }
  return Out.size() == Calls ? Out : std::vector<RowLoop>();
}

static std::vector<RowLoop>
inKernel(const Stmt &Loop, const ASTContext &Context, const Kernel &K) {
  const Location At = locationOf(Loop.getBeginLoc(), Context);
  auto Is = llvm::find_if(K.Statements, [&](const BodyStatement &S) {
    return S.Is && S.Where == At && !S.Span.File.empty();
  });
  if (Is == K.Statements.end())
    return {};
  RowLoop R;
  R.Loop = *Is->Is;
  R.Span = Is->Span;
  R.OwnLines = Is->OwnLines;
  return {R};
}

/// Whether what a lambda's loop has from the kernel may change: by the kernel,
/// by the lambda, or by a pointer or a reference to it.
static bool mayChangeCaptured(const Stmt &Loop, const Stmt &Kernel) {
  llvm::SmallPtrSet<const VarDecl *, 4> Captured;
  forEachStmt(&Loop, [&](const Stmt &S) {
    auto *E = dyn_cast<DeclRefExpr>(&S);
    auto *V = dyn_cast_or_null<VarDecl>(E ? E->getDecl() : nullptr);
    if (V && E->refersToEnclosingVariableOrCapture())
      Captured.insert(V);
  });
  return llvm::any_of(Captured, [&](const VarDecl *V) {
    return mayModifyOrInLambdas(&Kernel, *V);
  });
}

/// Of the kernel, or of a function that it calls.
static void findIn(const FunctionDecl &Kernel, const CalledFunction *Called,
                   const ASTContext &Context, ComputeProof &Proof,
                   catt::Kernel &K) {
  const FunctionDecl &F = Called ? *Called->Definition : Kernel;
  const bool InLambda = Called && Called->IsLambda;
  const FunctionPlace Place = placeOf(InLambda ? Kernel : F);
  const LocalMentions Locals = mentionsIn(*F.getBody(), Proof);
  const Stmt *Pragma = nullptr;
  forEachStmt(F.getBody(), [&](const Stmt &Each) {
    auto *Attributed = dyn_cast<AttributedStmt>(&Each);
    const Stmt *Around = std::exchange(Pragma, Attributed);
    if (!isa<ForStmt, WhileStmt, DoStmt>(Each) ||
        (InLambda && mayChangeCaptured(Each, *Kernel.getBody())))
      return;
    for (RowLoop &R : Called ? inCallee(Around ? *Around : Each, Each, Context,
                                        K, Called->Calls)
                             : inKernel(Each, Context, K)) {
      if (Called)
        R.Flagged = Called->Flagged;
      R.InLambda = InLambda;
      R.Top = Place.Top;
      R.BodyBegin = Place.BodyBegin;
      RowLoopFinder(F, Each, Context, Locals, K, Proof, R).run();
      // What others pass may lie where sums do.
      if (R.isShared() || (Called && Called->Calls > 1))
        R.Sums.clear();
      if (!R.Refusals.empty() || !R.Reads.empty() || !R.Sums.empty())
        K.RowLoops.push_back(std::move(R));
    }
  });
}

/// Tells the accesses of rows that begin where data says how they walk.
static void addSteps(Kernel &K) {
  for (const RowLoop &Rows : K.RowLoops)
    for (const RowRead &Read : Rows.Reads) {
      const RowWalk &Walk = Read.Walk ? *Read.Walk : Rows;
      const int64_t Bytes =
          Walk.StepSize * Read.Stride * int64_t(Read.ElementBytes);
      for (size_t Own : Read.Own)
        if (!K.Accesses[Own].Offset)
          K.Accesses[Own].Step = {Walk.Loop, Walk.IsDown ? -Bytes : Bytes};
    }
}

void findRowLoops(const FunctionDecl &F, const ASTContext &Context,
                  FunctionUses &Uses, Kernel &K) {
  ComputeProof Proof;
  if (llvm::any_of(K.Statements,
                   [](const BodyStatement &S) { return S.Is.has_value(); }))
    findIn(F, /*Called=*/nullptr, Context, Proof, K);
  auto IsOwn = [&](const Loop &L) { return L.Function == K.UnqualifiedName; };
  if (!llvm::all_of(K.Loops, IsOwn))
    for (const CalledFunction &Callee : calledFunctions(F, Uses))
      findIn(F, &Callee, Context, Proof, K);
  addSteps(K);
}

} // namespace catt
