//===- PtxasLog.cpp - What a build's ptxas said ---------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/registers/PtxasLog.h"
#include "llvm/ADT/StringExtras.h"
#include <optional>

using llvm::StringRef;

namespace catt {
namespace {

/// The number in front of What: 24 of "24 bytes spill stores".
std::optional<unsigned> numberBefore(StringRef Line, StringRef What) {
  size_t At = Line.find(What);
  if (At == StringRef::npos)
    return std::nullopt;
  StringRef Head = Line.take_front(At).rtrim();
  StringRef Digits =
      Head.take_back(Head.size() - Head.find_last_not_of("0123456789") - 1);
  unsigned Number = 0;
  if (Digits.getAsInteger(10, Number))
    return std::nullopt;
  return Number;
}

/// What stands between the first two quotes behind Lead.
StringRef quotedAfter(StringRef Line, StringRef Lead) {
  StringRef Rest = Line.split(Lead).second;
  size_t End = Rest.find('\'');
  return End == StringRef::npos ? StringRef() : Rest.take_front(End);
}

constexpr llvm::StringLiteral EntryLead = "Compiling entry function '";
constexpr llvm::StringLiteral PropertiesLead = "Function properties for ";

/// Spills of a function behind a kernel, before it is clear whose they are.
struct Callee {
  unsigned StoreBytes, LoadBytes;
};

class Scanner {
public:
  PtxasLog scan(StringRef Text) {
    for (StringRef Line : llvm::split(Text, '\n')) {
      ++Number;
      read(Line.rtrim("\r"));
      if (Log.Doubt) // whose the following lines are is not known either
        return std::move(Log);
    }
    if (Open)
      doubt("the lines of '" + Current.Symbol + "' are not complete");
    else
      close();
    return std::move(Log);
  }

private:
  void doubt(const llvm::Twine &What) {
    Log.Doubt = PtxasDoubt{Number, What.str()};
  }

  void read(StringRef Line) {
    if (Line.count("ptxas info") > 1)
      doubt("two messages share a line");
    else if (Line.contains(EntryLead))
      readEntry(Line);
    else if (Line.contains(PropertiesLead))
      readFunction(Line.split(PropertiesLead).second.trim());
    else if (Line.contains("bytes stack frame"))
      readSpills(Line);
    else if (Line.contains("Used ") && Line.contains(" registers"))
      readUsed(Line);
    else if (Line.contains("Compile time = "))
      Pending.reset(); // of a function that no kernel owns
  }

  void readEntry(StringRef Line) {
    StringRef Symbol = quotedAfter(Line, EntryLead);
    StringRef Architecture = quotedAfter(Line, "' for '");
    if (Open)
      doubt("the lines of '" + Current.Symbol + "' and '" + Symbol +
            "' are mixed");
    if (Log.Doubt)
      return;
    close();
    if (Symbol.empty() || !Architecture.starts_with("sm_")) {
      doubt("a kernel without a name or an architecture");
      return;
    }
    Current = {Symbol.str(), Architecture.str(), RegisterPoint()};
    Current.Point.From = Origin::Measured;
    Open = true;
  }

  void readFunction(StringRef Name) {
    if (Open && Name != Current.Symbol) {
      doubt("the lines of '" + Current.Symbol + "' and '" + Name +
            "' are mixed");
      return;
    }
    takePending();
  }

  void readSpills(StringRef Line) {
    auto Stack = numberBefore(Line, "bytes stack frame");
    auto Stores = numberBefore(Line, "bytes spill stores");
    auto Loads = numberBefore(Line, "bytes spill loads");
    if (!Open && !Closed)
      return; // of a function before any kernel
    if (!Stack || !Stores || !Loads) {
      doubt("a line about the stack cannot be read");
      return;
    }
    if (!Open) {
      Pending = Callee{*Stores, *Loads};
      return;
    }
    if (SawSpills) {
      doubt("'" + Current.Symbol + "' has two lines about its stack");
      return;
    }
    SawSpills = true;
    Current.Point.StackBytes = *Stack;
    Current.Point.SpillStoreBytes = *Stores;
    Current.Point.SpillLoadBytes = *Loads;
  }

  void readUsed(StringRef Line) {
    auto Registers = numberBefore(Line, " registers");
    if (!Open) {
      if (Registers && Line.contains("ptxas info"))
        doubt("a number of registers belongs to no kernel");
      return;
    }
    if (!Registers) {
      doubt("the registers of '" + Current.Symbol + "' cannot be read");
      return;
    }
    Current.Point.Registers = *Registers;
    Current.Point.SharedBytes = numberBefore(Line, "bytes smem").value_or(0);
    Current.Point.StackBytes =
        std::max(Current.Point.StackBytes,
                 numberBefore(Line, "bytes cumulative stack size").value_or(0));
    Open = false;
    Closed = true;
  }

  /// What the last function spills, its kernel spills.
  void takePending() {
    if (Closed && Pending) {
      Current.Point.SpillStoreBytes += Pending->StoreBytes;
      Current.Point.SpillLoadBytes += Pending->LoadBytes;
    }
    Pending.reset();
  }

  /// Ends a kernel: nothing more will be said of it.
  void close() {
    takePending();
    if (Closed)
      Log.Entries.push_back(Current);
    Open = Closed = SawSpills = false;
  }

  PtxasLog Log;
  unsigned Number = 0; ///< of the line
  PtxasEntry Current;
  bool Open = false;             ///< Current has no registers yet
  bool Closed = false;           ///< it has them; its functions may follow
  bool SawSpills = false;        ///< its own line about the stack was there
  std::optional<Callee> Pending; ///< of a function behind Current
};

} // namespace

PtxasLog scanPtxasLog(StringRef Text) { return Scanner().scan(Text); }

llvm::Expected<std::vector<PtxasEntry>> readPtxasLog(StringRef Text,
                                                     StringRef Name) {
  PtxasLog Log = scanPtxasLog(Text);
  if (Log.Doubt) {
    return llvm::createStringError(
        llvm::Twine(Name) + ":" + llvm::Twine(Log.Doubt->Line) + ": " +
        Log.Doubt->What +
        "; let the build write one message at a time (ninja, make -O, or -j1)");
  }
  if (Log.Entries.empty())
    return llvm::createStringError(
        llvm::Twine("'") + Name +
        "' says nothing of any kernel; build with -Xptxas -v, and keep what it "
        "prints to standard error");
  return std::move(Log.Entries);
}

} // namespace catt
