//===- Launches.cpp - Which shapes kernels are launched with -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/source/Launches.h"
#include "analysis/source/SymbolicWalk.h"
#include "analysis/source/WrapSites.h"
#include "analysis/source/safety/BrokenCode.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace catt {
namespace {

/// Constants of a dim3; an integer is its x.
Shape shapeOf(const Value &V) {
  Shape S;
  if (V.isInteger()) {
    S.X = V.Integer.constant();
    S.Y = S.Z = 1;
    return S;
  }
  auto Field = [&](const char *Name) -> std::optional<int64_t> {
    auto It = V.Fields.find(Name);
    if (It == V.Fields.end() || !It->second.isInteger())
      return std::nullopt;
    return It->second.Integer.constant();
  };
  S.X = Field("x");
  S.Y = Field("y");
  S.Z = Field("z");
  return S;
}

class HostWalk : public SymbolicWalk {
public:
  HostWalk(ASTContext &Context, LaunchMap &Found, BrokenCode &Broken)
      : SymbolicWalk(Context), Found(Found), Broken(Broken), Text(Context) {}

private:
  LaunchMap &Found;
  BrokenCode &Broken;
  SourceText Text;

  /// Only what can help to fold a shape: helpers of the user.
  bool entersCall(const FunctionDecl &F) const override {
    const FunctionDecl *Def = nullptr;
    return !Context.getSourceManager().isInSystemHeader(F.getLocation()) &&
           !F.hasAttr<CUDAGlobalAttr>() && F.hasBody(Def) &&
           !Broken.error(*Def);
  }

  std::optional<SourceSpan> statement() const {
    for (size_t I = Path.size(); I-- > 1;) {
      if (!Path[I].S || !Path[I - 1].S)
        return std::nullopt;
      if (!isa<CompoundStmt>(Path[I - 1].S))
        continue;
      std::optional<Refusal> Why;
      return Text.span(*Path[I].S, *Path[I].S, Why);
    }
    return std::nullopt;
  }

  /// The bytes of the third configuration argument, or the place for it.
  std::optional<SourceSpan> sharedArgument(const CallExpr &Config) const {
    if (Config.getNumArgs() < 3)
      return std::nullopt;
    const SourceManager &SM = Context.getSourceManager();
    const Expr *Shared = Config.getArg(2), *Block = Config.getArg(1);
    bool Absent = isa<CXXDefaultArgExpr>(Shared->IgnoreImplicit()) ||
                  isa<CXXDefaultArgExpr>(Shared);
    std::optional<Refusal> Why;
    auto Range = Lexer::makeFileCharRange(
        CharSourceRange::getTokenRange(
            (Absent ? Block : Shared)->getSourceRange()),
        SM, Context.getLangOpts());
    if (Range.isInvalid() || Range.getBegin().isMacroID())
      return std::nullopt;
    auto Entry = SM.getFileEntryRefForID(SM.getFileID(Range.getBegin()));
    if (!Entry)
      return std::nullopt;
    unsigned End = SM.getFileOffset(Range.getEnd());
    return SourceSpan{Entry->getFileEntry().tryGetRealPathName().str(),
                      Absent ? End : SM.getFileOffset(Range.getBegin()), End};
  }

  void note(const FunctionDecl *Kernel, Launch L) {
    if (!LoopStack.empty()) // values of iterations are not one value
      L.Text += " in a loop";
    std::vector<Launch> &All = Found[Kernel->getCanonicalDecl()];
    // A helper that is walked for each of its callers shows its launch again.
    for (const Launch &Old : All)
      if (Old.Where.Line == L.Where.Line &&
          Old.Where.Column == L.Where.Column &&
          Old.Where.File == L.Where.File && Old.Block.X == L.Block.X &&
          Old.Block.Y == L.Block.Y && Old.Block.Z == L.Block.Z &&
          Old.Grid.X == L.Grid.X && Old.Grid.Y == L.Grid.Y)
        return;
    All.push_back(std::move(L));
  }

