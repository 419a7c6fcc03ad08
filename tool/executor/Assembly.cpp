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
//   asm("cvta.to.shared.u64 %0, %1;" ...)      %1 - catt_simt_shared
//   asm("redux.sync.add.s32 %0, %1, %2;" ...)  catt_simt_warp(ReduceAdd, ...)
//   asm("cp.async.ca.shared.global [%0], [%1], 4;" ...)   catt_simt_fetch
//
// Special registers, what PtxArithmetic.cpp knows, loads, stores, atomics on
// integers, asynchronous copies, barriers, warp operations, fences. One asm
// statement at a time, without labels and branches: one that holds anything
// else is an error that names it. An address in shared memory is one in the
// block's shared memory, from 0: ".shared" adds where that begins.
//
//===----------------------------------------------------------------------===//

#include "tool/executor/Abi.h"
#include "tool/executor/Pass.h"
#include "tool/executor/PtxArithmetic.h"
#include "tool/executor/PtxRegisters.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace catt::simt;

namespace {

/// One asm statement.
class Translation {
public:
  explicit Translation(CallInst &C)
      : Text(*cast<InlineAsm>(C.getCalledOperand())), B(&C), M(*C.getModule()),
        R(C, B) {}

  /// Puts IR in place of the statement. False if something stopped that, which
  /// Unknown names; the statement is gone all the same.
  bool run(std::string &Unknown) {
    bool Known = R.bindOperands();
    Unknown = Known ? "" : "an operand in memory";
    if (Known)
      for (StringRef One : ptxStatements(Text.getAsmString()))
        if (!(One = One.trim()).empty() && !instruction(One)) {
          Unknown = One.str();
          Known = false;
          break;
        }
    R.replaceStatement();
    return Known;
  }

private:
  InlineAsm &Text;
  IRBuilder<> B;
  Module &M;
  PtxRegisters R;

  /// "@p ...", "@!p ..."
  bool guarded(StringRef One) {
    auto [Name, Rest] = One.drop_front().split(' ');
    bool Not = Name.consume_front("!");
    Value *Holds = R.operand(Name, B.getInt1Ty());
    if (!Holds)
      return false;
    R.beginIf(Not ? B.CreateNot(Holds) : Holds);
    bool Known = !Rest.trim().starts_with("@") && instruction(Rest.trim());
    R.endIf();
    return Known;
  }

  bool instruction(StringRef One) {
    if (One.starts_with("@"))
      return guarded(One);
    auto [Head, Rest] = One.split(' ');
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
    if (std::optional<bool> Known = warpOperation(Head, Args))
      return *Known;
    if (Op == "bar" || Op == "barrier")
      return barrier(Words, Args);
    if (Op == "cp")
      return fetch(Words, Args);
    if (Op == "cvta")
      return addressOf(Words, Args);
    if (Op == "ld" || Op == "st")
      return memory(Op == "ld", Words, Args);
    if (Op == "atom" || Op == "red")
      return atomic(Op == "atom", Words, Args);
    return !Args.empty() &&
           R.set(Args[0], ptxArithmetic(B, Head, Args.size() - 1,
                                        [&](unsigned N, Type *T) {
                                          return R.operand(Args[N + 1], T);
                                        }));
  }

  Value *warp(WarpOp Op, Value *Mask, Value *V, Value *Argument = nullptr,
              unsigned Width = 32) {
    Type *I32 = B.getInt32Ty(), *I64 = B.getInt64Ty();
    FunctionCallee F = M.getOrInsertFunction("catt_simt_warp", I64, I32, I32,
                                             I64, I32, I32, B.getPtrTy());
    return B.CreateCall(F,
                        {B.getInt32(Op), Mask, R.as(V, I64),
                         Argument ? Argument : B.getInt32(0), B.getInt32(Width),
                         ConstantPointerNull::get(B.getPtrTy())});
  }

