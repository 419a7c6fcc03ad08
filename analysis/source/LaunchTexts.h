//===- LaunchTexts.h - What a launch looks like in the text -----*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   template <class T> void go(const T *p, int n) {
//     rows<T><<<n, 256>>>(p);      Kernel "rows<T>": right for each T
//     cells<<<n, 256>>>(p);        Obstacle: T is deduced, and differs
//   }
//
// One walk over the declarations as they are written (a template once, not its
// instantiations) notes each launch; an instantiation of it is then told what
// was noted, and how the kernel is named so that no other is meant.
//
// The kernel is named as the launch spells it where that is exact without the
// launch's arguments, by its qualified name and all template arguments where
// they were deduced or where only the arguments selected it, by a cast where
// it is overloaded. Everything else is refused in words: calls of functions
// that are not known to leave the current device alone, macros, device code,
// kernels that are variables, types without a name.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_LAUNCHTEXTS_H
#define CATT_ANALYSIS_SOURCE_LAUNCHTEXTS_H

#include "analysis/model/Kernel.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/DenseMap.h"

namespace catt {

class LaunchTexts {
public:
  explicit LaunchTexts(clang::ASTContext &Context);

  /// std::nullopt if the launch has no text in a file.
  std::optional<LaunchText> of(const clang::CUDAKernelCallExpr &Call,
                               const clang::FunctionDecl &Kernel) const;

  /// What was noted where a launch is written.
  struct Pattern {
    const clang::DeclContext *Around = nullptr;
    bool Shared = false;     ///< by several instantiations
    bool InDevice = false;   ///< in a function for the device
    bool Overloaded = false; ///< the name stands for several functions
    bool IsFunction = false; ///< a name of functions, not of a variable
    bool Qualified = false;  ///< "ns::rows"
    bool Alone = false;      ///< a statement of its own
    unsigned Arguments = 0;  ///< template arguments that are written
  };

private:
  const clang::ASTContext &Context;
  llvm::DenseMap<clang::SourceLocation, Pattern> Patterns; ///< by "<<<"
  /// By file, where its declarations at file scope begin, ascending.
  llvm::DenseMap<clang::FileID, std::vector<unsigned>> Tops;
};

/// An expression that names exactly the kernel at a launch. Empty, with the
/// reason in Obstacle, if there is none.
std::string kernelExpression(const clang::ASTContext &Context,
                             const LaunchTexts::Pattern &At,
                             llvm::StringRef Callee,
                             const clang::FunctionDecl &Kernel,
                             std::string &Obstacle);

/// A call among the launch's other arguments that is not known to leave the
/// current device and the kernel's attributes alone: "next(), whose body is not
/// in sight". Empty if there is none.
std::string unknownCall(const clang::ASTContext &Context,
                        const clang::CUDAKernelCallExpr &Launch);

/// Why a launch statement that is run twice may do something else than once, or
/// its arguments are no values that other text can hold; or empty.
std::string againstRunningAgain(const clang::ASTContext &Context,
                                const clang::CUDAKernelCallExpr &Launch);

/// Whether the expression is built from names, numbers and operators alone, so
/// that reading it twice does what once does.
bool isPlain(const clang::Expr *E);

} // namespace catt

#endif
