//===- SpillShared.cpp - Values that wait in shared memory ----------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps values in shared memory where registers are short. (CRAT section 5;
// TLP-RM section 2.3; the layout is slot-major, against bank conflicts.)
//
// Before:
//   __global__ void k(const float *A, float *y, int n) {
//     float s = A[threadIdx.x];
//     for (...) { ... }
//     y[threadIdx.x] = s;
//   }
//
// After:
//   __global__ void k(const float *A, float *y, int n) {
//     // catt: spill-shared(1): 1 register of each thread in shared memory
//     __shared__ __align__(8) unsigned char cattSpill[1024];
//     // catt: done 72ffa0
//     float s = A[threadIdx.x];
//     // catt: spill-shared(s)
//     volatile decltype(s) *const cattSpill_s =
//         (volatile decltype(s) *)(cattSpill + 0) + threadIdx.x;
//     // catt: done d6989a
//     // catt: spill-shared(s)
//     *cattSpill_s = s;
//     // catt: done f04cae
//     for (...) { ... }
//     // catt: spill-shared(s)
//     s = *cattSpill_s;
//     // catt: done 5060be
//     y[threadIdx.x] = s;
//   }
//
// A load gives a variable the value that it has, so it is right wherever it
// stands and whoever runs it; volatile keeps the compiler from finding that
// out, and nothing stronger is needed: no thread looks at another's slots.
// Where ptxas does it better itself, the plan asks for that instead:
//   asm volatile(".pragma \"enable_smem_spilling\";");
//
// A value that is const loses the word, which becomes a comment, where the code
// means the same without (ConstWords.h):
//   /* catt: hides const */ float s = A[threadIdx.x];
//
// Values of a device function that the kernel alone calls have an array there:
//   __device__ float f(...) {
//     // catt: spill-shared(1): 1 register of each thread of k in shared memory
//     __shared__ __align__(8) unsigned char cattSpill[1024];
//
// Limits. As for launch bounds, every launch must be known, or the kernel must
// bound its threads: a larger block would have no slots. The array is static up
// to 48 KiB with what the kernel has. Beyond, where every launch can be edited,
// it is dynamic, and the launches ask for it (LaunchEdit.h):
//     extern __shared__ __align__(8) unsigned char cattSpill_k[];
// Refused are kernels whose threads may wait for others, and cooperative ones:
// a launch with smaller blocks than the largest, or another device, may have
// fewer blocks per SM with the slots.
//
//===----------------------------------------------------------------------===//
#include "transforms/KernelUses.h"
#include "transforms/LaunchEdit.h"
#include "transforms/SourceEdit.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using llvm::StringRef;

namespace catt {

static std::string str(int64_t N) { return std::to_string(N); }

//===-- The code ----------------------------------------------------------===//

namespace {
/// Writes the statements that concern one value.
class SlotCode {
public:
  SlotCode(const ThreadValue &V, const MovedValue &M, const SharedSpill &S,
           int64_t Base, std::string Array, std::string Pointer)
      : V(V), M(M), N(S.Numbering), Base(Base), Array(std::move(Array)),
        Pointer(std::move(Pointer)) {}

  /// The pointer to this thread's first slot.
  std::string declaration() const {
    std::string Type = elementType();
    return Type + " *const " + Pointer + " = (" + Type + " *)(" + Array +
           " + " + str(Base + M.OffsetBytes * N.Threads) + ") + " + thread() +
           ";";
  }

  /// Empty if the point is of an element that stays where it is.
  std::string at(const SpillPoint &P) const {
    if (V.Extents.empty())
      return moves(V.Pieces.front(), "0", P.Load);
    if (P.Index.empty())
      return "_Pragma(\"unroll\") for (int cattI = 0; cattI < " +
             str(M.Elements) + "; ++cattI) " +
             braced(moves(V.element(subscripts()), "cattI", P.Load));
    if (P.ConstantIndex)
      return *P.ConstantIndex < M.Elements
                 ? moves(P.Element, str(*P.ConstantIndex), P.Load)
                 : "";
    bool Word = llvm::all_of(
        P.Index, [](char C) { return llvm::isAlnum(C) || C == '_'; });
    std::string Code =
        moves(P.Element, Word ? P.Index : "(" + P.Index + ")", P.Load);
    if (M.Elements == V.elements())
      return Code;
    return "if (" + P.Index + " < " + str(M.Elements) + ") " + braced(Code);
  }

private:
  std::string elementType() const {
    std::string First =
        V.element(std::vector<std::string>(V.Extents.size(), "0"));
    if (!V.Fields.empty())
      return "volatile decltype(" + First + "." + V.Fields.front() + ")";
    if (V.Extents.empty())
      return "volatile decltype(" + First + ")";
    return V.Type + " volatile"; // an element of an array is a reference
  }

