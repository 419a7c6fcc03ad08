//===- AddedFunctions.cpp - Functions that rewritten code calls -----------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transforms/AddedFunctions.h"
#include "analysis/frontend/builtin/Builtin.h"
#include "transforms/FilePlaces.h"
#include "clang/Tooling/Inclusions/HeaderIncludes.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using llvm::StringRef;

namespace catt {

/// Allows a launch more than 48 KiB (CUDA C++ Programming Guide, "Shared
/// Memory", compute capability 7.x and later).
static constexpr StringRef MaxDynamicShared =
    "cudaFuncAttributeMaxDynamicSharedMemorySize";

/// What a header has between `#define Guard` and its `#endif`.
static std::string partOf(StringRef Header, StringRef Guard) {
  const std::string Begin = ("#define " + Guard + "\n").str(),
                    End = ("\n#endif // " + Guard + "\n").str();
  const size_t From = Header.find(Begin) + Begin.size();
  return Header.slice(From, Header.find(End, From)).str();
}

/// As cattShared, but without as much the launch is to fail.
static std::string cattSpill() {
  std::string Code = partOf(launchesHeader(), "CATT_SHARED");
  for (auto [Old, New] : {std::pair("cattShared", "cattSpill"),
                          std::pair("return bytes;", "return bytes + more;")})
    for (size_t At = 0; (At = Code.find(Old, At)) != std::string::npos; ++At)
      Code.replace(At, strlen(Old), New);
  return Code;
}

static const char PreferL1[] = R"cu(template <class K>
static size_t cattPreferL1(K *kernel, size_t bytes, int percent) {
  (void)cudaFuncSetAttribute(
      kernel, cudaFuncAttributePreferredSharedMemoryCarveout, percent);
  return bytes;
})cu";

constexpr StringRef RowsHeader = "<catt/staged_rows.h>",
                    NarrowHeader = "<catt/narrow_rows.h>",
                    TrialsHeader = "<catt/trials.h>",
                    SlicesHeader = "<catt/slices.h>",
                    LevelsHeader = "<catt/levels.h>";

namespace {
/// A header whose functions are added.
struct Source {
  StringRef Text, Name;
  bool ForLaunches = false;

  AddedFunction function(StringRef Function, StringRef Guard, StringRef Reason,
                         StringRef Attribute = "",
                         std::vector<StringRef> Calls = {}) const {
    return {Function,    Guard, Reason,          Attribute, partOf(Text, Guard),
            ForLaunches, Name,  std::move(Calls)};
  }
};
} // namespace

/// All, in the order in which they are added to a file.
static llvm::ArrayRef<AddedFunction> addedFunctions() {
  static const std::vector<AddedFunction> All = [] {
    const Source Launches{launchesHeader(), RowsHeader, /*ForLaunches=*/true},
        Rows{stagedRowsHeader(), RowsHeader},
        Narrow{narrowRowsHeader(), NarrowHeader};
    return std::vector<AddedFunction>{
        Launches.function("cattThreads", "CATT_THREADS",
                          "the threads of a launch's block"),
        Launches.function("cattShared", "CATT_SHARED",
                          "more shared memory for a launch", MaxDynamicShared),
        {"cattSpill", "CATT_SPILL", "shared memory for values of the kernel",
         MaxDynamicShared, cattSpill()},
        {"cattPreferL1", "CATT_PREFER_L1",
         "how a launch divides L1 and shared memory",
         "cudaFuncAttributePreferredSharedMemoryCarveout", PreferL1},
        Rows.function("cattLoadRow", "CATT_LOAD_ROW",
                      "a warp loads elements of the row of each lane together"),
        Rows.function(
            "cattStoreRow", "CATT_STORE_ROW",
            "a warp stores elements to the row of each lane together"),
        Rows.function("cattApart", "CATT_APART",
                      "whether elements lie outside of others"),
        Rows.function("cattDynamicShared", "CATT_DYNAMIC_SHARED",
                      "the dynamic shared memory of a block"),
        Narrow.function("cattAlike", "CATT_ALIKE",
                        "where a row begins in a tile"),
        Narrow.function("cattLoadWords", "CATT_LOAD_WORDS",
                        "a warp loads words of the row of each lane together",
                        "", {"cattLoadRow", "cattAlike"}),
        Narrow.function("cattStoreWords", "CATT_STORE_WORDS",
                        "a warp stores words to the row of each lane together",
                        "", {"cattStoreRow"}),
        {"catt::Trial", "", "which of two kernels is faster", "", "",
         /*ForLaunches=*/true, TrialsHeader},
        {"catt::Slices", "", "the same within one launch", "", "",
         /*ForLaunches=*/true, SlicesHeader},
        {"catt::Level", "", "how many blocks on an SM are fastest", "", "",
         /*ForLaunches=*/true, LevelsHeader}};
  }();
  return All;
}

