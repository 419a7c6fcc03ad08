//===- LaunchCalls.cpp - What a launch does in its own arguments ----------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transforms/LaunchCalls.h"
#include "transforms/FilePlaces.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using llvm::StringRef;

namespace catt {

//===-- The functions -----------------------------------------------------===//

namespace {
struct LaunchFunction {
  StringRef Name, Guard, Reason;
  std::vector<std::string> Code;
};
} // namespace

/// What cattShared and cattSpill begin with: Most is what the kernel may have
/// of dynamic shared memory on the current device, Bytes what the launch had.
static const char Limit[] = R"cu(  int device = 0, most = 0;
  cudaFuncAttributes now;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                             device) != cudaSuccess ||
      cudaFuncGetAttributes(&now, kernel) != cudaSuccess)
    return FAILED;
  size_t limit = most - now.sharedSizeBytes;
  if (bytes > limit || more > limit - bytes)
    return FAILED;
  if (bytes + more > (size_t)now.maxDynamicSharedSizeBytes &&
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                           (int)limit) != cudaSuccess)
    return FAILED;
  return bytes + more;
})cu";

static const char PreferCarveout[] =
    "      kernel, cudaFuncAttributePreferredSharedMemoryCarveout, percent);";

static std::vector<std::string> raising(StringRef Name, StringRef Failed) {
  std::string Body = Limit;
  for (size_t At; (At = Body.find("FAILED")) != std::string::npos;)
    Body.replace(At, 6, Failed.str());
  return {"template <class K>",
          ("static size_t " + Name + "(K *kernel, size_t bytes, size_t more) {")
              .str(),
          Body};
}

static llvm::ArrayRef<LaunchFunction> launchFunctions() {
  static const LaunchFunction All[] = {
      {"cattThreads",
       "CATT_THREADS",
       "the threads of a launch's block",
       {"static inline unsigned cattThreads(dim3 block) {",
        "  return block.x * block.y * block.z;", "}"}},
      {"cattShared", "CATT_SHARED", "more shared memory for a launch",
       raising("cattShared", "bytes")},
      {"cattSpill", "CATT_SPILL", "shared memory for values of the kernel",
       raising("cattSpill", "bytes + more")},
      {"cattPreferL1",
       "CATT_PREFER_L1",
       "how a launch divides L1 and shared memory",
       {"template <class K>",
        "static size_t cattPreferL1(K *kernel, size_t bytes, int percent) {",
        "  (void)cudaFuncSetAttribute(", PreferCarveout, "  return bytes;",
        "}"}}};
  return All;
}

static std::vector<std::string> guarded(const LaunchFunction &F) {
  std::vector<std::string> Out = {("#ifndef " + F.Guard).str(),
                                  ("#define " + F.Guard).str()};
  Out.insert(Out.end(), F.Code.begin(), F.Code.end());
  Out.push_back("#endif");
  return Out;
}

bool isLaunchFunctionName(StringRef Name) {
  return llvm::any_of(launchFunctions(),
                      [&](const LaunchFunction &F) { return F.Name == Name; });
}

//===-- The argument ------------------------------------------------------===//

namespace {
/// What the tokens of `<<<...>>>` say.
struct Arguments {
  bool Directives = false; ///< there are some among them
  bool CommaInBranch = false, Angle = false;
  std::vector<unsigned> Commas; ///< behind each that separates, as it seems
  /// By where it begins, each token that is code: its end, and whether it is a
  /// comma.
  std::vector<std::tuple<unsigned, unsigned, bool>> Code;
};
} // namespace

