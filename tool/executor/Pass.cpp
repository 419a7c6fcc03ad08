//===- Pass.cpp - Makes CUDA compiled for the CPU run on the executor ------==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A clang pass plugin. A .cu file is compiled twice for this machine, once in
// clang's CUDA device view and once in its host view, and linked:
//
//   device   kernel k           -> "catt.kernel.k", each memory access, loop
//                                  head, barrier, warp operation and atomic
//                                  tells the executor (Abi.h) where it is
//            __shared__ T s[n]  -> @catt_simt_shared + offset, so that blocks
//                                  can interleave
//            everything else    -> internal, so that it meets no host symbol
//   host     __cudaRegisterFunction(stub of k, "k")
//                               -> also hands over a function that takes the
//                                  void ** of cudaLaunchKernel apart
//
// This runs before any optimization, after scalars have left memory: accesses
// are the ones in the source, except those of variables that live in registers.
// Limits: inline PTX as far as Assembly.cpp reads it, no separate compilation
// of device code, no textures; clang or the linker then fails with its own
// message.
//
//===----------------------------------------------------------------------===//

#include "tool/executor/Pass.h"
#include "tool/executor/Abi.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
namespace simt = catt::simt;

namespace {

/// The device header defines it; the host view has none.
constexpr StringLiteral DeviceMark = "catt_simt_device_view";

/// Of a name that linkers know the beginning and the end of.
constexpr StringLiteral SiteSection = "catt_sites";

/// Set by the executor whenever it switches threads; they never change while
/// one thread looks.
bool isBuiltinVariable(StringRef Name) {
  return Name == "threadIdx" || Name == "blockIdx" || Name == "blockDim" ||
         Name == "gridDim" || Name == "catt_simt_shared" ||
         Name == "catt_simt_dynamic_shared";
}

/// Calls F(annotated global, text, first integer argument or 0) for each
/// __attribute__((annotate)) of the module.
void forEachAnnotation(
    Module &M, function_ref<void(GlobalValue &, StringRef, uint64_t)> F) {
  GlobalVariable *All = M.getGlobalVariable("llvm.global.annotations");
  if (!All)
    return;
  for (Value *Entry : cast<ConstantArray>(All->getInitializer())->operands()) {
    auto *Fields = cast<ConstantStruct>(Entry);
    auto *Target =
        cast<GlobalValue>(Fields->getOperand(0)->stripPointerCasts());
    auto *Text = cast<GlobalVariable>(Fields->getOperand(1));
    uint64_t First = 0;
    if (auto *Args = dyn_cast<GlobalVariable>(Fields->getOperand(4)))
      if (auto *Values = dyn_cast<Constant>(Args->getInitializer()))
        if (auto *Number =
                dyn_cast_or_null<ConstantInt>(Values->getAggregateElement(0u)))
          First = Number->getZExtValue();
    F(*Target, cast<ConstantDataArray>(Text->getInitializer())->getAsCString(),
      First);
  }
}

//===-- Sites ---------------------------------------------------------------=//

/// Builds the Site constants of a module.
class SiteTable {
public:
  explicit SiteTable(Module &M) : M(M), B(M.getContext()) {
    Type *P = B.getPtrTy(), *I = B.getInt32Ty(), *L = B.getInt64Ty();
    SiteType = StructType::get(M.getContext(),
                               {P, P, I, I, I, I, I, I, L, L, I, I, I, I});
  }

  Constant *make(Function &F, const DILocation *At, simt::AccessKind Kind,
                 uint32_t Size, uint32_t Depth, uint32_t Align = 1,
                 bool Watches = false) {
    // What the executor's own headers do happens where they were called.
    while (At && At->getInlinedAt() &&
           At->getFilename().contains("include/catt_simt/"))
      At = At->getInlinedAt();
    StringRef Name = F.getName();
    if (DISubprogram *Sub = At ? At->getScope()->getSubprogram() : nullptr)
      Name = Sub->getName();
    Constant *Zero = B.getInt64(0);
    auto *Init = ConstantStruct::get(
        SiteType,
        {text(At ? At->getFilename() : "?"), text(Name),
         B.getInt32(At ? At->getLine() : 0),
         B.getInt32(At ? At->getColumn() : 0), B.getInt32(Kind),
         B.getInt32(Size), B.getInt32(Depth), B.getInt32(Align), Zero, Zero,
         B.getInt32(0), B.getInt32(0), B.getInt32(Watches), B.getInt32(0)});
    auto *Site = new GlobalVariable(
        M, SiteType, false, GlobalValue::InternalLinkage, Init, "catt.site");
    // One behind the other, as an array.
    Site->setSection(SiteSection);
    Site->setAlignment(llvm::Align(8));
    return Site;
  }

private:
  Constant *text(StringRef S) {
    Constant *&Known = Texts[S];
    if (!Known)
      Known = B.CreateGlobalString(S, "catt.text", 0, &M);
    return Known;
  }

