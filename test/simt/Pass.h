//===- Pass.h - The two halves of the plugin ---------------------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TEST_SIMT_PASS_H
#define CATT_TEST_SIMT_PASS_H

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace catt::simt {

/// Writes inline PTX as IR, as far as Assembly.cpp knows it.
void translateAssembly(llvm::Function &F);
/// Hands each kernel of the host view over to the executor (HostPass.cpp).
void runOnHost(llvm::Module &M);

} // namespace catt::simt

#endif
