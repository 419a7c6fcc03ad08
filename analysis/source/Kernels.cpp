//===- Kernels.cpp - Kernels, their loops and their accesses -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/source/Kernels.h"
#include "analysis/nest/Nest.h"
#include "analysis/source/Directives.h"
#include "analysis/source/KernelHeads.h"
#include "analysis/source/Launches.h"
#include "analysis/source/OccupancyCalls.h"
#include "analysis/source/UserFunctions.h"
#include "analysis/source/safety/BrokenCode.h"
#include "analysis/source/safety/HiddenState.h"
#include "analysis/source/safety/KnownMath.h"
#include "analysis/source/safety/WarpIndependence.h"
#include "analysis/source/safety/WrapSites.h"
#include "analysis/source/syntax/Accessors.h"
#include "analysis/source/syntax/BodySize.h"
#include "analysis/source/syntax/NodeParts.h"
#include "analysis/source/values/CalledFunctions.h"
#include "analysis/source/values/RowLoops.h"
#include "analysis/source/values/ThreadValues.h"
#include "analysis/source/walk/IndexFolding.h"
#include "analysis/source/walk/SymbolicWalk.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace catt {
namespace {

//===-- One kernel -------------------------------------------------------===//

/// Arithmetic of one iteration, without that of inner loops; a call of a math
/// function counts 8.
unsigned operations(const Stmt *S) {
  if (!S)
    return 0;
  unsigned Count = 0;
  if (auto *B = dyn_cast<BinaryOperator>(S);
      B && B->getType()->isArithmeticType() && B->getOpcode() != BO_Assign &&
      B->getOpcode() != BO_Comma)
    Count = 1;
  if (auto *C = dyn_cast<CallExpr>(S); C && C->getType()->isFloatingType())
    Count = 8;
  for (const Stmt *Child : S->children())
    if (!isLoop(Child))
      Count += operations(Child);
  return Count;
}

class KernelWalk : public SymbolicWalk {
public:
  KernelWalk(ASTContext &Context, const FunctionDecl &F, Kernel &K,
             ReachedCode &Code)
      : SymbolicWalk(Context), K(K), Sites(Context, F, Code) {}

private:
  Kernel &K;
  WrapSites Sites;
  std::vector<std::pair<size_t, unsigned>> LoopPath;
  std::map<unsigned, const AttributedStmt *> Pragmas; ///< by Loop::Id

  /// The call that is walked into, if it does no more than load an element.
  const CallExpr *loadingCall() const {
    auto Inside = llvm::find_if(llvm::reverse(Path), [](const PathElement &P) {
      return P.Callee != nullptr;
    });
    const bool Loads =
        Inside != Path.rend() && Inside->Call && loadsElement(*Inside->Callee);
    return Loads ? Inside->Call : nullptr;
  }

  /// Of `a.table[i][j].x` the bytes of table; 0 of what a pointer points to.
  int64_t arrayBytes(const Expr &Touched) const {
    int64_t Bytes = 0;
    const Expr *E = Touched.IgnoreParenImpCasts();
    while (true) {
      if (auto *S = dyn_cast<ArraySubscriptExpr>(E)) {
        E = S->getBase()->IgnoreParenImpCasts();
        if (!E->getType()->isConstantArrayType())
          return Bytes;
        Bytes = Context.getTypeSizeInChars(E->getType()).getQuantity();
      } else if (auto *M = dyn_cast<MemberExpr>(E); M && !Bytes) {
        E = M->getBase()->IgnoreParenImpCasts();
      } else {
        return Bytes;
      }
    }
  }

  /// In bytes, of `P[i]` for `P[i].pos.x`: 16 at most, as much as a load has.
  unsigned alignment(const Expr &Touched) const {
    int64_t Most = 1;
    auto Take = [&](QualType Type) {
      if (!Type->isIncompleteType() && !Type->isDependentType())
        Most = std::max(Most, Context.getTypeAlignInChars(Type).getQuantity());
    };
    const Expr *E = Touched.IgnoreParenImpCasts();
    Take(E->getType());
    while (auto *M = dyn_cast<MemberExpr>(E)) {
      E = M->getBase()->IgnoreParenImpCasts();
      Take(M->isArrow() ? E->getType()->getPointeeType() : E->getType());
      if (M->isArrow())
        break;
    }
    return unsigned(std::min<int64_t>(Most, 16));
  }

