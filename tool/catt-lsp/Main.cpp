//===- Main.cpp - The language server as a program ------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Server.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

static const char *Usage =
    "usage: catt-lsp [--stdio] [--log=error|info] [--version] [--help]\n\n"
    "Speaks the Language Server Protocol 3.17 on standard input and output.\n"
    "Its settings come from the editor; docs/editors.md lists them.\n";

/// Runs until the editor says `exit` or closes the stream.
static int serve() {
  (void)sys::ChangeStdinToBinary();
  (void)sys::ChangeStdoutToBinary();
  CrashRecoveryContext::Enable();
  lsp::JSONTransport Transport(std::make_unique<catt::MessageInput>(stdin),
                               outs());
  lsp::MessageHandler Messages(Transport);
  catt::Server Server(Messages);
  if (Error E = Transport.run(Messages)) {
    lsp::Logger::error("{0}", toString(std::move(E)));
    return 1;
  }
  // Protocol: `exit` without `shutdown` is a failure.
  return Server.wasShutDown() ? 0 : 1;
}

int main(int Argc, char **Argv) {
  for (StringRef Argument : ArrayRef(Argv, Argc).drop_front()) {
    if (Argument == "--version") {
      outs() << "catt-lsp " CATT_VERSION " (LLVM " LLVM_VERSION_STRING ")\n";
      return 0;
    }
    if (Argument == "--help") {
      outs() << Usage;
      return 0;
    }
    if (Argument == "--log=info")
      lsp::Logger::setLogLevel(lsp::Logger::Level::Info);
    else if (Argument != "--stdio" && Argument != "--log=error") {
      errs() << "catt-lsp: error: unknown argument '" << Argument << "'\n"
             << Usage;
      return 2;
    }
  }
  return serve();
}
