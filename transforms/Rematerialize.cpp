//===- Rematerialize.cpp - Values are computed again ----------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes values again behind the place where registers are short, so that
// they need none there. (TLP-RM, section 2.2.)
//
// Before:
//   int row = i * pitch;
//   A[row] = 0;
//   for (...)
//     ...
//   A[row] += s;
//
// After:
//   int row = i * pitch;
//   A[row] = 0;
//   for (...)
//     ...
//   // catt: rematerialize(row): 1 register less at the peak
//   {
//     auto cattHidden = i;
//     asm volatile("" : "+r"(cattHidden));
//     {
//       decltype(i) i = cattHidden;
//       row = i * pitch;
//     }
//   } // catt: done bc9502
//   A[row] += s;
//
// After, if row is const:
//   // catt: rematerialize(row): 1 register less at the peak
//   {
//     auto cattHidden = i;
//     asm volatile("" : "+r"(cattHidden));
//     decltype(i) i = cattHidden;
//     decltype(row) row = i * pitch;
//     { // catt: begin 01bd5c
//   A[row] += s;
//   ... to the end of the block
//     } // catt: end
//   } // catt: done 2a7b53
//
// The empty asm makes a copy of one operand that the compiler knows nothing of:
// it takes no instruction, and without it the compiler would see that the value
// is the first one, and keep that one in a register. `volatile` keeps it where
// it stands: without it the compiler may merge two of them or move them out of
// a loop. There is no "memory" in it, so that no other access waits for it.
//
// Limits. The plan sees to it that the second result is the first one
// (RematPlan.h). Here, by the text: initializers with comments or directives,
// operands that something between the two places declares again, macros that
// are defined between them; for const values also labels and conditional
// directives in the rest of the block.
//
//===----------------------------------------------------------------------===//
#include "transforms/SourceEdit.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using llvm::StringRef;

