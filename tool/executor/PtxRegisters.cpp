//===- PtxRegisters.cpp - The operands of inline PTX -----------------------==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tool/executor/PtxRegisters.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using catt::simt::PtxRegisters;

namespace {

std::string withoutComments(StringRef Text) {
  std::string Out;
  for (size_t I = 0; I < Text.size();) {
    size_t End = StringRef::npos;
    if (Text.substr(I).starts_with("//"))
      End = Text.find('\n', I);
    else if (Text.substr(I).starts_with("/*"))
      End = Text.find("*/", I) + 2;
    else {
      Out += Text[I++];
      continue;
    }
    I = std::min(End, Text.size());
    Out += ' ';
  }
  return Out;
}

/// What clang writes for x86's dialects is PTX's own again.
std::string withoutEscapes(std::string Text) {
  for (auto [Escape, Character] :
       {std::pair("$(", "{"), std::pair("$)", "}"), std::pair("$|", "|")})
    for (size_t At; (At = Text.find(Escape)) != std::string::npos;)
      Text.replace(At, 2, Character);
  return Text;
}

} // namespace

std::vector<std::string> catt::simt::ptxStatements(StringRef Text) {
  std::vector<std::string> All(1);
  bool InVector = false;
  for (char C : withoutEscapes(withoutComments(Text))) {
    bool Begins = StringRef(All.back()).trim().empty();
    if (C == ';' || (Begins && (C == '{' || C == '}'))) {
      All.emplace_back();
      InVector = false;
      continue;
    }
    InVector = C == '{' || (InVector && C != '}');
    if (InVector && C == ',')
      C = '|';
    All.back() += isSpace(C) ? ' ' : C;
  }
  return All;
}

SmallVector<StringRef> catt::simt::ptxElements(StringRef Vector) {
  SmallVector<StringRef> All;
  if (Vector.consume_front("{") && Vector.consume_back("}"))
    Vector.split(All, '|');
  for (StringRef &One : All)
    One = One.trim();
  return All;
}

/// Outputs come first, then inputs, of which some begin as outputs' values.
bool PtxRegisters::bindOperands() {
  if (auto *S = dyn_cast<StructType>(C.getType()))
    Results.append(S->element_begin(), S->element_end());
  else if (!C.getType()->isVoidTy())
    Results.push_back(C.getType());
  auto &Text = *cast<InlineAsm>(C.getCalledOperand());
  unsigned Number = 0, Argument = 0;
  for (const InlineAsm::ConstraintInfo &I : Text.ParseConstraints()) {
    if (I.Type == InlineAsm::isClobber)
      continue;
    if (I.isIndirect)
      return false;
    std::string Name = "$" + std::to_string(Number++);
    if (I.Type == InlineAsm::isOutput)
      continue;
    Value *V = C.getArgOperand(Argument++);
    Values[Name] = V;
    unsigned Tied = 0;
    if (!I.Codes.empty() && !StringRef(I.Codes[0]).getAsInteger(10, Tied))
      Values["$" + std::to_string(Tied)] = V;
  }
  return true;
}

void PtxRegisters::replaceStatement() {
  if (!C.getType()->isVoidTy()) {
    Value *All = PoisonValue::get(C.getType());
    for (unsigned I = 0; I < Results.size(); ++I) {
      Value *V = Values.lookup("$" + std::to_string(I));
      V = V ? as(V, Results[I]) : Constant::getNullValue(Results[I]);
      All = C.getType()->isStructTy() ? B.CreateInsertValue(All, V, I) : V;
    }
    C.replaceAllUsesWith(All);
  }
  C.eraseFromParent();
}

Value *PtxRegisters::as(Value *V, Type *T) {
  if (V->getType() == T)
    return V;
  if (V->getType()->isPointerTy())
    V = B.CreatePtrToInt(V, B.getInt64Ty());
  if (V->getType()->isFloatingPointTy())
    V = B.CreateBitCast(V, B.getIntNTy(V->getType()->getPrimitiveSizeInBits()));
  if (T->isPointerTy())
    return B.CreateIntToPtr(B.CreateZExtOrTrunc(V, B.getInt64Ty()), T);
  unsigned Bits = T->getPrimitiveSizeInBits();
  return B.CreateBitCast(B.CreateZExtOrTrunc(V, B.getIntNTy(Bits)), T);
}