  void onKernelCall(const CUDAKernelCallExpr &Call, const Value &Grid,
                    const Value &Block, const Value &Shared,
                    llvm::ArrayRef<Value> Arguments) override {
    const FunctionDecl *F = Call.getDirectCallee();
    if (!F)
      return;
    Launch L;
    L.Where = location(Call.getBeginLoc());
    L.Grid = shapeOf(Grid);
    L.Block = shapeOf(Block);
    if (Shared.isInteger())
      L.DynamicSharedBytes = Shared.Integer.constant();
    for (size_t I = 0; I < Arguments.size() && I < F->getNumParams(); ++I)
      if (Arguments[I].isInteger())
        if (auto C = Arguments[I].Integer.constant())
          L.Arguments[F->getParamDecl(I)->getNameAsString()] = *C;
    L.Callee = text(*Call.getCallee());
    L.SharedArgument = sharedArgument(*Call.getConfig());
    L.Statement = statement();
    std::string All = text(Call);
    size_t Open = All.find("<<<"), Close = All.find(">>>");
    if (Open != std::string::npos && Close != std::string::npos)
      L.Text = All.substr(Open, Close + 3 - Open);
    note(F, std::move(L));
  }

  void onCall(const CallExpr &Call, const FunctionDecl *F,
              llvm::ArrayRef<Value> Arguments) override {
    std::string Name = F->getNameAsString();
    bool Cooperative = Name == "cudaLaunchCooperativeKernel";
    if ((Name != "cudaLaunchKernel" && !Cooperative) || Call.getNumArgs() < 5 ||
        Arguments.size() < 5)
      return;
    const Expr *Callee = Call.getArg(0)->IgnoreParenCasts();
    if (auto *U = dyn_cast<UnaryOperator>(Callee);
        U && U->getOpcode() == UO_AddrOf)
      Callee = U->getSubExpr()->IgnoreParenCasts();
    auto *D = dyn_cast<DeclRefExpr>(Callee);
    auto *Kernel = D ? dyn_cast<FunctionDecl>(D->getDecl()) : nullptr;
    if (!Kernel)
      return;
    Launch L;
    L.Where = location(Call.getBeginLoc());
    L.Grid = shapeOf(Arguments[1]);
    L.Block = shapeOf(Arguments[2]);
    if (Arguments[4].isInteger())
      L.DynamicSharedBytes = Arguments[4].Integer.constant();
    L.Cooperative = Cooperative;
    L.Callee = text(*Callee);
    L.Statement = statement();
    L.Text = Name;
    note(Kernel, std::move(L));
  }
};

bool launchesSomething(const Stmt *S) {
  if (!S)
    return false;
  if (isa<CUDAKernelCallExpr>(S))
    return true;
  if (auto *C = dyn_cast<CallExpr>(S))
    if (const FunctionDecl *F = C->getDirectCallee();
        F && F->getDeclName().isIdentifier() &&
        F->getName().starts_with("cudaLaunch"))
      return true;
  return llvm::any_of(S->children(), launchesSomething);
}

/// Launches in a function that cannot be run: nothing but their places.
void noteUnknown(const Stmt *S, const SourceText &Text, LaunchMap &Found) {
  if (!S)
    return;
  if (auto *Call = dyn_cast<CUDAKernelCallExpr>(S))
    if (const FunctionDecl *F = Call->getDirectCallee()) {
      Launch L;
      L.Where = Text.location(Call->getBeginLoc());
      L.Text = "<<<...>>> in a function that has errors";
      Found[F->getCanonicalDecl()].push_back(std::move(L));
    }
  for (const Stmt *Child : S->children())
    noteUnknown(Child, Text, Found);
}

} // namespace

LaunchMap findLaunches(ASTContext &Context,
                       llvm::ArrayRef<const FunctionDecl *> Functions,
                       BrokenCode &Broken) {
  LaunchMap Found;
  for (const FunctionDecl *F : Functions) {
    if (F->isDependentContext() || !launchesSomething(F->getBody()))
      continue;
    if (Broken.error(*F)) {
      noteUnknown(F->getBody(), SourceText(Context), Found);
      continue;
    }
    HostWalk Walk(Context, Found, Broken);
    Walk.run(*F);
  }
  return Found;
}

} // namespace catt
