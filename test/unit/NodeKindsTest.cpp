//===- NodeKindsTest.cpp - Every kind of clang's syntax tree has a role ---===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fails when a new clang has a kind that nobody has thought about, also where
// NodeKinds.cpp takes a group as a whole (OpenMP, OpenACC).
//
//===----------------------------------------------------------------------===//

#include "analysis/source/syntax/NodeKinds.h"
#include "gmock/gmock.h"
#include <set>
#include <string>

using namespace catt;

namespace {

const std::set<std::string> KnownKinds = {
#define STMT(Type) std::string("Stmt " #Type),
#define DECL(Type) std::string("Decl " #Type),
#include "data/ClangKinds.inc"
#undef STMT
#undef DECL
};

const std::set<std::string> ClangsKinds = {
#define ABSTRACT_STMT(Type)
#define STMT(Type, Base) std::string("Stmt " #Type),
#include "clang/AST/StmtNodes.inc"
#define ABSTRACT_DECL(Type)
#define DECL(Type, Base) std::string("Decl " #Type),
#include "clang/AST/DeclNodes.inc"
};

TEST(NodeKinds, allKindsOfClangAreKnown) { EXPECT_EQ(ClangsKinds, KnownKinds); }

TEST(NodeKinds, fewDeclarationsAreFollowed) {
  std::set<std::string> Followed;
#define ABSTRACT_DECL(Type)
#define DECL(Type, Base)                                                       \
  if (roleOf(clang::Decl::Type) == DeclRole::Variable)                         \
    Followed.insert(#Type);
#include "clang/AST/DeclNodes.inc"
  EXPECT_THAT(Followed,
              ::testing::ElementsAre("Decomposition", "ParmVar", "Var",
                                     "VarTemplateSpecialization"));
}

} // namespace
