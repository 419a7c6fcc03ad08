//===- OnExecutor.cpp - Verification without a GPU ------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/frontend/builtin/Builtin.h"
#include "tool/verify/Record.h"
#include "tool/verify/Verify.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cmath>

using namespace llvm;

namespace catt {
namespace {

using End = ShellResult::End;

/// One run of one program.
struct Ran {
  ShellResult How;
  std::string Output, Errors;
  Record Left;
  std::set<std::string> Findings; ///< kinds: "race"
};

/// "1 launch", "2 launches".
std::string counted(size_t N, StringRef One, StringRef Many) {
  return std::to_string(N) + " " + (N == 1 ? One : Many).str();
}

/// "file:line:column: error: message [race; kernel, block, thread]" -> race
std::set<std::string> findingsIn(StringRef Errors) {
  std::set<std::string> Kinds;
  for (StringRef Line : split(Errors, '\n'))
    if (Line.contains(": error: ") && Line.ends_with(")]"))
      Kinds.insert(Line.rsplit(" [").second.split(';').first.str());
  return Kinds;
}

std::string firstLineWith(StringRef Text, StringRef Part) {
  for (StringRef Line : split(Text, '\n'))
    if (Line.contains(Part))
      return Line.str();
  return Text.split('\n').first.str();
}

std::string howItEnded(const ShellResult &R, double LimitSeconds) {
  switch (R.How) {
  case End::Exited:
    // A shell says so of what it ran.
    return R.Code > 128 ? "ends by signal " + std::to_string(R.Code - 128)
                        : "ends with exit code " + std::to_string(R.Code);
  case End::Signal:
    return "ends by signal " + std::to_string(R.Code);
  case End::TimeOut:
    return "takes more than " + std::to_string(std::lround(LimitSeconds)) +
           " s";
  case End::Interrupted:
    return "was interrupted";
  case End::NotStarted:
    return "cannot be started";
  }
  return "";
}

bool isRefused(const RecordedLaunch &L) {
  return StringRef(L.Kernel).starts_with("refused ");
}

/// The lines of the new text that an edit has touched, first and last.
std::vector<std::pair<unsigned, unsigned>> editedLines(const EditedFile &F) {
  std::vector<std::pair<unsigned, unsigned>> Regions;
  StringRef New = F.New;
  int64_t Shift = 0;
  for (const clang::tooling::Replacement &R : F.Edits) {
    StringRef Added = R.getReplacementText();
    size_t Begin = size_t(R.getOffset() + Shift);
    Shift += int64_t(Added.size()) - int64_t(R.getLength());
    unsigned First = 1 + unsigned(New.take_front(Begin).count('\n'));
    Regions.push_back({First, First + unsigned(Added.rtrim().count('\n'))});
  }
  return Regions;
}

class Comparison {
public:
  Comparison(const VerifyOptions &O, const EditedFiles &Files)
      : O(O), Files(Files) {}
  ~Comparison() {
    if (!Folder.empty())
      (void)sys::fs::remove_directories(Folder);
  }

  Expected<Verification> run() {
    if (std::error_code EC =
            sys::fs::createUniqueDirectory("catt-verify", Folder))
      return createStringError(EC, "no temporary directory");
    std::map<std::string, std::string> Before, After;
    for (const auto &[Path, File] : Files) {
      Before[Path] = File.Old;
      After[Path] = File.New;
    }
    if (Error E = compile("as written", Before, Old))
      return std::move(E);
    if (Error E = compile("as rewritten", After, New))
      return std::move(E);
    if (Error E = runOriginal())
      return std::move(E);
    if (all_of(Left.launches(), isRefused))
      return createStringError("the program launches no kernel on the "
                               "executor: what it is given by --arguments may "
                               "be wrong" +
                               printedFirst());
    for (unsigned I = 0; I != O.Schedules; ++I) {
      Ran R = runOnce(New, I);
      if (R.How.How == End::Interrupted)
        return createStringError("interrupted");
      if (!isSame(R, I)) {
        if (CannotSay.empty())
          return std::move(Out);
        return createStringError(CannotSay);
      }
      for (const auto &[Line, Came] : R.Left.Lines)
        Lines[Line] |= Came;
    }
    Out.Equal = true;
    say();
    return std::move(Out);
  }

private:
  Error compile(StringRef Which,
                const std::map<std::string, std::string> &Texts,
                std::string &Program) {
    simt::CompileOptions C;
    C.Directory = std::string(Folder);
    C.Texts = Texts;
    // What rewritten code may include lies in the tool.
    std::string Runtime = builtinRoot().str() + "/runtime";
    vfs::InMemoryFileSystem BuiltIn;
    addBuiltinHeaders(BuiltIn);
    for (const char *Name : {"launches", "levels", "narrow_rows", "slices",
                             "staged_rows", "trials"})
      if (auto Text =
              BuiltIn.getBufferForFile(Runtime + "/catt/" + Name + ".h"))
        C.Texts[Runtime + "/catt/" + Name + ".h"] = (*Text)->getBuffer().str();
    C.Arguments = {"-idirafter" + Runtime};
    auto Path = simt::compile(O.Sources, simt::Output::Program, C);
    if (Path) {
      Program = *Path;
      return Error::success();
    }
    std::string Why = toString(Path.takeError());
    if (StringRef(Why).contains("undefined symbol: main"))
      return createStringError("the files have no main(); name all files of "
                               "the program");
    return createStringError("the program " + Which +
                             " cannot be compiled for the executor: " +
                             firstLineWith(Why, "error: "));
  }

