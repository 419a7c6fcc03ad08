//===- LaunchEdit.cpp - What a launch does in its own arguments ----------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transforms/LaunchEdit.h"
#include "transforms/AddedFunctions.h"
#include "transforms/FilePlaces.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using llvm::StringRef;

namespace catt {

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

std::optional<SourceSpan> sharedArgument(const std::string &Text,
                                         const Launch &L) {
  if (!L.SharedArgument)
    return std::nullopt;
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

static Refusal notEditable(const Launch &L, StringRef Why) {
  return {Reason::LaunchNotEditable, L.Where, (L.Text + ": " + Why).str()};
}

//===-- The launches ------------------------------------------------------===//

/// Why the launch cannot be edited, as far as the analysis knows.
static std::optional<std::string> obstacle(const Launch &L) {
  if (!L.Written)
    return L.Text;
  if (!L.Written->Obstacle.empty())
    return (L.Text.empty() ? "" : L.Text + ": ") + L.Written->Obstacle;
  if (L.Written->Kernel.empty())
    return L.Text + " of " + L.Callee;
  return std::nullopt;
}

/// Whether it is a use of the kernel in the arguments of one of its launches,
/// where an earlier run has put it.
static bool isOwnCall(const Kernel &Kernel, const Launch &Use) {
  auto [Function, Behind] = StringRef(Use.Text).split('(');
  if (Use.Written || Behind.empty() || !findFunction(Function))
    return false;
  return llvm::any_of(Kernel.Launches, [&, Name = Function](const Launch &L) {
    return L.Written && L.Where.File == Use.Where.File &&
           StringRef(L.Text).contains((Name + "(").str());
  });
}

void refuseFewerBlocks(const Kernel &Kernel, std::vector<Refusal> &Refusals) {
  if (!Refusals.empty())
    return;
  Refusals = Kernel.Waits;
  // What the loops and launches say is part of that, and is asked again: there
  // is no way out of a deadlock.
  for (const Loop &L : Kernel.Loops)
    for (const Refusal &R : L.Refusals)
      if (Refusals.empty() && (R.Kind == Reason::WarpsCommunicate ||
                               R.Kind == Reason::CooperativeLaunch))
        Refusals.push_back(R);
  for (const Launch &L : Kernel.Launches)
    if (Refusals.empty() && L.Cooperative)
      Refusals.push_back({Reason::CooperativeLaunch, L.Where, L.Text});
}

std::vector<const Launch *> launchSites(const Kernel &Kernel,
                                        std::vector<Refusal> &Refusals) {
  std::vector<const Launch *> Sites;
  std::set<TextPlace> Seen; // a helper with two callers shows its launch twice
  for (const Launch &L : Kernel.Launches) {
    if (L.From == Origin::Told || L.IsElsewhere || isOwnCall(Kernel, L))
      continue;
    if (std::optional<std::string> Obstacle = obstacle(L)) {
      Refusals.push_back({Reason::LaunchNotEditable, L.Where, *Obstacle});
      return {};
    }
    if (Seen.insert({L.Written->Config.File, L.Written->Config.Begin}).second)
      Sites.push_back(&L);
  }
  if (Sites.empty())
    Refusals.push_back({Reason::LaunchNotEditable, Kernel.Where,
                        "no launch of " + Kernel.Name + " in this file"});
  return Sites;
}

//===-- The edit ----------------------------------------------------------===//

LaunchCall::LaunchCall(StringRef Function, std::optional<int64_t> Number,
                       llvm::ArrayRef<LaunchCase> Cases,
                       llvm::function_ref<int64_t(const LaunchCase &)> NumberOf)
    : Function(Function),
      Argument(std::to_string(Number.value_or(int64_t(Cases.size())))),
      Number(Number) {
  for (const LaunchCase &C : Cases)
    ByThreads.push_back({C.FromThreads, NumberOf(C)});
}

/// What stands in a launch a second time must be known when it is taken out:
/// there is no comment in it, and no end of a line or statement.
static bool isKnownAgain(StringRef Text) {
  return !Text.empty() && Text.find_first_of(";{}/\n") == StringRef::npos;
}

/// The last argument at one launch: a number, or
/// `cattThreads(block) >= 513 ? 42 : 11`. std::nullopt if what the launch is
/// given may not stand there twice.
static std::optional<std::string> numberAt(const Launch &L,
                                           const LaunchCall &Call) {
  const int64_t Own = Call.LessOwn ? L.DynamicSharedBytes.value_or(0) : 0,
                Fixed = Call.Number.value_or(0) - Own;
  const std::optional<int64_t> Threads = L.Block.count();
  if (Call.Number && (!Call.PerThread || Threads))
    return std::to_string(Fixed + Call.PerThread * Threads.value_or(0));
  StringRef Block = L.Written->PlainBlock;
  if (!isKnownAgain(Block))
    return std::nullopt;
  if (Call.Number)
    return (Fixed ? std::to_string(Fixed) + " + " : "") +
           std::to_string(Call.PerThread) + " * cattThreads(" + Block.str() +
           ")";
  std::string Out;
  std::optional<int64_t> Last;
  for (auto [FromThreads, Number] : Call.ByThreads) {
    std::string Here = std::to_string(Number);
    if (!Last)
      Out = Here;
    else if (*Last != Number)
      Out.insert(0, ("cattThreads(" + Block +
                     ") >= " + llvm::Twine(FromThreads) + " ? " + Here + " : ")
                        .str());
    Last = Number;
  }
  return Out;
}

/// Whether version 0.1 has set the attribute in a statement before the launch.
static bool hasStatement(const FileContexts &Files, const Launch &L,
                         StringRef Transform, StringRef Attribute) {
  auto File = Files.find(L.Statement ? L.Statement->File : "");
  std::string Needle =
      ("(void)cudaFuncSetAttribute(" + L.Written->Kernel + ", " + Attribute)
          .str();
  return File != Files.end() &&
         llvm::any_of(std::initializer_list<StringRef>{Needle, "cattPreferL1_"},
                      [&](StringRef Code) {
                        return markedBefore(File->second.Text, *L.Statement,
                                            Transform, Code);
                      });
}

std::optional<Refusal> LaunchEdit::add(const FileContexts &Files,
                                       const Launch &L, StringRef Transform) {
  const SourceSpan &Config = L.Written->Config;
  if (std::optional<Refusal> R = cannotEdit(Files, Config, L.Where)) {
    R->Kind = Reason::LaunchNotEditable;
    return R;
  }
  const FileContext &File = Files.at(Config.File);
  const AddedFunction &F = *findFunction(Call.Function);
  Refusal Before{Reason::AlreadyRewritten, L.Where, ""};
  if (StringRef(File.Text)
          .slice(Config.Begin, Config.End)
          .contains((F.Name + "(").str()))
    return Before;
  const std::optional<SourceSpan> Argument = sharedArgument(File.Text, L);
  if (!Argument)
    return notEditable(L, "the arguments do not stand there one by one");
  for (const AddedFunction *Needed : {&F, findFunction("cattThreads")})
    if (isTaken(File, *Needed))
      return notEditable(L, "the name " + Needed->Name.str() + " is taken");
  if (!File.places().above(L.Written->Tops, Config.Begin))
    return notEditable(L, "no function can stand above it in this file");
  if (hasStatement(Files, L, Transform, F.Attribute))
    return Before;
  Sites.push_back({&L, *Argument, "", ""});
  return std::nullopt;
}

LaunchEdit::LaunchEdit(const Context &C, StringRef Transform, LaunchCall What,
                       LaunchCondition When)
    : Call(std::move(What)) {
  std::vector<Refusal> Refusals;
  std::optional<Refusal> Before;
  for (const Launch *L : launchSites(C.Kernel.Source, Refusals)) {
    std::optional<Refusal> Not = add(C.Files, *L, Transform);
    if (Not && Not->Kind != Reason::AlreadyRewritten) {
      Why = std::move(Not);
      return;
    }
    if (!Before)
      Before = std::move(Not);
  }
  if (!Refusals.empty())
    Why = Refusals.front();
  else if (Sites.empty())
    Why = Before;
  for (Site &S : Sites) {
    if (std::optional<std::string> Number = numberAt(*S.At, Call))
      S.Number = std::move(*Number);
    else
      Why = notEditable(*S.At,
                        "the number of threads is known only when it runs, and "
                        "the block may not be evaluated twice");
    if (!When)
      continue;
    S.Condition = When(*S.At).value_or("");
    if (!isKnownAgain(S.Condition))
      Why = notEditable(*S.At,
                        "the length of the rows is known only when it runs, "
                        "and its arguments may not stand there twice");
  }
}

void LaunchEdit::edit(EditBuilder &Out) const {
  for (const Site &S : Sites) {
    const LaunchText &Written = *S.At->Written;
    const std::string &File = Written.Config.File;
    const std::string For =
        Call.Second ? Call.Second->at(*S.At) : Written.Kernel;
    std::string Open = (Call.Function + "(" + For + ",").str();
    std::string Close = S.Condition.empty()
                            ? ", " + S.Number + ")"
                            : ", " + S.Condition + " ? " + S.Number + " : " +
                                  std::to_string(Call.Otherwise) + ")";
    if (Call.Second && !S.Condition.empty())
      Out.replace(Written.Callee, {Call.Argument,
                                   "",
                                   {"(" + S.Condition + " ? " + For + " : " +
                                    Call.Second->otherwiseAt(*S.At) + ")"},
                                   {}});
    if (S.Argument.Begin == S.Argument.End)
      Out.edits().Added[S.Argument].call(
          (Out.transform().name() + "(" + Call.Argument + ")").str(),
          Open + " ", Close);
    else
      Out.addInline(S.Argument, {Call.Argument, "", {Open}, {Close}});
    for (StringRef Name : {Call.Function, StringRef("cattThreads")})
      if (Name == Call.Function || StringRef(S.Number).contains(Name))
        Out.edits().Calls.push_back({Name.str(), &Out.transform(), File,
                                     Written.Config.Begin, Written.Tops});
    if (!Call.Summary.empty())
      Out.done(S.At->Where, Call.Summary);
  }
}

Preparation prepareLaunches(const Context &C, StringRef Transform,
                            LaunchCall Call, LaunchCondition When) {
  auto Found =
      std::make_unique<LaunchEdit>(C, Transform, std::move(Call), When);
  if (Found->Why)
    return *Found->Why;
  return Found;
}

} // namespace catt