  Module &M;
  IRBuilder<> B;
  StructType *SiteType;
  StringMap<Constant *> Texts;
};

//===-- Device: instrumentation ---------------------------------------------=//

class Instrumenter {
public:
  explicit Instrumenter(Module &M) : M(M), Sites(M), B(M.getContext()) {
    Type *V = B.getVoidTy(), *P = B.getPtrTy();
    Access = hook("catt_simt_access", V, {P, P});
    Range = hook("catt_simt_range", V, {P, B.getInt64Ty(), B.getInt32Ty(), P});
    LoopHook = hook("catt_simt_loop", V, {P, B.getInt1Ty()});
    DepthHook = hook("catt_simt_depth", V, {B.getInt32Ty()});
  }

  void run(Function &F) {
    DominatorTree DT(F);
    LoopInfo LI(DT);
    SmallVector<Instruction *> All;
    for (Instruction &I : instructions(F))
      All.push_back(&I);
    for (Instruction *I : All)
      visit(F, *I, LI.getLoopDepth(I->getParent()));
    for (Loop *L : LI.getLoopsInPreorder())
      markLoop(F, *L);
  }

private:
  /// A hook touches nothing that the kernel can see.
  FunctionCallee hook(StringRef Name, Type *Result, ArrayRef<Type *> Args) {
    FunctionCallee H =
        M.getOrInsertFunction(Name, FunctionType::get(Result, Args, false));
    auto *F = cast<Function>(H.getCallee());
    F->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
    F->setDoesNotThrow();
    for (Argument &A : F->args())
      if (A.getType()->isPointerTy())
        A.addAttr(
            Attribute::getWithCaptureInfo(M.getContext(), CaptureInfo::none()));
      else if (A.getType()->isIntegerTy(1))
        A.addAttr(Attribute::ZExt);
    return H;
  }

  /// Not the thread's own stack, and not already told of by an atomic.
  static bool isInteresting(const Value *Pointer) {
    const Value *Base = getUnderlyingObject(Pointer, 0);
    if (isa<AllocaInst>(Base))
      return false;
    if (auto *A = dyn_cast<Argument>(Base))
      return !A->hasByValAttr() && !A->hasStructRetAttr();
    if (auto *GV = dyn_cast<GlobalVariable>(Base))
      return !isBuiltinVariable(GV->getName());
    if (auto *C = dyn_cast<CallInst>(Base))
      if (const Function *Callee = C->getCalledFunction())
        return Callee->getName() != "catt_simt_atomic";
    return true;
  }

  void access(Function &F, Instruction &I, Value *Pointer, Type *Ty, Align A,
              simt::AccessKind Kind, unsigned Depth, bool Watches = false) {
    if (!isInteresting(Pointer))
      return;
    uint32_t Size = M.getDataLayout().getTypeStoreSize(Ty);
    B.SetInsertPoint(&I);
    B.CreateCall(Access, {Pointer, Sites.make(F, I.getDebugLoc(), Kind, Size,
                                              Depth, A.value(), Watches)});
  }

  void copy(Function &F, MemIntrinsic &I, Value *Pointer, MaybeAlign A,
            simt::AccessKind Kind, unsigned Depth) {
    if (!isInteresting(Pointer))
      return;
    B.SetInsertPoint(&I);
    Constant *Site = Sites.make(F, I.getDebugLoc(), simt::Copy, 0, Depth,
                                A.valueOrOne().value());
    B.CreateCall(Range,
                 {Pointer, B.CreateZExtOrTrunc(I.getLength(), B.getInt64Ty()),
                  B.getInt32(Kind), Site});
  }

