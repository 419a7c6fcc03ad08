//===- Types.h - The structs that the stages hand on -------------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   source text + compile flags
//     | parse        source/CudaFrontEnd          -> TranslationUnit
//     v
//   Kernel           source/Kernels, Launches     loops, accesses, launches
//     | measure      device/Occupancy             -> Residency
//     |              memory/Footprint, Reuse      -> LevelFootprint
//     v
//   LoopProfile
//     | plan         plan/ThrottlePlan            pure arithmetic
//     v
//   KernelPlan       decisions and refusals, each with its reason
//     | transform    transforms/                  -> Edits
//     v
//   new text
//
// Everything below is a finished plain value: no Clang, no isl, no pointers
// into the AST. A Report can be printed, compared and rewritten from long after
// the translation unit is gone.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_TYPES_H
#define CATT_ANALYSIS_TYPES_H

#include "analysis/memory/AffineIndex.h"
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace catt {

constexpr int64_t LineBytes = 128;  ///< L1 cache line, CUDA C++ Best Practices
constexpr int64_t SectorBytes = 32; ///< unit of traffic below L1, ibid.
constexpr int64_t WarpLanes = 32;   ///< threads per warp, all capabilities

//===-- Where ------------------------------------------------------------===//

/// A place in a source file, as compilers print it. Line 0: nowhere.
struct Location {
  std::string File;
  unsigned Line = 0;   ///< from 1
  unsigned Column = 0; ///< from 1, in bytes
  bool valid() const { return Line != 0; }
};

/// The lines [First, Last] of a file, counted from 1.
struct LineRange {
  std::string File;
  unsigned First = 0, Last = 0;
};

/// The bytes [Begin, End) of a file.
struct SourceSpan {
  std::string File;
  unsigned Begin = 0, End = 0;
};

//===-- How sure ---------------------------------------------------------===//

/// Where a number comes from.
enum class Origin : uint8_t {
  Proved,    ///< follows from the source
  Estimated, ///< a bound or a model's value
  Measured,  ///< asked of a tool or a device (ptxas, nvidia-smi)
  Told,      ///< by the user: an option or a comment
};

/// Every reason for which something is refused or left alone. Texts, remedies
/// and the documentation table live in plan/Reasons.
enum class Reason : uint8_t {
  // Nothing to do.
  Fits,           ///< the footprint fits in L1
  NoReuse,        ///< no line is used again by a later iteration
  NoLoop,         ///< the kernel has no loop
  NoGlobalAccess, ///< the loop touches no memory that L1 caches
  // Not known.
  UnknownLaunch,      ///< no launch gives the block size
  UnknownStride,      ///< a stride is known only at run time
  UnknownTripCount,   ///< a loop bound is known only at run time
  Irregular,          ///< an index depends on loaded data
  TooComplex,         ///< the counting quota ran out
  RegistersEstimated, ///< no assembler confirmed the register numbers
  IndexVaries,        ///< an array index that unrolling does not make constant
  NotInstantiated,    ///< a template that this file never instantiates
  // Not worth it.
  CannotFit,         ///< even one warp of one block overflows L1
  SmallGain,         ///< predicted gain below the threshold
  Forced,            ///< --force says so
  CannotReachTarget, ///< no value can be moved that brings registers down
  TooCostly,         ///< computing it again takes longer than keeping it
  OperandsGone,      ///< what it is computed from would have to be kept
  // Not safe.
  DivergentBarrier,   ///< no statement around the loop is reached by all
  BarrierInside,      ///< __syncthreads or another block-wide wait inside
  WarpsCommunicate,   ///< polling, locks, volatile or atomic loop exits
  LeavesStatement,    ///< return/break/continue/goto out, before sm_70
  JumpInto,           ///< a label inside that a goto outside targets
  InlineAssembly,     ///< asm that is not known to be harmless
  CooperativeLaunch,  ///< launched cooperatively: blocks wait for each other
  ThreadsExitedEarly, ///< some threads returned before, before sm_70
  LaunchedElsewhere,  ///< a launch not in sight may exceed a launch bound
  AddressTaken,       ///< something else may reach the variable
  MayChange,          ///< computed again, it may be another value
  Redefined,          ///< it, or what it is computed from, is assigned again
  MayContract,        ///< computed again, it may be rounded differently
  // Not editable.
  InMacro,              ///< written by a macro
  InSystemHeader,       ///< not the user's file
  OtherFile,            ///< in a header that --header-filter leaves alone
  CalledTwice,          ///< in a device function with several callers
  InstantiationsDiffer, ///< instantiations of one template want different edits
  Suppressed,           ///< catt: off or NOLINT
  AlreadyRewritten,     ///< carries this tool's marker
  LaunchNotEditable,    ///< the launch cannot be edited, or is not visible
  BoundsExist,          ///< the kernel has launch bounds of its own
  ToolkitTooOld,        ///< the toolkit lacks what would be written
  NotEnoughShared,      ///< shared memory left is too small to reserve
  BrokenCode,           ///< an error in the kernel's own code
  LoopDeclaresResult,   ///< a declaration stops the statement being wrapped
  TypeNotPlain,         ///< no arithmetic, pointer or CUDA vector type
  ConstObject,          ///< a const object cannot be loaded back
  HeaderVariable,       ///< declared or assigned in the head of a statement
};

/// A refusal is a result: what, where, and the names that the text needs.
struct Refusal {
  Reason Why;
  Location Where;
  std::string Detail; ///< "the macro FOR_EACH", "the call to __syncthreads()"
};

//===-- Source -----------------------------------------------------------===//

/// Extents of a block or grid; what is not known stays empty.
struct Shape {
  std::optional<int64_t> X, Y, Z;
  /// The product, if all three are known.
  std::optional<int64_t> count() const {
    if (!X || !Y || !Z)
      return std::nullopt;
    return *X * *Y * *Z;
  }
};

/// The text of a `<<<>>>` launch, for who puts a call into its arguments.
struct LaunchText {
  SourceSpan Config;      ///< from "<<<" to behind ">>>"
  std::string Kernel;     ///< an expression that names exactly the kernel there
  std::string Obstacle;   ///< why no call can stand there, in words; or empty
  std::string PlainBlock; ///< the block, if it may be read twice; or empty
  /// Where the declaration at file scope begins that holds the launch, and
  /// before it the beginnings of those above, the nearest first.
  std::vector<unsigned> Tops;
};

/// One launch of a kernel that the program (or the user) shows.
struct Launch {
  Location Where; ///< of the launch, or of the comment that tells it
  Origin From = Origin::Proved;
  Shape Grid, Block;
  std::optional<int64_t> DynamicSharedBytes;
  bool Cooperative = false;
  std::string Text; ///< "<<<grid, 256>>>"
  /// Parameters whose argument folds to a constant at this launch.
  std::map<std::string, int64_t> Arguments;
  /// For `<<<>>>` in an editable file: the bytes of the third (dynamic shared
  /// memory) configuration argument, empty span at the place where it would be
  /// inserted if absent.
  std::optional<SourceSpan> SharedArgument;
  /// The whole statement that holds the launch, where an edit can put another
  /// statement before it.
  std::optional<SourceSpan> Statement;
  /// The callee as it is spelled: "gesummv<float>".
  std::string Callee;
  /// Absent where no `<<<>>>` stands in an editable file.
  std::optional<LaunchText> Written;
};

enum class AddressSpace : uint8_t { Global, Shared, Local, Constant, Texture };

/// An affine condition: the access happens only where Condition >= 0.
struct Guard {
  AffineIndex Condition;
};

/// One memory reference. `tmp[i] += x` is one reference that reads and writes.
struct Access {
  Location Where;
  std::string Text;    ///< as written: "A[i * n + j]"
  std::string Base;    ///< the object it is based on: "A"
  unsigned BaseId = 0; ///< equal ids: offsets count from the same address
  AddressSpace Space = AddressSpace::Global;
  bool Reads = false, Writes = false, Atomic = false, Volatile = false;
  bool ThroughL1 = true; ///< false for __ldcg, __stcs and the like
  unsigned SizeBytes = 0;
  /// Bytes from the base; std::nullopt is irregular, and `Irregularity` says
  /// why. The base is assumed to be aligned to a line, as cudaMalloc's are.
  std::optional<AffineIndex> Offset;
  std::optional<Refusal> Irregularity;
  /// The innermost loop around it, by Loop::Id.
  std::optional<unsigned> Loop;
  /// Conditions under which it happens, outermost first. If GuardsKnown is
  /// false there are others, which could not be expressed: counts are then
  /// upper bounds.
  std::vector<Guard> Guards;
  bool GuardsKnown = true;
};

/// The statements that a loop over warp groups can go around: whole statements
/// of one compound statement, reached by all (non-exited) threads together.
struct WrapSite {
  SourceSpan Span;        ///< from the first token to behind the last one
  Location Where;         ///< of the first token
  bool OwnLines = true;   ///< nothing else stands on its first and last line
  bool NeedsSm70 = false; ///< threads may have exited before or leave inside
  /// Warp-wide intrinsics inside: whole warps must stay in one group, whatever
  /// the shape of the block.
  bool WarpSynchronous = false;
  /// Enclosing loops of the same kernel that repeat the barrier, by Loop::Id.
  std::vector<unsigned> RepeatedBy;
};

/// A loop as the kernel executes it; a loop in a device function appears once
/// for each call path.
struct Loop {
  unsigned Id = 0; ///< index in Kernel::Loops; parents come before children
  std::optional<unsigned> Parent;
  Location Where;
  SourceSpan Span;
  std::string Header;   ///< "for (int j = 0; j < n; ++j)"
  std::string Iterator; ///< "j", empty if there is none
  std::string Function; ///< the function whose text holds it
  /// Iterations, where it can be expressed. May depend on threads.
  std::optional<AffineIndex> TripCount;
  /// True if the last iteration can come early (break, return, other exits):
  /// TripCount is then an upper bound.
  bool MayExitEarly = false;
  bool HasUnrollPragma = false;
  /// Arithmetic operations of one iteration outside inner loops (a count of
  /// AST operators on arithmetic types, calls of math functions count 8).
  unsigned Operations = 0;
  std::optional<WrapSite> Site;  ///< if absent, Refusals says why
  std::vector<Refusal> Refusals; ///< what stands against splitting
};

struct Parameter {
  std::string Name;
  std::string Type; ///< as written
  bool IsPointer = false, IsInteger = false, IsRestrict = false;
  /// Its name means its first value everywhere in the kernel: never assigned,
  /// never hidden by another declaration.
  bool IsFixed = false;
};

/// A statement of the kernel's own body, around which text can be put. Labels
/// and compound statements are none; what they hold is.
struct BodyStatement {
  std::optional<unsigned> Parent; ///< the statement that holds it
  SourceSpan Span;                ///< with its semicolon; empty: not editable
  Location Where, End;            ///< of its first and last token
  unsigned Block = 0;             ///< equal for those of one compound statement
  std::vector<LineRange> Calls;   ///< the functions that it calls, transitively
  std::optional<unsigned> Loop;   ///< innermost loop around it, by Loop::Id
  std::optional<unsigned> Is;     ///< the loop that it is, by Loop::Id
  bool OwnLines = true;           ///< as WrapSite::OwnLines
  bool Unbraced = false; ///< needs braces if another statement is added to it
  bool Declares = false; ///< a declaration, which braces would hide
  bool Leaves = false;   ///< nothing behind it runs: return, break, continue
};

/// Where a value is read or written.
struct ValueEvent {
  unsigned Statement = 0; ///< index in Kernel::Statements
  Location Where;
  bool Defines = false, Uses = false;
  /// In the condition or the step of the statement: the value is needed in
  /// registers for as long as the statement runs.
  bool InHead = false;
  /// Of an array: "a[i][j]" and the flat index "(i) * 8 + (j)"; both empty if
  /// the event concerns the whole array.
  std::string Element, Index;
  std::optional<int64_t> ConstantIndex;
  bool FoldsWhenUnrolled = false; ///< the index is constant once loops unroll
};

/// What a value with a single definition was computed from.
struct Initializer {
  SourceSpan Span; ///< of the expression; empty: not editable
  std::string Text;
  unsigned Operations = 0; ///< as Loop::Operations; a special register counts 1
  unsigned Loads = 0;      ///< of memory that never changes
  std::vector<std::string> Reads;   ///< local variables and parameters, sorted
  std::optional<Refusal> MayDiffer; ///< why a second evaluation may differ
  /// Why its last bits may differ where it stands among other statements.
  std::optional<Refusal> MayContract;
};

/// A local variable of a kernel's own body that registers may hold: a scalar,
/// a CUDA vector, an array of them, a struct, or a part of a struct: "p.v".
struct ThreadValue {
  std::string Name;
  std::string Variable;            ///< that it is, or is a part of
  std::vector<std::string> Pieces; ///< of "p[i].v[j]": "p", ".v", ""
  std::vector<size_t> Copies; ///< values assigned to it as they are, by index
  std::string Type; ///< of one element, canonical: "float", "const int *"
  Location Where, ScopeEnd;
  SourceSpan Scope;                ///< from behind its declaration
  unsigned Declaration = 0;        ///< index in Kernel::Statements
  unsigned ElementBytes = 0;       ///< of one element, all fields together
  std::vector<std::string> Fields; ///< of a CUDA vector: "x", "y"
  std::vector<int64_t> Extents;    ///< of an array; empty: no array
  bool IsConst = false;
  SourceSpan ConstWord; ///< with which nothing would change; empty: none
  std::vector<ValueEvent> Events;  ///< in the order of the text
  std::optional<Initializer> Only; ///< if its declaration defines it for good
  std::vector<Refusal> Refusals;   ///< why it cannot live in memory for a while
  int64_t elements() const {
    int64_t Count = 1;
    for (int64_t E : Extents)
      Count *= E;
    return Count;
  }
  bool isPart() const { return Name != Variable; }
  std::string element(const std::vector<std::string> &Indices) const {
    std::string Out = Pieces.front();
    for (size_t I = 0; I < Indices.size(); ++I)
      Out += "[" + Indices[I] + "]" + Pieces[I + 1];
    return Out;
  }
};

/// Where a macro's text, or that of another file, names something otherwise
/// than to read it.
struct Mention {
  std::string Name;
  unsigned At = 0;     ///< offset in the kernel's file
  bool IsHere = false; ///< there is such an offset; else it may be anywhere
  Location Where;
};

/// A kernel: one template instantiation is one kernel.
struct Kernel {
  std::string Name;            ///< "ns::gesummv<float>"
  std::string UnqualifiedName; ///< "gesummv"
  Location Where;              ///< of its name
  SourceSpan Span;             ///< the definition, from its first token
  /// The lines of the kernel and of every function that it reaches.
  std::vector<LineRange> Lines;
  /// Behind the body's opening brace: where statements can be added first.
  unsigned BodyBegin = 0;
  std::vector<Parameter> Parameters;
  int64_t StaticSharedBytes = 0;
  bool UsesDynamicShared = false;
  std::optional<int64_t> MaxThreads; ///< __launch_bounds__, first argument
  std::optional<int64_t> MinBlocks;  ///< __launch_bounds__, second argument
  std::vector<Launch> Launches;
  /// True if nothing outside this file can launch it (internal linkage).
  bool AllLaunchesVisible = false;
  std::vector<Loop> Loops;
  std::vector<Access> Accesses;
  std::vector<BodyStatement> Statements; ///< in the order of the text
  std::vector<ThreadValue> Values;
  /// Offsets in its file of names that do nothing but read a variable, in
  /// ascending order (safety/PlainReads.h).
  std::vector<unsigned> PlainReads;
  std::vector<Mention> MacroMentions;
  std::vector<Refusal> Refusals; ///< why it cannot be analysed or edited
  /// Where its threads or blocks may wait for others, __syncthreads() apart,
  /// or are not known not to: no block may be taken away from an SM.
  std::vector<Refusal> Waits;
};

/// True if loop Inner is Outer or inside it. No loop is inside none.
inline bool isInside(const Kernel &K, std::optional<unsigned> Inner,
                     unsigned Outer) {
  while (Inner && *Inner != Outer)
    Inner = K.Loops[*Inner].Parent;
  return Inner.has_value();
}

/// True if no loop stands inside it.
inline bool isInnermost(const Kernel &K, unsigned Loop) {
  for (const catt::Loop &L : K.Loops)
    if (L.Parent == Loop)
      return false;
  return true;
}

//===-- Measures ---------------------------------------------------------===//

/// What limits the number of resident blocks.
enum class Limiter : uint8_t { Warps, Blocks, Registers, SharedMemory, Grid };

/// Blocks on one SM, and the L1 that they leave (MODEL.md section 2).
struct Residency {
  int64_t WarpsPerBlock = 0, BlocksPerSM = 0;
  Limiter LimitedBy = Limiter::Warps;
  int64_t CarveoutBytes = 0; ///< shared-memory part of the unified memory
  int64_t L1Bytes = 0;       ///< what is left of it for L1D
  Origin From = Origin::Proved;
  int64_t activeWarps() const { return WarpsPerBlock * BlocksPerSM; }
};

/// Lines that one iteration of one loop level touches (MODEL.md section 4).
struct LevelFootprint {
  unsigned Loop = 0;
  int64_t LinesPerWarp = 0;  ///< of the warp that touches most
  int64_t LinesPerBlock = 0; ///< distinct lines of all warps of a block
  int64_t LinesShared = 0;   ///< of those, lines that every block touches
  int64_t SectorsPerBlock = 0;
  /// Warps per group -> distinct lines of the group that touches most, for the
  /// groups [g*w, (g+1)*w) and each w = ceil(W / N) that some N gives.
  std::map<int64_t, int64_t> LinesByWarps;
  /// True if a later iteration of this level uses some of the lines again.
  bool Reuse = false;
  Origin From = Origin::Proved; ///< Estimated: an upper bound
};

/// What one iteration of a loop asks of the memory, for one warp, with all
/// loops inside it run completely. New sectors shared by the warps of a block
/// are divided among them; once lost, each warp fetches them for itself.
struct LoopWork {
  double Lookups = 0; ///< lines looked up in L1
  /// Turns that L1's 32 banks of 4 bytes need for these: of the words of one
  /// access of a warp, those in the bank that holds most.
  double BankTurns = 0;
  double Loads = 0;        ///< load instructions
  double LoadsNew = 0;     ///< of those, that meet a sector for the first time
  double LoadsAgain = 0;   ///< that meet one of an earlier iteration
  double LoadsTwice = 0;   ///< as SectorsTwice
  double SectorsNew = 0;   ///< from below L1 even if all else stays
  double SectorsAgain = 0; ///< that an earlier iteration fetched
  /// Touched before by this iteration; of an innermost loop only.
  double SectorsTwice = 0;
  double SectorsStored = 0;          ///< written through L1
  bool Stores = false;               ///< global memory is written in the loop
  std::optional<int64_t> Iterations; ///< of the loop
};

/// What is known of one loop under one launch.
struct LoopProfile {
  unsigned Loop = 0;
  std::vector<LevelFootprint> Levels; ///< this loop, then its ancestors
  std::optional<Refusal> Unknown;     ///< why a level could not be counted
  /// For a loop whose lines do not all fit: what the time model needs.
  std::optional<LoopWork> Work;
};

//===-- Decisions --------------------------------------------------------===//

/// An input of the kernel that it can test: Parameter >= From.
struct RuntimeBound {
  /// An integer parameter, "blockDim.x", or a product of extents of the grid.
  std::string Parameter;
  int64_t From = 0;
  bool operator==(const RuntimeBound &) const = default;
};

/// A decision left to run time: WarpsPerGroup where Parameter >= From,
/// Parameter is a multiple of MultipleOf, and every bound of And holds.
struct RuntimeCase {
  std::string Parameter; ///< as of a RuntimeBound
  int64_t From = 0;
  int64_t WarpsPerGroup = 0;
  std::vector<RuntimeBound> And = {};
  /// Not 0 where the block size is not known: so many groups of whole warps,
  /// and WarpsPerGroup has no meaning.
  int64_t Groups = 0;
  int64_t MultipleOf = 1;
};

/// What a launch with at least so many threads per block asks of the host.
struct LaunchCase {
  int64_t FromThreads = 1;
  int64_t ReserveBytes = 0; ///< as KernelPlan::ReserveSharedBytes, 0: none
  std::optional<int64_t> CarveoutPercent;
};

/// --force: a decision that the user takes. "gesummv:j=4,2"
struct ForcedChoice {
  std::string Kernel; ///< Kernel::Name or UnqualifiedName
  std::string Loop;   ///< Loop::Iterator, or Loop::Id in decimals
  int64_t Groups = 1;
  std::optional<int64_t> BlocksRemoved; ///< M; absent: none
  std::string Text;                     ///< as given
};

/// The decision for one loop. Groups == 1 leaves it alone, and Why says why.
struct LoopPlan {
  unsigned Loop = 0;
  /// Empty, or: the last case that holds decides, and where none does the loop
  /// runs undivided. From ascends; Groups is then the largest of all cases.
  std::vector<RuntimeCase> Cases;
  int64_t WarpsPerGroup = 0;       ///< active warps per block while it runs
  int64_t Groups = 1;              ///< N of CATT equation 9
  int64_t FootprintBytes = 0;      ///< of all resident warps, as it is
  int64_t FootprintBytesAfter = 0; ///< with the decision applied
  int64_t LinesPerWarp = 0;
  std::optional<Refusal> Why; ///< empty: it is to be split
  /// Predicted time before / after, where the time model was asked.
  std::optional<double> PredictedGain;
  /// The model's own error of that ratio: it lies between gain / (1 + error)
  /// and gain * (1 + error) for two thirds of the loops it was not fitted on.
  double GainError = 0;
  /// Longest stride between neighbouring lanes, where the layout is the cause.
  std::optional<int64_t> LaneStrideBytes;
  std::string Reference; ///< the reference that costs most: "A[i * n + j]"
};

/// The decisions for one kernel under its launches.
struct KernelPlan {
  std::optional<Residency> Before, After;
  std::optional<unsigned> LaunchIndex; ///< the launch that decided
  std::vector<LoopPlan> Loops;
  int64_t BlocksRemoved = 0; ///< M of CATT equation 9
  /// reserve-shared: bytes per block that bring residency down to After.
  std::optional<int64_t> ReserveSharedBytes;
  /// prefer-l1: percentage for cudaFuncAttributePreferredSharedMemoryCarveout.
  std::optional<int64_t> CarveoutPercent;
  /// The same two for launches whose block size only the run knows, by threads
  /// per block: the last case that is reached counts. Both above are then
  /// empty.
  std::vector<LaunchCase> ByThreads;
  std::vector<Refusal> Refusals;
};

} // namespace catt

#endif
