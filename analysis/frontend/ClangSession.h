//===- ClangSession.h - One run of clang, kept alive ------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   text = preamble | rest
//          preamble --(once)--> Preamble (a PCH in memory)
//          rest     --(each time, on top of it)--> Session (an AST)
//
// The preamble is what stands before the first declaration: forced headers,
// includes, macros. It is most of a CUDA file's cost. Bodies of functions in
// system headers are skipped, in both parts: no kernel is there. Where a kernel
// reaches one that is not known by name (safety/KnownFunctions), the file is
// parsed once more with the bodies of device functions kept.
//
// Measured on a file of 580 lines with 46 kernels that includes <vector>,
// <algorithm> and <iostream> (-O2, hyperfine, other work on the machine):
//
//                                        built-in    toolkit 13.0
//   clang-22 -fsyntax-only, same flags     289 ms          442 ms
//   parse without a preamble               190             273
//     and then check                       361             525
//   parse that keeps the preamble          285             408
//     and then check                       303             431
//
// So a parse that a check follows keeps its preamble (1.05 and 0.98 times
// clang), and one that is only read does not.
//
// Limits: an include after the first declaration is parsed each time. A text
// whose preamble differs from the compiled one is parsed from scratch.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_FRONTEND_CLANGSESSION_H
#define CATT_ANALYSIS_FRONTEND_CLANGSESSION_H

#include "analysis/frontend/CudaFrontEnd.h"
#include "clang/AST/DeclID.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/PrecompiledPreamble.h"

namespace catt {

/// Which function bodies in system headers are parsed, beside constexpr ones:
/// those of device functions in headers that the file includes, or also those
/// in what clang includes before its first line, which are CUDA's own.
enum class SystemBodies : uint8_t { Included, All };

using FilesRef = llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>;

/// Gathers clang's messages as plain values.
class DiagnosticCollector : public clang::DiagnosticConsumer {
public:
  std::vector<Diagnostic> Found;
  void HandleDiagnostic(clang::DiagnosticsEngine::Level Level,
                        const clang::Diagnostic &Info) override;
};

/// A compiled preamble.
struct Preamble {
  clang::PrecompiledPreamble Code;
  std::vector<std::string> Flags; ///< of clang's parse that it was built for
  SystemBodies Bodies = SystemBodies::Included;
  std::vector<Diagnostic> Diagnostics;
  /// Its declarations outside system headers, in order.
  std::vector<clang::LocalDeclID> Declarations;

  /// Compiles the preamble of Text; std::nullopt if clang cannot store it.
  static std::optional<Preamble>
  build(const clang::CompilerInvocation &Invocation,
        const llvm::MemoryBuffer &Text, FilesRef Files, SystemBodies Bodies);

  /// Whether a parse of Text with this invocation can stand on it. One with
  /// more bodies than are asked for fits too.
  bool fits(const clang::CompilerInvocation &Invocation,
            const llvm::MemoryBuffer &Text, llvm::vfs::FileSystem &Files,
            SystemBodies Bodies) const;
};

/// One parsed text. The destructor ends it; the AST goes with it.
struct Session {
  DiagnosticCollector Collector;
  std::unique_ptr<llvm::MemoryBuffer> Text;
  std::unique_ptr<clang::CompilerInstance> Clang;
  std::unique_ptr<clang::FrontendAction> Action;
  ~Session();

  /// Parses Text as the main file of Invocation. P may be null; if it fits
  /// the text it is used, and must outlive the session. The AST's traversal
  /// scope becomes the declarations outside system headers.
  static llvm::Expected<std::unique_ptr<Session>>
  run(const clang::CompilerInvocation &Invocation,
      std::unique_ptr<llvm::MemoryBuffer> Text, FilesRef Files,
      const Preamble *P, SystemBodies Bodies = SystemBodies::Included);
};

} // namespace catt

#endif
