//===- KernelNames.cpp - Symbols of kernels, for people -------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/registers/KernelNames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include <cstdlib>

using llvm::StringRef;

namespace catt {

/// Behind these stands "_<8 hex digits>_": the hash. A number may stand
/// between.
static constexpr llvm::StringLiteral Leads[] = {"_GLOBAL__N_", "__nv_static_"};

static constexpr size_t HashDigits = 8;

std::string stableSymbol(StringRef Symbol) {
  std::string Stable = Symbol.str();
  for (StringRef Lead : Leads)
    for (size_t At = Stable.find(Lead); At != std::string::npos;
         At = Stable.find(Lead, At + Lead.size())) {
      StringRef Rest = StringRef(Stable).drop_front(At + Lead.size());
      StringRef Hash = Rest.ltrim("0123456789");
      if (!Hash.consume_front("_"))
        continue;
      Hash.consume_front("_"); // behind a number there are two
      if (Hash.size() > HashDigits && Hash[HashDigits] == '_' &&
          llvm::all_of(Hash.take_front(HashDigits), llvm::isHexDigit))
        Stable.replace(Hash.data() - Stable.data(), HashDigits, HashDigits,
                       '0');
    }
  return Stable;
}

/// `__nv_static_24_<24 characters>__ZN...`: what stands behind it.
static StringRef withoutStaticPrefix(StringRef Symbol) {
  StringRef Rest = Symbol;
  size_t Length = 0;
  if (!Rest.consume_front("__nv_static_") || Rest.consumeInteger(10, Length) ||
      Rest.size() < Length + 2)
    return Symbol;
  Rest = Rest.drop_front(Length + 1);
  return Rest.consume_front("_") ? Rest : Symbol;
}

std::string readableName(StringRef Symbol) {
  return llvm::demangle(withoutStaticPrefix(Symbol));
}

/// "t<int>::wide" of "t<int>::wide<64>".
static StringRef withoutArguments(StringRef Name) {
  if (!Name.ends_with(">"))
    return Name;
  unsigned Depth = 0;
  for (size_t I = Name.size(); I != 0; --I) {
    if (Name[I - 1] == '>')
      ++Depth;
    else if (Name[I - 1] == '<' && --Depth == 0)
      return Name.take_front(I - 1);
  }
  return Name;
}

std::string functionName(StringRef Symbol) {
  std::string Mangled = withoutStaticPrefix(Symbol).str();
  llvm::ItaniumPartialDemangler Parts;
  if (Parts.partialDemangle(Mangled.c_str()) || !Parts.isFunction())
    return Mangled;
  char *Name = Parts.getFunctionName(nullptr, nullptr);
  std::string Whole = Name ? Name : Mangled;
  std::free(Name);
  return Whole;
}

std::string bareName(StringRef Symbol) {
  return withoutArguments(functionName(Symbol)).str();
}

} // namespace catt
