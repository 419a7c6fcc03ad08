//===- Ptx.cpp - Reader of PTX text ---------------------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/registers/Ptx.h"
#include "analysis/registers/PtxLexer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

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

std::string Module::fileName(unsigned Number) const {
  for (const auto &[N, Name] : Files)
    if (N == Number)
      return Name;
  return "";
}

namespace {

/// `%r<56>`: registers %r0 to %r55.
struct Range {
  unsigned Bits = 0;
  uint64_t Count = 0;
};

/// The names that a pair of braces declares.
struct Scope {
  llvm::StringMap<unsigned> Names; ///< to Function::Registers
  llvm::StringMap<Range> Ranges;   ///< by prefix
};

/// A label, or a jump to one that may come later.
struct Jump {
  unsigned Instruction = 0;
  std::string Label;
  unsigned TextLine = 0;
};

class Reader {
public:
  Reader(StringRef Text, StringRef Name) : Tokens(lexPtx(Text)), Name(Name) {}
  llvm::Expected<Module> run();

private:
  // All of these return true on failure, after fail() has noted why.
  bool fail(const llvm::Twine &Why);
  bool moduleItem();
  bool function(bool IsEntry);
  bool parameters();
  bool attributes();
  bool body();
  bool statement();
  bool declaration();
  bool registers();
  bool localVariable();
  bool label();
  bool instruction();
  bool operand(Operand &Into);
  bool atom(Operand &Into);
  bool call();
  bool lookUp(StringRef Word, std::optional<unsigned> &Id);
  bool finishJumps();
  bool skipStatement();

  void place();
  void file();
  bool number(uint64_t &Into);
  std::vector<Token> restOfLine();
  void definesAndUses(Instruction &I);
  void finishBlocks();
  void startBlock();
  unsigned addRegister(StringRef Name, unsigned Bits);

  const Token &peek(unsigned Ahead = 0) const {
    return Tokens[std::min<size_t>(Next + Ahead, Tokens.size() - 1)];
  }
  const Token &take() {
    const Token &T = peek();
    Next = std::min(Next + 1, Tokens.size() - 1);
    return T;
  }
  bool atEnd() const { return peek().Is == Token::Kind::End; }

  std::vector<Token> Tokens;
  StringRef Name;
  size_t Next = 0;
  std::string Problem;
  Module M;
  // Of the function being read:
  Function F;
  std::vector<Scope> Scopes;
  llvm::StringMap<unsigned> Labels;                 ///< to the block behind it
  llvm::StringMap<std::vector<std::string>> Tables; ///< of .branchtargets
  std::vector<Jump> Jumps;
  Mark At, InlinedAt;
  bool Open = true; ///< the next instruction starts a block
};

} // namespace

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
    else if (T.Is == Token::Kind::String)
      Path = Path.empty() || T.Text.starts_with("/")
                 ? T.Text.str()
                 : Path + "/" + T.Text.str();
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

llvm::Expected<Module> Reader::run() {
  while (!atEnd())
    if (moduleItem())
      return llvm::createStringError(llvm::inconvertibleErrorCode(), Problem);
  return std::move(M);
}

llvm::Expected<Module> readPtx(StringRef Text, StringRef Name) {
  return Reader(Text, Name).run();
}

} // namespace catt::ptx
