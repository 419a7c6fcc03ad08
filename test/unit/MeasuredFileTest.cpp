//===- MeasuredFileTest.cpp - Tests of what was measured, in a .catt file -===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/config/MeasuredFile.h"
#include <gmock/gmock.h>

namespace catt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char Path[] = "/x/.catt";

MeasuredVariant rows(const std::string &Variant = "tiles-64") {
  return {"rows",      "/x/src/a.cu",      Variant, "h200",
          "13.0",      "0f3a9c0000000001", 6.52,    40,
          "2026-11-29"};
}
MeasuredVariant more() {
  return {"more", "/x/a.cu",    "as written", "h200", "", "0f3a9c0000000002",
          1,      std::nullopt, "2026-11-30"};
}

constexpr char RowsText[] = "  - kernel: rows\n"
                            "    file: src/a.cu\n"
                            "    variant: sums # for now\n"
                            "    gpu: h200\n"
                            "    text: '0f3a9c0000000001'\n"
                            "    gain: 2\n"
                            "    date: 2026-11-28\n";

std::vector<MeasuredVariant> entriesOf(const std::string &Text) {
  auto C = parseConfig(Text, Path);
  EXPECT_TRUE(bool(C)) << Text << llvm::toString(C.takeError());
  return C ? C->Said.Values.Measured : std::vector<MeasuredVariant>();
}

std::string with(const std::string &Text,
                 const std::vector<MeasuredVariant> &Entries) {
  auto New = withMeasured(Text, Path, Entries);
  EXPECT_TRUE(bool(New)) << Text << llvm::toString(New.takeError());
  return New ? *New : "";
}

TEST(MeasuredFile, PositiveWhatIsWrittenIsRead) {
  EXPECT_THAT(entriesOf(with("", {rows(), more()})),
              ElementsAre(rows(), more()));
  Stated Said;
  Said.Values.Measured = {rows(), more()};
  EXPECT_THAT(entriesOf(dumpConfig(Said)), ElementsAre(rows(), more()));
  EXPECT_THAT(with("", {rows()}), HasSubstr("'src/a.cu'\n"));
}

TEST(MeasuredFile, PositiveFilesElsewhere) {
  MeasuredVariant Up = rows(), Far = more();
  Up.File = "/a.cu";
  Far.File = "/y/z/a.cu";
  std::string Text = with("", {Up, Far});
  EXPECT_THAT(Text, HasSubstr("../a.cu"));
  EXPECT_THAT(Text, HasSubstr("../y/z/a.cu"));
  EXPECT_THAT(entriesOf(Text), ElementsAre(Up, Far));
}

TEST(MeasuredFile, PositiveTheRestStaysByteForByte) {
  for (const std::string &Text : std::vector<std::string>{
           "gpu: h200", "# ours\n\ngpu:   h200  # yes\n\n# end\n",
           "---\nassume: {n: 4}\n", "gpu: h200\r\n# ours\r\n"}) {
    std::string New = with(Text, {rows()});
    EXPECT_TRUE(llvm::StringRef(New).starts_with(Text)) << New;
    EXPECT_THAT(entriesOf(New), ElementsAre(rows()));
    EXPECT_EQ(llvm::StringRef(New).count('\r'),
              Text.find('\r') != std::string::npos
                  ? llvm::StringRef(New).count('\n')
                  : 0u);
  }
}

TEST(MeasuredFile, PositiveAnEntryReplacesTheOneOfItsKernel) {
  const std::string Head = "# ours\nmeasured: # all\n  # first\n",
                    Other = "  # the other\n"
                            "  - variant: l1\n"
                            "    kernel: other\n\n"
                            "    file: /x/a.cu\n"
                            "    gpu: h200\n"
                            "    text: 0f3a9c0000000003\n"
                            "    gain: 3\n"
                            "    date: 2026-11-28\n",
                    Tail = "\n# behind\nno-cuda: true\n";
  std::string New = with(Head + RowsText + Other + Tail, {rows(), more()});
  EXPECT_TRUE(llvm::StringRef(New).starts_with(Head)) << New;
  EXPECT_TRUE(llvm::StringRef(New).ends_with(Tail)) << New;
  EXPECT_THAT(New, HasSubstr(Other));
  auto All = entriesOf(New);
  ASSERT_EQ(All.size(), 3u);
  EXPECT_EQ(All[0], rows());
  EXPECT_EQ(All[1].Kernel, "other");
  EXPECT_EQ(All[2], more());
  // Once more, nothing changes.
  EXPECT_EQ(with(New, {rows(), more()}), New);
}

TEST(MeasuredFile, PositiveAnotherCardOrFileIsAnotherEntry) {
  MeasuredVariant Card = rows("l1"), File = rows("l1");
  Card.Gpu = "h100";
  File.File = "/x/b.cu";
  std::string Text = with("", {rows()});
  EXPECT_THAT(entriesOf(with(with(Text, {Card}), {File})),
              ElementsAre(rows(), Card, File));
}

