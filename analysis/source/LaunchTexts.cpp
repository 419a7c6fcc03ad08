//===- LaunchTexts.cpp - What a launch looks like in the text -------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/LaunchTexts.h"
#include "clang/AST/Attr.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;
using llvm::StringRef;

namespace catt {

//===-- The walk over what is written -------------------------------------===//

namespace {
class Survey : public RecursiveASTVisitor<Survey> {
public:
  explicit Survey(llvm::DenseMap<SourceLocation, LaunchTexts::Pattern> &Out)
      : Out(Out) {}

  bool TraverseDecl(Decl *D) {
    auto *Context = dyn_cast_or_null<DeclContext>(D);
    if (Context)
      Around.push_back(Context);
    bool GoOn = RecursiveASTVisitor::TraverseDecl(D);
    if (Context)
      Around.pop_back();
    return GoOn;
  }

  bool TraverseLambdaExpr(LambdaExpr *E) {
    Around.push_back(E->getCallOperator());
    bool GoOn = RecursiveASTVisitor::TraverseLambdaExpr(E);
    Around.pop_back();
    return GoOn;
  }

  /// Comes before what the statement holds.
  bool VisitStmt(Stmt *S) {
    if (isa<CompoundStmt>(S))
      for (const Stmt *Each : S->children())
        noteStatement(Each);
    else if (auto *If = dyn_cast<IfStmt>(S))
      noteStatement(If->getThen()), noteStatement(If->getElse());
    else if (auto *For = dyn_cast<ForStmt>(S))
      noteStatement(For->getBody());
    else if (auto *Each = dyn_cast<CXXForRangeStmt>(S))
      noteStatement(Each->getBody());
    else if (auto *While = dyn_cast<WhileStmt>(S))
      noteStatement(While->getBody());
    else if (auto *Do = dyn_cast<DoStmt>(S))
      noteStatement(Do->getBody());
    else if (auto *Case = dyn_cast<SwitchCase>(S))
      noteStatement(Case->getSubStmt());
    else if (auto *Label = dyn_cast<LabelStmt>(S))
      noteStatement(Label->getSubStmt());
    return true;
  }

  bool VisitCUDAKernelCallExpr(CUDAKernelCallExpr *E) {
    const CallExpr *Config = E->getConfig();
    if (!Config || Around.empty())
      return true;
    LaunchTexts::Pattern P;
    P.Around = Around.back();
    P.Shared = llvm::any_of(
        Around, [](DeclContext *D) { return D->isDependentContext(); });
    P.InDevice = llvm::any_of(Around, isForDevice);
    P.Alone = Statements.contains(E);
    noteCallee(E->getCallee()->IgnoreParenImpCasts(), P);
    Out[Config->getBeginLoc()] = P;
    return true;
  }

private:
  /// Lambdas are for host and device unless an attribute says otherwise.
  static bool isForDevice(const DeclContext *D) {
    auto *F = dyn_cast<FunctionDecl>(D);
    return F && llvm::any_of(F->attrs(), [](const Attr *A) {
             return isa<CUDADeviceAttr, CUDAGlobalAttr>(A) && !A->isImplicit();
           });
  }

  void noteStatement(const Stmt *S) {
    if (auto *E = dyn_cast_or_null<Expr>(S))
      Statements.insert(E->IgnoreImplicit());
  }

  static void noteCallee(const Expr *E, LaunchTexts::Pattern &P) {
    if (auto *R = dyn_cast<DeclRefExpr>(E)) {
      P.IsFunction = isa<FunctionDecl>(R->getDecl());
      P.Overloaded = R->hadMultipleCandidates();
      P.Qualified = bool(R->getQualifier());
      P.Arguments = R->getNumTemplateArgs();
    } else if (auto *U = dyn_cast<UnresolvedLookupExpr>(E)) {
      P.IsFunction = true;
      P.Overloaded = U->getNumDecls() != 1;
      P.Qualified = bool(U->getQualifier());
      P.Arguments = U->getNumTemplateArgs();
    }
  }