  void onAccess(const Expr &Touched, const PointerValue &Where, QualType Type,
                MemoryUse Use) override {
    const CallExpr *Call = loadingCall();
    const Expr &E = Call ? *Call : Touched;
    Access A;
    A.Where = location(E.getBeginLoc());
    A.Text = text(E);
    A.Base = Where.Base;
    A.BaseId = Where.BaseId;
    A.Space = Where.Space;
    A.Reads = Use.Reads;
    A.Writes = Use.Writes;
    A.Atomic = Use.Atomic;
    A.Volatile = Type.isVolatileQualified();
    A.ThroughL1 = Use.ThroughL1 && !A.Volatile;
    if (!Type->isIncompleteType() && !Type->isDependentType())
      A.SizeBytes = Context.getTypeSizeInChars(Type).getQuantity();
    A.Alignment = alignment(Touched);
    A.ArrayBytes = arrayBytes(Touched);
    A.Offset = Where.Offset;
    if (!A.Offset)
      A.Irregularity =
          Where.Why ? *Where.Why
                    : Refusal{Reason::Irregular, A.Where, "'" + A.Text + "'"};
    if (!LoopStack.empty())
      A.Loop = LoopStack.back();
    for (const std::optional<Guard> &G : Guards)
      if (G)
        A.Guards.push_back(*G);
      else
        A.GuardsKnown = false;
    K.Accesses.push_back(std::move(A));
  }

  /// Bodies of CUDA's own for narrow floats hide arithmetic in assembly.
  bool entersCall(const FunctionDecl &F) const override {
    return !isOfNarrowFloats(F) && !isNarrowFloatUpdate(F);
  }

  void onTooManyCalls(const CallExpr &Call) override {
    K.Refusals.push_back(
        {Reason::TooComplex, location(Call.getBeginLoc()), text(Call)});
  }

  unsigned onLoop(const Stmt &S) override {
    Loop L;
    L.Id = K.Loops.size();
    if (!LoopStack.empty())
      L.Parent = LoopStack.back();
    L.Where = location(S.getBeginLoc());
    L.Function = functionName();
    L.GuardsKnown = llvm::all_of(
        Guards, [](const std::optional<Guard> &G) { return G.has_value(); });
    describe(S, L);
    while (!LoopPath.empty() && LoopPath.size() > LoopStack.size())
      LoopPath.pop_back();
    SiteResult R = Sites.find(Path, LoopPath);
    L.Site = std::move(R.Site);
    L.Refusals = std::move(R.Refusals);
    LoopPath.push_back({Path.size() - 1, L.Id});
    if (Path.size() > 1)
      if (auto *Pragma =
              dyn_cast_or_null<AttributedStmt>(Path[Path.size() - 2].S))
        Pragmas[L.Id] = Pragma;
    K.Loops.push_back(std::move(L));
    return K.Loops.back().Id;
  }

  std::string functionName() const {
    for (size_t I = Path.size(); I-- > 0;)
      if (Path[I].Callee)
        return Path[I].Callee->getNameAsString();
    return K.UnqualifiedName;
  }

  void describe(const Stmt &S, Loop &L) const {
    const SourceManager &SM = Context.getSourceManager();
    LoopParts P = loopParts(S);
    const Stmt *Body = P.AtLeastOnce ? nullptr : P.Body;
    if (auto *F = dyn_cast<ForStmt>(&S)) {
      if (auto *D = dyn_cast_or_null<DeclStmt>(F->getInit());
          D && D->isSingleDecl())
        L.Iterator = cast<NamedDecl>(D->getSingleDecl())->getNameAsString();
      else if (auto *A = dyn_cast_or_null<BinaryOperator>(F->getInit()))
        if (auto *R = dyn_cast<DeclRefExpr>(A->getLHS()->IgnoreParenImpCasts()))
          L.Iterator = R->getDecl()->getNameAsString();
    } else if (auto *R = dyn_cast<CXXForRangeStmt>(&S)) {
      L.Iterator = R->getLoopVariable()->getNameAsString();
    }
    SourceLocation Begin = SM.getExpansionLoc(S.getBeginLoc());
    SourceLocation End = Body ? SM.getExpansionLoc(Body->getBeginLoc()) : Begin;
    llvm::StringRef Text = Lexer::getSourceText(
        CharSourceRange::getCharRange(Begin, End), SM, Context.getLangOpts());
    L.Header = Body && !Text.empty() ? Text.split('\n').first.trim().str()
               : isa<DoStmt>(S)      ? "do"
                                     : "the loop";
    auto Range = SM.getExpansionRange(S.getSourceRange());
    if (auto Entry = SM.getFileEntryRefForID(SM.getFileID(Range.getBegin()))) {
      L.Span.File = Entry->getFileEntry().tryGetRealPathName().str();
      L.Span.Begin = SM.getFileOffset(Range.getBegin());
      L.Span.End = SM.getFileOffset(Lexer::getLocForEndOfToken(
          Range.getEnd(), 0, SM, Context.getLangOpts()));
    }
    L.Operations = operations(Body) +
                   (isa<ForStmt>(S) ? operations(cast<ForStmt>(S).getCond()) +
                                          operations(cast<ForStmt>(S).getInc())
                                    : 0);
    L.LeastInstructions = leastInstructions(S, Context);
  }

