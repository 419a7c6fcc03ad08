//===- ValueUses.cpp - What expressions do to variables -------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/values/ValueUses.h"
#include "analysis/source/safety/Contraction.h"
#include "analysis/source/syntax/Effects.h"
#include "analysis/source/syntax/NodeParts.h"
#include "analysis/source/values/PureExpressions.h"
#include "analysis/source/walk/IndexFolding.h"
#include "clang/AST/Attr.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace clang;

namespace catt {

ValueUses::ValueUses(const FunctionDecl &F, llvm::ArrayRef<OnlyCalled> Own,
                     const ASTContext &Context, Kernel &K)
    : Context(Context), SM(Context.getSourceManager()), Text(Context), K(K),
      Products(Context, Inlined) {
  Bodies.emplace_back(F, 0);
  for (const OnlyCalled &Each : Own) {
    Bodies.emplace_back(*Each.Definition, Each.Calls);
    Inlined.insert(Each.Definition);
  }
}

std::optional<unsigned> ValueUses::enter(unsigned Into) {
  Function = Into;
  Loops = Bodies[Function].Loops;
  return Bodies[Function].Statement;
}

//===-- Declarations ------------------------------------------------------===//

void refuse(ThreadValue &V, Reason Why, std::string Detail,
            const Location &Where) {
  if (llvm::none_of(V.Refusals,
                    [&](const Refusal &R) { return R.Kind == Why; }))
    V.Refusals.push_back({Why, Where, std::move(Detail)});
}

/// `float4 v;` calls a constructor that does nothing.
static bool isEmptyConstruction(const Expr &E) {
  auto *C = dyn_cast<CXXConstructExpr>(&E);
  return C && C->getNumArgs() == 0 && C->getConstructor()->isTrivial();
}

void ValueUses::hide(const NamedDecl &D) {
  unsigned At = SM.getFileOffset(SM.getExpansionLoc(D.getLocation()));
  for (ThreadValue &V : K.Values)
    if (D.getIdentifier() && D.getName() == V.Variable && At < V.Scope.End &&
        K.functionOf(V) == Function)
      refuse(V, Reason::Redefined, "another '" + V.Variable + "'",
             Text.location(D.getLocation()));
}

void ValueUses::declare(const VarDecl &D, const CompoundStmt &Block,
                        bool InSwitch) {
  if (!D.hasLocalStorage() || D.hasAttr<CUDASharedAttr>())
    return;
  ThreadValue V;
  V.Name = V.Variable = D.getNameAsString();
  V.Pieces.push_back(V.Name);
  V.Where = Text.location(D.getLocation());
  V.Declaration = Statement;
  V.IsConst = D.getType().isConstQualified();
  QualType T = D.getType();
  while (auto *A = Context.getAsConstantArrayType(T)) {
    V.Extents.push_back(A->getSize().getSExtValue());
    V.Pieces.emplace_back();
    T = A->getElementType();
  }
  V.IsConst |= T.isConstQualified();
  bool Volatile = T.isVolatileQualified();
  T = T.getCanonicalType().getUnqualifiedType();
  if (T->isIncompleteType() || T->isDependentType())
    return;
  V.Type = T.getAsString(Context.getPrintingPolicy());
  V.ElementBytes = Context.getTypeSizeInChars(T).getQuantity();
  if (auto *R = T->getAsCXXRecordDecl())
    V.Fields = vectorFields(*R);
  if (D.getLocation().isMacroID())
    refuse(V, Reason::InMacro, "the macro that declares it", V.Where);
  const BodyStatement &S = K.Statements[Statement];
  if (std::optional<SourceSpan> Word = Bodies[Function].Consts.of(D, S.Span))
    V.ConstWord = *Word;
  else if (V.IsConst)
    refuse(V, Reason::ConstObject, "'" + V.Name + "'", V.Where);
  if (InHead)
    refuse(V, Reason::HeaderVariable, "'" + V.Name + "'", V.Where);
  if (InSwitch) // a jump may not pass an initialization
    refuse(V, Reason::JumpInto, "a case label", V.Where);
  V.ScopeEnd = Text.location(Block.getEndLoc());
  V.Scope = {S.Span.File, S.Span.End,
             SM.getFileOffset(SM.getExpansionLoc(Block.getEndLoc()))};
  std::vector<ValuePart> Parts = partsOf(D, Context);
  Index[&D] = {K.Values.size(), Parts.size() + 1};
  bool Plain = (isPlainScalar(T) || !V.Fields.empty()) && !Volatile &&
               !isa<DecompositionDecl>(D);
  ThreadValue Outer = V;
  if (!Plain)
    refuse(V, Reason::TypeNotPlain, "'" + V.Type + "'", V.Where);
  add(std::move(V), D, {{}, {}, {}, T, {}});
  for (const ValuePart &Part : Parts)
    add(valueOf(Part, Outer), D, Part);
  llvm::SaveAndRestore Here(Defining, D.getInit());
  if (D.getInit() && !isEmptyConstruction(*D.getInit()))
    note(D, D.getLocation(), Effect::Write);
}

void ValueUses::add(ThreadValue V, const VarDecl &D, ValuePart Of) {
  K.Values.push_back(std::move(V));
  Decls.push_back(&D);
  PartOf.push_back(std::move(Of));
  Definitions.emplace_back();
}

/// The value of a part, where that of its variable is known.
ThreadValue ValueUses::valueOf(const ValuePart &Part, ThreadValue Outer) const {
  Outer.Name = llvm::join(Part.Pieces, "");
  Outer.Pieces = Part.Pieces;
  Outer.Extents = Part.Extents;
  Outer.Fields = Part.Fields;
  Outer.Type = Part.Type.getAsString(Context.getPrintingPolicy());
  Outer.ElementBytes = Context.getTypeSizeInChars(Part.Type).getQuantity();
  return Outer;
}

//===-- Expressions -------------------------------------------------------===//

/// What evaluating E does to variables.
void ValueUses::visit(const Expr &Top) {
  const Expr *E = Top.IgnoreParens();
  // Each call of a function has its products.
  if (Bodies[Function].RunsTwice)
    Products.add({E, !IsFactor, ~0U, Loops});
  llvm::SaveAndRestore Operands(IsFactor,
                                Products.add({E, !IsFactor, Statement, Loops}));
  if (isa<UnaryExprOrTypeTraitExpr, CXXNoexceptExpr>(E))
    return;
  if (auto *O = dyn_cast<CXXOperatorCallExpr>(E))
    return visitOperator(*O);
  if (auto *C = dyn_cast<CallExpr>(E))
    return visitCall(*C);
  if (auto *L = dyn_cast<LambdaExpr>(E))
    return escapeAll(*L);
  if (auto *P = dyn_cast<PseudoObjectExpr>(E))
    return P->getResultExpr() ? visit(*P->getResultExpr()) : void();
  if (auto *V = dyn_cast<OpaqueValueExpr>(E))
    return V->getSourceExpr() ? visit(*V->getSourceExpr()) : void();
  // Loads, assignments, copies.
  if (isa<CastExpr, BinaryOperator, UnaryOperator, CXXConstructExpr>(E))
    for (const OperandEffect &X : effectsOf(*E)) {
      if (!X.writes() && X.What != Effect::Read)
        continue;
      if (X.writes() && X.Value)
        visit(*X.Value);
      llvm::SaveAndRestore Here(Defining, X.writes() ? E : Defining);
      return place(*X.Place, X.What);
    }
  if (E->isGLValue())
    return place(*E, Effect::Unknown);
  if (auto *M = dyn_cast<MemberExpr>(E))
    return visit(*M->getBase());
  if (auto *S = dyn_cast<StmtExpr>(E))
    return escapeAll(*S);
  for (const Stmt *Child : E->children())
    if (auto *C = dyn_cast_or_null<Expr>(Child))
      visit(*C);
}

/// `a = b` and `a += b` of vector types; other operators are calls.
void ValueUses::visitOperator(const CXXOperatorCallExpr &O) {
  bool Trivial = isTrivialAssignment(O);
  if (!Trivial && !O.isAssignmentOp())
    return visitCall(O);
  operand(*O.getArg(1), effectsOf(O));
  llvm::SaveAndRestore<const Expr *> Here(Defining,
                                          Trivial ? O.getArg(1) : nullptr);
  place(*O.getArg(0), Trivial ? Effect::Write : Effect::ReadWrite);
}

void ValueUses::visitCall(const CallExpr &C) {
  if (!C.getDirectCallee())
    visit(*C.getCallee());
  addCalls(C, K.Statements[Statement].Calls);
  give(C);
  OperandEffects Effects = effectsOf(C);
  if (auto *M = dyn_cast<CXXMemberCallExpr>(&C))
    operand(*M->getImplicitObjectArgument(), Effects);
  for (const Expr *A : C.arguments())
    operand(*A, Effects);
}

/// The arguments are what the parameters of a function of the kernel's own are.
void ValueUses::give(const CallExpr &C) {
  const FunctionDecl *F = C.getDirectCallee();
  if (!F || !F->hasBody(F) || !Inlined.contains(F))
    return;
  Body &B =
      *llvm::find_if(Bodies, [&](const Body &Each) { return Each.F == F; });
  B.RunsTwice |= ++B.Calls > 1 || Bodies[Function].RunsTwice;
  if (!B.Statement)
    B.Statement = Statement;
  for (const Stmt *L : Loops)
    if (!llvm::is_contained(B.Loops, L))
      B.Loops.push_back(L);
  for (auto [P, A] : llvm::zip(F->parameters(), C.arguments())) {
    QualType T = P->getType();
    Given[P].push_back(A);
    if (T->isReferenceType() && !T.getNonReferenceType().isConstQualified())
      Given[P].push_back(nullptr); // the function may assign to it
  }
}

/// Of a call: what is bound to a const reference is read while the call runs.
void ValueUses::operand(const Expr &E, llvm::ArrayRef<OperandEffect> Effects) {
  for (const OperandEffect &X : Effects)
    if (X.Place == &E &&
        (X.What == Effect::Read || X.What == Effect::BindConst))
      return place(E, Effect::Read);
  visit(E);
}

/// The functions with a body that S calls, and those that they call.
void ValueUses::addCalls(const Stmt &S, std::vector<LineRange> &Calls) const {
  auto *C = dyn_cast<CallExpr>(&S);
  const FunctionDecl *F = C ? C->getDirectCallee() : nullptr, *Def = nullptr;
  if (F && F->hasBody(Def) && !SM.isInSystemHeader(Def->getLocation())) {
    Location First = Text.location(Def->getBeginLoc());
    LineRange Lines{First.File, First.Line,
                    Text.location(Def->getEndLoc()).Line};
    if (llvm::any_of(Calls, [&](const LineRange &R) {
          return R.File == Lines.File && R.First == Lines.First;
        }))
      return;
    Calls.push_back(Lines);
    addCalls(*Def->getBody(), Calls);
  }
  for (const Stmt *Child : S.children())
    if (Child)
      addCalls(*Child, Calls);
}

/// Neither read nor assigned in plain sight.
static bool escapes(Effect What) {
  return What != Effect::Read && What != Effect::Write &&
         What != Effect::ReadWrite;
}

/// Of an object, where What is done to a part of it.
static Effect partly(Effect What) {
  return What == Effect::Write ? Effect::ReadWrite : What;
}

/// What is done to the object that E designates.
void ValueUses::place(const Expr &Top, Effect What) {
  llvm::SaveAndRestore Indices(IsFactor, false);
  const Expr *E = Top.IgnoreParenNoopCasts(Context);
  if (auto *C = dyn_cast<ImplicitCastExpr>(E); C && C->isGLValue())
    return place(*C->getSubExpr(), What);
  if (std::optional<Designator> D = designated(*E))
    if (auto It = Index.find(D->Variable);
        It != Index.end() && It->second.Count > 1)
      return placeParts(*D, It->second, E->getExprLoc(), What);
  if (const VarDecl *V = namedVariable(E))
    return note(*V, E->getExprLoc(), What);
  if (auto *M = dyn_cast<MemberExpr>(E)) {
    if (M->isArrow())
      return visit(*M->getBase());
    if (M->getBase()->isGLValue())
      return place(*M->getBase(), partly(What));
    return visit(*M->getBase());
  }
  if (isa<ArraySubscriptExpr>(E))
    return subscript(*cast<ArraySubscriptExpr>(E), What);
  if (auto *C = dyn_cast<ConditionalOperator>(E)) {
    visit(*C->getCond());
    Effect Either = partly(What);
    place(*C->getTrueExpr(), Either);
    return place(*C->getFalseExpr(), Either);
  }
  if (auto *M = dyn_cast<MaterializeTemporaryExpr>(E))
    return visit(*M->getSubExpr());
  if (auto *B = dyn_cast<BinaryOperator>(E); B && B->isAssignmentOp()) {
    visit(*B);
    return place(*B->getLHS(), What);
  }
  if (isa<CallExpr, PseudoObjectExpr>(E))
    return visit(*E);
  for (const Stmt *Child : E->children())
    if (auto *C = dyn_cast_or_null<Expr>(Child))
      visit(*C);
}

/// A struct, or something inside it: concerns the parts that overlap with it.
void ValueUses::placeParts(const Designator &D, const Values &Of,
                           SourceLocation Where, Effect What) {
  for (const Expr *I : D.Indices)
    visit(*I);
  Effect Some = partly(What);
  bool Whole = D.Path.empty() && D.Indices.empty();
  note(Of.First, Where, Whole ? What : Some);
  for (size_t I = Of.First + 1; I < Of.First + Of.Count; ++I) {
    const ValuePart &Part = PartOf[I];
    // The address of one member gives access to the others.
    if (!escapes(What) && !overlap(Part.Path, D.Path))
      continue;
    bool Indexed = Part.Extents.size() == D.Indices.size();
    bool All =
        Part.Path.size() >= D.Path.size() && (Indexed || D.Indices.empty());
    note(I, Where, All ? What : Some);
    if (!escapes(What) && Indexed && !D.Indices.empty())
      describeElement(K.Values[I], D.Indices);
  }
}

void ValueUses::subscript(const ArraySubscriptExpr &Outer, Effect What) {
  std::vector<const Expr *> Indices;
  const Expr *E = &Outer, *Base = E;
  while (auto *S = dyn_cast<ArraySubscriptExpr>(E)) {
    Indices.insert(Indices.begin(), S->getIdx());
    Base = S->getBase();
    E = Base->IgnoreParenImpCasts();
  }
  for (const Expr *I : Indices)
    visit(*I);
  const VarDecl *V = namedVariable(E);
  auto It = V ? Index.find(V) : Index.end();
  if (It == Index.end() || K.Values[It->second.First].Extents.empty())
    return visit(*Base);
  ThreadValue &Array = K.Values[It->second.First];
  if (Indices.size() != Array.Extents.size())
    return note(*V, E->getExprLoc(), Effect::Unknown); // a row of it
  note(*V, E->getExprLoc(), What);
  describeElement(Array, Indices);
}

/// "i", "(i + 1)"
static std::string parenthesized(const std::string &Text) {
  bool Word =
      llvm::all_of(Text, [](char C) { return llvm::isAlnum(C) || C == '_'; });
  return Word ? Text : "(" + Text + ")";
}

void ValueUses::describeElement(ThreadValue &V,
                                llvm::ArrayRef<const Expr *> Indices) {
  ValueEvent &Event = V.Events.back();
  std::vector<std::string> Texts;
  for (const Expr *I : Indices)
    Texts.push_back(textOf(*I));
  if (llvm::is_contained(Texts, "")) // from inside a macro: any element
    return;
  Event.Element = V.element(Texts);
  Event.FoldsWhenUnrolled = true;
  std::optional<int64_t> Flat = 0;
  for (size_t I = 0; I < Indices.size(); ++I) {
    Event.FoldsWhenUnrolled &= foldsGiven(Folding, *Indices[I], Context);
    std::string Extent = std::to_string(V.Extents[I]);
    Event.Index =
        (I ? parenthesized(Event.Index) + " * " + Extent + " + " : "") +
        parenthesized(Texts[I]);
    if (auto At = constantValue(Indices[I], Context); Flat && At)
      *Flat = *Flat * V.Extents[I] + *At;
    else
      Flat.reset();
  }
  Event.ConstantIndex = Flat;
}

void ValueUses::note(const VarDecl &D, SourceLocation Where, Effect What) {
  if (auto It = Index.find(&D); It != Index.end())
    for (size_t I = 0; I < It->second.Count; ++I)
      note(It->second.First + I, Where, What);
  else if (auto P = Given.find(&D); P != Given.end() && What != Effect::Read)
    P->second.push_back(escapes(What) ? nullptr : Defining);
}

void ValueUses::note(size_t Value, SourceLocation Where, Effect What) {
  ThreadValue &V = K.Values[Value];
  if (escapes(What))
    refuse(V, Reason::AddressTaken, "'" + V.Name + "'", Text.location(Where));
  ValueEvent Event;
  Event.Statement = Statement;
  Event.Where = Text.location(Where);
  Event.Defines = What != Effect::Read;
  Event.Uses = What != Effect::Write;
  Event.InHead = InHead;
  if (Event.Defines && InHead)
    refuse(V, Reason::HeaderVariable, "'" + V.Name + "'", Text.location(Where));
  if (Event.Defines)
    Definitions[Value].push_back(Defining);
  V.Events.push_back(std::move(Event));
}

/// Lambdas, references and others that may keep the address of a variable.
void ValueUses::escapeAll(const Stmt &S) {
  forEachStmt(&S, [&](const Stmt &Each) {
    if (auto *V = namedVariable(&Each))
      note(*V, cast<DeclRefExpr>(Each).getLocation(), Effect::Unknown);
  });
}

//===-- At the end --------------------------------------------------------===//

/// What an assignment or an initializer takes its value from.
static const Expr &sourceOf(const Expr &Definition) {
  const Expr *E = Definition.IgnoreParenImpCasts();
  if (auto *B = dyn_cast<BinaryOperator>(E); B && B->getOpcode() == BO_Assign)
    return sourceOf(*B->getRHS());
  if (auto *C = dyn_cast<CXXConstructExpr>(E);
      C && C->getConstructor()->isCopyOrMoveConstructor())
    return sourceOf(*C->getArg(0));
  return *E;
}

/// A copy and its source share one register, which bears only one of their
/// names.
void ValueUses::findCopies() {
  for (size_t I = 0; I < K.Values.size(); ++I)
    for (const Expr *E : Definitions[I]) {
      std::optional<Designator> From =
          E ? designated(sourceOf(*E)) : std::nullopt;
      auto It = From ? Index.find(From->Variable) : Index.end();
      if (It == Index.end())
        continue;
      for (size_t J = 0; J < It->second.Count; ++J)
        if (size_t Value = It->second.First + J;
            overlap(PartOf[Value].Path, From->Path))
          K.Values[I].Copies.push_back(Value);
    }
}

/// What calls a function from where nothing is looked at, a lambda or an
/// operand that is not evaluated, may have other arguments.
void ValueUses::refuseUnseen() {
  for (ThreadValue &V : K.Values)
    if (const Body &B = Bodies[K.functionOf(V)]; B.Calls != B.Named)
      refuse(V, Reason::CalledElsewhere,
             "'" + B.F->getNameAsString() +
                 "' is called where it is not known "
                 "with what",
             V.Where);
}

void ValueUses::finish() {
  refuseUnseen();
  for (ThreadValue &V : K.Values) {
    if (Bodies[K.functionOf(V)].HasJumps)
      refuse(V, Reason::JumpInto, "a goto", V.Where);
    size_t Definitions = 0;
    for (const ValueEvent &E : V.Events) {
      Definitions += E.Defines;
      if (K.Statements[E.Statement].Span.File.empty())
        refuse(V, Reason::InMacro, "the macro around it", E.Where);
      if (!E.Index.empty() && !E.FoldsWhenUnrolled)
        refuse(V, Reason::IndexVaries, "'" + E.Element + "'", E.Where);
    }
    const VarDecl *D = Decls[&V - K.Values.data()];
    if (!V.isPart() && Definitions == 1 && D->getInit() &&
        V.Events.front().Defines &&
        V.Events.front().Statement == V.Declaration) {
      V.Only = describeInitializer(*D->getInit(), Context);
      V.Only->MayContract = mayContract(*D->getInit(), Context);
    }
  }
  findProducts();
  findSharedProducts();
  findCopies();
}

std::string ValueUses::textOf(const Expr &E) const {
  CharSourceRange Range = Lexer::makeFileCharRange(
      CharSourceRange::getTokenRange(E.getSourceRange()), SM,
      Context.getLangOpts());
  return Lexer::getSourceText(Range, SM, Context.getLangOpts()).str();
}

} // namespace catt
