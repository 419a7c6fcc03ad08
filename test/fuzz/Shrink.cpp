//===- Shrink.cpp - Simpler kernels than one that fails --------------------==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for (...) { a; b; }   -->   nothing | a; b; | for (...) { a; }
//
// A candidate may be invalid (a break without its loop, a variable that is not
// declared): then it fails to compile, which is another failure than the one
// looked for, and it is not taken.
//
//===----------------------------------------------------------------------===//

#include "test/fuzz/KernelTree.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace catt::fuzz {
namespace {

using Body = std::vector<Statement>;

/// Calls Emit after each change of one statement, and undoes it again.
void changes(Body &B, llvm::function_ref<void()> Emit) {
  for (size_t I = 0; I < B.size(); ++I) {
    Body Whole = B;
    B.erase(B.begin() + I);
    Emit();
    B = Whole;
    Statement S = B[I];
    if (S.K == Statement::Kind::Text)
      continue;
    for (const Body *Half : {&S.Body, &S.Else}) {
      if (Half->empty())
        continue;
      B.erase(B.begin() + I);
      B.insert(B.begin() + I, Half->begin(), Half->end());
      if (!S.Flat.empty()) {
        Statement Flat;
        Flat.Lines = {S.Flat};
        B.insert(B.begin() + I, Flat);
      }
      Emit();
      B = Whole;
    }
    if (!S.Else.empty() && S.K == Statement::Kind::If) {
      B[I].Else.clear();
      Emit();
      B = Whole;
    }
  }
  for (size_t I = 0; I < B.size(); ++I) {
    changes(B[I].Body, Emit);
    changes(B[I].Else, Emit);
  }
}

void plain(Body &B) {
  for (Statement &S : B) {
    S.Comment.clear();
    S.Pragmas.clear();
    S.OneLine = false;
    S.Braces = true;
    plain(S.Body);
    plain(S.Else);
  }
}

} // namespace

std::vector<GeneratedKernel> shrinkings(const GeneratedKernel &K) {
  std::vector<GeneratedKernel> Out;
  GeneratedKernel C = K;
  auto Emit = [&] { Out.push_back(C); };
  changes(C.Body, Emit);
  for (size_t I = 0; I < K.Functions.size(); ++I) {
    C.Functions.erase(C.Functions.begin() + I);
    Emit();
    C = K;
    changes(C.Functions[I].Body, Emit);
  }
  for (size_t I = 0; I < K.Globals.size(); ++I) {
    C.Globals.erase(C.Globals.begin() + I);
    Emit();
    C = K;
  }
  if (K.Grid.count() > 1) {
    C.Grid = Extents();
    Emit();
    C = K;
  }
  plain(C.Body);
  C.Crlf = false;
  C.Indent = "  ";
  C.BraceOnOwnLine = false;
  if (print({C}) != print({K}))
    Emit();
  return Out;
}

} // namespace catt::fuzz
