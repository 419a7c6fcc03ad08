//===- Assembly.cpp - Inline PTX as IR -------------------------------------==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   asm("mov.u32 %0, %%tid.x;" : "=r"(t))      load threadIdx.x
//   asm("bar.sync 1, 64;")                     catt_simt_named(1, 64, true)
//   asm("ld.global.cg.s32 %0, [%1];" ...)      load volatile
//
//   asm("cp.async.ca.shared.global [%0], [%1], 4;" ...)   catt_simt_fetch
//
// Special registers, moves, integer arithmetic, comparisons, loads, stores, two
// atomics, asynchronous copies, barriers, fences. One asm statement at a time,
// without labels and predicates: one that holds anything else is an error that
// names it.
//
//===----------------------------------------------------------------------===//

#include "tool/executor/Pass.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

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

/// Clang writes PTX's braces as those of x86's dialects.
std::string withoutBraces(std::string Text) {
  for (const char *Brace : {"$(", "$)"})
    for (size_t At; (At = Text.find(Brace)) != std::string::npos;)
      Text.replace(At, 2, ";");
  return Text;
}

/// One asm statement.
class Translation {
public:
  explicit Translation(CallInst &C)
      : C(C), Text(*cast<InlineAsm>(C.getCalledOperand())), B(&C),
        M(*C.getModule()) {}

  /// True if the statement is IR now; otherwise Unknown names what stopped it.
  bool run(std::string &Unknown) {
    bindOperands();
    std::string Plain = withoutBraces(withoutComments(Text.getAsmString()));
    SmallVector<StringRef> All;
    SplitString(Plain, All, ";\n{}");
    for (StringRef One : All)
      if (!(One = One.trim()).empty() && !instruction(One)) {
        Unknown = One.str();
        return false;
      }
    finish();
    return true;
  }

private:
  CallInst &C;
  InlineAsm &Text;
  IRBuilder<> B;
  Module &M;
  StringMap<Value *> Values; ///< of "$0", or of a declared register
  SmallVector<Type *> Results;

  /// Outputs come first, then inputs, of which some begin as outputs' values.
  void bindOperands() {
    if (auto *S = dyn_cast<StructType>(C.getType()))
      Results.append(S->element_begin(), S->element_end());
    else if (!C.getType()->isVoidTy())
      Results.push_back(C.getType());
    unsigned Number = 0, Argument = 0;
    for (const InlineAsm::ConstraintInfo &I : Text.ParseConstraints()) {
      if (I.Type == InlineAsm::isClobber)
        continue;
      std::string Name = "$" + std::to_string(Number++);
      if (I.Type == InlineAsm::isOutput && !I.isIndirect)
        continue;
      Value *V = C.getArgOperand(Argument++);
      Values[Name] = V;
      unsigned Tied = 0;
      if (!I.Codes.empty() && !StringRef(I.Codes[0]).getAsInteger(10, Tied))
        Values["$" + std::to_string(Tied)] = V;
    }
  }

