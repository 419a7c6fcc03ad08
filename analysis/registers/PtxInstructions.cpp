//===- PtxInstructions.cpp - Labels, instructions and blocks of PTX -------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/registers/PtxReader.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using llvm::StringRef;

namespace catt::ptx {

void Reader::startBlock() {
  Open = false;
  if (!F.Blocks.empty() && F.Blocks.back().First == F.Instructions.size())
    return; // still empty: two labels in a row
  Block B;
  B.First = F.Instructions.size();
  F.Blocks.push_back(B);
}

bool Reader::label() {
  StringRef Word = take().Text;
  take();
  if (peek().is(".branchtargets") || peek().is(".calltargets")) {
    std::vector<std::string> &Table = Tables[Word];
    take();
    while (!atEnd() && !peek().is(';')) {
      if (peek().Is == Token::Kind::Word)
        Table.push_back(peek().Text.str());
      take();
    }
    return skipStatement();
  }
  if (peek().is(".callprototype"))
    return skipStatement();
  startBlock();
  Labels[Word] = F.Blocks.size() - 1;
  return false;
}

static bool isSpecial(StringRef Word) {
  static constexpr StringRef Names[] = {
      "tid",        "ntid",        "laneid",       "warpid",
      "nwarpid",    "ctaid",       "nctaid",       "smid",
      "nsmid",      "gridid",      "clusterid",    "nclusterid",
      "cluster",    "is_explicit", "lanemask",     "clock",
      "pm",         "envreg",      "globaltimer",  "reserved_smem",
      "total_smem", "aggr_smem",   "dynamic_smem", "current_graph"};
  return Word.consume_front("%") &&
         llvm::any_of(Names, [&](StringRef N) { return Word.starts_with(N); });
}

/// Sets Id if Word names a register. Failure: it looks like one and is none.
bool Reader::lookUp(StringRef Word, std::optional<unsigned> &Id) {
  StringRef Whole = Word.ends_with(".x") || Word.ends_with(".y") ||
                            Word.ends_with(".z") || Word.ends_with(".w")
                        ? Word.drop_back(2)
                        : Word;
  StringRef Prefix = Word.rtrim("0123456789");
  uint64_t Number = 0;
  bool Numbered = !Word.drop_front(Prefix.size()).getAsInteger(10, Number);
  for (Scope &S : llvm::reverse(Scopes)) {
    for (StringRef Spelling : {Word, Whole})
      if (auto Known = S.Names.find(Spelling); Known != S.Names.end()) {
        Id = Known->second;
        return false;
      }
    auto In = S.Ranges.find(Prefix);
    if (Numbered && In != S.Ranges.end() && Number < In->second.Count) {
      Id = F.Registers.size();
      F.Registers.push_back({Word.str(), In->second.Bits});
      S.Names[Word] = *Id;
      return false;
    }
  }
  return Word.starts_with("%") && !isSpecial(Word) &&
         fail("the register " + Word + " is not declared");
}

/// One word, number or sign of an operand.
bool Reader::atom(Operand &Into) {
  const Token &T = peek();
  if (T.Is != Token::Kind::Word) {
    Into.Text += T.Text;
    take();
    return false;
  }
  std::optional<unsigned> Id;
  if (lookUp(T.Text, Id))
    return true;
  if (Id)
    Into.Registers.push_back(*Id);
  else
    Into.Text += T.Text;
  take();
  return false;
}

/// To the ',' or ';' outside all brackets.
bool Reader::operand(Operand &Into) {
  unsigned Depth = 0;
  while (Depth != 0 || !(peek().is(',') || peek().is(';'))) {
    const Token &T = peek();
    if (atEnd() || (T.is(';') && Depth != 0))
      return fail("an instruction ends inside an operand");
    if (T.is('[') || T.is('{') || T.is('(')) {
      Into.Memory |= T.is('[');
      Into.List |= T.is('(');
      ++Depth;
      take();
    } else if (T.is(']') || T.is('}') || T.is(')')) {
      if (Depth == 0)
        return fail("'" + T.Text + "' closes nothing");
      --Depth;
      take();
    } else if (T.is(',')) {
      take();
    } else if (atom(Into)) {
      return true;
    }
  }
  return false;
}

bool Reader::instruction() {
  if (Open)
    startBlock();
  Instruction I;
  I.TextLine = peek().Line;
  I.At = At;
  I.InlinedAt = InlinedAt;
  if (peek().is('@')) {
    take();
    if (peek().is('!'))
      take();
    Operand Guard;
    if (atom(Guard))
      return true;
    if (Guard.Registers.size() != 1)
      return fail("a guard is no predicate");
    I.Guard = Guard.Registers.front();
  }
  if (peek().Is != Token::Kind::Word)
    return fail("there is no instruction behind the guard");
  I.Opcode = take().Text.str();
  while (!peek().is(';')) {
    Operand O;
    if (operand(O))
      return true;
    I.Operands.push_back(std::move(O));
    if (peek().is(','))
      take();
  }
  take();
  definesAndUses(I);
  F.Instructions.push_back(std::move(I));
  const Instruction &Last = F.Instructions.back();
  StringRef Base = Last.base();
  if (Base == "bra" || Base == "brx")
    for (const Operand &O : Last.Operands)
      if (O.Registers.empty())
        Jumps.push_back({static_cast<unsigned>(F.Instructions.size() - 1),
                         O.Text, Last.TextLine});
  Open = Base == "bra" || Base == "brx" || Base == "ret" || Base == "exit" ||
         Base == "trap";
  return false;
}

/// True for opcodes whose first operand is read although it is a register.
static bool readsFirst(const Instruction &I) {
  bool Barrier = I.base() == "bar" || I.base() == "barrier";
  return llvm::StringSwitch<bool>(I.base())
             .Cases({"bra", "brx", "nanosleep", "stackrestore", "ret", "exit"},
                    true)
             .Cases({"st", "red", "pmevent", "setmaxnreg"}, true)
             .Default(false) ||
         (Barrier && !I.has("red"));
}

void Reader::definesAndUses(Instruction &I) {
  bool IsCall = I.base() == "call";
  for (auto [Number, O] : llvm::enumerate(I.Operands)) {
    bool First = Number == 0 && !O.Memory;
    // call (results), name, (arguments);  or  call name, (arguments);
    bool Result = IsCall ? O.List : !readsFirst(I);
    if (First && Result)
      I.Defines = O.Registers;
    if (!First || !Result || I.base() == "wgmma" || I.Guard)
      llvm::append_range(I.Uses, O.Registers);
  }
  if (I.Guard)
    I.Uses.push_back(*I.Guard);
  if (IsCall && !I.Operands.empty()) {
    bool HasResult = I.Operands.front().List && I.Operands.size() > 1;
    I.Callee = I.Operands[HasResult ? 1 : 0].Text;
  }
}

/// Puts the ends of the jumps into the blocks.
bool Reader::finishJumps() {
  for (unsigned B = 0; B != F.Blocks.size(); ++B)
    F.Blocks[B].End =
        B + 1 < F.Blocks.size() ? F.Blocks[B + 1].First : F.Instructions.size();
  for (const Jump &J : Jumps) {
    std::vector<std::string> Targets = {J.Label};
    if (auto Table = Tables.find(J.Label); Table != Tables.end())
      Targets = Table->second;
    for (const std::string &Target : Targets) {
      auto To = Labels.find(Target);
      if (To == Labels.end()) {
        Problem = (Name + ":" + llvm::Twine(J.TextLine) +
                   ": there is no label " + Target)
                      .str();
        return true;
      }
      auto From = llvm::partition_point(
          F.Blocks, [&](const Block &B) { return B.End <= J.Instruction; });
      From->Successors.push_back(To->second);
    }
  }
  return false;
}

/// Adds the ways that fall through, and drops doubled ones.
void Reader::finishBlocks() {
  for (unsigned B = 0; B != F.Blocks.size(); ++B) {
    Block &This = F.Blocks[B];
    bool Falls = true;
    if (This.First != This.End) {
      const Instruction &Last = F.Instructions[This.End - 1];
      StringRef Base = Last.base();
      bool Leaves = Base == "bra" || Base == "brx" || Base == "ret" ||
                    Base == "exit" || Base == "trap";
      Falls = !Leaves || Last.Guard;
    }
    if (Falls && B + 1 != F.Blocks.size())
      This.Successors.push_back(B + 1);
    llvm::sort(This.Successors);
    This.Successors.erase(
        std::unique(This.Successors.begin(), This.Successors.end()),
        This.Successors.end());
  }
}

} // namespace catt::ptx