Value *PtxRegisters::field(StringRef Variable, char Axis) {
  Constant *Base = M.getOrInsertGlobal(
      Variable,
      StructType::get(B.getInt32Ty(), B.getInt32Ty(), B.getInt32Ty()));
  return B.CreateLoad(B.getInt32Ty(),
                      B.CreateConstGEP1_32(B.getInt32Ty(), Base, Axis - 'x'));
}

Value *PtxRegisters::linearThread() {
  Value *Rows =
      B.CreateAdd(B.CreateMul(field("threadIdx", 'z'), field("blockDim", 'y')),
                  field("threadIdx", 'y'));
  return B.CreateAdd(B.CreateMul(Rows, field("blockDim", 'x')),
                     field("threadIdx", 'x'));
}

Value *PtxRegisters::special(StringRef Name) {
  const std::pair<StringRef, StringRef> Triples[] = {{"%tid.", "threadIdx"},
                                                     {"%ntid.", "blockDim"},
                                                     {"%ctaid.", "blockIdx"},
                                                     {"%nctaid.", "gridDim"}};
  for (auto [Prefix, Variable] : Triples)
    if (Name.starts_with(Prefix) && Name.size() == Prefix.size() + 1 &&
        StringRef("xyz").contains(Name.back()))
      return field(Variable, Name.back());
  if (Name == "%laneid")
    return B.CreateAnd(linearThread(), 31);
  if (Name == "%warpid")
    return B.CreateLShr(linearThread(), 5);
  if (Name.consume_front("%lanemask_"))
    return laneMask(Name);
  if (Name == "%clock" || Name == "%clock64" || Name == "%globaltimer")
    return B.CreateCall(M.getOrInsertFunction("clock", B.getInt64Ty()));
  if (Name == "%dynamic_smem_size")
    return B.CreateCall(M.getOrInsertFunction("catt_simt_dynamic_bytes",
                                              B.getInt32Ty(), B.getPtrTy()),
                        {ConstantPointerNull::get(B.getPtrTy())});
  return nullptr;
}

Value *PtxRegisters::laneMask(StringRef Which) {
  Value *Own = B.CreateShl(B.getInt32(1), special("%laneid"));
  Value *Below = B.CreateSub(Own, B.getInt32(1));
  return StringSwitch<Value *>(Which)
      .Case("eq", Own)
      .Case("lt", Below)
      .Case("le", B.CreateOr(Below, Own))
      .Case("gt", B.CreateNot(B.CreateOr(Below, Own)))
      .Case("ge", B.CreateNot(Below))
      .Default(nullptr);
}

/// A number as PTX writes it: -4, 0xffU, 0f3F800000 (bits of a float).
Value *PtxRegisters::literal(StringRef Name, Type *T) {
  unsigned Digits = Name.starts_with_insensitive("0f")   ? 8
                    : Name.starts_with_insensitive("0d") ? 16
                                                         : 0;
  uint64_t Bits;
  int64_t Signed;
  if (Digits && Name.size() == 2 + Digits &&
      !Name.drop_front(2).getAsInteger(16, Bits))
    return T->getPrimitiveSizeInBits() == 4 * Digits
               ? as(B.getIntN(4 * Digits, Bits), T)
               : nullptr;
  if (T->isFloatingPointTy())
    return nullptr;
  if (!Name.getAsInteger(0, Signed))
    return as(B.getInt64(Signed), T);
  Name.consume_back("U");
  return Name.getAsInteger(0, Bits) ? nullptr : as(B.getInt64(Bits), T);
}

