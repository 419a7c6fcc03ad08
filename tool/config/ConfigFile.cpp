//===- ConfigFile.cpp - Settings that stay with the code ------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ConfigFile.h"
#include "Card.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLTraits.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace catt {
namespace {

/// A scalar, checked by the setting that it is for as soon as it is read, so
/// that the message has its line.
struct Word {
  std::string Text;
};

/// A scalar of a measured entry.
struct Field {
  std::string Text;
};

/// An entry of `measured`, by field; empty where it does not say.
struct Entry {
  std::map<std::string, std::optional<Field>> Fields;
};

/// A .catt file as YAML has it, by key.
struct Document {
  std::map<std::string, std::optional<Word>> Scalars;
  std::map<std::string, std::vector<Word>> Lists;
  std::map<std::string, std::map<std::string, Word>> Maps;
  std::vector<Entry> Measured;
};

constexpr StringLiteral MeasuredKey = "measured";

/// What the traits know while they read.
struct Reading {
  Stated Said;
  std::string Path;
  std::string Key;       ///< being read
  std::string Name;      ///< in a map, the name before the value
  bool InEntry = false;  ///< of `measured`
  MeasuredVariant Entry; ///< being read
  std::string Message, First;
  unsigned Line = 0, Column = 0;
};

/// What YAML has for a key.
enum class Form : uint8_t { Scalar, List, Map };

Form formOf(const OptionRow &Row) {
  switch (Row.Kind) {
  case OptionKind::Flag:
  case OptionKind::Text:
  case OptionKind::Path:
  case OptionKind::Joined:
    return Form::Scalar;
  case OptionKind::Commas:
  case OptionKind::Words:
  case OptionKind::OptionalWords:
    return Form::List;
  case OptionKind::Map:
    return Form::Map;
  }
  return Form::Scalar;
}

/// Relative paths start at the .catt file's directory.
std::string anchoredPath(const Reading &R, StringRef Value) {
  SmallString<256> Path(Value);
  if (sys::path::is_relative(Path)) {
    Path = sys::path::parent_path(R.Path);
    sys::path::append(Path, Value);
    sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
  }
  return Path.str().str();
}

std::string anchored(const Reading &R, StringRef Value) {
  const OptionRow *Row = find_if(
      allOptions(), [&](const OptionRow &O) { return O.Name == R.Key; });
  const bool IsPath =
      Row->Kind == OptionKind::Path || (R.Key == "gpu" && isCardFile(Value));
  return IsPath && !Value.empty() ? anchoredPath(R, Value) : Value.str();
}

/// What can stand in an entry of `measured`, in the order in which it is
/// written. Takes: what it must be, where a value is refused.
struct FieldRow {
  StringLiteral Name, Takes;
  bool IsRequired;
  bool (*Set)(MeasuredVariant &, StringRef);
  std::string (*Print)(const MeasuredVariant &);
};

template <std::string MeasuredVariant::*Of>
bool setText(MeasuredVariant &M, StringRef Value) {
  M.*Of = Value.str();
  return !Value.empty();
}
template <std::string MeasuredVariant::*Of>
std::string printText(const MeasuredVariant &M) {
  return M.*Of;
}

/// Whether digits stand where the form has a 0, and elsewhere what it has.
bool isLike(StringRef Value, StringRef Form) {
  return Value.size() == Form.size() && all_of(zip(Value, Form), [](auto Both) {
           auto [C, F] = Both;
           return F == '0' ? isDigit(C) : C == F;
         });
}

bool setToolkit(MeasuredVariant &M, StringRef Value) {
  auto [Major, Minor] = Value.split('.');
  return !Major.empty() && !Minor.empty() && all_of(Major, isDigit) &&
         all_of(Minor, isDigit) && setText<&MeasuredVariant::Toolkit>(M, Value);
}
bool setHash(MeasuredVariant &M, StringRef Value) {
  return Value.size() == 16 && all_of(Value, isHexDigit) &&
         setText<&MeasuredVariant::Text>(M, Value);
}
bool setGain(MeasuredVariant &M, StringRef Value) {
  return !Value.getAsDouble(M.Gain) && M.Gain > 0 && M.Gain < 1e9;
}
bool setLaunches(MeasuredVariant &M, StringRef Value) {
  return !Value.getAsInteger(10, M.Launches.emplace()) && *M.Launches > 0;
}
bool setDate(MeasuredVariant &M, StringRef Value) {
  return isLike(Value, "0000-00-00") &&
         setText<&MeasuredVariant::Date>(M, Value);
}
std::string printGain(const MeasuredVariant &M) {
  return formatv("{0:F2}", M.Gain).str();
}
std::string printLaunches(const MeasuredVariant &M) {
  return M.Launches ? std::to_string(*M.Launches) : "";
}

constexpr StringLiteral SomeText = "some text";
const FieldRow FieldRows[] = {
    {"kernel", SomeText, true, setText<&MeasuredVariant::Kernel>,
     printText<&MeasuredVariant::Kernel>},
    {"file", SomeText, true, setText<&MeasuredVariant::File>,
     printText<&MeasuredVariant::File>},
    {"variant", SomeText, true, setText<&MeasuredVariant::Variant>,
     printText<&MeasuredVariant::Variant>},
    {"gpu", SomeText, true, setText<&MeasuredVariant::Gpu>,
     printText<&MeasuredVariant::Gpu>},
    {"toolkit", "a version, as 13.0", false, setToolkit,
     printText<&MeasuredVariant::Toolkit>},
    {"text", "16 hexadecimal digits", true, setHash,
     printText<&MeasuredVariant::Text>},
    {"gain", "a number above 0", true, setGain, printGain},
    {"launches", "a whole number above 0", false, setLaunches, printLaunches},
    {"date", "a day, as 2026-11-29", true, setDate,
     printText<&MeasuredVariant::Date>},
};

std::vector<StringRef> knownKeys(const Reading &R) {
  std::vector<StringRef> Keys;
  for (const FieldRow &Row : FieldRows)
    if (R.InEntry)
      Keys.push_back(Row.Name);
  if (!R.InEntry) {
    append_range(Keys, settingKeys());
    Keys.push_back(MeasuredKey);
  }
  return Keys;
}

/// The key that is spelled most like it, if one is near.
std::string suggestion(StringRef Key, ArrayRef<StringRef> Keys) {
  StringRef Best;
  unsigned Least = 4;
  for (StringRef Known : Keys)
    if (unsigned D = Key.edit_distance(Known, true, Least); D < Least) {
      Least = D;
      Best = Known;
    }
  if (Best.empty())
    return "; the keys are " + join(Keys, ", ");
  return ("; did you mean '" + Best + "'?").str();
}

/// Keeps the first thing that is wrong, and where.
void diagnose(const SMDiagnostic &D, void *Context) {
  auto &R = *static_cast<Reading *>(Context);
  if (!R.First.empty())
    return;
  R.First = D.getMessage().str();
  R.Line = D.getLineNo() < 1 ? 1 : D.getLineNo();
  R.Column = D.getColumnNo() < 0 ? 1 : D.getColumnNo() + 1;
  StringRef Key = D.getMessage();
  if (Key.consume_front("unknown key '"))
    R.First += suggestion(Key.take_until([](char C) { return C == '\''; }),
                          knownKeys(R));
}

} // namespace
} // namespace catt