  /// The mask is the last operand. Nothing: it is no warp operation.
  std::optional<bool> warpOperation(StringRef Head, ArrayRef<StringRef> Args) {
    static constexpr struct {
      StringLiteral Head;
      unsigned Operands;
      WarpOp Op;
    } All[] = {{"bar.warp.sync", 1, WarpSync},
               {"barrier.warp.sync", 1, WarpSync},
               {"activemask.b32", 1, ActiveMask},
               {"vote.sync.ballot.b32", 3, Ballot},
               {"match.any.sync.b32", 3, MatchAny},
               {"match.any.sync.b64", 3, MatchAny},
               {"redux.sync.add.u32", 3, ReduceAdd},
               {"redux.sync.add.s32", 3, ReduceAdd},
               {"redux.sync.min.s32", 3, ReduceMinS},
               {"redux.sync.max.s32", 3, ReduceMaxS},
               {"redux.sync.min.u32", 3, ReduceMinU},
               {"redux.sync.max.u32", 3, ReduceMaxU},
               {"redux.sync.and.b32", 3, ReduceAnd},
               {"redux.sync.or.b32", 3, ReduceOr},
               {"redux.sync.xor.b32", 3, ReduceXor},
               {"shfl.sync.idx.b32", 5, Shfl},
               {"shfl.sync.up.b32", 5, ShflUp},
               {"shfl.sync.down.b32", 5, ShflDown},
               {"shfl.sync.bfly.b32", 5, ShflXor}};
    const auto *Found = find_if(All, [&](auto &A) { return A.Head == Head; });
    if (Found == std::end(All))
      return std::nullopt;
    Type *I32 = B.getInt32Ty();
    Value *Mask = B.getInt32(0), *V = Mask, *By = nullptr;
    if (Args.size() != Found->Operands)
      return false;
    if (Found->Op != ActiveMask && !(Mask = R.operand(Args.back(), I32)))
      return false;
    if (Found->Operands > 1) {
      Type *T = Found->Op == Ballot      ? B.getInt1Ty()
                : Head.ends_with(".b64") ? B.getInt64Ty()
                                         : I32;
      if (!(V = R.operand(Args[1], T)))
        return false;
    }
    unsigned Width = 32;
    if (Found->Operands == 5) {
      // Whole warps, or parts of as many lanes as a power of two.
      By = R.operand(Args[2], I32);
      auto *Parts = dyn_cast_or_null<ConstantInt>(R.operand(Args[3], I32));
      uint64_t Bits = Parts ? Parts->getZExtValue() : ~0ull;
      Width = 32 - (Bits >> 8);
      if (!By || Bits > 0x1f1f || !isPowerOf2_32(Width) ||
          (Bits & 255) != (Found->Op == ShflUp ? 0 : 31))
        return false;
    }
    if (By)
      By = B.CreateAnd(By, 31);
    V = warp(Found->Op, Mask, V, By, Width);
    auto [Name, Predicate] = splitPair(Args[0]);
    if (!Predicate.empty() &&
        (!By || !R.set(Predicate, isInPart(Found->Op, By, Width))))
      return false;
    return Found->Op == WarpSync || R.set(Name, V);
  }

  /// "d|p", but not the vector "{a|b}".
  static std::pair<StringRef, StringRef> splitPair(StringRef Name) {
    return Name.starts_with("{") ? std::pair(Name, StringRef())
                                 : Name.split('|');
  }

  /// Whether a shuffle finds its lane: not before the own part of the warp for
  /// "up", not behind it for the others.
  Value *isInPart(WarpOp Op, Value *By, unsigned Width) {
    Value *Own = R.operand("%laneid", B.getInt32Ty());
    if (Op == ShflUp)
      return B.CreateICmpUGE(B.CreateAnd(Own, Width - 1), By);
    Value *Source = Op == ShflDown  ? B.CreateAdd(Own, By)
                    : Op == ShflXor ? B.CreateXor(Own, By)
                                    : Own;
    return B.CreateICmpULE(Source, B.CreateOr(Own, Width - 1));
  }

  /// Of a pointer to one space, or back.
  bool addressOf(ArrayRef<StringRef> Words, ArrayRef<StringRef> Args) {
    Type *Wide = B.getInt64Ty();
    Value *V = Args.size() == 2 ? R.operand(Args[1], Wide) : nullptr;
    bool To = Words.size() > 1 && Words[1] == "to";
    if (!V || Words.size() != (To ? 4 : 3))
      return false;
    if (!isShared(Words))
      return R.set(Args[0], V);
    Value *Base = R.as(R.sharedMemory(), Wide);
    return R.set(Args[0], To ? B.CreateSub(V, Base) : B.CreateAdd(V, Base));
  }

  static bool isShared(ArrayRef<StringRef> Words) {
    return is_contained(Words, "shared") || is_contained(Words, "shared::cta");
  }