static std::vector<std::string> guarded(const AddedFunction &F) {
  return {("#ifndef " + F.Guard).str(), ("#define " + F.Guard).str(), F.Code,
          "#endif"};
}

const AddedFunction *findFunction(StringRef Name) {
  auto Found = llvm::find_if(
      addedFunctions(), [&](const AddedFunction &F) { return F.Name == Name; });
  return Found == addedFunctions().end() ? nullptr : Found;
}

bool isTaken(const FileContext &File, const AddedFunction &F) {
  if (!File.places().guards(F.Guard).empty())
    return false;
  const std::string &Text = File.Text;
  StringRef Name = F.Name;
  bool Found = false;
  if (StringRef(Text).contains(Name))
    forEachToken(Text, 0, [&](const clang::Token &T, unsigned B, unsigned E) {
      Found = T.is(clang::tok::raw_identifier) &&
              StringRef(Text).slice(B, E) == Name;
      return !Found;
    });
  return Found;
}

//===-- The functions' places ---------------------------------------------===//

/// Calls of one file, by place.
using Uses = std::map<unsigned, const AddedCall *>;

static bool isReached(const std::set<unsigned> &From, unsigned At,
                      const FilePlaces &Places) {
  return llvm::any_of(
      From, [&](unsigned P) { return P < At && Places.reaches(P, At); });
}

/// Adds the function above each call that has none, as near as can be.
static void addFunction(const AddedFunction &F, const std::string &File,
                        const Uses &All, const FileContext &In, Edits &Out) {
  const FilePlaces &Places = In.places();
  std::set<unsigned> Chosen = Places.guards(F.Guard);
  if (!F.Header.empty())
    Chosen.merge(Places.includes(F.Header));
  for (const auto &[At, Use] : All) {
    if (isReached(Chosen, At, Places))
      continue;
    unsigned Place = *Places.above(Use->Tops, At);
    Chosen.insert(Place);
    Out.Added[{File, Place, Place}].lead(linesAsTheyAre(
        *Use->By,
        {F.ForLaunches ? "launch" : "kernel", F.Reason.str(), guarded(F), {}},
        In.LineEnding));
  }
}

/// Where the file's other headers are included, or else at its top: some place
/// that all calls have above them in whatever way the file is compiled.
static unsigned includePlace(StringRef Header, const std::string &File,
                             const Uses &All, const FileContext &In) {
  clang::tooling::HeaderIncludes Known(File, In.Text, {});
  auto Found = Known.insert(Header.drop_front().drop_back(), /*IsAngled=*/true,
                            clang::tooling::IncludeDirective::Include);
  const unsigned At = Found ? Found->getOffset() : 0;
  const bool Serves =
      lineStart(In.Text, At) == At && llvm::all_of(All, [&](const auto &Use) {
        return isReached({At}, Use.first, In.places());
      });
  return Serves ? At : 0;
}

/// Adds the header for calls that have neither it nor the function.
static void addHeader(StringRef Header, const std::string &File,
                      const Uses &All, const FileContext &In, Edits &Out) {
  const std::set<unsigned> Known = In.places().includes(Header);
  if (llvm::all_of(All, [&](const auto &Use) {
        return isReached(Known, Use.first, In.places());
      }))
    return;
  const unsigned Place = includePlace(Header, File, All, In);
  Out.Added[{File, Place, Place}].lead(
      linesAsTheyAre(*All.begin()->second->By,
                     {"header",
                      "what its loops and launches call",
                      {("#include " + Header).str()},
                      {}},
                     In.LineEnding));
}

/// Whether the call needs the function in its file.
static bool needs(const AddedCall &Call, const AddedFunction &F, Runtime From) {
  return Call.Function == F.Name ||
         (From == Runtime::Inline &&
          llvm::is_contained(findFunction(Call.Function)->Calls, F.Name));
}

void addFunctions(const FileContexts &Files, Runtime From, Edits &Out) {
  std::map<std::pair<StringRef, std::string>, Uses> OfHeader;
  for (const AddedFunction &F : addedFunctions()) {
    std::map<std::string, Uses> Calls;
    for (const AddedCall &Use : Out.Calls)
      if (needs(Use, F, From))
        Calls[Use.File].insert({Use.At, &Use});
    for (const auto &[File, All] : Calls)
      if (F.Code.empty() || (!F.Header.empty() && From == Runtime::Header))
        OfHeader[{F.Header, File}].insert(All.begin(), All.end());
      else
        addFunction(F, File, All, Files.at(File), Out);
  }
  for (const auto &[Where, All] : OfHeader) {
    const auto &[Header, File] = Where;
    addHeader(Header, File, All, Files.at(File), Out);
  }
}

} // namespace catt