namespace catt {

//===-- What the text shows -----------------------------------------------===//

/// Whether an identifier can stand before a name that is no declaration.
static bool isStatementKeyword(StringRef Word) {
  return llvm::StringSwitch<bool>(Word)
      .Cases({"return", "case", "else", "do", "sizeof", "goto"}, true)
      .Default(false);
}

/// A name of the initializer that something in [Begin, End) may declare again:
/// "T name", "T &name =", or a structured binding. Plain variables are known to
/// the plan; this is for what it does not list (references, shared arrays).
static std::optional<std::string>
declaredAgain(const std::string &Text, unsigned Begin, unsigned End,
              llvm::ArrayRef<std::string> Names) {
  std::optional<std::string> Found;
  StringRef Before, Name;
  forEachToken(Text, Begin, [&](const clang::Token &T, unsigned B, unsigned E) {
    if (B >= End || Found)
      return false;
    if (T.is(clang::tok::comment))
      return true;
    StringRef Word = StringRef(Text).slice(B, E);
    if (!Name.empty() && (Word == "=" || Word == ":" || Word == ";"))
      Found = Name.str();
    Name = "";
    if (Before == "auto" && Word == "[")
      Found = "a structured binding";
    if (T.is(clang::tok::raw_identifier) && llvm::is_contained(Names, Word)) {
      if (Before == "&" || Before == "&&" || Before == ",")
        Name = Word;
      else if (!Before.empty() &&
               (llvm::isAlpha(Before[0]) || Before[0] == '_') &&
               !isStatementKeyword(Before))
        Found = Word.str();
    }
    Before = Word;
    return true;
  });
  return Found;
}

/// Whether a macro is defined or undefined in [Begin, End).
static bool definesMacro(const std::string &Text, unsigned Begin,
                         unsigned End) {
  bool Found = false, Hash = false;
  forEachToken(Text, Begin, [&](const clang::Token &T, unsigned B, unsigned E) {
    StringRef Word = StringRef(Text).slice(B, E);
    Found |= Hash && (Word == "define" || Word == "undef");
    Hash = T.is(clang::tok::hash);
    return B < End && !Found;
  });
  return Found;
}

/// From a statement to the end of its block, without the brace. Empty if a case
/// label or a conditional directive stands there.
static std::optional<SourceSpan> restOfBlock(const std::string &Text,
                                             const SourceSpan &Statement) {
  SourceSpan Out = Statement;
  int Depth = 0;
  bool Hash = false, Cut = false;
  forEachToken(Text, Statement.Begin,
               [&](const clang::Token &T, unsigned B, unsigned E) {
                 if (T.is(clang::tok::comment))
                   return true;
                 StringRef Word = StringRef(Text).slice(B, E);
                 Cut |= Hash && (Word.starts_with("if") ||
                                 Word.starts_with("el") || Word == "endif");
                 Cut |= Depth == 0 && (Word == "case" || Word == "default");
                 Hash = T.is(clang::tok::hash);
                 Depth += T.is(clang::tok::l_brace) - T.is(clang::tok::r_brace);
                 if (Cut || Depth < 0)
                   return false;
                 Out.End = E;
                 return true;
               });
  return Cut || Depth >= 0 ? std::nullopt : std::optional(Out);
}

namespace {
/// Where a value is computed again.
struct Place {
  const BodyStatement *Statement = nullptr;
  /// For a const value, which gets a new name for the rest of its block.
  std::optional<SourceSpan> Rest;
};
} // namespace

/// A loop that split-warp-groups would wrap, and whose braces would cross those
/// around the rest of a block: it holds the beginning of the rest, or ends with
/// it in lines of its own, behind braces that stand in the text's line.
static bool crossesSplit(const KernelReport &K, const SourceSpan &Rest,
                         StringRef Text) {
  const bool InLine = !isFirstOnLine(Text, Rest.Begin);
  return llvm::any_of(K.Plan.Loops, [&](const LoopPlan &P) {
    const std::optional<WrapSite> &Site = K.Source.Loops[P.Loop].Site;
    if (P.Groups <= 1 || !Site)
      return false;
    const SourceSpan &Loop = Site->Span;
    return Loop.Begin < Rest.Begin
               ? Loop.End > Rest.Begin && Loop.End < Rest.End
               : InLine && Loop.Begin < Rest.End && Loop.End + 1 >= Rest.End;
  });
}

/// Why the initializer cannot be written once more before a statement, if so.
static std::optional<Refusal> obstacle(const KernelReport &Kernel,
                                       const ThreadValue &V, const Place &Where,
                                       const std::string &Hidden,
                                       const FileContexts &Files) {
  const BodyStatement &S = *Where.Statement;
  if (auto Why = cannotEdit(Files, S.Span, S.Where))
    return Why;
  if (V.IsConst && !Where.Rest)
    return Refusal{Reason::ConstObject, S.Where,
                   "const, and a label or a directive follows"};
  if (V.IsConst)
    if (auto Why = cannotEdit(Files, *Where.Rest, S.Where))
      return Why;
  if (V.IsConst &&
      crossesSplit(Kernel, *Where.Rest, Files.at(S.Span.File).Text))
    return Refusal{Reason::LoopDeclaresResult, S.Where, "'" + V.Name + "'"};
  const SourceSpan &From = V.Only->Span;
  if (From.File != S.Span.File)
    return Refusal{Reason::OtherFile, V.Where, ""};
  StringRef Initializer = V.Only->Text;
  if (Initializer.contains("//") || Initializer.contains("/*") ||
      Initializer.contains('#') || Initializer.contains('\\'))
    return Refusal{Reason::InMacro, V.Where,
                   "a comment or a directive inside the value of '" + V.Name +
                       "'"};
  const std::string &Text = Files.at(S.Span.File).Text;
  auto [Begin, End] = std::minmax(V.Scope.Begin, S.Span.Begin);
  if (definesMacro(Text, Begin, End))
    return Refusal{Reason::InMacro, S.Where, "a macro that is defined here"};
  const catt::Kernel &K = Kernel.Source;
  if (auto Why = seenOtherwise(K, Files, From.Begin, From.End, {Hidden}))
    return Why;
  if (V.IsConst) // both are declared anew for the rest
    if (auto Why = seenOtherwise(K, Files, Where.Rest->Begin, Where.Rest->End,
                                 {Hidden, V.Name}))
      return Why;
  std::vector<std::string> Names = V.Only->Reads;
  Names.push_back(V.Name);
  Names.push_back("threadIdx");
  if (auto Name = declaredAgain(Text, Begin, End, Names))
    return Refusal{Reason::Redefined, S.Where, "another '" + *Name + "'"};
  return std::nullopt;
}

//===-- What is written ---------------------------------------------------===//

/// The statements that hide an operand from the compiler in a copy.
static std::vector<std::string> hide(const HiddenOperand &Operand,
                                     StringRef Initializer,
                                     const std::string &Copy) {
  const std::string &Name = Operand.Name;
  if (Name != "threadIdx")
    return {"auto " + Copy + " = " + Name + ";",
            "asm volatile(\"\" : \"+" + std::string(1, Operand.Constraint) +
                "\"(" + Copy + "));"};
  std::vector<std::string> Parts;
  for (const char *Field : {".x", ".y", ".z"})
    if (Initializer.contains(Name + Field))
      Parts.push_back("\"+r\"(" + Copy + Field + ")");
  return {"uint3 " + Copy + " = threadIdx;",
          "asm volatile(\"\" : " + llvm::join(Parts, ", ") + ");"};
}

/// `row = i * pitch;`, in one line.
static std::string assignment(const ThreadValue &V) {
  std::string Out = V.Name + " =";
  for (StringRef Word : llvm::split(V.Only->Text, '\n'))
    Out += " " + Word.trim().str();
  return Out + ";";
}

/// Computes these values again before one statement: assigns them, or where one
/// is const declares them anew for the rest of the block.
static void recompute(const Kernel &K, const Place &Where,
                      llvm::ArrayRef<const Recomputation *> Values,
                      EditBuilder &Out) {
  const BodyStatement &S = *Where.Statement;
  bool Declares = llvm::any_of(Values, [&](const Recomputation *R) {
    return K.Values[R->Value].IsConst;
  });
  bool Wraps = Declares || S.Unbraced;
  std::string Copy = freshName(Out.files().at(S.Span.File), "cattHidden");
  Addition A;
  unsigned Registers = 0;
  if (Wraps && !Declares)
    A.Open.push_back("{");
  for (size_t I = 0; I < Values.size(); ++I) {
    const ThreadValue &V = K.Values[Values[I]->Value];
    const HiddenOperand &Hidden = Values[I]->Hidden;
    A.Argument += (I ? ", " : "") + V.Name;
    Registers += Values[I]->Registers;
    // The type that the name has already: the outer one is still in sight.
    std::string Type = Hidden.Name == "threadIdx"
                           ? "const uint3 "
                           : "decltype(" + Hidden.Name + ") ";
    A.Open.push_back("{");
    llvm::append_range(A.Open, hide(Hidden, V.Only->Text, Copy));
    if (!Declares)
      A.Open.push_back("{");
    A.Open.push_back(
        (Type + llvm::Twine(Hidden.Name) + " = " + Copy + ";").str());
    if (Declares) {
      A.Open.push_back("decltype(" + V.Name + ") " + assignment(V));
      A.Close.push_back("}");
    } else {
      A.Open.push_back(assignment(V));
      A.Open.insert(A.Open.end(), {"}", "}"});
    }
  }
  A.Reason = std::to_string(Registers) +
             (Registers == 1 ? " register" : " registers") +
             " less at the peak";
  if (!Wraps)
    return Out.addBefore(S.Span, A);
  A.Open.push_back("{");
  A.Close.push_back("}");
  if (!Declares)
    A.Close.push_back("}");
  bool Alone = S.Unbraced ? S.OwnLines : true;
  Out.wrapStatements(S.Unbraced || !Declares ? S.Span : *Where.Rest, Alone, A);
}

//===-- The transform -----------------------------------------------------===//

namespace {
/// What is computed again in one kernel, by the statement before which it is.
struct PreparedValues final : Prepared {
  explicit PreparedValues(const Kernel &K) : K(K) {}
  void edit(EditBuilder &Out) const override {
    // Blocks end together: what is opened last is closed first.
    for (const auto &[S, Values] : llvm::reverse(ByStatement))
      recompute(K, Places.at(S), Values, Out);
    Out.done(K.Where, "computes " + llvm::join(Names, ", ") +
                          " again instead of keeping " +
                          (Names.size() == 1 ? "it" : "them"));
  }
  const Kernel &K;
  std::map<unsigned, Place> Places;
  std::map<unsigned, std::vector<const Recomputation *>> ByStatement;
  std::vector<std::string> Names;
};

class Rematerialize final : public Transform {
public:
  using Transform::Transform;
  llvm::StringRef summary() const override {
    return "Computes values again behind the place where registers are short, "
           "so that they need none there.";
  }
  Preparation prepare(const Context &C) const override;
};
} // namespace

Preparation Rematerialize::prepare(const Context &C) const {
  const catt::Kernel &K = C.Kernel.Source;
  if (!C.Kernel.Remat)
    return {};
  Preparation Out = againstEdits(K);
  if (!Out.Refusals.empty())
    return Out;
  if (isMarked(K, name(), C.Files))
    return Refusal{Reason::AlreadyRewritten, K.Where, ""};
  Out.Refusals = C.Kernel.Remat->Refusals;
  auto Found = std::make_unique<PreparedValues>(K);
  for (const Recomputation &R : C.Kernel.Remat->Values) {
    const ThreadValue &V = K.Values[R.Value];
    std::optional<Refusal> Why;
    for (unsigned S : R.Before) {
      Place &Where = Found->Places[S];
      Where.Statement = &K.Statements[S];
      auto File = C.Files.find(Where.Statement->Span.File);
      if (V.IsConst && File != C.Files.end())
        Where.Rest =
            Where.Statement->Unbraced
                ? Where.Statement->Span
                : restOfBlock(File->second.Text, Where.Statement->Span);
      if (!Why)
        Why = obstacle(C.Kernel, V, Where, R.Hidden.Name, C.Files);
    }
    if (Why) {
      Out.Refusals.push_back(*Why);
      continue;
    }
    Found->Names.push_back(("'" + llvm::Twine(V.Name) + "'").str());
    for (unsigned S : R.Before)
      Found->ByStatement[S].push_back(&R);
  }
  if (!Found->Names.empty())
    Out.Found = std::move(Found);
  return Out;
}

const Transform &theRematerialize(const TransformTraits &Traits) {
  static const Rematerialize Only(Traits);
  return Only;
}

} // namespace catt