  /// "cattI / 3", "cattI % 3"
  std::vector<std::string> subscripts() const {
    std::vector<std::string> Out;
    int64_t Inner = V.elements();
    for (int64_t Extent : V.Extents) {
      std::string I = "cattI";
      if (Inner != V.elements())
        I += " % " + str(Inner);
      Inner /= Extent;
      if (Inner != 1)
        I += " / " + str(Inner);
      Out.push_back(std::move(I));
    }
    return Out;
  }

  /// `Pointer[Slot * Threads] = Object;` for each field, or the other way.
  std::string moves(const std::string &Object, const std::string &Slot,
                    bool Load) const {
    std::string Out;
    size_t Fields = std::max<size_t>(V.Fields.size(), 1);
    for (size_t F = 0; F < Fields; ++F) {
      std::string Here = slot(Slot, F, Fields);
      std::string There = Object;
      if (!V.Fields.empty())
        There += "." + V.Fields[F];
      Out += Out.empty() ? "" : " ";
      Out += Load ? There : Here;
      Out += " = ";
      Out += Load ? Here : There;
      Out += ";";
    }
    return Out;
  }

  std::string slot(const std::string &Slot, size_t Field, size_t Fields) const {
    if (Slot == "0" && Field == 0)
      return "*" + Pointer;
    std::string Index = Slot;
    if (Fields > 1)
      Index = Slot == "0"
                  ? str(Field)
                  : "(" + Slot + " * " + str(Fields) + " + " + str(Field) + ")";
    return Pointer + "[" + Index + " * " + str(N.Threads) + "]";
  }

  static std::string braced(const std::string &Code) {
    return StringRef(Code).count(';') > 1 ? "{ " + Code + " }" : Code;
  }

  std::string thread() const {
    if (N.OnlyX)
      return "threadIdx.x";
    std::string Width = N.Width ? str(N.Width) : "blockDim.x";
    std::string Height = N.Height ? str(N.Height) : "blockDim.y";
    return "(threadIdx.x + " + Width + " * (threadIdx.y + " + Height +
           " * threadIdx.z))";
  }

