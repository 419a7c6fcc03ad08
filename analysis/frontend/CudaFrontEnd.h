//===- CudaFrontEnd.h - CUDA C++ to a Clang AST -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   compile command --(NvccFlags)--> clang flags --(clang)--> TranslationUnit
//
// One parse, in the device view of one architecture: host code and its
// launches are parsed too, and errors in it do not hide the kernels. With a
// CUDA toolkit its headers are used; without one, a small set of declarations
// embedded in this library (frontend/builtin/) stands in for them.
//
// The file's preamble (everything before its first own declaration, forced
// headers included) is compiled once and kept, so that `check` costs only the
// file's own text. See ClangSession.h for what that costs and gains.
//
// The AST's traversal scope holds the declarations outside system headers, in
// the order of the text: walk it with RecursiveASTVisitor::TraverseAST or
// ASTContext::getTraversalScope(), not from the TranslationUnitDecl, which
// would read all of CUDA's headers back. Bodies of functions in system headers
// are not parsed, except constexpr ones, and those of device functions where a
// kernel reaches one that is not known by name: then the file is parsed twice.
//
// Limits: warnings are not collected. Errors that nvcc does not share are
// warnings (a constructor of a __shared__ object, `%name` in inline assembly).
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_FRONTEND_CUDAFRONTEND_H
#define CATT_ANALYSIS_FRONTEND_CUDAFRONTEND_H

#include "analysis/model/Diagnostic.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/VirtualFileSystem.h"
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace clang {
class ASTContext;
class CompilerInvocation;
namespace tooling {
struct CompileCommand;
} // namespace tooling
} // namespace clang

namespace catt {

/// A compiled preamble: opaque here, see ClangSession.h.
struct Preamble;

/// Where CUDA's declarations came from.
struct Toolkit {
  std::string Path;    ///< empty: the built-in declarations
  std::string Version; ///< "13.0", empty for the built-in declarations
};

struct FrontEndOptions {
  /// "sm_90": what __CUDA_ARCH__ is derived from. Empty: the command's own,
  /// else sm_80.
  std::string Architecture = "sm_80";
  /// The toolkit to use; empty: $CUDA_PATH, the command's nvcc,
  /// /usr/local/cuda, else the built-in declarations.
  std::string CudaPath;
  /// Use the built-in declarations even where a toolkit is installed.
  bool BuiltInOnly = false;
  /// Keep the preamble for check(). False where no check will follow: the parse
  /// then costs a third less, and a check as much as a parse.
  bool KeepPreamble = true;
  /// The preamble of an earlier parse, used instead of a new one where it still
  /// fits: same flags, same text, no header changed since.
  std::shared_ptr<const Preamble> Earlier;
};

/// A parsed file; owns the AST and everything that borrows from it.
class TranslationUnit {
public:
  ~TranslationUnit();
  clang::ASTContext &ast() const;
  /// Absolute path of the file that was parsed.
  const std::string &mainFile() const;
  const std::string &architecture() const;
  const Toolkit &toolkit() const;
  const std::vector<Diagnostic> &diagnostics() const;
  /// Remarks of the flag translation: "-use_fast_math: approximated by ...".
  const std::vector<std::string> &notes() const;
  /// -maxrregcount of the command, if it has one.
  std::optional<int> maxRegisters() const;

  /// How clang was called, and the files that it saw: for another run.
  const clang::CompilerInvocation &invocation() const;
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files() const;
  /// The same with other texts for some, by absolute path.
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
  filesWith(const std::map<std::string, std::string> &Texts) const;

  /// What FrontEndOptions::Earlier of the next parse may be; null if none was
  /// kept. It outlives this object.
  std::shared_ptr<const Preamble> preamble() const;
  size_t preambleBytes() const; ///< that it takes in memory

  /// Parses again with other texts for some files (by absolute path) and
  /// returns what clang says of it. Error: the parse could not be started.
  llvm::Expected<std::vector<Diagnostic>>
  check(const std::map<std::string, std::string> &Texts) const;

  struct Impl;
  explicit TranslationUnit(std::unique_ptr<Impl> P);

private:
  std::unique_ptr<Impl> P;
};

/// Parses one file. Errors in the text are no error of this function: they are
/// in diagnostics(). Error: the file cannot be read, is not text, or the
/// command makes no sense; the message names the file and what to do.
llvm::Expected<std::unique_ptr<TranslationUnit>>
parse(const clang::tooling::CompileCommand &Command,
      const FrontEndOptions &Options,
      llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files =
          llvm::vfs::getRealFileSystem());

} // namespace catt

#endif