namespace llvm::yaml {

template <> struct ScalarTraits<catt::Word> {
  static void output(const catt::Word &W, void *, raw_ostream &OS) {
    OS << W.Text;
  }
  static StringRef input(StringRef Text, void *Context, catt::Word &W) {
    auto &R = *static_cast<catt::Reading *>(Context);
    W.Text = catt::anchored(R, Text);
    std::string Value = R.Name.empty() ? W.Text : R.Name + "=" + W.Text;
    R.Message = toString(setValue(R.Said, R.Key, Value, R.Key));
    return R.Message;
  }
  static QuotingType mustQuote(StringRef Text) {
    return needsQuotes(Text, /*ForcePreserveAsString=*/false);
  }
};

template <> struct ScalarTraits<catt::Field> {
  static void output(const catt::Field &F, void *, raw_ostream &OS) {
    OS << F.Text;
  }
  static StringRef input(StringRef Text, void *Context, catt::Field &F) {
    auto &R = *static_cast<catt::Reading *>(Context);
    F.Text = Text.str();
    const catt::FieldRow *Row =
        find_if(catt::FieldRows, [&](const catt::FieldRow &Each) {
          return Each.Name == R.Name;
        });
    if (Row->Set(R.Entry, Text))
      return "";
    R.Message =
        (R.Name + " must be " + Row->Takes + ", not '" + Text + "'").str();
    return R.Message;
  }
  static QuotingType mustQuote(StringRef Text) {
    return needsQuotes(Text, /*ForcePreserveAsString=*/false);
  }
};

template <> struct MappingTraits<catt::Entry> {
  static void mapping(IO &Io, catt::Entry &E) {
    if (Io.outputting()) {
      for (const catt::FieldRow &Row : catt::FieldRows)
        Io.mapOptional(Row.Name, E.Fields[Row.Name.str()]);
      return;
    }
    auto &R = *static_cast<catt::Reading *>(Io.getContext());
    R.InEntry = true;
    R.Entry = {};
    for (const catt::FieldRow &Row : catt::FieldRows) {
      R.Name = Row.Name.str();
      if (Row.IsRequired)
        Io.mapRequired(Row.Name, E.Fields[R.Name].emplace());
      else
        Io.mapOptional(Row.Name, E.Fields[R.Name]);
    }
    R.Entry.File = catt::anchoredPath(R, R.Entry.File);
    for (const catt::MeasuredVariant &Known : R.Said.Values.Measured)
      if (catt::isOfSame(Known, R.Entry))
        Io.setError("kernel '" + R.Entry.Kernel + "' is measured twice on " +
                    R.Entry.Gpu);
    R.Said.Values.Measured.push_back(R.Entry);
  }
};

template <> struct CustomMappingTraits<std::map<std::string, catt::Word>> {
  static void inputOne(IO &Io, StringRef Key,
                       std::map<std::string, catt::Word> &M) {
    static_cast<catt::Reading *>(Io.getContext())->Name = Key.str();
    Io.mapRequired(Key, M[Key.str()]);
  }
  static void output(IO &Io, std::map<std::string, catt::Word> &M) {
    for (auto &[Key, Value] : M)
      Io.mapRequired(Key, Value);
  }
};

} // namespace llvm::yaml