  bool barrier(ArrayRef<StringRef> Words, ArrayRef<StringRef> Args) {
    bool Waits = is_contained(Words, "sync");
    if (is_contained(Words, "red") || is_contained(Words, "cluster") ||
        is_contained(Words, "warp") || Args.empty() ||
        (!Waits && !is_contained(Words, "arrive")))
      return false;
    Type *I32 = B.getInt32Ty();
    Value *Id = R.operand(Args[0], I32);
    Value *Count = Args.size() > 1 ? R.operand(Args[1], I32) : B.getInt32(0);
    if (!Id || !Count)
      return false;
    callWithSite("catt_simt_named", {Id, Count, B.getInt32(Waits)});
    return true;
  }

  void callWithSite(StringRef Name, ArrayRef<Value *> Args) {
    SmallVector<Value *> All(Args);
    SmallVector<Type *> Types;
    All.push_back(ConstantPointerNull::get(B.getPtrTy()));
    for (Value *V : All)
      Types.push_back(V->getType());
    B.CreateCall(M.getOrInsertFunction(
                     Name, FunctionType::get(B.getVoidTy(), Types, false)),
                 All);
  }

  /// "cp.async"
  bool fetch(ArrayRef<StringRef> Words, ArrayRef<StringRef> Args) {
    Type *I32 = B.getInt32Ty();
    if (Words.size() < 3 || Words[1] != "async")
      return false;
    if (Words.size() == 3 && Args.size() < 2) {
      StringRef What = Words.back();
      Value *Groups = What == "wait_all" && Args.empty() ? B.getInt32(-1)
                      : What == "wait_group" && !Args.empty()
                          ? R.operand(Args[0], I32)
                          : nullptr;
      if (Groups)
        callWithSite("catt_simt_fetched", {Groups});
      else if (What == "commit_group" && Args.empty())
        callWithSite("catt_simt_fetch_group", {});
      else
        return false;
      return true;
    }
    if ((Args.size() != 3 && Args.size() != 4) || !isShared(Words) ||
        Words.back() == "L2::cache_hint" ||
        !all_of(Words.drop_front(2), isPlace))
      return false;
    Value *To = R.address(Args[0], true);
    Value *From = To ? R.address(Args[1], false) : nullptr;
    Value *Size = From ? R.operand(Args[2], I32) : nullptr;
    Value *Loaded = Size ? R.operand(Args.back(), I32) : nullptr;
    if (Loaded)
      callWithSite("catt_simt_fetch", {To, From, Size, Loaded});
    return Loaded != nullptr;
  }

  /// Everything between "ld" and the type says where, or how long in caches,
  /// or in which order.
  static bool isPlace(StringRef Word) {
    static constexpr StringLiteral All[] = {
        "global",  "shared",  "shared::cta", "local", "const", "volatile",
        "relaxed", "acquire", "release",     "weak",  "cta",   "gpu",
        "sys",     "ca",      "cg",          "cs",    "lu",    "cv",
        "nc",      "wb",      "wt"};
    return is_contained(All, Word) || Word.starts_with("L1::") ||
           Word.starts_with("L2::");
  }

  bool memory(bool Loads, ArrayRef<StringRef> Words, ArrayRef<StringRef> Args) {
    Type *T = ptxType(Words.back(), M.getContext());
    ArrayRef<StringRef> Places = Words.drop_front().drop_back(T ? 1 : 0);
    unsigned Count = 1;
    if (!Places.empty() && (Places.back() == "v2" || Places.back() == "v4")) {
      Count = Places.back() == "v2" ? 2 : 4;
      Places = Places.drop_back();
    }
    if (!T || Args.size() != 2 || !all_of(Places, isPlace))
      return false;
    Value *P = R.address(Args[Loads ? 1 : 0], isShared(Places));
    SmallVector<StringRef> Names = ptxElements(Args[Loads ? 0 : 1]);
    if (Names.empty())
      Names.push_back(Args[Loads ? 0 : 1]);
    if (!P || Names.size() != Count)
      return false;
    Type *All = Count == 1 ? T : FixedVectorType::get(T, Count);
    return Loads ? load(All, P, Words.back()[0] == 's', Names)
                 : store(All, P, Names);
  }

  bool load(Type *All, Value *P, bool Signed, ArrayRef<StringRef> Names) {
    Value *Loaded = B.CreateLoad(All, P, /*isVolatile=*/true);
    for (auto [N, Name] : enumerate(Names)) {
      Value *V = All->isVectorTy() ? B.CreateExtractElement(Loaded, N) : Loaded;
      // A wider register gets copies of the sign.
      if (!R.set(Name, Signed ? B.CreateSExt(V, B.getInt64Ty()) : V))
        return false;
    }
    return true;
  }