Value *PtxRegisters::operand(StringRef Name, Type *T) {
  SmallVector<StringRef> Parts = ptxElements(Name);
  if (!Parts.empty())
    return together(Parts, T);
  if (Value *V = literal(Name, T))
    return V;
  Value *V = Values.lookup(Name);
  V = V ? V : special(Name);
  return V ? as(V, T) : nullptr;
}

/// "{a, b}": a in the low bits.
Value *PtxRegisters::together(ArrayRef<StringRef> Parts, Type *T) {
  unsigned Bits = T->getPrimitiveSizeInBits() / Parts.size();
  Value *All = B.getIntN(T->getPrimitiveSizeInBits(), 0);
  for (auto [N, Part] : enumerate(Parts)) {
    Value *V = operand(Part, B.getIntNTy(Bits));
    if (!V)
      return nullptr;
    All =
        B.CreateOr(All, B.CreateShl(B.CreateZExt(V, All->getType()), N * Bits));
  }
  return as(All, T);
}

Value *PtxRegisters::sharedMemory() {
  auto *Base = cast<GlobalVariable>(
      M.getOrInsertGlobal("catt_simt_shared", B.getPtrTy()));
  Base->setConstant(true);
  return B.CreateLoad(B.getPtrTy(), Base);
}

Value *PtxRegisters::address(StringRef Text, bool Shared) {
  if (!Text.consume_front("[") || !Text.consume_back("]"))
    return nullptr;
  auto [Base, Offset] = Text.split('+');
  Value *P = operand(Base.trim(), B.getInt64Ty());
  int64_t Bytes = 0;
  if (!P || (!Offset.empty() && Offset.trim().getAsInteger(0, Bytes)))
    return nullptr;
  P = Shared ? B.CreatePtrAdd(sharedMemory(), P) : as(P, B.getPtrTy());
  return B.CreateConstGEP1_64(B.getInt8Ty(), P, Bytes);
}

bool PtxRegisters::set(StringRef Name, Value *V) {
  // "p|q" is two results.
  if (!V || (Name.contains('|') && !Name.starts_with("{")))
    return false;
  SmallVector<StringRef> Parts = ptxElements(Name);
  if (Parts.empty()) {
    Values[Name] = V;
    return true;
  }
  unsigned Bits = V->getType()->getPrimitiveSizeInBits() / Parts.size();
  V = as(V, B.getIntNTy(Bits * Parts.size()));
  for (auto [N, Part] : enumerate(Parts))
    Values[Part] = B.CreateTrunc(B.CreateLShr(V, N * Bits), B.getIntNTy(Bits));
  return true;
}

void PtxRegisters::beginIf(Value *Condition) {
  Before = Values;
  Head = B.GetInsertBlock();
  B.SetInsertPoint(
      SplitBlockAndInsertIfThen(Condition, &C, /*Unreachable=*/false));
  B.SetCurrentDebugLocation(C.getDebugLoc());
}

void PtxRegisters::endIf() {
  BasicBlock *Then = B.GetInsertBlock();
  std::vector<std::string> Changed;
  for (const auto &Entry : Values)
    if (Before.lookup(Entry.getKey()) != Entry.getValue())
      Changed.push_back(Entry.getKey().str());
  sort(Changed);
  for (const std::string &Name : Changed) {
    Value *Old = Before.lookup(Name);
    Old = Old ? Old : B.getInt1(false);
    // Both as wide as the wider one.
    auto Bits = [&](Value *V) {
      Type *T = V->getType();
      return T->isPointerTy() ? 64u : unsigned(T->getPrimitiveSizeInBits());
    };
    Type *T = B.getIntNTy(std::max(Bits(Old), Bits(Values[Name])));
    B.SetInsertPoint(Then->getTerminator());
    Value *New = as(Values[Name], T);
    B.SetInsertPoint(Head->getTerminator());
    Old = as(Old, T);
    B.SetInsertPoint(&C);
    PHINode *Merged = B.CreatePHI(T, 2);
    Merged->addIncoming(New, Then);
    Merged->addIncoming(Old, Head);
    Values[Name] = Merged;
  }
  B.SetInsertPoint(&C);
}
