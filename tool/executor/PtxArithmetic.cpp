//===- PtxArithmetic.cpp - PTX instructions on registers -------------------==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The semantics are those of the PTX ISA manual, 9.7.1 to 9.7.9. Sums and
// products without a rounding are rounded one by one, as all that the executor
// compiles.
//
//===----------------------------------------------------------------------===//

#include "tool/executor/PtxArithmetic.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace {

using Builder = IRBuilder<>;
using Inputs = ArrayRef<Value *>;

unsigned bitsOf(Value *V) { return V->getType()->getScalarSizeInBits(); }

Value *number(Value *Like, uint64_t N) {
  return ConstantInt::get(Like->getType(), N);
}

/// Shifts by as many bits as there are, or more, leave nothing.
Value *shifted(Builder &B, Instruction::BinaryOps Op, Value *X, Value *By) {
  Value *N = B.CreateZExtOrTrunc(By, X->getType());
  Value *Fits = B.CreateICmpULT(By, number(By, bitsOf(X)));
  if (Op == Instruction::AShr)
    return B.CreateAShr(X, B.CreateSelect(Fits, N, number(X, bitsOf(X) - 1)));
  return B.CreateSelect(Fits, B.CreateBinOp(Op, X, N), number(X, 0));
}

Value *lowBits(Builder &B, Value *Like, Value *Length) {
  return B.CreateNot(
      shifted(B, Instruction::Shl, B.CreateNot(number(Like, 0)), Length));
}

Value *extract(Builder &B, Inputs In, bool Signed) {
  Value *At = B.CreateAnd(In[1], 255), *Length = B.CreateAnd(In[2], 255);
  if (!Signed)
    return B.CreateAnd(shifted(B, Instruction::LShr, In[0], At),
                       lowBits(B, In[0], Length));
  Value *Bits = number(Length, bitsOf(In[0]));
  Value *Above =
      B.CreateSub(Bits, B.CreateBinaryIntrinsic(Intrinsic::umin, Length, Bits));
  Value *V = shifted(B, Instruction::AShr, In[0], At);
  V = shifted(B, Instruction::Shl, V, Above);
  return B.CreateSelect(B.CreateICmpEQ(Length, number(Length, 0)), number(V, 0),
                        shifted(B, Instruction::AShr, V, Above));
}

Value *insert(Builder &B, Inputs In, bool) {
  Value *At = B.CreateAnd(In[2], 255), *Length = B.CreateAnd(In[3], 255);
  Value *Mask = shifted(B, Instruction::Shl, lowBits(B, In[0], Length), At);
  Value *New = shifted(B, Instruction::Shl, In[0], At);
  return B.CreateOr(B.CreateAnd(New, Mask),
                    B.CreateAnd(In[1], B.CreateNot(Mask)));
}

/// Each of four bytes is one of eight, or eight times its highest bit.
Value *permute(Builder &B, Inputs In, bool) {
  Type *Wide = B.getInt64Ty();
  Value *All = B.CreateOr(B.CreateShl(B.CreateZExt(In[1], Wide), 32),
                          B.CreateZExt(In[0], Wide));
  Value *Result = B.getInt32(0);
  for (unsigned I = 0; I < 4; ++I) {
    Value *Selector = B.CreateLShr(In[2], 4 * I);
    Value *At = B.CreateZExt(B.CreateAnd(B.CreateShl(Selector, 3), 56), Wide);
    Value *Byte = B.CreateTrunc(B.CreateLShr(All, At), B.getInt8Ty());
    Value *Sign = B.CreateAShr(Byte, 7);
    Byte = B.CreateSelect(
        B.CreateTrunc(B.CreateLShr(Selector, 3), B.getInt1Ty()), Sign, Byte);
    Result = B.CreateOr(Result,
                        B.CreateShl(B.CreateZExt(Byte, B.getInt32Ty()), 8 * I));
  }
  return Result;
}

/// The table of a function of three bits, which must be a constant.
Value *lookUp(Builder &B, Inputs In, bool) {
  auto *Table = dyn_cast<ConstantInt>(In[3]);
  if (!Table)
    return nullptr;
  Value *Result = number(In[0], 0);
  for (unsigned I = 0; I < 8; ++I) {
    if (!Table->getValue()[I])
      continue;
    Value *All = B.CreateNot(number(In[0], 0));
    for (unsigned K = 0; K < 3; ++K)
      All = B.CreateAnd(All, I & (4 >> K) ? In[K] : B.CreateNot(In[K]));
    Result = B.CreateOr(Result, All);
  }
  return Result;
}