static Arguments readArguments(const std::string &Text, const SourceSpan &S) {
  using namespace clang::tok;
  Arguments Out;
  int Depth = 0, Branches = 0;
  bool InDirective = false, BehindHash = false;
  forEachToken(
      Text, S.Begin, [&](const clang::Token &T, unsigned B, unsigned E) {
        if (B >= S.End)
          return false;
        if (T.is(hash) && T.isAtStartOfLine()) {
          Out.Directives = InDirective = BehindHash = true;
          return true;
        }
        if (T.isAtStartOfLine())
          InDirective = false;
        StringRef Word = StringRef(Text).slice(B, E);
        if (InDirective) {
          if (std::exchange(BehindHash, false))
            Branches += Word.starts_with("if") ? 1 : Word == "endif" ? -1 : 0;
          return true;
        }
        if (T.is(comment))
          return true;
        Depth += T.isOneOf(l_paren, l_square, l_brace);
        Depth -= T.isOneOf(r_paren, r_square, r_brace);
        bool Comma = T.is(comma) && Depth == 0;
        Out.Angle |= T.is(less);
        Out.CommaInBranch |= Comma && Branches > 0;
        if (Comma)
          Out.Commas.push_back(E);
        Out.Code.push_back({B, E, T.is(comma)});
        return true;
      });
  return Out;
}

/// Where the third argument stands, or an empty span where it is to be.
/// std::nullopt if the text does not show it.
static std::optional<SourceSpan> argumentPlace(const std::string &Text,
                                               const Launch &L) {
  const SourceSpan &Config = L.Written->Config, &Given = *L.SharedArgument;
  unsigned End = Config.End - StringRef(">>>").size();
  if (Given.File != Config.File || Given.Begin < Config.Begin ||
      Given.End > End || Given.Begin > Given.End)
    return std::nullopt;
  Arguments A = readArguments(Text, Config);
  if (A.Directives && (A.CommaInBranch || A.Angle))
    return std::nullopt;
  if (Given.Begin == Given.End)
    return SourceSpan{Config.File, End, End};
  if (A.Directives) {
    if (A.Commas.size() < 2)
      return std::nullopt;
    unsigned Close = A.Commas.size() > 2 ? A.Commas[2] - 1 : End;
    return SourceSpan{Config.File, A.Commas[1], Close};
  }
  // What is around it must be what separates arguments: a pack that is
  // expanded, or a part of an argument, is none.
  bool Before = false, Behind = false;
  for (auto [B, E, Comma] : A.Code) {
    if (E <= Given.Begin)
      Before = Comma;
    if (B >= Given.End) {
      Behind = Comma || B == End;
      break;
    }
  }
  return Before && Behind ? std::optional(Given) : std::nullopt;
}

/// Whether the file has the name, and not from an earlier run.
static bool isTaken(const std::string &Text, StringRef Name,
                    const FilePlaces &Places) {
  for (const LaunchFunction &F : launchFunctions())
    if (F.Name == Name && !Places.guards(F.Guard).empty())
      return false;
  bool Found = false;
  if (StringRef(Text).contains(Name))
    forEachToken(Text, 0, [&](const clang::Token &T, unsigned B, unsigned E) {
      Found = T.is(clang::tok::raw_identifier) &&
              StringRef(Text).slice(B, E) == Name;
      return !Found;
    });
  return Found;
}

static Refusal notEditable(const Launch &L, const std::string &Why) {
  return {Reason::LaunchNotEditable, L.Where,
          L.Text + (Why.empty() ? "" : ": " + Why)};
}

std::optional<Refusal> cannotCall(const TextMap &Texts, const Launch &L,
                                  const LaunchCall &Call, Edits &Out) {
  const SourceSpan &Config = L.Written->Config;
  if (std::optional<Refusal> R = cannotEdit(Texts, Config, L.Where)) {
    R->Kind = Reason::LaunchNotEditable;
    return R;
  }
  const std::string &Text = Texts.at(Config.File);
  if (makesCall(Texts, L, Call.Function))
    return Refusal{Reason::AlreadyRewritten, L.Where, ""};
  if (!L.SharedArgument || !argumentPlace(Text, L))
    return notEditable(L, "the arguments do not stand there one by one");
  const FilePlaces &Places = placesOf(Texts, Config.File, Out);
  for (StringRef Name : {Call.Function, StringRef("cattThreads")})
    if (isTaken(Text, Name, Places))
      return notEditable(L, "the name " + Name.str() + " is taken");
  if (!Places.above(L.Written->Tops, Config.Begin))
    return notEditable(L, "no function can stand above it in this file");
  return std::nullopt;
}

