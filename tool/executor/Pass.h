//===- Pass.h - The two halves of the plugin ---------------------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_EXECUTOR_PASS_H
#define CATT_TOOL_EXECUTOR_PASS_H

#include <string>

namespace llvm {
class Function;
class Module;
class StringRef;
} // namespace llvm

namespace catt::simt {

/// Writes inline PTX as IR, as far as Assembly.cpp knows it.
void translateAssembly(llvm::Function &F);
/// The symbol by which the two views of a file find each other's "kernel",
/// "info" or "var". What is static has one for each file.
std::string symbolOf(llvm::StringRef Kind, llvm::StringRef Name,
                     const llvm::Module &M);
/// Hands each kernel of the host view over to the executor (HostPass.cpp).
void runOnHost(llvm::Module &M);

} // namespace catt::simt

#endif
