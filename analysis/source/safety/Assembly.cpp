//===- Assembly.cpp - What inline PTX may do to other warps ---------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/safety/Assembly.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using llvm::StringRef;

namespace catt {
namespace {

bool isIn(StringRef Word, const char *List) {
  llvm::SmallVector<StringRef, 128> Words;
  StringRef(List).split(Words, ' ', -1, /*KeepEmpty=*/false);
  return llvm::is_contained(Words, Word);
}

bool isType(StringRef M) {
  return isIn(M, "u8 u16 u32 u64 s8 s16 s32 s64 b8 b16 b32 b64 b128 f16 f16x2 "
                 "f32 f32x2 f64 bf16 bf16x2 tf32 e4m3 e5m2 e4m3x2 e5m2x2 u16x2 "
                 "s16x2 u8x4 s8x4 pred");
}

/// What follows the opcode of an instruction that works on registers alone.
bool isArithmeticModifier(StringRef M) {
  return isType(M) ||
         isIn(M,
              "rn rz rm rp rna rni rzi rmi rpi ftz sat satfinite relu approx "
              "full cc hi lo wide l r clamp wrap shiftamt noinc "
              "eq ne lt le gt ge ls hs equ neu ltu leu gtu geu num nan "
              "and or xor finite infinite number notanumber normal "
              "subnormal xorsign abs mode f4e b4e rc8 ecl ecr rc16 "
              "to global shared local const param cta");
}

bool isArithmetic(StringRef Opcode) {
  return isIn(
      Opcode,
      "mov cvt add sub mul mad fma div rem min max abs neg and or xor "
      "not cnot shl shr shf lop3 prmt bfe bfi bfind bmsk szext popc clz "
      "brev fns setp selp set slct rcp sqrt rsqrt sin cos ex2 lg2 tanh "
      "copysign testp sad cvta isspacep dp4a dp2a addc madc subc mul24 "
      "mad24 vadd vsub vabsdiff vmin vmax vadd2 vsub2 vadd4 vsub4 "
      "vabsdiff4 vset4");
}

bool isCacheModifier(StringRef M) {
  return M.starts_with("L1::") || M.starts_with("L2::") ||
         isIn(M, "ca cg cs lu wb wt nc v2 v4 v8 weak global shared local const "
                 "param cta to");
}

bool isScope(StringRef M) { return isIn(M, "cta cluster gpu sys"); }

bool isWord(StringRef M) {
  return !M.empty() &&
         llvm::all_of(M, [](char C) { return llvm::isAlnum(C) || C == '_'; });
}

class Reader {
public:
  AssemblyFacts Facts;

  void read(StringRef Text) {
    std::string Plain;
    // Where a comment ends must be beyond doubt.
    if (Text.find_first_of("\r\v\f\\") != StringRef::npos)
      return refuse("an unusual line end");
    if (!dropComments(Text, Plain))
      return;
    llvm::SmallVector<StringRef, 16> Statements;
    splitStatements(Plain, Statements);
    for (StringRef S : Statements)
      if (Facts.isHarmless())
        readStatement(S.trim());
  }

private:
  void refuse(const llvm::Twine &What) {
    if (Facts.Unknown.empty())
      Facts.Unknown = What.str();
  }

  bool dropComments(StringRef Text, std::string &Out) {
    while (!Text.empty()) {
      if (Text.starts_with("//")) {
        Text = Text.drop_until([](char C) { return C == '\n'; });
      } else if (Text.consume_front("/*")) {
        size_t End = Text.find("*/");
        if (End == StringRef::npos) {
          refuse("a comment without end");
          return false;
        }
        Text = Text.substr(End + 2);
        Out += ' ';
      } else {
        Out += llvm::isSpace(Text[0]) ? ' ' : Text[0];
        Text = Text.drop_front();
      }
    }
    return true;
  }

  /// At semicolons, and at braces that are no operands: those follow a
  /// semicolon, another such brace, or nothing.
  void splitStatements(StringRef Text, llvm::SmallVectorImpl<StringRef> &Out) {
    unsigned Operand = 0;
    size_t Begin = 0;
    auto End = [&](size_t At) {
      Out.push_back(Text.slice(Begin, At));
      Begin = At + 1;
    };
    for (size_t I = 0; I < Text.size(); ++I) {
      bool AtStart = Text.slice(Begin, I).trim().empty();
      if (Text[I] == '{' && !AtStart)
        ++Operand;
      else if (Text[I] == '}' && Operand)
        --Operand;
      else if (Text[I] == ';' || Text[I] == '{' || Text[I] == '}')
        End(I);
    }
    End(Text.size());
  }

  void readStatement(StringRef S) {
    if (S.empty())
      return;
    StringRef Whole = S;
    if (S.consume_front(".reg"))
      return readDeclaration(S, Whole);
    if (S.consume_front("@")) {
      S.consume_front("!");
      StringRef Name = S.take_until([](char C) { return C == ' '; });
      if (!isOperand(Name) || Name.contains('['))
        return refuse("'" + Whole + "'");
      S = S.substr(Name.size()).ltrim();
    }
    StringRef Head = S.take_until([](char C) { return C == ' '; });
    llvm::SmallVector<StringRef, 8> Words;
    Head.split(Words, '.');
    llvm::ArrayRef<StringRef> Modifiers(Words);
    Modifiers = Modifiers.drop_front();
    for (StringRef M : Words)
      if (!isWord(M) && !isCacheModifier(M))
        return refuse("'" + Whole + "'");
    if (!isOperands(S.substr(Head.size())) || !isKnown(Words[0], Modifiers))
      refuse("'" + Whole + "'");
  }