  void onLoopEnd(unsigned Id, const Stmt &,
                 const std::optional<AffineIndex> &Trips, bool Early) override {
    K.Loops[Id].TripCount = Trips;
    K.Loops[Id].MayExitEarly = Early;
    // "#pragma unroll 8" unrolls a loop of eight iterations, so it is read
    // where their number is known.
    if (auto Pragma = Pragmas.find(Id); Pragma != Pragmas.end()) {
      const std::optional<bool> Unroll = pragmaSays(
          Pragma->second, Trips ? Trips->constant() : std::nullopt, Context);
      K.Loops[Id].HasUnrollPragma = Unroll == true;
      K.Loops[Id].KeepsRolled = Unroll == false;
    }
    if (!Early)
      return;
    // A thread may have left in an earlier iteration.
    for (Access &A : K.Accesses)
      if (isInside(K, A.Loop, Id))
        A.GuardsKnown = false;
    for (Loop &L : K.Loops)
      if (L.Id != Id && isInside(K, L.Id, Id))
        L.GuardsKnown = false;
  }
};

/// Shared memory of a function and of what it calls.
void addShared(const Stmt *S, Kernel &K, const ASTContext &Context,
               llvm::DenseSet<const Decl *> &Seen) {
  if (!S)
    return;
  if (auto *D = dyn_cast<DeclStmt>(S))
    for (const Decl *X : D->decls())
      if (auto *V = dyn_cast<VarDecl>(X);
          V && V->hasAttr<CUDASharedAttr>() && Seen.insert(V).second) {
        if (V->hasExternalStorage())
          K.UsesDynamicShared = true;
        else if (hasLayout(V->getType()))
          K.StaticSharedBytes +=
              Context.getTypeSizeInChars(V->getType()).getQuantity();
      }
  if (const VarDecl *V = namedVariable(S);
      V && V->hasAttr<CUDASharedAttr>() && V->hasExternalStorage())
    K.UsesDynamicShared = true;
  if (auto *C = dyn_cast<CallExpr>(S)) {
    const FunctionDecl *F = C->getDirectCallee(), *Def = nullptr;
    if (F && F->hasBody(Def) && Seen.insert(Def->getCanonicalDecl()).second)
      addShared(Def->getBody(), K, Context, Seen);
  }
  for (const Stmt *Child : S->children())
    addShared(Child, K, Context, Seen);
}

std::string qualifiedName(const FunctionDecl &F) {
  std::string Name;
  llvm::raw_string_ostream OS(Name);
  F.getNameForDiagnostic(OS, F.getASTContext().getPrintingPolicy(),
                         /*Qualified=*/true);
  return Name;
}

void addLines(const FunctionDecl &F, const SourceText &Text, Kernel &K) {
  Location Begin = Text.location(F.getBeginLoc());
  Location End = Text.location(F.getEndLoc());
  if (Begin.valid() && End.File == Begin.File)
    K.Lines.push_back({Begin.File, Begin.Line, End.Line});
}

/// True if every use of the parameter reads it, and nothing has its name.
bool isFixed(const ParmVarDecl *P, const Stmt *S) {
  if (!S)
    return true;
  if (auto *C = dyn_cast<CastExpr>(S);
      C && C->getCastKind() == CK_LValueToRValue &&
      isa<DeclRefExpr>(C->getSubExpr()->IgnoreParens()))
    return true;
  if (auto *D = dyn_cast<DeclRefExpr>(S); D && D->getDecl() == P)
    return false;
  if (auto *D = dyn_cast<DeclStmt>(S))
    for (const Decl *X : D->decls())
      if (auto *V = dyn_cast<NamedDecl>(X);
          V && V->getDeclName() == P->getDeclName())
        return false;
  return llvm::all_of(S->children(),
                      [&](const Stmt *Child) { return isFixed(P, Child); });
}

Kernel describeKernel(const FunctionDecl &F) {
  ASTContext &Context = F.getASTContext();
  const SourceManager &SM = Context.getSourceManager();
  SourceText Text(Context);
  Kernel K;
  K.Name = qualifiedName(F);
  K.UnqualifiedName = F.getNameAsString();
  K.Symbol = symbolOf(F);
  K.Where = Text.location(F.getLocation());
  K.HiddenState = "it was not looked through";
  for (const ParmVarDecl *P : F.parameters())
    K.Parameters.push_back({P->getNameAsString(), P->getType().getAsString(),
                            P->getType()->isPointerType(),
                            P->getType()->isIntegralOrEnumerationType(),
                            P->getType().isRestrictQualified(),
                            isFixed(P, F.getBody())});
  K.AllLaunchesVisible = !F.isExternallyVisible();
  SourceLocation Begin = F.getSourceRange().getBegin();
  SourceLocation Open = F.getBody()->getBeginLoc(),
                 Close = F.getBody()->getEndLoc();
  if (F.getLocation().isMacroID() || Open.isMacroID() || Close.isMacroID()) {
    SourceLocation L = Open.isMacroID() ? Open : F.getLocation();
    std::string Name =
        L.isMacroID()
            ? Lexer::getImmediateMacroName(L, SM, Context.getLangOpts()).str()
            : "";
    K.Refusals.push_back({Reason::InMacro, K.Where, "the macro " + Name});
  }
  Begin = SM.getExpansionLoc(Begin);
  SourceLocation End = SM.getExpansionLoc(Close);
  if (auto Entry = SM.getFileEntryRefForID(SM.getFileID(End)))
    K.Span = {Entry->getFileEntry().tryGetRealPathName().str(),
              SM.getFileOffset(Begin), SM.getFileOffset(End) + 1};
  const FunctionPlace Place = placeOf(F);
  K.BodyBegin = Place.BodyBegin;
  K.Top = Place.Top;
  if (auto *A = F.getAttr<CUDALaunchBoundsAttr>()) {
    K.MaxThreads = constantValue(A->getMaxThreads(), Context);
    K.MinBlocks = constantValue(A->getMinBlocks(), Context);
  }
  llvm::DenseSet<const Decl *> Seen;
  addShared(F.getBody(), K, Context, Seen);
  addLines(F, Text, K);
  for (const Decl *D : Seen)
    if (auto *Callee = dyn_cast<FunctionDecl>(D))
      if (const FunctionDecl *Def = nullptr; Callee->hasBody(Def))
        addLines(*Def, Text, K);
  return K;
}

/// Launches, comments and suppressions that belong to the kernel.
void applyDirectives(Kernel &K, const Directives &D) {
  for (Launch &L : D.launchesAbove(K.Where.Line))
    K.Launches.push_back(std::move(L));
  if (D.suppressed(K.Where.Line))
    K.Refusals.push_back({Reason::Suppressed, K.Where, ""});
  for (ThreadValue &V : K.Values)
    if (const unsigned Of = K.functionOf(V);
        Of != 0 && D.suppressed(K.Functions[Of - 1].Where.Line))
      V.Refusals.push_back({Reason::Suppressed, V.Where, ""});
  for (Loop &L : K.Loops)
    if (L.Where.File == K.Where.File && D.suppressed(L.Where.Line))
      L.Refusals.push_back({Reason::Suppressed, L.Where, ""});
}

/// What the comments of each file say.
class DirectivesByFile {
public:
  DirectivesByFile(const ASTContext &Context, std::vector<Diagnostic> &Problems)
      : Context(Context), Problems(Problems) {}

