//===- Settings.cpp - What an option or a .catt file can say --------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Settings.h"
#include "analysis/source/Directives.h"
#include "tool/config/Card.h"
#include "transforms/Transform.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/Regex.h"
#include <cassert>
#include <cmath>

using namespace llvm;

namespace catt {
namespace {

Error wrong(const Twine &Message) { return createStringError(Message); }

/// As in a launch comment, and no extent beyond what any launch may have, in x
/// of the grid.
Expected<Shape> readShape(const Twine &Spelled, StringRef Text) {
  Expected<Shape> S = parseShape(Text);
  if (!S)
    return wrong(Spelled + ": " + toString(S.takeError()));
  for (const std::optional<int64_t> &Extent : {S->X, S->Y, S->Z})
    if (*Extent > INT32_MAX)
      return wrong(Spelled + ": '" + Text + "' is larger than CUDA allows (" +
                   Twine(INT32_MAX) + ")");
  return S;
}

bool isIdentifier(StringRef S) {
  return !S.empty() && !isDigit(S.front()) &&
         all_of(S, [](char C) { return isAlnum(C) || C == '_'; });
}

//===-- One function for each key ----------------------------------------===//

using Setter = Error (*)(Settings &, StringRef Value, StringRef Spelled);

Error setGpu(Settings &S, StringRef Value, StringRef Spelled) {
  Expected<Device> Known = findCard(Value);
  if (!Known)
    return wrong(Spelled + ": " + toString(Known.takeError()));
  S.GpuName = Value.str();
  return Error::success();
}

Error setL1(Settings &S, StringRef Value, StringRef Spelled) {
  Expected<int64_t> KiB = wholeNumber(Spelled, Value, 1, 1024);
  if (!KiB)
    return KiB.takeError();
  S.L1Bytes = *KiB * 1024;
  return Error::success();
}

Error setModel(Settings &S, StringRef Value, StringRef Spelled) {
  if (Value != "exact" && Value != "catt")
    return wrong(Spelled + " must be exact or catt, not '" + Value + "'");
  S.Counting = Value == "catt" ? Model::Catt : Model::Exact;
  return Error::success();
}

Error setMinGain(Settings &S, StringRef Value, StringRef Spelled) {
  Expected<int64_t> Percent = wholeNumber(Spelled, Value, 0, 100);
  if (!Percent)
    return Percent.takeError();
  S.MinGain = double(*Percent) / 100;
  return Error::success();
}

/// In the order of Decider.
constexpr StringLiteral Deciders[] = {"model", "run", "slices"};

Error setDecide(Settings &S, StringRef Value, StringRef Spelled) {
  const auto *Known = find(Deciders, Value);
  if (Known == std::end(Deciders))
    return wrong(Spelled + " must be model, run or slices, not '" + Value +
                 "'");
  S.By = Decider(Known - std::begin(Deciders));
  return Error::success();
}

Error setTransforms(Settings &S, StringRef Value, StringRef Spelled) {
  if (Value == "all") {
    S.Transforms = {"all"};
    return Error::success();
  }
  SmallVector<StringRef, 4> Names;
  Value.split(Names, ',');
  for (StringRef Name : Names) {
    if (!findTransform(Name))
      return wrong(Spelled + ": there is no transform '" + Name +
                   "'; --list-transforms lists them");
    if (!is_contained(S.Transforms, Name))
      S.Transforms.push_back(Name.str());
  }
  return Error::success();
}

Error setKernel(Settings &S, StringRef Value, StringRef Spelled) {
  if (Expected<GlobPattern> Glob = GlobPattern::create(Value); !Glob)
    return wrong(Spelled + ": '" + Value +
                 "' is no glob: " + toString(Glob.takeError()));
  S.KernelGlob = Value.str();
  return Error::success();
}

Error setHeaderFilter(Settings &S, StringRef Value, StringRef Spelled) {
  std::string Message;
  if (!Value.empty() && !Regex(Value).isValid(Message))
    return wrong(Spelled + ": '" + Value +
                 "' is no regular expression: " + Message);
  S.HeaderFilter = Value.str();
  return Error::success();
}

Error addLaunch(Settings &S, StringRef Value, StringRef Spelled) {
  auto L = parseLaunchOption(Value, Spelled);
  if (!L)
    return L.takeError();
  S.Launches[L->first].push_back(std::move(L->second));
  return Error::success();
}

Error addAssumption(Settings &S, StringRef Value, StringRef Spelled) {
  auto [Name, Text] = Value.split('=');
  int64_t Number = 0;
  if (!isIdentifier(Name) || Text.getAsInteger(10, Number))
    return wrong(Spelled +
                 " takes parameter=value with a whole number, as "
                 "--assume=n=4096, not '" +
                 Value + "'");
  auto [It, New] = S.Assumed.try_emplace(Name.str(), Number);
  if (!New && It->second != Number)
    return wrong(Spelled + " gives '" + Name + "' two values, " +
                 Twine(It->second) + " and " + Twine(Number));
  return Error::success();
}

template <std::string Settings::*Field>
Error setPath(Settings &S, StringRef Value, StringRef Spelled) {
  if (Value.empty())
    return wrong(Spelled + " is given without a value");
  S.*Field = Value.str();
  return Error::success();
}

template <std::vector<std::string> Settings::*Field>
Error addWord(Settings &S, StringRef Value, StringRef) {
  (S.*Field).push_back(Value.str());
  return Error::success();
}

template <bool Settings::*Field>
Error setFlag(Settings &S, StringRef Value, StringRef Spelled) {
  if (Value != "true" && Value != "false")
    return wrong(Spelled + " must be true or false, not '" + Value + "'");
  S.*Field = Value == "true";
  return Error::success();
}

Error setSelector(Settings &S, StringRef Value, StringRef Spelled) {
  S.RegistersBy = findSelector(Value);
  if (S.RegistersBy)
    return Error::success();
  std::string Known;
  for (const Selector &By : allSelectors())
    Known += (Known.empty() ? "" : ", ") + By.Name.str();
  return wrong(Spelled + " must be one of " + Known + ", not '" + Value + "'");
}

Error setNumber(std::optional<int64_t> &To, StringRef Value, StringRef Spelled,
                int64_t Low, int64_t High) {
  Expected<int64_t> N = wholeNumber(Spelled, Value, Low, High);
  if (!N)
    return N.takeError();
  To = *N;
  return Error::success();
}

Error setTarget(Settings &S, StringRef Value, StringRef Spelled) {
  return setNumber(S.TargetRegisters, Value, Spelled, 16, 255);
}

Error setOptTlp(Settings &S, StringRef Value, StringRef Spelled) {
  return setNumber(S.OptBlocks, Value, Spelled, 1, 32);
}

Error setTile(Settings &S, StringRef Value, StringRef Spelled) {
  if (Value != "32" && Value != "64" && Value != "128")
    return wrong(Spelled + " must be 32, 64 or 128, not '" + Value + "'");
  Value.getAsInteger(10, S.TileBytes.emplace());
  return Error::success();
}

Error setRuntime(Settings &S, StringRef Value, StringRef Spelled) {
  if (Value != "inline" && Value != "header")
    return wrong(Spelled + " must be inline or header, not '" + Value + "'");
  S.From = Value == "header" ? Runtime::Header : Runtime::Inline;
  return Error::success();
}

Error setBounds(Settings &S, StringRef Value, StringRef Spelled) {
  if (Value != "launch-bounds" && Value != "maxnreg")
    return wrong(Spelled + " must be launch-bounds or maxnreg, not '" + Value +
                 "'");
  S.Bounds =
      Value == "maxnreg" ? BoundsForm::MaxRegisters : BoundsForm::LaunchBounds;
  return Error::success();
}

//===-- What overlay does with each key ----------------------------------===//

using Taker = void (*)(Settings &Under, const Settings &Over);

template <auto Field> void replace(Settings &Under, const Settings &Over) {
  Under.*Field = Over.*Field;
}

template <auto Field> void replaceNamed(Settings &Under, const Settings &Over) {
  for (const auto &[Name, Value] : Over.*Field)
    (Under.*Field)[Name] = Value;
}

template <auto Field> void append(Settings &Under, const Settings &Over) {
  llvm::append_range(Under.*Field, Over.*Field);
}

//===-- And back to text --------------------------------------------------===//

using Words = std::vector<std::string>;
using Printer = Words (*)(const Settings &);

template <auto Field> Words one(const Settings &S) { return {S.*Field}; }
template <auto Field> Words all(const Settings &S) { return S.*Field; }
template <auto Field> Words number(const Settings &S) {
  return {S.*Field ? std::to_string(*(S.*Field)) : ""};
}
template <auto Field> Words flag(const Settings &S) {
  return {S.*Field ? "true" : "false"};
}

Words printLaunches(const Settings &S) {
  Words Out;
  for (const auto &[Kernel, Launches] : S.Launches)
    for (const Launch &L : Launches)
      Out.push_back(StringRef(L.Text).split('=').second.str());
  return Out;
}

Words printAssumptions(const Settings &S) {
  Words Out;
  for (const auto &[Name, Value] : S.Assumed)
    Out.push_back(Name + "=" + std::to_string(Value));
  return Out;
}

Words printGpu(const Settings &S) { return {S.GpuName.value_or("")}; }
Words printL1(const Settings &S) {
  return {S.L1Bytes ? std::to_string(*S.L1Bytes / 1024) : ""};
}
Words printModel(const Settings &S) {
  return {S.Counting == Model::Catt ? "catt" : "exact"};
}
Words printMinGain(const Settings &S) {
  return {S.MinGain ? std::to_string(std::lround(*S.MinGain * 100)) : ""};
}
Words printDecide(const Settings &S) { return {Deciders[size_t(S.By)].str()}; }
Words printSelector(const Settings &S) {
  return {S.RegistersBy ? S.RegistersBy->Name.str() : ""};
}
Words printRuntime(const Settings &S) {
  return {S.From == Runtime::Header ? "header" : "inline"};
}
Words printBounds(const Settings &S) {
  return {S.Bounds == BoundsForm::MaxRegisters ? "maxnreg" : "launch-bounds"};
}

struct Row {
  StringRef Key;
  Setter Set;
  Taker Take;
  Printer Print;
};

const Row Table[] = {
#define SETTING(Name, Kind, Value, Default, Help, Set, Take, Print)            \
  {Name, Set, Take, Print},
#include "tool/config/Options.def"
};

const Row &row(StringRef Key) {
  const Row *Found = find_if(Table, [&](const Row &R) { return R.Key == Key; });
  assert(Found != std::end(Table) && "a key that settingKeys() has not");
  return *Found;
}

} // namespace

ArrayRef<StringRef> settingKeys() {
  static const std::vector<StringRef> Keys = [] {
    std::vector<StringRef> All;
    for (const Row &R : Table)
      All.push_back(R.Key);
    return All;
  }();
  return Keys;
}

Error setValue(Stated &Out, StringRef Key, StringRef Value,
               const Twine &Spelled) {
  if (Error E = row(Key).Set(Out.Values, Value, Spelled.str()))
    return E;
  Out.Keys.insert(Key.str());
  return Error::success();
}

Stated overlay(Stated Under, const Stated &Over) {
  for (const std::string &Key : Over.Keys) {
    row(Key).Take(Under.Values, Over.Values);
    Under.Keys.insert(Key);
  }
  llvm::append_range(Under.Values.Measured, Over.Values.Measured);
  // Of a toolkit and none, what was said last counts.
  if (Over.Keys.count("cuda-path") && !Over.Keys.count("no-cuda"))
    Under.Values.BuiltInOnly = false;
  if (Over.Keys.count("no-cuda") && !Over.Keys.count("cuda-path"))
    Under.Values.CudaPath.clear();
  return Under;
}

std::map<std::string, std::vector<std::string>> asText(const Stated &Said) {
  std::map<std::string, std::vector<std::string>> Out;
  for (const std::string &Key : Said.Keys)
    Out[Key] = row(Key).Print(Said.Values);
  return Out;
}

Expected<double> secondsOf(const Twine &Spelled, StringRef Text) {
  double Unit = Text.ends_with("h") ? 3600 : Text.ends_with("m") ? 60 : 1;
  double Value = 0;
  if (Text.rtrim("hms").getAsDouble(Value) || Value < 0 || Value > 1e6)
    return createStringError(
        Spelled + " takes a time, as 90s, 5m or 2h, not '" + Text + "'");
  return Value * Unit;
}

Expected<int64_t> wholeNumber(const Twine &Spelled, StringRef Text, int64_t Low,
                              int64_t High) {
  int64_t Value = 0;
  if (Text.getAsInteger(10, Value) || Value < Low || Value > High)
    return wrong(Spelled + " must be a whole number from " + Twine(Low) +
                 " to " + Twine(High) + ", not '" + Text + "'");
  return Value;
}

Expected<std::pair<std::string, Launch>> parseLaunchOption(StringRef Spec,
                                                           StringRef Spelled) {
  std::string Form = (Spelled + " takes kernel=grid:block[:shared], as "
                                "--launch='gesummv=2112:128', not '")
                         .str();
  auto [Name, Rest] = Spec.split('=');
  SmallVector<StringRef, 3> Parts;
  Rest.split(Parts, ':');
  if (Name.trim().empty() || Parts.size() < 2 || Parts.size() > 3)
    return wrong(Form + Spec + "'");
  Launch L;
  L.From = Origin::Told;
  L.Text = (Spelled + "=" + Spec).str();
  L.Callee = Name.trim().str();
  Expected<Shape> Grid = readShape(Spelled + ": grid", Parts[0]);
  if (!Grid)
    return Grid.takeError();
  Expected<Shape> Block = readShape(Spelled + ": block", Parts[1]);
  if (!Block)
    return Block.takeError();
  L.Grid = *Grid;
  L.Block = *Block;
  // CUDA C++ Programming Guide, "Compute Capabilities": threads per block.
  std::optional<int64_t> Threads;
  if (*Block->X <= 1024 && *Block->Y <= 1024 && *Block->Z <= 64)
    Threads = Block->count();
  if (!Threads || *Threads > 1024)
    return wrong(Spelled + ": a block of " + Parts[1] +
                 " is larger than CUDA allows (1024 threads)");
  L.DynamicSharedBytes = 0;
  if (Parts.size() == 3) {
    Expected<int64_t> Shared =
        wholeNumber(Spelled + ": shared memory", Parts[2], 0, 1 << 20);
    if (!Shared)
      return Shared.takeError();
    L.DynamicSharedBytes = *Shared;
  }
  return std::make_pair(L.Callee, std::move(L));
}

} // namespace catt
