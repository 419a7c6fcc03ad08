//===- Printer.cpp - Generated kernels as CUDA source ----------------------==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   Statement --> lines, in the odd formatting that the tree asks for
//
//===----------------------------------------------------------------------===//

#include "test/fuzz/KernelTree.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

namespace catt::fuzz {

Statement statement(const std::string &Text) {
  Statement S;
  llvm::SmallVector<llvm::StringRef> Lines;
  llvm::StringRef(Text).split(Lines, '\n');
  for (llvm::StringRef L : Lines)
    S.Lines.push_back(L.str());
  return S;
}

namespace {

class Printer {
public:
  explicit Printer(const GeneratedKernel &K) : K(K) {}

  void all() {
    for (const std::string &G : K.Globals)
      line(G);
    for (const Function &F : K.Functions)
      function(F.Head, F.Body);
    if (K.Style == LaunchStyle::Comment)
      line("// catt: launch(grid=" + shape(K.Grid, "x") +
           ", block=" + shape(K.Block, "x") + ")");
    std::string Head = K.Before + "__global__ void" + K.Qualifiers + " " +
                       K.name() + "(" + parameters() + ")";
    function(Head, K.Body);
    launch();
    line("");
  }
  std::string Out;

private:
  const GeneratedKernel &K;
  unsigned Depth = 0;

  void line(const std::string &Text) {
    if (!Text.empty() && Text[0] != '#')
      for (unsigned I = 0; I < Depth; ++I)
        Out += K.Indent;
    Out += Text + "\n";
  }

  static std::string shape(const Extents &E, const char *Separator) {
    return std::to_string(E.X) + Separator + std::to_string(E.Y) + Separator +
           std::to_string(E.Z);
  }

  std::string parameters() const {
    std::vector<std::string> All;
    for (const Argument &A : K.Arguments) {
      auto [Left, Right] = llvm::StringRef(A.Type).split('%');
      All.push_back((Left + A.Name + Right).str());
    }
    return llvm::join(All, ", ");
  }

  void function(const std::string &Head, const std::vector<Statement> &Body) {
    if (K.BraceOnOwnLine) {
      line(Head);
      line("{");
    } else {
      line(Head + " {");
    }
    ++Depth;
    statements(Body);
    --Depth;
    line("}");
    line("");
  }

  void statements(const std::vector<Statement> &All) {
    for (const Statement &S : All)
      statement(S);
  }

  /// True if the statements print as a single one.
  static bool isSingle(const std::vector<Statement> &Body,
                       const std::string &Step) {
    if (!Step.empty() || Body.size() != 1)
      return false;
    const Statement &S = Body[0];
    if (S.K == Statement::Kind::Text)
      return S.Lines.size() == 1;
    return S.Before.empty() && S.Pragmas.empty();
  }

  static bool isFlat(const std::vector<Statement> &Body) {
    for (const Statement &S : Body)
      if (S.K != Statement::Kind::Text || !S.Comment.empty())
        return false;
    return true;
  }

  /// Head, body in braces or not, and what follows the closing brace.
  void compound(const std::string &Head, const std::vector<Statement> &Body,
                const std::string &Step, const std::string &Tail,
                const Statement &S, bool MayBeBare) {
    if (MayBeBare && !S.Braces && isSingle(Body, Step)) {
      line(Head);
      ++Depth;
      statement(Body[0]);
      --Depth;
      if (!Tail.empty())
        line(Tail);
      return;
    }
    if (S.OneLine && isFlat(Body)) {
      std::string Text = Head + " {";
      for (const Statement &B : Body)
        for (const std::string &L : B.Lines)
          Text += " " + L;
      line(Text + (Step.empty() ? "" : " " + Step) + " }" +
           (Tail.empty() ? "" : " " + Tail));
      return;
    }
    if (K.BraceOnOwnLine) {
      line(Head);
      line("{");
    } else {
      line(Head + " {");
    }
    ++Depth;
    statements(Body);
    if (!Step.empty())
      line(Step);
    --Depth;
    line(Tail.empty() ? "}" : "} " + Tail);
  }

  void statement(const Statement &S) {
    if (!S.Comment.empty())
      line(S.Comment);
    switch (S.K) {
    case Statement::Kind::Text:
      if (S.OneLine)
        return line(llvm::join(S.Lines, " "));
      for (const std::string &L : S.Lines)
        line(L);
      return;
    case Statement::Kind::Loop:
      if (!S.Before.empty())
        line(S.Before);
      for (const std::string &P : S.Pragmas)
        line(P);
      return compound(S.Head, S.Body, S.Step, S.Tail, S, true);
    case Statement::Kind::If: {
      // A bare body that is an `if` would take the `else`.
      bool Bare = S.Else.empty() ||
                  (S.Body.size() == 1 && S.Body[0].K == Statement::Kind::Text &&
                   !llvm::StringRef(S.Body[0].Lines[0]).starts_with("if"));
      compound(S.Head, S.Body, "", "", S, Bare);
      if (!S.Else.empty())
        compound("else", S.Else, "", "", S, true);
      return;
    }
    case Statement::Kind::Switch:
      line(S.Head + " {");
      line("case 0: {");
      ++Depth;
      statements(S.Body);
      --Depth;
      line("} break;");
      line("default: {");
      ++Depth;
      statements(S.Else);
      --Depth;
      line("}");
      line("}");
      return;
    }
  }

