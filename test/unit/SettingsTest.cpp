//===- SettingsTest.cpp - Tests of Options.def, Settings and ConfigFile ---===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/config/Settings.h"
#include "tool/config/ConfigFile.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include <gmock/gmock.h>

namespace catt {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAreArray;

std::vector<const OptionRow *> rows(std::vector<KnownTo> By) {
  std::vector<const OptionRow *> Out;
  for (const OptionRow &Row : allOptions())
    if (llvm::is_contained(By, Row.By))
      Out.push_back(&Row);
  return Out;
}

std::string page(llvm::StringRef Path) {
  auto Text = llvm::MemoryBuffer::getFile(CATT_SOURCE_DIR "/" + Path);
  EXPECT_TRUE(bool(Text)) << Path.str();
  return Text ? (*Text)->getBuffer().str() : "";
}

//===-- The table ---------------------------------------------------------===//

TEST(OptionTable, NamesAreUnique) {
  std::set<std::string> Names;
  for (const OptionRow &Row : allOptions())
    EXPECT_TRUE(Names.insert(Row.Name.str()).second) << Row.Name.str();
}

TEST(OptionTable, OnlyFlagsHaveNoValue) {
  for (const OptionRow &Row : allOptions()) {
    EXPECT_EQ(Row.Value.empty(), Row.Kind == OptionKind::Flag)
        << Row.Name.str();
    EXPECT_FALSE(Row.Help.empty() || Row.Help.ends_with(".")) << Row.Name.str();
  }
}

TEST(OptionTable, SpellingOfEachFrontEnd) {
  for (const OptionRow &Row : allOptions()) {
    if (Row.Name == "build-path") {
      EXPECT_EQ(optionName(Row), "p");
      EXPECT_EQ(editorName(Row), "buildPath");
    }
    if (Row.Name == "gpu")
      EXPECT_EQ(editorName(Row), "gpu");
    if (Row.Name == "extra-arg-before")
      EXPECT_EQ(editorName(Row), "extraArgBefore");
  }
}

TEST(OptionTable, ADefaultSaysTheSameAsNothing) {
  for (const OptionRow *Row : rows({KnownTo::All})) {
    if (Row->Default.empty())
      continue;
    std::string Key = Row->Name.str();
    Stated Said;
    EXPECT_FALSE(bool(setValue(Said, Key, Row->Default, Key)));
    EXPECT_EQ(asText(Said), asText({Settings(), {Key}}));
  }
}

TEST(OptionTable, PagesAndTheExtensionKnowEachAndNoOther) {
  std::string Files = page("docs/configuration.md");
  std::string Editors = page("docs/editors.md");
  for (const OptionRow *Row : rows({KnownTo::All}))
    EXPECT_THAT(Files, HasSubstr("`" + Row->Name.str() + "`"));
  std::vector<std::string> Expected = {"catt.serverPath"};
  for (const OptionRow *Row : rows({KnownTo::All, KnownTo::Editor})) {
    EXPECT_THAT(Editors, HasSubstr("`" + editorName(*Row) + "`"));
    Expected.push_back("catt." + editorName(*Row));
  }
  auto Package = llvm::json::parse(page("tool/vscode/package.json"));
  ASSERT_TRUE(bool(Package));
  const auto *Properties = Package->getAsObject()
                               ->getObject("contributes")
                               ->getObject("configuration")
                               ->getObject("properties");
  std::vector<std::string> Offered;
  for (const auto &[Name, Value] : *Properties)
    Offered.push_back(llvm::StringRef(Name).str());
  EXPECT_THAT(Offered, UnorderedElementsAreArray(Expected));
}

//===-- .catt files -------------------------------------------------------===//

/// A value of each key, as a .catt file has it.
const std::pair<const char *, const char *> OfEach[] = {
    {"gpu", "h200"},
    {"l1d", "64"},
    {"model", "catt"},
    {"min-gain", "7"},
    {"decide", "run"},
    {"transforms", "[ split-warp-groups, launch-bounds ]"},
    {"tile-bytes", "64"},
    {"runtime", "header"},
    {"kernel", "'g*'"},
    {"launch", "[ 'g=9:32' ]"},
    {"assume", "{ n: 4 }"},
    {"header-filter", "'.*[.]cuh'"},
    {"selector", "orion"},
    {"opt-tlp", "4"},
    {"target-registers", "40"},
    {"bounds", "maxnreg"},
    {"ptxas", "true"},
    {"verify-code", "true"},
    {"build-path", "/b"},
    {"extra-arg", "[ '-DA' ]"},
    {"extra-arg-before", "[ '-DB' ]"},
    {"cuda-path", "/usr/local/cuda"},
    {"no-cuda", "true"},
};

Config parsed(const std::string &Text) {
  llvm::Expected<Config> C = parseConfig(Text, "/x/.catt");
  EXPECT_TRUE(bool(C)) << Text << llvm::toString(C.takeError());
  return C ? *C : Config();
}

TEST(ConfigFile, PositiveEveryKeyIsReadAndDumped) {
  std::vector<llvm::StringRef> Keys;
  for (auto [Key, Value] : OfEach) {
    Keys.push_back(Key);
    Config C = parsed(std::string(Key) + ": " + Value + "\n");
    EXPECT_EQ(C.Said.Keys, std::set<std::string>{Key});
    EXPECT_NE(asText(C.Said), asText({Settings(), {Key}})) << Key;
    EXPECT_EQ(asText(parsed(dumpConfig(C.Said)).Said), asText(C.Said)) << Key;
    // What a .catt says comes through where nothing else is said.
    EXPECT_EQ(asText(overlay(C.Said, Stated())), asText(C.Said)) << Key;
    EXPECT_EQ(asText(overlay(Stated(), C.Said)), asText(C.Said)) << Key;
  }
  EXPECT_EQ(llvm::ArrayRef<llvm::StringRef>(Keys), settingKeys());
}

TEST(ConfigFile, PositiveRegisters) {
  Settings S =
      parsed(
          "selector: dru\nopt-tlp: 3\ntarget-registers: 48\nbounds: maxnreg\n"
          "ptxas: true\nverify-code: true\n")
          .Said.Values;
  EXPECT_EQ(S.RegistersBy, Selector::Dru);
  EXPECT_EQ(S.OptBlocks, 3);
  EXPECT_EQ(S.TargetRegisters, 48);
  EXPECT_EQ(S.Bounds, BoundsForm::MaxRegisters);
  EXPECT_TRUE(S.AskPtxas);
  EXPECT_TRUE(S.VerifyCode);
}

TEST(ConfigFile, PositiveWhatIsSaidOverItGoesBefore) {
  Stated File = parsed("ptxas: true\ntarget-registers: 48\n").Said;
  Stated Line;
  llvm::cantFail(setValue(Line, "ptxas", "false", "--ptxas"));
  Settings S = overlay(File, Line).Values;
  EXPECT_FALSE(S.AskPtxas);
  EXPECT_EQ(S.TargetRegisters, 48);
}

TEST(ConfigFile, NegativeBadValuesInOneSentence) {
  for (auto [Text, Says] :
       std::initializer_list<std::pair<const char *, const char *>>{
           {"selector: best", "selector must be one of model, tpsc, orion, "
                              "unified, dru, not 'best'"},
           {"target-registers: 8",
            "target-registers must be a whole number from 16 to 255, not '8'"},
           {"target-registers: 256", "not '256'"},
           {"target-registers: few", "not 'few'"},
           {"bounds: loose",
            "bounds must be launch-bounds or maxnreg, not 'loose'"},
           {"ptxas: 1", "ptxas must be true or false, not '1'"},
           {"verify-code: sometimes",
            "verify-code must be true or false, not 'sometimes'"},
           {"min-gain: 101", "min-gain must be a whole number from 0 to 100"},
           {"force: [ 'k:j=2' ]", "unknown key 'force'"},
           {"in-place: true", "unknown key 'in-place'"},
           {"inlay-hints: true", "unknown key 'inlay-hints'"},
       }) {
    llvm::Expected<Config> C = parseConfig(Text, "/x/.catt");
    ASSERT_FALSE(bool(C)) << Text;
    std::string Message = llvm::toString(C.takeError());
    EXPECT_THAT(Message, HasSubstr(Says));
    EXPECT_THAT(Message, HasSubstr("/x/.catt:1:"));
    EXPECT_EQ(llvm::StringRef(Message).count('\n'), 0u) << Message;
  }
}

} // namespace
} // namespace catt