  const Directives &of(SourceLocation L) {
    const SourceManager &SM = Context.getSourceManager();
    FileID File = SM.getFileID(SM.getExpansionLoc(L));
    std::string Name = SourceText(Context).location(L).File;
    auto It = ByFile.find(Name);
    if (It != ByFile.end())
      return It->second;
    It = ByFile.emplace(Name, Directives(Name, SM.getBufferData(File))).first;
    for (auto &[Where, Message] : It->second.problems())
      Problems.push_back({Diagnostic::Level::Warning, Where,
                          "this launch comment is ignored: " + Message});
    return It->second;
  }

private:
  const ASTContext &Context;
  std::vector<Diagnostic> &Problems;
  std::map<std::string, Directives> ByFile;
};

/// A kernel with all that its launches and its body say.
Kernel readKernel(const FunctionDecl &F, const LaunchMap &Launches,
                  BrokenCode &Broken, ReachedCode &Code, FunctionUses &Uses,
                  bool WithRows) {
  ASTContext &Context = F.getASTContext();
  Kernel K = describeKernel(F);
  K.NoCopy = againstCopies(F);
  if (auto It = Launches.find(F.getCanonicalDecl()); It != Launches.end())
    K.Launches = It->second;
  for (const Launch &L : K.Launches)
    if (L.Cooperative)
      K.Refusals.push_back({Reason::CooperativeLaunch, L.Where, ""});
  if (std::optional<Refusal> Why = Broken.reached(F)) {
    K.Refusals.push_back(*Why);
    return K;
  }
  K.Waits = waitsOf(F, Code, Context);
  K.HiddenState = hiddenState(F, Code);
  KernelWalk Walk(Context, F, K, Code);
  Walk.run(F);
  findThreadValues(F, Context, Uses, K);
  K.Head = headOf(F);
  if (WithRows)
    findRowLoops(F, Context, Uses, K);
  return K;
}

} // namespace