  llvm::DenseMap<SourceLocation, LaunchTexts::Pattern> &Out;
  std::vector<DeclContext *> Around;
  llvm::DenseSet<const Expr *> Statements; ///< that are nothing else
};
} // namespace

LaunchTexts::LaunchTexts(ASTContext &Context) : Context(Context) {
  Survey(Patterns).TraverseAST(Context);
  const SourceManager &SM = Context.getSourceManager();
  for (const Decl *D : Context.getTraversalScope()) {
    auto [File, Offset] = SM.getDecomposedExpansionLoc(D->getBeginLoc());
    if (File.isValid() && !D->isImplicit())
      Tops[File].push_back(Offset);
  }
  for (auto &[File, Offsets] : Tops)
    llvm::sort(Offsets);
}

//===-- One launch --------------------------------------------------------===//

/// The text of an expression that begins and ends where a macro does, if one
/// has a part in it, and holds no comment or directive that ends with its line.
static std::string wholeText(const ASTContext &Context, const Expr &E) {
  StringRef Text =
      Lexer::getSourceText(CharSourceRange::getTokenRange(E.getSourceRange()),
                           Context.getSourceManager(), Context.getLangOpts());
  return Text.contains("//") || Text.contains('#') ? "" : Text.str();
}

/// Where that text stands.
static SourceSpan wholeSpan(const ASTContext &Context, const Expr &E,
                            const std::string &File) {
  const SourceManager &SM = Context.getSourceManager();
  const CharSourceRange Range = Lexer::makeFileCharRange(
      CharSourceRange::getTokenRange(E.getSourceRange()), SM,
      Context.getLangOpts());
  if (Range.isInvalid())
    return {};
  return {File, SM.getFileOffset(Range.getBegin()),
          SM.getFileOffset(Range.getEnd())};
}

/// Likewise, where no macro says how it begins or ends.
static std::string plainText(const ASTContext &Context, const Expr &E) {
  return E.getBeginLoc().isMacroID() || E.getEndLoc().isMacroID()
             ? ""
             : wholeText(Context, E);
}

/// From where the span begins to behind the semicolon that ends the call; an
/// empty span if a macro has it.
static SourceSpan throughSemicolon(const ASTContext &Context,
                                   const CallExpr &Call, SourceSpan Span) {
  const SourceManager &SM = Context.getSourceManager();
  const SourceLocation End = Call.getRParenLoc();
  if (End.isMacroID())
    return {};
  auto Next = Lexer::findNextToken(End, SM, Context.getLangOpts());
  if (!Next || Next->isNot(tok::semi))
    return {};
  Span.End = SM.getFileOffset(Next->getEndLoc());
  return Span;
}

/// The text is the same function for each thread of the host: no call is made.
bool isPlain(const Expr *E) {
  E = E->IgnoreParens();
  if (E->getType().isVolatileQualified())
    return false;
  auto All = [](auto &&Range) {
    return llvm::all_of(Range, [](const Stmt *S) {
      auto *Inner = dyn_cast_or_null<Expr>(S);
      return Inner && isPlain(Inner);
    });
  };
  if (isa<IntegerLiteral, FloatingLiteral, CXXBoolLiteralExpr, CharacterLiteral,
          CXXNullPtrLiteralExpr, GNUNullExpr, CXXThisExpr, CXXDefaultArgExpr,
          UnaryExprOrTypeTraitExpr>(E))
    return true;
  if (auto *R = dyn_cast<DeclRefExpr>(E))
    return isa<VarDecl, EnumConstantDecl, NonTypeTemplateParmDecl>(
        R->getDecl());
  if (auto *C = dyn_cast<CXXConstructExpr>(E)) {
    const CXXRecordDecl *Class = C->getConstructor()->getParent();
    return (Class->getName() == "dim3" || Class->getName() == "uint3") &&
           All(C->arguments());
  }
  if (auto *C = dyn_cast<CastExpr>(E))
    return C->getCastKind() != CK_UserDefinedConversion && All(E->children());
  if (auto *U = dyn_cast<UnaryOperator>(E))
    return !U->isIncrementDecrementOp() && U->getOpcode() != UO_Deref &&
           All(E->children());
  if (auto *B = dyn_cast<BinaryOperator>(E))
    return !B->isAssignmentOp() && All(E->children());
  if (auto *M = dyn_cast<MemberExpr>(E))
    return isa<FieldDecl>(M->getMemberDecl()) && All(E->children());
  return isa<ArraySubscriptExpr, ConditionalOperator, MaterializeTemporaryExpr,
             ExprWithCleanups, SubstNonTypeTemplateParmExpr, ConstantExpr,
             CXXBindTemporaryExpr>(E) &&
         All(E->children());
}

/// `Matrix{A, rows, width}`: what its integers are.
static void addPlainFields(const ParmVarDecl &P, const InitListExpr &List,
                           const ASTContext &Context,
                           std::map<std::string, std::string> &Out) {
  const auto *Record = P.getType()->getAsCXXRecordDecl();
  if (!Record || Record->isUnion() || Record->getNumBases() ||
      !Context.hasSameUnqualifiedType(List.getType(), P.getType()))
    return;
  for (const FieldDecl *F : Record->fields()) {
    const unsigned I = F->getFieldIndex();
    if (I >= List.getNumInits() || !F->getType()->isIntegerType() ||
        !isPlain(List.getInit(I)))
      continue;
    if (std::string Text = wholeText(Context, *List.getInit(I)); !Text.empty())
      Out[P.getNameAsString() + "." + F->getNameAsString()] = Text;
  }
}

/// An integer, or the integers of an object: "A.width" of a variable that is
/// copied, "m" of one that is made of it.
static void addPlainArgument(const ParmVarDecl &P, const Expr &Argument,
                             const ASTContext &Context,
                             std::map<std::string, std::string> &Out) {
  if (P.getType()->isIntegerType()) {
    if (std::string Text = wholeText(Context, Argument);
        isPlain(&Argument) && !Text.empty())
      Out[P.getNameAsString()] = Text;
    return;
  }
  const Expr *Made = Argument.IgnoreImplicit();
  if (auto *Cast = dyn_cast<CXXFunctionalCastExpr>(Made))
    Made = Cast->getSubExpr()->IgnoreImplicit();
  if (auto *List = dyn_cast<InitListExpr>(Made))
    return addPlainFields(P, *List, Context, Out);
  auto *Copy = dyn_cast<CXXConstructExpr>(Made);
  const RecordDecl *Record = P.getType()->getAsRecordDecl();
  if (!Record || !Copy || Copy->getNumArgs() != 1 ||
      !Copy->getConstructor()->isCopyOrMoveConstructor())
    return;
  const Expr *Of = Copy->getArg(0)->IgnoreParenImpCasts();
  const std::string Name = wholeText(Context, *Of);
  if (!isa<DeclRefExpr>(Of) || !isPlain(Of) || Name.empty())
    return;
  for (const FieldDecl *F : Record->fields())
    if (F->getType()->isIntegerType() && F->getAccess() == AS_public)
      Out[P.getNameAsString() + "." + F->getNameAsString()] =
          Name + "." + F->getNameAsString();
}

/// What a launch may change is no part of it: variables that no kernel can
/// reach, numbers, and objects made of such. Read again after a launch it is
/// the same. (Memory behind pointers may be managed.)
static bool isSteady(const Expr &Of) {
  const Expr *E = Of.IgnoreParens();
  auto All = [](auto &&Parts) {
    return llvm::all_of(Parts, [](const Stmt *S) {
      auto *Part = dyn_cast_or_null<Expr>(S);
      return Part && isSteady(*Part);
    });
  };
  if (auto *R = dyn_cast<DeclRefExpr>(E)) {
    auto *V = dyn_cast<VarDecl>(R->getDecl());
    return V ? !V->getType()->isReferenceType() &&
                   !V->getType().isVolatileQualified() &&
                   !V->hasAttr<CUDADeviceAttr>() &&
                   !V->hasAttr<HIPManagedAttr>()
             : isa<EnumConstantDecl, NonTypeTemplateParmDecl>(R->getDecl());
  }
  if (auto *M = dyn_cast<MemberExpr>(E))
    return !M->isArrow() && isa<FieldDecl>(M->getMemberDecl()) &&
           All(E->children());
  if (auto *A = dyn_cast<ArraySubscriptExpr>(E))
    return A->getBase()->IgnoreParenImpCasts()->getType()->isArrayType() &&
           All(E->children());
  if (auto *C = dyn_cast<CXXConstructExpr>(E))
    return (C->getConstructor()->isTrivial() || isPlain(E)) &&
           All(C->arguments());
  if (isa<CXXThisExpr>(E))
    return false;
  if (auto *D = dyn_cast<CXXDefaultArgExpr>(E))
    return isSteady(*D->getExpr());
  if (isa<InitListExpr, MaterializeTemporaryExpr, ExprWithCleanups,
          ConstantExpr, CXXBindTemporaryExpr, ConditionalOperator,
          UnaryOperator, BinaryOperator, CastExpr>(E)) {
    auto *U = dyn_cast<UnaryOperator>(E);
    auto *B = dyn_cast<BinaryOperator>(E);
    auto *C = dyn_cast<CastExpr>(E);
    return !(U &&
             (U->isIncrementDecrementOp() || U->getOpcode() == UO_Deref)) &&
           !(B && B->isAssignmentOp()) &&
           !(C && C->getCastKind() == CK_UserDefinedConversion) &&
           All(E->children());
  }
  return isPlain(E);
}

/// All arguments that are written, each on one line.
static void addArguments(const ASTContext &Context,
                         const CUDAKernelCallExpr &Call, LaunchText &Out) {
  Out.OnlyOnce = againstRunningAgain(Context, Call);
  for (const Expr *Argument : Call.arguments()) {
    if (!Out.OnlyOnce.empty() || isa<CXXDefaultArgExpr>(Argument))
      continue;
    std::string Text = wholeText(Context, *Argument);
    if (Text.empty())
      Out.OnlyOnce = "a macro or a comment cuts through an argument";
    llvm::replace(Text, '\n', ' ');
    llvm::replace(Text, '\r', ' ');
    Out.AllArguments.push_back(std::move(Text));
  }
  if (!Out.OnlyOnce.empty())
    Out.AllArguments.clear();
}

std::optional<LaunchText> LaunchTexts::of(const CUDAKernelCallExpr &Call,
                                          const FunctionDecl &Kernel) const {
  const CallExpr *Config = Call.getConfig();
  const SourceManager &SM = Context.getSourceManager();
  SourceLocation Begin = Config->getBeginLoc(), End = Config->getRParenLoc();
  auto Entry = SM.getFileEntryRefForID(SM.getFileID(SM.getExpansionLoc(Begin)));
  if (!Entry)
    return std::nullopt;
  LaunchText Out;
  Out.Config.File = Entry->getFileEntry().tryGetRealPathName().str();
  auto [File, Open] = SM.getDecomposedExpansionLoc(Begin);
  auto [Last, Close] = SM.getDecomposedExpansionLoc(End);
  StringRef Text = SM.getBufferData(File);
  if (Begin.isMacroID() || End.isMacroID() || File != Last ||
      !Text.substr(Open).starts_with("<<<") ||
      !Text.substr(Close).starts_with(">>>")) {
    Out.Obstacle = "a launch that a macro writes";
    return Out;
  }
  Out.Config.Begin = Open;
  Out.Config.End = Close + 3;
  auto Found = Patterns.find(Begin);
  auto Above = Tops.find(File);
  if (Found == Patterns.end() || Above == Tops.end()) {
    Out.Obstacle = "a launch in a text that is part of something else";
    return Out;
  }
  constexpr size_t MostTops = 16;
  for (auto I = llvm::upper_bound(Above->second, Open);
       I != Above->second.begin() && Out.Tops.size() < MostTops;)
    Out.Tops.push_back(*--I);
  if (Found->second.InDevice)
    Out.Obstacle = "a launch in device code";
  else if (isa<ConditionalOperator>(Call.getCallee()->IgnoreParenImpCasts()))
    Out.Obstacle = "a launch that chooses its kernel";
  else if (std::string Unknown = unknownCall(Context, Call); !Unknown.empty())
    Out.Obstacle = "calls " + Unknown;
  else
    Out.Kernel = kernelExpression(Context, Found->second,
                                  plainText(Context, *Call.getCallee()), Kernel,
                                  Out.Obstacle);
  if (const Expr &Callee = *Call.getCallee();
      !Callee.getBeginLoc().isMacroID() && !Callee.getEndLoc().isMacroID())
    Out.Callee = {Out.Config.File, SM.getFileOffset(Callee.getBeginLoc()),
                  SM.getFileOffset(Lexer::getLocForEndOfToken(
                      Callee.getEndLoc(), 0, SM, Context.getLangOpts()))};
  if (Found->second.Alone && !Out.Callee.File.empty())
    Out.Alone = throughSemicolon(Context, Call, Out.Callee);
  auto Plain = [&](unsigned I) {
    return I < Config->getNumArgs() && isPlain(Config->getArg(I))
               ? wholeText(Context, *Config->getArg(I))
               : "";
  };
  Out.PlainGrid = Plain(0);
  Out.PlainBlock = Plain(1);
  /// Likewise, or empty where it is not given.
  auto PlainOrNone = [&](unsigned I) -> std::optional<std::string> {
    if (Config->getNumArgs() <= I || isa<CXXDefaultArgExpr>(Config->getArg(I)))
      return "";
    std::string Text = Plain(I);
    return Text.empty() ? std::nullopt : std::optional(std::move(Text));
  };
  Out.PlainShared = PlainOrNone(2);
  Out.PlainStream = PlainOrNone(3);
  if (!Out.PlainGrid.empty())
    Out.Grid = wholeSpan(Context, *Config->getArg(0), Out.Config.File);
  Out.IsSteady = llvm::all_of(
      llvm::concat<const Expr *const>(
          llvm::ArrayRef(Call.getArgs(), Call.getNumArgs()),
          llvm::ArrayRef(Config->getArgs(), Config->getNumArgs()).drop_front()),
      [](const Expr *A) { return isSteady(*A); });
  const FunctionDecl *Definition = Kernel.getDefinition();
  const FunctionDecl &Named = Definition ? *Definition : Kernel;
  for (unsigned I = 0; I < Call.getNumArgs() && I < Named.getNumParams(); ++I)
    addPlainArgument(*Named.getParamDecl(I), *Call.getArg(I), Context,
                     Out.PlainArguments);
  addArguments(Context, Call, Out);
  return Out;
}

} // namespace catt
