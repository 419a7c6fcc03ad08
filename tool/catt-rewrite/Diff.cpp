//===- Diff.cpp - Unified diffs -------------------------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   old lines --+
//              +-- Myers' shortest edit script --> changes --> hunks of 3
//              context
//   new lines --+
//
// E. Myers, "An O(ND) Difference Algorithm and Its Variations" (1986), the
// greedy form. Edits of this tool change few lines, so the trace stays small; a
// difference of more than MaxEdits lines is printed as one change.
//
//===----------------------------------------------------------------------===//
#include "Output.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace catt {
namespace {

constexpr int ContextLines = 3;
constexpr int MaxEdits = 2000;

using Lines = std::vector<StringRef>;

/// Lines with their endings: the last one may lack it.
Lines split(StringRef Text) {
  Lines Result;
  while (!Text.empty()) {
    size_t End = Text.find('\n');
    size_t Length = End == StringRef::npos ? Text.size() : End + 1;
    Result.push_back(Text.take_front(Length));
    Text = Text.drop_front(Length);
  }
  return Result;
}

/// Lines [OldBegin, OldEnd) become [NewBegin, NewEnd).
struct Change {
  int OldBegin, OldEnd, NewBegin, NewEnd;
};

/// For each D the furthest x on each diagonal -D..D, index D + k.
using Trace = std::vector<std::vector<int>>;

/// Extends the trace until both texts end; false if that needs too many edits.
bool searchPath(ArrayRef<StringRef> Old, ArrayRef<StringRef> New, Trace &T) {
  int N = Old.size(), M = New.size();
  for (int D = 0; D <= std::min(N + M, MaxEdits); ++D) {
    std::vector<int> V(2 * D + 1);
    for (int K = -D; K <= D; K += 2) {
      auto At = [&](int Diagonal) { return T[D - 1][D - 1 + Diagonal]; };
      int X = 0;
      if (D != 0)
        X = K == -D || (K != D && At(K - 1) < At(K + 1)) ? At(K + 1)
                                                         : At(K - 1) + 1;
      int Y = X - K;
      while (X < N && Y < M && Old[X] == New[Y])
        ++X, ++Y;
      V[D + K] = X;
      if (X >= N && Y >= M) {
        T.push_back(std::move(V));
        return true;
      }
    }
    T.push_back(std::move(V));
  }
  return false;
}

/// The edit script from the trace, back to front, one line at a time.
std::vector<Change> walkBack(const Trace &T, int X, int Y) {
  std::vector<Change> Result;
  for (int D = T.size() - 1; D > 0; --D) {
    int K = X - Y;
    auto At = [&](int Diagonal) { return T[D - 1][D - 1 + Diagonal]; };
    bool Down = K == -D || (K != D && At(K - 1) < At(K + 1));
    int PreviousX = Down ? At(K + 1) : At(K - 1);
    int PreviousY = PreviousX - (Down ? K + 1 : K - 1);
    Result.push_back(
        {PreviousX, PreviousX + !Down, PreviousY, PreviousY + Down});
    X = PreviousX;
    Y = PreviousY;
  }
  std::reverse(Result.begin(), Result.end());
  return Result;
}

std::vector<Change> findChanges(ArrayRef<StringRef> Old,
                                ArrayRef<StringRef> New) {
  int Prefix = 0, Suffix = 0;
  int Limit = std::min(Old.size(), New.size());
  while (Prefix < Limit && Old[Prefix] == New[Prefix])
    ++Prefix;
  while (Suffix < Limit - Prefix &&
         Old[Old.size() - 1 - Suffix] == New[New.size() - 1 - Suffix])
    ++Suffix;
  ArrayRef<StringRef> A = Old.drop_front(Prefix).drop_back(Suffix);
  ArrayRef<StringRef> B = New.drop_front(Prefix).drop_back(Suffix);
  Trace T;
  std::vector<Change> Steps;
  if (searchPath(A, B, T))
    Steps = walkBack(T, A.size(), B.size());
  else
    Steps.push_back({0, int(A.size()), 0, int(B.size())});
  std::vector<Change> Result;
  for (Change C : Steps) {
    C = {C.OldBegin + Prefix, C.OldEnd + Prefix, C.NewBegin + Prefix,
         C.NewEnd + Prefix};
    if (!Result.empty() && Result.back().OldEnd == C.OldBegin &&
        Result.back().NewEnd == C.NewBegin) {
      Result.back().OldEnd = C.OldEnd;
      Result.back().NewEnd = C.NewEnd;
    } else {
      Result.push_back(C);
    }
  }
  return Result;
}

void printLine(raw_ostream &OS, char Mark, StringRef Line) {
  OS << Mark << Line;
  if (!Line.ends_with("\n"))
    OS << "\n\\ No newline at end of file\n";
}

/// "12,3": first line from 1 and count; an empty range names the line before.
void printRange(raw_ostream &OS, int Begin, int End) {
  OS << (End == Begin ? Begin : Begin + 1);
  if (End - Begin != 1)
    OS << "," << End - Begin;
}

void printHunk(raw_ostream &OS, ArrayRef<Change> Changes, const Lines &Old,
               const Lines &New) {
  int Before = std::min(ContextLines, Changes.front().OldBegin);
  int After = std::min<int>(ContextLines, Old.size() - Changes.back().OldEnd);
  OS << "@@ -";
  printRange(OS, Changes.front().OldBegin - Before,
             Changes.back().OldEnd + After);
  OS << " +";
  printRange(OS, Changes.front().NewBegin - Before,
             Changes.back().NewEnd + After);
  OS << " @@\n";
  int Line = Changes.front().OldBegin - Before;
  for (const Change &C : Changes) {
    for (; Line < C.OldBegin; ++Line)
      printLine(OS, ' ', Old[Line]);
    for (; Line < C.OldEnd; ++Line)
      printLine(OS, '-', Old[Line]);
    for (int I = C.NewBegin; I < C.NewEnd; ++I)
      printLine(OS, '+', New[I]);
  }
  for (int I = 0; I < After; ++I)
    printLine(OS, ' ', Old[Line + I]);
}

} // namespace

std::string unifiedDiff(StringRef Path, StringRef Old, StringRef New) {
  if (Old == New)
    return "";
  Lines OldLines = split(Old), NewLines = split(New);
  std::vector<Change> Changes = findChanges(OldLines, NewLines);
  std::string Text;
  raw_string_ostream OS(Text);
  StringRef Relative = Path.ltrim('/');
  while (Relative.consume_front("./"))
    ;
  OS << "--- a/" << Relative << "\n+++ b/" << Relative << "\n";
  for (size_t I = 0; I < Changes.size();) {
    size_t End = I + 1;
    while (End < Changes.size() &&
           Changes[End].OldBegin - Changes[End - 1].OldEnd <= 2 * ContextLines)
      ++End;
    printHunk(OS, ArrayRef(Changes).slice(I, End - I), OldLines, NewLines);
    I = End;
  }
  return Text;
}

} // namespace catt