std::vector<Kernel> findKernels(
    const TranslationUnit &Unit,
    const std::function<bool(const std::string &, const std::string &)> &Wanted,
    bool WithRows, std::vector<Diagnostic> &Problems) {
  ASTContext &Context = Unit.ast();
  const SourceManager &SM = Context.getSourceManager();
  const UserFunctions Functions = userFunctions(Context);
  BrokenCode Broken(Context, Unit.diagnostics());
  LaunchMap Launches = findLaunches(Context, Functions.Hosts, Broken);
  const auto Unused = unusedOccupancy(Functions.Hosts);
  DirectivesByFile Comments(Context, Problems);
  FunctionUses Uses(Context);
  ReachedCode Code; // of all kernels together: they share their functions
  std::vector<std::pair<SourceLocation, Kernel>> Found;
  auto Add = [&](const FunctionDecl *F, bool Template) {
    if (!Wanted(qualifiedName(*F), F->getNameAsString()))
      return;
    Kernel K = Template
                   ? describeKernel(*F)
                   : readKernel(*F, Launches, Broken, Code, Uses, WithRows);
    if (Template)
      K.Refusals.push_back({Reason::NotInstantiated, K.Where, ""});
    K.Warnings = Unused.lookup(F->getCanonicalDecl());
    applyDirectives(K, Comments.of(F->getLocation()));
    Found.push_back({SM.getExpansionLoc(F->getLocation()), std::move(K)});
  };
  for (const FunctionDecl *F : Functions.Kernels)
    Add(F, false);
  for (const FunctionDecl *F : Functions.Templates)
    Add(F, true);
  llvm::sort(Found, [&](const auto &A, const auto &B) {
    if (A.first != B.first)
      return SM.isBeforeInTranslationUnit(A.first, B.first);
    return A.second.Name < B.second.Name;
  });
  std::vector<Kernel> Result;
  for (auto &[Where, K] : Found)
    Result.push_back(std::move(K));
  return Result;
}

std::optional<std::string> textOf(const TranslationUnit &Unit,
                                  const std::string &Path) {
  clang::SourceManager &SM = Unit.ast().getSourceManager();
  auto File = SM.getFileManager().getOptionalFileRef(Path);
  if (!File)
    return std::nullopt;
  auto Buffer = SM.getMemoryBufferForFileOrNone(*File);
  if (!Buffer)
    return std::nullopt;
  return Buffer->getBuffer().str();
}

} // namespace catt
