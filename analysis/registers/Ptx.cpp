//===- Ptx.cpp - Reader of PTX text ---------------------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/registers/Ptx.h"
#include "analysis/registers/PtxReader.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"

using llvm::StringRef;

namespace catt::ptx {

bool Instruction::has(StringRef Word) const {
  StringRef Rest = Opcode;
  while (!Rest.empty()) {
    auto [First, Next] = Rest.split('.');
    if (First == Word)
      return true;
    Rest = Next;
  }
  return false;
}

const Function *Module::find(StringRef Name) const {
  auto At = llvm::find_if(Functions,
                          [&](const Function &F) { return F.Name == Name; });
  return At == Functions.end() ? nullptr : &*At;
}

const Function *Module::findKernel(StringRef Mangled) const {
  if (const Function *F = find(Mangled))
    return F;
  std::string Wanted = llvm::demangle(Mangled);
  const Function *Found = nullptr;
  for (const Function &F : Functions)
    if (F.IsEntry && llvm::demangle(F.Name) == Wanted) {
      if (Found)
        return nullptr;
      Found = &F;
    }
  return Found;
}

std::string Module::fileName(unsigned Number) const {
  for (const auto &[N, Name] : Files)
    if (N == Number)
      return Name;
  return "";
}

bool Reader::fail(const llvm::Twine &Why) {
  if (Problem.empty())
    Problem = (Name + ":" + llvm::Twine(peek().Line) + ": " + Why).str();
  return true;
}

/// Skips to behind the next ';', or behind a braced initializer's.
bool Reader::skipStatement() {
  while (!atEnd())
    if (take().is(';'))
      return false;
  return fail("the text ends before a ';'");
}

std::vector<Token> Reader::restOfLine() {
  std::vector<Token> Line;
  unsigned Number = peek().Line;
  while (!atEnd() && peek().Line == Number)
    Line.push_back(take());
  return Line;
}

static unsigned asNumber(const Token &T) {
  unsigned Value = 0;
  return T.Text.getAsInteger(0, Value) ? 0 : Value;
}

/// .loc file line column [, function_name label, inlined_at file line column]
void Reader::place() {
  std::vector<Token> Line = restOfLine();
  auto Read = [&](size_t From) {
    return From + 2 < Line.size()
               ? Mark{asNumber(Line[From]), asNumber(Line[From + 1]),
                      asNumber(Line[From + 2])}
               : Mark();
  };
  At = Read(0);
  InlinedAt = Mark();
  for (size_t I = 3; I < Line.size(); ++I)
    if (Line[I].is("inlined_at"))
      InlinedAt = Read(I + 1);
}

/// .file number "directory" "name", or with one string that holds both.
void Reader::file() {
  unsigned Number = 0;
  std::string Path;
  for (const Token &T : restOfLine()) {
    if (T.Is == Token::Kind::Number && Path.empty())
      Number = asNumber(T);
    else if (T.Is == Token::Kind::String) {
      if (T.Text.starts_with("/"))
        Path.clear();
      if (!Path.empty())
        Path += '/';
      Path += T.Text;
    }
  }
  M.Files.emplace_back(Number, std::move(Path));
}

bool Reader::moduleItem() {
  Token T = take();
  if (T.is(".version") || T.is(".address_size")) {
    restOfLine();
    return false;
  }
  if (T.is(".target")) {
    std::vector<Token> Line = restOfLine();
    M.Target = Line.empty() ? "" : Line.front().Text.str();
    return false;
  }
  if (T.is(".file")) {
    file();
    return false;
  }
  if (T.is(".section")) {
    while (!atEnd() && !peek().is('}'))
      take();
    take();
    return false;
  }
  if (T.is(".visible") || T.is(".extern") || T.is(".weak") || T.is(".common"))
    return false;
  if (T.is(".entry") || T.is(".func"))
    return function(T.is(".entry"));
  if (T.is(';'))
    return false;
  if (T.Is == Token::Kind::Word && T.Text.starts_with("."))
    return skipStatement(); // .global, .const, .shared, .pragma, .alias
  return fail("'" + T.Text + "' is no PTX directive");
}

/// A parameter list, behind its '('; registers in it are declared.
bool Reader::parameters() {
  take();
  while (!peek().is(')')) {
    if (atEnd())
      return fail("the text ends inside a parameter list");
    if (peek().is(".reg")) {
      take();
      unsigned Bits = 32;
      while (peek().Text.starts_with("."))
        Bits = asNumber({Token::Kind::Number, take().Text.drop_front(2), 0});
      if (peek().Is == Token::Kind::Word)
        addRegister(take().Text, std::max(Bits, 1U));
      continue;
    }
    take();
  }
  take();
  return false;
}

/// .maxntid, .reqntid, .minnctapersm, .maxnreg and what else stands before the
/// body.
bool Reader::attributes() {
  while (!peek().is('{') && !peek().is(';')) {
    if (atEnd())
      return fail("the text ends before the body of " + F.Name);
    Token Which = take();
    bool Threads = Which.is(".maxntid") || Which.is(".reqntid");
    if (!Threads && !Which.is(".minnctapersm") && !Which.is(".maxnreg"))
      continue;
    unsigned Product = std::max(asNumber(take()), 1U);
    while (Threads && peek().is(',')) {
      take();
      Product *= std::max(asNumber(take()), 1U);
    }
    (Threads                     ? F.MaxThreads
     : Which.is(".minnctapersm") ? F.MinBlocks
                                 : F.MaxRegisters) = Product;
  }
  return false;
}

bool Reader::function(bool IsEntry) {
  F = Function();
  F.IsEntry = IsEntry;
  F.TextLine = peek().Line;
  Scopes.assign(1, {});
  Labels.clear();
  Tables.clear();
  Jumps.clear();
  At = InlinedAt = Mark();
  Open = true;
  while (peek().Text.starts_with(".")) // .attribute and the like
    take();
  if (peek().is('(') && parameters())
    return true;
  if (peek().Is != Token::Kind::Word)
    return fail("a function has no name");
  F.Name = take().Text.str();
  if ((peek().is('(') && parameters()) || attributes())
    return true;
  if (take().is(';'))
    return false; // a declaration
  if (body() || finishJumps())
    return true;
  finishBlocks();
  M.Functions.push_back(std::move(F));
  return false;
}

/// Statements to the '}' that closes the function.
bool Reader::body() {
  unsigned Depth = 1;
  while (Depth != 0) {
    if (atEnd())
      return fail("the text ends inside the function " + F.Name);
    if (peek().is('{')) {
      take();
      ++Depth;
      Scopes.emplace_back();
    } else if (peek().is('}')) {
      take();
      --Depth;
      Scopes.pop_back();
    } else if (statement()) {
      return true;
    }
  }
  return false;
}

bool Reader::statement() {
  const Token &T = peek();
  if (T.is(';')) {
    take();
    return false;
  }
  if (T.Is == Token::Kind::Word && peek(1).is(':'))
    return label();
  if (T.Is == Token::Kind::Word && T.Text.starts_with("."))
    return declaration();
  if (T.is('@') || T.Is == Token::Kind::Word)
    return instruction();
  return fail("'" + T.Text + "' starts no statement");
}

bool Reader::declaration() {
  Token T = take();
  if (T.is(".loc")) {
    place();
    return false;
  }
  if (T.is(".file")) {
    file();
    return false;
  }
  if (T.is(".reg"))
    return registers();
  if (T.is(".local"))
    return localVariable();
  if (T.is(".pragma") && peek().Text == "nounroll") {
    startBlock();
    F.Blocks.back().NoUnroll = true;
  }
  return skipStatement(); // .param, .shared, .pragma
}

static unsigned bitsOf(StringRef Type) {
  if (Type == ".pred")
    return 1;
  if (Type == ".f16x2" || Type == ".bf16x2")
    return 32;
  unsigned Bits = 0;
  StringRef Digits = Type.drop_while([](char C) { return !llvm::isDigit(C); });
  return Digits.getAsInteger(10, Bits) || Bits > 1024 ? 0 : Bits;
}

unsigned Reader::addRegister(StringRef Register, unsigned Bits) {
  unsigned Id = F.Registers.size();
  F.Registers.push_back({Register.str(), Bits});
  Scopes.back().Names[Register] = Id;
  return Id;
}

/// .reg [.v2|.v4] .type name [, name<count>] ...;
bool Reader::registers() {
  unsigned Elements = 1, Bits = 0;
  while (peek().Text.starts_with(".")) {
    StringRef Type = take().Text;
    if (Type.starts_with(".v") && Type.size() == 3)
      Elements = std::max(bitsOf(Type), 1U);
    else
      Bits = bitsOf(Type);
  }
  if (Bits == 0)
    return fail("a .reg has no type");
  while (!peek().is(';')) {
    if (peek().Is != Token::Kind::Word)
      return fail("a .reg names no register");
    StringRef Which = take().Text;
    if (peek().is('<')) {
      take();
      uint64_t Count = 0;
      if (take().Text.getAsInteger(0, Count) || !take().is('>'))
        return fail("a range of registers has no count");
      Scopes.back().Ranges[Which] = {Bits * Elements, Count};
    } else {
      addRegister(Which, Bits * Elements);
    }
    if (peek().is(','))
      take();
  }
  take();
  return false;
}

/// .local .align 8 .b8 name[bytes];
bool Reader::localVariable() {
  unsigned Bits = 8, Count = 1;
  while (!peek().is(';')) {
    if (atEnd())
      return fail("the text ends inside a .local");
    const Token &T = take();
    if (T.is(".align"))
      take();
    else if (T.Is == Token::Kind::Word && T.Text.starts_with("."))
      Bits = std::max(bitsOf(T.Text), 8U);
    else if (T.is('['))
      Count = asNumber(peek());
  }
  take();
  F.LocalBytes += Bits / 8 * Count;
  return false;
}

llvm::Expected<Module> Reader::run() {
  while (!atEnd())
    if (moduleItem())
      return llvm::createStringError(Problem);
  return std::move(M);
}

llvm::Expected<Module> readPtx(StringRef Text, StringRef Name) {
  return Reader(Text, Name).run();
}

} // namespace catt::ptx