  void visit(Function &F, Instruction &I, unsigned Depth) {
    if (auto *L = dyn_cast<LoadInst>(&I))
      return access(F, I, L->getPointerOperand(), L->getType(), L->getAlign(),
                    L->isAtomic() ? simt::Atomic : simt::Load, Depth,
                    L->isVolatile());
    if (auto *S = dyn_cast<StoreInst>(&I))
      return access(F, I, S->getPointerOperand(),
                    S->getValueOperand()->getType(), S->getAlign(),
                    S->isAtomic() ? simt::Atomic : simt::Store, Depth);
    if (auto *R = dyn_cast<AtomicRMWInst>(&I))
      return access(F, I, R->getPointerOperand(), R->getType(), R->getAlign(),
                    simt::Atomic, Depth);
    if (auto *X = dyn_cast<AtomicCmpXchgInst>(&I))
      return access(F, I, X->getPointerOperand(),
                    X->getCompareOperand()->getType(), X->getAlign(),
                    simt::Atomic, Depth);
    if (auto *C = dyn_cast<MemIntrinsic>(&I)) {
      if (auto *T = dyn_cast<MemTransferInst>(C))
        copy(F, *C, T->getSource(), T->getSourceAlign(), simt::Load, Depth);
      return copy(F, *C, C->getDest(), C->getDestAlign(), simt::Store, Depth);
    }
    if (auto *C = dyn_cast<CallInst>(&I))
      visitCall(F, *C, Depth);
  }

  void visitCall(Function &F, CallInst &C, unsigned Depth) {
    Function *Callee = C.getCalledFunction();
    if (Callee && Callee->getName().starts_with("catt_simt_")) {
      auto Kind =
          Callee->getName() == "catt_simt_atomic" ? simt::Atomic : simt::Sync;
      C.setArgOperand(C.arg_size() - 1,
                      Sites.make(F, C.getDebugLoc(), Kind, 0, Depth));
      return;
    }
    if (Depth == 0 || (Callee && Callee->isDeclaration()))
      return;
    B.SetInsertPoint(&C);
    B.CreateCall(DepthHook, B.getInt32(Depth));
    B.SetInsertPoint(C.getNextNode());
    B.CreateCall(DepthHook, B.getInt32(-int(Depth)));
  }

  void markLoop(Function &F, Loop &L) {
    BasicBlock *Head = L.getHeader();
    B.SetInsertPoint(Head, Head->begin());
    PHINode *Entry = B.CreatePHI(B.getInt1Ty(), 2, "catt.entry");
    for (BasicBlock *From : predecessors(Head))
      Entry->addIncoming(B.getInt1(!L.contains(From)), From);
    B.SetInsertPoint(Head, Head->getFirstInsertionPt());
    DebugLoc Start = L.getStartLoc();
    B.CreateCall(
        LoopHook,
        {Sites.make(F, Start, simt::LoopHead, 0, L.getLoopDepth()), Entry});
  }

  Module &M;
  SiteTable Sites;
  IRBuilder<> B;
  FunctionCallee Access, Range, LoopHook, DepthHook;
};

//===-- Device: shared memory -----------------------------------------------=//

/// Gives each __shared__ variable a place in its kernels' blocks.
class SharedLayout {
public:
  explicit SharedLayout(Module &M) : M(M) {}

  /// Bytes of static shared memory for each of Kernels.
  DenseMap<Function *, uint32_t> run(ArrayRef<Function *> Kernels,
                                     ArrayRef<GlobalVariable *> Variables) {
    SmallVector<Constant *> AsConstants(Variables.begin(), Variables.end());
    convertUsersOfConstantsToInstructions(AsConstants);
    for (Function *K : Kernels)
      reach(*K, K);
    DenseMap<Function *, uint32_t> Size;
    DenseMap<GlobalVariable *, uint32_t> Offset;
    // Variables of several kernels first: they need one place in all of them.
    uint32_t Common = 0;
    for (GlobalVariable *V : Variables)
      if (UsedBy[V].size() > 1)
        Offset[V] = place(*V, Common);
    for (Function *K : Kernels)
      Size[K] = Common;
    for (GlobalVariable *V : Variables)
      if (UsedBy[V].size() == 1)
        Offset[V] = place(*V, Size[UsedBy[V].front()]);
    for (GlobalVariable *V : Variables)
      replace(*V, Offset.lookup(V));
    return Size;
  }

