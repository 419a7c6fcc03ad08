//===- Reasons.cpp - Every reason to refuse or to leave alone -------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/model/Reasons.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;

namespace catt {
namespace {

using enum ReasonKind;

constexpr ReasonInfo Table[] = {
    {Reason::Fits, NothingToDo, "fits", "footprint of all resident warps <= L1",
     "the lines that the loop uses again fit in L1 ({all resident warps})",
     "nothing needs to be done"},
    {Reason::NoReuse, NothingToDo, "no-reuse",
     "no line is touched by two iterations (CATT equation 6)",
     "no iteration of the loop uses a cache line again "
     "({each one touches new lines})",
     "nothing needs to be done: L1 cannot help here"},
    {Reason::NoLoop, NothingToDo, "no-loop", "Kernel::Loops is empty",
     "the kernel has no loop ({nothing repeats})", "nothing needs to be done"},
    {Reason::NoGlobalAccess, NothingToDo, "no-global-access",
     "no access of the loop goes through L1",
     "the loop touches no memory that L1 caches "
     "({registers and shared memory only})",
     "nothing needs to be done"},
    {Reason::CoveredByOther, NothingToDo, "covered-by-other",
     "a loop around it, or inside it, is split into groups",
     "its cache lines stay because of the split of another loop ({in the same "
     "nest})",
     "nothing needs to be done"},
    {Reason::RowsStaged, NothingToDo, "rows-staged",
     "the warp loads and stores the rows that it walks together",
     "its cache lines are no longer needed: the warp loads or stores {the "
     "rows} together, through shared memory",
     "nothing needs to be done"},
    {Reason::UnknownLaunch, NotKnown, "unknown-launch",
     "no launch gives a block size that folds",
     "the block size is not known ({no launch in sight gives it})",
     "give the file that launches it, too, or --launch='kernel=grid:block', or "
     "a comment '// catt: launch(grid=..., block=...)' at the kernel"},
    {Reason::UnknownStride, NotKnown, "unknown-stride",
     "a coefficient of the index is a parameter without a value",
     "the distance between accesses is known only at run time "
     "({it depends on a parameter})",
     "give the value with --assume=name=value or in the launch comment"},
    {Reason::UnknownTripCount, NotKnown, "unknown-trip-count",
     "a bound of the loop, or of one inside it, is a parameter without a value",
     "the number of iterations is known only at run time "
     "({it depends on a parameter})",
     "give the value with --assume=name=value or in the launch comment"},
    {Reason::Irregular, NotKnown, "irregular",
     "an index is no polynomial over threads, iterators and parameters",
     "where the loop reads or writes cannot be told from the source "
     "({an index depends on loaded data})",
     "nothing needs to be done: such accesses are never throttled"},
    {Reason::DataDecides, NotKnown, "data-decides",
     "the condition around the loop, or its limit, is loaded",
     "how many threads run the loop, or how often, is known only to the data, "
     "and with it what fewer warps would gain ({a condition is loaded})",
     "let launches find it out with --decide=run, or decide it with --force"},
    {Reason::TooComplex, NotKnown, "too-complex",
     "the operation quota of the counting ran out",
     "counting the cache lines of the loop takes too long "
     "({its indices are too complex})",
     "simplify the index expressions, or give sizes with --assume=name=value"},
    {Reason::RegistersEstimated, NotKnown, "registers-estimated",
     "RegisterPoint::From is Estimated",
     "the register numbers are an estimate ({no ptxas was asked})",
     "ask the assembler with --ptxas, or decide it yourself with --force"},
    {Reason::IndexVaries, NotKnown, "index-varies",
     "an array index that is not constant once loops are unrolled",
     "an index of the array is known only at run time "
     "({it is not made of constants and unrolled loops' variables})",
     "unroll the loops around it with #pragma unroll, or index the array with "
     "constants"},
    {Reason::NotCounted, NotKnown, "not-counted",
     "the loop is no for (i = a; i < n; ++i) whose n stays",
     "the loop cannot run in tiles ({its header is not plain})",
     "write it as for (int i = first; i < n; ++i), with an n that the loop "
     "does not change"},
    {Reason::NotInstantiated, NotKnown, "not-instantiated",
     "a template without an instantiation in this translation unit",
     "the template is never instantiated in this file "
     "({its types and sizes are not known})",
     "run the tool on a file that instantiates it"},
    {Reason::NeverResident, NotWorthIt, "never-resident",
     "residency() finds no block that fits on an SM",
     "no SM of this GPU can hold a block of the launch ({it asks for too "
     "much})",
     "use smaller blocks, or less shared memory or fewer registers; or plan "
     "for another GPU with --gpu"},
    {Reason::CannotFit, NotWorthIt, "cannot-fit",
     "even one warp of one block overflows L1 (CATT section 4.2)",
     "throttling cannot make the loop fit in L1 "
     "({even one warp of one block touches more})",
     "split the loop into smaller tiles, or change the layout of the data"},
    {Reason::SmallGain, NotWorthIt, "small-gain",
     "predicted gain below --min-gain or below the model's error",
     "no choice of warps is predicted to gain enough ({below the threshold})",
     "leave it; --min-gain sets the threshold, --model=catt applies the "
     "paper's rule instead"},
    {Reason::Forced, NotWorthIt, "forced", "--force asks for one group",
     "--force asks for the loop as it is ({one group})",
     "take --force away to let the "
     "model decide"},
    {Reason::MeasuredAsWritten, NotWorthIt, "measured-as-written",
     "an entry of .catt has the variant 'as written'",
     "nothing was measured to be faster than the kernel as it is written "
     "({by catt-tune})",
     "leave it, or take the kernel's entry out of 'measured' in .catt to let "
     "the model decide"},
    {Reason::CannotReachTarget, NotWorthIt, "cannot-reach-target",
     "no candidate lowers the registers at the peak",
     "no value can be moved out of the registers where they are short "
     "({none stays unused there})",
     "use fewer values at a time, or ask for a higher target"},
    {Reason::TooCostly, NotWorthIt, "too-costly",
     "a load, a division, a call or too many operations (TLP-RM section 2.2)",
     "computing the value again would take too long "
     "({more than a few simple operations})",
     "leave it to spilling"},
    {Reason::OperandsGone, NotWorthIt, "operands-gone",
     "an operand without a later use, or of a type that asm cannot hold",
     "what the value is computed from would have to be kept for it "
     "({nothing else uses it later})",
     "compute it from values that are used later all the same"},
    {Reason::DivergentBarrier, NotSafe, "divergent-barrier",
     "no enclosing statement is reached by all non-exited threads together",
     "a barrier around the loop would not be reached by all threads of the "
     "block ({the loop stands in divergent control flow})",
     "move the loop out of the condition, or make the condition the same for "
     "the whole block"},
    {Reason::BarrierInside, NotSafe, "barrier-inside",
     "a block-wide wait inside the statement to wrap",
     "the loop itself waits for all warps of the block "
     "({__syncthreads() or another block-wide wait})",
     "nothing can be done here: its warps have to run together"},
    {Reason::WarpsCommunicate, NotSafe, "warps-communicate",
     "an exit depends on memory that others may write, or code that is not "
     "seen",
     "warps may wait for each other ({polling or a lock})",
     "nothing can be done here: its warps have to run together"},
    {Reason::LeavesStatement, NotSafe, "leaves-statement",
     "return, break, continue or goto out of the statement, before sm_70",
     "{a jump} leaves the statement, and before sm_70 the threads that jump "
     "would be missing at the barrier",
     "restructure the jump as a condition, or build for sm_70 or later"},
    {Reason::EndsEarly, NotSafe, "ends-early",
     "a break or return in a loop whose rows would be loaded together",
     "the loop may end early, and a row need not be longer than it comes to "
     "({a jump})",
     "run the loop to its end, with what follows the jump under a condition, "
     "if the row is as long as the limit says"},
    {Reason::JumpInto, NotSafe, "jump-into",
     "a label inside is the target of a goto outside",
     "{a goto} jumps into the statement from outside", "replace the goto"},
    {Reason::InlineAssembly, NotSafe, "inline-assembly",
     "asm that is not on the list of harmless instructions",
     "the loop contains inline assembly that is not known to be harmless "
     "({asm})",
     "replace it by an intrinsic if there is one"},
    {Reason::CooperativeLaunch, NotSafe, "cooperative-launch",
     "cudaLaunchCooperativeKernel, or a grid-wide wait",
     "the kernel is launched cooperatively, so its blocks may wait for each "
     "other ({cooperative launch})",
     "launch it with <<<>>> if it does not need a grid-wide barrier"},
    {Reason::ThreadsExitedEarly, NotSafe, "threads-exited-early",
     "an earlier return of some threads, before sm_70",
     "some threads may have returned before the loop, and before sm_70 the "
     "barrier waits for them ({early return})",
     "turn the early return into a condition around the work, or build for "
     "sm_70 or later"},
    {Reason::LaunchedElsewhere, NotSafe, "launched-elsewhere",
     "external linkage, a header, a use that is no launch, or a block size "
     "that does not fold",
     "a launch with more threads than its bound fails, and not every launch "
     "is in sight ({other files may launch the kernel})",
     "make the kernel static and launch it only here, or say --whole-program "
     "with all files that launch it, or write a bound on registers alone with "
     "--bounds=maxnreg, or use --force"},
    {Reason::AddressTaken, NotSafe, "address-taken",
     "a pointer, a reference or a lambda's capture may reach the variable",
     "something else may read or write the variable ({its address is taken})",
     "pass it by value, or copy it into a variable of its own"},
    {Reason::MayChange, NotSafe, "may-change",
     "a call, a volatile access or a load of memory that may be written",
     "computed a second time it may be another value ({a load or a call})",
     "read read-only data through const __restrict__ pointers or __ldg"},
    {Reason::Redefined, NotSafe, "redefined",
     "several definitions of the value, or one of an operand in its scope",
     "the value has no single definition that still holds later "
     "({it is assigned again})",
     "give each value a variable of its own"},
    {Reason::MayContract, NotSafe, "may-contract",
     "a floating-point product, which may be fused with an addition elsewhere",
     "computed a second time, kept in memory or kept apart by a barrier, it "
     "may "
     "be rounded differently "
     "({a product that may be fused with a sum})",
     "use __fmul_rn and __fadd_rn, or compile with -fmad=false"},
    {Reason::MayAlias, NotSafe, "may-alias",
     "a store of the loop through a pointer that may point into the row",
     "what the loop stores may be what it reads ({two pointers})",
     "declare a pointer that is only read __restrict__, if nothing of what it "
     "points to is written by the kernel"},
    {Reason::InMacro, NotEditable, "in-macro",
     "the edit would fall inside a macro expansion",
     "{a macro} stands in the way of the edit",
     "write the code out, or move it so that whole statements stand in the "
     "file"},
    {Reason::InSystemHeader, NotEditable, "in-system-header",
     "the location is in a system header",
     "the code stands in {a system header}",
     "copy it into your own sources if you want it changed"},
    {Reason::OtherFile, NotEditable, "other-file",
     "not the main file, and --header-filter does not match",
     "the code stands in another file ({a header})",
     "allow it with --header-filter=<regular expression>"},
    {Reason::CalledTwice, NotEditable, "called-twice",
     "a device function with several callers that want different edits",
     "the loop stands in a device function with several callers "
     "({not all of them want the change})",
     "give each caller its own copy of the function"},
    {Reason::CalledElsewhere, NotEditable, "called-elsewhere",
     "a device function that is no function of one kernel alone",
     "the variables are those of a function that this kernel does not have to "
     "itself ({others may call it})",
     "make it a static __device__ function that this kernel alone calls"},
    {Reason::EditsOverlap, NotEditable, "edits-overlap",
     "an edit overlaps what another transform replaces",
     "two changes of this run stand in the same text ({in this kernel})",
     "name one of the two transforms with --transforms"},
    {Reason::InstantiationsDiffer, NotEditable, "instantiations-differ",
     "instantiations of one template have different plans",
     "instantiations of the template want different changes "
     "({the footprints differ})",
     "specialize the template for the types that need it"},
    {Reason::Suppressed, NotEditable, "suppressed",
     "'catt: off' or NOLINT at the location",
     "a comment asks to leave it alone ({catt: off or NOLINT})",
     "remove the comment if you want the change"},
    {Reason::AlreadyRewritten, NotEditable, "already-rewritten",
     "the marker of an earlier run",
     "it was rewritten before ({it carries this tool's marker})",
     "use --revert to get the original back"},
    {Reason::NotSelected, NotEditable, "not-selected",
     "the transform that would do it is not among those of --transforms",
     "--transforms leaves out what would do it ({split-warp-groups})",
     "add it to --transforms"},
    {Reason::LaunchNotEditable, NotEditable, "launch-not-editable",
     "a launch that is not visible, in a macro, or not <<<>>>",
     "the launch would have to change and cannot ({it is not in sight})",
     "write the launch as kernel<<<...>>>(...) in a file that may be edited"},
    {Reason::CannotTry, NotEditable, "cannot-try",
     "--decide=run, where no second kernel or no trial can stand",
     "its launches cannot find out what is faster ({a launch is no statement "
     "of "
     "its own}), so that the model decides",
     "write each launch as a statement of its own behind the kernel, in the "
     "kernel's file"},
    {Reason::CannotSlice, NotEditable, "cannot-slice",
     "--decide=slices, where a part of the grid can be no launch",
     "its launches cannot run in parts of their grid ({'f' asks for "
     "blockIdx}), so that whole launches find out what is faster",
     "hand the number of the block to functions as an argument, and name the "
     "launch's arguments before it"},
    {Reason::BoundsExist, NotEditable, "bounds-exist",
     "__launch_bounds__ or __maxnreg__ in the declaration",
     "the kernel has bounds of its own ({__launch_bounds__})",
     "change them by hand, or let --force do it"},
    {Reason::ToolkitTooOld, NotEditable, "toolkit-too-old",
     "__maxnreg__ with a toolkit before CUDA 12.4",
     "the CUDA toolkit does not know {__maxnreg__}",
     "use --bounds=launch-bounds, or CUDA 12.4 or later"},
    {Reason::NotEnoughShared, NotEditable, "not-enough-shared",
     "no legal amount of shared memory gives the blocks per SM",
     "too little shared memory is left to limit the blocks per SM with "
     "({the limit per block is reached})",
     "use less shared memory, or smaller blocks"},
    {Reason::NotEnoughRegisters, NotEditable, "not-enough-registers",
     "what is added takes registers, and the block may not have them",
     "a block this large may not have the registers that a change takes "
     "({it could no longer be launched})",
     "give the kernel __launch_bounds__ with its largest block, to which the "
     "compiler then keeps"},
    {Reason::BrokenCode, NotEditable, "broken-code",
     "a compile error inside the kernel",
     "the kernel has {an error of its own}", "fix the error first"},
    {Reason::LoopDeclaresResult, NotEditable, "loop-declares-result",
     "a declaration in the statements to wrap is used after them",
     "a declaration that is used later stands in the way of the wrapping "
     "({its scope would end too early})",
     "declare the variable before the loop"},
    {Reason::TypeNotPlain, NotEditable, "type-not-plain",
     "no arithmetic, pointer or CUDA vector type, or volatile",
     "values of this type are not moved ({a class, or volatile})",
     "use arithmetic types, pointers, CUDA's vector types, or structs that are "
     "nothing but such members"},
    {Reason::ConstObject, NotEditable, "const-object",
     "a const variable would have to be assigned",
     "the variable is const and cannot be loaded back ({const})",
     "take the const away"},
    {Reason::HeaderVariable, NotEditable, "header-variable",
     "declared or assigned in the head of a loop, an if or a switch",
     "the variable changes where no statement can be added "
     "({in the head of a loop})",
     "assign it in a statement of its own"},
    {Reason::BoundSpills, Warning, "bound-spills",
     "ptxas, or the estimate, spills under a bound and not without it",
     "a bound on registers is met only by spilling ({values go to memory})",
     "loosen the bound, or move values with --transforms=spill-shared"},
    {Reason::BoundNotReached, Warning, "bound-not-reached",
     "the blocks that fit by threads, shared memory and slots are fewer than "
     "the second argument of __launch_bounds__",
     "a bound asks for more blocks than fit on an SM ({other resources limit "
     "them})",
     "ask for as many as fit: for more, threads give up registers for nothing"},
    {Reason::MayNotLaunch, Warning, "may-not-launch",
     "the registers of a known block exceed those of an SM, and no bound says "
     "so to the compiler",
     "a launch fails for want of registers ({too many for its block})",
     "write __launch_bounds__ with the largest block, to which the compiler "
     "then keeps"},
    {Reason::OccupancyUnused, Warning, "occupancy-unused",
     "no statement reads what a call of cudaOccupancy... has stored",
     "the blocks that fit on an SM are asked for and not used ({the result is "
     "not read})",
     "use the result for the launch, or leave the call out"},
};

constexpr bool inOrder() {
  for (size_t I = 0; I < std::size(Table); ++I)
    if (Table[I].Why != Reason(I))
      return false;
  return std::size(Table) == size_t(Reason::OccupancyUnused) + 1;
}
static_assert(inOrder(), "one row per reason, in the order of Reason");

} // namespace

ArrayRef<ReasonInfo> allReasons() { return Table; }

const ReasonInfo &info(Reason Why) { return Table[size_t(Why)]; }

std::optional<Reason> findReason(StringRef Id) {
  const ReasonInfo *Row =
      find_if(Table, [&](const ReasonInfo &R) { return R.Id == Id; });
  if (Row == std::end(Table))
    return std::nullopt;
  return Row->Why;
}

StringRef name(ReasonKind Kind) {
  switch (Kind) {
  case NothingToDo:
    return "nothing-to-do";
  case NotKnown:
    return "not-known";
  case NotWorthIt:
    return "not-worth-it";
  case NotSafe:
    return "not-safe";
  case NotEditable:
    return "not-editable";
  case Warning:
    return "warning";
  }
  llvm_unreachable("all kinds are covered");
}

std::string whatText(const Refusal &R) {
  auto [Before, Rest] = info(R.Kind).What.split('{');
  auto [Default, After] = Rest.split('}');
  StringRef Middle = R.Detail.empty() ? Default : StringRef(R.Detail);
  return (Twine(Before) + Middle + After).str();
}

std::string userText(const Refusal &R) {
  return whatText(R) + "; " + info(R.Kind).Remedy.str();
}

} // namespace catt
