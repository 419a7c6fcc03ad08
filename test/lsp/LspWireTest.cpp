//===- LspWireTest.cpp - Messages as they come in -------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/catt-lsp/Wire.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <random>

using namespace catt;
using namespace llvm;
using testing::ElementsAre;

namespace {

json::Object parsed(StringRef Text) {
  Expected<json::Value> V = json::parse(Text);
  EXPECT_TRUE(static_cast<bool>(V)) << Text.str();
  if (!V) {
    consumeError(V.takeError());
    return {};
  }
  EXPECT_TRUE(V->getAsObject());
  return V->getAsObject() ? *V->getAsObject() : json::Object{};
}

/// The methods of all messages in a stream; a bad one shows its code.
std::vector<std::string> methods(std::string Bytes) {
  std::vector<std::string> Out;
  // fmemopen takes no empty buffer; a line break is none of a header's either.
  Bytes += "\n";
  std::FILE *In = fmemopen(Bytes.data(), Bytes.size(), "r");
  EXPECT_TRUE(In);
  if (!In)
    return Out;
  MessageInput Input(In);
  std::string Json;
  while (succeeded(Input.readMessage(Json))) {
    json::Object O = parsed(Json);
    std::string Method = O.getString("method").value_or("").str();
    if (Method == BadMessage)
      if (const json::Object *Params = O.getObject("params"))
        Method = std::to_string(Params->getInteger("code").value_or(0));
    Out.push_back(Method);
  }
  EXPECT_TRUE(Input.isEndOfInput());
  std::fclose(In);
  return Out;
}

std::string framed(StringRef Body) {
  return "Content-Length: " + std::to_string(Body.size()) + "\r\n\r\n" +
         Body.str();
}

std::string notification(StringRef Method) {
  return framed(R"({"jsonrpc":"2.0","method":")" + Method.str() + "\"}");
}

TEST(LspWire, ReadsOneAfterTheOther) {
  EXPECT_THAT(methods(notification("a") + notification("b")),
              ElementsAre("a", "b"));
  EXPECT_THAT(methods(""), ElementsAre());
}

TEST(LspWire, TakesOtherHeadersAndSpellings) {
  EXPECT_THAT(methods("Content-Type: x\r\ncontent-length:  33 \r\n\r\n"
                      R"({"jsonrpc":"2.0","method":"hello"})"),
              testing::SizeIs(1));
  std::string Body = R"({"jsonrpc":"2.0","method":"hello"})";
  EXPECT_THAT(methods("content-length:  " + std::to_string(Body.size()) +
                      " \nContent-Type: x\n\n" + Body),
              ElementsAre("hello"));
}

TEST(LspWire, ADamagedHeaderIsAnsweredAndPassed) {
  for (StringRef Length : {"x", "-1", "99999999999", "", "0"})
    EXPECT_THAT(methods(("Content-Length: " + Length + "\r\n\r\n").str() +
                        notification("a")),
                ElementsAre("-32700", "a"))
        << Length.str();
}

TEST(LspWire, RubbishBetweenMessagesIsPassed) {
  EXPECT_THAT(methods("\r\n\r\nrubbish\r\n" + std::string(10000, 'x') + "\n" +
                      notification("a")),
              ElementsAre("a"));
}

TEST(LspWire, ATruncatedMessageIsTheEnd) {
  EXPECT_THAT(methods("Content-Length: 500\r\n\r\n{"), ElementsAre());
  EXPECT_THAT(methods("Content-Length: 500\r\n"), ElementsAre());
  EXPECT_THAT(methods(notification("a") + "Content-Le"), ElementsAre("a"));
}

TEST(LspWire, ATextThatIsNoMessageIsAnswered) {
  EXPECT_THAT(methods(framed("{")), ElementsAre("-32700"));
  EXPECT_THAT(methods(framed("\xff\xff")), ElementsAre("-32700"));
  EXPECT_THAT(methods(framed("[]")), ElementsAre("-32600"));
  EXPECT_THAT(methods(framed("{}")), ElementsAre("-32600"));
  EXPECT_THAT(methods(framed(R"({"jsonrpc":"1.0","method":"a"})")),
              ElementsAre("-32600"));
  EXPECT_THAT(methods(framed(R"({"jsonrpc":"2.0","method":7,"id":1})")),
              ElementsAre("-32600"));
  EXPECT_THAT(methods(framed(R"({"jsonrpc":"2.0","method":"a","id":[]})")),
              ElementsAre("-32600"));
  EXPECT_THAT(methods(framed(std::string(1 << 20, '['))),
              ElementsAre("-32600"));
}

TEST(LspWire, BracketsInTextAreNoDepth) {
  std::string Text(1000, '[');
  EXPECT_THAT(methods(framed(R"({"jsonrpc":"2.0","method":"a","params":["\")" +
                             Text + "\"]}")),
              ElementsAre("a"));
}

TEST(LspWire, TheIdTravelsInTheParameters) {
  for (StringRef Params : {R"({"x":1})", "null", "[1]", "3"}) {
    json::Object O = parsed(checkedMessage(
        (R"({"jsonrpc":"2.0","id":"q7","method":"a","params":)" + Params + "}")
            .str()));
    const json::Object *P = O.getObject("params");
    ASSERT_TRUE(P) << Params.str();
    EXPECT_EQ(P->getString("$id"), "q7");
    EXPECT_EQ(O.getString("id"), "q7");
  }
}

TEST(LspWire, AnAnswerKeepsItsShape) {
  json::Object O =
      parsed(checkedMessage(R"({"jsonrpc":"2.0","id":3,"result":[1]})"));
  EXPECT_FALSE(O.get("method"));
  EXPECT_FALSE(O.get("params"));
  EXPECT_EQ(O.getInteger("id"), 3);
}

TEST(LspWire, TheIdOfABadMessageIsKept) {
  json::Object O =
      parsed(checkedMessage(R"({"jsonrpc":"1","id":3,"method":"a"})"));
  EXPECT_EQ(O.getString("method"), BadMessage);
  EXPECT_EQ(O.getInteger("id"), 3);
}

// Real streams with bytes changed: it ends, and what comes out can be parsed.
TEST(LspWire, DamagedStreamsDoNoHarm) {
  std::string Good =
      notification("a") +
      framed(R"({"jsonrpc":"2.0","id":1,"method":"b","params":{"u":"x\"\\"}})");
  std::mt19937 Random(22);
  for (int Round = 0; Round < 20000; ++Round) {
    std::string Bytes = Good;
    for (unsigned N = 1 + Random() % 4; N; --N) {
      size_t At = Random() % Bytes.size();
      if (Random() % 2)
        Bytes[At] = static_cast<char>(Random());
      else
        Bytes.erase(At, 1 + Random() % 9);
    }
    // A length of many megabytes is only slow.
    if (Bytes.find("Content-Length: ") == std::string::npos ||
        StringRef(Bytes).count('9') > 2)
      continue;
    methods(Bytes);
  }
}

} // namespace