  /// Keep: "3,2", what is also written to a file of its own.
  Ran runOnce(const std::string &Program, unsigned Schedule,
              const std::string &Keep = "") const {
    const unsigned Switch[] = {0, 7, 0, 3};
    std::string Stem = (Folder + "/run").str();
    ShellCommand C;
    C.Line = "'" + Program + "' " + O.Arguments;
    C.LimitSeconds = O.LimitSeconds;
    C.Output = Stem + ".out";
    C.Errors = Stem + ".err";
    C.Environment = {{"CATT_SIMT_SEED", std::to_string(Schedule)},
                     // All that are resident: some blocks wait for others.
                     {"CATT_SIMT_BLOCKS", "0"},
                     {"CATT_SIMT_SMS", "2"},
                     {"CATT_SIMT_SWITCH", std::to_string(Switch[Schedule % 4])},
                     {"CATT_SIMT_RECORD", Stem + ".record"}};
    if (!Keep.empty())
      C.Environment["CATT_SIMT_KEEP"] = Keep;
    Ran R;
    R.How = runShell(C);
    R.Output = textOf(C.Output);
    R.Errors = textOf(C.Errors);
    R.Left = readRecord(textOf(Stem + ".record"));
    R.Findings = findingsIn(R.Errors);
    return R;
  }

  Error runOriginal() {
    for (unsigned I = 0; I != O.Schedules; ++I) {
      Ran R = runOnce(Old, I);
      if (R.How.How != End::Exited || R.How.Code > 128)
        return createStringError("the program as written " +
                                 howItEnded(R.How, O.LimitSeconds) +
                                 " on the executor");
      if (I != 0 && R.How.Code != Code)
        return createStringError("the program as written ends with exit code " +
                                 std::to_string(Code) + " or " +
                                 std::to_string(R.How.Code) +
                                 ", as its threads are scheduled");
      Code = R.How.Code;
      if (!R.Findings.empty() && Findings.empty())
        Out.Said.push_back("as written it has a mistake of its own: " +
                           firstLineWith(R.Errors, ": error: "));
      Findings.insert(R.Findings.begin(), R.Findings.end());
      Printed.add(R.Output);
      if (I == 0) {
        FirstOutput = R.Output;
        FirstErrors = R.Errors;
      }
      Left.add(std::move(R.Left));
    }
    return Error::success();
  }

  /// "; it prints 'usage: ...'", or nothing.
  std::string printedFirst() const {
    StringRef Line =
        StringRef(FirstErrors.empty() ? FirstOutput : FirstErrors).trim();
    return Line.empty() ? ""
                        : "; it prints '" + Line.split('\n').first.str() + "'";
  }

  bool isSame(const Ran &R, unsigned Schedule) {
    auto Differs = [&](const Twine &How) {
      Out.Said.push_back((How + " (schedule " + Twine(Schedule) + ")").str());
      return false;
    };
    // What depends on the order of threads may lead to anything behind it.
    auto DiffersBehind = [&](size_t Launch, const std::string &How) {
      if (!Left.unsteady().empty() && Left.unsteady().begin()->first <= Launch)
        CannotSay = How +
                    "; that may be because the program as written depends "
                    "on the order of its threads, first " +
                    firstUnsteady();
      return Differs(How);
    };
    for (const std::string &Kind : R.Findings)
      if (!Findings.count(Kind))
        return Differs("the rewritten program has a mistake: " +
                       firstLineWith(R.Errors, " [" + Kind + ";"));
    if (R.How.How != End::Exited || R.How.Code != Code)
      return Differs("the rewritten program " +
                     howItEnded(R.How, O.LimitSeconds) +
                     ", and as written with exit code " + Twine(Code));
    if (auto D = Left.compare(R.Left))
      return DiffersBehind(D->Launch, describe(*D, Schedule));
    if (std::string Other = Printed.difference(R.Output); !Other.empty())
      return DiffersBehind(Left.launches().size(), Other);
    return true;
  }