  bool store(Type *All, Value *P, ArrayRef<StringRef> Names) {
    Value *Stored = PoisonValue::get(All);
    for (auto [N, Name] : enumerate(Names)) {
      Value *V = R.operand(Name, All->getScalarType());
      if (!V)
        return false;
      Stored = All->isVectorTy() ? B.CreateInsertElement(Stored, V, N) : V;
    }
    return B.CreateStore(Stored, P, /*isVolatile=*/true);
  }

  /// "atom" gives what was there, "red" nothing.
  bool atomic(bool Returns, ArrayRef<StringRef> Words,
              ArrayRef<StringRef> Args) {
    Type *T = ptxType(Words.back(), M.getContext());
    if (!T || !T->isIntegerTy() || Words.size() < 3 ||
        !all_of(Words.drop_front().drop_back(2), isAtomicPlace))
      return false;
    StringRef Op = Words[Words.size() - 2];
    unsigned First = Returns ? 1 : 0;
    if (Args.size() != First + (Op == "cas" ? 3 : 2))
      return false;
    Value *P = R.address(Args[First], isShared(Words));
    Value *X = P ? R.operand(Args[First + 1], T) : nullptr;
    Value *Y = X && Op == "cas" ? R.operand(Args[First + 2], T) : X;
    if (!Y || !isAtomic(Op))
      return false;
    FunctionCallee F =
        M.getOrInsertFunction("catt_simt_atomic", B.getPtrTy(), B.getPtrTy(),
                              B.getInt32Ty(), B.getPtrTy());
    P = B.CreateCall(F, {P, B.getInt32(T->getIntegerBitWidth() / 8),
                         ConstantPointerNull::get(B.getPtrTy())});
    Value *Old = B.CreateLoad(T, P);
    B.CreateStore(updated(Op, Words.back()[0] == 's', Old, X, Y), P);
    return !Returns || R.set(Args[0], Old);
  }

  static bool isAtomicPlace(StringRef Word) {
    return isPlace(Word) || Word == "acq_rel";
  }
  static bool isAtomic(StringRef Op) {
    static constexpr StringLiteral All[] = {"add", "exch", "min", "max",
                                            "and", "or",   "xor", "cas"};
    return is_contained(All, Op);
  }

  Value *updated(StringRef Op, bool Signed, Value *Old, Value *X, Value *Y) {
    if (Op == "cas")
      return B.CreateSelect(B.CreateICmpEQ(Old, X), Y, Old);
    if (Op == "min" || Op == "max")
      return B.CreateBinaryIntrinsic(
          Op == "min" ? (Signed ? Intrinsic::smin : Intrinsic::umin)
                      : (Signed ? Intrinsic::smax : Intrinsic::umax),
          Old, X);
    return Op == "add"   ? B.CreateAdd(Old, X)
           : Op == "and" ? B.CreateAnd(Old, X)
           : Op == "or"  ? B.CreateOr(Old, X)
           : Op == "xor" ? B.CreateXor(Old, X)
                         : X;
  }
};

} // namespace

/// As the user's code has it.
static std::string spelled(StringRef Statement) {
  std::string Text;
  bool InVector = false;
  for (char C : Statement) {
    InVector = C == '{' || (InVector && C != '}');
    Text += C == '$' ? '%' : C == '|' && InVector ? ',' : C;
  }
  return Text;
}

void catt::simt::translateAssembly(Function &F) {
  // Predicates make blocks.
  SmallVector<CallInst *> All;
  for (Instruction &I : instructions(F))
    if (auto *C = dyn_cast<CallInst>(&I);
        C && isa<InlineAsm>(C->getCalledOperand()))
      All.push_back(C);
  for (CallInst *C : All) {
    MDNode *Place = C->getMetadata("srcloc");
    auto *Cookie = Place && Place->getNumOperands() > 0
                       ? mdconst::dyn_extract<ConstantInt>(Place->getOperand(0))
                       : nullptr;
    std::string Unknown;
    if (!Translation(*C).run(Unknown))
      F.getContext().diagnose(DiagnosticInfoInlineAsm(
          Cookie ? Cookie->getZExtValue() : 0,
          "catt-run does not know the PTX instruction '" + spelled(Unknown) +
              "'"));
  }
}