  /// ".b32 a, b", ".pred p<4>"
  void readDeclaration(StringRef S, StringRef Whole) {
    auto [Type, Names] = S.ltrim().split(' ');
    llvm::SmallVector<StringRef, 4> Words;
    Type.split(Words, '.', -1, /*KeepEmpty=*/false);
    bool Known = Type.starts_with(".") && !Words.empty() && isOperands(Names);
    for (StringRef W : Words)
      Known &= isType(W) || isIn(W, "v2 v4");
    if (!Known || Names.contains('['))
      refuse("'" + Whole + "'");
  }

  static bool isOperands(StringRef S) {
    llvm::SmallVector<StringRef, 8> Operands;
    S.split(Operands, ',');
    return llvm::all_of(Operands, isOperand);
  }

  /// Names, numbers and operands (%0), within brackets and signs.
  static bool isOperand(StringRef S) {
    return llvm::all_of(S, [](char C) {
      return llvm::isAlnum(C) || StringRef("_$.%[]{}<>+-|! *").contains(C);
    });
  }

  template <typename Function>
  static bool all(llvm::ArrayRef<StringRef> Modifiers, Function F) {
    return llvm::all_of(Modifiers, F);
  }

  bool isKnown(StringRef Opcode, llvm::ArrayRef<StringRef> Modifiers) {
    auto Has = [&](StringRef M) { return llvm::is_contained(Modifiers, M); };
    auto IsAccess = [](StringRef M) { return isCacheModifier(M) || isType(M); };
    if (isArithmetic(Opcode))
      return all(Modifiers, isArithmeticModifier);
    if (Opcode == "ld" || Opcode == "ldu") {
      Facts.ReadsMemory |= !Has("nc") && !Has("const") && !Has("param");
      return all(Modifiers, IsAccess);
    }
    if (Opcode == "st")
      return all(Modifiers, IsAccess);
    if (Opcode == "cp") { // waited for by the thread itself
      Facts.ReadsMemory = true;
      return Has("async") && all(Modifiers, [](StringRef M) {
               return isCacheModifier(M) ||
                      isIn(M, "async commit_group wait_group wait_all");
             });
    }
    if (Opcode == "prefetch" || Opcode == "prefetchu")
      return all(Modifiers, [](StringRef M) {
        return isIn(M, "global local L1 L2") || M.starts_with("L2::");
      });
    if (Opcode == "atom" || Opcode == "red") {
      Facts.ReadsMemory = true;
      return all(Modifiers, [](StringRef M) {
        return isType(M) || isScope(M) ||
               isIn(M, "relaxed global shared add min max inc dec and or xor "
                       "exch cas noftz v2 v4 v8");
      });
    }
    if (Opcode == "membar")
      return all(Modifiers, [](StringRef M) { return isIn(M, "cta gl sys"); });
    if (Opcode == "fence")
      return all(Modifiers, [](StringRef M) {
        return isScope(M) || isIn(M, "sc acq_rel");
      });
    return isWarpWide(Opcode, Modifiers);
  }

  bool isWarpWide(StringRef Opcode, llvm::ArrayRef<StringRef> Modifiers) {
    Facts.WarpWide = true;
    if (Opcode == "bar" || Opcode == "barrier")
      return Modifiers.size() == 2 && Modifiers[0] == "warp" &&
             Modifiers[1] == "sync";
    if (Opcode == "activemask")
      return all(Modifiers, isType);
    bool IsMatrix = isIn(Opcode, "mma wmma ldmatrix stmatrix movmatrix");
    bool IsVote = isIn(Opcode, "shfl vote match redux");
    if (!IsMatrix && !IsVote)
      return false;
    Facts.ReadsMemory |= Opcode == "ldmatrix" || Opcode == "wmma";
    return all(Modifiers, [&](StringRef M) {
      return isType(M) ||
             isIn(M, "sync aligned up down bfly idx all any uni ballot add min "
                     "max and or xor") ||
             (IsMatrix &&
              (M.starts_with("m8") || M.starts_with("m16") ||
               M.starts_with("m32") ||
               isIn(M, "row col a b c d load store mma global shared cta trans "
                       "x1 x2 x4 satfinite xor popc and s4 u4 b1 sp")));
    });
  }
};

} // namespace

AssemblyFacts readAssembly(StringRef Text) {
  Reader R;
  R.read(Text);
  return std::move(R.Facts);
}

AssemblyFacts readAssembly(const clang::AsmStmt &S) {
  AssemblyFacts No;
  auto *G = llvm::dyn_cast<clang::GCCAsmStmt>(&S);
  if (!G || G->isAsmGoto()) {
    No.Unknown = "assembly that jumps";
    return No;
  }
  auto IsPlain = [](StringRef Constraint) {
    return llvm::all_of(Constraint, [](char C) {
      return llvm::isDigit(C) || StringRef("=+&hrlqfdnim").contains(C);
    });
  };
  for (unsigned I = 0; I < G->getNumOutputs(); ++I)
    if (!IsPlain(G->getOutputConstraint(I)))
      No.Unknown = "an operand of an unknown kind";
  for (unsigned I = 0; I < G->getNumInputs(); ++I)
    if (!IsPlain(G->getInputConstraint(I)))
      No.Unknown = "an operand of an unknown kind";
  return No.isHarmless() ? readAssembly(G->getAsmString()) : No;
}

} // namespace catt
