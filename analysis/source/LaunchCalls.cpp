//===- LaunchCalls.cpp - What a launch's arguments call -------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   k<<<grid(n), 256>>>(v.data());        harmless
//   k<<<(use(1), n), 256>>>(p);           use() may select another device
//
// Arguments of one launch are evaluated in any order, and the kernel's own
// after all others, so what a call among them does to the current device may
// happen before or after an attribute is set for it. Harmless are functions
// whose body is in sight and calls nothing but such, the standard library's and
// thrust's unless they are told functions, the compiler's builtins, CUDA's own
// that only compute (min), and the functions of its runtime that are listed.
//
// Limits: a virtual function, a call through a pointer and one whose body is
// not in sight are not harmless, nor are those after the first 256.
//
//===----------------------------------------------------------------------===//
#include "analysis/source/LaunchTexts.h"
#include "analysis/source/safety/KnownFunctions.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;
using llvm::StringRef;

namespace catt {

/// Functions of the runtime that select no device and set no attribute.
static bool isHarmlessRuntime(StringRef Name) {
  return llvm::StringSwitch<bool>(Name)
      .Cases({"cudaGetDevice", "cudaGetDeviceCount", "cudaGetDeviceProperties"},
             true)
      .Cases({"cudaDeviceGetAttribute", "cudaGetLastError",
              "cudaPeekAtLastError", "cudaGetErrorString", "cudaGetErrorName"},
             true)
      .Cases({"cudaFuncGetAttributes",
              "cudaOccupancyMaxActiveBlocksPerMultiprocessor",
              "cudaOccupancyMaxPotentialBlockSize", "cudaStreamCreate",
              "cudaStreamCreateWithFlags", "cudaStreamSynchronize",
              "cudaDeviceSynchronize"},
             true)
      .Cases({"cudaMalloc", "cudaFree", "cudaMemcpy", "cudaMemcpyAsync",
              "cudaMemset", "cudaMemsetAsync", "cudaMallocManaged"},
             true)
      .Default(false);
}

namespace {
/// Looks for a call that is not known to be harmless.
class Calls : public RecursiveASTVisitor<Calls> {
public:
  explicit Calls(const ASTContext &Context) : Context(Context) {}
  std::string Unknown;

  bool VisitCallExpr(CallExpr *E) {
    if (isa<CUDAKernelCallExpr>(E))
      return true;
    const FunctionDecl *F = E->getDirectCallee();
    if (!F)
      return stop("a function through a pointer");
    auto *M = dyn_cast<CXXMethodDecl>(F);
    if (M && M->isVirtual())
      return stop(nameOf(*F) + ", which is virtual");
    return enter(*F, E->arguments());
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *E) {
    return enter(*E->getConstructor(), E->arguments());
  }
  bool VisitCXXDefaultArgExpr(CXXDefaultArgExpr *E) {
    return TraverseStmt(E->getExpr());
  }
  /// A lambda that is only made is not called.
  bool TraverseLambdaExpr(LambdaExpr *) { return true; }

private:
  static std::string nameOf(const FunctionDecl &F) {
    return F.getQualifiedNameAsString() + "()";
  }
  bool stop(std::string What) {
    Unknown = std::move(What);
    return false;
  }

  /// Whether the function is told another one that it may call.
  template <class Range> static bool takesFunctions(Range &&Arguments) {
    return llvm::any_of(Arguments, [](const Expr *A) {
      QualType T = A->getType();
      const CXXRecordDecl *Class = T->getAsCXXRecordDecl();
      return (Class && Class->isLambda()) || T->isFunctionPointerType() ||
             T->isFunctionType();
    });
  }

  bool isLibrary(const FunctionDecl &F) const {
    if (!Context.getSourceManager().isInSystemHeader(F.getLocation()))
      return false;
    const DeclContext *Outermost = nullptr;
    for (const DeclContext *D = F.getDeclContext(); !D->isTranslationUnit();
         D = D->getParent())
      Outermost = D;
    auto *N = dyn_cast_or_null<NamespaceDecl>(Outermost);
    return N && (N->getName() == "std" || N->getName() == "thrust");
  }

  template <class Range> bool enter(const FunctionDecl &F, Range &&Arguments) {
    if (F.getBuiltinID() || F.isTrivial() ||
        knownFunction(F) == Known::Computes ||
        (F.getDeclName().isIdentifier() && isHarmlessRuntime(F.getName())))
      return true;
    if (isLibrary(F) && F.getOverloadedOperator() != OO_Call &&
        !takesFunctions(Arguments))
      return true;
    const FunctionDecl *Body = nullptr;
    if (!F.hasBody(Body))
      return stop(nameOf(F) + ", whose body is not in sight and which may "
                              "select another device");
    if (!Seen.insert(Body->getCanonicalDecl()).second)
      return true;
    if (Seen.size() > MostFunctions)
      return stop(nameOf(F) + ", behind too many others");
    if (auto *C = dyn_cast<CXXConstructorDecl>(Body))
      for (const CXXCtorInitializer *I : C->inits())
        if (!TraverseStmt(I->getInit()))
          return false;
    return TraverseStmt(Body->getBody());
  }

  static constexpr size_t MostFunctions = 256;
  const ASTContext &Context;
  llvm::SmallPtrSet<const FunctionDecl *, 16> Seen;
};
} // namespace

std::string unknownCall(const ASTContext &Context,
                        const CUDAKernelCallExpr &Launch) {
  Calls Visitor(Context);
  const CallExpr *Config = Launch.getConfig();
  for (unsigned I = 0; I < Config->getNumArgs(); ++I)
    if (I != 2 && // evaluated before what is done with it
        !Visitor.TraverseStmt(const_cast<Expr *>(Config->getArg(I))))
      return Visitor.Unknown;
  for (const Expr *A : Launch.arguments())
    if (!Visitor.TraverseStmt(const_cast<Expr *>(A)))
      return Visitor.Unknown;
  return "";
}

} // namespace catt