Value *product(Builder &B, Value *X, Value *Y, bool Signed) {
  Type *Wide = B.getIntNTy(2 * bitsOf(X));
  return B.CreateMul(B.CreateIntCast(X, Wide, Signed),
                     B.CreateIntCast(Y, Wide, Signed));
}

Value *highHalf(Builder &B, Inputs In, bool Signed) {
  return B.CreateTrunc(
      B.CreateLShr(product(B, In[0], In[1], Signed), bitsOf(In[0])),
      In[0]->getType());
}

Value *funnel(Builder &B, Inputs In, bool Left, bool Wraps) {
  Value *V = B.CreateIntrinsic(Left ? Intrinsic::fshl : Intrinsic::fshr,
                               {In[0]->getType()}, {In[1], In[0], In[2]});
  return Wraps ? V
               : B.CreateSelect(B.CreateICmpUGE(In[2], number(In[2], 32)),
                                In[Left ? 0 : 1], V);
}

template <unsigned ID> Value *unary(Builder &B, Inputs In, bool) {
  return B.CreateUnaryIntrinsic(Intrinsic::ID(ID), In[0]);
}
template <unsigned ID> Value *counted(Builder &B, Inputs In, bool) {
  return B.CreateBinaryIntrinsic(Intrinsic::ID(ID), In[0], B.getFalse());
}
template <unsigned Op> Value *binary(Builder &B, Inputs In, bool) {
  return B.CreateBinOp(Instruction::BinaryOps(Op), In[0], In[1]);
}
template <unsigned S, unsigned U>
Value *binary(Builder &B, Inputs In, bool Signed) {
  return B.CreateBinOp(Instruction::BinaryOps(Signed ? S : U), In[0], In[1]);
}
template <unsigned S, unsigned U>
Value *extreme(Builder &B, Inputs In, bool Signed) {
  return B.CreateBinaryIntrinsic(Intrinsic::ID(Signed ? S : U), In[0], In[1]);
}

struct PtxRule {
  StringRef Head, Kinds; ///< Kinds: the first letters of the types
  /// A letter an operand: T(he type), W(ord of 32 bits), P(redicate), D(ouble
  /// width).
  StringRef Operands;
  Value *(*Make)(Builder &, Inputs, bool Signed);
};

using Inst = Instruction;