  const ThreadValue &V;
  const MovedValue &M;
  const ThreadNumbering &N;
  int64_t Base; ///< bytes of the array before those of the part
  std::string Array, Pointer;
};

/// What is added around one statement.
struct Around {
  std::vector<std::string> Before, Behind;
  std::vector<std::string> Names; ///< of the values, for the marker
};
} // namespace

static void addTo(std::vector<std::string> &Rows, std::string Row) {
  if (!Row.empty() && !llvm::is_contained(Rows, Row))
    Rows.push_back(std::move(Row));
}

/// Names of the pointers to the slots, by index in Kernel::Values: each its
/// own, as those of the variables are in their scopes.
static std::vector<std::string>
pointerNames(const Kernel &K, const std::vector<std::string> &Arrays) {
  std::set<std::string> Taken;
  for (const ThreadValue &V : K.Values)
    Taken.insert(V.Variable);
  std::vector<std::string> Out;
  for (const ThreadValue &V : K.Values) {
    std::string Name = V.Name;
    llvm::replace(Name, '.', '_');
    while (V.isPart() && !Taken.insert(Name).second)
      Name += "_";
    Out.push_back(Arrays[K.functionOf(V)] + "_" + Name);
  }
  return Out;
}

/// Where a part of the frame begins in its array: a static one is the part's
/// alone.
static int64_t baseOf(const SharedSpill &S, unsigned Function) {
  if (!S.isDynamic())
    return 0;
  auto Part = llvm::find_if(
      S.Parts, [&](const FramePart &P) { return P.Function == Function; });
  return S.dynamicBase() + Part->BeginBytes * S.Numbering.Threads;
}

/// By function: the name of the array. Kernels and functions of one file may
/// differ in their linkage, and then cannot declare the same external array.
static std::vector<std::string>
arrayNames(const Kernel &K, const SharedSpill &S, const FileContexts &Files) {
  std::vector<std::string> Out(K.Functions.size() + 1, "cattSpill");
  auto File = Files.find(K.Span.File);
  for (size_t I = 0; I < Out.size(); ++I) {
    if (S.isDynamic())
      Out[I] += "_" + K.UnqualifiedName +
                (I == 0 ? "" : "_" + K.Functions[I - 1].Name);
    if (File != Files.end())
      Out[I] = freshName(File->second, Out[I]);
  }
  return Out;
}

/// By statement of the kernel: what its values want there.
static std::map<unsigned, Around>
additions(const Kernel &K, const SharedSpill &S,
          const std::vector<std::string> &Arrays) {
  std::vector<std::string> Pointers = pointerNames(K, Arrays);
  std::map<unsigned, Around> Out;
  for (const MovedValue &M : S.Moved) {
    const ThreadValue &V = K.Values[M.Of.Value];
    const unsigned Function = K.functionOf(V);
    SlotCode Code(V, M, S, baseOf(S, Function), Arrays[Function],
                  Pointers[M.Of.Value]);
    Around &At = Out[V.Declaration];
    addTo(At.Behind, Code.declaration());
    addTo(At.Names, V.Name);
    for (const SpillPoint &P : M.Of.Points) {
      Around &There = Out[P.Statement];
      addTo(P.Behind ? There.Behind : There.Before, Code.at(P));
      addTo(There.Names, V.Name);
    }
  }
  return Out;
}

//===-- The transform -----------------------------------------------------===//

/// Why the text of the kernel cannot take the additions, if so.
static std::optional<Refusal> obstacle(const Kernel &K,
                                       const std::map<unsigned, Around> &All,
                                       bool Bounded, StringRef Transform,
                                       const FileContexts &Files) {
  SourceSpan Body{K.Span.File, K.BodyBegin, K.BodyBegin};
  if (std::optional<Refusal> R = cannotEdit(Files, Body, K.Where))
    return R;
  if (isMarked(K, Transform, Files))
    return Refusal{Reason::AlreadyRewritten, K.Where, ""};
  for (const OwnFunction &F : K.Functions)
    if (isMarked(F.Span, Transform, Files))
      return Refusal{Reason::AlreadyRewritten, F.Where, ""};
  const std::string &Macro = Files.at(K.Span.File).MacroOnBuiltin;
  if (!Macro.empty())
    return Refusal{Reason::InMacro, K.Where, "the macro " + Macro};
  for (const auto &[Index, At] : All)
    if (std::optional<Refusal> R = cannotEdit(Files, K.Statements[Index].Span,
                                              K.Statements[Index].Where))
      return R;
  if (!Bounded)
    if (std::optional<std::string> Foreign = foreignUse(K, Files))
      return Refusal{Reason::LaunchedElsewhere, K.Where, *Foreign};
  return std::nullopt;
}

/// A variable that loses its const for what is moved, and that something may
/// see more of than its value. One word may stand for several variables.
static std::optional<Refusal> seesConst(const Kernel &K, const SharedSpill &S,
                                        const FileContexts &Files) {
  for (const MovedValue &M : S.Moved) {
    const SourceSpan &Word = K.Values[M.Of.Value].ConstWord;
    if (Word.File.empty())
      continue;
    for (const ThreadValue &V : K.Values)
      if (V.ConstWord.File == Word.File && V.ConstWord.Begin == Word.Begin)
        if (auto Why = seenOtherwise(K, Files, V.Scope.Begin, V.Scope.End,
                                     {V.Variable}))
          return Why;
  }
  return std::nullopt;
}

/// Statements within others have larger numbers, and where both end at one
/// place the inner one's additions come first.
static void write(const Kernel &K, const std::map<unsigned, Around> &All,
                  EditBuilder &Out) {
  auto Made = [](const Around &At, std::vector<std::string> Open,
                 std::vector<std::string> Close) {
    return Addition{llvm::join(At.Names, ", "), "", std::move(Open),
                    std::move(Close)};
  };
  // Braces that close at one place must all stand in lines, or none.
  std::map<unsigned, unsigned> Closing;
  for (const auto &[Index, At] : All)
    Closing[K.Statements[Index].Span.End] += K.Statements[Index].Unbraced;
  for (const auto &[Index, At] : llvm::reverse(All)) {
    const BodyStatement &S = K.Statements[Index];
    if (S.Unbraced) {
      bool OwnLines = S.OwnLines && Closing[S.Span.End] == 1;
      std::vector<std::string> Open = {"{"}, Close = {"}"};
      llvm::append_range(Open, At.Before);
      llvm::append_range(Close, At.Behind);
      Open.push_back("{"); // a row that no layout breaks holds the marker
      Close.push_back("}");
      Out.wrapStatements(S.Span, OwnLines, Made(At, Open, Close));
    } else if (!At.Behind.empty()) {
      Out.addBehindDefinition(S.Span, Made(At, At.Behind, {}));
    }
  }
  for (const auto &[Index, At] : All)
    if (!K.Statements[Index].Unbraced && !At.Before.empty())
      Out.addBefore(K.Statements[Index].Span, Made(At, At.Before, {}));
}

/// What is moved cannot be const; one word may stand for several variables.
static void hideConst(const Kernel &K, const SharedSpill &S, EditBuilder &Out) {
  std::map<unsigned, SourceSpan> Words;
  for (const MovedValue &M : S.Moved)
    if (const SourceSpan &Word = K.Values[M.Of.Value].ConstWord;
        !Word.File.empty())
      Words.insert({Word.Begin, Word});
  for (const auto &[Begin, Word] : Words)
    Out.replace(Word, {});
}

static std::string registers(int64_t Count) {
  return str(Count) + (Count == 1 ? " register" : " registers");
}

/// The array of a block's slots.
static Addition arrayOf(const Kernel &K, const SharedSpill &S,
                        const FramePart &Part, const std::string &Array) {
  std::string Bytes =
      S.isDynamic() ? "" : str(Part.SizeBytes * S.Numbering.Threads);
  std::string Whose = Part.Function == 0 ? "" : " of " + K.UnqualifiedName;
  return {str(Part.MovedRegisters),
          registers(Part.MovedRegisters) + " of each thread" + Whose +
              " in shared memory",
          {(S.isDynamic() ? "extern " : "") +
           ("__shared__ __align__(8) unsigned char " + Array) + "[" + Bytes +
           "];"},
          {}};
}

namespace {
/// Lets ptxas spill to shared memory itself.
struct PreparedPragma final : Prepared {
  explicit PreparedPragma(const Kernel &K) : K(K) {}
  void edit(EditBuilder &Out) const override {
    Out.addBehindBrace(
        K.Span.File, K.BodyBegin,
        {"ptxas",
         "what does not fit in registers goes to shared memory",
         {"asm volatile(\".pragma \\\"enable_smem_spilling\\\";\");"},
         {}});
    Out.done(K.Where, "lets ptxas spill to shared memory");
  }
  const Kernel &K;
};

/// An array of slots, and what moves values to them and back.
struct PreparedSpill final : Prepared {
  PreparedSpill(const Kernel &K, const SharedSpill &S) : K(K), S(S) {}
  void edit(EditBuilder &Out) const override {
    for (const FramePart &Part : S.Parts)
      Out.addBehindBrace(K.Span.File,
                         Part.Function == 0
                             ? K.BodyBegin
                             : K.Functions[Part.Function - 1].BodyBegin,
                         arrayOf(K, S, Part, Arrays[Part.Function]));
    write(K, All, Out);
    hideConst(K, S, Out);
    if (Launches)
      Launches->edit(Out);
    Out.done(K.Where, "moved " + registers(S.MovedRegisters) +
                          " of each thread to " + str(S.sharedBytes()) +
                          " bytes of " + (S.isDynamic() ? "dynamic " : "") +
                          "shared memory");
  }
  const Kernel &K;
  const SharedSpill &S;
  std::vector<std::string> Arrays; ///< by function
  std::map<unsigned, Around> All;
  std::optional<LaunchEdit> Launches; ///< where the array is dynamic
};
} // namespace

/// What every launch has to ask for, where the array is dynamic.
static LaunchEdit launchesOf(const Context &C, StringRef Transform) {
  const SharedSpill &S = *C.Kernel.Spill;
  LaunchCall More("cattSpill",
                  S.dynamicBase() - S.DynamicBytes + S.sharedBytes(), {}, {});
  More.Argument = str(S.MovedRegisters);
  return {C, Transform, std::move(More)};
}

namespace {
class SpillShared final : public Transform {
public:
  using Transform::Transform;
  llvm::StringRef summary() const override {
    return "Keeps values in shared memory where registers are short.";
  }
  Preparation prepare(const Context &C) const override;
};
} // namespace

Preparation SpillShared::prepare(const Context &C) const {
  if (!C.Kernel.Spill)
    return {};
  const Kernel &K = C.Kernel.Source;
  const SharedSpill &S = *C.Kernel.Spill;
  std::vector<Refusal> Against = againstEdits(K);
  llvm::append_range(Against, S.Refusals);
  // The plan keeps the blocks of the largest launch, on one device: of a
  // smaller launch, and elsewhere, the slots may take blocks away.
  refuseFewerBlocks(K, Against);
  if (!Against.empty() || (S.Moved.empty() && !S.Pragma))
    return Against;
  auto Found = std::make_unique<PreparedSpill>(K, S);
  Found->Arrays = arrayNames(K, S, C.Files);
  Found->All = additions(K, S, Found->Arrays);
  // Whoever launches has the threads that have slots, by __launch_bounds__, and
  // asks for their bytes: nobody has to.
  bool Bounded = S.Numbering.Width == 0 && !S.isDynamic();
  if (auto Why = obstacle(K, Found->All, Bounded || S.Pragma, name(), C.Files))
    return *Why;
  if (auto Why = seesConst(K, S, C.Files))
    return *Why;
  if (S.isDynamic())
    Found->Launches = launchesOf(C, name());
  if (Found->Launches && Found->Launches->Why)
    return *Found->Launches->Why;
  if (S.Pragma)
    return std::make_unique<PreparedPragma>(K);
  return Found;
}

const Transform &theSpillShared(const TransformTraits &Traits) {
  static const SpillShared Only(Traits);
  return Only;
}

} // namespace catt
