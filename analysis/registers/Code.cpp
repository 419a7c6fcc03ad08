//===- Code.cpp - PTX as the register allocator sees it -------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/registers/Code.h"
#include "analysis/registers/InstructionCosts.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSwitch.h"
#include <map>

using llvm::StringRef;

namespace catt {

namespace {

using ptx::Instruction;

/// What becomes of a PTX register.
enum class Fate : uint8_t {
  Kept,     ///< needs registers
  Constant, ///< an operand of the instructions that use it
  Same,     ///< another name of Of
  Index,    ///< Of, widened and scaled by the additions that use it
};

struct Meaning {
  Fate Is = Fate::Kept;
  unsigned Of = 0;
};

class Lowering {
public:
  explicit Lowering(const ptx::Function &F);
  Code run();

private:
  void countDefinitions();
  void classify();
  Meaning meaning(const Instruction &I, unsigned Number) const;
  bool isConstant(const Instruction &I) const;
  bool isSource(unsigned Register) const;
  bool onlyAddedTo(unsigned Register, unsigned Number) const;
  std::optional<unsigned> standsFor(unsigned Register) const;
  void markDead();
  void emit(unsigned Number);
  void emitCallArguments(const Instruction &I, Operation &O);
  unsigned value(unsigned Register);
  void emitBlocks();

