//===- Launches.cpp - Which shapes kernels are launched with -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/source/Launches.h"
#include "analysis/source/LaunchTexts.h"
#include "analysis/source/safety/BrokenCode.h"
#include "analysis/source/safety/LaunchUses.h"
#include "analysis/source/safety/WrapSites.h"
#include "analysis/source/walk/SymbolicWalk.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Basic/SourceManager.h"
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

/// What the walks over the host functions of a file share.
struct HostCode {
  ASTContext &Context;
  LaunchMap &Found;
  LaunchTexts Texts;
  BrokenCode &Broken;
  /// Statements and expressions that may still be walked.
  uint64_t Steps = 20'000'000;
};

class HostWalk : public SymbolicWalk {
public:
  explicit HostWalk(HostCode &All)
      : SymbolicWalk(All.Context), All(All), Text(All.Context) {}

  /// Walks one more function; nothing is known of what is around it.
  void runAlone(const FunctionDecl &F) {
    if (All.Broken.error(F)) {
      GaveUp = true;
      Why = " in a function that has errors";
      return;
    }
    uint64_t Given = StepsLeft = std::min(All.Steps, StepsLeft);
    run(F);
    All.Steps -= Given - StepsLeft;
    GaveUp |= StepsLeft == 0;
  }
  bool sawLaunch(const CallExpr *C) const { return Seen.contains(C); }
  /// What another walk saw, and whether it gave up.
  void join(const HostWalk &Other) {
    Seen.insert(Other.Seen.begin(), Other.Seen.end());
    GaveUp |= Other.GaveUp;
  }
  /// A launch that no walk reached, or another use of a kernel.
  void noteUnknown(const FunctionDecl *Kernel, const Expr &Where) {
    Launch L;
    L.Where = location(Where.getBeginLoc());
    L.Text = text(Where);
    auto *C = dyn_cast<CallExpr>(&Where);
    const FunctionDecl *F = C ? C->getDirectCallee() : nullptr;
    L.Cooperative = F && F->getNameAsString() == "cudaLaunchCooperativeKernel";
    if (auto *K = dyn_cast<CUDAKernelCallExpr>(&Where)) {
      L.Callee = text(*K->getCallee());
      L.Text = configuration(*K);
    }
    if (GaveUp)
      L.Text += Why;
    note(Kernel, std::move(L));
  }
  /// The walk did not go everywhere.
  bool GaveUp = false;
  std::string Why = ", to which too many calls lead,";
  /// Lambdas with calls that were not walked into.
  std::vector<const FunctionDecl *> NotEntered;

private:
  HostCode &All;
  SourceText Text;
  llvm::DenseSet<const CallExpr *> Seen;

  void onTooManyCalls(const CallExpr &) override { GaveUp = true; }
  void onTooManySteps(const Stmt &) override { GaveUp = true; }

  /// "<<<grid, 256>>>"
  std::string configuration(const CUDAKernelCallExpr &Call) const {
    std::string Whole = text(Call);
    size_t Open = Whole.find("<<<"), Close = Whole.find(">>>");
    if (Open == std::string::npos || Close == std::string::npos)
      return "";
    return Whole.substr(Open, Close + 3 - Open);
  }

  /// Only what can help to fold a shape: helpers of the user.
  bool entersCall(const FunctionDecl &F) const override {
    const FunctionDecl *Def = nullptr;
    return !Context.getSourceManager().isInSystemHeader(F.getLocation()) &&
           !F.hasAttr<CUDAGlobalAttr>() && F.hasBody(Def) &&
           !All.Broken.error(*Def);
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
    std::vector<Launch> &Known = All.Found[Kernel->getCanonicalDecl()];
    // A helper that is walked for each of its callers shows its launch again.
    for (const Launch &Old : Known)
      if (Old.Where == L.Where && Old.Block.X == L.Block.X &&
          Old.Block.Y == L.Block.Y && Old.Block.Z == L.Block.Z &&
          Old.Grid.X == L.Grid.X && Old.Grid.Y == L.Grid.Y)
        return;
    Known.push_back(std::move(L));
  }

