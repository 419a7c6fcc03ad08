//===- HostPass.cpp - Launches of the host view ----------------------------==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Pass.cpp for the whole.
//
//===----------------------------------------------------------------------===//

#include "tool/executor/Pass.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace {

/// Takes apart what clang's launch stub puts together:
///   stub(IR arguments) { slot i of a void *[] = &parameter i; ... }
/// becomes
///   call(void **A) { kernel(IR arguments, loaded from A[i] + offset) }
class StubReader {
public:
  explicit StubReader(Function &Stub) : Stub(Stub) {}

  Function *makeCaller(Function &Kernel) {
    readSlots();
    Module &M = *Stub.getParent();
    IRBuilder<> B(M.getContext());
    auto *Caller = Function::Create(
        FunctionType::get(B.getVoidTy(), {B.getPtrTy()}, false),
        GlobalValue::InternalLinkage, "catt.call." + Kernel.getName(), M);
    B.SetInsertPoint(BasicBlock::Create(M.getContext(), "", Caller));
    SmallVector<Value *> Args;
    for (Argument &A : Stub.args()) {
      auto [Object, Offset] = parameterOf(A);
      auto Slot = Slots.find(Object);
      if (Slot == Slots.end()) {
        M.getContext().emitError("catt-run cannot hand over argument " +
                                 Twine(A.getArgNo()) + " of " +
                                 Kernel.getName());
        return Caller;
      }
      Value *P = B.CreateLoad(
          B.getPtrTy(),
          B.CreateConstGEP1_64(B.getPtrTy(), Caller->getArg(0), Slot->second));
      if (Object != &A) {
        bool IsBool = A.getType()->isIntegerTy(1); // a byte in memory
        P = B.CreateAlignedLoad(IsBool ? B.getInt8Ty() : A.getType(),
                                B.CreateConstGEP1_64(B.getInt8Ty(), P, Offset),
                                Align(1));
        P = IsBool ? B.CreateTrunc(P, A.getType()) : P;
      }
      Args.push_back(P);
    }
    B.CreateCall(&Kernel, Args)
        ->setAttributes(
            Stub.getAttributes().removeFnAttributes(M.getContext()));
    B.CreateRetVoid();
    return Caller;
  }

private:
  /// The object that P points into, and where, in bytes.
  std::pair<Value *, int64_t> locate(Value *P) {
    const DataLayout &DL = Stub.getParent()->getDataLayout();
    APInt Offset(64, 0);
    Value *Base = P->stripAndAccumulateConstantOffsets(DL, Offset, true);
    return {Base, Offset.getSExtValue()};
  }

  /// Slots: the address of a parameter -> its number.
  void readSlots() {
    for (Instruction &I : instructions(Stub)) {
      if (auto *Copy = dyn_cast<MemCpyInst>(&I))
        CopiedTo[locate(Copy->getSource()).first] =
            locate(Copy->getDest()).first;
      auto *S = dyn_cast<StoreInst>(&I);
      if (!S || !S->getValueOperand()->getType()->isPointerTy())
        continue;
      auto [Base, Offset] = locate(S->getPointerOperand());
      auto *Array = dyn_cast<AllocaInst>(Base);
      // Clang gives the array of slots, and no parameter, a 64-bit length.
      if (Array && Array->getAllocatedType()->isPointerTy() &&
          Array->getArraySize()->getType()->isIntegerTy(64))
        Slots[S->getValueOperand()] = Offset / 8;
    }
  }

  /// Where the stub keeps argument A: (parameter, byte in it).
  std::pair<Value *, int64_t> parameterOf(Argument &A) {
    if (Slots.count(&A))
      return {&A, 0};
    for (User *U : A.users()) {
      if (isa<ZExtInst>(U) && U->hasOneUse()) // a bool
        U = *U->user_begin();
      if (auto *S = dyn_cast<StoreInst>(U)) {
        auto [Base, Offset] = locate(S->getPointerOperand());
        if (CopiedTo.count(Base) && !Slots.count(Base))
          Base = CopiedTo[Base];
        return {Base, Offset};
      }
    }
    return {nullptr, 0};
  }

  Function &Stub;
  DenseMap<Value *, int64_t> Slots;
  DenseMap<Value *, Value *> CopiedTo;
};

} // namespace

std::string catt::simt::symbolOf(StringRef Kind, StringRef Name,
                                 const Module &M) {
  std::string Symbol = ("catt." + Kind + "." + Name).str();
  if (Name.starts_with("_ZL") || Name.contains("_GLOBAL__N_"))
    Symbol += "." + utohexstr(xxh3_64bits(M.getSourceFileName()), true);
  return Symbol;
}

/// The fourth argument of __cudaRegisterFunction and __cudaRegisterVar repeats
/// the name; it carries a KernelEntry or the device variable instead.
void catt::simt::runOnHost(Module &M) {
  IRBuilder<> B(M.getContext());
  auto NameOf = [](CallInst &C) {
    auto *Text = cast<GlobalVariable>(C.getArgOperand(2)->stripPointerCasts());
    return cast<ConstantDataArray>(Text->getInitializer())->getAsCString();
  };
  auto ForEachCall = [&](StringRef Callee, function_ref<void(CallInst &)> Do) {
    if (Function *F = M.getFunction(Callee))
      for (User *U : F->users())
        if (auto *C = dyn_cast<CallInst>(U))
          Do(*C);
  };
  ForEachCall("__cudaRegisterFunction", [&](CallInst &C) {
    auto &Stub = *cast<Function>(C.getArgOperand(1)->stripPointerCasts());
    std::string Name = NameOf(C).str();
    auto *Kernel =
        cast<Function>(M.getOrInsertFunction(symbolOf("kernel", Name, M),
                                             Stub.getFunctionType())
                           .getCallee());
    Constant *Info =
        M.getOrInsertGlobal(symbolOf("info", Name, M), B.getInt64Ty());
    auto *Name0 = cast<Constant>(C.getArgOperand(2));
    auto *Entry = ConstantStruct::getAnon(
        {Name0, StubReader(Stub).makeCaller(*Kernel), Info});
    C.setArgOperand(3, new GlobalVariable(M, Entry->getType(), true,
                                          GlobalValue::InternalLinkage, Entry,
                                          "catt.entry." + Name));
  });
  ForEachCall("__cudaRegisterVar", [&](CallInst &C) {
    C.setArgOperand(
        3, M.getOrInsertGlobal(symbolOf("var", NameOf(C), M), B.getInt8Ty()));
  });
}