bool makesCall(const TextMap &Texts, const Launch &L, StringRef Function) {
  auto Found = Texts.find(L.Written ? L.Written->Config.File : "");
  if (Found == Texts.end())
    return false;
  const SourceSpan &Config = L.Written->Config;
  return StringRef(Found->second)
      .slice(Config.Begin, Config.End)
      .contains((Function + "(").str());
}

void addCall(const TextMap &Texts, const Launch &L, const LaunchCall &Call,
             Edits &Out) {
  const LaunchText &Written = *L.Written;
  const std::string &File = Written.Config.File;
  SourceSpan Argument = *argumentPlace(Texts.at(File), L);
  std::string Open = (Call.Function + "(" + Written.Kernel + ", ").str();
  std::string Close = ", " + Call.Number + ")";
  if (Argument.Begin == Argument.End)
    Out.Added[{File, Argument.Begin, Argument.Begin}].call(
        (Call.Transform + "(" + Call.Argument + ")").str(), Open, Close);
  else
    addInline(Argument,
              {Call.Transform.str(),
               Call.Argument,
               "",
               {StringRef(Open).rtrim().str()},
               {Close}},
              Out);
  for (StringRef Name : {Call.Function, StringRef("cattThreads")})
    if (Name == Call.Function || Call.CountsThreads)
      Out.Calls.push_back({Name.str(), Call.Transform.str(), File,
                           Written.Config.Begin, Written.Tops});
}

//===-- The functions' places ---------------------------------------------===//

static std::string linesOf(const TextMap &Texts, const LaunchFunction &F,
                           const LaunchCallUse &Use, Edits &Out) {
  // As it stands: in the body that layOut() puts it into it would be indented.
  std::string Code = "// catt: " + Use.Transform +
                     "(launch): " + F.Reason.str() + "\n" +
                     llvm::join(guarded(F), "\n") + " // catt: done\n";
  llvm::SmallVector<StringRef> Rows;
  StringRef(Code).split(Rows, '\n');
  return llvm::join(Rows, factsOf(Texts, Use.File, Out).LineEnding);
}

void addLaunchFunctions(const TextMap &Texts, Edits &Out) {
  for (const LaunchFunction &F : launchFunctions()) {
    std::map<std::string, std::map<unsigned, const LaunchCallUse *>> Uses;
    for (const LaunchCallUse &Use : Out.Calls)
      if (Use.Function == F.Name)
        Uses[Use.File].insert({Use.At, &Use});
    for (const auto &[File, InFile] : Uses) {
      const FilePlaces &Places = placesOf(Texts, File, Out);
      std::set<unsigned> Chosen = Places.guards(F.Guard);
      for (const auto &[At, Use] : InFile) {
        if (llvm::any_of(Chosen, [&](unsigned P) {
              return P < At && Places.reaches(P, At);
            }))
          continue;
        unsigned Place = *Places.above(Use->Tops, At);
        Chosen.insert(Place);
        Out.Added[{File, Place, Place}].lead(linesOf(Texts, F, *Use, Out));
      }
    }
  }
}

Refusal blockNotPlain(const Launch &L) {
  return notEditable(L, "the number of threads is known only when it runs, and "
                        "the block may not be evaluated twice");
}

std::optional<std::string>
byThreads(const Launch &L, llvm::ArrayRef<LaunchCase> Cases,
          llvm::function_ref<int64_t(const LaunchCase &)> Value) {
  StringRef Block = L.Written ? StringRef(L.Written->PlainBlock) : "";
  if (Block.empty() || Block.find_first_of(";{}/\n") != StringRef::npos)
    return std::nullopt;
  std::string Out;
  std::optional<int64_t> Last;
  for (const LaunchCase &C : Cases) {
    std::string Here = std::to_string(Value(C));
    if (!Last)
      Out = Here;
    else if (*Last != Value(C))
      Out.insert(0, ("cattThreads(" + Block + ") >= " +
                     llvm::Twine(C.FromThreads) + " ? " + Here + " : ")
                        .str());
    Last = Value(C);
  }
  return Out;
}

} // namespace catt
