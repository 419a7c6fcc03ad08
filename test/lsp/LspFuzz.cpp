//===- LspFuzz.cpp - Any bytes, sent to the language server --------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   an input   one message on each line; a line that begins with a tab goes to
//              the stream as it is, without the header of a frame
//
// A server of its own takes each input behind a proper `initialize`. libFuzzer
// starts from the messages of LspFuzz.txt and follows the coverage of what
// reads messages (Wire, Requests, EditorSettings, Text, Documents, Server).
//
//   catt-lsp-fuzz -runs=100000 -seed_inputs=$(a file for each seed)
//
//===----------------------------------------------------------------------===//
#include "tool/catt-lsp/Server.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

static void frame(std::string &Stream, StringRef Body) {
  Stream += "Content-Length: " + std::to_string(Body.size()) + "\r\n\r\n";
  Stream += Body;
}

/// Without compile commands nothing is parsed: what is tested here is the way
/// there, thousands of times.
static const char *Initialize =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":)"
    R"({"workspace":{"applyEdit":true}},"initializationOptions":)"
    R"({"buildPath":"/nowhere"}}})";

// The names are libFuzzer's.
// NOLINTBEGIN(readability-identifier-naming)
extern "C" int LLVMFuzzerInitialize(int *, char ***) {
  lsp::Logger::setLogLevel(lsp::Logger::Level::Error);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  std::string Stream;
  frame(Stream, Initialize);
  for (StringRef Line : split(toStringRef(ArrayRef(Data, Size)), '\n'))
    if (Line.consume_front("\t"))
      Stream += Line.str() + "\n";
    else
      frame(Stream, Line);
  std::FILE *In = fmemopen(Stream.data(), Stream.size(), "r");
  if (!In)
    return -1;
  {
    raw_null_ostream Out;
    lsp::JSONTransport Transport(std::make_unique<catt::MessageInput>(In), Out);
    lsp::MessageHandler Messages(Transport);
    catt::Server Server(Messages);
    if (Error E = Transport.run(Messages))
      consumeError(std::move(E));
  }
  (void)std::fclose(In);
  return 0;
}
// NOLINTEND(readability-identifier-naming)