  void launch() {
    if (K.Style == LaunchStyle::Own) {
      for (const std::string &L : K.Host)
        line(L);
      return hostEntry();
    }
    if (K.Style == LaunchStyle::Comment || K.Style == LaunchStyle::None)
      return;
    std::string Id = std::to_string(K.Id);
    if (K.Style == LaunchStyle::Macro)
      line("#define BLOCK" + Id + " " + std::to_string(K.Block.X));
    std::vector<std::string> Pass, Take;
    for (const Argument &A : K.Arguments) {
      Pass.push_back(!A.Text.empty() ? A.Text
                     : A.Value       ? std::to_string(*A.Value)
                                     : A.Name);
      if (A.Value)
        continue;
      auto [Left, Right] = llvm::StringRef(A.Type).split('%');
      Take.push_back((Left + A.Name + Right).str());
    }
    line("void launch" + Id + "(" + llvm::join(Take, ", ") + ") {");
    ++Depth;
    if (K.DynamicText == "bytes")
      line("const size_t bytes = " + std::to_string(K.DynamicBytes) + ";");
    std::string Grid = "dim3(" + shape(K.Grid, ", ") + ")";
    std::string Block = "dim3(" + shape(K.Block, ", ") + ")";
    if (K.Style == LaunchStyle::Variables) {
      line("dim3 grid(" + shape(K.Grid, ", ") + "), block(" +
           shape(K.Block, ", ") + ");");
      Grid = "grid", Block = "block";
    } else if (K.Style == LaunchStyle::Macro) {
      Block = "dim3(BLOCK" + Id + ", " + std::to_string(K.Block.Y) + ", " +
              std::to_string(K.Block.Z) + ")";
    } else if (K.Block.count() == K.Block.X && K.Grid.count() == K.Grid.X) {
      Grid = std::to_string(K.Grid.X), Block = std::to_string(K.Block.X);
    }
    if (!K.BlockText.empty())
      Block = K.BlockText;
    std::string Shared = K.DynamicText.empty() ? "" : ", " + K.DynamicText;
    std::string Rest = Shared + ">>>(" + llvm::join(Pass, ", ") + ");";
    launches(K.entry() + "<<<" + Grid + ", " + Block + Rest,
             K.name() +
                 (K.InstanceAgain.empty() ? K.Instance : K.InstanceAgain) +
                 "<<<dim3(" + shape(K.GridAgain, ", ") + "), " +
                 (K.BlockAgain.empty() ? Block : K.BlockAgain) + Rest);
    --Depth;
    line("}");
    hostEntry();
  }

  void launches(const std::string &First, const std::string &Second) {
    switch (K.More) {
    case Again::No:
      return line(First);
    case Again::NextLine:
      line(First);
      return line(Second);
    case Again::SameLine:
      return line(First + " " + Second);
    case Again::Loop:
      line("for (int round = 0; round < 2; ++round) " + First);
      return line(Second);
    case Again::Condition:
      line("if (out)");
      line(K.Indent + First);
      line("else");
      line(K.Indent + Second);
      return line(Second);
    }
  }

  /// What a test calls: buffers only, as plain pointers.
  void hostEntry() {
    std::vector<std::string> Pass;
    for (const Argument &A : K.Arguments) {
      if (A.Value)
        continue;
      auto [Left, Right] = llvm::StringRef(A.Type).split('%');
      if (Left == "T ") // of a template: the argument is deduced
        Left = "const unsigned *";
      Pass.push_back(
          ("(" + Left + Right + ")all[" + llvm::Twine(Pass.size()) + "]")
              .str());
    }
    line("extern \"C\" void " + K.hostEntry() + "(void **all) { launch" +
         std::to_string(K.Id) + "(" + llvm::join(Pass, ", ") + "); }");
  }
};

} // namespace

std::string printAlone(const GeneratedKernel &K) {
  Printer P(K);
  P.all();
  return P.Out;
}

std::string print(const std::vector<GeneratedKernel> &Kernels,
                  std::vector<unsigned> *Lines) {
  std::string Text = "#include <cuda_runtime.h>\n";
  if (!Kernels.empty() && !Kernels.front().Danger.empty())
    Text += "#include <algorithm>\n#include <cooperative_groups.h>\n"
            "#include <cub/cub.cuh>\n#include <cuda/atomic>\n"
            "#include <enemy.h>\n#include <functional>\n#include <utility>\n";
  Text += "\n";
  for (const GeneratedKernel &K : Kernels) {
    if (Lines)
      Lines->push_back(llvm::StringRef(Text).count('\n') + 1);
    Text += printAlone(K);
  }
  if (Kernels.empty() || !Kernels.front().Crlf)
    return Text;
  std::string Dos;
  for (char C : Text)
    Dos += C == '\n' ? "\r\n" : std::string(1, C);
  return Dos;
}

} // namespace catt::fuzz
