//===- Kernel.h - Loops, accesses and values of a kernel --------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   source text + compile flags
//     | parse        frontend/CudaFrontEnd        -> TranslationUnit
//     v
//   Kernel           source/Kernels, Launches     loops, accesses, launches
//     | measure      device/Occupancy             -> Residency
//     |              memory/Footprint, Reuse      -> LevelFootprint
//     v
//   LoopProfile
//     | plan         plan/throttle                pure arithmetic
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
#ifndef CATT_ANALYSIS_MODEL_KERNEL_H
#define CATT_ANALYSIS_MODEL_KERNEL_H

#include "analysis/model/AffineIndex.h"
#include "analysis/model/Launch.h"
#include "analysis/model/Refusal.h"
#include "analysis/model/RowLoop.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace catt {

enum class AddressSpace : uint8_t { Global, Shared, Local, Constant, Texture };

/// An affine condition: the access happens only where Condition >= 0.
struct Guard {
  AffineIndex Condition;
};

/// How a loop moves an access that begins where data says: the elements of
/// `A[idx[i] * m + j]` follow one another.
struct RowStep {
  unsigned Loop = 0; ///< Loop::Id
  int64_t Bytes = 0; ///< from one iteration to the next
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
  /// Of the object that it is a member of, up to 16, or its own: compilers load
  /// the members of a float4 that a thread needs at once.
  unsigned Alignment = 0;
  int64_t ArrayBytes = 0; ///< of the array that is named there; 0: not known
  /// Bytes from the base; std::nullopt is irregular, and `Irregularity` says
  /// why. The base is assumed to be aligned to a line, as cudaMalloc's are.
  std::optional<AffineIndex> Offset;
  std::optional<Refusal> Irregularity;
  std::optional<RowStep> Step; ///< of an irregular one, where it is known
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
  /// Data does not decide which threads come to it.
  bool GuardsKnown = true;
  /// True if the last iteration can come early (break, return, other exits):
  /// TripCount is then an upper bound.
  bool MayExitEarly = false;
  bool HasUnrollPragma = false;
  bool KeepsRolled = false; ///< a pragma says to unroll it in part, or not
  /// Arithmetic operations of one iteration outside inner loops (a count of
  /// AST operators on arithmetic types, calls of math functions count 8).
  unsigned Operations = 0;
  /// Of one iteration, at least, as compilers count them to unroll it whole.
  unsigned LeastInstructions = 0;
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

/// A device function that is called by one kernel alone, so that its text can
/// be changed for that kernel.
struct OwnFunction {
  std::string Name;
  Location Where;
  SourceSpan Span;        ///< the definition
  unsigned BodyBegin = 0; ///< as Kernel::BodyBegin
};

/// A statement of the kernel's body, or of a function of its own, around which
/// text can be put. Labels and compound statements are none; what they hold is.
struct BodyStatement {
  unsigned Function = 0; ///< one more than in Kernel::Functions; 0: the kernel
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

/// A local variable of a kernel's body, or of a function of its own, that
/// registers may hold: a scalar, a CUDA vector, an array of them, a struct, or
/// a part of a struct: "p.v".
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

/// 32-bit registers of one thread, which limit the blocks on an SM.
struct RegisterRange {
  int64_t Likely = 0; ///< that residency is computed with
  /// The bounds of what is known; equal to Likely where it is exact.
  int64_t Least = 0, Most = 0;
  Origin From = Origin::Estimated; ///< Measured: ptxas said it
  bool isExact() const { return Least == Most; }
};

/// Of a kernel whose body another function can have, too: offsets in its text.
struct KernelHead {
  unsigned Begin = 0; ///< of the declaration, `template` included
  unsigned Name = 0;  ///< of its name
  /// Its parameters, from "(" to behind ")".
  unsigned ParametersBegin = 0, ParametersEnd = 0;
  /// Of a template, what stands in "<" and ">", and the names: "T, Size".
  unsigned TemplateBegin = 0, TemplateEnd = 0;
  std::string TemplateArguments;
  /// Why a part of the grid can be no launch, in words; empty: it can.
  std::string NoSlices;
};

/// A kernel: one template instantiation is one kernel.
struct Kernel {
  std::string Name;            ///< "ns::gesummv<float>"
  std::string UnqualifiedName; ///< "gesummv"
  std::string Symbol;          ///< mangled; empty if other units cannot name it
  Location Where;              ///< of its name
  SourceSpan Span;             ///< the definition, from its first token
  /// Offset of the declaration at file scope that it is, or stands in.
  unsigned Top = 0;
  /// Why no other function can have its text, in words; empty: one can, under
  /// another name.
  std::string NoCopy = "it was not looked through";
  /// The lines of the kernel and of every function that it reaches.
  std::vector<LineRange> Lines;
  /// Behind the body's opening brace: where statements can be added first.
  unsigned BodyBegin = 0;
  std::optional<KernelHead> Head;
  std::vector<Parameter> Parameters;
  int64_t StaticSharedBytes = 0;
  bool UsesDynamicShared = false;
  std::optional<int64_t> MaxThreads;   ///< __launch_bounds__, first argument
  std::optional<int64_t> MinBlocks;    ///< __launch_bounds__, second argument
  std::optional<int64_t> MaxRegisters; ///< __maxnreg__; 0: cannot be read
  /// As it is compiled, bounds and callees included. Empty: nobody asked, and
  /// they do not limit.
  std::optional<RegisterRange> Registers;
  std::vector<Launch> Launches;
  /// True if nothing can launch it but what is seen: it has internal linkage,
  /// or the program is seen as a whole.
  bool AllLaunchesVisible = false;
  std::vector<Loop> Loops;
  std::vector<Access> Accesses;
  /// Of its own, callers before what they call.
  std::vector<OwnFunction> Functions;
  /// Why the values of other functions that it reaches are left in registers.
  std::vector<Refusal> ForeignFunctions;
  /// In the order of the text; those of functions behind those of the kernel.
  std::vector<BodyStatement> Statements;
  std::vector<ThreadValue> Values;
  /// Of its own body, in the order of the text, then of functions that nothing
  /// else calls.
  std::vector<RowLoop> RowLoops;
  /// Offsets in its file of names that do nothing but read a variable, in
  /// ascending order (safety/PlainReads.h); those in its functions, too.
  std::vector<unsigned> PlainReads;
  std::vector<Mention> MacroMentions;
  std::vector<Refusal> Refusals; ///< why it cannot be analysed or edited
  std::vector<Refusal> Warnings; ///< what its code asks for and does not get
  /// The function that a value is of, as BodyStatement::Function.
  unsigned functionOf(const ThreadValue &V) const {
    return Statements[V.Declaration].Function;
  }
  /// Where its threads or blocks may wait for others, __syncthreads() apart,
  /// or are not known not to: no block may be taken away from an SM.
  std::vector<Refusal> Waits;
  /// What it changes, or may, that is not in memory behind its arguments: "it
  /// uses the variable 'total'". Empty: nothing.
  std::string HiddenState;
};

} // namespace catt

#endif