  /// Dynamic shared memory begins behind the static one; the executor knows.
  void replaceDynamic(GlobalVariable &V) {
    SmallVector<Constant *, 1> One{&V};
    convertUsersOfConstantsToInstructions(One);
    replaceUses(V, "catt_simt_dynamic_shared", 0);
  }

private:
  /// Also through tables of functions, which virtual calls go by.
  void reach(Constant &C, Function *Kernel) {
    if (!Seen.insert({&C, Kernel}).second)
      return;
    if (auto *V = dyn_cast<GlobalVariable>(&C))
      UsedBy[V].push_back(Kernel);
    auto ReachAll = [&](User &Of) {
      for (Value *Op : Of.operands())
        if (auto *Part = dyn_cast<Constant>(Op))
          reach(*Part, Kernel);
    };
    ReachAll(C);
    if (auto *F = dyn_cast<Function>(&C))
      for (Instruction &I : instructions(*F))
        ReachAll(I);
  }

  uint32_t place(GlobalVariable &V, uint32_t &End) {
    const DataLayout &DL = M.getDataLayout();
    uint32_t At = alignTo(End, V.getAlign().valueOrOne());
    End = At + DL.getTypeAllocSize(V.getValueType());
    return At;
  }

  void replace(GlobalVariable &V, uint32_t Offset) {
    replaceUses(V, "catt_simt_shared", Offset);
  }

  void replaceUses(GlobalVariable &V, StringRef BaseName, uint32_t Offset) {
    IRBuilder<> B(M.getContext());
    Constant *Base = M.getOrInsertGlobal(BaseName, B.getPtrTy());
    cast<GlobalVariable>(Base)->setConstant(true);
    DenseMap<Function *, Value *> Address;
    for (Use &U : make_early_inc_range(V.uses())) {
      auto *I = dyn_cast<Instruction>(U.getUser());
      if (!I)
        continue; // llvm.used and the annotations themselves
      Value *&A = Address[I->getFunction()];
      if (!A) {
        B.SetInsertPoint(&*I->getFunction()->getEntryBlock().begin());
        A = B.CreateConstGEP1_32(B.getInt8Ty(),
                                 B.CreateLoad(B.getPtrTy(), Base), Offset,
                                 V.getName());
      }
      U.set(A);
    }
  }