const PtxRule PtxRules[] = {
    {"mov", "usbfp", "T", [](Builder &, Inputs In, bool) { return In[0]; }},
    {"add", "us", "TT", binary<Inst::Add>},
    {"sub", "us", "TT", binary<Inst::Sub>},
    {"mul.lo", "us", "TT", binary<Inst::Mul>},
    {"mul.hi", "us", "TT", highHalf},
    {"mul.wide", "us", "TT",
     [](Builder &B, Inputs In, bool Signed) {
       return product(B, In[0], In[1], Signed);
     }},
    {"mad.lo", "us", "TTT",
     [](Builder &B, Inputs In, bool) {
       return B.CreateAdd(B.CreateMul(In[0], In[1]), In[2]);
     }},
    {"mad.hi", "us", "TTT",
     [](Builder &B, Inputs In, bool Signed) {
       return B.CreateAdd(highHalf(B, In, Signed), In[2]);
     }},
    {"mad.wide", "us", "TTD",
     [](Builder &B, Inputs In, bool Signed) {
       return B.CreateAdd(product(B, In[0], In[1], Signed), In[2]);
     }},
    {"div", "us", "TT", binary<Inst::SDiv, Inst::UDiv>},
    {"rem", "us", "TT", binary<Inst::SRem, Inst::URem>},
    {"min", "us", "TT", extreme<Intrinsic::smin, Intrinsic::umin>},
    {"max", "us", "TT", extreme<Intrinsic::smax, Intrinsic::umax>},
    {"abs", "s", "T", counted<Intrinsic::abs>},
    {"neg", "s", "T",
     [](Builder &B, Inputs In, bool) { return B.CreateNeg(In[0]); }},
    {"not", "bp", "T",
     [](Builder &B, Inputs In, bool) { return B.CreateNot(In[0]); }},
    {"and", "bp", "TT", binary<Inst::And>},
    {"or", "bp", "TT", binary<Inst::Or>},
    {"xor", "bp", "TT", binary<Inst::Xor>},
    {"shl", "b", "TW",
     [](Builder &B, Inputs In, bool) {
       return shifted(B, Inst::Shl, In[0], In[1]);
     }},
    {"shr", "usb", "TW",
     [](Builder &B, Inputs In, bool Signed) {
       return shifted(B, Signed ? Inst::AShr : Inst::LShr, In[0], In[1]);
     }},
    {"shf.l.wrap", "b", "TTW",
     [](Builder &B, Inputs In, bool) { return funnel(B, In, true, true); }},
    {"shf.r.wrap", "b", "TTW",
     [](Builder &B, Inputs In, bool) { return funnel(B, In, false, true); }},
    {"shf.l.clamp", "b", "TTW",
     [](Builder &B, Inputs In, bool) { return funnel(B, In, true, false); }},
    {"shf.r.clamp", "b", "TTW",
     [](Builder &B, Inputs In, bool) { return funnel(B, In, false, false); }},
    {"bfe", "us", "TWW", extract},
    {"bfi", "b", "TTWW", insert},
    {"lop3", "b", "TTTW", lookUp},
    {"prmt", "b", "TTW", permute},
    {"popc", "b", "T", unary<Intrinsic::ctpop>},
    {"clz", "b", "T", counted<Intrinsic::ctlz>},
    {"bfind", "u", "T",
     [](Builder &B, Inputs In, bool Signed) {
       return B.CreateSub(number(In[0], bitsOf(In[0]) - 1),
                          counted<Intrinsic::ctlz>(B, In, Signed));
     }},
    {"brev", "b", "T", unary<Intrinsic::bitreverse>},
    {"selp", "usbf", "TTP",
     [](Builder &B, Inputs In, bool) {
       return B.CreateSelect(In[2], In[0], In[1]);
     }},
    {"add", "f", "TT", binary<Inst::FAdd>},
    {"sub", "f", "TT", binary<Inst::FSub>},
    {"mul", "f", "TT", binary<Inst::FMul>},
    {"add.rn", "f", "TT", binary<Inst::FAdd>},
    {"sub.rn", "f", "TT", binary<Inst::FSub>},
    {"mul.rn", "f", "TT", binary<Inst::FMul>},
    {"div.rn", "f", "TT", binary<Inst::FDiv>},
    {"rcp.rn", "f", "T",
     [](Builder &B, Inputs In, bool) {
       return B.CreateFDiv(ConstantFP::get(In[0]->getType(), 1), In[0]);
     }},
    {"sqrt.rn", "f", "T", unary<Intrinsic::sqrt>},
    {"fma.rn", "f", "TTT",
     [](Builder &B, Inputs In, bool) -> Value * {
       return B.CreateIntrinsic(Intrinsic::fma, {In[0]->getType()}, In);
     }},
    {"min", "f", "TT", extreme<Intrinsic::minimumnum, Intrinsic::minimumnum>},
    {"max", "f", "TT", extreme<Intrinsic::maximumnum, Intrinsic::maximumnum>},
    {"abs", "f", "T", unary<Intrinsic::fabs>},
    {"neg", "f", "T",
     [](Builder &B, Inputs In, bool) { return B.CreateFNeg(In[0]); }},
};

/// "setp.lt.f32": ordered for floating point, where "ltu" is unordered.
Value *comparison(Builder &B, StringRef Name, char Kind, Value *X, Value *Y) {
  using P = CmpInst::Predicate;
  const struct {
    StringRef Name, Kinds;
    P Compares;
  } All[] = {
      {"eq", "usb", P::ICMP_EQ}, {"ne", "usb", P::ICMP_NE},
      {"lt", "s", P::ICMP_SLT},  {"le", "s", P::ICMP_SLE},
      {"gt", "s", P::ICMP_SGT},  {"ge", "s", P::ICMP_SGE},
      {"lt", "u", P::ICMP_ULT},  {"le", "u", P::ICMP_ULE},
      {"gt", "u", P::ICMP_UGT},  {"ge", "u", P::ICMP_UGE},
      {"lo", "u", P::ICMP_ULT},  {"ls", "u", P::ICMP_ULE},
      {"hi", "u", P::ICMP_UGT},  {"hs", "u", P::ICMP_UGE},
      {"eq", "f", P::FCMP_OEQ},  {"ne", "f", P::FCMP_ONE},
      {"lt", "f", P::FCMP_OLT},  {"le", "f", P::FCMP_OLE},
      {"gt", "f", P::FCMP_OGT},  {"ge", "f", P::FCMP_OGE},
      {"equ", "f", P::FCMP_UEQ}, {"neu", "f", P::FCMP_UNE},
      {"ltu", "f", P::FCMP_ULT}, {"leu", "f", P::FCMP_ULE},
      {"gtu", "f", P::FCMP_UGT}, {"geu", "f", P::FCMP_UGE},
      {"num", "f", P::FCMP_ORD}, {"nan", "f", P::FCMP_UNO},
  };
  for (const auto &One : All)
    if (One.Name == Name && One.Kinds.contains(Kind))
      return B.CreateCmp(One.Compares, X, Y);
  return nullptr;
}