LLVM_YAML_IS_FLOW_SEQUENCE_VECTOR(catt::Word)
LLVM_YAML_IS_SEQUENCE_VECTOR(catt::Entry)

namespace llvm::yaml {

template <> struct MappingTraits<catt::Document> {
  static void mapping(IO &Io, catt::Document &D) {
    auto Entry = [&](StringRef Key, auto &Value) {
      if (!Io.outputting()) {
        auto &R = *static_cast<catt::Reading *>(Io.getContext());
        R.Key = Key.str();
        R.Name.clear();
      }
      Io.mapOptional(Key, Value);
    };
    // What has one value is written first.
    for (bool Scalars : {true, false})
      for (const catt::OptionRow &Row : catt::allOptions()) {
        catt::Form Of = catt::formOf(Row);
        if (Row.By != catt::KnownTo::All ||
            (Of == catt::Form::Scalar) != Scalars)
          continue;
        if (Of == catt::Form::Scalar)
          Entry(Row.Name, D.Scalars[Row.Name.str()]);
        else if (Of == catt::Form::List)
          Entry(Row.Name, D.Lists[Row.Name.str()]);
        else
          Entry(Row.Name, D.Maps[Row.Name.str()]);
      }
    Io.mapOptional(catt::MeasuredKey, D.Measured);
    if (!Io.outputting())
      static_cast<catt::Reading *>(Io.getContext())->InEntry = false;
  }
};

} // namespace llvm::yaml

