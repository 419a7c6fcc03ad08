//===- ProgramLaunches.cpp - Launches for other units ---------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/ProgramLaunches.h"
#include "analysis/source/Launches.h"
#include "analysis/source/UserFunctions.h"
#include "analysis/source/safety/BrokenCode.h"
#include "analysis/source/safety/WrapSites.h"
#include "clang/AST/Attr.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace clang;

namespace catt {
namespace {

/// Names of kernels, in the order of the text.
class KernelNames : public RecursiveASTVisitor<KernelNames> {
  using Base = RecursiveASTVisitor<KernelNames>;

public:
  llvm::SetVector<const DeclRefExpr *> Seen;

  bool shouldVisitTemplateInstantiations() const { return true; }
  bool TraverseDecl(Decl *D) {
    auto *C = dyn_cast_or_null<DeclContext>(D);
    return (C && C->isDependentContext()) || Base::TraverseDecl(D);
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    if (E->getDecl()->hasAttr<CUDAGlobalAttr>())
      Seen.insert(E);
    return true;
  }
};

/// What is not in the body of a function of the host: a table of kernels, a
/// default argument, a launch by the device.
std::vector<const DeclRefExpr *> namedOutside(const UserFunctions &Functions,
                                              ASTContext &Context) {
  KernelNames All, Bodies;
  for (Decl *D : Context.getTraversalScope())
    All.TraverseDecl(D);
  for (const FunctionDecl *F : Functions.Hosts)
    Bodies.TraverseStmt(F->getBody());
  std::vector<const DeclRefExpr *> Out;
  llvm::copy_if(All.Seen, std::back_inserter(Out),
                [&](const DeclRefExpr *E) { return !Bodies.Seen.contains(E); });
  return Out;
}

/// Of a unit that only declares the kernel, arguments come by number.
std::map<std::string, int64_t>
byName(const std::map<std::string, int64_t> &Arguments, const Kernel &K) {
  std::map<std::string, int64_t> Out;
  for (const auto &[Name, Value] : Arguments) {
    unsigned Number = 0;
    if (llvm::StringRef(Name).getAsInteger(10, Number))
      Out[Name] = Value;
    else if (Number < K.Parameters.size())
      Out[K.Parameters[Number].Name] = Value;
  }
  return Out;
}

bool isSame(const Launch &A, const Launch &B) {
  auto Extents = [](const Shape &S) { return std::tie(S.X, S.Y, S.Z); };
  return A.Where == B.Where && Extents(A.Block) == Extents(B.Block) &&
         Extents(A.Grid) == Extents(B.Grid);
}

} // namespace

UnitKernels kernelsOf(const TranslationUnit &Unit) {
  ASTContext &Context = Unit.ast();
  const UserFunctions Functions = userFunctions(Context);
  BrokenCode Broken(Context, Unit.diagnostics());
  UnitKernels Out;
  for (auto &[Kernel, Launches] :
       findLaunches(Context, Functions.Hosts, Broken))
    if (std::string Symbol = symbolOf(*Kernel); !Symbol.empty())
      llvm::append_range(Out.Launches[Symbol], Launches);
  const SourceText Text(Context);
  for (const DeclRefExpr *E : namedOutside(Functions, Context)) {
    const std::string Symbol = symbolOf(*cast<FunctionDecl>(E->getDecl()));
    if (Symbol.empty())
      continue;
    Launch Unknown;
    Unknown.Where = Text.location(E->getBeginLoc());
    Unknown.Text = "'" + E->getNameInfo().getAsString() +
                   "', which is named where nothing is launched,";
    Out.Launches[Symbol].push_back(std::move(Unknown));
  }
  for (const FunctionDecl *F : Functions.Kernels)
    if (std::string Symbol = symbolOf(*F); !Symbol.empty())
      Out.Defined[Symbol] = Text.location(F->getLocation());
  return Out;
}

void addLaunches(const Program &From, Kernel &K) {
  if (K.Symbol.empty())
    return;
  K.AllLaunchesVisible |= From.IsWhole;
  if (auto At = From.NamedIn.find(K.UnqualifiedName);
      At != From.NamedIn.end()) {
    Launch Unknown;
    Unknown.Where = At->second;
    Unknown.Text = "'" + At->first + "', which C++ may launch,";
    Unknown.IsElsewhere = true;
    K.Launches.push_back(std::move(Unknown));
  }
  auto Known = From.Launches.find(K.Symbol);
  if (Known == From.Launches.end())
    return;
  for (Launch L : Known->second) {
    if (llvm::any_of(K.Launches,
                     [&](const Launch &Own) { return isSame(Own, L); }))
      continue;
    L.IsElsewhere = true;
    L.SharedArgument.reset();
    L.Statement.reset();
    L.Written.reset();
    L.Arguments = byName(L.Arguments, K);
    if (L.Cooperative)
      K.Refusals.push_back({Reason::CooperativeLaunch, L.Where, ""});
    K.Launches.push_back(std::move(L));
  }
}

} // namespace catt