/// From one type to another, where that is exact or rounded to the nearest.
Value *converted(Builder &B, StringRef Rounding, StringRef To, Type *ToType,
                 StringRef From, Value *V) {
  bool FromFloat = From[0] == 'f', ToFloat = To[0] == 'f';
  bool Signed = From[0] == 's';
  if (!FromFloat && !ToFloat && Rounding.empty()) {
    V = B.CreateIntCast(V, ToType, Signed);
    // A wider register gets copies of the sign.
    return To[0] == 's' && bitsOf(V) < 64 ? B.CreateSExt(V, B.getInt64Ty()) : V;
  }
  if (!FromFloat && ToFloat && Rounding == "rn")
    return Signed ? B.CreateSIToFP(V, ToType) : B.CreateUIToFP(V, ToType);
  if (FromFloat && ToFloat &&
      Rounding == (bitsOf(V) > ToType->getScalarSizeInBits() ? "rn" : "") &&
      V->getType() != ToType)
    return B.CreateFPCast(V, ToType);
  // What is out of range becomes the nearest number, and what is none 0.
  if (From == "f32" && (To == "s32" || To == "u32") && Rounding == "rzi")
    return B.CreateIntrinsic(To[0] == 's' ? Intrinsic::fptosi_sat
                                          : Intrinsic::fptoui_sat,
                             {ToType, V->getType()}, {V});
  return nullptr;
}

} // namespace

Type *catt::simt::ptxType(StringRef Name, LLVMContext &C) {
  unsigned Bits;
  if (Name == "pred")
    return Type::getInt1Ty(C);
  if (Name.size() < 2 || Name.drop_front().getAsInteger(10, Bits))
    return nullptr;
  if (Name[0] == 'f')
    return Bits == 32   ? Type::getFloatTy(C)
           : Bits == 64 ? Type::getDoubleTy(C)
                        : nullptr;
  bool Known = Bits == 8 || Bits == 16 || Bits == 32 || Bits == 64 ||
               (Bits == 128 && Name[0] == 'b');
  return Known && StringRef("usb").contains(Name[0]) ? Type::getIntNTy(C, Bits)
                                                     : nullptr;
}

Value *catt::simt::ptxArithmetic(IRBuilder<> &B, StringRef Head, unsigned Count,
                                 PtxOperand Operand) {
  auto [Op, TypeName] = Head.rsplit('.');
  Type *T = ptxType(TypeName, B.getContext());
  if (!T)
    return nullptr;
  if (Op.consume_front("setp.") && Count == 2) {
    Value *X = Operand(0, T), *Y = Operand(1, T);
    return X && Y ? comparison(B, Op, TypeName[0], X, Y) : nullptr;
  }
  if (Op.consume_front("cvt.") && Count == 1) {
    auto [Before, To] =
        Op.contains('.') ? Op.rsplit('.') : std::pair(StringRef(), Op);
    Type *ToType = ptxType(To, B.getContext());
    Value *V = ToType ? Operand(0, T) : nullptr;
    return V ? converted(B, Before, To, ToType, TypeName, V) : nullptr;
  }
  for (const PtxRule &R : PtxRules) {
    if (R.Head != Op || !R.Kinds.contains(TypeName[0]) ||
        R.Operands.size() != Count)
      continue;
    SmallVector<Value *> In;
    for (auto [N, Kind] : enumerate(R.Operands)) {
      Type *Of = Kind == 'T'   ? T
                 : Kind == 'W' ? B.getInt32Ty()
                 : Kind == 'P' ? B.getInt1Ty()
                               : B.getIntNTy(2 * T->getScalarSizeInBits());
      Value *V = Operand(N, Of);
      if (!V)
        return nullptr;
      In.push_back(V);
    }
    return R.Make(B, In, TypeName[0] == 's');
  }
  return nullptr;
}