namespace catt {

std::string findConfig(StringRef AbsoluteFile) {
  for (StringRef Directory = sys::path::parent_path(AbsoluteFile);
       !Directory.empty(); Directory = sys::path::parent_path(Directory)) {
    SmallString<256> Candidate(Directory);
    sys::path::append(Candidate, ".catt");
    if (sys::fs::is_regular_file(Candidate))
      return Candidate.str().str();
  }
  return "";
}

/// True if a text has nothing but blanks, comments and document markers.
static bool saysNothing(StringRef Text) {
  SmallVector<StringRef> Lines;
  Text.split(Lines, '\n');
  return all_of(Lines, [](StringRef Line) {
    Line = Line.trim();
    return Line.empty() || Line.starts_with("#") || Line == "---";
  });
}

Expected<Config> parseConfig(StringRef Text, StringRef Path) {
  Reading R;
  R.Path = Path.str();
  if (!saysNothing(Text)) {
    Document D;
    yaml::Input In(MemoryBufferRef(Text, Path), &R, diagnose, &R);
    In >> D;
    if (In.error())
      return createStringError(Twine(Path) + ":" + Twine(R.Line) + ":" +
                               Twine(R.Column) + ": " + R.First);
  }
  return Config{Path.str(), std::move(R.Said)};
}

Expected<Config> readConfig(StringRef Path) {
  auto Buffer = MemoryBuffer::getFile(Path, /*IsText=*/true);
  if (!Buffer)
    return createStringError(
        Buffer.getError(),
        "'" + Path + "' cannot be read: " + Buffer.getError().message());
  return parseConfig((*Buffer)->getBuffer(), Path);
}

bool isOfSame(const MeasuredVariant &A, const MeasuredVariant &B) {
  return A.Kernel == B.Kernel && A.File == B.File && A.Gpu == B.Gpu;
}

/// Path as one from a directory, where it has the directory's first part.
static std::string relativePath(StringRef Path, StringRef Directory) {
  auto From = sys::path::begin(Path), To = sys::path::end(Path);
  auto D = sys::path::begin(Directory), DEnd = sys::path::end(Directory);
  while (D != DEnd && From != To && *From == *D)
    ++D, ++From;
  SmallString<256> Out;
  for (; D != DEnd; ++D)
    sys::path::append(Out, "..");
  for (; From != To; ++From)
    sys::path::append(Out, *From);
  return Out.str().str();
}

static Entry entryOf(MeasuredVariant M, StringRef Directory) {
  if (!Directory.empty())
    M.File = relativePath(M.File, Directory);
  Entry E;
  for (const FieldRow &Row : FieldRows)
    if (std::string Text = Row.Print(M); !Text.empty())
      E.Fields[Row.Name.str()] = Field{Text};
  return E;
}

std::string dumpConfig(const Stated &Said, StringRef Directory) {
  Document D;
  for (const MeasuredVariant &M : Said.Values.Measured)
    D.Measured.push_back(entryOf(M, Directory));
  std::map<std::string, std::vector<std::string>> All = asText(Said);
  for (const OptionRow &Row : allOptions()) {
    std::string Key = Row.Name.str();
    for (StringRef Value : All[Key]) {
      auto [Name, Rest] = Value.split('=');
      switch (formOf(Row)) {
      case Form::Scalar:
        D.Scalars[Key] = Word{Value.str()};
        break;
      case Form::List:
        D.Lists[Key].push_back({Value.str()});
        break;
      case Form::Map:
        D.Maps[Key][Name.str()] = Word{Rest.str()};
        break;
      }
    }
  }
  std::string Text;
  raw_string_ostream OS(Text);
  yaml::Output Out(OS);
  Out << D;
  return Text;
}

Expected<Config> ConfigFinder::find(StringRef AbsoluteFile) {
  std::string Path = findConfig(AbsoluteFile);
  if (Path.empty())
    return Config();
  if (auto Known = Read.find(Path); Known != Read.end())
    return Known->second;
  Expected<Config> C = readConfig(Path);
  if (C)
    Read[Path] = *C;
  return C;
}

} // namespace catt
