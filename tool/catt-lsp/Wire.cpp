//===- Wire.cpp - Messages as they come in --------------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Wire.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace catt {

/// More than any source file needs; a larger length is a damaged header.
constexpr size_t MaxMessageBytes = 64 << 20;
constexpr size_t MaxHeaderBytes = 4096;
/// The parser of LLVM recurses; no message of the protocol is this deep.
constexpr unsigned MaxDepth = 100;

/// Whether brackets nest no deeper than the parser should follow.
static bool isShallow(StringRef Json) {
  unsigned Depth = 0;
  bool InString = false;
  for (size_t I = 0; I < Json.size(); ++I) {
    char C = Json[I];
    if (InString && C == '\\')
      ++I;
    else if (C == '"')
      InString = !InString;
    else if (!InString && (C == '[' || C == '{') && ++Depth > MaxDepth)
      return false;
    else if (!InString && (C == ']' || C == '}') && Depth > 0)
      --Depth;
  }
  return true;
}

static std::string bad(lsp::ErrorCode Code, StringRef Why,
                       json::Value Id = nullptr) {
  json::Value Request =
      json::Object{{"jsonrpc", "2.0"},
                   {"id", std::move(Id)},
                   {"method", BadMessage},
                   {"params", json::Object{{"code", static_cast<int>(Code)},
                                           {"why", json::isUTF8(Why)
                                                       ? Why.str()
                                                       : json::fixUTF8(Why)}}}};
  return formatv("{0}", Request).str();
}

bool fromJSON(const json::Value &V, BadMessageParams &Out, json::Path) {
  if (const json::Object *O = V.getAsObject()) {
    Out.Code = static_cast<lsp::ErrorCode>(
        O->getInteger("code").value_or(static_cast<int>(Out.Code)));
    Out.Why = O->getString("why").value_or("").str();
  }
  return true;
}

static bool canBeId(const json::Value &V) {
  return V.kind() == json::Value::Number || V.kind() == json::Value::String;
}

std::string checkedMessage(StringRef Text) {
  if (!isShallow(Text))
    return bad(lsp::ErrorCode::InvalidRequest, "the message nests too deeply");
  Expected<json::Value> Parsed = json::parse(Text);
  if (!Parsed)
    return bad(lsp::ErrorCode::ParseError,
               "not JSON: " + toString(Parsed.takeError()));
  json::Object *Message = Parsed->getAsObject();
  if (!Message)
    return bad(lsp::ErrorCode::InvalidRequest, "a message must be an object");
  const json::Value *Given = Message->get("id");
  if (Given && !canBeId(*Given))
    return bad(lsp::ErrorCode::InvalidRequest,
               "an id must be a number or a string");
  json::Value Id = Given ? *Given : json::Value(nullptr);
  if (Message->getString("jsonrpc") != "2.0")
    return bad(lsp::ErrorCode::InvalidRequest,
               "a message must say \"jsonrpc\": \"2.0\"", Id);
  bool HasMethod = Message->getString("method").has_value();
  if (!HasMethod && (!Given || Message->get("method")))
    return bad(lsp::ErrorCode::InvalidRequest, "no method is named", Id);
  if (HasMethod && Given) {
    json::Value &Params = Message->try_emplace("params", nullptr).first->second;
    if (!Params.getAsObject())
      Params = json::Object{};
    (*Params.getAsObject())["$id"] = Id;
  }
  return formatv("{0}", *Parsed).str();
}

/// Reads up to a newline; what a header cannot hold is dropped.
bool MessageInput::readLine(std::string &Line) {
  Line.clear();
  for (int C = std::getc(In); C != EOF; C = std::getc(In)) {
    if (C == '\n')
      return true;
    if (Line.size() < MaxHeaderBytes)
      Line.push_back(static_cast<char>(C));
  }
  return false;
}

/// The length that the next header gives; 0 for one that makes no sense. Lines
/// that are none of a header's are skipped: they are the rest of a damaged
/// message.
std::optional<size_t> MessageInput::readHeader() {
  std::optional<size_t> Length;
  std::string Line;
  while (readLine(Line)) {
    StringRef L = StringRef(Line).trim();
    if (L.empty() && Length)
      return Length;
    if (!L.consume_front_insensitive("content-length:"))
      continue;
    size_t Bytes = 0;
    if (L.trim().getAsInteger(10, Bytes) || Bytes > MaxMessageBytes)
      return 0;
    Length = Bytes;
  }
  return std::nullopt;
}

LogicalResult MessageInput::readStandardMessage(std::string &Json) {
  std::optional<size_t> Length = readHeader();
  if (!Length)
    return failure();
  if (*Length == 0) {
    Json = bad(lsp::ErrorCode::ParseError,
               "the header holds no usable Content-Length");
    return success();
  }
  std::string Body(*Length, '\0');
  if (std::fread(Body.data(), 1, Body.size(), In) != Body.size())
    return failure();
  Json = checkedMessage(Body);
  return success();
}

LogicalResult MessageInput::readDelimitedMessage(std::string &Json) {
  return readStandardMessage(Json);
}

} // namespace catt