  Module &M;
  DenseMap<GlobalVariable *, SmallVector<Function *, 1>> UsedBy;
  DenseSet<std::pair<Constant *, Function *>> Seen;
};

//===-- Device: the module --------------------------------------------------=//

/// The constructor that tells the executor which memory device code owns, and
/// where its sites are.
void registerVariables(Module &M, ArrayRef<GlobalVariable *> Variables) {
  IRBuilder<> B(M.getContext());
  auto *Ctor = Function::Create(FunctionType::get(B.getVoidTy(), false),
                                GlobalValue::InternalLinkage, "catt.ctor", M);
  B.SetInsertPoint(BasicBlock::Create(M.getContext(), "", Ctor));
  FunctionCallee Hook =
      M.getOrInsertFunction("catt_simt_variable", B.getVoidTy(), B.getPtrTy(),
                            B.getInt64Ty(), B.getInt1Ty());
  for (GlobalVariable *V : Variables)
    B.CreateCall(
         Hook,
         {V, B.getInt64(M.getDataLayout().getTypeAllocSize(V->getValueType())),
          B.getInt1(V->isConstant())})
        ->addParamAttr(2, Attribute::ZExt);
  auto Limit = [&](StringRef Which) {
    auto *V = cast<GlobalVariable>(
        M.getOrInsertGlobal((Which + SiteSection).str(), B.getInt8Ty()));
    V->setLinkage(GlobalValue::ExternalWeakLinkage); // there may be no site
    V->setVisibility(GlobalValue::HiddenVisibility);
    return V;
  };
  B.CreateCall(M.getOrInsertFunction("catt_simt_sites", B.getVoidTy(),
                                     B.getPtrTy(), B.getPtrTy()),
               {Limit("__start_"), Limit("__stop_")});
  B.CreateRetVoid();
  appendToGlobalCtors(M, Ctor, 0);
}

void emitKernelInfo(Module &M, StringRef Name, uint32_t Shared, uint32_t Max) {
  Type *I32 = Type::getInt32Ty(M.getContext());
  auto *Ty = StructType::get(M.getContext(), {I32, I32});
  auto *Init = ConstantStruct::get(
      Ty, {ConstantInt::get(I32, Shared), ConstantInt::get(I32, Max)});
  new GlobalVariable(M, Ty, true, GlobalValue::WeakODRLinkage, Init,
                     catt::simt::symbolOf("info", Name, M));
}

void runOnDevice(Module &M) {
  SmallVector<Function *> Kernels;
  SmallVector<GlobalVariable *> Shared, Owned;
  DenseMap<Function *, uint32_t> MaxThreads;
  forEachAnnotation(M, [&](GlobalValue &GV, StringRef Text, uint64_t Number) {
    if (GV.isDeclaration())
      return;
    if (Text == "catt_kernel" && !is_contained(Kernels, &GV))
      Kernels.push_back(cast<Function>(&GV));
    else if (Text == "catt_bounds")
      MaxThreads[cast<Function>(&GV)] = Number;
    else if (Text == "catt_shared" && !is_contained(Shared, &GV))
      Shared.push_back(cast<GlobalVariable>(&GV));
  });
  M.getGlobalVariable(DeviceMark, true)
      ->setLinkage(GlobalValue::InternalLinkage);
  SharedLayout Layout(M);
  auto SharedSize = Layout.run(Kernels, Shared);
  Instrumenter Hooks(M);
  for (GlobalVariable &GV : M.globals()) {
    auto *Array = dyn_cast<ArrayType>(GV.getValueType());
    if (isBuiltinVariable(GV.getName()))
      GV.setConstant(true);
    else if (GV.isDeclaration() && Array && Array->getNumElements() == 0)
      Layout.replaceDynamic(GV);
    else if (!GV.isDeclaration() && !GV.getName().starts_with("llvm.") &&
             !GV.getName().starts_with("catt.") && !is_contained(Shared, &GV) &&
             GV.getSection() != "llvm.metadata" && GV.getName() != DeviceMark)
      Owned.push_back(&GV);
  }
  for (Function &F : M)
    if (!F.isDeclaration()) {
      catt::simt::translateAssembly(F);
      Hooks.run(F);
    }
  // The host view has its own copies of everything that both can use.
  for (Function &F : M)
    if (!F.isDeclaration()) {
      F.setComdat(nullptr);
      F.setLinkage(GlobalValue::InternalLinkage);
    }
  for (Function *K : Kernels) {
    emitKernelInfo(M, K->getName(), SharedSize[K], MaxThreads.lookup(K));
    K->setName(catt::simt::symbolOf("kernel", K->getName(), M));
    K->setLinkage(GlobalValue::WeakODRLinkage);
  }
  for (GlobalVariable *V : Owned) {
    bool Visible = !V->hasLocalLinkage() && !V->hasLinkOnceLinkage();
    V->setComdat(nullptr);
    V->setLinkage(Visible ? GlobalValue::ExternalLinkage
                          : GlobalValue::InternalLinkage);
    if (Visible)
      V->setName(catt::simt::symbolOf("var", V->getName(), M));
  }
  registerVariables(M, Owned);
  for (GlobalVariable *V : Owned) // the host writes to __constant__ variables
    if (V->isExternallyInitialized())
      V->setConstant(false);
}

struct SimtPass : PassInfoMixin<SimtPass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &MAM) {
    if (!M.getGlobalVariable(DeviceMark, true)) {
      catt::simt::runOnHost(M);
      return PreservedAnalyses::none();
    }
    ModulePassManager Prepare;
    Prepare.addPass(AlwaysInlinerPass(false));
    Prepare.addPass(
        createModuleToFunctionPassAdaptor(SROAPass(SROAOptions::PreserveCFG)));
    Prepare.run(M, MAM);
    runOnDevice(M);
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "catt-run", "1", [](PassBuilder &PB) {
            PB.registerPipelineStartEPCallback(
                [](ModulePassManager &MPM, OptimizationLevel) {
                  MPM.addPass(SimtPass());
                });
          }};
}
