//===- NodeKinds.cpp - Every kind of clang's syntax tree, by role ---------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The switches are long because clang's lists are. They have no default on
// purpose, and a kind that is missing is an error.
//
//===----------------------------------------------------------------------===//

#include "analysis/source/syntax/NodeKinds.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/Support/ErrorHandling.h"

#pragma GCC diagnostic error "-Wswitch"

using namespace clang;

namespace catt {

NodeRole roleOf(const Stmt &S) {
  switch (S.getStmtClass()) {
  case Stmt::IntegerLiteralClass:
  case Stmt::FloatingLiteralClass:
  case Stmt::CharacterLiteralClass:
  case Stmt::FixedPointLiteralClass:
  case Stmt::CXXBoolLiteralExprClass:
  case Stmt::CXXNullPtrLiteralExprClass:
  case Stmt::GNUNullExprClass:
  case Stmt::ImplicitValueInitExprClass:
  case Stmt::CXXScalarValueInitExprClass:
  case Stmt::UnaryExprOrTypeTraitExprClass:
  case Stmt::TypeTraitExprClass:
  case Stmt::ArrayTypeTraitExprClass:
  case Stmt::ExpressionTraitExprClass:
  case Stmt::CXXNoexceptExprClass:
  case Stmt::SizeOfPackExprClass:
  case Stmt::ConceptSpecializationExprClass:
  case Stmt::RequiresExprClass:
    return NodeRole::Constant;

  case Stmt::ParenExprClass:
  case Stmt::ConstantExprClass:
  case Stmt::ExprWithCleanupsClass:
  case Stmt::SubstNonTypeTemplateParmExprClass:
  case Stmt::CXXDefaultArgExprClass:
  case Stmt::CXXDefaultInitExprClass:
  case Stmt::CXXRewrittenBinaryOperatorClass:
  case Stmt::GenericSelectionExprClass:
  case Stmt::OpaqueValueExprClass:
    return NodeRole::Wrapper;

  case Stmt::MaterializeTemporaryExprClass:
    return NodeRole::Temporary;
  case Stmt::DeclRefExprClass:
    return NodeRole::Name;
  case Stmt::MemberExprClass:
    return NodeRole::Member;
  case Stmt::ArraySubscriptExprClass:
    return NodeRole::Subscript;

  case Stmt::ImplicitCastExprClass:
  case Stmt::CStyleCastExprClass:
  case Stmt::CXXFunctionalCastExprClass:
  case Stmt::CXXStaticCastExprClass:
  case Stmt::CXXReinterpretCastExprClass:
  case Stmt::CXXConstCastExprClass:
    return NodeRole::Cast;

  case Stmt::UnaryOperatorClass:
    return NodeRole::Unary;
  case Stmt::BinaryOperatorClass:
  case Stmt::CompoundAssignOperatorClass:
    return NodeRole::Binary;
  case Stmt::ConditionalOperatorClass:
    return NodeRole::Conditional;
  case Stmt::BinaryConditionalOperatorClass:
    return NodeRole::DefaultedConditional;
  case Stmt::CallExprClass:
  case Stmt::UserDefinedLiteralClass:
    return NodeRole::Call;
  case Stmt::CXXMemberCallExprClass:
    return NodeRole::MemberCall;
  case Stmt::CXXOperatorCallExprClass:
    return NodeRole::OperatorCall;
  case Stmt::CXXConstructExprClass:
  case Stmt::CXXTemporaryObjectExprClass:
    return NodeRole::Construct;
  case Stmt::InitListExprClass:
  case Stmt::CXXParenListInitExprClass:
    return NodeRole::InitList;
  case Stmt::PseudoObjectExprClass:
    return NodeRole::Property;
  case Stmt::CXXThisExprClass:
    return NodeRole::This;
  case Stmt::LambdaExprClass:
    return NodeRole::Lambda;
  case Stmt::StmtExprClass:
    return NodeRole::StatementExpression;

  // Known and not proved: addresses and memory, types that are looked up
  // while the program runs, vectors and matrices of extensions, what only
  // templates and other languages have.
  case Stmt::StringLiteralClass:
  case Stmt::ImaginaryLiteralClass:
  case Stmt::PredefinedExprClass:
  case Stmt::SourceLocExprClass:
  case Stmt::EmbedExprClass:
  case Stmt::CompoundLiteralExprClass:
  case Stmt::OffsetOfExprClass:
  case Stmt::VAArgExprClass:
  case Stmt::ChooseExprClass:
  case Stmt::AddrLabelExprClass:
  case Stmt::AtomicExprClass:
  case Stmt::BlockExprClass:
  case Stmt::BuiltinBitCastExprClass:
  case Stmt::CXXDynamicCastExprClass:
  case Stmt::CXXAddrspaceCastExprClass:
  case Stmt::CXXTypeidExprClass:
  case Stmt::CXXUuidofExprClass:
  case Stmt::CXXThrowExprClass:
  case Stmt::CXXNewExprClass:
  case Stmt::CXXDeleteExprClass:
  case Stmt::CXXPseudoDestructorExprClass:
  case Stmt::CXXStdInitializerListExprClass:
  case Stmt::CXXInheritedCtorInitExprClass:
  case Stmt::CXXBindTemporaryExprClass:
  case Stmt::CUDAKernelCallExprClass:
  case Stmt::ArrayInitLoopExprClass:
  case Stmt::ArrayInitIndexExprClass:
  case Stmt::NoInitExprClass:
  case Stmt::DesignatedInitExprClass:
  case Stmt::DesignatedInitUpdateExprClass:
  case Stmt::ParenListExprClass:
  case Stmt::RecoveryExprClass:
  case Stmt::ShuffleVectorExprClass:
  case Stmt::ConvertVectorExprClass:
  case Stmt::ExtVectorElementExprClass:
  case Stmt::MatrixSubscriptExprClass:
  case Stmt::MatrixSingleSubscriptExprClass:
  case Stmt::AsTypeExprClass:
  case Stmt::MSPropertyRefExprClass:
  case Stmt::MSPropertySubscriptExprClass:
  case Stmt::SubstNonTypeTemplateParmPackExprClass:
  case Stmt::FunctionParmPackExprClass:
  case Stmt::PackExpansionExprClass:
  case Stmt::PackIndexingExprClass:
  case Stmt::CXXFoldExprClass:
  case Stmt::CXXUnresolvedConstructExprClass:
  case Stmt::CXXDependentScopeMemberExprClass:
  case Stmt::DependentScopeDeclRefExprClass:
  case Stmt::UnresolvedLookupExprClass:
  case Stmt::UnresolvedMemberExprClass:
  case Stmt::DependentCoawaitExprClass:
  case Stmt::CoawaitExprClass:
  case Stmt::CoyieldExprClass:
  case Stmt::SYCLUniqueStableNameExprClass:
  case Stmt::HLSLOutArgExprClass:
  case Stmt::ArraySectionExprClass:
  case Stmt::OMPArrayShapingExprClass:
  case Stmt::OMPIteratorExprClass:
  case Stmt::OpenACCAsteriskSizeExprClass:
  case Stmt::ObjCStringLiteralClass:
  case Stmt::ObjCBoxedExprClass:
  case Stmt::ObjCArrayLiteralClass:
  case Stmt::ObjCDictionaryLiteralClass:
  case Stmt::ObjCEncodeExprClass:
  case Stmt::ObjCMessageExprClass:
  case Stmt::ObjCSelectorExprClass:
  case Stmt::ObjCProtocolExprClass:
  case Stmt::ObjCIvarRefExprClass:
  case Stmt::ObjCPropertyRefExprClass:
  case Stmt::ObjCSubscriptRefExprClass:
  case Stmt::ObjCIsaExprClass:
  case Stmt::ObjCIndirectCopyRestoreExprClass:
  case Stmt::ObjCBoolLiteralExprClass:
  case Stmt::ObjCAvailabilityCheckExprClass:
  case Stmt::ObjCBridgedCastExprClass:
    return NodeRole::UnknownExpr;

  case Stmt::CompoundStmtClass:
    return NodeRole::Block;
  case Stmt::NullStmtClass:
    return NodeRole::Nothing;
  case Stmt::AttributedStmtClass:
    return NodeRole::Attributed;
  case Stmt::DeclStmtClass:
    return NodeRole::Declaration;
  case Stmt::IfStmtClass:
    return NodeRole::Branch;
  case Stmt::SwitchStmtClass:
    return NodeRole::Switch;
  case Stmt::CaseStmtClass:
  case Stmt::DefaultStmtClass:
    return NodeRole::Case;
  case Stmt::ForStmtClass:
  case Stmt::WhileStmtClass:
  case Stmt::DoStmtClass:
    return NodeRole::Loop;
  case Stmt::CXXForRangeStmtClass:
    return NodeRole::RangeLoop;
  case Stmt::ReturnStmtClass:
    return NodeRole::Return;
  case Stmt::BreakStmtClass:
    return NodeRole::Break;
  case Stmt::ContinueStmtClass:
    return NodeRole::Continue;
  case Stmt::GCCAsmStmtClass:
    return NodeRole::Assembly;

  case Stmt::NoStmtClass:
  case Stmt::LabelStmtClass:
  case Stmt::GotoStmtClass:
  case Stmt::IndirectGotoStmtClass:
  case Stmt::DeferStmtClass:
  case Stmt::MSAsmStmtClass:
  case Stmt::CXXTryStmtClass:
  case Stmt::CXXCatchStmtClass:
  case Stmt::SEHTryStmtClass:
  case Stmt::SEHExceptStmtClass:
  case Stmt::SEHFinallyStmtClass:
  case Stmt::SEHLeaveStmtClass:
  case Stmt::CoroutineBodyStmtClass:
  case Stmt::CoreturnStmtClass:
  case Stmt::CapturedStmtClass:
  case Stmt::MSDependentExistsStmtClass:
  case Stmt::SYCLKernelCallStmtClass:
  case Stmt::ObjCForCollectionStmtClass:
  case Stmt::ObjCAutoreleasePoolStmtClass:
  case Stmt::ObjCAtTryStmtClass:
  case Stmt::ObjCAtThrowStmtClass:
  case Stmt::ObjCAtSynchronizedStmtClass:
  case Stmt::ObjCAtFinallyStmtClass:
  case Stmt::ObjCAtCatchStmtClass:
  case Stmt::OMPCanonicalLoopClass:
#define STMT(Type, Base)
#define OMPEXECUTABLEDIRECTIVE(Type, Base) case Stmt::Type##Class:
#define OPENACCCONSTRUCTSTMT(Type, Base) case Stmt::Type##Class:
#define ABSTRACT_STMT(Type)
#include "clang/AST/StmtNodes.inc"
    return NodeRole::UnknownControl;
  }
  llvm_unreachable("all kinds are listed");
}

const Expr *wrappedIn(const Expr &E) {
  if (auto *P = dyn_cast<ParenExpr>(&E))
    return P->getSubExpr();
  if (auto *F = dyn_cast<FullExpr>(&E))
    return F->getSubExpr();
  if (auto *S = dyn_cast<SubstNonTypeTemplateParmExpr>(&E))
    return S->getReplacement();
  if (auto *D = dyn_cast<CXXDefaultArgExpr>(&E))
    return D->getExpr();
  if (auto *D = dyn_cast<CXXDefaultInitExpr>(&E))
    return D->getExpr();
  if (auto *R = dyn_cast<CXXRewrittenBinaryOperator>(&E))
    return R->getSemanticForm();
  if (auto *G = dyn_cast<GenericSelectionExpr>(&E))
    return G->isResultDependent() ? nullptr : G->getResultExpr();
  if (auto *O = dyn_cast<OpaqueValueExpr>(&E))
    return O->getSourceExpr();
  return nullptr;
}

DeclRole roleOf(Decl::Kind K) {
  switch (K) {
  case Decl::Var:
  case Decl::VarTemplateSpecialization:
  case Decl::ParmVar:
  case Decl::Decomposition:
    return DeclRole::Variable;
  case Decl::Binding:
    return DeclRole::Binding;
  case Decl::EnumConstant:
    return DeclRole::Constant;
  case Decl::Function:
  case Decl::CXXMethod:
  case Decl::CXXDestructor:
  case Decl::CXXConversion:
  case Decl::CXXConstructor:
    return DeclRole::Function;
  case Decl::Field:
    return DeclRole::Field;
  case Decl::Typedef:
  case Decl::TypeAlias:
  case Decl::TypeAliasTemplate:
  case Decl::Record:
  case Decl::CXXRecord:
  case Decl::ClassTemplateSpecialization:
  case Decl::Enum:
  case Decl::Using:
  case Decl::UsingEnum:
  case Decl::UsingDirective:
  case Decl::UsingShadow:
  case Decl::NamespaceAlias:
  case Decl::StaticAssert:
  case Decl::Empty:
    return DeclRole::NameOnly;

  case Decl::AccessSpec:
  case Decl::Block:
  case Decl::BuiltinTemplate:
  case Decl::Captured:
  case Decl::ClassTemplate:
  case Decl::ClassTemplatePartialSpecialization:
  case Decl::Concept:
  case Decl::ConstructorUsingShadow:
  case Decl::CXXDeductionGuide:
  case Decl::Export:
  case Decl::ExternCContext:
  case Decl::FileScopeAsm:
  case Decl::Friend:
  case Decl::FriendTemplate:
  case Decl::FunctionTemplate:
  case Decl::HLSLBuffer:
  case Decl::HLSLRootSignature:
  case Decl::ImplicitConceptSpecialization:
  case Decl::ImplicitParam:
  case Decl::Import:
  case Decl::IndirectField:
  case Decl::Label:
  case Decl::LifetimeExtendedTemporary:
  case Decl::LinkageSpec:
  case Decl::MSGuid:
  case Decl::MSProperty:
  case Decl::Namespace:
  case Decl::NonTypeTemplateParm:
  case Decl::ObjCAtDefsField:
  case Decl::ObjCCategory:
  case Decl::ObjCCategoryImpl:
  case Decl::ObjCCompatibleAlias:
  case Decl::ObjCImplementation:
  case Decl::ObjCInterface:
  case Decl::ObjCIvar:
  case Decl::ObjCMethod:
  case Decl::ObjCProperty:
  case Decl::ObjCPropertyImpl:
  case Decl::ObjCProtocol:
  case Decl::ObjCTypeParam:
  case Decl::OMPAllocate:
  case Decl::OMPCapturedExpr:
  case Decl::OMPDeclareMapper:
  case Decl::OMPDeclareReduction:
  case Decl::OMPGroupPrivate:
  case Decl::OMPRequires:
  case Decl::OMPThreadPrivate:
  case Decl::OpenACCDeclare:
  case Decl::OpenACCRoutine:
  case Decl::OutlinedFunction:
  case Decl::PragmaComment:
  case Decl::PragmaDetectMismatch:
  case Decl::RequiresExprBody:
  case Decl::TemplateParamObject:
  case Decl::TemplateTemplateParm:
  case Decl::TemplateTypeParm:
  case Decl::TopLevelStmt:
  case Decl::TranslationUnit:
  case Decl::UnnamedGlobalConstant:
  case Decl::UnresolvedUsingIfExists:
  case Decl::UnresolvedUsingTypename:
  case Decl::UnresolvedUsingValue:
  case Decl::UsingPack:
  case Decl::VarTemplate:
  case Decl::VarTemplatePartialSpecialization:
    return DeclRole::Unknown;
  }
  llvm_unreachable("all kinds are listed");
}

CastRole roleOf(CastKind K) {
  switch (K) {
  case CK_LValueToRValue:
    return CastRole::Load;
  case CK_NoOp:
  case CK_DerivedToBase:
  case CK_UncheckedDerivedToBase:
    return CastRole::SamePlace;
  case CK_IntegralCast:
  case CK_IntegralToBoolean:
  case CK_IntegralToFloating:
  case CK_FloatingToIntegral:
  case CK_FloatingToBoolean:
  case CK_FloatingCast:
  case CK_BooleanToSignedIntegral:
  case CK_NullToPointer:
  case CK_PointerToBoolean:
  case CK_PointerToIntegral:
  case CK_IntegralToPointer:
  case CK_BitCast: // of pointers and vectors
    return CastRole::Converts;
  case CK_UserDefinedConversion:
  case CK_ConstructorConversion:
    return CastRole::Calls;
  case CK_ArrayToPointerDecay:
    return CastRole::Decay;
  case CK_ToVoid:
    return CastRole::Drops;

  case CK_Dependent:
  case CK_LValueBitCast:
  case CK_LValueToRValueBitCast:
  case CK_BaseToDerived:
  case CK_Dynamic:
  case CK_ToUnion:
  case CK_FunctionToPointerDecay:
  case CK_BuiltinFnToFnPtr:
  case CK_NullToMemberPointer:
  case CK_BaseToDerivedMemberPointer:
  case CK_DerivedToBaseMemberPointer:
  case CK_MemberPointerToBoolean:
  case CK_ReinterpretMemberPointer:
  case CK_AddressSpaceConversion:
  case CK_AtomicToNonAtomic:
  case CK_NonAtomicToAtomic:
  case CK_VectorSplat:
  case CK_MatrixCast:
  case CK_FloatingToFixedPoint:
  case CK_FixedPointToFloating:
  case CK_FixedPointCast:
  case CK_FixedPointToIntegral:
  case CK_IntegralToFixedPoint:
  case CK_FixedPointToBoolean:
  case CK_FloatingRealToComplex:
  case CK_FloatingComplexToReal:
  case CK_FloatingComplexToBoolean:
  case CK_FloatingComplexCast:
  case CK_FloatingComplexToIntegralComplex:
  case CK_IntegralRealToComplex:
  case CK_IntegralComplexToReal:
  case CK_IntegralComplexToBoolean:
  case CK_IntegralComplexCast:
  case CK_IntegralComplexToFloatingComplex:
  case CK_CPointerToObjCPointerCast:
  case CK_BlockPointerToObjCPointerCast:
  case CK_AnyPointerToBlockPointerCast:
  case CK_ObjCObjectLValueCast:
  case CK_ARCProduceObject:
  case CK_ARCConsumeObject:
  case CK_ARCReclaimReturnedObject:
  case CK_ARCExtendBlockObject:
  case CK_CopyAndAutoreleaseBlockObject:
  case CK_ZeroToOCLOpaqueType:
  case CK_IntToOCLSampler:
  case CK_HLSLVectorTruncation:
  case CK_HLSLMatrixTruncation:
  case CK_HLSLArrayRValue:
  case CK_HLSLElementwiseCast:
  case CK_HLSLAggregateSplatCast:
    return CastRole::Unknown;
  }
  llvm_unreachable("all kinds are listed");
}

OperatorRole roleOf(BinaryOperatorKind K) {
  switch (K) {
  case BO_Mul:
  case BO_Div:
  case BO_Rem:
  case BO_Add:
  case BO_Sub:
  case BO_Shl:
  case BO_Shr:
  case BO_LT:
  case BO_GT:
  case BO_LE:
  case BO_GE:
  case BO_EQ:
  case BO_NE:
  case BO_And:
  case BO_Xor:
  case BO_Or:
    return OperatorRole::Computes;
  case BO_LAnd:
  case BO_LOr:
    return OperatorRole::Logical;
  case BO_Assign:
  case BO_MulAssign:
  case BO_DivAssign:
  case BO_RemAssign:
  case BO_AddAssign:
  case BO_SubAssign:
  case BO_ShlAssign:
  case BO_ShrAssign:
  case BO_AndAssign:
  case BO_XorAssign:
  case BO_OrAssign:
    return OperatorRole::Assigns;
  case BO_Comma:
    return OperatorRole::Comma;
  case BO_PtrMemD:
  case BO_PtrMemI:
  case BO_Cmp:
    return OperatorRole::Unknown;
  }
  llvm_unreachable("all kinds are listed");
}

OperatorRole roleOf(UnaryOperatorKind K) {
  switch (K) {
  case UO_Plus:
  case UO_Minus:
  case UO_Not:
  case UO_LNot:
    return OperatorRole::Computes;
  case UO_PostInc:
  case UO_PostDec:
  case UO_PreInc:
  case UO_PreDec:
    return OperatorRole::Assigns;
  case UO_Deref:
    return OperatorRole::Dereference;
  case UO_Extension:
    return OperatorRole::Transparent;
  case UO_AddrOf:
  case UO_Real:
  case UO_Imag:
  case UO_Coawait:
    return OperatorRole::Unknown;
  }
  llvm_unreachable("all kinds are listed");
}

} // namespace catt
