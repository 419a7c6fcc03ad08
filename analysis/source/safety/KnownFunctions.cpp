//===- KnownFunctions.cpp - What CUDA's own functions do ------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/safety/KnownFunctions.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Basic/Builtins.h"
#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Path.h"

using namespace clang;
using llvm::StringRef;

namespace catt {
namespace {

class Table {
public:
  Table() {
#define CATT_MATH(List) addMath(List);
#define CATT_KNOWN(Kind, List) add(Known::Kind, List);
#define CATT_HEADER(Kind, File) Headers[File] = Known::Kind;
#include "analysis/source/safety/KnownFunctions.def"
  }

  Known byName(StringRef Name) const {
    if (auto It = Names.find(Name); It != Names.end())
      return It->second;
    Known Best = Known::Unlisted;
    size_t Longest = 0;
    for (auto &[Prefix, Kind] : Prefixes)
      if (Prefix.size() > Longest && Name.starts_with(Prefix)) {
        Longest = Prefix.size();
        Best = Kind;
      }
    return Best;
  }
  Known byHeader(StringRef File) const {
    auto It = Headers.find(File);
    return It == Headers.end() ? Known::Unlisted : It->second;
  }

private:
  llvm::StringMap<Known> Names, Headers;
  std::vector<std::pair<StringRef, Known>> Prefixes;

  void add(Known Kind, StringRef List) {
    llvm::SmallVector<StringRef, 32> Each;
    List.split(Each, ' ', -1, /*KeepEmpty=*/false);
    for (StringRef Name : Each)
      if (Name.consume_back("*"))
        Prefixes.push_back({Name, Kind});
      else
        Names[Name] = Kind;
  }
  void addMath(StringRef List) {
    llvm::SmallVector<StringRef, 32> Each;
    List.split(Each, ' ', -1, /*KeepEmpty=*/false);
    for (StringRef Name : Each) {
      Names[Name] = Known::Computes;
      Names[(Name + "f").str()] = Known::Computes;
      Names[("__" + Name + "f").str()] = Known::Computes;
    }
  }
};

const Table &table() {
  static const Table T;
  return T;
}

/// The header that declares F, if it is one of CUDA's: it stands beside
/// cuda_runtime.h, or in crt/ there, or among clang's own.
StringRef cudaHeader(const FunctionDecl &F) {
  const SourceManager &SM = F.getASTContext().getSourceManager();
  SourceLocation At = SM.getExpansionLoc(F.getLocation());
  if (At.isInvalid() || !SM.isInSystemHeader(At))
    return {};
  OptionalFileEntryRef File = SM.getFileEntryRefForID(SM.getFileID(At));
  if (!File)
    return {};
  namespace path = llvm::sys::path;
  StringRef Name = path::filename(File->getName());
  StringRef Dir = path::parent_path(File->getName());
  if (path::filename(Dir) == "crt")
    Dir = path::parent_path(Dir);
  if (Dir.starts_with("/catt-rewrite-builtin"))
    return Name;
  for (StringRef Beside :
       {"cuda_runtime.h", "__clang_cuda_runtime_wrapper.h"}) {
    llvm::SmallString<256> Path(Dir);
    path::append(Path, Beside);
    if (SM.getFileManager().getOptionalFileRef(Path))
      return Name;
  }
  return {};
}

/// Global, in std, or of a class whose methods the table names by the class.
bool isOfLanguage(const FunctionDecl &F) {
  const DeclContext *C = F.getDeclContext()->getRedeclContext();
  return C->isTranslationUnit() || C->isStdNamespace();
}

StringRef nameOf(const FunctionDecl &F) {
  if (auto *M = dyn_cast<CXXMethodDecl>(&F))
    return M->getParent()->getIdentifier() ? M->getParent()->getName()
                                           : StringRef();
  return F.getDeclName().isIdentifier() ? F.getName() : StringRef();
}

Known ofBuiltin(const FunctionDecl &F, unsigned Id) {
  if (Known K = table().byName(F.getName()); K != Known::Unlisted)
    return K;
  const Builtin::Context &Builtins = F.getASTContext().BuiltinInfo;
  return Builtins.isConst(Id) || Builtins.isPure(Id) ||
                 Builtins.isConstWithoutErrnoAndExceptions(Id)
             ? Known::Computes
             : Known::Unlisted;
}

} // namespace

Known knownFunction(const FunctionDecl &F) {
  if (unsigned Id = F.getBuiltinID();
      Id && F.getDeclName().isIdentifier() && !isa<CXXMethodDecl>(F))
    if (!F.hasBody())
      return ofBuiltin(F, Id);
  bool ByClass =
      isa<CXXMethodDecl>(F) &&
      F.getDeclContext()->getParent()->getRedeclContext()->isTranslationUnit();
  if (StringRef Header = cudaHeader(F); !Header.empty()) {
    if (isOfLanguage(F) || ByClass)
      if (Known K = table().byName(nameOf(F)); K != Known::Unlisted)
        return K;
    return table().byHeader(Header);
  }
  const SourceManager &SM = F.getASTContext().getSourceManager();
  bool IsDeclaredOnly = !F.hasBody() && !F.hasSkippedBody() &&
                        !F.getTemplateInstantiationPattern();
  if (IsDeclaredOnly && isOfLanguage(F) && F.isExternC() &&
      SM.isInSystemHeader(SM.getExpansionLoc(F.getLocation())))
    return table().byName(nameOf(F));
  return Known::Unlisted;
}

} // namespace catt
