//===- LspSettingsTest.cpp - What the editor asks for ---------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/catt-lsp/EditorSettings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace catt;
using namespace llvm;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

namespace {

EditorSettings read(StringRef Json) {
  Expected<json::Value> V = json::parse(Json);
  EXPECT_TRUE(static_cast<bool>(V));
  if (!V) {
    consumeError(V.takeError());
    return {};
  }
  return readSettings(*V);
}

TEST(LspSettings, NothingGivenIsTheDefault) {
  for (StringRef Json :
       {"null", "{}", "[]", "3", R"({"catt":{}})", R"({"gpu":null})",
        R"({"gpu":"","launch":[],"assume":{},"serverPath":"x"})"}) {
    EditorSettings S = read(Json);
    EXPECT_THAT(S.Problems, IsEmpty()) << Json.str();
    EXPECT_THAT(S.Run.Said, IsEmpty());
    EXPECT_FALSE(S.Run.GpuName);
    EXPECT_TRUE(S.InlayHints);
    EXPECT_TRUE(S.CodeLens);
  }
}

TEST(LspSettings, ReadsEach) {
  EditorSettings S = read(R"({"gpu": "h200", "l1d": 64, "minGain": 10,
    "model": "catt", "kernel": "g*", "launch": ["g=320:256", "h=1:32"],
    "assume": {"n": 4096, "m": 2}, "transforms": ["prefer-l1"], "delay": 7,
    "extraArg": ["-DX", "-DY"], "noCuda": true, "inlayHints": false,
    "codeLens": false, "headerFilter": "x.*", "selector": "orion",
    "targetRegisters": 40, "bounds": "maxnreg", "ptxas": true,
    "verifyCode": true})");
  EXPECT_THAT(S.Problems, IsEmpty());
  EXPECT_EQ(S.Run.GpuName, "h200");
  EXPECT_EQ(S.Run.L1Bytes, 64 * 1024);
  EXPECT_EQ(S.Run.MinGain, 0.1);
  EXPECT_EQ(S.Run.Counting, Model::Catt);
  EXPECT_EQ(S.Run.KernelGlob, "g*");
  EXPECT_THAT(S.Run.Launches, SizeIs(2));
  EXPECT_EQ(S.Run.Assumed["n"], 4096);
  EXPECT_EQ(S.Run.Assumed["m"], 2);
  EXPECT_THAT(S.Run.Transforms, ElementsAre("prefer-l1"));
  EXPECT_EQ(S.Delay.count(), 7);
  EXPECT_THAT(S.Run.ExtraArgs, ElementsAre("-DX", "-DY"));
  EXPECT_TRUE(S.Run.BuiltInOnly);
  EXPECT_EQ(S.Run.HeaderFilter, "x.*");
  EXPECT_FALSE(S.InlayHints);
  EXPECT_FALSE(S.CodeLens);
  EXPECT_TRUE(S.Run.Said.count("min-gain"));
  EXPECT_EQ(S.Run.RegistersBy, Selector::Orion);
  EXPECT_EQ(S.Run.TargetRegisters, 40);
  EXPECT_EQ(S.Run.Bounds, BoundsForm::MaxRegisters);
  EXPECT_TRUE(S.Run.AskPtxas);
  EXPECT_TRUE(S.Run.VerifyCode);
}

TEST(LspSettings, WhatMakesNoSenseIsLeftOutAndNamed) {
  struct Case {
    StringRef Json, Says;
  };
  for (auto [Json, Says] : {
           Case{R"({"gpu": "voodoo2"})", "catt.gpu: "},
           Case{R"({"l1d": -4})", "catt.l1d"},
           Case{R"({"minGain": 101})", "catt.minGain"},
           Case{R"({"minGain": [{}]})", "catt.minGain must be text"},
           Case{R"({"minGain": {"a": []}})", "catt.minGain must be text"},
           Case{R"({"model": "best"})", "catt.model"},
           Case{R"({"kernel": "[a"})", "is no glob"},
           Case{R"({"launch": ["rows"]})", "catt.launch"},
           Case{R"({"assume": {"n": "x"}})", "catt.assume"},
           Case{R"({"transforms": ["prefer-l1", "faster"]})", "'faster'"},
           Case{R"({"delay": 1e9})", "catt.delay must be"},
           Case{R"({"delay": "soon"})", "catt.delay must be"},
           Case{R"({"codeLens": "yes"})", "catt.codeLens must be"},
           Case{R"({"noCuda": 3})", "catt.noCuda must be"},
           Case{R"({"selector": "best"})", "catt.selector must be one of"},
           Case{R"({"targetRegisters": 8})", "catt.targetRegisters must be a"},
           Case{R"({"targetRegisters": "few"})", "catt.targetRegisters"},
           Case{R"({"bounds": "loose"})", "catt.bounds must be launch-bounds"},
           Case{R"({"ptxas": "yes"})", "catt.ptxas must be true or false"},
           Case{R"({"verifyCode": 1})", "catt.verifyCode must be true"},
           Case{R"({"diff": true})", "no setting catt.diff"},
           Case{R"({"colour": "red"})", "no setting catt.colour"},
           Case{R"({"min-gain": 5})", ""}, // a name of .catt files is fine
       }) {
    EditorSettings S = read(Json);
    if (Says.empty()) {
      EXPECT_THAT(S.Problems, IsEmpty());
      continue;
    }
    ASSERT_THAT(S.Problems, SizeIs(1)) << Json.str();
    EXPECT_THAT(S.Problems.front(), HasSubstr(Says.str()));
    EXPECT_THAT(S.Run.Said, IsEmpty()) << Json.str();
    EXPECT_THAT(S.Run.Transforms, IsEmpty());
  }
}

TEST(LspSettings, DefaultsAreThoseOfTheTable) {
  EditorSettings S;
  std::map<StringRef, std::string> Defaults = {
      {"inlay-hints", S.InlayHints ? "true" : "false"},
      {"code-lens", S.CodeLens ? "true" : "false"},
      {"delay", std::to_string(S.Delay.count())}};
  for (const OptionRow &Row : allOptions())
    if (Row.By == KnownTo::Editor)
      EXPECT_EQ(Row.Default.str(), Defaults[Row.Name]) << Row.Name.str();
}

TEST(LspSettings, OneBadSettingSparesTheOthers) {
  EditorSettings S =
      read(R"({"catt": {"gpu": "sm_90", "l1d": "x", "b": 1, "a": 1}})");
  EXPECT_EQ(S.Run.GpuName, "sm_90");
  EXPECT_THAT(S.Problems,
              ElementsAre("there is no setting catt.a",
                          "there is no setting catt.b", HasSubstr("catt.l1d")));
}

} // namespace