  void finish() {
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

  /// The same bits, or as many of them as there is room for.
  Value *as(Value *V, Type *T) {
    if (V->getType() == T)
      return V;
    if (V->getType()->isPointerTy())
      V = B.CreatePtrToInt(V, B.getInt64Ty());
    if (V->getType()->isFloatingPointTy())
      V = B.CreateBitCast(V,
                          B.getIntNTy(V->getType()->getPrimitiveSizeInBits()));
    if (T->isPointerTy())
      return B.CreateIntToPtr(B.CreateZExtOrTrunc(V, B.getInt64Ty()), T);
    unsigned Bits = T->getPrimitiveSizeInBits();
    return B.CreateBitCast(B.CreateZExtOrTrunc(V, B.getIntNTy(Bits)), T);
  }

  Value *field(StringRef Variable, char Axis) {
    Constant *Base = M.getOrInsertGlobal(
        Variable,
        StructType::get(B.getInt32Ty(), B.getInt32Ty(), B.getInt32Ty()));
    return B.CreateLoad(B.getInt32Ty(),
                        B.CreateConstGEP1_32(B.getInt32Ty(), Base, Axis - 'x'));
  }

  Value *linearThread() {
    Value *Rows = B.CreateAdd(
        B.CreateMul(field("threadIdx", 'z'), field("blockDim", 'y')),
        field("threadIdx", 'y'));
    return B.CreateAdd(B.CreateMul(Rows, field("blockDim", 'x')),
                       field("threadIdx", 'x'));
  }

  Value *special(StringRef Name) {
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
    if (Name == "%dynamic_smem_size")
      return B.CreateCall(M.getOrInsertFunction("catt_simt_dynamic_bytes",
                                                B.getInt32Ty(), B.getPtrTy()),
                          {ConstantPointerNull::get(B.getPtrTy())});
    return nullptr;
  }

  Value *operand(StringRef Name, Type *T) {
    int64_t Number;
    if (!Name.getAsInteger(0, Number))
      return as(B.getInt64(Number), T);
    Value *V = Values.lookup(Name);
    V = V ? V : special(Name);
    return V ? as(V, T) : nullptr;
  }

  /// "[$1+4]"
  Value *address(StringRef Text) {
    if (!Text.consume_front("[") || !Text.consume_back("]"))
      return nullptr;
    auto [Base, Offset] = Text.split('+');
    Value *P = operand(Base.trim(), B.getPtrTy());
    int64_t Bytes = 0;
    if (!P || (!Offset.empty() && Offset.trim().getAsInteger(0, Bytes)))
      return nullptr;
    return B.CreateConstGEP1_64(B.getInt8Ty(), P, Bytes);
  }

  Type *typeOf(StringRef Name) {
    unsigned Bits;
    if (Name == "pred")
      return B.getInt1Ty();
    if (Name.size() < 2 || Name.drop_front().getAsInteger(10, Bits))
      return nullptr;
    if (Name[0] == 'f')
      return Bits == 32   ? B.getFloatTy()
             : Bits == 64 ? B.getDoubleTy()
                          : nullptr;
    return StringRef("usb").contains(Name[0]) ? B.getIntNTy(Bits) : nullptr;
  }

  bool set(StringRef Name, Value *V) {
    if (V)
      Values[Name] = V;
    return V != nullptr;
  }

  bool instruction(StringRef One) {
    auto [Head, Rest] = One.split(' ');
    if (size_t Tab = Head.find('\t'); Tab != StringRef::npos) {
      Rest = One.substr(Tab + 1);
      Head = Head.substr(0, Tab);
    }
    SmallVector<StringRef> Words, Args;
    Head.split(Words, '.');
    Rest.split(Args, ',', -1, false);
    for (StringRef &A : Args)
      A = A.trim();
    StringRef Op = Words[0];
    if (Op.empty()) // .reg, .pragma
      return Words.size() > 1 && (Words[1] == "reg" || Words[1] == "pragma");
    if (Op == "membar" || Op == "fence" || Op == "prefetch" ||
        Op == "nanosleep")
      return true;
    if (Op == "bar" || Op == "barrier")
      return barrier(Words, Args);
    if (Op == "cp")
      return fetch(Words, Args);
    Type *T = typeOf(Words.back());
    if (!T)
      return false;
    if (Op == "ld" || Op == "st" || Op == "atom")
      return memory(Op, Words, Args, T);
    return arithmetic(Op, Words, Args, T);
  }

  bool barrier(ArrayRef<StringRef> Words, ArrayRef<StringRef> Args) {
    bool Waits = is_contained(Words, "sync");
    if (is_contained(Words, "red") || is_contained(Words, "cluster") ||
        is_contained(Words, "warp") || Args.empty() ||
        (!Waits && !is_contained(Words, "arrive")))
      return false;
    Type *I32 = B.getInt32Ty();
    Value *Id = operand(Args[0], I32);
    Value *Count = Args.size() > 1 ? operand(Args[1], I32) : B.getInt32(0);
    if (!Id || !Count)
      return false;
    FunctionCallee F = M.getOrInsertFunction("catt_simt_named", B.getVoidTy(),
                                             I32, I32, I32, B.getPtrTy());
    B.CreateCall(F, {Id, Count, B.getInt32(Waits),
                     ConstantPointerNull::get(B.getPtrTy())});
    return true;
  }

  bool fetch(ArrayRef<StringRef> Words, ArrayRef<StringRef> Args) {
    if (Words.size() < 2 || Words[1] != "async")
      return false;
    Value *NoSite = ConstantPointerNull::get(B.getPtrTy());
    Type *Void = B.getVoidTy(), *P = B.getPtrTy();
    if (Words.back() == "wait_all" && Args.empty()) {
      B.CreateCall(M.getOrInsertFunction("catt_simt_fetched", Void, P),
                   {NoSite});
      return true;
    }
    Value *To = Args.size() == 3 ? address(Args[0]) : nullptr;
    Value *From = To ? address(Args[1]) : nullptr;
    Value *Size = From ? operand(Args[2], B.getInt32Ty()) : nullptr;
    if (!Size || !is_contained(Words, "shared"))
      return false;
    B.CreateCall(
        M.getOrInsertFunction("catt_simt_fetch", Void, P, P, B.getInt32Ty(), P),
        {To, From, Size, NoSite});
    return true;
  }

  bool memory(StringRef Op, ArrayRef<StringRef> Words, ArrayRef<StringRef> Args,
              Type *T) {
    if (Args.size() < 2)
      return false;
    Value *P = address(Args[Op == "st" ? 0 : 1]);
    if (!P)
      return false;
    if (Op == "ld")
      return set(Args[0], B.CreateLoad(T, P, /*isVolatile=*/true));
    if (Op == "st") {
      Value *V = operand(Args[1], T);
      return V && B.CreateStore(V, P, /*isVolatile=*/true);
    }
    Value *V = Args.size() > 2 ? operand(Args[2], T) : nullptr;
    bool Adds = is_contained(Words, "add");
    if (!V || !T->isIntegerTy() || (!Adds && !is_contained(Words, "exch")))
      return false;
    FunctionCallee F =
        M.getOrInsertFunction("catt_simt_atomic", B.getPtrTy(), B.getPtrTy(),
                              B.getInt32Ty(), B.getPtrTy());
    P = B.CreateCall(F, {P, B.getInt32(T->getIntegerBitWidth() / 8),
                         ConstantPointerNull::get(B.getPtrTy())});
    Value *Old = B.CreateLoad(T, P);
    B.CreateStore(Adds ? B.CreateAdd(Old, V) : V, P);
    return set(Args[0], Old);
  }

  bool arithmetic(StringRef Op, ArrayRef<StringRef> Words,
                  ArrayRef<StringRef> Args, Type *T) {
    SmallVector<Value *> In;
    bool Selects = Op == "selp";
    for (StringRef A : Args.drop_front(std::min<size_t>(1, Args.size()))) {
      bool Predicate = Selects && In.size() == 2;
      Value *V = operand(A, Predicate ? B.getInt1Ty() : T);
      if (!V)
        return false;
      In.push_back(V);
    }
    if (Op == "mov" || Op == "cvta")
      return In.size() == 1 && set(Args[0], In[0]);
    if (Selects)
      return In.size() == 3 &&
             set(Args[0], B.CreateSelect(In[2], In[0], In[1]));
    if (In.size() == 3 && Op == "mad" && T->isIntegerTy())
      return set(Args[0], B.CreateAdd(B.CreateMul(In[0], In[1]), In[2]));
    if (In.size() != 2 || !T->isIntegerTy())
      return false;
    if (Op == "setp")
      return set(Args[0], comparison(Words, In[0], In[1]));
    return set(Args[0], binary(Op, Words.back()[0] == 's', In[0], In[1]));
  }

  Value *comparison(ArrayRef<StringRef> Words, Value *X, Value *Y) {
    bool Signed = Words.back()[0] == 's';
    const std::tuple<StringRef, CmpInst::Predicate, CmpInst::Predicate> All[] =
        {{"eq", CmpInst::ICMP_EQ, CmpInst::ICMP_EQ},
         {"ne", CmpInst::ICMP_NE, CmpInst::ICMP_NE},
         {"lt", CmpInst::ICMP_SLT, CmpInst::ICMP_ULT},
         {"le", CmpInst::ICMP_SLE, CmpInst::ICMP_ULE},
         {"gt", CmpInst::ICMP_SGT, CmpInst::ICMP_UGT},
         {"ge", CmpInst::ICMP_SGE, CmpInst::ICMP_UGE}};
    for (auto [Name, S, U] : All)
      if (Words.size() > 1 && Words[1] == Name)
        return B.CreateICmp(Signed ? S : U, X, Y);
    return nullptr;
  }

  Value *binary(StringRef Op, bool Signed, Value *X, Value *Y) {
    if (Op == "add")
      return B.CreateAdd(X, Y);
    if (Op == "sub")
      return B.CreateSub(X, Y);
    if (Op == "mul")
      return B.CreateMul(X, Y);
    if (Op == "and")
      return B.CreateAnd(X, Y);
    if (Op == "or")
      return B.CreateOr(X, Y);
    if (Op == "xor")
      return B.CreateXor(X, Y);
    if (Op == "shl")
      return B.CreateShl(X, Y);
    if (Op == "shr")
      return Signed ? B.CreateAShr(X, Y) : B.CreateLShr(X, Y);
    return nullptr;
  }
};

} // namespace

void catt::simt::translateAssembly(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *C = dyn_cast<CallInst>(&I);
    if (!C || !isa<InlineAsm>(C->getCalledOperand()))
      continue;
    std::string Unknown;
    if (!Translation(*C).run(Unknown))
      F.getContext().emitError("catt-run does not know the PTX instruction '" +
                               Unknown + "'");
  }
}
