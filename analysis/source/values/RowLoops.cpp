//===- RowLoops.cpp - Loops that can run in tiles -------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for statement --CountedLoop--> iterator, limit
//                 --body---------> what may not stand in a tile
//                 --RowPlaces----> elements that are known before the loop
//                 --reads--------> references that walk a row
//                 --writes-------> those that store to one
//                 --sums---------> elements that are only added to
//
//===----------------------------------------------------------------------===//
#include "analysis/source/values/RowLoops.h"
#include "analysis/nest/Nest.h"
#include "analysis/source/safety/Contraction.h"
#include "analysis/source/safety/HiddenNames.h"
#include "analysis/source/safety/SplitRounding.h"
#include "analysis/source/safety/WrapSites.h"
#include "analysis/source/syntax/Effects.h"
#include "analysis/source/syntax/NodeParts.h"
#include "analysis/source/values/CountedLoops.h"
#include "analysis/source/values/RowPlaces.h"
#include "analysis/source/values/TileBodies.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

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
class Finder {
public:
  Finder(const FunctionDecl &F, const ForStmt &For, const ASTContext &Context,
         const LocalMentions &Locals, const Kernel &K, ComputeProof &Proof,
         RowLoop &Out)
      : F(F), For(For), Context(Context), Text(Context), K(K), Proof(Proof),
        Out(Out), Counted(For, Context, Locals, !storesAnything()),
        Places(K, Counted, Out) {}