  void onKernelCall(const CUDAKernelCallExpr &Call, const Value &Grid,
                    const Value &Block, const Value &Shared,
                    llvm::ArrayRef<Value> Arguments) override {
    for (const FunctionDecl *F : launchedKernels(Call)) {
      note(F, launchOf(Call, *F, Grid, Block, Shared, Arguments));
    }
    Seen.insert(&Call);
  }

  Launch launchOf(const CUDAKernelCallExpr &Call, const FunctionDecl &Kernel,
                  const Value &Grid, const Value &Block, const Value &Shared,
                  llvm::ArrayRef<Value> Arguments) const {
    // Another declaration may have other names of its parameters.
    const FunctionDecl *Definition = Kernel.getDefinition();
    const FunctionDecl &F = Definition ? *Definition : Kernel;
    Launch L;
    L.Where = location(Call.getBeginLoc());
    L.Grid = shapeOf(Grid);
    L.Block = shapeOf(Block);
    if (Shared.isInteger())
      L.DynamicSharedBytes = Shared.Integer.constant();
    for (size_t I = 0; I < Arguments.size() && I < F.getNumParams(); ++I)
      if (Arguments[I].isInteger())
        if (auto C = Arguments[I].Integer.constant())
          L.Arguments[Definition ? F.getParamDecl(I)->getNameAsString()
                                 : std::to_string(I)] = *C;
    L.Callee = text(*Call.getCallee());
    L.SharedArgument = sharedArgument(*Call.getConfig());
    L.Statement = statement();
    L.Written = All.Texts.of(Call, F);
    L.Text = configuration(Call);
    return L;
  }

  /// The kernel as a call of cudaLaunchKernel spells it.
  static const Expr *calleeOf(const CallExpr &Call) {
    const Expr *Callee = Call.getArg(0)->IgnoreParenCasts();
    auto *U = dyn_cast<UnaryOperator>(Callee);
    return U ? U->getSubExpr()->IgnoreParenCasts() : Callee;
  }

  void onCall(const CallExpr &Call, const FunctionDecl *F,
              llvm::ArrayRef<Value> Arguments) override {
    auto *Method = dyn_cast<CXXMethodDecl>(F);
    if (Method && Method->getParent()->isLambda() && Method->getBody())
      NotEntered.push_back(F);
    const auto Kernels = launchedKernels(Call);
    if (Kernels.empty() || Arguments.size() < 5)
      return;
    Launch L;
    L.Where = location(Call.getBeginLoc());
    L.Grid = shapeOf(Arguments[1]);
    L.Block = shapeOf(Arguments[2]);
    if (Arguments[4].isInteger())
      L.DynamicSharedBytes = Arguments[4].Integer.constant();
    L.Text = F->getNameAsString();
    L.Cooperative = L.Text == "cudaLaunchCooperativeKernel";
    L.Callee = text(*calleeOf(Call));
    L.Statement = statement();
    Seen.insert(&Call);
    note(Kernels.front(), std::move(L));
  }
};

void addLaunches(const FunctionDecl &F, HostCode &All) {
  LaunchUses Uses = findLaunchUses(F);
  HostWalk Walk(All);
  if (!Uses.Launches.empty()) {
    Walk.runAlone(F);
    llvm::append_range(Uses.CalledByOthers, Walk.NotEntered);
    for (const FunctionDecl *Inside : Uses.CalledByOthers) {
      HostWalk Alone(All);
      Alone.runAlone(*Inside);
      Walk.join(Alone);
    }
  }
  for (const CallExpr *C : Uses.Launches)
    if (Walk.GaveUp || !Walk.sawLaunch(C))
      for (const FunctionDecl *Kernel : launchedKernels(*C))
        Walk.noteUnknown(Kernel, *C);
  for (const LaunchUses::Other &O : Uses.Others)
    Walk.noteUnknown(O.Kernel, *O.Where);
}

} // namespace

LaunchMap findLaunches(ASTContext &Context,
                       llvm::ArrayRef<const FunctionDecl *> Functions,
                       BrokenCode &Broken) {
  LaunchMap Found;
  HostCode All{Context, Found, LaunchTexts(Context), Broken};
  for (const FunctionDecl *F : Functions)
    if (!F->isDependentContext())
      addLaunches(*F, All);
  return Found;
}

} // namespace catt
