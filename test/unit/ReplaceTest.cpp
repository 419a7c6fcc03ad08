//===- ReplaceTest.cpp - Tests of transforms that replace -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TransformTesting.h"
#include "transforms/SourceEdit.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace catt {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Puts tile[...] in place of a span of each kernel.
class StageRows final : public Transform {
public:
  StageRows(llvm::StringRef Name, SourceSpan Span)
      : Transform({Name, Part::Groups, TransformTraits::Scope::Kernel, false,
                   false, false}),
        Span(std::move(Span)) {}
  llvm::StringRef summary() const override { return "Replaces."; }
  Preparation prepare(const Context &C) const override {
    auto Out = std::make_unique<Staged>();
    Out->Span = Span;
    Out->Where = C.Kernel.Source.Where;
    Out->New = New.value_or(C.Kernel.Source.Name + "Tile[0]");
    return Out;
  }

  std::optional<std::string> New = "tile[0]"; ///< each kernel its own if empty

private:
  struct Staged final : Prepared {
    void edit(EditBuilder &Out) const override {
      EXPECT_TRUE(Out.replace(Span, {"x", "", {New}, {}}));
      Out.done(Where, "staged");
    }
    SourceSpan Span;
    Location Where;
    std::string New;
  };

  SourceSpan Span;
};

const char Body[] = "__global__ void k(int n) {\n"
                    "  [[for (;;)\n    f([[x - [[i]]]]);]]\n}\n";

std::string after(const Workbench &B, llvm::ArrayRef<const Transform *> All,
                  std::vector<Reason> *Refused = nullptr) {
  Edits E = rewrite(B.R, All, {});
  if (Refused)
    for (const Refusal &R : E.Refused)
      Refused->push_back(R.Kind);
  std::string New = llvm::cantFail(catt::apply(E, B.R.Texts)).at(FileName);
  EXPECT_EQ(reverted(New), B.text());
  return withoutHashes(New);
}

TEST(Replace, PositiveInsideASplitLoop) {
  Workbench B(Body);
  B.split(B.kernel("k"), 0, 2, 4);
  StageRows T("stage-rows", B.Spans[1]);
  std::string New = after(B, {&T, findTransform("split-warp-groups")});
  EXPECT_THAT(New, HasSubstr("f(/* catt: stage-rows(x) was: x - i */ tile[0] "
                             "/* catt: done */);"));
  EXPECT_THAT(New, HasSubstr("// catt: split-warp-groups(2)"));
}

TEST(Replace, PositiveOnceForAllInstantiations) {
  Workbench B(Body);
  B.kernel("k");
  B.kernel("k");
  StageRows T("stage-rows", B.Spans[1]);
  std::vector<Reason> Refused;
  EXPECT_THAT(after(B, {&T}, &Refused), HasSubstr("f(/* catt: stage-rows(x) "
                                                  "was: x - i */ tile[0] "));
  EXPECT_THAT(Refused, IsEmpty());
}

TEST(Replace, NegativeInstantiationsDiffer) {
  Workbench B(Body);
  B.kernel("k");
  B.R.Kernels[B.kernel("k")].Source.Name = "other";
  StageRows T("stage-rows", B.Spans[1]);
  T.New.reset();
  Edits E = rewrite(B.R, {&T}, {});
  ASSERT_EQ(E.Refused.size(), 1u);
  EXPECT_EQ(E.Refused[0].Kind, Reason::InstantiationsDiffer);
  EXPECT_THAT(E.Added, IsEmpty());
}

TEST(Replace, NegativeTwoThatOverlap) {
  for (auto [One, Two] : {std::pair(1, 2), {2, 1}, {1, 1}}) {
    Workbench B(Body);
    B.kernel("k");
    StageRows T("stage-rows", B.Spans[One]), U("stage-more", B.Spans[Two]);
    std::vector<Reason> Refused;
    std::string New = after(B, {&T, &U}, &Refused);
    EXPECT_THAT(New, HasSubstr("stage-rows"));
    EXPECT_EQ(New.find("stage-more"), std::string::npos);
    EXPECT_THAT(Refused, ElementsAre(Reason::EditsOverlap));
  }
}

TEST(Replace, NegativeASplitInsideWhatIsReplaced) {
  Workbench B("__global__ void k(int n) {\n"
              "  [[if (n) [[for (;;) f();]] g();]]\n}\n");
  B.split(B.kernel("k"), 1, 2, 4);
  StageRows T("stage-rows", B.Spans[0]);
  std::vector<Reason> Refused;
  const Transform *Split = findTransform("split-warp-groups");
  EXPECT_THAT(after(B, {&T, Split}, &Refused), HasSubstr("stage-rows"));
  EXPECT_THAT(Refused, ElementsAre(Reason::EditsOverlap));
  Refused.clear();
  EXPECT_THAT(after(B, {Split, &T}, &Refused), HasSubstr("split-warp-groups"));
  EXPECT_THAT(Refused, ElementsAre(Reason::EditsOverlap));
}

} // namespace
} // namespace catt