  const ptx::Function &F;
  Code Result;
  std::vector<unsigned> Definitions;        ///< of a register: how many
  std::vector<std::vector<unsigned>> Users; ///< of a register: instructions
  std::vector<unsigned> BlockOf;            ///< of an instruction
  std::vector<Meaning> Meanings;            ///< of a register
  llvm::BitVector Dead;                     ///< instructions
  std::map<unsigned, unsigned> Values;      ///< register -> value
  std::vector<unsigned> Arguments;          ///< of the call to come
};

} // namespace

Lowering::Lowering(const ptx::Function &F)
    : F(F), Definitions(F.Registers.size()), Users(F.Registers.size()),
      BlockOf(F.Instructions.size()), Meanings(F.Registers.size()),
      Dead(F.Instructions.size()) {}

void Lowering::countDefinitions() {
  for (auto [Number, I] : llvm::enumerate(F.Instructions)) {
    for (unsigned R : I.Defines)
      ++Definitions[R];
    for (unsigned R : I.Uses)
      Users[R].push_back(Number);
  }
  for (auto [Number, B] : llvm::enumerate(F.Blocks))
    for (unsigned I = B.First; I != B.End; ++I)
      BlockOf[I] = Number;
}

static bool hasSideEffects(const Instruction &I) {
  return I.Defines.empty() || I.has("volatile") || I.has("sync") ||
         llvm::StringSwitch<bool>(I.base())
             .Cases({"atom", "call", "wgmma", "mbarrier", "bar", "barrier"},
                    true)
             .Default(false);
}

/// True if machine code has the result as an operand: an immediate, a kernel
/// parameter, the size of the block or of the grid, or integer arithmetic on
/// such (the uniform data path, sm_75 and later).
bool Lowering::isConstant(const Instruction &I) const {
  StringRef Base = I.base();
  if (I.Guard || I.Operands.size() < 2)
    return false;
  if (Base == "ld" && I.has("param"))
    return StringRef(I.Operands[1].Text).starts_with(F.Name);
  bool Integer =
      !StringRef(I.Opcode).contains(".f") &&
      llvm::StringSwitch<bool>(Base)
          .Cases({"mov", "add", "sub", "shl", "shr", "and", "or", "xor"}, true)
          .Cases({"not", "neg", "mul", "mad", "cvt", "cvta", "min", "max"},
                 true)
          .Default(Base == "mov");
  if (!Integer && Base != "mov")
    return false;
  for (const ptx::Operand &O : llvm::drop_begin(I.Operands)) {
    StringRef Text = O.Text;
    if (Text.starts_with("%") && !Text.starts_with("%ntid") &&
        !Text.starts_with("%nctaid"))
      return false;
    for (unsigned R : O.Registers)
      if (Meanings[R].Is != Fate::Constant)
        return false;
  }
  return true;
}

/// True if a register means one value everywhere.
bool Lowering::isSource(unsigned Register) const {
  return Definitions[Register] == 1;
}

/// True if every use, in the block of instruction Number, adds it to an address
/// or scales it for that.
bool Lowering::onlyAddedTo(unsigned Register, unsigned Number) const {
  return llvm::all_of(Users[Register], [&](unsigned User) {
    const Instruction &I = F.Instructions[User];
    bool Scales = (I.base() == "shl" || I.base() == "mul") &&
                  I.Defines.size() == 1 &&
                  F.Registers[I.Defines.front()].Bits == 64 &&
                  Meanings[I.Defines.front()].Is == Fate::Index;
    return !I.Guard && (I.base() == "add" || Scales) &&
           (BlockOf[User] == BlockOf[Number] ||
            isSource(F.Instructions[Number].Uses.front()));
  });
}

/// Of the register that instruction Number defines.
Meaning Lowering::meaning(const Instruction &I, unsigned Number) const {
  unsigned To = I.Defines.front();
  if (isConstant(I))
    return {Fate::Constant, 0};
  StringRef Base = I.base();
  if (I.Guard || I.Uses.size() != 1)
    return {};
  unsigned From = I.Uses.front();
  if ((Base == "mov" || Base == "cvta") && isSource(From) &&
      F.Registers[From].Bits == F.Registers[To].Bits)
    return {Fate::Same, From};
  bool Widens = (Base == "mul" && I.has("wide")) ||
                (Base == "cvt" && F.Registers[From].Bits == 32) ||
                (Base == "shl" && Meanings[From].Is == Fate::Index);
  bool ToAddress =
      F.Registers[To].Bits == 64 && !StringRef(I.Opcode).contains(".f");
  if (Widens && ToAddress && onlyAddedTo(To, Number))
    return {Fate::Index, From};
  return {};
}

void Lowering::classify() {
  for (auto [Number, I] : llvm::enumerate(F.Instructions))
    if (I.Defines.size() == 1 && isSource(I.Defines.front()))
      Meanings[I.Defines.front()] = meaning(I, Number);
}

/// The kept register behind a register, if any.
std::optional<unsigned> Lowering::standsFor(unsigned Register) const {
  while (Meanings[Register].Is == Fate::Same ||
         Meanings[Register].Is == Fate::Index)
    Register = Meanings[Register].Of;
  if (Meanings[Register].Is == Fate::Constant)
    return std::nullopt;
  return Register;
}

/// Marks what computes nothing that is used.
void Lowering::markDead() {
  std::vector<unsigned> Left(F.Registers.size());
  for (auto [R, List] : llvm::enumerate(Users))
    Left[R] = List.size();
  llvm::SmallVector<unsigned> Work;
  auto Visit = [&](unsigned Number) {
    const Instruction &I = F.Instructions[Number];
    if (Dead[Number] || hasSideEffects(I) ||
        llvm::any_of(I.Defines, [&](unsigned R) { return Left[R] != 0; }))
      return;
    Dead.set(Number);
    for (unsigned R : I.Uses)
      if (--Left[R] == 0)
        Work.push_back(R);
  };
  std::vector<std::vector<unsigned>> Makers(F.Registers.size());
  for (auto [Number, I] : llvm::enumerate(F.Instructions))
    for (unsigned R : I.Defines)
      Makers[R].push_back(Number);
  for (unsigned Number = 0; Number != F.Instructions.size(); ++Number)
    Visit(Number);
  while (!Work.empty())
    for (unsigned Maker : Makers[Work.pop_back_val()])
      Visit(Maker);
}

unsigned Lowering::value(unsigned Register) {
  auto [At, New] = Values.try_emplace(Register, Result.Values.size());
  if (New)
    Result.Values.push_back({F.Registers[Register].words(), Register});
  return At->second;
}

/// Arguments of a call stay in registers until it.
void Lowering::emitCallArguments(const Instruction &I, Operation &O) {
  if (I.base() != "call")
    return;
  llvm::append_range(O.Uses, Arguments);
  Arguments.clear();
  if (I.Callee.empty())
    Result.Notes.push_back("line " + std::to_string(I.TextLine) +
                           " of the PTX calls through a pointer; the registers "
                           "of what it calls are not counted");
}

/// True for v + c, v * 2, and the like: if the next iteration's v is this one's
/// and a number, so is the result.
static bool isLinear(const Instruction &I) {
  if (I.Guard || I.Defines.size() != 1 || StringRef(I.Opcode).contains(".f"))
    return false;
  StringRef Base = I.base();
  if (Base == "add" || Base == "sub" || Base == "mov" || Base == "cvt")
    return true;
  return (Base == "shl" || Base == "mul") && I.Operands.size() == 3 &&
         I.Operands[2].Registers.empty();
}

static uint8_t spaceOf(const Instruction &I) {
  return I.has("global")   ? Space::Global
         : I.has("shared") ? Space::Shared
         : I.has("local")  ? Space::Local
                           : Space::Anywhere;
}

/// What keeps it in its place.
static void addOrder(const Instruction &I, Operation &O) {
  StringRef Base = I.base();
  O.EndsBlock = Base == "bra" || Base == "brx" || Base == "ret" ||
                Base == "exit" || Base == "trap";
  bool Inlined = isMathFunction(I.Callee);
  O.Calls = Base == "call" && !Inlined;
  if (O.EndsBlock || Inlined)
    return;
  if (Base == "ld" && !I.has("volatile")) {
    if (!I.has("nc") && !I.has("const") && !I.has("param"))
      O.Reads = spaceOf(I);
  } else if (Base == "st" && !I.has("volatile")) {
    O.Writes = spaceOf(I);
  } else if (hasSideEffects(I)) {
    O.Reads = O.Writes = Space::Anywhere;
  }
}

void Lowering::emit(unsigned Number) {
  const Instruction &I = F.Instructions[Number];
  bool Folded = I.Defines.size() == 1 && isSource(I.Defines.front()) &&
                Meanings[I.Defines.front()].Is != Fate::Kept;
  if (Dead[Number] || Folded)
    return;
  Operation O;
  O.From = Number;
  for (unsigned R : I.Uses)
    if (auto Kept = standsFor(R))
      O.Uses.push_back(value(*Kept));
  if (I.base() == "st" && I.has("param")) {
    llvm::append_range(Arguments, O.Uses);
    return;
  }
  emitCallArguments(I, O);
  for (unsigned R : I.Defines)
    O.Defines.push_back(value(R));
  llvm::sort(O.Uses);
  O.Uses.erase(std::unique(O.Uses.begin(), O.Uses.end()), O.Uses.end());
  InstructionCost Cost = costOf(I);
  O.Latency = Cost.Latency;
  O.Temporaries = Cost.Temporaries;
  // An address that is a constant must come into registers first.
  for (const ptx::Operand &Op : I.Operands)
    if (Op.Memory && Op.Registers.size() == 1 && !standsFor(Op.Registers[0]) &&
        F.Registers[Op.Registers[0]].Bits == 64)
      O.Temporaries += 2;
  addOrder(I, O);
  O.IsCopy = I.base() == "mov" && O.Uses.size() == 1 && O.Defines.size() == 1;
  O.IsLinear = isLinear(I);
  O.IsStep =
      O.IsCopy || (O.IsLinear && I.base() == "add" && I.Uses.size() == 1);
  Result.Operations.push_back(std::move(O));
}

void Lowering::emitBlocks() {
  for (const ptx::Block &B : F.Blocks) {
    CodeBlock C;
    C.First = Result.Operations.size();
    for (unsigned I = B.First; I != B.End; ++I)
      emit(I);
    C.End = Result.Operations.size();
    C.Successors = B.Successors;
    C.NoUnroll = B.NoUnroll;
    C.Loops = llvm::is_contained(B.Successors, Result.Blocks.size());
    Result.Blocks.push_back(std::move(C));
  }
}

/// Edges to a block that is still being visited from the entry, depth first.
static std::vector<std::pair<unsigned, unsigned>>
backEdges(const std::vector<CodeBlock> &Blocks) {
  enum : uint8_t { New, Entered, Left };
  std::vector<uint8_t> State(Blocks.size(), New);
  std::vector<std::pair<unsigned, unsigned>> Found, Stack; // block, next edge
  for (unsigned Root = 0; Root != Blocks.size(); ++Root) {
    if (State[Root] != New)
      continue;
    Stack.emplace_back(Root, 0);
    State[Root] = Entered;
    while (!Stack.empty()) {
      auto &[B, Edge] = Stack.back();
      if (Edge == Blocks[B].Successors.size()) {
        State[B] = Left;
        Stack.pop_back();
        continue;
      }
      unsigned To = Blocks[B].Successors[Edge++];
      if (State[To] == Entered)
        Found.emplace_back(B, To);
      else if (State[To] == New) {
        State[To] = Entered;
        Stack.emplace_back(To, 0);
      }
    }
  }
  return Found;
}

/// Counts the loops around each block: those of one header are one loop.
static void countLoops(std::vector<CodeBlock> &Blocks) {
  std::vector<std::vector<unsigned>> Predecessors(Blocks.size());
  for (auto [B, Block] : llvm::enumerate(Blocks))
    for (unsigned To : Block.Successors)
      Predecessors[To].push_back(B);
  std::map<unsigned, llvm::BitVector> Loops;
  for (auto [From, Header] : backEdges(Blocks)) {
    llvm::BitVector &Body = Loops[Header];
    Body.resize(Blocks.size());
    Body.set(Header);
    llvm::SmallVector<unsigned> Work = {From};
    while (!Work.empty()) {
      unsigned B = Work.pop_back_val();
      if (Body[B])
        continue;
      Body.set(B);
      llvm::append_range(Work, Predecessors[B]);
    }
  }
  for (auto &[Header, Body] : Loops)
    for (unsigned B : Body.set_bits())
      ++Blocks[B].Depth;
}

Code Lowering::run() {
  countDefinitions();
  // An index is recognised by its users, which may come after it: the second
  // time they are known.
  classify();
  classify();
  markDead();
  emitBlocks();
  countLoops(Result.Blocks);
  return std::move(Result);
}

Code lower(const ptx::Function &F) { return Lowering(F).run(); }

} // namespace catt