  /// "allocation 2", "variable 'seen'"
  static std::string object(const std::string &Which) {
    return isDigit(Which[0]) ? "allocation " + Which
                             : "variable '" + Which + "'";
  }

  std::string firstUnsteady() const {
    const auto &[Launch, Which] = *Left.unsteady().begin();
    return object(Which) + " behind launch " + std::to_string(Launch + 1) +
           ", of '" + Left.launches()[Launch].Kernel + "'";
  }

  /// Runs both once more, to see the bytes.
  std::string describe(const Difference &D, unsigned Schedule) const {
    size_t Number = D.Launch + 1;
    if (D.Which.empty())
      return "one of the programs has no launch " + std::to_string(Number);
    const RecordedLaunch &L = Left.launches()[D.Launch];
    std::string Text = "launch " + std::to_string(Number) + ", of '" +
                       L.Kernel + "', leaves another " + object(D.Which);
    std::string Keep = std::to_string(D.Launch) + "," + D.Which;
    std::string File = (Folder + "/run.record.bytes").str();
    (void)runOnce(Old, Schedule, Keep);
    std::string Was = textOf(File);
    (void)sys::fs::remove(File);
    (void)runOnce(New, Schedule, Keep);
    std::string Is = textOf(File);
    if (Was.size() != Is.size())
      return Text + ": of " + counted(Is.size(), "byte", "bytes") +
             " instead of " + std::to_string(Was.size());
    size_t At = size_t(std::mismatch(Was.begin(), Was.end(), Is.begin()).first -
                       Was.begin());
    size_t Other = 0;
    for (size_t I = 0; I != Was.size(); ++I)
      Other += Was[I] != Is[I];
    if (!Other)
      return Text;
    At -= At % 4;
    auto Bytes = [At](StringRef All) { return toHex(All.substr(At, 4), true); };
    return Text + ": " + std::to_string(Other) + " of " +
           counted(Was.size(), "byte", "bytes") + " differ, first at byte " +
           std::to_string(At) + ": " + Bytes(Is) + " instead of " + Bytes(Was);
  }

  /// What was compared, and which added lines nobody has seen at work.
  void say() {
    std::string Text =
        counted(Left.launches().size(), "launch leaves", "launches leave") +
        " the same memory under " +
        counted(O.Schedules, "schedule", "schedules") +
        ", and what is printed is the same";
    if (size_t Count = Left.unsteady().size())
      Text += "; " + std::to_string(Count) +
              " times memory was not compared, because it depends on the order "
              "of threads as written, too (first " +
              firstUnsteady() + ")";
    size_t Added = 0, Came = 0;
    std::vector<std::string> Idle;
    for (const auto &[Path, File] : Files)
      for (auto [First, Last] : editedLines(File)) {
        size_t Here = 0, CameHere = 0;
        for (auto It = Lines.lower_bound({Path, First});
             It != Lines.end() && It->first.first == Path &&
             It->first.second <= Last;
             ++It) {
          ++Here;
          CameHere += It->second;
        }
        Added += Here;
        Came += CameHere;
        if (Here && !CameHere)
          Idle.push_back(Path + ":" + std::to_string(First));
      }
    if (Added)
      Text += "; of " +
              counted(Added, "added line that touches memory",
                      "added lines that touch memory") +
              " " + std::to_string(Came) + " ran";
    Out.Said.push_back(std::move(Text));
    if (size_t Refused = count_if(Left.launches(), isRefused))
      Out.Said.push_back(
          counted(Refused, "launch was", "launches were") +
          " refused, as written, too: the shape of a block or of the grid, or "
          "the shared memory, is not one that a device takes");
    for (const std::string &Place : Idle)
      Out.Said.push_back(Place + ": what was added here, in the new text, did "
                                 "not run: give other --arguments");
  }

  const VerifyOptions &O;
  const EditedFiles &Files;
  SmallString<128> Folder;
  std::string Old, New; ///< programs
  Agreed Left;
  Reference Printed;
  std::string FirstOutput, FirstErrors;
  int Code = 0; ///< exit code of the original
  std::set<std::string> Findings;
  std::map<std::pair<std::string, unsigned>, bool> Lines; ///< of the new texts
  Verification Out;
  std::string CannotSay; ///< why a difference is none of the rewrite's
};

} // namespace

Expected<Verification> verifyOnExecutor(const VerifyOptions &O,
                                        const EditedFiles &Files) {
  return Comparison(O, Files).run();
}

} // namespace catt