TEST(MeasuredFile, PositiveHoweverYamlWritesIt) {
  std::string Flow = "{kernel: rows, file: src/a.cu, variant: sums, gpu: h200, "
                     "text: 0f3a9c0000000001, gain: 2, date: 2026-11-28}";
  std::string Unindented;
  for (llvm::StringRef Left = RowsText; !Left.empty();) {
    auto [Line, Rest] = Left.split('\n');
    Unindented += Line.drop_front(2).str() + "\n";
    Left = Rest;
  }
  for (const std::string &Text :
       {"measured: [" + Flow + "]\ngpu: h200\n",
        "measured:\n  - " + Flow + "\ngpu: h200\n",
        "measured:\n" + Unindented + "gpu: h200\n",
        "'measured':\n" + std::string(RowsText) + "gpu: h200\n",
        std::string("measured:\ngpu: h200\n"),
        std::string("measured: []\ngpu: h200\n")}) {
    std::string New = with(Text, {rows()});
    EXPECT_THAT(entriesOf(New), ElementsAre(rows())) << New;
    EXPECT_TRUE(llvm::StringRef(New).ends_with("gpu: h200\n")) << New;
  }
}

TEST(MeasuredFile, PositiveNothingIsNoChange) {
  EXPECT_EQ(with("gpu: h200", {}), "gpu: h200");
}

TEST(MeasuredFile, NegativeWhatCannotBeExtended) {
  for (const char *Text : {"{gpu: h200}\n", "gpu: h200\n...\n"}) {
    auto New = withMeasured(Text, Path, {rows()});
    ASSERT_FALSE(bool(New)) << Text;
    std::string Message = llvm::toString(New.takeError());
    EXPECT_THAT(Message,
                HasSubstr("'/x/.catt' cannot be extended; write each "));
  }
  auto New = withMeasured("colour: red\n", Path, {rows()});
  ASSERT_FALSE(bool(New));
  EXPECT_THAT(llvm::toString(New.takeError()), HasSubstr("/x/.catt:1:1: "));
}

/// The entry with one line in place of another.
std::string bad(llvm::StringRef Old, llvm::StringRef New) {
  std::string Text = "measured:\n" + std::string(RowsText);
  size_t At = Text.find(Old);
  EXPECT_NE(At, std::string::npos) << Old.str();
  return Text.replace(At, Old.size(), New);
}

TEST(MeasuredFile, NegativeBadEntriesInOneSentence) {
  for (const auto &[Text, Says] :
       std::initializer_list<std::pair<std::string, const char *>>{
           {bad("gain: 2", "gain: fast"),
            ":7:11: gain must be a number above 0, not 'fast'"},
           {bad("gain: 2", "gain: 0"), ":7:11: gain must be"},
           {bad("gain: 2", "gain: -1"), ":7:11: gain must be"},
           {bad("gain: 2", "gain: nan"), ":7:11: gain must be"},
           {bad("2026-11-28", "yesterday"),
            ":8:11: date must be a day, as 2026-11-29, not 'yesterday'"},
           {bad("2026-11-28", "2026-11-281"), ":8:11: date must be"},
           {bad("'0f3a9c0000000001'", "0f3a9c"),
            ":6:11: text must be 16 hexadecimal digits, not '0f3a9c'"},
           {bad("'0f3a9c0000000001'", "0f3a9c000000000g"), ":6:11: text must"},
           {bad("gain: 2", "gain: 2\n    launches: 0"),
            ":8:15: launches must be a whole number above 0, not '0'"},
           {bad("gain: 2", "gain: 2\n    launches: many"), ":8:15: launches"},
           {bad("gain: 2", "gain: 2\n    toolkit: new"),
            ":8:14: toolkit must be a version, as 13.0, not 'new'"},
           {bad("gain: 2", "gain: 2\n    toolkit: 13."), ":8:14: toolkit"},
           {bad("kernel: rows", "kernel: ''"),
            ":2:13: kernel must be some text, not ''"},
           {bad("    gpu: h200\n", ""), ": missing required key 'gpu'"},
           {bad("    file: src/a.cu\n", ""), ": missing required key 'file'"},
           {bad("variant: sums", "variants: sums"),
            ": missing required key 'variant'"},
           {bad("gain: 2", "gain: 2\n    launch: 2"),
            ":8:5: unknown key 'launch'; did you mean 'launches'?"},
           {bad("gain: 2", "gain: 2\n    colour: red"),
            ":8:5: unknown key 'colour'; the keys are kernel, file, variant,"},
           {"measured:\n" + std::string(RowsText) + RowsText,
            ":9:5: kernel 'rows' is measured twice on h200"},
           {"measured: sums\n", ":1:11: "},
           {"measured:\n  - sums\n", ":2:5: "},
           {"measure: []\n",
            ":1:1: unknown key 'measure'; did you mean 'measured'?"},
       }) {
    auto C = parseConfig(Text, Path);
    ASSERT_FALSE(bool(C)) << Text;
    std::string Message = llvm::toString(C.takeError());
    EXPECT_THAT(Message, HasSubstr(std::string(Path) + ":"));
    EXPECT_THAT(Message, HasSubstr(Says)) << Text;
    EXPECT_EQ(llvm::StringRef(Message).count('\n'), 0u) << Message;
  }
}

} // namespace
} // namespace catt
