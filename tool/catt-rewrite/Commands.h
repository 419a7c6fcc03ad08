//===- Commands.h - How each file is compiled ---------------- -*- C++ -*--===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   file --> flags behind `--`
//        or  its entry in compile_commands.json (-p, or the nearest above it)
//        or  the entry of the file with the closest path
//        or  nothing but the file
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_CATTREWRITE_COMMANDS_H
#define CATT_TOOL_CATTREWRITE_COMMANDS_H

#include "Options.h"
#include "clang/Tooling/CompilationDatabase.h"
#include "llvm/Support/Error.h"
#include <map>
#include <memory>
#include <string>

namespace catt {

struct FoundCommand {
  clang::tooling::CompileCommand Command;
  std::string From; ///< for the report: "the command line", "build/compile..."
  bool Without = false; ///< neither flags nor a database: only the file
};

/// Finds compile commands; keeps the databases that it has read.
class CommandFinder {
public:
  /// Error: a database that cannot be read; with --strict also that there is
  /// no command.
  llvm::Expected<FoundCommand> find(const std::string &File, const Options &O);

  /// The other files of the database that applies to a file. Error: as above.
  struct Units {
    std::vector<std::string> Cuda, NotCuda; ///< absolute paths
  };
  llvm::Expected<Units> unitsBeside(const std::string &File, const Options &O);

private:
  llvm::Expected<const clang::tooling::CompilationDatabase *>
  load(const std::string &Path);

  std::map<std::string, std::unique_ptr<clang::tooling::CompilationDatabase>>
      Loaded;
};

} // namespace catt

#endif