  void run() {
    if (std::optional<Refusal> Why = Counted.read(Out))
      return Out.Refusals.push_back(std::move(*Why));
    communication();
    if (auto Why = cannotRunInTiles(*For.getBody(), Context, Proof))
      Out.Refusals.push_back(std::move(*Why));
    // A compiler may fuse a product with a sum of the next iteration, and no
    // longer where a tile ends.
    auto AreOwn = [&](llvm::ArrayRef<const Expr *> Accesses) {
      return areOneElement(Accesses);
    };
    if (auto Why = iterationsMayRound(F, For, AreOwn, Context))
      Out.Refusals.push_back(std::move(*Why));
    if (!Out.Refusals.empty())
      return;
    Places.find(Text);
    reads(For.getBody());
    if (Out.StepSize == 1 && !Out.IsDown)
      writes(For.getBody());
    sums(For.getBody());
    auto Usable = [](const auto &R) { return !R.Why; };
    if (llvm::any_of(Out.Reads, Usable) || llvm::any_of(Out.Sums, Usable))
      rounding();
  }

private:
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
    if (std::optional<Refusal> Hidden = hiddenByDeclaration(F, &For, Context))
      Out.Refusals.push_back(*Hidden);
  }

  /// What an access moves by with each iteration, in bytes; 0: not known.
  int64_t bytesPerIteration(const AffineIndex &Offset) const {
    AffineIndex Next =
        Offset.substitute([&](const Atom &A) -> std::optional<AffineIndex> {
          if (A.K != Atom::Kind::Iterator || A.Id != Out.Loop)
            return std::nullopt;
          return AffineIndex::iterator(A.Id) + AffineIndex(1);
        });
    return (Next - Offset).constant().value_or(0);
  }

  /// Whether two iterations load one element, in two places of the body. Where
  /// iterations run together, a compiler takes their equal products for one,
  /// and fuses it with no sum or with both; at the end of a tile it cannot.
  bool iterationsShare(const Access &A, const Access &B) const {
    if (A.BaseId != B.BaseId || !A.Reads || !B.Reads || !A.Offset || !B.Offset)
      return false;
    int64_t Apart = (*A.Offset - *B.Offset).constant().value_or(0),
            Step = bytesPerIteration(*A.Offset);
    return Apart && Step && Apart % Step == 0;
  }

  std::optional<Refusal> sharedProduct() const {
    bool Products = false;
    forEachStmt(For.getBody(), [&](const Stmt &S) {
      auto *E = dyn_cast<Expr>(&S);
      Products |= E && isProduct(*E, Context);
    });
    if (!Products)
      return std::nullopt;
    for (const Access &A : K.Accesses)
      for (const Access &B : K.Accesses)
        if (Places.isInLoop(A) && Places.isInLoop(B) && iterationsShare(A, B))
          return Refusal{Reason::MayContract, B.Where,
                         "products of '" + B.Text + "', which is '" + A.Text +
                             "' of another iteration"};
    return std::nullopt;
  }

  /// Whether these are one element of a row, named in one way.
  bool areOneElement(llvm::ArrayRef<const Expr *> Accesses) const {
    std::set<std::tuple<std::string, std::string, int64_t>> Elements;
    for (const Expr *Each : Accesses) {
      auto *E = dyn_cast<ArraySubscriptExpr>(Each);
      std::optional<RowIndex> Index = E && Counted.isPlain(E->getBase())
                                          ? Counted.rowIndex(E->getIdx())
                                          : std::nullopt;
      std::optional<std::string> Base =
          Index ? Counted.textOf(E->getBase()->getSourceRange()) : std::nullopt;
      if (!Base)
        return false;
      Elements.insert({*Base, Index->Rest, Index->Offset});
    }
    return Elements.size() == 1;
  }

  void rounding() {
    if (std::optional<Refusal> Why = sharedProduct())
      return Out.Refusals.push_back(*Why);
    if (std::optional<Refusal> Why =
            splitMayRound(F, {&For}, /*InCallee=*/false, Context))
      Out.Refusals.push_back(*Why);
  }

  //===-- Reads and sums --------------------------------------------------===//

  /// Numbers whose type can be written anywhere.
  std::optional<std::string> numberOf(const ArraySubscriptExpr &E) const {
    auto *Number = E.getType()->getAs<BuiltinType>();
    if (!Number || !Number->isArithmeticType() ||
        E.getType().isVolatileQualified())
      return std::nullopt;
    return E.getType().getCanonicalType().getUnqualifiedType().getAsString(
        Context.getPrintingPolicy());
  }

  const Access *accessOf(const ArraySubscriptExpr &E,
                         const std::string &Written, bool Reads,
                         bool Writes) const {
    Location At = Text.location(E.getBeginLoc());
    auto Found = llvm::find_if(K.Accesses, [&](const Access &A) {
      return A.Where == At && A.Text == Written && A.Reads == Reads &&
             A.Writes == Writes && A.Loop == Out.Loop &&
             A.Space == AddressSpace::Global;
    });
    return Found == K.Accesses.end() ? nullptr : &*Found;
  }

  /// The element that is loaded there; null if none is.
  static const ArraySubscriptExpr *loadedBy(const Stmt &S) {
    auto *C = dyn_cast<CastExpr>(&S);
    return C && C->getCastKind() == CK_LValueToRValue
               ? dyn_cast<ArraySubscriptExpr>(C->getSubExpr()->IgnoreParens())
               : nullptr;
  }

  /// A load of an element of a row, or a store to one.
  struct Load {
    const Access *A = nullptr;
    std::string Type, Text, Base;
    SourceSpan Place;
    RowIndex Index;

    bool isRowOf(const Load &Other) const {
      return Base == Other.Base && Type == Other.Type &&
             Index.Rest == Other.Index.Rest;
    }
  };

  std::optional<Load> loadOf(const ArraySubscriptExpr &E, bool Reads = true,
                             bool Writes = false) const {
    std::optional<std::string> Type = numberOf(E);
    std::optional<SourceSpan> Place =
        Counted.spanOf(E.getSourceRange(), Out.Span.File);
    std::optional<std::string> Written = Counted.textOf(E.getSourceRange());
    std::optional<std::string> Base =
        Counted.textOf(E.getBase()->getSourceRange());
    if (!Type || !Place || !Written || !Base || !Counted.isPlain(E.getBase()))
      return std::nullopt;
    std::optional<RowIndex> Index = Counted.rowIndex(E.getIdx());
    const Access *A = Index ? accessOf(E, *Written, Reads, Writes) : nullptr;
    if (!A || !A->ThroughL1 || (A->SizeBytes != 4 && A->SizeBytes != 8) ||
        Out.StepSize * A->SizeBytes > MostStepBytes)
      return std::nullopt;
    return Load{A, *Type, *Written, *Base, *Place, *Index};
  }

  void reads(const Stmt *Body) {
    std::vector<Load> Loads, Sorted;
    forEachAlways(Body, [&](const Stmt &S) {
      if (const ArraySubscriptExpr *E = loadedBy(S))
        if (std::optional<Load> L = loadOf(*E))
          Loads.push_back(std::move(*L));
    });
    unsigned Widest = 4;
    for (const Load &L : Loads)
      Widest = std::max(Widest, L.A->SizeBytes);
    Sorted = Loads;
    llvm::stable_sort(Sorted, [](const Load &L, const Load &R) {
      return L.Index.Offset < R.Index.Offset;
    });
    // In the order of the text.
    for (const Load &L : Loads)
      while (llvm::none_of(Out.Reads,
                           [&](const RowRead &R) { return holds(R, L); }))
        addRow(L, Sorted, mostHalo(Widest));
    forEachStmt(Body, [&](const Stmt &S) {
      if (const ArraySubscriptExpr *E = loadedBy(S))
        if (std::optional<Load> L = loadOf(*E))
          addPlace(*L);
    });
  }

  /// Elements behind the first one of a tile of the narrowest kind, so that
  /// enough of it is left for the first elements of iterations.
  int64_t mostHalo(unsigned ElementBytes) const {
    return Out.StepSize > 1 ? NarrowTile / ElementBytes - 1
                            : NarrowTile / 2 / ElementBytes;
  }

  /// Whether an iteration that fetches what belongs to a read has the element.
  bool holds(const RowRead &R, const Load &L) const {
    const Load &First = Rows.at(&R - Out.Reads.data()).First;
    int64_t Behind = L.Index.Offset - First.Index.Offset;
    return First.isRowOf(L) && Behind >= 0 && Behind <= R.Halo;
  }

  /// The next loads of a row that have no tile yet, as far as one tile goes.
  void addRow(const Load &Of, llvm::ArrayRef<Load> Sorted, int64_t MostHalo) {
    RowRead R;
    const Load *First = nullptr;
    for (const Load &L : Sorted) {
      if (!L.isRowOf(Of) || llvm::any_of(Out.Reads, [&](const RowRead &Known) {
            return holds(Known, L);
          }))
        continue;
      First = First ? First : &L;
      int64_t Behind = L.Index.Offset - First->Index.Offset;
      if (Behind > MostHalo)
        break;
      R.Halo = Behind;
    }
    const Access &A = *First->A;
    R.Access = size_t(&A - K.Accesses.data());
    R.Text = First->Text;
    R.Type = First->Type;
    R.ElementBytes = A.SizeBytes;
    R.Why = Places.compare(A, /*Same=*/false, R.Apart,
                           [](const Access &Other) { return Other.Writes; });
    Rows.push_back({*First, {}});
    Out.Reads.push_back(std::move(R));
  }

  /// A place whose element is in a tile, whether every iteration comes to it or
  /// not.
  void addPlace(const Load &L) {
    for (RowRead &R : Out.Reads) {
      if (!holds(R, L))
        continue;
      R.Places.push_back(L.Place);
      Row &Of = Rows[&R - Out.Reads.data()];
      R.Offsets.push_back(L.Index.Offset - Of.First.Index.Offset);
      Of.Own.push_back(L.A);
      if (L.Text != R.Text && !llvm::is_contained(R.Others, L.Text))
        R.Others.push_back(L.Text);
      return;
    }
  }

  //===-- Stores ----------------------------------------------------------===//

  void writes(const Stmt *Body) {
    forEachAlways(Body, [&](const Stmt &S) {
      auto *Assign = dyn_cast<BinaryOperator>(&S);
      if (Assign && Assign->isAssignmentOp())
        if (auto *E =
                dyn_cast<ArraySubscriptExpr>(Assign->getLHS()->IgnoreParens()))
          write(*E, *Assign);
    });
  }

  void write(const ArraySubscriptExpr &E, const BinaryOperator &Assign) {
    std::optional<Load> To =
        loadOf(E, /*Reads=*/Assign.isCompoundAssignmentOp(), /*Writes=*/true);
    std::optional<SourceSpan> Whole =
        Counted.spanOf(Assign.getSourceRange(), Out.Span.File);
    if (!To || !Whole)
      return;
    auto InPlace = llvm::find_if(
        Out.Reads, [&](const RowRead &R) { return isInPlace(R, *To, *Whole); });
    if (InPlace == Out.Reads.end()) {
      RowRead R;
      R.Access = size_t(To->A - K.Accesses.data());
      R.Text = To->Text;
      R.Type = To->Type;
      R.ElementBytes = To->A->SizeBytes;
      R.IsRead = To->A->Reads;
      Out.Reads.push_back(std::move(R));
      Rows.push_back({*To, {}});
      InPlace = std::prev(Out.Reads.end());
    }
    // What is loaded only behind the store is in the tile by then.
    InPlace->IsRead &=
        To->A->Reads || llvm::any_of(InPlace->Places, [&](const SourceSpan &P) {
          return P.Begin < Whole->End;
        });
    Row &Of = Rows[InPlace - Out.Reads.begin()];
    Of.Own.push_back(To->A);
    auto Behind =
        llvm::lower_bound(InPlace->Places, To->Place,
                          [](const SourceSpan &L, const SourceSpan &R) {
                            return L.Begin < R.Begin;
                          });
    InPlace->Places.insert(Behind, To->Place);
    InPlace->Offsets.push_back(0);
    InPlace->IsWritten = true;
    InPlace->Apart.clear();
    InPlace->Why = Places.compare(*To->A, /*Same=*/false, InPlace->Apart,
                                  [&](const Access &Other) {
                                    return !llvm::is_contained(Of.Own, &Other);
                                  });
  }

  /// Whether a store goes to the element that every iteration loads. What is
  /// loaded afterwards might be fused with the product that was stored, which a
  /// store to another array in between prevents in global memory alone.
  bool isInPlace(const RowRead &R, const Load &To,
                 const SourceSpan &Assign) const {
    const Load &First = Rows[&R - Out.Reads.data()].First;
    auto IsBefore = [&](const SourceSpan &Place) {
      return Place.Begin < Assign.End;
    };
    return !R.IsWritten && !R.Halo && First.isRowOf(To) &&
           First.Index.Offset == To.Index.Offset &&
           (llvm::all_of(R.Places, IsBefore) || isOnlyStore(*To.A));
  }

  bool isOnlyStore(const Access &To) const {
    return llvm::none_of(K.Accesses, [&](const Access &A) {
      return A.Writes && &A != &To && Places.isInLoop(A);
    });
  }

  void sums(const Stmt *Body) {
    forEachAlways(Body, [&](const Stmt &S) {
      if (auto *E = dyn_cast_or_null<ArraySubscriptExpr>(addedTo(S)))
        sum(*E);
    });
  }

  void sum(const ArraySubscriptExpr &E) {
    std::optional<std::string> Type = numberOf(E);
    std::optional<std::string> Written = Counted.textOf(E.getSourceRange());
    if (!Type || !Written || !Counted.isPlain(E.getBase()) ||
        !Counted.isPlain(E.getIdx()) ||
        llvm::any_of(Out.Sums,
                     [&](const RowSum &R) { return R.Text == *Written; }))
      return;
    const Access *A = accessOf(E, *Written, /*Reads=*/true, /*Writes=*/true);
    // The compiler keeps those of restricted pointers in registers itself.
    if (!A || Places.isPassed(A->Base, /*Restrict=*/true))
      return;
    RowSum R;
    R.Text = *Written;
    R.Type = *Type;
    R.Place = Places.add(*Written, /*Moves=*/false);
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
    forEachStmt(For.getBody(), [&](const Stmt &S) {
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
  const ForStmt &For;
  const ASTContext &Context;
  SourceText Text;
  const Kernel &K;
  ComputeProof &Proof;
  RowLoop &Out;
  CountedLoop Counted;
  RowPlaces Places;
  struct Row {
    Load First;
    std::vector<const Access *> Own; ///< those at the places of the row
  };
  std::vector<Row> Rows; ///< of each of RowLoop::Reads

  static constexpr int64_t NarrowTile = 32; ///< bytes, the least of StagePlan
  static constexpr int64_t MostStepBytes = 64; ///< from iteration to iteration
};

} // namespace

void findRowLoops(const FunctionDecl &F, const ASTContext &Context, Kernel &K) {
  if (llvm::none_of(K.Statements,
                    [](const BodyStatement &S) { return S.Is.has_value(); }))
    return;
  ComputeProof Proof;
  const LocalMentions Locals = mentionsIn(*F.getBody(), Proof);
  forEachStmt(F.getBody(), [&](const Stmt &Each) {
    auto *For = dyn_cast<ForStmt>(&Each);
    if (!For)
      return;
    Location At = locationOf(For->getForLoc(), Context);
    auto Is = llvm::find_if(K.Statements, [&](const BodyStatement &S) {
      return S.Is && S.Where == At && !S.Span.File.empty();
    });
    if (Is == K.Statements.end())
      return;
    RowLoop R;
    R.Loop = *Is->Is;
    R.Span = Is->Span;
    R.OwnLines = Is->OwnLines;
    Finder(F, *For, Context, Locals, K, Proof, R).run();
    if (!R.Refusals.empty() || !R.Reads.empty() || !R.Sums.empty())
      K.RowLoops.push_back(std::move(R));
  });
}

} // namespace catt
