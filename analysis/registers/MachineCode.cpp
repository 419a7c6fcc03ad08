//===- MachineCode.cpp - Floating-point instructions of a cubin -----------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/registers/MachineCode.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBufferRef.h"

using llvm::StringRef;

namespace catt {

static constexpr size_t InstructionBytes = 16;

namespace {
/// The lowest nine bits of an instruction; the three above say which operands
/// are registers and which constants.
struct Opcode {
  unsigned Bits;
  const char *Name;
};
} // namespace

/// Seen in what ptxas 13.0 makes of PTX with one such instruction each
/// (add.rn, mul.rn, fma.rn of f32, f64, f16, f32x2), for sm_75, sm_80, sm_90,
/// sm_100 and sm_120: all alike, the last three for sm_100 only.
static constexpr Opcode Opcodes[] = {
    {0x021, "FADD"}, {0x020, "FMUL"},  {0x023, "FFMA"},  {0x029, "DADD"},
    {0x028, "DMUL"}, {0x02b, "DFMA"},  {0x030, "HADD"},  {0x032, "HMUL"},
    {0x031, "HFMA"}, {0x04b, "FADD2"}, {0x04a, "FMUL2"}, {0x049, "FFMA2"},
};

/// Those of one width, as they stand in Opcodes.
static constexpr size_t KindsOfWidth = 3;

static OpcodeCounts countIn(StringRef Code) {
  OpcodeCounts Out;
  for (; Code.size() >= InstructionBytes;
       Code = Code.drop_front(InstructionBytes)) {
    unsigned Bits = llvm::support::endian::read16le(Code.data()) & 0x1ff;
    for (const Opcode &O : Opcodes)
      if (O.Bits == Bits)
        ++Out[O.Name];
  }
  return Out;
}

static llvm::Expected<std::unique_ptr<llvm::object::ObjectFile>>
objectFile(StringRef Cubin) {
  return llvm::object::ObjectFile::createELFObjectFile(
      {Cubin, "the machine code"});
}

llvm::Expected<std::map<std::string, StringRef>> functionsOf(StringRef Cubin) {
  auto File = objectFile(Cubin);
  if (!File)
    return File.takeError();
  std::map<std::string, StringRef> Out;
  for (const llvm::object::SectionRef &S : (*File)->sections()) {
    llvm::Expected<StringRef> Name = S.getName();
    if (!Name)
      return Name.takeError();
    StringRef Function = *Name;
    if (!Function.consume_front(".text."))
      continue;
    llvm::Expected<StringRef> Code = S.getContents();
    if (!Code)
      return Code.takeError();
    Out[Function.str()] = *Code;
  }
  return Out;
}

StringRef callerOf(StringRef Symbol) {
  if (!Symbol.consume_front("$") || Symbol.starts_with("__internal_"))
    return "";
  auto [Kernel, Function] = Symbol.split('$');
  return Function.empty() ? "" : Kernel;
}

llvm::Expected<std::map<std::string, std::vector<CodeRange>>>
calledFunctions(StringRef Cubin) {
  auto File = objectFile(Cubin);
  if (!File)
    return File.takeError();
  std::map<std::string, std::vector<CodeRange>> Out;
  for (const llvm::object::ELFSymbolRef S : (*File)->symbols()) {
    llvm::Expected<StringRef> Name = S.getName();
    if (!Name)
      return Name.takeError();
    StringRef Kernel = callerOf(*Name);
    if (Kernel.empty())
      continue;
    llvm::Expected<uint64_t> At = S.getValue();
    if (!At)
      return At.takeError();
    Out[Kernel.str()].push_back({*At, *At + S.getSize()});
  }
  return Out;
}

llvm::Expected<std::map<std::string, OpcodeCounts>>
countFloatingPoint(StringRef Cubin) {
  auto Functions = functionsOf(Cubin);
  if (!Functions)
    return Functions.takeError();
  std::map<std::string, OpcodeCounts> Out;
  for (const auto &[Name, Code] : *Functions)
    Out[Name] = countIn(Code);
  return Out;
}

std::string roundingDifference(const OpcodeCounts &Before,
                               const OpcodeCounts &After) {
  auto Of = [](const OpcodeCounts &Counts, const char *Name) {
    auto Found = Counts.find(Name);
    return Found == Counts.end() ? 0U : Found->second;
  };
  std::string Out;
  for (size_t First = 0; First < std::size(Opcodes); First += KindsOfWidth) {
    bool More = false, Fewer = false, Comes = false;
    std::string Text;
    for (size_t I = First; I < First + KindsOfWidth; ++I) {
      const char *Name = Opcodes[I].Name;
      unsigned A = Of(Before, Name), B = Of(After, Name);
      More |= B > A;
      Fewer |= B < A;
      Comes |= (A == 0) != (B == 0);
      if (A != B)
        Text += (Text.empty() ? "" : ", ") + std::string(Name) + " " +
                std::to_string(A) + " -> " + std::to_string(B);
    }
    if (Comes || (More && Fewer))
      Out += (Out.empty() ? "" : ", ") + Text;
  }
  return Out;
}

} // namespace catt
